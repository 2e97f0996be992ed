"""Random claims about the runs of random programs: formulas, and automata of what must not happen."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from membar.program.expr import TRUE, negation
from membar.program.predicate import StatePredicate
from membar.program.program import Program
from membar.program.temporal import (
    And,
    Atom,
    AutomatonEdge,
    Claim,
    ForbiddenRuns,
    Formula,
    Next,
    Not,
    Or,
    Release,
    Until,
    finally_,
    globally,
    implies,
)
from strategies.machines import Parts, machine_program, predicate

_FOR_EVER = Parts(asserts=False, births=False, often_repeats=True)


def program_with_claim(seed: int, *, may_be_endless: bool = False) -> Program:
    """The random program number `seed`, without error states, with one claim, perhaps about endless runs."""
    random = Random(f"claim {seed}")
    program = replace(machine_program(seed, _FOR_EVER), errors=())
    atoms = [predicate(random, program.threads) for _ in range(2)]
    atoms = [replace(atom, text=f"p{number}") for number, atom in enumerate(atoms)]
    body = _automaton(random, atoms) if random.randrange(4) == 0 else formula_over(random, atoms)
    is_endless = may_be_endless and not isinstance(body, ForbiddenRuns) and seed % 3 == 0
    return replace(program, claims=(Claim("c", body, is_endless=is_endless),))


def formula_over(random: Random, atoms: list[StatePredicate]) -> Formula:
    """A formula about these predicates."""
    one, other = (Atom(random.choice(atoms)) for _ in range(2))
    match random.randrange(6):
        case 0:
            return globally(finally_(one))
        case 1:
            return globally(implies(one, finally_(other)))
        case 2:
            return finally_(globally(one))
        case _:
            return _grown(random, atoms, random.choice((2, 3)))


def _grown(random: Random, atoms: list[StatePredicate], depth: int) -> Formula:
    if depth == 0:
        return Atom(random.choice(atoms))
    one = _grown(random, atoms, depth - 1)
    match random.randrange(9):
        case 0:
            return Not(one)
        case 1:
            return Next(one)
        case 2:
            return finally_(one)
        case 3 | 4:
            return globally(one)
        case 5:
            return Until(one, _grown(random, atoms, depth - 1))
        case 6:
            return Release(one, _grown(random, atoms, depth - 1))
        case 7:
            return And(one, _grown(random, atoms, depth - 1))
        case _:
            return Or(one, _grown(random, atoms, depth - 1))


def _automaton(random: Random, atoms: list[StatePredicate]) -> ForbiddenRuns:
    count = random.choice((2, 3))
    guards = [
        *atoms,
        *(replace(atom, expression=negation(atom.expression), text=f"!{atom.text}") for atom in atoms),
        StatePredicate(TRUE, (), text="true"),
    ]
    edges = tuple(
        AutomatonEdge(random.randrange(count), random.randrange(count), random.choice(guards))
        for _ in range(random.randint(count, 2 * count))
    )
    accepting = tuple(
        frozenset(random.sample(range(count), random.randint(1, count)))
        for _ in range(random.choice((1, 1, 2)))
    )
    return ForbiddenRuns(
        states=tuple(f"q{number}" for number in range(count)),
        initial=0,
        edges=edges,
        accepting=accepting,
        ends_are_errors=random.randrange(3) == 0,
    )
