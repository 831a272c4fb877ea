/* SPDX-License-Identifier: MIT */
/* What is declared, limits and lifetimes of questions that run as tasks;
 * tests/wire/client has what they say, in question-tasks.txt. */
#include "unit/client/kit.h"

#include "core/loop.h"

#define ASK "\"messages\":[],\"maxTokens\":5"
#define SAMPLE(id, task)                                                       \
  REQUEST(id, "sampling/createMessage", "{" ASK ",\"task\":" task "}")
#define ANSWER                                                                 \
  "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"t\"},"    \
  "\"model\":\"m\"}"
/* The Nth task, the first is 000; the loop's wall clock stands still. */
#define TASK(id, status)                                                       \
  "{\"taskId\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAA" id "\",\"status\":\"" status    \
  "\",\"createdAt\":\"1970-01-01T00:00:00.000Z\",\"lastUpdatedAt\":"           \
  "\"1970-01-01T00:00:00.000Z\",\"ttl\":600000,\"pollInterval\":1000}"
#define MADE(id, task_id)                                                      \
  RESULT(id, "{\"task\":" TASK(                                                \
                 task_id,                                                      \
                 "working") ",\"_meta\":{\"io."                                \
                            "modelcontextprotocol/related-task\":{\"taskId\":" \
                            "\"AAAAAAAAAAAAAAAAAAAAAAAAAAAA" task_id "\"}}}")
#define TASKS(requests)                                                        \
  "\"tasks\":{\"list\":{},\"cancel\":{},\"requests\":{" requests "}}"

static uint32_t ids;

/* Ids that count in base 64, in their last three characters. */
static int count_up(void *userdata, void *bytes, size_t len) {
  (void)userdata;
  unsigned char *last = (unsigned char *)bytes + len - 1;
  memset(bytes, 0, len);
  for (uint32_t left = ids++, i = 0; i < 3; i++, left /= 64) {
    *(last - i) = (unsigned char)(left % 64);
  }
  return 0;
}

static mcp_client_options sampling_options(kit *k) {
  mcp_client_options options = options_of(k);
  options.on_sample = keep_question;
  options.use_tasks = 1;
  return options;
}

static void connect_with_handler(kit *k,
                                 void (*on_sample)(mcp_question *, void *)) {
  mcp_client_options options = sampling_options(k);
  options.on_sample = on_sample;
  ids = 0;
  k->loop->platform.random = count_up;
  connect_legacy_as(
      k, &options, "2025-11-25",
      "{\"sampling\":{}," TASKS("\"sampling\":{\"createMessage\":{}}") "}");
}

static void connect_sampling(kit *k) {
  connect_with_handler(k, keep_question);
}

KIT_TEST(requests_with_a_handler_are_declared) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.use_tasks = 1;
  options.on_elicit = keep_question;
  connect_legacy_as(k, &options, "2025-11-25",
                    "{\"elicitation\":{\"form\":{}}," TASKS(
                        "\"elicitation\":{\"create\":{}}") "}");
}

KIT_TEST(without_a_handler_no_task_is_declared) {
  kit *k = *state;
  mcp_client_options options = options_of(k);
  options.use_tasks = 1;
  options.on_roots = keep_question;
  connect_legacy_as(k, &options, "2025-11-25",
                    "{\"roots\":{\"listChanged\":true}}");
  say(k, REQUEST("1", "tasks/list", "{}"));
  expect(k, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,"
            "\"message\":\"unknown method: \\\"tasks/list\\\"\"}}");
}

KIT_TEST(earlier_revisions_declare_no_tasks) {
  kit *k = *state;
  mcp_client_options options = sampling_options(k);
  connect_legacy_as(k, &options, "2025-06-18", "{\"sampling\":{}}");
}

KIT_TEST(the_modern_era_declares_the_extension_alone) {
  kit *k = *state;
  mcp_client_options options = sampling_options(k);
  connect_modern_as(k, &options,
                    "{\"sampling\":{},\"extensions\":"
                    "{\"io.modelcontextprotocol/tasks\":{}}}");
}

static void answer_at_once(mcp_question *question, void *userdata) {
  (void)userdata;
  assert_int_equal(mcp_question_answer(question, ANSWER, NULL), 0);
}

KIT_TEST(the_id_is_sent_before_an_answer_that_comes_at_once) {
  kit *k = *state;
  connect_with_handler(k, answer_at_once);
  say(k, SAMPLE("1", "{}"));
  expect(k, MADE("1", "AAA"));
  expect(k, NOTE("notifications/tasks/status", TASK("AAA", "completed")));
  expect_nothing(k);
}

KIT_TEST(without_random_bytes_no_task_is_made) {
  kit *k = *state;
  connect_sampling(k);
  k->loop->platform.random = NULL;
  say(k, SAMPLE("1", "{}"));
  expect(k, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,"
            "\"message\":\"the platform gives no random bytes for the id of a "
            "task\"}}");
  assert_int_equal(k->question_count, 0);
  say(k, REQUEST("2", "tasks/list", "{}"));
  expect(k, RESULT("2", "{\"tasks\":[]}"));
}

static mcp_question *make_task(kit *k, int id) {
  char text[256];
  int count = k->question_count;
  snprintf(text, sizeof(text), SAMPLE("%d", "{}"), id);
  say(k, text);
  k->got[0] = '\0';
  assert_int_equal(k->question_count, count + 1);
  return k->question;
}

/* Tasks that end at once. */
static void make_tasks(kit *k, int count) {
  for (int i = 0; i < count; i++) {
    assert_int_equal(mcp_question_decline(make_task(k, i)), 0);
    turn(k);
    k->got[0] = '\0';
  }
}

/* The status of a task; "": there is no such task. */
#define expect_status(k, task_id, status)                                      \
  do {                                                                         \
    char shown_[64];                                                           \
    say(k,                                                                     \
        REQUEST("\"get\"", "tasks/get",                                        \
                "{\"taskId\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAA" task_id "\"}"));  \
    const char *at_ = strstr((k)->got, "\"status\":\"");                       \
    snprintf(shown_, sizeof(shown_), "%.*s",                                   \
             at_ != NULL ? (int)strcspn(at_ + 10, "\"") : 0,                   \
             at_ != NULL ? at_ + 10 : "");                                     \
    assert_string_equal(shown_, status);                                       \
    assert_int_equal(strstr((k)->got, "unknown task") != NULL, at_ == NULL);   \
    (k)->got[0] = '\0';                                                        \
  } while (0)

KIT_TEST(of_1024_tasks_the_one_that_ended_first_makes_room) {
  kit *k = *state;
  connect_sampling(k);
  mcp_question *open = make_task(k, 0);
  mcp_question *late = make_task(k, 0);
  make_tasks(k, 1022);
  assert_int_equal(mcp_question_answer(late, ANSWER, NULL), 0);
  make_tasks(k, 2);
  expect_status(k, "AAA", "working");
  expect_status(k, "AAB", "completed");
  expect_status(k, "AAC", "");
  expect_status(k, "AAD", "");
  expect_status(k, "AAE", "failed");
  make_tasks(k, 1023);
  expect_status(k, "AAA", "working");
  expect_status(k, "AAB", "");
  assert_int_equal(mcp_question_answer(open, ANSWER, NULL), 0);
  expect_status(k, "AAA", "completed");
}

KIT_TEST(there_are_no_more_than_1024_open_tasks) {
  kit *k = *state;
  connect_sampling(k);
  mcp_question *first = make_task(k, 0);
  for (int i = 1; i < 1024; i++) {
    make_task(k, i);
  }
  say(k, SAMPLE("\"x\"", "{}"));
  expect(k, "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":-32603,"
            "\"message\":\"more than 1024 questions at once\"}}");
  assert_int_equal(k->question_count, 1024);
  assert_int_equal(mcp_question_decline(first), 0);
  make_task(k, 1024);
  expect_status(k, "AAA", "");
  expect_status(k, "AAB", "working");
  expect_status(k, "AQA", "working");
  mcp_client_close(k->client);
}

KIT_TEST(a_cancelled_task_counts_until_its_question_is_answered) {
  kit *k = *state;
  connect_sampling(k);
  mcp_question *cancelled = make_task(k, 0);
  say(k, REQUEST("\"c\"", "tasks/cancel",
                 "{\"taskId\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}"));
  for (int i = 0; i < 1023; i++) {
    make_task(k, i);
  }
  say(k, SAMPLE("\"x\"", "{}"));
  assert_non_null(strstr(k->got, "more than 1024 questions at once"));
  k->got[0] = '\0';
  expect_status(k, "AAA", "cancelled");
  assert_int_equal(mcp_question_decline(cancelled), MCP_ERR_GONE);
  make_task(k, 0);
  expect_status(k, "AAA", "");
  mcp_client_close(k->client);
}

/* How many tasks the next message lists. */
static size_t count_listed(kit *k) {
  size_t count = 0;
  turn(k);
  for (const char *at = k->got; (at = strstr(at, "\"taskId\"")) != NULL; at++) {
    count++;
  }
  return count;
}

KIT_TEST(a_list_has_pages) {
  kit *k = *state;
  connect_sampling(k);
  make_tasks(k, 101);
  say(k, REQUEST("1", "tasks/list", "{}"));
  assert_int_equal(count_listed(k), 50);
  assert_non_null(strstr(k->got, "],\"nextCursor\":\"50\"}"));
  k->got[0] = '\0';
  say(k, REQUEST("2", "tasks/list", "{\"cursor\":\"50\"}"));
  assert_int_equal(count_listed(k), 50);
  assert_non_null(strstr(k->got, "],\"nextCursor\":\"100\"}"));
  k->got[0] = '\0';
  say(k, REQUEST("3", "tasks/list", "{\"cursor\":\"100\"}"));
  assert_int_equal(count_listed(k), 1);
  assert_null(strstr(k->got, "nextCursor"));
  k->got[0] = '\0';
}

KIT_TEST(a_cursor_outlives_its_task) {
  kit *k = *state;
  connect_sampling(k);
  say(k, SAMPLE("1", "{\"ttl\":1000}"));
  say(k, SAMPLE("2", "{}"));
  turn(k);
  k->got[0] = '\0';
  pass(k, 1000);
  say(k, REQUEST("3", "tasks/list", "{\"cursor\":\"1\"}"));
  expect(k, RESULT("3", "{\"tasks\":[" TASK("AAB", "working") "]}"));
}

KIT_TEST(a_question_outlives_its_task_and_its_client) {
  kit *k = *state;
  connect_sampling(k);
  say(k, SAMPLE("1", "{\"ttl\":1000}"));
  mcp_question *expired = k->question;
  say(k, SAMPLE("2", "{}"));
  assert_int_equal(mcp_question_is_cancelled(expired), 0);
  pass(k, 1000);
  assert_int_equal(mcp_question_is_cancelled(expired), 1);
  assert_int_equal(mcp_question_is_cancelled(k->question), 0);
  mcp_client_free(k->client);
  k->client = NULL;
  assert_int_equal(mcp_question_is_cancelled(k->question), 1);
  assert_null(mcp_question_client(expired));
  assert_int_equal(mcp_question_answer(expired, ANSWER, NULL), MCP_ERR_GONE);
  assert_int_equal(mcp_question_answer(k->question, ANSWER, NULL),
                   MCP_ERR_GONE);
}

/* As questions are: a request that waits is in flight. */
KIT_TEST(no_more_than_1024_requests_wait_for_results) {
  kit *k = *state;
  char text[256];
  connect_sampling(k);
  say(k, SAMPLE("0", "{}"));
  expect(k, MADE("0", "AAA"));
  for (int i = 1; i <= 1025; i++) {
    snprintf(text, sizeof(text),
             REQUEST("%d", "tasks/result",
                     "{\"taskId\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}"),
             i);
    say(k, text);
  }
  turn(k);
  expect(k, "{\"jsonrpc\":\"2.0\",\"id\":1025,\"error\":{\"code\":-32603,"
            "\"message\":\"limit exceeded\"}}");
  mcp_client_close(k->client);
}
