"""Which operations, tags, objects, registers and places a test becomes."""

from __future__ import annotations

import pytest

from membar.languages.litmus.dialects.c.tags import TAGS
from membar.program.condition import FinalCell, FinalRegister, terms_of
from membar.program.expr import Address, Constant
from membar.program.operations import Fence, Load, Operation, Rmw, Store
from membar.program.program import Program
from membar.program.validate import validate
from unit.languages.litmus.c.single import body_of, program_of

ORDERS = {
    "relaxed": "RLX",
    "consume": "CON",
    "acquire": "ACQ",
    "release": "REL",
    "acq_rel": "ACQ_REL",
    "seq_cst": "SC",
}


def operations(program: Program, thread: int = 0) -> list[Operation]:
    return [operation for edge in program.threads[thread].edges for operation in edge.operations]


def only(code: str) -> Operation:
    (operation,) = operations(body_of(code))
    return operation


@pytest.mark.parametrize(
    ("code", "tag"),
    [("int r = *x;", "NA"), ("int r = x[0];", "NA"), ("int r = atomic_load(x);", "SC")]
    + [
        (f"int r = atomic_load_explicit(x, memory_order_{order});", ORDERS[order])
        for order in ("relaxed", "consume", "acquire", "seq_cst")
    ],
)
def test_loads(code: str, tag: str) -> None:
    expected = Load(register="r", address=Address("x"), size=4, signed=True, tags=frozenset({tag}))
    assert only(code) == expected


@pytest.mark.parametrize(
    ("code", "tag"),
    [("*x = 1;", "NA"), ("atomic_init(x, 1);", "NA"), ("atomic_store(x, 1);", "SC")]
    + [
        (f"atomic_store_explicit(x, 1, memory_order_{order});", ORDERS[order])
        for order in ("relaxed", "release", "seq_cst")
    ],
)
def test_stores(code: str, tag: str) -> None:
    assert only(code) == Store(address=Address("x"), value=Constant(1), size=4, tags=frozenset({tag}))


@pytest.mark.parametrize(("order", "tag"), ORDERS.items())
def test_fences_and_both_halves_of_an_rmw_carry_the_order(order: str, tag: str) -> None:
    assert only(f"atomic_thread_fence(memory_order_{order});") == Fence(frozenset({tag}))
    rmw = only(f"int r = atomic_fetch_add_explicit(x, 1, memory_order_{order});")
    assert isinstance(rmw, Rmw)
    assert rmw.read_tags == rmw.write_tags == frozenset({tag, "RMW"})
    assert rmw.condition == Constant(1)


def test_a_failed_compare_exchange_has_its_own_order() -> None:
    arguments = "x, y, 1, memory_order_acq_rel, memory_order_acquire"
    program = body_of(f"int r = atomic_compare_exchange_strong_explicit({arguments});")
    load, rmw, *_ = operations(program)
    assert isinstance(load, Load)
    assert (load.address, load.tags) == (Address("y"), frozenset({"NA"}))
    assert isinstance(rmw, Rmw)
    assert rmw.read_tags == frozenset({"ACQ_REL", "RMW"})
    assert rmw.failed_tags == frozenset({"ACQ"})
    (store,) = (operation for operation in operations(program) if isinstance(operation, Store))
    assert (store.address, store.tags) == (Address("y"), frozenset({"NA"}))


def test_every_tag_is_documented() -> None:
    assert set(TAGS) == {"NA", "RMW", *ORDERS.values()}
    assert all(sentence.endswith(".") for sentence in TAGS.values())


def test_each_access_points_at_its_own_text() -> None:
    code = "int r0 = atomic_load_explicit(x, memory_order_relaxed);\n  if (*y) {\n    *x = 1;\n  }"
    spans = [edge.span for edge in body_of(code).threads[0].edges if edge.operations]
    texts = [span.text for span in spans if span is not None]
    assert texts == ["atomic_load_explicit(x, memory_order_relaxed)", "*y", "*x = 1"]
    assert [span.line for span in spans if span is not None] == [4, 5, 6]


@pytest.mark.parametrize(
    ("parameters", "initial", "size", "is_signed", "count"),
    [
        ("int* x", "", 4, True, 1),
        ("atomic_int *x", "", 4, True, 1),
        ("volatile int* x", "", 4, True, 1),
        ("const int* x", "", 4, True, 1),
        ("_Atomic(int)* x", "", 4, True, 1),
        ("_Atomic int* x", "", 4, True, 1),
        ("unsigned long long int * restrict x", "", 8, False, 1),
        ("atomic_uchar* x", "", 1, False, 1),
        ("_Bool* x", "", 1, False, 1),
        ("int16_t* x", "", 2, True, 1),
        ("int** x", "", 8, False, 1),
        ("int x[]", "int x[2]={1,2};", 4, True, 2),
        ("uint64_t* x", "uint64_t x = 3;", 8, False, 1),
        ("int* x", "[x] = 1;", 4, True, 1),
        ("atomic_int* x", "atomic_int x = ATOMIC_VAR_INIT(1);", 4, True, 1),
    ],
)  # fmt: skip
def test_objects(parameters: str, initial: str, size: int, count: int, *, is_signed: bool) -> None:
    program = body_of("", parameters=parameters, initial=initial)
    (item,) = program.objects
    assert (item.size, item.signed, item.count) == (size, is_signed, count)
    validate(program)


TEST = """C names
{ x=1; int64_t y=-2; p=&x; int v[2]={3,4}; 0:r1=7; 1:q=x; }
P1 (int* q, int** p) { int a = *q; int* b = *p; }
void P0 (int64_t* y) { unsigned r0 = 1; int r1; long r2 = *y; }
locations [p; 0:r1]
exists (0:r0=1 /\\ 0:r2=-2 /\\ 1:b=x /\\ y=-2 /\\ v[1]=4)
"""


def test_threads_are_ordered_by_number_and_names_resolve() -> None:
    program = program_of(TEST)
    validate(program)
    assert [thread.name for thread in program.threads] == ["P0", "P1"]
    assert program.threads[0].registers == (("r1", 7),)
    assert isinstance(operations(program, 1)[0], Load)
    assert operations(program, 1)[0] == Load(
        register="a", address=Address("x"), size=4, signed=True, tags=frozenset({"NA"})
    )
    assert {item.name for item in program.objects} == {"x", "y", "p", "v"}
    assert program.condition is not None
    assert list(terms_of(program.condition.formula)) == [
        FinalRegister(0, "r0", 32, signed=False),
        FinalRegister(0, "r2", 64, signed=True),
        FinalRegister(1, "b", 64, signed=False),
        FinalCell("y", 0, 64, signed=True),
        FinalCell("v", 1, 32, signed=True),
    ]


def test_plain_access_of_an_atomic_type_is_plain() -> None:
    (operation,) = operations(body_of("*x = 1;", parameters="atomic_int* x"))
    assert isinstance(operation, Store)
    assert operation.tags == frozenset({"NA"})
