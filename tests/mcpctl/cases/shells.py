# SPDX-License-Identifier: MIT
"""The shell, and completion."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from support import (BIN, Case, FAKE, LIMIT, ROOT, Served, Terminal, command,
                     ctl)


class Shell(Case):
    """Many verbs on one connection."""

    def shell(self, script, *words, code=0, out="", err="", server=None):
        program = command(["shell", *words], server or "hello-server")
        run = subprocess.run(program, input=script, text=True,
                             capture_output=True, timeout=LIMIT,
                             start_new_session=True)
        self.check(run, code, out)
        self.assertEqual(run.stderr, err)

    def test_lines(self):
        self.shell("call add a:=2 b:=3\n\n  # a comment\n"
                   "call add 'a:=2' \"b\":=4\nping >\ncall add a=3 b=4",
                   out="5\n6\n7\n", err="mcpctl: too many arguments: write "
                   "ping\n")
        self.shell("")

    def test_lines_of_windows(self):
        """Each ends with CR and LF."""
        self.shell("call add a=1 b=2\r\n\r\ncall add a=3 b=4\r\nexit\r\n",
                   out="3\n7\n")

    def test_one_connection(self):
        """The server counts its calls, and says with whom it speaks."""
        self.shell("call count\ncall count\nexit\ncall count\n",
                   server=FAKE, out="1\n2\n")

    def test_errors_as_json(self):
        """One object for each line."""
        run = ctl("--json", "shell", stdin=None,
                  input="call refuse text=a\ntols\ncall echo x=1\n"
                  "prompt gret\n")
        self.check(run, 4)
        lines = [json.loads(line) for line in run.stdout.splitlines()]
        self.assertEqual(lines[0], {"error": {"code": -32602, "message": "a"}})
        self.assertEqual(lines[1]["error"]["code"], "usage")
        self.assertIn("content", lines[2])
        self.assertIn("'greet'", lines[3]["error"]["hint"])
        self.assertEqual(len(lines), 4)
        run = ctl("shell", stdin=None, input="--json tols\ntols\n")
        self.assertEqual(run.stdout.count("error"), 1)

    def test_options_of_lines(self):
        run = ctl("--json", "shell", server="hello-server",
                  stdin=None, input="call add a:=2 b:=3\n")
        self.assertEqual(json.loads(run.stdout)["content"][0]["text"], "5")
        self.shell("--env A=1 ping\nping --era legacy\n", code=1, err="""\
mcpctl: --env: the shell is connected already; give this option before the verb shell
mcpctl: --era: the shell is connected already; give this option before the verb shell
""")

    def test_codes(self):
        wrong = "mcpctl: unknown verb 'tolls'; did you mean 'tools'?\n"
        self.shell("tolls\ncall add a:=1 b:=1\n", out="2\n", err=wrong)
        self.shell("call add a:=1 b:=1\ntolls\n", code=1, out="2\n",
                   err=wrong)
        self.shell("tolls\ncall add a:=1 b:=1\n", "-e", code=1, err=wrong)
        self.shell("call --no-validate nope\nexit\n", code=4,
                   err="mcpctl: the server answered with error -32602: unknown "
                       'tool "nope"\n')
        self.check(ctl("-e", "ping", server="hello-server"), 1, "",
                   "mcpctl: -e is for shell\n")

    def test_wrong_lines(self):
        self.shell("call 'add\nbench\nshell\nlogin\ncall\n--x\n", code=1,
                   err="""\
mcpctl: a quote (') is not closed: call 'add
mcpctl: bench does not work in a shell: run it by itself
mcpctl: shell does not work in a shell: run it by itself
mcpctl: login does not work in a shell: run it by itself
mcpctl: too few arguments: write call NAME [ARGS]
mcpctl: unknown option '--x': mcpctl --help lists the options
""")

    def test_what_needs_no_server(self):
        run = ctl("shell", server="hello-server", stdin=None,
                  input="help ping\nschema check /dev/null\n")
        self.assertIn("Time an empty request.", run.stdout)
        self.assertIn("/dev/null: line 1", run.stdout)

    def test_a_server_that_does_not_start(self):
        self.check(ctl("shell", server=["/no/such"]), 4, "", "cannot start")

    def test_a_server_that_ends(self):
        self.shell("call exit\ncall count\n", server=FAKE, code=4,
                   err="mcpctl: %s: exited with status 7 before it answered\n"
                       "mcpctl: %s has ended with status 7\n"
                       % (FAKE[0], FAKE[0]))

    def test_an_unanswered_question_keeps_the_connection(self):
        server = [str(BIN / "workbench-server"), str(ROOT / "examples/data")]
        for era in ("legacy", "modern"):
            with self.subTest(era=era):
                self.shell("call deploy environment=staging\n"
                           "call calculate_sum numbers:=[1]\n",
                           "--era", era, server=server,
                           out='{"sum":1}\n', err="""\
mcpctl: Workbench asks: Deploy to staging?
mcpctl: unanswered: confirm; answer on a terminal or with --answer confirm=VALUE
""")

    def test_changes_are_shown(self):
        run = ctl("shell", server=FAKE, stdin=None,
                  input="call change\ncall count\n")
        self.check(run, 0, "changed\n1\n")
        self.assertIn("the list of tools has changed\n", run.stderr)
        self.assertIn("info from fake: it has begun\n", run.stderr)

    def test_a_url(self):
        self.needs_urls()
        with Served() as url:
            run = subprocess.run(
                [BIN / "mcpctl", url, "shell"], text=True, capture_output=True,
                input="call add a:=1 b:=2\ntools add\n", timeout=LIMIT)
            self.check(run, 0)
            self.assertRegex(run.stdout, r"\A3\nTool +add\n")


class ShellOnATerminal(Case):
    def setUp(self):
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        self.home = pathlib.Path(home.name)

    def open(self, server=None):
        server = server or [str(BIN / "workbench-server"),
                            str(ROOT / "examples/data")]
        terminal = Terminal("shell", server=server, HOME=str(self.home),
                            XDG_STATE_HOME="")
        terminal.expect("> ")
        return terminal

    def close(self, terminal, code=0):
        terminal.send("\x04")
        found, rest = terminal.finish()
        self.assertEqual(found, code, rest)

    def needs_editing(self):
        """libedit is an option of the build."""
        linked = subprocess.run(["ldd", BIN / "mcpctl"], text=True,
                                capture_output=True, check=False).stdout
        if "libedit" not in linked:
            self.skipTest("mcpctl was built without libedit")

    def test_lines(self):
        terminal = self.open()
        terminal.send("call count_slowly to=1 delay_ms=1\n")
        terminal.expect("Counted to 1")
        terminal.expect("> ")
        self.close(terminal)

    def test_completion(self):
        self.needs_editing()
        terminal = self.open()
        terminal.send("call dep\tenv\tst\t\n")
        terminal.expect("Deploy to staging?")
        terminal.send("no\nyes\n")
        terminal.expect("Not deployed to staging")
        terminal.expect("> ")
        terminal.send("call deploy environment=\t")
        terminal.expect("environment=development  environment=staging  "
                        "environment=production")
        terminal.send("\x15prompt expl\tlang\tP\t")
        terminal.expect("uage=")
        terminal.expect("ython")
        terminal.send("\x15--no-v\t")
        terminal.expect("alidate")
        terminal.send("\x15read file\t")
        terminal.expect("://")
        terminal.send("\x15")
        self.close(terminal)

    def test_a_name_with_nul_is_not_completed(self):
        self.needs_editing()
        mock = self.home / "mock.json"
        mock.write_text(json.dumps({"tools": [
            {"name": "weigh", "text": "1 kg", "inputSchema": {
                "type": "object", "properties": {"a\0b": True},
                "additionalProperties": False}}]}))
        terminal = self.open([str(BIN / "mcpctl"), "mock", str(mock)])
        terminal.send("call weigh \t\n")
        terminal.expect("1 kg")
        terminal.expect("> ")
        self.close(terminal)

    def test_history(self):
        self.needs_editing()
        terminal = self.open()
        terminal.send("call count_slowly to=1 delay_ms=1\n")
        terminal.expect("Counted to 1")
        terminal.expect("> ")
        terminal.send(" ping\n")
        terminal.expect("The server answered")
        terminal.expect("> ")
        self.close(terminal)
        kept = self.home / ".local/state/mcpctl/history"
        self.assertIn("count_slowly", kept.read_text())
        self.assertNotIn("ping", kept.read_text())
        self.assertEqual(kept.stat().st_mode & 0o777, 0o600)
        terminal = self.open()
        terminal.send("\x1b[A\n")
        terminal.expect("Counted to 1")
        terminal.expect("> ")
        self.close(terminal)

    def test_an_interrupt(self):
        terminal = self.open()
        terminal.send("tolls\x03")
        terminal.expect("> ")
        terminal.send("call count_slowly to=100 delay_ms=1000\n")
        terminal.expect("counting")
        terminal.send("\x03")
        terminal.expect("interrupted")
        terminal.expect("> ")
        terminal.send("call count_slowly to=1 delay_ms=1\n")
        terminal.expect("Counted to 1")
        terminal.expect("> ")
        self.close(terminal)

    def test_what_comes_while_a_line_is_typed(self):
        terminal = self.open(FAKE)
        terminal.send("call alter_soon\n")
        terminal.expect("soon\r\n")
        terminal.send("call cou")
        terminal.expect("the list of tools has changed\r\n")
        terminal.send("nt\n")
        terminal.expect("1\r\n")
        terminal.expect("> ")
        self.close(terminal)

    def test_a_server_that_ends_while_a_line_is_typed(self):
        terminal = self.open(FAKE)
        terminal.send("call exit_soon\n")
        terminal.expect("soon\r\n")
        code, rest = terminal.finish()
        self.assertEqual(code, 4)
        self.assertIn("has ended with status 7", rest)


class Completions(Case):
    """The words that mcpctl finds for a shell, and the shells' scripts."""

    SCRIPTS = ROOT / "tools/mcpctl/completions"
    # Prompts with names that a shell, or mcpctl, would not take as names.
    MOCK = {"tools": [
        {"name": "weigh", "text": "1 kg", "inputSchema": {
            "type": "object", "properties": {
                "unit": {"enum": ["kg", "lb"]}, "net": {"type": "boolean"},
                "size": {"type": "object"}}}}],
        "prompts": [
            {"name": "greet", "text": "Hi", "arguments": [{"name": "name"}]},
            *({"name": name, "text": ""} for name in (
                "--exec=x", "a b", "$(x)", "x;y", "~", "x`y`", "x\u202e"))],
        "resources": [{"uri": "mock://one", "text": "1"}]}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name).resolve()
        mock = self.home / "mock.json"
        mock.write_text(json.dumps(self.MOCK))
        mocked = {"command": str(BIN / "mcpctl"), "args": ["mock", str(mock)]}
        self.put(".config/mcpctl/mcpctl.json", mocked=mocked, **{
            "a:b": mocked, "slow": {"command": "sleep", "args": ["100"]}})
        self.env = {"PATH": f"{BIN}:{os.environ['PATH']}",
                    "HOME": str(self.home), "TERM": "dumb"}

    def put(self, path, **servers):
        path = self.home / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"mcpServers": servers}))

    def words(self, line):
        run = subprocess.run(
            [BIN / "mcpctl", "complete-line", f"mcpctl {line}"], text=True,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT,
            env=self.env, cwd=self.home)
        self.assertEqual(run.stderr, "")
        return self.check(run).splitlines()

    def expect_words(self, line, *words):
        """On a busy machine the server may be too late: then there are no
        words, and the next time there may be."""
        end = time.monotonic() + LIMIT
        found = []
        while not found and time.monotonic() < end:
            found = self.words(line)
        self.assertEqual(found, list(words), line)

    def test_verbs_and_servers(self):
        self.expect_words("to", "tools")
        self.expect_words("m", "mocked", "mock")
        self.assertEqual(self.words("mocked ser"), [])
        self.expect_words("mocked lo", "login", "logout")
        self.expect_words("remove m", "mocked")
        self.expect_words("--json --timeout 5 remove --era auto m", "mocked")
        self.expect_words("help rem", "remove")
        self.expect_words("schema ", "check")
        self.expect_words("diff sl", "slow")
        found = self.words("")
        self.assertEqual(found[:3], ["mocked", "a:b", "slow"])
        self.assertIn("tools", found)
        self.assertNotIn("complete-line", found)

    def test_a_configuration_of_its_own(self):
        self.put("other.json", other={"command": "x"})
        for option in "--config other.json", "--config=other.json":
            self.expect_words(f"{option} ot", "other")

    def test_options_and_their_values(self):
        self.expect_words("tools --js", "--json")
        self.expect_words("--era le", "legacy")
        self.expect_words("--era=2025-0", "--era=2025-03-26",
                          "--era=2025-06-18")
        self.expect_words("--color ", "auto", "always", "never")
        self.expect_words("--dialect mcp-core-", "mcp-core-bare",
                          "mcp-core-rpc")
        self.expect_words("--draft d", "draft-07")
        self.expect_words("export x --for=cu", "--for=cursor")

    def test_the_shell_completes_the_rest(self):
        for line in ("--config ", "--output to", "tools -- to", "-- ", "-- --",
                     "record ", "'to"):
            self.assertEqual(self.words(line), [], line)

    def test_names_of_the_server(self):
        self.expect_words("mocked call ", "weigh")
        self.expect_words("--era 2025-06-18 mocked --json tools w", "weigh")
        self.expect_words("mocked call weigh ", "unit=", "net=", "size:=")
        self.expect_words("mocked call weigh unit=k", "unit=kg")
        self.expect_words("mocked call weigh net=", "net=true", "net=false")
        self.expect_words("mocked prompt ", "greet")
        self.expect_words("mocked prompt greet n", "name=")
        self.expect_words("mocked read mock:", "mock://one")

    def test_a_url(self):
        self.needs_urls()
        with Served() as url:
            self.expect_words(f"{url} call ", "add")
        self.assertEqual(self.words(f"{url} call "), [])

    def test_a_server_that_does_not_answer(self):
        before = time.monotonic()
        self.assertEqual(self.words("slow call "), [])
        self.assertLess(time.monotonic() - before, LIMIT)

    def test_a_server_of_a_project_is_not_started(self):
        """The file may have come with the project, and the user has not run
        the line."""
        started = self.home / "started"
        touch = {"command": "touch", "args": [str(started)]}
        self.put(".mcp.json", evil=touch, hidden=touch)
        self.put(".cursor/mcp.json", hidden=touch)
        for name in "evil", "hidden":
            self.expect_words(name[:-1], name)
            self.assertEqual(self.words(f"{name} call "), [])
        self.assertEqual(self.words(f"call  -- touch {started}"), [])
        self.assertFalse(started.exists())

    def shell(self, *program, begin=""):
        if shutil.which(program[0]) is None:
            self.skipTest(f"{program[0]} is not installed")
        terminal = Terminal(program=program, columns=200, **self.env)
        terminal.send(f"cd {self.home}; {begin} PS1='rea''dy> '\n")
        terminal.expect("ready> ")
        return terminal

    def press_tab(self, terminal, line, rest):
        """Expects the line to go on, and runs it as the arguments of echo."""
        terminal.send(f"{line}\t.\x01echo \n")
        terminal.expect(f"\n{line}{rest}.\r\n")
        terminal.expect("ready> ")

    def check_shell(self, terminal):
        (self.home / "mine.txt").write_text("")
        for line, rest in (("mcpctl too", "ls "), ("mcpctl --era leg", "acy "),
                           ("mcpctl --era=leg", "acy "),
                           ("mcpctl a:", "b "), ("mcpctl remove moc", "ked "),
                           ("mcpctl --config mi", "ne.txt "),
                           ("mcpctl tools -- workbench-ser", "ver ")):
            self.press_tab(terminal, line, rest.rstrip() + " ")
        terminal.send("exit\n")
        terminal.finish()

    def test_bash(self):
        self.check_shell(self.shell(
            "bash", "--norc", "--noprofile", "-i",
            begin=f"source {self.SCRIPTS}/mcpctl.bash;"))

    def test_zsh(self):
        self.check_shell(self.shell(
            "zsh", "-f", "-i", begin=f"fpath=({self.SCRIPTS} $fpath); "
            "autoload -U compinit; compinit -u -D;"))

    def test_fish(self):
        if shutil.which("fish") is None:
            self.skipTest("fish is not installed")
        (self.home / "mine.txt").write_text("")
        for line, word in (("too", "tools"), ("--era leg", "legacy"),
                           ("--era=leg", "--era=legacy"), ("a:", "a:b"),
                           ("--config mi", "mine.txt"),
                           ("tools -- workbench-ser", "workbench-server")):
            run = subprocess.run(
                ["fish", "-N", "-c", f"source {self.SCRIPTS}/mcpctl.fish; "
                 f"complete -C 'mcpctl {line}'"], text=True, env=self.env,
                capture_output=True, cwd=self.home, timeout=LIMIT)
            self.assertEqual(self.check(run).split("\t")[0].strip(), word)
