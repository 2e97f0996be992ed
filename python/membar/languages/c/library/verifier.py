"""Assertions and the functions of verification tasks; and what libraries do that does not matter here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from pycparser import c_ast as ast

from membar.languages.c import atomic, codes, invocation
from membar.languages.c import types as t
from membar.languages.c.calls import ASSERTIONS, Arguments, Library
from membar.languages.c.expressions import Expressions
from membar.languages.c.library.atomics import SEQ_CST, fence
from membar.languages.c.literals import string_bytes
from membar.languages.c.values import NOTHING, B, Value, binary, constant, extended, known, truth
from membar.program.expr import FALSE, TRUE, Constant, Register, signed
from membar.program.operations import Assume, Choose

Meaning = Callable[[Expressions, ast.FuncCall, Arguments], Value]
LOWEST, HIGHEST = "MEMBAR_NONDET_MIN", "MEMBAR_NONDET_MAX"
"""Macros that state the range of `__VERIFIER_nondet_*`."""
DEFAULT_RANGE: Final = (-1, 2)


def _assert(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    condition = truth(e.scalar(arguments[0]))
    text = " ".join(e.m.span(node).text.split())
    e.m.check(condition, f"{text} fails", node, kind=ASSERTIONS)
    return NOTHING


def _error(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    del arguments
    name = node.name.name if isinstance(node.name, ast.ID) else "an error function"
    e.m.check(FALSE, f"{name} is called", node, kind=ASSERTIONS)
    return NOTHING


def _assume(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    condition = truth(e.scalar(arguments[0]))
    if condition != TRUE:
        e.m.flow.emit(Assume(condition), e.m.span(node))
    return NOTHING


def _begin(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    del arguments
    atomic.begin(e.m, e.m.span(node))
    return NOTHING


def _end(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    del arguments
    atomic.end(e.m, e.m.span(node))
    return NOTHING


def _stop(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    """`abort`, `exit`: the process ends, and nothing about this execution is asked any more.

    Nobody may reach `__builtin_unreachable()`, and nothing is known of what would follow.

    An exit of the main thread is its end: what the others do, they may have done before.
    """
    name = node.name.name if isinstance(node.name, ast.ID) else "abort"
    codes_given = [e.scalar(item) for item in arguments]
    if codes_given:
        failing = f"{name} is called with an exit code other than 0"
        invocation.check_exit(e.m, codes_given[0], failing, node)
    else:
        e.m.check(FALSE, f"{name} is called", node, kind=invocation.EXITS)
    if e.m.number == 1 and name in ("exit", "_Exit") and not e.m.flow.is_dead:
        e.m.flow.jump(e.m.frames[0].returns)
        return NOTHING
    if name in ("exit", "_Exit"):
        e.m.world.ends_beside_threads = True
    if not e.m.flow.is_dead:
        e.m.flow.emit(Assume(FALSE), e.m.span(node))
    return NOTHING


def _nondet(kind: t.Integer) -> Meaning:
    def meaning(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
        del arguments
        stated = _stated(e)
        if kind.is_bool:
            return _chosen(e, node, 0, 1, kind)
        if stated is not None:
            low, high = stated
            least = -(1 << (kind.width - 1)) if kind.signed else 0
            most = (1 << (kind.width - kind.signed)) - 1
            return _chosen(e, node, max(low, least), min(high, most), kind)
        # Nobody stated a range: values beyond ours are cut, so that the verdict says so.
        low, high = DEFAULT_RANGE
        low = low if kind.signed else 0
        value = _chosen(e, node, low - 1, high, kind)
        yes, no = e.m.flow.branch(binary(B.EQ, value.expr, extended(Constant(low - 1), kind)), e.m.span(node))
        e.m.flow.state = yes
        e.m.flow.endless(e.m.span(node))
        e.m.flow.state = no
        return value

    return meaning


def _stated(e: Expressions) -> tuple[int, int] | None:
    macros = e.m.world.tree.text.macros
    try:
        return int(macros[LOWEST].strip("()"), 0), int(macros[HIGHEST].strip("()"), 0)
    except (KeyError, ValueError):
        return None


def _chosen(e: Expressions, node: ast.FuncCall, low: int, high: int, kind: t.Integer) -> Value:
    register = e.m.flow.register()
    e.m.flow.emit(Choose(register, Constant(low), Constant(high)), e.m.span(node))
    return Value(extended(Register(register), kind), kind)


def _range(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    numbers = [known(e.scalar(item).expr) for item in arguments]
    if numbers[0] is None or numbers[1] is None or signed(numbers[0]) > signed(numbers[1]):
        e.m.refuse(node, "a range needs two constants, the smaller one first", codes.CALL)
    return _chosen(e, node, signed(numbers[0]), signed(numbers[1]), t.INT)


def _ignored(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    del node
    for item in arguments:
        if not isinstance(item, ast.Constant):
            e.value(item)
    return constant(0)


_NO_INSTRUCTIONS: Final = frozenset({"", "nop", "pause", "yield", "wfe", "sev", "rep; nop", "rep;nop"})
_FULL_FENCES: Final = frozenset({"mfence", "dmb ish", "dmb sy", "sync", "fence rw, rw", "fence rw,rw"})


def _assembly(e: Expressions, node: ast.FuncCall, arguments: Arguments) -> Value:
    first = arguments[0]
    text = (
        bytes(string_bytes(first.value)).decode(errors="replace") if isinstance(first, ast.Constant) else "?"
    )
    words = text.strip().rstrip(";").strip()
    if words in _FULL_FENCES:
        return fence(e, node, SEQ_CST)
    if words not in _NO_INSTRUCTIONS:
        e.m.refuse(node, f"assembly `{words}`")
    return NOTHING


_NONDET: Final = {
    "bool": t.BOOL, "char": t.CHAR, "uchar": t.UCHAR, "short": t.SHORT, "ushort": t.USHORT, "int": t.INT,
    "uint": t.UINT, "unsigned": t.UINT, "unsigned_int": t.UINT, "long": t.LONG, "ulong": t.ULONG,
    "size_t": t.ULONG, "longlong": t.LLONG, "ulonglong": t.ULLONG,
    "u8": t.UCHAR, "u16": t.USHORT, "u32": t.UINT, "u64": t.ULONG,
}  # fmt: skip

FUNCTIONS: Final[Mapping[str, Library]] = MappingProxyType(
    {
        "assert": Library(_assert, 1),
        "__VERIFIER_assert": Library(_assert, 1),
        "reach_error": Library(_error, 0),
        "__VERIFIER_error": Library(_error, 0),
        "__assert_fail": Library(_error, 0, 4),
        "__VERIFIER_assume": Library(_assume, 1),
        "__builtin_assume": Library(_assume, 1),
        "abort": Library(_stop, 0),
        "__builtin_trap": Library(_stop, 0),
        "__builtin_unreachable": Library(_stop, 0),
        "exit": Library(_stop, 1),
        "_Exit": Library(_stop, 1),
        "__VERIFIER_nondet_range": Library(_range, 2),
        "__VERIFIER_atomic_begin": Library(_begin, 0),
        "__VERIFIER_atomic_end": Library(_end, 0),
        "__asm__": Library(_assembly, 1),
        "printf": Library(_ignored, 1, 100),
        "fprintf": Library(_ignored, 2, 100),
        "fputs": Library(_ignored, 2),
        "fflush": Library(_ignored, 1),
        "puts": Library(_ignored, 1),
        "putchar": Library(_ignored, 1),
        "perror": Library(_ignored, 1),
        "srand": Library(_ignored, 1),
    }
    | {f"__VERIFIER_nondet_{name}": Library(_nondet(kind), 0) for name, kind in _NONDET.items()}
)
"""What each of them does."""
