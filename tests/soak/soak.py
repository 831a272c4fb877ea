#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Servers over HTTP and WebSockets under many clients at once, in rounds: nothing
may be lost, and after the first round their memory may not grow.

usage: soak.py --bin DIR [--rounds N] [--scale PERCENT]

DIR is a build folder's bin; the servers are tests/interop/server.c and
websocket_server.c.
"""
import argparse
import asyncio
import json
import os
import pathlib
import random
import resource
import sys
import time

LIMIT = 140  # seconds for all
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}
IDLE, STREAMS, CALLERS, CALLS, SLOW = 10000, 5000, 100, 50, 20
SOCKETS = 5000
AT_ONCE = 100  # connections that are being opened
GROWTH = 2 * 1024  # KB that rounds may leave behind
LARGE = 3_000_000  # twice in an answer: more than the kernel takes at once


class Lost(Exception):
    """The server did not do what it must."""


def must(condition, what):
    if not condition:
        raise Lost(what)


class Connection:
    """One connection of a client: requests one after another."""

    def __init__(self, reader, writer):
        self.reader = reader
        self.writer = writer

    async def send(self, verb, headers, body=b""):
        lines = [f"{verb} /mcp HTTP/1.1", "Host: localhost",
                 *(f"{name}: {value}" for name, value in headers.items()),
                 f"Content-Length: {len(body)}", "", ""]
        self.writer.write("\r\n".join(lines).encode() + body)
        await self.writer.drain()

    async def head(self):
        """Reads the status and headers of an answer."""
        text = (await self.reader.readuntil(b"\r\n\r\n")).decode()
        first, *lines = text.strip().split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        return int(first.split()[1]), {name.lower(): value
                                       for name, value in headers.items()}

    async def chunk(self):
        """Reads one chunk of an answer; b"": its end."""
        size = int(await self.reader.readline(), 16)
        return (await self.reader.readexactly(size + 2))[:-2]

    async def body(self, headers):
        if headers.get("transfer-encoding") != "chunked":
            size = int(headers.get("content-length", 0))
            return await self.reader.readexactly(size)
        pieces = []
        while piece := await self.chunk():
            pieces.append(piece)
        return b"".join(pieces)

    async def event(self):
        """Reads the next event, without comments and empty events."""
        while True:
            piece = await self.chunk()
            must(piece, "a stream has ended")
            data = [line[6:] for line in piece.split(b"\n")
                    if line.startswith(b"data: ")]
            if data:
                return json.loads(data[0])

    async def call(self, name, arguments=None):
        await self.send(*call(name, arguments))
        status, headers = await self.head()
        must(status == 200, f"{name} was answered with {status}")
        return json.loads(await self.body(headers))["result"]

    async def close(self):
        self.writer.close()
        try:
            await self.writer.wait_closed()
        except ConnectionError:
            pass


def call(name, arguments=None):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": name, "arguments": arguments or {},
                       "_meta": META}}
    return "POST", {"Content-Type": "application/json", "Mcp-Name": name,
                    "Mcp-Method": "tools/call",
                    "MCP-Protocol-Version": "2026-07-28"}, \
        json.dumps(body).encode()


def legacy(method, session=None, request_id=None, **params):
    body = {"jsonrpc": "2.0", "method": method, "params": params}
    if request_id is not None:
        body["id"] = request_id
    headers = {"Content-Type": "application/json"}
    if session is not None:
        headers["Mcp-Session-Id"] = session
    return "POST", headers, json.dumps(body).encode()


class Server:
    async def start(self, *command):
        # Left to itself, glibc keeps large blocks after a few of them: what is
        # resident would say nothing of what the server has freed.
        environment = {**os.environ, "MALLOC_MMAP_THRESHOLD_": "131072"}
        self.process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE, env=environment)
        line = (await self.process.stderr.readline()).decode()
        self.port = int(line.rsplit(":", 1)[1].split("/")[0])
        self.opening = asyncio.Semaphore(AT_ONCE)
        self.opened = 0

    async def connect(self, **options):
        """Each few thousand come from an address of their own: there are not
        ports enough otherwise, while closed ones rest."""
        async with self.opening:
            self.opened += 1
            source = f"127.0.{1 + self.opened // 8000}.1"
            return Connection(*await asyncio.open_connection(
                "127.0.0.1", self.port, local_addr=(source, 0), **options))

    def memory(self):
        """Returns the resident memory in KB."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0])

    async def stop(self):
        self.process.terminate()
        said = (await self.process.stderr.read()).decode()
        code = await self.process.wait()
        must(code == 0 and not said, f"the server ended with {code}: {said}")


async def idle(server, scale):
    """Opens idle connections; later one call on each must succeed."""
    count = IDLE * scale // 100
    all_ = await asyncio.gather(*(server.connect() for _ in range(count)))
    peak = server.memory()
    for one in all_[::100]:
        await one.call("cancelled")
    await asyncio.gather(*(one.close() for one in all_))
    return f"{count} connections", peak


async def listen(server):
    """A session of the legacy era with its stream."""
    one = await server.connect(limit=4096)
    await one.send(*legacy("initialize", None, 1, protocolVersion="2025-11-25",
                           capabilities={},
                           clientInfo={"name": "soak", "version": "1"}))
    status, headers = await one.head()
    must(status == 200, f"initialize was answered with {status}")
    await one.body(headers)
    session = headers["mcp-session-id"]
    await one.send(*legacy("notifications/initialized", session))
    status, headers = await one.head()
    must(status == 202, f"initialized was answered with {status}")
    await one.send("GET", {"Mcp-Session-Id": session,
                           "Accept": "text/event-stream"})
    status, _ = await one.head()
    must(status == 200, f"GET was answered with {status}")
    return session, one


async def streams(server, scale):
    """Sessions with a stream each: two changes reach every one of them."""
    count = STREAMS * scale // 100
    all_ = await asyncio.gather(*(listen(server) for _ in range(count)))
    peak = server.memory()
    other = await server.connect()
    for _ in range(2):
        await other.call("grow")
        told = await asyncio.gather(*(one.event() for _, one in all_))
        must(all(note["method"] == "notifications/tools/list_changed"
                 for note in told), "a stream got another notification")
    for session, one in all_:
        await other.send("DELETE", {"Mcp-Session-Id": session})
        status, headers = await other.head()
        await other.body(headers)
        must(status // 100 == 2, f"DELETE was answered with {status}")
        await one.close()
    await other.close()
    return f"{count} sessions, {2 * count} events", peak


async def caller(server, chance):
    """Calls one tool again and again; leaves one call in four."""
    one = await server.connect()
    kept = 0
    for number in range(CALLS):
        if chance.random() < 0.25:
            await one.send(*call("wait" if number % 2 else "echo"))
            await one.close()
            one = await server.connect()
            continue
        arguments = {"number": number, "text": "x" * chance.randrange(2000)}
        answer = await one.call("echo", arguments)
        must(answer["structuredContent"] == arguments, "another's answer")
        kept += 1
    await one.close()
    return kept


async def callers(server, _):
    chances = [random.Random(seed) for seed in range(CALLERS)]
    kept = await asyncio.gather(*(caller(server, each) for each in chances))
    return (f"{CALLERS} clients, {CALLERS * CALLS} calls, "
            f"{CALLERS * CALLS - sum(kept)} left"), server.memory()


async def slow_reader(server, others_are_done):
    """Asks for an answer that waits in the server, and reads it when the others
    are done."""
    one = await server.connect(limit=4096)
    text = "y" * LARGE
    await one.send(*call("echo", {"text": text}))
    await others_are_done.wait()
    status, headers = await one.head()
    answer = json.loads(await one.body(headers))["result"]
    must(status == 200 and answer["structuredContent"] == {"text": text},
         "a slow reader has lost something")
    await one.close()


async def slow(server, scale):
    """Clients that do not read must not slow the others down."""
    done = asyncio.Event()
    readers = [asyncio.create_task(slow_reader(server, done))
               for _ in range(SLOW)]
    said, peak = await callers(server, scale)
    done.set()
    await asyncio.gather(*readers)
    return f"{SLOW} slow readers; {said}", peak


class Socket:
    """A client of a WebSocket."""

    def __init__(self, connection):
        self.reader, self.writer = connection.reader, connection.writer

    async def open(self):
        self.writer.write(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n"
                          b"Upgrade: websocket\r\nConnection: Upgrade\r\n"
                          b"Sec-WebSocket-Version: 13\r\n"
                          b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                          b"Sec-WebSocket-Protocol: mcp\r\n\r\n")
        head = await self.reader.readuntil(b"\r\n\r\n")
        must(head.startswith(b"HTTP/1.1 101 "), f"no WebSocket: {head!r}")

    def send(self, first, payload):
        """A frame, masked by zeros."""
        length = (bytes([0x80 | len(payload)]) if len(payload) < 126
                  else b"\xfe" + len(payload).to_bytes(2, "big"))
        self.writer.write(bytes([first]) + length + bytes(4) + payload)

    async def receive(self, first):
        """The payload of the next frame, which begins with that byte."""
        head = await self.reader.readexactly(2)
        must(head[0] == first, f"a frame begins with {head[0]:x}")
        size = head[1]
        if size == 126:
            size = int.from_bytes(await self.reader.readexactly(2), "big")
        return await self.reader.readexactly(size)

    async def echo(self, text):
        body = json.loads(call("echo", {"text": text})[2])
        self.send(0x81, json.dumps(body).encode())
        answer = json.loads(await self.receive(0x81))
        must(answer["result"]["content"][0]["text"] == text,
             "a socket was given another's answer")

    async def ask(self):
        self.send(0x89, b"there?")
        must(await self.receive(0x8a) == b"there?", "another pong")

    async def close(self):
        self.send(0x88, b"\x03\xe8")
        must(await self.receive(0x88) == b"\x03\xe8", "another code")
        must(await self.reader.read() == b"", "more than the end")
        self.writer.close()


async def open_socket(server, number):
    one = Socket(await server.connect(limit=4096))
    await one.open()
    await one.echo(f"{number} " + "x" * (number % 2000))
    return one


async def sockets(server, scale):
    """WebSockets with one call each, then idle; half end unannounced."""
    before = server.memory()
    count = SOCKETS * scale // 100
    all_ = await asyncio.gather(*(open_socket(server, number)
                                  for number in range(count)))
    peak = server.memory()
    for number, one in enumerate(all_):
        await one.ask()
        if number % 2:
            await one.echo("still")
            await one.close()
        else:
            one.writer.transport.abort()
    each = (peak - before) * 1024 // count
    return f"{count} WebSockets, {each} bytes each", peak


async def round_of(server, phases, scale):
    for phase in phases:
        begin = time.monotonic()
        said, peak = await phase(server, scale)
        print(f"  {phase.__name__:8} {time.monotonic() - begin:5.1f} s "
              f"{peak / 1024:7.1f} MB  {said}", flush=True)


async def soak_one(options, phases, program, *args):
    server = Server()
    await server.start(str(options.bin / "../tests" / program), *args)
    first = None
    for number in range(1, options.rounds + 1):
        print(f"{program}, round {number}", flush=True)
        await round_of(server, phases, options.scale)
        after = server.memory()
        print(f"  afterwards       {after / 1024:7.1f} MB", flush=True)
        first = first or after
        must(after <= first + GROWTH or options.any_memory,
             f"memory has grown from {first} KB to {after} KB")
    await server.stop()


async def soak(options):
    await soak_one(options, (idle, streams, callers, slow), "interop-server",
                   "--http", "127.0.0.1:0")
    await soak_one(options, (sockets,), "interop-websocket")


def files_allowed(scale):
    """Raises the limit of descriptors, or shrinks the scale to it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    if hard == resource.RLIM_INFINITY or hard >= IDLE + 1000:
        return scale
    print(f"only {hard} descriptors are allowed: fewer connections")
    return min(scale, max(1, (hard - 500) * 100 // IDLE))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--scale", type=int, default=100)
    parser.add_argument("--any-memory", action="store_true",
                        help="do not judge memory (sanitizers)")
    options = parser.parse_args()
    options.scale = files_allowed(options.scale)
    try:
        asyncio.run(asyncio.wait_for(soak(options), LIMIT))
    except (Lost, asyncio.TimeoutError, OSError, EOFError) as error:
        print(f"soak: {type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
