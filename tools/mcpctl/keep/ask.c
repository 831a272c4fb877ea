/* SPDX-License-Identifier: MIT */
#include "keep/ask.h"
#include "platform/clock.h"
#include "platform/local_socket.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* A process answers with far less, unless its definition is very long. */
enum { MAX_ANSWER = 1024 * 1024 };

/* Does not wait: a process that has stopped accepting counts as none. */
int ctl_keep_connect(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof(address.sun_path)) {
    return -1;
  }
  memcpy(address.sun_path, path, strlen(path) + 1);
  int fd = ctl_local_socket();
  if (fd >= 0 &&
      (connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0 ||
       !ctl_local_is_own(fd))) {
    close(fd);
    fd = -1;
  }
  return fd;
}

static int send_line(int fd, const char *method) {
  char line[128];
  int len =
      snprintf(line, sizeof(line),
               "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"%s\"}\n", method);
  return send(fd, line, (size_t)len, MSG_NOSIGNAL) == len ? 0 : -1;
}

/* Waits until the descriptor can be read. Returns 0 when the time is over. */
static int wait_for(int fd, int64_t end_ns) {
  struct pollfd waited = {.fd = fd, .events = POLLIN};
  int rc;
  do {
    int64_t left_ms = (end_ns - ctl_now_ns() + 999999) / 1000000;
    rc = left_ms > 0 ? poll(&waited, 1, (int)left_ms) : 0;
  } while (rc < 0 && errno == EINTR);
  return rc > 0;
}

static int64_t end_of(int limit_ms) {
  return ctl_now_ns() + (int64_t)limit_ms * 1000000;
}

/* Reads what has come, but not past a line feed: the next line may be for
 * whoever gets the descriptor. Returns the number of bytes, -1 at the end. */
static ssize_t read_part(int fd, char *bytes, size_t room) {
  ssize_t got = recv(fd, bytes, room, MSG_PEEK);
  if (got <= 0) {
    return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
  }
  const char *end = memchr(bytes, '\n', (size_t)got);
  return recv(fd, bytes, end != NULL ? (size_t)(end - bytes) + 1 : (size_t)got,
              0);
}

/* Reads a line. Returns its length; 0: it did not come. */
static size_t read_line(int fd, char *line, int64_t end_ns) {
  size_t len = 0;
  while (len < MAX_ANSWER && wait_for(fd, end_ns)) {
    ssize_t got = read_part(fd, line + len, MAX_ANSWER - len);
    if (got < 0) {
      return 0;
    }
    len += (size_t)got;
    if (len > 0 && line[len - 1] == '\n') {
      return len;
    }
  }
  return 0;
}

/* The result of an answer, as a document of its own. Sets *is_answer to 0 for a
 * notification. */
static mcp_doc *take_result(const char *line, size_t len, int *is_answer) {
  mcp_doc *answer = mcp_doc_parse(line, len, NULL, NULL, NULL);
  const mcp_json *root = mcp_doc_root(answer);
  const mcp_json *result = mcp_json_get(root, "result");
  size_t text_len = 0;
  char *text = result != NULL ? mcp_json_to_text(result, &text_len) : NULL;
  mcp_doc *doc =
      text != NULL ? mcp_doc_parse(text, text_len, NULL, NULL, NULL) : NULL;
  *is_answer = mcp_json_get(root, "id") != NULL;
  mcp_text_free(text);
  mcp_doc_free(answer);
  return doc;
}

mcp_doc *ctl_keep_ask(int fd, const char *method, int limit_ms) {
  char *line = malloc(MAX_ANSWER);
  mcp_doc *result = NULL;
  int64_t end_ns = end_of(limit_ms);
  int is_answer = line == NULL || send_line(fd, method) != 0;
  while (!is_answer) {
    size_t len = read_line(fd, line, end_ns);
    is_answer = 1;
    if (len > 0) {
      result = take_result(line, len, &is_answer);
    }
  }
  free(line);
  return result;
}

int ctl_keep_stop(int fd, int limit_ms) {
  char bytes[256];
  int64_t end_ns = end_of(limit_ms);
  ssize_t got = 1;
  if (send_line(fd, CTL_KEEP_STOP) != 0) {
    return 0; /* it ends already */
  }
  while (got > 0 || (got < 0 && errno == EAGAIN)) {
    if (!wait_for(fd, end_ns)) {
      return MCP_ERR_TIMEOUT;
    }
    got = read(fd, bytes, sizeof(bytes));
  }
  return 0;
}
