# SPDX-License-Identifier: MIT
"""Other programs: mcpctl and the official SDK's client call our server, and
our client calls servers of the SDK and FastMCP. Tests whose peer is not
installed are skipped."""
import importlib.util
import json
import subprocess
import sys
import unittest
from typing import Any

import libmcp

from .support import ERAS, HERE, SERVER, program

MCPCTL = program("mcpctl")
HELLO = program("hello-server")


def has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


@unittest.skipIf(MCPCTL is None, "mcpctl is not built")
class Mcpctl(unittest.TestCase):
    def run_it(self, *arguments: str) -> Any:
        done = subprocess.run([str(MCPCTL), "--json", *arguments, "--",
                               *SERVER], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_it_calls_our_server(self) -> None:
        for era in ERAS:
            found = self.run_it("--era", era, "call", "add", "a:=2", "b:=3")
            self.assertEqual(found["content"],
                             [{"type": "text", "text": "5.0"}])
        found = self.run_it("--answer", "x=4", "call", "ask")
        self.assertEqual(found["content"][0]["text"], "Point 4.0")

    def test_its_doctor_finds_no_fault(self) -> None:
        done = subprocess.run([str(MCPCTL), "doctor", "--", *SERVER],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


@unittest.skipIf(HELLO is None, "hello-server is not built")
class Hello(unittest.TestCase):
    def test_our_client_calls_a_server_in_c(self) -> None:
        with libmcp.Client([str(HELLO)]) as c:
            self.assertEqual(c.call("add", a=1, b=2).text, "3")


@unittest.skipUnless(has("mcp"), "the official SDK is not installed")
class Sdk(unittest.IsolatedAsyncioTestCase):
    async def test_its_client_calls_our_server(self) -> None:
        from mcp import ClientSession, StdioServerParameters
        from mcp.client.stdio import stdio_client
        parameters = StdioServerParameters(command=SERVER[0],
                                           args=SERVER[1:])
        # Not sys.stderr, which unittest -b replaces.
        async with stdio_client(parameters, sys.__stderr__) as (
                read, write), \
                ClientSession(read, write) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            self.assertEqual(len(tools), 14)
            result = await session.call_tool("move", {"point": {"x": 1}})
            self.assertEqual(result.structured_content, {"x": 2, "y": 1})
            result = await session.call_tool("fail", {"how": "tool"})
            self.assertTrue(result.is_error)
            read_result = await session.read_resource("bytes://1")
            self.assertEqual(len(read_result.contents), 1)
            prompt = await session.get_prompt("review", {"code": "x"})
            self.assertEqual(len(prompt.messages), 2)

    async def test_our_client_calls_its_server(self) -> None:
        for era in ("auto", "2025-06-18"):
            async with libmcp.AsyncClient(
                    [sys.executable, str(HERE / "peer_sdk_server.py")],
                    era=era) as c:
                self.assertEqual((await c.call("add", a=1, b=2)).text, "3.0")


@unittest.skipUnless(has("fastmcp"), "FastMCP is not installed")
class Fast(unittest.TestCase):
    def test_our_client_calls_its_server(self) -> None:
        for era in ("auto", "2025-06-18"):
            with libmcp.Client([sys.executable,
                                str(HERE / "peer_fastmcp_server.py")],
                               era=era, stderr=-1) as c:
                self.assertEqual([t.name for t in c.tools()], ["add"])
                self.assertEqual(c.call("add", a=1, b=2).structured,
                                 {"result": 3})
                self.assertEqual(c.read("data://x").text, "data of x")
                self.assertEqual(c.prompt("greet", name="A").text, "Hello A")
                with self.assertRaises(libmcp.ToolError):
                    c.call("add", a="text")


if __name__ == "__main__":
    unittest.main()
