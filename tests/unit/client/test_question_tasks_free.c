/* SPDX-License-Identifier: MIT */
/* A client is freed and closed inside the trace of each message that a question
 * sends when it runs as a task. */
#include "unit/client/kit.h"

#include "core/loop.h"

typedef enum action { FREE, CLOSE, ACTION_COUNT } action;

/* The id from random bytes that are all 0. */
#define ID "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define ABOUT(id, method) REQUEST(id, method, "{\"taskId\":\"" ID "\"}")
#define SAMPLE                                                                 \
  REQUEST("1", "sampling/createMessage",                                       \
          "{\"messages\":[],\"maxTokens\":5,\"task\":{}}")
#define ANSWER                                                                 \
  "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"t\"},"    \
  "\"model\":\"m\"}"
#define CAPABILITIES                                                           \
  "{\"sampling\":{},\"tasks\":{\"list\":{},\"cancel\":{},\"requests\":{"       \
  "\"sampling\":{\"createMessage\":{}}}}}"

/* --- what leads to a message -------------------------------------------- */

static void nothing(kit *k) {
}

static void ask(kit *k) {
  say(k, SAMPLE);
}

static void ask_and_wait(kit *k) {
  ask(k);
  say(k, ABOUT("2", "tasks/result"));
  say(k, ABOUT("3", "tasks/result"));
}

static void ask_and_answer(kit *k) {
  ask(k);
  assert_int_equal(mcp_question_answer(k->question, ANSWER, NULL), 0);
  k->question = NULL;
}

static void answer(kit *k) {
  mcp_question *question = k->question;
  k->question = NULL;
  assert_int_equal(mcp_question_answer(question, ANSWER, NULL), 0);
}

static void give_up(kit *k) {
  mcp_question *question = k->question;
  k->question = NULL;
  assert_int_equal(mcp_question_fail(question, -5, "no model"), 0);
}

static void get(kit *k) {
  say(k, ABOUT("9", "tasks/get"));
}

static void fetch(kit *k) {
  say(k, ABOUT("9", "tasks/result"));
}

static void cancel(kit *k) {
  say(k, ABOUT("9", "tasks/cancel"));
}

static void list(kit *k) {
  say(k, REQUEST("9", "tasks/list", "{}"));
}

static void expire(kit *k) {
  pass(k, 600000);
}

typedef struct moment {
  const char *name;
  void (*prepare)(kit *k);
  void (*happen)(kit *k);
  const char *traced; /* text of the message whose trace ends the client */
} moment;

static const moment moments[] = {
    {"created", nothing, ask, "\"id\":1,"},
    {"notification of an answer", ask_and_wait, answer, "tasks/status"},
    {"first result", ask_and_wait, answer, "\"id\":2,"},
    {"last result", ask_and_wait, answer, "\"id\":3,"},
    {"notification of a failure", ask_and_wait, give_up, "tasks/status"},
    {"first failure", ask_and_wait, give_up, "\"id\":2,"},
    {"last failure", ask_and_wait, give_up, "\"id\":3,"},
    {"answer to tasks/cancel", ask_and_wait, cancel, "\"id\":9,"},
    {"notification of a cancellation", ask_and_wait, cancel, "tasks/status"},
    {"first cancelled result", ask_and_wait, cancel, "\"id\":2,"},
    {"last cancelled result", ask_and_wait, cancel, "\"id\":3,"},
    {"first at the expiry", ask_and_wait, expire, "\"id\":2,"},
    {"last at the expiry", ask_and_wait, expire, "\"id\":3,"},
    {"answer to tasks/get", ask_and_wait, get, "\"id\":9,"},
    {"answer to tasks/result", ask_and_answer, fetch, "\"id\":9,"},
    {"refusal of tasks/cancel", ask_and_answer, cancel, "\"id\":9,"},
    {"answer to tasks/list", ask_and_wait, list, "\"id\":9,"},
};

/* --- the trace ---------------------------------------------------------- */

static const char *traced; /* NULL: no message yet */
static action what;
static int hits;
static size_t sent; /* messages, since the moment began */

static void end_client(mcp_client *client, const mcp_traced_message *message,
                       void *userdata) {
  kit *k = userdata;
  char text[1024];
  snprintf(text, sizeof(text), "%.*s", (int)message->len, message->text);
  if (!message->is_sent || traced == NULL) {
    return;
  }
  if (strstr(text, traced) == NULL) {
    sent++;
    return;
  }
  hits++;
  if (what == FREE) {
    mcp_client_free(client);
    k->client = NULL;
  } else {
    mcp_client_close(client);
  }
}

static int zeros(void *userdata, void *bytes, size_t len) {
  (void)userdata;
  memset(bytes, 0, len);
  return 0;
}

static void connect_traced(kit *k) {
  mcp_client_options options = options_of(k);
  options.on_sample = keep_question;
  options.on_trace = end_client;
  options.use_tasks = 1;
  k->loop->platform.random = zeros;
  connect_legacy_as(k, &options, "2025-11-25", CAPABILITIES);
}

static size_t count_lines(const char *text) {
  size_t count = 0;
  for (; *text != '\0'; text++) {
    count += *text == '\n';
  }
  return count;
}

/* The client says nothing after its end, and a question that is open, or whose
 * task was cancelled, waits for no answer. */
static void expect_end(kit *k, const moment *m) {
  turn(k);
  if (hits != 1 || count_lines(k->got) != sent) {
    print_error("%s, %d: %d hits, got %s\n", m->name, what, hits, k->got);
  }
  assert_int_equal(hits, 1);
  assert_int_equal(count_lines(k->got), sent);
  assert_int_equal(k->question_count, m->happen == ask ? 0 : 1);
  if (k->question != NULL) {
    assert_int_equal(mcp_question_is_cancelled(k->question), 1);
    assert_int_equal(mcp_question_answer(k->question, ANSWER, NULL),
                     MCP_ERR_GONE);
  }
  expect_log(k, what == CLOSE ? "closed MCP_OK\n" : "");
}

static void run(kit *k, const moment *m) {
  connect_traced(k);
  m->prepare(k);
  turn(k);
  k->got[0] = '\0';
  hits = 0;
  sent = 0;
  traced = m->traced;
  m->happen(k);
  expect_end(k, m);
  traced = NULL;
}

KIT_COUNTED_TEST(each_trace_of_a_task_may_free_and_close_the_client) {
  kit *k = *state;
  for (size_t i = 0; i < sizeof(moments) / sizeof(moments[0]); i++) {
    for (what = FREE; what < ACTION_COUNT; what++) {
      run(k, &moments[i]);
      kit_deinit(k);
      assert_int_equal(kit_alloc.live_blocks, 0);
      assert_int_equal(kit_init(k, &kit_alloc.allocator), 0);
    }
  }
}

/* --- a transport that closes its client ---------------------------------- */

static mcp_client *closing;

static int close_inside_send(mcp_transport *transport, const char *message,
                             size_t len, const mcp_send_info *info) {
  (void)transport;
  (void)message;
  (void)len;
  (void)info;
  mcp_client_close(closing);
  return 0;
}

KIT_COUNTED_TEST(
    a_question_is_not_asked_when_sending_its_id_closed_the_client) {
  kit *k = *state;
  connect_traced(k);
  closing = k->client;
  k->inner->send = close_inside_send;
  ask(k);
  assert_int_equal(k->question_count, 0);
  expect_log(k, "closed MCP_OK\n");
}
