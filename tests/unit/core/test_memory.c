/* SPDX-License-Identifier: MIT */
#include <mcp/loop.h>

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <mcp/transport.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- one end and what it has seen --------------------------------------- */

typedef struct seen {
  mcp_transport *transport;
  mcp_transport *other;
  char text[256]; /* messages, each with a blank behind it */
  int closes;
  int echoes; /* answers that are still to be sent */
  int then;   /* what to do at a message: one of the following */
} seen;

enum { DO_NOTHING, DO_CLOSE, DO_RELEASE, DO_RELEASE_BOTH };

static void act(seen *s) {
  if (s->echoes > 0) {
    s->echoes--;
    assert_int_equal(s->transport->send(s->transport, "echo", 4, NULL), 0);
  }
  if (s->then == DO_CLOSE) {
    s->transport->close(s->transport);
  }
  if (s->then == DO_RELEASE || s->then == DO_RELEASE_BOTH) {
    mcp_transport_free(s->transport);
  }
  if (s->then == DO_RELEASE_BOTH) {
    mcp_transport_free(s->other);
  }
}

static void on_message(mcp_transport *transport, const char *message,
                       size_t len) {
  seen *s = transport->owner;
  size_t used = strlen(s->text);
  snprintf(s->text + used, sizeof(s->text) - used, "%.*s ", (int)len, message);
  act(s);
}

static void on_close(mcp_transport *transport, const mcp_error *err) {
  seen *s = transport->owner;
  assert_true(err == NULL || err->code == 0);
  s->closes++;
  if (s->then == DO_RELEASE) {
    mcp_transport_free(transport);
  }
}

static void install(seen *s, mcp_transport *transport, mcp_transport *other) {
  *s = (seen){.transport = transport, .other = other};
  transport->owner = s;
  transport->on_message = on_message;
  transport->on_close = on_close;
}

/* --- a pair ------------------------------------------------------------- */

typedef struct scene {
  mcp_loop *loop;
  seen a;
  seen b;
  int64_t now_ms;
} scene;

static void begin(scene *s, const mcp_allocator *allocator) {
  mcp_transport *a;
  mcp_transport *b;
  s->loop = mcp_loop_new_manual(NULL, allocator, NULL);
  s->now_ms = 0;
  assert_int_equal(mcp_memory_pair(s->loop, &a, &b, NULL), 0);
  install(&s->a, a, b);
  install(&s->b, b, a);
}

static void start(seen *s) {
  assert_int_equal(s->transport->start(s->transport, NULL), 0);
}

static void begin_started(scene *s) {
  begin(s, NULL);
  start(&s->a);
  start(&s->b);
}

static void turn(scene *s) {
  mcp_loop_advance(s->loop, ++s->now_ms, 0);
}

/* Until nothing more is due. */
static void run(scene *s) {
  while (mcp_loop_next_deadline(s->loop) <= s->now_ms) {
    turn(s);
  }
}

static void finish(scene *s) {
  assert_true(mcp_loop_next_deadline(s->loop) == INT64_MAX);
  mcp_loop_free(s->loop);
}

static int say(seen *s, const char *text) {
  return s->transport->send(s->transport, text, strlen(text), NULL);
}

/* --- sending ------------------------------------------------------------ */

TEST(messages_arrive_in_order_in_a_later_turn) {
  scene s;
  begin_started(&s);
  assert_int_equal(s.a.transport->size, sizeof(mcp_transport));
  char text[] = "one";
  assert_int_equal(say(&s.a, text), 0);
  memset(text, '?', 3); /* it was copied */
  assert_int_equal(say(&s.a, "two"), 0);
  assert_int_equal(say(&s.b, "three"), 0);
  assert_string_equal(s.a.text, "");
  assert_string_equal(s.b.text, "");
  assert_true(mcp_loop_next_deadline(s.loop) <= s.now_ms);
  turn(&s);
  assert_string_equal(s.b.text, "one two ");
  assert_string_equal(s.a.text, "three ");
  mcp_transport_free(s.a.transport);
  run(&s);
  assert_int_equal(s.b.closes, 1);
  mcp_transport_free(s.b.transport);
  finish(&s);
}

TEST(an_answer_waits_for_the_next_turn) {
  scene s;
  begin_started(&s);
  s.b.echoes = 2;
  s.a.echoes = 1;
  say(&s.a, "one");
  turn(&s);
  assert_string_equal(s.b.text, "one ");
  assert_string_equal(s.a.text, "");
  turn(&s);
  assert_string_equal(s.a.text, "echo ");
  assert_string_equal(s.b.text, "one "); /* though a's turn came first */
  run(&s);
  assert_string_equal(s.b.text, "one echo ");
  assert_string_equal(s.a.text, "echo echo ");
  mcp_transport_free(s.a.transport);
  mcp_transport_free(s.b.transport);
  finish(&s);
}

TEST(what_is_sent_early_waits_for_start) {
  scene s;
  begin(&s, NULL);
  assert_int_equal(say(&s.a, "no"), MCP_ERR_CLOSED); /* not started */
  start(&s.a);
  assert_int_equal(say(&s.a, "early"), 0);
  run(&s);
  assert_string_equal(s.b.text, "");
  start(&s.b);
  run(&s);
  assert_string_equal(s.b.text, "early ");
  mcp_transport_free(s.a.transport);
  mcp_transport_free(s.b.transport);
  finish(&s);
}

/* --- closing ------------------------------------------------------------ */

TEST(closing_delivers_first_and_ends_both) {
  scene s;
  begin_started(&s);
  say(&s.a, "last");
  s.a.transport->close(s.a.transport);
  s.a.transport->close(s.a.transport);
  assert_int_equal(s.a.closes, 0); /* not inside close */
  assert_int_equal(say(&s.a, "more"), MCP_ERR_CLOSED);
  assert_int_equal(say(&s.b, "more"), MCP_ERR_CLOSED);
  run(&s);
  assert_string_equal(s.b.text, "last ");
  assert_int_equal(s.a.closes, 1);
  assert_int_equal(s.b.closes, 1);
  s.b.transport->close(s.b.transport);
  run(&s);
  assert_int_equal(s.b.closes, 1);
  mcp_transport_free(s.a.transport);
  mcp_transport_free(s.b.transport);
  finish(&s);
}

TEST(both_may_close_at_once) {
  scene s;
  begin_started(&s);
  s.a.transport->close(s.a.transport);
  s.b.transport->close(s.b.transport);
  run(&s);
  assert_int_equal(s.a.closes, 1);
  assert_int_equal(s.b.closes, 1);
  mcp_transport_free(s.b.transport);
  mcp_transport_free(s.a.transport);
  finish(&s);
}

TEST(one_that_starts_late_learns_of_the_end) {
  scene s;
  begin(&s, NULL);
  start(&s.a);
  say(&s.a, "early");
  s.a.transport->close(s.a.transport);
  run(&s);
  assert_int_equal(s.a.closes, 1);
  assert_int_equal(s.b.closes, 0); /* only what was started ends */
  start(&s.b);
  run(&s);
  assert_string_equal(s.b.text, "early ");
  assert_int_equal(s.b.closes, 1);
  mcp_transport_free(s.a.transport);
  mcp_transport_free(s.b.transport);
  finish(&s);
}

/* --- releasing ---------------------------------------------------------- */

TEST(an_end_never_given_away_ends_the_other) {
  scene s;
  begin(&s, NULL);
  start(&s.a);
  say(&s.a, "lost");
  mcp_transport_free(s.b.transport);
  run(&s);
  assert_int_equal(s.a.closes, 1);
  mcp_transport_free(s.a.transport);
  finish(&s);
}

TEST(neither_end_need_ever_start) {
  scene s;
  begin(&s, NULL);
  mcp_transport_free(s.a.transport);
  mcp_transport_free(s.b.transport);
  finish(&s);
  mcp_transport_free(NULL);
}

TEST(an_end_may_go_while_messages_wait) {
  scene s;
  begin_started(&s);
  say(&s.a, "to b");
  say(&s.b, "to a");
  mcp_transport_free(s.a.transport);
  run(&s);
  assert_string_equal(s.b.text, "to b "); /* it had been sent */
  assert_int_equal(s.b.closes, 1);
  mcp_transport_free(s.b.transport);
  finish(&s);
}

/* Everything that may happen inside a callback, with more messages waiting. */
TEST(callbacks_may_close_and_release) {
  for (int then = DO_CLOSE; then <= DO_RELEASE_BOTH; then++) {
    scene s;
    begin_started(&s);
    s.b.then = then;
    say(&s.a, "one");
    say(&s.a, "two");
    say(&s.b, "back");
    run(&s);
    assert_string_equal(s.b.text, then == DO_CLOSE ? "one two " : "one ");
    assert_int_equal(s.a.closes, then == DO_RELEASE_BOTH ? 0 : 1);
    assert_int_equal(s.b.closes, then == DO_CLOSE ? 1 : 0);
    if (then == DO_CLOSE) {
      mcp_transport_free(s.b.transport);
    }
    if (then != DO_RELEASE_BOTH) {
      mcp_transport_free(s.a.transport);
    }
    finish(&s);
  }
}

TEST(each_may_release_itself_in_on_close) {
  scene s;
  begin_started(&s);
  s.a.then = DO_RELEASE;
  s.b.then = DO_RELEASE;
  s.a.transport->close(s.a.transport);
  run(&s);
  assert_int_equal(s.a.closes, 1);
  assert_int_equal(s.b.closes, 1);
  finish(&s);
}

TEST(freeing_the_loop_ends_what_is_closing) {
  scene s;
  begin_started(&s);
  s.a.then = DO_RELEASE;
  s.b.then = DO_RELEASE;
  s.a.transport->close(s.a.transport);
  mcp_loop_free(s.loop);
  assert_int_equal(s.a.closes, 1);
  assert_int_equal(s.b.closes, 1);
}

/* --- limits and memory -------------------------------------------------- */

TEST(only_so_much_may_wait) {
  enum { MB = 1024 * 1024 };
  scene s;
  char *megabyte = calloc(1, MB);
  size_t sent = 0;
  begin_started(&s);
  assert_int_equal(s.a.transport->queued(s.a.transport), 0);
  while (s.a.transport->send(s.a.transport, megabyte, MB, NULL) == 0) {
    sent++;
    assert_true(s.a.transport->queued(s.a.transport) >= sent * MB);
  }
  assert_true(sent >= 32 && sent <= 64);
  assert_int_equal(s.a.transport->send(s.a.transport, megabyte, MB, NULL),
                   MCP_ERR_LIMIT);
  assert_int_equal(s.b.transport->queued(s.b.transport), 0);
  assert_int_equal(say(&s.b, "x"), 0); /* the other way is free */
  s.b.then = DO_RELEASE;
  run(&s);
  mcp_transport_free(s.a.transport);
  finish(&s);
  free(megabyte);
}

TEST(the_largest_message_and_one_byte_more) {
  size_t max = (size_t)64 * 1024 * 1024;
  scene s;
  char *bytes = calloc(1, max + 1);
  begin_started(&s);
  assert_int_equal(s.a.transport->send(s.a.transport, bytes, max + 1, NULL),
                   MCP_ERR_LIMIT);
  assert_int_equal(s.a.transport->send(s.a.transport, bytes, max, NULL), 0);
  assert_int_equal(say(&s.a, ""), MCP_ERR_LIMIT);
  mcp_transport_free(s.b.transport);
  mcp_transport_free(s.a.transport);
  finish(&s);
  free(bytes);
}

TEST(a_steady_stream_asks_for_no_memory) {
  failing_alloc alloc;
  scene s;
  failing_alloc_init(&alloc);
  begin(&s, &alloc.allocator);
  start(&s.a);
  start(&s.b);
  s.b.echoes = 1;
  say(&s.a, "x");
  run(&s);
  size_t calls = alloc.calls;
  for (int i = 0; i < 1000; i++) {
    s.b.text[0] = '\0';
    s.a.text[0] = '\0';
    s.b.echoes = 1;
    assert_int_equal(say(&s.a, "x"), 0);
    run(&s);
    assert_string_equal(s.a.text, "echo ");
  }
  assert_int_equal(alloc.calls, calls);
  mcp_transport_free(s.a.transport);
  mcp_transport_free(s.b.transport);
  finish(&s);
  assert_int_equal(alloc.live_blocks, 0);
}

/* Closing ends both sides, even if any step before has failed. */
static int talk(const mcp_allocator *allocator, void *userdata) {
  scene s = {.now_ms = 0};
  mcp_transport *a;
  mcp_transport *b;
  s.loop = mcp_loop_new_manual(NULL, allocator, NULL);
  if (s.loop == NULL) {
    return MCP_ERR_NOMEM;
  }
  mcp_error err = {0};
  int rc = mcp_memory_pair(s.loop, &a, &b, &err);
  assert_int_equal(err.code, rc);
  assert_string_equal(err.message, rc == 0 ? "" : "out of memory");
  if (rc == 0) {
    install(&s.a, a, b);
    install(&s.b, b, a);
    start(&s.a);
    start(&s.b);
    rc = say(&s.a, "one");
    if (rc == 0) {
      rc = say(&s.a, "two");
    }
    a->close(a);
    run(&s);
    assert_int_equal(s.a.closes + s.b.closes, 2);
    mcp_transport_free(a);
    mcp_transport_free(b);
  }
  mcp_loop_free(s.loop);
  return rc;
}

TEST(every_allocation_may_fail) {
  assert_int_equal(failing_alloc_rerun(talk, NULL), 5);
}

TEST(bad_arguments_are_refused) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  mcp_transport *a;
  mcp_error err = {0};
  assert_int_equal(mcp_memory_pair(NULL, &a, &a, &err), MCP_ERR_INVALID);
  assert_int_equal(err.code, MCP_ERR_INVALID);
  assert_string_equal(err.message, "loop, a or b is NULL");
  assert_int_equal(mcp_memory_pair(loop, NULL, &a, NULL), MCP_ERR_INVALID);
  assert_int_equal(mcp_memory_pair(loop, &a, NULL, NULL), MCP_ERR_INVALID);
  mcp_loop_free(loop);
}
