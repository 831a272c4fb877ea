/* SPDX-License-Identifier: MIT */
/* Prints JSON as text.
 *
 * Starts from the compact text that the library writes, in which numbers keep
 * the digits that the server sent, and indents it character by character. */
#include "common/json.h"
#include "common/exit.h"
#include "common/report.h"
#include "common/term.h"
#include "common/text.h"

#include <stdlib.h>
#include <string.h>

char *ctl_json_text(const mcp_json *value) {
  mcp_builder *builder = mcp_builder_new(NULL, NULL);
  mcp_builder_value(builder, NULL, value);
  const char *text = mcp_builder_text(builder, NULL);
  char *copy = text != NULL ? strdup(text) : NULL;
  mcp_builder_free(builder);
  return copy;
}

/* The text, with each byte that is not UTF-8 escaped. Owned; NULL when out of
 * memory. */
static char *escape_bytes(const char *text) {
  size_t left = strlen(text);
  char *escaped = malloc(left * strlen("\\xff") + 1);
  char *end = escaped;
  while (escaped != NULL && left > 0) {
    ctl_glyph glyph;
    size_t len = ctl_text_glyph(text, left, &glyph);
    int is_utf8 = len > 1 || (unsigned char)*text < 0x80;
    size_t size = is_utf8 ? len : strlen(glyph.shown);
    memcpy(end, is_utf8 ? text : glyph.shown, size);
    end += size;
    text += len;
    left -= len;
  }
  if (escaped != NULL) {
    *end = '\0';
  }
  return escaped;
}

int ctl_json_put_typed(mcp_builder *builder, const char *name,
                       const char *text) {
  char *escaped = escape_bytes(text);
  int rc = escaped != NULL ? mcp_builder_string(builder, name, escaped)
                           : MCP_ERR_NOMEM;
  free(escaped);
  return rc;
}

/* Prints a string with its quotes. Returns its length in the text. The text is
 * valid UTF-8 and the string ends in a quote, so no check for the end of the
 * text is needed. */
static size_t json_put_string(FILE *out, const char *text) {
  size_t at = 1;
  ctl_glyph glyph;
  fputc('"', out);
  while (text[at] != '"') {
    if (text[at] == '\\') {
      fwrite(text + at, 1, 2, out);
      at += 2;
      continue;
    }
    at += ctl_text_glyph(text + at, 4, &glyph);
    /* JSON has no \x. The only control character below 0x80 that may be
     * unescaped in JSON is DEL. */
    int is_delete = glyph.shown[0] == '\\' && glyph.shown[1] == 'x';
    fputs(is_delete ? "\\u007f" : glyph.shown, out);
  }
  fputc('"', out);
  return at + 1;
}

static void put_break(FILE *out, int depth) {
  fprintf(out, "\n%*s", depth * 2, "");
}

/* Prints one structural character with its white space. */
static void put_mark(FILE *out, const char *text, int *depth) {
  int opens = text[0] == '{' || text[0] == '[';
  int closes = text[0] == '}' || text[0] == ']';
  *depth -= closes;
  if (closes && text[-1] != '{' && text[-1] != '[') {
    put_break(out, *depth);
  }
  fputc(text[0], out);
  *depth += opens;
  if (text[0] == ':') {
    fputc(' ', out);
  } else if (text[0] == ',' || (opens && text[1] != '}' && text[1] != ']')) {
    put_break(out, *depth);
  }
}

static void json_put_text(FILE *out, const char *text, int is_indented) {
  int depth = 0;
  for (size_t at = 0; text[at] != '\0';) {
    if (text[at] == '"') {
      at += json_put_string(out, text + at);
      continue;
    }
    if (is_indented) {
      put_mark(out, text + at, &depth);
    } else {
      fputc(text[at], out);
    }
    at++;
  }
}

/* For the whole process, as standard output is. */
static int has_printed;

int ctl_json_has_printed(void) {
  return has_printed;
}

void ctl_json_forget(void) {
  has_printed = 0;
}

void ctl_json_print_text(const char *text) {
  has_printed = 1;
  json_put_text(stdout, text, ctl_term_is_terminal(stdout));
  fputc('\n', stdout);
}

void ctl_json_write(FILE *out, const char *text) {
  json_put_text(out, text, 1);
  fputc('\n', out);
}

int ctl_json_print(const mcp_json *value) {
  char *text = ctl_json_text(value);
  if (text == NULL) {
    return ctl_report(CTL_USAGE, "out of memory");
  }
  ctl_json_print_text(text);
  free(text);
  return CTL_OK;
}

int ctl_json_print_built(mcp_builder *builder) {
  const char *text = mcp_builder_text(builder, NULL);
  int code = CTL_OK;
  if (text != NULL) {
    ctl_json_print_text(text);
  } else {
    code = ctl_report(CTL_USAGE, "%s", mcp_builder_error(builder)->message);
  }
  mcp_builder_free(builder);
  return code;
}

const char *ctl_json_member(const mcp_json *object, const char *name) {
  return mcp_json_string(mcp_json_get(object, name));
}
