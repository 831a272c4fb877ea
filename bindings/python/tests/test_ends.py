# SPDX-License-Identifier: MIT
"""What lives how long: exceptions, clients that nobody closes, handlers that
do not end, and callbacks that wait."""
import asyncio
import contextlib
import gc
import io
import os
import select
import subprocess
import threading
import unittest
import warnings
import weakref
from typing import Any, List

import libmcp

from .support import SERVER, connected, script
from .test_faults import descriptors, in_child


class Exceptions(unittest.IsolatedAsyncioTestCase):
    """They are in no reference cycle, which would keep the caller's objects
    until the next garbage collection."""

    def setUp(self) -> None:
        gc.collect()
        gc.disable()
        self.addCleanup(gc.enable)

    def test_of_a_client(self) -> None:
        with libmcp.Client(SERVER, stderr=-1) as c:
            try:
                c.call("fail", how="tool")
            except libmcp.ToolError as error:
                found = weakref.ref(error)
        self.assertIsNone(found())

    async def test_of_an_async_client(self) -> None:
        async with libmcp.AsyncClient(SERVER, stderr=-1) as c:
            try:
                await c.call("fail", how="tool")
            except libmcp.ToolError as error:
                found = weakref.ref(error)
        self.assertIsNone(found())


class Unclosed(unittest.TestCase):
    def test_a_client_closes_when_nobody_has_it(self) -> None:
        for _ in range(2):  # libuv keeps descriptors since its first loop
            before = descriptors()
            client = libmcp.Client(SERVER, stderr=-1).__enter__()
            found = weakref.ref(client)
            with self.assertWarnsRegex(ResourceWarning, "was not closed"):
                del client
                gc.collect()
            self.assertIsNone(found())
        self.assertEqual(descriptors(), before)

    def test_an_async_client_that_nobody_has(self) -> None:
        async def leave() -> Any:
            client = libmcp.AsyncClient(SERVER, stderr=-1)
            await client.__aenter__()
            return weakref.ref(client)

        async def look() -> Any:
            found = await leave()
            gc.collect()
            await asyncio.sleep(0)  # it is freed outside callbacks
            return found
        before = descriptors()
        with self.assertWarnsRegex(ResourceWarning, "Client was not closed"):
            found = asyncio.run(look())
        self.assertIsNone(found())
        self.assertEqual(descriptors(), before)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = asyncio.run(leave())  # the loop has ended already
            gc.collect()
        self.assertIsNone(found())
        self.assertEqual(descriptors(), before)

    def test_the_end_of_the_program(self) -> None:
        for make in ("c = libmcp.Client({0!r}, stderr=-1).__enter__()",
                     "c = libmcp.AsyncClient({0!r}, stderr=-1)\n"
                     "import asyncio\nasyncio.run(c.__aenter__())"):
            command = script("import libmcp\n" + make.format(SERVER))
            done = subprocess.run(command, capture_output=True, text=True,
                                  check=False, timeout=20)
            os.unlink(command[-1])
            self.assertEqual((done.returncode, done.stderr), (0, ""))


class WaitingInCallbacks(unittest.TestCase):
    def test_a_request_in_a_callback_is_not_sent(self) -> None:
        command = script("""
            import libmcp
            server = libmcp.Server("s", logging=True)
            count = 0
            @server.tool
            def buy(ctx: libmcp.Context) -> int:
                global count
                count += 1
                ctx.info("bought")
                return count
            server.run()
            """)
        errors: List[BaseException] = []

        def again(*event: Any) -> None:
            for wait in (lambda: c.call("buy"), lambda: c.wait(0.1)):
                try:
                    wait()
                except RuntimeError as error:
                    errors.append(error)
        with libmcp.Client(command, on_log=again) as c:
            c.call("buy")
            self.assertRegex(str(errors[0]), "callback of this client")
            self.assertEqual(len(errors), 2)
            self.assertEqual(c.call("buy").text, "2")
        os.unlink(command[-1])

    def test_sys_exit_in_a_question_is_raised(self) -> None:
        def leave(question: Any) -> None:
            raise SystemExit(3)
        with libmcp.Client(SERVER, stderr=-1, on_elicit=leave) as c:
            with self.assertRaises(SystemExit):
                c.call("ask")


class Answers(unittest.IsolatedAsyncioTestCase):
    """Async functions that answer questions of the server."""

    async def test_closing_waits_for_them(self) -> None:
        began, ended = asyncio.Event(), asyncio.Event()

        async def answer(question: Any) -> None:
            began.set()
            try:
                await asyncio.Event().wait()
            finally:
                for _ in range(20):
                    await asyncio.sleep(0.01)
                ended.set()
        with contextlib.redirect_stderr(io.StringIO()) as err:
            async with libmcp.AsyncClient(SERVER, stderr=-1,
                                          on_elicit=answer) as c:
                call = asyncio.ensure_future(c.call("ask"))
                await began.wait()
            self.assertTrue(ended.is_set())
            with self.assertRaises(libmcp.ConnectionClosedError):
                await call
        self.assertEqual(err.getvalue(), "")

    async def test_one_closes_the_client(self) -> None:
        async def close(question: Any) -> None:
            await c.close()
        async with libmcp.AsyncClient(SERVER, stderr=-1, on_elicit=close) as c:
            with self.assertRaises(libmcp.ConnectionClosedError):
                await asyncio.wait_for(c.call("ask"), 10)

    async def test_one_starts_a_request(self) -> None:
        async def look(question: Any) -> Any:
            await c.ping()
            return {"x": len(await c.tools())}
        async with libmcp.AsyncClient(SERVER, stderr=-1, on_elicit=look) as c:
            self.assertEqual((await c.call("ask")).text, "Point 14.0")

    async def test_closing_is_cancelled_while_one_runs(self) -> None:
        began, go_on = asyncio.Event(), asyncio.Event()
        values: List[str] = []

        async def answer(question: Any) -> None:
            began.set()
            while not go_on.is_set():
                with contextlib.suppress(asyncio.CancelledError):
                    await go_on.wait()
            values.append("ended")
        c = libmcp.AsyncClient(SERVER, stderr=-1, on_elicit=answer)
        await c.__aenter__()
        call = asyncio.ensure_future(c.call("ask"))
        await began.wait()
        with self.assertRaises(asyncio.TimeoutError):
            await asyncio.wait_for(c.close(), 0.05)
        with self.assertRaises(libmcp.ConnectionClosedError):
            await call
        go_on.set()  # its answer comes after the end
        while not values:
            await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def test_a_forked_process_leaves_the_connection_alone(self) -> None:
        async with libmcp.AsyncClient(SERVER, stderr=-1) as c:
            def close() -> None:
                with contextlib.suppress(StopIteration):
                    c.close().send(None)
            self.assertEqual(in_child(close), 0)
            self.assertEqual(in_child(c.__del__), 0)
            await c.ping()


class Stubborn(unittest.IsolatedAsyncioTestCase):
    """Async handlers with thread=True that do not end when they are
    cancelled."""

    SOURCE = """
        import asyncio, sys, libmcp
        server = libmcp.Server("s")
        @server.tool(thread=True)
        async def stay() -> None:
            while True:
                try:
                    print("here", file=sys.stderr, flush=True)
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    pass
        """

    async def end(self, text: str) -> None:
        command = script(self.SOURCE + text)
        process = await asyncio.create_subprocess_exec(
            *command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        assert process.stdin is not None and process.stderr is not None
        process.stdin.write(
            b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":'
            b'{"protocolVersion":"2025-11-25","capabilities":{},'
            b'"clientInfo":{"name":"a","version":"1"}}}\n'
            b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
            b'{"jsonrpc":"2.0","id":2,"method":"tools/call",'
            b'"params":{"name":"stay"}}\n')
        self.assertIn(b"here", await process.stderr.readline())
        process.stdin.close()
        try:
            await asyncio.wait_for(process.communicate(), 20)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            os.unlink(command[-1])

    async def test_run_ends(self) -> None:
        await self.end("""
        server.run()
        """)

    async def test_serve_async_ends_when_it_is_cancelled_again(self) -> None:
        await self.end("""
        async def main():
            serving = asyncio.ensure_future(server.serve_async())
            await asyncio.sleep(0)
            while not sys.stdin.closed and serving in asyncio.all_tasks():
                await asyncio.sleep(0.05)
                if server._driver is None or server._tasks._is_closed:
                    serving.cancel()
                    break
            try:
                await serving
            except asyncio.CancelledError:
                print("ended", file=sys.stderr, flush=True)
            import os
            os._exit(0)
        asyncio.run(main())
        """)


class Threads(unittest.TestCase):
    def test_another_thread_reports_an_update(self) -> None:
        async def run() -> None:
            updated: "asyncio.Queue[str]" = asyncio.Queue()
            server = libmcp.Server("s")
            server.resource("a:b", name="b")(lambda: "text")
            errors: List[BaseException] = []

            def update() -> None:
                try:
                    server.resource_updated("a:b")
                except BaseException as error:
                    errors.append(error)
            async with connected(
                    server, era="2025-11-25",
                    on_resource_updated=updated.put_nowait) as c:
                await c.subscribe("a:b")
                thread = threading.Thread(target=update)
                thread.start()
                self.assertEqual(
                    await asyncio.wait_for(updated.get(), 5), "a:b")
                thread.join()
            self.assertEqual(errors, [])
        asyncio.run(run(), debug=True)

    def test_callbacks_of_run_without_a_task(self) -> None:
        for left in ("loop.add_reader(pipe, lambda: (read(), print('heard')))",
                     "loop.run_in_executor(None, read).add_done_callback("
                     "lambda f: print('heard'))"):
            command = script(f"""
                import asyncio, os, libmcp
                pipe, end = os.pipe()
                server = libmcp.Server("s")
                def read():
                    return os.read(pipe, 1)
                @server.tool
                async def leave() -> None:
                    loop = asyncio.get_running_loop()
                    {left}
                @server.tool
                def write() -> None:
                    os.write(end, b"x")
                server.run()
                """)
            read_end, write_end = os.pipe()
            with os.fdopen(read_end, encoding="ascii") as log:
                with libmcp.Client(command, stderr=write_end) as c:
                    os.close(write_end)
                    c.call("leave")
                    c.call("write")
                    self.assertTrue(select.select([log], [], [], 10)[0])
                    self.assertEqual(log.readline(), "heard\n")
            os.unlink(command[-1])


if __name__ == "__main__":
    unittest.main()
