#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs hello-server of a build that leaves features out.

usage: run.py --bin DIR [SWITCH]...

SWITCH is the name of each CMake option that is off, without MCP_.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import unittest

BIN = None
OFF = []
LIMIT = 20
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
    "name": "add", "arguments": {"a": 2, "b": 3}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}}}

# What a program is asked for; the switch that it needs first.
ASKED = {
    "HTTP": ["--http", "127.0.0.1:0"],
    "WEBSOCKET": ["--ws", "127.0.0.1:0"],
    "SOCKETS": ["--tcp", "127.0.0.1:0"],
    "CORE_DIALECT": ["--dialect", "mcp-core"],
    "TLS": ["--http", "127.0.0.1:0", "--tls-cert", "/dev/null",
            "--tls-key", "/dev/null"],
}
# The library that each feature brings.
LIBRARIES = {"HTTP": "llhttp", "WEBSOCKET": "wslay", "TLS": "ssl",
             "REGEX": "pcre2-8", "SKILLS": "yaml-0"}


def run(*args, text=""):
    return subprocess.run([BIN / "hello-server", *args], input=text, text=True,
                          capture_output=True, timeout=LIMIT, check=False)


class Switches(unittest.TestCase):
    def test_stdio_is_served(self):
        done = run(text=json.dumps(CALL) + "\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        result = json.loads(done.stdout)["result"]
        self.assertEqual(result["content"][0]["text"], "5")

    def test_what_is_left_out_says_so(self):
        for switch, args in ASKED.items():
            needs = {"HTTP", switch} if "127.0.0.1:0" in args and \
                switch != "SOCKETS" else {switch}
            missing = [name for name in OFF if name in needs]
            if not missing:
                continue
            with self.subTest(switch=switch):
                done = run(*args)
                self.assertNotEqual(done.returncode, 0)
                names = "|".join(f"MCP_{name}" for name in missing)
                self.assertRegex(done.stderr,
                                 rf"built without .* \(({names})\)")

    def test_stdio_loads_nothing_that_it_does_not_use(self):
        process = subprocess.Popen([BIN / "hello-server"], text=True,
                                   stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        with process:
            process.stdin.write(json.dumps(CALL) + "\n")
            process.stdin.flush()
            process.stdout.readline()
            maps = pathlib.Path(f"/proc/{process.pid}/maps").read_text()
            process.stdin.close()
        for library in "ssl", "crypto", "pcre2-8", "yaml-0", "curl":
            self.assertNotIn(f"/lib{library}.so", maps)

    def test_its_library_is_not_loaded(self):
        listed = subprocess.run(["ldd", BIN / "hello-server"], text=True,
                                capture_output=True, check=True).stdout
        loaded = set(re.findall(r"^\s*lib([\w-]+)\.so", listed, re.M))
        for switch, library in LIBRARIES.items():
            if switch in OFF:
                self.assertNotIn(library, loaded, listed)
        if set(LIBRARIES) <= set(OFF):
            self.assertEqual(loaded, {"c", "uv", "yyjson"}, listed)


def main():
    global BIN
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("off", nargs="*")
    args = parser.parse_args()
    BIN = args.bin.resolve()
    OFF.extend(args.off)
    unittest.main(argv=[sys.argv[0]], verbosity=1)


main()
