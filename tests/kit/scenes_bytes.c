/* SPDX-License-Identifier: MIT */
/* Scenarios for transports of lines: the bytes that may stand on the wire. */
#include "kit_check.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Writes all of the text, and turns the loop when there is no room. */
static void put(const char *text, size_t len) {
  while (len > 0) {
    ssize_t written = write(scene.fd, text, len);
    if (written < 0) {
      CHECK(errno == EAGAIN);
      kit_begin_waiting();
      kit_wait(__FILE__, __LINE__, "room on the wire");
      continue;
    }
    text += written;
    len -= (size_t)written;
  }
}

static void put_text(const char *text) {
  put(text, strlen(text));
}

/* Expects exactly this text from the wire. */
static void expect(const char *text) {
  char got[1000];
  size_t used = 0;
  kit_begin_waiting();
  while (used < strlen(text)) {
    ssize_t step = read(scene.fd, got + used, strlen(text) - used);
    if (step <= 0) {
      kit_wait(__FILE__, __LINE__, "bytes on the wire");
      continue;
    }
    used += (size_t)step;
  }
  CHECK(memcmp(got, text, used) == 0);
}

static void a_message_may_come_byte_by_byte(void) {
  static const char text[] = "{\"a\":1}\n{\"b\":\"\xC3\xA9\"}\r\n";
  kit_open_raw(NULL);
  for (size_t i = 0; i + 1 < sizeof(text); i++) {
    put(text + i, 1);
    mcp_loop_wait(scene.loop, 0);
  }
  WAIT_UNTIL(scene.a.message_count == 2);
  CHECK(strcmp(scene.a.last, "{\"b\":\"\xC3\xA9\"}") == 0);
}

static void messages_may_come_together(void) {
  enum { COUNT = 20000 };
  kit_open_raw(NULL);
  for (size_t i = 0; i < COUNT; i++) {
    put_text("{\"some\":\"message\"}\n");
  }
  WAIT_UNTIL(scene.a.message_count == COUNT);
}

static void blank_lines_are_skipped(void) {
  kit_open_raw(NULL);
  put_text("\n\r\n{\"a\":1}\n\n\n{\"b\":2}\n\n");
  WAIT_UNTIL(scene.a.message_count == 2);
}

static void the_last_line_needs_no_end(void) {
  kit_open_raw(NULL);
  put_text("{\"a\":1}\n{\"b\":2}");
  WAIT_UNTIL(scene.a.message_count == 1);
  kit_end_input();
  WAIT_UNTIL(scene.a.close_count == 1);
  CHECK(scene.a.message_count == 2);
  CHECK(scene.a.end_count == ((scene.kind->flags & KIT_NO_HALF_CLOSE) == 0));
}

static void a_long_line_is_skipped(void) {
  const kit_limits limits = {.max_message = 20};
  char line[1000];
  kit_open_raw(&limits);
  memset(line, 'x', sizeof(line));
  for (int i = 0; i < 1000; i++) {
    put(line, sizeof(line));
  }
  put_text("\n{\"a\":1}\n");
  WAIT_UNTIL(scene.a.message_count == 1);
  CHECK(strcmp(scene.a.last, "{\"a\":1}") == 0);
  CHECK(scene.a.error_count == 1);
  CHECK(scene.a.error.code == MCP_ERR_LIMIT);
}

static void what_is_sent_is_lines(void) {
  kit_open_raw(NULL);
  CHECK(kit_send(&scene.a, "{\"a\":1}", 7) == 0);
  CHECK(kit_send(&scene.a, "{}", 2) == 0);
  expect("{\"a\":1}\n{}\n");
}

/* A dead pipe must neither raise a signal nor leave a channel that never
 * ends. */
static void a_far_side_that_vanishes_ends_the_channel(void) {
  kit_open_raw(NULL);
  kit_end_input();
  WAIT_UNTIL(scene.a.close_count == 1);
}

static void a_far_side_that_vanishes_while_much_waits(void) {
  kit_open_raw(NULL);
  for (size_t i = 0; i < 100; i++) {
    CHECK(kit_send_number(&scene.a, i, 10 * 1000) == 0);
  }
  kit_end_input();
  WAIT_UNTIL(scene.a.close_count == 1);
}

const kit_scenario kit_byte_scenes[] = {
    {"a message may come byte by byte", a_message_may_come_byte_by_byte, 0},
    {"messages may come together", messages_may_come_together, 0},
    {"blank lines are skipped", blank_lines_are_skipped, 0},
    {"the last line needs no end", the_last_line_needs_no_end, 0},
    {"a long line is skipped", a_long_line_is_skipped, KIT_NO_MESSAGE_LIMIT},
    {"what is sent is lines", what_is_sent_is_lines, 0},
    {"a far side that vanishes ends the channel",
     a_far_side_that_vanishes_ends_the_channel, 0},
    {"a far side that vanishes while much waits",
     a_far_side_that_vanishes_while_much_waits, 0},
    {NULL, NULL, 0},
};
