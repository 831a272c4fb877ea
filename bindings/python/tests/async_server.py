# SPDX-License-Identifier: MIT
"""The server of add_async_server.py on asyncio, for bench.py."""
import asyncio

from add_async_server import server

asyncio.run(server.serve_async())
