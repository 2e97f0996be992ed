"""A Program as text that people can read and `languages/mbp` can read back.

docs/reference/program-text.md describes the language. For every well-formed program, parsing the printed
text gives an equal program.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import assert_never

from membar.program import condition as c
from membar.program import operations as ops
from membar.program import temporal as t
from membar.program.expr import (
    NAMED_OPERATORS,
    TRUE,
    Address,
    Binary,
    Constant,
    Expr,
    Extend,
    Register,
    Select,
    Unary,
)
from membar.program.predicate import AtPoint, CellValue, Observable, RegisterValue, StatePredicate
from membar.program.program import Edge, MemoryObject, Program, Thread, Value

# Words with a meaning of their own; as names they are written in quotes.
KEYWORDS = frozenset({
    "program", "memory", "channel", "thread", "exists", "forall", "observe", "filter",
    "error", "final", "claim", "never",
    "entry", "spawned", "register", "label", "branch", "committed", "atomic", "rank", "timeout",
    "ends", "exits", "when", "unordered",
    "load", "store", "store_conditional", "carries", "exclusive", "rmw", "if", "read", "write", "failed",
    "fence", "assume", "wait", "assert", "choose", "to", "spawn", "join", "lock", "unlock", "send", "receive",
    "true", "false", "not", "none", "at", "retry",
})  # fmt: skip
BARE_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$.]*")
DEFAULT_LANGUAGE = "Program"
DEFAULT_TYPE = "u32"
# Constants from here on are written in hexadecimal: they are masks, addresses or negative numbers.
_HEX_FROM = 1 << 31


def print_program(program: Program) -> str:
    """The whole program, one declaration or step per line, with a final end of line."""
    return "\n".join(_program_lines(program)) + "\n"


def _program_lines(program: Program) -> Iterator[str]:
    language = "" if program.language == DEFAULT_LANGUAGE else f" : {print_name(program.language)}"
    yield f"program {print_name(program.name)}{language}"
    if program.objects or program.channels:
        yield ""
    for item in program.objects:
        yield _object(item)
    for channel in program.channels:
        yield f"channel {print_name(channel.name)} : {channel.capacity} of {channel.width}"
    for thread in program.threads:
        yield ""
        yield from _thread_lines(thread)
    if program.errors or program.claims:
        yield ""
        yield from _claim_lines(program.errors, program.claims)
    if program.condition is not None:
        yield ""
        yield from _condition_lines(program.condition)


def print_name(name: str) -> str:
    """The name itself where it can stand alone, else in quotes."""
    return name if BARE_NAME.fullmatch(name) and name not in KEYWORDS else json.dumps(name)


def _type(size: int, *, signed: bool) -> str:
    return f"{'i' if signed else 'u'}{8 * size}"


def _object(item: MemoryObject) -> str:
    shape = f"[{item.count}]" if item.is_array else "" if item.count == 1 else f" * {item.count}"
    values = ", ".join(_value(value) for value in item.initial)
    initial = "" if not item.initial else f" = {values}" if len(item.initial) == 1 else f" = {{{values}}}"
    place = "" if item.place is None else f" at {_address(item.place)}"
    return f"memory {print_name(item.name)} : {_type(item.size, signed=item.signed)}{shape}{place}{initial}"


def _value(value: Value) -> str:
    return _address(value) if isinstance(value, Address) else str(value)


def _address(address: Address) -> str:
    name = print_name(address.name)
    if address.offset == 0:
        return f"&{name}"
    return f"&({name} {'-' if address.offset < 0 else '+'} {abs(address.offset)})"


def _thread_lines(thread: Thread) -> Iterator[str]:
    entry = "" if thread.entry == 0 else f" entry {thread.entry}"
    spawned = "" if thread.started else " spawned"
    yield f"thread {print_name(thread.name)}{entry}{spawned} {{"
    for name, value in thread.registers:
        yield f"  register {print_name(name)} = {_value(value)}"
    for point, name in thread.labels:
        yield f"  label {point} = {print_name(name)}"
    for branch, join in thread.joins:
        yield f"  branch {branch} to {join}"
    for point in sorted(thread.committed):
        yield f"  committed {point}"
    for point in sorted(thread.atomic):
        yield f"  atomic {point}"
    for point in sorted(thread.ends):
        yield f"  ends {point}"
    for point in sorted(thread.exits):
        yield f"  exits {point}"
    for edge in thread.edges:
        yield f"  {print_edge(edge)}"
    yield "}"


def print_edge(edge: Edge) -> str:
    """One step: `0 -> 1 when r0 == 1: store [&x] := 2`."""
    guard = "" if edge.guard == TRUE else f" when {print_expression(edge.guard)}"
    unordered = " unordered" if edge.unordered else ""
    rank = f" rank {edge.rank}" if edge.rank else ""
    idle = " timeout" if edge.idle else ""
    body = "; ".join(print_operation(op) for op in edge.operations)
    return f"{edge.source} -> {edge.target}{guard}{unordered}{rank}{idle}" + (f": {body}" if body else "")


def print_operation(op: ops.Operation) -> str:
    """One operation, without the step around it."""
    match op:
        case ops.Load():
            kind = _access("load", op.size, op.address, signed=op.signed)
            return f"{print_name(op.register)} := {kind}{_tags(op.tags)}{_exclusive(op)}"
        case ops.Store():
            value = print_expression(op.value)
            return f"{_access('store', op.size, op.address)} := {value}{_tags(op.tags)}{_exclusive(op)}"
        case ops.StoreConditional():
            kind = _access("store_conditional", op.size, op.address)
            value = print_expression(op.value)
            carries = " carries" if op.carries else ""
            return f"{print_name(op.status)} := {kind} := {value}{_tags(op.tags)}{carries}"
        case ops.Rmw():
            return _rmw(op)
        case ops.Fence(tags=tags, address=address):
            place = "" if address is None else f" [{print_expression(address)}]"
            return f"fence{place}{_tags(tags)}"
        case ops.Set(register=register, value=value):
            return f"{print_name(register)} := {print_expression(value)}"
        case ops.Assume(condition=condition, waits=waits):
            return f"{'wait' if waits else 'assume'} {print_expression(condition)}"
        case ops.Assert(condition=condition, message=message):
            kind = "" if op.property == ops.ASSERTIONS else f", {op.property}"
            words = f", {json.dumps(message)}" if message else ""
            return f"assert {print_expression(condition)}{kind}{words}"
        case ops.Choose(register=register, low=low, high=high, retries=retries):
            values = f"{print_expression(low)} to {print_expression(high)}{' retry' if retries else ''}"
            return f"{print_name(register)} := choose {values}"
        case ops.Spawn(thread=thread):
            return f"spawn {print_name(thread)}"
        case ops.Join(thread=thread):
            return f"join {print_name(thread)}"
        case ops.Lock():
            return _access("lock", op.size, op.address) + _tags(op.tags)
        case ops.Unlock():
            return _access("unlock", op.size, op.address) + _tags(op.tags)
        case ops.Send(channel=channel, values=values):
            return f"send {print_name(channel)} ({', '.join(map(print_expression, values))})"
        case ops.Receive(channel=channel, registers=registers):
            return f"receive {print_name(channel)} ({', '.join(map(print_name, registers))})"
        case _:
            assert_never(op)


def _access(word: str, size: int, address: Expr, *, signed: bool = False) -> str:
    kind = _type(size, signed=signed)
    return f"{word}{'' if kind == DEFAULT_TYPE else ' ' + kind} [{print_expression(address)}]"


def _exclusive(op: ops.Load | ops.Store) -> str:
    return " exclusive" if op.exclusive else ""


def _tags(tags: ops.Tags, word: str = "", *, always: bool = False) -> str:
    if not tags and not always:
        return ""
    return f"{' ' + word if word else ''} {{{', '.join(map(print_name, sorted(tags)))}}}"


def _rmw(op: ops.Rmw) -> str:
    kind = _access("rmw", op.size, op.address, signed=op.signed)
    condition = "" if op.condition == TRUE else f" if {print_expression(op.condition)}"
    tags = _tags(op.read_tags, "read") + _tags(op.write_tags, "write")
    failed = "" if op.failed_tags is None else _tags(op.failed_tags, "failed", always=True)
    return f"{print_name(op.register)} := {kind} := {print_expression(op.value)}{condition}{tags}{failed}"


def print_expression(expr: Expr) -> str:
    """An expression; parts with an infix operator of their own are in parentheses."""
    match expr:
        case Constant(value=value):
            return str(value) if value < _HEX_FROM else hex(value)
        case Address():
            return _address(expr)
        case Register(name=name):
            return print_name(name)
        case Unary(op=op, operand=operand) if op.value in NAMED_OPERATORS:
            return f"{op.value}({print_expression(operand)})"
        case Unary(op=op, operand=operand):
            return op.value + _operand(operand)
        case Binary(op=op, left=left, right=right):
            return f"{_operand(left)} {op.value} {_operand(right)}"
        case Extend(operand=operand, width=width, signed=signed):
            return f"{'i' if signed else 'u'}{width}({print_expression(operand)})"
        case Select(condition=condition, then=then, otherwise=otherwise):
            return f"({_operand(condition)} ? {_operand(then)} : {_operand(otherwise)})"
        case _:
            assert_never(expr)


def _operand(expr: Expr) -> str:
    text = print_expression(expr)
    return f"({text})" if isinstance(expr, Binary) else text


def _condition_lines(condition: c.FinalCondition) -> Iterator[str]:
    yield f"{condition.quantifier.value} {print_formula(condition.formula)}"
    yield "observe " + (", ".join(map(_observed_text, condition.observed)) or "none")
    if condition.filter is not None:
        yield f"filter {print_formula(condition.filter)}"


def _observed_text(observed: c.Observed) -> str:
    given = "" if observed.label == default_label(observed.term) else f" as {json.dumps(observed.label)}"
    array = "" if observed.array is None else f" in {print_name(observed.array)}"
    return print_term(observed.term) + given + array


def default_label(term: c.Term) -> str:
    """The default name of a term: `0:r0`, `x`, `v[1]`."""
    match term:
        case c.FinalRegister(thread=thread, register=register):
            return f"{thread}:{register}"
        case c.FinalCell(name=name, index=index):
            return f"{name}[{index}]" if index else name


def print_term(term: c.Term) -> str:
    """`0:r0`, `x`, `v[1]`; with its type where that is not a signed number of 32 bits: `u8(x)`."""
    if isinstance(term, c.FinalRegister):
        text = f"{term.thread}:{print_name(term.register)}"
    else:
        text = print_name(term.name) + (f"[{term.index}]" if term.index else "")
    kind = f"{'i' if term.signed else 'u'}{term.width}"
    return text if kind == "i32" else f"{kind}({text})"


def print_formula(formula: c.Formula) -> str:
    r"""A formula; `/\` or `\/` in front of a single part makes a conjunction or disjunction of one."""
    match formula:
        case c.Compare(term=term, op=op, value=value):
            right = print_term(value) if isinstance(value, c.FinalRegister | c.FinalCell) else _value(value)
            return f"{print_term(term)} {op.value} {right}"
        case c.And(parts=()):
            return "true"
        case c.Or(parts=()):
            return "false"
        case c.And(parts=(part,)):
            return f"/\\ {_part(part)}"
        case c.Or(parts=(part,)):
            return f"\\/ {_part(part)}"
        case c.And(parts=parts):
            return " /\\ ".join(map(_part, parts))
        case c.Or(parts=parts):
            return " \\/ ".join(map(_part, parts))
        case c.Not(part=part):
            return f"not {_part(part)}"
        case c.Implies(left=left, right=right):
            return f"{_part(left)} => {_part(right)}"
        case _:
            assert_never(formula)


def _part(formula: c.Formula) -> str:
    text = print_formula(formula)
    alone = isinstance(formula, c.Compare | c.Not) or text in {"true", "false"}
    return text if alone else f"({text})"


_WORDS = t.Words(not_="! ", and_="/\\", or_="\\/")


def _claim_lines(errors: tuple[StatePredicate, ...], claims: tuple[t.Claim, ...]) -> Iterator[str]:
    """One line per error state and formula, several per automaton."""
    for error in errors:
        yield f"error {_predicate(error)}"
    for claim in claims:
        text = f" as {json.dumps(claim.text)}"
        if isinstance(claim.body, t.ForbiddenRuns):
            yield f"never {print_name(claim.name)}{text} {{"
            yield from _automaton_lines(claim.body)
            yield "}"
        else:
            endless = " endless" if claim.is_endless else ""
            yield f"claim {print_name(claim.name)}{endless} : {_temporal(claim.body)}{text}"


def _predicate(predicate: StatePredicate) -> str:
    reads = ", ".join(f"{print_name(name)} = {_observable(seen)}" for name, seen in predicate.reads)
    where = f" where {reads}" if reads else ""
    text = f" as {json.dumps(predicate.text)}"
    return f"{print_expression(predicate.expression)}{where}{text}"


def _observable(seen: Observable) -> str:
    match seen:
        case CellValue(name, index):
            return f"{print_name(name)}[{index}]"
        case RegisterValue(thread, register):
            return f"{thread}:{print_name(register)}"
        case AtPoint(thread, points):
            return f"at {thread} {_set(points)}"


def _temporal(formula: t.Formula) -> str:
    return t.formula_text(formula, _WORDS, lambda atom: f"{{{_predicate(atom.predicate)}}}")


def _automaton_lines(automaton: t.ForbiddenRuns) -> Iterator[str]:
    for state in automaton.states:
        yield f"  state {print_name(state)}"
    yield f"  entry {automaton.initial}"
    for accepted in automaton.accepting:
        yield f"  accept {_set(accepted)}"
    if automaton.ends_are_errors:
        yield "  ends"
    for edge in automaton.edges:
        yield f"  {edge.source} -> {edge.target} when {{{_predicate(edge.guard)}}}"


def _set(numbers: frozenset[int]) -> str:
    return f"{{{', '.join(map(str, sorted(numbers)))}}}"
