# SPDX-License-Identifier: MIT
"""Objects that end while something still refers to them, and what callbacks
raise."""
import asyncio
import contextlib
import gc
import io
import os
import subprocess
import sys
import threading
import unittest
import unittest.mock
from typing import Any, List, Optional, Tuple

import libmcp
from libmcp import _client, _errors

from .support import SERVER, connected, script


def output_of(text: str, *arguments: str) -> Tuple[str, str, int]:
    """Runs a program; returns what it writes, and its exit code."""
    command = script(text)
    done = subprocess.run([*command, *arguments], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, check=False,
                          timeout=60)
    os.unlink(command[-1])
    return done.stdout, done.stderr, done.returncode


class Forgotten(unittest.TestCase):
    """Clients that nothing closes."""

    def test_a_client_that_is_forgotten_is_closed_with_a_warning(self) -> None:
        client: Optional[libmcp.Client] = libmcp.Client(SERVER, stderr=-1)
        assert client is not None
        client.__enter__()
        with self.assertWarnsRegex(ResourceWarning, "was not closed"):
            client = None
            gc.collect()

    def test_an_async_client_that_is_forgotten(self) -> None:
        async def run() -> None:
            client: Any = libmcp.AsyncClient(SERVER, stderr=-1)
            await client.__aenter__()
            client = None
            gc.collect()
            await asyncio.sleep(0)  # its reader leaves the loop
        for _ in range(2):  # libuv keeps descriptors since its first loop
            before = len(os.listdir("/proc/self/fd"))
            with self.assertWarnsRegex(ResourceWarning, "was not closed"):
                asyncio.run(run())
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)

    def test_an_async_client_that_outlives_its_loop(self) -> None:
        async def keep() -> libmcp.AsyncClient:
            client = libmcp.AsyncClient(SERVER, stderr=-1)
            return await client.__aenter__()
        client: Optional[libmcp.AsyncClient] = asyncio.run(keep())
        with self.assertWarnsRegex(ResourceWarning, "was not closed"):
            del client
            gc.collect()

    def test_the_interpreter_ends_with_open_objects(self) -> None:
        out, err, code = output_of(f"""
            import asyncio, libmcp
            server = libmcp.Server("s")
            server.tool("t")(lambda: "x")
            client = libmcp.Client({SERVER!r}, stderr=-1).__enter__()
            client.ping()
            async def run():
                global other
                other = libmcp.AsyncClient({SERVER!r}, stderr=-1)
                await other.__aenter__()
            asyncio.run(run())
            print("end")
            """)
        self.assertEqual((out, err, code), ("end\n", "", 0))


class Questions(unittest.IsolatedAsyncioTestCase):
    async def test_a_client_ends_while_its_handler_works(self) -> None:
        for era in ("2025-11-25", "2026-07-28"):
            began = asyncio.Event()
            ended: List[str] = []

            async def fill(question: libmcp.Elicitation) -> Any:
                began.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    await asyncio.sleep(0)
                    ended.append("fill")
            server = libmcp.Server("s")

            @server.tool
            def ask(ctx: libmcp.Context) -> str:
                return ctx.elicit("?", {"type": "object",
                                        "properties": {}}).action
            err = io.StringIO()
            with contextlib.redirect_stderr(err):
                async with connected(server, era=era, on_elicit=fill) as c:
                    call = asyncio.ensure_future(c.call("ask"))
                    await began.wait()
                with self.assertRaises(libmcp.McpError):
                    await call
            self.assertEqual((ended, err.getvalue()), (["fill"], ""))

    async def test_the_server_dies_while_a_handler_works(self) -> None:
        command = script("""
            import os, threading, libmcp
            server = libmcp.Server("s")
            @server.tool
            def ask(ctx: libmcp.Context) -> str:
                threading.Timer(0.3, os._exit, [0]).start()
                return ctx.elicit("?", {"type": "object",
                                        "properties": {}}).action
            server.run()
            """)
        ended: List[str] = []

        async def fill(question: libmcp.Elicitation) -> Any:
            try:
                await asyncio.Event().wait()
            finally:
                ended.append("fill")
        client = libmcp.AsyncClient(command, era="2025-11-25", on_elicit=fill)
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            async with client as c:
                with self.assertRaises(libmcp.ConnectionClosedError):
                    await c.call("ask")
            # The handler has ended before the loop of libmcp, which frees the
            # question.
            self.assertEqual(ended, ["fill"])
        os.unlink(command[-1])
        self.assertEqual(err.getvalue(), "")


class Interrupts(unittest.TestCase):
    def test_exit_in_a_question_is_raised(self) -> None:
        def leave(*event: Any) -> None:
            sys.exit(5)
        with libmcp.Client(SERVER, stderr=-1, on_elicit=leave) as c:
            with contextlib.redirect_stderr(io.StringIO()), \
                    self.assertRaises(SystemExit):
                c.call("ask")

    def test_another_thread_does_not_get_it(self) -> None:
        got: List[BaseException] = []
        held, may_go = threading.Event(), threading.Event()

        def leave(*event: Any) -> None:
            sys.exit(5)

        def work() -> None:
            try:
                with libmcp.Client(SERVER, stderr=-1, on_log=leave) as c:
                    c.call("watch")
            except BaseException as error:
                got.append(error)

        main = threading.get_ident()

        def slow() -> None:
            if threading.get_ident() != main and _errors.has_interrupt():
                held.set()
                may_go.wait(10)
            _errors.raise_interrupt()

        with libmcp.Client(SERVER, stderr=-1) as other:
            with unittest.mock.patch.object(_client, "raise_interrupt", slow):
                thread = threading.Thread(target=work)
                thread.start()
                self.assertTrue(held.wait(10))
                try:
                    other.ping()
                finally:
                    may_go.set()
                    thread.join()
        self.assertIsInstance(got[0], SystemExit)

    def test_ctrl_c_while_closing_frees_the_client(self) -> None:
        client = libmcp.Client(SERVER, stderr=-1)
        client.__enter__()

        def interrupt() -> bool:
            raise KeyboardInterrupt
        with unittest.mock.patch.object(client, "_is_renewing", interrupt):
            client._is_open = False
            with self.assertRaises(KeyboardInterrupt):
                client.close()
        self.assertIsNone(client._client)


if __name__ == "__main__":
    unittest.main()
