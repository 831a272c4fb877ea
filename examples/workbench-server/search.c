/* SPDX-License-Identifier: MIT */
/* The tool search_files: a text in names and contents. */
#define _GNU_SOURCE
#include "text.h"
#include "workbench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  /* With more matches than this, the pattern was too short to be useful. */
  MAX_MATCHES = 100,
  /* Bytes of a line that the reply shows. */
  MAX_LINE = 200,
  /* Bytes read for one search: a second or so from a cold disk. */
  MAX_SEARCHED = 64 * 1024 * 1024
};

typedef struct search {
  const folder *root;
  const char *pattern;
  FILE *out;
  size_t match_count;
  size_t searched; /* bytes */
} search;

static int is_full(const search *s) {
  return s->match_count == MAX_MATCHES || s->searched >= MAX_SEARCHED;
}

static void search_name(search *s, const char *relative) {
  if (strstr(relative, s->pattern) != NULL) {
    fprintf(s->out, "%s\n", relative);
    s->match_count++;
  }
}

static void search_lines(search *s, const char *relative, const file *loaded) {
  const char *line = loaded->bytes;
  const char *end = line + loaded->len;
  for (size_t number = 1; line < end && !is_full(s); number++) {
    const char *line_end = memchr(line, '\n', (size_t)(end - line));
    size_t len = (size_t)((line_end != NULL ? line_end : end) - line);
    if (memmem(line, len, s->pattern, strlen(s->pattern)) != NULL) {
      fprintf(s->out, "%s:%zu: %.*s\n", relative, number,
              (int)text_cut(line, len, MAX_LINE), line);
      s->match_count++;
    }
    line += len + 1;
  }
}

/* Searches the name of each file, and its contents when they are readable text
 * that is not too large. */
static void search_file(search *s, const listed *item) {
  file loaded;
  search_name(s, item->relative);
  if (item->is_folder ||
      file_load(s->root, item->relative, MAX_FILE, &loaded) != 0) {
    return;
  }
  s->searched += loaded.len;
  if (file_is_text(&loaded)) {
    search_lines(s, item->relative, &loaded);
  }
  file_free(&loaded);
}

static void search_all(search *s, mcp_call *call, const listing *list) {
  for (size_t i = 0; i < list->count; i++) {
    if (mcp_call_is_cancelled(call)) {
      return;
    }
    if (is_full(s)) {
      fprintf(s->out, "... and perhaps more: only so much is searched\n");
      return;
    }
    search_file(s, &list->items[i]);
  }
}

/* Returns the matches as text. Owned: end it with free. NULL: out of memory. */
static char *matches(search *s, mcp_call *call, const listing *list) {
  char *text = NULL;
  size_t len;
  s->out = open_memstream(&text, &len);
  if (s->out == NULL) {
    return NULL;
  }
  search_all(s, call, list);
  if (fclose(s->out) != 0) {
    free(text);
    return NULL;
  }
  return text;
}

static int reply_matches(mcp_call *call, const workbench *bench,
                         const listing *list) {
  search s = {.root = &bench->root,
              .pattern = mcp_call_string(call, "pattern")};
  if (s.pattern == NULL) {
    return MCP_ERR_INVALID;
  }
  char *text = matches(&s, call, list);
  if (text == NULL) {
    return MCP_ERR_NOMEM;
  }
  int rc = mcp_call_reply_text(call, s.match_count > 0 ? text : "no match");
  free(text);
  return rc;
}

static int on_search_files(mcp_call *call, void *userdata) {
  const workbench *bench = userdata;
  const char *path;
  char relative[PATH_SIZE];
  listing list;
  if (get_optional(call, "path", &path) != 0) {
    return MCP_ERR_INVALID;
  }
  int rc = path_resolve(bench->root.path, path != NULL ? path : "", relative);
  if (rc == 0) {
    rc = listing_load(&list, &bench->root, relative, is_cancelled, call);
  }
  if (rc != 0) {
    return reply_path_failure(call, path != NULL ? path : ".", rc);
  }
  rc = reply_matches(call, bench, &list);
  listing_free(&list);
  return rc;
}

void add_search_tool(mcp_server *server, workbench *bench) {
  mcp_server_add_tool(
      server,
      &(mcp_tool){
          .size = sizeof(mcp_tool),
          .name = "search_files",
          .title = "Search",
          .description = "Finds a text in the names and lines of the files: "
                         "PATH for a name, PATH:LINE: TEXT for a line",
          .input = MCP_OBJECT(
              MCP_STRING("pattern", "What to find, to the letter",
                         .min_length = 1, .max_length = 1000),
              MCP_STRING("path", "Where: a folder or file; default: everywhere",
                         .optional = 1)),
          .hints = MCP_TOOL_READ_ONLY | MCP_TOOL_NOT_OPEN_WORLD,
          .is_blocking = 1,
          .handler = on_search_files,
          .userdata = bench},
      NULL);
}
