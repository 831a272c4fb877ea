/* SPDX-License-Identifier: MIT */
/* Every allocation of the client's may fail: nothing leaks, every request that
 * was started completes once, and the client can be closed and freed. */
#include "unit/client/kit.h"

#define FORM                                                                   \
  "{\"message\":\"m\",\"requestedSchema\":{\"type\":\"object\","               \
  "\"properties\":{\"n\":{\"type\":\"string\",\"default\":\"d\"}}}}"
#define ASKED(id)                                                              \
  RESULT(id, "{\"resultType\":\"input_required\",\"requestState\":\"s\","      \
             "\"inputRequests\":{\"a\":{\"method\":\"elicitation/create\","    \
             "\"params\":" FORM "},\"b\":{\"method\":\"roots/list\"},\"c\":"   \
             "{\"method\":\"sampling/createMessage\",\"params\":"              \
             "{\"messages\":[],\"maxTokens\":1}}}}")

#define CHECKED                                                                \
  "{\"name\":\"t\",\"outputSchema\":{\"properties\":{\"a\":{\"enum\":[1]}}}}"

static int started;
static int ended;
static int lost; /* something failed for lack of memory */

static void count_end(mcp_client *client, const mcp_outcome *outcome,
                      void *userdata) {
  (void)client;
  (void)userdata;
  ended++;
  lost |= outcome->status != 0 && outcome->status != MCP_ERR_REMOTE &&
          outcome->status != MCP_ERR_SCHEMA;
}

static void begin(int rc) {
  if (rc == 0) {
    started++;
  } else {
    lost = 1;
  }
}

static void note_error(mcp_client *client, const mcp_error *err,
                       void *userdata) {
  (void)client;
  (void)err;
  (void)userdata;
}

static void fill(mcp_question *question, void *userdata) {
  mcp_error err;
  (void)userdata;
  lost |= mcp_question_accept(question, "{}", &err) != 0;
}

static void sample(mcp_question *question, void *userdata) {
  (void)userdata;
  int rc = mcp_question_answer(
      question, "{\"role\":\"assistant\",\"content\":[],\"model\":\"m\"}",
      NULL);
  lost |= rc != 0;
}

/* What the server says may be lost on the way too. */
static void try_say(kit *k, const char *message) {
  const mcp_send_info info = {.size = sizeof(info)};
  lost |= k->far->send(k->far, message, strlen(message), &info) != 0;
  turn(k);
  k->got[0] = '\0';
}

static int try_connect(kit *k, const char *revision) {
  static const char *const extensions[] = {"a/b", "{}", NULL};
  static const char *const types[] = {"b", NULL};
  static const mcp_icon icon = {.src = "https://x", .sizes = "1x1"};
  mcp_client_options options = {.size = sizeof(mcp_client_options),
                                .title = "t",
                                .icons = &icon,
                                .icon_count = 1,
                                .extensions = extensions,
                                .result_types = types,
                                .revision = revision,
                                .apply_defaults = 1,
                                .ping_interval_ms = 1000,
                                .on_elicit = fill,
                                .on_sample = sample,
                                .on_error = note_error};
  mcp_transport *near;
  mcp_error err;
  if (kit_remake(k, &options, &err) != 0 ||
      mcp_client_set_roots(k->client, "[{\"uri\":\"file:///\"}]", NULL) != 0 ||
      mcp_memory_pair(k->loop, &near, &k->far) != 0) {
    return MCP_ERR_NOMEM;
  }
  k->far->owner = k;
  k->far->on_message = far_message;
  k->far->on_error = far_error;
  k->far->on_close = far_close;
  k->far->start(k->far, &err);
  int rc = mcp_client_connect(k->client, near, count_end, NULL, &err);
  if (rc == 0) {
    started++;
  }
  return rc;
}

static void speak_modern(kit *k) {
  const mcp_request_options options = {.size = sizeof(mcp_request_options),
                                       .meta = "{\"a\":1}"};
  const mcp_listen filter = {.size = sizeof(mcp_listen), .more = "\"x\":1"};
  try_say(k, HELLO_MODERN("1"));
  begin(mcp_client_call_tool(k->client, "t", "{\"a\":1}", &options, count_end,
                             NULL, NULL));
  try_say(k, ASKED("2"));
  try_say(k, RESULT("3", "{\"content\":[]}"));
  begin(mcp_client_list_tools(k->client, NULL, count_end, NULL, NULL));
  try_say(k, RESULT("4", "{\"tools\":[{}],\"nextCursor\":\"a\"}"));
  try_say(k, RESULT("5", "{\"tools\":[{}]}"));
  begin(mcp_client_subscribe(k->client, "x:a", NULL, count_end, NULL, NULL));
  try_say(k, NOTE("notifications/subscriptions/acknowledged",
                  "{\"notifications\":{\"resourceSubscriptions\":[\"x:a\"]},"
                  "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":6}}"));
  begin(
      mcp_client_listen(k->client, &filter, NULL, NULL, count_end, NULL, NULL));
  try_say(k, RESULT("7", "{}"));
  begin(mcp_client_request(k->client, "x/y", "{\"_meta\":{\"b\":2}}", NULL,
                           count_end, NULL, NULL));
  try_say(k, ERROR("8", "1", ",\"data\":1"));
  begin(mcp_client_list_tools(k->client, NULL, count_end, NULL, NULL));
  try_say(k, RESULT("9", "{\"tools\":[" CHECKED "],\"ttlMs\":1000}"));
  begin(mcp_client_list_tools(k->client, NULL, count_end, NULL, NULL));
  begin(
      mcp_client_call_tool(k->client, "t", NULL, NULL, count_end, NULL, NULL));
  try_say(k, RESULT("10", "{\"structuredContent\":{\"a\":1}}"));
  begin(
      mcp_client_call_tool(k->client, "t", NULL, NULL, count_end, NULL, NULL));
  try_say(k, RESULT("11", "{\"structuredContent\":{\"a\":2}}"));
  try_say(k, NOTE("notifications/tools/list_changed", "{}"));
}

static void speak_legacy(kit *k) {
  try_say(k, HELLO_LEGACY("1", "2025-11-25"));
  try_say(k, REQUEST("1", "elicitation/create", FORM));
  try_say(k, REQUEST("2", "sampling/createMessage",
                     "{\"messages\":[],\"maxTokens\":1}"));
  try_say(k, REQUEST("3", "roots/list", "{}"));
  begin(mcp_client_subscribe(k->client, "x:a", NULL, count_end, NULL, NULL));
  try_say(k, RESULT("2", "{}"));
  begin(mcp_client_unsubscribe(k->client, "x:a", NULL, count_end, NULL, NULL));
  try_say(k, RESULT("3", "{}"));
  begin(mcp_client_complete(k->client, "ref/prompt", "p", "a", "v", "{}", NULL,
                            count_end, NULL, NULL));
  try_say(k, RESULT("4", "{\"completion\":{}}"));
  lost |= mcp_client_set_roots(k->client, "[]", NULL) != 0;
  lost |= mcp_client_notify(k->client, "x/y", "{}", NULL) != 0;
  pass(k, 1000);
  try_say(k, RESULT("5", "{}"));
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  int is_modern = *(int *)userdata;
  const char *revision = is_modern ? NEWEST_REVISION : "2025-11-25";
  kit *k = calloc(1, sizeof(*k));
  int rc = kit_init(k, allocator);
  started = 0;
  ended = 0;
  lost = 0;
  if (rc == 0) {
    rc = try_connect(k, revision);
  }
  if (rc == 0) {
    turn(k);
    if (is_modern) {
      speak_modern(k);
    } else {
      speak_legacy(k);
    }
    mcp_client_close(k->client);
    turn(k);
  }
  kit_deinit(k);
  assert_int_equal(ended, started);
  free(k);
  return rc != 0 || lost ? MCP_ERR_NOMEM : 0;
}

static void each_allocation_may_fail_modern(void **state) {
  int is_modern = 1;
  (void)state;
  assert_true(failing_alloc_rerun(scenario, &is_modern) > 20);
}

static void each_allocation_may_fail_legacy(void **state) {
  int is_modern = 0;
  (void)state;
  assert_true(failing_alloc_rerun(scenario, &is_modern) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_allocation_may_fail_modern),
      cmocka_unit_test(each_allocation_may_fail_legacy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
