/* SPDX-License-Identifier: MIT */
/* Transcripts of 2026-07-28 in the newest revision. */
#include "newest.h"

#include "support/revisions.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *transcript_in_newest(const char *content) {
  static const char listed[] = "[\"2026-07-28\"";
  static const char alone[] = "2026-07-28";
  char *result;
  size_t len;
  FILE *out = open_memstream(&result, &len);
  while (*content != '\0') {
    if (strncmp(content, listed, sizeof(listed) - 1) == 0) {
      fputs("[" MODERN_NAMES, out);
      content += sizeof(listed) - 1;
    } else if (strncmp(content, alone, sizeof(alone) - 1) == 0) {
      fputs(NEWEST_REVISION, out);
      content += sizeof(alone) - 1;
    } else {
      putc(*content++, out);
    }
  }
  fclose(out);
  return result;
}
