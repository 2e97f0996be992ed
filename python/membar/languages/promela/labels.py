"""What `accept` and `progress` labels of processes say of all runs, as SPIN's `pan -a` and `pan -l` ask.

No run may come, again and again, to a state in which some process is at an `accept` label; every run that
does not end must come, again and again, to one in which some process is at a `progress` label. A process is
at a label between steps: on the way through an atomic block SPIN counts `accept` labels too, which no state
shows here.
"""

from __future__ import annotations

from collections.abc import Sequence

from membar.languages.promela.predicates import Running
from membar.program.expr import FALSE, Expr, Register
from membar.program.folding import either
from membar.program.predicate import AtPoint, Observable, StatePredicate
from membar.program.temporal import Atom, Claim, LabelClaim, Not, finally_, globally
from membar.properties.labels import ACCEPTANCE, PROGRESS


def label_claims(running: Sequence[Running]) -> tuple[LabelClaim, ...]:
    """What the labels of all processes say, each kind for itself."""
    found = []
    if accepting := _labels(running, "accept"):
        at = Atom(_some_process_at(running, "accept"))
        claim = Claim(
            ACCEPTANCE, finally_(globally(Not(at))), f"no run visits infinitely often {_names(accepting)}"
        )
        found.append(LabelClaim(claim, accepting, _why_not_followed(running)))
    if progressing := _labels(running, "progress"):
        body = globally(finally_(Atom(_some_process_at(running, "progress"))))
        text = f"every infinite run visits infinitely often {_names(progressing)}"
        found.append(LabelClaim(Claim(PROGRESS, body, text, is_endless=True), progressing))
    return tuple(found)


def _labels(running: Sequence[Running], prefix: str) -> tuple[str, ...]:
    """The labels, each once, in the order of the text."""
    names = (name for item in running for name in item.built.automaton.labels if name.startswith(prefix))
    return tuple(dict.fromkeys(names))


def _names(labels: Sequence[str]) -> str:
    return " or ".join(f"`{label}`" for label in labels)


def _some_process_at(running: Sequence[Running], prefix: str) -> StatePredicate:
    """That some process is at one of the labels."""
    reads: list[tuple[str, Observable]] = []
    value: Expr = FALSE
    for item in running:
        automaton = item.built.automaton
        points = {
            point
            for label, place in automaton.labels.items()
            if label.startswith(prefix)
            for point in item.steps.points.get(automaton.follow_jumps(place), [])
        }
        if points:
            name = f"#{len(reads)}"
            reads.append((name, AtPoint(item.number, frozenset(points))))
            value = either(value, Register(name))
    return StatePredicate(value, tuple(reads), f"at a label `{prefix}…`")


def _why_not_followed(running: Sequence[Running]) -> str:
    """Why some `accept` label cannot be followed."""
    for item in running:
        automaton = item.built.automaton
        for label, place in automaton.labels.items():
            if label.startswith("accept") and automaton.is_passed(place):
                return (
                    f"`{label}` of {item.process} is inside an atomic block, which is a single step:"
                    " membar cannot determine whether a run passes it"
                )
    return ""
