/* SPDX-License-Identifier: MIT */
/* The public builder: JSON text, value by value. Its state is what a reader's
 * would be: which containers are open, and whether a value has come. */
#include "json/builder.h"

#include "base/buf.h"
#include "json/parse.h"
#include "json/value.h"
#include "json/write.h"

struct mcp_builder {
  mcp_allocator allocator;
  mcpi_buf buf;
  int error;
  int has_value; /* one in the innermost open container, or at the top */
  int has_name;  /* a member's, whose value comes next */
  size_t depth;
  char closers[MCPI_JSON_MAX_DEPTH]; /* what ends each open container */
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

static int fail(mcp_builder *builder, int error) {
  if (builder->error == 0) {
    builder->error = error;
  }
  return builder->error;
}

/* The innermost container's end, or 0 at the top. */
static char closer(const mcp_builder *builder) {
  return builder->depth > 0 ? builder->closers[builder->depth - 1] : '\0';
}

static int may_begin(const mcp_builder *builder, int is_named) {
  if (is_named != (closer(builder) == '}')) {
    return 0;
  }
  return builder->depth > 0 || !builder->has_value;
}

/* Whether anything can be added, and if not why. */
static int check(mcp_builder *builder) {
  return builder == NULL ? MCP_ERR_NOMEM : builder->error;
}

static void put_comma(mcp_builder *builder) {
  if (builder->has_value) {
    mcpi_buf_putc(&builder->buf, ',');
  }
  builder->has_value = 1;
}

static int put_name(mcp_builder *builder, mcpi_str name) {
  if (builder->has_name || !may_begin(builder, 1) || !mcpi_str_is_utf8(name)) {
    return fail(builder, MCP_ERR_INVALID);
  }
  put_comma(builder);
  mcpi_json_put_string(&builder->buf, name);
  mcpi_buf_putc(&builder->buf, ':');
  builder->has_name = 1;
  return 0;
}

/* Writes what comes before a value. Every value starts here, and ends with
 * finish(). */
static int begin(mcp_builder *builder, const char *name) {
  int rc = check(builder);
  if (rc == 0 && name != NULL) {
    rc = put_name(builder, mcpi_str_z(name));
  }
  if (rc != 0) {
    return rc;
  }
  if (builder->has_name) {
    builder->has_name = 0;
    return 0;
  }
  if (!may_begin(builder, 0)) {
    return fail(builder, MCP_ERR_INVALID);
  }
  put_comma(builder);
  return 0;
}

static int finish(mcp_builder *builder) {
  if (builder->buf.error != 0) {
    fail(builder, builder->buf.error);
  }
  return builder->error;
}

int mcp_builder_name_n(mcp_builder *builder, const char *name, size_t len) {
  int rc = check(builder);
  if (rc != 0) {
    return rc;
  }
  if (name == NULL) {
    return fail(builder, MCP_ERR_INVALID);
  }
  rc = put_name(builder, mcpi_str_n(name, len));
  return rc != 0 ? rc : finish(builder);
}

/* --- containers --------------------------------------------------------- */

static int open_container(mcp_builder *builder, const char *name, char opener,
                          char end) {
  int rc = begin(builder, name);
  if (rc != 0) {
    return rc;
  }
  if (builder->depth == MCPI_JSON_MAX_DEPTH) {
    return fail(builder, MCP_ERR_LIMIT);
  }
  builder->closers[builder->depth++] = end;
  builder->has_value = 0;
  mcpi_buf_putc(&builder->buf, opener);
  return finish(builder);
}

int mcp_builder_object(mcp_builder *builder, const char *name) {
  return open_container(builder, name, '{', '}');
}

int mcp_builder_array(mcp_builder *builder, const char *name) {
  return open_container(builder, name, '[', ']');
}

int mcp_builder_end(mcp_builder *builder) {
  int rc = check(builder);
  if (rc != 0) {
    return rc;
  }
  if (builder->depth == 0 || builder->has_name) {
    return fail(builder, MCP_ERR_INVALID);
  }
  mcpi_buf_putc(&builder->buf, closer(builder));
  builder->depth--;
  builder->has_value = 1;
  return finish(builder);
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
  int rc = begin(builder, name);
  if (rc != 0) {
    return rc;
  }
  if (string == NULL || !mcpi_str_is_utf8(mcpi_str_n(string, len))) {
    return fail(builder, MCP_ERR_INVALID);
  }
  mcpi_json_put_string(&builder->buf, mcpi_str_n(string, len));
  return finish(builder);
}

int mcp_builder_number(mcp_builder *builder, const char *name, double number) {
  int rc = begin(builder, name);
  if (rc != 0) {
    return rc;
  }
  mcpi_json_put_number(&builder->buf, number);
  return finish(builder);
}

int mcp_builder_int(mcp_builder *builder, const char *name, int64_t number) {
  int rc = begin(builder, name);
  if (rc != 0) {
    return rc;
  }
  mcpi_json_put_int(&builder->buf, number);
  return finish(builder);
}

int mcp_builder_bool(mcp_builder *builder, const char *name, int flag) {
  int rc = begin(builder, name);
  if (rc != 0) {
    return rc;
  }
  mcpi_buf_puts(&builder->buf, flag ? MCPI_STR("true") : MCPI_STR("false"));
  return finish(builder);
}

int mcp_builder_null(mcp_builder *builder, const char *name) {
  return mcp_builder_value(builder, name, NULL);
}

/* --- whole values ------------------------------------------------------- */

/* A value put into containers is deeper than it was alone. */
static int check_depth(mcp_builder *builder, size_t from) {
  const mcpi_buf *buf = &builder->buf;
  if (buf->error == 0) {
    mcpi_json_scan found =
        mcpi_json_scan_text(buf->data + from, buf->len - from);
    if (found.depth > MCPI_JSON_MAX_DEPTH - builder->depth) {
      return fail(builder, MCP_ERR_LIMIT);
    }
  }
  return finish(builder);
}

int mcp_builder_value(mcp_builder *builder, const char *name,
                      const mcp_json *value) {
  int rc = begin(builder, name);
  if (rc != 0) {
    return rc;
  }
  size_t from = builder->buf.len;
  mcpi_json_put_value(&builder->buf, value);
  return check_depth(builder, from);
}

int mcp_builder_json(mcp_builder *builder, const char *name, const char *json) {
  int rc = begin(builder, name);
  if (rc != 0) {
    return rc;
  }
  size_t from = builder->buf.len;
  rc = mcpi_json_put_text(&builder->buf, mcpi_str_z(json), NULL);
  if (rc != 0) {
    return fail(builder, rc);
  }
  return check_depth(builder, from);
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
  /* The NUL lies behind the text and is overwritten by what comes next. */
  char *end = mcpi_buf_reserve(&builder->buf, 1);
  if (end == NULL) {
    finish(builder);
    return NULL;
  }
  *end = '\0';
  if (len != NULL) {
    *len = builder->buf.len;
  }
  return builder->buf.data;
}
