/* SPDX-License-Identifier: MIT */
#include "codec/sse.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/guarded.h"
#include <mcp/error.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_EVENT = 40 };

/* What came out, in words: "[name|data]", "+id" behind it when it brought one,
 * "(...)" when it was empty, "<long>", "<nomem>". */
typedef struct record {
  char text[8192];
  size_t len;
} record;

static void say(record *r, const char *bytes, size_t len) {
  assert_true(r->len + len < sizeof(r->text));
  if (len > 0) {
    memcpy(r->text + r->len, bytes, len);
  }
  r->len += len;
  r->text[r->len] = '\0';
}

static void note_event(record *r, int rc, const mcpi_sse_event *event) {
  say(r, rc == MCPI_SSE_EVENT ? "[" : "(", 1);
  if (!mcpi_str_eq(event->name, MCPI_STR("message"))) {
    say(r, event->name.ptr, event->name.len);
    say(r, "|", 1);
  }
  say(r, event->data.ptr, event->data.len);
  say(r, rc == MCPI_SSE_EVENT ? "]" : ")", 1);
  if (event->has_id) {
    say(r, "+", 1);
    say(r, event->id.ptr, event->id.len);
  }
}

static void note(record *r, int rc, const mcpi_sse_event *event) {
  switch (rc) {
  case MCPI_SSE_TOO_LONG:
    say(r, "<long>", 6);
    break;
  case MCPI_SSE_NOMEM:
    say(r, "<nomem>", 7);
    break;
  default:
    note_event(r, rc, event);
  }
}

static void feed(mcpi_sse_reader *reader, const char *bytes, size_t len,
                 record *r) {
  char *copy = guarded_copy(bytes, len);
  const char *at = copy;
  size_t left = len;
  mcpi_sse_event event;
  int rc;
  while ((rc = mcpi_sse_next(reader, &at, &left, &event)) != MCPI_SSE_MORE) {
    note(r, rc, &event);
  }
  assert_int_equal(left, 0);
  assert_ptr_equal(at, copy + len);
  guarded_free(copy, len);
}

/* Whole, cut once at every byte, and byte by byte. */
static void check_n(const char *input, size_t len, const char *expected) {
  for (size_t cut = 0; cut <= len + 1; cut++) {
    mcpi_sse_reader reader;
    record r = {{0}, 0};
    mcpi_sse_reader_init(&reader, mcp_allocator_default(), MAX_EVENT);
    if (cut <= len) {
      feed(&reader, input, cut, &r);
      feed(&reader, input + cut, len - cut, &r);
    } else {
      for (size_t i = 0; i < len; i++) {
        feed(&reader, input + i, 1, &r);
      }
    }
    assert_string_equal(r.text, expected);
    mcpi_sse_reader_deinit(&reader);
  }
}

static void check(const char *input, const char *expected) {
  check_n(input, strlen(input), expected);
}

TEST(events_are_found_in_any_cut) {
  check("", "");
  check("data: a\n\n", "[a]");
  check("data:a\n\ndata:  b\n\n", "[a][ b]");
  check("event: endpoint\ndata: /m?s=1\n\n", "[endpoint|/m?s=1]");
  check("data: a\nevent: x\nevent: y\n\ndata: b\n\n", "[y|a][b]");
  check("data: {\"a\":\":\"}\n\n", "[{\"a\":\":\"}]");
  check("data: a\nevent: x\nevent:\n\n", "[a]");
  check("data: a\n\n\n\ndata: b\n\n", "[a][b]");
}

TEST(lines_end_in_three_ways) {
  check("data: a\r\rdata: b\r\r", "[a][b]");
  check("data: a\r\n\r\ndata: b\r\n\r\n", "[a][b]");
  check("data: a\r\n\rdata: b\n\r\n", "[a][b]");
  check("data: a\rdata: b\ndata: c\r\n\n", "[a\nb\nc]");
  check("data: a\n\rdata: b\r\r\n", "[a][b]");
}

/* The blank line's CR ends the event: its LF may be long in coming. */
TEST(a_cr_is_not_waited_behind) {
  mcpi_sse_reader reader;
  record r = {{0}, 0};
  mcpi_sse_reader_init(&reader, mcp_allocator_default(), MAX_EVENT);
  feed(&reader, "data: a\r\n\r", 10, &r);
  assert_string_equal(r.text, "[a]");
  feed(&reader, "\ndata: b\r", 9, &r);
  feed(&reader, "\n", 1, &r);
  assert_string_equal(r.text, "[a]");
  feed(&reader, "\n", 1, &r);
  assert_string_equal(r.text, "[a][b]");
  mcpi_sse_reader_deinit(&reader);
}

TEST(data_lines_are_joined) {
  check("data: a\ndata: b\n\n", "[a\nb]");
  check("data: a\nid: 1\ndata: b\ndata: c\n\n", "[a\nb\nc]+1");
  check("data\ndata\n\n", "[\n]");
  check("data: a\ndata:\n\n", "[a\n]");
  check("data:\ndata: a\n\n", "[\na]");
}

TEST(a_byte_order_mark_is_skipped_once) {
  check("\xEF\xBB\xBF"
        "data: a\n\n",
        "[a]");
  check("\xEF\xBB\xBF\xEF\xBB\xBF"
        "data: a\n\ndata: b\n\n",
        "[b]");
  check("data: a\n\n\xEF\xBB\xBF"
        "data: b\n\n",
        "[a]");
  check("\xEF\xBB"
        "data: a\ndata: b\n\n",
        "[b]");
  check("\xEF\n\ndata: b\n\n", "[b]");
  check("\xEF\xBB\xBF: it\n\ndata: b\n\n", "[b]");
  check("\xEF\xBB\xBF\n\ndata: b\n\n", "[b]");
}

TEST(what_is_no_field_is_ignored) {
  check(": keep-alive\n\n:\n\ndata: a\n:data: b\n\n", "[a]");
  check("foo: a\n\nDATA: b\n\n data: c\n\ndatas: d\n\ndat\n\n", "");
  check("data : a\n\n", "");
  check("foo\ndata: a\nbar: 1\n\n", "[a]");
  check(": a comment may be longer than any event is allowed to be\n"
        "data: a\n: another comment that does not count for the limit\n\n",
        "[a]");
}

TEST(what_is_not_whole_is_no_event) {
  check("data: a", "");
  check("data: a\n", "");
  check("data: a\n\nid: 2\ndata: b\n", "[a]");
}

TEST(without_data_it_is_no_message) {
  check("id: 1\ndata:\n\n", "()+1");
  check("id: 1\ndata: \n\n", "()+1");
  check("id: s3-0\nretry: 2000\ndata:\n\ndata: a\n\n", "()+s3-0[a]");
  check("id: 1\n\n", "()+1");
  check("event: x\n\ndata: a\n\n", "(x|)[a]");
  check("retry: 1\n\n", "()");
}

TEST(ids_last) {
  check("id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n\n", "[a]+1[b][c]+2");
  check("id: 1\nid: 2\ndata: a\n\nid\ndata: b\n\n", "[a]+2[b]+");
  check_n("id: 1\nid: a\0b\ndata: a\n\n", 23, "[a]+1");
  check_n("id: a\0b\ndata: a\n\n", 17, "[a]");
}

TEST(the_last_id_is_that_of_a_whole_event) {
  mcpi_sse_reader reader;
  record r = {{0}, 0};
  mcpi_sse_reader_init(&reader, mcp_allocator_default(), MAX_EVENT);
  assert_int_equal(mcpi_sse_last_id(&reader).len, 0);
  feed(&reader, "id: 1\ndata: a\n\ndata: b\n\nid: 2\ndata: c\n", 38, &r);
  assert_true(mcpi_str_eq(mcpi_sse_last_id(&reader), MCPI_STR("1")));
  mcpi_sse_restart(&reader);
  feed(&reader, "\xEF\xBB\xBF\n\ndata: d\n\n", 14, &r);
  assert_true(mcpi_str_eq(mcpi_sse_last_id(&reader), MCPI_STR("1")));
  assert_string_equal(r.text, "[a]+1[b][d]");
  mcpi_sse_reader_deinit(&reader);
}

static int64_t retry_of(const char *input) {
  mcpi_sse_reader reader;
  record r = {{0}, 0};
  mcpi_sse_reader_init(&reader, mcp_allocator_default(), MAX_EVENT);
  feed(&reader, input, strlen(input), &r);
  int64_t retry_ms = reader.retry_ms;
  mcpi_sse_reader_deinit(&reader);
  return retry_ms;
}

TEST(retry_is_digits_only) {
  assert_int_equal(retry_of(""), -1);
  assert_int_equal(retry_of("retry: 2000\n"), 2000);
  assert_int_equal(retry_of("retry:0\n\n"), 0);
  assert_int_equal(retry_of("retry: 007\ndata: a\n\n"), 7);
  assert_int_equal(retry_of("retry: 1\nretry: 2\nretry: -3\n"), 2);
  assert_int_equal(retry_of("retry: 1x\n"), -1);
  assert_int_equal(retry_of("retry:  1\n"), -1);
  assert_int_equal(retry_of("retry:\n"), -1);
  assert_int_equal(retry_of("retry\n"), -1);
  assert_int_equal(retry_of("retry: 1"), -1);
  assert_int_equal(retry_of("retry: 4294967295\n"), UINT32_MAX);
  assert_int_equal(retry_of("retry: 4294967296\n"), UINT32_MAX);
  assert_int_equal(retry_of("retry: 99999999999999999999999999\n"), UINT32_MAX);
}

TEST(the_limit_holds_at_and_one_past) {
  const char *at = "[1234567890123456789012345678901234]";
  check("data: 1234567890123456789012345678901234\n\n", at);
  check("data: 12345678901234567890123456789012345\n\ndata: x\n\n",
        "<long>[x]");
  check("data: 123456789012345678\r\ndata: 12345\rid: 7\r\r",
        "[123456789012345678\n12345]+7");
  check("data: 123456789012345678\r\ndata: 123456\rid: 7\r\rdata: x\r\r",
        "<long>[x]");
  check("\xEF\xBB\xBF"
        "data: 1234567890123456789012345678901234\n\n",
        at);
  check("foo: 1234567890123456789012345678901234567890\ndata: b\n\ndata: x\n\n",
        "<long>[x]");
  check("data: 123456789012345678901234567890123456789012345678901234567890"
        "\ndata: the rest of it is lost as well\nid: 9\n\ndata: x\n\n",
        "<long>[x]");
}

TEST(a_whole_line_is_not_copied) {
  failing_alloc alloc;
  mcpi_sse_reader reader;
  mcpi_sse_event event;
  const char input[] = "data: one\n\ndata: two\r\n\r\n";
  const char *at = input;
  size_t left = strlen(input);
  failing_alloc_init(&alloc);
  mcpi_sse_reader_init(&reader, &alloc.allocator, MAX_EVENT);
  assert_int_equal(mcpi_sse_next(&reader, &at, &left, &event), MCPI_SSE_EVENT);
  assert_ptr_equal(event.data.ptr, input + 6);
  assert_int_equal(mcpi_sse_next(&reader, &at, &left, &event), MCPI_SSE_EVENT);
  assert_ptr_equal(event.data.ptr, input + 17);
  assert_int_equal(alloc.calls, 0);
  mcpi_sse_reader_deinit(&reader);
}

TEST(a_steady_stream_asks_for_no_memory) {
  static const char input[] = "event: message\nid: 12\ndata: a\ndata: b\n\n";
  failing_alloc alloc;
  mcpi_sse_reader reader;
  size_t calls = 0;
  failing_alloc_init(&alloc);
  mcpi_sse_reader_init(&reader, &alloc.allocator, MAX_EVENT);
  for (int i = 0; i < 100; i++) {
    record r = {{0}, 0};
    feed(&reader, input, 26, &r);
    feed(&reader, input + 26, strlen(input) - 26, &r);
    assert_string_equal(r.text, "[a\nb]+12");
    calls = i == 2 ? atomic_load(&alloc.calls) : calls;
  }
  assert_int_equal(alloc.calls, calls);
  mcpi_sse_reader_deinit(&reader);
}

/* The handler of an event ends all: nothing of the reader is touched. */
TEST(it_may_be_freed_between_two_calls) {
  mcpi_sse_reader *reader = malloc(sizeof(*reader));
  mcpi_sse_event event;
  const char *at = "data: a\ndata: b\n\ndata: c\n\n";
  size_t left = strlen(at);
  assert_non_null(reader);
  mcpi_sse_reader_init(reader, mcp_allocator_default(), MAX_EVENT);
  assert_int_equal(mcpi_sse_next(reader, &at, &left, &event), MCPI_SSE_EVENT);
  mcpi_sse_reader_deinit(reader);
  free(reader);
  assert_string_equal(at, "data: c\n\n");
}

TEST(a_long_events_memory_is_given_back) {
  enum { LEN = 1 << 20 };
  failing_alloc alloc;
  mcpi_sse_reader reader;
  mcpi_sse_event event;
  char *text = malloc(LEN);
  assert_non_null(text);
  memset(text, 'x', LEN);
  memcpy(text, "data: ", 6);
  failing_alloc_init(&alloc);
  mcpi_sse_reader_init(&reader, &alloc.allocator, SIZE_MAX);
  for (size_t i = 0; i < LEN; i++) { /* quadratic work would take minutes */
    const char *at = text + i;
    size_t left = 1;
    assert_int_equal(mcpi_sse_next(&reader, &at, &left, &event), MCPI_SSE_MORE);
  }
  const char *at = "\n\n";
  size_t left = 2;
  assert_int_equal(mcpi_sse_next(&reader, &at, &left, &event), MCPI_SSE_EVENT);
  assert_int_equal(event.data.len, LEN - 6);
  assert_int_equal(mcpi_sse_next(&reader, &at, &left, &event), MCPI_SSE_MORE);
  assert_int_equal(alloc.live_bytes, 0);
  mcpi_sse_reader_deinit(&reader);
  free(text);
}

static int feed_cut(const mcp_allocator *allocator, void *userdata) {
  static const char input[] = "id: 1\nevent: x\ndata: a\ndata: b\n\n"
                              "id: 2\ndata: c\n\ndata: end\n\n";
  mcpi_sse_reader reader;
  record r = {{0}, 0};
  mcpi_sse_reader_init(&reader, allocator, MAX_EVENT);
  for (size_t i = 0; i < strlen(input); i++) {
    feed(&reader, input + i, 1, &r);
  }
  mcpi_sse_reader_deinit(&reader);
  if (strstr(r.text, "<nomem>") == NULL) {
    assert_string_equal(r.text, "[x|a\nb]+1[c]+2[end]");
    return 0;
  }
  assert_non_null(strstr(r.text, "[end]"));
  return MCP_ERR_NOMEM;
}

TEST(failures_are_survived) {
  assert_true(failing_alloc_rerun(feed_cut, NULL) >= 4);
}

/* --- writing ------------------------------------------------------------ */

static void check_put(const char *id, const char *name, const char *data,
                      const char *expected) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), 1000);
  assert_int_equal(mcpi_sse_put_event(&buf, mcpi_str_z(id), mcpi_str_z(name),
                                      mcpi_str_z(data)),
                   0);
  mcpi_buf_putc(&buf, '\0');
  assert_string_equal(buf.data, expected);
  mcpi_buf_deinit(&buf);
}

TEST(events_are_written) {
  check_put(NULL, NULL, "{}", "data: {}\n\n");
  check_put("5", NULL, "{}", "id: 5\ndata: {}\n\n");
  check_put("", "", "", "id:\ndata:\n\n");
  check_put(NULL, "endpoint", "/m", "event: endpoint\ndata: /m\n\n");
  check_put(NULL, NULL, " a", "data:  a\n\n");
}

TEST(data_is_split_into_lines) {
  check_put(NULL, NULL, "a\nb\rc\r\nd",
            "data: a\ndata: b\ndata: c\ndata: d\n\n");
  check_put(NULL, NULL, "\n", "data:\ndata:\n\n");
  check_put(NULL, NULL, "a\r", "data: a\ndata:\n\n");
  check_put(NULL, NULL, "a\n\r\n\nb", "data: a\ndata:\ndata:\ndata: b\n\n");
}

TEST(breaks_in_id_and_name_are_refused) {
  static const mcpi_str bad[] = {{"a\nb", 3}, {"\r", 1}, {"a\0", 2}};
  mcpi_str none = {NULL, 0};
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), 1000);
  for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
    assert_int_equal(mcpi_sse_put_event(&buf, bad[i], none, none),
                     MCP_ERR_INVALID);
    assert_int_equal(mcpi_sse_put_event(&buf, none, bad[i], none),
                     MCP_ERR_INVALID);
  }
  assert_int_equal(mcpi_sse_put_comment(&buf, bad[0]), MCP_ERR_INVALID);
  assert_int_equal(mcpi_sse_put_comment(&buf, bad[1]), MCP_ERR_INVALID);
  assert_int_equal(buf.len, 0);
  assert_int_equal(buf.error, 0);
  mcpi_buf_deinit(&buf);
}

/* A stream as a server primes it (MCP 2025-11-25, Transports: Sending Messages
 * to the Server). */
TEST(a_priming_event_is_written) {
  mcpi_str none = {NULL, 0};
  mcpi_buf buf;
  mcpi_buf_init(&buf, mcp_allocator_default(), 1000);
  assert_int_equal(mcpi_sse_put_comment(&buf, none), 0);
  assert_int_equal(mcpi_sse_put_comment(&buf, MCPI_STR("keep-alive")), 0);
  mcpi_sse_put_retry(&buf, 2000);
  assert_int_equal(mcpi_sse_put_event(&buf, MCPI_STR("s3-0"), none, none), 0);
  mcpi_buf_putc(&buf, '\0');
  assert_string_equal(buf.data,
                      ":\n: keep-alive\nretry: 2000\nid: s3-0\ndata:\n\n");
  check(buf.data, "()+s3-0");
  mcpi_buf_deinit(&buf);
}

static int put_all(const mcp_allocator *allocator, void *userdata) {
  mcpi_buf buf;
  mcpi_buf_init(&buf, allocator, 10000);
  for (int i = 0; i < 100; i++) {
    mcpi_sse_put_event(&buf, MCPI_STR("1"), MCPI_STR("x"), MCPI_STR("a\nb"));
  }
  int rc = buf.error;
  mcpi_buf_deinit(&buf);
  return rc;
}

TEST(writing_without_memory_fails) {
  assert_true(failing_alloc_rerun(put_all, NULL) >= 2);
}

/* Random pieces against the events of the whole. */
TEST(random_cuts_agree) {
  static const char *const tokens[] = {
      "data:", "data: ", "id: ", "event: ", "retry: ", ":",   "\n", "\r",
      "\r\n",  "\n\n",   "a",    "bc",      "1",       "foo", " ",  "\xEF\xBB"};
  srand(6);
  for (int round = 0; round < 3000; round++) {
    char input[400] = "";
    record whole = {{0}, 0};
    record pieces = {{0}, 0};
    mcpi_sse_reader one;
    mcpi_sse_reader two;
    for (int i = 0; i < 50; i++) {
      strcat(input, tokens[rand() % (int)(sizeof(tokens) / sizeof(*tokens))]);
    }
    size_t len = strlen(input);
    mcpi_sse_reader_init(&one, mcp_allocator_default(), MAX_EVENT);
    mcpi_sse_reader_init(&two, mcp_allocator_default(), MAX_EVENT);
    feed(&one, input, len, &whole);
    for (size_t done = 0; done < len;) {
      size_t piece = 1 + (size_t)rand() % (len - done);
      feed(&two, input + done, piece, &pieces);
      done += piece;
    }
    assert_string_equal(whole.text, pieces.text);
    assert_int_equal(one.retry_ms, two.retry_ms);
    assert_true(mcpi_str_eq(mcpi_sse_last_id(&one), mcpi_sse_last_id(&two)));
    mcpi_sse_reader_deinit(&one);
    mcpi_sse_reader_deinit(&two);
  }
}
