"""Telling the kernel's C from C11, and reading its loose types and variables."""

from __future__ import annotations

import pytest

from membar.languages.litmus import FRONTEND
from membar.program.condition import FinalRegister, terms_of
from membar.program.expr import Address
from membar.program.operations import Load, Store
from membar.program.validate import validate
from unit.languages.litmus.c.single import endings
from unit.languages.litmus.lkmm.kernel import body_of, operations, program_of


@pytest.mark.parametrize(
    "code",
    [
        "int r = READ_ONCE(*x);",
        "smp_mb();",
        "rcu_read_lock(); *x = 1; rcu_read_unlock();",
        "atomic_inc(a);",
        "int r = atomic_fetch_add_relaxed(1, a);",
        "int r = xchg(x, 1);",
        "int r = cmpxchg_acquire(x, 0, 1);",
        "barrier();",
    ],
)
def test_a_word_of_the_kernel_makes_it_the_kernels(code: str) -> None:
    assert body_of(code, parameters="int *x, int *a", word="C").language == "LKMM"


@pytest.mark.parametrize("parameters", ["spinlock_t *x", "atomic_t *x", "struct srcu_struct *x"])
def test_a_type_of_the_kernel_makes_it_the_kernels(parameters: str) -> None:
    assert body_of("int r = 1;", parameters=parameters, word="C").language == "LKMM"


@pytest.mark.parametrize(
    "code",
    [
        "*x = 1;",
        "atomic_store(x, 1);",
        "int r = atomic_fetch_add(x, 1);",
        "int r = atomic_load_explicit(x, memory_order_relaxed);",
        "*x = 1; // smp_mb();",
        "/* READ_ONCE */ *x = 1;",
    ],
)
def test_everything_else_is_c11(code: str) -> None:
    assert body_of(code, parameters="int *x", word="C").language == "C"


def test_the_header_word_settles_it() -> None:
    assert body_of("*x = 1;", parameters="int *x").language == "LKMM"
    assert FRONTEND.default_models["LKMM"] == "lkmm"


def test_every_location_is_a_word() -> None:
    program = body_of("char c = READ_ONCE(*b); *x = c;", parameters="char *b, int *x, long *z")
    assert {item.size for item in program.objects} == {8}
    validate(program)


def test_what_an_access_writes_is_extended_to_the_word() -> None:
    program = body_of("*x = -1; long r0 = *(long *)x; unsigned r1 = *(unsigned *)x;", parameters="int *x")
    (ending,) = endings(program, program.threads[0])
    assert (ending.memory["x"], ending.registers["r0"], ending.registers["r1"]) == (-1, -1, 0xFFFFFFFF)


def test_a_read_is_cut_to_its_type() -> None:
    program = body_of("*(long *)x = 0x100000002; r0 = READ_ONCE(*x);", parameters="int *x")
    (ending,) = endings(program, program.threads[0])
    assert ending.registers["r0"] == 2


def test_a_variable_may_be_assigned_without_a_declaration() -> None:
    program = program_of("C t\n{}\nP0(int *x)\n{\nif (READ_ONCE(*x)) { r0 = 3; }\n}\nexists (0:r0=3)\n")
    assert program.condition is not None
    assert set(terms_of(program.condition.formula)) == {FinalRegister(0, "r0", 64, signed=True)}


def test_initial_values_declare_variables_and_locations() -> None:
    program = body_of(
        "if (continue) { r0 = READ_ONCE(*x); continue = 0; }",
        parameters="int **x",
        initial="x=y; 0:continue=1;",
    )
    assert [item.name for item in program.objects] == ["x", "y"]
    (ending,) = endings(program, program.threads[0])
    assert ending.registers["continue"] == 0
    assert program.name_of_address(ending.registers["r0"]) == "y"


def test_an_integer_may_be_a_pointer() -> None:
    program = body_of("long p = READ_ONCE(*x); int r0 = READ_ONCE(*p);", parameters="long *x", initial="x=y;")
    first, second = (op for op in operations(program) if isinstance(op, Load))
    assert first.address == Address("x")
    assert second.size == 8


def test_accesses_through_a_cast_are_accesses_of_the_location() -> None:
    (store,) = operations(body_of("rcu_assign_pointer(*(char **)x, (char *)1);", parameters="int *x"))
    assert isinstance(store, Store)
    assert (store.address, store.size) == (Address("x"), 8)


@pytest.mark.parametrize(
    ("code", "joins"),
    [
        ("smp_mb();", ()),
        ("if (r0) WRITE_ONCE(*x, 1); WRITE_ONCE(*y, 1);", ((0, 2),)),
        ("if (r0) WRITE_ONCE(*x, 1); else WRITE_ONCE(*y, 1);", ((0, 2),)),
        ("if (r0) { } smp_mb();", ((0, 1),)),
        ("while (r0) { r0 = READ_ONCE(*x); } smp_mb();", ((0, 2),)),
    ],
)
def test_branches_end_where_their_paths_meet(code: str, joins: tuple[tuple[int, int], ...]) -> None:
    program = body_of(f"int r0;\n{code}")
    validate(program)
    thread = program.threads[0]
    assert len(thread.joins) == len(joins)
    for branch, join in thread.joins:
        assert len(thread.outgoing[branch]) == 2
        assert join not in {branch}


def test_a_return_makes_the_rest_depend_on_the_branch() -> None:
    thread = body_of("int r0; if (r0) return; WRITE_ONCE(*x, 1);").threads[0]
    ((_, join),) = thread.joins
    assert thread.outgoing[join] == ()


def test_c11_branches_decide_all_that_follows() -> None:
    program = body_of(
        "int r = atomic_load(x); if (r) { } atomic_store(y, 1);", word="C", parameters="int *x, int *y"
    )
    assert program.language == "C"
    assert program.threads[0].joins == ()
