"""Whether a program may look at the bits of floating-point numbers.

Processors differ in the sign and payload of results that are not a number; only such a program can notice.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.analyses.points_to import points_to, size_of
from membar.code.analyses.targets import UNKNOWN_SITE, Target, overlaps
from membar.code.analyses.uninitialised import found_in_memory
from membar.code.floats import FRACTION, infinity
from membar.code.structure import operands

_COMPARISONS = frozenset({"eq", "ne", "ult", "ule", "ugt", "uge"})


def looks_at_float_bits(module: ir.Module) -> bool:
    """Whether a number may become an integer of the same bits, also through memory, or give away its sign."""
    points = points_to(module)
    stored: set[tuple[Target, int]] = set()
    read: set[tuple[Target, int]] = set()
    for name in module.threads:
        users = _users(module.functions[name])
        for block in module.functions[name].blocks:
            for item in block.instructions:
                if isinstance(item, ir.Compute) and _gives_bits(item) and not _only_classifies(item, users):
                    return True
                for bytes_, access in ((stored, _stored_to(item)), (read, _read_from(item))):
                    if access is not None:
                        size, targets = size_of(access[0].type, module), points.targets(name, access[1])
                        bytes_ |= {(target, size) for target in targets}
    by_site: dict[str, list[tuple[Target, int]]] = {}
    for target, size in read:
        by_site.setdefault(target.site, []).append((target, size))
    if read and any(target.site == UNKNOWN_SITE for target, _ in stored):
        return True
    return any(
        other.site == UNKNOWN_SITE or overlaps(target, size, other, other_size)
        for target, size in stored
        for other, other_size in (*by_site.get(target.site, ()), *by_site.get(UNKNOWN_SITE, ()))
    )


def _users(function: ir.Function) -> dict[str, list[ir.Instruction]]:
    """Who uses each value."""
    found: dict[str, list[ir.Instruction]] = {}
    for block in function.blocks:
        for item in (*block.instructions, block.end):
            for each in operands(item):
                if isinstance(each, ir.Value):
                    found.setdefault(each.name, []).append(item)
    return found


def _only_classifies(item: ir.Compute, users: dict[str, list[ir.Instruction]]) -> bool:
    """Whether bits are only compared, without the sign, with those of an infinity or less.

    So headers write `isnan`: the result is the same for everything that is not a number.
    """
    number = item.operands[0].type
    if not isinstance(number, ir.Float) or number.bits not in FRACTION:
        return False

    def is_comparison(user: ir.Instruction) -> bool:
        if not isinstance(user, ir.Compute) or user.operation not in _COMPARISONS:
            return False
        limit = user.operands[1]
        return isinstance(limit, ir.Constant) and limit.value <= infinity(number.bits)

    def is_magnitude(user: ir.Instruction) -> bool:
        if not isinstance(user, ir.Compute) or user.operation != "and":
            return False
        mask = user.operands[1]
        is_whole = isinstance(mask, ir.Constant) and mask.value == (1 << (number.bits - 1)) - 1
        return is_whole and all(map(is_comparison, users.get(user.result.name, ())))

    return all(map(is_magnitude, users.get(item.result.name, ())))


def _gives_bits(item: ir.Compute) -> bool:
    *_, last = item.operands
    is_given = item.operation == "copysign" or not isinstance(item.result.type, ir.Float)
    return (
        is_given
        and item.operation in ("copysign", "bitcast", "ptrtoint", "trunc", "zext")
        and isinstance(last.type, ir.Float)
        and not isinstance(last, ir.Constant)
    )


def _stored_to(item: ir.Instruction) -> tuple[ir.Operand, ir.Operand] | None:
    """The floating-point number that an instruction stores, if it is not known, and where."""
    match item:
        case ir.Store(value=value, address=address) | ir.Update(value=value, address=address):
            is_number = isinstance(value.type, ir.Float)
            is_known = isinstance(item, ir.Store) and isinstance(value, ir.Constant)
            return (value, address) if is_number and not is_known else None
        case _:
            return None


def _read_from(item: ir.Instruction) -> tuple[ir.Operand, ir.Operand] | None:
    """What an instruction reads that it takes for no floating-point number, and where."""
    found = found_in_memory(item)
    return None if found is None or isinstance(found[0].type, ir.Float) else found
