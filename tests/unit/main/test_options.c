/* SPDX-License-Identifier: MIT */
#include "main/options.h"

#include "support/libmcp/recorder.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The values that the program's options received, as "name=value;". */
static char told[500];
static const mcp_main_option *emitter; /* of the last value */

static mcpi_main_settings settings;
static mcp_main_option own[MCPI_MAIN_OWN_COUNT];
static char complaint[500];

static int note(const mcp_main_option *option, const char *value,
                void *userdata) {
  size_t len = strlen(told);
  assert_ptr_equal(option->userdata, userdata);
  emitter = option;
  snprintf(told + len, sizeof(told) - len, "%s=%s;", (const char *)userdata,
           value != NULL ? value : "");
  return value != NULL && strcmp(value, "bad") == 0 ? -1 : 0;
}

#define NAMED(name) ((void *)(uintptr_t)(name))

static const mcp_main_option program_options[] = {
    {"allow", "NAME", "a name to allow", note, NAMED("allow"), {NULL}},
    {NULL, "DIR", "the folder to serve", note, NAMED("dir"), {NULL}},
    {"dry", NULL, NULL, note, NAMED("dry"), {NULL}},
    {NULL, "FILE...", "more files", note, NAMED("file"), {NULL}},
    {"a-very-long-name-of-an-option",
     "VALUE",
     "has a long description too, which needs more than one line to be shown",
     note,
     NAMED("long"),
     {NULL}},
};

static mcpi_main_table tables[2] = {{program_options, 5, 0},
                                    {own, MCPI_MAIN_OWN_COUNT, 0}};

static int saved_stderr;
static int said; /* what goes to standard error meanwhile */

static void begin_listening(void) {
  int fds[2];
  make_pipe(fds);
  saved_stderr = dup(STDERR_FILENO);
  dup2(fds[1], STDERR_FILENO);
  close(fds[1]);
  said = fds[0];
}

static void end_listening(void) {
  dup2(saved_stderr, STDERR_FILENO);
  close(saved_stderr);
  char *printed = read_text(said, SIZE_MAX);
  snprintf(complaint, sizeof(complaint), "%s", printed);
  free(printed);
  close(said);
}

/* Reads a command line; standard error goes to `complaint`. */
static int parse(const char *line) {
  static char text[300]; /* values are borrowed for good */
  char *argv[32] = {(char[]){"prog"}};
  int argc = 1;
  snprintf(text, sizeof(text), "%s", line);
  for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
    argv[argc++] = word;
  }
  told[0] = '\0';
  mcpi_main_own_options(own, &settings, "prog");
  begin_listening();
  int rc = mcpi_main_parse("prog", argc, argv, tables, 2);
  end_listening();
  return rc;
}

TEST(words_past_argc_are_not_read) {
  char *argv[] = {(char[]){"prog"}, (char[]){"--unknown"}, NULL};
  told[0] = '\0';
  mcpi_main_own_options(own, &settings, "prog");
  assert_int_equal(mcpi_main_parse("prog", 1, argv, tables, 2), 0);
  assert_int_equal(mcpi_main_parse("prog", 0, argv, tables, 2), 0);
  assert_int_equal(mcpi_main_parse("prog", 0, NULL, tables, 2), 0);
  assert_string_equal(told, "");
}

TEST(nothing_means_the_defaults) {
  assert_int_equal(parse(""), 0);
  assert_int_equal(settings.drain_ms, 1000);
  assert_int_equal(settings.log_level, MCP_LOG_WARNING);
  assert_null(settings.log_file);
  assert_false(settings.wants_trace);
  assert_false(settings.wants_help);
}

TEST(values_come_in_both_ways) {
  assert_int_equal(parse("--drain-ms 5 --log-level=debug --log-file=/x=y "
                         "--trace --stdio --allow ls --allow=cat"),
                   0);
  assert_int_equal(settings.drain_ms, 5);
  assert_int_equal(settings.log_level, MCP_LOG_DEBUG);
  assert_string_equal(settings.log_file, "/x=y");
  assert_true(settings.wants_trace);
  assert_string_equal(told, "allow=ls;allow=cat;");
}

TEST(the_legacy_era_is_served_in_three_ways) {
  assert_int_equal(parse("--legacy plain"), 0);
  assert_int_equal(settings.http.legacy, MCP_HTTP_PLAIN);
  assert_int_equal(parse("--legacy stateless"), 0);
  assert_int_equal(settings.http.legacy, MCP_HTTP_STATELESS);
  assert_int_equal(parse("--legacy plain --legacy sessions"), 0);
  assert_int_equal(settings.http.legacy, MCP_HTTP_SESSIONS);
}

TEST(arguments_go_by_their_place) {
  assert_int_equal(parse("one --dry two three"), 0);
  assert_string_equal(told, "dir=one;dry=;file=two;file=three;");
  assert_ptr_equal(emitter, &program_options[3]);
  assert_int_equal(parse("-- --dry -x"), 0);
  assert_string_equal(told, "dir=--dry;file=-x;");
  assert_int_equal(parse("-"), 0);
  assert_string_equal(told, "dir=-;");
  assert_ptr_equal(emitter, &program_options[1]);
}

static void expect_complaint(const char *line, const char *expected) {
  assert_int_equal(parse(line), -1);
  assert_string_equal(complaint, expected);
}

TEST(complaints_say_what_to_do) {
  const mcpi_main_table table = tables[0];
  expect_complaint("--foo", "prog: unknown option \"--foo\"\n"
                            "Try \"prog --help\".\n");
  expect_complaint("--foo=bar", "prog: unknown option \"--foo\"\n"
                                "Try \"prog --help\".\n");
  expect_complaint("-v", "prog: unknown option \"-v\"\n"
                         "Try \"prog --help\".\n");
  expect_complaint("--allow", "prog: --allow needs a value: NAME\n"
                              "Try \"prog --help\".\n");
  expect_complaint("--dry=1", "prog: --dry takes no value\n"
                              "Try \"prog --help\".\n");
  tables[0].count = 1;
  expect_complaint("x", "prog: unexpected argument \"x\"\n"
                        "Try \"prog --help\".\n");
  tables[0] = table;
  expect_complaint(
      "--drain-ms -1",
      "prog: --drain-ms: \"-1\" is not a number of milliseconds\n");
  expect_complaint("--drain-ms 99999999999",
                   "prog: --drain-ms: \"99999999999\" is not a number of "
                   "milliseconds\n");
  expect_complaint(
      "--log-level loud",
      "prog: --log-level: \"loud\" is not a level; use debug, info, notice, "
      "warning, error, critical, alert or emergency\n");
  expect_complaint("--legacy none",
                   "prog: --legacy: \"none\" is not a mode; use sessions, "
                   "stateless or plain\n");
  expect_complaint("--allow bad", ""); /* the program has said it */
}

/* Once for each wire, however it is spelt; the second time it is another. */
TEST(wires_share_an_address) {
  assert_int_equal(parse("--http 127.0.0.1:1 --sse [::1]:2 --sse localhost:1 "
                         "--http 127.0.0.1:1 --tcp [0::1]:2"),
                   0);
  assert_int_equal(settings.address_count, 4);
  assert_string_equal(settings.addresses[0].text, "127.0.0.1:1");
  assert_int_equal(settings.addresses[0].wires,
                   MCP_HTTP_STREAMABLE | MCP_HTTP_SSE);
  assert_string_equal(settings.addresses[1].text, "[::1]:2");
  assert_int_equal(settings.addresses[1].wires, MCP_HTTP_SSE);
  assert_int_equal(settings.addresses[2].wires, MCP_HTTP_STREAMABLE);
  assert_string_equal(settings.addresses[3].text, "[::1]:2");
  assert_int_equal(settings.addresses[3].wires, 0);
}

TEST(a_unix_socket_is_named_in_both_ways) {
  assert_int_equal(parse("--unix a/b --unix unix:a/b --http unix:a/b"), 0);
  assert_int_equal(settings.address_count, 3);
  for (size_t i = 0; i < 3; i++) {
    assert_string_equal(settings.addresses[i].text, "unix:a/b");
  }
}

TEST(bad_addresses_are_named_with_their_option) {
  expect_complaint("--tcp 127.0.0.1:99999",
                   "prog: --tcp: \"127.0.0.1:99999\": its port is not a "
                   "number from 0 to 65535\n");
  expect_complaint("--ws 80",
                   "prog: --ws: \"80\": not HOST:PORT or unix:PATH, such as "
                   "127.0.0.1:8000\n");
  expect_complaint("--http http://127.0.0.1:80/mcp",
                   "prog: --http: \"http://127.0.0.1:80/mcp\": not a URL but "
                   "HOST:PORT or unix:PATH, such as 127.0.0.1:8000\n");
  expect_complaint("--unix=", "prog: --unix: \"unix:\": a socket's path has 1 "
                              "to 107 bytes\n");
  expect_complaint(
      "--tcp unix:x",
      "prog: --tcp: \"unix:x\" is not HOST:PORT; see --unix PATH\n");
}

/* Expects this complaint, after the command line is read. */
static void expect_clash(const char *line, const char *expected) {
  assert_int_equal(parse(line), 0);
  begin_listening();
  int rc = mcpi_main_check_settings(&settings);
  end_listening();
  assert_string_equal(complaint, expected);
  assert_int_equal(rc, expected[0] != '\0' ? -1 : 0);
}

TEST(what_does_not_go_together_is_refused) {
  expect_clash("--dialect mcp-core --tcp 127.0.0.1:1 --era both", "");
  expect_clash("--dialect mcp-core --http 127.0.0.1:1 --sse 127.0.0.1:1",
               "prog: --sse: it does not work with --dialect mcp-core: use "
               "--http, --ws, --tcp, --unix or --stdio\n");
  expect_clash("--dialect mcp-core --era modern",
               "prog: --era: it has no effect with --dialect mcp-core\n");
  expect_clash("--dialect mcp-core --legacy plain --http 127.0.0.1:1",
               "prog: --legacy: it has no effect with --dialect mcp-core\n");
  expect_clash("--http 127.0.0.1:1 --tls-cert a",
               "prog: --tls-cert: its --tls-key is missing\n");
  expect_clash("--http 127.0.0.1:1 --tls-key a",
               "prog: --tls-key: its --tls-cert is missing\n");
  expect_clash("--tcp 127.0.0.1:1 --path /x",
               "prog: --path: it belongs to --http HOST:PORT, --sse or --ws: "
               "give one of them\n");
}

TEST(help_fits_the_screen) {
  char *text = NULL;
  size_t len = 0;
  FILE *out = open_memstream(&text, &len);
  mcpi_main_help(out, "prog", "Does this and that.", tables, 2);
  fclose(out);
  static const char start[] =
      "Usage: prog [OPTIONS] [DIR] [FILE...]\n"
      "Does this and that.\n"
      "\n"
      "Arguments:\n"
      "  DIR                       the folder to serve\n"
      "  FILE...                   more files\n"
      "\n"
      "Options:\n"
      "  --allow NAME              a name to allow\n"
      "  --dry\n"
      "  --a-very-long-name-of-an-option VALUE\n"
      "                            has a long description too, which needs "
      "more than\n"
      "                            one line to be shown\n";
  assert_memory_equal(text, start, sizeof(start) - 1);
  for (char *line = strtok(text, "\n"); line != NULL;
       line = strtok(NULL, "\n")) {
    assert_in_range(strlen(line), 1, 80);
    assert_true(line[strlen(line) - 1] != ' ');
  }
  free(text);
}

TEST(help_shows_one_option_of_a_name) {
  static const mcp_main_option mine[] = {
      {.name = "http", .description = "fetch by HTTP"}};
  const mcpi_main_table both[] = {{mine, 1, 0}, tables[1]};
  char *text = NULL;
  size_t len = 0;
  FILE *out = open_memstream(&text, &len);
  mcpi_main_help(out, "prog", NULL, both, 2);
  fclose(out);
  const char *first = strstr(text, "  --http ");
  assert_non_null(first);
  assert_non_null(strstr(first, "fetch by HTTP"));
  assert_null(strstr(first + 1, "  --http "));
  free(text);
}

TEST(a_program_is_called_by_its_name) {
  char *argv[] = {(char[]){"/usr/bin/prog"}, NULL};
  assert_string_equal(mcpi_main_program_name(1, argv), "prog");
  argv[0] += strlen("/usr/bin/");
  assert_string_equal(mcpi_main_program_name(1, argv), "prog");
  argv[0] = NULL;
  assert_string_equal(mcpi_main_program_name(0, argv), "server");
}

static int read_limit(const char *option, const char *value) {
  static mcp_main_option limit_options[MCPI_MAIN_LIMIT_COUNT];
  char *argv[] = {(char[]){"p"}, (char *)(uintptr_t)option,
                  (char *)(uintptr_t)value, NULL};
  mcpi_main_own_options(own, &settings, "p");
  mcpi_main_limit_options(limit_options, &settings);
  const mcpi_main_table only_limits[] = {
      {limit_options, MCPI_MAIN_LIMIT_COUNT, 0}};
  return mcpi_main_parse("p", 3, argv, only_limits, 1);
}

TEST(limits_are_set_where_they_belong) {
  assert_int_equal(read_limit("--max-body", "1"), 0);
  assert_int_equal(settings.listen.max_body, 1);
  assert_int_equal(read_limit("--write-ms", "4294967295"), 0);
  assert_int_equal(settings.listen.write_ms, UINT32_MAX);
  assert_int_equal(settings.socket.write_ms, UINT32_MAX);
  assert_int_equal(settings.listen.body_ms, 0);
  mcp_limits limits = {.max_depth = 7, .max_batch = 8};
  assert_int_equal(read_limit("--max-depth", "5"), 0);
  mcpi_main_limit_server(&settings, &limits);
  assert_int_equal(limits.max_depth, 5);
  assert_int_equal(limits.max_batch, 8);
}

/* Each option's number reaches the server's options, if it is one of theirs. */
TEST(limits_of_the_server_reach_it) {
  static const struct {
    const char *option;
    size_t at;
  } rows[] = {
#define ROW(option, member) {option, offsetof(mcp_limits, member)}
      ROW("--max-depth", max_depth),
      ROW("--max-batch", max_batch),
      ROW("--max-calls", max_calls),
      ROW("--max-total-calls", max_total_calls),
      ROW("--max-subscriptions", max_subscriptions),
      ROW("--max-rounds", max_rounds),
      ROW("--ask-timeout-ms", ask_timeout_ms),
      ROW("--max-reports", max_reports),
      ROW("--max-unreadable", max_unreadable),
      ROW("--ping-interval-ms", ping_interval_ms),
      ROW("--ping-timeout-ms", ping_timeout_ms),
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    mcp_limits limits = {.max_message = 7, .max_kept_bytes = 8};
    mcp_limits expected = limits;
    uint32_t number = 5;
    assert_int_equal(read_limit(rows[i].option, "5"), 0);
    mcpi_main_limit_server(&settings, &limits);
    memcpy((char *)&expected + rows[i].at, &number, sizeof(number));
    assert_memory_equal(&limits, &expected, sizeof(limits));
  }
  mcp_limits limits = {.max_values = 7};
  assert_int_equal(read_limit("--max-values", "5"), 0);
  mcpi_main_limit_server(&settings, &limits);
  assert_int_equal(limits.max_values, 5);
}

/* The program's max_kept_bytes may be smaller than the message. */
TEST(a_longer_message_may_be_kept) {
  mcp_limits limits = {.max_message = 7, .max_kept_bytes = 8};
  assert_int_equal(read_limit("--max-message", "9"), 0);
  mcpi_main_limit_server(&settings, &limits);
  assert_int_equal(limits.max_message, 9);
  assert_int_equal(limits.max_kept_bytes, 9);
  limits.max_kept_bytes = 100;
  mcpi_main_limit_server(&settings, &limits);
  assert_int_equal(limits.max_kept_bytes, 100);
  assert_int_equal(read_limit("--max-kept-bytes", "8192"), 0);
  mcpi_main_limit_server(&settings, &limits);
  assert_int_equal(limits.max_kept_bytes, 8192);
}

TEST(a_session_has_its_times) {
  assert_int_equal(read_limit("--initialized-ms", "4"), 0);
  assert_int_equal(settings.http.initialized_ms, 4);
  assert_int_equal(read_limit("--session-idle-ms", "5"), 0);
  assert_int_equal(settings.http.session_idle_ms, 5);
}

TEST(the_pool_has_its_limits) {
  mcp_loop_options options = {.pool_threads = 3, .pool_queue = 7};
  assert_int_equal(read_limit("--pool-threads", "12"), 0);
  mcpi_main_limit_loop(&settings, &options);
  assert_int_equal(options.pool_threads, 12);
  assert_int_equal(options.pool_queue, 7);
  assert_int_equal(read_limit("--pool-queue", "1"), 0);
  mcpi_main_limit_loop(&settings, &options);
  assert_int_equal(options.pool_queue, 1);
  assert_int_equal(read_limit("--pool-threads", "1000"), 0);
  assert_int_equal(read_limit("--pool-threads", "1001"), -1);
}

TEST(limits_are_numbers_in_range) {
  static const char *const wrong[] = {"", "0", "-1", "x", "1k", "4294967296"};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    assert_int_equal(read_limit("--write-ms", wrong[i]), -1);
  }
  assert_int_equal(read_limit("--max-depth", "128"), 0);
  assert_int_equal(read_limit("--max-depth", "129"), -1);
  begin_listening();
  assert_int_equal(read_limit("--max-kept-bytes", "8191"), -1);
  end_listening();
  assert_non_null(strstr(complaint, "p: --max-kept-bytes: \"8191\" is not a "
                                    "number from 8192 to "));
}

/* --- the program's options of HTTP --------------------------------------- */

static const char *const given_hosts[] = {"a", NULL};
static const char *const given_origins[] = {"https://a", NULL};

static int on_request(mcp_server *server, const mcp_http_request *request,
                      mcp_http_decision *decision, void *userdata) {
  return 0;
}

static const mcp_http_options given_endpoint = {
    .size = sizeof(mcp_http_options),
    .path = "/given",
    .legacy = MCP_HTTP_STATELESS,
    .allowed_hosts = given_hosts,
    .allowed_origins = given_origins,
    .max_calls = 6,
    .max_sessions = 7,
    .on_request = on_request,
    .sse_path = "/events",
    .path_setting = "PATH in the configuration"};
static const mcp_http_listen_options given_listen = {
    .size = sizeof(mcp_http_listen_options),
    .http = &given_endpoint,
    .threads = 2,
    .max_body = 8,
    .idle_ms = 9,
    .tls_cert = "cert",
    .tls_key = "key",
    .tls_client_ca = "ca",
    .socket_mode = 0600};

/* The settings have been read from a command line. */
static void lay_over_given(void) {
  mcp_error err = {0};
  assert_int_equal(mcpi_main_take_http(&settings, &given_listen, &err), 0);
  assert_int_equal(mcpi_main_check_settings(&settings), 0);
  mcpi_main_make_whole(&settings);
}

TEST(what_the_program_states_of_http_holds) {
  assert_int_equal(parse("--http 127.0.0.1:1"), 0);
  lay_over_given();
  mcp_http_options endpoint = given_endpoint;
  mcp_http_listen_options listen = given_listen;
  endpoint.host_setting = settings.whole.endpoint.host_setting;
  endpoint.origin_setting = settings.whole.endpoint.origin_setting;
  listen.http = &settings.whole.endpoint;
  assert_memory_equal(&settings.whole.endpoint, &endpoint, sizeof(endpoint));
  assert_memory_equal(&settings.whole.listen, &listen, sizeof(listen));
  assert_string_equal(endpoint.host_setting, "--allow-host");
  assert_string_equal(endpoint.origin_setting, "--allow-origin");
}

TEST(what_the_command_line_states_of_http_wins) {
  const mcp_http_options *endpoint = &settings.whole.endpoint;
  const mcp_http_listen_options *listen = &settings.whole.listen;
  assert_int_equal(parse("--http 127.0.0.1:1 --path /q --legacy sessions "
                         "--allow-host b --allow-origin https://b --threads 3 "
                         "--socket-mode 660 --tls-cert c --tls-key k "
                         "--tls-client-ca z"),
                   0);
  lay_over_given();
  assert_string_equal(endpoint->path, "/q");
  assert_int_equal(endpoint->legacy, MCP_HTTP_SESSIONS);
  assert_string_equal(endpoint->allowed_hosts[0], "b");
  assert_null(endpoint->allowed_hosts[1]);
  assert_string_equal(endpoint->allowed_origins[0], "https://b");
  assert_null(endpoint->allowed_origins[1]);
  assert_int_equal(listen->threads, 3);
  assert_int_equal(listen->socket_mode, 0660);
  assert_string_equal(listen->tls_cert, "c");
  assert_string_equal(listen->tls_key, "k");
  assert_string_equal(listen->tls_client_ca, "z");
  assert_int_equal(listen->max_body, 8);
  assert_int_equal(endpoint->max_sessions, 7);
  assert_ptr_equal(endpoint->on_request, on_request);
}

/* With a limit of 5 for one address: `wires` is 0 for lines over TCP. */
static void serve_with_limit(const char *option, uint32_t wires) {
  assert_int_equal(read_limit(option, "5"), 0);
  settings.address_count = 1;
  settings.addresses[0].wires = wires;
}

static void expect_unused(const char *expected) {
  begin_listening();
  int rc = mcpi_main_check_settings(&settings);
  end_listening();
  assert_string_equal(complaint, expected);
  assert_int_equal(rc, expected[0] != '\0' ? -1 : 0);
}

TEST(a_limit_of_a_transport_that_is_not_served_is_refused) {
  static const char *const of_http[] = {"max-sessions", "max-body", "ping-ms"};
  char expected[200];
  for (size_t i = 0; i < sizeof(of_http) / sizeof(of_http[0]); i++) {
    char option[32];
    snprintf(option, sizeof(option), "--%s", of_http[i]);
    snprintf(expected, sizeof(expected),
             "p: %s: it has no effect: give --http HOST:PORT, --sse or --ws\n",
             option);
    serve_with_limit(option, 0);
    expect_unused(expected);
    assert_int_equal(read_limit(option, "5"), 0);
    expect_unused(expected);
    serve_with_limit(option, MCP_HTTP_WEBSOCKET);
    expect_unused("");
  }
  serve_with_limit("--max-line", MCP_HTTP_SSE);
  expect_unused("p: --max-line: it has no effect: give --tcp HOST:PORT, or "
                "--unix PATH\n");
  serve_with_limit("--max-line", 0);
  expect_unused("");
}

TEST(a_limit_of_several_transports_needs_one_of_them) {
  assert_int_equal(read_limit("--max-connections", "5"), 0);
  expect_unused("p: --max-connections: it has no effect: give --http "
                "HOST:PORT, --sse or --ws, or --tcp HOST:PORT, or --unix "
                "PATH\n");
  settings.transports = MCP_MAIN_STDIO | MCP_MAIN_UNIX;
  expect_unused("p: --max-connections: it has no effect: give --unix PATH\n");
  settings.transports = MCP_MAIN_STDIO;
  expect_unused("p: --max-connections: it has no effect\n");
  serve_with_limit("--max-connections", 0);
  expect_unused("");
  serve_with_limit("--max-connections", MCP_HTTP_SSE);
  expect_unused("");
  assert_int_equal(read_limit("--max-calls", "5"), 0); /* of the server too */
  expect_unused("");
  assert_int_equal(read_limit("--ask-timeout-ms", "5"), 0);
  expect_unused("");
}

TEST(limits_of_the_command_line_win) {
  const mcp_http_options *endpoint = &settings.whole.endpoint;
  const mcp_http_listen_options *listen = &settings.whole.listen;
  serve_with_limit("--max-body", MCP_HTTP_SSE);
  lay_over_given();
  assert_int_equal(listen->max_body, 5);
  assert_int_equal(listen->idle_ms, 9);
  assert_int_equal(endpoint->max_calls, 6);
  serve_with_limit("--max-calls", MCP_HTTP_SSE); /* of the server too */
  lay_over_given();
  assert_int_equal(listen->max_body, 8);
  assert_int_equal(endpoint->max_calls, 5);
  assert_int_equal(endpoint->max_sessions, 7);
  serve_with_limit("--idle-ms", MCP_HTTP_SSE); /* of sockets too */
  lay_over_given();
  assert_int_equal(listen->idle_ms, 5);
}

TEST(authorities_go_with_the_programs_certificate) {
  assert_int_equal(parse("--http 127.0.0.1:1 --tls-client-ca z"), 0);
  lay_over_given();
  assert_string_equal(settings.whole.listen.tls_cert, "cert");
  assert_string_equal(settings.whole.listen.tls_client_ca, "z");
}

TEST(without_options_of_the_program_the_command_line_holds) {
  assert_int_equal(parse("--http 127.0.0.1:1 --path /q"), 0);
  assert_int_equal(mcpi_main_take_http(&settings, NULL, NULL), 0);
  mcpi_main_make_whole(&settings);
  assert_string_equal(settings.whole.endpoint.path, "/q");
  assert_string_equal(settings.whole.endpoint.path_setting, "--path");
  assert_ptr_equal(settings.whole.listen.http, &settings.whole.endpoint);
}

static void expect_refusal(const char *message, const char *expected) {
  begin_listening();
  mcpi_main_refuse(&settings, message);
  end_listening();
  assert_string_equal(complaint, expected);
}

TEST(a_refusal_names_the_option_that_was_given) {
  assert_int_equal(parse("--http 127.0.0.1:1 --path q"), 0);
  lay_over_given();
  expect_refusal("path: \"q\" is wrong", "prog: --path: \"q\" is wrong\n");
  expect_refusal("allowed_hosts: \"a\" is wrong",
                 "prog: allowed_hosts: \"a\" is wrong\n");
}

static void expect_untakeable(const mcp_http_listen_options *listen,
                              const char *message) {
  mcp_error err = {0};
  assert_int_equal(parse(""), 0);
  assert_int_equal(mcpi_main_take_http(&settings, listen, &err),
                   MCP_ERR_INVALID);
  assert_string_equal(err.message, message);
}

TEST(the_program_states_neither_addresses_nor_wires) {
  mcp_http_options endpoint = given_endpoint;
  mcp_http_listen_options listen = given_listen;
  listen.http = &endpoint;
  listen.address = "127.0.0.1:1";
  expect_untakeable(&listen,
                    "mcp_main_options.listen: address must not be set: --http, "
                    "--sse and --ws state it");
  listen.address = NULL;
  endpoint.wires = MCP_HTTP_SSE;
  expect_untakeable(&listen,
                    "mcp_main_options.listen: http.wires must not be set: "
                    "--http, --sse and --ws state it");
  endpoint.wires = 0;
  endpoint.dialect = MCP_DIALECT_MCP_CORE;
  expect_untakeable(&listen,
                    "mcp_main_options.listen: http.dialect must not be "
                    "set: --dialect states it");
  endpoint.size = 0;
  expect_untakeable(&listen, "mcp_http_options has no size: set its member "
                             "size to sizeof(mcp_http_options)");
  listen.size = 0;
  expect_untakeable(&listen,
                    "mcp_http_listen_options has no size: set its member size "
                    "to sizeof(mcp_http_listen_options)");
}
