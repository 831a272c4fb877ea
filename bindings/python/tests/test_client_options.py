# SPDX-License-Identifier: MIT
"""What the options of clients do, and how wrong ones are refused."""
import asyncio
import contextlib
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest
from typing import Any, List, Optional

import libmcp

from .support import SERVER, connected, script


class TimeLimits(unittest.IsolatedAsyncioTestCase):
    def server(self) -> libmcp.Server:
        server = libmcp.Server("s")

        @server.tool
        async def wait() -> None:
            await asyncio.Event().wait()
        return server

    async def test_the_error_names_the_options_of_python(self) -> None:
        async with connected(self.server(), timeout=0.05) as c:
            with self.assertRaises(libmcp.RequestTimeoutError) as caught:
                await c.call("wait")
            self.assertRegex(str(caught.exception),
                             r"50 ms \(timeout of the client\)$")
            with self.assertRaises(libmcp.RequestTimeoutError) as caught:
                await c.call_tool("wait", timeout=0.04)
            self.assertRegex(str(caught.exception), r"40 ms \(timeout\)$")

    def test_a_server_that_does_not_answer(self) -> None:
        command = script("import sys; sys.stdin.read()")
        with self.assertRaises(libmcp.RequestTimeoutError) as caught:
            with libmcp.Client(command, stderr=-1, connect_timeout=0.05):
                pass
        self.assertRegex(str(caught.exception), r"\(connect_timeout\)$")
        os.unlink(command[-1])

    async def test_no_limit(self) -> None:
        async with connected(self.server(), timeout=0.02) as c:
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(
                    c.call_tool("wait", timeout=float("inf")), 0.2)

    async def test_wrong_limits(self) -> None:
        async with connected(self.server()) as c:
            for wrong in (0, -1, float("nan"), 5e6):
                with self.assertRaisesRegex(ValueError, "^timeout is "):
                    await c.call_tool("wait", timeout=wrong)
        for name in "timeout", "connect_timeout":
            with self.assertRaisesRegex(ValueError, f"^{name} is .*, not -3"):
                libmcp.Client(SERVER, **{name: -3})  # type: ignore[arg-type]


class Commands(unittest.TestCase):
    def test_paths_and_files(self) -> None:
        with tempfile.TemporaryDirectory() as folder, \
                open(folder + "/log", "w+", encoding="utf-8") as log:
            command = script("""
                import os, sys, libmcp
                server = libmcp.Server("s")
                @server.tool
                def where() -> str:
                    print("called", file=sys.stderr, flush=True)
                    return os.getcwd()
                server.run()
                """)
            path = pathlib.Path(command[-1])
            with libmcp.Client([command[0], path],
                               cwd=pathlib.Path(folder), stderr=log) as c:
                self.assertEqual(c.call("where").text, folder)
            log.seek(0)
            self.assertIn("called", log.read())
            with libmcp.Client(command, stderr=subprocess.DEVNULL) as c:
                c.call("where")
            path.unlink()

    def test_names_that_are_not_utf_8(self) -> None:
        odd = os.fsdecode(b"a\xff")
        command = script("""
            import os, sys, libmcp
            server = libmcp.Server("s")
            @server.tool
            def get() -> str:
                return repr((os.environb[b"ODD"], os.fsencode(sys.argv[1])))
            server.run(["s", *sys.argv[2:]])
            """)
        with libmcp.Client([*command, odd], env={"ODD": odd}) as c:
            self.assertEqual(c.call("get").text, repr((b"a\xff",) * 2))
        done = subprocess.run([*command, "", odd], capture_output=True,
                              text=True, check=False, errors="replace",
                              stdin=subprocess.DEVNULL)
        os.unlink(command[-1])
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(done.returncode, 2)

    def test_files_of_servers_and_logins_that_are_not_utf_8(self) -> None:
        async def serve(server: libmcp.Server, **options: Any) -> None:
            ready = asyncio.Event()
            task = asyncio.ensure_future(server.serve_async(
                on_ready=lambda urls: ready.set(), **options))
            waiting = asyncio.ensure_future(ready.wait())
            await asyncio.wait([task, waiting],
                               return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                task.result()
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        with tempfile.TemporaryDirectory() as folder:
            odd = pathlib.Path(folder, os.fsdecode(b"a\xff"))
            odd.touch(mode=0o600)
            odd.write_text("0123456789abcdef anna\n")
            asyncio.run(serve(libmcp.Server("s"), http="127.0.0.1:0",
                              protect=libmcp.Protection(token_file=odd)))
            odd.unlink()
            asyncio.run(serve(libmcp.Server("s"), unix=odd))
            login = libmcp.Login(folder=odd)
            with self.assertRaises(libmcp.McpError):
                libmcp.Client(url="http://127.0.0.1:1/mcp",
                              login=login).__enter__()

    def test_wrong_levels_and_strings(self) -> None:
        with libmcp.Client(SERVER, stderr=-1) as c:
            with self.assertRaisesRegex(ValueError, "'loud'; one of debug"):
                c.set_log_level("loud")
            with self.assertRaisesRegex(TypeError, "a str, not int: 7"):
                c.read(7)  # type: ignore[arg-type]


class Handlers(unittest.IsolatedAsyncioTestCase):
    async def test_a_total_that_is_not_known_is_none(self) -> None:
        server = libmcp.Server("s")

        @server.tool
        def work(ctx: libmcp.Context) -> None:
            ctx.progress(1)
        got: List[Any] = []
        async with connected(server) as c:
            await c.call_tool("work", on_progress=lambda *s: got.append(s))
        self.assertEqual(got, [(1, None, None)])

    async def test_all_handlers_may_be_async(self) -> None:
        server = libmcp.Server("s", logging=True)

        @server.tool
        def work(ctx: libmcp.Context) -> None:
            ctx.progress(1, 2)
            ctx.info("logged")
            server.tool("another")(lambda: None)
        got: "asyncio.Queue[Any]" = asyncio.Queue()

        async def on_progress(done: float, total: Optional[float],
                              message: Optional[str]) -> None:
            await asyncio.sleep(0)
            got.put_nowait(done)

        async def on_log(level: str, data: Any, logger: Optional[str]) -> None:
            await asyncio.sleep(0)
            got.put_nowait(data)

        async def on_list_changed(what: str) -> None:
            await asyncio.sleep(0)
            got.put_nowait(what)
        async with connected(server, era="2025-11-25", on_log=on_log,
                             on_list_changed=on_list_changed) as c:
            await c.call_tool("work", on_progress=on_progress)
            found = [await asyncio.wait_for(got.get(), 5) for _ in range(3)]
        self.assertEqual(sorted(map(str, found)), ["1.0", "logged", "tools"])

    async def test_closing_ends_async_callbacks_without_a_word(self) -> None:
        server = libmcp.Server("s", logging=True)

        @server.tool
        def work(ctx: libmcp.Context) -> None:
            ctx.info("logged")
        begun = asyncio.Event()
        errors: List[Any] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda loop, context: errors.append(context))

        async def on_log(level: str, data: Any, logger: Optional[str]) -> None:
            begun.set()
            await asyncio.Event().wait()
        async with connected(server, era="2025-11-25", on_log=on_log) as c:
            await c.call_tool("work")
            await asyncio.wait_for(begun.wait(), 5)
        async with connected(libmcp.Server("t")) as c:
            await c.ping()
        self.assertEqual(errors, [])


class Waiting(unittest.TestCase):
    def test_a_signal_ends_wait(self) -> None:
        def interrupt(*event: Any) -> None:
            raise KeyboardInterrupt
        before = signal.signal(signal.SIGALRM, interrupt)
        self.addCleanup(signal.signal, signal.SIGALRM, before)
        with libmcp.Client(SERVER, stderr=-1) as c:
            start = time.monotonic()
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            with self.assertRaises(KeyboardInterrupt):
                c.wait(10)
            self.assertLess(time.monotonic() - start, 5)
            self.assertEqual(c.call("add", a=1).text, "2.0")

    def test_it_ends_when_something_has_happened(self) -> None:
        updated: List[str] = []
        command = script("""
            import threading, libmcp
            server = libmcp.Server("s")
            server.resource("a:b", name="b")(lambda: "text")
            @server.tool
            def later() -> None:
                threading.Timer(0.5, server.resource_updated,
                                ["a:b"]).start()
            server.run()
            """)
        with libmcp.Client(command, era="2025-11-25",
                           on_resource_updated=updated.append) as c:
            c.subscribe("a:b")
            c.call("later")
            while not updated:
                c.wait(60)
        os.unlink(command[-1])
        self.assertEqual(updated, ["a:b"])


if __name__ == "__main__":
    unittest.main()
