/* SPDX-License-Identifier: MIT */
#include "main/log_sink.h"

#include "support/cm.h"
#include <errno.h>
#include <fcntl.h>
#include <mcp/loop.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PIPE_SIZE = 4096, MANY = 1000 };

static int ends[2]; /* a reader's and ours */
static mcpi_log_sink sink;
static char got[256 * 1024];

static void put_notice(mcpi_buf *out, uint64_t lost) {
  char text[64];
  int len = snprintf(text, sizeof(text), "lost %d\n", (int)lost);
  mcpi_buf_put(out, text, (size_t)len);
}

static void begin_pipe_of(int size) {
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  assert_true(fcntl(ends[1], F_SETPIPE_SZ, size) >= size);
  assert_int_equal(fcntl(ends[0], F_SETFL, O_NONBLOCK), 0);
  assert_int_equal(mcpi_log_sink_init(&sink, ends[1], put_notice), 0);
}

static void begin_pipe(void) {
  begin_pipe_of(PIPE_SIZE);
}

static void end(void) {
  mcpi_log_sink_deinit(&sink);
  close(ends[0]);
}

static void put(int number) {
  char line[32];
  int len = snprintf(line, sizeof(line), "line %d\n", number);
  mcpi_log_sink_put(&sink, line, (size_t)len);
}

static void put_many(void) {
  for (int i = 0; i < MANY; i++) {
    put(i);
  }
}

static void read_all(void) {
  ssize_t len;
  size_t used = strlen(got);
  while ((len = read(ends[0], got + used, sizeof(got) - used - 1)) > 0) {
    used += (size_t)len;
    got[used] = '\0';
  }
}

/* Lines that were written come whole and in order, and those that were not are
 * counted where they are missing. Returns the number of the next line. */
static int expect_lines(void) {
  int next = 0;
  char *line = got;
  char *line_end;
  while ((line_end = strchr(line, '\n')) != NULL) {
    int number;
    *line_end = '\0';
    if (sscanf(line, "lost %d", &number) == 1) {
      next += number;
    } else {
      assert_int_equal(sscanf(line, "line %d", &number), 1);
      assert_int_equal(number, next++);
    }
    line = line_end + 1;
  }
  assert_string_equal(line, "");
  got[0] = '\0';
  return next;
}

TEST(a_full_pipe_does_not_block) {
  begin_pipe();
  put_many();
  read_all();
  put(MANY);
  read_all();
  assert_non_null(strstr(got, "\nlost "));
  assert_int_equal(expect_lines(), MANY + 1);
  end();
}

TEST(the_flags_of_others_stay) {
  int pipe_ends[2];
  int saved = dup(STDERR_FILENO);
  assert_int_equal(pipe2(pipe_ends, O_CLOEXEC), 0);
  dup2(pipe_ends[1], STDERR_FILENO);
  assert_int_equal(mcpi_log_sink_init(&sink, STDERR_FILENO, put_notice), 0);
  int flags = fcntl(STDERR_FILENO, F_GETFL);
  put_many();
  mcpi_log_sink_deinit(&sink);
  dup2(saved, STDERR_FILENO);
  close(saved);
  assert_false(flags & O_NONBLOCK);
  assert_false(fcntl(pipe_ends[1], F_GETFL) & O_NONBLOCK);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

/* As where there is no /proc. A pipe of one page is not ready again before all
 * of it is read. */
TEST(a_shared_descriptor_does_not_block) {
  begin_pipe_of(2 * PIPE_SIZE);
  fcntl(sink.fd, F_SETFL, 0);
  sink.kind = MCPI_LOG_SHARED;
  put_many();
  read_all();
  put(MANY);
  read_all();
  assert_int_equal(expect_lines(), MANY + 1);
  end();
}

TEST(a_socket_does_not_block) {
  assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  int size = 4096;
  setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
  assert_int_equal(mcpi_log_sink_init(&sink, ends[1], put_notice), 0);
  put_many();
  read_all();
  put(MANY);
  read_all();
  assert_int_equal(expect_lines(), MANY + 1);
  end();
}

TEST(the_rest_of_a_long_line_follows) {
  enum { LEN = 100 * 1000 };
  char *line = malloc(LEN);
  memset(line, 'x', LEN);
  line[LEN - 1] = '\n';
  begin_pipe();
  mcpi_log_sink_put(&sink, line, LEN);
  put(0);
  for (int i = 0; i < LEN / PIPE_SIZE + 1; i++) {
    read_all();
    put(i + 1);
  }
  read_all();
  assert_memory_equal(got, line, LEN);
  memmove(got, got + LEN, strlen(got + LEN) + 1);
  expect_lines();
  free(line);
  end();
}

TEST(a_loop_writes_when_there_is_room) {
  mcp_loop *loop = mcp_loop_new(NULL, NULL);
  begin_pipe();
  mcpi_log_sink_attach(&sink, mcpi_uv_of(loop));
  put_many();
  uint64_t began = uv_hrtime();
  while (sink.lost > 0 || sink.rest.len > 0) {
    assert_true(uv_hrtime() - began < UINT64_C(30000000000));
    read_all();
    mcp_loop_wait(loop, 10);
  }
  read_all();
  assert_int_equal(expect_lines(), MANY);
  end();
  mcp_loop_free(loop);
}

static void count_poll(uv_handle_t *handle, void *count) {
  *(int *)count += handle->type == UV_POLL && uv_is_active(handle);
}

static int count_active_polls(mcp_loop *loop) {
  int count = 0;
  uv_walk(mcpi_uv_of(loop)->uv, count_poll, &count);
  return count;
}

/* The loop stops to poll: the pipe would always be ready, and the loop spin. */
TEST(a_reader_that_is_gone_is_no_matter) {
  mcp_loop *loop = mcp_loop_new(NULL, NULL);
  begin_pipe();
  mcpi_log_sink_attach(&sink, mcpi_uv_of(loop));
  put_many();
  mcp_loop_wait(loop, 10);
  assert_int_equal(count_active_polls(loop), 1);
  close(ends[0]);
  put_many();
  mcp_loop_wait(loop, 10);
  mcp_loop_wait(loop, 10);
  assert_int_equal(count_active_polls(loop), 0);
  assert_true(sink.lost > 0);
  assert_int_equal(sink.rest.len, 0);
  end();
  mcp_loop_free(loop);
}

static volatile sig_atomic_t sigpipes;

static void on_sigpipe(int signal) {
  sigpipes++;
}

/* The program may have set SIGPIPE to end it, as mcp_main has when it closes
 * the log. */
TEST(a_reader_that_is_gone_raises_no_signal) {
  static const mcpi_log_sink_kind kinds[] = {MCPI_LOG_OWN, MCPI_LOG_SHARED};
  signal(SIGPIPE, on_sigpipe);
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
    begin_pipe();
    sink.kind = kinds[i];
    close(ends[0]);
    put(0);
    assert_int_equal(sink.lost, 1);
    mcpi_log_sink_deinit(&sink);
  }
  signal(SIGPIPE, SIG_IGN);
  assert_int_equal(sigpipes, 0);
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  return tests_run(NULL, NULL);
}
