# SPDX-License-Identifier: MIT
"""Servers by name, from the files of hosts."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from fake_skills import entry
from support import BIN, Case, HERE, LIMIT, Refusing, Served, TARGETS, UNKNOWN


class Configurations(Case):
    """Servers by name: the files of hosts, and mcpctl's own."""

    # A program that says how it was started, and ends. Its words are the last
    # line of mcpctl's report.
    TELL = [sys.executable, "-c",
            "import os, sys; sys.exit(' '.join([*sys.argv[1:], *["
            "name + '=' + os.environ[name] for name in ('A', 'B', 'C', 'TOKEN')"
            " if name in os.environ], os.path.basename(os.getcwd())]))"]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name).resolve()
        self.home = self.top / "home"
        self.project = self.top / "project"
        self.inside = self.project / "src" / "deep"
        self.home.mkdir()
        self.inside.mkdir(parents=True)
        self.own = self.home / ".config/mcpctl/mcpctl.json"

    def put(self, path, servers, member="mcpServers", **more):
        path.parent.mkdir(parents=True, exist_ok=True)
        text = servers
        if not isinstance(servers, str):
            text = json.dumps({member: servers, **more})
        path.write_text(text)

    def run_ctl(self, *words, cwd=None, **variables):
        env = {"PATH": os.environ["PATH"], "HOME": str(self.home), **variables}
        return subprocess.run(
            [BIN / "mcpctl", *words], text=True, stdin=subprocess.DEVNULL,
            capture_output=True, cwd=cwd or self.inside, env=env,
            timeout=LIMIT)

    def named(self, *words, code=0, out="", err="", **more):
        run = self.run_ctl(*words, **more)
        self.check(run, code, out)
        self.assertEqual(run.stderr.replace(str(self.top), "TOP"), err)

    def hello(self):
        return {"command": str(BIN / "hello-server")}

    def expect_server(self, name, **more):
        run = self.run_ctl(name, "call", "add", "a:=2", "b:=3", **more)
        self.check(run, 0, "5\n")
        return run

    def expect_told(self, name, told, *words, **more):
        """The server was started with these words, variables and folder."""
        run = self.run_ctl(*words, name, "info", **more)
        self.check(run, 4, "")
        self.assertEqual(run.stderr.splitlines()[-1], told)

    def tell(self, *args, **more):
        return {"command": self.TELL[0], "args": [*self.TELL[1:], *args],
                **more}

    def test_each_host(self):
        files = [
            (self.own, "mcpServers"),
            (self.home / ".claude.json", "mcpServers"),
            (self.home / ".cursor/mcp.json", "mcpServers"),
            (self.home / ".config/Code/User/mcp.json", "servers"),
            (self.home / ".config/Claude/claude_desktop_config.json",
             "mcpServers"),
            (self.home / ".codeium/windsurf/mcp_config.json", "mcpServers"),
            (self.project / ".mcp.json", "mcpServers"),
            (self.project / ".vscode/mcp.json", "servers"),
            (self.project / "src/.cursor/mcp.json", "mcpServers"),
        ]
        for i, (path, member) in enumerate(files):
            self.put(path, {f"s{i}": self.hello()}, member)
        for i in range(len(files)):
            self.expect_server(f"s{i}")
        listed = json.loads(self.run_ctl("--json", "servers").stdout)
        self.assertEqual(
            [(server["name"], server["host"]) for server in listed["servers"]],
            [("s0", "mcpctl"), ("s8", "cursor"), ("s6", "claude-code"),
             ("s7", "vscode"), ("s1", "claude-code"), ("s3", "vscode"),
             ("s2", "cursor"), ("s4", "claude-desktop"), ("s5", "windsurf")])

    def test_the_folder_for_settings_can_be_another(self):
        self.put(self.top / "xdg/mcpctl/mcpctl.json", {"one": self.hello()})
        self.put(self.top / "xdg/Code/User/mcp.json", {"two": self.hello()},
                 "servers")
        for name in "one", "two":
            self.expect_server(name, XDG_CONFIG_HOME=str(self.top / "xdg"))

    def test_projects_in_the_file_of_claude_code(self):
        self.put(self.home / ".claude.json", {"all": self.hello()}, projects={
            str(self.project): {"mcpServers": {"here": self.hello()}},
            "/elsewhere": {"mcpServers": {"far": self.hello()}}})
        self.expect_server("all")
        self.expect_server("here")
        self.named("far", "info", code=1, err=UNKNOWN % "far")
        self.named("here", "info", cwd=self.top, code=1, err=UNKNOWN % "here")

    def test_one_file_only(self):
        self.put(self.own, {"own": self.hello()})
        self.put(self.top / "some.json", {"some": self.hello()})
        run = self.run_ctl("--config", "../../../some.json", "some", "ping")
        self.assertEqual(run.returncode, 0)
        self.named("--config", str(self.top / "some.json"), "own", "ping",
                   code=1, err=UNKNOWN % "own")
        self.named("--config", "none.json", "own", "ping", code=1,
                   err="mcpctl: --config none.json: cannot read none.json: No "
                       "such file or directory\n")
        self.put(self.top / "other.json", "[1]")
        self.named("--config", str(self.top / "other.json"), "servers", code=1,
                   err="mcpctl: --config TOP/other.json: the file has no "
                       "object mcpServers or servers\n")
        self.named("--config", "x.json", "ping", "--", "true", code=1,
                   err="mcpctl: --config x.json: no name of a server is given; "
                       "write mcpctl --config FILE NAME ping\n")

    def test_the_nearest_file_wins(self):
        self.put(self.home / ".cursor/mcp.json", {"a": {"command": "/no/user"}})
        self.put(self.project / ".mcp.json", {"a": {"command": "/no/upper"}})
        self.put(self.inside / ".mcp.json", {"a": self.hello()})
        run = self.expect_server("a")
        self.assertEqual(
            run.stderr.replace(str(self.top), "TOP"),
            "mcpctl: 'a' is the server of TOP/project/src/deep/.mcp.json, not "
            "that of TOP/home/.cursor/mcp.json\n")
        self.put(self.own, {"a": self.hello()})
        self.assertEqual(self.expect_server("a").stderr, "")
        lines = self.run_ctl("servers").stdout.splitlines()
        self.assertEqual([line.split()[-1] for line in lines], [
            "FILE", "~/.config/mcpctl/mcpctl.json", f"{self.inside}/.mcp.json",
            f"{self.project}/.mcp.json", "~/.cursor/mcp.json"])
        self.assertEqual(
            ["an earlier file has the name" in line for line in lines],
            [False, False, True, True, True])

    def test_references_of_claude_code(self):
        self.put(self.project / ".mcp.json", {
            "a": self.tell("${TOKEN}", "${NONE:-there}", "${env:TOKEN}",
                           env={"A": "x${TOKEN}", "B": 1, "C": None}),
            "b": self.tell("${NONE}")})
        self.expect_told("a", "s3cret there ${env:TOKEN} A=xs3cret B=1 deep",
                         TOKEN="s3cret")
        self.expect_told("a", "s3cret there ${env:TOKEN} A=other B=1 deep",
                         "--env", "A=other", TOKEN="s3cret")
        self.named("b", "info", code=1, err="""\
mcpctl: server 'b' in TOP/project/.mcp.json: the environment has no variable \
NONE: set it, or give the value with --env or --header
""")

    def test_references_of_vscode(self):
        (self.project / ".env").write_text("A=file\nB=file\nC=\"file\"\n")
        self.put(self.project / ".vscode/mcp.json", """{
  // Comments, and commas at ends.
  "inputs": [{"id": "key", "type": "promptString"}],
  "servers": {
    "a": %s, /* the last */
  },
}""" % json.dumps(self.tell(
            "${env:TOKEN}", "${TOKEN}", "${userHome}",
            "${workspaceFolder}${/}x", "${workspaceFolderBasename}",
            env={"A": "${input:key}", "B": "entry"},
            envFile="${workspaceFolder}/.env", cwd="${workspaceFolder}")),
                 "servers")
        self.expect_told(
            "a", f"s3cret ${{TOKEN}} {self.home} {self.project}/x project "
            "A=given B=entry C=file project", "--env", "A=given",
            TOKEN="s3cret")
        self.named("a", "info", code=1, TOKEN="s3cret", err="""\
mcpctl: server 'a' in TOP/project/.vscode/mcp.json: ${input:key} is a value \
that the user types in VS Code: give it with --env or --header
""")

    def test_references_of_other_hosts(self):
        (self.top / "key").write_text("from a file\n")
        words = ["${env:TOKEN}", "${TOKEN}", f"${{file:{self.top}/key}}",
                 "${userHome}"]
        rows = [(".cursor/mcp.json",
                 f"s3cret ${{TOKEN}} ${{file:{self.top}/key}} {self.home}"),
                (".codeium/windsurf/mcp_config.json",
                 "s3cret ${TOKEN} from a file ${userHome}"),
                (".config/Claude/claude_desktop_config.json",
                 " ".join(words))]
        for path, told in rows:
            self.put(self.home / path, {"a": self.tell(*words)})
            self.expect_told("a", f"{told} deep", TOKEN="s3cret")
            (self.home / path).unlink()

    def test_urls(self):
        with Served() as url, Served(wire="--sse") as sse:
            self.put(self.own, {
                "http": {"type": "http", "url": url},
                "sse": {"type": "sse", "url": sse.replace("sse+", "")}})
            self.put(self.home / ".codeium/windsurf/mcp_config.json",
                     {"surf": {"serverUrl": url, "env": {"A": "1"}}})
            for name in "http", "sse", "surf":
                self.expect_server(name)

    def test_headers(self):
        refusing = Refusing()
        with refusing as (url, says):
            says(500, b"")
            self.put(self.own, {"a": {"url": url, "headers": {
                "X-One": "${TOKEN}", "X-Two": "two"}}})
            self.run_ctl("--header", "x-two: given", "a", "ping", TOKEN="one")
            self.assertEqual(refusing.server.seen["X-One"], "one")
            self.assertEqual(refusing.server.seen.get_all("X-Two"), ["given"])

    def test_wrong_entries(self):
        rows = {
            "n": ({}, "the entry has neither command nor url"),
            "a": ({"command": "x", "args": "y"},
                  "args must be an array, not string"),
            "c": ({"command": ["x"]}, "command must be a string, not array"),
            "e": ({"command": "x", "env": {"A": []}},
                  "A must be a string, not array"),
            "u": ({"url": "example.com"},
                  f"the url does not begin with {TARGETS}"),
            "f": ({"command": "x", "envFile": "/none"},
                  "cannot read /none: No such file or directory"),
        }
        self.put(self.own, {name: entry for name, (entry, _) in rows.items()})
        for name, (_, why) in rows.items():
            self.named(name, "info", code=1, err=f"mcpctl: server '{name}' in "
                       f"TOP/home/.config/mcpctl/mcpctl.json: {why}\n")

    def test_words_that_name_nothing(self):
        self.put(self.own, {"github": self.hello()})
        self.named("githib", "tools", code=1, err="mcpctl: unknown server "
                   "'githib'; did you mean 'github'?\n")
        self.named("other", "tools", code=1, err=UNKNOWN % "other")
        self.named("tools", "github", code=1, err="mcpctl: no server given: "
                   "the name of a server stands before the verb, as in mcpctl "
                   "github tools [NAME]\n")
        self.named("github", code=1, err="mcpctl: no verb given: mcpctl --help "
                   "lists the verbs\n")
        self.named("github", "tolls", code=1, err="mcpctl: unknown verb "
                   "'tolls'; did you mean 'tools'?\n")
        self.named("github", "call", code=1, err="mcpctl: too few arguments: "
                   "write mcpctl NAME call NAME [ARGS]\n")
        self.named("github", "ping", "--", "x", code=1, err="mcpctl: two "
                   "servers given: 'github', and a command after --; give one "
                   "of them\n")

    def test_a_broken_file_is_named(self):
        self.put(self.own, {"a": self.hello()})
        self.put(self.home / ".cursor/mcp.json", "{")
        broken = ("mcpctl: TOP/home/.cursor/mcp.json is left out: line 1, "
                  "column 2: ")
        self.assertEqual(self.expect_server("a").stderr, "")
        for words in ("b", "info"), ("servers",):
            run = self.run_ctl(*words)
            self.assertIn(broken, run.stderr.replace(str(self.top), "TOP"))

    def test_an_empty_file_has_no_servers(self):
        self.put(self.home / ".cursor/mcp.json", "")
        self.named("servers", out="(no servers)\n")
        self.named("--json", "servers", out='{"servers":[]}\n')

    def test_secrets_are_not_listed(self):
        self.put(self.own, {
            "a": {"command": "x", "args": [
                "--api-key", "SECRET", "--token=SECRET", "-v", "--key",
                "${KEY}", "Authorization: SECRET", "AUTH_TOKEN=SECRET",
                "postgres://me:SECRET@db/x?password=SECRET"],
                "env": {"K": "SECRET"}},
            "b": {"url": "https://me:SECRET@example.com/mcp?k=SECRET",
                  "headers": {"K": "SECRET"}}})
        for words in ("servers",), ("--json", "servers"):
            run = self.run_ctl(*words)
            self.assertNotIn("SECRET", run.stdout)
            self.assertIn(
                "x --api-key *** --token=*** -v --key ${KEY} Authorization:*** "
                "AUTH_TOKEN=*** postgres://db/x", run.stdout)
            self.assertIn("https://example.com/mcp", run.stdout)

    def test_checking(self):
        with Served() as url:
            self.put(self.own, {
                "good": self.hello(), "web": {"url": url},
                "ends": self.tell(), "tools": self.hello(),
                "none": {"command": "/no/such"}, "wrong": {}})
            self.put(self.home / ".cursor/mcp.json", {"good": self.hello()})
            run = self.run_ctl("--json", "servers", "--check")
        self.assertEqual(run.returncode, 4)
        self.assertEqual(run.stderr, "")
        found = {(server["name"], server["host"]): server
                 for server in json.loads(run.stdout)["servers"]}
        for name in "good", "web":
            server = found[name, "mcpctl"]
            self.assertTrue(server["answers"])
            self.assertEqual(server["server"], "calculator 1.0.0")
            self.assertEqual(server["protocolVersion"], "2026-07-28")
        self.assertIn("exited with status 1", found["ends", "mcpctl"]["error"])
        self.assertIn("no such file", found["none", "mcpctl"]["error"])
        self.assertEqual(found["wrong", "mcpctl"]["error"],
                         "the entry has neither command nor url")
        self.assertEqual(found["good", "cursor"]["problem"],
                         "an earlier file has the name")
        self.assertEqual(found["tools", "mcpctl"]["problem"],
                         "the name is that of a verb")
        self.put(self.own, {"deaf": {"command": sys.executable, "args": [
            str(HERE / "fake_server.py"), "silent"]}})
        run = self.run_ctl("servers", "--check", "--timeout", "1")
        self.assertEqual(run.returncode, 4)
        self.assertIn("fails: no answer within 1 s: --timeout sets this limit",
                      run.stdout)
        self.assertEqual(run.stderr, "mcpctl: mcpctl NAME info shows all that "
                         "a server says when it fails\n")
        self.put(self.own, {"loud": {"command": sys.executable, "args": [
            str(HERE / "fake_server.py"), "chatty"]}})
        run = self.run_ctl("servers", "--check")
        self.assertEqual(run.returncode, 0)
        self.assertIn("loud wrote something that is not a message to ",
                      run.stderr)
        self.put(self.own, {"good": self.hello()})
        run = self.run_ctl("servers", "--check")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("answers: calculator 1.0.0 (2026-07-28)", run.stdout)

    def test_adding(self):
        self.named("add", "one", "--env", "A=1", "--cwd", "/tmp", "--", "x",
                   "--y", err="mcpctl: added 'one' in TOP/home/.config/mcpctl/"
                              "mcpctl.json\n")
        self.named("add", "two", "http://h/mcp", "--header", "K: v: w",
                   err="mcpctl: added 'two' in TOP/home/.config/mcpctl/"
                       "mcpctl.json\n")
        self.named("sse+http://h/sse", "add", "three", err="mcpctl: added "
                   "'three' in TOP/home/.config/mcpctl/mcpctl.json\n")
        self.assertEqual(json.loads(self.own.read_text()), {"mcpServers": {
            "one": {"command": "x", "args": ["--y"], "cwd": "/tmp",
                    "env": {"A": "1"}},
            "two": {"type": "http", "url": "http://h/mcp",
                    "headers": {"K": "v: w"}},
            "three": {"type": "sse", "url": "http://h/sse"}}})
        self.assertEqual(self.own.stat().st_mode & 0o777, 0o600)
        self.assertEqual(self.own.parent.stat().st_mode & 0o777, 0o700)
        self.assertEqual(list(self.own.parent.iterdir()), [self.own])
        self.named("add", "one", "--", "z", code=1, err="mcpctl: TOP/home/"
                   ".config/mcpctl/mcpctl.json has a server 'one' already: "
                   "--overwrite replaces it\n")
        self.named("add", "--overwrite", "one", "--", "z", err="mcpctl: "
                   "replaced 'one' in TOP/home/.config/mcpctl/mcpctl.json\n")
        self.named("remove", "two", err="mcpctl: removed 'two' from TOP/home/"
                   ".config/mcpctl/mcpctl.json\n")
        self.assertEqual(json.loads(self.own.read_text()), {"mcpServers": {
            "three": {"type": "sse", "url": "http://h/sse"},
            "one": {"command": "z", "args": []}}})

    def test_adding_odd_words(self):
        self.named("add", "one", "--env", "A= 1", "--env", "B=1", "--env",
                   "B=2", "--", "x", "", err="mcpctl: added 'one' in TOP/home/"
                                             ".config/mcpctl/mcpctl.json\n")
        self.assertEqual(self.own.read_text().count('"B"'), 1)
        self.assertEqual(json.loads(self.own.read_text()), {"mcpServers": {
            "one": {"command": "x", "args": [""],
                    "env": {"A": " 1", "B": "2"}}}})

    def test_a_file_of_another_shape_stays(self):
        path = self.top / "x.json"
        rows = [("[1]", "it is not an object"), ("null", "it is not an object"),
                ('{"mcpServers": [1]}', "\"mcpServers\" is not an object"),
                ('{"servers": "a"}', "\"servers\" is not an object")]
        for text, why in rows:
            path.write_text(text)
            self.named("--config", str(path), "add", "b", "--", "y", code=1,
                       err=f"mcpctl: TOP/x.json: {why}: change it in an "
                           "editor\n")
            self.assertEqual(path.read_text(), text)

    def test_what_cannot_be_added(self):
        rows = [
            (["add", "x"], "which server is it? Write mcpctl add x URL, or "
                           "mcpctl add x -- COMMAND"),
            (["add", "x", "npx"], "'npx' is not a URL; a command goes after --, "
                                  "as in mcpctl add x -- npx"),
            (["add", "x", "http://h", "--", "y"], "two servers given: a URL, "
                                                  "and a command after --; "
                                                  "give one of them"),
            (["add", "tools", "--", "y"], "'tools' cannot name a server: it is "
                                          "a verb"),
            (["add", "a b", "--", "y"], "'a b' cannot name a server: a name has "
                                        "no blanks, colons or slashes"),
            (["add", "", "--", "y"], "'' cannot name a server: a name begins "
                                     "with a letter or a digit"),
            (["add", "x", "--era", "legacy", "--", "y"],
             "add keeps a URL or a command, --env, --cwd and --header; give "
             "other options with each call"),
            (["remove", "x"], "TOP/home/.config/mcpctl/mcpctl.json has no "
                              "server 'x'"),
        ]
        for words, why in rows:
            self.named(*words, code=1, err=f"mcpctl: {why}\n")
        self.assertFalse(self.own.exists())

    def test_another_file_is_changed_with_care(self):
        path = self.project / ".vscode/mcp.json"
        self.put(path, {"a": {"type": "stdio", "command": "x"}}, "servers",
                 inputs=[{"id": "k"}])
        path.chmod(0o644)
        link = self.top / "link.json"
        link.symlink_to(path)
        self.named("remove", "a", code=1, err="mcpctl: 'a' is in TOP/project/"
                   ".vscode/mcp.json, not in TOP/home/.config/mcpctl/mcpctl."
                   "json: name the file with --config to change it\n")
        self.named("--config", str(link), "add", "b", "--", "y",
                   err="mcpctl: added 'b' in TOP/link.json\n")
        self.assertTrue(link.is_symlink())
        self.assertEqual(json.loads(path.read_text()), {
            "inputs": [{"id": "k"}],
            "servers": {"a": {"type": "stdio", "command": "x"},
                        "b": {"command": "y", "args": []}}})
        path.write_text("// mine\n{}")
        self.named("--config", str(path), "add", "b", "--", "y", code=1,
                   err="mcpctl: TOP/project/.vscode/mcp.json has comments or "
                       "commas at ends, which mcpctl would remove: change it "
                       "in an editor\n")
        self.assertEqual(path.read_text(), "// mine\n{}")

    def test_exporting(self):
        self.put(self.project / ".mcp.json", {
            "a": {"command": "npx", "args": ["-y", "${PKG:-pkg}", "--token",
                                             "SECRET"],
                  "env": {"API_KEY": "SECRET", "LEVEL": "debug",
                          "TOKEN": "${TOKEN}"}},
            "b": {"type": "http", "url": "https://h/mcp?key=SECRET",
                  "headers": {"X-Api-Key": "SECRET", "Accept": "x"}}})
        hint = "mcpctl: replace what is in <...>, and each ***, before %s uses it\n"
        rows = [
            ("claude-code", "Claude Code", "mcpServers", {
                "command": "npx", "args": ["-y", "${PKG:-pkg}", "--token",
                                           "***"],
                "env": {"API_KEY": "${API_KEY}", "LEVEL": "debug",
                        "TOKEN": "${TOKEN}"}}),
            ("vscode", "VS Code", "servers", {
                "command": "npx", "args": ["-y", "pkg", "--token", "***"],
                "env": {"API_KEY": "${env:API_KEY}", "LEVEL": "debug",
                        "TOKEN": "${env:TOKEN}"}}),
            ("claude-desktop", "Claude Desktop", "mcpServers", {
                "command": "npx", "args": ["-y", "pkg", "--token", "***"],
                "env": {"API_KEY": "<API_KEY>", "LEVEL": "debug",
                        "TOKEN": "<TOKEN>"}}),
        ]
        for host, title, member, entry in rows:
            run = self.run_ctl("export", "a", "--for", host)
            self.assertEqual(run.stderr, hint % title)
            self.assertEqual(json.loads(run.stdout), {member: {"a": entry}})
        run = self.run_ctl("export", "b", "--for", "windsurf")
        self.assertEqual(json.loads(run.stdout), {"mcpServers": {"b": {
            "serverUrl": "https://h/mcp?***",
            "headers": {"X-Api-Key": "${env:X_API_KEY}", "Accept": "x"}}}})
        run = self.run_ctl("export", "b", "--for", "cursor", "--secrets")
        self.assertEqual(run.stderr, "")
        self.assertEqual(json.loads(run.stdout), {"mcpServers": {"b": {
            "type": "http", "url": "https://h/mcp?key=SECRET",
            "headers": {"X-Api-Key": "SECRET", "Accept": "x"}}}})
        run = self.run_ctl("export", "c", "--for", "vscode", "--", "x")
        self.assertEqual(run.stdout, """\
{
  "servers": {
    "c": {
      "command": "x",
      "args": []
    }
  }
}
""")
        self.named("export", "none", code=1, err=UNKNOWN % "none")
        self.named("export", "a", "--for", "x", code=1, err="mcpctl: --for x: "
                   "the known hosts are mcpctl, claude-code, vscode, cursor, "
                   "claude-desktop, windsurf\n")

    def test_exporting_odd_names(self):
        self.put(self.own, {
            "a": {"url": "https://u:SECRET@h/${PLACE}?key=SECRET",
                  "headers": {"X.Api+Key": "SECRET"}},
            "b": {"url": "https://h/mcp?key=${KEY}"}})
        run = self.run_ctl("export", "a", "--for", "cursor")
        self.assertEqual(json.loads(run.stdout), {"mcpServers": {"a": {
            "type": "http", "url": "https://h/${env:PLACE}?***",
            "headers": {"X.Api+Key": "${env:X_API_KEY}"}}}})
        run = self.run_ctl("export", "b", "--for", "cursor")
        self.assertEqual(json.loads(run.stdout), {"mcpServers": {"b": {
            "type": "http", "url": "https://h/mcp?key=${env:KEY}"}}})

    def test_an_exported_entry_works_in_its_host(self):
        self.put(self.own, {"a": self.tell("${TOKEN}", env={"A": "${TOKEN}"})})
        for host, path in [("vscode", ".vscode/mcp.json"),
                           ("claude-code", ".mcp.json"),
                           ("cursor", ".cursor/mcp.json")]:
            entry = self.run_ctl("export", "a", "--for", host).stdout
            file = self.project / path
            self.put(file, entry)
            self.expect_told("a", "s3cret A=s3cret deep", "--config",
                             str(file), TOKEN="s3cret")
            file.unlink()
