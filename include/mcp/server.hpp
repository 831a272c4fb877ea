/* SPDX-License-Identifier: MIT */
/** @file
 * Servers with lambdas as handlers, and their listeners.
 *
 * mcp/mcp.hpp explains the C++ headers.
 *
 * Threads: as mcp/server.h.
 */
#ifndef MCP_SERVER_HPP
#define MCP_SERVER_HPP

#include <mcp/apps.h>
#include <mcp/call.hpp>
#include <mcp/http.h>
#include <mcp/loop.hpp>
#include <mcp/main.h>
#include <mcp/server.h>
#include <mcp/socket.h>
#include <mcp/tasks.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace mcp {
inline namespace v0 {

namespace detail {

/* The handler of a tool or another entry, whatever its type. */
struct handler {
  virtual ~handler() = default;
  virtual int run(call handled, const bool &is_deferred) = 0;
};

template <typename Function> struct handler_of final : handler {
  explicit handler_of(Function f) : function(std::move(f)) {}
  int run(call handled, const bool &is_deferred) override {
    using result = std::invoke_result_t<Function &, call>;
    if constexpr (std::is_void_v<result>) {
      function(handled);
    } else if constexpr (std::is_same_v<result, int> ||
                         std::is_enum_v<result>) {
      return function(handled);
    } else {
      static_assert(std::is_convertible_v<result, std::string_view>,
                    "a handler returns nothing, a text to reply with, or an "
                    "int, which is 0, MCP_PENDING or an MCP_ERR_*");
      const auto &text = function(handled);
      if constexpr (std::is_pointer_v<std::decay_t<result>>) {
        if (text == nullptr) {
          throw error(MCP_ERR_INVALID, "the handler returned NULL");
        }
      }
      if (is_deferred) {
        return MCP_ERR_INVALID; // the mcp::deferred has the call
      }
      handled.reply_text(text);
    }
    return 0;
  }
  Function function;
};

/* Answers with the text of an exception. A call that has its reply refuses it,
 * and the report quotes the text of the last try, which says that it is of an
 * exception. A text that is not UTF-8 is refused both times. */
inline int answer_failure(mcp_call *handled, const char *text) noexcept {
  int rc = mcp_call_reply_failure(handled, "%s", text);
  if (rc == MCP_ERR_INVALID) {
    rc = mcp_call_reply_failure(handled, "%s (an exception)", text);
  }
  return rc;
}

/* What a handler threw, as the answer to its call. */
inline int answer_thrown(mcp_call *handled) noexcept {
  try {
    throw;
  } catch (const pending &) {
    return MCP_PENDING;
  } catch (const recorded &thrown) {
    return thrown.code();
  } catch (const rpc_error &thrown) {
    const char *data = thrown.data().empty() ? nullptr : thrown.data().c_str();
    return mcp_call_reply_error(handled, thrown.code(), thrown.what(), data);
  } catch (const error &thrown) {
    if (thrown.code() == MCP_ERR_NOT_FOUND &&
        mcp_call_uri(handled) != nullptr) {
      return MCP_ERR_NOT_FOUND; // there is no such resource
    }
    return answer_failure(handled, thrown.what());
  } catch (const std::exception &thrown) {
    return answer_failure(handled, thrown.what());
  } catch (...) {
    return answer_failure(handled, "internal error");
  }
}

inline int run_handler(mcp_call *handled, handler &with) noexcept {
  bool is_deferred = false;
  try {
    return with.run(call(handled, &is_deferred), is_deferred);
  } catch (...) {
    // The reply of a deferred call is no longer the handler's.
    return is_deferred ? static_cast<int>(MCP_ERR_INVALID)
                       : answer_thrown(handled);
  }
}

/* What C code is given for a tool or another entry, which owns it. */
struct entry {
  std::unique_ptr<handler> main;
  std::unique_ptr<handler> complete;
  static void release(void *userdata) noexcept {
    delete static_cast<entry *>(userdata);
  }
  static int run(mcp_call *handled, void *userdata) noexcept {
    return run_handler(handled, *static_cast<entry *>(userdata)->main);
  }
  static int run_complete(mcp_call *handled, void *userdata) noexcept {
    return run_handler(handled, *static_cast<entry *>(userdata)->complete);
  }
};

template <typename Function>
std::unique_ptr<handler> make_handler(Function function) {
  return std::make_unique<handler_of<Function>>(std::move(function));
}

} // namespace detail

/**
 * The callbacks of mcp_server_options, as functions. An empty function is not
 * called.
 *
 * Except on_request they only observe, and must not throw: the program would
 * end by std::terminate. Use either hooks or the callbacks of the options: if
 * both are set, the constructor of the server throws MCP_ERR_INVALID, because
 * the hooks use the `userdata` of the options.
 *
 * The hooks run on the thread of a loop of the server. If a listener has
 * several threads (mcp_http_listen_options.threads), they run on several of
 * them at the same time. The server owns the hooks with all that they capture,
 * and frees them after their last call (mcp_server_options.release).
 */
struct server_hooks {
  /** Gets what the program should know, such as a mistake of a handler. The
   * error is borrowed until the function returns. */
  std::function<void(const mcp_error &)> on_report;
  ///@{
  /** A legacy session has opened, or closes. It is valid until
   * on_session_closed has returned. */
  std::function<void(mcp_session *)> on_session_opened;
  std::function<void(mcp_session *)> on_session_closed;
  ///@}
  /** Runs before the handler of each request. Lets a request pass by returning,
   * and refuses it by throwing: the client gets the code and text of an
   * mcp::rpc_error, and of another exception -32603 with its what(). */
  std::function<void(call)> on_request;
  /** Gets each reply just before it is sent: JSON-RPC text, borrowed until the
   * function returns. */
  std::function<void(call, std::string_view)> on_reply;
};

namespace detail {

/* The callbacks of a server, which owns its hooks. */
struct server_callbacks {
  static const server_hooks &of(void *userdata) noexcept {
    return *static_cast<server_hooks *>(userdata);
  }
  static void release(void *userdata) noexcept {
    delete static_cast<server_hooks *>(userdata);
  }
  static void on_report(mcp_server *, const mcp_error *err,
                        void *userdata) noexcept {
    of(userdata).on_report(*err);
  }
  static void on_session_opened(mcp_server *, mcp_session *session,
                                void *userdata) noexcept {
    of(userdata).on_session_opened(session);
  }
  static void on_session_closed(mcp_server *, mcp_session *session,
                                void *userdata) noexcept {
    of(userdata).on_session_closed(session);
  }
  static int on_request(mcp_call *handled, void *userdata) noexcept {
    try {
      of(userdata).on_request(call(handled));
      return 0;
    } catch (const rpc_error &) {
      answer_thrown(handled);
    } catch (const std::exception &thrown) {
      mcp_call_reply_error(handled, MCP_RPC_INTERNAL_ERROR, thrown.what(),
                           nullptr);
    } catch (...) {
      // The client gets "refused".
    }
    return MCP_ERR_REFUSED;
  }
  static void on_reply(mcp_call *handled, const char *reply, size_t len,
                       void *userdata) noexcept {
    of(userdata).on_reply(call(handled), {reply, len});
  }
  template <typename Member>
  static void refuse(Member value, const char *member) {
    refuse_beside("hooks", value, member);
  }
  /* Returns what the server takes; NULL: no hook is used. */
  static std::unique_ptr<server_hooks> install(mcp_server_options &options,
                                               server_hooks hooks) {
    bool is_used = hooks.on_report || hooks.on_session_opened ||
                   hooks.on_session_closed || hooks.on_request ||
                   hooks.on_reply;
    if (!is_used) {
      return nullptr;
    }
    refuse(options.userdata, "options.userdata");
    refuse(options.release, "options.release");
    refuse(options.on_report, "options.on_report");
    refuse(options.on_session_opened, "options.on_session_opened");
    refuse(options.on_session_closed, "options.on_session_closed");
    refuse(options.on_request, "options.on_request");
    refuse(options.on_reply, "options.on_reply");
    options.release = release;
    options.on_report = hooks.on_report ? on_report : nullptr;
    options.on_session_opened =
        hooks.on_session_opened ? on_session_opened : nullptr;
    options.on_session_closed =
        hooks.on_session_closed ? on_session_closed : nullptr;
    options.on_request = hooks.on_request ? on_request : nullptr;
    options.on_reply = hooks.on_reply ? on_reply : nullptr;
    auto taken = std::make_unique<server_hooks>(std::move(hooks));
    options.userdata = taken.get();
    return taken;
  }
};

} // namespace detail

/**
 * A server, with lambdas as handlers. A handler is a function or an object that
 * can be called with an mcp::call. It returns
 * - nothing, when it has replied or deferred (mcp::call);
 * - a std::string, std::string_view or C string, which is the reply. NULL is a
 *   failure. The text may contain NUL;
 * - an int: what an mcp_call_cb returns.
 *
 * When it throws, the call is answered by the exception:
 * - mcp::rpc_error: its code, text and data, as a JSON-RPC error;
 * - any other std::exception: its what(). A tool answers with a result with
 *   isError, so that the model reads the text; a resource, prompt, completion
 *   or method with the error -32603. Of a resource, MCP_ERR_NOT_FOUND in an
 *   mcp::error says that there is no such resource;
 * - anything else: "internal error".
 *
 * After a reply or defer(), an exception answers nothing: on_report gets
 * MCP_ERR_INVALID, after a reply with the text of the exception. After defer()
 * the text is lost: catch such an exception in the handler.
 *
 * The server owns the handlers, with all that they capture. It frees a handler
 * once: when its tool has been removed or the server has ended, and the last
 * call of the handler has ended. That is on the thread of a loop of the server
 * (mcp_tool.release), so a blocking handler may end after the server. What a
 * handler captures must not use the server when it is freed. A handler that
 * keeps the mcp::deferred of its own calls in what it captures keeps itself
 * until it lets go of them.
 *
 * There is one object for all calls of a handler, which is not copied. A
 * handler with `is_blocking`, or of a listener with several threads, runs on
 * several threads at the same time: what it captures must be safe for that.
 *
 * A server that was moved from refuses everything with MCP_ERR_INVALID. The
 * destructor closes the connections (mcp_server_free). It may run inside a
 * callback, but not inside a blocking handler.
 */
class server : public detail::handle<mcp_server, mcp_server_free> {
public:
  /**
   * Makes a server.
   * @param name    the program's name, such as "calculator"
   * @param version its version, such as "1.0.0"
   * @param options copied, with all that it points to; its size need not be set
   * @param hooks   what the server calls; none: no hooks
   * @throws mcp::error as mcp_server_new says; MCP_ERR_INVALID also if there
   *         are both hooks and callbacks in the options
   */
  server(const c_string &name, const c_string &version,
         mcp_server_options options = MCP_SERVER_OPTIONS_INIT,
         server_hooks hooks = {}) {
    mcp_error err = {};
    options.size = sizeof(options);
    auto taken = detail::server_callbacks::install(options, std::move(hooks));
    object_.reset(detail::check_made(
        mcp_server_new(name.get(), version.get(), &options, &err), err));
    static_cast<void>(taken.release()); // the C server owns it now
  }

  /* -- what the server offers. The functions copy what the structures point to,
   * and set the size. The members `handler`, `complete`, `userdata` and
   * `release` belong to the C++ handler: a structure in which one of them is
   * set throws MCP_ERR_INVALID. Otherwise the functions throw what the C
   * function of the same name returns, such as MCP_ERR_EXISTS, and the server
   * is unchanged. -- */

  ///@{
  /**
   * Adds a tool (mcp_server_add_tool).
   * @param tool  its name, texts, schemas and hints
   * @param input the schema of its arguments, of mcp_object
   */
  template <typename Function>
  void add_tool(const mcp_tool &tool, Function handler) {
    add(mcp_server_add_tool, tool, std::move(handler));
  }
  template <typename Function>
  void add_tool(const c_string &name, const c_string &description,
                mcp_object input, Function handler) {
    mcp_tool tool = MCP_TOOL_INIT;
    tool.name = name.get();
    tool.description = description.get();
    tool.input = input;
    add_tool(tool, std::move(handler));
  }
  ///@}
  /** Offers tasks (mcp/tasks.h). Call it before clients connect, and before a
   * tool is added that can be a task. */
  void enable_tasks(const mcp_tasks_options &options = MCP_TASKS_OPTIONS_INIT) {
    const mcp_tasks_options sized = detail::sized(options);
    mcp_error err = {};
    detail::check(mcp_server_enable_tasks(get(), &sized, &err), err);
  }
  ///@{
  /** Adds a resource: one whose text or data is in the structure, which may
   * also have a handler of C, or one that the handler reads. */
  void add_resource(const mcp_resource &resource) {
    const mcp_resource sized = detail::sized(resource);
    mcp_error err = {};
    detail::check(mcp_server_add_resource(get(), &sized, &err), err);
  }
  template <typename Function>
  void add_resource(const mcp_resource &resource, Function handler) {
    add(mcp_server_add_resource, resource, std::move(handler));
  }
  ///@}
  ///@{
  /** Adds an app (mcp/apps.h): one whose page is in the structure, which may
   * also have a handler of C, or one whose page the handler makes. */
  void add_app(const mcp_app &app) {
    const mcp_app sized = detail::sized(app);
    mcp_error err = {};
    detail::check(mcp_server_add_app(get(), &sized, &err), err);
  }
  template <typename Function>
  void add_app(const mcp_app &app, Function handler) {
    add(mcp_server_add_app, app, std::move(handler));
  }
  ///@}
  /**
   * Adds a tool with an app (mcp_server_add_app_tool).
   * @param app_uri    the app that shows its results; nullptr: none
   * @param visibility MCP_VISIBLE_TO_*; 0: not stated
   */
  template <typename Function>
  void add_app_tool(const mcp_tool &tool, const c_string &app_uri,
                    std::uint32_t visibility, Function handler) {
    auto add_it = [&](mcp_server *to, const mcp_tool *with, mcp_error *err) {
      return mcp_server_add_app_tool(to, with, app_uri.get(), visibility, err);
    };
    add(add_it, tool, std::move(handler));
  }
  ///@{
  /**
   * Adds a resource template.
   * @param handler  reads the resource of a URI; the values of the variables
   *                 are the arguments of its call
   * @param complete completes a variable: a handler that calls
   *                 mcp::call::add_completion and reply
   */
  template <typename Function>
  void add_resource_template(const mcp_resource_template &tpl,
                             Function handler) {
    refuse(tpl.complete, "structure.complete");
    add(mcp_server_add_resource_template, tpl, std::move(handler));
  }
  template <typename Function, typename Complete>
  void add_resource_template(mcp_resource_template tpl, Function handler,
                             Complete complete) {
    refuse(tpl.complete, "structure.complete");
    tpl.complete = detail::entry::run_complete;
    add(mcp_server_add_resource_template, tpl, std::move(handler),
        detail::make_handler(std::move(complete)));
  }
  ///@}
  ///@{
  /**
   * Adds a prompt.
   * @param handler  adds the messages of the prompt, and replies
   * @param complete completes an argument, as of a resource template
   */
  template <typename Function>
  void add_prompt(const mcp_prompt &prompt, Function handler) {
    refuse(prompt.complete, "structure.complete");
    add(mcp_server_add_prompt, prompt, std::move(handler));
  }
  template <typename Function, typename Complete>
  void add_prompt(mcp_prompt prompt, Function handler, Complete complete) {
    refuse(prompt.complete, "structure.complete");
    prompt.complete = detail::entry::run_complete;
    add(mcp_server_add_prompt, prompt, std::move(handler),
        detail::make_handler(std::move(complete)));
  }
  ///@}
  /** Adds a method of the program's. Its handler replies with
   * mcp::call::reply_json, except to a notification. */
  template <typename Function>
  void add_method(const mcp_method &method, Function handler) {
    add(mcp_server_add_method, method, std::move(handler));
  }

  /* -- serving -- */

  /**
   * Serves one client over a transport (mcp_server_connect).
   * @param on    the loop of the transport; must outlive the server
   * @param taken taken, on failure too
   * @return the connection, borrowed until it closes
   */
  mcp_connection *
  connect(loop &on, transport taken,
          const mcp_connection_options &options = MCP_CONNECTION_OPTIONS_INIT) {
    const mcp_connection_options sized = detail::sized(options);
    mcp_connection *made = nullptr;
    mcp_error err = {};
    detail::check(mcp_server_connect(get(), on.get(), taken.release(), &sized,
                                     &made, &err),
                  err);
    return made;
  }

  /** Serves as the command line says, and returns the exit code
   * (mcp_main_with). The server has ended then, and this object is as after a
   * move. Reports its failures itself, and throws nothing. */
  int main(int argc, char **argv,
           const mcp_main_options &options = MCP_MAIN_OPTIONS_INIT) {
    const mcp_main_options sized = detail::sized(options);
    return mcp_main_with(object_.release(), argc, argv, &sized);
  }

private:
  template <typename Member>
  static void refuse(Member value, const char *member) {
    detail::refuse_beside("a C++ handler", value, member);
  }
  template <typename Add, typename Structure, typename Function>
  void add(Add function, Structure structure, Function handler,
           std::unique_ptr<detail::handler> complete = nullptr) {
    refuse(structure.handler, "structure.handler");
    refuse(structure.userdata, "structure.userdata");
    refuse(structure.release, "structure.release");
    auto entry = std::make_unique<detail::entry>();
    mcp_error err = {};
    entry->main = detail::make_handler(std::move(handler));
    entry->complete = std::move(complete);
    structure.size = sizeof(structure);
    structure.handler = detail::entry::run;
    structure.userdata = entry.get();
    structure.release = detail::entry::release;
    detail::check(function(get(), &structure, &err), err);
    static_cast<void>(entry.release()); // the C server owns it now
  }
};

namespace detail {

/**
 * What the listeners have in common. A listener must end before its loop; it
 * may end inside a callback. Its end closes the address and all connections.
 */
template <typename Listener, void (*Free)(Listener *), auto Drain>
class listener : public handle<Listener, Free> {
public:
  /** Takes the listener of another object, which is then empty. */
  listener(listener &&) noexcept = default;
  /** Takes the listener of another object. The one that this object had ends.
   */
  listener &operator=(listener &&other) noexcept {
    listener moved(std::move(other));
    this->object_.swap(moved.object_);
    state_.swap(moved.state_);
    drained_.swap(moved.drained_);
    return *this;
  }
  /** Closes the address and all connections. */
  ~listener() {
    this->object_.reset(); // before what its callbacks use
  }
  /**
   * Takes no more clients, and waits for those that are connected
   * (mcp_http_listener_drain).
   * @param on_drained called once, when the last client has left, perhaps
   *                   before drain() returns. It may end the listener. Its
   *                   exceptions go to the loop. A second drain() replaces it
   */
  void drain(std::function<void()> on_drained = [] {}) {
    drained_.push_back(
        std::make_shared<callback>(state_, std::move(on_drained)));
    Drain(this->get(), run_drained, drained_.back().get());
  }

protected:
  explicit listener(const loop &on) : state_(on.state()) {}

private:
  static void run_drained(Listener *, void *userdata) noexcept {
    static_cast<callback *>(userdata)->run();
  }
  std::shared_ptr<loop_state> state_;
  std::vector<std::shared_ptr<callback>> drained_;
};

} // namespace detail

/** Serves HTTP on an address (mcp_server_listen_http). Needs libmcp. */
class http_listener
    : public detail::listener<mcp_http_listener, mcp_http_listener_free,
                              mcp_http_listener_drain> {
public:
  /**
   * Opens the address.
   * @param served  may end before the listener, which then serves nobody
   * @param on      must outlive the listener
   * @param options copied; the size need not be set
   * @throws mcp::error as mcp_server_listen_http says
   */
  http_listener(
      server &served, loop &on,
      const mcp_http_listen_options &options = MCP_HTTP_LISTEN_OPTIONS_INIT)
      : listener(on) {
    const mcp_http_listen_options sized = detail::sized(options);
    mcp_error err = {};
    object_.reset(detail::check_made(
        mcp_server_listen_http(served.get(), on.get(), &sized, &err), err));
  }
  /** Returns the URL with the real port, such as "http://127.0.0.1:8080/mcp".
   * Borrowed until the listener ends; an empty view after a move. */
  std::string_view url() const noexcept {
    return detail::view(mcp_http_listener_url(get()));
  }
  /** Reads certificate and key again (mcp_http_listener_reload). If it throws,
   * the old ones stay in use. */
  void reload() {
    mcp_error err = {};
    detail::check(mcp_http_listener_reload(get(), &err), err);
  }
};

/** Serves lines over TCP or a Unix socket (mcp_server_listen_socket). Needs
 * libmcp. */
class socket_listener
    : public detail::listener<mcp_socket_listener, mcp_socket_listener_free,
                              mcp_socket_listener_drain> {
public:
  /**
   * Opens the address.
   * @param served  may end before the listener, which then serves nobody
   * @param on      must outlive the listener
   * @param options copied; `address` is required, the size need not be set
   * @throws mcp::error as mcp_server_listen_socket says
   */
  socket_listener(server &served, loop &on,
                  const mcp_socket_listen_options &options)
      : listener(on) {
    const mcp_socket_listen_options sized = detail::sized(options);
    mcp_error err = {};
    object_.reset(detail::check_made(
        mcp_server_listen_socket(served.get(), on.get(), &sized, &err), err));
  }
  /** Returns the URL with the real port, such as "tcp://127.0.0.1:4711".
   * Borrowed until the listener ends; an empty view after a move. */
  std::string_view url() const noexcept {
    return detail::view(mcp_socket_listener_url(get()));
  }
};

} // namespace v0
} // namespace mcp

#endif
