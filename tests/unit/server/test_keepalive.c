/* SPDX-License-Identifier: MIT */
/* Pings of legacy clients (keepalive.c). */
#include "support/cm.h"
#include "support/server_rig.h"
#include <string.h>

typedef struct bench {
  server_rig rig;
  rig_wire wire;
} bench;

#define PING(id) "{$J,'id':" id ",'method':'ping'}"
#define PONG(id) "{$J,'id':" id ",'result':{}}"

static void begin(bench *b, uint32_t interval_ms) {
  const mcp_server_options options = {.size = MCP_SERVER_OPTIONS_INIT,
                                      .ping_interval_ms = interval_ms,
                                      .ping_timeout_ms = 400};
  assert_int_equal(rig_init(&b->rig, &options, NULL), 0);
  assert_int_equal(wire_connect(&b->wire, &b->rig, NULL), 0);
}

static void end(bench *b) {
  mcp_server_free(b->rig.server);
  b->rig.server = NULL;
  rig_turn(&b->rig);
  wire_deinit(&b->wire);
  rig_deinit(&b->rig);
}

static void pings_after_each_silence(void **state) {
  bench b;
  (void)state;
  begin(&b, 1000);
  rig_pass(&b.rig, 5000);
  expect(&b.wire, ""); /* no session is open yet */
  wire_initialize(&b.wire, "2025-11-25", "{}");
  rig_pass(&b.rig, 999);
  expect(&b.wire, "");
  rig_pass(&b.rig, 1);
  expect(&b.wire, PING("1"));
  exchange(&b.wire, PONG("1"), "");
  rig_pass(&b.rig, 999);
  expect(&b.wire, "");
  rig_pass(&b.rig, 1);
  expect(&b.wire, PING("2"));
  exchange(&b.wire,
           "{$J,'id':2,'error':{'code':-32601,'message':'no ping here'}}", "");
  rig_pass(&b.rig, 1000);
  expect(&b.wire, PING("3"));
  end(&b);
}

/* Each of these comes within an interval of its own. */
static void a_client_that_speaks_is_not_pinged(void **state) {
  bench b;
  (void)state;
  begin(&b, 1000);
  wire_initialize(&b.wire, "2024-11-05", "{}");
  for (int i = 0; i < 5; i++) {
    rig_pass(&b.rig, 500);
    exchange(&b.wire, "{$J,'id':9,'method':'ping'}", "{$J,'id':9,'result':{}}");
    rig_pass(&b.rig, 500);
    expect(&b.wire, "");
  }
  rig_pass(&b.rig, 600);
  exchange(&b.wire, "{$J,'method':'notifications/progress'}", "");
  rig_pass(&b.rig, 400);
  expect(&b.wire, "");
  rig_pass(&b.rig, 1000);
  expect(&b.wire, PING("1"));
  end(&b);
}

static void a_client_without_a_word_is_hung_up_on(void **state) {
  bench b;
  (void)state;
  begin(&b, 1000);
  wire_initialize(&b.wire, "2025-06-18", "{}");
  rig_pass(&b.rig, 1000);
  expect(&b.wire, PING("1"));
  rig_pass(&b.rig, 399);
  expect(&b.wire, "");
  assert_int_equal(b.wire.is_closed, 0);
  rig_pass(&b.rig, 1);
  rig_turn(&b.rig);
  assert_int_equal(b.wire.is_closed, 1);
  assert_non_null(strstr(b.rig.reports.bytes,
                         "the client did not answer a ping within 400 ms"));
  end(&b);
}

static int refuse_to_send(mcp_transport *transport, const char *message,
                          size_t len, const mcp_send_info *info) {
  (void)transport;
  (void)message;
  (void)len;
  (void)info;
  return MCP_ERR_LIMIT;
}

/* Its queue is full, so that no ping can be sent to it. */
static void a_silent_client_that_does_not_read_is_hung_up_on(void **state) {
  bench b;
  (void)state;
  begin(&b, 1000);
  wire_initialize(&b.wire, "2025-06-18", "{}");
  b.wire.server_end->send = refuse_to_send;
  rig_pass(&b.rig, 1000);
  rig_turn(&b.rig);
  assert_int_equal(b.wire.is_closed, 1);
  assert_non_null(strstr(b.rig.reports.bytes,
                         "the client is silent, and does not read: a ping "
                         "could not be sent: limit exceeded"));
  end(&b);
}

/* It may be busy with what it was asked before. */
static void another_message_stands_for_the_answer(void **state) {
  bench b;
  (void)state;
  begin(&b, 1000);
  wire_initialize(&b.wire, "2025-06-18", "{}");
  rig_pass(&b.rig, 1000);
  expect(&b.wire, PING("1"));
  rig_pass(&b.rig, 200);
  exchange(&b.wire, "{$J,'method':'notifications/progress'}", "");
  rig_pass(&b.rig, 200);
  rig_turn(&b.rig);
  assert_int_equal(b.wire.is_closed, 0);
  end(&b);
}

static void nobody_is_pinged_by_default(void **state) {
  bench b;
  (void)state;
  begin(&b, 0);
  wire_initialize(&b.wire, "2025-11-25", "{}");
  rig_pass(&b.rig, 3600 * 1000);
  expect(&b.wire, "");
  end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pings_after_each_silence),
      cmocka_unit_test(a_client_that_speaks_is_not_pinged),
      cmocka_unit_test(a_client_without_a_word_is_hung_up_on),
      cmocka_unit_test(a_silent_client_that_does_not_read_is_hung_up_on),
      cmocka_unit_test(another_message_stands_for_the_answer),
      cmocka_unit_test(nobody_is_pinged_by_default),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
