/* SPDX-License-Identifier: MIT */
/* Messages that a transport lends (mcp_transport.on_lent). */
#include "support/cm.h"

#include <mcp/call.h>
#include <mcp/loop.h>
#include <mcp/server.h>
#include <mcp/transport.h>
#include <string.h>

typedef struct lender {
  mcp_transport transport;
  mcp_lent_message message;
  char bytes[1024];
  int done_count;
  char answer[1024];
} lender;

static lender *lent_by;

static void lender_done(mcp_lent_message *message) {
  lent_by->done_count++;
  memset(message->bytes, 'x', message->len); /* the bytes are free */
}

static void lend(lender *l, const char *text) {
  lent_by = l;
  l->message = (mcp_lent_message){l->bytes, strlen(text), lender_done};
  memcpy(l->bytes, text, l->message.len);
  l->transport.on_lent(&l->transport, &l->message);
}

static int lender_start(mcp_transport *transport, mcp_error *err) {
  return 0;
}

static int lender_send(mcp_transport *transport, const char *message,
                       size_t len, const mcp_send_info *info) {
  lender *l = transport->userdata;
  assert_true(len < sizeof(l->answer));
  memcpy(l->answer, message, len);
  l->answer[len] = '\0';
  return 0;
}

static void lender_close(mcp_transport *transport) {
}

static void lender_init(lender *l) {
  *l = (lender){.transport = {.size = sizeof(mcp_transport),
                              .userdata = l,
                              .start = lender_start,
                              .send = lender_send,
                              .close = lender_close}};
}

#define CALL                                                                   \
  "{\"jsonrpc\":\"2.0\",\"id\":\"seven\",\"method\":\"tools/call\","           \
  "\"params\":{\"name\":\"t\",\"arguments\":{\"a\":\"lent\"},\"_meta\":{"      \
  "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                \
  "\"io.modelcontextprotocol/clientCapabilities\":{}}}}"

static mcp_call *kept;

static int on_call(mcp_call *call, void *userdata) {
  kept = call;
  return mcp_call_defer(call);
}

static mcp_server *connect_lender(lender *l, mcp_loop *loop) {
  mcp_server *server = mcp_server_new("test", "1", NULL, NULL);
  const mcp_tool tool = {.size = sizeof(tool),
                         .name = "t",
                         .input = MCP_SCHEMA_TYPE("object"),
                         .handler = on_call};
  assert_int_equal(mcp_server_add_tool(server, &tool, NULL), 0);
  assert_int_equal(
      mcp_server_connect(server, loop, &l->transport, NULL, NULL, NULL), 0);
  return server;
}

TEST(a_lent_request_is_done_when_its_call_ends) {
  lender l;
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  lender_init(&l);
  mcp_server *server = connect_lender(&l, loop);
  lend(&l, CALL);
  assert_int_equal(l.done_count, 0);
  assert_int_equal(mcp_call_reply_text(kept, mcp_call_string(kept, "a")), 0);
  assert_int_equal(l.done_count, 1);
  assert_non_null(strstr(l.answer, "\"id\":\"seven\""));
  assert_non_null(strstr(l.answer, "\"text\":\"lent\""));
  mcp_server_free(server);
  mcp_loop_free(loop);
  assert_int_equal(l.done_count, 1);
}

TEST(a_lent_message_is_done_at_once_without_a_call) {
  lender l;
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  lender_init(&l);
  mcp_server *server = connect_lender(&l, loop);
  lend(&l, "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}");
  assert_int_equal(l.done_count, 1);
  lend(&l, "no JSON");
  assert_int_equal(l.done_count, 2);
  assert_non_null(strstr(l.answer, "\"error\""));
  mcp_server_free(server);
  lend(&l, CALL); /* the transport is still closing */
  assert_int_equal(l.done_count, 3);
  l.transport.on_close(&l.transport, NULL);
  mcp_loop_free(loop);
}

static void on_traced(mcp_transport *transport,
                      const mcp_traced_message *message, void *userdata) {
}

static void stale(mcp_transport *transport, mcp_lent_message *message) {
  fail();
}

TEST(a_wrapped_transport_cannot_lend) {
  lender l;
  mcp_loop *loop = mcp_loop_new_manual(NULL, NULL, NULL);
  mcp_server *server = mcp_server_new("test", "1", NULL, NULL);
  lender_init(&l);
  l.transport.on_lent = stale;
  mcp_transport *outer =
      mcp_transport_trace(loop, &l.transport, on_traced, NULL, NULL);
  assert_non_null(outer);
  assert_int_equal(mcp_server_connect(server, loop, outer, NULL, NULL, NULL),
                   0);
  assert_null(l.transport.on_lent);
  mcp_server_free(server);
  l.transport.on_close(&l.transport, NULL);
  mcp_loop_free(loop);
}
