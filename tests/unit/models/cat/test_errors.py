"""Wrong models: each kind of mistake has its code, its place and, where it can be guessed, the way out."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.diagnostics import InputError
from membar.models.cat.elaborate import compile_model
from membar.source import SourceFile
from unit.models.compiled import VOCABULARY, plan, problems


@pytest.mark.parametrize(
    ("text", "code", "where", "message"),
    [
        ("let a = pro", "W0206", "pro", "unknown name `pro`"),
        ("let a = fencerel(MFENC)", "W0206", "MFENC", "unknown name `MFENC`"),
        ("let a = po ; W", "W0207", "W", "`;` of a set"),
        ("let a = po | W", "W0207", "W", "`|` of a relation and a set"),
        ("let a = po * W", "W0207", "po", "`*` of a relation"),
        ("let a = [po]", "W0207", "po", "`[…]` of a relation"),
        ("let a = W+", "W0207", "W", "`+` of a set"),
        ("let a = W^-1", "W0207", "W", "`^-1` of a set"),
        ("let a = domain(W)", "W0207", "W", "`domain` of a set"),
        ("acyclic W", "W0207", "W", "`acyclic` of a set"),
        ("irreflexive R | W", "W0207", "R | W", "`irreflexive` of a set"),
        ("let a = po | fencerel", "W0207", "fencerel", "`|` of a function"),
        ("let a = (po, rf) | co", "W0207", "(po, rf)", "`|` of a group of 2 values"),
        ("let a = 'once & W", "W0207", "'once", "`&` of a tag"),
        ("let a = po rf", "W0208", "po", "`po` is a relation, not a function"),
        ("let a = po [W]", "W0208", "po", "`po` is a relation, not a function"),
        ("let a = tag2events(po)", "W0208", "po", "`tag2events` of a relation"),
        ("let f(x, y) = x | y let a = f(po)", "W0209", "po", "expected 2 values, got 1"),
        ("let f(x, y) = x | y let a = f(po, rf, co)", "W0209", "(po, rf, co)", "expected 2 values, got 3"),
        ("let (a, b) = po", "W0209", "po", "expected 2 values, got 1"),
        ('include "nowhere.cat"', "W0210", 'include "nowhere.cat"', "cannot find `nowhere.cat`"),
        (
            "let rec r = po | ~r",
            "W0212",
            "~r",
            "recursion through a complement has no least fixpoint",
        ),
        (
            "let rec r = po | (rf \\ r)",
            "W0212",
            "rf \\ r",
            "recursion through a complement has no least fixpoint",
        ),
        ("let rec r = po | [r]", "W0207", "r", "`[…]` of a relation"),
        ("let rec r = W and s = r ; po", "W0207", "r", "`;` of a set"),
        ("call nothing(po)", "W0213", "call nothing(po)", "unknown procedure `nothing`"),
        ("let a = po and a = rf", "W0214", "a", "`a` is bound twice in one `let`"),
        ("let f(x, x) = x", "W0214", "(x, x)", "a name is bound twice"),
        (
            "let w x = x x let a = w w",
            "W0215",
            "x",
            "function application does not terminate",
        ),
        ("let f(x) = x ; W", "W0207", "W", "`;` of a set"),
        (
            "let a = po | (match R with || {} -> 0 end)",
            "W0205",
            "R",
            "`match` on a set that depends on the execution is not supported",
        ),
        (
            "let a = match {} with || x ++ y -> x end",
            "W0209",
            "match {} with || x ++ y -> x end",
            "no clause of this `match` applies",
        ),
        ("let a = match {} with || po -> po end", "W0204", "po", "not a pattern"),
        ("with x from {po, rf}", "W0205", "{po, rf}", "a choice among 2 relations is not supported"),
        ("with x from po", "W0205", "po", "a choice from a relation is not supported"),
        (
            "with x from generate_orders(F, po)",
            "W0205",
            "generate_orders(F, po)",
            "a choice of an order over events that are not all writes is not supported",
        ),
        (
            "with co from generate_cos(co0) with mo from generate_cos(co0)",
            "W0205",
            "with mo from generate_cos(co0)",
            "a second coherence order is not supported",
        ),
        (
            "let a = {po} & {rf}",
            "W0205",
            "{po} & {rf}",
            "`&` of a set of sets or relations is not supported yet",
        ),
        ("let a = {po} | rf", "W0207", "{po} | rf", "`|` of a set of sets or relations and a relation"),
        ("let a = {po} ; rf", "W0207", "{po} ; rf", "`;` of a set of sets or relations and a relation"),
        ("acyclic {po}", "W0207", "{po}", "`acyclic` of a set of sets or relations"),
        ("let a = map po R", "W0208", "po", "`map` of a relation"),
        (
            "let a = map (fun p -> p ++ po) po",
            "W0205",
            "p ++ po",
            "`++` of a pair of events and a relation is not supported yet",
        ),
        (
            "let a = cross (map (fun e -> map (fun p -> p ++ 0) ({e} * W)) R)",
            "W0205",
            "map (fun e -> map (fun p -> p ++ 0) ({e} * W)) R",
            "`cross` of a set of sets or relations of this form is not supported",
        ),
        (
            "let rec f(x) = f(x) let a = f(po)",
            "W0215",
            "x",
            "function application does not terminate",
        ),
        ("let rec f(x) = x and r = po", "W0205", "r = po", None),
        (
            "enum E = 'rcu-lock || 'rcu-lok",
            "W0206",
            "'rcu-lok",
            "no input language has the tag `'rcu-lok`",
        ),
        ("instructions Q[{'once}]", "W0206", None, "`Q` is not a kind of instruction"),
        ("instructions R[po]", "W0207", "po", "annotations are a relation"),
        ("acyclic different-values(po)", "W0205", "different-values", None),
        ("let a = iico_data | po", "W0205", "iico_data", None),
        ("forall x in R do empty x end", "W0205", "forall", None),
    ],
)
def test_mistakes(text: str, code: str, where: str | None, message: str | None) -> None:
    found = problems(text)[0]
    assert found.code == code
    assert found.primary is not None
    if where is not None:
        assert found.primary.span.text == where
    if message is not None:
        assert found.message == message


@pytest.mark.parametrize(
    ("text", "help_"),
    [
        ("let a = po-lok", "did you mean `po-loc`?"),
        ("let a = mfence", "did you mean `MFENCE`?"),
        ("let a = po ; W", "`[W]` relates each event of the set to itself"),
        ("let a = po rf", "to compose relations, write `po ; …`"),
    ],
)
def test_help(text: str, help_: str) -> None:
    assert problems(text)[0].help == help_


def test_all_mistakes_are_reported_and_none_follows_from_another() -> None:
    found = problems("let a = nowhere\nlet b = a ; a\nlet c = po ; W\nacyclic b | c\nempty nothing")
    assert [item.code for item in found] == ["W0206", "W0207", "W0206"]


def test_a_mistake_in_a_function_names_the_application() -> None:
    (found,) = problems("let f(x) = x ; po\nlet a = f(W)")
    assert found.primary is not None
    assert found.primary.span.text == "x"
    assert [label.span.text for label in found.others] == ["f(W)"]


def test_what_is_missing_is_no_error_until_it_is_used() -> None:
    plan("let rec map f = fun S -> match S with || {} -> {} || e ++ es -> f e ++ map f es end")
    plan("let g(S) = {S}")
    plan("let l = linearisations")


def test_a_file_that_includes_itself(tmp_path: Path) -> None:
    (tmp_path / "a.cat").write_text('include "b.cat"')
    (tmp_path / "b.cat").write_text('let x = po\ninclude "a.cat"')
    with pytest.raises(InputError) as caught:
        compile_model(SourceFile.read(tmp_path / "a.cat"), vocabulary=VOCABULARY)
    (found,) = caught.value.diagnostics
    assert found.code == "W0211"
    assert found.primary is not None
    assert found.primary.span.path.endswith("b.cat")
    assert found.primary.span.line == 2


def test_errors_in_an_included_file_are_located_there(tmp_path: Path) -> None:
    (tmp_path / "inner.cat").write_text("let x =\n  po ; W")
    main = SourceFile(str(tmp_path / "main.cat"), 'include "inner.cat"\nacyclic x')
    with pytest.raises(InputError) as caught:
        compile_model(main, vocabulary=VOCABULARY)
    (found,) = caught.value.diagnostics
    assert found.primary is not None
    assert (Path(found.primary.span.path).name, found.primary.span.line, found.primary.span.column) == (
        "inner.cat",
        2,
        8,
    )


def test_who_has_no_files_here_includes_only_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "near.cat").write_text("acyclic po as near\n", encoding="utf-8")
    text = 'include "near.cat"\n'
    assert compile_model(SourceFile("own.cat", text), vocabulary=VOCABULARY).plan is not None
    with pytest.raises(InputError) as found:
        compile_model(SourceFile("own.cat", text, is_strangers=True), vocabulary=VOCABULARY)
    (diagnostic,) = found.value.diagnostics
    assert diagnostic.message == "cannot find `near.cat`"
    assert diagnostic.primary is not None
    assert diagnostic.primary.text == "not in the library"
