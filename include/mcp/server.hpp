/* SPDX-License-Identifier: MIT */
/** @file
 * Servers with lambdas as handlers, and their listeners.
 * mcp/mcp.hpp explains the C++ headers.
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
  virtual int run(call handled) = 0;
};

template <typename Function> struct handler_of final : handler {
  explicit handler_of(Function f) : function(std::move(f)) {}
  int run(call handled) override {
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
      if (handled.method() == "resources/read") {
        handled.add_resource_text(text);
        handled.reply();
      } else {
        handled.reply_text(text);
      }
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
    return with.run(call(handled, &is_deferred));
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

/** What a server reports to its program. An empty function is not called.
 * Except on_request, they observe and must not throw (std::terminate). The
 * options of a server that has hooks must not have callbacks or userdata: the
 * constructor throws MCP_ERR_INVALID. The server frees the hooks after their
 * last call (mcp_server_options.release). */
struct server_hooks {
  std::function<void(const mcp_error &)> on_report;
  std::function<void(mcp_session *)> on_session_opened;
  std::function<void(mcp_session *)> on_session_closed;
  /** Lets a request pass by returning, and refuses it by throwing: the client
   * gets the code and text of an mcp::rpc_error, and of another exception
   * -32603 with its what(). */
  std::function<void(call)> on_request;
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
  /* Returns what the server takes; NULL: no hook is used. */
  static std::unique_ptr<server_hooks> install(mcp_server_options &options,
                                               server_hooks hooks) {
    bool is_used = hooks.on_report || hooks.on_session_opened ||
                   hooks.on_session_closed || hooks.on_request ||
                   hooks.on_reply;
    if (!is_used) {
      return nullptr;
    }
    refuse_beside_hooks(options.userdata, "userdata");
    refuse_beside_hooks(options.release, "release");
    refuse_beside_hooks(options.on_report, "on_report");
    refuse_beside_hooks(options.on_session_opened, "on_session_opened");
    refuse_beside_hooks(options.on_session_closed, "on_session_closed");
    refuse_beside_hooks(options.on_request, "on_request");
    refuse_beside_hooks(options.on_reply, "on_reply");
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
 * A server, with lambdas as handlers. A handler takes an mcp::call. It returns
 * - nothing, when it has replied or deferred (mcp::call);
 * - a std::string or C string, which is the reply. NULL is a failure. The text
 *   of a resource must not contain NUL: add_resource_data sends such bytes;
 * - an int: what an mcp_call_cb returns.
 *
 * When it throws, the call is answered by the exception:
 * - mcp::rpc_error: its code, text and data, as a JSON-RPC error;
 * - any other std::exception: its what(). A tool answers with a result with
 *   isError, so that the model reads the text; a resource, prompt, completion
 *   or method with the error -32603. Of a resource, MCP_ERR_NOT_FOUND in an
 *   mcp::error says that there is no such resource;
 * - anything else: "internal error".
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
 */
class server : public detail::handle<mcp_server, mcp_server_free> {
public:
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
  /** Offers tasks: before clients connect, and before a tool that can be one is
   * added (mcp/tasks.h). */
  void enable_tasks(const mcp_tasks_options &options = MCP_TASKS_OPTIONS_INIT) {
    const mcp_tasks_options sized = detail::sized(options);
    mcp_error err = {};
    detail::check(mcp_server_enable_tasks(get(), &sized, &err), err);
  }
  /** Of fixed text or data. */
  void add_resource(const mcp_resource &resource) {
    const mcp_resource sized = detail::sized(resource);
    mcp_error err = {};
    detail::check(mcp_server_add_resource(get(), &sized, &err), err);
  }
  template <typename Function>
  void add_resource(const mcp_resource &resource, Function handler) {
    add(mcp_server_add_resource, resource, std::move(handler));
  }
  /** An app (mcp/apps.h) of fixed HTML or data. */
  void add_app(const mcp_app &app) {
    const mcp_app sized = detail::sized(app);
    mcp_error err = {};
    detail::check(mcp_server_add_app(get(), &sized, &err), err);
  }
  template <typename Function>
  void add_app(const mcp_app &app, Function handler) {
    add(mcp_server_add_app, app, std::move(handler));
  }
  /** A tool with its app (nullptr: none), and a visibility (0: not stated). */
  template <typename Function>
  void add_app_tool(const mcp_tool &tool, const c_string &app_uri,
                    std::uint32_t visibility, Function handler) {
    auto add_it = [&](mcp_server *to, const mcp_tool *with, mcp_error *err) {
      return mcp_server_add_app_tool(to, with, app_uri.get(), visibility, err);
    };
    add(add_it, tool, std::move(handler));
  }
  template <typename Function>
  void add_resource_template(const mcp_resource_template &tpl,
                             Function handler) {
    add(mcp_server_add_resource_template, tpl, std::move(handler));
  }
  /** With a completion: a handler that calls add_completion and reply. */
  template <typename Function, typename Complete>
  void add_resource_template(mcp_resource_template tpl, Function handler,
                             Complete complete) {
    tpl.complete = detail::entry::run_complete;
    add(mcp_server_add_resource_template, tpl, std::move(handler),
        detail::make_handler(std::move(complete)));
  }
  template <typename Function>
  void add_prompt(const mcp_prompt &prompt, Function handler) {
    add(mcp_server_add_prompt, prompt, std::move(handler));
  }
  template <typename Function, typename Complete>
  void add_prompt(mcp_prompt prompt, Function handler, Complete complete) {
    prompt.complete = detail::entry::run_complete;
    add(mcp_server_add_prompt, prompt, std::move(handler),
        detail::make_handler(std::move(complete)));
  }
  template <typename Function>
  void add_method(const mcp_method &method, Function handler) {
    add(mcp_server_add_method, method, std::move(handler));
  }

  /** Serves a transport. Returns the connection, borrowed until it closes. */
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

  /** mcp_main: serves as the command line says, and returns the exit code. The
   * server has ended then. */
  int main(int argc, char **argv,
           const mcp_main_options &options = MCP_MAIN_OPTIONS_INIT) {
    const mcp_main_options sized = detail::sized(options);
    return mcp_main_with(object_.release(), argc, argv, &sized);
  }

private:
  template <typename Add, typename Structure, typename Function>
  void add(Add function, Structure structure, Function handler,
           std::unique_ptr<detail::handler> complete = nullptr) {
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

/* A listener of a server. */
template <typename Listener, void (*Free)(Listener *), auto Drain>
class listener : public handle<Listener, Free> {
public:
  listener(listener &&) noexcept = default;
  listener &operator=(listener &&other) noexcept {
    listener moved(std::move(other));
    this->object_.swap(moved.object_);
    state_.swap(moved.state_);
    drained_.swap(moved.drained_);
    return *this;
  }
  ~listener() {
    this->object_.reset(); // before what its callbacks use
  }
  /** Takes no more clients, and calls the function once when the last one has
   * left. The function may end the listener. */
  void drain(std::function<void()> on_drained = [] {}) {
    drained_.push_back(
        std::make_shared<callback>(state_, std::move(on_drained)));
    Drain(this->get(), run_drained, drained_.back().get());
  }

protected:
  explicit listener(const loop &on) : state_(on.state()) {}

private:
  static void run_drained(Listener *, void *userdata) {
    static_cast<callback *>(userdata)->run();
  }
  std::shared_ptr<loop_state> state_;
  std::vector<std::shared_ptr<callback>> drained_;
};

} // namespace detail

/** Serves HTTP on an address: mcp_server_listen_http. */
class http_listener
    : public detail::listener<mcp_http_listener, mcp_http_listener_free,
                              mcp_http_listener_drain> {
public:
  http_listener(
      server &served, loop &on,
      const mcp_http_listen_options &options = MCP_HTTP_LISTEN_OPTIONS_INIT)
      : listener(on) {
    const mcp_http_listen_options sized = detail::sized(options);
    mcp_error err = {};
    object_.reset(detail::check_made(
        mcp_server_listen_http(served.get(), on.get(), &sized, &err), err));
  }
  /** Such as "http://127.0.0.1:8080/mcp". */
  std::string_view url() const noexcept {
    return detail::view(mcp_http_listener_url(get()));
  }
  /** Reads certificate and key again. */
  void reload() {
    mcp_error err = {};
    detail::check(mcp_http_listener_reload(get(), &err), err);
  }
};

/** Serves lines over TCP or a Unix socket: mcp_server_listen_socket. */
class socket_listener
    : public detail::listener<mcp_socket_listener, mcp_socket_listener_free,
                              mcp_socket_listener_drain> {
public:
  socket_listener(server &served, loop &on,
                  const mcp_socket_listen_options &options)
      : listener(on) {
    const mcp_socket_listen_options sized = detail::sized(options);
    mcp_error err = {};
    object_.reset(detail::check_made(
        mcp_server_listen_socket(served.get(), on.get(), &sized, &err), err));
  }
  /** Such as "tcp://127.0.0.1:4711". */
  std::string_view url() const noexcept {
    return detail::view(mcp_socket_listener_url(get()));
  }
};

} // namespace v0
} // namespace mcp

#endif
