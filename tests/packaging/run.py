#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Takes libmcp into a small project in each way that README.md names, builds
the project and runs its programs. Needs no network.

usage: run.py --build DIR [unittest's arguments]

DIR is a build folder of libmcp, built without sanitizers.
"""
import argparse
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
from commands import run  # pylint: disable=wrong-import-position

LIMIT = 600  # seconds, for a whole build on a busy machine
CONSUMER = pathlib.Path(__file__).resolve().parent / "consumer"
FIRST = CONSUMER.parent / "first-headers.txt"
SOURCES = {"core": CONSUMER / "core.c", "http": CONSUMER / "http.c",
           "sqlite": CONSUMER / "sqlite.c",
           "mcp": ROOT / "examples" / "hello-server.c"}
BUILD = None
SCRATCH = None


def setting(name):
    """A variable of the build folder's CMake."""
    cache = (BUILD / "CMakeCache.txt").read_text()
    return re.search(rf"^{name}:\w+=(.*)$", cache, re.M).group(1)


@functools.cache
def prefix():
    """A folder that libmcp is installed in."""
    where = SCRATCH / "prefix"
    run("cmake", "--install", BUILD, "--prefix", where)
    return where


def private(pattern):
    """The files that scripts/deps unpacked, if it had to."""
    return sorted(pathlib.Path(setting("MCP_DEPS_DIR")).glob(pattern))


def has_sqlite():
    """Whether the build has libmcp-sqlite (MCP_SQLITE)."""
    return (BUILD / "libmcp-sqlite.pc").exists()


def configure(name, *settings):
    folder = SCRATCH / name
    said = run("cmake", "-S", CONSUMER, "-B", folder, "-G", "Ninja",
               f"-DCMAKE_C_COMPILER={setting('CMAKE_C_COMPILER')}",
               f"-DHELLO={SOURCES['mcp']}", *settings)
    (folder / "said.txt").write_text(said)
    return folder


def from_source(how):
    return configure(how, f"-DHOW={how}", f"-DMCP_SOURCE={ROOT}",
                     f"-DMCP_DEPS_DIR={setting('MCP_DEPS_DIR')}")


def build(folder, *targets):
    run("ninja", "-C", folder, *targets)


def dynamic(program):
    """The entries of a program's dynamic section."""
    return run("readelf", "-d", "-W", program)


class Case(unittest.TestCase):
    def check_core(self, program):
        self.assertEqual(run(program), "3 values\n")

    def check_server_and_client(self, server, client):
        process = subprocess.Popen([server, "--http", "127.0.0.1:0"],
                                   stdin=subprocess.DEVNULL, text=True,
                                   stderr=subprocess.PIPE)
        try:
            url = process.stderr.readline().split()[-1]
            self.assertEqual(run(client, url), "2 + 3 = 5\n")
        finally:
            process.terminate()
            process.communicate(timeout=LIMIT)
        self.assertEqual(process.returncode, 0)

    def check_store(self, program):
        with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
            path = pathlib.Path(folder) / "tasks.db"
            self.assertEqual(run(program, path), "stored\n")
            self.assertEqual(run(program, path), "MCP_ERR_EXISTS\n")

    def check_links(self, program, is_shared):
        """Whether it needs our shared libraries."""
        found = "[libmcp" in dynamic(program)
        self.assertEqual(found, is_shared, program)

    def check_programs(self, folder):
        for link in "shared", "static":
            self.check_core(folder / f"use-core-{link}")
            self.check_server_and_client(folder / f"use-mcp-{link}",
                                         folder / f"use-http-{link}")
            libraries = ["core", "mcp", "http"]
            if has_sqlite():
                self.check_store(folder / f"use-sqlite-{link}")
                libraries.append("sqlite")
            for library in libraries:
                self.check_links(folder / f"use-{library}-{link}",
                                 link == "shared")


class FromSource(Case):
    def test_add_subdirectory(self):
        folder = from_source("subdirectory")
        build(folder)
        self.check_programs(folder)

    def test_fetch_content(self):
        folder = from_source("fetchcontent")
        build(folder, "use-core-static")
        self.check_core(folder / "use-core-static")
        self.check_links(folder / "use-core-static", is_shared=False)

    def test_the_parent_keeps_its_settings(self):
        folder = from_source("subdirectory")
        seen = (folder / "seen.txt").read_text()
        self.assertIn("build type ''\n", seen)
        self.assertIn("programs ''\n", seen)
        self.assertIn("testing ''\n", seen)
        self.assertNotIn(str(ROOT), seen)
        self.assertNotIn("BUILD_TESTING", (folder / "CMakeCache.txt").read_text())

    def test_only_the_libraries_are_built_and_nothing_is_installed(self):
        folder = from_source("subdirectory")
        rules = run("ninja", "-C", folder, "-t", "targets", "all")
        for target in "mcpctl", "hello-server", "unit.base.version", "demo":
            self.assertNotRegex(rules, rf"(?m)^{target}: phony")
        build(folder, "use-core-static")
        run("cmake", "--install", folder, "--prefix", SCRATCH / "parent")
        files = [path.name for path in (SCRATCH / "parent").rglob("*")
                 if path.is_file()]
        self.assertEqual(files, ["use-core-static"])

    def test_a_library_is_built_only_for_a_program_that_links_it(self):
        folder = from_source("subdirectory")
        commands = run("ninja", "-C", folder, "-t", "commands", "libmcp/all")
        self.assertNotIn("libmcp-core.so", commands)
        self.assertNotIn("libmcp-core.a", commands)

    def test_the_parents_own_targets_are_linked(self):
        folder = configure("own", "-DHOW=subdirectory", f"-DMCP_SOURCE={ROOT}",
                           "-DOWN_LIBUV=ON",
                           f"-DMCP_DEPS_DIR={setting('MCP_DEPS_DIR')}")
        self.assertIn("libmcp links the target uv_a\n",
                      (folder / "said.txt").read_text())
        build(folder, "use-core-static")


class Package(Case):
    def test_find_package(self):
        folder = configure("package", "-DHOW=package",
                           f"-DCMAKE_PREFIX_PATH={prefix()}")
        build(folder)
        self.check_programs(folder)

    def test_a_prefix_may_be_moved(self):
        moved = SCRATCH / "moved"
        shutil.copytree(prefix(), moved, symlinks=True)
        folder = configure("moved-package", "-DHOW=package",
                           f"-DCMAKE_PREFIX_PATH={moved}")
        build(folder, "use-mcp-shared", "use-core-static")
        self.check_core(folder / "use-core-static")
        self.assertIn("mcpctl", run(moved / "bin" / "mcpctl", "--version"))

    def test_files_name_no_path_of_the_build(self):
        for path in [*prefix().rglob("*.cmake"), *prefix().rglob("*.pc")]:
            text = path.read_text()
            for folder in ROOT, BUILD, prefix():
                self.assertNotIn(str(folder), text, path)


class PkgConfig(Case):
    def flags(self, module, *words, where=None):
        paths = (where or prefix()).glob("lib*/**/pkgconfig")
        path = ":".join(map(str, paths))
        return run("pkg-config", *words, "--cflags", "--libs", module,
                   env=os.environ | {"PKG_CONFIG_PATH": path}).split()

    def compile(self, library, program, *flags):
        run(setting("CMAKE_C_COMPILER"), SOURCES[library], "-o", program,
            *flags)
        return program

    def test_shared(self):
        lib = f"-Wl,-rpath,{next(prefix().glob('lib*/**/libmcp.so')).parent}"
        programs = {}
        for library, module in (("core", "libmcp-core"), ("mcp", "libmcp"),
                                ("http", "libmcp-http")):
            programs[library] = self.compile(
                library, SCRATCH / f"pc-{library}",
                *self.flags(module), lib)
            self.check_links(programs[library], is_shared=True)
        self.check_core(programs["core"])
        self.check_server_and_client(programs["mcp"], programs["http"])
        if has_sqlite():
            store = self.compile("sqlite", SCRATCH / "pc-sqlite",
                                 *self.flags("libmcp", "libmcp-sqlite"), lib)
            self.check_links(store, is_shared=True)
            self.check_store(store)

    def test_cpp(self):
        """The C++ headers are installed, and need no other library."""
        lib = f"-Wl,-rpath,{next(prefix().glob('lib*/**/libmcp.so')).parent}"
        server = SCRATCH / "pc-hello-cpp"
        run(setting("CMAKE_CXX_COMPILER"), "-std=c++17",
            ROOT / "examples" / "hello-server-cpp.cpp", "-o", server,
            *self.flags("libmcp"), lib)
        client = self.compile("http", SCRATCH / "pc-http-cpp",
                              *self.flags("libmcp-http"), lib)
        self.check_server_and_client(server, client)

    def test_static(self):
        """Where only the archives are installed."""
        where = SCRATCH / "archives"
        shutil.copytree(prefix(), where, symlinks=True)
        for path in where.glob("lib*/**/libmcp*.so*"):
            path.unlink()
        core = self.compile("core", SCRATCH / "pc-core-static",
                            *self.flags("libmcp-core", "--static",
                                        where=where))
        server = self.compile("mcp", SCRATCH / "pc-mcp-static",
                              *self.flags("libmcp", "--static", where=where))
        client = self.compile("http", SCRATCH / "pc-http-static",
                              *self.flags("libmcp-http", "--static",
                                          where=where))
        for program in core, server, client:
            self.check_links(program, is_shared=False)
        self.check_core(core)
        self.check_server_and_client(server, client)
        if has_sqlite():
            store = self.compile("sqlite", SCRATCH / "pc-sqlite-static",
                                 *self.flags("libmcp", "libmcp-sqlite",
                                             "--static", where=where))
            self.check_links(store, is_shared=False)
            self.check_store(store)


@unittest.skipUnless((ROOT / ".git").exists(), "needs the git repository")
class LastVersion(Case):
    """A program that was compiled with the last version's headers runs with
    the libraries of today."""

    def last_version(self):
        """The last tag; before the first one, the commit that FIRST names."""
        found = subprocess.run(
            ["git", "-C", ROOT, "describe", "--tags", "--abbrev=0",
             "--match=v*"],
            text=True, capture_output=True, check=False)
        return found.stdout.strip() or FIRST.read_text().split()[-1]

    def sources(self):
        archive = SCRATCH / "last.tar"
        folder = SCRATCH / "last"
        run("git", "-C", ROOT, "archive", "--format=tar", "-o", archive,
            self.last_version(), "include", "examples", "tests")
        shutil.unpack_archive(archive, folder)
        return folder

    def compile_example(self, folder, example):
        """Links what libmcp-core alone suffices for with that alone."""
        files = sorted(example.glob("*.c")) if example.is_dir() else [example]
        is_cpp = example.suffix == ".cpp"
        compiler = setting("CMAKE_CXX_COMPILER" if is_cpp
                           else "CMAKE_C_COMPILER")
        libraries = ["-lmcp-core"] if example.stem == "embedded-loop" else [
            "-lmcp-http", "-lmcp", "-lmcp-core"]
        lib = next(prefix().glob("lib*/**/libmcp.so")).parent
        program = folder / "bin" / example.stem
        # Empty, as in the sources that define it themselves.
        language = (["-std=c++17"] if is_cpp
                    else ["-std=gnu11", "-D_GNU_SOURCE="])
        run(compiler, *files, "-o", program, *language,
            "-Wall", "-Werror", "-DMCP_NO_DEPRECATED_WARNINGS",
            f"-I{folder / 'include'}", f"-L{lib}", f"-Wl,-rpath,{lib}",
            "-pthread", *libraries)

    def test_examples(self):
        folder = self.sources()
        (folder / "bin").mkdir()
        compiled = 0
        for example in sorted((folder / "examples").iterdir()):
            is_source = example.suffix in (".c", ".cpp")
            is_folder = example.is_dir() and any(example.glob("*.c"))
            if (is_source or is_folder) and example.stem != "mounted-server":
                self.compile_example(folder, example)
                compiled += 1
        self.assertGreaterEqual(compiled, 8)
        # Today's tests, because the library's messages may have become better;
        # its own for the workbench, which offers more today.
        self.run_tests(ROOT, folder / "bin", 20, "Custom", "Embedded",
                       "HelloClient", "HelloServer", "Streaming", "Validate",
                       "WorkerThread")
        self.run_tests(folder, folder / "bin", 20, "Workbench")

    def run_tests(self, tree, programs, least, *names):
        said = run(sys.executable, tree / "tests" / "examples" / "run.py",
                   "--bin", programs, *names)
        self.assertGreaterEqual(int(re.search(r"Ran (\d+) tests", said)[1]),
                                least)
        self.assertNotIn("skipped", said)


class Prefix(Case):
    def test_private_libraries_shadow_nothing(self):
        files = [path.relative_to(prefix()) for path in prefix().rglob("*")]
        for name in "yyjson", "llhttp":
            found = [path for path in files if name in path.name
                     and "LICENSE" not in path.name
                     and not path.match("include/mcp/sys/*")]
            if private(f"usr/lib/*/lib{name}.so"):
                self.assertIn(f"lib{name}.so", [path.name for path in found])
            for path in found:
                self.assertEqual(path.parent.name,
                                 "deps" if path.suffix == ".h" else "mcp",
                                 path)

    def test_completions(self):
        """Each shell finds its script by this name."""
        source = ROOT / "tools" / "mcpctl" / "completions"
        for installed, name in (
                ("bash-completion/completions/mcpctl", "mcpctl.bash"),
                ("zsh/site-functions/_mcpctl", "_mcpctl"),
                ("fish/vendor_completions.d/mcpctl.fish", "mcpctl.fish")):
            found = prefix() / "share" / installed
            self.assertEqual(found.read_text(), (source / name).read_text())

    def test_man_page(self):
        page = prefix() / "share" / "man" / "man1" / "mcpctl.1"
        self.assertRegex(page.read_text(), r"\n\.TH MCPCTL 1 .*libmcp \d")

    def test_licences(self):
        folder = prefix() / "share" / "doc" / "mcp"
        found = {path.name: path.read_text() for path in folder.iterdir()}
        self.assertEqual(found["LICENSE"], (ROOT / "LICENSE").read_text())
        self.assertIn("JSON Schema", found["LICENSE.json-schema"])
        for name in "yyjson", "llhttp":
            if private(f"usr/lib/*/lib{name}.so"):
                self.assertIn("Permission is hereby granted",
                              found[f"LICENSE.{name}"])

    def test_what_is_installed_is_listed_in_the_sbom(self):
        folder = prefix() / "share" / "doc" / "mcp"
        document = json.loads((folder / "mcp.spdx.json").read_text())
        listed = {}
        for file in document["files"]:
            listed[prefix() / file["fileName"]] = file["checksums"][1]
        for path in prefix().rglob("*"):
            if path.is_file() and not path.is_symlink():
                found = listed.pop(path, None)
                if path.name != "mcp.spdx.json":
                    self.assertEqual(
                        found["checksumValue"],
                        hashlib.sha256(path.read_bytes()).hexdigest(), path)
        self.assertEqual(listed, {})
        linked = {entry["name"]: entry["versionInfo"]
                  for entry in document["packages"][1:]}
        self.assertEqual(linked["libuv"], run("pkg-config", "--modversion",
                                              "libuv").strip())
        self.assertLessEqual({"yyjson", "openssl", "curl"}, set(linked))

    def test_modules_have_their_version_in_their_names(self):
        lib = next(prefix().glob("lib*/**/libmcp.so")).resolve()
        version = lib.name.removeprefix("libmcp.so.")
        self.assertRegex(version, r"^\d+\.\d+\.\d+$")
        found = {path.name for path in (lib.parent / "mcp").glob("libmcp-*")}
        names = ["fetch", "http1", "regex", "tls", "websocket", "yaml"]
        if (BUILD / f"lib/mcp/libmcp-keyring-{version}.so").exists():
            names.append("keyring")  # where libsecret is installed
        if setting("MCP_MODULES") == "ON":
            self.assertEqual(found, {f"libmcp-{name}-{version}.so"
                                     for name in names})

    def test_only_the_module_of_the_keyring_needs_libsecret(self):
        for path in prefix().rglob("*"):
            if path.is_file() and path.suffix in (".pc", ".cmake"):
                self.assertNotIn("secret", path.read_text().lower(), path)
        for path in self.elf_files():
            self.assertNotIn("libsecret", dynamic(path), path)

    def elf_files(self):
        lib = next(prefix().glob("lib*/**/libmcp.so")).parent
        files = [prefix() / "bin" / "mcpctl", lib / "libmcp-core.so",
                 lib / "libmcp.so", lib / "libmcp-http.so"]
        return files + [lib / "libmcp-sqlite.so"] * has_sqlite()

    def test_what_is_built_is_hardened(self):
        for path in self.elf_files():
            said = run("readelf", "-h", "-l", "-d", "-s", "-W", path)
            self.assertRegex(said, r"Type: +DYN", path)
            self.assertIn("GNU_RELRO", said, path)
            self.assertRegex(said, r"FLAGS.*NOW", path)
            self.assertIn("__stack_chk_fail", said, path)
            if setting("CMAKE_BUILD_TYPE") != "Debug":
                self.assertRegex(said, r"__\w+_chk@", path)

    def test_rpaths_lead_into_the_prefix_alone(self):
        for path in self.elf_files():
            found = re.search(r"R(?:UN)?PATH.*\[(.*)\]", dynamic(path))
            for folder in found.group(1).split(":") if found else []:
                self.assertTrue(folder.startswith("$ORIGIN"), (path, folder))


class Uninstall(Case):
    def install(self, where, destdir):
        run("cmake", "--install", BUILD, "--prefix", where,
            env=os.environ | {"DESTDIR": destdir})
        return shutil.copy(BUILD / "install_manifest.txt",
                           SCRATCH / "manifest.txt")

    def uninstall(self, manifest, destdir=""):
        return run(ROOT / "scripts" / "uninstall", manifest,
                   env=os.environ | {"DESTDIR": destdir})

    def test_what_was_installed_is_removed_and_nothing_else(self):
        where = SCRATCH / "uninstalled"
        manifest = self.install(where, "")
        others = [where / "include" / "mcp" / "mine.h",
                  where / "lib" / "libother.so", where / "bin" / "other"]
        for path in others:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        self.uninstall(manifest)
        left = [path for path in where.rglob("*") if not path.is_dir()]
        self.assertEqual(set(left), set(others))
        folders = [path for path in where.rglob("mcp") if path.is_dir()]
        self.assertEqual(folders, [where / "include" / "mcp"])

    def test_a_staged_installation(self):
        stage = SCRATCH / "stage"
        manifest = self.install("/usr/local", str(stage))
        self.assertTrue((stage / "usr/local/bin/mcpctl").exists())
        self.uninstall(manifest, str(stage))
        self.assertEqual([path for path in stage.rglob("*")
                          if not path.is_dir()], [])

    def test_without_an_installation(self):
        with self.assertRaisesRegex(AssertionError, "cannot read .*/none.txt: "
                                    "nothing was installed"):
            self.uninstall(SCRATCH / "none.txt")


def main():
    global BUILD, SCRATCH
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    BUILD = options.build.resolve()
    with tempfile.TemporaryDirectory(prefix="mcp-packaging-") as scratch:
        SCRATCH = pathlib.Path(scratch).resolve()
        unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
