"""What formulas say at a control of a thread with a store buffer."""

from __future__ import annotations

from membar.objects.algebra import simplified
from membar.objects.syntax import ConcurrentObject, Location
from membar.objects.systems.buffered.buffer import Buffer
from membar.objects.systems.buffered.control import WAITING, Control, Status, kept
from membar.objects.systems.moves import Memory
from membar.objects.terms import (
    FALSE,
    IDLE,
    TRUE,
    At,
    Deferred,
    DeferredResult,
    Linearized,
    Pending,
    PendingValue,
    Sees,
    Space,
    Term,
    Variable,
    Who,
    replaced,
)
from membar.records import replace


class Formulas:
    """Decides what a formula says about a thread's control."""

    def __init__(self, about: ConcurrentObject, buffer: Buffer) -> None:
        self._memory = Memory.of(about)
        self._buffer = buffer

    def resolved(self, term: Term, control: Control, who: Who) -> Term:
        """The term with what it says about one thread's control decided."""

        def own(variable: Variable) -> Variable:
            return replace(variable, who=who)

        def change(part: Term) -> Term | None:
            match part:
                case At(lines=lines, who=asked) if asked is who:
                    return TRUE if control.line in lines else FALSE
                case Linearized(who=asked) if asked is who:
                    return FALSE if control.status in (Status.BEFORE, Status.NONE) else TRUE
                case Pending(line=line, who=asked) if asked is who:
                    return TRUE if _oldest(control, line) is not None else FALSE
                case PendingValue(line=line, name=name, who=asked) if asked is who:
                    number = _oldest(control, line)
                    if number is None or (_is_result(name) and not control.entries[number].returned):
                        return FALSE
                    return own(Variable(Space.LOCAL, name or "value", kept(number)))
                case Sees(name=name, who=asked) if asked is who:
                    return self._seen(name, control, who)
                case Deferred(line=line, who=asked) if asked is who:
                    return TRUE if _waits_for(control, line) else FALSE
                case DeferredResult(line=line, number=number, who=asked) if asked is who:
                    if not _waits_for(control, line):
                        return FALSE
                    return own(Variable(Space.LOCAL, f"@{number}", WAITING))
                case _:
                    return None

        return simplified(replaced(self._memory.elements(term), change))

    def _seen(self, name: str, control: Control, who: Who) -> Term:
        source = next(iter(self._buffer.sources(Location(name), control)))
        value = source.value
        return replace(value, who=who) if isinstance(value, Variable) and source.entry is not None else value

    def keeps(self, control: Control, variable: Variable) -> bool:
        """Whether a variable can still matter: private ones, the operation's, those of what is pending."""
        owner = variable.operation
        if variable.space is not Space.LOCAL:
            return True
        if owner == WAITING:
            return control.waiting is not None
        if owner.startswith("@"):
            return owner.removeprefix("@").isdecimal() and int(owner[1:]) < len(control.entries)
        return control.line != IDLE and self._buffer.lines[control.line][0].name == owner


def _oldest(control: Control, line: str) -> int | None:
    return next((number for number, entry in enumerate(control.entries) if entry.line == line), None)


def _is_result(name: str | None) -> bool:
    return name is not None and name.startswith("@")


def _waits_for(control: Control, line: str) -> bool:
    return control.waiting is not None and control.entries[control.waiting.entry].line == line
