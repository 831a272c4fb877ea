/* SPDX-License-Identifier: MIT */
/* The shape of replies. A reply is assembled once, in call->out:
 *
 *   {"jsonrpc":"2.0","id":7,"result":{"content":[   at the first piece
 *   {"type":"text","text":"3"}                      piece by piece
 *   ],"structuredContent":...                       when it is finished,
 *   ,"resultType":...,"_meta":{...}}}               as the revision has it
 *
 * Any thread that holds the call may add to the reply. Only the loop's thread
 * may finish it, because finishing parses into the loop's blocks. */
#include "server/reply.h"

#include "schema/validator.h"
#include "server/members.h"

/* --- errors ------------------------------------------------------------- */

void mcpi_reply_prepare_error(mcp_call *call, int rpc_code, mcpi_str message,
                              mcpi_str data) {
  mcpi_str id = mcpi_str_n(call->id.data, call->id.len);
  mcpi_buf_clear(&call->out);
  mcpi_put_error(&call->out, id, rpc_code, message, data);
  call->rpc_code = rpc_code;
}

int mcpi_reply_error(mcp_call *call, int rpc_code, mcpi_str message,
                     mcpi_str data) {
  mcpi_reply_prepare_error(call, rpc_code, message, data);
  return mcpi_call_send(call);
}

/* --- the beginning ------------------------------------------------------ */

static void reply_put_head(mcp_call *call) {
  mcpi_put_result_head(&call->out, mcpi_str_n(call->id.data, call->id.len));
  call->result_at = call->out.len;
  mcpi_buf_putc(&call->out, '{');
}

void mcpi_reply_begin(mcp_call *call) {
  mcpi_buf_clear(&call->out);
  reply_put_head(call);
}

/* A failure of the buffer is kept: if content was lost, a later piece that fits
 * must not hide that. */
void mcpi_reply_open(mcp_call *call) {
  static const mcpi_str openings[] = {
      [MCPI_REPLY_KIND_TOOL] = {"\"content\":[", 11},
      [MCPI_REPLY_KIND_PROMPT] = {"\"messages\":[", 12},
      [MCPI_REPLY_KIND_RESOURCE] = {"\"contents\":[", 12},
      [MCPI_REPLY_KIND_COMPLETION] = {"\"completion\":{\"values\":[", 24},
      [MCPI_REPLY_KIND_OTHER] = {"", 0}};
  if (call->out.len == 0 && call->out.error == 0) {
    reply_put_head(call);
    mcpi_buf_puts(&call->out, openings[call->reply_kind]);
    call->flushed_len = call->out.len;
  }
}

void mcpi_reply_reset(mcp_call *call) {
  mcpi_buf_clear(&call->out);
  mcpi_buf_clear(&call->tail);
  mcpi_buf_clear(&call->meta);
  mcpi_buf_clear(&call->error_data);
  call->role = MCP_ROLE_USER;
  call->piece_count = 0;
  call->flushed_len = 0;
  call->is_failure = 0;
  call->structured = MCPI_STRUCTURED_NONE;
  call->has_cache = 0;
  call->is_input_required = 0;
  call->rpc_code = 0;
  call->error.code = 0;
  call->error_rpc = 0;
  call->error_answer = MCPI_ANSWER_ERROR;
}

/* --- the end ------------------------------------------------------------ */

static int is_modern(const mcp_call *call) {
  return mcpi_revision_is_modern(call->context.revision);
}

/* The program says of each result of its own method whether it is. */
static int is_cacheable(const mcp_call *call) {
  int can_be =
      call->method != NULL ? call->method->is_cacheable : call->has_cache;
  return can_be && !call->is_input_required;
}

/* Returns what the program set for this reply, else for the resource, else for
 * all. */
static uint64_t cache_ttl_ms(const mcp_call *call) {
  if (call->has_cache) {
    return call->cache_ttl_ms;
  }
  if (call->entry != NULL && call->entry->cache_ttl_ms > 0) {
    return call->entry->cache_ttl_ms;
  }
  return call->shard->server->options.cache_ttl_ms;
}

/* What only some tokens permit must not be shared by a cache. */
static int cache_is_public(const mcp_call *call) {
  if (call->has_cache) {
    return call->cache_is_public;
  }
  int depends_on_token =
      call->is_filtered || (call->entry != NULL && call->entry->scopes != NULL);
  return !depends_on_token && call->shard->server->options.cache_is_public;
}

/* Writes members that only the modern era has. `own` is a result of the
 * program, or NULL. */
static void put_modern(mcp_call *call, const mcp_json *own) {
  if (mcpi_json_get(own, "resultType") == NULL) {
    mcpi_put_comma(&call->out);
    mcpi_buf_puts(&call->out,
                  call->is_input_required
                      ? MCPI_STR("\"resultType\":\"input_required\"")
                      : MCPI_STR("\"resultType\":\"complete\""));
  }
  if (is_cacheable(call)) {
    mcpi_put_uint_member(&call->out, "ttlMs", cache_ttl_ms(call));
    mcpi_put_string_member(&call->out, "cacheScope",
                           cache_is_public(call) ? "public" : "private");
  }
}

/* The program's members come first; the library's do not replace them. */
static void reply_put_meta(mcp_call *call, const mcp_json *own_meta) {
  mcpi_str info =
      call->shard->server->implementation[call->context.revision->index];
  int wants_info =
      is_modern(call) && mcpi_json_get(own_meta, MCPI_META_SERVER_INFO) == NULL;
  if (!wants_info && call->meta.len == 0 && own_meta == NULL) {
    return;
  }
  mcpi_put_comma(&call->out);
  mcpi_buf_lit(&call->out, "\"_meta\":{");
  if (own_meta != NULL) {
    mcpi_put_members(&call->out, own_meta, NULL);
  }
  if (wants_info) {
    mcpi_put_comma(&call->out);
    mcpi_buf_lit(&call->out, "\"" MCPI_META_SERVER_INFO "\":");
    mcpi_buf_puts(&call->out, info);
  }
  if (call->meta.len > 0) {
    mcpi_put_comma(&call->out);
    mcpi_buf_put(&call->out, call->meta.data, call->meta.len);
  }
  mcpi_buf_putc(&call->out, '}');
}

static void put_end(mcp_call *call, const mcp_json *own) {
  call->own_end = call->out.len;
  if (is_modern(call)) {
    put_modern(call, own);
  }
  reply_put_meta(call, mcpi_json_get(own, "_meta"));
  mcpi_buf_lit(&call->out, "}}");
}

int mcpi_reply_end(mcp_call *call) {
  put_end(call, NULL);
  return mcpi_call_send(call);
}

int mcpi_reply_members(mcp_call *call, mcpi_str members) {
  mcpi_reply_begin(call);
  mcpi_buf_puts(&call->out, members);
  return mcpi_reply_end(call);
}

/* --- content ------------------------------------------------------------ */

/* The message around a value takes two levels of the depth that the client may
 * accept. */
static const mcpi_message_limits value_limits = {
    SIZE_MAX, MCPI_JSON_MAX_DEPTH - 2, MCPI_JSON_MAX_VALUES};

static void fail_value(mcp_call *call, const char *what, const mcp_error *why) {
  mcpi_call_fail(call, why->code, MCP_RPC_INTERNAL_ERROR, "%s: %s", what,
                 why->message);
}

static int parse_value(mcp_call *call, const char *what, mcpi_str text,
                       mcpi_message **out) {
  mcp_error why;
  mcpi_message *message;
  const mcp_loop *loop = call->shard->loop;
  int rc = mcpi_message_parse(&message, &call->shard->loop->pool, text.ptr,
                              text.len, &value_limits, &why);
  if (rc != 0) {
    mcpi_json_quote_fault(text.ptr, text.len, &why);
    fail_value(call, what, &why);
    return rc;
  }
  rc = mcpi_json_check_duplicates(message->root, message + 1, text,
                                  &loop->allocator, loop->hash_seed, &why);
  if (rc != 0) {
    mcpi_message_unref(message);
    fail_value(call, what, &why);
    return rc;
  }
  *out = message;
  return 0;
}

/* Names the tool, and the place and the fault of the first violation. `code`:
 * MCP_ERR_SCHEMA, or MCP_ERR_LIMIT when checking costs too much. */
static int fail_schema(mcp_call *call, const mcp_json *value, int code) {
  mcpi_buf why;
  mcpi_buf_init(&why, &call->shard->server->allocator, SIZE_MAX);
  int rc =
      mcpi_validator_say(call->entry->output_validator, value, 1, "", &why);
  if (rc == 0) {
    rc = mcpi_call_fail(call, code, MCP_RPC_INTERNAL_ERROR,
                        "tool \"%s\": structured result: %.*s",
                        call->entry->name, (int)why.len, why.data);
  } else {
    mcpi_call_fail(call, rc, MCP_RPC_INTERNAL_ERROR, "%s", mcp_error_text(rc));
  }
  mcpi_buf_deinit(&why);
  return rc;
}

/* A structured result before it becomes part of the reply. */
typedef struct structured {
  mcpi_str text;
  mcpi_message *message; /* the parsed text; NULL: it was not parsed */
  /* Written by a builder: it is sent as it is, without line breaks. */
  int is_written;
} structured;

static const char structured_what[] = "structured result";

static int find_text(mcp_call *call, structured *out) {
  out->is_written = call->structured != MCPI_STRUCTURED_TEXT;
  if (call->structured != MCPI_STRUCTURED_BUILT) {
    out->text = mcpi_buf_str(&call->tail);
    return 0;
  }
  out->text.ptr = mcp_builder_text(call->builder, &out->text.len);
  return out->text.ptr != NULL ? 0
                               : mcpi_reply_fail_builder(call, call->builder);
}

/* Checks text that a builder wrote. Only limits of a parser can make it
 * unreadable. */
static int check_written(mcp_call *call, mcpi_str text) {
  mcp_error why;
  size_t memory_len;
  int rc =
      mcpi_json_measure(text.ptr, text.len, &value_limits, &memory_len, &why);
  if (rc != 0) {
    fail_value(call, structured_what, &why);
  }
  return rc;
}

static int check_value(mcp_call *call, const mcp_json *value) {
  const mcp_validator *validator = call->entry->output_validator;
  int rc =
      validator != NULL ? mcp_validator_check(validator, value, NULL, NULL) : 0;
  return rc != 0 ? fail_schema(call, value, rc) : 0;
}

/* Checks that the result of a tool with an output schema matches the schema,
 * unless the tool failed. On success the caller must release the message. */
static int check_structured(mcp_call *call, structured *out) {
  const mcp_validator *validator = call->entry->output_validator;
  *out = (structured){0};
  if (call->is_failure ||
      (call->structured == MCPI_STRUCTURED_NONE && validator == NULL)) {
    return 0;
  }
  if (call->structured == MCPI_STRUCTURED_NONE) {
    return mcpi_call_fail(call, MCP_ERR_SCHEMA, MCP_RPC_INTERNAL_ERROR,
                          "tool \"%s\": structured result: it is missing",
                          call->entry->name);
  }
  int rc = find_text(call, out);
  if (rc != 0) {
    return rc;
  }
  if (out->is_written && validator == NULL) {
    return check_written(call, out->text);
  }
  rc = parse_value(call, structured_what, out->text, &out->message);
  if (rc != 0) {
    return rc;
  }
  rc = check_value(call, out->message->root);
  if (rc != 0) {
    mcpi_message_unref(out->message);
  }
  return rc;
}

static int reply_is_object(const structured *result) {
  return result->message != NULL
             ? mcp_json_type(result->message->root) == MCP_JSON_OBJECT
             : result->text.ptr[0] == '{';
}

static int shows_structured(const mcp_call *call, const structured *result) {
  const mcpi_revision *revision = call->context.revision;
  return mcpi_revision_has(revision, MCPI_HAS_STRUCTURED_ANY) ||
         (mcpi_revision_has(revision, MCPI_HAS_STRUCTURED) &&
          reply_is_object(result));
}

/* The program's text may have line breaks between its tokens, so its value is
 * written again. */
static void put_structured(mcp_call *call, const structured *result) {
  if (call->piece_count == 0) {
    mcpi_buf_lit(&call->out, "{\"type\":\"text\",\"text\":");
    mcpi_json_put_string(&call->out, result->text);
    mcpi_buf_putc(&call->out, '}');
  }
  mcpi_buf_putc(&call->out, ']');
  if (!shows_structured(call, result)) {
    return;
  }
  mcpi_put_name(&call->out, "structuredContent");
  if (result->is_written) {
    mcpi_buf_puts(&call->out, result->text);
  } else {
    mcpi_json_put_value(&call->out, result->message->root);
  }
}

static int close_tool(mcp_call *call) {
  structured result;
  int rc = check_structured(call, &result);
  if (rc != 0) {
    return rc;
  }
  if (result.text.ptr != NULL) {
    put_structured(call, &result);
    mcpi_message_unref(result.message);
  } else {
    mcpi_buf_putc(&call->out, ']');
  }
  if (call->is_failure) {
    mcpi_put_true_member(&call->out, "isError");
  }
  put_end(call, NULL);
  return 0;
}

static int close_prompt(mcp_call *call) {
  mcpi_buf_putc(&call->out, ']');
  if (call->tail.len > 0) {
    mcpi_put_name(&call->out, "description");
    mcpi_buf_put(&call->out, call->tail.data, call->tail.len);
  }
  put_end(call, NULL);
  return 0;
}

static int close_resource(mcp_call *call) {
  mcpi_buf_putc(&call->out, ']');
  put_end(call, NULL);
  return 0;
}

static int close_completion(mcp_call *call) {
  mcpi_buf_putc(&call->out, ']');
  if (call->piece_count > MCPI_MAX_COMPLETIONS) {
    mcpi_put_uint_member(&call->out, "total", call->piece_count);
    mcpi_put_true_member(&call->out, "hasMore");
  }
  mcpi_buf_putc(&call->out, '}');
  put_end(call, NULL);
  return 0;
}

/* Ends a result of the program, or an empty one. */
static int close_other(mcp_call *call) {
  mcpi_message *own;
  if (call->tail.len == 0) {
    put_end(call, NULL);
    return 0;
  }
  int rc = parse_value(call, "result", mcpi_buf_str(&call->tail), &own);
  if (rc != 0) {
    return rc;
  }
  if (mcp_json_type(own->root) != MCP_JSON_OBJECT) {
    rc = mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                        "result: expected an object, got %s",
                        mcp_json_type_name(mcp_json_type(own->root)));
  } else {
    rc = mcpi_reply_check_meta(call, mcpi_json_get(own->root, "_meta"));
  }
  if (rc == 0) {
    mcpi_put_members(&call->out, own->root, "_meta");
    put_end(call, own->root);
  }
  mcpi_message_unref(own);
  return rc;
}

static int close_result(mcp_call *call) {
  static int (*const closers[])(mcp_call *) = {
      [MCPI_REPLY_KIND_TOOL] = close_tool,
      [MCPI_REPLY_KIND_PROMPT] = close_prompt,
      [MCPI_REPLY_KIND_RESOURCE] = close_resource,
      [MCPI_REPLY_KIND_COMPLETION] = close_completion,
      [MCPI_REPLY_KIND_OTHER] = close_other};
  int error = call->tail.error != 0 ? call->tail.error : call->meta.error;
  if (error == 0) {
    error = call->out.error;
  }
  if (error != 0) {
    return mcpi_call_fail(call, error, MCP_RPC_INTERNAL_ERROR, "%s",
                          mcp_error_text(error));
  }
  mcpi_reply_open(call);
  return closers[call->reply_kind](call);
}

static void report_reserved(const mcp_call *call) {
  mcpi_shard_report(call->shard, MCP_ERR_INVALID,
                    "%s: the handler's error code %d is reserved in %s, and is "
                    "sent as %d: choose one outside -32768 ... -32000",
                    mcpi_call_what_runs(call), call->reserved_code,
                    call->context.revision->name, call->rpc_code);
}

/* Sends the reply before it calls the program: what the program does then can
 * no longer cancel the call. */
int mcpi_reply_finish(mcp_call *call) {
  int rc = call->rpc_code == 0 ? close_result(call) : 0;
  if (rc != 0) {
    call->reply_status = rc;
    mcpi_reply_prepare_error(
        call, call->error_rpc, mcpi_call_client_message(call),
        mcpi_str_n(call->error_data.data, call->error_data.len));
  }
  int sent = mcpi_call_send(call);
  if (call->reserved_code != 0) {
    report_reserved(call);
  }
  return rc != 0 ? rc : sent;
}

void mcpi_reply_bad_argument(mcp_call *call) {
  const char *why = call->error.message;
  if (call->reply_kind != MCPI_REPLY_KIND_TOOL) {
    mcpi_reply_error(call, MCP_RPC_INVALID_PARAMS, mcpi_str_z(why),
                     mcpi_str_z(NULL));
    return;
  }
  mcpi_reply_reset(call);
  if (mcp_call_add_text(call, why) != 0) {
    mcpi_call_reply_recorded(call);
    return;
  }
  call->is_failure = 1;
  mcpi_reply_finish(call);
}
