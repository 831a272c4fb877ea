/* SPDX-License-Identifier: MIT */
/* A legacy client's session: what initialize agreed on, and what the client has
 * subscribed to. */
#include "server/session.h"

#include "server/members.h"
#include "server/shard.h"

static void session_put_member(const mcp_json *params, const char *name,
                               mcpi_buf *out) {
  const mcp_json *value = mcp_json_get(params, name);
  if (value != NULL) {
    mcpi_put_name_n(out, mcpi_str_z(name));
    mcpi_json_put_value(out, value);
  }
}

/* Copies what is needed of initialize's params: their message may be as large
 * as a client likes. The copy has fewer levels and values than the message. */
static mcpi_message *copy_client(mcpi_shard *shard, const mcp_json *params) {
  const mcp_limits *given = &shard->server->limits;
  const mcpi_message_limits limits = {SIZE_MAX, given->max_depth,
                                      given->max_values};
  mcpi_message *copy = NULL;
  mcpi_buf text;
  mcpi_buf_init(&text, &shard->server->allocator, SIZE_MAX);
  mcpi_buf_putc(&text, '{');
  session_put_member(params, "clientInfo", &text);
  session_put_member(params, "capabilities", &text);
  mcpi_buf_putc(&text, '}');
  if (text.error == 0) {
    mcpi_message_parse(&copy, &shard->loop->pool, text.data, text.len, &limits,
                       NULL);
  }
  mcpi_buf_deinit(&text);
  return copy;
}

mcp_session *mcpi_session_new(mcpi_caller *caller,
                              const mcpi_revision *revision,
                              const mcp_json *params) {
  mcpi_shard *shard = caller->shard;
  mcpi_message *client = copy_client(shard, params);
  if (client == NULL) {
    return NULL;
  }
  mcp_session *session =
      mcpi_calloc(&shard->server->allocator, 1, sizeof(*session));
  if (session == NULL) {
    mcpi_message_unref(client);
    return NULL;
  }
  session->caller = caller;
  session->server = shard->server;
  session->revision = revision;
  mcpi_keep(caller->identity, client);
  mcpi_message_unref(client);
  session->client = client;
  session->client_info = mcp_json_get(client->root, "clientInfo");
  session->client_capabilities = mcp_json_get(client->root, "capabilities");
  session->log_level = MCP_LOG_INFO;
  /* The client chooses the URIs. */
  mcpi_map_init(&session->subscriptions, &shard->server->allocator,
                shard->loop->hash_seed);
  return session;
}

int mcpi_session_assume(mcpi_caller *caller, const mcpi_revision *revision) {
  caller->session = mcpi_session_new(caller, revision, NULL);
  if (caller->session == NULL) {
    return MCP_ERR_NOMEM;
  }
  caller->session->is_initialized = 1;
  return 0;
}

void mcpi_session_note_declared(mcp_session *session) {
  const mcp_server *server = session->server;
  session->declared = atomic_load(&server->declared);
  session->has_logging =
      server->has_logging && !session->caller->rules.is_stateless;
}

void mcpi_session_open(mcp_session *session) {
  const mcp_server_options *options = &session->server->options;
  if (session->is_initialized) {
    return;
  }
  session->is_initialized = 1;
  mcpi_session_ping_start(session);
  if (options->on_session_opened != NULL) {
    options->on_session_opened(session->server, session, options->userdata);
  }
  mcpi_session_ask_roots(session);
}

/* A handshake that was never finished has not opened a session, so nothing is
 * closed. */
void mcpi_session_close(mcp_session *session) {
  const mcp_server_options *options = &session->server->options;
  mcpi_pending_remove(&session->roots);
  mcpi_session_ping_stop(session);
  if (session->is_initialized && !session->caller->rules.is_stateless &&
      options->on_session_closed != NULL) {
    options->on_session_closed(session->server, session, options->userdata);
  }
}

void mcpi_session_use_grant(mcp_session *session, mcpi_grant *grant) {
  mcpi_grant *before = session->grant;
  if (grant != before) {
    session->grant = mcpi_grant_ref(grant);
    mcpi_grant_unref(before);
  }
}

static void free_subscriptions(mcp_session *session) {
  size_t index = 0;
  char *uri;
  while ((uri = mcpi_map_next(&session->subscriptions, &index)) != NULL) {
    mcpi_subscriptions_remove(session->caller, 1,
                              mcpi_subscription_bytes(mcpi_str_z(uri)));
    mcpi_strfree(&session->server->allocator, uri);
  }
  mcpi_map_deinit(&session->subscriptions);
  mcpi_grant_unref(session->grant);
}

void mcpi_session_free(mcp_session *session) {
  if (session == NULL) {
    return;
  }
  free_subscriptions(session);
  mcpi_unkeep(session->caller->identity, session->client);
  mcpi_free(&session->server->allocator, session, sizeof(*session));
}

/* --- what the program asks ---------------------------------------------- */

void mcp_session_set_userdata(mcp_session *session, void *userdata) {
  if (session != NULL) {
    session->userdata = userdata;
  }
}

void *mcp_session_userdata(const mcp_session *session) {
  return session != NULL ? session->userdata : NULL;
}

const char *mcp_session_id(const mcp_session *session) {
  if (session == NULL || session->caller->ops->session_id == NULL) {
    return NULL;
  }
  return session->caller->ops->session_id(session->caller);
}

const char *mcp_session_revision(const mcp_session *session) {
  return session != NULL ? session->revision->name : NULL;
}

const mcp_json *mcp_session_client_info(const mcp_session *session) {
  return session != NULL ? session->client_info : NULL;
}

const mcp_json *mcp_session_client_capabilities(const mcp_session *session) {
  return session != NULL ? session->client_capabilities : NULL;
}
