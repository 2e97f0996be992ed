"""Where a DVE model can be stronger or weaker: writes of global variables that go around store buffers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from membar.languages.dve import syntax as x
from membar.languages.dve.parser import parse_module
from membar.languages.dve.transitions import is_atomic, names
from membar.program.program import Program
from membar.records import record
from membar.source import SourceFile, Span
from membar.text.edits import Edit, EditSite, alternatives

_ATOMIC: Final = "atomic write"


def edit_sites(source: SourceFile, program: Program) -> tuple[EditSite, ...]:  # noqa: ARG001 - the text says it all
    """A place per transition and global variable that it writes, and per `atomic` line about just one."""
    module = parse_module(source)
    writes = tuple(_writes(module))
    found = [
        _place(source, write)
        for write in writes
        if not is_atomic(module, write.process, write.transition.number, write.variable)
    ]
    for item in module.atomics:
        named = [
            write for write in writes if names(item, write.process, write.transition.number, write.variable)
        ]
        if len(named) > 1:
            found += [_one_of(source, item, write) for write in named]
        else:
            found.append(_place_of(source, item))
    return tuple(found)


@record(frozen=True, slots=True)
class _Write:
    """A global variable that a transition writes."""

    process: str
    transition: x.Transition
    variable: str

    @property
    def title(self) -> str:
        move = f"{self.process}: {self.transition.source} -> {self.transition.target}"
        return f"the write of {self.variable} in line {self.transition.span.line} ({move})"

    @property
    def line(self) -> str:
        return f"atomic {self.variable}, {self.process}.{self.transition.number};"


def _writes(module: x.Module) -> Iterator[_Write]:
    shared = {item.name for item in module.variables if not item.constant}
    for process in module.processes:
        own = {item.name for item in process.variables}
        for transition in process.transitions:
            for name in dict.fromkeys(effect.target.name for effect in transition.effects):
                if name in shared - own:
                    yield _Write(process.name, transition, name)


def _at_end(source: SourceFile, line: str) -> Edit:
    """A line behind all others."""
    end = source.span(len(source.text), len(source.text))
    return Edit(end, f"{line}\n" if source.text.endswith("\n") else f"\n{line}")


def _place(source: SourceFile, write: _Write) -> EditSite:
    """A write that goes through the store buffer."""
    return EditSite(
        title=write.title,
        span=write.transition.span,
        location=write.variable,
        alternatives=alternatives(
            [("", ()), (_ATOMIC, (_at_end(source, write.line),))],
            [(), ()],
        ),
    )


def _one_of(source: SourceFile, item: x.Atomic, write: _Write) -> EditSite:
    """One of several writes that a line names: without it the others need lines of their own."""
    line = Edit(_line_of(source, item), "")
    return EditSite(
        title=write.title,
        span=write.transition.span,
        location=write.variable,
        alternatives=alternatives(
            [("", (line,)), (_ATOMIC, (line, _at_end(source, write.line)))],
            [(), ()],
        ),
        current=1,
    )


def _place_of(source: SourceFile, item: x.Atomic) -> EditSite:
    """The place of a line that names one write, or none."""
    return EditSite(
        title=f"`{item.span.flat_text}` in line {item.span.line}",
        span=item.span,
        location=item.variable.text if item.variable else "*",
        alternatives=alternatives([("", (Edit(_line_of(source, item), ""),)), (_ATOMIC, ())], [(), ()]),
        current=1,
    )


def _line_of(source: SourceFile, item: x.Atomic) -> Span:
    """An `atomic` line with its semicolon, and with the end of the line if nothing else is on it."""
    start, end = item.span.start, source.text.index(";", item.span.end) + 1
    line, column = source.position(start)
    is_own = not source.line(line)[: column - 1].strip() and source.text.startswith("\n", end)
    return source.span(start - (column - 1) * is_own, end + is_own)
