/* SPDX-License-Identifier: MIT */
/* A legacy client's session (PROTOCOL 13): what initialize agreed on, and what
 * the client has subscribed to. */
#include "server/server.h"

mcp_session *mcpi_session_new(mcp_connection *connection,
                              const mcpi_revision *revision,
                              mcpi_message *initialize,
                              const mcp_json *params) {
  mcpi_part *part = connection->part;
  mcp_session *session =
      mcpi_calloc(&part->server->allocator, 1, sizeof(*session));
  if (session == NULL) {
    return NULL;
  }
  session->connection = connection;
  session->server = part->server;
  session->revision = revision;
  session->initialize = initialize;
  session->client_info = mcp_json_get(params, "clientInfo");
  session->client_capabilities = mcp_json_get(params, "capabilities");
  session->log_level = MCP_LOG_INFO;
  mcpi_message_ref(initialize);
  /* The client chooses the URIs. */
  mcpi_map_init(&session->subscriptions, &part->server->allocator,
                part->loop->hash_seed);
  return session;
}

void mcpi_session_open(mcp_session *session) {
  const mcp_server_options *options = &session->server->options;
  if (session->is_initialized) {
    return;
  }
  session->is_initialized = 1;
  if (options->on_session_opened != NULL) {
    options->on_session_opened(session->server, session, options->userdata);
  }
  mcpi_session_ask_roots(session);
}

/* A handshake that was never finished opened nothing that could close. */
void mcpi_session_close(mcp_session *session) {
  const mcp_server_options *options = &session->server->options;
  mcpi_pending_remove(&session->roots);
  if (session->is_initialized && options->on_session_closed != NULL) {
    options->on_session_closed(session->server, session, options->userdata);
  }
}

static void free_subscriptions(mcp_session *session) {
  size_t index = 0;
  char *uri;
  while ((uri = mcpi_map_next(&session->subscriptions, &index)) != NULL) {
    mcpi_strfree(&session->server->allocator, uri);
  }
  mcpi_map_deinit(&session->subscriptions);
}

void mcpi_session_free(mcp_session *session) {
  if (session == NULL) {
    return;
  }
  free_subscriptions(session);
  mcpi_message_unref(session->initialize);
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

const char *mcp_session_revision(const mcp_session *session) {
  return session != NULL ? session->revision->name : NULL;
}

const mcp_json *mcp_session_client_info(const mcp_session *session) {
  return session != NULL ? session->client_info : NULL;
}

const mcp_json *mcp_session_client_capabilities(const mcp_session *session) {
  return session != NULL ? session->client_capabilities : NULL;
}
