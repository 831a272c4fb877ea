/* SPDX-License-Identifier: MIT */
#include "shell/reader_input.h"
#include "common/copy.h"
#include "platform/interrupt.h"
#include "platform/wait.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 4096 };

/* Waits until there is input, and reads some. */
static int input_read(ctl_input *input, ctl_session *session) {
  char *longer = realloc(input->bytes, input->len + PART);
  if (longer == NULL) {
    return -1;
  }
  input->bytes = longer;
  while (!ctl_session_turn(session, CTL_STANDARD_INPUT)) {
    if (session->is_closed || ctl_interrupt_has_come()) {
      return -1;
    }
  }
  long len = ctl_input_read(CTL_STANDARD_INPUT, longer + input->len, PART);
  if (len < 0) {
    return errno == EINTR || errno == EAGAIN ? 0 : -1;
  }
  input->len += (size_t)len;
  input->has_ended = len == 0;
  return 0;
}

/* Takes the first `len` bytes, and `skipped` more. */
static char *take(ctl_input *input, size_t len, size_t skipped) {
  char *line = ctl_copy(input->bytes, len);
  input->len -= len + skipped;
  memmove(input->bytes, input->bytes + len + skipped, input->len);
  return line;
}

char *ctl_input_next(ctl_input *input, ctl_session *session) {
  for (;;) {
    const char *end =
        input->len > 0 ? memchr(input->bytes, '\n', input->len) : NULL;
    if (end != NULL) {
      size_t len = (size_t)(end - input->bytes);
      int is_crlf = len > 0 && end[-1] == '\r'; /* a line of Windows */
      return take(input, len - (is_crlf ? 1 : 0), is_crlf ? 2 : 1);
    }
    if (input->has_ended) {
      return input->len > 0 ? take(input, input->len, 0) : NULL;
    }
    if (input_read(input, session) != 0) {
      return NULL;
    }
  }
}

void ctl_input_deinit(ctl_input *input) {
  free(input->bytes);
}
