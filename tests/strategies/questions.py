"""Random questions about programs of any language: predicates and formulas over what their states show."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from membar.program.expr import Binary, BinaryOp, Constant, Register, equals
from membar.program.predicate import AtPoint, CellValue, Observable, RegisterValue, StatePredicate
from membar.program.program import Program
from membar.program.temporal import FALSE, And, Claim, Formula, Next, Not, Or, Release, Until
from strategies.claims import formula_over


def predicate_of(random: Random, program: Program) -> StatePredicate:
    """Something that can be true of a state of the program."""
    cell = random.choice(program.cells)
    number = random.randrange(len(program.threads))
    thread = program.threads[number]
    points = sorted(thread.outgoing)
    options: list[Observable] = [
        CellValue(cell.object.name, cell.index),
        AtPoint(number, frozenset(random.sample(points, random.randint(1, min(2, len(points)))))),
    ]
    if thread.registers:
        options.append(RegisterValue(number, random.choice(thread.registers)[0]))
    seen = tuple((f"v{place}", item) for place, item in enumerate(random.sample(options, 2)))
    parts = [equals(Register(name), Constant(random.choice((0, 1, 1, 2)))) for name, _ in seen]
    both = Binary(random.choice((BinaryOp.AND, BinaryOp.OR)), parts[0], parts[1])
    one = random.randrange(2) == 0
    return StatePredicate(parts[0], seen[:1]) if one else StatePredicate(both, seen)


def with_claim(random: Random, program: Program, *, name: str = "asked") -> Program:
    """The program, claiming a random formula and nothing else."""
    atoms = [replace(predicate_of(random, program), text=f"p{number}") for number in range(2)]
    body: Formula = formula_over(random, atoms)
    while is_about_states(body):
        body = formula_over(random, atoms)
    return replace(program, claims=(Claim(name, body),))


def is_about_states(body: Formula) -> bool:
    """Whether it is `G p`, which texts say as an error state."""
    return isinstance(body, Release) and body.left == FALSE and not _is_temporal(body.right)


def _is_temporal(body: Formula) -> bool:
    match body:
        case Not(operand):
            return _is_temporal(operand)
        case And(left, right) | Or(left, right):
            return _is_temporal(left) or _is_temporal(right)
        case _:
            return isinstance(body, Until | Release | Next)


def with_error(random: Random, program: Program) -> Program:
    """The program with one error state more."""
    return replace(program, errors=(*program.errors, predicate_of(random, program)))
