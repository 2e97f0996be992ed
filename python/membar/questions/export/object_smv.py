"""The transition system of one thread of an object, in NuSMV's language.

Values are restricted to a range, which NuSMV needs: moves that would leave it are omitted, as in the paper (c
< 4). So are control states far from the initial one, if there are too many. A last alternative, in which
nothing happens, makes the relation total: otherwise formulas would ignore states in which a thread is stuck.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Hashable

from membar.diagnostics import EngineLimitError, refusal
from membar.objects import terms as t
from membar.objects.systems.moves import Memory, Move, ThreadSystem
from membar.records import field, record

LARGEST = 3
_LARGEST_STORED = 63
MOST_CONTROLS = 3000
# Words of NuSMV 2.5 and 2.6 that cannot be names.
_RESERVED = frozenset((
    "MODULE", "DEFINE", "MDEFINE", "CONSTANTS", "VAR", "IVAR", "FROZENVAR", "INIT", "TRANS", "INVAR",
    "SPEC", "CTLSPEC", "LTLSPEC", "PSLSPEC", "COMPUTE", "NAME", "INVARSPEC", "FAIRNESS", "JUSTICE",
    "COMPASSION", "ISA", "ASSIGN", "CONSTRAINT", "SIMPWFF", "CTLWFF", "LTLWFF", "PSLWFF", "COMPWFF", "IN",
    "MIN", "MAX", "MIRROR", "PRED", "PREDICATES", "process", "array", "of", "boolean", "integer", "real",
    "word", "word1", "bool", "signed", "unsigned", "extend", "resize", "sizeof", "uwconst", "swconst", "EX",
    "AX", "EF", "AF", "EG", "AG", "E", "F", "O", "G", "H", "X", "Y", "Z", "A", "U", "S", "V", "T", "BU",
    "EBF", "ABF", "EBG", "ABG", "case", "esac", "mod", "next", "init", "union", "in", "xor", "xnor", "self",
    "TRUE", "FALSE", "count", "abs", "max", "min", "toint", "READ", "WRITE", "CONSTARRAY", "typeof",
    "control",
))  # fmt: skip
_LOGIC = {t.BinaryOp.AND: "&", t.BinaryOp.OR: "|", t.BinaryOp.IMPLIES: "->"}
_COMPARED = {
    t.BinaryOp.EQ: "=",
    t.BinaryOp.NE: "!=",
    t.BinaryOp.LT: "<",
    t.BinaryOp.LE: "<=",
    t.BinaryOp.GT: ">",
    t.BinaryOp.GE: ">=",
}
_CALCULATED = {
    t.BinaryOp.ADD: "+",
    t.BinaryOp.SUB: "-",
    t.BinaryOp.MUL: "*",
}


@record(slots=True)
class _Found:
    """Control states in order of appearance, moves, and their variables."""

    controls: dict[Hashable, str] = field(default_factory=dict)
    moves: list[tuple[Hashable, Move]] = field(default_factory=list)
    variables: dict[t.Variable, str] = field(default_factory=dict)
    chosen: dict[t.Variable, str] = field(default_factory=dict)
    lowest: int = 0
    highest: int = LARGEST
    is_cut: bool = False
    is_partial: bool = False

    def admit(self, number: int) -> None:
        """Makes a number a value."""
        self.lowest, self.highest = min(self.lowest, number), max(self.highest, number)


def smv(system: ThreadSystem, *, most_controls: int = MOST_CONTROLS) -> str:
    """The system as text; if there are too many control states, those nearest to the initial one.

    Raises:
        InputError: the model cannot follow the object.
    """
    found = _explore(system, most_controls)
    values = f"{found.lowest}..{found.highest}"
    lines = [
        f"-- {system.about.name}: one thread under {system.name}; values from {values.replace('..', ' to ')}",
        "MODULE main",
        "VAR",
        f"  control : {{{', '.join(found.controls.values())}}};",
    ]
    lines += [f"  {name} : {values};" for name in found.variables.values()]
    if found.chosen:
        lines.append("IVAR -- arguments of calls")
        lines += [f"  {name} : {values};" for name in found.chosen.values()]
    lines.append("-- controls")
    lines += [f"--   {name}: {system.described(control)}" for control, name in found.controls.items()]
    if found.is_cut:
        lines.append("-- longer sequences are left out")
    if found.is_partial:
        lines.append(
            f"-- only the {most_controls} controls nearest to the beginning: all others are left out"
        )
    lines += ["INIT", f"  {_initial(system, found)}"]
    lines.append("TRANS")
    moves = [_transition(found, control, move) for control, move in found.moves]
    lines.append("\n  |\n".join([*moves, _nothing(found)]))
    return "\n".join(lines) + "\n"


def _explore(system: ThreadSystem, most_controls: int) -> _Found:
    found = _Found(controls={system.start: "c0"})
    private = {t.Variable(t.Space.PRIVATE, name): value for name, value in system.about.private}
    for variable, value in (Memory.of(system.about).initial() | private).items():
        _name(found, variable)
        found.admit(value)
    todo = deque([system.start])
    while todo:
        control = todo.popleft()
        for move in _moves(system, control):
            if system.too_long(move.after):
                found.is_cut = True
                continue
            if move.after not in found.controls:
                if len(found.controls) >= most_controls:
                    found.is_partial = True
                    continue
                found.controls[move.after] = f"c{len(found.controls)}"
                todo.append(move.after)
            found.moves.append((control, move))
            _note(found, move)
    return found


def _moves(system: ThreadSystem, control: Hashable) -> tuple[Move, ...]:
    try:
        return system.moves(control)
    except EngineLimitError as limit:
        raise refusal("W1318", limit.reason) from limit


def _note(found: _Found, move: Move) -> None:
    """The variables of a move, and the numbers that it stores."""
    for variable, value in move.updates:
        _name(found, variable)
        if isinstance(value, t.Number) and abs(value.value) <= _LARGEST_STORED:
            found.admit(value.value)
    for term in (move.guard, *(value for _, value in move.updates)):
        for part in t.subterms(term):
            if isinstance(part, t.Variable):
                _name(found, part)


def _name(found: _Found, variable: t.Variable) -> None:
    names = found.chosen if variable.operation == "@call" else found.variables
    if variable in names:
        return
    text = f"{variable.operation}_{variable.name}" if variable.operation else variable.name
    text = re.sub(r"[^A-Za-z0-9_]", "_", text.replace("@", "k"))
    text = text if text[0].isalpha() else f"v{text}"
    taken = {*found.variables.values(), *found.chosen.values(), *_RESERVED}
    while text in taken or re.fullmatch(r"c\d+", text):
        text += "_"
    names[variable] = text


def _initial(system: ThreadSystem, found: _Found) -> str:
    values = dict.fromkeys(found.variables, 0)
    values |= Memory.of(system.about).initial()
    values |= {t.Variable(t.Space.PRIVATE, name): value for name, value in system.about.private}
    parts = [f"control = {found.controls[system.start]}"]
    parts += [f"{found.variables[variable]} = {value}" for variable, value in values.items()]
    return " & ".join(parts)


def _transition(found: _Found, control: Hashable, move: Move) -> str:
    names = {**found.variables, **found.chosen}
    updates = dict(move.updates)
    parts = [f"control = {found.controls[control]}", f"next(control) = {found.controls[move.after]}"]
    if move.guard != t.Number(1):
        parts.append(_truth(move.guard, names))
    for variable, name in found.variables.items():
        if variable not in updates:
            parts.append(f"next({name}) = {name}")
            continue
        value = _number(updates[variable], names)
        parts.append(f"next({name}) = {value}")
        if not isinstance(updates[variable], t.Variable):
            parts.append(f"{value} >= {found.lowest} & {value} <= {found.highest}")
    text = " ".join(move.text.split())
    return f"  -- {text}\n  ({' & '.join(parts)})"


def _nothing(found: _Found) -> str:
    names = ["control", *found.variables.values()]
    return f"  -- nothing happens\n  ({' & '.join(f'next({name}) = {name}' for name in names)})"


def _truth(term: t.Term, names: dict[t.Variable, str]) -> str:
    match term:
        case t.Number(value=value):
            return "TRUE" if value else "FALSE"
        case t.Unary(op=t.UnaryOp.NOT, operand=operand):
            return f"!{_truth(operand, names)}"
        case t.Binary(op=op, left=left, right=right) if op in _LOGIC:
            return f"({_truth(left, names)} {_LOGIC[op]} {_truth(right, names)})"
        case t.Binary(op=op, left=left, right=right) if op in _COMPARED:
            return f"({_number(left, names)} {_COMPARED[op]} {_number(right, names)})"
        case t.Choice(condition=condition, then=then, otherwise=otherwise):
            return f"({_truth(condition, names)} ? {_truth(then, names)} : {_truth(otherwise, names)})"
        case _:
            return f"({_number(term, names)} != 0)"


def _number(term: t.Term, names: dict[t.Variable, str]) -> str:
    match term:
        case t.Number(value=value):
            return str(value)
        case t.Variable():
            return names[term]
        case t.Unary(op=t.UnaryOp.NEGATE, operand=operand):
            return f"(-{_number(operand, names)})"
        case t.Choice(condition=condition, then=then, otherwise=otherwise):
            return f"({_truth(condition, names)} ? {_number(then, names)} : {_number(otherwise, names)})"
        case t.Binary(op=t.BinaryOp.REM, left=left, right=right):
            return _remainder(_number(left, names), _number(right, names))
        case t.Binary(op=t.BinaryOp.DIV, left=left, right=right):
            first, second = _number(left, names), _number(right, names)
            return f"(({first} - {_remainder(first, second)}) / {second})"
        case t.Binary(op=op, left=left, right=right) if op in _CALCULATED:
            return f"({_number(left, names)} {_CALCULATED[op]} {_number(right, names)})"
        case _:
            return f"({_truth(term, names)} ? 1 : 0)"


def _remainder(number: str, divisor: str) -> str:
    """The remainder that is never negative: NuSMV's has the sign of the number."""
    return f"((({number} mod {divisor}) + {divisor}) mod {divisor})"
