/* SPDX-License-Identifier: MIT */
/** @file
 * Servers: what they offer, and the connections they serve.
 *
 * A server holds tools, resources, prompts and policy. It belongs to no
 * connection and to no revision of the protocol: connect any number of
 * transports to it, and each peer is answered in the revision that it speaks.
 * Handlers are written once (mcp/call.h).
 *
 * Everything given to a registering function is copied. A registration that
 * fails says why in its mcp_error. The server also remembers it:
 * mcp_server_error returns the first one and how many there were, and mcp_main
 * then refuses to start. So a program that calls mcp_main need not check each
 * registration.
 *
 * Threads: a server is used on one thread, that of the loop it is connected on,
 * but for what says otherwise. Registrations may be added and removed at any
 * time there, also inside handlers; connected peers are told.
 */
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include <mcp/content.h>
#include <mcp/log.h>
#include <mcp/schema.h>
#include <mcp/transport.h>
#include <mcp/version.h>

MCP_BEGIN_DECLS

typedef struct mcp_server mcp_server;

/** A request that is being handled: see mcp/call.h. */
typedef struct mcp_call mcp_call;

/** A legacy client's session, from its `initialize` to its end. Modern
 * requests have none. */
typedef struct mcp_session mcp_session;

/**
 * Handles a call.
 *
 * @return 0: it has replied, or called mcp_call_defer;
 *         MCP_PENDING: only after an mcp_call_ask_* returned that;
 *         MCP_ERR_*: the error that the failing function recorded on the call
 *         is sent, else -32603 "internal error". After a reply it is only
 *         reported.
 */
typedef int (*mcp_call_cb)(mcp_call *call, void *userdata);

/* ---- making one -------------------------------------------------------- */

/** A finding of the server that belongs to no reply: a call that was dropped
 * without one, a handler's error after its reply, a misuse of the functions of
 * mcp/call.h that the client sees as -32603, a question whose handler did not
 * wait for the answer, a peer's broken line, a limit that refuses clients
 * (MCP_ERR_LIMIT; at most one report of each limit in ten seconds, which says
 * how many were left out), a connection that did not end in order
 * (MCP_ERR_CLOSED: the far side ended it, or session_max_ms of mcp/http.h). The
 * message says which peer it is about, where
 * that is known. max_reports limits how many come. */
typedef void (*mcp_report_cb)(mcp_server *server, const mcp_error *err,
                              void *userdata);

/** Limits of a server, whatever the transport. Zero means the default.
 *
 * Clients share some limits: the calls of a loop, the bytes that are kept for
 * clients, and the subscriptions. A client may have no more of a shared limit
 * than is left for the other clients: one client alone has half, the next one
 * half of the rest. In the same way a connection has a share of what its client
 * may have; a legacy session over HTTP counts as one connection. A client is a
 * principal; where none is known, the peer's address without its port (of IPv6
 * the first 64 bits); where that is not known either, one connection. Each
 * client may have 16 calls in any case, as long as there are that many left,
 * and a sixteenth of all calls is reserved for clients that have no more than
 * that. */
typedef struct mcp_limits {
  /** sizeof(mcp_limits); MCP_LIMITS_INIT sets it. */
  size_t size;
  /** The requests that are handled at once on one connection; default 1024. The
   * server answers further ones with -32603. A `subscriptions/listen` counts as
   * a subscription once it is acknowledged, and no longer as a request. */
  uint32_t max_calls;
  /** The calls at once on one loop, of all connections together; default
   * 10,000. A call counts until its handler has let go of it, also when the
   * client has gone. The server answers further ones with -32603. For the
   * clients of an HTTP endpoint, mcp_http_options.max_calls holds in place of
   * this limit. */
  uint32_t max_total_calls;
  /** The bytes that clients make the server keep on one loop: their requests in
   * flight, what sessions know of them, their answers to questions; parsed
   * values count too. Subscriptions have as many bytes for themselves. The
   * server answers a request past that with -32603. At least 8192, so that a
   * short request can be kept; default: 32 times max_message. */
  size_t max_kept_bytes;
  /** The subscriptions on one connection, of both eras together: each listen,
   * and each URI that a listen or the session names; default 1024. */
  uint32_t max_subscriptions;
  /** The messages in one batch (2025-03-26 and before); default 1024. The
   * server answers each bad one, so two bytes from a client cost a hundred. */
  uint32_t max_batch;
  /** The bytes of one message; default 10 MB. */
  size_t max_message;
  /** The depth of one message; at most 128, which is the default. */
  uint32_t max_depth;
  /** The messages in a row that cannot be read (not JSON, not JSON-RPC, or too
   * long) before the server closes a connection; default 100. HTTP requests do
   * not count: each is answered with 400. */
  uint32_t max_unreadable;
  /** The values in one message; default 1,000,000. */
  uint64_t max_values;
  /** The rounds of questions for one call; default 8. */
  uint32_t max_rounds;
  /** How long a client has to answer a question, in milliseconds; default
   * 600,000. Legacy: the time limit of the server's request. Modern: how long
   * the server accepts the sealed state. */
  uint32_t ask_timeout_ms;
  /** The reports (on_report) about one connection in a second; default 20. All
   * connections of a loop together have three times as many, and so have HTTP
   * requests, which have no connection of their own. The server counts the
   * reports past that, and reports the count when the second is over. */
  uint32_t max_reports;
  /** The silence of a legacy client before the server sends it a `ping`, in
   * milliseconds; default: the server sends no pings. Not over Streamable
   * HTTP. */
  uint32_t ping_interval_ms;
  /** How long a client has to answer a ping, in milliseconds; default 30,000.
   * The server closes the connection of a client that neither answers in time
   * nor sends anything else. It reports the reason, MCP_ERR_TIMEOUT, which
   * mcp_connection_options.on_closed gets too (specification: utilities,
   * ping). */
  uint32_t ping_timeout_ms;
  uint32_t reserved;
} mcp_limits;

#define MCP_LIMITS_INIT MCP_INIT_(mcp_limits)

/** What a server says of itself, and its policy. Zero and NULL mean the
 * default. */
typedef struct mcp_server_options {
  /** sizeof(mcp_server_options); MCP_SERVER_OPTIONS_INIT sets it. */
  size_t size;
  /** NULL: the default. */
  const mcp_allocator *allocator;
  /** NULL: the defaults. */
  const mcp_limits *limits;

  /** For people: the server's display name (since 2025-06-18), and what it is
   * (since 2025-11-25). */
  const char *title;
  const char *description;
  const char *website_url;
  const mcp_icon *icons;
  size_t icon_count;
  /** For the model: how to use this server. */
  const char *instructions;

  /** The eras that the server serves, MCP_ERA_*; default MCP_ERA_BOTH. */
  uint32_t eras;
  /** The entries in one page of a list; default: all. */
  uint32_t page_count;
  /** The bytes of entries in one page of a list; default 512 KB. A page has at
   * least one entry. */
  uint32_t page_bytes;
  /** 1: others may share what is cached ("public"); default "private". */
  int32_t cache_is_public;
  /** 2026-07-28: how long clients may cache lists and discovery, in
   * milliseconds; default 0. A resource can state its own. */
  uint64_t cache_ttl_ms;

  /** Keys of MCP_SEAL_KEY_SIZE bytes each: the first seals the state of
   * questions, all unseal it. For several processes that serve one endpoint.
   * Default: a random key of this process. */
  const uint8_t *state_keys;
  size_t state_key_count;

  /** Handed to the callbacks below. */
  void *userdata;
  mcp_report_cb on_report;
  /** A session has opened (its handshake is done) or is closing. */
  void (*on_session_opened)(mcp_server *server, mcp_session *session,
                            void *userdata);
  void (*on_session_closed)(mcp_server *server, mcp_session *session,
                            void *userdata);
  /** Sees every request before it is handled. Returns 0 to let it pass, or
   * replies with an error (mcp_call_reply_error) and returns MCP_ERR_REFUSED;
   * without a reply the client gets -32603 "refused". */
  int (*on_request)(mcp_call *call, void *userdata);
  /** Sees every reply, as JSON-RPC text, just before it is sent. At the end of
   * a listen the call has forgotten its request but for the method. */
  void (*on_reply)(mcp_call *call, const char *reply, size_t len,
                   void *userdata);
} mcp_server_options;

#define MCP_SERVER_OPTIONS_INIT MCP_INIT_(mcp_server_options)

/**
 * Makes a server.
 *
 * @param name    the program's name, such as "calculator"; copied
 * @param version its version, such as "1.0.0"; copied
 * @param options copied, with all that it points to; NULL: the defaults
 * @param err     says why there is no server; may be NULL
 * @return owned: free it with mcp_server_free; NULL with err: MCP_ERR_INVALID
 *         (the message names the parameter or member), MCP_ERR_NOMEM
 */
MCP_API mcp_server *mcp_server_new(const char *name, const char *version,
                                   const mcp_server_options *options,
                                   mcp_error *err);

/**
 * Ends a server: its connections are closed, and calls that are deferred get
 * MCP_ERR_GONE when they reply. Sessions and connections tell of their end
 * before this returns (inside a callback of the server's: before that does);
 * afterwards only a handler that is on the pool runs on. Legal in any callback
 * on the loop's thread, but not in a handler that is on the pool; those that
 * run before this returns may call it too, which then does nothing. NULL is
 * accepted.
 */
MCP_API void mcp_server_free(mcp_server *server);

/** Returns the first failure to register something, and if there were more, how
 * many; NULL: nothing failed. Borrowed until the server is freed. */
MCP_API const mcp_error *mcp_server_error(const mcp_server *server);

/** What mcp_server_options.userdata was. */
MCP_API void *mcp_server_userdata(const mcp_server *server);

/* ---- connections ------------------------------------------------------- */

/** One transport being served. Ends by itself when the transport closes. */
typedef struct mcp_connection mcp_connection;

typedef struct mcp_connection_options {
  /** sizeof(mcp_connection_options); MCP_CONNECTION_OPTIONS_INIT sets it. */
  size_t size;
  /** Who the peer is, where something outside MCP knows it (a Unix user, a TLS
   * certificate); calls see it as their principal. NULL: nobody known. */
  const char *principal;
  /** Where the peer is, such as "127.0.0.1:4711"; NULL: not stated. */
  const char *peer;
  /** The connection has ended, and is freed after this returns. */
  void (*on_closed)(mcp_connection *connection, const mcp_error *err,
                    void *userdata);
  void *userdata;
  /** When the far side will send no more: how long calls in flight may still
   * answer, in milliseconds, before they are cancelled and the connection is
   * closed; default 1000. */
  uint32_t drain_ms;
  uint32_t reserved;
} mcp_connection_options;

#define MCP_CONNECTION_OPTIONS_INIT MCP_INIT_(mcp_connection_options)

/**
 * Serves one ordered transport: standard input and output, a stream, memory, a
 * program's own.
 *
 * @param transport taken, on failure too
 * @param options   NULL: the defaults
 * @param out       borrowed until on_closed; may be NULL
 * @return 0, what `start` returned, or MCP_ERR_NOMEM
 */
MCP_API int mcp_server_connect(mcp_server *server, mcp_loop *loop,
                               mcp_transport *transport,
                               const mcp_connection_options *options,
                               mcp_connection **out, mcp_error *err);

/**
 * Ends a connection in good order: no new request is taken, calls in flight
 * may answer for up to `drain_ms`, then they are cancelled and the transport is
 * closed; listens are ended. 0: at once.
 */
MCP_API void mcp_connection_close(mcp_connection *connection,
                                  uint32_t drain_ms);

/** The same for every connection; connecting more is refused from now on.
 * Connections on loops of other threads are told by a letter to their loop. */
MCP_API void mcp_server_drain(mcp_server *server, uint32_t drain_ms);

/** How many connections are open. */
MCP_API size_t mcp_server_connection_count(const mcp_server *server);

/* ---- sessions ---------------------------------------------------------- */

/** A pointer of the program's for each session. */
MCP_API void mcp_session_set_userdata(mcp_session *session, void *userdata);
MCP_API void *mcp_session_userdata(const mcp_session *session);
/** Returns the session's id on its channel: over HTTP the Mcp-Session-Id, or
 * the id in the endpoint of HTTP+SSE; otherwise mcp_transport.session_id of the
 * transport, or NULL. A client that knows the id of an HTTP session can use
 * that session, so keep the id out of logs. Borrowed until the session ends. */
MCP_API const char *mcp_session_id(const mcp_session *session);
/** The revision it negotiated. Static. */
MCP_API const char *mcp_session_revision(const mcp_session *session);
/** What the client said of itself in `initialize`: an Implementation object
 * and its capabilities. Borrowed until the session ends. */
MCP_API const mcp_json *mcp_session_client_info(const mcp_session *session);
MCP_API const mcp_json *
mcp_session_client_capabilities(const mcp_session *session);

/* ---- tools (specification: server features, tools) ----------------------- */

/** Hints about a tool; not stated unless set. */
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

typedef struct mcp_tool {
  /** sizeof(mcp_tool); MCP_TOOL_INIT sets it. */
  size_t size;
  /** 1 to 128 characters of A-Z a-z 0-9 _ . - ; required. */
  const char *name;
  const char *title;
  const char *description;
  const mcp_icon *icons;
  size_t icon_count;
  /** What the arguments must be; NULL: there are none. */
  const mcp_schema *input;
  /** What the structured result will be; NULL: not stated. */
  const mcp_schema *output;
  /** MCP_TOOL_* hints. */
  uint32_t hints;
  /** 1: the handler blocks, so it runs on a thread of the loop's pool. It may
   * use every mcp_call_* function there. */
  int32_t is_blocking;
  /** A JSON object for `_meta`. */
  const char *meta;
  /** Required. */
  mcp_call_cb handler;
  void *userdata;
} mcp_tool;

#define MCP_TOOL_INIT MCP_INIT_(mcp_tool)

/**
 * Adds a tool.
 *
 * Both schemas are compiled at once, as mcp_validator_new does, with its
 * default limits; `input` has `"type":"object"` at its root. Lists show them
 * word for word. Arguments that `input` refuses do not reach the handler: the
 * call is answered with a result with `isError` whose text says what is wrong,
 * on every revision, so that a model can mend it. A structured result that
 * `output` refuses, or that is missing though there is an `output`, does not
 * leave: the call is answered with MCP_RPC_INTERNAL_ERROR, and on_report tells
 * of it.
 *
 * @return 0; MCP_ERR_INVALID; MCP_ERR_EXISTS; MCP_ERR_SCHEMA, MCP_ERR_PARSE,
 *         MCP_ERR_LIMIT or MCP_ERR_PLATFORM (a schema); MCP_ERR_NOMEM.
 *         err, which may be NULL, says more: the member and its value, or of a
 *         schema the JSON pointer to the fault ("tool "add": input:
 *         /properties/a/type: expected the name of a JSON type, got the string
 *         "strnig"").
 */
MCP_API int mcp_server_add_tool(mcp_server *server, const mcp_tool *tool,
                                mcp_error *err);
/** @return 0 or MCP_ERR_NOT_FOUND. Calls in flight go on. */
MCP_API int mcp_server_remove_tool(mcp_server *server, const char *name);

/* ---- resources (specification: server features, resources) --------------- */

typedef struct mcp_resource {
  /** sizeof(mcp_resource); MCP_RESOURCE_INIT sets it. */
  size_t size;
  /** Required. */
  const char *uri;
  /** Required. */
  const char *name;
  const char *title;
  const char *description;
  const char *mime_type;
  const mcp_icon *icons;
  size_t icon_count;
  /** Raw bytes; 0: not stated. */
  uint64_t resource_size;
  const mcp_annotations *annotations;
  /** A JSON object for `_meta`. */
  const char *meta;
  /** 2026-07-28: how long a reading may be cached, in milliseconds. */
  uint64_t cache_ttl_ms;

  /** The content: fixed text, ... */
  const char *text;
  /** ... or fixed bytes, ... */
  const void *data;
  size_t data_len;
  /** ... or a handler that adds contents to the call and replies. */
  mcp_call_cb handler;
  void *userdata;
  /** As in mcp_tool. */
  int32_t is_blocking;
  uint32_t reserved;
} mcp_resource;

#define MCP_RESOURCE_INIT MCP_INIT_(mcp_resource)

/** As mcp_server_add_tool. */
MCP_API int mcp_server_add_resource(mcp_server *server,
                                    const mcp_resource *resource,
                                    mcp_error *err);
MCP_API int mcp_server_remove_resource(mcp_server *server, const char *uri);

/** Tells who subscribed to it that a resource has changed. The URI need not be
 * a registered one (templates). Callable from any thread. */
MCP_API int mcp_server_resource_updated(mcp_server *server, const char *uri);

/**
 * Completes an argument of a prompt or a variable of a template: adds what it
 * knows to the call (mcp_call_add_completion), best first, and replies.
 */
typedef mcp_call_cb mcp_complete_cb;

typedef struct mcp_resource_template {
  /** sizeof(mcp_resource_template); MCP_RESOURCE_TEMPLATE_INIT sets it. */
  size_t size;
  /** RFC 6570, such as "file:///{+path}"; required. */
  const char *uri_template;
  /** Required. */
  const char *name;
  const char *title;
  const char *description;
  const char *mime_type;
  const mcp_icon *icons;
  size_t icon_count;
  const mcp_annotations *annotations;
  const char *meta;
  uint64_t cache_ttl_ms;
  /** Reads a URI that matches; the variables are the call's arguments.
   * MCP_ERR_NOT_FOUND answers that there is no such resource. Required. */
  mcp_call_cb handler;
  /** NULL: no completion. */
  mcp_complete_cb complete;
  void *userdata;
  int32_t is_blocking;
  uint32_t reserved;
} mcp_resource_template;

#define MCP_RESOURCE_TEMPLATE_INIT MCP_INIT_(mcp_resource_template)

/** As mcp_server_add_tool. A URI is looked up among the resources first, then
 * in the templates in the order of their adding. */
MCP_API int mcp_server_add_resource_template(mcp_server *server,
                                             const mcp_resource_template *tpl,
                                             mcp_error *err);
MCP_API int mcp_server_remove_resource_template(mcp_server *server,
                                                const char *uri_template);

/* ---- prompts (specification: server features, prompts) ------------------- */

typedef struct mcp_prompt_argument {
  /** Required. */
  const char *name;
  const char *title;
  const char *description;
  /** 1: must be given. */
  int32_t required;
  uint32_t padding;
  /** Room for members of later versions; must be NULL. */
  const void *reserved[2];
} mcp_prompt_argument;

typedef struct mcp_prompt {
  /** sizeof(mcp_prompt); MCP_PROMPT_INIT sets it. */
  size_t size;
  /** Required. */
  const char *name;
  const char *title;
  const char *description;
  const mcp_icon *icons;
  size_t icon_count;
  const mcp_prompt_argument *arguments;
  size_t argument_count;
  const char *meta;
  /** Adds the messages (each piece of content is one: see mcp_call_set_role)
   * and replies. Required arguments are there, and all are strings, those that
   * are not stated too: else the request is refused with
   * MCP_RPC_INVALID_PARAMS, naming what is missing. Required. */
  mcp_call_cb handler;
  /** NULL: no completion. */
  mcp_complete_cb complete;
  void *userdata;
  int32_t is_blocking;
  uint32_t reserved;
} mcp_prompt;

#define MCP_PROMPT_INIT MCP_INIT_(mcp_prompt)

MCP_API int mcp_server_add_prompt(mcp_server *server, const mcp_prompt *prompt,
                                  mcp_error *err);
MCP_API int mcp_server_remove_prompt(mcp_server *server, const char *name);

/* ---- logging (specification: utilities, logging) ------------------------- */

/** Declares the `logging` capability, without which mcp_call_log and
 * mcp_server_log send nothing. Sessions that were initialized before are not
 * logged to, and neither are legacy clients over HTTP without sessions. */
MCP_API int mcp_server_enable_logging(mcp_server *server);

/** Logs to every legacy session whose level admits it; in 2026-07-28 only a
 * call can log. Parameters as in mcp_call_log. Callable from any thread. */
MCP_API int mcp_server_log(mcp_server *server, int level, const char *logger,
                           const char *data);

/* ---- URL elicitation's end, 2025-11-25 ----------------------------------- */

/** Tells the session's client that what it was sent to a URL for is done. */
MCP_API int mcp_session_elicitation_complete(mcp_session *session,
                                             const char *elicitation_id);

/* ---- beyond the protocol ----------------------------------------------- */

/** A method of the program's own, or of an extension. */
typedef struct mcp_method {
  /** sizeof(mcp_method); MCP_METHOD_INIT sets it. */
  size_t size;
  /** Such as "com.example/report"; not one of the protocol's. Required. */
  const char *name;
  /** The first and last revision that have it; NULL: no bound. */
  const char *first_revision;
  const char *last_revision;
  /** Names the extension that the client must have declared, such as
   * "com.example/reports"; NULL: no extension. */
  const char *extension;
  /** What params must be; NULL: not checked. */
  const mcp_schema *params;
  /** Replies with mcp_call_reply_json. Required; for a notification there is
   * nothing to reply. */
  mcp_call_cb handler;
  void *userdata;
  /** 1: a notification from the client rather than a request. */
  int32_t is_notification;
  int32_t is_blocking;
} mcp_method;

#define MCP_METHOD_INIT MCP_INIT_(mcp_method)

MCP_API int mcp_server_add_method(mcp_server *server, const mcp_method *method,
                                  mcp_error *err);

/**
 * Declares an extension, to clients of all revisions (specification:
 * extensions).
 *
 * @param id       a prefix and a name, such as "com.example/reports"; copied
 * @param settings a JSON object; NULL: {}; copied
 * @return 0; MCP_ERR_INVALID when the id lacks a prefix or a name, or the
 *         settings are not an object; MCP_ERR_PARSE; MCP_ERR_EXISTS;
 *         MCP_ERR_NOMEM
 */
MCP_API int mcp_server_add_extension(mcp_server *server, const char *id,
                                     const char *settings, mcp_error *err);

/** Declares an `experimental` capability. As mcp_server_add_extension, but the
 * id needs no prefix. */
MCP_API int mcp_server_add_experimental(mcp_server *server, const char *id,
                                        const char *settings, mcp_error *err);

/** Lets `subscriptions/listen` filter on a boolean member of an extension's:
 * streams that asked for it get mcp_server_notify_listeners. */
MCP_API int mcp_server_add_listen_filter(mcp_server *server, const char *name,
                                         mcp_error *err);

/** Sends a notification on every listen stream that asked for `filter`.
 * @param params a JSON object; NULL: none */
MCP_API int mcp_server_notify_listeners(mcp_server *server, const char *filter,
                                        const char *method, const char *params);

/** Sends a notification to one legacy session. */
MCP_API int mcp_session_notify(mcp_session *session, const char *method,
                               const char *params);

/** Asks every legacy client that has roots for its list when it changes, and
 * hands it over; NULL stops. `roots` is an array, borrowed until return. */
MCP_API int mcp_server_on_roots(mcp_server *server,
                                void (*on_roots)(mcp_session *session,
                                                 const mcp_json *roots,
                                                 void *userdata),
                                void *userdata);

MCP_END_DECLS

#endif
