#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kills the workbench while a task runs, and asks its successor for tasks.

usage: kept_tasks.py [--sqlite] PROGRAM [TEST]...

--sqlite: the program was built with libmcp-sqlite.
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

LIMIT = 60
META = "io.modelcontextprotocol/"
TASKS = META + "tasks"
REVISION = "2026-07-28"
LOST = "the server was restarted before the task had ended"
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = None
HAS_SQLITE = False


class Server:
    """The program over HTTP."""

    def __init__(self, *options):
        self.process = subprocess.Popen(
            [PROGRAM, ROOT / "examples" / "data", "--http", "127.0.0.1:0",
             *options],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for line in self.process.stderr:
            found = re.search(r"listening on (http://\S+)", line)
            if found:
                self.url = found[1]
                return
        raise AssertionError("the server does not listen")

    def end(self, how):
        how(self.process)
        _, said = self.process.communicate(timeout=LIMIT)
        if self.process.returncode > 0:
            print(said, file=sys.stderr)
        return self.process.returncode

    def request(self, method, subject, **params):
        params["_meta"] = {
            META + "protocolVersion": REVISION,
            META + "clientCapabilities": {"extensions": {TASKS: {}}}}
        request = urllib.request.Request(
            self.url, method="POST", data=json.dumps({
                "jsonrpc": "2.0", "id": 1, "method": method,
                "params": params}).encode(),
            headers={"Content-Type": "application/json",
                     "Accept": "application/json, text/event-stream",
                     "MCP-Protocol-Version": REVISION,
                     "Mcp-Method": method, "Mcp-Name": subject})
        try:
            with urllib.request.urlopen(request, timeout=LIMIT) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError as refused:
            text = refused.read().decode()
        lines = [line[5:] for line in text.splitlines()
                 if line.startswith("data:") and line[5:].strip()]
        return json.loads(lines[-1] if lines else text)

    def count(self, to, delay_ms):
        """Starts a task, and returns its id."""
        result = self.request(
            "tools/call", "count_slowly", name="count_slowly",
            arguments={"to": to, "delay_ms": delay_ms})["result"]
        assert result["resultType"] == "task", result
        return result["taskId"]

    def task(self, task_id):
        return self.request("tasks/get", task_id, taskId=task_id)["result"]

    def wait(self, task_id, is_there):
        until = time.monotonic() + LIMIT
        while not is_there(task := self.task(task_id)):
            assert time.monotonic() < until, task
            time.sleep(0.01)
        return task


class Tasks(unittest.TestCase):
    def start(self, *options):
        server = Server(*options)
        self.addCleanup(lambda: server.process.poll() is None
                        and server.end(subprocess.Popen.kill))
        return server

    def test_in_memory(self):
        server = self.start()
        task_id = server.count(2, 1)
        task = server.wait(task_id, lambda t: t["status"] == "completed")
        self.assertEqual(task["result"]["content"][0]["text"], "Counted to 2")
        self.assertEqual(server.end(subprocess.Popen.terminate), 0)

    def test_cancelled(self):
        server = self.start()
        task_id = server.count(10000, 10)
        server.request("tasks/cancel", task_id, taskId=task_id)
        self.assertEqual(server.task(task_id)["status"], "cancelled")
        self.assertEqual(server.end(subprocess.Popen.terminate), 0)


class KeptTasks(Tasks):
    def setUp(self):
        if not HAS_SQLITE:
            self.skipTest("built without libmcp-sqlite")
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        self.path = folder / "tasks.db"

    def start(self, *options):
        return super().start("--tasks", self.path, *options)

    def test_killed(self):
        server = self.start()
        done = server.count(2, 1)
        server.wait(done, lambda t: t["status"] == "completed")
        running = server.count(10000, 10)
        server.wait(running, lambda t: t.get("statusMessage", "").startswith(
            "counting ("))
        self.assertEqual(server.end(subprocess.Popen.kill), -9)

        server = self.start()
        task = server.task(done)
        self.assertEqual(task["status"], "completed")
        self.assertEqual(task["result"]["content"][0]["text"], "Counted to 2")
        task = server.wait(running, lambda t: t["status"] != "working")
        self.assertEqual(task["status"], "failed")
        self.assertEqual(task["error"], {"code": -32603, "message": LOST})
        self.assertEqual(task["statusMessage"], LOST)
        self.assertEqual(server.end(subprocess.Popen.terminate), 0)


class NoFile(unittest.TestCase):
    def test_says_why(self):
        path = "/no/such/folder/tasks.db"
        done = subprocess.run([PROGRAM, "--tasks", path],
                              stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=LIMIT, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn(path, done.stderr)
        if not HAS_SQLITE:
            self.assertIn("built without libmcp-sqlite", done.stderr)


def main():
    global PROGRAM, HAS_SQLITE
    parser = argparse.ArgumentParser()
    parser.add_argument("--sqlite", action="store_true")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("tests", nargs="*")
    options = parser.parse_args()
    PROGRAM = options.program.resolve()
    HAS_SQLITE = options.sqlite
    unittest.main(argv=[sys.argv[0], *options.tests], verbosity=2)


main()
