/* SPDX-License-Identifier: MIT */
/* A line of the shell. */
#include "common/words.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ctl_words words;
  if (ctl_words_split(&words, (const char *)data, size) == 0 &&
      (words.last_at > size || words.list[words.count] != NULL)) {
    abort();
  }
  ctl_words_deinit(&words);
  return 0;
}
