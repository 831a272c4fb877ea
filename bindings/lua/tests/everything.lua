-- SPDX-License-Identifier: MIT
-- The server of the tests.
local mcp = require "mcp"

local server = mcp.server{name = "everything", version = "2.0", title = "All",
                          instructions = "Try it.", logging = true}

server:tool{
  name = "add", description = "Adds", read_only = true,
  input = {a = "number: first", b = {type = "number", optional = true}},
  handler = function(args) return args.a + (args.b or 0) end,
}

server:tool{
  name = "echo", input = {value = {}},
  handler = function(args) return {value = args.value} end,
}

-- What each way of a handler to end gives.
local ways = {
  text = function() return "a\0b" end,
  integer = function() return 1 << 53 end,
  float = function() return 0.5 end,
  boolean = function() return true end,
  none = function() end,
  list = function() return {"a", mcp.content{type = "image", data = "\x89PNG",
                                             mime_type = "image/png"}} end,
  link = function() return mcp.content{type = "link", uri = "a:b", name = "n"} end,
  failure = function() return nil, "there is no lamp\0" end,
  raise = function() error("wrong") end,
  raise_plain = function() error("wrong: 1\0%d", 0) end,
  raise_table = function() error({1}) end,
  raise_nil = function() error() end,
  rpc = function() error(mcp.error{code = -7, message = "no", data = {x = 1}}) end,
  tool_error = function() error(mcp.error{message = "told"}) end,
  loop = function() local t = {} t.t = t return t end,
  ["function"] = function() return {f = print} end,
  userdata = function() return io.stdout end,
  bad_utf8 = function() return "\xff" end,
  yield = function() coroutine.yield() end,
  recursion = function() local function f() return f() + 1 end return f() end,
  many = function() return table.unpack({}, 1, 200) end,
}

server:tool{
  name = "end_by", input = {way = "string"},
  handler = function(args) return ways[args.way]() end,
}

local kept
server:tool{
  name = "context",
  handler = function(_, call)
    assert(call:progress(1, 2, "half"))
    call:log("warning", {x = {1, 2}}, "part")
    local was_kept = kept and pcall(kept.revision, kept)
    kept = call
    return {revision = call:revision(), name = call:client_info().name,
            cancelled = call:cancelled(), roots = call:client_has("roots"),
            was_kept = was_kept or false}
  end,
}

local asked = 0
server:tool{
  name = "ask",
  handler = function(_, call)
    asked = asked + 1
    local caught, answer = pcall(call.elicit, call, "Which?",
                                 {colour = "string", count = "integer?"})
    assert(caught, answer)
    local closed <close> = setmetatable({}, {__close = function() end})
    if answer.action ~= "accept" then return answer.action end
    local words = call:sample("say " .. answer.content.colour, 10)
    return words.content.text .. " " .. asked
  end,
}

server:tool{
  name = "ask_elsewhere",
  handler = function(_, call)
    local inner = coroutine.wrap(function() return call:elicit("?", {a = "string"}) end)
    return inner()
  end,
}

server:tool{
  name = "replace",
  handler = function()
    server:remove_tool("echo")
    server:tool{name = "echo", input = {value = {}},
                handler = function() return "new" end}
    return "done"
  end,
}

server:tool{
  name = "sum", output = {total = "integer"}, input_schema = {
    type = "object", properties = {numbers = {type = "array",
    items = {type = "integer"}}}, required = {"numbers"}},
  handler = function(args)
    local total = 0
    for _, number in ipairs(args.numbers) do total = total + number end
    return {total = total}
  end,
}

server:resource{uri = "file:///readme", name = "readme", mime_type = "text/plain",
                handler = function(_, call) return "at " .. call:uri() end}
server:resource{uri = "file:///bytes", binary = true,
                mime_type = "application/octet-stream",
                handler = function() return "\0\xff" end}
server:resource{
  uri = "stock://{item}", mime_type = "text/plain",
  complete = {item = function(value)
    local found = {}
    for _, item in ipairs{"lamp", "lantern", "desk"} do
      if item:sub(1, #value) == value then found[#found + 1] = item end
    end
    return found
  end},
  handler = function(args)
    if args.item == "table" then return {legs = 4} end
    if args.item ~= "lamp" then return nil end
    return "3 of " .. args.item
  end,
}

server:prompt{
  name = "review", description = "Reviews",
  arguments = {code = "string: what to review", style = "string?"},
  complete = {style = function(value, others)
    return {value .. "kind", others and others.code or "none"}
  end},
  handler = function(args)
    if not args.style then return "Review " .. args.code end
    return {"Review", {role = "assistant", content = args.style}}
  end,
}

print("this must not reach the client")
os.exit(server:run(arg))
