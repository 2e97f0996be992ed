"""Sets of tags, sets and relations that are known while a model is read; choices that membar makes."""

from __future__ import annotations

import pytest

from membar.models.evaluate import failures, relation
from membar.models.plan import Op, Plan
from unit.models.compiled import plan
from unit.models.executions import execution

LOCKS = ("LKR", "LKW", "UL", "LF", "RL", "Once", "Acquire", "Rcu-lock")


def same(text: str, expected: str) -> bool:
    """Whether the definition of `it` compiles to what `expected` is."""

    def shape(model: Plan) -> list[tuple[Op, str, tuple[int, ...]]]:
        return [(item.op, item.name, item.args) for item in model.instructions]

    return shape(plan(f"{text}\nempty it as e")) == shape(plan(f"let it = {expected}\nempty it as e"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A fold over a set that is written out.
        (
            "let rec join S = match S with || {} -> 0 || r ++ S -> r | join S end\n"
            "let it = join {po, rf, co}",
            "po | (rf | co)",
        ),
        # The same by `fun` and through two functions that call each other.
        (
            "let rec odd = fun S -> match S with || {} -> 0 || r ++ S -> r | even S end\n"
            "and even = fun S -> match S with || {} -> 0 || r ++ S -> odd S end\nlet it = odd {po, rf, co}",
            "po | co",
        ),
        # `map`, from the library and written by hand; `++` adds members and each is there once.
        (
            "let rec join S = match S with || {} -> 0 || r ++ S -> r | join S end\n"
            "let it = join (map (fun r -> r^-1) (po ++ {rf, po}))",
            "po^-1 | rf^-1",
        ),
        (
            "let map f = let rec go S = match S with || {} -> {} || e ++ S -> f e ++ go S end in go\n"
            "let rec join S = match S with || {} -> emptyset || r ++ S -> r | join S end\n"
            "let it = join (map domain-of {po, rf})",
            "domain(po) | domain(rf)",
        ),
        # Tags
        ("let it = match 'once with || 'twice -> po || 'once -> rf || _ -> co end", "rf"),
        ("let it = match 'thrice with || 'twice -> po || _ -> co end", "co"),
        (
            "let rec all S = match S with || {} -> emptyset || t ++ S -> tag2events t | all S end\n"
            "enum Words = 'rcu-lock || 'x || 'a\nlet it = all (Words \\ {'x})",
            "Rcu-lock | A",
        ),
        # A choice from one relation is no choice; orders of nothing are one empty order.
        ("with it from {po}", "po"),
        ("with it from cross {}", "0"),
        ("with it from cross {{po}, {rf}}", "po | rf"),
        ("with it from generate_orders(LS, po)", "0"),
        ("with it from cross (map (fun e -> map (fun p -> p ++ 0) (W * {e})) LS)", "0"),
        # Orders of some writes are a part of coherence.
        ("with it from generate_orders(W, co0)", "co"),
        ("with it from generate_orders(W & X, co0)", "co & ((W & X) * (W & X))"),
    ],
)
def test_values(text: str, expected: str) -> None:
    text = text.replace("domain-of", "(fun r -> domain r)")
    assert same(text, expected)


def test_cross_takes_one_member_of_each() -> None:
    text = "let rec join S = match S with || {} -> 0 || r ++ S -> (r ; r) | join S end\n"
    assert same(
        f"{text}let it = join (cross {{{{po, rf}}, {{co}}}})",
        "((po | co) ; (po | co)) | ((rf | co) ; (rf | co))",
    )


READS_OF_FAILED_LOCKS = """
let possible e = (LKW * {e}) & loc & ext
with rfe-lf from cross (map (fun e -> map (fun p -> p ++ 0) (possible e)) LF)
empty rfe-lf & po as nothing
"""


def test_a_choice_of_writes_for_reads_is_reads_from() -> None:
    model = plan(READS_OF_FAILED_LOCKS, vocabulary=LOCKS)
    assert [check.name for check in model.checks] == ["rfe-lf-choice", "nothing"]
    # 0: initial; 1: the lock is taken; 2: an attempt that fails.
    threads = [["W0.LKW"], ["R0.LF"]]
    seen = execution(1, threads, rf=((1, 2),), co=((0, 1),))
    assert not failures(model, seen)
    # To fail without another thread's lock is none of the choices.
    unseen = execution(1, threads, rf=((0, 2),), co=((0, 1),))
    assert [failure.check.name for failure in failures(model, unseen)] == ["rfe-lf-choice"]


@pytest.mark.parametrize(
    "pairs",
    [
        "LKW * {e}",  # not of one location
        "(LKW * {e}) & ~(W * {e}) & loc",  # not what it is for all events together
        "([LKW] ; po ; [{e}]) & loc",
        "loc",
    ],
)
def test_other_choices_of_pairs_are_refused(pairs: str) -> None:
    text = f"with r from cross (map (fun e -> map (fun p -> p ++ 0) ({pairs})) LF)"
    with pytest.raises(Exception, match="not supported"):
        plan(text, vocabulary=LOCKS)


def test_a_choice_for_events_that_are_no_reads_is_refused() -> None:
    with pytest.raises(Exception, match="a choice of pairs that are not a write and a read"):
        plan(READS_OF_FAILED_LOCKS.replace("LF)", "UL)"), vocabulary=LOCKS)


MATCHED = """
let rec unmatched-open = A \\ domain(matched)
and unmatched-close = L \\ range(matched)
and unmatched = unmatched-open | unmatched-close
and order = [unmatched] ; po ; [unmatched]
and candidates = [unmatched-open] ; po ; [unmatched-close]
and matched = matched | (candidates \\ (order ; order))
"""


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("", ()),
        ("[]", ((0, 1),)),
        ("[[]]", ((0, 3), (1, 2))),
        ("[][]", ((0, 1), (2, 3))),
        ("[[][[]]]", ((0, 7), (1, 2), (3, 6), (4, 5))),
        ("][", ()),
        ("[[]", ((1, 2),)),
        ("[]]", ((0, 1),)),
    ],
)
def test_recursion_that_takes_away_ends_if_it_keeps_what_it_found(
    word: str, expected: tuple[tuple[int, int], ...]
) -> None:
    model = plan(f"{MATCHED}\nempty matched \\ matched as e")
    found = execution(0, [["F.A" if letter == "[" else "F.L" for letter in word]])
    assert relation(model, found, "matched") == frozenset(expected)
