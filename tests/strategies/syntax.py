"""Well-formed Programs of every shape: all operations, expressions, names. Few make sense to run."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from membar.program.condition import (
    And,
    Compare,
    Comparison,
    FinalCell,
    FinalCondition,
    FinalRegister,
    Formula,
    Implies,
    Not,
    Observed,
    Or,
    Quantifier,
    Term,
)
from membar.program.expr import (
    MASK,
    TRUE,
    Address,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Extend,
    Register,
    Select,
    Unary,
    UnaryOp,
)
from membar.program.operations import (
    Assert,
    Assume,
    Choose,
    Fence,
    Join,
    Load,
    Lock,
    Operation,
    Receive,
    Rmw,
    Send,
    Set,
    Spawn,
    Store,
    StoreConditional,
    Unlock,
)
from membar.program.printer import KEYWORDS
from membar.program.program import Channel, Edge, MemoryObject, Program, Thread, Value

_plain = st.from_regex(r"[A-Za-z_$][A-Za-z0-9_$.]{0,4}", fullmatch=True)
names: SearchStrategy[str] = (
    _plain
    | st.sampled_from(sorted(KEYWORDS))
    | st.text(max_size=6)
    | st.sampled_from(["i8", "u32", "~exists", ""])
)
registers: SearchStrategy[str] = st.sampled_from(["r0", "EAX", "load", "u8", "0:X1", "when"]) | names
sizes = st.sampled_from([1, 2, 4, 8])
tags: SearchStrategy[frozenset[str]] = st.frozensets(
    st.sampled_from(["A", "L", "MFENCE", "DMB.SY", "read", "seq cst"]), max_size=3
)
words = st.integers(0, 4) | st.sampled_from([1 << 31, (1 << 31) - 1, 1 << 63, MASK]) | st.integers(0, MASK)
integers = st.integers(-3, 3) | st.integers(-(1 << 63), MASK)


def addresses(objects: tuple[str, ...]) -> SearchStrategy[Address]:
    """Addresses of these objects, with offsets in both directions."""
    return st.builds(Address, st.sampled_from(objects), st.just(0) | st.integers(-16, 16))


def expressions(objects: tuple[str, ...]) -> SearchStrategy[Expr]:
    """Expressions of a few levels."""
    leaves: SearchStrategy[Expr] = st.builds(Constant, words) | st.builds(Register, registers)
    if objects:
        leaves |= addresses(objects)
    return st.recursive(
        leaves,
        lambda inner: (
            st.builds(Unary, st.sampled_from(UnaryOp), inner)
            | st.builds(Binary, st.sampled_from(BinaryOp), inner, inner)
            | st.builds(Extend, inner, st.integers(1, 64), st.booleans())
            | st.builds(Select, inner, inner, inner)
        ),
        max_leaves=4,
    )


def operations(
    objects: tuple[str, ...], channels: tuple[Channel, ...], spawnable: tuple[str, ...]
) -> SearchStrategy[Operation]:
    """Every kind of operation that these declarations allow."""
    expr = expressions(objects)
    # A constant address would fix the size of the access; a register leaves it free.
    place = st.builds(Register, registers) | st.builds(Binary, st.just(BinaryOp.ADD), expr, expr)
    access = {"address": place, "size": sizes}
    kinds: list[SearchStrategy[Operation]] = [
        st.builds(
            Load, register=registers, signed=st.booleans(), tags=tags, exclusive=st.booleans(), **access
        ),
        st.builds(Store, value=expr, tags=tags, exclusive=st.booleans(), **access),
        st.builds(StoreConditional, status=registers, value=expr, tags=tags, carries=st.booleans(), **access),
        st.builds(
            Rmw,
            register=registers,
            value=expr,
            condition=st.just(TRUE) | expr,
            signed=st.booleans(),
            read_tags=tags,
            write_tags=tags,
            failed_tags=st.none() | tags,
            **access,
        ),
        st.builds(Fence, tags, st.none() | place),
        st.builds(Set, registers, expr),
        st.builds(Assume, expr),
        st.builds(Assert, expr, st.text(max_size=8)),
        st.builds(Choose, registers, expr, expr),
        st.builds(Lock, tags=tags, **access),
        st.builds(Unlock, tags=tags, **access),
    ]
    kinds += [st.builds(Spawn, st.just(name)) | st.builds(Join, st.just(name)) for name in spawnable]
    for channel in channels:
        values, targets = (expr,) * channel.width, (registers,) * channel.width
        kinds.append(st.builds(Send, st.just(channel.name), st.tuples(*values)))
        kinds.append(st.builds(Receive, st.just(channel.name), st.tuples(*targets)))
    return st.one_of(kinds)


def formulas(terms: SearchStrategy[Term], objects: tuple[str, ...]) -> SearchStrategy[Formula]:
    """Formulas with conjunctions and disjunctions of any number of parts, also none and one."""
    values: SearchStrategy[int | Address | Term] = integers | terms
    if objects:
        values |= addresses(objects)
    return st.recursive(
        st.builds(Compare, terms, st.sampled_from(Comparison), values),
        lambda inner: (
            st.builds(And, st.lists(inner, max_size=3).map(tuple))
            | st.builds(Or, st.lists(inner, max_size=3).map(tuple))
            | st.builds(Not, inner)
            | st.builds(Implies, inner, inner)
        ),
        max_leaves=4,
    )


@st.composite
def _objects(draw: DrawFn) -> tuple[MemoryObject, ...]:
    known = tuple(draw(st.lists(names, min_size=1, max_size=3, unique=True)))
    value: SearchStrategy[Value] = integers | addresses(known)
    found = []
    for name in known:
        count = draw(st.integers(1, 3))
        found.append(
            MemoryObject(
                name=name,
                size=draw(sizes),
                count=count,
                signed=draw(st.booleans()),
                initial=tuple(draw(st.lists(value, max_size=count))),
                is_array=draw(st.booleans()),
            )
        )
    return tuple(found)


@st.composite
def _edge(draw: DrawFn, expr: SearchStrategy[Expr], operation: SearchStrategy[Operation]) -> Edge:
    point = st.integers(0, 4)
    return Edge(
        source=draw(point),
        target=draw(point),
        operations=tuple(draw(st.lists(operation, max_size=3))),
        guard=draw(st.just(TRUE) | expr),
        unordered=draw(st.booleans()),
    )


@st.composite
def _condition(draw: DrawFn, objects: tuple[MemoryObject, ...], threads: int) -> FinalCondition:
    kinds: list[SearchStrategy[Term]] = [
        st.builds(
            FinalCell, st.just(item.name), st.integers(0, item.count - 1), st.integers(1, 64), st.booleans()
        )
        | st.builds(FinalCell, st.just(item.name))
        for item in objects
    ]
    kinds.append(
        st.builds(FinalRegister, st.integers(0, threads - 1), registers, st.integers(1, 64), st.booleans())
    )
    terms = st.one_of(kinds)
    formula = formulas(terms, tuple(item.name for item in objects))
    observed = st.builds(Observed, terms, names, st.none() | names) | terms.map(lambda t: Observed(t, "0:r0"))
    return FinalCondition(
        quantifier=draw(st.sampled_from(Quantifier)),
        formula=draw(formula),
        observed=tuple(draw(st.lists(observed, max_size=3))),
        filter=draw(st.none() | formula),
    )


@st.composite
def any_programs(draw: DrawFn) -> Program:
    """Well-formed Programs, of every construct."""
    objects = draw(_objects())
    known = tuple(item.name for item in objects)
    channel_names = draw(st.lists(names, max_size=1))
    channels = tuple(
        Channel(name, draw(st.integers(0, 2)), draw(st.integers(0, 2))) for name in channel_names
    )
    thread_names = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    spawned = tuple(thread_names[1:]) if draw(st.booleans()) else ()
    operation = operations(known, channels, spawned)
    threads = []
    for index, name in enumerate(thread_names):
        own = operations(known, channels, ()) if index else operation
        edges = draw(st.lists(_edge(expressions(known), own), max_size=3))
        if index == 0 and spawned:
            starts = tuple(Spawn(other) for other in spawned)
            edges.append(Edge(source=3, target=4, operations=starts))
        labels = draw(
            st.lists(st.tuples(st.integers(0, 4), names), max_size=2, unique_by=lambda label: label[1])
        )
        joins = draw(
            st.lists(
                st.tuples(st.integers(0, 4), st.integers(0, 4)), max_size=2, unique_by=lambda pair: pair[0]
            )
        )
        initial: SearchStrategy[tuple[str, Value]] = st.tuples(registers, integers | addresses(known))
        threads.append(
            Thread(
                name=name,
                entry=draw(st.integers(0, 4)),
                edges=tuple(edges),
                registers=tuple(draw(st.lists(initial, max_size=2, unique_by=lambda pair: pair[0]))),
                started=name not in spawned,
                labels=tuple(labels),
                joins=tuple(joins),
            )
        )
    return Program(
        name=draw(names),
        language=draw(st.sampled_from(["X86", "Program", "C", "my own"])),
        objects=objects,
        threads=tuple(threads),
        channels=channels,
        condition=draw(st.none() | _condition(objects, len(threads))),
    )
