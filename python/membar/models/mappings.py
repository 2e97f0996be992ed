"""Compiler mappings: how C's atomic operations are compiled, one named table per processor.

The tables for the Linux kernel's primitives are in `kernel_mappings`.

A language model interprets a C program directly. Under a hardware model the program is first compiled: an
operation becomes the instructions that compilers emit for it, with the ordering annotations of that
processor. Plain accesses become plain loads and stores. Nothing else changes: dependencies are those of the
source, although a compiler may remove some.

A model names its table in its claims (`mapping: x86`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import Final

from membar.diagnostics import refusal
from membar.models.c_orders import C_TAGS, ORDERS, PLAIN, order_tags
from membar.program.expr import TRUE, Register, equals, negation, registers_of
from membar.program.operations import NO_TAGS, Assume, Fence, Load, Operation, Rmw, Store, Tags
from membar.program.program import Edge, Program, Thread
from membar.records import record, replace

_KEPT: Final = frozenset({"LF"})


@record(frozen=True, slots=True, kw_only=True)
class Code:
    """What one operation becomes.

    Attributes:
        text: the instructions, for people.
        before: fences in front of it, by their words.
        read: the words of its read.
        write: the words of its write.
        after: fences behind it.
        branches: whether what was read decides a branch in front of `after` (Power's acquire).
        exchanges: whether a store is done as an exchange.
        skips_after: whether a compare-exchange that fails skips the fences behind it.
    """

    text: str
    before: tuple[str, ...] = ()
    read: Tags = NO_TAGS
    write: Tags = NO_TAGS
    after: tuple[str, ...] = ()
    branches: bool = False
    exchanges: bool = False
    skips_after: bool = False


def _order_of_c(operation: Operation) -> str | None:
    """The memory order of C that an operation has; None if it has none."""
    order = next(iter(order_tags(operation) & C_TAGS), None)
    return _stronger(order, operation) if order is not None and isinstance(operation, Rmw) else order


@record(frozen=True, slots=True, kw_only=True)
class CompilerMapping:
    """The table of one processor.

    Attributes:
        name: what users call it.
        title: where it comes from.
        loads: order → code; so for stores, RMWs and fences.
        computed: words of a write that is computed from what was read.
        compared: words of a write that is done only if the value was the expected one.
        order_of: which row of these tables an operation has, if any.
    """

    name: str
    title: str
    loads: Mapping[str, Code]
    stores: Mapping[str, Code]
    rmws: Mapping[str, Code]
    fences: Mapping[str, Code]
    computed: Tags = NO_TAGS
    compared: Tags = NO_TAGS
    order_of: Callable[[Operation], str | None] = _order_of_c


def _tags(*words: str) -> Tags:
    return frozenset(words)


def _orders(relaxed: Code, acquire: Code, release: Code, both: Code, strong: Code) -> dict[str, Code]:
    """The codes for all six orders; consume is acquire, as all compilers do it."""
    return dict(zip(ORDERS, (relaxed, acquire, acquire, release, both, strong), strict=True))


def _loads(relaxed: Code, acquire: Code, strong: Code) -> dict[str, Code]:
    return {PLAIN: relaxed, "RLX": relaxed, "CON": acquire, "ACQ": acquire, "SC": strong}


def _stores(relaxed: Code, release: Code, strong: Code) -> dict[str, Code]:
    return {PLAIN: relaxed, "RLX": relaxed, "REL": release, "SC": strong}


_NOTHING = Code(text="(nothing)")


def _x86() -> CompilerMapping:
    load, store = Code(text="mov"), Code(text="mov")
    locked = Code(text="lock …", read=_tags("X"), write=_tags("X"))
    fence = Code(text="mfence", before=("MFENCE",))
    return CompilerMapping(
        name="x86",
        title="x86: plain loads and stores, a seq_cst store as xchg, a seq_cst fence as mfence",
        loads=_loads(load, load, load),
        stores=_stores(store, store, Code(text="xchg", read=_tags("X"), write=_tags("X"), exchanges=True)),
        rmws=_orders(locked, locked, locked, locked, locked),
        fences=_orders(_NOTHING, _NOTHING, _NOTHING, _NOTHING, fence),
    )


def _pso() -> CompilerMapping:
    base = _x86()
    release = Code(text="sfence; mov", before=("SFENCE",))
    ordered = Code(text="sfence", before=("SFENCE",))
    strong = base.fences["SC"]
    return replace(
        base,
        name="pso",
        title="partial store order: as x86, with a store barrier before a release",
        stores=_stores(base.stores["RLX"], release, base.stores["SC"]),
        fences=_orders(_NOTHING, _NOTHING, ordered, ordered, strong),
    )


def _armv8() -> CompilerMapping:
    """Without the instructions of Armv8.1 (LSE) a pair orders less than a single instruction, never more.

    The branch on what a compare-exchange found, which a single instruction does not have, is left out: so
    what holds, holds of both kinds of code.
    """

    def pair(acquires: str, releases: str) -> Code:
        return Code(
            text=f"ld{acquires}xr, st{releases}xr",
            read=_tags("A", "EX") if acquires else _tags("EX"),
            write=_tags("L", "EX") if releases else _tags("EX"),
        )

    both = pair("a", "l")
    return replace(
        _armv8_with_lse("armv8", "A", "ldar"),
        title="Armv8: acquire as ldar, release as stlr, seq_cst as ldar and stlr, exclusive pairs",
        rmws=_orders(pair("", ""), pair("a", ""), pair("", "l"), both, both),
        computed=NO_TAGS,
        compared=NO_TAGS,
    )


def _armv8_with_lse(name: str, acquire_tag: str, acquire: str) -> CompilerMapping:
    def atomic(suffix: str, read: Tags, write: Tags) -> Code:
        words = f"cas{suffix}, swp{suffix}, ldadd{suffix}, …"
        return Code(text=words, read=read | {"X"}, write=write | {"X"})

    full, light = Code(text="dmb ish", before=("DMB.ISH",)), Code(text="dmb ishld", before=("DMB.ISHLD",))
    both = atomic("al", _tags("A"), _tags("L"))
    return CompilerMapping(
        name=name,
        title=f"Armv8.1 (LSE): acquire as {acquire}, release as stlr, seq_cst as ldar and stlr",
        loads=_loads(
            Code(text="ldr"),
            Code(text=acquire, read=_tags(acquire_tag)),
            Code(text="ldar", read=_tags("A")),
        ),
        stores=_stores(
            Code(text="str"), Code(text="stlr", write=_tags("L")), Code(text="stlr", write=_tags("L"))
        ),
        rmws=_orders(
            atomic("", NO_TAGS, NO_TAGS),
            atomic("a", _tags("A"), NO_TAGS),
            atomic("l", NO_TAGS, _tags("L")),
            both,
            both,
        ),
        fences=_orders(_NOTHING, light, full, full, full),
        computed=_tags("FetchOp"),
        compared=_tags("Compared"),
    )


def _armv7() -> CompilerMapping:
    dmb = ("DMB.ISH",)
    pair = _tags("EX")

    def rmw(text: str, before: tuple[str, ...], after: tuple[str, ...]) -> Code:
        return Code(text=text, before=before, read=pair, write=pair, after=after)

    plain = "ldrex, strex"
    both = rmw(f"dmb; {plain}; dmb", dmb, dmb)
    fence = Code(text="dmb", before=dmb)
    return CompilerMapping(
        name="armv7",
        title="Armv7: a dmb after acquire, before release, and on both sides of a seq_cst store",
        loads=_loads(Code(text="ldr"), Code(text="ldr; dmb", after=dmb), Code(text="ldr; dmb", after=dmb)),
        stores=_stores(
            Code(text="str"),
            Code(text="dmb; str", before=dmb),
            Code(text="dmb; str; dmb", before=dmb, after=dmb),
        ),
        rmws=_orders(
            rmw(plain, (), ()), rmw(f"{plain}; dmb", (), dmb), rmw(f"dmb; {plain}", dmb, ()), both, both
        ),
        fences=_orders(_NOTHING, fence, fence, fence, fence),
    )


def _power() -> CompilerMapping:
    sync, light, later = ("SYNC",), ("LWSYNC",), ("ISYNC",)
    pair = _tags("EX")

    def rmw(text: str, before: tuple[str, ...], *, acquires: bool) -> Code:
        after = later if acquires else ()
        return Code(text=text, before=before, read=pair, write=pair, after=after, branches=acquires)

    plain = "lwarx, stwcx."
    lwsync = Code(text="lwsync", before=light)
    return CompilerMapping(
        name="power",
        title="Power, leading sync: sync before seq_cst, lwsync before release, isync after acquire",
        loads=_loads(
            Code(text="ld"),
            Code(text="ld; cmp; bc; isync", after=later, branches=True),
            Code(text="sync; ld; cmp; bc; isync", before=sync, after=later, branches=True),
        ),
        stores=_stores(
            Code(text="st"), Code(text="lwsync; st", before=light), Code(text="sync; st", before=sync)
        ),
        rmws=_orders(
            rmw(plain, (), acquires=False),
            rmw(f"{plain}; isync", (), acquires=True),
            rmw(f"lwsync; {plain}", light, acquires=False),
            rmw(f"lwsync; {plain}; isync", light, acquires=True),
            rmw(f"sync; {plain}; isync", sync, acquires=True),
        ),
        fences=_orders(_NOTHING, lwsync, lwsync, lwsync, Code(text="sync", before=sync)),
    )


def _riscv() -> CompilerMapping:
    """Compare-exchanges and RMWs of less than four bytes are reserved pairs, which order less than an AMO.

    Whether another RMW is one depends on the compiler: what holds, holds of both kinds of code.
    """

    def pair(acquires: str, releases: str, *words: str) -> Code:
        return Code(
            text=f"lr{acquires}, sc{releases}",
            read=_tags("EX", *words),
            write=_tags("EX", "Rel") if releases else _tags("EX"),
        )

    return replace(
        _riscv_with_amo(),
        name="riscv",
        title="RISC-V, the ISA manual's table: fences around loads and stores, reserved pairs",
        rmws=_orders(
            pair("", ""),
            pair(".aq", "", "Acq"),
            pair("", ".rl"),
            pair(".aq", ".rl", "Acq"),
            pair(".aqrl", ".rl", "AcqRel"),
        ),
    )


def _riscv_with_amo() -> CompilerMapping:
    acquire, release, full = ("Fence.r.rw",), ("Fence.rw.w",), ("Fence.rw.rw",)

    def amo(suffix: str, words: Tags) -> Code:
        return Code(text=f"amo….{suffix}" if suffix else "amo…", read=words | {"X"}, write=words | {"X"})

    both = amo("aqrl", _tags("AcqRel"))
    released = Code(text="fence rw,w; s", before=release)
    return CompilerMapping(
        name="riscv-amo",
        title="RISC-V, the ISA manual's table: fences around loads and stores, annotated atomics",
        loads=_loads(
            Code(text="l"),
            Code(text="l; fence r,rw", after=acquire),
            Code(text="fence rw,rw; l; fence r,rw", before=full, after=acquire),
        ),
        stores=_stores(Code(text="s"), released, released),
        rmws=_orders(amo("", NO_TAGS), amo("aq", _tags("Acq")), amo("rl", _tags("Rel")), both, both),
        fences=_orders(
            _NOTHING,
            Code(text="fence r,rw", before=acquire),
            Code(text="fence rw,w", before=release),
            Code(text="fence.tso", before=("Fence.tso",)),
            Code(text="fence rw,rw", before=full),
        ),
    )


MAPPINGS: Final[Mapping[str, CompilerMapping]] = MappingProxyType(
    {
        mapping.name: mapping
        for mapping in (
            _x86(),
            _pso(),
            _armv8(),
            _armv8_with_lse("armv8-lse", "A", "ldar"),
            _armv8_with_lse("armv8-ldapr", "Q", "ldapr"),
            _armv7(),
            _power(),
            _riscv(),
            _riscv_with_amo(),
        )
    }
)
"""Every table."""


def mapping_named(name: str) -> CompilerMapping:
    """The table called `name`.

    Raises:
        InputError: there is none; the message lists those there are.
    """
    found = MAPPINGS.get(name)
    if found is None:
        raise refusal("W0412", f"unknown mapping `{name}`", help=f"known: {', '.join(MAPPINGS)}")
    return found


def apply_mapping(program: Program, mapping: CompilerMapping) -> Program:
    """The program that a compiler generates from a C program."""
    threads = tuple(_thread(thread, mapping) for thread in program.threads)
    return replace(program, threads=threads)


def _thread(thread: Thread, mapping: CompilerMapping) -> Thread:
    points = count(1 + max((max(edge.source, edge.target) for edge in thread.edges), default=0))
    edges: list[Edge] = []
    joins = list(thread.joins)
    for edge in thread.edges:
        operations: list[Operation] = []
        for number, operation in enumerate(edge.operations):
            code = code_of(operation, mapping)
            if code is None:
                operations.append(operation)
            elif code.skips_after and _may_fail(operation, edge.operations[number:]):
                assert isinstance(operation, Rmw)
                tried, done = next(points), next(points)
                operations += _instructions(operation, replace(code, branches=False, after=()), mapping)
                edges.append(replace(edge, target=tried, operations=tuple(operations)))
                fences = tuple(_operations_after_access(operation.register, code))
                for guard, taken in ((operation.condition, fences), (negation(operation.condition), ())):
                    edges.append(
                        Edge(source=tried, target=done, guard=guard, operations=taken, span=edge.span)
                    )
                joins.append((tried, done))
                edge, operations = Edge(source=done, target=edge.target, span=edge.span), []  # noqa: PLW2901
            else:
                operations += _instructions(operation, code, mapping)
        edges.append(replace(edge, operations=tuple(operations)))
    return replace(thread, edges=tuple(edges), joins=tuple(joins))


def _may_fail(operation: Operation, following: Sequence[Operation]) -> bool:
    """Whether an RMW may fail with a weaker order, and control goes on: not where a lock is waited for."""
    return (
        isinstance(operation, Rmw)
        and operation.condition != TRUE
        and operation.failed_tags is not None
        and not any(isinstance(item, Assume) and item.condition == operation.condition for item in following)
    )


def code_of(operation: Operation, mapping: CompilerMapping) -> Code | None:
    """What an operation is compiled to; None if it does not change."""
    order = mapping.order_of(operation)
    if order is None:
        return None
    match operation:
        case Load():
            return mapping.loads.get(order)
        case Store():
            return mapping.stores.get(order)
        case Rmw():
            return mapping.rmws.get(order)
        case Fence():
            return mapping.fences.get(order)
        case _:
            return None


def _stronger(order: str, operation: Rmw) -> str:
    """The order of one instruction that covers success and failure."""
    failure = next(iter((operation.failed_tags or NO_TAGS) & C_TAGS), "RLX")
    if failure == "SC" or order == "SC":
        return "SC"
    if failure in {"ACQ", "CON"}:
        return {"RLX": "ACQ", "REL": "ACQ_REL"}.get(order, order)
    return order


def _instructions(operation: Operation, code: Code, mapping: CompilerMapping) -> Iterator[Operation]:
    yield from (Fence(_tags(word)) for word in code.before)
    register = ""
    match operation:
        case Load():
            register = operation.register
            yield replace(operation, tags=code.read | (operation.tags & _KEPT))
        case Store() if code.exchanges:
            yield Rmw(
                register="$exchanged",
                address=operation.address,
                value=operation.value,
                size=operation.size,
                read_tags=code.read,
                write_tags=code.write,
            )
        case Store():
            yield replace(operation, tags=code.write)
        case Rmw():
            register = operation.register
            yield _exchange(operation, code, mapping)
        case _:
            pass
    yield from _operations_after_access(register, code)


def _operations_after_access(register: str, code: Code) -> Iterator[Operation]:
    """What follows an access whose value is in a register."""
    if code.branches:
        # The branch goes the same way whatever was read, but what follows waits for it.
        yield Assume(equals(Register(register), Register(register)))
    yield from (Fence(_tags(word)) for word in code.after)


def _exchange(operation: Rmw, code: Code, mapping: CompilerMapping) -> Rmw:
    extra = NO_TAGS
    if operation.condition != TRUE:
        extra = mapping.compared
    elif operation.register in registers_of(operation.value):
        extra = mapping.computed
    kept = (operation.failed_tags or NO_TAGS) & _KEPT
    return replace(
        operation,
        read_tags=code.read,
        write_tags=code.write | extra,
        failed_tags=None if operation.failed_tags is None else code.read | kept,
    )
