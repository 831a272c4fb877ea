# SPDX-License-Identifier: MIT
"""What the tests of mcpctl share."""
import codecs
import fcntl
import http.server
import json
import os
import pathlib
import pty
import re
import select
import subprocess
import sys
import termios
import threading
import time
import unittest
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FAKE = [sys.executable, str(HERE / "fake_server.py")]
LIMIT = 60  # seconds for one run: sanitizers and busy machines are slow
BIN = None
TARGETS = ("http://, https://, ws://, wss://, sse+http://, sse+https://, "
           "tcp://HOST:PORT or unix:PATH")
# A server that answers `initialize`, and ends.
ENDS_SOON = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "initialize":
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "serverInfo": {"name": "x", "version": "1"}}}), flush=True)
    elif message.get("id") is None:
        break
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"],
                          "error": {"code": -32601, "message": "no"}}),
              flush=True)
"""
UNKNOWN = ("mcpctl: unknown server '%s': mcpctl servers lists those of the "
           "configuration files; a command comes after --\n")
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}
ESCAPED = r"a\x1b[31mred\x1b[0m\x07 \u009b2J \u202eb\x0dc\x7f"


def command(words, server):
    server = [str(BIN / server)] if isinstance(server, str) else server
    return [str(BIN / "mcpctl"), *words, "--", *server]


def ctl(*words, server=None, **more):
    """Runs mcpctl without a terminal."""
    return subprocess.run(
        command(words, FAKE if server is None else server), text=True,
        stdin=more.pop("stdin", subprocess.DEVNULL), capture_output=True,
        timeout=LIMIT, start_new_session=True, **more)


def url_ctl(*words, **more):
    """Runs mcpctl with a URL among the words."""
    return subprocess.run([BIN / "mcpctl", *words], text=True,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=LIMIT, **more)


class Served:
    """hello-server at a URL, which it gives."""

    def __init__(self, *words, wire="--http"):
        self.words = [wire, "127.0.0.1:0", *words]

    def __enter__(self):
        self.process = subprocess.Popen(
            [BIN / "hello-server", *self.words],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        url = None
        while url is None:
            url = re.search(r"[a-z]+://\S+", self.process.stderr.readline())
        return url[0]

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(LIMIT)
        self.process.stderr.close()


class Refusing:
    """A server that answers each request with a status and a text. Gives its
    URL, and a function that says which."""

    def __enter__(self):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.server.seen = self.headers
                status, body, headers = self.server.answer
                sent = self.headers.get(
                    "Authorization", self.headers.get("X-Key", "?")).split()[-1]
                body = body.replace(b"{sent}", sent.encode())
                self.send_response(status)
                self.send_header("Content-Type", "text/plain")
                for name, value in headers.items():
                    self.send_header(name, value.replace("{sent}", sent))
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST
            protocol_version = "HTTP/1.1"  # WebSockets need it

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self.server.server_port}/mcp", self.says

    def says(self, status, body, **headers):
        self.server.answer = status, body, {
            name.replace("_", "-"): value for name, value in headers.items()}

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


class Terminal:
    """mcpctl with a terminal of its own; server None: the words have a URL.
    Or another program, with its words."""

    def __init__(self, *words, server=FAKE, columns=80, stderr=None,
                 program=None, **more):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ,
                    bytes([24, 0, columns, 0, 0, 0, 0, 0]))
        env = {**os.environ, "TERM": "xterm", **more}
        for name in {"NO_COLOR", "KITTY_WINDOW_ID", "TMUX", "STY"} - set(more):
            env.pop(name, None)
        # A character may come in two parts.
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.process = subprocess.Popen(
            program or ([BIN / "mcpctl", *words] if server is None
                        else command(words, server)), stdin=slave, stdout=slave,
            stderr=stderr or slave, start_new_session=True, env=env,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        self.master = master
        self.seen = ""

    def read(self, seconds):
        if not select.select([self.master], [], [], max(seconds, 0))[0]:
            return False
        try:
            part = os.read(self.master, 65536)
        except OSError:  # what a closed terminal says on Linux
            return False
        self.seen += self.decoder.decode(part)
        return part != b""

    def expect(self, text):
        """Waits for a text. Returns, and drops, the output before it."""
        end = time.monotonic() + LIMIT
        while text not in self.seen:
            if not self.read(end - time.monotonic()):
                raise AssertionError(f"no {text!r} in {self.seen!r}")
        before, self.seen = self.seen.split(text, 1)
        return before

    def send(self, line):
        os.write(self.master, line.encode())

    def finish(self):
        """Returns the exit code and the output since the last expect."""
        while self.read(LIMIT):
            pass
        os.close(self.master)
        return self.process.wait(LIMIT), self.seen.replace("\r\n", "\n")


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Lets a redirect be an error, which has its target."""

    def redirect_request(self, *_):
        return None


def fake_pixel():
    """The image of the fake server, as base64."""
    run = ctl("--json", "read", "fake://pixel")
    return json.loads(run.stdout)["contents"][0]["blob"]


class Case(unittest.TestCase):
    def check(self, run, code=0, out=None, err=None):
        shown = f"{run.args}\n{run.stdout}\n{run.stderr}"
        self.assertEqual(run.returncode, code, shown)
        if out is not None:
            self.assertEqual(run.stdout, out, shown)
        if err is not None:
            self.assertIn(err, run.stderr, shown)
        return run.stdout

    def needs_urls(self):
        if "this build has no HTTP" in url_ctl("http://127.0.0.1:1", "info").stderr:
            self.skipTest("a build without libmcp-http")


def pattern_of(expected):
    """A line of dots stands for any lines, "…" for any text in one."""
    lines = []
    for line in expected.splitlines(keepends=True):
        quoted = re.escape(line).replace("…", "[^\n]*")
        lines.append("(?:[^\n]*\n)*?" if line == "...\n" else quoted)
    return r"\A" + "".join(lines) + r"\Z"
