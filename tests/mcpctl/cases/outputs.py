# SPDX-License-Identifier: MIT
"""Each verb in a pipe and on a terminal: what it prints is the same text."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest.mock

from support import BIN, Case, FAKE, HERE, LIMIT, ROOT, Terminal

HELLO = str(BIN / "hello-server")
NOBODY = "http://127.0.0.1:1/mcp"
SUITE = str(HERE / "hello-server.test.json")
# Of each verb the words and the server: hello, fake (fake_server.py), or none,
# and the exit code.
RUNS = [
    ("info", "hello", 0), ("tools", "hello", 0), ("tools add", "hello", 0),
    ("call add a=1 b=2", "hello", 0), ("tasks", "hello", 4),
    ("task x", "hello", 4), ("resources", "fake", 0), ("templates", "fake", 0),
    ("--output FOLDER/blob read fake://blob", "fake", 0),
    ("prompts", "fake", 0),
    ("prompt nothing", "fake", 4), ("skills", "hello", 4),
    ("skill x", "hello", 4), ("complete prompt/none x=", "fake", 0),
    ("ping", "hello", 0), ("watch fake://none", "hello", 4),
    ("shell -e", "hello", 0), (f"test {SUITE}", "hello", 0),
    ("hello start", None, 0), ("hello status", None, 0),
    ("hello stop", None, 0), ("--duration 0.2 bench", "hello", 0),
    ("doctor", "hello", 0), ("--era legacy raw ping", "hello", 0),
    ("--overwrite snapshot FOLDER/saved.json", "hello", 0),
    ("diff FOLDER/saved.json", "hello", 0), (f"{NOBODY} login", None, 4),
    (f"{NOBODY} logout", None, 0), ("auth", None, 0),
    ("servers", None, 0), ("add other", "hello", 0), ("remove other", None, 0),
    ("export hello --for cursor", None, 0),
    ("--overwrite record FOLDER/tape", "hello", 0),
    ("replay FOLDER/tape", "hello", 0), ("mock FOLDER/none", None, 1),
    ("schema check FOLDER/schema.json", None, 0), ("help", None, 0),
    ("generate c", "hello", 0),
    ("describe --registry --name io.github.me/x", "hello", 0),
    (f"--author Me --output FOLDER/x.mcpb --overwrite pack {HELLO}", None, 0),
    ("verify FOLDER/x.mcpb", None, 0),
]
# When they run again, they find their work done.
ONCE = {"hello start", "hello stop", "add other", "remove other"}


class Outputs(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "schema.json").write_text('{"type": "object"}')
        self.env = {"HOME": folder.name, "XDG_RUNTIME_DIR": folder.name,
                    "XDG_CONFIG_HOME": str(self.folder / "config")}
        changed = unittest.mock.patch.dict(os.environ, self.env)
        changed.start()
        self.addCleanup(changed.stop)
        self.run_in_pipe(["add", "hello", "--", HELLO])

    def run_in_pipe(self, words):
        return subprocess.run([BIN / "mcpctl", *words], text=True,
                              stdin=subprocess.DEVNULL, timeout=LIMIT,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)

    def run_on_terminal(self, words):
        terminal = Terminal(columns=250,
                            program=[str(BIN / "mcpctl"), *words])
        if not {"shell", "record"}.isdisjoint(words):
            terminal.send("\x04")  # the end of input
        return terminal.finish()

    @staticmethod
    def plain(text):
        """The text without styles, progress lines, blanks at ends, numbers and
        the bars that show them."""
        text = text.replace("\r\n", "\n")
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
        text = re.sub(r"[^\n]*\r", "", text)
        text = re.sub(r"[\d.,]+( ?(ns|us|ms|s|min|k|M))?", "N", text)
        text = re.sub(r"[ ▏▎▍▌▋▊▉█]+", " ", text)
        return [line.strip() for line in text.splitlines() if line.strip()]

    def words_of(self, run, server):
        servers = {"hello": ["--", HELLO],
                   "fake": ["--", *FAKE], None: []}
        return [word.replace("FOLDER", str(self.folder))
                for word in run.split()] + servers[server]

    def test_each_verb_prints_the_same_in_both(self):
        skipped = {"login", "logout", "auth"} if "this build has no HTTP" in \
            self.run_in_pipe([NOBODY, "info"]).stdout else set()
        for run, server, code in RUNS:
            if not skipped.isdisjoint(run.split()):
                continue
            words = self.words_of(run, server)
            with self.subTest(run=run):
                piped = self.run_in_pipe(words)
                self.assertEqual(piped.returncode, code, piped.stdout)
                shown_code, shown = self.run_on_terminal(words)
                if run in ONCE:
                    continue
                self.assertEqual(shown_code, code, shown)
                # Each measurement has other rows; record tells a person
                # what it waits for.
                if {"bench", "record"}.isdisjoint(words):
                    self.assertEqual(self.plain(shown),
                                     self.plain(piped.stdout))

    def test_the_table_has_each_verb(self):
        text = (ROOT / "tools/mcpctl/verbs.c").read_text()
        verbs = set(re.findall(r'\.name = "([a-z]+)"', text))
        tried = {word for run, _, _ in RUNS for word in run.split()}
        self.assertGreater(len(verbs), 30)
        self.assertEqual(verbs - tried, set())
