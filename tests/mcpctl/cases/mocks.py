# SPDX-License-Identifier: MIT
"""The verbs `mock` and `test`."""
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

from support import (BIN, Case, HERE, LIMIT, META, ROOT, Terminal, command, ctl,
                     url_ctl)


class Mock(Case):
    """Servers that a file describes."""

    def serve(self, text, *words):
        """Writes a description. Returns the command of its server."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "mock.json"
        self.path.write_text(text if isinstance(text, str)
                             else json.dumps(text))
        return [str(BIN / "mcpctl"), "mock", str(self.path), *words]

    def each_era(self, server, *words):
        for era in ("legacy", "modern"):
            with self.subTest(era=era, words=words):
                yield ctl("--era", era, *words, server=server)

    def tool(self, **more):
        return {"tools": [{"name": "t", **more}]}

    def test_the_first_answer_that_matches_counts(self):
        server = self.serve(self.tool(answers=[
            {"when": {"a": 1, "b": {"c": [2]}}, "text": "both"},
            {"when": {"a": 1}, "text": "one"},
            {"when": {}, "text": "any"}]))
        for arguments, text in ((["a:=1", 'b:={"c":[2],"d":3}'], "both"),
                                (["a:=1.0", 'b:={"c":[2,3]}'], "one"),
                                (["a:=1"], "one"), (["a=1"], "any"),
                                ([], "any")):
            for run in self.each_era(server, "call", "t", *arguments):
                self.check(run, 0, text + "\n")

    def test_a_call_without_an_answer_fails(self):
        server = self.serve({
            "tools": [{"name": "t", "answers": [{"when": {"a": 1},
                                                 "text": "one"}]}],
            "prompts": [{"name": "p", "answers": [{"when": {"a": "1"},
                                                   "text": "one"}]}]})
        for run in self.each_era(server, "call", "t"):
            self.assertIn("has no answer for these arguments",
                          self.check(run, 5))
        for run in self.each_era(server, "prompt", "p"):
            self.check(run, 4, "", "has no answer for these arguments")

    def test_texts_contain_arguments(self):
        server = self.serve(self.tool(
            text="${a}, ${/b/0}, ${b}, ${none}, $${a}, ${a", structured={
                "a": "${a}", "n": "${n}", "in": ["x${n}y"], "none": "${none}"
            }))
        for run in self.each_era(server, "--json", "call", "t", "a=A", "n:=1",
                                 "b:=[true, 2]"):
            result = json.loads(self.check(run))
            self.assertEqual(result["content"][0]["text"],
                             "A, true, [true,2], , ${a}, ${a")
            self.assertEqual(result["structuredContent"],
                             {"a": "A", "n": 1, "in": ["x1y"], "none": None})

    def test_content(self):
        blocks = [{"type": "text", "text": "${a}"},
                  {"type": "image", "data": "AAE=", "mimeType": "image/png"},
                  {"type": "audio", "data": "AAE=", "mimeType": "audio/wav"},
                  {"type": "resource", "resource": {
                      "uri": "x://${a}", "mimeType": "a/b", "text": "t"}},
                  {"type": "resource", "resource": {
                      "uri": "x://b", "mimeType": "a/b", "blob": "AAE="}},
                  {"type": "resource_link", "uri": "x://c", "name": "c"}]
        server = self.serve(self.tool(content=blocks))
        for run in self.each_era(server, "--json", "call", "t", "a=A"):
            expected = json.loads(json.dumps(blocks).replace("${a}", "A"))
            self.assertEqual(json.loads(self.check(run))["content"], expected)

    def test_errors(self):
        server = self.serve({"tools": [
            {"name": "tool", "error": "no ${a}"},
            {"name": "rpc", "rpc_error": {"code": -32000, "message": "no ${a}",
                                          "data": {"a": "${a}"}}}]})
        for run in self.each_era(server, "call", "tool", "a=A"):
            self.check(run, 5, "no A\n")
        for run in self.each_era(server, "call", "rpc", "a=A"):
            self.check(run, 4, "", "error -32000: no A")

    def test_schemas_are_checked(self):
        server = self.serve(self.tool(
            inputSchema={"type": "object", "properties": {
                "a": {"type": "string", "pattern": "^x+$"}}},
            outputSchema={"type": "object", "required": ["b"]},
            annotations={"readOnlyHint": True, "destructiveHint": False},
            _meta={"x/y": 1}, structured={"a": "${a}"}))
        for run in self.each_era(server, "--no-validate", "call", "t", "a=y"):
            self.assertIn("pattern", self.check(run, 5))
        for run in self.each_era(server, "call", "t", "a=x"):
            self.check(run, 4, "", "error -32603")
        for run in self.each_era(server, "--json", "tools", "t"):
            tool = json.loads(self.check(run))
            self.assertEqual(tool["annotations"], {"readOnlyHint": True,
                                                   "destructiveHint": False})
            self.assertEqual(tool["_meta"], {"x/y": 1})

    def test_prompts_and_resources(self):
        server = self.serve("""{
          // A comment, and a comma too many.
          "prompts": [{"name": "p", "arguments": [
              {"name": "a", "required": true}],
            "messages": [{"role": "user", "text": "${a}?"},
                         {"role": "assistant",
                          "content": {"type": "text", "text": "${a}!"}}]}],
          "resources": [{"uri": "x://text", "text": "${a}"},
                        {"uri": "x://bytes", "blob": "AEE="},
                        {"uri": "x://lost", "rpc_error": {
                          "code": -32603, "message": "lost"}}],
          "templates": [{"uriTemplate": "y://{a}", "text": "<${a}>"},],
        }""")
        for run in self.each_era(server, "prompt", "p", "a=A"):
            self.check(run, 0, "user:\nA?\n\nassistant:\nA!\n")
        for run in self.each_era(server, "read", "x://text"):
            self.check(run, 0, "${a}")
        for run in self.each_era(server, "read", "x://bytes"):
            self.check(run, 0, "\0A")
        for run in self.each_era(server, "read", "x://lost"):
            self.check(run, 4, "", "error -32603: lost")
        for run in self.each_era(server, "read", "y://A"):
            self.check(run, 0, "<A>")

    def test_a_person_is_told_how_to_try_it(self):
        file = ROOT / "examples/weather-mock.json"
        terminal = Terminal("mock", str(file), server=None)
        terminal.expect("to try it, write mcpctl tools -- before it")
        terminal.send("\x04")
        self.assertEqual(terminal.finish()[0], 0)

    def test_a_delay(self):
        server = self.serve(self.tool(text="${a}", delay_ms=300))
        started = time.monotonic()
        run = ctl("call", "t", "a=late", server=server)
        self.check(run, 0, "late\n")
        self.assertGreater(time.monotonic() - started, 0.3)

    def test_the_end_does_not_wait_for_a_delay(self):
        """Nor does a call that the client has cancelled."""
        server = self.serve(self.tool(text="", delay_ms=80000000))
        run = ctl("--timeout", "0.5", "call", "t", server=server)
        self.check(run, 124)
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                   "params": {"name": "t", "_meta": META}}
        run = subprocess.run(server, input=json.dumps(request) + "\n",
                             text=True, capture_output=True, timeout=LIMIT)
        self.check(run, 0)

    def test_over_http(self):
        self.needs_urls()
        server = self.serve(self.tool(text="${a}", delay_ms=1), "--",
                            "--http", "127.0.0.1:0")
        process = subprocess.Popen(server, stdin=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        try:
            url = re.search(r"http://\S+", process.stderr.readline())[0]
            self.check(url_ctl(url, "call", "t", "a=A"), 0, "A\n")
        finally:
            process.terminate()
            process.wait(LIMIT)
            process.stderr.close()

    def test_mistakes_in_the_file(self):
        for text, message in (
                ('{"tools": [\n{"name": }]}', "line 2, column 10: "),
                ("[]", "expected an object"),
                ({"toools": []}, 'unknown member "toools"'),
                (self.tool(txet="a"), '/tools/0: unknown member "txet"'),
                ({"tools": [{"text": "a"}]},
                 '/tools/0: missing the required member "name"'),
                (self.tool(), "/tools/0: give one of text, content, "),
                (self.tool(text="", error=""), "/tools/0: give one of text, "),
                (self.tool(answers=[{"text": 3}]),
                 "/tools/0/answers/0/text: expected a string, got the number "
                 "3"),
                (self.tool(answers=[{}]), "/tools/0/answers/0: give one of "),
                (self.tool(answers=[{"text": ""}], delay_ms=1),
                 "/tools/0: it has answers, so "),
                (self.tool(text="", inputSchema={"type": "strnig"}),
                 '/tools/0: tool "t": input: /type: '),
                (self.tool(content=[{"type": "image", "data": "!",
                                     "mimeType": "a/b"}]),
                 "/tools/0/content/0/data: this is not base64"),
                (self.tool(content=[{"type": "image", "data": ""}]),
                 '/tools/0/content/0: missing the required member "mimeType"'),
                (self.tool(content=[{"type": "resource", "resource": {
                    "uri": "a:b"}}]), "/tools/0/content/0/resource: give "),
                ({"prompts": [{"name": "p", "error": ""}]},
                 '/prompts/0: unknown member "error"; this answers with text'),
                ({"prompts": [{"name": "p", "messages": [{"role": "user"}]}]},
                 "/prompts/0/messages/0: give either text or content"),
                ({"resources": [{"uri": "a:b", "blob": "!"}]},
                 "/resources/0/blob: this is not base64"),
                ({"templates": [{"uriTemplate": "{", "text": ""}]},
                 "/templates/0: ")):
            with self.subTest(text=text):
                run = url_ctl(*self.serve(text)[1:])
                self.check(run, 1, "", f"mcpctl: {self.path}: ")
                self.assertIn(message, run.stderr)

    def test_wrong_usage(self):
        for words, message in (
                (["mock"], "too few arguments: write mcpctl mock FILE"),
                (["mock", "/nonexistent"], "cannot read /nonexistent"),
                (["tcp://127.0.0.1:1", "mock", "x"], "mock uses no server, it "
                 "is one: write mcpctl mock FILE"),
                (["--cwd", "x", "mock", "x", "--", "--stdio"], "--cwd are for "
                 "a command")):
            self.check(url_ctl(*words), 1, "", message)
        run = url_ctl(*self.serve({})[1:], "--", "--wrong")
        self.check(run, 1, "", 'unknown option "--wrong"')


# A server of two tools: `end` ends it with a message, `hang` does not answer.
# Other calls are answered with how often they came.
BRITTLE = r"""
import json, sys
count = 0
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = {"protocolVersion": "2025-11-25", "capabilities": {
        "tools": {}, "resources": {}}, "serverInfo": {"name": "x",
                                                      "version": "1"}}
    if message["method"] != "initialize":
        count += 1
        name = message["params"].get("name")
        if name == "end":
            sys.stderr.write("no more\n")
            sys.exit(3)
        if name == "hang":
            continue
        result = {"content": [{"type": "text", "text": str(count)},
                              {"type": "text", "text": "\u202e\x1b&<\"\n"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"],
                      "result": result}), flush=True)
"""
# A server of the modern era that allows to keep its list of resources, whose
# name is how often it was asked for.
FORGETFUL = r"""
import json, sys
count = 0
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    result = {"supportedVersions": ["2026-07-28"], "capabilities": {
        "resources": {}}, "serverInfo": {"name": "x", "version": "1"}}
    if message["method"] == "resources/list":
        count += 1
        result = {"resources": [{"uri": "a:b", "name": str(count)}]}
    result.update(resultType="complete", ttlMs=60000, cacheScope="private")
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"],
                      "result": result}), flush=True)
"""


class Tests(Case):
    """`test`, which runs the tests of a file."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, content, name="a.json"):
        path = self.folder / name
        path.write_text(content if isinstance(content, str) else
                        json.dumps({"tests": content}))
        return str(path)

    def run_tests(self, tests, *words, server="hello-server"):
        return ctl("--era", "legacy", *words, "test", self.file(tests),
                   server=server)

    def add(self, **expect):
        return {"name": "n", "call": "add", "arguments": {"a": 2, "b": 3},
                "expect": expect}

    def test_the_example(self):
        path = HERE / "hello-server.test.json"
        for era in ("legacy", "modern", "2024-11-05"):
            run = ctl("--era", era, "test", str(path), server="hello-server")
            self.assertIn("\n# 6 passed, 0 failed, 1 skipped\n",
                          self.check(run, 0, err=""))
            self.assertEqual(run.stderr, "")

    def test_the_manual_shows_the_example(self):
        manual = (ROOT / "docs/MCPCTL.md").read_text()
        example = (HERE / "hello-server.test.json").read_text()
        shown = re.search(r'```json\n(\{\n  "tests".*?),\n    // \.\.\.', manual,
                          re.S)[1]
        self.assertIn(shown, example)

    def test_what_passes(self):
        add = {"content": [{"type": "text", "text": "5"}]}
        for expect in ({}, {"text": "5"}, {"result": add}, {"contains": add},
                       {"contains": {"content": [{"text": "5"}]}},
                       {"contains": {}}, {"text_contains": ""},
                       {"matches": {"required": ["content"]}},
                       {"matches": True}, {"max_ms": 60000},
                       {"text": "5", "contains": {}, "text_contains": "5"}):
            with self.subTest(expect=expect):
                run = self.run_tests([self.add(**expect)])
                self.check(run, 0, "TAP version 14\n1..1\nok 1 - n\n"
                           "# 1 passed, 0 failed, 0 skipped\n")

    def test_what_fails(self):
        block = '{"type":"text","text":"5"}'
        for expect, shown in (
                ({"text": "6"}, ["the text is not equal (text)", None, '"6"',
                                 '"5"']),
                ({"text_contains": "6"}, [
                    "the text does not contain this (text_contains)", None,
                    '"6"', '"5"']),
                ({"result": {"content": []}}, [
                    "the result is not equal (result): nothing is expected at "
                    "this place", "/content/0", None, block]),
                ({"result": {"content": [{"type": "text"}]}}, [
                    "the result is not equal (result): nothing is expected at "
                    "this place", "/content/0/text", None, '"5"']),
                ({"contains": {"content": [{"text": "6"}]}}, [
                    "the result does not contain this (contains)",
                    "/content/0/text", '"6"', '"5"']),
                ({"contains": {"content": [{"text": "5"}, {}]}}, [
                    "the result does not contain this (contains): no such "
                    "item among the 1 there", "/content/1", "{}", None]),
                ({"contains": {"a/b": 1}}, [
                    "the result does not contain this (contains): nothing is "
                    "at this place", "/a~1b", "1", None]),
                ({"matches": {"properties": {"content": {"maxItems": 0}}}}, [
                    "the result does not match (matches): /content: the array "
                    "has 1 item, the maximum is 0", None, None, None]),
                ({"tool_error": "x"}, ["the tool reported no error "
                                       "(tool_error)", None, '"x"', '"5"']),
                ({"error": -1}, ["the server answered without an error "
                                 "(error)", None, "-1",
                                 '{"content":[' + block + "]}"])):
            with self.subTest(expect=expect):
                run = self.run_tests([self.add(**expect)])
                lines = [f"  {key}: {value}\n" for key, value in zip(
                    ("at", "expected", "got"),
                    [shown[1] and json.dumps(shown[1]), *shown[2:]]) if value]
                self.check(run, 5, "TAP version 14\n1..1\nnot ok 1 - n\n  ---\n"
                           f"  message: {json.dumps(shown[0])}\n"
                           f"{''.join(lines)}  ...\n"
                           "# 0 passed, 1 failed, 0 skipped\n", "")
                self.assertEqual(run.stderr, "")

    def test_errors(self):
        wrong = {"call": "add", "arguments": {"a": 2}}
        other = {"call": "other"}
        for test, expect, message in (
                (wrong, {"tool_error": True}, None),
                (wrong, {"tool_error": 'member "b"'}, None),
                (wrong, {"tool_error": 'member "c"'},
                 "the tool's error does not contain this"),
                (wrong, {}, "the tool reported an error"),
                (wrong, {"contains": {"isError": True}},
                 "the tool reported an error"),
                (other, {"error": True}, None),
                (other, {"error": -32602}, None),
                (other, {"error": -32601}, "the server answered with error "
                 "-32602: "),
                (other, {}, "the server answered with error -32602: "),
                (self.add(), {"max_ms": 0}, "ms, more than 0 (max_ms)"),
                ({"resources": True}, {"error": True}, "does not offer")):
            with self.subTest(test=test, expect=expect):
                run = self.run_tests([{**test, "expect": expect}])
                self.assertIn(message or "ok 1",
                              self.check(run, 5 if message else 0))

    def test_each_request(self):
        server = [str(BIN / "mcpctl"), "mock", self.file(json.dumps({
            "tools": [{"name": "t", "text": "${a}"}],
            "resources": [{"uri": "x://r", "text": "R"}],
            "templates": [{"uriTemplate": "y://{a}", "text": "<${a}>"}],
            "prompts": [{"name": "p", "text": "${a}?"}]}), "mock.json")]
        tests = [
            {"call": "t", "arguments": {"a": "A"}, "expect": {"text": "A"}},
            {"read": "x://r", "expect": {"text": "R"}},
            {"read": "y://r", "expect": {"text": "<r>"}},
            {"read": "z://r", "expect": {"error": True}},
            {"prompt": "p", "arguments": {"a": "A"}, "expect": {
                "text": "A?", "contains": {"messages": [{"role": "user"}]}}},
            {"tools": True, "expect": {"contains": {"tools": [
                {"name": "t"}]}}},
            {"resources": True, "expect": {"contains": {"resources": [
                {"uri": "x://r"}]}}},
            {"templates": True, "expect": {"contains": {"resourceTemplates": [
                {"uriTemplate": "y://{a}"}]}}},
            {"prompts": True, "expect": {"contains": {"prompts": [
                {"name": "p"}]}}},
            {"raw": "tools/call", "params": {"name": "t", "arguments": {
                "a": "A"}}, "expect": {"text": "A"}},
            {"raw": "no/such", "expect": {"error": -32601}}]
        for era in ("legacy", "modern"):
            run = ctl("--era", era, "test", self.file(tests), server=server)
            out = self.check(run)
            for number, title in enumerate(
                    ("call t", "read x://r", "read y://r", "read z://r",
                     "prompt p", "tools", "resources", "templates", "prompts",
                     "raw tools/call", "raw no/such"), 1):
                self.assertIn(f"\nok {number} - {title}\n", out)

    def brittle(self, tests, *words):
        return self.run_tests(tests, *words,
                              server=[sys.executable, "-c", BRITTLE])

    def test_all_tests_of_a_file_have_one_connection(self):
        tests = [{"call": "x", "expect": {"text_contains": str(i)}}
                 for i in (1, 2)]
        self.check(self.brittle(tests))
        first, second = self.file(tests[:1]), self.file(tests[:1], "b.json")
        run = ctl("--era", "legacy", "test", first, second,
                  server=[sys.executable, "-c", BRITTLE])
        self.check(run, 0, f"TAP version 14\n1..2\n# {first}\nok 1 - call x\n"
                   f"# {second}\nok 2 - call x\n"
                   "# 2 passed, 0 failed, 0 skipped\n")

    def test_a_list_has_all_pages(self):
        tools = [{"name": name, "inputSchema": {"type": "object"}}
                 for name in "abc"]
        listing = self.file(json.dumps({"server": {
            "name": "x", "version": "1"}, "tools": tools}), "listing.json")
        run = self.run_tests(
            [{"tools": True, "expect": {"contains": {"tools": tools}}},
             {"tools": True, "expect": {"contains": {"tools": [
                 {"name": "c"}, {"name": "a"}]}}}],
            server=[sys.executable, str(HERE / "fake_listing.py"), listing])
        out = self.check(run, 5)
        self.assertIn("\nok 1 - tools\nnot ok 2 - tools\n", out)
        self.assertIn("no such item among the 3 there", out)
        self.assertIn("  at: \"/tools/1\"\n  expected: {\"name\":\"a\"}\n  ...",
                      out)

    def test_lists_are_not_kept_between_tests(self):
        tests = [{"resources": True, "expect": {"contains": {"resources": [
            {"name": str(i)}]}}} for i in (1, 2)]
        run = ctl("--era", "modern", "test", self.file(tests),
                  server=[sys.executable, "-c", FORGETFUL])
        self.check(run)

    def test_the_server_ends(self):
        run = self.brittle([{"call": "x"}, {"call": "end"}, {"call": "x"},
                            {"call": "x", "skip": "why"}])
        out = self.check(run, 5, None, "no more\n")
        self.assertIn("\nok 1 - call x\n", out)
        self.assertEqual(out.count("exited with status 3"), 2)
        self.assertIn("\nok 4 - call x # SKIP why\n# 1 passed, 2 failed, "
                      "1 skipped\n", out)
        self.assertEqual(run.stderr.count("exited with status 3"), 1)

    def test_no_server(self):
        run = self.run_tests([self.add(text="5")], server=["/nonexistent"])
        out = self.check(run, 4, None, "/nonexistent")
        self.assertIn("\nnot ok 1 - n\n", out)
        self.assertIn("/nonexistent", out)

    def test_no_answer_in_time(self):
        run = self.brittle([{"call": "hang"}, {"call": "x"}], "--timeout", "1")
        out = self.check(run, 5)
        self.assertIn("\nnot ok 1 - call hang\n", out)
        self.assertIn("\nok 2 - call x\n", out)

    def test_ctrl_c(self):
        path = self.file([{"call": "x"}, {"call": "hang"}, {"call": "x"}])
        process = subprocess.Popen(
            command(["--era", "legacy", "test", path],
                    [sys.executable, "-c", BRITTLE]), text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        while process.stdout.readline() != "ok 1 - call x\n":
            pass
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(out.count('message: "interrupted"'), 2)
        self.assertEqual(err, "mcpctl: interrupted\n")

    def test_a_question(self):
        tests = [{"call": "deploy", "arguments": {"environment": "staging"},
                  "expect": {"text": "Not deployed to staging"}},
                 {"tools": True}]
        server = [str(BIN / "workbench-server"), str(ROOT / "examples/data")]
        for era in ("legacy", "modern"):
            with self.subTest(era=era):
                words = ["--era", era, "test", self.file(tests)]
                self.check(ctl("--answer", "confirm=no", *words,
                               server=server))
                out = self.check(ctl(*words, server=server), 5, None,
                                 "unanswered: confirm")
                self.assertIn("a question that --answer does not answer", out)
                self.assertIn("\nok 2 - tools\n", out)

    def test_junit(self):
        path = self.file([
            {"name": "a<b", "call": "x", "expect": {"text": "\x07&"}},
            {"call": "x", "skip": "\"why\""}, {"call": "x"}])
        out = self.folder / "x"
        server = [sys.executable, "-c", BRITTLE]
        words = ["--era", "legacy", "test", path, "--junit"]
        run = ctl(*words, str(out), server=server)
        self.assertIn("# 1 passed, 1 failed, 1 skipped\n", self.check(run, 5))
        self.assertNotIn("\x1b", run.stdout)
        self.assertNotIn("\u202e", run.stdout)
        suites = xml.etree.ElementTree.fromstring(out.read_text())
        suite = suites.find("testsuite")
        for one in (suites, suite):
            self.assertEqual([one.get(name) for name in (
                "tests", "failures", "errors", "skipped")],
                ["3", "1", "0", "1"])
        self.assertEqual(suite.get("name"), path)
        failed, skipped, passed = suite.findall("testcase")
        self.assertEqual(failed.get("name"), "a<b")
        self.assertEqual(failed.get("classname"), path)
        self.assertGreater(float(failed.get("time")), 0)
        failure = failed.find("failure")
        self.assertEqual(failure.get("message"),
                         "the text is not equal (text)")
        self.assertIn('expected: "\\u0007&"\ngot: "1\\n', failure.text)
        self.assertEqual(skipped.find("skipped").get("message"), '"why"')
        self.assertEqual(list(passed), [])
        run = ctl(*words, "-", server=server)
        suites = xml.etree.ElementTree.fromstring(self.check(run, 5))
        self.assertEqual(suites.tag, "testsuites")
        run = ctl(*words, "/nonexistent/x", server=server)
        self.check(run, 1, "", "cannot write /nonexistent/x: ")

    def test_names_cannot_look_like_directives(self):
        run = self.run_tests([{"name": "a # SKIP \\\nb", "call": "x"}])
        self.assertIn("\nnot ok 1 - a \\# SKIP \\\\ b\n", self.check(run, 5))

    def test_the_file_is_read_before_the_server_starts(self):
        for content, message in (
                ('{"tests": [\n{"call": }]}', "line 2, column 10: "),
                ([{"call": "x", "expect": {"txet": ""}}],
                 '/tests/0/expect: unknown member "txet"'),
                ([{"call": "x"}, {}], "/tests/1: give one of call, read, "),
                ([{"call": "x", "expect": {"matches": {"type": "x"}}}],
                 "/tests/0/expect/matches/type: ")):
            with self.subTest(content=content):
                path = self.file(content)
                run = ctl("test", path, server=["/nonexistent"])
                self.check(run, 1, "", f"mcpctl: {path}: {message}")

    def test_wrong_usage(self):
        path = self.file([{"call": "x"}])
        for words, message in (
                (["test"], "too few arguments: write mcpctl test FILE..."),
                (["test", "/nonexistent"], "cannot read /nonexistent: "),
                (["--json", "test", path], "--json has no effect on test"),
                (["--junit", "x", "info"], "--junit is for test")):
            self.check(ctl(*words), 1, None, message)
