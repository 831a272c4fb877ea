/* SPDX-License-Identifier: MIT */
/** @file
 * Loops, timers and transports.
 *
 * mcp/mcp.hpp explains the C++ headers.
 *
 * Threads: as mcp/loop.h. A loop and all that is on it are used only on the
 * loop's thread, except loop::post.
 */
#ifndef MCP_LOOP_HPP
#define MCP_LOOP_HPP

#include <mcp/error.hpp>
#include <mcp/http_client.h>
#include <mcp/loop.h>
#include <mcp/socket.h>
#include <mcp/transport.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace mcp {
inline namespace v0 {

namespace detail {

/* What the callbacks on a loop share. Lives as long as the loop, and as the
 * objects that are on it. */
struct loop_state {
  mcp_loop *loop = nullptr;
  std::exception_ptr thrown; /* the first that a callback threw */
  /* While run() runs: what ends it. A program on libmcp-core has no run(). */
  void (*stop)(mcp_loop *) = nullptr;
  std::vector<std::shared_ptr<void>> kept; /* until the loop has ended */

  /* Runs a callback. Its exception ends run(), which throws it. */
  template <typename Function, typename... Arguments>
  void call(Function &function, Arguments &&...arguments) noexcept {
    try {
      function(std::forward<Arguments>(arguments)...);
    } catch (...) {
      if (!thrown) {
        thrown = std::current_exception();
      }
      if (stop != nullptr) {
        stop(loop);
      }
    }
  }
  void rethrow() {
    if (thrown) {
      std::rethrow_exception(std::exchange(thrown, nullptr));
    }
  }
};

/* A function that runs once on the loop, and is freed then. */
template <typename Function> struct posted {
  std::shared_ptr<loop_state> state;
  Function function;
  static void run(void *argument) noexcept {
    std::unique_ptr<posted> self(static_cast<posted *>(argument));
    self->state->call(self->function);
  }
};

template <typename Function>
void post(const std::shared_ptr<loop_state> &state, Function &&function) {
  using kind = posted<std::decay_t<Function>>;
  std::unique_ptr<kind> job(new kind{state, std::forward<Function>(function)});
  int rc = mcp_loop_post(state->loop, kind::run, job.get());
  if (rc != 0) {
    throw error(rc);
  }
  static_cast<void>(job.release()); // its run frees it
}

/* Frees what callbacks use, when those that run now have returned. */
inline void retire(const std::shared_ptr<loop_state> &state,
                   std::shared_ptr<void> used) noexcept {
  try {
    post(state, [used] {});
  } catch (const std::exception &) {
    state->kept.push_back(std::move(used));
  }
}

/* A function that C code calls any number of times, with its loop. It may end
 * the object that owns it. */
struct callback : std::enable_shared_from_this<callback> {
  callback(std::shared_ptr<loop_state> on, std::function<void()> f)
      : state(std::move(on)), function(std::move(f)) {}
  void run() noexcept {
    const std::shared_ptr<callback> self = weak_from_this().lock();
    state->call(function);
  }
  std::shared_ptr<loop_state> state;
  std::function<void()> function;
};

} // namespace detail

/**
 * An event loop. Declare it before the objects on it, so that it ends after
 * them: servers, clients, timers, transports and listeners, and also results,
 * questions and deferred calls, whose memory belongs to the loop.
 *
 * The loop keeps the first exception that a callback throws, until one of the
 * functions that run it can throw the exception to the program. Later
 * exceptions are lost until then.
 *
 * A loop must not end inside one of its callbacks. The functions of a loop that
 * was moved from throw MCP_ERR_INVALID, except stop, which does nothing.
 */
class loop : public detail::handle<mcp_loop, mcp_loop_free> {
public:
  ///@{
  /** Makes a loop (mcp_loop_new). Needs libmcp.
   * @param options copied; the size need not be set */
  loop() : loop(MCP_LOOP_OPTIONS_INIT) {}
  explicit loop(const mcp_loop_options &options) {
    const mcp_loop_options sized = detail::sized(options);
    mcp_error err = {};
    own(mcp_loop_new(&sized, &err), err);
  }
  ///@}
  /** Makes a manual loop (mcp_loop_new_manual), for programs that link
   * libmcp-core only.
   * @param platform copied; nullptr: an empty table */
  static loop manual(const mcp_platform *platform = nullptr) {
    mcp_error err = {};
    return loop(
        detail::check_made(mcp_loop_new_manual(platform, nullptr, &err), err));
  }
  /** Takes a loop of the C functions, on failure too.
   * @throws mcp::error MCP_ERR_INVALID: `taken` is nullptr */
  explicit loop(mcp_loop *taken) { own(taken, {MCP_ERR_INVALID, 0, 0, ""}); }
  ///@{
  /** Takes the loop of another object, which is then empty. Timers, clients
   * and others stay on the loop. A loop that this object had ends. */
  loop(loop &&) noexcept = default;
  loop &operator=(loop &&other) noexcept {
    loop moved(std::move(other));
    object_.swap(moved.object_);
    state_.swap(moved.state_);
    return *this;
  }
  ///@}
  /** Frees the loop (mcp_loop_free). Waits for blocking handlers that still
   * run. Exceptions of callbacks that run meanwhile are lost. */
  ~loop() {
    object_.reset(); // runs the last callbacks
    if (state_ != nullptr) {
      state_->loop = nullptr;
      state_->kept.clear();
    }
  }

  ///@{
  /**
   * Runs the loop: until there is nothing more to do or until stop()
   * (mcp_loop_run); once, without waiting (mcp_loop_step); or waits and then
   * runs it once (mcp_loop_wait). Need libmcp.
   *
   * They throw the first exception that a callback has thrown, in this call or
   * since the last one. It ends run(), and an earlier one keeps the loop from
   * running.
   * @param limit negative: waits without limit. At most INT_MAX milliseconds
   * @throws mcp::error also what the C function returns, such as MCP_ERR_BUSY
   *         inside a callback
   */
  void run() {
    const std::shared_ptr<detail::loop_state> state = owned();
    state->rethrow();
    auto *before = std::exchange(state->stop, mcp_loop_stop);
    int rc = mcp_loop_run(get()); // MCP_ERR_BUSY inside a callback
    state->stop = before;
    finish(*state, rc);
  }
  void step() {
    rethrow();
    finish(*owned(), mcp_loop_step(get()));
  }
  void wait(std::chrono::milliseconds limit = std::chrono::milliseconds(-1)) {
    using rep = std::chrono::milliseconds::rep;
    const rep ms = std::clamp<rep>(limit.count(), -1, INT_MAX);
    rethrow();
    finish(*owned(), mcp_loop_wait(get(), static_cast<int>(ms)));
  }
  ///@}
  /** Manual loops: sets the time, and runs what is due (mcp_loop_advance).
   * Throws the first exception that a callback has thrown. */
  void advance(int64_t now_ms, int64_t wall_ms) {
    mcp_loop_advance(get(), now_ms, wall_ms);
    rethrow();
  }
  /** Throws the first exception that a callback has thrown, if there is one.
   * For programs that run the loop by other means, such as their own uv_loop.
   */
  void rethrow() { owned()->rethrow(); }
  /** Makes run() return after the current callbacks (mcp_loop_stop). Needs
   * libmcp. */
  void stop() noexcept { mcp_loop_stop(get()); }
  /**
   * Runs a function once on the loop's thread, later (mcp_loop_post says which
   * threads may call this). The function may be one that can only be moved. It
   * is freed after it has run, on the loop's thread; if post() throws, at once.
   */
  template <typename Function> void post(Function &&function) {
    detail::post(owned(), std::forward<Function>(function));
  }

  /** For the other classes of these headers: what the callbacks share. */
  const std::shared_ptr<detail::loop_state> &state() const noexcept {
    return state_;
  }

private:
  void own(mcp_loop *made, const mcp_error &err) {
    object_.reset(detail::check_made(made, err));
    state_ = std::make_shared<detail::loop_state>();
    state_->loop = made;
  }
  const std::shared_ptr<detail::loop_state> &owned() const {
    if (state_ == nullptr) {
      throw error(MCP_ERR_INVALID, "the loop was moved from");
    }
    return state_;
  }
  static void finish(detail::loop_state &state, int rc) {
    state.rethrow();
    if (rc < 0) {
      throw error(rc);
    }
  }
  std::shared_ptr<detail::loop_state> state_;
};

/**
 * Calls a function after a time, once or repeatedly (mcp/loop.h). The function
 * may start, stop or end its timer. Its exceptions go to the loop.
 *
 * A timer is moved and not copied, and ends before its loop. Its end frees the
 * function, after a call that runs at that time.
 */
class timer {
public:
  /** Makes a timer that is stopped. */
  timer(loop &on, std::function<void()> on_time)
      : called_(std::make_shared<detail::callback>(on.state(),
                                                   std::move(on_time))) {
    mcp_error err = {};
    timer_ = owner(detail::check_made(
        mcp_timer_new(on.get(), run, called_.get(), &err), err));
  }
  /** Returns the C timer. Borrowed until the timer ends; nullptr after a
   * move. */
  mcp_timer *get() const noexcept { return timer_.get(); }
  /**
   * Starts the timer, or starts it again (mcp_timer_start):
   * `timer.start(std::chrono::seconds(1))`.
   * @param delay  the time until the call; zero or negative: in the next turn
   *               of the loop
   * @param repeat the time between two calls; zero or negative: there is one
   *               call
   */
  void start(std::chrono::milliseconds delay,
             std::chrono::milliseconds repeat = {}) {
    int rc = mcp_timer_start(get(), milliseconds(delay), milliseconds(repeat));
    if (rc != 0) {
      throw error(rc);
    }
  }
  /** Stops the timer: the function is not called. */
  void stop() noexcept { mcp_timer_stop(get()); }

private:
  using owner = detail::handle<mcp_timer, mcp_timer_free>;
  static uint64_t milliseconds(std::chrono::milliseconds time) noexcept {
    return time.count() > 0 ? static_cast<uint64_t>(time.count()) : 0;
  }
  static void run(mcp_timer *, void *userdata) noexcept {
    static_cast<detail::callback *>(userdata)->run();
  }
  std::shared_ptr<detail::callback> called_;
  owner timer_; // ends first
};

/* ---- transports -------------------------------------------------------- */

/**
 * A transport that is not connected yet. connect() of a server or client takes
 * it. A transport that is not connected ends before its loop.
 */
class transport : public detail::handle<mcp_transport, mcp_transport_free> {
public:
  /** Takes a transport of the C functions, or a program's own. */
  explicit transport(mcp_transport *taken) noexcept : handle(taken) {}
  /** Gives the transport to the caller, who connects it or frees it with
   * mcp_transport_free. */
  [[nodiscard]] mcp_transport *release() noexcept { return object_.release(); }

  ///@{
  /**
   * Makes a transport: standard input and output, two descriptors, a child
   * process, a TCP or Unix socket, Streamable HTTP, or a WebSocket. Each is the
   * function mcp_transport_... with its name, of mcp/transport.h, mcp/socket.h
   * or mcp/http_client.h. They need libmcp; http and websocket need
   * libmcp-http.
   * @param on      must outlive the transport, also when it is connected
   * @param options copied, with all that it points to, as the C function says;
   *                the size need not be set
   * @throws mcp::error as the C function says
   */
  static transport
  stdio(loop &on, const mcp_stream_options &options = MCP_STREAM_OPTIONS_INIT) {
    return make(mcp_transport_stdio, options, on.get());
  }
  static transport
  fd(loop &on, int read_fd, int write_fd,
     const mcp_stream_options &options = MCP_STREAM_OPTIONS_INIT) {
    return make(mcp_transport_fd, options, on.get(), read_fd, write_fd);
  }
  static transport process(loop &on, const mcp_process_options &options) {
    return make(mcp_transport_process, options, on.get());
  }
  static transport
  socket(loop &on, const c_string &address,
         const mcp_socket_options &options = MCP_SOCKET_OPTIONS_INIT) {
    return make(mcp_transport_socket, options, on.get(), address.get());
  }
  static transport
  http(loop &on, const c_string &url,
       const mcp_http_client_options &options = MCP_HTTP_CLIENT_OPTIONS_INIT) {
    return make(mcp_transport_http, options, on.get(), url.get());
  }
  static transport websocket(
      loop &on, const c_string &url,
      const mcp_http_client_options &options = MCP_HTTP_CLIENT_OPTIONS_INIT) {
    return make(mcp_transport_websocket, options, on.get(), url.get());
  }
  ///@}
  /** Makes two transports in one process; each receives what the other sends
   * (mcp_memory_pair). */
  static std::pair<transport, transport> memory_pair(loop &on) {
    mcp_transport *a = nullptr;
    mcp_transport *b = nullptr;
    mcp_error err = {};
    detail::check(mcp_memory_pair(on.get(), &a, &b, &err), err);
    return {transport(a), transport(b)};
  }

private:
  template <typename Function, typename Options, typename... Arguments>
  static transport make(Function *function, const Options &options,
                        Arguments... arguments) {
    mcp_error err = {};
    const Options sized = detail::sized(options);
    return transport(
        detail::check_made(function(arguments..., &sized, &err), err));
  }
};

} // namespace v0
} // namespace mcp

#endif
