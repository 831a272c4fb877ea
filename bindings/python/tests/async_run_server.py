# SPDX-License-Identifier: MIT
"""Async handlers in Server.run, for test_run.py."""
import asyncio
import sys
import threading
import time
from typing import List

import libmcp

server = libmcp.Server("async")
ended: List[str] = []


@server.tool
async def at_once() -> str:
    return threading.current_thread().name


@server.tool
async def sleep(ms: int) -> int:
    await asyncio.sleep(ms / 1000)
    return ms


@server.tool
async def execute() -> int:
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(None, lambda: (time.sleep(0.01), 7)[1])


@server.tool
async def child() -> str:
    process = await asyncio.create_subprocess_exec(
        "echo", "from a child", stdout=asyncio.subprocess.PIPE)
    return (await process.communicate())[0].decode()


@server.tool
async def begin() -> None:
    async def work() -> None:
        await asyncio.sleep(0.01)
        ended.append("background")
    asyncio.create_task(work())


@server.tool
def what_ended() -> List[str]:
    return ended


@server.tool
async def forever(stubborn: bool = False) -> None:
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            print("cancelled", file=sys.stderr, flush=True)
            if not stubborn:
                raise


@server.tool(thread=True)
async def ask(ctx: libmcp.Context) -> str:
    await asyncio.sleep(0.001)
    answer = ctx.elicit("?", {"type": "object", "properties": {}})
    await asyncio.sleep(0.001)
    return answer.action


@server.tool
async def fail(how: str) -> str:
    if how == "tool":
        raise libmcp.ToolError("wrong")
    if how == "rpc":
        raise libmcp.McpError(-7, "no")
    if how == "result":
        return lambda: 1  # type: ignore[return-value]
    await asyncio.sleep(0)
    raise SystemExit(3)


@server.resource("thing://{name}")
async def thing(name: str) -> str:
    if name != "lamp":
        raise libmcp.NotFoundError
    return "a lamp"


@server.tool
def add_another() -> None:
    @server.tool
    async def another() -> str:
        await asyncio.sleep(0)
        return "another"


if __name__ == "__main__":
    server.run()
