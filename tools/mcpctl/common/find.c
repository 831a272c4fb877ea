/* SPDX-License-Identifier: MIT */
#include "common/find.h"

#include <string.h>
#include <strings.h>

char *ctl_find_word(const char *text, const char *word) {
  size_t len = strlen(word);
  for (;; text++) {
    if (strncasecmp(text, word, len) == 0) {
      return (char *)text;
    }
    if (*text == '\0') {
      return NULL;
    }
  }
}

const char *ctl_find_last(const char *bytes, char byte, size_t len) {
  while (len > 0) {
    if (bytes[--len] == byte) {
      return bytes + len;
    }
  }
  return NULL;
}

const char *ctl_find_bytes(const char *bytes, size_t len, const char *wanted,
                           size_t wanted_len) {
  for (; len >= wanted_len; bytes++, len--) {
    if (memcmp(bytes, wanted, wanted_len) == 0) {
      return bytes;
    }
  }
  return NULL;
}
