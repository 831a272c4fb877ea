-- SPDX-License-Identifier: MIT
local mcp = require "mcp"
local support = require "support"
local same, fails = support.same, support.fails

local tests = {}

function tests.what_the_server_says_of_itself()
  local c <close> = mcp.client{command = support.everything, quiet = true, inherit_env = true}
  same(c:server_info().name, "everything")
  same(c:instructions(), "Try it.")
  assert(c:revision() >= "2026")
  c:ping()
end

function tests.a_program_that_is_not_there()
  local err = fails("nothing%-there", mcp.client, {command = {"nothing-there"}})
  assert(err.code < 0)
  fails("", mcp.client, {command = {"true"}})
  fails("no command", mcp.client, {})
  fails("list of strings", mcp.client, {command = "true"})
  fails("", mcp.client, {url = "http://127.0.0.1:1/"})
  fails("", mcp.client, {url = "nonsense"})
end

function tests.the_server_ends_during_a_call()
  local c = mcp.client{command = {"lua5.4", "-e", [[
    local mcp = require "mcp"
    local s = mcp.server{name = "x"}
    s:tool{name = "end", handler = function() os.exit(1) end}
    s:run{}]]}, quiet = true, inherit_env = true}
  fails("", c.call, c, "end")
  fails("", c.call, c, "end")
  c:close()
  fails("is closed", c.call, c, "end")
  c:close()
end

function tests.time_limits()
  local c <close> = mcp.client{command = {"lua5.4", "-e", [[
    local mcp = require "mcp"
    local s = mcp.server{name = "x"}
    s:tool{name = "slow", handler = function()
      local till = os.time() + 2
      while os.time() < till do end
    end}
    s:run{}]]}, quiet = true, inherit_env = true}
  local err = fails("no answer", c.call, c, "slow", {}, {timeout = 0.05})
  same(err.code, -14)
  fails("seconds above 0", c.call, c, "slow", {}, {timeout = -1})
end

function tests.a_function_of_the_client_must_not_use_it()
  local why, c
  c = mcp.client{command = support.everything, quiet = true, inherit_env = true,
                 on_elicit = function()
                   why = select(2, pcall(c.ping, c))
                   pcall(c.close, c)
                   return nil
                 end}
  same(c:call("ask").text, "decline")
  assert(tostring(why):find("waits for an answer"), why)
  c:close()
end

function tests.an_error_in_a_function_of_the_client_is_printed()
  local out = support.output([[lua5.4 -e '
    local mcp = require "mcp"
    local c = mcp.client{command = {"lua5.4", "tests/everything.lua"},
                         quiet = true, inherit_env = true}
    print(c:call("context", nil, {on_progress = function()
      error("broken")
    end}).text ~= nil)
    c:close()']])
  assert(out:find("broken\nstack traceback"), out)
  assert(out:find("\ntrue\n"), out)
end

function tests.clients_in_coroutines_and_of_each_other()
  local function worker()
    local c <close> = mcp.client{command = support.everything, quiet = true, inherit_env = true}
    for i = 1, 3 do coroutine.yield(c:call("add", {a = i}).text) end
  end
  local first, second = coroutine.wrap(worker), coroutine.wrap(worker)
  for i = 1, 3 do same({first(), second()}, {tostring(i), tostring(i)}) end
  first()
  second()
end

function tests.the_environment_and_the_folder_of_the_program()
  local c <close> = mcp.client{
    command = {"lua5.4", "-e", [[
      local mcp = require "mcp"
      local s = mcp.server{name = "x"}
      s:tool{name = "env", handler = function()
        return {word = os.getenv("WORD"), here = os.getenv("PWD") or ""}
      end}
      s:run{}]]},
    env = {WORD = "some"}, cwd = "/",
    quiet = true, inherit_env = true}
  same(c:call("env").structuredContent.word, "some")
end

function tests.the_collector_ends_clients()
  for _ = 1, 5 do
    mcp.client{command = support.everything, quiet = true, inherit_env = true}
  end
  collectgarbage()
  collectgarbage()
end

function tests.subscriptions_and_waiting()
  local c <close> = mcp.client{command = support.everything, quiet = true, inherit_env = true}
  c:subscribe("file:///readme")
  c:wait(0.01)
  c:unsubscribe("file:///readme")
end

return tests
