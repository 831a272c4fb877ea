/* SPDX-License-Identifier: MIT */
/* What `doctor` judges: single values and headers of a server. The input is
 * taken as a text, as two texts with a NUL between them, as the head of an HTTP
 * answer, and as JSON. */
#include "doctor/fetch.h"
#include "doctor/judge.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void require(int holds) {
  if (!holds) {
    abort();
  }
}

static void judge_text(const char *text) {
  size_t len = strlen(text);
  char *url = ctl_doctor_metadata_url(text);
  require(url == NULL || strlen(url) < len);
  free(url);
  require(!ctl_doctor_is_host_name(text, len) ||
          ctl_doctor_is_tool_name(text, len));
  require(!ctl_doctor_is_uri(text) || strchr(text, ':') != NULL);
  ctl_doctor_is_loopback(text);
  ctl_doctor_clock_gap(text, 0);
}

static void judge_head(char *bytes, size_t len) {
  static const char *const names[] = {"Content-Type", "Date", "Location",
                                      "WWW-Authenticate"};
  /* fetch.c ends each line with a NUL, and so also the last one. */
  const ctl_doctor_answer answer = {.head = bytes, .head_len = len + 1};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
    const char *value = ctl_doctor_header(&answer, names[i]);
    while (value != NULL) {
      require(value > bytes && value <= bytes + len);
      const char *next = ctl_doctor_next_header(&answer, names[i], value);
      require(next == NULL || next > value);
      value = next;
    }
  }
  ctl_doctor_is_stream(&answer);
}

static void judge_json(const char *text, size_t len) {
  mcp_doc *doc = mcp_doc_parse(text, len, NULL, NULL, NULL);
  const mcp_json *root = mcp_doc_root(doc);
  if (doc != NULL) {
    ctl_doctor_block_fault(root);
    ctl_doctor_contents_fault(root);
    ctl_doctor_is_template(root);
    ctl_doctor_are_annotations(root);
  }
  mcp_doc_free(doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (text == NULL) {
    return 0;
  }
  memcpy(text, data, size);
  text[size] = '\0';
  const char *other = text + strlen(text);
  other += other < text + size; /* without a NUL: an empty text */
  judge_text(text);
  judge_text(other);
  require(ctl_doctor_is_guessable(text, other) ==
          ctl_doctor_is_guessable(other, text));
  judge_head(text, size);
  judge_json(text, size);
  free(text);
  return 0;
}
