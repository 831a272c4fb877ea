# SPDX-License-Identifier: MIT
"""A server with one of everything, for the tests."""
import asyncio
import os
import sys
import time
from dataclasses import dataclass
from typing import Annotated, Any, Dict, List, Literal, Optional

import libmcp

server = libmcp.Server("everything", "1.2.3", instructions="Call add.",
                       logging=True)


@dataclass
class Point:
    x: float
    y: float = 0.0


@server.tool(title="Add", read_only=True)
def add(a: float, b: Annotated[float, "the second"] = 1.0) -> float:
    """Adds two numbers.

    More text."""
    return a + b


@server.tool
def echo(value: Any) -> str:
    return str(value) if not isinstance(value, str) else value


@server.tool
def move(point: Point, by: int = 1) -> Point:
    return Point(point.x + by, point.y + by)


@server.tool
def table(names: List[str]) -> Dict[str, int]:
    return {name: len(name) for name in names}


@server.tool
def fail(how: Literal["tool", "value", "rpc"]) -> None:
    if how == "tool":
        raise libmcp.ToolError("try a smaller number")
    if how == "rpc":
        raise libmcp.McpError(-31000, "not today", {"day": 1})
    raise ValueError("bad value")


@server.tool
async def later(seconds: float = 0.0) -> str:
    await asyncio.sleep(seconds)
    return "later"


@server.tool(thread=True)
def block(seconds: float = 0.0) -> str:
    time.sleep(seconds)
    return "blocked"


@server.tool
def watch(ctx: libmcp.Context) -> str:
    for step in range(1, 4):
        ctx.progress(step, 3, f"step {step}")
    ctx.info({"at": "watch"})
    return ctx.revision


@server.tool
def ask(ctx: libmcp.Context) -> str:
    answer = ctx.elicit("Where?", Point)
    if not answer.accepted:
        return answer.action
    return f"{type(answer.content).__name__} {answer.content.x}"


@server.tool(thread=True)
async def ask_async(ctx: libmcp.Context) -> str:
    folders = ctx.roots() + ctx.roots()
    await asyncio.sleep(0)
    return f"{len(folders)} {ctx.sample('2?')['content']['text']}"


@server.tool
def think(question: str, ctx: libmcp.Context) -> str:
    return str(ctx.sample(question, 100)["content"]["text"])


@server.tool
def folders(ctx: libmcp.Context) -> List[str]:
    return [root["uri"] for root in ctx.roots()]


@server.tool
def picture() -> List[Any]:
    return ["a dot", libmcp.Image(b"\x89PNG123"), b"\xff\xd8\xff1", b"raw",
            libmcp.Audio(b"RIFF"), libmcp.EmbeddedResource("a:b", "text"),
            libmcp.ResourceLink("c:d", "link")]


@server.tool
def shout(text: str) -> str:
    print("printed:", text)
    os.write(1, b"written\n")
    return text.upper()


@server.resource("config://app", mime_type="application/json")
def config() -> Dict[str, int]:
    return {"size": 1}


@server.resource("bytes://{count}", complete={
    "count": lambda value: [n for n in ("1", "10", "100")
                            if n.startswith(value)]})
def some_bytes(count: int) -> bytes:
    if count > 1000:
        raise libmcp.NotFoundError
    return bytes(range(256)) * count


@server.resource("text://later")
async def text_later() -> str:
    await asyncio.sleep(0)
    return "later"


@server.prompt(title="Review", complete={
    "language": lambda value, others: [value + "thon", str(sorted(others))]})
def review(code: str, language: str = "Python",
           lines: Optional[int] = None) -> List[Any]:
    """Reviews code."""
    return [f"Review this {language}: {code} ({lines!r})",
            libmcp.Message("Gladly.", "assistant")]


if __name__ == "__main__":
    server.run(sys.argv)
