#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mcpctl at a URL, against a server that answers as each test says: what its
user sees, and the exit code.

usage: clients.py --bin DIR [unittest's arguments]
"""
import argparse
import http.server
import json
import os
import pathlib
import subprocess
import threading
import unittest

LIMIT = 60  # seconds: sanitizers and busy machines are slow
BIN = None
HINT = {"ttlMs": 0, "cacheScope": "private"}
DISCOVERY = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
             **HINT}


def tool(name, header):
    return {"name": name, "inputSchema": {"type": "object", "properties": {
        "city": {"type": "string", "x-mcp-header": header}}}}


RESULTS = {"server/discover": DISCOVERY,
           "tools/list": {"tools": [tool("bad", "not a token"),
                                    tool("good", "City")], **HINT},
           "initialize": {"protocolVersion": "2025-06-18",
                          "capabilities": {"tools": {}},
                          "serverInfo": {"name": "fake", "version": "1"}},
           "tools/call": {"content": [{"type": "text", "text": "done"}]}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, dict(self.headers), body))
        status, headers, said = self.server.answers.get(
            body["method"], (200, {}, None))
        result = {"resultType": "complete", **RESULTS.get(body["method"], {})}
        answer = {"jsonrpc": "2.0", "id": body.get("id"), "result": result}
        text = json.dumps(answer if status == 200 else said)
        if status == 204:
            text = ""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


class Fake(http.server.ThreadingHTTPServer):
    """answers: by method a status, headers and a body; by default all is
    well."""
    daemon_threads = True

    def __init__(self, answers=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers or {}
        self.asked = []
        self.base = f"http://127.0.0.1:{self.server_port}"
        self.url = self.base + "/mcp?key=hidden"
        threading.Thread(target=self.serve_forever, args=(0.02,),
                         daemon=True).start()

    def __exit__(self, *what):
        self.shutdown()
        return super().__exit__(*what)


def ctl(*words, **env):
    return subprocess.run([str(BIN / "mcpctl"), *words], text=True,
                          stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=LIMIT, env={**os.environ, **env})


class Case(unittest.TestCase):
    def check(self, run, code):
        shown = f"{run.args}\n{run.stdout}\n{run.stderr}"
        self.assertEqual(run.returncode, code, shown)
        self.assertNotIn("hidden", run.stdout + run.stderr)
        return run


class Statuses(Case):
    CODES = {400: 4, 401: 3, 403: 3, 404: 4, 405: 4, 408: 4, 429: 4, 500: 4,
             502: 4, 503: 4}

    def test_of_a_request(self):
        for status, code in self.CODES.items():
            with Fake({"tools/call": (status, {}, None)}) as fake:
                run = self.check(ctl("--header", "Authorization: Bearer hidden",
                                     fake.url, "call", "good"), code)
                self.assertIn(f"{fake.base}/mcp answered HTTP {status}",
                              run.stderr)

    def test_of_the_first_request(self):
        """401, 403 and 5xx say nothing of the era: nothing else is tried."""
        for status in (401, 403, 429, 500, 503):
            with Fake({"server/discover": (status, {}, None)}) as fake:
                run = self.check(ctl(fake.url, "tools"), self.CODES[status])
                self.assertRegex(run.stderr, rf"\bHTTP {status}\b")
                self.assertEqual(len(fake.asked), 1)

    def test_of_a_json_rpc_error(self):
        error = {"jsonrpc": "2.0", "id": None,
                 "error": {"code": -32601, "message": "no such thing"}}
        with Fake({"tools/call": (404, {}, error)}) as fake:
            run = self.check(ctl(fake.url, "call", "good"), 4)
            self.assertIn("error -32601: no such thing", run.stderr)

    def test_of_a_server_that_is_not_there(self):
        with Fake() as fake:
            base = fake.base
        fake.server_close()
        run = self.check(ctl(base + "/?key=hidden", "tools"), 4)
        self.assertIn(base, run.stderr)


class Plain(Case):
    def test_a_message_is_a_post(self):
        with Fake({"notifications/initialized": (204, {}, None)}) as fake:
            self.check(ctl("--plain", fake.url, "call", "good"), 0)
            methods = [body["method"] for _, _, body in fake.asked]
            self.assertEqual(methods[0], "initialize")
            self.assertEqual(sorted(methods[1:]),  # as they arrive
                             ["notifications/initialized", "tools/call",
                              "tools/list"])
            for _, headers, _ in fake.asked:
                self.assertFalse([name for name in headers
                                  if name.lower().startswith("mcp-")])

    def test_of_a_server_without_the_era(self):
        with Fake({"initialize": (404, {}, None)}) as fake:
            run = self.check(ctl("--plain", fake.url, "tools"), 4)
            self.assertIn("HTTP 404", run.stderr)
            self.assertNotIn("--era", run.stderr)


class Redirects(Case):
    def test_to_another_origin(self):
        """The other host gets no request, and so not the token."""
        with Fake() as other, Fake({"server/discover": (
                307, {"Location": other.base + "/mcp"}, None)}) as fake:
            run = self.check(ctl("--era", "modern", "--header",
                                 "Authorization: Bearer hidden", fake.url,
                                 "tools"), 4)
            self.assertIn("within the origin only", run.stderr)
            self.assertEqual(other.asked, [])


class Tools(Case):
    def test_one_with_bad_annotations_is_not_offered(self):
        with Fake() as fake:
            run = self.check(ctl("--json", fake.url, "tools"), 0)
            names = [one["name"] for one in json.loads(run.stdout)["tools"]]
            self.assertEqual(names, ["good"])
            self.assertNotIn("bad", self.check(ctl(fake.url, "tools"), 0).stdout)

    def test_a_raw_list_is_what_the_server_sent(self):
        with Fake() as fake:
            run = self.check(ctl(fake.url, "raw", "tools/list"), 0)
            self.assertEqual(json.loads(run.stdout)["tools"],
                             RESULTS["tools/list"]["tools"])


class Proxies(Case):
    def test_of_the_environment(self):
        """The test's server acts as a proxy for another host."""
        with Fake() as fake:
            env = {"http_proxy": fake.base, "no_proxy": ""}
            self.check(ctl("http://server.invalid/mcp?key=hidden", "tools",
                           **env), 0)
            self.assertTrue(all(
                path.startswith("http://server.invalid/mcp?")
                for path, _, _ in fake.asked))
            self.assertGreater(len(fake.asked), 1)

    def test_what_needs_none(self):
        with Fake() as proxy, Fake() as fake:
            env = {"http_proxy": proxy.base, "no_proxy": "127.0.0.1"}
            self.check(ctl(fake.url, "tools", **env), 0)
            self.assertEqual(proxy.asked, [])


class Headers(Case):
    def test_go_with_each_request(self):
        with Fake() as fake:
            self.check(ctl("--header", "X-Tenant: blue", "--header",
                           "Authorization: Bearer hidden", fake.url, "tools"),
                       0)
            for _, headers, _ in fake.asked:
                self.assertEqual(headers["X-Tenant"], "blue")
                self.assertEqual(headers["Authorization"], "Bearer hidden")

    def test_in_no_trace(self):
        with Fake() as fake:
            self.check(ctl("--trace", "--header", "Authorization: Bearer hidden",
                           fake.url, "tools"), 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    global BIN
    BIN = options.bin.resolve()
    if "this build has no HTTP" in ctl("http://127.0.0.1:1", "info").stderr:
        print("tests/http/clients.py: a build without libmcp-http")
        return
    unittest.main(argv=[__file__, *rest])


if __name__ == "__main__":
    main()
