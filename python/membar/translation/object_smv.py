"""The transition system of one thread of an object, in NuSMV's language.

Values are cut to a range, which NuSMV needs: moves that would leave it are left out, as in the paper (c < 4).
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, field

from membar.diagnostics import Diagnostic, InputError
from membar.objects.systems.moves import Memory, Move, ThreadSystem
from membar.objects.terms import (
    Binary,
    BinaryOp,
    Choice,
    Number,
    Space,
    Term,
    Unary,
    UnaryOp,
    Variable,
    subterms,
)

LARGEST = 3
_MOST_CONTROLS = 3000
_LOGIC = {BinaryOp.AND: "&", BinaryOp.OR: "|", BinaryOp.IMPLIES: "->"}
_COMPARED = {
    BinaryOp.EQ: "=",
    BinaryOp.NE: "!=",
    BinaryOp.LT: "<",
    BinaryOp.LE: "<=",
    BinaryOp.GT: ">",
    BinaryOp.GE: ">=",
}
_CALCULATED = {
    BinaryOp.ADD: "+",
    BinaryOp.SUB: "-",
    BinaryOp.MUL: "*",
    BinaryOp.DIV: "/",
    BinaryOp.REM: "mod",
}


@dataclass(slots=True)
class _Found:
    """Controls in the order in which they are met, moves, and the variables they speak of."""

    controls: dict[Hashable, str] = field(default_factory=dict)
    moves: list[tuple[Hashable, Move]] = field(default_factory=list)
    variables: dict[Variable, str] = field(default_factory=dict)
    chosen: dict[Variable, str] = field(default_factory=dict)
    is_cut: bool = False


def smv(system: ThreadSystem) -> str:
    """The text of the system.

    Raises:
        InputError: a thread has too many controls.
    """
    found = _explored(system)
    lines = [
        f"-- {system.about.name}: one thread under {system.name}; values from 0 to {LARGEST}",
        "MODULE main",
        "VAR",
        f"  control : {{{', '.join(found.controls.values())}}};",
    ]
    lines += [f"  {name} : 0..{LARGEST};" for name in found.variables.values()]
    if found.chosen:
        lines.append("IVAR -- arguments of calls")
        lines += [f"  {name} : 0..{LARGEST};" for name in found.chosen.values()]
    lines.append("-- controls")
    lines += [f"--   {name}: {system.described(control)}" for control, name in found.controls.items()]
    if found.is_cut:
        lines.append("-- longer sequences are left out")
    lines += ["INIT", f"  {_initial(system, found)}"]
    lines.append("TRANS")
    lines.append("\n  |\n".join(_moved(found, control, move) for control, move in found.moves))
    return "\n".join(lines) + "\n"


def _explored(system: ThreadSystem) -> _Found:
    found = _Found(controls={system.start: "c0"})
    for cell in Memory.of(system.about).initial():
        _name(found, cell)
    for name, _ in system.about.private:
        _name(found, Variable(Space.PRIVATE, name))
    todo = [system.start]
    while todo:
        control = todo.pop()
        for move in system.moves(control):
            if system.too_long(move.after):
                found.is_cut = True
                continue
            if move.after not in found.controls:
                if len(found.controls) >= _MOST_CONTROLS:
                    message = f"a thread has more than {_MOST_CONTROLS} controls under {system.name}"
                    raise InputError(Diagnostic(code="W1318", message=message, help="fences make it fewer"))
                found.controls[move.after] = f"c{len(found.controls)}"
                todo.append(move.after)
            found.moves.append((control, move))
            for term in (move.guard, *(value for _, value in move.updates)):
                for part in subterms(term):
                    if isinstance(part, Variable):
                        _name(found, part)
            for variable, _ in move.updates:
                _name(found, variable)
    return found


def _name(found: _Found, variable: Variable) -> None:
    names = found.chosen if variable.operation == "@call" else found.variables
    if variable in names:
        return
    text = f"{variable.operation}_{variable.name}" if variable.operation else variable.name
    text = re.sub(r"[^A-Za-z0-9_]", "_", text.replace("@", "k"))
    text = text if text[0].isalpha() else f"v{text}"
    taken = {*found.variables.values(), *found.chosen.values(), "control"}
    while text in taken:
        text += "_"
    names[variable] = text


def _initial(system: ThreadSystem, found: _Found) -> str:
    values = dict.fromkeys(found.variables, 0)
    values |= Memory.of(system.about).initial()
    values |= {Variable(Space.PRIVATE, name): value for name, value in system.about.private}
    parts = [f"control = {found.controls[system.start]}"]
    parts += [f"{found.variables[variable]} = {value}" for variable, value in values.items()]
    return " & ".join(parts)


def _moved(found: _Found, control: Hashable, move: Move) -> str:
    names = {**found.variables, **found.chosen}
    updates = dict(move.updates)
    parts = [f"control = {found.controls[control]}", f"next(control) = {found.controls[move.after]}"]
    if move.guard != Number(1):
        parts.append(_truth(move.guard, names))
    for variable, name in found.variables.items():
        if variable not in updates:
            parts.append(f"next({name}) = {name}")
            continue
        value = _number(updates[variable], names)
        parts.append(f"next({name}) = {value}")
        if not isinstance(updates[variable], Variable | Number):
            parts.append(f"{value} >= 0 & {value} <= {LARGEST}")
    text = " ".join(move.text.split())
    return f"  -- {text}\n  ({' & '.join(parts)})"


def _truth(term: Term, names: dict[Variable, str]) -> str:
    match term:
        case Number(value=value):
            return "TRUE" if value else "FALSE"
        case Unary(op=UnaryOp.NOT, operand=operand):
            return f"!{_truth(operand, names)}"
        case Binary(op=op, left=left, right=right) if op in _LOGIC:
            return f"({_truth(left, names)} {_LOGIC[op]} {_truth(right, names)})"
        case Binary(op=op, left=left, right=right) if op in _COMPARED:
            return f"({_number(left, names)} {_COMPARED[op]} {_number(right, names)})"
        case Choice(condition=condition, then=then, otherwise=otherwise):
            return f"({_truth(condition, names)} ? {_truth(then, names)} : {_truth(otherwise, names)})"
        case _:
            return f"({_number(term, names)} != 0)"


def _number(term: Term, names: dict[Variable, str]) -> str:
    match term:
        case Number(value=value):
            return str(value)
        case Variable():
            return names[term]
        case Unary(op=UnaryOp.NEGATE, operand=operand):
            return f"(-{_number(operand, names)})"
        case Choice(condition=condition, then=then, otherwise=otherwise):
            return f"({_truth(condition, names)} ? {_number(then, names)} : {_number(otherwise, names)})"
        case Binary(op=op, left=left, right=right) if op in _CALCULATED:
            return f"({_number(left, names)} {_CALCULATED[op]} {_number(right, names)})"
        case _:
            return f"({_truth(term, names)} ? 1 : 0)"
