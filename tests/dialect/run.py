#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Our server and our client against peers of the mcp-core dialect, each as its
package does it ("code") and as its document says ("document").

usage: run.py --bin DIR [unittest's arguments]
"""
import argparse
import http.client
import http.server
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import unittest
import urllib.parse

LIMIT = 60  # seconds: sanitizers and busy machines are slow
BIN = None
HERE = pathlib.Path(__file__).resolve().parent
ADD = {"name": "add", "arguments": {"a": 2, "b": 3}}
FIVE = {"content": [{"type": "text", "text": "5"}],
        "structuredContent": {"sum": 5}}


def text(value):
    return {"content": [{"type": "text", "text": value}]}


def envelope(number, name, arguments=None):
    params = {"name": name}
    if arguments is not None:
        params["arguments"] = arguments
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call",
            "params": params}


# ---- our server over its standard input and output

class StdioServer(unittest.TestCase):
    def setUp(self):
        self.process = subprocess.Popen(
            [BIN / "dialect-server", "stdio"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            encoding="utf-8", env={**os.environ, "COLOUR": "blue"})
        self.addCleanup(self.end)

    def end(self):
        if self.process.stdin.closed:
            return
        self.process.stdin.close()
        self.assertEqual(self.process.wait(LIMIT), 0)
        self.process.stdout.close()
        self.process.stderr.close()

    def write(self, *frames):
        for frame in frames:
            line = frame if isinstance(frame, str) else json.dumps(frame)
            self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def read(self):
        return json.loads(self.process.stdout.readline())

    def test_a_client_as_the_code_matches_by_order(self):
        """It gives each line to its oldest request."""
        self.write({"name": "keep"}, {"name": "keep", "arguments": {}}, "",
                   ADD, "{no json", {"name": "release"})
        answers = [self.read() for _ in range(5)]
        self.assertEqual(answers[:3], [text("0"), text("1"), FIVE])
        self.assertEqual(answers[3]["error"]["code"], -32700)
        self.assertEqual(answers[4], text("done"))

    def test_a_client_as_the_document_matches_by_id(self):
        self.write(envelope("a", "keep"), envelope("b", "add",
                                                   {"a": 2, "b": 3}),
                   envelope(3, "nope"), envelope(4, "release"))
        answers = {frame["id"]: frame for frame in
                   (self.read() for _ in range(4))}
        self.assertEqual(answers["b"],
                         {"jsonrpc": "2.0", "id": "b", "result": FIVE})
        self.assertEqual(answers["a"]["result"], text("0"))
        self.assertEqual(answers[3]["error"]["code"], -32602)

    def test_frames_as_websocket_has_them(self):
        self.write({"id": 1, **ADD})
        self.assertEqual(self.read(), {"jsonrpc": "2.0", "id": 1,
                                       "result": FIVE})

    # the checklist: stdio

    def test_stdio_child_process_inherits_required_environment(self):
        self.write({"name": "environment", "arguments": {"name": "COLOUR"}})
        self.assertEqual(self.read(), text("blue"))

    def test_a_string_that_contains_nul_is_refused(self):
        self.write({"name": "environment", "arguments": {"name": "A\0B"}})
        self.assertIn("must not contain NUL", json.dumps(self.read()))

    def test_stdio_frames_are_newline_delimited_utf8_json_objects(self):
        self.write({"id": "\u00e9\n", **ADD})
        line = self.process.stdout.readline()
        self.assertTrue(line.endswith("}\n"))
        self.assertEqual(json.loads(line)["id"], "\u00e9\n")
        self.assertIn("\u00e9", line)

    def test_stdio_stderr_output_is_isolated_from_protocol_streams(self):
        self.write({"name": "noise"})
        self.assertEqual(self.read(), text("quiet"))
        self.process.stdin.close()
        self.assertEqual(self.process.wait(LIMIT), 0)
        self.assertEqual(self.process.stdout.read(), "")
        self.assertEqual(self.process.stderr.read(),
                         "a stray line\na diagnosis\n")
        self.process.stdout.close()
        self.process.stderr.close()

    def test_stdio_transport_shuts_down_cleanly_on_eof(self):
        self.write(ADD, {"name": "ping"})
        self.process.stdin.close()
        self.assertEqual([json.loads(line) for line in self.process.stdout],
                         [FIVE, {"ok": True}])
        self.assertEqual(self.process.wait(LIMIT), 0)
        self.process.stdout.close()
        self.process.stderr.close()


# ---- our server over HTTP

class HttpServer(unittest.TestCase):
    def setUp(self):
        self.process = subprocess.Popen(
            [BIN / "dialect-server", "http"], stderr=subprocess.PIPE,
            text=True)
        self.addCleanup(self.end)
        where = self.process.stderr.readline().split()
        self.assertEqual(where[:2], ["listening", "on"])
        self.url = urllib.parse.urlsplit(where[2])
        self.connection = http.client.HTTPConnection(self.url.netloc,
                                                     timeout=LIMIT)
        self.addCleanup(self.connection.close)

    def end(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(LIMIT)
        self.process.stderr.close()

    def ask(self, body, method="POST", **headers):
        data = body if isinstance(body, str) else json.dumps(body)
        self.connection.request(
            method, self.url.path, data,
            {"Content-Type": "application/json",
             **{name.replace("_", "-"): value
                for name, value in headers.items()}})
        return self.connection.getresponse()

    def say(self, body, **more):
        answer = self.ask(body, **more)
        return answer.status, json.loads(answer.read())

    def test_a_client_as_the_code(self):
        """No Accept, no id; the body is the value, or {"error": text}."""
        self.assertEqual(self.say(ADD), (200, FIVE))
        self.assertEqual(self.say({"name": "ping"}), (200, {"ok": True}))
        for status, body in ((404, {"name": "nope"}), (400, "{"),
                             (400, {"arguments": {}})):
            said, answer = self.say(body)
            self.assertEqual(said, status)
            self.assertEqual(list(answer), ["error"])
        self.assertEqual(self.say("", method="GET"),
                         (405, {"error": "Only POST is supported"}))

    def test_a_client_as_the_document(self):
        self.assertEqual(self.say(envelope("r-7", "add", {"a": 2, "b": 3})),
                         (200, {"jsonrpc": "2.0", "id": "r-7",
                                "result": FIVE}))
        status, answer = self.say(envelope("r-8", "nope"))
        self.assertEqual((status, answer["id"]), (404, "r-8"))
        self.assertTrue(answer["error"]["message"])

    def events(self, answer):
        self.assertEqual(answer.getheader("Content-Type"), "text/event-stream")
        for block in answer.read().decode().split("\n\n")[:-1]:
            fields = [line.split(": ", 1) for line in block.splitlines()]
            yield [fields[0][1]] + [json.loads(data)
                                    for name, data in fields[1:]
                                    if name == "data"]

    def test_a_client_of_event_streams(self):
        answer = self.ask(envelope(7, "count", {"to": 3}),
                          Accept="text/event-stream")
        self.assertEqual(answer.getheader("X-Accel-Buffering"), "no")
        events = list(self.events(answer))
        whole = {"content": [item for n in "123"
                             for item in text(n)["content"]]}
        self.assertEqual(events, [["result", text("1")], ["result", text("2")],
                                  ["result", text("3")],
                                  ["complete", {"jsonrpc": "2.0", "id": 7,
                                                "result": whole}]])
        answer = self.ask(envelope(8, "nope"), Accept="text/event-stream")
        (name, error), = self.events(answer)
        self.assertEqual((name, error["id"]), ("error", 8))

    def test_heartbeats_of_a_long_call(self):
        answer = self.ask(envelope(1, "keep"), Accept="text/event-stream")
        for _ in range(3):
            self.assertEqual(answer.readline(), b": heartbeat\n")
            self.assertEqual(answer.readline(), b"\n")
        answer.close()


# ---- our client, against servers of the tests'

def run_client(form, *words, calls=""):
    done = subprocess.run(
        [BIN / "dialect-client", form, *words], text=True, timeout=LIMIT,
        capture_output=True, check=False,
        env={**os.environ, "CALLS": calls, "COLOUR": "green"})
    lines = done.stdout.splitlines()
    return [json.loads(line) if line.startswith("{") else line
            for line in lines], done


class StdioClient(unittest.TestCase):
    def run_with(self, form, kind, calls):
        lines, done = run_client(form, "--", sys.executable,
                                 str(HERE / "stdio_server.py"), kind,
                                 calls=calls)
        self.assertEqual(done.returncode, 0, done.stderr)
        return lines, done.stderr

    def results(self, form, kind, calls):
        return [line.get("structuredContent", line.get("content"))
                if isinstance(line, dict) else line
                for line in self.run_with(form, kind, calls)[0]]

    def test_a_server_as_the_code_answers_in_order(self):
        self.assertEqual(
            self.results("bare", "code", 'echo:{"a":1} broken echo:{"a":2}'),
            [{"a": 1}, "MCP_ERR_REMOTE -32700: unexpected character, "
             "expected a valid root value", {"a": 2}])

    def test_a_server_as_the_document_answers_by_id(self):
        self.assertEqual(
            self.results("rpc", "document", 'echo:{"a":1} nope echo:{"a":2}'),
            [{"a": 1}, "MCP_ERR_REMOTE 404: no tool named nope", {"a": 2}])

    def test_frames_as_websocket_has_them(self):
        self.assertEqual(
            self.results("frame", "frame", 'echo:{"a":1} echo:{"a":2}'),
            [{"a": 1}, {"a": 2}])

    def test_stdio_child_process_inherits_required_environment(self):
        self.assertEqual(self.results("bare", "code", "environment"),
                         [{"COLOUR": "green"}])

    def test_stdio_stderr_output_is_isolated_from_protocol_streams(self):
        lines, errors = self.run_with("bare", "code", 'echo:{"a":1}')
        self.assertEqual(len(lines), 1)
        self.assertIn("a diagnosis", errors)

    def test_stdio_transport_shuts_down_cleanly_on_process_exit(self):
        lines, _ = self.run_with("rpc", "document", "exit echo")
        self.assertEqual([line.split()[0] for line in lines],
                         ["MCP_ERR_CLOSED", "MCP_ERR_CLOSED"])


class Handler(http.server.BaseHTTPRequestHandler):
    """The mock server of the package, and the document's own."""
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((dict(self.headers), body))
        if "params" in body:
            self.on_envelope(body)
        else:
            self.on_bare(body)

    def say(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def on_bare(self, body):
        if body["name"] == "echo":
            self.say(200, {"echoed": body.get("arguments")})
        else:
            self.say(404, {"error": "unknown tool"})

    def on_envelope(self, body):
        number, name = body["id"], body["params"]["name"]
        if name == "echo":
            self.say(200, {"jsonrpc": "2.0", "id": number, "result": {
                **text("x"), "structuredContent": body["params"]["arguments"]}})
        elif name == "count":
            self.stream(number)
        else:
            self.say(404, {"jsonrpc": "2.0", "id": number, "error": {
                "code": 404, "message": f"no tool named {name}"}})

    def stream(self, number):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        whole = {"content": text("one")["content"] + text("two")["content"]}
        for block in (": heartbeat",
                      "event: result\ndata: " + json.dumps(text("one")),
                      ": heartbeat",
                      "event: result\ndata: " + json.dumps(text("two")),
                      "event: complete\ndata: " + json.dumps(
                          {"jsonrpc": "2.0", "id": number, "result": whole})):
            self.wfile.write(block.encode() + b"\n\n")
            self.wfile.flush()
        self.close_connection = True

    def log_message(self, *_):
        pass


class HttpClient(unittest.TestCase):
    def setUp(self):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                                      Handler)
        self.server.daemon_threads = True
        self.server.asked = []
        self.url = f"http://127.0.0.1:{self.server.server_port}/tools"
        threading.Thread(target=self.server.serve_forever, args=(0.02,),
                         daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def run_with(self, form, *calls):
        lines, done = run_client(form, self.url, *calls)
        self.assertEqual(done.returncode, 0, done.stderr)
        return lines

    def test_a_server_as_the_code(self):
        lines = self.run_with("bare", 'echo:{"a":1}', "nope")
        self.assertEqual(lines[0]["structuredContent"], {"echoed": {"a": 1}})
        self.assertEqual(lines[1], "MCP_ERR_REMOTE 404: unknown tool")
        bodies = [body for _, body in self.server.asked]
        self.assertIn({"name": "echo", "arguments": {"a": 1}}, bodies)
        self.assertIn({"name": "nope"}, bodies)

    def test_a_server_as_the_document(self):
        lines = self.run_with("frame", 'echo:{"a":1}', "nope")
        self.assertEqual(lines[0]["structuredContent"], {"a": 1})
        self.assertEqual(lines[1], "MCP_ERR_REMOTE 404: no tool named nope")
        for headers, body in self.server.asked:
            self.assertEqual(headers["Content-Type"], "application/json")
            self.assertEqual(sorted(body), ["id", "jsonrpc", "method",
                                            "params"])

    def test_an_event_stream(self):
        lines = self.run_with("rpc", "count")
        self.assertEqual(lines[:2], ["1: one", "2: two"])
        self.assertEqual([item["text"] for item in lines[2]["content"]],
                         ["one", "two"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    known, rest = parser.parse_known_args()
    BIN = known.bin.resolve()
    unittest.main(argv=[sys.argv[0], *rest], verbosity=1)
