"""Statements: what a thread does alone."""

from __future__ import annotations

import pytest

from membar.program.expr import TRUE
from membar.program.operations import Load, Rmw, Store
from unit.languages.litmus.c.single import body_of, endings, run


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("int r = 1; if (r) r = 2; else r = 3;", 2),
        ("int r = 0; if (r) r = 2; else r = 3;", 3),
        ("int r = 0; if (r) { r = 2; }", 0),
        ("int r = 5; if (r == 5) if (r == 4) r = 1; else r = 2;", 2),
        ("int r = 0; while (r < 5) r++;", 5),
        ("int r = 9; do { r++; } while (r < 5);", 10),
        ("int r = 0; for (int i = 0; i < 4; i++) r += i;", 6),
        ("int r = 0; int i; for (i = 3; i; --i) { r = r * 10 + i; }", 321),
        ("int r = 0; for (;;) { r++; if (r == 3) break; }", 3),
        ("int r = 0; for (int i = 0; i < 5; i++) { if (i == 1) continue; r += i; }", 9),
        ("int r = 0; int i = 0; while (1) { i++; if (i < 3) continue; if (i > 5) break; r += i; }", 12),
        ("int r = 0; int i = 0; do { i++; if (i == 2) continue; r += i; } while (i < 3);", 4),
        ("int r = 1; if (r) return; r = 2;", 1),
        ("int r = 1; { int s = 2; r = s; } ;;", 2),
        ("int r = 0; if (1) { int t = 4; r += t; } else { int t = 5; r += t; }", 4),
        ("int r; if (*x == 0 && *y == 0) r = 1; else r = 2;", 1),
        ("int r; if (*x == 1 || !(*y == 1)) r = 1; else r = 2;", 1),
        ("int r = *x ? *y : 7;", 7),
        ("int r = (*x == 0) && 1;", 1),
        ("int r; while ((r = *x) < 3) *x = r + 1;", 3),
        ("int r = *x + *y + 1;", 1),
        ("*x += 4; (*x)++; ++*x; int r = (*x)--; r = r * 10 + *x;", 65),
        ("/* one */ int r = 1; // two\n (* three *) r = (*x) + 4;", 4),
    ],
)  # fmt: skip
def test_statements(code: str, value: int) -> None:
    assert run(code).registers["r"] == value


def test_an_endless_loop_has_no_ending() -> None:
    program = body_of("for (;;) ;")
    (edge,) = program.threads[0].edges
    assert edge.source == edge.target
    with pytest.raises(AssertionError, match="does not end"):
        endings(program, program.threads[0])


def test_short_circuit_reads_nothing_it_does_not_need() -> None:
    program = body_of("int r = 0; if (*x && *y) r = 1;")
    reads = [
        edge for edge in program.threads[0].edges if edge.operations and isinstance(edge.operations[0], Load)
    ]
    assert len(reads) == 2
    between = [
        edge for edge in program.threads[0].outgoing[reads[0].target] if edge.target == reads[1].source
    ]
    assert [edge.guard != TRUE for edge in between] == [True]


def test_a_pure_condition_is_one_pair_of_guards() -> None:
    program = body_of("int a = *x; if (a == 1 && a != 2 || !a) *y = 1;")
    assert len(program.threads[0].edges) == 4


def test_unreachable_code_leaves_no_edges() -> None:
    program = body_of("return; *x = 1;")
    assert program.threads[0].edges == ()


@pytest.mark.parametrize(
    ("code", "ends"),
    [
        ("int r = atomic_exchange(x, 5); r = r * 10 + *x;", {5}),
        ("int r = atomic_fetch_add(x, 5); r = atomic_fetch_sub(x, 2);", {5}),
        ("*x = 6; int r = atomic_fetch_or(x, 9); r = *x;", {15}),
        ("*x = 6; int r = atomic_fetch_and(x, 3); r = *x;", {2}),
        ("*x = 6; int r = atomic_fetch_xor(x, 3); r = *x;", {5}),
        ("int r = 3; r = atomic_fetch_add(x, r); r = *x;", {3}),
        ("int e = 0; int r = atomic_compare_exchange_strong(x, &e, 4); r = r * 100 + *x * 10 + e;", {140}),
        ("int e = 7; int r = atomic_compare_exchange_strong(x, &e, 4); r = r * 100 + *x * 10 + e;", {0}),
        ("*y = 7; int r = atomic_compare_exchange_strong(x, y, 4); r = r * 100 + *x * 10 + *y;", {0}),
        ("int r = atomic_compare_exchange_strong(x, y, 4); r = r * 100 + *x * 10 + *y;", {140}),
        ("int e = 0; int r = atomic_compare_exchange_weak(x, &e, 4); r = r * 10 + *x;", {0, 14}),
        ("int r = atomic_compare_exchange_weak(x, y, 4); r = r * 10 + *x;", {0, 14}),
        ("*x = 3; int e = 1; int r = atomic_compare_exchange_weak(x, &e, 4); r = r * 10 + e;", {3}),
        ("int r = 2; r = atomic_compare_exchange_strong(x, &r, 4);", {0}),
        ("int e = 0; int r; if (atomic_compare_exchange_strong(x, &e, e + 3)) r = *x; else r = 9;", {3}),
        ("int r = atomic_fetch_add(x, 1) * 10 + atomic_fetch_add(x, 1);", {1, 10}),
        ("int r = atomic_load(x) * 10 + atomic_exchange(x, 3);", {0, 30}),
        ("atomic_init(x, 3); int r = atomic_load_explicit(x, memory_order_relaxed);", {3}),
        ("atomic_signal_fence(memory_order_seq_cst); int r = 1;", {1}),
    ],
)  # fmt: skip
def test_atomic_operations(code: str, ends: set[int]) -> None:
    program = body_of(code)
    assert {ending.registers["r"] for ending in endings(program, program.threads[0])} == ends


def test_an_atomic_flag() -> None:
    code = "int a = atomic_flag_test_and_set(f); int b = atomic_flag_test_and_set(f); atomic_flag_clear(f);"
    ending = run(code, parameters="atomic_flag* f")
    assert (ending.registers["a"], ending.registers["b"], ending.memory["f"]) == (0, 1, 0)


def test_an_atomic_on_a_narrow_type_wraps() -> None:
    ending = run("int r = atomic_fetch_add(x, 1);", parameters="_Atomic(uint8_t)* x", initial=" x=255; ")
    assert (ending.registers["r"], ending.memory["x"]) == (255, 0)


def test_operands_without_an_order_are_read_in_one_unordered_step() -> None:
    program = body_of("int r = atomic_load(x) + *y;")
    first, second = program.threads[0].edges
    assert first.unordered
    assert [type(operation) for operation in first.operations] == [Load, Load]
    assert not second.unordered


def test_a_store_comes_after_the_loads_of_its_value() -> None:
    program = body_of("*x = *y;")
    assert [type(edge.operations[0]) for edge in program.threads[0].edges] == [Load, Store]


def test_a_load_goes_right_into_its_variable() -> None:
    program = body_of("int r = atomic_exchange(x, 1); int s = *y; char t = *y;")
    exchange, plain, narrow, _ = (edge.operations[0] for edge in program.threads[0].edges)
    assert isinstance(exchange, Rmw)
    assert isinstance(plain, Load)
    assert isinstance(narrow, Load)
    assert (exchange.register, plain.register) == ("r", "s")
    assert narrow.register != "t"
