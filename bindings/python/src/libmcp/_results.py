# SPDX-License-Identifier: MIT
"""What a client gets. Each class has the whole JSON object in `raw`."""
import base64
from typing import Any, Dict, List, Optional

Json = Dict[str, Any]


class Record:
    """An object of the protocol."""
    __slots__ = ("raw",)

    def __init__(self, raw: Json) -> None:
        self.raw = raw

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.raw!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and \
            type(self) is type(other) and self.raw == other.raw

    @property
    def meta(self) -> Json:
        """The member `_meta`."""
        found: Json = self.raw.get("_meta") or {}
        return found


class _Named(Record):
    __slots__ = ()

    @property
    def name(self) -> str:
        return str(self.raw.get("name", ""))

    @property
    def title(self) -> Optional[str]:
        return self.raw.get("title")

    @property
    def description(self) -> Optional[str]:
        return self.raw.get("description")


class ServerInfo(_Named):
    """What a server says about itself."""
    __slots__ = ()

    @property
    def version(self) -> str:
        return str(self.raw.get("version", ""))


class ToolInfo(_Named):
    """A tool in the list of a server."""
    __slots__ = ()

    @property
    def input_schema(self) -> Json:
        found: Json = self.raw.get("inputSchema") or {}
        return found

    @property
    def output_schema(self) -> Optional[Json]:
        return self.raw.get("outputSchema")

    @property
    def annotations(self) -> Json:
        found: Json = self.raw.get("annotations") or {}
        return found


class ResourceInfo(_Named):
    """A resource in the list of a server."""
    __slots__ = ()

    @property
    def uri(self) -> str:
        return str(self.raw["uri"])

    @property
    def mime_type(self) -> Optional[str]:
        return self.raw.get("mimeType")


class TemplateInfo(_Named):
    """A resource template in the list of a server."""
    __slots__ = ()

    @property
    def uri_template(self) -> str:
        return str(self.raw["uriTemplate"])

    @property
    def mime_type(self) -> Optional[str]:
        return self.raw.get("mimeType")


class PromptInfo(_Named):
    """A prompt in the list of a server."""
    __slots__ = ()

    @property
    def arguments(self) -> List[Json]:
        found: List[Json] = self.raw.get("arguments") or []
        return found


class CallResult(Record):
    """The result of a tool."""
    __slots__ = ()

    @property
    def content(self) -> List[Json]:
        found: List[Json] = self.raw.get("content") or []
        return found

    @property
    def text(self) -> str:
        """The texts of the content, one after the other in lines."""
        return "\n".join(block["text"] for block in self.content
                         if block.get("type") == "text")

    @property
    def structured(self) -> Any:
        """The structured content; None: there is none."""
        return self.raw.get("structuredContent")

    @property
    def is_error(self) -> bool:
        return bool(self.raw.get("isError"))


class ReadResult(Record):
    """The contents of a resource."""
    __slots__ = ()

    @property
    def contents(self) -> List[Json]:
        found: List[Json] = self.raw.get("contents") or []
        return found

    @property
    def text(self) -> str:
        """The first text."""
        for entry in self.contents:
            if "text" in entry:
                return str(entry["text"])
        raise ValueError("the resource has no text; see its `data`")

    @property
    def data(self) -> bytes:
        """The bytes of the first entry."""
        for entry in self.contents:
            if "blob" in entry:
                return base64.b64decode(entry["blob"])
            if "text" in entry:
                return str(entry["text"]).encode("utf-8")
        return b""


class PromptResult(Record):
    """The messages of a prompt."""
    __slots__ = ()

    @property
    def description(self) -> Optional[str]:
        return self.raw.get("description")

    @property
    def messages(self) -> List[Json]:
        found: List[Json] = self.raw.get("messages") or []
        return found

    @property
    def text(self) -> str:
        """The texts of the messages, one after the other in lines."""
        return "\n".join(m["content"]["text"] for m in self.messages
                         if m["content"].get("type") == "text")


class Completion(Record):
    """Suggestions for an argument."""
    __slots__ = ()

    @property
    def values(self) -> List[str]:
        found: List[str] = self.raw["completion"]["values"]
        return found

    @property
    def has_more(self) -> bool:
        return bool(self.raw["completion"].get("hasMore"))


class Elicitation(Record):
    """A question to the user: the params of `elicitation/create`."""
    __slots__ = ()

    @property
    def message(self) -> str:
        return str(self.raw.get("message", ""))

    @property
    def schema(self) -> Optional[Json]:
        """The form; None: the user should visit `url`."""
        return self.raw.get("requestedSchema")

    @property
    def url(self) -> Optional[str]:
        return self.raw.get("url")
