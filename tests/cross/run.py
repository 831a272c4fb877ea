#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the example programs for Windows under Wine, as a user runs them.

usage: tests/cross/run.py --bin FOLDER [unittest's arguments]

To Windows' functions a pipe of Linux is not a pipe, so standard input and output
are files here, and a client for Windows starts a server with pipes.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

HERE = pathlib.Path(__file__).parent
WINE = str(HERE / "wine")
BIN = pathlib.Path()
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"}}}


def run(program, *args, text=""):
    """Runs a program to its end. Returns its status, output and errors, as
    bytes."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as taken:
        given.write(text.encode())
        given.seek(0)
        done = subprocess.run([WINE, str(BIN / f"{program}.exe"), *args],
                              stdin=given, stdout=taken,
                              stderr=subprocess.PIPE, timeout=120, check=False)
        taken.seek(0)
        return done.returncode, taken.read(), done.stderr


def lines(*messages):
    return "".join(json.dumps(message) + "\n" for message in messages)


class Programs(unittest.TestCase):
    def test_a_server_answers_in_lines_of_bytes(self):
        """Each line ends with LF alone; text is UTF-8."""
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
            "name": "add", "arguments": {"a": 2, "b": 3}}}
        status, out, err = run("hello-server", text=lines(
            INITIALIZE, {"jsonrpc": "2.0",
                         "method": "notifications/initialized"}, call))
        self.assertEqual(status, 0, err)
        self.assertNotIn(b"\r", out)
        self.assertEqual(out.count(b"\n"), 2)
        answer = json.loads(out.splitlines()[1])
        self.assertEqual(answer["result"]["content"][0]["text"], "5")

    def test_a_line_may_end_with_cr_lf(self):
        text = lines(INITIALIZE).replace("\n", "\r\n")
        status, out, err = run("hello-server", text=text)
        self.assertEqual(status, 0, err)
        self.assertEqual(json.loads(out)["id"], 1)

    def test_a_client_starts_a_server(self):
        """The arguments of a command line, in which paths have backslashes."""
        server = subprocess.run([WINE, "winepath", "-w",
                                 str(BIN / "hello-server.exe")],
                                capture_output=True, text=True, timeout=60,
                                check=True).stdout.strip()
        status, out, err = run("hello-client", server)
        self.assertEqual(status, 0, err)
        self.assertIn(b"2 + 3 = 5", out)

    def test_help_is_shown(self):
        status, out, err = run("hello-server", "--help")
        self.assertEqual(status, 0, err)
        self.assertIn(b"--log-file", out)

    def test_a_path_in_utf8_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "Gr\u00fc\u00dfe \u4e16\u754c.log"
            status, _, err = run("hello-server", "--log-file",
                                 "Z:" + str(file).replace("/", "\\"),
                                 text=lines(INITIALIZE))
            self.assertEqual(status, 0, err)
            self.assertTrue(file.exists(), list(pathlib.Path(folder).iterdir()))

    def test_a_wrong_option_is_an_error(self):
        status, _, err = run("hello-server", "--no-such-option")
        self.assertEqual(status, 2)
        self.assertIn(b"--no-such-option", err)


class Http(unittest.TestCase):
    def setUp(self):
        self.server = subprocess.Popen(
            [WINE, str(BIN / "hello-server.exe"), "--http", "127.0.0.1:0"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
        self.addCleanup(self.end)
        said = b""
        while b"/mcp" not in said:
            line = self.server.stderr.readline()
            self.assertTrue(line, said)
            said += line
        self.url = re.search(rb"http://\S+", said)[0].decode()

    def end(self):
        self.server.kill()
        self.server.wait(30)
        self.server.stderr.close()

    def test_a_client_of_linux_posts(self):
        request = urllib.request.Request(
            self.url, json.dumps(INITIALIZE).encode(),
            {"Content-Type": "application/json",
             "Accept": "application/json, text/event-stream"})
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read().decode()
        self.assertIn("calculator", text)


def main():
    global BIN
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    args, rest = parser.parse_known_args()
    BIN = args.bin.resolve()
    began = time.monotonic()
    result = unittest.main(argv=[sys.argv[0], *rest], exit=False).result
    print(f"tests/cross: {result.testsRun} tests in "
          f"{time.monotonic() - began:.0f} s")
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
