"""What the translation of a C program knows about the program as a whole: objects, scopes, threads.

An *object* is the storage of a variable. A local variable whose address never leaves its thread lives in the
thread's registers (its scalars are the variables of `Flow`); all others are shared memory. Which of the two
it is shows only at the end: an object whose address turns up in a step *escapes*, and the translation begins
again with that object in memory.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NoReturn, TypeAlias

from pycparser import c_ast as ast

from membar.diagnostics import error
from membar.languages.c import codes, heap
from membar.languages.c import types as t
from membar.languages.c.flow import Key
from membar.languages.c.parse import Tree
from membar.languages.c.values import known
from membar.program.expr import Expr
from membar.program.program import Value as Initial
from membar.source import Span

FUNCTIONS_AT: Final = 0x5555_4000_0001
"""Where the addresses of functions begin: no object lies there, and nothing is said of their alignment."""
FUNCTION_STEP: Final = 16
DEAD: Final = "dead"
RECURSION: Final = 16
"""How often a function may be inside itself."""
_MOST_RECURSIVE_CALLS: Final = 1000


class DepthError(Exception):
    """Functions that call themselves more than once: their calls cannot be followed that deeply."""


LITERAL: Final = "string@"
"""How labels of string literals begin."""


@dataclass(eq=False, slots=True)
class Object:
    """The storage of one variable.

    Attributes:
        label: its name in addresses; no other object has it.
        name: what reports call it.
        type: with its size known.
        declared: the declaration, which escapes as a whole.
        in_memory: whether other threads may see it.
        is_local: it lives only as long as its block, its thread, or the call that it is a parameter of.
        is_global: it is there from the beginning, under its own name.
        is_pointed_to: its address was taken.
        users: the numbers of the threads that name it.
        initial: its scalars at the start, by offset; for objects that are there from the beginning.
        places: offset → size of its scalars.
        kinds: offset → their types.
        slot: where in the heap it lies, if it was allocated, or if the end of its life must be noticed.
        is_thread_local: it stands for one object per thread.
        call: the number of the call that allocated it.
        unset: where it was declared without a value, if it is a local variable in memory.
        carved: what larger scalars lie in its bytes: offset and size → type (`arenas.py`).
        byte_runs: where it has arrays of bytes.
        is_text: it is a string of the text, which nothing is carved out of.
    """

    label: str
    name: str
    type: t.CType
    declared: Hashable
    in_memory: bool
    is_local: bool = False
    is_global: bool = False
    is_pointed_to: bool = False
    span: Span | None = None
    users: set[int] = field(default_factory=set)
    initial: dict[int, Initial] = field(default_factory=dict)
    places: dict[int, int] = field(default_factory=dict)
    kinds: dict[int, t.CType] = field(default_factory=dict)
    slot: heap.Slot | None = None
    is_thread_local: bool = False
    call: int = 0
    unset: heap.Place | None = None
    carved: Mapping[tuple[int, int], t.CType] = field(default_factory=dict)
    byte_runs: tuple[range, ...] = ()
    is_text: bool = False

    def leaves(self) -> list[t.Leaf]:
        """The scalars of the type, and arrays of scalars, with what is carved out of arrays of bytes."""
        return t.carved(t.leaves(self.type), self.carved) if self.carved else list(t.leaves(self.type))

    @property
    def is_literal(self) -> bool:
        """Whether it is the text of a literal, which nobody may change."""
        return self.label.startswith(LITERAL)

    def lay_out(self) -> None:
        """Finds the scalars of the type."""
        leaves = list(t.leaves(self.type))
        self.byte_runs = t.byte_runs(leaves)
        self.kinds = dict(t.elements(t.carved(leaves, self.carved) if self.carved else leaves))
        self.places = {offset: t.size_of(kind) or 0 for offset, kind in self.kinds.items()}

    @property
    def death(self) -> Key:
        """The variable of the flow that says that it lives no longer."""
        return (DEAD, self.label)

    def key(self, offset: int) -> Key:
        """The variable of the flow for one of its scalars."""
        return ("object", self.label, offset, self.name)


@dataclass(frozen=True, slots=True)
class Defined:
    """A function with a body."""

    name: str
    node: ast.FuncDef
    type: t.Function
    number: int

    @property
    def address(self) -> int:
        """What a pointer to it holds."""
        return _code_at(self.number)


def _code_at(number: int) -> int:
    """The address of a function that is defined at that place among all."""
    return FUNCTIONS_AT + FUNCTION_STEP * number


@dataclass(frozen=True, slots=True)
class Declared:
    """A function without a body: of a library, or nobody's."""

    name: str
    type: t.Function


@dataclass(frozen=True, slots=True)
class Named:
    """A typedef."""

    type: t.CType


@dataclass(frozen=True, slots=True)
class Enumerator:
    """A constant of an enumeration."""

    number: int


Symbol: TypeAlias = Object | Defined | Declared | Named | Enumerator


class Scope:
    """Names, innermost block first. Tags of structures have a name space of their own."""

    def __init__(self, outer: Scope | None = None, block: int = 0) -> None:
        self.outer = outer
        self.block = block  # the syntax that opens it
        self.locals: list[Object] = []  # that live until it is left
        self.symbols: dict[str, Symbol] = {}
        self.tags: dict[str, t.CType] = {}
        # Structures by the syntax that declares them: several variables may share it.
        self.structures: dict[int, t.Structure] = {}

    def find(self, name: str) -> Symbol | None:
        """What a name means here."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.symbols:
                return scope.symbols[name]
            scope = scope.outer
        return None

    def find_tag(self, tag: str) -> t.CType | None:
        """The structure or enumeration with a tag."""
        scope: Scope | None = self
        while scope is not None:
            if tag in scope.tags:
                return scope.tags[tag]
            scope = scope.outer
        return None

    def names(self) -> Iterator[str]:
        """Every name that means something here."""
        scope: Scope | None = self
        while scope is not None:
            yield from scope.symbols
            scope = scope.outer


@dataclass(frozen=True, slots=True)
class Within:
    """The union that a place lies in, and how far from its beginning; `is_member`: it is a member itself."""

    union: t.Structure
    offset: int
    is_member: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where an object of type `type` (with `_Atomic`, if it has it) lies, and in which union."""

    address: Expr
    type: t.CType
    within: Within | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """Where `break` or `continue` leads, and the scope there."""

    exit: int
    scope: Scope


@dataclass(eq=False, slots=True)
class Frame:
    """One call of a function: where its `return` leads, its labels, its `break` and `continue`."""

    function: str
    result: t.CType
    returns: int
    key: Key
    caller: Scope
    labels: dict[str, int] = field(default_factory=dict)
    done_labels: set[str] = field(default_factory=set)
    breaks: list[Target] = field(default_factory=list)
    continues: list[Target] = field(default_factory=list)
    cases: list[dict[int, int]] = field(default_factory=list)
    repeated: dict[str, int] = field(default_factory=dict)
    blocks_of_labels: dict[str, frozenset[int]] = field(default_factory=dict)
    locals: list[Object] = field(default_factory=list)

    def copied(self) -> Frame:
        """The call as it is now."""
        found = replace(self)
        found.become(self)
        return found

    def become(self, other: Frame) -> None:
        """What was built of the call is what `other` says."""
        self.labels, self.done_labels = dict(other.labels), set(other.done_labels)
        self.breaks, self.continues = list(other.breaks), list(other.continues)
        self.cases, self.repeated = list(other.cases), dict(other.repeated)
        self.locals = list(other.locals)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadPlan:
    """A thread that is created somewhere: its function and the argument it gets.

    Attributes:
        name: unique.
        number: `pthread_t`, from 1.
        function: what it runs.
        argument: a word that is known; None: it finds it in memory at `inbox`.
        inbox: the label of the object that carries the argument.
    """

    name: str
    number: int
    function: Defined
    argument: Expr | None
    inbox: str = ""
    is_c11: bool = False
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Untyped:
    """Memory that was allocated without a type: how large it is, by which call, and its objects."""

    size: int
    call: int
    labels: tuple[str, ...]


class LearntError(Exception):
    """A pass cannot go on without something that the next one knows from its beginning."""


@dataclass(slots=True)
class Findings:
    """What one pass over the program learns that the next one must know.

    Attributes:
        escaped: declarations whose objects must be in memory.
        threads: how many threads there are.
        needs_results: somebody asks for what a thread returns.
        owners_in_memory: mutexes are reached through pointers, so that memory must say who holds them.
        free_places: calls of `free`, by their syntax.
        malloc_places: calls that allocate, by their syntax.
        local_places: declarations of local variables in memory that say no value, by their syntax.
        ends: declarations of variables the end of whose life must be noticed.
        end_places: where in the text their lives end.
        freeings: what the threads free, and when.
        layouts: the type of what a call allocates, by its syntax.
        pools: calls that allocate in loops, with the number of their thread.
        slots: the shape of every allocated object, by label, in the order in which they were met.
        is_reused: some call may allocate memory that was freed before.
        waiters: the threads that wait for condition variables.
        spurious: calls at which a thread may wake up for no reason once, with the number of the thread.
        frees_beside: memory may be freed, or a variable may end, while another thread runs.
        keys: the functions for what threads leave behind under each key of their own; empty: none.
        follows_memory: what memory holds matters for the translation (`contents.py`).
        trusts_memory: pointers of other threads are taken to change nothing of that.
        outside: what the world outside gives that matters for what the program does (`library/outside.py`).
        tells_leaks: memory that is never freed is told, since `main` has joined all threads at its end.
        made: what other threads leave of what they allocated, by label: the cell, which of its bits, and the
            word if it is always the same.
        blurs: small scalars are set to what only the execution knows (`marks.py`).
        mutex_kinds: there are mutexes that are recursive, or say that they are held.
        usage_line: where `main` ends with a failure in any case, as it is run without arguments; 0: nowhere.
        written: labels and offsets of what threads write, with their numbers, while memory is followed.
        reached: numbers of threads, labels of objects in which they write at places that only the execution
            knows, and sizes of these; no label: any object whose address is somewhere.
        exposed: labels of objects whose addresses are somewhere.
        shown_calls: calls that allocate what other threads may see, by their syntax.
        carved: what larger scalars lie in arrays of bytes, by declaration (`arenas.py`).
        counted: loops that create threads, or join them, any number of times: a few turns are written out.
        enders: threads that are joined or detached, with those that do so.
    """

    escaped: set[Hashable] = field(default_factory=set)
    threads: int = 1
    needs_results: bool = False
    owners_in_memory: bool = False
    free_places: dict[int, heap.Place] = field(default_factory=dict)
    malloc_places: dict[int, heap.Place] = field(default_factory=dict)
    local_places: dict[int, heap.Place] = field(default_factory=dict)
    ends: set[Hashable] = field(default_factory=set)
    end_places: dict[Hashable, heap.Place] = field(default_factory=dict)
    freeings: set[heap.Freeing] = field(default_factory=set)
    layouts: dict[int, t.CType] = field(default_factory=dict)
    pools: set[tuple[int, int]] = field(default_factory=set)
    slots: dict[str, heap.Slot] = field(default_factory=dict)
    is_reused: bool = False
    waiters: set[int] = field(default_factory=set)
    spurious: set[tuple[int, int]] = field(default_factory=set)
    frees_beside: bool = False
    keys: tuple[str, ...] = ()
    follows_memory: bool = False
    outside: set[str] = field(default_factory=set)
    tells_leaks: bool = False
    made: dict[str, tuple[str, int, int | None]] = field(default_factory=dict)
    blurs: bool = False
    mutex_kinds: bool = False
    usage_line: int = 0
    written: set[tuple[int, str, int]] = field(default_factory=set)
    trusts_memory: bool = False
    reached: set[tuple[int, str, int]] = field(default_factory=set)
    exposed: set[str] = field(default_factory=set)
    shown_calls: set[int] = field(default_factory=set)
    carved: dict[Hashable, Mapping[tuple[int, int], t.CType]] = field(default_factory=dict)
    counted: set[int] = field(default_factory=set)
    enders: set[tuple[int, int]] = field(default_factory=set)

    def joined(self, other: Findings) -> Findings:
        """What both know; `other` is later, and knows the heap as it is."""
        return Findings(
            self.escaped | other.escaped,
            max(self.threads, other.threads),
            self.needs_results or other.needs_results,
            self.owners_in_memory or other.owners_in_memory,
            self.free_places | other.free_places,
            self.malloc_places | other.malloc_places,
            self.local_places | other.local_places,
            self.ends | other.ends,
            self.end_places | other.end_places,
            self.freeings | other.freeings,
            other.layouts | self.layouts,
            self.pools | other.pools,
            other.slots,
            self.is_reused or other.is_reused,
            self.waiters | other.waiters,
            self.spurious | other.spurious,
            self.frees_beside or other.frees_beside,
            other.keys,
            self.follows_memory or other.follows_memory,
            self.outside | other.outside,
            other.tells_leaks,
            other.made,
            self.blurs or other.blurs,
            self.mutex_kinds or other.mutex_kinds,
            max(self.usage_line, other.usage_line),
            self.written | other.written,
            self.trusts_memory or other.trusts_memory,
            self.reached | other.reached,
            self.exposed | other.exposed,
            self.shown_calls | other.shown_calls,
            {
                key: {**other.carved.get(key, {}), **self.carved.get(key, {})}
                for key in {**self.carved, **other.carved}
            },
            self.counted | other.counted,
            self.enders | other.enders,
        )

    @property
    def shapes(self) -> dict[heap.Shape, int]:
        """How many slots of each shape there are."""
        found: dict[heap.Shape, int] = {}
        for slot in self.slots.values():
            found[slot.shape] = found.get(slot.shape, 0) + 1
        return found


@dataclass(eq=False)
class World:
    """The program as a whole, during one pass."""

    tree: Tree
    before: Findings
    after: Findings = field(default_factory=Findings)
    scope: Scope = field(default_factory=Scope)
    objects: dict[str, Object] = field(default_factory=dict)
    functions: dict[int, Defined] = field(default_factory=dict)
    plans: list[ThreadPlan] = field(default_factory=list)
    untyped: dict[str, Untyped] = field(default_factory=dict)
    pools: dict[tuple[int, int], tuple[str, ...]] = field(default_factory=dict)
    alignments: dict[int, int] = field(default_factory=dict)  # of calls that ask for one
    unfollowed_allocations: set[int] = field(default_factory=set)  # lines
    ends_beside_threads: bool = False  # the process may end while threads run, and leaks are not looked for
    unmarked: set[int] = field(default_factory=set)  # lines of memory that does not say whether it was set
    keys: list[str] = field(default_factory=list)
    # What pointers to places in arrays of bytes point to, by label and offset.
    views: dict[str, dict[int, t.CType]] = field(default_factory=dict)
    thread_locals: list[Object] = field(default_factory=list)
    has_bytes: bool = False
    is_kernel: bool = False
    # Any number of threads (`copies.py`), and the thread that stands for all of them.
    is_any: bool = False
    copied: ThreadPlan | None = None
    # How often a function may be inside itself; a deeper call is cut, and the verdict says so.
    recursion: int = RECURSION
    recursive_calls: int = 0
    arguments: tuple[str, ...] | None = None  # what the user gives the program

    def enter_again(self) -> None:
        """A function that is being called calls itself once more.

        Raises:
            DepthError: there are so many such calls that fewer of them must be inside one another.
        """
        self.recursive_calls += 1
        if self.recursive_calls > _MOST_RECURSIVE_CALLS and self.recursion > 1:
            raise DepthError

    @property
    def has_heap(self) -> bool:
        """Whether anything is allocated, as far as is known."""
        return bool(self.before.slots) or bool(self.after.malloc_places)

    def allocated(self) -> dict[str, heap.Slot]:
        """The allocated objects so far."""
        return {label: item.slot for label, item in self.objects.items() if item.slot is not None}

    def shape_number(self, shape: heap.Shape) -> int:
        """Which of the regions of the heap is that of a shape."""
        shapes = list(self.before.shapes)
        return shapes.index(shape) if shape in shapes else len(shapes)

    def place_of_call(self, node: ast.Node, line: int, *, is_free: bool) -> heap.Place:
        """The number of a call of `free`, or of one that allocates."""
        known = self.before.free_places if is_free else self.before.malloc_places
        found = self.after.free_places if is_free else self.after.malloc_places
        number = len({**known, **found}) + 1
        place = known.get(id(node)) or found.get(id(node)) or heap.Place(number, line)
        found[id(node)] = place
        return place

    def place_of_local(self, node: ast.Node, line: int) -> heap.Place:
        """The number of a declaration without a value."""
        known, found = self.before.local_places, self.after.local_places
        number = len({**known, **found}) + 1
        place = known.get(id(node)) or found.get(id(node)) or heap.Place(number, line)
        found[id(node)] = place
        return place

    def address_of(self, name: str) -> int | None:
        """The address of a function, maybe one that is defined later; None if it has no body."""
        number = self.tree.bodies.get(name)
        return None if number is None else _code_at(number)

    def place_of_end(self, span: Span) -> heap.Place:
        """The number of a place where lives of variables end."""
        known, found = self.before.end_places, self.after.end_places
        key = (span.path, span.line)
        number = len({**known, **found}) + 1
        place = known.get(key) or found.get(key) or heap.Place(number, span.line)
        found[key] = place
        return place

    def function_at(self, address: Expr) -> Defined | None:
        """The function with an address."""
        number = known(address)
        return None if number is None else self.functions.get(number)

    def new_object(self, item: Object) -> Object:
        """Registers an object, under a label that is free."""
        if item.label in self.objects:
            count = self._free_number(item.label)
            item.name, item.label = f"{item.name}#{count}", f"{item.label}#{count}"
        item.carved = self.before.carved.get(item.declared, {})
        item.lay_out()
        self.has_bytes = self.has_bytes or (bool(item.byte_runs) and not item.is_text)
        self.objects[item.label] = item
        return item

    def _free_number(self, label: str) -> int:
        """The first number that no object of a label has: they are given in turn, and the last go first."""
        step = 2
        while f"{label}#{step}" in self.objects:
            step *= 2
        taken, free = step // 2, step  # the label by itself is number 1
        while free - taken > 1:
            middle = (taken + free) // 2
            taken, free = (middle, free) if f"{label}#{middle}" in self.objects else (taken, middle)
        return free

    def refuse(self, span: Span | None, what: str, code: str = codes.UNSUPPORTED, help: str = "") -> NoReturn:  # noqa: A002 - the word users see
        """Stops the translation.

        Raises:
            InputError: always.
        """
        if code == codes.UNSUPPORTED:
            what = f"{what}: not supported"
        place = span if span is not None else self.tree.text.span(0, 1)
        raise error(code, what, place, help=help or None)
