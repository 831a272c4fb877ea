# SPDX-License-Identifier: MIT
"""What goes wrong in callbacks, in forked processes, and while things end."""
import asyncio
import os
import subprocess
import sys
import unittest
from typing import Any, List

import libmcp

from .support import SERVER, connected, script


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def in_child(work: Any) -> int:
    """Runs a function in a forked process; returns its exit code."""
    pid = os.fork()
    if pid == 0:
        try:
            work()
        except SystemExit as error:
            os._exit(int(error.code or 0))
        except BaseException:
            os._exit(99)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


class Callbacks(unittest.TestCase):
    def test_a_callback_closes_the_client(self) -> None:
        for _ in range(2):  # libuv keeps descriptors since its first loop
            before = descriptors()
            client = libmcp.Client(SERVER, stderr=-1,
                                   on_log=lambda *event: client.close())
            with self.assertRaises(libmcp.ConnectionClosedError), client:
                client.call("watch")
        self.assertEqual(descriptors(), before)

    def test_ctrl_c_in_a_callback_is_raised(self) -> None:
        def interrupt(*event: Any) -> None:
            raise KeyboardInterrupt
        with libmcp.Client(SERVER, stderr=-1, on_log=interrupt) as c:
            with self.assertRaises(KeyboardInterrupt):
                c.call("watch")
            c.ping()
        with libmcp.Client(SERVER, stderr=-1, on_elicit=interrupt) as c:
            with self.assertRaises(KeyboardInterrupt):
                c.call("ask")

    def test_ctrl_c_in_a_handler_ends_serve_async(self) -> None:
        async def serve() -> None:
            server = libmcp.Server("s")

            @server.tool
            def interrupt() -> None:
                raise KeyboardInterrupt
            async with connected(server) as c:
                await c.call("interrupt")
        with self.assertRaises(KeyboardInterrupt):
            asyncio.run(serve())

    def test_a_zero_byte_in_a_message_is_shown(self) -> None:
        async def run() -> List[Any]:
            server = libmcp.Server("s")

            @server.tool
            def work(ctx: libmcp.Context) -> None:
                ctx.progress(1, 2, "a\0b")
            got: List[Any] = []
            async with connected(server) as c:
                await c.call_tool("work",
                                  on_progress=lambda *s: got.append(s[2]))
            return got
        self.assertEqual(asyncio.run(run()), ["a\\0b"])


    def test_a_zero_byte_in_a_result_and_a_failure_arrives(self) -> None:
        async def run() -> None:
            server = libmcp.Server("s")

            @server.tool
            def work() -> str:
                return "a\0%d"

            @server.tool
            def fail() -> None:
                raise libmcp.ToolError("b\0%d")
            async with connected(server) as c:
                self.assertEqual((await c.call("work")).text, "a\0%d")
                with self.assertRaises(libmcp.ToolError) as caught:
                    await c.call("fail")
                self.assertEqual(str(caught.exception), "b\0%d")
        asyncio.run(run())


class Forks(unittest.TestCase):
    def test_a_forked_process_leaves_the_connection_alone(self) -> None:
        def use() -> None:
            try:
                client.ping()
            except RuntimeError:
                sys.exit(4)
        client = libmcp.Client(SERVER, stderr=-1)
        with client:
            self.assertEqual(in_child(client.close), 0)
            self.assertEqual(in_child(use), 4)
            client.ping()

            def connect_another() -> None:
                client.close()
                with client:
                    client.ping()
            self.assertEqual(in_child(connect_another), 0)
            client.ping()


class Ends(unittest.IsolatedAsyncioTestCase):
    async def test_a_server_that_is_cancelled_twice(self) -> None:
        server = libmcp.Server("s")
        began = asyncio.Event()

        @server.tool
        async def stubborn() -> None:
            began.set()
            for _ in range(2):
                try:
                    await asyncio.sleep(0.2)
                except asyncio.CancelledError:
                    pass
        urls = asyncio.get_running_loop().create_future()
        before = descriptors()
        task = asyncio.ensure_future(server.serve_async(
            tcp="127.0.0.1:0", on_ready=urls.set_result))
        async with libmcp.AsyncClient(url=(await urls)[0]) as c:
            call = asyncio.ensure_future(c.call("stubborn"))
            await began.wait()
            task.cancel()
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            with self.assertRaises(libmcp.McpError):
                await c.call_tool("x", timeout=5)
            with self.assertRaises(libmcp.McpError):
                await call
        self.assertEqual(descriptors(), before)

    async def test_closing_that_is_cancelled(self) -> None:
        before = descriptors()
        client = libmcp.AsyncClient(SERVER, stderr=-1)
        await client.__aenter__()
        task = asyncio.ensure_future(client.close())
        await asyncio.sleep(0)
        task.cancel()
        with self.assertRaises(asyncio.CancelledError):
            await task
        self.assertEqual(descriptors(), before)
        await client.close()


class Imports(unittest.TestCase):
    def test_a_server_with_plain_hints_imports_little(self) -> None:
        program = """
            import sys
            before = set(sys.modules)
            import libmcp
            server = libmcp.Server("s")
            @server.tool
            def work(a: str, b: int = 1, c: list = [], d: bool = False) -> dict:
                return {}
            @server.prompt
            def say(text: str) -> str:
                return text
            new = set(sys.modules) - before
            print(sorted(name for name in new if name.split(".")[0] in (
                "typing", "re", "json", "enum", "inspect", "asyncio",
                "collections", "dataclasses", "contextlib")))
            """
        command = script(program)
        done = subprocess.run([command[0], "-I", *command[1:]], check=False,
                              capture_output=True, text=True)
        os.unlink(command[-1])
        self.assertEqual(done.stdout, "[]\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
