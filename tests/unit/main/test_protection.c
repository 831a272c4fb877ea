/* SPDX-License-Identifier: MIT */
/* The options --auth-...: what an endpoint gets of them, and which are
 * refused. */
#include "main/options.h"

#include "support/libmcp/recorder.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static mcpi_main_settings settings;
static mcp_main_option own[MCPI_MAIN_OWN_COUNT];
static char complaint[500];

/* Reads a command line and lays it over the program's options, which may be
 * NULL. Returns 0, or -1 with `complaint`. */
static int use(const char *line, const mcp_protect_options *given) {
  static char text[500]; /* values are borrowed for good */
  const mcp_http_options http = {.size = sizeof(mcp_http_options),
                                 .protect = given};
  const mcp_http_listen_options listen = {
      .size = sizeof(mcp_http_listen_options), .http = &http};
  const mcpi_main_table table = {own, MCPI_MAIN_OWN_COUNT, 0};
  char *argv[40] = {(char[]){"prog"}};
  int argc = 1;
  int fds[2];
  snprintf(text, sizeof(text), "%s", line);
  for (char *word = strtok(text, " "); word != NULL; word = strtok(NULL, " ")) {
    argv[argc++] = word;
  }
  make_pipe(fds);
  int saved = dup(STDERR_FILENO);
  dup2(fds[1], STDERR_FILENO);
  close(fds[1]);
  mcpi_main_own_options(own, &settings, "prog");
  int rc = mcpi_main_parse("prog", argc, argv, &table, 1);
  rc = rc == 0 ? mcpi_main_take_http(&settings, &listen, NULL) : rc;
  rc = rc == 0 ? mcpi_main_check_settings(&settings) : rc;
  if (rc == 0) {
    mcpi_main_make_whole(&settings);
  }
  dup2(saved, STDERR_FILENO);
  close(saved);
  char *printed = read_text(fds[0], SIZE_MAX);
  snprintf(complaint, sizeof(complaint), "%s", printed);
  free(printed);
  close(fds[0]);
  return rc;
}

#define HTTP "--http 127.0.0.1:1 "

static const mcp_protect_options *protect_of(const char *line) {
  assert_int_equal(use(line, NULL), 0);
  assert_string_equal(complaint, "");
  return settings.whole.endpoint.protect;
}

/* --- what an endpoint gets ----------------------------------------------- */

TEST(without_the_options_no_token_is_needed) {
  assert_null(protect_of(HTTP));
  assert_null(protect_of("--stdio"));
}

TEST(issuers_and_audiences_are_lists) {
  const mcp_protect_options *protect =
      protect_of(HTTP "--auth-issuer https://a --auth-audience x");
  assert_int_equal(protect->size, sizeof(mcp_protect_options));
  assert_string_equal(protect->issuer, "https://a");
  assert_null(protect->more_issuers);
  assert_string_equal(protect->audiences[0], "x");
  assert_null(protect->audiences[1]);
  protect = protect_of(HTTP "--auth-issuer https://a --auth-issuer https://b "
                            "--auth-issuer https://c --auth-audience x "
                            "--auth-audience y");
  assert_string_equal(protect->issuer, "https://a");
  assert_string_equal(protect->more_issuers[0], "https://b");
  assert_string_equal(protect->more_issuers[1], "https://c");
  assert_null(protect->more_issuers[2]);
  assert_string_equal(protect->audiences[1], "y");
  assert_null(protect->audiences[2]);
}

TEST(each_option_has_its_member) {
  const mcp_protect_options *protect;
  setenv("PROTECTION_SECRET", "s3cret", 1);
  protect = protect_of(HTTP "--auth-issuer https://a --auth-jwks-uri https://k "
                            "--auth-scopes one --auth-resource https://r/mcp "
                            "--auth-token-file /f --auth-introspection "
                            "https://i --auth-client-id me "
                            "--auth-client-secret-env PROTECTION_SECRET");
  assert_string_equal(protect->jwks_uri, "https://k");
  assert_string_equal(protect->scopes, "one");
  assert_string_equal(protect->resource, "https://r/mcp");
  assert_string_equal(protect->token_file, "/f");
  assert_string_equal(protect->introspection_endpoint, "https://i");
  assert_string_equal(protect->introspection_client_id, "me");
  assert_string_equal(protect->introspection_client_secret, "s3cret");
  unsetenv("PROTECTION_SECRET");
}

/* --- the program's options ----------------------------------------------- */

static const char *const given_audiences[] = {"given", NULL};
static const char *const given_more[] = {"https://more", NULL};
static const mcp_protect_options given = {
    .size = sizeof(mcp_protect_options),
    .resource = "https://given/mcp",
    .audiences = given_audiences,
    .scopes = "given",
    .issuer = "https://given",
    .more_issuers = given_more,
    .introspection_endpoint = "https://given/i",
    .introspection_client_id = "given",
    .introspection_client_secret = "secret",
    .tokens = "0123456789abcdef",
    .requires_dpop = 1};

TEST(what_the_program_states_of_tokens_holds) {
  assert_int_equal(use(HTTP, &given), 0);
  assert_memory_equal(settings.whole.endpoint.protect, &given, sizeof(given));
  assert_ptr_equal(settings.whole.endpoint.protect, &settings.whole.protect);
}

TEST(what_the_command_line_states_of_tokens_wins) {
  assert_int_equal(use(HTTP "--auth-scopes mine", &given), 0);
  const mcp_protect_options *protect = settings.whole.endpoint.protect;
  assert_string_equal(protect->scopes, "mine");
  assert_string_equal(protect->issuer, "https://given");
  assert_int_equal(protect->requires_dpop, 1);
  assert_int_equal(use(HTTP "--auth-issuer https://a", &given), 0);
  assert_string_equal(protect->issuer, "https://a");
  assert_null(protect->more_issuers);
  assert_string_equal(protect->audiences[0], "given");
  assert_int_equal(use(HTTP "--auth-token-file /f", &given), 0);
  assert_string_equal(protect->token_file, "/f");
  assert_null(protect->tokens);
}

static void on_check(mcp_token_check *check, const char *token,
                     void *userdata) {
  mcp_token_refuse(check, token);
}

TEST(an_issuer_of_the_command_line_is_the_only_way_to_check_tokens) {
  mcp_protect_options other = given;
  other.check_token = on_check;
  other.introspection_endpoint = "https://given/introspect";
  other.introspection_client_id = "id";
  other.introspection_client_secret = "secret";
  assert_int_equal(use(HTTP "--auth-issuer https://a", &other), 0);
  const mcp_protect_options *protect = settings.whole.endpoint.protect;
  assert_null(protect->check_token);
  assert_null(protect->introspection_endpoint);
  assert_null(protect->introspection_client_id);
  assert_null(protect->introspection_client_secret);
  assert_null(protect->tokens);
  assert_int_equal(use(HTTP "--auth-issuer https://a --auth-token-file /f "
                            "--auth-introspection https://i",
                       &other),
                   0);
  assert_string_equal(protect->introspection_endpoint, "https://i");
  assert_string_equal(protect->token_file, "/f");
  assert_int_equal(use(HTTP "--auth-introspection https://i", &other), 0);
  assert_null(protect->check_token);
}

TEST(a_secret_does_not_go_elsewhere) {
  assert_int_equal(use(HTTP "--auth-introspection https://i", &given), 0);
  const mcp_protect_options *protect = settings.whole.endpoint.protect;
  assert_string_equal(protect->introspection_endpoint, "https://i");
  assert_null(protect->introspection_client_id);
  assert_null(protect->introspection_client_secret);
}

TEST(keys_do_not_go_with_another_issuer) {
  mcp_protect_options other = given;
  other.more_issuers = NULL;
  other.jwks = "{}";
  other.jwks_uri = "https://keys";
  assert_int_equal(use(HTTP "--auth-issuer https://a", &other), 0);
  assert_null(settings.whole.endpoint.protect->jwks);
  assert_null(settings.whole.endpoint.protect->jwks_uri);
}

/* --- what is refused ----------------------------------------------------- */

static void refuses(const char *line, const char *expected) {
  assert_int_equal(use(line, NULL), -1);
  assert_string_equal(complaint, expected);
}

TEST(they_need_an_http_address) {
  static const char *const options[] = {
      "--auth-issuer",    "--auth-audience",      "--auth-scopes",
      "--auth-resource",  "--auth-jwks-uri",      "--auth-token-file",
      "--auth-client-id", "--auth-introspection", "--auth-client-secret-env"};
  for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
    static const char *const others[] = {"", "--stdio", "--tcp 127.0.0.1:1"};
    char line[100];
    char expected[200];
    snprintf(line, sizeof(line), "%s x %s", options[i], others[i % 3]);
    snprintf(expected, sizeof(expected),
             "prog: %s: it belongs to --http HOST:PORT, --sse or --ws: give "
             "one of them\n",
             options[i]);
    refuses(line, expected);
  }
}

TEST(something_must_say_how_tokens_are_checked) {
  refuses(HTTP "--auth-scopes x",
          "prog: --auth-scopes: nothing says how tokens are checked: give "
          "--auth-issuer, --auth-token-file or --auth-introspection\n");
  refuses(HTTP "--auth-audience x --auth-resource https://x",
          "prog: --auth-audience: nothing says how tokens are checked: give "
          "--auth-issuer, --auth-token-file or --auth-introspection\n");
  assert_int_equal(use(HTTP "--auth-scopes x", &given), 0);
  const mcp_protect_options rest = {.size = sizeof(mcp_protect_options),
                                    .scopes = "x"};
  assert_int_equal(use(HTTP, &rest), -1);
  assert_string_equal(
      complaint,
      "prog: --auth-issuer: nothing says how tokens are checked: give "
      "--auth-issuer, --auth-token-file or --auth-introspection\n");
  assert_int_equal(use("--stdio", &rest), 0);
  assert_int_equal(use(HTTP "--auth-token-file /f", &rest), 0);
  assert_string_equal(settings.whole.endpoint.protect->scopes, "x");
}

TEST(options_that_belong_together) {
  refuses(HTTP "--auth-token-file f --auth-jwks-uri https://k",
          "prog: --auth-jwks-uri: it belongs to one --auth-issuer URL: give "
          "one\n");
  refuses(HTTP "--auth-issuer https://a --auth-issuer https://b "
               "--auth-jwks-uri https://k",
          "prog: --auth-jwks-uri: it belongs to one --auth-issuer URL: give "
          "one\n");
  refuses(HTTP "--auth-issuer https://a --auth-client-id x",
          "prog: --auth-client-id: it belongs to --auth-introspection URL: "
          "give that too\n");
  refuses(HTTP "--auth-introspection https://i --auth-client-secret-env X",
          "prog: --auth-client-secret-env: it belongs to --auth-client-id ID: "
          "give that too\n");
  unsetenv("PROTECTION_SECRET");
  refuses(HTTP "--auth-introspection https://i --auth-client-id x "
               "--auth-client-secret-env PROTECTION_SECRET",
          "prog: --auth-client-secret-env: the environment has no variable "
          "\"PROTECTION_SECRET\"\n");
}

TEST(a_list_has_a_limit) {
  mcpi_main_own_options(own, &settings, "prog");
  for (size_t i = 0; i < MCPI_MAIN_OWN_COUNT; i++) {
    if (strcmp(own[i].name, "auth-issuer") != 0) {
      continue;
    }
    for (int n = 0; n < MCPI_MAIN_NAMES_MAX; n++) {
      assert_int_equal(own[i].on_value(&own[i], "https://a", own[i].userdata),
                       0);
    }
    assert_int_equal(own[i].on_value(&own[i], "https://a", own[i].userdata),
                     -1);
  }
  assert_int_equal(settings.protection.issuers.count, MCPI_MAIN_NAMES_MAX);
}

/* --- how the library's refusals are shown -------------------------------- */

TEST(a_refusal_names_the_option) {
  static const struct {
    const char *message;
    const char *option;
  } rows[] = {{"issuer", "auth-issuer"},
              {"more_issuers", "auth-issuer"},
              {"audiences", "auth-audience"},
              {"scopes", "auth-scopes"},
              {"resource", "auth-resource"},
              {"jwks_uri", "auth-jwks-uri"},
              {"token_file", "auth-token-file"},
              {"tokens", "auth-token-file"},
              {"introspection_endpoint", "auth-introspection"},
              {"jwks", NULL},
              {"issuers", NULL}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    const char *option =
        mcpi_main_protection_option(rows[i].message, strlen(rows[i].message));
    if (rows[i].option == NULL) {
      assert_null(option);
    } else {
      assert_string_equal(option, rows[i].option);
    }
  }
}
