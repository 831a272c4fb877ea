/* SPDX-License-Identifier: MIT */
/* The public functions that start a request of one message or a list. */
#include "base/error.h"
#include "client/cached.h"
#include "client/pages.h"
#include "client/params.h"
#include "client/result.h"
#include "client/send.h"
#include "client/settle.h"
#include "client/task_rows.h"
#include "client/tool.h"
#include "core/context.h"
#include <mcp/tasks.h>

static void add_string(mcpi_request *request, const char *name,
                       const char *string) {
  if (request->error == 0) {
    mcpi_request_note(request, mcpi_params_string(&request->bufs.params, name,
                                                  string, request->start_err));
  }
}

/* The same for the member that a transport may repeat (mcp_send_info.name). */
static void client_add_name(mcpi_request *request, const char *member,
                            const char *name) {
  add_string(request, member, name);
  if (request->error == 0) {
    mcpi_request_set_name(request, mcpi_str_z(name));
  }
}

/* NULL: the member is left out. */
static void add_object(mcpi_request *request, const char *name,
                       const char *text) {
  mcp_client *client = request->client;
  mcpi_buf *params = &request->bufs.params;
  if (text != NULL && request->error == 0) {
    mcpi_params_name(params, name);
    mcpi_request_note(
        request,
        mcpi_params_put_object(client, params, name, text, request->start_err));
  }
}

/* Writes the arguments of a tool or prompt. The parsed value stays with the
 * request, for a transport that uses it. */
static void add_arguments(mcpi_request *request, const char *text) {
  mcp_client *client = request->client;
  mcpi_buf *params = &request->bufs.params;
  if (text == NULL || request->error != 0) {
    return;
  }
  int rc = mcpi_client_parse(client, "arguments", mcpi_str_z(text),
                             &request->given, request->start_err);
  if (rc == 0) {
    request->arguments = request->given->root;
    mcpi_params_name(params, "arguments");
    mcpi_json_put_value(params, request->arguments);
  }
  mcpi_request_note(request, rc);
}

static const mcpi_request_kind *client_kind_of(mcpi_method_id id) {
  return id == MCPI_M_TOOLS_CALL ? &mcpi_request_tool : &mcpi_request_plain;
}

/* --- lists -------------------------------------------------------------- */

static int start_list(mcp_client *client, mcpi_method_id id,
                      const mcp_request_options *options, mcp_done_cb on_done,
                      void *userdata, mcp_error *err) {
  mcpi_request *request;
  int rc =
      mcpi_request_open(&request, client, &mcpi_methods[id], &mcpi_request_list,
                        options, on_done, userdata, err);
  if (rc != 0) {
    return rc;
  }
  mcpi_pages_begin(request);
  mcpi_cached_allow(request);
  return mcpi_request_start(request);
}

int mcp_client_list_tools(mcp_client *client,
                          const mcp_request_options *options,
                          mcp_done_cb on_done, void *userdata, mcp_error *err) {
  return start_list(client, MCPI_M_TOOLS_LIST, options, on_done, userdata, err);
}

int mcp_client_list_resources(mcp_client *client,
                              const mcp_request_options *options,
                              mcp_done_cb on_done, void *userdata,
                              mcp_error *err) {
  return start_list(client, MCPI_M_RESOURCES_LIST, options, on_done, userdata,
                    err);
}

int mcp_client_list_resource_templates(mcp_client *client,
                                       const mcp_request_options *options,
                                       mcp_done_cb on_done, void *userdata,
                                       mcp_error *err) {
  return start_list(client, MCPI_M_TEMPLATES_LIST, options, on_done, userdata,
                    err);
}

int mcp_client_list_prompts(mcp_client *client,
                            const mcp_request_options *options,
                            mcp_done_cb on_done, void *userdata,
                            mcp_error *err) {
  return start_list(client, MCPI_M_PROMPTS_LIST, options, on_done, userdata,
                    err);
}

/* --- using what the server offers --------------------------------------- */

static int start_named(mcp_client *client, mcpi_method_id id,
                       const mcpi_request_kind *kind, const char *name,
                       const char *arguments,
                       const mcp_request_options *options, mcp_done_cb on_done,
                       void *userdata, mcp_error *err) {
  mcpi_request *request;
  int rc = mcpi_request_open(&request, client, &mcpi_methods[id], kind, options,
                             on_done, userdata, err);
  if (rc != 0) {
    return rc;
  }
  client_add_name(request, "name", name);
  add_arguments(request, arguments);
  if (id == MCPI_M_TOOLS_CALL) {
    mcpi_tool_choose_task(request);
  }
  return mcpi_request_start(request);
}

int mcp_client_call_tool(mcp_client *client, const char *name,
                         const char *arguments,
                         const mcp_request_options *options,
                         mcp_done_cb on_done, void *userdata, mcp_error *err) {
  return start_named(client, MCPI_M_TOOLS_CALL, &mcpi_request_tool, name,
                     arguments, options, on_done, userdata, err);
}

int mcp_client_start_task(mcp_client *client, const char *name,
                          const char *arguments,
                          const mcp_request_options *options,
                          mcp_done_cb on_done, void *userdata, mcp_error *err) {
  int rc = mcpi_task_check_use(client, err);
  if (rc != 0) {
    return rc;
  }
  return start_named(client, MCPI_M_TOOLS_CALL, &mcpi_request_task, name,
                     arguments, options, on_done, userdata, err);
}

int mcp_client_get_prompt(mcp_client *client, const char *name,
                          const char *arguments,
                          const mcp_request_options *options,
                          mcp_done_cb on_done, void *userdata, mcp_error *err) {
  return start_named(client, MCPI_M_PROMPTS_GET, &mcpi_request_plain, name,
                     arguments, options, on_done, userdata, err);
}

int mcp_client_read_resource(mcp_client *client, const char *uri,
                             const mcp_request_options *options,
                             mcp_done_cb on_done, void *userdata,
                             mcp_error *err) {
  mcpi_request *request;
  int rc =
      mcpi_request_open(&request, client, &mcpi_methods[MCPI_M_RESOURCES_READ],
                        &mcpi_request_plain, options, on_done, userdata, err);
  if (rc != 0) {
    return rc;
  }
  client_add_name(request, "uri", uri);
  mcpi_cached_allow(request);
  return mcpi_request_start(request);
}

/* --- completion --------------------------------------------------------- */

static void put_ref(mcpi_request *request, const char *type, const char *ref) {
  mcpi_buf *params = &request->bufs.params;
  int is_prompt = type != NULL && strcmp(type, "ref/prompt") == 0;
  if (!is_prompt && (type == NULL || strcmp(type, "ref/resource") != 0)) {
    mcpi_request_note(
        request, mcp_error_set(request->start_err, MCP_ERR_INVALID,
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

static void client_put_argument(mcpi_request *request, const char *argument,
                                const char *value) {
  mcpi_buf *params = &request->bufs.params;
  mcpi_params_name(params, "argument");
  mcpi_buf_putc(params, '{');
  add_string(request, "name", argument);
  add_string(request, "value", value);
  mcpi_buf_putc(params, '}');
}

/* Older revisions have no such member: their suggestions are less exact. */
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
                        void *userdata, mcp_error *err) {
  mcpi_request *request;
  int rc =
      mcpi_request_open(&request, client, &mcpi_methods[MCPI_M_COMPLETE],
                        &mcpi_request_plain, options, on_done, userdata, err);
  if (rc != 0) {
    return rc;
  }
  put_ref(request, ref_type, ref);
  client_put_argument(request, argument, value);
  put_context(request, arguments);
  return mcpi_request_start(request);
}

/* --- logging, ping, discovery ------------------------------------------- */

/* In the modern era the client sends the level with each request. */
static int set_own_level(mcp_client *client, int level, mcpi_request *request) {
  mcpi_client_enter(client);
  client->log_level = level;
  mcpi_request_succeed(request, mcpi_result_empty(&client->loop->pool));
  mcpi_client_return(client);
  return 0;
}

int mcp_client_set_log_level(mcp_client *client, int level,
                             const mcp_request_options *options,
                             mcp_done_cb on_done, void *userdata,
                             mcp_error *err) {
  mcpi_request *request;
  const char *name = level > 0 ? mcp_log_level_name(level) : NULL;
  if (client == NULL) {
    return mcpi_error_null(err, "client");
  }
  if (name == NULL) {
    return mcp_error_set(err, MCP_ERR_INVALID,
                         "level: %d is not a value of MCP_LOG_*", level);
  }
  int is_modern = mcpi_client_is_modern(client);
  int rc = mcpi_request_open(
      &request, client, is_modern ? NULL : &mcpi_methods[MCPI_M_SET_LEVEL],
      &mcpi_request_plain, options, on_done, userdata, err);
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
  /* Nothing is done after a success: a trace may have freed the client. */
  if (rc != 0) {
    client->session_level = before;
  }
  return rc;
}

static int start_plain(mcp_client *client, mcpi_method_id id,
                       const mcp_request_options *options, mcp_done_cb on_done,
                       void *userdata, mcp_error *err) {
  mcpi_request *request;
  int rc =
      mcpi_request_open(&request, client, &mcpi_methods[id],
                        &mcpi_request_plain, options, on_done, userdata, err);
  return rc != 0 ? rc : mcpi_request_start(request);
}

int mcp_client_ping(mcp_client *client, const mcp_request_options *options,
                    mcp_done_cb on_done, void *userdata, mcp_error *err) {
  int is_modern = client != NULL && mcpi_client_is_modern(client);
  return start_plain(client, is_modern ? MCPI_M_DISCOVER : MCPI_M_PING, options,
                     on_done, userdata, err);
}

int mcp_client_discover(mcp_client *client, const mcp_request_options *options,
                        mcp_done_cb on_done, void *userdata, mcp_error *err) {
  return start_plain(client, MCPI_M_DISCOVER, options, on_done, userdata, err);
}

/* --- anything else ------------------------------------------------------ */

/* Returns the member of the params that a transport may repeat, or NULL. The
 * protocol's methods have theirs in the table. */
static const char *find_name_member(const mcpi_request *request) {
  return request->row == NULL && request->name_member != NULL
             ? request->name_member
             : mcpi_method_mirrored(request->method);
}

/* The program's own `_meta` is kept. */
static int client_put_params(mcpi_request *request, const char *params) {
  mcp_client *client = request->client;
  const char *member = find_name_member(request);
  int rc = mcpi_client_parse(client, "params", mcpi_str_z(params),
                             &request->given, request->start_err);
  if (rc != 0) {
    return rc;
  }
  const mcp_json *root = request->given->root;
  mcpi_params_put_values(&request->bufs.params, root, "_meta");
  mcpi_params_put_meta(&request->bufs.meta, mcp_json_get(root, "_meta"));
  request->arguments = mcp_json_get(root, "arguments");
  if (member != NULL) {
    mcpi_request_set_name(request, mcpi_json_member_str(root, member));
  }
  return 0;
}

/* A method of the table has its name there; another name is copied, because the
 * request may be sent again. */
static void set_method(mcpi_request *request, const char *method) {
  mcpi_buf *copy = &request->bufs.method;
  if (request->row == NULL) {
    mcpi_buf_put(copy, method, strlen(method) + 1);
    request->method = mcpi_str_z(copy->error == 0 ? copy->data : NULL);
    mcpi_request_note(request, copy->error);
  }
}

int mcp_client_request(mcp_client *client, const char *method,
                       const char *params, const mcp_request_options *options,
                       mcp_done_cb on_done, void *userdata, mcp_error *err) {
  mcpi_request *request;
  if (mcpi_params_check("method", method, err) != 0) {
    return MCP_ERR_INVALID;
  }
  const mcpi_method *row = mcpi_method_find(mcpi_str_z(method));
  int rc = mcpi_request_open(&request, client, row,
                             row != NULL ? client_kind_of(row->id)
                                         : &mcpi_request_plain,
                             options, on_done, userdata, err);
  if (rc != 0) {
    return rc;
  }
  request->is_raw = 1;
  set_method(request, method);
  if (params != NULL && request->error == 0) {
    mcpi_request_note(request, client_put_params(request, params));
  }
  return mcpi_request_start(request);
}

static int client_check_notification(const mcp_client *client,
                                     const char *method, mcp_error *err) {
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
                         "%s is not a notification of clients in %s", method,
                         client->revision->name);
  }
  return 0;
}

/* What the params say to a transport: the program may write modern `_meta`, and
 * cancel a request itself. */
static mcp_send_info notification_info(const char *method,
                                       const mcp_json *params) {
  const mcp_json *meta = mcp_json_get(params, "_meta");
  mcp_send_info known = {
      .revision = mcp_json_string(mcp_json_get(meta, MCPI_META_VERSION))};
  const mcpi_method *row = mcpi_method_find(mcpi_str_z(method));
  if (row != NULL && row->id == MCPI_M_CANCELLED) {
    int64_t id = mcp_json_int(mcp_json_get(params, "requestId"));
    known.cancels = id > 0 ? (uint64_t)id : 0;
  }
  return known;
}

static int send_notification(mcp_client *client, const char *method,
                             const char *text, mcp_error *err) {
  mcpi_buf *buf = &client->scratch;
  mcpi_message *params = NULL;
  int rc = client_check_notification(client, method, err);
  if (rc == 0 && text != NULL) {
    rc = mcpi_client_parse(client, "params", mcpi_str_z(text), &params, err);
  }
  if (rc != 0) {
    return rc;
  }
  const mcp_json *root = params != NULL ? params->root : NULL;
  const mcp_send_info known = notification_info(method, root);
  mcpi_buf_clear(buf);
  if (root != NULL) {
    mcpi_json_put_value(buf, root);
  }
  rc = buf->error;
  if (rc == 0) {
    rc = mcpi_peer_send_notification(&client->peer, mcpi_str_z(method),
                                     mcpi_buf_str(buf), &known);
  }
  mcpi_message_unref(params);
  return rc;
}

int mcp_client_notify(mcp_client *client, const char *method,
                      const char *params, mcp_error *err) {
  if (client == NULL) {
    return mcpi_error_null(err, "client");
  }
  mcpi_client_enter(client);
  mcpi_error_clear(err);
  int rc = send_notification(client, method, params, err);
  if (rc != 0) {
    mcpi_error_complete(err, rc);
  }
  mcpi_client_return(client);
  return rc;
}
