/* SPDX-License-Identifier: MIT */
/* Clients: making, configuring and ending one, and looking at it. */
#include "client/client.h"

#include "client/connect.h"
#include "client/describe.h"
#include "client/keepalive.h"
#include "client/mirror.h"
#include "client/question.h"
#include "client/request.h"
#include "client/subscribe.h"
#include "core/context.h"

enum {
  /* Idle requests kept: more in flight at once are rare. */
  KEEP_REQUESTS = 1024,
  /* Memory of one list's pages: two of the longest messages that are all
   * values, or a hundred thousand tools. */
  MAX_LIST = 64 * 1024 * 1024,
  /* Memory of answers that are kept: a few thousand tools. */
  MAX_CACHE = 4 * 1024 * 1024,
  /* Memory of compiled output schemas: likewise. */
  MAX_OUTPUT_SCHEMAS = 4 * 1024 * 1024
};

/* --- the order of callbacks --------------------------------------------- */

static void destroy(mcp_client *client);

static void note_end(mcp_client *client) {
  mcpi_guard_trip(client->end);
  client->end = NULL;
}

static void tell_closed(mcp_client *client) {
  mcp_error err = client->closed_err;
  client->is_close_due = 0;
  note_end(client);
  mcpi_client_reports_flush(client);
  if (client->options.on_closed != NULL) {
    client->options.on_closed(client, &err, client->options.userdata);
  }
}

/* Completions of a connection come before its end is told. */
static void run_due(mcp_client *client) {
  mcpi_request_deliver_all(client);
  if (client->is_close_due) {
    tell_closed(client);
  }
}

static int has_due(const mcp_client *client) {
  return !mcpi_list_is_empty(&client->finished) || client->is_close_due;
}

/* A freed client's memory stays for those who still stand on it. */
static void step_out(mcp_client *client) {
  client->loop->frames--;
  if (--client->depth > 0) {
    return;
  }
  if (client->is_freed) {
    destroy(client);
    return;
  }
  mcpi_request_trim(client, KEEP_REQUESTS);
}

void mcpi_client_enter(mcp_client *client) {
  client->depth++;
  client->loop->frames++;
}

void mcpi_client_leave(mcp_client *client) {
  while (client->depth == 1 && has_due(client)) {
    run_due(client);
  }
  step_out(client);
}

void mcpi_client_return(mcp_client *client) {
  if (client->depth == 1 && has_due(client)) {
    mcpi_loop_start_timer(client->loop, &client->soon, 0);
  }
  step_out(client);
}

/* Keeps its place in the heap, where there is room: it was just taken out. */
static void on_soon(mcpi_timer *timer) {
  mcp_client *client = MCPI_CONTAINER(timer, mcp_client, soon);
  mcpi_timer_start(&client->loop->timers, timer, INT64_MAX);
  mcpi_client_enter(client);
  mcpi_client_leave(client);
}

/* --- making one --------------------------------------------------------- */

static mcpi_buf *buf_at(mcp_client *client, size_t index) {
  mcpi_buf *const all[] = {&client->identity,     &client->title,
                           &client->profile,      &client->extensions,
                           &client->result_types, &client->roots,
                           &client->context,      &client->scratch};
  return index < sizeof(all) / sizeof(all[0]) ? all[index] : NULL;
}

static void or_default(uint32_t *value, uint32_t general) {
  if (*value == 0) {
    *value = general;
  }
}

static void set_defaults(mcp_client_options *options) {
  or_default(&options->probe_timeout_ms, 5000);
  or_default(&options->connect_timeout_ms, 30000);
  or_default(&options->request_timeout_ms, 60000);
  or_default(&options->max_request_ms, 600000);
  or_default(&options->max_rounds, 10);
  or_default(&options->max_pages, 1000);
  or_default(&options->max_pending, 65536);
  or_default(&options->max_depth, MCPI_JSON_MAX_DEPTH);
  or_default(&options->max_batch, 1024);
  or_default(&options->max_reopens, 10);
  or_default(&options->max_reports, 20);
  if (options->max_values == 0) {
    options->max_values = MCPI_JSON_MAX_VALUES;
  }
  if (options->max_message == 0) {
    options->max_message = MCP_LINE_MAX_DEFAULT;
  }
  if (options->max_list == 0) {
    options->max_list = MAX_LIST;
  }
  if (options->max_cache == 0) {
    options->max_cache = MAX_CACHE;
  }
  if (options->max_output_schemas == 0) {
    options->max_output_schemas = MAX_OUTPUT_SCHEMAS;
  }
}

static void init(mcp_client *client, mcp_loop *loop) {
  mcpi_buf *buf;
  client->loop = loop;
  for (size_t i = 0; (buf = buf_at(client, i)) != NULL; i++) {
    mcpi_buf_init(buf, &loop->allocator, SIZE_MAX);
  }
  mcpi_list_init(&client->active);
  mcpi_list_init(&client->finished);
  mcpi_list_init(&client->idle);
  mcpi_list_init(&client->questions);
  mcpi_list_init(&client->uris);
  mcpi_list_init(&client->watches);
  mcpi_mirror_init(client);
  mcpi_outputs_init(client);
  mcpi_cache_init(client);
  client->soon.on_due = on_soon;
  mcpi_keepalive_init(client);
  set_defaults(&client->options);
  mcpi_client_reports_init(client);
}

mcp_client *mcp_client_new(mcp_loop *loop, const char *name,
                           const char *version) {
  if (loop == NULL) {
    return NULL;
  }
  mcp_client *client = mcpi_calloc(&loop->allocator, 1, sizeof(*client));
  if (client == NULL) {
    return NULL;
  }
  init(client, loop);
  if (mcpi_client_describe_name(client, name, version) != 0 ||
      client->identity.error != 0 ||
      mcpi_timer_start(&loop->timers, &client->soon, INT64_MAX) != 0) {
    destroy(client);
    return NULL;
  }
  return client;
}

/* --- configuring -------------------------------------------------------- */

/* Of "modern 2026-07-28", the revision. What cannot be read is as good as no
 * verdict: it may be of a later version of this library. */
static const mcpi_revision *read_verdict(const char *verdict) {
  const char *blank = verdict != NULL ? strchr(verdict, ' ') : NULL;
  return blank != NULL ? mcpi_revision_find(mcpi_str_z(blank + 1)) : NULL;
}

static int check_policy(const mcp_client_options *options, mcp_error *err) {
  if (options->policy > MCP_POLICY_MODERN) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "policy: %lu is not a value of MCP_POLICY_*",
                         (unsigned long)options->policy);
  }
  if (options->revision == NULL) {
    return 0;
  }
  const mcpi_revision *pinned =
      mcpi_revision_find(mcpi_str_z(options->revision));
  if (pinned == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "revision: \"%s\" is not a revision of the protocol",
                         options->revision);
  }
  if (options->policy != MCP_POLICY_AUTO &&
      mcpi_revision_is_modern(pinned) !=
          (options->policy == MCP_POLICY_MODERN)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "revision: %s is not of the policy's era",
                         options->revision);
  }
  return 0;
}

static int check_options(const mcp_client_options *options, mcp_error *err) {
  if (options->log_level < 0 ||
      (options->log_level > 0 &&
       mcpi_log_level_name(options->log_level) == NULL)) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "log_level: %ld is not a value of MCP_LOG_*",
                         (long)options->log_level);
  }
  if (options->max_depth > MCPI_JSON_MAX_DEPTH) {
    return mcp_error_set(err, MCP_ERR_INVALID, "max_depth %lu is above %d",
                         (unsigned long)options->max_depth,
                         MCPI_JSON_MAX_DEPTH);
  }
  if (options->icons == NULL && options->icon_count > 0) {
    return mcp_error_set(err, MCP_ERR_INVALID, "icons: NULL");
  }
  return check_policy(options, err);
}

static void take_options(mcp_client *client,
                         const mcp_client_options *options) {
  client->pinned = options->revision != NULL
                       ? mcpi_revision_find(mcpi_str_z(options->revision))
                       : NULL;
  client->guess = read_verdict(options->verdict);
  client->log_level = options->log_level;
  client->options = *options;
  client->options.title = NULL;
  client->options.description = NULL;
  client->options.website_url = NULL;
  client->options.icons = NULL;
  client->options.revision = NULL;
  client->options.verdict = NULL;
  client->options.extensions = NULL;
  client->options.result_types = NULL;
  set_defaults(&client->options);
}

int mcp_client_configure(mcp_client *client, const mcp_client_options *options,
                         mcp_error *err) {
  mcp_client_options all;
  if (client == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID, "client is NULL");
  }
  if (mcpi_widen(&all, sizeof(all), options, "mcp_client_options", err) != 0) {
    return MCP_ERR_INVALID;
  }
  if (client->state != MCPI_CLIENT_IDLE) {
    return mcp_error_set(err, MCP_ERR_BUSY, "connected already");
  }
  int rc = check_options(&all, err);
  if (rc == 0) {
    rc = mcpi_client_describe_options(client, &all, err);
  }
  if (rc == 0) {
    take_options(client, &all);
  }
  return rc;
}

/* --- ending one --------------------------------------------------------- */

static void destroy(mcp_client *client) {
  mcp_loop *loop = client->loop;
  mcpi_buf *buf;
  mcpi_loop_stop_timer(loop, &client->soon);
  mcpi_request_trim(client, 0);
  for (size_t i = 0; (buf = buf_at(client, i)) != NULL; i++) {
    mcpi_buf_deinit(buf);
  }
  mcpi_form_rules_deinit(&client->form_rules);
  mcpi_free(&loop->allocator, client, sizeof(*client));
}

/* The wire closes and releases the transport. */
static void drop_connection(mcp_client *client) {
  mcpi_keepalive_stop(client);
  mcpi_handshake_forget(client);
  mcpi_subscribe_forget_all(client);
  mcpi_mirror_forget(client);
  mcpi_outputs_forget(client);
  mcpi_cache_clear(client);
  client->is_close_due = 0;
  if (client->state != MCPI_CLIENT_IDLE) {
    client->state = MCPI_CLIENT_IDLE;
    mcpi_wire_deinit(&client->wire);
  }
}

/* Handlers' data may go with the client. */
static void drop_handlers(mcp_client *client) {
  client->options = (mcp_client_options){0};
  set_defaults(&client->options);
}

void mcpi_client_fail_all(mcp_client *client, const mcp_error *err) {
  mcpi_question_forget_all(client);
  while (!mcpi_list_is_empty(&client->active)) {
    mcpi_request_fail(MCPI_CONTAINER(client->active.next, mcpi_request, link),
                      err);
  }
}

void mcpi_client_hang_up(mcp_client *client, const mcp_error *err) {
  if (client->state == MCPI_CLIENT_IDLE ||
      client->state == MCPI_CLIENT_CLOSING) {
    return;
  }
  client->state = MCPI_CLIENT_CLOSING;
  client->closed_err = *err;
  mcpi_keepalive_stop(client);
  mcpi_client_fail_all(client, err);
  mcpi_wire_close(&client->wire);
}

void mcp_client_close(mcp_client *client) {
  if (client == NULL) {
    return;
  }
  mcp_error err;
  int is_ours = client->state == MCPI_CLIENT_CONNECTING ||
                client->state == MCPI_CLIENT_OPEN;
  mcp_error_set(&err, MCP_ERR_CLOSED, "closed by this program");
  mcpi_client_enter(client);
  mcpi_client_hang_up(client, &err);
  if (is_ours) {
    client->closed_err.code = 0; /* for on_closed: nothing went wrong */
  }
  mcpi_client_return(client);
}

void mcp_client_free(mcp_client *client) {
  if (client == NULL || client->is_freed) {
    return;
  }
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_CLOSED, "the client is freed");
  client->is_freed = 1;
  note_end(client);
  mcpi_client_enter(client);
  mcpi_client_fail_all(client, &err);
  mcpi_request_deliver_all(client);
  drop_handlers(client);
  mcpi_client_reports_stop(client);
  drop_connection(client);
  step_out(client);
}

/* --- looking at one ----------------------------------------------------- */

int mcpi_client_is_open(const mcp_client *client) {
  return client->state == MCPI_CLIENT_OPEN && !client->is_freed;
}

int mcpi_client_is_modern(const mcp_client *client) {
  return client->revision != NULL && mcpi_revision_is_modern(client->revision);
}

int mcpi_client_has_streams(const mcp_client *client) {
  const mcp_transport *transport = client->wire.transport;
  return transport != NULL &&
         (transport->flags & MCP_TRANSPORT_PER_REQUEST_STREAM) != 0;
}

int mcpi_client_fail(mcp_client *client, int rc) {
  if (client->error.code != rc) {
    mcp_error_set(&client->error, rc, "%s", mcp_error_text(rc));
  }
  return rc;
}

static int blame(const char *name, const mcp_error *why, mcp_error *err) {
  if (why->code == MCP_ERR_NOMEM) {
    return mcp_error_set(err, MCP_ERR_NOMEM, "out of memory");
  }
  mcp_error_set(err, MCP_ERR_INVALID, "%s: %s at byte %llu", name, why->message,
                (unsigned long long)why->offset);
  if (err != NULL) {
    err->offset = why->offset;
  }
  return MCP_ERR_INVALID;
}

int mcpi_client_parse(mcp_client *client, const char *name, mcpi_str text,
                      mcpi_message **out, mcp_error *err) {
  static const mcpi_message_limits limits = {SIZE_MAX, MCPI_JSON_MAX_DEPTH,
                                             MCPI_JSON_MAX_VALUES};
  mcpi_message *message;
  mcp_error why;
  if (mcpi_message_parse(&message, &client->loop->pool, text.ptr, text.len,
                         &limits, &why) != 0) {
    return blame(name, &why, err);
  }
  int type = mcp_json_type(message->root);
  if (type != MCP_JSON_OBJECT) {
    mcpi_message_unref(message);
    return mcp_error_set(err, MCP_ERR_INVALID, "%s: JSON %s, not an object",
                         name, mcp_json_type_name(type));
  }
  *out = message;
  return 0;
}

const mcp_error *mcp_client_error(const mcp_client *client) {
  return client != NULL && client->error.code != 0 ? &client->error : NULL;
}

mcp_loop *mcp_client_loop(const mcp_client *client) {
  return client != NULL ? client->loop : NULL;
}

const char *mcp_client_session_id(const mcp_client *client) {
  return client != NULL ? mcpi_wire_session_id(&client->wire) : NULL;
}

const char *mcp_client_revision(const mcp_client *client) {
  return client != NULL && client->revision != NULL ? client->revision->name
                                                    : NULL;
}

const mcp_json *mcp_client_server_info(const mcp_client *client) {
  return client != NULL ? client->server_info : NULL;
}

const mcp_json *mcp_client_server_capabilities(const mcp_client *client) {
  return client != NULL ? client->server_capabilities : NULL;
}

const char *mcp_client_instructions(const mcp_client *client) {
  return client != NULL ? mcp_json_string(mcp_json_get(client->server_about,
                                                       "instructions"))
                        : NULL;
}

int mcp_client_server_has(const mcp_client *client, const char *capability) {
  return client != NULL && capability != NULL &&
         mcpi_capability_has(client->server_capabilities, capability);
}

const char *mcp_client_verdict(const mcp_client *client) {
  return client != NULL && client->revision != NULL ? client->revision->verdict
                                                    : NULL;
}
