# SPDX-License-Identifier: MIT
"""What mcpctl says and prints: help, options, verbs, mistakes, the manual."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from mistakes import MISTAKES, REFUSALS
from support import (BIN, Case, ESCAPED, FAKE, LIMIT, ROOT, Refusing, Served,
                     TARGETS, ctl, pattern_of, url_ctl)


class Usage(Case):
    def test_help_and_version(self):
        for option in ("--help", "--version"):
            run = subprocess.run([BIN / "mcpctl", option], text=True,
                                 capture_output=True, timeout=LIMIT)
            self.check(run)
            self.assertIn("mcpctl", run.stdout)

    def test_every_option_and_verb_has_a_manual_entry(self):
        manual = (ROOT / "docs/MCPCTL.md").read_text()
        said = subprocess.run([BIN / "mcpctl", "--help"], text=True,
                              capture_output=True, timeout=LIMIT).stdout
        for option in re.findall(r"--[a-z-]+", said):
            self.assertIn(f"`{option}", manual)
        for verb in re.findall(r"^  ([a-z]+)", said, re.M):
            self.assertIn(f"`{verb}", manual)

    def test_help_is_aligned(self):
        said = subprocess.run([BIN / "mcpctl", "--help"], text=True,
                              capture_output=True, timeout=LIMIT).stdout
        self.assertLessEqual(max(map(len, said.splitlines())), 80)
        verbs = said.split("Verbs:\n")[1].split("\n\n")[0].splitlines()
        self.assertEqual({re.match(r"  .+?  +", verb).end()
                          for verb in verbs}, {33})

    def test_help_of_one_verb(self):
        for words, expected in (
                (["help"], "Verbs:\n"),
                (["help", "schema"], "mcpctl [OPTIONS] schema check SCHEMA"),
                (["help", "schema"], "\n  --max-errors N"),
                (["help", "call"], "\n  --no-validate"),
                (["help", "call"], "mcpctl [OPTIONS] URL call NAME [ARGS]\n"),
                (["help", "call"], "mcpctl [OPTIONS] NAME call NAME [ARGS]\n"),
                (["help", "login"], "mcpctl [OPTIONS] NAME login\n"),
                (["help", "login"], "\n  --identity FILE"),
                (["help", "logout"], "\n  --client-id ID"),
                (["help", "ping"], "\nTime an empty request.\n")):
            run = subprocess.run([BIN / "mcpctl", *words], text=True,
                                 capture_output=True, timeout=LIMIT)
            self.assertIn(expected, self.check(run))
        self.check(url_ctl("help", "x"), 1, "", "unknown verb 'x'")
        self.check(url_ctl("help", "tsk"), 1, "", "did you mean 'task'?")

    def test_short_options(self):
        self.assertEqual(url_ctl("-h").stdout, url_ctl("--help").stdout)
        self.assertEqual(url_ctl("-V").stdout, url_ctl("--version").stdout)
        run = ctl("-v", "call", "log")
        self.assertEqual(run.stderr, ctl("--verbose", "call", "log").stderr)
        self.assertNotEqual(run.stderr, ctl("call", "log").stderr)

    def test_without_words_it_shows_its_usage(self):
        run = url_ctl()
        self.check(run, 1, "", "usage: mcpctl [OPTIONS] VERB")
        self.assertEqual(run.stderr, url_ctl("--help").stdout)

    def test_wrong_command_lines(self):
        for words, err in (
                (["dance"], "unknown verb 'dance': mcpctl --help"),
                (["tols"], "unknown verb 'tols'; did you mean 'tools'?"),
                (["--jsn", "info"],
                 "unknown option '--jsn'; did you mean '--json'?"),
                (["--colour=never", "info"], "did you mean '--color'?"),
                (["--json"], "no verb given"),
                (["call"], "too few arguments"),
                (["info", "x"], "too many arguments"),
                (["https://example.com/mcp", "info"], "two servers"),
                (["--header", "A: b", "info"], "are for HTTP"),
                (["--plain", "info"], "are for HTTP"),
                (["--header", "x", "info"], "--header: a header is not"),
                (["--cacert", "/nonexistent", "info"], "--cacert /nonexi"),
                (["--era", "stone", "info"], "--era stone"),
                (["--era", "2025-01-01", "info"], "--era 2025-01-01"),
                (["--timeout", "0", "info"], "--timeout 0"),
                (["--timeout", "1x", "info"], "--timeout 1x"),
                (["--timeout", "nan", "info"], "--timeout nan"),
                (["--max-time", "0", "info"],
                 "above 0 and"),
                (["--color", "red", "info"], "--color red"),
                (["--env", "x", "info"], "--env x"),
                (["--answer", "=x", "info"], "--answer =x"),
                (["--answer", "action=perhaps", "info"],
                 "--answer action=perhaps: not accept, decline or cancel"),
                (["--root", "/nonexistent", "info"], "--root /nonexistent"),
                (["--bad", "info"], "mcpctl: unknown option '--bad': mcpctl --help"),
                (["--log-level", "foo", "info"], "unknown option '--log-level'"),
                (["--col=x", "info"], "--color x"),
                (["--c", "x", "info"], "unknown option '--c'"),
                (["--json=x", "info"], "--json=x: this option takes no value"),
                (["--connections", "0", "bench"], "--connections 0: not a num"),
                (["--connections", "2x", "bench"], "from 1 to 10000"),
                (["--duration", "0", "bench"], "--duration 0: not a number"),
                (["--duration", "1e9", "bench"], "up to 86400"),
                (["--duration", "1", "ping"], "--html are for bench"),
                (["--html", "x", "ping"], "--html are for bench"),
                (["bench", "echo", "x"], "'x' is not an argument"),
                (["--formats", "info"], "--max-errors are for schema check"),
                (["--no-validate", "info"], "are for call and bench"),
                (["--no-convert", "prompt", "a"], "are for call and bench"),
                (["call", "a", "--steps", "3"],
                 "unknown option '--steps'; for an argument write steps=3"),
                (["--steps=4", "call", "a"], "for an argument write steps=4"),
                (["call", "a", "--steps"], "write steps=VALUE"),
                (["tools", "--steps"], "unknown option '--steps': mcpctl --help"),
                (["--output", "x", "info"], "--output x: this option is for read"),
                (["--save", "x", "skills"], "--save x: this option is for skill"),
                (["--save", "x", "skill", "a", "f"], "without a FILE"),
                (["--save", "x", "--json", "skill", "a"], "without --json"),
                (["--overwrite", "skill", "a"], "--overwrite is for --save"),
                (["--detach", "tools"], "--detach is for call"),
                (["--wait", "call", "a"], "--wait and --cancel are for task"),
                (["--cancel", "tasks"], "--wait and --cancel are for task"),
                (["task", "a", "--cancel", "--wait"], "goes without --wait"),
                (["task", "a", "--cancel", "--answer", "b=c"],
                 "goes without --wait and --answer"),
                (["task"], "too few arguments"),
                (["--output", "x", "--json", "read", "u"], "without --json"),
                (["info", "--era"], "--era needs a value"),
                (["-vx", "info"], "unknown option '-x'"),
                (["call", "echo", "x"], "'x' is not an argument"),
                (["call", "echo", "x:={"], "is not JSON"),
                (["call", "echo", "x=1", "x=2"], "given twice"),
                (["call", "echo", "@/nonexistent"], "/nonexistent"),
                (["call", "echo", "-"], "standard input is empty: give a "
                 "JSON object"),
                (["call", "echo", '{"a": x}'], "the argument is not JSON: "
                 "line 1, column 7: "),
                (["call", "echo", "@" + __file__], "usage.py is not JSON: line 1"),
                (["complete", "p", "x"], "ARGUMENT=BEGINNING")):
            with self.subTest(words=words):
                run = ctl(*words)
                self.check(run, 1, None, err)
                self.assertRegex(run.stderr, r"\Amcpctl: .*\n\Z")
                self.assertEqual(run.stdout, json.dumps({"error": {
                    "code": "usage", "message": run.stderr[8:-1]}},
                    separators=(",", ":")) + "\n" if "--json" in words else "")

    def test_where_a_url_stands(self):
        for words, err in ((["info", "http://x/mcp"], "mcpctl URL info"),
                           (["info", "UNIX:/x"], "mcpctl URL info"),
                           (["127.0.0.1:80/mcp", "info"],
                            "unknown verb '127.0.0.1:80/mcp': mcpctl --help lists "
                            f"the verbs; a URL begins with {TARGETS}\n"),
                           (["ftp://me:pass@x/y", "info"],
                            "unknown scheme 'ftp:': a server's URL begins "
                            f"with {TARGETS}\n"),
                           (["sse+ws://x", "info"], "unknown scheme 'sse+ws:'")):
            run = subprocess.run([BIN / "mcpctl", *words], text=True,
                                 capture_output=True, timeout=LIMIT)
            self.check(run, 1, "", err)

    def test_all_that_a_url_may_be(self):
        shown = " ".join(url_ctl("--help").stdout.split())
        manual = (ROOT / "docs/MCPCTL.md").read_text()
        for target in re.findall(r"[a-z+]+:\S*\b/*", TARGETS):
            self.assertIn(target, shown)
            self.assertIn(f"`{target}`", manual)
            run = url_ctl("info", target)
            self.check(run, 1, "", "put the URL before the verb")

    def test_what_the_dialect_has_not(self):
        for words in (["ping"], ["info"], ["tools"], ["bench"],
                      ["raw", "tools/list"]):
            for dialect in ("mcp-core", "mcp-core-bare"):
                run = ctl("--dialect", dialect, *words)
                self.check(run, 1, "", "mcp-core can only call tools")

    def test_a_server_is_needed(self):
        for words in (["info"], ["info", "--"], ["info", "hello-server"],
                      ["call"], ["call", "add", "a:=2", "hello-server"]):
            run = subprocess.run([BIN / "mcpctl", *words], text=True,
                                 capture_output=True, timeout=LIMIT)
            self.check(run, 1, "", "no server")


class Mistakes(Case):
    """The exact message of each mistake (mistakes.py)."""

    def said(self, text, **known):
        text = re.sub("^> ", "mcpctl: ", text, flags=re.M)
        for name, value in {"python": FAKE[0], "targets": TARGETS,
                            **known}.items():
            text = text.replace("{%s}" % name, value)
        return text

    def test_command_lines(self):
        has_urls = "no HTTP" not in url_ctl("http://127.0.0.1:1", "ping").stderr
        with tempfile.TemporaryDirectory() as home:
            env = {**os.environ, "HOME": home, "XDG_CONFIG_HOME": home}
            for typed, code, err in MISTAKES:
                if not has_urls and re.search("(http|ws)://1", typed):
                    continue
                words = typed.split(" ")
                if "fake" in words:
                    words[words.index("fake"):words.index("fake") + 1] = FAKE
                with self.subTest(typed=typed):
                    run = url_ctl(*words, cwd=home, env=env)
                    self.check(run, code)
                    self.assertEqual(run.stderr, self.said(err))

    def test_refusals(self):
        self.needs_urls()
        with Refusing() as (url, says):
            there = url.removesuffix("/mcp") + "/new"
            for status, headers, body, code, err in REFUSALS:
                with self.subTest(status=status, headers=headers):
                    says(status, body.encode(), **{
                        name: self.said(value, there=there)
                        for name, value in headers.items()})
                    run = url_ctl(url, "tools")
                    self.check(run, code, "")
                    self.assertEqual(run.stderr,
                                     self.said(err, url=url, there=there))


class Suggestions(Case):
    """Names that a user may have meant by misspelt ones."""

    def prompt(self, *words, mode="legacy"):
        run = ctl("prompt", *words, server=FAKE + [mode])
        self.check(run, 4, "", "mcpctl: the server answered with error -32602: "
                   "not like this\n")
        self.assertIn(json.dumps(words[0]), run.stderr)  # the error's data
        return [line for line in run.stderr.splitlines()
                if "answered" not in line and "data:" not in line]

    def test_a_prompt(self):
        for mode in "legacy", "modern":
            self.assertEqual(
                self.prompt("gret", "who=x", mode=mode),
                ["mcpctl: the server has no prompt 'gret'; did you mean "
                 "'greet'?"])
        self.assertEqual(self.prompt("bye"), [
            "mcpctl: the server has no prompt 'bye': mcpctl prompts lists them"])
        server = ["workbench-server", "data"]
        run = ctl("prompt", "xxx", server=[str(BIN / server[0]), str(
            ROOT / "examples/data")])
        self.check(run, 4, "", "the server has no prompt 'xxx'")

    def test_the_argument_of_a_prompt(self):
        self.assertEqual(self.prompt("greet", "whoo=x"), [
            "mcpctl: greet has no argument 'whoo'; did you mean 'who'?"])
        self.assertEqual(self.prompt("greet", "who=x", "whoo=x"), [
            "mcpctl: greet has no argument 'whoo': mcpctl prompts lists them"])
        self.assertEqual(self.prompt("greet", "how=mad"), [
            "mcpctl: greet needs the argument 'who'"])
        self.assertEqual(self.prompt("greet", "who=x", "how=mad"), [])

    def test_the_argument_of_a_tool(self):
        def call(*words):
            run = ctl("call", *words, server=FAKE + ["named"])
            return run.returncode, run.stderr
        meant = "mcpctl: {} has no argument 'stepz'; did you mean 'steps'?\n"
        self.assertEqual(call("walk", "stepz:=3"), (0, meant.format("walk")))
        self.assertEqual(call("walk", "stepz:=3", "steps:=2"), (0, ""))
        self.assertEqual(call("walk", "other:=3"), (0, ""))
        self.assertEqual(call("open", "stepz:=3"), (0, ""))
        self.assertEqual(call("narrow", "stepz:=3"), (
            1, 'mcpctl: unknown member "stepz"; known are "steps", "delay"\n'
            'mcpctl: missing the required member "steps"\n'
            + meant.format("narrow") + "mcpctl: narrow was not called: its "
            "arguments are not valid; --no-validate sends them anyway\n"))
        self.assertEqual(call("walk", "stepz=x", "--no-validate"), (0, ""))

    def test_an_answer(self):
        run = ctl("call", "form", "--answer=name=Ann", "--answer=color=r",
                  "--answer=cuont=2")
        self.check(run, 0, None, "mcpctl: --answer cuont was not used: no "
                   "question asked for it; did you mean 'count'?\n")


class Verbs(Case):
    """Each verb in both eras, with a server whose answers are known."""

    def both(self, *words, **more):
        runs = [ctl(*words, server=FAKE + [mode], **more)
                for mode in ("legacy", "modern")]
        for run in runs:
            self.check(run)
        return runs[0].stdout, runs[1].stdout

    def same(self, *words, **more):
        legacy, modern = self.both(*words, **more)
        self.assertEqual(legacy, modern)
        return legacy

    def test_info(self):
        legacy, modern = self.both("info")
        self.assertIn("Protocol      2025-11-25\n", legacy)
        self.assertIn("Protocol      2026-07-28\n", modern)
        for out in (legacy, modern):
            self.assertIn("Server        fake\n", out)
            self.assertIn("Version       7\n", out)
            self.assertIn("Capabilities  tools (listChanged)\n", out)
            self.assertIn("Instructions  Be careful.\n", out)

    def test_info_as_json(self):
        legacy, modern = self.both("--json", "info")
        self.assertEqual(json.loads(legacy)["serverInfo"]["name"], "fake")
        self.assertEqual(json.loads(modern)["supportedVersions"],
                         ["2026-07-28"])

    def test_tools_over_all_pages(self):
        out = self.same("tools")
        self.assertEqual(out.splitlines()[1:3], [
            "echo                                      Gives its arguments back",
            "fail                                      Reports an error"])
        self.assertIn("described   [path] [operation] [numbers]  Has it all",
                      out)
        self.assertIn("日本語" * 40, out)
        names = [tool["name"] for tool
                 in json.loads(self.both("tools", "--json")[0])["tools"]]
        self.assertEqual(names[:6],
                         ["echo", "fail", "escape", "described", "wide", "wordy"])

    def test_one_tool(self):
        self.assertEqual(self.same("tools", "described"), """\
Tool          described
Title         A title
Description   Has it all
Claims        it changes nothing
Result        array of object

ARGUMENT   TYPE             REQUIRED  DEFAULT  ALLOWED    DESCRIPTION
path       string           no                            a file
operation  string           no        "sum"    sum|count
numbers    array of number  no

RESULT         TYPE     REQUIRED  ALLOWED
[].size        object   yes
[].size.width  integer  no        at least 0
[].like        object   no        like []
""")
        self.assertEqual(self.same("tools", "strict"), f"""\
Tool          strict
Description   Has an old schema
Arguments     see dependencies

ARGUMENT  TYPE     REQUIRED  ALLOWED
pair      array    yes
pair[0]   integer
pair[1]   string             {ESCAPED.replace(chr(92) + "x0d", " ")}
a/b~c     boolean  no
""")
        self.assertEqual(self.same("tools", "echo").splitlines()[-1],
                         "Arguments     none")
        tool = json.loads(self.same("tools", "--json", "described"))
        self.assertEqual(tool["title"], "A title")
        for name, lines in (
                ("plain", []),
                ("may", ["Tasks         a call can be a task"]),
                ("must", ["Tasks         each call is a task"]),
                ("paged", ["Page          ui://fake/\\x1b[1m",
                           "Visible to    the model and pages"]),
                ("hidden", ["Page          ui://fake/page",
                            "Visible to    pages only"]),
                ("modest", ["Visible to    the model only"]),
                ("lost", ["Visible to    nobody"])):
            self.check(ctl("tools", name, server=FAKE + ["marked"]), 0,
                       "\n".join([f"Tool          {name}",
                                  "Description   ", *lines,
                                  "Arguments     none", ""]))
        self.check(ctl("tools", "nope"), 4, "",
                   "no tool 'nope': mcpctl tools lists them")

    def test_call(self):
        self.assertEqual(self.same("call", "echo"), "{}\n")
        out = self.same("call", "echo", "a=1", "b:=[1, 2]", "c=")
        self.assertEqual(json.loads(out), {"a": "1", "b": [1, 2], "c": ""})
        result = json.loads(self.both("call", "echo", "--json")[0])
        self.assertEqual(result["content"][0]["text"], "{}")

    def test_arguments_as_one_object(self):
        value = {"a": [1, "x"], "n": 12345678901234567890123}
        text = json.dumps(value, indent=1)
        self.assertEqual(json.loads(self.same("call", "echo", text)), value)
        with tempfile.TemporaryFile("w+") as file:
            file.write(text)
            file.seek(0)
            run = ctl("call", "echo", "-", stdin=file)
            self.assertEqual(json.loads(self.check(run)), value)
        with tempfile.NamedTemporaryFile("w") as file:
            file.write(text)
            file.flush()
            out = self.same("call", "echo", "@" + file.name)
            self.assertEqual(json.loads(out), value)

    def test_json_over_several_lines(self):
        out = self.same("call", "echo", "a:=[1,\n 2]")
        self.assertEqual(json.loads(out), {"a": [1, 2]})

    def test_call_with_other_content(self):
        self.assertEqual(self.same("call", "media").splitlines(), [
            "[image image/png, 4 bytes]",
            "[audio audio/wav, 3 bytes]",
            "[link fake://text: The\\x1b[1m text]",
            "[resource fake://blob, 2 bytes]",
            "[hologram]"])

    def test_structured_content_alone(self):
        out = self.same("call", "structured")
        self.assertTrue(out.startswith('{"a":[1,{},[]],"s":'), out)
        self.assertIn('"n":12345678901234567890123', out)
        self.assertNotIn("\u202e", out)
        self.assertEqual(json.loads(out)["a"], [1, {}, []])

    def test_resources(self):
        self.assertEqual(self.same("resources").splitlines(), [
            "URI          NAME  TYPE        SIZE  DESCRIPTION",
            "fake://text  text  text/plain  12    A text",
            "fake://blob  blob"])

    def test_an_empty_list(self):
        self.check(ctl("templates"), 0, "", "no resource templates")

    def test_read(self):
        self.assertEqual(self.same("read", "fake://text"), "a\x1b[1mb")
        self.assertEqual(self.same("read", "fake://blob"), "\0\1\2\3\4")
        self.assertEqual(self.same("read", "fake://both"),
                         "fake://both/1:\none\nfake://both/2:\ntwo\n"
                         "fake://both/3:\n")
        run = ctl("read", "fake://nope")
        self.check(run, 4, "", "error -32002: no such resource")
        self.assertIn('{"uri":"fake://nope"}', run.stderr)

    def test_read_into_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "out")
            for uri, expected in (("fake://blob", b"\0\1\2\3\4"),
                                  ("fake://text", b"a\x1b[1mb")):
                out = self.same("read", uri, "--output", str(path))
                self.assertEqual(out, "")
                self.assertEqual(path.read_bytes(), expected)
                self.assertEqual(
                    self.same("read", uri, "--output", "-").encode(), expected)
            for uri, code, err in (
                    ("fake://both", 1, "has 3 parts"),
                    ("fake://bad", 4, "not base64"),
                    ("fake://nothing", 4, "neither text nor blob"),
                    ("fake://nope", 4, "no such resource")):
                self.check(ctl("read", uri, "--output", str(path)), code, "",
                           err)
                self.assertEqual(path.read_bytes(), b"a\x1b[1mb")
            for path, why in ((folder, "Is a directory"),
                              ("/dev/full", "No space left")):
                self.check(ctl("read", "fake://text", "--output", path), 1, "",
                           f"cannot write {path}: {why}")

    def test_prompts(self):
        self.assertEqual(self.same("prompts").splitlines()[1],
                         "greet  who [how]  Greets")
        self.assertEqual(self.same("prompt", "greet", "who=you"),
                         "user:\nGreet you\n\nassistant:\n"
                         "[resource fake://text, text/plain]\nembedded\n")

    def test_complete(self):
        self.assertEqual(self.same("complete", "greet", "who=al", "how=x"),
                         "alice\nalbert\nhow\n")

    def test_ping(self):
        for out in self.both("ping"):
            self.assertRegex(out, r"^The server answered in [0-9.]+ ms.\n$")

    def test_raw(self):
        self.assertIn('"prompts":[', self.both("raw", "prompts/list")[0])
        out = self.both("raw", "tools/call", "name=echo",
                        'arguments:={"a":1}')[0]
        self.assertEqual(json.loads(out)["content"][0]["text"], '{"a": 1}')
        self.check(ctl("raw", "no/such"), 4, "", "error -32601: no no/such")

    def test_raw_requests_that_the_revision_has_not(self):
        for mode, method, expected in (
                ("modern", "ping", "revision 2026-07-28 has no such request "
                 "to a server; try --era legacy"),
                ("legacy", "server/discover", "revision 2025-11-25 has no "
                 "such request to a server; try --era modern"),
                ("legacy", "sampling/createMessage", "to a server")):
            run = ctl("raw", method, server=FAKE + [mode])
            self.check(run, 4, "", f"mcpctl: raw {method}: ")
            self.assertIn(expected, run.stderr)
        self.check(ctl("raw", "notifications/initialized"), 1, "",
                   "raw sends requests")


class Options(Case):
    def test_era(self):
        for era, mode, code in (("legacy", "legacy", 0),
                                ("modern", "modern", 0),
                                ("auto", "legacy", 0),
                                ("auto", "modern", 0),
                                ("2025-11-25", "legacy", 0),
                                ("2026-07-28", "modern", 0),
                                ("modern", "legacy", 4),
                                ("legacy", "modern", 4),
                                ("2024-11-05", "legacy", 4)):
            with self.subTest(era=era, mode=mode):
                run = ctl("--era", era, "info", server=FAKE + [mode])
                self.check(run, code)
                hint = f"the server may not speak --era {era}: without"
                self.assertEqual(hint in run.stderr, code != 0, run.stderr)

    def test_environment_and_folder(self):
        os.environ["MCPCTL_SECRET"] = "hidden"
        given = ["--env", "A=1", "--env", "B=x=y", "call", "env"]
        with tempfile.TemporaryDirectory() as folder:
            folder = os.path.realpath(folder)
            seen = json.loads(self.check(ctl("--cwd", folder, *given)))
            self.assertEqual(seen["cwd"], folder)
            self.assertEqual(seen["env"]["A"], "1")
            self.assertEqual(seen["env"]["B"], "x=y")
            self.assertNotIn("MCPCTL_SECRET", seen["env"])
            seen = json.loads(self.check(ctl("--inherit-env", *given)))
            self.assertEqual(seen["env"]["MCPCTL_SECRET"], "hidden")
            self.assertEqual(seen["env"]["A"], "1")

    def test_a_call_comes_after_the_roots(self):
        """With a server that asks for the roots once, at the start."""
        run = ctl("--root", "/", "call", "--no-validate", "roots",
                  server=FAKE + ["rooted"])
        self.assertEqual(json.loads(self.check(run)), [{"uri": "file:///"}])

    def test_roots(self):
        with tempfile.TemporaryDirectory(suffix="a b%") as folder:
            folder = os.path.realpath(folder)
            run = ctl("--root", folder, "--root", "/", "call", "roots")
            roots = json.loads(self.check(run))["roots"]
            path = folder.replace("%", "%25").replace(" ", "%20")
            self.assertEqual(roots, [
                {"uri": "file://" + path, "name": os.path.basename(folder)},
                {"uri": "file:///"}])

    def test_trace(self):
        run = ctl("--trace", "call", "echo", "password=hush", "a=b")
        self.check(run, 0, err='--> {"')
        self.assertIn("<-- ", run.stderr)
        self.assertIn('"a":"b"', run.stderr)
        self.assertIn("[redacted]", run.stderr)
        sent = [line for line in run.stderr.splitlines() if "-->" in line]
        self.assertNotIn("hush", "".join(sent))

    def test_verbose(self):
        run = ctl("call", "slow")
        self.check(run, 0, "done\n")
        self.assertEqual(run.stderr, "")
        run = ctl("--verbose", "call", "slow")
        self.check(run, 0, "done\n", "2/4 step 2\\x1b[1m\n")
        run = ctl("--verbose", "--era", "legacy", "info",
                  server=FAKE + ["dies"])
        self.check(run, 4, "", "no licence\nno luck\n")
        self.assertEqual(run.stderr.count("no luck"), 1)

    def test_verbose_tells_what_is_not_checked(self):
        run = ctl("--verbose", "tools")
        self.check(run, 0, None, 'mcpctl: the server: results of the tool '
                   '"mistaken" are not checked: its outputSchema: /type: ')
        self.assertNotIn("no message", run.stderr)
        run = ctl("--timeout", "1", "call", "hang", "n=1")
        self.check(run, 124, "", "no answer within 1 s")
        self.assertNotIn("not checked", run.stderr)

    def test_progress_in_a_pipe_is_a_few_lines(self):
        run = ctl("--verbose", "call", "count_slowly", "to:=100",
                  "delay_ms:=1", server="workbench-server")
        self.check(run, 0, "Counted to 100\n", "100/100 counting\n")
        self.assertIn(len(run.stderr.splitlines()), range(2, 12))

    def test_verbose_asks_for_logs(self):
        for mode in ("legacy", "modern"):
            server = FAKE + [mode]
            self.check(ctl("call", "log", server=server), 0,
                       "nobody listens\n")
            run = ctl("--verbose", "call", "log", server=server)
            self.check(run, 0, "done\n", 'warning from it: {"what":"smoke"}')
        run = ctl("--verbose", "call", "log", server=FAKE + ["mute"])
        self.check(run, 0, "nobody listens\n", "sends no log messages: mute")

    def test_color(self):
        self.assertNotIn("\x1b", self.check(ctl("tools", "echo")))
        out = self.check(ctl("--color", "always", "tools", "echo"))
        self.assertIn("\x1b[1m", out)


class ManPage(Case):
    """What scripts/man-page makes from docs/MCPCTL.md."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.page = self.folder / "mcpctl.1"

    def make(self, manual=ROOT / "docs/MCPCTL.md"):
        return subprocess.run(
            [ROOT / "scripts/man-page", "1.2.3", manual, self.page],
            text=True, capture_output=True, timeout=LIMIT)

    def make_from(self, text):
        """From a manual with this text. Returns the page's last lines."""
        manual = self.folder / "manual.md"
        manual.write_text(f"# mcpctl\n\n    mcpctl [OPTIONS]\n\nBegin\n\n{text}")
        self.check(self.make(manual), err="")
        return self.page.read_text().split("\nBegin\n")[1]

    def shown(self):
        """As a reader sees it."""
        if shutil.which("groff") is None:
            self.skipTest("groff is not installed")
        run = subprocess.run(
            ["groff", "-man", "-Tutf8", "-P-c", "-rLL=500n", "-ww", "-t",
             self.page], capture_output=True, timeout=LIMIT)
        self.assertEqual(run.stderr, b"")
        return re.sub("_\b|.\b", "", run.stdout.decode())

    def test_every_option_and_verb_is_there(self):
        self.check(self.make(), err="")
        page = self.shown()
        said = url_ctl("--help").stdout
        for option in re.findall(r"--[a-z-]+", said):
            self.assertTrue(re.search(rf"^ +{option}\b", page, re.M), option)
        for verb in re.findall(r"^  ([a-z]+)", said, re.M):
            self.assertTrue(re.search(rf"^ +{verb}\b", page, re.M), verb)
        self.assertIn("libmcp 1.2.3", page)
        self.assertIn("mcpctl - inspect, call", page)
        self.assertRegex(page, r"SYNOPSIS\n +mcpctl \[OPTIONS\] VERB \[ARGS\] --"
                         r" COMMAND \[ARGS\]\n")
        for section in re.findall(r"^## (.*)", (ROOT / "docs/MCPCTL.md")
                                  .read_text(), re.M):
            self.assertIn(f"\n{section.upper()}\n", page)

    def test_no_program_warns(self):
        """A date would make two builds of one version differ."""
        self.check(self.make(), err="")
        for words in (["groff", "-man", "-ww", "-z"],
                      ["man", "--warnings", "-l"],
                      ["mandoc", "-Tlint", "-Wwarning"]):
            with self.subTest(program=words[0]):
                if shutil.which(words[0]) is None:
                    self.skipTest(f"{words[0]} is not installed")
                run = subprocess.run(
                    [*words, self.page], text=True, timeout=LIMIT,
                    stdin=subprocess.DEVNULL, capture_output=True)
                self.assertEqual(run.stderr, "")
                if words[0] == "mandoc":
                    self.assertEqual(
                        [line for line in run.stdout.splitlines()
                         if "missing date" not in line], [])

    def test_forms(self):
        """What troff would change stays as it is in the manual."""
        for text, lines in (
                ("a `--b-c` d-e\n", [".PP", r"a \fB\-\-b\-c\fR d-e"]),
                ("```console\n.x 'y'\n\n  \\z\n```\n",
                 [".PP", ".RS 4", ".EX", r"\&.x \(aqy\(aq", "", r"  \(rsz",
                  ".EE", ".RE"]),
                ("    a\n\n    b\n\nc\n",
                 [".PP", ".RS 4", ".EX", "a", "", "b", ".EE", ".RE", ".PP",
                  "c"]),
                ("## A `b`\n### C\n", [r".SH A \fBB\fR", ".SS C"]),
                ("- a\n  b\n- **c** *d*\n1. e\n",
                 [r".IP \(bu 2", "a b", r".IP \(bu 2", r"\fBc\fR \fId\fR",
                  ".IP 1. 4", "e"]),
                ("| a | b |\n|---|---|\n| `x\\|y` | z |\n",
                 [".TP 7", r"\fBx|y\fR", "z"]),
                ("| a | b | c |\n|---|---|---|\n| x | y | z |\n",
                 [".TP 7", "x", "b: y; c: z"]),
                ("[a](#b) [c](D.md) … `` `e` ``\n",
                 [".PP", r"\fIa\fR c \[u2026] \fB\(gae\(ga\fR"])):
            with self.subTest(text=text):
                self.assertEqual(self.make_from(text).splitlines(), lines)

    def test_a_form_that_it_does_not_know(self):
        manual = self.folder / "manual.md"
        for line in "> quoted", "![image](x.png)", "#### deep", "* a":
            manual.write_text(f"# mcpctl\n\n    mcpctl [X]\n\n{line}\n")
            self.check(self.make(manual), 1, err=line)
        manual.write_text("# mcpctl\n\n    mcpctl [X]\n\n| a | b |\n|---|---|\n"
                          "| x |\n")
        self.check(self.make(manual), 1, err="a row with 1 cells: ['x']")


class Examples(Case):
    """mcpctl with real servers."""

    def test_hello_server(self):
        for era in ("legacy", "modern"):
            run = ctl("--era", era, "call", "add", "a:=2", "b:=3",
                      server="hello-server")
            self.check(run, 0, "5\n")
        run = ctl("--no-validate", "call", "add", "a=2", server="hello-server")
        self.check(run, 5, None, "the tool reported an error")

    def workbench(self, *words):
        return ctl(*words, server=[str(BIN / "workbench-server"),
                                   str(ROOT / "examples/data")])

    def test_workbench_server(self):
        for era in ("legacy", "modern"):
            with self.subTest(era=era):
                run = self.workbench("--era", era, "--verbose", "call",
                                     "count_slowly", "to:=3", "delay_ms:=1")
                self.check(run, 0, "Counted to 3\n", "3/3 counting\n")
                deploy = ["call", "deploy", "environment=staging"]
                run = self.workbench("--era", era, *deploy)
                self.check(run, 6, "", "unanswered: confirm")
                run = self.workbench("--era", era, "--answer", "confirm=no",
                                     *deploy)
                self.check(run, 0, "Not deployed to staging\n")
                run = self.workbench("--era", era, "--answer", "text=Short.",
                                     "call", "summarize", "path=app.log")
                self.check(run, 0, "Short.\n")
                run = self.workbench("--era", era, "complete", "explain-code",
                                     "language=C")
                self.check(run, 0, "C\nC++\n")
                run = self.workbench("--era", era, "templates")
                self.assertIn("file:///{+path}", self.check(run))

    def test_the_demo(self):
        env = {**os.environ, "BIN": str(BIN)}
        run = subprocess.run([ROOT / "scripts/demo"], text=True, env=env,
                             stdin=subprocess.DEVNULL, capture_output=True,
                             timeout=LIMIT)
        self.check(run, 0, err="")
        self.assertNotIn("\x1b", run.stdout + run.stderr)
        self.assertEqual(run.stdout.count("Counted to 20"), 2)
        self.assertEqual(run.stderr.count("20/20 counting\n"), 2)
        self.assertIn(run.stderr.count("\n"), range(4, 2 * 11 + 1))
        env["BIN"] = "/nonexistent"
        run = subprocess.run([ROOT / "scripts/demo"], text=True, env=env,
                             capture_output=True, timeout=LIMIT)
        self.check(run, 1, "", "scripts/demo: no mcpctl in /nonexistent")

    def test_a_url(self):
        self.needs_urls()
        with Served() as url:
            for era in ("auto", "legacy", "modern"):
                run = url_ctl("--era", era, url, "call", "add", "a:=2", "b:=3")
                self.check(run, 0, "5\n")
            self.check(url_ctl(url + "/nowhere?key=secret", "info"), 4,
                       err="answered HTTP 404")
        run = url_ctl("--timeout", "9", url + "?key=secret", "info")
        self.check(run, 4, "", err=url)
        self.assertNotIn("secret", run.stderr)

    def test_the_manual(self):
        """Runs every `$ mcpctl` of docs/MCPCTL.md, in examples/. All have one
        home folder, which is empty at first."""
        manual = (ROOT / "docs/MCPCTL.md").read_text()
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        env = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}",
               "HOME": home.name}
        env.pop("NO_COLOR", None)
        env.pop("XDG_CONFIG_HOME", None)
        count = 0
        for block in re.findall(r"```console\n(.*?)```", manual, re.S):
            for step in re.split(r"^\$ ", block, flags=re.M)[1:]:
                line, expected = step.split("\n", 1)
                with self.subTest(command=line):
                    run = subprocess.run(
                        ["bash", "-c", line], cwd=ROOT / "examples", env=env,
                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                        stderr=subprocess.STDOUT, text=True, timeout=LIMIT,
                        start_new_session=True)
                    self.assertRegex(run.stdout, pattern_of(expected))
                count += 1
        self.assertGreater(count, 5)
