/* SPDX-License-Identifier: MIT */
/* Pieces of sentences. They quote a peer, so each piece is shortened. */
#include "schema/say.h"

#include "json/json.h"

enum {
  MAX_POINTER = 120, /* bytes shown of a pointer */
  MAX_STRING = 60,   /* of a string or name, before escaping */
  MAX_NUMBER = 40,   /* digits */
  MAX_LIST = 300     /* bytes after which a list of names ends */
};

void mcpi_sentence_init(mcpi_sentence *sentence) {
  /* The buffer has its full size already, and so never allocates. */
  sentence->buf = (mcpi_buf){.allocator = mcp_allocator_default(),
                             .data = sentence->space,
                             .cap = sizeof(sentence->space),
                             .max = sizeof(sentence->space)};
}

void mcpi_say(mcpi_buf *buf, const char *words) {
  mcpi_buf_puts(buf, mcpi_str_z(words));
}

void mcpi_say_count(mcpi_buf *buf, size_t count, const char *unit) {
  mcpi_json_put_uint(buf, count);
  mcpi_buf_putc(buf, ' ');
  mcpi_say(buf, unit);
  if (count != 1) {
    mcpi_buf_putc(buf, 's');
  }
}

/* Cuts a string to `max` bytes, without cutting a character in two. */
static mcpi_str shorten(mcpi_str string, size_t max) {
  if (string.len > max) {
    string.len = mcpi_utf8_valid_prefix(string.ptr, max);
  }
  return string;
}

void mcpi_say_string(mcpi_buf *buf, mcpi_str string) {
  mcpi_str shown = shorten(string, MAX_STRING);
  mcpi_json_put_string(buf, shown);
  if (shown.len < string.len) {
    mcpi_buf_lit(buf, "...");
  }
}

void mcpi_say_number(mcpi_buf *buf, const mcp_json *number) {
  size_t from = buf->len;
  if (buf->error != 0) {
    return;
  }
  mcpi_json_put_value(buf, number);
  if (buf->error != 0 || buf->len - from > MAX_NUMBER) {
    mcpi_buf_rewind(buf, from);
    mcpi_buf_lit(buf, "(too long to show)");
  }
}

/* --- pointers ----------------------------------------------------------- */

void mcpi_say_token(mcpi_buf *buf, mcpi_str name) {
  mcpi_buf_putc(buf, '/');
  for (size_t i = 0; i < name.len; i++) {
    if (name.ptr[i] == '~') {
      mcpi_buf_lit(buf, "~0");
    } else if (name.ptr[i] == '/') {
      mcpi_buf_lit(buf, "~1");
    } else {
      mcpi_buf_putc(buf, name.ptr[i]);
    }
  }
}

void mcpi_say_index(mcpi_buf *buf, size_t index) {
  mcpi_buf_putc(buf, '/');
  mcpi_json_put_uint(buf, index);
}

/* Writes one step from `parent` towards `value`, and returns the child there.
 */
static const mcp_json *put_step(mcpi_buf *buf, const mcp_json *parent,
                                const mcp_json *value) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *child;
  const mcp_json *found = NULL;
  const mcp_json *found_name = NULL;
  size_t index = 0;
  mcp_json_iter_init(&iter, parent);
  while ((child = mcp_json_iter_next(&iter, &name)) != NULL && child <= value) {
    found = child;
    found_name = name;
    index++;
  }
  if (found_name != NULL) {
    mcpi_say_token(buf, mcpi_json_str(found_name));
  } else if (found != NULL) {
    mcpi_say_index(buf, index - 1);
  }
  return found;
}

void mcpi_say_pointer(mcpi_buf *buf, const mcp_json *root,
                      const mcp_json *value) {
  while (root != NULL && root != value) {
    size_t from = buf->len;
    root = put_step(buf, root, value);
    if (buf->error != 0) {
      mcpi_buf_rewind(buf, from);
      return;
    }
  }
}

void mcpi_say_place(mcpi_buf *buf, const mcp_json *root,
                    const mcp_json *value) {
  size_t from = buf->len;
  if (buf->error != 0) {
    return; /* what comes before did not fit */
  }
  mcpi_say_pointer(buf, root, value);
  mcpi_str all = mcpi_str_n(buf->data + from, buf->len - from);
  mcpi_str shown = shorten(all, MAX_POINTER);
  if (shown.len < all.len) {
    mcpi_buf_rewind(buf, from + shown.len);
    mcpi_buf_lit(buf, "...");
  }
  if (buf->len > 0) {
    mcpi_buf_lit(buf, ": ");
  }
}

/* --- values ------------------------------------------------------------- */

void mcpi_say_value(mcpi_buf *buf, const mcp_json *value) {
  switch (mcp_json_type(value)) {
  case MCP_JSON_BOOL:
    mcpi_say(buf, mcp_json_bool(value) ? "true" : "false");
    break;
  case MCP_JSON_NUMBER:
    mcpi_buf_lit(buf, "the number ");
    mcpi_say_number(buf, value);
    break;
  case MCP_JSON_STRING:
    mcpi_buf_lit(buf, "the string ");
    mcpi_say_string(buf, mcpi_json_str(value));
    break;
  case MCP_JSON_ARRAY:
    mcpi_buf_lit(buf, "an array of ");
    mcpi_say_count(buf, mcp_json_size(value), "item");
    break;
  case MCP_JSON_OBJECT:
    mcpi_buf_lit(buf, "an object with ");
    mcpi_say_count(buf, mcp_json_size(value), "member");
    break;
  default:
    mcpi_say(buf, mcp_json_type_name(mcp_json_type(value)));
    break;
  }
}

/* A value of the schema: scalars as JSON, so that they can be copied. */
void mcpi_say_wanted(mcpi_buf *buf, const mcp_json *value) {
  switch (mcp_json_type(value)) {
  case MCP_JSON_STRING:
    mcpi_say_string(buf, mcpi_json_str(value));
    break;
  case MCP_JSON_NUMBER:
    mcpi_say_number(buf, value);
    break;
  default:
    mcpi_say_value(buf, value);
    break;
  }
}

int mcpi_say_unexpected(mcp_error *err, mcpi_sentence *text,
                        const mcp_json *value, const char *expected) {
  mcpi_buf_lit(&text->buf, "expected ");
  mcpi_say(&text->buf, expected);
  mcpi_buf_lit(&text->buf, ", got ");
  mcpi_say_value(&text->buf, value);
  return mcp_error_set(err, MCP_ERR_SCHEMA, "%.*s", (int)text->buf.len,
                       text->space);
}

int mcpi_schema_error(mcp_error *err, const mcp_json *root,
                      const mcp_json *value, const char *expected) {
  mcpi_sentence text;
  mcpi_sentence_init(&text);
  mcpi_say_place(&text.buf, root, value);
  return mcpi_say_unexpected(err, &text, value, expected);
}

/* --- lists -------------------------------------------------------------- */

/* A list that ends when it gets long: "a", "b" and 7 more. */
typedef struct list {
  mcpi_buf *buf;
  size_t from;
  size_t said;
  size_t unsaid;
} list;

static list list_begin(mcpi_buf *buf) {
  return (list){buf, buf->len, 0, 0};
}

/* Returns 1, after a comma if there must be one, when the next entry fits. */
static int list_next(list *l) {
  if (l->buf->len - l->from > MAX_LIST) {
    l->unsaid++;
    return 0;
  }
  if (l->said++ > 0) {
    mcpi_buf_lit(l->buf, ", ");
  }
  return 1;
}

static void list_end(list *l) {
  if (l->said == 0) {
    mcpi_buf_lit(l->buf, "nothing");
  }
  if (l->unsaid > 0) {
    mcpi_buf_lit(l->buf, " and ");
    mcpi_json_put_uint(l->buf, l->unsaid);
    mcpi_buf_lit(l->buf, " more");
  }
}

void mcpi_say_strings(mcpi_buf *buf, const mcpi_str *strings, size_t count) {
  list l = list_begin(buf);
  for (size_t i = 0; i < count; i++) {
    if (list_next(&l)) {
      mcpi_say_string(buf, strings[i]);
    }
  }
  list_end(&l);
}

void mcpi_say_names(mcpi_buf *buf, const mcp_json *object) {
  mcp_json_iter iter;
  const mcp_json *name;
  list l = list_begin(buf);
  mcp_json_iter_init(&iter, object);
  while (mcp_json_iter_next(&iter, &name) != NULL) {
    if (list_next(&l)) {
      mcpi_say_string(buf, mcpi_json_str(name));
    }
  }
  list_end(&l);
}

/* The values of an array or, with `member`, that member of its objects. */
void mcpi_say_values(mcpi_buf *buf, const mcp_json *array, const char *member) {
  mcp_json_iter iter;
  const mcp_json *value;
  list l = list_begin(buf);
  mcp_json_iter_init(&iter, array);
  while ((value = mcp_json_iter_next(&iter, NULL)) != NULL) {
    if (list_next(&l)) {
      mcpi_say_wanted(buf,
                      member != NULL ? mcp_json_get(value, member) : value);
    }
  }
  list_end(&l);
}
