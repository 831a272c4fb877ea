/* SPDX-License-Identifier: MIT */
/** @file
 * A client connects to a server, calls its tools, resources and prompts, and
 * answers its questions.
 *
 * A client speaks to one server over one transport. A function of this header
 * starts a request. The completion of the request (mcp_done_cb) gets the result
 * or the error. The completion runs exactly once, on the loop's thread, and
 * never inside the function that started the request. mcp/sync.h has the same
 * functions for programs that wait for the answer.
 *
 * The program uses the same functions for all revisions. The client finds out
 * the server's revision when it connects. Questions from the server (sampling,
 * elicitation, roots) reach the same handlers in both eras.
 *
 * Threads: use a client, its results and its questions only on the loop's
 * thread.
 */
#ifndef MCP_CLIENT_H
#define MCP_CLIENT_H

#include <mcp/content.h>
#include <mcp/log.h>
#include <mcp/transport.h>
#include <mcp/version.h>

MCP_BEGIN_DECLS

/** A client: one connection to one server at a time. */
typedef struct mcp_client mcp_client;

/* ---- results ----------------------------------------------------------- */

/** A reference-counted result of a request. It owns its JSON values. The
 * program releases its references before it frees the loop (mcp_loop_free). */
typedef struct mcp_result mcp_result;

/** Returns the result object as the server sent it; for a list, the object of
 * the last page (mcp_result_item returns the entries of all pages). Borrowed
 * until the last reference is released. */
MCP_API const mcp_json *mcp_result_json(const mcp_result *result);

/** Returns the number of items: the entries of all pages of a list, the content
 * blocks of a tool's result, the messages of a prompt, the contents of a
 * resource; 0 for any other result. */
MCP_API size_t mcp_result_count(const mcp_result *result);
/** Returns the item at `index`, or NULL if there is no such item. Borrowed
 * until the last reference is released. */
MCP_API const mcp_json *mcp_result_item(const mcp_result *result, size_t index);

/**
 * Returns, as a C string, the text of the first item that has a text. An item
 * is a content block of a tool's result, a message of a prompt, or an entry of
 * a resource's contents. Borrowed until the last reference is released.
 * @return NULL: no item has a text, or the text contains NUL (see
 *         mcp_json_string)
 */
MCP_API const char *mcp_result_text(const mcp_result *result);
/**
 * Returns the same text, also if it contains NUL.
 * @param len may be NULL; set to the length in bytes, or to 0 if no item has a
 *            text
 * @return NULL: no item has a text
 */
MCP_API const char *mcp_result_text_n(const mcp_result *result, size_t *len);
/**
 * Returns the bytes of a resource, or of the first item that is a text or has a
 * `blob`: the text, or what the base64 of the `blob` stands for. Since 0.2.
 *
 * The first call decodes base64 into memory that belongs to the result. So the
 * bytes are borrowed until the last reference is released.
 *
 * @param len may be NULL; set to the length in bytes, or to 0 if there are no
 *            bytes
 * @return NULL: no item has a text or a blob, the blob is not base64, or out of
 *         memory. A NUL follows the bytes, which may contain NUL themselves
 */
MCP_API const void *mcp_result_bytes(mcp_result *result, size_t *len);
/** Returns the member `structuredContent` of a tool's result, or NULL. */
MCP_API const mcp_json *mcp_result_structured(const mcp_result *result);
/** Returns 1 if the tool reported an error (`isError`), else 0. */
MCP_API int mcp_result_is_failure(const mcp_result *result);
/** Returns 1 if the client has checked the structured result with the tool's
 * `outputSchema`, and the result satisfies it. Returns 0 if the client has not
 * checked it, for one of the reasons that mcp_client_call_tool lists. The
 * program never gets a result that was checked and does not satisfy its schema:
 * such a request completes with MCP_ERR_SCHEMA. */
MCP_API int mcp_result_is_checked(const mcp_result *result);

/** Adds a reference and returns the result. NULL gives NULL. */
MCP_API mcp_result *mcp_result_ref(mcp_result *result);
/** Releases a reference, and frees the result with the last one. NULL is
 * accepted. */
MCP_API void mcp_result_unref(mcp_result *result);

/** How a request ended. */
typedef struct mcp_outcome {
  /** sizeof(mcp_outcome) as the library knows it. A program that was built with
   * newer headers than the library compares `size` before it reads a newer
   * member. */
  size_t size;
  /** 0: there is a `result`. Otherwise:
   * - MCP_ERR_REMOTE: the server answered with an error; its code is in
   *   error->status, its data in error_data;
   * - MCP_ERR_CLOSED: the connection ended, or could not be made; the message
   *   says why, and on_closed gets the code of the reason;
   * - MCP_ERR_TIMEOUT: there was no answer in time;
   * - MCP_ERR_CANCELLED: the program cancelled the request, or the server ended
   *   it;
   * - MCP_ERR_PROTOCOL: the answer is not valid;
   * - MCP_ERR_VERSION: client and server have no revision in common
   *   (connecting);
   * - MCP_ERR_UNSUPPORTED: the server or its revision does not have the method;
   * - MCP_ERR_LIMIT: a limit of the client was reached;
   * - MCP_ERR_UNANSWERED: the program did not answer a question that the server
   *   asked for this request;
   * - MCP_ERR_SCHEMA: a tool's structured result does not satisfy the tool's
   *   `outputSchema`;
   * - MCP_ERR_MISMATCH: a file of a skill is not what the skill lists
   *   (mcp/skills.h);
   * - MCP_ERR_IO, MCP_ERR_REFUSED: an HTTP request failed (mcp/http_client.h);
   * - MCP_ERR_NOMEM. */
  int32_t status;
  /** For a request that failed. 1: the request was sent, so the server may have
   * carried it out. 0: the request was not sent. */
  int32_t was_sent;
  /** NULL if status is not 0. Borrowed until the completion returns;
   * mcp_result_ref keeps it for longer. */
  mcp_result *result;
  /** Never NULL; its code is 0 on success. Borrowed until the completion
   * returns. */
  const mcp_error *error;
  /** The detail of the error; borrowed until the completion returns:
   * - MCP_ERR_REMOTE: the member `data` of the server's error, or NULL;
   * - MCP_ERR_SCHEMA, and MCP_ERR_LIMIT when the check of a result took too
   *   many steps: an array of errors, as mcp_validator_check writes it; NULL if
   *   the structured result is missing;
   * - otherwise NULL. */
  const mcp_json *error_data;
} mcp_outcome;

/** Reports the end of a request. The callback may start requests, and it may
 * close the client and free it. */
typedef void (*mcp_done_cb)(mcp_client *client, const mcp_outcome *outcome,
                            void *userdata);

/* ---- making a client ---------------------------------------------------- */

/** A question from the server. The program answers it now or later. */
typedef struct mcp_question mcp_question;

/** How the client finds out the era of a server. */
enum {
  /** Sends a probe (`server/discover`). If the server does not know it, the
   * client sends `initialize`. */
  MCP_POLICY_AUTO = 0,
  /** Sends `initialize` without a probe: legacy revisions only. */
  MCP_POLICY_LEGACY,
  /** Accepts only servers of the modern era (2026-07-28). */
  MCP_POLICY_MODERN
};

/** Policy and handlers. Zero and NULL mean the default. */
typedef struct mcp_client_options {
  /** sizeof(mcp_client_options); MCP_CLIENT_OPTIONS_INIT sets it. */
  size_t size;
  /** These five members describe the program to people, as in
   * mcp_server_options. All may be NULL. */
  const char *title;
  /** Explains to users what the program is. */
  const char *description;
  /** The website of the program. */
  const char *website_url;
  /** The icons of the program. */
  const mcp_icon *icons;
  size_t icon_count;

  /** MCP_POLICY_*. */
  uint32_t policy;
  /** How long the client waits for the answer to the probe, in milliseconds;
   * default 5000. After this time it treats the server as a legacy server. Used
   * with MCP_POLICY_AUTO on an ordered transport (one without
   * MCP_TRANSPORT_PER_REQUEST_STREAM). */
  uint32_t probe_timeout_ms;
  /** The only revision that the client accepts (MCP_REVISION_*); NULL: all that
   * the policy allows. */
  const char *revision;
  /** The era and revision of this server, as mcp_client_verdict returned them
   * on an earlier connection. If the server was a legacy server, the client
   * sends no probe. If it was a modern server, the client sends the probe, and
   * probe_timeout_ms does not limit the wait for the answer. If the verdict has
   * become wrong, the client finds out the era again. NULL: no verdict. */
  const char *verdict;

  /** Limits the time to connect, from opening the transport to the end of the
   * handshake, in milliseconds; default 30,000. UINT32_MAX: no limit. */
  uint32_t connect_timeout_ms;
  /** How long a request waits for its answer or for the next progress
   * notification, in milliseconds (mcp_request_options.timeout_ms); default
   * 60,000. UINT32_MAX: no limit. Legacy: while a question of the server waits
   * for the program's answer, the clocks of all requests stand still, because
   * the server may need that answer first. */
  uint32_t request_timeout_ms;
  /** Limits the whole time of a request, also if progress arrives, in
   * milliseconds (mcp_request_options.max_ms); default 600,000. UINT32_MAX: no
   * limit. */
  uint32_t max_request_ms;
  /** Legacy: when the server has sent nothing for this many milliseconds, the
   * client sends a `ping`. If there is no answer within request_timeout_ms, the
   * client closes the connection. 0: no pings. */
  uint32_t ping_interval_ms;
  /** The most rounds of questions for one request; default 10. A request with
   * more fails with MCP_ERR_LIMIT. */
  uint32_t max_rounds;
  /** The most pages of one list; default 1000. A longer list fails with
   * MCP_ERR_LIMIT. */
  uint32_t max_pages;
  /** The most requests in flight; default 65,536. */
  uint32_t max_pending;
  /** max_depth, max_batch, max_values and max_message limit messages from the
   * server, as in mcp_limits. */
  uint32_t max_depth;
  /** As max_depth: see mcp_limits.max_batch. */
  uint32_t max_batch;
  uint32_t reserved;
  /** As max_depth: see mcp_limits.max_values. */
  uint64_t max_values;
  /** As max_depth: see mcp_limits.max_message. */
  size_t max_message;
  /** The most memory of all pages of one list, in bytes; default 64 MB. A
   * longer list fails with MCP_ERR_LIMIT. */
  size_t max_list;

  /** The extensions that the client declares, in pairs: an id with a prefix,
   * then its settings as JSON text, such as {"com.example/reports", "{}",
   * NULL}. The array ends with NULL. NULL: no extensions. */
  const char *const *extensions;
  /** 2026-07-28: values of `resultType` that extensions define, and that the
   * client accepts in addition to those of the protocol. The program gets such
   * a result as the server sent it. If a result has a value that is not
   * accepted, the request completes with MCP_ERR_PROTOCOL. The array ends with
   * NULL. NULL: no such values. */
  const char *const *result_types;
  /** 2026-07-28: each request asks the server for log messages of at least this
   * severity, MCP_LOG_*; 0: no log messages. */
  int32_t log_level;
  /** 1: mcp_question_accept adds the form's defaults for fields that the answer
   * does not have. */
  int32_t apply_defaults;

  /** Passed to the handlers below. */
  void *userdata;

  /** Called when the server asks the user to fill in a form, or to visit a URL.
   * The program answers with mcp_question_accept, _decline or _cancel. NULL:
   * the client does not declare `elicitation`. */
  void (*on_elicit)(mcp_question *question, void *userdata);
  /** 1: the client also declares elicitation by URL. Only http:// and https://
   * URLs reach the program: the client refuses a question with another URL,
   * such as file: or javascript:. If an error MCP_RPC_URL_ELICITATION_REQUIRED
   * has such a URL, the client leaves out the error's data, and reports that to
   * on_error. */
  int32_t can_elicit_url;
  /** 1: the client also declares sampling with tools (`sampling.tools`). */
  int32_t can_sample_tools;
  /** 1: the client also declares `includeContext` (`sampling.context`). */
  int32_t can_sample_context;
  /** 1, together with can_elicit_url: URLs of any scheme reach the program. The
   * program must check the scheme before it opens a URL. */
  int32_t any_elicit_url;
  /** Called when the server asks the model. The program answers with
   * mcp_question_answer or _fail. NULL: the client does not declare `sampling`.
   */
  void (*on_sample)(mcp_question *question, void *userdata);
  /** Called when the server asks for the roots. The program answers with
   * mcp_question_answer. NULL: the client answers with the roots of
   * mcp_client_set_roots, if the program has set any. */
  void (*on_roots)(mcp_question *question, void *userdata);

  /** Called for a log message. `level` is MCP_LOG_* (MCP_LOG_INFO if the server
   * sent an unknown one), `logger` may be NULL, and `data` is any JSON value.
   */
  void (*on_log)(mcp_client *client, int level, const char *logger,
                 const mcp_json *data, void *userdata);
  /** Called when a list of the server has changed. `list` says which: "tools",
   * "prompts" or "resources". */
  void (*on_list_changed)(mcp_client *client, const char *list, void *userdata);
  /** Called when a resource has changed that the client subscribed to. */
  void (*on_resource_updated)(mcp_client *client, const char *uri,
                              void *userdata);
  /** 2025-11-25: called once when the server reports that the action at a URL
   * is complete. `elicitation_id` comes from a question that asked the user to
   * visit the URL, and that the program accepted or has not answered yet; or
   * from an error MCP_RPC_URL_ELICITATION_REQUIRED. The client remembers the
   * newest 256 ids, and ignores reports of others. */
  void (*on_elicitation_complete)(mcp_client *client,
                                  const char *elicitation_id, void *userdata);
  /** Called for any other notification. It is also called for those about tasks
   * that the library follows. */
  void (*on_notification)(mcp_client *client, const char *method,
                          const mcp_json *params, void *userdata);
  /** Called for each message that is sent or received, without its secrets
   * (mcp_traced_message), from connecting to closing. */
  void (*on_trace)(mcp_client *client, const mcp_traced_message *message,
                   void *userdata);
  /** Called for a failure after which the connection goes on:
   * - a line is not a message (the error quotes its beginning, secrets
   *   replaced);
   * - a response answers no request;
   * - the listen stream for the resources of mcp_client_subscribe has ended;
   * - the results of a listed tool will not be checked (mcp_client_call_tool);
   * - MCP_ERR_CLOSED: a listen stream ended and will be opened again; or the
   *   server process ended and is started again, because it ended when it got
   *   the probe, or because mcp_process_options.max_restarts allows it. */
  void (*on_error)(mcp_client *client, const mcp_error *err, void *userdata);
  /** Called once when the connection has ended, after all its requests have
   * completed. `err` says why; its code is 0 if the program closed the
   * connection. The client also calls it if connecting fails after the
   * transport has started. mcp_client_free does not call it. */
  void (*on_closed)(mcp_client *client, const mcp_error *err, void *userdata);

  /** 2026-07-28: how many times in a row the client opens a broken listen
   * stream again, also the stream of mcp_client_subscribe; default 10. Then the
   * listen fails. UINT32_MAX: no limit. When a stream has been open for five
   * seconds, the client counts from 0 again. */
  uint32_t max_reopens;
  /** 2026-07-28: 1: the client does not cache lists and resources. 0: the
   * client caches them for the time that the server states (`ttlMs`), until the
   * server reports a change or the connection ends. */
  int32_t skip_cache;
  /** The most memory of this cache, in bytes; default 4 MB. The cache holds at
   * most 256 results. When it is full, the client drops the result that was not
   * used for the longest time. */
  size_t max_cache;
  /** 1: the client does not check structured results with the tools' output
   * schemas (see mcp_client_call_tool). */
  int32_t skip_output_check;
  uint32_t reserved2;
  /** The most memory of all compiled output schemas of tools, in bytes; default
   * 4 MB. If a schema does not fit, the client does not check results of its
   * tool, and reports the tool to on_error. */
  size_t max_output_schemas;
  /** The most reports (on_error) in a second; default 20. The client counts
   * further reports. When the second is over, or before on_closed, it reports
   * the last of them together with the count. Reports with MCP_ERR_CLOSED are
   * not limited: a server cannot cause many of them. */
  uint32_t max_reports;
  /** 1: the client uses tasks (mcp/tasks.h): it declares to servers that a call
   * of a tool may become a task, and mcp_client_call_tool follows such a task
   * to its end; and it runs questions as tasks if a server of 2025-11-25 asks
   * for that. 0: there are no tasks. Since 0.2. */
  int32_t use_tasks;
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

/** Frees a client. Its requests complete with MCP_ERR_CLOSED before this
 * function returns; on_closed is not called. The transport is closed and
 * released. Results to which the program has a reference stay valid. Legal in
 * any callback. NULL is accepted. */
MCP_API void mcp_client_free(mcp_client *client);

/** Returns the loop that the client was made with. */
MCP_API mcp_loop *mcp_client_loop(const mcp_client *client);

/* ---- connecting -------------------------------------------------------- */

/**
 * Connects over a transport, and finds out the server's revision.
 *
 * @param transport taken, on failure too
 * @param on_done   gets the server's answer to `initialize` or
 *                  `server/discover` as the result; may be NULL
 * @param err       says why the function failed; may be NULL
 * @return 0. After an error on_done does not run:
 *         MCP_ERR_INVALID: client or transport is NULL, or the transport has no
 *         size or lacks a required function;
 *         MCP_ERR_BUSY: the client is connected, or its last connection is
 *         still closing: wait for on_closed;
 *         the error of the transport's `start`; MCP_ERR_NOMEM
 */
MCP_API int mcp_client_connect(mcp_client *client, mcp_transport *transport,
                               mcp_done_cb on_done, void *userdata,
                               mcp_error *err);

/**
 * Starts a program and connects to it (libmcp).
 * @param options copied; argv is required
 * @return as mcp_client_connect; MCP_ERR_IO: the program cannot be started
 */
MCP_API int mcp_client_connect_command(mcp_client *client,
                                       const mcp_process_options *options,
                                       mcp_done_cb on_done, void *userdata,
                                       mcp_error *err);

/** Closes the connection. Requests complete with MCP_ERR_CLOSED. on_closed is
 * called when the transport has closed; a child process has ended by then. */
MCP_API void mcp_client_close(mcp_client *client);

/** Returns the session id of the transport, or NULL. Over Streamable HTTP this
 * is the Mcp-Session-Id of the server, otherwise what mcp_transport.session_id
 * of the transport returns. Borrowed until the next call on the client. */
MCP_API const char *mcp_client_session_id(const mcp_client *client);
/** Returns the revision in use, such as "2025-11-25", also after the connection
 * has ended; NULL before it is known. The string is static. */
MCP_API const char *mcp_client_revision(const mcp_client *client);
/** Returns the server's Implementation (`serverInfo`), or NULL. Borrowed until
 * the connection ends. */
MCP_API const mcp_json *mcp_client_server_info(const mcp_client *client);
/** Returns the server's capabilities, or NULL. Borrowed until the connection
 * ends. */
MCP_API const mcp_json *
mcp_client_server_capabilities(const mcp_client *client);
/** Returns the server's instructions, or NULL. Borrowed until the connection
 * ends. */
MCP_API const char *mcp_client_instructions(const mcp_client *client);
/**
 * Returns 1 if the server declared a capability, else 0.
 * @param capability its dotted path, such as "resources.subscribe"
 */
MCP_API int mcp_client_server_has(const mcp_client *client,
                                  const char *capability);
/** Returns the era and revision of the server as a short text, such as "modern
 * 2026-07-28"; NULL before it is known. The program may store the text, and
 * pass it as mcp_client_options.verdict the next time. The string is static. */
MCP_API const char *mcp_client_verdict(const mcp_client *client);

/* ---- requests ---------------------------------------------------------- */

/** Options that every request takes. Zero and NULL mean the default. */
typedef struct mcp_request_options {
  /** sizeof(mcp_request_options); MCP_REQUEST_OPTIONS_INIT sets it. */
  size_t size;
  /** How long the request waits for its answer or for the next progress
   * notification, in milliseconds. Then it completes with MCP_ERR_TIMEOUT. 0:
   * the client's request_timeout_ms (default 60,000); UINT32_MAX: no limit. For
   * mcp_client_listen, this is the time in which the server must acknowledge
   * the stream. */
  uint32_t timeout_ms;
  /** The request completes with MCP_ERR_TIMEOUT after this many milliseconds,
   * also if progress arrives. 0: the greater of the client's max_request_ms
   * (default 600,000) and timeout_ms; UINT32_MAX: no limit. Each page of a list
   * and each round of questions has its own limit. mcp_client_listen does not
   * use it. */
  uint32_t max_ms;
  /** Called for each progress notification. `total` is 0 if it is not known;
   * `message` may be NULL. */
  void (*on_progress)(mcp_client *client, double progress, double total,
                      const char *message, void *userdata);
  /** Passed to on_progress. */
  void *progress_userdata;
  /** A JSON object as text. Its members are added to the request's `_meta`.
   * NULL: no members. */
  const char *meta;
  /** Gets the number of the request, for mcp_client_cancel; may be NULL. It is
   * 0 if nothing is sent, for example because the result is cached. Such a
   * request cannot be cancelled, and completes in the next turn of the loop. */
  uint64_t *request;
  /** 1: the client does not use its cache for this request. */
  int32_t skip_cache;
  /** 1: the server may get the request twice without harm. Then a transport may
   * send it again after a failure that may be temporary:
   * - mcp_transport_post does so, at most as often as
   *   mcp_http_client_options.max_retries allows;
   * - other transports over HTTP do so only if the connection breaks before the
   *   answer.
   *
   * If the connection breaks before the answer, each transport over HTTP also
   * sends requests that only read, such as tools/list, again, whatever this
   * member is. */
  int32_t is_idempotent;
  /** mcp_client_request with a method that is not the protocol's, in
   * 2026-07-28: the member of `params` that HTTP repeats in the header
   * Mcp-Name, if it is a string (see mcp_method.name_member). NULL: "taskId"
   * for the methods of tasks (mcp/tasks.h), otherwise there is no such
   * member. Since 0.2. */
  const char *name_member;
  /** A call that asks for a task (2025-11-25): how long the server should keep
   * the task, in milliseconds after it was made. 0: the server decides. Since
   * 0.2. */
  uint64_t task_ttl_ms;
  /** The functions of mcp/sync.h, and others whose names begin with mcp_sync_:
   * gets mcp_outcome.error_data as JSON text. It gets NULL if the error has no
   * data, or if memory is short. Owned: the program frees it with
   * mcp_text_free. Set it to NULL before: it is unchanged if the function
   * refuses the options. NULL: it is not wanted. Other functions do not use it.
   * Since 0.2. */
  char **error_data;
} mcp_request_options;

#define MCP_REQUEST_OPTIONS_INIT MCP_INIT_(mcp_request_options)

/*
 * Common to all functions of this section:
 * - `options` may be NULL: the defaults.
 * - `on_done` may be NULL: the result is dropped.
 * - `err` may be NULL. It says why a function failed.
 * - Strings are copied.
 * - The functions return 0, MCP_ERR_INVALID, MCP_ERR_CLOSED (not connected),
 *   MCP_ERR_LIMIT (too many requests in flight), MCP_ERR_UNSUPPORTED (the
 *   revision in use does not have the method), or MCP_ERR_NOMEM. If a function
 *   fails, on_done does not run.
 *
 * While the client initializes a server that was restarted, new requests wait,
 * and the client sends them after the handshake. Each of them waits until its
 * own time limit ends, but at most one minute. Then it completes with
 * MCP_ERR_TIMEOUT. At most max_pending requests wait; further ones fail with
 * MCP_ERR_LIMIT.
 */

/**
 * Fetches all pages of a list. If the list is in the client's cache, nothing is
 * sent, but the request still completes later, as any other.
 * mcp_client_options.skip_cache and mcp_request_options.skip_cache turn the
 * cache off.
 *
 * Over HTTP in 2026-07-28, a tool whose annotations (`x-mcp-header`) are
 * invalid must not be called. The client leaves such a tool out of the result,
 * and reports it to on_error. mcp_client_request shows what the server sent.
 */
MCP_API int mcp_client_list_tools(mcp_client *client,
                                  const mcp_request_options *options,
                                  mcp_done_cb on_done, void *userdata,
                                  mcp_error *err);
/** Fetches all pages of the list of resources, as mcp_client_list_tools. */
MCP_API int mcp_client_list_resources(mcp_client *client,
                                      const mcp_request_options *options,
                                      mcp_done_cb on_done, void *userdata,
                                      mcp_error *err);
/** Fetches all pages of the list of templates, as mcp_client_list_tools. */
MCP_API int mcp_client_list_resource_templates(
    mcp_client *client, const mcp_request_options *options, mcp_done_cb on_done,
    void *userdata, mcp_error *err);
/** Fetches all pages of the list of prompts, as mcp_client_list_tools. */
MCP_API int mcp_client_list_prompts(mcp_client *client,
                                    const mcp_request_options *options,
                                    mcp_done_cb on_done, void *userdata,
                                    mcp_error *err);

/**
 * Calls a tool.
 *
 * From 2025-06-18 on the client checks a structured result with the tool's
 * `outputSchema` (MCP, Tools: Output Schema). If the result breaks the schema
 * or is missing, the request completes with MCP_ERR_SCHEMA. The error names the
 * place and the fault ("tool "add": structured result: /sum: expected a number,
 * got null"). If the check takes too many steps
 * (mcp_validator_options.max_steps), the request completes with MCP_ERR_LIMIT.
 * In both cases the tool has run.
 *
 * The client uses the schema of the last mcp_client_list_tools on this
 * connection, until the server reports that its tools have changed. The client
 * does not check a result if
 * - the tool was not listed, or the list has changed since then;
 * - the schema does not compile, or does not fit into max_output_schemas (the
 *   client reports this to on_error when the tool is listed);
 * - the result has `isError`;
 * - mcp_client_options.skip_output_check is set;
 * - the program used mcp_client_request.
 *
 * mcp_result_is_checked says whether the client has checked a result.
 *
 * If the call becomes a task (mcp_client_options.use_tasks), the request
 * completes when the task has ended; mcp/tasks.h says more.
 *
 * @param name      required
 * @param arguments a JSON object as text; NULL: no arguments
 */
MCP_API int mcp_client_call_tool(mcp_client *client, const char *name,
                                 const char *arguments,
                                 const mcp_request_options *options,
                                 mcp_done_cb on_done, void *userdata,
                                 mcp_error *err);
/**
 * Reads a resource. If the resource is in the client's cache, nothing is sent,
 * as with lists.
 * @param uri required
 */
MCP_API int mcp_client_read_resource(mcp_client *client, const char *uri,
                                     const mcp_request_options *options,
                                     mcp_done_cb on_done, void *userdata,
                                     mcp_error *err);
/**
 * Gets the messages of a prompt.
 * @param name      required
 * @param arguments a JSON object of strings as text; NULL: no arguments
 */
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
 * @param argument  the name of the argument or variable
 * @param value     the text that the user has typed so far
 * @param arguments the other arguments that have a value already, a JSON object
 *                  as text; NULL: none
 */
MCP_API int mcp_client_complete(mcp_client *client, const char *ref_type,
                                const char *ref, const char *argument,
                                const char *value, const char *arguments,
                                const mcp_request_options *options,
                                mcp_done_cb on_done, void *userdata,
                                mcp_error *err);

/** Subscribes to a resource: on_resource_updated is called when the resource
 * changes. In 2026-07-28 the client has one listen stream for all its
 * subscriptions. When a subscription begins or ends, the client replaces the
 * stream with a new one; when the last subscription ends, it only closes the
 * stream. If the stream ends, and the client does not open it again
 * (mcp_client_options.max_reopens), it reports that to on_error. The next
 * mcp_client_subscribe then opens a stream for all subscriptions. */
MCP_API int mcp_client_subscribe(mcp_client *client, const char *uri,
                                 const mcp_request_options *options,
                                 mcp_done_cb on_done, void *userdata,
                                 mcp_error *err);
/** Ends a subscription of mcp_client_subscribe. */
MCP_API int mcp_client_unsubscribe(mcp_client *client, const char *uri,
                                   const mcp_request_options *options,
                                   mcp_done_cb on_done, void *userdata,
                                   mcp_error *err);

/** Sets the lowest severity of log messages that the server sends, MCP_LOG_*.
 * In 2026-07-28 nothing is sent: each later request contains the level. */
MCP_API int mcp_client_set_log_level(mcp_client *client, int level,
                                     const mcp_request_options *options,
                                     mcp_done_cb on_done, void *userdata,
                                     mcp_error *err);

/** Checks that the server answers. Sends `ping`, or in 2026-07-28, which has no
 * `ping`, `server/discover`. */
MCP_API int mcp_client_ping(mcp_client *client,
                            const mcp_request_options *options,
                            mcp_done_cb on_done, void *userdata,
                            mcp_error *err);

/** 2026-07-28: asks the server again to describe itself (`server/discover`). */
MCP_API int mcp_client_discover(mcp_client *client,
                                const mcp_request_options *options,
                                mcp_done_cb on_done, void *userdata,
                                mcp_error *err);

/** The notifications that a listen stream asks for. */
typedef struct mcp_listen_filter {
  /** sizeof(mcp_listen_filter); MCP_LISTEN_FILTER_INIT sets it. */
  size_t size;
  /** 1: the stream reports changes of the list of tools. */
  int32_t tools;
  /** 1: the stream reports changes of the list of prompts. */
  int32_t prompts;
  /** 1: the stream reports changes of the list of resources. */
  int32_t resources;
  /** 1: a stream that breaks, or that the server ends, is not opened again. */
  int32_t once;
  /** The URIs of resources whose changes are wanted; the array ends with NULL.
   * NULL: no URIs. */
  const char *const *uris;
  /** Further filters, which extensions define: members of a JSON object as
   * text, without the braces, such as "\"taskIds\":[\"t1\",\"t2\"]". Their
   * notifications reach on_notification. NULL: no further filters. */
  const char *more;
} mcp_listen_filter;

#define MCP_LISTEN_FILTER_INIT MCP_INIT_(mcp_listen_filter)

/**
 * 2026-07-28: opens a stream of notifications (`subscriptions/listen`), which
 * reach the handlers of mcp_client_options. Legacy servers notify without it.
 *
 * After the server has acknowledged the stream, the client opens it again when
 * it breaks or the server ends it: at once if the transport restarts, otherwise
 * after 1 s, then 1.5 s, 2.25 s and so on, at most 30 s. The client reports
 * this to on_error with MCP_ERR_CLOSED. Changes that happen in between are not
 * reported.
 *
 * @param on_open called once, when the server has acknowledged the stream;
 *                `granted` is the acknowledged filter, borrowed until return;
 *                may be NULL
 * @param on_done called when the client does not open the stream again: the
 *                server refused it, max_reopens attempts in a row failed, the
 *                program cancelled it, or the connection ended
 */
MCP_API int
mcp_client_listen(mcp_client *client, const mcp_listen_filter *filter,
                  const mcp_request_options *options,
                  void (*on_open)(mcp_client *client, const mcp_json *granted,
                                  void *userdata),
                  mcp_done_cb on_done, void *userdata, mcp_error *err);

/**
 * Sends a request with any method. The client adds the members of `_meta` that
 * the revision requires.
 * @param params a JSON object as text; NULL: no params
 */
MCP_API int mcp_client_request(mcp_client *client, const char *method,
                               const char *params,
                               const mcp_request_options *options,
                               mcp_done_cb on_done, void *userdata,
                               mcp_error *err);

/**
 * Sends a notification with any method.
 * @param params a JSON object as text; NULL: no params
 * @return 0; MCP_ERR_INVALID, MCP_ERR_CLOSED, MCP_ERR_UNSUPPORTED (the revision
 *         in use does not have the notification), MCP_ERR_LIMIT, MCP_ERR_NOMEM
 */
MCP_API int mcp_client_notify(mcp_client *client, const char *method,
                              const char *params, mcp_error *err);

/**
 * Cancels a request. The client notifies the server. The request completes with
 * MCP_ERR_CANCELLED, after this function has returned.
 * @param request the number that mcp_request_options.request got
 * @param reason  a text for the server; NULL: none
 * @return 0; MCP_ERR_NOT_FOUND: the request has ended, or was not sent (its
 *         number is 0); MCP_ERR_INVALID: the client is NULL
 */
MCP_API int mcp_client_cancel(mcp_client *client, uint64_t request,
                              const char *reason);

/* ---- answering the server (MCP, Client Features) ------------------------- */

/**
 * Sets the roots that the client reports to the server. A connected legacy
 * server is notified of the change.
 *
 * @param roots JSON text, an array of {"uri": "file://...", "name": ...};
 *              copied. NULL: no roots. If roots is NULL before connecting, the
 *              client does not declare the capability, unless on_roots is set
 * @param err   says why the function failed; may be NULL
 */
MCP_API int mcp_client_set_roots(mcp_client *client, const char *roots,
                                 mcp_error *err);

/** Returns "elicitation/create", "sampling/createMessage" or "roots/list". The
 * string is static. */
MCP_API const char *mcp_question_method(const mcp_question *question);
/** Returns the params of the question, an object. Borrowed until the program
 * answers. */
MCP_API const mcp_json *mcp_question_params(const mcp_question *question);
/** Returns the client; NULL if the program has freed it. */
MCP_API mcp_client *mcp_question_client(const mcp_question *question);
/** Returns 1 if the server no longer waits for the answer, else 0. The program
 * must answer in both cases, because the answer frees the question. */
MCP_API int mcp_question_is_cancelled(const mcp_question *question);

/* The program calls one of these functions for each question, inside the
 * handler or later. The function frees the question, unless its comment says
 * that the question is still open. A question may outlive its client.
 * mcp_loop_free frees the questions that have no answer by then.
 *
 * The functions return 0; MCP_ERR_GONE: the server no longer waits for the
 * answer; MCP_ERR_NOMEM or MCP_ERR_LIMIT: the answer cannot be sent
 * (MCP_ERR_LIMIT: too much output waits to be sent). */

/**
 * Answers an elicitation: the user has agreed.
 * @param content the filled-in form, a JSON object as text; NULL: for a URL, or
 *                for an empty form
 * @param err     says why the function failed; may be NULL
 * @return as described above. After these errors the question is still open:
 *         MCP_ERR_SCHEMA: the content does not satisfy the form, takes too many
 *         steps to check, or becomes too large with the form's defaults
 *         (mcp_client_options.apply_defaults);
 *         MCP_ERR_INVALID: the content is not a JSON object, the question asks
 *         the user to visit a URL and there is content, or the question is not
 *         an elicitation
 */
MCP_API int mcp_question_accept(mcp_question *question, const char *content,
                                mcp_error *err);
/** Answers that the user has declined. For sampling and roots it does what
 * mcp_question_fail does with the code MCP_RPC_USER_REJECTED. */
MCP_API int mcp_question_decline(mcp_question *question);
/** Answers an elicitation: the user has closed it without a choice. For other
 * questions it does what mcp_question_decline does. */
MCP_API int mcp_question_cancel(mcp_question *question);
/**
 * Answers sampling or roots.
 * @param result JSON text: for sampling {"role", "content", "model",
 *               "stopReason"}, for roots {"roots": [...]}
 * @param err    says why the function failed; may be NULL
 * @return as described above; MCP_ERR_INVALID: the text is not such a result,
 *         or the question is an elicitation. The question is then still open
 */
MCP_API int mcp_question_answer(mcp_question *question, const char *result,
                                mcp_error *err);
/**
 * Answers that the program cannot answer. A legacy server gets an error with
 * this code and message. In 2026-07-28 the client's own request, for which the
 * server asked the question, completes with MCP_ERR_UNANSWERED.
 * @param message NULL: an empty message
 */
MCP_API int mcp_question_fail(mcp_question *question, int code,
                              const char *message);

MCP_END_DECLS

#endif
