/* SPDX-License-Identifier: MIT */
#include "client/subscribe.h"

#include "base/error.h"
#include "client/listen.h"
#include "client/params.h"
#include "client/result.h"
#include "client/send.h"
#include "client/settle.h"
#include "core/context.h"

/* --- what is subscribed to ---------------------------------------------- */

typedef struct uri_node {
  mcpi_list link; /* in client->uris */
  size_t len;
  char text[];
} uri_node;

static uri_node *find_uri(const mcp_client *client, mcpi_str uri) {
  mcpi_list *link = client->uris.next;
  for (; link != &client->uris; link = link->next) {
    uri_node *node = MCPI_CONTAINER(link, uri_node, link);
    if (mcpi_str_eq(mcpi_str_n(node->text, node->len), uri)) {
      return node;
    }
  }
  return NULL;
}

static void free_uri(mcp_client *client, uri_node *node) {
  if (node != NULL) {
    mcpi_list_remove(&node->link);
    mcpi_free(&client->loop->allocator, node, sizeof(*node) + node->len);
  }
}

/* 1: added; 0: it was there already; or MCP_ERR_NOMEM. */
static int subscribe_add_uri(mcp_client *client, mcpi_str uri) {
  if (find_uri(client, uri) != NULL) {
    return 0;
  }
  uri_node *node =
      mcpi_alloc(&client->loop->allocator, sizeof(*node) + uri.len);
  if (node == NULL) {
    return MCP_ERR_NOMEM;
  }
  node->len = uri.len;
  memcpy(node->text, uri.ptr, uri.len);
  mcpi_list_append(&client->uris, &node->link);
  return 1;
}

void mcpi_subscribe_forget_all(mcp_client *client) {
  while (!mcpi_list_is_empty(&client->uris)) {
    free_uri(client, MCPI_CONTAINER(client->uris.next, uri_node, link));
  }
}

static mcpi_str uri_of(const mcpi_request *request) {
  const mcpi_buf *buf = &request->bufs.answers;
  return mcpi_str_n(buf->data, buf->len);
}

/* --- legacy ------------------------------------------------------------- */

static void on_unsubscribed(mcpi_request *request, int status,
                            mcpi_message *message, const mcpi_envelope *reply,
                            const mcp_error *err) {
  if (status == 0) {
    free_uri(request->client, find_uri(request->client, uri_of(request)));
  }
  mcpi_request_settle(request, status, message, reply, err);
}

/* Keeps the URI for a restart; a failure takes it back. */
static void subscribe_keep_uri(mcpi_request *request) {
  mcpi_buf *buf = &request->bufs.answers;
  int rc = buf->error != 0
               ? buf->error
               : subscribe_add_uri(request->client, uri_of(request));
  request->subscribe.is_new = rc == 1;
  if (rc < 0) {
    mcpi_request_note(request, rc);
  }
}

/* The program's subscribe (or modern unsubscribe) ends. A URI that was added
 * for it is removed, and its watch no longer has an owner. */
static void subscribe_end(mcpi_request *request) {
  mcpi_request *watch = request->subscribe.watch;
  if (watch != NULL) {
    watch->listen.owner = NULL;
    request->subscribe.watch = NULL;
  }
  if (request->subscribe.is_new && request->status != 0) {
    free_uri(request->client, find_uri(request->client, uri_of(request)));
  }
}

static const mcpi_request_kind legacy_subscribe = {
    .on_reply = mcpi_request_settle, .on_end = subscribe_end};
static const mcpi_request_kind legacy_unsubscribe = {.on_reply =
                                                         on_unsubscribed};
static const mcpi_request_kind modern_subscribe = {.on_end = subscribe_end};

static int subscribe_start_legacy(mcpi_request *request, const char *uri) {
  if (request->error == 0) {
    mcpi_params_string(&request->bufs.params, "uri", uri, NULL);
  }
  if (request->kind == &legacy_subscribe && request->error == 0) {
    subscribe_keep_uri(request);
  }
  return mcpi_request_start(request);
}

/* Its failure is not reported: a resource that is gone sends no updates. */
static void renew_uri(mcp_client *client, const uri_node *node) {
  mcpi_request *request = mcpi_request_take(
      client, &mcpi_methods[MCPI_M_RESOURCES_SUBSCRIBE], &mcpi_request_plain);
  if (request == NULL) {
    return;
  }
  request->timeout_ms = client->options.request_timeout_ms;
  mcpi_params_name(&request->bufs.params, "uri");
  mcpi_json_put_string(&request->bufs.params,
                       mcpi_str_n(node->text, node->len));
  mcpi_request_start(request);
}

static void renew_level(mcp_client *client) {
  mcpi_request *request = mcpi_request_take(
      client, &mcpi_methods[MCPI_M_SET_LEVEL], &mcpi_request_plain);
  if (request == NULL) {
    return;
  }
  request->timeout_ms = client->options.request_timeout_ms;
  mcpi_params_string(&request->bufs.params, "level",
                     mcp_log_level_name(client->session_level), NULL);
  mcpi_request_start(request);
}

void mcpi_subscribe_renew(mcp_client *client) {
  if (client->session_level != 0) {
    renew_level(client);
  }
  /* Sending calls a trace, which may close the client: then the URIs are
   * gone. */
  mcpi_list *link = client->uris.next;
  while (mcpi_client_is_open(client) && link != &client->uris) {
    mcpi_list *next = link->next;
    renew_uri(client, MCPI_CONTAINER(link, uri_node, link));
    link = next;
  }
}

/* --- modern: the watch -------------------------------------------------- */

static void subscribe_put_uris(mcp_client *client, mcpi_buf *buf) {
  mcpi_list *link = client->uris.next;
  mcpi_params_name(buf, "notifications");
  mcpi_buf_lit(buf, "{\"resourceSubscriptions\":[");
  for (; link != &client->uris; link = link->next) {
    const uri_node *node = MCPI_CONTAINER(link, uri_node, link);
    if (link != client->uris.next) {
      mcpi_buf_putc(buf, ',');
    }
    mcpi_json_put_string(buf, mcpi_str_n(node->text, node->len));
  }
  mcpi_buf_lit(buf, "]}");
}

static void watch_granted(mcpi_request *watch, mcpi_message *message,
                          const mcp_json *granted);
static void watch_end(mcpi_request *watch);

static int send_watch(mcpi_request *watch, mcp_error *err) {
  subscribe_put_uris(watch->client, &watch->bufs.params);
  int rc = watch->bufs.params.error;
  if (rc == 0) {
    rc = mcpi_client_listen_prepare(watch);
  }
  return rc == 0 ? mcpi_request_send(watch, err)
                 : mcp_error_set(err, rc, "%s", mcp_error_text(rc));
}

/* The two are linked before anything is sent: if the transport breaks
 * meanwhile, both end. */
static void open_watch(mcpi_request *owner) {
  static const mcpi_request_kind kind = {.on_reply = mcpi_client_listen_reply,
                                         .on_end = watch_end};
  mcp_client *client = owner->client;
  mcpi_request *watch =
      mcpi_request_take(client, &mcpi_methods[MCPI_M_LISTEN], &kind);
  if (watch == NULL) {
    mcpi_request_fail_with(owner, MCP_ERR_NOMEM, "out of memory");
    return;
  }
  watch->timeout_ms = owner->timeout_ms;
  watch->listen.on_granted = watch_granted;
  watch->listen.owner = owner;
  owner->subscribe.watch = watch;
  mcpi_list_append(&client->watches, &watch->listen.watch_link);
  mcp_error err;
  int rc = send_watch(watch, &err);
  owner->number = watch->number;
  if (rc != 0) {
    mcpi_request_fail(watch, &err);
  }
}

/* Closes the watches before `end`. All of them, `end` too, may end
 * meanwhile. */
static void close_watches(mcp_client *client, const mcpi_list *end) {
  while (client->watches.next != end && !mcpi_list_is_empty(&client->watches)) {
    mcpi_request *watch =
        MCPI_CONTAINER(client->watches.next, mcpi_request, listen.watch_link);
    mcpi_list_remove(&watch->listen.watch_link);
    mcpi_client_listen_close(watch);
  }
}

static int is_granted(const mcp_json *granted, mcpi_str uri) {
  mcp_json_iter iter;
  const mcp_json *item;
  mcp_json_iter_init(&iter, mcp_json_get(granted, "resourceSubscriptions"));
  while ((item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (mcpi_str_eq(mcpi_json_str(item), uri)) {
      return 1;
    }
  }
  return 0;
}

/* Completes the subscribe (or unsubscribe, which has no URI) of a watch. */
static void watch_complete_owner(mcpi_request *watch, mcpi_message *message,
                                 const mcp_json *granted) {
  mcpi_request *owner = watch->listen.owner;
  if (owner == NULL) {
    return;
  }
  watch->listen.owner = NULL;
  owner->subscribe.watch = NULL;
  if (uri_of(owner).len > 0 && !is_granted(granted, uri_of(owner))) {
    mcpi_request_fail_with(owner, MCP_ERR_UNSUPPORTED,
                           "the server does not grant this subscription");
    return;
  }
  mcpi_result_page page = {message, granted};
  mcpi_request_succeed(
      owner, mcpi_result_new(&owner->client->loop->pool, &page, 1, NULL));
}

/* The URIs of earlier watches are in this one too: they end. */
static void watch_granted(mcpi_request *watch, mcpi_message *message,
                          const mcp_json *granted) {
  mcp_client *client = watch->client;
  mcpi_list *link = client->watches.next;
  while (link != &watch->listen.watch_link && link != &client->watches) {
    mcpi_list *next = link->next;
    watch_complete_owner(MCPI_CONTAINER(link, mcpi_request, listen.watch_link),
                         message, granted);
    link = next;
  }
  watch_complete_owner(watch, message, granted);
  close_watches(client, &watch->listen.watch_link);
}

/* A watch ends, and with it the subscribe that waits for it. */
static void watch_end(mcpi_request *watch) {
  mcpi_request *owner = watch->listen.owner;
  mcpi_client_listen_end(watch);
  mcpi_list_remove(&watch->listen.watch_link);
  if (owner == NULL) {
    return;
  }
  mcp_error err = watch->err;
  watch->listen.owner = NULL;
  owner->subscribe.watch = NULL;
  if (watch->status == 0) {
    mcp_error_set(&err, MCP_ERR_PROTOCOL, "the stream ended at once");
  }
  mcpi_request_fail(owner, &err);
}

/* --- modern: the program's ---------------------------------------------- */

static void unsubscribe_modern(mcpi_request *request) {
  mcp_client *client = request->client;
  uri_node *node = find_uri(client, uri_of(request));
  int was_there = node != NULL;
  free_uri(client, node);
  mcpi_buf_clear(&request->bufs.answers);
  if (was_there && !mcpi_list_is_empty(&client->uris)) {
    open_watch(request);
    return;
  }
  if (was_there) {
    close_watches(client, &client->watches);
  }
  mcpi_request_succeed(request, mcpi_result_empty(&client->loop->pool));
}

static void subscribe_launch(mcpi_request *request, int is_more) {
  if (!mcp_client_server_has(request->client, "resources.subscribe")) {
    mcpi_request_fail_with(request, MCP_ERR_UNSUPPORTED,
                           "the server does not offer \"resources.subscribe\"");
  } else if (is_more) {
    open_watch(request);
  } else {
    unsubscribe_modern(request);
  }
}

static int subscribe_start_modern(mcpi_request *request, int is_more) {
  mcp_client *client = request->client;
  if (is_more && request->error == 0) {
    subscribe_keep_uri(request);
  }
  int rc = request->error;
  if (rc != 0) {
    mcpi_error_complete(request->start_err, rc);
    mcpi_request_drop(request);
    return rc;
  }
  request->start_err = NULL;
  mcpi_client_enter(client);
  request->state = MCPI_REQUEST_PARKED;
  subscribe_launch(request, is_more);
  if (request->number_out != NULL) {
    *request->number_out = request->number;
  }
  mcpi_client_return(client);
  return 0;
}

/* The request keeps the URI, because its end needs it. */
static void subscribe_set_uri(mcpi_request *request, const char *uri) {
  mcp_error *err = request->start_err;
  int rc = mcpi_params_check("uri", uri, err);
  if (rc == 0 && uri[0] == '\0') {
    rc = mcp_error_set(err, MCP_ERR_INVALID, "uri: empty");
  }
  if (rc == 0) {
    mcpi_buf_puts(&request->bufs.answers, mcpi_str_z(uri));
    rc = request->bufs.answers.error;
  }
  mcpi_request_note(request, rc);
}

static int subscribe_start(mcp_client *client, mcpi_method_id id,
                           const char *uri, const mcp_request_options *options,
                           mcp_done_cb on_done, void *userdata,
                           mcp_error *err) {
  mcpi_request *request;
  int is_modern = client != NULL && mcpi_client_is_modern(client);
  int is_more = id == MCPI_M_RESOURCES_SUBSCRIBE;
  const mcpi_request_kind *kind = &modern_subscribe;
  if (!is_modern) {
    kind = is_more ? &legacy_subscribe : &legacy_unsubscribe;
  }
  int rc =
      mcpi_request_open(&request, client, is_modern ? NULL : &mcpi_methods[id],
                        kind, options, on_done, userdata, err);
  if (rc != 0) {
    return rc;
  }
  subscribe_set_uri(request, uri);
  return is_modern ? subscribe_start_modern(request, is_more)
                   : subscribe_start_legacy(request, uri);
}

int mcp_client_subscribe(mcp_client *client, const char *uri,
                         const mcp_request_options *options,
                         mcp_done_cb on_done, void *userdata, mcp_error *err) {
  return subscribe_start(client, MCPI_M_RESOURCES_SUBSCRIBE, uri, options,
                         on_done, userdata, err);
}

int mcp_client_unsubscribe(mcp_client *client, const char *uri,
                           const mcp_request_options *options,
                           mcp_done_cb on_done, void *userdata,
                           mcp_error *err) {
  return subscribe_start(client, MCPI_M_RESOURCES_UNSUBSCRIBE, uri, options,
                         on_done, userdata, err);
}
