/* SPDX-License-Identifier: MIT */
/** @file
 * A call: one request while it is handled, and the ways to answer it.
 *
 * A handler reads the arguments, which have been validated, adds content, and
 * replies once:
 *
 *     static int on_add(mcp_call *call, void *userdata) {
 *       double sum = mcp_call_number(call, "a") + mcp_call_number(call, "b");
 *       return mcp_call_reply_number(call, sum);
 *     }
 *
 * It may also answer later, from any thread (mcp_call_defer), or ask the user
 * first (mcp_call_ask_*). Nothing here depends on the revision that the client
 * speaks or on the transport.
 *
 * Every function returns 0 or an MCP_ERR_*; a failure is also recorded on the
 * call, so that `return mcp_call_...(...)` answers with the right error.
 * (Not of progress and logs, which may come from another thread.)
 *
 * Threads: the thread that holds the call: the loop's inside a handler (or the
 * pool's, for a blocking one), and after mcp_call_defer any one thread at a
 * time. Progress, logs and mcp_call_is_cancelled may come from any thread.
 */
#ifndef MCP_CALL_H
#define MCP_CALL_H

#include <mcp/server.h>
#include <stdarg.h>

MCP_BEGIN_DECLS

/* ---- what was asked for ------------------------------------------------ */

/** The arguments: an object, empty when the client sent none. Borrowed until
 * the reply, as are all values and strings below. */
MCP_API const mcp_json *mcp_call_arguments(const mcp_call *call);

/** One argument, or NULL. */
MCP_API const mcp_json *mcp_call_argument(const mcp_call *call,
                                          const char *name);

/** Plain accessors, for what the schema has guaranteed: 0, 0.0 or NULL for
 * what is missing or of another type.
 *
 * mcp_call_string gives NULL for a string that contains NUL ("\u0000") too,
 * whatever the schema: such a string passes the pattern ".txt$" as
 * "a\u0000.txt", and is "a" for a reader of C strings. The failure is recorded
 * on the call. So a handler checks for NULL and returns MCP_ERR_INVALID: the
 * client then learns which argument is at fault, by a tool's result with
 * `isError` or by the error -32602. mcp_call_string_n gives such strings
 * whole. */
MCP_API double mcp_call_number(const mcp_call *call, const char *name);
MCP_API int64_t mcp_call_int(const mcp_call *call, const char *name);
MCP_API int mcp_call_bool(const mcp_call *call, const char *name);
MCP_API const char *mcp_call_string(const mcp_call *call, const char *name);

/** Gives a string argument with its length in bytes, also when it contains NUL.
 * @param len may be NULL; set to 0 when the argument is missing or not a string
 * @return NULL when the argument is missing or not a string; nothing is
 *         recorded on the call then */
MCP_API const char *mcp_call_string_n(const mcp_call *call, const char *name,
                                      size_t *len);

/** The same, telling missing from zero: 0 and *out set, or MCP_ERR_NOT_FOUND,
 * or MCP_ERR_INVALID (another type, or a string that contains NUL); *out
 * unchanged. Nothing is recorded on the call. */
MCP_API int mcp_call_try_number(const mcp_call *call, const char *name,
                                double *out);
MCP_API int mcp_call_try_int(const mcp_call *call, const char *name,
                             int64_t *out);
MCP_API int mcp_call_try_bool(const mcp_call *call, const char *name, int *out);
MCP_API int mcp_call_try_string(const mcp_call *call, const char *name,
                                const char **out);

/* Methods, names and URIs never contain NUL: the library answers such requests
 * with an error of its own. */

/** The method, such as "tools/call". */
MCP_API const char *mcp_call_method(const mcp_call *call);
/** The tool's or prompt's name, or NULL; of a completion, the prompt's. */
MCP_API const char *mcp_call_name(const mcp_call *call);
/** The URI of a resource that is read, or NULL. */
MCP_API const char *mcp_call_uri(const mcp_call *call);
/** The whole params object, or NULL. */
MCP_API const mcp_json *mcp_call_params(const mcp_call *call);
/** The request's `_meta`, or NULL. */
MCP_API const mcp_json *mcp_call_meta(const mcp_call *call);

/** Completion: the argument or variable to complete, what is typed so far, and
 * the other arguments already given (an object, or NULL). What is typed is NULL
 * when it contains NUL, which is recorded as mcp_call_string does;
 * mcp_call_complete_value_n gives it whole. */
MCP_API const char *mcp_call_complete_argument(const mcp_call *call);
MCP_API const char *mcp_call_complete_value(const mcp_call *call);
MCP_API const char *mcp_call_complete_value_n(const mcp_call *call,
                                              size_t *len);
MCP_API const mcp_json *mcp_call_complete_context(const mcp_call *call);

/* ---- who asks ---------------------------------------------------------- */

MCP_API mcp_server *mcp_call_server(const mcp_call *call);
MCP_API mcp_loop *mcp_call_loop(const mcp_call *call);
/** The revision in which this request is answered. Static. */
MCP_API const char *mcp_call_revision(const mcp_call *call);
/** The legacy session, or NULL (on any thread but the loop's, too, and over
 * HTTP without sessions); borrowed, and only until the next callback. */
MCP_API mcp_session *mcp_call_session(const mcp_call *call);
/** Who the caller is proven to be, or NULL. */
MCP_API const char *mcp_call_principal(const mcp_call *call);
/** Where the caller is, or NULL. */
MCP_API const char *mcp_call_peer(const mcp_call *call);
/** What the client says of itself (an Implementation object), or NULL: for
 * display, never for decisions. */
MCP_API const mcp_json *mcp_call_client_info(const mcp_call *call);
/** What the client says it can do: an object. */
MCP_API const mcp_json *mcp_call_client_capabilities(const mcp_call *call);
/** Whether the client declared a capability, by its dotted path, such as
 * "sampling.tools" or "elicitation.url". 1 or 0. */
MCP_API int mcp_call_client_has(const mcp_call *call, const char *capability);

/* ---- content ----------------------------------------------------------- */

/* Each adds one piece of content to the reply: of a tool, a block; of a prompt,
 * a message in the current role. */

MCP_API int mcp_call_add_content(mcp_call *call, const mcp_content *content);
MCP_API int mcp_call_add_text(mcp_call *call, const char *text);
MCP_API int mcp_call_add_text_n(mcp_call *call, const char *text, size_t len);
MCP_API int mcp_call_add_textf(mcp_call *call, const char *format, ...)
    MCP_PRINTF(2, 3);
MCP_API int mcp_call_add_image(mcp_call *call, const void *data, size_t len,
                               const char *mime_type);
MCP_API int mcp_call_add_audio(mcp_call *call, const void *data, size_t len,
                               const char *mime_type);

/** Prompts: whose words follow; MCP_ROLE_USER at first. */
MCP_API int mcp_call_set_role(mcp_call *call, int role);

/** Prompts: a description of this result. */
MCP_API int mcp_call_set_description(mcp_call *call, const char *description);

/** Resources: adds one entry of contents. `uri` NULL: the one asked for;
 * `mime_type` NULL: the registered one. */
MCP_API int mcp_call_add_resource_text(mcp_call *call, const char *uri,
                                       const char *mime_type, const char *text);
MCP_API int mcp_call_add_resource_data(mcp_call *call, const char *uri,
                                       const char *mime_type, const void *data,
                                       size_t len);

/** Tools: the structured result, as JSON text. It must satisfy the output
 * schema: the reply fails otherwise (MCP_ERR_SCHEMA, or MCP_ERR_LIMIT when
 * checking costs too much). When no other content is added, its text is added
 * as content, as the protocol recommends; revisions that have no structured
 * results get that alone. */
MCP_API int mcp_call_set_structured(mcp_call *call, const char *json);

/**
 * Tools: begins the structured result, and returns the builder that writes it.
 * The reply takes the text from the builder as it is.
 *
 *     mcp_builder *result = mcp_call_structured(call);
 *     mcp_builder_object(result, NULL);
 *     mcp_builder_number(result, "sum", 5);
 *     mcp_builder_end(result);
 *     return mcp_call_reply(call);
 *
 * The reply checks the result as it does that of mcp_call_set_structured. When
 * the builder has failed, the reply fails with the builder's error, and so does
 * the call when the handler returns this error without a reply. A result that
 * is not whole (there is no value, or an array or object is not ended) makes
 * the reply fail with MCP_ERR_INVALID. So a handler need not check what the
 * functions of the builder return.
 *
 * A second call empties the builder and begins again. Of this function,
 * mcp_call_set_structured and mcp_call_reply_builder, the last one that was
 * called gives the result.
 *
 * Runs on the thread that holds the call; so do the builder's functions.
 *
 * @return borrowed until the reply, so the program must not free it; NULL when
 *         out of memory, or when the call is not a tool's or has its reply,
 *         which is recorded on the call. The builder's functions accept NULL.
 *         Since 0.2.
 */
MCP_API mcp_builder *mcp_call_structured(mcp_call *call);

/** Completion: adds one suggestion; past 100 they are counted and not sent. */
MCP_API int mcp_call_add_completion(mcp_call *call, const char *value);

/** 2026-07-28: how long this reading of a resource may be cached. */
MCP_API int mcp_call_set_cache(mcp_call *call, uint64_t ttl_ms, int is_public);

/** Adds a member to the result's `_meta`. */
MCP_API int mcp_call_set_meta(mcp_call *call, const char *key,
                              const char *json);

/* ---- the reply --------------------------------------------------------- */

/* Exactly one for each call. Each returns MCP_ERR_GONE when nobody waits any
 * more (which needs no action), MCP_ERR_INVALID after a reply. Away from the
 * loop's thread 0 says that the reply is on its way there: a fault that is
 * found then, such as a result that breaks its schema, goes to on_report. */

/** Sends what was added; nothing at all is a legal reply too. */
MCP_API int mcp_call_reply(mcp_call *call);

/** Adds one piece and replies. */
MCP_API int mcp_call_reply_text(mcp_call *call, const char *text);
MCP_API int mcp_call_reply_textf(mcp_call *call, const char *format, ...)
    MCP_PRINTF(2, 3);
/** 3 rather than 3.0; the locale is not asked. */
MCP_API int mcp_call_reply_number(mcp_call *call, double number);
/** mcp_call_set_structured and mcp_call_reply. */
MCP_API int mcp_call_reply_structured(mcp_call *call, const char *json);
/**
 * Tools: replies with the structured result that a builder of the program's has
 * written. mcp_call_structured needs no builder of its own, and copies less.
 *
 * @param builder copied: it stays the program's, who may clear and use it
 *                again. NULL: mcp_builder_new has failed, which is
 *                MCP_ERR_NOMEM
 * @return 0, the builder's own error, MCP_ERR_INVALID when its value is not
 *         whole, or what mcp_call_reply_structured returns. Since 0.2.
 */
MCP_API int mcp_call_reply_builder(mcp_call *call, mcp_builder *builder);

/** Tools: the tool failed, and the model should read why: the text becomes a
 * result with `isError`. What was added before is kept. */
MCP_API int mcp_call_reply_failure(mcp_call *call, const char *format, ...)
    MCP_PRINTF(2, 3);

/** The request failed: a JSON-RPC error. Application codes lie outside
 * -32768 ... -32000. In 2026-07-28, which reserves them, -32002 (resource not
 * found) is sent as -32602, and -32042 and other codes of -32020 ... -32099
 * that it does not define as -32603, and on_report reports it.
 * @param data JSON text, or NULL */
MCP_API int mcp_call_reply_error(mcp_call *call, int code, const char *message,
                                 const char *data);

/** A result as JSON text, an object: for methods of the program's own. What
 * the revision demands beside it (`resultType`, `_meta`) is added unless it is
 * there. */
MCP_API int mcp_call_reply_json(mcp_call *call, const char *json);

/** 2025-11-25: the user must visit URLs before this can be done (error -32042).
 * On other revisions, use mcp_call_ask_url. */
typedef struct mcp_url_elicitation {
  const char *elicitation_id;
  const char *url;
  const char *message;
  /** Room for members of later versions; must be NULL. */
  const void *reserved[2];
} mcp_url_elicitation;
MCP_API int mcp_call_reply_urls_required(mcp_call *call,
                                         const mcp_url_elicitation *urls,
                                         size_t count);

/* ---- later, and meanwhile ---------------------------------------------- */

/**
 * Keeps the call beyond the handler: it is the program's until its one reply,
 * whatever becomes of client, connection and server. The reply must come before
 * mcp_loop_free.
 *
 * A handler that asks (mcp_call_ask_*) defers once it has all answers. A
 * question without an answer is not sent when the handler defers; on_report
 * then says so, and also when the handler asks, or returns MCP_PENDING, after
 * it has deferred.
 *
 * @return 0; MCP_ERR_INVALID outside a handler or after the reply;
 *         MCP_ERR_NOMEM
 */
MCP_API int mcp_call_defer(mcp_call *call);

/** Gives a deferred call up without an answer of its own: the client gets
 * -32603, and it is reported. NULL is accepted. */
MCP_API void mcp_call_drop(mcp_call *call);

/**
 * Reports progress, when the client wants it.
 *
 * @param progress more than the last time
 * @param total    0: not known
 * @param message  NULL: none (2024-11-05 has none)
 * @return 0, also when nobody wants it; MCP_ERR_INVALID when progress did not
 *         increase (on the loop's thread; from others such a report is
 *         dropped), or the message is not UTF-8; MCP_ERR_GONE; MCP_ERR_NOMEM
 */
MCP_API int mcp_call_progress(mcp_call *call, double progress, double total,
                              const char *message);

/**
 * Tools: shows the client what was added to the reply since the last time,
 * where its wire can. The reply is whole all the same: nothing is lost where it
 * cannot, nor when the client reads too slowly.
 *
 * On an event stream of the mcp-core dialect it is an event of its own, a
 * `result` with this content. Elsewhere it is progress, counted from 1 with the
 * texts as the message, when the client wants that and the program has not
 * reported any itself (mcp_call_progress is then refused unless it goes on from
 * there); else it waits for the reply.
 *
 * Call it after the last question (mcp_call_ask_*): a handler that runs again
 * adds, and shows, from its beginning. Structured content and `_meta` are shown
 * with the reply alone. On the thread that holds the call.
 *
 * @return 0, also when there is nothing new or nobody wants it;
 *         MCP_ERR_INVALID (not a tool's, or it has its reply);
 *         MCP_ERR_GONE; MCP_ERR_NOMEM
 */
MCP_API int mcp_call_flush(mcp_call *call);

/**
 * Logs to the client, when its level admits it.
 *
 * @param level  MCP_LOG_*
 * @param logger NULL: none
 * @param data   JSON text
 * @return 0, also when nobody wants it; MCP_ERR_INVALID (level, UTF-8);
 *         MCP_ERR_PARSE; MCP_ERR_GONE; MCP_ERR_NOMEM
 */
MCP_API int mcp_call_log(mcp_call *call, int level, const char *logger,
                         const char *data);
/** The same with a text. */
MCP_API int mcp_call_logf(mcp_call *call, int level, const char *format, ...)
    MCP_PRINTF(3, 4);

/**
 * Ends the connection that the call's client waits on, not the call: the client
 * comes back some time later and is given what it has missed. For calls that
 * take long, of clients of 2025-11-25 with a session over HTTP. May be called
 * from any thread, and again when the client is back.
 *
 * @param retry_ms how long the client shall wait; 0: mcp_http_options.retry_ms
 * @return 0 (also when nobody waits now, and on any thread but the loop's);
 *         MCP_ERR_UNSUPPORTED: this client cannot; MCP_ERR_GONE; MCP_ERR_NOMEM
 */
MCP_API int mcp_call_close_stream(mcp_call *call, uint32_t retry_ms);

/** 1 once the client has cancelled the call or gone: the answer goes nowhere.
 */
MCP_API int mcp_call_is_cancelled(const mcp_call *call);

/** Told once, on the loop's thread, when the call is cancelled; the call still
 * wants its reply. Not told after it: a reply on another thread may cross the
 * cancellation, which is for the program's own lock. NULL: no longer.
 * @return 0; MCP_ERR_GONE when it is cancelled already, and then it is not
 *         told; MCP_ERR_INVALID after the reply; MCP_ERR_NOMEM */
MCP_API int mcp_call_on_cancel(mcp_call *call,
                               void (*on_cancel)(mcp_call *call,
                                                 void *userdata),
                               void *userdata);

/* ---- asking (specification: client features) ----------------------------- */

/*
 * A handler of a tool, prompt or resource may ask the client's user, model or
 * file system. If the answer is there, the function returns 0 and sets
 * *answer. If not, the question is noted and the function returns MCP_PENDING:
 * the handler then returns MCP_PENDING too (it may ask more first: the
 * questions travel together) and is run again from its start when the answers
 * are in.
 *
 *     const mcp_json *answer;
 *     int rc = mcp_call_ask_elicit(call, "sure", &question, &answer);
 *     if (rc != 0) {
 *       return rc;
 *     }
 *
 * So everything before the last question may run several times, on another
 * node too: effects come after it. And an answer can be replayed until it
 * expires: what must happen only once needs the program's own check.
 *
 * Other returns: MCP_ERR_CAPABILITY (the client did not declare what this
 * needs), MCP_ERR_UNSUPPORTED (the client declared it, but its revision does
 * not have it), MCP_ERR_INVALID (the question is malformed, its key names
 * another, or the call is deferred), MCP_ERR_LIMIT (rounds, or 64 KB of state),
 * MCP_ERR_PLATFORM, MCP_ERR_UNANSWERED (the client failed to answer). All are
 * recorded on the call.
 *
 * `key` names the question within the call, each its own. `answer` is borrowed
 * until the reply: for elicitation an object with `action` and `content`.
 */

/** Asks the user by a form (since 2025-06-18). */
typedef struct mcp_elicitation {
  /** sizeof(mcp_elicitation); MCP_ELICITATION_INIT sets it. */
  size_t size;
  /** What to tell the user; required. */
  const char *message;
  /** The form: an object with strings, numbers, booleans and choices, nothing
   * nested, and defaults that fit; required. Answers are validated against what
   * the client was shown of it, formats included. The protocol's forms have
   * neither `additionalProperties` nor `pattern`: they are not sent, and not
   * checked. A handler that needs them checks the answer itself. */
  const mcp_schema *form;
} mcp_elicitation;

#define MCP_ELICITATION_INIT MCP_INIT_(mcp_elicitation)

MCP_API int mcp_call_ask_elicit(mcp_call *call, const char *key,
                                const mcp_elicitation *question,
                                const mcp_json **answer);

/** Sends the user to a URL (since 2025-11-25): `accept` is consent, not
 * completion.
 * @param elicitation_id for 2025-11-25; NULL: made from the key */
MCP_API int mcp_call_ask_url(mcp_call *call, const char *key,
                             const char *message, const char *url,
                             const char *elicitation_id,
                             const mcp_json **answer);

/** How an elicitation ended. */
enum {
  MCP_ACTION_NONE = 0,
  MCP_ACTION_ACCEPT,
  MCP_ACTION_DECLINE,
  MCP_ACTION_CANCEL
};
/** The answer's action. */
MCP_API int mcp_answer_action(const mcp_json *answer);

/** Asks the client's model. */
typedef struct mcp_sampling {
  /** sizeof(mcp_sampling); MCP_SAMPLING_INIT sets it. */
  size_t size;
  /** A JSON array of messages; NULL: `prompt` is the only one. Before
   * 2025-11-25 tool_use and tool_result, and in 2024-11-05 audio, are
   * MCP_ERR_UNSUPPORTED. */
  const char *messages;
  /** A user's text. */
  const char *prompt;
  const char *system_prompt;
  /** Required, at least 1. */
  int64_t max_tokens;
  /** JSON members without the braces for all else (`temperature`,
   * `stopSequences`, `modelPreferences`, `metadata`, `includeContext`); NULL:
   * none. From 2025-11-25 on, an `includeContext` other than "none" needs the
   * client's capability `sampling.context`. */
  const char *more;
  /** A JSON array of tools (since 2025-11-25, where the client declared
   * `sampling.tools`), and "auto", "required" or "none". */
  const char *tools;
  const char *tool_choice;
} mcp_sampling;

#define MCP_SAMPLING_INIT MCP_INIT_(mcp_sampling)

MCP_API int mcp_call_ask_sample(mcp_call *call, const char *key,
                                const mcp_sampling *question,
                                const mcp_json **answer);

/** Asks for the client's roots: the answer has an array `roots`. */
MCP_API int mcp_call_ask_roots(mcp_call *call, const char *key,
                               const mcp_json **answer);

/** A small state of the handler's own that survives from round to round, as
 * JSON text; it travels sealed in the client's hands. Stays as it is in rounds
 * that set none.
 * @return 0, MCP_ERR_PARSE, MCP_ERR_LIMIT or MCP_ERR_NOMEM */
MCP_API int mcp_call_set_state(mcp_call *call, const char *json);
/** What an earlier round set, or NULL. Borrowed until the reply. */
MCP_API const mcp_json *mcp_call_state(const mcp_call *call);

MCP_END_DECLS

#endif
