/* SPDX-License-Identifier: MIT */
#include "common/reveal.h"
#include "common/text.h"

#include <inttypes.h>
#include <stdint.h>
#include <string.h>

/* Characters without a glyph, apart from those that text.h escapes: blanks of
 * no width, joiners, operators, tags, and selectors beyond those of emoji. */
static int is_invisible(uint32_t code) {
  return code == 0xad || code == 0x34f || code == 0x115f || code == 0x1160 ||
         code == 0x180e || (code >= 0x200b && code <= 0x200d) ||
         (code >= 0x2060 && code <= 0x206f) || code == 0x3164 ||
         code == 0xfeff || code == 0xffa0 ||
         (code >= 0xfff9 && code <= 0xfffb) ||
         (code >= 0xe0000 && code <= 0xe0fff);
}

/* The code of a character of valid UTF-8. */
static uint32_t code_of(const char *text, size_t len) {
  static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  uint32_t code = (unsigned char)text[0] & first[len];
  for (size_t i = 1; i < len; i++) {
    code = code << 6 | ((unsigned char)text[i] & 0x3f);
  }
  return code;
}

static size_t reveal_glyph(const char *text, size_t len, ctl_glyph *glyph) {
  size_t count = ctl_text_glyph(text, len, glyph);
  uint32_t code = count > 1 ? code_of(text, count) : 0;
  if (strchr("\n\r\t", text[0]) != NULL && text[0] != '\0') {
    *glyph = (ctl_glyph){.shown = " ", .width = 1};
  } else if (is_invisible(code)) {
    int shown =
        snprintf(glyph->shown, sizeof(glyph->shown),
                 code > 0xffff ? "\\U%08" PRIx32 : "\\u%04" PRIx32, code);
    glyph->width = (size_t)shown;
  }
  return count;
}

void ctl_reveal_put(FILE *out, const char *text, size_t len, size_t max) {
  size_t width = 0;
  ctl_glyph glyph;
  for (size_t at = 0; at < len;) {
    at += reveal_glyph(text + at, len - at, &glyph);
    width += glyph.width;
    if (width > max || (width == max && at < len)) {
      fputs("…", out);
      return;
    }
    fputs(glyph.shown, out);
  }
}

static int continues_character(char byte) {
  return ((unsigned char)byte & 0xc0) == 0x80;
}

size_t ctl_reveal_back(const char *text, size_t at, size_t count) {
  for (; at > 0 && count > 0; count--) {
    at--;
    while (at > 0 && continues_character(text[at])) {
      at--;
    }
  }
  return at;
}

size_t ctl_reveal_difference(const char *a, size_t a_len, const char *b,
                             size_t b_len) {
  size_t at = 0;
  while (at < a_len && at < b_len && a[at] == b[at]) {
    at++;
  }
  int is_inside = (at < a_len && continues_character(a[at])) ||
                  (at < b_len && continues_character(b[at]));
  return is_inside ? ctl_reveal_back(a, at, 1) : at;
}
