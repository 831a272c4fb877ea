# SPDX-License-Identifier: MIT
"""A server that adds, for bench.py."""
import libmcp

server = libmcp.Server("libmcp")


@server.tool
def add(a: float, b: float) -> float:
    """Adds two numbers."""
    return a + b


if __name__ == "__main__":
    server.run()
