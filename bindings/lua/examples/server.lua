-- SPDX-License-Identifier: MIT
-- A server. Try it: mcpctl call add a:=2 b:=3 -- lua5.4 server.lua
local mcp = require "mcp"

local server = mcp.server{name = "calculator", version = "1.0.0"}

server:tool{
  name = "add",
  description = "Adds two numbers",
  input = {a = "number: first", b = "number: second"},
  handler = function(args) return args.a + args.b end,
}

os.exit(server:run(arg))
