/* SPDX-License-Identifier: MIT */
#include "core/pending.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <stdio.h>
#include <string.h>

/* --- a request of ours, and what became of it --------------------------- */

typedef struct asked {
  mcpi_pending pending;
  int done;
  int status;
  int had_reply;
  mcp_error err;
  int progress_count;
  double progress;
  double total;
  char note[32];
} asked;

static void on_done(mcpi_pending *pending, int status, mcpi_message *message,
                    const mcpi_envelope *reply, const mcp_error *err) {
  asked *a = (asked *)(void *)pending;
  assert_null(pending->table);
  assert_int_equal(pending->timer.place, 0);
  assert_int_equal(message != NULL, reply != NULL);
  assert_int_equal(err != NULL, status != 0);
  a->done++;
  a->status = status;
  a->had_reply = reply != NULL;
  if (err != NULL) {
    assert_int_equal(err->code, status);
    a->err = *err;
  }
}

static void on_progress(mcpi_pending *pending, double progress, double total,
                        const char *message) {
  asked *a = (asked *)(void *)pending;
  a->progress_count++;
  a->progress = progress;
  a->total = total;
  snprintf(a->note, sizeof(a->note), "%s", message != NULL ? message : "-");
}

static void ask_again(asked *a) {
  memset(a, 0xEE, sizeof(*a)); /* the table must not rely on zeros */
  a->done = 0;
  a->progress_count = 0;
  a->pending.on_done = on_done;
  a->pending.on_progress = on_progress;
  a->pending.timeout_name = "timeout_ms";
  a->pending.max_name = "max_ms";
}

/* --- the table and what comes to it ------------------------------------- */

typedef struct scene {
  mcp_loop *loop;
  mcpi_pending_table table;
} scene;

static scene s;

static void begin(size_t max) {
  s.loop = mcp_loop_new_manual(NULL, NULL, NULL);
  mcp_loop_advance(s.loop, 1000, 0);
  mcpi_pending_table_init(&s.table, s.loop, max);
}

static void end(void) {
  mcpi_pending_table_deinit(&s.table);
  assert_true(mcp_loop_next_deadline(s.loop) == INT64_MAX);
  mcp_loop_free(s.loop);
}

static int set_up(void **state) {
  begin(3);
  return 0;
}

static int tear_down(void **state) {
  end();
  return 0;
}

#define SCENE_TEST(name) TEST_WITH(name, set_up, tear_down)

static void add(asked *a, uint32_t timeout_ms, uint32_t max_ms) {
  ask_again(a);
  assert_int_equal(mcpi_pending_add(&s.table, &a->pending, timeout_ms, max_ms),
                   0);
}

static int reply(const char *text) {
  static const mcpi_message_limits limits = {1000000, 100, 10000};
  mcpi_message *message;
  mcpi_envelope envelope;
  assert_int_equal(mcpi_message_parse(&message, &s.loop->pool, text,
                                      strlen(text), &limits, NULL),
                   0);
  assert_int_equal(mcpi_envelope_read(&envelope, message->root,
                                      &s.loop->allocator, s.loop->hash_seed),
                   0);
  int rc = mcpi_pending_reply(&s.table, message, &envelope);
  mcpi_message_unref(message);
  return rc;
}

static int reply_to(uint64_t id) {
  char text[100];
  snprintf(text, sizeof(text),
           "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{}}",
           (unsigned long long)id);
  return reply(text);
}

static int progress(const char *params) {
  mcp_doc *doc = mcp_doc_parse(params, strlen(params), NULL, NULL, NULL);
  assert_non_null(doc);
  int rc = mcpi_pending_progress(&s.table, mcp_doc_root(doc));
  mcp_doc_free(doc);
  return rc;
}

static int progress_of(uint64_t id, double number) {
  char text[100];
  snprintf(text, sizeof(text), "{\"progressToken\":%llu,\"progress\":%g}",
           (unsigned long long)id, number);
  return progress(text);
}

/* --- replies ------------------------------------------------------------ */

TEST(replies_come_in_any_order) {
  asked a, b, c;
  begin(10);
  add(&a, 0, 0);
  add(&b, 0, 0);
  add(&c, 0, 0);
  assert_int_equal(a.pending.id, 1);
  assert_int_equal(c.pending.id, 3);
  assert_ptr_equal(mcpi_pending_find(&s.table, 2), &b.pending);
  assert_int_equal(reply_to(3), 1);
  assert_int_equal(reply_to(1), 1);
  assert_int_equal(reply_to(2), 1);
  assert_int_equal(a.done + b.done + c.done, 3);
  assert_int_equal(a.status, 0);
  assert_int_equal(a.had_reply, 1);
  /* Once more answers nothing. */
  assert_int_equal(reply_to(2), 0);
  assert_int_equal(b.done, 1);
  end();
}

TEST(only_our_own_ids_match) {
  asked a;
  begin(10);
  add(&a, 0, 0);
  static const char *const strangers[] = {
      "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}",
      "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}",
      "{\"jsonrpc\":\"2.0\",\"id\":-1,\"result\":{}}",
      "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}",
      "{\"jsonrpc\":\"2.0\",\"id\":18446744073709551617,\"result\":{}}",
      "{\"jsonrpc\":\"2.0\",\"id\":123456789012345678901234567890,"
      "\"result\":{}}",
      "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":1,"
      "\"message\":\"m\"}}",
      "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":1,\"message\":\"m\"}}",
  };
  for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++) {
    assert_int_equal(reply(strangers[i]), 0);
  }
  assert_int_equal(a.done, 0);
  assert_int_equal(reply_to(1), 1);
  end();
}

TEST(an_error_reply_carries_its_code) {
  asked a;
  begin(10);
  add(&a, 0, 0);
  assert_int_equal(reply("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{"
                         "\"code\":-32601,\"message\":\"no such\"}}"),
                   1);
  assert_int_equal(a.status, MCP_ERR_REMOTE);
  assert_int_equal(a.had_reply, 1);
  assert_int_equal(a.err.status, -32601);
  assert_string_equal(a.err.message, "no such");
  add(&a, 0, 0);
  assert_int_equal(reply("{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{"
                         "\"code\":99999999999,\"message\":\"far\"}}"),
                   1);
  assert_int_equal(a.err.status, INT32_MAX);
  add(&a, 0, 0);
  assert_int_equal(reply("{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{"
                         "\"code\":-99999999999,\"message\":\"far\"}}"),
                   1);
  assert_int_equal(a.err.status, INT32_MIN);
  end();
}

/* --- limits ------------------------------------------------------------- */

TEST(there_is_room_for_max_and_no_more) {
  asked a[3], more;
  begin(3);
  for (size_t i = 0; i < 3; i++) {
    add(&a[i], 100, 0);
  }
  ask_again(&more);
  assert_int_equal(mcpi_pending_add(&s.table, &more.pending, 0, 0),
                   MCP_ERR_LIMIT);
  mcpi_pending_remove(&more.pending); /* harmless */
  assert_int_equal(reply_to(2), 1);
  assert_int_equal(mcpi_pending_add(&s.table, &more.pending, 0, 0), 0);
  assert_int_equal(more.pending.id, 4); /* no id is given twice */
  mcpi_pending_remove(&a[0].pending);
  mcpi_pending_remove(&a[0].pending);
  mcpi_pending_remove(&a[2].pending);
  mcpi_pending_remove(&more.pending);
  assert_int_equal(a[0].done, 0);
  end();
}

/* --- deadlines ---------------------------------------------------------- */

SCENE_TEST(a_request_times_out_once) {
  asked a;
  add(&a, 100, 0);
  mcp_loop_advance(s.loop, 1099, 0);
  assert_int_equal(a.done, 0);
  mcp_loop_advance(s.loop, 1100, 0);
  assert_int_equal(a.done, 1);
  assert_int_equal(a.status, MCP_ERR_TIMEOUT);
  assert_string_equal(a.err.message, "no answer within 100 ms (timeout_ms)");
  assert_int_equal(a.had_reply, 0);
  assert_int_equal(reply_to(1), 0); /* late */
  mcp_loop_advance(s.loop, 5000, 0);
  assert_int_equal(a.done, 1);
}

SCENE_TEST(progress_extends_the_deadline) {
  asked a;
  add(&a, 100, 0);
  mcp_loop_advance(s.loop, 1090, 0);
  assert_int_equal(progress_of(1, 0), 1);
  mcp_loop_advance(s.loop, 1189, 0);
  assert_int_equal(a.done, 0);
  /* Progress that does not increase does not extend the deadline. */
  assert_int_equal(progress_of(1, 0), 1);
  assert_int_equal(progress_of(1, -1), 1);
  assert_int_equal(a.progress_count, 1);
  mcp_loop_advance(s.loop, 1190, 0);
  assert_int_equal(a.status, MCP_ERR_TIMEOUT);
  assert_int_equal(progress_of(1, 5), 0);
}

SCENE_TEST(progress_does_not_extend_past_the_bound) {
  asked a;
  add(&a, 100, 250);
  for (int i = 1; i <= 4; i++) {
    mcp_loop_advance(s.loop, 1000 + i * 60, 0);
    assert_int_equal(progress_of(1, i), 1);
    assert_int_equal(a.done, 0);
  }
  assert_int_equal(mcp_loop_next_deadline(s.loop), 1250);
  mcp_loop_advance(s.loop, 1249, 0);
  assert_int_equal(a.done, 0);
  mcp_loop_advance(s.loop, 1250, 0);
  assert_int_equal(a.status, MCP_ERR_TIMEOUT);
  assert_string_equal(a.err.message, "not finished within 250 ms (max_ms)");
}

TEST(the_bound_may_stand_alone) {
  asked a, b;
  begin(3);
  add(&a, 0, 50);
  add(&b, 80, 30); /* the bound comes first */
  assert_int_equal(mcp_loop_next_deadline(s.loop), 1030);
  mcp_loop_advance(s.loop, 1030, 0);
  assert_int_equal(b.done, 1);
  assert_string_equal(b.err.message, "not finished within 30 ms (max_ms)");
  assert_int_equal(progress_of(1, 1), 1);
  assert_int_equal(mcp_loop_next_deadline(s.loop), 1050);
  mcp_loop_advance(s.loop, 1050, 0);
  assert_int_equal(a.done, 1);
  end();
}

SCENE_TEST(without_a_limit_there_is_no_clock) {
  asked a;
  add(&a, 0, 0);
  assert_true(mcp_loop_next_deadline(s.loop) == INT64_MAX);
  assert_int_equal(progress_of(1, 1), 1);
  assert_true(mcp_loop_next_deadline(s.loop) == INT64_MAX);
  mcpi_pending_remove(&a.pending);
}

TEST(a_held_clock_stands_still) {
  asked a, b, c, d;
  begin(4);
  add(&a, 100, 0);
  add(&d, 0, 0);
  mcp_loop_advance(s.loop, 1060, 0);
  mcpi_pending_hold(&s.table);
  mcp_loop_advance(s.loop, 1500, 0); /* past a's time */
  mcpi_pending_hold(&s.table);
  add(&b, 50, 0);
  add(&c, 50, 70);
  mcp_loop_advance(s.loop, 2000, 0);
  assert_int_equal(progress_of(4, 1), 1);
  mcpi_pending_let_go(&s.table);
  mcp_loop_advance(s.loop, 9000, 0);
  assert_true(mcp_loop_next_deadline(s.loop) == INT64_MAX);
  mcpi_pending_let_go(&s.table);
  mcp_loop_advance(s.loop, 9039, 0); /* a had 40 left, b and c all of theirs */
  assert_int_equal(a.done, 0);
  assert_int_equal(progress_of(4, 2), 1);
  mcp_loop_advance(s.loop, 9040, 0);
  assert_int_equal(a.status, MCP_ERR_TIMEOUT);
  mcp_loop_advance(s.loop, 9049, 0);
  assert_int_equal(b.done, 0);
  mcp_loop_advance(s.loop, 9050, 0);
  assert_int_equal(b.status, MCP_ERR_TIMEOUT);
  mcp_loop_advance(s.loop, 9069, 0);
  assert_int_equal(c.done, 0);
  mcp_loop_advance(s.loop, 9070, 0);
  assert_int_equal(c.status, MCP_ERR_TIMEOUT);
  assert_true(mcp_loop_next_deadline(s.loop) == INT64_MAX);
  mcpi_pending_remove(&d.pending);
  end();
}

/* --- progress ----------------------------------------------------------- */

TEST(progress_reaches_its_request) {
  asked a, b;
  begin(3);
  add(&a, 0, 0);
  add(&b, 0, 0);
  b.pending.on_progress = NULL;
  assert_int_equal(progress("{\"progressToken\":1,\"progress\":0.5,"
                            "\"total\":2,\"message\":\"half\"}"),
                   1);
  assert_true(a.progress == 0.5 && a.total == 2);
  assert_string_equal(a.note, "half");
  assert_int_equal(progress_of(1, 0.75), 1);
  assert_true(a.progress == 0.75 && a.total == 0);
  assert_string_equal(a.note, "-");
  assert_int_equal(progress_of(2, 1), 1); /* nobody listens */
  mcpi_pending_remove(&a.pending);
  mcpi_pending_remove(&b.pending);
  end();
}

SCENE_TEST(malformed_progress_is_ignored) {
  asked a;
  add(&a, 0, 0);
  assert_int_equal(mcpi_pending_progress(&s.table, NULL), 0);
  assert_int_equal(progress("{}"), 0);
  assert_int_equal(progress("{\"progress\":1}"), 0);
  assert_int_equal(progress("{\"progressToken\":\"1\",\"progress\":1}"), 0);
  assert_int_equal(progress("{\"progressToken\":9,\"progress\":1}"), 0);
  assert_int_equal(progress("{\"progressToken\":{},\"progress\":1}"), 0);
  assert_int_equal(progress("{\"progressToken\":1}"), 1);
  assert_int_equal(progress("{\"progressToken\":1,\"progress\":\"1\"}"), 1);
  assert_int_equal(a.progress_count, 0);
  assert_int_equal(progress("{\"progressToken\":1,\"progress\":1,"
                            "\"total\":\"x\",\"message\":7}"),
                   1);
  assert_int_equal(a.progress_count, 1);
  assert_string_equal(a.note, "-");
  mcpi_pending_remove(&a.pending);
}

/* --- failing all, and callbacks that change the table ------------------- */

static mcp_error closed_error(void) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_CLOSED, "closed");
  return err;
}

TEST(all_are_failed) {
  asked a[20];
  mcp_error err = closed_error();
  begin(20);
  for (size_t i = 0; i < 20; i++) {
    add(&a[i], 100, 0);
  }
  mcpi_pending_fail_all(&s.table, &err);
  for (size_t i = 0; i < 20; i++) {
    assert_int_equal(a[i].done, 1);
    assert_int_equal(a[i].status, MCP_ERR_CLOSED);
  }
  mcpi_pending_fail_all(&s.table, &err); /* none is left */
  end();
}

static asked others[3];

static void ask_anew(mcpi_pending *pending, int status, mcpi_message *message,
                     const mcpi_envelope *envelope, const mcp_error *err) {
  on_done(pending, status, message, envelope, err);
  add(&others[0], 0, 0);
}

TEST(what_a_callback_adds_is_left_alone) {
  asked a;
  mcp_error err = closed_error();
  begin(20);
  add(&a, 100, 0);
  a.pending.on_done = ask_anew;
  mcpi_pending_fail_all(&s.table, &err);
  assert_int_equal(a.done, 1);
  assert_int_equal(others[0].done, 0);
  assert_int_equal(reply_to(2), 1);
  assert_int_equal(others[0].done, 1);
  end();
}

static void remove_the_others(mcpi_pending *pending, int status,
                              mcpi_message *message,
                              const mcpi_envelope *envelope,
                              const mcp_error *err) {
  on_done(pending, status, message, envelope, err);
  for (size_t i = 0; i < 3; i++) {
    mcpi_pending_remove(&others[i].pending);
    memset(&others[i], 0xEE, sizeof(others[i])); /* "freed" */
  }
}

TEST(a_callback_may_free_the_others) {
  asked a;
  mcp_error err = closed_error();
  begin(20);
  add(&a, 100, 0);
  a.pending.on_done = remove_the_others;
  for (size_t i = 0; i < 3; i++) {
    add(&others[i], 100, 0);
  }
  mcpi_pending_fail_all(&s.table, &err);
  assert_int_equal(a.done, 1);
  end();
}

static mcpi_pending_table *doomed;

/* As an owner does that ends in the first completion it gets. */
static void free_the_table(mcpi_pending *pending, int status,
                           mcpi_message *message, const mcpi_envelope *envelope,
                           const mcp_error *err) {
  on_done(pending, status, message, envelope, err);
  mcpi_pending_fail_all(doomed, err);
  mcpi_pending_table_deinit(doomed);
  mcpi_free(mcp_allocator_default(), doomed, sizeof(*doomed));
}

TEST(a_callback_may_free_the_table) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  asked a[4];
  mcp_error err = closed_error();
  doomed = mcpi_alloc(mcp_allocator_default(), sizeof(*doomed));
  mcpi_pending_table_init(doomed, loop, 10);
  for (size_t i = 0; i < 4; i++) {
    ask_again(&a[i]);
    assert_int_equal(mcpi_pending_add(doomed, &a[i].pending, 10, 0), 0);
  }
  a[1].pending.on_done = free_the_table;
  mcpi_pending_fail_all(doomed, &err);
  for (size_t i = 0; i < 4; i++) {
    assert_int_equal(a[i].done, 1);
  }
  mcp_loop_free(loop);
}

static void remove_myself(mcpi_pending *pending, double number, double total,
                          const char *message) {
  on_progress(pending, number, total, message);
  mcpi_pending_remove(pending);
  memset(&pending->timer, 0xEE, sizeof(pending->timer));
}

SCENE_TEST(progress_may_free_the_request) {
  asked a;
  add(&a, 100, 0);
  a.pending.on_progress = remove_myself;
  assert_int_equal(progress_of(1, 1), 1);
  assert_int_equal(a.progress_count, 1);
  assert_int_equal(a.done, 0);
}

/* --- memory ------------------------------------------------------------- */

static int add_many(const mcp_allocator *allocator, void *userdata) {
  asked a[20];
  int rc = 0;
  size_t added = 0;
  mcp_error err = closed_error();
  s.loop = mcp_loop_new_manual(NULL, allocator, NULL);
  if (s.loop == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcpi_pending_table_init(&s.table, s.loop, 20);
  for (; added < 20 && rc == 0; added += rc == 0) {
    ask_again(&a[added]);
    rc = mcpi_pending_add(&s.table, &a[added].pending, 10, 0);
  }
  assert_int_equal(s.table.by_id.count, added);
  mcpi_pending_fail_all(&s.table, &err);
  for (size_t i = 0; i < added; i++) {
    assert_int_equal(a[i].done, 1);
  }
  mcpi_pending_table_deinit(&s.table);
  mcp_loop_free(s.loop);
  return rc;
}

TEST(every_allocation_may_fail) {
  assert_true(failing_alloc_rerun(add_many, NULL) >= 5);
}

TEST(a_steady_stream_asks_for_no_memory) {
  failing_alloc alloc;
  asked a;
  failing_alloc_init(&alloc);
  s.loop = mcp_loop_new_manual(NULL, &alloc.allocator, NULL);
  mcpi_pending_table_init(&s.table, s.loop, 4);
  add(&a, 10, 0);
  assert_int_equal(reply_to(1), 1);
  size_t calls = alloc.calls;
  for (uint64_t i = 2; i < 1000; i++) {
    add(&a, 10, 0);
    assert_int_equal(reply_to(i), 1);
  }
  assert_int_equal(alloc.calls, calls);
  end();
  assert_int_equal(alloc.live_blocks, 0);
}
