#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the examples, and speaks with them in both eras.

usage: run.py --bin DIR [--emulator COMMAND] [TEST]...

TEST is a prefix of test classes' names, such as Workbench.
"""
import argparse
import base64
import contextlib
import json
import os
import pathlib
import queue
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True  # the sources may lie in a read-only tree

from peer import LIMIT, MODERN, Answered, Peer  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LEGACY = "2025-06-18"
BIN = None
EMULATOR = []


def program(name):
    return [*EMULATOR, str(BIN / name)]


class Case(unittest.TestCase):
    def connect(self, command, revision, capabilities=None):
        """Each server must end well, whatever was done to it."""
        peer = Peer(command, revision, capabilities)
        self.addCleanup(lambda: self.assertEqual(peer.end(), 0))
        return peer

    def run_alone(self, command):
        return subprocess.run(command, stdin=subprocess.DEVNULL, text=True,
                              capture_output=True, timeout=LIMIT, check=False)


def both_eras(case):
    """Makes two test classes of one: `revision` tells them apart."""
    for name, revision in (("Legacy", LEGACY), ("Modern", MODERN)):
        made = type(case.__name__ + name, (case, Case), {"revision": revision})
        made.__module__ = __name__
        globals()[made.__name__] = made
    return case


# ---- the small ones

EXACT = {
    LEGACY: [
        ('{"jsonrpc":"2.0","id":"open","method":"initialize","params":{'
         '"protocolVersion":"2025-06-18","capabilities":{},'
         '"clientInfo":{"name":"t","version":"1"}}}', None),
        ('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{'
         '"name":"add","arguments":{"a":2,"b":0.5}}}',
         '{"jsonrpc":"2.0","id":7,"result":{"content":'
         '[{"type":"text","text":"2.5"}]}}'),
    ],
    MODERN: [
        ('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{'
         '"name":"add","arguments":{"a":2,"b":0.5},"_meta":{'
         '"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
         '"io.modelcontextprotocol/clientCapabilities":{}}}}',
         '{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete",'
         '"content":[{"type":"text","text":"2.5"}],"_meta":{'
         '"io.modelcontextprotocol/serverInfo":'
         '{"name":"calculator","version":"1.0.0"}}}}'),
    ],
}


class HelloServer(Case):
    def test_exact_lines(self):
        for server in ("hello-server", "hello-server-cpp"):
            for revision, lines in EXACT.items():
                with self.subTest(server=server, revision=revision):
                    self.check(server, lines)

    def check(self, server, lines):
        peer = self.connect(program(server), MODERN)
        for line, answer in lines:
            peer.write(line)
            said = peer.read()
            if answer is not None:
                self.assertEqual(said, json.loads(answer))

    def test_bad_arguments(self):
        peer = self.connect(program("hello-server"), MODERN)
        self.assertIn("b", peer.failure("add", a=1))
        with self.assertRaises(Answered) as caught:
            peer.call("subtract", a=1)
        self.assertEqual(caught.exception.code, -32602)

    def test_closed_standard_streams(self):
        for fd, code, said in ((0, 1, "standard input is closed"),
                               (1, 1, "standard output is closed"),
                               (2, 0, "")):
            done = subprocess.run(
                program("hello-server"), text=True, capture_output=True,
                input='{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
                timeout=LIMIT, check=False,
                preexec_fn=lambda fd=fd: os.close(fd))
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(said, done.stderr)


class HelloClient(Case):
    def test_against_server(self):
        for server in ("hello-server", "hello-server-cpp"):
            for client in ("hello-client", "hello-client-cpp"):
                done = self.run_alone(program(client) + program(server))
                self.assertEqual(done.stdout, "tool: add\n2 + 3 = 5\n")
                self.assertEqual(done.returncode, 0)

    def test_without_server(self):
        for client in ("hello-client", "hello-client-cpp"):
            done = self.run_alone(program(client) + ["/no/such/program"])
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"{client}: ", done.stderr)


class Fields(Case):
    TRAVELLERS = [{"name": "Ann"}, {"name": "Bob", "age": 9, "seat": "window"}]

    def book(self, **more):
        peer = self.connect(program("fields-server"), MODERN)
        return peer.request("tools/call", {
            "name": "book", "arguments": {
                "from": "Oslo", "to": "Bergen",
                "travellers": self.TRAVELLERS, **more}})

    def test_a_structure_is_read_and_written(self):
        self.assertEqual(self.book()["structuredContent"], {
            "tickets": [{"name": "Ann", "seat": "7, 11C", "price": 55},
                        {"name": "Bob", "seat": "7, 11A", "price": 30}],
            "total": 85})
        self.assertEqual(
            self.book(refundable=False, **{"class": 1})
            ["structuredContent"]["total"], 120)

    def test_bounds_are_checked_before_the_handler(self):
        for more, said in (
                ({"class": 3}, "/class: 3 is more than the maximum 2"),
                ({"travellers": []}, "/travellers: "),
                ({"travellers": [{"name": "A", "seat": "roof"}]}, "/seat: ")):
            result = self.book(**more)
            self.assertTrue(result["isError"])
            self.assertIn(said, result["content"][0]["text"])

    def test_the_handler_may_refuse(self):
        self.assertEqual(self.book(max_price=10)["content"],
                         [{"type": "text", "text": "the price is 85"}])


class HelloSkills(Case):
    SERVER = ["workbench-server", "--skills", ROOT / "examples/skills",
              ROOT / "examples/data"]

    def run_client(self, name):
        server, *words = self.SERVER
        return self.run_alone([*program("skills-client"), name,
                               *program(server), *map(str, words)])

    def test_a_skill_is_shown(self):
        done = self.run_client("refunds")
        if "built without" in done.stderr:
            self.skipTest("a build without skills")
        folder = ROOT / "examples/skills/refunds"
        limits = "references/LIMITS.md"
        self.assertEqual(done.stdout,
                         "refunds: How to decide about a refund. Use it when a "
                         "customer wants money back.\n"
                         "--- SKILL.md\n" + (folder / "SKILL.md").read_text() +
                         f"--- {limits}\n" + (folder / limits).read_text())
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_skill_that_is_not_there(self):
        done = self.run_client("nope")
        if "built without" in done.stderr:
            self.skipTest("a build without skills")
        self.assertEqual(done.stderr, "skills-client: no skill nope\n")
        self.assertEqual(done.returncode, 1)


class Validate(Case):
    def validate(self, text):
        return subprocess.run(program("validate"), input=text, text=True,
                              capture_output=True, timeout=LIMIT, check=False)

    def test_defaults(self):
        done = self.validate('{"name":"x","hosts":["a.b"]}')
        self.assertEqual(done.stdout,
                         '{"name":"x","hosts":["a.b"],"port":8080}\n')
        self.assertEqual(done.returncode, 0)

    def test_errors(self):
        done = self.validate('{"port":70000,"hosts":["-"],"prot":1}')
        self.assertEqual(done.stderr.splitlines(), [
            "/port: 70000 is more than the maximum 65535",
            '/hosts/0: the string "-" is not of the format "hostname"',
            'unknown member "prot"; known are "name", "port", "hosts"',
            'missing the required member "name"'])
        self.assertEqual((done.stdout, done.returncode), ("", 1))

    def test_no_json(self):
        done = self.validate("{")
        self.assertTrue(done.stderr.startswith("validate: "))
        self.assertEqual(done.returncode, 1)


class CustomTransport(Case):
    def test_run(self):
        done = self.run_alone(program("custom-transport"))
        self.assertEqual(done.stdout,
                         f"connected: revision {MODERN}\nshout: hello!\n")
        self.assertEqual(done.returncode, 0)


@both_eras
class Embedded:
    def setUp(self):
        self.peer = self.connect(program("embedded-loop"), self.revision)

    def test_tool_and_resource(self):
        self.assertEqual(self.peer.text("set_led", on=True), "on")
        self.assertEqual(self.peer.text("set_led", on=False), "off")
        uptime, = self.peer.read_resource("device://uptime")
        self.assertGreaterEqual(int(uptime["text"]), 0)

    def test_lines(self):
        """In one write, and too long."""
        self.peer.write("\n" + "x" * 100000)
        numbers = [self.peer.start("tools/list") for _ in range(200)]
        for number in numbers:
            tool, = self.peer.wait(number)["tools"]
            self.assertEqual(tool["name"], "set_led")
        errors = [note["error"]["code"] for note in self.peer.notes]
        self.assertEqual(errors, [-32700])

    def test_a_last_line_without_end(self):
        done = subprocess.run(
            program("embedded-loop"), input='{"jsonrpc":"2.0","id":1}',
            text=True, capture_output=True, timeout=60, check=True)
        self.assertEqual(json.loads(done.stdout)["error"]["code"], -32600)


@both_eras
class WorkerThread:
    def setUp(self):
        self.peer = self.connect(program("worker-thread"), self.revision)

    def test_answer_and_progress(self):
        result = self.peer.call("count_primes", below=100000,
                                meta={"progressToken": "p"})
        self.assertEqual(result["content"][0]["text"], "9592")
        note = self.peer.wait_note("notifications/progress")
        self.assertEqual((note["progressToken"], note["total"]),
                         ("p", 100000))

    def test_cancel(self):
        """The server aborts the first job, and the second gets the worker."""
        first = self.peer.start(
            "tools/call", {"name": "count_primes",
                           "arguments": {"below": 1000000000}},
            {"progressToken": 1})
        second = self.peer.start(
            "tools/call", {"name": "count_primes", "arguments": {"below": 10}})
        self.peer.wait_note("notifications/progress")
        self.peer.notify("notifications/cancelled", {"requestId": first})
        self.assertEqual(self.peer.wait(second)["content"][0]["text"], "4")

    def test_end_of_input(self):
        """A job that takes too long is cancelled, and the program ends."""
        self.peer.start("tools/call", {"name": "count_primes",
                                       "arguments": {"below": 1000000000}},
                        {"progressToken": 1})
        self.peer.wait_note("notifications/progress")
        self.assertEqual(self.peer.end(), 0)


@both_eras
class Streaming:
    def test_each_line_is_shown_and_the_reply_is_whole(self):
        peer = self.connect(program("streaming"), self.revision)
        result = peer.call("find_primes", above=10, count=3,
                           meta={"progressToken": "p"})
        self.assertEqual([item["text"] for item in result["content"]],
                         ["11\n", "13\n", "17\n"])
        notes = [peer.wait_note("notifications/progress") for _ in range(3)]
        self.assertEqual([(note["progress"], note["message"])
                          for note in notes],
                         [(1, "11\n"), (2, "13\n"), (3, "17\n")])

    def test_who_asks_for_nothing_is_shown_nothing(self):
        peer = self.connect(program("streaming"), self.revision)
        peer.call("find_primes", above=10, count=2)
        self.assertEqual(peer.notes, [])


# ---- the workbench

TOOLS = {"calculate_sum", "analyze_csv", "search_files", "execute_command",
         "deploy", "summarize", "count_slowly", "plot_csv", "list_tables"}
SHOWS_APPS = {"extensions": {"io.modelcontextprotocol/ui": {
    "mimeTypes": ["text/html;profile=mcp-app"]}}}
PROMPTS = {"git-commit", "explain-code", "analyze-project", "debug-error"}
ASKED = {"elicitation": {}, "sampling": {}}


class WorkbenchCase:
    def setUp(self):
        outside = pathlib.Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, outside)
        self.root = outside / "root"
        shutil.copytree(ROOT / "examples" / "data", self.root)
        self.outside = outside
        self.make_traps()
        self.peer = self.connect(
            [*program("workbench-server"), self.root,
             "--allow-command", "cat", "--allow-command", "sleep",
             "--allow-command", "false", "--allow-command", "yes",
             "--allow-command", "env"],
            self.revision, ASKED)

    def make_traps(self):
        (self.outside / "secret.txt").write_text("SECRET")
        (self.outside / "rootkit").mkdir()  # begins like the root
        (self.outside / "rootkit" / "secret.txt").write_text("SECRET")
        (self.root / ".env").write_text("SECRET")
        (self.root / "link.txt").symlink_to("../secret.txt")
        (self.root / "up").symlink_to("..")
        (self.root / "inside.txt").symlink_to("README.md")
        os.mkfifo(self.root / "pipe")

    def uri(self, path):
        return (self.root / path).as_uri()

    def items(self, method, key):
        return self.peer.request(method)[key]


@both_eras
class WorkbenchTools(WorkbenchCase):
    def test_list(self):
        tools = self.items("tools/list", "tools")
        self.assertEqual({tool["name"] for tool in tools}, TOOLS)

    def test_calculate_sum(self):
        result = self.peer.call("calculate_sum", numbers=[1, 2, 3.5])
        self.assertEqual(result["structuredContent"], {"sum": 6.5})
        self.assertEqual(json.loads(result["content"][0]["text"]),
                         {"sum": 6.5})
        self.peer.failure("calculate_sum", numbers=[1, "2"])

    def analyze(self, path, operation, **more):
        result = self.peer.call("analyze_csv", path=path,
                                operation=operation, **more)
        self.assertFalse(result.get("isError"), result)
        return result["structuredContent"]["columns"]

    def test_analyze_csv(self):
        self.assertEqual(self.analyze("sales.csv", "sum"),
                         {"units": 152, "unit_price": 1798.3,
                          "revenue": 10623.95})
        self.assertEqual(self.analyze("sales.csv", "count", column="units"),
                         {"units": 12})
        averages = self.analyze(str(self.root / "temperatures.csv"),
                                "average")
        self.assertAlmostEqual(averages["indoor_c"], 20.4)
        self.assertEqual(
            self.analyze("temperatures.csv", "count"),
            {"indoor_c": 20, "outdoor_c": 20, "humidity": 19})

    def test_analyze_csv_failures(self):
        for text, why in (("", "line 1"), ("a,b\n1\n", "line 2"),
                          ('a\n"1', "does not end"),
                          ('a\n"1"x\n', "does not end"),
                          ("a\nx\n", "no numeric column")):
            (self.root / "bad.csv").write_text(text)
            self.assertIn(why, self.peer.failure(
                "analyze_csv", path="bad.csv", operation="sum"))
        self.assertIn("no numeric column nothing", self.peer.failure(
            "analyze_csv", path="sales.csv", operation="sum",
            column="nothing"))
        self.peer.failure("analyze_csv", path="sales.csv", operation="median")

    def test_search_files(self):
        self.assertEqual(
            self.peer.text("search_files", pattern="gave up"),
            "app.log:11: 2026-03-14 15:32:20 ERROR net: gave up on payments "
            "after 3 attempts\nsrc/network.c:22:   "
            'fprintf(stderr, "net: gave up on %s after %d attempts\\n", host, '
            "MAX_ATTEMPTS);\n")
        self.assertEqual(self.peer.text("search_files", pattern="network.c",
                                        path="src"), "src/network.c\n")
        for pattern in ("SECRET", "link.txt", "inside.txt", ".env"):
            self.assertEqual(self.peer.text("search_files", pattern=pattern),
                             "no match")

    def test_search_limits(self):
        (self.root / "many.txt").write_text("needle\n" * 1000)
        lines = self.peer.text("search_files", pattern="needle",
                               path="many.txt").splitlines()
        self.assertEqual(len(lines), 100)
        (self.root / "wide.txt").write_text("é" * 1000 + "\n")
        line = self.peer.text("search_files", pattern="é", path="wide.txt")
        self.assertEqual(line, "wide.txt:1: " + "é" * 100 + "\n")

    def test_paths_outside(self):
        for path in ("../secret.txt", "src/../../secret.txt", "/etc/passwd",
                     str(self.outside / "secret.txt"), "link.txt",
                     "up/secret.txt", ".env", "inside.txt", "pipe",
                     str(self.outside / "rootkit" / "secret.txt"),
                     str(self.root) + "/../secret.txt", "src", "a" * 5000):
            for arguments in ({"operation": "sum"}, {}):
                tool = "analyze_csv" if arguments else "summarize"
                said = self.peer.failure(tool, path=path, **arguments)
                self.assertNotIn("SECRET", said)
        for path in ("..", "/", "up", str(self.outside)):
            self.peer.failure("search_files", pattern="SECRET", path=path)


@both_eras
class WorkbenchPlots(WorkbenchCase):
    """tests/examples/plot_page.mjs has the page."""

    def write(self, text):
        (self.root / "t.csv").write_bytes(text.encode("utf-8", "surrogateescape"))

    def plot(self, text, **more):
        self.write(text)
        result = self.peer.call("plot_csv", path="t.csv", **more)
        self.assertFalse(result.get("isError"), result)
        return result["structuredContent"]

    def test_values(self):
        self.assertEqual(
            self.plot('day,"a, b",note,c\nMon,1,x,-2.5\n"Tue\n",,y,1e3\n'),
            {"path": "t.csv", "rows": 2, "labels": ["Mon", "Tue\n"],
             "series": [{"name": "a, b", "values": [1, None]},
                        {"name": "c", "values": [-2.5, 1000]}]})
        self.assertEqual(
            self.plot("a,b\n1,2\n3,4\n", column="b"),
            {"path": "t.csv", "rows": 2, "labels": ["1", "2"],
             "series": [{"name": "b", "values": [2, 4]}]})

    def test_limits(self):
        rows = "".join(f"{i}\n" for i in range(2500))
        shown = self.plot("n\n" + rows)
        self.assertEqual(shown["rows"], 2500)
        self.assertEqual(shown["series"][0]["values"],
                         list(range(0, 2500, 3)))
        shown = self.plot("a,b,c,d,e,f,g\n1,2,3,4,5,6,7\n")
        self.assertEqual([s["name"] for s in shown["series"]], list("abcdef"))

    def test_text_for_clients_without_apps(self):
        self.write("n,m\n0,5\n2,5\n,5\n7,5\n")
        blocks = self.peer.call("plot_csv", path="t.csv")["content"]
        self.assertEqual([b["text"] for b in blocks], [
            "t.csv has 4 rows.", "n: 0 to 7  ▁▃ █", "m: 5 to 5  ▁▁▁▁"])
        self.peer = self.connect(
            [*program("workbench-server"), self.root], self.revision,
            SHOWS_APPS)
        blocks = self.peer.call("plot_csv", path="t.csv")["content"]
        self.assertEqual([b["text"] for b in blocks], [
            "t.csv has 4 rows. The user sees a chart of them.",
            "n: 0 to 7", "m: 5 to 5"])

    def test_failures(self):
        for text, why in (
                ("", "line 1: there are no rows"),
                ("a,b\n", "line 2: there are no rows"),
                ("a,b\n1\n", "line 2: more or fewer fields"),
                ("a\n1\n2,3\n", "line 3: more or fewer fields"),
                ('a\n"1', "does not end"), ("a\nx\n", "no numeric column at all"),
                ("a\n\udcff\n", "no numeric column at all"),
                ("\udcff\n1\n", "not UTF-8"),
                ("a,n\n\udcff,1\n", "not UTF-8")):
            self.write(text)
            self.assertIn(why, self.peer.failure("plot_csv", path="t.csv"))
        self.write("a\n1\n")
        self.assertIn("no numeric column b", self.peer.failure(
            "plot_csv", path="t.csv", column="b"))
        self.assertNotIn("SECRET", self.peer.failure(
            "plot_csv", path="../secret.txt"))

    def test_tables(self):
        (self.root / ".hidden.csv").write_text("a\n1\n")
        result = self.peer.call("list_tables")
        self.assertEqual(result["structuredContent"],
                         {"paths": ["sales.csv", "temperatures.csv"]})

    def test_page(self):
        tool, = [tool for tool in self.items("tools/list", "tools")
                 if tool["name"] == "plot_csv"]
        uri = tool["_meta"]["ui"]["resourceUri"]
        self.assertEqual(tool["_meta"]["ui/resourceUri"], uri)
        content, = self.peer.read_resource(uri)
        self.assertEqual(content["mimeType"], "text/html;profile=mcp-app")
        self.assertEqual(
            content["text"],
            (ROOT / "examples/workbench-server/plot.html").read_text())


@both_eras
class WorkbenchCommands(WorkbenchCase):
    def run_command(self, command, *args):
        return self.peer.call("execute_command", command=command,
                              args=list(args))

    def test_allowed(self):
        self.assertEqual(
            self.peer.text("execute_command", command="cat",
                           args=["README.md"]),
            (self.root / "README.md").read_text())
        # No shell, and nothing on standard input.
        said = self.run_command("cat", "$(touch made)")
        self.assertTrue(said["isError"])
        self.assertFalse((self.root / "made").exists())
        self.assertEqual(self.peer.text("execute_command", command="cat"), "")

    def test_not_allowed(self):
        for command in ("ls", "/bin/cat", "sh", "cat README.md", "", "../cat"):
            self.assertIn("not allowed", self.peer.failure(
                "execute_command", command=command))

    def test_arguments_outside(self):
        for arg in ("/etc/passwd", "../secret.txt", "--file=/etc/passwd",
                    "-f/etc/passwd", "-f../secret.txt", "-flink.txt",
                    "-f=/etc/passwd", "src/../../secret.txt", "link.txt",
                    "up/secret.txt", "README.md\0"):
            said = self.run_command("cat", arg)
            self.assertTrue(said["isError"], arg)
            self.assertIn("leads out of the folder", json.dumps(said))
            self.assertNotIn("SECRET", json.dumps(said))
        self.assertEqual(self.peer.text("execute_command", command="cat",
                                        args=["-n", "-b", "sales.csv"])[:7],
                         "     1\t")

    def test_environment(self):
        said = self.peer.text("execute_command", command="env")
        names = {line.split("=")[0] for line in said.splitlines()}
        self.assertLessEqual(names, {"PATH", "HOME", "LANG", "TZ", "TMPDIR"})

    def test_ends(self):
        self.assertIn("exit status 1", self.peer.failure(
            "execute_command", command="false"))
        loud = self.run_command("yes")
        self.assertEqual(len(loud["content"][0]["text"]), 65536)
        self.assertIn("of output", loud["content"][1]["text"])

    def test_cancel(self):
        """A cancelled call takes its process along."""
        number = self.peer.start(
            "tools/call", {"name": "execute_command", "arguments": {
                "command": "sleep", "args": ["8.25"]}})
        self.wait_until(lambda: self.is_running("8.25"))
        self.peer.notify("notifications/cancelled", {"requestId": number})
        self.wait_until(lambda: not self.is_running("8.25"))

    def wait_until(self, test):
        end = time.monotonic() + 7  # it would end by itself at 8.25
        while not test():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def is_running(self, argument):
        """Whether the server has a child with this argument."""
        me = self.peer.process.pid
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                parent = (entry / "stat").read_bytes().rsplit(b")")[1].split()[1]
                words = (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if int(parent) == me and argument.encode() in words:
                return True
        return False


@both_eras
class WorkbenchQuestions(WorkbenchCase):
    def deploy(self, answer):
        seen = []

        def reply(params):
            seen.append(params)
            return answer

        result, question = self.peer.ask("tools/call", {
            "name": "deploy", "arguments": {"environment": "staging"}}, reply)
        self.assertEqual(question["method"], "elicitation/create")
        self.assertEqual(seen[0]["message"], "Deploy to staging?")
        fields = seen[0]["requestedSchema"]["properties"]
        self.assertEqual(fields["confirm"]["type"], "boolean")
        return result["content"][0]["text"]

    def test_deploy(self):
        yes = {"action": "accept", "content": {"confirm": True}}
        self.assertTrue(self.deploy(yes).startswith("Deployed to staging"))
        for no in ({"action": "accept", "content": {"confirm": False}},
                   {"action": "decline"}, {"action": "cancel"}):
            self.assertEqual(self.deploy(no), "Not deployed to staging")

    def test_deploy_without_capability(self):
        self.peer = self.connect(
            [*program("workbench-server"), self.root], self.revision)
        with self.assertRaises(Answered) as caught:
            self.peer.call("deploy", environment="staging")
        code = -32021 if self.peer.is_modern else -32603
        self.assertEqual(caught.exception.code, code)

    def test_deploy_tampered(self):
        if not self.peer.is_modern:
            return
        params = {"name": "deploy", "arguments": {"environment": "staging"}}
        asked = self.peer.request("tools/call", params)
        yes = {"confirm": {"action": "accept", "content": {"confirm": True}}}
        state = asked["requestState"]
        flipped = ("B" if state[20] == "A" else "A").join(
            (state[:20], state[21:]))
        params["arguments"] = {"environment": "production"}
        for bad in (state, flipped):
            with self.assertRaises(Answered) as caught:
                self.peer.request("tools/call", {
                    **params, "requestState": bad, "inputResponses": yes})
            self.assertEqual(caught.exception.code, -32602)
            params["arguments"] = {"environment": "staging"}

    def summarize(self, **arguments):
        seen = []

        def reply(params):
            seen.append(params["messages"][0]["content"]["text"])
            return {"role": "assistant", "model": "m",
                    "content": {"type": "text", "text": "In short."}}

        result, question = self.peer.ask(
            "tools/call", {"name": "summarize", "arguments": arguments}, reply)
        self.assertEqual(question["method"], "sampling/createMessage")
        self.assertEqual(result["content"][0]["text"], "In short.")
        return seen[0]

    def test_summarize(self):
        self.assertEqual(self.summarize(text="Long."), "Long.")
        self.assertEqual(self.summarize(path="README.md"),
                         (self.root / "README.md").read_text())
        self.peer.failure("summarize")
        self.peer.failure("summarize", path="README.md", text="Long.")

    def test_count_slowly(self):
        result = self.peer.call("count_slowly", to=3, delay_ms=1,
                                meta={"progressToken": 5})
        self.assertEqual(result["content"][0]["text"], "Counted to 3")
        steps = [self.peer.wait_note("notifications/progress")["progress"]
                 for _ in range(3)]
        self.assertEqual(steps, [1, 2, 3])

    def test_count_slowly_cancelled(self):
        number = self.peer.start(
            "tools/call", {"name": "count_slowly", "arguments": {
                "to": 10000, "delay_ms": 20}}, {"progressToken": 5})
        self.peer.wait_note("notifications/progress")
        self.peer.notify("notifications/cancelled", {"requestId": number})
        # The pool's thread is free again: the end waits for it.
        self.assertEqual(self.peer.end(), 0)


@both_eras
class WorkbenchPrompts(WorkbenchCase):
    def get(self, name, **arguments):
        return self.peer.request("prompts/get", {
            "name": name, "arguments": arguments})["messages"]

    def test_list(self):
        prompts = self.items("prompts/list", "prompts")
        self.assertEqual({prompt["name"] for prompt in prompts}, PROMPTS)

    def test_texts(self):
        message, = self.get("git-commit", changes="a -> b")
        self.assertTrue(message["content"]["text"].endswith("\n\na -> b"))
        message, = self.get("explain-code", code="x++", language="C")
        self.assertIn("this C code", message["content"]["text"])
        message, = self.get("explain-code", code="x++")
        self.assertIn("x++", message["content"]["text"])

    def test_roles(self):
        messages = self.get("debug-error", error="ENOENT")
        self.assertEqual([m["role"] for m in messages],
                         ["user", "assistant", "user"])
        self.assertIn("ENOENT", messages[0]["content"]["text"])

    def test_embedded_resources(self):
        uri = self.uri("src/network.c")
        text, log, code = self.get("analyze-project", timeframe="30m",
                                   fileUri=uri)
        self.assertEqual(text["content"]["type"], "text")
        log = log["content"]["resource"]
        self.assertEqual(log["uri"], "logs://recent?timeframe=30m")
        self.assertTrue(log["text"].startswith("2026-03-14 15:31:52"))
        same, = self.peer.read_resource(log["uri"])
        self.assertEqual(same["text"], log["text"])
        code = code["content"]["resource"]
        self.assertEqual((code["uri"], code["mimeType"]), (uri, "text/x-c"))
        self.assertEqual(code["text"],
                         (self.root / "src/network.c").read_text())

    def test_bad_arguments(self):
        good = {"timeframe": "1h", "fileUri": self.uri("README.md")}
        for bad in ({"timeframe": "soon"}, {"timeframe": "1h&x=y"},
                    {"fileUri": self.uri("../secret.txt")},
                    {"fileUri": "file:///etc/passwd"},
                    {"fileUri": self.uri("link.txt")},
                    {"fileUri": "README.md"}):
            with self.assertRaises(Answered) as caught:
                self.get("analyze-project", **{**good, **bad})
            self.assertEqual(caught.exception.code, -32602)
            self.assertNotIn("SECRET", str(caught.exception))
        with self.assertRaises(Answered):
            self.get("git-commit")

    def complete(self, ref, name, value):
        return self.peer.request("completion/complete", {
            "ref": ref, "argument": {"name": name, "value": value}}
        )["completion"]["values"]

    def test_completion(self):
        template = {"type": "ref/resource", "uri": "file:///{+path}"}
        network = str(self.root / "src/network.c")[1:]
        self.assertEqual(self.complete(template, "path", "src/n"), [network])
        self.assertEqual(self.complete(template, "path", network[:-5]),
                         [network])
        self.assertEqual(self.complete(template, "path", ".e"), [])
        prompt = {"type": "ref/prompt", "name": "analyze-project"}
        self.assertEqual(self.complete(prompt, "fileUri", "REA"),
                         [self.uri("README.md")])
        prompt["name"] = "explain-code"
        self.assertEqual(self.complete(prompt, "language", "C"), ["C", "C++"])


@both_eras
class WorkbenchSkills:
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp()).resolve()
        self.addCleanup(shutil.rmtree, self.root)
        self.write("refunds/SKILL.md", "---\nname: refunds\n"
                   "description: When to pay back\n---\n# Refunds\n")
        self.write("refunds/scripts/check.py", "print(1)\n")
        self.write("broken/SKILL.md", "# No head\n")
        self.peer = self.connect(
            [*program("workbench-server"), "--skills", self.root,
             ROOT / "examples" / "data"], self.revision)

    def write(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def names(self):
        return [skill["frontmatter"]["name"]
                for skill in self.peer.request("skills/list")["skills"]]

    def test_list_and_read(self):
        self.assertEqual(self.names(), ["refunds"])
        content, = self.peer.read_resource("skill://refunds/scripts/check.py")
        self.assertEqual(content["text"], "print(1)\n")
        self.assertEqual(content["mimeType"], "text/x-python")

    def test_a_repaired_skill_appears(self):
        self.write("broken/SKILL.md", "---\nname: broken\n"
                   "description: Whole again\n---\n")
        end = time.monotonic() + LIMIT
        while self.names() != ["broken", "refunds"]:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)

    def test_a_missing_folder(self):
        done = self.run_alone([*program("workbench-server"), "--skills",
                               "/nowhere", ROOT / "examples" / "data"])
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere", done.stderr)


@both_eras
class WorkbenchResources(WorkbenchCase):
    def missing(self, uri):
        with self.assertRaises(Answered) as caught:
            self.peer.read_resource(uri)
        code = -32602 if self.peer.is_modern else -32002
        self.assertEqual(caught.exception.code, code, uri)
        self.assertNotIn("SECRET", str(caught.exception))

    def test_list(self):
        resources = self.items("resources/list", "resources")
        self.assertEqual(
            [r["name"] for r in resources],
            ["README.md", "app.log", "sales.csv", "src/network.c",
             "temperatures.csv", "plot"])
        sales = resources[2]
        self.assertEqual(sales["uri"], self.uri("sales.csv"))
        self.assertEqual(sales["mimeType"], "text/csv")
        self.assertEqual(sales["size"],
                         (self.root / "sales.csv").stat().st_size)
        templates = self.items("resources/templates/list",
                               "resourceTemplates")
        self.assertEqual({t["uriTemplate"] for t in templates},
                         {"file:///{+path}", "logs://recent{?timeframe}"})

    def test_read_text(self):
        content, = self.peer.read_resource(self.uri("sales.csv"))
        self.assertEqual(content["text"].encode(),
                         (self.root / "sales.csv").read_bytes())
        self.assertEqual(content["mimeType"], "text/csv")

    def test_read_by_template(self):
        """Files that came after the list, under any name."""
        for name in ("new file.txt", "100%.txt", "äöü.txt", "a#b?c", "empty"):
            (self.root / name).write_text(name[:3])
            content, = self.peer.read_resource(self.uri(name))
            self.assertEqual(content["text"], name[:3])

    def test_read_binary(self):
        for name, data, kind in (
                ("a.png", b"\x89PNG\r\n\x1a\n", "image/png"),
                ("nul", b"a\0b", "application/octet-stream"),
                ("surrogate", b"\xed\xa0\x80", "application/octet-stream")):
            (self.root / name).write_bytes(data)
            content, = self.peer.read_resource(self.uri(name))
            self.assertEqual(base64.b64decode(content["blob"]), data)
            self.assertEqual(content["mimeType"], kind)

    def test_limit(self):
        (self.root / "most").write_bytes(b"x" * 1048576)
        content, = self.peer.read_resource(self.uri("most"))
        self.assertEqual(len(content["text"]), 1048576)
        (self.root / "more").write_bytes(b"x" * 1048577)
        with self.assertRaises(Answered) as caught:
            self.peer.read_resource(self.uri("more"))
        self.assertIn("too large", str(caught.exception))

    def test_nothing_leaves_the_root(self):
        root = self.root.as_uri()
        for uri in (
                "file:///etc/passwd", "file:///", root, root + "/",
                root + "/../secret.txt", root + "/%2e%2e/secret.txt",
                root + "/..%2fsecret.txt", root + "/src/../../secret.txt",
                root + "/%2E%2E%2Fsecret.txt", root + "/.env",
                root + "/%2eenv", root + "/link.txt", root + "/inside.txt",
                root + "/up/secret.txt", root + "/up/root/README.md",
                root + "kit/secret.txt", root + "/pipe", root + "/src",
                root + "/README.md%00.png", root + "/README.md/x",
                root + "/README.md?x", root + "/%252e%252e/secret.txt",
                root + "/%zz", root + "/%", root + "/" + "a/" * 3000,
                root.replace("file://", "file://example.com") + "/README.md",
                (self.outside / "secret.txt").as_uri()):
            self.missing(uri)

    # ---- changes

    def listen(self, uri):
        if self.peer.is_modern:
            self.peer.start("subscriptions/listen", {"notifications": {
                "resourcesListChanged": True, "resourceSubscriptions": [uri]}})
            self.peer.wait_note("notifications/subscriptions/acknowledged")
        else:
            self.peer.request("resources/subscribe", {"uri": uri})

    def names(self):
        return {r["name"] for r in self.items("resources/list", "resources")
                if r["uri"].startswith("file:")}

    def wait_names(self, test):
        """Notices may come more than once: the list is what counts."""
        while not test(self.names()):
            self.peer.wait_note("notifications/resources/list_changed")

    def test_updated(self):
        uri = self.uri("app.log")
        self.listen(uri)
        note = None
        while note is None:  # the watch begins in a thread of its own
            with open(self.root / "app.log", "a", encoding="utf-8") as log:
                log.write("2026-03-14 16:00:00 INFO  net: quiet\n")
            with contextlib.suppress(queue.Empty):
                note = self.peer.wait_note("notifications/resources/updated",
                                           limit=1)
        self.assertEqual(note["uri"], uri)

    def test_list_changed(self):
        self.listen(self.uri("app.log"))
        (self.root / "new.txt").write_text("new")
        self.wait_names(lambda names: "new.txt" in names)
        (self.root / "deep/er").mkdir(parents=True)
        (self.root / "deep/er/file.txt").write_text("found")
        self.wait_names(lambda names: "deep/er/file.txt" in names)
        (self.root / "deep").rename(self.root / "moved")
        self.wait_names(lambda names: "moved/er/file.txt" in names
                        and "deep/er/file.txt" not in names)
        (self.root / "new.txt").unlink()
        self.wait_names(lambda names: "new.txt" not in names)
        (self.root / "moved/er/file.txt").unlink()
        self.wait_names(lambda names: "moved/er/file.txt" not in names)

    def test_bounded(self):
        for i in range(600):
            (self.root / f"z{i:03}.txt").touch()
        self.peer = self.connect(
            [*program("workbench-server"), self.root], self.revision)
        self.assertEqual(len(self.names()), 500)


class WorkbenchProgram(Case):
    def test_options(self):
        done = self.run_alone(program("workbench-server") + ["--help"])
        self.assertIn("--allow-command NAME", done.stdout)
        self.assertEqual(done.returncode, 0)

    def test_no_folder(self):
        done = self.run_alone(program("workbench-server") + ["/no/folder"])
        self.assertIn("/no/folder", done.stderr)
        self.assertEqual(done.returncode, 1)

    def test_end_of_input(self):
        folder = str(ROOT / "examples")
        done = self.run_alone(program("workbench-server") + [folder])
        self.assertEqual((done.stdout, done.returncode), ("", 0), done.stderr)


def suite(prefixes):
    tests = unittest.TestSuite()
    for name, case in sorted(globals().items()):
        if isinstance(case, type) and issubclass(case, unittest.TestCase) and (
                not prefixes or any(map(name.startswith, prefixes))):
            tests.addTests(
                unittest.defaultTestLoader.loadTestsFromTestCase(case))
    return tests


def main():
    global BIN, EMULATOR
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--emulator", default="")
    parser.add_argument("tests", nargs="*")
    options = parser.parse_args()
    BIN = options.bin.resolve()
    EMULATOR = shlex.split(options.emulator)
    done = unittest.TextTestRunner(verbosity=2).run(suite(options.tests))
    return 0 if done.wasSuccessful() and done.testsRun > 0 else 1


sys.exit(main())
