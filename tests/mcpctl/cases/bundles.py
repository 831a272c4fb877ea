# SPDX-License-Identifier: MIT
"""The verbs `pack`, `verify` and `describe`, and FILE.mcpb VERB."""
import hashlib
import json
import os
import pathlib
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

from support import BIN, Case, LIMIT, Served, url_ctl

# A server that says what it was started with.
ECHO = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    if message["method"] == "initialize":
        answer["result"] = {"protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "echo", "version": "1.2.3"}}
    elif message["method"] == "tools/list":
        answer["result"] = {"tools": [
            {"name": "say", "description": "Says how it was started",
             "inputSchema": {"type": "object"}}]}
    elif message["method"] == "tools/call":
        said = {"args": sys.argv[1:], "cwd": os.getcwd(),
                "file": os.path.abspath(__file__),
                "env": {name: value for name, value in os.environ.items()
                        if name.startswith("T_")}}
        open("left-behind", "w").close()
        answer["result"] = {"content": [
            {"type": "text", "text": json.dumps(said)}]}
    else:
        answer["error"] = {"code": -32601, "message": "no"}
    print(json.dumps(answer), flush=True)
"""
PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 20
MANIFEST = {"manifest_version": "0.3", "name": "echo", "version": "1.2.3",
            "description": "Says how it was started",
            "author": {"name": "Ada"},
            "server": {"type": "python", "entry_point": "main.py",
                       "mcp_config": {"command": "python3",
                                      "args": ["${__dirname}/main.py"]}},
            "tools": [{"name": "say",
                       "description": "Says how it was started"}]}


def bomb():
    """An archive of five files that say that they unpack to 300 MB each."""
    files = directory = b""
    for i in range(5):
        head = struct.pack("<HHHHHLLLHH", 20, 0, 8, 0, 33, 0, 300_000,
                           300_000_000, 6, 0)
        name = b"zeros%d" % i
        directory += (b"PK\1\2" + struct.pack("<H", 20) + head +
                      struct.pack("<HHHLL", 0, 0, 0, 0, len(files)) + name)
        files += b"PK\3\4" + head + name + bytes(300_000)
    return files + directory + b"PK\5\6" + struct.pack(
        "<HHHHLLH", 0, 0, 5, 5, len(directory), len(files), 0)


class Bundles(Case):
    """pack, verify, describe, and a bundle in place of a server."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.env = {**os.environ, "HOME": folder.name,
                    "TMPDIR": str(self.temporary)}
        self.env.pop("XDG_CONFIG_HOME", None)
        if "without zlib" in url_ctl("verify", "x").stderr:
            self.skipTest("a build without bundles")

    def tearDown(self):
        self.assertEqual(list(self.temporary.iterdir()), [])

    def run_ctl(self, *words, **more):
        return subprocess.run([BIN / "mcpctl", *map(str, words)], text=True,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=LIMIT, cwd=self.folder, env=self.env,
                              **more)

    def make_folder(self, manifest=MANIFEST, **files):
        """A folder `server` with main.py; the files are by their names."""
        path = self.folder / "server"
        path.mkdir(exist_ok=True)
        (path / "main.py").write_text(ECHO)
        if manifest is not None:
            (path / "manifest.json").write_text(json.dumps(manifest))
        return path

    def make_bundle(self, changed=None, files=(), name="made.mcpb"):
        """A bundle as another program makes it; `changed` members of the
        manifest."""
        path = self.folder / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
            out.writestr("manifest.json",
                         json.dumps({**MANIFEST, **(changed or {})}))
            for inside, content in {"main.py": ECHO, **dict(files)}.items():
                out.writestr(inside, content)
        return path

    def verify(self, path, code, *said):
        run = self.run_ctl("verify", path)
        self.check(run, code)
        for text in said:
            self.assertIn(text, run.stdout)
        return run

    def call(self, path, *words):
        run = self.run_ctl(*words, path, "call", "say")
        return json.loads(self.check(run, 0, err=""))

    # ---- pack -------------------------------------------------------------

    def test_packs_a_program(self):
        run = self.run_ctl("pack", BIN / "hello-server", "--author", "Ada",
                           "--json")
        packed = json.loads(self.check(run, 0, err=""))
        self.assertEqual(packed["file"], "calculator-1.0.0.mcpb")
        path = self.folder / packed["file"]
        self.assertEqual(packed["sha256"],
                         hashlib.sha256(path.read_bytes()).hexdigest())
        with zipfile.ZipFile(path) as bundle:
            self.assertEqual(bundle.testzip(), None)
            self.assertEqual(bundle.namelist(),
                             ["manifest.json", "server/hello-server"])
            manifest = json.loads(bundle.read("manifest.json"))
            mode = bundle.getinfo("server/hello-server").external_attr >> 16
            self.assertEqual(mode, stat.S_IFREG | 0o755)
        self.assertEqual(manifest, packed["manifest"])
        self.assertEqual(manifest["tools"], [
            {"name": "add", "description": "Adds two numbers"}])
        self.assertEqual(manifest["author"], {"name": "Ada"})
        self.assertEqual(manifest["server"]["mcp_config"]["command"],
                         "${__dirname}/server/hello-server")
        self.verify(path, 0, "calculator 1.0.0\n", "0 faults, 0 warnings")
        run = self.run_ctl(path, "call", "add", "a:=2", "b:=3")
        self.check(run, 0, "5\n", "")

    def test_packs_a_program_of_the_path(self):
        self.env["PATH"] = f"{BIN}:{self.env['PATH']}"
        run = self.run_ctl("pack", "hello-server", "--author", "Ada",
                           "--output", "a.mcpb")
        self.check(run, 0)
        self.check(self.run_ctl("a.mcpb", "ping"), 0)

    def test_gives_the_same_bytes_again(self):
        for name in ("a.mcpb", "b.mcpb"):
            self.make_folder(None)
            os.utime(self.folder / "server/main.py", (1, len(name)))
            self.check(self.run_ctl(
                "pack", "server", "--author", "Ada", "--output", name, "--",
                "python3", "main.py"), 0)
            time.sleep(0.01)
        self.assertEqual((self.folder / "a.mcpb").read_bytes(),
                         (self.folder / "b.mcpb").read_bytes())

    def test_packs_a_command_in_a_folder(self):
        folder = self.make_folder(None)
        (folder / ".env").write_text("SECRET=1")
        (folder / ".git").mkdir()
        (folder / ".git/config").write_text("x")
        (folder / "notes.txt").write_text("x")
        (folder / "deep").mkdir()
        (folder / "deep/a.tmp").write_text("x")
        (folder / "deep/b.tmp").write_text("x")
        (folder / ".mcpbignore").write_text(
            "# what stays here\nnotes.txt\n*.tmp\n!b.tmp\n")
        run = self.run_ctl(
            "pack", folder, "--author", "Ada", "--output", "a.mcpb", "--env",
            "T_KEY=${user_config.api_key}", "--setting", "api_key=k", "--",
            "python3", "main.py", "--at", "${HOME}")
        self.check(run, 0)
        with zipfile.ZipFile(self.folder / "a.mcpb") as bundle:
            self.assertEqual(bundle.namelist(),
                             ["manifest.json", "deep/b.tmp", "main.py"])
            manifest = json.loads(bundle.read("manifest.json"))
        self.assertEqual(manifest["server"], {
            "type": "python", "entry_point": "main.py", "mcp_config": {
                "command": "python3",
                "args": ["${__dirname}/main.py", "--at", "${HOME}"],
                "env": {"T_KEY": "${user_config.api_key}"}}})
        self.assertEqual(manifest["user_config"], {"api_key": {
            "type": "string", "title": "Api key", "description": "Api key",
            "required": True, "sensitive": True}})
        said = self.call("a.mcpb", "--setting", "api_key=another")
        self.assertEqual(said["env"], {"T_KEY": "another"})
        self.assertEqual(said["args"], ["--at", str(self.folder)])
        self.assertTrue(said["file"].startswith(str(self.temporary)))
        self.assertEqual(said["file"], said["cwd"] + "/main.py")

    def test_takes_members_of_the_manifest_from_a_file(self):
        self.make_folder(None)
        more = self.folder / "more.json"
        more.write_text(json.dumps({
            "author": {"name": "Eve"}, "license": "MIT", "name": "other",
            "user_config": {"folder": {
                "type": "directory", "title": "Folder", "description": "Where",
                "default": "${HOME}/x"}}}))
        run = self.run_ctl(
            "pack", "server", "--manifest", more, "--json", "--", "python3",
            "main.py", "${user_config.folder}")
        manifest = json.loads(self.check(run, 0, err=""))["manifest"]
        self.assertEqual((manifest["name"], manifest["license"]),
                         ("other", "MIT"))
        self.assertEqual(list(manifest["user_config"]), ["folder"])
        self.assertEqual(self.call("other-1.2.3.mcpb")["args"],
                         [str(self.folder / "x")])
        more.write_text("{")
        run = self.run_ctl("pack", "server", "--manifest", more, "--",
                           "python3", "main.py")
        self.check(run, 1, "", "more.json: line 1, column 2")

    def test_puts_programs_of_other_platforms_in(self):
        windows = self.folder / "hello.exe"
        windows.write_bytes(b"MZ" + b"0" * 100)
        run = self.run_ctl("pack", BIN / "hello-server", "--author", "Ada",
                           "--platform", "win32=hello.exe", "--json")
        manifest = json.loads(self.check(run, 0, err=""))["manifest"]
        self.assertEqual(manifest["compatibility"],
                         {"platforms": ["linux", "win32"]})
        self.assertEqual(
            manifest["server"]["mcp_config"]["platform_overrides"],
            {"win32": {"command": "${__dirname}/server/win32/hello.exe"}})
        self.verify("calculator-1.0.0.mcpb", 0, "3 files")
        run = self.run_ctl("pack", BIN / "hello-server", "--author", "Ada",
                           "--platform", "beos=hello.exe")
        self.check(run, 1, "", "beos=hello.exe: not darwin, linux or win32")
        run = self.run_ctl("pack", BIN / "hello-server", "--author", "Ada",
                           "--platform", "win32=none.exe")
        self.check(run, 1, "", "win32=none.exe: there is no such file")

    def test_refuses_a_program_of_another_system(self):
        (self.folder / "echo").write_text("#!/usr/bin/env python3" + ECHO)
        (self.folder / "echo").chmod(0o755)
        (self.folder / "hello.exe").write_bytes(b"MZ" + b"0" * 100)
        (self.folder / "hello").write_bytes(b"\x7fELF" + b"0" * 100)
        (self.folder / "notes").write_text("not a program")
        (self.folder / "start.cmd").write_text("@echo off")
        for given, said in (
                ("win32=hello", "program: on win32, 'server/win32/hello' is "
                 "started, but it is a program for Linux"),
                ("darwin=hello.exe", "it is a program for Windows"),
                ("darwin=hello", "it is a program for Linux")):
            with self.subTest(given=given):
                run = self.run_ctl("pack", "./echo", "--author", "Ada",
                                   "--platform", given, "--output", "a.mcpb")
                self.check(run, 1, "", said)
                self.assertFalse((self.folder / "a.mcpb").exists())
        for given, said in (
                ("darwin=notes", "it is not a program by its first bytes"),
                ("win32=echo", "it is a script for Linux and macOS"),
                ("win32=start.cmd", "0 faults, 0 warnings")):
            with self.subTest(given=given):
                run = self.run_ctl("pack", "./echo", "--author", "Ada",
                                   "--platform", given, "--output", "a.mcpb",
                                   "--overwrite")
                self.assertIn(said, self.check(run, 0))

    def test_keeps_the_manifest_of_a_folder(self):
        folder = self.make_folder()
        self.check(self.run_ctl("pack", folder, "--output", "a.mcpb"), 0)
        with zipfile.ZipFile(self.folder / "a.mcpb") as bundle:
            self.assertEqual(bundle.read("manifest.json"),
                             (folder / "manifest.json").read_bytes())
        run = self.run_ctl("pack", folder, "--author", "Eve")
        self.check(run, 1, "", "has a manifest.json, which says all")
        self.make_folder({**MANIFEST, "tools": [{"name": "sing"}]})
        run = self.run_ctl("pack", folder, "--output", "b.mcpb")
        self.check(run, 1, "", "the manifest has the tool 'sing', but the "
                   "server does not list it")
        self.assertFalse((self.folder / "b.mcpb").exists())

    def test_follows_no_link_out_of_a_folder(self):
        folder = self.make_folder()
        (folder / "inside.py").symlink_to("main.py")
        self.check(self.run_ctl("pack", folder, "--output", "a.mcpb"), 0)
        with zipfile.ZipFile(self.folder / "a.mcpb") as bundle:
            self.assertEqual(bundle.read("inside.py"), ECHO.encode())
        (folder / "outside").symlink_to("/etc/passwd")
        run = self.run_ctl("pack", folder, "--output", "b.mcpb")
        self.check(run, 1, "", "which leads out of the folder")
        (folder / "outside").unlink()
        os.mkfifo(folder / "pipe")
        run = self.run_ctl("pack", folder, "--output", "b.mcpb")
        self.check(run, 1, "", "pipe is not a file or a folder")

    def test_packs_nothing_if_it_cannot_read_what_to_leave_out(self):
        folder = self.make_folder()
        (folder / ".mcpbignore").mkdir()
        run = self.run_ctl("pack", folder, "--output", "a.mcpb")
        self.check(run, 1, "", ".mcpbignore: ")
        self.assertFalse((self.folder / "a.mcpb").exists())

    def test_refuses_what_it_cannot_pack(self):
        hello = BIN / "hello-server"
        for words, said in (
                (["none"], "there is no folder or program 'none'"),
                ([hello], "give --author NAME"),
                ([hello, "--cwd", "/"], "have no effect on pack"),
                ([hello, "b"], "too many arguments"),
                ([self.make_folder(None)], "there is no manifest.json in it"),
                ([self.folder / "server", "--author", "A", "--", "perl", "x"],
                 "'perl' is not a file of"),
                ([self.folder / "server", "--author", "A", "--", "node", "x"],
                 "no word after -- is a file of")):
            with self.subTest(words=words):
                self.check(self.run_ctl("pack", *words), 1, "", said)
        (self.folder / "there.mcpb").write_text("x")
        run = self.run_ctl("pack", hello, "--author", "A", "--output",
                           "there.mcpb")
        self.check(run, 1, "", "there.mcpb is there already: --overwrite")
        self.assertEqual((self.folder / "there.mcpb").read_text(), "x")
        self.check(self.run_ctl("pack", hello, "--author", "A", "--output",
                                "there.mcpb", "--overwrite"), 0)

    def test_names_a_missing_setting(self):
        self.make_folder(None)
        run = self.run_ctl("pack", "server", "--author", "A", "--", "python3",
                           "main.py", "${user_config.key}")
        self.check(run, 1, "", "server: it needs the setting 'key' (Key): give "
                   "--setting key=VALUE")

    # ---- verify -----------------------------------------------------------

    def test_finds_nothing_wrong(self):
        path = self.make_bundle()
        self.verify(path, 0, "echo 1.2.3\n2 files, ", "not signed\n",
                    "0 faults, 0 warnings, 0 notes\n")
        run = self.run_ctl("verify", "--json", path)
        report = json.loads(self.check(run, 0, err=""))
        self.assertEqual((report["valid"], report["signed"], report["files"],
                          report["findings"]), (True, False, 2, []))

    def test_finds_what_is_wrong_in_the_manifest(self):
        config = MANIFEST["server"]["mcp_config"]
        server = MANIFEST["server"]
        for changed, said in (
                ({"author": "Ada"}, "manifest-form: /author: expected an "
                 "object"),
                ({"server": {**server, "type": "perl"}}, "manifest-form: "
                 "/server/type"),
                ({"colour": "red"}, "colour"),
                ({"homepage": "here"}, "manifest-form: /homepage"),
                ({"manifest_version": "9"}, "/manifest_version"),
                ({"manifest_version": "0.2", "icons": []},
                 "manifest-version: /icons: manifest version 0.2 does not"),
                ({"server": {**server, "type": "uv"}}, "does not have \"uv\""),
                ({"version": "one"}, "warning version: the version 'one'"),
                ({"server": {**server, "entry_point": "x.py"}},
                 "entry-point: server.entry_point is 'x.py'"),
                ({"icon": "none.png"}, "missing-file: icon is 'none.png'"),
                ({"icon": "main.py"}, "icon: icon is 'main.py', which is not"),
                ({"server": {**server, "mcp_config": {
                    **config, "env": {"A": "${user_config.b}"}}}},
                 "variable: mcp_config uses ${user_config.b}"),
                ({"server": {**server, "mcp_config": {
                    **config, "env": {"A": "${PWD}"}}}},
                 "warning variable: mcp_config uses ${PWD}"),
                ({"server": {**server, "type": "binary", "mcp_config": {
                    "command": "bin/x"}}}, "command: on darwin, the command "
                 "is 'bin/x', but the bundle has no such file"),
                ({"tools": []}, "not-in-manifest: the server has the tool "
                 "'say'"),
                ({"tools": [{"name": "sing"}]}, "not-offered: the manifest has "
                 "the tool 'sing'"),
                ({"tools": [{"name": "say", "description": "Sings"}]},
                 "description: the tool 'say' has another"),
                ({"version": "1.2.4"}, "server-version: the manifest's version "
                 "is 1.2.4, but the server says 1.2.3"),
                ({"compatibility": {"platforms": ["win32"]}},
                 "not-started: the server was not started: it is not for "
                 "linux")):
            with self.subTest(changed=changed):
                run = self.run_ctl("verify", self.make_bundle(changed))
                self.assertIn(said, run.stdout)
                faults = " 0 faults" not in " " + run.stdout.splitlines()[-1]
                self.assertEqual(run.returncode, 5 if faults else 0)

    def test_finds_a_program_that_is_not_executable(self):
        path = self.make_bundle({"server": {
            **MANIFEST["server"], "mcp_config": {
                "command": "${__dirname}/main.py"}}})
        self.verify(path, 5, "fault not-executable: on darwin, 'main.py' is "
                    "started, but is not executable")

    def test_finds_a_server_that_fails(self):
        path = self.make_bundle(files={"main.py": "raise SystemExit(3)"})
        run = self.verify(path, 5, "fault server-fails: ")
        self.assertIn("exited with status 3", run.stderr)

    def test_finds_hostile_archives(self):
        link = zipfile.ZipInfo("link")
        link.create_system = 3
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        slip = "../../slipped"
        with zipfile.ZipFile(self.folder / "slip.mcpb", "w") as out:
            out.writestr(slip, "x")
        self.verify("slip.mcpb", 5, "archive: ../../slipped: it leads out")
        with zipfile.ZipFile(self.folder / "link.mcpb", "w") as out:
            out.writestr(link, "/etc/passwd")
        self.verify("link.mcpb", 5, "archive: link: it is a symbolic link")
        (self.folder / "bomb.mcpb").write_bytes(bomb())
        self.verify("bomb.mcpb", 5, "more than 1 GiB when unpacked")
        (self.folder / "text.mcpb").write_text("not a zip")
        self.verify("text.mcpb", 5, "archive: not a good zip archive")
        broken = self.make_bundle().read_bytes()
        at = broken.index(b"main.py") + 50
        (self.folder / "crc.mcpb").write_bytes(
            broken[:at] + bytes([broken[at] ^ 1]) + broken[at + 1:])
        self.verify("crc.mcpb", 5, "archive: main.py: its ")
        run = self.run_ctl("crc.mcpb", "tools")
        self.check(run, 1, "", "crc.mcpb: main.py: its ")
        with zipfile.ZipFile(self.folder / "empty.mcpb", "w"):
            pass
        self.verify("empty.mcpb", 5, "manifest-missing")

    def test_finds_a_program_of_another_system(self):
        server = {"type": "binary", "entry_point": "x", "mcp_config": {
            "command": "${__dirname}/x", "args": []}}
        windows = {"x": b"MZ" + bytes(100)}
        path = self.make_bundle({"server": server, "compatibility": {
            "platforms": ["darwin", "linux"]}}, windows)
        self.verify(path, 5, "fault program: on darwin, 'x' is started, but it "
                    "is a program for Windows\n", "program: on linux, 'x'")
        path = self.make_bundle({"server": server}, windows)
        run = self.run_ctl("verify", path)
        self.assertIn("warning program: on linux, 'x' is started, but it is a "
                      "program for Windows; compatibility.platforms can say "
                      "where", run.stdout)
        self.assertNotIn("on win32", run.stdout)

    def test_reads_only_the_beginning_of_an_image(self):
        """The manifest names one large file again and again."""
        path = self.make_bundle({"screenshots": ["a.png"] * 100_000},
                                {"a.png": PNG + bytes(5_000_000)})
        self.verify(path, 0, "0 faults")

    def test_says_that_a_file_cannot_be_read(self):
        for words, said in ((["verify", "none.mcpb"], "none.mcpb: No such"),
                            (["none.mcpb", "tools"], "none.mcpb: No such"),
                            (["verify", "tmp"], "tmp: Is a directory")):
            with self.subTest(words=words):
                self.check(self.run_ctl(*words), 1, "",
                           f"mcpctl: cannot read {said}")
        run = self.run_ctl("verify", "--json", "none.mcpb")
        error = json.loads(self.check(run, 1))["error"]
        self.assertIn("cannot read none.mcpb: ", error["message"])

    def test_says_that_a_bundle_is_signed(self):
        path = self.make_bundle()
        path.write_bytes(path.read_bytes() + b"MCPB_SIG_V1\x03\0\0\0abc"
                         b"MCPB_SIG_END")
        self.verify(path, 0, "; signed\n", "note signature: it is signed")
        self.call(path)

    # ---- FILE.mcpb VERB ---------------------------------------------------

    def test_is_a_server_wherever_one_is_named(self):
        path = self.make_bundle()
        self.assertIn("say", self.check(self.run_ctl(path, "tools"), 0))
        self.check(self.run_ctl(path, "snapshot", "s.json"), 0)
        self.check(self.run_ctl("diff", "s.json", path), 0,
                   "No differences.\n")
        self.check(self.run_ctl("diff", path, path), 0, "No differences.\n")
        self.assertIn("stdio 2025-11-25: works",
                      self.run_ctl(path, "doctor").stdout)
        run = self.run_ctl("tools", path)
        self.check(run, 1, "", "the name of a server stands before the verb")
        run = self.run_ctl(path, "start")
        self.check(run, 1, "", "start cannot keep it running")
        run = self.run_ctl(path, "nothing")
        self.check(run, 1, "", "unknown verb 'nothing'")

    def test_gives_settings_to_the_server(self):
        settings = {
            "dirs": {"type": "directory", "title": "Folders",
                     "description": "x", "multiple": True, "required": True},
            "level": {"type": "number", "title": "Level", "description": "x",
                      "default": 3, "min": 1, "max": 5},
            "loud": {"type": "boolean", "title": "Loud", "description": "x",
                     "default": False},
            "key": {"type": "string", "title": "Key", "description": "x"}}
        path = self.make_bundle({
            "user_config": settings,
            "server": {**MANIFEST["server"], "mcp_config": {
                "command": sys.executable,
                "args": ["${__dirname}/main.py", "${user_config.dirs}",
                         "--level=${user_config.level}",
                         "${user_config.key}"],
                "env": {"T_LOUD": "${user_config.loud}",
                        "T_KEY": "${user_config.key}",
                        "T_UNKNOWN": "${NAME}${/}"}}}})
        self.check(self.run_ctl(path, "tools"), 1, "",
                   "it needs the setting 'dirs' (Folders): give --setting")
        self.verify(path, 0, "warning not-started: ")
        said = self.call(path, "--setting", "dirs=/a", "--setting", "dirs=/b")
        self.assertEqual(said["args"], ["/a", "/b", "--level=3"])
        self.assertEqual(said["env"],
                         {"T_LOUD": "false", "T_UNKNOWN": "${NAME}/"})
        (self.folder / "key").write_text("from a file\n")
        said = self.call(path, "--setting", "dirs=/a", "--setting",
                         "key=@key", "--setting", "loud=true", "--env",
                         "T_UNKNOWN=mine")
        self.assertEqual(said["args"], ["/a", "--level=3", "from a file"])
        self.assertEqual(said["env"], {"T_LOUD": "true", "T_KEY": "from a file",
                                       "T_UNKNOWN": "mine"})
        for setting, why in (("level=9", "'level' must be from 1 to 5, not '9'"),
                             ("level=x", "'level' must be a number, not 'x'"),
                             ("level=nan", "must be a number, not 'nan'"),
                             ("loud=yes", "'loud' must be true or false"),
                             ("ky=1", "it has no setting 'ky'; did you mean "
                              "'key'?"),
                             ("key=@none", "cannot read none")):
            with self.subTest(setting=setting):
                run = self.run_ctl("--setting", "dirs=/a", "--setting",
                                   setting, path, "tools")
                self.check(run, 1, "", why)
        run = self.run_ctl("--setting", "key=1", "--setting", "key=2",
                           "--setting", "dirs=/a", path, "tools")
        self.check(run, 1, "", "the setting 'key' takes one value")
        run = self.run_ctl("--setting", "a=b", "tools", "--", "x")
        self.check(run, 1, "", "--setting is for bundles")

    def make_secret(self):
        """A bundle with a secret key, and a secret number up to 9999."""
        return self.make_bundle({
            "user_config": {
                "key": {"type": "string", "title": "Key", "description": "x",
                        "required": True, "sensitive": True},
                "pin": {"type": "number", "title": "PIN", "description": "x",
                        "max": 9999, "sensitive": True}},
            "server": {**MANIFEST["server"], "mcp_config": {
                **MANIFEST["server"]["mcp_config"],
                "env": {"T_KEY": "${user_config.key}"}}}})

    def test_reads_a_setting_from_a_pipe(self):
        path = self.make_secret()
        for content, value in (("from a pipe\n", "from a pipe"),
                               ("from a pipe\r\n", "from a pipe"),
                               ("two\nlines", "two\nlines")):
            run = subprocess.run(
                [BIN / "mcpctl", "--setting", "key=@-", path, "call", "say"],
                input=content.encode(), capture_output=True, timeout=LIMIT,
                cwd=self.folder, env=self.env)
            self.assertEqual(json.loads(run.stdout)["env"], {"T_KEY": value})
        (self.folder / "key").write_bytes(b"a\0b")
        run = self.run_ctl("--setting", "key=@key", path, "tools")
        self.check(run, 1, "", "key: a setting is text, but this file has a")

    def test_shows_no_secret_setting(self):
        path = self.make_secret()
        (self.folder / "key").write_text("hunter2")
        for words, said in (
                (["--setting", "pin=@key"], "'pin' must be a number (the "),
                (["--setting", "pin=70007"], "'pin' must be 9999 or less (")):
            run = self.run_ctl("--setting", "key=hunter2", *words, path,
                               "tools")
            self.check(run, 1, "", said)
            self.assertNotIn("hunter2", run.stderr)
            self.assertNotIn("70007", run.stderr)
        run = self.run_ctl("--setting", "key=hunter2", "--trace", "--verbose",
                           path, "tools")
        self.check(run, 0)
        self.assertNotIn("hunter2", run.stdout + run.stderr)

    def test_starts_the_command_of_the_platform(self):
        path = self.make_bundle({"server": {
            **MANIFEST["server"], "mcp_config": {
                "command": "none", "args": ["a"], "platform_overrides": {
                    "linux": {"command": sys.executable,
                              "args": ["main.py", "b"]}}}}})
        self.assertEqual(self.call(path)["args"], ["b"])

    def test_starts_nothing_to_complete_a_line(self):
        path = self.make_bundle(files={
            "main.py": f"open({str(self.folder / 'started')!r}, 'w')"})
        run = self.run_ctl("complete-line", f"mcpctl {path.name} call s")
        self.check(run, 0, "", "")
        self.assertFalse((self.folder / "started").exists())
        run = self.run_ctl("complete-line", f"mcpctl {path.name} too")
        self.check(run, 0, "tools\n", "")

    def test_says_what_is_wrong_with_a_bundle(self):
        path = self.make_bundle({"author": "x", "name": 3})
        self.check(self.run_ctl(path, "tools"), 1, "",
                   "; mcpctl verify shows all 2 faults")

    def end_by(self, number, path, is_ready):
        """Starts a call, and sends the signal as soon as is_ready(folder).
        Returns how mcpctl has ended."""
        process = subprocess.Popen(
            [BIN / "mcpctl", path, "call", "say"], cwd=self.folder,
            env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        limit = time.monotonic() + LIMIT
        folders = []
        while not folders or not is_ready(folders[0]):
            self.assertLess(time.monotonic(), limit)
            time.sleep(0.001)
            folders = list(self.temporary.iterdir())
        self.assertEqual(stat.S_IMODE(folders[0].stat().st_mode), 0o700)
        process.send_signal(number)
        return process.wait(LIMIT)

    def make_waiting(self, files=()):
        """A bundle whose server says when a call has come, and then waits."""
        main = ECHO.replace('open("left-behind", "w").close()',
                            'open("called", "w").close(); input()')
        return self.make_bundle(files={"main.py": main, **dict(files)})

    def test_removes_what_it_unpacked_when_it_is_ended(self):
        path = self.make_waiting()
        for number, code in ((signal.SIGINT, 130),
                             (signal.SIGTERM, -signal.SIGTERM),
                             (signal.SIGHUP, -signal.SIGHUP)):
            with self.subTest(signal=number):
                self.assertEqual(self.end_by(
                    number, path, lambda folder: (folder / "called").exists()),
                    code)
                self.assertEqual(list(self.temporary.iterdir()), [])

    def test_removes_what_it_is_unpacking_when_it_is_interrupted(self):
        path = self.make_waiting({f"more/{i}": "x" for i in range(4000)})
        self.assertEqual(self.end_by(signal.SIGINT, path,
                                     lambda folder: True), 130)

    def test_ends_a_shell_by_a_signal(self):
        path = self.make_bundle()
        process = subprocess.Popen(
            [BIN / "mcpctl", path, "shell"], cwd=self.folder, env=self.env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdin.write(b"tools\n")
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(LIMIT), -signal.SIGTERM)
        process.stdin.close()
        process.stdout.close()

    # ---- describe ---------------------------------------------------------

    def test_describes_a_server_to_a_registry(self):
        path = self.make_bundle()
        run = self.run_ctl(path, "describe", "--registry", "--name",
                           "io.github.ada/echo", "--package",
                           "https://example.com/echo.mcpb")
        server = json.loads(self.check(
            run, 0, err="the server has no description of itself"))
        self.assertEqual(server, {
            "$schema": "https://static.modelcontextprotocol.io/schemas/"
                       "2025-12-11/server.schema.json",
            "name": "io.github.ada/echo", "description": "echo",
            "version": "1.2.3", "packages": [{
                "registryType": "mcpb",
                "identifier": "https://example.com/echo.mcpb",
                "version": "1.2.3",
                "fileSha256": hashlib.sha256(path.read_bytes()).hexdigest(),
                "transport": {"type": "stdio"}}]})
        for words, why in (
                (["describe"], "describe needs --registry"),
                (["describe", "--registry"], "give --name"),
                (["describe", "--registry", "--name", "echo"],
                 "--name echo: not a name in reverse DNS form"),
                (["describe", "--registry", "--name", "a/b/c"], "a/b/c: not"),
                (["tools", "--registry"], "are for describe")):
            with self.subTest(words=words):
                self.check(self.run_ctl(path, *words), 1, "", why)

    def test_starts_no_server_to_refuse_a_name(self):
        started = self.folder / "started"
        for words in ([], ["--name", "echo"]):
            run = self.run_ctl("describe", "--registry", *words, "--", "touch",
                               started)
            self.check(run, 1, "", "io.github.you/weather")
            self.assertFalse(started.exists())

    def test_describes_a_server_at_a_url(self):
        self.needs_urls()
        with Served() as url:
            run = url_ctl(url + "?key=secret", "describe", "--registry",
                          "--name", "io.github.ada/calc")
            server = json.loads(self.check(run, 0))
            self.assertEqual(server["remotes"], [
                {"type": "streamable-http", "url": url}])
