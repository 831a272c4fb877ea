#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One server on every wire under hostile and ordinary clients at once.

usage: hostile.py --bin DIR [--seconds N] [--any-memory] [--any-time]

DIR is a build folder's bin; the server is tests/soak/server.c. 50 clients do
something chosen by chance, again and again: they call, leave calls and sessions
behind, send half requests, reset connections, listen, cancel, send rubbish. One
more client, in a process of its own, calls a tool all the time. In the end
 - each answer was right, and the one client had every answer,
 - each thing that the 50 clients do has succeeded once in four seconds or more
   often,
 - its 99th percentile is less than ten times what it was before the others came,
 - the server has as many descriptors as after a warm-up, before the 50 clients
   came,
 - resident memory has not grown since the end of the first minute,
 - the library has given all memory back to its allocator.
"""
import argparse
import asyncio
import collections
import json
import os
import pathlib
import random
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import time

import soak

HERE = pathlib.Path(__file__).resolve().parent
PEM = HERE / "../http/certs/one.pem"
CLIENTS = 50
ACT_LIMIT = 60  # seconds for one act
SETTLE_LIMIT = 60  # seconds until the server has let go of everything
QUIET_SECONDS = 5
ACT_SECONDS = 4  # each act succeeds once in this time, on average
FIRST_MINUTE = 60
GROWTH = 8 * 1024  # KB that the minutes after the first may add
TIMES_QUIET = 10
MODERN = "io.modelcontextprotocol/"


# --- the server -----------------------------------------------------------

class Server:
    def __init__(self, bin_, folder):
        self.process = subprocess.Popen(
            [bin_ / "../tests/soak-server", PEM, folder / "socket"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "MALLOC_MMAP_THRESHOLD_": "131072",
                 "MALLOC_TRIM_THRESHOLD_": "131072"})
        self.urls = json.loads(self.process.stdout.readline())
        self.ports = {name: int(url.split(":")[2].split("/")[0])
                      for name, url in self.urls.items() if name != "unix"}
        self.path = self.urls["unix"].removeprefix("unix:")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def memory(self):
        """Returns the resident memory in KB."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.split("VmRSS:")[1].split()[0])

    def stop(self):
        """Returns the bytes that the library has not freed."""
        said, _ = self.process.communicate()
        code = self.process.returncode
        soak.must(code == 0, f"the server ended with {code}")
        return json.loads(said.strip().splitlines()[-1])["live"]


# --- the client that must not feel the others ----------------------------

class Steady:
    """A process that calls a tool over HTTP until its time is over."""

    def __init__(self, server, seconds):
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--steady", str(server.ports["http"]),
             "--seconds", str(seconds)], stdout=subprocess.PIPE, text=True)

    def p99(self):
        """Returns milliseconds and the number of calls."""
        said, _ = self.process.communicate()
        soak.must(self.process.returncode == 0, "the steady client has failed")
        result = json.loads(said)
        return result["p99_ms"], result["calls"]


def read_answer(stream):
    status = stream.readline()
    size = 0
    while (line := stream.readline()) not in (b"\r\n", b""):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            size = int(value)
    return status, stream.read(size)


def be_steady(port, seconds):
    verb, headers, body = soak.call("echo", {"text": "steady"})
    lines = [f"{verb} /mcp HTTP/1.1", "Host: localhost",
             *(f"{name}: {value}" for name, value in headers.items()),
             f"Content-Length: {len(body)}", "", ""]
    request = "\r\n".join(lines).encode() + body
    one = socket.create_connection(("127.0.0.1", port),
                                   source_address=("127.0.9.1", 0))
    one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    stream = one.makefile("rb")
    times = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        begin = time.monotonic()
        one.sendall(request)
        status, answer = read_answer(stream)
        times.append(time.monotonic() - begin)
        if not status.startswith(b"HTTP/1.1 200 ") or b"steady" not in answer:
            sys.exit(f"steady client: {status!r} {answer!r}")
        time.sleep(0.002)
    times.sort()
    print(json.dumps({"p99_ms": times[len(times) * 99 // 100] * 1000,
                      "calls": len(times)}))


# --- connections ----------------------------------------------------------

class Client:
    """One of the 50 clients: its address, and its open connections."""

    def __init__(self, server, number):
        self.server = server
        self.chance = random.Random(number)
        # Every fifth one shares an address with the others of its kind.
        self.address = f"127.0.1.{number + 1 if number % 5 else 1}"

    async def tcp(self, wire):
        return await asyncio.open_connection(
            "127.0.0.1", self.server.ports[wire], limit=4 * 1024 * 1024,
            local_addr=(self.address, 0))

    async def http(self):
        return soak.Connection(*await self.tcp("http"))

    async def tls(self):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return soak.Connection(*await asyncio.open_connection(
            "127.0.0.1", self.server.ports["tls"], ssl=context,
            local_addr=(self.address, 0)))

    async def lines(self):
        if self.chance.random() < 0.5:
            return await asyncio.open_unix_connection(self.server.path)
        return await self.tcp("tcp")


def reset(writer):
    """Ends a connection by a reset instead of an orderly close."""
    one = writer.get_extra_info("socket")
    if not writer.transport.is_closing() and one.family == socket.AF_INET:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                       struct.pack("ii", 1, 0))
    writer.transport.abort()


def is_busy(status):
    """The server applied a limit, which a hostile client may reach."""
    return status in (429, 503)


# --- ordinary acts --------------------------------------------------------

async def call_once(client):
    one = await client.http()
    text = "x" * client.chance.randrange(5000)
    await one.send(*soak.call("echo", {"text": text}))
    status, headers = await one.head()
    body = await one.body(headers)
    if not is_busy(status):
        soak.must(json.loads(body)["result"]["content"][0]["text"] == text,
                  "another's answer")
    await one.close()


async def call_over_tls(client):
    one = await client.tls()
    await one.send(*soak.call("echo", {"text": "secret"}))
    status, headers = await one.head()
    body = await one.body(headers)
    soak.must(is_busy(status) or b"secret" in body, "another's answer")
    if client.chance.random() < 0.3:
        reset(one.writer)
    else:
        await one.close()


async def open_session(client, one, capabilities=None):
    """Returns the session's id; None: there are too many."""
    await one.send(*soak.legacy(
        "initialize", None, 1, protocolVersion="2025-11-25",
        capabilities=capabilities or {},
        clientInfo={"name": "soak", "version": "1"}))
    status, headers = await one.head()
    await one.body(headers)
    if is_busy(status):
        return None
    soak.must(status == 200, f"initialize was answered with {status}")
    session = headers["mcp-session-id"]
    await one.send(*soak.legacy("notifications/initialized", session))
    status, headers = await one.head()
    await one.body(headers)
    return session if status == 202 else None


async def use_session(client):
    one = await client.http()
    session = await open_session(client, one)
    if session is not None:
        await one.send(*soak.legacy("tools/list", session, 2))
        status, headers = await one.head()
        await one.body(headers)
        await one.send("DELETE", {"Mcp-Session-Id": session})
        status, headers = await one.head()
        await one.body(headers)
        # At the limit another one may have taken the session's place.
        soak.must(status in (204, 404), f"DELETE was answered with {status}")
    await one.close()


async def use_websocket(client):
    one = soak.Socket(await client.http())
    await one.open()
    for _ in range(client.chance.randrange(1, 5)):
        await one.echo("over a WebSocket")
    await one.close()


async def use_lines(client):
    reader, writer = await client.lines()
    for _ in range(client.chance.randrange(1, 10)):
        writer.write(soak.call("echo", {"text": "a line"})[2] + b"\n")
        answer = json.loads(await reader.readline())
        soak.must(answer["result"]["content"][0]["text"] == "a line",
                  "another's answer")
    writer.close()


# --- what is left behind --------------------------------------------------

async def leave_sessions(client):
    one = await client.http()
    for _ in range(client.chance.randrange(1, 20)):
        await open_session(client, one)
    reset(one.writer)


async def leave_calls(client):
    """Calls that ask the user; the client answers no question."""
    one = await client.http()
    session = await open_session(client, one, {"elicitation": {}})
    await one.close()
    for number in range(client.chance.randrange(1, 20)):
        if session is None:
            break
        one = await client.http()
        verb, headers, body = soak.legacy("tools/call", session, number + 2,
                                          name="ask", arguments={})
        headers["Accept"] = "application/json, text/event-stream"
        await one.send(verb, headers, body)
        reset(one.writer)


async def leave_modern_calls(client):
    for _ in range(client.chance.randrange(1, 10)):
        one = await client.http()
        await one.send(*soak.call("wait"))
        reset(one.writer)


async def cancel_calls(client):
    reader, writer = await client.lines()
    count = client.chance.randrange(1, 20)
    for number in range(count):
        body = json.loads(soak.call("wait")[2])
        body["id"] = number
        writer.write(json.dumps(body).encode() + b"\n")
        writer.write(json.dumps({
            "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": number}}).encode() + b"\n")
    body = json.loads(soak.call("echo", {"text": "after"})[2])
    body["id"] = "last"
    writer.write(json.dumps(body).encode() + b"\n")
    while json.loads(await reader.readline()).get("id") != "last":
        pass
    writer.close()


def listen_request(number):
    meta = {**soak.META}
    return {"jsonrpc": "2.0", "id": number, "method": "subscriptions/listen",
            "params": {"notifications": {"toolsListChanged": True},
                       "_meta": meta}}


async def leave_listens(client):
    one = await client.http()
    body = json.dumps(listen_request(1)).encode()
    await one.send("POST", {
        "Content-Type": "application/json", "Accept":
        "application/json, text/event-stream",
        "Mcp-Method": "subscriptions/listen",
        "MCP-Protocol-Version": "2026-07-28"}, body)
    status, headers = await one.head()
    if status == 200:
        await one.event()
        other = await client.http()
        await other.send(*soak.call("grow"))
        status, headers = await other.head()
        await other.body(headers)
        await other.close()
        if status == 200:
            await one.event()
    reset(one.writer)


async def leave_a_websocket(client):
    one = soak.Socket(await client.http())
    await one.open()
    for number in range(client.chance.randrange(1, 100)):
        one.send(0x81, json.dumps(listen_request(number)).encode())
    for number in range(100, client.chance.randrange(101, 150)):
        body = json.loads(soak.call("wait")[2])
        body["id"] = number
        one.send(0x81, json.dumps(body).encode())
    await one.writer.drain()
    reset(one.writer)


async def leave_a_stream(client):
    """Resumes a session's GET stream after a reset."""
    one = await client.http()
    session = await open_session(client, one)
    await one.close()
    for _ in range(3):
        if session is None:
            break
        one = await client.http()
        await one.send("GET", {"Mcp-Session-Id": session,
                               "Accept": "text/event-stream",
                               "Last-Event-ID": "0-0"})
        status, _ = await one.head()
        soak.must(status in (200, 404) or is_busy(status),
                  f"GET was answered with {status}")
        reset(one.writer)


async def leave_http_sse(client):
    one = await client.http()
    one.writer.write(b"GET /sse HTTP/1.1\r\nHost: localhost\r\n"
                     b"Accept: text/event-stream\r\n\r\n")
    status, _ = await one.head()
    if status == 200:
        await one.chunk()
    reset(one.writer)


# --- what is broken -------------------------------------------------------

async def send_half(client):
    one = await client.http()
    verb, headers, body = soak.call("echo", {"text": "y" * 3000})
    text = (f"{verb} /mcp HTTP/1.1\r\nHost: localhost\r\n" + "".join(
        f"{name}: {value}\r\n" for name, value in headers.items()) +
        f"Content-Length: {len(body)}\r\n\r\n").encode() + body
    one.writer.write(text[:client.chance.randrange(len(text))])
    await one.writer.drain()
    if client.chance.random() < 0.5:
        await asyncio.sleep(client.chance.random())
    reset(one.writer)


async def send_rubbish(client):
    reader, writer = await client.lines()
    try:
        for _ in range(client.chance.randrange(1, 400)):
            writer.write(client.chance.randbytes(40).replace(b"\n", b"") +
                         b"\n")
            await writer.drain()
    except ConnectionError:
        pass  # the server closes the connection: it cannot read the lines
    finally:
        reset(writer)


async def send_rubbish_as_http(client):
    one = await client.http()
    one.writer.write(client.chance.randbytes(2000))
    await one.writer.drain()
    await one.reader.read(1000)
    reset(one.writer)


async def shake_half_a_hand(client):
    reader, writer = await client.tcp("tls")
    writer.write(b"\x16\x03\x01\x02\x00\x01" + client.chance.randbytes(200))
    await writer.drain()
    reset(writer)


async def do_not_read(client):
    """Asks for answers that fill the kernel's buffer, and reads none."""
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    one.setblocking(False)
    one.bind((client.address, 0))
    await asyncio.get_running_loop().sock_connect(
        one, ("127.0.0.1", client.server.ports["http"]))
    one = soak.Connection(*await asyncio.open_connection(sock=one,
                                                         limit=4096))
    for _ in range(20):
        await one.send(*soak.call("echo", {"text": "z" * 200_000}))
    await asyncio.sleep(client.chance.random())
    reset(one.writer)


async def send_a_broken_frame(client):
    one = soak.Socket(await client.http())
    await one.open()
    one.writer.write(client.chance.randbytes(client.chance.randrange(1, 200)))
    await one.writer.drain()
    reset(one.writer)


ACTS = [call_once, call_once, call_over_tls, use_session, use_websocket,
        use_lines, leave_sessions, leave_calls, leave_modern_calls,
        cancel_calls, leave_listens, leave_a_websocket, leave_a_stream,
        leave_http_sse, send_half, send_rubbish, send_rubbish_as_http,
        shake_half_a_hand, do_not_read, send_a_broken_frame]


# --- all together ---------------------------------------------------------

async def live(client, until, counts):
    while time.monotonic() < until:
        act = client.chance.choice(ACTS)
        try:
            await asyncio.wait_for(act(client), ACT_LIMIT)
            counts[act.__name__] += 1
        except (ConnectionError, EOFError, ssl.SSLError):
            counts["turned away"] += 1  # by a limit: other clients used it up
        except asyncio.TimeoutError:
            raise soak.Lost(f"{act.__name__} took over {ACT_LIMIT} s") from None
        await asyncio.sleep(client.chance.random() * 0.2)


async def watch(server, seconds, samples):
    """Records the resident memory each second."""
    for _ in range(int(seconds)):
        await asyncio.sleep(1)
        samples.append(server.memory())


async def run_clients(server, seconds):
    counts = collections.Counter()
    samples = []
    until = time.monotonic() + seconds
    await asyncio.gather(
        watch(server, seconds, samples),
        *(live(Client(server, number), until, counts)
          for number in range(CLIENTS)))
    return counts, samples


def settle(server, before):
    """Waits until the server has no connections and sessions left."""
    until = time.monotonic() + SETTLE_LIMIT
    while server.descriptors() > before and time.monotonic() < until:
        time.sleep(0.1)
    after = server.descriptors()
    soak.must(after <= before, f"{after} descriptors are open, not {before}")


def judge_acts(counts, seconds):
    least = max(1, seconds // ACT_SECONDS)
    for act in ACTS:
        count = counts[act.__name__]
        soak.must(count >= least,
                  f"{act.__name__} succeeded {count} times, not {least} times")


def judge_memory(samples, any_memory):
    if len(samples) <= FIRST_MINUTE + 30:
        print(f"resident at most {max(samples) / 1024:.1f} MB")
        return
    first = max(samples[FIRST_MINUTE // 2:FIRST_MINUTE])
    last = max(samples[-30:])
    print(f"resident {first / 1024:.1f} MB after a minute, "
          f"{last / 1024:.1f} MB at the end")
    soak.must(any_memory or last <= first + GROWTH,
              f"memory has grown from {first} KB to {last} KB")


def measure_quiet(server):
    """Warms the server up, and measures the steady client alone."""
    asyncio.run(run_clients_briefly(server))
    quiet, _ = Steady(server, QUIET_SECONDS).p99()
    return quiet


async def run_clients_briefly(server):
    client = Client(server, 1)
    for act in (call_once, call_over_tls, use_websocket, use_lines,
                use_session):
        await act(client)


def soak_all(options, folder):
    server = Server(options.bin, folder)
    quiet = measure_quiet(server)
    settle_begin = server.descriptors()
    steady = Steady(server, options.seconds)
    counts, samples = asyncio.run(run_clients(server, options.seconds))
    loud, calls = steady.p99()
    for name, count in sorted(counts.items()):
        print(f"  {count:7} {name}")
    print(f"the steady client: {calls} calls, 99 of 100 within {quiet:.2f} ms "
          f"alone, within {loud:.2f} ms beside the others")
    judge_acts(counts, options.seconds)
    settle(server, settle_begin)
    judge_memory(samples, options.any_memory)
    soak.must(options.any_time or loud < TIMES_QUIET * quiet,
              "the steady client has felt the others")
    left = server.stop()
    soak.must(left == 0, f"the library has not freed {left} bytes")
    print("all descriptors closed, all memory freed")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--any-memory", action="store_true",
                        help="do not judge memory (sanitizers)")
    parser.add_argument("--any-time", action="store_true",
                        help="do not judge the steady client's time")
    parser.add_argument("--steady", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.steady:
        be_steady(options.steady, options.seconds)
        return
    try:
        with tempfile.TemporaryDirectory() as folder:
            soak_all(options, pathlib.Path(folder))
    except (soak.Lost, OSError) as error:
        print(f"hostile: {type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
