#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program of mcp_main on all its wires at once, and mcpctl at each of them.

usage: run.py --bin DIR [unittest's arguments]
"""
import argparse
import functools
import http.client
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

LIMIT = 60  # seconds: sanitizers and busy machines are slow
BIN = None
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}


class Server:
    """hello-server with these words; where it listens, in their order."""

    def __init__(self, *words, count, stdin=subprocess.DEVNULL,
                 program="hello-server"):
        self.process = subprocess.Popen(
            [BIN / program, *words], stdin=stdin,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.urls = [self.process.stderr.readline().removeprefix(
            "listening on ").strip() for _ in range(count)]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.communicate(timeout=LIMIT)

    def end(self):
        """Waits for the exit code and the rest of standard error."""
        _, said = self.process.communicate(timeout=LIMIT)
        return self.process.returncode, said


def request(a, b):
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                       "params": {"name": "add", "arguments": {"a": a, "b": b},
                                  "_meta": META}})


def mcpctl(*words):
    return subprocess.run([BIN / "mcpctl", *words], text=True,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=LIMIT, check=False)


def reach(url):
    """A file of lines, of the socket at the URL, which is closed with it."""
    if url.startswith("unix:"):
        peer = socket.socket(socket.AF_UNIX)
        peer.connect(url.removeprefix("unix:"))
    else:
        host, port = url.removeprefix("tcp://").rsplit(":", 1)
        peer = socket.create_connection((host, int(port)), timeout=LIMIT)
    with peer:
        peer.settimeout(LIMIT)
        return peer.makefile("rw")


def has_http():
    """Skips the test in a build without libmcp-http."""
    return "this build has no HTTP" not in mcpctl("http://127.0.0.1:1", "info").stderr


def needs_http(test):
    @functools.wraps(test)
    def run(self):
        if not has_http():
            self.skipTest("a build without libmcp-http")
        test(self)
    return run


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "socket")


class Wires(Folder):
    def check_call(self, *target):
        if re.match("(?i)http|ws|sse", target[-1]) and not has_http():
            return
        done = mcpctl(*target, "call", "add", "a:=2", "b:=3")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "5\n", ""), target)

    def test_all_at_once(self):
        with Server("--stdio", "--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0",
                    "--tcp", "localhost:0", "--unix", self.path, "--sse",
                    "127.0.0.1:0", "--ws", "127.0.0.2:0", count=6,
                    stdin=subprocess.PIPE) as server:
            self.assertEqual([re.sub(r"\d+", "N", url) for url in server.urls],
                             ["http://N.N.N.N:N/mcp", "http://N.N.N.N:N/sse",
                              "tcp://N.N.N.N:N", "tcp://N.N.N.N:N",
                              re.sub(r"\d+", "N", f"unix:{self.path}"),
                              "ws://N.N.N.N:N/mcp"])
            for url in server.urls:
                self.check_call(url)
            server.process.stdin.write(request(20, 3) + "\n")
            server.process.stdin.flush()
            self.assertIn('"23"', server.process.stdout.readline())

    def test_one_address_serves_both(self):
        port = free_port()
        with Server("--ws", f"127.0.0.1:{port}", "--http", f"localhost:{port}",
                    "--path", "/here", count=2) as server:
            self.assertEqual(server.urls, [f"http://127.0.0.1:{port}/here",
                                           f"ws://127.0.0.1:{port}/here"])
            for url in server.urls:
                self.check_call(url)

    def test_schemes_in_any_case(self):
        with Server("--tcp", "127.0.0.1:0", "--unix", self.path, "--http",
                    "127.0.0.1:0", count=3) as server:
            for url in server.urls:
                scheme, rest = url.split(":", 1)
                self.check_call(f"{scheme.upper()}:{rest}")
                self.check_call(f"{scheme.capitalize()}:{rest}")

    def test_measuring_sockets(self):
        with Server("--tcp", "127.0.0.1:0", "--unix", self.path,
                    count=2) as server:
            for url in server.urls:
                done = mcpctl("--json", "--duration", "0.1", url, "bench")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(json.loads(done.stdout)["target"], url)

    @needs_http
    def test_only_what_is_asked_for_is_served(self):
        with Server("--http", "127.0.0.1:0", "--ws", "127.0.0.2:0",
                    count=2) as server:
            http_url, ws_url = server.urls
            self.assertNotEqual(mcpctl("ws" + http_url[4:], "info").returncode,
                                0)
            self.assertNotEqual(mcpctl("http" + ws_url[2:], "info").returncode,
                                0)

    def test_the_dialect_on_all(self):
        with Server("--dialect", "mcp-core", "--stdio", "--http",
                    "127.0.0.1:0", "--ws", "127.0.0.1:0", "--tcp",
                    "127.0.0.1:0", "--unix", self.path, count=4,
                    stdin=subprocess.PIPE) as server:
            for url in server.urls:
                for dialect in ("mcp-core", "mcp-core-bare", "mcp-core-rpc"):
                    self.check_call("--dialect", dialect, url)
            done = mcpctl("--dialect", "mcp-core", "--duration", "0.2",
                          server.urls[-1], "bench", "add", "a:=1", "b:=2")
            self.assertIn(f"Server        {server.urls[-1]}\n", done.stdout)
            self.assertIn("Protocol      mcp-core\n", done.stdout)
            server.process.stdin.write('{"name":"add","arguments":'
                                       '{"a":20,"b":3}}\n')
            server.process.stdin.flush()
            self.assertEqual(
                server.process.stdout.readline(),
                '{"content":[{"type":"text","text":"23"}]}\n')

    def test_the_dialect_of_a_command(self):
        done = mcpctl("--dialect", "mcp-core-bare", "call", "add", "a:=2",
                      "b:=3", "--", str(BIN / "hello-server"), "--dialect",
                      "mcp-core")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "5\n", ""))

    @needs_http
    def test_a_server_that_is_killed_in_a_call(self):
        """mcpctl's message names the place exactly once."""
        with Server("--tcp", "127.0.0.1:0", "--unix", self.path, "--ws",
                    "127.0.0.1:0", "--sse", "127.0.0.1:0", self.folder.name,
                    count=4, program="workbench-server") as server:
            clients = [subprocess.Popen(
                [BIN / "mcpctl", "--verbose", url, "call", "count_slowly",
                 "to:=10000", "delay_ms:=100"], text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE) for url in server.urls]
            for client in clients:
                while "/10000" not in client.stderr.readline():
                    pass
            server.process.kill()
            for url, client in zip(server.urls, clients):
                _, said = client.communicate(timeout=LIMIT)
                self.assertEqual(client.returncode, 4, said)
                last = said.splitlines()[-1]
                self.assertEqual(last.count(url), 1, said)
                self.assertRegex(last, "closed the connection|ended the "
                                 "connection|transfer closed")

    @needs_http
    def test_clients_of_http_sse(self):
        with Server("--sse", "127.0.0.1:0", count=1) as server:
            url = server.urls[0]
            for era in ("auto", "legacy", "modern", "2024-11-05"):
                done = mcpctl("--era", era, "sse+" + url, "call", "add", "a:=2",
                              "b:=3")
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (0, "5\n", ""), era)
            for era in ("auto", "legacy", "2024-11-05"):
                done = mcpctl("--era", era, url, "call", "add", "a:=2", "b:=3")
                self.assertEqual((done.returncode, done.stdout, done.stderr),
                                 (0, "5\n", ""), era)
            done = mcpctl("--era", "modern", url, "call", "add", "a:=2", "b:=3")
            self.assertIn("HTTP 405", done.stderr)
            done = mcpctl("sse+" + url.replace("/sse", "/none"), "tools")
            self.assertIn("HTTP 404", done.stderr)

    def test_sessions_of_http_sse_end_with_a_signal(self):
        with Server("--sse", "127.0.0.1:0", count=1) as server:
            address = re.sub(r"http://([^/]*)/.*", r"\1", server.urls[0])
            connection = http.client.HTTPConnection(address, timeout=LIMIT)
            connection.request("GET", "/sse")
            stream = connection.getresponse()
            self.assertEqual(stream.readline(), b"event: endpoint\n")
            server.process.send_signal(signal.SIGTERM)
            stream.read()
            connection.close()
            self.assertEqual(server.end(), (0, ""))

    def test_the_end_of_input_ends_all(self):
        with Server("--stdio", "--unix", self.path, "--http", "127.0.0.1:0",
                    count=2, stdin=subprocess.PIPE) as server:
            with reach(server.urls[0]) as wire:
                wire.write(request(1, 2) + "\n")
                wire.flush()
                self.assertIn('"3"', wire.readline())
                server.process.stdin.close()
                self.assertEqual(wire.readline(), "")
            server.process.stdin = None
            self.assertEqual(server.end(), (0, ""))
            self.assertFalse(os.path.exists(self.path))

    def test_a_signal_ends_all(self):
        with Server("--http", "127.0.0.1:0", "--tcp", "127.0.0.1:0",
                    count=2) as server:
            with reach(server.urls[1]) as wire:
                wire.write(request(1, 2) + "\n")
                wire.flush()
                self.assertIn('"3"', wire.readline())
                server.process.send_signal(signal.SIGTERM)
                self.assertEqual(wire.readline(), "")
            self.assertEqual(server.end(), (0, ""))

    def test_two_addresses_of_http(self):
        with Server("--http", "127.0.0.1:0", "--http", "127.0.0.1:0",
                    count=2) as server:
            self.assertNotEqual(*server.urls)
            for url in server.urls:
                address = re.sub(r"http://([^/]*)/.*", r"\1", url)
                connection = http.client.HTTPConnection(address, timeout=LIMIT)
                connection.request("GET", "/health")
                self.assertEqual(connection.getresponse().status, 200)
                connection.close()

    def logged(self, server, line):
        """Waits for the end, and expects a line in the log."""
        server.process.terminate()
        server.end()
        text = pathlib.Path(self.folder.name, "log").read_text()
        self.assertRegex(text, line)

    def test_a_trace_shows_whose_messages_come(self):
        with Server("--unix", self.path, "--tcp", "127.0.0.1:0", "--trace",
                    "--log-file", self.folder.name + "/log",
                    count=2) as server:
            for url in server.urls:
                with reach(url) as wire:
                    wire.write(request(1, 2) + "\n")
                    wire.flush()
                    wire.readline()
            self.logged(server, r"trace: unix pid \d+ received \{"
                                r"(.|\n)*trace: unix pid \d+ sent \{"
                                r"(.|\n)*trace: 127\.0\.0\.1:\d+ received \{"
                                r"(.|\n)*trace: 127\.0\.0\.1:\d+ sent \{")

    def test_what_the_server_ends_is_logged(self):
        with Server("--tcp", "127.0.0.1:0", "--ws", "127.0.0.1:0",
                    "--log-file", self.folder.name + "/log",
                    count=2) as server:
            with reach(server.urls[0]) as wire:
                wire.write("GET / HTTP/1.1\n")
                wire.flush()
                self.assertIn("the first line", wire.readline())
                self.assertEqual(wire.readline(), "")
            host, port = server.urls[1][5:].split("/")[0].split(":")
            with socket.create_connection((host, int(port)), LIMIT) as peer:
                peer.sendall(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n"
                             b"Upgrade: websocket\r\nConnection: upgrade\r\n"
                             b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
                             b"Sec-WebSocket-Version: 13\r\n\r\n"
                             b"\x81\x02{}")  # not masked
                while peer.recv(4096):
                    pass
            self.logged(server,
                        r"warning: 127\.0\.0\.1:\d+: the first line of a "
                        r"connection(.|\n)*warning: 127\.0\.0\.1:\d+: the "
                        r"WebSocket was closed with 1002")


class Documentation(Folder):
    def section(self, title):
        """The console blocks of a section of docs/TRANSPORTS.md, as lines."""
        page = (ROOT / "docs/TRANSPORTS.md").read_text()
        text = page.split(f"\n## {title}\n")[1].split("\n## ")[0]
        text = text.replace("/tmp/hello.socket", self.path)
        return [block.splitlines() for block in re.findall(
            r"```console\n(.*?)```", text, re.S)]

    def test_stream_sockets(self):
        """Serves at a free port and at a socket of its own."""
        serving, asking = self.section("Stream sockets")
        words = serving[0].removeprefix("$ hello-server ").split()
        words[words.index("127.0.0.1:7000")] = "127.0.0.1:0"
        with Server(*words, count=2) as server:
            self.assertEqual(re.sub(r":\d+", ":7000", server.urls[0]),
                             serving[1].removeprefix("listening on "))
            self.assertEqual(f"listening on {server.urls[1]}", serving[2])
            done = mcpctl(*asking[0].removeprefix("$ mcpctl ").split())
            self.assertEqual(done.stdout.splitlines(), asking[1:])

    @needs_http
    def test_http_sse(self):
        """Serves at a free port."""
        serving, asking = self.section("HTTP+SSE")
        words = serving[0].removeprefix("$ hello-server ")
        with Server(*words.replace(":8080", ":0").split(), count=2) as server:
            said = [f"listening on {url}" for url in server.urls]
            port = re.search(r":(\d+)/", said[0])[1]
            self.assertEqual([line.replace(port, "8080") for line in said],
                             serving[1:])
            for command, answer in zip(asking[::2], asking[1::2]):
                words = command.removeprefix("$ mcpctl ")
                done = mcpctl(*words.replace("8080", port).split())
                self.assertEqual(done.stdout, answer + "\n", done.stderr)


class PlainDocumentation(unittest.TestCase):
    """docs/TRANSPORTS.md, Plain POSTs."""

    def setUp(self):
        page = (ROOT / "docs/TRANSPORTS.md").read_text()
        self.section = page.split("\n## Plain POSTs")[1].split("\n## ")[0]

    def blocks(self, language):
        return re.findall(rf"```{language}\n(.*?)```", self.section, re.S)

    @needs_http
    def test_commands(self):
        serving, asking = (block.splitlines()
                           for block in self.blocks("console"))
        words = serving[0].removeprefix("$ hello-server ").split()
        words[words.index("127.0.0.1:8080")] = "127.0.0.1:0"
        with Server(*words, count=1) as server:
            said = None
            for line in asking:
                if line.startswith("$ "):
                    said = self.run_line(line[2:], server.urls[0])
                else:
                    self.assertEqual(said, line)

    @staticmethod
    def run_line(line, url):
        env = dict(os.environ, PATH=f"{BIN.resolve()}:{os.environ['PATH']}")
        return subprocess.run(
            line.replace("http://127.0.0.1:8080/mcp", url), shell=True,
            text=True, capture_output=True, timeout=LIMIT, check=True,
            env=env).stdout.strip()

    def test_javascript(self):
        """docs/TRANSPORTS.md quotes the code that tests/interop runs."""
        sources = [(ROOT / "tests/interop" / name).read_text()
                   for name in ("working-transport.mjs", "ai-sdk.mjs")]
        blocks = self.blocks("javascript")
        self.assertEqual(len(blocks), 2)
        for block, source in zip(blocks, sources):
            self.assertIn(re.sub(r"\s+", "", block), re.sub(r"\s+", "", source))


class Mistakes(Folder):
    def refused(self, *words):
        done = subprocess.run([BIN / "hello-server", *words], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=LIMIT, check=False)
        self.assertEqual(done.stdout, "")
        return done.returncode, done.stderr

    def test_addresses(self):
        for words, code, text in (
                (("--tcp", "nowhere"), 2, '--tcp: "nowhere": not HOST:PORT'),
                (("--tcp", "unix:/x"), 2, "see --unix PATH"),
                (("--tcp", "example.org:80"), 2, "example.org:80"),
                (("--unix", ""), 2, "1 to 107 bytes"),
                (("--unix", "x" * 200), 2, "1 to 107 bytes"),
                (("--unix", "/no/where"), 1, "unix:/no/where"),
                (("--unix", self.folder.name), 1, "not a socket: remove it"),
                (("--tcp", "127.0.0.1:0") * 17, 2, "more than 16 addresses"),
                (("--tcp", "127.0.0.1:0", "--path", "/x"), 2,
                 "--path: it belongs to --http"),
                (("--sse", "nowhere"), 2, "not HOST:PORT"),
                # What the library refuses, by the names of the options.
                (("--http", "127.0.0.1:0", "--path", "x"), 2,
                 '--path: "x" must begin with a slash'),
                (("--http", "127.0.0.1:0", "--path", "/health"), 2,
                 '--path: "/health" is the path of something else'),
                (("--http", "127.0.0.1:0", "--sse", "127.0.0.1:0", "--path",
                  "/sse"), 2, '--path: "/sse" is the path of something else'),
                (("--ws", "127.0.0.1:0", "--tls-cert", "/no/cert", "--tls-key",
                  "/no/key"), 1, '--tls-cert: "/no/cert": no certificate'),
                (("--http", "127.0.0.1:0", "--allow-host", "a/b"), 2,
                 '--allow-host: "a/b" is not a host name'),
                (("--http", "127.0.0.1:0", "--allow-origin", "x"), 2,
                 '--allow-origin: "x" is not an origin')):
            said = self.refused(*words)
            self.assertEqual(said[0], code, said)
            self.assertIn(text, said[1])

    def test_a_socket_file_says_what_is_spoken_there(self):
        at = "unix:" + self.path
        with Server("--http", at, "--sse", at, "--ws", at, count=3) as server:
            self.assertEqual(server.urls, [f"{at} for http at /mcp",
                                           f"{at} for http at /sse",
                                           f"{at} for ws at /mcp"])

    def test_an_address_that_is_taken_serves_nothing(self):
        with Server("--unix", self.path, count=1):
            code, said = self.refused("--tcp", "127.0.0.1:0", "--unix",
                                      self.path)
            self.assertEqual(code, 1)
            self.assertIn("address already in use", said)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    args, rest = parser.parse_known_args()
    BIN = args.bin
    unittest.main(argv=sys.argv[:1] + rest)
