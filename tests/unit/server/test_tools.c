/* SPDX-License-Identifier: MIT */
/* tools/call, and the shape of every reply: tools.c, pieces.c, answer.c,
 * format.c, reply.c, register.c. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/server_pair.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MODERN(members)                                                        \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{" members                         \
  ",\"resultType\":\"complete\"," PAIR_INFO "}}"
#define LEGACY(members)                                                        \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{" members "}}"
#define ERROR(code, message)                                                   \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":" code                    \
  ",\"message\":\"" message "\"}}"
#define TEXT(text) "{\"type\":\"text\",\"text\":\"" text "\"}"

static const char *const every[] = {"2024-11-05", "2025-03-26", "2025-06-18",
                                    "2025-11-25", NULL};
enum { REVISIONS = sizeof(every) / sizeof(every[0]) };

/* One tool `t`, called once with {"n":3} in a revision; the reply is exactly
 * that. */
static void assert_tool(mcp_call_cb handler, const mcp_schema *output,
                        const char *revision, const char *expected) {
  server_pair pair;
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  const mcp_tool tool = {.size = MCP_TOOL_INIT,
                         .name = "t",
                         .input = MCP_OBJECT(MCP_NUMBER("n", "A number")),
                         .output = output,
                         .handler = handler};
  assert_int_equal(mcp_server_add_tool(pair.server, &tool), 0);
  assert_int_equal(server_pair_connect(&pair, revision), 0);
  assert_string_equal(server_pair_ask(&pair, "tools/call",
                                      "\"name\":\"t\",\"arguments\":{\"n\":3}"),
                      expected);
  server_pair_deinit(&pair);
}

static void assert_modern(mcp_call_cb handler, const char *expected) {
  assert_tool(handler, NULL, NULL, expected);
}

/* --- one piece ---------------------------------------------------------- */

static int reply_hello(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call, "hello \"you\"");
}

static void a_text_is_one_block(void **state) {
  (void)state;
  assert_modern(reply_hello,
                MODERN("\"content\":[" TEXT("hello \\\"you\\\"") "]"));
  for (int i = 0; i < REVISIONS - 1; i++) {
    assert_tool(reply_hello, NULL, every[i],
                LEGACY("\"content\":[" TEXT("hello \\\"you\\\"") "]"));
  }
}

static int reply_nothing(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply(call);
}

static void nothing_is_a_reply(void **state) {
  (void)state;
  assert_modern(reply_nothing, MODERN("\"content\":[]"));
}

static int reply_three(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_number(call, mcp_call_number(call, "n"));
}

static int reply_fraction(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_number(call, mcp_call_number(call, "n") / 8);
}

static int reply_infinity(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_number(call, -INFINITY);
}

static int reply_nan(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_number(call, NAN);
}

static void numbers_are_short(void **state) {
  (void)state;
  assert_modern(reply_three, MODERN("\"content\":[" TEXT("3") "]"));
  assert_modern(reply_fraction, MODERN("\"content\":[" TEXT("0.375") "]"));
  assert_modern(reply_infinity, MODERN("\"content\":[" TEXT("-Infinity") "]"));
  assert_modern(reply_nan, MODERN("\"content\":[" TEXT("NaN") "]"));
}

static int format_badly(mcp_call *call, void *userdata) {
  (void)userdata;
  assert_int_equal(mcp_call_add_textf(call, "%s", "\xFF"), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_add_textf(call, "%600s", "\xFF"), MCP_ERR_INVALID);
  return mcp_call_reply_failure(call, "a%s", "\xC3");
}

static void formatted_texts_are_utf8(void **state) {
  (void)state;
  assert_modern(format_badly,
                ERROR("-32603", "the formatted text is not UTF-8 at byte 1"));
}

static int reply_formatted(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_textf(call, "%d and %s", 7, "x");
}

/* More than what is formatted on the stack. */
static int reply_long(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_textf(call, "%0600d", 1);
}

static void texts_are_formatted(void **state) {
  (void)state;
  char expected[1000] = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{"
                        "\"content\":[{\"type\":\"text\",\"text\":\"";
  size_t len = strlen(expected);
  assert_modern(reply_formatted, MODERN("\"content\":[" TEXT("7 and x") "]"));
  memset(expected + len, '0', 599);
  strcpy(expected + len + 599, "1\"}]}}");
  assert_tool(reply_long, NULL, "2025-11-25", expected);
}

/* --- several pieces ----------------------------------------------------- */

static int reply_many(mcp_call *call, void *userdata) {
  const mcp_content link = {.size = MCP_CONTENT_INIT,
                            .type = MCP_CONTENT_RESOURCE_LINK,
                            .uri = "a:b",
                            .name = "l"};
  (void)userdata;
  mcp_call_add_text_n(call, "onetwo", 3);
  mcp_call_add_textf(call, "%d", 2);
  mcp_call_add_image(call, "abc", 3, "image/png");
  mcp_call_add_audio(call, "abc", 3, "audio/wav");
  mcp_call_add_content(call, &link);
  return mcp_call_reply(call);
}

#define ONE_TWO_IMAGE                                                          \
  TEXT("one")                                                                  \
  "," TEXT("2") ",{\"type\":\"image\",\"data\":\"YWJj\","                      \
                "\"mimeType\":\"image/png\"}"

static void pieces_come_in_order(void **state) {
  (void)state;
  assert_modern(
      reply_many,
      MODERN("\"content\":[" ONE_TWO_IMAGE
             ",{\"type\":\"audio\",\"data\":\"YWJj\","
             "\"mimeType\":\"audio/wav\"},{\"type\":\"resource_link\","
             "\"uri\":\"a:b\",\"name\":\"l\"}]"));
  assert_tool(reply_many, NULL, "2024-11-05",
              LEGACY("\"content\":[" ONE_TWO_IMAGE
                     ",{\"type\":\"resource\",\"resource\":{"
                     "\"uri\":\"about:audio\",\"mimeType\":\"audio/wav\","
                     "\"blob\":\"YWJj\"}}," TEXT("l <a:b>") "]"));
}

static int reply_without_the_bad(mcp_call *call, void *userdata) {
  const mcp_content bad = {.size = MCP_CONTENT_INIT, .type = 99};
  (void)userdata;
  assert_int_equal(mcp_call_add_content(call, &bad), MCP_ERR_INVALID);
  mcp_call_add_text(call, "one");
  assert_int_equal(mcp_call_add_text(call, "\xFF"), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_add_text(call, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_add_content(call, &bad), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_add_content(call, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_add_image(call, NULL, 3, "image/png"),
                   MCP_ERR_INVALID);
  mcp_call_add_text(call, "two");
  return mcp_call_reply(call);
}

static void a_refused_piece_leaves_nothing(void **state) {
  (void)state;
  assert_modern(reply_without_the_bad,
                MODERN("\"content\":[" TEXT("one") "," TEXT("two") "]"));
}

static int give_up(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_add_text(call, "lost");
  return mcp_call_add_text(call, "a\xFF");
}

static void what_failed_is_the_answer(void **state) {
  (void)state;
  assert_modern(give_up, ERROR("-32603", "the text is not UTF-8 at byte 1"));
}

/* --- structured results ------------------------------------------------- */

static int reply_object(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_structured(call, "{\"sum\":\n 3.0}");
}

static void a_structured_result_is_also_a_text(void **state) {
  (void)state;
  const char *with = LEGACY("\"content\":[" TEXT(
      "{\\\"sum\\\":\\n 3.0}") "],"
                               "\"structuredContent\":{\"sum\":3.0}");
  const char *without =
      LEGACY("\"content\":[" TEXT("{\\\"sum\\\":\\n 3.0}") "]");
  assert_modern(
      reply_object,
      MODERN("\"content\":[" TEXT(
          "{\\\"sum\\\":\\n 3.0}") "],"
                                   "\"structuredContent\":{\"sum\":3.0}"));
  assert_tool(reply_object, NULL, "2025-06-18", with);
  assert_tool(reply_object, NULL, "2025-11-25", with);
  assert_tool(reply_object, NULL, "2025-03-26", without);
  assert_tool(reply_object, NULL, "2024-11-05", without);
}

static int reply_array(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_structured(call, "[1,123456789012345678901]");
}

static void only_the_newest_revision_has_other_types(void **state) {
  (void)state;
  assert_modern(reply_array,
                MODERN("\"content\":[" TEXT(
                    "[1,123456789012345678901]") "],"
                                                 "\"structuredContent\":[1,"
                                                 "123456789012345678901]"));
  assert_tool(reply_array, NULL, "2025-11-25",
              LEGACY("\"content\":[" TEXT("[1,123456789012345678901]") "]"));
}

static int reply_both(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_set_structured(call, "{\"a\":0}");
  mcp_call_add_text(call, "said");
  mcp_call_set_structured(call, "{\"a\":1}");
  return mcp_call_reply(call);
}

static void a_text_of_ones_own_is_kept(void **state) {
  (void)state;
  assert_modern(reply_both, MODERN("\"content\":[" TEXT(
                                "said") "],"
                                        "\"structuredContent\":{\"a\":1}"));
}

static void a_result_that_breaks_its_schema_does_not_leave(void **state) {
  (void)state;
  assert_tool(reply_object, MCP_OBJECT(MCP_STRING("sum", "As text")), NULL,
              ERROR("-32603", "tool \\\"t\\\": structured result: /sum: "
                              "expected a string, got the number 3.0"));
  assert_tool(
      reply_hello, MCP_SCHEMA_TYPE("object"), NULL,
      ERROR("-32603", "tool \\\"t\\\": structured result: there is none"));
  assert_tool(
      reply_hello, MCP_SCHEMA_TYPE("object"), "2024-11-05",
      ERROR("-32603", "tool \\\"t\\\": structured result: there is none"));
}

static int fail_schema(mcp_call *call, void *userdata) {
  (void)userdata;
  assert_int_equal(mcp_call_reply_structured(call, "{\"sum\":\"x\"}"),
                   MCP_ERR_SCHEMA);
  return 0;
}

static void the_program_learns_of_it(void **state) {
  (void)state;
  assert_tool(fail_schema, MCP_OBJECT(MCP_NUMBER("sum", "")), NULL,
              ERROR("-32603", "tool \\\"t\\\": structured result: /sum: "
                              "expected a number, got the string \\\"x\\\""));
}

static int reply_broken(mcp_call *call, void *userdata) {
  (void)userdata;
  assert_int_equal(mcp_call_reply_structured(call, "{\"sum\":"), MCP_ERR_PARSE);
  return 0;
}

static void a_structured_result_is_json(void **state) {
  (void)state;
  server_pair pair;
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT, .name = "t", .handler = reply_broken};
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(mcp_server_add_tool(pair.server, &tool), 0);
  assert_int_equal(server_pair_connect(&pair, NULL), 0);
  const char *reply = server_pair_ask(&pair, "tools/call", "\"name\":\"t\"");
  assert_non_null(strstr(reply, "\"code\":-32603,\"message\":"
                                "\"structured result: "));
  server_pair_deinit(&pair);
}

/* --- failures ----------------------------------------------------------- */

static int reply_failure(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_add_text(call, "before");
  mcp_call_set_structured(call, "{}");
  return mcp_call_reply_failure(call, "disk %s", "full");
}

static void a_failure_is_a_result(void **state) {
  (void)state;
  assert_modern(reply_failure, MODERN("\"content\":[" TEXT("before") "," TEXT(
                                   "disk full") "],\"isError\":true"));
  assert_tool(reply_failure, MCP_OBJECT(MCP_NUMBER("sum", "")), "2025-11-25",
              LEGACY("\"content\":[" TEXT("before") "," TEXT(
                  "disk full") "],\"isError\":true"));
}

static int reply_error(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_add_text(call, "not sent");
  assert_int_equal(mcp_call_reply_error(call, 0, "x", NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_reply_error(call, 5, NULL, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_reply_error(call, 5, "x", "{"), MCP_ERR_PARSE);
  return mcp_call_reply_error(call, 5, "no \"way\"", "{\"a\":\n1}");
}

static void an_error_has_code_message_and_data(void **state) {
  (void)state;
  assert_modern(reply_error,
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":5,"
                "\"message\":\"no \\\"way\\\"\",\"data\":{\"a\":1}}}");
}

static int reply_twice(mcp_call *call, void *userdata) {
  (void)userdata;
  assert_int_equal(mcp_call_reply_text(call, "first"), 0);
  assert_int_equal(mcp_call_reply_text(call, "second"), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_reply(call), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_reply_error(call, 5, "x", NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_reply_failure(call, "x"), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_set_structured(call, "{}"), MCP_ERR_INVALID);
  return 0;
}

static void the_first_reply_counts(void **state) {
  (void)state;
  assert_modern(reply_twice, MODERN("\"content\":[" TEXT("first") "]"));
}

static int reply_misfits(mcp_call *call, void *userdata) {
  (void)userdata;
  assert_int_equal(mcp_call_set_role(call, MCP_ROLE_USER), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_set_description(call, "d"), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_add_resource_text(call, NULL, NULL, "x"),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_call_add_resource_data(call, NULL, NULL, "x", 1),
                   MCP_ERR_INVALID);
  assert_int_equal(mcp_call_set_cache(call, 1, 0), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_reply_json(call, "{}"), MCP_ERR_INVALID);
  return mcp_call_add_completion(call, "x");
}

static void what_belongs_to_other_methods_is_refused(void **state) {
  (void)state;
  assert_modern(
      reply_misfits,
      ERROR("-32603", "mcp_call_add_completion does not fit tools/call"));
}

static int require_urls(mcp_call *call, void *userdata) {
  const mcp_url_elicitation urls[] = {{"e1", "https://x/1", "Go"},
                                      {"e2", "https://x/2", "On"}};
  (void)userdata;
  return mcp_call_reply_urls_required(call, urls, 2);
}

static int require_no_urls(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_urls_required(call, NULL, 0);
}

static void urls_are_required_in_one_revision(void **state) {
  (void)state;
  assert_tool(require_urls, NULL, "2025-11-25",
              "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32042,"
              "\"message\":\"the user must visit a URL first\",\"data\":{"
              "\"elicitations\":[{\"mode\":\"url\",\"elicitationId\":\"e1\","
              "\"url\":\"https://x/1\",\"message\":\"Go\"},{\"mode\":\"url\","
              "\"elicitationId\":\"e2\",\"url\":\"https://x/2\","
              "\"message\":\"On\"}]}}}");
  assert_modern(require_urls, ERROR("-32603", "the revision " NEWEST_REVISION
                                              " has no error for "
                                              "required URLs"));
  assert_tool(require_no_urls, NULL, "2025-11-25",
              ERROR("-32603", "no URLs are given"));
}

/* --- _meta -------------------------------------------------------------- */

static int reply_with_meta(mcp_call *call, void *userdata) {
  (void)userdata;
  assert_int_equal(mcp_call_set_meta(call, "x/a", "{\"b\":\n1}"), 0);
  assert_int_equal(mcp_call_set_meta(call, "x/c", "null"), 0);
  assert_int_equal(mcp_call_set_meta(call, "x/a", "2"), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_set_meta(call, "", "2"), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_set_meta(call, NULL, "2"), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_set_meta(call, "x/d", "{"), MCP_ERR_PARSE);
  assert_int_equal(
      mcp_call_set_meta(call, "io.modelcontextprotocol/serverInfo", "{}"),
      MCP_ERR_INVALID);
  return mcp_call_reply(call);
}

static void meta_is_added(void **state) {
  (void)state;
  assert_modern(reply_with_meta,
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[],"
                "\"resultType\":\"complete\",\"_meta\":{"
                "\"io.modelcontextprotocol/serverInfo\":"
                "{\"name\":\"test\",\"version\":\"1\"},"
                "\"x/a\":{\"b\":1},\"x/c\":null}}}");
  assert_tool(reply_with_meta, NULL, "2024-11-05",
              LEGACY("\"content\":[],\"_meta\":{\"x/a\":{\"b\":1},"
                     "\"x/c\":null}"));
}

/* --- what is asked for -------------------------------------------------- */

static int look(mcp_call *call, void *userdata) {
  double number = 0;
  int64_t integer = 0;
  int flag = 0;
  const char *string = "";
  (void)userdata;
  assert_string_equal(mcp_call_method(call), "tools/call");
  assert_string_equal(mcp_call_name(call), "t");
  assert_null(mcp_call_uri(call));
  assert_null(mcp_call_complete_argument(call));
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
  assert_int_equal(mcp_json_size(mcp_call_arguments(call)), 1);
  assert_non_null(mcp_json_get(mcp_call_params(call), "name"));
  assert_null(mcp_call_principal(call));
  assert_null(mcp_call_peer(call));
  assert_non_null(mcp_call_server(call));
  assert_non_null(mcp_call_loop(call));
  return mcp_call_reply_textf(call, "%s %d %d", mcp_call_revision(call),
                              mcp_call_session(call) != NULL,
                              mcp_call_client_has(call, "elicitation.url"));
}

static void a_call_says_what_is_asked_and_by_whom(void **state) {
  (void)state;
  assert_modern(look, MODERN("\"content\":[" TEXT(NEWEST_REVISION " 0 0") "]"));
  assert_tool(look, NULL, "2025-11-25",
              LEGACY("\"content\":[" TEXT("2025-11-25 1 1") "]"));
}

static int look_closer(mcp_call *call, void *userdata) {
  const char *string = NULL;
  int64_t integer = 0;
  int flag = 0;
  (void)userdata;
  assert_int_equal(mcp_call_try_string(call, "s", &string), 0);
  assert_string_equal(string, "x");
  assert_string_equal(mcp_call_string(call, "s"), "x");
  assert_int_equal(mcp_call_try_bool(call, "b", &flag), 0);
  assert_int_equal(flag, 1);
  assert_int_equal(mcp_call_bool(call, "b"), 1);
  assert_int_equal(mcp_call_try_int(call, "f", &integer), MCP_ERR_INVALID);
  assert_int_equal(mcp_call_int(call, "f"), 1);
  assert_int_equal(mcp_json_type(mcp_call_argument(call, "s")),
                   MCP_JSON_STRING);
  assert_non_null(mcp_call_meta(call));
  assert_null(mcp_call_client_info(call));
  assert_int_equal(mcp_json_type(mcp_call_client_capabilities(call)),
                   MCP_JSON_OBJECT);
  assert_int_equal(mcp_call_client_has(call, NULL), 0);
  return mcp_call_reply(call);
}

static void arguments_have_types(void **state) {
  (void)state;
  server_pair pair;
  const mcp_tool tool = {.size = MCP_TOOL_INIT,
                         .name = "t",
                         .input = MCP_SCHEMA_TEXT("{\"type\":\"object\"}"),
                         .handler = look_closer};
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(mcp_server_add_tool(pair.server, &tool), 0);
  assert_int_equal(server_pair_connect(&pair, NULL), 0);
  assert_string_equal(
      server_pair_ask(&pair, "tools/call",
                      "\"name\":\"t\",\"arguments\":{\"s\":\"x\","
                      "\"b\":true,\"f\":1.5}"),
      MODERN("\"content\":[]"));
  server_pair_deinit(&pair);
}

static int count_arguments(mcp_call *call, void *userdata) {
  int *count = userdata;
  *count = (int)mcp_json_size(mcp_call_arguments(call));
  assert_int_equal(mcp_json_type(mcp_call_arguments(call)), MCP_JSON_OBJECT);
  mcp_json_iter iter;
  mcp_json_iter_init(&iter, mcp_call_arguments(call));
  while (mcp_json_iter_next(&iter, NULL) != NULL) {
    *count += 100;
  }
  return mcp_call_reply(call);
}

static void arguments_that_are_left_out_are_empty(void **state) {
  (void)state;
  server_pair pair;
  int count = -1;
  const mcp_tool tool = {.size = MCP_TOOL_INIT,
                         .name = "t",
                         .handler = count_arguments,
                         .userdata = &count};
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(mcp_server_add_tool(pair.server, &tool), 0);
  assert_int_equal(server_pair_connect(&pair, NULL), 0);
  server_pair_ask(&pair, "tools/call", "\"name\":\"t\"");
  assert_int_equal(count, 0);
  count = -1;
  server_pair_ask(&pair, "tools/call", "\"name\":\"t\",\"arguments\":null");
  assert_int_equal(count, 0);
  server_pair_deinit(&pair);
}

/* --- what is refused ---------------------------------------------------- */

static void add_tool(server_pair *pair, const char *name) {
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT,
      .name = name,
      .input = MCP_OBJECT(MCP_NUMBER("a", "first"),
                          MCP_NUMBER("b", "second", .optional = 1)),
      .handler = reply_hello};
  assert_int_equal(mcp_server_add_tool(pair->server, &tool), 0);
}

static void bad_arguments_are_a_failure_that_says_why(void **state) {
  (void)state;
  for (int i = 0; i < REVISIONS; i++) {
    server_pair pair;
    assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
    add_tool(&pair, "t");
    assert_int_equal(server_pair_connect(&pair, every[i]), 0);
    const char *reply =
        server_pair_ask(&pair, "tools/call",
                        "\"name\":\"t\",\"arguments\":{\"a\":\"x\",\"c\":1}");
    const char *expected =
        every[i] == NULL
            ? MODERN("\"content\":[" TEXT(
                  "Invalid arguments for the tool \\\"t\\\":\\n"
                  "- /a: expected a number, got the string \\\"x\\\"\\n"
                  "- /: unknown member \\\"c\\\"; known are \\\"a\\\", "
                  "\\\"b\\\"") "],\"isError\":true")
            : LEGACY("\"content\":[" TEXT(
                  "Invalid arguments for the tool \\\"t\\\":\\n"
                  "- /a: expected a number, got the string \\\"x\\\"\\n"
                  "- /: unknown member \\\"c\\\"; known are \\\"a\\\", "
                  "\\\"b\\\"") "],\"isError\":true");
    assert_string_equal(reply, expected);
    server_pair_deinit(&pair);
  }
}

/* Eight levels of ten references each are more than ten million steps. */
static const char *costly_schema(void) {
  static char text[4096];
  size_t len = (size_t)sprintf(text, "{\"type\":\"object\",\"$ref\":"
                                     "\"#/$defs/0\",\"$defs\":{");
  for (int level = 0; level < 8; level++) {
    len += (size_t)sprintf(text + len, "\"%d\":{\"allOf\":[", level);
    for (int i = 0; i < 10; i++) {
      len += (size_t)sprintf(text + len, "%s{\"$ref\":\"#/$defs/%d\"}",
                             i > 0 ? "," : "", level + 1);
    }
    len += (size_t)sprintf(text + len, "]},");
  }
  sprintf(text + len, "\"8\":{\"type\":\"object\"}}}");
  return text;
}

#define COSTS "/: the value is too large or too deep to be checked"

static int reply_costly(mcp_call *call, void *userdata) {
  int *status = userdata;
  *status = mcp_call_reply_structured(call, "{}");
  return 0;
}

static void a_check_that_costs_too_much_refuses(void **state) {
  (void)state;
  const mcp_schema costly = {.text = costly_schema()};
  int status = 0;
  server_pair pair;
  const mcp_tool asks = {.size = MCP_TOOL_INIT,
                         .name = "asks",
                         .input = &costly,
                         .handler = reply_hello};
  const mcp_tool says = {.size = MCP_TOOL_INIT,
                         .name = "says",
                         .output = &costly,
                         .handler = reply_costly,
                         .userdata = &status};
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(mcp_server_add_tool(pair.server, &asks), 0);
  assert_int_equal(mcp_server_add_tool(pair.server, &says), 0);
  assert_int_equal(server_pair_connect(&pair, NULL), 0);
  assert_string_equal(
      server_pair_ask(&pair, "tools/call", "\"name\":\"asks\""),
      MODERN("\"content\":[" TEXT("Invalid arguments for the tool "
                                  "\\\"asks\\\":\\n- " COSTS) "],\"isError\":"
                                                              "true"));
  assert_string_equal(
      server_pair_ask(&pair, "tools/call", "\"name\":\"says\""),
      "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32603,\"message\":"
      "\"tool \\\"says\\\": structured result: " COSTS "\"}}");
  assert_int_equal(status, MCP_ERR_LIMIT);
  server_pair_deinit(&pair);
}

static void an_unknown_tool_is_an_error(void **state) {
  (void)state;
  server_pair pair;
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  add_tool(&pair, "t");
  assert_int_equal(server_pair_connect(&pair, NULL), 0);
  assert_string_equal(server_pair_ask(&pair, "tools/call", "\"name\":\"x\\n\""),
                      ERROR("-32602", "unknown tool \\\"x?\\\""));
  /* One of two bytes each, of which the error has room for some. */
  char params[400] = "\"name\":\"";
  for (int i = 0; i < 150; i++) {
    strcat(params, "\xC3\xA9");
  }
  strcat(params, "\"");
  assert_null(strchr(server_pair_ask(&pair, "tools/call", params), '?'));
  server_pair_deinit(&pair);
}

/* --- adding and removing at run time ------------------------------------ */

static int remove_itself(mcp_call *call, void *userdata) {
  (void)userdata;
  assert_int_equal(
      mcp_server_remove_tool(mcp_call_server(call), mcp_call_name(call)), 0);
  return mcp_call_reply_text(call, mcp_call_name(call));
}

static void a_tool_may_go_while_it_runs(void **state) {
  (void)state;
  server_pair pair;
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT, .name = "t", .handler = remove_itself};
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(mcp_server_add_tool(pair.server, &tool), 0);
  assert_int_equal(server_pair_connect(&pair, NULL), 0);
  assert_string_equal(server_pair_ask(&pair, "tools/call", "\"name\":\"t\""),
                      MODERN("\"content\":[" TEXT("t") "]"));
  assert_string_equal(server_pair_ask(&pair, "tools/call", "\"name\":\"t\""),
                      "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{"
                      "\"code\":-32602,"
                      "\"message\":\"unknown tool \\\"t\\\"\"}}");
  add_tool(&pair, "t");
  assert_non_null(strstr(server_pair_ask(&pair, "tools/call",
                                         "\"name\":\"t\",\"arguments\":{"
                                         "\"a\":1}"),
                         "hello"));
  server_pair_deinit(&pair);
}

static void the_first_failed_registration_is_remembered(void **state) {
  (void)state;
  server_pair pair;
  const mcp_tool bad = {.size = MCP_TOOL_INIT, .name = "t"};
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_null(mcp_server_error(pair.server));
  assert_int_equal(mcp_server_remove_tool(pair.server, "t"), MCP_ERR_NOT_FOUND);
  assert_null(mcp_server_error(pair.server));
  assert_int_equal(mcp_server_add_tool(pair.server, &bad), MCP_ERR_INVALID);
  assert_string_equal(mcp_server_error(pair.server)->message,
                      "tool \"t\": handler is required");
  add_tool(&pair, "t");
  const mcp_tool again = {
      .size = MCP_TOOL_INIT, .name = "t", .handler = reply_hello};
  assert_int_equal(mcp_server_add_tool(pair.server, &again), MCP_ERR_EXISTS);
  assert_int_equal(mcp_server_error(pair.server)->code, MCP_ERR_INVALID);
  assert_string_equal(mcp_server_error(pair.server)->message,
                      "2 failures, the first: tool \"t\": handler is required");
  assert_int_equal(mcp_server_add_tool(NULL, &again), MCP_ERR_INVALID);
  assert_int_equal(mcp_server_remove_tool(pair.server, NULL), MCP_ERR_INVALID);
  server_pair_deinit(&pair);
}

static void a_name_that_is_taken_is_named(void **state) {
  (void)state;
  server_pair pair;
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT, .name = "t", .handler = reply_hello};
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  assert_int_equal(mcp_server_add_tool(pair.server, &tool), 0);
  assert_int_equal(mcp_server_add_tool(pair.server, &tool), MCP_ERR_EXISTS);
  assert_string_equal(mcp_server_error(pair.server)->message,
                      "tool \"t\": already exists");
  server_pair_deinit(&pair);
}

/* --- memory ------------------------------------------------------------- */

static int call_often(const mcp_allocator *allocator, void *userdata) {
  server_pair pair;
  const char *answer = "";
  (void)userdata;
  const mcp_tool tool = {.size = MCP_TOOL_INIT,
                         .name = "t",
                         .input = MCP_OBJECT(MCP_NUMBER("n", "A number")),
                         .output = MCP_SCHEMA_TYPE("object"),
                         .handler = reply_object};
  int rc = server_pair_init(&pair, NULL, allocator);
  if (rc != 0) {
    return rc;
  }
  rc = mcp_server_add_tool(pair.server, &tool);
  if (rc == 0) {
    rc = server_pair_connect(&pair, NULL);
  }
  if (rc == 0) {
    answer = server_pair_ask(&pair, "tools/call",
                             "\"name\":\"t\",\"arguments\":{\"n\":3}");
  }
  if (rc == 0 && strstr(answer, "\"structuredContent\"") == NULL) {
    rc = MCP_ERR_NOMEM;
  }
  if (rc == 0) {
    answer = server_pair_ask(&pair, "tools/call",
                             "\"name\":\"t\",\"arguments\":{\"n\":\"x\"}");
  }
  if (rc == 0 && strstr(answer, "\"isError\":true") == NULL) {
    rc = MCP_ERR_NOMEM;
  }
  server_pair_deinit(&pair);
  return rc;
}

static void failing_memory_is_survived(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(call_often, NULL) > 10);
}

/* A handler that looks at nothing but its last call. */
static int reply_carelessly(mcp_call *call, void *userdata) {
  const mcp_content noted = {.size = MCP_CONTENT_INIT,
                             .type = MCP_CONTENT_TEXT,
                             .text = "noted",
                             .meta = "{\"a\":1}"};
  (void)userdata;
  mcp_call_add_textf(call, "%01000d", 1);
  mcp_call_add_content(call, &noted);
  mcp_call_set_meta(call, "x/a", "1");
  mcp_call_set_meta(call, "x/b", "2");
  mcp_call_set_structured(call, "{\"sum\":1}");
  return mcp_call_reply(call);
}

static int call_careless(const mcp_allocator *allocator, void *userdata) {
  server_pair pair;
  size_t *whole_len = userdata;
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT, .name = "t", .handler = reply_carelessly};
  int rc = server_pair_init(&pair, NULL, allocator);
  if (rc != 0) {
    return rc;
  }
  rc = mcp_server_add_tool(pair.server, &tool);
  if (rc == 0) {
    rc = server_pair_connect(&pair, NULL);
  }
  if (rc == 0) {
    size_t len = strlen(server_pair_ask(&pair, "tools/call", "\"name\":\"t\""));
    /* all of it, or an error, or no connection any more: never a part */
    assert_true(len == *whole_len || *whole_len == 0 || len < 200);
    *whole_len = *whole_len == 0 ? len : *whole_len;
    rc = len == *whole_len ? 0 : MCP_ERR_NOMEM;
  }
  server_pair_deinit(&pair);
  return rc;
}

static void a_reply_is_whole_or_an_error(void **state) {
  (void)state;
  size_t whole_len = 0;
  assert_int_equal(call_careless(NULL, &whole_len), 0);
  assert_true(whole_len > 1200);
  assert_true(failing_alloc_rerun(call_careless, &whole_len) > 15);
}

static int reply_by_kind(mcp_call *call, void *userdata) {
  (void)userdata;
  switch (mcp_call_int(call, "n")) {
  case 0:
    return mcp_call_reply_text(call, "hello");
  case 1:
    mcp_call_add_text(call, "with a structured result");
    return mcp_call_reply_structured(call, "{\"sum\":3}");
  case 2:
    return mcp_call_reply_failure(call, "no %s", "luck");
  default:
    return mcp_call_reply_error(call, 7, "no", NULL);
  }
}

static void ask_each(server_pair *pair) {
  static const char *const params[] = {
      "\"name\":\"t\",\"arguments\":{\"n\":0}",
      "\"name\":\"t\",\"arguments\":{\"n\":1}",
      "\"name\":\"t\",\"arguments\":{\"n\":2}",
      "\"name\":\"t\",\"arguments\":{\"n\":3}",
      "\"name\":\"t\",\"arguments\":{\"n\":\"x\"}",
      "\"name\":\"u\""};
  for (size_t i = 0; i < sizeof(params) / sizeof(params[0]); i++) {
    assert_int_not_equal(strlen(server_pair_ask(pair, "tools/call", params[i])),
                         0);
  }
}

static void a_steady_stream_asks_for_no_memory(void **state) {
  (void)state;
  failing_alloc alloc;
  server_pair pair;
  const mcp_tool tool = {.size = MCP_TOOL_INIT,
                         .name = "t",
                         .input = MCP_OBJECT(MCP_NUMBER("n", "A number")),
                         .handler = reply_by_kind};
  failing_alloc_init(&alloc);
  assert_int_equal(server_pair_init(&pair, NULL, &alloc.allocator), 0);
  assert_int_equal(mcp_server_add_tool(pair.server, &tool), 0);
  assert_int_equal(server_pair_connect(&pair, NULL), 0);
  ask_each(&pair);
  ask_each(&pair);
  size_t calls = alloc.calls;
  for (int i = 0; i < 100; i++) {
    ask_each(&pair);
  }
  assert_int_equal(alloc.calls, calls);
  server_pair_deinit(&pair);
  assert_int_equal(alloc.live_blocks, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_text_is_one_block),
      cmocka_unit_test(nothing_is_a_reply),
      cmocka_unit_test(numbers_are_short),
      cmocka_unit_test(texts_are_formatted),
      cmocka_unit_test(formatted_texts_are_utf8),
      cmocka_unit_test(pieces_come_in_order),
      cmocka_unit_test(a_refused_piece_leaves_nothing),
      cmocka_unit_test(what_failed_is_the_answer),
      cmocka_unit_test(a_structured_result_is_also_a_text),
      cmocka_unit_test(only_the_newest_revision_has_other_types),
      cmocka_unit_test(a_text_of_ones_own_is_kept),
      cmocka_unit_test(a_result_that_breaks_its_schema_does_not_leave),
      cmocka_unit_test(the_program_learns_of_it),
      cmocka_unit_test(a_structured_result_is_json),
      cmocka_unit_test(a_failure_is_a_result),
      cmocka_unit_test(an_error_has_code_message_and_data),
      cmocka_unit_test(the_first_reply_counts),
      cmocka_unit_test(what_belongs_to_other_methods_is_refused),
      cmocka_unit_test(urls_are_required_in_one_revision),
      cmocka_unit_test(meta_is_added),
      cmocka_unit_test(a_call_says_what_is_asked_and_by_whom),
      cmocka_unit_test(arguments_have_types),
      cmocka_unit_test(arguments_that_are_left_out_are_empty),
      cmocka_unit_test(bad_arguments_are_a_failure_that_says_why),
      cmocka_unit_test(a_check_that_costs_too_much_refuses),
      cmocka_unit_test(an_unknown_tool_is_an_error),
      cmocka_unit_test(a_tool_may_go_while_it_runs),
      cmocka_unit_test(the_first_failed_registration_is_remembered),
      cmocka_unit_test(a_name_that_is_taken_is_named),
      cmocka_unit_test(failing_memory_is_survived),
      cmocka_unit_test(a_reply_is_whole_or_an_error),
      cmocka_unit_test(a_steady_stream_asks_for_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
