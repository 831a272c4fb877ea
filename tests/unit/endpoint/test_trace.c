/* SPDX-License-Identifier: MIT */
/* What an endpoint shows of its messages. */
#include "support/cm.h"
#include "support/failing_alloc.h"
#include "support/http_rig.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lines of the trace: "< PEER SESSION LEN" for what came, "> ..." for what
 * went, and the message. */
typedef struct journal {
  http_rig http;
  char lines[16384];
  size_t len;
  char id[64];
} journal;

static void on_trace(int is_sent, const char *peer, const char *session,
                     const char *text, size_t len, void *userdata) {
  journal *l = userdata;
  l->len += (size_t)snprintf(l->lines + l->len, sizeof(l->lines) - l->len,
                             "%s %s %s %.*s\n", is_sent ? ">" : "<",
                             peer != NULL ? peer : "-",
                             session != NULL ? session : "-", (int)len, text);
  assert_true(l->len < sizeof(l->lines));
}

static int on_tell(mcp_call *call, void *userdata) {
  (void)userdata;
  mcp_call_log(call, MCP_LOG_WARNING, NULL, "{\"password\":\"hush\"}");
  return mcp_call_reply_text(call, "token=hush");
}

static int begin_with(journal *l, const mcp_allocator *allocator) {
  const mcp_http_options options = {
      .size = MCP_HTTP_OPTIONS_INIT, .on_trace = on_trace, .userdata = l};
  const mcp_tool tool = {
      .size = MCP_TOOL_INIT, .name = "tell", .handler = on_tell};
  memset(l, 0, sizeof(*l));
  int rc = http_rig_init(&l->http, NULL, &options, allocator);
  if (rc == 0) {
    mcp_server_enable_logging(l->http.rig.server);
    rc = mcp_server_add_tool(l->http.rig.server, &tool);
  }
  return rc;
}

static void begin(journal *l) {
  assert_int_equal(begin_with(l, NULL), 0);
}

static void end(journal *l) {
  http_rig_deinit(&l->http);
}

/* Sends, and looks away from the answer. */
static void send(journal *l, const char *request) {
  http_trip trip = {0};
  trip_send(&trip, &l->http, request);
  const char *id = trip_header(&trip, "Mcp-Session-Id");
  if (id != NULL) {
    snprintf(l->id, sizeof(l->id), "%s", id);
  }
  trip_deinit(&trip);
}

/* Each text stands in the trace behind the one before; nothing of a secret. */
static void seen(journal *l, const char *const *texts) {
  const char *at = l->lines;
  for (; *texts != NULL; texts++) {
    const char *found = strstr(at, *texts);
    if (found == NULL) {
      fail_msg("no %s in:\n%s", *texts, at);
    }
    at = found + strlen(*texts);
  }
  assert_null(strstr(l->lines, "hush"));
  l->len = 0;
  l->lines[0] = '\0';
}

#define SEEN(...) ((const char *const[]){__VA_ARGS__, NULL})
#define PEER "127.0.0.1:4711 "

static void a_call_and_its_answer(void **state) {
  journal l;
  (void)state;
  begin(&l);
  send(&l, CALL("1", "tell"));
  seen(&l, SEEN("< " PEER "- {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                "\"tools/call\"",
                "\n> " PEER "- {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":",
                "\"token=[redacted]\"", "}\n"));
  end(&l);
}

static void what_is_refused_is_seen(void **state) {
  journal l;
  (void)state;
  begin(&l);
  send(&l, POST("", "nothing"));
  seen(&l,
       SEEN("< " PEER "- [7 bytes that are not JSON]\n",
            "> " PEER "- {\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,"));
  /* Where there is no message there is nothing to see. */
  send(&l, "GET /health\nHost: localhost\n\n");
  send(&l, "POST /elsewhere\n" HTTP_JSON "\n{}");
  assert_int_equal(l.len, 0);
  end(&l);
}

static void a_session_is_named_by_its_beginning(void **state) {
  journal l;
  char request[1000];
  char call[64];
  char event[64];
  (void)state;
  begin(&l);
  send(&l, INITIALIZE("2025-06-18", "{}"));
  assert_int_equal(strlen(l.id), 32);
  seen(&l, SEEN("< " PEER "- {", "\"initialize\"", "> " PEER));
  snprintf(request, sizeof(request),
           "POST /mcp\n" HTTP_JSON "Mcp-Session-Id: %s\n\n"
           "{$J,'id':1,'method':'tools/call','params':{'name':'tell'}}",
           l.id);
  send(&l, request);
  snprintf(call, sizeof(call), "< " PEER "%.8s {", l.id);
  snprintf(event, sizeof(event), "> " PEER "%.8s {", l.id);
  assert_null(strstr(l.lines, l.id));
  seen(&l, SEEN(call, "\"tools/call\"", event, "\"notifications/message\"",
                "\"password\":\"[redacted]\"", event, "\"id\":1,\"result\""));
  end(&l);
}

/* A header may bring anything, of any length. */
static void no_header_forges_a_line(void **state) {
  journal l;
  (void)state;
  begin(&l);
  send(&l, "POST /mcp\n" HTTP_JSON "Mcp-Session-Id: a\x7f"
           "b\n\n"
           "{$J,'id':1,'method':'ping'}");
  seen(&l, SEEN("< " PEER "a {\"jsonrpc\""));
  end(&l);
}

static int scenario(const mcp_allocator *allocator, void *userdata) {
  journal l;
  (void)userdata;
  int rc = begin_with(&l, allocator);
  if (rc == 0) {
    send(&l, CALL("1", "tell"));
    send(&l, INITIALIZE("2025-06-18", "{}"));
  }
  if (l.http.http != NULL) {
    end(&l);
  }
  return rc;
}

static void survives_each_failed_allocation(void **state) {
  (void)state;
  assert_true(failing_alloc_rerun(scenario, NULL) > 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_call_and_its_answer),
      cmocka_unit_test(what_is_refused_is_seen),
      cmocka_unit_test(a_session_is_named_by_its_beginning),
      cmocka_unit_test(no_header_forges_a_line),
      cmocka_unit_test(survives_each_failed_allocation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
