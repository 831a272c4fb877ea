# SPDX-License-Identifier: MIT
"""Clients that log in at the authorization server of mcpctl's tests."""
import os
import pathlib
import sys
import tempfile
import threading
import unittest
import urllib.request
from typing import Any, List

import libmcp

from .support import ROOT

sys.path.insert(0, str(ROOT / "tests" / "mcpctl"))
try:
    from fake_login import FakeLogin  # type: ignore[import-not-found]
except ImportError:
    FakeLogin = None


@unittest.skipIf(FakeLogin is None, "this is not the repository of libmcp")
class Logins(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.pages: List[str] = []
        self.login = libmcp.Login(name="test",
                                  folder=pathlib.Path(folder.name, "auth"),
                                  open_browser=self.open)
        self.folder = folder.name

    def open(self, url: str) -> None:
        """The user agrees; the browser runs beside the client."""
        self.pages.append(url)
        threading.Thread(target=lambda: urllib.request.urlopen(url).read(),
                         daemon=True).start()

    def test_a_user_logs_in_once(self) -> None:
        with FakeLogin(set()) as fake:
            for _ in range(2):
                with libmcp.Client(url=fake.url, era="2025-11-25",
                                   login=self.login) as c:
                    self.assertEqual([t.name for t in c.tools()], ["guarded"])
        self.assertEqual(len(self.pages), 1)
        files = os.listdir(self.folder + "/auth")
        self.assertTrue(files)
        for file in files:
            mode = os.stat(f"{self.folder}/auth/{file}").st_mode
            self.assertEqual(mode & 0o077, 0)

    async def test_asyncio(self) -> None:
        with FakeLogin(set()) as fake:
            async with libmcp.AsyncClient(url=fake.url, era="2025-11-25",
                                          login=self.login) as c:
                self.assertEqual([t.name for t in await c.tools()],
                                 ["guarded"])

    def test_a_program_has_credentials_of_its_own(self) -> None:
        with FakeLogin(set()) as fake:
            login = libmcp.Login(machine=True, client_id="robot",
                                 client_secret="hush", issuer=fake.base)
            with libmcp.Client(url=fake.url, era="2025-11-25",
                               login=login) as c:
                self.assertEqual(len(c.tools()), 1)
            self.assertEqual(fake.forms[0]["grant_type"],
                             "client_credentials")

    def test_without_a_login_it_is_refused(self) -> None:
        with FakeLogin(set()) as fake:
            with self.assertRaisesRegex(libmcp.McpError, "401"):
                libmcp.Client(url=fake.url, era="2025-11-25").__enter__()

    def test_a_browser_that_fails_and_wrong_options(self) -> None:
        def fail(url: str) -> Any:
            raise libmcp.ToolError("there is no browser")
        with FakeLogin(set()) as fake:
            login = libmcp.Login(folder=self.folder, open_browser=fail)
            with self.assertRaises(libmcp.McpError):
                libmcp.Client(url=fake.url, era="2025-11-25",
                              login=login).__enter__()
        async def show(url: str) -> None: ...
        with self.assertRaisesRegex(TypeError, "not an async def"):
            libmcp.Login(open_browser=show)  # type: ignore[arg-type]
        with self.assertRaisesRegex(ValueError, "client_secret"):
            libmcp.Login(machine=True, client_id="robot")
        with self.assertRaisesRegex(ValueError, "needs a URL"):
            libmcp.Client(["server"], login=self.login)


if __name__ == "__main__":
    unittest.main()
