/* SPDX-License-Identifier: MIT */
/* A transport over pipes whose reader goes away while a write waits. On Windows
 * such a write is under way in the background; elsewhere its bytes wait in the
 * queue. */
#include "support/libmcp/recorder.h"

#include <string.h>

/* Less than a pipe has room for; two of them are more. */
enum { LEN = 40000 };

static mcp_loop *loop;
static recorder r;
static int in[2];
static int out[2];
static char text[LEN + 1];

static void close_fd(int *fd) {
  uv_fs_t request;
  if (*fd >= 0) {
    assert_int_equal(uv_fs_close(NULL, &request, *fd, NULL), 0);
    uv_fs_req_cleanup(&request);
    *fd = -1;
  }
}

static void say(int fd, char *line) {
  uv_fs_t request;
  uv_buf_t bytes = uv_buf_init(line, (unsigned)strlen(line));
  assert_int_equal(uv_fs_write(NULL, &request, fd, &bytes, 1, -1, NULL),
                   bytes.len);
  uv_fs_req_cleanup(&request);
}

static int begin(void **state) {
  memset(&r, 0, sizeof(r));
  memset(text, 'x', LEN);
  loop = loop_begin();
  return 0;
}

static int end(void **state) {
  recorder_deinit(&r);
  close_fd(&in[1]);
  close_fd(&out[0]);
  loop_end(loop);
  return 0;
}

static size_t queued(void) {
  return r.transport != NULL ? r.transport->queued(r.transport) : 0;
}

static void start(int flags) {
  assert_int_equal(uv_pipe(in, flags, flags), 0);
  assert_int_equal(uv_pipe(out, flags, flags), 0);
  recorder_start(&r, mcp_transport_fd(loop, in[0], out[1], NULL, NULL));
}

/* Sends messages one after the other, until a pipe that nobody reads is full.
 * All that waits then is one message, or the rest of one. */
static void fill(void) {
  for (int turns = 0; queued() == 0; turns = 0) {
    recorder_send(&r, text);
    for (; queued() > 0 && turns < 20; turns++) {
      assert_int_equal(mcp_loop_wait(loop, 10), 0);
    }
  }
  assert_in_range(queued(), 1, LEN + 1);
}

#define TEST_PIPES(name) TEST_WITH(name, begin, end)

/* Nothing else is queued, so that no later write finds the error. */
TEST_PIPES(a_write_that_fails_in_the_background_closes_the_transport) {
  start(UV_NONBLOCK_PIPE);
  fill();
  close_fd(&out[0]);
  WAIT_UNTIL(loop, r.close_count > 0);
  assert_int_equal(r.close_error.code, MCP_ERR_IO);
  assert_non_null(strstr(r.close_error.message, "cannot write"));
}

TEST_PIPES(a_write_that_fails_during_the_close_is_reported) {
  start(UV_NONBLOCK_PIPE);
  fill();
  r.transport->close(r.transport);
  assert_int_equal(r.close_count, 0);
  close_fd(&out[0]);
  WAIT_UNTIL(loop, r.close_count > 0);
  assert_int_equal(r.close_error.code, MCP_ERR_IO);
}

/* Windows writes to a pipe like this one in another thread. */
TEST_PIPES(a_write_to_a_blocking_pipe_fails_in_the_background_too) {
  start(0);
  fill();
  close_fd(&out[0]);
  WAIT_UNTIL(loop, r.close_count > 0);
  assert_int_equal(r.close_error.code, MCP_ERR_IO);
}

/* What came before the peer left is read first. */
TEST_PIPES(messages_are_read_after_a_write_has_failed) {
  start(UV_NONBLOCK_PIPE);
  fill();
  char line[] = "{\"a\":1}\n";
  say(in[1], line);
  close_fd(&out[0]);
  WAIT_UNTIL(loop, r.close_count > 0);
  assert_int_equal(r.message_count, 1);
  assert_int_equal(r.close_error.code, MCP_ERR_IO);
}
