"""Records: frozen for the type checker, quick to make, and hashed as if they were frozen."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any, ClassVar

import pytest

from generated.record_templates import templates_text
from membar.program.expr import Constant
from membar.program.program import Edge
from membar.records import classes as record_classes
from membar.records import field_names, is_record, record, replace, templates

_THAWED = "from membar.program.expr import Constant; one = Constant(1); one.value = 2; print(one.value)"


def test_the_templates_are_as_they_must_be(request: pytest.FixtureRequest) -> None:
    path = Path(str(templates.__file__))
    if request.config.getoption("--update-golden"):
        path.write_text(templates_text(), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == templates_text()


# The same classes twice, by the one decorator and by the other.
_WAYS: list[tuple[Any, Any]] = [
    (record_classes.record, record_classes.field),
    (dataclasses.dataclass, dataclasses.field),
]


def _classes(decorator: Any, field: Any) -> list[Any]:
    @decorator(frozen=True, slots=True)
    class Point:
        """Two numbers and a note."""

        x: int
        y: int = 2
        note: str = field(default="", compare=False, repr=False)
        kind: ClassVar[str] = "flat"

        def length(self) -> int:
            return self.x + self.y

    @decorator(frozen=True, slots=True, kw_only=True)
    class Deep(Point):
        """One more."""

        z: int
        parts: tuple[int, ...] = field(default_factory=tuple)

    @decorator(eq=False)
    class Same:
        """Only itself."""

        x: int
        found: dict[str, int] = field(default_factory=dict)
        number: int = field(init=False, default=7)

    @decorator(slots=True)
    class Changing:
        """With a second look."""

        x: int
        seen: list[int] = field(default_factory=list)
        twice: int = field(init=False)

        def __post_init__(self) -> None:
            self.twice = 2 * self.x

    @decorator(frozen=True, order=True)
    class Ordered:
        """Smaller and larger."""

        x: int
        y: int = 0

    class Below(Ordered):
        """No record of its own."""

    return [Point, Deep, Same, Changing, Ordered, Below]


_PAIRS = list(zip(*(_classes(*way) for way in _WAYS), strict=True))
_ARGUMENTS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1,), {}),
    ((1, 3), {}),
    ((1,), {"y": 4}),
    ((1,), {"z": 5}),
    ((2, 3), {"z": 5, "parts": (1,), "note": "n"}),
    ((), {}),
    ((1, 2, "", 4), {}),
    ((1,), {"unknown": 1}),
]


def _told(make: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> list[Any]:
    """What can be seen of a value, or why there is none."""
    try:
        value = make(*arguments, **named)
    except TypeError as wrong:
        return [str(wrong)]
    again, other = make(*arguments, **named), make(*(9, *arguments[1:]), **named)
    is_hashable = make.__hash__ is not None
    told = [repr(value).replace("0x", ""), value == again, value == other, value != other, is_hashable]
    told += [hash(value) == hash(again), len({value, again, other})] if is_hashable else []
    if "Same" in repr(make):  # told apart by where they are
        told = [value == again, value == other, value != other]
    names = [one.name for one in dataclasses.fields(value)]
    told += [names, field_names(value), is_record(value), make.__match_args__, make.__doc__]
    told += [[getattr(value, name) for name in names], hasattr(value, "__dict__")]
    changed = replace(value, x=100)
    told += [[getattr(changed, name) for name in names], dataclasses.replace(value, x=100) == changed]
    told += [str(inspect.signature(make)).replace("<factory>", "?"), copy.copy(value) == value]
    return told


@pytest.mark.parametrize(("ours", "theirs"), _PAIRS, ids=lambda one: one.__name__)
def test_records_are_dataclasses_whose_methods_are_written_later(ours: Any, theirs: Any) -> None:
    is_ordered = issubclass(theirs, _PAIRS[4][1])
    for arguments, named in _ARGUMENTS:
        found, expected = _told(ours, arguments, named), _told(theirs, arguments, named)
        if len(expected) > 1:  # signatures differ in how a default that is made is shown
            found, expected = [found[:-2], found[-1]], [expected[:-2], expected[-1]]
        assert found == expected
    if is_ordered:
        assert ours(1) < ours(2) <= ours(2) < ours(2, 1)
        assert ours(3) > ours(2) >= ours(2)
        with pytest.raises(TypeError):
            assert ours(1) < 1


@pytest.mark.parametrize("number", range(36))
@pytest.mark.parametrize("is_by_name", [False, True])
def test_a_record_keeps_each_of_its_fields(number: int, is_by_name: bool) -> None:  # noqa: FBT001
    names = [f"part{index}" for index in range(number)]
    space: dict[str, Any] = {"__annotations__": dict.fromkeys(names, "int")}
    if number > 1:
        space[names[-1]] = -1
    made: Any = record_classes.record(frozen=True, slots=True, kw_only=is_by_name)(type("Made", (), space))
    values = range(number - 1 if number > 1 else number)
    value: Any = made(**dict(zip(names, values, strict=False))) if is_by_name else made(*values)
    assert [getattr(value, name) for name in names] == ([*values, -1] if number > 1 else list(values))
    with pytest.raises(TypeError, match=r"Made.__init__\(\)"):
        made(*range(number + 1))


def test_signatures_name_the_fields() -> None:
    point, deep = _PAIRS[0][0], _PAIRS[1][0]
    assert str(inspect.signature(point)) == "(x: 'int', y: 'int' = 2, note: 'str' = '') -> None"
    assert list(inspect.signature(deep).parameters) == ["x", "y", "note", "z", "parts"]


def test_nothing_is_written_before_it_is_asked_for() -> None:
    point = _classes(record_classes.record, record_classes.field)[0]
    unwritten = record_classes.LazyMethod
    assert isinstance(point.__dict__["__init__"], unwritten)
    made = point(1)
    assert not isinstance(point.__dict__["__init__"], unwritten)
    assert isinstance(point.__dict__["__eq__"], unwritten)
    assert made == point(1)
    assert not isinstance(point.__dict__["__eq__"], unwritten)
    assert isinstance(point.__dict__["__hash__"], unwritten)


def test_what_is_not_given_cannot_be_replaced() -> None:
    changing = _PAIRS[3][0](1)
    with pytest.raises(ValueError, match="twice"):
        replace(changing, twice=3)


def test_records_are_kept_by_pickle() -> None:
    edge = Edge(source=0, target=1)
    assert pickle.loads(pickle.dumps(edge)) == edge


def test_a_method_of_a_parent_is_the_parents() -> None:
    @record(frozen=True)
    class Parent:
        x: int

    @record(frozen=True)
    class Child(Parent):
        y: int = 0

        def __init__(self, x: int) -> None:
            super().__init__(x)
            object.__setattr__(self, "y", 5)

    assert (Child(3).x, Child(3).y) == (3, 5)
    assert Parent(3) != Child(3)


@record(frozen=True, slots=True)
class _Hashed:
    value: int

    def __hash__(self) -> int:
        return 7


@record(frozen=True, slots=True, eq=False)
class _Itself:
    value: int


def test_equal_records_have_equal_hashes_and_what_does_not_count_does_not_count() -> None:
    assert hash(Constant(1)) == hash(Constant(1))
    assert {Edge(source=0, target=1), Edge(source=0, target=1, span=None)} == {Edge(source=0, target=1)}
    assert Edge(source=0, target=1) != Edge(source=0, target=2)


def test_own_hashes_and_identity_are_kept() -> None:
    assert hash(_Hashed(1)) == 7
    assert _Hashed(1) == _Hashed(1)
    assert _Itself(1) != _Itself(1)
    assert len({_Itself(1), _Itself(1)}) == 2


def test_development_mode_freezes_them() -> None:
    plain = subprocess.run([sys.executable, "-c", _THAWED], capture_output=True, text=True, check=False)
    strict = subprocess.run(
        [sys.executable, "-X", "dev", "-c", _THAWED], capture_output=True, text=True, check=False
    )
    assert plain.stdout == "2\n"
    assert "FrozenInstanceError" in strict.stderr
