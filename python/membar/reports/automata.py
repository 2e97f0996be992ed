"""The automata of the claims of a program (`--show-automaton`): as text, and as pictures.

An automaton accepts the runs that violate a claim: it takes a transition with each step of the program, and a
run that brings every mark of it infinitely often violates the claim.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path

from membar.diagnostics import EngineLimitError
from membar.program.program import Program
from membar.program.temporal import Claim, ForbiddenRuns
from membar.properties.ltl.automaton import Automaton, Label, Transition
from membar.properties.ltl.translation import automaton_of
from membar.records import replace
from membar.reports import streams, svg
from membar.reports._parts.svg_path import decimal
from membar.source import without_parentheses

_INK, _ARROW = "#1f2430", "#6b7280"
_RADIUS, _ROW, _LEFT, _TOP = 22.0, 96.0, 70.0, 100.0


def automata(program: Program) -> Iterator[tuple[Claim, Automaton]]:
    """Each claim with the automaton of the runs that violate it, unless that is too large."""
    for claim in program.claims:
        body = claim.body
        if isinstance(body, ForbiddenRuns):
            yield claim, _of_forbidden(body)
            continue
        try:
            yield claim, automaton_of(body, negated=True)
        except EngineLimitError:
            continue


def render(program: Program) -> str:
    """The automata of all claims as text; a claim `G p` needs none."""
    found = "".join(f"\n{_text(claim, automaton)}" for claim, automaton in automata(program))
    return found or "\nno automaton: the program has no claim that needs one\n"


def save_pictures(program: Program, folder: Path) -> None:
    """Draws each automaton into a file of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    for claim, automaton in automata(program):
        name = re.sub(r"[^A-Za-z0-9._+-]", "_", f"{program.name}.{claim.name}")[:80]
        streams.write_file(folder / f"{name}.automaton.svg", render_svg(claim, automaton))


def _text(claim: Claim, automaton: Automaton) -> str:
    states = "1 state" if automaton.states == 1 else f"{automaton.states} states"
    accepted = "every run that it can follow"
    if automaton.sets:
        accepted = f"{_marks(range(automaton.sets))} infinitely often"
    lines = [f"runs that violate {claim.name} ({states}, {accepted}):"]
    for state in range(automaton.states):
        name = automaton.names[state] if automaton.names else ""
        lines.append(f"  {state}{' (initial)' if state == 0 else ''}{f'  {name}' if name else ''}")
        for step in automaton.leaving[state]:
            marks = f"  {_marks(sorted(step.marks))}" if step.marks else ""
            lines.append(f"    -> {step.target}  if {label_text(automaton, step.label)}{marks}")
    return "\n".join((*lines, ""))


def label_text(automaton: Automaton, label: Label) -> str:
    """What a transition needs, in words of the program."""

    def atom(number: int) -> str:
        text = without_parentheses(automaton.atoms[number].text or "?")
        return text if text.replace("_", "").isalnum() else f"({text})"

    parts = [atom(number) for number in sorted(label.positive)]
    parts += [f"!{atom(number)}" for number in sorted(label.negative)]
    return " && ".join(parts) or "true"


def _marks(numbers: Iterable[int]) -> str:
    return " ".join(f"mark {number}" for number in numbers)


def _of_forbidden(body: ForbiddenRuns) -> Automaton:
    """A never claim or a property process in the same form; state 0 is the initial one."""
    atoms = tuple(dict.fromkeys(edge.guard for edge in body.edges))
    order = [body.initial, *(state for state in range(len(body.states)) if state != body.initial)]
    place = {state: number for number, state in enumerate(order)}
    transitions = tuple(
        Transition(
            place[edge.source],
            place[edge.target],
            Label(frozenset({atoms.index(edge.guard)})),
            frozenset(number for number, states in enumerate(body.accepting) if edge.source in states),
        )
        for edge in body.edges
    )
    names = tuple(body.states[state] for state in order)
    found = Automaton(atoms, len(order), (), len(body.accepting), names)
    return replace(found, transitions=tuple(sorted(transitions, key=lambda step: (step.source, step.target))))


def render_svg(claim: Claim, automaton: Automaton) -> str:
    """The picture of one automaton: states below each other, transitions on the right of them."""
    title = f"runs that violate {claim.name}"
    width, body = 0.0, list[str]()
    arcs: dict[tuple[int, int], list[Transition]] = {}
    for step in automaton.transitions:
        arcs.setdefault((step.source, step.target), []).append(step)
    for lane, ((source, target), steps) in enumerate(sorted(arcs.items(), key=_span)):
        words = " or ".join(_arc_text(automaton, step) for step in steps)
        drawn, right = _arc(source, target, lane, words)
        body += drawn
        width = max(width, right)
    for state in range(automaton.states):
        body += _state(state, automaton.names[state] if automaton.names else "")
    high = _TOP + _ROW * automaton.states
    wide = max(width, len(title) * 9.2) + 2 * svg.MARGIN
    head = svg.text(svg.MARGIN, 32, title, size=16, color=_INK, weight="600")
    return "\n".join([*_document(wide, high, title), head, *body, "</svg>"]) + "\n"


def _document(wide: float, high: float, title: str) -> list[str]:
    """The opening: size, own background, the head of arrows."""
    width, height = decimal(wide), decimal(high)
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img">',
        f"<title>{escape(title)}</title>",
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7.2" refY="4" markerWidth="8" markerHeight="8" '
        'markerUnits="userSpaceOnUse" orient="auto">'
        f'<path d="M0,0.6 L8,4 L0,7.4 L1.8,4 z" fill="{_ARROW}"/></marker></defs>',
        f'<rect width="{width}" height="{height}" rx="10" fill="#ffffff" stroke="#d5d9e0"/>',
    ]


def _span(arc: tuple[tuple[int, int], list[Transition]]) -> tuple[int, int, int]:
    (source, target), _ = arc
    return abs(target - source), source, target


def _arc_text(automaton: Automaton, step: Transition) -> str:
    marks = "".join(f" ({number})" for number in sorted(step.marks))
    return f"{label_text(automaton, step.label)}{marks}"


def _height(state: int) -> float:
    return _TOP + _ROW * state


def _arc(source: int, target: int, lane: int, words: str) -> tuple[list[str], float]:
    """An arrow that leaves and arrives on the right, the further out the longer it is, and its words."""
    start, end = _height(source), _height(target)
    if source == target:
        start, end = start - 8, end + 8
    out = _LEFT + _RADIUS + 40 + 26 * lane
    edge = _LEFT + _RADIUS * (1.0 if source != target else 0.93)
    x, far, y, last = (decimal(value) for value in (edge, out, start, end))
    path = f"M{x},{y} C{far},{y} {far},{last} {x},{last}"
    middle = (start + end) / 2 + 4
    at = edge + 0.75 * (out - edge) + 6
    drawn = [
        f'<path d="{path}" fill="none" stroke="{_ARROW}" stroke-width="1.4" marker-end="url(#arrow)"/>',
        svg.text(at, middle, words, size=12, color=_INK),
    ]
    return drawn, at + len(words) * 7.0


def _state(state: int, name: str) -> list[str]:
    y = _height(state)
    drawn = [
        f'<circle cx="{decimal(_LEFT)}" cy="{decimal(y)}" r="{decimal(_RADIUS)}" fill="#ffffff" '
        f'stroke="#1d4ed8" stroke-width="{2.4 if state == 0 else 1.4}">'
        f"<title>{escape(name)}</title></circle>",
        svg.text(_LEFT, y + 5, str(state), size=14, color=_INK, anchor="middle"),
    ]
    if state == 0:
        y0 = decimal(y)
        drawn.append(
            f'<path d="M{decimal(_LEFT - _RADIUS - 26)},{y0} L{decimal(_LEFT - _RADIUS)},{y0}" '
            f'stroke="{_ARROW}" stroke-width="1.4" marker-end="url(#arrow)"/>'
        )
    return drawn
