/* SPDX-License-Identifier: MIT */
#include "client/client.h"

#include "base/error.h"
#include "core/context.h"

/* --- its memory ----------------------------------------------------------- */

static mcpi_buf *client_buf(mcp_client *client, size_t index) {
  mcpi_buf *const all[] = {&client->identity,     &client->title,
                           &client->profile,      &client->extensions,
                           &client->result_types, &client->roots,
                           &client->context,      &client->scratch};
  return index < sizeof(all) / sizeof(all[0]) ? all[index] : NULL;
}

void mcpi_client_init(mcp_client *client, mcp_loop *loop) {
  mcpi_buf *buf;
  client->loop = loop;
  for (size_t i = 0; (buf = client_buf(client, i)) != NULL; i++) {
    mcpi_buf_init(buf, &loop->allocator, SIZE_MAX);
  }
  mcpi_list_init(&client->active);
  mcpi_list_init(&client->finished);
  mcpi_list_init(&client->idle);
  mcpi_list_init(&client->questions);
  mcpi_list_init(&client->question_tasks.list);
  mcpi_list_init(&client->question_tasks.ended);
  mcpi_list_init(&client->uris);
  mcpi_list_init(&client->watches);
  mcpi_map_init(&client->mirrored, &loop->allocator, loop->hash_seed);
  mcpi_outputs_init(&client->outputs, &loop->allocator, loop->hash_seed);
  mcpi_task_tools_init(&client->task_tools, &loop->allocator, loop->hash_seed);
  mcpi_cache_init(&client->cache, &loop->allocator, loop->hash_seed);
}

void mcpi_client_destroy(mcp_client *client) {
  mcp_loop *loop = client->loop;
  mcpi_buf *buf;
  mcpi_loop_stop_timer(loop, &client->soon);
  for (size_t i = 0; (buf = client_buf(client, i)) != NULL; i++) {
    mcpi_buf_deinit(buf);
  }
  mcpi_form_rules_deinit(&client->form_rules);
  mcpi_free(&loop->allocator, client, sizeof(*client));
}

void mcpi_client_forget_hello(mcp_client *client) {
  mcpi_message_unref(client->hello);
  client->hello = NULL;
  client->server_about = NULL;
  client->server_info = NULL;
  client->server_capabilities = NULL;
}

void mcpi_client_trip_end(mcp_client *client) {
  mcpi_guard_trip(client->end);
  client->end = NULL;
}

/* --- its state ------------------------------------------------------------ */

int mcpi_client_is_open(const mcp_client *client) {
  return client->state == MCPI_CLIENT_OPEN && !client->is_freed;
}

int mcpi_client_is_modern(const mcp_client *client) {
  return client->revision != NULL && mcpi_revision_is_modern(client->revision);
}

int mcpi_client_has_streams(const mcp_client *client) {
  const mcp_transport *transport = client->link.transport;
  return transport != NULL &&
         (transport->flags & MCP_TRANSPORT_PER_REQUEST_STREAM) != 0;
}

static int parse_error(const char *name, mcpi_str text, mcp_error *why,
                       mcp_error *err) {
  if (why->code == MCP_ERR_NOMEM) {
    return mcpi_no_memory(err);
  }
  mcpi_json_quote_fault(text.ptr, text.len, why);
  mcp_error_set(err, MCP_ERR_INVALID, "%s: %s", name, why->message);
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
    return parse_error(name, text, &why, err);
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

/* --- looking at one ----------------------------------------------------- */

mcp_loop *mcp_client_loop(const mcp_client *client) {
  return client != NULL ? client->loop : NULL;
}

const char *mcp_client_session_id(const mcp_client *client) {
  return client != NULL ? mcpi_link_session_id(&client->link) : NULL;
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
