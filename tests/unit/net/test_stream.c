/* SPDX-License-Identifier: MIT */
/* The line transport, by mcp_transport_fd and mcp_transport_uv_stream. */
#include "support/failing_alloc.h"
#include "support/libmcp/recorder.h"
#include <errno.h>
#include <fcntl.h>
#include <mcp/error.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static mcp_loop *loop;
static recorder r;
static int to_it;   /* what the transport reads */
static int from_it; /* what it wrote */

static int begin(void **state) {
  memset(&r, 0, sizeof(r));
  r.keeps = 1;
  loop = loop_begin();
  return 0;
}

static int end(void **state) {
  recorder_deinit(&r);
  loop_end(loop);
  return 0;
}

static mcp_transport *make(const mcp_stream_options *options) {
  int in[2];
  int out[2];
  make_pipe(in);
  make_pipe(out);
  to_it = in[1];
  from_it = out[0];
  return mcp_transport_fd(loop, in[0], out[1], options, NULL);
}

static void open_pipes(void) {
  recorder_start(&r, make(NULL));
}

/* Ends the input and waits for the transport to end. */
static void close_pipes(void) {
  if (to_it >= 0) {
    close(to_it);
  }
  WAIT_UNTIL(loop, r.close_count == 1);
  if (from_it >= 0) {
    close(from_it);
  }
}

static void expect_text(const char *expected) {
  char *text = read_text(from_it, strlen(expected));
  assert_string_equal(text, expected);
  free(text);
}

#define FIXTURE_TEST(name) TEST_WITH(name, begin, end)

/* --- reading ------------------------------------------------------------- */

FIXTURE_TEST(lines_come_however_they_are_cut) {
  static const char text[] = "{\"a\":1}\n\n  \r\n{\"b\":2}\r\n\xC3\xA9\nlast";
  open_pipes();
  for (size_t i = 0; i + 1 < sizeof(text); i++) {
    assert_int_equal(write(to_it, &text[i], 1), 1);
    assert_int_equal(mcp_loop_step(loop), 0);
  }
  close_pipes();
  size_t blank = r.message_count == 5;
  assert_string_equal(recorder_message(&r, 0), "{\"a\":1}");
  assert_string_equal(recorder_message(&r, 1 + blank), "{\"b\":2}");
  assert_string_equal(recorder_message(&r, 2 + blank), "\xC3\xA9");
  assert_string_equal(recorder_message(&r, 3 + blank), "last");
  assert_int_equal(r.end_count, 1);
  assert_int_equal(r.close_error.code, 0);
}

FIXTURE_TEST(coalesced_lines_come_one_by_one) {
  open_pipes();
  for (int i = 0; i < 1000; i++) {
    char line[16];
    snprintf(line, sizeof(line), "%d\n", i);
    write_text(to_it, line);
  }
  close_pipes();
  assert_int_equal(r.message_count, 1000);
  assert_string_equal(recorder_message(&r, 999), "999");
}

FIXTURE_TEST(a_line_past_the_limit_is_reported_and_skipped) {
  mcp_stream_options options = {.size = sizeof(mcp_stream_options),
                                .max_line = 10};
  recorder_start(&r, make(&options));
  write_text(to_it, "0123456789\n01234567890\nafter\n");
  close_pipes();
  assert_int_equal(r.message_count, 2);
  assert_string_equal(recorder_message(&r, 0), "0123456789");
  assert_string_equal(recorder_message(&r, 1), "after");
  assert_int_equal(r.error_count, 1);
  assert_int_equal(r.error.code, MCP_ERR_LIMIT);
  assert_string_equal(r.error.message, "a line is longer than 10 bytes");
}

FIXTURE_TEST(at_the_end_without_on_end_it_closes_itself) {
  mcp_transport *transport = make(NULL);
  recorder_own(&r, transport);
  transport->on_end = NULL;
  assert_int_equal(transport->start(transport, NULL), 0);
  write_text(to_it, "last");
  close_pipes();
  assert_int_equal(r.message_count, 1);
  assert_int_equal(r.end_count, 0);
}

/* --- writing ------------------------------------------------------------- */

FIXTURE_TEST(sending_goes_on_after_the_end_of_input) {
  r.ignores_end = 1;
  open_pipes();
  close(to_it);
  WAIT_UNTIL(loop, r.end_count == 1);
  recorder_send(&r, "late");
  assert_int_equal(r.close_count, 0);
  r.transport->close(r.transport);
  assert_int_equal(r.close_count, 1); /* from inside */
  expect_text("late\n");
  close(from_it);
}

/* Watches how many writes the replies to one chunk cost, by a socket that keeps
 * them apart. */
FIXTURE_TEST(replies_to_one_chunk_go_in_one_write) {
  int in[2];
  int out[2];
  make_pipe(in);
  assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, out),
                   0);
  r.echoes = 1;
  recorder_start(&r, mcp_transport_fd(loop, in[0], out[1], NULL, NULL));
  write_text(in[1], "1\n2\n3\n");
  WAIT_UNTIL(loop, r.message_count == 3);
  char packet[100];
  assert_int_equal(read(out[0], packet, sizeof(packet)), 6);
  assert_memory_equal(packet, "1\n2\n3\n", 6);
  close(in[1]);
  WAIT_UNTIL(loop, r.close_count == 1);
  close(out[0]);
}

static void dawdle(recorder *self) {
  uv_sleep(3);
}

/* The stream sends replies that have waited for a millisecond before it handles
 * the next line. */
FIXTURE_TEST(a_slow_handler_does_not_hold_back_replies) {
  int in[2];
  int out[2];
  make_pipe(in);
  assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, out),
                   0);
  r.echoes = 1;
  r.on_message = dawdle;
  recorder_start(&r, mcp_transport_fd(loop, in[0], out[1], NULL, NULL));
  write_text(in[1], "1\n2\n");
  WAIT_UNTIL(loop, r.message_count == 2);
  char packet[100];
  assert_int_equal(read(out[0], packet, sizeof(packet)), 2);
  assert_int_equal(read(out[0], packet, sizeof(packet)), 2);
  close(in[1]);
  WAIT_UNTIL(loop, r.close_count == 1);
  close(out[0]);
}

static void send_numbers(int count) {
  for (int i = 0; i < count; i++) {
    char text[1001];
    snprintf(text, sizeof(text), "%01000d", i);
    recorder_send(&r, text);
  }
}

static void expect_numbers(const char *text, int count) {
  for (int i = 0; i < count; i++, text += 1001) {
    char line[1002];
    snprintf(line, sizeof(line), "%01000d\n", i);
    assert_memory_equal(text, line, 1001);
  }
  assert_int_equal(*text, '\0');
}

typedef struct slow_reader {
  int fd;
  char *text;
} slow_reader;

static void read_slowly(void *argument) {
  slow_reader *reader = argument;
  uv_sleep(20);
  reader->text = read_text(reader->fd, SIZE_MAX);
}

FIXTURE_TEST(a_slow_reader_gets_everything_in_order) {
  uv_thread_t thread;
  open_pipes();
  slow_reader reader = {from_it, NULL};
  send_numbers(5000);
  assert_true(r.transport->queued(r.transport) > 1000 * 1000);
  uv_thread_create(&thread, read_slowly, &reader);
  close(to_it);
  WAIT_UNTIL(loop, r.close_count == 1); /* only when all is out */
  uv_thread_join(&thread);
  assert_int_equal(r.close_error.code, 0);
  expect_numbers(reader.text, 5000);
  free(reader.text);
  close(from_it);
}

FIXTURE_TEST(a_full_queue_refuses) {
  mcp_stream_options options = {.size = sizeof(mcp_stream_options),
                                .max_queue = 100 * 1000};
  recorder_start(&r, make(&options));
  char message[1000];
  memset(message, 'm', sizeof(message));
  int rc = 0;
  while (rc == 0) {
    rc = r.transport->send(r.transport, message, sizeof(message), NULL);
  }
  assert_int_equal(rc, MCP_ERR_LIMIT);
  assert_in_range(r.transport->queued(r.transport), 98 * 1000, 100 * 1000);
  char *text = read_text(from_it, 60 * 1000); /* the pipe has room again */
  free(text);
  WAIT_UNTIL(loop, r.transport->queued(r.transport) < 90 * 1000);
  assert_int_equal(
      r.transport->send(r.transport, message, sizeof(message), NULL), 0);
  close(from_it); /* nobody will read the rest */
  from_it = -1;
  close_pipes();
}

static void close_at_once(recorder *self) {
  recorder_send(self, "reply");
  self->transport->close(self->transport);
}

FIXTURE_TEST(closing_inside_a_message_flushes_the_reply) {
  r.on_message = close_at_once;
  open_pipes();
  write_text(to_it, "1\n2\n3\n");
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_int_equal(r.message_count, 1); /* and nothing comes after it */
  expect_text("reply\n");
  close(to_it);
  close(from_it);
}

FIXTURE_TEST(closing_twice_is_closing_once) {
  uv_thread_t thread;
  open_pipes();
  slow_reader reader = {from_it, NULL};
  send_numbers(200); /* more than the pipe holds */
  mcp_transport *transport = r.transport;
  transport->close(transport);
  transport->close(transport);
  assert_int_equal(transport->send(transport, "x", 1, NULL), MCP_ERR_CLOSED);
  assert_int_equal(r.close_count, 0);
  uv_thread_create(&thread, read_slowly, &reader);
  WAIT_UNTIL(loop, r.close_count == 1);
  uv_thread_join(&thread);
  expect_numbers(reader.text, 200);
  free(reader.text);
  close(to_it);
  close(from_it);
}

/* --- a far side that goes ------------------------------------------------ */

FIXTURE_TEST(a_dead_reader_ends_the_channel) {
  open_pipes();
  close(from_it);
  from_it = -1;
  write_text(to_it, "the last words\n");
  assert_int_equal(r.transport->send(r.transport, "x", 1, NULL),
                   MCP_ERR_CLOSED);
  assert_int_equal(r.close_count, 0); /* not inside send */
  assert_int_equal(r.transport->send(r.transport, "x", 1, NULL),
                   MCP_ERR_CLOSED);
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_int_equal(r.message_count, 1); /* what it said before is heard */
  assert_int_equal(r.close_error.code, MCP_ERR_IO);
  assert_int_equal(r.close_error.status, EPIPE);
  close(to_it);
}

FIXTURE_TEST(a_reader_that_dies_while_data_waits) {
  open_pipes();
  send_numbers(200);
  close(from_it);
  from_it = -1;
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_int_equal(r.close_error.code, MCP_ERR_IO);
  close(to_it);
}

FIXTURE_TEST(a_dead_reader_while_closing) {
  open_pipes();
  send_numbers(200);
  r.transport->close(r.transport);
  close(from_it);
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_int_equal(r.close_error.code, MCP_ERR_IO);
  close(to_it);
}

/* Its words lie in the socket still, and so do ours, which it never read: the
 * system counts that as an error of the connection. */
FIXTURE_TEST(a_far_side_that_goes_without_reading_is_heard_out) {
  int fds[2];
  make_socketpair(fds);
  recorder_start(&r, mcp_transport_fd(loop, fds[0], fds[0], NULL, NULL));
  recorder_send(&r, "never read");
  static char lines[100 * 1000]; /* more than one read takes */
  memset(lines, 'm', sizeof(lines));
  for (size_t end = 1000; end <= sizeof(lines); end += 1000) {
    lines[end - 1] = '\n';
  }
  assert_int_equal(write(fds[1], lines, sizeof(lines)), sizeof(lines));
  close(fds[1]);
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_int_equal(r.message_count, 100);
}

/* Both directions are one open file, with one O_NONBLOCK. */
FIXTURE_TEST(a_socket_that_only_talks_blocks_nobody) {
  int fds[2];
  make_socketpair(fds);
  recorder_start(&r, mcp_transport_fd(loop, fds[0], fds[0], NULL, NULL));
  shutdown(fds[1], SHUT_RD);
  assert_int_equal(r.transport->send(r.transport, "x", 1, NULL),
                   MCP_ERR_CLOSED);
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_int_equal(r.close_error.status, EPIPE);
  close(fds[1]);
}

/* --- descriptors --------------------------------------------------------- */

static int is_nonblocking(int fd) {
  return (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0;
}

FIXTURE_TEST(flags_are_as_they_were) {
  int in[2];
  int out[2];
  make_pipe(in);
  make_pipe(out);
  /* Other descriptors of the same open files, as another process has. */
  int same_in = dup(in[0]);
  int same_out = dup(out[1]);
  recorder_start(&r, mcp_transport_fd(loop, in[0], out[1], NULL, NULL));
  assert_true(is_nonblocking(same_in));
  close(in[1]);
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_false(is_nonblocking(same_in));
  assert_false(is_nonblocking(same_out));
  close(same_in);
  close(same_out);
  close(out[0]);
}

FIXTURE_TEST(one_descriptor_serves_both_ways) {
  int fds[2];
  make_socketpair(fds);
  r.echoes = 1;
  recorder_start(&r, mcp_transport_fd(loop, fds[0], fds[0], NULL, NULL));
  write_text(fds[1], "one\ntwo\n");
  WAIT_UNTIL(loop, r.message_count == 2);
  from_it = fds[1];
  expect_text("one\ntwo\n");
  shutdown(fds[1], SHUT_WR);
  WAIT_UNTIL(loop, r.close_count == 1);
  close(fds[1]);
}

FIXTURE_TEST(a_file_is_read_and_written) {
  FILE *in = tmpfile();
  FILE *out = tmpfile();
  for (int i = 0; i < 20000; i++) {
    fprintf(in, "%01000d\n", i);
  }
  fflush(in);
  int in_fd = fcntl(fileno(in), F_DUPFD_CLOEXEC, 3);
  int out_fd = fcntl(fileno(out), F_DUPFD_CLOEXEC, 3);
  lseek(in_fd, 0, SEEK_SET);
  r.echoes = 1;
  r.keeps = 0;
  recorder_start(&r, mcp_transport_fd(loop, in_fd, out_fd, NULL, NULL));
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_int_equal(r.message_count, 20000);
  rewind(out);
  char *text = read_text(fileno(out), SIZE_MAX);
  expect_numbers(text, 20000);
  free(text);
  fclose(in);
  fclose(out);
}

/* A file is not read faster than a slow reader takes the answers. */
FIXTURE_TEST(a_file_waits_for_a_slow_reader) {
  FILE *in = tmpfile();
  int out[2];
  uv_thread_t thread;
  make_pipe(out);
  for (int i = 0; i < 5000; i++) {
    fprintf(in, "%01000d\n", i);
  }
  fflush(in);
  int in_fd = fcntl(fileno(in), F_DUPFD_CLOEXEC, 3);
  lseek(in_fd, 0, SEEK_SET);
  mcp_stream_options options = {.size = sizeof(mcp_stream_options),
                                .max_queue = 300 * 1000};
  r.echoes = 1;
  r.keeps = 0;
  slow_reader reader = {out[0], NULL};
  recorder_start(&r, mcp_transport_fd(loop, in_fd, out[1], &options, NULL));
  uv_thread_create(&thread, read_slowly, &reader);
  WAIT_UNTIL(loop, r.close_count == 1);
  uv_thread_join(&thread);
  expect_numbers(reader.text, 5000);
  free(reader.text);
  fclose(in);
  close(out[0]);
}

FIXTURE_TEST(dev_null_is_an_empty_file) {
  int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  int out = open("/dev/null", O_WRONLY | O_CLOEXEC);
  r.ignores_end = 1;
  recorder_start(&r, mcp_transport_fd(loop, in, out, NULL, NULL));
  WAIT_UNTIL(loop, r.end_count == 1);
  recorder_send(&r, "into the void");
  r.transport->close(r.transport);
  assert_int_equal(r.close_count, 1);
}

FIXTURE_TEST(a_bad_descriptor_is_refused) {
  mcp_error err;
  int fds[2];
  make_pipe(fds);
  assert_null(mcp_transport_fd(loop, fds[0], 999, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_IO);
  assert_int_equal(err.status, EBADF);
  assert_null(mcp_transport_fd(loop, 999, 999, NULL, &err));
  assert_int_equal(err.status, EBADF);
  assert_null(mcp_transport_fd(NULL, fds[0], fds[1], NULL, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  close(fds[0]); /* they are still open */
  assert_int_equal(close(fds[1]), 0);
}

FIXTURE_TEST(one_that_never_started_closes_its_descriptors) {
  mcp_transport_free(make(NULL));
  void (*old)(int) = signal(SIGPIPE, SIG_IGN);
  assert_int_equal(write(to_it, "x", 1), -1); /* nobody reads */
  assert_int_equal(errno, EPIPE);
  signal(SIGPIPE, old);
  close(to_it);
  close(from_it);
}

/* --- streams of libuv's -------------------------------------------------- */

static int closed_count;

static void free_pipe(void *stream) {
  uv_pipe_t *pipe = stream;
  assert_string_equal(pipe->data, "the program's");
  closed_count++;
  free(stream);
}

FIXTURE_TEST(a_uv_stream_is_served_and_closed) {
  int fds[2];
  static char data[] = "the program's";
  uv_loop_t *uv = malloc(sizeof(*uv));
  mcp_loop_options options = {.size = sizeof(mcp_loop_options), .uv_loop = uv};
  closed_count = 0;
  make_socketpair(fds);
  uv_loop_init(uv);
  mcp_loop *given = mcp_loop_new(&options, NULL);
  uv_pipe_t *pipe = malloc(sizeof(*pipe));
  uv_pipe_init(uv, pipe, 0);
  assert_int_equal(uv_pipe_open(pipe, fds[0]), 0);
  pipe->data = data;
  r.echoes = 1;
  recorder_start(&r,
                 mcp_transport_uv_stream(given, pipe, free_pipe, NULL, NULL));
  write_text(fds[1], "one\n");
  WAIT_UNTIL(given, r.message_count == 1);
  shutdown(fds[1], SHUT_WR);
  WAIT_UNTIL(given, closed_count == 1);
  from_it = fds[1];
  expect_text("one\n");
  close(fds[1]);
  mcp_loop_free(given);
  uv_run(uv, UV_RUN_DEFAULT);
  assert_int_equal(uv_loop_close(uv), 0);
  free(uv);
}

FIXTURE_TEST(a_uv_stream_that_is_not_open_is_refused) {
  uv_loop_t uv;
  uv_pipe_t pipe;
  mcp_error err;
  mcp_loop_options options = {.size = sizeof(mcp_loop_options), .uv_loop = &uv};
  uv_loop_init(&uv);
  mcp_loop *given = mcp_loop_new(&options, NULL);
  uv_pipe_init(&uv, &pipe, 0);
  assert_null(mcp_transport_uv_stream(given, &pipe, NULL, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_IO);
  uv_close((uv_handle_t *)&pipe, NULL);
  mcp_loop_free(given);
  uv_run(&uv, UV_RUN_DEFAULT);
  assert_int_equal(uv_loop_close(&uv), 0);
}

/* --- memory -------------------------------------------------------------- */

FIXTURE_TEST(a_steady_stream_asks_for_no_memory) {
  failing_alloc alloc;
  failing_alloc_init(&alloc);
  mcp_loop_options options = {.size = sizeof(mcp_loop_options),
                              .allocator = &alloc.allocator};
  mcp_loop *before = loop;
  loop = mcp_loop_new(&options, NULL);
  r.echoes = 1;
  r.keeps = 0;
  open_pipes();
  size_t calls = 0;
  for (size_t i = 1; i <= 1000; i++) {
    write_text(to_it, "a message of some length, as they are\n");
    WAIT_UNTIL(loop, r.message_count == i);
    expect_text("a message of some length, as they are\n");
    if (i == 3) {
      calls = alloc.calls;
    }
  }
  assert_int_equal(alloc.calls, calls);
  close_pipes();
  mcp_loop_free(loop);
  loop = before;
}

static int serve_once(const mcp_allocator *allocator, void *userdata) {
  mcp_loop_options options = {.size = sizeof(mcp_loop_options),
                              .allocator = allocator};
  mcp_error err = {0};
  int in[2];
  int out[2];
  mcp_loop *own = mcp_loop_new(&options, NULL);
  if (own == NULL) {
    return MCP_ERR_NOMEM;
  }
  make_pipe(in);
  make_pipe(out);
  mcp_transport *made = mcp_transport_fd(own, in[0], out[1], NULL, &err);
  if (made == NULL) {
    close(in[0]);
    close(out[1]);
  } else {
    recorder once = {0};
    recorder_start(&once, made);
    write_text(in[1], "half ");
    mcp_loop_wait(own, 1000);
    if (once.close_count == 0) {
      write_text(in[1], "a line\n");
    }
    close(in[1]);
    in[1] = -1;
    WAIT_UNTIL(own, once.close_count == 1);
    err.code = once.error_count > 0 ? once.error.code : 0;
    if (once.close_error.code != 0) {
      err.code = MCP_ERR_NOMEM;
    }
  }
  close(in[1]);
  close(out[0]);
  mcp_loop_free(own);
  return err.code;
}

FIXTURE_TEST(without_memory_it_fails_in_good_order) {
  size_t descriptors = count_descriptors();
  assert_true(failing_alloc_rerun(serve_once, NULL) >= 5);
  assert_int_equal(count_descriptors(), descriptors);
}
