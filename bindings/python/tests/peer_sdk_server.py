# SPDX-License-Identifier: MIT
"""A server of the official SDK (its lower level) that adds, for tests and
bench.py."""
from typing import Any

import anyio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

SCHEMA = {"type": "object", "required": ["a", "b"],
          "properties": {"a": {"type": "number"}, "b": {"type": "number"}}}


async def on_list(context: Any, params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[types.Tool(
        name="add", description="Adds two numbers.", input_schema=SCHEMA)])


async def on_call(context: Any, params: Any) -> types.CallToolResult:
    total = params.arguments["a"] + params.arguments["b"]
    return types.CallToolResult(content=[
        types.TextContent(type="text", text=str(float(total)))])


async def main() -> None:
    server = Server("sdk", version="1", on_list_tools=on_list,
                    on_call_tool=on_call)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(main)
