/* SPDX-License-Identifier: MIT */
/* Neutralises a server's text for a terminal.
 *
 * Escape sequences could overwrite printed text, answer for the user, or set
 * the clipboard. So control characters and bidirectional overrides are shown as
 * \x1b or \u202e. Columns are counted as the terminal counts them. */
#ifndef CTL_TEXT_H
#define CTL_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Bytes of the longest character as shown: \U0010ffff and its NUL. */
#define CTL_GLYPH_SIZE 12

/* One character in a form that is safe to show. */
typedef struct ctl_glyph {
  char shown[CTL_GLYPH_SIZE];
  size_t width; /* columns */
} ctl_glyph;

/* The character at the start of `text` (`len` > 0); returns its bytes. A byte
 * that is not UTF-8 is a character of its own. */
size_t ctl_text_glyph(const char *text, size_t len, ctl_glyph *glyph);

/* Columns of the text on one line. */
size_t ctl_text_width(const char *text);

/* Prints the text on one line, with blanks for line breaks. If it is wider than
 * `max` columns, an ellipsis replaces its end. Returns the columns printed. */
size_t ctl_text_put_line(FILE *out, const char *text, size_t max);

/* Prints the text in lines of at most `width` columns, broken between words
 * where possible; the text's own line feeds stay. The caller has printed
 * `indent` columns, and each further line begins with `indent` blanks, so that
 * a server's text cannot look like a label. No line feed at the end. */
void ctl_text_put_wrapped(FILE *out, const char *text, size_t indent,
                          size_t width);

/* Prints the text with its line feeds and tabs. */
void ctl_text_put_block(FILE *out, const char *text, size_t len);

#endif
