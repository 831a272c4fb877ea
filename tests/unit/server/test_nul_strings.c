/* SPDX-License-Identifier: MIT */
/* Strings of a peer's that contain NUL: what reads them as C strings refuses
 * them (json_value.c, accessors.c, method.c, complete.c). */
#include "schema/format.h"
#include "support/cm.h"
#include "support/server_pair.h"
#include <stdlib.h>
#include <string.h>

#define TXT MCP_STRING("file", "A name", .more = "\"minLength\":11")
#define TOOL_FAILS                                                             \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\":\"text\"," \
  "\"text\":\"the argument \\\"file\\\" must not contain NUL (\\\\u0000)\"}]," \
  "\"isError\":true"

/* What the handler below found. */
typedef struct found {
  mcp_call_cb handler;
  int count;
} found;

static int run(mcp_call *call, void *userdata) {
  found *f = userdata;
  f->count++;
  return f->handler(call, userdata);
}

static void add_all(server_pair *pair, found *f) {
  const mcp_tool tool = {.size = MCP_TOOL_INIT,
                         .name = "t",
                         .input = MCP_OBJECT(TXT),
                         .handler = run,
                         .userdata = f};
  const mcp_prompt_argument arguments[] = {{.name = "file"}};
  const mcp_prompt prompt = {.size = MCP_PROMPT_INIT,
                             .name = "p",
                             .arguments = arguments,
                             .argument_count = 1,
                             .handler = run,
                             .complete = run,
                             .userdata = f};
  const mcp_resource_template tpl = {.size = MCP_RESOURCE_TEMPLATE_INIT,
                                     .uri_template = "x:{file}",
                                     .name = "x",
                                     .handler = run,
                                     .userdata = f};
  assert_int_equal(mcp_server_add_tool(pair->server, &tool), 0);
  assert_int_equal(mcp_server_add_prompt(pair->server, &prompt), 0);
  assert_int_equal(mcp_server_add_resource_template(pair->server, &tpl), 0);
}

/* One request; what comes of it begins so, and the handler ran so often. */
static void assert_answer(mcp_call_cb handler, const char *revision,
                          const char *method, const char *params,
                          int expected_runs, const char *expected) {
  server_pair pair;
  found f = {handler, 0};
  assert_int_equal(server_pair_init(&pair, NULL, NULL), 0);
  add_all(&pair, &f);
  assert_int_equal(server_pair_connect(&pair, revision), 0);
  const char *answer = server_pair_ask(&pair, method, params);
  assert_memory_equal(answer, expected, strlen(expected));
  assert_int_equal(f.count, expected_runs);
  server_pair_deinit(&pair);
}

#define ARGUMENT "\"arguments\":{\"file\":\"shadow\\u0000.txt\"}"

static int return_invalid(mcp_call *call, void *userdata) {
  (void)userdata;
  assert_null(mcp_call_string(call, "file"));
  return MCP_ERR_INVALID;
}

static void a_tool_is_not_given_what_comes_before_a_nul(void **state) {
  (void)state;
  assert_answer(return_invalid, NULL, "tools/call", "\"name\":\"t\"," ARGUMENT,
                1, TOOL_FAILS);
  assert_answer(return_invalid, "2024-11-05", "tools/call",
                "\"name\":\"t\"," ARGUMENT, 1, TOOL_FAILS);
}

static int reply_argument(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call, mcp_call_string(call, "file"));
}

static void a_reply_made_of_it_says_why(void **state) {
  (void)state;
  assert_answer(reply_argument, NULL, "tools/call", "\"name\":\"t\"," ARGUMENT,
                1, TOOL_FAILS);
}

static int ask_and_read(mcp_call *call, void *userdata) {
  const mcp_json *roots;
  (void)userdata;
  int rc = mcp_call_ask_roots(call, "r", &roots);
  assert_null(mcp_call_string(call, "file"));
  return rc;
}

static void an_earlier_failure_is_answered(void **state) {
  (void)state;
  assert_answer(ask_and_read, NULL, "tools/call", "\"name\":\"t\"," ARGUMENT, 1,
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32021,");
}

#define REQUEST_FAILS(name)                                                    \
  "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":"      \
  "\"the argument \\\"" name "\\\" must not contain NUL (\\\\u0000)\""

static void a_prompt_answers_invalid_params(void **state) {
  (void)state;
  assert_answer(return_invalid, NULL, "prompts/get", "\"name\":\"p\"," ARGUMENT,
                1, REQUEST_FAILS("file"));
}

static void an_arguments_name_is_quoted_with_its_nul(void **state) {
  (void)state;
  assert_answer(
      return_invalid, NULL, "prompts/get",
      "\"name\":\"p\",\"arguments\":{\"a\\u0000b\":1}", 0,
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"
      "\"message\":\"the argument \\\"a\\\\u0000b\\\" must be a string");
}

static void a_template_does_not_match_an_escaped_nul(void **state) {
  (void)state;
  assert_answer(return_invalid, NULL, "resources/read",
                "\"uri\":\"x:shadow%00.txt\"", 0,
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,"
                "\"message\":\"there is no resource");
}

static int complete(mcp_call *call, void *userdata) {
  size_t len;
  (void)userdata;
  assert_null(mcp_call_complete_value(call));
  assert_memory_equal(mcp_call_complete_value_n(call, &len), "a\0b", 4);
  assert_int_equal(len, 3);
  return MCP_ERR_INVALID;
}

static void a_completion_is_not_given_what_comes_before_a_nul(void **state) {
  (void)state;
  assert_answer(complete, NULL, "completion/complete",
                "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},"
                "\"argument\":{\"name\":\"file\",\"value\":\"a\\u0000b\"}",
                1, REQUEST_FAILS("value"));
}

static int read_whole(mcp_call *call, void *userdata) {
  size_t len = 0;
  const char *text = "unchanged";
  (void)userdata;
  assert_int_equal(mcp_call_try_string(call, "file", &text), MCP_ERR_INVALID);
  assert_string_equal(text, "unchanged");
  assert_memory_equal(mcp_call_string_n(call, "file", &len), "shadow\0.txt",
                      12);
  assert_int_equal(len, 11);
  assert_null(mcp_call_string_n(call, "none", &len));
  assert_int_equal(len, 0);
  return mcp_call_reply_text(call, "read");
}

static void a_string_with_its_length_is_given_whole(void **state) {
  (void)state;
  assert_answer(read_whole, NULL, "tools/call", "\"name\":\"t\"," ARGUMENT, 1,
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":["
                "{\"type\":\"text\",\"text\":\"read\"}]");
}

/* --- what the library itself looks up ----------------------------------- */

#define BAD(code) "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":" code

static void names_and_uris_never_contain_nul(void **state) {
  static const struct {
    const char *method;
    const char *params;
    const char *answer;
  } cases[] = {
      {"tools/call", "\"name\":\"t\\u0000\"", BAD("-32602")},
      {"prompts/get", "\"name\":\"p\\u0000\"", BAD("-32602")},
      {"resources/read", "\"uri\":\"x:a\\u0000b\"", BAD("-32602")},
      {"completion/complete",
       "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"p\"},"
       "\"argument\":{\"name\":\"file\\u0000\",\"value\":\"\"}",
       BAD("-32602")},
      {"tools/list\\u0000", "", BAD("-32600")},
  };
  (void)state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    assert_answer(return_invalid, NULL, cases[i].method, cases[i].params, 0,
                  cases[i].answer);
    assert_answer(return_invalid, "2025-11-25", cases[i].method,
                  cases[i].params, 0, cases[i].answer);
  }
}

static void formats_refuse_a_nul_after_a_good_value(void **state) {
  static const char *const good[][2] = {
      {"date-time", "2026-01-01T00:00:00Z"},
      {"date", "2026-01-01"},
      {"time", "00:00:00Z"},
      {"duration", "P1D"},
      {"email", "a@b.example"},
      {"idn-email", "a@b.example"},
      {"hostname", "b.example"},
      {"idn-hostname", "b.example"},
      {"ipv4", "127.0.0.1"},
      {"ipv6", "::1"},
      {"uri", "http://b.example/"},
      {"uri-reference", "/a"},
      {"iri", "http://b.example/"},
      {"iri-reference", "/a"},
      {"uri-template", "/a{b}"},
      {"uuid", "01234567-89ab-cdef-0123-456789abcdef"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
    char text[64] = {0};
    size_t len = strlen(good[i][1]);
    int format = mcpi_format_find(mcpi_str_z(good[i][0]));
    memcpy(text, good[i][1], len);
    assert_int_equal(mcpi_format_accepts(format, mcpi_str_n(text, len)), 1);
    assert_int_equal(mcpi_format_accepts(format, mcpi_str_n(text, len + 1)), 0);
    text[len + 1] = 'a';
    assert_int_equal(mcpi_format_accepts(format, mcpi_str_n(text, len + 2)), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_tool_is_not_given_what_comes_before_a_nul),
      cmocka_unit_test(a_reply_made_of_it_says_why),
      cmocka_unit_test(an_earlier_failure_is_answered),
      cmocka_unit_test(a_prompt_answers_invalid_params),
      cmocka_unit_test(an_arguments_name_is_quoted_with_its_nul),
      cmocka_unit_test(a_template_does_not_match_an_escaped_nul),
      cmocka_unit_test(a_completion_is_not_given_what_comes_before_a_nul),
      cmocka_unit_test(a_string_with_its_length_is_given_whole),
      cmocka_unit_test(names_and_uris_never_contain_nul),
      cmocka_unit_test(formats_refuse_a_nul_after_a_good_value),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
