# SPDX-License-Identifier: MIT
# The extension that cffi makes (build_native.py).
from typing import Any, Callable, TypeVar

_F = TypeVar("_F", bound=Callable[..., Any])

class _FFI:
    NULL: Any
    def def_extern(self, name: str = ..., error: Any = ...,
                   onerror: Callable[[Any, Any, Any], Any] = ...
                   ) -> Callable[[_F], _F]: ...
    def __getattr__(self, name: str) -> Any: ...

ffi: _FFI
lib: Any
