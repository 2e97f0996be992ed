"""What instructions define and use, and where blocks go on: the questions that every pass asks."""

from __future__ import annotations

from collections.abc import Sequence

from membar.code import ir
from membar.code.primitives import READ, USE
from membar.records import field_names

OPERANDS = frozenset({ir.Value, ir.Constant, ir.ObjectAddress, ir.FunctionAddress, ir.Undefined})
_RESULTS = frozenset({"result", "results", "old", "done"})
_OF_OPERANDS = ("Operand", "Value", "Goto")
_FIELDS: dict[type, tuple[tuple[str, ...], tuple[str, ...]]] = {}  # what `_fields` has found out


def results(instruction: ir.Instruction) -> tuple[ir.Value, ...]:
    """The values that an instruction defines."""
    match instruction:
        case ir.Compute(result=one) | ir.Index(result=one) | ir.Load(result=one) | ir.Slot(result=one):
            return (one,)
        case ir.CompareExchange(old=old, done=done):
            return (old, done)
        case ir.Update(old=old):
            return (old,)
        case ir.Call(results=several) | ir.Assembly(results=several):
            return several
        case _:
            return ()


def operands(instruction: ir.Instruction) -> list[ir.Operand]:
    """The operands that an instruction uses, those of jumps included."""
    found: list[ir.Operand] = []
    kind = type(instruction)
    for name in (_FIELDS.get(kind) or _fields(kind))[1]:
        value = getattr(instruction, name)
        if type(value) in OPERANDS:
            found.append(value)
        elif value:
            _collect(value, found)
    return found


def operand_fields(kind: type) -> tuple[str, ...]:
    """The fields of a kind of instruction that hold operands, results, jumps or several of these."""
    return (_FIELDS.get(kind) or _fields(kind))[0]


def _fields(kind: type) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields of `operand_fields`, and those of them that are not results."""
    kinds: dict[str, object] = {}
    for base in reversed(kind.__mro__):
        kinds.update(vars(base).get("__annotations__", {}))
    names = tuple(name for name in field_names(kind) if any(one in str(kinds[name]) for one in _OF_OPERANDS))
    found = _FIELDS[kind] = names, tuple(name for name in names if name not in _RESULTS)
    return found


def _collect(value: object, found: list[ir.Operand]) -> None:
    if type(value) is ir.Goto:
        found += value.arguments
    elif type(value) is tuple:
        for item in value:
            if type(item) in OPERANDS:
                found.append(item)
            else:
                _collect(item, found)


def has_assembly(function: ir.Function) -> bool:
    """Whether a function has inline assembly that was not given a meaning yet."""
    return any(isinstance(item, ir.Assembly) for block in function.blocks for item in block.instructions)


_HARMLESS = frozenset(
    {
        "add", "sub", "mul", "and", "or", "xor", "zext", "sext", "trunc", "bitcast", "freeze", "eq", "ne",
        "select", "fadd", "fsub", "fmul", "fdiv", "fmuladd", "fneg", "fabs", "fpext", "fptrunc", "sitofp",
        "uitofp", "fptosi", "fptoui", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge",
    }
)  # fmt: skip
_BY_A_CONSTANT = frozenset({"udiv", "sdiv", "urem", "srem", "shl", "lshr", "ashr"})
"""Operations that cannot go wrong if their second operand is a small positive number."""
_SMALL = range(1, 32)


def _is_harmless(item: ir.Compute) -> bool:
    if item.operation not in _BY_A_CONSTANT:
        return item.operation in _HARMLESS
    by = item.operands[1]
    return isinstance(by, ir.Constant) and by.value in _SMALL


def matters(function: ir.Function, value: ir.Value) -> bool:
    """Whether a value decides anything: not if it only goes into arithmetic whose results go nowhere.

    That such arithmetic may overflow does not count, nor that it is printed.
    """
    todo, seen = [value.name], {value.name}
    uses: dict[str, list[ir.Instruction]] = {}
    for block in function.blocks:
        for item in (*block.instructions, block.end):
            for operand in operands(item):
                if isinstance(operand, ir.Value):
                    uses.setdefault(operand.name, []).append(item)
    while todo:
        for item in uses.get(todo.pop(), ()):
            if isinstance(item, ir.Call) and item.callee in (USE, READ):
                continue
            if not isinstance(item, ir.Compute) or not _is_harmless(item):
                return True
            if item.result.name not in seen:
                seen.add(item.result.name)
                todo.append(item.result.name)
    return False


def targets(end: ir.Terminator) -> tuple[ir.Goto, ...]:
    """Where a terminator may go on."""
    match end:
        case ir.Jump(target=target):
            return (target,)
        case ir.Branch(then=then, otherwise=otherwise):
            return (then, otherwise)
        case ir.Switch(cases=cases, default=default):
            return (*(target for _, target in cases), default)
        case _:
            return ()


def reachable(blocks: Sequence[ir.Block]) -> list[ir.Block]:
    """The blocks that control can reach from the first one, in the order given."""
    known = {block.name: block for block in blocks}
    seen, todo = {blocks[0].name}, [blocks[0].name]
    while todo:
        for target in targets(known[todo.pop()].end):
            if target.block not in seen:
                seen.add(target.block)
                todo.append(target.block)
    return [block for block in blocks if block.name in seen]
