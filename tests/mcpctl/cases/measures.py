# SPDX-License-Identifier: MIT
"""The verbs `watch` and `bench`."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

from support import (BIN, Case, ENDS_SOON, FAKE, LIMIT, ROOT, Served, Terminal,
                     command, ctl, url_ctl)


class Watch(Case):
    """What a server reports, as it comes. fake_server.py changes a resource
    half a second after a client has subscribed to it."""

    CHANGES = ["fake://live has changed", "info from fake: it has begun",
               "the list of tools has changed",
               'notifications/fake {"last":true}']

    def watch(self, *words, until="notifications/fake"):
        """Interrupts mcpctl when the text has come. Returns the output."""
        process = subprocess.Popen(
            command(["watch", *words], FAKE), text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True)
        out = ""
        while until not in out:
            line = process.stdout.readline()
            self.assertNotEqual(line, "", process.stderr.read()
                                if line == "" else out)
            out += line
        process.send_signal(signal.SIGINT)
        rest, err = process.communicate(timeout=LIMIT)
        self.assertEqual((process.returncode, err), (0, ""))
        return out + rest

    def test_events(self):
        lines = self.watch("fake://live").splitlines()
        for line in lines:
            self.assertRegex(line, r"\A\d\d:\d\d:\d\d  ")
        self.assertEqual([line[10:] for line in lines], self.CHANGES)

    def test_json(self):
        events = [json.loads(line) for line
                  in self.watch("--json", "fake://live").splitlines()]
        for event in events:
            self.assertRegex(event.pop("at"), r"\A2\d\d\d-.*Z\Z")
        self.assertEqual(events, [
            {"event": "resource", "name": "fake://live"},
            {"event": "log", "name": "info", "data": "it has begun"},
            {"event": "list", "name": "tools"},
            {"event": "notification", "name": "notifications/fake",
             "data": {"last": True}}])

    def test_reading(self):
        lines = self.watch("--read", "fake://live").splitlines()
        self.assertEqual(lines[1:3], ["first", "second\x1b[1m"])

    def test_what_has_changed(self):
        lines = self.watch("--diff", "fake://live").splitlines()
        self.assertEqual(lines[1:6], [
            "fake://live:", "@@ -1,2 +1,2 @@", " first", "-old",
            "+second\x1b[1m"])

    def test_a_command_for_each(self):
        out = self.watch("--exec",
                         'echo "<$MCPCTL_EVENT|$MCPCTL_NAME|$MCPCTL_DATA>"',
                         "fake://live", until="<notification")
        self.assertEqual(re.findall("<.*>", out), [
            "<resource|fake://live|>", '<log|info|"it has begun">',
            "<list|tools|>",
            '<notification|notifications/fake|{"last":true}>'])

    def test_a_terminal_says_that_it_watches(self):
        terminal = Terminal("watch")
        terminal.expect(": Ctrl-C ends")
        terminal.send("\x03")
        self.assertEqual(terminal.finish()[0], 0)

    def test_changes_of_a_modern_server(self):
        """A skill is added to the folder that the server watches."""
        with tempfile.TemporaryDirectory() as folder:
            process = subprocess.Popen(
                command(["watch"], [str(BIN / "workbench-server"), "--skills",
                                    folder, str(ROOT / "examples/data")]),
                text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, start_new_session=True)
            skill = pathlib.Path(folder) / "new"
            time.sleep(1)
            skill.mkdir()
            (skill / "SKILL.md").write_text(
                "---\nname: new\ndescription: x\n---\n")
            self.assertIn("the list of resources has changed",
                          process.stdout.readline())
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=LIMIT)
            self.assertEqual(process.returncode, 0)

    def test_wrong_uses(self):
        self.check(ctl("watch", "fake://none"), 4, "",
                   "cannot subscribe to fake://none: it never changes")
        self.check(ctl("watch", "--read"), 1, "", "--read and --diff need the "
                   "URI of a resource: write watch URI")
        self.check(ctl("tools", "--diff"), 1, "", "--read, --diff and --exec "
                   "are for watch")

    def test_a_server_that_ends(self):
        process = ctl("watch", server=[sys.executable, "-c", ENDS_SOON])
        self.check(process, 4, "", "has closed the connection")


class Bench(Case):
    """Structure and counts of the report, never times."""

    def measured(self, run, code=0):
        self.check(run, code)
        figures = json.loads(run.stdout)
        counted = sum(row["calls"] for row in figures["histogram"])
        self.assertEqual(figures["calls"], counted + figures["failed"])
        self.assertEqual(figures["failed"], sum(
            failure["calls"] for failure in figures["failures"]))
        if counted > 0:
            times = [figures["latency_ms"][name] for name in
                     ("min", "p50", "p90", "p99", "p99_9", "max")]
            self.assertEqual(times, sorted(times))
            self.assertGreater(figures["calls_per_second"], 0)
            rows = figures["histogram"]
            self.assertLessEqual(rows[0]["from_ms"], times[0])
            self.assertGreater(rows[-1]["to_ms"], times[-1])
            for a, b in zip(rows, rows[1:]):
                self.assertEqual(a["to_ms"], b["from_ms"])
        return figures

    def bench(self, *words, code=0, **more):
        return self.measured(ctl("--json", "--duration", "0.3", "bench", *words,
                                 **more), code)

    def test_the_cheapest_request(self):
        for mode, method, revision in (("legacy", "ping", "2025-11-25"),
                                       ("modern", "server/discover",
                                        "2026-07-28")):
            figures = self.bench(server=FAKE + [mode])
            self.assertEqual(figures["method"], method)
            self.assertEqual(figures["protocolVersion"], revision)
            self.assertEqual(figures["server"]["name"], "fake")
            self.assertEqual(figures["connections"], 1)
            self.assertEqual(figures["duration_s"], 0.3)
            self.assertEqual(figures["failed"], 0)
            self.assertGreater(figures["calls"], 1)

    def test_a_program_whose_name_is_not_utf8(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.fsdecode(os.fsencode(folder) + b"/a\xff")
            os.symlink(BIN / "hello-server", program)
            figures = self.bench("add", "a:=1", "b:=2", server=[program])
        self.assertTrue(figures["target"].endswith("/a\\xff"), figures)

    def test_a_tool_on_several_connections(self):
        figures = self.bench("--connections", "3", "add", "a:=1", "b:=2",
                             server="hello-server")
        self.assertEqual(figures["method"], "tools/call")
        self.assertEqual(figures["tool"], "add")
        self.assertEqual(figures["connections"], 3)
        self.assertEqual(figures["failed"], 0)

    def test_a_call_longer_than_the_run(self):
        figures = self.bench("slow", "seconds:=0.2")
        self.assertEqual((figures["calls"], figures["failed"]), (1, 0))
        self.assertGreaterEqual(figures["latency_ms"]["max"], 800)

    def test_for_people(self):
        out = self.check(ctl("--duration", "0.2", "bench", "echo"))
        self.assertRegex(out, r"(?m)^Server        The fake 7$")
        self.assertRegex(out, r"(?m)^Call          tools/call echo$")
        self.assertRegex(out, r"(?m)^Load          1 connection, 0.2 s$")
        self.assertRegex(out, r"(?m)^Calls         \d+ in [\d.]+ s, 0 failed$")
        self.assertRegex(out, r"(?m)^P50 +P90 +P99 +P99.9 +MAX$")
        self.assertRegex(out, r"(?m)^ *[\d.]+ [mµ]?s - +[\d.]+ [mµ]?s +\d+ █+$")
        self.assertNotIn("FAILED", out)

    def test_what_fails_from_the_start(self):
        run = ctl("--duration", "60", "bench", "fail")
        self.check(run, 5, "it broke\n", "the tool reported an error")
        self.check(ctl("--duration", "60", "--no-validate", "bench", "nope"), 4,
                   "", "error -32602: no tool nope")
        self.check(ctl("bench", server=["/nonexistent/server"]), 4, "")
        self.check(ctl("--timeout", "1", "bench", server=FAKE + ["silent"]),
                   124, "")
        self.check(ctl("--html", "/nonexistent/x", "bench"), 1, "",
                   "cannot write /nonexistent/x: No such file")

    def test_a_tool_that_fails_later(self):
        run = ctl("--json", "--duration", "0.5", "bench", "later", "times:=3",
                  "then=complain", "text=no more")
        figures = self.measured(run, 5)
        (failure,) = figures["failures"]
        self.assertEqual((failure["kind"], failure["first"]),
                         ("tool error", "no more"))
        self.assertIn(f"{figures['failed']} of {figures['calls']} calls failed",
                      run.stderr)

    def test_errors_by_kind(self):
        figures = self.bench("later", "times:=5", "then=refuse", "text=no",
                             code=4)
        (failure,) = figures["failures"]
        self.assertEqual((failure["kind"], failure["first"]),
                         ("error -32602", "no"))
        out = self.check(ctl("--duration", "0.2", "bench", "later", "times:=5",
                             "then=refuse", "text=no"), 4)
        self.assertRegex(out, r"(?m)^FAILED +KIND +FIRST\n\d+ +error -32602 +no$")

    def test_a_server_that_dies_is_started_again(self):
        run = ctl("--json", "--duration", "4", "bench", "later", "times:=20",
                  "then=die")
        figures = self.measured(run, 4)
        # The server was started again. A failure ended each run but the last.
        self.assertGreater(figures["calls"], 20)
        self.assertEqual(figures["failures"][0]["kind"], "closed")
        self.assertIn("cannot go on:\\x1b[31m disk full\n", run.stderr)

    def start(self, target, *words):
        """Starts a long measurement; returns when it has begun."""
        target = ["--", *target] if isinstance(target, list) else []
        process = subprocess.Popen(
            [BIN / "mcpctl", "--json", "--verbose", "--duration", "600",
             *words, "bench", *target], text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True)
        while " calls" not in process.stderr.readline():
            pass
        return process

    def end(self, process, code):
        out, err = process.communicate(timeout=LIMIT)
        run = subprocess.CompletedProcess(process.args, process.returncode, out,
                                          err)
        return self.measured(run, code), err

    def test_an_interrupt_shows_what_there_is(self):
        process = self.start([str(BIN / "hello-server")])
        process.send_signal(signal.SIGINT)
        figures, err = self.end(process, 130)
        self.assertGreater(figures["calls"], 0)
        self.assertIn("mcpctl: interrupted", err)

    def test_a_server_at_a_url_that_ends(self):
        self.needs_urls()
        with Served() as url:
            process = self.start(None, "--connections", "2", url)
        figures, err = self.end(process, 4)
        self.assertEqual(figures["target"], url)
        self.assertEqual(figures["connections"], 2)
        self.assertGreater(figures["calls"], figures["failed"])
        self.assertIn("2 of 2 connections were abandoned", err)

    def test_a_url(self):
        self.needs_urls()
        with Served() as url:
            secret = url.replace("//", "//me:secret@") + "?key=secret"
            for era in ("legacy", "modern"):
                run = url_ctl("--json", "--duration", "0.3", "--era", era,
                              secret, "bench", "add", "a:=1", "b:=2")
                figures = self.measured(run)
                self.assertEqual(figures["connections"], 10)
                self.assertEqual(figures["target"], url)
                self.assertEqual(figures["failed"], 0)

    def test_a_page(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "page.html")
            run = ctl("--json", "--html", str(path), "--duration", "0.5",
                      "bench", "often", "text=<b>&no")
            figures = self.measured(run, 5)
            page = path.read_text()
        # The page fetches and runs nothing; the server's text is not markup.
        self.assertNotRegex(page, r"(?i)<script|<link|<img|src=|href=|url\(|@imp")
        self.assertNotIn("<b>", page)
        self.assertIn("&#60;b&#62;&#38;no", page)
        svg = xml.etree.ElementTree.fromstring(
            re.search(r"<svg.*</svg>", page, re.S)[0])
        bars = svg.findall("rect[@class='bar']")
        self.assertEqual(
            [bar.find("title").text for bar in bars],
            [f"{row['calls']} calls" for row in figures["histogram"]])
        texts = [text.text for text in svg.findall("text")]
        for label in ("calls", "latency (logarithmic)", "0", "p50", "p99.9",
                      "max"):
            self.assertIn(label, texts)
        for text in ("The fake", "2025-11-25", "tools/call", "often",
                     "1 connection for 0.5 s", f"{figures['calls']} in "):
            self.assertIn(text, page)
