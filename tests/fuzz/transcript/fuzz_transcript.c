/* SPDX-License-Identifier: MIT */
/* A wire transcript (tests/wire/transcript.h): whole lines to a server of
 * everything or to a client, what the program does meanwhile, and HTTP requests
 * to an endpoint. */
#include "wire/transcript.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  if (len > 16384) {
    return 0;
  }
  char *text = calloc(len + 1, 1);
  if (text == NULL) {
    abort();
  }
  if (len > 0) {
    memcpy(text, data, len);
  }
  transcript_try(text);
  free(text);
  return 0;
}
