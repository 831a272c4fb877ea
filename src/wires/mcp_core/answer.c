/* SPDX-License-Identifier: MIT */
#include "wires/mcp_core/answer.h"

#include "core/context.h"

#include <stdio.h>

/* A client's code for an error without a code: the first that JSON-RPC leaves
 * to implementations. */
enum { NO_CODE = -32000 };

static const mcpi_str no_data = {NULL, 0};

/* --- the members of a result -------------------------------------------- */

static void tool_answer_put_member(mcpi_buf *out, const char *name,
                                   const mcp_json *value) {
  mcpi_buf_lit(out, ",\"");
  mcpi_buf_puts(out, mcpi_str_z(name));
  mcpi_buf_lit(out, "\":");
  mcpi_json_put_value(out, value);
}

static int tool_answer_is_object(const mcp_json *value) {
  return mcp_json_type(value) == MCP_JSON_OBJECT;
}

/* The dialect has no use for MCP's own members of _meta. */
static int is_kept_meta(mcpi_str name) {
  return !mcpi_str_eq(name, MCPI_STR(MCPI_META_SERVER_INFO));
}

static void tool_answer_put_meta(mcpi_buf *out, const mcp_json *meta) {
  const char *before = ",\"_meta\":{";
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  mcp_json_iter_init(&iter, tool_answer_is_object(meta) ? meta : NULL);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    if (is_kept_meta(mcpi_json_str(name))) {
      mcpi_buf_puts(out, mcpi_str_z(before));
      mcpi_json_put_value(out, name);
      mcpi_buf_putc(out, ':');
      mcpi_json_put_value(out, value);
      before = ",";
    }
  }
  if (before[1] == '\0') {
    mcpi_buf_putc(out, '}');
  }
}

/* Writes the members that both sides know, after the content. */
static void tool_answer_put_members(mcpi_buf *out, const mcp_json *result) {
  const mcp_json *structured = mcpi_json_get(result, "structuredContent");
  const mcp_json *is_error = mcpi_json_get(result, "isError");
  if (tool_answer_is_object(structured)) {
    tool_answer_put_member(out, "structuredContent", structured);
  }
  if (mcp_json_type(is_error) == MCP_JSON_BOOL) {
    tool_answer_put_member(out, "isError", is_error);
  }
  tool_answer_put_meta(out, mcpi_json_get(result, "_meta"));
}

/* --- a server's --------------------------------------------------------- */

const char mcpi_tool_cannot_ask[] =
    "the tool asks its user something, which the mcp-core dialect cannot";

void mcpi_tool_id_put(mcpi_buf *out, mcpi_id id) {
  if (id.kind == MCPI_ID_NONE) {
    mcpi_buf_lit(out, MCPI_TOOL_NO_ID);
  } else {
    mcpi_id_put(out, id);
  }
}

int mcpi_tool_asks(const mcp_json *result) {
  return mcpi_str_eq(mcpi_json_member_str(result, "resultType"),
                     MCPI_STR("input_required"));
}

void mcpi_tool_result_put(mcpi_buf *out, const mcp_json *result) {
  const mcp_json *content = mcpi_json_get(result, "content");
  mcpi_buf_lit(out, "{\"content\":");
  if (mcp_json_type(content) == MCP_JSON_ARRAY && mcp_json_size(content) > 0) {
    mcpi_json_put_value(out, content);
  } else {
    mcpi_buf_lit(out, "[{\"type\":\"text\",\"text\":\"\"}]");
  }
  tool_answer_put_members(out, result);
  mcpi_buf_putc(out, '}');
}

void mcpi_tool_response_put(mcpi_buf *out, int form, mcpi_str id_text,
                            const mcp_json *result) {
  if (form == MCPI_TOOL_BARE) {
    mcpi_tool_result_put(out, result);
    return;
  }
  mcpi_put_result_head(out, id_text);
  mcpi_tool_result_put(out, result);
  mcpi_buf_putc(out, '}');
}

static void tool_answer_put_error(mcpi_buf *out, mcpi_str id_text, int64_t code,
                                  mcpi_str message, const mcp_json *data) {
  mcpi_buf_lit(out, "{\"jsonrpc\":\"2.0\",\"id\":");
  mcpi_buf_puts(out, id_text);
  mcpi_buf_lit(out, ",\"error\":{\"code\":");
  mcpi_json_put_int(out, code);
  mcpi_buf_lit(out, ",\"message\":");
  mcpi_json_put_string(out,
                       message.len > 0 ? message : MCPI_STR("the call failed"));
  if (data != NULL) {
    tool_answer_put_member(out, "data", data);
  }
  mcpi_buf_lit(out, "}}");
}

void mcpi_tool_error_put(mcpi_buf *out, mcpi_str id_text,
                         const mcp_json *error) {
  int64_t code = MCP_RPC_INTERNAL_ERROR;
  mcp_json_try_int(mcpi_json_get(error, "code"), &code);
  tool_answer_put_error(out, id_text, code,
                        mcpi_json_member_str(error, "message"),
                        mcpi_json_get(error, "data"));
}

void mcpi_tool_refusal_put(mcpi_buf *out, mcpi_str id_text, int code,
                           mcpi_str message) {
  tool_answer_put_error(out, id_text, code, message, NULL);
}

/* --- a client's --------------------------------------------------------- */

/* Writes any value's JSON text as the text of a tool; a string is written
 * without quotes. */
static void put_text_content(mcpi_buf *out, const mcp_json *value) {
  mcpi_buf text;
  mcpi_buf_init(&text, out->allocator, SIZE_MAX);
  mcpi_str string = mcpi_json_str(value);
  if (string.ptr == NULL) {
    mcpi_json_put_value(&text, value);
    string = mcpi_str_n(text.data, text.len);
  }
  mcpi_buf_lit(out, "[{\"type\":\"text\",\"text\":");
  if (text.error != 0) {
    out->error = text.error;
  }
  mcpi_json_put_string(out, string);
  mcpi_buf_lit(out, "}]");
  mcpi_buf_deinit(&text);
}

static int is_there(const mcp_json *value) {
  return value != NULL && mcp_json_type(value) != MCP_JSON_NULL;
}

static int is_item(const mcp_json *item) {
  const mcp_json *text = mcpi_json_get(item, "text");
  return mcpi_json_member_str(item, "type").len > 0 &&
         (text == NULL || mcp_json_type(text) == MCP_JSON_STRING);
}

/* NULL: it is an array of items, possibly empty. */
static const char *content_fault(const mcp_json *content) {
  mcp_json_iter iter;
  const mcp_json *item;
  if (mcp_json_type(content) != MCP_JSON_ARRAY) {
    return "result.content is not an array";
  }
  mcp_json_iter_init(&iter, content);
  while ((item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (!is_item(item)) {
      return "an item of result.content has no type, or its text is not a "
             "string";
    }
  }
  return NULL;
}

/* A failure must not be read as a success because isError has another type. */
static const char *mark_fault(const mcp_json *result) {
  const mcp_json *mark = mcpi_json_get(result, "isError");
  return is_there(mark) && mcp_json_type(mark) != MCP_JSON_BOOL
             ? "result.isError is not a boolean"
             : NULL;
}

static const char *structured_fault(const mcp_json *result) {
  const mcp_json *structured = mcpi_json_get(result, "structuredContent");
  return is_there(structured) && !tool_answer_is_object(structured)
             ? "result.structuredContent is not an object"
             : NULL;
}

static void put_tool_result(mcpi_buf *out, const mcp_json *result) {
  mcpi_json_put_value(out, mcpi_json_get(result, "content"));
  tool_answer_put_members(out, result);
}

static void put_any_result(mcpi_buf *out, const mcp_json *result) {
  const mcp_json *mark = mcpi_json_get(result, "isError");
  put_text_content(out, result);
  if (tool_answer_is_object(result)) {
    tool_answer_put_member(out, "structuredContent", result);
  }
  if (is_there(mark)) {
    tool_answer_put_member(out, "isError", mark);
  }
}

void mcpi_tool_response_put_mcp(mcpi_buf *out, mcpi_str id_text,
                                const mcp_json *result) {
  int is_tools = content_fault(mcpi_json_get(result, "content")) == NULL;
  const char *fault = mark_fault(result);
  if (fault == NULL && is_tools) {
    fault = structured_fault(result);
  }
  if (fault != NULL) {
    mcpi_tool_fault_put_mcp(out, id_text, fault);
    return;
  }
  mcpi_put_result_head(out, id_text);
  mcpi_buf_lit(out, "{\"content\":");
  (is_tools ? put_tool_result : put_any_result)(out, result);
  mcpi_buf_lit(out, ",\"resultType\":\"complete\"}}");
}

void mcpi_tool_error_put_mcp(mcpi_buf *out, mcpi_str id_text,
                             const mcp_json *error) {
  int64_t code = NO_CODE;
  mcpi_str message = mcpi_json_str(error);
  const mcp_json *data = NULL;
  if (tool_answer_is_object(error)) {
    mcp_json_try_int(mcpi_json_get(error, "code"), &code);
    message = mcpi_json_member_str(error, "message");
    data = mcpi_json_get(error, "data");
  }
  tool_answer_put_error(out, id_text, code, message, data);
}

void mcpi_tool_answer_put_mcp(mcpi_buf *out, mcpi_str id_text,
                              const mcp_json *answer) {
  const mcp_json *error = mcpi_json_get(answer, "error");
  const mcp_json *result = mcpi_json_get(answer, "result");
  if (is_there(error)) {
    mcpi_tool_error_put_mcp(out, id_text, error);
  } else {
    mcpi_tool_response_put_mcp(out, id_text,
                               is_there(result) ? result : answer);
  }
}

void mcpi_tool_fault_put_mcp(mcpi_buf *out, mcpi_str id_text,
                             const char *fault) {
  char text[MCP_ERROR_TEXT_SIZE];
  snprintf(text, sizeof(text), "the answer is not the dialect's: %s", fault);
  tool_answer_put_error(out, id_text, NO_CODE, mcpi_str_z(text), NULL);
}

int mcpi_tool_answer_kind(const mcp_json *value) {
  if (mcpi_json_get(value, "id") == NULL &&
      mcpi_json_get(value, "jsonrpc") == NULL) {
    return MCPI_TOOL_NO_ANSWER;
  }
  if (is_there(mcpi_json_get(value, "error"))) {
    return MCPI_TOOL_ERROR;
  }
  return is_there(mcpi_json_get(value, "result")) ? MCPI_TOOL_RESPONSE
                                                  : MCPI_TOOL_NO_ANSWER;
}

static const char *result_fault(const mcp_json *result) {
  const mcp_json *content = mcpi_json_get(result, "content");
  if (mcp_json_size(content) == 0) {
    return "result.content is not an array of at least one item";
  }
  const char *fault = content_fault(content);
  fault = fault != NULL ? fault : mark_fault(result);
  return fault != NULL ? fault : structured_fault(result);
}

static int has_id(const mcp_json *answer, mcpi_str id_text,
                  const mcp_allocator *allocator) {
  mcpi_buf text;
  mcpi_buf_init(&text, allocator, SIZE_MAX);
  mcpi_id_put(&text, mcpi_id_read(mcpi_json_get(answer, "id")));
  int yes =
      text.error == 0 && mcpi_str_eq(mcpi_str_n(text.data, text.len), id_text);
  mcpi_buf_deinit(&text);
  return yes;
}

const char *mcpi_tool_answer_fault(const mcp_json *answer, mcpi_str id_text,
                                   const mcp_allocator *allocator) {
  const mcp_json *result = mcpi_json_get(answer, "result");
  int kind = mcpi_tool_answer_kind(answer);
  if (!mcpi_str_eq(mcpi_json_member_str(answer, "jsonrpc"), MCPI_STR("2.0")) ||
      kind == MCPI_TOOL_NO_ANSWER ||
      (kind == MCPI_TOOL_ERROR && is_there(result))) {
    return "it is neither a toolResponse nor a toolError";
  }
  if (!has_id(answer, id_text, allocator)) {
    return "its id is not the request's";
  }
  return kind == MCPI_TOOL_ERROR ? NULL : result_fault(result);
}

/* --- without a server --------------------------------------------------- */

static void put_initialized(mcpi_buf *out, const mcp_json *params) {
  const mcp_json *version = mcpi_json_get(params, "protocolVersion");
  mcpi_buf_lit(out, "{\"protocolVersion\":");
  mcpi_json_put_value(out, version);
  mcpi_buf_lit(out, ",\"capabilities\":{\"tools\":{}},\"serverInfo\":"
                    "{\"name\":\"mcp-core\",\"version\":\"\"}}}");
}

void mcpi_tool_local_put(mcpi_buf *out, mcpi_str id_text, mcpi_str method,
                         const mcp_json *params) {
  char text[MCP_ERROR_TEXT_SIZE];
  if (mcpi_str_eq(method, MCPI_STR("initialize"))) {
    mcpi_put_result_head(out, id_text);
    put_initialized(out, params);
  } else if (mcpi_str_eq(method, MCPI_STR("server/discover"))) {
    mcpi_put_result_head(out, id_text);
    mcpi_buf_lit(out, "{\"supportedVersions\":");
    mcpi_revision_put_names(out, MCP_ERA_MODERN);
    mcpi_buf_lit(out, ",\"capabilities\":{\"tools\":{}},\"resultType\":"
                      "\"complete\",\"ttlMs\":0,\"cacheScope\":\"private\"}}");
  } else if (mcpi_str_eq(method, MCPI_STR("ping"))) {
    mcpi_put_result_head(out, id_text);
    mcpi_buf_lit(out, "{}}");
  } else {
    snprintf(text, sizeof(text),
             "the mcp-core dialect has no %.*s: it can call tools, by their "
             "names, and nothing else",
             (int)(method.len < 64 ? method.len : 64), method.ptr);
    mcpi_put_error(out, id_text, MCP_RPC_METHOD_NOT_FOUND, mcpi_str_z(text),
                   no_data);
  }
}
