# SPDX-License-Identifier: MIT
"""Answers calls with what handlers return or raise."""
from __future__ import annotations

from ._content import Content, EmbeddedResource, Image, Message
from ._context import Pending
from ._errors import (McpError, NotFoundError, ToolError, check_call,
                      keep_interrupt)
from ._json import c_text, dump, text
from ._native import ffi, lib
from ._schema import plain

TYPE_CHECKING = False  # typing costs two megabytes
if TYPE_CHECKING:
    from typing import Any, Callable, Optional

    #: A call of libmcp, as cffi has it.
    Call = Any
else:
    Call = None

_IMAGES = ((b"\x89PNG", "image/png"), (b"\xff\xd8\xff", "image/jpeg"),
           (b"GIF8", "image/gif"))


class Result:
    """The result of a tool that has both content and structured content."""
    __slots__ = ("content", "structured")

    def __init__(self, content: Any = None, structured: Any = None) -> None:
        self.content = content
        self.structured = structured

    def __repr__(self) -> str:
        return f"Result({self.content!r}, {self.structured!r})"


def fail(call: Call, error: BaseException) -> int:
    """Answers with the error of a handler. The traceback goes to standard
    error."""
    if isinstance(error, Pending):
        return int(lib.MCP_PENDING)
    if isinstance(error, NotFoundError) and lib.mcp_call_uri(call):
        return int(lib.MCP_ERR_NOT_FOUND)
    if isinstance(error, KeyboardInterrupt):
        keep_interrupt(error)
    if isinstance(error, McpError) and error._recorded:
        return error._recorded
    # The codes of local errors, as of a client in a handler, are libmcp's.
    if isinstance(error, McpError) and not error._is_local:
        try:
            data = ffi.NULL if error.data is None else dump(plain(error.data))
        except Exception as broken:
            return fail(call, broken)
        return int(lib.mcp_call_reply_error(
            call, error.code or -32603,
            c_text(str(error)), data))
    if isinstance(error, ToolError):
        message = str(error)
    else:
        import traceback
        traceback.print_exception(type(error), error, error.__traceback__)
        message = f"{type(error).__name__}: {error}"
    words = message.encode("utf-8", "backslashreplace")
    return int(lib.mcp_call_reply_failure_n(call, words, len(words)))


def add(call: Call, value: Any) -> None:
    """Adds one piece of content."""
    if isinstance(value, str):
        data = value.encode("utf-8")
        check_call(lib.mcp_call_add_text_n(call, data, len(data)))
    elif isinstance(value, Content):
        check_call(value.add_to(call))
    elif isinstance(value, (bytes, bytearray)):
        data = bytes(value)
        for magic, mime_type in _IMAGES:
            if data.startswith(magic):
                check_call(Image(data, mime_type).add_to(call))
                return
        check_call(EmbeddedResource(
            "bytes:result", data, "application/octet-stream").add_to(call))
    else:
        data = dump(plain(value))
        check_call(lib.mcp_call_add_text_n(call, data, len(data)))


def is_content(value: Any) -> bool:
    return isinstance(value, (str, Content, bytes, bytearray))


def add_all(call: Call, value: Any) -> None:
    if value is None:
        return
    if isinstance(value, (list, tuple)) and all(map(is_content, value)):
        for piece in value:
            add(call, piece)
    else:
        add(call, value)


def reply_tool(call: Call, value: Any) -> int:
    if type(value) is str:
        data = value.encode("utf-8")
        return int(lib.mcp_call_reply_text_n(call, data, len(data)))
    elif type(value) is int or type(value) is float:
        data = repr(value).encode()
        return int(lib.mcp_call_reply_text_n(call, data, len(data)))
    elif isinstance(value, dict) or \
            hasattr(type(value), "__dataclass_fields__"):
        return int(lib.mcp_call_reply_structured(call, dump(plain(value))))
    elif isinstance(value, Result):
        if value.structured is not None:
            check_call(lib.mcp_call_set_structured(
                call, dump(plain(value.structured))))
        value = value.content
    add_all(call, value)
    return int(lib.mcp_call_reply(call))


def reply_prompt(call: Call, value: Any) -> int:
    messages = value if isinstance(value, (list, tuple)) else [value]
    for message in messages:
        role, content = "user", message
        if isinstance(message, Message):
            role, content = message.role, message.content
        check_call(lib.mcp_call_set_role(
            call, lib.MCP_ROLE_ASSISTANT if role == "assistant"
            else lib.MCP_ROLE_USER))
        add(call, content)
    return int(lib.mcp_call_reply(call))


def resource_reply(mime_type: Optional[str]) -> Callable[[Call, Any], int]:
    def reply(call: Call, value: Any) -> int:
        if isinstance(value, (bytes, bytearray)):
            check_call(lib.mcp_call_add_resource_data(
                call, ffi.NULL, ffi.NULL, ffi.from_buffer(value), len(value)))
        elif isinstance(value, str):
            data = value.encode("utf-8")
            check_call(lib.mcp_call_add_text_n(call, data, len(data)))
        else:
            kind = ffi.NULL if mime_type else b"application/json"
            check_call(lib.mcp_call_add_resource_text(
                call, ffi.NULL, kind, dump(plain(value))))
        return int(lib.mcp_call_reply(call))
    return reply


def reply_completion(call: Call, value: Any) -> int:
    for suggestion in value:
        check_call(lib.mcp_call_add_completion(
            call, str(suggestion).replace("\0", "").encode("utf-8")))
    return int(lib.mcp_call_reply(call))


def finish_later(call: Call, value: Any, error: Optional[BaseException],
                 reply: Callable[[Call, Any], int]) -> None:
    """Answers a deferred call, whatever happens."""
    rc = 0
    try:
        if error is None:
            rc = reply(call, value)
        else:
            rc = fail(call, error)
    except BaseException as caught:
        rc = fail(call, caught)
    if rc == lib.MCP_ERR_NOT_FOUND:
        uri = text(lib.mcp_call_uri(call))
        is_old = text(lib.mcp_call_revision(call)) < "2026-07-28"
        lib.mcp_call_reply_error(
            call, lib.MCP_RPC_RESOURCE_NOT_FOUND if is_old else -32602,
            c_text(f'there is no resource "{uri}"'), ffi.NULL)
    elif rc < 0 and rc != lib.MCP_ERR_GONE:
        lib.mcp_call_drop(call)
