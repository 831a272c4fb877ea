/* SPDX-License-Identifier: MIT */
/* Which calls become tasks, and what a server declares of them. */
#include "ext/tasks/tasks.h"

#include "base/error.h"
#include "base/widen.h"
#include "ext/tasks/asking.h"
#include "ext/tasks/methods.h"
#include "ext/tasks/recover.h"
#include "ext/tasks/running.h"
#include "server/ask.h"
#include "server/members.h"
#include "store/memory_tasks.h"
#include "json/inline.h"

static mcpi_tasks *tasks_of_maker(mcpi_task_maker *maker) {
  return MCPI_CONTAINER(maker, mcpi_tasks, maker);
}

/* --- which calls ----------------------------------------------------- */

static int is_modern_call(const mcp_call *call) {
  return mcpi_revision_is_modern(call->context.revision);
}

static int call_declares_tasks(const mcp_call *call) {
  return mcpi_capability_has(call->context.client_capabilities,
                             "extensions." MCP_TASKS_EXTENSION);
}

/* The `task` of a request of 2025-11-25; NULL: it asks for none. */
static const mcp_json *wanted_task(const mcp_call *call) {
  const mcp_json *task =
      mcpi_revision_has(call->context.revision, MCPI_HAS_TASKS)
          ? mcpi_json_get(call->params, "task")
          : NULL;
  return mcp_json_type(task) == MCP_JSON_OBJECT ? task : NULL;
}

/* The client may ask for a shorter or a longer time than the default. */
static int64_t wanted_ttl(const mcpi_tasks *tasks, const mcp_json *task) {
  double ttl_ms = mcp_json_number(mcpi_json_get(task, "ttl"));
  if (!(ttl_ms > 0)) {
    return tasks->ttl_ms;
  }
  return ttl_ms < (double)tasks->max_ttl_ms ? (int64_t)ttl_ms
                                            : tasks->max_ttl_ms;
}

/* Each returns 1 if the handler runs now; 0: the call has its answer, or a task
 * begins. */

static int admit_task(mcpi_tasks *tasks, mcp_call *call, int64_t ttl_ms) {
  if (mcpi_running_task_begin(tasks, call, ttl_ms) != 0) {
    mcpi_call_reply_recorded(call);
  }
  return 0;
}

static int tasks_refuse(mcp_call *call, const char *why) {
  mcpi_call_fail(call, MCP_ERR_UNSUPPORTED, MCP_RPC_METHOD_NOT_FOUND,
                 "the tool \"%s\" %s", call->entry->name, why);
  mcpi_call_reply_recorded(call);
  return 0;
}

static int admit_modern(mcpi_tasks *tasks, mcp_call *call) {
  int support = call->entry->task;
  if (support == MCP_TASK_FORBIDDEN ||
      (support == MCP_TASK_OPTIONAL && !call_declares_tasks(call))) {
    return 1;
  }
  if (mcpi_call_require(call, "extensions." MCP_TASKS_EXTENSION) != 0) {
    mcpi_call_reply_recorded(call);
    return 0;
  }
  return admit_task(tasks, call, tasks->ttl_ms);
}

static int admit_legacy(mcpi_tasks *tasks, mcp_call *call) {
  int support = call->entry->task;
  const mcp_json *task = wanted_task(call);
  if (task != NULL && support == MCP_TASK_FORBIDDEN) {
    return tasks_refuse(call, "cannot be called as a task");
  }
  if (task == NULL && support == MCP_TASK_REQUIRED) {
    return tasks_refuse(call, "can only be called as a task");
  }
  return task == NULL ? 1 : admit_task(tasks, call, wanted_ttl(tasks, task));
}

/* A task that goes on (mcpi_running_task_resume) comes here again. */
static int tasks_admit(mcpi_task_maker *maker, mcp_call *call) {
  mcpi_tasks *tasks = tasks_of_maker(maker);
  if (call->task != NULL) {
    return 1;
  }
  return is_modern_call(call) ? admit_modern(tasks, call)
                              : admit_legacy(tasks, call);
}

/* --- mcp_call_make_task ---------------------------------------------- */

static int tasks_make(mcpi_task_maker *maker, mcp_call *call) {
  mcpi_tasks *tasks = tasks_of_maker(maker);
  if (call->has_begun_task || call->sink == NULL || !is_modern_call(call) ||
      !call_declares_tasks(call)) {
    return 0;
  }
  return mcpi_running_task_begin(tasks, call, tasks->ttl_ms);
}

static int check_making(mcp_call *call) {
  int is_tool = call->method != NULL && call->method->id == MCPI_M_TOOLS_CALL;
  const char *why = NULL;
  if (call->shard->server->tasks == NULL) {
    why = "call mcp_server_enable_tasks first";
  } else if (!is_tool) {
    why = "only a call of a tool can become a task";
  } else if (mcpi_call_has_reply(call)) {
    why = "the call has its reply already";
  } else if (mcpi_call_has_questions(call)) {
    why = "a question has no answer yet: return MCP_PENDING";
  }
  return why == NULL
             ? 0
             : mcpi_call_fail(call, MCP_ERR_INVALID, MCP_RPC_INTERNAL_ERROR,
                              "mcp_call_make_task: %s", why);
}

/* Nothing is recorded on the call: another thread uses it. */
static void make_posted(void *argument) {
  mcp_call *call = argument;
  mcpi_shard *shard = call->shard;
  mcpi_task_maker *maker = shard->server->tasks;
  mcpi_shard_enter(shard);
  maker->make(maker, call);
  mcpi_shard_leave(shard);
}

int mcp_call_make_task(mcp_call *call) {
  if (call == NULL) {
    return MCP_ERR_INVALID;
  }
  int rc = check_making(call);
  mcpi_shard *shard = call->shard;
  mcpi_task_maker *maker = shard->server->tasks;
  if (rc != 0) {
    return rc;
  }
  if (!mcpi_loop_is_home(shard->loop)) {
    return mcp_loop_post(shard->loop, make_posted, call);
  }
  mcpi_shard_enter(shard);
  rc = maker->make(maker, call);
  mcpi_shard_leave(shard);
  return rc;
}

const char *mcp_call_task_id(const mcp_call *call) {
  return call != NULL && atomic_load(&call->has_task_id) ? call->task_id : NULL;
}

/* --- what is declared ------------------------------------------------ */

static void tasks_put_capability(const mcpi_revision *revision,
                                 const char *principal, mcpi_buf *out) {
  if (mcpi_revision_has(revision, MCPI_HAS_TASKS)) {
    mcpi_put_name(out, "tasks");
    mcpi_buf_puts(out, mcpi_str_z(principal != NULL ? "{\"list\":{}," : "{"));
    mcpi_buf_lit(out, "\"cancel\":{},\"requests\":{\"tools\":{\"call\":{}}}}");
  }
}

/* --- life ------------------------------------------------------------ */

/* Once for each process: tasks of this one are not left by anybody. */
static void tasks_begin(mcpi_task_maker *maker, mcpi_shard *shard) {
  mcpi_tasks *tasks = tasks_of_maker(maker);
  if (!atomic_exchange(&tasks->has_begun, 1)) {
    mcpi_tasks_recover(tasks, shard);
  }
}

static int tasks_begin_in(mcpi_shard *shard, mcpi_str bytes) {
  (void)bytes;
  tasks_begin(shard->server->tasks, shard);
  return 0;
}

static void tasks_free(mcpi_task_maker *maker) {
  mcpi_tasks *tasks = tasks_of_maker(maker);
  const mcp_allocator *allocator = &tasks->server->allocator;
  if (tasks->store.release != NULL) {
    tasks->store.release(tasks->store.userdata);
  }
  mcpi_map_deinit(&tasks->running);
  mcpi_free(allocator, tasks, sizeof(*tasks));
}

static mcpi_tasks *tasks_new(mcp_server *server,
                             const mcp_tasks_options *options) {
  mcpi_tasks *tasks = mcpi_calloc(&server->allocator, 1, sizeof(*tasks));
  if (tasks == NULL) {
    return NULL;
  }
  tasks->maker = (mcpi_task_maker){.admit = tasks_admit,
                                   .make = tasks_make,
                                   .extension = MCP_TASKS_EXTENSION,
                                   .put_capability = tasks_put_capability,
                                   .begin = tasks_begin,
                                   .free = tasks_free};
  if (options->ask_as_tasks) {
    tasks->maker.ask = mcpi_asking_send;
    tasks->maker.take_back = mcpi_asking_take_back;
  }
  tasks->server = server;
  tasks->max_tasks = options->max_tasks;
  tasks->poll_ms = options->poll_ms;
  tasks->ttl_ms = (int64_t)options->ttl_ms;
  tasks->max_ttl_ms = (int64_t)options->max_ttl_ms;
  tasks->on_resume = options->on_resume;
  tasks->userdata = options->userdata;
  mcpi_map_init(&tasks->running, &server->allocator, server->hash_seed);
  mcpi_list_init(&tasks->waiters);
  return tasks;
}

/* --- options --------------------------------------------------------- */

static int read_store(mcp_task_store *out, const mcp_task_store *given,
                      mcp_error *err) {
  int rc = mcpi_widen(out, sizeof(*out), given, "mcp_task_store", err);
  if (rc == 0 && (out->create == NULL || out->load == NULL ||
                  out->update == NULL || out->list == NULL ||
                  out->list_unfinished == NULL || out->expire == NULL)) {
    rc = mcp_error_set(err, MCP_ERR_INVALID,
                       "tasks: the store lacks a function: all but release are "
                       "required");
  }
  return rc;
}

static int make_store(mcp_task_store *out, mcp_server *server,
                      const mcp_tasks_options *options, mcp_error *err) {
  if (options->store != NULL) {
    return read_store(out, options->store, err);
  }
  int rc = mcpi_memory_tasks_make(out, &server->allocator, server->hash_seed,
                                  options->max_bytes);
  return rc != 0 ? mcpi_no_memory(err) : 0;
}

static int tasks_read_options(mcp_tasks_options *out,
                              const mcp_tasks_options *given, mcp_error *err) {
  enum {
    MAX_TASKS = 10000,
    POLL_MS = 1000,
    TTL_MS = 3600 * 1000,
    MAX_TTL_MS = 24 * TTL_MS,
    MAX_BYTES = 64 * 1024 * 1024
  };
  int rc = 0;
  *out = (mcp_tasks_options){.size = sizeof(*out)};
  if (given != NULL) {
    rc = mcpi_widen(out, sizeof(*out), given, "mcp_tasks_options", err);
  }
  if (rc == 0) {
    rc = mcpi_check_reserved("mcp_tasks_options.reserved", out->reserved, err);
  }
  mcpi_default_u32(&out->max_tasks, MAX_TASKS);
  mcpi_default_u32(&out->poll_ms, POLL_MS);
  out->ttl_ms = out->ttl_ms != 0 ? out->ttl_ms : TTL_MS;
  out->max_ttl_ms = out->max_ttl_ms != 0 ? out->max_ttl_ms : MAX_TTL_MS;
  out->max_bytes = out->max_bytes != 0 ? out->max_bytes : MAX_BYTES;
  if (rc == 0 &&
      (out->ttl_ms > INT64_MAX / 2 || out->max_ttl_ms > INT64_MAX / 2)) {
    rc = mcp_error_set(err, MCP_ERR_INVALID,
                       "tasks: ttl_ms and max_ttl_ms must be less than 2^62");
  }
  return rc;
}

/* The tasks own the store from here on, and the server the tasks. */
static int tasks_enable(mcp_server *server, const mcp_tasks_options *options,
                        mcp_error *err) {
  mcpi_tasks *tasks = tasks_new(server, options);
  if (tasks == NULL) {
    return mcpi_no_memory(err);
  }
  int rc = make_store(&tasks->store, server, options, err);
  if (rc != 0) {
    tasks->store.release = NULL;
    tasks_free(&tasks->maker);
    return rc;
  }
  server->tasks = &tasks->maker;
  rc = mcpi_tasks_add_methods(tasks, err);
  if (rc == 0) {
    rc = mcpi_tasks_add_core_methods(tasks, err);
  }
  if (rc == 0 && options->ask_as_tasks) {
    rc = mcpi_asking_add_notification(server, err);
  }
  if (rc == 0) {
    mcpi_shards_run_one(server, tasks_begin_in, MCPI_STR(""));
  }
  return rc;
}

/* A store that no server owns goes at once. */
static void tasks_drop_store(const mcp_tasks_options *options) {
  mcp_task_store store;
  if (options->store != NULL &&
      mcpi_widen(&store, sizeof(store), options->store, "mcp_task_store",
                 NULL) == 0 &&
      store.release != NULL) {
    store.release(store.userdata);
  }
}

int mcp_server_enable_tasks(mcp_server *server,
                            const mcp_tasks_options *options, mcp_error *err) {
  mcp_tasks_options all;
  mcp_error why;
  int rc = tasks_read_options(&all, options, &why);
  if (server == NULL) {
    tasks_drop_store(&all);
    return mcpi_error_null(err, "server");
  }
  int had_tasks = server->tasks != NULL;
  if (rc == 0 && had_tasks) {
    rc = mcp_error_set(&why, MCP_ERR_EXISTS,
                       "tasks: the server offers them already");
  }
  if (rc == 0) {
    rc = tasks_enable(server, &all, &why);
  }
  if (rc == 0) {
    return 0;
  }
  if (had_tasks || server->tasks == NULL) {
    tasks_drop_store(&all);
  }
  return mcpi_server_remember(server, &why, err);
}
