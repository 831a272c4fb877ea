/* SPDX-License-Identifier: MIT */
/* Fuzzes what a store of tasks gives back: a file may be damaged, or hostile.
 * The first line of an input is "FLAGS CREATED EXPIRES ID", in decimal, with
 * the times in milliseconds since 1970; the rest is the data of the record.
 *
 * The reader gets the data alone: what it accepts must come back the same once
 * it was written. Then a server begins with the record, and clients of both
 * generations read it, answer its questions, wait for its result, and cancel
 * it. */
#include "ext/tasks/task_data.h"
#include "store/memory_tasks.h"

#include "steps.h"
#include <mcp/mcp.h>
#include <stdint.h>
#include <stdio.h>

/* The bits of FLAGS. */
enum {
  GOES_ON = 1, /* on_resume lets the handler run again */
  HAS_ENDED = 2,
  MANY = 4, /* more records with such ids than a page of recovery has */
  OWNED = 8 /* by the client */
};
enum {
  MANY_COUNT = 70,
  MAX_ID = 100,
  MAX_KEPT = MANY_COUNT + 8,
  NOW_MS = 1000
};

typedef struct record {
  int flags;
  int64_t created_ms;
  int64_t expires_ms;
  char id[MAX_ID + 1];
  mcpi_str data;
} record;

/* 0: the input has no such line. */
static int read_input(record *out, const uint8_t *data, size_t size) {
  const char *text = (const char *)data;
  const char *end = size > 0 ? memchr(text, '\n', size) : NULL;
  char line[200];
  if (end == NULL || (size_t)(end - text) >= sizeof(line)) {
    return 0;
  }
  size_t len = (size_t)(end - text);
  memcpy(line, text, len);
  line[len] = '\0';
  long long created_ms;
  long long expires_ms;
  int count = sscanf(line, "%d %lld %lld %100[A-Za-z0-9_.-]", &out->flags,
                     &created_ms, &expires_ms, out->id);
  out->created_ms = created_ms;
  out->expires_ms = expires_ms;
  out->data = mcpi_str_n(end + 1, size - len - 1);
  return count == 4;
}

/* --- the reader ----------------------------------------------------------- */

/* Appends what was read, as a record and as clients see it. 0: the text is not
 * the data of a record. */
static int write_again(mcpi_buf *out, mcpi_str text) {
  mcpi_task_data task = {.created_ms = 1};
  mcp_doc *doc;
  if (mcpi_task_data_read(&task, text, mcp_allocator_default(), &doc) != 0) {
    return 0;
  }
  mcpi_buf shown;
  mcpi_buf_init(&shown, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_putc(&shown, '{');
  mcpi_task_put_details(&shown, "id", &task);
  mcpi_buf_putc(&shown, '}');
  mcp_doc *seen = mcp_doc_parse(shown.data, shown.len, NULL, NULL, NULL);
  check(seen != NULL);
  mcp_doc_free(seen);
  mcpi_buf_deinit(&shown);
  mcpi_task_data_put(out, &task);
  check(out->error == 0);
  mcp_doc_free(doc);
  return 1;
}

static int read_alone(mcpi_str text) {
  mcpi_buf once;
  mcpi_buf twice;
  mcpi_buf_init(&once, mcp_allocator_default(), SIZE_MAX);
  mcpi_buf_init(&twice, mcp_allocator_default(), SIZE_MAX);
  int is_record = write_again(&once, text);
  if (is_record) {
    check(write_again(&twice, mcpi_buf_str(&once)));
    check(mcpi_str_eq(mcpi_buf_str(&once), mcpi_buf_str(&twice)));
  }
  mcpi_buf_deinit(&once);
  mcpi_buf_deinit(&twice);
  return is_record;
}

/* --- the store ------------------------------------------------------------ */

static void must_be_stored(void *argument, int status) {
  (void)argument;
  check(status == 0);
}

static void store_record(const mcp_task_store *store, mcp_loop *loop,
                         const record *from, const char *id) {
  const mcp_task_record stored = {.id = id,
                                  .owner = from->flags & OWNED ? "anna" : "",
                                  .version = 1,
                                  .created_ms = from->created_ms,
                                  .expires_ms = from->expires_ms,
                                  .has_ended = (from->flags & HAS_ENDED) != 0,
                                  .data = from->data.ptr,
                                  .data_len = from->data.len};
  store->create(store->userdata, loop, &stored, must_be_stored, NULL);
}

static void fill_store(const mcp_task_store *store, mcp_loop *loop,
                       const record *from) {
  char id[MAX_ID + 16];
  store_record(store, loop, from, from->id);
  for (int i = 0; i < MANY_COUNT && (from->flags & MANY); i++) {
    snprintf(id, sizeof(id), "%s.%d", from->id, i);
    store_record(store, loop, from, id);
  }
}

/* --- the server ----------------------------------------------------------- */

typedef struct scene {
  const record *record;
  mcp_loop *loop;
  mcp_server *server;
  int64_t now_ms;
  mcp_call *kept[MAX_KEPT];
  size_t kept_count;
} scene;

static int on_resume(mcp_server *server, const char *tool,
                     const mcp_json *arguments, const mcp_json *state,
                     void *userdata) {
  const scene *s = userdata;
  (void)server;
  (void)tool;
  mcp_json_int(mcp_json_get(arguments, "number"));
  mcp_json_string(state);
  return s->record->flags & GOES_ON;
}

static int on_keep(mcp_call *call, void *userdata) {
  scene *s = userdata;
  if (s->kept_count == MAX_KEPT) {
    return mcp_call_reply_text(call, "too many");
  }
  mcp_call_progress(call, 1, 2, NULL);
  mcp_call_set_state(call, "{\"at\":1}");
  s->kept[s->kept_count++] = call;
  return mcp_call_defer(call);
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *first;
  const mcp_json *roots;
  const mcp_elicitation question = {
      .size = sizeof(mcp_elicitation),
      .message = "A word?",
      .form = MCP_OBJECT(MCP_STRING("word", "A word"))};
  (void)userdata;
  mcp_json_size(mcp_call_state(call));
  int rc = mcp_call_ask_elicit(call, "first", &question, &first);
  int more = mcp_call_ask_roots(call, "second", &roots);
  if (rc != 0 || more != 0) {
    return rc != 0 ? rc : more;
  }
  return mcp_call_reply_textf(call, "%d", mcp_answer_action(first));
}

static void add_tool(scene *s, const char *name, mcp_call_cb handler) {
  static const mcp_schema any = {.size = sizeof(mcp_schema),
                                 .text = "{\"type\":\"object\"}"};
  check(mcp_server_add_tool(s->server,
                            &(mcp_tool){.size = sizeof(mcp_tool),
                                        .name = name,
                                        .input = &any,
                                        .task = MCP_TASK_OPTIONAL,
                                        .handler = handler,
                                        .userdata = s},
                            NULL) == 0);
}

static void pass_time(scene *s) {
  for (int i = 0; i < 8; i++) {
    s->now_ms++;
    mcp_loop_advance(s->loop, s->now_ms, NOW_MS + s->now_ms);
  }
}

static void begin(scene *s) {
  static const uint64_t seed[2] = {1, 2};
  mcp_task_store store = MCP_TASK_STORE_INIT;
  s->loop = mcp_loop_new_manual(NULL, NULL, NULL);
  s->server = mcp_server_new("fuzz", "1", NULL, NULL);
  mcp_loop_advance(s->loop, 0, NOW_MS);
  check(mcpi_memory_tasks_make(&store, mcp_allocator_default(), seed,
                               16 * 1024 * 1024) == 0);
  fill_store(&store, s->loop, s->record);
  check(mcp_server_enable_tasks(
            s->server,
            &(mcp_tasks_options){.size = sizeof(mcp_tasks_options),
                                 .store = &store,
                                 .on_resume = on_resume,
                                 .userdata = s},
            NULL) == 0);
  add_tool(s, "run", on_keep);
  add_tool(s, "ask", on_ask);
}

static void end(scene *s) {
  for (size_t i = 0; i < s->kept_count; i++) {
    if (i % 2 == 0) {
      mcp_call_reply_text(s->kept[i], "done");
    }
  }
  pass_time(s);
  mcp_server_free(s->server);
  pass_time(s);
  for (size_t i = 1; i < s->kept_count; i += 2) {
    mcp_call_drop(s->kept[i]);
  }
  pass_time(s);
  mcp_loop_free(s->loop);
}

/* --- clients -------------------------------------------------------------- */

static void on_message(mcp_transport *transport, const char *message,
                       size_t len) {
  (void)transport;
  mcp_doc *doc = mcp_doc_parse(message, len, NULL, NULL, NULL);
  check(doc != NULL);
  mcp_doc_free(doc);
}

static void on_error(mcp_transport *transport, const mcp_error *err) {
  (void)transport;
  (void)err;
}

static void on_close(mcp_transport *transport, const mcp_error *err) {
  (void)transport;
  (void)err;
}

static mcp_transport *connect_client(scene *s) {
  mcp_transport *near_end;
  mcp_transport *far_end;
  mcp_error err;
  mcp_memory_pair(s->loop, &near_end, &far_end, NULL);
  far_end->on_message = on_message;
  far_end->on_error = on_error;
  far_end->on_close = on_close;
  far_end->start(far_end, &err);
  const mcp_connection_options options = {
      .size = sizeof(options),
      .principal = s->record->flags & OWNED ? "anna" : NULL};
  mcp_server_connect(s->server, s->loop, near_end, &options, NULL, &err);
  return far_end;
}

static void send_text(scene *s, mcp_transport *client, const char *text) {
  client->send(client, text, strlen(text), NULL);
  pass_time(s);
}

#define MODERN                                                                 \
  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","     \
  "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{},"        \
  "\"roots\":{},\"extensions\":{\"io.modelcontextprotocol/tasks\":{}}}}"
#define WORD "{\"action\":\"accept\",\"content\":{\"word\":\"w\"}}"

/* Sends a request with the members of `params`, which begin with a comma. */
static void send_request(scene *s, mcp_transport *client, int id,
                         const char *method, const char *params) {
  char text[1000];
  snprintf(text, sizeof(text),
           "{\"jsonrpc\":\"2.0\",\"id\":%d,\"method\":\"%s\",\"params\":{"
           "\"taskId\":\"%s\"%s}}",
           id, method, s->record->id, params);
  send_text(s, client, text);
}

static void use_modern(scene *s) {
  mcp_transport *client = connect_client(s);
  send_request(s, client, 1, "tasks/get", "," MODERN);
  send_request(s, client, 2, "tasks/update",
               ",\"inputResponses\":{\"first\":" WORD "}," MODERN);
  send_request(s, client, 3, "tasks/get", "," MODERN);
  send_request(
      s, client, 4, "tasks/update",
      ",\"inputResponses\":{\"second\":{\"roots\":[]},\"\":{}}," MODERN);
  send_request(s, client, 5, "tasks/get", "," MODERN);
  client->release(client);
}

static void use_legacy(scene *s) {
  mcp_transport *client = connect_client(s);
  send_text(s, client,
            "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
            "\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":"
            "{\"elicitation\":{}},\"clientInfo\":{\"name\":\"c\","
            "\"version\":\"1\"}}}");
  send_text(s, client,
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
  send_request(s, client, 1, "tasks/get", "");
  send_request(s, client, 2, "tasks/list", "");
  send_request(s, client, 3, "tasks/result", "");
  send_text(
      s, client,
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"decline\"}}");
  send_request(s, client, 4, "tasks/cancel", "");
  send_request(s, client, 5, "tasks/result", "");
  client->release(client);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  record given;
  if (!read_input(&given, data, size)) {
    return 0;
  }
  read_alone(given.data);
  scene s = {.record = &given};
  begin(&s);
  pass_time(&s);
  use_modern(&s);
  use_legacy(&s);
  end(&s);
  return 0;
}
