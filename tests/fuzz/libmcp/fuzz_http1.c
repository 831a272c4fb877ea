/* SPDX-License-Identifier: MIT */
/* A connection of the HTTP/1.1 server: what a client sends, cut as its first
 * bytes say, gives the same requests and answers as in one piece. The rest of
 * the first byte chooses what the application does. */
#include "http1/http1.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_BODY = 2000, REFUSES = 1, STREAMS = 2, LATE = 4 };

static mcp_loop *loop;
static mcpi_http1 *http1;
static int mode;
static const mcp_http_responder *responder;
static void *late; /* an exchange to be answered after the turn */

typedef struct text {
  char *bytes;
  size_t len;
  size_t cap;
} text;

static text *log_text;

static void put(text *to, const char *bytes, size_t len) {
  if (to->cap - to->len < len) {
    to->cap = 2 * to->cap + len;
    to->bytes = realloc(to->bytes, to->cap);
  }
  if (len > 0) {
    memcpy(to->bytes + to->len, bytes, len);
  }
  to->len += len;
}

static void put_text(text *to, const char *string) {
  put(to, string, strlen(string) + 1);
}

/* --- the application ----------------------------------------------------- */

static void answer(void *exchange) {
  static const mcp_http_header type = {"Content-Type", "text/plain"};
  if (mode & STREAMS) {
    responder->begin(exchange, 200, &type, 1);
    responder->write(exchange, "o", 1);
    responder->write(exchange, "k", 1);
    responder->end(exchange);
  } else {
    responder->respond(exchange, mode & REFUSES ? 403 : 200, &type, 1, "ok", 2);
  }
}

static void *on_head(void *userdata, const mcp_http_request *request,
                     const mcp_http_responder *given, void *exchange) {
  (void)userdata;
  responder = given;
  put_text(log_text, request->method);
  put_text(log_text, request->target);
  for (size_t i = 0; i < request->header_count; i++) {
    put_text(log_text, request->headers[i].name);
    put_text(log_text, request->headers[i].value);
  }
  if (mode & REFUSES) {
    answer(exchange);
    return NULL;
  }
  return exchange;
}

static void on_body(void *handle, const char *body, size_t len) {
  if (len > MAX_BODY) {
    abort();
  }
  put(log_text, body, len);
  if (mode & LATE) {
    late = handle;
  } else {
    answer(handle);
  }
}

static void on_gone(void *handle) {
  if (late == handle) {
    late = NULL;
  }
  put_text(log_text, "gone");
}

static void set_up(void) {
  const mcpi_http1_limits limits = {.max_connections = 2,
                                    .max_head = 1000,
                                    .max_headers = 10,
                                    .max_body = MAX_BODY,
                                    .max_queue = 1000000,
                                    .max_waiting = 64 * 1024 * 1024,
                                    .head_ms = 1000000,
                                    .body_ms = 1000000,
                                    .idle_ms = 1000000,
                                    .write_ms = 1000000};
  const mcpi_http1_app app = {
      .on_head = on_head, .on_body = on_body, .on_gone = on_gone};
  loop = mcp_loop_new(NULL, NULL);
  http1 = mcpi_http1_new(loop, &limits, &app, NULL);
  if (http1 == NULL) {
    abort();
  }
}

/* --- the client ---------------------------------------------------------- */

/* Dates differ from run to run, and 100 (Continue) comes only before a body
 * that is not there yet. */
static void drop(text *from, const char *begin, const char *end) {
  char *at = from->bytes;
  size_t len = from->len;
  char *found;
  while (len > 0 && (found = memmem(at, len, begin, strlen(begin))) != NULL) {
    len -= (size_t)(found - at);
    char *stop = memmem(found, len, end, strlen(end));
    if (stop == NULL) {
      return;
    }
    stop += strlen(end);
    size_t gone = (size_t)(stop - found);
    memmove(found, stop, len - gone);
    from->len -= gone;
    len -= gone;
    at = found;
  }
}

static void turn(int fd, text *answers) {
  char bytes[4096];
  ssize_t got;
  mcp_loop_step(loop);
  while (late != NULL) {
    void *exchange = late;
    late = NULL;
    answer(exchange);
    mcp_loop_step(loop);
  }
  while ((got = read(fd, bytes, sizeof(bytes))) > 0) {
    put(answers, bytes, (size_t)got);
  }
}

static void run(const char *bytes, size_t len, size_t step, text *seen,
                text *answers) {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) != 0) {
    abort();
  }
  log_text = seen;
  mcpi_http1_serve(http1, fds[0], "unix");
  while (len > 0) {
    size_t part = len < step ? len : step;
    if (send(fds[1], bytes, part, MSG_NOSIGNAL) < 0 && errno != EAGAIN) {
      break; /* it has closed */
    }
    bytes += part;
    len -= part;
    turn(fds[1], answers);
    turn(fds[1], answers);
  }
  shutdown(fds[1], SHUT_WR);
  for (int i = 0; mcpi_http1_connection_count(http1) > 0; i++) {
    turn(fds[1], answers);
    if (i > 1000) {
      abort(); /* it does not end */
    }
  }
  turn(fds[1], answers);
  close(fds[1]);
  drop(answers, "Date: ", "\r\n");
  drop(answers, "HTTP/1.1 100", "\r\n\r\n");
}

/* A trailer that is too long and malformed is refused for the fault that the
 * parser meets first, and where the input is cut decides which that is. */
static const char trailer_fault[] = "The request's trailer is too long.\n";

static int has_long_trailer(const text *answers) {
  return answers->len > 0 && memmem(answers->bytes, answers->len, trailer_fault,
                                    strlen(trailer_fault)) != NULL;
}

static void level_trailers(text answers[2]) {
  if (has_long_trailer(&answers[0]) != has_long_trailer(&answers[1])) {
    for (int i = 0; i < 2; i++) {
      drop(&answers[i], "HTTP/1.1 431", trailer_fault);
      drop(&answers[i], "HTTP/1.1 400", "The request is malformed.\n");
    }
  }
}

static int is_same(const text *a, const text *b) {
  return a->len == b->len &&
         (a->len == 0 || memcmp(a->bytes, b->bytes, a->len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
  text seen[2] = {{0}, {0}};
  text answers[2] = {{0}, {0}};
  if (loop == NULL) {
    set_up();
  }
  if (len < 2 || len > 16384) {
    return 0;
  }
  mode = data[0] & 7;
  const char *bytes = (const char *)data + 2;
  run(bytes, len - 2, len, &seen[0], &answers[0]);
  run(bytes, len - 2, (size_t)data[1] + 1, &seen[1], &answers[1]);
  level_trailers(answers);
  if (!is_same(&seen[0], &seen[1]) || !is_same(&answers[0], &answers[1])) {
    abort();
  }
  for (int i = 0; i < 2; i++) {
    free(seen[i].bytes);
    free(answers[i].bytes);
  }
  return 0;
}
