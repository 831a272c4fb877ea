#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Looks at the packages as their distributions do, and installs, uses and
removes them in a copy of this machine's files that the machine never sees.

usage: run.py --build DIR [unittest's arguments]

DIR is the folder in which cmake/packages.sh has made deb and rpm. The tests need
root, or a kernel that lets others mount (unshare --map-root-user).
"""
import argparse
import json
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
from commands import run  # pylint: disable=wrong-import-position

LIMIT = 1800  # seconds, for a whole build on a busy machine
BUILD = None
DEPS = pathlib.Path(os.environ.get("BUILD_DIR") or
                    ROOT / "build").resolve() / "deps"
CI = os.environ.get("CI") == "true"


def packages(kind):
    found = sorted((BUILD / kind / "packages").glob(f"*.{kind}"))
    assert found, f"no .{kind} in {BUILD / kind / 'packages'}"
    return found


def private_root(script, files, lower="/", **variables):
    """Runs a shell script of this folder as root in a copy of what is under
    `lower`: an overlay, whose changes are gone afterwards. `files` are copied
    to /t there, and that is the current folder."""
    mapped = [] if os.getuid() == 0 else ["--map-root-user"]
    with tempfile.TemporaryDirectory(prefix="mcp-packages-") as scratch:
        there = pathlib.Path(scratch)
        for name in "upper/t", "work", "root":
            (there / name).mkdir(parents=True)
        for file in files:
            if file.is_dir():
                shutil.copytree(file, there / "upper/t" / file.name)
            else:
                shutil.copy(file, there / "upper/t")
        return run("unshare", *mapped, "--mount", "--pid", "--fork",
                   "--kill-child", HERE / "private-root", there, lower, script,
                   env=os.environ | {
                       "HOME": "/t/home", "LC_ALL": "C.UTF-8"} | variables)


def copy_of_sources(tree):
    """The files of this checkout, without what is built."""
    tree.mkdir(parents=True)
    run("sh", "-c", "git ls-files -z --cached --others --exclude-standard | "
        'tar -c --null -T - | tar -x -C "$0"', tree, cwd=ROOT)
    return tree


def epoch():
    """The time in the packages."""
    cache = (BUILD / "deb/CMakeCache.txt").read_text()
    return re.search(r"MCP_PACKAGE_EPOCH:STRING=(\d+)", cache)[1]


class Case(unittest.TestCase):
    def check_use(self, said):
        """What use.sh printed."""
        for line in ("mcpctl works", "pkg-config works", "CMake works",
                     "nothing is left"):
            self.assertIn(line + "\n", said)


CONSUMER = [ROOT / "tests/packaging/consumer", ROOT / "examples/hello-server.c",
            HERE / "use.sh"]


class Deb(Case):
    def test_lintian(self):
        """Clean, except for hints that the file names with their reasons."""
        text = (HERE / "lintian.txt").read_text()
        tags = re.findall(r"^[a-z][a-z-]+$", text, re.M)
        said = run("lintian", "--allow-root", "--no-cfg", "--display-info",
                   "--fail-on", "error,warning,info,pedantic",
                   "--suppress-tags", ",".join(tags), *packages("deb"))
        self.assertEqual(said.strip(), "")

    def test_each_has_what_policy_asks(self):
        for path in packages("deb"):
            name = path.name.split("_")[0]
            files = run("dpkg-deb", "--contents", path)
            for file in ("copyright", "changelog.Debian.gz", "changelog.gz",
                         "mcp.spdx.json"):
                self.assertIn(f" ./usr/share/doc/{name}/{file}\n", files)

    def test_a_library_is_alone_in_its_package(self):
        """So that a server on standard input and output needs no libcurl."""
        for path in packages("deb"):
            needs = run("dpkg-deb", "--field", path, "Depends")
            is_http = re.match("libmcp-(http|keyring)", path.name)
            self.assertEqual("libcurl4" in needs, path.name.startswith(
                "libmcp-http0"), path)
            if not is_http:
                self.assertNotIn("libsecret", needs)

    def test_install_use_remove(self):
        said = private_root("use.sh", CONSUMER + packages("deb"), KIND="deb")
        self.check_use(said)

    def test_a_bare_debian(self):
        """Where nothing is installed, apt finds what the packages need."""
        lower = run_script("tests/packages/bare-root", BUILD / "bare")
        with tempfile.TemporaryDirectory() as scratch:
            server = pathlib.Path(scratch) / "hello-server"
            lib = BUILD / "deb" / "lib"
            run("cc", ROOT / "examples/hello-server.c", "-o", server,
                f"-I{ROOT / 'include'}", f"-L{lib}", "-lmcp", "-lmcp-core",
                "-Wl,--allow-shlib-undefined")
            said = private_root("use-bare.sh", [server, HERE / "use-bare.sh"] +
                                packages("deb"), lower=lower)
        self.assertIn("apt's mcpctl works\nReading package lists", said)
        self.assertIn("nothing is left\n", said)

    def test_the_next_debian(self):
        """Debian 13 has all libraries, newer ones, and a newer compiler."""
        lower = run_script("tests/packages/bare-root", BUILD / "bare-trixie",
                           "trixie")
        with tempfile.TemporaryDirectory() as scratch:
            tree = copy_of_sources(pathlib.Path(scratch) / "libmcp")
            said = private_root(
                "make-and-use.sh", CONSUMER + [tree, HERE / "make-and-use.sh"],
                lower=lower, KIND="deb", SOURCE_DATE_EPOCH=epoch())
        self.check_use(said)


class Rpm(Case):
    def test_rpmlint(self):
        said = run("rpmlint", "-c", HERE / "rpmlint.toml", *packages("rpm"))
        self.assertIn("7 packages and 0 specfiles checked; 0 errors, "
                      "0 warnings", said)

    def test_each_has_its_licence(self):
        for path in packages("rpm"):
            name = run("rpm", "-qp", "--queryformat", "%{NAME}", path)
            licences = run("rpm", "-qp", "--licensefiles", path)
            self.assertEqual(licences, f"/usr/share/licenses/{name}/LICENSE\n")
            self.assertIn(f"/usr/share/doc/{name}/mcp.spdx.json\n",
                          run("rpm", "-qp", "--docfiles", path))

    def test_needs_are_met(self):
        """By the others, or by a library of this machine."""
        provided = set()
        for path in packages("rpm"):
            provided.update(line.split(" ")[0] for line in run(
                "rpm", "-qp", "--provides", path).splitlines())
        cache = dict(re.findall(r"^\s(\S+) .*x86-64.* => (\S+)$",
                                run("ldconfig", "-p"), re.M))
        for path in packages("rpm"):
            for need in run("rpm", "-qp", "--requires", path).splitlines():
                need = need.split(" ")[0]
                if need in provided or need.startswith(("rpmlib(", "rtld(")):
                    continue
                self.check_need(need, cache, path)

    def check_need(self, need, cache, path):
        if need.startswith("/"):
            self.assertTrue(os.path.exists(need), (path, need))
        elif need.startswith("pkgconfig("):
            run("pkg-config", "--exists", need[10:-1])
        else:
            library = need.split("(")[0]
            self.assertIn(library, cache, (path, need))
            self.assertIn(need, run("/usr/lib/rpm/elfdeps", "--provides",
                                    os.path.realpath(cache[library])))

    def test_install_use_remove(self):
        said = private_root("use.sh", CONSUMER + packages("rpm"), KIND="rpm")
        self.check_use(said)


class Sbom(Case):
    def documents(self):
        for path in packages("deb"):
            name = path.name.split("_")[0]
            yield name, run(
                "sh", "-c", 'dpkg-deb --fsys-tarfile "$0" | tar -xO "$1"',
                path, f"./usr/share/doc/{name}/mcp.spdx.json")

    def test_the_official_tools_find_no_fault(self):
        python = run_script("scripts/pip-install", "packages")
        with tempfile.TemporaryDirectory() as scratch:
            for name, text in self.documents():
                file = pathlib.Path(scratch) / f"{name}.spdx.json"
                file.write_text(text)
                run(python.parent / "pyspdxtools", "--infile", file)

    def test_checksums_are_those_of_the_files(self):
        with tempfile.TemporaryDirectory() as scratch:
            for path in packages("deb"):
                run("dpkg-deb", "--extract", path, scratch)
            listed = set()
            for _, text in self.documents():
                for file in json.loads(text)["files"]:
                    name = pathlib.Path(scratch) / file["fileName"]
                    data = name.read_bytes()
                    self.assertEqual(file["checksums"][1]["checksumValue"],
                                     hashlib.sha256(data).hexdigest(), name)
                    listed.add(name)
            there = {path for path in pathlib.Path(scratch).rglob("*")
                     if path.is_file() and not path.is_symlink()
                     and path.name != "mcp.spdx.json"}
            self.assertEqual(there, listed)

    def test_what_is_linked_is_listed(self):
        wanted = {"libmcp-core0": {"yyjson"}, "mcpctl": {"libuv", "libedit",
                                                         "yyjson", "zlib"},
                  "libmcp-http0": {"curl", "libuv"},
                  "libmcp-sqlite0": {"sqlite", "libuv"},
                  "libmcp0": {"libuv", "llhttp", "wslay", "openssl", "pcre2",
                              "libyaml"}}
        for name, text in self.documents():
            found = {entry["name"]: entry["versionInfo"]
                     for entry in json.loads(text)["packages"][1:]}
            if name in wanted:
                self.assertLessEqual(wanted[name], set(found), name)
            if "libuv" in found:
                self.assertEqual(found["libuv"], run(
                    "pkg-config", "--modversion", "libuv").strip())


class Reproducible(Case):
    """Another folder, another time, another mask of files, another language,
    another time zone: the same bytes."""

    def test_two_builds_are_the_same(self):
        with tempfile.TemporaryDirectory(prefix="mcp-twice-") as scratch:
            tree = copy_of_sources(
                pathlib.Path(scratch) / "a-much-longer-name" / "libmcp")
            if DEPS.exists():
                shutil.copytree(DEPS, tree / "build/deps", symlinks=True)
            other = tree / "out"
            environment = os.environ | {
                "CCACHE_DISABLE": "1", "TZ": "Pacific/Auckland", "LC_ALL": "C",
                "SOURCE_DATE_EPOCH": epoch(),
                "MAINTAINER": self.maintainer()}
            environment.pop("BUILD_DIR", None)
            run("sh", "-c", 'umask 077; exec "$0" DEB "$1"',
                tree / "cmake/packages.sh", other, cwd=scratch,
                env=environment)
            for pattern in ("packages/*.deb", "lib/*.so.*.*.*", "lib/*.a",
                            "lib/mcp/*.so", "bin/mcpctl"):
                self.compare(BUILD / "deb", other, pattern)

    def maintainer(self):
        cache = (BUILD / "deb/CMakeCache.txt").read_text()
        return re.search(r"MCP_PACKAGE_MAINTAINER:STRING=(.*)", cache)[1]

    def compare(self, one, other, pattern):
        names = [path.relative_to(one) for path in sorted(one.glob(pattern))]
        self.assertTrue(names, pattern)
        for name in names:
            self.assertEqual((one / name).read_bytes() ==
                             (other / name).read_bytes(), True,
                             f"{name} is not the same in both folders")


class Conan(Case):
    """With packages that stand for those of Conan's own remote, which cannot be
    fetched in every place where this test runs: they name this machine's
    libraries."""

    def conan(self, *words):
        return run(self.program, *words, env=os.environ | {
            "CONAN_HOME": str(BUILD / "conan"), "MCP_DEPS_DIR": str(DEPS)})

    def test_create(self):
        self.program = run_script("scripts/pip-install", "packages").parent / \
            "conan"
        shutil.rmtree(BUILD / "conan", ignore_errors=True)
        self.conan("profile", "detect")
        for name, module in SYSTEM.items():
            version = run("pkg-config", "--modversion", module, env=os.environ | {
                "PKG_CONFIG_PATH": ":".join(map(str, DEPS.glob(
                    "usr/lib/*/pkgconfig")))}).strip() if module else "1.1.1"
            self.conan("create", HERE / "conan-system", "--name", name,
                       "--version", version, "--no-remote")
        for options in [], ["--options", "mcp/*:shared=True"]:
            # Nothing is written into the sources.
            said = self.conan(
                "create", ROOT / "packaging/conan", "--no-remote", *options,
                "--conf", "tools.cmake.cmake_layout:test_folder=$TMP",
                "--conf", "tools.cmake.cmaketoolchain:user_presets=")
            self.assertRegex(said, r"libmcp \d.*: 2 \+ 3 = 5\n")
        shutil.rmtree(BUILD / "conan")


# The packages that the recipe requires, and pkg-config's names.
SYSTEM = {"yyjson": "yyjson", "libuv": "libuv", "openssl": "openssl",
          "pcre2": "libpcre2-8", "llhttp": "libllhttp", "wslay": None,
          "libyaml": "yaml-0.1", "libcurl": "libcurl", "sqlite3": "sqlite3"}


def run_script(name, *words):
    """The path that a script of the project prints; skips the test if it
    cannot do its work here (exit code 3)."""
    done = subprocess.run([ROOT / name, *words], text=True, check=False,
                          stdout=subprocess.PIPE, timeout=LIMIT)
    if done.returncode == 3 and not CI:
        raise unittest.SkipTest(f"{name}: see above")
    if done.returncode != 0:
        raise AssertionError(f"{name}: exit code {done.returncode}")
    return pathlib.Path(done.stdout.strip())


def main():
    global BUILD
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    BUILD = options.build.resolve()
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
