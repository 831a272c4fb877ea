# SPDX-License-Identifier: MIT
"""The verbs `record` and `replay`."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

from fake_skills import entry
from support import (BIN, Case, LIMIT, META, ROOT, Refusing, Served, Terminal,
                     ctl, url_ctl)


class Taped:
    """Has a recording, and runs programs with lines."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name) / "session.ndjson"

    def record(self, *server):
        return [str(BIN / "mcpctl"), "record", str(self.file), "--", *server]

    def script(self, *lines):
        """The command of a server that writes lines for each that it reads:
        for the first request the first list, and so on."""
        program = ("import sys\n"
                   "for answers in %r:\n"
                   "  sys.stdin.buffer.readline()\n"
                   "  sys.stdout.buffer.write(answers)\n"
                   "  sys.stdout.buffer.flush()\n"
                   "sys.stdin.buffer.read()\n" % (list(lines),))
        return [sys.executable, "-c", program]

    def run_lines(self, words, text, **more):
        text = text if isinstance(text, bytes) else text.encode()
        return subprocess.run(words, input=text, capture_output=True,
                              timeout=LIMIT, **more)

    def write(self, *entries):
        """Writes a recording of (side, message)."""
        lines = [{"mcpctl": "0", "format": 1, "target": "t"}]
        lines += [{"at": 0, "from": side, "message": {"jsonrpc": "2.0",
                                                      **message}}
                  for side, message in entries]
        self.file.write_text("".join(json.dumps(line) + "\n"
                                     for line in lines))

    def entries(self):
        return [json.loads(line)
                for line in self.file.read_text().splitlines()]

    def messages(self, side):
        return [entry["message"] for entry in self.entries()
                if entry.get("from") == side and "message" in entry]


class Recording(Taped, Case):
    """record: what passes, and what the file says."""

    def test_record_passes_bytes_on(self):
        """Spaces, the order of members, escapes and numbers stay."""
        question = b'{ "id":1,"jsonrpc":"2.0","method":"x","params":{"n":1e400}}'
        answer = (b'{"result":{ "a" : 1.0, "b":"\\u0041\\/\xc3\xa9", '
                  b'"big":12345678901234567890123},"id":1 ,"jsonrpc":"2.0"}')
        server = self.script(b'{"jsonrpc": "2.0","method":"n"}\n'
                             + answer + b"\n")
        run = self.run_lines(self.record(*server), question + b"\n")
        self.assertEqual(run.stdout, b'{"jsonrpc": "2.0","method":"n"}\n'
                         + answer + b"\n")
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        self.assertEqual(self.echo(b'{ "n":1e400,"method":"\\u0041"}'),
                         b'{ "n":1e400,"method":"\\u0041"}\n')

    def echo(self, line):
        """What `cat` returns through record for a line."""
        words = self.record("cat")
        words.insert(2, "--overwrite")
        with subprocess.Popen(words, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:
            process.stdin.write(line + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline()
            process.stdin.close()
            self.assertEqual(process.wait(LIMIT), 0)
            return answer

    def test_the_file(self):
        server = self.script(b'{"jsonrpc":"2.0","id":1,"result":{}}\n')
        self.check(self.run_lines(
            self.record(*server, "--token", "hidden"),
            '{"jsonrpc":"2.0","id":1,"method":"x","params":'
            '{"password":"hidden","url":"https://u:hidden@h/"}}\n'), 0)
        text = self.file.read_text()
        self.assertNotIn("hidden", text)
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)
        first, asked, answered = self.entries()
        self.assertEqual(first["format"], 1)
        self.assertRegex(first["started"], r"^\d{4}-\d\d-\d\dT[\d:]{8}Z$")
        self.assertRegex(first["target"], r"--token \*\*\*$")
        self.assertRegex(first["mcpctl"], r"^\d+\.\d+")
        self.assertEqual(asked["from"], "client")
        self.assertEqual(asked["message"]["params"], {
            "password": "[redacted]", "url": "https://[redacted]@h/"})
        self.assertEqual((answered["from"], answered["message"]), (
            "server", {"jsonrpc": "2.0", "id": 1, "result": {}}))
        self.assertGreaterEqual(answered["at"], asked["at"])

    def test_a_person_is_told_how_to_try_them(self):
        for words, server in ((["record", str(self.file)], "hello-server"),
                              (["replay", str(self.file)], None)):
            with self.subTest(verb=words[0]):
                terminal = Terminal(*words, server=server)
                terminal.expect("to try it, write mcpctl tools -- before it")
                terminal.send("\x04")
                self.assertEqual(terminal.finish()[0], 0)

    def test_a_file_that_is_there_stays(self):
        self.file.write_text("mine")
        run = self.run_lines(self.record("cat"), "")
        self.assertEqual(run.returncode, 1)
        self.assertIn(b"File exists; --overwrite replaces it", run.stderr)
        self.assertEqual(self.file.read_text(), "mine")

    def test_an_error_with_a_status_keeps_its_id(self):
        """The server answers 404, and the transport of HTTP makes a message
        of that, whose id is its own number."""
        self.needs_urls()
        with Served() as url:
            words = self.record()
            run = self.run_lines(
                [words[0], url, *words[1:-1]], json.dumps({
                    "jsonrpc": "2.0", "id": "mine", "method": "no/such",
                    "params": {"_meta": META}}) + "\n")
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        answer = json.loads(run.stdout)
        self.assertEqual((answer["id"], answer["error"]["code"]),
                         ("mine", -32601))

    def test_junk_is_not_passed_on(self):
        answer = b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
        server = self.script(b"Ready!\n42\n\xff\n" + answer)
        run = self.run_lines(self.record(*server),
                             '{"jsonrpc":"2.0","id":1,"method":"x"}\n')
        self.assertEqual(run.stdout, answer)
        self.assertIn(b"wrote something that is not a message to its standard "
                      b"output (logs belong on standard error): the recording "
                      b"has it as junk\n", run.stderr)
        self.assertEqual(run.stderr.count(b"not a message"), 1)
        self.assertEqual([entry.get("junk") for entry in self.entries()],
                         [None, None, "Ready!", "42", "\\xff", None])

    def test_a_batch(self):
        batch = b'[{"jsonrpc":"2.0","id":1,"result":{}}]\n'
        run = self.run_lines(self.record(*self.script(batch)),
                             '[{"jsonrpc":"2.0","id":1,"method":"x"}]\n')
        self.assertEqual(run.stdout, batch)
        self.assertEqual(self.messages("server"), [json.loads(batch)])

    def test_a_cancelled_request_is_not_waited_for(self):
        run = self.run_lines(self.record(*self.script(b"", b"")),
                             '{"jsonrpc":"2.0","id":1,"method":"x"}\n'
                             '{"jsonrpc":"2.0","method":'
                             '"notifications/cancelled","params":'
                             '{"requestId":1}}\n')
        self.assertEqual((run.returncode, run.stdout), (0, b""))

    def test_a_message_that_is_too_deep_for_the_file(self):
        """It passes, and the file says why it is not there."""
        deep = (b'{"jsonrpc":"2.0","id":1,"result":'
                + b"[" * 127 + b"]" * 127 + b"}\n")
        run = self.run_lines(self.record(*self.script(deep)),
                             '{"jsonrpc":"2.0","id":1,"method":"x"}\n')
        self.assertEqual(run.stdout, deep)
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        self.assertIn("unreadable", self.entries()[-1])

    def test_the_server_gets_the_whole_environment(self):
        """The host has chosen it, for this server."""
        program = ["sh", "-c", 'read x; echo "[\\"$OF_THE_HOST\\"]"; '
                   "echo '{\"id\":1,\"result\":{}}'; read x"]
        run = self.run_lines(self.record(*program), '{"id":1,"method":"x"}\n',
                             env={**os.environ, "OF_THE_HOST": "passed"})
        self.assertEqual(run.stdout, b'["passed"]\n{"id":1,"result":{}}\n')

    def test_a_named_server(self):
        config = self.file.with_suffix(".json")
        config.write_text(json.dumps({"mcpServers": {"sums": {
            "command": str(BIN / "hello-server"), "args": ["--stdio"]}}}))
        words = [str(BIN / "mcpctl"), "--config", str(config), "sums",
                 "record", str(self.file)]
        self.check(ctl("call", "add", "a:=2", "b:=3", server=words), 0, "5\n")
        self.assertRegex(self.entries()[0]["target"], "hello-server --stdio$")

    def test_an_interrupt_ends_both_sides(self):
        with subprocess.Popen(self.record("cat"), stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:
            process.stdin.write(b'{"id":1,"method":"x"}\n')
            process.stdin.flush()
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(LIMIT), 130)

    def test_ends(self):
        for server, code, message in (
                (["sh", "-c", "exit 0"], 4, b"sh: exited with status 0"),
                (["sh", "-c", "exit 3"], 4, b"sh: exited with status 3"),
                (["sh", "-c", "kill -9 $$"], 4, b"sh: ended by signal 9"),
                (["no-such-server"], 4, b"no-such-server")):
            with self.subTest(server=server):
                self.file.unlink(missing_ok=True)
                with subprocess.Popen(self.record(*server),
                                      stdin=subprocess.PIPE,
                                      stderr=subprocess.PIPE) as process:
                    self.assertEqual(process.wait(LIMIT), code)
                    self.assertIn(message, process.stderr.read())
        self.file.unlink(missing_ok=True)
        self.check(self.run_lines(self.record("cat"), ""), 0)

    def test_requests_in_flight_are_answered_at_the_end(self):
        slow = ["sh", "-c", "read x; sleep 0.3; echo "
                "'{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}'; read x"]
        run = self.run_lines(self.record(*slow),
                             '{"jsonrpc":"2.0","id":1,"method":"x"}\n')
        self.assertIn(b'"result"', run.stdout)

    def test_programs_of_ours(self):
        """Through record all is as without it."""
        for words, server in (
                (["call", "add", "a:=2", "b:=3"], ["hello-server"]),
                (["--verbose", "call", "count_slowly", "to:=3", "delay_ms:=1"],
                 ["workbench-server", ROOT / "examples/data"]),
                (["--answer", "confirm=yes", "call", "deploy",
                  "environment=staging"],
                 ["workbench-server", ROOT / "examples/data"])):
            for era in ("auto", "legacy", "modern"):
                with self.subTest(words=words, era=era):
                    self.file.unlink(missing_ok=True)
                    server = [str(BIN / server[0]), *map(str, server[1:])]
                    run = ctl("--era", era, *words, server=server)
                    through = ctl("--era", era, *words,
                                  server=self.record(*server))
                    self.check(through, run.returncode, run.stdout)
                    self.assertTrue(self.messages("client"))

    def test_record_at_a_url(self):
        for wire in ("--http", "--sse", "--ws", "--tcp"):
            if wire != "--tcp":
                self.needs_urls()
            with Served(wire=wire) as url:
                for era in ("auto", "legacy", "modern"):
                    with self.subTest(wire=wire, era=era):
                        url = "sse+" + url if wire == "--sse" else url
                        url = url.replace("sse+sse+", "sse+")
                        words = [str(BIN / "mcpctl"), url, "record",
                                 "--overwrite", str(self.file)]
                        self.check(ctl("--era", era, "call", "add", "a:=2",
                                       "b:=3", server=words), 0, "5\n")
                        self.assertEqual(self.entries()[0]["target"], url)
                        self.assertEqual(
                            self.messages("server")[-1]["result"]["content"],
                            [{"type": "text", "text": "5"}])

    def test_a_request_that_fails_over_http_gets_an_answer(self):
        self.needs_urls()
        with Refusing() as (url, says):
            says(500, b"broken")
            run = self.run_lines([BIN / "mcpctl", url, "record",
                                  str(self.file)],
                                 '{"jsonrpc":"2.0","id":"a","method":"x"}\n')
        answer = json.loads(run.stdout)
        self.assertEqual((answer["id"], answer["error"]["code"]),
                         ("a", -32603))
        self.assertIn("HTTP 500", answer["error"]["message"])
        self.assertEqual(self.entries()[-1]["by"], "mcpctl")


class Replay(Taped, Case):
    """replay as a server."""

    def replay(self, *words):
        return [str(BIN / "mcpctl"), *words, "replay", str(self.file)]

    def ask(self, *messages):
        """What the recorded server sends for messages."""
        lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n"
                        for message in messages)
        run = self.run_lines(self.replay(), lines)
        self.assertEqual((run.returncode, run.stderr), (0, b""))
        answers = [json.loads(line) for line in run.stdout.splitlines()]
        for answer in answers:
            self.assertEqual(answer.pop("jsonrpc"), "2.0")
        return answers

    def test_equal_requests_get_their_answers_in_order(self):
        self.write(("client", {"id": 1, "method": "x", "params": {"a": 1}}),
                   ("client", {"id": 2, "method": "x", "params": {"a": 1.0}}),
                   ("server", {"id": 2, "result": {"n": 2}}),
                   ("server", {"id": 1, "result": {"n": 1}}))
        asked = {"method": "x", "params": {"a": 1, "_meta": {"b": 3}}}
        self.assertEqual(
            self.ask({"id": "p", **asked}, {"id": "q", **asked},
                     {"id": "r", **asked}),
            [{"id": "p", "result": {"n": 1}}, {"id": "q", "result": {"n": 2}},
             {"id": "r", "result": {"n": 2}}])

    def test_what_is_not_recorded_is_an_error(self):
        self.write(("client", {"id": 1, "method": "x", "params": {"a": 1}}),
                   ("server", {"id": 1, "error": {"code": 5, "message": "m"}}))
        answers = self.ask(
            {"id": 7, "method": "x", "params": {"a": 2}},
            {"id": 8, "method": "y"}, {"id": 9, "method": "ping"},
            {"id": 10, "method": "x", "params": {"a": 1}},
            {"method": "notifications/unknown"})
        self.assertEqual(answers, [
            {"id": 7, "error": {"code": -32602, "message":
                                "the recording has no x with these params"}},
            {"id": 8, "error": {"code": -32601,
                                "message": "the recording has no y"}},
            {"id": 9, "result": {}},
            {"id": 10, "error": {"code": 5, "message": "m"}}])

    def test_a_long_method_is_cut_between_characters(self):
        self.write(("client", {"id": 1, "method": "x"}),)
        answers = self.ask({"id": 7, "method": "m" * 79 + "\u00e9" * 9})
        self.assertEqual(answers, [{"id": 7, "error": {
            "code": -32601, "message": "the recording has no " + "m" * 79}}])

    def test_a_request_without_an_answer(self):
        self.write(("client", {"id": 1, "method": "x"}),
                   ("client", {"id": 2, "method": "y"}),
                   ("client", {"method": "notifications/cancelled",
                               "params": {"requestId": 2}}),
                   ("client", {"id": 3, "method": "subscriptions/listen"}))
        answers = self.ask({"id": 7, "method": "x"}, {"id": 8, "method": "y"},
                           {"id": 9, "method": "subscriptions/listen"})
        self.assertEqual(answers, [{"id": 7, "error": {
            "code": -32603, "message": "the recording ends before the answer "
            "to this request"}}])

    def test_any_client_can_begin(self):
        self.write(("client", {"id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "clientInfo": {"name": "a"}}}),
                   ("server", {"id": 1, "result": {"n": 1}}))
        self.assertEqual(self.ask({"id": 7, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "clientInfo": {"name": "b"}}}),
                         [{"id": 7, "result": {"n": 1}}])

    def test_notifications_come_in_their_place(self):
        """Progress has the token of the client; without one it is left out.
        A subscription has the id of the client's request."""
        meta = {"progressToken": 4}
        tag = "io.modelcontextprotocol/subscriptionId"
        self.write(
            ("server", {"method": "first"}),
            ("client", {"id": 1, "method": "x", "params": {"_meta": meta}}),
            ("client", {"id": 2, "method": "subscriptions/listen"}),
            ("server", {"method": "notifications/progress", "params": {
                "progressToken": 4, "progress": 1}}),
            ("server", {"method": "ack", "params": {"_meta": {tag: 2}}}),
            ("server", {"id": 1, "result": {}}),
            ("client", {"method": "notifications/initialized"}),
            ("server", {"method": "changed", "params": {"_meta": {tag: 2}}}))
        self.assertEqual(self.ask(
            {"id": 7, "method": "x", "params": {"_meta": {
                "progressToken": "t"}}},
            {"method": "notifications/initialized"},
            {"id": 8, "method": "subscriptions/listen"},
            {"method": "notifications/initialized"},
            {"id": 9, "method": "x"}), [
                {"method": "first"},
                {"method": "notifications/progress", "params": {
                    "progressToken": "t", "progress": 1}},
                {"id": 7, "result": {}},
                {"method": "ack", "params": {"_meta": {tag: 8}}},
                {"method": "changed", "params": {"_meta": {tag: 8}}},
                {"id": 9, "result": {}}])

    def test_a_question_waits_for_its_answer(self):
        self.write(("client", {"id": 1, "method": "x"}),
                   ("server", {"id": 1, "method": "roots/list"}),
                   ("client", {"id": 1, "result": {"roots": []}}),
                   ("server", {"id": 1, "result": {}}))
        asked = {"id": 7, "method": "x"}
        self.assertEqual(self.ask(asked), [{"id": 1, "method": "roots/list"}])
        self.assertEqual(self.ask(asked, {"id": 1, "error": {}}), [
            {"id": 1, "method": "roots/list"}, {"id": 7, "result": {}}])

    def test_secrets_are_compared_hidden(self):
        self.write(("client", {"id": 1, "method": "x",
                               "params": {"token": "[redacted]"}}),
                   ("server", {"id": 1, "result": {}}))
        self.assertEqual(self.ask({"id": 7, "method": "x",
                                   "params": {"token": "hidden"}}),
                         [{"id": 7, "result": {}}])

    def test_a_line_that_is_not_json(self):
        self.write()
        run = self.run_lines(self.replay(), "{\n")
        self.assertEqual(json.loads(run.stdout)["error"]["code"], -32700)

    def test_a_batch(self):
        self.write(("client", {"id": 1, "method": "x"}),
                   ("server", {"id": 1, "result": {}}))
        run = self.run_lines(self.replay(), '[{"id":7,"method":"x"}]\n')
        self.assertEqual(json.loads(run.stdout)["id"], 7)

    def test_programs_of_ours(self):
        """A replay is as the recorded run was."""
        data = ["workbench-server", ROOT / "examples/data"]
        for words, server in (
                (["call", "add", "a:=2", "b:=3"], ["hello-server"]),
                (["info"], data), (["tools"], data), (["resources"], data),
                (["prompt", "explain-code", "language=C", "code=x"], data),
                (["read", "file:///app.log"], data),
                (["--verbose", "call", "count_slowly", "to:=3", "delay_ms:=1"],
                 data),
                (["--answer", "confirm=yes", "call", "deploy",
                  "environment=staging"], data),
                (["--answer", "text=Short.", "call", "summarize",
                  "path=app.log"], data)):
            for era in ("auto", "legacy", "modern"):
                with self.subTest(words=words, era=era):
                    self.file.unlink(missing_ok=True)
                    server = [str(BIN / server[0]), *map(str, server[1:])]
                    run = ctl("--era", era, *words,
                              server=self.record(*server))
                    again = ctl("--era", era, *words, server=self.replay())
                    self.check(again, run.returncode, run.stdout)
                    self.assertEqual(again.stderr, run.stderr)

    def test_files_that_are_wrong(self):
        first = '{"mcpctl":"0","format":1}\n'
        for text, message in (
                ("", "line 1: this is not a recording"),
                ("{}\n", "line 1: this is not a recording"),
                ('{"mcpctl":"0","format":2}\n', "line 1: the format 2"),
                (first + "{\n", "line 2, column 2: "),
                (first + '\n{"from":"x"}\n', 'line 3: "from" is not')):
            with self.subTest(text=text):
                self.file.write_text(text)
                self.check(url_ctl("replay", self.file), 1, "", message)
        self.check(url_ctl("replay", "/nonexistent"), 1, "", "cannot read")
        self.check(url_ctl("replay"), 1, "", "too few arguments")


class Comparing(Taped, Case):
    """replay with a server."""

    def compare(self, *words, server):
        words = [str(BIN / "mcpctl"), *words, "replay", str(self.file)]
        if isinstance(server, str):
            words.insert(1, server)
        else:
            words += ["--", *server]
        return subprocess.run(words, text=True, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=LIMIT)

    def served(self, *entries):
        """A server that answers as the entries say."""
        saved = self.file
        self.file = saved.with_suffix(".server")
        self.write(*entries)
        server = [str(BIN / "mcpctl"), "replay", str(self.file)]
        self.file = saved
        return server

    def test_an_equal_server(self):
        """Ids, the order of members and times do not count."""
        now = "2026-11-27T18:41:22.807Z"
        self.write(("client", {"id": 1, "method": "x", "params": {"a": 1}}),
                   ("server", {"id": 1, "result": {"a": 1, "t": now}}),
                   ("client", {"method": "n"}))
        server = self.served(
            ("client", {"id": 5, "method": "x", "params": {"a": 1}}),
            ("server", {"result": {"t": now.replace("11", "12"), "a": 1.0},
                        "id": 5}))
        run = self.compare(server=server)
        self.check(run, 0, "1 answer: 1 the same, 0 different\n", "")
        run = self.compare("--json", server=server)
        self.assertEqual(json.loads(self.check(run)), {
            "differences": [], "answers": 1, "same": 1, "different": 0})

    def test_a_difference_that_is_too_deep(self):
        deep = 1
        for _ in range(126):
            deep = [deep]
        asked = ("client", {"id": 1, "method": "x"})
        self.write(asked, ("server", {"id": 1, "result": deep}))
        server = self.served(asked, ("server", {"id": 1, "result": 5}))
        run = self.compare("--json", server=server)
        self.assertEqual(run.returncode, 1)
        self.assertIn("cannot print the differences: ",
                      json.loads(run.stdout)["error"]["message"])

    def different(self):
        asked = {"method": "tools/call", "params": {"name": "t"}}
        self.write(("client", {"id": 1, **asked}),
                   ("server", {"id": 1, "result": {"a": [{"b": 1}], "c": 2}}),
                   ("client", {"id": 2, "method": "y"}),
                   ("server", {"id": 2, "error": {"code": 1}}))
        return self.served(("client", {"id": 1, **asked}),
                           ("server", {"id": 1, "result": {
                               "a": [{"b": "\x1b"}, 2]}}),
                           ("client", {"id": 2, "method": "y"}),
                           ("server", {"id": 2, "error": {"code": 1}}))

    def test_differences(self):
        server = self.different()
        run = self.compare(server=server)
        self.check(run, 4, """\
tools/call t (line 2)
  /result/a/0/b
    recorded  1
    now       "\\u001b"
  /result/a/1
    recorded  (nothing)
    now       2
  /result/c
    recorded  2
    now       (nothing)
2 answers: 1 the same, 1 different
""")
        run = self.compare("--json", server=server)
        found = json.loads(self.check(run, 4))
        where = {"line": 2, "method": "tools/call"}
        self.assertEqual(found, {"differences": [
            {**where, "pointer": "/result/a/0/b", "recorded": 1,
             "now": "\x1b"},
            {**where, "pointer": "/result/a/1", "now": 2},
            {**where, "pointer": "/result/c", "recorded": 2}],
            "answers": 2, "same": 1, "different": 1})

    def test_ignore(self):
        server = self.different()
        run = self.compare("--ignore", "/result/c", "--ignore", "/result/a",
                           server=server)
        self.check(run, 0, "2 answers: 2 the same, 0 different\n")
        run = self.compare("--ignore", "/result/a/*/b", server=server)
        self.assertNotIn("/result/a/0/b", self.check(run, 4))

    def test_wrong_usage(self):
        self.write()
        for words, message in (
                (["--ignore", "a", "replay", "x", "--", "y"],
                 "--ignore a: not a JSON pointer such as"),
                (["--ignore", "/a", "replay", "x"],
                 "--ignore is for replay with a server"),
                (["--ignore", "/a", "tools", "--", "y"],
                 "--ignore is for replay with a server"),
                (["replay", "x", "--"], "no command after --"),
                (["--era", "legacy", "replay", "x"], "--root have no effect "
                 "on replay"),
                (["--root", "x", "record", "x", "--", "y"], "--root have no "
                 "effect on record"),
                (["--trace", "mock", "x"], "--root have no effect on mock"),
                (["--json", "record", "x", "--", "y"],
                 "--json has no effect on record"),
                (["--json", "replay", "x"],
                 "--json has no effect on replay without a server")):
            with self.subTest(words=words):
                self.check(url_ctl(*words), 1,
                           None if "--json" in words else "", message)

    def test_requests_wait_for_the_answers_before_them(self):
        """Except for those that were cancelled or that listen."""
        self.write(("client", {"id": 1, "method": "subscriptions/listen"}),
                   ("client", {"id": 2, "method": "x"}),
                   ("client", {"method": "notifications/cancelled",
                               "params": {"requestId": 2}}),
                   ("client", {"id": 3, "method": "y"}),
                   ("client", {"id": 4, "method": "z"}),
                   ("server", {"id": 4, "result": 4}),
                   ("server", {"id": 3, "result": 3}))
        log = self.file.with_suffix(".log")
        program = ("import json, sys\n"
                   "log = open(%r, 'w')\n"
                   "for line in sys.stdin:\n"
                   "  m = json.loads(line)\n"
                   "  print(m.get('id'), file=log, flush=True)\n"
                   "  if m.get('id', 0) > 2:\n"
                   "    print(json.dumps({'jsonrpc': '2.0', 'id': m['id'],\n"
                   "                      'result': m['id']}), flush=True)\n"
                   "    print('answered', file=log, flush=True)\n" % str(log))
        run = self.compare(server=[sys.executable, "-c", program])
        self.check(run, 0, "2 answers: 2 the same, 0 different\n")
        self.assertEqual(log.read_text().split(), [
            "1", "2", "None", "3", "answered", "4", "answered"])

    def test_questions_get_the_recorded_answers(self):
        session = [("client", {"id": 1, "method": "x"}),
                   ("server", {"id": "q", "method": "roots/list"}),
                   ("client", {"id": "q", "result": {"roots": [1]}}),
                   ("server", {"id": 1, "result": {}})]
        self.write(*session)
        program = ("import json, sys\n"
                   "sys.stdin.readline()\n"
                   "print('{\"jsonrpc\":\"2.0\",\"id\":7,"
                   "\"method\":\"roots/list\"}', flush=True)\n"
                   "m = json.loads(sys.stdin.readline())\n"
                   "print(json.dumps({'jsonrpc': '2.0', 'id': 1,\n"
                   "                  'result': m}), flush=True)\n"
                   "sys.stdin.read()\n")
        server = [sys.executable, "-c", program]
        run = self.compare("--json", server=server)
        [_, _, difference] = json.loads(self.check(run, 4))["differences"]
        self.assertEqual(difference["pointer"], "/result/result")
        self.assertEqual(difference["now"], {"roots": [1]})
        self.write(session[0], session[3])
        run = self.compare(server=server)
        self.check(run, 4, err="the recording has no answer to the server's "
                   "roots/list")

    def test_values_of_this_session_are_sent(self):
        """requestState, which the recording hides; cursors; ids of tasks."""
        self.write(
            ("client", {"id": 1, "method": "x"}),
            ("server", {"id": 1, "result": {"requestState": "[redacted]",
                                            "nextCursor": "c1",
                                            "tasks": [{"taskId": "t1"}]}}),
            ("client", {"id": 2, "method": "x", "params": {
                "requestState": "[redacted]", "cursor": "c1",
                "taskId": "t1", "name": "c1"}}),
            ("server", {"id": 2, "result": {}}))
        program = ("import json, sys\n"
                   "r = {'requestState': 's2', 'nextCursor': 'c2',\n"
                   "     'tasks': [{'taskId': 't2'}]}\n"
                   "for line in sys.stdin:\n"
                   "  m = json.loads(line)\n"
                   "  p = m.get('params')\n"
                   "  if p: r = {} if p == {'requestState': 's2',\n"
                   "    'cursor': 'c2', 'taskId': 't2', 'name': 'c1'} else p\n"
                   "  print(json.dumps({'jsonrpc': '2.0', 'id': m['id'],\n"
                   "                    'result': r}), flush=True)\n")
        run = self.compare(server=[sys.executable, "-c", program])
        self.check(run, 0, "2 answers: 2 the same, 0 different\n")
        self.assertEqual(run.stderr, "")

    def test_hidden_secrets_are_reported(self):
        session = [("client", {"id": 1, "method": "x",
                               "params": {"token": "[redacted]"}}),
                   ("server", {"id": 1, "result": {"secret": "[redacted]"}})]
        self.write(*session)
        server = self.served(session[0], (
            "server", {"id": 1, "result": {"secret": "other"}}))
        self.check(self.compare(server=server), 0, None,
                   "line 2: this message was recorded without its secrets")

    def test_servers_that_fail(self):
        self.write(("client", {"id": 1, "method": "x"}),
                   ("server", {"id": 1, "result": {}}))
        run = self.compare(server=["sh", "-c", "read x; exit 3"])
        self.check(run, 4, "0 answers: 0 the same, 0 different\n",
                   "sh: exited with status 3")
        run = self.compare(server=["no-such-server"])
        self.check(run, 4, "", "no-such-server")
        run = self.compare("--timeout", "0.3", server=["sh", "-c",
                                                       "read x; read y"])
        self.check(run, 124, None, "no answer within 0.3 s (--timeout)")

    def test_the_servers_standard_error(self):
        """It is shown if the server fails, or with --verbose, and cannot
        control the terminal."""
        self.write(("client", {"id": 1, "method": "x"}),
                   ("server", {"id": 1, "result": {}}))
        fails = ["sh", "-c", "printf 'why\\033[31m\\n' >&2; read x; exit 3"]
        run = self.compare(server=fails)
        self.check(run, 4, None, "last lines on standard error:\n"
                   "why\\x1b[31m\n")
        works = ["sh", "-c", "printf 'why\\033[31m\\n' >&2; read x; echo "
                 "'{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}'; read x"]
        self.assertEqual(self.compare(server=works).stderr, "")
        self.assertEqual(self.compare("-v", server=works).stderr,
                         "why\\x1b[31m\n")

    def test_programs_of_ours(self):
        data = ["workbench-server", ROOT / "examples/data"]
        for words, server in (
                (["call", "add", "a:=2", "b:=3"], ["hello-server"]),
                (["tools"], data),
                (["read", "file:///app.log"], data),
                (["call", "calculate_sum", "numbers:=[1,2]"], data),
                (["--era", "legacy", "--answer", "confirm=yes", "call",
                  "deploy", "environment=staging"], data)):
            for era in ("auto", "legacy", "modern"):
                with self.subTest(words=words, era=era):
                    self.file.unlink(missing_ok=True)
                    server = [str(BIN / server[0]), *map(str, server[1:])]
                    ctl("--era", era, *words, server=self.record(*server))
                    self.check(self.compare(server=server), 0, None, "")

    def test_at_a_url(self):
        self.needs_urls()
        for era in ("auto", "legacy", "modern"):
            self.file.unlink(missing_ok=True)
            ctl("--era", era, "call", "add", "a:=2", "b:=3",
                server=self.record(str(BIN / "hello-server")))
            with Served() as url:
                run = self.compare("--ignore", "/result/capabilities",
                                   server=url)
                self.assertRegex(self.check(run), "the same, 0 different")
