# SPDX-License-Identifier: MIT
"""Servers on asyncio with a client in the same process, in all revisions."""
import asyncio
import base64
import contextlib
import gc
import io
import pathlib
import sys
import threading
import time
import unittest
import unittest.mock
import weakref
from typing import Any, Dict, List

import libmcp
from libmcp import _aio, _jobs

from . import everything_server
from .support import ERAS, connected


def quiet() -> Any:
    return contextlib.redirect_stderr(io.StringIO())


class Results(unittest.IsolatedAsyncioTestCase):
    """One server with one of everything, in each revision."""

    async def everything(self, era: str, check: Any, **options: Any) -> None:
        # A server ends with its connection, so each has a process's module.
        source = everything_server.__file__
        async with libmcp.AsyncClient([sys.executable, source], era=era,
                                      stderr=-1, **options) as client:
            await check(client)

    async def test_all_results_in_all_revisions(self) -> None:
        for era in ERAS:
            with self.subTest(era=era):
                await self.everything(era, self.check_all)

    async def check_all(self, c: libmcp.AsyncClient) -> None:
        self.assertEqual(c.server_info.name, "everything")
        self.assertEqual(c.instructions, "Call add.")
        self.assertIn("tools", c.server_capabilities)
        tools = {tool.name: tool for tool in await c.tools()}
        self.assertEqual(tools["add"].description,
                         "Adds two numbers.\n\nMore text.")
        self.assertEqual(tools["add"].input_schema["required"], ["a"])
        if c.revision != "2024-11-05":
            self.assertTrue(tools["add"].annotations["readOnlyHint"])
        self.assertEqual((await c.call("add", a=1)).text, "2.0")
        self.assertEqual((await c.call("echo", value=[1, "a"])).text,
                         "[1, 'a']")
        moved = await c.call("move", point={"x": 1}, by=2)
        self.assertEqual(moved.text.replace(" ", ""), '{"x":3.0,"y":2.0}')
        if str(c.revision) >= "2025-06-18":
            self.assertEqual(moved.structured, {"x": 3, "y": 2})
            assert tools["move"].output_schema is not None
            self.assertEqual(tools["move"].output_schema["required"], ["x"])
            self.assertEqual(
                (await c.call("table", names=["a", "bc"])).structured,
                {"a": 1, "bc": 2})
        for how, text in (("tool", "^try a smaller number$"),
                          ("value", "^ValueError: bad value$")):
            with self.assertRaisesRegex(libmcp.ToolError, text):
                await c.call("fail", how=how)
        with self.assertRaises(libmcp.RemoteError) as caught:
            await c.call("fail", how="rpc")
        self.assertEqual((caught.exception.code, caught.exception.message,
                          caught.exception.data),
                         (-31000, "not today", {"day": 1}))
        with self.assertRaisesRegex(libmcp.ToolError, "how"):
            await c.call("fail", how="other")
        self.assertEqual((await c.call("later")).text, "later")
        self.assertEqual((await c.call("block")).text, "blocked")
        self.assertEqual((await c.call("shout", text="a")).text, "A")
        kinds = [block["type"]
                 for block in (await c.call("picture")).content]
        self.assertEqual(len(kinds), 7)
        self.assertEqual(kinds[:4], ["text", "image", "image", "resource"])
        await self.check_resources_and_prompts(c)

    async def check_resources_and_prompts(self, c: libmcp.AsyncClient) -> None:
        self.assertEqual([r.uri for r in await c.resources()],
                         ["config://app", "text://later"])
        self.assertEqual([t.uri_template for t in await c.templates()],
                         ["bytes://{count}"])
        self.assertEqual((await c.read("config://app")).text, '{"size":1}')
        self.assertEqual((await c.read("bytes://3")).data,
                         bytes(range(256)) * 3)
        self.assertEqual((await c.read("text://later")).text, "later")
        for uri, code in (("bytes://x", (-32602,)), ("bytes://9999", None),
                          ("other://", None)):
            with self.assertRaises(libmcp.RemoteError) as caught:
                await c.read(uri)
            self.assertIn(caught.exception.code, code or (-32002, -32602))
        prompt, = await c.prompts()
        self.assertEqual([a["name"] for a in prompt.arguments],
                         ["code", "language", "lines"])
        got = await c.prompt("review", code="x", lines=3)
        self.assertEqual(got.text, "Review this Python: x (3)\nGladly.")
        self.assertEqual([m["role"] for m in got.messages],
                         ["user", "assistant"])
        with self.assertRaises(libmcp.RemoteError):
            await c.prompt("review")
        self.assertEqual(
            (await c.complete("bytes://{count}", "count", "10")).values,
            ["10", "100"])
        others = {"code": "x"} if str(c.revision) >= "2025-06-18" else None
        self.assertEqual(
            (await c.complete("review", "language", "py", others)).values,
            ["python", str(sorted(others or {}))])

    async def test_progress_and_logs(self) -> None:
        for era in ERAS:
            logs: List[Any] = []
            steps: List[Any] = []

            async def check(c: libmcp.AsyncClient) -> None:
                result = await c.call_tool(
                    "watch", on_progress=lambda *step: steps.append(step))
                self.assertEqual(result.text, era)
            await self.everything(era, check,
                                  on_log=lambda *a: logs.append(a))
            self.assertEqual([step[:2] for step in steps],
                             [(1, 3), (2, 3), (3, 3)])
            self.assertEqual(logs, [("info", {"at": "watch"}, None)])

    async def test_questions(self) -> None:
        async def fill(question: libmcp.Elicitation) -> Dict[str, Any]:
            assert question.schema is not None
            self.assertEqual(question.schema["required"], ["x"])
            await asyncio.sleep(0)
            return {"x": 4}

        async def check(c: libmcp.AsyncClient) -> None:
            self.assertEqual((await c.call("ask")).text, "Point 4.0")
            self.assertEqual((await c.call("think", question="2?")).text,
                             "2? yes")
            self.assertEqual((await c.call("folders")).text, "file:///a")
            self.assertEqual((await c.call("ask_async")).text, "2 2? yes")
        for era in ("2025-06-18", "2025-11-25", "2026-07-28"):
            with self.subTest(era=era):
                await self.everything(
                    era, check, on_elicit=fill, roots=["file:///a"],
                    on_sample=lambda params:
                    params["messages"][0]["content"]["text"] + " yes")

        async def decline(c: libmcp.AsyncClient) -> None:
            self.assertEqual((await c.call("ask")).text, "decline")
        await self.everything("auto", decline, on_elicit=lambda q: None)

        async def cannot(c: libmcp.AsyncClient) -> None:
            with self.assertRaises((libmcp.RemoteError, libmcp.ToolError)):
                await c.call("ask")
        await self.everything("auto", cannot)

    async def test_answers_that_break_the_form(self) -> None:
        async def check(c: libmcp.AsyncClient) -> None:
            with quiet(), self.assertRaises(Exception):
                await c.call("ask")
            self.assertEqual((await c.call("add", a=1)).text, "2.0")
        for answer in (lambda q: {"x": "text"}, lambda q: 1 / 0):
            for era in ("2025-11-25", "2026-07-28"):
                await self.everything(era, check, on_elicit=answer)


class InProcess(unittest.IsolatedAsyncioTestCase):
    async def test_values_of_all_kinds(self) -> None:
        server = libmcp.Server("s")

        @server.tool
        def same(value: Any) -> Any:
            return [value] if not isinstance(value, dict) else value
        values = ["", "a\0b", "\U0001f600 ü", "x" * 3_000_000, 10 ** 15,
                  -1.5, True, None, [], [[["deep"]]],
                  {"k\0": "v", "ü": [1, None]}]
        async with connected(server) as c:
            for value in values:
                result = await c.call("same", value=value)
                if isinstance(value, dict):
                    self.assertEqual(result.structured, value)
                elif isinstance(value, str):
                    self.assertEqual(result.text, value)
                else:
                    self.assertEqual(eval(result.text, {
                        "true": True, "null": None}), [value])

    async def test_a_resource_with_nul(self) -> None:
        server = libmcp.Server("s")
        server.resource("a:b", name="b")(lambda: "a\0b")
        async with connected(server) as c:
            self.assertEqual((await c.read("a:b")).text, "a\0b")

    async def test_results_that_cannot_be_sent(self) -> None:
        server = libmcp.Server("s")
        results = [float("nan"), object(), {"a": float("nan")}, "\ud800",
                   {"a": "\ud800"}, {1: object()}]

        @server.tool
        def get(index: int) -> Any:
            return {"value": results[index]} \
                if not isinstance(results[index], str) else results[index]
        async with connected(server) as c:
            for index in range(len(results)):
                with quiet(), self.assertRaises(libmcp.ToolError):
                    await c.call("get", index=index)

    async def test_a_result_that_breaks_its_schema(self) -> None:
        reports: List[libmcp.McpError] = []
        server = libmcp.Server("s", on_report=reports.append)

        @server.tool
        def count() -> Dict[str, int]:
            return {"a": "text"}  # type: ignore[dict-item]

        @server.tool
        async def count_later() -> Dict[str, int]:
            return None  # type: ignore[return-value]
        async with connected(server) as c:
            for name in ("count", "count_later"):
                with self.assertRaises(libmcp.RemoteError) as caught:
                    await c.call(name)
                self.assertEqual(caught.exception.code, -32603)
        self.assertGreaterEqual(len(reports), 2)
        self.assertIn("integer", str(reports[0]))

    async def test_tracebacks_only_on_stderr(self) -> None:
        server = libmcp.Server("s")

        @server.tool
        def secret() -> None:
            raise RuntimeError("no \0 entry")

        @server.tool
        def leave() -> None:
            sys.exit(3)
        async with connected(server) as c:
            with contextlib.redirect_stderr(io.StringIO()) as err:
                result = await c.call_tool("secret", raise_errors=False)
                left = await c.call_tool("leave", raise_errors=False)
        self.assertTrue(result.is_error)
        self.assertEqual(result.text, "RuntimeError: no \0 entry")
        self.assertNotIn("Traceback", str(result.raw))
        self.assertIn("Traceback", err.getvalue())
        self.assertEqual(left.text, "SystemExit: 3")

    async def test_wrong_registrations(self) -> None:
        server = libmcp.Server("s")
        server.tool("a")(lambda: None)
        with self.assertRaisesRegex(libmcp.McpError, '"a"') as caught:
            server.tool("a")(lambda: None)
        self.assertEqual(caught.exception.code, -4)
        with self.assertRaisesRegex(libmcp.McpError, "not a name"):
            server.tool("not a name")(lambda: None)
        with self.assertRaises(libmcp.McpError):
            server.resource("a:{b", name="b")(lambda b: None)
        with self.assertRaisesRegex(ValueError, "lambda"):
            server.tool(lambda: None)
        with self.assertRaisesRegex(TypeError, "no variables"):
            server.resource("a:b")(lambda x: None)
        with self.assertRaisesRegex(ValueError, "one of its parameters"):
            server.prompt("p", complete={"x": str})(lambda y: None)
        with self.assertRaisesRegex(ValueError, "era"):
            libmcp.Server("s", era="new")

    async def test_tools_come_and_go(self) -> None:
        changes: List[str] = []
        server = libmcp.Server("s")
        server.tool("a")(lambda: "a")
        async with connected(server, era="2025-11-25",
                             on_list_changed=changes.append) as c:
            server.tool("b")(lambda: "b")
            self.assertEqual([t.name for t in await c.tools()], ["a", "b"])
            server.remove_tool("a")
            self.assertEqual([t.name for t in await c.tools()], ["b"])
            with self.assertRaises(libmcp.RemoteError):
                await c.call("a")
            with self.assertRaises(libmcp.McpError):
                server.remove_tool("a")
        self.assertIn("tools", changes)

    async def test_subscriptions(self) -> None:
        for era in ("2025-11-25", "2026-07-28"):
            updated: "asyncio.Queue[str]" = asyncio.Queue()
            server = libmcp.Server("s")
            server.resource("a:b", name="b")(lambda: "text")
            async with connected(
                    server, era=era,
                    on_resource_updated=updated.put_nowait) as c:
                await c.subscribe("a:b")
                server.resource_updated("a:b")
                self.assertEqual(
                    await asyncio.wait_for(updated.get(), 5), "a:b")

    async def test_contexts_end_with_their_call(self) -> None:
        server = libmcp.Server("s")
        kept: List[libmcp.Context] = []

        @server.tool
        def keep(ctx: libmcp.Context) -> str:
            kept.append(ctx)
            return str((ctx.client_info or {}).get("name"))

        @server.tool
        async def ask(ctx: libmcp.Context) -> None:
            ctx.roots()
        async with connected(server) as c:
            self.assertEqual((await c.call("keep")).text, "libmcp-python")
            kept[0].progress(1)
            self.assertTrue(kept[0].cancelled)
            with self.assertRaisesRegex(RuntimeError, "call is over"):
                kept[0].revision
            with quiet(), self.assertRaisesRegex(libmcp.ToolError,
                                                 "thread=True"):
                await c.call("ask")


class Async(unittest.IsolatedAsyncioTestCase):
    async def test_calls_run_side_by_side(self) -> None:
        server = libmcp.Server("s")
        gate = asyncio.Event()
        inside = 0

        @server.tool
        async def wait() -> str:
            nonlocal inside
            inside += 1
            if inside == 50:
                gate.set()
            await gate.wait()
            return asyncio.current_task().get_name()  # type: ignore
        async with connected(server) as c:
            names = await asyncio.gather(*(c.call("wait")
                                           for _ in range(50)))
            self.assertEqual(len({n.text for n in names}), 50)

    async def test_a_cancelled_request_cancels_the_handler(self) -> None:
        for era in ("2025-11-25", "2026-07-28"):
            server = libmcp.Server("s")
            began, ended = asyncio.Event(), asyncio.Event()

            @server.tool
            async def wait(ctx: libmcp.Context) -> None:
                began.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    if ctx.cancelled:
                        ended.set()
            async with connected(server, era=era) as c:
                call = asyncio.ensure_future(c.call("wait"))
                await began.wait()
                call.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await call
                await asyncio.wait_for(ended.wait(), 5)
                await c.ping()
            self.assertEqual(len(server._jobs), 0)

    async def test_the_server_ends_while_handlers_run(self) -> None:
        server = libmcp.Server("s")
        began = asyncio.Event()
        ended: List[str] = []

        @server.tool
        async def wait() -> None:
            began.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("async")

        @server.tool(thread=True)
        def block(ctx: libmcp.Context) -> None:
            while not ctx.cancelled:
                time.sleep(0.01)
            ended.append("thread")
        async with connected(server) as c:
            calls = [asyncio.ensure_future(c.call(name))
                     for name in ("wait", "block")]
            await began.wait()
            await c.close()
            for call in calls:
                with self.assertRaises(libmcp.ConnectionClosedError):
                    await call
        self.assertEqual(sorted(ended), ["async", "thread"])
        with self.assertRaisesRegex(RuntimeError, "has ended"):
            server.tool("x")(lambda: None)

    async def test_an_async_handler_that_asks(self) -> None:
        for era in ("2025-11-25", "2026-07-28"):
            server = libmcp.Server("s")
            began = asyncio.Event()
            loop = asyncio.get_running_loop()

            @server.tool(thread=True)
            async def ask(ctx: libmcp.Context) -> str:
                self.assertIs(asyncio.get_running_loop(), loop)
                await asyncio.sleep(0.001)
                roots = ctx.roots()
                await asyncio.sleep(0.001)
                return str(roots[0]["uri"])

            @server.tool(thread=True)
            async def wait() -> None:
                began.set()
                await asyncio.Event().wait()

            @server.tool(thread=True)
            async def wrong() -> None:
                raise libmcp.ToolError("wrong")
            async with connected(server, era=era, roots=["file:///a"]) as c:
                found = await asyncio.gather(*(c.call("ask")
                                               for _ in range(20)))
                self.assertEqual({r.text for r in found}, {"file:///a"})
                with self.assertRaisesRegex(libmcp.ToolError, "^wrong$"):
                    await c.call("wrong")
                call = asyncio.ensure_future(c.call("wait"))
                await began.wait()
                call.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await call
                began.clear()
                call = asyncio.ensure_future(c.call("wait"))
                await began.wait()  # it runs while the server ends
            with self.assertRaises(libmcp.ConnectionClosedError):
                await call

    async def test_a_call_that_is_cancelled_before_its_handler_runs(
            self) -> None:
        def cancelled(start: Any) -> Any:
            def first(*arguments: Any) -> None:
                for job in _jobs.running.all():
                    job.cancel()
                start(*arguments)
            return first
        for thread, name in ((False, "start"), (True, "start_from_thread")):
            server = libmcp.Server("s")

            @server.tool(thread=thread)
            async def wait() -> None: ...
            patch = unittest.mock.patch.object(
                _aio.Tasks, name, cancelled(getattr(_aio.Tasks, name)))
            async with connected(server) as c:
                with patch, self.assertRaisesRegex(libmcp.ToolError,
                                                   "^cancelled$"):
                    await c.call_tool("wait", timeout=5)
                self.assertEqual((await c.call("wait")).text, "")
                self.assertEqual(len(server._jobs), 0)

    async def test_the_server_ends_while_calls_wait_for_a_thread(self) -> None:
        for kind in ("async", "def"):
            server = libmcp.Server("s")
            began = asyncio.Event()
            loop = asyncio.get_running_loop()
            if kind == "async":
                @server.tool("wait", thread=True)
                async def wait() -> None:
                    began.set()
                    await asyncio.Event().wait()
            else:
                @server.tool("wait", thread=True)
                def block(ctx: libmcp.Context) -> None:
                    loop.call_soon_threadsafe(began.set)
                    while not ctx.cancelled:
                        time.sleep(0.01)
            async with connected(server) as c:
                calls = [asyncio.ensure_future(c.call("wait"))
                         for _ in range(20)]
                await began.wait()
                await c.ping()
            for call in calls:
                with self.assertRaises(libmcp.ConnectionClosedError):
                    await call

    async def test_time_limits(self) -> None:
        server = libmcp.Server("s")

        @server.tool
        async def wait() -> None:
            await asyncio.Event().wait()
        async with connected(server) as c:
            with self.assertRaises(libmcp.RequestTimeoutError):
                await c.call_tool("wait", timeout=0.05)

    async def test_addresses(self) -> None:
        import tempfile
        with tempfile.TemporaryDirectory() as folder:
            for options in ({"http": "127.0.0.1:0"}, {"tcp": "127.0.0.1:0"},
                            {"unix": pathlib.Path(folder, "s")}):
                server = libmcp.Server("s")

                @server.tool
                async def add(a: int, b: int) -> int:
                    return a + b
                urls: "asyncio.Future[List[str]]" = \
                    asyncio.get_running_loop().create_future()
                task = asyncio.ensure_future(server.serve_async(
                    on_ready=urls.set_result,
                    **options))  # type: ignore[arg-type]
                async with libmcp.AsyncClient(url=(await urls)[0]) as c:
                    self.assertEqual((await c.call("add", a=1, b=2)).text,
                                     "3")
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task

    async def test_an_address_that_is_taken(self) -> None:
        server = libmcp.Server("s")
        with self.assertRaisesRegex(libmcp.McpError, "300.0.0.1"):
            await server.serve_async(http="300.0.0.1:1")


class Memory(unittest.IsolatedAsyncioTestCase):
    def rss(self) -> int:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4

    async def test_no_growth_over_100_000_calls(self) -> None:
        server = libmcp.Server("s")

        @server.tool
        def add(a: int, b: float, text: str, ctx: libmcp.Context) -> str:
            return f"{a + b} {text}"

        @server.tool
        async def later(values: List[int]) -> Dict[str, int]:
            return {str(value): value for value in values}

        @server.tool
        def wrong() -> None:
            raise libmcp.ToolError("wrong")

        async def some(c: libmcp.AsyncClient, count: int) -> None:
            for _ in range(count // 20):
                await asyncio.gather(
                    *(c.call("add", a=1, b=2.5, text="ü" * 100)
                      for _ in range(14)),
                    *(c.call("later", values=[1, 2, 3]) for _ in range(5)),
                    c.call_tool("wrong", raise_errors=False))
        asyncio.get_running_loop().set_debug(False)
        async with connected(server) as c:
            await some(c, 10_000)
            gc.collect()
            before = self.rss()
            await some(c, 100_000)
            gc.collect()
            self.assertLess(self.rss() - before, 2_000)

    async def test_servers_and_functions_are_freed(self) -> None:
        class Thing:
            def tool(self) -> str:
                return "x"
        things = []
        for _ in range(3):
            server = libmcp.Server("s")
            thing = Thing()
            thing.server = server  # type: ignore[attr-defined]  # a cycle
            server.tool("t")(thing.tool)
            things.append(weakref.ref(thing))
            if _ == 1:
                server.remove_tool("t")
            if _ == 2:
                async with connected(server) as c:
                    await c.call("t")
            del server, thing
        gc.collect()
        self.assertEqual([thing() for thing in things], [None] * 3)

    async def test_threads(self) -> None:
        server = libmcp.Server("s")
        inside = threading.Barrier(4, timeout=10)

        @server.tool(thread=True)
        def meet(ctx: libmcp.Context) -> str:
            inside.wait()
            ctx.progress(1)
            return threading.current_thread().name
        async with connected(server) as c:
            for _ in range(5):
                await asyncio.gather(*(c.call("meet") for _ in range(4)))


if __name__ == "__main__":
    unittest.main()
