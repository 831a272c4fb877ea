/* SPDX-License-Identifier: MIT */
/** @file
 * Clients with lambdas as completions and hooks.
 *
 * mcp/mcp.hpp explains the C++ headers.
 *
 * Threads: a client, its results and its questions are used only on the
 * loop's thread, as mcp/client.h says.
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

/**
 * What a server answered, or nothing. A copy is another reference to the same
 * result. Each function accepts that there is no result.
 *
 * The last reference must go before the loop ends. What the functions return is
 * borrowed until then: keep the result in a variable while you use its values
 * (mcp::json shows how).
 */
class result {
public:
  /** No result. */
  result() = default;
  /** Takes a reference of the C functions. */
  explicit result(mcp_result *taken) noexcept : result_(taken) {}
  ///@{
  /** Refers to the same result. A result that was moved from is empty. */
  result(const result &other) noexcept
      : result_(mcp_result_ref(other.result_)) {}
  result(result &&other) noexcept
      : result_(std::exchange(other.result_, nullptr)) {}
  result &operator=(result other) noexcept {
    std::swap(result_, other.result_);
    return *this;
  }
  ///@}
  /** Releases the reference. */
  ~result() { mcp_result_unref(result_); }
  /** Returns the C result; mcp_result_ref keeps it for longer. nullptr: there
   * is no result. */
  mcp_result *get() const noexcept { return result_; }
  /** Whether there is a result. */
  explicit operator bool() const noexcept { return result_ != nullptr; }

  /** Returns the whole result, an object; of a list, that of the last page. */
  mcp::json json() const noexcept { return mcp_result_json(result_); }
  ///@{
  /** The items (mcp_result_item): the entries of all pages of a list, the
   * pieces of content of a tool, the messages of a prompt, the contents of a
   * resource. `for (mcp::json item : result)` goes through them. */
  size_t size() const noexcept { return mcp_result_count(result_); }
  mcp::json operator[](size_t index) const noexcept {
    return mcp_result_item(result_, index);
  }
  ///@}
  /** Returns the text of the first item that has one, which may contain NUL; an
   * empty view if none has a text. */
  std::string_view text() const noexcept {
    size_t len;
    const char *text = mcp_result_text_n(result_, &len);
    return {text, len};
  }
  /** Returns the structured result of a tool; no value if it has none. */
  mcp::json structured() const noexcept {
    return mcp_result_structured(result_);
  }
  /** Whether the tool says that it failed; text() then says why. */
  bool is_failure() const noexcept {
    return mcp_result_is_failure(result_) != 0;
  }
  /** Whether the client has checked the structured result with the schema of
   * the tool (mcp_client_call_tool). */
  bool is_checked() const noexcept {
    return mcp_result_is_checked(result_) != 0;
  }
  ///@{
  /** Returns the id of the task that the result is about, and the task's
   * status, such as "working" (mcp/tasks.h); empty views: it is not about a
   * task. */
  std::string_view task_id() const noexcept {
    return detail::view(mcp_result_task_id(result_));
  }
  std::string_view task_status() const noexcept {
    return detail::view(mcp_result_task_status(result_));
  }
  ///@}

  /** Goes through the items. Borrowed until the last reference to the result
   * goes. */
  class iterator {
  public:
    ///@{
    /** An input iterator, whose elements are made when they are read. */
    using iterator_category = std::input_iterator_tag;
    using value_type = mcp::json;
    using difference_type = std::ptrdiff_t;
    using pointer = const mcp::json *;
    using reference = mcp::json;
    ///@}
    ///@{
    /** At an item of a result; or at none, only to be assigned to. */
    iterator(const mcp_result *of, size_t index) noexcept
        : of_(of), index_(index) {}
    iterator() = default;
    ///@}
    /** Returns the item. */
    mcp::json operator*() const noexcept {
      return mcp_result_item(of_, index_);
    }
    ///@{
    /** Goes to the next item. */
    iterator &operator++() noexcept {
      index_++;
      return *this;
    }
    iterator operator++(int) noexcept { return iterator(of_, index_++); }
    ///@}
    ///@{
    /** Compares the places of two iterators of one result. */
    friend bool operator==(const iterator &a, const iterator &b) noexcept {
      return a.index_ == b.index_;
    }
    friend bool operator!=(const iterator &a, const iterator &b) noexcept {
      return a.index_ != b.index_;
    }
    ///@}

  private:
    const mcp_result *of_ = nullptr;
    size_t index_ = 0;
  };
  ///@{
  /** The items, for a range-based `for`. */
  iterator begin() const noexcept { return {result_, 0}; }
  iterator end() const noexcept { return {result_, size()}; }
  ///@}

private:
  mcp_result *result_ = nullptr;
};

/** How an asynchronous request ended. Borrowed until its completion returns;
 * the result() and the error() may be kept for longer. */
class outcome {
public:
  /** Refers to an outcome of the C functions. */
  explicit outcome(const mcp_outcome *ended) noexcept : ended_(ended) {}
  /** Returns the C outcome, which also says whether the request was sent. */
  const mcp_outcome *get() const noexcept { return ended_; }
  /** Whether there is a result. */
  explicit operator bool() const noexcept { return ended_->status == 0; }
  /** Returns a reference to the result.
   * @throws mcp::error the error(), if there is no result */
  mcp::result result() const {
    if (ended_->status != 0) {
      throw error();
    }
    return mcp::result(mcp_result_ref(ended_->result));
  }
  /** Returns why there is no result; the code 0 if there is one. */
  mcp::error error() const noexcept {
    return ended_->error->code != 0 ? mcp::error(*ended_->error)
                                    : mcp::error(ended_->status);
  }
  /** Returns the data of the server's JSON-RPC error; no value if it sent none.
   * Borrowed until the completion returns. */
  json error_data() const noexcept { return ended_->error_data; }

private:
  const mcp_outcome *ended_;
};

/**
 * Options of a request: the members of mcp_request_options, and a function. The
 * size is set.
 */
struct request_options : mcp_request_options {
  /** The defaults. */
  request_options() noexcept : mcp_request_options(MCP_REQUEST_OPTIONS_INIT) {}
  /**
   * Called for each progress notification: how much is done, of how much (0:
   * not known), and a text, borrowed until it returns. The request has a copy
   * of the function, and frees it when it ends. Its exceptions go to the loop.
   * If on_progress or progress_userdata are set too, the request throws
   * MCP_ERR_INVALID.
   */
  std::function<void(double done, double total, std::string_view message)>
      progress;
};

/**
 * A question of the server's, which its owner answers once, now or later, by
 * one of the functions. They let go of the question: get() is then nullptr, and
 * a second answer throws MCP_ERR_INVALID. A server that no longer waits for the
 * answer is not a failure. A question that ends without an answer answers the
 * server with an error.
 *
 * It is moved and not copied. It may outlive its client, and must end before
 * the loop.
 */
class question {
public:
  /** Takes a question of the C functions. */
  explicit question(mcp_question *taken) noexcept : question_(taken) {}
  /** Returns "elicitation/create", "sampling/createMessage" or "roots/list"; an
   * empty view after the answer. */
  std::string_view method() const noexcept {
    return detail::view(mcp_question_method(get()));
  }
  /** Returns the params of the question, an object. Borrowed until the
   * answer. */
  json params() const noexcept { return mcp_question_params(get()); }
  /** Whether the server no longer waits for the answer. */
  bool is_cancelled() const noexcept {
    return mcp_question_is_cancelled(get()) != 0;
  }
  /** Returns the C question; nullptr after the answer or a move. */
  mcp_question *get() const noexcept { return question_.get(); }
  /** Gives the question to the caller, who answers it by a C function. */
  [[nodiscard]] mcp_question *release() noexcept { return question_.release(); }
  /**
   * Answers an elicitation: the user has agreed.
   * @param content the filled-in form, a JSON object as text; nullptr: for a
   *                URL, or for an empty form
   * @throws mcp::error MCP_ERR_SCHEMA or MCP_ERR_INVALID: the content is not a
   *         filled-in form. The question can still be answered then
   */
  void accept(const c_string &content = nullptr) {
    mcp_error err = {};
    finish(mcp_question_accept(get(), content.get(), &err), err);
  }
  ///@{
  /** Answers that the user has declined, or has closed the question without a
   * choice (mcp_question_decline, mcp_question_cancel). */
  void decline() { finish(mcp_question_decline(get()), {}); }
  void cancel() { finish(mcp_question_cancel(get()), {}); }
  ///@}
  /**
   * Answers sampling or roots.
   * @param json_text the result, as mcp_question_answer says
   * @throws mcp::error MCP_ERR_INVALID: it is not such a result. The
   *         question can still be answered then
   */
  void answer(const c_string &json_text) {
    mcp_error err = {};
    finish(mcp_question_answer(get(), json_text.get(), &err), err);
  }
  /** Answers that the program cannot answer: the server gets this error. */
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
  static void leave(mcp_question *unanswered) noexcept {
    mcp_question_fail(unanswered, MCP_RPC_INTERNAL_ERROR, "no answer");
  }
  struct left : detail::handle<mcp_question, leave> {
    using handle::handle;
    mcp_question *release() noexcept { return object_.release(); }
  };
  left question_;
};

/**
 * The callbacks of mcp_client_options, as functions. An empty function is not
 * called, and a capability without its function is not declared. Their
 * exceptions go to the loop. Use either hooks or the callbacks of the options:
 * if both are set, the constructor of the client throws MCP_ERR_INVALID,
 * because the hooks use the `userdata` of the options.
 *
 * Views and references are borrowed until the function returns. A function may
 * end its client. The client owns the hooks with all that they capture, and
 * frees them after its end, at the latest when the loop ends.
 */
struct client_hooks {
  ///@{
  /** Gets a question of the server's: for the user (elicitation), for a model
   * (sampling), or for the roots. It answers now, or moves the question to
   * where it is answered later. */
  std::function<void(question)> on_elicit;
  std::function<void(question)> on_sample;
  std::function<void(question)> on_roots;
  ///@}
  /** Gets a log message: MCP_LOG_*, the name of the logger, which may be empty,
   * and the data. */
  std::function<void(int level, std::string_view logger, json data)> on_log;
  /** A list of the server's has changed: "tools", "prompts" or "resources". */
  std::function<void(std::string_view list)> on_list_changed;
  /** A resource that the client has subscribed to has changed. */
  std::function<void(std::string_view uri)> on_resource_updated;
  /** The action at a URL that the server asked the user to visit is complete.
   */
  std::function<void(std::string_view elicitation_id)> on_elicitation_complete;
  /** Gets a notification that no other hook is for. */
  std::function<void(std::string_view method, json params)> on_notification;
  /** Gets each message that is sent or received, without its secrets. */
  std::function<void(const mcp_traced_message &)> on_trace;
  /** Gets a failure after which the connection goes on, such as a line that is
   * not a message. */
  std::function<void(const mcp_error &)> on_error;
  /** The connection has ended, and this is why; the code is 0 if the program
   * closed it. Not called when the client ends. */
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
    refuse_beside("hooks", options.userdata, "options.userdata");
    options.userdata = this;
    auto set = [](auto &member, const char *name, auto *with,
                  const auto &hook) {
      const std::string whole = std::string("options.") + name;
      refuse_beside("hooks", member, whole.c_str());
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
      refuse_beside("progress", given.on_progress, "options.on_progress");
      refuse_beside("progress", given.progress_userdata,
                    "options.progress_userdata");
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
 * there, and returns the result or throws mcp::error. So all callbacks of the
 * loop may run inside it. It throws MCP_ERR_BUSY inside a callback.
 * `async_call_tool` takes a function that is called once, with an mcp::outcome,
 * while the program runs the loop; it returns the number of the request for
 * mcp_client_cancel.
 *
 * A tool that fails has a result: see mcp::result::is_failure.
 *
 * A client is moved and not copied, and ends before its loop. It may end inside
 * any callback. The requests of a client that was moved from throw
 * MCP_ERR_INVALID.
 */
class client : public detail::handle<mcp_client, mcp_client_free> {
public:
  /**
   * Makes a client, which is not connected.
   * @param on      must outlive the client
   * @param name    the program's name, such as "editor"
   * @param version its version, such as "1.0.0"
   * @param options copied, with all that it points to; its size need not be set
   * @param hooks   what the client calls; none: no hooks
   * @throws mcp::error as mcp_client_new says; MCP_ERR_INVALID also if there
   *         are both hooks and callbacks in the options
   */
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
  ///@{
  /** Takes the client of another object, which is then empty. A client that
   * this object had ends. */
  client(client &&) noexcept = default;
  client &operator=(client &&other) noexcept {
    client moved(std::move(other));
    object_.swap(moved.object_);
    state_.swap(moved.state_);
    return *this;
  }
  ///@}
  /** Closes the connection. Requests in flight complete with MCP_ERR_CLOSED
   * first. */
  ~client() {
    object_.reset();
    if (state_ != nullptr && state_->on->loop != nullptr) {
      std::shared_ptr<detail::loop_state> on = state_->on;
      detail::retire(on, std::move(state_));
    }
  }

  /* -- requests that wait for the answer. Each does what the function
   * mcp_sync_... with its name does (mcp/sync.h). They throw mcp::error with
   * the code that the C function returns, or the first exception that a
   * callback has thrown meanwhile. They need libmcp. -- */

  ///@{
  /**
   * Connects: over a transport; to a program that it starts; or to an http://
   * or https:// URL, which needs libmcp-http.
   * @param taken   taken, on failure too
   * @param command the program and its arguments
   * @param options its size need not be set
   */
  void connect(transport taken) {
    block([&](mcp_error *err) {
      return mcp_sync_connect(get(), taken.release(), err);
    });
  }
  void connect_command(const std::vector<std::string> &command) {
    const std::vector<const char *> argv = pointers(command);
    block([&](mcp_error *err) {
      return mcp_sync_connect_command(get(), argv.data(), err);
    });
  }
  void connect_url(const c_string &url, const mcp_http_client_options &options =
                                            MCP_HTTP_CLIENT_OPTIONS_INIT) {
    const mcp_http_client_options sized = detail::sized(options);
    block([&](mcp_error *err) {
      return mcp_sync_connect_url(get(), url.get(), &sized, err);
    });
  }
  ///@}
  /** Closes the connection, and waits until it has ended. The client may
   * connect again. */
  void close() {
    block([&](mcp_error *) { return mcp_sync_close(get()); });
  }
  ///@{
  /** Returns all pages of a list: mcp::result::size says how many entries. */
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
  ///@}
  ///@{
  /**
   * Calls a tool, reads a resource, or gets the messages of a prompt.
   * @param arguments a JSON object as text, such as MCP_JSON({"a": 2}) or
   *                  mcp::builder::text(); nullptr: no arguments
   */
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
  ///@}
  /** Sends a request with any method.
   * @param params a JSON object as text; nullptr: no params */
  result request(const c_string &method, const c_string &params = nullptr,
                 const request_options &options = {}) {
    return await(mcp_sync_request, options, method.get(), params.get());
  }
  ///@{
  /**
   * Tasks (mcp/tasks.h), which need mcp_client_options.use_tasks: calls a tool
   * without waiting for the end of its task; asks for a task; waits for the
   * result of a task; answers its questions; cancels it; lists tasks.
   * @param id      of mcp::result::task_id
   * @param tool    the name of the tool, to check the result with its schema;
   *                nullptr: it is not checked
   * @param answers as in mcp_client_answer_task; nullptr: the hooks answer
   */
  result start_task(const c_string &name, const c_string &arguments = nullptr,
                    const request_options &options = {}) {
    return await(mcp_sync_start_task, options, name.get(), arguments.get());
  }
  result get_task(const c_string &id, const request_options &options = {}) {
    return await(mcp_sync_get_task, options, id.get());
  }
  result wait_task(const c_string &id, const c_string &tool = nullptr,
                   const request_options &options = {}) {
    return await(mcp_sync_wait_task, options, id.get(), tool.get());
  }
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

  ///@}

  /* -- requests that call a function when they end. `done` takes an
   * mcp::outcome. It may be a function that can only be moved. It runs once, on
   * the loop's thread, never inside the function that starts the request, and
   * is freed then; its exceptions go to the loop. When the client ends, it runs
   * with MCP_ERR_CLOSED. If a request does not start, the function throws
   * mcp::error, and `done` does not run. -- */

  ///@{
  /** Connects over a transport, or to a program that it starts. */
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
  ///@}
  ///@{
  /** Lists tools, calls a tool, or reads a resource.
   * @return the number of the request, for mcp_client_cancel; 0 if nothing is
   *         sent, because the result is cached */
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
  ///@}
  /**
   * Starts any request of mcp/client.h or mcp/tasks.h:
   *
   *     client.async<mcp_client_subscribe>([](mcp::outcome ended) { ... }, {},
   *                                        "file:///log.txt");
   *
   * @param Begin     the C function
   * @param arguments its parameters between the client and the options
   * @return as async_call_tool
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
