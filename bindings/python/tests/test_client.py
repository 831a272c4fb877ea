# SPDX-License-Identifier: MIT
"""The blocking client, and servers as programs (Server.run)."""
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time
import unittest
from typing import Any, List

import libmcp

from .support import ERAS, SERVER, script


class Blocking(unittest.TestCase):
    def test_everything_in_all_revisions(self) -> None:
        for era in ERAS:
            with self.subTest(era=era), \
                    libmcp.Client(SERVER, era=era, stderr=-1) as c:
                self.check(c, era)

    def check(self, c: libmcp.Client, era: str) -> None:
        self.assertEqual(c.revision, era)
        self.assertEqual(c.server_info.version, "1.2.3")
        self.assertEqual(len(c.tools()), 14)
        self.assertEqual(c.call("add", a=1, b=2).text, "3.0")
        self.assertEqual(c.call("later", seconds=0.01).text, "later")
        self.assertEqual(c.read("config://app").text, '{"size":1}')
        self.assertEqual(len(c.resources()) + len(c.templates()), 3)
        self.assertEqual(c.prompt("review", code="x").messages[0]["role"],
                         "user")
        self.assertEqual(len(c.prompts()), 1)
        self.assertEqual(c.complete("review", "language", "Py").values[0],
                         "Python")
        steps: List[Any] = []
        c.call_tool("watch", on_progress=lambda *s: steps.append(s[0]))
        self.assertEqual(steps, [1, 2, 3])
        c.ping()
        raw = c.request("tools/list")
        self.assertEqual(len(raw["tools"]), 14)
        with self.assertRaises(libmcp.McpError):
            c.request("no/method")

    def test_questions(self) -> None:
        with libmcp.Client(SERVER, on_elicit=lambda q: {"x": 2},
                           on_sample=lambda p: "yes",
                           roots=[{"uri": "file:///a", "name": "a"}]) as c:
            self.assertEqual(c.call("ask").text, "Point 2.0")
            self.assertEqual(c.call("think", question="?").text, "yes")
            self.assertEqual(c.call("folders").text, "file:///a")

    def test_an_async_handler_needs_an_async_client(self) -> None:
        async def fill(question: Any) -> Any:
            return None
        with libmcp.Client(SERVER, on_elicit=fill, stderr=-1) as c:
            with self.assertRaises((libmcp.McpError, libmcp.ToolError)):
                c.call("ask")

    def test_connecting_fails(self) -> None:
        for command in (["/no/such/program"], [sys.executable, "-c", "1"]):
            with self.assertRaises(libmcp.McpError) as caught:
                with libmcp.Client(command, stderr=-1):
                    pass
            self.assertIn(os.path.basename(command[0]),
                          str(caught.exception))
        with self.assertRaises(libmcp.McpError):
            with libmcp.Client(url="http://127.0.0.1:1/mcp"):
                pass
        with self.assertRaises(ValueError):
            libmcp.Client()
        with self.assertRaises(TypeError):
            libmcp.Client("server")  # type: ignore[arg-type]
        with self.assertRaises(libmcp.ConnectionClosedError):
            libmcp.Client(SERVER).tools()

    def test_a_server_that_dies(self) -> None:
        command = script("""
            import os, libmcp
            server = libmcp.Server("s")
            @server.tool
            def die() -> None:
                os._exit(3)
            server.run()
            """)
        with libmcp.Client(command, stderr=-1) as c:
            with self.assertRaisesRegex(libmcp.ConnectionClosedError,
                                        "status 3"):
                c.call("die")
            with self.assertRaises(libmcp.ConnectionClosedError):
                c.call("die")

    def test_a_second_connection(self) -> None:
        client = libmcp.Client(SERVER)
        for _ in range(2):
            with client as c:
                self.assertEqual(c.call("add", a=1).text, "2.0")

    def test_threads_take_turns(self) -> None:
        with libmcp.Client(SERVER) as c:
            found: List[str] = []

            def work() -> None:
                for _ in range(50):
                    found.append(c.call("add", a=1).text)
            threads = [threading.Thread(target=work) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(found, ["2.0"] * 200)

    def test_ctrl_c_ends_a_wait(self) -> None:
        command = script(f"""
            import libmcp, sys
            with libmcp.Client({SERVER!r}) as c:
                try:
                    print("calling", flush=True)
                    c.call("later", seconds=60)
                except KeyboardInterrupt:
                    print(c.call("add", a=1).text)
            """)
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        self.assertEqual(child.stdout.readline(), "calling\n")
        child.send_signal(signal.SIGINT)
        out, _ = child.communicate(timeout=20)
        self.assertEqual(out, "2.0\n")

    def test_environment_and_folder(self) -> None:
        command = script("""
            import os, libmcp
            server = libmcp.Server("s")
            @server.tool
            def get(name: str) -> str:
                return os.environ.get(name, "") + " " + os.getcwd()
            server.run()
            """)
        with libmcp.Client(command, env={"COLOUR": "ü"}, cwd="/") as c:
            self.assertEqual(c.call("get", name="COLOUR").text, "ü /")


class Run(unittest.TestCase):
    def test_what_handlers_print_goes_to_stderr(self) -> None:
        with open(os.devnull, "w", encoding="ascii"):
            child = subprocess.Popen(
                SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True)
            out, err = child.communicate(
                '{"jsonrpc":"2.0","id":1,"method":"initialize","params":'
                '{"protocolVersion":"2025-11-25","capabilities":{},'
                '"clientInfo":{"name":"a","version":"1"}}}\n'
                '{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
                '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":'
                '{"name":"shout","arguments":{"text":"hi"}}}\n', timeout=20)
        self.assertEqual(child.returncode, 0)
        self.assertEqual(len(out.splitlines()), 2)
        self.assertIn('"HI"', out)
        self.assertIn("printed: hi", err)
        self.assertIn("written", err)

    def test_command_line(self) -> None:
        done = subprocess.run([*SERVER, "--help"], capture_output=True,
                              text=True, check=True)
        self.assertIn("--http", done.stdout)
        done = subprocess.run([*SERVER, "--nonsense"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 2)

    def test_http(self) -> None:
        child = subprocess.Popen([*SERVER, "--http", "127.0.0.1:0"],
                                 stderr=subprocess.PIPE, text=True)
        assert child.stderr is not None
        try:
            line = child.stderr.readline()
            url = next(word for word in line.split() if "://" in word)
            for era in ERAS[1:]:
                with libmcp.Client(url=url, era=era) as c:
                    self.assertEqual(c.call("add", a=1).text, "2.0")
                    self.assertEqual(c.call("later").text, "later")
        finally:
            child.terminate()
            child.stderr.close()
            self.assertEqual(child.wait(10), 0)

    def test_it_stops_while_handlers_run(self) -> None:
        child = subprocess.Popen(SERVER, stdin=subprocess.PIPE,
                                 stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        assert child.stdin is not None and child.stdout is not None
        child.stdin.write(
            '{"jsonrpc":"2.0","id":1,"method":"initialize","params":'
            '{"protocolVersion":"2025-11-25","capabilities":{},'
            '"clientInfo":{"name":"a","version":"1"}}}\n')
        child.stdin.flush()
        child.stdout.readline()
        child.stdin.write(
            '{"jsonrpc":"2.0","method":"notifications/initialized"}\n' +
            "".join('{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":'
                    '{"name":"%s","arguments":{"seconds":%s}}}\n' % call
                    for call in ((2, "later", 60), (3, "block", 0.1),
                                 (4, "later", 0))))
        child.stdin.flush()
        self.assertIn('"id":4', child.stdout.readline())
        child.stdin.close()
        child.stdin = None
        start = time.monotonic()
        out, err = child.communicate(timeout=20)
        self.assertEqual(child.returncode, 0, err)
        self.assertLess(time.monotonic() - start, 5)
        self.assertIn('"id":3', out)

    def test_serve_async_over_stdio(self) -> None:
        command = script("""
            import asyncio, libmcp
            server = libmcp.Server("s")
            @server.tool
            async def later() -> str:
                await asyncio.sleep(0.01)
                return "later"
            async def main():
                await server.serve_async()
                raise SystemExit(7)
            asyncio.run(main())
            """)
        for era in ("2025-11-25", "2026-07-28"):
            with libmcp.Client(command, era=era) as c:
                self.assertEqual(c.call("later").text, "later")
        done = subprocess.run(command, stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(done.returncode, 7)

    def test_one_run_each(self) -> None:
        server = libmcp.Server("s")
        with self.assertRaises(SystemExit):
            server.run(["s", "--nonsense"])
        with self.assertRaisesRegex(RuntimeError, "has ended"):
            server.run(["s"])


class Stubs(unittest.TestCase):
    def test_the_package_is_typed(self) -> None:
        try:
            import mypy  # noqa: F401
        except ImportError:
            self.skipTest("mypy is not installed")
        here = pathlib.Path(__file__).parent
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--cache-dir",
             os.path.join(os.environ.get("TMPDIR", "/tmp"), "libmcp-mypy"),
             "src/libmcp", str(here / "everything_server.py")],
            cwd=here.parent, capture_output=True, text=True, check=False,
            env={**os.environ, "MYPYPATH": "src"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
