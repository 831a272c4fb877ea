/* SPDX-License-Identifier: MIT */
/* The server may be freed, and its connection closed, inside every callback:
 * one conversation that reaches them all, ended in each in turn. */
#include "support/cm.h"
#include "support/messages.h"
#include "support/server_rig.h"
#include <stdio.h>
#include <string.h>

/* Where. */
enum {
  IN_HANDLER,
  IN_ASKING, /* its second run */
  IN_METHOD,
  IN_NOTIFICATION,
  IN_COMPLETION,
  IN_REQUEST_HOOK,
  IN_REPLY_HOOK,
  IN_REPORT,
  IN_OPENED,
  IN_CLOSED,
  IN_CANCEL,
  IN_ROOTS,
  PLACES
};

/* What. */
enum { FREES, CLOSES, DRAINS, ENDS_AND_FREES, DEEDS };

typedef struct bench {
  server_rig rig;
  rig_wire wires[2];
  mcp_call *kept;
  int place;
  int deed;
  int is_done;
  int has_begun;
} bench;

static void free_server(bench *b) {
  mcp_server_free(b->rig.server);
  b->rig.server = NULL;
}

static void close_all(bench *b) {
  mcp_connection_close(b->wires[0].connection, 0);
  mcp_connection_close(b->wires[1].connection, 0);
}

static void at(bench *b, int place) {
  if (place != b->place || b->is_done) {
    return;
  }
  b->is_done = 1;
  if (b->deed == FREES) {
    free_server(b);
  } else if (b->deed == CLOSES) {
    close_all(b);
  } else if (b->deed == DRAINS) {
    mcp_server_drain(b->rig.server, 10);
  } else {
    close_all(b);
    free_server(b);
  }
}

/* ---- callbacks ---------------------------------------------------------- */

static int on_tool(mcp_call *call, void *userdata) {
  at(userdata, IN_HANDLER);
  return mcp_call_reply_text(call, "x") == MCP_ERR_INVALID ? -1 : 0;
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  int rc = mcp_call_ask_roots(call, "r", &answer);
  if (rc == 0) {
    at(userdata, IN_ASKING);
  }
  return rc != 0 ? rc : mcp_call_reply(call);
}

static void on_cancel(mcp_call *call, void *userdata) {
  bench *b = userdata;
  at(b, IN_CANCEL);
}

static int on_keep(mcp_call *call, void *userdata) {
  bench *b = userdata;
  b->kept = call;
  mcp_call_on_cancel(call, on_cancel, b);
  return mcp_call_defer(call);
}

static int on_fail(mcp_call *call, void *userdata) {
  return MCP_ERR_IO; /* which is reported */
}

static void on_late_cancel(mcp_call *call, void *userdata) {
  fail_msg("a call that has its reply is cancelled");
}

static int on_reserved(mcp_call *call, void *userdata) {
  mcp_call_on_cancel(call, on_late_cancel, userdata);
  mcp_call_reply_error(call, MCP_RPC_URL_ELICITATION_REQUIRED, "no", NULL);
  return 0;
}

static int on_bad_text(mcp_call *call, void *userdata) {
  return mcp_call_reply_text(call, "\xff");
}

static int on_hasty(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  mcp_call_ask_roots(call, "r", &answer);
  mcp_call_reply(call);
  return 0;
}

static int on_method(mcp_call *call, void *userdata) {
  at(userdata, IN_METHOD);
  mcp_call_reply_json(call, "{}");
  return 0;
}

static int on_note(mcp_call *call, void *userdata) {
  at(userdata, IN_NOTIFICATION);
  return 0;
}

static int on_complete(mcp_call *call, void *userdata) {
  at(userdata, IN_COMPLETION);
  mcp_call_reply(call);
  return 0;
}

static int on_request(mcp_call *call, void *userdata) {
  if (strcmp(mcp_call_method(call), "prompts/list") == 0) {
    at(userdata, IN_REQUEST_HOOK);
  }
  return 0;
}

static void on_reply(mcp_call *call, const char *reply, size_t len,
                     void *userdata) {
  if (strcmp(mcp_call_method(call), "prompts/list") == 0) {
    at(userdata, IN_REPLY_HOOK);
  }
}

static void on_report(mcp_server *server, const mcp_error *err,
                      void *userdata) {
  at(userdata, IN_REPORT);
}

static void on_opened(mcp_server *server, mcp_session *session,
                      void *userdata) {
  at(userdata, IN_OPENED);
}

static void on_closed(mcp_server *server, mcp_session *session,
                      void *userdata) {
  at(userdata, IN_CLOSED);
}

static void on_roots(mcp_session *session, const mcp_json *roots,
                     void *userdata) {
  at(userdata, IN_ROOTS);
}

/* ---- the conversation --------------------------------------------------- */

static void add_tool(bench *b, const char *name, mcp_call_cb handler) {
  const mcp_tool tool = {.size = sizeof(mcp_tool),
                         .name = name,
                         .handler = handler,
                         .userdata = b};
  mcp_server_add_tool(b->rig.server, &tool, NULL);
}

static void add_all(bench *b) {
  const mcp_method method = {.size = sizeof(mcp_method),
                             .name = "m",
                             .handler = on_method,
                             .userdata = b};
  const mcp_method note = {.size = sizeof(mcp_method),
                           .name = "n",
                           .handler = on_note,
                           .userdata = b,
                           .is_notification = 1};
  const mcp_prompt_argument argument = {.name = "a"};
  const mcp_prompt prompt = {.size = sizeof(mcp_prompt),
                             .name = "p",
                             .arguments = &argument,
                             .argument_count = 1,
                             .handler = on_tool,
                             .complete = on_complete,
                             .userdata = b};
  add_tool(b, "tool", on_tool);
  add_tool(b, "ask", on_ask);
  add_tool(b, "keep", on_keep);
  add_tool(b, "fail", on_fail);
  add_tool(b, "reserved", on_reserved);
  add_tool(b, "bad", on_bad_text);
  add_tool(b, "hasty", on_hasty);
  mcp_server_add_method(b->rig.server, &method, NULL);
  mcp_server_add_method(b->rig.server, &note, NULL);
  mcp_server_add_prompt(b->rig.server, &prompt, NULL);
  mcp_server_on_roots(b->rig.server, on_roots, b);
}

/* limits: NULL: the defaults. */
static void begin(bench *b, int place, int deed,
                  const mcp_server_options *limits) {
  mcp_server_options options = {.size = sizeof(mcp_server_options)};
  if (limits != NULL) {
    options = *limits;
  }
  options.userdata = b;
  options.on_report = on_report;
  options.on_session_opened = on_opened;
  options.on_session_closed = on_closed;
  options.on_request = on_request;
  options.on_reply = on_reply;
  memset(b, 0, sizeof(*b));
  b->place = place;
  b->deed = deed;
  b->has_begun = 1;
  assert_int_equal(rig_init(&b->rig, &options, NULL), 0);
  add_all(b);
  assert_int_equal(wire_connect(&b->wires[0], &b->rig, NULL), 0);
  assert_int_equal(wire_connect(&b->wires[1], &b->rig, NULL), 0);
}

static void talk(bench *b) {
  static const char *const lines[] = {
      "{$J,'id':'L','method':'subscriptions/listen','params':{"
      "'notifications':{'toolsListChanged':true},$M{}}}",
      "{$J,'id':0,'method':'initialize','params':{'protocolVersion':"
      "'2025-11-25','capabilities':{'roots':{}},'clientInfo':{}}}",
      "{$J,'method':'notifications/initialized'}",
      "{$J,'id':1,'result':{'roots':[]}}",
      "{$J,'id':1,'method':'tools/call','params':{'name':'keep'}}",
      "{$J,'id':2,'method':'prompts/list'}",
      "{$J,'id':3,'method':'tools/call','params':{'name':'tool'}}",
      "{$J,'id':4,'method':'m','params':{}}",
      "{$J,'method':'n'}",
      "{$J,'id':5,'method':'completion/complete','params':{'ref':{"
      "'type':'ref/prompt','name':'p'},'argument':{'name':'a','value':''}}}",
      "{$J,'id':6,'method':'tools/call','params':{'name':'fail'}}",
      "{$J,'id':7,'method':'tools/call','params':{'name':'ask'}}",
      "{$J,'id':2,'result':{'roots':[]}}",
      "{$J,'method':'notifications/cancelled','params':{'requestId':1}}"};
  for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
    wire_send(&b->wires[0], lines[i]);
    rig_turn(&b->rig);
  }
}

static void end(bench *b) {
  b->has_begun = 0;
  b->wires[0].end->close(b->wires[0].end);
  rig_turn(&b->rig);
  rig_pass(&b->rig, 10);
  free_server(b);
  rig_turn(&b->rig);
  mcp_call_drop(b->kept);
  wire_deinit(&b->wires[0]);
  wire_deinit(&b->wires[1]);
  rig_deinit(&b->rig);
}

/* A test begins and ends the bench itself, unless it fails in between. */
static int set_up(void **state) {
  static bench b;
  memset(&b, 0, sizeof(b));
  *state = &b;
  return 0;
}

static int tear_down(void **state) {
  bench *b = *state;
  if (b->has_begun) {
    end(b);
  }
  return 0;
}

#define FREE_TEST(name) TEST_WITH(name, set_up, tear_down)

FREE_TEST(each_callback_may_end_everything) {
  bench *b = *state;
  for (int place = 0; place < PLACES; place++) {
    for (int deed = 0; deed < DEEDS; deed++) {
      begin(b, place, deed, NULL);
      talk(b);
      end(b);
      if (!b->is_done) {
        fail_msg("place %d was never reached", place);
      }
    }
  }
}

/* ---- reports ------------------------------------------------------------ */

#define OPEN                                                                   \
  "{$J,'id':0,'method':'initialize','params':{'protocolVersion':"              \
  "'2025-11-25','capabilities':{'roots':{}},'clientInfo':{}}}",                \
      "{$J,'method':'notifications/initialized'}",                             \
      "{$J,'id':1,'result':{'roots':[]}}"
#define LISTEN(id)                                                             \
  "{$J,'id':'" id "','method':'subscriptions/listen','params':{"               \
  "'notifications':{},$M{}}}"
#define PAD "#" /* 7,000 of them */

static void send_padded(bench *b, const char *line) {
  static char text[10000];
  int pad = (int)strcspn(line, PAD);
  if (line[pad] == '\0') {
    snprintf(text, sizeof(text), "%s", line);
  } else {
    snprintf(text, sizeof(text), "%.*s%*s%s", pad, line, 7000, "",
             line + pad + 1);
  }
  wire_send(&b->wires[0], text);
  rig_turn(&b->rig);
}

FREE_TEST(each_report_may_end_everything) {
  static const struct {
    mcp_limits limits;
    const char *lines[9];
  } cases[] = {
      /* the client's answer to a question is too long */
      {{.size = sizeof(mcp_limits), .max_kept_bytes = 32 * 1024},
       {OPEN, LEGACY_CALL("1", "ask"),
        "{$J,'id':2,'result':{'roots':[],'a':'" PAD "'}}"}},
      {{.size = sizeof(mcp_limits), .max_kept_bytes = 8 * 1024},
       {"{$J,'id':0,'method':'initialize','params':{'protocolVersion':"
        "'2025-11-25','capabilities':{'a':'" PAD "'},'clientInfo':{}}}"}},
      {{.size = sizeof(mcp_limits), .max_calls = 1},
       {OPEN, LEGACY_CALL("1", "keep"), LEGACY_CALL("2", "tool")}},
      {{.size = sizeof(mcp_limits), .max_calls = 1},
       {OPEN, LEGACY_CALL("1", "keep"), "{$J,'method':'n'}"}},
      {{.size = sizeof(mcp_limits), .max_subscriptions = 1},
       {LISTEN("a"), LISTEN("b")}},
      {{.size = sizeof(mcp_limits), .max_unreadable = 1},
       {"rubbish", "rubbish"}},
      {{.size = sizeof(mcp_limits)}, {MODERN_CALL("1", "reserved")}},
      {{.size = sizeof(mcp_limits)}, {OPEN, LEGACY_CALL("1", "bad")}},
      {{.size = sizeof(mcp_limits)}, {OPEN, LEGACY_CALL("1", "hasty")}},
  };
  bench *b = *state;
  for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    for (int deed = 0; deed < DEEDS; deed++) {
      const mcp_server_options options = {.size = sizeof(mcp_server_options),
                                          .limits = &cases[i].limits};
      begin(b, IN_REPORT, deed, &options);
      for (size_t k = 0; k < 9 && cases[i].lines[k] != NULL; k++) {
        send_padded(b, cases[i].lines[k]);
      }
      end(b);
      if (!b->is_done) {
        fail_msg("case %zu reported nothing", i);
      }
    }
  }
}

/* ---- keys --------------------------------------------------------------- */

static const uint8_t keys[2][MCP_SEAL_KEY_SIZE] = {"the first key", "another"};
static int freed_keys; /* blocks of their size */

static void release(void *userdata, void *ptr, size_t size) {
  const mcp_allocator *plain = userdata;
  const uint8_t *bytes = ptr;
  if (size == sizeof(keys)) {
    freed_keys++;
    for (size_t i = 0; i + 5 <= size; i++) {
      assert_memory_not_equal(bytes + i, "first", 5);
      assert_memory_not_equal(bytes + i, "other", 5);
    }
  }
  plain->release(plain->userdata, ptr, size);
}

static void *resize(void *userdata, void *ptr, size_t old_size, size_t size) {
  const mcp_allocator *plain = userdata;
  return plain->resize(plain->userdata, ptr, old_size, size);
}

static void *alloc(void *userdata, size_t size) {
  const mcp_allocator *plain = userdata;
  return plain->alloc(plain->userdata, size);
}

TEST(keys_are_wiped_before_they_are_freed) {
  const mcp_allocator watching = {alloc, resize, release,
                                  (void *)(uintptr_t)mcp_allocator_default()};
  const mcp_server_options options = {.size = sizeof(mcp_server_options),
                                      .allocator = &watching,
                                      .state_keys = keys[0],
                                      .state_key_count = 2};
  mcp_server *server = mcp_server_new("s", "1", &options, NULL);
  assert_non_null(server);
  mcp_server_free(server);
  assert_true(freed_keys >= 1);
}
