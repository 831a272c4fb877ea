/* SPDX-License-Identifier: MIT */
/* Which request reaches whom, and what answers those that reach nobody. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/revisions.h"
#include "support/server_rig.h"
#include <stdio.h>
#include <string.h>

typedef struct bench {
  server_rig rig;
  rig_wire wire;
  mcp_call *kept[8]; /* deferred calls */
  int kept_count;
  int hook_rc;
  const char *hook_error;
  char seen[200]; /* what the hooks saw */
} bench;

static int on_echo(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call, mcp_call_method(call));
}

static int on_keep(mcp_call *call, void *userdata) {
  bench *b = userdata;
  b->kept[b->kept_count++] = call;
  return mcp_call_defer(call);
}

static void add_tool(bench *b, const char *name, mcp_call_cb handler) {
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT, .name = name, .handler = handler, .userdata = b};
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool), 0);
}

static void begin(bench *b, const mcp_server_options *options) {
  memset(b, 0, sizeof(*b));
  assert_int_equal(rig_init(&b->rig, options, NULL), 0);
  add_tool(b, "echo", on_echo);
  add_tool(b, "keep", on_keep);
  assert_int_equal(wire_connect(&b->wire, &b->rig, NULL), 0);
}

static void end(bench *b) {
  mcp_server_free(b->rig.server);
  b->rig.server = NULL;
  rig_turn(&b->rig);
  wire_deinit(&b->wire);
  rig_deinit(&b->rig);
}

#define CALL(id, name)                                                         \
  "{$J,'id':" id ",'method':'tools/call','params':{'name':'" name "',$M{}}}"
#define ECHO(id)                                                               \
  "{$J,'id':" id                                                               \
  ",'result':{'content':[{'type':'text','text':'tools/call'}],$C}}"
#define KEPT(id)                                                               \
  "{$J,'id':" id ",'result':{'content':[{'type':'text','text':'kept'}],$C}}"

/* --- methods ------------------------------------------------------------ */

static void names_a_method_that_it_does_not_know(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, "{$J,'id':1,'method':'no/such','params':{$M{}}}",
           "{$J,'id':1,'error':{'code':-32601,"
           "'message':'unknown method: \\\"no/such\\\"'}}");
  wire_initialize(&b.wire, "2025-11-25", "{}");
  exchange(&b.wire, "{$J,'id':1,'method':''}",
           "{$J,'id':1,'error':{'code':-32601,"
           "'message':'unknown method: \\\"\\\"'}}");
  end(&b);
}

static void refuses_methods_of_the_other_era(void **state) {
  static const char *const modern_has_not[] = {
      "ping", "initialize", "logging/setLevel", "resources/subscribe"};
  static const char *const legacy_has_not[] = {"server/discover",
                                               "subscriptions/listen"};
  bench b;
  char message[200];
  char expected[200];
  (void)state;
  begin(&b, NULL);
  mcp_server_enable_logging(b.rig.server);
  for (size_t i = 0; i < 4; i++) {
    snprintf(message, sizeof(message),
             "{$J,'id':1,'method':'%s','params':{$M{}}}", modern_has_not[i]);
    snprintf(expected, sizeof(expected),
             "{$J,'id':1,'error':{'code':-32601,"
             "'message':'unknown method: \\\"%s\\\"'}}",
             modern_has_not[i]);
    exchange(&b.wire, message, expected);
  }
  wire_initialize(&b.wire, "2025-11-25", "{}");
  for (size_t i = 0; i < 2; i++) {
    snprintf(message, sizeof(message), "{$J,'id':1,'method':'%s','params':{}}",
             legacy_has_not[i]);
    snprintf(expected, sizeof(expected),
             "{$J,'id':1,'error':{'code':-32601,"
             "'message':'unknown method: \\\"%s\\\"'}}",
             legacy_has_not[i]);
    exchange(&b.wire, message, expected);
  }
  end(&b);
}

static void refuses_methods_of_the_other_direction(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  wire_initialize(&b.wire, "2025-11-25", "{}");
  exchange(&b.wire, "{$J,'id':1,'method':'sampling/createMessage'}",
           "{$J,'id':1,'error':{'code':-32601,"
           "'message':'unknown method: \\\"sampling/createMessage\\\"'}}");
  /* A notification's name with an id is no request of the protocol's. */
  exchange(&b.wire, "{$J,'id':2,'method':'notifications/initialized'}",
           "{$J,'id':2,'error':{'code':-32601,"
           "'message':'unknown method: \\\"notifications/initialized\\\"'}}");
  end(&b);
}

static void refuses_what_the_server_does_not_offer(void **state) {
  static const char *const methods[] = {
      "prompts/list",        "prompts/get",
      "resources/list",      "resources/templates/list",
      "resources/read",      "resources/subscribe",
      "completion/complete", "logging/setLevel"};
  bench b;
  char message[200];
  char expected[200];
  (void)state;
  begin(&b, NULL);
  wire_initialize(&b.wire, "2025-11-25", "{}");
  for (size_t i = 0; i < 8; i++) {
    snprintf(message, sizeof(message), "{$J,'id':1,'method':'%s'}", methods[i]);
    snprintf(expected, sizeof(expected),
             "{$J,'id':1,'error':{'code':-32601,"
             "'message':'this server does not offer: \\\"%s\\\"'}}",
             methods[i]);
    exchange(&b.wire, message, expected);
  }
  end(&b);
}

static void answers_with_nothing_registered(void **state) {
  server_rig rig;
  rig_wire wire;
  (void)state;
  assert_int_equal(rig_init(&rig, NULL, NULL), 0);
  assert_int_equal(wire_connect(&wire, &rig, NULL), 0);
  exchange(&wire,
           "{$J,'id':1,'method':'initialize','params':{'protocolVersion':"
           "'2025-11-25','capabilities':{},'clientInfo':{}}}",
           "{$J,'id':1,'result':{'protocolVersion':'2025-11-25',"
           "'capabilities':{},'serverInfo':{'name':'test','version':'1'}}}");
  exchange(&wire, "{$J,'id':2,'method':'tools/list'}",
           "{$J,'id':2,'error':{'code':-32601,"
           "'message':'this server does not offer: \\\"tools/list\\\"'}}");
  mcp_server_free(rig.server);
  rig.server = NULL;
  rig_turn(&rig);
  wire_deinit(&wire);
  rig_deinit(&rig);
}

static void goes_on_offering_what_it_once_had(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  mcp_server_remove_tool(b.rig.server, "echo");
  mcp_server_remove_tool(b.rig.server, "keep");
  exchange(&b.wire, "{$J,'id':1,'method':'tools/list','params':{$M{}}}",
           "{$J,'id':1,'result':{'tools':[],'resultType':'complete','ttlMs':0,"
           "'cacheScope':'private',$I}}");
  end(&b);
}

static void checks_params(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, "{$J,'id':1,'method':'tools/call','params':{$M{}}}",
           "{$J,'id':1,'error':{'code':-32602,'message':"
           "'params.name is missing: it must be a string'}}");
  exchange(&b.wire,
           "{$J,'id':2,'method':'tools/call','params':{'name':'echo',"
           "'arguments':[],$M{}}}",
           "{$J,'id':2,'error':{'code':-32602,'message':"
           "'params.arguments must be an object, not an array'}}");
  exchange(&b.wire, "{$J,'id':3,'method':'tools/list','params':[]}",
           "{$J,'id':3,'error':{'code':-32600,"
           "'message':'\\\"params\\\" is not an object'}}");
  end(&b);
}

static void ignores_notifications_that_it_does_not_know(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, "{$J,'method':'notifications/what'}", "");
  exchange(&b.wire, "{$J,'method':'tools/list'}", "");
  wire_initialize(&b.wire, "2025-11-25", "{}");
  exchange(&b.wire, "{$J,'method':'notifications/roots/list_changed'}", "");
  exchange(&b.wire, "{$J,'method':'notifications/message'}", "");
  exchange(&b.wire, CALL("1", "echo"), ECHO("1"));
  end(&b);
}

static void reports_what_it_cannot_read(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  wire_send(&b.wire, "{$J,'id':1,'result':{}}");
  wire_send(&b.wire, "hello");
  rig_turn(&b.rig);
  assert_non_null(strstr(b.rig.reports.bytes, "no request of ours"));
  assert_non_null(strstr(b.wire.text.bytes, "-32700"));
  end(&b);
}

/* --- ids ---------------------------------------------------------------- */

static void echoes_ids_of_every_kind(void **state) {
  static const char *const ids[] = {
      "0",
      "-7",
      "'a'",
      "''",
      "123456789012345678901234567890",
      "'01234567890123456789012345678901234567890123456789012345678'"};
  bench b;
  char message[300];
  char expected[500];
  (void)state;
  begin(&b, NULL);
  for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
    snprintf(message, sizeof(message), CALL("%s", "echo"), ids[i]);
    snprintf(expected, sizeof(expected), ECHO("%s"), ids[i]);
    exchange(&b.wire, message, expected);
  }
  end(&b);
}

static void refuses_an_id_only_while_it_is_in_flight(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, CALL("1", "keep"), "");
  exchange(&b.wire, CALL("1", "echo"),
           "{$J,'id':1,'error':{'code':-32600,"
           "'message':'a request with this id is in flight already'}}");
  exchange(&b.wire, CALL("'1'", "echo"), ECHO("'1'"));
  assert_int_equal(mcp_call_reply_text(b.kept[0], "kept"), 0);
  expect(&b.wire, KEPT("1"));
  exchange(&b.wire, CALL("1", "echo"), ECHO("1"));
  exchange(&b.wire, CALL("1", "echo"), ECHO("1"));
  end(&b);
}

static void limits_the_calls_in_flight(void **state) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .max_calls = 2};
  bench b;
  (void)state;
  begin(&b, &options);
  exchange(&b.wire, CALL("1", "keep"), "");
  exchange(&b.wire, CALL("2", "keep"), "");
  exchange(&b.wire, CALL("3", "echo"),
           "{$J,'id':3,'error':{'code':-32603,"
           "'message':'too many requests at once: a connection may have 2 in "
           "flight (max_calls): wait for an answer, then try again'}}");
  /* Cancelled ones count as long as their handler holds them. */
  exchange(&b.wire,
           "{$J,'method':'notifications/cancelled','params':{'requestId':1}}",
           "");
  exchange(&b.wire, CALL("4", "echo"),
           "{$J,'id':4,'error':{'code':-32603,"
           "'message':'too many requests at once: a connection may have 2 in "
           "flight (max_calls): wait for an answer, then try again'}}");
  assert_int_equal(mcp_call_reply(b.kept[0]), MCP_ERR_GONE);
  exchange(&b.wire, CALL("5", "echo"), ECHO("5"));
  assert_int_equal(mcp_call_reply_text(b.kept[1], "kept"), 0);
  expect(&b.wire, KEPT("2"));
  end(&b);
}

/* --- long ids ----------------------------------------------------------- */

enum { LONGEST_ID = 64 * 1024 };

/* An id of so many letters, in quotes. One at a time. */
static const char *long_id(size_t len) {
  static char id[LONGEST_ID + 4];
  memset(id, 'i', sizeof(id));
  id[0] = '\'';
  id[len + 1] = '\'';
  id[len + 2] = '\0';
  return id;
}

static char long_message[LONGEST_ID + 300];
#define with_id(format, id)                                                    \
  (snprintf(long_message, sizeof(long_message), format, id), long_message)

static void ids_of_64_kb_are_echoed(void **state) {
  bench b;
  char expected[LONGEST_ID + 300];
  (void)state;
  begin(&b, NULL);
  const char *id = long_id(LONGEST_ID);
  snprintf(expected, sizeof(expected), ECHO("%s"), id);
  exchange(&b.wire, with_id(CALL("%s", "echo"), id), expected);
  end(&b);
}

static void a_longer_id_is_refused_and_echoed(void **state) {
  bench b;
  char expected[LONGEST_ID + 300];
  (void)state;
  begin(&b, NULL);
  const char *id = long_id(LONGEST_ID + 1);
  snprintf(expected, sizeof(expected),
           "{$J,'id':%s,'error':{'code':-32600,'message':'\\\"id\\\" is longer "
           "than 65536 bytes'}}",
           id);
  exchange(&b.wire, with_id(CALL("%s", "echo"), id), expected);
  end(&b);
}

static int on_progress(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_progress(call, 1, 0, NULL);
  return mcp_call_reply_text(call, "tools/call");
}

#define LEGACY_TOKEN                                                           \
  "{$J,'id':1,'method':'tools/call','params':{'name':'progress','_meta':{"     \
  "'progressToken':%s}}}"

static void a_progress_token_may_have_64_kb(void **state) {
  static const char refused[] =
      "{$J,'id':1,'error':{'code':-32602,'message':'params._meta["
      "\\\"progressToken\\\"] must be at most 65536 bytes long'}}";
  bench b;
  char expected[LONGEST_ID + 400];
  (void)state;
  begin(&b, NULL);
  add_tool(&b, "progress", on_progress);
  wire_initialize(&b.wire, "2025-11-25", "{}");
  const char *token = long_id(LONGEST_ID);
  snprintf(expected, sizeof(expected),
           "{$J,'method':'notifications/progress','params':{'progressToken':%s,"
           "'progress':1}}\n{$J,'id':1,'result':{'content':[{'type':'text',"
           "'text':'tools/call'}]}}",
           token);
  exchange(&b.wire, with_id(LEGACY_TOKEN, token), expected);
  token = long_id(LONGEST_ID + 1);
  exchange(&b.wire, with_id(LEGACY_TOKEN, token), refused);
  exchange(&b.wire,
           with_id("{$J,'id':1,'method':'tools/call','params':{'name':"
                   "'progress','_meta':{'progressToken':%s,"
                   "'io.modelcontextprotocol/protocolVersion':'" NEWEST_REVISION
                   "',"
                   "'io.modelcontextprotocol/clientCapabilities':{}}}}",
                   token),
           refused);
  end(&b);
}

/* The message takes a block of 256 KB, of which the connection may keep half of
 * the limit. The id is in it, and a copy of the id counts beside it. */
static void a_long_id_counts_as_kept(void **state) {
  static const struct {
    size_t max_kept_bytes;
    int expected;
  } cases[] = {{2 * (256 + 63) * 1024, 0}, {2 * (256 + 64) * 1024, 1}};
  (void)state;
  for (int i = 0; i < 2; i++) {
    const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                        .max_kept_bytes =
                                            cases[i].max_kept_bytes};
    bench b;
    begin(&b, &options);
    wire_send(&b.wire, with_id(CALL("%s", "keep"), long_id(LONGEST_ID)));
    rig_turn(&b.rig);
    assert_int_equal(b.kept_count, cases[i].expected);
    if (b.kept_count > 0) {
      mcp_call_reply_text(b.kept[0], "kept");
    } else {
      assert_non_null(strstr(b.wire.text.bytes, "take too many bytes"));
    }
    rig_turn(&b.rig);
    wire_forget(&b.wire);
    exchange(&b.wire, CALL("7", "echo"), ECHO("7"));
    end(&b);
  }
}

static void a_short_request_fits_the_smallest_max_kept_bytes(void **state) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .max_kept_bytes = 8192};
  bench b;
  (void)state;
  begin(&b, &options);
  exchange(&b.wire, CALL("7", "echo"), ECHO("7"));
  end(&b);
}

/* --- bytes in flight ---------------------------------------------------- */

#define TOO_MANY(id, max)                                                      \
  "{$J,'id':" id ",'error':{'code':-32603,'message':'the requests and "        \
  "sessions of this client take too many bytes: it has its share of " max      \
  " (max_kept_bytes): end one, or try again later'}}"

/* Bytes of a string whose message fits a block of that size, with the memory
 * that its values may need, and no smaller one. */
enum { FITS_16K = 3500, FITS_32K = 7500, FITS_64K = 15000 };

static const char *padded(const char *id, const char *name, int bytes) {
  static char message[40000];
  snprintf(message, sizeof(message),
           "{$J,'id':%s,'method':'tools/call','params':{'name':'%s','pad':"
           "'%*s',$M{}}}",
           id, name, bytes, "");
  return message;
}

/* Blocks of 16 KB: a connection may keep half of what there is, the next one
 * half of the rest. */
static void limits_the_bytes_in_flight(void **state) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .max_kept_bytes = 64 * 1024};
  rig_wire other;
  bench b;
  (void)state;
  begin(&b, &options);
  assert_int_equal(wire_connect(&other, &b.rig, NULL), 0);
  exchange(&b.wire, padded("1", "keep", FITS_16K), "");
  exchange(&b.wire, padded("2", "keep", FITS_16K), "");
  exchange(&b.wire, padded("3", "keep", FITS_16K), TOO_MANY("3", "65536"));
  exchange(&b.wire, padded("3", "echo", 10), TOO_MANY("3", "65536"));
  exchange(&other, padded("1", "echo", 10), ECHO("1"));
  exchange(&other, padded("1", "keep", FITS_16K), "");
  exchange(&other, padded("2", "keep", FITS_16K), TOO_MANY("2", "65536"));
  exchange(&other, padded("2", "echo", 10), TOO_MANY("2", "65536"));
  /* Cancelled ones count as long as their handler holds them. */
  exchange(&b.wire,
           "{$J,'method':'notifications/cancelled','params':{'requestId':1}}",
           "");
  exchange(&b.wire, padded("3", "keep", FITS_16K), TOO_MANY("3", "65536"));
  assert_int_equal(mcp_call_reply(b.kept[0]), MCP_ERR_GONE);
  exchange(&b.wire, padded("3", "echo", 10), ECHO("3"));
  mcp_call_reply_text(b.kept[1], "kept");
  mcp_call_reply_text(b.kept[2], "kept");
  expect(&b.wire, KEPT("2"));
  expect(&other, KEPT("1"));
  exchange(&b.wire, padded("4", "echo", FITS_32K), ECHO("4"));
  exchange(&b.wire, padded("4", "echo", FITS_64K), TOO_MANY("4", "65536"));
  wire_deinit(&other);
  end(&b);
}

/* What a connection that has gone left behind counts until it is let go. */
static void counts_what_the_gone_have_left(void **state) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .max_kept_bytes = 64 * 1024};
  rig_wire others[4];
  bench b;
  (void)state;
  begin(&b, &options);
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(wire_connect(&others[i], &b.rig, NULL), 0);
    wire_send(&others[i], padded("1", "keep", FITS_16K));
    rig_turn(&b.rig);
    mcp_connection_close(others[i].connection, 0);
    rig_turn(&b.rig);
  }
  assert_int_equal(b.kept_count, 3);
  exchange(&b.wire, padded("1", "echo", FITS_16K), TOO_MANY("1", "65536"));
  for (int i = 0; i < 3; i++) {
    assert_int_equal(mcp_call_reply(b.kept[i]), MCP_ERR_GONE);
  }
  exchange(&b.wire, padded("1", "echo", FITS_16K), ECHO("1"));
  for (size_t i = 0; i < 4; i++) {
    wire_deinit(&others[i]);
  }
  end(&b);
}

/* The calls of a batch have its message in common. */
static void counts_a_batch_once(void **state) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .max_kept_bytes = 64 * 1024};
  static char batch[20000];
  bench b;
  (void)state;
  begin(&b, &options);
  wire_initialize(&b.wire, "2025-03-26", "{}");
  snprintf(batch, sizeof(batch),
           "[{$J,'id':1,'method':'tools/call','params':{'name':'keep','pad':"
           "'%*s'}},{$J,'id':2,'method':'tools/call','params':{"
           "'name':'keep'}},{$J,'id':3,'method':'tools/call','params':{"
           "'name':'keep'}}]",
           FITS_16K, "");
  exchange(&b.wire, batch, "");
  assert_int_equal(b.kept_count, 3);
  mcp_call_reply(b.kept[0]);
  mcp_call_reply(b.kept[2]);
  rig_turn(&b.rig);
  wire_forget(&b.wire);
  /* Still 16 KB: as much again, beside the session, is too much. */
  exchange(&b.wire, padded("4", "echo", FITS_16K), TOO_MANY("4", "65536"));
  mcp_call_reply(b.kept[1]);
  rig_turn(&b.rig);
  wire_forget(&b.wire);
  exchange(&b.wire, "{$J,'id':4,'method':'ping'}", "{$J,'id':4,'result':{}}");
  exchange(&b.wire, padded("4", "echo", FITS_16K), ECHO("4"));
  end(&b);
}

static void drops_notifications_past_the_bytes(void **state) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .max_kept_bytes = 64 * 1024};
  static char note[40000];
  bench b;
  (void)state;
  begin(&b, &options);
  const mcp_method method = {.size = MCP_METHOD_INIT,
                             .name = "x/note",
                             .handler = on_keep,
                             .userdata = &b,
                             .is_notification = 1};
  assert_int_equal(mcp_server_add_method(b.rig.server, &method), 0);
  snprintf(note, sizeof(note),
           "{$J,'method':'x/note','params':{'pad':'%*s',$M{}}}", FITS_16K, "");
  exchange(&b.wire, note, "");
  exchange(&b.wire, note, "");
  exchange(&b.wire, note, "");
  assert_int_equal(b.kept_count, 2);
  assert_non_null(strstr(b.rig.reports.bytes,
                         ": dropped: the requests and sessions of this "));
  mcp_call_drop(b.kept[0]);
  mcp_call_drop(b.kept[1]);
  exchange(&b.wire, padded("1", "echo", FITS_16K), ECHO("1"));
  end(&b);
}

/* A session keeps what initialize says of the client, a listen nothing of its
 * message. */
static void sessions_and_listens_keep_little(void **state) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .max_kept_bytes = 512 * 1024};
  static char message[40000];
  rig_wire others[8];
  bench b;
  (void)state;
  begin(&b, &options);
  for (size_t i = 0; i < 8; i++) {
    assert_int_equal(wire_connect(&others[i], &b.rig, NULL), 0);
    snprintf(message, sizeof(message),
             "{$J,'id':1,'method':'initialize','params':{'protocolVersion':"
             "'2025-11-25','capabilities':{'roots':{}},'pad':'%*s',"
             "'clientInfo':{'name':'c%zu','version':'1'}}}",
             20000, "", i);
    wire_send(&others[i], message);
    rig_turn(&b.rig);
    assert_non_null(strstr(others[i].text.bytes, "serverInfo"));
    wire_forget(&others[i]);
    snprintf(message, sizeof(message),
             "{$J,'id':1,'method':'subscriptions/listen','params':{"
             "'notifications':{'toolsListChanged':true},'pad':'%*s',$M{}}}",
             20000, "");
    wire_send(&others[i], message);
    rig_turn(&b.rig);
    assert_non_null(strstr(others[i].text.bytes, "acknowledged"));
    wire_forget(&others[i]);
  }
  mcp_server_remove_tool(b.rig.server, "keep");
  rig_turn(&b.rig);
  for (size_t i = 0; i < 8; i++) {
    assert_non_null(strstr(others[i].text.bytes, "tools/list_changed"));
    wire_deinit(&others[i]);
  }
  end(&b);
}

static void refuses_a_session_that_would_keep_too_much(void **state) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .max_kept_bytes = 400 * 1024};
  static char message[40000];
  bench b;
  (void)state;
  begin(&b, &options);
  snprintf(message, sizeof(message),
           "{$J,'id':1,'method':'initialize','params':{'protocolVersion':"
           "'2025-11-25','capabilities':{},"
           "'clientInfo':{'name':'%*s','version':'1'}}}",
           20000, "");
  exchange(&b.wire, message, TOO_MANY("1", "409600"));
  wire_initialize(&b.wire, "2025-11-25", "{}");
  exchange(&b.wire, "{$J,'id':1,'method':'ping'}", "{$J,'id':1,'result':{}}");
  exchange(&b.wire,
           "{$J,'id':2,'method':'tools/call','params':{'name':'echo'}}",
           "{$J,'id':2,'result':{'content':[{'type':'text',"
           "'text':'tools/call'}]}}");
  end(&b);
}

/* --- the hooks ---------------------------------------------------------- */

static int on_request(mcp_call *call, void *userdata) {
  bench *b = userdata;
  strcat(b->seen, mcp_call_method(call));
  strcat(b->seen, " ");
  if (b->hook_error != NULL) {
    mcp_call_reply_error(call, 7, b->hook_error, NULL);
  }
  return b->hook_rc;
}

static void on_reply(mcp_call *call, const char *reply, size_t len,
                     void *userdata) {
  bench *b = userdata;
  (void)call;
  snprintf(b->seen + strlen(b->seen), sizeof(b->seen) - strlen(b->seen),
           "<%zu:%.6s> ", len, reply);
}

static void begin_with_hooks(bench *b) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .userdata = b,
                                      .on_request = on_request,
                                      .on_reply = on_reply};
  begin(b, &options);
}

static void shows_every_request_and_reply(void **state) {
  bench b;
  (void)state;
  begin_with_hooks(&b);
  exchange(&b.wire, "{$J,'id':1,'method':'no/such','params':{$M{}}}",
           "{$J,'id':1,'error':{'code':-32601,"
           "'message':'unknown method: \\\"no/such\\\"'}}");
  assert_string_equal(b.seen, "<88:{\"json> ");
  b.seen[0] = '\0';
  wire_initialize(&b.wire, "2025-11-25", "{}");
  exchange(&b.wire, "{$J,'id':2,'method':'ping'}", "{$J,'id':2,'result':{}}");
  assert_string_equal(b.seen, "initialize <155:{\"json> ping <36:{\"json> ");
  end(&b);
}

static void lets_the_program_refuse(void **state) {
  bench b;
  (void)state;
  begin_with_hooks(&b);
  b.hook_rc = MCP_ERR_REFUSED;
  exchange(&b.wire, CALL("1", "echo"),
           "{$J,'id':1,'error':{'code':-32603,'message':'refused'}}");
  b.hook_error = "not on Sundays";
  exchange(&b.wire, CALL("1", "echo"),
           "{$J,'id':1,'error':{'code':7,'message':'not on Sundays'}}");
  /* A reply in the hook is one, whatever the hook returns. */
  b.hook_rc = 0;
  exchange(&b.wire, CALL("1", "echo"),
           "{$J,'id':1,'error':{'code':7,'message':'not on Sundays'}}");
  b.hook_error = NULL;
  exchange(&b.wire, CALL("1", "echo"), ECHO("1"));
  end(&b);
}

/* --- memory ------------------------------------------------------------- */

static int talk(const mcp_allocator *allocator, void *userdata) {
  static const char *const lines[] = {
      "{$J,'id':1,'method':'no/such','params':{$M{}}}",
      "{$J,'id':2,'method':'tools/call','params':{$M{}}}", CALL("3", "echo"),
      CALL("'a string that is no short id'", "echo"), CALL("4", "none")};
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT, .name = "echo", .handler = on_echo};
  server_rig rig;
  rig_wire wire = {0};
  (void)userdata;
  int rc = rig_init(&rig, NULL, allocator);
  if (rc != 0) {
    return rc;
  }
  rc = mcp_server_add_tool(rig.server, &tool);
  if (rc == 0) {
    rc = wire_connect(&wire, &rig, NULL);
  }
  for (size_t i = 0; rc == 0 && i < sizeof(lines) / sizeof(lines[0]); i++) {
    wire_send(&wire, lines[i]);
    rig_turn(&rig);
  }
  mcp_server_free(rig.server);
  rig.server = NULL;
  rig_turn(&rig);
  wire_deinit(&wire);
  rig_deinit(&rig);
  return rc;
}

static void survives_each_failed_allocation(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(talk, NULL) > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_a_method_that_it_does_not_know),
      cmocka_unit_test(refuses_methods_of_the_other_era),
      cmocka_unit_test(refuses_methods_of_the_other_direction),
      cmocka_unit_test(refuses_what_the_server_does_not_offer),
      cmocka_unit_test(answers_with_nothing_registered),
      cmocka_unit_test(goes_on_offering_what_it_once_had),
      cmocka_unit_test(checks_params),
      cmocka_unit_test(ignores_notifications_that_it_does_not_know),
      cmocka_unit_test(reports_what_it_cannot_read),
      cmocka_unit_test(echoes_ids_of_every_kind),
      cmocka_unit_test(refuses_an_id_only_while_it_is_in_flight),
      cmocka_unit_test(limits_the_calls_in_flight),
      cmocka_unit_test(ids_of_64_kb_are_echoed),
      cmocka_unit_test(a_longer_id_is_refused_and_echoed),
      cmocka_unit_test(a_progress_token_may_have_64_kb),
      cmocka_unit_test(a_long_id_counts_as_kept),
      cmocka_unit_test(a_short_request_fits_the_smallest_max_kept_bytes),
      cmocka_unit_test(limits_the_bytes_in_flight),
      cmocka_unit_test(counts_what_the_gone_have_left),
      cmocka_unit_test(counts_a_batch_once),
      cmocka_unit_test(drops_notifications_past_the_bytes),
      cmocka_unit_test(sessions_and_listens_keep_little),
      cmocka_unit_test(refuses_a_session_that_would_keep_too_much),
      cmocka_unit_test(shows_every_request_and_reply),
      cmocka_unit_test(lets_the_program_refuse),
      cmocka_unit_test(survives_each_failed_allocation),
  };
  return cmocka_run_group_tests_name("server_dispatch", tests, NULL, NULL);
}
