/* SPDX-License-Identifier: MIT */
/* The ways to reply (mcp/call.h, the reply). As with the pieces, any thread
 * that holds the call may run these: mcpi_call_submit sees to the rest. */
#include "base/widen.h"
#include "server/members.h"
#include "server/reply.h"

#include <math.h>

enum {
  TOOL = 1 << MCPI_REPLY_KIND_TOOL,
  OTHER = 1 << MCPI_REPLY_KIND_OTHER,
  ALL = TOOL | 1 << MCPI_REPLY_KIND_PROMPT | 1 << MCPI_REPLY_KIND_RESOURCE |
        1 << MCPI_REPLY_KIND_COMPLETION | OTHER
};

/* --- results ------------------------------------------------------------ */

int mcp_call_reply(mcp_call *call) {
  int rc = mcpi_reply_check(call, ALL, "mcp_call_reply");
  return rc != 0 ? rc : mcpi_call_submit(call);
}

int mcp_call_reply_text(mcp_call *call, const char *text) {
  int rc = mcpi_call_add_text(call, "mcp_call_reply_text", text,
                              mcpi_str_z(text).len);
  return rc != 0 ? rc : mcpi_call_submit(call);
}

int mcp_call_reply_text_n(mcp_call *call, const char *text, size_t len) {
  int rc = mcpi_call_add_text(call, "mcp_call_reply_text_n", text, len);
  return rc != 0 ? rc : mcpi_call_submit(call);
}

int mcp_call_reply_textf(mcp_call *call, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int rc = mcpi_call_add_text_v(call, "mcp_call_reply_textf", format, args);
  va_end(args);
  return rc != 0 ? rc : mcpi_call_submit(call);
}

/* Numbers that JSON cannot write have their JavaScript names. */
static mcpi_str number_text(double number, mcpi_buf *buf) {
  if (isnan(number)) {
    return MCPI_STR("NaN");
  }
  if (isinf(number)) {
    return number > 0 ? MCPI_STR("Infinity") : MCPI_STR("-Infinity");
  }
  mcpi_json_put_number(buf, number);
  return mcpi_str_n(buf->data, buf->len);
}

int mcp_call_reply_number(mcp_call *call, double number) {
  char space[32]; /* the longest is -1.7976931348623157e308 */
  mcpi_buf buf = {.data = space, .cap = sizeof(space), .max = sizeof(space)};
  mcpi_str text = number_text(number, &buf);
  int rc =
      mcpi_call_add_text(call, "mcp_call_reply_number", text.ptr, text.len);
  return rc != 0 ? rc : mcpi_call_submit(call);
}

int mcp_call_reply_structured(mcp_call *call, const char *json) {
  int rc = mcpi_call_set_structured(call, "mcp_call_reply_structured", json);
  return rc != 0 ? rc : mcpi_call_submit(call);
}

int mcp_call_reply_builder(mcp_call *call, mcp_builder *builder) {
  size_t len;
  int rc = mcpi_reply_check(call, TOOL, "mcp_call_reply_builder");
  if (rc != 0) {
    return rc;
  }
  const char *text = mcp_builder_text(builder, &len);
  if (text == NULL) {
    return mcpi_reply_fail_builder(call, builder);
  }
  mcpi_buf_clear(&call->tail);
  mcpi_buf_put(&call->tail, text, len);
  call->structured = MCPI_STRUCTURED_COPIED;
  rc = mcpi_reply_check_buf(call, &call->tail);
  return rc != 0 ? rc : mcpi_call_submit(call);
}

int mcp_call_reply_json(mcp_call *call, const char *json) {
  int rc = mcpi_reply_check(call, OTHER, "mcp_call_reply_json");
  if (rc == 0) {
    rc = mcpi_reply_check_text(call, "the result", json, mcpi_str_z(json).len);
  }
  if (rc != 0) {
    return rc;
  }
  mcpi_buf_clear(&call->tail);
  mcpi_buf_puts(&call->tail, mcpi_str_z(json));
  rc = mcpi_reply_check_buf(call, &call->tail);
  return rc != 0 ? rc : mcpi_call_submit(call);
}

/* --- failures ----------------------------------------------------------- */

static int submit_error(mcp_call *call, int code, mcpi_str message) {
  mcpi_str data = mcpi_str_n(call->error_data.data, call->error_data.len);
  mcpi_reply_prepare_error(call, code, message, data);
  return mcpi_call_submit(call);
}

/* The client does not get this text, so the report has it. */
static int fail_late(mcp_call *call, const char *what, mcpi_str text) {
  return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                        "%s: the call has its reply already, and can have only "
                        "one: the client does not get \"%.*s\"",
                        what, (int)(text.len < 100 ? text.len : 100), text.ptr);
}

/* Only a tool's result can say that it failed. */
static int reply_failure(mcp_call *call, const char *what, mcpi_str text) {
  if (mcpi_call_has_reply(call)) {
    return fail_late(call, what, text);
  }
  if (call->reply_kind != MCPI_REPLY_KIND_TOOL) {
    mcpi_buf_clear(&call->error_data);
    return submit_error(call, MCP_RPC_INTERNAL_ERROR, text);
  }
  int rc = mcpi_call_add_text(call, what, text.ptr, text.len);
  if (rc != 0) {
    return rc;
  }
  call->is_failure = 1;
  return mcpi_call_submit(call);
}

int mcp_call_reply_failure(mcp_call *call, const char *format, ...) {
  if (call == NULL) {
    return MCP_ERR_INVALID;
  }
  va_list args;
  va_start(args, format);
  mcpi_formatted formatted;
  int rc = mcpi_format_reply(&formatted, call, format, args);
  va_end(args);
  if (rc == 0) {
    rc = reply_failure(call, "mcp_call_reply_failure",
                       mcpi_str_n(formatted.text, formatted.len));
    mcpi_formatted_deinit(&formatted);
  }
  return rc;
}

int mcp_call_reply_failure_n(mcp_call *call, const char *text, size_t len) {
  if (call == NULL) {
    return MCP_ERR_INVALID;
  }
  int rc = 0;
  if (!mcpi_call_has_reply(call)) {
    rc = mcpi_reply_check_text(call, "the text", text, len);
  }
  mcpi_str given = text != NULL ? mcpi_str_n(text, len) : MCPI_STR("");
  return rc != 0 ? rc : reply_failure(call, "mcp_call_reply_failure_n", given);
}

static int put_error_data(mcp_call *call, const char *data) {
  mcp_error why = {.message = "out of memory"};
  mcpi_buf_clear(&call->error_data);
  if (data == NULL) {
    return 0;
  }
  int rc = mcpi_json_put_text(&call->error_data, mcpi_str_z(data), &why);
  if (rc != 0) {
    mcpi_buf_clear(&call->error_data);
    mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR, "the error's data: %s",
                   why.message);
  }
  return rc;
}

/* In a revision that reserves -32020 to -32099 for the specification (MCP
 * 2026-07-28, Base Protocol: Error Codes), returns the code to send in place of
 * a reserved one. */
static int allowed_code(const mcp_call *call, int code) {
  int is_spec_only = code <= -32020 && code >= -32099;
  int is_defined = code == MCP_RPC_HEADER_MISMATCH ||
                   code == MCP_RPC_MISSING_CAPABILITY ||
                   code == MCP_RPC_UNSUPPORTED_VERSION;
  if (!mcpi_revision_has(call->context.revision, MCPI_HAS_RESERVED_CODES)) {
    return code;
  }
  if (code == MCP_RPC_RESOURCE_NOT_FOUND) {
    return MCP_RPC_INVALID_PARAMS;
  }
  return is_spec_only && !is_defined ? MCP_RPC_INTERNAL_ERROR : code;
}

int mcp_call_reply_error(mcp_call *call, int code, const char *message,
                         const char *data) {
  if (call == NULL) {
    return MCP_ERR_INVALID;
  }
  if (mcpi_call_has_reply(call)) {
    return fail_late(call, "mcp_call_reply_error", mcpi_str_z(message));
  }
  int rc = mcpi_reply_check(call, ALL, "mcp_call_reply_error");
  if (rc == 0 && code == 0) {
    rc = mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                        "the error code is 0: give another, such as -32603");
  }
  if (rc == 0) {
    rc = mcpi_reply_check_text(call, "the error's message", message,
                               mcpi_str_z(message).len);
  }
  if (rc == 0) {
    rc = put_error_data(call, data);
  }
  if (rc != 0) {
    return rc;
  }
  int allowed = allowed_code(call, code);
  call->reserved_code = allowed != code ? code : 0;
  return submit_error(call, allowed, mcpi_str_z(message));
}

/* --- URLs that the user must visit, 2025-11-25 -------------------------- */

static int reply_shortcut_check_url(mcp_call *call,
                                    const mcp_url_elicitation *url) {
  if (mcpi_has_reserved(url->reserved)) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                          "reserved is not NULL");
  }
  const struct {
    const char *what;
    const char *text;
  } texts[] = {{"elicitation_id", url->elicitation_id},
               {"url", url->url},
               {"message", url->message}};
  int rc = 0;
  for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]) && rc == 0; i++) {
    rc = mcpi_reply_check_text(call, texts[i].what, texts[i].text,
                               mcpi_str_z(texts[i].text).len);
  }
  return rc;
}

static int check_urls(mcp_call *call, const mcp_url_elicitation *urls,
                      size_t count) {
  if (!mcpi_revision_has(call->context.revision, MCPI_HAS_ELICIT_ID)) {
    return mcpi_call_fail(call, MCP_ERR_UNSUPPORTED, MCP_RPC_INTERNAL_ERROR,
                          "the revision %s has no error for required URLs",
                          call->context.revision->name);
  }
  if (!mcp_call_client_has(call, "elicitation.url")) {
    return mcpi_call_fail(call, MCP_ERR_CAPABILITY, MCP_RPC_INTERNAL_ERROR,
                          "the client lacks the capability elicitation.url");
  }
  if (urls == NULL || count == 0) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                          "no URLs are given");
  }
  int rc = 0;
  for (size_t i = 0; i < count && rc == 0; i++) {
    rc = reply_shortcut_check_url(call, &urls[i]);
  }
  return rc;
}

static void reply_shortcut_put_url(mcpi_buf *out,
                                   const mcp_url_elicitation *url) {
  mcpi_buf_lit(out, "{\"mode\":\"url\"");
  mcpi_put_string_member(out, "elicitationId", url->elicitation_id);
  mcpi_put_string_member(out, "url", url->url);
  mcpi_put_string_member(out, "message", url->message);
  mcpi_buf_putc(out, '}');
}

int mcp_call_reply_urls_required(mcp_call *call,
                                 const mcp_url_elicitation *urls,
                                 size_t count) {
  int rc = mcpi_reply_check(call, ALL, "mcp_call_reply_urls_required");
  if (rc == 0) {
    rc = check_urls(call, urls, count);
  }
  if (rc != 0) {
    return rc;
  }
  mcpi_buf *data = &call->error_data;
  mcpi_buf_clear(data);
  mcpi_buf_lit(data, "{\"elicitations\":[");
  for (size_t i = 0; i < count; i++) {
    mcpi_buf_puts(data, i > 0 ? MCPI_STR(",") : MCPI_STR(""));
    reply_shortcut_put_url(data, &urls[i]);
  }
  mcpi_buf_lit(data, "]}");
  rc = mcpi_reply_check_buf(call, data);
  return rc != 0 ? rc
                 : submit_error(call, MCP_RPC_URL_ELICITATION_REQUIRED,
                                MCPI_STR("the user must visit a URL first"));
}
