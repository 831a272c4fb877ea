/* SPDX-License-Identifier: MIT */
/* Neutralises a server's text for a terminal. */
#include "common/text.h"
#include "platform/width.h"

#include <stdint.h>
#include <string.h>

/* The length of a character with this first byte; 0: no character starts with
 * it. */
static size_t sequence_len(unsigned char first) {
  if (first < 0x80) {
    return 1;
  }
  if (first >= 0xc2 && first <= 0xdf) {
    return 2;
  }
  if ((first & 0xf0) == 0xe0) {
    return 3;
  }
  return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
}

/* Decodes one character, strictly; returns its bytes, or 0. mbrtowc would work
 * only where a UTF-8 locale is installed. */
static size_t decode(const char *text, size_t len, uint32_t *code) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const unsigned char *bytes = (const unsigned char *)text;
  size_t count = sequence_len(bytes[0]);
  if (count == 0 || count > len) {
    return 0;
  }
  uint32_t value = count == 1 ? bytes[0] : bytes[0] & (0x7fu >> count);
  for (size_t i = 1; i < count; i++) {
    if ((bytes[i] & 0xc0) != 0x80) {
      return 0;
    }
    value = value << 6 | (bytes[i] & 0x3f);
  }
  if (value < least[count] || value > 0x10ffff ||
      (value >= 0xd800 && value <= 0xdfff)) {
    return 0;
  }
  *code = value;
  return count;
}

/* Whether a character controls the terminal, or reorders the text around it. */
static int is_control(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
         code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

/* As \x1b or \u202e. */
static void show_escaped(ctl_glyph *glyph, char kind, uint32_t code) {
  int len = snprintf(glyph->shown, sizeof(glyph->shown), "\\%c%0*x", kind,
                     kind == 'x' ? 2 : 4, code);
  glyph->width = (size_t)len;
}

static size_t columns_of(uint32_t code) {
  int width = ctl_width(code);
  /* -1: a character that is not known; most have one column. */
  return width < 0 ? 1 : (size_t)width;
}

size_t ctl_text_glyph(const char *text, size_t len, ctl_glyph *glyph) {
  uint32_t code = 0;
  size_t count = decode(text, len, &code);
  if (count == 0) {
    show_escaped(glyph, 'x', (unsigned char)text[0]);
    return 1;
  }
  if (is_control(code)) {
    show_escaped(glyph, count == 1 ? 'x' : 'u', code);
    return count;
  }
  memcpy(glyph->shown, text, count);
  glyph->shown[count] = '\0';
  glyph->width = columns_of(code);
  return count;
}

/* As ctl_text_glyph, for text on one line: line breaks become blanks. */
static size_t line_glyph(const char *text, size_t len, ctl_glyph *glyph) {
  if (strchr("\n\r\t", text[0]) != NULL) {
    *glyph = (ctl_glyph){.shown = " ", .width = 1};
    return 1;
  }
  return ctl_text_glyph(text, len, glyph);
}

static size_t width_of(const char *text, size_t len) {
  size_t width = 0;
  ctl_glyph glyph;
  for (size_t at = 0; at < len;) {
    at += line_glyph(text + at, len - at, &glyph);
    width += glyph.width;
  }
  return width;
}

size_t ctl_text_width(const char *text) {
  return width_of(text, strlen(text));
}

size_t ctl_text_put_line(FILE *out, const char *text, size_t max) {
  size_t len = strlen(text);
  size_t width = 0;
  int is_cut = ctl_text_width(text) > max;
  size_t room = is_cut && max > 0 ? max - 1 : max; /* for the ellipsis */
  ctl_glyph glyph;
  for (size_t at = 0; at < len;) {
    at += line_glyph(text + at, len - at, &glyph);
    if (width + glyph.width > room) {
      break;
    }
    fputs(glyph.shown, out);
    width += glyph.width;
  }
  if (is_cut && max > 0) {
    fputs("…", out);
    width++;
  }
  return width;
}

/* ---- wrapping ---------------------------------------------------------- */

typedef struct ctl_wrap {
  FILE *out;
  size_t indent;
  size_t width;
  size_t column; /* of the next character */
  size_t blanks; /* to print before the next word, unless it begins a line */
} ctl_wrap;

static int is_blank(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\r';
}

static size_t word_len(const char *text, size_t len) {
  size_t at = 0;
  while (at < len && !is_blank(text[at]) && text[at] != '\n') {
    at++;
  }
  return at;
}

static void start_line(ctl_wrap *wrap) {
  fprintf(wrap->out, "\n%*s", (int)wrap->indent, "");
  wrap->column = wrap->indent;
  wrap->blanks = 0;
}

static int has_room(const ctl_wrap *wrap, size_t columns) {
  return wrap->column <= wrap->width && columns <= wrap->width - wrap->column;
}

/* Prints a word, on a new line if it does not fit. A word that is longer than a
 * line is broken at the line's end. */
static void wrap_put_word(ctl_wrap *wrap, const char *text, size_t len) {
  ctl_glyph glyph;
  if (wrap->column > wrap->indent &&
      !has_room(wrap, wrap->blanks + width_of(text, len))) {
    start_line(wrap);
  }
  if (has_room(wrap, wrap->blanks + 1)) {
    fprintf(wrap->out, "%*s", (int)wrap->blanks, "");
    wrap->column += wrap->blanks;
  }
  wrap->blanks = 0;
  for (size_t at = 0; at < len;) {
    at += line_glyph(text + at, len - at, &glyph);
    if (!has_room(wrap, glyph.width)) {
      start_line(wrap);
    }
    fputs(glyph.shown, wrap->out);
    wrap->column += glyph.width;
  }
}

void ctl_text_put_wrapped(FILE *out, const char *text, size_t indent,
                          size_t width) {
  ctl_wrap wrap = {
      .out = out, .indent = indent, .width = width, .column = indent};
  size_t len = strlen(text);
  for (size_t at = 0; at < len;) {
    size_t word = word_len(text + at, len - at);
    if (word > 0) {
      wrap_put_word(&wrap, text + at, word);
      at += word;
    } else if (text[at++] == '\n') {
      start_line(&wrap);
    } else {
      wrap.blanks++;
    }
  }
}

/* ---- many lines -------------------------------------------------------- */

void ctl_text_put_block(FILE *out, const char *text, size_t len) {
  ctl_glyph glyph;
  for (size_t at = 0; at < len;) {
    if (text[at] == '\r' && at + 1 < len && text[at + 1] == '\n') {
      at++; /* a line of Windows */
    }
    if (text[at] == '\n' || text[at] == '\t') {
      fputc(text[at++], out);
      continue;
    }
    at += ctl_text_glyph(text + at, len - at, &glyph);
    fputs(glyph.shown, out);
  }
}
