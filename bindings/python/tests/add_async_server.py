# SPDX-License-Identifier: MIT
"""A server that adds later, in Server.run, for bench.py."""
import libmcp

server = libmcp.Server("libmcp")


@server.tool
async def add(a: float, b: float) -> float:
    """Adds two numbers."""
    return a + b


if __name__ == "__main__":
    server.run()
