/* SPDX-License-Identifier: MIT */
/* What fuzzers of scenes have in common: an input in steps, which are texts
 * with a line "%" between them; marks in texts, which are "$" and a character;
 * and conditions that must hold. */
#ifndef TESTS_FUZZ_STEPS_H
#define TESTS_FUZZ_STEPS_H

#include "base/buf.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

static inline void check(int condition) {
  if (!condition) {
    abort();
  }
}

/* Takes the next step of the rest. 0: there is no further step. */
static inline int next_step(mcpi_str *rest, mcpi_str *step) {
  static const char mark[] = "\n%\n";
  if (rest->len == 0) {
    return 0;
  }
  const char *end = memmem(rest->ptr, rest->len, mark, 3);
  size_t len = end != NULL ? (size_t)(end - rest->ptr) : rest->len;
  size_t used = end != NULL ? len + 3 : len;
  *step = mcpi_str_n(rest->ptr, len);
  *rest = mcpi_str_n(rest->ptr + used, rest->len - used);
  return 1;
}

/* Appends the text that a mark stands for. MARK_LAST: it has also appended the
 * rest of the text, which the mark concerns. MARK_UNKNOWN: there is no such
 * mark, and the character stays as it is. */
enum { MARK_DONE, MARK_LAST, MARK_UNKNOWN };
typedef int (*mark_cb)(const void *of, mcpi_buf *out, char mark, mcpi_str rest);

static inline void expand(mcpi_buf *out, mcpi_str text, mark_cb put,
                          const void *of) {
  for (size_t i = 0; i < text.len; i++) {
    int found = MARK_UNKNOWN;
    if (text.ptr[i] == '$' && i + 1 < text.len) {
      mcpi_str rest = mcpi_str_n(text.ptr + i + 2, text.len - i - 2);
      found = put(of, out, text.ptr[i + 1], rest);
    }
    if (found == MARK_LAST) {
      return;
    }
    if (found == MARK_UNKNOWN) {
      mcpi_buf_putc(out, text.ptr[i]);
    }
    i += found == MARK_DONE;
  }
}

static inline void put_text(mcpi_buf *out, const char *text) {
  mcpi_buf_puts(out, mcpi_str_z(text));
}

#endif
