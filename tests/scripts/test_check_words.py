#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/check-words in a repository of its own."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).parents[2] / "scripts" / "check-words"


class CheckWords(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.git("init", "-q")
        self.git("config", "user.name", "a")
        self.git("config", "user.email", "a@b")

    def git(self, *words):
        subprocess.run(["git", "-C", self.root, *words], check=True)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def commit(self, subject):
        self.git("commit", "-q", "--allow-empty", "-m", subject)

    def run_script(self, *options):
        run = subprocess.run([sys.executable, SCRIPT, *options, self.root],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.stderr, "")
        return run.returncode, run.stdout

    def assert_refused(self, *parts):
        code, out = self.run_script()
        self.assertEqual(code, 1, out)
        for part in parts:
            self.assertIn(part, out)

    def assert_clean(self):
        self.assertEqual(self.run_script(), (0, ""))

    def test_each_phrase_is_refused(self):
        phrases = ("the answer is none to it", "this is no integer",
                   "it waits so long.", "as ever", "up to so many items",
                   "it is no more there", "asks no more.",
                   "the run was given up", "the peer is told",
                   "unless told so", "it told of that",
                   "an integer all the same", "| of a URL: send it",
                   "default 10 of a URL", "one behind the other",
                   "items that mean ill", "nobody knows", "was come by",
                   "for want of it", "all but for one", "kept for ever",
                   "Who asks again waits.", "Fine. Whatever it is goes.",
                   "What was queued is dropped.")
        self.write("docs/A.md", "\n\n".join(phrases))
        code, out = self.run_script()
        self.assertEqual(code, 1)
        self.assertEqual([int(line.split(":")[1]) for line in out.splitlines()],
                         list(range(1, 2 * len(phrases), 2)), out)

    def test_plain_english_passes(self):
        self.write("docs/A.md", "None is kept. There is no error. It is no longer"
                   " open. As long as, so long as it lasts. No more than two."
                   " Types that are told apart. What is a session? Who calls it?"
                   " There are none. if x is None: What the scan found. But for the first. Of a URL's host.\n")
        self.assert_clean()

    def test_a_phrase_may_be_broken_over_lines(self):
        self.write("src/a.c", 'int a; /* this\n * is\n * none. */\nf("it is "\n'
                   '  "told");\n// for\n// ever\n')
        self.write("tests/a.py", "# given: it was\n# given up\n")
        self.assert_refused("src/a.c:3: 'is none'", "src/a.c:5: 'is told'",
                            "src/a.c:7: 'for ever'", "tests/a.py:2: ")
        self.write("src/a.c", "/* this is */\n\n/* none */\n")
        self.write("tests/a.py", "")
        self.assert_clean()

    def test_only_our_texts_are_looked_at(self):
        for path in ("elsewhere/a.c", "src/schema/meta/a/b.json",
                     "tests/fuzz/corpus/a/b", "docs/a.png"):
            self.write(path, "it is told")
        self.assert_clean()
        self.write("CONTRIBUTING.md", "it is told")
        self.assert_refused("CONTRIBUTING.md:1: ")

    def test_the_list_shrinks_and_never_grows(self):
        self.write("src/a.c", "/* is none. is told. */")
        self.assertEqual(self.run_script("--update"), (0, ""))
        self.assert_clean()
        self.write("src/b.c", "/* is told */")
        self.assert_refused("src/b.c:1: ")
        self.assertEqual(self.run_script("--update")[0], 1)
        self.write("src/b.c", "")
        self.write("src/a.c", "/* is none. is told. are none. */")
        self.assert_refused("src/a.c:1: ", "3 such phrases")
        self.write("src/a.c", "/* is none */")
        self.assert_refused("src/a.c: fewer phrases")
        self.assertEqual(self.run_script("--update"), (0, ""))
        self.assert_clean()
        self.write("src/a.c", "/* is none. is told. */")
        self.assert_refused("src/a.c:1: ")

    def test_a_file_that_moves_takes_its_count_along(self):
        self.write("src/a.c", "/* is none */")
        self.run_script("--update")
        (self.root / "src/a.c").rename(self.root / "src/b.c")
        self.assert_refused("src/b.c:1: ", "src/a.c: fewer")
        self.assertEqual(self.run_script("--update"), (0, ""))
        self.assert_clean()

    def test_subjects_of_new_commits_are_looked_at(self):
        self.commit("http: what is told")
        self.assert_refused("commit 'http: what is told'")
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")
        self.commit("http: close the stream")
        self.assert_clean()
        self.commit("http: a peer that is given up")
        self.commit("http: a last one")
        self.assert_refused("commit 'http: a peer that is given up'")


if __name__ == "__main__":
    unittest.main()
