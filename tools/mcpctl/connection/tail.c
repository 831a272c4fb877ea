/* SPDX-License-Identifier: MIT */
/* The end of what the server wrote to its standard error. */
#include "connection/tail.h"
#include "common/text.h"

#include <string.h>

void ctl_tail_add(ctl_tail *tail, const char *bytes, size_t len) {
  if (len > CTL_TAIL_SIZE) {
    bytes += len - CTL_TAIL_SIZE;
    len = CTL_TAIL_SIZE;
  }
  size_t kept = tail->len;
  if (kept > CTL_TAIL_SIZE - len) {
    kept = CTL_TAIL_SIZE - len;
  }
  memmove(tail->bytes, tail->bytes + tail->len - kept, kept);
  memcpy(tail->bytes + kept, bytes, len);
  tail->len = kept + len;
}

/* Where the last lines begin. */
static size_t start_of_lines(const ctl_tail *tail, size_t end) {
  int lines = 0;
  size_t at = end;
  while (at > 0) {
    lines += tail->bytes[at - 1] == '\n';
    if (lines == CTL_TAIL_LINES) {
      break;
    }
    at--;
  }
  return at;
}

/* The length without a repetition: a server that exits on the probe for its era
 * is started again and may write the same text twice. */
static size_t without_echo(const ctl_tail *tail) {
  size_t half = tail->len / 2;
  int is_echo =
      tail->len % 2 == 0 && memcmp(tail->bytes, tail->bytes + half, half) == 0;
  return is_echo ? half : tail->len;
}

void ctl_tail_print(const ctl_tail *tail) {
  size_t end = without_echo(tail);
  if (end > 0 && tail->bytes[end - 1] == '\n') {
    end--;
  }
  if (end == 0) {
    return;
  }
  size_t start = start_of_lines(tail, end);
  fputs("The server's last lines on standard error:\n", stderr);
  ctl_text_put_block(stderr, tail->bytes + start, end - start);
  fputc('\n', stderr);
}
