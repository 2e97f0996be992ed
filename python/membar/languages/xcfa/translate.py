"""Text → Program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from membar.diagnostics import Diagnostic, InputError, Label
from membar.languages.xcfa import syntax as x
from membar.languages.xcfa.accesses import SIZES
from membar.languages.xcfa.final_predicates import final_condition
from membar.languages.xcfa.lower import LANGUAGE, SharedContext, thread_of, waiting_flag
from membar.languages.xcfa.parser import parse
from membar.languages.xcfa.process_predicates import process_of, with_error_states
from membar.languages.xcfa.state_predicates import whole_state
from membar.program.blocking import has_open_guard, none_of
from membar.program.expr import FALSE
from membar.program.operations import Assume
from membar.program.program import Edge, MemoryObject, Program, Thread
from membar.records import replace
from membar.source import SourceFile, Span

# What `--error` may begin with; a predicate alone is one on the state.
_KINDS = ("final ", "state ")
_Item = TypeVar("_Item", x.Variable, x.Process)


def parse_xcfa(source: SourceFile) -> Program:
    """The program of an XCFA text.

    Raises:
        InputError: with every diagnostic found.
    """
    module = parse(source)
    found: list[Diagnostic] = []
    variables = _by_name(module.variables, "variable", found)
    processes = _by_name(module.processes, "process", found)
    around = SharedContext(variables, _waiting(module))
    threads: list[Thread] = []
    for process in processes.values():
        try:
            threads.append(thread_of(process, around))
        except InputError as problem:
            found += problem.diagnostics
    if found:
        raise InputError(*dict.fromkeys(found))
    states: dict[int | None, list[x.Expr]] = {}
    for predicate in module.states:
        states.setdefault(process_of(predicate, module), []).append(predicate)
    errors = tuple(whole_state(predicate, module, threads) for predicate in states.pop(None, ()))
    for number, predicates in states.items():
        if number is not None:
            threads[number] = with_error_states(threads[number], module, predicates)
    return Program(
        name=source.stem,
        language=LANGUAGE,
        objects=tuple(_objects(module, around)),
        threads=tuple(map(with_ends, threads)),
        condition=None if module.error is None else final_condition(module.error, module),
        errors=errors,
        span=module.span,
    )


def with_error(text: str, asked: str) -> str:
    """The text with one more predicate, as `--error` gives it."""
    kind = "" if asked.lstrip().startswith(_KINDS) else "state "
    return f"{text.rstrip()}\nerror {kind}{asked}\n"


def _by_name(items: tuple[_Item, ...], what: str, found: list[Diagnostic]) -> Mapping[str, _Item]:
    names: dict[str, _Item] = {}
    for item in items:
        if item.name in names:
            found.append(
                Diagnostic(
                    code="W0603",
                    message=f"{what} `{item.name}` is declared twice",
                    primary=Label(item.span, "again here"),
                    others=(Label(names[item.name].span, "first here"),),
                )
            )
        names.setdefault(item.name, item)
    return names


def _waiting(module: x.Module) -> Mapping[str, tuple[str, ...]]:
    """Per condition, the processes that wait for it somewhere."""
    waiting: dict[str, tuple[str, ...]] = {}
    for process in module.processes:
        for name in sorted({wait.condition.name for wait in _waits(process)}):
            waiting[name] = (*waiting.get(name, ()), process.name)
    return waiting


def _waits(process: x.Process) -> Iterator[x.Wait]:
    for procedure in process.procedures:
        for transition in procedure.transitions:
            for statement in transition.statements:
                if isinstance(statement, x.Wait):
                    yield statement


def _objects(module: x.Module, around: SharedContext) -> Iterator[MemoryObject]:
    for variable in module.variables:
        if variable.type is x.Type.CONDITION:
            for process in around.waiting.get(variable.name, ()):
                yield _object(waiting_flag(variable.name, process), 1, 0, variable.span)
        else:
            yield _object(variable.name, SIZES[variable.type], variable.initial, variable.span)


def _object(name: str, size: int, initial: int, span: Span) -> MemoryObject:
    return MemoryObject(name=name, size=size, signed=size > 1, initial=(initial,), span=span)


# Failed assumptions: the execution ends there and is discarded.


def with_ends(thread: Thread) -> Thread:
    """The thread with a step that is never completed wherever all guards may be closed."""
    free = 1 + max((thread.entry, *(max(edge.source, edge.target) for edge in thread.edges)))
    ends = []
    for point, leaving in thread.outgoing.items():
        if not leaving or has_open_guard(leaving):
            continue
        closed = none_of([edge.guard for edge in leaving])
        ends.append(
            Edge(source=point, target=free, guard=closed, operations=(Assume(FALSE),), span=leaving[0].span)
        )
    return replace(thread, edges=(*thread.edges, *ends)) if ends else thread
