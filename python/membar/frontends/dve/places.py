"""Where a DVE model can be stronger: writes of global variables that do not go through store buffers."""

from __future__ import annotations

from membar.changes import Edit, Place, alternatives
from membar.frontends.dve import syntax as x
from membar.frontends.dve.parser import parse_module
from membar.frontends.dve.transitions import is_atomic
from membar.program.program import Program
from membar.source import SourceFile


def places(source: SourceFile, program: Program) -> tuple[Place, ...]:  # noqa: ARG001 - the text says it all
    """A place per transition and global variable that it writes through the store buffer."""
    module = parse_module(source)
    shared = {item.name for item in module.variables if not item.constant}
    found: list[Place] = []
    for process in module.processes:
        own = {item.name for item in process.variables}
        for transition in process.transitions:
            names = dict.fromkeys(effect.target.name for effect in transition.effects)
            found += [
                _place(source, process, transition, name)
                for name in names
                if name in shared - own and not is_atomic(module, process.name, transition.number, name)
            ]
    return tuple(found)


def _place(source: SourceFile, process: x.Process, transition: x.Transition, variable: str) -> Place:
    end = source.span(len(source.text), len(source.text))
    written = f"atomic {variable}, {process.name}.{transition.number};"
    written = f"{written}\n" if source.text.endswith("\n") else f"\n{written}"
    return Place(
        title=f"the write of {variable} in line {transition.span.line} "
        f"({process.name}: {transition.source} -> {transition.target})",
        span=transition.span,
        location=variable,
        alternatives=alternatives([("", ()), ("atomic write", (Edit(end, written),))], [(), ()]),
    )
