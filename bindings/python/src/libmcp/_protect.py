# SPDX-License-Identifier: MIT
"""Servers over HTTP that demand access tokens (OAuth)."""
import json
import os
from typing import Any, Mapping, Optional, Sequence, Union

from ._functions import join_scopes
from ._json import Keep
from ._native import ffi


class Protection:
    """Demands an access token of each request over HTTP:
    serve_async(http=..., protect=Protection(...)).

    An authorization server gives the tokens: `issuer`, or several. Their
    metadata name the keys that check tokens, unless `jwks_uri`, or the keys
    themselves (`jwks`), or `introspection` say how tokens are checked. Or the
    tokens are fixed, in a file."""

    def __init__(self, *, issuer: Union[str, Sequence[str], None] = None,
                 resource: Optional[str] = None,
                 audiences: Optional[Sequence[str]] = None,
                 scopes: Union[str, Sequence[str], None] = None,
                 jwks_uri: Optional[str] = None,
                 jwks: Optional[Mapping[str, Any]] = None,
                 introspection: Optional[str] = None,
                 client_id: Optional[str] = None,
                 client_secret: Optional[str] = None,
                 token_file: "Union[str, os.PathLike[str], None]" = None,
                 only_at_jwt: bool = False, requires_dpop: bool = False,
                 hides_forbidden: bool = False) -> None:
        """`resource` is the server's URL as its clients know it, which is also
        needed if a host that is not a loopback name is allowed; `audiences`
        are accepted instead of it in tokens. Each request needs all `scopes`.

        `client_id` and `client_secret` are those of this server at the URL
        `introspection` (RFC 7662). Each line of `token_file` is a token, a
        name of the client, and scopes; other users must not be able to read
        the file. `only_at_jwt` refuses tokens of other types,
        `requires_dpop` those that are not bound to a key. `hides_forbidden`
        leaves out of lists what a token has no scopes for."""
        if not (issuer or introspection or token_file):
            raise ValueError("give an issuer, introspection or a token_file")
        self.issuers = [issuer] if isinstance(issuer, str) else \
            list(issuer or ())
        self.resource = resource
        self.audiences = audiences
        self.scopes = join_scopes(scopes)
        self.jwks_uri = jwks_uri
        self.jwks = jwks
        self.introspection = introspection
        self.client_id = client_id
        self.client_secret = client_secret
        self.token_file = token_file
        self.only_at_jwt = only_at_jwt
        self.requires_dpop = requires_dpop
        self.hides_forbidden = hides_forbidden

    def _options(self, keep: Keep) -> Any:
        options = keep.new("mcp_protect_options")
        options.resource = keep.string(self.resource)
        if self.audiences is not None:
            options.audiences = keep.strings(self.audiences)
        options.scopes = keep.string(self.scopes)
        if self.issuers:
            options.issuer = keep.string(self.issuers[0])
            options.more_issuers = keep.strings(self.issuers[1:])
        options.jwks_uri = keep.string(self.jwks_uri)
        options.jwks = ffi.NULL if self.jwks is None else \
            keep.string(json.dumps(self.jwks))
        options.introspection_endpoint = keep.string(self.introspection)
        options.introspection_client_id = keep.string(self.client_id)
        options.introspection_client_secret = keep.string(self.client_secret)
        options.token_file = keep.path(self.token_file)
        options.only_at_jwt = self.only_at_jwt
        options.requires_dpop = self.requires_dpop
        options.hides_forbidden = self.hides_forbidden
        return options
