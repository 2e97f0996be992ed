"""A system over plain memory and its inductive invariant as one complete SMT-LIB file.

Processes are a sort, arrays functions of it, each transition a condition and a definition of the state after
it. The invariant excludes every cube of the proof, for all processes. A solver that finds every query
unsatisfiable has checked that it holds initially, is preserved by each transition, and excludes the unsafe
states: no pre-image, choice of processes or subsumption computed by membar is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from membar.evidence.certificates.formulas import Formulas, conjunction, disjunction, quote
from membar.systems.events import EventCube
from membar.systems.mapping import literals_renamed, value_renamed
from membar.systems.system import (
    AnyValue,
    Assign,
    ParameterizedSystem,
    Symbol,
    SymbolKind,
    Transition,
    Update,
    Value,
)
from membar.systems.terms import BOOL, Abstract, Enumeration, ProcessConstant, ProcessVariable

_HEAD = """\
; membar's proof of the system {name} for any number of processes, complete.
; Every (check-sat) must answer unsat. Then the invariant, that no state is in a cube of the proof, holds
; initially, excludes the unsafe states, and is preserved by every transition."""
_ORDER = """\
; Processes are ordered.
(declare-fun |is before| (Proc Proc) Bool)
(assert (forall ((p Proc)) (not (|is before| p p))))
(assert (forall ((p Proc) (q Proc)) (or (= p q) (|is before| p q) (|is before| q p))))
(assert (forall ((p Proc) (q Proc) (r Proc))
  (=> (and (|is before| p q) (|is before| q r)) (|is before| p r))))"""


def quantified_script(system: ParameterizedSystem, cubes: Sequence[EventCube]) -> str:
    """The system, the invariant and all queries; without weak memory, and so without events."""
    return "\n".join(line for line in _Script(system, cubes).lines() if line) + "\n"


class _Script:
    def __init__(self, system: ParameterizedSystem, cubes: Sequence[EventCube]) -> None:
        self._system = system
        self._cubes = cubes
        self._now = Formulas(system)
        self._next = Formulas(system, is_next=True)

    def lines(self) -> Iterator[str]:
        body = [*self._definitions(), *self._queries()]
        yield _HEAD.format(name=self._system.name.replace("\n", " "))
        yield from self._processes()
        if self._now.is_ordered or self._next.is_ordered:
            yield _ORDER
        yield from self._symbols()
        yield from body

    # What there is

    def _processes(self) -> Iterator[str]:
        size, one = self._system.size, ProcessVariable("p")
        yield "(declare-sort Proc 0)"
        yield "(declare-fun |is process| (Proc) Bool)"
        if self._system.outsiders:
            yield "; A variable may hold a value that is not a process."
        else:
            yield f"(assert (forall ((|process p| Proc)) {self._now.is_process(one)}))"
        if size is None:
            yield f"(assert (exists ((|process p| Proc)) {self._now.is_process(one)}))"
            return
        fixed = [ProcessConstant(number) for number in range(1, size + 1)]
        names = [self._now.process(process) for process in fixed]
        yield from (f"(declare-const {name} Proc)" for name in names)
        yield from (f"(assert {self._now.is_process(process)})" for process in fixed)
        is_one = disjunction(f"(= {self._now.process(one)} {name})" for name in names)
        yield f"(assert {self._now.forall((one,), is_one)})"
        if len(names) > 1:
            yield f"(assert (distinct {' '.join(names)}))"

    def _symbols(self) -> Iterator[str]:
        for kind in dict.fromkeys((BOOL, *self._system.types)):
            if isinstance(kind, Enumeration):
                names = " ".join(f"({self._now.constructor(kind, name)})" for name in kind.constructors)
                yield f"(declare-datatypes (({self._now.sort(kind)} 0)) (({names})))"
            elif isinstance(kind, Abstract):
                yield f"(declare-sort {self._now.sort(kind)} 0)"
        for symbol in self._system.symbols:
            arguments = " ".join(["Proc"] * symbol.dimensions)
            yield f"(declare-fun {self._now.symbol(symbol.name)} ({arguments}) {self._now.sort(symbol.type)})"

    # What is said

    def _definitions(self) -> Iterator[str]:
        system, now = self._system, self._now
        alternatives = disjunction(now.all(body) for body in system.init.alternatives)
        parts = [now.forall(system.init.parameters, alternatives)]
        parts += [now.none(cube.parameters, cube.literals) for cube in system.invariants]
        yield "; The initial states."
        yield f"(define-fun |the start| () Bool {conjunction(parts)})"
        yield "; The cubes of the proof, and the invariant: no state is in one of them."
        for number, cube in enumerate(self._cubes, 1):
            yield f"(define-fun {_outside(number)} () Bool {now.none(cube.parameters, cube.literals)})"
        names = map(_outside, range(1, len(self._cubes) + 1))
        yield f"(define-fun |the invariant| () Bool {conjunction(names)})"

    def _queries(self) -> Iterator[str]:
        yield "; The invariant holds initially."
        yield _query("|the start|", "(not |the invariant|)")
        for number, cube in enumerate((*self._system.unsafe, *self._system.invariants)):
            is_unsafe = number < len(self._system.unsafe)
            what = "unsafe states" if is_unsafe else "states that an invariant of the user excludes"
            yield f"; It excludes {what}."
            yield _query("|the invariant|", self._now.some(cube.parameters, cube.literals))
        for transition in self._system.transitions:
            line = "" if transition.span is None else f", line {transition.span.line}"
            yield f"; The transition {transition.name}{line}: by which processes, on which condition."
            yield "(push 1)"
            yield "(assert |the invariant|)"
            yield from self._condition(transition)
            yield "; What every cell is afterwards."
            for symbol in self._system.symbols:
                if symbol.kind is not SymbolKind.CONSTANT:
                    yield from self._definition_after(symbol, transition.updates)
            yield "; The state afterwards is in no cube."
            for excluded in self._cubes:
                yield _query(self._next.some(excluded.parameters, excluded.literals))
            yield "(pop 1)"

    def _condition(self, transition: Transition) -> Iterator[str]:
        now = self._now
        for parameter in transition.parameters:
            yield f"(declare-const {now.process(parameter)} Proc)"
        yield _assertion(now.are_processes(transition.parameters))
        yield _assertion(now.apart(transition.parameters))
        yield _assertion(now.all(transition.guard))
        for each in transition.universal:
            same = (f"(= {now.process(each.variable)} {now.process(one)})" for one in transition.parameters)
            one_of = (now.all(body) for body in each.alternatives)
            yield _assertion(now.forall((each.variable,), disjunction((*same, *one_of))))

    def _definition_after(self, symbol: Symbol, updates: Iterable[Update]) -> Iterator[str]:
        """The definition of a symbol after a step."""
        cell = tuple(ProcessVariable(f"cell {number}") for number in range(1, symbol.dimensions + 1))
        bound = " ".join(f"({self._now.process(one)} Proc)" for one in cell)
        sort, result = self._now.sort(symbol.type), self._now.cell(symbol.name, cell)
        found = [case for one in updates if one.symbol == symbol.name for case in self._cases(one, cell)]
        for number, (condition, value) in reversed([*enumerate(found, 1)]):
            if isinstance(value, AnyValue):
                chosen = quote(f"{symbol.name} any {number}")
                yield f"(declare-fun {chosen} ({' '.join(['Proc'] * len(cell))}) {sort})"
                becomes = f"({chosen} {' '.join(map(self._now.process, cell))})" if cell else chosen
            else:
                becomes = self._now.term(value)
            result = f"(ite {condition} {becomes} {result})"
        yield f"(define-fun {self._next.symbol(symbol.name)} ({bound}) {sort} {result})"

    def _cases(self, update: Update, cell: tuple[ProcessVariable, ...]) -> Iterator[tuple[str, Value]]:
        if isinstance(update, Assign):
            pairs = zip(map(self._now.process, cell), map(self._now.process, update.indices), strict=True)
            yield conjunction(f"(= {one} {other})" for one, other in pairs), update.value
            return
        names = dict(zip(update.binders, cell, strict=True))
        for case in update.cases:
            yield self._now.all(literals_renamed(case.condition, names)), value_renamed(case.value, names)


def _outside(number: int) -> str:
    return quote(f"outside cube {number}")


def _assertion(formula: str) -> str:
    return "" if formula == "true" else f"(assert {formula})"


def _query(*formulas: str) -> str:
    asserted = " ".join(f"(assert {formula})" for formula in formulas)
    return f"(push 1) {asserted} (check-sat) (pop 1)"
