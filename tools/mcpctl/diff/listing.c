/* SPDX-License-Identifier: MIT */
#include "diff/listing.h"
#include "common/exit.h"
#include "common/file.h"
#include "common/json.h"
#include "common/report.h"

#include <stdlib.h>
#include <string.h>

const ctl_listing_list ctl_listing_lists[CTL_LISTING_LISTS] = {
    {"tools", "name"},
    {"prompts", "name"},
    {"resources", "uri"},
    {"resourceTemplates", "uriTemplate"},
};

/* ---- order ------------------------------------------------------------- */

/* An entry with its place in the list: qsort does not keep the order of equal
 * entries. */
typedef struct placed {
  const mcp_json *key;
  const mcp_json *entry;
  size_t index;
} placed;

static int compare_keys(const mcp_json *a, const mcp_json *b) {
  size_t a_len = 0;
  size_t b_len = 0;
  const char *a_text = mcp_json_string_n(a, &a_len);
  const char *b_text = mcp_json_string_n(b, &b_len);
  size_t len = a_len < b_len ? a_len : b_len;
  int order = len > 0 ? memcmp(a_text, b_text, len) : 0;
  return order != 0 ? order : (a_len > b_len) - (a_len < b_len);
}

static int compare_placed(const void *a, const void *b) {
  const placed *first = a;
  const placed *second = b;
  int order = compare_keys(first->key, second->key);
  return order != 0
             ? order
             : (first->index > second->index) - (first->index < second->index);
}

int ctl_sorted_compare(const char *key, const mcp_json *a, const mcp_json *b) {
  if (a == NULL || b == NULL) {
    return (a == NULL) - (b == NULL);
  }
  return compare_keys(mcp_json_get(a, key), mcp_json_get(b, key));
}

int ctl_listing_sort(const mcp_json **entries, size_t count, const char *key) {
  placed *all = calloc(count + 1, sizeof(*all));
  if (all == NULL) {
    return MCP_ERR_NOMEM;
  }
  for (size_t i = 0; i < count; i++) {
    all[i] = (placed){mcp_json_get(entries[i], key), entries[i], i};
  }
  qsort(all, count, sizeof(*all), compare_placed);
  for (size_t i = 0; i < count; i++) {
    entries[i] = all[i].entry;
  }
  free(all);
  return 0;
}

int ctl_sorted_init(ctl_sorted *sorted, const mcp_json *list, const char *key) {
  mcp_json_iter iter;
  const mcp_json *entry;
  sorted->count = 0;
  sorted->entries = calloc(mcp_json_size(list) + 1, sizeof(void *));
  if (sorted->entries == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcp_json_iter_init(&iter, list);
  while ((entry = mcp_json_iter_next(&iter, NULL)) != NULL) {
    sorted->entries[sorted->count++] = entry;
  }
  return ctl_listing_sort(sorted->entries, sorted->count, key);
}

void ctl_sorted_deinit(ctl_sorted *sorted) {
  free(sorted->entries);
}

/* ---- form -------------------------------------------------------------- */

static int check_list(const mcp_json *root, const ctl_listing_list *list,
                      mcp_error *err) {
  const mcp_json *entries = mcp_json_get(root, list->name);
  mcp_json_iter iter;
  const mcp_json *entry;
  size_t number = 0;
  if (entries != NULL && mcp_json_type(entries) != MCP_JSON_ARRAY) {
    return mcp_error_set(err, MCP_ERR_INVALID, "\"%s\" is not an array",
                         list->name);
  }
  mcp_json_iter_init(&iter, entries);
  while ((entry = mcp_json_iter_next(&iter, NULL)) != NULL) {
    number++;
    if (mcp_json_type(mcp_json_get(entry, list->key)) != MCP_JSON_STRING) {
      return mcp_error_set(err, MCP_ERR_INVALID,
                           "entry %zu of \"%s\" has no string \"%s\"", number,
                           list->name, list->key);
    }
  }
  return 0;
}

/* An object without any list may be any JSON. */
int ctl_listing_check(const mcp_json *root, mcp_error *err) {
  int is_listing = mcp_json_get(root, "server") != NULL;
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < CTL_LISTING_LISTS; i++) {
    const ctl_listing_list *list = &ctl_listing_lists[i];
    is_listing |= mcp_json_get(root, list->name) != NULL;
    rc = check_list(root, list, err);
  }
  return rc != 0 || is_listing
             ? rc
             : mcp_error_set(err, MCP_ERR_INVALID,
                             "it is not a file that mcpctl snapshot wrote");
}

int ctl_listing_parse(mcp_doc **out, const char *text, size_t len,
                      mcp_error *err) {
  int rc = ctl_file_parse(out, text, len, err);
  if (rc == 0) {
    rc = ctl_listing_check(mcp_doc_root(*out), err);
  }
  if (rc != 0) {
    mcp_doc_free(*out);
    *out = NULL;
  }
  return rc;
}

int ctl_listing_read(mcp_doc **out, const char *path) {
  size_t len = 0;
  mcp_error err = {0};
  char *text = ctl_file_read(path, &len, &err);
  if (text == NULL) {
    return ctl_report(CTL_USAGE, "%s", err.message);
  }
  int rc = ctl_listing_parse(out, text, len, &err);
  free(text);
  return rc == 0 ? CTL_OK
                 : ctl_report(CTL_USAGE, "%s: %s", ctl_file_name(path),
                              err.message);
}
