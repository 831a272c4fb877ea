/* SPDX-License-Identifier: MIT */
/* A server with tasks over HTTP, on two threads, for tasks.py. It counts the
 * bytes that the library has taken from its allocator.
 *
 * usage: soak-tasks-server [FILE]
 *
 * Tasks are in memory, or in FILE. The server prints one line of JSON with its
 * URL, serves until the end of its standard input, frees everything, and prints
 * {"live":BYTES}. It writes what the library reports to standard error. */
#include "counting.h"
#include "store/memory_tasks.h"
#include "until_eof.h"

#include <mcp/mcp.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef SOAK_SQLITE
#include <mcp/sqlite.h>
#endif

enum { TTL_MS = 3600 * 1000, MAX_BYTES = 64 * 1024 * 1024 };

static mcp_task_store store = MCP_TASK_STORE_INIT; /* the server releases it */

/* --- tools: work that takes its time -------------------------------------- */

/* A call that is answered after some time, on the loop's thread. */
typedef struct job {
  mcp_call *call;
  mcp_timer *timer;
  int64_t number;
} job;

static void job_end(job *ended, const char *text) {
  mcp_call_reply_text(ended->call, text);
  mcp_timer_free(ended->timer);
  free(ended);
}

static void on_time(mcp_timer *timer, void *userdata) {
  job *due = userdata;
  char text[40];
  (void)timer;
  snprintf(text, sizeof(text), "ran %lld", (long long)due->number);
  job_end(due, text);
}

static void on_job_cancelled(mcp_call *call, void *userdata) {
  (void)call;
  job_end(userdata, "cancelled");
}

/* Replies "ran NUMBER" after delay_ms. */
static int job_start(mcp_call *call) {
  job *started = calloc(1, sizeof(*started));
  uint64_t delay_ms = (uint64_t)mcp_call_int(call, "delay_ms");
  int rc = started != NULL ? mcp_call_defer(call) : MCP_ERR_NOMEM;
  if (rc != 0) {
    free(started);
    return rc;
  }
  *started = (job){.call = call, .number = mcp_call_int(call, "number")};
  started->timer = mcp_timer_new(mcp_call_loop(call), on_time, started, NULL);
  mcp_call_progress(call, 0, 0, "running");
  if (mcp_timer_start(started->timer, delay_ms, 0) != 0 ||
      mcp_call_on_cancel(call, on_job_cancelled, started) != 0) {
    job_end(started, "cancelled");
  }
  return 0;
}

static int on_run(mcp_call *call, void *userdata) {
  (void)userdata;
  return job_start(call);
}

/* The handler makes the task. */
static int on_choose(mcp_call *call, void *userdata) {
  (void)userdata;
  int rc = mcp_call_make_task(call);
  return rc != 0 ? rc : job_start(call);
}

/* --- tools: questions ----------------------------------------------------- */

static int ask_word(mcp_call *call, const char *key, const mcp_json **answer) {
  return mcp_call_ask_elicit(
      call, key,
      &(mcp_elicitation){.size = sizeof(mcp_elicitation),
                         .message = key,
                         .form = MCP_OBJECT(MCP_STRING("word", "A word"))},
      answer);
}

static const char *word_of(const mcp_json *answer) {
  return mcp_json_string(mcp_json_pointer(answer, "/content/word"));
}

/* Replies "NUMBER: WORD WORD". */
static int on_ask(mcp_call *call, void *userdata) {
  const mcp_json *first;
  const mcp_json *second;
  (void)userdata;
  int rc = ask_word(call, "first", &first);
  int more = ask_word(call, "second", &second);
  if (rc != 0 || more != 0) {
    return rc != 0 ? rc : more;
  }
  return mcp_call_reply_textf(call, "%lld: %s %s",
                              (long long)mcp_call_int(call, "number"),
                              word_of(first), word_of(second));
}

/* --- tools: the state of the server --------------------------------------- */

/* The bytes that the library has, in this moment. */
static int on_figures(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_textf(call, "%zu", soak_live());
}

static void on_expired(void *argument, int status) {
  mcp_call_reply_text(argument, status == 0 ? "expired" : "failed");
}

/* Forgets all tasks, as the store does when their time is over. */
static int on_expire(mcp_call *call, void *userdata) {
  (void)userdata;
  int rc = mcp_call_defer(call);
  if (rc == 0) {
    store.expire(store.userdata, mcp_call_loop(call), INT64_MAX, on_expired,
                 call);
  }
  return rc;
}

static int add_tools(mcp_server *server, mcp_error *err) {
  static const struct {
    const char *name;
    mcp_call_cb handler;
    int32_t task;
  } tools[] = {{"run", on_run, MCP_TASK_OPTIONAL},
               {"wait", on_run, MCP_TASK_FORBIDDEN},
               {"choose", on_choose, MCP_TASK_FORBIDDEN},
               {"ask", on_ask, MCP_TASK_REQUIRED},
               {"figures", on_figures, MCP_TASK_FORBIDDEN},
               {"expire", on_expire, MCP_TASK_FORBIDDEN}};
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < sizeof(tools) / sizeof(tools[0]); i++) {
    const mcp_tool tool = {
        .size = sizeof(tool),
        .name = tools[i].name,
        .input = MCP_OBJECT(
            MCP_INTEGER("number", "of the task", .optional = 1),
            MCP_INTEGER("delay_ms", "until the reply", .optional = 1)),
        .task = tools[i].task,
        .handler = tools[i].handler};
    rc = mcp_server_add_tool(server, &tool, err);
  }
  return rc;
}

/* --- the store ------------------------------------------------------------ */

#ifdef SOAK_SQLITE
/* On the store's thread. */
static void on_store_error(const mcp_error *err, void *userdata) {
  (void)userdata;
  fprintf(stderr, "store: %s\n", err->message);
}

static int open_file(const char *path, mcp_error *err) {
  return mcp_task_store_sqlite(
      &store, path,
      &(mcp_sqlite_options){.size = sizeof(mcp_sqlite_options),
                            .allocator = &soak_counting,
                            .on_error = on_store_error},
      err);
}
#else
static int open_file(const char *path, mcp_error *err) {
  err->code = MCP_ERR_UNSUPPORTED;
  snprintf(err->message, sizeof(err->message), "%s: built without SQLite",
           path);
  return err->code;
}
#endif

static int open_store(const char *path, mcp_error *err) {
  static const uint64_t seed[2] = {1, 2};
  return path != NULL
             ? open_file(path, err)
             : mcpi_memory_tasks_make(&store, &soak_counting, seed, MAX_BYTES);
}

static int enable_tasks(mcp_server *server, const char *path, mcp_error *err) {
  int rc = open_store(path, err);
  if (rc == 0) {
    rc = mcp_server_enable_tasks(
        server,
        &(mcp_tasks_options){.size = sizeof(mcp_tasks_options),
                             .store = &store,
                             .poll_ms = 10,
                             .ttl_ms = TTL_MS},
        err);
  }
  return rc;
}

/* --- the program ---------------------------------------------------------- */

static void on_report(mcp_server *server, const mcp_error *err,
                      void *userdata) {
  (void)server;
  (void)userdata;
  fprintf(stderr, "report: %s\n", err->message);
}

static mcp_http_listener *listen_http(mcp_server *server, mcp_loop *loop,
                                      mcp_error *err) {
  static const mcp_http_options policy = {.size = sizeof(mcp_http_options),
                                          .wires = MCP_HTTP_STREAMABLE};
  return mcp_server_listen_http(
      server, loop,
      &(mcp_http_listen_options){.size = sizeof(mcp_http_listen_options),
                                 .address = "127.0.0.1:0",
                                 .http = &policy,
                                 .threads = 2},
      err);
}

static int serve(mcp_loop *loop, mcp_server *server, const char *path,
                 mcp_error *err) {
  mcp_http_listener *listener = NULL;
  int rc = enable_tasks(server, path, err);
  if (rc == 0) {
    rc = add_tools(server, err);
  }
  if (rc == 0) {
    listener = listen_http(server, loop, err);
    rc = listener != NULL ? 0 : err->code;
  }
  if (rc == 0) {
    printf("{\"http\":\"%s\"}\n", mcp_http_listener_url(listener));
    fflush(stdout);
    rc = soak_run_until_eof(loop);
  }
  mcp_http_listener_free(listener);
  return rc;
}

int main(int argc, char **argv) {
  mcp_error err = {0};
  if (argc > 2) {
    fprintf(stderr, "usage: soak-tasks-server [FILE]\n");
    return 2;
  }
  mcp_loop *loop =
      mcp_loop_new(&(mcp_loop_options){.size = sizeof(mcp_loop_options),
                                       .allocator = &soak_counting},
                   NULL);
  mcp_server *server =
      mcp_server_new("soak", "1.0.0",
                     &(mcp_server_options){.size = sizeof(mcp_server_options),
                                           .allocator = &soak_counting,
                                           .on_report = on_report},
                     NULL);
  int rc = serve(loop, server, argc > 1 ? argv[1] : NULL, &err);
  if (rc != 0) {
    fprintf(stderr, "soak-tasks-server: %s\n", err.message);
  }
  mcp_server_free(server);
  mcp_loop_free(loop);
  printf("{\"live\":%zu}\n", soak_live());
  return rc == 0 ? 0 : 1;
}
