# SPDX-License-Identifier: MIT
"""JSON between Python and libmcp, which takes and gives it as text."""
from __future__ import annotations

import os

from ._native import ffi, lib

TYPE_CHECKING = False  # typing costs two megabytes
if TYPE_CHECKING:
    from typing import Any, Tuple


def _refuse(value: Any) -> Any:
    raise TypeError(f"JSON has no {type(value).__name__}: {value!r}")


class _Settings:
    """What the reader in C asks its JSONDecoder for."""
    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int
    parse_constant = _refuse  # libmcp sends no NaN


def _make_fast() -> Tuple[Any, Any]:
    """The two functions in C that the module json calls. The module itself
    brings `re` and `enum`, which cost more than a megabyte."""
    import _json
    in_c: Any = _json
    scan = in_c.make_scanner(_Settings)
    encode = in_c.make_encoder(None, _refuse, in_c.encode_basestring, None,
                               ":", ",", False, False, False)
    text = '{"a":[1,2.5,null,true,"\\n\u00fc"]}'
    if "".join(encode(scan(text, 0)[0], 0)) != text:
        raise ImportError
    return scan, lambda value: "".join(encode(value, 0))


def _make_slow() -> Tuple[Any, Any]:
    import json
    decoder: Any = json.JSONDecoder()
    return decoder.scan_once, json.JSONEncoder(
        allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode


try:
    _scan, _encode = _make_fast()
except Exception:  # another Python
    _scan, _encode = _make_slow()


def load(value: Any) -> Any:
    """Returns the Python value of a `const mcp_json *`; None for NULL."""
    if not value:
        return None
    text = lib.mcp_json_to_text(value, ffi.NULL)
    if not text:
        raise MemoryError
    try:
        return _scan(ffi.string(text).decode("utf-8"), 0)[0]
    finally:
        lib.mcp_text_free(text)


def dump(value: Any) -> bytes:
    """Returns a value as JSON in UTF-8. It contains no NUL."""
    return bytes(_encode(value), "utf-8")


def text(value: Any) -> str:
    """Returns a C string of libmcp as str."""
    return str(ffi.string(value).decode("utf-8", "replace"))


def maybe_text(value: Any) -> Any:
    """Returns a C string of libmcp as str; None for NULL."""
    return text(value) if value else None


def c_text(value: Any) -> Any:
    """Returns a str as a C string for a message; NULL for None. A NUL would
    end it, so it becomes visible."""
    if value is None:
        return ffi.NULL
    return value.replace("\0", "\\0").encode("utf-8", "backslashreplace")


class Keep:
    """Keeps the C strings alive that a structure points to."""

    def __init__(self) -> None:
        self._kept: list[Any] = []

    def string(self, value: Any) -> Any:
        """Returns a `char *` of a str, or NULL for None."""
        if value is None:
            return ffi.NULL
        if not isinstance(value, str):
            raise TypeError(f"expected a str, not {type(value).__name__}: "
                            f"{value!r}")
        return self._bytes(value.encode("utf-8"))

    def path(self, value: Any) -> Any:
        """Returns a `char *` of what the system calls a file, an argument or a
        variable, which need not be UTF-8; NULL for None."""
        return ffi.NULL if value is None else self._bytes(os.fsencode(value))

    def _bytes(self, value: bytes) -> Any:
        if b"\0" in value:
            raise ValueError(f"a NUL is in {value!r}")
        return self.keep(ffi.new("char[]", value))

    def strings(self, values: Any) -> Any:
        """Returns an array of `char *` that ends with NULL."""
        return self._array([self.string(value) for value in values])

    def paths(self, values: Any) -> Any:
        """The same as path() makes them."""
        return self._array([self.path(value) for value in values])

    def _array(self, words: Any) -> Any:
        return self.keep(ffi.new("char *[]", [*words, ffi.NULL]))

    def keep(self, value: Any) -> Any:
        self._kept.append(value)
        return value

    def new(self, name: str) -> Any:
        """Makes a structure with its size."""
        made = self.keep(ffi.new(name + " *"))
        made.size = ffi.sizeof(name)
        return made

    def schema(self, json_text: Any) -> Any:
        if json_text is None:
            return ffi.NULL
        schema = self.new("mcp_schema")
        schema.text = self.keep(ffi.new("char[]", json_text))
        return schema
