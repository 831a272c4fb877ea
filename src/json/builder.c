/* SPDX-License-Identifier: MIT */
/* The public builder: writes JSON text, value by value. Its state is that of a
 * reader of the text: which containers are open, and what has come in the
 * innermost. */
#include "json/builder.h"

#include "base/buf.h"
#include "base/error.h"
#include "json/parse.h"
#include "json/place.h"
#include "json/value.h"
#include "json/write.h"

#include <stdio.h>

struct mcp_builder {
  mcp_allocator allocator;
  mcpi_buf buf;
  int error; /* the first; every later call returns it */
  /* What mcp_builder_error returns. Its code is that of `error`, or of what
   * keeps an unfinished text from being one; then `error` is 0. */
  mcp_error failure;
  int has_value; /* in the innermost open container, or at the top */
  int has_name;  /* of a member, whose value comes next */
  size_t depth;
  char closers
      [MCPI_JSON_MAX_DEPTH]; /* the bracket that ends each open container */
};

mcp_builder *mcp_builder_new(const mcp_allocator *allocator, mcp_error *err) {
  if (allocator == NULL) {
    allocator = mcp_allocator_default();
  }
  mcp_builder *builder = mcpi_calloc(allocator, 1, sizeof(*builder));
  if (builder == NULL) {
    mcpi_no_memory(err);
    return NULL;
  }
  builder->allocator = *allocator;
  mcpi_buf_init(&builder->buf, &builder->allocator, SIZE_MAX);
  return builder;
}

void mcp_builder_free(mcp_builder *builder) {
  if (builder != NULL) {
    mcp_allocator allocator = builder->allocator;
    mcpi_buf_deinit(&builder->buf);
    mcpi_free(&allocator, builder, sizeof(*builder));
  }
}

const mcp_allocator *mcpi_builder_allocator(const mcp_builder *builder) {
  return &builder->allocator;
}

size_t mcpi_builder_len(const mcp_builder *builder) {
  return builder->buf.len;
}

void mcpi_builder_recycle(mcp_builder *builder, size_t keep) {
  if (builder != NULL) {
    mcpi_buf_recycle(&builder->buf, keep);
    mcp_builder_clear(builder);
  }
}

void mcp_builder_clear(mcp_builder *builder) {
  if (builder != NULL) {
    mcpi_buf_clear(&builder->buf);
    builder->error = 0;
    builder->failure.code = 0;
    builder->has_value = 0;
    builder->has_name = 0;
    builder->depth = 0;
  }
}

const mcp_error *mcp_builder_error(const mcp_builder *builder) {
  static const mcp_error no_memory = {.code = MCP_ERR_NOMEM,
                                      .message = "out of memory"};
  if (builder == NULL) {
    return &no_memory;
  }
  return builder->failure.code != 0 ? &builder->failure : NULL;
}

/* --- errors ------------------------------------------------------------- */

/* Places that a message names. */
enum { AT_CONTAINER = 0, AT_VALUE = 1 };

/* Describes what is wrong at a place. */
MCP_PRINTF(4, 0)
static void builder_describe(mcp_builder *builder, int code, int at,
                             const char *format, va_list args) {
  char place[MCPI_JSON_PLACE_SIZE];
  char reason[MCP_ERROR_TEXT_SIZE];
  mcpi_json_place(place, mcpi_buf_str(&builder->buf), at);
  vsnprintf(reason, sizeof(reason), format, args);
  mcp_error_set(&builder->failure, code, "%s%s", place, reason);
}

MCP_PRINTF(4, 5)
static int builder_fail(mcp_builder *builder, int code, int at,
                        const char *format, ...) {
  va_list args;
  va_start(args, format);
  builder_describe(builder, code, at, format, args);
  va_end(args);
  builder->error = code;
  return code;
}

/* As builder_fail, but the program may go on. */
MCP_PRINTF(3, 4)
static void builder_lack(mcp_builder *builder, int at, const char *format,
                         ...) {
  va_list args;
  va_start(args, format);
  builder_describe(builder, MCP_ERR_INVALID, at, format, args);
  va_end(args);
}

/* Fails at a byte of what the program gave. */
static int builder_fail_utf8(mcp_builder *builder, int at, const char *what,
                             mcpi_str text) {
  size_t offset = mcpi_utf8_valid_prefix(text.ptr, text.len);
  builder_fail(builder, MCP_ERR_INVALID, at, "%s is not UTF-8 at byte %zu",
               what, offset);
  builder->failure.offset = offset;
  return MCP_ERR_INVALID;
}

static int builder_fail_depth(mcp_builder *builder) {
  return builder_fail(builder, MCP_ERR_LIMIT, AT_VALUE,
                      "arrays and objects are nested more than %d deep",
                      MCPI_JSON_MAX_DEPTH);
}

/* --- the place of a value ----------------------------------------------- */

/* Returns the bracket that ends the innermost container, or 0 at the top. */
static char builder_closer(const mcp_builder *builder) {
  return builder->depth > 0 ? builder->closers[builder->depth - 1] : '\0';
}

static const char *builder_container(const mcp_builder *builder) {
  return builder_closer(builder) == '}' ? "object" : "array";
}

/* Returns 0 if values can be added, else the error. Each function that adds or
 * ends something begins with this: what an unfinished text lacked may come
 * now. */
static int builder_check(mcp_builder *builder) {
  if (builder == NULL) {
    return MCP_ERR_NOMEM;
  }
  if (builder->error == 0) {
    builder->failure.code = 0;
  }
  return builder->error;
}

static int builder_check_name(mcp_builder *builder, mcpi_str name) {
  if (builder->has_name) {
    return builder_fail(builder, MCP_ERR_INVALID, AT_VALUE,
                        "this name needs a value before the next name");
  }
  if (!mcpi_str_is_utf8(name)) {
    return builder_fail_utf8(builder, AT_CONTAINER, "a member's name", name);
  }
  if (builder_closer(builder) != '}') {
    return builder_fail(builder, MCP_ERR_INVALID, AT_CONTAINER,
                        "a value %s has no name, but \"%.*s\" was given",
                        builder->depth > 0 ? "in an array" : "at the top",
                        (int)(name.len < 40 ? name.len : 40), name.ptr);
  }
  return 0;
}

/* Checks that a value without a name can stand here. */
static int builder_check_unnamed(mcp_builder *builder) {
  if (builder_closer(builder) == '}') {
    return builder_fail(builder, MCP_ERR_INVALID, AT_CONTAINER,
                        "a value in an object needs a name");
  }
  if (builder->depth == 0 && builder->has_value) {
    return builder_fail(builder, MCP_ERR_INVALID, AT_CONTAINER,
                        "there can be only one value at the top");
  }
  return 0;
}

static void builder_put_comma(mcp_builder *builder) {
  if (builder->has_value) {
    mcpi_buf_putc(&builder->buf, ',');
  }
  builder->has_value = 1;
}

static int builder_put_name(mcp_builder *builder, mcpi_str name) {
  int rc = builder_check_name(builder, name);
  if (rc != 0) {
    return rc;
  }
  builder_put_comma(builder);
  mcpi_json_put_string(&builder->buf, name);
  mcpi_buf_putc(&builder->buf, ':');
  builder->has_name = 1;
  return 0;
}

/* Writes what comes before a value: a comma, the name. Each function that adds
 * a value begins with this and ends with builder_end_value. */
static int builder_begin_value(mcp_builder *builder, const char *name) {
  int rc = builder_check(builder);
  if (rc == 0 && name != NULL) {
    rc = builder_put_name(builder, mcpi_str_z(name));
  }
  if (rc != 0) {
    return rc;
  }
  if (builder->has_name) {
    builder->has_name = 0;
    return 0;
  }
  rc = builder_check_unnamed(builder);
  if (rc == 0) {
    builder_put_comma(builder);
  }
  return rc;
}

static int builder_end_value(mcp_builder *builder) {
  if (builder->buf.error == MCP_ERR_LIMIT) { /* from mcpi_json_put_value */
    return builder_fail_depth(builder);
  }
  if (builder->buf.error != 0) {
    builder->error = mcpi_no_memory(&builder->failure);
  }
  return builder->error;
}

int mcp_builder_name_n(mcp_builder *builder, const char *name, size_t len) {
  int rc = builder_check(builder);
  if (rc != 0) {
    return rc;
  }
  if (name == NULL) {
    return builder_fail(builder, MCP_ERR_INVALID, AT_CONTAINER,
                        "a member's name is NULL");
  }
  rc = builder_put_name(builder, mcpi_str_n(name, len));
  return rc != 0 ? rc : builder_end_value(builder);
}

/* --- containers --------------------------------------------------------- */

static int builder_open(mcp_builder *builder, const char *name, char opener,
                        char end) {
  int rc = builder_begin_value(builder, name);
  if (rc != 0) {
    return rc;
  }
  if (builder->depth == MCPI_JSON_MAX_DEPTH) {
    return builder_fail_depth(builder);
  }
  builder->closers[builder->depth++] = end;
  builder->has_value = 0;
  mcpi_buf_putc(&builder->buf, opener);
  return builder_end_value(builder);
}

int mcp_builder_object(mcp_builder *builder, const char *name) {
  return builder_open(builder, name, '{', '}');
}

int mcp_builder_array(mcp_builder *builder, const char *name) {
  return builder_open(builder, name, '[', ']');
}

int mcp_builder_end(mcp_builder *builder) {
  int rc = builder_check(builder);
  if (rc != 0) {
    return rc;
  }
  if (builder->depth == 0) {
    return builder_fail(builder, MCP_ERR_INVALID, AT_CONTAINER,
                        "there is no array or object to end");
  }
  if (builder->has_name) {
    return builder_fail(builder, MCP_ERR_INVALID, AT_VALUE,
                        "this name needs a value before the object ends");
  }
  mcpi_buf_putc(&builder->buf, builder_closer(builder));
  builder->depth--;
  builder->has_value = 1;
  return builder_end_value(builder);
}

/* --- scalars ------------------------------------------------------------ */

int mcp_builder_string(mcp_builder *builder, const char *name,
                       const char *string) {
  if (string == NULL) {
    return mcp_builder_null(builder, name);
  }
  return mcp_builder_string_n(builder, name, string, strlen(string));
}

int mcp_builder_string_n(mcp_builder *builder, const char *name,
                         const char *string, size_t len) {
  if (string == NULL && len == 0) {
    return mcp_builder_null(builder, name);
  }
  int rc = builder_begin_value(builder, name);
  if (rc != 0) {
    return rc;
  }
  mcpi_str text = mcpi_str_n(string, len);
  if (string == NULL) {
    return builder_fail(builder, MCP_ERR_INVALID, AT_VALUE,
                        "the string is NULL, with a length of %zu bytes", len);
  }
  if (!mcpi_str_is_utf8(text)) {
    return builder_fail_utf8(builder, AT_VALUE, "the string", text);
  }
  mcpi_json_put_string(&builder->buf, text);
  return builder_end_value(builder);
}

int mcp_builder_number(mcp_builder *builder, const char *name, double number) {
  int rc = builder_begin_value(builder, name);
  if (rc != 0) {
    return rc;
  }
  mcpi_json_put_number(&builder->buf, number);
  return builder_end_value(builder);
}

int mcp_builder_int(mcp_builder *builder, const char *name, int64_t number) {
  int rc = builder_begin_value(builder, name);
  if (rc != 0) {
    return rc;
  }
  mcpi_json_put_int(&builder->buf, number);
  return builder_end_value(builder);
}

int mcp_builder_bool(mcp_builder *builder, const char *name, int flag) {
  int rc = builder_begin_value(builder, name);
  if (rc != 0) {
    return rc;
  }
  mcpi_buf_puts(&builder->buf, flag ? MCPI_STR("true") : MCPI_STR("false"));
  return builder_end_value(builder);
}

int mcp_builder_null(mcp_builder *builder, const char *name) {
  return mcp_builder_value(builder, name, NULL);
}

/* --- whole values ------------------------------------------------------- */

/* Checks the depth of a whole value with that of the containers around it. */
static int builder_check_depth(mcp_builder *builder, size_t from) {
  const mcpi_buf *buf = &builder->buf;
  if (buf->error == 0) {
    mcpi_json_scan found =
        mcpi_json_scan_text(buf->data + from, buf->len - from);
    if (found.depth > MCPI_JSON_MAX_DEPTH - builder->depth) {
      return builder_fail_depth(builder);
    }
  }
  return builder_end_value(builder);
}

int mcp_builder_value(mcp_builder *builder, const char *name,
                      const mcp_json *value) {
  int rc = builder_begin_value(builder, name);
  if (rc != 0) {
    return rc;
  }
  size_t from = builder->buf.len;
  mcpi_json_put_value(&builder->buf, value);
  return builder_check_depth(builder, from);
}

static int builder_fail_json(mcp_builder *builder, int rc,
                             const mcp_error *cause) {
  if (rc == MCP_ERR_NOMEM) {
    mcpi_no_memory(&builder->failure);
  } else if (rc == MCP_ERR_PARSE) {
    builder_fail(builder, rc, AT_VALUE, "the text is not JSON: %s",
                 cause->message);
    builder->failure.offset = cause->offset;
  } else if (rc == MCP_ERR_INVALID) {
    builder_fail(builder, rc, AT_VALUE, "the text: %s", cause->message);
    builder->failure.offset = cause->offset;
  } else {
    builder_fail(builder, rc, AT_VALUE, "%s", cause->message);
  }
  builder->error = rc;
  return rc;
}

int mcp_builder_json(mcp_builder *builder, const char *name, const char *json) {
  int rc = builder_begin_value(builder, name);
  if (rc != 0) {
    return rc;
  }
  if (json == NULL) {
    return builder_fail(builder, MCP_ERR_PARSE, AT_VALUE,
                        "the JSON text is NULL");
  }
  size_t from = builder->buf.len;
  mcp_error cause;
  rc = mcpi_json_put_text(&builder->buf, mcpi_str_z(json), &cause);
  if (rc != 0) {
    return builder_fail_json(builder, rc, &cause);
  }
  return builder_check_depth(builder, from);
}

/* --- the text ----------------------------------------------------------- */

/* Notes what the text lacks until the next call that adds or ends something. */
static int builder_is_finished(mcp_builder *builder) {
  if (builder->has_name) {
    builder_lack(builder, AT_VALUE, "this name has no value yet");
  } else if (builder->depth > 0) {
    builder_lack(builder, AT_CONTAINER,
                 "the %s is not ended (missing calls of mcp_builder_end: %zu)",
                 builder_container(builder), builder->depth);
  } else if (!builder->has_value) {
    builder_lack(builder, AT_CONTAINER, "no value has been added yet");
  } else {
    return 1;
  }
  return 0;
}

const char *mcp_builder_text(mcp_builder *builder, size_t *len) {
  if (len != NULL) {
    *len = 0;
  }
  if (builder_check(builder) != 0 || !builder_is_finished(builder)) {
    return NULL;
  }
  /* The NUL follows the text; the next value overwrites it. */
  char *end = mcpi_buf_reserve(&builder->buf, 1);
  if (end == NULL) {
    builder_end_value(builder);
    return NULL;
  }
  *end = '\0';
  if (len != NULL) {
    *len = builder->buf.len;
  }
  return builder->buf.data;
}
