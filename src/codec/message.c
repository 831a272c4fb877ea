/* SPDX-License-Identifier: MIT */
/* Messages and their JSON-RPC envelope (MCP, Base Protocol: Messages). */
#include "codec/message.h"

#include "base/error.h"
#include "json/inline.h"

/* --- messages ----------------------------------------------------------- */

static mcpi_message *message_new(mcpi_pool *pool, size_t memory_len) {
  if (memory_len > SIZE_MAX - sizeof(mcpi_message)) {
    return NULL;
  }
  mcpi_block *block = mcpi_block_take(pool, sizeof(mcpi_message) + memory_len);
  if (block == NULL) {
    return NULL;
  }
  mcpi_message *message = mcpi_block_data(block);
  message->block = block;
  message->lent = NULL;
  message->keepers = 0;
  return message;
}

static int message_load(mcpi_message **out, mcpi_pool *pool, const char *bytes,
                        size_t len, size_t memory_len, mcp_error *err) {
  mcpi_message *message = message_new(pool, memory_len);
  if (message == NULL) {
    return mcpi_no_memory(err);
  }
  message->len = len;
  int rc =
      mcpi_json_load(message + 1, memory_len, bytes, len, &message->root, err);
  if (rc != 0) {
    mcpi_message_unref(message);
    return rc;
  }
  *out = message;
  return 0;
}

/* Tries first with memory that is enough for most short texts. Only other texts
 * are measured, and measuring finds the fault of a text that is not valid. */
int mcpi_message_parse(mcpi_message **out, mcpi_pool *pool, const char *bytes,
                       size_t len, const mcpi_message_limits *limits,
                       mcp_error *err) {
  size_t memory_len = mcpi_json_short_memory(len, limits);
  if (memory_len > 0 &&
      message_load(out, pool, bytes, len, memory_len, NULL) == 0) {
    return 0;
  }
  int rc = mcpi_json_measure(bytes, len, limits, &memory_len, err);
  return rc != 0 ? rc : message_load(out, pool, bytes, len, memory_len, err);
}

_Static_assert(MCP_LENT_PADDING >= MCPI_JSON_PADDING,
               "a lent message is parsed in place");

static int message_load_lent(mcpi_message **out, mcpi_pool *pool,
                             const mcp_lent_message *lent,
                             const mcpi_message_limits *limits,
                             mcp_error *err) {
  size_t memory_len;
  int rc = mcpi_json_measure_values(lent->bytes, lent->len, limits, &memory_len,
                                    err);
  if (rc != 0) {
    return rc;
  }
  mcpi_message *message = message_new(pool, memory_len);
  if (message == NULL) {
    return mcpi_no_memory(err);
  }
  message->len = lent->len;
  rc = mcpi_json_parse(lent->bytes, lent->len, message + 1, memory_len,
                       &message->root, err);
  if (rc != 0) {
    mcpi_message_unref(message);
    return rc;
  }
  *out = message;
  return 0;
}

int mcpi_message_parse_lent(mcpi_message **out, mcpi_pool *pool,
                            mcp_lent_message *lent,
                            const mcpi_message_limits *limits, mcp_error *err) {
  int rc = message_load_lent(out, pool, lent, limits, err);
  if (rc == 0) {
    (*out)->lent = lent;
  } else {
    lent->done(lent);
  }
  return rc;
}

void mcpi_message_unref(mcpi_message *message) {
  if (message == NULL) {
    return;
  }
  mcp_lent_message *lent = message->block->refs == 1 ? message->lent : NULL;
  mcpi_block_unref(message->block);
  if (lent != NULL) {
    lent->done(lent);
  }
}

/* --- reading the envelope ----------------------------------------------- */

/* The members of a message, and what the search for duplicates needs. */
typedef struct reader {
  mcpi_envelope *out;
  const mcp_json *object;
  const mcp_json *version;
  const mcp_json *method;
  const mcp_json *params;
  const mcp_allocator *allocator;
  const uint64_t *seed;
  int oom;
  const mcp_json *duplicate;
} reader;

/* Each check below returns NULL, or why the message is invalid. */

static int has_duplicate_in(reader *r, const mcp_json *object) {
  return mcpi_json_duplicate(object, r->allocator, r->seed, &r->oom) != NULL;
}

static int has_duplicate_within(reader *r, const mcp_json *value) {
  return mcpi_json_duplicate_within(value, r->allocator, r->seed, &r->oom) !=
         NULL;
}

static void envelope_read_members(reader *r) {
  size_t left = mcpi_json_member_count(r->object);
  const mcp_json *name = left > 0 ? mcpi_json_first(r->object) : NULL;
  for (; left > 0; left--) {
    mcpi_str key = mcpi_json_text(name);
    const mcp_json *value = mcpi_json_value_of(name);
    name = mcpi_json_behind(value);
    if (mcpi_str_eq(key, MCPI_STR("jsonrpc"))) {
      r->version = value;
    } else if (mcpi_str_eq(key, MCPI_STR("id"))) {
      r->out->id = mcpi_id_read(value);
    } else if (mcpi_str_eq(key, MCPI_STR("method"))) {
      r->method = value;
    } else if (mcpi_str_eq(key, MCPI_STR("params"))) {
      r->params = value;
    } else if (mcpi_str_eq(key, MCPI_STR("result"))) {
      r->out->result = value;
    } else if (mcpi_str_eq(key, MCPI_STR("error"))) {
      r->out->error = value;
    }
  }
}

/* Tells where a member occurs twice, once it is known that one does. */
static const char *place_of_duplicate(reader *r) {
  if (has_duplicate_in(r, r->object)) {
    return "a member occurs twice";
  }
  if (has_duplicate_in(r, r->params)) {
    return "a member of \"params\" occurs twice";
  }
  if (has_duplicate_in(r, mcpi_json_get(r->params, "arguments"))) {
    return "a member of \"arguments\" occurs twice";
  }
  if (has_duplicate_in(r, mcpi_json_get(r->params, "_meta"))) {
    return "a member of \"_meta\" occurs twice";
  }
  if (has_duplicate_within(r, r->params)) {
    return "a member of an object within \"params\" occurs twice";
  }
  return has_duplicate_within(r, r->out->result)
             ? "a member of an object within \"result\" occurs twice"
             : "a member of an object within the message occurs twice";
}

static const char *envelope_check_params(reader *r) {
  if (r->params == NULL) {
    return NULL;
  }
  if (!mcpi_json_is_object(r->params)) {
    return "\"params\" is not an object";
  }
  r->out->params = r->params;
  r->out->meta = mcpi_json_find(r->params, MCPI_STR("_meta"));
  if (r->out->meta != NULL && !mcpi_json_is_object(r->out->meta)) {
    return "\"_meta\" is not an object";
  }
  return NULL;
}

#define MCPI_QUOTED(number) #number
#define MCPI_STRING_OF(number) MCPI_QUOTED(number)

static const char *envelope_bad_id(mcpi_id id) {
  return mcpi_id_is_too_long(id) ? "\"id\" is longer than " MCPI_STRING_OF(
                                       MCPI_PROFILE_ID_MAX) " bytes"
                                 : "\"id\" is neither a string nor an integer";
}

static const char *envelope_check_call(reader *r) {
  if (!mcpi_json_is_string(r->method)) {
    return "\"method\" is not a string";
  }
  r->out->method = mcpi_json_text(r->method);
  if (mcpi_str_has_nul(r->out->method)) {
    return "\"method\" contains NUL (\\u0000)";
  }
  if (r->out->result != NULL || r->out->error != NULL) {
    return "a \"method\" beside a \"result\" or \"error\"";
  }
  switch (r->out->id.kind) {
  case MCPI_ID_NONE:
    r->out->kind = MCPI_NOTIFICATION;
    break;
  case MCPI_ID_NUMBER:
  case MCPI_ID_STRING:
    r->out->kind = MCPI_REQUEST;
    break;
  default:
    return envelope_bad_id(r->out->id);
  }
  return envelope_check_params(r);
}

static const char *envelope_check_result(reader *r) {
  r->out->kind = MCPI_RESULT;
  if (mcpi_id_is_too_long(r->out->id)) {
    return envelope_bad_id(r->out->id);
  }
  if (r->out->id.kind != MCPI_ID_NUMBER && r->out->id.kind != MCPI_ID_STRING) {
    return "a result without the \"id\" of a request";
  }
  return NULL;
}

/* The id may be null or absent: then the peer could not read ours. */
static const char *envelope_check_error(reader *r) {
  const mcp_json *error = r->out->error;
  r->out->kind = MCPI_ERROR;
  if (r->out->id.kind == MCPI_ID_BAD) {
    return envelope_bad_id(r->out->id);
  }
  if (!mcp_json_is_integer(mcpi_json_get(error, "code")) ||
      !mcpi_json_is_string(mcpi_json_get(error, "message"))) {
    return "\"error\" lacks an integer \"code\" or a \"message\"";
  }
  return NULL;
}

static const char *envelope_check(reader *r) {
  if (!mcpi_json_is_object(r->object)) {
    return "a message is a JSON object";
  }
  if (!mcpi_json_is_string(r->version) ||
      !mcpi_str_eq(mcpi_json_text(r->version), MCPI_STR("2.0"))) {
    return "\"jsonrpc\" is not \"2.0\"";
  }
  /* Programs differ in which of two members of the same name they take. */
  r->duplicate =
      mcpi_json_duplicate_within(r->object, r->allocator, r->seed, &r->oom);
  if (r->duplicate != NULL) {
    return place_of_duplicate(r);
  }
  if (r->method != NULL) {
    return envelope_check_call(r);
  }
  if (r->out->result != NULL && r->out->error != NULL) {
    return "both a \"result\" and an \"error\"";
  }
  if (r->out->result != NULL) {
    return envelope_check_result(r);
  }
  if (r->out->error != NULL) {
    return envelope_check_error(r);
  }
  return "neither a \"method\" nor a \"result\" nor an \"error\"";
}

/* Whether an invalid message gets an error as its answer. A peer expects none
 * for a response or a notification. */
static int envelope_wants_answer(const reader *r) {
  if (r->method == NULL) {
    return r->out->result == NULL && r->out->error == NULL;
  }
  return r->out->id.kind != MCPI_ID_NONE || !mcpi_json_is_string(r->method);
}

static void envelope_set_invalid(reader *r, const char *reason) {
  mcpi_id id = r->out->id;
  int answer = envelope_wants_answer(r);
  const mcp_json *duplicate = r->duplicate;
  if (id.kind != MCPI_ID_NUMBER && id.kind != MCPI_ID_STRING &&
      !mcpi_id_is_too_long(id)) {
    id = (mcpi_id){MCPI_ID_NONE, NULL};
  }
  *r->out =
      (mcpi_envelope){.kind = MCPI_INVALID,
                      .id = id,
                      .reason = reason,
                      .wants_answer = answer,
                      .is_call = r->method != NULL && id.kind != MCPI_ID_NONE,
                      .duplicate = duplicate};
}

int mcpi_envelope_read(mcpi_envelope *out, const mcp_json *value,
                       const mcp_allocator *allocator, const uint64_t seed[2]) {
  reader r = {
      .out = out, .object = value, .allocator = allocator, .seed = seed};
  *out = (mcpi_envelope){.kind = MCPI_INVALID};
  envelope_read_members(&r);
  const char *reason = envelope_check(&r);
  if (r.oom) {
    return MCP_ERR_NOMEM;
  }
  if (reason != NULL) {
    envelope_set_invalid(&r, reason);
  }
  return 0;
}

/* --- writing ------------------------------------------------------------ */

static void message_put_head(mcpi_buf *buf, mcpi_str id_text) {
  mcpi_buf_lit(buf, "{\"jsonrpc\":\"2.0\"");
  if (id_text.len > 0) {
    mcpi_buf_lit(buf, ",\"id\":");
    mcpi_buf_puts(buf, id_text);
  }
}

void mcpi_put_request_head(mcpi_buf *buf, mcpi_str id_text, mcpi_str method) {
  message_put_head(buf, id_text);
  mcpi_buf_lit(buf, ",\"method\":");
  mcpi_json_put_string(buf, method);
}

void mcpi_put_result_head(mcpi_buf *buf, mcpi_str id_text) {
  message_put_head(buf, id_text);
  mcpi_buf_lit(buf, ",\"result\":");
}

void mcpi_put_error(mcpi_buf *buf, mcpi_str id_text, int code, mcpi_str message,
                    mcpi_str data) {
  message_put_head(buf, id_text);
  mcpi_buf_lit(buf, ",\"error\":{\"code\":");
  mcpi_json_put_int(buf, code);
  mcpi_buf_lit(buf, ",\"message\":");
  mcpi_json_put_string(buf, message);
  if (data.len > 0) {
    mcpi_buf_lit(buf, ",\"data\":");
    mcpi_buf_puts(buf, data);
  }
  mcpi_buf_lit(buf, "}}");
}
