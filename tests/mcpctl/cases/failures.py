# SPDX-License-Identifier: MIT
"""Failures: what is reported, hints, JSON, traces."""
import contextlib
import http.server
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time

from support import (BIN, Case, FAKE, LIMIT, ROOT, Refusing, Served, command,
                     ctl, url_ctl)


class Traces(Case):
    """--trace over HTTP, and --trace-file."""

    def test_an_answer(self):
        self.needs_urls()
        with Served() as url:
            run = url_ctl("--trace", "--era", "legacy", url, "ping")
            self.check(run)
            lines = run.stderr.splitlines()
            at = lines.index("<-- HTTP/1.1 200 OK")
            self.assertEqual(lines[at - 1][:4], "--> ")
            self.assertIn("    Mcp-Session-Id: [redacted]", lines[at:])
            self.assertIn("<-- HTTP/1.1 202 Accepted", lines)

    def test_a_refusal(self):
        self.needs_urls()
        with Refusing() as (url, says):
            place = url.removeprefix("http")
            for wire in "http", "sse+http", "ws":
                says(503, b"one\x1b\ntoken=hush two", Retry_After="9",
                     Set_Cookie="id=hush", Location="/x?key=hush")
                run = url_ctl("--trace", wire + place, "info")
                self.check(run, 4)
                self.assertNotIn("hush", run.stderr)
                self.assertRegex(
                    run.stderr, r"(?s)<-- HTTP/1.1 503 Service Unavailable\n"
                    r"    .*    Retry-After: 9\n    Set-Cookie: \[redacted\]\n"
                    r"    Location: /x\?\[redacted\]\n")
                if wire != "ws":
                    self.assertIn("    | one\\u001b\n"
                                  "    | token=[redacted] two\n", run.stderr)

    def test_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace"
            run = ctl("--trace-file", str(path), "call", "echo", "a=b")
            self.check(run, 0)
            self.assertEqual(run.stderr, "")
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)
            first = path.read_text()
            self.assertEqual(first.split()[0], "-->")
            path.chmod(0o644)
            run = ctl("--trace", "--trace-file", str(path), "call", "echo",
                      "a=b")
            self.assertEqual(run.stderr, first)
            self.assertEqual(path.read_text(), first)
            self.assertEqual(path.stat().st_mode & 0o777, 0o600)
            self.check(ctl("--trace-file", folder, "info"), 1, "",
                       f"cannot write {folder}: Is a directory")
        self.check(ctl("--trace-file", "/dev/full", "ping"), 1, None,
                   "mcpctl: cannot write the whole trace\n")


class JsonErrors(Case):
    """Errors on standard output, with --json."""

    def error(self, *words, code, server=FAKE, **more):
        run = ctl("--json", *words, server=server, **more)
        self.check(run, code)
        self.assertIn("mcpctl: ", run.stderr)
        self.assertEqual(run.stdout.count("\n"), 1)
        shown = json.loads(run.stdout)
        self.assertEqual(list(shown), ["error"])
        return shown["error"]

    def test_an_error_of_the_server(self):
        self.assertEqual(self.error("prompt", "gret", code=4), {
            "code": -32602, "message": "not like this",
            "data": {"prompt": "gret"},
            "hint": "the server has no prompt 'gret'; did you mean 'greet'?"})
        self.assertEqual(self.error("call", "refuse", "text=no", code=4), {
            "code": -32602, "message": "no"})

    def test_an_error_without_an_answer(self):
        self.assertEqual(self.error("tols", code=1), {
            "code": "usage",
            "message": "unknown verb 'tols'; did you mean 'tools'?"})
        self.assertEqual(self.error("call", "form", code=6), {
            "code": "unanswered", "hint": "The fake asks: Who are you?",
            "message": "unanswered: name; answer on a terminal or with "
            "--answer name=VALUE"})
        self.assertEqual(self.error("--timeout", "1", "call", "hang",
                                    code=124)["code"], "timeout")
        self.assertEqual(self.error("tools", code=4, server=["/nonexistent"])
                         ["code"], "failed")
        shown = self.error("call", "strict", "x=1", code=1)
        self.assertEqual(shown["code"], "usage")
        self.assertIn("strict was not called", shown["message"])
        self.assertIn('missing the required member "pair"', shown["hint"])

    def test_logs_are_no_hints(self):
        shown = self.error("-v", "call", "break", code=4,
                           server=FAKE + ["noisy"])
        self.assertEqual(shown, {"code": -32603, "message": "internal error"})

    def test_a_refusal(self):
        self.needs_urls()
        with Refusing() as (url, says):
            says(401, b"who?", WWW_Authenticate="Basic realm=x")
            run = url_ctl(url, "tools", "--json")
            self.check(run, 3)
            shown = json.loads(run.stdout)["error"]
            self.assertEqual(shown["code"], "authorization")
            self.assertEqual(shown["hint"], "the server said: who?\n"
                             "WWW-Authenticate: Basic realm=x")

    def test_a_failure_that_is_a_result(self):
        run = ctl("--json", "call", "fail")
        self.check(run, 5)
        self.assertTrue(json.loads(run.stdout)["isError"])
        run = url_ctl("--json", "schema", "check", "/dev/null")
        self.check(run, 1)
        self.assertFalse(json.loads(run.stdout)[0]["valid"])

    def test_an_interrupt(self):
        run = subprocess.Popen(
            command(["-v", "--json", "call", "slow", "seconds:=30"], FAKE),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            stdin=subprocess.DEVNULL, start_new_session=True)
        run.stderr.read(1)  # it shows progress
        run.send_signal(signal.SIGINT)
        out, _ = run.communicate(timeout=LIMIT)
        self.assertEqual(run.returncode, 130)
        self.assertEqual(json.loads(out)["error"]["code"], "interrupted")


class Failures(Case):
    def test_a_tool_that_fails(self):
        for mode in ("legacy", "modern"):
            self.check(ctl("call", "fail", server=FAKE + [mode]), 5,
                       "it broke\n", "the tool reported an error")
        run = subprocess.run(command(["call", "fail"], FAKE), text=True,
                             stdin=subprocess.DEVNULL, timeout=LIMIT,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.check(run, 5, "it broke\nmcpctl: the tool reported an error\n")
        out = self.check(ctl("call", "--json", "fail"), 5)
        self.assertTrue(json.loads(out)["isError"])

    def test_a_peer_that_is_an_echo(self):
        run = ctl("tools", server=["cat"])
        self.check(run, 4, "", "sends the client's own requests back")
        self.assertNotIn("answered", run.stderr)
        run = ctl("--era", "modern", "tools", server=["cat"])
        self.check(run, 4, "", "sends the client's own requests back")
        self.assertNotIn("--era", run.stderr)
        for dialect in ("mcp-core", "mcp-core-bare", "mcp-core-rpc"):
            run = ctl("--dialect", dialect, "call", "x", server=["cat"])
            self.check(run, 4, "", "it repeats the request")

    def test_a_string_where_a_number_is_wanted(self):
        for era in ("legacy", "modern"):
            run = ctl("--era", era, "call", "add", "a=2", "b:=3",
                      server="hello-server")
            self.check(run, 0, "5\n", "")
            run = ctl("--era", era, "--no-convert", "call", "add", "a=2",
                      "b:=3", server="hello-server")
            self.check(run, 1, "")
            self.assertEqual(run.stderr, """\
mcpctl: /a: expected a number, got the string "2"
mcpctl: a=2 gives a string; for a number write a:=2
mcpctl: add was not called: its arguments are not valid; --no-validate sends \
them anyway
""")
            run = ctl("--era", era, "call", "--no-validate", "add", "a=2",
                      "b:=3", server="hello-server")
            self.check(run, 5, err="mcpctl: a=2 gives a string; for a number "
                       "write a:=2\n")
            self.assertNotIn("b:=3", run.stderr)
        for arg, complaint, hint in (
                ("n=1", "n\n  Input should be a valid integer", "n:=1"),
                ("n=true", "/n must be boolean", "n:=true"),
                ("n=[1]", "expected array at n", "n:=[1]"),
                ("n={}", "Expected object, received string: n", "n:={}"),
                ("n=1", "a valid integer, please, in nn", None),
                ("n=1", "n: no such file", None),
                ("n=1", "unknown member \"n\"; known are \"numbers\"", None),
                ("n=x", "/n must be a number", None),
                ("n:=1", "/n must be a number", None)):
            for tool, code in (("complain", 5), ("refuse", 4)):
                run = ctl("call", tool, "text=" + complaint, arg)
                self.check(run, code)
                if hint is None:
                    self.assertNotIn("gives a string", run.stderr)
                else:
                    self.assertIn("write " + hint, run.stderr)

    def test_a_type_in_the_complaint_of_another_argument(self):
        for complaint, is_hinted in (
                ("unknown member \"n\"\n/path: got the number 3", False),
                ("/path: got the number 3\nunknown member \"n\"", False),
                ("/path: got true\n/n: expected a number", True)):
            run = ctl("call", "complain", "text=" + complaint, "n=1")
            self.check(run, 5)
            self.assertEqual("write n:=1" in run.stderr, is_hinted)

    def test_an_unknown_tool(self):
        self.check(ctl("--no-validate", "call", "nope"), 4, "",
                   "error -32602: no tool nope")

    def test_a_missing_command(self):
        run = ctl("info", server=["/nonexistent/server"])
        self.check(run, 4, "", "/nonexistent/server")

    def test_a_server_that_dies_at_once(self):
        run = ctl("info", server=FAKE + ["dies"])
        self.check(run, 4, "", "exited with status 3")
        self.assertIn("\nno licence\nno luck\n", run.stderr)
        self.assertEqual(run.stderr.count("no luck"), 1)
        run = ctl("--verbose", "info", server=FAKE + ["dies"])
        self.check(run, 4, "", "status 3: it is started again")
        first, again, second = run.stderr.partition("it is started again")
        self.assertEqual(first.count("no luck"), 1)
        self.assertEqual(second.count("no luck"), 1)
        run = ctl("info", server=FAKE + ["killed"])
        self.check(run, 4, "", "ended by signal 9")

    def test_only_the_last_words_are_shown(self):
        run = ctl("info", server=FAKE + ["talks"])
        self.check(run, 4, "", "exited with status 1")
        shown = run.stderr.split("standard error:\n")[1]
        self.assertEqual(shown, "".join(
            "line %d\n" % i for i in range(10, 20)))
        run = ctl("info", server=FAKE + ["rambles"])
        self.check(run, 4, "")
        # 4096 bytes with the line feed, and the x of "exited".
        self.assertEqual(run.stderr.count("x"), 4095 + 1)

    def test_a_server_that_dies_in_a_call(self):
        run = ctl("call", "die")
        self.check(run, 4, "", "exited with status 9")
        self.assertIn("cannot go on:\\x1b[31m disk full\n", run.stderr)

    def test_a_server_with_an_internal_error(self):
        run = ctl("call", "break")
        self.check(run, 4, "", "error -32603: internal error\n")
        self.assertTrue(run.stderr.endswith(
            "The server's last lines on standard error:\n"
            "KeyError:\\x1b[31m 'price'\n"), run.stderr)
        run = ctl("call", "break", "code:=-32602")
        self.check(run, 4, "", "error -32602: internal error\n")
        self.assertNotIn("KeyError", run.stderr)

    def test_the_servers_last_lines_explain_only_its_own_failures(self):
        for words, code in ((["tools", "nope"], 4), (["call", "nope"], 1),
                            (["tasks"], 4), (["skills"], 4),
                            (["raw", "tasks/update"], 4),
                            (["read", "fake://none"], 4),
                            (["call", "form"], 6)):
            with self.subTest(words=words):
                run = ctl(*words, server=FAKE + ["noisy"])
                self.check(run, code)
                self.assertNotIn("ready", run.stderr)
        for words, code in ((["call", "break"], 4), (["call", "die"], 4),
                            (["--timeout", "0.5", "call", "hang"], 124)):
            with self.subTest(words=words):
                run = ctl(*words, server=FAKE + ["noisy"])
                self.check(run, code, "", "standard error:\nlistening\nready\n")

    def test_a_program_that_is_no_server(self):
        run = ctl("info", server=["true"])
        self.check(run, 4, "", "exited with status 0")

    def test_a_server_that_dies_of_the_probe(self):
        self.check(ctl("call", "echo", server=FAKE + ["fragile"]), 0, "{}\n")
        run = ctl("--trace", "call", "echo", server=FAKE + ["fragile"])
        self.check(run, 0, "{}\n", "server/discover")
        self.assertIn('"method":"initialize"', run.stderr)

    def test_silence(self):
        began = time.monotonic()
        run = ctl("--timeout", "1", "info", server=FAKE + ["silent"])
        self.check(run, 124, "", "no answer within 1 s")
        self.assertLess(time.monotonic() - began, 20)
        self.check(ctl("--timeout", "0.5", "call", "hang"), 124, "",
                   "no answer within 0.5 s")

    def test_commands_that_cannot_start(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "server.js").write_text("1")
            (pathlib.Path(folder) / "tool").write_text("1")
            lost = pathlib.Path(folder) / "lost"
            lost.write_text("#!/no/such\n")
            lost.chmod(0o700)
            for words, hint in (
                    (["./server.js"],
                     "this file is not a program: write -- node ./server.js"),
                    (["server.js"],
                     "a file of this name is here: write -- node server.js"),
                    (["tool"], "a file of this name is here: write -- ./tool"),
                    (["./tool"],
                     "this file is not a program: chmod +x makes a script one"),
                    (["./lost"], "the file is there, but not the interpreter "
                     "that its first line names"),
                    (["node server.js"], "this is one word: without the "
                     "quotes, the first word is the program, and the others "
                     "are its arguments")):
                with self.subTest(words=words):
                    run = ctl("info", server=words, cwd=folder)
                    self.check(run, 4, "", "cannot start ")
                    self.assertEqual(run.stderr.splitlines()[1:],
                                     ["mcpctl: " + hint])

    def test_limits_of_connecting(self):
        """Only --timeout raises the transport's own limit of 10 s."""
        self.needs_urls()
        with socket.create_server(("127.0.0.1", 0), backlog=0) as listener:
            place = "%s:%d" % listener.getsockname()
            full = []
            for _ in range(4):
                full.append(socket.socket())
                full[-1].setblocking(False)
                full[-1].connect_ex(listener.getsockname())
            begun = time.monotonic()
            runs = [subprocess.Popen(
                [BIN / "mcpctl", *words, url, "info"], text=True,
                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
                for url in (f"http://{place}/mcp", f"tcp://{place}")
                for words in ([], ["--timeout", "11"])]
            said = [run.communicate(timeout=LIMIT)[1] for run in runs]
            self.assertGreaterEqual(time.monotonic() - begun, 11)
            for connection in full:
                connection.close()
        self.assertRegex(said[0], "/mcp: (Failed to connect|Connection timed out)")
        self.assertIn("no answer in time", said[2])
        for told in said[1], said[3]:
            self.assertIn("no answer within 11 s: --timeout sets this", told)
        self.assertEqual([run.returncode for run in runs], [124, 124, 4, 124])

    def test_garbage(self):
        run = ctl("--timeout", "3", "info", server=FAKE + ["garbage"])
        self.check(run, 124, "", "wrote something that is not a message to its ")
        self.assertIn(': "Welcome to the fake server! token=[redacted]"\n',
                      run.stderr)
        self.assertEqual(run.stderr.count("not a message"), 1)

    def test_a_warning_of_garbage(self):
        """One for each run, whatever the verb."""
        for words in (["call", "echo"], ["tools"], ["info"], ["ping"],
                      ["raw", "ping"]):
            run = ctl(*words, server=FAKE + ["chatty"])
            self.check(run, 0)
            self.assertRegex(run.stderr, r"\Amcpctl: warning: the server wrote "
                             "something that is not a message to its standard "
                             r"output \(logs belong on standard error\): "
                             ".*Welcome to the fake server!.*\n\\Z")
        run = ctl("--verbose", "call", "echo", server=FAKE + ["chatty"])
        self.check(run, 0, "{}\n", "wrote something that is not a message")

    def test_a_flood_of_garbage_does_not_fill_the_terminal(self):
        run = ctl("--verbose", "call", "echo", server=FAKE + ["flood"])
        self.check(run, 0, "{}\n", "wrote something that is not a message")
        self.assertIn("reports were left out within a second", run.stderr)
        self.assertLess(len(run.stderr), 100000)

    def test_progress_is_a_sign_of_life(self):
        run = ctl("--timeout", "3", "call", "slow", "seconds:=1")
        self.check(run, 0, "done\n")

    def test_progress_without_end(self):
        began = time.monotonic()
        run = ctl("--timeout", "60", "--max-time", "1", "call", "endless")
        self.check(run, 124, "", "no answer within 1 s: "
                   "--max-time sets this limit")
        self.assertLess(time.monotonic() - began, 30)

    def test_a_total_limit_without_progress(self):
        run = ctl("--timeout", "60", "--max-time", "0.5", "call", "hang")
        self.check(run, 124, "", "no answer within 0.5 s: "
                   "--max-time sets this limit")

    def test_a_full_disk(self):
        with open("/dev/full", "w") as full:
            run = subprocess.run(command(["tools"], FAKE), stdout=full,
                                 stderr=subprocess.PIPE, text=True,
                                 stdin=subprocess.DEVNULL, timeout=LIMIT)
        self.check(run, 1, None, "cannot write to standard output")

    def test_closed_standard_streams(self):
        for closed, words, code, out, err in (
                (0, ["call", "echo"], 0, "{}\n", ""),
                (0, ["call", "echo", "-"], 1, "", "mcpctl: cannot read "
                 "standard input: Bad file descriptor\n"),
                (1, ["call", "echo"], 1, "",
                 "mcpctl: cannot write to standard output\n"),
                (2, ["call", "fail"], 5, "it broke\n", "")):
            with self.subTest(closed=closed, words=words):
                run = ctl(*words, preexec_fn=lambda fd=closed: os.close(fd))
                self.check(run, code, out)
                self.assertEqual(run.stderr, err)

    def interrupt(self, *words, mode="legacy", at, times=1):
        """Sends SIGINT when the trace contains a text."""
        process = subprocess.Popen(
            command(["--trace", *words], FAKE + [mode]), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, start_new_session=True)
        while at not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGINT)
        for _ in range(1, times):
            time.sleep(0.3)
            process.send_signal(signal.SIGINT)
        # Not communicate: a server that still runs keeps the pipes open.
        self.assertEqual(process.wait(LIMIT), 130)
        os.set_blocking(process.stderr.fileno(), False)
        err = process.stderr.read()
        process.stdout.close()
        process.stderr.close()
        return err

    def test_interrupts(self):
        for mode in ("legacy", "modern"):
            err = self.interrupt("call", "hang", mode=mode, at='"hang"')
            self.assertIn("notifications/cancelled", err)
            self.assertIn("mcpctl: interrupted", err)

    def test_an_interrupt_while_connecting(self):
        err = self.interrupt("info", mode="silent", at="server/discover")
        self.assertIn("mcpctl: interrupted", err)

    def test_a_second_interrupt_ends_it_at_once(self):
        began = time.monotonic()
        self.interrupt("info", mode="deaf", at="server/discover", times=2)
        self.assertLess(time.monotonic() - began, 3)


class Hints(Case):
    """Messages that say what is wrong with a URL and what to do."""

    def setUp(self):
        self.needs_urls()

    def hinted(self, said, hint, *words):
        run = url_ctl("--timeout", "20", *words, "info")
        self.check(run, 4, "", said)
        self.assertIn("mcpctl: " + hint, run.stderr)

    def test_an_error_of_the_tool_is_not_one_of_the_path(self):
        """mcp-core's own error 404, in an answer with HTTP status 200."""
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                asked = json.loads(self.rfile.read(
                    int(self.headers["Content-Length"])))
                body = json.dumps({
                    "jsonrpc": "2.0", "id": asked["id"],
                    "error": {"code": 404, "message": "no book"}}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            run = url_ctl("--dialect", "mcp-core", "--plain",
                          f"http://127.0.0.1:{server.server_port}/mcp",
                          "call", "--no-validate", "find")
        finally:
            server.shutdown()
            server.server_close()
        self.check(run, 4, "", "answered with error 404: no book")
        self.assertNotIn("at this path", run.stderr)

    def test_a_server_that_requires_a_token(self):
        with Refusing() as (url, says):
            login = f"run mcpctl {url} login"
            another = f"; to log in as another user, {login}\n"
            says(401, b"no")
            run = url_ctl(url, "info")
            self.check(run, 3, "")
            self.assertEqual(
                run.stderr, f"mcpctl: {url} demands a login (HTTP 401); "
                f"{login}, or give a token with --token-env VAR or a header "
                "with --header 'NAME: VALUE'\nmcpctl: the server said: no\n")
            says(403, b" not you:\x1b[31m see docs\r\n" + b"x" * 5000)
            run = url_ctl(url, "info")
            self.check(run, 3, "", r'answered HTTP 403: "not you:\u001b[31m '
                       'see docs"' + another)
            self.assertLess(len(run.stderr), 400)
            says(403, b'{"message":"not you"}')
            said = 'HTTP 403: "not you"' + another
            self.check(url_ctl(url, "info"), 3, "", said)
            run = url_ctl("--plain", url, "call", "--no-validate", "x")
            self.check(run, 3, "", said)
            says(403, b"\n<html>log in</html>")
            self.check(url_ctl(url, "info"), 3, "",
                       "answered HTTP 403" + another)

    def test_a_server_that_refuses_what_the_command_line_gives(self):
        env = {**os.environ, "TOKEN": "xyzzy"}
        with Refusing() as (url, says):
            with_user = url.replace("//", "//me:secret@")
            for words, advice in (
                    (("--header", "authorization: Bearer x", url),
                     "check the Authorization that --header gives"),
                    ((with_user,), "check the user and the password in the "
                     "URL"),
                    (("--token-env", "TOKEN", url),
                     "check the token in the variable TOKEN (--token-env)")):
                for status in 401, 403:
                    says(status, b"")
                    run = url_ctl(*words, "info", env=env)
                    self.check(run, 3, "", f"; {advice}\n")
                    self.assertEqual(run.stderr.count("\n"), 1, run.stderr)
                    self.assertNotRegex(run.stderr, "secret|xyzzy|login")

    def test_what_a_refusal_says_is_shown(self):
        """The first line of the body, and the headers that say what to do."""
        challenge = 'Bearer realm="x", error="invalid_token"'
        with Refusing() as (url, says):
            place = url.removeprefix("http")
            for wire in "http", "sse+http", "ws":
                with self.subTest(wire=wire):
                    says(429, b"\n slow down\r\nplease", Retry_After="120")
                    run = url_ctl(wire + place, "info")
                    self.check(run, 4, "", "answered HTTP 429")
                    self.assertIn("mcpctl: Retry-After: 120\n", run.stderr)
                    if wire != "ws":
                        self.assertIn("slow down", run.stderr)
                    self.assertNotIn("please", run.stderr)
                    says(401, b'{"detail": "who are you?"}',
                         WWW_Authenticate=challenge)
                    run = url_ctl(wire + place, "info")
                    self.check(run, 3, "", "--header 'NAME: VALUE'\n")
                    self.assertIn(f"mcpctl: WWW-Authenticate: {challenge}\n",
                                  run.stderr)
                    if wire != "ws":
                        self.assertIn("mcpctl: the server said: who are you?\n",
                                      run.stderr)

    def test_the_message_of_a_refusal_in_json(self):
        with Refusing() as (url, says):
            for body, said in (
                    (b'{"message": "no more\\ntoday"}', 'HTTP 500: "no more"'),
                    (b'{"error": {"message": "no"}}', 'HTTP 500: "no"'),
                    (b'{"error": "x", "error_description": "too old"}',
                     'HTTP 500: "too old"'),
                    (b'{"a": 1}', 'HTTP 500: "{"a": 1}"')):
                says(500, body)
                run = url_ctl(url, "info")
                self.check(run, 4, "")
                self.assertEqual(run.stderr, f"mcpctl: {url} answered {said}\n")

    def test_a_redirect_names_the_new_url(self):
        with Refusing() as (url, says):
            there = url.removesuffix("/mcp") + "/new"
            for status, why in (
                    (301, "it would make a GET of the POST; use that URL"),
                    (302, "it would make a GET of the POST; use that URL"),
                    (307, "more than 5 redirects of one request are not "
                     "followed"),
                    (308, "more than 5 redirects of one request are not "
                     "followed")):
                for place in "/new", there:
                    says(status, b"", Location=place)
                    run = url_ctl(url, "info")
                    self.check(run, 4, "")
                    self.assertEqual(
                        run.stderr, f"mcpctl: {url} answered HTTP {status}: it "
                        f"leads to {there}: {why}\n")
            says(307, b"", Location="https://other.example/mcp")
            self.check(url_ctl(url, "info"), 4, "", "it leads to https://"
                       "other.example/mcp: redirects are followed within the "
                       "origin only; use that URL if you trust it\n")

    def test_a_refusal_shows_no_secret(self):
        """The server repeats what it was sent."""
        env = {**os.environ, "TOKEN": "xyzzy-1234"}
        with Refusing() as (url, says):
            for words in (("--token-env", "TOKEN", url),
                          ("--header", "X-Key: xyzzy-1234", url),
                          (url.replace("//", "//me:xyzzy-1234@"),)):
                says(401, b"no: {sent}\n", WWW_Authenticate="Digest x={sent}")
                run = url_ctl("--trace", *words, "info", env=env)
                self.check(run, 3, "", "WWW-Authenticate: Digest x=......\n")
                self.assertNotRegex(run.stderr, "xyzzy|bWU6eHl6enktMTIzNA")

    def test_the_words_of_a_refusal_are_no_symptoms(self):
        with Refusing() as (url, says):
            says(502, b"upstream: Connection reset by peer")
            run = url_ctl(url, "info")
            self.check(run, 4, "", 'answered HTTP 502: "upstream: Connection '
                       'reset by peer"')
            self.assertNotIn("TLS", run.stderr)
            says(418, b"Empty reply: it is not an MCP server")
            run = url_ctl("--era", "modern", url, "info")
            self.check(run, 4, "", "answered HTTP 418")
            self.assertNotIn("TLS", run.stderr)
            self.assertIn("without this option, mcpctl finds out", run.stderr)

    def test_a_port_that_is_none(self):
        for port in "99999", "x":
            run = url_ctl(f"http://me:secret@127.0.0.1:{port}/mcp?a=b", "info")
            self.check(run, 1, "", f'the port "{port}" is not a number from 1')
            self.assertNotIn("secret", run.stderr)

    def test_a_wrong_path_and_no_server(self):
        with Served() as url:
            self.hinted("answered HTTP 404", "there is no MCP server at this",
                        url + "s")
            run = url_ctl("--dialect", "mcp-core", "--plain", url + "s",
                          "call", "--no-validate", "add")
            self.check(run, 4, "", "HTTP 404")
            self.assertIn("there is no MCP server at this", run.stderr)
            self.hinted("error", "the server does not speak TLS at this port",
                        url.replace("http", "https"))
        self.hinted("Failed to connect", "is the server running", url)
        run = url_ctl("--era", "modern", url, "info")
        self.check(run, 4, "", "is the server running")
        self.assertNotIn("--era", run.stderr)  # nobody was there to speak it
        self.check(url_ctl("--plain", "ws://example.com", "info"), 1, "",
                   "not with ws://example.com")

    def test_a_proxy(self):
        run = url_ctl("http://example.org/mcp", "ping", env={
            **os.environ, "http_proxy": "http://127.0.0.1:1", "no_proxy": ""})
        self.check(run, 4, "", "Or does http_proxy or https_proxy name")

    def test_another_wire(self):
        """Uses each URL scheme at a server of another transport."""
        with Served() as url:
            place = url.removeprefix("http")
            self.hinted("answered HTTP 400", "the server speaks another "
                        "transport, or requires TLS: try http:// or wss://\n",
                        "ws" + place)
            self.hinted("answered HTTP 400", "the server speaks another "
                        "transport, or requires TLS: try http:// or "
                        "sse+https://\n", "sse+" + url)
            self.hinted("error", "the server does not speak TLS at this port: "
                        "try ws://\n", "wss" + place)
            self.hinted("closed the connection", "the server may not speak MCP "
                        "in lines: try http:// or ws://\n",
                        "tcp" + place.removesuffix("/mcp"))
        with Served(wire="--ws") as url:
            place = url.removeprefix("ws")
            self.hinted("answered HTTP 405", "something else answers at this "
                        "path", "http" + place)
            self.hinted("answered HTTP 426", "the server speaks WebSocket at "
                        "this path: try ws:// or wss://\n", "sse+http" + place)
        with Served(wire="--sse") as url:
            self.hinted("answered HTTP 200", "the server speaks another "
                        "transport: try http://\n", url.replace("http", "ws"))
        with Served(wire="--tcp") as url:
            self.hinted("HTTP/0.9", "the server does not speak HTTP: is the "
                        "port right? Is it a port for tcp://? Or try https://\n",
                        url.replace("tcp", "http"))
            self.hinted("the server ended the connection", "the server may not "
                        "speak HTTP", url.replace("tcp", "ws"))
        self.hinted("connection refused", "is the server running", url)

    def test_tls(self):
        certs = ROOT / "tests/http/certs"
        one, two = str(certs / "one.pem"), str(certs / "two.pem")
        with Served("--tls-cert", one, "--tls-key", one) as url:
            self.hinted("answered HTTP 400", "the server may not speak MCP, or "
                        "it may require TLS", url.replace("https", "http"))
            self.hinted("certificate", "--cacert FILE trusts", url)
            self.hinted("certificate", "--cacert FILE trusts", "--cacert", two,
                        url)
            self.hinted("certificate", "--cacert needs", "--cacert",
                        "/dev/null", url)
            self.hinted("certificate", "--cert needs", "--cacert", one,
                        "--cert", "/dev/null", url)
            for wire in ("wss", "sse+https"):
                self.hinted("certificate", "--cacert FILE trusts",
                            wire + url.removeprefix("https"))
            self.hinted("answered HTTP 400", "the server speaks another "
                        "transport, or requires TLS: try http:// or wss://\n",
                        url.replace("https", "ws"))
            self.check(url_ctl("--cacert", one, url, "ping"))
            self.check(url_ctl("--insecure", url, "ping"))

    def test_a_peer_that_is_not_an_mcp_server(self):
        page = b"<html>"
        is_page = (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
                   b"Content-Length: 6\r\n\r\n")
        for wire, head, said, hint in (
                ("http", is_page, "neither JSON nor events",
                 "this is not an MCP server; is it a web page?"),
                ("sse+http", is_page, "is not a stream of events",
                 "something else answers at this path, or the server speaks "
                 "HTTP without SSE: try http://\n"),
                ("http", b"HTTP/1.1 501 No\r\nContent-Length: 6\r\n\r\n",
                 "answered HTTP 501", "another kind of web server answers"),
                ("http", b"220 smtp.example ESMTP\r\n", "HTTP/0.9",
                 "the server does not speak HTTP")):
            with socket.create_server(("127.0.0.1", 0)) as listener:
                answerer = threading.Thread(target=self.answer, args=(
                    listener, head + page))
                answerer.start()
                url = "%s://127.0.0.1:%d/" % (wire, listener.getsockname()[1])
                try:
                    self.hinted(said, hint, url)
                finally:
                    listener.shutdown(socket.SHUT_RDWR)
                    answerer.join()

    @staticmethod
    def answer(listener, answer):
        """Gives each client the same answer to its first bytes."""
        while True:
            try:
                peer, _ = listener.accept()
            except OSError:  # what a listener that was shut down says
                return
            with peer, contextlib.suppress(ConnectionError):
                if peer.recv(65536):
                    peer.sendall(answer)
                    peer.shutdown(socket.SHUT_WR)
                    while peer.recv(65536):  # the rest of the request
                        pass
