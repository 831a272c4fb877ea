# SPDX-License-Identifier: MIT
"""Calls of tools that are tasks."""
import asyncio
import unittest

import libmcp

from .support import connected

ERAS = ("2025-11-25", "2026-07-28")


class Tasks(unittest.IsolatedAsyncioTestCase):
    def server(self) -> libmcp.Server:
        server = libmcp.Server("s")
        server.enable_tasks(poll=0.01)
        self.cancelled = asyncio.Event()
        self.began = asyncio.Event()

        @server.tool(task=True)
        async def research(topic: str, ctx: libmcp.Context) -> str:
            ctx.progress(1, 2, "reading")
            await asyncio.sleep(0.03)
            return f"about {topic}"

        @server.tool(task="required")
        def must() -> str:
            return "done"

        @server.tool(task=True, thread=True)
        async def ask(ctx: libmcp.Context) -> str:
            return ctx.elicit("?", {"type": "object", "properties": {}}).action

        @server.tool(task=True)
        async def fail() -> None:
            await asyncio.sleep(0)
            raise libmcp.ToolError("wrong")

        @server.tool(task=True)
        async def forever() -> None:
            self.began.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled.set()
                raise
        return server

    async def test_a_client_follows_tasks_to_their_end(self) -> None:
        for era in ERAS:
            async with connected(self.server(), era=era, tasks=True,
                                 on_elicit=lambda question: {}) as c:
                self.assertEqual((await c.call("research", topic="x")).text,
                                 "about x")
                self.assertEqual((await c.call("must")).text, "done")
                self.assertEqual((await c.call("ask")).text, "accept")
                with self.assertRaisesRegex(libmcp.ToolError, "^wrong$"):
                    await c.call("fail")

    async def test_a_client_without_tasks_waits(self) -> None:
        for era in ERAS:
            async with connected(self.server(), era=era) as c:
                self.assertEqual((await c.call("research", topic="x")).text,
                                 "about x")
                with self.assertRaises(libmcp.RemoteError):
                    await c.call("must")

    async def test_cancelling_a_call_cancels_its_task(self) -> None:
        for era in ERAS:
            async with connected(self.server(), era=era, tasks=True) as c:
                call = asyncio.ensure_future(c.call("forever"))
                await self.began.wait()
                await asyncio.sleep(0.05)  # the client knows of the task
                call.cancel()
                await asyncio.wait_for(self.cancelled.wait(), 5)

    def test_wrong_options(self) -> None:
        server = libmcp.Server("s")
        with self.assertRaisesRegex(ValueError, "'required', not 'maybe'"):
            server.tool(task="maybe")(lambda: None)


if __name__ == "__main__":
    unittest.main()
