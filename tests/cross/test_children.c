/* SPDX-License-Identifier: MIT */
/* Children of a client, as each system starts and ends them. The child is this
 * program, so that the test needs no shell. */
#include "platform/arguments.h"
#include "support/libmcp/recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

/* --- the child ------------------------------------------------------------ */

static void say_hex(const char *text) {
  printf("%s", text[0] == '\0' ? "-" : "");
  for (; *text != '\0'; text++) {
    printf("%02x", (unsigned)(unsigned char)*text);
  }
  printf("\n");
}

static int child_env(void) {
  char value[256];
  size_t size = sizeof(value);
  say_hex(uv_os_getenv("MCP_TEST_VALUE", value, &size) == 0 ? value : "none");
  size = sizeof(value);
  say_hex(uv_os_getenv("MCP_TEST_PARENT", value, &size) == 0 ? value : "none");
  return 0;
}

static int child_folder(void) {
  char path[1024];
  size_t size = sizeof(path);
  int rc = uv_cwd(path, &size);
  say_hex(rc == 0 ? path : "none");
  return 0;
}

/* Writes back each byte that comes. */
static int child_cat(void) {
  for (int c = getchar(); c != EOF; c = getchar()) {
    putchar(c);
    if (c == '\n') {
      fflush(stdout);
    }
  }
  return 5;
}

static void sleep_for_ever(void) {
  for (;;) {
    uv_sleep(1000);
  }
}

/* Starts one more, which would also sleep, and ignores the end of its input. */
static int child_stubborn(char *program) {
  uv_loop_t *loop = uv_default_loop();
  uv_process_t process;
  char mode[] = "child-sleep";
  char *args[] = {program, mode, NULL};
  uv_process_options_t options = {.file = program, .args = args};
  if (uv_spawn(loop, &process, &options) != 0) {
    return 9;
  }
  printf("%d %d\n", (int)uv_os_getpid(), process.pid);
  fflush(stdout);
  sleep_for_ever();
  return 0;
}

static int child_main(int argc, char **argv) {
  const char *mode = argv[1];
#ifdef _WIN32
  _setmode(0, _O_BINARY);
  _setmode(1, _O_BINARY);
#endif
  if (strcmp(mode, "child-args") == 0) {
    for (int i = 2; i < argc; i++) {
      say_hex(argv[i]);
    }
    return 0;
  }
  if (strcmp(mode, "child-env") == 0) {
    return child_env();
  }
  if (strcmp(mode, "child-folder") == 0) {
    return child_folder();
  }
  if (strcmp(mode, "child-cat") == 0) {
    return child_cat();
  }
  if (strcmp(mode, "child-stderr") == 0) {
    fprintf(stderr, "a word of warning");
    return 3;
  }
  if (strcmp(mode, "child-crlf") == 0) {
    printf("{\"a\":1}\r\n{\"b\":2}\n\r\n{\"c\":3}");
    return 0;
  }
  if (strcmp(mode, "child-stubborn") == 0) {
    return child_stubborn(argv[0]);
  }
  sleep_for_ever();
  return 0;
}

/* --- the parent ----------------------------------------------------------- */

static char program[4096];
static mcp_loop *loop;
static recorder r;

static struct {
  size_t exits;
  int64_t status;
  int signal;
  char text[200];
  size_t len;
} seen;

static int begin(void **state) {
  memset(&r, 0, sizeof(r));
  memset(&seen, 0, sizeof(seen));
  r.keeps = 1;
  loop = loop_begin();
  return 0;
}

static int end(void **state) {
  recorder_deinit(&r);
  loop_end(loop);
  return 0;
}

static void on_exit_seen(mcp_transport *transport, int64_t status, int signal,
                         void *userdata) {
  seen.exits++;
  seen.status = status;
  seen.signal = signal;
}

static void on_stderr(mcp_transport *transport, const char *bytes, size_t len,
                      void *userdata) {
  for (size_t i = 0; i < len && seen.len < sizeof(seen.text) - 1; i++) {
    seen.text[seen.len++] = bytes[i];
  }
}

static void start(mcp_process_options options, const char *mode,
                  const char *const *more) {
  const char *argv[12] = {program, mode};
  for (int i = 0; more != NULL && more[i] != NULL; i++) {
    argv[2 + i] = more[i];
  }
  options.size = sizeof(options);
  options.argv = argv;
  options.on_exit = on_exit_seen;
  recorder_start(&r, mcp_transport_process(loop, &options, NULL));
}

static void close_and_wait(void) {
  if (r.transport != NULL) {
    r.transport->close(r.transport);
  }
  WAIT_UNTIL(loop, r.close_count > 0);
}

static const char *hex_of(const char *text) {
  static char hex[1024];
  size_t len = 0;
  hex[0] = '-';
  hex[1] = '\0';
  for (; *text != '\0' && len < sizeof(hex) - 3; text++) {
    len += (size_t)snprintf(hex + len, 3, "%02x", (unsigned char)*text);
  }
  return hex;
}

#define TEST_CHILD(name) TEST_WITH(name, begin, end)

/* Windows has one line of text for all arguments, which the child splits. */
TEST_CHILD(arguments_arrive_as_they_are) {
  static const char *const args[] = {
      "plain",          "two words",    "",
      "a \"quoted\" b", "ends with \\", "\\\\\"\\",
      "* ? %PATH% ^ &", "tab\there",    NULL};
  start((mcp_process_options){0}, "child-args", args);
  WAIT_UNTIL(loop, r.close_count > 0);
  size_t at = 0;
  for (; args[at] != NULL; at++) {
    assert_string_equal(recorder_message(&r, at), hex_of(args[at]));
  }
  assert_int_equal(r.message_count, at);
}

TEST_CHILD(arguments_are_utf8) {
  static const char *const args[] = {"Gr\xc3\xbc\xc3\x9f"
                                     "e",
                                     "\xe4\xb8\x96\xe7\x95\x8c", NULL};
  start((mcp_process_options){0}, "child-args", args);
  WAIT_UNTIL(loop, r.close_count > 0);
  assert_int_equal(r.message_count, 2);
  assert_string_equal(recorder_message(&r, 0), hex_of(args[0]));
  assert_string_equal(recorder_message(&r, 1), hex_of(args[1]));
}

TEST_CHILD(the_environment_is_what_the_options_say) {
  static const char *const env[] = {"MCP_TEST_VALUE=\xc3\xa4=b c", NULL};
  uv_os_setenv("MCP_TEST_PARENT", "a secret");
  start((mcp_process_options){.env = env}, "child-env", NULL);
  WAIT_UNTIL(loop, r.close_count > 0);
  assert_string_equal(recorder_message(&r, 0), hex_of("\xc3\xa4=b c"));
  assert_string_equal(recorder_message(&r, 1), hex_of("none"));
}

TEST_CHILD(the_whole_environment_is_inherited_on_request) {
  uv_os_setenv("MCP_TEST_PARENT", "no secret");
  start((mcp_process_options){.inherit_env = 1}, "child-env", NULL);
  WAIT_UNTIL(loop, r.close_count > 0);
  assert_string_equal(recorder_message(&r, 1), hex_of("no secret"));
}

TEST_CHILD(a_child_runs_in_its_folder) {
  char folder[1024];
  size_t size = sizeof(folder);
  assert_int_equal(uv_os_tmpdir(folder, &size), 0);
  start((mcp_process_options){.working_directory = folder}, "child-folder",
        NULL);
  WAIT_UNTIL(loop, r.close_count > 0);
  assert_int_equal(r.message_count, 1);
  assert_string_not_equal(recorder_message(&r, 0), hex_of("none"));
}

TEST_CHILD(messages_go_both_ways_as_bytes) {
  enum { LEN = 300000, COUNT = 20 };
  char *text = malloc(LEN + 1);
  assert_non_null(text);
  memset(text, 'x', LEN);
  text[0] = '\xe2', text[1] = '\x82', text[2] = '\xac'; /* no code page */
  text[3] = '\x1a'; /* the end of a text file, for Windows */
  text[LEN] = '\0';
  start((mcp_process_options){0}, "child-cat", NULL);
  for (int i = 0; i < COUNT; i++) {
    recorder_send(&r, text);
  }
  WAIT_UNTIL(loop, r.message_count == COUNT);
  for (size_t i = 0; i < COUNT; i++) {
    assert_string_equal(recorder_message(&r, i), text);
  }
  close_and_wait();
  assert_int_equal(seen.exits, 1);
  assert_int_equal(seen.status, 5);
  assert_int_equal(r.error_count, 0);
  free(text);
}

/* A program that writes text on Windows ends its lines with CR LF. */
TEST_CHILD(a_carriage_return_at_the_end_of_a_line_is_no_part_of_it) {
  start((mcp_process_options){0}, "child-crlf", NULL);
  WAIT_UNTIL(loop, r.close_count > 0);
  assert_int_equal(r.message_count, 3);
  assert_string_equal(recorder_message(&r, 0), "{\"a\":1}");
  assert_string_equal(recorder_message(&r, 1), "{\"b\":2}");
  assert_string_equal(recorder_message(&r, 2), "{\"c\":3}");
}

TEST_CHILD(standard_error_and_the_status_are_reported) {
  start((mcp_process_options){.on_stderr = on_stderr}, "child-stderr", NULL);
  WAIT_UNTIL(loop, r.close_count > 0);
  assert_string_equal(seen.text, "a word of warning");
  assert_int_equal(seen.status, 3);
  assert_int_equal(seen.signal, 0);
}

TEST_CHILD(a_program_that_is_missing_is_an_error) {
  static const char *const argv[] = {"no-such-program-of-libmcp", NULL};
  mcp_process_options options = {.size = sizeof(options), .argv = argv};
  mcp_error err = {0};
  mcp_transport *transport = mcp_transport_process(loop, &options, NULL);
  recorder_own(&r, transport);
  assert_int_equal(transport->start(transport, &err), MCP_ERR_IO);
  assert_non_null(strstr(err.message, "no-such-program-of-libmcp"));
  mcp_transport_free(transport);
}

static void assert_gone(int pid) {
  uint64_t began = uv_hrtime();
  while (uv_kill(pid, 0) == 0) {
    assert_true(uv_hrtime() - began < UINT64_C(20000000000));
    uv_sleep(10);
  }
}

TEST_CHILD(nothing_is_left_of_a_stubborn_child) {
  int child = 0;
  int grandchild = 0;
  start((mcp_process_options){.close_wait_ms = 100, .term_wait_ms = 100},
        "child-stubborn", NULL);
  WAIT_UNTIL(loop, r.message_count == 1);
  assert_int_equal(
      sscanf(recorder_message(&r, 0), "%d %d", &child, &grandchild), 2);
  assert_int_equal(uv_kill(child, 0), 0);
  assert_int_equal(uv_kill(grandchild, 0), 0);
  close_and_wait();
  assert_gone(child);
  assert_gone(grandchild);
}

TEST_CHILD(freeing_the_loop_ends_a_child) {
  int child = 0;
  int grandchild = 0;
  start((mcp_process_options){.close_wait_ms = 100, .term_wait_ms = 100},
        "child-stubborn", NULL);
  WAIT_UNTIL(loop, r.message_count == 1);
  assert_int_equal(
      sscanf(recorder_message(&r, 0), "%d %d", &child, &grandchild), 2);
  mcp_transport_free(r.transport);
  assert_gone(child);
  assert_gone(grandchild);
}

int main(int argc, char **argv) {
  size_t size = sizeof(program);
  argv = uv_setup_args(argc, argv);
  if (argc > 1 && strncmp(argv[1], "child-", 6) == 0) {
    return child_main(argc, mcpi_arguments(argc, argv));
  }
  if (uv_exepath(program, &size) != 0) {
    return 1;
  }
  return tests_run(NULL, NULL);
}
