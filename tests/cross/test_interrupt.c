/* SPDX-License-Identifier: MIT */
/* Ctrl-C ends a program of mcp_main: in order, or at once if its loop is stuck.
 * The program is this one, and presses the keys itself. */
#include "support/cm.h"

#include <mcp/mcp.h>
#include <string.h>
#include <uv.h>

#ifdef _WIN32
#include <windows.h>

/* Windows tells all programs of a console, and under Wine there may not be
 * any. */
static void use_own_keys(void) {
  FreeConsole();
  AllocConsole();
}

static void press_keys(void) {
  GenerateConsoleCtrlEvent(CTRL_C_EVENT, 0);
}
#else
#include <signal.h>

static void use_own_keys(void) {
}

static void press_keys(void) {
  raise(SIGINT);
}
#endif

enum { SIGINT_STATUS = 128 + 2 };

/* --- the program ---------------------------------------------------------- */

static void on_turn(void *argument) {
  const char *mode = argument;
  press_keys();
  while (strcmp(mode, "program-stuck") == 0) {
    uv_sleep(1000);
  }
}

static int on_start(mcp_server *server, mcp_loop *loop, void *userdata) {
  return mcp_loop_post(loop, on_turn, userdata);
}

static int run_program(const char *name, char *mode) {
  char http[] = "--http";
  char address[] = "127.0.0.1:0";
  char grace[] = "--drain-ms";
  char ms[] = "100";
  char *argv[] = {(char *)(uintptr_t)name, http, address, grace, ms, NULL};
  const mcp_main_options options = {
      .size = sizeof(options), .on_start = on_start, .userdata = mode};
  use_own_keys();
  return mcp_main_with(mcp_server_new("test", "1", NULL, NULL), 5, argv,
                       &options);
}

/* --- the test ------------------------------------------------------------- */

static char program[4096];

static void on_exit_seen(uv_process_t *process, int64_t status, int signal) {
  *(int64_t *)process->data = signal != 0 ? -1 : status;
  uv_close((uv_handle_t *)process, NULL);
}

static int64_t status_of(const char *mode) {
  int64_t status = -2;
  uv_process_t process = {.data = &status};
  char *args[] = {program, (char *)(uintptr_t)mode, NULL};
  uv_process_options_t options = {.exit_cb = on_exit_seen,
                                  .file = program,
                                  .args = args,
                                  .flags = UV_PROCESS_WINDOWS_HIDE};
  assert_int_equal(uv_spawn(uv_default_loop(), &process, &options), 0);
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
  return status;
}

TEST(a_program_that_can_ends_in_order) {
  assert_int_equal(status_of("program-free"), 0);
}

TEST(a_program_that_is_stuck_ends_anyway) {
  assert_int_equal(status_of("program-stuck"), SIGINT_STATUS);
}

int main(int argc, char **argv) {
  size_t size = sizeof(program);
  if (argc > 1 && strncmp(argv[1], "program-", 8) == 0) {
    return run_program(argv[0], argv[1]);
  }
  return uv_exepath(program, &size) == 0 ? tests_run(NULL, NULL) : 1;
}
