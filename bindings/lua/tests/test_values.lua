-- SPDX-License-Identifier: MIT
-- Values that go to a server and come back.
local mcp = require "mcp"
local support = require "support"
local same, fails = support.same, support.fails

local tests = {}

local function client()
  return mcp.client{command = support.everything, quiet = true, inherit_env = true}
end

function tests.values_come_back_as_they_went()
  local c <close> = client()
  for _, value in ipairs{
    1, -1, 0.5, 1e300, math.maxinteger, math.mininteger, "", "ü", "a\0b",
    true, false, mcp.null, {1, {2}, "x"}, {a = 1, b = {c = {}}}, {},
    {{}, {x = mcp.null}}} do
    local back = c:call("echo", {value = value}).structuredContent.value
    same(back, value)
    same(math.type(back), math.type(value))
  end
end

function tests.an_empty_table_is_an_object_unless_it_is_marked()
  local c <close> = client()
  local result = c:call("echo", {value = {}})
  assert(result.text:find('"value":{}', 1, true), result.text)
  result = c:call("echo", {value = mcp.array{}})
  assert(result.text:find('"value":[]', 1, true), result.text)
  -- An array stays one on its way through Lua.
  local array = result.structuredContent.value
  assert(c:call("echo", {value = array}).text:find("[]", 1, true))
end

function tests.numbers_out_of_range_become_floats()
  local c <close> = client()
  local found = c:request("tools/call", {name = "echo",
                                         arguments = {value = 2.0 ^ 70}})
  same(found.structuredContent.value, 2.0 ^ 70)
end

function tests.what_json_does_not_have_is_an_error()
  local c <close> = client()
  local own = {}
  own.own = own
  local deep = {}
  for _ = 1, 500 do deep = {deep} end
  fails("function, userdata or thread", c.call, c, "echo", {value = print})
  fails("contains itself", c.call, c, "echo", {value = own})
  fails("too deep", c.call, c, "echo", {value = deep})
  fails("names or gaps", c.call, c, "echo", {value = {1, x = 2}})
  fails("names or gaps", c.call, c, "echo", {value = {1, [2.5] = 2}})
  fails("only names", c.call, c, "echo", {value = {[7] = 2}})
  fails("/value: .*UTF%-8", c.call, c, "echo", {value = "\xff"})
  same(c:call("echo", {value = 1}).structuredContent.value, 1)
end

return tests
