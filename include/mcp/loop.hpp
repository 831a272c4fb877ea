/* SPDX-License-Identifier: MIT */
/** @file
 * Loops, timers and transports.
 * mcp/mcp.hpp explains the C++ headers.
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

/** An event loop. It must not end inside one of its callbacks. The functions of
 * a loop that was moved from throw MCP_ERR_INVALID, except stop. */
class loop : public detail::handle<mcp_loop, mcp_loop_free> {
public:
  /** mcp_loop_new. */
  loop() : loop(MCP_LOOP_OPTIONS_INIT) {}
  explicit loop(const mcp_loop_options &options) {
    const mcp_loop_options sized = detail::sized(options);
    mcp_error err = {};
    own(mcp_loop_new(&sized, &err), err);
  }
  /** mcp_loop_new_manual: for programs that link libmcp-core only. */
  static loop manual(const mcp_platform *platform = nullptr) {
    mcp_error err = {};
    return loop(
        detail::check_made(mcp_loop_new_manual(platform, nullptr, &err), err));
  }
  /** Takes a loop of the C functions. */
  explicit loop(mcp_loop *taken) { own(taken, {MCP_ERR_INVALID, 0, 0, ""}); }
  loop(loop &&) noexcept = default;
  loop &operator=(loop &&other) noexcept {
    loop moved(std::move(other));
    object_.swap(moved.object_);
    state_.swap(moved.state_);
    return *this;
  }
  ~loop() {
    object_.reset(); // runs the last callbacks
    if (state_ != nullptr) {
      state_->loop = nullptr;
      state_->kept.clear();
    }
  }

  /** These run callbacks, and throw the first exception of one of them. */
  void run() {
    const std::shared_ptr<detail::loop_state> state = owned();
    auto *before = std::exchange(state->stop, mcp_loop_stop);
    int rc = mcp_loop_run(get()); // MCP_ERR_BUSY inside a callback
    state->stop = before;
    finish(*state, rc);
  }
  void step() { finish(*owned(), mcp_loop_step(get())); }
  /** @param limit negative: waits without limit; at most INT_MAX ms count */
  void wait(std::chrono::milliseconds limit = std::chrono::milliseconds(-1)) {
    using rep = std::chrono::milliseconds::rep;
    const rep ms = std::clamp<rep>(limit.count(), -1, INT_MAX);
    finish(*owned(), mcp_loop_wait(get(), static_cast<int>(ms)));
  }
  /** For manual loops: mcp_loop_advance. */
  void advance(int64_t now_ms, int64_t wall_ms) {
    mcp_loop_advance(get(), now_ms, wall_ms);
    rethrow();
  }
  /** Throws what a callback threw. For programs that run the loop by other
   * means, such as their own uv_loop. */
  void rethrow() { owned()->rethrow(); }
  /** Makes run() return after the current callbacks. */
  void stop() noexcept { mcp_loop_stop(get()); }
  /** Runs a function once on the loop's thread. Callable from any thread, as
   * mcp_loop_post. */
  template <typename Function> void post(Function &&function) {
    detail::post(owned(), std::forward<Function>(function));
  }

  const std::shared_ptr<detail::loop_state> &state() const noexcept {
    return state_; // for the other classes of this header
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

/** Calls a function after a time, once or again and again. The function may
 * start, stop or end its timer. */
class timer {
public:
  timer(loop &on, std::function<void()> on_time)
      : called_(std::make_shared<detail::callback>(on.state(),
                                                   std::move(on_time))) {
    mcp_error err = {};
    timer_ = owner(detail::check_made(
        mcp_timer_new(on.get(), run, called_.get(), &err), err));
  }
  mcp_timer *get() const noexcept { return timer_.get(); }
  /** As mcp_timer_start: `timer.start(std::chrono::seconds(1))`. */
  void start(std::chrono::milliseconds delay,
             std::chrono::milliseconds repeat = {}) {
    int rc = mcp_timer_start(get(), milliseconds(delay), milliseconds(repeat));
    if (rc != 0) {
      throw error(rc);
    }
  }
  void stop() noexcept { mcp_timer_stop(get()); }

private:
  using owner = detail::handle<mcp_timer, mcp_timer_free>;
  static uint64_t milliseconds(std::chrono::milliseconds time) noexcept {
    return time.count() > 0 ? static_cast<uint64_t>(time.count()) : 0;
  }
  static void run(mcp_timer *, void *userdata) {
    static_cast<detail::callback *>(userdata)->run();
  }
  std::shared_ptr<detail::callback> called_;
  owner timer_; // ends first
};

/* ---- transports -------------------------------------------------------- */

/** A transport that is not connected yet. connect() of a server or client takes
 * it. The functions that make one are those of mcp/transport.h, mcp/socket.h
 * and mcp/http_client.h. */
class transport : public detail::handle<mcp_transport, mcp_transport_free> {
public:
  /** Takes a transport of the C functions, or a program's own. */
  explicit transport(mcp_transport *taken) noexcept : handle(taken) {}
  mcp_transport *release() noexcept { return object_.release(); }

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
  /** Two transports; each receives what the other sends. */
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
