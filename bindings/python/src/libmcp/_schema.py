# SPDX-License-Identifier: MIT
"""JSON Schemas from type hints, and the conversion of values by them.

`compile_type` turns a hint into a Type: its schema, how a JSON value becomes a
Python value, and how a Python value becomes JSON.
"""
from __future__ import annotations

import sys

TYPE_CHECKING = False  # typing costs two megabytes
if TYPE_CHECKING:
    import typing
    from typing import Any, Callable, Dict, List, Optional, Tuple

    Schema = Dict[str, Any]
_NONE = type(None)
_MISSING = object()
_BY_JSON = {"string": str, "boolean": bool, "array": list, "object": dict,
            "null": _NONE}


def _loaded(name: str) -> Any:
    """A module that hints may use; None: nothing has imported it, so they do
    not use it."""
    return sys.modules.get(name)


def _is_enum(value: Any) -> bool:
    enum = _loaded("enum")
    return enum is not None and isinstance(value, enum.Enum)


def _is_typed_dict(hint: Any) -> bool:
    typing = _loaded("typing")
    return typing is not None and bool(typing.is_typeddict(hint))


def _is_class(hint: Any) -> bool:
    """Whether it is a class; list[int] is not one."""
    return issubclass(type(hint), type)


class Type:
    """A hint that has been understood."""
    __slots__ = ("schema", "convert", "accepts", "from_text", "is_object")

    def __init__(self, schema: Schema,
                 convert: Optional[Callable[[Any], Any]] = None,
                 accepts: Optional[Callable[[Any], bool]] = None,
                 from_text: Optional[Callable[[str], Any]] = None) -> None:
        self.schema = schema
        #: Makes the Python value of a JSON value; None: they are the same.
        self.convert = convert
        #: Whether a JSON value is of this type, for unions.
        self.accepts = accepts or _accepts_type(schema)
        #: Makes the Python value of a string, for prompts and templates, or
        #: raises ValueError; None: a string cannot become it.
        self.from_text = from_text
        self.is_object = schema.get("type") == "object"

    def value(self, json_value: Any) -> Any:
        return self.convert(json_value) if self.convert else json_value


def _accepts_type(schema: Schema) -> Callable[[Any], bool]:
    kind = schema.get("type")
    if kind is None:
        return lambda value: True
    if kind in ("integer", "number"):
        return lambda value: isinstance(value, (int, float)) \
            and not isinstance(value, bool) \
            and (kind == "number" or value == int(value))
    wanted = _BY_JSON[kind]
    return lambda value: isinstance(value, wanted)


def _bool_from_text(text: str) -> bool:
    if text.lower() in ("true", "1", "yes"):
        return True
    if text.lower() in ("false", "0", "no"):
        return False
    raise ValueError(f"expected true or false, got {text!r}")


def _int_from_text(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"expected an integer, got {text!r}") from None


def _float_from_text(text: str) -> float:
    try:
        value = float(text)
        if value - value == 0:  # JSON has no infinity and no NaN
            return value
    except ValueError:
        pass
    raise ValueError(f"expected a number, got {text!r}")


def compile_type(hint: Any, where: str,
                 inside: Tuple[Any, ...] = ()) -> Type:
    """Understands a hint.

    `where` names it in errors; `inside` are the classes around it, which must
    not be in themselves.
    """
    typing = _loaded("typing")
    if hint is object or hint is _MISSING or \
            typing is not None and hint is typing.Any:
        return Type({}, from_text=str)
    if hint is None or hint is _NONE:
        return Type({"type": "null"})
    if hint is bool:
        return Type({"type": "boolean"}, from_text=_bool_from_text)
    if hint is int:
        return Type({"type": "integer"}, int, from_text=_int_from_text)
    if hint is float:
        return Type({"type": "number"}, float, from_text=_float_from_text)
    if hint is str:
        return Type({"type": "string"}, from_text=str)
    enum = _loaded("enum")
    if enum is not None and _is_class(hint) and issubclass(hint, enum.Enum):
        return _enum(hint)
    if hint in inside:
        raise TypeError(f"{where}: {hint.__name__} contains itself, which "
                        "is not supported")
    if _is_dataclass(hint):
        return _dataclass(hint, where, (*inside, hint))
    if _is_typed_dict(hint):
        return _typed_dict(hint, where, (*inside, hint))
    return _generic(hint, where, inside)


def _generic(hint: Any, where: str, inside: Tuple[Any, ...]) -> Type:
    if hint in (list, dict, tuple, set):
        return _plain_generic(hint, (), where, inside)
    # NewType("Id", int), and `type Id = int` of Python 3.12.
    alias = getattr(hint, "__supertype__", getattr(hint, "__value__", None))
    if alias is not None:
        return compile_type(alias, where, inside)
    import types
    import typing
    origin, args = typing.get_origin(hint) or hint, typing.get_args(hint)
    if origin is typing.Annotated:
        return _annotated(compile_type(args[0], where, inside), args[1:])
    if origin is typing.Literal:
        return _literal(args)
    if origin is typing.Union or origin is types.UnionType:
        return _union([compile_type(arg, where, inside) for arg in args])
    return _plain_generic(origin, args, where, inside)


def _plain_generic(origin: Any, args: Tuple[Any, ...], where: str,
                   inside: Tuple[Any, ...]) -> Type:
    if origin in (list, set, frozenset):
        return _array(origin, args, where, inside)
    if origin is tuple:
        return _tuple(args, where, inside)
    if origin is dict:
        return _mapping(args, where, inside)
    import collections.abc
    if origin in (collections.abc.Sequence, collections.abc.Iterable):
        return _array(origin, args, where, inside)
    if origin is collections.abc.Mapping:
        return _mapping(args, where, inside)
    raise TypeError(
        f"{where}: there is no JSON Schema for {origin!r}. Use str, int, float, "
        "bool, list, dict, a dataclass, a TypedDict, an Enum, Literal, "
        "Optional or Any")


def _enum(hint: Any) -> Type:
    values = [member.value for member in hint]
    schema: Schema = {"enum": values}
    kinds = {type(value) for value in values}
    if kinds == {str}:
        schema = {"type": "string", "enum": values}
    elif kinds == {int}:
        schema = {"type": "integer", "enum": values}

    def from_text(text: str) -> Any:
        for member in hint:
            if str(member.value) == text:
                return member
        raise ValueError(f"expected one of {values}, got {text!r}")
    return Type(schema, hint, lambda value: value in values, from_text)


def _literal(values: Tuple[Any, ...]) -> Type:
    schema: Schema = {"enum": list(values)}
    if all(isinstance(value, str) for value in values):
        schema = {"type": "string", "enum": list(values)}

    def from_text(text: str) -> Any:
        for value in values:
            if str(value) == text:
                return value
        raise ValueError(f"expected one of {list(values)}, got {text!r}")
    return Type(schema, None, lambda value: value in values, from_text)


def _annotated(inner: Type, notes: Tuple[Any, ...]) -> Type:
    schema = dict(inner.schema)
    for note in notes:
        if isinstance(note, str):
            schema["description"] = note
        elif isinstance(note, dict):
            schema.update(note)  # further keywords: {"minimum": 0}
    return Type(schema, inner.convert, inner.accepts, inner.from_text)


def _union(members: List[Type]) -> Type:
    schemas = [member.schema for member in members]
    if all(set(schema) == {"type"} and isinstance(schema["type"], str)
           for schema in schemas):
        schema: Schema = {"type": [schema["type"] for schema in schemas]}
    else:
        schema = {"anyOf": schemas}

    def convert(value: Any) -> Any:
        for member in members:
            if member.accepts(value):
                return member.value(value)
        return value

    makes = [member.from_text for member in members
             if member.from_text is not None]

    def from_text(text: str) -> Any:
        problems = []
        for make in makes:
            try:
                return make(text)
            except ValueError as error:
                problems.append(str(error))
        raise ValueError("; or ".join(problems))
    return Type(schema, convert,
                lambda value: any(member.accepts(value) for member in members),
                from_text if makes else None)


def _array(origin: Any, args: Tuple[Any, ...], where: str,
           inside: Tuple[Any, ...]) -> Type:
    schema: Schema = {"type": "array"}
    item = compile_type(args[0], where, inside) if args else Type({})
    if item.schema:
        schema["items"] = item.schema
    make = origin if origin in (set, frozenset) else list
    if make is not list:
        schema["uniqueItems"] = True
    if item.convert is None and make is list:
        return Type(schema)
    return Type(schema, lambda values: make(item.value(v) for v in values))


def _tuple(args: Tuple[Any, ...], where: str, inside: Tuple[Any, ...]) -> Type:
    if len(args) == 2 and args[1] is ...:
        inner = _array(list, args[:1], where, inside)
        return Type(inner.schema, lambda values: tuple(inner.value(values)))
    items = [compile_type(arg, where, inside) for arg in args]
    schema: Schema = {"type": "array"}
    if items:
        schema.update(prefixItems=[item.schema for item in items],
                      minItems=len(items), maxItems=len(items))
    return Type(schema, lambda values: tuple(
        item.value(value) for item, value in zip(items, values))
        if items else tuple(values))


def _mapping(args: Tuple[Any, ...], where: str,
             inside: Tuple[Any, ...]) -> Type:
    if not args:
        return Type({"type": "object"})
    if args[0] is not str:
        raise TypeError(f"{where}: the keys of a dict are str in JSON, not "
                        f"{args[0]!r}")
    item = compile_type(args[1], where, inside)
    schema: Schema = {"type": "object"}
    if item.schema:
        schema["additionalProperties"] = item.schema
    if item.convert is None:
        return Type(schema)
    return Type(schema, lambda values: {
        name: item.value(value) for name, value in values.items()})


def _is_dataclass(hint: Any) -> bool:
    return isinstance(hint, type) and hasattr(hint, "__dataclass_fields__")


def _object(members: Dict[str, Type], required: List[str],
            make: Optional[Callable[..., Any]], is_open: bool = False) -> Type:
    """`is_open`: results have further members, which arguments may have too,
    but which are left out."""
    schema: Schema = {
        "type": "object",
        "properties": {name: member.schema
                       for name, member in members.items()}}
    if not is_open:
        schema["additionalProperties"] = False
    if required:
        schema["required"] = required

    def convert(value: Any) -> Any:
        converted = {name: members[name].value(v) if name in members else v
                     for name, v in value.items()
                     if name in members or not is_open}
        return make(**converted) if make else converted

    def accepts(value: Any) -> bool:
        return isinstance(value, dict) and \
            all(name in value for name in required) and \
            all(members[name].accepts(v) if name in members else is_open
                for name, v in value.items())
    same = make is None and all(m.convert is None for m in members.values())
    return Type(schema, None if same else convert, accepts)


def _dataclass(hint: Any, where: str, inside: Tuple[Any, ...]) -> Type:
    import dataclasses
    import typing
    hints = typing.get_type_hints(hint, include_extras=True)
    members: Dict[str, Type] = {}
    required = []
    is_open = False
    for field in dataclasses.fields(hint):
        if not field.init:
            is_open = True  # nobody passes it, but plain() has it
            continue
        member = compile_type(hints[field.name], f"{where}.{field.name}",
                              inside)
        if field.default is not dataclasses.MISSING:
            member = with_default(member, field.default)
        elif field.default_factory is dataclasses.MISSING:
            required.append(field.name)
        members[field.name] = member
    return _object(members, required, hint, is_open)


def _typed_dict(hint: Any, where: str, inside: Tuple[Any, ...]) -> Type:
    import typing
    hints = typing.get_type_hints(hint, include_extras=True)
    members = {}
    for name, inner in hints.items():
        # Required[...] and NotRequired[...] are in __required_keys__ too.
        if str(typing.get_origin(inner)).endswith("Required"):
            inner = typing.get_args(inner)[0]
        members[name] = compile_type(inner, f"{where}.{name}", inside)
    required = [name for name in hints if name in hint.__required_keys__]
    return _object(members, required, None)


def with_default(inner: Type, default: Any) -> Type:
    """Adds a default to a schema, if JSON has such a value."""
    if _is_enum(default):
        default = default.value
    if not isinstance(default, (str, int, float, bool, list, dict, _NONE)):
        return inner
    schema = {**inner.schema, "default": default}
    return Type(schema, inner.convert, inner.accepts, inner.from_text)


def plain(value: Any) -> Any:
    """Makes what JSON has of dataclasses, enums, sets and tuples."""
    if value is None or type(value) in (str, bool, int, float):
        return value
    if _is_enum(value):
        return plain(value.value)
    if isinstance(value, (str, int, float)):
        return value
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(inner) for inner in value]
    if hasattr(type(value), "__dataclass_fields__"):
        return {name: plain(getattr(value, name))
                for name in type(value).__dataclass_fields__}
    raise TypeError(f"JSON has no {type(value).__name__}: {value!r}")


class Parameter:
    """A parameter of a handler."""
    __slots__ = ("name", "type", "required", "default")

    def __init__(self, name: str, kind: Type, required: bool,
                 default: Any) -> None:
        self.name = name
        self.type = kind
        self.required = required
        self.default = default


class Signature:
    """What the hints of a function say."""

    def __init__(self, function: Callable[..., Any], context_class: type,
                 what: str) -> None:
        hints = _hints(function)
        #: The name of the parameter that gets the context; None: there is none.
        self.context: Optional[str] = None
        self.parameters: List[Parameter] = []
        self.result: Any = hints.get("return", _MISSING)
        for name, default in _parameters(function, what):
            hint = hints.get(name, _MISSING)
            if hint is context_class or \
                    context_class in getattr(hint, "__args__", ()):
                self.context = name
                continue
            kind = compile_type(hint, f"{what}: parameter {name!r}")
            required = default is _MISSING
            if not required:
                kind = with_default(kind, default)
            self.parameters.append(
                Parameter(name, kind, required,
                          None if required else default))

    def schema(self) -> Schema:
        return _object({p.name: p.type for p in self.parameters},
                       [p.name for p in self.parameters if p.required],
                       None).schema

    def output(self, what: str) -> Optional[Type]:
        """The type of a structured result; None: the result is content."""
        hint = self.result
        if hasattr(hint, "__metadata__"):  # Annotated
            hint = hint.__origin__
        if _is_dataclass(hint) or _is_typed_dict(hint) or hint is dict \
                or getattr(hint, "__origin__", None) is dict:
            return compile_type(self.result, f"{what}: result")
        return None


def _hints(function: Callable[..., Any]) -> Dict[str, Any]:
    try:
        hints: Dict[str, Any] = dict(function.__annotations__)
        if all(hint is None or _is_class(hint) for hint in hints.values()):
            return hints  # so that many servers do not need typing
    except (AttributeError, NameError):
        pass
    import typing
    try:
        return typing.get_type_hints(function, include_extras=True)
    except NameError as error:
        # Hints as strings (from __future__ import annotations) may name what
        # is local to the caller.
        frame: Any = sys._getframe(1)
        while frame.f_globals.get("__package__") == __package__ \
                and frame.f_back is not None:
            frame = frame.f_back
        names = dict(frame.f_locals)
        try:
            return typing.get_type_hints(function, localns=names,
                                         include_extras=True)
        except NameError:
            raise error from None


def _parameters(function: Any, what: str) -> List[Tuple[str, Any]]:
    """Returns each parameter with its default or _MISSING. (The module inspect
    would do it, but needs three megabytes.)"""
    bound = hasattr(function, "__self__")  # a method, also a decorated one
    inner = getattr(function, "__func__", function)
    while hasattr(inner, "__wrapped__"):
        inner = inner.__wrapped__
    code = getattr(inner, "__code__", None)
    if code is None:
        raise TypeError(f"{what}: expected a function, got {function!r}")
    if code.co_flags & 0x0C:
        raise TypeError(f"{what}: *args and **kwargs have no schema; name each "
                        "parameter")
    if code.co_posonlyargcount > bound:
        raise TypeError(f"{what}: parameters before '/' have no name for "
                        "clients")
    names = code.co_varnames[:code.co_argcount]
    defaults = inner.__defaults__ or ()
    first = len(names) - len(defaults)
    found = [(name, defaults[i - first] if i >= first else _MISSING)
             for i, name in enumerate(names)][int(bound):]
    only = code.co_varnames[code.co_argcount:
                            code.co_argcount + code.co_kwonlyargcount]
    by_name = inner.__kwdefaults__ or {}
    return found + [(name, by_name.get(name, _MISSING)) for name in only]
