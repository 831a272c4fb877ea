# SPDX-License-Identifier: MIT
"""A server of FastMCP that adds, for tests and bench.py."""
from fastmcp import FastMCP

server = FastMCP("fastmcp")


@server.tool
def add(a: float, b: float) -> float:
    """Adds two numbers."""
    return a + b


@server.resource("data://{name}")
def data(name: str) -> str:
    return "data of " + name


@server.prompt
def greet(name: str) -> str:
    return "Hello " + name


if __name__ == "__main__":
    server.run(show_banner=False, log_level="ERROR")
