# SPDX-License-Identifier: MIT
"""The server of add_server.py on asyncio, for bench.py."""
import asyncio

from add_server import server

asyncio.run(server.serve_async())
