# SPDX-License-Identifier: MIT
"""What functions say: how to read their arguments, their names, hints."""
from __future__ import annotations

from ._errors import McpError
from ._json import load
from ._native import lib
from ._replies import Call
from ._schema import Signature

TYPE_CHECKING = False  # typing costs two megabytes
if TYPE_CHECKING:
    from typing import (Any, Callable, Dict, List, Optional, Sequence, Tuple,
                        Union)

# --- reading arguments -------------------------------------------------------

def tool_reader(signature: Signature) -> Callable[[Call], Dict[str, Any]]:
    converts = [(p.name, p.type.convert) for p in signature.parameters
                if p.type.convert is not None]
    arguments_of = lib.mcp_call_arguments
    if not signature.parameters:
        return lambda call: {}
    if not converts:
        return lambda call: load(arguments_of(call))

    def read(call: Call) -> Dict[str, Any]:
        arguments: Dict[str, Any] = load(arguments_of(call))
        for name, convert in converts:
            if name in arguments:
                arguments[name] = convert(arguments[name])
        return arguments
    return read


def text_reader(signature: Signature, what: str
                ) -> Callable[[Call], Dict[str, Any]]:
    """Of prompts and templates, whose arguments are strings."""
    makes: Dict[str, Callable[[str], Any]] = {}
    for p in signature.parameters:
        if p.type.from_text is None:
            raise TypeError(
                f"{what}: parameter {p.name!r}: clients send a string here, "
                "which can become str, int, float, bool, a Literal or an Enum")
        makes[p.name] = p.type.from_text
    if not makes:
        return lambda call: {}

    def read(call: Call) -> Dict[str, Any]:
        arguments = {}
        for name, value in load(lib.mcp_call_arguments(call)).items():
            if name not in makes:
                continue
            try:
                arguments[name] = makes[name](value)
            except ValueError as error:
                raise McpError(-32602,
                               f"the argument {name!r}: {error}") from None
        missing = [p.name for p in signature.parameters
                   if p.required and p.name not in arguments]
        if missing:
            raise McpError(-32602, f"the argument {missing[0]!r} is missing")
        return arguments
    return read


def variables_of(template: str) -> List[str]:
    """Returns the variables of a template of URIs (RFC 6570)."""
    found = []
    for part in template.split("{")[1:]:
        for word in part.split("}")[0].lstrip("+#./;?&").split(","):
            found.append(word.split(":")[0].rstrip("*"))
    return found


# --- what functions say ------------------------------------------------------

def name_of(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", "<lambda>")
    if name == "<lambda>":
        raise ValueError("a lambda has no name; give one: tool('name')")
    return str(name)


def describe(function: Callable[..., Any],
              description: Optional[str]) -> Optional[str]:
    if description is not None:
        return description
    if not function.__doc__:
        return None
    lines = function.__doc__.strip().split("\n")
    rest = [line for line in lines[1:] if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in rest), default=0)
    return "\n".join(lines[:1] + [line[indent:].rstrip()
                                  for line in lines[1:]])


def is_async(function: Any) -> bool:
    while True:
        code = getattr(getattr(function, "__func__", function), "__code__",
                       None)
        if code is not None and code.co_flags & 0x80:  # CO_COROUTINE
            return True
        if not hasattr(function, "__wrapped__"):
            return False
        function = function.__wrapped__


def count_parameters(function: Any) -> int:
    """Returns how many parameters a function can take by position."""
    bound = hasattr(function, "__self__")
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return 1 if code is None else int(code.co_argcount) - int(bound)


def hint_bits(hints: Tuple[Optional[bool], ...]) -> int:
    bits = 0
    pairs = ((lib.MCP_TOOL_READ_ONLY, lib.MCP_TOOL_NOT_READ_ONLY),
             (lib.MCP_TOOL_DESTRUCTIVE, lib.MCP_TOOL_NOT_DESTRUCTIVE),
             (lib.MCP_TOOL_IDEMPOTENT, lib.MCP_TOOL_NOT_IDEMPOTENT),
             (lib.MCP_TOOL_OPEN_WORLD, lib.MCP_TOOL_NOT_OPEN_WORLD))
    for value, (yes, no) in zip(hints, pairs):
        if value is not None:
            bits |= yes if value else no
    return bits


def join_scopes(scopes: Union[str, Sequence[str], None]) -> Optional[str]:
    """Returns scopes as libmcp wants them: with spaces between them."""
    return scopes if scopes is None or isinstance(scopes, str) else \
        " ".join(scopes)
