/* SPDX-License-Identifier: MIT */
/* What a handler adds to its reply (mcp/call.h, content). Any thread that holds
 * the call may run these functions: they write only to the call's buffers. */
#include "server/reply.h"

#include "server/content.h"
#include "server/members.h"
#include "json/builder.h"

enum {
  TOOL = 1 << MCPI_REPLY_KIND_TOOL,
  PROMPT = 1 << MCPI_REPLY_KIND_PROMPT,
  RESOURCE = 1 << MCPI_REPLY_KIND_RESOURCE,
  COMPLETION = 1 << MCPI_REPLY_KIND_COMPLETION,
  ALL = TOOL | PROMPT | RESOURCE | COMPLETION | 1 << MCPI_REPLY_KIND_OTHER
};

/* --- checks ------------------------------------------------------------- */

/* A handler need not check every addition, yet its reply must not go out
 * without a piece for which there was no memory: the failure stays in the
 * buffer. */
int mcpi_reply_fail(mcp_call *call, int code, const char *message) {
  if (code == MCP_ERR_NOMEM) {
    call->out.error = code;
  }
  return mcpi_call_fail(call, code, MCP_RPC_INTERNAL_ERROR, "%s", message);
}

int mcpi_reply_check(mcp_call *call, uint32_t kinds, const char *what) {
  if (call == NULL) {
    return MCP_ERR_INVALID;
  }
  if (mcpi_call_has_reply(call)) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                          "%s: the call has its reply already, and can "
                          "have only one",
                          what);
  }
  if ((kinds & 1U << call->reply_kind) == 0) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                          "%s does not fit %.*s", what,
                          (int)call->method_name.len, call->method_name.ptr);
  }
  return 0;
}

int mcpi_reply_check_text(mcp_call *call, const char *what, const char *text,
                          size_t len) {
  if (text == NULL && call->error_answer == MCPI_ANSWER_BAD_ARGUMENT) {
    return call->error.code; /* this is why the handler has no text */
  }
  if (text == NULL) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                          "%s is NULL", what);
  }
  size_t valid = mcpi_utf8_valid_prefix(text, len);
  if (valid < len) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                          "%s is not UTF-8 at byte %zu", what, valid);
  }
  return 0;
}

int mcpi_reply_check_buf(mcp_call *call, const mcpi_buf *buf) {
  return buf->error != 0
             ? mcpi_reply_fail(call, buf->error, mcp_error_text(buf->error))
             : 0;
}

static int check_string(mcp_call *call, const char *what, const char *string) {
  return mcpi_reply_check_text(call, what, string, mcpi_str_z(string).len);
}

/* --- blocks and messages ------------------------------------------------ */

/* Writes what precedes a piece: the result's beginning or a comma, and the
 * message of a prompt around it. */
static void begin_piece(mcp_call *call) {
  mcpi_reply_open(call);
  if (call->piece_count > 0) {
    mcpi_buf_putc(&call->out, ',');
  }
  if (call->reply_kind == MCPI_REPLY_KIND_PROMPT) {
    mcpi_buf_puts(&call->out,
                  call->role == MCP_ROLE_ASSISTANT
                      ? MCPI_STR("{\"role\":\"assistant\",\"content\":")
                      : MCPI_STR("{\"role\":\"user\",\"content\":"));
  }
}

static int end_piece(mcp_call *call) {
  if (call->reply_kind == MCPI_REPLY_KIND_PROMPT) {
    mcpi_buf_putc(&call->out, '}');
  }
  call->piece_count++;
  return mcpi_reply_check_buf(call, &call->out);
}

int mcp_call_add_content(mcp_call *call, const mcp_content *content) {
  int rc = mcpi_reply_check(call, TOOL | PROMPT, "mcp_call_add_content");
  if (rc != 0) {
    return rc;
  }
  mcp_error why = {.message = "out of memory"};
  size_t from = call->out.len;
  begin_piece(call);
  rc = mcpi_content_put(content, call->context.revision, &call->out, &why);
  if (rc == 0) {
    return end_piece(call);
  }
  if (call->out.error == 0) {
    mcpi_buf_rewind(&call->out, from);
  }
  return mcpi_reply_fail(call, rc, why.message);
}

int mcp_call_add_text(mcp_call *call, const char *text) {
  return mcpi_call_add_text(call, "mcp_call_add_text", text,
                            mcpi_str_z(text).len);
}

/* --- contents of resources ---------------------------------------------- */

/* Begins an entry of contents, up to its text or blob. */
static void begin_contents(mcp_call *call, const char *uri,
                           const char *mime_type) {
  mcpi_str asked = mcpi_json_member_str(call->params, "uri");
  begin_piece(call);
  mcpi_buf_lit(&call->out, "{\"uri\":");
  mcpi_json_put_string(&call->out, uri != NULL ? mcpi_str_z(uri) : asked);
  if (mime_type == NULL && call->entry != NULL) {
    mime_type = call->entry->mime_type;
  }
  mcpi_put_string_member(&call->out, "mimeType", mime_type);
}

static int end_contents(mcp_call *call) {
  if (call->entry != NULL &&
      mcpi_revision_has(call->context.revision, MCPI_HAS_TITLE)) {
    mcpi_put_text_member(&call->out, "_meta", call->entry->content_meta);
  }
  mcpi_buf_putc(&call->out, '}');
  return end_piece(call);
}

static int check_contents(mcp_call *call, const char *what, const char *uri,
                          const char *mime_type) {
  mcp_error why;
  int rc = mcpi_reply_check(call, RESOURCE, what);
  if (rc == 0 && uri != NULL && mcpi_uri_check("uri", uri, &why) != 0) {
    rc = mcpi_reply_fail(call, why.code, why.message);
  }
  if (rc == 0 && mime_type != NULL) {
    rc = check_string(call, "mime_type", mime_type);
  }
  return rc;
}

static int put_contents_text(mcp_call *call, const char *uri,
                             const char *mime_type, mcpi_str text) {
  begin_contents(call, uri, mime_type);
  mcpi_put_name(&call->out, "text");
  mcpi_json_put_string(&call->out, text);
  return end_contents(call);
}

int mcp_call_add_resource_text(mcp_call *call, const char *uri,
                               const char *mime_type, const char *text) {
  int rc = check_contents(call, "mcp_call_add_resource_text", uri, mime_type);
  if (rc == 0) {
    rc = check_string(call, "the text", text);
  }
  return rc != 0 ? rc
                 : put_contents_text(call, uri, mime_type, mcpi_str_z(text));
}

int mcp_call_add_resource_text_n(mcp_call *call, const char *uri,
                                 const char *mime_type, const char *text,
                                 size_t len) {
  int rc = check_contents(call, "mcp_call_add_resource_text_n", uri, mime_type);
  if (rc == 0) {
    rc = mcpi_reply_check_text(call, "the text", text, len);
  }
  return rc != 0
             ? rc
             : put_contents_text(call, uri, mime_type, mcpi_str_n(text, len));
}

int mcp_call_add_resource_data(mcp_call *call, const char *uri,
                               const char *mime_type, const void *data,
                               size_t len) {
  int rc = check_contents(call, "mcp_call_add_resource_data", uri, mime_type);
  if (rc != 0) {
    return rc;
  }
  if (data == NULL && len > 0) {
    return mcpi_reply_fail(call, MCP_ERR_INVALID, "the data is NULL");
  }
  begin_contents(call, uri, mime_type);
  mcpi_put_name(&call->out, "blob");
  mcpi_json_put_base64(&call->out, data, len);
  return end_contents(call);
}

/* --- texts and media ---------------------------------------------------- */

/* This is the usual reply, so it does without an mcp_content. For a resource,
 * the text is its content. */
int mcpi_call_add_text(mcp_call *call, const char *what, const char *text,
                       size_t len) {
  int rc = mcpi_reply_check(call, TOOL | PROMPT | RESOURCE, what);
  if (rc == 0) {
    rc = mcpi_reply_check_text(call, "the text", text, len);
  }
  if (rc != 0) {
    return rc;
  }
  if (call->reply_kind == MCPI_REPLY_KIND_RESOURCE) {
    return put_contents_text(call, NULL, NULL, mcpi_str_n(text, len));
  }
  begin_piece(call);
  mcpi_buf_lit(&call->out, "{\"type\":\"text\",\"text\":");
  mcpi_json_put_string(&call->out, mcpi_str_n(text, len));
  mcpi_buf_putc(&call->out, '}');
  return end_piece(call);
}

int mcp_call_add_text_n(mcp_call *call, const char *text, size_t len) {
  return mcpi_call_add_text(call, "mcp_call_add_text_n", text, len);
}

int mcpi_call_add_text_v(mcp_call *call, const char *what, const char *format,
                         va_list args) {
  int rc = mcpi_reply_check(call, TOOL | PROMPT | RESOURCE, what);
  if (rc != 0) {
    return rc;
  }
  mcpi_formatted formatted;
  rc = mcpi_format_reply(&formatted, call, format, args);
  if (rc == 0) {
    rc = mcpi_call_add_text(call, what, formatted.text, formatted.len);
    mcpi_formatted_deinit(&formatted);
  }
  return rc;
}

int mcp_call_add_textf(mcp_call *call, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int rc = mcpi_call_add_text_v(call, "mcp_call_add_textf", format, args);
  va_end(args);
  return rc;
}

static int add_media(mcp_call *call, int type, const void *data, size_t len,
                     const char *mime_type) {
  const mcp_content content = {.size = sizeof(mcp_content),
                               .type = type,
                               .data = data,
                               .data_len = len,
                               .mime_type = mime_type};
  return mcp_call_add_content(call, &content);
}

int mcp_call_add_image(mcp_call *call, const void *data, size_t len,
                       const char *mime_type) {
  return add_media(call, MCP_CONTENT_IMAGE, data, len, mime_type);
}

int mcp_call_add_audio(mcp_call *call, const void *data, size_t len,
                       const char *mime_type) {
  return add_media(call, MCP_CONTENT_AUDIO, data, len, mime_type);
}

/* --- beside the content ------------------------------------------------- */

int mcp_call_set_role(mcp_call *call, int role) {
  int rc = mcpi_reply_check(call, PROMPT, "mcp_call_set_role");
  if (rc != 0) {
    return rc;
  }
  if (role != MCP_ROLE_USER && role != MCP_ROLE_ASSISTANT) {
    return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                          "role %d is not one of MCP_ROLE_*", role);
  }
  call->role = role;
  return 0;
}

int mcp_call_set_description(mcp_call *call, const char *description) {
  int rc = mcpi_reply_check(call, PROMPT, "mcp_call_set_description");
  if (rc == 0) {
    rc = check_string(call, "the description", description);
  }
  if (rc != 0) {
    return rc;
  }
  mcpi_buf_clear(&call->tail);
  mcpi_json_put_string(&call->tail, mcpi_str_z(description));
  return mcpi_reply_check_buf(call, &call->tail);
}

/* The text is parsed when the reply is finished, in the loop's memory. */
int mcpi_call_set_structured(mcp_call *call, const char *what,
                             const char *json) {
  int rc = mcpi_reply_check(call, TOOL, what);
  if (rc == 0) {
    rc = check_string(call, "the structured result", json);
  }
  if (rc != 0) {
    return rc;
  }
  mcpi_buf_clear(&call->tail);
  mcpi_buf_puts(&call->tail, mcpi_str_z(json));
  call->structured = MCPI_STRUCTURED_TEXT;
  return mcpi_reply_check_buf(call, &call->tail);
}

int mcp_call_set_structured(mcp_call *call, const char *json) {
  return mcpi_call_set_structured(call, "mcp_call_set_structured", json);
}

int mcpi_reply_fail_builder(mcp_call *call, const mcp_builder *builder) {
  const mcp_error *why = mcp_builder_error(builder);
  return mcpi_call_fail(call, why != NULL ? why->code : MCP_ERR_INVALID,
                        MCP_RPC_INTERNAL_ERROR, "structured result: %s",
                        why != NULL
                            ? why->message
                            : "the value is not complete: end each array and "
                              "object");
}

void mcpi_reply_adopt_builder_error(mcp_call *call, int rc) {
  const mcp_error *why = mcp_builder_error(call->builder);
  if (call->structured == MCPI_STRUCTURED_BUILT && call->error.code != rc &&
      why != NULL && why->code == rc) {
    mcpi_reply_fail_builder(call, call->builder);
  }
}

mcp_builder *mcp_call_structured(mcp_call *call) {
  if (mcpi_reply_check(call, TOOL, "mcp_call_structured") != 0) {
    return NULL;
  }
  if (call->builder == NULL) {
    call->builder = mcp_builder_new(&call->shard->server->allocator, NULL);
  }
  if (call->builder == NULL) {
    mcpi_reply_fail(call, MCP_ERR_NOMEM, mcp_error_text(MCP_ERR_NOMEM));
    return NULL;
  }
  mcp_builder_clear(call->builder);
  call->structured = MCPI_STRUCTURED_BUILT;
  return call->builder;
}

int mcp_call_add_completion(mcp_call *call, const char *value) {
  int rc = mcpi_reply_check(call, COMPLETION, "mcp_call_add_completion");
  if (rc == 0) {
    rc = check_string(call, "the value", value);
  }
  if (rc != 0) {
    return rc;
  }
  if (call->piece_count >= MCPI_MAX_COMPLETIONS) {
    call->piece_count++;
    return 0;
  }
  begin_piece(call);
  mcpi_json_put_string(&call->out, mcpi_str_z(value));
  return end_piece(call);
}

int mcp_call_set_cache(mcp_call *call, uint64_t ttl_ms, int is_public) {
  uint32_t kinds = call != NULL && call->own_method != NULL ? ALL : RESOURCE;
  int rc = mcpi_reply_check(call, kinds, "mcp_call_set_cache");
  if (rc != 0) {
    return rc;
  }
  call->has_cache = 1;
  call->cache_ttl_ms = ttl_ms;
  call->cache_is_public = is_public != 0;
  return 0;
}

/* --- _meta -------------------------------------------------------------- */

static int fail_meta_taken(mcp_call *call, mcpi_str key) {
  enum { MAX_KEY = 40 };
  return mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                        "the _meta key \"%.*s\" is taken",
                        (int)(key.len < MAX_KEY ? key.len : MAX_KEY), key.ptr);
}

/* Whether the members so far include one with that name. There are few, and
 * seldom more than one, so they are parsed for this. */
static int has_meta(mcp_call *call, mcpi_str key, int *found) {
  mcpi_buf object;
  mcp_doc *doc = NULL;
  mcpi_buf_init(&object, &call->shard->server->allocator, SIZE_MAX);
  mcpi_buf_putc(&object, '{');
  mcpi_buf_put(&object, call->meta.data, call->meta.len);
  mcpi_buf_putc(&object, '}');
  int rc = object.error;
  if (rc == 0) {
    rc = mcpi_doc_parse(&doc, object.data, object.len, NULL, object.allocator,
                        NULL);
  }
  *found = mcp_json_get_n(mcp_doc_root(doc), key.ptr, key.len) != NULL;
  mcp_doc_free(doc);
  mcpi_buf_deinit(&object);
  return rc != 0 ? mcpi_reply_fail(call, rc, mcp_error_text(rc)) : 0;
}

static int check_meta(mcp_call *call, const char *key) {
  int found = strcmp(key, MCPI_META_SERVER_INFO) == 0;
  int rc = 0;
  if (call->meta.len > 0 && !found) {
    rc = has_meta(call, mcpi_str_z(key), &found);
  }
  if (rc == 0 && (found || key[0] == '\0')) {
    return fail_meta_taken(call, mcpi_str_z(key));
  }
  return rc;
}

int mcpi_reply_check_meta(mcp_call *call, const mcp_json *meta) {
  mcp_json_iter iter;
  const mcp_json *name;
  int rc = 0;
  int found = 0;
  mcp_json_iter_init(&iter, call->meta.len > 0 ? meta : NULL);
  while (rc == 0 && mcp_json_iter_next(&iter, &name) != NULL) {
    rc = has_meta(call, mcpi_json_str(name), &found);
    if (rc == 0 && found) {
      return fail_meta_taken(call, mcpi_json_str(name));
    }
  }
  return rc;
}

static int reply_piece_put_meta(mcp_call *call, const char *key,
                                const char *json) {
  mcp_error why = {.message = "out of memory"};
  size_t from = call->meta.len;
  if (from > 0) {
    mcpi_buf_putc(&call->meta, ',');
  }
  mcpi_json_put_string(&call->meta, mcpi_str_z(key));
  mcpi_buf_putc(&call->meta, ':');
  int rc = mcpi_json_put_text(&call->meta, mcpi_str_z(json), &why);
  if (rc != 0 && call->meta.error == 0) {
    mcpi_buf_rewind(&call->meta, from);
  }
  return rc != 0 ? mcpi_reply_fail(call, rc, why.message) : 0;
}

int mcp_call_set_meta(mcp_call *call, const char *key, const char *json) {
  int rc = mcpi_reply_check(call, ALL, "mcp_call_set_meta");
  if (rc == 0) {
    rc = check_string(call, "the key", key);
  }
  if (rc == 0) {
    rc = check_string(call, "the value", json);
  }
  if (rc == 0) {
    rc = check_meta(call, key);
  }
  return rc != 0 ? rc : reply_piece_put_meta(call, key, json);
}
