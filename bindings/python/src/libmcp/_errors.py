# SPDX-License-Identifier: MIT
"""The exceptions of the package."""
from __future__ import annotations

from _thread import _local

from ._native import ffi, lib

TYPE_CHECKING = False  # typing costs two megabytes
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Type


class McpError(Exception):
    """Something failed.

    A handler raises it to answer with a JSON-RPC error of this code. From a
    client it is one of the subclasses below.
    """

    #: The code that libmcp has recorded on the call of a handler, if this is
    #: an error of a function for calls; 0: it is not.
    _recorded = 0
    #: Whether libmcp made it, rather than a peer or this program.
    _is_local = False

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        #: The code of JSON-RPC if the peer answered with an error
        #: (RemoteError); else libmcp's own (MCP_ERR_*, -1 ... -23).
        self.code = code
        self.message = message
        #: What the peer sent with its error; None: nothing.
        self.data = data

    def __reduce__(self) -> Any:
        return type(self), (self.code, self.message, self.data)


class RemoteError(McpError):
    """The peer answered with a JSON-RPC error."""


class ConnectionClosedError(McpError):
    """The connection has ended, or cannot be made."""


class RequestTimeoutError(McpError):
    """There was no answer in time."""


class RequestCancelledError(McpError):
    """This program or the peer cancelled the request."""


class ProtocolError(McpError):
    """The peer's answer is not valid."""


class SchemaError(McpError):
    """A value does not satisfy its JSON Schema, or a schema is not valid."""


class UnsupportedError(McpError):
    """The peer, its revision or this build does not have the method."""


class LimitError(McpError):
    """A limit was reached."""


class ToolError(Exception):
    """A tool has failed in a way that the model should read.

    A handler raises it; the client gets a result with `isError` and the text.
    Client.call raises it for such a result, which is in `result`.
    """

    def __init__(self, message: str, result: Any = None) -> None:
        super().__init__(message)
        self.message = message
        self.result = result


class NotFoundError(Exception):
    """A handler of a resource raises it: there is no resource of this URI."""


_CLASSES: Dict[int, Type[McpError]] = {
    lib.MCP_ERR_REMOTE: RemoteError,
    lib.MCP_ERR_CLOSED: ConnectionClosedError,
    lib.MCP_ERR_GONE: ConnectionClosedError,
    lib.MCP_ERR_TIMEOUT: RequestTimeoutError,
    lib.MCP_ERR_CANCELLED: RequestCancelledError,
    lib.MCP_ERR_PROTOCOL: ProtocolError,
    lib.MCP_ERR_SCHEMA: SchemaError,
    lib.MCP_ERR_UNSUPPORTED: UnsupportedError,
    lib.MCP_ERR_LIMIT: LimitError,
}


#: How messages of time limits name the options of libmcp, and of Python.
_LIMITS = {"(request_timeout_ms)": "(timeout of the client)",
           "(timeout_ms)": "(timeout)",
           "(connect_timeout_ms)": "(connect_timeout)"}


def make_error(err: Any, data: Any = None) -> McpError:
    """Makes the exception for a filled mcp_error."""
    code = err.code
    message = ffi.string(err.message).decode("utf-8", "replace")
    if code == lib.MCP_ERR_TIMEOUT:
        for name, ours in _LIMITS.items():
            message = message.replace(name, ours)
    if code == lib.MCP_ERR_NOMEM:
        raise MemoryError(message)
    message = message or code_text(code)
    if code == lib.MCP_ERR_REMOTE:
        return RemoteError(err.status, message, data)
    return _local_error(code, message)


def _local_error(code: int, message: str) -> McpError:
    error = _CLASSES.get(code, McpError)(code, message)
    error._is_local = True
    return error


def code_text(code: int) -> str:
    return str(ffi.string(lib.mcp_error_text(code)).decode())


def check(rc: int, err: Optional[Any] = None) -> None:
    """Raises the exception for the code that a function of libmcp returned."""
    if rc >= 0:
        return
    if err is not None and err.code != 0:
        raise make_error(err)
    if rc == lib.MCP_ERR_NOMEM:
        raise MemoryError
    raise _local_error(rc, code_text(rc))


def check_call(rc: int) -> None:
    """The same for functions that record their error on the call: the client
    gets the recorded error, unless the handler catches the exception."""
    try:
        check(rc)
    except McpError as error:
        error._recorded = rc
        raise


# --- exceptions in callbacks, which C code cannot pass on -------------------

class _Kept(_local):
    """What callbacks of this thread have raised, or None."""
    interrupt: Optional[BaseException] = None


_kept = _Kept()


def on_error(kind: Type[BaseException], error: BaseException,
             traceback: Any) -> None:
    """Keeps KeyboardInterrupt and SystemExit until raise_interrupt; prints
    others. For ffi.def_extern."""
    if isinstance(error, (KeyboardInterrupt, SystemExit)):
        keep_interrupt(error)
    else:
        from traceback import print_exception
        print_exception(kind, error, traceback)


def keep_interrupt(error: BaseException) -> None:
    _kept.interrupt = error


def has_interrupt() -> bool:
    return _kept.interrupt is not None


def raise_interrupt() -> None:
    """After a function of libmcp that runs callbacks."""
    interrupt, _kept.interrupt = _kept.interrupt, None
    if interrupt is not None:
        raise interrupt
