/* SPDX-License-Identifier: MIT */
/* Text from a server on its way to a terminal.
 *
 * A server is not trusted with the terminal: escape sequences could move the
 * cursor over what was printed, answer for the user, or set the clipboard. So
 * control characters are shown as \x1b or \u202e, bidirectional overrides
 * among them, and columns are counted as the terminal does. */
#ifndef CTL_TEXT_H
#define CTL_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Bytes of the longest character as shown: \U0010ffff and its NUL. */
#define CTL_GLYPH_SIZE 12

/* One character as it may be shown. */
typedef struct ctl_glyph {
  char shown[CTL_GLYPH_SIZE];
  size_t width; /* columns */
} ctl_glyph;

/* The character at the start of `text` (`len` > 0); returns its bytes. A byte
 * that is not UTF-8 is a character of its own. */
size_t ctl_text_glyph(const char *text, size_t len, ctl_glyph *glyph);

/* Columns of the text on one line. */
size_t ctl_text_width(const char *text);

/* Prints on one line, line breaks as blanks. Of what is wider than `max`
 * columns the end is replaced by an ellipsis. Returns the columns printed. */
size_t ctl_text_put_line(FILE *out, const char *text, size_t max);

/* Prints in lines of at most `width` columns, broken between words where that
 * is possible; the text's own line feeds stay. The caller has printed `indent`
 * columns, and as many blanks begin each further line: nothing of a server's
 * stands at the left edge, where our labels do. No line feed at the end. */
void ctl_text_put_wrapped(FILE *out, const char *text, size_t indent,
                          size_t width);

/* Prints line by line: line feeds and tabs pass. */
void ctl_text_put_block(FILE *out, const char *text, size_t len);

#endif
