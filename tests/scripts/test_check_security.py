#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/check-security in a folder of its own."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts" / "check-security"
HEAD = "| id | rule | who | tests |\n|---|---|---|---|\n"
GOOD = HEAD + """\
| A-1 | Refuses it. | server | `unit.resource.keys: it_is_refused` |
| A-2 | Reads it. | both | `wire.http: tokens.txt, the metadata` |

""" + HEAD + """\
| B-1 | Shows it. | client | `http: Token.test_it`, `check-words` |
| B-2 | Asks the user. | other | *the program shows the question* |
"""


class CheckSecurity(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("tests/unit/auth/resource/test_keys.c",
                   "RIG_TEST(it_is_refused, a, b) {\n}\n")
        self.write("tests/wire/http/tokens.txt", "scene the metadata\n")
        self.write("tests/http/run.py",
                   "class Token(Case):\n    def test_it(self):\n        pass\n"
                   "class Other(Case):\n    def test_this(self):\n        pass\n")
        self.write("scripts/check-words", "")
        self.write("docs/SECURITY.md", GOOD)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run_script(self):
        run = subprocess.run([sys.executable, SCRIPT, self.root],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.stderr, "")
        return run.returncode, run.stdout

    def assert_refused(self, old, new, *parts):
        self.assertIn(old, GOOD)
        self.write("docs/SECURITY.md", GOOD.replace(old, new))
        code, out = self.run_script()
        self.assertEqual(code, 1, out)
        for part in parts:
            self.assertIn(part, out)

    def test_rows_with_tests_or_a_reason_are_accepted(self):
        self.assertEqual(self.run_script(), (0, ""))

    def test_a_test_that_does_not_exist_is_refused(self):
        for old, new in (("it_is_refused", "it_is"),
                         ("unit.resource.keys", "unit.client.keys"),
                         ("the metadata", "the meta"),
                         ("tokens.txt", "token.txt"),
                         ("Token.test_it", "Token.test_this"),
                         ("http: Token", "wires: Token"),
                         ("check-words", "check-word")):
            self.assert_refused(old, new, "docs/SECURITY.md:")

    def test_a_text_that_is_not_a_test_is_refused(self):
        self.assert_refused("`check-words`", "`make lint`",
                            "docs/SECURITY.md:8: B-1: this is not the name")

    def test_a_row_without_a_test_needs_a_reason(self):
        for text in ("", "no test yet", "**"):
            self.assert_refused("*the program shows the question*", text,
                                "B-2: there is neither a test nor a reason")

    def test_ids_have_no_gaps_and_occur_once(self):
        self.assert_refused("A-2", "A-3", "the id A-3 is not A-2")
        self.assert_refused("B-2", "B-1", "the id B-1 is not B-2")
        self.assert_refused("B-", "A-", "another table has the letter A")

    def test_a_row_needs_an_id_and_an_actor(self):
        self.assert_refused("| A-2 ", "| x ", "a row begins with an id")
        self.assert_refused("| both |", "| all |", "'all' must be one of")
        self.assert_refused("| both |", "|", "a row has four cells")

    def test_a_document_without_rules_is_refused(self):
        self.write("docs/SECURITY.md", "# Security\n")
        self.assertEqual(self.run_script(),
                         (1, "docs/SECURITY.md:1: there are no rules\n"))


if __name__ == "__main__":
    unittest.main()
