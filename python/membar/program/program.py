"""`Program`: threads as control-flow automata over registers, with shared memory between them.

Input languages build a `Program`; engines run it. Nothing here depends on a language or an engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from membar.program.expr import TRUE, Address, Expr
from membar.program.operations import NO_TAGS, Operation, Tags
from membar.records import field, record

if TYPE_CHECKING:
    from membar.program.condition import FinalCondition
    from membar.program.predicate import StatePredicate
    from membar.program.temporal import Claim, LabelClaim
    from membar.source import Span

Value: TypeAlias = int | Address

# Addresses fit in 31 bits, so that they survive 32-bit registers, and do not look like data.
FIRST_ADDRESS = 0x5A10_0000
GUARD = 0x1000
# Where objects lie whose alignment is known: no 32 bits hold such an address, and no more of its low bits are
# 0 than the alignment says.
FIRST_ALIGNED = 0x5555_5A10_0000
# The same in programs whose pointers have 32 bits.
FIRST_NEAR = 0x6A10_0000


@record(frozen=True, slots=True, kw_only=True)
class MemoryObject:
    """A named scalar (`count` 1) or array in shared memory.

    Attributes:
        name: as the user wrote it.
        size: bytes of one element: 1, 2, 4 or 8. Only whole elements are accessed.
        count: number of elements.
        signed: how a value is shown.
        initial: one value per element; shorter tuples are filled up with 0.
        is_array: shown with an index even if `count` is 1.
        place: where it lies inside another object, a structure say; None: apart from all others.
        alignment: a power of two up to a page, of which its address is an odd multiple; 0: does not matter.
        is_near: its address fits in 31 bits, whatever its alignment.
        is_hidden: final states do not show it (memory that no variable names).
        is_pair: its words stand for two numbers (`program/wide_cells.py`).
        meanings: first and last of values that mean something, and what, for reports.
    """

    name: str
    size: int = 4
    count: int = 1
    signed: bool = True
    initial: tuple[Value, ...] = ()
    is_array: bool = False
    place: Address | None = None
    alignment: int = field(default=0, compare=False)
    is_near: bool = field(default=False, compare=False)
    is_hidden: bool = field(default=False, compare=False)
    is_pair: bool = field(default=False, compare=False)
    meanings: tuple[tuple[int, int, str], ...] = field(default=(), compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)

    def meaning(self, value: int) -> str | None:
        """The special meaning of a value, such as uninitialised; None for a number or an address."""
        return next((word for first, last, word in self.meanings if first <= value <= last), None)


@record(frozen=True, slots=True, kw_only=True)
class Edge:
    """One step of a thread from control point `source` to `target`.

    It can be taken when `guard` is not 0, and does its operations in order, as one step. `unordered`
    says that its memory accesses are not in program order among themselves (a load-pair instruction).
    `unexplored` names what the language did not write out, if it stands for that: then it leads nowhere.

    Of the edges of a control point, those of the smallest `rank` of which one can be taken are the
    alternatives: the others wait as if their guards were closed. What only waits for store buffers can be
    taken. An edge that receives from a channel without room competes, by rank, only with those that can
    receive the same message. An `idle` edge can be taken only where nothing else can happen in the whole
    program.
    """

    source: int
    target: int
    operations: tuple[Operation, ...] = ()
    guard: Expr = TRUE
    unordered: bool = False
    rank: int = 0
    idle: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)
    unexplored: str = field(default="", compare=False, repr=False)


@record(frozen=True, kw_only=True)
class Thread:
    """A control-flow automaton. A control point without outgoing edges is final.

    Attributes:
        name: `P0`, or the user's function name.
        entry: the control point it starts at.
        edges: all steps; those of one control point are alternatives (several open guards: a free choice).
        registers: initial values; a register not listed starts at 0.
        started: runs from the beginning; otherwise a `Spawn` starts it.
        labels: names of control points, for reports, LTL and `--error`.
        ends: control points where it may stay forever: a thread that waits there is not in a deadlock.
        exits: final control points at which the whole process ends, as where `main` returns: nobody else is
            in a deadlock then, or waits forever.
        joins: pairs of a branch and the point where its paths meet again, for languages in which its guards
            decide (`ctrl`) only what lies between the two. Those of other branches decide all that follows.
        committed: control points that must be left first: while some thread is at one of its own, only
            threads at such points move (DVE). Stores on their way to memory do not wait for that.
        atomic: control points inside an atomic block (Promela): while some thread is at one of its own,
            nothing else happens, in buffers neither, and nobody looks at the state: no predicate, no
            claim. What it sends without room in between it can send to anybody.
    """

    name: str
    entry: int
    edges: tuple[Edge, ...]
    registers: tuple[tuple[str, Value], ...] = ()
    started: bool = True
    labels: tuple[tuple[int, str], ...] = ()
    ends: frozenset[int] = frozenset()
    exits: frozenset[int] = frozenset()
    joins: tuple[tuple[int, int], ...] = ()
    committed: frozenset[int] = frozenset()
    atomic: frozenset[int] = frozenset()
    span: Span | None = field(default=None, compare=False, repr=False)

    @property
    def operations(self) -> Iterator[Operation]:
        """Every operation, edge by edge."""
        return (operation for edge in self.edges for operation in edge.operations)

    @cached_property
    def outgoing(self) -> Mapping[int, tuple[Edge, ...]]:
        """The edges that leave each control point, in the order of `edges`."""
        table: dict[int, list[Edge]] = {}
        for edge in self.edges:
            table.setdefault(edge.source, []).append(edge)
            table.setdefault(edge.target, [])
        table.setdefault(self.entry, [])
        return {point: tuple(edges) for point, edges in table.items()}

    @cached_property
    def back_edges(self) -> frozenset[int]:
        """Indices into `edges` that close a cycle in a depth-first walk from `entry`: one per loop."""
        if all(edge.source < edge.target for edge in self.edges):
            return frozenset()  # as languages number what has no loops
        indices: dict[int, list[int]] = {}
        for index, edge in enumerate(self.edges):
            indices.setdefault(edge.source, []).append(index)
        closing: set[int] = set()
        open_points, done = {self.entry}, set[int]()
        stack = [(self.entry, iter(indices.get(self.entry, ())))]
        while stack:
            point, rest = stack[-1]
            for index in rest:
                target = self.edges[index].target
                if target in open_points:
                    closing.add(index)
                elif target not in done:
                    open_points.add(target)
                    stack.append((target, iter(indices.get(target, ()))))
                    break
            else:
                stack.pop()
                open_points.discard(point)
                done.add(point)
        return frozenset(closing)


@record(frozen=True, slots=True)
class Channel:
    """A FIFO of messages between threads; capacity 0 is a rendezvous.

    A rendezvous is one step of two threads: the sender's operations up to its `Send`, then the receiver's
    whole edge, then the rest of the sender's edge.
    """

    name: str
    capacity: int
    width: int = 1


@record(frozen=True, kw_only=True)
class Program:
    """A closed concurrent program.

    Attributes:
        name: the test's or file's name.
        language: the language's name for it (`X86`, `AArch64`, `C`, …); for reports only.
        objects: shared memory.
        threads: all threads, including those that a `Spawn` starts.
        channels: message channels (DVE, Promela).
        condition: the question about final states that the text itself asks, if any.
        errors: states that must not be reached, each for the sake of some property.
        claims: what the text says of all runs: LTL formulas, never claims, property processes.
        label_claims: claims of its labels about them, if selected by name.
        guards_wait: a thread whose guards are all closed waits, which may be a deadlock (DVE); elsewhere
            guards are branches, of which one is open, or assumptions.
        goes_on_after_assertions: a run goes on where an assertion fails that nobody asks about (Promela);
            elsewhere it ends there.
        ends_memory: memory may end (C's `free`) while other threads run. Assertions say where it is used
            afterwards, as far as accesses happen where their threads make them
            (`questions/reordered_use_after_free.py`).
        is_joint: one thread stands for several processes that step together (DVE's `system sync`). They would
            share its store buffer, so only sc gives the program a meaning.
        partly_checked: properties that its assertions and marks ask only in part, each with that part; ""
            stands for every property.
        gaps: those of the things that are not followed (`Edge.unexplored`) that are no bound: if an execution
            comes there, nothing is known of the program.
        chosen_parts: those of these parts that the user chose, by an option or in the text.
        mixed_sizes: where accesses of one size go to shared memory that others access with another; they are
            made in pieces, which says nothing about processors that order them in ways of their own.
        possibly_mixed: those of them for which an index that is not known would have to be one of others.
        mixed_atomics: where the text of atomic accesses among these is: file, beginning and end. Each is one
            step with several accesses.
        notes: where the text may mean something else than its author expects, for reports.
        pointers: what is at an address, if reports write addresses as C does, `&nodes[1]`; None: by the name
            of the location alone.
    """

    name: str
    language: str
    objects: tuple[MemoryObject, ...]
    threads: tuple[Thread, ...]
    channels: tuple[Channel, ...] = ()
    condition: FinalCondition | None = None
    errors: tuple[StatePredicate, ...] = ()
    claims: tuple[Claim, ...] = ()
    label_claims: tuple[LabelClaim, ...] = field(default=(), compare=False)
    guards_wait: bool = field(default=False, compare=False)
    goes_on_after_assertions: bool = field(default=False, compare=False)
    ends_memory: bool = field(default=False, compare=False)
    is_joint: bool = field(default=False, compare=False)
    partly_checked: tuple[tuple[str, str], ...] = field(default=(), compare=False)
    gaps: frozenset[str] = field(default=frozenset(), compare=False)
    chosen_parts: tuple[str, ...] = field(default=(), compare=False)
    mixed_sizes: tuple[str, ...] = field(default=(), compare=False)
    mixed_atomics: frozenset[tuple[str, int, int]] = field(default=frozenset(), compare=False)
    possibly_mixed: frozenset[tuple[str, int, int]] = field(default=frozenset(), compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    pointers: tuple[tuple[Address, str], ...] | None = field(default=None, compare=False, repr=False)
    span: Span | None = field(default=None, compare=False, repr=False)

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """Every operation, thread by thread."""
        return tuple([item for thread in self.threads for edge in thread.edges for item in edge.operations])

    @cached_property
    def operation_kinds(self) -> frozenset[type[Operation]]:
        """The kinds of its operations."""
        return frozenset(map(type, self.operations))

    @cached_property
    def tags(self) -> Tags:
        """The ordering annotations of all its operations."""
        named = [getattr(item, name) or NO_TAGS for item in self.operations for name in item.TAGS]
        return NO_TAGS.union(*named)

    @cached_property
    def bases(self) -> Mapping[str, int]:
        """The address of each object. Objects are apart, so that a small overrun hits no other object.

        Those with a place lie there, and the object they belong to has room for them.
        """
        extent = {item.name: item.size * item.count for item in self.objects if item.place is None}
        for item in self.objects:
            if item.place is not None:
                end = item.place.offset + item.size * item.count
                extent[item.place.name] = max(extent[item.place.name], end)
        table: dict[str, int] = {}
        address, aligned = FIRST_ADDRESS, {False: FIRST_ALIGNED, True: FIRST_NEAR}
        for item in self.objects:
            if item.place is None and item.alignment:
                table[item.name] = aligned[item.is_near] + item.alignment
                aligned[item.is_near] += (extent[item.name] // (2 * GUARD) + 2) * 2 * GUARD
            elif item.place is None:
                table[item.name] = address
                address += (extent[item.name] // GUARD + 2) * GUARD
        for item in self.objects:
            if item.place is not None:
                table[item.name] = table[item.place.name] + item.place.offset
        return table

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Every element of every object, in order: the locations of models and engines."""
        cells: list[Cell] = []
        for item in self.objects:
            for index in range(item.count):
                value = item.initial[index] if index < len(item.initial) else 0
                cells.append(
                    Cell(
                        id=len(cells),
                        object=item,
                        index=index,
                        address=self.bases[item.name] + index * item.size,
                        initial=self.word(value) & ((1 << (8 * item.size)) - 1),
                    )
                )
        return tuple(cells)

    @cached_property
    def cell_at(self) -> Mapping[int, Cell]:
        """The cell that starts at an address."""
        return {cell.address: cell for cell in self.cells}

    @property
    def asks_about_states(self) -> bool:
        """Whether it asks about intermediate states, not only about final ones."""
        return bool(self.errors or self.claims)

    def object(self, name: str) -> MemoryObject:
        """The memory object called `name`."""
        return next(item for item in self.objects if item.name == name)

    def word(self, value: Value) -> int:
        """A constant or address as a 64-bit word."""
        if isinstance(value, Address):
            return self.bases[value.name] + value.offset
        return value & ((1 << 64) - 1)

    def name_of_address(self, word: int) -> str | None:
        """`word` as a value, if it is the address of something: as `name_at`, in C with `&` before it."""
        found = self.name_at(word)
        return found if found is None or self.pointers is None else f"&{found}"

    def name_at(self, word: int) -> str | None:
        """`x`, `v[1]` or `x+2` if `word` points into (or one past) an object, else None."""
        if word < FIRST_ADDRESS:  # nearly all values of nearly all programs
            return None
        cell = self.cell_at.get(word)
        found = self._pointed_at.get(word) or (None if cell is None else cell.name)
        if found is not None:
            return found
        for item in self.objects:
            offset = word - self.bases[item.name]
            if 0 <= offset <= item.size * item.count:
                return f"{item.name}+{offset}"
        return None

    @cached_property
    def _pointed_at(self) -> Mapping[int, str]:
        known = (
            (self.bases[at.name] + at.offset, name)
            for at, name in self.pointers or ()
            if at.name in self.bases
        )
        return dict(reversed([*known]))


@record(frozen=True, slots=True)
class Cell:
    """One element of a memory object: a location of the memory model."""

    id: int
    object: MemoryObject
    index: int
    address: int
    initial: int

    @property
    def name(self) -> str:
        """`x`, or `v[2]` for an array."""
        return f"{self.object.name}[{self.index}]" if self.object.is_array else self.object.name
