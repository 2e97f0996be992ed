"""Objects whose answers are known: final states compared with `graphs`, right and wrong proofs."""

from __future__ import annotations

import re
from functools import cache

import pytest

import membar
import tiers
from differential.object_summaries import (
    CELLS,
    FALSE_CLAIMS,
    MIXED,
    REGISTER,
    SILENT,
    is_proved,
    unsummarised,
)
from differential.object_systems import RELAXED, Final, by_graphs, by_system
from membar.diagnostics import InputError
from membar.languages.objects.parser import parse_text
from membar.questions.outcome import Holds
from membar.source import SourceFile
from strategies.known_objects import AWAITED, COUNTER, FLAGS, LOCK, MISTAKES, PAIR, REQUIRED, REUSED
from unit.objects.test_arguments import LONG

# Two operations each, on `x` and `y`; the results are the locals `a` and `b`.
TESTS = {
    "store buffering": ("x = 1; a = y;", "y = 1; a = x;"),
    "with fences": ("x = 1; fence; a = y;", "y = 1; fence; a = x;"),
    "with swaps": ("a = swap(x, 1); b = y;", "a = swap(y, 1); b = x;"),
    "stores before swaps": ("x = 1; a = swap(y, 2);", "y = 1; a = swap(x, 2);"),
    "own stores": ("x = 1; x = 2; a = x; b = y;", "y = 1; a = y; b = x;"),
    "own stores and guesses": (
        "x = 1; a = x; if (a == 1) { cfence; b = y; }",
        "y = 1; fence; b = x;",
    ),
    "attempts": ("a = cas(x, 0, 1); b = fetch_add(y, 2);", "a = cas(x, 0, 2); b = fetch_add(y, 1);"),
    "message": ("x = 1; fence; y = 1;", "a = y; b = x;"),
    "message with fences": ("x = 1; fence.st; y = 1;", "a = y; fence; b = x;"),
    "message with a guess": ("x = 1; fence; y = 1;", "a = y; if (a == 1) { b = x; } else { b = 7; }"),
    "message behind a control fence": ("x = 1; fence; y = 1;", "a = y; if (a == 1) { cfence; b = x; }"),
    "load buffering": ("a = x; y = 1;", "a = y; x = 1;"),
    "with data": ("a = x; y = a + 1;", "a = y; x = a + 1;"),
    "with control": ("a = x; if (a == 1) y = 1;", "a = y; x = 1; if (a == 3) x = 2;"),
    "with control on both sides": ("a = x; if (a == 1) y = 1;", "a = y; if (a == 1) x = 1;"),
    "one variable": ("x = 1; x = 2;", "a = x; b = x;"),
    "store fences order no loads": ("x = 1; fence.st; a = y;", "y = 1; fence.st; a = x;"),
    "counting": ("x++; a = x;", "x++;"),
}
# The same with an array `m` of two elements.
ELEMENTS = {
    "load buffering of elements": ("a = m[0]; y = 1;", "a = y; m[0] = 1;"),
    "message of an element": ("m[1] = 1; y = 1;", "a = y; fence; b = m[1];"),
    "store buffering of elements": ("m[0] = 1; a = m[1];", "m[1] = 1; a = m[0];"),
    "a shifted address": ("y = 1; fence; x = 1;", "a = x; m[1 - a] = 2; b = y;"),
    "own elements": ("m[0] = 1; a = m[0]; b = m[1];", "m[1] = 2; a = m[1]; b = m[0];"),
    "attempts at elements": ("a = cas(m[0], 0, 1);", "a = fetch_add(m[0], 2); b = swap(m[1], 3);"),
}
MODELS = ("sc", "x86-tso", "xc", "armv8")
OVERLAPPING = {"overlap PAIR": PAIR, "overlap AWAITED": AWAITED, "overlap REQUIRED": REQUIRED}
SUMMARISED = ((REGISTER, 5), (MIXED, 5), (CELLS, 4))
ORDERED = """object ordered; shared x = 0, y = 0; operation f() { 1: x = 1; 2: y = 1; 3: fence; }
    specification { state a = 0; operation f() {} } abstraction true; linearize f at 1;
    invariant pending(1) && pending(2) -> ahead(1, 2);"""
# What is said at line 3 would save what is said at line 2.
REMEMBERED = """object remembered; shared x = 0;
    operation set() { 1: cas(x, 0, 1); }
    operation look() { local t; 2: t = x; 3: if (t == 1) { 4: fence; } 5: return; }
    specification { state a = 0; operation set() {} operation look() {} }
    abstraction true; linearize set at 1; linearize look at 2;
    invariant { x == 0 || x == 1; at 3, 4: t == x; at 4: t == 1; }"""
ASSIGNED = """object assigned; shared x = 0; operation write(v) { 1: v = 0; 2: x = v; }
    specification { state a = 0; operation write(v) { a = v; } } abstraction a == x; linearize write at 2;
    invariant at 2: v == 0;"""
RIGHT = {
    "register": (REGISTER, "x86-tso"),
    "ahead": (ORDERED, "x86-tso"),
    "long": (LONG.replace("RESULT", "1"), "xc"),
}
FALSE = {"memory claims": (REMEMBERED, "sc"), "parameter": (ASSIGNED, "sc")}
WRONG = {mistake.name: mistake for mistake in MISTAKES}
BUFFERED = ("a deferred value is anything",)  # wrong where stores are buffered
REFUTED = (
    *BUFFERED,
    "a read never takes effect",
    "never released",
    "nobody is an owner",
    "reads something else",
    "returns something else",
    "starts at one",
    "taken twice",
    "two owners",
    "who holds it does not matter",
)


QUESTIONS = (
    *(f"states {model}" for model in MODELS),
    *(f"elements {model}" for model in ("sc", "x86-tso", "armv8")),
    *OVERLAPPING,
    *RIGHT,
    *FALSE,
    *("claims", "flags", "real time", "reused", "right", "summaries"),
    *(f"wrong `{name}` {'x86-tso' if name in BUFFERED else 'sc'}" for name in REFUTED),
)


def text_of(name: str) -> str:
    first, second = ELEMENTS[name] if name in ELEMENTS else TESTS[name]
    start, end = "() { local a, b; ", " return (a, b); }"
    shared = "x, y, m[2]" if name in ELEMENTS else "x, y"
    return f"object test; shared {shared}; operation f{start}{first}{end} operation g{start}{second}{end}"


@cache
def expected(name: str, model: str) -> Final:
    about = parse_text(SourceFile(f"{name}.obj", text_of(name)))
    return by_graphs(about, model, is_array_one_address=name in ELEMENTS and model in RELAXED)


def compared_by(by: str) -> tuple[dict[str, tuple[str, str]], str]:
    """The tests whose final states are compared, and under which model; none if it is another check."""
    kind, _, model = by.partition(" ")
    return {"states": TESTS, "elements": ELEMENTS}.get(kind, {}), model


def states_differ(by: str) -> bool:
    names, model = compared_by(by)
    for name in names:
        found, _ = by_system(parse_text(SourceFile(f"{name}.obj", text_of(name))), model)
        if found != expected(name, model):
            return True
    return False


def holds(text: str, model: str, *, order: str = "causal") -> bool:
    try:
        return isinstance(membar.prove(SourceFile("test.obj", text), model=model, order=order).outcome, Holds)
    except InputError:
        return False


def is_wrong(by: str) -> bool:
    """Whether a question gets another answer than the right one."""
    if compared_by(by)[0]:
        return states_differ(by)
    if by == "flags":
        return holds(FLAGS, "x86-tso")
    if by == "real time":
        return holds(COUNTER, "x86-tso", order="real-time")
    if by == "reused":
        return holds(REUSED, "armv8")
    if by in OVERLAPPING:
        return holds(OVERLAPPING[by], "armv8")
    if by == "right":
        return not all(holds(text, model) for text in (COUNTER, LOCK) for model in ("sc", "x86-tso"))
    if by == "claims":
        return any(is_proved(f"{SILENT} invariant {claim};") for claim in FALSE_CLAIMS.values())
    if by == "summaries":
        return any(unsummarised(text, longest) for text, longest in SUMMARISED)
    if by in RIGHT:
        return not holds(*RIGHT[by])
    if by in FALSE:
        return holds(*FALSE[by])
    found = re.fullmatch(r"wrong `(.*)` (\S+)", by)
    assert found is not None
    return holds(WRONG[found[1]].made(), found[2])


@pytest.mark.parametrize("by", tiers.every(3, QUESTIONS))
def test_the_answer_is_right(by: str) -> None:
    assert not is_wrong(by)
