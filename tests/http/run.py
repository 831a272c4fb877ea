#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Servers over HTTP, as programs: the commands of docs/HTTP.md, and the ends.

usage: run.py --bin DIR [unittest's arguments]
"""
import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CERTS = ROOT / "tests/http/certs"
LIMIT = 60  # seconds: sanitizers and busy machines are slow
BIN = None
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}


class Server:
    """One of our programs, on a free port."""

    def __init__(self, name, *words, where=("--http", "127.0.0.1:0"),
                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, env=()):
        self.process = subprocess.Popen(
            [str(BIN / name), *where, *words], stdin=stdin,
            stdout=stdout, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **dict(env)})
        self.connections = []
        line = self.process.stderr.readline()
        self.url = line.removeprefix("listening on ").strip()
        self.address = re.sub(r"http://([^/]*)/.*", r"\1", self.url)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.communicate(timeout=LIMIT)
        for connection in self.connections:
            connection.close()

    def end(self):
        """Waits for the exit code and the rest of standard error."""
        _, said = self.process.communicate(timeout=LIMIT)
        return self.process.returncode, said

    def connect(self):
        connection = http.client.HTTPConnection(self.address, timeout=LIMIT)
        self.connections.append(connection)
        return connection


def modern(method, request_id=1, **params):
    headers = {"Content-Type": "application/json", "Mcp-Method": method,
               "MCP-Protocol-Version": "2026-07-28"}
    if "name" in params:
        headers["Mcp-Name"] = params["name"]
    return headers, json.dumps({"jsonrpc": "2.0", "id": request_id,
                                "method": method,
                                "params": {**params, "_meta": META}})


def post(connection, headers, body, path="/mcp"):
    connection.request("POST", path, body, headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


class Documentation(unittest.TestCase):
    def test_commands(self):
        """Runs every `$ curl` of docs/HTTP.md."""
        page = (ROOT / "docs/HTTP.md").read_text()
        blocks = re.findall(r"```\n(\$ curl.*?)```", page, re.S)
        self.assertGreater(len(blocks), 3)
        with Server("hello-server") as server:
            for line in "".join(blocks).splitlines():
                if line.startswith("$ "):
                    words = line[2:].replace("127.0.0.1:8080", server.address)
                    said = subprocess.run(
                        words, shell=True, text=True, capture_output=True,
                        timeout=LIMIT, check=True).stdout
                else:
                    self.assertEqual(said.strip(), line)

    def test_code(self):
        """A section quotes the code of an example."""
        page = (ROOT / "docs/HTTP.md").read_text()
        section = page.split("\n## Behind an HTTP server")[1].split("\n## ")[0]
        source = (ROOT / "examples/mounted-server.c").read_text()
        blocks = re.findall(r"```c\n(.*?)```", section, re.S)
        self.assertGreater(len(blocks), 2)
        for block in blocks:
            self.assertIn("".join(block.split()), "".join(source.split()))

    def test_options(self):
        """--help names every option that the page does."""
        page = (ROOT / "docs/HTTP.md").read_text()
        said = subprocess.run([str(BIN / "hello-server"), "--help"], text=True,
                              capture_output=True, timeout=LIMIT,
                              check=True).stdout
        for option in set(re.findall(r"`(--[a-z-]+)", page)) - {"--help"}:
            self.assertRegex(said, rf"(?m)^  {option}\b(?!-)")

    def test_help(self):
        """The pages name every option that --help lists."""
        pages = [(ROOT / "docs" / name).read_text()
                 for name in ("HTTP.md", "TRANSPORTS.md", "AUTHORIZATION.md")]
        named = set(re.findall(r"`(--[a-z-]+)", "".join(pages)))
        said = subprocess.run([str(BIN / "hello-server"), "--help"], text=True,
                              capture_output=True, timeout=LIMIT,
                              check=True).stdout
        options = set(re.findall(r"(?m)^  (--[a-z-]+)", said))
        self.assertGreater(len(options), 40)
        self.assertEqual(options - named, set())


class Ends(unittest.TestCase):
    def test_sigterm(self):
        with Server("hello-server") as server:
            idle = server.connect()
            self.assertEqual(post(idle, *modern("tools/list"))[0], 200)
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.end(), (0, ""))

    def test_calls_in_flight_are_answered(self):
        with Server("workbench-server", "--drain-ms", "30000",
                    str(ROOT / "examples")) as server:
            busy = server.connect()
            busy.request("POST", "/mcp", *reversed(modern(
                "tools/call", name="count_slowly", arguments={"to": 3},
            )))
            other = server.connect()
            self.assertEqual(post(other, *modern("tools/list"))[0], 200)
            server.process.send_signal(signal.SIGTERM)
            text = busy.getresponse().read().decode()
            self.assertIn("Counted to 3", text)
            self.assertEqual(server.end(), (0, ""))

    def test_a_stream_ends(self):
        with Server("hello-server") as server:
            listening = server.connect()
            headers, body = modern("subscriptions/listen",
                                   notifications={"toolsListChanged": True})
            listening.request("POST", "/mcp", body, headers)
            answer = listening.getresponse()
            self.assertEqual(answer.headers["Content-Type"],
                             "text/event-stream")
            self.assertIn(b"acknowledged", answer.readline())
            server.process.send_signal(signal.SIGTERM)
            self.assertIn(b'"result"', answer.read())
            self.assertEqual(server.end(), (0, ""))

    def test_beside_stdio(self):
        """The end of standard input ends both servers."""
        with Server("hello-server", "--stdio", stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE) as server:
            self.assertEqual(post(server.connect(), *modern("tools/list"))[0],
                             200)
            request = modern("tools/list")[1]
            server.process.stdin.write(request + "\n")
            server.process.stdin.close()
            server.process.stdin = None
            self.assertIn('"tools"', server.process.stdout.readline())
            self.assertEqual(server.end()[0], 0)


class Options(unittest.TestCase):
    def test_path_and_guard(self):
        with Server("hello-server", "--path", "/tools", "--allow-host",
                    "mcp.example") as server:
            headers, body = modern("tools/list")
            self.assertTrue(server.url.endswith("/tools"))
            one = server.connect()
            self.assertEqual(post(one, headers, body)[0], 404)
            self.assertEqual(post(one, headers, body, "/tools")[0], 403)
            headers["Host"] = "mcp.example"
            self.assertEqual(post(one, headers, body, "/tools")[0], 200)
            headers["Origin"] = "https://elsewhere.example"
            self.assertEqual(post(one, headers, body, "/tools")[0], 403)

    def test_era(self):
        with Server("hello-server", "--era", "modern") as server:
            one = server.connect()
            self.assertEqual(post(one, *modern("tools/list"))[0], 200)
            one.request("GET", "/mcp")
            answer = one.getresponse()
            self.assertEqual((answer.status, answer.headers["Allow"]),
                             (405, "POST, OPTIONS"))

    def refused(self, *words):
        done = subprocess.run([str(BIN / "hello-server"), *words], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=LIMIT, check=False)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def test_what_is_wrong_is_told(self):
        with Server("hello-server") as server:
            self.assertIn(server.address,
                          self.refused("--http", server.address))
        self.assertIn("nowhere", self.refused("--http", "nowhere"))
        self.assertIn("--era", self.refused("--era", "future"))
        self.assertIn("--tls-key is missing",
                      self.refused("--http", "127.0.0.1:0", "--tls-cert",
                                   "none.pem"))


class Tls(unittest.TestCase):
    """Certificates of tests/http/certs, each with its key, signed by itself and
    valid for localhost."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(
            tempfile.TemporaryDirectory()))
        self.cert = self.folder / "cert.pem"
        self.install("one")

    def install(self, name):
        """Replaces the files in one step, by renaming."""
        new = self.folder / "new.pem"
        shutil.copy(CERTS / f"{name}.pem", new)
        new.rename(self.cert)

    def serve(self, *words):
        return self.enterContext(Server(
            "hello-server", "--tls-cert", str(self.cert), "--tls-key",
            str(self.cert), "--log-level", "notice", *words))

    def connect(self, server, trusted, shown=None):
        """A connection to a server whose certificate is `trusted`; it shows the
        one of that name."""
        context = ssl.create_default_context(cafile=CERTS / f"{trusted}.pem")
        if shown is not None:
            context.load_cert_chain(CERTS / f"{shown}.pem")
        connection = http.client.HTTPSConnection(
            server.address.removeprefix("https://").split("/")[0],
            timeout=LIMIT, context=context)
        server.connections.append(connection)
        return connection

    def ask(self, connection):
        self.assertEqual(post(connection, *modern("tools/list"))[0], 200)

    def reload(self, server):
        """Sends SIGHUP. Returns the log's line about it."""
        server.process.send_signal(signal.SIGHUP)
        return server.process.stderr.readline()

    def test_sighup_reads_the_certificate_again(self):
        for words in ((), ("--era", "modern", "--threads", "2")):
            with self.subTest(words=words):
                self.install("one")
                server = self.serve(*words)
                # With two threads each has one of the old connections.
                old = [self.connect(server, "one") for _ in range(2)]
                for one in old:
                    self.ask(one)
                self.install("two")
                self.assertIn(f" notice: read {self.cert} again\n",
                              self.reload(server))
                for _ in range(2):
                    self.ask(self.connect(server, "two"))
                for one in old:
                    self.ask(one)
                with self.assertRaises(ssl.SSLCertVerificationError):
                    self.ask(self.connect(server, "one"))
                server.process.send_signal(signal.SIGTERM)
                self.assertEqual(server.end(), (0, ""))

    def test_what_is_no_certificate_changes_nothing(self):
        server = self.serve()
        self.cert.write_text("nonsense")
        said = self.reload(server)
        self.assertIn(" error: the previous certificate stays in use: ", said)
        self.assertIn(str(self.cert), said)
        self.ask(self.connect(server, "one"))
        self.cert.unlink()
        self.assertIn("No such file", self.reload(server))
        self.ask(self.connect(server, "one"))
        self.install("two")
        self.assertIn("again", self.reload(server))
        self.ask(self.connect(server, "two"))

    def test_clients_that_show_a_certificate(self):
        server = self.serve("--tls-client-ca", str(CERTS / "two.pem"))
        self.ask(self.connect(server, "one", "two"))
        for shown in (None, "one"):
            with self.assertRaises((ssl.SSLError, ConnectionError)):
                self.ask(self.connect(server, "one", shown))

    def test_without_tls_sighup_ends_it(self):
        server = self.enterContext(Server("hello-server"))
        server.process.send_signal(signal.SIGHUP)
        self.assertEqual(server.end(), (-signal.SIGHUP, ""))


class Traces(unittest.TestCase):
    def test_each_message_and_whose_it_is(self):
        for words in ((), ("--threads", "2", "--era", "modern")):
            with Server("hello-server", "--trace", *words) as server:
                one = server.connect()
                headers, body = modern("tools/call", name="add", arguments={
                    "a": 1, "b": 2, "password": "hush"})
                post(one, headers, body)
                peer = "%s:%d" % one.sock.getsockname()
                server.process.send_signal(signal.SIGTERM)
                said = server.end()[1].splitlines()
            self.assertRegex(said[0], rf"Z trace: {peer} received {{.*\[redacted")
            self.assertRegex(said[1], rf"Z trace: {peer} sent {{.*\"id\":1")
            self.assertEqual(len(said), 2, said)
            self.assertNotIn("hush", "".join(said))

    def test_nothing_unless_asked_for(self):
        with Server("hello-server", "--log-level", "debug") as server:
            self.assertEqual(post(server.connect(), *modern("tools/list"))[0],
                             200)
            server.process.send_signal(signal.SIGTERM)
            self.assertNotIn("jsonrpc", server.end()[1])


class Token(unittest.TestCase):
    """examples/token-server.c, whose options of HTTP the command line changes."""

    def serve(self, *words):
        return self.enterContext(Server("token-server", *words,
                                        env={"TOKEN": "secret"}))

    def ask(self, server, **headers):
        named, body = modern("tools/call", name="who", arguments={})
        return post(server.connect(), {**named, **headers}, body)

    def test_code(self):
        page = (ROOT / "docs/HTTP.md").read_text()
        section = page.split("\n## The request hook in a program of")[1]
        source = (ROOT / "examples/token-server.c").read_text()
        blocks = re.findall(r"```c\n(.*?)```", section.split("\n## ")[0], re.S)
        self.assertGreater(len(blocks), 1)
        for block in blocks:
            self.assertIn("".join(block.split()), "".join(source.split()))

    def test_who(self):
        for words in ((), ("--trace",), ("--threads", "2")):
            server = self.serve(*words)
            status, text = self.ask(server, Authorization="Bearer secret")
            self.assertEqual(status, 200)
            self.assertIn('"text":"owner"', text)
            status, text = self.ask(server, Authorization="Bearer secrex")
            self.assertEqual(status, 401)
            self.assertIn("show your token", text)
            self.assertEqual(self.ask(server)[0], 401)

    def ask_from(self, server, origin):
        return self.ask(server, Authorization="Bearer secret", Origin=origin)[0]

    def test_a_list_is_replaced(self):
        server = self.serve()
        self.assertEqual(self.ask_from(server, "https://app.example.org"), 200)
        self.assertEqual(self.ask_from(server, "https://other.example"), 403)
        server = self.serve("--allow-origin", "https://other.example")
        self.assertEqual(self.ask_from(server, "https://app.example.org"), 403)
        self.assertEqual(self.ask_from(server, "https://other.example"), 200)

    def test_a_limit_is_replaced(self):
        long = {"Authorization": "Bearer secret", "X": "x"}
        for words, status in (((), 413), (("--max-body", "300000"), 200)):
            named, body = modern("tools/call", name="who", arguments={})
            connection = self.serve(*words).connect()
            self.assertEqual(post(connection, {**named, **long},
                                  body + " " * 200000)[0], status)

    def run_to_end(self, *words):
        """The exit code, and what is on standard error."""
        done = subprocess.run([str(BIN / "token-server"), *words], input="",
                              env={**os.environ, "TOKEN": "secret"}, text=True,
                              capture_output=True, timeout=LIMIT, check=False)
        return done.returncode, done.stderr

    def test_without_an_address_nothing_listens(self):
        self.assertEqual(self.run_to_end(), (
            2, "token-server: there is no address: give --http HOST:PORT, --sse "
            "or --ws\n"))

    def test_no_other_transport_is_offered(self):
        for word in "--stdio", "--tcp=127.0.0.1:0", "--unix=/tmp/none":
            code, text = self.run_to_end("--http=127.0.0.1:0", word)
            self.assertEqual(code, 2)
            self.assertIn("this program does not offer " + word.split("=")[0],
                          text)


class Protected(unittest.TestCase):
    """examples/protected-server.c with a file of fixed tokens."""

    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.tokens = pathlib.Path(folder) / "tokens"
        self.write("0123456789abcdef anna notes:write\nfedcba9876543210 bert\n")

    def write(self, text, mode=0o600):
        self.tokens.write_text(text)
        self.tokens.chmod(mode)

    def serve(self, *words):
        return self.enterContext(Server("protected-server", *words,
                                        "--auth-token-file",
                                        str(self.tokens)))

    def call(self, server, name, token=None, **arguments):
        named, body = modern("tools/call", name=name, arguments=arguments)
        if token is not None:
            named["Authorization"] = "Bearer " + token
        connection = server.connect()
        connection.request("POST", "/mcp", body, named)
        answer = connection.getresponse()
        return (answer.status, answer.headers["WWW-Authenticate"],
                answer.read().decode())

    def test_tokens(self):
        for words in ((), ("--threads", "2")):
            server = self.serve(*words)
            status, challenge, _ = self.call(server, "who")
            self.assertEqual(status, 401)
            self.assertEqual(challenge, "Bearer")
            status, _, text = self.call(server, "who", "0123456789abcdef")
            self.assertEqual(status, 200)
            self.assertIn("anna (no mail address) may: notes:write", text)
            status, challenge, _ = self.call(server, "note",
                                             "fedcba9876543210")
            self.assertEqual(status, 403)
            self.assertIn('scope="notes:write"', challenge)
            self.assertEqual(self.call(server, "note", "0123456789abcdef",
                                       text="x")[0], 200)

    def test_no_token_is_logged(self):
        server = self.serve("--trace", "--log-level", "debug")
        self.call(server, "who", "0123456789abcdef")
        self.call(server, "who", "0123456789abcdeX")
        server.process.terminate()
        said = server.end()[1]
        self.assertIn("anna", said)
        self.assertNotIn("0123456789abcde", said)

    def test_the_metadata_lead_to_the_server(self):
        issuer = "http://127.0.0.1:1"
        server = self.serve("--auth-issuer", issuer)
        if "mcp_platform.fetch" in server.url:
            self.skipTest("built without libcurl")
        self.assertEqual(
            self.call(server, "who")[1], 'Bearer resource_metadata="http://'
            f'{server.address}/.well-known/oauth-protected-resource/mcp"')
        connection = server.connect()
        connection.request("GET",
                           "/.well-known/oauth-protected-resource/mcp")
        answer = connection.getresponse()
        self.assertEqual(answer.headers["Access-Control-Allow-Origin"], "*")
        metadata = json.loads(answer.read())
        self.assertEqual(metadata["resource"], server.url)
        self.assertEqual(metadata["authorization_servers"], [issuer])

    def refused(self, *words):
        done = subprocess.run(
            [str(BIN / "protected-server"), "--http", "127.0.0.1:0", *words],
            text=True, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=LIMIT, check=False)
        return done.returncode, done.stderr

    def test_what_is_wrong_is_told(self):
        file = ("--auth-token-file", str(self.tokens))
        code, text = self.refused()
        self.assertEqual(code, 2)
        self.assertIn("nothing says how tokens are checked", text)
        self.write("short\n")
        code, text = self.refused(*file)
        self.assertEqual(code, 2)
        self.assertIn("--auth-token-file: ", text)
        self.assertNotIn("short\n", text)
        self.write("0123456789abcdef\n", 0o644)
        code, text = self.refused(*file)
        self.assertEqual(code, 2)
        self.assertIn("is open to other users (mode 644)", text)
        self.tokens.unlink()
        code, text = self.refused(*file)
        self.assertEqual(code, 1)
        self.assertIn("no such file", text)
        code, text = self.refused("--allow-host", "a.example", *file)
        self.assertIn("--auth-", text)


class Threads(unittest.TestCase):
    """Several loops, each request on a connection of its own: the next loop
    gets it."""

    WORDS = ("--threads", "3")

    def ask(self, server, count):
        for number in range(count):
            one = server.connect()
            status = post(one, *modern("tools/list", number))[0]
            self.assertEqual(status, 200)

    def test_many_clients(self):
        with Server("hello-server", *self.WORDS) as server:
            clients = [threading.Thread(target=self.ask, args=(server, 20))
                       for _ in range(4)]
            for client in clients:
                client.start()
            for client in clients:
                client.join()
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.end(), (0, ""))

    def test_calls_in_flight_are_answered(self):
        with Server("workbench-server", *self.WORDS, "--drain-ms", "30000",
                    str(ROOT / "examples")) as server:
            busy = [server.connect() for _ in range(4)]
            for one in busy:
                one.request("POST", "/mcp", *reversed(modern(
                    "tools/call", name="count_slowly", arguments={"to": 3})))
            self.ask(server, 6)
            server.process.send_signal(signal.SIGTERM)
            for one in busy:
                self.assertIn("Counted to 3", one.getresponse().read().decode())
            self.assertEqual(server.end(), (0, ""))

    def test_calls_in_flight_are_given_up(self):
        with Server("workbench-server", *self.WORDS, "--drain-ms", "0",
                    str(ROOT / "examples")) as server:
            busy = [server.connect() for _ in range(4)]
            for one in busy:
                one.request("POST", "/mcp", *reversed(modern(
                    "tools/call", name="count_slowly", arguments={"to": 90})))
            self.ask(server, 6)
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.end()[0], 0)

    def test_clients_that_go_cancel(self):
        with Server("workbench-server", *self.WORDS, "--drain-ms", "30000",
                    str(ROOT / "examples")) as server:
            for _ in range(6):
                one = server.connect()
                one.request("POST", "/mcp", *reversed(modern(
                    "tools/call", name="count_slowly", arguments={"to": 90})))
                one.close()
            self.ask(server, 6)
            server.process.send_signal(signal.SIGTERM)
            self.assertEqual(server.end(), (0, ""))

    def test_streams_end(self):
        with Server("hello-server", *self.WORDS) as server:
            answers = []
            for _ in range(4):
                one = server.connect()
                headers, body = modern("subscriptions/listen",
                                       notifications={"toolsListChanged": True})
                one.request("POST", "/mcp", body, headers)
                answers.append(one.getresponse())
                self.assertIn(b"acknowledged", answers[-1].readline())
            server.process.send_signal(signal.SIGTERM)
            for answer in answers:
                self.assertIn(b'"result"', answer.read())
            self.assertEqual(server.end(), (0, ""))

    def test_there_are_at_most_64(self):
        done = subprocess.run(
            [str(BIN / "hello-server"), "--http", "127.0.0.1:0", "--threads",
             "65"], text=True, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=LIMIT, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn('"65" is not a number from 1 to 64', done.stderr)

    def test_options_of_http_need_it(self):
        for words in (("--threads", "2"), ("--path", "/x"),
                      ("--legacy", "plain"), ("--allow-host", "a"),
                      ("--allow-origin", "http://a"),
                      ("--tls-cert", "c"), ("--tls-key", "k"),
                      ("--tls-client-ca", "a"), ("--auth-issuer", "a"),
                      ("--auth-token-file", "f")):
            done = subprocess.run(
                [str(BIN / "hello-server"), *words], text=True,
                stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT,
                check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{words[0]}: it belongs to --http HOST:PORT",
                          done.stderr)


class Session:
    """A client of the legacy era that takes a new connection for each
    request."""

    def __init__(self, server, **capabilities):
        self.server = server
        self.headers = {"Content-Type": "application/json",
                        "Accept": "application/json, text/event-stream"}
        self.last_id = 0
        answer = self.request(
            "initialize", protocolVersion="2025-06-18",
            capabilities=capabilities, clientInfo={"name": "t", "version": "1"})
        self.headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]
        answer.read()
        self.note("notifications/initialized")

    def send(self, verb, message=None, **headers):
        one = self.server.connect()
        one.request(verb, "/mcp", message and json.dumps(message),
                    {**self.headers, **headers})
        return one.getresponse()

    def request(self, method, **params):
        self.last_id += 1
        return self.send("POST", {"jsonrpc": "2.0", "id": self.last_id,
                                  "method": method, "params": params})

    def call(self, name, **arguments):
        return self.request("tools/call", name=name, arguments=arguments,
                            _meta={"progressToken": 7})

    def note(self, method, **params):
        answer = self.send("POST", {"jsonrpc": "2.0", "method": method,
                                    "params": params})
        assert (answer.status, answer.read()) == (202, b"")

    @staticmethod
    def event(answer, wanted):
        """Returns the next event that contains the text, and its id."""
        event_id = None
        while True:
            line = answer.readline().decode()
            assert line, f"no {wanted}"
            if line.startswith("id: "):
                event_id = line[4:].strip()
            if line.startswith("data: ") and wanted in line:
                return json.loads(line[6:]), event_id


class SessionsOnThreads(unittest.TestCase):
    def serve(self, *words, folder=ROOT / "examples"):
        return self.enterContext(Server("workbench-server", "--threads", "2",
                                        *words, str(folder)))

    def test_sessions_begin_on_both_loops(self):
        server = self.serve()
        sessions = [Session(server) for _ in range(3)]
        server.connect().request("GET", "/health")
        sessions += [Session(server) for _ in range(3)]
        self.assertEqual({one.headers["Mcp-Session-Id"][0]
                          for one in sessions}, {"A", "B"})
        for one in sessions:
            for _ in range(3):
                answer = one.request("ping")
                self.assertEqual(json.loads(answer.read())["result"], {})

    def test_progress(self):
        session = Session(self.serve())
        for _ in range(2):
            answer = session.call("count_slowly", to=3, delay_ms=1)
            for number in (1, 2, 3):
                event, _ = session.event(answer, "progress")
                self.assertEqual(event["params"]["progress"], number)
            self.assertIn("Counted to 3", answer.read().decode())

    def test_questions(self):
        session = Session(self.serve(), elicitation={})
        for _ in range(2):
            answer = session.call("deploy", environment="staging")
            question, _ = session.event(answer, "elicitation/create")
            said = session.send("POST", {
                "jsonrpc": "2.0", "id": question["id"], "result": {
                    "action": "accept", "content": {"confirm": True}}})
            self.assertEqual(said.status, 202)
            self.assertIn("Deployed to staging", answer.read().decode())

    def test_notifications(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.txt"
            path.write_text("one")
            server = self.serve(folder=folder)
            streams = []
            for _ in range(3):
                session = Session(server)
                streams.append(session.send("GET"))
                listed = json.loads(session.request("resources/list").read())
                uri = next(each["uri"] for each in listed["result"]["resources"]
                           if each["uri"].endswith("a.txt"))
                session.request("resources/subscribe", uri=uri).read()
                session.request("ping").read()  # the other loop's turn
            path.write_text("two")
            for stream in streams:
                event, _ = Session.event(stream, "resources/updated")
                self.assertEqual(event["params"]["uri"], uri)

    def test_resuming(self):
        """A stream breaks, and the client resumes it by GET elsewhere."""
        session = Session(self.serve())
        for _ in range(2):
            answer = session.call("count_slowly", to=20, delay_ms=20)
            _, event_id = session.event(answer, "progress")
            session.server.connections[-1].close()
            again = session.send("GET", **{"Last-Event-ID": event_id})
            self.assertEqual(again.status, 200)
            event, _ = session.event(again, '"progress":2,')
            self.assertEqual(event["params"]["total"], 20)
            session.event(again, "Counted to 20")

    def test_cancelling(self):
        """The pool of a loop has four threads: calls that went on would take
        them for minutes."""
        session = Session(self.serve())
        for _ in range(6):
            answer = session.call("count_slowly", to=10000, delay_ms=50)
            session.event(answer, "progress")
            session.note("notifications/cancelled",
                         requestId=session.last_id)
            self.assertNotIn(b'"result"', answer.read())

    def test_deleting(self):
        session = Session(self.serve())
        stream = session.send("GET")
        self.assertEqual(session.send("DELETE").status, 204)
        stream.read()  # ends with it
        for _ in range(2):
            self.assertEqual(session.request("ping").status, 404)

    def test_delete_ends_the_get_stream_and_its_connection(self):
        server = self.serve()
        for _ in range(4):  # the GET arrives at the session's loop, or not
            session = Session(server)
            connection = server.connect()
            connection.request("GET", "/mcp", None, session.headers)
            answer = connection.getresponse()
            socket = connection.sock
            self.assertEqual((answer.status, answer.will_close), (200, False))
            self.assertEqual(session.send("DELETE").status, 204)
            answer.read()  # ends with it
            self.assertEqual(socket.recv(1), b"")

    def test_ending(self):
        """The server answers calls in flight and ends streams."""
        server = self.serve("--drain-ms", "30000")
        session = Session(server)
        streams = [session.send("GET")]
        calls = [session.call("count_slowly", to=20, delay_ms=20)
                 for _ in range(4)]
        for call in calls:
            session.event(call, "progress")
        server.process.send_signal(signal.SIGTERM)
        for call in calls:
            self.assertIn("Counted to 20", call.read().decode())
        for stream in streams:
            stream.read()
        self.assertEqual(server.end(), (0, ""))


class Mounted(unittest.TestCase):
    """The endpoint behind libmicrohttpd."""

    def setUp(self):
        if not (BIN / "mounted-server").exists():
            self.skipTest("built without libmicrohttpd")
        self.server = Server("mounted-server", where=("0",))
        self.enterContext(self.server)

    def begin(self, name, **params):
        """Sends a call, and does not wait for the answer."""
        one = self.server.connect()
        headers, body = modern("tools/call", name=name, **params)
        one.request("POST", "/mcp", body, headers)
        return one

    def test_json(self):
        one = self.server.connect()
        for _ in range(3):  # on one connection
            status, body = post(one, *modern("tools/call", name="add",
                                             arguments={"a": 2, "b": 3}))
            self.assertEqual((status, json.loads(body)["result"]["content"]),
                             (200, [{"type": "text", "text": "5"}]))
            one.request("GET", "/")
            self.assertEqual(one.getresponse().read(),
                             b"the site's own page\n")
        self.assertEqual(post(one, *modern("none"))[0], 404)

    def test_a_stream_and_its_end(self):
        headers, body = modern("tools/call", name="count",
                               arguments={"to": 3})
        body = body.replace('"_meta": {', '"_meta": {"progressToken": 7, ')
        one = self.server.connect()
        one.request("POST", "/mcp", body, headers)
        answer = one.getresponse()
        self.assertEqual(answer.headers["Content-Type"], "text/event-stream")
        text = answer.read().decode()
        self.assertEqual(text.count('"progressToken":7'), 3)
        self.assertIn('"counted"', text)
        one.request("GET", "/")  # the connection lives on
        self.assertEqual(one.getresponse().status, 200)

    def test_a_client_that_leaves(self):
        """Before its answer has begun, and on a stream; the last one stays
        until the server ends."""
        self.begin("count", arguments={"to": 1000000}).close()
        self.assertEqual(self.server.process.stderr.readline(),
                         "nobody waits for the count\n")
        headers, body = modern("subscriptions/listen",
                               notifications={"toolsListChanged": True})
        for stays in (False, True):
            one = self.server.connect()
            one.request("POST", "/mcp", body, headers)
            answer = one.getresponse()
            self.assertIn(b"acknowledged", answer.readline())
            if not stays:
                answer.close()
                one.close()
        self.server.process.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.end(), (0, ""))

    def test_a_session(self):
        one = self.server.connect()
        headers = {"Content-Type": "application/json"}
        one.request("POST", "/mcp", json.dumps(
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"}}}), headers)
        answer = one.getresponse()
        self.assertEqual(json.loads(answer.read())["id"], 1)
        headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]
        one.request("DELETE", "/mcp", headers=headers)
        answer = one.getresponse()
        self.assertEqual((answer.status // 100, answer.read()), (2, b""))
        ping = json.dumps({"jsonrpc": "2.0", "id": 2, "method": "ping"})
        self.assertEqual(post(one, headers, ping)[0], 404)


def main():
    global BIN
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    BIN = options.bin.resolve()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
