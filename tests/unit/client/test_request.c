/* SPDX-License-Identifier: MIT */
/* Requests: their bytes in each revision, their ends, their limits. */
#include "unit/client/kit.h"

#define TEXT "{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}"

/* --- every method in every revision ------------------------------------- */

typedef int starter(mcp_client *client, const mcp_request_options *options,
                    mcp_done_cb on_done, void *userdata, mcp_error *err);

static int start_call(mcp_client *client, const mcp_request_options *options,
                      mcp_done_cb done, void *userdata, mcp_error *err) {
  return mcp_client_call_tool(client, "add", " {\"a\": 1,\n\"b\":[2.50]} ",
                              options, done, userdata, err);
}

static int start_call_bare(mcp_client *client,
                           const mcp_request_options *options, mcp_done_cb done,
                           void *userdata, mcp_error *err) {
  return mcp_client_call_tool(client, "a\"b", NULL, options, done, userdata,
                              err);
}

static int start_read(mcp_client *client, const mcp_request_options *options,
                      mcp_done_cb done, void *userdata, mcp_error *err) {
  return mcp_client_read_resource(client, "file:///x", options, done, userdata,
                                  err);
}

static int start_prompt(mcp_client *client, const mcp_request_options *options,
                        mcp_done_cb done, void *userdata, mcp_error *err) {
  return mcp_client_get_prompt(client, "p", "{\"q\":\"1\"}", options, done,
                               userdata, err);
}

static int start_complete(mcp_client *client,
                          const mcp_request_options *options, mcp_done_cb done,
                          void *userdata, mcp_error *err) {
  return mcp_client_complete(client, "ref/prompt", "p", "lang", "py",
                             "{\"os\":\"x\"}", options, done, userdata, err);
}

static int start_complete_template(mcp_client *client,
                                   const mcp_request_options *options,
                                   mcp_done_cb done, void *userdata,
                                   mcp_error *err) {
  return mcp_client_complete(client, "ref/resource", "file:///{p}", "p", "",
                             NULL, options, done, userdata, err);
}

static int start_subscribe(mcp_client *client,
                           const mcp_request_options *options, mcp_done_cb done,
                           void *userdata, mcp_error *err) {
  return mcp_client_subscribe(client, "file:///x", options, done, userdata,
                              err);
}

static int start_unsubscribe(mcp_client *client,
                             const mcp_request_options *options,
                             mcp_done_cb done, void *userdata, mcp_error *err) {
  return mcp_client_unsubscribe(client, "file:///x", options, done, userdata,
                                err);
}

static int start_level(mcp_client *client, const mcp_request_options *options,
                       mcp_done_cb done, void *userdata, mcp_error *err) {
  return mcp_client_set_log_level(client, MCP_LOG_WARNING, options, done,
                                  userdata, err);
}

static int start_raw(mcp_client *client, const mcp_request_options *options,
                     mcp_done_cb done, void *userdata, mcp_error *err) {
  return mcp_client_request(client, "com.example/go", "{\"x\":1}", options,
                            done, userdata, err);
}

enum { R1 = 1, R2 = 2, R3 = 4, R4 = 8, R5 = 16, L = 15, ALL = 31 };

typedef struct method_case {
  const char *name;
  starter *start;
  const char *method;
  const char *params; /* members */
  const char *result;
  int revisions;   /* where it is sent like this */
  int unsupported; /* where it is refused; elsewhere: see another case */
} method_case;

static const method_case method_cases[] = {
    {"tools/list", mcp_client_list_tools, "tools/list", "", "{\"tools\":[]}",
     ALL, 0},
    {"tools/call", start_call, "tools/call",
     "\"name\":\"add\",\"arguments\":{\"a\":1,\"b\":[2.5]}", TEXT, ALL, 0},
    {"tools/call bare", start_call_bare, "tools/call", "\"name\":\"a\\\"b\"",
     TEXT, ALL, 0},
    {"resources/list", mcp_client_list_resources, "resources/list", "",
     "{\"resources\":[]}", ALL, 0},
    {"resources/templates/list", mcp_client_list_resource_templates,
     "resources/templates/list", "", "{\"resourceTemplates\":[]}", ALL, 0},
    {"resources/read", start_read, "resources/read", "\"uri\":\"file:///x\"",
     "{\"contents\":[]}", ALL, 0},
    {"prompts/list", mcp_client_list_prompts, "prompts/list", "",
     "{\"prompts\":[]}", ALL, 0},
    {"prompts/get", start_prompt, "prompts/get",
     "\"name\":\"p\",\"arguments\":{\"q\":\"1\"}", "{\"messages\":[]}", ALL, 0},
    {"completion/complete", start_complete, "completion/complete",
     "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},\"argument\":{\"name\":"
     "\"lang\",\"value\":\"py\"},\"context\":{\"arguments\":{\"os\":\"x\"}}",
     "{\"completion\":{\"values\":[]}}", R3 | R4 | R5, 0},
    {"completion/complete old", start_complete, "completion/complete",
     "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},\"argument\":{\"name\":"
     "\"lang\",\"value\":\"py\"}",
     "{\"completion\":{\"values\":[]}}", R1 | R2, 0},
    {"completion/complete template", start_complete_template,
     "completion/complete",
     "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"file:///{p}\"},"
     "\"argument\":{\"name\":\"p\",\"value\":\"\"}",
     "{\"completion\":{\"values\":[]}}", ALL, 0},
    {"resources/subscribe", start_subscribe, "resources/subscribe",
     "\"uri\":\"file:///x\"", "{}", L, 0},
    {"resources/unsubscribe", start_unsubscribe, "resources/unsubscribe",
     "\"uri\":\"file:///x\"", "{}", L, 0},
    {"logging/setLevel", start_level, "logging/setLevel",
     "\"level\":\"warning\"", "{}", L, 0},
    {"ping", mcp_client_ping, "ping", "", "{}", L, 0},
    {"ping modern", mcp_client_ping, "server/discover", "",
     "{\"supportedVersions\":[" MODERN_NAMES "],\"capabilities\":{}}", R5, 0},
    {"server/discover", mcp_client_discover, "server/discover", "",
     "{\"supportedVersions\":[" MODERN_NAMES "],\"capabilities\":{}}", R5, L},
    {"raw", start_raw, "com.example/go", "\"x\":1", "{\"y\":2}", ALL, 0},
};

static void connect_revision(kit *k, size_t index) {
  switch (index) {
  case 0:
    connect_legacy(k, "2024-11-05");
    break;
  case 1:
    connect_legacy(k, "2025-03-26");
    break;
  case 2:
    connect_legacy(k, "2025-06-18");
    break;
  case 3:
    connect_legacy(k, "2025-11-25");
    break;
  default:
    connect_modern(k);
    break;
  }
}

static void write_request(const method_case *c, int is_modern, char *out,
                          size_t size) {
  const char *comma = is_modern && c->params[0] != '\0' ? "," : "";
  const char *meta = is_modern ? "\"_meta\":{" META "}" : "";
  if (c->params[0] == '\0' && !is_modern) {
    snprintf(out, size, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"%s\"}",
             c->method);
    return;
  }
  snprintf(out, size,
           "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"%s\",\"params\":{%s%s%s}"
           "}",
           c->method, c->params, comma, meta);
}

static void run_case(const method_case *c, size_t revision) {
  char text[2048];
  ending e = {0};
  kit *k;
  kit_setup((void **)&k);
  connect_revision(k, revision);
  int rc = c->start(k->client, NULL, on_done, &e, NULL);
  if ((c->unsupported & (1 << revision)) != 0) {
    assert_int_equal(rc, MCP_ERR_UNSUPPORTED);
    expect_nothing(k);
    assert_int_equal(e.count, 0);
  } else {
    assert_int_equal(rc, 0);
    assert_int_equal(e.count, 0);
    write_request(c, revision == 4, text, sizeof(text));
    expect(k, text);
    snprintf(text, sizeof(text), RESULT("2", "%s"), c->result);
    say(k, text);
    assert_int_equal(e.count, 1);
    assert_int_equal(e.status, 0);
    assert_string_equal(e.result, c->result);
    expect_nothing(k);
  }
  kit_teardown((void **)&k);
}

static void each_method_in_each_revision(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof(method_cases) / sizeof(method_cases[0]); i++) {
    const method_case *c = &method_cases[i];
    for (size_t revision = 0; revision < 5; revision++) {
      if (((c->revisions | c->unsupported) & (1 << revision)) != 0) {
        run_case(c, revision);
      }
    }
  }
}

static void foreign_methods_fail_here(void **state) {
  kit *k = *state;
  connect_modern(k);
  assert_int_equal(
      mcp_client_request(k->client, "ping", NULL, NULL, NULL, NULL, NULL),
      MCP_ERR_UNSUPPORTED);
  assert_int_equal(
      mcp_client_request(k->client, "initialize", NULL, NULL, NULL, NULL, NULL),
      MCP_ERR_UNSUPPORTED);
  /* Not a request to a server, and no request at all. */
  assert_int_equal(
      mcp_client_request(k->client, "roots/list", NULL, NULL, NULL, NULL, NULL),
      MCP_ERR_UNSUPPORTED);
  assert_int_equal(mcp_client_request(k->client, "notifications/message", NULL,
                                      NULL, NULL, NULL, NULL),
                   MCP_ERR_UNSUPPORTED);
  expect_nothing(k);
}

static void what_the_server_does_not_offer_fails_here(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  uint64_t number = 77;
  mcp_request_options options = {.size = sizeof(mcp_request_options),
                                 .request = &number};
  mcp_client_options general = options_of(k);
  connect_with(k, &general);
  expect(k, PROBE);
  say(k, RESULT("1", "{\"supportedVersions\":[" MODERN_NAMES "],"
                     "\"capabilities\":{\"tools\":{}}}"));
  assert_int_equal(
      mcp_client_list_prompts(k->client, &options, on_done, e, NULL), 0);
  assert_int_equal(number, 0);
  assert_int_equal(e->count, 0);
  expect_nothing(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_UNSUPPORTED);
  assert_string_equal(e->message, "the server does not offer \"prompts\"");
  /* Who insists may. */
  assert_int_equal(mcp_client_request(k->client, "prompts/list", NULL, NULL,
                                      on_done, e, NULL),
                   0);
  expect(k, REQUEST("2", "prompts/list", "{\"_meta\":{" META "}}"));
}

static void wrong_arguments_are_refused(void **state) {
  kit *k = *state;
  connect_modern(k);
  mcp_client *c = k->client;
  assert_int_equal(mcp_client_call_tool(c, NULL, NULL, NULL, NULL, NULL, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(
      mcp_client_call_tool(c, "\xff", NULL, NULL, NULL, NULL, NULL),
      MCP_ERR_INVALID);
  assert_int_equal(mcp_client_call_tool(c, "a", "[1]", NULL, NULL, NULL, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(
      mcp_client_call_tool(c, "a", "{\"x\":}", NULL, NULL, NULL, NULL),
      MCP_ERR_INVALID);
  assert_int_equal(mcp_client_call_tool(c, "a", "", NULL, NULL, NULL, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_client_read_resource(c, NULL, NULL, NULL, NULL, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_client_complete(c, "ref/tool", "x", "a", "v", NULL, NULL,
                                       NULL, NULL, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_client_subscribe(c, NULL, NULL, NULL, NULL, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_client_set_log_level(c, 0, NULL, NULL, NULL, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_client_set_log_level(c, 9, NULL, NULL, NULL, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_client_request(c, NULL, NULL, NULL, NULL, NULL, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_client_request(c, "x/y", "3", NULL, NULL, NULL, NULL),
                   MCP_ERR_INVALID);
  mcp_request_options options = {.size = 0};
  assert_int_equal(mcp_client_ping(c, &options, NULL, NULL, NULL),
                   MCP_ERR_INVALID);
  options =
      (mcp_request_options){.size = sizeof(mcp_request_options), .meta = "[]"};
  assert_int_equal(mcp_client_ping(c, &options, NULL, NULL, NULL),
                   MCP_ERR_INVALID);
  expect_nothing(k);
}

static mcp_error why;

static void expect_error(int rc, int code, const char *message) {
  assert_int_equal(rc, code);
  assert_int_equal(why.code, code);
  assert_string_equal(why.message, message);
}

static void what_is_wrong_is_told(void **state) {
  kit *k = *state;
  const mcp_request_options none = {.size = 0};
  const mcp_request_options bad = {.size = sizeof(mcp_request_options),
                                   .meta = "[]"};
  expect_error(mcp_client_ping(k->client, NULL, NULL, NULL, &why),
               MCP_ERR_CLOSED, "not connected");
  connect_modern(k);
  mcp_client *c = k->client;
  expect_error(mcp_client_call_tool(c, NULL, "[]", NULL, NULL, NULL, &why),
               MCP_ERR_INVALID, "name: NULL");
  expect_error(mcp_client_call_tool(c, "ab\xff", NULL, NULL, NULL, NULL, &why),
               MCP_ERR_INVALID, "name: not UTF-8 at byte 2: \"ab?\"");
  expect_error(mcp_client_call_tool(c, "a", "[1]", NULL, NULL, NULL, &why),
               MCP_ERR_INVALID, "arguments: JSON array, not an object");
  assert_int_equal(
      mcp_client_call_tool(c, "a", "{\"x\":}", NULL, NULL, NULL, &why),
      MCP_ERR_INVALID);
  assert_non_null(strstr(why.message, "at byte 5"));
  assert_int_equal(why.offset, 5);
  expect_error(
      mcp_client_complete(c, "ref/tool", NULL, "a", "v", NULL, NULL, NULL, NULL,
                          &why),
      MCP_ERR_INVALID,
      "ref_type: \"ref/tool\" is neither \"ref/prompt\" nor \"ref/resource\"");
  expect_error(mcp_client_subscribe(c, "", NULL, NULL, NULL, &why),
               MCP_ERR_INVALID, "uri: empty");
  expect_error(mcp_client_set_log_level(c, 9, NULL, NULL, NULL, &why),
               MCP_ERR_INVALID, "level: 9 is not a value of MCP_LOG_*");
  expect_error(mcp_client_request(c, "x/y", "3", NULL, NULL, NULL, &why),
               MCP_ERR_INVALID, "params: JSON number, not an object");
  expect_error(mcp_client_request(c, "ping", NULL, NULL, NULL, NULL, &why),
               MCP_ERR_UNSUPPORTED,
               "ping is not a request of clients in " NEWEST_REVISION);
  expect_error(mcp_client_ping(c, &none, NULL, NULL, &why), MCP_ERR_INVALID,
               "mcp_request_options has no size: set its member size to "
               "sizeof(mcp_request_options)");
  expect_error(mcp_client_ping(c, &bad, NULL, NULL, &why), MCP_ERR_INVALID,
               "meta: JSON array, not an object");
  expect_error(mcp_client_listen(c, NULL, NULL, NULL, NULL, NULL, &why),
               MCP_ERR_INVALID, "mcp_listen is NULL");
  expect_error(mcp_client_notify(c, "x", "[]", &why), MCP_ERR_INVALID,
               "params: JSON array, not an object");
  expect_error(
      mcp_client_notify(c, "tools/call", NULL, &why), MCP_ERR_UNSUPPORTED,
      "tools/call is not a notification of clients in " NEWEST_REVISION);
  assert_int_equal(mcp_client_cancel(c, 7, NULL), MCP_ERR_NOT_FOUND);
  expect_error(mcp_client_set_roots(c, "{}", &why), MCP_ERR_INVALID,
               "roots: JSON object, not an array");
  expect_error(mcp_client_set_roots(c, "[{\"uri\":\"http://x\"}]", &why),
               MCP_ERR_INVALID,
               "roots[0].uri: \"http://x\" does not begin with file://");
  expect_nothing(k);
  assert_int_equal(mcp_client_ping(c, NULL, NULL, NULL, &why), 0);
  assert_int_equal(why.code, 0);
}

static void the_limit_of_requests_is_named(void **state) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.max_pending = 1;
  connect_modern_as(k, &options, "{}");
  assert_int_equal(mcp_client_ping(k->client, NULL, NULL, NULL, &why), 0);
  expect_error(mcp_client_ping(k->client, NULL, NULL, NULL, &why),
               MCP_ERR_LIMIT,
               "more than 1 requests in flight: the limit is max_pending of "
               "mcp_client_options");
}

/* --- _meta -------------------------------------------------------------- */

static void the_programs_meta_joins(void **state) {
  kit *k = *state;
  mcp_request_options options = {
      .size = sizeof(mcp_request_options),
      .meta = "{\"traceparent\":\"00-1\",\"progressToken\":\"mine\","
              "\"io.modelcontextprotocol/protocolVersion\":\"x\"}"};
  connect_modern(k);
  assert_int_equal(
      mcp_client_call_tool(k->client, "t", NULL, &options, NULL, NULL, NULL),
      0);
  expect(k, REQUEST("2", "tools/call",
                    "{\"name\":\"t\",\"_meta\":{" META
                    ",\"traceparent\":\"00-1\"}}"));
  assert_int_equal(
      mcp_client_request(k->client, "x/y",
                         "{\"_meta\":{\"a\":1},\"b\":12345678901234567890123}",
                         &options, NULL, NULL, NULL),
      0);
  expect(k, REQUEST("3", "x/y",
                    "{\"b\":12345678901234567890123,\"_meta\":{" META
                    ",\"traceparent\":\"00-1\",\"a\":1}}"));
}

static void legacy_requests_have_meta_only_when_asked_for(void **state) {
  kit *k = *state;
  mcp_request_options options = {.size = sizeof(mcp_request_options),
                                 .meta = "{\"a\":1}"};
  connect_legacy(k, "2025-11-25");
  assert_int_equal(mcp_client_ping(k->client, &options, NULL, NULL, NULL), 0);
  expect(k, REQUEST("2", "ping", "{\"_meta\":{\"a\":1}}"));
}

static void the_log_level_goes_with_modern_requests(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  mcp_client_options options = options_of(k);
  options.log_level = MCP_LOG_INFO;
  connect_modern_as(k, &options, "{}");
  assert_int_equal(mcp_client_discover(k->client, NULL, NULL, NULL, NULL), 0);
  expect(k, REQUEST("2", "server/discover",
                    "{\"_meta\":{" META
                    ",\"io.modelcontextprotocol/logLevel\":\"info\"}}"));
  assert_int_equal(mcp_client_set_log_level(k->client, MCP_LOG_EMERGENCY, NULL,
                                            on_done, e, NULL),
                   0);
  assert_int_equal(e->count, 0);
  expect_nothing(k);
  assert_int_equal(e->count, 1);
  assert_string_equal(e->result, "{}");
  assert_int_equal(mcp_client_discover(k->client, NULL, NULL, NULL, NULL), 0);
  expect(k, REQUEST("3", "server/discover",
                    "{\"_meta\":{" META
                    ",\"io.modelcontextprotocol/logLevel\":\"emergency\"}}"));
}

/* --- results ------------------------------------------------------------ */

static void look_at_result(mcp_client *client, const mcp_outcome *outcome,
                           void *userdata) {
  mcp_result **kept = userdata;
  (void)client;
  assert_int_equal(outcome->status, 0);
  *kept = mcp_result_ref(outcome->result);
}

static mcp_result *call_and_keep(kit *k, const char *answer) {
  mcp_result *kept = NULL;
  assert_int_equal(mcp_client_call_tool(k->client, "t", NULL, NULL,
                                        look_at_result, &kept, NULL),
                   0);
  turn(k);
  k->got[0] = '\0';
  say(k, answer);
  assert_non_null(kept);
  return kept;
}

static void a_result_can_be_kept(void **state) {
  kit *k = *state;
  connect_modern(k);
  mcp_result *r = call_and_keep(
      k, RESULT("2", "{\"content\":[{\"type\":\"image\",\"data\":\"\"},"
                     "{\"type\":\"text\",\"text\":\"hi\"}],"
                     "\"structuredContent\":null,\"isError\":true}"));
  mcp_client_close(k->client);
  turn(k);
  assert_int_equal(mcp_result_count(r), 2);
  assert_string_equal(mcp_result_text(r), "hi");
  assert_int_equal(mcp_json_type(mcp_result_structured(r)), MCP_JSON_NULL);
  assert_int_equal(mcp_result_is_failure(r), 1);
  assert_string_equal(
      mcp_json_string(mcp_json_get(mcp_result_item(r, 0), "type")), "image");
  assert_null(mcp_result_item(r, 2));
  mcp_result_unref(mcp_result_ref(r));
  mcp_result_unref(r);
}

/* Nor is the text after it taken for the first. */
static void a_text_with_nul_is_given_with_its_length_alone(void **state) {
  kit *k = *state;
  size_t len;
  connect_modern(k);
  mcp_result *r = call_and_keep(
      k, RESULT("2", "{\"content\":[{\"type\":\"text\",\"text\":\"a\\u0000b\"},"
                     "{\"type\":\"text\",\"text\":\"hi\"}]}"));
  assert_null(mcp_result_text(r));
  assert_memory_equal(mcp_result_text_n(r, &len), "a\0b", 4);
  assert_int_equal(len, 3);
  assert_null(mcp_result_text_n(NULL, &len));
  assert_int_equal(len, 0);
  mcp_result_unref(r);
}

static void an_error_whose_message_contains_nul_is_an_error(void **state) {
  kit *k = *state;
  connect_modern(k);
  ending *e = new_ending(k);
  assert_int_equal(
      mcp_client_call_tool(k->client, "t", NULL, NULL, on_done, e, NULL), 0);
  turn(k);
  say(k, "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":7,"
         "\"message\":\"a\\u0000b\"}}");
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_REMOTE);
  assert_int_equal(e->remote_code, 7);
}

static void nothing_is_nothing(void **state) {
  (void)state;
  assert_null(mcp_result_ref(NULL));
  mcp_result_unref(NULL);
  assert_null(mcp_result_json(NULL));
  assert_null(mcp_result_text(NULL));
  assert_null(mcp_result_structured(NULL));
  assert_int_equal(mcp_result_count(NULL), 0);
  assert_int_equal(mcp_result_is_failure(NULL), 0);
}

static void a_prompts_text_lies_deeper(void **state) {
  kit *k = *state;
  mcp_result *kept = NULL;
  connect_legacy(k, "2024-11-05");
  assert_int_equal(mcp_client_get_prompt(k->client, "p", NULL, NULL,
                                         look_at_result, &kept, NULL),
                   0);
  turn(k);
  say(k, RESULT("2", "{\"messages\":[{\"role\":\"user\",\"content\":{\"type\":"
                     "\"text\",\"text\":\"say\"}}]}"));
  assert_string_equal(mcp_result_text(kept), "say");
  assert_int_equal(mcp_result_count(kept), 1);
  mcp_result_unref(kept);
}

static void missing_content_is_tolerated_in_legacy(void **state) {
  kit *k = *state;
  connect_legacy(k, "2025-06-18");
  mcp_result *r =
      call_and_keep(k, RESULT("2", "{\"structuredContent\":{\"a\":1}}"));
  assert_int_equal(mcp_result_count(r), 0);
  assert_null(mcp_result_text(r));
  mcp_result_unref(r);
}

/* Calls a tool, or the method given, and returns how it ended. */
static ending finish_with(kit *k, const char *method, const char *answer) {
  ending e = {0};
  assert_int_equal(
      mcp_client_request(k->client, method, NULL, NULL, on_done, &e, NULL), 0);
  turn(k);
  k->got[0] = '\0';
  say(k, answer);
  assert_int_equal(e.count, 1);
  return e;
}

static void an_answer_that_is_none_is_a_violation(void **state) {
  kit *k = *state;
  connect_modern(k);
  assert_int_equal(finish_with(k, "tools/call", RESULT("2", "[]")).status,
                   MCP_ERR_PROTOCOL);
  assert_int_equal(
      finish_with(k, "tools/call", RESULT("3", "{\"content\":{}}")).status,
      MCP_ERR_PROTOCOL);
  assert_int_equal(finish_with(k, "resources/read", RESULT("4", "{}")).status,
                   MCP_ERR_PROTOCOL);
  ending e =
      finish_with(k, "tools/call", RESULT("5", "{\"resultType\":\"task\"}"));
  assert_int_equal(e.status, MCP_ERR_PROTOCOL);
  assert_string_equal(e.message, "a result of unknown resultType \"task\"");
  e = finish_with(k, "tools/list",
                  RESULT("6", "{\"resultType\":\"input_required\","
                              "\"requestState\":\"x\"}"));
  assert_int_equal(e.status, MCP_ERR_PROTOCOL);
  e = finish_with(k, "x/y",
                  RESULT("7", "{\"resultType\":\"input_required\","
                              "\"requestState\":\"x\"}"));
  assert_int_equal(e.status, MCP_ERR_PROTOCOL);
}

static void a_result_type_of_an_extension_is_the_programs(void **state) {
  kit *k = *state;
  static const char *const types[] = {"other", "task", NULL};
  mcp_client_options options = options_of(k);
  options.result_types = types;
  connect_modern_as(k, &options, "{}");
  ending e =
      finish_with(k, "tools/call",
                  RESULT("2", "{\"resultType\":\"task\",\"taskId\":\"t\"}"));
  assert_int_equal(e.status, 0);
  assert_string_equal(e.result, "{\"resultType\":\"task\",\"taskId\":\"t\"}");
  e = finish_with(k, "x/y", RESULT("3", "{\"resultType\":\"other\"}"));
  assert_int_equal(e.status, 0);
  e = finish_with(k, "tools/call", RESULT("4", "{\"resultType\":\"tas\"}"));
  assert_int_equal(e.status, MCP_ERR_PROTOCOL);
}

static void a_result_type_means_nothing_in_legacy(void **state) {
  kit *k = *state;
  connect_legacy(k, "2025-11-25");
  assert_int_equal(finish_with(k, "tools/call",
                               RESULT("2", "{\"resultType\":\"input_required\","
                                           "\"content\":[]}"))
                       .status,
                   0);
}

static void the_servers_error_is_data(void **state) {
  kit *k = *state;
  connect_legacy(k, "2025-11-25");
  ending e = finish_with(
      k, "tools/call",
      "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32042,\"message\":"
      "\"visit\",\"data\":{\"elicitations\":[{\"url\":\"https://x\"}]}}}");
  assert_int_equal(e.status, MCP_ERR_REMOTE);
  assert_int_equal(e.remote_code, -32042);
  assert_string_equal(e.message, "visit");
  assert_string_equal(e.data, "{\"elicitations\":[{\"url\":\"https://x\"}]}");
}

static void replies_may_come_in_any_order(void **state) {
  kit *k = *state;
  ending *a = new_ending(k);
  ending *b = new_ending(k);
  connect_modern(k);
  start_read(k->client, NULL, on_done, a, NULL);
  start_call(k->client, NULL, on_done, b, NULL);
  turn(k);
  say(k, RESULT("3", "{\"content\":[]}"));
  assert_int_equal(a->count, 0);
  assert_int_equal(b->count, 1);
  say(k, RESULT("2", "{\"contents\":[]}"));
  assert_int_equal(a->count, 1);
  assert_string_equal(a->result, "{\"contents\":[]}");
}

static void a_batch_is_for_old_revisions(void **state) {
  kit *k = *state;
  ending *a = new_ending(k);
  ending *b = new_ending(k);
  connect_legacy(k, "2025-03-26");
  start_read(k->client, NULL, on_done, a, NULL);
  start_call(k->client, NULL, on_done, b, NULL);
  turn(k);
  say(k, "[" RESULT("3", "{\"content\":[]}") "," RESULT(
             "2", "{\"contents\":[]}") "]");
  assert_int_equal(a->count, 1);
  assert_int_equal(b->count, 1);
}

static void no_batch_for_new_ones(void **state) {
  kit *k = *state;
  ending *a = new_ending(k);
  connect_legacy(k, "2025-06-18");
  start_read(k->client, NULL, on_done, a, NULL);
  turn(k);
  say(k, "[" RESULT("2", "{\"contents\":[]}") "]");
  assert_int_equal(a->count, 0);
  expect_log(k, "error a batch, where none is allowed\n");
}

/* --- progress and time -------------------------------------------------- */

static void on_progress(mcp_client *client, double progress, double total,
                        const char *message, void *userdata) {
  char text[128];
  (void)client;
  snprintf(text, sizeof(text), "%g/%g %s", progress, total,
           message != NULL ? message : "-");
  note(userdata, "progress", text);
}

static void progress_is_told_and_extends(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  mcp_request_options options = {.size = sizeof(mcp_request_options),
                                 .timeout_ms = 100,
                                 .max_ms = 250,
                                 .on_progress = on_progress,
                                 .progress_userdata = k};
  connect_modern(k);
  start_read(k->client, &options, on_done, e, NULL);
  expect(k,
         REQUEST("2", "resources/read",
                 "{\"uri\":\"file:///x\",\"_meta\":{\"progressToken\":2," META
                 "}}"));
  pass(k, 90);
  say(k, NOTE("notifications/progress",
              "{\"progressToken\":2,\"progress\":0.5,\"total\":2,"
              "\"message\":\"go\"}"));
  say(k, NOTE("notifications/progress",
              "{\"progressToken\":2,\"progress\":0.25}"));
  pass(k, 90);
  say(k,
      NOTE("notifications/progress", "{\"progressToken\":2,\"progress\":1}"));
  expect_log(k, "progress 0.5/2 go\nprogress 1/0 -\n");
  pass(k, 69);
  assert_int_equal(e->count, 0);
  pass(k, 1);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_TIMEOUT);
  assert_int_equal(e->was_sent, 1);
  assert_string_equal(e->message, "progress came, but no answer within the "
                                  "limit in total (max_ms)");
  expect(k, NOTE("notifications/cancelled",
                 "{\"requestId\":2,\"reason\":\"timed out\"}"));
}

static void legacy_progress_has_a_token_too(void **state) {
  kit *k = *state;
  mcp_request_options options = {.size = sizeof(mcp_request_options),
                                 .on_progress = on_progress,
                                 .progress_userdata = k};
  connect_legacy(k, "2024-11-05");
  start_read(k->client, &options, NULL, NULL, NULL);
  expect(k, REQUEST("2", "resources/read",
                    "{\"uri\":\"file:///x\",\"_meta\":{\"progressToken\":2}}"));
}

static void a_request_has_a_limit_by_default(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_legacy(k, "2025-11-25");
  start_read(k->client, NULL, on_done, e, NULL);
  pass(k, 59999);
  assert_int_equal(e->count, 0);
  pass(k, 1);
  assert_int_equal(e->status, MCP_ERR_TIMEOUT);
}

static void no_limit_is_a_limit_too(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  mcp_request_options options = {.size = sizeof(mcp_request_options),
                                 .timeout_ms = UINT32_MAX};
  connect_legacy(k, "2025-11-25");
  start_read(k->client, &options, on_done, e, NULL);
  pass(k, 1000000000);
  assert_int_equal(e->count, 0);
}

static void a_long_limit_is_not_cut_by_the_usual_one(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  mcp_request_options options = {.size = sizeof(mcp_request_options),
                                 .timeout_ms = 1200000};
  connect_legacy(k, "2025-11-25");
  start_read(k->client, &options, on_done, e, NULL);
  pass(k, 1199999);
  assert_int_equal(e->count, 0);
  pass(k, 1);
  assert_int_equal(e->status, MCP_ERR_TIMEOUT);
}

static void a_late_reply_is_dropped(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_modern(k);
  start_read(k->client, NULL, on_done, e, NULL);
  pass(k, 60000);
  assert_int_equal(e->count, 1);
  say(k, RESULT("2", "{\"contents\":[]}"));
  assert_int_equal(e->count, 1);
  expect_log(k, "error a response to no request of ours\n");
}

/* --- cancelling --------------------------------------------------------- */

static void cancel_tells_the_server(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  uint64_t number = 0;
  mcp_request_options options = {.size = sizeof(mcp_request_options),
                                 .request = &number};
  connect_modern(k);
  start_call(k->client, &options, on_done, e, NULL);
  turn(k);
  k->got[0] = '\0';
  assert_int_equal(number, 2);
  assert_int_equal(mcp_client_cancel(k->client, number, "changed my mind"), 0);
  assert_int_equal(e->count, 0); /* never inside a function of the program's */
  assert_int_equal(mcp_client_cancel(k->client, number, NULL),
                   MCP_ERR_NOT_FOUND);
  expect(k, NOTE("notifications/cancelled",
                 "{\"requestId\":2,\"reason\":\"changed my mind\"}"));
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_CANCELLED);
  say(k, RESULT("2", TEXT));
  assert_int_equal(e->count, 1);
  assert_int_equal(mcp_client_cancel(NULL, 1, NULL), MCP_ERR_INVALID);
}

static void cancel_without_a_reason(void **state) {
  kit *k = *state;
  connect_legacy(k, "2025-11-25");
  start_call(k->client, NULL, NULL, NULL, NULL);
  turn(k);
  k->got[0] = '\0';
  assert_int_equal(mcp_client_cancel(k->client, 2, NULL), 0);
  expect(k, NOTE("notifications/cancelled", "{\"requestId\":2}"));
}

/* --- closing ------------------------------------------------------------ */

static void closing_completes_what_waits(void **state) {
  kit *k = *state;
  ending *a = new_ending(k);
  ending *b = new_ending(k);
  connect_modern(k);
  start_call(k->client, NULL, on_done, a, NULL);
  start_read(k->client, NULL, on_done, b, NULL);
  turn(k);
  mcp_client_close(k->client);
  assert_int_equal(a->count, 0);
  assert_int_equal(start_call(k->client, NULL, on_done, a, NULL),
                   MCP_ERR_CLOSED);
  turn(k);
  assert_int_equal(a->count, 1);
  assert_int_equal(a->status, MCP_ERR_CLOSED);
  assert_int_equal(a->was_sent, 1);
  assert_int_equal(b->count, 1);
  expect_log(k, "closed MCP_OK\n");
  mcp_client_close(k->client);
  mcp_client_close(NULL);
  expect_log(k, "");
}

static void the_servers_end_completes_what_waits(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_modern(k);
  start_call(k->client, NULL, on_done, e, NULL);
  turn(k);
  k->far->close(k->far);
  turn(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
  assert_int_equal(e->was_sent, 1);
  expect_log(k, "closed MCP_ERR_CLOSED\n");
}

static void too_many_are_refused(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  mcp_client_options options = options_of(k);
  options.max_pending = 2;
  connect_modern_as(k, &options, "{}");
  assert_int_equal(start_call(k->client, NULL, on_done, e, NULL), 0);
  assert_int_equal(start_call(k->client, NULL, on_done, e, NULL), 0);
  assert_int_equal(start_call(k->client, NULL, on_done, e, NULL),
                   MCP_ERR_LIMIT);
  turn(k);
  say(k, RESULT("2", TEXT));
  assert_int_equal(e->count, 1);
  assert_int_equal(start_call(k->client, NULL, on_done, e, NULL), 0);
}

static void rubbish_is_reported_and_skipped(void **state) {
  kit *k = *state;
  ending *e = new_ending(k);
  connect_legacy(k, "2025-11-25");
  start_call(k->client, NULL, on_done, e, NULL);
  turn(k);
  k->got[0] = '\0';
  say(k, "Server listening on stdio!");
  say(k, "{\"id\":2}");
  say(k, "{\"jsonrpc\":\"2.0\",\"id\":\"2\",\"result\":{}}");
  say(k, RESULT("99", "{}"));
  assert_int_equal(e->count, 0);
  expect_nothing(k); /* a client does not answer what it cannot read */
  assert_non_null(strstr(k->log, "error "));
  say(k, RESULT("2", TEXT));
  assert_int_equal(e->status, 0);
}

static void notifications_are_sent(void **state) {
  kit *k = *state;
  connect_legacy(k, "2025-11-25");
  assert_int_equal(
      mcp_client_notify(k->client, "com.example/n", "{\"a\":1}", NULL), 0);
  expect(k, NOTE("com.example/n", "{\"a\":1}"));
  assert_int_equal(mcp_client_notify(k->client, "com.example/n", NULL, NULL),
                   0);
  expect(k, "{\"jsonrpc\":\"2.0\",\"method\":\"com.example/n\"}");
  assert_int_equal(mcp_client_notify(k->client, "x", "[]", NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_client_notify(k->client, NULL, NULL, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_client_notify(k->client, "ping", NULL, NULL),
                   MCP_ERR_UNSUPPORTED);
  assert_int_equal(
      mcp_client_notify(k->client, "notifications/message", NULL, NULL),
      MCP_ERR_UNSUPPORTED);
}

/* --- memory ------------------------------------------------------------- */

static void a_steady_stream_of_calls_allocates_nothing(void **state) {
  failing_alloc alloc;
  kit *k = calloc(1, sizeof(*k));
  ending e = {0};
  char text[256];
  (void)state;
  failing_alloc_init(&alloc);
  assert_int_equal(kit_init(k, &alloc.allocator), 0);
  connect_modern(k);
  size_t before = 0;
  for (int i = 2; i < 200; i++) {
    if (i == 20) {
      before = alloc.calls;
    }
    assert_int_equal(start_call(k->client, NULL, on_done, &e, NULL), 0);
    turn(k);
    k->got[0] = '\0';
    snprintf(text, sizeof(text), RESULT("%d", TEXT), i);
    say(k, text);
    assert_int_equal(e.count, i - 1);
  }
  assert_int_equal(alloc.calls, before);
  kit_deinit(k);
  assert_int_equal(alloc.live_blocks, 0);
  free(k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_method_in_each_revision),
      kit_test(foreign_methods_fail_here),
      kit_test(what_the_server_does_not_offer_fails_here),
      kit_test(wrong_arguments_are_refused),
      kit_test(what_is_wrong_is_told),
      kit_test(the_limit_of_requests_is_named),
      kit_test(the_programs_meta_joins),
      kit_test(legacy_requests_have_meta_only_when_asked_for),
      kit_test(the_log_level_goes_with_modern_requests),
      kit_test(a_result_can_be_kept),
      kit_test(a_text_with_nul_is_given_with_its_length_alone),
      kit_test(an_error_whose_message_contains_nul_is_an_error),
      cmocka_unit_test(nothing_is_nothing),
      kit_test(a_prompts_text_lies_deeper),
      kit_test(missing_content_is_tolerated_in_legacy),
      kit_test(an_answer_that_is_none_is_a_violation),
      kit_test(a_result_type_of_an_extension_is_the_programs),
      kit_test(a_result_type_means_nothing_in_legacy),
      kit_test(the_servers_error_is_data),
      kit_test(replies_may_come_in_any_order),
      kit_test(a_batch_is_for_old_revisions),
      kit_test(no_batch_for_new_ones),
      kit_test(progress_is_told_and_extends),
      kit_test(legacy_progress_has_a_token_too),
      kit_test(a_request_has_a_limit_by_default),
      kit_test(no_limit_is_a_limit_too),
      kit_test(a_long_limit_is_not_cut_by_the_usual_one),
      kit_test(a_late_reply_is_dropped),
      kit_test(cancel_tells_the_server),
      kit_test(cancel_without_a_reason),
      kit_test(closing_completes_what_waits),
      kit_test(the_servers_end_completes_what_waits),
      kit_test(too_many_are_refused),
      kit_test(rubbish_is_reported_and_skipped),
      kit_test(notifications_are_sent),
      cmocka_unit_test(a_steady_stream_of_calls_allocates_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
