"""Deliberate bugs in repair: brute force, made-up searches, or texts read by hand show every one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from differential.mutation import Bug, Rewrite, planted
from membar.diagnostics import InputError
from unit.repair import test_command, test_guarantee, test_places_of_models, test_repair, test_search


@dataclass(frozen=True, slots=True)
class Seeded:
    """A bug, and the check that shows it."""

    name: str
    bug: Bug
    caught_by: str


def rewrite(name: str, module: str, old: str, new: str, caught_by: str) -> Seeded:
    return Seeded(name, Rewrite(f"membar.{module}", old, new), caught_by)


# A check that does not pass, or a good text that is refused; a crash would show nothing.
CAUGHT = (AssertionError, pytest.fail.Exception, InputError)

PROMELA, DVE, SEARCH = "frontends.promela.places", "frontends.dve.places", "repair.search"
BUGS = [
    rewrite(
        "a bound is as good as none",
        "repair.question",
        "True if other.bound in (None, self.bound) else None",
        "True",
        "bounds",
    ),
    rewrite(
        "races may come", "repair.question", "if not other.flags <= self.flags:", "if False:", "no new races"
    ),
    rewrite(
        "exists is a wish",
        "repair.question",
        "quantifier is Quantifier.EXISTS",
        "quantifier is None",
        "exists",
    ),
    rewrite(
        "undecided passes",
        "repair.question",
        "raise UndecidedError(reason)",
        "return True",
        "limits of states",
    ),
    rewrite(
        "the bound never freezes",
        SEARCH,
        "if passes is None and self._undecided is None:",
        "if False:",
        "blind",
    ),
    rewrite(
        "the undecided is what fails",
        SEARCH,
        "(False,) if self._passes(choice) is False else (False, None)",
        "(False, None)",
        "blind",
    ),
    rewrite("stronger is weaker", SEARCH, "below in place.alternatives[above].includes", "True", "searches"),
    rewrite(
        "a failing choice says too much",
        "repair.hitting",
        "if index not in place.alternatives[failed].includes",
        "if index > failed",
        "searches",
    ),
    rewrite(
        "the bound is too high",
        SEARCH,
        "self._raise_bound(cost if self._is_monotone else 0)",
        "self._raise_bound(cost + 1)",
        "searches",
    ),
    rewrite(
        "Ctrl-C is nothing", SEARCH, "cheapest, self.is_interrupted = [], True", "cheapest = []", "Ctrl-C"
    ),
    rewrite("loops cost nothing", "repair.costs", "self.loop**place.loops", "1", "loops"),
    rewrite(
        "the user's costs are ours", "repair.costs", "theirs.get(_ANY, {}) | theirs", "{} | theirs", "costs"
    ),
    rewrite("any cost is known", "repair.costs", "if name not in known:", "if False:", "misspelt"),
    rewrite("guards are fenced", PROMELA, "if not position.is_guard:", "if True:", "guards"),
    rewrite(
        "a block's first is no guard",
        PROMELA,
        "yield from _positions(inner, is_guard=decides",
        "yield from _positions(inner, is_guard=False",
        "guards",
    ),
    rewrite(
        "inlines have no places",
        PROMELA,
        "for body in parse_inlines(source, records):",
        "for body in ():",
        "inlines",
    ),
    rewrite(
        "inlines guard nothing",
        PROMELA,
        "_positions(body, is_guard=True",
        "_positions(body, is_guard=False",
        "inline guard",
    ),
    rewrite("jumps go around fences", PROMELA, "return not is_asked and ", "return False and ", "labels"),
    rewrite("labels move", PROMELA, "return not is_asked and ", "return ", "asked labels"),
    rewrite(
        "fences leave semicolons",
        PROMELA,
        "preceding.start() if preceding else",
        "span.start if preceding else",
        "gone",
    ),
    rewrite("lines stay", PROMELA, "(column - 1) * is_own_line, following", "0, following", "gone"),
    rewrite("what guards goes", PROMELA, "if position.is_guard or position.is_alone or", "if", "gone"),
    rewrite("sync is a fence", PROMELA, "FENCE_OF_ALL, ())", "FENCE, ())", "sync"),
    rewrite("a star goes as a whole", DVE, "(line, _at_end(source, write.line))", "(line,)", "stars"),
    rewrite(
        "stars are written out",
        "changes",
        "for edit in edits if edit.span.text}",
        "for edit in edits}",
        "one star",
    ),
    rewrite(
        "comments are code",
        "frontends.cubicle.places",
        "span.start <= token.span.start < span.end",
        "True",
        "guards of systems",
    ),
    rewrite("lines are moved", "changes", "_flat(edit) if is_flat else edit", "edit", "lines"),
    rewrite(
        "the first backup is lost", "commands.writing", 'backup.open("xb")', 'backup.open("wb")', "backups"
    ),
    rewrite("links are replaced", "commands.writing", "file.path.resolve()", "file.path", "links"),
]


Told = pytest.CaptureFixture[str]


def _searches(folder: Path, told: Told) -> None:  # noqa: ARG001
    for seed in range(40):
        for is_monotone in (True, False):
            test_search.test_the_search_finds_all_cheapest_choices(seed, is_monotone=is_monotone)


def _blind(folder: Path, told: Told) -> None:  # noqa: ARG001
    for seed in range(60):
        test_search.test_no_more_is_claimed_than_what_was_decided(seed, is_monotone=True)
    test_guarantee.test_what_cannot_be_decided_freezes_the_bound_and_does_not_blow_up()
    test_search.test_what_cannot_be_told_is_no_repair_and_leaves_the_bound_open()


def _loops(folder: Path, told: Told) -> None:  # noqa: ARG001
    text = "do :: x = 1; r0 = y; break od"
    source = test_places_of_models.promela(text, "y = 1; r1 = x")
    found = test_places_of_models.repaired(source)
    assert found.cost == 220


def _gone(folder: Path, told: Told) -> None:  # noqa: ARG001
    for text, left in test_places_of_models.GONE:
        test_places_of_models.test_a_fence_goes_with_what_separates_it(text, left)


def _labels(folder: Path, told: Told) -> None:  # noqa: ARG001
    for text, fenced in test_places_of_models.LABELLED:
        test_places_of_models.test_labelled_statements_are_places(text, fenced)


def _guards(folder: Path, told: Told) -> None:  # noqa: ARG001
    test_places_of_models.test_no_fence_becomes_the_guard_of_an_alternative(test_places_of_models.CHOICES[0])


def _systems(folder: Path, told: Told) -> None:  # noqa: ARG001
    for requires in test_command.GUARDS:
        test_command.test_comments_of_cubicle_hide_no_place(requires)


def alone(check: Callable[[], None]) -> Callable[[Path, Told], None]:
    """A check that needs neither a folder nor what is printed."""
    return lambda _folder, _told: check()


CHECKS: dict[str, Callable[[Path, Told], None]] = {
    "searches": _searches,
    "blind": _blind,
    "loops": _loops,
    "gone": _gone,
    "labels": _labels,
    "guards": _guards,
    "guards of systems": _systems,
    "bounds": alone(test_guarantee.test_what_holds_is_not_weakened_to_what_holds_within_a_bound),
    "no new races": alone(test_guarantee.test_weakening_does_not_make_data_races),
    "limits of states": alone(test_guarantee.test_limits_of_a_question_reach_every_check),
    "Ctrl-C": alone(test_guarantee.test_ctrl_c_leaves_the_best_repair_so_far_with_its_bound),
    "inlines": alone(test_places_of_models.test_statements_of_inlines_are_places_wherever_the_inline_is_used),
    "inline guard": alone(test_places_of_models.test_the_first_statement_of_an_inline_may_be_a_guard),
    "asked labels": alone(test_places_of_models.test_a_label_that_is_asked_about_stays_where_it_is),
    "sync": alone(test_places_of_models.test_a_fence_of_all_buffers_may_become_one_of_its_own),
    "stars": lambda _folder, _told: test_places_of_models.test_atomic_writes_that_are_not_needed_are_left_out(
        "atomic *, *;\n"
    ),
    "one star": alone(
        test_places_of_models.test_what_a_star_names_stays_as_it_is_where_nothing_of_it_changes
    ),
    "exists": test_command.test_an_outcome_that_is_asked_for_can_happen_or_cannot,
    "costs": lambda folder, _told: test_repair.test_costs_decide(folder),
    "misspelt": lambda folder, told: test_command.test_a_misspelt_cost_is_refused(
        *test_command.MISSPELT[0], folder, told
    ),
    "lines": lambda folder, _told: test_command.test_lines_of_executions_are_those_of_the_users_text(folder),
    "backups": test_command.test_a_second_repair_keeps_what_the_first_one_kept,
    "links": test_command.test_a_link_stays_a_link,
}


@pytest.mark.parametrize("seeded", BUGS, ids=lambda seeded: seeded.name)
def test_the_suite_catches(seeded: Seeded, tmp_path: Path, capsys: Told) -> None:
    with planted(seeded.bug, tmp_path), pytest.raises(CAUGHT):
        CHECKS[seeded.caught_by](tmp_path, capsys)


def test_without_bugs_the_loops_count(tmp_path: Path, capsys: Told) -> None:
    """The one check that is no test of its own elsewhere."""
    _loops(tmp_path, capsys)
