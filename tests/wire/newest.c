/* SPDX-License-Identifier: MIT */
/* Transcripts of 2026-07-28 in the newest revision. */
#include "newest.h"

#include "marks.h"
#include "support/revisions.h"
#include <string.h>

char *transcript_in_newest(const char *content) {
  static const char listed[] = "[\"2026-07-28\"";
  static const char alone[] = "2026-07-28";
  text_buf out = {NULL, 0, 0};
  text_adds(&out, "");
  while (*content != '\0') {
    if (strncmp(content, listed, sizeof(listed) - 1) == 0) {
      text_adds(&out, "[" MODERN_NAMES);
      content += sizeof(listed) - 1;
    } else if (strncmp(content, alone, sizeof(alone) - 1) == 0) {
      text_adds(&out, NEWEST_REVISION);
      content += sizeof(alone) - 1;
    } else {
      text_add(&out, content++, 1);
    }
  }
  return out.bytes;
}
