/* SPDX-License-Identifier: MIT */
/** @file
 * Calls, and what answers them.
 * mcp/mcp.hpp explains the C++ headers.
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
 */
class answer {
public:
  answer(bool is_there, json value) noexcept
      : is_there_(is_there), value_(value) {}
  bool is_there() const noexcept { return is_there_; }
  /** The whole answer, borrowed until the reply. */
  json value() const {
    if (!is_there_) {
      throw detail::pending();
    }
    return value_;
  }
  /** Elicitation: MCP_ACTION_*. */
  int action() const { return mcp_answer_action(value().get()); }
  bool is_accepted() const { return action() == MCP_ACTION_ACCEPT; }
  /** Elicitation: the filled form. */
  json content() const { return value()["content"]; }

private:
  bool is_there_;
  json value_;
};

class deferred;

/**
 * A call that a handler answers. The methods are the functions mcp_call_... of
 * mcp/call.h.
 *
 * What fails throws mcp::error, and is recorded on the call: a handler that
 * lets the exception pass answers with the right error. A client that has gone
 * is not a failure: the methods do nothing then (see is_cancelled).
 */
class call {
public:
  /** @param is_deferred for this header: where defer() is noted; may be NULL */
  explicit call(mcp_call *handled, bool *is_deferred = nullptr) noexcept
      : call_(handled), is_deferred_(is_deferred) {}
  mcp_call *get() const noexcept { return call_; }

  /** The arguments, which satisfy the tool's schema: 0, false or empty for what
   * is missing. `call.argument("lines").as<int>()` tells missing from 0. */
  json arguments() const noexcept { return mcp_call_arguments(call_); }
  json argument(const c_string &name) const noexcept {
    return mcp_call_argument(call_, name.get());
  }
  double number(const c_string &name) const noexcept {
    return mcp_call_number(call_, name.get());
  }
  int64_t integer(const c_string &name) const noexcept {
    return mcp_call_int(call_, name.get());
  }
  bool boolean(const c_string &name) const noexcept {
    return mcp_call_bool(call_, name.get()) != 0;
  }
  /** A string without NUL, so that C functions may read it. A string that
   * contains NUL throws; argument(name).string() returns it. */
  std::string_view string(const c_string &name) const {
    const char *text = mcp_call_string(call_, name.get());
    if (text == nullptr && argument(name.get()).type() == MCP_JSON_STRING) {
      throw detail::recorded(MCP_ERR_INVALID);
    }
    return detail::view(text);
  }

  std::string_view method() const noexcept {
    return detail::view(mcp_call_method(call_));
  }
  std::string_view name() const noexcept {
    return detail::view(mcp_call_name(call_));
  }
  std::string_view uri() const noexcept {
    return detail::view(mcp_call_uri(call_));
  }
  std::string_view principal() const noexcept {
    return detail::view(mcp_call_principal(call_));
  }
  std::string_view peer() const noexcept {
    return detail::view(mcp_call_peer(call_));
  }
  json claims() const noexcept { return mcp_call_claims(call_); }
  std::string_view scopes() const noexcept {
    return detail::view(mcp_call_scopes(call_));
  }
  bool has_scopes(const c_string &scopes) const noexcept {
    return mcp_call_has_scopes(call_, scopes.get()) != 0;
  }
  json params() const noexcept { return mcp_call_params(call_); }
  json meta() const noexcept { return mcp_call_meta(call_); }
  bool client_has(const c_string &capability) const noexcept {
    return mcp_call_client_has(call_, capability.get()) != 0;
  }
  bool is_cancelled() const noexcept {
    return mcp_call_is_cancelled(call_) != 0;
  }
  /** Of a completion: what is completed, and what the user has typed. */
  std::string_view complete_argument() const noexcept {
    return detail::view(mcp_call_complete_argument(call_));
  }
  std::string_view complete_value() const noexcept {
    size_t len;
    const char *text = mcp_call_complete_value_n(call_, &len);
    return {text, len};
  }

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
  void add_resource_text(const c_string &text, const c_string &uri = nullptr,
                         const c_string &mime_type = nullptr) const {
    check(mcp_call_add_resource_text(call_, uri.get(), mime_type.get(),
                                     text.get()));
  }
  void add_resource_data(std::string_view bytes, const c_string &uri = nullptr,
                         const c_string &mime_type = nullptr) const {
    check(mcp_call_add_resource_data(call_, uri.get(), mime_type.get(),
                                     bytes.data(), bytes.size()));
  }
  void add_completion(const c_string &value) const {
    check(mcp_call_add_completion(call_, value.get()));
  }
  /** Of a prompt: MCP_ROLE_*. */
  void set_role(int role) const { check(mcp_call_set_role(call_, role)); }
  void set_description(const c_string &description) const {
    check(mcp_call_set_description(call_, description.get()));
  }
  void set_meta(const c_string &key, const c_string &json_text) const {
    check(mcp_call_set_meta(call_, key.get(), json_text.get()));
  }
  /** Of a tool: begins the structured result. reply() sends it. */
  writer structured() const {
    mcp_builder *builder = mcp_call_structured(call_);
    if (builder == nullptr) {
      throw detail::recorded(MCP_ERR_NOMEM);
    }
    return writer(builder);
  }

  /** Exactly one reply for each call. */
  void reply() const { check(mcp_call_reply(call_)); }
  void reply_text(std::string_view text) const {
    add_text(text);
    reply();
  }
  void reply_number(double number) const {
    check(mcp_call_reply_number(call_, number));
  }
  void reply_structured(const c_string &json_text) const {
    check(mcp_call_reply_structured(call_, json_text.get()));
  }
  void reply_json(const c_string &json_text) const {
    check(mcp_call_reply_json(call_, json_text.get()));
  }
  void reply_failure(const c_string &text) const {
    check(mcp_call_reply_failure(call_, "%s", text.get()));
  }
  void reply_error(int code, const c_string &message,
                   const c_string &data = nullptr) const {
    check(mcp_call_reply_error(call_, code, message.get(), data.get()));
  }

  /** Keeps the call for a later reply; see mcp::deferred. */
  deferred defer() const;
  /** @param total 0: not known */
  void progress(double done, double total = 0,
                const c_string &message = nullptr) const {
    check_report(mcp_call_progress(call_, done, total, message.get()));
  }
  /** @param level MCP_LOG_* */
  void log(int level, const c_string &text) const {
    check_report(mcp_call_logf(call_, level, "%s", text.get()));
  }
  void flush() const { check(mcp_call_flush(call_)); }
  /** Makes a task of the call, if the client can use one (mcp/tasks.h). */
  void make_task() const { check(mcp_call_make_task(call_)); }
  /** Empty: the client waits for the reply. */
  std::string_view task_id() const noexcept {
    return detail::view(mcp_call_task_id(call_));
  }

  /** Asks the user by a form. */
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
  void set_state(const c_string &json_text) const {
    check(mcp_call_set_state(call_, json_text.get()));
  }
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
 * is moved to where the answer is made, and must end before the loop. When it
 * ends without a reply, the client gets an error (mcp_call_drop).
 */
class deferred : public detail::handle<mcp_call, mcp_call_drop> {
public:
  explicit deferred(mcp_call *kept) noexcept : handle(kept) {}
  /** For arguments, content and progress. Reply by the functions below: the
   * call is gone afterwards. */
  call view() const noexcept { return call(get()); }
  mcp_call *release() noexcept { return object_.release(); }
  /** Sends what was added. */
  void reply() { call(release()).reply(); }
  /** When adding the text throws, the call can still be answered. */
  void reply_text(std::string_view text) {
    view().add_text(text);
    reply();
  }
  void reply_failure(const c_string &text) {
    check_text(text);
    call(release()).reply_failure(text);
  }
  void reply_error(int code, const c_string &message) {
    check_text(message);
    call(release()).reply_error(code, message);
  }

private:
  /* Throws before the call is given away. */
  static void check_text(const c_string &text) {
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
