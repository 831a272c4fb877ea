/* SPDX-License-Identifier: MIT */
/* The plain profile of an HTTP endpoint: a POST, its answer in JSON, and
 * nothing else of HTTP. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/http_rig.h"
#include "support/revisions.h"
#include <string.h>

typedef struct bench {
  http_rig http;
  mcp_call *kept;
} bench;

/* As a client sends it that was written by hand. */
#define BARE(headers, body)                                                    \
  "POST /mcp\nHost: localhost\nContent-Type: application/json\n" headers       \
  "\n" body
#define IN(revision, body) BARE("MCP-Protocol-Version: " revision "\n", body)
#define HELLO(version)                                                         \
  BARE(                                                                        \
      "",                                                                      \
      "{$J,'id':0,'method':'initialize','params':{'protocolVersion':'" version \
      "','capabilities':{'elicitation':{}},"                                   \
      "'clientInfo':{'name':'c','version':'2'}}}")
#define WELCOME(version)                                                       \
  JSON("200", "{$J,'id':0,'result':{'protocolVersion':'" version               \
              "','capabilities':{'tools':{}},'serverInfo':{'name':'test',"     \
              "'version':'1'}}}")
#define WORK                                                                   \
  "{$J,'id':1,'method':'tools/call','params':{'name':'work','_meta':{"         \
  "'progressToken':7}}}"

static int on_where(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call, mcp_call_revision(call));
}

static int on_work(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_progress(call, 1, 2, "half");
  return mcp_call_reply_text(call, "done");
}

static int on_keep(mcp_call *call, void *userdata) {
  ((bench *)userdata)->kept = call;
  return mcp_call_defer(call);
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  const mcp_elicit question = {.size = MCP_ELICIT_INIT,
                               .message = "Who?",
                               .form = MCP_OBJECT(MCP_STRING("name", "yours"))};
  (void)userdata;
  return mcp_call_ask_elicit(call, "name", &question, &answer);
}

static int begin_with(bench *b, const mcp_allocator *allocator) {
  const mcp_http_options options = {.size = MCP_HTTP_OPTIONS_INIT,
                                    .legacy = MCP_HTTP_PLAIN};
  static const struct {
    const char *name;
    mcp_call_cb handler;
  } tools[] = {{"where", on_where},
               {"work", on_work},
               {"keep", on_keep},
               {"ask", on_ask}};
  memset(b, 0, sizeof(*b));
  int rc = http_rig_init(&b->http, NULL, &options, allocator);
  for (size_t i = 0; rc == 0 && i < sizeof(tools) / sizeof(tools[0]); i++) {
    rc = mcp_server_add_tool(b->http.rig.server,
                             &(mcp_tool){.size = MCP_TOOL_INIT,
                                         .name = tools[i].name,
                                         .handler = tools[i].handler,
                                         .userdata = b});
  }
  return rc;
}

static void begin(bench *b) {
  assert_int_equal(begin_with(b, NULL), 0);
}

static void end(bench *b) {
  http_rig_deinit(&b->http);
}

static void answers_are_json_whatever_is_accepted(void **state) {
  static const char *const requests[] = {
      BARE("", WORK),
      BARE("Accept: application/json\n", WORK),
      BARE("Accept: text/event-stream\n", WORK),
      BARE("Accept: text/html\n", WORK),
      POST("", WORK),
  };
  bench b;
  (void)state;
  begin(&b);
  for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
    ask(&b.http, requests[i], JSON("200", LEGACY_TEXT("1", "done")));
  }
  end(&b);
}

static void a_long_call_is_answered_in_one_piece(void **state) {
  bench b;
  http_trip trip = {0};
  (void)state;
  begin(&b);
  trip_send(&trip, &b.http, POST("", LEGACY_CALL("1", "keep")));
  rig_pass(&b.http.rig, 60000); /* six times keepalive_ms */
  came(&trip, "");
  mcp_call_reply_text(b.kept, "kept");
  came(&trip, JSON("200", LEGACY_TEXT("1", "kept")));
  trip_deinit(&trip);
  end(&b);
}

static void what_wants_no_answer_gets_204(void **state) {
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http, BARE("", INITIALIZED), "204");
  ask(&b.http, BARE("", "{$J,'method':'notifications/no-such'}"), "204");
  ask(&b.http, BARE("", "{$J,'id':1,'result':{}}"), "204");
  ask(&b.http, BARE("", "{$J,'id':1,'error':{'code':1,'message':'x'}}"), "204");
  ask(&b.http, IN("2025-03-26", "[" INITIALIZED "]"), "204");
  ask(&b.http, IN("2025-08-01", INITIALIZED), "204"); /* was agreed to */
  end(&b);
}

#define UNSUPPORTED(version)                                                   \
  JSON("400", "{$J,'error':{'code':-32022,'message':'protocol version "        \
              "\\\"" version                                                   \
              "\\\" is not served here','data':{'supported':[" MODERN_NAMES_1  \
              ",'2025-11-25','2025-06-18','2025-03-26',"                       \
              "'2024-11-05'],'requested':'" version "'}}}")

/* The sender learns which versions there are, though nothing waits for an
 * answer. */
static void notifications_of_no_version_are_refused(void **state) {
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http, IN("latest", INITIALIZED),
      JSON("400",
           ERROR_ALONE("-32600", "MCP-Protocol-Version names no revision "
                                 "that is served here")));
  ask(&b.http, IN("2099-01-01", INITIALIZED), UNSUPPORTED("2099-01-01"));
  ask(&b.http,
      IN("2099-01-01", "{$J,'method':'notifications/x','params':{'_meta':{"
                       "'io.modelcontextprotocol/protocolVersion':'2099-01-01',"
                       "'io.modelcontextprotocol/clientCapabilities':{}}}}"),
      UNSUPPORTED("2099-01-01"));
  end(&b);
}

static void initialize_agrees_to_versions(void **state) {
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http, HELLO("2025-06-18"), WELCOME("2025-06-18"));
  ask(&b.http, HELLO("2025-08-01"), WELCOME("2025-08-01"));
  ask(&b.http, HELLO("2024-10-07"), WELCOME("2024-10-07"));
  /* These are none of the legacy era's. */
  ask(&b.http, HELLO(NEWEST_REVISION), WELCOME("2025-11-25"));
  ask(&b.http, HELLO("2026-01-01"), WELCOME("2025-11-25"));
  ask(&b.http, HELLO("DRAFT-2025"), WELCOME("2025-11-25"));
  assert_int_equal(mcp_server_connection_count(b.http.rig.server), 0);
  end(&b);
}

static void requests_are_of_the_newest_revision(void **state) {
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http, BARE("", LEGACY_CALL("1", "where")),
      JSON("200", LEGACY_TEXT("1", "2025-11-25")));
  ask(&b.http, BARE("Mcp-Session-Id: x\n", LEGACY_CALL("1", "where")),
      JSON("200", LEGACY_TEXT("1", "2025-11-25")));
  ask(&b.http, IN("2025-06-18", LEGACY_CALL("1", "where")),
      JSON("200", LEGACY_TEXT("1", "2025-06-18")));
  ask(&b.http, IN("2025-08-01", LEGACY_CALL("1", "where")),
      JSON("200", LEGACY_TEXT("1", "2025-06-18")));
  ask(&b.http, IN("latest", LEGACY_CALL("1", "where")),
      JSON("400", ERROR("1", "-32600",
                        "MCP-Protocol-Version names no revision that is served "
                        "here")));
  end(&b);
}

static void batches_are_of_the_revision_that_has_them(void **state) {
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http, IN("2025-03-26", "[{$J,'id':1,'method':'ping'}]"),
      JSON("200", "[{$J,'id':1,'result':{}}]"));
  ask(&b.http, BARE("", "[{$J,'id':1,'method':'ping'}]"),
      JSON("400", ERROR_ALONE("-32600", "a batch, where none is allowed")));
  end(&b);
}

static void modern_requests_are_served_as_ever(void **state) {
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http, CALL("1", "where"),
      JSON("200", RESULT_TEXT("1", NEWEST_REVISION)));
  ask(&b.http,
      MODERN("tools/call", "Mcp-Name: work\n",
             "{$J,'id':1,'method':'tools/call','params':{'name':'work',"
             "'_meta':{'io.modelcontextprotocol/protocolVersion':"
             "'" NEWEST_REVISION
             "','io.modelcontextprotocol/clientCapabilities':{},"
             "'progressToken':7}}}"),
      EVENTS(EVENT("{$J,'method':'notifications/progress','params':{"
                   "'progressToken':7,'progress':1,'total':2,'message':"
                   "'half'}}") EVENT(RESULT_TEXT("1", "done")) "END"));
  ask(&b.http,
      BARE("Accept: text/html\nMCP-Protocol-Version: " NEWEST_REVISION "\n"
           "Mcp-Method: tools/call\nMcp-Name: where\n",
           "{$J,'id':1,'method':'tools/call','params':{'name':'where',$M{}}}"),
      JSON("200", RESULT_TEXT("1", NEWEST_REVISION)));
  ask(&b.http, IN(NEWEST_REVISION, INITIALIZED), "202");
  ask(&b.http, IN(NEWEST_REVISION, LEGACY_CALL("1", "where")),
      JSON("400", ERROR("1", "-32602",
                        "params._meta must have "
                        "\\\"io.modelcontextprotocol/protocolVersion\\\" and "
                        "\\\"io.modelcontextprotocol/clientCapabilities\\\"")));
  end(&b);
}

static void there_is_no_other_way(void **state) {
  bench b;
  (void)state;
  begin(&b);
  ask(&b.http, "GET /mcp\nHost: localhost\nAccept: text/event-stream\n\n",
      "405 text/plain; charset=utf-8\nthis method is not served here\n");
  ask(&b.http, "DELETE /mcp\nHost: localhost\nMcp-Session-Id: x\n\n",
      "405 text/plain; charset=utf-8\nthis method is not served here\n");
  ask(&b.http, "POST /mcp\nHost: localhost\nContent-Type: text/plain\n\n{}",
      "415 text/plain; charset=utf-8\n"
      "Content-Type: application/json is what is read here\n");
  ask(&b.http, BARE("", LEGACY_CALL("1", "ask")),
      JSON("200", ERROR("1", "-32603",
                        "elicitation.form: a request without a session "
                        "cannot ask its client")));
  end(&b);
}

/* Whatever the answer is, there is one. */
static void ask_any(http_rig *http, const char *request) {
  http_trip trip = {0};
  trip_send(&trip, http, request);
  assert_true(trip.is_over);
  trip_deinit(&trip);
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  bench b;
  (void)userdata;
  int rc = begin_with(&b, allocator);
  if (rc == 0) {
    ask_any(&b.http, HELLO("2025-08-01"));
    ask_any(&b.http, BARE("", INITIALIZED));
    ask_any(&b.http, BARE("", WORK));
  }
  if (b.http.http != NULL) {
    end(&b);
  }
  return rc;
}

static void survives_each_failed_allocation(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(scenario, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_are_json_whatever_is_accepted),
      cmocka_unit_test(a_long_call_is_answered_in_one_piece),
      cmocka_unit_test(what_wants_no_answer_gets_204),
      cmocka_unit_test(notifications_of_no_version_are_refused),
      cmocka_unit_test(initialize_agrees_to_versions),
      cmocka_unit_test(requests_are_of_the_newest_revision),
      cmocka_unit_test(batches_are_of_the_revision_that_has_them),
      cmocka_unit_test(modern_requests_are_served_as_ever),
      cmocka_unit_test(there_is_no_other_way),
      cmocka_unit_test(survives_each_failed_allocation),
  };
  return cmocka_run_group_tests_name("http_plain", tests, NULL, NULL);
}
