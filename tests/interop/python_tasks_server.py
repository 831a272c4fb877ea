# SPDX-License-Identifier: MIT
"""A server with tasks for our client, on the official Python SDK 1.x.

usage: python_tasks_server.py [http]

Departures of the SDK that this server, or its tests, pass by:
- A task that was cancelled goes on, and does not learn of it. When it then
  changes its status, the exception ends the whole server. So the store ignores
  such changes.
- When one session over HTTP ends, the others can make no more tasks: see
  python-tasks.mjs.
- Of a task that has failed, tasks/result sends an empty result.
- tasks/result can miss that its task ends, and then never answers: what happens
  between its look at the status and its wait is lost. So the store looks once
  more.
- A task without a time limit has no `ttl`, which should be null.
"""
import asyncio
import contextlib
import logging
import socket
import sys
import warnings

import anyio
import mcp.types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import McpError
from mcp.shared.experimental.tasks.helpers import is_terminal
from mcp.shared.experimental.tasks.in_memory_task_store import (
    InMemoryTaskStore)
from starlette.applications import Starlette
from starlette.routing import Mount

warnings.simplefilter("ignore")  # the SDK calls its own tasks deprecated

FORM = {"type": "object", "properties": {"name": {"type": "string"}},
        "required": ["name"]}
CAPITAL = [types.SamplingMessage(role="user", content=types.TextContent(
    type="text", text="Capital of France?"))]


def text(value):
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=value)])


class Store(InMemoryTaskStore):
    async def update_task(self, task_id, *args, **more):
        task = await self.get_task(task_id)
        return task if is_terminal(task.status) else (
            await super().update_task(task_id, *args, **more))

    async def wait_for_update(self, task_id):
        task = await self.get_task(task_id)
        if not is_terminal(task.status):
            await super().wait_for_update(task_id)


# --- tools that are tasks ----------------------------------------------------

async def interview(task):
    await task.update_status("thinking of a question")
    await anyio.sleep(0.3)
    await task.update_status("asking")
    if is_terminal(task.task.status):
        return text("nobody reads this")
    who = await task.elicit("Who are you?", FORM)
    await task.update_status("thinking of an answer")
    name = (who.content or {}).get("name", who.action)
    return text(f"Hello {name}")


async def think(task):
    answer = await task.create_message(CAPITAL, max_tokens=100)
    return text(answer.content.text)


async def ask_in_task(task):
    who = await task.elicit_as_task("Who are you?", FORM)
    return text((who.content or {}).get("name", who.action))


async def fail(task):
    raise RuntimeError("disk 3 is full")


# --- tools that are not ------------------------------------------------------

async def ask(session):
    who = await session.experimental.elicit_as_task("Who are you?", FORM)
    return text((who.content or {}).get("name", who.action))


async def think_now(session):
    answer = await session.experimental.create_message_as_task(
        CAPITAL, max_tokens=100)
    return text(answer.content.text)


async def withdraw(session):
    """Asks by a task of the client, and takes the question back."""
    async def send(request, result):
        return await session.send_request(types.ServerRequest(request), result)

    made = await send(types.ElicitRequest(params=types.ElicitRequestFormParams(
        message="Never mind", requestedSchema=FORM,
        task=types.TaskMetadata(ttl=60000))), types.CreateTaskResult)
    task_id = made.task.taskId
    cancel = types.CancelTaskRequest(
        params=types.CancelTaskRequestParams(taskId=task_id))
    listed = await send(types.ListTasksRequest(), types.ListTasksResult)
    cancelled = await send(cancel, types.CancelTaskResult)
    got = await session.experimental.get_task(task_id)
    try:
        again = (await send(cancel, types.CancelTaskResult)).status
    except McpError as error:
        again = error.error.code
    is_listed = any(task.taskId == task_id and task.status == "working"
                    for task in listed.tasks)
    return text(f"{str(is_listed).lower()}, {cancelled.status}, {got.status}, "
                f"{again}")


TASKS = {"interview": interview, "think": think, "ask_in_task": ask_in_task,
         "fail": fail}
OTHERS = {"ask": ask, "think_now": think_now, "withdraw": withdraw}


def build():
    server = Server("python-peer")
    server.experimental.enable_tasks(store=Store())

    @server.list_tools()
    async def list_tools():
        return [types.Tool(
            name=name, inputSchema={"type": "object"},
            execution=types.ToolExecution(
                taskSupport="required" if name in TASKS else "forbidden"))
            for name in [*TASKS, *OTHERS]]

    @server.call_tool()
    async def call_tool(name, arguments):
        context = server.request_context
        if name in OTHERS:
            return await OTHERS[name](context.session)
        context.experimental.validate_task_mode(types.TASK_REQUIRED)
        return await context.experimental.run_task(TASKS[name])

    return server


async def serve_http(server):
    manager = StreamableHTTPSessionManager(server)

    @contextlib.asynccontextmanager
    async def lifespan(app):
        async with manager.run():
            yield

    listener = socket.create_server(("127.0.0.1", 0))
    app = Starlette(routes=[Mount("/mcp", app=manager.handle_request)],
                    lifespan=lifespan)
    config = uvicorn.Config(app, log_config=None)
    port = listener.getsockname()[1]
    print(f"listening on http://127.0.0.1:{port}/mcp/", file=sys.stderr,
          flush=True)
    await uvicorn.Server(config).serve(sockets=[listener])


async def main():
    logging.disable(logging.CRITICAL)
    server = build()
    if sys.argv[1:] == ["http"]:
        await serve_http(server)
        return
    async with stdio_server() as streams:
        await server.run(*streams, server.create_initialization_options())


asyncio.run(main())
