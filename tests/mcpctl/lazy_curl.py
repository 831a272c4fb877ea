#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mcpctl loads libcurl for URLs, and only for them.

usage: lazy_curl.py MCPCTL HELLO-SERVER FILE
FILE is the name under which mcpctl loads libcurl, such as libcurl.so.4.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

MCPCTL, SERVER, FILE = sys.argv[1:]
NOBODY = "http://127.0.0.1:1/mcp"  # no process listens there


def run(*words, **env):
    return subprocess.run([MCPCTL, *words], env=env, text=True, timeout=60,
                          stdin=subprocess.DEVNULL, capture_output=True)


class LazyCurl(unittest.TestCase):
    def test_a_local_server_needs_no_libcurl(self):
        for words in (["--version"], ["call", "add", "a=1", "b=2", "--", SERVER]):
            done = run(*words, LD_DEBUG="libs")
            self.assertEqual(done.returncode, 0, words)
            self.assertIn("find library=", done.stderr)
            self.assertNotIn(FILE, done.stderr)

    def test_a_url_loads_it(self):
        done = run(NOBODY, "ping", LD_DEBUG="libs")
        self.assertEqual(done.returncode, 4)
        self.assertIn(f"find library={FILE} ", done.stderr)

    def test_a_broken_libcurl_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / FILE).write_bytes(b"")
            done = run(NOBODY, "ping", LD_LIBRARY_PATH=folder)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(
            done.stderr, "mcpctl: cannot load libcurl, which URLs need: "
            f"{folder}/{FILE}: file too short\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
