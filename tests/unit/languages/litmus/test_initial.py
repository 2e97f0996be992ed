"""Entries of the initial state."""

from __future__ import annotations

import pytest

from membar.languages.litmus.test import (
    InitialValue,
    InitLocation,
    InitRegister,
    InitSymbol,
    LitmusTest,
    Reference,
)
from unit.languages.litmus.texts import found_in, read


def state(entries: str) -> LitmusTest:
    return read(f"X86 t\n{{{entries}}}\nP0 ;\nexists (true)\n")


def plain(value: InitialValue | None) -> int | str | None:
    if isinstance(value, Reference):
        return f"{value.name}[{value.index}]" if value.index else value.name
    return value


def location(entry: InitLocation) -> tuple[str, str | None, int | None, tuple[int | str | None, ...]]:
    return entry.name, entry.type, entry.count, tuple(plain(value) for value in entry.values)


def register(entry: InitRegister) -> tuple[int, str, str | None, int | str | None]:
    return entry.thread, entry.register, entry.type, plain(entry.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x=1", ("x", None, None, (1,))),
        (" x = -3 ;", ("x", None, None, (-3,))),
        ("[x]=0x1F;", ("x", None, None, (31,))),
        ("x", ("x", None, None, ())),
        ("int x", ("x", "int", None, ())),
        ("volatile int x = 010;", ("x", "volatile int", None, (10,))),
        ("int *p = &x;", ("p", "int*", None, ("x",))),
        ("int* p = x;", ("p", "int*", None, ("x",))),
        ("int **p;", ("p", "int**", None, ())),
        ("p=v[2];", ("p", None, None, ("v[2]",))),
        ("atomic_t x = ATOMIC_INIT(1);", ("x", "atomic_t", None, (1,))),
        ("int64_t v[2]={1,-2};", ("v", "int64_t", 2, (1, -2))),
        ("uint32_t v[2] = { 2, 1 }", ("v", "uint32_t", 2, (2, 1))),
        ("int v[3];", ("v", "int", 3, ())),
        ("int v={1,2};", ("v", "int", 2, (1, 2))),
        ("unsigned long long [x] = 1ULL;", ("x", "unsigned long long", None, (1,))),
    ],
)
def test_locations(text: str, expected: object) -> None:
    (entry,) = state(text).locations
    assert location(entry) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0:X1=x", (0, "X1", None, "x")),
        ("P0:EBX=1", (0, "EBX", None, 1)),
        ("0x1:EBX=1", (1, "EBX", None, 1)),
        ("1: X1 = -3", (1, "X1", None, -3)),
        ("uint64_t 0:X1=x", (0, "X1", "uint64_t", "x")),
        ("int64_t 0:X0", (0, "X0", "int64_t", None)),
        ("int *1:a0", (1, "a0", "int*", None)),
        ("int P12:r0 = 0", (12, "r0", "int", 0)),
        ("0:%p=x", (0, "%p", None, "x")),
    ],
)
def test_registers(text: str, expected: object) -> None:
    (entry,) = state(text).registers
    assert register(entry) == expected


def test_symbolic_registers() -> None:
    (entry,) = state("uint64_t %p=x;").symbols
    assert (entry.name, entry.type, plain(entry.value)) == ("p", "uint64_t", "x")


def test_entries_in_any_separation_keep_their_order_and_spans() -> None:
    test = state("x=1;y=2;\n(* z=3; *) 0:EAX=1; // w=1;\n /* u=1; */ z=x,;;")
    assert [entry.name for entry in test.locations] == ["x", "y", "z"]
    assert test.locations[2].span.text == "z=x"
    assert test.registers[0].span.line == 3


def test_type_and_value_may_be_given_apart() -> None:
    assert len(state("int64_t x; x=1;").locations) == 2


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x=", ("W0102", 2, 4)),
        ("x=1 y=2", ("W0102", 2, 6)),
        ("0:=1", ("W0102", 2, 4)),
        ("0 EAX=1", ("W0102", 2, 4)),
        ("=1", ("W0102", 2, 2)),
        ("*x=1", ("W0102", 2, 2)),
        ("int v[0];", ("W0102", 2, 8)),
        ("int v[2]={1,2,3};", ("W0102", 2, 11)),
        ("int v[2]={1 2};", ("W0102", 2, 14)),
        ("x=1; x=2;", ("W0102", 2, 7)),
        ("0:EAX=1; P0:EAX=2;", ("W0102", 2, 11)),
        ("x=#1", ("W0102", 2, 4)),
        ("x=0x1ffffffffffffffff", ("W0102", 2, 4)),
        ("x=-9223372036854775809", ("W0102", 2, 4)),
        ("x=" + "9" * 9999, ("W0102", 2, 4)),
        ("int v[99999];", ("W0102", 2, 8)),
        ('0:X1=instr:"NOP"', ("W0110", 2, 7)),
        ("0:X1=1:L0", ("W0110", 2, 7)),
    ],
)
def test_broken_entries(text: str, found: tuple[str, int, int]) -> None:
    assert found_in(lambda: state(text)) == [found]


@pytest.mark.parametrize(
    "entries",
    [
        "",
        " ; x=1;; 0:X1=x; y=1 , z=-2;\n\n  1:X1 = y; x ;",
        "int64_t v[2]={1,-2}; p=v[2]; int *q = &x; %r=q; uint64_t 0:X1=x; uint64_t 1:X1=x",
    ],
)
def test_entries_that_recur_are_read_as_if_new(entries: str) -> None:
    """A comment makes them ones that are read in place."""
    alone, again, commented = state(entries + "     "), state(entries + "     "), state(entries + "(* *)")
    for test in (again, commented):
        for name in ("registers", "locations", "symbols"):
            assert [placed(entry) for entry in getattr(test, name)] == [
                placed(entry) for entry in getattr(alone, name)
            ]
            assert all(entry.span.source is test.source for entry in getattr(test, name))


def placed(entry: InitRegister | InitLocation | InitSymbol) -> tuple[object, ...]:
    """Everything about an entry but its file."""
    values = entry.values if isinstance(entry, InitLocation) else (entry.value,)
    places = [_offsets(value) for value in values if isinstance(value, Reference)]
    what = entry.register if isinstance(entry, InitRegister) else entry.name
    return what, entry.type, [plain(value) for value in values], places, _offsets(entry)


def _offsets(entry: Reference | InitRegister | InitLocation | InitSymbol) -> tuple[int, int]:
    return entry.span.start, entry.span.end
