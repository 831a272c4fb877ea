/* SPDX-License-Identifier: MIT */
#include "wires/mcp_core/request.h"

#include "base/error.h"
#include "core/context.h"

#include <stdio.h>

/* --- reading ------------------------------------------------------------ */

MCP_PRINTF(3, 4)
static int tool_request_refuse(mcp_error *err, int rpc_code, const char *format,
                               ...) {
  va_list args;
  va_start(args, format);
  mcpi_error_set_v(err, MCP_ERR_PROTOCOL, format, args);
  va_end(args);
  err->status = rpc_code;
  return MCP_ERR_PROTOCOL;
}

/* Uses the words of the validator in the dialect's own package, which its users
 * know. */
static int refuse_member(mcp_error *err, const char *path,
                         const mcp_json *value, const char *wanted) {
  return value == NULL ? tool_request_refuse(err, MCP_RPC_INVALID_REQUEST,
                                             "%s is required", path)
                       : tool_request_refuse(err, MCP_RPC_INVALID_REQUEST,
                                             "%s must be %s", path, wanted);
}

static int read_id(mcpi_tool_request *out, const mcp_json *value,
                   mcp_error *err) {
  mcpi_id id = mcpi_id_read(value);
  if (id.kind == MCPI_ID_NUMBER ||
      (id.kind == MCPI_ID_STRING && mcpi_json_str(value).len > 0)) {
    out->id = id;
    return 0;
  }
  if (mcpi_id_is_too_long(id)) {
    out->id = id; /* only for the answer, which the client waits for */
    return tool_request_refuse(err, MCP_RPC_INVALID_REQUEST,
                               "id must be at most %d bytes long", MCPI_ID_MAX);
  }
  return refuse_member(err, "id", value,
                       "an integer, or a string that is not empty");
}

/* Reads what is called: `object` has the two members, whose paths begin with
 * `where`. */
static int read_tool(mcpi_tool_request *out, const mcp_json *object,
                     const char *where, mcp_error *err) {
  const mcp_json *name = mcpi_json_get(object, "name");
  const mcp_json *arguments = mcpi_json_get(object, "arguments");
  char path[32];
  out->name = mcpi_json_str(name);
  out->arguments = arguments;
  out->object = object;
  if (out->name.len == 0) {
    snprintf(path, sizeof(path), "%sname", where);
    return refuse_member(err, path, name, "a string that is not empty");
  }
  if (arguments != NULL && mcp_json_type(arguments) != MCP_JSON_OBJECT) {
    snprintf(path, sizeof(path), "%sarguments", where);
    return refuse_member(err, path, arguments, "an object");
  }
  return 0;
}

static int tool_request_check_version(const mcp_json *value, mcp_error *err) {
  const mcp_json *version = mcpi_json_get(value, "jsonrpc");
  return mcpi_str_eq(mcpi_json_str(version), MCPI_STR("2.0"))
             ? 0
             : refuse_member(err, "jsonrpc", version, "\"2.0\"");
}

static int tool_request_check_method(const mcp_json *value, mcp_error *err) {
  const mcp_json *method = mcpi_json_get(value, "method");
  mcpi_str name = mcpi_json_str(method);
  if (mcpi_str_eq(name, MCPI_STR("tools/call"))) {
    return 0;
  }
  return name.len == 0
             ? refuse_member(err, "method", method, "\"tools/call\"")
             : tool_request_refuse(
                   err, MCP_RPC_METHOD_NOT_FOUND,
                   "the mcp-core dialect has tools/call alone, not \"%.*s\"",
                   (int)(name.len < 64 ? name.len : 64), name.ptr);
}

static int tool_request_read_envelope(mcpi_tool_request *out,
                                      const mcp_json *value, mcp_error *err) {
  const mcp_json *params = mcpi_json_get(value, "params");
  int rc = tool_request_check_version(value, err);
  rc = rc != 0 ? rc : tool_request_check_method(value, err);
  if (rc == 0 && mcp_json_type(params) != MCP_JSON_OBJECT) {
    rc = refuse_member(err, "params", params, "an object");
  }
  return rc != 0 ? rc : read_tool(out, params, "params.", err);
}

static int tool_request_form_of(const mcp_json *value) {
  if (mcpi_json_get(value, "method") != NULL ||
      mcpi_json_get(value, "params") != NULL) {
    return MCPI_TOOL_ENVELOPE;
  }
  return mcpi_json_get(value, "id") != NULL ? MCPI_TOOL_FRAME : MCPI_TOOL_BARE;
}

/* Refuses a member that occurs twice: programs differ in which they take. */
static int check_duplicates(const mcp_json *object,
                            const mcp_allocator *allocator,
                            const uint64_t seed[2], mcp_error *err) {
  int oom = 0;
  const mcp_json *twice = mcpi_json_duplicate(object, allocator, seed, &oom);
  mcpi_str name = mcpi_json_str(twice);
  if (oom) {
    mcpi_no_memory(err);
    err->status = MCP_RPC_INTERNAL_ERROR;
    return MCP_ERR_NOMEM;
  }
  return twice == NULL
             ? 0
             : tool_request_refuse(
                   err, MCP_RPC_INVALID_REQUEST, "%.*s is there twice",
                   (int)(name.len < 64 ? name.len : 64), name.ptr);
}

static int check_shape(const mcp_json *value, const mcp_allocator *allocator,
                       const uint64_t seed[2], mcp_error *err) {
  const mcp_json *params = mcpi_json_get(value, "params");
  int rc = check_duplicates(value, allocator, seed, err);
  return rc == 0 && mcp_json_type(params) == MCP_JSON_OBJECT
             ? check_duplicates(params, allocator, seed, err)
             : rc;
}

int mcpi_tool_request_read(mcpi_tool_request *out, const mcp_json *value,
                           const mcp_allocator *allocator,
                           const uint64_t seed[2], mcp_error *err) {
  *out = (mcpi_tool_request){.form = MCPI_TOOL_BARE};
  if (mcp_json_type(value) != MCP_JSON_OBJECT) {
    return tool_request_refuse(err, MCP_RPC_INVALID_REQUEST,
                               "a request must be an object");
  }
  out->form = tool_request_form_of(value);
  int rc = 0;
  if (out->form != MCPI_TOOL_BARE) {
    rc = read_id(out, mcpi_json_get(value, "id"), err);
  }
  rc = rc != 0 ? rc : check_shape(value, allocator, seed, err);
  if (rc == 0) {
    rc = out->form == MCPI_TOOL_ENVELOPE
             ? tool_request_read_envelope(out, value, err)
             : read_tool(out, value, "", err);
  }
  out->is_ping = rc == 0 && out->form == MCPI_TOOL_BARE &&
                 out->arguments == NULL &&
                 mcpi_str_eq(out->name, MCPI_STR("ping"));
  return rc;
}

int mcpi_tool_request_is_plain(const mcpi_tool_request *request) {
  size_t count = 1 + (size_t)(request->arguments != NULL) +
                 (size_t)(request->form == MCPI_TOOL_FRAME);
  return mcp_json_size(request->object) == count;
}

/* --- writing ------------------------------------------------------------ */

static void tool_request_put_tool(const mcpi_tool_request *request,
                                  mcpi_buf *out) {
  mcpi_buf_lit(out, "\"name\":");
  mcpi_json_put_string(out, request->name);
  if (request->arguments != NULL) {
    mcpi_buf_lit(out, ",\"arguments\":");
    mcpi_json_put_value(out, request->arguments);
  }
}

/* A modern request names its revision. It declares no capability: with the
 * dialect the server cannot ask anything. */
static void tool_request_put_meta(const mcpi_revision *modern, mcpi_buf *out) {
  mcpi_buf_lit(out, ",\"_meta\":{\"" MCPI_META_VERSION "\":\"");
  mcpi_buf_puts(out, mcpi_str_z(modern->name));
  mcpi_buf_lit(out, "\",\"" MCPI_META_CLIENT_CAPABILITIES "\":{}}");
}

static void put_envelope(const mcpi_tool_request *request, mcpi_str id_text,
                         const mcpi_revision *modern, mcpi_buf *out) {
  mcpi_put_request_head(out, id_text, MCPI_STR("tools/call"));
  mcpi_buf_lit(out, ",\"params\":{");
  tool_request_put_tool(request, out);
  if (modern != NULL) {
    tool_request_put_meta(modern, out);
  }
  mcpi_buf_lit(out, "}}");
}

void mcpi_tool_request_put_mcp(const mcpi_tool_request *request,
                               mcpi_str id_text, const mcpi_revision *modern,
                               mcpi_buf *out) {
  put_envelope(request, id_text, modern, out);
}

void mcpi_tool_request_put(const mcpi_tool_request *request, mcpi_str id_text,
                           mcpi_buf *out) {
  if (request->form == MCPI_TOOL_ENVELOPE) {
    put_envelope(request, id_text, NULL, out);
    return;
  }
  mcpi_buf_putc(out, '{');
  if (request->form == MCPI_TOOL_FRAME) {
    mcpi_buf_lit(out, "\"id\":");
    mcpi_buf_puts(out, id_text);
    mcpi_buf_putc(out, ',');
  }
  tool_request_put_tool(request, out);
  mcpi_buf_putc(out, '}');
}
