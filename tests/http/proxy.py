#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Servers over HTTP behind nginx, each an instance of its own.

usage: proxy.py --bin DIR [unittest's arguments]

Says so and tests nothing where there is no nginx, except in CI, where that is a
failure.
"""
import argparse
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

import run
from run import LIMIT, ROOT, Server, modern, post

NGINX = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")

# The settings of the documents for nginx, inside those that an instance of our
# own needs.
# The one listening socket is inherited: its port is known before nginx starts,
# and connections wait in it until nginx takes them.
CONFIG = """
daemon off;
{user}
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  upstream mcp {{
    server {backend};
    keepalive 8;
  }}
  server {{
    listen {front};
    {location}
  }}
}}
"""


def location():
    """The settings of docs/guide/deploying.md and docs/AUTHORIZATION.md."""
    pages = [(ROOT / "docs" / name).read_text()
             for name in ("guide/deploying.md", "AUTHORIZATION.md")]
    return "".join(page.split("```nginx\n")[1].split("```")[0]
                   for page in pages)


class Proxy:
    """nginx before a server, with the same face as Server."""

    def __init__(self, server):
        self.folder = tempfile.TemporaryDirectory()
        listening = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % listening.getsockname()[1]
        self.server = server
        self.connections = []
        config = pathlib.Path(self.folder.name) / "nginx.conf"
        config.write_text(CONFIG.format(
            user="user root;" if os.geteuid() == 0 else "",
            folder=self.folder.name, backend=server.address,
            front=self.address, location=location()))
        self.process = subprocess.Popen(
            [NGINX, "-c", str(config), "-p", self.folder.name,
             "-e", self.folder.name + "/error.log"],
            pass_fds=[listening.fileno()], stdin=subprocess.DEVNULL,
            env={**os.environ, "NGINX": f"{listening.fileno()};"})
        listening.close()

    connect = Server.connect

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for connection in self.connections:
            connection.close()
        self.process.terminate()
        self.process.wait(timeout=LIMIT)
        self.folder.cleanup()


def slow_call(to, delay_ms):
    headers, body = modern("tools/call", name="count_slowly",
                           arguments={"to": to, "delay_ms": delay_ms})
    return headers, body.replace('"_meta": {', '"_meta": {"progressToken": 7, ')


class Behind(unittest.TestCase):
    def setUp(self):
        self.server = Server("workbench-server", str(ROOT / "examples"))
        self.enterContext(self.server)
        self.proxy = self.enterContext(Proxy(self.server))

    def stream(self, headers, body):
        one = self.proxy.connect()
        one.request("POST", "/mcp", body, headers)
        answer = one.getresponse()
        self.assertEqual((answer.status, answer.headers["Content-Type"]),
                         (200, "text/event-stream"))
        return one, answer

    def open_at_the_server(self):
        """Counts the connections that the server has."""
        found = pathlib.Path(f"/proc/{self.server.process.pid}/fd")
        kinds = []
        for path in found.iterdir():
            try:
                kinds.append(os.readlink(path))
            except FileNotFoundError:
                pass
        return sum(kind.startswith("socket:") for kind in kinds)

    def test_json(self):
        one = self.proxy.connect()
        status, body = post(one, *modern("tools/list"))
        self.assertEqual(status, 200)
        self.assertIn("tools", json.loads(body)["result"])

    def test_streams(self):
        """An event arrives before there is an answer, which would take
        minutes."""
        _, answer = self.stream(*slow_call(10000, 50))
        self.assertIn(b'"progress":1', answer.readline())

    def test_listening(self):
        _, answer = self.stream(*modern(
            "subscriptions/listen", notifications={"toolsListChanged": True}))
        self.assertIn(b"acknowledged", answer.readline())

    def test_leaving_cancels(self):
        """The pool has four threads: were the calls not cancelled, the fifth
        would wait for days."""
        for _ in range(8):
            one, answer = self.stream(*slow_call(10000, 50))
            self.assertIn(b'"progress":1', answer.readline())
            answer.close()
            one.close()
        _, answer = self.stream(*slow_call(1, 0))
        self.assertIn(b"Counted to 1", answer.read())

    def test_connections_are_kept(self):
        """Many requests on one connection of the client, and on one to the
        server."""
        before = self.open_at_the_server()
        one = self.proxy.connect()
        for _ in range(20):
            self.assertEqual(post(one, *modern("tools/list"))[0], 200)
        self.assertEqual(self.open_at_the_server(), before + 1)

    def test_a_session(self):
        one = self.proxy.connect()
        headers = {"Content-Type": "application/json"}
        one.request("POST", "/mcp", json.dumps(
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"}}}), headers)
        answer = one.getresponse()
        answer.read()
        headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]
        listening = self.proxy.connect()
        listening.request("GET", "/mcp", headers={
            **headers, "Accept": "text/event-stream"})
        answer = listening.getresponse()
        self.assertEqual((answer.status, answer.headers["Content-Type"]),
                         (200, "text/event-stream"))
        one.request("DELETE", "/mcp", headers=headers)
        gone = one.getresponse()
        self.assertEqual((gone.status // 100, gone.read()), (2, b""))
        answer.read()  # its stream ends with it

    def test_a_large_body(self):
        """A body larger than nginx's buffers, up to the server's limit."""
        headers, body = modern("tools/call", name="calculate_sum",
                               arguments={"numbers": [1.0] * 500_000})
        status, said = post(self.proxy.connect(), headers, body)
        self.assertEqual(status, 200)
        self.assertIn("500000", said)


class Protected(unittest.TestCase):
    """A server that demands tokens: its clients know the proxy's URL."""

    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        tokens = pathlib.Path(folder) / "tokens"
        tokens.write_text("0123456789abcdef anna\n")
        tokens.chmod(0o600)
        self.server = self.enterContext(Server(
            "protected-server", "--auth-resource", "https://example.com/mcp",
            "--auth-issuer", "https://login.example.com",
            "--auth-token-file", str(tokens)))
        self.proxy = self.enterContext(Proxy(self.server))

    def ask(self, method, path, body=None, **headers):
        one = self.proxy.connect()
        one.request(method, path, body, {"Host": "example.com", **headers})
        answer = one.getresponse()
        return answer, answer.read().decode()

    def test_the_metadata_are_at_both_places(self):
        for more in "", "/mcp":
            answer, text = self.ask(
                "GET", "/.well-known/oauth-protected-resource" + more)
            self.assertEqual(answer.status, 200)
            self.assertEqual(json.loads(text)["resource"],
                             "https://example.com/mcp")

    def test_a_token_is_passed_on(self):
        headers, body = modern("tools/call", name="who", arguments={})
        answer, _ = self.ask("POST", "/mcp", body, **headers)
        self.assertEqual(answer.status, 401)
        self.assertIn("https://example.com/.well-known/"
                      "oauth-protected-resource/mcp",
                      answer.headers["WWW-Authenticate"])
        answer, text = self.ask("POST", "/mcp", body, **headers,
                                Authorization="Bearer 0123456789abcdef")
        self.assertEqual(answer.status, 200)
        self.assertIn("anna", text)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    run.BIN = options.bin.resolve()
    if NGINX is None:
        print("tests/http/proxy.py: there is no nginx: install nginx-light",
              file=sys.stderr)
        sys.exit(1 if os.environ.get("CI") == "true" else 0)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
