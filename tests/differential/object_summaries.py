"""Summarised buffers against buffers: whatever a thread does, its summary does.

A summary is worked out here from the definition, store by store. For every step from a buffer with few
stores, and every choice of summarised stores afterwards, the summarised system must have a step between the
summaries that moves the same stores, from some choice before: so that what it proves is proved of the buffer.
Guards are ignored.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator, Sequence
from itertools import product

from membar.languages.objects.parser import parse_text
from membar.objects.proof.claims import claims
from membar.objects.proof.discharge import prove
from membar.objects.syntax import ConcurrentObject, Store
from membar.objects.systems import buffered
from membar.objects.systems.buffered.control import VALUE, Control, Entry, owner_name
from membar.objects.systems.buffered.summaries import Summarised, next_of, some_of
from membar.objects.systems.moves import Move, ThreadSystem
from membar.objects.terms import Variable
from membar.records import replace
from membar.source import SourceFile

# Writes of two variables, and a read that stores of one of them can serve.
MIXED = """object mixed; shared x = 0, y = 0;
    operation both(v) { 1: x = v; 2: y = v; }
    operation read() { local t; 4: t = x; 5: return t; }
    specification { state a = 0; operation both(v) { a = v; } operation read() { return a; } }
    abstraction true; linearize both at 1; linearize read at 4;"""
WRITES = """object writes; shared x = 0;
    operation write(v) { 1: x = v; }
    specification { state a = 0; operation write(v) { a = v; } }
    abstraction a == x; linearize write at 1; invariant forall s in pending(1): s.value == s.v;"""
CELLS = """object cells; shared b[2] = 0;
    operation put(v) { 1: b[0] = v; }
    specification { state a = 0; operation put(v) { a = v; } } abstraction true; linearize put at 1;"""
REGISTER = """object register; shared x = 0;
    operation write(v) { 1: x = v; }
    operation read() { local t; 2: t = x; 3: return t; }
    specification { state a = 0; operation write(v) { a = v; } operation read() { return a; } }
    abstraction a == x; linearize write at 1; linearize read at 2;
    invariant forall s in pending(1): s.value == s.v;
    invariant deferred(1) -> deferred(1).result1 == deferred(1).value;"""
# Not so, once there are three.
FALSE_CLAIMS = {
    "in between": "forall s in pending(1): s.value == pending(1).value || s.value == newest(1).value",
    "only two": "forall s in pending(1): s.v == pending(1).v || s.v == newest(1).v || deferred(1)",
    "all are the oldest": "forall s in pending(1): s.value == pending(1).value",
    "the newest is the oldest": "newest(1).value == pending(1).value",
    "a read waits for the oldest": "deferred(1) -> deferred(1).value == pending(1).value",
    "a read waits for the newest": "deferred(1) -> deferred(1).value == newest(1).value",
    "memory is behind": "forall s in pending(1): s.value >= x",
}
# A register without a meaning, of which all of these are claimed.
SILENT = """object silent; shared x = 0;
    operation write(v) { 1: x = v; }
    operation read() { local t; 2: t = x; 3: return; }
    specification { state a = 0; operation write(v) {} operation read() {} }
    abstraction true; linearize write at 1; linearize read at 2;"""


def reached(system: ThreadSystem) -> Iterator[Hashable]:
    """The controls of a system, as if every guard could hold."""
    seen, todo = {system.start}, [system.start]
    while todo:
        control = todo.pop()
        yield control
        for move in system.moves(control):
            if move.after not in seen and not system.too_long(move.after):
                seen.add(move.after)
                todo.append(move.after)


def kept_of(control: Control, about: ConcurrentObject) -> list[int]:
    """The stores that are explicit in the summary of a buffer."""
    found: list[int] = []
    for number, entry in enumerate(control.entries):
        same = [at for at, each in enumerate(control.entries) if each == entry]
        action = next(line.action for _, line in about.lines() if line.label == entry.line)
        is_element = isinstance(action, Store) and action.location.index is not None
        is_awaited = control.waiting is not None and control.waiting.entry == number
        is_current = entry.promises and not entry.returned
        if number in (same[0], same[-1]) or is_element or is_awaited or is_current:
            found.append(number)
    return found


def summary(control: Control, about: ConcurrentObject) -> Summarised:
    """The summary of a buffer."""
    explicit = kept_of(control, about)
    waiting = control.waiting
    if waiting is not None:
        waiting = replace(waiting, entry=explicit.index(waiting.entry))
    short = replace(control, entries=tuple(control.entries[number] for number in explicit), waiting=waiting)
    rest = (entry for number, entry in enumerate(control.entries) if number not in explicit)
    return Summarised(short, frozenset(rest))


Places = dict[str, int]


def moved(move: Move, places: Places) -> Places:
    """Which store everybody has after a move, by number; -1 is a new one."""
    found = dict(places)
    for variable, term in move.updates:
        if variable.name == VALUE and isinstance(term, Variable) and term.name == VALUE:
            found[variable.operation] = places[term.operation]
        elif variable.name == VALUE:
            found[variable.operation] = -1
    return found


def choices(control: Control, about: ConcurrentObject) -> Iterator[dict[Entry, int]]:
    """One summarised store of every kind, in every way."""
    explicit = kept_of(control, about)
    rest = [number for number in range(len(control.entries)) if number not in explicit]
    kinds = sorted({control.entries[number] for number in rest}, key=repr)
    members = [[number for number in rest if control.entries[number] == kind] for kind in kinds]
    for chosen in product(*members):
        yield dict(zip(kinds, chosen, strict=True))


def unsummarised(text: str, longest: int) -> list[str]:
    """Steps of buffers with at most so many stores that the summarised system does not have."""
    about = parse_text(SourceFile("test.obj", text))
    plain = buffered.system(about, name="x86-tso", is_buffered=True)
    short = buffered.summarized_system(about, name="x86-tso")
    bounded = dataclasses.replace(plain, too_long=lambda control: _length(control) > longest)
    found = []
    for control in reached(bounded):
        assert isinstance(control, Control)
        steps = short.moves(summary(control, about))
        found += [
            f"{plain.described(control)}: {move.text}"
            for move in plain.moves(control)
            if not all(has_step(control, move, steps, about, wanted) for wanted in _afterwards(move, about))
        ]
    return found


def _afterwards(move: Move, about: ConcurrentObject) -> Iterator[dict[Entry, int]]:
    assert isinstance(move.after, Control)
    yield from choices(move.after, about)


def has_step(
    control: Control, move: Move, steps: Sequence[Move], about: ConcurrentObject, wanted: dict[Entry, int]
) -> bool:
    """Whether a step of the summary is this one, such that `wanted` are left open afterwards."""
    after = move.after
    assert isinstance(after, Control)
    numbers = moved(move, {owner_name(number): number for number in range(len(control.entries))})
    explicit = {owner_name(at): numbers[owner_name(n)] for at, n in enumerate(kept_of(after, about))}
    left_open = {some_of(kind): numbers[owner_name(number)] for kind, number in wanted.items()}
    same = [
        step
        for step in steps
        if (step.kind, step.line, step.after, step.effects)
        == (move.kind, move.line, summary(after, about), move.effects)
    ]
    start = {owner_name(at): number for at, number in enumerate(kept_of(control, about))}
    for some in choices(control, about):
        for coming in choices(control, about):
            places = start | {some_of(kind): number for kind, number in some.items()}
            places |= {next_of(kind): number for kind, number in coming.items()}
            for step in same:
                ends = moved(step, places)
                if all(ends[owner] == number for owner, number in (explicit | left_open).items()):
                    return True
    return False


def _length(control: Hashable) -> int:
    return len(control.entries) if isinstance(control, Control) else 0


def is_proved(text: str) -> bool:
    """Whether the summarised system proves a text."""
    about = parse_text(SourceFile("test.obj", text))
    assert about.specification is not None
    proof = prove(buffered.summarized_system(about, name="x86-tso"), claims(about), about.specification)
    return not proof.failures and not proof.cut
