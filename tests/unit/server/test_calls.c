/* SPDX-License-Identifier: MIT */
/* What becomes of a call: replies now and later, none at all, failures,
 * progress, logs, cancellation, the pool; and that a steady stream of calls
 * asks for no memory. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/server_rig.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
  server_rig rig;
  rig_wire wire;
  mcp_call *kept[4];
  int kept_count;
  int rc;        /* what the handler returns, or saw */
  int cancelled; /* times that a call was told */
} bench;

#define CALL(id, name)                                                         \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name "',$M{}}}"
#define LEGACY_CALL(id, name)                                                  \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name "'}}"
#define TEXT(id, text)                                                         \
  "{$J,'id':" id ",'result':{'content':[{'type':'text','text':'" text "'}],$"  \
  "C}}"
#define ERROR(id, code, text)                                                  \
  "{$J,'id':" id ",'error':{'code':" code ",'message':'" text "'}}"
#define CANCEL(id)                                                             \
  "{$J,'method':'notifications/cancelled','params':{'requestId':" id           \
  ",'reason':'enough'}}"

static void add_tool(bench *b, const char *name, mcp_call_cb handler) {
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT, .name = name, .handler = handler, .userdata = b};
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool), 0);
}

static void add_blocking(bench *b, const char *name, mcp_call_cb handler) {
  const mcp_tool tool = {.size = MCP_TOOL_INIT,
                         .name = name,
                         .is_blocking = 1,
                         .handler = handler,
                         .userdata = b};
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool), 0);
}

static int on_keep(mcp_call *call, void *userdata) {
  bench *b = userdata;
  b->kept[b->kept_count++] = call;
  return mcp_call_defer(call);
}

static void begin(bench *b, const mcp_server_options *options) {
  memset(b, 0, sizeof(*b));
  assert_int_equal(rig_init(&b->rig, options, NULL), 0);
  add_tool(b, "keep", on_keep);
  assert_int_equal(wire_connect(&b->wire, &b->rig, NULL), 0);
}

static void free_server(bench *b) {
  mcp_server_free(b->rig.server);
  b->rig.server = NULL;
  rig_turn(&b->rig);
}

static void end(bench *b) {
  free_server(b);
  wire_deinit(&b->wire);
  rig_deinit(&b->rig);
}

/* --- what a handler returns --------------------------------------------- */

static int on_return(mcp_call *call, void *userdata) {
  (void)call;
  return ((bench *)userdata)->rc;
}

static void answers_for_a_handler_that_does_not(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  add_tool(&b, "return", on_return);
  exchange(&b.wire, CALL("1", "return"),
           ERROR("1", "-32603", "the server dropped the request"));
  assert_string_equal(b.rig.reports.bytes,
                      "return: the handler returned without a reply");
  b.rc = MCP_PENDING; /* without a question */
  exchange(&b.wire, CALL("1", "return"),
           ERROR("1", "-32603", "the server dropped the request"));
  b.rc = MCP_ERR_IO;
  exchange(&b.wire, CALL("1", "return"),
           ERROR("1", "-32603", "internal error"));
  assert_non_null(
      strstr(b.rig.reports.bytes, "return: the handler returned MCP_ERR_IO"));
  end(&b);
}

static int on_code(mcp_call *call, void *userdata) {
  return mcp_call_reply_error(call, ((bench *)userdata)->rc, "no", NULL);
}

static void replaces_codes_that_the_revision_reserves(void **state) {
  static const struct {
    int code;
    const char *sent;
  } cases[] = {{-32002, "-32602"},
               {-32042, "-32603"},
               {-32023, "-32603"},
               {-32099, "-32603"},
               {-32020, "-32020"},
               {-32021, "-32021"},
               {-32022, "-32022"},
               {-32019, "-32019"},
               {-32100, "-32100"},
               {-32603, "-32603"},
               {7, "7"}};
  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    bench b;
    char text[200];
    int is_replaced = strtol(cases[i].sent, NULL, 10) != cases[i].code;
    begin(&b, NULL);
    add_tool(&b, "code", on_code);
    b.rc = cases[i].code;
    snprintf(text, sizeof(text), ERROR("1", "%s", "no"), cases[i].sent);
    exchange(&b.wire, CALL("1", "code"), text);
    snprintf(text, sizeof(text),
             "code: the handler's error code %d is reserved in 2026-07-28, and "
             "is sent as %s: choose one outside -32768 ... -32000",
             cases[i].code, cases[i].sent);
    if (is_replaced) {
      assert_string_equal(b.rig.reports.bytes, text);
    } else {
      assert_int_equal(b.rig.reports.len, 0);
    }
    wire_initialize(&b.wire, "2025-11-25", "{}");
    snprintf(text, sizeof(text), ERROR("1", "%d", "no"), cases[i].code);
    exchange(&b.wire,
             "{$J,'id':1,'method':'tools/call','params':{'name':'code'}}",
             text);
    end(&b);
  }
}

static int on_bad_text(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call, "\xff");
}

static int on_ignored_failure(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_reply_text(call, "\xff");
  return MCP_ERR_IO;
}

static void answers_with_what_failed(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  add_tool(&b, "bad", on_bad_text);
  add_tool(&b, "ignored", on_ignored_failure);
  wire_send(&b.wire, CALL("1", "bad"));
  rig_turn(&b.rig);
  assert_non_null(strstr(b.wire.text.bytes, "\"code\":-32603"));
  assert_non_null(strstr(b.wire.text.bytes, "UTF-8"));
  assert_string_equal(b.rig.reports.bytes,
                      "bad: the text is not UTF-8 at byte 0");
  wire_forget(&b.wire);
  exchange(&b.wire, CALL("1", "ignored"),
           ERROR("1", "-32603", "internal error"));
  end(&b);
}

static int on_half(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_add_text(call, "half");
  mcp_call_add_text(call, "\xff");
  return mcp_call_reply(call);
}

static int on_aware(mcp_call *call, void *userdata) {
  (void)userdata;
  int rc = mcp_call_add_text(call, "\xff");
  assert_int_equal(rc, MCP_ERR_INVALID);
  return mcp_call_reply_failure(call, "no text");
}

static void reports_a_failure_that_the_handler_ignored(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  add_tool(&b, "half", on_half);
  add_tool(&b, "aware", on_aware);
  wire_send(&b.wire, CALL("1", "aware"));
  rig_turn(&b.rig);
  wire_forget(&b.wire);
  exchange(&b.wire, CALL("1", "half"), TEXT("1", "half"));
  assert_string_equal(b.rig.reports.bytes,
                      "half: the handler ignored a failure and replied: "
                      "the text is not UTF-8 at byte 0");
  end(&b);
}

static int on_reply_twice(mcp_call *call, void *userdata) {
  bench *b = userdata;
  int rc = mcp_call_reply_text(call, "once");
  assert_int_equal(rc, 0);
  b->rc = mcp_call_reply_text(call, "twice");
  return MCP_ERR_IO;
}

static int on_reply_again(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_reply_text(call, "once");
  return mcp_call_reply_textf(call, "again");
}

static void takes_one_reply(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  add_tool(&b, "twice", on_reply_twice);
  exchange(&b.wire, CALL("1", "twice"), TEXT("1", "once"));
  assert_int_equal(b.rc, MCP_ERR_INVALID);
  assert_string_equal(b.rig.reports.bytes,
                      "twice: the handler returned MCP_ERR_IO after its reply");
  end(&b);
  begin(&b, NULL);
  add_tool(&b, "again", on_reply_again);
  exchange(&b.wire, CALL("1", "again"), TEXT("1", "once"));
  assert_string_equal(b.rig.reports.bytes,
                      "again: mcp_call_reply_textf: the call has its reply "
                      "already, and can have only one");
  end(&b);
}

/* --- later -------------------------------------------------------------- */

static void answers_deferred_calls_in_any_order(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, CALL("1", "keep"), "");
  exchange(&b.wire, CALL("'x'", "keep"), "");
  assert_int_equal(mcp_call_reply_text(b.kept[1], "second"), 0);
  assert_int_equal(mcp_call_reply_text(b.kept[0], "first"), 0);
  expect(&b.wire, TEXT("'x'", "second") "\n" TEXT("1", "first"));
  end(&b);
}

static int on_defer_and_reply(mcp_call *call, void *userdata) {
  (void)userdata;
  assert_int_equal(mcp_call_defer(call), 0);
  return mcp_call_reply_text(call, "at once");
}

static int on_defer_and_fail(mcp_call *call, void *userdata) {
  on_keep(call, userdata);
  return MCP_ERR_IO;
}

static int on_reply_and_defer(mcp_call *call, void *userdata) {
  mcp_call_reply_text(call, "now");
  ((bench *)userdata)->rc = mcp_call_defer(call);
  return 0;
}

static void defers_in_odd_ways(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  add_tool(&b, "both", on_defer_and_reply);
  add_tool(&b, "fail", on_defer_and_fail);
  add_tool(&b, "late", on_reply_and_defer);
  exchange(&b.wire, CALL("1", "both"), TEXT("1", "at once"));
  exchange(&b.wire, CALL("2", "fail"), "");
  assert_non_null(strstr(b.rig.reports.bytes, "fail: the handler returned "));
  assert_non_null(strstr(b.rig.reports.bytes, "after it had deferred"));
  assert_int_equal(mcp_call_reply_text(b.kept[0], "still"), 0);
  expect(&b.wire, TEXT("2", "still"));
  exchange(&b.wire, CALL("3", "late"), TEXT("3", "now"));
  assert_int_equal(b.rc, MCP_ERR_INVALID);
  end(&b);
}

static int on_fail_badly(mcp_call *call, void *userdata) {
  (void)userdata;
  assert_int_equal(mcp_call_reply_failure(call, "%s", "\xff"), MCP_ERR_INVALID);
  return mcp_call_reply_text(call, "fine");
}

static void a_failure_that_was_not_said_is_none(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  add_tool(&b, "badly", on_fail_badly);
  exchange(&b.wire, CALL("1", "badly"), TEXT("1", "fine"));
  end(&b);
}

static int is_home = 1; /* the test plays the loop's thread, or another */

static int is_loop_thread(void *userdata) {
  (void)userdata;
  return is_home;
}

static void reports_posted_replies_that_fail(void **state) {
  bench b;
  (void)state;
  memset(&b, 0, sizeof(b));
  assert_int_equal(rig_init(&b.rig, NULL, NULL), 0);
  mcp_loop_free(b.rig.loop);
  b.rig.platform.is_loop_thread = is_loop_thread;
  b.rig.loop = mcp_loop_new_manual(&b.rig.platform, NULL);
  const mcp_tool tool = {.size = MCP_TOOL_INIT,
                         .name = "strict",
                         .output = MCP_OBJECT(MCP_NUMBER("n", "a number")),
                         .handler = on_keep,
                         .userdata = &b};
  assert_int_equal(mcp_server_add_tool(b.rig.server, &tool), 0);
  assert_int_equal(wire_connect(&b.wire, &b.rig, NULL), 0);
  exchange(&b.wire, CALL("1", "strict"), "");
  is_home = 0;
  assert_int_equal(mcp_call_reply_structured(b.kept[0], "{\"n\":\"x\"}"), 0);
  is_home = 1;
  rig_turn(&b.rig);
  assert_non_null(strstr(b.wire.text.bytes, "-32603"));
  wire_forget(&b.wire);
  assert_non_null(strstr(b.rig.reports.bytes, "strict: the reply failed: "));
  /* That the client has gone is no news. */
  exchange(&b.wire, CALL("2", "strict"), "");
  size_t reported = strlen(b.rig.reports.bytes);
  is_home = 0;
  assert_int_equal(mcp_call_reply_structured(b.kept[1], "{\"n\":1}"), 0);
  is_home = 1;
  mcp_connection_close(b.wire.connection, 0);
  expect(&b.wire, "");
  assert_int_equal(strlen(b.rig.reports.bytes), reported);
  end(&b);
}

static void answers_for_dropped_calls(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, CALL("1", "keep"), "");
  mcp_call_drop(b.kept[0]);
  expect(&b.wire, ERROR("1", "-32603", "the server dropped the request"));
  assert_string_equal(b.rig.reports.bytes,
                      "keep: the handler gave the call up without a reply");
  mcp_call_drop(NULL);
  end(&b);
}

static void a_deferred_call_outlives_its_connection(void **state) {
  const mcp_connection_options options = {
      .size = MCP_CONNECTION_OPTIONS_INIT, .principal = "ada", .peer = "here"};
  bench b;
  rig_wire other;
  (void)state;
  begin(&b, NULL);
  assert_int_equal(wire_connect(&other, &b.rig, &options), 0);
  wire_initialize(&other, "2025-11-25", "{'roots':{}}");
  exchange(&other, LEGACY_CALL("1", "keep"), "");
  mcp_call *call = b.kept[0];
  assert_non_null(mcp_call_session(call));
  other.end->close(other.end);
  rig_turn(&b.rig);
  assert_int_equal(other.close_count, 1);
  assert_true(mcp_call_is_cancelled(call));
  assert_string_equal(mcp_call_principal(call), "ada");
  assert_string_equal(mcp_call_peer(call), "here");
  assert_true(mcp_call_client_has(call, "roots"));
  assert_null(mcp_call_session(call));
  assert_int_equal(mcp_call_progress(call, 1, 0, NULL), 0); /* none wanted */
  assert_int_equal(mcp_call_reply_text(call, "too late"), MCP_ERR_GONE);
  exchange(&b.wire, "{$J,'id':1,'method':'ping'}", "{$J,'id':1,'result':{}}");
  wire_deinit(&other);
  end(&b);
}

static void a_deferred_call_outlives_its_server(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, CALL("1", "keep"), "");
  exchange(&b.wire, CALL("2", "keep"), "");
  exchange(&b.wire, CALL("3", "keep"), "");
  free_server(&b);
  assert_true(b.wire.is_closed);
  assert_true(mcp_call_is_cancelled(b.kept[0]));
  assert_string_equal(mcp_call_name(b.kept[0]), "keep");
  assert_int_equal(mcp_call_reply_text(b.kept[0], "late"), MCP_ERR_GONE);
  assert_int_equal(mcp_call_reply_error(b.kept[1], 1, "late", NULL),
                   MCP_ERR_GONE);
  mcp_call_drop(b.kept[2]);
  end(&b);
}

static int on_free(mcp_call *call, void *userdata) {
  bench *b = userdata;
  mcp_server_free(b->rig.server);
  b->rig.server = NULL;
  b->rc = mcp_call_reply_text(call, "goodbye");
  return 0;
}

static int on_close_first(mcp_call *call, void *userdata) {
  bench *b = userdata;
  mcp_connection_close(b->wire.connection, 0);
  b->rc = mcp_call_reply_text(call, "goodbye");
  return 0;
}

static void server_and_connection_may_end_in_a_handler(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  add_tool(&b, "free", on_free);
  exchange(&b.wire, CALL("1", "free"), "");
  assert_int_equal(b.rc, MCP_ERR_GONE);
  assert_true(b.wire.is_closed);
  end(&b);
  begin(&b, NULL);
  add_tool(&b, "close", on_close_first);
  exchange(&b.wire, CALL("1", "close"), "");
  assert_int_equal(b.rc, MCP_ERR_GONE);
  assert_int_equal(b.wire.close_count, 1);
  end(&b);
}

/* --- cancellation ------------------------------------------------------- */

static void on_cancelled(mcp_call *call, void *userdata) {
  bench *b = userdata;
  assert_true(mcp_call_is_cancelled(call));
  b->cancelled++;
}

static void on_cancelled_reply(mcp_call *call, void *userdata) {
  on_cancelled(call, userdata);
  assert_int_equal(mcp_call_reply_text(call, "bye"), MCP_ERR_GONE);
}

static void tells_a_call_once_that_it_is_cancelled(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, CALL("1", "keep"), "");
  mcp_call *call = b.kept[0];
  assert_int_equal(mcp_call_on_cancel(call, on_cancelled, &b), 0);
  assert_false(mcp_call_is_cancelled(call));
  exchange(&b.wire, CANCEL("2"), "");
  exchange(&b.wire, CANCEL("'1'"), "");
  assert_int_equal(b.cancelled, 0);
  exchange(&b.wire, CANCEL("1"), "");
  exchange(&b.wire, CANCEL("1"), "");
  assert_int_equal(b.cancelled, 1);
  assert_int_equal(mcp_call_on_cancel(call, on_cancelled, &b), MCP_ERR_GONE);
  assert_int_equal(mcp_call_reply_text(call, "late"), MCP_ERR_GONE);
  expect(&b.wire, "");
  /* Its id is free. */
  exchange(&b.wire, CALL("1", "keep"), "");
  assert_int_equal(mcp_call_reply_text(b.kept[1], "new"), 0);
  expect(&b.wire, TEXT("1", "new"));
  end(&b);
  assert_int_equal(b.cancelled, 1);
}

static void a_call_may_reply_as_it_is_cancelled(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, CALL("1", "keep"), "");
  mcp_call_on_cancel(b.kept[0], on_cancelled_reply, &b);
  exchange(&b.wire, CANCEL("1"), "");
  assert_int_equal(b.cancelled, 1);
  exchange(&b.wire, CALL("2", "keep"), "");
  mcp_call_on_cancel(b.kept[1], on_cancelled_reply, &b);
  b.wire.end->close(b.wire.end);
  rig_turn(&b.rig);
  assert_int_equal(b.cancelled, 2);
  end(&b);
}

static int on_watch(mcp_call *call, void *userdata) {
  mcp_call_on_cancel(call, on_cancelled, userdata);
  return mcp_call_reply(call);
}

static void tells_nothing_after_the_reply(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  add_tool(&b, "watch", on_watch);
  exchange(&b.wire, CALL("1", "watch"),
           "{$J,'id':1,'result':{'content':[],$C}}");
  exchange(&b.wire, CANCEL("1"), "");
  end(&b);
  assert_int_equal(b.cancelled, 0);
}

/* --- progress and logs -------------------------------------------------- */

#define TOKEN_CALL(id, token)                                                  \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'keep','_meta':{"    \
  "'progressToken':" token "}}}"
#define MODERN_TOKEN_CALL(id, more)                                            \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'keep','_meta':{"    \
  "'io.modelcontextprotocol/protocolVersion':'2026-07-28',"                    \
  "'io.modelcontextprotocol/clientCapabilities':{}," more "}}}"

static void reports_progress_to_who_wants_it(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, MODERN_TOKEN_CALL("1", "'progressToken':'t'"), "");
  assert_int_equal(mcp_call_progress(b.kept[0], 0.5, 2, "half"), 0);
  assert_int_equal(mcp_call_progress(b.kept[0], 0.5, 2, "half"),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_call_progress(b.kept[0], 1, 0, NULL), 0);
  expect(&b.wire,
         "{$J,'method':'notifications/progress','params':{'progressToken':'t',"
         "'progress':0.5,'total':2,'message':'half'}}\n"
         "{$J,'method':'notifications/progress','params':{'progressToken':'t',"
         "'progress':1}}");
  assert_int_equal(mcp_call_reply(b.kept[0]), 0);
  expect(&b.wire, "{$J,'id':1,'result':{'content':[],$C}}");
  exchange(&b.wire, CALL("2", "keep"), "");
  assert_int_equal(mcp_call_progress(b.kept[1], 1, 0, NULL), 0);
  expect(&b.wire, "");
  assert_int_equal(mcp_call_progress(b.kept[1], 0.0 / 0.0, 0, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_call_reply(b.kept[1]), 0);
  end(&b);
}

static void echoes_progress_tokens_of_every_kind(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  wire_initialize(&b.wire, "2024-11-05", "{}");
  exchange(&b.wire, TOKEN_CALL("1", "98765432109876543210"), "");
  assert_int_equal(mcp_call_progress(b.kept[0], 1, 4, "not in 2024"), 0);
  expect(&b.wire, "{$J,'method':'notifications/progress','params':{"
                  "'progressToken':98765432109876543210,'progress':1,"
                  "'total':4}}");
  exchange(&b.wire, TOKEN_CALL("2", "[1]"), ""); /* forgiven: no progress */
  assert_int_equal(mcp_call_progress(b.kept[1], 1, 4, NULL), 0);
  expect(&b.wire, "");
  mcp_call_reply(b.kept[0]);
  mcp_call_reply(b.kept[1]);
  end(&b);
}

static void logs_at_the_level_of_the_request(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(
      &b.wire,
      MODERN_TOKEN_CALL("1", "'io.modelcontextprotocol/logLevel':'warning'"),
      "");
  mcp_call *call = b.kept[0];
  assert_int_equal(mcp_call_logf(call, MCP_LOG_ERROR, "off"), 0);
  expect(&b.wire, ""); /* not declared */
  mcp_server_enable_logging(b.rig.server);
  assert_int_equal(mcp_call_logf(call, MCP_LOG_NOTICE, "no"), 0);
  assert_int_equal(mcp_call_logf(call, MCP_LOG_ERROR, "disk %d", 3), 0);
  assert_int_equal(mcp_call_log(call, MCP_LOG_WARNING, "db", " {\"a\": 1}"), 0);
  expect(&b.wire, "{$J,'method':'notifications/message','params':{"
                  "'level':'error','data':'disk 3'}}\n"
                  "{$J,'method':'notifications/message','params':{"
                  "'level':'warning','logger':'db','data':{'a': 1}}}");
  assert_int_equal(mcp_call_log(call, MCP_LOG_ERROR, NULL, "{"), MCP_ERR_PARSE);
  assert_int_equal(mcp_call_log(call, 0, NULL, "1"), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_log(call, 9, NULL, "1"), MCP_ERR_INVALID);
  mcp_call_reply(call);
  /* Without the key a request wants none. */
  exchange(&b.wire, CALL("2", "keep"),
           "{$J,'id':1,'result':{'content':[],$C}}");
  assert_int_equal(mcp_call_logf(b.kept[1], MCP_LOG_EMERGENCY, "x"), 0);
  expect(&b.wire, "");
  mcp_call_reply(b.kept[1]);
  end(&b);
}

static void logs_at_the_level_of_the_session(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  mcp_server_enable_logging(b.rig.server);
  wire_initialize(&b.wire, "2025-06-18", "{}");
  exchange(&b.wire, LEGACY_CALL("1", "keep"), "");
  assert_int_equal(mcp_call_logf(b.kept[0], MCP_LOG_DEBUG, "no"), 0);
  assert_int_equal(mcp_call_logf(b.kept[0], MCP_LOG_INFO, "yes"), 0);
  expect(&b.wire, "{$J,'method':'notifications/message','params':{"
                  "'level':'info','data':'yes'}}");
  exchange(&b.wire,
           "{$J,'id':2,'method':'logging/setLevel','params':{'level':'debug'}}",
           "{$J,'id':2,'result':{}}");
  assert_int_equal(mcp_call_logf(b.kept[0], MCP_LOG_DEBUG, "now"), 0);
  expect(&b.wire, "{$J,'method':'notifications/message','params':{"
                  "'level':'debug','data':'now'}}");
  exchange(&b.wire, CANCEL("1"), "");
  assert_int_equal(mcp_call_logf(b.kept[0], MCP_LOG_ERROR, "late"),
                   MCP_ERR_GONE);
  mcp_call_reply(b.kept[0]);
  end(&b);
}

/* --- the pool ----------------------------------------------------------- */

static int on_work(mcp_call *call, void *userdata) {
  bench *b = userdata;
  return b->rc != 0 ? b->rc : mcp_call_reply_text(call, "worked");
}

static void runs_blocking_handlers_on_the_pool(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  add_blocking(&b, "work", on_work);
  exchange(&b.wire, CALL("1", "work"), "");
  assert_non_null(b.rig.work);
  rig_work(&b.rig);
  expect(&b.wire, TEXT("1", "worked"));
  b.rc = MCP_ERR_IO;
  exchange(&b.wire, CALL("2", "work"), "");
  rig_work(&b.rig);
  expect(&b.wire, ERROR("2", "-32603", "internal error"));
  end(&b);
}

static void says_when_the_pool_is_full(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  add_blocking(&b, "work", on_work);
  b.rig.refuses_work = 1;
  exchange(&b.wire, CALL("1", "work"),
           ERROR("1", "-32603",
                 "too many calls wait for a thread: try again later"));
  b.rig.refuses_work = 0;
  exchange(&b.wire, CALL("1", "work"), "");
  rig_work(&b.rig);
  expect(&b.wire, TEXT("1", "worked"));
  end(&b);
}

static void says_when_there_is_no_pool(void **state) {
  bench b;
  (void)state;
  memset(&b, 0, sizeof(b));
  assert_int_equal(rig_init(&b.rig, NULL, NULL), 0);
  mcp_loop_free(b.rig.loop);
  b.rig.platform.run_blocking = NULL;
  b.rig.loop = mcp_loop_new_manual(&b.rig.platform, NULL);
  add_blocking(&b, "work", on_work);
  assert_int_equal(wire_connect(&b.wire, &b.rig, NULL), 0);
  exchange(&b.wire, CALL("1", "work"),
           ERROR("1", "-32603", "the platform has no run_blocking"));
  end(&b);
}

static void a_running_handler_outlives_all(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  add_blocking(&b, "work", on_work);
  exchange(&b.wire, CALL("1", "work"), "");
  exchange(&b.wire, CANCEL("1"), "");
  rig_work(&b.rig);
  exchange(&b.wire, CALL("2", "work"), "");
  free_server(&b);
  rig_work(&b.rig);
  end(&b);
}

/* --- queue bounds ------------------------------------------------------- */

static size_t many_queued(mcp_transport *transport) {
  (void)transport;
  return 1024 * 1024 + 1;
}

static void drops_progress_for_a_client_that_does_not_read(void **state) {
  bench b;
  mcp_transport *end_of_server;
  mcp_transport *client;
  (void)state;
  begin(&b, NULL);
  assert_int_equal(mcp_memory_pair(b.rig.loop, &end_of_server, &client), 0);
  end_of_server->queued = many_queued;
  client->owner = &b.wire;
  client->on_message = b.wire.end->on_message;
  client->on_error = b.wire.end->on_error;
  client->on_close = b.wire.end->on_close;
  client->start(client, NULL);
  assert_int_equal(mcp_server_connect(b.rig.server, b.rig.loop, end_of_server,
                                      NULL, NULL, NULL),
                   0);
  mcp_transport *first = b.wire.end;
  b.wire.end = client;
  exchange(&b.wire, MODERN_TOKEN_CALL("1", "'progressToken':1"), "");
  assert_int_equal(mcp_call_progress(b.kept[0], 1, 0, NULL), 0);
  assert_int_equal(mcp_call_progress(b.kept[0], 2, 0, NULL), 0);
  assert_int_equal(mcp_call_reply_text(b.kept[0], "kept"), 0);
  expect(&b.wire, TEXT("1", "kept"));
  assert_string_equal(b.rig.reports.bytes,
                      "a client reads too slowly: progress and log messages "
                      "to it are dropped");
  free_server(&b);
  mcp_transport_free(client);
  b.wire.end = first;
  end(&b);
}

static int refuse_send(mcp_transport *transport, const char *message,
                       size_t len, const mcp_send_info *info) {
  (void)transport;
  (void)message;
  (void)len;
  (void)info;
  return MCP_ERR_LIMIT;
}

static void closes_rather_than_losing_an_answer(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  mcp_transport *end_of_server = NULL;
  mcp_transport *client;
  mcp_memory_pair(b.rig.loop, &end_of_server, &client);
  end_of_server->send = refuse_send;
  client->owner = &b.wire;
  client->on_message = b.wire.end->on_message;
  client->on_error = b.wire.end->on_error;
  client->on_close = b.wire.end->on_close;
  client->start(client, NULL);
  mcp_server_connect(b.rig.server, b.rig.loop, end_of_server, NULL, NULL, NULL);
  mcp_transport *first = b.wire.end;
  b.wire.end = client;
  exchange(&b.wire, "{$J,'id':1,'method':'ping'}", "");
  assert_true(b.wire.is_closed);
  assert_int_equal(mcp_server_connection_count(b.rig.server), 1);
  mcp_transport_free(client);
  b.wire.end = first;
  end(&b);
}

/* --- memory ------------------------------------------------------------- */

static int on_text(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_textf(call, "%s", mcp_call_string(call, "name"));
}

static int on_structured(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_structured(call, "{\"sum\":3}");
}

static int on_error(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_error(call, 5, "no", "{\"why\":1}");
}

static int on_failure(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_failure(call, "it failed: %d", 3);
}

static int add_all(bench *b) {
  const mcp_schema *input = MCP_OBJECT(
      MCP_STRING("name", "Whose", .optional = 1, .more = "\"maxLength\":20"));
  const mcp_schema *output = MCP_OBJECT(MCP_NUMBER("sum", "of it"));
  const mcp_tool tools[] = {{.size = MCP_TOOL_INIT,
                             .name = "text",
                             .input = input,
                             .handler = on_text},
                            {.size = MCP_TOOL_INIT,
                             .name = "structured",
                             .input = input,
                             .output = output,
                             .handler = on_structured},
                            {.size = MCP_TOOL_INIT,
                             .name = "error",
                             .input = input,
                             .handler = on_error},
                            {.size = MCP_TOOL_INIT,
                             .name = "failure",
                             .input = input,
                             .handler = on_failure},
                            {.size = MCP_TOOL_INIT,
                             .name = "keep",
                             .input = input,
                             .handler = on_keep,
                             .userdata = b}};
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < sizeof(tools) / sizeof(tools[0]); i++) {
    rc = mcp_server_add_tool(b->rig.server, &tools[i]);
  }
  return rc;
}

/* One call of each kind, in both eras. */
static void run_all(bench *b) {
  static const char *const names[] = {"text",    "structured", "error",
                                      "failure", "keep",       "no-such"};
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
    char message[400];
    snprintf(message, sizeof(message),
             "{$J,'id':%zu,'method':'tools/call','params':{'name':'%s',"
             "'arguments':{'name':'Ada'}}}",
             i, names[i]);
    wire_send(&b->wire, message);
    snprintf(message, sizeof(message),
             "{$J,'id':'m%zu','method':'tools/call','params':{'name':'%s',"
             "'arguments':{'name':'Ada'},$M{}}}",
             i, names[i]);
    wire_send(&b->wire, message);
  }
  rig_turn(&b->rig);
  for (int i = 0; i < b->kept_count; i++) {
    mcp_call_reply_text(b->kept[i], "kept");
  }
  b->kept_count = 0;
  rig_turn(&b->rig);
  wire_forget(&b->wire);
}

static int no_init(bench *b, const mcp_allocator *allocator) {
  memset(b, 0, sizeof(*b));
  int rc = rig_init(&b->rig, NULL, allocator);
  if (rc != 0) {
    return rc;
  }
  rc = add_all(b);
  if (rc == 0) {
    rc = wire_connect(&b->wire, &b->rig, NULL);
  }
  return rc;
}

static void a_steady_stream_of_calls_needs_no_memory(void **state) {
  failing_alloc alloc;
  bench b;
  (void)state;
  failing_alloc_init(&alloc);
  assert_int_equal(no_init(&b, &alloc.allocator), 0);
  wire_initialize(&b.wire, "2025-11-25", "{}");
  for (int i = 0; i < 10; i++) {
    run_all(&b);
  }
  size_t before = atomic_load(&alloc.calls);
  for (int i = 0; i < 100; i++) {
    run_all(&b);
  }
  assert_int_equal(atomic_load(&alloc.calls) - before, 0);
  end(&b);
  assert_int_equal(atomic_load(&alloc.live_blocks), 0);
}

static int run_once(const mcp_allocator *allocator, void *userdata) {
  bench b;
  (void)userdata;
  int rc = no_init(&b, allocator);
  if (rc == 0) {
    wire_send(&b.wire,
              "{$J,'id':0,'method':'initialize','params':{'protocolVersion':"
              "'2025-06-18','capabilities':{},'clientInfo':{}}}");
    run_all(&b);
  }
  if (b.rig.loop != NULL) {
    free_server(&b);
  }
  if (b.wire.rig != NULL) {
    wire_deinit(&b.wire);
  }
  rig_deinit(&b.rig);
  return rc;
}

static void survives_each_failed_allocation(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(run_once, NULL) > 50);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_for_a_handler_that_does_not),
      cmocka_unit_test(answers_with_what_failed),
      cmocka_unit_test(replaces_codes_that_the_revision_reserves),
      cmocka_unit_test(reports_a_failure_that_the_handler_ignored),
      cmocka_unit_test(takes_one_reply),
      cmocka_unit_test(answers_deferred_calls_in_any_order),
      cmocka_unit_test(defers_in_odd_ways),
      cmocka_unit_test(a_failure_that_was_not_said_is_none),
      cmocka_unit_test(reports_posted_replies_that_fail),
      cmocka_unit_test(answers_for_dropped_calls),
      cmocka_unit_test(a_deferred_call_outlives_its_connection),
      cmocka_unit_test(a_deferred_call_outlives_its_server),
      cmocka_unit_test(server_and_connection_may_end_in_a_handler),
      cmocka_unit_test(tells_a_call_once_that_it_is_cancelled),
      cmocka_unit_test(a_call_may_reply_as_it_is_cancelled),
      cmocka_unit_test(tells_nothing_after_the_reply),
      cmocka_unit_test(reports_progress_to_who_wants_it),
      cmocka_unit_test(echoes_progress_tokens_of_every_kind),
      cmocka_unit_test(logs_at_the_level_of_the_request),
      cmocka_unit_test(logs_at_the_level_of_the_session),
      cmocka_unit_test(runs_blocking_handlers_on_the_pool),
      cmocka_unit_test(says_when_the_pool_is_full),
      cmocka_unit_test(says_when_there_is_no_pool),
      cmocka_unit_test(a_running_handler_outlives_all),
      cmocka_unit_test(drops_progress_for_a_client_that_does_not_read),
      cmocka_unit_test(closes_rather_than_losing_an_answer),
      cmocka_unit_test(a_steady_stream_of_calls_needs_no_memory),
      cmocka_unit_test(survives_each_failed_allocation),
  };
  return cmocka_run_group_tests_name("server_calls", tests, NULL, NULL);
}
