/* SPDX-License-Identifier: MIT */
/* A server on a thread of its own, which writes bytes that no proper server
 * writes. It serves one connection after another. */
#ifndef MCP_TESTS_UNIT_FETCH_KIT_H
#define MCP_TESTS_UNIT_FETCH_KIT_H

#include "support/cm.h"
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* What the server does when a request has come. `repeated` is sent again and
 * again until the client closes the connection. NULL: nothing. */
typedef struct raw_answer {
  const char *first;
  const char *repeated;
  int pause_ms; /* before each repetition */
} raw_answer;

static struct {
  int listener;
  int port;
  pthread_t thread;
  raw_answer answers[8]; /* the last one serves all further requests */
  int answer_count;
  atomic_int connections;
  atomic_int requests;
  char seen[4096]; /* the head of the last request */
} raw;

/* Whether the client has closed its end. Waits at most wait_ms for it. */
static int raw_is_closed(int fd, int wait_ms) {
  struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
  char byte;
  return poll(&poll_fd, 1, wait_ms) > 0 && recv(fd, &byte, 1, 0) <= 0;
}

static int raw_send(int fd, const char *text) {
  return send(fd, text, strlen(text), MSG_NOSIGNAL) > 0;
}

/* Returns 0: the client has closed the connection instead. */
static int raw_read_head(int fd) {
  size_t len = 0;
  while (len < sizeof(raw.seen) - 1) {
    ssize_t got = recv(fd, raw.seen + len, sizeof(raw.seen) - 1 - len, 0);
    if (got <= 0) {
      return 0;
    }
    len += (size_t)got;
    raw.seen[len] = '\0';
    if (strstr(raw.seen, "\r\n\r\n") != NULL) {
      return 1;
    }
  }
  return 0;
}

static void raw_serve(int fd) {
  if (!raw_read_head(fd)) {
    return;
  }
  int at = atomic_fetch_add(&raw.requests, 1);
  const raw_answer *answer =
      &raw.answers[at < raw.answer_count ? at : raw.answer_count - 1];
  if (answer->first != NULL) {
    raw_send(fd, answer->first);
  }
  while (answer->repeated != NULL && !raw_is_closed(fd, answer->pause_ms) &&
         raw_send(fd, answer->repeated)) {
  }
}

static void *raw_run(void *unused) {
  for (;;) {
    int fd = accept(raw.listener, NULL, NULL);
    if (fd < 0) {
      return NULL;
    }
    atomic_fetch_add(&raw.connections, 1);
    raw_serve(fd);
    close(fd);
  }
}

static int raw_set_up(void **state) {
  struct sockaddr_in address = {.sin_family = AF_INET};
  socklen_t len = sizeof(address);
  memset(&raw, 0, sizeof(raw));
  raw.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  assert_int_equal(bind(raw.listener, (struct sockaddr *)&address, len), 0);
  assert_int_equal(listen(raw.listener, 16), 0);
  getsockname(raw.listener, (struct sockaddr *)&address, &len);
  raw.port = ntohs(address.sin_port);
  pthread_create(&raw.thread, NULL, raw_run, NULL);
  return 0;
}

static int raw_tear_down(void **state) {
  shutdown(raw.listener, SHUT_RDWR);
  pthread_join(raw.thread, NULL);
  close(raw.listener);
  return 0;
}

static void raw_add(raw_answer answer) {
  raw.answers[raw.answer_count++] = answer;
}

#define RAW_OK                                                                 \
  "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nfine"

#endif
