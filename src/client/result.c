/* SPDX-License-Identifier: MIT */
#include "client/result.h"

#include "base/base64.h"

struct mcp_result {
  mcpi_block *block; /* the one this lies in */
  const mcpi_method *row;
  mcpi_result_page *pages;
  size_t page_count;
  /* Pointers to all entries, so that walking them by index is cheap. */
  const mcp_json **items;
  size_t item_count;
  mcpi_buf decoded; /* a blob, after the first mcp_result_bytes */
  int is_checked;
  int is_task;
};

/* The array of entries in a result, or the object that is its only one, or
 * NULL. The program's own methods may list in the same members. */
static const mcp_json *find_items(const mcpi_method *row,
                                  const mcp_json *json) {
  static const char *const names[] = {"content", "contents", "messages"};
  if (row != NULL && row->items != NULL) {
    return mcp_json_get(json, row->items);
  }
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    const mcp_json *items = mcp_json_get(json, names[i]);
    if (mcp_json_type(items) == MCP_JSON_ARRAY) {
      return items;
    }
  }
  return NULL;
}

static size_t count_items(const mcpi_result_page *pages, size_t count,
                          const mcpi_method *row) {
  size_t total = 0;
  for (size_t i = 0; i < count; i++) {
    const mcp_json *items = find_items(row, pages[i].json);
    int is_entry = mcp_json_type(items) == MCP_JSON_OBJECT;
    total += is_entry ? 1 : mcp_json_size(items);
  }
  return total;
}

static void add_items(mcp_result *result, const mcp_json *items) {
  mcp_json_iter iter;
  const mcp_json *item;
  if (mcp_json_type(items) == MCP_JSON_OBJECT) {
    result->items[result->item_count++] = items;
    return;
  }
  mcp_json_iter_init(&iter, items);
  while ((item = mcp_json_iter_next(&iter, NULL)) != NULL) {
    result->items[result->item_count++] = item;
  }
}

static void add_pages(mcp_result *result, const mcpi_result_page *pages,
                      size_t count) {
  for (size_t i = 0; i < count; i++) {
    mcpi_message_ref(pages[i].message);
    result->pages[i] = pages[i];
    add_items(result, find_items(result->row, pages[i].json));
  }
  result->page_count = count;
}

mcp_result *mcpi_result_new(mcpi_pool *pool, const mcpi_result_page *pages,
                            size_t count, const mcpi_method *row) {
  /* Both counts are bounded by the memory that their messages lie in. */
  size_t items = count_items(pages, count, row);
  mcpi_block *block =
      mcpi_block_take(pool, sizeof(mcp_result) + count * sizeof(*pages) +
                                items * sizeof(const mcp_json *));
  if (block == NULL) {
    return NULL;
  }
  mcp_result *result = mcpi_block_data(block);
  mcpi_result_page *first = (mcpi_result_page *)(void *)(result + 1);
  *result = (mcp_result){.block = block, .row = row, .pages = first};
  result->items = (const mcp_json **)(void *)(first + count);
  mcpi_buf_init(&result->decoded, pool->allocator, SIZE_MAX);
  add_pages(result, pages, count);
  return result;
}

void mcpi_result_set_checked(mcp_result *result, int is_checked) {
  result->is_checked = is_checked;
}

void mcpi_result_set_task(mcp_result *result) {
  result->is_task = 1;
}

int mcpi_result_is_task(const mcp_result *result) {
  return result != NULL && result->is_task;
}

/* The first blob of a resource, as base64; ptr NULL: there is none. */
static mcpi_str find_blob(const mcp_result *result) {
  mcpi_str blob = {NULL, 0};
  for (size_t i = 0; i < result->item_count && blob.ptr == NULL; i++) {
    blob = mcpi_json_member_str(result->items[i], "blob");
  }
  return blob;
}

size_t mcpi_result_size(const mcp_result *result) {
  size_t bytes = sizeof(mcpi_block) + result->block->cap;
  bytes += find_blob(result).len / 4 * 3; /* it may be decoded later */
  for (size_t i = 0; i < result->page_count; i++) {
    bytes += mcpi_message_size(result->pages[i].message);
  }
  return bytes;
}

mcp_result *mcpi_result_empty(mcpi_pool *pool) {
  static const mcpi_message_limits limits = {2, 1, 1};
  mcpi_message *message;
  if (mcpi_message_parse(&message, pool, "{}", 2, &limits, NULL) != 0) {
    return NULL;
  }
  mcpi_result_page page = {message, message->root};
  mcp_result *result = mcpi_result_new(pool, &page, 1, NULL);
  mcpi_message_unref(message);
  return result;
}

mcp_result *mcp_result_ref(mcp_result *result) {
  if (result != NULL) {
    mcpi_block_ref(result->block);
  }
  return result;
}

void mcp_result_unref(mcp_result *result) {
  if (result == NULL) {
    return;
  }
  mcpi_block *block = result->block;
  if (block->refs == 1) {
    mcpi_buf_deinit(&result->decoded);
    for (size_t i = 0; i < result->page_count; i++) {
      mcpi_message_unref(result->pages[i].message);
    }
  }
  mcpi_block_unref(block);
}

/* --- looking at one ----------------------------------------------------- */

const mcp_json *mcp_result_json(const mcp_result *result) {
  return result != NULL ? result->pages[result->page_count - 1].json : NULL;
}

size_t mcp_result_count(const mcp_result *result) {
  return result != NULL ? result->item_count : 0;
}

const mcp_json *mcp_result_item(const mcp_result *result, size_t index) {
  return index < mcp_result_count(result) ? result->items[index] : NULL;
}

/* A prompt's messages have their content one level down. */
static const mcp_json *result_text_of(const mcp_json *item) {
  const mcp_json *text = mcp_json_get(item, "text");
  if (mcp_json_type(text) != MCP_JSON_STRING) {
    text = mcp_json_pointer(item, "/content/text");
  }
  return mcp_json_type(text) == MCP_JSON_STRING ? text : NULL;
}

static const mcp_json *first_text(const mcp_result *result) {
  const mcp_json *text = NULL;
  for (size_t i = 0; i < mcp_result_count(result) && text == NULL; i++) {
    text = result_text_of(result->items[i]);
  }
  return text;
}

const char *mcp_result_text(const mcp_result *result) {
  return mcp_json_string(first_text(result));
}

const char *mcp_result_text_n(const mcp_result *result, size_t *len) {
  return mcp_json_string_n(first_text(result), len);
}

/* An empty blob has bytes too: the NUL. */
static int decode_blob(mcp_result *result) {
  mcpi_buf *decoded = &result->decoded;
  mcpi_str blob = find_blob(result);
  if (decoded->len > 0) {
    return 0;
  }
  if (blob.ptr == NULL || mcpi_base64_decode(decoded, blob) != 0) {
    return MCP_ERR_PARSE;
  }
  mcpi_buf_putc(decoded, '\0');
  if (decoded->error != 0) {
    mcpi_buf_clear(decoded);
    return MCP_ERR_NOMEM;
  }
  return 0;
}

const void *mcp_result_bytes(mcp_result *result, size_t *len) {
  const char *text = mcp_result_text_n(result, len);
  if (text != NULL || result == NULL || decode_blob(result) != 0) {
    return text;
  }
  if (len != NULL) {
    *len = result->decoded.len - 1;
  }
  return result->decoded.data;
}

const mcp_json *mcp_result_structured(const mcp_result *result) {
  return mcp_json_get(mcp_result_json(result), "structuredContent");
}

int mcp_result_is_failure(const mcp_result *result) {
  return mcp_json_bool(mcp_json_get(mcp_result_json(result), "isError"));
}

int mcp_result_is_checked(const mcp_result *result) {
  return result != NULL && result->is_checked;
}
