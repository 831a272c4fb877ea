# SPDX-License-Identifier: MIT
"""Model Context Protocol servers and clients, by the C library libmcp."""
from __future__ import annotations

from ._content import (Audio, Content, EmbeddedResource, Image, Message,
                       ResourceLink)
from ._context import Answer, Context
from ._errors import (ConnectionClosedError, LimitError, McpError,
                      NotFoundError, ProtocolError, RemoteError,
                      RequestCancelledError, RequestTimeoutError, SchemaError,
                      ToolError, UnsupportedError)
from ._json import text as _text
from ._native import lib as _lib
from ._replies import Result
from ._server import Server

TYPE_CHECKING = False  # typing costs two megabytes
if TYPE_CHECKING:
    from typing import Any

    from ._client import AsyncClient, Client
    from ._login import Login
    from ._protect import Protection
    from ._results import (CallResult, Completion, Elicitation, PromptInfo,
                           PromptResult, ReadResult, ResourceInfo, ServerInfo,
                           TemplateInfo, ToolInfo)

#: The version of the library, such as "0.2.0".
__version__: str = _text(_lib.mcp_version())

_CLIENT = ("AsyncClient", "Client")
_RESULTS = ("CallResult", "Completion", "Elicitation", "PromptInfo",
            "PromptResult", "ReadResult", "ResourceInfo", "ServerInfo",
            "TemplateInfo", "ToolInfo")

__all__ = [
    "Answer", "AsyncClient", "Audio", "CallResult", "Client", "Completion",
    "ConnectionClosedError", "Content", "Context", "Elicitation",
    "EmbeddedResource", "Image", "LimitError", "Login", "McpError", "Message",
    "NotFoundError", "PromptInfo", "PromptResult", "Protection",
    "ProtocolError",
    "ReadResult", "RemoteError", "RequestCancelledError",
    "RequestTimeoutError", "ResourceInfo", "ResourceLink", "Result",
    "SchemaError", "Server", "ServerInfo", "TemplateInfo", "ToolError",
    "ToolInfo", "UnsupportedError"]


def __getattr__(name: str) -> Any:
    # A server needs no client: its memory counts.
    if name in _CLIENT:
        from . import _client
        return getattr(_client, name)
    if name == "Protection":
        from . import _protect
        return _protect.Protection
    if name == "Login":
        from . import _login
        return _login.Login
    if name in _RESULTS:
        from . import _results
        return getattr(_results, name)
    raise AttributeError(f"module 'libmcp' has no attribute {name!r}")
