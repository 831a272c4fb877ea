/* SPDX-License-Identifier: MIT */
#include "generate/text.h"

#include "common/text.h"

#include <stdint.h>
#include <string.h>

enum { WIDTH = 80 };

/* ---- comments ---------------------------------------------------------- */

/* What stands for one character, and its bytes in the text. A character that
 * ctl_text_glyph escapes can change how text is shown. */
static size_t clean_one(const char *at, size_t len, ctl_glyph *glyph) {
  size_t bytes = ctl_text_glyph(at, len, glyph);
  if (glyph->shown[0] == '\\' && *at != '\\') {
    strcpy(glyph->shown, "?");
    glyph->width = 1;
  }
  return bytes;
}

static int is_blank(char byte) {
  return byte == ' ' || (unsigned char)byte < ' ';
}

/* Whether the two would be read as one: the ends of comments, and trigraphs. */
static int is_pair(char before, char after) {
  return (before == '*' && after == '/') || (before == '/' && after == '*') ||
         (before == '?' && after == '?');
}

typedef struct comment {
  FILE *out;
  int indent;
  size_t column;
  int is_empty; /* of words */
} comment;

/* Writes a word, on the next line if this one is full. */
static void comment_put_word(comment *c, const char *word, size_t len) {
  size_t width = 0;
  ctl_glyph glyph;
  char last = '\0';
  for (size_t i = 0; i < len;) {
    i += clean_one(word + i, len - i, &glyph);
    width += glyph.width;
  }
  if (!c->is_empty && c->column + 1 + width + 3 > WIDTH) {
    fprintf(c->out, "\n%*s *", c->indent, "");
    c->column = (size_t)c->indent + 2;
  }
  fputc(' ', c->out);
  c->column += 1 + width;
  c->is_empty = 0;
  for (size_t i = 0; i < len;) {
    i += clean_one(word + i, len - i, &glyph);
    if (is_pair(last, glyph.shown[0])) {
      fputc(' ', c->out);
      c->column++;
    }
    fputs(glyph.shown, c->out);
    last = glyph.shown[0];
  }
}

static void comment_break(comment *c) {
  fprintf(c->out, "\n%*s *", c->indent, "");
  c->column = (size_t)c->indent + 2;
  c->is_empty = 1;
}

void ctl_c_comment(FILE *out, int indent, const char *text) {
  comment c = {out, indent, (size_t)indent + 2, 1};
  fprintf(out, "%*s/*", indent, "");
  for (const char *at = text; *at != '\0';) {
    size_t len = 0;
    while (at[len] != '\0' && !is_blank(at[len])) {
      len++;
    }
    if (len > 0) {
      comment_put_word(&c, at, len);
    }
    at += len;
    for (; is_blank(*at) && *at != '\0'; at++) {
      if (*at == '\n') {
        comment_break(&c);
      }
    }
  }
  fputs(" */\n", out);
}

/* The bytes of whole characters, at most `max`. */
static size_t cut_len(const char *text, size_t max) {
  size_t len = strlen(text);
  size_t end = len < max ? len : max;
  while (end < len && end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80) {
    end--;
  }
  return end;
}

void ctl_c_sentence(FILE *out, const char *text, size_t max) {
  size_t end = cut_len(text, max);
  int is_cut = text[end] != '\0';
  while (end > 0 && is_blank(text[end - 1])) {
    end--;
  }
  if (end == 0) {
    return;
  }
  for (size_t i = 0; i < end; i++) { /* without line feeds */
    fputc(is_blank(text[i]) ? ' ' : text[i], out);
  }
  fputs(is_cut                                   ? "... "
        : strchr(".!?:;", text[end - 1]) != NULL ? " "
                                                 : ". ",
        out);
}

/* ---- strings ----------------------------------------------------------- */

void ctl_c_string(FILE *out, const char *text) {
  ctl_c_string_cut(out, text, SIZE_MAX);
}

void ctl_c_string_cut(FILE *out, const char *text, size_t max) {
  size_t end = cut_len(text, max);
  fputc('"', out);
  for (size_t i = 0; i < end; i++) {
    unsigned char byte = (unsigned char)text[i];
    if (byte == '"' || byte == '\\' || byte == '?') {
      fprintf(out, "\\%c", byte);
    } else if (byte < ' ' || byte > '~') {
      fprintf(out, "\\%03o", byte); /* three digits end the escape */
    } else {
      fputc(byte, out);
    }
  }
  fputs(text[end] != '\0' ? "...\"" : "\"", out);
}
