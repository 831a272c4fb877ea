/* SPDX-License-Identifier: MIT */
/* Scenarios that need no more than a pair of transports. */
#include "kit_check.h"
#include <stdlib.h>
#include <string.h>

static void messages_keep_their_order(void) {
  enum { COUNT = 1000 };
  kit_open_pair(NULL);
  for (size_t i = 0; i < COUNT; i++) {
    CHECK(kit_send_number(&scene.a, i, 32 + i % 300) == 0);
    CHECK(kit_send_number(&scene.b, i, 32 + i % 200) == 0);
  }
  /* A message never comes inside the sender's call. */
  CHECK(scene.a.message_count == 0 && scene.b.message_count == 0);
  WAIT_UNTIL(scene.a.expected == COUNT && scene.b.expected == COUNT);
}

static void a_message_may_be_answered_inside(void) {
  enum { COUNT = 1000 };
  kit_open_pair(NULL);
  scene.b.echoes = 1;
  for (size_t i = 0; i < COUNT; i++) {
    CHECK(kit_send_number(&scene.a, i, 100) == 0);
  }
  WAIT_UNTIL(scene.a.expected == COUNT);
  CHECK(scene.b.expected == COUNT);
}

static void messages_go_to_and_fro(void) {
  enum { COUNT = 300 };
  kit_open_pair(NULL);
  scene.b.echoes = 1;
  for (size_t i = 0; i < COUNT; i++) {
    CHECK(kit_send_number(&scene.a, i, 50) == 0);
    WAIT_UNTIL(scene.a.expected == i + 1);
  }
}

static void every_size_arrives_whole(void) {
  static const size_t sizes[] = {32,    33,    4095,  4096,   4097,    65534,
                                 65535, 65536, 65537, 131072, 1000000, 32};
  kit_open_pair(NULL);
  size_t count = sizeof(sizes) / sizeof(sizes[0]);
  for (size_t i = 0; i < count; i++) {
    CHECK(kit_send_number(&scene.a, i, sizes[i]) == 0);
  }
  WAIT_UNTIL(scene.b.expected == count);
}

static void bytes_are_not_changed(void) {
  static const char *const messages[] = {
      "{}",
      "[]",
      "{\"a\":\"\\n\\r\\u0000\"}",
      "{\"\xC3\xA9\":\"\xE2\x82\xAC\"}",
      "{\"a\":\"\xF0\x9F\x98\x80\"}",
      "  {  }  ",
      "{\"a\":\"\x7F\"}",
  };
  kit_open_pair(NULL);
  for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
    CHECK(kit_send(&scene.a, messages[i], strlen(messages[i])) == 0);
    WAIT_UNTIL(scene.b.message_count == i + 1);
    CHECK(strcmp(scene.b.last, messages[i]) == 0);
  }
}

/* The sender may refuse it, or the receiver may report it; the messages that
 * follow arrive in any case. */
static void one_byte_over_the_limit(void) {
  const kit_limits limits = {.max_message = 1000};
  kit_open_pair(&limits);
  CHECK(kit_send_number(&scene.a, 0, 1000) == 0);
  WAIT_UNTIL(scene.b.expected == 1);
  int rc = kit_send_number(&scene.a, 1, 1001);
  CHECK(rc == 0 || rc == MCP_ERR_LIMIT);
  CHECK(kit_send_number(&scene.a, 1, 999) == 0);
  WAIT_UNTIL(scene.b.expected == 2);
  CHECK(scene.b.error_count == (rc == 0));
  if (rc == 0) {
    CHECK(scene.b.error.code == MCP_ERR_LIMIT);
  }
}

/* While nothing reads, the transport takes some messages and refuses others.
 * The messages that it took arrive later, and no others. */
static void a_full_queue_refuses_and_loses_nothing(void) {
  const kit_limits limits = {.max_queue = 200 * 1000};
  size_t taken = 0;
  int rc = 0;
  kit_open_pair(&limits);
  for (; rc == 0 && taken < 10000; taken += rc == 0) {
    rc = kit_send_number(&scene.a, taken, 10 * 1000);
  }
  CHECK(rc == MCP_ERR_LIMIT);
  if (scene.a.transport->queued != NULL) {
    CHECK(scene.a.transport->queued(scene.a.transport) <= 200 * 1000);
  }
  WAIT_UNTIL(scene.b.expected == taken);
  CHECK(kit_send_number(&scene.a, taken, 100) == 0); /* it has room again */
  WAIT_UNTIL(scene.b.expected == taken + 1);
}

static void much_that_waits_arrives(void) {
  enum { COUNT = 500 };
  kit_open_pair(NULL);
  for (size_t i = 0; i < COUNT; i++) {
    CHECK(kit_send_number(&scene.a, i, 10 * 1000) == 0);
  }
  WAIT_UNTIL(scene.b.expected == COUNT);
}

/* --- closing ------------------------------------------------------------- */

static void closing_one_end_closes_both(void) {
  kit_open_pair(NULL);
  scene.a.transport->close(scene.a.transport);
  WAIT_UNTIL(scene.a.close_count == 1 && scene.b.close_count == 1);
}

static void closing_the_other_end_closes_both(void) {
  kit_open_pair(NULL);
  scene.b.transport->close(scene.b.transport);
  WAIT_UNTIL(scene.a.close_count == 1 && scene.b.close_count == 1);
}

static void both_ends_may_close_at_once(void) {
  kit_open_pair(NULL);
  scene.a.transport->close(scene.a.transport);
  scene.b.transport->close(scene.b.transport);
  WAIT_UNTIL(scene.a.close_count == 1 && scene.b.close_count == 1);
}

static void closing_sends_what_was_taken(void) {
  enum { COUNT = 300 };
  kit_open_pair(NULL);
  for (size_t i = 0; i < COUNT; i++) {
    CHECK(kit_send_number(&scene.a, i, 1000) == 0);
  }
  mcp_transport *transport = scene.a.transport;
  transport->close(transport);
  if (scene.a.close_count == 0) { /* still there */
    CHECK(kit_send_number(&scene.a, COUNT, 100) == MCP_ERR_CLOSED);
    transport->close(transport);
  }
  WAIT_UNTIL(scene.b.close_count == 1);
  CHECK(scene.b.expected == COUNT);
}

/* The transport may or may not deliver the rest. */
static void closing_inside_a_message_is_safe(void) {
  kit_open_pair(NULL);
  scene.b.closes_at = 3;
  for (size_t i = 0; i < 10; i++) {
    CHECK(kit_send_number(&scene.a, i, 100) == 0);
  }
  WAIT_UNTIL(scene.a.close_count == 1 && scene.b.close_count == 1);
  CHECK(scene.b.message_count >= 3);
}

static void one_that_never_started_is_just_freed(void) {
  const kit_limits limits = {0};
  mcp_transport *a = NULL;
  mcp_transport *b = NULL;
  CHECK(scene.kind->make_pair(scene.loop, &limits, &a, &b) == 0);
  mcp_transport_free(a);
  mcp_transport_free(b);
}

const kit_scenario kit_message_scenes[] = {
    {"messages keep their order", messages_keep_their_order, 0},
    {"a message may be answered inside", a_message_may_be_answered_inside, 0},
    {"messages go to and fro", messages_go_to_and_fro, 0},
    {"every size arrives whole", every_size_arrives_whole, 0},
    {"bytes are not changed", bytes_are_not_changed, 0},
    {"one byte over the limit", one_byte_over_the_limit, KIT_NO_MESSAGE_LIMIT},
    {"a full queue refuses and loses nothing",
     a_full_queue_refuses_and_loses_nothing, KIT_NO_QUEUE_LIMIT},
    {"much that waits arrives", much_that_waits_arrives, 0},
    {"closing one end closes both", closing_one_end_closes_both, 0},
    {"closing the other end closes both", closing_the_other_end_closes_both, 0},
    {"both ends may close at once", both_ends_may_close_at_once, 0},
    {"closing sends what was taken", closing_sends_what_was_taken, 0},
    {"closing inside a message is safe", closing_inside_a_message_is_safe, 0},
    {"one that never started is just freed",
     one_that_never_started_is_just_freed, 0},
    {NULL, NULL, 0},
};
