/* SPDX-License-Identifier: MIT */
#include "codec/message.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/guarded.h"
#include <stdio.h>

static const mcpi_message_limits limits = {1 << 20, MCPI_JSON_MAX_DEPTH, 10000};
static const uint64_t seed[2] = {1, 2};

static mcpi_pool pool;

static int setup(void **state) {
  mcpi_pool_init(&pool, mcp_allocator_default(), 1 << 20);
  return 0;
}

static int teardown(void **state) {
  assert_int_equal(pool.live_blocks, 0);
  mcpi_pool_deinit(&pool);
  return 0;
}

static mcpi_message *parse(const char *text) {
  mcpi_message *message = NULL;
  size_t len = strlen(text);
  char *copy = guarded_copy(text, len);
  assert_int_equal(
      mcpi_message_parse(&message, &pool, copy, len, &limits, NULL), 0);
  guarded_free(copy, len);
  return message;
}

#define FIXTURE_TEST(name) TEST_WITH(name, setup, teardown)

/* --- messages ----------------------------------------------------------- */

FIXTURE_TEST(a_message_holds_all_it_needs) {
  for (size_t len = 2; len < 400; len++) {
    char text[512];
    memset(text, 'x', len);
    text[0] = text[len - 1] = '"';
    text[len] = '\0';
    mcpi_message *message = parse(text);
    size_t out_len;
    const char *out = mcp_json_string_n(message->root, &out_len);
    assert_int_equal(out_len, len - 2);
    assert_memory_equal(out, text + 1, out_len);
    assert_int_equal(message->len, len);
    mcpi_message_unref(message);
  }
}

FIXTURE_TEST(references_keep_it) {
  mcpi_message *message = parse("{\"a\":1}");
  mcpi_message_ref(message);
  mcpi_message_unref(message);
  assert_int_equal(mcp_json_int(mcp_json_get(message->root, "a")), 1);
  assert_int_equal(pool.live_blocks, 1);
  mcpi_message_unref(message);
  mcpi_message_unref(NULL);
}

/* --- lent messages ------------------------------------------------------ */

/* What a transport lends, which ends at an unmapped page. */
typedef struct lender {
  mcp_lent_message message;
  size_t size;
  int done;
} lender;

static void lender_done(mcp_lent_message *message) {
  ((lender *)(void *)message)->done++;
}

static void lend(lender *l, const char *text) {
  char padded[256] = "";
  size_t len = strlen(text);
  memcpy(padded, text, len);
  memset(padded + len, 'x', MCP_LENT_PADDING);
  l->size = len + MCP_LENT_PADDING;
  l->message =
      (mcp_lent_message){guarded_copy(padded, l->size), len, lender_done};
  l->done = 0;
}

static void lender_free(lender *l) {
  assert_int_equal(l->done, 1);
  guarded_free(l->message.bytes, l->size);
}

FIXTURE_TEST(a_lent_message_is_parsed_where_it_is) {
  lender l;
  mcpi_message *message = NULL;
  lend(&l, "{\"a\":\"b\\n\"}");
  assert_int_equal(
      mcpi_message_parse_lent(&message, &pool, &l.message, &limits, NULL), 0);
  assert_int_equal(message->len, 11);
  const char *a = mcp_json_string(mcp_json_get(message->root, "a"));
  assert_string_equal(a, "b\n");
  assert_true(a > l.message.bytes && a < l.message.bytes + l.message.len);
  mcpi_message_ref(message);
  mcpi_message_unref(message);
  assert_int_equal(l.done, 0);
  mcpi_message_unref(message);
  lender_free(&l);
}

static int parse_lent(const char *text, size_t max_bytes, mcp_error *err) {
  const mcpi_message_limits own = {max_bytes, 9, 9};
  lender l;
  mcpi_message *message = NULL;
  lend(&l, text);
  int rc = mcpi_message_parse_lent(&message, &pool, &l.message, &own, err);
  assert_null(message);
  lender_free(&l);
  return rc;
}

FIXTURE_TEST(a_lent_message_that_cannot_be_read_is_given_back) {
  mcp_error err;
  assert_int_equal(parse_lent("{\"a\":}", 100, &err), MCP_ERR_PARSE);
  assert_int_equal(err.offset, 5);
  assert_int_equal(parse_lent("{\"a\":1}", 6, &err), MCP_ERR_LIMIT);
  assert_int_equal(parse_lent("", 100, &err), MCP_ERR_PARSE);
}

static int lend_once(const mcp_allocator *allocator, void *userdata) {
  lender l;
  mcpi_pool own;
  mcpi_message *message = NULL;
  mcpi_pool_init(&own, allocator, 1 << 20);
  lend(&l, userdata);
  int rc = mcpi_message_parse_lent(&message, &own, &l.message, &limits, NULL);
  mcpi_message_unref(message);
  lender_free(&l);
  mcpi_pool_deinit(&own);
  return rc;
}

TEST(without_memory_a_lent_message_is_given_back) {
  char text[] = "{\"a\":1}";
  failing_alloc_rerun_least(1, lend_once, text);
}

/* --- limits ------------------------------------------------------------- */

FIXTURE_TEST(a_steady_stream_asks_for_nothing) {
  for (int i = 0; i < 100; i++) {
    mcpi_message_unref(parse("{\"jsonrpc\":\"2.0\",\"method\":\"x\"}"));
  }
  assert_int_equal(pool.alloc_count, 1);
}

static int try_limits(const char *text, size_t max_bytes, uint32_t max_depth,
                      uint64_t max_values, mcp_error *err) {
  const mcpi_message_limits own = {max_bytes, max_depth, max_values};
  mcpi_message *message = NULL;
  int rc = mcpi_message_parse(&message, &pool, text, strlen(text), &own, err);
  assert_true((rc == 0) == (message != NULL));
  mcpi_message_unref(message);
  return rc;
}

FIXTURE_TEST(limits_hold_at_and_one_past) {
  const char text[] = "{\"a\":[1,2]}"; /* 11 bytes, depth 2, 5 values */
  mcp_error err;
  assert_int_equal(try_limits(text, 11, 2, 5, NULL), 0);
  assert_int_equal(try_limits(text, 10, 2, 5, &err), MCP_ERR_LIMIT);
  assert_int_equal(err.code, MCP_ERR_LIMIT);
  assert_int_equal(try_limits(text, 11, 1, 5, NULL), MCP_ERR_LIMIT);
  assert_int_equal(try_limits(text, 11, 2, 4, NULL), MCP_ERR_LIMIT);
}

FIXTURE_TEST(broken_text_is_refused) {
  mcp_error err;
  assert_int_equal(try_limits("{\"a\":}", 100, 9, 9, &err), MCP_ERR_PARSE);
  assert_int_equal(err.offset, 5);
  assert_int_equal(try_limits("", 100, 9, 9, &err), MCP_ERR_PARSE);
}

static int parse_once(const mcp_allocator *allocator, void *userdata) {
  const char *text = userdata;
  mcpi_pool own;
  mcpi_message *message = NULL;
  mcpi_pool_init(&own, allocator, 1 << 20);
  int rc =
      mcpi_message_parse(&message, &own, text, strlen(text), &limits, NULL);
  mcpi_message_unref(message);
  mcpi_pool_deinit(&own);
  return rc;
}

/* --- envelopes ---------------------------------------------------------- */

static void check_text(mcpi_id id, const char *expected) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  mcpi_id_put(&buf, id);
  mcpi_buf_putc(&buf, '\0');
  assert_string_equal(buf.data, expected);
  mcpi_buf_deinit(&buf);
}

static mcpi_envelope read_envelope(const mcpi_message *message) {
  mcpi_envelope envelope;
  assert_int_equal(mcpi_envelope_read(&envelope, message->root,
                                      mcp_allocator_default(), seed),
                   0);
  return envelope;
}

FIXTURE_TEST(a_request_is_read) {
  mcpi_message *message =
      parse("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\","
            "\"params\":{\"name\":\"add\",\"arguments\":{\"a\":1},"
            "\"_meta\":{\"progressToken\":\"t\"}},\"extra\":[]}");
  mcpi_envelope e = read_envelope(message);
  assert_int_equal(e.kind, MCPI_REQUEST);
  check_text(e.id, "7");
  assert_true(mcpi_str_eq(e.method, MCPI_STR("tools/call")));
  assert_string_equal(mcp_json_string(mcp_json_get(e.params, "name")), "add");
  assert_string_equal(mcp_json_string(mcp_json_get(e.meta, "progressToken")),
                      "t");
  assert_null(e.result);
  assert_null(e.error);
  assert_null(e.reason);
  mcpi_message_unref(message);
}

FIXTURE_TEST(a_notification_is_read) {
  mcpi_message *message =
      parse("{\"method\":\"notifications/initialized\",\"jsonrpc\":\"2.0\"}");
  mcpi_envelope e = read_envelope(message);
  assert_int_equal(e.kind, MCPI_NOTIFICATION);
  assert_int_equal(e.id.kind, MCPI_ID_NONE);
  assert_true(mcpi_str_eq(e.method, MCPI_STR("notifications/initialized")));
  assert_null(e.params);
  assert_null(e.meta);
  mcpi_message_unref(message);
}

FIXTURE_TEST(results_are_read) {
  static const char *const results[] = {"{}", "null", "5", "[]"};
  for (size_t i = 0; i < 4; i++) {
    char text[100];
    snprintf(text, sizeof(text),
             "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":%s}", results[i]);
    mcpi_message *message = parse(text);
    mcpi_envelope e = read_envelope(message);
    assert_int_equal(e.kind, MCPI_RESULT);
    check_text(e.id, "\"x\"");
    assert_non_null(e.result);
    mcpi_message_unref(message);
  }
}

FIXTURE_TEST(errors_are_read_with_any_id) {
  static const struct {
    const char *id;
    int kind;
  } cases[] = {{"\"id\":1,", MCPI_ID_NUMBER},
               {"\"id\":null,", MCPI_ID_NULL},
               {"", MCPI_ID_NONE}};
  for (size_t i = 0; i < 3; i++) {
    char text[100];
    snprintf(text, sizeof(text),
             "{\"jsonrpc\":\"2.0\",%s"
             "\"error\":{\"code\":-32603,\"message\":\"m\",\"data\":[]}}",
             cases[i].id);
    mcpi_message *message = parse(text);
    mcpi_envelope e = read_envelope(message);
    assert_int_equal(e.kind, MCPI_ERROR);
    assert_int_equal(e.id.kind, cases[i].kind);
    assert_int_equal(mcp_json_int(mcp_json_get(e.error, "code")), -32603);
    mcpi_message_unref(message);
  }
}

typedef struct invalid_case {
  const char *text;
  const char *id; /* "null": none could be read */
  int wants_answer;
  const char *reason; /* a part of it */
} invalid_case;

#define V "\"jsonrpc\":\"2.0\""

FIXTURE_TEST(invalid_messages_say_why) {
  static const invalid_case cases[] = {
      {"5", "null", 1, "object"},
      {"[]", "null", 1, "object"},
      {"null", "null", 1, "object"},
      {"{}", "null", 1, "jsonrpc"},
      {"{\"id\":1,\"method\":\"m\"}", "1", 1, "jsonrpc"},
      {"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"m\"}", "1", 1, "jsonrpc"},
      {"{\"jsonrpc\":2.0,\"id\":1,\"method\":\"m\"}", "1", 1, "jsonrpc"},
      {"{" V "}", "null", 1, "neither"},
      {"{" V ",\"id\":1}", "1", 1, "neither"},
      {"{" V ",\"id\":null,\"method\":\"m\"}", "null", 1, "id"},
      {"{" V ",\"id\":1.5,\"method\":\"m\"}", "null", 1, "id"},
      {"{" V ",\"id\":{},\"method\":\"m\"}", "null", 1, "id"},
      {"{" V ",\"id\":true,\"method\":\"m\"}", "null", 1, "id"},
      {"{" V ",\"id\":1,\"method\":5}", "1", 1, "method"},
      {"{" V ",\"method\":5}", "null", 1, "method"},
      {"{" V ",\"id\":1,\"method\":null}", "1", 1, "method"},
      {"{" V ",\"id\":1,\"method\":\"m\",\"params\":[]}", "1", 1, "params"},
      {"{" V ",\"id\":1,\"method\":\"m\",\"params\":null}", "1", 1, "params"},
      {"{" V ",\"method\":\"m\",\"params\":7}", "null", 0, "params"},
      {"{" V ",\"id\":1,\"method\":\"m\",\"params\":{\"_meta\":1}}", "1", 1,
       "_meta"},
      {"{" V ",\"id\":1,\"method\":\"m\",\"result\":{}}", "1", 1, "beside"},
      {"{" V ",\"id\":1,\"result\":{},\"error\":{}}", "1", 0, "both"},
      {"{" V ",\"result\":{}}", "null", 0, "id"},
      {"{" V ",\"id\":null,\"result\":{}}", "null", 0, "id"},
      {"{" V ",\"id\":[],\"error\":{\"code\":1,\"message\":\"\"}}", "null", 0,
       "id"},
      {"{" V ",\"id\":1,\"error\":5}", "1", 0, "error"},
      {"{" V ",\"id\":1,\"error\":{\"message\":\"\"}}", "1", 0, "error"},
      {"{" V ",\"id\":1,\"error\":{\"code\":1}}", "1", 0, "error"},
      {"{" V ",\"id\":1,\"error\":{\"code\":1.5,\"message\":\"\"}}", "1", 0,
       "error"},
      {"{\"id\":1,\"result\":{}}", "1", 0, "jsonrpc"},
      {"{" V ",\"id\":1,\"method\":\"m\",\"method\":\"n\"}", "1", 1, "twice"},
      {"{" V "," V ",\"id\":1,\"method\":\"m\"}", "1", 1, "twice"},
      {"{" V ",\"id\":1,\"result\":{},\"x\":1,\"x\":2}", "1", 0, "twice"},
      {"{" V
       ",\"id\":1,\"method\":\"m\",\"params\":{\"a\":[{\"b\":1,\"b\":2}]}}",
       "1", 1, "within \"params\" occurs twice"},
      {"{" V ",\"id\":1,\"result\":{\"a\":{\"b\":1,\"b\":2}}}", "1", 0,
       "within \"result\" occurs twice"},
      {"{" V ",\"id\":1,\"error\":{\"code\":1,\"message\":\"m\",\"code\":2}}",
       "1", 0, "within the message occurs twice"},
      {"{" V ",\"id\":1,\"method\":\"m\",\"params\":{},"
       "\"x\":{\"a\":1,\"a\":2}}",
       "1", 1, "within the message occurs twice"},
      {"{" V ",\"id\":1,\"result\":{},\"x\":{\"a\":1,\"a\":2}}", "1", 0,
       "within the message occurs twice"},
      {"{" V ",\"id\":1,\"method\":\"m\",\"params\":{\"a\":1,\"a\":2}}", "1", 1,
       "params"},
      {"{" V ",\"id\":1,\"method\":\"m\",\"params\":"
       "{\"arguments\":{\"a\":1,\"a\":2}}}",
       "1", 1, "arguments"},
      {"{" V ",\"id\":1,\"method\":\"m\",\"params\":"
       "{\"_meta\":{\"a\":1,\"\\u0061\":2}}}",
       "1", 1, "_meta"},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    mcpi_message *message = parse(cases[i].text);
    mcpi_envelope e = read_envelope(message);
    assert_int_equal(e.kind, MCPI_INVALID);
    check_text(e.id, cases[i].id);
    assert_true(e.id.kind == MCPI_ID_NONE || e.id.kind == MCPI_ID_NUMBER);
    if (e.wants_answer != cases[i].wants_answer ||
        strstr(e.reason, cases[i].reason) == NULL) {
      fail_msg("%s: %d, %s", cases[i].text, e.wants_answer, e.reason);
    }
    assert_null(e.params);
    assert_null(e.result);
    assert_null(e.error);
    mcpi_message_unref(message);
  }
}

FIXTURE_TEST(a_result_with_too_long_an_id_says_so) {
  char text[65536 + 128];
  snprintf(text, sizeof(text), "{" V ",\"id\":\"%065537d\",\"result\":{}}", 0);
  mcpi_message *message = parse(text);
  mcpi_envelope e = read_envelope(message);
  assert_int_equal(e.kind, MCPI_INVALID);
  assert_int_equal(e.wants_answer, 0);
  assert_string_equal(e.reason, "\"id\" is longer than 65536 bytes");
  mcpi_message_unref(message);
}

FIXTURE_TEST(doubles_are_of_one_object) {
  mcpi_message *message =
      parse("{" V ",\"id\":1,\"method\":\"m\",\"params\":"
            "{\"arguments\":{\"a\":[{\"a\":1},{\"a\":2}]}}}");
  assert_int_equal(read_envelope(message).kind, MCPI_REQUEST);
  mcpi_message_unref(message);
  message = parse("{" V ",\"id\":1,\"method\":\"m\","
                  "\"params\":{\"arguments\":[1,1]}}");
  assert_int_equal(read_envelope(message).kind, MCPI_REQUEST);
  mcpi_message_unref(message);
}

/* Params with enough members that the search for duplicates needs memory. */
static int read_large(const mcp_allocator *allocator, void *userdata) {
  const mcpi_message *message = userdata;
  mcpi_envelope e;
  int rc = mcpi_envelope_read(&e, message->root, allocator, seed);
  assert_true(rc != 0 || e.kind == MCPI_REQUEST);
  return rc;
}

FIXTURE_TEST(failures_are_survived) {
  char text[4096] = "{" V ",\"id\":1,\"method\":\"m\",\"params\":{\"n\":0";
  char small[] = "{\"a\":1}";
  assert_int_equal(failing_alloc_rerun(parse_once, small), 1);
  for (int i = 0; i < 100; i++) {
    sprintf(text + strlen(text), ",\"n%d\":1", i);
  }
  strcat(text, "}}");
  mcpi_message *message = parse(text);
  assert_true(failing_alloc_rerun(read_large, message) >= 3);
  mcpi_message_unref(message);
}

/* --- writers ------------------------------------------------------------ */

FIXTURE_TEST(heads_and_errors_are_written) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), SIZE_MAX);
  mcpi_put_request_head(&buf, MCPI_STR("5"), MCPI_STR("a\"b"));
  mcpi_buf_lit(&buf, "}\n");
  mcpi_put_request_head(&buf, MCPI_STR(""), MCPI_STR("n"));
  mcpi_buf_lit(&buf, "}\n");
  mcpi_put_result_head(&buf, MCPI_STR("\"x\""));
  mcpi_buf_lit(&buf, "{}}\n");
  mcpi_put_error(&buf, MCPI_STR("5"), -32601, MCPI_STR("no\n"), MCPI_STR(""));
  mcpi_buf_lit(&buf, "\n");
  mcpi_put_error(&buf, MCPI_STR(""), 1, MCPI_STR("m"), MCPI_STR("[1]"));
  mcpi_buf_putc(&buf, '\0');
  assert_string_equal(buf.data,
                      "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"a\\\"b\"}\n"
                      "{\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n"
                      "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}\n"
                      "{\"jsonrpc\":\"2.0\",\"id\":5,\"error\":"
                      "{\"code\":-32601,\"message\":\"no\\n\"}}\n"
                      "{\"jsonrpc\":\"2.0\",\"error\":"
                      "{\"code\":1,\"message\":\"m\",\"data\":[1]}}");
  mcpi_buf_deinit(&buf);
}
