# SPDX-License-Identifier: MIT
"""Helpers of the tests: a server and its client in one process, servers as
programs, and where the programs of libmcp are."""
import asyncio
import contextlib
import os
import pathlib
import socket
import sys
import tempfile
import textwrap
from typing import Any, AsyncIterator, List, Optional

import libmcp

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent.parent
BIN = pathlib.Path(os.environ.get("BIN", str(ROOT / "build" / "bin")))
ERAS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28")
SERVER = [sys.executable, str(HERE / "everything_server.py")]


def program(name: str) -> Optional[str]:
    """Returns the path of a program of libmcp, or None."""
    path = BIN / name
    return str(path) if path.exists() else None


@contextlib.asynccontextmanager
async def connected(server: libmcp.Server, **options: Any
                    ) -> AsyncIterator[libmcp.AsyncClient]:
    """Serves over a pair of sockets, with a client at the other end."""
    a, b = socket.socketpair()
    one, two = a.detach(), b.detach()
    task = asyncio.ensure_future(server.serve_async(fds=(one, one)))
    try:
        async with libmcp.AsyncClient(fds=(two, two), **options) as client:
            yield client
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def script(text: str) -> List[str]:
    """Writes a program, and returns the command that runs it."""
    handle, path = tempfile.mkstemp(suffix=".py")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(textwrap.dedent(text))
    return [sys.executable, path]
