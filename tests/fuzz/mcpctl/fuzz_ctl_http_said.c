/* SPDX-License-Identifier: MIT */
/* The answer of a server at a URL that refuses a request: two bytes for the
 * status, the lines of the head, a NUL, and the body. */
#include "common/report.h"
#include "connection/http_said.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In a block of its own size, so that a read past the end is seen. NULL: it is
 * empty. */
static char *block(const char *bytes, size_t len) {
  char *copy = len > 0 ? malloc(len) : NULL;
  if (copy != NULL) {
    memcpy(copy, bytes, len);
  }
  return copy;
}

static void report(const mcp_http_answer *answer) {
  ctl_http_said said = {0};
  mcp_error err;
  ctl_http_said_take(&said, answer);
  mcp_error_set(&err, MCP_ERR_REFUSED, "the server refused the request");
  err.status = answer->status;
  ctl_http_said_report(&said, &err);
  const char *notes = ctl_report_notes();
  if (answer->status < 300 && notes != NULL) {
    abort();
  }
  ctl_http_said_forget(&said);
  ctl_report_forget();
}

/* mcpctl reports on standard error, which would fill a log. A sanitizer reports
 * there, too: ASAN_OPTIONS=log_path=stdout shows what it says. */
static void report_quietly(const mcp_http_answer *answer) {
  static int nowhere = -1;
  int kept = dup(STDERR_FILENO);
  if (nowhere < 0) {
    nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  }
  dup2(nowhere, STDERR_FILENO);
  report(answer);
  dup2(kept, STDERR_FILENO);
  close(kept);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2) {
    return 0;
  }
  const char *head = (const char *)data + 2;
  const char *nul = size > 2 ? memchr(head, '\0', size - 2) : NULL;
  size_t head_len = nul != NULL ? (size_t)(nul - head) : size - 2;
  size_t body_len = nul != NULL ? size - 2 - head_len - 1 : 0;
  char *head_block = block(head, head_len);
  char *body_block = nul != NULL ? block(nul + 1, body_len) : NULL;
  const mcp_http_answer answer = {
      .size = sizeof(answer),
      .status = 200 + (data[0] * 256 + data[1]) % 400,
      .head = head_block,
      .head_len = head_len,
      .body = body_block,
      .body_len = body_len,
  };
  report_quietly(&answer);
  free(head_block);
  free(body_block);
  return 0;
}
