# SPDX-License-Identifier: MIT
"""The verb `generate`."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from support import BIN, Case, HERE, LIMIT, ROOT, ctl

FOLDER = HERE / "generated"
FLAGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wtrigraphs",
         "-Werror", f"-I{ROOT / 'include'}"]
LANGUAGES = {"cc": ["-std=c11", "-xc"], "c++": ["-std=c++17", "-xc++"]}
MOCK = [str(BIN / "mcpctl"), "mock", str(FOLDER / "odd-mock.json")]
# The headers in FOLDER, which the program there includes.
SERVERS = {"calculator": "hello-server", "railway": "fields-server",
           "odd": MOCK}
CALCULATOR = """5
Invalid arguments for the tool "add": - missing the required member "a" - \
missing the required member "b"
"""
RAILWAY = """Ann 7, 11C 85
Bob 7, 11A 45
130
Ann 7, 11C 80
Bob 7, 11A 40
120
Oslo is where you are
arguments: /to: the required string is NULL
"""
LIMITS = (
    '{"type":"object","properties":{"text":{"type":"string","description":'
    '"Says \\"*/\\" ??/ %s,\\n\u65e5","minLength":2,"maxLength":4294967295,'
    '"pattern":"^[a-z]\\\\d??/$"},"crossed":{"type":"integer","description":'
    '""},"wide":{"type":"number","description":"","minimum":-1e300,"maximum":'
    '0.1},"exact":{"type":"integer","description":"","minimum":'
    '-9007199254740992.0},"list":{"type":"array","description":"","items":'
    '{"type":"string"}},"pair":{"type":"array","description":"","items":'
    '{"type":"integer"},"minItems":2,"maxItems":2},"maybe":{"type":"integer",'
    '"description":"Of one","minimum":1},"half":{"type":"string",'
    '"description":""}},"additionalProperties":false}\n')
ODD = ("as written\nadd_start\nadd_args\n...\n-.-\nno such user\n" + LIMITS)


class Generate(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def lists(self, tools, name="made up"):
        """A server that lists these tools, whatever they are."""
        path = self.folder / "listing.json"
        path.write_text(json.dumps({
            "server": {"name": name, "version": "1"}, "tools": tools}))
        return [sys.executable, str(HERE / "fake_listing.py"), str(path)]

    def generate(self, server, *words):
        run = ctl("generate", "c", *words, server=server)
        return self.check(run, 0)

    def compile(self, header):
        """A program of two files has it in both, and in two languages."""
        path = self.folder / "made.h"
        path.write_text(header)
        for compiler, language in LANGUAGES.items():
            if shutil.which(compiler) is None:
                continue
            done = subprocess.run(
                [compiler, *FLAGS, *language, "-"], text=True,
                input=f'#include "{path}"\n#include "{path}"\n',
                capture_output=True, timeout=LIMIT, check=False)
            self.assertEqual(done.stderr[:2000], "")
            self.assertEqual(done.returncode, 0)

    def test_the_headers_of_the_program_are_as_written_now(self):
        for name, server in SERVERS.items():
            with self.subTest(server=name):
                made = self.generate(server)
                # mcpctl generate c --output writes it again
                self.assertEqual(made, (FOLDER / f"{name}.h").read_text())
                self.compile(made)

    def test_a_program_calls_tools(self):
        for program in ("generated-caller", "generated-caller-cpp"):
            for name, said in (("calculator", CALCULATOR),
                               ("railway", RAILWAY), ("odd", ODD)):
                server = SERVERS[name]
                words = [str(BIN / server)] if name != "odd" else server
                with self.subTest(program=program, server=name):
                    done = subprocess.run(
                        [BIN.parent / "tests" / program, name, *words],
                        text=True, capture_output=True, timeout=LIMIT,
                        check=False)
                    self.assertEqual((done.stdout, done.stderr), (said, ""))

    def test_a_large_server(self):
        made = self.generate([str(BIN / "workbench-server"),
                              str(ROOT / "examples/data")])
        self.assertIn("workbench_calculate_sum(", made)
        self.compile(made)

    def test_a_file_and_a_prefix(self):
        path = self.folder / "adder.h"
        run = ctl("generate", "c", "--output", str(path), "--prefix",
                  "my_adder", server="hello-server")
        self.check(run, 0, "")
        made = path.read_text()
        self.assertIn("my_adder_add(", made)
        self.assertIn("#ifndef MY_ADDER_TOOLS_H", made)
        run = ctl("generate", "c", "--output", str(self.folder / "no/x.h"),
                  server="hello-server")
        self.check(run, 1, "", "cannot write ")

    def test_wrong_words(self):
        for words, said in (
                (["generate"], "too few arguments"),
                (["generate", "rust"], "generate rust: the only language is c"),
                (["generate", "c", "--prefix", "a-b"], "not a name of C"),
                (["generate", "c", "--prefix", ""], "not a name of C"),
                (["generate", "c", "--prefix", "a__b"], "not a name of C"),
                (["generate", "c", "--prefix", "mcp_x"], "names of libmcp"),
                (["tools", "--prefix", "a"], "this option is for generate")):
            with self.subTest(words=words):
                self.check(ctl(*words, server="hello-server"), 1, "", said)
        run = ctl("generate", "c", "--json", server="hello-server")
        self.check(run, 1, err="--json has no effect on generate")

    def test_no_text_of_a_server_leaves_its_comment_or_string(self):
        evil = ["*/\n#error no\n/*", "??/\n", "\\\n", "\u202e\u2066",
                "\x1b[31m", "\"); }", "/*", "//", "%s%n", "a" * 5000,
                "\\u0000", "'", "??'"]
        tools = [{"name": text, "description": text, "inputSchema": {
            "type": "object", "properties": {
                text: {"type": "string", "description": text,
                       "default": text, "pattern": text},
                "mode": {"enum": [text, text + "x"], "description": text}}},
            "outputSchema": {"type": "object", "properties": {
                text: {"type": "array", "items": {"enum": [text]}}}}}
                 for text in evil]
        run = ctl("generate", "c", server=self.lists(tools, "*/ evil"))
        self.check(run, 0, err="1 tools are left out")
        self.assertNotIn("\n#error", run.stdout)
        self.assertNotIn("\u202e", run.stdout)
        self.assertNotIn("\x1b", run.stdout)
        self.compile(run.stdout)

    def test_limits_that_are_not_limits(self):
        wrong = [-1, 1.5, "1", None, [], {}, True, 1e308, -1e308, 1 << 64]
        keywords = ["minimum", "maximum", "minLength", "maxLength",
                    "minItems", "maxItems", "pattern", "description"]
        properties = {f"{kind}{i}": {
            "type": kind, "items": {"type": "string"},
            **{keyword: value for keyword in keywords}}
            for kind in ("string", "integer", "number", "array")
            for i, value in enumerate(wrong)}
        properties["long"] = {"type": "string", "pattern": "a" * 5000,
                              "description": "\u65e5" * 5000}
        self.compile(self.generate(self.lists([{"name": "t", "inputSchema": {
            "type": "object", "properties": properties}}])))

    def test_names_that_are_not_names(self):
        words = ["class", "int", "NULL", "linux", "errno", "", "1", "_",
                 "__x", "a b", "a_b", "a-b", "has_a_b", "a_b_count", "\u00e4",
                 "\u65e5", "mcp_self_", "FIELD", "VALUE", "new", "this",
                 "bool", "client"]
        properties = {word: {"type": kind} for word, kind in zip(
            words, ["integer", "string", "boolean"] * 10)}
        tools = [{"name": word, "inputSchema": {
            "type": "object", "properties": properties}} for word in words]
        tools += [{"name": f"{word}{end}", "inputSchema": {
            "type": "object", "properties": {"args": {
                "type": "object", "properties": properties}}}}
                  for word in ("a", "A") for end in (
                      "", "_args", "_args_type", "_result", "_start", "_read")]
        made = self.generate(self.lists(tools))
        self.assertEqual(made.count("_start("), len(tools))
        self.compile(made)

    def test_names_that_together_are_words(self):
        for server, tool in (("static", "cast"), ("size", "t"),
                             ("and", "eq")):
            tools = [{"name": tool, "inputSchema": {
                "type": "object", "properties": {"a": {"type": "string"}}}}]
            made = self.generate(self.lists(tools, server))
            self.assertIn(f" {server}_{tool}_2(", made)
            self.compile(made)

    def test_schemas_without_end(self):
        deep = {"type": "string"}
        for _ in range(50):
            deep = {"type": "object", "properties": {"x": deep}}
        wide = {"type": "object", "properties": {
            f"p{i}": {"type": "integer"} for i in range(3000)}}
        many = {"type": "object", "properties": {"x": {
            "enum": [f"v{i}" for i in range(3000)]}}}
        doubling = {"type": "object", "$defs": {
            f"d{i}": {"type": "object", "properties": {
                "a": {"$ref": f"#/$defs/d{i + 1}"},
                "b": {"$ref": f"#/$defs/d{i + 1}"}}} for i in range(100)},
            "properties": {"x": {"$ref": "#/$defs/d0"}}}
        itself = {"type": "object", "properties": {
            "a": {"$ref": "#"}, "b": {"$ref": "#/properties/b"},
            "c": {"type": "array", "items": {"$ref": "#"}}}}
        tools = [{"name": f"t{i}", "inputSchema": schema,
                  "outputSchema": schema} for i, schema in enumerate(
                      [deep, wide, many, doubling, itself, True, None, 7,
                       {"type": "object", "properties": 7},
                       {"type": "object", "properties": {"x": 7},
                        "required": 7}])]
        made = self.generate(self.lists(tools))
        self.assertIn("Not here: 2000 members", made)
        self.compile(made)

    def test_large_schemas_take_little_time(self):
        """Each took minutes: the names are the same in C, or thousands of
        members refer to one long list."""
        alike = {"type": "object", "properties": {f"{'x' * 60}{i}": {
            "enum": [f"\u65e5{chr(0x4e00 + 500 * (i % 40) + j)}{i}"
                     for j in range(500)]} for i in range(300)}}

        def many(schema):
            members = {f"m{i}": {"$ref": "#/$defs/long"} for i in range(1000)}
            return {"type": "object", "$defs": {"long": schema},
                    "properties": {f"s{i}": {
                        "type": "object", "properties": members}
                                   for i in range(20)}}
        values = many({"enum": [f"v{i}" for i in range(200_000)]})
        nulls = many({"anyOf": [{"type": "null"}] * 200_000})
        for schema in (alike, values, nulls):
            self.generate(self.lists([{"name": "t", "inputSchema": schema}]))

    def test_a_server_without_tools(self):
        self.compile(self.generate(self.lists([])))
