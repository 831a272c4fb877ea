/* SPDX-License-Identifier: MIT */
/* The handshake: the probe's table row by row (PROTOCOL 2.9), negotiation,
 * verdicts, time limits. */
#include "unit/client/kit.h"

#define NEWEST "2025-11-25"

static void connect_auto(kit *k) {
  mcp_client_options options = options_of(k);
  connect_with(k, &options);
  expect(k, PROBE);
}

static void expect_legacy(kit *k, const char *verdict) {
  expect(k, INITIALIZE("2", NEWEST));
  say(k, HELLO_LEGACY("2", NEWEST));
  expect(k, INITIALIZED);
  expect_nothing(k);
  assert_int_equal(k->connected.count, 1);
  assert_int_equal(k->connected.status, 0);
  assert_string_equal(mcp_client_verdict(k->client), verdict);
}

static void expect_failed(kit *k, int status) {
  turn(k);
  assert_int_equal(k->connected.count, 1);
  assert_int_equal(k->connected.status, status);
  assert_int_equal(k->far_closed, 1);
  expect_nothing(k);
}

/* --- the table ---------------------------------------------------------- */

static void a_discover_result_is_modern(void **state) {
  kit *k = *state;
  connect_auto(k);
  assert_null(mcp_client_revision(k->client));
  assert_null(mcp_client_verdict(k->client));
  say(k, HELLO_MODERN("1"));
  expect_nothing(k);
  assert_int_equal(k->connected.count, 1);
  assert_int_equal(k->connected.status, 0);
  assert_string_equal(mcp_client_revision(k->client), NEWEST_REVISION);
  assert_string_equal(mcp_client_verdict(k->client), "modern " NEWEST_REVISION);
  assert_string_equal(mcp_client_instructions(k->client), "be kind");
  assert_string_equal(
      mcp_json_string(mcp_json_get(mcp_client_server_info(k->client), "name")),
      "s");
  assert_int_equal(mcp_client_server_has(k->client, "resources.subscribe"), 1);
  assert_int_equal(mcp_client_server_has(k->client, "prompts.listChanged"), 0);
}

static void a_result_without_result_type_is_complete(void **state) {
  kit *k = *state;
  connect_auto(k);
  say(k, RESULT("1", "{\"supportedVersions\":[" MODERN_NAMES "],"
                     "\"capabilities\":{}}"));
  assert_int_equal(k->connected.status, 0);
  assert_null(mcp_client_server_info(k->client));
  assert_string_equal(mcp_client_verdict(k->client), "modern " NEWEST_REVISION);
}

static void no_mutual_modern_version_falls_back(void **state) {
  kit *k = *state;
  connect_auto(k);
  say(k, RESULT("1", "{\"supportedVersions\":[\"2031-01-01\"],"
                     "\"capabilities\":{}}"));
  expect_legacy(k, "legacy 2025-11-25");
}

static void a_named_legacy_version_is_offered(void **state) {
  kit *k = *state;
  connect_auto(k);
  say(k, RESULT("1", "{\"supportedVersions\":[\"2031-01-01\",\"2024-11-05\","
                     "\"2025-03-26\"],\"capabilities\":{}}"));
  expect(k, INITIALIZE("2", "2025-03-26"));
}

static void no_mutual_version_fails_a_modern_client(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.policy = MCP_POLICY_MODERN;
  connect_with(k, &options);
  expect(k, PROBE);
  say(k, RESULT("1", "{\"supportedVersions\":[\"2031-01-01\",\"2025-11-25\"],"
                     "\"capabilities\":{}}"));
  expect_failed(k, MCP_ERR_VERSION);
}

static void unsupported_version_is_retried_once(void **state) {
  kit *k = *state;
  connect_auto(k);
  say(k, ERROR("1", "-32022",
               ",\"data\":{\"supported\":[" MODERN_NAMES ",\"2025-11-25\"],"
               "\"requested\":\"" NEWEST_REVISION "\"}"));
  expect(k, PROBE_FOR("2", "{}"));
  say(k, HELLO_MODERN("2"));
  assert_int_equal(k->connected.status, 0);
  assert_string_equal(mcp_client_verdict(k->client), "modern " NEWEST_REVISION);
}

static void a_second_unsupported_version_is_fatal(void **state) {
  kit *k = *state;
  connect_auto(k);
  say(k, ERROR("1", "-32022", ",\"data\":{\"supported\":[" MODERN_NAMES "]}"));
  expect(k, PROBE_FOR("2", "{}"));
  say(k, ERROR("2", "-32022", ",\"data\":{\"supported\":[" MODERN_NAMES "]}"));
  expect_failed(k, MCP_ERR_VERSION);
}

static void only_foreign_modern_versions_fail(void **state) {
  kit *k = *state;
  connect_auto(k);
  say(k, ERROR("1", "-32022", ",\"data\":{\"supported\":[\"2031-01-01\"]}"));
  expect_failed(k, MCP_ERR_VERSION);
}

static void only_legacy_versions_are_initialized(void **state) {
  kit *k = *state;
  connect_auto(k);
  say(k, ERROR("1", "-32022",
               ",\"data\":{\"supported\":[\"2025-06-18\",\"2025-03-26\"]}"));
  expect(k, INITIALIZE("2", "2025-06-18"));
}

static void other_modern_errors_never_initialize(void **state) {
  kit *k = *state;
  connect_auto(k);
  say(k, ERROR("1", "-32021",
               ",\"data\":{\"requiredCapabilities\":{\"sampling\":{}}}"));
  expect(k, PROBE_FOR("2", "{}"));
  say(k, ERROR("2", "-32020", ""));
  expect_failed(k, MCP_ERR_REMOTE);
  assert_int_equal(k->connected.remote_code, -32020);
}

static void any_other_answer_falls_back(void **state) {
  static const char *const answers[] = {
      ERROR("1", "-32601", ""),
      ERROR("1", "-32602", ""),
      ERROR("1", "-32600", ""),
      ERROR("1", "-32000", ""),
      ERROR("1", "-32603", ",\"data\":{\"supported\":[" MODERN_NAMES "]}"),
      ERROR("1", "7", ""),
      ERROR("1", "-32022", ""),
      ERROR("1", "-32022", ",\"data\":{\"supported\":[]}"),
      ERROR("1", "-32022", ",\"data\":{\"supported\":\"" NEWEST_REVISION "\"}"),
      ERROR("null", "-32600", ""),
      "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"no\"}}",
      RESULT("1", "{}"),
      RESULT("1", "\"hello\""),
      RESULT("1", "{\"supportedVersions\":\"" NEWEST_REVISION "\","
                  "\"capabilities\":{}}"),
      RESULT("1", "{\"supportedVersions\":[" MODERN_NAMES "]}"),
      RESULT("1", "{\"resultType\":\"input_required\",\"supportedVersions\":"
                  "[" MODERN_NAMES "],\"capabilities\":{}}"),
  };
  (void)state;
  for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
    kit *k;
    kit_setup((void **)&k);
    connect_auto(k);
    say(k, answers[i]);
    expect_legacy(k, "legacy 2025-11-25");
    kit_teardown((void **)&k);
  }
}

static void silence_falls_back(void **state) {
  kit *k = *state;
  connect_auto(k);
  pass(k, 4999);
  expect_nothing(k);
  pass(k, 1);
  expect_legacy(k, "legacy 2025-11-25");
}

static void a_late_answer_to_the_probe_is_ignored(void **state) {
  kit *k = *state;
  connect_auto(k);
  pass(k, 5000);
  expect(k, INITIALIZE("2", NEWEST));
  say(k, HELLO_MODERN("1"));
  assert_int_equal(k->connected.count, 0);
  say(k, HELLO_LEGACY("2", NEWEST));
  expect(k, INITIALIZED);
  assert_string_equal(mcp_client_revision(k->client), NEWEST);
  expect_log(k, "error a response to no request of ours\n");
}

static void the_end_of_the_probed_server_fails(void **state) {
  kit *k = *state;
  connect_auto(k);
  k->far->close(k->far);
  turn(k);
  assert_int_equal(k->connected.count, 1);
  assert_int_equal(k->connected.status, MCP_ERR_CLOSED);
  expect_log(k, "closed MCP_ERR_CLOSED\n");
}

static void a_modern_client_waits_for_a_slow_server(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.policy = MCP_POLICY_MODERN;
  connect_with(k, &options);
  expect(k, PROBE);
  pass(k, 29999);
  assert_int_equal(k->connected.count, 0);
  pass(k, 1);
  expect_failed(k, MCP_ERR_TIMEOUT);
}

static void a_modern_client_reports_a_refusal(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.revision = MCP_REVISION_2026_07_28;
  connect_with(k, &options);
  expect(k, PROBE);
  say(k, ERROR("1", "-32601", ",\"data\":{\"x\":1}"));
  expect_failed(k, MCP_ERR_REMOTE);
  assert_int_equal(k->connected.remote_code, -32601);
  assert_string_equal(k->connected.data, "{\"x\":1}");
}

/* --- initialize --------------------------------------------------------- */

static void every_legacy_revision_is_accepted(void **state) {
  static const char *const versions[] = {"2024-11-05", "2025-03-26",
                                         "2025-06-18", "2025-11-25"};
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    char hello[1024];
    kit *k;
    kit_setup((void **)&k);
    mcp_client_options options = options_of(k);
    options.policy = MCP_POLICY_LEGACY;
    connect_with(k, &options);
    expect(k, INITIALIZE("1", NEWEST));
    snprintf(hello, sizeof(hello),
             RESULT("1", "{\"protocolVersion\":\"%s\",\"capabilities\":{},"
                         "\"serverInfo\":{\"name\":\"s\",\"version\":\"2\"}}"),
             versions[i]);
    say(k, hello);
    expect(k, INITIALIZED);
    assert_string_equal(mcp_client_revision(k->client), versions[i]);
    kit_teardown((void **)&k);
  }
}

static void an_unknown_version_ends_it(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.policy = MCP_POLICY_LEGACY;
  connect_with(k, &options);
  expect(k, INITIALIZE("1", NEWEST));
  say(k, HELLO_LEGACY("1", "2023-01-01"));
  expect_failed(k, MCP_ERR_VERSION);
  expect_log(k, "closed MCP_ERR_VERSION\n");
}

static void a_modern_version_is_no_answer_to_initialize(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.policy = MCP_POLICY_LEGACY;
  connect_with(k, &options);
  expect(k, INITIALIZE("1", NEWEST));
  say(k, HELLO_LEGACY("1", NEWEST_REVISION));
  expect_failed(k, MCP_ERR_VERSION);
}

static void a_pinned_revision_is_no_other(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.revision = MCP_REVISION_2025_03_26;
  connect_with(k, &options);
  expect(k, INITIALIZE("1", "2025-03-26"));
  say(k, HELLO_LEGACY("1", NEWEST));
  expect_failed(k, MCP_ERR_VERSION);
}

static void a_refused_version_is_offered_again(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.policy = MCP_POLICY_LEGACY;
  connect_with(k, &options);
  expect(k, INITIALIZE("1", NEWEST));
  say(k, ERROR("1", "-32602",
               ",\"data\":{\"supported\":[\"2024-11-05\"],"
               "\"requested\":\"2025-11-25\"}"));
  expect(k, INITIALIZE("2", "2024-11-05"));
  say(k, ERROR("2", "-32602", ",\"data\":{\"supported\":[\"2025-03-26\"]}"));
  expect_failed(k, MCP_ERR_REMOTE);
}

static void a_malformed_initialize_result_is_a_violation(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.policy = MCP_POLICY_LEGACY;
  connect_with(k, &options);
  expect(k, INITIALIZE("1", NEWEST));
  say(k, RESULT("1", "{\"protocolVersion\":\"2025-11-25\"}"));
  expect_failed(k, MCP_ERR_PROTOCOL);
  assert_string_equal(k->connected.message,
                      "initialize: result.capabilities is missing: it must be "
                      "an object");
}

static void initialize_is_never_cancelled(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.policy = MCP_POLICY_LEGACY;
  options.connect_timeout_ms = 100;
  connect_with(k, &options);
  expect(k, INITIALIZE("1", NEWEST));
  pass(k, 100);
  expect_failed(k, MCP_ERR_TIMEOUT);
}

static void the_time_for_connecting_covers_all_steps(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.probe_timeout_ms = 60;
  options.connect_timeout_ms = 100;
  connect_with(k, &options);
  expect(k, PROBE);
  pass(k, 60);
  expect(k, INITIALIZE("2", NEWEST));
  pass(k, 39);
  assert_int_equal(k->connected.count, 0);
  pass(k, 1);
  expect_failed(k, MCP_ERR_TIMEOUT);
}

static void a_ping_is_answered_before_all_else(void **state) {
  kit *k = *state;
  connect_auto(k);
  say(k, "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}");
  expect(k, RESULT("\"p\"", "{}"));
  say(k, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}");
  expect(k, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600,"
            "\"message\":\"not initialized\"}}");
}

/* --- verdicts ----------------------------------------------------------- */

static void a_legacy_verdict_skips_the_probe(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.verdict = "legacy 2025-06-18";
  connect_with(k, &options);
  expect(k, INITIALIZE("1", NEWEST));
  say(k, HELLO_LEGACY("1", "2025-06-18"));
  expect(k, INITIALIZED);
  assert_string_equal(mcp_client_verdict(k->client), "legacy 2025-06-18");
}

static void a_legacy_verdict_that_no_longer_holds(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.verdict = "legacy 2025-06-18";
  connect_with(k, &options);
  expect(k, INITIALIZE("1", NEWEST));
  say(k, ERROR("1", "-32022", ",\"data\":{\"supported\":[" MODERN_NAMES "]}"));
  expect(k, PROBE_FOR("2", "{}"));
  say(k, HELLO_MODERN("2"));
  assert_string_equal(mcp_client_verdict(k->client), "modern " NEWEST_REVISION);
}

static void a_modern_verdict_gives_more_time(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.verdict = "modern " NEWEST_REVISION;
  connect_with(k, &options);
  expect(k, PROBE);
  pass(k, 20000);
  expect_nothing(k);
  say(k, HELLO_MODERN("1"));
  assert_int_equal(k->connected.status, 0);
}

static void a_modern_verdict_that_no_longer_holds(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.verdict = "modern " NEWEST_REVISION;
  connect_with(k, &options);
  expect(k, PROBE);
  say(k, ERROR("1", "-32601", ""));
  expect_legacy(k, "legacy 2025-11-25");
}

static void a_verdict_of_the_future_is_none(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.verdict = "postmodern 2031-01-01";
  connect_with(k, &options);
  expect(k, PROBE);
}

/* --- what is told of us ------------------------------------------------- */

static void ignore_question(mcp_question *question, void *userdata) {
  (void)userdata;
  mcp_question_decline(question);
}

static mcp_client_options rich_options(kit *k) {
  static const mcp_icon icons[] = {
      {.src = "https://e.x/i.png", .mime_type = "image/png", .sizes = "48x48"},
      {.src = "https://e.x/d.svg", .sizes = " any  96x96", .theme = "dark"}};
  static const char *const extensions[] = {"io.modelcontextprotocol/ui",
                                           "{\"mimeTypes\": [\"text/html\"]}",
                                           "com.example/x", "{}", NULL};
  mcp_client_options options = options_of(k);
  options.title = "The \"client\"";
  options.description = "tests";
  options.website_url = "https://e.x";
  options.icons = icons;
  options.icon_count = 2;
  options.extensions = extensions;
  options.on_elicit = ignore_question;
  options.on_sample = ignore_question;
  options.on_roots = ignore_question;
  options.can_elicit_url = 1;
  options.can_sample_tools = 1;
  options.can_sample_context = 1;
  return options;
}

#define EXTENSIONS                                                             \
  "\"extensions\":{\"io.modelcontextprotocol/ui\":{\"mimeTypes\":"             \
  "[\"text/html\"]},\"com.example/x\":{}}"
#define TITLE ",\"title\":\"The \\\"client\\\"\""
#define PROFILE                                                                \
  ",\"icons\":[{\"src\":\"https://e.x/i.png\",\"mimeType\":\"image/png\","     \
  "\"sizes\":[\"48x48\"]},{\"src\":\"https://e.x/d.svg\",\"sizes\":"           \
  "[\"any\",\"96x96\"],\"theme\":\"dark\"}],\"description\":\"tests\","        \
  "\"websiteUrl\":\"https://e.x\""
#define TOLD(version, capabilities, info)                                      \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"       \
  "\"protocolVersion\":\"" version                                             \
  "\",\"capabilities\":{" capabilities EXTENSIONS                              \
  "},\"clientInfo\":{\"name\":\"c\",\"version\":\"1\"" info "}}}"

static void each_revision_is_told_what_it_knows(void **state) {
  static const char *const cases[][2] = {
      {"2024-11-05",
       TOLD("2024-11-05", "\"roots\":{\"listChanged\":true},\"sampling\":{},",
            "")},
      {"2025-03-26",
       TOLD("2025-03-26", "\"roots\":{\"listChanged\":true},\"sampling\":{},",
            "")},
      {"2025-06-18", TOLD("2025-06-18",
                          "\"roots\":{\"listChanged\":true},\"sampling\":{},"
                          "\"elicitation\":{},",
                          TITLE)},
      {"2025-11-25",
       TOLD("2025-11-25",
            "\"roots\":{\"listChanged\":true},\"sampling\":{\"context\":{},"
            "\"tools\":{}},\"elicitation\":{\"form\":{},\"url\":{}},",
            TITLE PROFILE)},
      {NEWEST_REVISION,
       "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\","
       "\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
       "\"" NEWEST_REVISION "\",\"io.modelcontextprotocol/clientCapabilities\":"
       "{\"roots\":{},\"sampling\":{\"context\":{},\"tools\":{}},"
       "\"elicitation\":{\"form\":{},\"url\":{}}," EXTENSIONS "},"
       "\"io.modelcontextprotocol/clientInfo\":{\"name\":\"c\",\"version\":"
       "\"1\"" TITLE PROFILE "}}}}"}};
  (void)state;
  for (size_t i = 0; i < 5; i++) {
    kit *k;
    kit_setup((void **)&k);
    mcp_client_options options = rich_options(k);
    options.revision = cases[i][0];
    connect_with(k, &options);
    expect(k, cases[i][1]);
    kit_teardown((void **)&k);
  }
}

static void forms_alone_are_declared_without_urls(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.on_elicit = ignore_question;
  connect_modern_as(k, &options, "{\"elicitation\":{\"form\":{}}}");
}

/* --- configuring and connecting wrongly --------------------------------- */

static void expect_refused(kit *k, mcp_client_options options,
                           const char *member) {
  mcp_error err;
  assert_int_equal(kit_remake(k, &options, &err), MCP_ERR_INVALID);
  assert_non_null(strstr(err.message, member));
}

static void wrong_options_are_named(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.policy = 3;
  expect_refused(k, options, "policy");
  options = options_of(k);
  options.revision = "2026-01-01";
  expect_refused(k, options, "revision");
  options.revision = "2025-11-25";
  options.policy = MCP_POLICY_MODERN;
  expect_refused(k, options, "revision");
  options = options_of(k);
  options.log_level = 9;
  expect_refused(k, options, "log_level");
  options = options_of(k);
  options.title = "\xff";
  expect_refused(k, options, "title");
  options = options_of(k);
  options.icon_count = 1;
  expect_refused(k, options, "icons");
  options = options_of(k);
  options.max_depth = 129;
  expect_refused(k, options, "max_depth 129");
  const char *const extensions[] = {"a/b", "[]", NULL};
  const char *const no_prefix[] = {"b", "{}", NULL};
  options = options_of(k);
  options.extensions = no_prefix;
  expect_refused(k, options, "extensions");
  options = options_of(k);
  options.extensions = extensions;
  expect_refused(k, options, "extensions");
  const char *const types[] = {"task", "\xff", NULL};
  options = options_of(k);
  options.result_types = types;
  expect_refused(k, options, "result_types");
  options = options_of(k);
  options.size = 0;
  expect_refused(k, options, "mcp_client_options has no size");
}

static void options_of_an_older_header_are_shorter(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.size = offsetof(mcp_client_options, policy);
  options.policy = 77;
  assert_int_equal(kit_remake(k, &options, NULL), 0);
}

static void one_connection_at_a_time(void **state) {
  kit *k = *state;
  connect_modern(k);
  mcp_transport *a;
  mcp_transport *b;
  mcp_error err;
  assert_int_equal(mcp_memory_pair(k->loop, &a, &b), 0);
  assert_int_equal(mcp_client_connect(k->client, a, NULL, NULL, &err),
                   MCP_ERR_BUSY);
  mcp_transport_free(b);
  assert_int_equal(mcp_client_connect(k->client, NULL, NULL, NULL, &err),
                   MCP_ERR_INVALID);
}

static void connecting_again_after_the_end(void **state) {
  kit *k = *state;
  connect_modern(k);
  mcp_client_close(k->client);
  turn(k);
  expect_log(k, "closed MCP_OK\n");
  assert_null(mcp_client_server_info(k->client));
  mcp_transport_free(k->far);
  assert_int_equal(connect_pair(k), 0);
  expect(k, PROBE);
  say(k, HELLO_MODERN("1"));
  assert_int_equal(k->connected.count, 2);
}

static void an_echo_is_not_a_server(void **state) {
  kit *k = *state;
  connect_auto(k);
  say(k, PROBE);
  expect_failed(k, MCP_ERR_PROTOCOL);
}

static const char *fake_id(mcp_transport *transport) {
  (void)transport;
  return "s7";
}

static void a_client_has_the_session_id_of_its_transport(void **state) {
  kit *k = *state;
  assert_null(mcp_client_session_id(NULL));
  assert_null(mcp_client_session_id(k->client));
  connect_auto(k);
  assert_null(mcp_client_session_id(k->client));
  k->inner->session_id = fake_id;
  assert_string_equal(mcp_client_session_id(k->client), "s7");
}

static void before_connecting_nothing_can_be_asked(void **state) {
  kit *k = *state;
  assert_int_equal(mcp_client_ping(k->client, NULL, NULL, NULL, NULL),
                   MCP_ERR_CLOSED);
  assert_int_equal(mcp_client_ping(NULL, NULL, NULL, NULL, NULL),
                   MCP_ERR_INVALID);
  connect_auto(k);
  assert_int_equal(mcp_client_ping(k->client, NULL, NULL, NULL, NULL),
                   MCP_ERR_CLOSED);
  assert_int_equal(mcp_client_notify(k->client, "notifications/x", NULL, NULL),
                   MCP_ERR_CLOSED);
  assert_int_equal(mcp_client_cancel(k->client, 1, NULL), MCP_ERR_NOT_FOUND);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      kit_test(a_discover_result_is_modern),
      kit_test(a_result_without_result_type_is_complete),
      kit_test(no_mutual_modern_version_falls_back),
      kit_test(a_named_legacy_version_is_offered),
      kit_test(no_mutual_version_fails_a_modern_client),
      kit_test(unsupported_version_is_retried_once),
      kit_test(a_second_unsupported_version_is_fatal),
      kit_test(only_foreign_modern_versions_fail),
      kit_test(only_legacy_versions_are_initialized),
      kit_test(other_modern_errors_never_initialize),
      cmocka_unit_test(any_other_answer_falls_back),
      kit_test(silence_falls_back),
      kit_test(a_late_answer_to_the_probe_is_ignored),
      kit_test(the_end_of_the_probed_server_fails),
      kit_test(a_modern_client_waits_for_a_slow_server),
      kit_test(a_modern_client_reports_a_refusal),
      cmocka_unit_test(every_legacy_revision_is_accepted),
      kit_test(an_unknown_version_ends_it),
      kit_test(a_modern_version_is_no_answer_to_initialize),
      kit_test(a_pinned_revision_is_no_other),
      kit_test(a_refused_version_is_offered_again),
      kit_test(a_malformed_initialize_result_is_a_violation),
      kit_test(initialize_is_never_cancelled),
      kit_test(the_time_for_connecting_covers_all_steps),
      kit_test(a_ping_is_answered_before_all_else),
      kit_test(a_legacy_verdict_skips_the_probe),
      kit_test(a_legacy_verdict_that_no_longer_holds),
      kit_test(a_modern_verdict_gives_more_time),
      kit_test(a_modern_verdict_that_no_longer_holds),
      kit_test(a_verdict_of_the_future_is_none),
      cmocka_unit_test(each_revision_is_told_what_it_knows),
      kit_test(forms_alone_are_declared_without_urls),
      kit_test(wrong_options_are_named),
      kit_test(options_of_an_older_header_are_shorter),
      kit_test(one_connection_at_a_time),
      kit_test(connecting_again_after_the_end),
      kit_test(an_echo_is_not_a_server),
      kit_test(a_client_has_the_session_id_of_its_transport),
      kit_test(before_connecting_nothing_can_be_asked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
