/* SPDX-License-Identifier: MIT */
/* Lists of JSON objects as tables. */
#include "common/list.h"
#include "common/exit.h"
#include "common/json.h"
#include "platform/memory.h"

#include <stdlib.h>
#include <string.h>

const mcp_json *ctl_list_find(const mcp_result *result, const char *name) {
  for (size_t i = 0; i < mcp_result_count(result); i++) {
    const mcp_json *entry = mcp_result_item(result, i);
    const char *found = ctl_json_member(entry, "name");
    if (found != NULL && strcmp(found, name) == 0) {
      return entry;
    }
  }
  return NULL;
}

void ctl_list_nearest(ctl_nearest *nearest, const mcp_result *result,
                      const char *name) {
  ctl_nearest_begin(nearest, name, SIZE_MAX);
  for (size_t i = 0; i < mcp_result_count(result); i++) {
    const char *other = ctl_json_member(mcp_result_item(result, i), "name");
    if (other != NULL) {
      ctl_nearest_offer(nearest, other);
    }
  }
}

const char *ctl_list_title(const mcp_json *entry) {
  const char *title = ctl_json_member(entry, "title");
  if (title == NULL) {
    title = mcp_json_string(mcp_json_pointer(entry, "/annotations/title"));
  }
  return title;
}

const char *ctl_list_about(const mcp_json *entry) {
  const char *description = ctl_json_member(entry, "description");
  return description != NULL ? description : ctl_list_title(entry);
}

void ctl_list_add(ctl_table *table,
                  void (*put)(FILE *out, const mcp_json *value),
                  const mcp_json *value) {
  char *text = NULL;
  size_t len = 0;
  FILE *out = ctl_memory_open(&text, &len);
  if (out != NULL) {
    put(out, value);
    ctl_memory_close(out, &text, &len);
  }
  ctl_table_add(table, text);
  free(text);
}

/* A text with a NUL cannot be a C string. */
static const char *entry_text(const mcp_json *entry, const char *member) {
  const mcp_json *value = mcp_json_get(entry, member);
  const char *text = mcp_json_string(value);
  return text == NULL && mcp_json_type(value) == MCP_JSON_STRING
             ? "(contains NUL)"
             : text;
}

static void add_entry(ctl_table *table, const ctl_column *columns, size_t count,
                      const mcp_json *entry) {
  for (size_t i = 0; i < count; i++) {
    if (columns[i].put != NULL) {
      ctl_list_add(table, columns[i].put, entry);
    } else {
      ctl_table_add(table, entry_text(entry, columns[i].member));
    }
  }
}

int ctl_list_print(const mcp_result *result, const char *what,
                   const ctl_column *columns, size_t count) {
  const char *headings[CTL_TABLE_COLUMNS + 1] = {NULL};
  ctl_table table;
  if (mcp_result_count(result) == 0) {
    fprintf(stderr, "The server has no %s.\n", what);
    return CTL_OK;
  }
  for (size_t i = 0; i < count; i++) {
    headings[i] = columns[i].heading;
  }
  ctl_table_init(&table, headings);
  for (size_t i = 0; i < count; i++) {
    table.cuts[i] = columns[i].cut;
  }
  for (size_t i = 0; i < mcp_result_count(result); i++) {
    add_entry(&table, columns, count, mcp_result_item(result, i));
  }
  return ctl_table_print(&table);
}
