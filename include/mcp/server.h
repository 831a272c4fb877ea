/* SPDX-License-Identifier: MIT */
/** @file
 * Servers: what they offer, and the connections that they serve.
 *
 * A server holds tools, resources, prompts and policy. It does not depend on a
 * connection or a revision: a program can connect any number of transports to
 * it, and the server answers each client in the client's revision. A program
 * writes each handler once (mcp/call.h).
 *
 * Registering functions (mcp_server_add_...) copy everything that they get. A
 * function that fails gives the reason in its mcp_error. The server also keeps
 * the failure: mcp_server_error returns the first failure and the number of
 * failures, and mcp_main refuses to start if there was one. So a program that
 * calls mcp_main need not check each registration.
 *
 * Threads: use a server only on the thread of its loop. If any thread may call
 * a function, its comment says so. If mcp_http_listen_options.threads is more
 * than 1, the server has several loops, each with its own thread: handlers and
 * callbacks then run on all of these threads, at the same time. The program may
 * add and remove tools, resources and prompts at any time, also inside handlers
 * that run on a loop's thread (not `is_blocking`). The server notifies
 * connected clients. The program must call all other functions that configure
 * the server before it listens with several threads: mcp_server_add_method,
 * mcp_server_add_extension, mcp_server_add_experimental,
 * mcp_server_add_listen_filter, mcp_server_add_listen_values,
 * mcp_server_enable_logging and mcp_server_on_roots.
 */
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include <mcp/content.h>
#include <mcp/log.h>
#include <mcp/schema.h>
#include <mcp/transport.h>
#include <mcp/version.h>

MCP_BEGIN_DECLS

/** A server: what it offers, on any number of connections. */
typedef struct mcp_server mcp_server;

/** A request that is being handled: see mcp/call.h. */
typedef struct mcp_call mcp_call;

/** A session of a legacy client, from its `initialize` to its end. Requests of
 * the modern era have no session. */
typedef struct mcp_session mcp_session;

/**
 * Handles a call.
 *
 * @return - 0: the handler has replied or called mcp_call_defer. If the handler
 *           did neither, the client gets the error -32603, and the server
 *           reports this mistake to on_report.
 *         - MCP_PENDING: only if an mcp_call_ask_* function returned it.
 *         - MCP_ERR_*: the client gets the error that the failing function
 *           recorded on the call, as mcp/call.h describes. If no function
 *           recorded this code, the client gets -32603 "internal error", and
 *           the server reports the code. In `resources/read`,
 *           MCP_ERR_NOT_FOUND means that there is no such resource, and the
 *           client gets the error for that. If the handler has already
 *           replied, the server only reports the code; it does not report
 *           MCP_ERR_GONE.
 *         - any other number is a mistake of the program: the server reports
 *           it. If the handler has not replied, the client gets -32603.
 *
 *         A notification has no reply: the client gets nothing, whatever the
 *         handler returns. If the handler returns another number than 0,
 *         MCP_PENDING and MCP_ERR_GONE, the server reports it.
 */
typedef int (*mcp_call_cb)(mcp_call *call, void *userdata);

/* ---- options ------------------------------------------------------------- */

/**
 * Reports to the program a problem that the server cannot report in a reply:
 * - a call that was dropped without a reply;
 * - an error that a handler returned after its reply, or for a notification;
 * - a wrong use of the functions of mcp/call.h, for which the client gets
 *   -32603;
 * - a question to the client (mcp_call_ask_*) that the server did not send,
 *   because the handler did not return MCP_PENDING;
 * - a message of a client that cannot be read;
 * - a skill that is not valid (mcp/skills.h);
 * - a limit that refuses clients, or that drops sessions or stored events to
 *   make room (MCP_ERR_LIMIT). For each limit the server reports the first case
 *   at once, and ten seconds later the number of further cases;
 * - a connection that ended with an error, such as a WebSocket that its client
 *   did not close properly, or a connection that the server closed because of
 *   session_max_ms of mcp/http.h (both: MCP_ERR_CLOSED).
 *
 * The message of `err` contains the client's address if it is known.
 * mcp_limits.max_reports limits the number of reports. Called on the loop's
 * thread.
 *
 * @param err borrowed until return
 */
typedef void (*mcp_report_cb)(mcp_server *server, const mcp_error *err,
                              void *userdata);

/**
 * Limits of a server, for all transports. Zero means the default.
 *
 * Clients share some limits: the calls of a loop, the bytes that the server
 * keeps for clients, and the bytes of subscriptions; at endpoints that demand
 * tokens, also the checks of tokens and the DPoP proofs that are remembered.
 * - Subtract from the limit what all other clients use. A client may use at
 *   most half of the remainder. For example, while one client uses half of the
 *   limit, a second client may use at most a quarter.
 * - The same rule divides the share of a client among its connections. A legacy
 *   session over HTTP counts as one connection.
 * - The server identifies a client by its principal, else by its address
 *   without the port (for IPv6: the first 64 bits), else by its connection.
 * - A client may have up to 16 calls, checks or proofs at once even if its
 *   share is smaller, as long as the other clients leave room for them in the
 *   limit. The server reserves one sixteenth of the calls for this.
 */
typedef struct mcp_limits {
  /** sizeof(mcp_limits); MCP_LIMITS_INIT sets it. */
  size_t size;
  /** Limits the requests in flight on one connection; default 1024. The server
   * answers further requests with the error -32603. A `subscriptions/listen`
   * counts as a request until the server has acknowledged it, and then as a
   * subscription. */
  uint32_t max_calls;
  /** Limits the calls in flight of all connections on one loop; default 10,000.
   * A call counts until its handler has returned; a deferred call counts until
   * it has its reply or is dropped. If the client disconnects before that, the
   * call still counts. The server answers further requests with the error
   * -32603. For the clients of an HTTP endpoint, mcp_http_options.max_calls
   * replaces this limit. */
  uint32_t max_total_calls;
  /** Limits the bytes that the server keeps for clients on one loop: requests
   * in flight, client data in sessions, and answers to questions, as text and
   * as parsed values. The bytes of subscriptions do not count here: they have a
   * limit of their own, with the same value. The server answers further
   * requests with the error -32603. Default: 32 times max_message. A value
   * below 8192 is MCP_ERR_INVALID, because a short request needs that much. */
  size_t max_kept_bytes;
  /** Limits the subscriptions on one connection; default 1024. Each listen
   * stream counts as one, and so does each URI of a session, and each URI and
   * value (mcp_server_add_listen_values) of a listen stream. */
  uint32_t max_subscriptions;
  /** Limits the messages in one batch (2025-03-26 and before); default 1024.
   * The limit exists because the server answers each invalid message of a
   * batch: "1," has only two bytes, but its answer has about a hundred. */
  uint32_t max_batch;
  /** Limits the bytes of one message; default 10 MB. */
  size_t max_message;
  /** Limits the depth of arrays and objects in one message; at most 128, which
   * is the default. */
  uint32_t max_depth;
  /** The server closes a connection after this many unreadable messages in a
   * row (not JSON, not JSON-RPC, or too long); default 100. HTTP requests do
   * not count: the server answers each unreadable one with status 400. */
  uint32_t max_unreadable;
  /** Limits the JSON values in one message; default 1,000,000. */
  uint64_t max_values;
  /** Limits the rounds of questions of one call; default 8. */
  uint32_t max_rounds;
  /** How long a client has to answer a question, in milliseconds; default
   * 600,000. Legacy: the time limit of the server's request to the client. In
   * 2026-07-28 the server refuses answers that arrive later. */
  uint32_t ask_timeout_ms;
  /** Limits the reports (on_report) about one connection in a second; default
   * 20. All connections of a loop together may cause three times as many
   * reports. Reports about HTTP requests count only in this total. The server
   * does not make further reports: it counts them, and reports their number at
   * the end of the second. */
  uint32_t max_reports;
  /** After this many milliseconds without a message from a legacy client, the
   * server sends a `ping`. 0 (default): no pings. Not used over Streamable
   * HTTP. */
  uint32_t ping_interval_ms;
  /** How long a client has to answer a ping, in milliseconds; default 30,000.
   * The server closes the connection of a client that sends neither the answer
   * nor another message in this time. on_report and
   * mcp_connection_options.on_closed get the reason, MCP_ERR_TIMEOUT
   * (MCP 2025-11-25, Ping). */
  uint32_t ping_timeout_ms;
  uint32_t reserved;
} mcp_limits;

#define MCP_LIMITS_INIT MCP_INIT_(mcp_limits)

/** Describes a server to clients, and sets its policy. Zero and NULL mean the
 * default. */
typedef struct mcp_server_options {
  /** sizeof(mcp_server_options); MCP_SERVER_OPTIONS_INIT sets it. */
  size_t size;
  /** NULL: the default. */
  const mcp_allocator *allocator;
  /** NULL: the defaults. */
  const mcp_limits *limits;

  /** The name that clients show to users (since 2025-06-18); NULL: not
   * stated. */
  const char *title;
  /** Explains to users what the server is (since 2025-11-25); NULL: not
   * stated. */
  const char *description;
  /** Since 2025-11-25; NULL: not stated. */
  const char *website_url;
  /** An array of icons (since 2025-11-25); NULL: none. */
  const mcp_icon *icons;
  size_t icon_count;
  /** Explains to the model how to use this server; NULL: not stated. */
  const char *instructions;

  /** The eras that the server serves, MCP_ERA_*; default MCP_ERA_BOTH. */
  uint32_t eras;
  /** Limits the entries in one page of a list; default: no limit. */
  uint32_t page_count;
  /** Limits the bytes of entries in one page of a list; default 512 KB. A page
   * always has at least one entry, even if the entry is longer than this. */
  uint32_t page_bytes;
  /** 1: caches may share results among users ("public"); 0 (default): they may
   * not ("private"). */
  int32_t cache_is_public;
  /** 2026-07-28: how long clients may cache lists, resources and
   * `server/discover`, in milliseconds; default 0. For one resource,
   * mcp_resource.cache_ttl_ms and mcp_call_set_cache replace this value. */
  uint64_t cache_ttl_ms;

  /** Keys of MCP_SEAL_KEY_SIZE bytes each, one after another. In 2026-07-28 the
   * state of a call that asks questions (its answers so far, and the value of
   * mcp_call_set_state) travels through the client. The server encrypts the
   * state with the first key, and accepts it if any of the keys encrypted it.
   * Processes that serve the same clients need the same keys. NULL: each
   * process makes a random key. */
  const uint8_t *state_keys;
  size_t state_key_count;

  /** Handed to the callbacks below. */
  void *userdata;
  /** NULL: reports are dropped (mcp_main writes them to its log). */
  mcp_report_cb on_report;
  /** Called when a session has opened: its handshake is done. May be NULL. */
  void (*on_session_opened)(mcp_server *server, mcp_session *session,
                            void *userdata);
  /** Called when a session closes. The session is valid until this returns. May
   * be NULL. */
  void (*on_session_closed)(mcp_server *server, mcp_session *session,
                            void *userdata);
  /** Called for each request before its handler. The function returns 0 to
   * accept the request. To refuse the request, it calls mcp_call_reply_error
   * and returns MCP_ERR_REFUSED. If it returns a value other than 0 and has not
   * replied, the client gets -32603 "refused". NULL: the server accepts all
   * requests. */
  int (*on_request)(mcp_call *call, void *userdata);
  /** Called for each reply just before it is sent. `reply` is JSON-RPC text of
   * `len` bytes, borrowed until return. If the reply ends a listen stream, the
   * server no longer has the message of the request. In this case
   * mcp_call_method still works, but the functions for the params, `_meta`, and
   * the client's information and capabilities return NULL or an empty object. A
   * call that becomes a task (mcp/tasks.h) has two: the answer with the task's
   * id, and the reply, which the task keeps. May be NULL. */
  void (*on_reply)(mcp_call *call, const char *reply, size_t len,
                   void *userdata);
  /** Called once with `userdata`, when no callback above can be called any
   * longer. That is when the program has freed the server and all its listeners
   * and endpoints, and the last call has ended. mcp_tool.release says on which
   * thread. The server does not call `release`:
   * - if mcp_server_new fails: the program still owns `userdata`;
   * - if a handler still used a call when mcp_http_listener_free or mcp_main
   *   stopped waiting for it.
   * NULL: nothing to do. Since 0.2. */
  void (*release)(void *userdata);
} mcp_server_options;

#define MCP_SERVER_OPTIONS_INIT MCP_INIT_(mcp_server_options)

/**
 * Makes a server.
 *
 * @param name    the program's name, such as "calculator"; copied
 * @param version its version, such as "1.0.0"; copied
 * @param options copied, with all that it points to; NULL: the defaults
 * @param err     set on failure; may be NULL:
 *                - MCP_ERR_INVALID: the message names the parameter or member;
 *                - MCP_ERR_NOMEM
 * @return owned: free it with mcp_server_free; NULL on failure
 */
MCP_API mcp_server *mcp_server_new(const char *name, const char *version,
                                   const mcp_server_options *options,
                                   mcp_error *err);

/**
 * Frees a server and closes its connections.
 *
 * - Reply functions then return MCP_ERR_GONE for deferred calls.
 * - on_session_closed and mcp_connection_options.on_closed run before this
 *   returns. But if a callback of this server calls mcp_server_free, these two
 *   run right after that callback. For connections on other loops, they run
 *   later, on the threads of those loops.
 * - Handlers on the pool run to their end.
 *
 * Call it on the loop's thread. Any callback may call it, but not a handler on
 * the pool. A callback that runs because of this call may call it again; that
 * does nothing. NULL is accepted.
 */
MCP_API void mcp_server_free(mcp_server *server);

/** Returns the first failure of a registering function. If there were more, the
 * message also gives their number.
 * @return NULL: all registering functions succeeded. Borrowed until the server
 *         is freed. Each further failure changes the message. */
MCP_API const mcp_error *mcp_server_error(const mcp_server *server);

/** Returns mcp_server_options.userdata. */
MCP_API void *mcp_server_userdata(const mcp_server *server);

/* ---- connections ------------------------------------------------------- */

/** A connection: a transport that a server serves. The connection ends when the
 * transport closes. The library frees the connection after
 * mcp_connection_options.on_closed. */
typedef struct mcp_connection mcp_connection;

/** Options of a connection. Zero and NULL mean the default. */
typedef struct mcp_connection_options {
  /** sizeof(mcp_connection_options); MCP_CONNECTION_OPTIONS_INIT sets it. */
  size_t size;
  /** The client's identity, if the program knows it (such as a Unix user or a
   * TLS certificate). mcp_call_principal returns it. NULL: not known.
   * Copied. */
  const char *principal;
  /** The client's address, such as "127.0.0.1:4711". mcp_call_peer returns it.
   * NULL: not known. Copied. */
  const char *peer;
  /** Called on the loop's thread when the connection has ended; the library
   * frees the connection afterwards. `err` is never NULL, and borrowed until
   * return; its code is 0 if the connection ended without an error. May be
   * NULL. */
  void (*on_closed)(mcp_connection *connection, const mcp_error *err,
                    void *userdata);
  /** Passed to on_closed. */
  void *userdata;
  /** After the input from the client has ended, calls in flight may still
   * answer for this many milliseconds. Then they are cancelled, and the
   * connection is closed. 0: 1000. */
  uint32_t drain_ms;
  uint32_t reserved;
} mcp_connection_options;

#define MCP_CONNECTION_OPTIONS_INIT MCP_INIT_(mcp_connection_options)

/**
 * Serves a transport: mcp_transport_stdio, one end of mcp_memory_pair, another
 * transport of mcp/transport.h, or a transport of the program.
 *
 * @param transport taken, on failure too
 * @param options   copied; NULL: the defaults
 * @param out       receives the connection on success, borrowed until on_closed
 *                  returns; may be NULL
 * @param err       the reason of a failure; may be NULL
 * @return 0;
 *         MCP_ERR_INVALID: a parameter is NULL, or the options have no size;
 *         MCP_ERR_CLOSED: the program has called mcp_server_drain;
 *         MCP_ERR_NOMEM; or what `start` of the transport returned
 */
MCP_API int mcp_server_connect(mcp_server *server, mcp_loop *loop,
                               mcp_transport *transport,
                               const mcp_connection_options *options,
                               mcp_connection **out, mcp_error *err);

/**
 * Closes a connection. The server refuses new requests and ends listen streams.
 * Calls in flight may answer for `drain_ms` milliseconds. Then they are
 * cancelled, and the transport is closed.
 *
 * The program may call this while the server sends, for example in a trace.
 * Then the functions of mcp_call_on_cancel run after the send.
 *
 * @param drain_ms 0: the calls are cancelled at once
 */
MCP_API void mcp_connection_close(mcp_connection *connection,
                                  uint32_t drain_ms);

/** Closes all connections, as mcp_connection_close does. From now on the server
 * refuses new connections: mcp_server_connect returns MCP_ERR_CLOSED.
 * Connections on other loops are closed later, on the threads of those loops.
 * The handlers of tasks go on; mcp_server_free and mcp_main cancel them. */
MCP_API void mcp_server_drain(mcp_server *server, uint32_t drain_ms);

/** Returns the number of open connections, on all loops. */
MCP_API size_t mcp_server_connection_count(const mcp_server *server);

/* ---- sessions ---------------------------------------------------------- */

/** Stores a pointer of the program in a session. */
MCP_API void mcp_session_set_userdata(mcp_session *session, void *userdata);
/** Returns the pointer that the program has stored; NULL if it stored none. */
MCP_API void *mcp_session_userdata(const mcp_session *session);
/** Returns the id of a session:
 * - over Streamable HTTP the Mcp-Session-Id;
 * - over HTTP+SSE the id in the endpoint's URL;
 * - otherwise what mcp_transport.session_id returns, or NULL.
 *
 * A client that knows the id of an HTTP session can use that session, so keep
 * the id out of logs. Borrowed until the session ends. */
MCP_API const char *mcp_session_id(const mcp_session *session);
/** Returns the revision of the session, such as "2025-11-25". Static. */
MCP_API const char *mcp_session_revision(const mcp_session *session);
/** Returns the Implementation object that the client sent in `initialize`, or
 * NULL. Borrowed until the session ends. */
MCP_API const mcp_json *mcp_session_client_info(const mcp_session *session);
/** Returns the capabilities that the client sent in `initialize`: an object, or
 * NULL. Borrowed until the session ends. */
MCP_API const mcp_json *
mcp_session_client_capabilities(const mcp_session *session);

/* ---- tools (MCP, Tools) -------------------------------------------------- */

/** Hints about a tool. The bits come in pairs (X, NOT_X). If neither bit of a
 * pair is set, the server sends no hint. If both are set, mcp_server_add_tool
 * returns MCP_ERR_INVALID. */
enum {
  MCP_TOOL_READ_ONLY = 1 << 0,
  MCP_TOOL_NOT_READ_ONLY = 1 << 1,
  MCP_TOOL_DESTRUCTIVE = 1 << 2,
  MCP_TOOL_NOT_DESTRUCTIVE = 1 << 3,
  MCP_TOOL_IDEMPOTENT = 1 << 4,
  MCP_TOOL_NOT_IDEMPOTENT = 1 << 5,
  MCP_TOOL_OPEN_WORLD = 1 << 6,
  MCP_TOOL_NOT_OPEN_WORLD = 1 << 7
};

/** Whether calls of a tool become tasks (mcp/tasks.h). */
enum {
  /** No, unless the handler calls mcp_call_make_task. */
  MCP_TASK_FORBIDDEN = 0,
  /** If the client can use tasks, and asks for one (2025-11-25). Other clients
   * wait for the reply. */
  MCP_TASK_OPTIONAL = 1,
  /** Always. Clients that cannot use tasks, or do not ask for one (2025-11-25),
   * get an error. */
  MCP_TASK_REQUIRED = 2
};

/** A tool. A pointer may be NULL (not stated), unless its comment says
 * otherwise. */
typedef struct mcp_tool {
  /** sizeof(mcp_tool); MCP_TOOL_INIT sets it. */
  size_t size;
  /** 1 to 128 characters of A-Z a-z 0-9 _ . - ; required. */
  const char *name;
  /** The name that clients show to users (since 2025-06-18); NULL: not stated.
   * */
  const char *title;
  /** Explains to the model what the tool does and when to call it; NULL: not
   * stated. */
  const char *description;
  /** An array of icons (since 2025-11-25); NULL: none. */
  const mcp_icon *icons;
  size_t icon_count;
  /** The schema of the arguments. Its root must have "type": "object". NULL:
   * the tool takes no arguments, and the server refuses a call that has any. */
  const mcp_schema *input;
  /** The schema of the structured result; NULL: none is declared. */
  const mcp_schema *output;
  /** MCP_TOOL_*, combined with |. */
  uint32_t hints;
  /** 1: the handler blocks, so it runs on a thread of the loop's pool. It may
   * use every mcp_call_* function there. If no thread is free, the call waits.
   * If mcp_loop_options.pool_queue calls wait already, the client gets
   * -32603. */
  int32_t is_blocking;
  /** A JSON object for `_meta`, as text. */
  const char *meta;
  /** Called for each valid call; required. */
  mcp_call_cb handler;
  /** Handed to the handler. */
  void *userdata;
  /** Called once with `userdata`, when the server no longer uses it: the
   * program has removed the tool or freed the server, and the last call of the
   * tool has ended. A deferred call ends with its reply or with mcp_call_drop.
   * A call on the pool ends on the loop's thread, after its handler has
   * returned. Listeners and endpoints of the server also keep the tool: after
   * mcp_server_free, the tool exists until the program has freed them too.
   *
   * The server does not call `release`:
   * - if mcp_server_add_tool fails: the program still owns `userdata`;
   * - if mcp_http_listener_free returned while a handler still used a call of
   *   the tool (mcp_http_listener_free waits at most one second for handlers).
   *
   * Called on the thread of a loop of the server, or inside the function that
   * removes the tool or frees the server, a listener, an endpoint or the loop.
   * Never called on a thread of the pool. The function must not use the server,
   * its sessions or its calls. NULL: nothing to do. Since 0.2. */
  void (*release)(void *userdata);
  /** The scopes that a token needs for this tool, with one space between them;
   * NULL: none. Over HTTP with mcp_http_options.protect, the server refuses a
   * call whose token lacks one of them with status 403, before it looks at the
   * arguments. Where no token is demanded, such as over standard input and
   * output, the scopes have no effect. */
  const char *scopes;
  /** MCP_TASK_*. Other values than MCP_TASK_FORBIDDEN need
   * mcp_server_enable_tasks, which the program calls first. */
  int32_t task;
  uint32_t reserved;
} mcp_tool;

#define MCP_TOOL_INIT MCP_INIT_(mcp_tool)

/**
 * Adds a tool.
 *
 * The function compiles both schemas with the default limits of
 * mcp_validator_new. `tools/list` sends them as they were given. The server
 * does not check `format`, which only describes a value.
 *
 * If the arguments of a call do not satisfy `input`, the server does not call
 * the handler. On every revision the client gets a result with `isError` and a
 * text that says what is wrong, so that a model can correct the call.
 *
 * If the structured result is missing or does not satisfy `output`, the client
 * gets the error MCP_RPC_INTERNAL_ERROR, and the server reports the reason to
 * on_report. The server does not check a result with `isError`.
 *
 * @param err may be NULL. Its message names the member and its value, or for a
 *            schema the JSON pointer to the fault ("tool "add": input:
 *            /properties/a/type: expected the name of a JSON type, got the
 *            string "strnig"")
 * @return 0, or one of these:
 *         - MCP_ERR_INVALID: a member is not valid;
 *         - MCP_ERR_EXISTS: a tool of this name exists;
 *         - MCP_ERR_SCHEMA: a schema is not valid;
 *         - MCP_ERR_PARSE: a schema or `meta` is not JSON;
 *         - MCP_ERR_LIMIT: a schema is too large or too deep;
 *         - MCP_ERR_PLATFORM: a schema has a `pattern`, and there is no engine
 *           for regular expressions;
 *         - MCP_ERR_NOMEM
 */
MCP_API int mcp_server_add_tool(mcp_server *server, const mcp_tool *tool,
                                mcp_error *err);
/** Removes a tool. Calls in flight go on.
 * @return 0; MCP_ERR_NOT_FOUND: there is no tool of this name; MCP_ERR_INVALID:
 *         a parameter is NULL */
MCP_API int mcp_server_remove_tool(mcp_server *server, const char *name);

/* ---- resources (MCP, Resources) ------------------------------------------ */

/** A resource. A pointer may be NULL (not stated), unless its comment says
 * otherwise. */
typedef struct mcp_resource {
  /** sizeof(mcp_resource); MCP_RESOURCE_INIT sets it. */
  size_t size;
  /** Required. */
  const char *uri;
  /** Required. */
  const char *name;
  /** The name that clients show to users (since 2025-06-18); NULL: not stated.
   * */
  const char *title;
  /** Explains it to the model and to users; NULL: not stated. */
  const char *description;
  /** The MIME type of the content; NULL: not stated. */
  const char *mime_type;
  /** An array of icons (since 2025-11-25); NULL: none. */
  const mcp_icon *icons;
  size_t icon_count;
  /** The size of the content in bytes, before base64; 0: not stated. */
  uint64_t resource_size;
  /** Hints for clients; NULL: none. */
  const mcp_annotations *annotations;
  /** A JSON object for `_meta`, as text. */
  const char *meta;
  /** 2026-07-28: how long clients may cache the content, in milliseconds; 0:
   * mcp_server_options.cache_ttl_ms. */
  uint64_t cache_ttl_ms;

  /* The program sets exactly one of `text`, `data` and `handler`. */

  /** A fixed text, UTF-8; copied. */
  const char *text;
  /** Fixed bytes; copied. */
  const void *data;
  /** The number of bytes at `data`. */
  size_t data_len;
  /** Called when a client reads the resource. It adds contents to the call, and
   * replies. */
  mcp_call_cb handler;
  /** Handed to the handler. */
  void *userdata;
  /** As in mcp_tool. */
  int32_t is_blocking;
  uint32_t reserved;
  /** As in mcp_tool, also for a fixed content. Since 0.2. */
  void (*release)(void *userdata);
  /** As in mcp_tool, to read the resource and to subscribe to it. The server
   * checks them again before it sends that the resource was updated: a client
   * may have subscribed before the program added the resource. For the client
   * of a session, the token of its last `resources/subscribe` counts. */
  const char *scopes;
  /** A JSON object, as text, for `_meta` of each content that `resources/read`
   * returns; `meta` is for the entry in the list. Clients of revisions before
   * 2025-06-18 do not get it. Since 0.2. */
  const char *content_meta;
} mcp_resource;

#define MCP_RESOURCE_INIT MCP_INIT_(mcp_resource)

/** Adds a resource. Parameters and errors are those of mcp_server_add_tool,
 * without the errors of schemas. */
MCP_API int mcp_server_add_resource(mcp_server *server,
                                    const mcp_resource *resource,
                                    mcp_error *err);
/** Removes a resource, as mcp_server_remove_tool. */
MCP_API int mcp_server_remove_resource(mcp_server *server, const char *uri);

/** Notifies the clients that subscribed to this URI that the resource has
 * changed. The URI need not be that of a registered resource or template. If it
 * is, and the resource needs scopes, clients with tokens are only notified if
 * their newest token has these scopes and has not expired. Callable from any
 * thread.
 * @return 0;
 *         MCP_ERR_INVALID: a parameter is NULL, or the URI is empty or not
 *         UTF-8;
 *         MCP_ERR_NOMEM or MCP_ERR_CLOSED: some clients on some loop are not
 *         notified. Errors on the threads of other loops are reported
 *         (on_report) instead */
MCP_API int mcp_server_resource_updated(mcp_server *server, const char *uri);

/**
 * Called to complete an argument of a prompt or a variable of a template. It
 * adds suggestions with mcp_call_add_completion, the best one first, and
 * replies.
 */
typedef mcp_call_cb mcp_complete_cb;

/** A resource template: a pattern of URIs, and a handler that reads the
 * resources with such URIs. A pointer may be NULL (not stated), unless its
 * comment says otherwise. */
typedef struct mcp_resource_template {
  /** sizeof(mcp_resource_template); MCP_RESOURCE_TEMPLATE_INIT sets it. */
  size_t size;
  /** RFC 6570, such as "file:///{+path}"; required. */
  const char *uri_template;
  /** Required. */
  const char *name;
  /** The name that clients show to users (since 2025-06-18); NULL: not stated.
   * */
  const char *title;
  /** Explains it to the model and to users; NULL: not stated. */
  const char *description;
  /** The MIME type of the content; NULL: not stated. */
  const char *mime_type;
  /** An array of icons (since 2025-11-25); NULL: none. */
  const mcp_icon *icons;
  size_t icon_count;
  /** Hints for clients; NULL: none. */
  const mcp_annotations *annotations;
  /** A JSON object for `_meta`, as text. */
  const char *meta;
  /** As in mcp_resource. */
  uint64_t cache_ttl_ms;
  /** Called when a client reads a URI that matches the template. The values of
   * the variables are the call's arguments (strings). The handler returns
   * MCP_ERR_NOT_FOUND if there is no resource with this URI. Required. */
  mcp_call_cb handler;
  /** NULL: no completion. */
  mcp_complete_cb complete;
  /** Handed to both functions. */
  void *userdata;
  /** As in mcp_tool. */
  int32_t is_blocking;
  uint32_t reserved;
  /** As in mcp_tool. Since 0.2. */
  void (*release)(void *userdata);
  /** As in mcp_tool, to read a URI that matches the template, to subscribe to
   * it, and to complete the variables. */
  const char *scopes;
  /** As in mcp_resource. Since 0.2. */
  const char *content_meta;
} mcp_resource_template;

#define MCP_RESOURCE_TEMPLATE_INIT MCP_INIT_(mcp_resource_template)

/** Adds a template, as mcp_server_add_resource. The server looks up a URI first
 * in the resources, then in the templates in the order in which they were
 * added.
 * @return as mcp_server_add_resource; also MCP_ERR_PARSE: `uri_template` is not
 *         a template, and MCP_ERR_LIMIT: it is too long */
MCP_API int mcp_server_add_resource_template(mcp_server *server,
                                             const mcp_resource_template *tpl,
                                             mcp_error *err);
/** Removes a template, as mcp_server_remove_tool. */
MCP_API int mcp_server_remove_resource_template(mcp_server *server,
                                                const char *uri_template);

/* ---- prompts (MCP, Prompts) ---------------------------------------------- */

/** An argument of a prompt. */
typedef struct mcp_prompt_argument {
  /** Required. */
  const char *name;
  /** The name that clients show to users (since 2025-06-18); NULL: not stated.
   * */
  const char *title;
  /** Explains what to fill in; NULL: not stated. */
  const char *description;
  /** 1: the client must send the argument. */
  int32_t required;
  uint32_t padding;
  /** Room for members of later versions; must be NULL. */
  const void *reserved[2];
} mcp_prompt_argument;

/** A prompt. A pointer may be NULL (not stated), unless its comment says
 * otherwise. */
typedef struct mcp_prompt {
  /** sizeof(mcp_prompt); MCP_PROMPT_INIT sets it. */
  size_t size;
  /** Required. */
  const char *name;
  /** The name that clients show to users (since 2025-06-18); NULL: not stated.
   * */
  const char *title;
  /** Explains it to the model and to users; NULL: not stated. */
  const char *description;
  /** An array of icons (since 2025-11-25); NULL: none. */
  const mcp_icon *icons;
  size_t icon_count;
  /** The arguments, in the order in which clients show them; NULL: none. */
  const mcp_prompt_argument *arguments;
  size_t argument_count;
  /** A JSON object for `_meta`, as text. */
  const char *meta;
  /** Called when the request is valid: all required arguments are present, and
   * all arguments are strings, also undeclared ones. Otherwise the server
   * answers with MCP_RPC_INVALID_PARAMS and names the missing arguments. The
   * handler adds messages and replies. Each piece of content becomes a message
   * (see mcp_call_set_role). Required. */
  mcp_call_cb handler;
  /** NULL: no completion. */
  mcp_complete_cb complete;
  /** Handed to both functions. */
  void *userdata;
  /** As in mcp_tool. */
  int32_t is_blocking;
  uint32_t reserved;
  /** As in mcp_tool. Since 0.2. */
  void (*release)(void *userdata);
  /** As in mcp_tool, to get the prompt and to complete its arguments. */
  const char *scopes;
} mcp_prompt;

#define MCP_PROMPT_INIT MCP_INIT_(mcp_prompt)

/** Adds a prompt, as mcp_server_add_resource. */
MCP_API int mcp_server_add_prompt(mcp_server *server, const mcp_prompt *prompt,
                                  mcp_error *err);
/** Removes a prompt, as mcp_server_remove_tool. */
MCP_API int mcp_server_remove_prompt(mcp_server *server, const char *name);

/* ---- logging (MCP, Logging) ---------------------------------------------- */

/** Declares the capability `logging`. Without this capability mcp_call_log and
 * mcp_server_log send nothing. Call this function before clients connect:
 * sessions that are already open get no log messages. Legacy clients over HTTP
 * without sessions never get any. Returns 0 or MCP_ERR_INVALID. */
MCP_API int mcp_server_enable_logging(mcp_server *server);

/** Sends a log message to each legacy session that wants messages of this
 * severity: the level that its client has set (MCP_LOG_INFO if it has set none)
 * is at most `level`. In 2026-07-28 only a call can log. Callable from any
 * thread.
 * @param level, logger, data as in mcp_call_log
 * @return 0, also if no session wants the message; MCP_ERR_INVALID,
 *         MCP_ERR_PARSE and MCP_ERR_LIMIT as in mcp_call_log: the library
 *         reports each of them to on_report, with the reason;
 *         MCP_ERR_NOMEM or MCP_ERR_CLOSED: sessions on another loop do not get
 *         the message */
MCP_API int mcp_server_log(mcp_server *server, int level, const char *logger,
                           const char *data);

/* ---- the end of a URL elicitation, 2025-11-25 --------------------------- */

/** Notifies the client of a session that the elicitation with this id is
 * complete: the user has finished the visit to the URL.
 * @return 0;
 *         MCP_ERR_INVALID: a parameter is NULL or not UTF-8;
 *         MCP_ERR_UNSUPPORTED: the session's revision has no such notification;
 *         MCP_ERR_GONE: the connection has ended; MCP_ERR_NOMEM */
MCP_API int mcp_session_elicitation_complete(mcp_session *session,
                                             const char *elicitation_id);

/* ---- beyond the protocol ----------------------------------------------- */

/** A method of the program's own, or of an extension. */
typedef struct mcp_method {
  /** sizeof(mcp_method); MCP_METHOD_INIT sets it. */
  size_t size;
  /** Such as "com.example/report"; not one of the protocol's. Required. */
  const char *name;
  /** The first revision that has the method; NULL: the oldest. */
  const char *first_revision;
  /** The last revision that has the method; NULL: the newest. */
  const char *last_revision;
  /** Names the extension that the client must have declared, such as
   * "com.example/reports"; NULL: no extension. */
  const char *extension;
  /** The schema of `params`; NULL: the server does not check them. With a
   * schema, the server refuses a request without `params`. The schema must
   * permit the member `_meta`, which each request of 2026-07-28 has. MCP_OBJECT
   * does not: write the schema with MCP_SCHEMA_TEXT. */
  const mcp_schema *params;
  /** Called for each request or notification. The handler replies to a request
   * with mcp_call_reply_json, and does not reply to a notification.
   * Required. */
  mcp_call_cb handler;
  /** Handed to the handler. */
  void *userdata;
  /** 1: clients send the method as a notification; 0: as a request. */
  int32_t is_notification;
  /** As in mcp_tool. */
  int32_t is_blocking;
  /** As in mcp_tool. A method cannot be removed, so `release` is called only
   * after the server was freed. Since 0.2. */
  void (*release)(void *userdata);
  /** 2026-07-28: the member of `params` that clients repeat in the HTTP header
   * Mcp-Name, such as "taskId", so that proxies can route the request. An HTTP
   * endpoint refuses a request with the error -32020 if the member is a string
   * and the header is missing or differs from it, or if there is a header, and
   * the member is missing or not a string. The server does not demand the
   * member: `params` can. Only for requests. NULL: there is no such member.
   * Since 0.2. */
  const char *name_member;
} mcp_method;

#define MCP_METHOD_INIT MCP_INIT_(mcp_method)

/** Adds a method. A method cannot be removed. Two methods may have one name in
 * different revisions (first_revision, last_revision): each is served in its
 * own. In a revision that both have, the second is MCP_ERR_EXISTS.
 * @return as mcp_server_add_tool; also MCP_ERR_INVALID: the protocol has a
 *         method of this name, a revision is unknown, or `name_member` is empty
 *         or that of a notification */
MCP_API int mcp_server_add_method(mcp_server *server, const mcp_method *method,
                                  mcp_error *err);

/**
 * Declares an extension, to clients of all revisions (MCP 2026-07-28,
 * Versioning: Extension Negotiation).
 *
 * @param id       a prefix and a name, such as "com.example/reports"; copied
 * @param settings a JSON object; NULL: {}; copied
 * @return 0;
 *         MCP_ERR_INVALID: the id lacks a prefix or a name, the settings are
 *         not an object, or a member occurs twice in an object of them;
 *         MCP_ERR_PARSE: the settings are not JSON;
 *         MCP_ERR_EXISTS: the extension is already declared; MCP_ERR_NOMEM
 */
MCP_API int mcp_server_add_extension(mcp_server *server, const char *id,
                                     const char *settings, mcp_error *err);

/** Declares an `experimental` capability, as mcp_server_add_extension. The id
 * needs no prefix. */
MCP_API int mcp_server_add_experimental(mcp_server *server, const char *id,
                                        const char *settings, mcp_error *err);

/** Adds a filter to `subscriptions/listen`: a boolean member that an extension
 * defines. Clients that set it to true get the notifications of
 * mcp_server_notify_listeners with this filter.
 * @param name the name of the member; copied
 * @return 0;
 *         MCP_ERR_INVALID: the name is empty or not UTF-8;
 *         MCP_ERR_EXISTS: there is a filter of this name, or the protocol has
 *         one;
 *         MCP_ERR_LIMIT: there are 32 filters already; MCP_ERR_NOMEM */
MCP_API int mcp_server_add_listen_filter(mcp_server *server, const char *name,
                                         mcp_error *err);

/**
 * Adds a filter to `subscriptions/listen` whose value is an array of strings,
 * such as the ids of an extension's objects. Clients get the notifications of
 * mcp_server_notify_listeners_of with the values that they named.
 *
 * The server acknowledges all values of a listen. It refuses a listen
 * - with -32602, if a value is not a string of 1 to 4096 bytes without NUL;
 * - with -32021, if the client has not declared `extension`, and the member is
 *   present and not null.
 *
 * Each value counts as a subscription (mcp_limits.max_subscriptions). A client
 * may name any value: whoever knows a value gets what is sent for it. So values
 * must be hard to guess, or the program gives a principal when it notifies.
 *
 * @param name      the name of the member, such as "taskIds"; copied
 * @param extension the id of the extension that the client must have declared;
 *                  copied; NULL: no extension
 * @return as mcp_server_add_listen_filter; also MCP_ERR_INVALID: `extension` is
 *         not an id, as in mcp_server_add_extension. Since 0.2.
 */
MCP_API int mcp_server_add_listen_values(mcp_server *server, const char *name,
                                         const char *extension, mcp_error *err);

/** Sends a notification to each listen stream that asked for `filter`. Callable
 * from any thread, as soon as the program has added its last filter.
 * @param params a JSON object, as text; NULL: no params
 * @return 0;
 *         MCP_ERR_INVALID: a parameter is NULL or not UTF-8, or `params` is not
 *         an object;
 *         MCP_ERR_NOT_FOUND: there is no such filter of
 *         mcp_server_add_listen_filter;
 *         MCP_ERR_PARSE: `params` is not JSON;
 *         MCP_ERR_NOMEM or MCP_ERR_CLOSED: clients on another loop do not get
 *         the notification */
MCP_API int mcp_server_notify_listeners(mcp_server *server, const char *filter,
                                        const char *method, const char *params);

/** Sends a notification to each listen stream that named this value of a filter
 * of mcp_server_add_listen_values. Callable from any thread, as
 * mcp_server_notify_listeners.
 * @param value     what the stream named, byte for byte
 * @param principal only streams of this principal get the notification
 *                  (mcp_call_principal of the `subscriptions/listen`); NULL or
 *                  "": the streams of all principals, and of clients without
 *                  one
 * @param params    a JSON object, as text; NULL: no params
 * @return as mcp_server_notify_listeners; also MCP_ERR_INVALID: `value` is NULL
 *         or empty; MCP_ERR_NOT_FOUND: there is no such filter of
 *         mcp_server_add_listen_values. Since 0.2. */
MCP_API int
mcp_server_notify_listeners_of(mcp_server *server, const char *filter,
                               const char *value, const char *principal,
                               const char *method, const char *params);

/** Sends a notification to one legacy session. Call it on the loop's thread.
 * @param params a JSON object, as text; NULL: no params
 * @return 0;
 *         MCP_ERR_INVALID: `session` or `method` is NULL or not valid, or
 *         `params` is not an object;
 *         MCP_ERR_PARSE: `params` is not JSON;
 *         MCP_ERR_GONE: the connection has ended; MCP_ERR_NOMEM */
MCP_API int mcp_session_notify(mcp_session *session, const char *method,
                               const char *params);

/** Sets a function that receives the roots of legacy clients. If a client has
 * the capability `roots`, the server asks for its roots when the session opens,
 * and each time the client reports that they have changed. `roots` is an array,
 * borrowed until return.
 * @param on_roots NULL: removes the function
 * @return 0 or MCP_ERR_INVALID */
MCP_API int mcp_server_on_roots(mcp_server *server,
                                void (*on_roots)(mcp_session *session,
                                                 const mcp_json *roots,
                                                 void *userdata),
                                void *userdata);

MCP_END_DECLS

#endif
