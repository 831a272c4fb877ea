/* SPDX-License-Identifier: MIT */
/* mcp_main, in a process of its own: this program, called with "serve" as its
 * first argument. */
#include "support/libmcp/recorder.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mcp/mcp.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- the server ---------------------------------------------------------- */

static int add(mcp_call *call, void *userdata) {
  return mcp_call_reply_number(call, mcp_call_number(call, "a") +
                                         mcp_call_number(call, "b"));
}

/* Tells the test that it has begun, by standard error. */
static void say(const char *text) {
  fprintf(stderr, "%s\n", text);
}

static int hang(mcp_call *call, void *userdata) {
  say("hanging");
  while (pause() == -1) {
  }
  return 0;
}

static int take_time(mcp_call *call, void *userdata) {
  say("taking time");
  uv_sleep((unsigned int)mcp_call_number(call, "a"));
  return mcp_call_reply_text(call, "done");
}

static int never_reply(mcp_call *call, void *userdata) {
  static mcp_call *volatile kept; /* never answered */
  kept = call;
  assert_non_null(kept);
  say("deferred");
  return mcp_call_defer(call);
}

/* Works for 10 s at most, until it is cancelled. */
static int work_on(mcp_call *call, void *userdata) {
  say("working");
  for (int i = 0; i < 1000 && !mcp_call_is_cancelled(call); i++) {
    uv_sleep(10);
  }
  say(mcp_call_is_cancelled(call) ? "cancelled" : "done");
  return mcp_call_reply_text(call, "done");
}

static int print(mcp_call *call, void *userdata) {
  printf("a stray line\n");
  return mcp_call_reply_text(call, "printed");
}

static void add_tool(mcp_server *server, const char *name, mcp_call_cb handler,
                     int32_t is_blocking) {
  mcp_tool tool = {
      .size = sizeof(mcp_tool),
      .name = name,
      .input = MCP_OBJECT(MCP_NUMBER("a", "first"), MCP_NUMBER("b", "second")),
      .handler = handler,
      .is_blocking = is_blocking,
      .task = handler == work_on ? MCP_TASK_REQUIRED : MCP_TASK_FORBIDDEN};
  mcp_server_add_tool(server, &tool, NULL);
}

/* Frees what MCP_TEST_FREE names, if this is the place that it names. */
static void free_in(const char *place, mcp_server *server, mcp_loop *loop) {
  const char *wanted = getenv("MCP_TEST_FREE");
  size_t len = strlen(place);
  if (wanted == NULL || strncmp(wanted, place, len) != 0) {
    return;
  }
  if (strcmp(wanted + len, " server") == 0) {
    mcp_server_free(server);
  } else {
    mcp_loop_free(loop);
  }
}

static int free_server(mcp_call *call, void *userdata) {
  free_in("handler", mcp_call_server(call), NULL);
  say("freed");
  return mcp_call_reply_text(call, "freed");
}

static int on_start(mcp_server *server, mcp_loop *loop, void *userdata) {
  assert_non_null(loop);
  free_in("start", server, loop);
  return *(int *)userdata;
}

static void on_stop(mcp_server *server, mcp_loop *loop, void *userdata) {
  assert_non_null(server);
  assert_non_null(loop);
  if (getenv("MCP_TEST_STOP") != NULL) {
    say("stopped");
  }
  free_in("stop", server, loop);
}

static int set_number(const mcp_main_option *option, const char *value,
                      void *userdata) {
  *(int *)userdata = (int)strtol(value, NULL, 10);
  return strcmp(option->name, "start-code");
}

/* As they were when the process began. */
static int are_signals_untouched(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGALRM, SIGPIPE};
  for (size_t i = 0; i < sizeof(numbers) / sizeof(int); i++) {
    struct sigaction action;
    sigaction(numbers[i], NULL, &action);
    if (action.sa_handler != SIG_DFL) {
      return 0;
    }
  }
  return 1;
}

/* --- what the program states of HTTP: both see the same userdata ---------- */

static char http_userdata[] = "the program's";

static int on_http_request(mcp_server *server, const mcp_http_request *request,
                           mcp_http_decision *decision, void *userdata) {
  fprintf(stderr, "request %s for %s\n", request->target, (char *)userdata);
  decision->reason = "the hook says no";
  return strcmp(request->target, "/mcp?no") == 0 ? 403 : 0;
}

static void on_http_trace(mcp_server *server, const mcp_traced_message *message,
                          void *userdata) {
  fprintf(stderr, "%s %d for %s\n", message->is_sent ? "sent" : "received",
          message->len > 0, (char *)userdata);
}

static const mcp_http_options hooks = {.size = sizeof(mcp_http_options),
                                       .on_request = on_http_request,
                                       .on_trace = on_http_trace,
                                       .userdata = http_userdata};
static const mcp_http_listen_options with_hooks = {
    .size = sizeof(mcp_http_listen_options), .http = &hooks};
static const mcp_http_listen_options with_certificate = {
    .size = sizeof(mcp_http_listen_options),
    .tls_cert = "/no/such/cert.pem",
    .tls_key = "/no/such/key.pem"};

static int serve(int argc, char **argv) {
  int start_code = 0;
  const char *reserved = getenv("MCP_TEST_RESERVED");
  const mcp_main_option own[] = {{.name = "start-code",
                                  .value_name = "N",
                                  .description = "what on_start returns",
                                  .on_value = set_number,
                                  .userdata = &start_code,
                                  .reserved = {NULL, reserved}},
                                 {.name = getenv("MCP_TEST_OPTION")}};
  mcp_main_options options = {.size = sizeof(mcp_main_options),
                              .summary = "A server for tests.",
                              .options = own,
                              .option_count = own[1].name != NULL ? 2 : 1,
                              .on_start = on_start,
                              .on_stop = on_stop,
                              .userdata = &start_code};
  if (getenv("MCP_TEST_HTTP") != NULL) {
    options.listen = &with_hooks;
  }
  if (getenv("MCP_TEST_CERTIFICATE") != NULL) {
    options.listen = &with_certificate;
  }
  const char *transports = getenv("MCP_TEST_TRANSPORTS");
  if (transports != NULL) {
    options.transports = (uint32_t)strtoul(transports, NULL, 10);
  }
  if (getenv("MCP_TEST_NO_OPTIONS") != NULL) {
    options.options = NULL;
  }
  const char *name = getenv("MCP_TEST_NO_SERVER") == NULL ? "tested" : NULL;
  mcp_server *server = mcp_server_new(name, "1.2.3", NULL, NULL);
  add_tool(server, "add", add, 0);
  add_tool(server, "hang", hang, 0);
  add_tool(server, "hang_blocking", hang, 1);
  add_tool(server, "take_time", take_time, 1);
  add_tool(server, "never_reply", never_reply, 0);
  add_tool(server, "print", print, 0);
  mcp_server_enable_tasks(server, NULL, NULL);
  add_tool(server, "work_on", work_on, 1);
  add_tool(server, "free_server", free_server, 0);
  if (getenv("MCP_TEST_BAD_TOOL") != NULL) {
    add_tool(server, "no good name", add, 0);
  }
  int exit_code = mcp_main_with(server, argc, argv, &options);
  return are_signals_untouched() ? exit_code : 77;
}

/* --- running it ---------------------------------------------------------- */

static struct {
  pid_t pid;
  int in;  /* we write */
  int out; /* we read */
  int err; /* likewise */
  uint64_t started_ns;
} server;

/* -1 for a descriptor: closed. */
static void take_place(int fd, int standard) {
  if (fd >= 0) {
    dup2(fd, standard);
  } else {
    close(standard);
  }
}

static void become_server(int in, int out, int err, const char *const *args) {
  char *argv[12] = {(char[]){"tested"}, (char[]){"serve"}};
  for (int i = 0; args[i] != NULL; i++) {
    argv[2 + i] = (char *)(uintptr_t)args[i];
  }
  take_place(in, 0);
  take_place(out, 1);
  take_place(err, 2);
  execv("/proc/self/exe", argv);
  _exit(99);
}

static void fill_pipe(int fd) {
  static const char bytes[4096];
  fcntl(fd, F_SETFL, O_NONBLOCK);
  while (write(fd, bytes, sizeof(bytes)) > 0) {
  }
  fcntl(fd, F_SETFL, 0);
}

static void start_with_log(const char *const *args, int is_full) {
  int in[2];
  int out[2];
  int err[2];
  make_pipe(in);
  make_pipe(out);
  make_pipe(err);
  if (is_full) {
    fill_pipe(err[1]);
  }
  server.started_ns = uv_hrtime();
  server.pid = fork();
  assert_true(server.pid >= 0);
  if (server.pid == 0) {
    become_server(in[0], out[1], err[1], args);
  }
  close(in[0]);
  close(out[1]);
  close(err[1]);
  server.in = in[1];
  server.out = out[0];
  server.err = err[0];
}

static void start_with(const char *const *args) {
  start_with_log(args, 0);
}

static void start(void) {
  const char *const args[] = {"--drain-ms", "200", NULL};
  start_with(args);
}

static void close_input(void) {
  close(server.in);
  server.in = -1;
}

static int64_t ms_since(uint64_t started_ns) {
  return (int64_t)((uv_hrtime() - started_ns) / 1000000);
}

/* Its exit code, or minus the signal that ended it. */
static int wait_for_end(void) {
  int status = 0;
  assert_int_equal(waitpid(server.pid, &status, 0), server.pid);
  if (server.in >= 0) {
    close(server.in);
  }
  close(server.out);
  close(server.err);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* A request of the modern era, so that no handshake is needed. */
static void call(int id, const char *tool, int a, int b) {
  char text[600];
  snprintf(text, sizeof(text),
           "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"tools/call\","
           "\"params\":{\"name\":\"%s\",\"arguments\":{\"a\":%d,\"b\":%d},"
           "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
           "\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":"
           "{\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}},"
           "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"t\","
           "\"version\":\"1\"}}}}\n",
           id, tool, a, b);
  write_text(server.in, text);
}

static size_t count_lines(const char *text) {
  size_t count = 0;
  for (; (text = strchr(text, '\n')) != NULL; text++) {
    count++;
  }
  return count;
}

/* Reads standard error up to and with that line. */
static void wait_for_words(const char *words) {
  char text[1000] = "";
  size_t used = 0;
  while (strstr(text, words) == NULL) {
    if (used > sizeof(text) / 2) { /* what is left may have half of them */
      size_t half = used / 2;
      memmove(text, text + half, used - half + 1);
      used -= half;
    }
    ssize_t got = read(server.err, text + used, sizeof(text) - 1 - used);
    assert_true(got > 0);
    used += (size_t)got;
    text[used] = '\0';
  }
}

/* --- the end of input ---------------------------------------------------- */

TEST(requests_before_the_end_are_all_answered) {
  start();
  for (int i = 0; i < 150; i++) {
    call(i, i % 10 == 0 ? "take_time" : "add", 1, i);
  }
  close_input();
  char *text = read_text(server.out, SIZE_MAX);
  assert_int_equal(count_lines(text), 150);
  assert_null(strstr(text, "\"error\""));
  free(text);
  assert_int_equal(wait_for_end(), 0);
}

/* By then the process would have ended by itself, if its loop were stuck. */
TEST(a_slow_reader_gets_every_answer) {
  start();
  for (int i = 0; i < 1000; i++) { /* more answers than the pipe holds */
    call(i, "add", 1, i);
  }
  close_input();
  uv_sleep(1800);
  char *text = read_text(server.out, SIZE_MAX);
  assert_int_equal(count_lines(text), 1000);
  free(text);
  assert_int_equal(wait_for_end(), 0);
}

TEST(an_unterminated_line_is_answered_too) {
  start();
  write_text(server.in, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}");
  close_input();
  char *text = read_text(server.out, SIZE_MAX);
  assert_non_null(strstr(text, "\"id\":7"));
  free(text);
  assert_int_equal(wait_for_end(), 0);
}

TEST(the_program_stops_before_server_and_loop) {
  setenv("MCP_TEST_STOP", "1", 1);
  start();
  unsetenv("MCP_TEST_STOP");
  close_input();
  wait_for_words("stopped");
  assert_int_equal(wait_for_end(), 0);
}

/* The program frees what is mcp_main's. Returns the exit code. */
static int end_after_free(const char *what, const char *const *args,
                          int has_listeners) {
  setenv("MCP_TEST_FREE", what, 1);
  start_with(args);
  unsetenv("MCP_TEST_FREE");
  if (strncmp(what, "start", 5) != 0) {
    call(1, "free_server", 1, 2);
    call(2, "add", 1, 2);
  }
  if (strcmp(what, "handler server") == 0 && has_listeners) {
    wait_for_words("freed"); /* listeners wait for a signal */
    kill(server.pid, SIGTERM);
  }
  close_input();
  return wait_for_end();
}

TEST(frees_of_the_program_do_no_harm) {
  static const char *const stdio[] = {"--drain-ms", "200", NULL};
  static const char *const both[] = {
      "--stdio",     "--http", "127.0.0.1:0", "--ws",
      "127.0.0.1:0", "--tcp",  "127.0.0.1:0", NULL};
  static const char *const *const all[] = {stdio, both};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(end_after_free("start server", all[i], i), 1);
    assert_int_equal(end_after_free("start loop", all[i], i), 0);
    assert_int_equal(end_after_free("handler server", all[i], i), 0);
    assert_int_equal(end_after_free("stop server", all[i], i), 0);
    assert_int_equal(end_after_free("stop loop", all[i], i), 0);
  }
}

/* Starts a server, and in it a task that works on. */
static void start_task(const char *drain_ms) {
  const char *const args[] = {"--drain-ms", drain_ms, NULL};
  start_with(args);
  call(1, "work_on", 0, 0);
  wait_for_words("working");
}

TEST(a_signal_cancels_tasks) {
  start_task("100");
  kill(server.pid, SIGTERM);
  wait_for_words("cancelled");
  assert_int_equal(wait_for_end(), 0);
}

TEST(the_end_of_input_cancels_tasks) {
  start_task("100");
  close_input();
  wait_for_words("cancelled");
  assert_int_equal(wait_for_end(), 0);
}

TEST(tasks_have_the_time_to_drain) {
  start_task("300");
  uint64_t ended_ns = uv_hrtime();
  close_input();
  wait_for_words("cancelled");
  assert_true(ms_since(ended_ns) >= 300);
  assert_int_equal(wait_for_end(), 0);
}

TEST(a_call_that_never_answers_is_given_up) {
  start();
  call(1, "never_reply", 0, 0);
  wait_for_words("deferred");
  uint64_t ended_ns = uv_hrtime();
  close_input();
  wait_for_words("warning: never_reply: the handler has not returned, or it "
                 "deferred its call and has not replied (calls left: 1)\n");
  assert_int_equal(wait_for_end(), 0);
  assert_in_range(ms_since(ended_ns), 190, 20000);
}

/* 200 ms of draining, and a second for the handler. */
TEST(a_blocking_handler_that_hangs_is_not_waited_for) {
  start();
  call(1, "hang_blocking", 0, 0);
  wait_for_words("hanging");
  uint64_t ended_ns = uv_hrtime();
  close_input();
  assert_int_equal(wait_for_end(), 0);
  assert_in_range(ms_since(ended_ns), 1190, 20000);
}

/* --- signals ------------------------------------------------------------- */

static void a_signal_ends_an_idle_server(int signal) {
  start();
  call(1, "add", 1, 2);
  char *text = read_text(server.out, 10); /* it serves */
  free(text);
  kill(server.pid, signal);
  assert_int_equal(wait_for_end(), 0);
}

TEST(sigterm_ends_it) {
  a_signal_ends_an_idle_server(SIGTERM);
}

TEST(sigint_ends_it) {
  a_signal_ends_an_idle_server(SIGINT);
}

/* The program has a certificate, but the command line opens no HTTP address.
 * If SIGHUP were ignored, the end of input would end the server with 0. */
TEST(sighup_ends_a_server_without_http) {
  static const char *const lines[][4] = {
      {"--stdio", "--log-level=info", NULL},
      {"--stdio", "--tcp=127.0.0.1:0", "--log-level=info", NULL}};
  for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
    setenv("MCP_TEST_CERTIFICATE", "1", 1);
    start_with(lines[i]);
    unsetenv("MCP_TEST_CERTIFICATE");
    wait_for_words("serves on stdio");
    kill(server.pid, SIGHUP);
    close_input();
    assert_int_equal(wait_for_end(), -SIGHUP);
  }
}

TEST(a_call_in_flight_answers_after_the_signal) {
  start();
  call(1, "take_time", 100, 0);
  wait_for_words("taking time");
  kill(server.pid, SIGTERM);
  char *text = read_text(server.out, SIZE_MAX);
  assert_non_null(strstr(text, "done"));
  free(text);
  assert_int_equal(wait_for_end(), 0);
}

TEST(a_second_signal_ends_it_at_once) {
  const char *const args[] = {"--drain-ms", "100000", "--log-level", "info",
                              NULL};
  start_with(args);
  call(1, "never_reply", 0, 0);
  wait_for_words("deferred");
  kill(server.pid, SIGTERM);
  wait_for_words("signal 15");
  kill(server.pid, SIGINT);
  assert_int_equal(wait_for_end(), 128 + SIGINT);
}

TEST(a_stuck_loop_ends_by_the_watchdog) {
  start();
  call(1, "hang", 0, 0);
  wait_for_words("hanging");
  uint64_t ended_ns = uv_hrtime();
  kill(server.pid, SIGTERM);
  assert_int_equal(wait_for_end(), 128 + SIGTERM);
  assert_in_range(ms_since(ended_ns), 1190, 20000);
}

TEST(a_stuck_loop_ends_at_the_second_signal) {
  const char *const args[] = {"--drain-ms", "100000", NULL};
  start_with(args);
  call(1, "hang", 0, 0);
  wait_for_words("hanging");
  kill(server.pid, SIGTERM);
  kill(server.pid, SIGINT); /* either may be the first to be taken */
  assert_in_range(wait_for_end(), 128 + SIGINT, 128 + SIGTERM);
}

static int is_nonblocking(int fd) {
  return (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0;
}

TEST(flags_come_back_even_so) {
  int in[2];
  int out[2];
  const char *const args[] = {NULL};
  make_pipe(in);
  make_pipe(out);
  pid_t pid = fork();
  if (pid == 0) {
    become_server(in[0], out[1], out[1], args);
  }
  server.in = in[1];
  call(1, "hang", 0, 0);
  while (!is_nonblocking(in[0])) {
    uv_sleep(1);
  }
  char *text = read_text(out[0], 7);
  assert_string_equal(text, "hanging\n");
  free(text);
  kill(pid, SIGTERM);
  int status;
  waitpid(pid, &status, 0);
  assert_int_equal(WEXITSTATUS(status), 128 + SIGTERM);
  assert_false(is_nonblocking(in[0]));
  assert_false(is_nonblocking(out[1]));
  close(in[0]);
  close(in[1]);
  close(out[0]);
  close(out[1]);
}

/* --- the far side -------------------------------------------------------- */

TEST(a_client_that_dies_ends_it_without_a_signal) {
  start();
  call(1, "add", 1, 2);
  char *text = read_text(server.out, 10);
  free(text);
  close(server.out);
  server.out = -1;
  call(2, "add", 1, 2);
  assert_int_equal(wait_for_end(), 1); /* not by SIGPIPE */
}

TEST(a_stray_printf_does_not_reach_the_wire) {
  start();
  call(1, "print", 0, 0);
  close_input();
  char *text = read_text(server.out, SIZE_MAX);
  assert_null(strstr(text, "stray"));
  assert_int_equal(count_lines(text), 1);
  free(text);
  text = read_text(server.err, SIZE_MAX);
  assert_string_equal(text, "a stray line\n");
  free(text);
  assert_int_equal(wait_for_end(), 0);
}

/* Its exit code; what it wrote to the descriptor that is read from is
 * `text`. */
static int run_with(int in, int out, int err, int reads, char **text) {
  const char *const args[] = {NULL};
  int status = 0;
  pid_t pid = fork();
  assert_true(pid >= 0);
  if (pid == 0) {
    become_server(in, out, err, args);
  }
  close(out >= 0 ? out : err);
  *text = read_text(reads, SIZE_MAX);
  close(reads);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

TEST(a_wire_that_is_closed_is_told) {
  int fds[2];
  char *text;
  make_pipe(fds);
  assert_int_equal(run_with(-1, -1, fds[1], fds[0], &text), 1);
  assert_string_equal(
      text, "tested: standard input is closed, so no request can come\n");
  free(text);
  int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
  make_pipe(fds);
  assert_int_equal(run_with(in, -1, fds[1], fds[0], &text), 1);
  assert_string_equal(
      text, "tested: standard output is closed, so no answer can go out\n");
  free(text);
  close(in);
}

TEST(without_standard_error_it_serves) {
  int in[2];
  int out[2];
  char *text;
  make_pipe(in);
  make_pipe(out);
  write_text(in[1], "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n");
  close(in[1]);
  assert_int_equal(run_with(in[0], out[1], -1, out[0], &text), 0);
  assert_non_null(strstr(text, "\"id\":7"));
  free(text);
  close(in[0]);
}

/* Reads so many lines of its output; the number of the last id. */
static void read_answers(size_t count) {
  char text[4096];
  while (count > 0) {
    ssize_t got = read(server.out, text, sizeof(text) - 1);
    assert_true(got > 0);
    text[got] = '\0';
    assert_true(count_lines(text) <= count);
    count -= count_lines(text);
  }
}

/* A trace of them is more than a pipe holds. */
TEST(a_log_that_nobody_reads_does_not_stop_it) {
  static const char *const args[] = {"--trace", NULL};
  enum { ROUNDS = 50, PINGS = 20 };
  start_with(args);
  alarm(60);
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < PINGS; i++) {
      write_text(server.in,
                 "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n");
    }
    read_answers(PINGS);
  }
  wait_for_words("lines are missing here: the log could not be written\n");
  close_input();
  assert_int_equal(wait_for_end(), 0);
  alarm(0);
}

/* Wherever the log goes: its address and the warning go to standard error. */
TEST(words_that_nobody_reads_do_not_stop_it) {
  static const char *const cases[][7] = {
      {"--tcp", "0.0.0.0:0", "--stdio", NULL},
      {"--tcp", "0.0.0.0:0", "--stdio", "--log-file", "/dev/null", NULL}};
  alarm(60);
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    start_with_log(cases[i], 1);
    write_text(server.in,
               "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n");
    read_answers(1);
    close_input();
    assert_int_equal(wait_for_end(), 0);
  }
  alarm(0);
}

TEST(a_public_address_without_tls_is_warned_of) {
  static const char *const options[] = {"--tcp", "--http", "--sse", "--ws"};
  for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
    const char *const args[] = {options[i], "0.0.0.0:0", NULL};
    start_with(args);
    wait_for_words("warning: 0.0.0.0:0 can be reached from other machines");
    kill(server.pid, SIGTERM);
    assert_int_equal(wait_for_end(), 0);
  }
}

TEST(a_local_address_is_not_warned_of) {
  char folder[] = "/tmp/mcp-test-XXXXXX";
  char path[40];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof(path), "%s/socket", folder);
  const char *const cases[][4] = {{"--stdio", "--tcp", "127.0.0.1:0", NULL},
                                  {"--stdio", "--http", "localhost:0", NULL},
                                  {"--stdio", "--unix", path, NULL}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    start_with(cases[i]);
    close_input();
    char *text = read_text(server.err, SIZE_MAX);
    assert_non_null(strstr(text, i < 2 ? ":" : path)); /* it listens */
    assert_null(strstr(text, "warning"));
    free(text);
    assert_int_equal(wait_for_end(), 0);
  }
  rmdir(folder);
}

TEST(limits_are_options) {
  static const char *const args[] = {"--max-unreadable", "2", NULL};
  start_with(args);
  write_text(server.in, "rubbish\nrubbish\nrubbish\n");
  wait_for_words("closed: more than 2 messages in a row could not be read");
  assert_int_equal(wait_for_end(), 1);
}

/* --- the command line ---------------------------------------------------- */

/* What a call with these arguments prints, and its exit code. */
static void expect_run(const char *const *args, int code, const char *out,
                       const char *err) {
  start_with(args);
  close_input();
  char *text = read_text(server.out, SIZE_MAX);
  assert_non_null(strstr(text, out));
  free(text);
  text = read_text(server.err, SIZE_MAX);
  assert_non_null(strstr(text, err));
  free(text);
  assert_int_equal(wait_for_end(), code);
}

TEST(it_tells_about_itself) {
  expect_run((const char *const[]){"--version", NULL}, 0,
             "tested 1.2.3 (libmcp " MCP_VERSION_STRING ")\n", "");
  expect_run((const char *const[]){"--help", NULL}, 0,
             "Usage: tested [OPTIONS]\nA server for tests.\n", "");
}

TEST(mistakes_end_it) {
  expect_run((const char *const[]){"--foo", NULL}, 2, "",
             "unknown option \"--foo\"");
  /* What failed in on_start, the program has said itself. */
  expect_run((const char *const[]){"--start-code=-18", NULL}, 1, "", "");
  expect_run((const char *const[]){"--log-file=/no/such/file", NULL}, 1, "",
             "tested: --log-file: \"/no/such/file\": no such file or "
             "directory; give the path of a file that this user may write\n");
  expect_run((const char *const[]){"--log-file=/", NULL}, 1, "",
             "tested: --log-file: \"/\": illegal operation on a directory; ");
  expect_run((const char *const[]){"--log-file=", NULL}, 1, "",
             "tested: --log-file: \"\": no such file or directory; ");
  setenv("MCP_TEST_NO_SERVER", "1", 1);
  expect_run((const char *const[]){NULL}, 1, "",
             "tested: the server is NULL: mcp_server_new failed; give it an "
             "mcp_error to see why\n");
  unsetenv("MCP_TEST_NO_SERVER");
  setenv("MCP_TEST_BAD_TOOL", "1", 1);
  expect_run((const char *const[]){NULL}, 1, "", "no good name");
  expect_run((const char *const[]){"--start-code=-18", NULL}, 1, "",
             "no good name");
  unsetenv("MCP_TEST_BAD_TOOL");
  setenv("MCP_TEST_RESERVED", "1", 1);
  expect_run((const char *const[]){NULL}, 1, "",
             "tested: mcp_main_options.options[0].reserved is not NULL\n");
  unsetenv("MCP_TEST_RESERVED");
  setenv("MCP_TEST_NO_OPTIONS", "1", 1);
  expect_run((const char *const[]){NULL}, 1, "",
             "tested: mcp_main_options.options is NULL, option_count 1\n");
  unsetenv("MCP_TEST_NO_OPTIONS");
}

TEST(an_option_of_the_program_has_a_name_of_its_own) {
  static const char *const cases[][2] = {
      {"--units", "write the name without dashes"},
      {"start-code", "two options have this name"},
      {"units=metric", "a name is not empty, and has no = and no blanks"},
      {"my units", "a name is not empty, and has no = and no blanks"},
      {"", "a name is not empty, and has no = and no blanks"}};
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char message[200];
    snprintf(message, sizeof(message),
             "tested: mcp_main_options.options[1].name is \"%s\": %s\n",
             cases[i][0], cases[i][1]);
    setenv("MCP_TEST_OPTION", cases[i][0], 1);
    expect_run((const char *const[]){NULL}, 1, "", message);
  }
  setenv("MCP_TEST_OPTION", "units", 1);
  expect_run((const char *const[]){"--units", NULL}, 0, "", "");
  setenv("MCP_TEST_OPTION", "http", 1); /* the library's takes a value */
  expect_run((const char *const[]){"--http", NULL}, 0, "", "");
  unsetenv("MCP_TEST_OPTION");
}

static void expect_not_offered(const char *option) {
  char message[100];
  snprintf(message, sizeof(message),
           "tested: this program does not offer %.*s\n",
           (int)strcspn(option, "="), option);
  expect_run((const char *const[]){option, NULL}, 2, "", message);
}

TEST(a_program_offers_some_transports) {
  static const char *const others[] = {"--stdio", "--tcp=127.0.0.1:0",
                                       "--unix=/tmp/no-such-socket"};
  setenv("MCP_TEST_TRANSPORTS", "2", 1); /* MCP_MAIN_HTTP */
  for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
    expect_not_offered(others[i]);
  }
  expect_run((const char *const[]){NULL}, 2, "",
             "tested: there is no address: give --http HOST:PORT, --sse or "
             "--ws\n");
  start_with((const char *const[]){"--help", NULL});
  char *text = read_text(server.out, SIZE_MAX);
  assert_non_null(strstr(text, "\n  --http HOST:PORT"));
  assert_non_null(strstr(text, "\n  --tls-cert FILE"));
  assert_null(strstr(text, "\n  --stdio"));
  assert_null(strstr(text, "\n  --tcp"));
  assert_null(strstr(text, "\n  --unix"));
  free(text);
  assert_int_equal(wait_for_end(), 0);
  start_with((const char *const[]){"--http=127.0.0.1:0", NULL});
  wait_for_words("listening on http://");
  kill(server.pid, SIGTERM);
  assert_int_equal(wait_for_end(), 0);
  setenv("MCP_TEST_TRANSPORTS", "12", 1); /* MCP_MAIN_TCP | MCP_MAIN_UNIX */
  expect_not_offered("--http=127.0.0.1:0");
  expect_not_offered("--sse=127.0.0.1:0");
  expect_not_offered("--ws=127.0.0.1:0");
  expect_not_offered("--tls-cert=a");
  expect_run((const char *const[]){NULL}, 2, "",
             "tested: there is no address: give --tcp HOST:PORT, or --unix "
             "PATH\n");
  setenv("MCP_TEST_TRANSPORTS", "1", 1); /* MCP_MAIN_STDIO */
  expect_not_offered("--tcp=127.0.0.1:0");
  expect_run((const char *const[]){NULL}, 0, "", "");
  setenv("MCP_TEST_TRANSPORTS", "18", 1);
  expect_run((const char *const[]){NULL}, 1, "",
             "tested: mcp_main_options.transports: 0x10 is not a transport\n");
  unsetenv("MCP_TEST_TRANSPORTS");
}

/* Posts a call of "add" to a path of the server's, whose answer is returned:
 * free it. */
static char *post_to(const char *path, int port) {
  static const char body[] =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
      "\"params\":{\"name\":\"add\",\"arguments\":{\"a\":1,\"b\":2},"
      "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      "\"io.modelcontextprotocol/clientCapabilities\":{}}}}";
  char text[1000];
  struct sockaddr_in address = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr = {htonl(INADDR_LOOPBACK)}};
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  assert_true(fd >= 0);
  assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)),
                   0);
  snprintf(text, sizeof(text),
           "POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
           "Content-Type: application/json\r\n"
           "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
           "Mcp-Name: add\r\nContent-Length: %zu\r\n\r\n%s",
           path, sizeof(body) - 1, body);
  write_text(fd, text);
  char *answer = read_text(fd, SIZE_MAX);
  close(fd);
  return answer;
}

/* Serves HTTP with the program's hook, is asked twice, and ends. Returns what
 * stood on standard error: free it. */
static char *ask_with_hooks(const char *option) {
  char line[200] = "";
  size_t used = 0;
  int port = 0;
  setenv("MCP_TEST_HTTP", "1", 1);
  start_with((const char *const[]){"--http", "127.0.0.1:0", option, NULL});
  unsetenv("MCP_TEST_HTTP");
  while (strchr(line, '\n') == NULL && used < sizeof(line) - 1) {
    assert_int_equal(read(server.err, line + used, 1), 1);
    used++;
  }
  assert_int_equal(sscanf(line, "listening on http://127.0.0.1:%d/mcp", &port),
                   1);
  char *taken = post_to("/mcp", port);
  assert_non_null(strstr(taken, "\"text\":\"3\""));
  char *refused = post_to("/mcp?no", port);
  assert_non_null(strstr(refused, " 403 "));
  assert_non_null(strstr(refused, "the hook says no"));
  free(taken);
  free(refused);
  kill(server.pid, SIGTERM);
  char *said = read_text(server.err, SIZE_MAX);
  assert_int_equal(wait_for_end(), 0);
  return said;
}

TEST(the_program_hooks_into_http) {
  char *said = ask_with_hooks("--log-level=info");
  assert_non_null(strstr(said, "request /mcp for the program's\n"));
  assert_non_null(strstr(said, "request /mcp?no for the program's\n"));
  assert_non_null(strstr(said, "received 1 for the program's\n"));
  assert_non_null(strstr(said, "sent 1 for the program's\n"));
  assert_null(strstr(said, "trace: "));
  free(said);
}

TEST(a_trace_and_the_programs_hooks_go_together) {
  char *said = ask_with_hooks("--trace");
  assert_non_null(strstr(said, "request /mcp for the program's\n"));
  assert_non_null(strstr(said, "request /mcp?no for the program's\n"));
  assert_non_null(strstr(said, "received 1 for the program's\n"));
  assert_non_null(strstr(said, "sent 1 for the program's\n"));
  assert_non_null(strstr(said, " received {\"jsonrpc\""));
  assert_non_null(strstr(said, " sent {\"jsonrpc\""));
  free(said);
}

TEST(options_of_http_open_nothing) {
  setenv("MCP_TEST_HTTP", "1", 1);
  start();
  unsetenv("MCP_TEST_HTTP");
  call(1, "add", 1, 2);
  close_input();
  char *text = read_text(server.out, SIZE_MAX);
  assert_non_null(strstr(text, "\"text\":\"3\""));
  free(text);
  text = read_text(server.err, SIZE_MAX);
  assert_string_equal(text, "");
  free(text);
  assert_int_equal(wait_for_end(), 0);
}

TEST(the_log_goes_to_a_file) {
  char folder[] = "/tmp/mcp-test-XXXXXX";
  char path[40];
  struct stat status;
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof(path), "%s/log", folder);
  const char *const args[] = {"--log-file", path, "--log-level=info", "--trace",
                              NULL};
  start_with(args);
  call(1, "add", 1, 2);
  write_text(server.in, "no message\n");
  close_input();
  char *text = read_text(server.out, SIZE_MAX);
  free(text);
  assert_int_equal(wait_for_end(), 0);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  assert_int_equal(fstat(fd, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0600); /* nobody else's business */
  text = read_text(fd, SIZE_MAX);
  assert_non_null(strstr(text, "Z info: tested 1.2.3 serves on stdio\n"));
  assert_non_null(strstr(text, "Z trace: received {\"jsonrpc\":\"2.0\",\"id\":"
                               "1,"));
  assert_non_null(strstr(text, "Z trace: sent {\"jsonrpc\":\"2.0\",\"id\":1,"));
  assert_non_null(strstr(text, "Z warning: "));
  assert_non_null(strstr(text, "Z info: end of input: ending\n"));
  free(text);
  close(fd);
  unlink(path);
  rmdir(folder);
}

TEST(no_server_is_out_of_memory) {
  char *argv[] = {(char[]){"tested"}, NULL};
  int saved = dup(STDERR_FILENO);
  int null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(null_fd, STDERR_FILENO);
  assert_int_equal(mcp_main(NULL, 1, argv), 1);
  dup2(saved, STDERR_FILENO);
  close(saved);
  close(null_fd);
}

int main(int argc, char **argv) {
  if (argc > 1 && strcmp(argv[1], "serve") == 0) {
    argv[1] = argv[0];
    return serve(argc - 1, argv + 1);
  }
  return tests_run(NULL, NULL);
}
