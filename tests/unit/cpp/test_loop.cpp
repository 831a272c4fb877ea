// SPDX-License-Identifier: MIT
// Loops, timers and transports of mcp/mcp.hpp.
#include "unit/cpp/kit.hpp"

#include <thread>

using std::chrono::milliseconds;

TEST(a_posted_function_runs_once_and_is_freed) {
  int freed = 0;
  int runs = 0;
  mcp::loop loop;
  loop.post([w = witness(&freed), &runs] { runs++; });
  std::unique_ptr<int> moved_only(new int(3));
  loop.post([p = std::move(moved_only), &runs] { runs += *p; });
  assert_int_equal(freed, 0);
  loop.step();
  loop.step();
  assert_int_equal(runs, 4);
  assert_int_equal(freed, 1);
}

TEST(a_loop_frees_what_waits_at_its_end) {
  int freed = 0;
  {
    mcp::loop loop;
    loop.post([w = witness(&freed)] {});
    mcp::loop manual = mcp::loop::manual();
    manual.post([w = witness(&freed)] {});
  }
  assert_int_equal(freed, 2);
}

TEST(other_threads_post) {
  mcp::loop loop;
  bool is_done = false;
  mcp::timer patience(loop, [] { throw std::runtime_error("too late"); });
  patience.start(std::chrono::seconds(20));
  std::thread other([&] {
    loop.post([&] {
      is_done = true;
      loop.stop();
    });
  });
  loop.run();
  other.join();
  assert_true(is_done);
}

TEST(what_a_callback_throws_ends_run) {
  int runs = 0;
  mcp::loop loop;
  mcp::timer timer(loop, [&] {
    runs++;
    throw std::runtime_error("the timer's");
  });
  timer.start(milliseconds(0), milliseconds(100));
  assert_true(thrown_by([&] { loop.run(); }) == "the timer's");
  assert_int_equal(runs, 1);
  // The loop can go on.
  assert_true(thrown_by([&] { loop.run(); }) == "the timer's");
  assert_int_equal(runs, 2);
  timer.stop();
  loop.post([] { throw std::runtime_error("first"); });
  loop.post([] { throw std::runtime_error("second"); });
  loop.post([] { throw 3; });
  assert_true(thrown_by([&] { loop.wait(); }) == "first");
  loop.run();
  // run() is not for callbacks, and leaves the outer one as it is.
  loop.post([&] { loop.run(); });
  timer.start(milliseconds(1000000));
  assert_text(thrown_by([&] { loop.run(); }), "busy");
}

// Such as in the destructor of a client, whose completions throw.
TEST(what_a_callback_threw_before_run_is_thrown_at_once) {
  mcp::loop loop;
  int runs = 0;
  mcp::timer timer(loop, [&] {
    runs++;
    loop.stop();
  });
  timer.start(milliseconds(0));
  const auto ends_in_a_callback = [&] {
    mcp::server server("s", "1");
    mcp::client client(loop, "c", "1");
    auto [a, b] = mcp::transport::memory_pair(loop);
    server.connect(loop, std::move(a));
    client.async_connect(std::move(b), [](mcp::outcome ended) {
      assert_int_equal(ended.error().code(), MCP_ERR_CLOSED);
      throw std::runtime_error("the client ended");
    });
  };
  ends_in_a_callback();
  assert_text(thrown_by([&] { loop.run(); }), "the client ended");
  assert_int_equal(runs, 0);
  ends_in_a_callback();
  assert_text(thrown_by([&] { loop.wait(); }), "the client ended");
  ends_in_a_callback();
  assert_text(thrown_by([&] { loop.step(); }), "the client ended");
  assert_int_equal(runs, 0);
  loop.run();
  assert_int_equal(runs, 1);
}

TEST(a_manual_loop_throws_when_it_is_advanced) {
  mcp::loop loop = mcp::loop::manual();
  mcp::timer timer(loop, [] { throw std::runtime_error("now"); });
  timer.start(milliseconds(5));
  loop.advance(1, 1);
  assert_true(thrown_by([&] { loop.advance(100, 100); }) == "now");
}

TEST(a_timer_may_end_inside_its_function) {
  int freed = 0;
  mcp::loop loop;
  std::optional<mcp::timer> timer;
  timer.emplace(loop, [&, w = witness(&freed)] {
    timer.reset();
    assert_int_equal(freed, 0);
  });
  timer->start(milliseconds(0));
  loop.run();
  assert_int_equal(freed, 1);
}

TEST(timers_are_moved) {
  int freed = 0;
  int runs = 0;
  mcp::loop loop;
  {
    mcp::timer a(loop, [&, w = witness(&freed)] { runs++; });
    a.start(milliseconds(0));
    mcp::timer b = std::move(a);
    assert_null(a.get());
    mcp::timer &same = b;
    b = std::move(same);
    loop.run();
    assert_int_equal(runs, 1);
    mcp::timer c(loop, [w = witness(&freed)] {});
    c = std::move(b);
    assert_int_equal(freed, 1);
  }
  assert_int_equal(freed, 2);
}

TEST(loops_are_moved) {
  int runs = 0;
  mcp::loop a; // which has what it had at first, at the end
  mcp::loop b = std::move(a);
  assert_null(a.get());
  mcp::timer timer(b, [&] { runs++; });
  mcp::loop &same = b;
  b = std::move(same);
  a = std::move(b);
  timer.start(milliseconds(0));
  a.run();
  assert_int_equal(runs, 1);
  a.post([] { throw std::runtime_error("after the move"); });
  assert_text(thrown_by([&] { a.run(); }), "after the move");
  const char *gone = "the loop was moved from";
  assert_text(thrown_by([&] { b.run(); }), gone);
  assert_text(thrown_by([&] { b.step(); }), gone);
  assert_text(thrown_by([&] { b.wait(); }), gone);
  assert_text(thrown_by([&] { b.advance(0, 0); }), gone);
  assert_text(thrown_by([&] { b.rethrow(); }), gone);
  assert_text(thrown_by([&] { b.post([] {}); }), gone);
  assert_true(!thrown_by([&] { mcp::timer on_nothing(b, [] {}); }).empty());
  b.stop();
}

TEST(a_wait_may_be_longer_than_an_int) {
  int runs = 0;
  mcp::loop loop;
  mcp::timer timer(loop, [&] { runs++; });
  timer.start(milliseconds(20));
  loop.wait(milliseconds(INT64_C(1) << 32));
  assert_int_equal(runs, 1);
  timer.start(milliseconds(20));
  loop.wait(milliseconds(INT64_MIN));
  assert_int_equal(runs, 2);
}

TEST(a_failure_throws) {
  mcp::loop loop;
  mcp_process_options nothing = MCP_PROCESS_OPTIONS_INIT;
  assert_true(
      !thrown_by([&] { mcp::transport::process(loop, nothing); }).empty());
  assert_true(
      !thrown_by([&] { mcp::transport::socket(loop, "no address"); }).empty());
  assert_true(
      !thrown_by([&] { loop.advance(-1, 0), mcp::loop(nullptr); }).empty());
  // run() is not for a manual loop.
  assert_true(!thrown_by([] { mcp::loop::manual().run(); }).empty());
}

TEST(transports_that_are_not_connected_are_freed) {
  mcp::loop loop;
  auto [a, b] = mcp::transport::memory_pair(loop);
  mcp::transport c = std::move(a);
  mcp_process_options options = MCP_PROCESS_OPTIONS_INIT;
  const char *const argv[] = {"true", nullptr};
  options.argv = argv;
  options.size = 0; // the header sets it
  mcp::transport process = mcp::transport::process(loop, options);
  assert_true(process && b && c && !a);
}
