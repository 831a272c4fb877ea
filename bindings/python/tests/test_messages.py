# SPDX-License-Identifier: MIT
"""What errors say."""
import asyncio
import os
import unittest
from typing import List, Literal, Optional

import libmcp

from .support import connected, script


class TimeLimits(unittest.IsolatedAsyncioTestCase):
    async def test_they_name_the_options_of_python(self) -> None:
        server = libmcp.Server("s")

        @server.tool
        async def wait() -> None:
            await asyncio.Event().wait()
        async with connected(server, timeout=0.05) as c:
            with self.assertRaisesRegex(libmcp.RequestTimeoutError,
                                        r"50 ms \(timeout of the client\)$"):
                await c.call("wait")
            with self.assertRaisesRegex(libmcp.RequestTimeoutError,
                                        r"40 ms \(timeout\)$"):
                await c.call_tool("wait", timeout=0.04)

    def test_a_server_that_does_not_answer(self) -> None:
        command = script("import sys; sys.stdin.read()")
        with self.assertRaisesRegex(libmcp.RequestTimeoutError,
                                    r"50 ms \(connect_timeout\)$"):
            with libmcp.Client(command, stderr=-1, connect_timeout=0.05):
                pass
        os.unlink(command[-1])


class Arguments(unittest.IsolatedAsyncioTestCase):
    async def test_of_prompts_and_templates(self) -> None:
        server = libmcp.Server("s")

        @server.prompt
        def say(count: int = 0, size: float = 0, loud: bool = False,
                kind: Literal["a", "b"] = "a",
                limit: Optional[int] = None) -> str:
            return f"{count} {size} {loud} {kind} {limit}"

        @server.resource("page://{number}")
        def page(number: int) -> str:
            return str(number)
        async with connected(server) as c:
            self.assertEqual(
                (await c.prompt("say", count=1, size=2.5, loud=True, kind="b",
                                limit=3)).text, "1 2.5 True b 3")
            for name, value, text in (
                    ("count", "x", "expected an integer, got 'x'"),
                    ("size", "x", "expected a number, got 'x'"),
                    ("size", "nan", "expected a number, got 'nan'"),
                    ("loud", "x", "expected true or false, got 'x'"),
                    ("kind", "x", r"expected one of \['a', 'b'\], got 'x'"),
                    ("limit", "x", "expected an integer, got 'x'")):
                with self.assertRaisesRegex(
                        libmcp.RemoteError,
                        f"^the argument '{name}': {text}$") as caught:
                    await c.prompt("say", **{name: value})
                self.assertEqual(caught.exception.code, -32602)
            with self.assertRaisesRegex(libmcp.RemoteError,
                                        "^the argument 'number': expected an"):
                await c.read("page://one")

    def test_a_parameter_that_a_string_cannot_become(self) -> None:
        server = libmcp.Server("s")

        def say(names: List[str]) -> str:
            return str(names)
        for register in (server.prompt, server.resource("a://{names}")):
            with self.assertRaisesRegex(TypeError, "'names': clients send a"):
                register(say)


if __name__ == "__main__":
    unittest.main()
