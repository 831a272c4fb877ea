/* SPDX-License-Identifier: MIT */
/* Files that the user names, and the JSON in them. */
#include "common/file.h"
#include "platform/files.h"
#include "platform/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ----------------------------------------------------------- */

static char *file_read_all(FILE *in, size_t *len) {
  char *text = NULL;
  char part[4096];
  size_t count = 0;
  FILE *out = ctl_memory_open(&text, len);
  if (out == NULL) {
    return NULL;
  }
  while ((count = fread(part, 1, sizeof(part), in)) > 0) {
    fwrite(part, 1, count, out);
  }
  int has_failed = ferror(in);
  if (ctl_memory_close(out, &text, len) != 0 || has_failed) {
    free(text);
    return NULL;
  }
  return text;
}

const char *ctl_file_name(const char *path) {
  return strcmp(path, "-") == 0 ? "standard input" : path;
}

char *ctl_file_read(const char *path, size_t *len, mcp_error *err) {
  FILE *in = strcmp(path, "-") == 0 ? stdin : ctl_stream_to_read(path);
  char *text = in != NULL ? file_read_all(in, len) : NULL;
  if (text == NULL) {
    mcp_error_set(err, MCP_ERR_IO, "cannot read %s: %s", ctl_file_name(path),
                  strerror(errno));
  }
  if (in != NULL && in != stdin) {
    fclose(in);
  }
  return text;
}

/* ---- JSON -------------------------------------------------------------- */

static int begins_character(char byte) {
  return ((unsigned char)byte & 0xc0) != 0x80;
}

ctl_place ctl_file_place(const char *text, size_t len, size_t offset) {
  ctl_place place = {1, 1};
  for (size_t i = 0; i < len && i < offset; i++) {
    if (text[i] == '\n') {
      place.line++;
      place.column = 1;
    } else if (begins_character(text[i])) {
      place.column++;
    }
  }
  return place;
}

int ctl_file_parse(mcp_doc **out, const char *text, size_t len,
                   mcp_error *err) {
  static const char mark[] = "\xef\xbb\xbf"; /* of some editors on Windows */
  mcp_error cause;
  size_t skipped = len >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
  text += skipped;
  len -= skipped;
  *out = mcp_doc_parse(text, len, NULL, NULL, &cause);
  if (*out != NULL) {
    return 0;
  }
  ctl_place place = ctl_file_place(text, len, (size_t)cause.offset);
  /* A line and a column are easier to find than the message's byte. */
  mcp_error_set(err, cause.code, "line %zu, column %zu: %s", place.line,
                place.column, cause.message);
  err->offset = cause.offset + (int64_t)skipped;
  return cause.code;
}
