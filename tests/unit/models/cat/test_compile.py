"""What models compile to: sharing, folding, scopes, includes, recognised idioms."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.models.cat.elaborate import compile_model, library_files
from membar.models.evaluate import relation
from membar.models.plan import CheckKind, CheckMode, Op, Plan
from membar.source import SourceFile
from unit.models.compiled import VOCABULARY, plan, source
from unit.models.executions import STORE_BUFFERING


def operations(model: Plan) -> list[Op]:
    return [item.op for item in model.instructions if item.op is not Op.PRIMITIVE]


def same(left: str, right: str) -> bool:
    """Whether two expressions compile to the same slot."""
    model = plan(f"let left = {left} let right = {right} empty left \\ right as it")
    return dict(model.names)["left"] == dict(model.names)["right"]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("po | rf", "rf | po"),
        ("po & rf", "rf & po"),
        ("po | 0", "po"),
        ("po | {}", "po"),
        ("po & ~0", "po"),
        ("po ; id", "po"),
        ("[_] ; po", "po"),
        ("po ; 0", "0"),
        ("po \\ po", "0"),
        ("~~po", "po"),
        ("po^-1^-1", "po"),
        ("(po+)+", "po+"),
        ("(po+)?", "po*"),
        ("(po?)+", "po*"),
        ("0*", "id"),
        ("[emptyset]", "0"),
        ("emptyset * W", "0"),
        ("domain([W])", "W"),
        ("_ * _", "~0"),
        ("_ \\ W", "~W"),
        ('if "some-variant" then po else rf', "rf"),
        ('if not "a" && ("b" || not "c") then po else rf', "po"),
        ("try nowhere with po", "po"),
        ("try rf with po", "rf"),
        ("try (let x = nowhere in x) with po", "po"),
        ("let f(x) = x ; x in f(po | rf)", "let g = rf | po in g ; g"),
        ("let f x y = x ; y in f po rf", "po ; rf"),
        ("(fun (x, y) -> x ; y) (po, rf)", "po ; rf"),
        ("let (a, b) = (po, rf) in b", "rf"),
        ("let compose f = fun g -> fun r -> f (g r) in compose domain noid po", "domain(po \\ id)"),
        ("let po = rf in let rf = 0 in po", "rf"),
        ("let x = po and y = rf in x ; y", "po ; rf"),
        ("tag2events('rcu-lock)", "Rcu-lock"),
        ("let rec r = po in r", "po"),
        ("let rec r = r in r", "0"),
    ],
)
def test_equal_expressions_are_one_slot(left: str, right: str) -> None:
    if left == "let rec r = r in r":
        assert relation(plan(f"let it = {left}"), STORE_BUFFERING, "it") == frozenset()
    else:
        assert same(left, right)


def test_functions_see_the_names_of_their_place() -> None:
    text = "let r = po let f(x) = r ; x let r = rf let it = f(co)"
    assert relation(plan(text), STORE_BUFFERING, "it") == relation(
        plan("let it = po ; co"), STORE_BUFFERING, "it"
    )


def test_primitives_can_be_redefined() -> None:
    model = plan("let co = co \\ (IW * _) let it = co")
    assert relation(model, STORE_BUFFERING, "it") == frozenset()


def test_dead_slots_are_removed() -> None:
    model = plan("let f(x) = x ; x acyclic po as it")
    assert len(model.instructions) == 1


def test_common_parts_are_computed_once() -> None:
    model = plan("acyclic (po ; rf) | co as one\nirreflexive (po ; rf) ; fr as two")
    assert sum(op is Op.SEQUENCE for op in operations(model)) == 3  # po;rf, fr, and their sequence


def test_what_does_not_change_stays_out_of_a_fixpoint() -> None:
    model = plan("let rec r = (po ; rf) | (r ; (co ; co)) acyclic r as it")
    (fixpoint,) = model.fixpoints
    inside = model.instructions[fixpoint.first : fixpoint.last + 1]
    assert [item.op for item in inside] == [Op.VARIABLE, Op.SEQUENCE, Op.UNION]


def test_fixpoints_nest() -> None:
    model = plan("let rec a = po | (let rec b = rf | (b ; a) in b) acyclic a as it")
    inner, outer = sorted(model.fixpoints, key=lambda item: item.last - item.first)
    assert outer.first < inner.first <= inner.last <= outer.last


def test_an_inner_fixpoint_that_does_not_depend_on_the_outer_is_computed_before() -> None:
    model = plan("let rec a = (a ; a) | (let rec b = rf | (b ; po) in b) acyclic a as it")
    first, second = sorted(model.fixpoints, key=lambda item: item.first)
    assert first.last < second.first


def test_unused_equations_are_left_out() -> None:
    model = plan("let p = let rec r = po | (r ; r) and s = rf | (r ; s) in r acyclic p as it")
    (fixpoint,) = model.fixpoints
    assert len(fixpoint.variables) == 1


def test_checks_carry_names_modes_and_negations() -> None:
    model = plan(
        """
        acyclic po as one
        acyclic po ; rf
        flag ~empty rf as race
        undefined_unless empty co as dr
        assert empty rf as sane
        """
    )
    assert [(c.name, c.kind, c.negated, c.mode) for c in model.checks] == [
        ("one", CheckKind.ACYCLIC, False, CheckMode.REQUIRE),
        ("acyclic po ; rf", CheckKind.ACYCLIC, False, CheckMode.REQUIRE),
        ("race", CheckKind.EMPTY, True, CheckMode.FLAG),
        ("dr", CheckKind.EMPTY, False, CheckMode.UNDEFINED_UNLESS),
        ("assert-sane", CheckKind.EMPTY, True, CheckMode.FLAG),
    ]


def test_procedures_are_inlined() -> None:
    model = plan(
        """
        procedure both(a, b) =
          let c = a | b
          acyclic c as cycle
          empty a & b as disjoint
        end
        call both(po, rf)
        call both(po, co)
        """
    )
    assert [check.name for check in model.checks] == ["cycle", "disjoint"] * 2
    assert "c" not in dict(model.names)


def test_shown_relations() -> None:
    model = plan("let a = po ; po show a, rf ; po as hop, nowhere, W unshow a show fr")
    assert [name for name, _ in model.shown] == ["hop", "fr"]


@pytest.mark.parametrize(
    "text",
    [
        'include "cos.cat"',
        'include "cos-opt.cat"',
        "with co from generate_cos(co0)",
        "let cobase = co0 with co from generate_cos(cobase)",
        "with co from generate_cos(pco)",
        "let rec cross S = match S with || {} -> {0} || s ++ ss -> s ++ cross ss end\n"
        "let generate_cos(pco) = cross (linearisations(W, pco))\nwith co from generate_cos(co0)",
    ],
)
def test_the_choice_of_coherence_is_recognised(text: str) -> None:
    plain = plan("acyclic po | rf | co | fr as sc")
    chosen = plan(f"{text}\nacyclic po | rf | co | fr as sc")
    assert chosen.checks == plain.checks


def test_coherence_that_must_contain_more_is_checked() -> None:
    model = plan("with co from generate_cos(co0 | po)\nacyclic po as trivial")
    assert [check.name for check in model.checks] == ["coherence-choice", "trivial"]


@pytest.mark.parametrize(
    "name",
    [each for each in library_files() if each != "rc11-axioms.cat"],  # needs definitions
)
def test_library_files_can_be_included(name: str) -> None:
    plan(f'include "{name}"\nacyclic po as it')
    plan(f'include "{name}"\nacyclic po as it', vocabulary=())


def test_includes_are_looked_for_in_order(tmp_path: Path) -> None:
    beside, extra = tmp_path / "beside", tmp_path / "extra"
    beside.mkdir()
    extra.mkdir()
    (beside / "a.cat").write_text("let it = rf")
    (extra / "a.cat").write_text("let it = co")
    (extra / "b.cat").write_text('include "a.cat"')
    (extra / "x86fences.cat").write_text("let mfence = po")

    def slot_name(text: str) -> str:
        compiled = compile_model(
            SourceFile(str(beside / "main.cat"), text), vocabulary=VOCABULARY, include_dirs=(extra,)
        )
        return compiled.plan.instructions[dict(compiled.plan.names)["it"]].name

    assert slot_name('include "a.cat"') == "rf"
    assert slot_name('include "b.cat"') == "co"
    assert slot_name('include "x86fences.cat" let it = mfence') == "po"


def test_tags_are_those_the_model_speaks_of() -> None:
    def tags(text: str) -> set[str]:
        return set(compile_model(source(text), vocabulary=VOCABULARY).tags)

    assert tags("let unused = A acyclic po") == {"A"}
    assert tags('include "x86fences.cat" acyclic po | mfence') == {"MFENCE"}
    assert tags("let A = W acyclic [A] ; po") == set()
    assert tags("let f(x) = fencerel(x) acyclic f(SFENCE)") == {"SFENCE"}


def test_models_in_the_usual_form_load() -> None:
    text = """X86 "an ordinary model, as users write it"
    include "x86fences.cat"
    include "filters.cat"
    include "cos.cat"
    (* Uniproc *)
    let com = rf | fr | co
    acyclic po-loc | com as uniproc
    empty rmw & (fre;coe) as atomic
    #ppo
    let po_ghb = WW(po) | RM(po)
    let X = try X with emptyset
    let poWR = WR(po)
    let i1 = MM(po) & (_ * X)
    let i2 = MM(po) & (X * _)
    let implied = i1 | i2
    let ghb = mfence | implied | po_ghb | rfe | fr | co
    show mfence,implied
    show ghb as global
    acyclic ghb as tso
    """
    assert [check.name for check in plan(text).checks] == ["uniproc", "atomic", "tso"]
