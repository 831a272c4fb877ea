-- SPDX-License-Identifier: MIT
local mcp = require "mcp"
local support = require "support"
local same, fails = support.same, support.fails

local tests = {}

-- Runs a test with a client of each era.
local function each_era(test)
  for _, era in ipairs{"legacy", "modern"} do
    local c <close> = mcp.client{command = support.everything, quiet = true, inherit_env = true,
                                 era = era}
    test(c, era)
  end
end

local function way(c, name)
  return c:call("end_by", {way = name})
end

function tests.tools_have_schemas_from_their_fields()
  each_era(function(c)
    local by_name = {}
    for _, tool in ipairs(c:tools()) do by_name[tool.name] = tool end
    same(by_name.add.inputSchema, {
      type = "object", required = {"a"},
      properties = {a = {type = "number", description = "first"},
                    b = {type = "number"}}})
    same(by_name.add.annotations, {readOnlyHint = true})
    same(by_name.sum.outputSchema, {
      type = "object", required = {"total"},
      properties = {total = {type = "integer"}}})
    same(by_name.ask.inputSchema.type, "object")
  end)
end

function tests.arguments_are_checked()
  each_era(function(c)
    same(c:call("add", {a = 1, b = 2}).text, "3")
    same(c:call("add", {a = 1}).text, "1")
    fails("/a: ", c.call, c, "add", {a = "x"})
    fails('unknown tool "nothing"', c.call, c, "nothing")
    same(c:call("sum", {numbers = {1, 2, 3}}).structuredContent, {total = 6})
    fails("numbers", c.call, c, "sum", {numbers = {"x"}})
  end)
end

function tests.results()
  each_era(function(c)
    same(way(c, "text").text, "a\0b")
    same(way(c, "integer").text, "9007199254740992")
    same(way(c, "float").text, "0.5")
    same(way(c, "boolean").text, "true")
    same(way(c, "none").content, {})
    local list = way(c, "list").content
    same(list[1], {type = "text", text = "a"})
    same(list[2], {type = "image", data = "iVBORw==", mimeType = "image/png"})
    same(way(c, "link").content[1],
         {type = "resource_link", uri = "a:b", name = "n"})
  end)
end

function tests.failures()
  each_era(function(c)
    local function text(name) return fails("", way, c, name).message end
    same(text("failure"), "there is no lamp\0")
    same(text("raise"), "wrong") -- without the file and the line
    same(text("raise_plain"), "wrong: 1\0%d")
    same(text("raise_nil"), "nil")
    assert(text("raise_table"):find("^table"))
    same(text("tool_error"), "told")
    assert(text("yield"):find("yields"))
    assert(text("recursion"):find("stack overflow"))
    assert(text("loop"):find("result"))
    assert(text("function"):find("result"))
    assert(text("userdata"):find("result"))
    assert(text("bad_utf8"))
    same(way(c, "many").content, {})
    local err = fails("^no$", way, c, "rpc")
    same({err.code, err.data}, {-7, {x = 1}})
    same(way(c, "float").text, "0.5") -- it still serves
  end)
end

function tests.the_call()
  for _, era in ipairs{"legacy", "modern"} do
    local logs, steps = {}, {}
    local c <close> = mcp.client{
      command = support.everything, quiet = true, inherit_env = true, era = era, name = "tester",
      log_level = "info",
      on_log = function(...) logs[#logs + 1] = {...} end}
    local options = {on_progress = function(...) steps[#steps + 1] = {...} end}
    local found = c:call("context", {}, options).structuredContent
    same({found.name, found.cancelled, found.roots, found.was_kept},
         {"tester", false, false, false})
    same(found.revision, c:revision())
    same(steps, {{1.0, 2.0, "half"}})
    same(logs, {{"warning", {x = {1, 2}}, "part"}})
    -- An object of a call that is over is of no use, but does no harm.
    same(c:call("context").structuredContent.was_kept, false)
  end
end

function tests.questions()
  for _, era in ipairs{"legacy", "modern"} do
    local answer = {colour = "red"}
    local c <close> = mcp.client{
      command = support.everything, quiet = true, inherit_env = true, era = era,
      on_elicit = function(params)
        same(params.message, "Which?")
        same(params.requestedSchema.required, {"colour"})
        if answer == "error" then error("broken") end
        return answer
      end,
      on_sample = function(params)
        return params.messages[1].content.text or
               params.messages[1].content[1].text
      end}
    -- The handler ran three times: two questions had no answer at first.
    same(c:call("ask").text, "say red 3")
    answer = nil
    same(c:call("ask").text, "decline")
    answer = {colour = 3}
    fails("", c.call, c, "ask")
    answer = "error"
    fails("", c.call, c, "ask")
    fails("own coroutine", c.call, c, "ask_elsewhere")
    same(c:call("add", {a = 1}).text, "1")
  end
  each_era(function(c) fails("capability", c.call, c, "ask") end)
end

function tests.tools_can_be_replaced_while_the_server_runs()
  each_era(function(c)
    for _ = 1, 20 do same(c:call("replace").text, "done") end
    same(c:call("echo", {value = 1}).text, "new")
  end)
end

function tests.resources()
  each_era(function(c)
    local listed = c:resources()
    same(#listed, 2)
    same(c:templates()[1].uriTemplate, "stock://{item}")
    local result = c:read("file:///readme")
    same(result.text, "at file:///readme")
    same(result.contents[1].mimeType, "text/plain")
    same(c:read("file:///bytes").data, "\0\xff")
    same(c:read("stock://lamp").text, "3 of lamp")
    same(c:read("stock://table").text, '{"legs":4}')
    same(c:read("stock://table").contents[1].mimeType, "application/json")
    fails("no resource", c.read, c, "stock://chair")
    same(c:complete("stock://{item}", "item", "la"), {"lamp", "lantern"})
  end)
end

function tests.prompts()
  each_era(function(c)
    same(c:prompts()[1].arguments, {
      {name = "code", description = "what to review", required = true},
      {name = "style"}})
    same(c:prompt("review", {code = "x"}).text, "Review x")
    same(c:prompt("review", {code = "x", style = "kind"}).messages, {
      {role = "user", content = {type = "text", text = "Review"}},
      {role = "assistant", content = {type = "text", text = "kind"}}})
    fails("code", c.prompt, c, "review", {})
    same(c:complete("review", "style", "un", {code = "y"}), {"unkind", "y"})
    same(c:complete("review", "code", "un"), {})
  end)
end

function tests.mistakes_are_named()
  fails('no "nam"', mcp.server, {nam = "x"})
  fails("name", mcp.server, {})
  fails("era", mcp.server, {name = "x", era = "old"})
  local server = mcp.server{name = "x"}
  local function add(tool) return server:tool(tool) end
  fails('a tool has no "desc"', add, {desc = "x"})
  fails('"handler" must be a function', add, {name = "x"})
  fails('"name" is a table', add, {name = {}, handler = print})
  fails("zero byte", add, {name = "a\0b", handler = print})
  fails('the field "a" is a number', add,
        {name = "x", input = {a = 1}, handler = print})
  fails("numbr", add, {name = "x", input = {a = "numbr"}, handler = print})
  fails("names of fields", add, {name = "x", input = {"a"}, handler = print})
  add{name = "x", handler = print}
  fails("x", add, {name = "x", handler = print})
  fails("not found", server.remove_tool, server, "y")
  server:remove_tool("x")
  add{name = "x", handler = print}
  fails("type", mcp.content, {type = "film"})
end

function tests.servers_and_functions_are_collected()
  local weak = setmetatable({}, {__mode = "k"})
  for i = 1, 3 do
    local server = mcp.server{name = "x"}
    local function handler() return server end -- a cycle
    server:tool{name = "t", handler = handler}
    weak[handler] = i
    if i == 2 then server:remove_tool("t") end
  end
  collectgarbage()
  collectgarbage()
  same(next(weak), nil)
end

function tests.no_growth_over_20_000_calls()
  local c <close> = mcp.client{command = support.everything, quiet = true, inherit_env = true}
  local function calls(count)
    for i = 1, count do
      c:call("echo", {value = {i, "ü"}})
      if i % 10 == 0 then pcall(way, c, "failure") end
    end
    collectgarbage()
    return collectgarbage("count")
  end
  local before = calls(1000)
  assert(calls(20000) - before < 50)
end

function tests.over_http_with_several_threads()
  local command = {"lua5.4", support.here .. "/everything.lua", "--http",
                   "127.0.0.1:0", "--threads", "4"}
  local pipe <close> = assert(io.popen(table.concat(command, " ") ..
                                       " 2>&1 & echo $!"))
  local pid = pipe:read("l")
  local url
  repeat
    local line = assert(pipe:read("l"), "the server does not start")
    url = line:match("http://[^ ]+")
  until url
  local _ <close> = setmetatable({}, {__close = function()
    os.execute("kill " .. pid)
  end})
  local clients = {}
  for i = 1, 4 do clients[i] = mcp.client{url = url} end
  for _ = 1, 20 do
    for i = 1, 4 do same(clients[i]:call("add", {a = i}).text, tostring(i)) end
  end
  if support.bin then
    local out = support.output(support.bin .. "/mcpctl bench add a:=1 " ..
                               "--duration 1 --parallel 8 " .. url)
    assert(not out:find("failed: [1-9]"), out)
  end
  for i = 1, 4 do clients[i]:close() end
end

function tests.a_server_runs_once()
  local out = support.output([[lua5.4 -e '
    local mcp = require "mcp"
    local s = mcp.server{name = "x"}
    print(s:run{[0] = "x", "--nothing"})
    print(pcall(s.run, s, {}))
    print(pcall(s.tool, s, {name = "t", handler = print}))' </dev/null]])
  assert(out:find("\n2\n"), out)
  same(select(2, out:gsub("the server has ended", "")), 2)
end

return tests
