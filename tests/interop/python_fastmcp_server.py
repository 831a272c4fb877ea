# SPDX-License-Identifier: MIT
"""A server with FastMCP of the official SDK 1.x, as its documentation shows it.

usage: python_fastmcp_server.py stdio | PORT
"""
import sys

from mcp.server.fastmcp import FastMCP
from mcp.types import ToolAnnotations

server = FastMCP("weather", host="127.0.0.1",
                 port=0 if sys.argv[1] == "stdio" else int(sys.argv[1]))


@server.tool(annotations=ToolAnnotations(readOnlyHint=True))
def list_cities() -> list[str]:
    """Lists the cities that have a forecast"""
    return ["Oslo", "Rome"]


@server.tool()
def forecast(city: str) -> str:
    """Says what the weather will be"""
    return f"{city}: sun"


@server.resource("city://list")
def cities() -> str:
    """The cities"""
    return "Oslo, Rome"


@server.resource("city://{name}")
def one_city(name: str) -> str:
    """One city"""
    return name


@server.prompt()
def travel() -> str:
    """Asks for a journey"""
    return "Plan a journey."


if sys.argv[1] == "stdio":
    server.run()
else:
    server.run(transport="streamable-http")
