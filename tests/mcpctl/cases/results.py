# SPDX-License-Identifier: MIT
"""Results: pieces that are saved, tasks, skills."""
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from fake_skills import entry
from support import BIN, Case, FAKE, HERE, LIMIT, ROOT, ctl, url_ctl


class Pieces(Case):
    """--output of call."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def saved(self):
        return {str(path.relative_to(self.folder)): path.read_bytes()
                for path in self.folder.rglob("*") if path.is_file()}

    def test_one_piece_goes_into_a_file(self):
        for mode in "legacy", "modern":
            path = self.folder / "cat.png"
            run = ctl("call", "draw", "data=AAEC", "--output", str(path),
                      server=FAKE + [mode])
            self.check(run, 0, "A cat\n")
            self.assertEqual(run.stderr,
                             f"mcpctl: saved image/png {path}\n")
            self.assertEqual(self.saved(), {"cat.png": b"\0\1\2"})
        run = ctl("call", "draw", "data=QQ==", "--output", "-")
        self.check(run, 0, "A")

    def test_one_piece_goes_into_a_folder(self):
        for name in "", "new/":
            run = ctl("call", "draw", "data=AAEC",
                      "--output", f"{self.folder}/{name}")
            self.check(run, 0, "A cat\n",
                       f"saved image/png {self.folder}/{name}image-1.png\n")
        self.assertEqual(sorted(self.saved()), ["image-1.png",
                                                "new/image-1.png"])

    def test_several_pieces_go_into_a_folder(self):
        out = f"{self.folder}/a/b"
        run = ctl("call", "several", "--output", out)
        self.check(run, 0, "Both\n")
        self.assertEqual(
            run.stderr, f"mcpctl: saved IMAGE/PNG {out}/image-1.png\n"
            f"mcpctl: saved ../../etc/passwd {out}/audio-2.bin\n"
            "mcpctl: saved text/plain; charset=utf-8 "
            f"{out}/resource-3.txt\n")
        self.assertEqual(self.saved(), {
            "a/b/image-1.png": b"\0\1\2\3", "a/b/audio-2.bin": b"\0\1\2",
            "a/b/resource-3.txt": b"embedded"})
        self.check(ctl("call", "several", "--output", "-"), 1, "",
                   "--output -: the result has 3 images, audio and resources: "
                   "name a folder\n")

    def test_what_cannot_be_saved(self):
        path = str(self.folder / "x")
        run = ctl("call", "echo", "--output", path)
        self.check(run, 1, "{}\n", f"--output {path}: nothing was saved: the "
                   "result has no image, audio or resource\n")
        self.check(ctl("call", "draw", "data=A?", "--output", path), 4, None,
                   "the server's blob is not base64")
        self.check(ctl("call", "draw", "--output", path + "/y/z"), 1, None,
                   f"cannot write {path}/y/z: No such file or directory")
        self.check(ctl("call", "fail", "--output", path), 5, "it broke\n",
                   "the tool reported an error")
        self.check(ctl("call", "draw", "fails:=true", "--output", path), 5,
                   "A cat\n", "the tool reported an error")
        self.assertEqual(list(self.saved()), ["x"])
        self.check(ctl("call", "several", "--output", path), 1, None,
                   f"cannot write {path}/image-1.png: Not a directory")
        self.check(ctl("call", "draw", "--detach", "--output", path), 1, "",
                   "this option is for read, call, generate and task --wait, "
                   "without --json")


class Tasks(Case):
    """`call`, `tasks` and `task` with calls that become tasks."""

    def setUp(self):
        self.server = subprocess.Popen(
            [BIN / "workbench-server", "--http", "127.0.0.1:0",
             ROOT / "examples/data"], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.end)
        url = None
        while url is None:
            url = re.search(r"http://\S+", self.server.stderr.readline())
        self.url = url[0]

    def end(self):
        self.server.terminate()
        self.server.communicate(timeout=LIMIT)

    def ctl(self, *words, era="modern"):
        return url_ctl("--era", era, self.url, *words)

    def begin(self, *words, era):
        return self.task_id(self.ctl("call", "--detach", *words, era=era), "")

    def task_id(self, run, err):
        said = self.check(run)
        self.assertRegex(said, r"\A[A-Za-z][\w-]{30}\n\Z")
        self.assertEqual(run.stderr, err)
        return said.strip()

    def fields(self, task, *words, era):
        """What `task` shows of a task. A hint says how to get the result."""
        run = self.ctl("task", task, *words, era=era)
        said = self.check(run)
        shown = dict(line.split(None, 1) for line in said.splitlines())
        hint = {"completed": f"mcpctl: task {task} --wait prints the result\n",
                "failed": f"mcpctl: task {task} --wait shows why it failed\n"}
        self.assertEqual(run.stderr, hint.get(shown["Status"], ""))
        return shown

    def test_detached_and_awaited(self):
        for era in ("legacy", "modern"):
            with self.subTest(era=era):
                task = self.begin("count_slowly", "to:=20", "delay_ms:=50",
                                  era=era)
                shown = self.fields(task, era=era)
                self.assertEqual(shown["Task"], task)
                self.assertEqual(shown["Status"], "working")
                run = self.ctl("--verbose", "task", task, "--wait", era=era)
                self.check(run, 0, "Counted to 20\n", "20/20 counting\n")
                shown = self.fields(task, era=era)
                self.assertEqual(shown["Status"], "completed")
                self.assertEqual(shown["Message"], "counting (20 of 20)")

    def test_detached_from_a_server_that_ends(self):
        for era in ("legacy", "modern"):
            with self.subTest(era=era):
                warning = ("mcpctl: the server ends now: a later run finds "
                           "this task only if the server keeps tasks in a "
                           "file or a database; otherwise use a server at a "
                           "URL or a socket\n")
                words = ["call", "--era", era, "--detach", "count_slowly",
                         "to:=10000"]
                server = [BIN / "workbench-server", ROOT / "examples/data"]
                self.task_id(ctl(*words, server=server), warning)
                run = ctl("--json", *words, server=server)
                self.assertIn('"taskId":', self.check(run))
                self.assertEqual(run.stderr, warning)

    def test_cancelled(self):
        for era in ("legacy", "modern"):
            with self.subTest(era=era):
                task = self.begin("count_slowly", "to:=10000", era=era)
                shown = self.fields(task, "--cancel", era=era)
                self.assertEqual(shown["Status"], "cancelled")
                self.check(self.ctl("task", task, "--wait", era=era), 4, "",
                           "the task was cancelled")

    def test_interrupted(self):
        """Ctrl-C cancels the task of `call`, but not that of `task --wait`."""
        call = ["call", "count_slowly", "to:=10000"]
        shown = self.interrupt("--trace", *call)
        task = re.search(r'"taskId":"([\w-]+)"', shown)[1]
        self.assertEqual(self.until_not("working", task), "cancelled")
        task = self.begin(*call[1:], era="modern")
        self.interrupt("--trace", "task", task, "--wait")
        self.assertEqual(self.fields(task, era="modern")["Status"], "working")
        self.check(self.ctl("task", task, "--cancel"))

    def interrupt(self, *words):
        """Interrupts mcpctl when it has seen the task; returns the trace."""
        process = subprocess.Popen(
            [BIN / "mcpctl", self.url, *words], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        seen = []
        for line in process.stderr:
            seen.append(line)
            if "<-- " in line and '"taskId":"' in line:
                break
        process.send_signal(signal.SIGINT)
        seen.append(process.communicate(timeout=LIMIT)[1])
        self.assertEqual(process.returncode, 130)
        return "".join(seen)

    def until_not(self, status, task, era="modern"):
        end = time.monotonic() + LIMIT
        found = status
        while found == status and time.monotonic() < end:
            found = self.fields(task, era=era)["Status"]
        return found

    def test_failed(self):
        """In 2025-11-25 the status does not have the error."""
        task = self.begin("deploy", "environment=staging", era="legacy")
        self.check(self.ctl("task", task, "--wait", era="legacy"), 6, "",
                   "unanswered: confirm")
        end = self.until_not("input_required", task, era="legacy")
        self.assertEqual(end, "failed")
        self.check(self.ctl("task", task, "--wait", era="legacy"), 4, "",
                   'question "confirm" was not answered')

    def test_answered(self):
        deploy = ["deploy", "environment=staging"]
        task = self.begin(*deploy, era="modern")
        self.assertEqual(self.until_not("working", task), "input_required")
        self.assertEqual(self.fields(task, era="modern")["Asks"],
                         "Deploy to staging?")
        self.check(self.ctl("task", task, "--wait"), 6, "",
                   "unanswered: confirm")
        shown = self.fields(task, "--answer", "confirm=no", era="modern")
        self.assertNotIn("Asks", shown)
        self.check(self.ctl("task", task, "--answer", "cofnirm=no"), 0, None,
                   "mcpctl: --answer cofnirm was not used: no question asked "
                   "for it\n")
        self.check(self.ctl("task", task, "--wait"), 0,
                   "Not deployed to staging\n")
        for era in ("legacy", "modern"):
            with self.subTest(era=era):
                task = self.begin(*deploy, era=era)
                run = self.ctl("task", task, "--wait", "--answer",
                               "confirm=yes", era=era)
                self.assertIn("Deployed to staging", self.check(run))
        self.check(self.ctl("task", task, "--answer", "confirm=no",
                            era="legacy"), 1, "",
                   "--answer without --wait does not work in revision "
                   "2025-11-25, where a task takes answers only while a client "
                   "waits for it: add --wait\n")

    def test_followed_with_a_question(self):
        for era in ("legacy", "modern"):
            with self.subTest(era=era):
                run = self.ctl("--answer", "confirm=yes", "call", "deploy",
                               "environment=production", era=era)
                self.assertIn("Deployed to production", self.check(run))

    def test_no_task(self):
        self.check(self.ctl("call", "calculate_sum", "numbers:=[1]",
                            "--detach"), 0, None, "")
        self.check(self.ctl("task", "x"), 4, "", 'unknown task "x"')
        run = self.ctl("--max-time", "0.3", "call", "count_slowly",
                       "to:=10000")
        self.check(run, 124, "", "the task has not ended within 0.3 s: "
                   "--max-time")

    def test_no_list(self):
        none = ("mcpctl: revision 2026-07-28 has no list of tasks: keep the "
                "ids that call --detach prints\n")
        run = self.ctl("tasks")
        self.check(run, 4, "")
        self.assertEqual(run.stderr, none)
        hidden = ("mcpctl: the server does not list tasks for a client that it "
                  "cannot tell from others: log in if it has logins, or keep "
                  "the ids that call --detach prints\n")
        for run in (self.ctl("tasks", era="legacy"),
                    ctl("tasks", server=FAKE + ["discreet"])):
            self.check(run, 4, "")
            self.assertEqual(run.stderr, hidden)

    def test_a_server_without_tasks(self):
        for revision in ("2025-06-18", "2025-11-25", "2026-07-28"):
            lack = (f"mcpctl: the server has no tasks in revision {revision}: "
                    "call its tools without --detach, which waits for their "
                    "results\n")
            for words in (["tasks"], ["task", "x"], ["task", "x", "--wait"]):
                with self.subTest(revision=revision, words=words):
                    run = ctl("--era", revision, *words, server="hello-server")
                    self.check(run, 4, "")
                    self.assertEqual(run.stderr, lack)


class Skills(Case):
    """`skills` and `skill`, with servers that are right and wrong."""

    MAIN = b"---\nname: refunds\ndescription: Does a task\n---\n# Refunds\n"
    FILES = {"SKILL.md": MAIN, "b/c d.bin": b"\xff\0"}

    def setUp(self):
        place = tempfile.TemporaryDirectory(prefix="mcp-skills-")
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)
        self.what = {"skills": [entry("refunds", {
            "SKILL.md": self.MAIN, "b/c%20d.bin": self.FILES["b/c d.bin"]})],
            "files": {
                "skill://refunds/SKILL.md": {"text": self.MAIN.decode()},
                "skill://refunds/b/c%20d.bin": {"blob": "/wA="}}}

    def ctl(self, *words):
        """Runs mcpctl in the place of the test, with what there is now."""
        file = self.place / "what.json"
        file.write_text(json.dumps(self.what))
        return ctl(*words, server=[sys.executable,
                                   str(HERE / "fake_skills.py"), str(file)],
                   cwd=self.place)

    def saved(self, folder="out/refunds"):
        """The files below a folder: {path: bytes}."""
        top = self.place / folder
        return {path.relative_to(top).as_posix(): path.read_bytes()
                for path in top.rglob("*") if path.is_file()}

    def test_the_list(self):
        self.check(self.ctl("skills"), 0,
                   "NAME     FILES  DESCRIPTION\n"
                   "refunds  2      Does a task\n")
        self.assertEqual(json.loads(self.check(self.ctl("--json", "skills"))),
                         {"skills": self.what["skills"]})
        self.what["skills"] = []
        self.check(self.ctl("skills"), 0, "", "The server lists no skills")
        for words in ["skills"], ["skill", "x"]:
            self.check(ctl(*words), 4, "", "mcpctl: the server has no skills: "
                       "it does not offer the extension "
                       "io.modelcontextprotocol/skills\n")

    def test_skills_of_one_name_have_their_uris(self):
        other = entry("refunds", {"SKILL.md": self.MAIN},
                      "x://acme/refunds/SKILL.md")
        other["resources"] = "dynamic"
        self.what["skills"].append(other)
        self.check(self.ctl("skills"), 0,
                   f"{'NAME':27}{'FILES':9}DESCRIPTION\n"
                   f"{'skill://refunds/SKILL.md':27}{'2':9}Does a task\n"
                   f"{'x://acme/refunds/SKILL.md':27}{'dynamic':9}Does a "
                   "task\n")
        run = self.ctl("skill", "refunds")
        self.check(run, 1, "", "give the URI of one instead")
        for skill in self.what["skills"]:
            self.assertIn(f"the server lists {skill['uri']}\n", run.stderr)
        self.check(self.ctl("skill", "skill://refunds/SKILL.md"), 0,
                   self.MAIN.decode())

    def test_an_entry_that_is_not_valid_is_left_out(self):
        self.what["skills"].insert(0, entry("../x", {"SKILL.md": b""},
                                            "skill://../x/SKILL.md"))
        run = self.ctl("skills")
        self.check(run, 4, "NAME     FILES  DESCRIPTION\n"
                   "refunds  2      Does a task\n")
        self.assertEqual(run.stderr, "mcpctl: left out, because it is not "
                         "valid: skill://../x/SKILL.md: the URI is not "
                         "SCHEME://.../NAME/SKILL.md\n")
        self.check(self.ctl("skill", "../x"), 4, "", "the URI is not SCHEME")

    def test_one_skill(self):
        self.check(self.ctl("skill", "refunds"), 0, self.MAIN.decode())
        self.check(self.ctl("skill", "refunds", "SKILL.md"), 0,
                   self.MAIN.decode())
        self.assertEqual(
            json.loads(self.check(self.ctl("--json", "skill", "refunds"))),
            self.what["skills"][0])
        contents = json.loads(self.check(
            self.ctl("--json", "skill", "refunds", "b/c d.bin")))
        self.assertEqual(contents["contents"][0]["blob"], "/wA=")
        for words, code, why in (
                (["nope"], 4, "no skill 'nope'"),
                (["refunds", "x"], 4,
                 "the skill refunds does not list a file x\n"),
                (["refunds", "../x"], 1,
                 '"../x" is not below the folder of the skill refunds\n')):
            run = self.ctl("skill", *words)
            self.check(run, code, "", why)
            self.assertNotIn("standard error", run.stderr)

    def test_a_skill_that_is_not_listed_has_a_uri(self):
        self.what["unlisted"] = self.what["skills"]
        self.what["skills"] = []
        self.check(self.ctl("skill", "skill://refunds/SKILL.md"), 0,
                   self.MAIN.decode())

    def test_a_wrong_file_is_not_shown(self):
        self.what["files"]["skill://refunds/SKILL.md"]["text"] += "."
        self.check(self.ctl("skill", "refunds"), 4, "",
                   "skill://refunds/SKILL.md: it has 58 bytes, and 57 are "
                   "listed\n")

    def test_saving(self):
        self.check(self.ctl("skill", "refunds", "--save", "out"), 0,
                   "out/refunds/SKILL.md\nout/refunds/b/c d.bin\n")
        self.assertEqual(self.saved(), self.FILES)
        self.check(self.ctl("skill", "refunds", "--save", "deep/er/out"), 0,
                   "deep/er/out/refunds/SKILL.md\n"
                   "deep/er/out/refunds/b/c d.bin\n")
        self.assertEqual(self.saved("deep/er/out/refunds"), self.FILES)

    def test_nothing_is_saved_of_a_skill_with_a_wrong_file(self):
        self.what["files"]["skill://refunds/b/c%20d.bin"]["blob"] = "/wE="
        self.check(self.ctl("skill", "refunds", "--save", "out"), 4, "",
                   "skill://refunds/b/c%20d.bin: its digest is sha256:")
        self.assertFalse((self.place / "out").exists())

    def test_a_file_is_replaced_only_if_the_user_says_so(self):
        file = self.place / "out/refunds/b/c d.bin"
        file.parent.mkdir(parents=True)
        file.write_text("mine")
        (file.parent / "more").write_text("mine")
        self.check(self.ctl("skill", "refunds", "--save", "out"), 1, "",
                   "out/refunds is there already: --overwrite replaces its "
                   "files\n")
        self.assertEqual(file.read_text(), "mine")
        self.check(self.ctl("skill", "refunds", "--save", "out",
                            "--overwrite"))
        self.assertEqual(self.saved(), {**self.FILES, "b/more": b"mine"})

    def test_nothing_is_saved_through_a_link(self):
        outside = self.place / "outside"
        outside.mkdir()
        (outside / "SKILL.md").write_text("mine")
        top = self.place / "out"
        top.mkdir()
        words = ("skill", "refunds", "--save", "out", "--overwrite")
        (top / "refunds").symlink_to(outside)
        self.check(self.ctl(*words), 1, "", "cannot make out/refunds: ")
        (top / "refunds").unlink()
        (top / "refunds").mkdir()
        (top / "refunds/SKILL.md").symlink_to(outside / "SKILL.md")
        (top / "refunds/b").symlink_to(outside)
        self.check(self.ctl(*words), 1, "out/refunds/SKILL.md\n",
                   "cannot write out/refunds/b/c d.bin: ")
        self.assertFalse((top / "refunds/SKILL.md").is_symlink())
        self.assertEqual(self.saved("outside"), {"SKILL.md": b"mine"})
        # The folder that the user names may be a link.
        (self.place / "link").symlink_to(outside)
        self.check(self.ctl("skill", "refunds", "--save", "link"))
        self.assertEqual(self.saved("outside/refunds"), self.FILES)

    def test_files_outside_of_the_skill_are_not_saved(self):
        for uri in ("skill://refunds/../x", "skill://refunds/%2e%2e/x",
                    "skill://refunds/a%2F..%2F..%2Fx", "skill://other/x",
                    "file:///tmp/x", "skill://refunds//x"):
            with self.subTest(uri=uri):
                self.what["skills"][0]["resources"][1]["uri"] = uri
                self.check(self.ctl("skill", "refunds", "--save", "out"), 4,
                           "", "which is not inside its folder\n")
        self.assertEqual([path.name for path in self.place.iterdir()],
                         ["what.json"])

    def test_names_that_begin_with_a_dot_are_not_saved(self):
        for path in (".env", ".git/config", "a/.git/config"):
            self.what["skills"] = [entry("refunds", {"SKILL.md": self.MAIN,
                                                     path: b"x"})]
            self.check(self.ctl("skill", "refunds", "--save", "out"), 4, "",
                       f"nothing is saved: the skill has the file {path}, ")
        self.assertFalse((self.place / "out").exists())

    def test_a_file_and_a_folder_of_one_name(self):
        files = {"SKILL.md": self.MAIN, "b": b"", "b/c": b""}
        self.what["skills"] = [entry("refunds", files)]
        for path in ("b", "b/c"):
            self.what["files"][f"skill://refunds/{path}"] = {"text": ""}
        self.check(self.ctl("skill", "refunds", "--save", "out"), 1, None,
                   "cannot write out/refunds/b/c: ")

    def test_a_dynamic_skill(self):
        warning = ("mcpctl: the skill refunds is dynamic: its files cannot be "
                   "verified\n")
        self.what["skills"][0]["resources"] = "dynamic"
        self.check(self.ctl("skill", "refunds"), 0, self.MAIN.decode(), warning)
        run = self.ctl("skill", "refunds", "--save", "out")
        self.check(run, 0, "out/refunds/SKILL.md\n", warning)
        self.assertEqual(self.saved(), {"SKILL.md": self.MAIN})
        self.what["files"]["skill://refunds/SKILL.md"]["text"] = "no head"
        self.check(self.ctl("skill", "refunds"), 4, "",
                   "its head cannot be compared")

    def test_a_server_of_ours(self):
        words = [str(BIN / "workbench-server"), "--skills",
                 str(ROOT / "examples/skills"), str(ROOT / "examples/data")]
        run = ctl("skill", "refunds", "--save", str(self.place), server=words)
        if "built without skills" in run.stderr:
            self.skipTest("a build without skills")
        self.check(run)
        self.assertEqual(
            self.saved("refunds"),
            {path.relative_to(ROOT / "examples/skills/refunds").as_posix():
             path.read_bytes()
             for path in (ROOT / "examples/skills/refunds").rglob("*")
             if path.is_file()})
