# SPDX-License-Identifier: MIT
"""Schemas from hints, and values by them."""
import enum
import typing
import unittest
from dataclasses import dataclass, field
from typing import (Annotated, Any, Dict, List, Literal, Optional, Tuple,
                    TypedDict, Union)

import libmcp
from libmcp._schema import Signature, compile_type, plain


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


@dataclass
class Inner:
    name: str
    tags: List[str] = field(default_factory=list)


@dataclass
class Outer:
    inner: Inner
    colour: Colour = Colour.RED


class Options(TypedDict, total=False):
    size: int
    colour: Colour


class Node(TypedDict):
    next: "Optional[Node]"


INNER = {"type": "object", "properties": {
    "name": {"type": "string"},
    "tags": {"type": "array", "items": {"type": "string"}}},
    "additionalProperties": False, "required": ["name"]}
COLOUR = {"type": "string", "enum": ["red", "blue"]}

# A hint, its schema, a JSON value, and the Python value.
TABLE = [
    (str, {"type": "string"}, "a", "a"),
    (int, {"type": "integer"}, 3.0, 3),
    (float, {"type": "number"}, 3, 3.0),
    (bool, {"type": "boolean"}, True, True),
    (None, {"type": "null"}, None, None),
    (Any, {}, [1], [1]),
    (object, {}, 1, 1),
    (list, {"type": "array"}, [1, "a"], [1, "a"]),
    (List[int], {"type": "array", "items": {"type": "integer"}}, [1, 2.0],
     [1, 2]),
    (list[str], {"type": "array", "items": {"type": "string"}}, ["a"], ["a"]),
    (set[str], {"type": "array", "items": {"type": "string"},
                "uniqueItems": True}, ["a"], {"a"}),
    (Tuple[int, str], {"type": "array", "minItems": 2, "maxItems": 2,
                       "prefixItems": [{"type": "integer"},
                                       {"type": "string"}]},
     [1, "a"], (1, "a")),
    (Tuple[int, ...], {"type": "array", "items": {"type": "integer"}}, [1],
     (1,)),
    (dict, {"type": "object"}, {"a": 1}, {"a": 1}),
    (Dict[str, float], {"type": "object",
                        "additionalProperties": {"type": "number"}},
     {"a": 1}, {"a": 1.0}),
    (Optional[int], {"type": ["integer", "null"]}, None, None),
    (Optional[int], {"type": ["integer", "null"]}, 2, 2),
    (int | str, {"type": ["integer", "string"]}, "2", "2"),
    (Union[Inner, str], {"anyOf": [INNER, {"type": "string"}]},
     {"name": "n"}, Inner("n")),
    (Union[bool, int], {"type": ["boolean", "integer"]}, 1, 1),
    (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}, "b", "b"),
    (Literal[1, "a"], {"enum": [1, "a"]}, 1, 1),
    (Colour, COLOUR, "blue", Colour.BLUE),
    (Level, {"type": "integer", "enum": [1, 2]}, 2, Level.HIGH),
    (Inner, INNER, {"name": "n", "tags": ["t"]}, Inner("n", ["t"])),
    (Outer, {"type": "object", "properties": {
        "inner": INNER, "colour": {**COLOUR, "default": "red"}},
        "additionalProperties": False, "required": ["inner"]},
     {"inner": {"name": "n"}}, Outer(Inner("n"))),
    (Options, {"type": "object", "properties": {
        "size": {"type": "integer"}, "colour": COLOUR},
        "additionalProperties": False},
     {"colour": "red"}, {"colour": Colour.RED}),
    (Annotated[int, "how many", {"minimum": 0}],
     {"type": "integer", "description": "how many", "minimum": 0}, 1, 1),
    (List[Inner], {"type": "array", "items": INNER}, [{"name": "n"}],
     [Inner("n")]),
]


class Schema(unittest.TestCase):
    def test_each_hint_has_its_schema_and_converts(self) -> None:
        for hint, schema, json_value, value in TABLE:
            with self.subTest(hint=hint):
                kind = compile_type(hint, "x")
                self.assertEqual(kind.schema, schema)
                found = kind.value(json_value)
                self.assertEqual(found, value)
                self.assertIs(type(found), type(value))
                self.assertTrue(kind.accepts(json_value))

    def test_libmcp_accepts_each_schema(self) -> None:
        for hint, _, _, _ in TABLE:
            def handler(value):  # type: ignore[no-untyped-def]
                return None
            handler.__annotations__ = {"value": hint}
            libmcp.Server("s").tool("t")(handler)

    def test_signature(self) -> None:
        def f(a: int, b: "Annotated[str, 'text']" = "x",
              ctx: Optional[libmcp.Context] = None, *,
              c: Optional[bool] = None) -> Inner:
            return Inner(b)
        signature = Signature(f, libmcp.Context, "f")
        self.assertEqual(signature.context, "ctx")
        self.assertEqual(signature.schema(), {
            "type": "object", "additionalProperties": False,
            "properties": {
                "a": {"type": "integer"},
                "b": {"type": "string", "description": "text",
                      "default": "x"},
                "c": {"type": ["boolean", "null"], "default": None}},
            "required": ["a"]})
        output = signature.output("f")
        assert output is not None
        self.assertEqual(output.schema, INNER)

    def test_wrong_hints_are_named(self) -> None:
        def bad(a: bytearray) -> None: ...
        def keys(a: Dict[int, str]) -> None: ...
        def rest(*a: int) -> None: ...
        def only(a: int, /) -> None: ...
        def node(a: Node) -> None: ...
        for function, text in (
                (bad, "parameter 'a': there is no JSON Schema for <class "
                      "'bytearray'>"),
                (keys, "keys of a dict are str"), (rest, "name each parameter"),
                (only, "before '/'"), (node, "Node contains itself")):
            with self.assertRaisesRegex(TypeError, text):
                libmcp.Server("s").tool(function)

    def test_methods_and_wrapped_functions(self) -> None:
        import functools

        class Box:
            def get(self, key: str) -> str:
                return key

        def log(function: Any) -> Any:
            @functools.wraps(function)
            def inner(*args: Any, **kwargs: Any) -> Any:
                return function(*args, **kwargs)
            return inner

        @log
        def wrapped(a: int) -> int:
            return a
        for function, name in ((Box().get, "key"), (wrapped, "a")):
            signature = Signature(function, libmcp.Context, "f")
            self.assertEqual([p.name for p in signature.parameters], [name])

    def test_hints_as_strings_name_local_classes(self) -> None:
        @dataclass
        class Local:
            a: int

        def f(value: "Local") -> "Local":
            return value
        f.__annotations__ = {"value": "Local", "return": "Local"}
        server = libmcp.Server("s")
        server.tool(f)
        server.tool("g")(f)
        server.prompt("p")(lambda: "")

        def bad(value: "Missing") -> None: ...  # type: ignore  # noqa: F821
        with self.assertRaisesRegex(NameError, "Missing"):
            server.tool(bad)

    def test_plain(self) -> None:
        self.assertEqual(
            plain({"a": Outer(Inner("n")), "b": (1, Level.LOW), "c": {2}}),
            {"a": {"inner": {"name": "n", "tags": []}, "colour": "red"},
             "b": [1, 1], "c": [2]})
        with self.assertRaisesRegex(TypeError, "JSON has no object"):
            plain(object())

    def test_not_required(self) -> None:
        if not hasattr(typing, "NotRequired"):
            self.skipTest("Python 3.11")
        made = TypedDict("made", {  # type: ignore[misc]
            "a": int, "b": typing.NotRequired[str]})
        self.assertEqual(compile_type(made, "x").schema["required"], ["a"])


if __name__ == "__main__":
    unittest.main()
