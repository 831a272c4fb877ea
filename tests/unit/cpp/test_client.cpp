// SPDX-License-Identifier: MIT
// Clients of mcp/mcp.hpp: results, completions, hooks and questions.
#include "unit/cpp/kit.hpp"

// A server with a few tools, and a client of its own loop.
struct pair {
  explicit pair(mcp::client_hooks hooks = {})
      : server("s", "1"),
        client(loop, "c", "1", MCP_CLIENT_OPTIONS_INIT, std::move(hooks)) {
    server.add_tool("echo", "Repeats", mcp_object({mcp_string("text", "")}),
                    [](mcp::call call) {
                      call.progress(1, 2, "half");
                      call.log(MCP_LOG_ERROR, "logged");
                      return std::string(call.string("text"));
                    });
    server.add_tool("wait", "Never answers", mcp_object({}),
                    [this](mcp::call call) { waiting = call.defer(); });
    server.add_tool("ask", "Asks", mcp_object({}), [](mcp::call call) {
      auto form = mcp_object({mcp_string("name", "")});
      mcp::answer answer = call.ask_elicit("name", "Who?", form);
      return std::string(answer.is_accepted()
                             ? answer.content()["name"].string()
                             : std::to_string(answer.action()));
    });
    mcp_resource resource = MCP_RESOURCE_INIT;
    resource.name = "r";
    resource.uri = "test:r";
    resource.text = "read";
    server.add_resource(resource);
    auto [a, b] = mcp::transport::memory_pair(loop);
    server.connect(loop, std::move(a));
    other_end = std::move(b);
  }
  void connect() { client.connect(std::move(other_end)); }
  mcp::loop loop;
  std::optional<mcp::deferred> waiting;
  mcp::server server;
  mcp::client client;
  mcp::transport other_end = mcp::transport(nullptr);
};

static const char *const HELLO = MCP_JSON({"text": "hello"});

TEST(results_are_ranges_and_shared) {
  pair p;
  p.connect();
  mcp::result tools = p.client.list_tools();
  std::string names;
  for (mcp::json tool : tools) {
    names += tool["name"].string();
  }
  assert_text(names, "echowaitask");
  assert_int_equal(tools.size(), 3);
  mcp::result echo = p.client.call_tool("echo", HELLO);
  assert_true(!echo.is_failure() && !echo.structured());
  mcp::result copy = echo;
  mcp::result moved = std::move(echo);
  assert_true(!echo && echo.text().empty() && echo.size() == 0);
  mcp::result &same = moved;
  moved = same;
  moved = std::move(same);
  echo = copy;
  copy = mcp::result();
  assert_text(moved.text(), "hello");
  assert_ptr_equal(moved.get(), echo.get());
  assert_text(moved.json()["content"][0]["text"].string(), "hello");
  assert_int_equal(error_of([&] { p.client.list_prompts(); }),
                   MCP_ERR_UNSUPPORTED);
  assert_int_equal(p.client.list_resources().size(), 1);
  assert_int_equal(p.client.list_resource_templates().size(), 0);
  p.client.close();
  assert_int_equal(error_of([&] { p.client.list_tools(); }), MCP_ERR_CLOSED);
}

TEST(tasks_are_followed_and_left) {
  mcp::loop loop;
  mcp::server server("s", "1");
  std::optional<mcp::deferred> kept;
  server.enable_tasks();
  assert_int_equal(error_of([&] { server.enable_tasks(); }), MCP_ERR_EXISTS);
  server.add_tool("work", "Works", mcp_object({}), [&](mcp::call call) {
    call.make_task();
    kept = call.defer();
  });
  mcp_client_options options = MCP_CLIENT_OPTIONS_INIT;
  options.use_tasks = 1;
  mcp::client client(loop, "c", "1", options);
  auto [a, b] = mcp::transport::memory_pair(loop);
  server.connect(loop, std::move(a));
  client.connect(std::move(b));
  mcp::result begun = client.start_task("work");
  assert_text(begun.task_status(), "working");
  std::string id(begun.task_id());
  assert_text(kept->view().task_id(), id);
  assert_text(client.get_task(id).task_id(), id);
  kept->reply_text("done");
  assert_text(client.wait_task(id, "work").text(), "done");
  begun = client.start_task("work");
  id = begun.task_id();
  client.cancel_task(id);
  assert_int_equal(error_of([&] { client.wait_task(id); }), MCP_ERR_CANCELLED);
  assert_text(client.answer_task(id).task_status(), "cancelled");
  assert_int_equal(error_of([&] { client.list_tasks(); }), MCP_ERR_UNSUPPORTED);
  kept.reset();
}

TEST(progress_calls_a_lambda) {
  pair p;
  p.connect();
  std::string seen;
  mcp::request_options options;
  options.size = 0; // the header sets it
  options.progress = [&](double done, double total, std::string_view message) {
    seen += std::to_string(int(done)) + "/" + std::to_string(int(total)) + " " +
            std::string(message) + ";";
  };
  p.client.call_tool("echo", HELLO, options);
  assert_text(seen, "1/2 half;");
  bool is_done = false;
  p.client.async_call_tool(
      "echo", HELLO, [&](mcp::outcome) { is_done = true; }, options);
  options.progress = nullptr; // the request has a copy
  while (!is_done) {
    p.loop.wait();
  }
  assert_text(seen, "1/2 half;1/2 half;");
}

TEST(progress_and_on_progress_exclude_one_another) {
  pair p;
  p.connect();
  mcp::request_options options;
  options.on_progress = [](mcp_client *, double, double, const char *, void *) {
  };
  p.client.call_tool("echo", HELLO, options);
  options.progress = [](double, double, std::string_view) {};
  assert_int_equal(
      error_of([&] { p.client.call_tool("echo", HELLO, options); }),
      MCP_ERR_INVALID);
  options.on_progress = nullptr;
  options.progress_userdata = &options;
  assert_int_equal(error_of([&] {
                     p.client.async_list_tools([](mcp::outcome) {}, options);
                   }),
                   MCP_ERR_INVALID);
}

TEST(a_blocking_request_throws_what_a_hook_threw) {
  pair p;
  p.connect();
  mcp::request_options options;
  options.progress = [](double, double, std::string_view) {
    throw std::runtime_error("progress failed");
  };
  assert_text(thrown_by([&] { p.client.call_tool("echo", HELLO, options); }),
              "progress failed");
  assert_text(p.client.call_tool("echo", HELLO).text(), "hello");
}

TEST(a_completion_runs_once_and_is_freed) {
  int freed = 0;
  std::string text;
  pair p;
  auto connected = [&, w = witness(&freed)](mcp::outcome ended) {
    assert_true(bool(ended.result().json()["capabilities"]));
    text += "connected ";
  };
  p.client.async_connect(std::move(p.other_end), std::move(connected));
  while (text.empty()) {
    p.loop.wait();
  }
  assert_int_equal(freed, 1);
  std::unique_ptr<int> moved_only(new int(1));
  p.client.async_call_tool("echo", HELLO,
                           [&, one = std::move(moved_only),
                            w = witness(&freed)](mcp::outcome ended) {
                             text += ended.result().text();
                             p.loop.stop();
                           });
  p.loop.run();
  assert_text(text, "connected hello");
  assert_int_equal(freed, 2);
  p.client.async_read_resource("test:r", [&](mcp::outcome ended) {
    text = ended.result().text();
    p.loop.stop();
  });
  p.loop.run();
  assert_text(text, "read");
  p.client.async<mcp_client_ping>(
      [&](mcp::outcome ended) { text = ended ? "pong" : "none"; }, {});
  while (text == "read") {
    p.loop.wait();
  }
  assert_text(text, "pong");
}

TEST(completions_run_when_the_client_ends) {
  int freed = 0;
  int status = 0;
  {
    pair p;
    p.connect();
    p.client.async_call_tool("wait", nullptr,
                             [&, w = witness(&freed)](mcp::outcome ended) {
                               status = ended.get()->status;
                             });
    mcp::client moved = std::move(p.client);
    assert_null(p.client.get());
    assert_int_equal(error_of([&] { p.client.list_tools(); }), MCP_ERR_INVALID);
    assert_int_equal(error_of([&] { p.client.close(); }), MCP_ERR_INVALID);
    assert_int_equal(
        error_of([&] { p.client.async_list_tools([](mcp::outcome) {}); }),
        MCP_ERR_INVALID);
    mcp::client &same = moved;
    moved = std::move(same);
    assert_int_equal(status, 0);
  }
  assert_int_equal(status, MCP_ERR_CLOSED);
  assert_int_equal(freed, 1);
}

TEST(an_asynchronous_request_throws_when_it_does_not_start) {
  int freed = 0;
  pair p; // not connected
  assert_int_equal(error_of([&] {
                     p.client.async_list_tools(
                         [w = witness(&freed)](mcp::outcome) {});
                   }),
                   MCP_ERR_CLOSED);
  assert_int_equal(freed, 1);
}

TEST(a_request_is_cancelled_by_its_number) {
  pair p;
  p.connect();
  int status = 0;
  uint64_t number =
      p.client.async_call_tool("wait", nullptr, [&](mcp::outcome ended) {
        assert_true(!ended && !ended.error_data());
        status = ended.error().code();
        ended.result();
      });
  while (!p.waiting) {
    p.loop.wait();
  }
  assert_int_equal(mcp_client_cancel(p.client.get(), number, nullptr), 0);
  assert_text(thrown_by([&] {
                while (true) {
                  p.loop.wait();
                }
              }),
              mcp::error(MCP_ERR_CANCELLED).what());
  assert_int_equal(status, MCP_ERR_CANCELLED);
}

// What a client's user does with a question, and what the tool then says.
static std::string ask(std::function<void(mcp::question)> on_elicit) {
  mcp::client_hooks hooks;
  hooks.on_elicit = std::move(on_elicit);
  pair p(std::move(hooks));
  p.connect();
  return thrown_by([&] {
    throw std::runtime_error(std::string(p.client.call_tool("ask").text()));
  });
}

TEST(questions_are_answered) {
  assert_text(ask([](mcp::question question) {
                assert_text(question.params()["message"].string(), "Who?");
                assert_text(question.method(), "elicitation/create");
                assert_true(!question.is_cancelled());
                assert_int_equal(error_of([&] { question.accept("{"); }),
                                 MCP_ERR_INVALID);
                assert_int_equal(
                    error_of([&] { question.accept("{\"name\":1}"); }),
                    MCP_ERR_SCHEMA);
                question.accept("{\"name\":\"Ada\"}");
                assert_null(question.get());
              }),
              "Ada");
  assert_text(ask([](mcp::question question) { question.decline(); }),
              std::to_string(MCP_ACTION_DECLINE));
  assert_text(ask([](mcp::question question) { question.cancel(); }),
              std::to_string(MCP_ACTION_CANCEL));
}

TEST(a_question_without_an_answer_fails) {
  assert_non_null(std::strstr(ask([](mcp::question) {}).c_str(), "no answer"));
  assert_non_null(std::strstr(ask([](mcp::question question) {
                                question.fail(-32603, "no dialog");
                              }).c_str(),
                              "no dialog"));
  assert_text(ask([](mcp::question) { throw std::runtime_error("broken"); }),
              "broken");
}

// The memory of questions and results is the loop's.
TEST(hooks_may_keep_questions_and_results_until_their_loop_ends) {
  int freed = 0;
  struct kept {
    explicit kept(int *freed) : end(freed) {}
    std::optional<mcp::question> question;
    mcp::result tools;
    witness end;
  };
  {
    mcp::client_hooks hooks;
    auto owner = std::make_shared<kept>(&freed);
    kept *mine = owner.get();
    hooks.on_elicit = [owner = std::move(owner)](mcp::question question) {
      owner->question = std::move(question);
    };
    pair p(std::move(hooks));
    hooks = {}; // libc++ leaves a copy of a small function behind
    p.connect();
    mine->tools = p.client.list_tools();
    p.client.async_call_tool("ask", nullptr, [](mcp::outcome) {});
    while (!mine->question) {
      p.loop.wait();
    }
  }
  assert_int_equal(freed, 1);
}

TEST(a_question_is_answered_later) {
  std::optional<mcp::question> kept;
  mcp::client_hooks hooks;
  hooks.on_elicit = [&](mcp::question question) { kept = std::move(question); };
  pair p(std::move(hooks));
  p.connect();
  std::string text;
  p.client.async_call_tool("ask", nullptr, [&](mcp::outcome ended) {
    text = ended.result().text();
  });
  while (!kept) {
    p.loop.wait();
  }
  mcp::question moved = std::move(*kept);
  assert_null(kept->get());
  moved.accept("{\"name\":\"Grace\"}");
  while (text.empty()) {
    p.loop.wait();
  }
  assert_text(text, "Grace");
}

TEST(hooks_hear_of_the_server) {
  int freed = 0;
  std::string seen;
  {
    mcp::client_hooks hooks;
    hooks.on_list_changed = [&, w = witness(&freed)](std::string_view list) {
      seen += std::string(list) + " ";
    };
    hooks.on_log = [&](int level, std::string_view logger, mcp::json data) {
      seen += std::to_string(level) + std::string(logger) +
              std::string(data.string()) + " ";
    };
    hooks.on_closed = [&](const mcp_error &) { seen += "closed "; };
    hooks.on_error = [&](const mcp_error &) { seen += "error "; };
    mcp_client_options options = {};
    options.revision = MCP_REVISION_2025_11_25;
    mcp::loop loop;
    mcp::server server("s", "1");
    mcp_server_enable_logging(server.get());
    server.add_tool("a", "", mcp_object({}), [](mcp::call call) {
      call.log(MCP_LOG_ERROR, "logged");
      return "a";
    });
    auto [a, b] = mcp::transport::memory_pair(loop);
    server.connect(loop, std::move(a));
    mcp::client client(loop, "c", "1", options, std::move(hooks));
    client.connect(std::move(b));
    client.call_tool("a");
    assert_text(seen, std::to_string(MCP_LOG_ERROR) + "logged ");
    seen.clear();
    mcp_server_remove_tool(server.get(), "a");
    client.request("ping");
    assert_text(seen, "tools ");
    seen.clear();
    client.close();
    assert_text(seen, "closed ");
  }
  assert_int_equal(freed, 1);
}

TEST(a_hook_may_end_its_client) {
  mcp::loop loop;
  std::optional<mcp::client> client;
  mcp::client_hooks hooks;
  int freed = 0;
  hooks.on_closed = [&, w = witness(&freed)](const mcp_error &) {
    client.reset();
    assert_int_equal(freed, 0);
  };
  client.emplace(loop, "c", "1", MCP_CLIENT_OPTIONS_INIT, std::move(hooks));
  mcp::server server("s", "1");
  auto [a, b] = mcp::transport::memory_pair(loop);
  server.connect(loop, std::move(a));
  client->connect(std::move(b));
  mcp_client_close(client->get());
  while (client) {
    loop.wait();
  }
  loop.step();
  assert_int_equal(freed, 1);
}

// A client that ends in the first progress of its request.
struct ending_client {
  ending_client() : server("s", "1") {
    server.add_tool("t", "", mcp_object({}), [](mcp::call call) {
      call.progress(1, 2, "half");
      return "done";
    });
    auto [a, b] = mcp::transport::memory_pair(loop);
    server.connect(loop, std::move(a));
    client.emplace(loop, "c", "1");
    client->connect(std::move(b));
    options.progress = [this, w = witness(&freed)](double, double,
                                                   std::string_view) {
      client.reset();
      assert_int_equal(*w.freed, 0);
    };
  }
  mcp::loop loop;
  mcp::server server;
  std::optional<mcp::client> client;
  int freed = 0;
  mcp::request_options options;
};

TEST(progress_may_end_the_client_of_a_blocking_request) {
  ending_client e;
  assert_int_equal(
      error_of([&] { e.client->call_tool("t", nullptr, e.options); }),
      MCP_ERR_CLOSED);
  assert_true(!e.client);
}

TEST(progress_may_end_the_client_of_an_asynchronous_request) {
  ending_client e;
  int status = 0;
  e.client->async_call_tool(
      "t", nullptr, [&](mcp::outcome ended) { status = ended.get()->status; },
      e.options);
  e.options.progress = nullptr; // the request has a copy
  while (e.client || status == 0) {
    e.loop.wait();
  }
  assert_int_equal(status, MCP_ERR_CLOSED);
  e.loop.step();
  assert_int_equal(e.freed, 1);
}

TEST(on_closed_may_end_the_client_that_closes) {
  mcp::loop loop;
  mcp::server server("s", "1");
  std::optional<mcp::client> client;
  mcp::client_hooks hooks;
  hooks.on_closed = [&](const mcp_error &) { client.reset(); };
  client.emplace(loop, "c", "1", MCP_CLIENT_OPTIONS_INIT, std::move(hooks));
  auto [a, b] = mcp::transport::memory_pair(loop);
  server.connect(loop, std::move(a));
  client->connect(std::move(b));
  client->close();
  assert_true(!client);
}

TEST(the_number_of_a_request_is_also_where_its_options_say) {
  pair p;
  p.connect();
  uint64_t number = 0;
  mcp::request_options options;
  options.request = &number;
  bool is_done = false;
  uint64_t same = p.client.async_call_tool(
      "echo", HELLO, [&](mcp::outcome) { is_done = true; }, options);
  assert_true(same != 0 && number == same);
  while (!is_done) {
    p.loop.wait();
  }
}

TEST(hooks_trace_messages) {
  std::string seen;
  mcp::client_hooks hooks;
  hooks.on_trace = [&](const mcp_traced_message &message) {
    seen.append(message.text, message.len);
  };
  pair p(std::move(hooks));
  p.connect();
  seen.clear();
  p.client.call_tool("echo", HELLO);
  assert_true(seen.find("tools/call") != seen.npos);
}

// What the constructor says of options that set a member, without and with
// hooks.
static std::string refused_beside_hooks(const mcp_client_options &options) {
  mcp::loop loop;
  mcp::client_hooks hooks;
  mcp::client(loop, "c", "1", options, hooks);
  hooks.on_roots = [](mcp::question) {};
  std::string why =
      thrown_by([&] { mcp::client(loop, "c", "1", options, hooks); });
  return why.substr(why.rfind('.') + 1);
}

TEST(hooks_and_callbacks_of_the_options_exclude_one_another) {
  mcp_client_options options = MCP_CLIENT_OPTIONS_INIT;
  assert_text(refused_beside_hooks(options), "");
  options.on_closed = [](mcp_client *, const mcp_error *, void *) {};
  assert_text(refused_beside_hooks(options), "on_closed");
  options.on_error = [](mcp_client *, const mcp_error *, void *) {};
  assert_text(refused_beside_hooks(options), "on_error");
  options.on_trace = [](mcp_client *, const mcp_traced_message *, void *) {};
  assert_text(refused_beside_hooks(options), "on_trace");
  options.on_notification = [](mcp_client *, const char *, const mcp_json *,
                               void *) {};
  assert_text(refused_beside_hooks(options), "on_notification");
  options.on_elicitation_complete = [](mcp_client *, const char *, void *) {};
  assert_text(refused_beside_hooks(options), "on_elicitation_complete");
  options.on_log = [](mcp_client *, int, const char *, const mcp_json *,
                      void *) {};
  assert_text(refused_beside_hooks(options), "on_log");
  options.on_elicit = [](mcp_question *, void *) {};
  assert_text(refused_beside_hooks(options), "on_elicit");
  options.userdata = &options;
  assert_text(refused_beside_hooks(options), "userdata");
}

TEST(a_client_fails_to_be_made) {
  mcp::loop loop;
  assert_int_equal(error_of([&] { mcp::client(loop, nullptr, "1"); }),
                   MCP_ERR_INVALID);
  mcp_client_options options = {};
  options.userdata = &options;
  mcp::client_hooks hooks;
  hooks.on_error = [](const mcp_error &) {};
  assert_int_equal(
      error_of([&] { mcp::client(loop, "c", "1", options, hooks); }),
      MCP_ERR_INVALID);
  mcp::client client(loop, "c", "1");
  assert_int_equal(
      error_of([&] { client.connect_command({"/no/such/program"}); }),
      MCP_ERR_IO);
  assert_int_equal(
      error_of([&] { client.connect_command({std::string("a\0b", 3)}); }),
      MCP_ERR_INVALID);
  bool is_done = false;
  client.async_connect_command({"true"}, [&](mcp::outcome ended) {
    assert_true(!ended);
    is_done = true;
  });
  while (!is_done) {
    loop.wait();
  }
}
