"""Deliberate bugs in the DVE front end: random texts, or those read by hand, show every one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from differential.mutation import Bug, Entry, Rewrite, planted
from differential.test_dve import agree
from membar.diagnostics import InputError
from unit.frontends.dve import test_errors, test_expressions, test_semantics

DVE = "membar.frontends.dve"


@dataclass(frozen=True, slots=True)
class Seeded:
    """A bug, and the check that shows it."""

    name: str
    bug: Bug
    caught_by: str


def rewrite(name: str, module: str, old: str, new: str, caught_by: str = "random texts") -> Seeded:
    return Seeded(name, Rewrite(f"{DVE}.{module}", old, new), caught_by)


# A check that does not pass, or a good text that is refused; a crash would show nothing.
CAUGHT = (AssertionError, pytest.fail.Exception, InputError)

BUGS = [
    Seeded("and binds tighter than or", Entry(f"{DVE}.expressions", "_LEVEL", "and", 2), "reading"),
    Seeded("& binds tighter than |", Entry(f"{DVE}.expressions", "_LEVEL", "&", 3), "reading"),
    Seeded("== and < share a level", Entry(f"{DVE}.expressions", "_LEVEL", "<", 3), "reading"),
    rewrite("right associative", "expressions", "self.binary(level + 1)", "self.binary(level)", "reading"),
    rewrite(
        "not reaches far", "expressions", "operand = self._unary()", "operand = self.binary(0)", "reading"
    ),
    rewrite("a comment hides no */", "tokens", 'if found.group() == "*/":', "if True:", "bad input"),
    rewrite("two names alike", "scope", "if name in seen:", "if False:", "bad input"),
    rewrite(
        "short transitions",
        "parser",
        'if not (cursor.sees("->") and self.source is not None):',
        "if True:",
        "synchronous combinations",
    ),
    rewrite("rest of a list lost", "scope", "(0,) * (count - len(values))", "(1,) * (count - len(values))"),
    rewrite(
        "own variables hidden",
        "scope",
        "own.get(name) or self.globals.get(name)",
        "self.globals.get(name) or own.get(name)",
        "shadowing",
    ),
    rewrite(
        "division rounds down",
        "arithmetic",
        'op in ("/", "%") and right.range[0] <= 0 <= right.range[1]',
        "False",
    ),
    rewrite(
        "no short circuit",
        "arithmetic",
        'is_needed = negation(left.truth) if op == "or" else left.truth',
        "is_needed = negation(FALSE)",
        "not looked at",
    ),
    rewrite(
        "or looks as and does",
        "arithmetic",
        'negation(left.truth) if op == "or" else left.truth',
        "left.truth",
        "not looked at",
    ),
    rewrite(
        "imply forgets its not",
        "arithmetic",
        'first = negation(left.truth) if op == "imply" else left.truth',
        "first = left.truth",
    ),
    rewrite(
        "not of a number",
        "arithmetic",
        "if self.range[0] >= 0 and self.range[1] <= 1:",
        "if self.range[1] <= 255:",
    ),
    rewrite(
        "swapped comparison",
        "arithmetic",
        "(right.expr, left.expr) if is_swapped else",
        "(right.expr, left.expr) if not is_swapped else",
    ),
    rewrite("elements off by one", "arithmetic", "Constant(first + half)", "Constant(first + half + 1)"),
    rewrite("bounds off by one", "arithmetic", "if index.fits(0, count - 1):", "if index.fits(0, count):"),
    rewrite(
        "range too narrow", "arithmetic", "return a + c, b + d", "return a + c, max(b, d)", "run-time errors"
    ),
    rewrite(
        "range of a product", "arithmetic", "return min(corners), max(corners)", "return 0, max(corners)"
    ),
    rewrite("no range check", "code", "if not value.fits(low, high):", "if False:"),
    rewrite(
        "range check off by one",
        "code",
        "Binary(BinaryOp.LT, Constant(high - low), distance)",
        "Binary(BinaryOp.LE, Constant(high - low), distance)",
        "not looked at",
    ),
    rewrite("stale loads after a store", "code", "        self._drop(place)\n", "        pass\n"),
    rewrite(
        "stale index after an assignment",
        "code",
        "if key[0] != place and (isinstance(key[1], Constant) or _is_fixed(key[1]))",
        "if key[0] != place",
        "effects in order",
    ),
    rewrite(
        "temporaries stay",
        "code",
        "return (*self.operations, *clear)",
        "return (*self.operations,)",
        "states of the machine",
    ),
    rewrite(
        "element written from the new one",
        "code",
        "at, new = Register(self._kept(index.expr).name), self._kept(value.expr)",
        "at, new = index.expr, value.expr",
        "effects in order",
    ),
    rewrite(
        "guards before run-time errors",
        "code",
        "if is_plain and not self._has_checked:",
        "if is_plain:",
        "guards in order",
    ),
    rewrite(
        "guard of the first part only",
        "code",
        "return [*([] if tree is None else [tree]), *reversed(found)]",
        "return [] if tree is None else [tree]",
    ),
    rewrite(
        "int loaded without its sign", "code", "kind.size, signed=kind.signed)", "kind.size, signed=False)"
    ),
    rewrite(
        "sent values not cast", "code", "if kind is None or value.fits(*kind.range):", "if True:", "casts"
    ),
    rewrite(
        "sender before receiver",
        "transitions",
        (
            "                _take(code, rules, process, transition, names)\n"
            "                _effects(code, rules, process, transition)\n"
        ),
        (
            "                _effects(code, rules, process, transition)\n"
            "                _take(code, rules, process, transition, names)\n"
        ),
    ),
    rewrite(
        "room before effects",
        "transitions",
        "            _effects(code, rules, process, transition)\n            _send(code, channel, sync)\n",
        "            _send(code, channel, sync)\n            _effects(code, rules, process, transition)\n",
    ),
    rewrite(
        "errors before a full channel",
        "transitions",
        "checks, code.checks = code.checks, Checks.NOTE",
        "checks = code.checks",
        "full channel",
    ),
    rewrite(
        "old values after a rendezvous",
        "transitions",
        "            _send(code, channel, sync)\n            code.forget()\n",
        "            _send(code, channel, sync)\n",
    ),
    rewrite("committed states lost", "threads", "committed=process.committed,", "", "random texts"),
    rewrite(
        "target is the source",
        "threads",
        "target=process.states[transition.target],",
        "target=process.states[transition.source],",
    ),
    rewrite(
        "guards one after the other",
        "synchronous",
        (
            "        code.guard(transition.guard)\n"
            "    for process, transition in pairs:\n"
            "        code.enter(process, transition.source)\n"
        ),
        "        code.guard(transition.guard)\n",
    ),
    rewrite(
        "one combination only",
        "synchronous",
        "return product(*leaving)",
        "return iter(list(product(*leaving))[:1])",
    ),
    rewrite(
        "assertion in every state",
        "translate",
        "Binary(BinaryOp.AND, is_there, negation(holds))",
        "negation(holds)",
    ),
    rewrite(
        "no element reads as the last",
        "predicates",
        "value = Binary(BinaryOp.MUL, inside, picked(index.expr, elements))",
        "value = picked(index.expr, elements)",
        "elements of predicates",
    ),
    rewrite(
        "reset without the first process",
        "legacy",
        "if item.name == first.state_object else FALSE",
        "if False else FALSE",
        "legacy",
    ),
    rewrite(
        "guard that went wrong",
        "code",
        "if self.checks is Checks.NOTE and self.bad is not None:",
        "if False:",
        "legacy",
    ),
    rewrite("acceptance of nothing", "translate", "(frozenset[int](),)", "()", "acceptance"),
]


def _random_texts() -> None:
    for seed in range(150):
        agree(seed, engines=("states",))


def _read_all() -> None:
    for text, tree in test_expressions.READ:
        assert test_expressions.read(text) == tree


def _bad_input() -> None:
    for text, code, message in test_errors.CASES:
        test_errors.test_bad_input_is_named_and_placed(text, code, message)


def _not_looked_at() -> None:
    for body in test_semantics.FINE:
        test_semantics.test_what_is_not_looked_at_does_not_go_wrong(body)


def _run_time_errors() -> None:
    for body, message in test_semantics.WRONG:
        test_semantics.test_kinds_of_run_time_errors(body, message)


def _casts() -> None:
    for channel, sent, received in test_semantics.CASTS:
        test_semantics.test_typed_channels_cast(channel, sent, received)


def _states_of_the_machine() -> None:
    for seed in range(12):
        agree(seed, engines=("reference",))


CHECKS: dict[str, Callable[[], None]] = {
    "random texts": _random_texts,
    "states of the machine": _states_of_the_machine,
    "reading": _read_all,
    "bad input": _bad_input,
    "not looked at": _not_looked_at,
    "synchronous combinations": test_semantics.test_a_synchronous_system_takes_every_combination,
    "shadowing": test_semantics.test_own_variables_hide_global_ones,
    "effects in order": test_semantics.test_effects_see_what_was_done_before_them,
    "full channel": test_semantics.test_a_run_time_error_before_a_full_channel_does_not_happen,
    "run-time errors": _run_time_errors,
    "casts": _casts,
    "legacy": test_semantics.test_legacy_run_time_errors_reset_everything_and_go_on,
    "guards in order": test_semantics.test_guards_are_looked_at_from_left_to_right,
    "elements of predicates": test_semantics.test_elements_that_do_not_exist_read_as_0_in_predicates,
    "acceptance": test_semantics.test_generalised_acceptance_and_none,
}


@pytest.mark.parametrize("seeded", BUGS, ids=lambda seeded: seeded.name)
def test_the_suite_catches(seeded: Seeded, tmp_path: Path) -> None:
    with planted(seeded.bug, tmp_path), pytest.raises(CAUGHT):
        CHECKS[seeded.caught_by]()


@pytest.mark.parametrize("check", sorted(CHECKS.keys() - {"random texts"}))
def test_without_bugs_the_checks_pass(check: str) -> None:
    CHECKS[check]()
