# SPDX-License-Identifier: MIT
"""The verb `schema`, and arguments that are checked before they are sent."""
import json
import os
import pathlib
import subprocess
import tempfile

from fake_skills import entry
from support import BIN, Case, FAKE, LIMIT, Served, ctl, url_ctl


class Schema(Case):
    """`schema check`, which asks no server."""

    FILES = {
        "point.json": {"type": "object", "required": ["x"], "properties": {
            "x": {"type": "number"}, "on": {"format": "date"}}},
        "good.json": {"x": 1},
        "bad.json": {"x": "one", "on": "today"},
        "typo.json": {"properties": {"a": {"type": "nunber"}}},
        "refers.json": {"items": {"$ref": "http://example.com/point"}},
        "points.json": [{"x": 1}, {}],
        "old.json": {"$schema": "http://json-schema.org/draft-07/schema#",
                     "items": [{"type": "string"}]},
        "tuple.json": {"items": [{"type": "string"}]},
        "many.json": {"additionalProperties": False},
        "ten.json": dict.fromkeys("abcdefghij"),
    }

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, value in self.FILES.items():
            self.write(name, json.dumps(value))
        self.write("broken.json", '{\n  "é": }\n')

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def schema(self, *words, code=0, out="", err="", **more):
        run = subprocess.run(
            [BIN / "mcpctl", *words], text=True, capture_output=True,
            cwd=self.folder, timeout=LIMIT,
            **{"stdin": subprocess.DEVNULL, **more})
        self.check(run, code, out)
        self.assertEqual(run.stderr, err)

    def test_instances(self):
        self.schema("schema", "check", "point.json", "good.json",
                    out="good.json: valid\n")
        self.schema(
            "schema", "check", "point.json", "bad.json", "good.json",
            "broken.json", code=1, out="""\
bad.json: /x: expected a number, got the string "one"
good.json: valid
broken.json: line 2, column 8: unexpected character, expected a valid JSON value \
at byte 10: "{   "é": } "
""")

    def test_schemas(self):
        self.schema("schema", "check", "point.json",
                    out="point.json: valid\n")
        self.schema("schema", "check", "typo.json", "good.json", code=1,
                    out='typo.json: /properties/a/type: expected the name of a '
                        'JSON type, got the string "nunber"\n')
        self.schema("schema", "check", "broken.json", code=1,
                    out="broken.json: line 2, column 8: unexpected character, "
                        "expected a valid JSON value "
                    'at byte 10: "{   "é": } "\n')

    def test_a_files_name_need_not_be_utf8(self):
        name = os.fsdecode(b"a\xff.json")
        self.write(name, "{}")
        self.schema("schema", "check", "point.json", name, code=1,
                    out="a\\xff.json: missing the required member \"x\"\n")

    def test_standard_input(self):
        with open(self.folder / "good.json") as file:
            self.schema("schema", "check", "point.json", "-", stdin=file,
                        out="standard input: valid\n")
        self.schema("schema", "check", "-", "-", code=1, err="mcpctl: - is given "
                    "twice: standard input can be read once\n")

    def test_formats(self):
        self.schema("--formats", "schema", "check", "point.json", "bad.json",
                    code=1, out="""\
bad.json: /x: expected a number, got the string "one"
bad.json: /on: the string "today" is not of the format "date"
""")

    def test_dialects(self):
        self.schema("schema", "check", "old.json", "points.json", code=1,
                    out="points.json: /0: expected a string, got an object with "
                        "1 member\n")
        self.schema("--draft", "draft-07", "schema", "check", "tuple.json",
                    out="tuple.json: valid\n")
        self.schema("--draft", "2020-12", "schema", "check", "tuple.json",
                    code=1, out="tuple.json: /items: expected a schema (an "
                    "object or a boolean), got an array of 1 item\n")
        self.schema("--draft", "x:y", "schema", "check", "tuple.json", code=1,
                    out='tuple.json: the draft "x:y" is not known; its '
                        "meta-schema can be given as a document\n")

    def test_other_documents(self):
        self.schema("schema", "check", "refers.json", "points.json", code=1,
                    out="refers.json: /items/$ref: the reference "
                        '"http://example.com/point" leads to a document that was '
                        "not given; nothing is fetched\n")
        add = "http://example.com/point="
        self.schema("--add", add + "point.json", "schema", "check",
                    "refers.json", "points.json", code=1,
                    out='points.json: /1: missing the required member "x"\n')
        self.schema("--add", add + "broken.json", "schema", "check",
                    "refers.json", code=1, out="broken.json: line 2, column 8: "
                    "unexpected character, expected a valid JSON value "
                    'at byte 10: "{   "é": } "\n')

    def test_how_many_errors(self):
        for words, count in (([], 8), (["--max-errors", "2"], 2),
                             (["--max-errors", "99"], 10)):
            run = subprocess.run(
                [BIN / "mcpctl", *words, "schema", "check", "many.json",
                 "ten.json"], text=True, capture_output=True, timeout=LIMIT,
                cwd=self.folder)
            out = self.check(run, 1)
            more = "ten.json: there are more errors: see --max-errors\n"
            self.assertEqual(out.count("ten.json: "), count + (count < 10))
            self.assertEqual(out.endswith(more), count < 10)
        run = subprocess.run(
            [BIN / "mcpctl", "--json", "--max-errors", "2", "schema", "check",
             "many.json", "ten.json"], text=True, capture_output=True,
            timeout=LIMIT, cwd=self.folder)
        entry = json.loads(self.check(run, 1))[0]
        self.assertEqual(len(entry["errors"]), 2)
        self.assertIs(entry["more"], True)

    def test_json(self):
        self.schema(
            "--json", "schema", "check", "point.json", "good.json", "bad.json",
            "broken.json", code=1,
            out='[{"file":"good.json","valid":true,"errors":[]},'
                '{"file":"bad.json","valid":false,"errors":[{"instance":"/x",'
                '"schema":"/properties/x/type","keyword":"type","message":'
                '"/x: expected a number, got the string \\"one\\""}]},'
                '{"file":"broken.json","valid":false,"errors":[{"line":2,'
                '"column":8,"message":"line 2, column 8: unexpected character, '
                'expected a valid JSON value at byte 10: '
                '\\"{   \\"é\\": } \\""}]}]\n')

    def test_what_is_not_the_files_fault(self):
        self.schema("schema", "check", "point.json", "none.json", "good.json",
                    code=1, out="good.json: valid\n",
                    err="mcpctl: cannot read none.json: No such file or "
                        "directory\n")
        for words, err in (
                (["check"], "too few arguments: write mcpctl schema check "
                 "SCHEMA [FILES]"),
                (["chick", "x"],
                 "unknown verb 'schema chick': write mcpctl schema check SCHEMA "
                 "[FILES]"),
                (["check", "x", "--", "y"], "schema uses no server: write mcpctl "
                 "schema check SCHEMA [FILES]"),
                (["check", "x", "--add", "y"], "--add y: not of the form URI=FILE"),
                (["check", "x", "--draft", "3"], "--draft 3: not 2020-12, "
                 "draft-07 or a URI"),
                (["check", "x", "--max-errors", "0"], "--max-errors 0: not a "
                 "number from 1 to 10000"),
                (["check", "x", "--cwd", "/"], "--env, --inherit-env and --cwd "
                 "are for a command after --")):
            self.schema("schema", *words, code=1, err=f"mcpctl: {err}\n")

    def test_control_characters(self):
        self.write("a\x1bb", '"\x7f"')
        self.schema("schema", "check", "point.json", "a\x1bb", code=1,
                    out='a\\x1bb: expected an object, got the string '
                        '"\\x7f"\n')


class Validation(Case):
    """mcpctl validates a tool's arguments before it sends them."""

    REFUSED = ("mcpctl: {} was not called: its arguments are not valid; "
               "--no-validate sends them anyway\n")
    UNSURE = "mcpctl: sending the arguments of {} without validation: {}\n"

    def both(self, *words, code=0, out="", err="", modes=("legacy", "modern")):
        for mode in modes:
            run = ctl(*words, server=FAKE + [mode])
            self.check(run, code, out)
            self.assertEqual(run.stderr, err)

    def test_what_is_valid_is_sent(self):
        self.both("call", "strict", 'pair:=[1]', out='{"pair": [1]}\n')

    def test_errors(self):
        self.both("call", "strict", code=1,
                  err='mcpctl: missing the required member "pair"\n' +
                      self.REFUSED.format("strict"))
        self.both("call", "strict", 'pair:=["1", 2]', "a/b~c=true",
                  "--no-convert", code=1,
                  err='mcpctl: /pair/0: expected an integer, got the string '
                      '"1"\n'
                      "mcpctl: /pair/1: expected one of "
                      r'"a\u001b[31mred\u001b[0m\u0007 \u009b2J \u202eb\rc'
                      "\\x7f\", got the number 2\n"
                      'mcpctl: /a~1b~0c: expected a boolean, got the string '
                      '"true"\n'
                      "mcpctl: a/b~c=true gives a string; for a boolean write "
                      "a/b~c:=true\n" + self.REFUSED.format("strict"))

    def test_texts_become_numbers_and_booleans(self):
        self.both("call", "strict", "pair:=[1]", "a/b~c=true",
                  out='{"a/b~c": true, "pair": [1]}\n')
        self.both("call", "strict", "pair:=[true]", "a/b~c=false", code=1,
                  err='mcpctl: /pair/0: expected an integer, got true\n' +
                      self.REFUSED.format("strict"))
        self.both("call", "strict", "pair:=[1]", "a/b~c=1", code=1,
                  err='mcpctl: /a~1b~0c: expected a boolean, got the string '
                      '"1"\n' + self.REFUSED.format("strict"))
        self.both("call", "strict", "pair=[1]", "a/b~c=no", code=1,
                  err='mcpctl: /a~1b~0c: expected a boolean, got the string '
                      '"no"\n' + self.REFUSED.format("strict"))
        self.both("call", "echo", "n=1", "b=true",
                  out='{"b": "true", "n": "1"}\n')

    def test_nothing_is_sent(self):
        for mode in ("legacy", "modern"):
            run = ctl("--trace", "call", "strict", server=FAKE + [mode])
            self.check(run, 1, "", '"method":"tools/list"')
            self.assertNotIn("tools/call", run.stderr)
            run = ctl("--trace", "--no-validate", "call", "strict",
                      server=FAKE + [mode])
            self.check(run, 0, "{}\n", '"method":"tools/call"')
            self.assertNotIn("tools/list", run.stderr)

    def test_what_cannot_be_validated_is_sent(self):
        self.both("call", "mistaken", "n=x", out='{"n": "x"}\n',
                  err=self.UNSURE.format(
                      "mistaken", "its schema is not valid: /properties/n/type: "
                      'expected the name of a JSON type, got the string '
                      '"nunber"'))
        self.both("call", "costly", out="{}\n", err=self.UNSURE.format(
            "costly", "it would take too much work"))
        self.both("call", "echo", modes=["listless"], out="{}\n",
                  err=self.UNSURE.format(
                      "echo", "the server did not list its tools: no list today"))

    def test_a_tool_that_is_not_listed_is_not_called(self):
        for name, meant in (("ech", "; did you mean 'echo'?"), ("zzz", ";")):
            for verb in ("call", "bench"):
                self.check(ctl(verb, name), 1, "",
                           f"mcpctl: {name} was not called: the server does "
                           f"not list this tool{meant} --no-validate calls it "
                           "anyway\n")
        run = ctl("--no-validate", "call", "structured", "--json",
                  server=FAKE + ["legacy"])
        self.check(run, 0)

    def test_bench(self):
        run = ctl("--duration", "60", "bench", "strict")
        self.check(run, 1, "")
        self.assertTrue(run.stderr.endswith(self.REFUSED.format("strict")))
        run = ctl("--json", "--duration", "0.2", "--no-validate", "bench",
                  "strict")
        self.assertEqual(json.loads(self.check(run))["failed"], 0)

    def test_a_server_that_does_not_list(self):
        run = ctl("--timeout", "1", "call", "echo", server=FAKE + ["lost"])
        self.check(run, 124, "", "no answer within 1 s")

    def test_a_url(self):
        self.needs_urls()
        with Served() as url:
            for era in ("legacy", "modern"):
                run = url_ctl("--era", era, url, "--no-convert", "call", "add",
                              "a:=1", "b=2")
                self.check(run, 1, "", "for a number write b:=2\n")
