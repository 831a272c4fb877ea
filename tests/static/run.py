#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Looks at the programs that are one file, and runs them where there is nothing
else. Takes the installed static libraries into a small project.

usage: run.py --build DIR [unittest's arguments]

DIR is the build folder with static-x86_64 and its like in it (cmake/
test-static.sh makes them).
"""
import argparse
import contextlib
import functools
import os
import pathlib
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))
from commands import run  # pylint: disable=wrong-import-position

LIMIT = 120  # seconds, on a busy machine
CONSUMER = pathlib.Path(__file__).resolve().parent / "consumer"
ARCHS = "x86_64", "aarch64"
HOST = os.uname().machine
BUILD = None
SCRATCH = None
# Bytes. A program that grew beyond has got something that it did not need.
BUDGETS = {"mcpctl": 8_000_000, "hello-server": 600_000}


def program(name, arch, is_bare=False):
    bare = "bare-" if is_bare else ""
    return BUILD / f"static-{bare}{arch}" / "bin" / name


def deps(arch):
    return BUILD / f"deps-static-{arch}"


def tool(name, arch=HOST):
    return BUILD / "zig" / "bin" / f"{arch}-linux-musl-{name}"


class Root:
    """A folder that is the whole world of the programs in it."""

    def __init__(self, *programs):
        self.path = pathlib.Path(tempfile.mkdtemp(dir=SCRATCH))
        for file in programs:
            shutil.copy(file, self.path)

    def words(self, *words):
        folders = f"{os.environ['PATH']}:/usr/sbin:/sbin"
        if os.geteuid() == 0:
            return [shutil.which("chroot", path=folders), str(self.path),
                    *words]
        return [shutil.which("unshare"), "--map-root-user",
                f"--root={self.path}", *words]

    def run(self, *words, **variables):
        """Exit code, standard output, standard error."""
        # mcpctl keeps logins in the home folder.
        done = subprocess.run(self.words(*words), text=True,
                              env={"HOME": "/"} | variables, capture_output=True, timeout=LIMIT, check=False)
        return done.returncode, done.stdout, done.stderr

    @contextlib.contextmanager
    def serving(self, *words):
        """The URL that a server reports."""
        process = subprocess.Popen(self.words(*words), text=True, env={},
                                   stdin=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        try:
            yield process.stderr.readline().split()[-1]
        finally:
            process.terminate()
            process.communicate(timeout=LIMIT)


def both():
    return Root(program("mcpctl", HOST), program("hello-server", HOST))


class Files(unittest.TestCase):
    def test_sizes(self):
        for arch in ARCHS:
            for name, budget in BUDGETS.items():
                path = program(name, arch, name == "hello-server")
                size = path.stat().st_size
                self.assertLess(size, budget, path)
                print(f"{path.name} {arch}: {size} bytes", file=sys.stderr)

    def test_need_nothing(self):
        for arch in ARCHS:
            for name in BUDGETS:
                for is_bare in {False, name == "hello-server"}:
                    path = program(name, arch, is_bare)
                    said = run("readelf", "-h", "-l", "-d", "-W", path)
                    self.assertNotIn("NEEDED", said, path)
                    self.assertNotIn("INTERP", said, path)
                    # Addresses are random, and the linkage table is fixed.
                    self.assertRegex(said, r"Type: +DYN", path)
                    self.assertIn("GNU_RELRO", said, path)

    def test_a_bare_server_links_libuv_and_yyjson_alone(self):
        said = run("ninja", "-C", BUILD / f"static-bare-{HOST}", "-t",
                   "commands", "hello-server").strip().splitlines()[-1]
        files = {pathlib.Path(word).name for word in said.split()
                 if word.endswith(".a")}
        self.assertEqual(files, {"libmcp.a", "libmcp-core.a", "libuv.a",
                                 "libyyjson.a"})

    def test_licences_of_all_that_is_linked_are_kept(self):
        for arch in ARCHS:
            for name in ("curl", "libedit", "libuv1", "libyaml", "llhttp",
                         "musl", "ncurses", "openssl", "pcre2", "wslay",
                         "yyjson", "zig", "zlib"):
                path = deps(arch) / "usr/share/doc" / name / "copyright"
                self.assertGreater(path.stat().st_size, 500, path)


class EmptyRoot(unittest.TestCase):
    """There is nothing but the files: not even /dev, /proc, /tmp or /etc."""

    def test_a_server_of_a_command(self):
        for is_bare in False, True:
            root = Root(program("mcpctl", HOST),
                        program("hello-server", HOST, is_bare))
            self.assertEqual(root.run("/mcpctl", "call", "add", "a:=2", "b:=3",
                                      "--", "/hello-server"), (0, "5\n", ""))

    def test_http_and_websockets(self):
        root = both()
        with root.serving("/hello-server", "--http", "127.0.0.1:0") as url:
            self.assertEqual(root.run("/mcpctl", url, "call", "add", "a:=2",
                                      "b:=3"), (0, "5\n", ""))
        with root.serving("/hello-server", "--ws", "127.0.0.1:0") as url:
            self.assertEqual(root.run("/mcpctl", url, "call", "add", "a:=2",
                                      "b:=3"), (0, "5\n", ""))

    def test_the_editor_knows_the_terminal(self):
        """Tab completes a verb: no description of a terminal is there, so one
        that is inside the program is used."""
        root = both()
        process, terminal = pty.fork()
        if process == 0:
            os.environ["TERM"] = "xterm-256color"
            words = root.words("/mcpctl", "shell", "--", "/hello-server")
            os.execvp(words[0], words)
        said = self.read_until(terminal, b"calculator> ")
        os.write(terminal, b"comp\tx\x7f\n")
        said += self.read_until(terminal, b"calculator> ")
        os.write(terminal, b"\x04")
        self.read_until(terminal, None)
        os.waitpid(process, 0)
        self.assertIn(b"complete", said)
        self.assertIn(b"\x1b[", said)

    def read_until(self, terminal, end):
        said, limit = b"", time.monotonic() + LIMIT
        while end is None or not said.endswith(end):
            left = limit - time.monotonic()
            if left <= 0 or not select.select([terminal], [], [], left)[0]:
                self.fail(f"waited for {end}: {said}")
            try:
                more = os.read(terminal, 4096)
            except OSError:  # the other end is closed
                more = b""
            if more == b"":
                break
            said += more
        return said


class Certificates(unittest.TestCase):
    """Where mcpctl finds those of the system, which no build has inside."""

    def setUp(self):
        self.root = both()
        run("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes",
            "-keyout", self.root.path / "key.pem", "-out",
            self.root.path / "cert.pem", "-days", "2", "-subj",
            "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1")

    def lists(self, **variables):
        with self.root.serving("/hello-server", "--http", "127.0.0.1:0",
                               "--tls-cert", "/cert.pem", "--tls-key",
                               "/key.pem") as url:
            self.assertTrue(url.startswith("https:"), url)
            return self.root.run("/mcpctl", url, "tools", **variables)

    def assert_trusted(self, **variables):
        rc, out, err = self.lists(**variables)
        self.assertEqual((rc, err), (0, ""))
        self.assertIn("add", out)

    def put(self, path):
        there = self.root.path / path
        there.parent.mkdir(parents=True)
        shutil.copy(self.root.path / "cert.pem", there)

    def test_without_any_the_error_names_the_remedy(self):
        rc, _, err = self.lists()
        self.assertNotEqual(rc, 0)
        self.assertIn("certificate", err)
        self.assertIn("--cacert", err)

    def test_variable(self):
        self.assert_trusted(SSL_CERT_FILE="/cert.pem")

    def test_debian_arch_and_others(self):
        self.put("etc/ssl/certs/ca-certificates.crt")
        self.assert_trusted()

    def test_fedora(self):
        self.put("etc/pki/tls/certs/ca-bundle.crt")
        self.assert_trusted()

    def test_opensuse(self):
        self.put("etc/ssl/ca-bundle.pem")
        self.assert_trusted()

    def test_alpine(self):
        self.put("etc/ssl/cert.pem")
        self.assert_trusted()

    def test_a_folder_of_hashes(self):
        name = run("openssl", "x509", "-hash", "-noout", "-in",
                   self.root.path / "cert.pem").strip()
        self.put(f"etc/ssl/certs/{name}.0")
        self.assert_trusted()


class OtherMachines(unittest.TestCase):
    def test_under_qemu(self):
        for arch in ARCHS:
            emulator = f"qemu-{arch}"
            if arch == HOST:
                continue
            if shutil.which(emulator) is None:
                self.skipTest(f"there is no {emulator} here")
            mcpctl = program("mcpctl", arch)
            for is_bare in False, True:
                server = program("hello-server", arch, is_bare)
                self.assertEqual(run(emulator, mcpctl, "call", "add", "a:=2",
                                     "b:=3", "--", emulator, server), "5\n")


@functools.cache
def prefix():
    """A folder that the static libraries are installed in."""
    where = SCRATCH / "prefix"
    run("cmake", "--install", BUILD / f"static-{HOST}", "--prefix", where)
    return where


def toolchain():
    return [f"--toolchain={ROOT / 'cmake' / 'static.cmake'}",
            f"-DMCP_STATIC_ARCH={HOST}", f"-DMCP_DEPS_DIR={deps(HOST)}",
            f"-DHELLO={ROOT / 'examples' / 'hello-server.c'}"]


class Consumer(unittest.TestCase):
    """A program of a user, which is one file too."""

    def check(self, server):
        root = Root(program("mcpctl", HOST), server)
        self.assertEqual(root.run("/mcpctl", "call", "add", "a:=2", "b:=3",
                                  "--", f"/{server.name}"), (0, "5\n", ""))

    def pkg_config(self):
        folders = [prefix() / "lib" / "pkgconfig", deps(HOST) /
                   f"usr/lib/{HOST}-linux-musl/pkgconfig"]
        return os.environ | {"PKG_CONFIG_LIBDIR": ":".join(map(str, folders))}

    def configure(self, *settings):
        folder = pathlib.Path(tempfile.mkdtemp(dir=SCRATCH))
        run("cmake", "-S", CONSUMER, "-B", folder, "-G", "Ninja",
            *toolchain(), *settings, env=self.pkg_config())
        return folder

    def test_pkg_config(self):
        for module, source in (("libmcp", "../../../examples/hello-server.c"),
                               ("libmcp-http", "http.c")):
            flags = run("pkg-config", "--static", "--cflags", "--libs", module,
                        env=self.pkg_config()).split()
            server = SCRATCH / module
            run(tool("cc"), "-static", "-Os", CONSUMER / source, "-o", server,
                *flags)
            self.assertNotIn("NEEDED", run("readelf", "-d", server))
            if module == "libmcp":
                self.check(server)
            else:
                self.assertIn("client", run(server))

    def test_find_package(self):
        folder = self.configure("-DHOW=package",
                                f"-DCMAKE_PREFIX_PATH={prefix()}")
        run("ninja", "-C", folder)
        self.check(folder / "server")
        self.assertIn("client", run(folder / "client"))

    def test_fetch_content_with_the_programs_own_libuv(self):
        folder = self.configure(
            "-DHOW=fetchcontent", f"-DMCP_SOURCE={ROOT}",
            f"-DLIBUV_SOURCE={BUILD / 'sources' / 'libuv1'}")
        said = run("ninja", "-C", folder, "-t", "commands", "server")
        self.assertIn("libuv_a.a", said.splitlines()[-1])
        self.assertNotIn("libuv.a", said.splitlines()[-1])
        run("ninja", "-C", folder, "server")
        self.check(folder / "server")


def main():
    global BUILD, SCRATCH
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    BUILD = options.build.resolve()
    with tempfile.TemporaryDirectory(prefix="mcp-static-") as scratch:
        SCRATCH = pathlib.Path(scratch).resolve()
        unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
