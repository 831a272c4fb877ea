/* SPDX-License-Identifier: MIT */
#include "wires/mcp_core/fragments.h"

#include "base/map.h"
#include "codec/content_text.h"
#include "codec/message.h"

static void put_separator(mcpi_buf *out, size_t *count) {
  if ((*count)++ > 0) {
    mcpi_buf_putc(out, ',');
  }
}

/* --- content ------------------------------------------------------------ */

static void put_items(mcpi_buf *out, const mcp_json *content, size_t *count) {
  mcp_json_iter iter;
  const mcp_json *item;
  if (mcp_json_type(content) != MCP_JSON_ARRAY) {
    return;
  }
  mcp_json_iter_init(&iter, content);
  while ((item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    put_separator(out, count);
    mcpi_json_put_value(out, item);
  }
}

static void put_content(mcpi_buf *out, const mcp_json *fragments) {
  mcp_json_iter iter;
  const mcp_json *fragment;
  size_t count = 0;
  mcpi_buf_lit(out, "\"content\":[");
  mcp_json_iter_init(&iter, fragments);
  while ((fragment = mcp_json_iter_next(&iter, NULL)) != NULL) {
    put_items(out, mcpi_json_get(fragment, "content"), &count);
  }
  mcpi_buf_putc(out, ']');
}

/* --- members: the last value of each name is written --------------------- */

typedef struct merge {
  mcpi_map last; /* name -> the last value */
  mcpi_buf *out;
  size_t count;
  size_t objects;
} merge;

static int note_last(merge *m, const mcp_json *object) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  mcp_json_iter_init(&iter, object);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    mcpi_map_remove(&m->last, mcpi_json_str(name));
    int rc =
        mcpi_map_add(&m->last, mcpi_json_str(name), (void *)(uintptr_t)value);
    if (rc != 0) {
      return rc;
    }
  }
  m->objects++;
  return 0;
}

/* Writes those members of the object whose values are the last of their names.
 * Compares pointers, because fragments may have equal values. */
static void fragments_put_last(const merge *m, const mcp_json *object,
                               size_t *count) {
  mcp_json_iter iter;
  const mcp_json *name;
  const mcp_json *value;
  mcp_json_iter_init(&iter, object);
  while ((value = mcp_json_iter_next(&iter, &name)) != NULL) {
    if (mcpi_map_get(&m->last, mcpi_json_str(name)) == value) {
      put_separator(m->out, count);
      mcpi_json_put_value(m->out, name);
      mcpi_buf_putc(m->out, ':');
      mcpi_json_put_value(m->out, value);
    }
  }
}

static const mcp_json *object_in(const mcp_json *fragment, const char *member) {
  const mcp_json *object = mcp_json_get(fragment, member);
  return mcp_json_type(object) == MCP_JSON_OBJECT ? object : NULL;
}

static int note_all(merge *m, const mcp_json *fragments, const char *member) {
  mcp_json_iter iter;
  const mcp_json *fragment;
  int rc = 0;
  mcp_json_iter_init(&iter, fragments);
  while (rc == 0 && (fragment = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const mcp_json *object = object_in(fragment, member);
    rc = object != NULL ? note_last(m, object) : 0;
  }
  return rc;
}

static void put_all(const merge *m, const mcp_json *fragments,
                    const char *member) {
  mcp_json_iter iter;
  const mcp_json *fragment;
  size_t count = 0;
  mcpi_buf_lit(m->out, ",\"");
  mcpi_buf_puts(m->out, mcpi_str_z(member));
  mcpi_buf_lit(m->out, "\":{");
  mcp_json_iter_init(&iter, fragments);
  while ((fragment = mcp_json_iter_next(&iter, NULL)) != NULL) {
    fragments_put_last(m, object_in(fragment, member), &count);
  }
  mcpi_buf_putc(m->out, '}');
}

static int put_merged(mcpi_buf *out, const mcp_json *fragments,
                      const char *member, const mcp_allocator *allocator,
                      const uint64_t seed[2]) {
  merge m = {.out = out};
  mcpi_map_init(&m.last, allocator, seed);
  int rc = note_all(&m, fragments, member);
  if (rc == 0 && m.objects > 0) {
    put_all(&m, fragments, member);
  }
  mcpi_map_deinit(&m.last);
  return rc;
}

/* --- all ---------------------------------------------------------------- */

static void put_is_error(mcpi_buf *out, const mcp_json *fragments) {
  mcp_json_iter iter;
  const mcp_json *fragment;
  const mcp_json *last = NULL;
  mcp_json_iter_init(&iter, fragments);
  while ((fragment = mcp_json_iter_next(&iter, NULL)) != NULL) {
    const mcp_json *value = mcpi_json_get(fragment, "isError");
    last = mcp_json_type(value) == MCP_JSON_BOOL ? value : last;
  }
  if (last != NULL) {
    mcpi_buf_lit(out, ",\"isError\":");
    mcpi_json_put_value(out, last);
  }
}

int mcpi_fragments_put(mcpi_buf *out, const mcp_json *fragments,
                       const mcp_allocator *allocator, const uint64_t seed[2]) {
  mcpi_buf_putc(out, '{');
  put_content(out, fragments);
  int rc = put_merged(out, fragments, "structuredContent", allocator, seed);
  put_is_error(out, fragments);
  rc = rc != 0 ? rc : put_merged(out, fragments, "_meta", allocator, seed);
  mcpi_buf_putc(out, '}');
  return rc != 0 ? rc : out->error;
}

/* --- for a client's caller ---------------------------------------------- */

void mcpi_fragment_put_progress(mcpi_buf *out, mcpi_str token, uint32_t count,
                                const mcp_json *fragment) {
  mcpi_buf text;
  mcpi_buf_init(&text, out->allocator, SIZE_MAX);
  mcpi_content_put_text(&text, fragment);
  mcpi_put_request_head(out, mcpi_str_z(NULL),
                        MCPI_STR("notifications/progress"));
  mcpi_buf_lit(out, ",\"params\":{\"progressToken\":");
  mcpi_buf_puts(out, token);
  mcpi_buf_lit(out, ",\"progress\":");
  mcpi_json_put_uint(out, count);
  if (text.len > 0) {
    mcpi_buf_lit(out, ",\"message\":");
    mcpi_json_put_string(out, mcpi_str_n(text.data, text.len));
  }
  mcpi_buf_lit(out, "}}");
  mcpi_buf_deinit(&text);
}

/* Writes {"partial":RESULT}, the result that the fragments make. */
static int put_partial(mcpi_buf *out, mcpi_str fragments,
                       const uint64_t seed[2]) {
  mcp_doc *doc = NULL;
  mcpi_buf array;
  mcpi_buf_init(&array, out->allocator, SIZE_MAX);
  mcpi_buf_putc(&array, '[');
  mcpi_buf_puts(&array, fragments);
  mcpi_buf_putc(&array, ']');
  int rc = array.error;
  if (rc == 0) {
    rc =
        mcpi_doc_parse(&doc, array.data, array.len, NULL, out->allocator, NULL);
  }
  if (rc == 0) {
    mcpi_buf_lit(out, "{\"partial\":");
    rc = mcpi_fragments_put(out, mcp_doc_root(doc), out->allocator, seed);
    mcpi_buf_putc(out, '}');
  }
  if (rc == 0) {
    rc = out->error;
  }
  mcp_doc_free(doc);
  mcpi_buf_deinit(&array);
  return rc;
}

int mcpi_fragments_put_broken(mcpi_buf *out, mcpi_str id_text,
                              mcpi_str fragments, const uint64_t seed[2]) {
  mcpi_buf data;
  mcpi_buf_init(&data, out->allocator, SIZE_MAX);
  if (fragments.len > 0 && put_partial(&data, fragments, seed) != 0) {
    mcpi_buf_clear(&data); /* the error is more important */
  }
  mcpi_put_error(out, id_text, -32000, MCPI_STR("stream ended before complete"),
                 mcpi_str_n(data.data, data.len));
  mcpi_buf_deinit(&data);
  return out->error;
}
