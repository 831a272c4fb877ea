# SPDX-License-Identifier: MIT
"""A server on the official Python SDK that demands tokens, with the
authorization server of the SDK on the same port.

usage: python_server.py

No user logs in. For the tests, POST /control answers with
{"events": [...], "known": N}: what has happened since the last time, and how
many tokens it knows. {"ttl": N} sets for how many seconds tokens are valid.
"""
import asyncio
import logging
import secrets
import socket
import sys
import time

import uvicorn
from mcp.server import MCPServer
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import (AccessToken, AuthorizationCode,
                                      RefreshToken, construct_redirect_uri)
from mcp.server.auth.settings import (AuthSettings, ClientRegistrationOptions,
                                      RevocationOptions)
from mcp.shared.auth import OAuthToken
from starlette.responses import JSONResponse

SCOPES = ["mcp:use", "notes:write"]


class Provider:
    """What the SDK's routes ask; it keeps everything in memory."""

    def __init__(self):
        self.clients = {}
        self.codes = {}
        self.access = {}
        self.refresh = {}
        self.events = []
        self.ttl = 600

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client_info):
        self.events.append("register")
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client, params):
        self.events.append("authorize")
        code = secrets.token_hex(20)
        self.codes[code] = AuthorizationCode(
            code=code,
            client_id=client.client_id,
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            **params.model_dump(include={
                "code_challenge", "redirect_uri", "resource",
                "redirect_uri_provided_explicitly"}),
        )
        return construct_redirect_uri(
            str(params.redirect_uri), code=code, state=params.state)

    async def load_authorization_code(self, client, authorization_code):
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(self, client, authorization_code):
        self.events.append("code")
        del self.codes[authorization_code.code]
        return self.issue(authorization_code, authorization_code.scopes)

    async def load_refresh_token(self, client, refresh_token):
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        self.events.append("refresh")
        del self.refresh[refresh_token.token]
        return self.issue(refresh_token, scopes)

    def issue(self, grant, scopes):
        common = {"client_id": grant.client_id, "scopes": scopes,
                  "resource": grant.resource}
        access, refresh = secrets.token_hex(20), secrets.token_hex(20)
        self.access[access] = AccessToken(
            token=access, expires_at=int(time.time()) + self.ttl, **common)
        self.refresh[refresh] = RefreshToken(token=refresh, **common)
        return OAuthToken(access_token=access, expires_in=self.ttl,
                          refresh_token=refresh, scope=" ".join(scopes))

    async def load_access_token(self, token):
        return self.access.get(token)

    async def revoke_token(self, token):
        """Ends all tokens of the client."""
        self.events.append("revoke")
        for tokens in (self.access, self.refresh):
            for key in [key for key, found in tokens.items()
                        if found.client_id == token.client_id]:
                del tokens[key]


def build(provider, origin):
    server = MCPServer(
        "guarded-python",
        auth_server_provider=provider,
        auth=AuthSettings(
            issuer_url=origin,
            resource_server_url=f"{origin}/mcp",
            validate_token_resource=True,
            required_scopes=["mcp:use"],
            client_registration_options=ClientRegistrationOptions(
                enabled=True, valid_scopes=SCOPES, default_scopes=SCOPES),
            revocation_options=RevocationOptions(enabled=True),
        ),
    )

    @server.tool()
    def who() -> str:
        token = get_access_token()
        return f"{token.client_id} may: {' '.join(token.scopes)}"

    @server.custom_route("/control", methods=["POST"])
    async def control(request):
        provider.ttl = (await request.json()).get("ttl", provider.ttl)
        events, provider.events = provider.events, []
        known = len(provider.access) + len(provider.refresh)
        return JSONResponse({"events": events, "known": known})

    return server


async def main():
    logging.disable(logging.INFO)
    listener = socket.create_server(("127.0.0.1", 0))
    origin = f"http://127.0.0.1:{listener.getsockname()[1]}"
    app = build(Provider(), origin).streamable_http_app()
    config = uvicorn.Config(app, log_config=None)
    print(f"listening on {origin}/mcp", file=sys.stderr, flush=True)
    await uvicorn.Server(config).serve(sockets=[listener])


asyncio.run(main())
