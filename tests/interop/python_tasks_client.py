# SPDX-License-Identifier: MIT
"""A client on the official Python SDK 1.x for the tasks of workbench-server and
tasks-server.

usage: python_tasks_client.py workbench|asking|running COMMAND [ARGUMENT]...
       python_tasks_client.py workbench|asking|running URL

`running` runs the questions of tasks-server as tasks. Prints a line for each
test.
"""
import asyncio
import contextlib
import sys
import warnings

import anyio
import mcp.types as types
from mcp import ClientSession, StdioServerParameters
from mcp.client.experimental.task_handlers import ExperimentalTaskHandlers
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import McpError
from mcp.shared.experimental.tasks.helpers import cancel_task
from mcp.shared.experimental.tasks.in_memory_task_store import (
    InMemoryTaskStore)

warnings.simplefilter("ignore")  # the SDK calls its own tasks deprecated

RELATED = "io.modelcontextprotocol/related-task"
failures = 0


async def check(name, look):
    global failures
    try:
        with anyio.fail_after(20):
            await look()
        print(f"ok {name}")
    except Exception as error:  # noqa: BLE001
        failures += 1
        print(f"not ok {name}: {type(error).__name__}: {error}".replace(
            "\n", " "))


def same(found, expected):
    if found != expected:
        raise AssertionError(f"{found!r} is not {expected!r}")


async def code_of(awaitable):
    try:
        await awaitable
    except McpError as error:
        return error.error.code
    raise AssertionError("there is no error")


class Peer:
    """A session, and what it answers."""

    def __init__(self):
        self.asked = []
        self.statuses = []

    async def tell(self, message):
        if isinstance(message, types.ServerNotification) and isinstance(
                message.root, types.TaskStatusNotification):
            self.statuses.append(message.root.params)

    def answer(self, params):
        meta = params.meta.model_dump() if params.meta else {}
        self.asked.append(meta.get(RELATED, {}).get("taskId"))
        if isinstance(params, types.CreateMessageRequestParams):
            return types.CreateMessageResult(
                role="assistant", model="m",
                content=types.TextContent(type="text", text="Paris"))
        has_name = "name" in params.requestedSchema["properties"]
        return types.ElicitResult(
            action="accept", content={"name": "Ada"} if has_name else {
                "years": 36})

    async def on_question(self, context, params):
        return self.answer(params)

    async def start(self, name, arguments=None, ttl=60000):
        made = await self.session.experimental.call_tool_as_task(
            name, arguments or {}, ttl=ttl)
        return made.task

    async def result(self, task_id):
        return await self.session.experimental.get_task_result(
            task_id, types.CallToolResult)

    async def text(self, task_id):
        return (await self.result(task_id)).content[0].text

    async def call(self, name, arguments=None):
        result = await self.session.call_tool(name, arguments or {})
        return result.content[0].text


# --- workbench-server --------------------------------------------------------

async def test_workbench(peer):
    tasks = peer.session.experimental

    async def follows():
        task = await peer.start("count_slowly", {"to": 6, "delay_ms": 200})
        seen = [status async for status in tasks.poll_task(task.taskId)]
        same((task.status, task.ttl, task.pollInterval),
             ("working", 60000, 1000))
        same(seen[-1].status, "completed")
        same(seen[-1].statusMessage, "counting (6 of 6)")
        result = await peer.result(task.taskId)
        same(result.content[0].text, "Counted to 6")
        same(result.meta[RELATED], {"taskId": task.taskId})
        same([status.status for status in peer.statuses
              if status.taskId == task.taskId][-1], "completed")

    async def waits():
        task = await peer.start("count_slowly", {"to": 3, "delay_ms": 50})
        same(await peer.text(task.taskId), "Counted to 3")
        same((await tasks.get_task(task.taskId)).status, "completed")

    async def cancels():
        task = await peer.start("count_slowly", {"to": 10000})
        same((await tasks.cancel_task(task.taskId)).status, "cancelled")
        same((await tasks.get_task(task.taskId)).status, "cancelled")
        same(await code_of(tasks.cancel_task(task.taskId)), -32602)

    async def unknown():
        same(await code_of(tasks.get_task("nobody")), -32602)
        same(await code_of(peer.result("nobody")), -32602)

    async def lists():
        same(peer.hello.capabilities.tasks.list, None)
        same(await code_of(tasks.list_tasks()), -32601)

    async def calls():
        same(await peer.call("count_slowly", {"to": 2, "delay_ms": 1}),
             "Counted to 2")

    await check("polling a task", follows)
    await check("waiting for a result", waits)
    await check("cancelling", cancels)
    await check("an unknown id", unknown)
    await check("no list", lists)
    await check("a call without a task", calls)


# --- tasks-server ------------------------------------------------------------

async def test_asking(peer):
    tasks = peer.session.experimental

    async def asks():
        task = await peer.start("ask")
        same(await peer.text(task.taskId), "Ada is 36")
        same(peer.asked, [task.taskId, task.taskId])

    async def samples():
        task = await peer.start("think")
        same(await peer.text(task.taskId), "Paris")

    async def requires():
        same(await code_of(peer.session.call_tool("ask", {})), -32601)

    async def fails():
        task = await peer.start("fail")
        result = await peer.result(task.taskId)
        same((result.isError, result.content[0].text),
             (True, "disk 3 is full"))
        same((await tasks.get_task(task.taskId)).status, "failed")

    async def refuses():
        task = await peer.start("refuse")
        same(await code_of(peer.result(task.taskId)), 42)
        same((await tasks.get_task(task.taskId)).status, "failed")

    async def cancels():
        task = await peer.start("wait")
        same((await tasks.get_task(task.taskId)).statusMessage,
             "waiting (1 of 3)")
        await tasks.cancel_task(task.taskId)
        same(await peer.call("cancelled"), "1")

    await check("questions", asks)
    await check("sampling", samples)
    await check("a tool that requires a task", requires)
    await check("failure", fails)
    await check("an error", refuses)
    await check("cancellation reaches the handler", cancels)


# --- tasks of the client -----------------------------------------------------

class Runner:
    """Runs questions as tasks."""

    def __init__(self, peer, group):
        self.peer = peer
        self.group = group
        self.store = InMemoryTaskStore()
        self.made = 0

    async def ask(self, context, params, metadata):
        task = await self.store.create_task(metadata)
        self.made += 1

        async def work():
            await anyio.sleep(0.15)
            if self.cancels:
                await cancel_task(self.store, task.taskId)
            else:
                await self.store.store_result(
                    task.taskId, self.peer.answer(params))
                await self.store.update_task(task.taskId, status="completed")

        self.group.start_soon(work)
        return types.CreateTaskResult(task=task)

    async def get(self, context, params):
        task = await self.store.get_task(params.taskId)
        return types.GetTaskResult(**task.model_dump())

    async def get_result(self, context, params):
        result = await self.store.get_result(params.taskId)
        return types.GetTaskPayloadResult(**result.model_dump())

    async def cancel(self, context, params):
        return await cancel_task(self.store, params.taskId)

    async def list(self, context, params):
        return types.ListTasksResult(tasks=(await self.store.list_tasks())[0])

    cancels = False

    def handlers(self):
        return ExperimentalTaskHandlers(
            get_task=self.get, get_task_result=self.get_result,
            cancel_task=self.cancel, list_tasks=self.list,
            augmented_sampling=self.ask, augmented_elicitation=self.ask)


async def test_running(peer):
    async def elicits():
        same(await peer.call("ask_now"), "Ada is 36")
        same(peer.runner.made, 2)

    async def samples():
        same(await peer.call("think_now"), "Paris")
        same(peer.runner.made, 3)

    async def in_task():
        task = await peer.start("ask")
        same(await peer.text(task.taskId), "Ada is 36")
        same(peer.asked[-2:], [task.taskId, task.taskId])

    async def cancels():
        peer.runner.cancels = True
        same(await peer.call("ask_now"), "no answer")

    await check("elicitation as a task of the client", elicits)
    await check("sampling as a task of the client", samples)
    await check("a task of the client, in a task", in_task)
    await check("a task that the client cancels", cancels)


# -----------------------------------------------------------------------------

@contextlib.asynccontextmanager
async def connect(target):
    if "://" in target[0]:
        async with streamable_http_client(target[0]) as streams:
            yield streams[:2]
    else:
        server = StdioServerParameters(command=target[0], args=target[1:])
        async with stdio_client(server) as streams:
            yield streams


async def main(what, *target):
    peer = Peer()
    async with anyio.create_task_group() as group, connect(target) as streams:
        runner = Runner(peer, group)
        async with ClientSession(
                *streams, elicitation_callback=peer.on_question,
                sampling_callback=peer.on_question, message_handler=peer.tell,
                experimental_task_handlers=(
                    runner.handlers() if what == "running" else None),
        ) as session:
            peer.session = session
            peer.runner = runner
            peer.hello = await session.initialize()
            print("ok connecting")
            await {"workbench": test_workbench, "asking": test_asking,
                   "running": test_running}[what](peer)
    print("ok closing")
    return 1 if failures else 0


sys.exit(asyncio.run(main(*sys.argv[1:])))
