# SPDX-License-Identifier: MIT
"""Servers whose handlers run on several threads, or begin tasks."""
import asyncio
import contextlib
import io
import os
import unittest
import unittest.mock
from typing import Any

import libmcp
from libmcp import _context

from .support import connected, script


class Questions(unittest.IsolatedAsyncioTestCase):
    async def test_an_answer_that_cannot_be_read(self) -> None:
        server = libmcp.Server("s")

        @server.tool(thread=True)
        async def ask(ctx: libmcp.Context) -> str:
            await asyncio.sleep(0)
            return str(ctx.roots())

        def fail(value: Any) -> Any:
            raise ValueError("too long")
        with contextlib.redirect_stderr(io.StringIO()):
            async with connected(server, era="2025-11-25",
                                 roots=["file:///a"]) as c:
                with unittest.mock.patch.object(_context, "load", fail), \
                        self.assertRaisesRegex(libmcp.ToolError, "too long"):
                    await asyncio.wait_for(c.call("ask"), 5)


class Interrupts(unittest.TestCase):
    def test_ctrl_c_in_a_handler_that_a_thread_waits_for(self) -> None:
        async def serve() -> None:
            server = libmcp.Server("s")

            @server.tool(thread=True)
            async def interrupt() -> None:
                raise KeyboardInterrupt
            async with connected(server) as c:
                await c.call_tool("interrupt", timeout=5)
        with contextlib.redirect_stderr(io.StringIO()), \
                self.assertRaises(KeyboardInterrupt):
            asyncio.run(serve())


class GuestLoop(unittest.TestCase):
    def test_other_tasks_are_cancelled_at_the_end(self) -> None:
        command = script("""
            import asyncio, sys, libmcp
            server = libmcp.Server("s")
            @server.tool
            async def begin() -> None:
                async def work() -> None:
                    try:
                        await asyncio.Event().wait()
                    finally:
                        await asyncio.sleep(0)
                        print("tidied up", file=sys.stderr)
                global task
                task = asyncio.create_task(work())
                await asyncio.sleep(0.01)
            server.run()
            """)
        read, write = os.pipe()
        with libmcp.Client(command, stderr=write) as c:
            c.call("begin")
        os.close(write)
        with open(read, encoding="utf-8") as log:
            self.assertEqual(log.read(), "tidied up\n")
        os.unlink(command[-1])

    def test_a_task_that_leaves_the_program(self) -> None:
        command = script("""
            import asyncio, time, libmcp
            server = libmcp.Server("s")
            async def leave(first):
                await first
                raise SystemExit(3)
            @server.tool
            async def at_once() -> str:
                asyncio.create_task(leave(asyncio.sleep(0)))
                await asyncio.sleep(0.05)
                return "ended"
            @server.tool
            async def after_a_thread() -> str:
                asyncio.create_task(leave(asyncio.to_thread(time.sleep, 0.01)))
                await asyncio.to_thread(time.sleep, 0.05)
                return "ended"
            @server.tool
            async def execute() -> str:
                await asyncio.to_thread(time.sleep, 0.01)
                return "executed"
            server.run()
            """)
        for name in ("at_once", "after_a_thread"):
            with libmcp.Client(command, stderr=-1) as c:
                self.assertEqual(c.call_tool(name, timeout=5).text, "ended")
                self.assertEqual(c.call_tool("execute", timeout=5).text,
                                 "executed")
        os.unlink(command[-1])

    def test_a_thread_adds_the_first_async_handler(self) -> None:
        command = script("""
            import asyncio, threading, libmcp
            server = libmcp.Server("s")
            @server.tool(thread=True)
            def add() -> None:
                @server.tool
                async def where() -> str:
                    await asyncio.sleep(0.01)
                    return threading.current_thread().name
            @server.tool
            def knows_its_thread() -> bool:
                return server._tasks.runs_here()
            server.run()
            """)
        with libmcp.Client(command) as c:
            c.call("add")
            self.assertEqual(c.call("knows_its_thread").text, "true")
            self.assertEqual(c.call_tool("where", timeout=5).text,
                             "MainThread")
        os.unlink(command[-1])


if __name__ == "__main__":
    unittest.main()
