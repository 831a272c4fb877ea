# SPDX-License-Identifier: MIT
"""What handlers return beside plain values: content, and messages."""
from __future__ import annotations

from ._json import Keep
from ._native import ffi, lib

TYPE_CHECKING = False  # typing costs two megabytes
if TYPE_CHECKING:
    from typing import Any, Optional, Union


class Content:
    """One piece of content. Use a subclass, or str for a text."""
    __slots__ = ("_members",)

    def __init__(self, **members: Any) -> None:
        self._members = members

    def add_to(self, call: Any) -> int:
        """Adds the content to a call, and returns libmcp's code."""
        keep = Keep()
        content = keep.new("mcp_content")
        for name, value in self._members.items():
            if isinstance(value, str):
                value = keep.string(value)
            elif isinstance(value, (bytes, bytearray, memoryview)):
                content.data_len = len(value)
                value = keep.keep(ffi.from_buffer(value))
            if value is not None:
                setattr(content, name, value)
        return int(lib.mcp_call_add_content(call, content))

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}"
                           for name, value in self._members.items())
        return f"{type(self).__name__}({inside})"


class Image(Content):
    """An image."""
    __slots__ = ()

    def __init__(self, data: bytes, mime_type: str = "image/png") -> None:
        super().__init__(type=lib.MCP_CONTENT_IMAGE, data=data,
                         mime_type=mime_type)


class Audio(Content):
    """A sound."""
    __slots__ = ()

    def __init__(self, data: bytes, mime_type: str = "audio/wav") -> None:
        super().__init__(type=lib.MCP_CONTENT_AUDIO, data=data,
                         mime_type=mime_type)


class EmbeddedResource(Content):
    """The text or the bytes of a resource."""
    __slots__ = ()

    def __init__(self, uri: str, content: Union[str, bytes],
                 mime_type: Optional[str] = None) -> None:
        which = "text" if isinstance(content, str) else "data"
        super().__init__(type=lib.MCP_CONTENT_RESOURCE, uri=uri,
                         mime_type=mime_type, **{which: content})


class ResourceLink(Content):
    """A link to a resource."""
    __slots__ = ()

    def __init__(self, uri: str, name: str, *, title: Optional[str] = None,
                 description: Optional[str] = None,
                 mime_type: Optional[str] = None) -> None:
        super().__init__(type=lib.MCP_CONTENT_RESOURCE_LINK, uri=uri,
                         name=name, title=title, description=description,
                         mime_type=mime_type)


class Message:
    """One message of a prompt."""
    __slots__ = ("content", "role")

    def __init__(self, content: Any, role: str = "user") -> None:
        if role not in ("user", "assistant"):
            raise ValueError(f"the role of a message is 'user' or 'assistant', "
                             f"not {role!r}")
        self.content = content
        self.role = role

    def __repr__(self) -> str:
        return f"Message({self.content!r}, {self.role!r})"
