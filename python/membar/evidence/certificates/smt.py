"""Literals as SMT-LIB text about known processes: these are whole numbers, arrays functions of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from membar.evidence.certificates.formulas import conjunction, numeral, quote
from membar.evidence.certificates.preimage import choice_of, is_choice
from membar.evidence.certificates.solver import Session
from membar.systems import terms as t
from membar.systems.system import ParameterizedSystem

_SORTS = {t.Basic.PROC: "Int", t.Basic.INT: "Int", t.Basic.REAL: "Real"}
_QUOTED = re.compile(r"\|[^|]*\|")


class Logic:
    """The sorts, functions and constants of one system, and a conversation with z3 about them."""

    def __init__(self, system: ParameterizedSystem) -> None:
        self._system = system
        self._declared: dict[str, str] = {}
        self._told = 0
        self._places: dict[t.Place, str] = {}
        self._literals: dict[t.Literal, str] = {}
        self._refuted: dict[t.Conjunction, str] = {}
        self._names: dict[t.Literal, str] = {}
        self._claims: list[tuple[t.Conjunction, t.Conjunction | None]] = []

    def claim(self, literals: t.Conjunction, implied: t.Conjunction | None) -> None:
        """Notes what is plain to see: that literals imply others; None: that they contradict each other."""
        self._claims.append((literals, implied))

    def confirms_claims(self) -> bool:
        """Whether z3 sees it too: each claim since it was last asked."""
        claims = []
        for literals, implied in self._claims:
            parts = [self._name(literal) for literal in literals]
            if implied is not None:
                parts.append(f"(not {conjunction(map(self._name, implied))})")
            claims.append(f"(assert {conjunction(parts)})")
        self._claims.clear()
        return self._are_unsatisfiable(claims)

    def _name(self, literal: t.Literal) -> str:
        """A short name for a literal: claims are many, and say the same again and again."""
        name = self._names.get(literal)
        if name is None:
            name = self._names[literal] = f"L{len(self._names)}"
            self._declared[name] = f"(define-fun {name} () Bool {self.literal(literal)})"
        return name

    def is_unsatisfiable(self, formulas: Sequence[str]) -> bool:
        """Whether z3 says that no state satisfies all of the formulas."""
        return self._are_unsatisfiable(["".join(f"(assert {formula})" for formula in formulas)])

    def _are_unsatisfiable(self, questions: Sequence[str]) -> bool:
        """Whether z3 says `unsat` to each of the questions, which are told at once."""
        news = [*self._declared.values()][self._told :]
        self._told = len(self._declared)
        if news:
            self._session.tell("".join(news))
        return self._session.answers(questions) == ["unsat"] * len(questions)

    @cached_property
    def _session(self) -> Session:
        return Session()

    def script(self, formulas: Sequence[str]) -> str:
        """The formulas and all that they speak of, as a text of its own."""
        said = [f"(assert {formula})" for formula in formulas]
        needed: dict[str, None] = {}
        texts = list(said)
        while texts:
            for name in _QUOTED.findall(texts.pop()):
                if name in self._declared and name not in needed:
                    needed[name] = None
                    texts.append(self._declared[name])
        declarations = [text for name, text in self._declared.items() if name in needed]
        return "\n".join((*dict.fromkeys(declarations), *said, "(check-sat)\n"))

    # Names

    def sort(self, kind: t.Type) -> str:
        """The sort of a type."""
        if isinstance(kind, t.Basic):
            return _SORTS[kind]
        name = quote(f"type {kind.name}")
        if name not in self._declared:
            if isinstance(kind, t.Enumeration):
                values = " ".join(f"({_constructor(kind, value)})" for value in kind.constructors)
                self._declared[name] = f"(declare-datatypes (({name} 0)) (({values})))"
            else:
                self._declared[name] = f"(declare-sort {name} 0)"
        return name

    def process(self, process: t.Process) -> str:
        """A process as a number."""
        if isinstance(process, t.ProcessConstant):
            return str(process.number)
        name = quote(f"process {process.name}")
        if name not in self._declared:
            self._declared[name] = f"(declare-const {name} Int)"
        return name

    def place(self, place: t.Place) -> str:
        """A cell, a choice or the value of an event."""
        if place not in self._places:
            symbol = choice_of(place.symbol)[1] if is_choice(place.symbol) else place.symbol
            sort = self.sort(self._system.symbol[symbol].type)
            is_cell = isinstance(place, t.Access) and not is_choice(place.symbol)
            name = quote(f"state {place.symbol}" if is_cell else _label(place))
            arguments = [self.process(index) for index in place.indices] if is_cell else []
            if name not in self._declared:
                self._declared[name] = f"(declare-fun {name} ({' '.join(['Int'] * len(arguments))}) {sort})"
            self._places[place] = f"({name} {' '.join(arguments)})" if arguments else name
        return self._places[place]

    # Formulas

    def term(self, term: t.Term) -> str:
        match term:
            case t.Constructor(type=kind, name=name):
                self.sort(kind)
                return _constructor(kind, name)
            case t.Access() | t.EventValue():
                return self.place(term)
            case t.Linear(type=kind, constant=constant, terms=terms):
                parts = [f"(* {numeral(factor, kind)} {self.place(place)})" for factor, place in terms]
                number = numeral(constant, kind)
                return f"(+ {' '.join((number, *parts))})" if parts else number
            case _:
                return self.process(term)

    def literal(self, literal: t.Literal) -> str:
        if literal not in self._literals:
            self._literals[literal] = self._comparison(literal)
        return self._literals[literal]

    def _comparison(self, literal: t.Literal) -> str:
        left, right = self.term(literal.left), self.term(literal.right)
        match literal.comparison:
            case t.Comparison.EQUAL:
                return f"(= {left} {right})"
            case t.Comparison.DIFFERENT:
                return f"(not (= {left} {right}))"
            case t.Comparison.LESS:
                return f"(< {left} {right})"
            case t.Comparison.AT_MOST:
                return f"(<= {left} {right})"

    def all(self, literals: t.Conjunction) -> str:
        """A conjunction."""
        return conjunction(map(self.literal, literals))

    def negation(self, literals: t.Conjunction) -> str:
        """The negation of a conjunction."""
        if literals not in self._refuted:
            self._refuted[literals] = f"(not {self.all(literals)})"
        return self._refuted[literals]

    def apart(self, processes: Iterable[t.Process]) -> str:
        """These processes are pairwise distinct."""
        numbers = [self.process(process) for process in processes]
        return f"(distinct {' '.join(numbers)})" if len(numbers) > 1 else "true"


def _constructor(kind: t.Enumeration, name: str) -> str:
    """A value of an enumeration: types may share names of values."""
    return quote(f"{kind.name}.{name}")


def _label(place: t.Place) -> str:
    inside = ",".join(
        f"#{index.number}" if isinstance(index, t.ProcessConstant) else index.name for index in place.indices
    )
    event = f"event {place.event} reads " if isinstance(place, t.EventValue) else ""
    return f"{event}{place.symbol}[{inside}]" if inside else f"{event}{place.symbol}"
