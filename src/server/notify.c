/* SPDX-License-Identifier: MIT */
/* Notifications that the server sends: to legacy sessions, and to the listens
 * of the modern era that asked for them (MCP, Schema Reference; MCP 2026-07-28,
 * Subscriptions). */
#include "server/listen.h"

#include "server/notify.h"

#include "codec/uri_template_parts.h"
#include "server/call_notify.h"
#include "server/content.h"
#include "server/handlers.h"
#include "server/members.h"

/* Calls `visit` for each of the shard's sessions whose handshake is done. */
static void each_session(mcpi_shard *shard,
                         void (*visit)(mcp_session *session, void *argument),
                         void *argument) {
  for (mcpi_list *link = shard->callers.next; link != &shard->callers;
       link = link->next) {
    mcpi_caller *caller = MCPI_CONTAINER(link, mcpi_caller, link);
    if (caller->session != NULL && caller->session->is_initialized) {
      visit(caller->session, argument);
    }
  }
}

/* --- list-changed ------------------------------------------------------- */

static const char *changed_method(int kind) {
  static const mcpi_method_id methods[] = {
      [MCPI_TOOLS] = MCPI_M_TOOLS_CHANGED,
      [MCPI_PROMPTS] = MCPI_M_PROMPTS_CHANGED,
      [MCPI_RESOURCES] = MCPI_M_RESOURCES_CHANGED,
      [MCPI_TEMPLATES] = MCPI_M_RESOURCES_CHANGED};
  return mcpi_methods[methods[kind]].name;
}

/* The first entry of a kind may come after the handshake: then the client of
 * this session does not know the capability. Resources and templates share one
 * capability. */
static int was_declared(const mcp_session *session, int kind) {
  const uint32_t resources = 1u << MCPI_RESOURCES | 1u << MCPI_TEMPLATES;
  uint32_t bit = 1u << kind;
  return (session->declared & ((bit & resources) != 0 ? resources : bit)) != 0;
}

static void tell_session_changed(mcp_session *session, void *argument) {
  int kind = *(int *)argument;
  if (was_declared(session, kind)) {
    mcpi_caller_notify(session->caller, changed_method(kind), mcpi_str_z(NULL));
  }
}

/* Sends a notification on a listen. `params` is an object or NULL. */
static void tell_listen(mcpi_listen *listen, mcpi_str method,
                        const mcp_json *params) {
  mcpi_buf *out = mcpi_call_notify_begin(listen->call, method);
  mcpi_put_members(out, params, "_meta");
  mcpi_listen_put_meta(listen, mcp_json_get(params, "_meta"), out);
  mcpi_call_notify_end(listen->call, MCPI_SEND_NOTIFICATION);
}

void mcpi_notify_list_changed(mcpi_shard *shard, int kind) {
  mcpi_str method = mcpi_str_z(changed_method(kind));
  each_session(shard, tell_session_changed, &kind);
  for (mcpi_list *link = shard->listens.next; link != &shard->listens;
       link = link->next) {
    mcpi_listen *listen = MCPI_CONTAINER(link, mcpi_listen, link);
    if ((listen->wishes.kinds & 1u << kind) != 0) {
      tell_listen(listen, method, NULL);
    }
  }
}

/* --- resource-updated --------------------------------------------------- */

static void put_uri(mcpi_buf *out, mcpi_str uri) {
  mcpi_put_name(out, "uri");
  mcpi_json_put_string(out, uri);
}

/* A resource that has changed. */
typedef struct update {
  mcpi_shard *shard;
  mcpi_str uri;
  int is_looked_up;  /* the members that follow are known */
  int rc;            /* 0, or MCP_ERR_NOMEM: the entry is not known */
  mcpi_entry *entry; /* what has the URI, a reference; NULL: nothing has it, or
                        nothing needs scopes */
} update;

/* The entry may be newer than a subscription: the program may have added it
 * since. */
static void update_look_up(update *u) {
  mcpi_shard *shard = u->shard;
  mcpi_span spans[MCPI_URI_MAX_VARS];
  mcpi_buf values;
  mcpi_entry *entry = NULL;
  u->is_looked_up = 1;
  mcpi_shard_refresh(shard);
  if (!shard->registries[MCPI_RESOURCES]->has_scopes &&
      !shard->registries[MCPI_TEMPLATES]->has_scopes) {
    return;
  }
  mcpi_buf_init(&values, &shard->server->allocator, SIZE_MAX);
  u->rc = mcpi_resource_find(shard, u->uri, &values, spans, &entry);
  mcpi_buf_deinit(&values);
  if (entry != NULL) {
    u->entry = mcpi_entry_ref(entry);
  }
}

/* The token may have expired since the client used it: then it has no
 * scopes. */
static int update_is_for(update *u, const mcpi_grant *grant) {
  if (grant == NULL) {
    return 1;
  }
  if (!u->is_looked_up) {
    update_look_up(u);
  }
  if (u->entry == NULL) {
    return u->rc == 0;
  }
  int has_expired = mcpi_loop_wall(u->shard->loop) >= grant->expires_ms;
  return mcpi_grant_covers(has_expired ? NULL : grant, u->entry->scopes);
}

static void tell_session_updated(mcp_session *session, void *argument) {
  update *u = argument;
  mcpi_str uri = u->uri;
  mcpi_buf params;
  if (mcpi_map_get(&session->subscriptions, uri) == NULL ||
      !update_is_for(u, session->grant)) {
    return;
  }
  mcpi_buf_init(&params, &session->server->allocator, SIZE_MAX);
  mcpi_buf_putc(&params, '{');
  put_uri(&params, uri);
  mcpi_buf_putc(&params, '}');
  if (params.error == 0) {
    mcpi_caller_notify(session->caller,
                       mcpi_methods[MCPI_M_RESOURCES_UPDATED].name,
                       mcpi_str_n(params.data, params.len));
  }
  mcpi_buf_deinit(&params);
}

static void tell_listen_updated(mcpi_listen *listen, mcpi_str uri) {
  mcpi_buf *out = mcpi_call_notify_begin(
      listen->call, mcpi_str_z(mcpi_methods[MCPI_M_RESOURCES_UPDATED].name));
  put_uri(out, uri);
  mcpi_listen_put_meta(listen, NULL, out);
  mcpi_call_notify_end(listen->call, MCPI_SEND_NOTIFICATION);
}

static int tell_updated(mcpi_shard *shard, mcpi_str uri) {
  update u = {.shard = shard, .uri = uri};
  each_session(shard, tell_session_updated, &u);
  for (mcpi_list *link = shard->listens.next; link != &shard->listens;
       link = link->next) {
    mcpi_listen *listen = MCPI_CONTAINER(link, mcpi_listen, link);
    if (mcpi_wishes_have(&listen->wishes, NULL, uri) &&
        update_is_for(&u, listen->call->grant)) {
      tell_listen_updated(listen, uri);
    }
  }
  mcpi_entry_unref(u.entry);
  return u.rc;
}

int mcp_server_resource_updated(mcp_server *server, const char *uri) {
  if (server == NULL || uri == NULL || uri[0] == '\0' ||
      mcpi_text_check("uri", uri, NULL) != 0) {
    return MCP_ERR_INVALID;
  }
  return mcpi_shards_run(server, tell_updated, mcpi_str_z(uri));
}

/* --- the program's own -------------------------------------------------- */

/* Parses params, an object or NULL. The caller frees *doc. */
static int parse_params(const mcp_server *server, const char *params,
                        mcp_doc **doc) {
  if (params == NULL) {
    return 0;
  }
  int rc = mcpi_doc_parse(doc, params, strlen(params), NULL, &server->allocator,
                          NULL);
  if (rc == 0 && mcp_json_type(mcp_doc_root(*doc)) != MCP_JSON_OBJECT) {
    rc = MCP_ERR_INVALID;
  }
  return rc;
}

/* What every shard gets: the filter, and behind it these texts, each with its
 * NUL. */
typedef struct news {
  const mcpi_listen_filter *filter;
  mcpi_str value;     /* of the filter; empty: it is a boolean */
  mcpi_str principal; /* empty: all principals */
  mcpi_str method;
  mcpi_str params; /* empty: there are none */
} news;

enum { FILTER_SIZE = sizeof(const mcpi_listen_filter *) };

static void put_text(mcpi_buf *out, mcpi_str text) {
  mcpi_buf_puts(out, text);
  mcpi_buf_putc(out, '\0');
}

static int put_news(mcpi_buf *out, const news *n) {
  mcpi_buf_put(out, &n->filter, FILTER_SIZE);
  put_text(out, n->value);
  put_text(out, n->principal);
  put_text(out, n->method);
  put_text(out, n->params);
  return out->error;
}

static mcpi_str take_text(const char **at) {
  mcpi_str text = mcpi_str_z(*at);
  *at += text.len + 1;
  return text;
}

static void read_news(news *n, mcpi_str bytes) {
  const char *at = bytes.ptr + FILTER_SIZE;
  memcpy(&n->filter, bytes.ptr, FILTER_SIZE);
  n->value = take_text(&at);
  n->principal = take_text(&at);
  n->method = take_text(&at);
  n->params = take_text(&at);
}

/* A listen that has ended wants nothing, and has no call. */
static int news_are_for(const news *n, const mcpi_listen *listen) {
  if (!n->filter->has_values) {
    return (listen->wishes.flags & n->filter->bit) != 0;
  }
  return mcpi_wishes_have(&listen->wishes, n->filter, n->value) &&
         (n->principal.len == 0 ||
          mcpi_str_eq(mcpi_str_z(listen->call->principal), n->principal));
}

static void tell_listens(mcpi_shard *shard, const news *n,
                         const mcp_json *params) {
  for (mcpi_list *link = shard->listens.next; link != &shard->listens;
       link = link->next) {
    mcpi_listen *listen = MCPI_CONTAINER(link, mcpi_listen, link);
    if (news_are_for(n, listen)) {
      tell_listen(listen, n->method, params);
    }
  }
}

static int tell_news(mcpi_shard *shard, mcpi_str bytes) {
  news n;
  mcp_doc *doc = NULL;
  read_news(&n, bytes);
  int rc =
      parse_params(shard->server, n.params.len > 0 ? n.params.ptr : NULL, &doc);
  if (rc == 0) {
    tell_listens(shard, &n, mcp_doc_root(doc));
  }
  mcp_doc_free(doc);
  return rc;
}

static int notify_check_method(const char *method) {
  return method == NULL || method[0] == '\0'
             ? MCP_ERR_INVALID
             : mcpi_text_check("method", method, NULL);
}

/* Sends news whose filter has been found. */
static int notify_filter(mcp_server *server, const news *n) {
  mcp_doc *doc = NULL;
  mcpi_buf bytes;
  /* Parsed here, so that the caller learns of faults. */
  int rc = parse_params(server, n->params.ptr, &doc);
  mcp_doc_free(doc);
  mcpi_buf_init(&bytes, &server->allocator, SIZE_MAX);
  if (rc == 0) {
    rc = put_news(&bytes, n);
  }
  if (rc == 0) {
    rc = mcpi_shards_run(server, tell_news, mcpi_str_n(bytes.data, bytes.len));
  }
  mcpi_buf_deinit(&bytes);
  return rc;
}

int mcp_server_notify_listeners(mcp_server *server, const char *filter,
                                const char *method, const char *params) {
  if (server == NULL || filter == NULL || notify_check_method(method) != 0) {
    return MCP_ERR_INVALID;
  }
  const news n = {.filter = mcpi_listen_filter_find(server, mcpi_str_z(filter)),
                  .method = mcpi_str_z(method),
                  .params = mcpi_str_z(params)};
  return n.filter != NULL && !n.filter->has_values ? notify_filter(server, &n)
                                                   : MCP_ERR_NOT_FOUND;
}

int mcp_server_notify_listeners_of(mcp_server *server, const char *filter,
                                   const char *value, const char *principal,
                                   const char *method, const char *params) {
  if (server == NULL || filter == NULL || value == NULL || value[0] == '\0' ||
      mcpi_text_check("value", value, NULL) != 0 ||
      notify_check_method(method) != 0) {
    return MCP_ERR_INVALID;
  }
  const news n = {.filter = mcpi_listen_filter_find(server, mcpi_str_z(filter)),
                  .value = mcpi_str_z(value),
                  .principal = mcpi_str_z(principal),
                  .method = mcpi_str_z(method),
                  .params = mcpi_str_z(params)};
  return n.filter != NULL && n.filter->has_values ? notify_filter(server, &n)
                                                  : MCP_ERR_NOT_FOUND;
}

/* --- one session -------------------------------------------------------- */

static int notify_session(mcp_session *session, const char *method,
                          mcpi_str params) {
  mcpi_shard *shard = session->caller->shard;
  mcpi_shard_enter(shard);
  int rc = mcpi_caller_notify(session->caller, method, params);
  mcpi_shard_leave(shard);
  return rc;
}

int mcp_session_notify(mcp_session *session, const char *method,
                       const char *params) {
  mcpi_buf text;
  int rc = 0;
  if (session == NULL || notify_check_method(method) != 0) {
    return MCP_ERR_INVALID;
  }
  mcpi_buf_init(&text, &session->server->allocator, SIZE_MAX);
  if (params != NULL) {
    rc = mcpi_object_put("params", params, &text, NULL);
  }
  if (rc == 0) {
    rc = text.error;
  }
  if (rc == 0) {
    rc = notify_session(session, method, mcpi_str_n(text.data, text.len));
  }
  mcpi_buf_deinit(&text);
  return rc;
}

int mcp_session_elicitation_complete(mcp_session *session,
                                     const char *elicitation_id) {
  mcpi_buf params;
  if (session == NULL || elicitation_id == NULL ||
      mcpi_text_check("elicitation_id", elicitation_id, NULL) != 0) {
    return MCP_ERR_INVALID;
  }
  if (!mcpi_revision_has(session->revision, MCPI_HAS_ELICIT_ID)) {
    return MCP_ERR_UNSUPPORTED;
  }
  mcpi_buf_init(&params, &session->server->allocator, SIZE_MAX);
  mcpi_buf_putc(&params, '{');
  mcpi_put_string_member(&params, "elicitationId", elicitation_id);
  mcpi_buf_putc(&params, '}');
  int rc = params.error;
  if (rc == 0) {
    rc = notify_session(session, mcpi_methods[MCPI_M_ELICITATION_COMPLETE].name,
                        mcpi_str_n(params.data, params.len));
  }
  mcpi_buf_deinit(&params);
  return rc;
}
