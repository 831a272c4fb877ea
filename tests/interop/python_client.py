# SPDX-License-Identifier: MIT
"""A client on the official Python SDK that logs in.

usage: python_client.py URL

It prints a line for each thing that happens, and reads lines:

  page URL          a user has to open it; it reads the address of the last page
  ready             it has connected
  call NAME {...}   (read) calls a tool
  forget            (read) discards the registration
  break             (read) replaces the access token with a wrong one
  said TEXT         the result of the tool
  failed ERROR      the call failed
  done              it has done another order
"""
import asyncio
import json
import sys
from urllib.parse import parse_qs, urlparse

import httpx2
from mcp import ClientSession
from mcp.client.auth import OAuthClientProvider
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientMetadata

REDIRECT = "http://127.0.0.1:9/callback"  # nobody opens this page


def tell(*words):
    print(*words, flush=True)


async def hear():
    return (await asyncio.to_thread(sys.stdin.readline)).strip()


class Storage:
    """Keeps everything in memory."""

    tokens = None
    info = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.info

    async def set_client_info(self, client_info):
        self.info = client_info


async def open_page(url):
    tell("page", url)


async def read_address():
    query = parse_qs(urlparse(await hear()).query)
    return AuthorizationCodeResult(
        **{name: query[name][0] for name in ("code", "state", "iss")
           if name in query})


async def call(session, name, arguments):
    try:
        result = await session.call_tool(name, json.loads(arguments))
        tell("said", result.content[0].text)
    except Exception as error:  # the test judges it
        tell("failed", str(error))


async def obey(session, auth):
    while order := await hear():
        word, *rest = order.split(" ", 2)
        if word == "call":
            await call(session, *rest)
            continue
        if word == "forget":
            auth.context.client_info = None
        elif word == "break":
            auth.context.current_tokens.access_token = "wrong"
        tell("done")


async def main(url):
    auth = OAuthClientProvider(
        url,
        OAuthClientMetadata(
            client_name="interop",
            redirect_uris=[REDIRECT],
            token_endpoint_auth_method="none",
            # Or oidc-provider knows only its web clients, which need https.
            application_type="native",
        ),
        Storage(),
        open_page,
        read_address,
    )
    async with httpx2.AsyncClient(auth=auth) as http:
        async with streamable_http_client(url, http_client=http) as streams:
            async with ClientSession(*streams[:2]) as session:
                await session.initialize()
                tell("ready")
                await obey(session, auth)


asyncio.run(main(sys.argv[1]))
