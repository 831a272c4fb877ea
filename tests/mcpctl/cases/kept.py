# SPDX-License-Identifier: MIT
"""The verbs `start`, `stop` and `status`, and their use by others."""
import contextlib
import fcntl
import http.server
import json
import os
import pathlib
import re
import resource
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from support import BIN, Case, FAKE, HERE, LIMIT, ROOT, Served, Terminal


class Legacy(http.server.BaseHTTPRequestHandler):
    """A server of 2025-11-25 at a URL."""

    def judge(self, message):
        """The status and the headers of an answer."""
        return 200, {}

    def answer(self, message):
        result = {"protocolVersion": "2025-11-25", "tools": [],
                  "capabilities": {"tools": {}},
                  "serverInfo": {"name": "x", "version": "1"}}
        return json.dumps({"jsonrpc": "2.0", "id": message["id"],
                           "result": result}).encode()

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        message = json.loads(self.rfile.read(length))
        status, headers = self.judge(message)
        if status == 200 and message["method"] == "server/discover":
            status = 400
        is_answered = status == 200 and "id" in message
        body = self.answer(message) if is_answered else b""
        self.send_response(202 if status == 200 and not body else status)
        for name, value in headers.items():
            self.send_header(name, value)
        if body:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.send_response(405)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_DELETE(self):
        self.do_GET()


class Keep(Case):
    """Servers that `start` keeps running for later commands."""

    KEPT = [sys.executable, str(HERE / "fake_kept.py")]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name).resolve()
        self.own = self.top / ".config/mcpctl/mcpctl.json"
        self.own.parent.mkdir(parents=True)
        self.runtime = self.top / "run"
        self.runtime.mkdir(mode=0o700)
        self.gate = self.top / "gate"
        self.env = {"PATH": f"{BIN}:{os.environ['PATH']}",
                    "HOME": str(self.top), "XDG_RUNTIME_DIR": str(self.runtime)}
        for name in set(os.environ) & {"ASAN_OPTIONS", "UBSAN_OPTIONS",
                                       "TSAN_OPTIONS", "LD_LIBRARY_PATH"}:
            self.env[name] = os.environ[name]
        self.put(old=self.kept("legacy"), new=self.kept("modern"),
                 slow=self.kept("slow", env={"SLOW_GATE": str(self.gate)}))
        self.addCleanup(self.stop_all)

    def stop_all(self):
        """No process is left, and no sanitizer has found anything."""
        found = self.sessions()
        self.check(self.run_ctl("stop", "--all"))
        for one in found:
            self.expect_ended(one["pid"])
        for log in self.top.glob(".local/state/mcpctl/*.log*"):
            self.assertNotIn("Sanitizer", log.read_text())

    def kept(self, *words, **more):
        return {"command": self.KEPT[0], "args": [*self.KEPT[1:], *words],
                **more}

    def put(self, **servers):
        self.own.write_text(json.dumps({"mcpServers": servers}))

    def popen(self, *words, **more):
        return subprocess.Popen(
            [BIN / "mcpctl", *words], text=True, env=self.env,
            stdin=more.pop("stdin", subprocess.DEVNULL), cwd=self.top,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def run_ctl(self, *words, **more):
        return subprocess.run(
            [BIN / "mcpctl", *words], text=True, stdin=subprocess.DEVNULL,
            capture_output=True, cwd=more.pop("cwd", self.top), env=self.env,
            timeout=LIMIT, **more)

    def sessions(self):
        run = self.run_ctl("--json", "status")
        return json.loads(self.check(run))["sessions"]

    def start(self, name, *words):
        run = self.run_ctl(*words, name, "start")
        self.check(run, 0, err="")
        pid = re.fullmatch(
            rf"{name}: started \(process (\d+)\); it ends after .* without "
            r"use\n", run.stdout)
        self.assertTrue(pid, run.stdout)
        return int(pid[1])

    def call(self, name, tool, *words):
        return self.check(self.run_ctl(name, "call", tool, *words)).strip()

    def is_running(self, pid):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        # A process whose parent has not read its status has ended as well.
        with contextlib.suppress(OSError):
            stat = pathlib.Path(f"/proc/{pid}/stat").read_text()
            return stat.rsplit(")", 1)[1].split()[0] != "Z"
        return True

    def until(self, condition, what):
        end = time.monotonic() + LIMIT
        while not condition():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.01)

    def expect_ended(self, pid):
        self.until(lambda: not self.is_running(pid), f"{pid} still runs")

    def sockets(self):
        return sorted(self.runtime.glob("mcpctl/*.sock"))

    def test_one_server_for_many_commands(self):
        for name in ("old", "new"):
            with self.subTest(name=name):
                self.assertNotEqual(self.call(name, "pid"),
                                    self.call(name, "pid"))
                process = self.start(name)
                server = self.call(name, "pid")
                self.assertEqual(self.call(name, "pid"), server)
                run = self.run_ctl("--no-session", name, "call", "pid")
                self.assertNotEqual(self.check(run).strip(), server)
                run = self.run_ctl("--verbose", name, "call", "pid")
                self.check(run, 0, server + "\n",
                           f"uses the session of {name} (process {process})")
                run = self.run_ctl(name, "start")
                self.check(run, 0, f"{name}: runs already (process {process})\n")
                seen = self.call(name, "seen").split()
                self.assertEqual(seen.count("server/discover"), 1)
                self.assertEqual(seen.count("initialize"), int(name == "old"))
                self.check(self.run_ctl(name, "stop"), 0, f"{name}: stopped\n")
                self.expect_ended(process)
                self.expect_ended(int(server))
                self.check(self.run_ctl(name, "stop"), 0,
                           f"{name}: no session runs\n")
        self.assertEqual(self.sockets(), [])

    def test_the_output_is_that_of_the_server_itself(self):
        for words in (["info"], ["--json", "info"], ["tools"], ["ping"],
                      ["--json", "tools"], ["call", "grumble"], ["raw", "x/y"],
                      ["--json", "call", "grumble"], ["call", "nothing"],
                      ["prompts"], ["complete", "greet", "who=a"]):
            for name in ("old", "new"):
                with self.subTest(words=words, name=name):
                    *options, verb = words[:1] if words[0] != "--json" else (
                        words[:2])
                    line = [*options, name, verb, *words[len(options) + 1:]]
                    direct = self.run_ctl(*line)
                    self.run_ctl(name, "start")
                    through = self.run_ctl(*line)
                    self.run_ctl(name, "stop")
                    self.assertEqual(through.returncode, direct.returncode)
                    self.assertEqual(through.stderr, direct.stderr)
                    plain = [re.sub(r"[\d.]+ (ms|µs)", "", run.stdout)
                             for run in (direct, through)]
                    self.assertEqual(plain[1], plain[0])

    def test_status(self):
        self.check(self.run_ctl("status"), 0, "(no sessions)\n")
        self.check(self.run_ctl("old", "status"), 4, "",
                   "mcpctl: old: no session runs; mcpctl old start begins one")
        run = self.run_ctl("--json", "old", "status")
        self.assertEqual(json.loads(self.check(run, 4)), {"sessions": []})
        process = self.start("old", "--idle", "600")
        other = self.start("new")
        self.call("old", "pid")
        one, two = self.sessions()
        self.assertEqual(
            (one["name"], one["pid"], one["clients"], one["file"]),
            ("new", other, 0, str(self.own)))
        self.assertEqual((two["name"], two["pid"]), ("old", process))
        self.assertGreater(two["requests"], 0)
        self.assertIn(two["idleLeft"], range(500, 601))
        self.assertTrue(two["log"].startswith(
            str(self.top / ".local/state/mcpctl/old-")))
        self.assertEqual(pathlib.Path(two["log"]).stat().st_mode & 0o777, 0o600)
        self.assertNotIn("definition", two)
        out = self.check(self.run_ctl("old", "status"))
        self.assertRegex(out, r"NAME +PROCESS +SINCE +CLIENTS +REQUESTS +IDLE "
                              rf"LEFT +LOG\nold +{process} +20.* s +/.*log\n\Z")
        self.check(self.run_ctl("stop", "--all"), 0,
                   "new: stopped\nold: stopped\n")
        self.check(self.run_ctl("stop", "--all"), 0, "(no sessions)\n")

    def hold(self, name, label):
        """A call that waits, and has shown its progress."""
        call = self.popen("--verbose", name, "call", "hold", f"name={label}")
        line = ""
        while "holding" not in line:
            line = call.stderr.readline()
            self.assertTrue(line, "no progress")
        self.assertIn(f"holding {label}", line)
        return call

    def test_two_calls_at_once(self):
        for name in ("old", "new"):
            with self.subTest(name=name):
                self.start(name)
                first = self.hold(name, "first")
                second = self.hold(name, "second")
                state = self.sessions()[0]
                self.assertEqual(state["clients"], 2)
                self.assertNotIn("idleLeft", state)
                self.assertEqual(self.call(name, "release"), "2")
                for call, other in (first, "second"), (second, "first"):
                    out, err = call.communicate(timeout=LIMIT)
                    self.assertEqual((call.returncode, out),
                                     (0, "released\n"))
                    self.assertNotIn(other, err)
                self.run_ctl(name, "stop")

    def test_an_interrupted_call_is_cancelled(self):
        for name in ("old", "new"):
            with self.subTest(name=name):
                self.start(name)
                first = self.hold(name, "first")
                second = self.hold(name, "second")
                first.send_signal(signal.SIGINT)
                first.communicate(timeout=LIMIT)
                self.assertEqual(first.returncode, 130)
                third = self.hold(name, "third")
                third.kill()
                third.communicate(timeout=LIMIT)
                self.until(lambda: self.call(name, "seen").count(
                    "notifications/cancelled") == 2, "not cancelled")
                self.assertEqual(self.call(name, "release"), "1")
                self.assertEqual(second.communicate(timeout=LIMIT)[0],
                                 "released\n")
                self.run_ctl(name, "stop")

    def test_questions_go_to_the_one_who_calls(self):
        for name in ("old", "new"):
            with self.subTest(name=name):
                self.start(name)
                held = self.hold(name, "held")
                first = Terminal(
                    program=["env", "-C", self.top, BIN / "mcpctl", name,
                             "call", "ask", "message=first"], **self.env)
                first.expect("first")
                self.assertEqual(self.sessions()[0]["clients"], 2)
                run = self.run_ctl(name, "call", "ask", "message=which")
                self.check(run, 6, "", "which")
                run = self.run_ctl("--answer", "word=two", name, "call", "ask",
                                   "message=second")
                self.assertIn('"word": "two"', self.check(run))
                self.assertEqual(self.call(name, "release"), "1")
                held.communicate(timeout=LIMIT)
                first.expect("word")
                first.send("one\n")
                first.expect("Send this?")
                first.send("yes\n")
                code, out = first.finish()
                self.assertEqual(code, 0, out)
                self.assertIn('"word": "one"', out)
                self.run_ctl(name, "stop")

    def test_questions_of_2026_07_28_know_their_calls(self):
        self.start("new")
        calls = [self.popen(
            "--answer", f"word={word}", "new", "call", "ask",
            f"message={word}") for word in ("one", "two", "three")]
        for call, word in zip(calls, ("one", "two", "three")):
            out, err = call.communicate(timeout=LIMIT)
            self.assertEqual(call.returncode, 0, err)
            self.assertIn(f'"word": "{word}"', out)

    def shell(self, name, *words):
        return self.popen(*words, name, "shell", stdin=subprocess.PIPE)

    def watch(self, name, uri):
        """A watch, and the lines that it has printed."""
        watch = self.popen("--json", name, "watch", uri)
        lines = []
        reader = threading.Thread(
            target=lambda: lines.extend(iter(watch.stdout.readline, "")))
        reader.start()
        return watch, lines, reader

    def touch(self, name, uri, *seen):
        """Changes a resource until all these have a line about it: a watch that
        has just begun may not be known to the server."""
        def is_seen():
            self.call(name, "touch", f"uri={uri}")
            return all(any(uri in line for line in lines) for lines in seen)
        self.until(is_seen, f"no update of {uri}")

    def end_watch(self, watch, reader):
        watch.send_signal(signal.SIGINT)
        watch.wait(LIMIT)
        reader.join(LIMIT)
        watch.stdout.close()
        watch.stderr.close()

    def test_updates_go_to_those_who_watch(self):
        for name in ("old", "new"):
            with self.subTest(name=name):
                self.start(name)
                one, seen_one, reader_one = self.watch(name, "x://a")
                self.touch(name, "x://a", seen_one)
                two, seen_two, reader_two = self.watch(name, "x://b")
                three, seen_three, reader_three = self.watch(name, "x://a")
                self.touch(name, "x://b", seen_two)
                self.touch(name, "x://a", seen_three)
                if name == "old":
                    seen = self.call(name, "seen").split()
                    self.assertEqual(seen.count("x://a"), 1)
                self.end_watch(one, reader_one)
                del seen_three[:]
                self.touch(name, "x://a", seen_three)
                self.end_watch(two, reader_two)
                self.end_watch(three, reader_three)
                self.assertNotIn("x://a", "".join(seen_two))
                self.assertNotIn("x://b", "".join(seen_one + seen_three))
                if name == "old":
                    self.until(lambda: self.call(name, "seen").split().count(
                        "resources/unsubscribe") == 2, "still subscribed")
                self.run_ctl(name, "stop")

    def test_log_messages_go_to_those_who_want_them(self):
        self.start("old")
        run = self.run_ctl("--verbose", "old", "call", "log", "level=info",
                           "data=hello")
        self.check(run, 0, "logged\n", "hello")
        run = self.run_ctl("--verbose", "old", "call", "log", "level=debug",
                           "data=hello")
        self.check(run, 0, "logged\n")
        self.assertNotIn("hello", run.stderr)
        run = self.run_ctl("old", "call", "log", "level=info", "data=hello")
        self.check(run, 0, "logged\n")
        self.assertNotIn("hello", run.stderr)
        seen = self.call("old", "seen").split()
        self.assertEqual(seen.count("logging/setLevel"), 1)

    def test_an_idle_session_ends(self):
        process = self.start("old", "--idle", "0.3")
        server = int(self.call("old", "pid"))
        held = self.hold("old", "held")
        # Not idle: no time passes while a client is connected.
        self.assertNotIn("idleLeft", self.sessions()[0])
        self.assertEqual(self.call("old", "release"), "1")
        held.communicate(timeout=LIMIT)
        self.expect_ended(process)
        self.expect_ended(server)
        self.assertEqual(self.sockets(), [])
        self.assertNotEqual(int(self.call("old", "pid")), server)

    def test_a_stale_socket_stops_nobody(self):
        process = self.start("old")
        server = int(self.call("old", "pid"))
        os.kill(process, signal.SIGKILL)
        self.expect_ended(process)
        self.expect_ended(server)
        self.assertEqual(len(self.sockets()), 1)
        self.assertNotEqual(int(self.call("old", "pid")), server)
        self.check(self.run_ctl("status"), 0, "(no sessions)\n")
        self.start("old")
        self.assertEqual(self.call("old", "pid"), self.call("old", "pid"))

    def test_a_process_that_does_not_answer_stops_nobody(self):
        process = self.start("old")
        os.kill(process, signal.SIGSTOP)
        try:
            self.assertNotEqual(self.call("old", "pid"),
                                self.call("old", "pid"))
        finally:
            os.kill(process, signal.SIGCONT)

    def test_a_process_that_hangs_is_replaced(self):
        hung = self.start("old")
        os.kill(hung, signal.SIGSTOP)
        try:
            self.start("old")
            server = self.call("old", "pid")
        finally:
            os.kill(hung, signal.SIGCONT)
        os.kill(hung, signal.SIGTERM)
        self.expect_ended(hung)
        self.assertEqual(self.call("old", "pid"), server)

    def test_the_folder_must_be_private(self):
        folder = self.runtime / "mcpctl"
        folder.mkdir()
        folder.chmod(0o755)
        server = self.call("old", "pid")
        run = self.run_ctl("old", "start")
        self.check(run, 1, "", f"mcpctl: the folder {folder} cannot have the "
                   "sockets of sessions: other users may enter it; chmod 700 "
                   "makes it private\n")
        folder.rmdir()
        folder.symlink_to(self.top)
        run = self.run_ctl("old", "start")
        self.check(run, 1, "", "it is a symbolic link\n")
        self.check(self.run_ctl("status"), 1, "", "it is a symbolic link\n")
        self.assertNotEqual(self.call("old", "pid"), server)
        folder.unlink()

    def test_without_a_runtime_folder(self):
        del self.env["XDG_RUNTIME_DIR"]
        folder = pathlib.Path(f"/tmp/mcpctl-{os.getuid()}")
        self.start("old")
        self.assertEqual(folder.stat().st_mode & 0o777, 0o700)
        self.assertEqual(self.call("old", "pid"), self.call("old", "pid"))
        self.check(self.run_ctl("old", "stop"), 0, "old: stopped\n")
        self.env["XDG_RUNTIME_DIR"] = str(self.runtime)

    def test_two_starts_at_once(self):
        starts = [self.popen("slow", "start") for _ in range(3)]
        self.until(lambda: list(self.runtime.glob("mcpctl/*.lock")), "no lock")
        self.gate.touch()
        outs = sorted(start.communicate(timeout=LIMIT)[0] for start in starts)
        self.assertEqual([start.returncode for start in starts], [0, 0, 0])
        self.assertEqual(len(self.sessions()), 1)
        self.assertEqual([" ".join(out.split()[:2]) for out in outs],
                         ["slow: runs", "slow: runs", "slow: started"])
        self.assertEqual(list(self.runtime.glob("mcpctl/*.lock")), [])

    def children(self, pid):
        """Those of a process that has one thread."""
        return [int(word) for word in pathlib.Path(
            f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def test_a_start_that_cannot_listen(self):
        start = self.popen("slow", "start")
        self.until(lambda: list(self.runtime.glob("mcpctl/*.lock")), "no lock")
        shutil.rmtree(self.runtime / "mcpctl")
        self.gate.touch()
        out, err = start.communicate(timeout=LIMIT)
        self.assertEqual((start.returncode, out), (4, ""))
        self.assertRegex(err, "cannot listen on .*/slow-.*sock: No such file "
                              "or directory\n")

    def test_an_interrupted_start_leaves_nothing(self):
        start = self.popen("slow", "start")
        self.until(lambda: list(self.runtime.glob("mcpctl/*.lock")), "no lock")
        self.until(lambda: self.children(start.pid), "no process")
        child = self.children(start.pid)[0]
        self.until(lambda: self.children(child), "no server")
        start.send_signal(signal.SIGINT)
        self.gate.touch()  # the server reads the end of its input
        start.communicate(timeout=LIMIT)
        self.assertIn(start.returncode, (0, 130))
        if start.returncode == 130:
            self.expect_ended(child)
            self.assertEqual(self.sockets(), [])

    def test_a_server_that_dies(self):
        process = self.start("old")
        run = self.run_ctl("old", "call", "die")
        self.check(run, 4, "", "old: exited with status 7 before it answered")
        self.assertIn("goodbye\n", run.stderr)
        direct = self.run_ctl("--no-session", "old", "call", "die")
        self.assertEqual(direct.stderr, run.stderr)
        self.expect_ended(process)
        self.assertEqual(self.sockets(), [])
        self.call("old", "pid")

    def test_a_start_that_fails_reports_what_a_verb_does(self):
        self.put(dies={"command": FAKE[0], "args": [*FAKE[1:], "dies"]},
                 none={"command": "/nonexistent/x"},
                 garbage={"command": FAKE[0], "args": [*FAKE[1:], "garbage"]},
                 url={"url": "http://127.0.0.1:1/mcp"})
        for name in ("dies", "none", "garbage", "url"):
            with self.subTest(name=name):
                if name == "url":
                    self.needs_urls()
                start = self.run_ctl("--timeout", "2", name, "start")
                info = self.run_ctl("--timeout", "2", name, "info")
                said, wanted = (re.sub(r"after \d+ ms", "", run.stderr)
                                for run in (start, info))
                self.assertEqual((start.returncode, start.stdout, said),
                                 (info.returncode, "", wanted))
                self.assertEqual(self.sockets(), [])

    def test_a_server_without_an_answer(self):
        run = self.run_ctl("--timeout", "0.5", "slow", "start")
        self.gate.touch()
        self.check(run, 124, "", "the server sent no answer within 0.5 s: "
                   "--timeout sets this limit")

    def test_a_server_that_ends_at_the_first_question(self):
        self.put(fragile={"command": FAKE[0], "args": [*FAKE[1:], "fragile"]})
        self.start("fragile")
        self.check(self.run_ctl("fragile", "info"))

    def test_another_definition_is_another_session(self):
        self.start("old")
        server = self.call("old", "pid")
        for words in (["--env", "A=b"], ["--root", "."], ["--era", "legacy"],
                      ["--cwd", "/"]):
            run = self.run_ctl(*words, "old", "call", "pid")
            self.assertNotEqual(self.check(run).strip(), server)
        (self.top / "sub").mkdir()
        run = self.run_ctl("old", "call", "pid", cwd=self.top / "sub")
        self.assertNotEqual(self.check(run).strip(), server)
        self.assertEqual(self.call("old", "pid"), server)
        self.put(old=self.kept("legacy", env={"A": "b"}))
        self.assertNotEqual(self.call("old", "pid"), server)
        # It is still the server of this name and file.
        self.check(self.run_ctl("old", "stop"), 0, "old: stopped\n")

    def test_projects_do_not_mix(self):
        pids = []
        for project in ("a", "b"):
            folder = self.top / project
            folder.mkdir()
            (folder / ".mcp.json").write_text(json.dumps(
                {"mcpServers": {"same": self.kept("legacy")}}))
            self.check(self.run_ctl("same", "start", cwd=folder))
            run = self.run_ctl("same", "call", "pid", cwd=folder)
            pids.append(self.check(run))
        self.assertNotEqual(*pids)
        run = self.run_ctl("same", "stop", cwd=self.top / "a")
        self.check(run, 0, "same: stopped\n")
        run = self.run_ctl("same", "call", "pid", cwd=self.top / "b")
        self.check(run, 0, pids[1])

    def test_roots(self):
        run = self.run_ctl("--root", ".", "old", "start")
        self.check(run)
        run = self.run_ctl("--root", str(self.top), "old", "call", "roots")
        self.assertIn(f"file://{self.top}", self.check(run))
        seen = self.check(self.run_ctl("--root", ".", "old", "call", "seen"))
        self.assertEqual(seen.split().count("initialize"), 1)

    def words(self, line):
        run = subprocess.run(
            [BIN / "mcpctl", "complete-line", f"mcpctl {line}"], text=True,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT,
            env=self.env, cwd=self.top)
        return self.check(run, 0, err="").splitlines()

    def test_completion(self):
        """Also of a project's server, which completion does not start."""
        (self.top / ".mcp.json").write_text(json.dumps(
            {"mcpServers": {"project": self.kept("legacy")}}))
        self.assertEqual(self.words("project call p"), [])
        for name in ("old", "new", "project"):
            self.start(name)
            before = self.call(name, "seen").split().count("tools/list")
            self.assertEqual(self.words(f"{name} call p"), ["pid"])
            after = self.call(name, "seen").split().count("tools/list")
            self.assertGreater(after, before)

    def test_servers_at_a_url(self):
        self.needs_urls()
        for era in ("auto", "legacy", "modern"):
            with self.subTest(era=era), Served() as url:
                self.put(far={"url": url})
                options = [] if era == "auto" else ["--era", era]
                process = self.start("far", *options)
                for _ in range(2):
                    run = self.run_ctl(*options, "--verbose", "far", "call",
                                       "add", "a:=2", "b:=3")
                    self.check(run, 0, "5\n", "uses the session of far")
                self.check(self.run_ctl(*options, "far", "stop"), 0,
                           "far: stopped\n")
                self.expect_ended(process)

    def test_a_server_at_a_url_that_fails_later(self):
        self.needs_urls()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            status = 200

            def do_POST(self):
                length = int(self.headers["Content-Length"])
                message = json.loads(self.rfile.read(length))
                body = json.dumps({"jsonrpc": "2.0", "id": message["id"],
                                   "result": {
                    "resultType": "complete", "supportedVersions":
                    ["2026-07-28"], "capabilities": {"tools": {}},
                    "tools": [], "ttlMs": 0, "cacheScope": "private"}}).encode()
                is_fine = (self.status == 200
                           or message["method"] == "server/discover")
                self.send_response(200 if is_fine else self.status)
                self.send_header("Content-Type", "application/json" if is_fine
                                 else "text/plain")
                body = body if is_fine else b""
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        self.put(far={"url": f"http://127.0.0.1:{server.server_port}/mcp"})
        self.start("far")
        self.check(self.run_ctl("far", "tools"))
        for status, code in (503, 4), (500, 4), (401, 3), (403, 3):
            Handler.status = status
            run = self.run_ctl("far", "tools")
            self.check(run, code)
            direct = self.run_ctl("--no-session", "far", "tools")
            self.assertEqual(run.stderr, direct.stderr)
        server.shutdown()
        server.server_close()
        thread.join()

    @contextlib.contextmanager
    def served_by(self, handler):
        """Gives the URL of a server that the handler of http.server makes."""
        handler.protocol_version = "HTTP/1.1"
        handler.log_message = lambda *_: None
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/mcp"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def test_a_server_that_forgets_its_session(self):
        """Then the session ends: only a client could begin another one."""
        self.needs_urls()

        class Handler(Legacy):
            sessions = []

            def judge(self, message):
                number = self.headers.get("Mcp-Session-Id")
                if message["method"] == "initialize":
                    self.sessions.append(str(len(self.sessions)))
                    return 200, {"Mcp-Session-Id": self.sessions[-1]}
                return 200 if number in self.sessions else 404, {}

        with self.served_by(Handler) as url:
            self.put(far={"url": url})
            process = self.start("far")
            self.check(self.run_ctl("far", "tools"))
            Handler.sessions[:] = [None]
            run = self.run_ctl("far", "tools")
            self.check(run, 4, "", "ended the session, and has not acted on "
                                   "this request")
            self.expect_ended(process)
            self.assertEqual(self.sockets(), [])
            self.check(self.run_ctl("far", "tools"))

    def test_what_is_not_json_has_no_lines(self):
        """A client must not read the lines of an answer as messages."""
        self.needs_urls()

        class Handler(Legacy):
            body = b""

            def answer(self, message):
                if message["method"] != "tools/list" or not self.body:
                    return super().answer(message)
                return self.body

        forged = "\n".join(json.dumps(
            {"jsonrpc": "2.0", "id": number, "result": {"tools": []}})
            for number in range(20))
        with self.served_by(Handler) as url:
            self.put(far={"url": url})
            self.start("far")
            Handler.body = f"{{nonsense\n{forged}\n".encode()
            direct = self.run_ctl("--no-session", "far", "tools")
            through = self.run_ctl("far", "tools")
            self.check(direct, 4, "")
            self.check(through, 4, "", direct.stderr.splitlines()[0])

    def test_a_shell_of_many_lines(self):
        self.start("old")
        shell = self.shell("old")
        out, err = shell.communicate("call pid\ncall pid\ntools\n",
                                     timeout=LIMIT)
        self.assertEqual(shell.returncode, 0, err)
        first, second = out.split()[:2]
        self.assertEqual((first, second), (self.call("old", "pid"),) * 2)

    def test_other_verbs_use_it(self):
        self.start("old")
        self.start("new")
        suite = self.top / "suite.json"
        suite.write_text(json.dumps({"tests": [
            {"name": "a", "call": "release", "expect": {"text": "0"}}]}))
        for words in (["diff", "old", "new"], ["old", "test", str(suite)],
                      ["old", "snapshot", str(self.top / "snapshot")],
                      ["old", "snapshot", "--overwrite",
                       str(self.top / "snapshot")]):
            with self.subTest(words=words):
                before = self.call("old", "seen").split()
                run = self.run_ctl(*words)
                self.assertNotEqual(run.returncode, 1, run.stderr)
                self.assertNotEqual(run.returncode, 4, run.stderr)
                after = self.call("old", "seen").split()
                self.assertGreater(len(after), len(before) + 1)
                self.assertEqual(after.count("initialize"), 1)
        before = self.call("old", "seen").split()
        self.check(self.run_ctl("--duration", "0.1", "old", "bench"))
        after = self.call("old", "seen").split()
        self.assertLessEqual(len(after), len(before) + 2)

    def test_a_task_outlives_its_command(self):
        self.put(work={"command": str(BIN / "workbench-server"),
                        "args": [str(ROOT / "examples/data")]})
        for era in ("legacy", "modern"):
            with self.subTest(era=era):
                self.start("work", "--era", era)
                begun = self.run_ctl("--era", era, "work", "call", "--detach",
                                     "count_slowly", "to:=20", "delay_ms:=20")
                task = self.check(begun).strip()
                self.assertEqual(begun.stderr, "")
                run = self.run_ctl("--era", era, "--verbose", "work", "task",
                                   task, "--wait")
                self.check(run, 0, "Counted to 20\n", "20/20 counting\n")
                self.check(self.run_ctl("--era", era, "work", "stop"), 0,
                           "work: stopped\n")

    def test_a_signal_ends_the_session(self):
        process = self.start("old")
        server = int(self.call("old", "pid"))
        os.kill(process, signal.SIGTERM)
        self.expect_ended(process)
        self.expect_ended(server)
        self.assertEqual(self.sockets(), [])

    def test_a_server_that_does_not_end_is_killed(self):
        self.put(stubborn=self.kept("stubborn"))
        process = self.start("stubborn")
        server = int(self.call("stubborn", "pid"))
        self.check(self.run_ctl("stubborn", "stop"), 0, "stubborn: stopped\n")
        self.expect_ended(server)
        self.expect_ended(process)

    def test_stop_ends_what_others_wait_for(self):
        self.start("old")
        held = self.hold("old", "held")
        self.check(self.run_ctl("old", "stop"), 0, "old: stopped\n")
        held.communicate(timeout=LIMIT)
        self.assertEqual(held.returncode, 4)

    def test_too_many_clients(self):
        """One more client than may be there talks to the server itself."""
        process = self.start("old")
        path = str(self.sockets()[0])
        taken = []
        for _ in range(64):
            one = socket.socket(socket.AF_UNIX)
            one.connect(path)
            taken.append(one)
        server = self.call("old", "pid")
        self.assertNotEqual(self.call("old", "pid"), server)
        for one in taken:
            one.close()
        self.until(lambda: self.call("old", "pid") == self.call("old", "pid"),
                   "not used again")
        self.assertTrue(self.is_running(process))

    def test_a_client_that_does_not_read_stops_nobody(self):
        process = self.start("old")
        with socket.socket(socket.AF_UNIX) as one:
            one.settimeout(LIMIT)
            one.connect(str(self.sockets()[0]))
            one.sendall(b'{"id":1,"method":"ping"}\n')
            self.assertTrue(one.recv(1000))
            for _ in range(3):  # more than the system keeps for it
                self.call("old", "shout", "lines:=1000")
            self.assertEqual(self.sessions()[0]["clients"], 1)
            self.check(self.run_ctl("old", "stop"), 0, "old: stopped\n")
            self.expect_ended(process)

    def test_what_is_not_a_message(self):
        process = self.start("old")
        for line in (b"nothing\n", b"[]\n", b"{}\n", b"null\n",
                     b'{"id":1,"method":7}\n'):
            one = socket.socket(socket.AF_UNIX)
            one.settimeout(LIMIT)
            one.connect(str(self.sockets()[0]))
            one.sendall(line)
            self.assertEqual(one.recv(1000), b"")
            one.close()
        self.assertTrue(self.is_running(process))
        self.call("old", "pid")

    def test_the_log(self):
        process = self.start("old")
        log = pathlib.Path(self.sessions()[0]["log"])
        shell = self.shell("old")
        shell.communicate("call grumble\n" * 20, timeout=LIMIT)
        self.assertEqual(log.read_text().count("it grumbles\n"), 20)
        self.assertTrue(self.is_running(process))

    def test_a_server_cannot_speak_for_the_session(self):
        """Only the process of the session says how a request or the server has
        ended."""
        for name in ("old", "new"):
            self.start(name)
            for code in "0", "-3", "7":
                for options in ([], ["--verbose"]):
                    with self.subTest(name=name, code=code, options=options):
                        line = [*options, name, "call", "forge",
                                f"code={code}"]
                        run = self.run_ctl(*line)
                        self.check(run, 4, "", "no luck")
                        self.assertIn("answered with error -32603", run.stderr)
                        self.assertNotIn("forged", run.stderr)
                        self.assertNotIn("exited", run.stderr)

    def expect_end(self, reader):
        """That nobody holds the other end of the pipe. Returns what came."""
        got = b""
        while True:
            self.assertTrue(select.select([reader], [], [], LIMIT)[0],
                            "a process holds the pipe")
            chunk = os.read(reader, 65536)
            if not chunk:
                os.close(reader)
                return got.decode()
            got += chunk

    def pipe(self, number):
        """A pipe whose writing end has the number, or one above it."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY and hard <= number:
            self.skipTest("too few descriptors")
        if soft != resource.RLIM_INFINITY and soft <= number:
            resource.setrlimit(resource.RLIMIT_NOFILE, (number + 1, hard))
            self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE,
                            (soft, hard))
        reader, writer = os.pipe()
        high = fcntl.fcntl(writer, fcntl.F_DUPFD, number)
        os.close(writer)
        return reader, high

    def test_a_session_holds_nothing_of_its_starter(self):
        for number in 3, 2000:
            with self.subTest(number=number):
                reader, writer = self.pipe(number)
                start = self.popen("old", "start", pass_fds=(writer,))
                os.close(writer)
                _, err = start.communicate(timeout=LIMIT)
                self.assertEqual(start.returncode, 0, err)
                self.expect_end(reader)
                self.check(self.run_ctl("old", "stop"))

    def test_start_writes_to_descriptors_of_the_shell(self):
        reader, writer = self.pipe(10)
        start = self.popen("--trace-file", f"/dev/fd/{writer}", "old", "start",
                           pass_fds=(writer,))
        os.close(writer)
        _, err = start.communicate(timeout=LIMIT)
        self.assertEqual(start.returncode, 0, err)
        self.assertIn("initialize", self.expect_end(reader))

    def project(self, name, **server):
        folder = self.top / name
        folder.mkdir()
        (folder / ".mcp.json").write_text(json.dumps(
            {"mcpServers": {"same": server}}))
        return folder

    def test_projects_with_one_url_do_not_mix(self):
        self.needs_urls()
        with Served() as url:
            one, two = (self.project(name, url=url) for name in ("a", "b"))
            self.check(self.run_ctl("same", "start", cwd=one))
            run = self.run_ctl("--verbose", "same", "ping", cwd=two)
            self.check(run)
            self.assertNotIn("uses the session", run.stderr)
            self.check(self.run_ctl("same", "status", cwd=two), 4)
            self.check(self.run_ctl("same", "stop", cwd=one), 0,
                       "same: stopped\n")

    def test_files_of_certificates_do_not_mix(self):
        self.needs_urls()
        with Served() as url:
            self.put(far={"url": url})
            for name in "a", "b":
                (self.top / name).mkdir()
                (self.top / name / "ca.pem").write_text("")
            options = ["--verbose", "--cacert", "ca.pem", "far"]
            run = self.run_ctl(*options, "start", cwd=self.top / "a")
            self.check(run)
            run = self.run_ctl(*options, "ping", cwd=self.top / "b")
            self.assertNotIn("uses the session", run.stderr)
            run = self.run_ctl(*options, "ping", cwd=self.top / "a")
            self.assertIn("uses the session", run.stderr)

    def test_the_log_has_a_limit(self):
        self.start("old")
        log = pathlib.Path(self.sessions()[0]["log"])
        for _ in range(3):
            self.call("old", "shout", "lines:=400")
        self.assertLessEqual(log.stat().st_size, 512 * 1024)
        self.assertTrue(log.read_text().endswith("x\nthe last line\n"))
        old = pathlib.Path(f"{log}.old")
        self.assertIn(old.stat().st_size, range(400 * 1024, 512 * 1024 + 1))
        self.assertEqual(old.stat().st_mode & 0o777, 0o600)

    def test_wrong_words(self):
        for words, message in (
                (["start"], "start needs the name of a server: write mcpctl "
                            "NAME start; mcpctl add NAME gives a name to a URL "
                            "or a command"),
                (["start", "--", "x"], "start needs the name of a server"),
                (["unix:/x", "start"], "start needs the name of a server"),
                (["status", "--", "x"], "status needs the name of a server"),
                (["stop"], "write mcpctl NAME stop, or mcpctl stop --all"),
                (["--all", "old", "stop"], "write mcpctl NAME stop, or mcpctl "
                                           "stop --all"),
                (["--all", "status"], "--all is for stop"),
                (["--idle", "5", "old", "tools"], "--idle is for start"),
                (["--idle", "0", "old", "start"], "--idle 0: not a number of "
                                                  "seconds above 0"),
                (["--no-session", "old", "start"],
                 "--no-session has no effect on start"),
                (["--json", "old", "start"], "--json and --dialect have no "
                                             "effect on start"),
                (["nothing", "start"], "unknown server 'nothing'")):
            with self.subTest(words=words):
                self.check(self.run_ctl(*words), 1, None, message)
