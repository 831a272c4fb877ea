#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Uses the zip for Windows as a developer who has nothing else of libmcp: runs
its programs under Wine, and compiles servers with it.

usage: tests/cross/zip.py FILE.zip --cc COMPILER --sources FOLDER
                          [unittest's arguments]

FOLDER has a file NAME.version for each library that was built.

The folder in which it is unpacked has blanks and other letters than ASCII's in
its name.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
import zipfile

# Libraries whose source is not named as their archive.
SOURCE_OF = {"uv": "libuv1", "yaml": "libyaml", "pcre2-8": "pcre2",
             "ssl": "openssl", "crypto": "openssl"}
LIMIT = 300  # seconds, on a busy machine
HERE = pathlib.Path(__file__).resolve().parent
ZIP = CC = SOURCES = None
SCRATCH = None
ROOT = None  # the unpacked folder

# It needs all of libmcp and libmcp-http.
PROGRAM = r"""
#include <mcp/http_client.h>
#include <mcp/mcp.h>
#include <mcp/sys/yyjson.h>
#include <uv.h>

static int on_words(mcp_call *call, void *userdata) {
  (void)userdata;
  return mcp_call_reply_text(call, "compiled with the zip");
}

/* Not called: it is linked. */
int connect_to(mcp_client *client, const char *url) {
  return mcp_sync_connect_url(client, url, NULL, NULL);
}

int main(int argc, char **argv) {
  mcp_server *server = mcp_server_new("zipped", "1.0.0", NULL, NULL);
  mcp_server_add_tool(server,
                      &(mcp_tool){.size = sizeof(mcp_tool),
                                  .name = "words",
                                  .handler = on_words},
                      NULL);
  return mcp_main(server, argc, argv);
}
"""


def windows(path):
    """A path of this machine as Windows programs name it."""
    return "Z:" + str(path).replace("/", "\\")


def run(*words, **options):
    options.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run(list(map(str, words)), capture_output=True,
                          timeout=LIMIT, check=False, **options)
    # pkg-config puts a backslash before each byte of other letters.
    done.stdout = done.stdout.decode(errors="surrogateescape")
    done.stderr = done.stderr.decode(errors="surrogateescape")
    return done


def ctl(*words):
    return run(HERE / "wine", ROOT / "bin/mcpctl.exe", *words, cwd=ROOT)


def readme():
    return (ROOT / "README.txt").read_bytes().decode().replace("\r\n", "\n")


def sbom():
    return json.loads((ROOT / "share/doc/mcp/mcp.spdx.json").read_text())


class Case(unittest.TestCase):
    def good(self, done):
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def says_five(self, program):
        said = ctl("call", "add", "a=2", "b=3", "--", windows(program))
        self.assertEqual(self.good(said).strip(), "5")


class Contents(Case):
    def test_names(self):
        """Sorted, in one folder, and all that is promised."""
        with zipfile.ZipFile(ZIP) as file:
            names = file.namelist()
            times = {entry.date_time for entry in file.infolist()}
        self.assertEqual(names, sorted(names))
        self.assertEqual(len(times), 1)
        self.assertEqual({name.split("/")[0] for name in names}, {ZIP.stem})
        for name in ["README.txt", "bin/mcpctl.exe", "bin/hello-server.exe",
                     "include/mcp/mcp.h", "include/uv.h", "lib/libmcp.a",
                     "lib/libmcp-core.a", "lib/libmcp-http.a", "lib/libuv.a",
                     "lib/cmake/mcp/mcp-config.cmake",
                     "lib/pkgconfig/libmcp.pc", "examples/hello-server.c",
                     "share/doc/mcp/LICENSE"]:
            self.assertIn(f"{ZIP.stem}/{name}", names)

    def test_licences(self):
        """Each archive has the licence of its library."""
        licences = {path.name for path in (ROOT / "share/doc/mcp").iterdir()}
        for archive in (ROOT / "lib").glob("*.a"):
            name = archive.stem.removeprefix("lib")
            if not name.startswith("mcp"):
                self.assertIn("LICENSE." + SOURCE_OF.get(name, name),
                              licences)
        self.assertLessEqual({"LICENSE.zig", "LICENSE.mingw", "LICENSE.zlib"},
                             licences)

    def test_the_sbom_lists_each_file(self):
        files = {file["fileName"]: file["checksums"][1]["checksumValue"]
                 for file in sbom()["files"]}
        with zipfile.ZipFile(ZIP) as file:
            for name in file.namelist():
                if not name.endswith("/mcp.spdx.json"):
                    sha256 = hashlib.sha256(file.read(name)).hexdigest()
                    name = name.replace(ZIP.stem, ".", 1)
                    self.assertEqual(files.pop(name, None), sha256, name)
        self.assertEqual(files, {})

    def test_the_sbom_lists_each_library_that_is_inside(self):
        document = sbom()
        versions = {entry["SPDXID"]: entry["versionInfo"]
                    for entry in document["packages"]}
        files = {file["SPDXID"]: file["fileName"]
                 for file in document["files"]}
        sources = {files[entry["spdxElementId"]]:
                   versions[entry["relatedSpdxElement"]]
                   for entry in document["relationships"]
                   if entry["relationshipType"] == "GENERATED_FROM"}
        for archive in (ROOT / "lib").glob("*.a"):
            name = archive.stem.removeprefix("lib")
            if not name.startswith("mcp"):
                file = SOURCES / f"{SOURCE_OF.get(name, name)}.version"
                self.assertEqual(sources.pop(f"./lib/{archive.name}", None),
                                 file.read_text().strip(), archive.name)
        self.assertEqual(sources, {})
        self.assertTrue(all(versions.values()), versions)
        # Programs have these inside, and no archive of the zip does.
        names = {entry["name"] for entry in document["packages"]}
        self.assertLessEqual({"zlib", "zig", "mingw-w64"}, names)

    def test_no_path_of_the_build_is_in_a_text(self):
        build = str(HERE.parent.parent).encode()
        for path in ROOT.rglob("*"):
            if path.suffix in {".pc", ".cmake", ".txt", ".h", ".md", ".json"}:
                self.assertNotIn(build, path.read_bytes(), path)

    def test_the_readme_ends_lines_as_windows_does(self):
        text = (ROOT / "README.txt").read_bytes()
        self.assertEqual(text.count(b"\n"), text.count(b"\r\n"))
        self.assertNotIn(b"@", text)


class Programs(Case):
    def test_mcpctl(self):
        version = ZIP.stem.split("-")[1]
        self.assertIn(version, self.good(ctl("--version")))
        self.says_five(ROOT / "bin/hello-server.exe")

    def test_commands_of_the_readme(self):
        """Those that need no network, and write nothing in the user's files."""
        commands = re.findall(r"^  bin\\mcpctl (.* -- bin\\.*)$", readme(),
                              re.MULTILINE)
        self.assertEqual(len(commands), 2, commands)
        for command in commands:
            self.good(ctl(*command.split()))

    def test_the_entry_of_claude_desktop(self):
        """The JSON of the README is what mcpctl reads and writes."""
        text = re.search(r"^  \{\n.*?^  \}\n", readme(),
                         re.MULTILINE | re.DOTALL)[0]
        config = json.loads(text)
        command = config["mcpServers"]["hello"]["command"]
        self.assertEqual(command, r"C:\libmcp\bin\hello-server.exe")
        config["mcpServers"]["hello"]["command"] = windows(
            ROOT / "bin/hello-server.exe")
        file = SCRATCH / "claude_desktop_config.json"
        file.write_text(json.dumps(config))
        said = ctl("--config", windows(file), "hello", "call", "add", "a=2",
                   "b=3")
        self.assertEqual(self.good(said).strip(), "5")


class Compile(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir=SCRATCH)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.source = self.folder / "words.c"
        self.source.write_text(PROGRAM)

    def says_words(self, program):
        said = ctl("call", "words", "--", windows(program))
        self.assertEqual(self.good(said).strip(), "compiled with the zip")

    def test_the_line_of_the_readme(self):
        line = re.search(r"^  zig cc -target x86_64-windows-gnu (.*)$",
                         readme(), re.MULTILINE)[1].replace("\\", "/")
        self.good(run(CC, *line.split(), cwd=ROOT))
        self.says_five(ROOT / "hello.exe")

    def test_pkg_config(self):
        """The zip's files alone are searched."""
        flags = run("pkg-config", "--static", "--cflags", "--libs",
                    "libmcp-http", env={**os.environ, "PKG_CONFIG_LIBDIR":
                                        str(ROOT / "lib/pkgconfig")})
        words = shlex.split(self.good(flags))
        self.assertLessEqual({"-lshell32", "-lws2_32", "-lcrypt32"},
                             set(words))
        program = self.folder / "words.exe"
        self.good(run(CC, self.source, "-o", program, *words))
        self.says_words(program)

    def cmake(self, source, *more):
        """CMake finds no pkg-config, which few have on Windows."""
        build = self.folder / "build"
        self.good(run("cmake", "-S", source, "-B", build, "-G", "Ninja",
                      "-DCMAKE_SYSTEM_NAME=Windows", f"-DCMAKE_C_COMPILER={CC}",
                      f"-DCMAKE_PREFIX_PATH={ROOT}",
                      "-DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON", *more))
        self.good(run("cmake", "--build", build))
        return build

    def test_cmake(self):
        (self.folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\n"
            "project(words C)\n"
            "find_package(mcp REQUIRED COMPONENTS static http)\n"
            "add_executable(words words.c)\n"
            "target_link_libraries(words PRIVATE mcp::http-static)\n")
        self.says_words(self.cmake(self.folder) / "words.exe")

    def test_cmake_of_the_readme(self):
        self.says_five(self.cmake(ROOT / "examples") / "hello.exe")


def main():
    global ZIP, CC, SOURCES, SCRATCH, ROOT
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("zip", type=pathlib.Path)
    parser.add_argument("--cc", required=True, type=pathlib.Path)
    parser.add_argument("--sources", required=True, type=pathlib.Path)
    args, rest = parser.parse_known_args()
    ZIP, CC = args.zip.resolve(), args.cc.resolve()
    SOURCES = args.sources.resolve()
    with tempfile.TemporaryDirectory(prefix="mcp zip gr\u00fc\u00dfe-") as folder:
        SCRATCH = pathlib.Path(folder)
        with zipfile.ZipFile(ZIP) as file:
            file.extractall(SCRATCH)
        ROOT = SCRATCH / ZIP.stem
        result = unittest.main(argv=[sys.argv[0], *rest], exit=False).result
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
