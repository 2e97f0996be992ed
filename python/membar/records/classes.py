"""Record classes as `membar.records` makes them: methods are compiled on first use.

A dataclass writes and compiles up to eight methods when its module is imported; the two hundred of a
`membar check` took a third of a second, and most of them are never called. Here each method is a descriptor
that writes the method, puts it in its own place, and is never asked again. Equality, hash, representation,
`match`, pickling, `dataclasses.fields` and `dataclasses.replace` are those of a dataclass.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter, methodcaller
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, TypeVar

from membar.records import templates

if TYPE_CHECKING:
    import dataclasses

T = TypeVar("T")
_SHAPE = "__record_shape__"
_FIELDS = "__dataclass_fields__"
_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "__lt__": operator.lt, "__le__": operator.le, "__gt__": operator.gt, "__ge__": operator.ge,
}  # fmt: skip


class _Missing:
    """No default."""


MISSING = _Missing()
MADE_LATER = _Missing()  # stands for what a factory makes


class Field:
    """What is said of one field.

    Attributes:
        default: its value where none is given.
        factory: makes its value where none is given.
        is_given: whether `__init__` takes it.
        is_shown: whether the representation has it.
        counts: whether equality, order and hash look at it.
        by_name: whether `__init__` takes it by name only.
    """

    __slots__ = ("by_name", "counts", "default", "factory", "is_given", "is_shown")

    def __init__(self, default: object = MISSING) -> None:
        self.default = default
        self.factory: Callable[[], object] | None = None
        self.is_given = self.is_shown = self.counts = True
        self.by_name = False


# A field of which nothing is said, as most are.
_REQUIRED = Field()
_REQUIRED_BY_NAME = Field()
_REQUIRED_BY_NAME.by_name = True


def field(
    *,
    default: object = MISSING,
    default_factory: Callable[[], object] | None = None,
    init: bool = True,
    repr: bool = True,  # noqa: A002 - the words of dataclasses
    compare: bool = True,
) -> Field:
    """As `dataclasses.field`."""
    found = Field(default)
    found.factory = default_factory
    found.is_given, found.is_shown, found.counts = init, repr, compare
    return found


def record(
    *,
    frozen: bool = False,
    eq: bool = True,
    order: bool = False,
    slots: bool = False,
    kw_only: bool = False,
) -> Callable[[type[T]], type[T]]:
    """As `dataclass` with these options; a frozen class is hashed by its fields, but not protected."""
    methods = _methods(frozen, eq, order)

    def decorate(cls: type[T]) -> type[T]:
        own = _own_fields(cls, by_name=kw_only)
        shape = {**_inherited_fields(cls), **own} if cls.__base__ is not object else own
        space = cls.__dict__
        added: dict[str, object] = {_SHAPE: shape, _FIELDS: _FIELDS_OF_RECORDS}
        added |= {
            name: method
            for name, method in methods.items()
            if name not in space or (name == "__hash__" and space[name] is None)
        }
        added["__match_args__"] = tuple(
            [name for name, one in shape.items() if one.is_given and not one.by_name]
        )
        return _with_slots(cls, own, added) if slots else _with_defaults(cls, own, added)

    return decorate


def _own_fields(cls: type, *, by_name: bool) -> dict[str, Field]:
    space = cls.__dict__
    found = {}
    for name, kind in space.get("__annotations__", {}).items():
        if str(kind).startswith("ClassVar"):
            continue
        if name not in space:
            found[name] = _REQUIRED_BY_NAME if by_name else _REQUIRED
            continue
        given = space[name]
        if type(given).__module__ == "dataclasses":
            raise TypeError(f"{cls.__qualname__}.{name}: records have fields of their own (membar.records)")
        one = given if isinstance(given, Field) else Field(given)
        one.by_name = by_name
        found[name] = one
    return found


def _inherited_fields(cls: type) -> dict[str, Field]:
    found: dict[str, Field] = {}
    for base in reversed(cls.__mro__[1:]):
        found |= base.__dict__.get(_SHAPE, {})
    return found


def _with_slots(cls: type[T], own: Mapping[str, Field], added: Mapping[str, object]) -> type[T]:
    """The class again, with a slot for each field: that must be said when a class is made."""
    taken = {name for base in cls.__mro__[1:-1] for name in base.__dict__.get("__slots__", ())}
    left_out = {*own, "__dict__", "__weakref__"}
    space = {name: value for name, value in cls.__dict__.items() if name not in left_out}
    space |= added
    space["__slots__"] = tuple(name for name in own if name not in taken)
    space["__qualname__"] = cls.__qualname__
    metaclass: Callable[..., type[T]] = type(cls)
    return metaclass(cls.__name__, cls.__bases__, space)


def _with_defaults(cls: type[T], own: Mapping[str, Field], added: Mapping[str, object]) -> type[T]:
    for name, value in added.items():
        setattr(cls, name, value)
    for name, one in own.items():
        if one.default is not MISSING:
            setattr(cls, name, one.default)
        elif name in cls.__dict__:
            delattr(cls, name)
    return cls


class LazyMethod:
    """A method that is not yet written, of all records: whoever looks at it gets it written for one class."""

    __slots__ = ("make", "name")

    def __init__(self, name: str, make: Callable[[type, str], FunctionType]) -> None:
        self.name = name
        self.make = make

    def __get__(self, instance: object, owner: type) -> object:
        """The method, bound as methods are."""
        return self.write(owner).__get__(instance, owner)

    def write(self, owner: type) -> Callable[..., object]:
        """The method, which from now on stands where this stood."""
        mine = next(cls for cls in owner.__mro__ if cls.__dict__.get(self.name) is self)
        found = self.make(mine, self.name)
        found.__qualname__ = f"{mine.__qualname__}.{self.name}"
        found.__module__ = mine.__module__
        if self.name == "__init__":
            found.__annotations__ = _types(mine)
        setattr(mine, self.name, found)
        return found


def _shape(cls: type) -> Mapping[str, Field]:
    shape: Mapping[str, Field] = cls.__dict__[_SHAPE]
    return shape


def _types(cls: type) -> dict[str, object]:
    kinds: dict[str, object] = {}
    for base in reversed(cls.__mro__):
        kinds |= base.__dict__.get("__annotations__", {})  # noqa: RUF063 - light
    return {**{name: kinds[name] for name, one in _shape(cls).items() if one.is_given}, "return": None}


def _from_family(cls: type, name: str, family: Sequence[CodeType]) -> FunctionType | None:
    """The method, if there is a template for so many fields; None if there is none."""
    fields = [name for name, one in _shape(cls).items() if one.counts]
    if len(fields) >= len(family):
        return None
    return FunctionType(_with_names(family[len(fields)], fields), {}, name)


def _is_from_template(method: object) -> bool:
    """Whether this is a method of a record that nobody wrote by hand."""
    if isinstance(method, LazyMethod):
        return True
    return isinstance(method, FunctionType) and method.__code__.co_filename == templates.INIT[0].co_filename


_PLACES = {f"f{number}": number for number in range(len(templates.INIT))}
"""The fields of templates."""


def _with_names(code: CodeType, fields: Sequence[str]) -> CodeType:
    """The code of a template, which calls its fields f0, f1, …, with the names of these fields."""
    return code.replace(
        co_names=tuple([fields[_PLACES[name]] if name in _PLACES else name for name in code.co_names]),
        co_varnames=tuple([fields[_PLACES[name]] if name in _PLACES else name for name in code.co_varnames]),
    )


def _init_from_template(cls: type) -> FunctionType | None:
    positional, named = list[str](), list[str]()
    defaults, named_defaults = list[object](), dict[str, object]()
    for name, one in _shape(cls).items():
        if not one.is_given:
            continue
        default = one.default if one.factory is None else MADE_LATER
        if one.by_name:
            named.append(name)
            if default is not MISSING:
                named_defaults[name] = default
            continue
        positional.append(name)
        if default is not MISSING:
            defaults.append(default)
        elif defaults:
            raise TypeError(f"{cls.__qualname__}.{name} has no default, but a field before it has one")
    fields, complete = (*positional, *named), _completion(cls)
    family = templates.INIT if complete is None else templates.INIT_AND_COMPLETE
    if len(fields) >= len(family):
        return None
    code = _with_names(family[len(fields)], fields).replace(
        co_argcount=1 + len(positional),
        co_kwonlyargcount=len(named),
        co_name="__init__",
        co_qualname=f"{cls.__qualname__}.__init__",
    )
    found = FunctionType(code, {"complete": complete}, "__init__", tuple(defaults))
    if named_defaults:
        found.__kwdefaults__ = named_defaults
    return found


def _completion(cls: type) -> Callable[[object], None] | None:
    """What `__init__` does besides keeping what it is given; None if nothing."""
    made = [(name, one.factory) for name, one in _shape(cls).items() if one.factory is not None]
    fixed = [
        (name, one.default)
        for name, one in _shape(cls).items()
        if not one.is_given and one.factory is None and one.default is not MISSING
    ]
    is_looked_at = hasattr(cls, "__post_init__")
    if not made and not fixed:
        return methodcaller("__post_init__") if is_looked_at else None
    absent = frozenset(name for name, one in _shape(cls).items() if not one.is_given)

    def complete(value: object) -> None:
        for name, factory in made:
            if name in absent or getattr(value, name) is MADE_LATER:
                setattr(value, name, factory())
        for name, default in fixed:
            setattr(value, name, default)
        if is_looked_at:
            value.__post_init__()  # type: ignore[attr-defined]  # it has one

    return complete


def _make_init(cls: type, name: str) -> FunctionType:
    found = _init_from_template(cls)
    if found is None:
        known: dict[str, object] = {}
        exec(compile(_init_text(cls, name, known), f"<{name} of {cls.__qualname__}>", "exec"), known)
        compiled = known[name]
        assert isinstance(compiled, FunctionType)
        found = compiled
    return found


def _init_text(cls: type, name: str, known: dict[str, object]) -> str:
    positional, named, body = ["self"], list[str](), list[str]()
    for number, (field_name, one) in enumerate(_shape(cls).items()):
        default = ""
        value = field_name
        if one.factory is not None:
            known[f"_{number}"], known["_missing"] = one.factory, MISSING
            default = "=_missing"
            value = f"_{number}() if {field_name} is _missing else {field_name}"
            value = value if one.is_given else f"_{number}()"
        elif one.default is not MISSING:
            known[f"_{number}"] = one.default
            default = f"=_{number}"
            value = value if one.is_given else f"_{number}"
        elif not one.is_given:
            continue
        if one.is_given:
            (named if one.by_name else positional).append(field_name + default)
        body.append(f" self.{field_name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append(" self.__post_init__()")
    arguments = ", ".join([*positional, *(["*", *named] if named else [])])
    return "\n".join((f"def {name}({arguments}):", *(body or [" pass"])))


def _make_repr(cls: type, name: str) -> FunctionType:  # noqa: ARG001 - as all that make a method
    shown = [field_name for field_name, one in _shape(cls).items() if one.is_shown]

    def __repr__(self: object) -> str:  # noqa: N807 - it becomes that of a class
        parts = [f"{field_name}={getattr(self, field_name)!r}" for field_name in shown]
        return f"{self.__class__.__qualname__}({', '.join(parts)})"

    assert isinstance(__repr__, FunctionType)
    return __repr__


def _values_to_compare(cls: type) -> Callable[[object], object]:
    """What equality, order and hash look at; there is some."""
    return attrgetter(*(name for name, one in _shape(cls).items() if one.counts))


def _make_equal(cls: type, name: str) -> FunctionType:
    return _from_family(cls, name, templates.EQUAL) or _comparison(cls, operator.eq)


def _make_order(cls: type, name: str) -> FunctionType:
    return _comparison(cls, _ORDERS[name])


def _comparison(cls: type, compare: Callable[[object, object], bool]) -> FunctionType:
    compared = _values_to_compare(cls)

    def method(self: object, other: object) -> bool:
        return (
            compare(compared(self), compared(other)) if other.__class__ is self.__class__ else NotImplemented
        )

    assert isinstance(method, FunctionType)
    return method


def _make_hash(cls: type, name: str) -> FunctionType:
    found = _from_family(cls, name, templates.HASHED)
    if found is not None:
        return found
    compared = _values_to_compare(cls)

    def method(self: object) -> int:
        return hash(compared(self))

    assert isinstance(method, FunctionType)
    return method


class _Fields:
    """The fields as `dataclasses` describes them, made on demand."""

    __slots__ = ()

    def __get__(self, instance: object, owner: type) -> dict[str, dataclasses.Field[object]]:
        """By name."""
        import dataclasses  # brings `inspect` along, and is rarely asked for

        cls = next(cls for cls in owner.__mro__ if cls.__dict__.get(_FIELDS) is self)
        kinds = _types(cls)
        space: dict[str, object] = {"__module__": cls.__module__}
        space["__annotations__"] = {name: kinds.get(name, "object") for name in _shape(cls)}
        for name, one in _shape(cls).items():
            said = dataclasses.field(
                default=dataclasses.MISSING if one.default is MISSING else one.default,
                default_factory=dataclasses.MISSING if one.factory is None else one.factory,
                init=one.is_given,
                repr=one.is_shown,
                compare=one.counts,
                kw_only=one.by_name,
            )  # type: ignore[call-overload]  # the stubs know no field with neither
            space[name] = said
        twin: type = dataclasses.dataclass(init=False, repr=False, eq=False, match_args=False)(
            type(cls.__name__, (), space)
        )
        found: dict[str, dataclasses.Field[object]] = twin.__dict__[_FIELDS]
        setattr(cls, _FIELDS, found)
        return found


def replace(value: T, /, **changes: object) -> T:
    """As `dataclasses.replace`.

    Raises:
        ValueError: a field is changed that `__init__` does not take.
    """
    cls = value.__class__
    copying = _COPYING.get(cls) or _copying(cls)
    if copying.read is None:
        import dataclasses  # values of other people's classes

        return dataclasses.replace(value, **changes)  # type: ignore[type-var]  # the callers' types say so
    if copying.keep is not None and changes.keys() <= copying.names.keys():
        found = cls.__new__(cls)
        copying.keep(found, *copying.read(value))
        for name, new in changes.items():
            setattr(found, name, new)
        return found
    for name in changes:
        if name in getattr(cls, _SHAPE) and name not in copying.names:
            raise ValueError(f"the field {name} is not given to __init__, and cannot be replaced")
    return cls(**{**dict(zip(copying.names, copying.read(value), strict=True)), **changes})


class _Copying:
    """How values of a class are copied.

    Attributes:
        names: of the fields that `__init__` takes.
        read: gives what is in all of them; None for a class that is no record.
        keep: puts that into a new value, by position; None if `__init__` does more.
    """

    __slots__ = ("keep", "names", "read")

    def __init__(self, cls: type) -> None:
        shape: Mapping[str, Field] | None = getattr(cls, _SHAPE, None)
        self.names = {name: one for name, one in (shape or {}).items() if one.is_given}
        self.read: Callable[[object], Sequence[object]] | None = None
        self.keep: Callable[..., None] | None = None
        if shape is None:
            return
        fields = tuple(self.names)
        if len(fields) > 1:
            self.read = attrgetter(*fields)
        else:
            self.read = lambda value: [getattr(value, name) for name in fields]
        is_plain = fields == tuple(shape) and not hasattr(cls, "__post_init__")
        if is_plain and _is_from_template(cls.__dict__.get("__init__")) and len(fields) < len(templates.INIT):
            self.keep = FunctionType(_with_names(templates.INIT[len(fields)], fields), {})


_COPYING: dict[type, _Copying] = {}


def _copying(cls: type) -> _Copying:
    return _COPYING.setdefault(cls, _Copying(cls))


_INIT = LazyMethod("__init__", _make_init)
_REPR = LazyMethod("__repr__", _make_repr)
_EQUAL = LazyMethod("__eq__", _make_equal)
_HASH = LazyMethod("__hash__", _make_hash)
_ORDERED = {name: LazyMethod(name, _make_order) for name in _ORDERS}
_FIELDS_OF_RECORDS = _Fields()


def _methods(frozen: bool, eq: bool, order: bool) -> dict[str, LazyMethod | None]:  # noqa: FBT001
    """The methods of a record with these options; None is a hash that it must not have."""
    found: dict[str, LazyMethod | None] = {"__init__": _INIT, "__repr__": _REPR}
    if eq:
        found |= {"__eq__": _EQUAL, "__hash__": _HASH if frozen else None}
        found |= _ORDERED if order else {}
    return found
