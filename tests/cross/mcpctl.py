#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs mcpctl for Windows under Wine: against servers for Windows, over their
standard streams and over HTTP.

usage: tests/cross/mcpctl.py --bin FOLDER [unittest's arguments]

The folder has mcpctl, hello-server, mcpctl-platform-test and
trust-test.
"""
import argparse
import base64
import contextlib
import fcntl
import json
import os
import pathlib
import pty
import shutil
import socket
import subprocess
import sys
import tempfile
import termios
import tty
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "mcpctl"))
from support import Terminal  # pylint: disable=wrong-import-position

LIMIT = 60  # seconds, on a busy machine
BIN = None  # the folder with the programs
PROFILE = None  # the user's folder of Wine, as a path of this machine
SCRATCH = None
PIXEL = base64.b64encode(b"\x89PNG\r\n\x1a\n\n\r\n").decode()


def windows(path):
    """A path of this machine as Windows programs name it."""
    return "Z:" + str(path).replace("/", "\\")


def environment(**more):
    return {**os.environ, "LC_ALL": "C.UTF-8",
            "WINEPREFIX": os.environ.get("WINEPREFIX", str(ROOT / "build/wine")),
            "WINEDEBUG": "-all", **more}


def wine(*words, **options):
    """Runs a command; standard output and error as text, with their line ends as
    they are."""
    options.setdefault("stdin", None if "input" in options else subprocess.DEVNULL)
    if options["stdin"] is None:
        del options["stdin"]
    more = options.pop("env", {})
    run = subprocess.run([str(HERE / "wine"), *map(str, words)],
                         capture_output=True, timeout=LIMIT, check=False,
                         env=environment(**more), **options)
    run.stdout = run.stdout.decode()
    run.stderr = run.stderr.decode()
    return run


def ctl(*words, **options):
    return wine(BIN / "mcpctl.exe", *words, **options)


def hello(*words):
    return ["--", windows(BIN / "hello-server.exe"), *words]


class Console(Terminal):
    """mcpctl on a console, which Wine draws on a terminal."""

    def __init__(self, *words):  # pylint: disable=super-init-not-called
        self.master, slave = pty.openpty()
        # Wine edits the lines, but gets Ctrl-C as a signal.
        tty.setraw(slave)
        mode = termios.tcgetattr(slave)
        mode[3] |= termios.ISIG
        mode[6][termios.VSUSP] = b"\0"
        termios.tcsetattr(slave, termios.TCSANOW, mode)
        self.process = subprocess.Popen(
            [str(HERE / "wine"), str(BIN / "mcpctl.exe"), *words], stdin=slave,
            stdout=slave, stderr=slave, start_new_session=True,
            env=environment(TERM="xterm"),
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        self.seen = ""

    def finish(self):
        while self.read(LIMIT):
            pass
        return self.process.wait(LIMIT), self.seen

    def end(self):
        self.process.kill()
        self.process.wait(LIMIT)
        os.close(self.master)


@contextlib.contextmanager
def served(*options):
    """The port of a server for Windows over HTTP."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [str(HERE / "wine"), str(BIN / "hello-server.exe"), "--http",
         f"127.0.0.1:{port}", *options], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment())
    try:
        line = process.stderr.readline().decode()
        if "listening on" not in line:
            raise AssertionError(line)
        yield port
    finally:
        process.terminate()
        process.wait(LIMIT)
        process.stderr.close()


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=SCRATCH, prefix="grün "))

    def check(self, run, code=0, out=None, err=None):
        self.assertEqual(run.returncode, code, run)
        if out is not None:
            self.assertEqual(run.stdout, out, run)
        if err is not None:
            self.assertEqual(run.stderr, err, run)

    def file(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if isinstance(text, str) else json.dumps(text))
        return windows(path)

    def console(self, *words):
        console = Console(*words)
        self.addCleanup(console.end)
        return console

    def mock(self, **description):
        """The command of a server that answers as the description says."""
        path = self.file("mock ✓.json",
                         {"name": "mock", "version": "1", **description})
        return ["--", windows(BIN / "mcpctl.exe"), "mock", path]

    def echo(self):
        return self.mock(tools=[
            {"name": "echo", "answers": [{"text": "${text}"}]},
            {"name": "fail", "answers": [{"error": "no: ${text}"}]}])


class Platform(Case):
    def test_platform(self):
        self.check(wine(BIN / "mcpctl-platform-test.exe", windows(self.folder)),
                   err="")


class Stdio(Case):
    """Servers that mcpctl starts."""

    def test_tools(self):
        self.check(ctl("tools", *hello()), out="NAME  ARGUMENTS  DESCRIPTION\n"
                   "add   a b        Adds two numbers\n")
        self.check(ctl("tools", "add", *hello()))
        run = ctl("info", *hello())
        self.assertIn("Server        calculator\n", run.stdout)

    def test_call(self):
        self.check(ctl("call", "add", "a:=2", "b:=3", *hello()), out="5\n", err="")
        run = ctl("--json", "call", "add", "a=2", "b=3", *hello())
        self.assertEqual(json.loads(run.stdout)["content"],
                         [{"type": "text", "text": "5"}])

    def test_each_revision(self):
        for era in "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "modern":
            with self.subTest(era):
                self.check(ctl("--era", era, "call", "add", "a=2", "b=3", *hello()),
                           out="5\n")

    def test_input_of_arguments(self):
        self.check(ctl("call", "add", "-", *hello(), input=b'{"a": 2, "b": 3}\r\n'),
                   out="5\n")
        path = self.file("arguments.json", '\ufeff{"a": 4, "b": 3}')
        self.check(ctl("call", "add", "@" + path, *hello()), out="7\n")

    def test_utf8(self):
        """In arguments, paths, output, and the names of files."""
        text = "Grüße, 中文 😀"
        run = ctl("call", "echo", "text=" + text, *self.echo())
        self.check(run, out=text + "\n", err="")
        path = self.file("träce 中.txt", "")
        self.check(ctl("--trace-file", path, "call", "echo", "text=" + text,
                       *self.echo()), out=text + "\n")
        trace = (self.folder / "träce 中.txt").read_bytes().decode()
        self.assertIn(text, trace)
        self.assertNotIn("\r", trace)

    def test_quotes(self):
        """A server gets its arguments as they were given."""
        for word in ('a "b" c\\', "", 'x\\"y', "tab\tend", "%PATH% ^&|<>", "a b\\\\",
                     "中 ✓"):
            with self.subTest(word):
                run = ctl("tools", *hello(word))
                self.assertIn(f'unexpected argument "{word}"', run.stderr)
                self.assertEqual(run.returncode, 4)

    def test_utf8_in_the_arguments_of_a_server(self):
        run = ctl("tools", "--", windows(BIN / "mcpctl.exe"), "mock", "中 ✓")
        self.assertIn("cannot read 中 ✓: ", run.stderr)

    def test_lines_of_the_server_end_with_crlf(self):
        """They are shown without it."""
        run = ctl("tools", *hello("--wrong"))
        self.assertNotIn("\\x0d", run.stderr)

    def test_exit_codes(self):
        self.check(ctl("tols"), 1,
                   err="mcpctl: unknown verb 'tols'; did you mean 'tools'?\n")
        self.check(ctl("call", "add", "a=x", "b=1", *hello()), 1)
        self.check(ctl("tools", "--", windows(self.folder / "none.exe")), 4)
        self.check(ctl("call", "fail", "text=x", *self.echo()), 5, out="no: x\n")
        self.check(ctl("--timeout", "0.3", "call", "slow", *self.mock(tools=[
            {"name": "slow", "answers": [{"text": "x", "delay_ms": 30000}]}])), 124)

    def test_hints(self):
        run = ctl("tools", "--", "mcpctl-none")
        self.check(run, 4)
        self.assertIn("in a folder of PATH?", run.stderr)
        run = ctl("tools", "--", windows(self.folder))
        self.assertIn("this is a folder", run.stderr)

    def test_a_word_without_exe_is_a_program(self):
        """As in the shells of Windows."""
        run = ctl("call", "add", "a=2", "b=3", "--", windows(BIN / "hello-server"))
        self.check(run, out="5\n")

    def test_the_environment_of_a_server(self):
        run = ctl("tools", "--env", "MCPCTL_X=grün", "--", "cmd.exe", "/c",
                  "echo %MCPCTL_X% 1>&2")
        self.check(run, 4)
        self.assertIn("gr", run.stderr)

    def test_a_folder_of_a_server(self):
        run = ctl("tools", "--cwd", windows(self.folder), "--", "cmd.exe", "/c",
                  "cd 1>&2")
        self.assertIn("gr", run.stderr)

    def test_verbs_that_are_left_out(self):
        for words in (["status"], ["stop", "--all"]):
            run = ctl(*words)
            self.check(run, 1)
            self.assertIn("cannot keep a server running on this system", run.stderr)

    def test_doctor(self):
        run = ctl("doctor", *hello())
        self.check(run)
        self.assertIn("0 faults", run.stdout)

    def test_bench(self):
        run = ctl("--json", "bench", "--duration", "1", "add", "a:=1", "b:=2",
                  *hello())
        self.check(run)


class Files(Case):
    """What mcpctl reads and writes."""

    def test_output(self):
        server = self.mock(tools=[{"name": "draw", "answers": [{"content": [
            {"type": "image", "mimeType": "image/png", "data": PIXEL}]}]}])
        path = self.folder / "bild ä.png"
        self.check(ctl("call", "draw", "--output", windows(path), *server))
        self.assertEqual(path.read_bytes(), base64.b64decode(PIXEL))
        run = ctl("call", "draw", "--output", windows(self.folder / "new") + "\\",
                  *server)
        self.check(run)
        self.assertEqual((self.folder / "new" / "image-1.png").read_bytes(),
                         base64.b64decode(PIXEL))

    def test_bytes_on_standard_output(self):
        """No byte changes, also not CR and LF."""
        server = self.mock(resources=[{"uri": "x://y", "blob": PIXEL}])
        run = subprocess.run([str(HERE / "wine"), str(BIN / "mcpctl.exe"), "read",
                              "x://y", *server], capture_output=True, timeout=LIMIT,
                             stdin=subprocess.DEVNULL, check=False,
                             env=environment())
        self.assertEqual(run.stdout, base64.b64decode(PIXEL))

    def test_record_and_replay(self):
        path = windows(self.folder / "tape.ndjson")
        words = ["--era", "2025-06-18", "call", "add", "a:=2", "b:=3", "--",
                 windows(BIN / "mcpctl.exe")]
        self.check(ctl(*words, "record", path, *hello()), out="5\n")
        self.check(ctl(*words, "replay", path), out="5\n")
        self.check(ctl("replay", path, *hello()))
        run = ctl(*words, "record", path, *hello())
        self.assertEqual(run.returncode, 4)  # the file is there

    def test_snapshots(self):
        path = windows(self.folder / "snapshot.json")
        self.check(ctl("snapshot", path, *hello()))
        self.check(ctl("snapshot", path, *hello()), 1)
        self.check(ctl("snapshot", "--overwrite", path, *hello()))
        self.check(ctl("diff", path, *hello()), out="No differences.\n")

    def test_test(self):
        path = self.file("add.test.json", {"tests": [
            {"call": "add", "arguments": {"a": 1, "b": 2},
             "expect": {"text": "3"}}]})
        run = ctl("test", path, "--junit", windows(self.folder / "j.xml"), *hello())
        self.check(run)
        self.assertIn("ok 1", run.stdout)
        self.assertIn("<testsuite", (self.folder / "j.xml").read_text())

    def test_bundles(self):
        path = windows(self.folder / "hello.mcpb")
        self.check(ctl("pack", windows(BIN / "hello-server.exe"), "--author", "me",
                       "--output", path))
        self.check(ctl("verify", path))
        self.check(ctl(path, "call", "add", "a=2", "b=3"), out="5\n")

    def test_generated_code(self):
        self.check(ctl("generate", "c", "--output", windows(self.folder / "tools.h"),
                       *hello()))
        self.assertIn(b"*/\n", (self.folder / "tools.h").read_bytes())

    def test_schema(self):
        schema = self.file("schema.json", {"type": "integer"})
        self.check(ctl("schema", "check", schema, self.file("one.json", "1")))
        self.check(ctl("schema", "check", schema, self.file("two.json", '"x"')), 1)


class Names(Case):
    """Servers by name."""

    def setUp(self):
        super().setUp()
        self.written = []

    def tearDown(self):
        for path in self.written:
            path.unlink(missing_ok=True)

    def configure(self, path, member="mcpServers"):
        text = {member: {"calc": {"command": windows(BIN / "hello-server.exe")}}}
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(text))
        self.written.append(path)

    def test_hosts_of_the_user(self):
        for name, member in (
                (".claude.json", "mcpServers"),
                ("AppData/Roaming/Claude/claude_desktop_config.json", "mcpServers"),
                ("AppData/Roaming/Code/User/mcp.json", "servers"),
                (".cursor/mcp.json", "mcpServers"),
                (".codeium/windsurf/mcp_config.json", "mcpServers")):
            with self.subTest(name):
                self.configure(PROFILE / name, member)
                self.check(ctl("calc", "call", "add", "a=2", "b=3",
                               cwd=self.folder), out="5\n")
                self.written.pop().unlink()

    def test_projects(self):
        """A file above the current folder, too."""
        self.configure(self.folder / ".mcp.json")
        inner = self.folder / "a" / "b"
        inner.mkdir(parents=True)
        self.check(ctl("calc", "call", "add", "a=2", "b=3", cwd=inner), out="5\n")

    def test_add_and_remove(self):
        own = PROFILE / ".config/mcpctl/mcpctl.json"
        self.written.append(own)
        self.check(ctl("add", "mine", *hello()))
        self.assertIn("hello-server", own.read_text())
        self.check(ctl("mine", "call", "add", "a=2", "b=3"), out="5\n")
        run = ctl("servers")
        self.assertIn("~/.config/mcpctl/mcpctl.json", run.stdout)
        self.check(ctl("remove", "mine"))
        self.check(ctl("mine", "tools"), 1)

    def test_config_with_a_mark(self):
        path = self.file("c.json", "\ufeff" + json.dumps(
            {"mcpServers": {"calc": {"command": windows(BIN / "hello-server.exe")}}}))
        self.check(ctl("--config", path, "calc", "call", "add", "a=2", "b=3"),
                   out="5\n")

    def test_variables(self):
        path = self.file("c.json", {"mcpServers": {"calc": {
            "command": "${MCPCTL_TEST_BIN}\\hello-server.exe"}}})
        self.check(ctl("--config", path, "calc", "call", "add", "a=2", "b=3",
                       env={"MCPCTL_TEST_BIN": windows(BIN)}), out="5\n")


class Shell(Case):
    def test_lines(self):
        run = ctl("shell", *hello(), input=b"call add a=1 b=2\r\n\r\n"
                  b"call add a=3 b=4\nexit\n")
        self.check(run, out="3\n7\n", err="")

    def test_end_of_input(self):
        self.check(ctl("shell", *hello(), input=b"call add a=1 b=2"), out="3\n")
        self.check(ctl("shell", *hello(), input=b""), out="")

    def test_console(self):
        console = self.console("shell", *hello())
        console.expect("calculator>")
        console.send("call add a=1 b=2\r")
        console.expect("3\r\n")
        console.expect("calculator>")
        console.send("call add a=1 b=ü\r")
        console.expect('got the string "ü"')
        console.expect("calculator>")
        console.send("\x1a\r")  # Ctrl-Z ends the input
        code, _ = console.finish()
        self.assertEqual(code, 1)  # of the last line

    def test_completion(self):
        self.check(ctl("complete-line", "mcpctl too"), out="tools\n")
        self.check(ctl("complete-line", "mcpctl ben"), out="bench\n")


class Questions(Case):
    """A recorded server asks."""

    QUESTION = {
        "jsonrpc": "2.0", "id": 1, "method": "elicitation/create", "params": {
            "message": "Deploy?", "requestedSchema": {
                "type": "object", "required": ["name"],
                "properties": {"name": {"type": "string"}}}}}

    def asking(self):
        def result(number, members):
            return "server", {"jsonrpc": "2.0", "id": number, "result": members}

        def request(number, method, params):
            return "client", {"jsonrpc": "2.0", "id": number, "method": method,
                              "params": params}

        messages = (
            request(1, "initialize", {
                "protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}},
                "clientInfo": {"name": "x", "version": "1"}}),
            result(1, {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                       "serverInfo": {"name": "asking", "version": "1"}}),
            ("client", {"jsonrpc": "2.0", "method": "notifications/initialized"}),
            request(2, "tools/list", {}),
            result(2, {"tools": [{"name": "deploy",
                                  "inputSchema": {"type": "object"}}]}),
            request(3, "tools/call", {"name": "deploy"}),
            ("server", self.QUESTION),
            ("client", {"jsonrpc": "2.0", "id": 1, "result": {
                "action": "accept", "content": {"name": "x"}}}),
            result(3, {"content": [{"type": "text", "text": "deployed"}]}))
        lines = [{"mcpctl": "0.2.0", "format": 1,
                  "started": "2026-11-28T12:00:00Z", "target": "asking"}]
        lines += [{"at": 1, "from": by, "message": message}
                  for by, message in messages]
        path = self.file("asking.ndjson",
                         "".join(json.dumps(line) + "\n" for line in lines))
        return ["--era", "2025-06-18", "--trace", "call", "deploy", "--",
                windows(BIN / "mcpctl.exe"), "replay", path]

    def test_nobody_is_there(self):
        run = ctl(*self.asking())
        self.check(run, 6)
        self.assertIn("unanswered: name", run.stderr)

    def test_answers_of_the_command_line(self):
        run = ctl("--answer", "name=Jörg", *self.asking())
        self.check(run, out="deployed\n")
        self.assertIn('"content":{"name":"Jörg"}', run.stderr)

    def test_a_console(self):
        console = self.console(*self.asking())
        console.expect("asks: Deploy?")
        console.expect("  >")
        console.send("Jörg\r")
        console.expect("(yes/edit/decline)")
        console.send("y\r")
        console.expect(':"Jörg"}')
        code, seen = console.finish()
        self.assertEqual(code, 0, seen)
        self.assertIn("deployed", seen)


class Interrupt(Case):
    """Ctrl-C on a console."""

    def test_watch(self):
        console = self.console("watch", *hello())
        console.expect("Ctrl-C ends")
        console.send("\x03")
        code, seen = console.finish()
        self.assertEqual(code, 0, seen)

    def test_a_call(self):
        server = self.mock(tools=[{"name": "slow", "answers": [
            {"text": "x", "delay_ms": 30000}]}])
        console = self.console("-v", "call", "slow", "--trace", *server)
        console.expect("tools/call")
        console.send("\x03")
        code, seen = console.finish()
        self.assertEqual(code, 130, seen)

    def test_a_prompt_comes_again(self):
        """Wine gives the signal to the server, too, which ends. On Windows it has
        no console, and goes on."""
        console = self.console("shell", *hello())
        console.expect("calculator>")
        console.send("begun\x03")
        console.expect("calculator>")
        console.send("exit\r")
        console.finish()


class Http(Case):
    def test_http(self):
        with served() as port:
            url = f"http://127.0.0.1:{port}/mcp"
            self.check(ctl(url, "tools"), out="NAME  ARGUMENTS  DESCRIPTION\n"
                       "add   a b        Adds two numbers\n")
            for era in "2025-03-26", "2025-06-18", "2025-11-25", "modern":
                with self.subTest(era):
                    self.check(ctl("--era", era, url, "call", "add", "a=2", "b=3"),
                               out="5\n")
            self.check(ctl(url, "doctor"))
            run = ctl(f"http://localhost:{port}/mcp", "ping")
            self.check(run)
            self.check(ctl("call", "add", "a=1", "b=2", "--verbose", "--era",
                           "2025-06-18", "--", windows(BIN / "hello-server.exe")),
                       out="3\n")

    def make_certificates(self):
        """An authority, and a server's certificate of it."""
        def openssl(*words):
            subprocess.run(["openssl", *words], cwd=self.folder, check=True,
                           capture_output=True)
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30",
                "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=mcpctl test",
                "-addext", "basicConstraints=critical,CA:TRUE")
        openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key",
                "-out", "server.csr", "-subj", "/CN=localhost")
        (self.folder / "ext").write_text("subjectAltName=IP:127.0.0.1\n")
        openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey",
                "ca.key", "-CAcreateserial", "-days", "30", "-extfile", "ext",
                "-out", "server.pem")
        openssl("x509", "-in", "ca.pem", "-outform", "der", "-out", "ca.der")

    def test_tls(self):
        """mcpctl trusts a file, or else what Windows trusts."""
        self.make_certificates()
        certificate = shutil.copy(self.folder / "ca.der", SCRATCH)

        def trust(verb):
            self.check(wine(BIN / "trust-test.exe", verb, windows(certificate)))

        with served("--tls-cert", windows(self.folder / "server.pem"), "--tls-key",
                    windows(self.folder / "server.key")) as port:
            words = [f"https://127.0.0.1:{port}/mcp", "call", "add", "a=1", "b=2"]
            self.check(ctl("--cacert", windows(self.folder / "ca.pem"), *words),
                       out="3\n")
            self.check(ctl("--insecure", *words), out="3\n")
            run = ctl(*words)
            self.check(run, 4)
            self.assertIn("--cacert FILE trusts", run.stderr)
            trust("add")
            self.addCleanup(trust, "remove")
            self.check(ctl(*words), out="3\n")
            self.check(ctl(words[0], "doctor"))

    def test_nobody_listens(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        run = ctl(f"http://127.0.0.1:{port}/mcp", "tools")
        self.check(run, 4)
        self.assertIn("is the server running", run.stderr)

    def test_logins(self):
        self.check(ctl("auth"))


def find_profile():
    run = wine("cmd.exe", "/c", "echo %USERPROFILE%")
    folder = run.stdout.strip().replace("\\", "/")
    assert folder.startswith("C:/"), run
    prefix = pathlib.Path(environment()["WINEPREFIX"])
    return prefix / "drive_c" / folder[3:]


def main():
    global BIN, PROFILE, SCRATCH
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    given, rest = parser.parse_known_args()
    BIN = given.bin.resolve()
    SCRATCH = tempfile.mkdtemp(prefix="mcpctl-cross-")
    try:
        PROFILE = find_profile()
        unittest.main(argv=[sys.argv[0], *rest])
    finally:
        shutil.rmtree(SCRATCH)


if __name__ == "__main__":
    main()
