/* SPDX-License-Identifier: MIT */
/* Scopes that tools, resources and prompts need. The test gives the connection
 * a token's grant, as endpoints do. */
#include "auth/resource/grant.h"
#include "server/connection.h"
#include "server/session.h"
#include "support/server_bench.h"
#include <stdio.h>
#include <string.h>

static mcpi_grant *grant;

static int on_any(mcp_call *call, void *userdata) {
  return mcp_call_reply_text(call, "ran");
}

static int on_read(mcp_call *call, void *userdata) {
  int rc = mcp_call_add_resource_text(call, NULL, NULL, "read");
  return rc == 0 ? mcp_call_reply(call) : rc;
}

static int on_complete(mcp_call *call, void *userdata) {
  return mcp_call_reply(call);
}

static int tear_down(void **state) {
  mcpi_grant_unref(grant);
  grant = NULL;
  return server_bench_tear_down(state);
}

#define SCOPES_TEST(name) TEST_WITH(name, server_bench_set_up, tear_down)

/* From now on messages come with a token that has these scopes. */
static void use_token(server_bench *b, const char *scopes) {
  mcpi_grant *before = grant;
  grant =
      mcpi_grant_new(&b->alloc.allocator, MCPI_STR("anna"), mcpi_str_z(scopes));
  assert_non_null(grant);
  b->wire.connection->caller.grant = grant;
  mcpi_grant_unref(before);
}

static void hide_forbidden(server_bench *b) {
  b->wire.connection->caller.rules.hides_forbidden = 1;
}

static void add_tool(server_bench *b, const char *name, const char *scopes) {
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = name,
                         .handler = on_any,
                         .scopes = scopes};
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool, NULL), 0);
}

static void add_prompt(server_bench *b, const char *name, const char *scopes) {
  const mcp_prompt_argument argument = {.name = "x", .required = 1};
  const mcp_prompt prompt = {.size = sizeof(mcp_prompt),
                             .name = name,
                             .arguments = &argument,
                             .argument_count = 1,
                             .handler = on_any,
                             .complete = on_complete,
                             .scopes = scopes};
  assert_int_equal(mcp_server_add_prompt(b->rig.server, &prompt, NULL), 0);
}

static void add_resource(server_bench *b, const char *uri, const char *scopes) {
  const mcp_resource resource = {.size = sizeof(mcp_resource),
                                 .uri = uri,
                                 .name = "r",
                                 .text = "fixed",
                                 .scopes = scopes};
  assert_int_equal(mcp_server_add_resource(b->rig.server, &resource, NULL), 0);
}

static void add_template(server_bench *b, const char *uri, const char *scopes) {
  const mcp_resource_template tpl = {.size = sizeof(mcp_resource_template),
                                     .uri_template = uri,
                                     .name = "t",
                                     .handler = on_read,
                                     .complete = on_complete,
                                     .scopes = scopes};
  assert_int_equal(mcp_server_add_resource_template(b->rig.server, &tpl, NULL),
                   0);
}

#define REQUEST(id, method, params)                                            \
  "{$J,'id':" id ",'method':'" method "','params':{" params ",$M{}}}"
#define NEEDS(id, what, name, scopes)                                          \
  "{$J,'id':" id ",'error':{'code':-32600,'message':'the " what " \\\"" name   \
  "\\\" needs a token with the scopes \\\"" scopes                             \
  "\\\"','data':{'error':'insufficient_scope','scope':'" scopes "'}}}"

/* ---- entries ------------------------------------------------------------ */

SCOPES_TEST(scopes_must_be_well_formed) {
  server_bench *b = *state;
  static const char *const wrong[] = {" a", "a  b", "a\"", "a\n"};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
    mcp_error err;
    const mcp_tool tool = {.size = sizeof(mcp_tool),
                           .name = "t",
                           .handler = on_any,
                           .scopes = wrong[i]};
    char expected[200];
    snprintf(expected, sizeof(expected),
             "tool \"t\": scopes: \"%s\" is not a list of scopes with one "
             "space between them",
             wrong[i]);
    assert_int_equal(mcp_server_add_tool(b->rig.server, &tool, &err),
                     MCP_ERR_INVALID);
    if (i < 3) {
      assert_string_equal(err.message, expected);
    }
  }
  add_tool(b, "t", "");
  use_token(b, "");
  exchange(&b->wire, MODERN_CALL("1", "t"), RESULT_TEXT("1", "ran"));
}

/* A program with older headers has a structure without the member. */
SCOPES_TEST(an_older_structure_needs_no_scopes) {
  server_bench *b = *state;
  const mcp_tool tool = {.size = offsetof(mcp_tool, scopes),
                         .name = "t",
                         .handler = on_any,
                         .scopes = "not read"};
  assert_int_equal(mcp_server_add_tool(b->rig.server, &tool, NULL), 0);
  use_token(b, "");
  exchange(&b->wire, MODERN_CALL("1", "t"), RESULT_TEXT("1", "ran"));
}

/* ---- what needs them ---------------------------------------------------- */

SCOPES_TEST(a_tool_needs_all_its_scopes) {
  server_bench *b = *state;
  add_tool(b, "t", "a b");
  use_token(b, "a");
  exchange(&b->wire, MODERN_CALL("1", "t"), NEEDS("1", "tool", "t", "a b"));
  use_token(b, "b c a");
  exchange(&b->wire, MODERN_CALL("2", "t"), RESULT_TEXT("2", "ran"));
}

SCOPES_TEST(without_a_token_nothing_is_needed) {
  server_bench *b = *state;
  add_tool(b, "t", "a");
  hide_forbidden(b);
  exchange(&b->wire, MODERN_CALL("1", "t"), RESULT_TEXT("1", "ran"));
}

#define TOKEN_IS_LOST                                                          \
  "this server demands a token, and that of the request is lost"

static int noted;

static int on_note(mcp_call *call, void *userdata) {
  noted++;
  return mcp_call_reply(call);
}

/* As if an endpoint that demands tokens had forgotten to lend one. */
SCOPES_TEST(a_call_needs_a_token_if_its_caller_demands_one) {
  server_bench *b = *state;
  const mcp_method note = {.size = sizeof(mcp_method),
                           .name = "example/note",
                           .is_notification = 1,
                           .handler = on_note};
  noted = 0;
  assert_int_equal(mcp_server_add_method(b->rig.server, &note, NULL), 0);
  add_tool(b, "t", NULL);
  wire_initialize(&b->wire, "2025-11-25", "{}");
  b->wire.connection->caller.rules.demands_token = 1;
  exchange(&b->wire, MODERN_CALL("1", "t"),
           ERROR("1", "-32603", TOKEN_IS_LOST));
  exchange(&b->wire, LEGACY_CALL("2", "t"),
           ERROR("2", "-32603", TOKEN_IS_LOST));
  wire_send(&b->wire, "{$J,'method':'example/note'}");
  rig_turn(&b->rig);
  assert_int_equal(noted, 0);
  assert_non_null(
      strstr(b->rig.reports.bytes, "a request is refused: " TOKEN_IS_LOST));
  use_token(b, "");
  exchange(&b->wire, MODERN_CALL("3", "t"), RESULT_TEXT("3", "ran"));
  wire_send(&b->wire, "{$J,'method':'example/note'}");
  rig_turn(&b->rig);
  assert_int_equal(noted, 1);
}

SCOPES_TEST(a_prompt_is_refused_before_its_arguments_are_read) {
  server_bench *b = *state;
  add_prompt(b, "p", "a");
  use_token(b, "");
  exchange(&b->wire, REQUEST("1", "prompts/get", "'name':'p'"),
           NEEDS("1", "prompt", "p", "a"));
  exchange(&b->wire,
           REQUEST("2", "completion/complete",
                   "'ref':{'type':'ref/prompt','name':'p'},"
                   "'argument':{'name':'unknown','value':''}"),
           NEEDS("2", "prompt", "p", "a"));
  use_token(b, "a");
  exchange(&b->wire, REQUEST("3", "prompts/get", "'name':'p'"),
           ERROR("3", "-32602",
                 "the prompt \\\"p\\\" needs the argument \\\"x\\\""));
}

SCOPES_TEST(a_resource_and_a_template_need_scopes) {
  server_bench *b = *state;
  add_resource(b, "a:1", "one");
  add_template(b, "a:{x}", "many");
  use_token(b, "");
  exchange(&b->wire, REQUEST("1", "resources/read", "'uri':'a:1'"),
           NEEDS("1", "resource", "a:1", "one"));
  exchange(&b->wire, REQUEST("2", "resources/read", "'uri':'a:2'"),
           NEEDS("2", "resource template", "a:{x}", "many"));
  exchange(&b->wire,
           REQUEST("3", "completion/complete",
                   "'ref':{'type':'ref/resource','uri':'a:{x}'},"
                   "'argument':{'name':'x','value':''}"),
           NEEDS("3", "resource template", "a:{x}", "many"));
}

/* A public answer would be for callers without the scope as well. */
SCOPES_TEST(what_needs_scopes_is_private) {
  const mcp_server_options options = {.size = sizeof(mcp_server_options),
                                      .cache_is_public = 1};
  server_bench *b = *state;
  server_bench_restart(b, &options);
  add_resource(b, "a:1", NULL);
  add_resource(b, "a:2", "one");
  use_token(b, "one");
  wire_send(&b->wire, REQUEST("1", "resources/read", "'uri':'a:1'"));
  rig_turn(&b->rig);
  assert_non_null(strstr(b->wire.text.bytes, "\"cacheScope\":\"public\""));
  wire_forget(&b->wire);
  wire_send(&b->wire, REQUEST("2", "resources/read", "'uri':'a:2'"));
  rig_turn(&b->rig);
  assert_non_null(strstr(b->wire.text.bytes, "\"cacheScope\":\"private\""));
  wire_forget(&b->wire);
}

/* ---- subscriptions ------------------------------------------------------ */

SCOPES_TEST(a_subscription_needs_the_scopes_of_its_resource) {
  server_bench *b = *state;
  add_resource(b, "a:1", "one");
  add_template(b, "a:{x}", "many");
  use_token(b, "many");
  wire_initialize(&b->wire, "2025-11-25", "{}");
  exchange(&b->wire,
           "{$J,'id':1,'method':'resources/subscribe','params':{'uri':'a:1'}}",
           NEEDS("1", "resource", "a:1", "one"));
  exchange(&b->wire,
           "{$J,'id':2,'method':'resources/subscribe','params':{'uri':'a:2'}}",
           "{$J,'id':2,'result':{}}");
  exchange(&b->wire,
           "{$J,'id':3,'method':'resources/subscribe','params':{'uri':'b:2'}}",
           "{$J,'id':3,'result':{}}");
  use_token(b, "");
  exchange(&b->wire,
           "{$J,'id':4,'method':'resources/subscribe','params':{'uri':'a:3'}}",
           NEEDS("4", "resource template", "a:{x}", "many"));
}

#define SUBSCRIBE(id, uri)                                                     \
  "{$J,'id':" id ",'method':'resources/subscribe','params':{'uri':'" uri "'}}"
#define DONE(id) "{$J,'id':" id ",'result':{}}"
#define UPDATED(uri)                                                           \
  "{$J,'method':'notifications/resources/updated','params':{'uri':'" uri "'}}"

static void update(server_bench *b, const char *uri) {
  assert_int_equal(mcp_server_resource_updated(b->rig.server, uri), 0);
}

/* The resources are newer than the subscriptions. */
SCOPES_TEST(updates_need_the_scopes_of_their_resource) {
  server_bench *b = *state;
  add_resource(b, "a:0", NULL);
  use_token(b, "many");
  wire_initialize(&b->wire, "2025-11-25", "{}");
  exchange(&b->wire, SUBSCRIBE("1", "b:1"), DONE("1"));
  exchange(&b->wire, SUBSCRIBE("2", "b:2"), DONE("2"));
  exchange(&b->wire, SUBSCRIBE("3", "c:1"), DONE("3"));
  update(b, "b:1");
  expect(&b->wire, UPDATED("b:1"));
  add_resource(b, "b:1", "one");
  add_template(b, "b:{x}", "many");
  rig_turn(&b->rig);
  wire_forget(&b->wire);
  update(b, "b:1");
  expect(&b->wire, "");
  update(b, "b:2");
  expect(&b->wire, UPDATED("b:2"));
  update(b, "c:1");
  expect(&b->wire, UPDATED("c:1"));
  use_token(b, "one");
  exchange(&b->wire, SUBSCRIBE("4", "b:1"), DONE("4"));
  update(b, "b:1");
  expect(&b->wire, UPDATED("b:1"));
  update(b, "b:2");
  expect(&b->wire, "");
  use_token(b, "");
  exchange(&b->wire, SUBSCRIBE("5", "b:1"),
           NEEDS("5", "resource", "b:1", "one"));
  update(b, "b:1");
  expect(&b->wire, "");
}

SCOPES_TEST(the_newest_token_decides_about_updates_until_it_expires) {
  server_bench *b = *state;
  add_resource(b, "a:1", "one");
  add_resource(b, "a:2", NULL);
  use_token(b, "one");
  wire_initialize(&b->wire, "2025-11-25", "{}");
  exchange(&b->wire, SUBSCRIBE("1", "a:1"), DONE("1"));
  exchange(&b->wire, SUBSCRIBE("2", "a:2"), DONE("2"));
  use_token(b, "");
  exchange(&b->wire, "{$J,'id':3,'method':'ping'}", DONE("3"));
  update(b, "a:1");
  expect(&b->wire, "");
  use_token(b, "one");
  exchange(&b->wire, "{$J,'id':4,'method':'ping'}", DONE("4"));
  update(b, "a:1");
  expect(&b->wire, UPDATED("a:1"));
  b->wire.connection->caller.session->grant->expires_ms =
      mcpi_loop_wall(b->rig.loop);
  update(b, "a:1");
  expect(&b->wire, "");
  update(b, "a:2");
  expect(&b->wire, UPDATED("a:2"));
}

/* The template may be what the URI names, and its scopes are not known. */
SCOPES_TEST(without_memory_an_update_is_not_shown) {
  server_bench *b = *state;
  add_template(b, "a:{x}", "one");
  use_token(b, "one");
  wire_initialize(&b->wire, "2025-11-25", "{}");
  exchange(&b->wire, SUBSCRIBE("1", "a:1"), DONE("1"));
  b->alloc.fail_at = b->alloc.calls + 1;
  assert_int_equal(mcp_server_resource_updated(b->rig.server, "a:1"),
                   MCP_ERR_NOMEM);
  assert_int_equal(b->alloc.failures, 1);
  expect(&b->wire, "");
  update(b, "a:1");
  expect(&b->wire, UPDATED("a:1"));
}

SCOPES_TEST(a_listen_gets_no_updates_of_newer_resources_without_scopes) {
  server_bench *b = *state;
  add_resource(b, "a:0", NULL);
  use_token(b, "many");
  wire_send(&b->wire, REQUEST("1", "subscriptions/listen",
                              "'notifications':{'resourceSubscriptions':["
                              "'b:1','b:2']}"));
  rig_turn(&b->rig);
  add_resource(b, "b:1", "one");
  add_template(b, "b:{x}", "many");
  rig_turn(&b->rig);
  wire_forget(&b->wire);
  update(b, "b:1");
  expect(&b->wire, "");
  update(b, "b:2");
  rig_turn(&b->rig);
  assert_non_null(strstr(b->wire.text.bytes, "\"uri\":\"b:2\""));
  wire_forget(&b->wire);
}

SCOPES_TEST(a_listen_names_all_scopes_at_once) {
  server_bench *b = *state;
  add_resource(b, "a:1", "one two");
  add_resource(b, "b:1", NULL);
  add_template(b, "a:{x}", "two many");
  use_token(b, "x");
  wire_send(&b->wire, REQUEST("1", "subscriptions/listen",
                              "'notifications':{'resourceSubscriptions':["
                              "'a:1','b:1','a:2','c:1']}"));
  rig_turn(&b->rig);
  const char *text = b->wire.text.bytes;
  assert_non_null(strstr(text, "\"code\":-32600"));
  assert_non_null(strstr(text, "insufficient_scope"));
  assert_non_null(strstr(text, "one"));
  assert_non_null(strstr(text, "many"));
  wire_forget(&b->wire);
  use_token(b, "many one two");
  wire_send(&b->wire, REQUEST("2", "subscriptions/listen",
                              "'notifications':{'resourceSubscriptions':["
                              "'a:1','b:1','a:2','c:1']}"));
  rig_turn(&b->rig);
  assert_non_null(strstr(b->wire.text.bytes, "subscriptions/acknowledged"));
  wire_forget(&b->wire);
}

/* ---- lists -------------------------------------------------------------- */

/* The names in the last answer, without commas; '>' if there is a next page,
 * and 'p' if it is private. */
static void expect_names(server_bench *b, const char *expected) {
  char found[64] = "";
  const char *text;
  rig_turn(&b->rig);
  text = b->wire.text.bytes;
  for (const char *at = text; (at = strstr(at, "{\"name\":\"")) != NULL;) {
    at += strlen("{\"name\":\"");
    if (at[1] == '"') { /* the server has a longer name */
      strncat(found, at, 1);
    }
  }
  strcat(found, strstr(text, "nextCursor") != NULL ? ">" : "");
  strcat(found, strstr(text, "\"private\"") != NULL ? "p" : "");
  assert_string_equal(found, expected);
}

static void list(server_bench *b, const char *cursor) {
  char request[400];
  snprintf(request, sizeof(request),
           "{$J,'id':1,'method':'tools/list','params':{%s%s%s$M{}}}",
           cursor != NULL ? "'cursor':'" : "", cursor != NULL ? cursor : "",
           cursor != NULL ? "'," : "");
  wire_forget(&b->wire);
  wire_send(&b->wire, request);
}

static void next_cursor(server_bench *b, char *cursor, size_t size) {
  const char *at = strstr(b->wire.text.bytes, "\"nextCursor\":\"");
  assert_non_null(at);
  at += strlen("\"nextCursor\":\"");
  snprintf(cursor, size, "%.*s", (int)strcspn(at, "\""), at);
}

static void restart_public(server_bench *b, uint32_t page_count) {
  const mcp_server_options options = {.size = sizeof(mcp_server_options),
                                      .cache_is_public = 1,
                                      .page_count = page_count};
  server_bench_restart(b, &options);
  add_tool(b, "a", "x");
  add_tool(b, "b", NULL);
  add_tool(b, "c", "y");
  add_tool(b, "d", "x y");
  add_tool(b, "e", NULL);
}

SCOPES_TEST(a_list_shows_all_unless_it_hides) {
  server_bench *b = *state;
  restart_public(b, 0);
  use_token(b, "");
  list(b, NULL);
  expect_names(b, "abcde");
  hide_forbidden(b);
  list(b, NULL);
  expect_names(b, "bep");
  use_token(b, "x");
  list(b, NULL);
  expect_names(b, "abep");
  use_token(b, "x y");
  list(b, NULL);
  expect_names(b, "abcdep"); /* another token sees less */
  wire_forget(&b->wire);
}

SCOPES_TEST(hidden_entries_do_not_shorten_pages) {
  server_bench *b = *state;
  char cursor[32];
  restart_public(b, 2);
  hide_forbidden(b);
  use_token(b, "y");
  list(b, NULL);
  expect_names(b, "bc>p");
  next_cursor(b, cursor, sizeof(cursor));
  list(b, cursor);
  expect_names(b, "ep");
  use_token(b, "");
  list(b, NULL);
  expect_names(b, "bep"); /* no page of nothing follows */
  wire_forget(&b->wire);
}

SCOPES_TEST(a_list_without_scopes_stays_public) {
  const mcp_server_options options = {.size = sizeof(mcp_server_options),
                                      .cache_is_public = 1};
  server_bench *b = *state;
  server_bench_restart(b, &options);
  add_tool(b, "a", NULL);
  hide_forbidden(b);
  use_token(b, "");
  list(b, NULL);
  expect_names(b, "a");
  wire_forget(&b->wire);
}

SCOPES_TEST(the_other_lists_hide_as_well) {
  server_bench *b = *state;
  add_prompt(b, "p", "x");
  add_resource(b, "a:1", "x");
  add_template(b, "a:{x}", "x");
  hide_forbidden(b);
  use_token(b, "");
  static const char *const lists[] = {"prompts/list", "resources/list",
                                      "resources/templates/list"};
  for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
    char request[300];
    snprintf(request, sizeof(request),
             "{$J,'id':1,'method':'%s','params':{$M{}}}", lists[i]);
    wire_send(&b->wire, request);
    rig_turn(&b->rig);
    assert_non_null(strstr(b->wire.text.bytes, "\":[]"));
    wire_forget(&b->wire);
  }
}

/* ---- life --------------------------------------------------------------- */

SCOPES_TEST(a_call_holds_its_grant) {
  server_bench *b = *state;
  server_bench_add_tool(b, "keep", server_bench_keep);
  use_token(b, "a");
  wire_send(&b->wire, MODERN_CALL("1", "keep"));
  rig_turn(&b->rig);
  assert_int_equal(b->kept_count, 1);
  use_token(b, "other");
  assert_string_equal(mcp_call_scopes(b->kept[0]), "a");
  assert_int_equal(mcp_call_has_scopes(b->kept[0], "a"), 1);
  assert_int_equal(mcp_call_has_scopes(b->kept[0], "other"), 0);
  assert_int_equal(mcp_call_has_scopes(b->kept[0], NULL), 1);
  b->kept_count = 0;
  mcp_call_reply_text(b->kept[0], "kept");
  expect(&b->wire, RESULT_TEXT("1", "kept"));
}
