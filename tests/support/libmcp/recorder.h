/* SPDX-License-Identifier: MIT */
/* The owner of a transport, which writes down what the transport reports, and
 * helpers for loops and descriptors. */
#ifndef MCP_TESTS_RECORDER_H
#define MCP_TESTS_RECORDER_H

#include "support/cm.h"
#include <mcp/transport.h>
#include <uv.h>

typedef struct recorder {
  mcp_transport *transport; /* NULL once released */
  /* What to do: */
  int echoes;      /* sends each message back */
  int ignores_end; /* does not close at the end of input */
  int keeps;       /* keeps messages' texts; else counts them only */
  void (*on_message)(struct recorder *recorder); /* NULL: nothing more */
  void *userdata;
  /* What has happened: */
  char **messages;
  size_t message_count;
  size_t message_bytes;
  size_t error_count;
  mcp_error error;
  size_t end_count;
  size_t restart_count;
  size_t open_count; /* of one that opens later */
  size_t close_count;
  mcp_error close_error; /* code 0: an ordinary end */
} recorder;

/* Takes the transport; after on_close it is released. */
void recorder_own(recorder *recorder, mcp_transport *transport);
/* The same, and starts it. */
void recorder_start(recorder *recorder, mcp_transport *transport);
void recorder_send(recorder *recorder, const char *message);
/* The message at that place. */
const char *recorder_message(const recorder *recorder, size_t index);
/* Forgets everything. */
void recorder_deinit(recorder *recorder);

/* Runs the loop until the condition holds; fails after 30 seconds. */
#define WAIT_UNTIL(loop, condition)                                            \
  for (uint64_t started_ = uv_hrtime(); !(condition);) {                       \
    assert_true(uv_hrtime() - started_ < UINT64_C(30000000000));               \
    assert_int_equal(mcp_loop_wait((loop), 1000), 0);                          \
  }

/* A loop whose allocator checks sizes and leaks, which loop_end asserts,
 * descriptors too. */
mcp_loop *loop_begin(void);
void loop_end(mcp_loop *loop);

/* Pipes and sockets that children do not inherit. */
void make_pipe(int fds[2]);
void make_socketpair(int fds[2]);
/* Writes all of a text to a descriptor that has room for it. */
void write_text(int fd, const char *text);
/* Reads until the end, or until `len` bytes have come; NUL-terminated, to be
 * freed with free(). */
char *read_text(int fd, size_t len);

/* Descriptors that this process has open. */
size_t count_descriptors(void);

#endif
