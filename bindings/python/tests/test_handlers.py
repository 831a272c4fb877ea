# SPDX-License-Identifier: MIT
"""What clients get when handlers fail, and which handlers are refused."""
import asyncio
import contextlib
import functools
import io
import sys
import unittest
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Dict, List, Literal, NewType, Optional

import libmcp

from .support import connected

ERAS = ("2025-11-25", "2026-07-28")
UserId = NewType("UserId", int)


class Colour(Enum):
    RED = "red"


@dataclass
class Sum:
    a: int
    b: int = 2
    total: int = field(init=False)

    def __post_init__(self) -> None:
        self.total = self.a + self.b


def quiet() -> Any:
    return contextlib.redirect_stderr(io.StringIO())


class Errors(unittest.IsolatedAsyncioTestCase):
    async def fails(self, call: Any) -> libmcp.RemoteError:
        with quiet(), self.assertRaises(libmcp.RemoteError) as caught:
            await call
        return caught.exception

    async def test_a_resource_that_does_not_exist(self) -> None:
        for era in ERAS:
            reports: List[libmcp.McpError] = []
            server = libmcp.Server("s", on_report=reports.append)

            @server.resource("now://{name}")
            def now(name: str) -> str:
                raise libmcp.NotFoundError

            @server.resource("later://{name}")
            async def later(name: str) -> str:
                await asyncio.sleep(0)
                raise libmcp.NotFoundError
            async with connected(server, era=era) as c:
                for uri in "now://x", "later://x":
                    error = await self.fails(c.read(uri))
                    self.assertEqual(str(error),
                                     f'there is no resource "{uri}"')
                    self.assertEqual(
                        error.code, -32002 if era < "2026" else -32602)
            self.assertEqual(reports, [])

    async def test_a_not_found_error_elsewhere_is_like_any_other(self) -> None:
        server = libmcp.Server("s")

        @server.tool
        def now() -> None:
            raise libmcp.NotFoundError("no lamp")

        @server.tool
        async def later() -> None:
            await asyncio.sleep(0)
            raise libmcp.NotFoundError("no lamp")

        @server.prompt
        def prompt() -> str:
            raise libmcp.NotFoundError("no lamp")
        async with connected(server) as c:
            for name in "now", "later":
                with quiet(), self.assertRaisesRegex(
                        libmcp.ToolError, "^NotFoundError: no lamp$"):
                    await c.call(name)
            self.assertRegex(str(await self.fails(c.prompt("prompt"))),
                             "no lamp")

    async def test_what_libmcp_refuses_keeps_its_code_and_reason(self) -> None:
        for era in ERAS:
            reports: List[libmcp.McpError] = []
            server = libmcp.Server("s", on_report=reports.append)

            @server.tool
            def ask(ctx: libmcp.Context) -> None:
                ctx.elicit("?", {"type": "object", "properties": {}})

            @server.tool
            def link() -> Any:
                return libmcp.EmbeddedResource("", "text")

            @server.tool
            async def link_later() -> Any:
                await asyncio.sleep(0)
                return libmcp.EmbeddedResource("", "text")
            async with connected(server, era=era) as c:
                error = await self.fails(c.call("ask"))
                self.assertLess(error.code, -32000)
                self.assertIn("elicitation", str(error))
                for name in "link", "link_later":
                    error = await self.fails(c.call(name))
                    self.assertEqual(error.code, -32603)
            self.assertTrue(reports)

    async def test_errors_of_a_client_inside_a_handler(self) -> None:
        server = libmcp.Server("s")

        @server.tool
        async def ask_another() -> None:
            async with libmcp.AsyncClient([sys.executable, "-c", "1"],
                                          stderr=-1):
                pass
        async with connected(server) as c:
            with quiet(), self.assertRaisesRegex(
                    libmcp.ToolError, "^ConnectionClosedError: .* exited"):
                await c.call("ask_another")

    async def test_an_error_whose_data_is_not_json(self) -> None:
        server = libmcp.Server("s")

        @server.tool
        def fail() -> None:
            raise libmcp.McpError(1, "x", data=object())
        async with connected(server) as c:
            with quiet(), self.assertRaisesRegex(libmcp.ToolError,
                                                 "^TypeError: "):
                await c.call("fail")

    async def test_options_of_the_wrong_type_leave_the_server(self) -> None:
        server = libmcp.Server("s")
        with self.assertRaises(OverflowError):
            await server.serve_async(pool_threads=-1)
        async with connected(server) as c:
            await c.ping()

    async def test_a_report_function_that_fails(self) -> None:
        def report(error: libmcp.McpError) -> None:
            raise ValueError("in report")
        server = libmcp.Server("s", on_report=report)

        @server.tool
        def wrong() -> Dict[str, int]:
            return {"a": "text"}  # type: ignore[dict-item]
        async with connected(server) as c:
            with contextlib.redirect_stderr(io.StringIO()) as err:
                with self.assertRaises(libmcp.RemoteError):
                    await c.call("wrong")
        self.assertIn("in report", err.getvalue())
        self.assertNotIn("cffi", err.getvalue())

    async def test_a_question_whose_answer_cannot_be_read(self) -> None:
        server = libmcp.Server("s")

        @server.tool(thread=True)
        async def ask(ctx: libmcp.Context) -> str:
            def fail(*arguments: Any) -> int:
                raise RecursionError("too deep")
            ctx._answer(fail)
            return "never"
        async with connected(server) as c:
            with quiet(), self.assertRaisesRegex(libmcp.ToolError, "too deep"):
                await asyncio.wait_for(c.call("ask"), 10)

    async def test_logs_need_logging(self) -> None:
        server = libmcp.Server("s")

        @server.tool
        def log(ctx: libmcp.Context) -> None:
            ctx.info("text")
        async with connected(server) as c:
            with quiet(), self.assertRaisesRegex(libmcp.ToolError,
                                                 "logging=True"):
                await c.call("log")


class Arguments(unittest.IsolatedAsyncioTestCase):
    async def test_wrong_arguments_of_prompts(self) -> None:
        server = libmcp.Server("s")

        @server.prompt
        def p(whole: int = 0, number: float = 0, yes: bool = False,
              which: Literal["a", "b"] = "a", colour: Colour = Colour.RED,
              maybe: Optional[int] = None) -> str:
            return repr((whole, number, yes, which, colour.value, maybe))

        @server.prompt
        def q(needed: str) -> str:
            return needed
        async with connected(server) as c:
            got = await c.prompt("p", whole=3, number=1.5, yes=True, which="b",
                                 colour="red", maybe=7)
            self.assertEqual(got.text, "(3, 1.5, True, 'b', 'red', 7)")
            for name, value, wanted in (
                    ("whole", "x", "an integer, got 'x'"),
                    ("number", "nan", "a number, got 'nan'"),
                    ("yes", "maybe", "true or false, got 'maybe'"),
                    ("which", "c", "one of ['a', 'b'], got 'c'"),
                    ("maybe", "x", "an integer, got 'x'")):
                with self.assertRaises(libmcp.RemoteError) as caught:
                    await c.prompt("p", **{name: value})
                self.assertEqual(
                    (caught.exception.code, str(caught.exception)),
                    (-32602, f"the argument {name!r}: expected {wanted}"))
            with self.assertRaisesRegex(libmcp.RemoteError, "needed"):
                await c.prompt("q")

    async def test_results_with_members_that_nobody_passes(self) -> None:
        server = libmcp.Server("s")

        @server.tool
        def add(numbers: Sum) -> Sum:
            return numbers
        async with connected(server) as c:
            result = await c.call("add", numbers={"a": 1, "total": 9})
            self.assertEqual(result.structured, {"a": 1, "b": 2, "total": 3})

    async def test_new_types(self) -> None:
        server = libmcp.Server("s")

        @server.tool
        def double(user: UserId) -> int:
            return user * 2
        async with connected(server) as c:
            self.assertEqual((await c.call("double", user=3.0)).text, "6")

    async def test_a_decorated_method(self) -> None:
        def twice(function: Any) -> Any:
            @functools.wraps(function)
            def run(*arguments: Any, **named: Any) -> Any:
                return function(*arguments, **named) * 2
            return run

        class Shop:
            @twice
            def buy(self, item: str) -> str:
                return item
        server = libmcp.Server("s")
        server.tool(Shop().buy)
        async with connected(server) as c:
            self.assertEqual((await c.call("buy", item="a")).text, "aa")

    def test_handlers_that_are_refused(self) -> None:
        server = libmcp.Server("s")

        def tags(tags: List[str]) -> str:
            return ""

        async def suggest(value: str) -> List[str]:
            return []
        with self.assertRaisesRegex(TypeError, "'tags': clients send a string"):
            server.prompt(tags)
        with self.assertRaisesRegex(TypeError,
                                    "'tags' is not a variable of the URI"):
            server.resource("a://{tag}", name="r")(lambda tags: "")
        for template in ("a://{+tags}", "a://x{?tag,tags*}", "a://{tags:3}"):
            server.resource(template, name="r")(lambda tags: "")
        with self.assertRaisesRegex(TypeError, "must be a def"):
            server.prompt("p", complete={"a": suggest})(lambda a: "")

    def test_wrong_times(self) -> None:
        server = libmcp.Server("s")
        with self.assertRaisesRegex(ValueError, "^poll is .* not -1"):
            server.enable_tasks(poll=-1)
        server.enable_tasks(ttl=float("inf"))


if __name__ == "__main__":
    unittest.main()
