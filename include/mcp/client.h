/* SPDX-License-Identifier: MIT */
/** @file
 * Clients: connect to a server, call what it offers, answer what it asks.
 *
 * A client speaks to one server over one transport. Every request is started
 * with a function here and ends in its completion, which runs exactly once, on
 * the loop's thread, never inside the function that started it: with a result,
 * or with why there is none. mcp/sync.h has the same for programs that want to
 * block.
 *
 * The program sees one protocol: which era and revision the server speaks is
 * found out while connecting, and questions from the server (sampling,
 * elicitation, roots) reach the same handlers in both.
 *
 * Threads: one, the loop's.
 */
#ifndef MCP_CLIENT_H
#define MCP_CLIENT_H

#include <mcp/content.h>
#include <mcp/log.h>
#include <mcp/transport.h>
#include <mcp/version.h>

MCP_BEGIN_DECLS

typedef struct mcp_client mcp_client;

/* ---- results ----------------------------------------------------------- */

/** What a server answered: a counted object that owns its JSON. */
typedef struct mcp_result mcp_result;

/** The result object as it came. Of a list, the last page's; see
 * mcp_result_count, and mcp_client_list_tools. Borrowed until the last
 * reference goes. */
MCP_API const mcp_json *mcp_result_json(const mcp_result *result);

/** Entries of a list over all its pages; of a tool's result, pieces of content;
 * of a prompt, messages; of a resource, contents. */
MCP_API size_t mcp_result_count(const mcp_result *result);
/** One of them, or NULL. */
MCP_API const mcp_json *mcp_result_item(const mcp_result *result, size_t index);

/** Gives the text of the first piece of content or contents that has one, as a
 * C string. Borrowed until the last reference goes.
 * @return NULL when no piece has a text, or when that text contains NUL, as
 *         mcp_json_string says */
MCP_API const char *mcp_result_text(const mcp_result *result);
/** Gives the same text with its length in bytes, also when it contains NUL.
 * @param len may be NULL; set to 0 when no piece has a text
 * @return NULL when no piece has a text */
MCP_API const char *mcp_result_text_n(const mcp_result *result, size_t *len);
/** A tool's structured result, or NULL. */
MCP_API const mcp_json *mcp_result_structured(const mcp_result *result);
/** 1 when the tool reported an error (`isError`). */
MCP_API int mcp_result_is_failure(const mcp_result *result);
/** 1 when a tool's structured result was checked with the tool's `outputSchema`
 * and satisfies it. 0 when it was not: the tool failed; or the client knows of
 * no schema that it could check with (see mcp_client_call_tool). */
MCP_API int mcp_result_is_checked(const mcp_result *result);

MCP_API mcp_result *mcp_result_ref(mcp_result *result);
/** NULL is accepted. */
MCP_API void mcp_result_unref(mcp_result *result);

/** How a request ended. */
typedef struct mcp_outcome {
  /** sizeof(mcp_outcome) as the library knows it. */
  size_t size;
  /** 0: `result` is there. MCP_ERR_REMOTE: the server answered with an error;
   * its code is in error->status, its data in `error_data`. Else
   * MCP_ERR_CLOSED, _TIMEOUT, _CANCELLED, _PROTOCOL (an answer that is none),
   * _UNSUPPORTED (the server or its revision has no such thing), _LIMIT,
   * _UNANSWERED (a question of the server's was not answered), _SCHEMA (a
   * tool's structured result is not what its `outputSchema` says). */
  int32_t status;
  /** With MCP_ERR_CLOSED and _TIMEOUT: 1 when the request had been handed to
   * the wire, so that the server may have done it. */
  int32_t was_sent;
  /** Borrowed until the completion returns; keep it with mcp_result_ref. */
  mcp_result *result;
  /** Never NULL; code 0 on success. Borrowed likewise. */
  const mcp_error *error;
  /** `data` of the server's error; with MCP_ERR_SCHEMA, and with MCP_ERR_LIMIT
   * of a result that costs too much to check, what is wrong, as
   * mcp_validator_check writes it; else, and where the structured result is
   * missing, NULL. Borrowed likewise. */
  const mcp_json *error_data;
} mcp_outcome;

typedef void (*mcp_done_cb)(mcp_client *client, const mcp_outcome *outcome,
                            void *userdata);

/* ---- making one -------------------------------------------------------- */

/** A question from the server, to be answered now or later. */
typedef struct mcp_question mcp_question;

/** How to tell servers' eras apart. */
enum {
  /** Probe, and fall back. */
  MCP_POLICY_AUTO = 0,
  /** `initialize` at once. */
  MCP_POLICY_LEGACY,
  /** 2026-07-28 or nothing. */
  MCP_POLICY_MODERN
};

/** Policy and handlers. Zero and NULL mean the default. */
typedef struct mcp_client_options {
  /** sizeof(mcp_client_options); MCP_CLIENT_OPTIONS_INIT sets it. */
  size_t size;
  /** For people: as in mcp_server_options. */
  const char *title;
  const char *description;
  const char *website_url;
  const mcp_icon *icons;
  size_t icon_count;

  /** MCP_POLICY_*. */
  uint32_t policy;
  /** With MCP_POLICY_AUTO on an ordered transport: how long to wait for an
   * answer to the probe before taking the server for a legacy one, in
   * milliseconds; default 5000. */
  uint32_t probe_timeout_ms;
  /** Exactly this revision (one of MCP_REVISION_*); NULL: any. */
  const char *revision;
  /** What mcp_client_verdict told of this server last time: skips the probe
   * while it holds. */
  const char *verdict;

  /** Time limits in milliseconds: for connecting (from opening the transport to
   * the end of the handshake; default 30,000), for a request (default 60,000;
   * UINT32_MAX: none), and for a request that progress keeps alive (default
   * 600,000). While the program has a question of the server's to answer,
   * requests' clocks stand still. */
  uint32_t connect_timeout_ms;
  uint32_t request_timeout_ms;
  uint32_t max_request_ms;
  /** Legacy: sends a `ping` after so long a silence, and closes when it stays
   * unanswered for the request's limit; default: never. */
  uint32_t ping_interval_ms;
  /** Rounds of questions for one request; default 10. */
  uint32_t max_rounds;
  /** Pages of one list; default 1000. Past it the list fails with
   * MCP_ERR_LIMIT. */
  uint32_t max_pages;
  /** Requests in flight; default 65,536. */
  uint32_t max_pending;
  /** As in mcp_server_options. */
  uint32_t max_depth;
  uint32_t max_batch;
  uint64_t max_values;
  size_t max_message;
  /** Bytes of memory that the pages of one list may take together; default
   * 64 MB. Past it the list fails with MCP_ERR_LIMIT. */
  size_t max_list;

  /** Extensions to declare: ids with a prefix, such as "com.example/reports",
   * each followed by its settings as JSON; NULL at the end. */
  const char *const *extensions;
  /** 2026-07-28: values of `resultType` beside the protocol's own that answers
   * may have, which belong to extensions; such a result completes its request
   * as it came. NULL at the end; NULL: none, and such an answer is
   * MCP_ERR_PROTOCOL.
   */
  const char *const *result_types;
  /** 2026-07-28: the least severity that requests ask for, MCP_LOG_*; 0: no
   * log messages. */
  int32_t log_level;
  /** 1: a form's defaults fill what an accepted answer leaves out. */
  int32_t apply_defaults;

  /** Handed to the handlers below. */
  void *userdata;

  /** The user is to fill a form or visit a URL. Answer with
   * mcp_question_accept, _decline or _cancel. NULL: the capability is not
   * declared. */
  void (*on_elicit)(mcp_question *question, void *userdata);
  /** Eliciting by URL can be done too. Only http:// and https:// URLs reach the
   * program. The client refuses a question with another URL, such as file: or
   * javascript:. It withholds the data of an error
   * MCP_RPC_URL_ELICITATION_REQUIRED with such a URL, and on_error reports
   * it. */
  int32_t can_elicit_url;
  /** Sampling with tools, and `includeContext`, can be done too. */
  int32_t can_sample_tools;
  int32_t can_sample_context;
  /** With can_elicit_url: 1: URLs of any scheme reach the program, which must
   * not open one without a look at it. */
  int32_t any_elicit_url;
  /** The model is to be asked. Answer with mcp_question_answer or _fail. */
  void (*on_sample)(mcp_question *question, void *userdata);
  /** The roots are wanted. Answer with mcp_question_answer. NULL: those of
   * mcp_client_set_roots, when it was called. */
  void (*on_roots)(mcp_question *question, void *userdata);

  /** A log message: `data` is any JSON value. */
  void (*on_log)(mcp_client *client, int level, const char *logger,
                 const mcp_json *data, void *userdata);
  /** A list has changed: "tools", "prompts" or "resources". */
  void (*on_list_changed)(mcp_client *client, const char *list, void *userdata);
  /** A resource that was subscribed to has changed. */
  void (*on_resource_updated)(mcp_client *client, const char *uri,
                              void *userdata);
  /** 2025-11-25: what the user was sent to a URL for is done. Told once, and
   * only of what the server asked for: by a question that was not turned down,
   * or by refusing a request with MCP_RPC_URL_ELICITATION_REQUIRED. The newest
   * 256 are remembered. */
  void (*on_elicitation_complete)(mcp_client *client,
                                  const char *elicitation_id, void *userdata);
  /** Any other notification. */
  void (*on_notification)(mcp_client *client, const char *method,
                          const mcp_json *params, void *userdata);
  /** Each message on the wire, without secrets: the transport is traced
   * (mcp_transport_trace) from connecting to closing. */
  void (*on_trace)(mcp_client *client, const mcp_traced_message *message,
                   void *userdata);
  /** What did not end the connection: a line that is no message (the error has
   * its beginning, secrets replaced), an answer to nothing, the end of all
   * subscriptions, a listed tool whose results will not be checked;
   * MCP_ERR_CLOSED: the server ended, and is started again next (one that died
   * of the probe, or mcp_process_options.max_restarts), or a listen stream
   * ended and will be opened again. */
  void (*on_error)(mcp_client *client, const mcp_error *err, void *userdata);
  /** The connection has ended; requests have completed with MCP_ERR_CLOSED
   * before. */
  void (*on_closed)(mcp_client *client, const mcp_error *err, void *userdata);

  /** 2026-07-28: how often in a row a listen stream is opened again, one of
   * mcp_client_subscribe's too, before it is given up; default 10; UINT32_MAX:
   * no limit. One that stood for five seconds begins a new row. */
  uint32_t max_reopens;
  /** 2026-07-28: lists and resources that were read are kept for as long as the
   * server says they hold (`ttlMs`), within this connection, until it tells of
   * a change. 1: they are not. */
  int32_t skip_cache;
  /** Bytes of memory that they may take together; default 4 MB. Past it, and
   * past 256 of them, the one used longest ago goes. */
  size_t max_cache;
  /** 1: tools' structured results are taken as they come (see
   * mcp_client_call_tool). */
  int32_t skip_output_check;
  uint32_t reserved2;
  /** Bytes of memory that tools' compiled output schemas may take together;
   * default 4 MB. Results of tools past it are not checked, and on_error names
   * them. */
  size_t max_output_schemas;
  /** Limits the reports (on_error) in a second; default 20. Past it the client
   * counts them, and reports the last of them with the count when the second is
   * over, or before on_closed. Reports with MCP_ERR_CLOSED always come: a
   * server cannot cause many of them. */
  uint32_t max_reports;
  uint32_t reserved3;
} mcp_client_options;

#define MCP_CLIENT_OPTIONS_INIT MCP_INIT_(mcp_client_options)

/**
 * Makes a client. It does not connect.
 *
 * @param loop    borrowed until mcp_client_free
 * @param name    the program's name, such as "editor"; copied
 * @param version its version, such as "1.0.0"; copied
 * @param options copied, with all that it points to; NULL: the defaults
 * @param err     says why there is no client; may be NULL
 * @return owned: free it with mcp_client_free; NULL with err: MCP_ERR_INVALID
 *         (the message names the parameter or member), MCP_ERR_NOMEM
 */
MCP_API mcp_client *mcp_client_new(mcp_loop *loop, const char *name,
                                   const char *version,
                                   const mcp_client_options *options,
                                   mcp_error *err);

/** Ends a client. Pending completions run with MCP_ERR_CLOSED first; legal in
 * any callback. NULL is accepted. */
MCP_API void mcp_client_free(mcp_client *client);

MCP_API mcp_loop *mcp_client_loop(const mcp_client *client);

/* ---- connecting -------------------------------------------------------- */

/**
 * Connects by a transport and finds out what the server speaks.
 *
 * @param transport taken, on failure too
 * @param on_done   the result is what the server told of itself (its
 *                  `initialize` or `server/discover` result)
 * @return 0, MCP_ERR_BUSY (connected already), what `start` returned,
 *         MCP_ERR_NOMEM
 */
MCP_API int mcp_client_connect(mcp_client *client, mcp_transport *transport,
                               mcp_done_cb on_done, void *userdata,
                               mcp_error *err);

/** Starts a program and connects to it (libmcp).
 * @param options copied */
MCP_API int mcp_client_connect_command(mcp_client *client,
                                       const mcp_process_options *options,
                                       mcp_done_cb on_done, void *userdata,
                                       mcp_error *err);

/** Closes the connection; on_closed follows when the transport is down (a
 * child has been waited for). */
MCP_API void mcp_client_close(mcp_client *client);

/** Returns the id of the session on the channel, or NULL: over Streamable HTTP
 * the Mcp-Session-Id that the server gave, otherwise mcp_transport.session_id
 * of the transport. Borrowed until the next call on the client. */
MCP_API const char *mcp_client_session_id(const mcp_client *client);
/** The revision in use, or NULL before it is known. Static. */
MCP_API const char *mcp_client_revision(const mcp_client *client);
/** The server's Implementation, capabilities and instructions, or NULL.
 * Borrowed until the connection ends. */
MCP_API const mcp_json *mcp_client_server_info(const mcp_client *client);
MCP_API const mcp_json *
mcp_client_server_capabilities(const mcp_client *client);
MCP_API const char *mcp_client_instructions(const mcp_client *client);
/** Whether the server declared a capability, by its dotted path, such as
 * "resources.subscribe". 1 or 0. */
MCP_API int mcp_client_server_has(const mcp_client *client,
                                  const char *capability);
/** What was found out about the server's era, to be stored and handed back by
 * mcp_client_options.verdict; NULL before it is known. Static. */
MCP_API const char *mcp_client_verdict(const mcp_client *client);

/* ---- requests ---------------------------------------------------------- */

/** What may be said with any request. NULL stands for all defaults. */
typedef struct mcp_request_options {
  /** sizeof(mcp_request_options); MCP_REQUEST_OPTIONS_INIT sets it. */
  size_t size;
  /** Milliseconds without an answer and without progress, after which the
   * request fails with MCP_ERR_TIMEOUT: each progress notification starts the
   * clock anew. 0: the client's request_timeout_ms (default 60,000);
   * UINT32_MAX: no limit. */
  uint32_t timeout_ms;
  /** Milliseconds in total, whatever progress comes: the request fails with
   * MCP_ERR_TIMEOUT. 0: the client's max_request_ms (default 600,000), or
   * timeout_ms where that is longer; UINT32_MAX: no limit. Each page of a list
   * and each round of questions counts by itself. */
  uint32_t max_ms;
  /** Told of progress; `total` 0: not known; `message` may be NULL. */
  void (*on_progress)(mcp_client *client, double progress, double total,
                      const char *message, void *userdata);
  void *progress_userdata;
  /** A JSON object whose members join the request's `_meta`. */
  const char *meta;
  /** Set to the request's number, for mcp_client_cancel; may be NULL. 0: it is
   * not sent, and completes in a moment. */
  uint64_t *request;
  /** 1: a list, or a resource that is read, comes from the server, whatever is
   * kept of it. */
  int32_t skip_cache;
  /** 1: it does no harm when the server gets it twice. A transport may send it
   * again when it cannot have been answered: mcp_transport_post does. */
  int32_t is_idempotent;
} mcp_request_options;

#define MCP_REQUEST_OPTIONS_INIT MCP_INIT_(mcp_request_options)

/*
 * Common to all: `options` may be NULL; `on_done` may be NULL (nobody wants to
 * know). They return 0, or MCP_ERR_INVALID, MCP_ERR_CLOSED (not connected),
 * MCP_ERR_LIMIT (too many in flight), MCP_ERR_UNSUPPORTED (the revision in use
 * has no such method), MCP_ERR_NOMEM; then on_done does not run, and `err`,
 * which may be NULL, says why.
 *
 * A request that the program starts while the client introduces itself to a
 * server that was restarted waits for the end of that handshake and is sent
 * then. It waits as long as for an answer, at most a minute, then it completes
 * with MCP_ERR_TIMEOUT. At most max_pending requests wait (MCP_ERR_LIMIT).
 */

/** Lists fetch all pages. A list or resource that is kept (skip_cache of both
 * options) completes like any other request, and nothing is sent. */
/** Over HTTP in 2026-07-28 a tool whose annotations (`x-mcp-header`) are
 * invalid must not be called: it is not in the result, as if the server had not
 * sent it, and on_error names it. mcp_client_request shows what the server
 * sent. */
MCP_API int mcp_client_list_tools(mcp_client *client,
                                  const mcp_request_options *options,
                                  mcp_done_cb on_done, void *userdata,
                                  mcp_error *err);
MCP_API int mcp_client_list_resources(mcp_client *client,
                                      const mcp_request_options *options,
                                      mcp_done_cb on_done, void *userdata,
                                      mcp_error *err);
MCP_API int mcp_client_list_resource_templates(
    mcp_client *client, const mcp_request_options *options, mcp_done_cb on_done,
    void *userdata, mcp_error *err);
MCP_API int mcp_client_list_prompts(mcp_client *client,
                                    const mcp_request_options *options,
                                    mcp_done_cb on_done, void *userdata,
                                    mcp_error *err);

/**
 * Calls a tool.
 *
 * From 2025-06-18 on a structured result is checked with the tool's
 * `outputSchema` (specification: tools, output schema): one that breaks it, or
 * that is missing, completes with MCP_ERR_SCHEMA, and the error says where and
 * what ("tool "add": structured result: /sum: expected a number, got null").
 * One whose check would cost too much (mcp_validator_options.max_steps)
 * completes with MCP_ERR_LIMIT. The tool has run all the same.
 *
 * The schema is that of the last mcp_client_list_tools on this connection,
 * until the server tells that its tools have changed. A tool that was not
 * listed is not checked; nor is one whose schema does not compile, or has no
 * room (max_output_schemas), which on_error tells when it is listed; nor a
 * result with `isError`. mcp_result_is_checked tells which it was.
 * skip_output_check of mcp_client_options turns it off, and mcp_client_request
 * never checks.
 *
 * @param arguments a JSON object as text; NULL: none
 */
MCP_API int mcp_client_call_tool(mcp_client *client, const char *name,
                                 const char *arguments,
                                 const mcp_request_options *options,
                                 mcp_done_cb on_done, void *userdata,
                                 mcp_error *err);
MCP_API int mcp_client_read_resource(mcp_client *client, const char *uri,
                                     const mcp_request_options *options,
                                     mcp_done_cb on_done, void *userdata,
                                     mcp_error *err);
/** @param arguments a JSON object of strings as text; NULL: none */
MCP_API int mcp_client_get_prompt(mcp_client *client, const char *name,
                                  const char *arguments,
                                  const mcp_request_options *options,
                                  mcp_done_cb on_done, void *userdata,
                                  mcp_error *err);

/**
 * Completes an argument of a prompt, or a variable of a resource template.
 *
 * @param ref_type  "ref/prompt" or "ref/resource"
 * @param ref       the prompt's name, or the URI template
 * @param arguments other arguments already given, a JSON object; NULL: none
 */
MCP_API int mcp_client_complete(mcp_client *client, const char *ref_type,
                                const char *ref, const char *argument,
                                const char *value, const char *arguments,
                                const mcp_request_options *options,
                                mcp_done_cb on_done, void *userdata,
                                mcp_error *err);

/** Wants to hear when a resource changes (on_resource_updated); in 2026-07-28
 * the client's listen stream is opened anew for it. When that stream cannot be
 * kept open, on_error tells of it; the next subscription opens it for all. */
MCP_API int mcp_client_subscribe(mcp_client *client, const char *uri,
                                 const mcp_request_options *options,
                                 mcp_done_cb on_done, void *userdata,
                                 mcp_error *err);
MCP_API int mcp_client_unsubscribe(mcp_client *client, const char *uri,
                                   const mcp_request_options *options,
                                   mcp_done_cb on_done, void *userdata,
                                   mcp_error *err);

/** The least severity of log messages, MCP_LOG_*; in 2026-07-28 it goes with
 * each request from now on. */
MCP_API int mcp_client_set_log_level(mcp_client *client, int level,
                                     const mcp_request_options *options,
                                     mcp_done_cb on_done, void *userdata,
                                     mcp_error *err);

/** Legacy: `ping`. 2026-07-28 has none: `server/discover` instead. */
MCP_API int mcp_client_ping(mcp_client *client,
                            const mcp_request_options *options,
                            mcp_done_cb on_done, void *userdata,
                            mcp_error *err);

/** 2026-07-28: asks the server about itself again. */
MCP_API int mcp_client_discover(mcp_client *client,
                                const mcp_request_options *options,
                                mcp_done_cb on_done, void *userdata,
                                mcp_error *err);

/** What to hear of. */
typedef struct mcp_listen_filter {
  /** sizeof(mcp_listen_filter); MCP_LISTEN_FILTER_INIT sets it. */
  size_t size;
  int32_t tools;
  int32_t prompts;
  int32_t resources;
  /** 1: a stream that breaks, or that the server ends, is not opened again. */
  int32_t once;
  /** URIs, NULL at the end; NULL: none. */
  const char *const *uris;
  /** Further filters as JSON members without the braces; NULL: none. */
  const char *more;
} mcp_listen_filter;

#define MCP_LISTEN_FILTER_INIT MCP_INIT_(mcp_listen_filter)

/**
 * 2026-07-28: opens a stream of notifications (`subscriptions/listen`), which
 * reach the handlers of the options. Legacy servers notify without it.
 *
 * Once granted, it is opened again whenever it breaks or the server ends it: at
 * once when the transport restarts, else after a second, each time half as long
 * again, up to 30 s. on_error tells of it with MCP_ERR_CLOSED: what happened
 * meanwhile is not told.
 *
 * @param on_open  told once what the server granted: the acknowledged filter
 * @param on_done  told when it is opened no more: the server refused it,
 *                 max_reopens tries in a row failed, or the program or the
 *                 connection has ended it
 */
MCP_API int
mcp_client_listen(mcp_client *client, const mcp_listen_filter *filter,
                  const mcp_request_options *options,
                  void (*on_open)(mcp_client *client, const mcp_json *granted,
                                  void *userdata),
                  mcp_done_cb on_done, void *userdata, mcp_error *err);

/** Any method. @param params a JSON object as text; NULL: none. The `_meta`
 * that the era demands is added. */
MCP_API int mcp_client_request(mcp_client *client, const char *method,
                               const char *params,
                               const mcp_request_options *options,
                               mcp_done_cb on_done, void *userdata,
                               mcp_error *err);

/** Any notification. */
MCP_API int mcp_client_notify(mcp_client *client, const char *method,
                              const char *params, mcp_error *err);

/** Gives a request up: the server is told, and it completes with
 * MCP_ERR_CANCELLED. @return 0, or MCP_ERR_NOT_FOUND when it has ended.
 * @param reason NULL: none */
MCP_API int mcp_client_cancel(mcp_client *client, uint64_t request,
                              const char *reason);

/* ---- answering the server (specification: client features) --------------- */

/** The roots to show: an array of `{"uri": "file://...", "name"}` as JSON text,
 * copied; a connected legacy server is told of the change. NULL: none, and the
 * capability is not declared (before connecting). */
MCP_API int mcp_client_set_roots(mcp_client *client, const char *roots,
                                 mcp_error *err);

/** "elicitation/create", "sampling/createMessage" or "roots/list". Static. */
MCP_API const char *mcp_question_method(const mcp_question *question);
/** Its params: an object. Borrowed until the answer. */
MCP_API const mcp_json *mcp_question_params(const mcp_question *question);
MCP_API mcp_client *mcp_question_client(const mcp_question *question);
/** 1 when the server no longer waits; the question still wants its answer. */
MCP_API int mcp_question_is_cancelled(const mcp_question *question);

/* The program calls exactly one of these for each question, now or later; the
 * question is then gone. A question may outlive its client. mcp_loop_free frees
 * the questions that have no answer by then. They return 0, MCP_ERR_GONE when
 * nobody waits, or, when the answer cannot be sent, MCP_ERR_NOMEM or
 * MCP_ERR_LIMIT (too much waits already). */

/** Elicitation: the user has agreed. `content` is the filled form as a JSON
 * object, NULL for a URL. MCP_ERR_SCHEMA when it does not satisfy the form, or
 * cannot be checked or filled in for its size, MCP_ERR_INVALID when it is no
 * JSON object (err says why): the question is still open then. */
MCP_API int mcp_question_accept(mcp_question *question, const char *content,
                                mcp_error *err);
/** Elicitation: the user said no. Sampling: refused. */
MCP_API int mcp_question_decline(mcp_question *question);
/** Elicitation: the user did not choose. */
MCP_API int mcp_question_cancel(mcp_question *question);
/** The result as JSON text: of sampling `{"role","content","model",
 * "stopReason"}`, of roots `{"roots":[...]}`. MCP_ERR_INVALID when it is not
 * that (err, which may be NULL, says why): the question is still open then. */
MCP_API int mcp_question_answer(mcp_question *question, const char *result,
                                mcp_error *err);
/** No answer: an error in legacy; in 2026-07-28 the request that asked
 * completes with MCP_ERR_UNANSWERED. */
MCP_API int mcp_question_fail(mcp_question *question, int code,
                              const char *message);

MCP_END_DECLS

#endif
