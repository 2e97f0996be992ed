"""Selections under armv8: weaker than computing from all sources, and somewhere really so."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings

import tiers
from differential.comparisons import allowed, shipped
from membar.program.expr import Binary, Expr, Extend, Select, Unary, blend
from membar.program.operations import Load, Operation, Rmw, Set, Store, StoreConditional
from membar.program.printer import print_program
from membar.program.program import Edge, Program
from strategies.programs import FEATURES
from strategies.selects import select_program_of_seed, select_programs

ARMV8 = FEATURES["armv8"]


def computed(program: Program) -> Program:
    """The program with every selection computed from all its sources."""
    threads = (
        replace(thread, edges=tuple(_edge(edge) for edge in thread.edges)) for thread in program.threads
    )
    return replace(program, threads=tuple(threads))


def _edge(edge: Edge) -> Edge:
    return replace(edge, guard=_expr(edge.guard), operations=tuple(map(_operation, edge.operations)))


def _operation(operation: Operation) -> Operation:
    match operation:
        case Load(address=address):
            return replace(operation, address=_expr(address))
        case Store(address=address, value=value) | StoreConditional(address=address, value=value):
            return replace(operation, address=_expr(address), value=_expr(value))
        case Rmw(address=address, value=value, condition=condition):
            return replace(operation, address=_expr(address), value=_expr(value), condition=_expr(condition))
        case Set(value=value):
            return replace(operation, value=_expr(value))
        case _:
            return operation


def _expr(expr: Expr) -> Expr:
    match expr:
        case Select(condition=condition, then=then, otherwise=otherwise):
            return blend(_expr(condition), _expr(then), _expr(otherwise))
        case Binary(op=op, left=left, right=right):
            return Binary(op, _expr(left), _expr(right))
        case Unary(operand=operand) | Extend(operand=operand):
            return replace(expr, operand=_expr(operand))
        case _:
            return expr


@given(program=select_programs(ARMV8))
@settings(max_examples=tiers.size(40))
def test_a_selection_forbids_no_more_than_a_computation(program: Program) -> None:
    model = shipped("armv8")
    assert allowed(computed(program), model) <= allowed(program, model), print_program(program)


def test_some_selections_allow_more() -> None:
    model = shipped("armv8")
    programs = (select_program_of_seed(seed, ARMV8) for seed in range(100, 300))
    assert any(allowed(computed(program), model) < allowed(program, model) for program in programs)
