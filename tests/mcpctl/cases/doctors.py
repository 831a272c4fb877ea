# SPDX-License-Identifier: MIT
"""The verb `doctor`."""
import contextlib
import json
import re
import signal
import subprocess
import sys
import time

from support import (BIN, Case, FAKE, HERE, LIMIT, ROOT, Served, command, ctl,
                     url_ctl)


class Doctor(Case):
    """doctor: what it finds, and that it finds nothing else."""

    def report(self, *words, code, server=None, url=None):
        words = ["--json", *words, "doctor"]
        run = (url_ctl(words[0], *words[1:-1], url, "doctor") if url else
               ctl(*words, server=server))
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        return json.loads(run.stdout)

    def found(self, *words, **more):
        """The ids of what it finds, each once."""
        report = self.report(*words, **more)
        findings = report["findings"]
        for level in "fault", "warning", "note":
            self.assertEqual(report[level + "s"], sum(
                one["level"] == level for one in findings))
        return sorted({one["id"] for one in findings})

    def broken(self, name, *words, code=5):
        return self.found("--timeout", "4", *words, code=code, server=[
            sys.executable, HERE / "broken" / (name + ".py")])

    @contextlib.contextmanager
    def web(self, *words):
        """broken/web.py at a URL, which it gives."""
        with subprocess.Popen(
                [sys.executable, HERE / "broken/web.py", *words], text=True,
                stdout=subprocess.PIPE) as process:
            try:
                yield process.stdout.readline().strip()
            finally:
                process.terminate()

    def test_our_servers(self):
        skills = ["--skills", ROOT / "examples/skills"]
        for words in (["hello-server"], ["workbench-server"],
                      ["workbench-server", *skills, ROOT / "examples/data"],
                      ["hello-server-cpp"], ["mcpctl", "mock",
                                             ROOT / "examples/weather-mock.json"]):
            with self.subTest(server=words):
                program = BIN / words[0]
                if not program.exists():
                    continue
                report = self.report(code=0, server=[program, *words[1:]])
                self.assertEqual(report["findings"], [])
                self.assertEqual(
                    [one["state"] for one in report["connections"]],
                    ["works"] * 5)
                self.assertGreater(report["checks"], 50)

    def test_our_servers_at_urls(self):
        self.needs_urls()
        with Served() as url:
            report = self.report(code=0, url=url)
        self.assertEqual(report["findings"], [])
        self.assertEqual([(one["wire"], one["revision"], one["state"])
                          for one in report["connections"]], [
            ("Streamable HTTP", revision, "works") for revision in (
                "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05",
                "2026-07-28")])
        self.assertEqual(report["server"]["name"], "calculator")

    def test_a_noisy_server(self):
        self.assertEqual(self.broken("noisy", "--era", "2025-11-25",
                                     "--timeout", "20"), [
            "end-left", "end-status", "log-undeclared", "start-slow",
            "stdout-junk"])

    def test_an_endless_server(self):
        self.assertEqual(self.broken("endless", "--era", "2025-11-25"), [
            "cursor-unknown", "end-slow", "list-duplicate", "list-empty-page",
            "list-endless", "list-fails", "notification-answered"])

    def test_a_server_with_wrong_answers(self):
        self.assertEqual(self.broken("wrong"), [
            "batch", "handshake-result", "id-changed", "list-undeclared",
            "log-level", "message-shape", "params-accepted", "params-code",
            "parse-error", "parse-fatal", "probe-ends-server",
            "request-undeclared", "tool-unknown", "unanswered",
            "unknown-method", "version-offer"])

    def test_a_server_with_wrong_schemas(self):
        self.assertEqual(self.broken("schemas"), [
            "cursor-unknown", "input-schema", "input-schema-invalid",
            "list-cursor", "list-duplicate", "list-shape", "output-broken",
            "output-schema", "output-schema-invalid", "prompt-fails",
            "prompt-result", "prompt-unknown", "resource-contents",
            "resource-missing", "resource-unreadable", "resource-uri",
            "template-invalid", "tool-annotations", "tool-description",
            "tool-duplicate", "tool-name", "tool-name-hosts", "tool-result"])

    def test_a_schema_of_an_unnamed_draft(self):
        """Only from 2025-11-25 on a schema is of 2020-12 then."""
        self.assertEqual(self.broken("tuple", "--era", "2025-06-18", code=0),
                         [])
        self.assertEqual(self.broken("tuple", "--era", "2025-11-25"),
                         ["input-schema-invalid"])

    def test_a_wrong_server_of_the_modern_era(self):
        self.assertEqual(self.broken("modern"), [
            "cache-hints", "discover-versions", "log-undeclared",
            "removed-method", "request-undeclared", "resource-missing-code",
            "result-type", "templates-missing", "version-unknown"])

    def test_a_wrong_server_over_http(self):
        self.needs_urls()
        wrong = ["clock", "cors", "host-unchecked", "http-accept",
                 "http-delete", "http-get", "http-notification",
                 "http-parse-error", "http-version", "origin-unchecked",
                 "session-guessable", "session-id", "session-missing",
                 "session-unknown"]
        with self.web() as url:
            self.assertEqual(self.found(code=5, url=url), wrong)
        with self.web("plain") as url:
            self.assertEqual(self.found(code=4, url=url), sorted(
                wrong + ["http-content-type", "start-fails"]))

    def test_a_long_page_has_a_status(self):
        self.needs_urls()
        with self.web() as url:
            report = self.report(code=5, url=url)
        self.assertEqual([one["seen"] for one in report["findings"]
                          if one["id"] == "http-get"],
                         ["GET got 200, and no event stream"])

    def test_a_redirect_is_followed(self):
        """What web.py refuses at its other URL, is not taken for accepted."""
        self.needs_urls()
        with self.web("moved") as url:
            found = self.found(code=5, url=url)
        self.assertNotIn("origin-unchecked", found)
        self.assertIn("host-unchecked", found)
        self.assertIn("http-delete", found)

    def test_a_request_without_an_answer(self):
        self.needs_urls()
        with self.web("stuck") as url:
            report = self.report("--timeout", "1", code=5, url=url)
            seen = [one["seen"] for one in report["findings"]
                    if one["id"] == "origin-unchecked"]
            self.assertEqual(seen, ["a request with Origin: "
                                    "https://doctor.invalid got no answer"])
            began = time.monotonic()
            report = self.report("--timeout", "50", "--max-time", "3",
                                 code=124, url=url)
            self.assertLess(time.monotonic() - began, 20)
        self.assertNotIn("origin-unchecked",
                         [one["id"] for one in report["findings"]])

    def test_a_long_list(self):
        report = self.report("--era", "2025-11-25", code=5, server=[
            sys.executable, HERE / "broken/crowded.py"])
        self.assertEqual([(one["id"], one["seen"])
                          for one in report["findings"]
                          if one["id"] != "start-slow"],
                         [("tool-duplicate",
                           "tools/list has tool-0 more than once")])

    def test_a_tool_that_the_server_does_not_have(self):
        run = ctl("doctor", "nosuch={}", "add={\"a\":1,\"b\":2}",
                  server="hello-server")
        self.check(run, 0, err="warning: the server has no tool 'nosuch', so "
                   "it was not called\n")
        self.assertEqual(run.stderr.count("warning"), 1)

    def test_a_server_that_wants_a_login(self):
        self.needs_urls()
        with self.web("locked") as url:
            self.assertEqual(self.found(code=3, url=url),
                             ["auth-metadata-invalid", "clock"])
        with Served("--auth-issuer", "https://issuer.example",
                    "--auth-jwks-uri", "http://127.0.0.1:1/") as url:
            self.assertEqual(self.found(code=3, url=url), [])
        with self.web("bare") as url:
            self.assertEqual(self.found(code=3, url=url),
                             ["auth-challenge", "auth-metadata", "clock"])

    def test_only_harmless_tools_are_called(self):
        """broken/schemas.py ends if one of the others is called."""
        server = [sys.executable, HERE / "broken/schemas.py"]
        report = ctl("--json", "doctor", "writes={\"a\":1}", server=server)
        seen = [one["seen"] for one in json.loads(report.stdout)["findings"]
                if one["id"] == "tool-result"]
        self.assertIn('tool writes returned {"content":7}', seen)
        self.check(ctl("doctor", "writes=[1]", server=server), 1, "",
                   "write the tool's arguments as a JSON object")

    def test_a_server_that_does_not_start(self):
        for mode, seen in (("dies", "exited with status 3; its last words: "
                            "no luck"),
                           ("silent", "no answer within 1 s")):
            report = self.report("--timeout", "1", code=4,
                                 server=FAKE + [mode])
            self.assertEqual([(one["id"], one["seen"])
                              for one in report["findings"]],
                             [("start-fails", seen)])
        self.assertEqual(self.found(code=4, server=["/nonexistent"]),
                         ["start-fails"])

    def test_a_server_that_is_not_there(self):
        self.needs_urls()
        report = self.report(code=4, url="http://127.0.0.1:1/mcp")
        self.assertEqual([one["id"] for one in report["findings"]],
                         ["start-fails"])
        self.assertEqual(len(report["connections"]), 1)

    def test_a_text_of_the_server_cannot_control_the_terminal(self):
        run = ctl("--era", "2025-11-25", "doctor", server=FAKE + ["chatty"])
        self.assertEqual(run.returncode, 5)
        self.assertIn("fault stdout-junk: the server wrote: Welcome",
                      run.stdout)
        self.assertNotIn("\x1b", run.stdout)
        self.assertRegex(run.stdout, r"\n    rule: a server MUST NOT write .*"
                         r"\(2025-11-25, basic/transports: stdio\)\n"
                         r"    remedy: write logs to standard error")

    def test_a_trace(self):
        run = ctl("--trace", "--era", "2025-11-25", "doctor",
                  server="hello-server")
        self.check(run, 0)
        self.assertIn('--> {"jsonrpc":"2.0","id":1,"method":"initialize",',
                      run.stderr)
        self.assertIn('--> {"jsonrpc":"2.0","id":\n--> {"jsonrpc":"2.0",',
                      run.stderr)
        self.check(ctl("--root", "/", "doctor"), 1, "",
                   "have no effect on doctor")

    def test_an_interruption(self):
        server = ["sh", "-c", "echo up >&2; exec sleep 60"]
        with subprocess.Popen(command(["-v", "doctor"], server),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, start_new_session=True) as process:
            self.addCleanup(process.kill)
            self.assertEqual(process.stderr.readline(), "up\n")
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=LIMIT)
            self.assertEqual(process.returncode, 130)

    def test_a_limit_of_time_for_all(self):
        run = ctl("--max-time", "1", "--timeout", "1", "doctor",
                  server=[sys.executable, HERE / "broken/endless.py"])
        self.check(run, 124, err="--max-time sets this limit")
        self.assertIn("connections:\n  stdio 2025-11-25: works\n", run.stdout)
        began = time.monotonic()
        run = ctl("--max-time", "1", "doctor", server=FAKE + ["silent"])
        self.check(run, 124, err="--max-time sets this limit")
        self.assertLess(time.monotonic() - began, 20)
        self.assertIn("the run of doctor ended before an answer came",
                      run.stdout)

    def test_the_manual_lists_the_rules(self):
        manual = (ROOT / "docs/MCPCTL.md").read_text()
        manual = manual.split("\n## Find what is wrong with a server\n")[1]
        manual = manual.split("\n## ")[0]
        source = (ROOT / "tools/mcpctl/doctor/rules.c").read_text()
        rules = re.findall(r'{"([a-z-]+)",\s*(FAULT|WARNING|NOTE)', source)
        shown = re.findall(r"^\| `([a-z-]+)` \| (fault|warning|note) \|",
                           manual, re.M)
        self.assertEqual(shown, [(name, level.lower())
                                 for name, level in rules])
        self.assertEqual(len(rules), len(set(name for name, _ in rules)))
