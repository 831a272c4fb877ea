# SPDX-License-Identifier: MIT
"""Servers that demand access tokens."""
import asyncio
import base64
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest
import urllib.error
import urllib.request
from typing import Any, AsyncIterator, Dict, List, Optional

import libmcp

from .support import script

ANNA, BEN = "0123456789abcdef-anna", "0123456789abcdef-ben"


def bearer(token: str) -> Dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def notes() -> libmcp.Server:
    server = libmcp.Server("notes")

    @server.tool
    def who(ctx: libmcp.Context) -> List[str]:
        return [str(ctx.principal), *ctx.scopes, str(ctx.has_scopes("read")),
                str((ctx.claims or {}).get("email"))]

    @server.tool(scopes=["read", "write"])
    def write() -> str:
        return "written"

    @server.resource("note://{name}", scopes="read")
    def note(name: str) -> str:
        return name

    @server.prompt(scopes=["write"])
    def say() -> str:
        return "said"
    return server


@contextlib.asynccontextmanager
async def served(protect: libmcp.Protection) -> AsyncIterator[str]:
    urls = asyncio.get_running_loop().create_future()
    task = asyncio.ensure_future(notes().serve_async(
        http="127.0.0.1:0", protect=protect, on_ready=urls.set_result))
    try:
        yield (await urls)[0]
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


class Keys:
    """An RSA key of openssl, and tokens that it signs."""

    def __init__(self, folder: str) -> None:
        self.path = folder + "/key.pem"
        self.openssl("genrsa", "-out", self.path, "2048")
        line = self.openssl("rsa", "-in", self.path, "-noout", "-modulus")
        modulus = bytes.fromhex(line.decode().split("=")[1].strip())
        self.jwks = {"keys": [{"kty": "RSA", "kid": "1", "e": "AQAB",
                               "n": self.encode(modulus)}]}

    def openssl(self, *words: str, text: Optional[bytes] = None) -> bytes:
        return subprocess.run(["openssl", *words], input=text, check=True,
                              stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout

    def encode(self, data: bytes) -> str:
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    def sign(self, **claims: Any) -> str:
        parts = [self.encode(json.dumps(part).encode()) for part in (
            {"alg": "RS256", "kid": "1", "typ": "at+jwt"}, claims)]
        signature = self.openssl("dgst", "-sha256", "-sign", self.path,
                                 text=".".join(parts).encode())
        return ".".join([*parts, self.encode(signature)])


class Protected(unittest.IsolatedAsyncioTestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.file = pathlib.Path(folder.name, "tokens")
        self.file.write_text(f"{ANNA} anna read write\n{BEN} ben read\n",
                             encoding="ascii")
        self.file.chmod(0o600)

    async def test_fixed_tokens(self) -> None:
        protect = libmcp.Protection(token_file=self.file)
        async with served(protect) as url:
            async with libmcp.AsyncClient(url=url,
                                          headers=bearer(ANNA)) as c:
                self.assertEqual((await c.call("who")).raw["content"][0],
                                 {"type": "text", "text": "anna"})
                self.assertEqual((await c.call("write")).text, "written")
                self.assertEqual((await c.prompt("say")).text, "said")
            async with libmcp.AsyncClient(url=url, headers=bearer(BEN)) as c:
                self.assertEqual((await c.call("who")).text,
                                 "ben\nread\nTrue\nNone")
                self.assertEqual((await c.read("note://a")).text, "a")
                for call in (c.call("write"), c.prompt("say")):
                    with self.assertRaisesRegex(libmcp.McpError, "403"):
                        await call
            for headers in (None, bearer("0123456789abcdef-eve")):
                with self.assertRaisesRegex(libmcp.McpError, "401"):
                    async with libmcp.AsyncClient(url=url, headers=headers):
                        pass

    async def test_lists_without_what_is_forbidden(self) -> None:
        protect = libmcp.Protection(token_file=str(self.file),
                                    hides_forbidden=True)
        async with served(protect) as url:
            async with libmcp.AsyncClient(url=url, headers=bearer(BEN)) as c:
                self.assertEqual([t.name for t in await c.tools()], ["who"])
                self.assertEqual(await c.prompts(), [])

    async def test_scopes_that_each_request_needs(self) -> None:
        protect = libmcp.Protection(token_file=self.file, scopes=["write"])
        async with served(protect) as url:
            async with libmcp.AsyncClient(url=url, headers=bearer(ANNA)) as c:
                await c.ping()
            with self.assertRaisesRegex(libmcp.McpError, "403"):
                async with libmcp.AsyncClient(url=url, headers=bearer(BEN)):
                    pass

    @unittest.skipIf(shutil.which("openssl") is None, "openssl signs tokens")
    async def test_tokens_of_an_issuer(self) -> None:
        keys = Keys(self.folder)
        issuer, resource = "https://login.example", "https://notes.example/mcp"
        claims = {"iss": issuer, "aud": resource, "sub": "anna",
                  "exp": int(time.time()) + 60, "scope": "read",
                  "email": "anna@example.com"}
        protect = libmcp.Protection(issuer=issuer, resource=resource,
                                    jwks=keys.jwks, only_at_jwt=True)
        async with served(protect) as url:
            async with libmcp.AsyncClient(
                    url=url, headers=bearer(keys.sign(**claims))) as c:
                self.assertEqual((await c.call("who")).text,
                                 "anna\nread\nTrue\nanna@example.com")
            for wrong in ({"aud": "https://other.example"}, {"exp": 1},
                          {"iss": "https://evil.example"}):
                token = keys.sign(**{**claims, **wrong})
                with self.assertRaisesRegex(libmcp.McpError, "401"):
                    async with libmcp.AsyncClient(url=url,
                                                  headers=bearer(token)):
                        pass
            found = await asyncio.to_thread(self.metadata, url)
        self.assertEqual(found["resource"], resource)
        self.assertEqual(found["authorization_servers"], [issuer])

    def metadata(self, url: str) -> Any:
        """Finds the metadata as clients do: the refusal names their URL."""
        with self.assertRaises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(url, data=b"{}")
        caught.exception.close()
        self.assertEqual(caught.exception.code, 401)
        self.assertIn("resource_metadata=",
                      caught.exception.headers["WWW-Authenticate"])
        root = url[:-len("/mcp")]
        with urllib.request.urlopen(
                root + "/.well-known/oauth-protected-resource/mcp") as reply:
            return json.load(reply)

    async def test_wrong_options(self) -> None:
        with self.assertRaisesRegex(ValueError, "issuer, introspection or"):
            libmcp.Protection(scopes="read")
        server = notes()
        with self.assertRaisesRegex(ValueError, "protect needs http"):
            await server.serve_async(
                protect=libmcp.Protection(token_file=self.file))
        self.file.chmod(0o644)
        with self.assertRaisesRegex(libmcp.McpError, "tokens"):
            await server.serve_async(
                http="127.0.0.1:0",
                protect=libmcp.Protection(token_file=self.file))

    def test_run_with_options_of_the_command_line(self) -> None:
        command = script("""
            import libmcp
            server = libmcp.Server("s")
            @server.tool
            def who(ctx: libmcp.Context) -> str:
                return str(ctx.principal)
            server.run()
            """)
        child = subprocess.Popen(
            [*command, "--http", "127.0.0.1:0", "--auth-token-file",
             str(self.file)], stderr=subprocess.PIPE, text=True)
        assert child.stderr is not None
        try:
            url = child.stderr.readline().split()[-1]
            with libmcp.Client(url=url, headers=bearer(BEN)) as c:
                self.assertEqual(c.call("who").text, "ben")
        finally:
            child.terminate()
            child.stderr.close()
            self.assertEqual(child.wait(10), 0)
            os.unlink(command[-1])

    def test_without_http_there_is_nothing_to_check(self) -> None:
        command = script("""
            import libmcp
            server = libmcp.Server("s")
            @server.tool(scopes="write")
            def may(ctx: libmcp.Context) -> str:
                return f"{ctx.has_scopes('x')} {ctx.scopes} {ctx.claims}"
            server.run()
            """)
        with libmcp.Client(command) as c:
            self.assertEqual(c.call("may").text, "True [] None")
        os.unlink(command[-1])


if __name__ == "__main__":
    unittest.main()
