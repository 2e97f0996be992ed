"""x86-64: barriers, `mov`, `xchg`, and what `lock` makes one step; in the syntax of AT&T."""

from __future__ import annotations

from collections.abc import Sequence

from membar.code import ir
from membar.code.assembly.meaning import (
    Access,
    Barrier,
    Calculation,
    Clock,
    Meaning,
    Nothing,
    Result,
    SetRegister,
    Several,
    by_statements,
)
from membar.code.assembly.template import Operands, Statement, immediate
from membar.records import replace
from membar.source import pattern

_NOTHING, _FULL = Nothing(), Barrier("seq_cst")
_FIXED = by_statements(
    {
        "": _NOTHING,
        "nop": _NOTHING,
        "pause": _NOTHING,
        "rep; nop": _NOTHING,
        "lfence": _NOTHING,  # loads are in order anyway
        "sfence": _NOTHING,  # so are stores to ordinary memory
        "mfence": _FULL,
    }
)
_CLOCKS = frozenset({"rdtsc", "rdtscp"})
_WITH_CLOCKS = frozenset({"lfence", "cpuid", "mov", "movl", "movq", "shl", "shlq", "salq", "or", "orq"})
_STACK = pattern(r"-?\d*\(%[er]sp\)")
_SUFFIX = {"b": 8, "w": 16, "l": 32, "q": 64}
_OPERATIONS = {
    "add": "add", "sub": "sub", "and": "and", "or": "or", "xor": "xor",
    "inc": "add", "dec": "sub", "not": "xor",
}  # fmt: skip
_STEPS = {"inc": 1, "dec": 1, "not": -1}
_BITS = {"bts": "or", "btr": "and", "btc": "xor"}
_ZERO = frozenset({"z", "e"})
_CARRY = frozenset({"c", "b", "nae"})
_FORM = "()"
_COMPARE_WITH_ITSELF = (Statement("movq", ("%rdx", "%rcx")), Statement("movq", ("%rax", "%rbx")))


def read_x86(statements: Sequence[Statement], operands: Operands) -> Meaning | None:
    """The meaning of a template; None if it is not in the table."""
    found = _FIXED.get(tuple(statements))
    if found is not None:
        return found
    if _reads_clock(statements, operands):
        return Clock()
    rest = list(statements)
    calculated = _calculation(rest, operands)
    if calculated is not None:
        return calculated
    if any(statement.mnemonic == "cmpxchg16b" for statement in rest):
        return _compare_twice(rest, operands)
    return _read_instruction(rest, operands) or _stores_and_fences(rest, operands)


def _read_instruction(statements: Sequence[Statement], operands: Operands) -> Meaning | None:
    """The meaning of one instruction, which `lock` may precede, and a `setz` follow."""
    is_locked = statements[0] == Statement("lock")
    rest = statements[1:] if is_locked else statements
    if not rest or len(rest) > 2:
        return None
    name, bits = _split(rest[0].mnemonic)
    if is_locked and name in _BITS:
        return _change_bit(name, bits, rest, operands)
    zero = _flag(rest, operands, _ZERO)
    if len(rest) == 2 and zero is None:
        return None
    if not is_locked and name == "mov" and zero is None:
        return _move(rest[0].operands, bits, operands)
    if name == "xchg":
        return _exchange(rest[0].operands, bits, operands)
    if is_locked and name == "xadd":
        return _fetch_add(rest[0].operands, bits, operands)
    if is_locked and name == "cmpxchg":
        return _compare(rest[0].operands, bits, operands, zero)
    return _change(name, bits, rest[0].operands, operands, zero) if is_locked else None


def _stores_and_fences(statements: Sequence[Statement], operands: Operands) -> Several | None:
    """The meaning of instructions none of which changes a register that another may read."""
    parts: list[Barrier | Access] = []
    rest = list(statements)
    while rest:
        length = 2 if rest[0] == Statement("lock") else 1
        part = _FIXED.get(tuple(rest[:length])) or _read_instruction(rest[:length], operands)
        if isinstance(part, Barrier) or (isinstance(part, Access) and part.kind == "store"):
            parts.append(part)
        elif not isinstance(part, Nothing):
            return None
        rest = rest[length:]
    return Several(tuple(parts))


def _reads_clock(statements: Sequence[Statement], operands: Operands) -> bool:
    """Whether a template reads the time, and at most calculates with it in registers."""
    names = {statement.mnemonic for statement in statements}
    words = [word for statement in statements for word in statement.operands]
    touches_memory = any(slot.is_memory for slot in operands.slots) or any("(" in word for word in words)
    return bool(names & _CLOCKS) and names <= _CLOCKS | _WITH_CLOCKS and not touches_memory


def _split(mnemonic: str) -> tuple[str, int | None]:
    """The name of an instruction and its width, if a suffix gives it."""
    names = {"mov", "xchg", "xadd", "cmpxchg", *_OPERATIONS, *_BITS}
    if mnemonic in names:
        return mnemonic, None
    if mnemonic[:-1] in names and mnemonic[-1] in _SUFFIX:
        return mnemonic[:-1], _SUFFIX[mnemonic[-1]]
    return mnemonic, None


def _flag(
    statements: Sequence[Statement], operands: Operands, conditions: frozenset[str]
) -> int | ir.Operand | None:
    """Who gets a flag: an output with one of these conditions, or the operand of a `setz` that follows."""
    for number, slot in enumerate(operands.slots):
        if slot.flag:
            return number if slot.flag in conditions and len(statements) == 1 else None
    sets = {f"set{condition}" for condition in conditions}
    if len(statements) == 2 and statements[1].mnemonic in sets and statements[1].operands:
        text = statements[1].operands[0]
        register = operands.register(text)
        return operands.memory(text, _FORM) if register is None else register
    return None


def _move(words: Sequence[str], bits: int | None, operands: Operands) -> Meaning | None:
    if len(words) != 2:
        return None
    source, target = (operands.memory(word, _FORM) for word in words)
    if source is not None and target is None:
        result = operands.register(words[1])
        # Any load of this processor is what compilers make of an acquire.
        return None if result is None else Access(
            kind="load", address=source, bits=bits, ordering="acquire", results=((result, Result.OLD),)
        )  # fmt: skip
    if target is None or source is not None:
        return None
    value = _value(words[0], bits, operands)
    return None if value is None else Access(
        kind="store", address=target, bits=bits, ordering="release", value=(value,)
    )  # fmt: skip


def _value(word: str, bits: int | None, operands: Operands) -> int | ir.Constant | None:
    number, constant = operands.register(word), immediate(word)
    if number is not None:
        return number
    if constant is None or bits is None or operands.number(word) is not None:
        return None
    return ir.Constant(constant & ((1 << bits) - 1), ir.Int(bits))


def _pair(words: Sequence[str], operands: Operands) -> tuple[int, ir.Operand] | None:
    """A register and a memory operand, in either order."""
    if len(words) != 2:
        return None
    for register, memory in ((words[0], words[1]), (words[1], words[0])):
        number, address = operands.register(register), operands.memory(memory, _FORM)
        if number is not None and address is not None:
            return number, address
    return None


def _exchange(words: Sequence[str], bits: int | None, operands: Operands) -> Meaning | None:
    found = _pair(words, operands)  # it is locked by itself
    if found is None:
        return None
    number, address = found
    return _update(address, bits, "xchg", number)


def _update(address: ir.Operand, bits: int | None, operation: str, number: int) -> Access:
    """An update with a register, which gets what was in memory."""
    return Access(
        kind="update",
        address=address,
        bits=bits,
        ordering="seq_cst",
        operation=operation,
        value=(number,),
        results=((number, Result.OLD),),
    )


def _fetch_add(words: Sequence[str], bits: int | None, operands: Operands) -> Meaning | None:
    found = _pair(words, operands)
    if found is None or operands.register(words[0]) is None:
        return None
    number, address = found
    return _update(address, bits, "add", number)


def _compare(
    words: Sequence[str], bits: int | None, operands: Operands, zero: int | ir.Operand | None
) -> Meaning | None:
    found = _pair(words, operands)
    if found is None or operands.register(words[0]) is None:
        return None
    number, address = found
    others = [
        index
        for index, slot in enumerate(operands.slots)
        if slot.result is not None
        and slot.value is not None
        and not slot.flag
        and index not in {number, zero}
    ]
    given = [
        index
        for index, slot in enumerate(operands.slots)
        if slot.register == "ax" and slot.value is not None and slot.result is None
    ]
    is_said = len(others) == 1  # the accumulator, which has the expected value and gets the old one
    if not is_said and (others or len(given) != 1):
        return None
    (accumulator,) = others or given
    return Access(
        kind="compare",
        address=address,
        bits=bits,
        ordering="seq_cst",
        value=(number,),
        expected=(accumulator,),
        results=((accumulator, Result.OLD),) if is_said else (),
        zero=zero,
        hides_register=not is_said,
    )


def _change(
    name: str, bits: int | None, words: Sequence[str], operands: Operands, zero: int | ir.Operand | None
) -> Meaning | None:
    if name not in _OPERATIONS or not words:
        return None
    is_step = name in _STEPS
    if len(words) != (1 if is_step else 2):
        return None
    value: int | ir.Constant | None
    if is_step:
        value = None if bits is None else ir.Constant(_STEPS[name] & ((1 << bits) - 1), ir.Int(bits))
    else:
        value = _value(words[0], bits, operands)
        if _STACK.fullmatch(words[1]) and isinstance(value, ir.Constant) and value.value == 0:
            return _FULL  # the usual way to write a fence
    address = operands.memory(words[-1], _FORM)
    if address is None or value is None:
        return None
    return Access(
        kind="update",
        address=address,
        bits=bits,
        ordering="seq_cst",
        operation=_OPERATIONS[name],
        value=(value,),
        zero=zero,
    )


def _change_bit(
    name: str, bits: int | None, statements: Sequence[Statement], operands: Operands
) -> Meaning | None:
    """`lock bts` and the like, with a known bit of the operand; one in a register may be in other memory."""
    words = statements[0].operands
    carry = _flag(statements, operands, _CARRY)
    has_other_flag = carry is None and (len(statements) == 2 or any(slot.flag for slot in operands.slots))
    if bits is None or len(words) != 2 or has_other_flag:
        return None
    value, address = _value(words[0], bits, operands), operands.memory(words[1], _FORM)
    number = operands.slots[value].value if isinstance(value, int) else value
    if address is None or not isinstance(number, ir.Constant) or not 0 <= number.value < bits:
        return None
    mask = 1 << number.value
    changed = ~mask & ((1 << bits) - 1) if name == "btr" else mask
    return Access(
        kind="update",
        address=address,
        bits=bits,
        ordering="seq_cst",
        operation=_BITS[name],
        value=(ir.Constant(changed, ir.Int(bits)),),
        carry=carry,
        carried=mask,
    )


def _calculation(statements: Sequence[Statement], operands: Operands) -> Meaning | None:
    """Operations on registers alone, as those that make an address depend on a value."""
    steps: list[SetRegister] = []
    for statement in statements:
        name, bits = _split(statement.mnemonic)
        words = statement.operands
        target = operands.register(words[-1]) if len(words) == 2 else None
        source = None if target is None else _value(words[0], bits or 64, operands)
        if target is None or source is None or name not in {"mov", *_OPERATIONS}:
            return None
        both = (source,) if name == "mov" else (target, source)
        steps.append(SetRegister(target, "move" if name == "mov" else _OPERATIONS[name], both))
    return Calculation(tuple(steps)) if steps else None


def _compare_twice(statements: Sequence[Statement], operands: Operands) -> Meaning | None:
    """`lock cmpxchg16b`: compares memory with rdx and rax, and stores rcx and rbx if they are equal."""
    before, rest = list(statements), list[Statement]()
    while before and before[-1] != Statement("lock"):
        rest.insert(0, before.pop())
    if not before or not rest or rest[0].mnemonic != "cmpxchg16b" or len(rest) > 2:
        return None
    before.pop()
    address = operands.memory(rest[0].operands[0], _FORM) if len(rest[0].operands) == 1 else None
    zero = _flag(rest, operands, _ZERO)
    given = {slot.register: number for number, slot in enumerate(operands.slots) if slot.value is not None}
    results = tuple(
        (number, Result.OLD if slot.register == "ax" else Result.OLD_HIGH)
        for number, slot in enumerate(operands.slots)
        if slot.result is not None and slot.register in {"ax", "dx"}
    )
    if address is None or (len(rest) == 2 and zero is None):
        return None
    common = Access(kind="", address=address, bits=128, ordering="seq_cst", results=results)
    if tuple(before) == _COMPARE_WITH_ITSELF and zero is None:  # a load: it stores what it finds
        zeros = (ir.Constant(0, ir.Int(64)),) * 2
        return replace(common, kind="update", operation="or", value=zeros)
    new = given.get("bx"), given.get("cx")
    expected, pointer = (given.get("ax"), given.get("dx")), None
    if before:
        pointer = _pointer_of(before, operands)
        if pointer is None:
            return None
    elif None in expected:
        return None
    if None in new:
        return None
    return replace(
        common,
        kind="compare",
        value=tuple(each for each in new if each is not None),
        expected=() if pointer is not None else tuple(each for each in expected if each is not None),
        expected_at=pointer,
        zero=zero,
    )


def _pointer_of(statements: Sequence[Statement], operands: Operands) -> int | None:
    """The operand that points to what is loaded into rax and rdx."""
    found: list[int | None] = []
    for statement, (distance, register) in zip(statements, (("0", "%rax"), ("8", "%rdx")), strict=False):
        words = statement.operands
        is_load = statement.mnemonic in {"mov", "movq"} and len(words) == 2 and words[1] == register
        text = words[0].removeprefix(distance) if is_load else ""
        inner = text[1:-1] if text.startswith("(") and text.endswith(")") else ""
        found.append(operands.register(inner) if inner else None)
    return found[0] if len(statements) == len(found) == 2 and found[0] == found[1] else None
