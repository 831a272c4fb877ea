# SPDX-License-Identifier: MIT
"""How clients over HTTP get tokens (OAuth)."""
import os
from typing import Any, Callable, Optional, Union

from ._errors import make_error, on_error
from ._functions import is_async
from ._json import Keep, text
from ._native import ffi as base_ffi
from ._native_http import ffi, lib
from ._numbers import Numbers, userdata_of

_logins: "Numbers[_Auth]" = Numbers()


class Login:
    """Logs a client in when the server demands it: Client(url=..., login=...).

    The user agrees in a browser. Tokens are kept in files that only the user
    can read, and later runs use and renew them. With machine=True the program
    has credentials of its own (client_id, client_secret, and the issuer that
    they are for), and its tokens are kept in memory."""

    def __init__(self, *, name: str = "libmcp", machine: bool = False,
                 client_id: Optional[str] = None,
                 client_secret: Optional[str] = None,
                 issuer: Optional[str] = None, scopes: Optional[str] = None,
                 folder: "Optional[Union[str, os.PathLike[str]]]" = None,
                 open_browser: Optional[Callable[[str], None]] = None) -> None:
        """`name` is shown to the user; `folder` is where tokens are kept,
        instead of $XDG_STATE_HOME/mcp/auth; `open_browser` gets the page's URL,
        instead of the system's browser."""
        if machine and not (client_id and client_secret):
            raise ValueError("machine=True needs client_id and client_secret")
        if is_async(open_browser):
            raise TypeError("open_browser must be a def, not an async def")
        self.name = name
        self.machine = machine
        self.client_id = client_id
        self.client_secret = client_secret
        self.issuer = issuer
        self.scopes = scopes
        self.folder = folder
        self.open_browser = open_browser


class _Auth:
    """The logins of one client."""

    def __init__(self, loop: Any, login: Login) -> None:
        self.login = login
        keep = Keep()
        options = keep.keep(ffi.new("mcp_auth_options *"))
        options.size = ffi.sizeof("mcp_auth_options")
        options.client_name = keep.string(login.name)
        options.client_id = keep.string(login.client_id)
        options.client_secret = keep.string(login.client_secret)
        options.client_issuer = keep.string(login.issuer)
        options.scopes = keep.string(login.scopes)
        store = keep.keep(ffi.new("mcp_auth_store *"))
        store.size = ffi.sizeof("mcp_auth_store")
        err = base_ffi.new("mcp_error *")
        if login.machine:
            options.grant = lib.MCP_AUTH_CLIENT_CREDENTIALS
        else:
            if lib.mcp_auth_store_files(store, loop, keep.path(login.folder),
                                        err) != 0:
                raise make_error(err)
            options.store = store
        self.number = _logins.add(self)
        if login.open_browser is not None:
            options.open_browser = lib.py_on_open_browser
            options.userdata = userdata_of(self.number)
        self.auth = lib.mcp_auth_new(loop, options, err)
        if not self.auth:
            _logins.drop(self.number)
            if options.store:
                store.release(store.userdata)
            raise make_error(err)

    @property
    def is_renewing(self) -> bool:
        """Whether free() would lose a token."""
        return bool(lib.mcp_auth_is_renewing(self.auth))

    def free(self) -> None:
        _logins.drop(self.number)
        lib.mcp_auth_free(self.auth)


@ffi.def_extern(error=-1, onerror=on_error)
def py_on_open_browser(auth: Any, prompt: Any, userdata: Any) -> int:
    found = _logins.find(userdata)
    if found is None or found.login.open_browser is None:
        return -1
    found.login.open_browser(text(prompt.url))
    return 0
