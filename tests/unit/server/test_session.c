/* SPDX-License-Identifier: MIT */
/* Both eras on one connection, the handshake, and what a session lives
 * through. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/revisions.h"
#include "support/server_rig.h"
#include <stdio.h>
#include <string.h>

#define INITIALIZE(revision)                                                   \
  "{$J,'id':1,'method':'initialize','params':{'protocolVersion':'" revision    \
  "','capabilities':{},'clientInfo':{'name':'c','version':'2'}}}"
#define INITIALIZED "{$J,'method':'notifications/initialized'}"
#define AGREED(revision, capabilities)                                         \
  "{$J,'id':1,'result':{'protocolVersion':'" revision                          \
  "','capabilities':" capabilities                                             \
  ",'serverInfo':{'name':'test','version':'1'}}}"
#define VERSIONS                                                               \
  "[" MODERN_NAMES_1 ",'2025-11-25','2025-06-18','2025-03-26','2024-11-05']"

static int on_where(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_textf(call, "%s %s", mcp_call_revision(call),
                              mcp_call_session(call) != NULL ? "session"
                                                             : "none");
}

static int add_where(server_rig *rig) {
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT, .name = "where", .handler = on_where};
  return mcp_server_add_tool(rig->server, &tool);
}

typedef struct bench {
  server_rig rig;
  rig_wire wire;
} bench;

static void begin(bench *b, const mcp_server_options *options) {
  assert_int_equal(rig_init(&b->rig, options, NULL), 0);
  assert_int_equal(add_where(&b->rig), 0);
  assert_int_equal(wire_connect(&b->wire, &b->rig, NULL), 0);
}

static void end(bench *b) {
  mcp_server_free(b->rig.server);
  b->rig.server = NULL;
  rig_turn(&b->rig);
  wire_deinit(&b->wire);
  rig_deinit(&b->rig);
}

/* --- the handshake ------------------------------------------------------ */

static void agrees_on_each_legacy_revision(void **state) {
  static const char *const revisions[] = {"2024-11-05", "2025-03-26",
                                          "2025-06-18", "2025-11-25"};
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    bench b;
    char message[300];
    char expected[300];
    begin(&b, NULL);
    snprintf(message, sizeof(message), INITIALIZE("%s"), revisions[i]);
    snprintf(expected, sizeof(expected),
             AGREED("%s", "{'tools':{'listChanged':true}}"), revisions[i]);
    exchange(&b.wire, message, expected);
    end(&b);
  }
}

static void offers_the_newest_legacy_revision_otherwise(void **state) {
  static const char *const wanted[] = {"2023-01-01", NEWEST_REVISION,
                                       "2031-01-01", ""};
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    bench b;
    char message[300];
    begin(&b, NULL);
    snprintf(message, sizeof(message), INITIALIZE("%s"), wanted[i]);
    exchange(&b.wire, message,
             AGREED("2025-11-25", "{'tools':{'listChanged':true}}"));
    end(&b);
  }
}

static void refuses_a_second_initialize(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, INITIALIZE("2025-06-18"),
           AGREED("2025-06-18", "{'tools':{'listChanged':true}}"));
  exchange(&b.wire, INITIALIZE("2025-11-25"),
           "{$J,'id':1,'error':{'code':-32600,"
           "'message':'this connection is initialized already'}}");
  exchange(&b.wire,
           "{$J,'id':2,'method':'tools/call','params':{'name':'where'}}",
           "{$J,'id':2,'result':{'content':[{'type':'text',"
           "'text':'2025-06-18 session'}]}}");
  end(&b);
}

static void refuses_what_initialize_lacks(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire,
           "{$J,'id':1,'method':'initialize','params':{'protocolVersion':"
           "'2025-06-18','clientInfo':{}}}",
           "{$J,'id':1,'error':{'code':-32602,'message':"
           "'params.capabilities is missing: it must be an object'}}");
  exchange(&b.wire, INITIALIZE("2025-06-18"),
           AGREED("2025-06-18", "{'tools':{'listChanged':true}}"));
  end(&b);
}

static void answers_ping_before_and_after(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, "{$J,'id':'p','method':'ping'}",
           "{$J,'id':'p','result':{}}");
  wire_initialize(&b.wire, "2024-11-05", "{}");
  exchange(&b.wire, "{$J,'id':2,'method':'ping','params':{}}",
           "{$J,'id':2,'result':{}}");
  end(&b);
}

static void wants_initialize_before_requests(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, "{$J,'id':1,'method':'tools/list'}",
           "{$J,'id':1,'error':{'code':-32600,"
           "'message':'send initialize first'}}");
  exchange(&b.wire, INITIALIZED, "");
  exchange(&b.wire, "{$J,'id':2,'method':'what/ever'}",
           "{$J,'id':2,'error':{'code':-32600,"
           "'message':'send initialize first'}}");
  end(&b);
}

static void does_without_initialized(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  wire_send(&b.wire, INITIALIZE("2025-03-26"));
  exchange(
      &b.wire, "{$J,'id':2,'method':'tools/call','params':{'name':'where'}}",
      AGREED(
          "2025-03-26",
          "{'tools':{'listChanged':true}}") "\n"
                                            "{$J,'id':2,'result':{'content':[{'"
                                            "type':'text',"
                                            "'text':'2025-03-26 session'}]}}");
  exchange(&b.wire, INITIALIZED, "");
  exchange(&b.wire, INITIALIZED, "");
  end(&b);
}

static void tells_all_of_itself(void **state) {
  const mcp_icon icon = {.src = "https://example.com/i.png"};
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .title = "Test",
                                      .description = "For tests",
                                      .website_url = "https://example.com/",
                                      .icons = &icon,
                                      .icon_count = 1,
                                      .instructions = "Be brief"};
  bench b;
  (void)state;
  begin(&b, &options);
  exchange(&b.wire, INITIALIZE("2025-11-25"),
           "{$J,'id':1,'result':{'protocolVersion':'2025-11-25',"
           "'capabilities':{'tools':{'listChanged':true}},'serverInfo':{"
           "'name':'test','version':'1','title':'Test',"
           "'description':'For tests','websiteUrl':'https://example.com/',"
           "'icons':[{'src':'https://example.com/i.png'}]},"
           "'instructions':'Be brief'}}");
  end(&b);
}

static int on_complete(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply(call);
}

static void declares_what_each_revision_has(void **state) {
  static const char features[] =
      "{'tools':{'listChanged':true},'prompts':{'listChanged':true},"
      "'resources':{'subscribe':true,'listChanged':true},%s'logging':{}}";
  static const char *const revisions[] = {"2024-11-05", "2025-03-26"};
  static const char *const completions[] = {"", "'completions':{},"};
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    bench b;
    char message[300];
    char capabilities[300];
    char expected[600];
    begin(&b, NULL);
    const mcp_prompt prompt = {.size = MCP_PROMPT_INIT,
                               .name = "p",
                               .handler = on_where,
                               .complete = on_complete};
    const mcp_resource resource = {
        .size = MCP_RESOURCE_INIT, .uri = "a:1", .name = "a", .text = "x"};
    mcp_server_add_prompt(b.rig.server, &prompt);
    mcp_server_add_resource(b.rig.server, &resource);
    mcp_server_enable_logging(b.rig.server);
    snprintf(message, sizeof(message), INITIALIZE("%s"), revisions[i]);
    snprintf(capabilities, sizeof(capabilities), features, completions[i]);
    snprintf(expected, sizeof(expected), AGREED("%s", "%s"), revisions[i],
             capabilities);
    exchange(&b.wire, message, expected);
    end(&b);
  }
}

static char agreed[20];

static void note_version(mcp_transport *transport, const char *version) {
  (void)transport;
  strcpy(agreed, version);
}

static void tells_the_transport_what_was_agreed(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  agreed[0] = '\0';
  b.wire.server_end->set_protocol_version = note_version;
  wire_send(&b.wire, INITIALIZE("2025-06-18"));
  rig_turn(&b.rig);
  assert_string_equal(agreed, "2025-06-18");
  end(&b);
}

/* --- both eras ---------------------------------------------------------- */

#define DISCOVER "{$J,'id':'d','method':'server/discover','params':{$M{}}}"
#define DISCOVERED                                                             \
  "{$J,'id':'d','result':{'supportedVersions':" VERSIONS                       \
  ",'capabilities':{'tools':{'listChanged':true}},'resultType':'complete',"    \
  "'ttlMs':0,'cacheScope':'private',$I}}"

static void serves_both_eras_on_one_connection(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, DISCOVER, DISCOVERED);
  exchange(&b.wire, INITIALIZE("2025-06-18"),
           AGREED("2025-06-18", "{'tools':{'listChanged':true}}"));
  exchange(&b.wire,
           "{$J,'id':2,'method':'tools/call','params':{'name':'where',$M{}}}",
           "{$J,'id':2,'result':{'content':[{'type':'text',"
           "'text':'" NEWEST_REVISION " none'}],$C}}");
  exchange(&b.wire,
           "{$J,'id':3,'method':'tools/call','params':{'name':'where'}}",
           "{$J,'id':3,'result':{'content':[{'type':'text',"
           "'text':'2025-06-18 session'}]}}");
  exchange(&b.wire, DISCOVER, DISCOVERED);
  end(&b);
}

static void keeps_the_eras_methods_apart(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire,
           "{$J,'id':1,'method':'initialize','params':{'protocolVersion':"
           "'" NEWEST_REVISION "','capabilities':{},'clientInfo':{},$M{}}}",
           "{$J,'id':1,'error':{'code':-32601,"
           "'message':'unknown method: \\\"initialize\\\"'}}");
  end(&b);
}

static void refuses_a_version_that_it_does_not_serve(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(
      &b.wire,
      "{$J,'id':1,'method':'tools/list','params':{'_meta':{"
      "'io.modelcontextprotocol/protocolVersion':'2031-01-01',"
      "'io.modelcontextprotocol/clientCapabilities':{}}}}",
      "{$J,'id':1,'error':{'code':-32022,'message':'protocol version "
      "\\\"2031-01-01\\\" is not served here','data':{'supported':" VERSIONS
      ",'requested':'2031-01-01'}}}");
  end(&b);
}

static void refuses_a_malformed_envelope(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire,
           "{$J,'id':1,'method':'tools/list','params':{'_meta':{"
           "'io.modelcontextprotocol/protocolVersion':'" NEWEST_REVISION "'}}}",
           "{$J,'id':1,'error':{'code':-32602,'message':'params._meta["
           "\\\"io.modelcontextprotocol/clientCapabilities\\\"] must be an "
           "object'}}");
  exchange(&b.wire,
           "{$J,'method':'notifications/initialized','params':{'_meta':{"
           "'io.modelcontextprotocol/protocolVersion':7}}}",
           "");
  end(&b);
}

static void serves_one_era_alone(void **state) {
  const mcp_server_options modern = {.size = MCP_SERVER_OPTIONS_INIT,
                                     .eras = MCP_ERA_MODERN};
  const mcp_server_options legacy = {.size = MCP_SERVER_OPTIONS_INIT,
                                     .eras = MCP_ERA_LEGACY};
  bench b;
  (void)state;
  begin(&b, &modern);
  exchange(&b.wire, INITIALIZE("2025-06-18"),
           "{$J,'id':1,'error':{'code':-32022,'message':'protocol version "
           "\\\"2025-06-18\\\" is not served "
           "here','data':{'supported':[" MODERN_NAMES_1
           "],'requested':'2025-06-18'}}}");
  exchange(&b.wire, "{$J,'id':2,'method':'tools/list'}",
           "{$J,'id':2,'error':{'code':-32022,'message':'the request names no "
           "protocol version','data':{'supported':[" MODERN_NAMES_1 "],"
           "'requested':''}}}");
  exchange(&b.wire, INITIALIZED, "");
  end(&b);
  begin(&b, &legacy);
  exchange(&b.wire, DISCOVER,
           "{$J,'id':'d','error':{'code':-32022,'message':'protocol version "
           "\\\"" NEWEST_REVISION
           "\\\" is not served here','data':{'supported':["
           "'2025-11-25','2025-06-18','2025-03-26','2024-11-05'],"
           "'requested':'" NEWEST_REVISION "'}}}");
  exchange(&b.wire, INITIALIZE("2025-06-18"),
           AGREED("2025-06-18", "{'tools':{'listChanged':true}}"));
  end(&b);
}

/* --- batches ------------------------------------------------------------ */

static void takes_batches_where_they_belong(void **state) {
  static const char batch[] = "[{$J,'id':1,'method':'ping'},"
                              "{$J,'method':'notifications/initialized'},"
                              "{$J,'id':2,'method':'ping'}]";
  bench b;
  (void)state;
  begin(&b, NULL);
  exchange(&b.wire, batch,
           "{$J,'error':{'code':-32600,"
           "'message':'a batch, where none is allowed'}}");
  wire_initialize(&b.wire, "2025-03-26", "{}");
  exchange(&b.wire, batch, "{$J,'id':1,'result':{}}\n{$J,'id':2,'result':{}}");
  end(&b);
  begin(&b, NULL);
  wire_initialize(&b.wire, "2025-06-18", "{}");
  exchange(&b.wire, batch,
           "{$J,'error':{'code':-32600,"
           "'message':'a batch, where none is allowed'}}");
  end(&b);
}

static void refuses_modern_requests_in_a_batch(void **state) {
  bench b;
  (void)state;
  begin(&b, NULL);
  wire_initialize(&b.wire, "2025-03-26", "{}");
  exchange(&b.wire,
           "[{$J,'id':1,'method':'tools/list','params':{$M{}}},"
           "{$J,'method':'notifications/x','params':{$M{}}},"
           "{$J,'id':2,'method':'ping'}]",
           "{$J,'id':1,'error':{'code':-32600,"
           "'message':'a modern request in a batch'}}\n"
           "{$J,'id':2,'result':{}}");
  end(&b);
}

/* --- the program's view ------------------------------------------------- */

typedef struct story {
  char text[400];
  int closes; /* in the opened callback */
} story;

static story *story_of(mcp_server *server) {
  return mcp_server_userdata(server);
}

static void note(story *s, const char *what) {
  strncat(s->text, what, sizeof(s->text) - strlen(s->text) - 1);
}

static void on_opened(mcp_server *server, mcp_session *session,
                      void *userdata) {
  story *s = userdata;
  assert_ptr_equal(s, story_of(server));
  note(s, "opened ");
  note(s, mcp_session_revision(session));
  note(s, " ");
  note(s,
       mcp_json_string(mcp_json_get(mcp_session_client_info(session), "name")));
  note(s, " ");
  mcp_session_set_userdata(session, s);
  if (s->closes) {
    mcp_server_free(server);
  }
}

static const char *fake_id(mcp_transport *transport) {
  (void)transport;
  return "s7";
}

static void keep_id(mcp_server *server, mcp_session *session, void *userdata) {
  (void)server;
  const char *id = mcp_session_id(session);
  note(userdata, id != NULL ? id : "none ");
}

static void a_session_has_the_id_of_its_transport(void **state) {
  story s = {0};
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .userdata = &s,
                                      .on_session_opened = keep_id,
                                      .on_session_closed = keep_id};
  bench b;
  (void)state;
  begin(&b, &options);
  wire_send(&b.wire, INITIALIZE("2025-06-18"));
  wire_send(&b.wire, INITIALIZED);
  rig_turn(&b.rig);
  assert_string_equal(s.text, "none ");
  b.wire.server_end->session_id = fake_id;
  mcp_connection_close(b.wire.connection, 0);
  rig_turn(&b.rig);
  assert_string_equal(s.text, "none s7");
  assert_null(mcp_session_id(NULL));
  end(&b);
}

static void on_closed(mcp_server *server, mcp_session *session,
                      void *userdata) {
  (void)server;
  assert_ptr_equal(mcp_session_userdata(session), userdata);
  assert_int_equal(mcp_json_type(mcp_session_client_capabilities(session)),
                   MCP_JSON_OBJECT);
  note(userdata, "closed ");
}

static mcp_server_options story_options(story *s) {
  return (mcp_server_options){.size = MCP_SERVER_OPTIONS_INIT,
                              .userdata = s,
                              .on_session_opened = on_opened,
                              .on_session_closed = on_closed};
}

static void tells_of_opening_and_closing_once(void **state) {
  story s = {0};
  mcp_server_options options = story_options(&s);
  bench b;
  (void)state;
  begin(&b, &options);
  wire_send(&b.wire, INITIALIZE("2025-06-18"));
  rig_turn(&b.rig);
  assert_string_equal(s.text, "");
  wire_send(&b.wire, "{$J,'id':2,'method':'ping'}");
  rig_turn(&b.rig);
  assert_string_equal(s.text, "");
  wire_send(&b.wire, INITIALIZED);
  wire_send(&b.wire, INITIALIZED);
  wire_send(&b.wire, "{$J,'id':3,'method':'tools/list'}");
  rig_turn(&b.rig);
  assert_string_equal(s.text, "opened 2025-06-18 c ");
  mcp_connection_close(b.wire.connection, 0);
  rig_turn(&b.rig);
  assert_string_equal(s.text, "opened 2025-06-18 c closed ");
  assert_int_equal(b.wire.close_count, 1);
  assert_true(b.wire.is_closed);
  end(&b);
  assert_string_equal(s.text, "opened 2025-06-18 c closed ");
}

static void opens_with_the_first_request(void **state) {
  story s = {0};
  mcp_server_options options = story_options(&s);
  bench b;
  (void)state;
  begin(&b, &options);
  wire_send(&b.wire, INITIALIZE("2025-06-18"));
  wire_send(&b.wire, "{$J,'id':3,'method':'tools/list'}");
  rig_turn(&b.rig);
  assert_string_equal(s.text, "opened 2025-06-18 c ");
  end(&b);
  assert_string_equal(s.text, "opened 2025-06-18 c closed ");
}

static void tells_nothing_of_a_handshake_never_done(void **state) {
  story s = {0};
  mcp_server_options options = story_options(&s);
  bench b;
  (void)state;
  begin(&b, &options);
  wire_send(&b.wire, INITIALIZE("2025-06-18"));
  rig_turn(&b.rig);
  end(&b);
  assert_string_equal(s.text, "");
}

/* mcp_server_free is silent once it has returned, or the callback has that it
 * was called in. */
static void the_server_may_be_freed_when_a_session_opens(void **state) {
  story s = {.closes = 1};
  mcp_server_options options = story_options(&s);
  bench b;
  (void)state;
  begin(&b, &options);
  wire_send(&b.wire, INITIALIZE("2025-06-18"));
  wire_send(&b.wire,
            "{$J,'id':3,'method':'tools/call','params':{'name':'where'}}");
  rig_turn(&b.rig);
  b.rig.server = NULL;
  assert_string_equal(s.text, "opened 2025-06-18 c closed ");
  assert_int_equal(b.wire.close_count, 1);
  assert_true(b.wire.is_closed);
  end(&b);
}

static void freeing_tells_of_the_end_at_once(void **state) {
  story s = {0};
  mcp_server_options options = story_options(&s);
  bench b;
  (void)state;
  begin(&b, &options);
  wire_initialize(&b.wire, "2025-11-25", "{}");
  mcp_server_free(b.rig.server);
  b.rig.server = NULL;
  assert_string_equal(s.text, "opened 2025-11-25 c closed ");
  assert_int_equal(b.wire.close_count, 1);
  end(&b);
}

static void a_client_that_goes_ends_its_session(void **state) {
  story s = {0};
  mcp_server_options options = story_options(&s);
  bench b;
  (void)state;
  begin(&b, &options);
  wire_initialize(&b.wire, "2025-11-25", "{}");
  b.wire.end->close(b.wire.end);
  rig_turn(&b.rig);
  assert_string_equal(s.text, "opened 2025-11-25 c closed ");
  assert_int_equal(b.wire.close_count, 1);
  assert_int_equal(mcp_server_connection_count(b.rig.server), 0);
  end(&b);
}

/* --- memory ------------------------------------------------------------- */

/* A scenario that answers are not looked at: whatever fails, nothing is lost
 * but the answer. */
static int handshake(const mcp_allocator *allocator, void *userdata) {
  server_rig rig;
  rig_wire wire = {0};
  (void)userdata;
  int rc = rig_init(&rig, NULL, allocator);
  if (rc != 0) {
    return rc;
  }
  rc = add_where(&rig);
  if (rc == 0) {
    rc = wire_connect(&wire, &rig, NULL);
  }
  if (rc == 0) {
    wire_send(&wire, DISCOVER);
    wire_send(&wire, INITIALIZE("2025-06-18"));
    wire_send(&wire, INITIALIZED);
    wire_send(&wire,
              "{$J,'id':3,'method':'tools/call','params':{'name':'where'}}");
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
  assert_true(failing_alloc_rerun(handshake, NULL) > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_on_each_legacy_revision),
      cmocka_unit_test(offers_the_newest_legacy_revision_otherwise),
      cmocka_unit_test(refuses_a_second_initialize),
      cmocka_unit_test(refuses_what_initialize_lacks),
      cmocka_unit_test(answers_ping_before_and_after),
      cmocka_unit_test(wants_initialize_before_requests),
      cmocka_unit_test(does_without_initialized),
      cmocka_unit_test(tells_all_of_itself),
      cmocka_unit_test(declares_what_each_revision_has),
      cmocka_unit_test(tells_the_transport_what_was_agreed),
      cmocka_unit_test(serves_both_eras_on_one_connection),
      cmocka_unit_test(keeps_the_eras_methods_apart),
      cmocka_unit_test(refuses_a_version_that_it_does_not_serve),
      cmocka_unit_test(refuses_a_malformed_envelope),
      cmocka_unit_test(serves_one_era_alone),
      cmocka_unit_test(takes_batches_where_they_belong),
      cmocka_unit_test(refuses_modern_requests_in_a_batch),
      cmocka_unit_test(a_session_has_the_id_of_its_transport),
      cmocka_unit_test(tells_of_opening_and_closing_once),
      cmocka_unit_test(opens_with_the_first_request),
      cmocka_unit_test(tells_nothing_of_a_handshake_never_done),
      cmocka_unit_test(the_server_may_be_freed_when_a_session_opens),
      cmocka_unit_test(freeing_tells_of_the_end_at_once),
      cmocka_unit_test(a_client_that_goes_ends_its_session),
      cmocka_unit_test(survives_each_failed_allocation),
  };
  return cmocka_run_group_tests_name("server_session", tests, NULL, NULL);
}
