#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Thousands of tasks on one server over HTTP; then servers that end while tasks
are made.

usage: tasks.py --bin DIR [--sqlite] [--short] [--tasks N]

DIR is a build folder's bin; the server is tests/soak/tasks_server.c. Tasks are
kept in memory first; --sqlite: the server was built with libmcp-sqlite, and all
runs again with tasks in a file. A third of the tasks run to their end, a third
are cancelled, and a third ask. Clients lose their connections after they have
made a task, or while they wait for an answer; the next request for the task
comes on another connection. Each part has two equal rounds. In the end
 - each task of which a client knows the id has the status and the result that
   its script says,
 - when the tasks have been forgotten, the server has at most as many
   descriptors and bytes as after the first round,
 - the server has reported nothing,
 - the library has given all memory back to its allocator.

With a file, the server then ends several times while many clients make tasks:
by SIGKILL, or as programs end. The next server must know each task of which a
client knows the id, and no task may be in a state before the one that a client
has seen.
"""
import argparse
import asyncio
import collections
import contextlib
import json
import os
import pathlib
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time

import hostile
import soak

LIMIT = 900  # seconds for all
WAIT_LIMIT = 60  # seconds for one task, or until the server has let go
CLIENTS = 40  # connections
AT_ONCE = 600  # tasks whose scripts are under way
SLACK = 64 * 1024  # bytes by which tables may have grown in the second round
LONG = 3600 * 1000  # milliseconds: longer than the test
LOST = "the server was restarted before the task had ended"
META = "io.modelcontextprotocol/"
CAPABILITIES = {META + "protocolVersion": "2026-07-28",
                META + "clientCapabilities": {
                    "elicitation": {}, "extensions": {META + "tasks": {}}}}
GONE = (ConnectionError, EOFError, OSError)


# --- the server -----------------------------------------------------------

class Server:
    def __init__(self, bin_, folder, *arguments):
        self.log = folder / "log"
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [bin_ / "../tests/soak-tasks-server", *arguments],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                text=True)
        line = self.process.stdout.readline()
        soak.must(line, f"the server has not begun: {self.log.read_text()}")
        self.port = int(json.loads(line)["http"].split(":")[2].split("/")[0])

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def kill(self):
        self.process.kill()
        self.process.communicate()

    def stop(self):
        """Ends it; it must have freed all, and reported nothing."""
        said, _ = self.process.communicate()
        code = self.process.returncode
        log = self.log.read_text()
        soak.must(code == 0 and not log, f"the server ended with {code}: {log}")
        left = json.loads(said.strip().splitlines()[-1])["live"]
        soak.must(left == 0, f"the library has not freed {left} bytes")


def request(method, subject, params):
    body = {"jsonrpc": "2.0", "id": 1, "method": method,
            "params": {**params, "_meta": CAPABILITIES}}
    return "POST", {"Content-Type": "application/json", "Mcp-Method": method,
                    "Mcp-Name": subject,
                    "MCP-Protocol-Version": "2026-07-28"}, \
        json.dumps(body).encode()


# --- clients --------------------------------------------------------------

class Client:
    """A connection, which is opened when it is needed."""

    def __init__(self, port, number):
        self.port = port
        self.address = f"127.0.2.{number + 1}"
        self.one = None

    async def send(self, method, subject, **params):
        if self.one is None:
            self.one = soak.Connection(*await asyncio.open_connection(
                "127.0.0.1", self.port, local_addr=(self.address, 0)))
        await self.one.send(*request(method, subject, params))

    async def ask(self, method, subject, **params):
        try:
            await self.send(method, subject, **params)
            status, headers = await self.one.head()
            answer = json.loads(await self.one.body(headers))
        except GONE:
            self.vanish()
            raise
        soak.must(status == 200 and "result" in answer,
                  f"{method} was answered with {status}: {answer}")
        return answer["result"]

    async def call(self, name, **arguments):
        return await self.ask("tools/call", name, name=name,
                              arguments=arguments)

    def vanish(self):
        if self.one is not None:
            hostile.reset(self.one.writer)
            self.one = None

    async def close(self):
        if self.one is not None:
            await self.one.close()
            self.one = None


class Pool:
    """Clients that take turns, so that the requests for a task come on several
    connections."""

    def __init__(self, server):
        self.chance = random.Random(1)
        self.clients = [Client(server.port, i) for i in range(CLIENTS)]
        self.free = asyncio.Queue()
        for client in self.clients:
            self.free.put_nowait(client)

    @contextlib.asynccontextmanager
    async def one(self):
        client = await self.free.get()
        try:
            yield client
        finally:
            self.free.put_nowait(client)

    async def ask(self, method, task_id, **params):
        """Sends a request for a task. Now and then the client vanishes before
        it has the answer, and another one sends the request again."""
        async with self.one() as client:
            if self.chance.random() < 0.03:
                await client.send(method, task_id, taskId=task_id, **params)
                client.vanish()
        async with self.one() as client:
            return await client.ask(method, task_id, taskId=task_id, **params)

    async def get(self, task_id):
        return await self.ask("tasks/get", task_id)

    async def get_until(self, task_id, *statuses):
        until = time.monotonic() + WAIT_LIMIT
        pause = 0.01
        while (shown := await self.get(task_id))["status"] not in statuses:
            soak.must(time.monotonic() < until, f"not {statuses}: {shown}")
            await asyncio.sleep(pause)
            pause = min(2 * pause, 0.5)
        return shown

    async def close(self):
        for client in self.clients:
            await client.close()


# --- scripts --------------------------------------------------------------

def text_of(result):
    return result["content"][0]["text"]


def has_text(shown, *texts):
    return (shown["status"] == "completed" and
            text_of(shown["result"]) in texts)


def answers(**words):
    return {key: {"action": "accept", "content": {"word": word}}
            for key, word in words.items()}


class Run:
    """Runs to its end. Half of these tasks are made by the handler, which may
    have replied before the task is made."""
    kinds = ("run", "choose")
    longest = 2000  # milliseconds that it runs, or that an answer is late

    def __init__(self, number, chance):
        self.number = number
        self.chance = chance
        self.id = None
        self.kind = self.kinds[number // 3 % len(self.kinds)]

    def name(self):
        return self.kind

    def arguments(self):
        return {"delay_ms": self.chance.choice((0, 1, 20, 300, self.longest))}

    async def make(self, pool):
        """The client may vanish after the answer, or before it: then no client
        has the id."""
        async with pool.one() as client:
            call = {"name": self.name(), "arguments": {
                "number": self.number, **self.arguments()}}
            if self.may_be_left() and self.chance.random() < 0.03:
                await client.send("tools/call", self.name(), **call)
                client.vanish()
                return
            result = await client.ask("tools/call", self.name(), **call)
            if result["resultType"] == "task":
                self.id = result["taskId"]
            else:
                soak.must(self.name() == "choose" and
                          text_of(result) == f"ran {self.number}",
                          f"not a task: {result}")
            if self.chance.random() < 0.2:
                client.vanish()

    def may_be_left(self):
        return True

    async def go_on(self, pool):
        await pool.get_until(self.id, "completed")

    def is_right(self, shown):
        return has_text(shown, f"ran {self.number}")


class Cancel(Run):
    """Is cancelled while it runs, near its end, or while it asks."""
    kinds = ("runs", "ends", "asks")

    def name(self):
        return "ask" if self.kind == "asks" else "run"

    def arguments(self):
        return {"delay_ms": 30 if self.kind == "ends" else LONG}

    def may_be_left(self):
        return self.kind != "runs"

    async def go_on(self, pool):
        if self.kind == "runs":
            shown = await pool.get(self.id)
            soak.must(shown["status"] == "working", f"not working: {shown}")
        elif self.kind == "ends":
            await asyncio.sleep(self.chance.random() * 0.05)
        await pool.ask("tasks/cancel", self.id)
        await pool.ask("tasks/update", self.id,
                       inputResponses=answers(first="too", second="late"))

    def is_right(self, shown):
        return (shown["status"] == "cancelled" or
                self.kind == "ends" and super().is_right(shown))


class Ask(Run):
    """Asks two questions, and gets the answers in one of several ways."""
    kinds = ("together", "one by one", "twice", "late", "never")

    def name(self):
        return "ask"

    def arguments(self):
        return {}

    async def answer(self, pool, **words):
        await pool.ask("tasks/update", self.id, inputResponses=answers(**words))

    def words(self, salt=""):
        return {key: f"{key}{salt}-{self.number}"
                for key in ("first", "second")}

    async def go_on(self, pool):
        shown = await pool.get_until(self.id, "input_required")
        soak.must(set(shown["inputRequests"]) == {"first", "second"},
                  f"other questions: {shown}")
        words = self.words()
        if self.kind == "never":
            return
        if self.kind == "one by one":
            await self.answer(pool, second=words["second"])
            shown = await pool.get(self.id)
            soak.must(shown["status"] == "input_required" and
                      set(shown["inputRequests"]) == {"first"},
                      f"an answer is lost: {shown}")
            await self.answer(pool, first=words["first"], second="too late")
        elif self.kind == "twice":
            await asyncio.gather(self.answer(pool, **words),
                                 self.answer(pool, **self.words("!")))
        else:
            if self.kind == "late":
                await asyncio.sleep(self.longest / 1000 * self.chance.random())
            await self.answer(pool, **words)
        await pool.get_until(self.id, "completed")

    def is_right(self, shown):
        if self.kind == "never":
            return shown["status"] == "input_required"
        salts = ("", "!") if self.kind == "twice" else ("",)
        return has_text(shown, *(self.text(salt) for salt in salts))

    def text(self, salt=""):
        words = self.words(salt)
        return f"{self.number}: {words['first']} {words['second']}"


SCRIPTS = (Run, Cancel, Ask)


# --- many tasks -----------------------------------------------------------

async def live(task, pool, under_way):
    async with under_way:
        await task.make(pool)
        if task.id is not None:
            await task.go_on(pool)


async def check(task, pool, under_way):
    async with under_way:
        shown = await pool.get(task.id)
        soak.must(task.is_right(shown),
                  f"{type(task).__name__}, {task.kind}: {shown}")


async def run_tasks(server, count):
    """Returns how many tasks of each kind have an id that a client knows."""
    pool = Pool(server)
    under_way = asyncio.Semaphore(AT_ONCE)
    tasks = [SCRIPTS[number % 3](number, random.Random(number))
             for number in range(count)]
    await asyncio.gather(*(live(task, pool, under_way) for task in tasks))
    known = [task for task in tasks if task.id is not None]
    await asyncio.gather(*(check(task, pool, under_way) for task in known))
    await pool.close()
    return collections.Counter(f"{type(task).__name__.lower()}, {task.kind}"
                               for task in known)


class Steady:
    """A process that asks for one task all the time, until it is stopped."""

    def __init__(self, server, task_id):
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--steady", str(server.port), task_id],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def p99(self):
        """Returns milliseconds and the number of requests."""
        said, _ = self.process.communicate()
        soak.must(self.process.returncode == 0, "the steady client has failed")
        result = json.loads(said)
        return result["p99_ms"], result["calls"]


def be_steady(port, task_id):
    verb, headers, body = request("tasks/get", task_id, {"taskId": task_id})
    lines = [f"{verb} /mcp HTTP/1.1", "Host: localhost",
             *(f"{name}: {value}" for name, value in headers.items()),
             f"Content-Length: {len(body)}", "", ""]
    wanted = "\r\n".join(lines).encode() + body
    one = socket.create_connection(("127.0.0.1", port),
                                   source_address=("127.0.9.1", 0))
    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    stream = one.makefile("rb")
    is_over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), is_over.set())).start()
    times = []
    while not is_over.is_set() or not times:
        begin = time.monotonic()
        one.sendall(wanted)
        status, answer = hostile.read_answer(stream)
        times.append(time.monotonic() - begin)
        if not status.startswith(b"HTTP/1.1 200 ") or b"ran 7" not in answer:
            sys.exit(f"steady client: {status!r} {answer!r}")
        time.sleep(0.002)
    times.sort()
    print(json.dumps({"p99_ms": times[len(times) * 99 // 100] * 1000,
                      "calls": len(times)}))


async def make_steady(server):
    client = Client(server.port, 200)
    task = (await client.call("run", number=7, delay_ms=0))["taskId"]
    while (await client.ask("tasks/get", task, taskId=task)
           )["status"] != "completed":
        await asyncio.sleep(0.01)
    await client.close()
    return Steady(server, task)


class Level:
    """What the server has when all tasks are forgotten, and no client is there.
    One connection is enough for it: the server keeps some memory of connections
    for the next ones."""

    def __init__(self, server):
        self.server = server
        self.client = Client(server.port, 201)

    async def now(self):
        """Returns descriptors and bytes."""
        said = text_of(await self.client.call("expire"))
        soak.must(said == "expired", "the store could not expire")
        said = text_of(await self.client.call("figures"))
        return self.server.descriptors(), int(said)

    async def wait(self, wanted, is_it):
        until = time.monotonic() + WAIT_LIMIT
        before = await self.now()
        while True:
            await asyncio.sleep(0.2)
            now = await self.now()
            if is_it(before, now):
                return now
            soak.must(time.monotonic() < until,
                      f"descriptors and bytes are {now}, not {wanted}")
            before = now

    async def settled(self):
        """The level when it stays the same."""
        return await self.wait("steady", lambda before, now: now == before)

    async def within(self, *limits):
        return await self.wait(
            limits, lambda _, now: all(map(int.__le__, now, limits)))


async def warm_up(server):
    """Fills what the server keeps for the next connections and calls: 512 KB of
    messages on each loop, and the structures of many at once."""
    clients = [Client(server.port, number % 50) for number in range(400)]
    call = {"name": "wait", "arguments": {"delay_ms": 300},
            "padding": "x" * 3000}
    await asyncio.gather(*(client.ask("tools/call", "wait", **call)
                           for client in clients))
    for client in clients:
        await client.close()


async def run_round(server, count):
    begin = time.monotonic()
    known = await run_tasks(server, count)
    seconds = time.monotonic() - begin
    print(f"  {count} tasks in {seconds:.1f} s, {count / seconds:.0f} a "
          f"second; clients know {sum(known.values())} of them", flush=True)
    return known


async def soak_tasks(options, folder, *arguments):
    server = Server(options.bin, folder, *arguments)
    await warm_up(server)
    steady = await make_steady(server)
    await asyncio.sleep(0.2 if options.short else 5)
    quiet, _ = steady.p99()
    level = Level(server)
    first = await level.settled()
    await run_round(server, options.tasks // 2)
    descriptors, live_ = await level.settled()
    steady = await make_steady(server)
    known = await run_round(server, options.tasks // 2)
    loud, calls = steady.p99()
    last = await level.within(descriptors, live_ + SLACK)
    await level.client.close()
    for name, number in sorted(known.items()):
        print(f"    {number:6} {name}")
    print(f"  descriptors: {first[0]} before, {descriptors} after the first "
          f"round, {last[0]} after the second; bytes: {first[1]}, {live_}, "
          f"{last[1]}")
    print(f"  the steady client: {calls} tasks/get, 99 of 100 within "
          f"{quiet:.2f} ms alone, within {loud:.2f} ms beside the others")
    server.stop()


# --- servers that end in the midst ----------------------------------------

class Kept:
    """A task as a client knows it: what it may be for the next server."""

    def __init__(self, number):
        self.number = number
        self.script = Ask(number * 5 * 3, random.Random(number))
        self.may_be = set()

    async def live(self, pool, told):
        tool, delay = (("run", 5), ("run", LONG), ("ask", 0))[self.number % 3]
        async with pool.one() as client:
            result = await client.call(tool, number=self.script.number,
                                       delay_ms=delay)
        self.script.id = result["taskId"]
        self.may_be = {"lost", "completed", "input_required"}
        told(self)
        if tool == "ask":
            await self.answer(pool)
        elif delay == LONG:
            await self.cancel(pool)
        else:
            await pool.get_until(self.script.id, "completed")
            self.may_be = {"completed"}

    async def cancel(self, pool):
        self.may_be = {"lost"}
        if self.number % 2 == 0:
            self.may_be = {"lost", "cancelled"}
            await pool.ask("tasks/cancel", self.script.id)
            self.may_be = {"cancelled"}

    async def answer(self, pool):
        await pool.get_until(self.script.id, "input_required")
        self.may_be = {"input_required"}
        if self.number % 2 == 0:
            self.may_be = {"input_required", "lost", "completed"}
            await self.script.answer(pool, **self.script.words())
            self.may_be = {"lost", "completed"}
            await pool.get_until(self.script.id, "completed")
            self.may_be = {"completed"}

    def texts(self):
        return f"ran {self.script.number}", self.script.text()

    def is_right(self, shown):
        status = shown["status"]
        if status == "failed":
            return "lost" in self.may_be and shown["error"] == {
                "code": -32603, "message": LOST}
        return status in self.may_be and (
            status != "completed" or has_text(shown, *self.texts()))

    async def check(self, pool):
        """A task that waits must still take its answers."""
        shown = await pool.get_until(self.script.id, "completed", "failed",
                                     "cancelled", "input_required")
        soak.must(self.is_right(shown), f"not {self.may_be}: {shown}")
        if shown["status"] == "input_required":
            await self.script.answer(pool, **self.script.words())
            shown = await pool.get_until(self.script.id, "completed")
            self.may_be = {"completed"}
            soak.must(self.is_right(shown), f"not completed: {shown}")
        self.may_be = {"lost" if shown["status"] == "failed" else
                       shown["status"]}
        return shown["status"]


async def live_until_the_end(task, pool, told):
    with contextlib.suppress(*GONE):
        await task.live(pool, told)


async def make_and_end(server, end, numbers, limit):
    """Ends the server when `limit` tasks are known. Returns these tasks."""
    pool = Pool(server)
    known = []
    is_time = asyncio.Event()

    def told(task):
        known.append(task)
        if len(known) == limit:
            is_time.set()
    tasks = [asyncio.create_task(live_until_the_end(Kept(number), pool, told))
             for number in numbers]
    await is_time.wait()
    end()
    await asyncio.wait(tasks)
    for task in tasks:
        task.result()
    for client in pool.clients:
        client.vanish()
    return known


async def check_kept(server, known):
    pool = Pool(server)
    found = await asyncio.gather(*(task.check(pool) for task in known))
    await pool.close()
    return collections.Counter(found)


async def soak_ends(options, folder):
    count = 100 if options.short else 1000
    chance = random.Random(count)
    known = []
    for turn in range(2 if options.short else 6):
        server = Server(options.bin, folder, folder / "tasks.db")
        end = server.stop if turn % 2 else server.kill
        limit = chance.randrange(count // 3, count * 9 // 10)
        new = await make_and_end(server, end,
                                 range(turn * count, (turn + 1) * count), limit)
        known += new
        server = Server(options.bin, folder, folder / "tasks.db")
        found = await check_kept(server, known)
        server.stop()
        print(f"  {'ended' if turn % 2 else 'killed'} when {limit} of {count} "
              f"tasks were known: {len(new)} of them, and all {len(known)} so "
              f"far: " + ", ".join(f"{number} {status}" for status, number
                                   in sorted(found.items())), flush=True)


# --- all ------------------------------------------------------------------

async def soak_all(options, folder):
    print("tasks in memory", flush=True)
    await soak_tasks(options, folder)
    if options.sqlite:
        print("tasks in a file", flush=True)
        await soak_tasks(options, folder, folder / "many.db")
        print("servers that end", flush=True)
        await soak_ends(options, folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path)
    parser.add_argument("--sqlite", action="store_true")
    parser.add_argument("--short", action="store_true",
                        help="300 tasks, and two ends of servers")
    parser.add_argument("--tasks", type=int)
    parser.add_argument("--steady", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.steady:
        be_steady(int(options.steady[0]), options.steady[1])
        return
    options.tasks = options.tasks or (300 if options.short else 10_000)
    if options.short:
        Run.longest = 400
    with tempfile.TemporaryDirectory() as folder:
        try:
            asyncio.run(asyncio.wait_for(
                soak_all(options, pathlib.Path(folder)), LIMIT))
        except (soak.Lost, asyncio.TimeoutError, *GONE) as error:
            print(f"tasks: {type(error).__name__}: {error}", file=sys.stderr)
            sys.exit(1)


if __name__ == "__main__":
    main()
