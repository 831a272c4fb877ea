/* SPDX-License-Identifier: MIT */
/** @file
 * Calls, and how handlers answer them.
 *
 * mcp/mcp.hpp explains the C++ headers.
 *
 * Threads: as mcp/call.h. Only one thread at a time may use a call: inside a
 * handler, the thread that runs it; after defer(), the thread that has the
 * mcp::deferred.
 */
#ifndef MCP_CALL_HPP
#define MCP_CALL_HPP

#include <mcp/call.h>
#include <mcp/error.hpp>
#include <mcp/json.hpp>
#include <mcp/schema.h>
#include <mcp/tasks.h>

#include <cstdint>
#include <string_view>

namespace mcp {
inline namespace v0 {

/**
 * The answer to a question that a handler has asked (mcp/call.h, asking).
 *
 * When the answer is not there yet, the functions that read it end the handler.
 * The client is asked, and the handler runs again from its start when all
 * answers are there. A handler that asks several questions before it reads the
 * first answer asks them together.
 *
 * The functions end the handler by an exception that is not a std::exception.
 * A handler that catches everything with `catch (...)` must throw it again.
 */
class answer {
public:
  /** For mcp::call, whose functions ask_... make answers. */
  answer(bool is_there, json value) noexcept
      : is_there_(is_there), value_(value) {}
  /** Whether the answer is there: reading it does not end the handler. */
  bool is_there() const noexcept { return is_there_; }
  /** Returns the whole answer. Borrowed until the reply. */
  json value() const {
    if (!is_there_) {
      throw detail::pending();
    }
    return value_;
  }
  /** Elicitation: returns what the user has done, MCP_ACTION_*. */
  int action() const { return mcp_answer_action(value().get()); }
  /** Elicitation: whether the user has agreed. */
  bool is_accepted() const { return action() == MCP_ACTION_ACCEPT; }
  /** Elicitation: returns the filled-in form; no value if the user has not
   * agreed. Borrowed until the reply. */
  json content() const { return is_accepted() ? value()["content"] : json(); }

private:
  bool is_there_;
  json value_;
};

class deferred;

/**
 * A call that a handler answers. A function does what the function mcp_call_...
 * of mcp/call.h with its name does.
 *
 * A call is valid until its handler returns. It owns nothing, so a copy is the
 * same call. A handler that answers later keeps the mcp::deferred of defer(),
 * and not the call.
 *
 * A function that fails throws mcp::error with the code that the C function
 * returns, and the error is recorded on the call: a handler that lets the
 * exception pass answers with it. A client that has gone is not a failure: then
 * the functions do nothing (is_cancelled).
 *
 * What the functions return is borrowed until the reply, unless they say
 * otherwise. They copy their parameters.
 */
class call {
public:
  /**
   * Refers to a call of the C functions.
   * @param is_deferred where defer() notes that it was called, for the library;
   *                    may be nullptr
   */
  explicit call(mcp_call *handled, bool *is_deferred = nullptr) noexcept
      : call_(handled), is_deferred_(is_deferred) {}
  /** Returns the C call. */
  mcp_call *get() const noexcept { return call_; }

  /* -- the request -- */

  ///@{
  /** Returns all arguments, an object, or the argument with this name; no value
   * if there is no such argument. They satisfy the tool's schema. */
  json arguments() const noexcept { return mcp_call_arguments(call_); }
  json argument(const c_string &name) const noexcept {
    return mcp_call_argument(call_, name.get());
  }
  ///@}
  ///@{
  /** Returns an argument of this type; 0 or false if it is missing or has
   * another type. `call.argument("lines").as<int>()` tells missing from 0. */
  double number(const c_string &name) const noexcept {
    return mcp_call_number(call_, name.get());
  }
  int64_t integer(const c_string &name) const noexcept {
    return mcp_call_int(call_, name.get());
  }
  bool boolean(const c_string &name) const noexcept {
    return mcp_call_bool(call_, name.get()) != 0;
  }
  ///@}
  /**
   * Returns a string argument, after which there is a NUL; an empty view if it
   * is missing or has another type.
   * @throws mcp::error MCP_ERR_INVALID: the string contains NUL, so a C
   *         function would read only its beginning. argument(name).string()
   *         returns such a string
   */
  std::string_view string(const c_string &name) const {
    const char *text = mcp_call_string(call_, name.get());
    if (text == nullptr && argument(name.get()).type() == MCP_JSON_STRING) {
      throw detail::recorded(MCP_ERR_INVALID);
    }
    return detail::view(text);
  }

  ///@{
  /** Returns the method, such as "tools/call"; the name of the tool or prompt;
   * the URI of the resource to read. An empty view if the method has none. */
  std::string_view method() const noexcept {
    return detail::view(mcp_call_method(call_));
  }
  std::string_view name() const noexcept {
    return detail::view(mcp_call_name(call_));
  }
  std::string_view uri() const noexcept {
    return detail::view(mcp_call_uri(call_));
  }
  ///@}
  ///@{
  /** Returns the `params` of the request or their `_meta`; no value if the
   * client sent none. */
  json params() const noexcept { return mcp_call_params(call_); }
  json meta() const noexcept { return mcp_call_meta(call_); }
  ///@}
  ///@{
  /** Completion: returns the name of the argument or variable to complete, and
   * the text that the user has typed so far, which may contain NUL. An empty
   * view for other methods. */
  std::string_view complete_argument() const noexcept {
    return detail::view(mcp_call_complete_argument(call_));
  }
  std::string_view complete_value() const noexcept {
    size_t len;
    const char *text = mcp_call_complete_value_n(call_, &len);
    return {text, len};
  }
  ///@}

  /* -- the client -- */

  ///@{
  /** Returns the client's verified identity, or its address; an empty view if
   * it is not known. */
  std::string_view principal() const noexcept {
    return detail::view(mcp_call_principal(call_));
  }
  std::string_view peer() const noexcept {
    return detail::view(mcp_call_peer(call_));
  }
  ///@}
  ///@{
  /** Returns the claims of the access token, an object, or its scopes, with one
   * space between them; none if no token was demanded. Borrowed until the call
   * is over. */
  json claims() const noexcept { return mcp_call_claims(call_); }
  std::string_view scopes() const noexcept {
    return detail::view(mcp_call_scopes(call_));
  }
  ///@}
  /** Whether the access token has each of these scopes, with one space between
   * them; also true if no token was demanded. */
  bool has_scopes(const c_string &scopes) const noexcept {
    return mcp_call_has_scopes(call_, scopes.get()) != 0;
  }
  /** Whether the client declared a capability, a dotted path such as
   * "sampling.tools". */
  bool client_has(const c_string &capability) const noexcept {
    return mcp_call_client_has(call_, capability.get()) != 0;
  }
  /** Whether the client cancelled the call or disconnected. Callable from any
   * thread until the reply. */
  bool is_cancelled() const noexcept {
    return mcp_call_is_cancelled(call_) != 0;
  }

  /* -- content -- */

  ///@{
  /** Adds one piece of content to the reply: of any type, a text, or bytes of
   * an image or of audio. The size of an mcp_content need not be set. A text
   * may contain NUL. */
  void add_content(const mcp_content &content) const {
    const mcp_content sized = detail::sized(content);
    check(mcp_call_add_content(call_, &sized));
  }
  void add_text(std::string_view text) const {
    check(mcp_call_add_text_n(call_, text.data() != nullptr ? text.data() : "",
                              text.size()));
  }
  void add_image(std::string_view bytes, const c_string &mime_type) const {
    check(
        mcp_call_add_image(call_, bytes.data(), bytes.size(), mime_type.get()));
  }
  void add_audio(std::string_view bytes, const c_string &mime_type) const {
    check(
        mcp_call_add_audio(call_, bytes.data(), bytes.size(), mime_type.get()));
  }
  ///@}
  ///@{
  /** Resources: adds one entry to the contents, a text or bytes. The text may
   * contain NUL.
   * @param uri       nullptr: the URI of the request
   * @param mime_type nullptr: that of the registered resource */
  void add_resource_text(std::string_view text, const c_string &uri = nullptr,
                         const c_string &mime_type = nullptr) const {
    check(mcp_call_add_resource_text_n(
        call_, uri.get(), mime_type.get(),
        text.data() != nullptr ? text.data() : "", text.size()));
  }
  void add_resource_data(std::string_view bytes, const c_string &uri = nullptr,
                         const c_string &mime_type = nullptr) const {
    check(mcp_call_add_resource_data(call_, uri.get(), mime_type.get(),
                                     bytes.data(), bytes.size()));
  }
  ///@}
  /** Completion: adds a suggestion, the best one first. */
  void add_completion(const c_string &value) const {
    check(mcp_call_add_completion(call_, value.get()));
  }
  /** Prompts: sets the role of the messages that are added from now on,
   * MCP_ROLE_*. */
  void set_role(int role) const { check(mcp_call_set_role(call_, role)); }
  /** Prompts: sets the description of the result. */
  void set_description(const c_string &description) const {
    check(mcp_call_set_description(call_, description.get()));
  }
  /** Adds a member to the `_meta` of the result. */
  void set_meta(const c_string &key, const c_string &json_text) const {
    check(mcp_call_set_meta(call_, key.get(), json_text.get()));
  }
  /** Tools: begins the structured result, and returns the writer for it. The
   * reply sends what the writer has written by then. The writer is valid until
   * the reply. */
  writer structured() const {
    mcp_builder *builder = mcp_call_structured(call_);
    if (builder == nullptr) {
      check(mcp_call_reply_builder(call_, nullptr)); // says why
    }
    return writer(builder);
  }

  /* -- the reply: a handler calls exactly one of these functions, or returns a
   * text, or throws (mcp::server), or calls defer() -- */

  ///@{
  /** Replies: with the content so far; and with a text, which may contain NUL;
   * and with a number as text. */
  void reply() const { check(mcp_call_reply(call_)); }
  void reply_text(std::string_view text) const {
    add_text(text);
    reply();
  }
  void reply_number(double number) const {
    check(mcp_call_reply_number(call_, number));
  }
  ///@}
  /** Tools: replies with a structured result. */
  void reply_structured(const c_string &json_text) const {
    check(mcp_call_reply_structured(call_, json_text.get()));
  }
  /** Methods of the program: replies with a result, the JSON text of an
   * object. */
  void reply_json(const c_string &json_text) const {
    check(mcp_call_reply_json(call_, json_text.get()));
  }
  /** Replies that the tool failed; the model reads the text. Other methods
   * answer with the error -32603. */
  void reply_failure(const c_string &text) const {
    check(mcp_call_reply_failure_n(call_, text.get(),
                                   detail::view(text.get()).size()));
  }
  /** Replies with a JSON-RPC error.
   * @param code as in mcp_call_reply_error, not 0
   * @param data JSON text; nullptr: no data */
  void reply_error(int code, const c_string &message,
                   const c_string &data = nullptr) const {
    check(mcp_call_reply_error(call_, code, message.get(), data.get()));
  }

  /* -- later replies, progress and logs -- */

  /** Keeps the call for a later reply. The result is what answers it from now
   * on: a handler that drops it answers the call with an error, and a text that
   * the handler returns is refused. Only inside the handler. */
  [[nodiscard]] deferred defer() const;
  /**
   * Reports progress, if the client asked for it. Callable from any thread
   * until the reply. Failures are thrown, and not recorded on the call.
   * @param done    greater than in the last call
   * @param total   0: not known
   * @param message nullptr: none
   */
  void progress(double done, double total = 0,
                const c_string &message = nullptr) const {
    check_report(mcp_call_progress(call_, done, total, message.get()));
  }
  /**
   * Sends the client a log message, if it wants this level. Callable from any
   * thread until the reply. Failures are thrown, and not recorded on the call.
   * @param level MCP_LOG_*
   */
  void log(int level, const c_string &text) const {
    if (text.get() == nullptr) {
      throw error(MCP_ERR_INVALID, "the text of a log message is NULL");
    }
    check_report(mcp_call_logf(call_, level, "%s", text.get()));
  }
  /** Tools: sends the content so far before the reply, if the transport can. */
  void flush() const { check(mcp_call_flush(call_)); }
  /** Makes a task of the call, if the client can use one (mcp_call_make_task of
   * mcp/tasks.h). */
  void make_task() const { check(mcp_call_make_task(call_)); }
  /** Returns the id of the task that the call is; an empty view: it is not a
   * task, and the client waits for the reply. */
  std::string_view task_id() const noexcept {
    return detail::view(mcp_call_task_id(call_));
  }

  /* -- asking -- */

  ///@{
  /**
   * Asks the user to fill in a form or to visit a URL, asks the client's model,
   * or asks for the client's roots. Reading the answer waits for it
   * (mcp::answer).
   * @param key            identifies the question within the call: each
   *                       question has another key
   * @param message        what the user reads
   * @param form           the fields; need not live longer than the call of
   *                       this function
   * @param elicitation_id nullptr: the library makes one
   * @param question       its size need not be set
   * @throws mcp::error as mcp/call.h says (asking), such as MCP_ERR_CAPABILITY:
   *         this client cannot be asked
   */
  answer ask_elicit(const c_string &key, const c_string &message,
                    mcp_object form) const {
    mcp_elicitation question = MCP_ELICITATION_INIT;
    question.message = message.get();
    question.form = form;
    return ask(mcp_call_ask_elicit, key, &question);
  }
  answer ask_url(const c_string &key, const c_string &message,
                 const c_string &url,
                 const c_string &elicitation_id = nullptr) const {
    return ask(mcp_call_ask_url, key, message.get(), url.get(),
               elicitation_id.get());
  }
  answer ask_sample(const c_string &key, const mcp_sampling &question) const {
    const mcp_sampling sized = detail::sized(question);
    return ask(mcp_call_ask_sample, key, &sized);
  }
  answer ask_roots(const c_string &key) const {
    return ask(mcp_call_ask_roots, key);
  }
  ///@}
  /** Sets a value that the next run of the handler gets by state().
   * @param json_text at most 64 KB together with the answers */
  void set_state(const c_string &json_text) const {
    check(mcp_call_set_state(call_, json_text.get()));
  }
  /** Returns the value that an earlier run of the handler set; no value if none
   * did. */
  json state() const noexcept { return mcp_call_state(call_); }

private:
  static void check(int rc) {
    if (rc < 0 && rc != MCP_ERR_GONE) {
      throw detail::recorded(rc);
    }
  }
  /* Progress and logs record nothing on the call. */
  static void check_report(int rc) {
    if (rc < 0 && rc != MCP_ERR_GONE) {
      throw error(rc);
    }
  }
  template <typename Function, typename... Arguments>
  answer ask(Function *function, const c_string &key,
             Arguments... arguments) const {
    const mcp_json *value = nullptr;
    int rc = function(call_, key.get(), arguments..., &value);
    if (rc < 0) {
      throw detail::recorded(rc);
    }
    return answer(rc == 0, value);
  }
  mcp_call *call_;
  bool *is_deferred_;
};

/**
 * A call that is answered after its handler has returned, from any thread. It
 * is moved to where the answer is made.
 *
 * One of the functions that reply answers the call and lets go of it: get() is
 * then nullptr, and a second reply throws MCP_ERR_INVALID. If they refuse a
 * text or a code (MCP_ERR_INVALID), the call can still be answered. A deferred
 * that ends without a reply answers the call with an error (mcp_call_drop).
 *
 * It may outlive the client and the server, and must end before the loop.
 */
class [[nodiscard]] deferred : public detail::handle<mcp_call, mcp_call_drop> {
public:
  /** Takes a call that mcp_call_defer has deferred. */
  explicit deferred(mcp_call *kept) noexcept : handle(kept) {}
  /** Returns the call, for its arguments, and to add content and report
   * progress. Valid until the reply. Reply by the functions below, and not by
   * those of the view: this object would not know that the call has ended. */
  call view() const noexcept { return call(get()); }
  /** Gives the call to the caller, who replies by a C function. */
  [[nodiscard]] mcp_call *release() noexcept { return object_.release(); }
  /** Replies with the content so far. */
  void reply() { call(release()).reply(); }
  /** Adds a text, which may contain NUL, and replies. */
  void reply_text(std::string_view text) {
    view().add_text(text);
    reply();
  }
  /** Replies that the tool failed, as mcp::call::reply_failure. */
  void reply_failure(const c_string &text) {
    check_text(text);
    call(release()).reply_failure(text);
  }
  /** Replies with a JSON-RPC error, as mcp::call::reply_error. */
  void reply_error(int code, const c_string &message) {
    if (code == 0) {
      throw error(MCP_ERR_INVALID, "the error code is 0");
    }
    check_text(message);
    call(release()).reply_error(code, message);
  }

private:
  /* Throws before the call is given away. */
  static void check_text(const c_string &text) {
    if (text.get() == nullptr) {
      throw error(MCP_ERR_INVALID, "the text of the reply is NULL");
    }
    builder check;
    check.add(detail::view(text.get())).text();
  }
};

inline deferred call::defer() const {
  check(mcp_call_defer(call_));
  if (is_deferred_ != nullptr) {
    *is_deferred_ = true;
  }
  return deferred(call_);
}

} // namespace v0
} // namespace mcp

#endif
