/* SPDX-License-Identifier: MIT */
/** @file
 * Tasks: calls of tools that go on after their request has been answered.
 *
 * A client that calls a tool as a task gets the task's id at once. It asks for
 * the task's status, answers its questions, cancels it, and fetches its result.
 * There are two generations, and the library speaks both: tasks of 2025-11-25
 * (MCP 2025-11-25, Tasks), and the extension io.modelcontextprotocol/tasks of
 * 2026-07-28. A handler learns of neither.
 *
 *     mcp_server_enable_tasks(server, NULL, NULL);
 *     mcp_server_add_tool(server, &(mcp_tool){..., .task = MCP_TASK_OPTIONAL,
 *                                             .handler = on_research}, NULL);
 *
 * The handler is that of any tool. It replies at once, or defers and replies
 * later (mcp/call.h). If its call is a task, then
 * - the message of mcp_call_progress becomes the task's status message;
 * - the questions of mcp_call_ask_* wait in the task until the client answers
 *   them. The handler then runs again from its start, as always;
 * - mcp_call_is_cancelled and mcp_call_on_cancel report that the client has
 *   cancelled the task, that its time is over (ttl_ms), or that the server
 *   ends. The task goes on when the client disconnects;
 * - mcp_call_set_state stores the value at once, for on_resume;
 * - mcp_call_log and mcp_call_flush send nothing, and mcp_call_session returns
 *   NULL;
 * - the reply ends the task. A result with `isError` makes it "failed" in
 *   2025-11-25, and "completed" in 2026-07-28.
 *
 * A client that cannot use tasks waits for the reply of the same handler, as
 * for that of any tool.
 *
 * A task belongs to the principal who made it (mcp_call_principal); for others
 * it does not exist. Without principals, whoever knows its id may use it. Ids
 * are random, and cannot be guessed.
 *
 * A client that sets mcp_client_options.use_tasks need not do more:
 * mcp_client_call_tool follows a task to its end. It can also take the id
 * (mcp_client_start_task), and ask for the result later, from another process
 * too (mcp_client_wait_task).
 *
 * Threads: as in mcp/server.h and mcp/client.h.
 */
#ifndef MCP_TASKS_H
#define MCP_TASKS_H

#include <mcp/client.h>
#include <mcp/server.h>

MCP_BEGIN_DECLS

/** The id of the extension of 2026-07-28. */
#define MCP_TASKS_EXTENSION "io.modelcontextprotocol/tasks"

/* ---- servers ------------------------------------------------------------- */

/** Where a server keeps tasks: a table of functions, below. */
typedef struct mcp_task_store mcp_task_store;

/** How a server keeps tasks. Zero and NULL mean the default. */
typedef struct mcp_tasks_options {
  /** sizeof(mcp_tasks_options); MCP_TASKS_OPTIONS_INIT sets it. */
  size_t size;
  /** Where tasks are kept; NULL: in memory. The functions are copied, and the
   * store is taken: the server releases it when it ends, and
   * mcp_server_enable_tasks when it fails. */
  const mcp_task_store *store;
  /** Limits the tasks whose handlers run, of all clients on one loop; default
   * 10,000. A client has a share of them, as of other limits (mcp_limits).
   * Further calls get the error -32603. The store limits the other tasks. */
  uint32_t max_tasks;
  /** How often clients should ask for the status of a task, in milliseconds;
   * default 1000. */
  uint32_t poll_ms;
  /** How long a task is kept after it was made, in milliseconds, if the client
   * does not ask for another time; default 3,600,000 (an hour). Then it does
   * not exist any more. If its handler still runs, its call is cancelled. */
  uint64_t ttl_ms;
  /** The longest time that a client may ask for (2025-11-25); default
   * 86,400,000 (a day). */
  uint64_t max_ttl_ms;
  /** In memory: limits the bytes of all tasks; default 64 MB. The results of
   * tasks that ended first are dropped to make room. */
  size_t max_bytes;
  /**
   * Called once the server's first loop runs, on its thread, for each task in
   * the store whose handler ran when an earlier process ended. NULL: these
   * tasks fail with the error -32603, and a sentence that says so. Tasks that
   * wait for answers are not concerned; they wait on.
   *
   * @param tool      the name of the tool
   * @param arguments of the call; NULL: none. Borrowed until it returns.
   * @param state     what the handler gave to mcp_call_set_state last; NULL:
   *                  nothing. Borrowed until it returns.
   * @return 1: the tool's handler runs again from its start, in a call with the
   *         same arguments, capabilities, principal, scopes and id, and
   *         mcp_call_state returns the state. mcp_call_claims and mcp_call_peer
   *         return NULL there; 0: the task fails
   */
  int (*on_resume)(mcp_server *server, const char *tool,
                   const mcp_json *arguments, const mcp_json *state,
                   void *userdata);
  /** Passed to on_resume. */
  void *userdata;
  /** 1: clients of 2025-11-25 that can run elicitation or sampling as a task
   * are asked so (mcp_call_ask_elicit, mcp_call_ask_sample). Then no request
   * waits for a person: the server asks for the status until there is an
   * answer, for at most mcp_limits.ask_timeout_ms, and cancels the task if the
   * call is cancelled. Handlers see no difference. 0: each question is a
   * request. */
  int32_t ask_as_tasks;
  uint32_t reserved;
} mcp_tasks_options;

#define MCP_TASKS_OPTIONS_INIT MCP_INIT_(mcp_tasks_options)

/**
 * Offers tasks to clients: the capability `tasks` of 2025-11-25, and the
 * extension of 2026-07-28. Call it before clients connect, and before a tool
 * with mcp_tool.task is added.
 *
 * @param options copied; NULL: the defaults
 * @param err     the reason of a failure; may be NULL
 * @return 0;
 *         MCP_ERR_INVALID: `server` is NULL, or a member is not valid;
 *         MCP_ERR_EXISTS: the server offers tasks already; MCP_ERR_NOMEM
 */
MCP_API int mcp_server_enable_tasks(mcp_server *server,
                                    const mcp_tasks_options *options,
                                    mcp_error *err);

/**
 * Makes a task of a call, because its work takes long. The client gets the
 * task's id; all else is as the beginning of this header says. Use it if the
 * handler knows only after it has looked at the arguments, or after a question,
 * how long the work takes. For other tools, set mcp_tool.task.
 *
 * A client that cannot use tasks waits for the reply instead. So does a client
 * of 2025-11-25, where only the client asks for tasks.
 *
 * On another thread than the loop's, this returns 0 before the task is made; if
 * it cannot be made, the client waits.
 *
 * @return 0, also if the client waits;
 *         MCP_ERR_INVALID: not a call of a tool, it has its reply, a question
 *         has no answer yet, or the server offers no tasks;
 *         MCP_ERR_LIMIT: there are max_tasks already; MCP_ERR_NOMEM;
 *         MCP_ERR_PLATFORM: the platform gives no random bytes
 */
MCP_API int mcp_call_make_task(mcp_call *call);

/** Returns the id of the task that the call is; NULL: the client waits for the
 * reply, or does not have the id yet. Any thread that holds the call may ask.
 * Borrowed until the reply. */
MCP_API const char *mcp_call_task_id(const mcp_call *call);

/* ---- stores -------------------------------------------------------------- */

/** A task as it is stored. */
typedef struct mcp_task_record {
  /** 1 to 64 characters of A-Z a-z 0-9 _ - . */
  const char *id;
  /** To whom it belongs; "": whoever knows the id. */
  const char *owner;
  /** 1 when it is created. Each update has the next number. */
  uint64_t version;
  /** When it was made, and when it may be forgotten, in milliseconds since 1970
   * by the wall clock. */
  int64_t created_ms;
  /** When it may be forgotten, in the same form. */
  int64_t expires_ms;
  /** 1: it has ended, and does not change any more. */
  int32_t has_ended;
  uint32_t reserved;
  /** All else, as JSON text of `data_len` bytes. It may hold secrets that the
   * client has sent as arguments. */
  const char *data;
  size_t data_len;
  /** Room for members of later versions; must be NULL. */
  const void *reserved2[2];
} mcp_task_record;

/** Reports what a function of a store did. `status` is 0 or an MCP_ERR_*. */
typedef void (*mcp_task_done_cb)(void *argument, int status);
/** Gives records, which are borrowed until it returns. `status` is 0 or an
 * MCP_ERR_*. */
typedef void (*mcp_task_found_cb)(void *argument, int status,
                                  const mcp_task_record *records, size_t count);

/**
 * Where tasks are kept, so that they can outlive the process. All functions but
 * `release` are required.
 *
 * Each function calls its completion once: before it returns, or later. It
 * calls it on the thread of `loop`, which is the one that the function was
 * called on (mcp_loop_post). A server with several threads calls the functions
 * on all of them, also at the same time. Strings and records are borrowed until
 * the function returns. mcp_loop_free on a loop of mcp_loop_new waits for the
 * completions. One process at a time uses a store.
 */
struct mcp_task_store {
  /** sizeof(mcp_task_store); MCP_TASK_STORE_INIT sets it. */
  size_t size;
  /** Stores a new record. When `done` gets 0, it is as durable as the store can
   * make it: only then does the client get the id. MCP_ERR_EXISTS: there is a
   * record with this id; MCP_ERR_LIMIT: there is no room. */
  void (*create)(void *userdata, mcp_loop *loop, const mcp_task_record *record,
                 mcp_task_done_cb done, void *argument);
  /** Finds a record. MCP_ERR_NOT_FOUND: no record has this id. */
  void (*load)(void *userdata, mcp_loop *loop, const char *id,
               mcp_task_found_cb found, void *argument);
  /** Replaces a record if it has the version before this one.
   * MCP_ERR_NOT_FOUND: no record has this id; MCP_ERR_EXISTS: the record has
   * another version. */
  void (*update)(void *userdata, mcp_loop *loop, const mcp_task_record *record,
                 mcp_task_done_cb done, void *argument);
  /** Finds up to `max` records of an owner, the oldest first, of those that
   * were created at the same time in the order of their ids. It begins after
   * the record with the time and the id of `after`; NULL: with the first.
   * Records that are not valid any more (expires_ms) are left out. */
  void (*list)(void *userdata, mcp_loop *loop, const char *owner,
               const mcp_task_record *after, size_t max,
               mcp_task_found_cb found, void *argument);
  /** Finds up to `max` records that have not ended, of all owners, in the same
   * order. The server asks when it begins: nobody works on these tasks. */
  void (*list_unfinished)(void *userdata, mcp_loop *loop,
                          const mcp_task_record *after, size_t max,
                          mcp_task_found_cb found, void *argument);
  /** Forgets the records whose expires_ms is before `now_ms`. */
  void (*expire)(void *userdata, mcp_loop *loop, int64_t now_ms,
                 mcp_task_done_cb done, void *argument);
  /** Called once, when the server no longer uses the store. May be NULL. */
  void (*release)(void *userdata);
  /** Passed to the functions. */
  void *userdata;
};

#define MCP_TASK_STORE_INIT MCP_INIT_(mcp_task_store)

/* ---- clients ------------------------------------------------------------- */

/*
 * Set mcp_client_options.use_tasks. Then mcp_client_call_tool follows a task:
 * - The client asks for the status, as often as the server wishes, and when the
 *   server reports a change. In 2026-07-28 it opens a stream for these reports,
 *   for up to 16 tasks at a time.
 * - Each status message goes to mcp_request_options.on_progress, with 0
 *   for `progress` and `total`.
 * - The questions of the task go to the handlers of mcp_client_options.
 * - timeout_ms limits the wait for each message; for tasks/result (2025-11-25),
 *   which waits for the end of the task, there is only max_ms. max_ms limits
 *   the whole time since the call was sent, without the time that the program
 *   takes to answer questions. So set it for tasks that take longer than ten
 *   minutes, the default. If three messages in a row fail, the request fails.
 * - If the request ends before the task, for example because the program
 *   cancels it or its time is over, the client cancels the task. If the
 *   connection ends, the task goes on. A program that must find it again uses
 *   mcp_client_start_task, and keeps the id.
 * - If the task has failed, and the server sends neither a result nor an error,
 *   the request completes with MCP_ERR_PROTOCOL.
 * - If someone else has cancelled the task, the request completes with
 *   MCP_ERR_CANCELLED.
 *
 * In 2026-07-28 the server decides which calls become tasks. In 2025-11-25 the
 * client decides: mcp_client_call_tool asks for a task only if the tool
 * requires it, mcp_client_start_task whenever the tool allows it. The client
 * knows this from the last mcp_client_list_tools. If the tool was not listed,
 * or the list has changed since, it tries, and if the server refuses because of
 * the task (-32601), it tries once more the other way. Some servers report this
 * refusal as a failure of the tool: so list the tools first.
 *
 * A task's handle is its id. A client that has the id can ask for the task,
 * unless the server knows principals (authorization): so treat it as a secret.
 *
 * What mcp/client.h says about requests holds here too: what the functions
 * return, and that strings are copied. They also return MCP_ERR_UNSUPPORTED if
 * use_tasks is not set. If the server of a revision that has tasks does not
 * offer them, requests are sent, and it refuses them; mcp_client_start_task
 * then only calls the tool, as it does in revisions without tasks.
 */

/**
 * Calls a tool as mcp_client_call_tool does, but does not follow the task.
 *
 * on_done gets the task at once: mcp_result_task_id returns its id. If the call
 * did not become a task, on_done gets the result of the tool, and
 * mcp_result_task_id returns NULL.
 */
MCP_API int mcp_client_start_task(mcp_client *client, const char *name,
                                  const char *arguments,
                                  const mcp_request_options *options,
                                  mcp_done_cb on_done, void *userdata,
                                  mcp_error *err);

/** Returns the id of the task that a result of mcp_client_start_task,
 * mcp_client_get_task or mcp_client_cancel_task is about; NULL: it is not about
 * a task. Borrowed until the last reference is released. */
MCP_API const char *mcp_result_task_id(const mcp_result *result);
/** Returns the status of that task: "working", "input_required", "completed",
 * "failed" or "cancelled"; NULL: the result is not about a task. Borrowed
 * likewise. */
MCP_API const char *mcp_result_task_status(const mcp_result *result);

/**
 * Asks for a task (`tasks/get`). The result is the task as the server sent it,
 * with `taskId`, `status`, `statusMessage` and the other members. In 2026-07-28
 * it also has `inputRequests`, `result` or `error`.
 * @param id required
 */
MCP_API int mcp_client_get_task(mcp_client *client, const char *id,
                                const mcp_request_options *options,
                                mcp_done_cb on_done, void *userdata,
                                mcp_error *err);

/**
 * Follows a task to its end, as mcp_client_call_tool does. on_done gets the
 * result of the tool. If the request ends before, the task goes on.
 * @param id   required
 * @param tool the name of the tool, so that the client can check the result
 *             with its `outputSchema`; NULL: the client does not check it
 */
MCP_API int mcp_client_wait_task(mcp_client *client, const char *id,
                                 const char *tool,
                                 const mcp_request_options *options,
                                 mcp_done_cb on_done, void *userdata,
                                 mcp_error *err);

/**
 * Answers questions of a task (`tasks/update`, 2026-07-28), and does not wait
 * for the task. The result is empty; what the server made of the answers shows
 * in the task. In 2025-11-25 use mcp_client_wait_task.
 *
 * @param id      required
 * @param answers a JSON object as text: a key of `inputRequests`, and the
 *                result that answers this question, such as
 *                {"confirm":{"action":"accept","content":{"confirm":true}}}.
 *                NULL: the client asks for the task, and its questions go to
 *                the handlers of mcp_client_options. If no question is open,
 *                the result is the task, as that of mcp_client_get_task
 */
MCP_API int mcp_client_answer_task(mcp_client *client, const char *id,
                                   const char *answers,
                                   const mcp_request_options *options,
                                   mcp_done_cb on_done, void *userdata,
                                   mcp_error *err);

/**
 * Cancels a task (`tasks/cancel`). In 2025-11-25 the result is the task, and a
 * task that has ended gives an error. In 2026-07-28 the result is empty, and
 * the task may still end in another way.
 * @param id required
 */
MCP_API int mcp_client_cancel_task(mcp_client *client, const char *id,
                                   const mcp_request_options *options,
                                   mcp_done_cb on_done, void *userdata,
                                   mcp_error *err);

/** Fetches all pages of the list of tasks (`tasks/list`, 2025-11-25): the items
 * of the result are tasks, each with `taskId`, `status` and the other members.
 * In 2026-07-28 there is no list, so keep the ids. */
MCP_API int mcp_client_list_tasks(mcp_client *client,
                                  const mcp_request_options *options,
                                  mcp_done_cb on_done, void *userdata,
                                  mcp_error *err);

/** Each of the following functions does what the function mcp_client_... with
 * the same name does, and waits. mcp/sync.h says what holds for all such
 * functions. (libmcp) */
MCP_API int mcp_sync_start_task(mcp_client *client, const char *name,
                                const char *arguments,
                                const mcp_request_options *options,
                                mcp_result **out, mcp_error *err);
MCP_API int mcp_sync_get_task(mcp_client *client, const char *id,
                              const mcp_request_options *options,
                              mcp_result **out, mcp_error *err);
MCP_API int mcp_sync_wait_task(mcp_client *client, const char *id,
                               const char *tool,
                               const mcp_request_options *options,
                               mcp_result **out, mcp_error *err);
MCP_API int mcp_sync_answer_task(mcp_client *client, const char *id,
                                 const char *answers,
                                 const mcp_request_options *options,
                                 mcp_result **out, mcp_error *err);
MCP_API int mcp_sync_cancel_task(mcp_client *client, const char *id,
                                 const mcp_request_options *options,
                                 mcp_result **out, mcp_error *err);
MCP_API int mcp_sync_list_tasks(mcp_client *client,
                                const mcp_request_options *options,
                                mcp_result **out, mcp_error *err);

MCP_END_DECLS

#endif
