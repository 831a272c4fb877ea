/* SPDX-License-Identifier: MIT */
/* Transports that do worse than the memory pair: answers and ends that come
 * from inside a call, an end that is slow. tests/wire/client/restart.txt has
 * what begins outside of one. */
#include "unit/client/kit.h"

typedef struct wire {
  mcp_transport transport;
  kit *k;
  int start_rc;
  int send_rc;
  int closes_on_send;
  const char *answer_on_send;
  int closes_at_once;
  int closes;
  int released;
  char version[32];
  char versions[128];
} wire;

static wire w;

static int wire_start(mcp_transport *transport, mcp_error *err) {
  return w.start_rc == 0 ? 0 : mcp_error_set(err, w.start_rc, "no start");
}

static int wire_send(mcp_transport *transport, const char *message, size_t len,
                     const mcp_send_info *info) {
  assert_known(message, len, info);
  if (w.send_rc != 0) {
    return w.send_rc;
  }
  if (w.closes_on_send) {
    transport->on_close(transport, NULL);
    return MCP_ERR_CLOSED;
  }
  size_t used = strlen(w.k->got);
  memcpy(w.k->got + used, message, len);
  memcpy(w.k->got + used + len, "\n", 2);
  if (w.answer_on_send != NULL) {
    const char *answer = w.answer_on_send;
    w.answer_on_send = NULL;
    transport->on_message(transport, answer, strlen(answer));
  }
  return 0;
}

static void wire_close(mcp_transport *transport) {
  w.closes++;
  if (w.closes_at_once) {
    transport->on_close(transport, NULL);
  }
}

static void wire_release(mcp_transport *transport) {
  w.released++;
}

static void wire_version(mcp_transport *transport, const char *version) {
  snprintf(w.version, sizeof(w.version), "%s", version);
}

static void wire_versions(mcp_transport *transport, const char *const *versions,
                          size_t count) {
  for (size_t i = 0; i < count; i++) {
    strcat(w.versions, versions[i]);
    strcat(w.versions, " ");
  }
}

static void wire_init(kit *k) {
  memset(&w, 0, sizeof(w));
  w.k = k;
  w.closes_at_once = 1;
  w.transport = (mcp_transport){.size = sizeof(mcp_transport),
                                .start = wire_start,
                                .send = wire_send,
                                .close = wire_close,
                                .release = wire_release,
                                .set_protocol_version = wire_version,
                                .set_supported_versions = wire_versions};
}

static int dial(kit *k) {
  mcp_error err;
  return mcp_client_connect(k->client, &w.transport, on_done, &k->connected,
                            &err);
}

static void dial_with(kit *k, const mcp_client_options *options) {
  wire_init(k);
  assert_int_equal(kit_remake(k, options, NULL), 0);
  assert_int_equal(dial(k), 0);
}

static void hear(kit *k, const char *message) {
  w.transport.on_message(&w.transport, message, strlen(message));
  turn(k);
}

static void restart(kit *k) {
  w.transport.on_restart(&w.transport);
  turn(k);
}

static void dial_auto(kit *k) {
  mcp_client_options options = options_of(k);
  dial_with(k, &options);
  expect(k, PROBE);
}

static void dial_modern(kit *k) {
  dial_auto(k);
  hear(k, HELLO_MODERN("1"));
  assert_int_equal(k->connected.status, 0);
}

static void dial_legacy(kit *k) {
  mcp_client_options options = options_of(k);
  options.policy = MCP_POLICY_LEGACY;
  dial_with(k, &options);
  expect(k, INITIALIZE("1", "2025-11-25"));
  hear(k, HELLO_LEGACY("1", "2025-06-18"));
  expect(k, INITIALIZED);
  assert_int_equal(k->connected.status, 0);
}

static ending *call(kit *k) {
  ending *e = new_ending(k);
  assert_int_equal(
      mcp_client_call_tool(k->client, "t", NULL, NULL, on_done, e, NULL), 0);
  return e;
}

/* --- a wire that opens later --------------------------------------------- */

KIT_TEST(connect_reports_why_the_wire_did_not_open) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  mcp_error err;
  wire_init(k);
  w.transport.flags = MCP_TRANSPORT_OPENS_LATER;
  assert_int_equal(kit_remake(k, &options, NULL), 0);
  mcp_transport *outer = mcp_transport_dialect(k->loop, &w.transport,
                                               MCP_DIALECT_MCP_CORE, 0, NULL);
  assert_non_null(outer);
  assert_int_equal(
      mcp_client_connect(k->client, outer, on_done, &k->connected, &err), 0);
  expect_nothing(k);
  mcp_error_set(&err, MCP_ERR_IO, "nobody is there");
  w.transport.on_close(&w.transport, &err);
  turn(k);
  assert_int_equal(k->connected.count, 1);
  assert_int_equal(k->connected.status, MCP_ERR_CLOSED);
  assert_string_equal(k->connected.message, "nobody is there");
  assert_int_equal(w.released, 1);
}

/* --- a far side that is started again ----------------------------------- */

/* Tries the same again, at once. */
static void call_again(mcp_client *client, const mcp_outcome *outcome,
                       void *userdata) {
  kit *k = userdata;
  assert_int_equal(outcome->status, MCP_ERR_CLOSED);
  assert_int_equal(outcome->was_sent, 1);
  note(k, "again",
       mcp_error_name(
           mcp_client_call_tool(client, "t", NULL, NULL, NULL, NULL, NULL)));
}

KIT_TEST(a_call_from_the_completion_of_a_lost_one_waits) {
  kit *k = *state;
  dial_legacy(k);
  mcp_client_call_tool(k->client, "t", NULL, NULL, call_again, k, NULL);
  turn(k);
  k->got[0] = '\0';
  restart(k);
  expect_log(k, "again MCP_OK\n");
  expect(k, INITIALIZE("3", "2025-06-18"));
  hear(k, HELLO_LEGACY("3", "2025-06-18"));
  expect(k, INITIALIZED);
  expect(k, REQUEST("5", "tools/call", "{\"name\":\"t\"}"));
  expect_nothing(k);
}

/* --- what a transport learns -------------------------------------------- */

KIT_TEST(a_transport_learns_all_versions) {
  kit *k = *state;
  size_t count = 0;
  const char *next = w.versions;
  dial_modern(k);
  while (mcp_revision_name(count) != NULL) {
    count++;
  }
  while (count-- > 0) {
    const char *name = mcp_revision_name(count);
    assert_memory_equal(next, name, strlen(name));
    next += strlen(name) + 1;
  }
  assert_string_equal(next, "");
  assert_string_equal(w.version, NEWEST_REVISION);
}

KIT_TEST(a_transport_learns_the_wanted_versions) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.policy = MCP_POLICY_LEGACY;
  dial_with(k, &options);
  assert_string_equal(w.versions,
                      "2025-11-25 2025-06-18 2025-03-26 2024-11-05 ");
  hear(k, HELLO_LEGACY("1", "2025-06-18"));
  assert_string_equal(w.version, "2025-06-18");
}

KIT_TEST(a_transport_learns_a_pinned_version_alone) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.revision = "2025-03-26";
  dial_with(k, &options);
  assert_string_equal(w.versions, "2025-03-26 ");
}

static void log_trace(mcp_client *client, const mcp_traced_message *message,
                      void *userdata) {
  kit *k = userdata;
  char shown[46];
  assert_ptr_equal(client, k->client);
  assert_int_equal(message->size, sizeof(mcp_traced_message));
  assert_null(message->peer);
  assert_null(message->session);
  snprintf(shown, sizeof(shown), "%.*s", (int)message->len, message->text);
  note(k, message->is_sent ? "-->" : "<--", shown);
}

/* Not the client's transport alone: what a freed client leaves to end may still
 * speak, and the program's data is gone. */
KIT_TEST(the_wire_is_traced_until_the_client_is_freed) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.policy = MCP_POLICY_LEGACY;
  options.on_trace = log_trace;
  dial_with(k, &options);
  w.closes_at_once = 0;
  hear(k, NOTE("x", "{}"));
  expect_log(k, "--> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"\n"
                "<-- {\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":{}}\n"
                "other x {}\n");
  mcp_client_free(k->client);
  k->client = NULL;
  hear(k, NOTE("x", "{}"));
  expect_log(k, "");
  w.transport.on_close(&w.transport, NULL);
  assert_int_equal(w.released, 1);
}

/* Ends the client when it sees this, in the middle of sending it. */
static const char *trigger;
static int frees_on_trigger;

static void end_on_trigger(mcp_client *client,
                           const mcp_traced_message *message, void *userdata) {
  kit *k = userdata;
  char shown[512];
  assert_ptr_equal(client, k->client);
  snprintf(shown, sizeof(shown), "%.*s", (int)message->len, message->text);
  if (!message->is_sent || trigger == NULL || strstr(shown, trigger) == NULL) {
    return;
  }
  trigger = NULL;
  if (frees_on_trigger) {
    mcp_client_free(k->client);
    k->client = NULL;
  } else {
    mcp_client_close(k->client);
  }
}

static mcp_client_options triggered_options(kit *k, const char *what,
                                            int frees) {
  mcp_client_options options = options_of(k);
  trigger = what;
  frees_on_trigger = frees;
  options.on_trace = end_on_trigger;
  return options;
}

static void dial_triggered(kit *k, const char *what, int frees) {
  mcp_client_options options = triggered_options(k, what, frees);
  options.policy = MCP_POLICY_LEGACY;
  options.ping_interval_ms = 1000;
  dial_with(k, &options);
  hear(k, HELLO_LEGACY("1", "2025-11-25"));
}

KIT_TEST(a_trace_may_close_while_subscriptions_are_renewed) {
  kit *k = *state;
  ending *e = new_ending(k);
  dial_triggered(k, NULL, 0);
  mcp_client_subscribe(k->client, "x:a", NULL, on_done, e, NULL);
  mcp_client_subscribe(k->client, "x:b", NULL, on_done, e, NULL);
  hear(k, RESULT("2", "{}"));
  hear(k, RESULT("3", "{}"));
  assert_int_equal(e->count, 2);
  trigger = "x:a";
  restart(k);
  hear(k, HELLO_LEGACY("4", "2025-11-25"));
  assert_null(trigger);
  expect_log(k, "closed MCP_OK\n");
}

#define ACK(id, uris)                                                          \
  NOTE("notifications/subscriptions/acknowledged",                             \
       "{\"notifications\":{\"resourceSubscriptions\":[" uris                  \
       "]},\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" id "}}")

KIT_TEST(a_trace_may_close_while_a_watch_is_closed) {
  kit *k = *state;
  mcp_client_options options = triggered_options(k, NULL, 0);
  ending *e = new_ending(k);
  dial_with(k, &options);
  hear(k, HELLO_MODERN("1"));
  mcp_client_subscribe(k->client, "x:a", NULL, on_done, e, NULL);
  hear(k, ACK("2", "\"x:a\""));
  mcp_client_subscribe(k->client, "x:b", NULL, on_done, e, NULL);
  trigger = "notifications/cancelled";
  hear(k, ACK("3", "\"x:a\",\"x:b\""));
  assert_null(trigger);
  assert_int_equal(e->count, 2);
  expect_log(k, "closed MCP_OK\n");
}

KIT_TEST(a_trace_may_free_while_a_ping_is_cancelled) {
  kit *k = *state;
  dial_triggered(k, "notifications/cancelled", 1);
  pass(k, 1000);
  pass(k, 60000);
  assert_null(trigger);
  assert_null(k->client);
}

KIT_TEST(a_trace_may_free_while_a_level_is_set) {
  kit *k = *state;
  ending *e = new_ending(k);
  dial_triggered(k, "logging/setLevel", 1);
  mcp_client_set_log_level(k->client, MCP_LOG_ERROR, NULL, on_done, e, NULL);
  assert_null(k->client);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
}

/* --- what can go wrong -------------------------------------------------- */

KIT_TEST(a_transport_that_does_not_start_is_released) {
  kit *k = *state;
  wire_init(k);
  w.start_rc = MCP_ERR_IO;
  assert_int_equal(dial(k), MCP_ERR_IO);
  assert_int_equal(w.released, 1);
  turn(k);
  assert_int_equal(k->connected.count, 0);
  wire_init(k);
  assert_int_equal(dial(k), 0);
}

KIT_TEST(a_handshake_that_cannot_be_sent_fails_later) {
  kit *k = *state;
  wire_init(k);
  w.send_rc = MCP_ERR_LIMIT;
  assert_int_equal(dial(k), 0);
  assert_int_equal(k->connected.count, 0);
  turn(k);
  assert_int_equal(k->connected.count, 1);
  assert_int_equal(k->connected.status, MCP_ERR_LIMIT);
  assert_int_equal(w.released, 1);
}

KIT_TEST(a_wire_that_breaks_inside_send_completes_later) {
  kit *k = *state;
  ending *e = new_ending(k);
  dial_modern(k);
  call(k);
  w.closes_on_send = 1;
  assert_int_equal(
      mcp_client_call_tool(k->client, "t", NULL, NULL, on_done, e, NULL), 0);
  assert_int_equal(e->count, 0);
  assert_int_equal(k->endings[1].count, 0);
  turn(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
  assert_int_equal(e->was_sent, 0);
  assert_int_equal(k->endings[1].was_sent, 1);
  expect_log(k, "closed MCP_ERR_CLOSED\n");
  assert_int_equal(w.released, 1);
}

KIT_TEST(a_subscription_that_breaks_the_wire_completes_later) {
  kit *k = *state;
  ending *e = new_ending(k);
  dial_modern(k);
  w.closes_on_send = 1;
  assert_int_equal(
      mcp_client_subscribe(k->client, "x:a", NULL, on_done, e, NULL), 0);
  assert_int_equal(e->count, 0);
  turn(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, MCP_ERR_CLOSED);
}

KIT_TEST(an_answer_inside_send_completes_later) {
  kit *k = *state;
  dial_modern(k);
  w.answer_on_send = RESULT("2", "{\"content\":[]}");
  ending *e = call(k);
  assert_int_equal(e->count, 0);
  turn(k);
  assert_int_equal(e->count, 1);
  assert_int_equal(e->status, 0);
}

KIT_TEST(a_hello_inside_start_completes_later) {
  kit *k = *state;
  wire_init(k);
  w.answer_on_send = HELLO_MODERN("1");
  assert_int_equal(dial(k), 0);
  assert_int_equal(k->connected.count, 0);
  turn(k);
  assert_int_equal(k->connected.count, 1);
  assert_int_equal(k->connected.status, 0);
}

KIT_TEST(closed_is_reported_after_the_end_of_the_wire) {
  kit *k = *state;
  dial_modern(k);
  w.closes_at_once = 0;
  ending *e = call(k);
  mcp_client_close(k->client);
  turn(k);
  assert_int_equal(e->count, 1); /* at once */
  expect_log(k, "");
  assert_int_equal(dial(k), MCP_ERR_BUSY);
  assert_int_equal(w.released, 1); /* that of the second attempt */
  w.transport.on_close(&w.transport, NULL);
  expect_log(k, "closed MCP_OK\n");
}

KIT_TEST(a_freed_client_leaves_the_transport_to_end) {
  kit *k = *state;
  dial_modern(k);
  w.closes_at_once = 0;
  ending *e = call(k);
  mcp_client_free(k->client);
  k->client = NULL;
  assert_int_equal(e->count, 1); /* before the free returns */
  assert_int_equal(e->status, MCP_ERR_CLOSED);
  assert_int_equal(w.closes, 1);
  assert_int_equal(w.released, 0);
  w.transport.on_message(&w.transport, "{}", 2);
  w.transport.on_close(&w.transport, NULL);
  assert_int_equal(w.released, 1);
  expect_log(k, "");
}
