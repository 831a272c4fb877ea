/* SPDX-License-Identifier: MIT */
/* What the program adds to the protocol, and how the server is configured. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/revisions.h"
#include "support/server_rig.h"
#include <stdio.h>
#include <string.h>

typedef struct bench {
  server_rig rig;
  rig_wire wire;
  int notified;
} bench;

#define ASK(id, method, params)                                                \
  "{$J,'id':" id ",'method':'" method "','params':{" params "$M{}}}"
#define ERROR(id, code, text)                                                  \
  "{$J,'id':" id ",'error':{'code':" code ",'message':'" text "'}}"
#define LEGACY_ASK(id, method, params)                                         \
  "{$J,'id':" id ",'method':'" method "','params':{" params "}}"

static int on_report(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_json(call, "{\"total\":3}");
}

static int on_note(mcp_call *call, void *userdata) {
  bench *b = userdata;
  b->notified++;
  assert_int_equal(mcp_call_reply_json(call, "{}"), MCP_ERR_GONE);
  return 0;
}

static int add(bench *b, mcp_method method) {
  method.size = MCP_METHOD_INIT;
  method.handler = method.is_notification ? on_note : on_report;
  method.userdata = b;
  return mcp_server_add_method(b->rig.server, &method);
}

static void begin(bench *b) {
  memset(b, 0, sizeof(*b));
  assert_int_equal(rig_init(&b->rig, NULL, NULL), 0);
  assert_int_equal(wire_connect(&b->wire, &b->rig, NULL), 0);
}

static void end(bench *b) {
  mcp_server_free(b->rig.server);
  b->rig.server = NULL;
  rig_turn(&b->rig);
  wire_deinit(&b->wire);
  rig_deinit(&b->rig);
}

/* --- methods ------------------------------------------------------------ */

static void serves_methods_of_the_program(void **state) {
  bench b;
  (void)state;
  begin(&b);
  assert_int_equal(add(&b, (mcp_method){.name = "com.example/report"}), 0);
  exchange(&b.wire, ASK("1", "com.example/report", ""),
           "{$J,'id':1,'result':{'total':3,$C}}");
  exchange(&b.wire, LEGACY_ASK("1", "com.example/report", ""),
           ERROR("1", "-32600", "send initialize first"));
  wire_initialize(&b.wire, "2025-06-18", "{}");
  exchange(&b.wire, LEGACY_ASK("1", "com.example/report", ""),
           "{$J,'id':1,'result':{'total':3}}");
  exchange(&b.wire, "{$J,'method':'com.example/report'}", "");
  end(&b);
}

static void keeps_methods_to_their_revisions(void **state) {
  bench b;
  (void)state;
  begin(&b);
  assert_int_equal(
      add(&b, (mcp_method){.name = "m/new", .first_revision = NEWEST_REVISION}),
      0);
  assert_int_equal(add(&b, (mcp_method){.name = "m/old",
                                        .first_revision = "2025-03-26",
                                        .last_revision = "2025-06-18"}),
                   0);
  wire_initialize(&b.wire, "2025-06-18", "{}");
  exchange(&b.wire, LEGACY_ASK("1", "m/old", ""),
           "{$J,'id':1,'result':{'total':3}}");
  exchange(&b.wire, LEGACY_ASK("1", "m/new", ""),
           ERROR("1", "-32601", "unknown method: \\\"m/new\\\""));
  exchange(&b.wire, ASK("1", "m/new", ""),
           "{$J,'id':1,'result':{'total':3,$C}}");
  exchange(&b.wire, ASK("1", "m/old", ""),
           ERROR("1", "-32601", "unknown method: \\\"m/old\\\""));
  end(&b);
}

static void wants_the_methods_extension(void **state) {
  bench b;
  (void)state;
  begin(&b);
  assert_int_equal(
      add(&b, (mcp_method){.name = "m", .extension = "com.example/x.y"}), 0);
  exchange(&b.wire, ASK("1", "m", ""),
           "{$J,'id':1,'error':{'code':-32021,'message':'the client has not "
           "declared the capability extensions.com.example/x.y','data':{"
           "'requiredCapabilities':{'extensions':{'com.example/x.y':{}}}}}}");
  exchange(&b.wire,
           "{$J,'id':1,'method':'m','params':{$M{'extensions':{"
           "'com.example/x.y':{}}}}}",
           "{$J,'id':1,'result':{'total':3,$C}}");
  wire_initialize(&b.wire, "2025-11-25", "{}");
  exchange(&b.wire, LEGACY_ASK("1", "m", ""),
           ERROR("1", "-32603",
                 "the client has not declared the capability "
                 "extensions.com.example/x.y"));
  end(&b);
}

static void checks_the_methods_params(void **state) {
  bench b;
  (void)state;
  begin(&b);
  assert_int_equal(
      add(&b,
          (mcp_method){.name = "m",
                       .params = MCP_SCHEMA_TEXT(
                           "{\"type\":\"object\",\"required\":[\"a\"],"
                           "\"properties\":{\"a\":{\"type\":\"number\"}}}")}),
      0);
  exchange(&b.wire, ASK("1", "m", "'a':1,"),
           "{$J,'id':1,'result':{'total':3,$C}}");
  wire_send(&b.wire, ASK("1", "m", "'a':'x',"));
  rig_turn(&b.rig);
  assert_non_null(strstr(b.wire.text.bytes, "\"code\":-32602"));
  assert_non_null(strstr(b.wire.text.bytes, "params/a: "));
  end(&b);
}

static void runs_methods_on_the_pool(void **state) {
  bench b;
  (void)state;
  begin(&b);
  assert_int_equal(add(&b, (mcp_method){.name = "m", .is_blocking = 1}), 0);
  exchange(&b.wire, ASK("1", "m", ""), "");
  rig_work(&b.rig);
  expect(&b.wire, "{$J,'id':1,'result':{'total':3,$C}}");
  end(&b);
}

static void hears_notifications_of_the_program(void **state) {
  bench b;
  (void)state;
  begin(&b);
  assert_int_equal(
      add(&b, (mcp_method){.name = "n/mine", .is_notification = 1}), 0);
  exchange(&b.wire, "{$J,'method':'n/mine'}", "");
  exchange(&b.wire, "{$J,'method':'n/mine','params':{$M{}}}", "");
  assert_int_equal(b.notified, 2);
  exchange(&b.wire, ASK("1", "n/mine", ""),
           ERROR("1", "-32601", "unknown method: \\\"n/mine\\\""));
  assert_int_equal(b.notified, 2);
  end(&b);
}

typedef struct pile {
  mcp_call *calls[4];
  size_t count;
} pile;

static int on_pile(mcp_call *call, void *userdata) {
  pile *p = userdata;
  p->calls[p->count++] = call;
  return mcp_call_defer(call);
}

static void notifications_cannot_be_piled_up(void **state) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .max_calls = 2};
  pile p = {.count = 0};
  const mcp_method method = {.size = MCP_METHOD_INIT,
                             .name = "n/pile",
                             .is_notification = 1,
                             .handler = on_pile,
                             .userdata = &p};
  bench b;
  (void)state;
  memset(&b, 0, sizeof(b));
  assert_int_equal(rig_init(&b.rig, &options, NULL), 0);
  assert_int_equal(mcp_server_add_method(b.rig.server, &method), 0);
  assert_int_equal(wire_connect(&b.wire, &b.rig, NULL), 0);
  for (int i = 0; i < 3; i++) {
    exchange(&b.wire, "{$J,'method':'n/pile','params':{$M{}}}", "");
  }
  assert_int_equal(p.count, 2);
  assert_string_equal(
      b.rig.reports.bytes,
      "n/pile: dropped: too many requests at once: a connection may have 2 in "
      "flight "
      "(max_calls): wait for an answer, then try again");
  assert_int_equal(mcp_call_reply_json(p.calls[0], "{}"), MCP_ERR_GONE);
  exchange(&b.wire, "{$J,'method':'n/pile','params':{$M{}}}", "");
  assert_int_equal(p.count, 3);
  mcp_call_drop(p.calls[1]);
  mcp_call_drop(p.calls[2]);
  end(&b);
}

static void refuses_methods_that_are_none(void **state) {
  static const mcp_method methods[] = {
      {.name = NULL},
      {.name = ""},
      {.name = "\xff"},
      {.name = "tools/call"},
      {.name = "m", .first_revision = "1999-01-01"},
      {.name = "m", .last_revision = "latest"},
      {.name = "m", .extension = "\xff"},
      {.name = "m", .extension = "reports"}};
  bench b;
  (void)state;
  begin(&b);
  for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
    assert_int_equal(add(&b, methods[i]), MCP_ERR_INVALID);
  }
  assert_string_equal(mcp_server_error(b.rig.server)->message,
                      "8 failures, the first: method: name is missing");
  assert_int_equal(add(&b, (mcp_method){.name = "m"}), 0);
  assert_int_equal(add(&b, (mcp_method){.name = "m"}), MCP_ERR_EXISTS);
  assert_int_equal(
      add(&b, (mcp_method){.name = "x", .params = MCP_SCHEMA_TEXT("{")}),
      MCP_ERR_PARSE);
  const mcp_method no_handler = {.size = MCP_METHOD_INIT, .name = "y"};
  assert_int_equal(mcp_server_add_method(b.rig.server, &no_handler),
                   MCP_ERR_INVALID);
  const mcp_method no_size = {.name = "y", .handler = on_report};
  assert_int_equal(mcp_server_add_method(b.rig.server, &no_size),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_method(NULL, NULL), MCP_ERR_INVALID);
  end(&b);
}

/* --- declarations ------------------------------------------------------- */

static void declares_extensions_and_experiments(void **state) {
  bench b;
  (void)state;
  begin(&b);
  mcp_server *server = b.rig.server;
  assert_int_equal(mcp_server_add_extension(server, "com.example/a", NULL), 0);
  assert_int_equal(
      mcp_server_add_extension(server, "com.example/b", "{\"x\": 1}"), 0);
  assert_int_equal(mcp_server_add_experimental(server, "e", NULL), 0);
  mcp_server_enable_logging(server);
  exchange(&b.wire, ASK("1", "server/discover", ""),
           "{$J,'id':1,'result':{'supportedVersions':[" MODERN_NAMES_1 ","
           "'2025-11-25','2025-06-18','2025-03-26','2024-11-05'],"
           "'capabilities':{'logging':{},'experimental':{'e':{}},"
           "'extensions':{'com.example/a':{},'com.example/b':{'x': 1}}},"
           "'resultType':'complete','ttlMs':0,'cacheScope':'private',$I}}");
  exchange(&b.wire,
           LEGACY_ASK("1", "initialize",
                      "'protocolVersion':'2025-11-25','capabilities':{},"
                      "'clientInfo':{}"),
           "{$J,'id':1,'result':{'protocolVersion':'2025-11-25',"
           "'capabilities':{'logging':{},'experimental':{'e':{}},"
           "'extensions':{'com.example/a':{},'com.example/b':{'x': 1}}},"
           "'serverInfo':{'name':'test','version':'1'}}}");
  end(&b);
}

static void refuses_declarations_that_are_none(void **state) {
  bench b;
  (void)state;
  begin(&b);
  mcp_server *server = b.rig.server;
  assert_int_equal(mcp_server_add_extension(server, "com.example/a", NULL), 0);
  assert_null(mcp_server_error(server));
  assert_int_equal(mcp_server_add_extension(server, "com.example/a", NULL),
                   MCP_ERR_EXISTS);
  assert_string_equal(mcp_server_error(server)->message,
                      "extension \"com.example/a\": already exists");
  assert_int_equal(mcp_server_add_extension(server, NULL, NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_extension(server, "\xff", NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_extension(server, "com.example/b", "[]"),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_experimental(server, "b", "{"),
                   MCP_ERR_PARSE);
  assert_int_equal(mcp_server_add_experimental(server, "", NULL),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_extension(server, "com.example/b", NULL), 0);
  end(&b);
}

static void an_extension_has_a_prefix_and_a_name(void **state) {
  static const char *const bad[] = {
      "reports",         "/reports",       "com.example/",   "com..example/a",
      ".example/a",      "com.example./a", "1com.example/a", "-com.example/a",
      "com-.example/a",  "com.ex_ample/a", "com.example/-a", "com.example/a.",
      "com.example/a/b", "com.example/a b"};
  static const char *const good[] = {"a/b", "com.example/reports",
                                     "io.modelcontextprotocol/ui",
                                     "x-1.y2/A_b-c.1"};
  bench b;
  (void)state;
  begin(&b);
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    assert_int_equal(mcp_server_add_extension(b.rig.server, good[i], NULL), 0);
  }
  assert_null(mcp_server_error(b.rig.server));
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_int_equal(mcp_server_add_extension(b.rig.server, bad[i], NULL),
                     MCP_ERR_INVALID);
  }
  assert_string_equal(mcp_server_error(b.rig.server)->message,
                      "14 failures, the first: extension \"reports\": the id "
                      "must have a prefix and a name, such as "
                      "\"com.example/reports\"");
  end(&b);
}

static void an_experiment_is_named_as_one(void **state) {
  bench b;
  (void)state;
  begin(&b);
  assert_int_equal(mcp_server_add_experimental(b.rig.server, "x", NULL), 0);
  assert_int_equal(mcp_server_add_experimental(b.rig.server, "x", NULL),
                   MCP_ERR_EXISTS);
  assert_string_equal(mcp_server_error(b.rig.server)->message,
                      "experimental capability \"x\": already exists");
  end(&b);
}

static void refuses_filters_that_are_none(void **state) {
  bench b;
  (void)state;
  begin(&b);
  mcp_server *server = b.rig.server;
  assert_int_equal(mcp_server_add_listen_filter(server, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_server_add_listen_filter(server, "toolsListChanged"),
                   MCP_ERR_EXISTS);
  assert_int_equal(mcp_server_add_listen_filter(server, "\xff"),
                   MCP_ERR_INVALID);
  for (int i = 0; i < 32; i++) {
    char name[20];
    snprintf(name, sizeof(name), "f%d", i);
    assert_int_equal(mcp_server_add_listen_filter(server, name), 0);
  }
  assert_int_equal(mcp_server_add_listen_filter(server, "f0"), MCP_ERR_EXISTS);
  assert_int_equal(mcp_server_add_listen_filter(server, "f32"), MCP_ERR_LIMIT);
  end(&b);
}

/* --- configuring -------------------------------------------------------- */

static void is_configured_before_all_else(void **state) {
  const mcp_server_options good = {.size = MCP_SERVER_OPTIONS_INIT};
  mcp_error err;
  (void)state;
  mcp_server *server = mcp_server_new("n", "v");
  assert_non_null(server);
  assert_int_equal(mcp_server_configure(server, &good, &err), 0);
  assert_int_equal(mcp_server_configure(server, &good, &err), 0);
  mcp_server_add_extension(server, "com.example/x", NULL);
  assert_int_equal(mcp_server_configure(server, &good, &err), MCP_ERR_BUSY);
  assert_string_equal(err.message, "configure before anything is registered");
  mcp_server_free(server);
  mcp_server_free(NULL);
}

static void refuses_options_that_are_none(void **state) {
  const mcp_icon icon = {.src = "http://example.com/"};
  const mcp_server_options bad[] = {
      {.size = 0},
      {.size = MCP_SERVER_OPTIONS_INIT, .eras = 4},
      {.size = MCP_SERVER_OPTIONS_INIT, .title = "\xff"},
      {.size = MCP_SERVER_OPTIONS_INIT, .description = "\xff"},
      {.size = MCP_SERVER_OPTIONS_INIT, .website_url = "\xff"},
      {.size = MCP_SERVER_OPTIONS_INIT, .instructions = "\xff"},
      {.size = MCP_SERVER_OPTIONS_INIT, .state_key_count = 1},
      {.size = MCP_SERVER_OPTIONS_INIT, .max_depth = 129},
      {.size = MCP_SERVER_OPTIONS_INIT, .max_kept_bytes = 8191},
      {.size = MCP_SERVER_OPTIONS_INIT, .icons = &icon, .icon_count = 1}};
  mcp_error err;
  (void)state;
  mcp_server *server = mcp_server_new("n", "v");
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_int_equal(mcp_server_configure(server, &bad[i], &err),
                     MCP_ERR_INVALID);
  }
  assert_int_equal(mcp_server_configure(server, NULL, &err), MCP_ERR_INVALID);
  assert_int_equal(mcp_server_configure(NULL, &bad[0], &err), MCP_ERR_INVALID);
  assert_string_equal(strchr(mcp_server_error(server)->message, ' '),
                      " failures, the first: mcp_server_options has no size: "
                      "initialise it with MCP_SERVER_OPTIONS_INIT");
  assert_null(mcp_server_new(NULL, "1"));
  assert_null(mcp_server_userdata(server));
  mcp_server_free(server);
  server = mcp_server_new("\xff", "v");
  assert_int_equal(mcp_server_error(server)->code, MCP_ERR_INVALID);
  mcp_server_free(server);
}

static void refuses_to_connect_what_is_none(void **state) {
  const mcp_connection_options no_size = {.principal = "x"};
  mcp_transport broken = {.size = MCP_TRANSPORT_INIT};
  mcp_transport *a;
  mcp_transport *z;
  server_rig rig;
  mcp_error err;
  (void)state;
  assert_int_equal(rig_init(&rig, NULL, NULL), 0);
  assert_int_equal(
      mcp_server_connect(rig.server, rig.loop, NULL, NULL, NULL, &err),
      MCP_ERR_INVALID);
  assert_int_equal(
      mcp_server_connect(rig.server, rig.loop, &broken, NULL, NULL, &err),
      MCP_ERR_INVALID);
  assert_int_equal(mcp_memory_pair(rig.loop, &a, &z), 0);
  assert_int_equal(
      mcp_server_connect(rig.server, rig.loop, a, &no_size, NULL, &err),
      MCP_ERR_INVALID);
  mcp_transport_free(z);
  assert_int_equal(mcp_server_connection_count(rig.server), 0);
  assert_int_equal(mcp_server_connection_count(NULL), 0);
  rig_deinit(&rig);
}

/* --- memory ------------------------------------------------------------- */

static int extend(const mcp_allocator *allocator, void *userdata) {
  const mcp_method method = {.size = MCP_METHOD_INIT,
                             .name = "m",
                             .extension = "com.example/x",
                             .params = MCP_SCHEMA_TEXT("{\"type\":\"object\"}"),
                             .handler = on_report};
  server_rig rig;
  (void)userdata;
  int rc = rig_init(&rig, NULL, allocator);
  if (rc != 0) {
    return rc;
  }
  rc = mcp_server_add_method(rig.server, &method);
  if (rc == 0) {
    rc = mcp_server_add_extension(rig.server, "com.example/x", "{\"a\":1}");
  }
  if (rc == 0) {
    rc = mcp_server_add_experimental(rig.server, "y", NULL);
  }
  if (rc == 0) {
    rc = mcp_server_add_listen_filter(rig.server, "z");
  }
  rig_deinit(&rig);
  return rc;
}

static void survives_each_failed_allocation(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(extend, NULL) > 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(serves_methods_of_the_program),
      cmocka_unit_test(keeps_methods_to_their_revisions),
      cmocka_unit_test(wants_the_methods_extension),
      cmocka_unit_test(checks_the_methods_params),
      cmocka_unit_test(runs_methods_on_the_pool),
      cmocka_unit_test(hears_notifications_of_the_program),
      cmocka_unit_test(notifications_cannot_be_piled_up),
      cmocka_unit_test(refuses_methods_that_are_none),
      cmocka_unit_test(declares_extensions_and_experiments),
      cmocka_unit_test(refuses_declarations_that_are_none),
      cmocka_unit_test(an_extension_has_a_prefix_and_a_name),
      cmocka_unit_test(an_experiment_is_named_as_one),
      cmocka_unit_test(refuses_filters_that_are_none),
      cmocka_unit_test(is_configured_before_all_else),
      cmocka_unit_test(refuses_options_that_are_none),
      cmocka_unit_test(refuses_to_connect_what_is_none),
      cmocka_unit_test(survives_each_failed_allocation),
  };
  return cmocka_run_group_tests_name("server_extend", tests, NULL, NULL);
}
