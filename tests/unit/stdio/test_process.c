/* SPDX-License-Identifier: MIT */
/* Children are shell commands. A shell that ignores SIGTERM first writes a line
 * that says so, before a test relies on it. */
#include "stdio/process.h"

#include "support/failing_alloc.h"
#include "support/libmcp/recorder.h"
#include <errno.h>
#include <fcntl.h>
#include <mcp/client.h>
#include <mcp/error.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static mcp_loop *loop;
static recorder r;
static mcp_transport *newest; /* that mcp_transport_process has returned */

/* The arguments of the options' callbacks. */
static struct {
  size_t exit_count;
  int64_t status;
  int signal;
  size_t stderr_len;
  char stderr_text[200];
} told;

static int begin(void **state) {
  memset(&r, 0, sizeof(r));
  memset(&told, 0, sizeof(told));
  r.keeps = 1;
  loop = loop_begin();
  return 0;
}

static int end(void **state) {
  recorder_deinit(&r);
  loop_end(loop);
  return 0;
}

static void on_exit_told(mcp_transport *transport, int64_t status, int signal,
                         void *userdata) {
  assert_ptr_equal(transport, newest);
  assert_ptr_equal(userdata, &told);
  told.exit_count++;
  told.status = status;
  told.signal = signal;
}

static void on_stderr(mcp_transport *transport, const char *bytes, size_t len,
                      void *userdata) {
  assert_ptr_equal(transport, newest);
  assert_ptr_equal(userdata, &told);
  size_t room = sizeof(told.stderr_text) - 1 - told.stderr_len;
  if (told.stderr_len < sizeof(told.stderr_text) - 1) {
    memcpy(told.stderr_text + told.stderr_len, bytes, len < room ? len : room);
  }
  told.stderr_len += len;
}

static mcp_process_options options_of(const char *const *argv) {
  return (mcp_process_options){.size = sizeof(mcp_process_options),
                               .argv = argv,
                               .on_exit = on_exit_told,
                               .userdata = &told,
                               .stderr_fd = -1,
                               .close_wait_ms = 10000,
                               .term_wait_ms = 10000};
}

static mcp_transport *make(const mcp_process_options *options) {
  newest = mcp_transport_process(loop, options, NULL);
  assert_non_null(newest);
  return newest;
}

/* The transport copies them: the next call may change the arguments. */
static mcp_process_options shell(const char *script) {
  static const char *argv[] = {"sh", "-c", NULL, NULL};
  argv[2] = script;
  return options_of(argv);
}

static void start_shell(const char *script) {
  const mcp_process_options options = shell(script);
  recorder_start(&r, make(&options));
}

/* Waits until it has ended by itself. */
static void run(const mcp_process_options *options) {
  recorder_start(&r, make(options));
  WAIT_UNTIL(loop, r.close_count == 1);
}

static void run_shell(const char *script) {
  const mcp_process_options options = shell(script);
  run(&options);
}

static void wait_for_messages(size_t count) {
  WAIT_UNTIL(loop, r.message_count >= count);
}

static void close_and_wait(void) {
  r.transport->close(r.transport);
  WAIT_UNTIL(loop, r.close_count == 1);
}

#define FIXTURE_TEST(name) TEST_WITH(name, begin, end)

/* --- speaking ------------------------------------------------------------ */

FIXTURE_TEST(it_is_spoken_with) {
  start_shell("exec cat");
  recorder_send(&r, "one");
  recorder_send(&r, "two");
  wait_for_messages(2);
  assert_string_equal(recorder_message(&r, 1), "two");
  close_and_wait();
  assert_int_equal(r.close_error.code, 0);
  assert_int_equal(told.exit_count, 1);
  assert_int_equal(told.status, 0);
  assert_int_equal(told.signal, 0);
}

/* libuv then learns nothing of the child's end. */
FIXTURE_TEST(a_program_may_take_sigchld) {
  mcp_process_options options = shell("exec cat");
  struct sigaction of_libuv;
  const struct sigaction of_program = {.sa_handler = SIG_DFL};
  options.close_wait_ms = 20;
  recorder_start(&r, make(&options));
  assert_int_equal(sigaction(SIGCHLD, &of_program, &of_libuv), 0);
  close_and_wait();
  assert_int_equal(sigaction(SIGCHLD, &of_libuv, NULL), 0);
  assert_int_equal(told.exit_count, 1);
}

FIXTURE_TEST(what_was_sent_before_closing_arrives) {
  char path[] = "/tmp/mcp-test-XXXXXX";
  int fd = mkstemp(path);
  char script[100];
  snprintf(script, sizeof(script), "sleep 0.05; cat >%s", path);
  start_shell(script);
  char message[1000];
  memset(message, 'm', sizeof(message) - 1);
  message[sizeof(message) - 1] = '\0';
  for (int i = 0; i < 300; i++) { /* more than the pipe holds */
    recorder_send(&r, message);
  }
  close_and_wait();
  assert_int_equal(lseek(fd, 0, SEEK_END), 300 * 1000);
  close(fd);
  unlink(path);
}

static void answer_and_close(recorder *self) {
  recorder_send(self, "answer");
  self->transport->close(self->transport);
}

FIXTURE_TEST(closing_inside_a_message_ends_its_input) {
  r.on_message = answer_and_close;
  start_shell("echo question; exec cat"); /* which ends with its input */
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_int_equal(told.signal, 0);
  assert_int_equal(told.status, 0);
}

FIXTURE_TEST(a_command_that_is_not_there) {
  /* A path, for a name is sought in PATH, where a folder may be forbidden. */
  const char *argv[] = {"/no/such/command", NULL};
  mcp_process_options options = options_of(argv);
  mcp_error err;
  mcp_transport *transport = make(&options);
  recorder_own(&r, transport);
  assert_int_equal(transport->start(transport, &err), MCP_ERR_IO);
  assert_int_equal(err.status, ENOENT);
  assert_string_equal(err.message, "cannot start \"/no/such/command\": "
                                   "no such file or directory");
  options.working_directory = "/no/such/folder";
  argv[0] = "cat";
  transport->release(transport);
  transport = make(&options);
  assert_int_equal(transport->start(transport, &err), MCP_ERR_IO);
  assert_string_equal(err.message,
                      "cannot start \"cat\": the working directory "
                      "\"/no/such/folder\": no such file or directory");
  transport->release(transport);
  assert_int_equal(told.exit_count, 0);
}

FIXTURE_TEST(a_path_is_looked_up_in_the_working_directory) {
  const char *argv[] = {"./no-such-command", NULL};
  mcp_process_options options = options_of(argv);
  mcp_error err;
  options.working_directory = "/tmp";
  mcp_transport *transport = make(&options);
  recorder_own(&r, transport);
  assert_int_equal(transport->start(transport, &err), MCP_ERR_IO);
  assert_int_equal(err.status, ENOENT);
  assert_string_equal(err.message,
                      "cannot start \"./no-such-command\" in the working "
                      "directory \"/tmp\", where the system looks for it: no "
                      "such file or directory");
  transport->release(transport);
}

FIXTURE_TEST(without_a_command_there_is_none) {
  const char *argv[] = {NULL};
  mcp_process_options options = options_of(argv);
  mcp_error err;
  assert_null(mcp_transport_process(loop, &options, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_null(mcp_transport_process(loop, NULL, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
}

/* --- its surroundings ---------------------------------------------------- */

FIXTURE_TEST(its_environment_is_the_safe_one) {
  const char *env[] = {"MCP_TEST_GIVEN=yes", "TERM=given", NULL};
  mcp_process_options options =
      shell("echo $MCP_TEST_SECRET:$MCP_TEST_GIVEN:$TERM:$HOME:$LC_TEST");
  setenv("MCP_TEST_SECRET", "secret", 1);
  setenv("LC_TEST", "locale", 1);
  setenv("TERM", "mine", 1);
  setenv("HOME", "/home", 1);
  options.env = env;
  run(&options);
  assert_string_equal(recorder_message(&r, 0), ":yes:given:/home:locale");
}

FIXTURE_TEST(its_environment_may_be_the_whole) {
  mcp_process_options options = shell("echo $MCP_TEST_SECRET");
  setenv("MCP_TEST_SECRET", "secret", 1);
  options.inherit_env = 1;
  run(&options);
  assert_string_equal(recorder_message(&r, 0), "secret");
}

FIXTURE_TEST(its_folder_is_the_given_one) {
  mcp_process_options options = shell("pwd");
  options.working_directory = "/usr";
  run(&options);
  assert_string_equal(recorder_message(&r, 0), "/usr");
}

/* Beside those that this process was started with, by whoever runs it. */
FIXTURE_TEST(it_inherits_no_descriptor) {
  int inherited = 0;
  for (int fd = 0; fd < 1024; fd++) {
    int flags = fcntl(fd, F_GETFD);
    inherited += flags >= 0 && !(flags & FD_CLOEXEC);
  }
  run_shell("ls /proc/self/fd | wc -l");
  /* And the folder that ls reads. */
  assert_int_equal(strtol(recorder_message(&r, 0), NULL, 10), inherited + 1);
}

/* --- its standard error -------------------------------------------------- */

FIXTURE_TEST(a_flood_on_standard_error_blocks_nobody) {
  mcp_process_options options =
      shell("echo first >&2; head -c 5000000 /dev/zero >&2; echo done; cat");
  options.on_stderr = on_stderr;
  recorder_start(&r, make(&options));
  wait_for_messages(1);
  assert_string_equal(recorder_message(&r, 0), "done");
  close_and_wait();
  assert_int_equal(told.stderr_len, 5000000 + 6);
  assert_memory_equal(told.stderr_text, "first\n", 6);
}

FIXTURE_TEST(the_last_words_on_standard_error_are_heard) {
  mcp_process_options options = shell("echo oops >&2; exit 3");
  options.on_stderr = on_stderr;
  run(&options);
  assert_string_equal(told.stderr_text, "oops\n");
  assert_int_equal(told.status, 3);
  assert_int_equal(r.close_error.code, MCP_ERR_CLOSED);
  assert_string_equal(r.close_error.message, "\"sh\" exited with status 3");
}

static mcp_client *freed_client;

static void free_client(mcp_transport *transport, const char *bytes, size_t len,
                        void *userdata) {
  if (freed_client != NULL) {
    newest = transport;
    mcp_client_free(freed_client);
    freed_client = NULL;
  }
  on_stderr(transport, bytes, len, userdata);
}

FIXTURE_TEST(a_child_is_heard_after_its_client_is_freed) {
  mcp_process_options options =
      shell("echo up >&2; cat > /dev/null; echo bye >&2; exit 3");
  options.on_stderr = free_client;
  freed_client = mcp_client_new(loop, "test", "1", NULL, NULL);
  assert_int_equal(
      mcp_client_connect_command(freed_client, &options, NULL, NULL, NULL), 0);
  WAIT_UNTIL(loop, told.exit_count == 1);
  assert_null(freed_client);
  assert_string_equal(told.stderr_text, "up\nbye\n");
  assert_int_equal(told.status, 3);
}

FIXTURE_TEST(standard_error_goes_to_a_descriptor) {
  int fds[2];
  mcp_process_options options = shell("echo oops >&2");
  make_pipe(fds);
  options.stderr_fd = fds[1];
  run(&options);
  char *text = read_text(fds[0], 5);
  assert_string_equal(text, "oops\n");
  free(text);
  close(fds[0]);
  close(fds[1]); /* still ours */
}

/* --- its end ------------------------------------------------------------- */

FIXTURE_TEST(one_that_is_killed_tells_the_signal) {
  run_shell("kill -9 $$");
  assert_int_equal(told.signal, SIGKILL);
  assert_string_equal(r.close_error.message, "\"sh\" was ended by signal 9");
  assert_int_equal(r.restart_count, 0);
}

FIXTURE_TEST(one_that_ignores_the_end_of_input_is_terminated) {
  mcp_process_options options = shell("echo up; exec sleep 1000");
  options.close_wait_ms = 20;
  recorder_start(&r, make(&options));
  wait_for_messages(1);
  close_and_wait();
  assert_int_equal(told.signal, SIGTERM);
  assert_int_equal(r.close_error.code, 0);
}

FIXTURE_TEST(one_that_ignores_sigterm_is_killed) {
  mcp_process_options options =
      shell("trap '' TERM; echo up; while :; do sleep 1000 & wait; done");
  options.close_wait_ms = 20;
  options.term_wait_ms = 20;
  recorder_start(&r, make(&options));
  wait_for_messages(1);
  close_and_wait();
  assert_int_equal(told.signal, SIGKILL);
}

/* Its number, and that it is gone in the end. */
static void expect_gone(const char *number) {
  pid_t pid = (pid_t)strtol(number, NULL, 10);
  assert_true(pid > 1);
  uint64_t started = uv_hrtime();
  char path[64];
  snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
  for (int is_there = 1; is_there;) {
    assert_true(uv_hrtime() - started < UINT64_C(20000000000));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char text[256] = "";
    is_there = fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 &&
               strstr(text, ") Z ") == NULL; /* a zombie is as good as gone */
    close(fd);
    uv_sleep(1);
  }
}

FIXTURE_TEST(a_grandchild_does_not_outlive_it) {
  mcp_process_options options =
      shell("sleep 1000 & echo $!; read line; exit 0");
  options.close_wait_ms = 20;
  options.term_wait_ms = 20;
  recorder_start(&r, make(&options));
  wait_for_messages(1);
  close_and_wait(); /* though the grandchild holds its output open */
  assert_int_equal(told.status, 0);
  expect_gone(recorder_message(&r, 0));
}

FIXTURE_TEST(a_stubborn_grandchild_is_killed) {
  mcp_process_options options =
      shell("(trap '' TERM; echo up; exec sleep 1000) & "
            "read line; echo $!; exit 0");
  options.close_wait_ms = 20;
  options.term_wait_ms = 20;
  recorder_start(&r, make(&options));
  wait_for_messages(1);
  recorder_send(&r, "go");
  WAIT_UNTIL(loop, r.close_count == 1);
  expect_gone(recorder_message(&r, 1));
}

/* A client, in a process of its own, with a child that ends by nothing else. */
static void start_and_wait(int stderr_fd) {
  mcp_process_options options =
      shell("trap '' TERM HUP PIPE; echo up >&2; exec sleep 1000");
  options.stderr_fd = stderr_fd;
  options.on_stderr = NULL;
  mcp_loop *own = mcp_loop_new(NULL, NULL);
  mcp_transport *made = mcp_transport_process(own, &options, NULL);
  if (made != NULL && made->start(made, NULL) == 0) {
    while (mcp_loop_wait(own, 1000) >= 0) {
    }
  }
  _exit(1);
}

/* Its end shows by the pipe that it has as standard error. */
FIXTURE_TEST(a_child_ends_with_a_client_that_is_killed) {
  char text[8];
  int ends[2];
  assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
  pid_t client = fork();
  if (client == 0) {
    close(ends[0]);
    start_and_wait(ends[1]);
  }
  close(ends[1]);
  alarm(60);
  assert_int_equal(read(ends[0], text, sizeof(text)), 3); /* "up" */
  kill(client, SIGKILL);
  waitpid(client, NULL, 0);
  assert_int_equal(read(ends[0], text, sizeof(text)), 0);
  alarm(0);
  close(ends[0]);
}

FIXTURE_TEST(one_of_another_group_is_not_waited_for) {
  mcp_process_options options = shell("setsid sleep 1000 & echo $!; read line");
  recorder_start(&r, make(&options));
  wait_for_messages(1);
  uint64_t started = uv_hrtime();
  /* setsid must have happened: its parent's group has one member fewer. */
  close_and_wait();
  assert_true(uv_hrtime() - started < UINT64_C(9000000000));
  kill((pid_t)strtol(recorder_message(&r, 0), NULL, 10), SIGKILL);
}

FIXTURE_TEST(closing_its_output_ends_it) {
  mcp_process_options options = shell("echo bye; exec >&-; exec sleep 1000");
  options.close_wait_ms = 20;
  run(&options);
  assert_int_equal(r.message_count, 1);
  assert_int_equal(told.signal, SIGTERM);
}

FIXTURE_TEST(the_last_line_is_delivered) {
  run_shell("printf 'one\\ntwo'");
  assert_string_equal(recorder_message(&r, 1), "two");
  assert_int_equal(r.message_count, 2);
}

FIXTURE_TEST(nothing_is_told_after_closing) {
  start_shell("echo up; read line; seq 1 100000");
  wait_for_messages(1);
  close_and_wait(); /* it is read to its end nevertheless */
  assert_int_equal(r.message_count, 1);
  assert_int_equal(told.status, 0);
}

FIXTURE_TEST(freeing_a_running_one_kills_and_reaps_it) {
  start_shell("sleep 1000 & echo $!; cat");
  wait_for_messages(1);
  r.transport->release(r.transport);
  expect_gone(recorder_message(&r, 0));
}

FIXTURE_TEST(a_line_past_the_limit_is_reported) {
  mcp_process_options options = shell("echo 0123456789; echo ok");
  const mcp_stream_options stream = {.size = sizeof(mcp_stream_options),
                                     .max_line = 9};
  options.stream = &stream;
  run(&options);
  assert_int_equal(r.error_count, 1);
  assert_int_equal(r.error.code, MCP_ERR_LIMIT);
  assert_string_equal(recorder_message(&r, 0), "ok");
}

FIXTURE_TEST(stream_options_without_a_size_are_refused) {
  mcp_process_options options = shell("exec cat");
  const mcp_stream_options stream = {.size = 0, .max_line = 9};
  mcp_error err = {0};
  options.stream = &stream;
  assert_null(mcp_transport_process(loop, &options, &err));
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message,
                      "stream: mcp_stream_options has no size: set its member "
                      "size to sizeof(mcp_stream_options)");
}

/* Those of a program that was compiled when max_queue did not exist. */
FIXTURE_TEST(older_stream_options_are_accepted) {
  mcp_process_options options = shell("echo 0123456789; exec cat");
  mcp_stream_options stream = {.size = offsetof(mcp_stream_options, max_queue),
                               .max_line = 9,
                               .max_queue = 1};
  options.stream = &stream;
  mcp_transport *transport = make(&options);
  stream.max_line = 1; /* it was copied */
  recorder_start(&r, transport);
  recorder_send(&r, "{\"a\":12}");
  wait_for_messages(1);
  assert_string_equal(recorder_message(&r, 0), "{\"a\":12}");
  assert_int_equal(r.error_count, 1);
  assert_int_equal(r.error.code, MCP_ERR_LIMIT);
  close_and_wait();
}

/* --- starting again ------------------------------------------------------ */

FIXTURE_TEST(one_that_ends_is_started_again) {
  mcp_process_options options = shell("read line; echo $line");
  options.max_restarts = 2;
  recorder_start(&r, make(&options));
  for (size_t i = 0; i < 3; i++) {
    WAIT_UNTIL(loop, r.restart_count == i);
    recorder_send(&r, "hello");
    wait_for_messages(i + 1);
  }
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_int_equal(r.restart_count, 2);
  assert_int_equal(r.error_count, 2);
  assert_int_equal(r.error.code, MCP_ERR_CLOSED);
  assert_string_equal(r.error.message,
                      "\"sh\" exited with status 0: it is started again");
  assert_int_equal(told.exit_count, 3);
  assert_int_equal(r.close_error.code, MCP_ERR_CLOSED);
}

FIXTURE_TEST(one_that_we_close_is_not) {
  mcp_process_options options = shell("cat");
  options.max_restarts = 2;
  recorder_start(&r, make(&options));
  close_and_wait();
  assert_int_equal(r.restart_count, 0);
}

static void (*own_error)(mcp_transport *transport, const mcp_error *err);

static void close_on_error(mcp_transport *transport, const mcp_error *err) {
  own_error(transport, err);
  assert_int_equal(transport->send(transport, "x", 1, NULL), MCP_ERR_CLOSED);
  transport->close(transport);
}

FIXTURE_TEST(who_is_told_may_close_instead) {
  mcp_process_options options = shell("exit 3");
  options.max_restarts = 2;
  recorder_start(&r, make(&options));
  own_error = r.transport->on_error;
  r.transport->on_error = close_on_error;
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_int_equal(r.error_count, 1);
  assert_int_equal(r.restart_count, 0);
  assert_int_equal(told.exit_count, 1);
  assert_int_equal(r.close_error.code, 0);
}

FIXTURE_TEST(a_silent_death_may_be_forgiven_once) {
  mcp_process_options options = shell("read line");
  mcp_transport *transport = make(&options);
  mcpi_process_forgive_silent_death(transport);
  recorder_start(&r, transport);
  recorder_send(&r, "probe");
  WAIT_UNTIL(loop, r.restart_count == 1);
  recorder_send(&r, "probe");
  WAIT_UNTIL(loop, r.close_count == 1);
  assert_int_equal(r.restart_count, 1);
}

/* --- memory -------------------------------------------------------------- */

static int speak_once(const mcp_allocator *allocator, void *userdata) {
  const char *env[] = {"A=b", NULL};
  recorder once = {.keeps = 1};
  mcp_loop_options loop_options = {.size = sizeof(mcp_loop_options),
                                   .allocator = allocator};
  mcp_process_options options = shell("echo oops >&2; exec cat");
  options.env = env;
  options.on_stderr = on_stderr;
  mcp_loop *own = mcp_loop_new(&loop_options, NULL);
  if (own == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcp_error err = {0};
  mcp_transport *transport = mcp_transport_process(own, &options, &err);
  newest = transport;
  if (transport != NULL) {
    recorder_own(&once, transport);
    if (transport->start(transport, &err) == 0) {
      recorder_send(&once, "hello");
      WAIT_UNTIL(own, once.message_count == 1 || once.close_count == 1);
      if (once.close_count == 0) {
        once.transport->close(once.transport);
        WAIT_UNTIL(own, once.close_count == 1);
      } else {
        err.code = MCP_ERR_NOMEM;
      }
    } else {
      transport->release(transport);
    }
  }
  recorder_deinit(&once);
  mcp_loop_free(own);
  return err.code;
}

FIXTURE_TEST(without_memory_it_fails_in_good_order) {
  size_t descriptors = count_descriptors();
  assert_true(failing_alloc_rerun(speak_once, NULL) >= 6);
  assert_int_equal(count_descriptors(), descriptors);
}
