/* SPDX-License-Identifier: MIT */
#include "doctor/words.h"
#include "common/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ctl_doctor_cut(const char *text, size_t len) {
  static char kept[2][CTL_DOCTOR_WORDS_SIZE + 4];
  static int which;
  char *words = kept[which ^= 1];
  size_t used = len < CTL_DOCTOR_WORDS_SIZE ? len : CTL_DOCTOR_WORDS_SIZE;
  while (used < len && used > 0 && ((unsigned char)text[used] & 0xc0) == 0x80) {
    used--; /* not in the middle of a character */
  }
  memcpy(words, text, used);
  strcpy(words + used, used < len ? "..." : "");
  return words;
}

const char *ctl_doctor_quote(const mcp_json *value) {
  char *text = value != NULL ? ctl_json_text(value) : NULL;
  const char *words =
      text != NULL ? ctl_doctor_cut(text, strlen(text)) : "nothing";
  free(text);
  return words;
}

const mcp_json *ctl_doctor_result(const mcp_json *answer) {
  return mcp_json_get(answer, "result");
}

int64_t ctl_doctor_code(const mcp_json *answer) {
  return mcp_json_int(mcp_json_pointer(answer, "/error/code"));
}

const char *ctl_doctor_words(const mcp_json *answer) {
  const mcp_json *error = mcp_json_get(answer, "error");
  const char *message = ctl_json_member(error, "message");
  char *text = NULL;
  if (error == NULL) {
    return ctl_doctor_quote(ctl_doctor_result(answer));
  }
  if (asprintf(&text, "error %" PRId64 ": %s", ctl_doctor_code(answer),
               message != NULL ? message : "(no message)") < 0) {
    return "an error";
  }
  const char *words = ctl_doctor_cut(text, strlen(text));
  free(text);
  return words;
}
