/* SPDX-License-Identifier: MIT */
/* Measures tasks in memory, in one process and without system calls: the life
 * of a task (tools/call, the handler's reply, tasks/get) beside a plain call of
 * the same tool on the same connection, also when the store is full; and the
 * memory of a task that waits for answers, and of one whose handler has
 * deferred, without that of its record. */
#include "core/loop.h"
#include "ext/tasks/run.h"
#include "in_process.h"
#include "store/memory_tasks.h"

#include <mcp/mcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LIVES = 10000, ROUNDS = 5, HELD = 1000, ID_LEN = 31 };
enum { MAX_BYTES = 64 * 1024 * 1024, TO_FILL_IT = 160000 };

#define REQUEST(method, params, extensions)                                    \
  "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"" method                         \
  "\",\"params\":{" params ",\"_meta\":{"                                      \
  "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                \
  "\"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{}"         \
  ",\"extensions\":{" extensions "}}}}}"
#define TASKS "\"io.modelcontextprotocol/tasks\":{}"
#define CALL(tool, extensions)                                                 \
  REQUEST("tools/call",                                                        \
          "\"name\":\"" tool "\",\"arguments\":{\"a\":2,\"b\":3}", extensions)

/* ---- allocators that count ----------------------------------------------- */

/* `userdata` is the number of bytes. */
static void *count_alloc(void *userdata, size_t size) {
  *(size_t *)userdata += size;
  return malloc(size);
}

static void *count_resize(void *userdata, void *ptr, size_t old_size,
                          size_t size) {
  *(size_t *)userdata += size - old_size;
  return realloc(ptr, size);
}

static void count_release(void *userdata, void *ptr, size_t size) {
  *(size_t *)userdata -= ptr != NULL ? size : 0;
  free(ptr);
}

static size_t library_bytes;
static size_t record_bytes;
static const mcp_allocator of_library = {count_alloc, count_resize,
                                         count_release, &library_bytes};
static const mcp_allocator of_records = {count_alloc, count_resize,
                                         count_release, &record_bytes};

/* ---- the server ---------------------------------------------------------- */

static mcp_loop *loop;
static mcp_server *server;
static mcp_task_store store = MCP_TASK_STORE_INIT;
static mcp_transport wire = WIRE_INIT;
static mcp_call *held[HELD];
static size_t held_count;

static int on_hold(mcp_call *call, void *userdata) {
  (void)userdata;
  held[held_count++] = call;
  return mcp_call_defer(call);
}

static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *answer;
  (void)userdata;
  return mcp_call_ask_elicit(
      call, "sure",
      &(mcp_elicitation){.size = sizeof(mcp_elicitation),
                         .message = "Go ahead?",
                         .form = MCP_OBJECT(MCP_BOOLEAN("sure", "Go ahead"))},
      &answer);
}

static void add_tool(const char *name, mcp_call_cb handler) {
  mcp_server_add_tool(
      server,
      &(mcp_tool){.size = sizeof(mcp_tool),
                  .name = name,
                  .input = MCP_OBJECT(MCP_NUMBER("a", "first"),
                                      MCP_NUMBER("b", "second")),
                  .task = MCP_TASK_OPTIONAL,
                  .handler = handler},
      NULL);
}

static int fill_random(void *userdata, void *bytes, size_t len) {
  static uint64_t state = 88172645463325252u;
  (void)userdata;
  for (size_t i = 0; i < len; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    ((uint8_t *)bytes)[i] = (uint8_t)(state >> 24);
  }
  return 0;
}

static void begin(void) {
  static const uint64_t seed[2] = {1, 2};
  mcp_platform platform = MCP_PLATFORM_INIT;
  platform.random = fill_random;
  loop = mcp_loop_new_manual(&platform, &of_library, NULL);
  mcp_loop_advance(loop, 0, 1000);
  server =
      mcp_server_new("bench", "1",
                     &(mcp_server_options){.size = sizeof(mcp_server_options),
                                           .allocator = &of_library},
                     NULL);
  mcpi_memory_tasks_make(&store, &of_records, seed, MAX_BYTES);
  mcp_server_enable_tasks(
      server,
      &(mcp_tasks_options){.size = sizeof(mcp_tasks_options), .store = &store},
      NULL);
  add_tool("add", on_add);
  add_tool("hold", on_hold);
  add_tool("ask", on_ask);
  mcp_server_connect(server, loop, &wire, NULL, NULL, NULL);
}

static void on_expired(void *argument, int status) {
  (void)argument;
  (void)status;
}

static void forget_all(void) {
  store.expire(store.userdata, loop, INT64_MAX, on_expired, NULL);
}

/* ---- times --------------------------------------------------------------- */

static void send_text(const char *text, size_t len, const char *expected) {
  wire.on_message(&wire, text, len);
  if (strstr(reply, expected) == NULL) {
    fprintf(stderr, "bench-tasks: not %s: %s\n", expected, reply);
    exit(1);
  }
}

/* Each call comes a millisecond after the one before. The store keeps tasks in
 * the order of their times, and those of one millisecond in that of their
 * ids. */
static void pass_time(void) {
  static int64_t now_ms;
  now_ms++;
  mcp_loop_advance(loop, now_ms, 1000 + now_ms);
}

static void plain_call(void) {
  static const char text[] = CALL("add", "");
  pass_time();
  send_text(text, sizeof(text) - 1, "\"complete\"");
}

static void make_task(const char *text) {
  pass_time();
  send_text(text, strlen(text), "\"taskId\":\"");
}

static void whole_life(void) {
  static char get[] = REQUEST(
      "tasks/get", "\"taskId\":\"ABCDEFGHIJKLMNOPQRSTUVWXYZabcde\"", TASKS);
  static const char member[] = "\"taskId\":\"";
  make_task(CALL("add", TASKS));
  const char *id = strstr(reply, member) + sizeof(member) - 1;
  memcpy(strstr(get, member) + sizeof(member) - 1, id, ID_LEN);
  send_text(get, sizeof(get) - 1, "\"completed\"");
}

static void make_and_end(void) {
  make_task(CALL("add", TASKS));
}

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void keep_best(double *best, void (*run)(void), int count) {
  double start = now_ns();
  for (int i = 0; i < count; i++) {
    run();
  }
  double ns = (now_ns() - start) / count;
  *best = ns < *best ? ns : *best;
}

static void put_row(const char *name, double ns, double floor) {
  printf("%-34s%8.0f%10.2f\n", name, ns, ns / floor);
}

static void measure_times(void) {
  double plain = 1e18;
  double half = 1e18;
  double whole = 1e18;
  double full = 1e18;
  for (int round = 0; round < ROUNDS; round++) {
    keep_best(&plain, plain_call, LIVES);
    keep_best(&half, make_and_end, LIVES);
    forget_all();
    keep_best(&whole, whole_life, LIVES);
    forget_all();
  }
  for (int i = 0; i < TO_FILL_IT; i++) {
    make_and_end();
  }
  for (int round = 0; round < ROUNDS; round++) {
    keep_best(&full, whole_life, LIVES / 100);
  }
  forget_all();
  printf("                                  CPU ns x plain call\n");
  put_row("a plain call", plain, plain);
  put_row("a task: call, end", half, plain);
  put_row("a task: call, end, get", whole, plain);
  put_row("the same, with a full store", full, plain);
}

/* ---- memory -------------------------------------------------------------- */

/* Without what the loop keeps for the next messages. */
static double bytes_now(void) {
  return (double)library_bytes - (double)loop->pool.idle_bytes;
}

static void put_memory(const char *name, const char *text) {
  make_task(text); /* the first one makes tables larger */
  double before = bytes_now();
  double records = (double)record_bytes;
  for (int i = 1; i < HELD; i++) {
    make_task(text);
  }
  printf("%-34s%8.0f%10.0f\n", name, (bytes_now() - before) / (HELD - 1),
         ((double)record_bytes - records) / (HELD - 1));
}

/* The smallest one that has room for the text and its values. */
static size_t message_block_size(void) {
  static const char text[] = CALL("hold", TASKS);
  static const mcpi_message_limits limits = {SIZE_MAX, MCPI_JSON_MAX_DEPTH,
                                             MCPI_JSON_MAX_VALUES};
  mcpi_message *message;
  if (mcpi_message_parse(&message, &loop->pool, text, sizeof(text) - 1, &limits,
                         NULL) != 0) {
    return 0;
  }
  size_t size = sizeof(mcpi_block) + message->block->cap;
  mcpi_message_unref(message);
  return size;
}

static void measure_memory(void) {
  printf("\n                                   bytes    record\n");
  put_memory("a task that waits for answers", CALL("ask", TASKS));
  put_memory("a task whose handler has deferred", CALL("hold", TASKS));
  printf("  of it: the task %zu, the call %zu, the block of its message %zu\n",
         sizeof(mcpi_running_task), sizeof(mcp_call), message_block_size());
}

int main(void) {
  begin();
  measure_times();
  measure_memory();
  for (size_t i = 0; i < held_count; i++) {
    mcp_call_reply_text(held[i], "done");
  }
  mcp_server_free(server);
  pass_time();
  mcp_loop_free(loop);
  if (library_bytes != 0 || record_bytes != 0) {
    fprintf(stderr, "bench-tasks: memory was not freed\n");
    return 1;
  }
  return 0;
}
