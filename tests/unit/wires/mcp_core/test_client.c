/* SPDX-License-Identifier: MIT */
/* A client of ours whose server speaks the mcp-core dialect on an ordered wire.
 * The tests whose names begin with one of its checklists are its lines. */
#include "support/tool_schemas.h"
#include "unit/client/kit.h"

#define FIVE "{\"content\":[{\"type\":\"text\",\"text\":\"5\"}]}"
#define FIVE_MCP                                                               \
  "{\"content\":[{\"type\":\"text\",\"text\":\"5\"}],"                         \
  "\"resultType\":\"complete\"}"
#define ARGUMENTS "{\"a\":2,\"b\":3}"

static void begin(kit *k, uint32_t dialect) {
  assert_int_equal(kit_init(k, NULL), 0);
  const mcp_client_options options = options_of(k);
  k->dialect = dialect;
  connect_with(k, &options);
  turn(k);
  assert_int_equal(k->connected.count, 1);
  assert_int_equal(k->connected.status, 0);
}

static ending *call(kit *k, const char *name, const char *arguments) {
  ending *e = new_ending(k);
  assert_int_equal(
      mcp_client_call_tool(k->client, name, arguments, NULL, on_done, e), 0);
  turn(k);
  return e;
}

static void succeeded(const ending *e, const char *result) {
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, 0);
  assert_string_equal(e->result, result);
}

static void failed(const ending *e, int code, const char *message) {
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_REMOTE);
  assert_int_equal(e->remote_code, code);
  assert_string_equal(e->message, message);
}

/* --- what is sent ------------------------------------------------------- */

static void connecting_says_nothing(void **state) {
  (void)state;
  kit k;
  begin(&k, MCP_DIALECT_MCP_CORE);
  expect_nothing(&k);
  assert_string_equal(mcp_client_revision(k.client), NEWEST_REVISION);
  kit_deinit(&k);
}

static void each_form_is_sent_as_it_is_written(void **state) {
  (void)state;
  static const struct {
    uint32_t dialect;
    const char *frame;
    const char *without;
  } cases[] = {
      {MCP_DIALECT_MCP_CORE,
       "{\"id\":1,\"name\":\"add\",\"arguments\":" ARGUMENTS "}",
       "{\"id\":2,\"name\":\"now\"}"},
      {MCP_DIALECT_MCP_CORE_BARE,
       "{\"name\":\"add\",\"arguments\":" ARGUMENTS "}", "{\"name\":\"now\"}"},
      {MCP_DIALECT_MCP_CORE_RPC,
       "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
       "{\"name\":\"add\",\"arguments\":" ARGUMENTS "}}",
       "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":"
       "{\"name\":\"now\"}}"},
  };
  for (size_t i = 0; i < 3; i++) {
    kit k;
    begin(&k, cases[i].dialect);
    call(&k, "add", ARGUMENTS);
    expect(&k, cases[i].frame);
    call(&k, "now", NULL);
    expect(&k, cases[i].without);
    kit_deinit(&k);
  }
  assert_true(tool_schema_accepts(TOOL_REQUEST, cases[2].frame,
                                  strlen(cases[2].frame)));
  assert_true(tool_schema_accepts(TOOL_REQUEST, cases[2].without,
                                  strlen(cases[2].without)));
}

/* That a member is there twice is for the server to say. */
static void arguments_are_sent_whatever_they_are(void **state) {
  (void)state;
  kit k;
  begin(&k, MCP_DIALECT_MCP_CORE);
  call(&k, "add", "{\"a\":1,\"a\":2}");
  expect(&k, "{\"id\":1,\"name\":\"add\",\"arguments\":{\"a\":1,\"a\":2}}");
  kit_deinit(&k);
}

static void what_the_dialect_has_not_fails_here(void **state) {
  (void)state;
  kit k;
  begin(&k, MCP_DIALECT_MCP_CORE);
  ending *e = new_ending(&k);
  ending *ping = new_ending(&k);
  assert_int_equal(mcp_client_list_tools(k.client, NULL, on_done, e), 0);
  turn(&k);
  failed(e, MCP_RPC_METHOD_NOT_FOUND,
         "the mcp-core dialect has no tools/list: it can call tools, by their "
         "names, and nothing else");
  assert_int_equal(
      mcp_client_request(k.client, "com.example/go", NULL, NULL, on_done, ping),
      0);
  turn(&k);
  failed(ping, MCP_RPC_METHOD_NOT_FOUND,
         "the mcp-core dialect has no com.example/go: it can call tools, by "
         "their names, and nothing else");
  expect_nothing(&k);
  kit_deinit(&k);
}

enum { ENOUGH = 1000 }; /* for the test to fail, and not to hang */

static int pings;

static void ping_again(mcp_client *client, const mcp_outcome *outcome,
                       void *userdata) {
  if (outcome->status == 0 && ++pings < ENOUGH) {
    assert_int_equal(mcp_client_ping(client, NULL, ping_again, userdata), 0);
  }
}

static void asking_again_and_again_keeps_nobody_off(void **state) {
  (void)state;
  kit k;
  begin(&k, MCP_DIALECT_MCP_CORE);
  pings = 0;
  assert_int_equal(mcp_client_ping(k.client, NULL, ping_again, NULL), 0);
  mcp_loop_advance(k.loop, k.now_ms, 0);
  assert_in_range(pings, 1, ENOUGH - 1);
  kit_deinit(&k);
}

static void a_client_of_the_legacy_era_is_as_content(void **state) {
  (void)state;
  kit k;
  assert_int_equal(kit_init(&k, NULL), 0);
  mcp_client_options options = options_of(&k);
  options.policy = MCP_POLICY_LEGACY;
  k.dialect = MCP_DIALECT_MCP_CORE;
  connect_with(&k, &options);
  turn(&k);
  assert_int_equal(k.connected.status, 0);
  ending *ping = new_ending(&k);
  assert_int_equal(mcp_client_ping(k.client, NULL, on_done, ping), 0);
  turn(&k);
  assert_int_equal(ping->status, 0);
  expect_nothing(&k);
  ending *e = call(&k, "add", ARGUMENTS);
  expect(&k, "{\"id\":1,\"name\":\"add\",\"arguments\":" ARGUMENTS "}");
  say(&k, RESULT("1", FIVE));
  succeeded(e, FIVE_MCP);
  kit_deinit(&k);
}

/* --- what comes --------------------------------------------------------- */

static void answers_become_results_and_errors(void **state) {
  (void)state;
  static const struct {
    const char *answer;
    const char *result; /* or: */
    const char *message;
    int code;
  } cases[] = {
      {RESULT("1", FIVE), FIVE_MCP, NULL, 0},
      {"{\"id\":1,\"result\":{\"content\":[],\"isError\":true,"
       "\"structuredContent\":{\"a\":1},\"_meta\":{\"x\":2},\"ttlMs\":9}}",
       "{\"content\":[],\"structuredContent\":{\"a\":1},\"isError\":true,"
       "\"_meta\":{\"x\":2},\"resultType\":\"complete\"}",
       NULL, 0},
      {"{\"id\":1,\"result\":{\"sum\":5}}",
       "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"sum\\\":5}\"}],"
       "\"structuredContent\":{\"sum\":5},\"resultType\":\"complete\"}",
       NULL, 0},
      {"{\"id\":1,\"result\":\"five\"}",
       "{\"content\":[{\"type\":\"text\",\"text\":\"five\"}],"
       "\"resultType\":\"complete\"}",
       NULL, 0},
      {"{\"id\":1,\"result\":null}",
       "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"id\\\":1,"
       "\\\"result\\\":null}\"}],\"structuredContent\":{\"id\":1,\"result\":"
       "null},\"resultType\":\"complete\"}",
       NULL, 0},
      {"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":404,\"message\":"
       "\"no tool named nope\"}}",
       NULL, "no tool named nope", 404},
      {"{\"id\":1,\"error\":\"oh\"}", NULL, "oh", -32000},
      {"{\"id\":1,\"error\":{}}", NULL, "the call failed", -32000},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    kit k;
    begin(&k, MCP_DIALECT_MCP_CORE);
    const ending *e = call(&k, "add", NULL);
    say(&k, cases[i].answer);
    if (cases[i].result != NULL) {
      succeeded(e, cases[i].result);
    } else {
      failed(e, cases[i].code, cases[i].message);
    }
    kit_deinit(&k);
  }
}

/* Each rule for what comes: what is dropped, and what would be mistaken. */
static void what_the_shapes_forbid_is_dropped_or_fails(void **state) {
  (void)state;
  static const struct {
    const char *answer;
    const char *result;
    const char *fault;
  } cases[] = {
      /* members that are too many */
      {"{\"jsonrpc\":\"2.0\",\"id\":1,\"extra\":[],\"result\":{\"content\":["
       "{\"type\":\"text\",\"text\":\"5\"}],\"resultType\":"
       "\"input_required\",\"ttlMs\":5,\"inputRequests\":{}}}",
       FIVE_MCP, NULL},
      /* null is nothing; _meta is no part of the answer */
      {RESULT("1", "{\"content\":[{\"type\":\"text\",\"text\":\"5\"}],"
                   "\"isError\":null,\"structuredContent\":null,"
                   "\"_meta\":[]}"),
       FIVE_MCP, NULL},
      /* a failure is one, whatever stands beside its mark */
      {RESULT("1", "{\"why\":\"full\",\"isError\":true}"),
       "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"why\\\":\\\"full\\\","
       "\\\"isError\\\":true}\"}],\"structuredContent\":{\"why\":\"full\","
       "\"isError\":true},\"isError\":true,\"resultType\":\"complete\"}",
       NULL},
      {RESULT("1", "{\"content\":[{\"type\":\"text\",\"text\":\"5\"}],"
                   "\"isError\":\"true\"}"),
       NULL, "result.isError is no boolean"},
      {RESULT("1", "{\"why\":\"full\",\"isError\":1}"), NULL,
       "result.isError is no boolean"},
      {RESULT("1", "{\"content\":[],\"structuredContent\":[1]}"), NULL,
       "result.structuredContent is no object"},
      /* content that is none of a tool's is a value like any other */
      {RESULT("1", "{\"content\":[\"a\"]}"),
       "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"content\\\":"
       "[\\\"a\\\"]}\"}],\"structuredContent\":{\"content\":[\"a\"]},"
       "\"resultType\":\"complete\"}",
       NULL},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    kit k;
    begin(&k, MCP_DIALECT_MCP_CORE);
    const ending *e = call(&k, "add", NULL);
    say(&k, cases[i].answer);
    if (cases[i].fault == NULL) {
      succeeded(e, cases[i].result);
    } else {
      char message[128];
      snprintf(message, sizeof(message), "the answer is not the dialect's: %s",
               cases[i].fault);
      failed(e, -32000, message);
    }
    kit_deinit(&k);
  }
}

static void expect_stray(kit *k, const char *hint, const char *answer) {
  char log[512];
  snprintf(log, sizeof(log),
           "error an answer to no request of ours%s: \"%s\"\n", hint, answer);
  expect_log(k, log);
}

/* What a server could not read has no id to answer to. */
static void an_answer_without_its_id_ends_the_only_call(void **state) {
  (void)state;
  static const struct {
    const char *answer;
    const char *message;
    int code;
  } cases[] = {
      {"{\"jsonrpc\":\"2.0\",\"id\":\"unknown\",\"error\":{\"code\":-32700,"
       "\"message\":\"too long\"}}",
       "too long", -32700},
      {"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"
       "\"message\":\"too long\"}}",
       "too long", -32700},
      {RESULT("\"1\"", FIVE),
       "the answer is not the dialect's: its id is not the request's", -32000},
      {"{\"jsonrpc\":\"2.0\",\"result\":" FIVE "}",
       "the answer is not the dialect's: its id is not the request's", -32000},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    kit k;
    begin(&k, MCP_DIALECT_MCP_CORE);
    const ending *e = call(&k, "add", NULL);
    say(&k, "{\"type\":\"notification\",\"error\":\"the disk is full\"}");
    assert_int_equal(e->count, 0);
    say(&k, cases[i].answer);
    failed(e, cases[i].code, cases[i].message);
    say(&k, cases[i].answer);
    expect_stray(&k, "", cases[i].answer);
    kit_deinit(&k);
  }
}

#define BARE_HINT                                                              \
  ", without an id: its server may want bare requests (mcp-core-bare)"

/* Such a server reads the name and the arguments of any form. */
static void a_server_that_answers_bare_is_found_out(void **state) {
  (void)state;
  static const uint32_t dialects[] = {MCP_DIALECT_MCP_CORE,
                                      MCP_DIALECT_MCP_CORE_RPC};
  static const char *const values[] = {
      FIVE, "{\"sum\":5}", "{\"error\":\"the disk is full\"}", "5", "[1]"};
  for (size_t i = 0; i < 2; i++) {
    kit k;
    begin(&k, dialects[i]);
    const ending *one = call(&k, "a", NULL);
    const ending *two = call(&k, "b", NULL);
    for (size_t j = 0; j < sizeof(values) / sizeof(values[0]); j++) {
      say(&k, values[j]);
      expect_stray(&k, BARE_HINT, values[j]);
    }
    say(&k, RESULT("1", FIVE));
    succeeded(one, FIVE_MCP);
    assert_int_equal(two->count, 0);
    say(&k, FIVE);
    failed(two, -32000,
           "the answer is not the dialect's: it has no id; a server that "
           "answers so wants bare requests (mcp-core-bare)");
    say(&k, "{\"event\":\"tick\",\"content\":[]}");
    say(&k, "{\"id\":\"s\",\"method\":\"roots/list\"}");
    expect_log(&k, "");
    kit_deinit(&k);
  }
}

/* Whoever printed it is told by its words, but for its secrets. */
static void a_server_that_echoes_is_found_out(void **state) {
  (void)state;
  static const uint32_t dialects[] = {MCP_DIALECT_MCP_CORE,
                                      MCP_DIALECT_MCP_CORE_BARE,
                                      MCP_DIALECT_MCP_CORE_RPC};
  for (size_t i = 0; i < 3; i++) {
    kit k;
    begin(&k, dialects[i]);
    ending *e = call(&k, "add", ARGUMENTS);
    k.got[strcspn(k.got, "\n")] = '\0';
    say(&k, k.got);
    turn(&k);
    failed(e, -32000,
           "the answer is not the dialect's: it repeats the request; is the "
           "far side a server?");
    kit_deinit(&k);
  }
}

static void what_is_ignored_is_shown(void **state) {
  (void)state;
  kit k;
  begin(&k, MCP_DIALECT_MCP_CORE);
  const ending *e = call(&k, "a", NULL);
  say(&k, "listening, token=abc");
  expect_log(&k, "error unexpected character, expected a valid root value: "
                 "\"listening, token=[redacted]\"\n");
  say(&k, "{\"token\":\"abc\"}");
  expect_stray(&k, BARE_HINT, "{\"token\":\"[redacted]\"}");
  assert_int_equal(e->count, 0);
  kit_deinit(&k);
}

static void the_order_alone_tells_bare_answers(void **state) {
  (void)state;
  kit k;
  begin(&k, MCP_DIALECT_MCP_CORE_BARE);
  const ending *one = call(&k, "a", NULL);
  const ending *two = call(&k, "b", NULL);
  const ending *three = call(&k, "c", NULL);
  say(&k, FIVE);
  succeeded(one, FIVE_MCP);
  say(&k, "{ this is no JSON");
  failed(two, MCP_RPC_PARSE_ERROR,
         "unexpected character, expected a string for object key");
  say(&k, "{\"jsonrpc\":\"2.0\",\"id\":\"unknown\",\"error\":{\"code\":-32602,"
          "\"message\":\"unknown tool\"}}");
  failed(three, -32602, "unknown tool");
  say(&k, FIVE); /* nobody waits */
  expect_stray(&k, "", FIVE);
  kit_deinit(&k);
}

static void a_bare_request_that_is_given_up_keeps_its_place(void **state) {
  (void)state;
  kit k;
  begin(&k, MCP_DIALECT_MCP_CORE_BARE);
  const mcp_request_options options = {.size = MCP_REQUEST_OPTIONS_INIT,
                                       .timeout_ms = 50};
  ending *late = new_ending(&k);
  assert_int_equal(
      mcp_client_call_tool(k.client, "a", NULL, &options, on_done, late), 0);
  const ending *two = call(&k, "b", NULL);
  pass(&k, 60);
  assert_int_equal(late->status, MCP_ERR_TIMEOUT);
  say(&k, "\"late\"");
  assert_int_equal(two->count, 0);
  say(&k, FIVE);
  succeeded(two, FIVE_MCP);
  kit_deinit(&k);
}

static void an_answer_that_comes_late_is_nobodys(void **state) {
  (void)state;
  kit k;
  begin(&k, MCP_DIALECT_MCP_CORE);
  uint64_t number = 0;
  const mcp_request_options options = {.size = MCP_REQUEST_OPTIONS_INIT,
                                       .request = &number};
  ending *e = new_ending(&k);
  assert_int_equal(
      mcp_client_call_tool(k.client, "a", NULL, &options, on_done, e), 0);
  expect(&k, "{\"id\":1,\"name\":\"a\"}");
  assert_int_equal(mcp_client_cancel(k.client, number, "no more"), 0);
  turn(&k);
  expect_nothing(&k);
  assert_int_equal(e->status, MCP_ERR_CANCELLED);
  say(&k, RESULT("1", FIVE));
  expect_log(&k, "");
  kit_deinit(&k);
}

/* A child process that is started again knows nothing of what went before. */
static void who_was_replaced_owes_nothing(void **state) {
  (void)state;
  kit k;
  begin(&k, MCP_DIALECT_MCP_CORE_BARE);
  const ending *one = call(&k, "a", NULL);
  k.inner->on_restart(k.inner);
  turn(&k);
  assert_int_equal(one->status, MCP_ERR_CLOSED);
  k.got[0] = '\0';
  const ending *two = call(&k, "b", NULL);
  expect(&k, "{\"name\":\"b\"}");
  say(&k, FIVE);
  succeeded(two, FIVE_MCP);
  kit_deinit(&k);
}

/* --- the checklist: WebSocket ------------------------------------------- */

static void is_rejected(kit *k) {
  assert_int_equal(
      mcp_client_call_tool(k->client, "a", NULL, NULL, on_done, NULL),
      MCP_ERR_CLOSED);
}

static void
websocket_calls_are_rejected_if_the_socket_is_not_open(void **state) {
  (void)state;
  kit k;
  assert_int_equal(kit_init(&k, NULL), 0);
  const mcp_client_options options = options_of(&k);
  k.dialect = MCP_DIALECT_MCP_CORE;
  k.flags = MCP_TRANSPORT_OPENS_LATER;
  connect_with(&k, &options);
  turn(&k);
  assert_int_equal(k.connected.count, 0);
  is_rejected(&k);
  k.inner->on_open(k.inner);
  turn(&k);
  assert_int_equal(k.connected.status, 0);
  call(&k, "a", NULL);
  expect(&k, "{\"id\":1,\"name\":\"a\"}");
  k.far->close(k.far);
  turn(&k);
  is_rejected(&k);
  kit_deinit(&k);
}

static void websocket_each_frame_includes_an_incrementing_id(void **state) {
  (void)state;
  char frame[64];
  kit k;
  begin(&k, MCP_DIALECT_MCP_CORE);
  for (int id = 1; id <= 5; id++) {
    call(&k, "a", NULL);
    snprintf(frame, sizeof(frame), "{\"id\":%d,\"name\":\"a\"}", id);
    expect(&k, frame);
  }
  kit_deinit(&k);
}

static void websocket_responses_are_matched_and_removed(void **state) {
  (void)state;
  kit k;
  begin(&k, MCP_DIALECT_MCP_CORE);
  const ending *one = call(&k, "a", NULL);
  const ending *two = call(&k, "b", NULL);
  say(&k, "{\"type\":\"notification\",\"event\":\"tick\"}");
  say(&k, "{\"type\":\"ping\"}");
  say(&k, RESULT("\"1\"", "{}"));
  say(&k, RESULT("9", "{}"));
  say(&k, RESULT("2", FIVE));
  succeeded(two, FIVE_MCP);
  assert_int_equal(one->count, 0);
  say(&k, RESULT("2", "{}")); /* once more: it is removed */
  assert_int_equal(two->count, 1);
  say(&k, RESULT("1", FIVE));
  succeeded(one, FIVE_MCP);
  expect_log(&k, "error an answer to no request of ours: "
                 "\"{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}\"\n"
                 "error an answer to no request of ours: "
                 "\"{\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\"\n");
  kit_deinit(&k);
}

static void websocket_close_and_errors_reach_the_callers(void **state) {
  (void)state;
  kit k;
  begin(&k, MCP_DIALECT_MCP_CORE);
  const ending *one = call(&k, "a", NULL);
  const ending *two = call(&k, "b", NULL);
  const ending *three = call(&k, "c", NULL);
  say(&k, "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32603,"
          "\"message\":\"the disk is full\"}}");
  failed(two, -32603, "the disk is full");
  k.far->close(k.far);
  turn(&k);
  assert_int_equal(one->status, MCP_ERR_CLOSED);
  assert_int_equal(three->status, MCP_ERR_CLOSED);
  kit_deinit(&k);
}

/* --- memory ------------------------------------------------------------- */

static int talk(const mcp_allocator *allocator, void *userdata) {
  const uint32_t *dialect = userdata;
  kit k;
  ending *e = NULL;
  int rc = kit_init(&k, allocator);
  k.dialect = *dialect;
  rc = rc != 0 ? rc : connect_pair(&k);
  if (rc == 0) {
    turn(&k);
    rc = k.connected.status;
  }
  if (rc == 0) {
    e = new_ending(&k);
    rc = mcp_client_call_tool(k.client, "a", ARGUMENTS, NULL, on_done, e);
  }
  if (rc == 0) {
    turn(&k);
    const char *answer = RESULT("1", "{\"x\":[1,2]}");
    rc = k.far->send(k.far, answer, strlen(answer), NULL);
    turn(&k);
  }
  if (rc == 0 && (e->count == 0 || strcmp(e->message, "out of memory") == 0)) {
    rc = MCP_ERR_NOMEM; /* the answer is lost */
  } else if (rc == 0) {
    rc = e->status;
  }
  kit_deinit(&k);
  return rc == MCP_ERR_CLOSED ? MCP_ERR_NOMEM : rc;
}

static void it_bears_every_failure_of_memory(void **state) {
  (void)state;
  uint32_t dialects[] = {MCP_DIALECT_MCP_CORE, MCP_DIALECT_MCP_CORE_BARE};
  assert_true(failing_alloc_rerun(talk, &dialects[0]) > 10);
  assert_true(failing_alloc_rerun(talk, &dialects[1]) > 10);
}

static void a_dialect_that_is_none_is_refused(void **state) {
  (void)state;
  mcp_transport *a;
  mcp_transport *b;
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL);
  assert_int_equal(mcp_memory_pair(loop, &a, &b), 0);
  assert_ptr_equal(mcp_transport_dialect(loop, a, MCP_DIALECT_MCP, 0), a);
  assert_null(mcp_transport_dialect(loop, a, 4, 0));
  assert_null(mcp_transport_dialect(loop, NULL, 1, 0));
  mcp_transport_free(b);
  mcp_loop_free(loop);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(connecting_says_nothing),
      cmocka_unit_test(each_form_is_sent_as_it_is_written),
      cmocka_unit_test(arguments_are_sent_whatever_they_are),
      cmocka_unit_test(what_the_dialect_has_not_fails_here),
      cmocka_unit_test(asking_again_and_again_keeps_nobody_off),
      cmocka_unit_test(a_client_of_the_legacy_era_is_as_content),
      cmocka_unit_test(answers_become_results_and_errors),
      cmocka_unit_test(what_the_shapes_forbid_is_dropped_or_fails),
      cmocka_unit_test(an_answer_without_its_id_ends_the_only_call),
      cmocka_unit_test(a_server_that_answers_bare_is_found_out),
      cmocka_unit_test(a_server_that_echoes_is_found_out),
      cmocka_unit_test(what_is_ignored_is_shown),
      cmocka_unit_test(the_order_alone_tells_bare_answers),
      cmocka_unit_test(a_bare_request_that_is_given_up_keeps_its_place),
      cmocka_unit_test(an_answer_that_comes_late_is_nobodys),
      cmocka_unit_test(who_was_replaced_owes_nothing),
      cmocka_unit_test(websocket_calls_are_rejected_if_the_socket_is_not_open),
      cmocka_unit_test(websocket_each_frame_includes_an_incrementing_id),
      cmocka_unit_test(websocket_responses_are_matched_and_removed),
      cmocka_unit_test(websocket_close_and_errors_reach_the_callers),
      cmocka_unit_test(it_bears_every_failure_of_memory),
      cmocka_unit_test(a_dialect_that_is_none_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
