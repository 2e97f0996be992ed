"""Literals as SMT-LIB text over a sort of processes: for a state, or for the one after it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from membar.evidence.certificates.preimage import choice_of, is_choice
from membar.systems import terms as t
from membar.systems.mapping import places
from membar.systems.system import ParameterizedSystem, SymbolKind

if TYPE_CHECKING:
    from fractions import Fraction

_SORTS = {t.Basic.PROC: "Proc", t.Basic.INT: "Int", t.Basic.REAL: "Real"}


class Formulas:
    """Formulas about one state.

    Attributes:
        is_ordered: whether processes were compared by their order.
    """

    def __init__(self, system: ParameterizedSystem, *, is_next: bool = False) -> None:
        self._system = system
        self._is_next = is_next
        self.is_ordered = False

    # Names

    @staticmethod
    def sort(kind: t.Type) -> str:
        """The sort of a type."""
        return _SORTS[kind] if isinstance(kind, t.Basic) else quote(f"type {kind.name}")

    @staticmethod
    def constructor(kind: t.Enumeration, name: str) -> str:
        """A value of an enumeration: types may share names of values."""
        return quote(f"{kind.name}.{name}")

    @staticmethod
    def process(process: t.Process) -> str:
        name = f"#{process.number}" if isinstance(process, t.ProcessConstant) else process.name
        return quote(f"process {name}")

    def symbol(self, name: str) -> str:
        """A function; a symbol that never changes is the same in the next state."""
        is_constant = self._system.symbol[name].kind is SymbolKind.CONSTANT
        return quote(f"next {name}" if self._is_next and not is_constant else f"state {name}")

    def cell(self, symbol: str, indices: Iterable[t.Process]) -> str:
        """The value of a variable or a cell."""
        arguments = " ".join(map(self.process, indices))
        return f"({self.symbol(symbol)} {arguments})" if arguments else self.symbol(symbol)

    # Terms and literals

    def term(self, term: t.Term) -> str:
        match term:
            case t.Constructor(type=kind, name=name):
                return self.constructor(kind, name)
            case t.Access(symbol=symbol) if is_choice(symbol):
                return quote(symbol)
            case t.Access(symbol=symbol, indices=indices):
                return self.cell(symbol, indices)
            case t.EventValue():
                raise ValueError("a cube with events is about weak memory")
            case t.Linear(type=kind, constant=constant, terms=terms):
                parts = [f"(* {numeral(factor, kind)} {self.term(place)})" for factor, place in terms]
                return (
                    f"(+ {' '.join((numeral(constant, kind), *parts))})" if parts else numeral(constant, kind)
                )
            case _:
                return self.process(term)

    def literal(self, literal: t.Literal) -> str:
        left, right = self.term(literal.left), self.term(literal.right)
        match literal.comparison:
            case t.Comparison.EQUAL:
                return f"(= {left} {right})"
            case t.Comparison.DIFFERENT:
                return f"(not (= {left} {right}))"
            case _ if self._is_process(literal.left) or self._is_process(literal.right):
                self.is_ordered = True
                is_strict = literal.comparison is t.Comparison.LESS
                return f"(|is before| {left} {right})" if is_strict else f"(not (|is before| {right} {left}))"
            case t.Comparison.LESS:
                return f"(< {left} {right})"
            case t.Comparison.AT_MOST:
                return f"(<= {left} {right})"

    def _is_process(self, term: t.Term) -> bool:
        if isinstance(term, t.Access) and not is_choice(term.symbol):
            return self._system.symbol[term.symbol].type is t.Basic.PROC
        return isinstance(term, t.ProcessVariable | t.ProcessConstant)

    def all(self, literals: t.Conjunction) -> str:
        """A conjunction."""
        return conjunction(map(self.literal, literals))

    # Processes

    def apart(self, processes: tuple[t.ProcessVariable, ...]) -> str:
        """The formula that processes are pairwise distinct."""
        return f"(distinct {' '.join(map(self.process, processes))})" if len(processes) > 1 else "true"

    def some(self, parameters: tuple[t.ProcessVariable, ...], literals: t.Conjunction) -> str:
        """The formula that some distinct processes, and values chosen by `?`, satisfy the literals."""
        body = conjunction((self.are_processes(parameters), self._matching_formula(parameters, literals)))
        return f"(exists ({_bound_variables(parameters)}) {body})" if parameters else body

    def none(self, parameters: tuple[t.ProcessVariable, ...], literals: t.Conjunction) -> str:
        """The formula that there are no such processes."""
        return self.forall(parameters, f"(not {self._matching_formula(parameters, literals)})")

    def _matching_formula(self, parameters: tuple[t.ProcessVariable, ...], literals: t.Conjunction) -> str:
        body = conjunction((self.apart(parameters), *map(self.literal, literals)))
        chosen = dict.fromkeys(place.symbol for place in places(literals) if is_choice(place.symbol))
        if not chosen:
            return body
        sorts = (self.sort(self._system.symbol[choice_of(name)[1]].type) for name in chosen)
        bound = " ".join(f"({quote(name)} {sort})" for name, sort in zip(chosen, sorts, strict=True))
        return f"(exists ({bound}) {body})"

    def forall(self, processes: tuple[t.ProcessVariable, ...], body: str) -> str:
        """The formula that all processes satisfy another. The pattern instantiates known processes."""
        if not processes:
            return body
        pattern = " ".join(map(self.is_process, processes))
        implied = f"(=> {self.are_processes(processes)} {body})"
        return f"(forall ({_bound_variables(processes)}) (! {implied} :pattern ({pattern})))"

    def is_process(self, process: t.Process) -> str:
        """The formula that something is a process: a name of type `proc` may denote something else."""
        return f"(|is process| {self.process(process)})"

    def are_processes(self, processes: tuple[t.ProcessVariable, ...]) -> str:
        return conjunction(map(self.is_process, processes))


def _bound_variables(processes: tuple[t.ProcessVariable, ...]) -> str:
    return " ".join(f"({Formulas.process(one)} Proc)" for one in processes)


def quote(name: str) -> str:
    """A name as a symbol of SMT-LIB, which may contain anything but the quote itself."""
    return f"|{name.replace('|', '!').replace(chr(92), '!')}|"


def conjunction(formulas: Iterable[str]) -> str:
    """The conjunction of formulas."""
    return _junction("and", [one for one in formulas if one != "true"], "true")


def disjunction(formulas: Iterable[str]) -> str:
    """The disjunction of formulas."""
    return _junction("or", [*formulas], "false")


def _junction(word: str, formulas: list[str], none: str) -> str:
    if len(formulas) < 2:
        return formulas[0] if formulas else none
    return f"({word} {' '.join(formulas)})"


def numeral(value: Fraction, kind: t.Basic) -> str:
    """A number of a type."""
    if kind is t.Basic.INT:
        text = str(abs(value.numerator))
    else:
        text = f"(/ {abs(value.numerator)}.0 {value.denominator}.0)"
    return f"(- {text})" if value < 0 else text
