/* SPDX-License-Identifier: MIT */
/* What a handler reads of its call, and that a reply is whole. Results
 * themselves are in tests/wire/server/results.txt. */
#include "support/server_bench.h"
#include <string.h>

/* Adds a tool `t` that takes any arguments. */
static int add_tool(mcp_server *server, mcp_call_cb handler) {
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = "t",
                         .input = MCP_SCHEMA_TEXT("{\"type\":\"object\"}"),
                         .handler = handler};
  return mcp_server_add_tool(server, &tool, NULL);
}

#define CALL(arguments)                                                        \
  "{$J,'id':1,'method':'tools/"                                                \
  "call','params':{'name':'t','arguments':" arguments ",$M{}}}"
#define DONE "{$J,'id':1,'result':{'content':[],$C}}"

static int on_look(mcp_call *call, void *userdata) {
  assert_string_equal(mcp_call_method(call), "tools/call");
  assert_string_equal(mcp_call_name(call), "t");
  assert_null(mcp_call_uri(call));
  assert_null(mcp_call_complete_argument(call));
  assert_null(mcp_call_principal(call));
  assert_null(mcp_call_peer(call));
  assert_null(mcp_call_client_info(call));
  assert_non_null(mcp_call_server(call));
  assert_non_null(mcp_call_loop(call));
  assert_non_null(mcp_call_meta(call));
  assert_non_null(mcp_json_get(mcp_call_params(call), "name"));
  assert_int_equal(mcp_json_type(mcp_call_client_capabilities(call)),
                   MCP_JSON_OBJECT);
  assert_int_equal(mcp_call_client_has(call, NULL), 0);
  assert_int_equal(mcp_json_size(mcp_call_arguments(call)), 0);
  mcp_json_iter iter;
  mcp_json_iter_init(&iter, mcp_call_arguments(call));
  assert_null(mcp_json_iter_next(&iter, NULL));
  return mcp_call_reply(call);
}

BENCH_TEST(a_call_says_what_is_asked_and_by_whom) {
  server_bench *b = *state;
  assert_int_equal(add_tool(b->rig.server, on_look), 0);
  exchange(&b->wire, CALL("{}"), DONE);
  exchange(&b->wire, CALL("null"), DONE);
}

static int on_types(mcp_call *call, void *userdata) {
  double number = 0;
  int64_t integer = 0;
  int flag = 0;
  const char *string = "";
  assert_true(mcp_call_number(call, "n") == 3);
  assert_int_equal(mcp_call_int(call, "n"), 3);
  assert_int_equal(mcp_call_bool(call, "n"), 0);
  assert_null(mcp_call_string(call, "n"));
  assert_int_equal(mcp_call_try_number(call, "n", &number), 0);
  assert_int_equal(mcp_call_try_int(call, "n", &integer), 0);
  assert_true(number == 3 && integer == 3);
  assert_int_equal(mcp_call_try_bool(call, "n", &flag), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_try_string(call, "n", &string), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_try_number(call, "x", &number), MCP_ERR_NOT_FOUND);
  assert_int_equal(mcp_call_try_string(call, "s", &string), 0);
  assert_string_equal(string, "x");
  assert_string_equal(mcp_call_string(call, "s"), "x");
  assert_int_equal(mcp_json_type(mcp_call_argument(call, "s")),
                   MCP_JSON_STRING);
  assert_int_equal(mcp_call_try_bool(call, "b", &flag), 0);
  assert_int_equal(flag, 1);
  assert_int_equal(mcp_call_bool(call, "b"), 1);
  assert_int_equal(mcp_call_try_int(call, "f", &integer), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_int(call, "f"), 1);
  return mcp_call_reply(call);
}

BENCH_TEST(arguments_have_types) {
  server_bench *b = *state;
  assert_int_equal(add_tool(b->rig.server, on_types), 0);
  exchange(&b->wire, CALL("{'n':3,'s':'x','b':true,'f':1.5}"), DONE);
}

static int on_whole(mcp_call *call, void *userdata) {
  size_t len = 0;
  const char *text = "unchanged";
  assert_int_equal(mcp_call_try_string(call, "file", &text), MCP_ERR_INVALID);
  assert_string_equal(text, "unchanged");
  assert_memory_equal(mcp_call_string_n(call, "file", &len), "shadow\0.txt",
                      12);
  assert_int_equal(len, 11);
  assert_null(mcp_call_string_n(call, "none", &len));
  assert_int_equal(len, 0);
  return mcp_call_reply_failure(call, "read");
}

BENCH_TEST(a_string_with_its_length_is_given_whole) {
  server_bench *b = *state;
  assert_int_equal(add_tool(b->rig.server, on_whole), 0);
  exchange(&b->wire, CALL("{'file':'shadow\\u0000.txt'}"),
           "{$J,'id':1,'result':{'content':[{'type':'text','text':'read'}],"
           "'isError':true,$C}}");
}

static int on_complete(mcp_call *call, void *userdata) {
  size_t len;
  assert_null(mcp_call_complete_value(call));
  assert_memory_equal(mcp_call_complete_value_n(call, &len), "a\0b", 4);
  assert_int_equal(len, 3);
  return mcp_call_reply(call);
}

BENCH_TEST(a_value_to_complete_is_given_whole) {
  server_bench *b = *state;
  const mcp_prompt_argument argument = {.name = "file"};
  const mcp_prompt prompt = {.size = sizeof(mcp_prompt),
                             .name = "p",
                             .arguments = &argument,
                             .argument_count = 1,
                             .handler = on_look,
                             .complete = on_complete};
  assert_int_equal(mcp_server_add_prompt(b->rig.server, &prompt, NULL), 0);
  exchange(&b->wire,
           "{$J,'id':1,'method':'completion/complete','params':{'ref':{"
           "'type':'ref/prompt','name':'p'},'argument':{'name':'file',"
           "'value':'a\\u0000b'},$M{}}}",
           "{$J,'id':1,'result':{'completion':{'values':[]},$C}}");
}

/* ---- what no reply is made of -------------------------------------------- */

static int on_argument(mcp_call *call, void *userdata) {
  return mcp_call_reply_text(call, mcp_call_string(call, "file"));
}

BENCH_TEST(a_reply_of_a_string_with_nul_says_why) {
  server_bench *b = *state;
  assert_int_equal(add_tool(b->rig.server, on_argument), 0);
  exchange(&b->wire, CALL("{'file':'shadow\\u0000.txt'}"),
           "{$J,'id':1,'result':{'content':[{'type':'text','text':'the "
           "argument \\\"file\\\" must not contain NUL (\\\\u0000)'}],"
           "'isError':true,$C}}");
}

static int on_late(mcp_call *call, void *userdata) {
  assert_int_equal(mcp_call_reply(NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_flush(NULL), MCP_ERR_INVALID);
  mcp_call_drop(NULL);
  assert_int_equal(mcp_call_reply(call), 0);
  assert_int_equal(mcp_call_add_textf(call, "%s", "x"), MCP_ERR_INVALID);
  return 0;
}

BENCH_TEST(nothing_is_added_after_the_reply) {
  server_bench *b = *state;
  assert_int_equal(add_tool(b->rig.server, on_late), 0);
  exchange(&b->wire, CALL("{}"), DONE);
}

static int on_read(mcp_call *call, void *userdata) {
  assert_int_equal(mcp_call_add_resource_data(call, NULL, NULL, NULL, 1),
                   MCP_ERR_INVALID);
  return mcp_call_add_resource_data(call, NULL, NULL, NULL, 0) == 0
             ? mcp_call_reply(call)
             : MCP_ERR_INVALID;
}

BENCH_TEST(bytes_may_be_null_when_there_are_none) {
  server_bench *b = *state;
  const mcp_resource resource = {.size = sizeof(mcp_resource),
                                 .uri = "a:1",
                                 .name = "a",
                                 .handler = on_read};
  assert_int_equal(mcp_server_add_resource(b->rig.server, &resource, NULL), 0);
  wire_initialize(&b->wire, "2025-11-25", "{}");
  exchange(&b->wire,
           "{$J,'id':1,'method':'resources/read','params':{'uri':'a:1'}}",
           "{$J,'id':1,'result':{'contents':[{'uri':'a:1','blob':''}]}}");
}

/* ---- a reply that lacks memory ------------------------------------------ */

/* Looks at nothing but its last call. */
static int on_careless(mcp_call *call, void *userdata) {
  const mcp_content noted = {.size = sizeof(mcp_content),
                             .type = MCP_CONTENT_TEXT,
                             .text = "noted",
                             .meta = "{\"a\":1}"};
  mcp_call_add_textf(call, "%01000d", 1);
  mcp_call_add_content(call, &noted);
  mcp_call_add_content(call, NULL);
  mcp_call_add_text(call, NULL);
  mcp_call_add_image(call, NULL, 3, "image/png");
  mcp_call_set_meta(call, "x/a", "1");
  mcp_call_set_meta(call, "x/b", "2");
  mcp_call_set_structured(call, "{\"sum\":1}");
  return mcp_call_reply(call);
}

static int call_careless(const mcp_allocator *allocator, void *userdata) {
  size_t *whole_len = userdata;
  server_rig rig;
  rig_wire wire = {0};
  int rc = rig_init(&rig, NULL, allocator);
  if (rc != 0) {
    return rc;
  }
  rc = add_tool(rig.server, on_careless);
  if (rc == 0) {
    rc = wire_connect(&wire, &rig, NULL);
  }
  if (rc == 0) {
    wire_send(&wire, CALL("{}"));
    rig_turn(&rig);
    size_t len = wire.text.len;
    /* All of it, or an error, or nothing when the connection was closed: never
     * a part. */
    assert_true(len == *whole_len || *whole_len == 0 || len < 200);
    *whole_len = *whole_len == 0 ? len : *whole_len;
    rc = len == *whole_len ? 0 : MCP_ERR_NOMEM;
  }
  mcp_server_free(rig.server);
  rig.server = NULL;
  rig_turn(&rig);
  wire_deinit(&wire);
  rig_deinit(&rig);
  return rc;
}

TEST(a_reply_is_whole_or_an_error) {
  size_t whole_len = 0;
  assert_int_equal(call_careless(NULL, &whole_len), 0);
  assert_true(whole_len > 1200);
  assert_true(failing_alloc_rerun(call_careless, &whole_len) > 15);
}
