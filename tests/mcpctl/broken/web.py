#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Over HTTP: it lets everybody in, its clock is wrong, and so are its statuses
and headers.

usage: web.py [locked | bare | plain | moved | stuck]

With `locked` it wants a token, and does not say where from; with `bare` it
says that in no way at all; with `plain` it calls its JSON a text. With `moved`
its URL leads to another one, where it refuses foreign pages. With `stuck` it
never answers them. It prints its URL."""
import http.server
import json
import sys
import time

from kit import Server

MODE = sys.argv[1] if len(sys.argv) > 1 else ""
SERVER = Server()
PAGE = b"<h1>hello</h1>" + 2**21 * b" "


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    sessions = 100

    def date_time_string(self, timestamp=None):
        return super().date_time_string(time.time() - 3600)

    def log_message(self, *_):
        pass

    def reply(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_OPTIONS(self):
        self.reply(200, Access_Control_Allow_Origin="*")

    def do_GET(self):
        if self.path.startswith("/.well-known"):
            self.reply(200, b'{"resource": "x"}') if MODE == "locked" else (
                self.reply(404))
        else:
            self.reply(200, PAGE, Content_Type="text/html")

    def do_DELETE(self):
        self.reply(500)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if MODE == "locked":
            self.send_response(401)
            self.send_header("WWW-Authenticate", "Negotiate")
            self.send_header("WWW-Authenticate", 'Bearer realm="x"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if MODE == "bare":
            self.reply(401)
            return
        if MODE == "moved" and self.path == "/mcp":
            self.reply(307, Location="/mcp/?moved")
            return
        if MODE == "moved" and "Origin" in self.headers:
            self.reply(403)
            return
        if MODE == "stuck" and "Origin" in self.headers:
            time.sleep(60)
        try:
            message = json.loads(body)
        except ValueError:
            self.reply(500)
            return
        if "id" not in message:
            self.reply(200, b"{}")
            return
        answer = SERVER.answer(message)
        text = json.dumps(answer).encode()
        headers = {"Content_Type": "application/json"}
        if message["method"] == "initialize":
            Handler.sessions += 1
            headers["Mcp_Session_Id"] = f"session {Handler.sessions}"
            if MODE == "plain":
                headers["Content_Type"] = "text/plain"
        if "application/json" == self.headers.get("Accept"):
            text = b"data: " + text + b"\n\n"
            headers["Content_Type"] = "text/event-stream"
        self.reply(200, text, **headers)


with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as served:
    served.daemon_threads = True
    served.handle_error = lambda *_: None  # a client that does not read to the end
    print(f"http://127.0.0.1:{served.server_port}/mcp", flush=True)
    served.serve_forever()
