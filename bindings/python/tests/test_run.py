# SPDX-License-Identifier: MIT
"""Async handlers in Server.run, where asyncio is a guest of libmcp's loop."""
import asyncio
import os
import subprocess
import sys
import tempfile
import unittest
from typing import Any

import libmcp

from .support import HERE, script

SERVER = [sys.executable, str(HERE / "async_run_server.py")]


def client(**options: Any) -> libmcp.AsyncClient:
    options = {"stderr": -1, "on_elicit": lambda question: {}, **options}
    return libmcp.AsyncClient(SERVER, **options)


class Run(unittest.IsolatedAsyncioTestCase):
    async def test_they_run_on_the_thread_that_serves(self) -> None:
        async with client() as c:
            self.assertEqual((await c.call("at_once")).text, "MainThread")

    async def test_timers_threads_and_children(self) -> None:
        async with client() as c:
            found = await asyncio.gather(*(c.call("sleep", ms=ms % 20)
                                           for ms in range(100)))
            self.assertEqual([r.text for r in found],
                             [str(ms % 20) for ms in range(100)])
            for _ in range(3):
                self.assertEqual((await c.call("execute")).text, "7")
                self.assertEqual((await c.call("child")).text,
                                 "from a child\n")

    async def test_tasks_that_go_on_after_the_reply(self) -> None:
        async with client() as c:
            await c.call("begin")
            async with asyncio.timeout(5) if sys.version_info >= (3, 11) \
                    else _nothing():
                while not (await c.call("what_ended")).content:
                    await c.call("sleep", ms=5)

    async def test_questions_from_threads_of_the_pool(self) -> None:
        async with client() as c:
            found = await asyncio.gather(*(c.call("ask") for _ in range(12)))
            self.assertEqual({r.text for r in found}, {"accept"})

    async def test_errors(self) -> None:
        async with client() as c:
            with self.assertRaisesRegex(libmcp.ToolError, "^wrong$"):
                await c.call("fail", how="tool")
            with self.assertRaisesRegex(libmcp.RemoteError, "^no$"):
                await c.call("fail", how="rpc")
            with self.assertRaisesRegex(libmcp.ToolError, "TypeError"):
                await c.call("fail", how="result")
            with self.assertRaisesRegex(libmcp.ToolError, "SystemExit"):
                await c.call("fail", how="exit")
            self.assertEqual((await c.read("thing://lamp")).text, "a lamp")
            with self.assertRaisesRegex(libmcp.RemoteError, "no resource"):
                await c.read("thing://desk")

    async def test_a_handler_that_is_added_later(self) -> None:
        async with client() as c:
            await c.call("add_another")
            self.assertEqual((await c.call("another")).text, "another")

    async def test_cancelled_calls_and_the_end(self) -> None:
        for stubborn in (False, True):
            with tempfile.TemporaryFile() as log:
                async with client(stderr=log.fileno()) as c:
                    with self.assertRaises(libmcp.RequestTimeoutError):
                        await c.call_tool("forever", timeout=0.05)
                    call = asyncio.ensure_future(
                        c.call("forever", stubborn=stubborn))
                    await c.call("at_once")
                with self.assertRaises(libmcp.ConnectionClosedError):
                    await call
                log.seek(0)
                self.assertGreaterEqual(log.read().count(b"cancelled"), 2)

    async def test_over_several_threads(self) -> None:
        process = subprocess.Popen(
            [*SERVER, "--http", "127.0.0.1:0", "--threads", "3"],
            stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        try:
            url = process.stderr.readline().split()[-1]
            clients = [libmcp.AsyncClient(url=url) for _ in range(4)]
            for c in clients:
                await c.__aenter__()
            for tool in ("at_once", "execute"):
                found = await asyncio.gather(*(c.call(tool) for c in clients
                                               for _ in range(10)))
                self.assertEqual(len({r.text for r in found}), 1)
            for c in clients:
                await c.close()
        finally:
            process.terminate()
            process.stderr.close()
            self.assertEqual(process.wait(), 0)

    def test_inside_asyncio_it_is_refused(self) -> None:
        command = script("""
            import asyncio
            import libmcp

            async def main():
                try:
                    libmcp.Server("s").run(["s"])
                except RuntimeError as error:
                    print(error)
            asyncio.run(main())""")
        done = subprocess.run(command, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        os.unlink(command[-1])
        self.assertIn("serve_async", done.stdout, done.stderr)


class _nothing:
    async def __aenter__(self) -> None: ...

    async def __aexit__(self, *error: Any) -> None: ...


if __name__ == "__main__":
    unittest.main()
