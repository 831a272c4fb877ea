/* SPDX-License-Identifier: MIT */
#include "core/link.h"

#include "support/cm.h"
#include "support/failing_alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- a transport under the test's control ------------------------------- */

typedef struct wire {
  mcp_transport transport;
  char sent[8192]; /* messages, each with a newline behind it */
  uint64_t request;
  uint64_t aborted;
  int send_rc;
  int start_rc;
  int closes;
  int released;
  int closes_at_once; /* on_close comes from inside close */
  size_t version_count;
} wire;

static int wire_start(mcp_transport *transport, mcp_error *err) {
  const wire *w = transport->userdata;
  return w->start_rc == 0 ? 0 : mcp_error_set(err, w->start_rc, "no start");
}

static int wire_send(mcp_transport *transport, const char *message, size_t len,
                     const mcp_send_info *info) {
  wire *w = transport->userdata;
  size_t used = strlen(w->sent);
  if (w->send_rc != 0) {
    return w->send_rc;
  }
  assert_int_equal(info->size, sizeof(*info));
  w->request = info->request;
  assert_true(used + len + 2 < sizeof(w->sent));
  memcpy(w->sent + used, message, len);
  memcpy(w->sent + used + len, "\n", 2);
  return 0;
}

static void wire_close(mcp_transport *transport) {
  wire *w = transport->userdata;
  w->closes++;
  if (w->closes_at_once) {
    transport->on_close(transport, NULL);
  }
}

static void wire_release(mcp_transport *transport) {
  wire *w = transport->userdata;
  assert_int_equal(w->released, 0);
  w->released++;
}

static void wire_abort(mcp_transport *transport, uint64_t request) {
  wire *w = transport->userdata;
  w->aborted = request;
}

static void wire_versions(mcp_transport *transport, const char *const *versions,
                          size_t count) {
  wire *w = transport->userdata;
  assert_string_equal(versions[0], "2026-07-28");
  w->version_count = count;
}

static size_t table_size = sizeof(mcp_transport);

static void wire_init(wire *w) {
  memset(w, 0, sizeof(*w));
  w->transport = (mcp_transport){.size = table_size,
                                 .userdata = w,
                                 .start = wire_start,
                                 .send = wire_send,
                                 .close = wire_close,
                                 .release = wire_release,
                                 .abort = wire_abort,
                                 .set_supported_versions = wire_versions};
}

/* --- an owner ----------------------------------------------------------- */

enum { DO_NOTHING, DO_CLOSE, DO_FREE, DO_CLOSE_AND_FREE };

/* What the owner has seen outlives it. */
typedef struct notes {
  char log[1024]; /* one word for each call */
  int then;       /* what to do in the next call */
  int batches;
  mcp_error fault;
  int close_code;
  mcpi_message *kept;
} notes;

typedef struct owner {
  mcpi_peer peer;
  mcpi_link link;
  notes *notes;
  mcpi_pending pending;
  mcpi_inflight inflight;
  char id_text[100];
} owner;

static owner *owner_of(mcpi_peer *peer) {
  return MCPI_CONTAINER(peer, owner, peer);
}

static owner *owner_of_link(mcpi_link *at) {
  return MCPI_CONTAINER(at, owner, link);
}

static void note(notes *n, const char *what, const char *word, size_t len) {
  size_t used = strlen(n->log);
  assert_true(used + len + 20 < sizeof(n->log));
  snprintf(n->log + used, sizeof(n->log) - used, "%s%.*s ", what, (int)len,
           word);
}

static void free_owner(owner *o) {
  mcp_error err;
  mcp_error_set(&err, MCP_ERR_CLOSED, "owner freed");
  mcpi_pending_fail_all(&o->peer.pending, &err);
  mcpi_link_deinit(&o->link);
  memset(o, 0xEE, sizeof(*o));
  free(o);
}

/* Called last in each callback: the owner may be gone afterwards. */
static void act(owner *o) {
  int then = o->notes->then;
  o->notes->then = DO_NOTHING;
  if (then == DO_CLOSE || then == DO_CLOSE_AND_FREE) {
    mcpi_link_close(&o->link);
  }
  if (then == DO_FREE || then == DO_CLOSE_AND_FREE) {
    free_owner(o);
  }
}

static void on_request(mcpi_peer *peer, mcpi_message *message,
                       const mcpi_envelope *envelope) {
  owner *o = owner_of(peer);
  note(o->notes, "request:", envelope->method.ptr, envelope->method.len);
  if (o->notes->kept == NULL) {
    mcpi_message_ref(message);
    o->notes->kept = message;
  }
  act(o);
}

static void on_notification(mcpi_peer *peer, mcpi_message *message,
                            const mcpi_envelope *envelope) {
  owner *o = owner_of(peer);
  assert_non_null(message);
  note(o->notes, "notification:", envelope->method.ptr, envelope->method.len);
  act(o);
}

static void on_fault(mcpi_peer *peer, const mcp_error *err) {
  owner *o = owner_of(peer);
  o->notes->fault = *err;
  note(o->notes, "fault", "", 0);
  act(o);
}

static void on_restart(mcpi_link *at) {
  owner *o = owner_of_link(at);
  note(o->notes, "restart", "", 0);
  act(o);
}

static void on_closed(mcpi_link *at, const mcp_error *err) {
  owner *o = owner_of_link(at);
  if (!mcpi_peer_end(at->peer, err)) {
    return; /* a completion has freed the owner */
  }
  o->notes->close_code = err != NULL ? err->code : 0;
  note(o->notes, "closed", "", 0);
  act(o);
}

static int allows_batch(mcpi_peer *peer) {
  return owner_of(peer)->notes->batches;
}

static void on_end(mcpi_link *at) {
  owner *o = owner_of_link(at);
  note(o->notes, "end", "", 0);
  act(o);
}

static int on_send(mcpi_peer *peer, const char *message, size_t len,
                   const mcp_send_info *info) {
  return mcpi_link_send(&owner_of(peer)->link, message, len, info);
}

static int on_abort(mcpi_peer *peer, uint64_t request) {
  return mcpi_link_abort(&owner_of(peer)->link, request);
}

static void on_peer_close(mcpi_peer *peer) {
  mcpi_link_close(&owner_of(peer)->link);
}

static const mcpi_peer_ops server_ops = {
    .send = on_send,
    .abort = on_abort,
    .close = on_peer_close,
    .on_request = on_request,
    .on_notification = on_notification,
    .on_fault = on_fault,
    .allows_batch = allows_batch,
    .answers_faults = 1,
};

static const mcpi_peer_ops client_ops = {
    .send = on_send,
    .abort = on_abort,
    .close = on_peer_close,
    .on_request = on_request,
    .on_notification = on_notification,
    .on_fault = on_fault,
};

static const mcpi_link_ops server_link_ops = {
    .on_restart = on_restart,
    .on_end = on_end,
    .on_closed = on_closed,
};

static const mcpi_link_ops client_link_ops = {
    .on_restart = on_restart,
    .on_closed = on_closed,
};

static void on_done(mcpi_pending *pending, int status, mcpi_message *message,
                    const mcpi_envelope *reply, const mcp_error *err) {
  owner *o = MCPI_CONTAINER(pending, owner, pending);
  char code[20];
  assert_int_equal(reply != NULL, status == 0 || status == MCP_ERR_REMOTE);
  snprintf(code, sizeof(code), "%d", status);
  note(o->notes, "done:", code, strlen(code));
  act(o);
}

static void on_progress(mcpi_pending *pending, double progress, double total,
                        const char *message) {
  owner *o = MCPI_CONTAINER(pending, owner, pending);
  assert_true(progress > 0);
  note(o->notes, "progress", "", 0);
  act(o);
}

static void on_cancel(mcpi_inflight *inflight, mcpi_str reason) {
  owner *o = MCPI_CONTAINER(inflight, owner, inflight);
  assert_null(mcpi_map_get(&o->peer.inflight, inflight->id_text));
  note(o->notes, "cancelled:", reason.ptr, reason.len);
  act(o);
}

/* --- all of it ---------------------------------------------------------- */

typedef struct scene {
  mcp_loop *loop;
  wire wire;
  owner *owner;
  notes notes;
} scene;

static scene s;

static const mcpi_message_limits short_messages = {400, 8, 30};

static const mcpi_peer_limits small = {
    .max_batch = 6, .max_pending = 4, .max_inflight = 2};

static void begin_on(mcp_loop *loop, const mcpi_peer_ops *ops) {
  static const char *const versions[] = {"2026-07-28", "2025-11-25"};
  memset(&s.notes, 0, sizeof(s.notes));
  s.loop = loop;
  s.owner = calloc(1, sizeof(*s.owner));
  s.owner->notes = &s.notes;
  s.owner->pending.on_done = on_done;
  s.owner->pending.on_progress = on_progress;
  s.owner->pending.timeout_name = "timeout_ms";
  s.owner->pending.max_name = "max_ms";
  s.owner->inflight.on_cancel = on_cancel;
  wire_init(&s.wire);
  mcpi_peer_init(&s.owner->peer, loop, ops, &small);
  mcpi_link_init(&s.owner->link, &s.owner->peer, &s.wire.transport,
                 ops == &server_ops ? &server_link_ops : &client_link_ops,
                 &short_messages);
  assert_int_equal(mcpi_link_start(&s.owner->link, versions, 2, NULL), 0);
  assert_int_equal(s.wire.version_count, 2);
}

static void begin(const mcpi_peer_ops *ops) {
  begin_on(mcp_loop_new_manual(NULL, NULL, NULL), ops);
}

static void get(const char *text) {
  mcp_transport *t = &s.wire.transport;
  t->on_message(t, text, strlen(text));
}

/* What was sent and seen since the last look. */
static void expect(const char *sent, const char *log) {
  assert_string_equal(s.wire.sent, sent);
  assert_string_equal(s.notes.log, log);
  s.wire.sent[0] = '\0';
  s.notes.log[0] = '\0';
}

static void let_close(void) {
  mcp_transport *t = &s.wire.transport;
  t->on_close(t, NULL);
}

/* The owner is still there. */
static void finish(void) {
  if (s.owner->peer.state != MCPI_PEER_CLOSED) {
    let_close();
  }
  free_owner(s.owner);
  assert_int_equal(s.wire.released, 1);
  mcpi_message_unref(s.notes.kept);
  mcp_loop_free(s.loop);
}

static int set_up_server(void **state) {
  begin(&server_ops);
  return 0;
}

static int set_up_client(void **state) {
  begin(&client_ops);
  return 0;
}

static int tear_down(void **state) {
  finish();
  return 0;
}

#define SERVER_TEST(name) TEST_WITH(name, set_up_server, tear_down)
#define CLIENT_TEST(name) TEST_WITH(name, set_up_client, tear_down)

static void finish_ownerless(void) {
  assert_int_equal(s.wire.released, 1);
  mcpi_message_unref(s.notes.kept);
  mcp_loop_free(s.loop);
}

static void track(const char *id_text) {
  snprintf(s.owner->id_text, sizeof(s.owner->id_text), "%s", id_text);
  s.owner->inflight.id_text = mcpi_str_z(s.owner->id_text);
  assert_int_equal(mcpi_peer_track(&s.owner->peer, &s.owner->inflight), 0);
}

static void ask(void) {
  mcpi_peer *peer = &s.owner->peer;
  assert_int_equal(mcpi_pending_add(&peer->pending, &s.owner->pending, 100, 0),
                   0);
  assert_int_equal(mcpi_peer_send_request(peer, &s.owner->pending,
                                          MCPI_STR("ping"), mcpi_str_n(NULL, 0),
                                          NULL),
                   0);
}

/* It would wait for another until its time is over. */
CLIENT_TEST(a_response_with_doubles_ends_its_request) {
  ask();
  s.wire.sent[0] = '\0';
  get("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
      "{\"a\":[{\"b\":1,\"b\":2}]}}");
  expect("", "done:-8 fault ");
}

/* --- requests and notifications ----------------------------------------- */

SERVER_TEST(errors_are_sent_with_the_id_as_it_came) {
  mcpi_peer *peer = &s.owner->peer;
  mcpi_peer_send_error(peer, MCPI_STR("123456789012345678901234567890"), -32601,
                       MCPI_STR("no \"x\""), mcpi_str_n(NULL, 0));
  mcpi_peer_send_error(peer, MCPI_STR("\"a\""), -32602, MCPI_STR("bad"),
                       MCPI_STR("{\"k\":1}"));
  expect("{\"jsonrpc\":\"2.0\",\"id\":123456789012345678901234567890,"
         "\"error\":{\"code\":-32601,\"message\":\"no \\\"x\\\"\"}}\n"
         "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":-32602,"
         "\"message\":\"bad\",\"data\":{\"k\":1}}}\n",
         "");
}

/* --- what cannot be read ------------------------------------------------ */

static void answers(const char *text, size_t len, const char *sent) {
  begin(&server_ops);
  s.wire.transport.on_message(&s.wire.transport, text, len);
  if (strncmp(s.wire.sent, sent, strlen(sent)) != 0) {
    fail_msg("%s was answered %s", text, s.wire.sent);
  }
  assert_string_equal(s.notes.log, "fault ");
  finish();
  /* A client only reports it. */
  begin(&client_ops);
  s.wire.transport.on_message(&s.wire.transport, text, len);
  expect("", "fault ");
  finish();
}

#define UNREADABLE                                                             \
  "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\""

TEST(unreadable_lines_are_answered_without_id) {
  char deep[] = "[[[[[[[[[]]]]]]]]]";
  char many[100] = "[1";
  char longer[500];
  answers("hello", 5, UNREADABLE);
  answers("{\"jsonrpc\":\"2.0\",\"id\":1,", 24, UNREADABLE);
  answers("{\"a\":\"\xff\"}", 9, UNREADABLE);
  answers("\xef\xbb\xbf{}", 5, UNREADABLE); /* a byte order mark */
  answers("", 0, UNREADABLE);
  answers(deep, strlen(deep), UNREADABLE "JSON of depth 9, limit 8");
  for (size_t i = 2; i < 62; i += 2) {
    memcpy(many + i, ",1", 3);
  }
  strcat(many, "]");
  answers(many, strlen(many), UNREADABLE "JSON of 32 values, limit 30");
  memset(longer, ' ', sizeof(longer));
  memcpy(longer, "{}", 2);
  answers(longer, 401, UNREADABLE "JSON of 401 bytes, limit 400");
}

SERVER_TEST(limits_admit_what_is_at_them) {
  char text[400];
  memset(text, ' ', sizeof(text));
  const char *message = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\","
                        "\"params\":{\"a\":[[[[[[]]]]]]}}";
  memcpy(text, message, strlen(message));
  s.wire.transport.on_message(&s.wire.transport, text, sizeof(text));
  expect("", "request:m ");
}

/* What the transport lends, and how often it got it back. */
static char lent_bytes[128 + MCP_LENT_PADDING];
static int lent_done;

static void on_lent_done(mcp_lent_message *message) {
  assert_ptr_equal(message->bytes, lent_bytes);
  lent_done++;
}

static void lend(const char *text) {
  static mcp_lent_message message;
  message = (mcp_lent_message){lent_bytes, strlen(text), on_lent_done};
  strcpy(lent_bytes, text);
  lent_done = 0;
  s.wire.transport.on_lent(&s.wire.transport, &message);
}

#define LENT "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"

SERVER_TEST(a_lent_message_is_given_back_when_its_call_has_ended) {
  lend(LENT);
  expect("", "request:ping ");
  assert_int_equal(lent_done, 0); /* the owner keeps the message */
  mcpi_message_unref(s.notes.kept);
  s.notes.kept = NULL;
  assert_int_equal(lent_done, 1);
  lend("{\"jsonrpc\":\"2.0\",\"method\":\"m\"}");
  expect("", "notification:m ");
  assert_int_equal(lent_done, 1);
  lend("hello");
  assert_int_equal(lent_done, 1);
  assert_non_null(strstr(s.wire.sent, UNREADABLE));
}

SERVER_TEST(a_closed_peer_gives_a_lent_message_back) {
  let_close();
  lend(LENT);
  assert_int_equal(lent_done, 1);
  expect("", "closed ");
}

TEST(a_transports_error_is_answered_alike) {
  mcp_error err;
  mcp_transport *t = &s.wire.transport;
  begin(&server_ops);
  mcp_error_set(&err, MCP_ERR_LIMIT, "a line too long");
  t->on_error(t, &err);
  expect(UNREADABLE "a line too long\"}}\n", "fault ");
  mcp_error_set(&err, MCP_ERR_PARSE, "not UTF-8");
  t->on_error(t, &err);
  expect(UNREADABLE "not UTF-8\"}}\n", "fault ");
  mcp_error_set(&err, MCP_ERR_IO, "a frame dropped");
  t->on_error(t, &err);
  expect("", "fault ");
  assert_int_equal(s.notes.fault.code, MCP_ERR_IO);
  finish();
}

#define INVALID(id)                                                            \
  "{\"jsonrpc\":\"2.0\"" id ",\"error\":{\"code\":-32600,\"message\":\""

TEST(invalid_requests_are_answered_with_their_id) {
  static const char *const cases[][2] = {
      {"{\"jsonrpc\":\"2.0\",\"id\":7}", INVALID(",\"id\":7")},
      {"{\"id\":\"a\\nb\",\"method\":\"m\"}", INVALID(",\"id\":\"a\\nb\"")},
      {"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":1}", INVALID(",\"id\":7")},
      {"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"m\",\"params\":[]}",
       INVALID(",\"id\":7")},
      {"{\"jsonrpc\":\"2.0\",\"id\":123456789012345678901234567890,"
       "\"method\":\"m\",\"params\":3}",
       INVALID(",\"id\":123456789012345678901234567890")},
      {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"m\"}", INVALID("")},
      {"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"m\"}", INVALID("")},
      {"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"m\"}", INVALID("")},
      {"3", INVALID("")},
      {"\"text\"", INVALID("")},
      {"null", INVALID("")},
      {"{}", INVALID("")},
  };
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    answers(cases[i][0], strlen(cases[i][0]), cases[i][1]);
  }
}

/* The server cuts off a client that sends rubbish and reads nothing. */
SERVER_TEST(a_full_queue_ends_the_connection) {
  s.wire.send_rc = MCP_ERR_LIMIT;
  get("rubbish");
  assert_int_equal(s.wire.closes, 1);
  get("more rubbish"); /* nobody listens any more */
  expect("", "fault ");
}

/* --- requests of ours --------------------------------------------------- */

TEST(an_error_without_id_is_the_peers_complaint) {
  begin(&client_ops);
  ask();
  get("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"
      "\"message\":\"what?\"}}");
  assert_int_equal(s.notes.fault.code, MCP_ERR_REMOTE);
  assert_int_equal(s.notes.fault.status, -32700);
  assert_string_equal(s.notes.fault.message, "what?");
  assert_string_equal(s.notes.log, "fault ");
  s.notes.log[0] = '\0';
  finish();
  assert_string_equal(s.notes.log, "done:-13 closed ");
}

CLIENT_TEST(a_failed_send_is_told) {
  mcpi_peer *peer = &s.owner->peer;
  s.wire.send_rc = MCP_ERR_LIMIT;
  assert_int_equal(mcpi_pending_add(&peer->pending, &s.owner->pending, 0, 0),
                   0);
  assert_int_equal(mcpi_peer_send_request(peer, &s.owner->pending,
                                          MCPI_STR("ping"), mcpi_str_n(NULL, 0),
                                          NULL),
                   MCP_ERR_LIMIT);
  assert_int_equal(s.owner->pending.was_sent, 0);
  mcpi_pending_remove(&s.owner->pending);
}

CLIENT_TEST(giving_up_a_request) {
  mcpi_peer *peer = &s.owner->peer;
  mcpi_peer_send_cancel(peer, 7, MCPI_STR("too \"slow\""), 0);
  mcpi_peer_send_cancel(peer, 18446744073709551615u, mcpi_str_n(NULL, 0), 1);
  expect("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
         "\"params\":{\"requestId\":7,\"reason\":\"too \\\"slow\\\"\"}}\n"
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\","
         "\"params\":{\"requestId\":18446744073709551615}}\n",
         "");
  s.wire.transport.flags = MCP_TRANSPORT_PER_REQUEST_STREAM;
  mcpi_peer_send_cancel(peer, 8, mcpi_str_n(NULL, 0), 1);
  assert_int_equal(s.wire.aborted, 8);
  expect("", "");
  mcpi_peer_send_cancel(peer, 9, mcpi_str_n(NULL, 0), 0);
  assert_int_equal(s.wire.aborted, 8);
}

/* --- requests of the peer's in flight ----------------------------------- */

#define CANCEL(id)                                                             \
  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{"   \
  "\"requestId\":" id ",\"reason\":\"why\"}}"

/* Which request it finds, tests/wire/server/calls.txt says. */
SERVER_TEST(a_cancellation_hands_on_its_reason_once) {
  track("1");
  get(CANCEL("1"));
  expect("", "cancelled:why ");
  get(CANCEL("1"));
  expect("", "");
  mcpi_peer_untrack(&s.owner->peer, &s.owner->inflight); /* harmless */
}

SERVER_TEST(ids_in_flight_are_unique_and_few) {
  mcpi_peer *peer = &s.owner->peer;
  mcpi_inflight twice = {MCPI_STR("1"), on_cancel};
  mcpi_inflight other = {MCPI_STR("2"), on_cancel};
  mcpi_inflight third = {MCPI_STR("3"), on_cancel};
  track("1");
  assert_int_equal(mcpi_peer_track(peer, &twice), MCP_ERR_EXISTS);
  mcpi_peer_untrack(peer, &twice); /* it is not the one in the table */
  assert_int_equal(mcpi_peer_track(peer, &twice), MCP_ERR_EXISTS);
  assert_int_equal(mcpi_peer_track(peer, &other), 0);
  assert_int_equal(mcpi_peer_track(peer, &third), MCP_ERR_LIMIT);
  /* After completion an id may be used again. */
  mcpi_peer_untrack(peer, &s.owner->inflight);
  assert_int_equal(mcpi_peer_track(peer, &twice), 0);
  mcpi_peer_untrack(peer, &s.owner->inflight);
  assert_ptr_equal(mcpi_map_get(&peer->inflight, MCPI_STR("1")), &twice);
  mcpi_peer_untrack(peer, &twice);
  mcpi_peer_untrack(peer, &other);
}

/* --- the end ------------------------------------------------------------ */

CLIENT_TEST(closing_fails_what_waits) {
  mcp_error err;
  ask();
  s.wire.sent[0] = '\0';
  mcp_error_set(&err, MCP_ERR_IO, "broken pipe");
  s.wire.transport.on_close(&s.wire.transport, &err);
  expect("", "done:-13 closed ");
  assert_int_equal(s.notes.close_code, MCP_ERR_IO);
  assert_int_equal(mcpi_peer_send(&s.owner->peer, "{}", 2, NULL),
                   MCP_ERR_CLOSED);
  mcpi_link_close(&s.owner->link); /* harmless */
  assert_int_equal(s.wire.closes, 0);
}

SERVER_TEST(after_close_nothing_comes_and_nothing_goes) {
  mcpi_link_close(&s.owner->link);
  mcpi_link_close(&s.owner->link);
  assert_int_equal(s.wire.closes, 1);
  get("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}");
  get("rubbish");
  assert_int_equal(mcpi_peer_send(&s.owner->peer, "{}", 2, NULL),
                   MCP_ERR_CLOSED);
  expect("", "");
  let_close();
  expect("", "closed ");
}

SERVER_TEST(a_batch_stops_when_the_owner_closes) {
  s.notes.batches = 1;
  s.notes.then = DO_CLOSE;
  get("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"},"
      "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"b\"}]");
  expect("", "request:a ");
}

CLIENT_TEST(a_restart_fails_and_cancels) {
  ask();
  track("5");
  s.wire.sent[0] = '\0';
  s.wire.transport.on_restart(&s.wire.transport);
  expect("", "done:-13 cancelled:the peer was restarted restart ");
  track("5"); /* the new one's ids begin anew */
  mcpi_peer_untrack(&s.owner->peer, &s.owner->inflight);
  ask();
  get("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
  assert_string_equal(s.notes.log, "done:0 ");
}

TEST(the_end_of_input_is_told_where_it_matters) {
  begin(&server_ops);
  s.wire.transport.on_end(&s.wire.transport);
  expect("", "end ");
  assert_int_equal(mcpi_peer_send(&s.owner->peer, "{}", 2, NULL), 0);
  expect("{}\n", "");
  s.notes.then = DO_FREE;
  s.wire.transport.on_end(&s.wire.transport);
  assert_null(s.wire.transport.on_end);
  let_close();
  finish_ownerless();

  begin(&client_ops);
  assert_null(s.wire.transport.on_end); /* the transport closes itself */
  finish();
}

/* --- freed inside callbacks --------------------------------------------- */

#define REQUEST "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"}"
#define RESULT "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}"
#define PROGRESS                                                               \
  "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"    \
  "\"progressToken\":1,\"progress\":3}}"

/* Each of these leads to one of the owner's callbacks, in which it ends. */
static const char *const fatal[] = {
    REQUEST,
    "{\"jsonrpc\":\"2.0\",\"method\":\"b\"}",
    "rubbish",
    "{}",
    "[]",
    "[" REQUEST "," REQUEST "]",
    "[3," REQUEST "]",
    "[" RESULT "," REQUEST "]",
    RESULT,
    PROGRESS,
    CANCEL("5"),
    "{\"jsonrpc\":\"2.0\",\"id\":77,\"result\":{}}",
};

static void end_inside(const char *text, int then, int closes_at_once) {
  begin(&server_ops);
  s.notes.batches = 1;
  s.wire.closes_at_once = closes_at_once;
  ask();
  track("5");
  s.notes.log[0] = '\0';
  s.notes.then = then;
  get(text);
  if (!closes_at_once) {
    assert_int_equal(s.wire.released, 0); /* it has not ended yet */
    let_close();
  }
  assert_int_equal(s.wire.closes, 1);
  finish_ownerless();
}

TEST(the_owner_may_free_itself_in_any_callback) {
  for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++) {
    end_inside(fatal[i], DO_FREE, 0);
    end_inside(fatal[i], DO_FREE, 1);
    end_inside(fatal[i], DO_CLOSE_AND_FREE, 0);
    end_inside(fatal[i], DO_CLOSE_AND_FREE, 1);
  }
}

TEST(the_owner_may_free_itself_when_closed) {
  begin(&server_ops);
  s.notes.then = DO_FREE;
  let_close();
  expect("", "closed ");
  finish_ownerless();

  /* In a completion that the end brings; then the owner notes nothing else. */
  begin(&server_ops);
  ask();
  s.notes.then = DO_FREE;
  let_close();
  assert_string_equal(s.notes.log, "done:-13 ");
  finish_ownerless();
}

TEST(the_owner_may_free_itself_at_a_restart) {
  static const char *const logs[] = {"restart ", "done:-13 ",
                                     "cancelled:the peer was restarted "};
  for (int what = 0; what < 3; what++) {
    begin(&client_ops);
    if (what == 1) {
      ask();
    }
    if (what == 2) {
      track("5");
    }
    s.notes.then = DO_FREE;
    s.wire.transport.on_restart(&s.wire.transport);
    assert_string_equal(s.notes.log, logs[what]);
    let_close();
    finish_ownerless();
  }
}

/* It may take its time to end, and have things to tell meanwhile. */
TEST(what_an_abandoned_transport_says_is_ignored) {
  mcp_transport *t = &s.wire.transport;
  mcp_error err;
  begin(&server_ops);
  mcp_error_set(&err, MCP_ERR_LIMIT, "a line too long");
  mcpi_link_close(&s.owner->link);
  t->on_error(t, &err);
  t->on_restart(t);
  t->on_end(t);
  free_owner(s.owner);
  get(REQUEST);
  lend(LENT);
  assert_int_equal(lent_done, 1);
  t->on_error(t, &err);
  t->on_restart(t);
  expect("", "");
  assert_int_equal(s.wire.closes, 1);
  let_close();
  finish_ownerless();
}

/* --- starting ----------------------------------------------------------- */

static void start_fails(wire *w, int code, const char *message) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  mcpi_peer peer;
  mcpi_link at;
  mcp_error err;
  mcpi_peer_init(&peer, loop, &server_ops, &small);
  mcpi_link_init(&at, &peer, &w->transport, &server_link_ops, &short_messages);
  assert_int_equal(mcpi_link_start(&at, NULL, 0, &err), code);
  assert_string_equal(err.message, message);
  assert_int_equal(mcpi_peer_send(&peer, "{}", 2, NULL), MCP_ERR_CLOSED);
  mcpi_link_close(&at);
  assert_int_equal(w->closes, 0);
  mcpi_link_deinit(&at);
  mcpi_link_deinit(&at); /* harmless */
  assert_int_equal(w->released, 1);
  mcp_loop_free(loop);
}

TEST(a_start_that_fails) {
  wire w;
  wire_init(&w);
  w.start_rc = MCP_ERR_IO;
  start_fails(&w, MCP_ERR_IO, "no start");
  wire_init(&w);
  w.transport.send = NULL;
  start_fails(&w, MCP_ERR_INVALID, "the transport lacks start, send or close");
  wire_init(&w);
  w.transport.size = 8;
  start_fails(&w, MCP_ERR_INVALID,
              "the transport's size is 8, not sizeof(mcp_transport)");
}

/* A program that was built with older headers has a table without `internal`:
 * nothing is written there. */
TEST(a_table_of_the_first_layout_is_accepted) {
  static const char canary[] = "not ours";
  table_size = offsetof(mcp_transport, internal);
  begin(&server_ops);
  table_size = sizeof(mcp_transport);
  assert_null(s.wire.transport.internal);
  s.wire.transport.internal = canary;
  get("{\"jsonrpc\":\"2.0\",\"method\":\"m\"}");
  free_owner(s.owner); /* while the transport is open */
  assert_ptr_equal(s.wire.transport.internal, canary);
  mcp_loop_free(s.loop);
}

/* --- memory ------------------------------------------------------------- */

TEST(a_steady_stream_asks_for_no_memory) {
  failing_alloc alloc;
  failing_alloc_init(&alloc);
  begin_on(mcp_loop_new_manual(NULL, &alloc.allocator, NULL), &server_ops);
  size_t calls = 0;
  for (int i = 0; i < 500; i++) {
    char reply[80];
    get(REQUEST);
    track("1");
    mcpi_peer_send_error(&s.owner->peer, MCPI_STR("1"), -1, MCPI_STR("m"),
                         mcpi_str_n(NULL, 0));
    mcpi_peer_untrack(&s.owner->peer, &s.owner->inflight);
    track("2");
    get(CANCEL("2"));
    ask();
    snprintf(reply, sizeof(reply),
             "{\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{}}", i + 1);
    get(reply);
    s.wire.sent[0] = '\0';
    s.notes.log[0] = '\0';
    if (i == 0) {
      calls = alloc.calls;
    }
  }
  assert_int_equal(alloc.calls, calls);
  finish();
  assert_int_equal(alloc.live_blocks, 0);
}

/* Everything once, with any one allocation failing: nothing leaks, and every
 * request of ours is completed. */
static int all_at_once(const mcp_allocator *allocator, void *userdata) {
  mcp_loop *loop = mcp_loop_new_manual(NULL, allocator, NULL);
  if (loop == NULL) {
    return MCP_ERR_NOMEM;
  }
  begin_on(loop, &server_ops);
  mcpi_peer *peer = &s.owner->peer;
  s.notes.batches = 1;
  get(REQUEST);
  get("[" REQUEST ",{\"id\":\"x\"}]");
  get("rubbish");
  s.owner->inflight.id_text = MCPI_STR("5");
  int rc = mcpi_peer_track(peer, &s.owner->inflight);
  get(CANCEL("5"));
  mcpi_peer_untrack(peer, &s.owner->inflight);
  if (rc == 0) {
    rc = mcpi_pending_add(&peer->pending, &s.owner->pending, 10, 0);
  }
  if (rc == 0) {
    rc = mcpi_peer_send_request(peer, &s.owner->pending, MCPI_STR("ping"),
                                mcpi_str_n(NULL, 0), NULL);
  }
  finish();
  return rc;
}

TEST(every_allocation_may_fail) {
  assert_true(failing_alloc_rerun(all_at_once, NULL) >= 6);
}

/* A request for which there is no memory is not left without an answer. */
TEST(without_memory_the_peer_is_told) {
  failing_alloc alloc;
  failing_alloc_init(&alloc);
  begin_on(mcp_loop_new_manual(NULL, &alloc.allocator, NULL), &server_ops);
  alloc.fail_at = alloc.calls + 1;
  get(REQUEST);
  expect("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32603,\"message\":\"out of "
         "memory\"}}\n",
         "fault ");
  get(REQUEST);
  expect("", "request:a ");
  finish();
}

/* Neither is one whose many members there is no memory to compare. */
TEST(without_memory_for_its_envelope_either) {
  char text[800] =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":{";
  failing_alloc alloc;
  for (int i = 0; i < 40; i++) {
    size_t len = strlen(text);
    snprintf(text + len, sizeof(text) - len, "\"m%d\":0,", i);
  }
  memcpy(text + strlen(text) - 1, "}}", 3);
  failing_alloc_init(&alloc);
  begin_on(mcp_loop_new_manual(NULL, &alloc.allocator, NULL), &server_ops);
  s.owner->link.owner.limits = (mcpi_message_limits){1000, 10, 1000};
  get(text);
  expect("", "request:a ");
  mcpi_message_unref(s.notes.kept); /* its block is there for the next one */
  s.notes.kept = NULL;
  alloc.fail_at = alloc.calls + 1;
  get(text);
  expect("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32603,\"message\":\"out of "
         "memory\"}}\n",
         "fault ");
  finish();
}

/* Nor is it told half of its id. */
TEST(without_memory_for_its_id_too) {
  char text[700] = "{\"id\":\"";
  failing_alloc alloc;
  for (int i = 0; i < 200; i++) {
    strcat(text, "\\\"");
  }
  strcat(text, "\"}");
  failing_alloc_init(&alloc);
  begin_on(mcp_loop_new_manual(NULL, &alloc.allocator, NULL), &server_ops);
  s.owner->link.owner.limits = (mcpi_message_limits){1000, 10, 1000};
  get(text); /* leaves a block and a scratch buffer for the next one */
  s.wire.sent[0] = s.notes.log[0] = '\0';
  alloc.fail_at = alloc.calls + 2; /* the id's text, when it grows */
  get(text);
  expect("{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":"
         "\"\\\"jsonrpc\\\" is not \\\"2.0\\\"\"}}\n",
         "fault ");
  assert_int_equal(alloc.failures, 1);
  finish();
}
