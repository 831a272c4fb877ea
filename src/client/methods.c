/* SPDX-License-Identifier: MIT */
/* The public functions that start a request of one message or a list. */
#include "client/list.h"
#include "client/params.h"
#include "client/request.h"
#include "client/result.h"
#include "core/context.h"

static void add_string(mcpi_request *request, const char *name,
                       const char *string) {
  if (request->error == 0) {
    mcpi_request_note(request,
                      mcpi_params_string(&request->bufs.params, name, string,
                                         &request->client->error));
  }
}

/* NULL: the member is left out. */
static void add_object(mcpi_request *request, const char *name,
                       const char *text) {
  mcp_client *client = request->client;
  mcpi_buf *params = &request->bufs.params;
  if (text != NULL && request->error == 0) {
    mcpi_params_name(params, name);
    mcpi_request_note(request, mcpi_params_put_object(client, params, name,
                                                      text, &client->error));
  }
}

/* --- lists -------------------------------------------------------------- */

static int list(mcp_client *client, mcpi_method_id id,
                const mcp_request_options *options, mcp_done_cb on_done,
                void *userdata) {
  mcpi_request *request;
  int rc = mcpi_request_open(&request, client, &mcpi_methods[id], options,
                             on_done, userdata);
  if (rc != 0) {
    return rc;
  }
  request->on_reply = mcpi_pages_reply;
  mcpi_cache_allow(request);
  return mcpi_request_start(request);
}

int mcp_client_list_tools(mcp_client *client,
                          const mcp_request_options *options,
                          mcp_done_cb on_done, void *userdata) {
  return list(client, MCPI_M_TOOLS_LIST, options, on_done, userdata);
}

int mcp_client_list_resources(mcp_client *client,
                              const mcp_request_options *options,
                              mcp_done_cb on_done, void *userdata) {
  return list(client, MCPI_M_RESOURCES_LIST, options, on_done, userdata);
}

int mcp_client_list_resource_templates(mcp_client *client,
                                       const mcp_request_options *options,
                                       mcp_done_cb on_done, void *userdata) {
  return list(client, MCPI_M_TEMPLATES_LIST, options, on_done, userdata);
}

int mcp_client_list_prompts(mcp_client *client,
                            const mcp_request_options *options,
                            mcp_done_cb on_done, void *userdata) {
  return list(client, MCPI_M_PROMPTS_LIST, options, on_done, userdata);
}

/* --- using what the server offers --------------------------------------- */

static int use(mcp_client *client, mcpi_method_id id, const char *name,
               const char *arguments, const mcp_request_options *options,
               mcp_done_cb on_done, void *userdata) {
  mcpi_request *request;
  int rc = mcpi_request_open(&request, client, &mcpi_methods[id], options,
                             on_done, userdata);
  if (rc != 0) {
    return rc;
  }
  add_string(request, "name", name);
  add_object(request, "arguments", arguments);
  if (id == MCPI_M_TOOLS_CALL && request->error == 0) {
    mcpi_buf_put(&request->bufs.tool, name, strlen(name) + 1);
    mcpi_request_note(request, request->bufs.tool.error);
  }
  return mcpi_request_start(request);
}

int mcp_client_call_tool(mcp_client *client, const char *name,
                         const char *arguments,
                         const mcp_request_options *options,
                         mcp_done_cb on_done, void *userdata) {
  return use(client, MCPI_M_TOOLS_CALL, name, arguments, options, on_done,
             userdata);
}

int mcp_client_get_prompt(mcp_client *client, const char *name,
                          const char *arguments,
                          const mcp_request_options *options,
                          mcp_done_cb on_done, void *userdata) {
  return use(client, MCPI_M_PROMPTS_GET, name, arguments, options, on_done,
             userdata);
}

int mcp_client_read_resource(mcp_client *client, const char *uri,
                             const mcp_request_options *options,
                             mcp_done_cb on_done, void *userdata) {
  mcpi_request *request;
  int rc =
      mcpi_request_open(&request, client, &mcpi_methods[MCPI_M_RESOURCES_READ],
                        options, on_done, userdata);
  if (rc != 0) {
    return rc;
  }
  add_string(request, "uri", uri);
  mcpi_cache_allow(request);
  return mcpi_request_start(request);
}

/* --- completion --------------------------------------------------------- */

static void put_ref(mcpi_request *request, const char *type, const char *ref) {
  mcpi_buf *params = &request->bufs.params;
  int is_prompt = type != NULL && strcmp(type, "ref/prompt") == 0;
  if (!is_prompt && (type == NULL || strcmp(type, "ref/resource") != 0)) {
    mcpi_request_note(
        request, mcp_error_set(&request->client->error, MCP_ERR_INVALID,
                               "ref_type: \"%s\" is neither \"ref/prompt\" nor "
                               "\"ref/resource\"",
                               type != NULL ? type : "NULL"));
    return;
  }
  mcpi_params_name(params, "ref");
  mcpi_buf_putc(params, '{');
  add_string(request, "type", type);
  add_string(request, is_prompt ? "name" : "uri", ref);
  mcpi_buf_putc(params, '}');
}

static void put_argument(mcpi_request *request, const char *argument,
                         const char *value) {
  mcpi_buf *params = &request->bufs.params;
  mcpi_params_name(params, "argument");
  mcpi_buf_putc(params, '{');
  add_string(request, "name", argument);
  add_string(request, "value", value);
  mcpi_buf_putc(params, '}');
}

/* Older revisions do without: the suggestions are less exact. */
static void put_context(mcpi_request *request, const char *arguments) {
  mcpi_buf *params = &request->bufs.params;
  if (arguments == NULL || !mcpi_revision_has(request->client->revision,
                                              MCPI_HAS_COMPLETE_CONTEXT)) {
    return;
  }
  mcpi_params_name(params, "context");
  mcpi_buf_putc(params, '{');
  add_object(request, "arguments", arguments);
  mcpi_buf_putc(params, '}');
}

int mcp_client_complete(mcp_client *client, const char *ref_type,
                        const char *ref, const char *argument,
                        const char *value, const char *arguments,
                        const mcp_request_options *options, mcp_done_cb on_done,
                        void *userdata) {
  mcpi_request *request;
  int rc = mcpi_request_open(&request, client, &mcpi_methods[MCPI_M_COMPLETE],
                             options, on_done, userdata);
  if (rc != 0) {
    return rc;
  }
  put_ref(request, ref_type, ref);
  put_argument(request, argument, value);
  put_context(request, arguments);
  return mcpi_request_start(request);
}

/* --- logging, ping, discovery ------------------------------------------- */

/* The level is the client's own affair: it goes with each request. */
static int set_own_level(mcp_client *client, int level, mcpi_request *request) {
  mcpi_client_enter(client);
  client->log_level = level;
  mcpi_request_succeed(request, mcpi_result_empty(client));
  mcpi_client_return(client);
  return 0;
}

int mcp_client_set_log_level(mcp_client *client, int level,
                             const mcp_request_options *options,
                             mcp_done_cb on_done, void *userdata) {
  mcpi_request *request;
  const char *name = level > 0 ? mcpi_log_level_name(level) : NULL;
  if (client == NULL) {
    return MCP_ERR_INVALID;
  }
  if (name == NULL) {
    return mcp_error_set(&client->error, MCP_ERR_INVALID,
                         "level: %d is not a value of MCP_LOG_*", level);
  }
  int is_modern = mcpi_client_is_modern(client);
  int rc = mcpi_request_open(&request, client,
                             is_modern ? NULL : &mcpi_methods[MCPI_M_SET_LEVEL],
                             options, on_done, userdata);
  if (rc != 0) {
    return rc;
  }
  if (is_modern) {
    return set_own_level(client, level, request);
  }
  add_string(request, "level", name);
  int before = client->session_level;
  client->session_level = level;
  rc = mcpi_request_start(request);
  if (rc != 0) { /* else a trace may have freed the client */
    client->session_level = before;
  }
  return rc;
}

static int ask(mcp_client *client, mcpi_method_id id,
               const mcp_request_options *options, mcp_done_cb on_done,
               void *userdata) {
  mcpi_request *request;
  int rc = mcpi_request_open(&request, client, &mcpi_methods[id], options,
                             on_done, userdata);
  return rc != 0 ? rc : mcpi_request_start(request);
}

int mcp_client_ping(mcp_client *client, const mcp_request_options *options,
                    mcp_done_cb on_done, void *userdata) {
  int is_modern = client != NULL && mcpi_client_is_modern(client);
  return ask(client, is_modern ? MCPI_M_DISCOVER : MCPI_M_PING, options,
             on_done, userdata);
}

int mcp_client_discover(mcp_client *client, const mcp_request_options *options,
                        mcp_done_cb on_done, void *userdata) {
  return ask(client, MCPI_M_DISCOVER, options, on_done, userdata);
}

/* --- anything else ------------------------------------------------------ */

/* The program's own `_meta` is not lost. */
static int put_params(mcpi_request *request, const char *params) {
  mcpi_message *message;
  mcp_client *client = request->client;
  int rc = mcpi_client_parse(client, "params", mcpi_str_z(params), &message,
                             &client->error);
  if (rc == 0) {
    mcpi_params_put_values(&request->bufs.params, message->root, "_meta");
    mcpi_params_put_meta(&request->bufs.meta,
                         mcp_json_get(message->root, "_meta"));
    mcpi_message_unref(message);
  }
  return rc;
}

int mcp_client_request(mcp_client *client, const char *method,
                       const char *params, const mcp_request_options *options,
                       mcp_done_cb on_done, void *userdata) {
  mcpi_request *request;
  if (client == NULL ||
      mcpi_params_check("method", method, &client->error) != 0) {
    return MCP_ERR_INVALID;
  }
  int rc =
      mcpi_request_open(&request, client, mcpi_method_find(mcpi_str_z(method)),
                        options, on_done, userdata);
  if (rc != 0) {
    return rc;
  }
  request->is_raw = 1;
  request->method = mcpi_str_z(method);
  if (params != NULL) {
    mcpi_request_note(request, put_params(request, params));
  }
  return mcpi_request_start(request);
}

static int check_notification(const mcp_client *client, const char *method,
                              mcp_error *err) {
  int rc = mcpi_params_check("method", method, err);
  if (rc != 0) {
    return rc;
  }
  if (!mcpi_client_is_open(client)) {
    return mcp_error_set(err, MCP_ERR_CLOSED, "not connected");
  }
  const mcpi_method *row = mcpi_method_find(mcpi_str_z(method));
  if (row != NULL && ((row->flags & MCPI_TO_SERVER) == 0 ||
                      (row->flags & MCPI_IS_REQUEST) != 0 ||
                      !mcpi_method_in(row, client->revision))) {
    return mcp_error_set(err, MCP_ERR_UNSUPPORTED,
                         "%s is no notification of a client's in %s", method,
                         client->revision->name);
  }
  return 0;
}

static int send_notification(mcp_client *client, const char *method,
                             const char *params) {
  mcpi_buf *buf = &client->scratch;
  mcpi_buf_clear(buf);
  int rc = check_notification(client, method, &client->error);
  if (rc == 0 && params != NULL) {
    rc = mcpi_params_put_object(client, buf, "params", params, &client->error);
  }
  if (rc == 0) {
    rc = buf->error;
  }
  return rc != 0
             ? rc
             : mcpi_peer_send_notification(&client->peer, mcpi_str_z(method),
                                           mcpi_str_n(buf->data, buf->len));
}

int mcp_client_notify(mcp_client *client, const char *method,
                      const char *params) {
  if (client == NULL) {
    return MCP_ERR_INVALID;
  }
  mcpi_client_enter(client);
  client->error.code = 0;
  int rc = send_notification(client, method, params);
  if (rc != 0) {
    mcpi_client_fail(client, rc);
  }
  mcpi_client_return(client);
  return rc;
}
