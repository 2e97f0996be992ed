"""Atomic blocks, calls, and predicates on the final state."""

from __future__ import annotations

import pytest

from membar.program.operations import Load, Rmw, Store
from unit.languages.xcfa.texts import check, codes, finals, problems, process, program, straight

INCREMENT = "atomic_begin l <- x l := l + 1 l -> x atomic_end"


def test_reading_and_writing_one_variable_is_a_read_modify_write() -> None:
    (thread,) = program(f"var x : int {process(INCREMENT)}").threads
    operations = [op for edge in thread.edges for op in edge.operations]
    assert [type(op) for op in operations if isinstance(op, Rmw | Load | Store)] == [Rmw]
    both = f"var x : int {process(INCREMENT)}{process(INCREMENT, name='q')}"
    for model in ("sc", "x86-tso", "bajczi-fixed-weak"):
        assert finals(both, "x", "0:l", "1:l", model=model) == {(2, 1, 2), (2, 2, 1)}


def test_a_block_with_branches_is_one_edge_for_each_way() -> None:
    edges = (
        "loc inside loc last a -> inside { atomic_begin l <- x }"
        " inside -> last { assume l = 0 1 -> x } inside -> last { assume l /= 0 }"
        " last -> b { atomic_end t := l = 0 }"
    )
    text = f"var x : int {straight(edges)}{straight(edges, name='q')}"
    (first, _) = program(text).threads
    assert len(first.edges) == 3
    assert finals(text, "0:t", "1:t") == {(0, 1), (1, 0)}


SWAP = "atomic_begin l <- x 1 -> x l -> y atomic_end"


def test_blocks_that_axioms_cannot_say_are_refused_and_simulated() -> None:
    reads = "l <- x l <- y"
    text = f"var x : int var y : int (1) {process(SWAP)}{process(reads, name='q')}"
    for engine in ("graphs", "reference"):
        result = check(text, engine=engine)
        assert result.verdict == "unknown"
        assert "several accesses" in str(result.outcome)
    for model in ("sc", "x86-tso"):
        result = check(text, model=model, engine="reference", buffers=2)
        assert result.verdict == "holds"


def test_nobody_acts_inside_a_block() -> None:
    """x and y are written together: who sees the new x after the old y has seen something in between."""
    both = "atomic_begin 1 -> x 1 -> y atomic_end"
    watch = straight(
        "loc seen error loc e a -> seen { atomic_begin l <- x t := l = 1 l <- y atomic_end }"
        " seen -> e { assume (l = 1) /= t } seen -> b { assume (l = 1) = t }",
        name="q",
    )
    text = f"var x : int var y : int {process(both)}{watch}"
    for model in ("sc", "x86-tso", "pso"):
        assert check(text, model=model, engine="reference", buffers=2).verdict == "holds"
    torn = text.replace("atomic_begin", "").replace("atomic_end", "")
    assert check(torn, engine="reference", buffers=2).verdict == "violated"


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ("a -> b { atomic_begin 1 -> x }", "an atomic block that never ends"),
        ("a -> b { atomic_end }", "`atomic_end` outside an atomic block"),
        ("a -> b { atomic_begin atomic_begin atomic_end }", "`atomic_begin` inside an atomic block"),
        (
            "a -> a { atomic_begin } a -> b { }",
            "a location that is reached inside and outside an atomic block",
        ),
        (
            "loc c a -> c { atomic_begin } c -> c { l <- x } c -> b { atomic_end }",
            "a loop inside an atomic block",
        ),
    ],
)
def test_malformed_blocks(edges: str, message: str) -> None:
    (found,) = problems(f"var x : int {straight(edges)}")
    assert (found.code, found.message) == ("W0610", message)
    assert found.primary is not None


DOUBLE = "procedure double(in n : int, out m : int) { init loc s final loc e s -> e { m := n + n } }"


def test_calls_pass_values_in_and_out() -> None:
    assert finals(process("l := 3 call double(l + 1, l) call double(l, l)", more=DOUBLE), "0:l") == {(16,)}


def test_each_call_starts_with_fresh_variables() -> None:
    count = (
        "procedure next(out m : int) { var k : int (5) init loc s final loc e s -> e { k := k + 1 m := k } }"
    )
    assert finals(process("call next(l) call next(l)", more=count), "0:l") == {(6,)}


def test_process_variables_outlive_calls() -> None:
    more = (
        "var total : int procedure add(in n : int) { init loc s final loc e s -> e { total := total + n } }"
    )
    assert finals(process("call add(2) call add(3)", more=more), "0:total") == {(5,)}


def test_a_called_procedure_may_loop_and_branch() -> None:
    count = (
        "procedure upto(in n : int, out m : int) { var k : int init loc s final loc e "
        "s -> s { assume k < n k := k + 1 } s -> e { assume not (k < n) m := k } }"
    )
    assert finals(process("call upto(3, l)", more=count), "0:l") == {(3,)}


def test_recursion_is_refused_with_its_cycle() -> None:
    more = (
        "procedure f() { init loc s final loc e s -> e { call g() } }"
        "procedure g() { init loc s final loc e s -> e { call f() } }"
    )
    (found,) = problems(process("call f()", more=more))
    assert found.code == "W0607"
    assert found.message == "recursion: `f` calls `g` calls `f`"


def test_an_error_location_inside_a_call() -> None:
    more = (
        "procedure f(in n : int) { init loc s error loc bad final loc e"
        " s -> bad { assume n = 1 } s -> e { assume n /= 1 } }"
    )
    assert check(process("call f(1)", more=more)).verdict == "violated"
    assert check(process("call f(2)", more=more)).verdict == "holds"


def test_a_predicate_on_the_final_state() -> None:
    text = (
        f"var x : int {process('l <- x')}{process('1 -> x', name='q')} error final p.l = 0 and not (x /= 1)"
    )
    result = check(text)
    assert result.verdict == "violated"
    assert result.witness is not None
    assert dict(result.witness.final) == {"p.l": 0, "x": 1}
    assert check(text.replace("p.l = 0 and", "p.l > 1 or q.t or")).verdict == "violated"
    assert check(text.replace("p.l = 0 and not (x /= 1)", "p.l > x or q.t = true")).verdict == "holds"


@pytest.mark.parametrize(
    ("predicate", "code"),
    [
        ("p.l + 1 = 2", "W0611"),
        ("1 = p.l", "W0611"),
        ("l = 1", "W0604"),
        ("q.l = 1", "W0604"),
        ("p.nix = 1", "W0604"),
        ("p.l", "W0605"),
        ("p.t = 1", "W0605"),
        ("p.t < true", "W0605"),
    ],
)
def test_wrong_predicates(predicate: str, code: str) -> None:
    assert codes(problems(f"{process('skip')} error final {predicate}")) == [code]
