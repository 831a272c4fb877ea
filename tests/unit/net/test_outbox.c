/* SPDX-License-Identifier: MIT */
#include "net/outbox.h"

#include "support/failing_alloc.h"
#include "support/libmcp/recorder.h"
#include <errno.h>
#include <fcntl.h>
#include <mcp/error.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fds[2];
static mcpi_outbox outbox;

static int begin(void **state) {
  make_pipe(fds);
  fcntl(fds[1], F_SETFL, O_NONBLOCK);
  mcpi_outbox_init(&outbox, mcp_allocator_default(), 1000 * 1000);
  mcpi_fd_writer_init(&outbox.writer, fds[1]);
  return 0;
}

static int end(void **state) {
  mcpi_outbox_deinit(&outbox);
  close(fds[0]);
  close(fds[1]);
  return 0;
}

static void expect_text(const char *expected) {
  char *text = read_text(fds[0], strlen(expected));
  assert_string_equal(text, expected);
  free(text);
}

#define FIXTURE_TEST(name) TEST_WITH(name, begin, end)

FIXTURE_TEST(what_goes_at_once_is_not_queued) {
  assert_int_equal(mcpi_outbox_write(&outbox, "hello", 5), 0);
  assert_int_equal(mcpi_outbox_waiting(&outbox), 0);
  assert_null(outbox.queue.data);
  expect_text("hello\n");
}

FIXTURE_TEST(what_is_queued_goes_in_order) {
  assert_int_equal(mcpi_outbox_queue(&outbox, "a", 1), 0);
  assert_int_equal(mcpi_outbox_queue(&outbox, "", 0), 0);
  assert_int_equal(mcpi_outbox_queue(&outbox, "bc", 2), 0);
  assert_int_equal(mcpi_outbox_waiting(&outbox), 6);
  assert_int_equal(mcpi_outbox_flush(&outbox), 0);
  assert_int_equal(mcpi_outbox_waiting(&outbox), 0);
  expect_text("a\n\nbc\n");
}

/* Every message, though the pipe takes them in pieces of its own choosing. */
FIXTURE_TEST(a_full_pipe_takes_the_rest_later) {
  enum { LEN = 100 * 1000, COUNT = 5 };
  static char message[LEN];
  size_t got = 0;
  memset(message, 'm', LEN);
  assert_int_equal(mcpi_outbox_write(&outbox, message, LEN), 0);
  size_t waiting = mcpi_outbox_waiting(&outbox);
  assert_in_range(waiting, 1, LEN);
  for (int i = 1; i < COUNT; i++) {
    assert_int_equal(mcpi_outbox_queue(&outbox, message, LEN), 0);
  }
  assert_int_equal(mcpi_outbox_flush(&outbox), MCP_ERR_BUSY);
  for (int more = 1; more || got < COUNT * (LEN + 1);) {
    char buffer[3000];
    ssize_t step = read(fds[0], buffer, sizeof(buffer));
    assert_true(step > 0);
    for (ssize_t i = 0; i < step; i++, got++) {
      assert_int_equal(buffer[i], got % (LEN + 1) == LEN ? '\n' : 'm');
    }
    more = mcpi_outbox_flush(&outbox) != 0;
  }
  assert_int_equal(got, COUNT * (LEN + 1));
}

FIXTURE_TEST(its_limit_counts_what_waits) {
  outbox.max = 10;
  assert_int_equal(mcpi_outbox_queue(&outbox, "0123456789", 10), MCP_ERR_LIMIT);
  assert_int_equal(mcpi_outbox_write(&outbox, "0123456789", 10), MCP_ERR_LIMIT);
  assert_int_equal(mcpi_outbox_queue(&outbox, "012345678", 9), 0);
  assert_int_equal(mcpi_outbox_queue(&outbox, "", 0), MCP_ERR_LIMIT);
  assert_int_equal(mcpi_outbox_flush(&outbox), 0);
  assert_int_equal(mcpi_outbox_queue(&outbox, "", 0), 0);
}

FIXTURE_TEST(a_far_side_that_is_gone_is_told) {
  close(fds[0]);
  errno = 0;
  assert_int_equal(mcpi_outbox_write(&outbox, "x", 1), MCP_ERR_IO);
  assert_int_equal(errno, EPIPE);
  assert_int_equal(mcpi_outbox_queue(&outbox, "x", 1), 0);
  assert_int_equal(mcpi_outbox_flush(&outbox), MCP_ERR_IO);
  make_pipe(fds);
}

FIXTURE_TEST(without_memory_nothing_is_half_queued) {
  failing_alloc alloc;
  mcpi_outbox scarce;
  failing_alloc_init(&alloc);
  alloc.fail_at = 2;
  mcpi_outbox_init(&scarce, &alloc.allocator, SIZE_MAX);
  char message[300];
  memset(message, 'm', sizeof(message));
  assert_int_equal(mcpi_outbox_queue(&scarce, "a", 1), 0);
  assert_int_equal(mcpi_outbox_queue(&scarce, message, sizeof(message)),
                   MCP_ERR_NOMEM);
  assert_int_equal(mcpi_outbox_waiting(&scarce), 2);
  assert_int_equal(mcpi_outbox_queue(&scarce, message, sizeof(message)), 0);
  mcpi_outbox_deinit(&scarce);
}

/* Half a message is out: nothing may follow it. */
FIXTURE_TEST(without_memory_half_a_message_is_fatal) {
  enum { LEN = 200 * 1000 };
  failing_alloc alloc;
  mcpi_outbox scarce;
  char *message = malloc(LEN);
  failing_alloc_init(&alloc);
  alloc.fail_at = 1;
  mcpi_outbox_init(&scarce, &alloc.allocator, SIZE_MAX);
  mcpi_fd_writer_init(&scarce.writer, fds[1]);
  memset(message, 'm', LEN);
  assert_int_equal(mcpi_outbox_write(&scarce, message, LEN), MCP_ERR_IO);
  assert_int_equal(errno, ENOMEM);
  mcpi_outbox_deinit(&scarce);
  free(message);
}
