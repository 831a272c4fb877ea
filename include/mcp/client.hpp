/* SPDX-License-Identifier: MIT */
/** @file
 * Clients with lambdas as completions and hooks.
 * mcp/mcp.hpp explains the C++ headers.
 */
#ifndef MCP_CLIENT_HPP
#define MCP_CLIENT_HPP

#include <mcp/client.h>
#include <mcp/http_client.h>
#include <mcp/json.hpp>
#include <mcp/loop.hpp>
#include <mcp/sync.h>
#include <mcp/tasks.h>

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mcp {
inline namespace v0 {

/** What a server answered. A copy is another reference to the same result. */
class result {
public:
  result() = default;
  /** Takes a reference of the C functions. */
  explicit result(mcp_result *taken) noexcept : result_(taken) {}
  result(const result &other) noexcept
      : result_(mcp_result_ref(other.result_)) {}
  result(result &&other) noexcept
      : result_(std::exchange(other.result_, nullptr)) {}
  result &operator=(result other) noexcept {
    std::swap(result_, other.result_);
    return *this;
  }
  ~result() { mcp_result_unref(result_); }
  mcp_result *get() const noexcept { return result_; }
  explicit operator bool() const noexcept { return result_ != nullptr; }

  /** The whole result. This and what follows is borrowed until the last
   * reference goes. */
  mcp::json json() const noexcept { return mcp_result_json(result_); }
  /** Entries of a list, or pieces of content. */
  size_t size() const noexcept { return mcp_result_count(result_); }
  mcp::json operator[](size_t index) const noexcept {
    return mcp_result_item(result_, index);
  }
  /** The text of the first piece that has one; else empty. */
  std::string_view text() const noexcept {
    size_t len;
    const char *text = mcp_result_text_n(result_, &len);
    return {text, len};
  }
  mcp::json structured() const noexcept {
    return mcp_result_structured(result_);
  }
  /** Whether a tool says that it failed; text() then says why. */
  bool is_failure() const noexcept {
    return mcp_result_is_failure(result_) != 0;
  }
  bool is_checked() const noexcept {
    return mcp_result_is_checked(result_) != 0;
  }
  /** The task that the result is about (mcp/tasks.h); empty: none. */
  std::string_view task_id() const noexcept {
    return detail::view(mcp_result_task_id(result_));
  }
  std::string_view task_status() const noexcept {
    return detail::view(mcp_result_task_status(result_));
  }

  class iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = mcp::json;
    using difference_type = std::ptrdiff_t;
    using pointer = const mcp::json *;
    using reference = mcp::json;
    iterator(const mcp_result *of, size_t index) noexcept
        : of_(of), index_(index) {}
    iterator() = default;
    mcp::json operator*() const noexcept {
      return mcp_result_item(of_, index_);
    }
    iterator &operator++() noexcept {
      index_++;
      return *this;
    }
    iterator operator++(int) noexcept { return iterator(of_, index_++); }
    friend bool operator==(const iterator &a, const iterator &b) noexcept {
      return a.index_ == b.index_;
    }
    friend bool operator!=(const iterator &a, const iterator &b) noexcept {
      return a.index_ != b.index_;
    }

  private:
    const mcp_result *of_ = nullptr;
    size_t index_ = 0;
  };
  iterator begin() const noexcept { return {result_, 0}; }
  iterator end() const noexcept { return {result_, size()}; }

private:
  mcp_result *result_ = nullptr;
};

/** How an asynchronous request ended; borrowed until its completion returns. */
class outcome {
public:
  explicit outcome(const mcp_outcome *ended) noexcept : ended_(ended) {}
  const mcp_outcome *get() const noexcept { return ended_; }
  /** Whether there is a result. */
  explicit operator bool() const noexcept { return ended_->status == 0; }
  /** The result. Throws the error when there is none. */
  mcp::result result() const {
    if (ended_->status != 0) {
      throw error();
    }
    return mcp::result(mcp_result_ref(ended_->result));
  }
  mcp::error error() const noexcept {
    return ended_->error->code != 0 ? mcp::error(*ended_->error)
                                    : mcp::error(ended_->status);
  }
  json error_data() const noexcept { return ended_->error_data; }

private:
  const mcp_outcome *ended_;
};

/** Options of a request: those of mcp_request_options, and a lambda. */
struct request_options : mcp_request_options {
  request_options() noexcept : mcp_request_options(MCP_REQUEST_OPTIONS_INIT) {}
  /** Called for progress: how much is done, of how much (0: not known), and a
   * text. */
  std::function<void(double done, double total, std::string_view message)>
      progress;
};

/**
 * A question of the server's, which its owner answers once, now or later, by
 * one of the functions. When it ends without an answer, the server gets an
 * error. It must end before the loop.
 */
class question {
public:
  explicit question(mcp_question *taken) noexcept : question_(taken) {}
  /** "elicitation/create", "sampling/createMessage" or "roots/list". */
  std::string_view method() const noexcept {
    return detail::view(mcp_question_method(get()));
  }
  json params() const noexcept { return mcp_question_params(get()); }
  bool is_cancelled() const noexcept {
    return mcp_question_is_cancelled(get()) != 0;
  }
  mcp_question *get() const noexcept { return question_.get(); }
  mcp_question *release() noexcept { return question_.release(); }
  /** Throws MCP_ERR_SCHEMA or MCP_ERR_INVALID for content that is not a filled
   * form; the question can still be answered then. */
  void accept(const c_string &content = nullptr) {
    mcp_error err = {};
    finish(mcp_question_accept(get(), content.get(), &err), err);
  }
  void decline() { finish(mcp_question_decline(get()), {}); }
  void cancel() { finish(mcp_question_cancel(get()), {}); }
  /** As accept, for sampling and roots. */
  void answer(const c_string &json_text) {
    mcp_error err = {};
    finish(mcp_question_answer(get(), json_text.get(), &err), err);
  }
  void fail(int code, const c_string &message) {
    finish(mcp_question_fail(get(), code, message.get()), {});
  }

private:
  void finish(int rc, const mcp_error &err) {
    bool is_open = rc == MCP_ERR_SCHEMA || rc == MCP_ERR_INVALID;
    if (!is_open) {
      question_.release();
    }
    if (rc != MCP_ERR_GONE) {
      detail::check(rc, err);
    }
  }
  static void leave(mcp_question *unanswered) {
    mcp_question_fail(unanswered, MCP_RPC_INTERNAL_ERROR, "no answer");
  }
  struct left : detail::handle<mcp_question, leave> {
    using handle::handle;
    mcp_question *release() noexcept { return object_.release(); }
  };
  left question_;
};

/** What a client calls, beside completions. An empty function is not called,
 * and a capability without its function is not declared. Their exceptions
 * go to mcp::loop. The options of a client that has hooks must not have
 * callbacks or userdata: the constructor throws MCP_ERR_INVALID. */
struct client_hooks {
  std::function<void(question)> on_elicit;
  std::function<void(question)> on_sample;
  std::function<void(question)> on_roots;
  std::function<void(int level, std::string_view logger, json data)> on_log;
  /** "tools", "prompts" or "resources". */
  std::function<void(std::string_view list)> on_list_changed;
  std::function<void(std::string_view uri)> on_resource_updated;
  std::function<void(std::string_view elicitation_id)> on_elicitation_complete;
  std::function<void(std::string_view method, json params)> on_notification;
  std::function<void(const mcp_traced_message &)> on_trace;
  std::function<void(const mcp_error &)> on_error;
  std::function<void(const mcp_error &)> on_closed;
};

namespace detail {

/* What the callbacks of a client use. */
struct client_state {
  std::shared_ptr<loop_state> on;
  client_hooks hooks;

  template <auto Hook, typename... Arguments>
  static void run(void *userdata, Arguments &&...arguments) noexcept {
    auto *self = static_cast<client_state *>(userdata);
    self->on->call(self->hooks.*Hook, std::forward<Arguments>(arguments)...);
  }
  template <auto Hook>
  static void on_question(mcp_question *asked, void *userdata) noexcept {
    run<Hook>(userdata, question(asked));
  }
  template <auto Hook>
  static void on_text(mcp_client *, const char *text, void *userdata) noexcept {
    run<Hook>(userdata, view(text));
  }
  template <auto Hook>
  static void on_error(mcp_client *, const mcp_error *err,
                       void *userdata) noexcept {
    run<Hook>(userdata, err != nullptr ? *err : mcp_error());
  }
  static void on_log(mcp_client *, int level, const char *logger,
                     const mcp_json *data, void *userdata) noexcept {
    run<&client_hooks::on_log>(userdata, level, view(logger), json(data));
  }
  static void on_notification(mcp_client *, const char *method,
                              const mcp_json *params, void *userdata) noexcept {
    run<&client_hooks::on_notification>(userdata, view(method), json(params));
  }

  static void on_trace(mcp_client *, const mcp_traced_message *message,
                       void *userdata) noexcept {
    run<&client_hooks::on_trace>(userdata, *message);
  }

  bool is_used() const noexcept {
    return hooks.on_elicit || hooks.on_sample || hooks.on_roots ||
           hooks.on_log || hooks.on_list_changed || hooks.on_resource_updated ||
           hooks.on_elicitation_complete || hooks.on_notification ||
           hooks.on_trace || hooks.on_error || hooks.on_closed;
  }
  void install(mcp_client_options &options) {
    using h = client_hooks;
    if (!is_used()) {
      return;
    }
    refuse_beside_hooks(options.userdata, "userdata");
    options.userdata = this;
    auto set = [](auto &member, const char *name, auto *with,
                  const auto &hook) {
      refuse_beside_hooks(member, name);
      if (hook) {
        member = with;
      }
    };
    set(options.on_elicit, "on_elicit", on_question<&h::on_elicit>,
        hooks.on_elicit);
    set(options.on_sample, "on_sample", on_question<&h::on_sample>,
        hooks.on_sample);
    set(options.on_roots, "on_roots", on_question<&h::on_roots>,
        hooks.on_roots);
    set(options.on_log, "on_log", on_log, hooks.on_log);
    set(options.on_list_changed, "on_list_changed",
        on_text<&h::on_list_changed>, hooks.on_list_changed);
    set(options.on_resource_updated, "on_resource_updated",
        on_text<&h::on_resource_updated>, hooks.on_resource_updated);
    set(options.on_elicitation_complete, "on_elicitation_complete",
        on_text<&h::on_elicitation_complete>, hooks.on_elicitation_complete);
    set(options.on_notification, "on_notification", on_notification,
        hooks.on_notification);
    set(options.on_trace, "on_trace", on_trace, hooks.on_trace);
    set(options.on_error, "on_error", on_error<&h::on_error>, hooks.on_error);
    set(options.on_closed, "on_closed", on_error<&h::on_closed>,
        hooks.on_closed);
  }
};

/* The progress of a request, for as long as the request runs. */
struct progress_state {
  std::shared_ptr<loop_state> on;
  mcp_request_options options;
  std::shared_ptr<decltype(request_options::progress)> progress;

  progress_state(std::shared_ptr<loop_state> loop, const request_options &given)
      : on(std::move(loop)), options(given) {
    options.size = sizeof(options);
    if (given.progress) {
      progress = std::make_shared<decltype(given.progress)>(given.progress);
      options.on_progress = run;
      options.progress_userdata = this;
    }
  }
  progress_state(const progress_state &) = delete;
  progress_state &operator=(const progress_state &) = delete;
  /* The function may end the client, which ends the request. */
  static void run(mcp_client *, double done, double total, const char *message,
                  void *userdata) noexcept {
    auto *self = static_cast<progress_state *>(userdata);
    const std::shared_ptr<loop_state> loop = self->on;
    const auto function = self->progress;
    loop->call(*function, done, total, view(message));
  }
};

/* An asynchronous request; the completion frees it. */
template <typename Function> struct request {
  progress_state progress;
  Function done;
  static void run(mcp_client *, const mcp_outcome *ended,
                  void *userdata) noexcept {
    std::unique_ptr<request> self(static_cast<request *>(userdata));
    self->progress.on->call(self->done, outcome(ended));
  }
};

} // namespace detail

/**
 * A client.
 *
 * Each request has two forms. `call_tool` runs the loop until the answer is
 * there, and returns the result or throws mcp::error. It throws MCP_ERR_BUSY
 * inside a callback. `async_call_tool` takes a function that is called once,
 * with an mcp::outcome, while the program runs the loop; it returns the number
 * of the request for mcp_client_cancel.
 *
 * A tool that fails has a result: see mcp::result::is_failure.
 *
 * The requests of a client that was moved from throw MCP_ERR_INVALID.
 */
class client : public detail::handle<mcp_client, mcp_client_free> {
public:
  client(loop &on, const c_string &name, const c_string &version,
         mcp_client_options options = MCP_CLIENT_OPTIONS_INIT,
         client_hooks hooks = {})
      : state_(std::make_shared<detail::client_state>()) {
    mcp_error err = {};
    state_->on = on.state();
    state_->hooks = std::move(hooks);
    options.size = sizeof(options);
    state_->install(options);
    object_.reset(detail::check_made(
        mcp_client_new(on.get(), name.get(), version.get(), &options, &err),
        err));
  }
  client(client &&) noexcept = default;
  client &operator=(client &&other) noexcept {
    client moved(std::move(other));
    object_.swap(moved.object_);
    state_.swap(moved.state_);
    return *this;
  }
  /** Pending requests complete with MCP_ERR_CLOSED first. */
  ~client() {
    object_.reset();
    if (state_ != nullptr && state_->on->loop != nullptr) {
      std::shared_ptr<detail::loop_state> on = state_->on;
      detail::retire(on, std::move(state_));
    }
  }

  /* -- requests that block, and throw -- */

  void connect(transport taken) {
    block([&](mcp_error *err) {
      return mcp_sync_connect(get(), taken.release(), err);
    });
  }
  /** Starts a program with its arguments. */
  void connect_command(const std::vector<std::string> &command) {
    const std::vector<const char *> argv = pointers(command);
    block([&](mcp_error *err) {
      return mcp_sync_connect_command(get(), argv.data(), err);
    });
  }
  /** Needs libmcp-http. */
  void connect_url(const c_string &url, const mcp_http_client_options &options =
                                            MCP_HTTP_CLIENT_OPTIONS_INIT) {
    const mcp_http_client_options sized = detail::sized(options);
    block([&](mcp_error *err) {
      return mcp_sync_connect_url(get(), url.get(), &sized, err);
    });
  }
  void close() {
    block([&](mcp_error *) { return mcp_sync_close(get()); });
  }
  result list_tools(const request_options &options = {}) {
    return await(mcp_sync_list_tools, options);
  }
  result list_resources(const request_options &options = {}) {
    return await(mcp_sync_list_resources, options);
  }
  result list_resource_templates(const request_options &options = {}) {
    return await(mcp_sync_list_resource_templates, options);
  }
  result list_prompts(const request_options &options = {}) {
    return await(mcp_sync_list_prompts, options);
  }
  /** @param arguments JSON text: MCP_JSON({"a": 2}), or mcp::builder::text() */
  result call_tool(const c_string &name, const c_string &arguments = nullptr,
                   const request_options &options = {}) {
    return await(mcp_sync_call_tool, options, name.get(), arguments.get());
  }
  result read_resource(const c_string &uri,
                       const request_options &options = {}) {
    return await(mcp_sync_read_resource, options, uri.get());
  }
  result get_prompt(const c_string &name, const c_string &arguments = nullptr,
                    const request_options &options = {}) {
    return await(mcp_sync_get_prompt, options, name.get(), arguments.get());
  }
  result request(const c_string &method, const c_string &params = nullptr,
                 const request_options &options = {}) {
    return await(mcp_sync_request, options, method.get(), params.get());
  }
  /** Tasks need mcp_client_options.use_tasks. See mcp/tasks.h. */
  result start_task(const c_string &name, const c_string &arguments = nullptr,
                    const request_options &options = {}) {
    return await(mcp_sync_start_task, options, name.get(), arguments.get());
  }
  result get_task(const c_string &id, const request_options &options = {}) {
    return await(mcp_sync_get_task, options, id.get());
  }
  /** @param tool to check the result; nullptr: it is not checked */
  result wait_task(const c_string &id, const c_string &tool = nullptr,
                   const request_options &options = {}) {
    return await(mcp_sync_wait_task, options, id.get(), tool.get());
  }
  /** @param answers JSON text; nullptr: the handlers answer */
  result answer_task(const c_string &id, const c_string &answers = nullptr,
                     const request_options &options = {}) {
    return await(mcp_sync_answer_task, options, id.get(), answers.get());
  }
  result cancel_task(const c_string &id, const request_options &options = {}) {
    return await(mcp_sync_cancel_task, options, id.get());
  }
  result list_tasks(const request_options &options = {}) {
    return await(mcp_sync_list_tasks, options);
  }

  /* -- requests that call a function when they end -- */

  template <typename Function>
  void async_connect(transport taken, Function done) {
    start(std::move(done), {}, [&](const auto *, auto... rest) {
      return mcp_client_connect(get(), taken.release(), rest...);
    });
  }
  template <typename Function>
  void async_connect_command(const std::vector<std::string> &command,
                             Function done) {
    std::vector<const char *> argv = pointers(command);
    mcp_process_options process = MCP_PROCESS_OPTIONS_INIT;
    process.argv = argv.data();
    start(std::move(done), {}, [&](const auto *, auto... rest) {
      return mcp_client_connect_command(get(), &process, rest...);
    });
  }
  template <typename Function>
  uint64_t async_list_tools(Function done,
                            const request_options &options = {}) {
    return async<mcp_client_list_tools>(std::move(done), options);
  }
  template <typename Function>
  uint64_t async_call_tool(const c_string &name, const c_string &arguments,
                           Function done, const request_options &options = {}) {
    return async<mcp_client_call_tool>(std::move(done), options, name.get(),
                                       arguments.get());
  }
  template <typename Function>
  uint64_t async_read_resource(const c_string &uri, Function done,
                               const request_options &options = {}) {
    return async<mcp_client_read_resource>(std::move(done), options, uri.get());
  }
  /** Starts any request of mcp/client.h, with a lambda as its completion:
   *
   *     client.async<mcp_client_subscribe>([](mcp::outcome ended) { ... }, {},
   *                                        "file:///log.txt");
   */
  template <auto Begin, typename Function, typename... Arguments>
  uint64_t async(Function done, const request_options &options,
                 Arguments... arguments) {
    return start(std::move(done), options, [&](auto... rest) {
      return Begin(get(), arguments..., rest...);
    });
  }

private:
  static std::vector<const char *>
  pointers(const std::vector<std::string> &command) {
    std::vector<const char *> argv;
    argv.reserve(command.size() + 1);
    for (const std::string &word : command) {
      argv.push_back(c_string(word).get());
    }
    argv.push_back(nullptr);
    return argv;
  }
  const std::shared_ptr<detail::loop_state> &loop_in_use() const {
    if (state_ == nullptr) {
      throw error(MCP_ERR_INVALID, "the client was moved from");
    }
    return state_->on;
  }
  /* Runs the loop. A callback may end this client meanwhile. */
  template <typename Request> void block(Request request) {
    const std::shared_ptr<detail::loop_state> on = loop_in_use();
    mcp_error err = {};
    int rc = request(&err);
    on->rethrow();
    detail::check(rc, err);
  }
  template <typename Function, typename... Arguments>
  result await(Function *function, const request_options &options,
               Arguments... arguments) {
    detail::progress_state progress(loop_in_use(), options);
    mcp_result *answered = nullptr;
    result owned;
    block([&](mcp_error *err) {
      int rc = function(get(), arguments..., &progress.options, &answered, err);
      owned = result(answered);
      return rc;
    });
    return owned;
  }
  template <typename Function, typename Begin>
  uint64_t start(Function done, const request_options &options, Begin begin) {
    using kind = detail::request<Function>;
    uint64_t number = 0;
    mcp_error err = {};
    std::unique_ptr<kind> job(
        new kind{{loop_in_use(), options}, std::move(done)});
    job->progress.options.request = &number;
    const mcp_request_options *plain = &job->progress.options;
    int rc = begin(plain, static_cast<mcp_done_cb>(kind::run),
                   static_cast<void *>(job.get()), &err);
    detail::check(rc, err);
    static_cast<void>(job.release()); // its completion frees it
    if (options.request != nullptr) {
      *options.request = number;
    }
    return number;
  }
  std::shared_ptr<detail::client_state> state_;
};

} // namespace v0
} // namespace mcp

#endif
