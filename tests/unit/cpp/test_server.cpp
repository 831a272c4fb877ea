// SPDX-License-Identifier: MIT
// Servers and calls of mcp/mcp.hpp: what owns handlers, and what exceptions
// become.
#include "unit/cpp/kit.hpp"

#include <atomic>
#include <thread>

// A server and a client in one process. Handlers are added before connect().
struct pair {
  explicit pair(const mcp_server_options &options = MCP_SERVER_OPTIONS_INIT,
                mcp::server_hooks hooks = {}, mcp::client_hooks answers = {})
      : server("s", "1", options, std::move(hooks)),
        client(loop, "c", "1", MCP_CLIENT_OPTIONS_INIT, std::move(answers)) {}
  void connect() {
    auto [a, b] = mcp::transport::memory_pair(loop);
    server.connect(loop, std::move(a));
    client.connect(std::move(b));
  }
  template <typename Function> void add(const char *name, Function handler) {
    server.add_tool(name, "", mcp_object({}), std::move(handler));
  }
  // The text of a tool's result, with "failure: " before that of a failure.
  std::string call(const char *name) {
    mcp::result result = client.call_tool(name);
    return (result.is_failure() ? "failure: " : "") +
           std::string(result.text());
  }
  mcp::loop loop;
  mcp::server server;
  mcp::client client;
};

// The code and message of a JSON-RPC error.
template <typename Function> static std::string refusal(Function function) {
  try {
    function();
  } catch (const mcp::error &why) {
    assert_int_equal(why.code(), MCP_ERR_REMOTE);
    return std::to_string(why.status()) + " " + why.what();
  }
  return {};
}

TEST(what_a_handler_returns_is_its_reply) {
  pair p;
  p.add("void", [](mcp::call call) { call.reply_number(2.5); });
  p.add("string", [](mcp::call) { return std::string("text\0more", 9); });
  p.add("literal", [](mcp::call) { return "literal"; });
  p.add("view", [](mcp::call) { return std::string_view("viewed", 4); });
  p.add("code", [](mcp::call call) -> int {
    return mcp_call_reply_text(call.get(), "by C");
  });
  p.add("constant", [](mcp::call) { return MCP_ERR_LIMIT; });
  p.add("nothing", [](mcp::call) {});
  p.add("null", [](mcp::call) -> const char * { return nullptr; });
  p.connect();
  assert_text(p.call("void"), "2.5");
  assert_int_equal(p.client.call_tool("string").text().size(), 9);
  assert_text(p.call("literal"), "literal");
  assert_text(p.call("view"), "view");
  assert_text(p.call("code"), "by C");
  assert_text(refusal([&] { p.call("constant"); }), "-32603 internal error");
  assert_int_equal(error_of([&] { p.call("nothing"); }), MCP_ERR_REMOTE);
  assert_text(p.call("null"), "failure: the handler returned NULL");
}

TEST(a_resource_may_contain_nul) {
  pair p;
  mcp_resource resource = MCP_RESOURCE_INIT;
  resource.name = "r";
  resource.uri = "test:returned";
  p.server.add_resource(resource,
                        [](mcp::call) { return std::string("a\0b", 3); });
  resource.uri = "test:added";
  p.server.add_resource(resource, [](mcp::call call) {
    call.add_resource_text(std::string("a\0b", 3), "test:other", "text/x");
    call.reply();
  });
  p.connect();
  assert_int_equal(p.client.read_resource("test:returned").text().size(), 3);
  mcp::result added = p.client.read_resource("test:added");
  assert_int_equal(added.text().size(), 3);
  assert_text(added[0]["uri"].string(), "test:other");
}

TEST(only_a_tool_has_a_structured_result) {
  pair p;
  int code = 0;
  mcp_prompt prompt = MCP_PROMPT_INIT;
  prompt.name = "p";
  p.server.add_prompt(prompt, [&](mcp::call call) {
    code = error_of([&] { call.structured(); });
    call.reply();
  });
  p.connect();
  p.client.get_prompt("p");
  assert_int_equal(code, MCP_ERR_INVALID);
}

// A text of a type of the program's.
struct own_text {
  operator std::string_view() const { return "own"; }
};

TEST(a_text_may_be_of_any_type_that_is_a_string_view) {
  pair p;
  p.add("own", [](mcp::call) { return own_text(); });
  mcp_resource resource = MCP_RESOURCE_INIT;
  resource.name = "r";
  resource.uri = "test:own";
  p.server.add_resource(resource, [](mcp::call) { return own_text(); });
  p.connect();
  assert_text(p.call("own"), "own");
  assert_text(p.client.read_resource("test:own").text(), "own");
}

TEST(arguments_are_read) {
  pair p;
  auto input = mcp_object({mcp_number("n", ""), mcp_integer("i", ""),
                           mcp_boolean("b", ""), mcp_string("s", "")});
  mcp_tool tool = MCP_TOOL_INIT;
  tool.size = 0; // the header sets it
  tool.name = "read";
  tool.input = input;
  p.server.add_tool(tool, [](mcp::call call) {
    assert_true(call.number("n") == 0.5 && call.integer("i") == 7);
    assert_true(call.boolean("b") && !call.argument("none"));
    assert_true(!call.argument("none").as<int>());
    assert_text(call.name(), "read");
    assert_text(call.method(), "tools/call");
    assert_true(call.uri().empty() && call.principal().empty());
    assert_true(!call.is_cancelled() && !call.client_has("sampling"));
    return std::string(call.string(std::string_view("sx", 1)));
  });
  p.connect();
  mcp::builder b;
  b.object().add("n", 0.5).add("i", 7).add("b", true).add("s", "word").end();
  assert_text(p.client.call_tool("read", b.text()).text(), "word");
  // A string that a C function would cut.
  mcp::result cut = p.client.call_tool(
      "read", R"({"n":0.5,"i":7,"b":true,"s":"a\u0000.txt"})");
  assert_true(cut.is_failure());
  assert_non_null(std::strstr(std::string(cut.text()).c_str(), "NUL"));
}

TEST(an_exception_of_a_tool_is_its_failure) {
  std::string reported;
  mcp::server_hooks hooks;
  hooks.on_report = [&](const mcp_error &why) { reported = why.message; };
  pair p(MCP_SERVER_OPTIONS_INIT, std::move(hooks));
  p.add("standard",
        [](mcp::call) { throw std::runtime_error("100 %s wrong"); });
  p.add("library", [](mcp::call) { throw mcp::error(MCP_ERR_TIMEOUT); });
  p.add("refusal", [](mcp::call) { throw mcp::rpc_error(42, "no", "[1]"); });
  p.add("other", [](mcp::call) { throw 3; });
  p.add("after", [](mcp::call call) {
    call.reply_text("replied");
    throw std::runtime_error("too late");
  });
  p.add("recorded", [](mcp::call call) { call.add_text("\xff"); });
  p.add("caught", [](mcp::call call) {
    try {
      call.add_image("x", nullptr);
    } catch (const std::exception &) {
      call.reply_text("caught");
    }
  });
  p.connect();
  assert_text(p.call("standard"), "failure: 100 %s wrong");
  assert_text(p.call("library"), "failure: timed out");
  assert_text(refusal([&] { p.call("refusal"); }), "42 no");
  assert_text(p.call("other"), "failure: internal error");
  assert_text(p.call("after"), "replied");
  assert_non_null(std::strstr(reported.c_str(), "\"too late (an exception)\""));
  assert_true(!refusal([&] { p.call("recorded"); }).empty());
  assert_text(p.call("caught"), "caught");
}

TEST(an_error_without_a_text_has_its_code) {
  pair p;
  p.add("refusal", [](mcp::call) { throw mcp::rpc_error(42, ""); });
  p.connect();
  const std::string text = refusal([&] { p.call("refusal"); });
  assert_int_equal(text.compare(0, 3, "42 "), 0);
  assert_true(text.size() > 3);
}

TEST(a_text_that_is_null_is_refused) {
  static const char *volatile null = nullptr; // unknown to the compiler
  pair p;
  p.add("failure", [](mcp::call call) {
    assert_int_equal(error_of([&] { call.log(MCP_LOG_ERROR, null); }),
                     MCP_ERR_INVALID);
    assert_int_equal(error_of([&] { call.reply_failure(null); }),
                     MCP_ERR_INVALID);
    call.reply_failure("100 %s");
  });
  p.connect();
  assert_text(p.call("failure"), "failure: 100 %s");
}

TEST(resources_and_prompts_fail_with_an_error) {
  pair p;
  mcp_resource resource = MCP_RESOURCE_INIT;
  resource.name = "r";
  resource.uri = "test:text";
  p.server.add_resource(resource, [](mcp::call) { return "content"; });
  resource.uri = "test:bad";
  p.server.add_resource(resource,
                        [](mcp::call) { throw std::runtime_error("broken"); });
  resource.uri = "test:gone";
  p.server.add_resource(resource,
                        [](mcp::call) { throw mcp::error(MCP_ERR_NOT_FOUND); });
  resource.uri = "test:fixed";
  resource.text = "fixed";
  p.server.add_resource(resource);
  mcp_resource_template tpl = MCP_RESOURCE_TEMPLATE_INIT;
  tpl.uri_template = "test:/{path}";
  tpl.name = "t";
  p.server.add_resource_template(
      tpl,
      [](mcp::call call) {
        call.add_resource_text(std::string(call.string("path")) + "!");
        call.reply();
      },
      [](mcp::call call) {
        call.add_completion(std::string(call.complete_value()) + "b");
        call.reply();
      });
  mcp_prompt prompt = MCP_PROMPT_INIT;
  prompt.name = "p";
  p.server.add_prompt(prompt, [](mcp::call call) {
    call.set_description("d");
    call.set_role(MCP_ROLE_ASSISTANT);
    return "words";
  });
  prompt.name = "bad";
  mcp_prompt_argument argument = {};
  argument.name = "a";
  prompt.arguments = &argument;
  prompt.argument_count = 1;
  p.server.add_prompt(
      prompt, [](mcp::call) { throw std::runtime_error("no prompt"); },
      [](mcp::call) { throw std::runtime_error("no completion"); });
  mcp_method method = MCP_METHOD_INIT;
  method.name = "com.example/own";
  p.server.add_method(method, [](mcp::call call) { call.reply_json("{}"); });
  p.connect();
  assert_text(p.client.read_resource("test:text").text(), "content");
  assert_text(p.client.read_resource("test:fixed").text(), "fixed");
  assert_text(p.client.read_resource("test:/x").text(), "x!");
  assert_text(refusal([&] { p.client.read_resource("test:bad"); }),
              "-32603 broken");
  assert_int_equal(refusal([&] {
                     p.client.read_resource("test:gone");
                   }).compare(0, 7, "-32602 "),
                   0);
  mcp::result words = p.client.get_prompt("p");
  assert_text(words[0].pointer("/content/text").string(), "words");
  assert_text(words[0]["role"].string(), "assistant");
  assert_text(refusal([&] { p.client.get_prompt("bad"); }), "-32603 no prompt");
  assert_text(refusal([&] {
                p.client.request("completion/complete",
                                 MCP_JSON({
                  "ref": {"type": "ref/prompt", "name": "bad"},
                  "argument": {"name": "a", "value": ""}
                }));
              }),
              "-32603 no completion");
  mcp::result completed = p.client.request(
      "completion/complete",
      MCP_JSON({
        "ref": {"type": "ref/resource", "uri": "test:/{path}"},
        "argument": {"name": "path", "value": "a"}
      }));
  assert_text(completed.json().pointer("/completion/values/0").string(), "ab");
  assert_true(bool(p.client.request("com.example/own").json()));
}

TEST(apps_and_their_tools) {
  pair p;
  const char *page = "<!doctype html><p>";
  mcp_app app = MCP_APP_INIT;
  app.name = "A";
  app.uri = "ui://fixed";
  app.html = page;
  p.server.add_app(app);
  app.uri = "ui://made";
  app.html = nullptr;
  app.border = MCP_APP_BORDER;
  p.server.add_app(app, [page](mcp::call) { return page; });
  mcp_tool tool = MCP_TOOL_INIT;
  tool.name = "shown";
  p.server.add_app_tool(tool, "ui://made", 0, [](mcp::call) { return "text"; });
  tool.name = "pressed";
  p.server.add_app_tool(tool, nullptr, MCP_VISIBLE_TO_APP,
                        [](mcp::call) { return "text"; });
  assert_int_equal(error_of([&] {
                     p.server.add_app_tool(tool, "ui://none", 0,
                                           [](mcp::call) { return ""; });
                   }),
                   MCP_ERR_NOT_FOUND);
  p.connect();
  assert_text(p.client.read_resource("ui://fixed").text(), page);
  mcp::result made = p.client.read_resource("ui://made");
  assert_text(made.text(), page);
  assert_true(made[0].pointer("/_meta/ui/prefersBorder").boolean());
  mcp::result tools = p.client.list_tools();
  assert_text(tools[0].pointer("/_meta/ui/resourceUri").string(), "ui://made");
  assert_text(tools[1].pointer("/_meta/ui/visibility/0").string(), "app");
  assert_text(p.call("shown"), "text");
}

TEST(content_and_structured_results) {
  pair p;
  p.add("parts", [](mcp::call call) {
    mcp_content content = MCP_CONTENT_INIT;
    content.size = 0;
    content.type = MCP_CONTENT_TEXT;
    content.text = "one";
    call.add_content(content);
    call.add_text(std::string_view());
    call.add_image(std::string_view("\0\1", 2), "image/png");
    call.add_audio("x", "audio/wav");
    call.set_meta("com.example/m", "1");
    call.progress(1, 2, "half");
    call.log(MCP_LOG_INFO, "logged");
    call.flush();
    call.reply();
  });
  p.add("structured", [](mcp::call call) {
    call.structured().object().add("sum", 5).end();
    call.reply();
  });
  p.add("unfinished", [](mcp::call call) {
    call.structured().object();
    call.reply();
  });
  p.connect();
  assert_int_equal(p.client.call_tool("parts").size(), 4);
  assert_int_equal(
      p.client.call_tool("structured").structured()["sum"].integer(), 5);
  assert_int_equal(error_of([&] { p.call("unfinished"); }), MCP_ERR_REMOTE);
}

TEST(a_handler_asks) {
  int asked = 0;
  int begun = 0;
  mcp::client_hooks answers;
  answers.on_elicit = [&](mcp::question question) {
    asked++;
    question.accept(asked == 1 ? MCP_JSON({"name": "Ada"})
                               : MCP_JSON({"name": "Grace"}));
  };
  answers.on_roots = [&](mcp::question question) {
    asked++;
    assert_text(question.method(), "roots/list");
    question.answer(MCP_JSON({"roots": [{"uri": "file:///x"}]}));
  };
  pair p(MCP_SERVER_OPTIONS_INIT, {}, std::move(answers));
  p.add("greet", [&](mcp::call call) {
    begun++;
    // Both questions travel together.
    auto form = mcp_object({mcp_string("name", "")});
    mcp::answer name = call.ask_elicit("name", "Who are you?", form);
    mcp::answer roots = call.ask_roots("roots");
    assert_int_equal(name.is_there(), begun > 1);
    if (!name.is_accepted()) {
      return std::string("nobody");
    }
    return std::string(name.content()["name"].string()) +
           std::string(roots.value()["roots"][0]["uri"].string());
  });
  p.add("careless", [&](mcp::call call) {
    try {
      mcp::answer name =
          call.ask_elicit("n", "?", mcp_object({mcp_string("name", "")}));
      name.value();
    } catch (const std::exception &) {
      return "caught"; // not a question that waits
    }
    return "answered";
  });
  p.connect();
  assert_text(p.call("greet"), "Adafile:///x");
  assert_int_equal(begun, 2);
  assert_int_equal(asked, 2);
  assert_text(p.call("careless"), "answered");
}

TEST(a_client_that_cannot_be_asked_is_a_failure) {
  pair p;
  p.add("ask", [](mcp::call call) {
    call.ask_roots("roots").value();
    call.reply();
  });
  p.connect();
  assert_int_equal(error_of([&] { p.call("ask"); }), MCP_ERR_REMOTE);
}

TEST(a_deferred_call_is_answered_by_another_thread) {
  pair p;
  std::thread worker;
  p.add("text", [&](mcp::call call) {
    worker = std::thread([later = call.defer()]() mutable {
      later.view().progress(1);
      later.reply_text("later");
    });
  });
  p.add("bad", [&](mcp::call call) {
    worker = std::thread([later = call.defer()]() mutable {
      assert_int_equal(error_of([&] { later.reply_text("\xff"); }),
                       MCP_ERR_INVALID);
      assert_int_equal(error_of([&] { later.reply_failure("\xff"); }),
                       MCP_ERR_INVALID);
      assert_true(bool(later));
      later.reply_failure("sorry");
      assert_true(!later);
    });
  });
  p.add("error", [&](mcp::call call) {
    worker = std::thread([later = call.defer()]() mutable {
      for (const auto &wrong :
           {std::pair(0, "no"), std::pair(42, (const char *)nullptr),
            std::pair(42, "\xff")}) {
        assert_int_equal(
            error_of([&] { later.reply_error(wrong.first, wrong.second); }),
            MCP_ERR_INVALID);
        assert_true(bool(later)); // it can still be answered
      }
      assert_int_equal(error_of([&] { later.reply_failure(nullptr); }),
                       MCP_ERR_INVALID);
      later.reply_error(42, "no");
    });
  });
  p.connect();
  assert_text(p.call("text"), "later");
  worker.join();
  assert_text(p.call("bad"), "failure: sorry");
  worker.join();
  assert_text(refusal([&] { p.call("error"); }), "42 no");
  worker.join();
}

TEST(a_text_that_is_returned_after_defer_is_refused) {
  int reports = 0;
  mcp::server_hooks hooks;
  hooks.on_report = [&](const mcp_error &) { reports++; };
  pair p(MCP_SERVER_OPTIONS_INIT, std::move(hooks));
  std::optional<mcp::deferred> kept;
  p.add("keep", [&](mcp::call call) {
    kept = call.defer();
    return "too early";
  });
  p.connect();
  std::string text;
  p.client.async_call_tool("keep", nullptr, [&](mcp::outcome ended) {
    text = ended.result().text();
  });
  while (!kept) {
    p.loop.wait();
  }
  assert_int_equal(reports, 1);
  kept->reply_text("kept");
  while (text.empty()) {
    p.loop.wait();
  }
  assert_text(text, "kept");
}

TEST(a_deferred_call_that_ends_is_dropped) {
  pair p;
  std::optional<mcp::deferred> kept;
  p.add("drop", [](mcp::call call) { mcp::deferred dropped = call.defer(); });
  p.add("throw", [](mcp::call call) {
    mcp::deferred dropped = call.defer();
    throw std::runtime_error("after defer");
  });
  p.add("keep", [&](mcp::call call) {
    kept = call.defer();
    throw std::runtime_error("after defer");
  });
  p.connect();
  assert_int_equal(error_of([&] { p.call("drop"); }), MCP_ERR_REMOTE);
  assert_int_equal(error_of([&] { p.call("throw"); }), MCP_ERR_REMOTE);
  std::string text;
  p.client.async_call_tool("keep", nullptr, [&](mcp::outcome ended) {
    text = ended.result().text();
  });
  while (!kept) {
    p.loop.wait();
  }
  mcp::deferred moved = std::move(*kept);
  assert_true(!*kept);
  moved.view().add_text("kept");
  moved.reply();
  while (text.empty()) {
    p.loop.wait();
  }
  assert_text(text, "kept");
}

TEST(handlers_are_freed_once) {
  int freed = 0;
  int runs = 0;
  {
    mcp::loop loop;
    {
      mcp::server server("s", "1");
      server.add_tool("a", "", mcp_object({}),
                      [&runs, w = witness(&freed)](mcp::call) { runs++; });
      // A name that is taken: the handler is not kept.
      assert_int_equal(error_of([&] {
                         server.add_tool("a", "", mcp_object({}),
                                         [w = witness(&freed)](mcp::call) {});
                       }),
                       MCP_ERR_EXISTS);
      assert_int_equal(freed, 1);
      mcp::server moved = std::move(server);
      assert_null(server.get());
      mcp::server &same = moved;
      moved = std::move(same);
      server = std::move(moved);
      assert_int_equal(freed, 1);
      mcp_server_remove_tool(server.get(), "a");
      assert_int_equal(freed, 2);
    }
    assert_int_equal(freed, 2);
    {
      auto [a, b] = mcp::transport::memory_pair(loop);
      mcp::server server("s", "1");
      server.add_tool("a", "", mcp_object({}),
                      [w = witness(&freed)](mcp::call) {});
      server.connect(loop, std::move(a));
    }
    assert_int_equal(freed, 3); // there was no call
  }
  assert_int_equal(freed, 3);
  assert_int_equal(runs, 0);
}

// Handler and completion are freed together; what adds none frees them at once.
TEST(each_kind_of_handler_is_freed_once) {
  int freed = 0;
  mcp_resource resource = MCP_RESOURCE_INIT;
  resource.uri = "a:1";
  resource.name = "r";
  mcp_resource_template tpl = MCP_RESOURCE_TEMPLATE_INIT;
  tpl.uri_template = "b:{x}";
  tpl.name = "b";
  mcp_prompt prompt = MCP_PROMPT_INIT;
  prompt.name = "p";
  mcp_method method = MCP_METHOD_INIT;
  method.name = "com.example/m";
  const auto handler = [&] { return [w = witness(&freed)](mcp::call) {}; };
  {
    mcp::server server("s", "1");
    server.add_resource(resource, handler());
    server.add_resource_template(tpl, handler(), handler());
    server.add_prompt(prompt, handler(), handler());
    server.add_method(method, handler());
    assert_int_equal(freed, 0);
    assert_int_equal(
        error_of([&] { server.add_prompt(prompt, handler(), handler()); }),
        MCP_ERR_EXISTS);
    assert_int_equal(freed, 2);
    mcp_server_remove_prompt(server.get(), "p");
    assert_int_equal(freed, 4);
  }
  assert_int_equal(freed, 8);
}

// What adding says of a structure that has a callback of C already: that would
// get the userdata of the lambda.
template <typename Add, typename Structure>
static void refuses(Add add, const Structure &structure, const char *member) {
  int freed = 0;
  std::string why =
      thrown_by([&] { add(structure, [w = witness(&freed)](mcp::call) {}); });
  assert_text(why.substr(why.rfind('.') + 1), member);
  assert_int_equal(freed, 1);
}

TEST(handlers_and_callbacks_of_the_structure_exclude_one_another) {
  mcp::server server("s", "1");
  const mcp_call_cb callback = [](mcp_call *, void *) { return 0; };
  const auto add_tool = [&](const mcp_tool &tool, auto handler) {
    server.add_tool(tool, std::move(handler));
  };
  mcp_tool tool = MCP_TOOL_INIT;
  tool.name = "t";
  tool.handler = callback;
  refuses(add_tool, tool, "handler");
  tool.handler = nullptr;
  tool.userdata = &tool;
  refuses(add_tool, tool, "userdata");
  tool.userdata = nullptr;
  tool.release = [](void *) {};
  refuses(add_tool, tool, "release");

  mcp_resource_template tpl = MCP_RESOURCE_TEMPLATE_INIT;
  tpl.uri_template = "b:{x}";
  tpl.name = "b";
  tpl.complete = callback;
  refuses(
      [&](const mcp_resource_template &given, auto handler) {
        server.add_resource_template(given, std::move(handler));
      },
      tpl, "complete");
  mcp_prompt prompt = MCP_PROMPT_INIT;
  prompt.name = "p";
  prompt.complete = callback;
  const auto complete = [](mcp::call) {};
  refuses(
      [&](const mcp_prompt &given, auto handler) {
        server.add_prompt(given, std::move(handler), complete);
      },
      prompt, "complete");
}

TEST(a_removed_tool_is_freed_after_its_last_call) {
  int freed = 0;
  pair p;
  std::optional<mcp::deferred> open;
  p.add("later",
        [&open, w = witness(&freed)](mcp::call call) { open = call.defer(); });
  p.connect();
  std::string text;
  p.client.async_call_tool("later", nullptr, [&](mcp::outcome ended) {
    text = ended.result().text();
  });
  while (!open) {
    p.loop.wait(std::chrono::milliseconds(1));
  }
  mcp_server_remove_tool(p.server.get(), "later");
  p.loop.step();
  p.loop.step();
  assert_int_equal(freed, 0);
  mcp::deferred(std::move(*open)).reply_text("done");
  assert_int_equal(freed, 1);
  while (text.empty()) {
    p.loop.wait(std::chrono::milliseconds(1));
  }
  assert_text(text, "done");
}

TEST(a_handler_may_end_its_server) {
  int freed = 0;
  mcp::loop loop;
  auto server = std::make_unique<mcp::server>("s", "1");
  mcp::client client(loop, "c", "1");
  server->add_tool("end", "", mcp_object({}),
                   [&, w = witness(&freed)](mcp::call) {
                     server.reset();
                     assert_int_equal(freed, 0);
                   });
  auto [a, b] = mcp::transport::memory_pair(loop);
  server->connect(loop, std::move(a));
  client.connect(std::move(b));
  assert_int_equal(error_of([&] { client.call_tool("end"); }), MCP_ERR_CLOSED);
  loop.step();
  loop.step();
  assert_int_equal(freed, 1);
}

// More calls than threads, so that some wait when the server ends. The last of
// them frees the handler, on the loop's thread.
TEST(blocking_handlers_outlive_their_server) {
  int freed = 0;
  std::atomic<int> runs = 0;
  {
    mcp_loop_options options = {};
    options.pool_threads = 1;
    mcp::loop loop(options);
    mcp::client client(loop, "c", "1");
    {
      mcp::server server("s", "1");
      mcp_tool tool = MCP_TOOL_INIT;
      tool.name = "block";
      tool.is_blocking = 1;
      server.add_tool(tool, [&runs, w = witness(&freed)](mcp::call call) {
        assert_int_equal(*w.freed, 0);
        runs++;
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        call.reply_text("done");
        throw std::runtime_error("on the pool");
      });
      auto [a, b] = mcp::transport::memory_pair(loop);
      server.connect(loop, std::move(a));
      client.connect(std::move(b));
      for (int i = 0; i < 3; i++) {
        client.async_call_tool("block", nullptr, [](mcp::outcome) {});
      }
      while (runs == 0) {
        loop.wait(std::chrono::milliseconds(1));
      }
    }
    loop.step();
    assert_int_equal(freed, 0);
    while (freed == 0) {
      loop.wait(std::chrono::milliseconds(1));
    }
    assert_int_equal(runs, 3);
  }
  assert_int_equal(freed, 1);
}

// The loop ends while calls wait for its pool.
TEST(blocking_handlers_are_freed_by_the_end_of_their_loop) {
  int freed = 0;
  std::atomic<int> runs = 0;
  {
    mcp_loop_options options = {};
    options.pool_threads = 1;
    mcp::loop loop(options);
    mcp::client client(loop, "c", "1");
    mcp::server server("s", "1");
    mcp_tool tool = MCP_TOOL_INIT;
    tool.name = "block";
    tool.is_blocking = 1;
    server.add_tool(tool, [&runs, w = witness(&freed)](mcp::call call) {
      runs++;
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      call.reply_text("done");
      assert_int_equal(*w.freed, 0);
    });
    auto [a, b] = mcp::transport::memory_pair(loop);
    server.connect(loop, std::move(a));
    client.connect(std::move(b));
    for (int i = 0; i < 3; i++) {
      client.async_call_tool("block", nullptr, [](mcp::outcome) {});
    }
    while (runs == 0) {
      loop.wait(std::chrono::milliseconds(1));
    }
    mcp_server_remove_tool(server.get(), "block");
  }
  assert_int_equal(runs, 3);
  assert_int_equal(freed, 1);
}

TEST(hooks_see_and_refuse) {
  int freed = 0;
  std::string seen;
  {
    mcp::server_hooks hooks;
    hooks.on_request = [&, w = witness(&freed)](mcp::call call) {
      seen += std::string(call.method()) + " ";
      if (call.name() == "no") {
        throw mcp::rpc_error(42, "not you");
      }
      if (call.name() == "bad") {
        throw std::runtime_error("hook failed");
      }
      if (call.name() == "odd") {
        throw 3;
      }
    };
    hooks.on_reply = [&](mcp::call, std::string_view reply) {
      seen += reply.empty() ? "empty " : "reply ";
    };
    hooks.on_report = [&](const mcp_error &err) {
      seen += mcp_error_name(err.code);
    };
    pair p(MCP_SERVER_OPTIONS_INIT, std::move(hooks));
    p.add("yes", [](mcp::call) { return "yes"; });
    p.add("no", [](mcp::call) { return "never"; });
    p.add("bad", [](mcp::call) { return "never"; });
    p.add("odd", [](mcp::call) { return "never"; });
    p.add("report", [](mcp::call call) {
      call.reply();
      throw std::runtime_error("late");
    });
    p.connect();
    seen.clear();
    assert_text(p.call("yes"), "yes");
    assert_text(seen, "tools/call reply ");
    assert_text(refusal([&] { p.call("no"); }), "42 not you");
    assert_text(refusal([&] { p.call("bad"); }), "-32603 hook failed");
    assert_text(refusal([&] { p.call("odd"); }), "-32603 refused");
    seen.clear();
    p.call("report");
    assert_text(seen, "tools/call reply MCP_ERR_INVALID");
  }
  assert_int_equal(freed, 1);
}

TEST(hooks_are_freed_after_the_last_call) {
  int freed = 0;
  mcp::server_hooks hooks;
  hooks.on_report = [w = witness(&freed)](const mcp_error &) {};
  mcp::loop loop;
  mcp::client client(loop, "c", "1");
  std::optional<mcp::deferred> open;
  {
    mcp::server server("s", "1", MCP_SERVER_OPTIONS_INIT, std::move(hooks));
    hooks = {}; // libc++ leaves a copy of a small function behind
    server.add_tool("later", "", mcp_object({}),
                    [&](mcp::call call) { open = call.defer(); });
    auto [a, b] = mcp::transport::memory_pair(loop);
    server.connect(loop, std::move(a));
    client.connect(std::move(b));
    client.async_call_tool("later", nullptr, [](mcp::outcome) {});
    while (!open) {
      loop.wait();
    }
  }
  loop.step();
  loop.step();
  assert_int_equal(freed, 0);
  open.reset();
  loop.step();
  assert_int_equal(freed, 1);
}

TEST(a_hook_may_end_its_server) {
  int freed = 0;
  mcp::loop loop;
  std::optional<mcp::server> server;
  mcp::client client(loop, "c", "1");
  mcp::server_hooks hooks;
  hooks.on_request = [&, w = witness(&freed)](mcp::call call) {
    if (call.method() == "tools/call") {
      server.reset();
      assert_int_equal(freed, 0);
    }
  };
  server.emplace("s", "1", MCP_SERVER_OPTIONS_INIT, std::move(hooks));
  server->add_tool("t", "", mcp_object({}), [](mcp::call) { return "x"; });
  auto [a, b] = mcp::transport::memory_pair(loop);
  server->connect(loop, std::move(a));
  client.connect(std::move(b));
  assert_int_equal(error_of([&] { client.call_tool("t"); }), MCP_ERR_CLOSED);
  loop.step();
  assert_int_equal(freed, 1);
}

// What the constructor says of options that set a member, without and with
// hooks.
static std::string refused_beside_hooks(const mcp_server_options &options) {
  int freed = 0;
  std::string why;
  {
    mcp::server_hooks hooks;
    mcp::server("s", "1", options, hooks);
    hooks.on_report = [w = witness(&freed)](const mcp_error &) {};
    why = thrown_by([&] { mcp::server("s", "1", options, std::move(hooks)); });
  }
  assert_int_equal(freed, 1);
  return why.substr(why.rfind('.') + 1);
}

TEST(hooks_and_callbacks_of_the_options_exclude_one_another) {
  mcp_server_options options = MCP_SERVER_OPTIONS_INIT;
  assert_text(refused_beside_hooks(options), "");
  options.on_reply = [](mcp_call *, const char *, size_t, void *) {};
  assert_text(refused_beside_hooks(options), "on_reply");
  options.on_request = [](mcp_call *, void *) { return 0; };
  assert_text(refused_beside_hooks(options), "on_request");
  options.on_session_closed = [](mcp_server *, mcp_session *, void *) {};
  assert_text(refused_beside_hooks(options), "on_session_closed");
  options.on_session_opened = [](mcp_server *, mcp_session *, void *) {};
  assert_text(refused_beside_hooks(options), "on_session_opened");
  options.on_report = [](mcp_server *, const mcp_error *, void *) {};
  assert_text(refused_beside_hooks(options), "on_report");
  options.release = [](void *) {};
  assert_text(refused_beside_hooks(options), "release");
  options.userdata = &options;
  assert_text(refused_beside_hooks(options), "userdata");
}

// The server, which is not made, takes neither hooks nor handlers.
TEST(a_server_that_fails_to_be_made_frees_its_hooks) {
  int freed = 0;
  mcp::server_hooks hooks;
  hooks.on_report = [w = witness(&freed)](const mcp_error &) {};
  assert_int_equal(error_of([&] {
                     mcp::server(nullptr, "1", MCP_SERVER_OPTIONS_INIT,
                                 std::move(hooks));
                   }),
                   MCP_ERR_INVALID);
  hooks = {}; // libc++ leaves a copy of a small function behind
  assert_int_equal(freed, 1);
}

TEST(listeners_serve_and_drain) {
  int drained = 0;
  mcp::loop loop;
  mcp::server server("s", "1");
  server.add_tool("t", "", mcp_object({}), [](mcp::call) { return "x"; });
  mcp_http_listen_options http = {};
  http.address = "127.0.0.1:0";
  mcp::http_listener web(server, loop, http);
  assert_true(web.url().compare(0, 17, "http://127.0.0.1:") == 0);
  mcp_socket_listen_options socket = {};
  socket.address = "127.0.0.1:0";
  std::optional<mcp::socket_listener> lines;
  lines.emplace(server, loop, socket);
  mcp::client client(loop, "c", "1");
  client.connect(
      mcp::transport::socket(loop, lines->url().substr(std::strlen("tcp://"))));
  assert_text(client.call_tool("t").text(), "x");
  client.close();
  lines->drain([&] {
    drained++;
    lines.reset();
  });
  mcp::http_listener moved = std::move(web);
  assert_true(web.url().empty());
  moved.drain([&] { drained++; });
  while (drained < 2) {
    loop.wait(std::chrono::milliseconds(10));
  }
  assert_true(!lines);
  assert_int_equal(error_of([&] { mcp::socket_listener(server, loop, {}); }),
                   MCP_ERR_INVALID);
}

TEST(a_server_fails_to_be_made) {
  assert_int_equal(error_of([] { mcp::server(nullptr, "1"); }),
                   MCP_ERR_INVALID);
  mcp::server server("s", "1");
  mcp_tool nameless = MCP_TOOL_INIT;
  assert_int_equal(
      error_of([&] { server.add_tool(nameless, [](mcp::call) {}); }),
      MCP_ERR_INVALID);
}
