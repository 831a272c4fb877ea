#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Keeps logins of mcpctl in a real keyring: gnome-keyring-daemon on a D-Bus
session bus of its own.

usage: run.py --bin DIR [unittest's arguments]

DIR is that of a build with MCP_KEYRING. Says so and tests nothing where the
programs are missing, except in CI, where that is a failure.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests" / "mcpctl"))
from fake_login import FakeLogin  # pylint: disable=wrong-import-position

LIMIT = 60  # seconds for one run
BIN = None
NEEDED = ("dbus-daemon", "gnome-keyring-daemon", "gdbus")
# A bus that starts no programs: what is not running is missing.
BUS = """<!DOCTYPE busconfig PUBLIC
 "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir={folder}</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""
SECRETS = ("--dest", "org.freedesktop.secrets")
SERVICE = "/org/freedesktop/secrets"
LOGIN = SERVICE + "/collection/login"


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Prompter:
    """The program that asks the user for a password, on the desktop. This one
    shows nothing, and its user does not answer."""

    NAME = "org.gnome.keyring.SystemPrompter"

    def __init__(self, address):
        path = re.search("path=([^,]+)", address)[1]
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(LIMIT)
        self.socket.connect(path)
        uid = str(os.getuid()).encode().hex()
        self.socket.sendall(f"\0AUTH EXTERNAL {uid}\r\n".encode())
        self.wait_for(b"OK ")
        self.socket.sendall(b"BEGIN\r\n")
        self.call(1, "Hello", "", b"")
        self.call(2, "RequestName", "su", self.padded(self.string(
            self.NAME), 4) + struct.pack("<I", 0))

    @staticmethod
    def string(text):
        return struct.pack("<I", len(text)) + text.encode() + b"\0"

    @staticmethod
    def padded(data, size):
        return data + b"\0" * (-len(data) % size)

    def call(self, serial, member, signature, body):
        """Calls a method of the bus itself."""
        fields = b""
        for code, kind, text in ((1, "o", "/org/freedesktop/DBus"),
                                 (6, "s", "org.freedesktop.DBus"),
                                 (2, "s", "org.freedesktop.DBus"),
                                 (3, "s", member)):
            fields = self.padded(fields, 8) + bytes([code, 1, ord(kind), 0])
            fields += self.string(text)
        fields = self.padded(fields, 8) + bytes([8, 1, ord("g"), 0])
        fields += bytes([len(signature)]) + signature.encode() + b"\0"
        head = struct.pack("<cBBBIII", b"l", 1, 0, 1, len(body), serial,
                           len(fields))
        self.socket.sendall(self.padded(head + fields, 8) + body)

    def wait_for(self, text):
        seen = b""
        while text not in seen:
            more = self.socket.recv(4096)
            assert more, seen
            seen += more

    def wait_until_asked(self):
        self.wait_for(b"BeginPrompting")

    def close(self):
        self.socket.close()


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="mcp-keyring-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        home = str(self.folder)
        kept = {name: os.environ[name] for name in ("PATH", "ASAN_OPTIONS",
                "LSAN_OPTIONS") if name in os.environ}
        self.env = {**kept, "HOME": home, "XDG_RUNTIME_DIR": home,
                    "XDG_STATE_HOME": home + "/state",
                    "XDG_DATA_HOME": home + "/data"}
        self.daemon = None
        self.printed = ""
        self.secrets = set()

    def tearDown(self):
        for secret in self.secrets:
            self.assertNotIn(secret, self.printed)
        for path in self.folder.rglob("*"):
            if path.is_file():
                self.assertNotIn(b"secret-", path.read_bytes(), path)

    def start(self, *words, **more):
        process = subprocess.Popen(words, env=self.env, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, **more)
        self.addCleanup(self.stop, process)
        return process

    def stop(self, process):
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=LIMIT)

    def start_bus(self):
        config = self.folder / "bus.conf"
        config.write_text(BUS.format(folder=self.folder))
        bus = self.start("dbus-daemon", f"--config-file={config}", "--nofork",
                         "--print-address=1")
        address = bus.stdout.readline().decode().strip()
        self.env["DBUS_SESSION_BUS_ADDRESS"] = address
        return bus

    def start_keyring(self):
        """With a keyring that is unlocked."""
        self.daemon = self.start("gnome-keyring-daemon", "--foreground",
                                 "--unlock", "--components=secrets")
        self.daemon.stdin.write(b"password")
        self.daemon.stdin.close()
        self.daemon.stdin = None
        self.run_gdbus("wait", "--session", "--timeout", "30",
                       "org.freedesktop.secrets")
        end = time.monotonic() + LIMIT
        while "collection/login" not in self.call(
                SERVICE, "Secret.Service.ReadAlias", "default"):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    def run_gdbus(self, *words):
        run = subprocess.run(["gdbus", *words], env=self.env, text=True,
                             capture_output=True, timeout=LIMIT, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def call(self, path, method, *arguments):
        return self.run_gdbus("call", "--session", *SECRETS, "--object-path",
                              path, "--method", "org.freedesktop." + method,
                              *arguments)

    def items(self):
        """The paths of the items of libmcp."""
        found = self.call(SERVICE, "Secret.Service.SearchItems",
                          "{'xdg:schema': 'libmcp.Login'}")
        return re.findall(r"/org/[\w/]+/\d+", found)

    def item(self, path, name):
        return self.call(path, "DBus.Properties.Get",
                         "org.freedesktop.Secret.Item", name)

    def ctl(self, *words):
        run = subprocess.run([BIN / "mcpctl", "--keyring", *words], text=True,
                             stdin=subprocess.DEVNULL, capture_output=True,
                             timeout=LIMIT, env=self.env, check=False,
                             start_new_session=True)
        self.printed += run.stdout + run.stderr
        return run

    def check(self, run, code=0, err=""):
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertIn(err, run.stderr)
        return run.stdout

    def log_in(self, fake):
        run = subprocess.Popen(
            [BIN / "mcpctl", "--keyring", "--no-browser", fake.url, "login"],
            text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=self.env, start_new_session=True)
        self.addCleanup(self.stop, run)
        line = ""
        while "/authorize?" not in line:
            line = run.stderr.readline()
            self.assertNotEqual(line, "")
        page = line.removeprefix("mcpctl: ").strip()
        with self.assertRaises(urllib.error.HTTPError) as found:
            urllib.request.build_opener(NoRedirect).open(page, timeout=LIMIT)
        address = found.exception.headers["Location"]
        out, err = run.communicate(address + "\n", timeout=LIMIT)
        self.printed += out + err
        self.assertEqual(run.returncode, 0, err)


class Unlocked(Case):
    def setUp(self):
        super().setUp()
        self.start_bus()
        self.start_keyring()

    def test_a_login_is_an_item_that_people_can_read(self):
        with FakeLogin(self.secrets) as fake:
            self.log_in(fake)
            item, = self.items()
            self.assertTrue(item.startswith(LOGIN), item)
            self.assertIn(f"MCP login at {fake.url}", self.item(item, "Label"))
            self.assertIn(f"'server': '{fake.url}'",
                          self.item(item, "Attributes"))

    def test_one_login_serves_all_runs(self):
        with FakeLogin(self.secrets) as fake:
            self.log_in(fake)
            out = self.check(self.ctl("--era", "legacy", fake.url, "tools"))
            self.assertEqual(out, "NAME\nguarded\n")
            self.assertEqual(len(fake.forms), 1)
            found, = json.loads(self.check(self.ctl("--json", "auth")))
            self.assertEqual(found["server"], fake.url)

    def test_a_logout_removes_the_item(self):
        with FakeLogin(self.secrets) as fake:
            self.check(self.ctl("auth"), err="there is no login")
            self.log_in(fake)
            self.check(self.ctl(fake.url, "logout"), err="logged out of")
            self.assertEqual(fake.revoked[0]["token"], "secret-refresh-1")
            self.check(self.ctl("auth"), err="there is no login")
            self.check(self.ctl(fake.url, "logout"), err="there was no login")

    def test_servers_have_items_of_their_own(self):
        with FakeLogin(self.secrets) as one, FakeLogin(self.secrets) as two:
            self.log_in(one)
            self.log_in(two)
            self.log_in(one)
            self.assertEqual(len(self.items()), 2)
            listed = json.loads(self.check(self.ctl("--json", "auth")))
            self.assertEqual({login["server"] for login in listed},
                             {one.url, two.url})
            self.check(self.ctl(one.url, "logout"))
            self.check(self.ctl("--era", "legacy", two.url, "tools"))

    def test_processes_never_use_one_refresh_token_twice(self):
        with FakeLogin(self.secrets) as fake:
            self.log_in(fake)
            fake.tokens = set()  # the server refuses the token
            runs = [subprocess.Popen(
                [BIN / "mcpctl", "--keyring", "--era", "legacy", fake.url,
                 "tools"], env=self.env, text=True, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True) for _ in range(4)]
            for run in runs:
                self.addCleanup(self.stop, run)
            for run in runs:
                out, err = run.communicate(timeout=LIMIT)
                self.assertEqual((run.returncode, out),
                                 (0, "NAME\nguarded\n"), err)
            self.assertEqual([form["grant_type"] for form in fake.forms],
                             ["authorization_code", "refresh_token"])

    def test_a_locked_keyring_is_an_error(self):
        with FakeLogin(self.secrets) as fake:
            self.log_in(fake)
            self.call(SERVICE, "Secret.Service.Lock", f"['{LOGIN}']")
            began = time.monotonic()
            for words in (fake.url, "tools"), ("auth",), (fake.url, "login"):
                self.check(self.ctl(*words), 4, "the keyring is locked")
            self.assertLess(time.monotonic() - began, 30)
            self.assertEqual(len(fake.forms), 1)

    def test_the_wait_for_the_user_can_be_interrupted(self):
        prompter = Prompter(self.env["DBUS_SESSION_BUS_ADDRESS"])
        self.addCleanup(prompter.close)
        self.run_gdbus("wait", "--session", "--timeout", "30", Prompter.NAME)
        self.call(SERVICE, "Secret.Service.Lock", f"['{LOGIN}']")
        with FakeLogin(self.secrets) as fake:
            run = subprocess.Popen(
                [BIN / "mcpctl", "--keyring", fake.url, "login"], text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, env=self.env, start_new_session=True)
            self.addCleanup(self.stop, run)
            prompter.wait_until_asked()
            self.assertIsNone(run.poll())
            began = time.monotonic()
            run.send_signal(signal.SIGINT)
            _, err = run.communicate(timeout=LIMIT)
            self.assertEqual(run.returncode, 130, err)
            self.assertLess(time.monotonic() - began, 20)
            self.assertEqual(fake.forms, [])

    def test_a_keyring_that_hangs_is_an_error(self):
        self.daemon.send_signal(signal.SIGSTOP)
        self.check(self.ctl("auth"), 124, "the keyring does not answer")
        self.daemon.send_signal(signal.SIGCONT)
        self.check(self.ctl("auth"), err="there is no login")


class Missing(Case):
    def test_no_keyring(self):
        self.start_bus()
        with FakeLogin(self.secrets) as fake:
            for words in (fake.url, "tools"), ("auth",), (fake.url, "login"):
                self.check(self.ctl(*words), 4,
                           "no program offers the Secret Service")

    def test_no_bus(self):
        self.check(self.ctl("auth"), 4, "there is no D-Bus session bus")

    def test_a_bus_that_has_gone(self):
        bus = self.start_bus()
        self.stop(bus)
        self.check(self.ctl("auth"), 4, "there is no D-Bus session bus")


def main():
    global BIN
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    options, rest = parser.parse_known_args()
    BIN = options.bin.resolve()
    missing = [name for name in NEEDED if shutil.which(name) is None]
    if not list((BIN.parent / "lib" / "mcp").glob("libmcp-keyring-*.so")):
        missing.append("libmcp-keyring")
    if missing:
        print(f"no {', '.join(missing)}: no keyring is tested")
        sys.exit(1 if os.environ.get("CI") else 0)
    unittest.main(argv=[sys.argv[0], *rest])


if __name__ == "__main__":
    main()
