"""What the thesis's rules really allow, one test for each error of NOTES.md about it."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.questions.task import Options
from membar.source import SourceFile
from unit.models.rules.litmus import TESTS, outcomes, text

LITERAL = ("sc", "tso", "weak", "weak-a9", "nofence")
ALL = {(a, b) for a in (0, 1) for b in (0, 1)}


@pytest.mark.parametrize("model", LITERAL)
@pytest.mark.parametrize("test", ["sb", "sb+fences"])
def test_every_literal_model_allows_store_buffering(model: str, test: str) -> None:
    """Even its sc, and even with fences."""
    assert outcomes(TESTS[test], f"bajczi-{model}") == ALL


@pytest.mark.parametrize(("test", "strongest"), [("sb", "sc"), ("sb+fences", "tso"), ("sb+fences", "weak")])
def test_the_mended_models_forbid_it_where_they_should(test: str, strongest: str) -> None:
    assert outcomes(TESTS[test], f"bajczi-fixed-{strongest}") == ALL - {(0, 0)}


@pytest.mark.parametrize("model", ["sc", "tso"])
def test_literal_sc_and_tso_forbid_ordinary_message_passing(model: str) -> None:
    """(1, 1) is the whole point of a message; the coherence rule ignores which variable is meant."""
    assert outcomes(TESTS["2w2r"], f"bajczi-{model}") == {(0, 0), (0, 1)}
    assert outcomes(TESTS["2w2r"], f"bajczi-fixed-{model}") == {(0, 0), (0, 1), (1, 1)}


def test_literal_weak_forbids_fenced_message_passing() -> None:
    assert outcomes(TESTS["mp"], "bajczi-weak") == {(0, 0), (0, 1)}
    assert outcomes(TESTS["mp"], "bajczi-weak-a9") == {(0, 0), (0, 1)}
    assert outcomes(TESTS["mp"], "bajczi-fixed-weak") == {(0, 0), (0, 1), (1, 1)}
    assert outcomes(TESTS["mp"], "bajczi-fixed-weak-a9") == {(0, 0), (0, 1), (1, 1)}


def test_tso_is_program_order_without_write_to_read() -> None:
    """The thesis's ppo of TSO is writes only: a read need not come before a later write of its thread."""
    program = text("Wx2 Wy1", "Ry Wx1")

    def reached(model: str) -> bool:
        source = SourceFile("s.xcfa", program)
        found = membar.check(source, model=model, properties=()).outcome.run.outcomes
        return any(dict(state)["1:r0"] == 1 and dict(state)["x"] == 2 for state in found)

    assert reached("bajczi-tso")
    assert reached("bajczi-sc")
    assert not reached("bajczi-fixed-tso")
    assert not reached("x86-tso")


def test_literal_sc_and_tso_forbid_reading_what_nobody_writes() -> None:
    """Initial writes are po-before all writes, so whoever saw any write must not read any initial value."""
    assert outcomes(TESTS["unrelated"], "bajczi-sc") == {(0, 0)}
    assert outcomes(TESTS["unrelated"], "bajczi-tso") == {(0, 0)}
    assert outcomes(TESTS["unrelated"], "bajczi-weak") == {(0, 0), (1, 0)}
    assert outcomes(TESTS["unrelated"], "bajczi-fixed-sc") == {(0, 0), (1, 0)}


@pytest.mark.parametrize("model", LITERAL)
def test_every_literal_model_lets_a_thread_miss_its_own_write(model: str) -> None:
    assert outcomes(TESTS["own write"], f"bajczi-{model}") == {(0,), (1,)}
    assert outcomes(TESTS["own write"], f"bajczi-fixed-{model}") == {(1,)}


def test_a_fence_between_the_reads_does_not_cure_the_literal_cortex_a9() -> None:
    assert (1, 0) in outcomes(TESTS["cow2r+fence"], "bajczi-weak-a9")
    assert (1, 0) in outcomes(TESTS["cow2r"], "bajczi-fixed-weak-a9")
    assert (1, 0) not in outcomes(TESTS["cow2r+fence"], "bajczi-fixed-weak-a9")


@pytest.mark.parametrize(
    ("model", "allowed"),
    [("sc", False), ("tso", False), ("weak", False), ("nofence", False), ("weak-a9", True)],
)
def test_incoherent_readers(model: str, allowed: bool) -> None:  # noqa: FBT001 - a table
    """Section 6.1.3.3: two readers that disagree on the order of two writes."""
    for name in (f"bajczi-{model}", f"bajczi-fixed-{model}"):
        assert ((1, 2, 2, 1) in outcomes(TESTS["coww2r2r"], name)) is allowed


def test_any_memory_model_is_not_what_the_thesis_explores(tmp_path: Path) -> None:
    """Its search never builds a po ∪ rf cycle, so never sees load buffering; membar's does."""
    path = tmp_path / "anything.rules"
    path.write_text("nothing = {}\nnothing empty", encoding="utf-8")
    assert (1, 1) in outcomes(TESTS["lb"], str(path))
    assert (1, 1) in outcomes(TESTS["lb"], str(path), engine="reference")
    assert (1, 1) in outcomes(TESTS["lb"], "armv8")
    assert all((1, 1) not in outcomes(TESTS["lb"], f"bajczi-{model}") for model in LITERAL)


def test_modification_orders_that_nobody_observes_are_all_counted() -> None:
    """The thesis calls this redundant: n writes of one variable, n! graphs, n final states."""
    writes = text("Wx1", "Wx2", "Wx3")
    result = membar.check(SourceFile("w.xcfa", writes), model="bajczi-weak", properties=())
    assert result.outcome.run.statistics.executions == 6
    assert len(result.outcome.run.outcomes) == 3


def test_what_the_thesis_leaves_to_the_future_is_there() -> None:
    """Read-modify-writes and nondeterministic data."""
    process = (
        "process {} {{ main procedure run() {{ var old : int init loc a final loc b a -> b "
        "{{ atomic_begin old <- x x := old + 1 atomic_end }} }} }}"
    )
    program = "var x : int\n" + process.format("p") + process.format("q")
    final = {
        dict(state)["x"]
        for model in ("bajczi-fixed-sc", "bajczi-fixed-weak", "sc")
        for state in membar.check(
            SourceFile("a.xcfa", program), model=model, properties=()
        ).outcome.run.outcomes
    }
    assert final == {2}
    edge = "init loc a final loc b a -> b { havoc v in -1 .. 1 }"
    chosen = f"process p {{ main procedure run() {{ var v : int {edge} }} }}"
    assert outcomes(chosen, "sc") == {(-1,), (0,), (1,)}


def test_a_violation_that_can_still_be_repaired_prunes_nothing() -> None:
    """Transient violations: with and without pruning on the way, the same executions are found."""
    for name in ("2w2r", "mp", "cow2r", "coww2r2r", "sb"):
        for model in LITERAL:
            counts = {
                membar.check(
                    SourceFile("t.xcfa", TESTS[name]),
                    model=f"bajczi-{model}",
                    properties=(),
                    options=Options(reductions_off=off),
                ).outcome.run.statistics.executions
                for off in (frozenset[str](), frozenset({"prune"}))
            }
            assert len(counts) == 1


def test_next_is_the_relation_and_succ_its_closure(tmp_path: Path) -> None:
    """Appendix A maps NEXT to r? and SUCC to r*: then every node would be its own neighbour, and an axiom
    that forbids that could not be met. SUCC without NEXT, as it has it, loses the single steps of r+."""

    def allows(rules: str, program: str) -> bool:
        path = tmp_path / "erratum.rules"
        path.write_text(rules, encoding="utf-8")
        return bool(outcomes(program, str(path)))

    assert allows("next = po(A -> A)\nnext irreflexive", TESTS["sb"])
    assert allows("succ = po(A --> A)\nsucc irreflexive", TESTS["sb"])
    # Two steps apart in program order: related by SUCC, not by NEXT.
    far = text("Wx1 Wx2 Rx")
    first = "source(po(W -> W)) \\ target(po(W -> W))"
    assert allows(f"g = po(({first}) -> R)\ng empty", far)
    assert not allows(f"g = po(({first}) --> R)\ng empty", far)
    # A single step is in SUCC too.
    assert not allows("g = po(W --> R)\ng empty", text("Wx1 Rx"))


def test_the_plan_has_disjunction_and_iteration(tmp_path: Path) -> None:
    """What cat lacks: one of two checks is enough, and a rule for each node."""
    path = tmp_path / "erratum.rules"

    def allowed(rules: str) -> set[tuple[int, ...]]:
        path.write_text(rules, encoding="utf-8")
        return outcomes(TESTS["sb"], str(path))

    reads = "all = rf union po union (R * R)\nnothing = {}\nsome = po\n"
    assert allowed(f"{reads}nothing empty | some empty") == ALL
    assert allowed(f"{reads}some empty | nothing empty") == ALL
    assert allowed(f"{reads}nothing empty & some empty") == set()
    each = "missed = for_each_node W begin rf(I -> target(po(W[node] -> R))) end\nmissed empty"
    assert allowed(each) == {(1, 1)}


def test_its_four_modes_say_the_same() -> None:
    """Verify or generate, each with and without filtering on the way."""
    program = """var x : int
    process p { main procedure run() { var l : int init loc a loc m final loc b error loc e
    a -> m { l <- x } m -> e { assume l = 1 } m -> b { assume l /= 1 } } }
    process q { main procedure run() { init loc a final loc b a -> b { 1 -> x } } }"""
    for off in (frozenset[str](), frozenset({"prune"})):
        options = Options(reductions_off=off)
        source = SourceFile("modes.xcfa", program)
        verified = membar.check(source, model="bajczi-fixed-weak", options=options)
        assert verified.verdict == "violated"
        generated = membar.check(source, model="bajczi-fixed-weak", options=options, properties=())
        assert generated.verdict == "explored"
        assert {dict(state)["0:l"] for state in generated.outcome.run.outcomes} == {0}


def test_error_states_are_locations_or_predicates() -> None:
    program = TESTS["own write"]
    for error, verdict in (("P0.b", "violated"), ("P0.r0 = 1", "violated"), ("P0.r0 = 2", "holds")):
        assert membar.check(SourceFile("e.xcfa", program), model="sc", error=error).verdict == verdict
    final = SourceFile("e.xcfa", f"{program}\nerror final P0.r0 = 0")
    assert membar.check(final, model="bajczi-weak").verdict == "violated"
    assert membar.check(final, model="bajczi-fixed-weak").verdict == "holds"


def test_fences_carry_tags(tmp_path: Path) -> None:
    """A rule may speak of one kind of fence only."""
    path = tmp_path / "tagged.rules"
    rule = 'seen = rf(I -> target(po(F["strong"] -> R)))'
    path.write_text(f"// Tagged.\n{rule}\nseen empty\n", encoding="utf-8")
    path.with_suffix(".claims").write_text("tags: any\n", encoding="utf-8")
    process = """process p {{ main procedure run() {{ var r0 : int
    init loc a final loc b a -> b {{ 1 -> x fence{} r0 <- x }} }} }}"""
    for tag, allowed in (('["strong"]', {(1,)}), ('["weak"]', {(0,), (1,)}), ("", {(0,), (1,)})):
        assert outcomes("var x : int\n" + process.format(tag), str(path)) == allowed


def test_dynamic_threads_are_there_too() -> None:
    """Created and joined threads, which the thesis leaves to the future; the mended models order them."""
    created = SourceFile(
        "created.mbp",
        """program p memory x : i32
        thread A { 0 -> 1: store [&x] := 1 1 -> 2: spawn B 2 -> 3: join B 3 -> 4: s := load [&x] }
        thread B spawned { 0 -> 1: r := load [&x] 1 -> 2: store [&x] := 2 }
        ~exists 1:r = 0 \\/ 0:s = 1""",
    )
    for model in ("sc", "tso", "weak", "weak-a9"):
        assert membar.check(created, model=f"bajczi-fixed-{model}").verdict == "holds"
    # Here nothing makes a write known to anybody, not even to a thread that is created afterwards.
    assert membar.check(created, model="bajczi-fixed-nofence").verdict == "violated"
