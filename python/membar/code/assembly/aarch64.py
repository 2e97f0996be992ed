"""AArch64: barriers, loads and stores with their acquire and release forms, atomic instructions and loops."""

from __future__ import annotations

from collections.abc import Sequence

from membar.code import ir
from membar.code.assembly.exclusive import (
    Label,
    Leave,
    LoadLinked,
    RetryJump,
    Source,
    Step,
    StoreConditional,
    read_exclusive,
)
from membar.code.assembly.meaning import (
    Access,
    Await,
    Barrier,
    Clock,
    Meaning,
    Nothing,
    Result,
    SetRegister,
    by_statements,
)
from membar.code.assembly.template import Operands, Statement, immediate, modifier
from membar.source import pattern

_NOTHING, _FULL, _LOADS = Nothing(), Barrier("seq_cst"), Barrier("acquire")
_FIXED = by_statements(
    {
        **dict.fromkeys(("", "nop", "yield", "wfe", "sev", "sevl", "hint #0x1", "hint #1"), _NOTHING),
        **dict.fromkeys(("dmb ish", "dmb sy", "dsb ish", "dsb sy"), _FULL),
        **dict.fromkeys(("dmb ishld", "dmb ld", "dsb ishld", "dsb ld"), _LOADS),
        **dict.fromkeys(("dmb ishst", "dmb st", "dsb ishst", "dsb st"), Barrier(tag="DMB.ISHST")),
        "isb": Barrier(tag="ISB"),
    }
)
_LOAD = pattern(r"(?P<name>ldr|ldar|ldur)(?P<size>[bh]?)")
_STORE = pattern(r"(?P<name>str|stlr|stur)(?P<size>[bh]?)")
_ATOMIC = pattern(r"(?P<name>ldadd|ldset|ldeor|swp|cas)(?P<acquires>a?)(?P<releases>l?)(?P<size>[bh]?)")
_COMPARE_TWICE = pattern(r"casp(?P<acquires>a?)(?P<releases>l?)")
_WITHOUT_RESULT = pattern(r"(?P<name>stadd|stset|steor)(?P<releases>l?)(?P<size>[bh]?)")
_LOAD_EXCLUSIVE = pattern(r"ld(?P<acquires>a?)x(?P<kind>[rp])(?P<size>[bh]?)")
_STORE_EXCLUSIVE = pattern(r"st(?P<releases>l?)x(?P<kind>[rp])(?P<size>[bh]?)")
_ORDERS = {("", ""): "monotonic", ("a", ""): "acquire", ("", "l"): "release", ("a", "l"): "acq_rel"}
_NO_STEP = frozenset({"prfm", "wfe", "sevl", ".align", "nop", "yield"})
_ZEROS = frozenset({"wzr", "xzr"})
_WITH_FIRST_LOOK = 8
_CONDITIONS = {
    "b.eq": "eq", "b.ne": "ne", "b.lo": "ult", "b.ls": "ule", "b.hi": "ugt", "b.hs": "uge",
    "b.lt": "slt", "b.le": "sle", "b.gt": "sgt", "b.ge": "sge",
}  # fmt: skip
_PAIRS = (("b.eq", "b.ne"), ("b.lo", "b.hs"), ("b.ls", "b.hi"), ("b.lt", "b.ge"), ("b.le", "b.gt"))
_OPPOSITE = {one: other for pair in _PAIRS for one, other in (pair, pair[::-1])}
_COMBINE = {"add": "add", "sub": "sub", "and": "and", "orr": "or", "eor": "xor"}
_OPERATIONS = {"add": "add", "set": "or", "eor": "xor", "swp": "xchg"}
_SIZES = {"b": 8, "h": 16}
_FORM = "[]"


def read_aarch64(statements: Sequence[Statement], operands: Operands) -> Meaning | None:
    """The meaning of a template; None if it is not in the table."""
    found = _FIXED.get(tuple(statements))
    if found is not None:
        return found
    if len(statements) != 1:
        return _loop(statements, operands)
    (statement,) = statements
    words = statement.operands
    if statement.mnemonic == "mrs" and words[1:] in {("cntvct_el0",), ("cntpct_el0",)}:
        return Clock()
    load, store = _LOAD.fullmatch(statement.mnemonic), _STORE.fullmatch(statement.mnemonic)
    if (load or store) and len(words) == 2:
        address, number = operands.memory(words[1], _FORM), operands.register(words[0])
        if address is None or number is None:
            return None
        if load:
            ordering = "acquire" if load["name"] == "ldar" else "monotonic"
            bits = _bits(load["size"], words[0])
            return Access(
                kind="load", address=address, bits=bits, ordering=ordering, results=((number, Result.OLD),)
            )
        assert store is not None
        ordering = "release" if store["name"] == "stlr" else "monotonic"
        bits = _bits(store["size"], words[0])
        return Access(kind="store", address=address, bits=bits, ordering=ordering, value=(number,))
    return _atomic(statement, operands) or _loop(statements, operands)


def _atomic(statement: Statement, operands: Operands) -> Meaning | None:
    words = statement.operands
    found = _ATOMIC.fullmatch(statement.mnemonic)
    if found is not None and len(words) == 3:
        address = operands.memory(words[2], _FORM)
        first, second = operands.register(words[0]), operands.register(words[1])
        if address is None or first is None or second is None:
            return None
        bits, ordering = _bits(found["size"], words[0]), _ordering(found["acquires"], found["releases"])
        if found["name"] == "cas":  # the first register has the expected value and gets the old one
            return Access(
                kind="compare",
                address=address,
                bits=bits,
                ordering=ordering,
                value=(second,),
                expected=(first,),
                results=((first, Result.OLD),),
            )
        operation = _OPERATIONS[found["name"].removeprefix("ld")]
        return Access(
            kind="update",
            address=address,
            bits=bits,
            ordering=ordering,
            operation=operation,
            value=(first,),
            results=((second, Result.OLD),),
        )
    found = _COMPARE_TWICE.fullmatch(statement.mnemonic)
    if found is not None and len(words) == 5:
        return _compare_twice(words, _ordering(found["acquires"], found["releases"]), operands)
    found = _WITHOUT_RESULT.fullmatch(statement.mnemonic)
    if found is None or len(words) != 2:
        return None
    address, number = operands.memory(words[1], _FORM), operands.register(words[0])
    if address is None or number is None:
        return None
    return Access(
        kind="update",
        address=address,
        bits=_bits(found["size"], words[0]),
        ordering=_ordering("", found["releases"]),
        operation=_OPERATIONS[found["name"].removeprefix("st")],
        value=(number,),
    )


def _compare_twice(words: Sequence[str], ordering: str, operands: Operands) -> Meaning | None:
    """`casp`: compares memory with two registers, which get what was there, and stores two others."""
    address, bits = operands.memory(words[4], _FORM), _bits("", words[0])
    registers = [number for word in words[:4] if (number := operands.register(word)) is not None]
    if address is None or len(registers) != 4:
        return None
    low, high, *new = registers
    return Access(
        kind="compare",
        address=address,
        bits=2 * bits,
        ordering=ordering,
        value=tuple(new),
        expected=(low, high),
        results=((low, Result.OLD), (high, Result.OLD_HIGH)),
    )


def _loop(statements: Sequence[Statement], operands: Operands) -> Meaning | None:
    """Loops of exclusive accesses, as `1: ldxr; …; stxr; cbnz 1b`, and loops that wait for a value."""
    kept = [each for each in statements if each.mnemonic not in _NO_STEP]
    waiting = _await(kept, operands)
    if waiting is not None:
        return waiting
    steps: list[Step] = []
    compared: tuple[Source, ...] | None = None
    for statement in kept:
        if statement.mnemonic == "cmp":
            compared = _sources(statement.operands, operands)
            continue
        step = _step(statement, operands, compared)
        if step is None:
            return None
        steps.append(step)
    return read_exclusive(steps, operands, _ORDERS)


def _step(statement: Statement, operands: Operands, compared: tuple[Source, ...] | None) -> Step | None:
    name, words = statement.mnemonic, statement.operands
    if name.endswith(":"):
        return Label(name[:-1])
    fixed = _FIXED.get((statement,))
    if isinstance(fixed, Barrier):
        return fixed
    load, store = _LOAD_EXCLUSIVE.fullmatch(name), _STORE_EXCLUSIVE.fullmatch(name)
    if load is not None and len(words) == (3 if load["kind"] == "p" else 2):
        registers, address = (
            [operands.register(word) for word in words[:-1]],
            operands.memory(words[-1], _FORM),
        )
        if address is None or None in registers:
            return None
        bits = _bits(load["size"], words[0])
        return LoadLinked(
            tuple(each for each in registers if each is not None), address, bits, load["acquires"]
        )
    if store is not None and len(words) == (4 if store["kind"] == "p" else 3):
        status, address = operands.register(words[0]), operands.memory(words[-1], _FORM)
        values = _sources(words[1:-1], operands)
        if address is None or values is None or status is None:
            return None
        return StoreConditional(status, values, address, store["releases"])
    if name == "cbnz" and len(words) == 2:
        register = operands.register(words[0])
        if register is None:
            return None
        return (
            RetryJump(register, words[1][:-1])
            if words[1].endswith("b")
            else Leave((register,), words[1][:-1])
        )
    if name in ("b.ne", "bne") and compared is not None and words[0].endswith("f"):
        return Leave(compared, words[0][:-1])
    return _calculation(name, words, operands)


def _calculation(name: str, words: Sequence[str], operands: Operands) -> Step | None:
    register = operands.register(words[0]) if words else None
    sources = _sources(words[1:], operands)
    if register is None or sources is None:
        return None
    if name == "mov" and len(sources) == 1:
        return SetRegister(register, "move", sources)
    if name == "mvn" and len(sources) == 1:
        return SetRegister(register, "xor", (*sources, ir.Constant((1 << 64) - 1, ir.Int(64))))
    if name in _COMBINE and len(sources) == 2:
        return SetRegister(register, _COMBINE[name], sources)
    return None


def _sources(words: Sequence[str], operands: Operands) -> tuple[Source, ...] | None:
    """Registers and numbers."""
    found: list[Source] = []
    for word in words:
        register = operands.register(word)
        number = immediate(word) if word.startswith("#") else 0 if word in _ZEROS else None
        if register is not None:
            found.append(register)
        elif number is not None:
            found.append(ir.Constant(number & ((1 << 64) - 1), ir.Int(64)))
        else:
            return None
    return tuple(found)


def _await(statements: Sequence[Statement], operands: Operands) -> Meaning | None:
    """`1: ldr; cmp; b.ne 1b`, also with a first look before events are waited for."""
    rest = list(statements)
    if len(rest) == _WITH_FIRST_LOOK:
        first, rest = rest[:3], rest[3:]
        if rest.pop().mnemonic != "2:" or first[2].operands != ("2f",):
            return None
        is_same = (first[0].operands, first[1]) == (rest[1].operands, rest[2])
        if not is_same or _negated(first[2].mnemonic) != rest[3].mnemonic:
            return None
        if (first[0].mnemonic, rest[1].mnemonic) not in {("ldar", "ldaxr"), ("ldr", "ldxr")}:
            return None
        rest[1] = first[0]
    if len(rest) != 4 or rest[0].mnemonic != "1:" or rest[3].operands != ("1b",) or rest[2].mnemonic != "cmp":
        return None
    load, condition = _LOAD.fullmatch(rest[1].mnemonic), _CONDITIONS.get(_negated(rest[3].mnemonic) or "")
    if load is None or condition is None or len(rest[1].operands) != 2:
        return None
    register, address = operands.register(rest[1].operands[0]), operands.memory(rest[1].operands[1], _FORM)
    compared = _sources(rest[2].operands, operands)
    if (
        register is None
        or address is None
        or compared is None
        or len(compared) != 2
        or compared[0] != register
    ):
        return None
    return Await(
        address=address,
        bits=_bits(load["size"], rest[1].operands[0]),
        ordering="acquire" if load["name"] == "ldar" else "monotonic",
        comparison=condition,
        value=compared[1],
        result=register,
    )


def _negated(mnemonic: str) -> str | None:
    """The branch under the opposite condition."""
    return _OPPOSITE.get(mnemonic)


def _bits(size: str, word: str) -> int:
    """The width of an access: by its suffix, else by the form of its register."""
    return _SIZES.get(size, 32 if modifier(word) == "w" else 64)


def _ordering(acquires: str, releases: str) -> str:
    if acquires:
        return "acq_rel" if releases else "acquire"
    return "release" if releases else "monotonic"
