/* SPDX-License-Identifier: MIT */
/* The public builder: writes JSON text, value by value. Its state is that of a
 * reader of the text: which containers are open, and what has come in the
 * innermost. */
#include "json/builder.h"

#include "base/buf.h"
#include "json/parse.h"
#include "json/value.h"
#include "json/write.h"

struct mcp_builder {
  mcp_allocator allocator;
  mcpi_buf buf;
  int error;
  int has_value; /* in the innermost open container, or at the top */
  int has_name;  /* of a member, whose value comes next */
  size_t depth;
  char closers
      [MCPI_JSON_MAX_DEPTH]; /* the bracket that ends each open container */
};

mcp_builder *mcp_builder_new(const mcp_allocator *allocator) {
  if (allocator == NULL) {
    allocator = mcp_allocator_default();
  }
  mcp_builder *builder = mcpi_calloc(allocator, 1, sizeof(*builder));
  if (builder != NULL) {
    builder->allocator = *allocator;
    mcpi_buf_init(&builder->buf, &builder->allocator, SIZE_MAX);
  }
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

void mcp_builder_clear(mcp_builder *builder) {
  if (builder != NULL) {
    mcpi_buf_clear(&builder->buf);
    builder->error = 0;
    builder->has_value = 0;
    builder->has_name = 0;
    builder->depth = 0;
  }
}

/* --- the place of a value ----------------------------------------------- */

static int builder_fail(mcp_builder *builder, int error) {
  if (builder->error == 0) {
    builder->error = error;
  }
  return builder->error;
}

/* Returns the bracket that ends the innermost container, or 0 at the top. */
static char builder_closer(const mcp_builder *builder) {
  return builder->depth > 0 ? builder->closers[builder->depth - 1] : '\0';
}

static int builder_may_begin(const mcp_builder *builder, int is_named) {
  if (is_named != (builder_closer(builder) == '}')) {
    return 0;
  }
  return builder->depth > 0 || !builder->has_value;
}

/* Returns 0 if values can be added, else the error. */
static int builder_check(mcp_builder *builder) {
  return builder == NULL ? MCP_ERR_NOMEM : builder->error;
}

static void builder_put_comma(mcp_builder *builder) {
  if (builder->has_value) {
    mcpi_buf_putc(&builder->buf, ',');
  }
  builder->has_value = 1;
}

static int builder_put_name(mcp_builder *builder, mcpi_str name) {
  if (builder->has_name || !builder_may_begin(builder, 1) ||
      !mcpi_str_is_utf8(name)) {
    return builder_fail(builder, MCP_ERR_INVALID);
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
  if (!builder_may_begin(builder, 0)) {
    return builder_fail(builder, MCP_ERR_INVALID);
  }
  builder_put_comma(builder);
  return 0;
}

static int builder_end_value(mcp_builder *builder) {
  if (builder->buf.error != 0) {
    builder_fail(builder, builder->buf.error);
  }
  return builder->error;
}

int mcp_builder_name_n(mcp_builder *builder, const char *name, size_t len) {
  int rc = builder_check(builder);
  if (rc != 0) {
    return rc;
  }
  if (name == NULL) {
    return builder_fail(builder, MCP_ERR_INVALID);
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
    return builder_fail(builder, MCP_ERR_LIMIT);
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
  if (builder->depth == 0 || builder->has_name) {
    return builder_fail(builder, MCP_ERR_INVALID);
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
  if (string == NULL || !mcpi_str_is_utf8(mcpi_str_n(string, len))) {
    return builder_fail(builder, MCP_ERR_INVALID);
  }
  mcpi_json_put_string(&builder->buf, mcpi_str_n(string, len));
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
      return builder_fail(builder, MCP_ERR_LIMIT);
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

int mcp_builder_json(mcp_builder *builder, const char *name, const char *json) {
  int rc = builder_begin_value(builder, name);
  if (rc != 0) {
    return rc;
  }
  size_t from = builder->buf.len;
  rc = mcpi_json_put_text(&builder->buf, mcpi_str_z(json), NULL);
  if (rc != 0) {
    return builder_fail(builder, rc);
  }
  return builder_check_depth(builder, from);
}

/* --- the text ----------------------------------------------------------- */

const char *mcp_builder_text(mcp_builder *builder, size_t *len) {
  if (len != NULL) {
    *len = 0;
  }
  if (builder == NULL || builder->error != 0 || builder->depth > 0 ||
      !builder->has_value) {
    return NULL;
  }
  /* The NUL lies behind the text; the next value overwrites it. */
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
