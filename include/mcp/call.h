/* SPDX-License-Identifier: MIT */
/** @file
 * A call: one request while the server handles it, and the ways to answer it.
 *
 * The library validates the arguments before it calls a handler. The handler
 * reads them, adds content, and replies once:
 *
 *     static int on_add(mcp_call *call, void *userdata) {
 *       double sum = mcp_call_number(call, "a") + mcp_call_number(call, "b");
 *       return mcp_call_reply_number(call, sum);
 *     }
 *
 * A handler may also reply later, from any thread (mcp_call_defer), or ask the
 * user first (mcp_call_ask_*). A program writes a handler once, for all
 * revisions and transports. A function that works only on some of them says so.
 *
 * Functions that return `int` and can fail return 0 or an MCP_ERR_*. The
 * mcp_call_ask_* functions may also return MCP_PENDING. A function that fails
 * also records the error on the call. So a handler can end in
 * `return mcp_call_...(...)`: the client then gets the recorded error. If the
 * program passes text that must be JSON and is not, on_report gets the error
 * with a quotation of the text at the fault, and the client gets the error
 * without the quotation. mcp_call_progress, mcp_call_log, mcp_call_logf,
 * mcp_call_on_cancel and mcp_call_close_stream record nothing, and other
 * functions that record nothing say so.
 *
 * Threads: only one thread at a time may use a call. Inside a handler this is
 * the thread that runs the handler: the loop's thread, or a thread of the
 * loop's pool if `is_blocking` is set. After mcp_call_defer it may be any
 * thread. Until the reply, any thread may also call mcp_call_progress,
 * mcp_call_log, mcp_call_logf, mcp_call_close_stream and
 * mcp_call_is_cancelled.
 */
#ifndef MCP_CALL_H
#define MCP_CALL_H

#include <mcp/server.h>
#include <stdarg.h>

MCP_BEGIN_DECLS

/* ---- the request ------------------------------------------------------- */

/** Returns the arguments: an object, which is empty if the client sent no
 * arguments. Borrowed until the reply, like all values and strings that the
 * functions below return, unless they say otherwise. */
MCP_API const mcp_json *mcp_call_arguments(const mcp_call *call);

/** Returns the argument with this name, of any type; NULL if there is no such
 * argument. */
MCP_API const mcp_json *mcp_call_argument(const mcp_call *call,
                                          const char *name);

/** Returns a number argument. Use it if the tool's schema requires the argument
 * and its type. Otherwise 0.0 can also mean that the argument is missing or is
 * not a number. */
MCP_API double mcp_call_number(const mcp_call *call, const char *name);
/** Returns an integer, as mcp_call_number does for numbers. Drops a fraction.
 * Returns INT64_MIN or INT64_MAX if the number does not fit into 64 bits. */
MCP_API int64_t mcp_call_int(const mcp_call *call, const char *name);
/** Returns 1 if the argument is `true`, else 0. */
MCP_API int mcp_call_bool(const mcp_call *call, const char *name);
/**
 * Returns a string argument as a C string.
 *
 * For a string that contains NUL ("\u0000") the function returns NULL, and
 * records the failure on the call. Reason: a schema checks the whole string,
 * but C code reads only up to the NUL. For example, "a\u0000.txt" satisfies the
 * pattern "\.txt$", but a C program would open the file "a". If the handler
 * then returns MCP_ERR_INVALID, the client gets the name of the argument: a
 * tool call gets a result with `isError`, another request the error -32602. Use
 * mcp_call_string_n to read a string that contains NUL.
 *
 * @return NULL if the argument is missing, is not a string, or contains NUL
 */
MCP_API const char *mcp_call_string(const mcp_call *call, const char *name);

/** Returns a string argument and its length in bytes. The string may contain
 * NUL. Records nothing on the call.
 * @param len receives the length, or 0 if the argument is missing or is not a
 *            string; may be NULL
 * @return NULL if the argument is missing or is not a string */
MCP_API const char *mcp_call_string_n(const mcp_call *call, const char *name,
                                      size_t *len);

/**
 * Reads a number, and reports whether it is missing. Records nothing on the
 * call.
 *
 * @param out receives the value; unchanged on failure
 * @return 0;
 *         MCP_ERR_NOT_FOUND: there is no such argument;
 *         MCP_ERR_INVALID: the argument has another type, or `call` or `out` is
 *         NULL
 */
MCP_API int mcp_call_try_number(const mcp_call *call, const char *name,
                                double *out);
/** Reads an integer, as mcp_call_try_number. A number that has a fraction or
 * does not fit into 64 bits is MCP_ERR_INVALID. */
MCP_API int mcp_call_try_int(const mcp_call *call, const char *name,
                             int64_t *out);
/** Reads a boolean, as mcp_call_try_number. */
MCP_API int mcp_call_try_bool(const mcp_call *call, const char *name, int *out);
/** Reads a C string, as mcp_call_try_number. A string that contains NUL is
 * MCP_ERR_INVALID. */
MCP_API int mcp_call_try_string(const mcp_call *call, const char *name,
                                const char **out);

/* These methods, names and URIs contain no NUL: the library refuses a request
 * in which one of them contains NUL. */

/** Returns the method, such as "tools/call". */
MCP_API const char *mcp_call_method(const mcp_call *call);
/** Returns the name of the tool or prompt. For a completion: the name of the
 * prompt, or NULL if the client completes a variable of a resource template;
 * the URI template is then at "/ref/uri" of mcp_call_params. NULL for all other
 * methods. */
MCP_API const char *mcp_call_name(const mcp_call *call);
/** Returns the URI that `resources/read` asks for; NULL for other methods. */
MCP_API const char *mcp_call_uri(const mcp_call *call);
/** Returns the whole `params` object; NULL if the client sent none. */
MCP_API const mcp_json *mcp_call_params(const mcp_call *call);
/** Returns the request's `_meta`; NULL if the client sent none. */
MCP_API const mcp_json *mcp_call_meta(const mcp_call *call);

/** Completion: returns the name of the argument or variable to complete; NULL
 * for other methods. */
MCP_API const char *mcp_call_complete_argument(const mcp_call *call);
/** Completion: returns the text that the user has typed so far; NULL for other
 * methods. Also returns NULL if the text contains NUL, and records this failure
 * as mcp_call_string does. */
MCP_API const char *mcp_call_complete_value(const mcp_call *call);
/** Completion: returns the text that the user has typed so far, which may
 * contain NUL; NULL for other methods.
 * @param len receives the length in bytes; may be NULL */
MCP_API const char *mcp_call_complete_value_n(const mcp_call *call,
                                              size_t *len);
/** Completion: returns the other arguments that the user has already filled in:
 * an object. NULL if the client sent none, and for other methods. */
MCP_API const mcp_json *mcp_call_complete_context(const mcp_call *call);

/* ---- the client and the server ------------------------------------------ */

/** Returns the server that the call belongs to. Borrowed until the server is
 * freed. */
MCP_API mcp_server *mcp_call_server(const mcp_call *call);
/** Returns the loop that the call belongs to. Borrowed until the loop is
 * freed. */
MCP_API mcp_loop *mcp_call_loop(const mcp_call *call);
/** Returns the revision of the protocol in which the server answers this
 * request, such as "2025-11-25". Static. */
MCP_API const char *mcp_call_revision(const mcp_call *call);
/** Returns the legacy session that the request belongs to. Borrowed until the
 * current callback returns.
 * @return NULL: the request is of the modern era, the request came over HTTP to
 *         an endpoint without sessions, the session has ended, the call is a
 *         task (mcp/tasks.h), or this is not the loop's thread */
MCP_API mcp_session *mcp_call_session(const mcp_call *call);
/** Returns the principal: the client's identity, which the transport, the
 * program or the check of a token has verified
 * (mcp_connection_options.principal, mcp_http_request.principal,
 * mcp_http_options.protect). NULL: not known. */
MCP_API const char *mcp_call_principal(const mcp_call *call);
/** Returns the claims of the access token that came with the request: an object
 * such as {"sub":"anna","aud":"https://example.com/mcp",...}. Borrowed until
 * the call is over. Any thread that may use the call may use them.
 * @return NULL: no token was demanded (mcp_http_options.protect), or nothing
 *         more is known of it, as of a fixed token */
MCP_API const mcp_json *mcp_call_claims(const mcp_call *call);
/** Returns the scopes of the access token that came with the request, with one
 * space between them. Borrowed until the call is over. "": it has none, or no
 * token was demanded. NULL: `call` is NULL. */
MCP_API const char *mcp_call_scopes(const mcp_call *call);
/** Returns 1 if the access token of the request has each of these scopes, with
 * one space between them; else 0. The library has already checked those of
 * mcp_tool.scopes. If no token was demanded, there is nothing to check, and the
 * result is 1: a server over standard input and output serves the user who
 * started it. NULL for `scopes`: 1. NULL for `call`: 0. */
MCP_API int mcp_call_has_scopes(const mcp_call *call, const char *scopes);
/** Returns the client's address, such as "127.0.0.1:4711"; NULL: not known. */
MCP_API const char *mcp_call_peer(const mcp_call *call);
/** Returns the Implementation object that the client sent (its name, version
 * and more), or NULL. A client can write anything there: a program may show it,
 * but should make no decision by it. */
MCP_API const mcp_json *mcp_call_client_info(const mcp_call *call);
/** Returns the capabilities that the client declared: an object, which is empty
 * if it declared none. */
MCP_API const mcp_json *mcp_call_client_capabilities(const mcp_call *call);
/** Returns 1 if the client declared the capability, else 0.
 * @param capability a dotted path, such as "sampling.tools" or
 *                   "elicitation.url" */
MCP_API int mcp_call_client_has(const mcp_call *call, const char *capability);

/* ---- content ----------------------------------------------------------- */

/*
 * Each function adds one piece of content to the reply. In the result of a
 * tool, the piece is a content block. In the result of a prompt, it is a
 * message in the current role (mcp_call_set_role). For a resource, the
 * functions that add text work too: each adds one entry to `contents`. The
 * content is copied. The functions return
 * - 0;
 * - MCP_ERR_INVALID: the call has its reply, its method has no such content, or
 *   the content is NULL, not UTF-8 or not valid;
 * - MCP_ERR_PARSE: mcp_content.meta is not JSON;
 * - MCP_ERR_NOMEM.
 *
 * A handler need not check each function. After MCP_ERR_NOMEM the reply fails
 * too. After another error the reply is sent without this piece, and the
 * library reports the error to on_report.
 */

/** Adds content of any type. */
MCP_API int mcp_call_add_content(mcp_call *call, const mcp_content *content);
/** Adds a text, which is NUL-terminated UTF-8. */
MCP_API int mcp_call_add_text(mcp_call *call, const char *text);
/** Adds a text of `len` bytes, which may contain NUL. */
MCP_API int mcp_call_add_text_n(mcp_call *call, const char *text, size_t len);
/** Adds a text that is formatted as printf formats it. */
MCP_API int mcp_call_add_textf(mcp_call *call, const char *format, ...)
    MCP_PRINTF(2, 3);
/** Adds an image of `len` bytes, which the server sends as base64. `data` and
 * `mime_type` are required. */
MCP_API int mcp_call_add_image(mcp_call *call, const void *data, size_t len,
                               const char *mime_type);
/** Adds audio of `len` bytes, as mcp_call_add_image adds an image. */
MCP_API int mcp_call_add_audio(mcp_call *call, const void *data, size_t len,
                               const char *mime_type);

/** Prompts: sets the role (MCP_ROLE_*) of the messages that the handler adds
 * from now on. The default is MCP_ROLE_USER. Returns 0 or MCP_ERR_INVALID. */
MCP_API int mcp_call_set_role(mcp_call *call, int role);

/** Prompts: sets the description of the result. Copied. Returns 0,
 * MCP_ERR_INVALID or MCP_ERR_NOMEM. */
MCP_API int mcp_call_set_description(mcp_call *call, const char *description);

/** Resources: adds an entry with a text to `contents`. All is copied.
 * @param uri       NULL: the URI of the request
 * @param mime_type NULL: the MIME type of the registered resource
 * @param text      UTF-8; required */
MCP_API int mcp_call_add_resource_text(mcp_call *call, const char *uri,
                                       const char *mime_type, const char *text);
/** Resources: adds an entry with a text of `len` bytes, which may contain NUL,
 * as mcp_call_add_resource_text. Since 0.2. */
MCP_API int mcp_call_add_resource_text_n(mcp_call *call, const char *uri,
                                         const char *mime_type,
                                         const char *text, size_t len);
/** Resources: adds an entry with `len` bytes to `contents`, which the server
 * sends as base64. `uri` and `mime_type` as in mcp_call_add_resource_text. */
MCP_API int mcp_call_add_resource_data(mcp_call *call, const char *uri,
                                       const char *mime_type, const void *data,
                                       size_t len);

/**
 * Tools: sets the structured result.
 *
 * The reply function checks the result with the output schema. If the result
 * does not satisfy the schema, the reply function returns MCP_ERR_SCHEMA, and
 * the client gets the error -32603 with the reason. If the check takes too many
 * steps, the reply function returns MCP_ERR_LIMIT.
 *
 * If the handler adds no content, the library adds the JSON text as a text
 * block, as the protocol recommends. `structuredContent` depends on the
 * revision:
 * - 2026-07-28: the server sends any value;
 * - 2025-06-18 and 2025-11-25: the server sends only an object;
 * - earlier: the server does not send it.
 *
 * @param json JSON text, copied; the reply function parses it
 * @return 0;
 *         MCP_ERR_INVALID: not a tool call, the call has its reply, or `json`
 *         is NULL or not UTF-8;
 *         MCP_ERR_NOMEM
 */
MCP_API int mcp_call_set_structured(mcp_call *call, const char *json);

/**
 * Tools: begins the structured result, and returns the builder that writes it.
 * The reply function sends the text that the builder holds at that time.
 *
 *     mcp_builder *result = mcp_call_structured(call);
 *     mcp_builder_object(result, NULL);
 *     mcp_builder_number(result, "sum", 5);
 *     mcp_builder_end(result);
 *     return mcp_call_reply(call);
 *
 * The handler need not check what the functions of the builder return. The
 * reply function checks the result as after mcp_call_set_structured, and also
 * checks the builder:
 * - If a function of the builder has failed, the reply function returns the
 *   builder's error. The handler can return this error, and the client then
 *   gets it; or the handler can reply in another way.
 * - If the result is unfinished (there is no value, or an array or object is
 *   not ended), the reply function returns MCP_ERR_INVALID.
 *
 * A second call of this function empties the builder, and the result begins
 * again. If a handler uses several of mcp_call_structured,
 * mcp_call_set_structured and mcp_call_reply_builder, the server sends the
 * result of the last one.
 *
 * Only the thread that uses the call may call this function and the functions
 * of the builder.
 *
 * @return borrowed until the reply, so the program must not free it. NULL: out
 *         of memory, the call is not a tool call, or it has its reply already.
 *         The failure is recorded on the call. The functions of the builder
 *         accept NULL. Since 0.2.
 */
MCP_API mcp_builder *mcp_call_structured(mcp_call *call);

/** Completion: adds one suggestion. Copied. The server sends the first 100;
 * further suggestions only increase `total`. Returns 0, MCP_ERR_INVALID or
 * MCP_ERR_NOMEM. */
MCP_API int mcp_call_add_completion(mcp_call *call, const char *value);

/** Resources and the program's own methods, 2026-07-28: sets how long clients
 * may cache this result. Has no effect on earlier revisions. The result of an
 * own method says nothing about caches without it (for own methods since 0.2).
 * @param ttl_ms    in milliseconds
 * @param is_public 1: caches may share the result among users ("public"); 0:
 *                  they may not ("private")
 * @return 0 or MCP_ERR_INVALID */
MCP_API int mcp_call_set_cache(mcp_call *call, uint64_t ttl_ms, int is_public);

/** Adds a member to the result's `_meta`.
 * @param json JSON text; copied
 * @return 0;
 *         MCP_ERR_INVALID: the key is empty or already set, a parameter is NULL
 *         or not UTF-8, a member occurs twice in an object of `json`, or the
 *         call has its reply;
 *         MCP_ERR_PARSE: `json` is not JSON;
 *         MCP_ERR_NOMEM */
MCP_API int mcp_call_set_meta(mcp_call *call, const char *key,
                              const char *json);

/* ---- the reply --------------------------------------------------------- */

/*
 * A handler calls exactly one of these functions for each call. They return
 * - 0: the reply is sent. On another thread than the loop's: the reply is
 *   handed to the loop, which may find an error later, such as a result that
 *   does not satisfy its schema;
 * - MCP_ERR_GONE: the client no longer waits. The program need not do anything;
 * - MCP_ERR_INVALID: the call has a reply already, a parameter is not valid, or
 *   the function does not fit the method;
 * - MCP_ERR_NOMEM;
 * - the error of an earlier function: MCP_ERR_NOMEM while content was added, or
 *   an error of the builder;
 * - the error that the check of the result found: for example, a member occurs
 *   twice (MCP_ERR_INVALID). The library also reports this error to on_report,
 *   whichever thread has replied.
 */

/** Replies with the content that the handler has added. A reply without content
 * is valid. */
MCP_API int mcp_call_reply(mcp_call *call);

/** Adds a text, and replies. */
MCP_API int mcp_call_reply_text(mcp_call *call, const char *text);
/** Adds a text of `len` bytes, which may contain NUL, and replies. Since 0.2.
 */
MCP_API int mcp_call_reply_text_n(mcp_call *call, const char *text, size_t len);
/** Adds a text that is formatted as printf formats it, and replies. */
MCP_API int mcp_call_reply_textf(mcp_call *call, const char *format, ...)
    MCP_PRINTF(2, 3);
/** Adds a number as text, and replies. The text has the fewest digits that read
 * back as the same double ("3", not "3.0"), and does not depend on the locale.
 * NaN and infinity become "NaN", "Infinity" and "-Infinity". */
MCP_API int mcp_call_reply_number(mcp_call *call, double number);
/** Tools: calls mcp_call_set_structured, then mcp_call_reply. */
MCP_API int mcp_call_reply_structured(mcp_call *call, const char *json);
/**
 * Tools: replies with the structured result in a builder that the program has
 * made. mcp_call_structured is simpler, because it provides the builder, and
 * copies less.
 *
 * @param builder its text is copied; the program may clear, reuse or free the
 *                builder afterwards. NULL (mcp_builder_new failed): returns
 *                MCP_ERR_NOMEM
 * @return as mcp_call_reply_structured; also the builder's error, and
 *         MCP_ERR_INVALID if its text is unfinished. Since 0.2.
 */
MCP_API int mcp_call_reply_builder(mcp_call *call, mcp_builder *builder);

/** Replies that the tool failed. The result has `isError`, the content that the
 * handler has added, and this text, which the model reads. For other methods
 * the client gets the error -32603 with this text. The text is formatted as
 * printf formats it. */
MCP_API int mcp_call_reply_failure(mcp_call *call, const char *format, ...)
    MCP_PRINTF(2, 3);
/** Does what mcp_call_reply_failure does, with a text of `len` bytes, which is
 * not formatted and may contain NUL. It is for text that the program has, and
 * for languages that cannot call a function with a variable number of
 * arguments. Since 0.2. */
MCP_API int mcp_call_reply_failure_n(mcp_call *call, const char *text,
                                     size_t len);

/**
 * Replies with a JSON-RPC error.
 *
 * 2026-07-28 reserves -32020 ... -32099 for the protocol. In this revision the
 * library replaces two kinds of codes, and reports that to on_report:
 * - -32002 (resource not found) is sent as -32602;
 * - a code of the reserved range that the revision does not define, such as
 *   -32042, is sent as -32603.
 *
 * @param code    not 0. For errors of its own, the program uses codes outside
 *                the range -32768 ... -32000
 * @param message UTF-8; required
 * @param data    JSON text; NULL: no data
 * @return as above; also MCP_ERR_PARSE: `data` is not JSON
 */
MCP_API int mcp_call_reply_error(mcp_call *call, int code, const char *message,
                                 const char *data);

/** Replies with a result of the program's own method (mcp_method). The library
 * adds the members that the revision requires (`resultType`, `_meta`) if they
 * are missing.
 * @param json JSON text of an object, copied. The reply fails if the text is
 *             not JSON (MCP_ERR_PARSE), or if it is not an object or its
 *             `_meta` has a member that mcp_call_set_meta has set
 *             (MCP_ERR_INVALID) */
MCP_API int mcp_call_reply_json(mcp_call *call, const char *json);

/** A URL that the user must visit; mcp_call_ask_url describes such visits. */
typedef struct mcp_url_elicitation {
  /** Identifies the visit, for mcp_session_elicitation_complete. Required. */
  const char *elicitation_id;
  /** Required. */
  const char *url;
  /** Tells the user why; required. */
  const char *message;
  /** Room for members of later versions; must be NULL. */
  const void *reserved[2];
} mcp_url_elicitation;
/** 2025-11-25: replies with the error -32042: the user must visit these URLs
 * before the request can succeed.
 * @param urls  `count` URLs, at least 1; copied
 * @return as above;
 *         MCP_ERR_UNSUPPORTED: another revision; use mcp_call_ask_url there;
 *         MCP_ERR_CAPABILITY: the client did not declare `elicitation.url` */
MCP_API int mcp_call_reply_urls_required(mcp_call *call,
                                         const mcp_url_elicitation *urls,
                                         size_t count);

/* ---- later replies, progress and logs ------------------------------------ */

/**
 * Keeps the call after the handler has returned. The program owns the call
 * until it replies or calls mcp_call_drop, even if the client, the connection
 * or the server ends first. The program must do one or the other before
 * mcp_loop_free.
 *
 * A handler that asks (mcp_call_ask_*) must have all answers before it defers.
 * If it defers earlier, the open questions are not sent, and the library
 * reports that to on_report. The library also reports the mistake if a handler
 * first defers and then asks or returns MCP_PENDING.
 *
 * @return 0;
 *         MCP_ERR_INVALID: outside a handler, or after the reply;
 *         MCP_ERR_NOMEM
 */
MCP_API int mcp_call_defer(mcp_call *call);

/** Ends a deferred call without a reply. The client gets the error -32603, and
 * the library reports the call to on_report. The program must not use the call
 * afterwards. Does nothing if the call is not deferred, or has its reply. NULL
 * is accepted. */
MCP_API void mcp_call_drop(mcp_call *call);

/**
 * Sends a progress notification if the client asked for progress. Callable from
 * any thread until the reply.
 *
 * In a task (mcp/tasks.h) this becomes the task's status message, such as
 * "reading (3 of 10)", "reading" without a total, or "3 of 10" without a
 * message, whether the client asked for progress or not. There `progress` need
 * not increase.
 *
 * @param progress finite, and greater than in the last call
 * @param total    0: not known
 * @param message  UTF-8; NULL: no message. Clients of 2024-11-05 never get one.
 * @return 0, also if the client did not ask for progress;
 *         MCP_ERR_INVALID: `progress` is not finite, the message is not UTF-8,
 *         or `progress` did not increase (only on the loop's thread: on another
 *         thread the function returns 0 in this case);
 *         MCP_ERR_GONE: the client no longer waits; MCP_ERR_NOMEM
 *
 * If `progress` did not increase, the library does not send the notification.
 * It reports that to on_report the first time that it happens for this
 * mcp_call, but not after the client has gone.
 */
MCP_API int mcp_call_progress(mcp_call *call, double progress, double total,
                              const char *message);

/**
 * Tools: sends the client, before the reply, the content that the program has
 * added since the last flush, if the transport can. The final reply still
 * contains all content. So nothing is lost if the transport cannot send the
 * content early, or if the client reads slowly.
 *
 * - On an event stream of the mcp-core dialect the server sends an event
 *   `result` with this content.
 * - Elsewhere, if the client asked for progress and the program has not called
 *   mcp_call_progress, the server sends a progress notification. Its progress
 *   is 1, 2, 3 ..., and its message is the text of the content. From then on
 *   mcp_call_progress must continue with greater numbers.
 * - In all other cases the client gets the content only with the reply.
 *
 * Call this function only after the last question (mcp_call_ask_*): a handler
 * that runs again would send the same content again. Structured content and
 * `_meta` are sent only with the reply. Only the thread that uses the call may
 * call this function.
 *
 * @return 0, also if there is nothing new, or if the transport cannot send it;
 *         MCP_ERR_INVALID: not a tool call, or the call has its reply;
 *         MCP_ERR_GONE: the client no longer waits; MCP_ERR_NOMEM
 */
MCP_API int mcp_call_flush(mcp_call *call);

/**
 * Sends a log message to the client if `level` is at least the level that the
 * client has set. A legacy client that has set no level gets messages from
 * MCP_LOG_INFO on; in 2026-07-28 a request that states no level gets none.
 * Needs mcp_server_enable_logging. Callable from any thread until the reply.
 *
 * @param level  MCP_LOG_*
 * @param logger the name of the part that logs, UTF-8; NULL: no name
 * @param data   JSON text; required
 * @return 0, also if the client does not want the message;
 *         MCP_ERR_INVALID: the level is not MCP_LOG_*, `data` is NULL, a member
 *         occurs twice in an object of `data`, or `logger` is not UTF-8;
 *         MCP_ERR_PARSE: `data` is not JSON;
 *         MCP_ERR_LIMIT: `data` is too deep;
 *         MCP_ERR_GONE: the client no longer waits; MCP_ERR_NOMEM
 *
 * When mcp_call_log or mcp_call_logf returns MCP_ERR_INVALID, MCP_ERR_PARSE or
 * MCP_ERR_LIMIT for the first time for this mcp_call, the library reports the
 * reason to on_report, but not after the client has gone.
 */
MCP_API int mcp_call_log(mcp_call *call, int level, const char *logger,
                         const char *data);
/** Sends a text as mcp_call_log does, without the name of a logger. The text is
 * formatted as printf formats it, and must be UTF-8.
 * @return as mcp_call_log; MCP_ERR_INVALID also if the text cannot be formatted
 *         or is not UTF-8 */
MCP_API int mcp_call_logf(mcp_call *call, int level, const char *format, ...)
    MCP_PRINTF(3, 4);

/**
 * Closes the HTTP connection on which the client waits for the answer. The call
 * goes on. The client connects again later, and gets the messages that it
 * missed. Use it for calls that take long. It works only for clients of
 * 2025-11-25 with a session over Streamable HTTP, and not in a task. Callable
 * from any thread until the reply. When the client has connected again, the
 * program may call it again.
 *
 * @param retry_ms how long the client waits before it connects again, in
 *                 milliseconds; 0: mcp_http_options.retry_ms
 * @return 0: the connection is closed, or the client is not connected now. On
 *         another thread than the loop's: the loop closes it later;
 *         MCP_ERR_UNSUPPORTED: this client cannot connect again;
 *         MCP_ERR_GONE: the client no longer waits; MCP_ERR_NOMEM
 */
MCP_API int mcp_call_close_stream(mcp_call *call, uint32_t retry_ms);

/** Returns 1 if the client cancelled the call or disconnected, else 0. After
 * that the library does not send the reply. In a task (mcp/tasks.h): returns 1
 * if the client cancelled the task, its time is over, or the server ends. The
 * task goes on when its client disconnects. Callable from any thread until the
 * reply. */
MCP_API int mcp_call_is_cancelled(const mcp_call *call);

/**
 * Sets a function that the library calls once, on the loop's thread, when the
 * client cancels the call or disconnects. In a task, the library calls it in
 * the cases in which mcp_call_is_cancelled begins to return 1. The program must
 * still reply.
 *
 * The library does not call the function after the reply. If the program
 * replies on another thread, the cancellation may arrive at the same time:
 * protect shared data with a lock.
 *
 * When a handler returns and has not called mcp_call_defer, the library removes
 * the function. So a handler that runs again after a question must set it
 * again.
 *
 * @param on_cancel NULL: removes the function
 * @return 0;
 *         MCP_ERR_GONE: the call is already cancelled; the library does not
 *         call the function;
 *         MCP_ERR_INVALID: the call has its reply; MCP_ERR_NOMEM
 */
MCP_API int mcp_call_on_cancel(mcp_call *call,
                               void (*on_cancel)(mcp_call *call,
                                                 void *userdata),
                               void *userdata);

/* ---- asking (MCP, Client Features) --------------------------------------- */

/*
 * A handler of a tool, prompt or resource may ask the client's user
 * (mcp_call_ask_elicit, mcp_call_ask_url), ask the client's model
 * (mcp_call_ask_sample), or ask the client for its roots (mcp_call_ask_roots).
 *
 * If the client has already answered, the function returns 0 and sets *answer.
 * If not, the library keeps the question, and the function returns MCP_PENDING.
 * The handler may then ask more questions. After that it must return
 * MCP_PENDING, and the library sends these questions together: this is a round.
 * When all answers have arrived, the library runs the handler again from its
 * start.
 *
 *     const mcp_json *answer;
 *     int rc = mcp_call_ask_elicit(call, "sure", &question, &answer);
 *     if (rc != 0) {
 *       return rc;
 *     }
 *
 * So the code before the last question may run several times. In 2026-07-28 it
 * may even run in another process. Do nothing there that must not be repeated.
 * In 2026-07-28 a client may also send the same answer again until it expires
 * (mcp_limits.ask_timeout_ms). If an action must happen only once, the program
 * has to check that itself.
 *
 * The functions record all errors on the call. They return
 * - 0: `answer` is set;
 * - MCP_PENDING: there is no answer yet;
 * - MCP_ERR_CAPABILITY: the client did not declare the capability that the
 *   question needs, or this is a legacy request over HTTP without a session (so
 *   the server cannot ask the client);
 * - MCP_ERR_UNSUPPORTED: the client's revision has no such question;
 * - MCP_ERR_INVALID: the question is not valid, the handler has used the same
 *   key for a different question, or the handler has deferred or replied;
 * - MCP_ERR_PROTOCOL: the answer is malformed or does not satisfy the form; the
 *   client gets -32602;
 * - MCP_ERR_UNANSWERED: the client did not answer;
 * - MCP_ERR_LIMIT: the call has had mcp_limits.max_rounds rounds of questions
 *   already, or the answers and the state (mcp_call_set_state) together are
 *   longer than 64 KB;
 * - MCP_ERR_PLATFORM: the platform cannot encrypt (mcp_platform.seal, unseal
 *   and random);
 * - MCP_ERR_NOMEM.
 *
 * `key` is a string that identifies the question within the call. Each question
 * needs a different key. Copied.
 *
 * `answer` receives the answer, borrowed until the reply; unchanged on failure.
 * For an elicitation it is an object with the members `action` and `content`.
 */

/** A question to the user with a form (since 2025-06-18). */
typedef struct mcp_elicitation {
  /** sizeof(mcp_elicitation); MCP_ELICITATION_INIT sets it. */
  size_t size;
  /** The text that the client shows to the user; required. */
  const char *message;
  /** The form: the schema of an object. Its fields are strings, numbers,
   * booleans and choices, not objects. Each default must satisfy its field.
   * Required.
   *
   * The library checks the answer with the form as it was sent to the client,
   * including `format`. It neither sends nor checks `additionalProperties` and
   * `pattern`, because forms of the protocol do not have them. A handler that
   * needs them must check the answer itself. */
  const mcp_schema *form;
} mcp_elicitation;

#define MCP_ELICITATION_INIT MCP_INIT_(mcp_elicitation)

/** Asks the user to fill in a form. */
MCP_API int mcp_call_ask_elicit(mcp_call *call, const char *key,
                                const mcp_elicitation *question,
                                const mcp_json **answer);

/** Asks the user to visit a URL (since 2025-11-25). The action `accept` means
 * that the user agreed to open it, not that the visit is finished.
 * @param message        tells the user why; required
 * @param url            required
 * @param elicitation_id the id that 2025-11-25 requires; NULL: the library
 *                       makes one */
MCP_API int mcp_call_ask_url(mcp_call *call, const char *key,
                             const char *message, const char *url,
                             const char *elicitation_id,
                             const mcp_json **answer);

/** The action in the answer to an elicitation. */
enum {
  MCP_ACTION_NONE = 0,
  MCP_ACTION_ACCEPT,
  MCP_ACTION_DECLINE,
  MCP_ACTION_CANCEL
};
/** Returns MCP_ACTION_*; MCP_ACTION_NONE if `answer` is NULL or is not the
 * answer to an elicitation. */
MCP_API int mcp_answer_action(const mcp_json *answer);

/** A question to the client's model. */
typedef struct mcp_sampling {
  /** sizeof(mcp_sampling); MCP_SAMPLING_INIT sets it. */
  size_t size;
  /** A JSON array of messages, as text; NULL: one message with `prompt`. A
   * message may contain blocks of type audio only since 2025-03-26, and of type
   * tool_use and tool_result only since 2025-11-25. With an earlier revision
   * mcp_call_ask_sample returns MCP_ERR_UNSUPPORTED for them. */
  const char *messages;
  /** The text of one message of the user. Required if `messages` is NULL; else
   * not used. */
  const char *prompt;
  /** NULL: not sent. */
  const char *system_prompt;
  /** The largest number of tokens that the model may write; required, at least
   * 1. */
  int64_t max_tokens;
  /** Other members of the request, as JSON without the braces, such as
   * MCP_JSON("temperature": 0.2). The protocol has `temperature`,
   * `stopSequences`, `modelPreferences`, `metadata` and `includeContext`. NULL:
   * none. Since 2025-11-25 an `includeContext` other than "none" needs the
   * client's capability `sampling.context`. A member `task` is left out
   * (mcp_tasks_options.ask_as_tasks). */
  const char *more;
  /** A JSON array of tools, as text, that the model may use (since 2025-11-25).
   * Needs the client's capability `sampling.tools`. NULL: not sent. */
  const char *tools;
  /** "auto", "required" or "none"; needs the same capability. NULL: not
   * sent. */
  const char *tool_choice;
} mcp_sampling;

#define MCP_SAMPLING_INIT MCP_INIT_(mcp_sampling)

/** Asks the client's model. The answer is an object with the members `role`,
 * `content` and `model`. */
MCP_API int mcp_call_ask_sample(mcp_call *call, const char *key,
                                const mcp_sampling *question,
                                const mcp_json **answer);

/** Asks for the client's roots. The answer is an object with an array
 * `roots`. */
MCP_API int mcp_call_ask_roots(mcp_call *call, const char *key,
                               const mcp_json **answer);

/** Sets a value that the next run of the handler gets by mcp_call_state. If a
 * run does not call this function, the value of the earlier run stays. In
 * 2026-07-28 the server sends the value to the client, encrypted, and the
 * client sends it back with the answers. In a task (mcp/tasks.h) the library
 * stores the value soon after this function returns. If the process ends while
 * the handler runs, a run in the next process gets it
 * (mcp_tasks_options.on_resume). If it cannot be stored, the library reports
 * that to on_report.
 * @param json JSON text, copied; at most 64 KB together with the answers
 * @return 0; MCP_ERR_INVALID: a parameter is NULL, or a member occurs twice in
 *         an object of `json`; MCP_ERR_PARSE; MCP_ERR_LIMIT; MCP_ERR_NOMEM */
MCP_API int mcp_call_set_state(mcp_call *call, const char *json);
/** Returns the value that an earlier run set; NULL if no run did. Borrowed
 * until the reply. */
MCP_API const mcp_json *mcp_call_state(const mcp_call *call);

MCP_END_DECLS

#endif
