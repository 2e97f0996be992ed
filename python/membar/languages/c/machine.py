"""One thread of a C program while it is built: its values, and what lies at its places."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn, TypeAlias

from pycparser import c_ast as ast

from membar.languages.c import (
    arenas,
    bitfields,
    codes,
    contents,
    floats,
    heap,
    lifetimes,
    liveness,
    marks,
    parts,
    wholes,
)
from membar.languages.c import types as t
from membar.languages.c.flow import Flow, Mark
from membar.languages.c.values import (
    UNSET,
    Aggregate,
    B,
    OperandError,
    Slot,
    Value,
    binary,
    converted,
    extended,
    is_small,
    known,
)
from membar.languages.c.world import Defined, Frame, LearntError, Object, Place, Scope, World
from membar.program.expr import FALSE, TRUE, Address, Constant, Expr, Register
from membar.program.operations import Assert, Load, Store, Tags
from membar.source import Span

_FLOATS: Final = "floating-point numbers can be stored, copied and compared with others of their type"
MEMORY: Final = "memory"
"""The property that an access which goes wrong breaks."""


@dataclass(frozen=True, slots=True)
class Block:
    """An atomic block that is open: where it begins, and how many steps there were before."""

    point: int
    edges: int
    span: Span


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the building of a thread had come: `calls` were open, and `inside` is the innermost."""

    flow: Mark
    objects: dict[str, Object]
    plans: int
    scope: Scope
    loops: int
    block: Block | None
    memory_calls: int
    keys: int
    calls: int
    inside: Frame | None
    endings: int


Calling: TypeAlias = "Callable[[Machine, ast.FuncCall], Value | Aggregate]"


class Machine:
    """One thread on its way to an automaton."""

    def __init__(self, world: World, *, name: str, number: int, call: Calling) -> None:
        self.world = world
        self.name = name
        self.number = number
        self.flow = Flow()
        self.flow.watcher = contents.watcher(self)
        self.frames: list[Frame] = []
        self.scope = world.scope
        self.call = call
        self.loops = 0
        self.loop_nodes: list[int] = []  # the first `loops` of them are being built
        self.is_constant_only = False
        self.discarded: ast.Node | None = None  # the expression whose value nobody uses
        self.block: Block | None = None
        self.memory_calls = 0  # calls that allocate or free, so far
        self.endings: list[lifetimes.Ending] = []  # of variables in memory, so far
        self._deaths: dict[str, set[int]] = {}  # the lines where variables end
        self.type_of_expression: Callable[[ast.Node], t.CType]
        self.block_value: Callable[[ast.Compound], Value | Aggregate]
        self.enter: Callable[[Machine, Defined, Sequence[Value | Aggregate], ast.Node], Value | Aggregate]

    def mark(self) -> Progress:
        """Where the building of the thread is."""
        return Progress(
            self.flow.mark(),
            dict(self.world.objects),
            len(self.world.plans),
            self.scope,
            self.loops,
            self.block,
            self.memory_calls,
            len(self.world.keys),
            len(self.frames),
            self.frames[-1].copied() if self.frames else None,
            len(self.endings),
        )

    def back_to(self, mark: Progress) -> None:
        """Undoes everything since `mark`, which was taken in this call of a function, or in one around it."""
        self.flow.back_to(mark.flow)
        self.scope, self.loops = mark.scope, mark.loops
        self.block = mark.block
        self.memory_calls = mark.memory_calls
        del self.world.keys[mark.keys :], self.endings[mark.endings :]
        self.world.objects = dict(mark.objects)
        del self.world.plans[mark.plans :]
        del self.frames[mark.calls :]
        if mark.inside is not None:
            self.frames[-1].become(mark.inside)

    def count_loops(self) -> None:
        """Begins again with the loops around written out for a few turns, unless that is done already.

        Raises:
            LearntError: it is not done yet.
        """
        new = set(self.loop_nodes[: self.loops]) - self.world.before.counted
        if new:
            self.world.after.counted |= new
            raise LearntError

    # Talking

    def span(self, node: ast.Node) -> Span:
        """The user's text of a node."""
        return self.world.tree.span(node)

    def refuse(self, node: ast.Node, what: str, code: str = codes.UNSUPPORTED, help: str = "") -> NoReturn:  # noqa: A002 - the word users see
        """Stops the translation at a node.

        Raises:
            InputError: always.
        """
        self.world.refuse(self.span(node), what, code, help)

    def check(self, condition: Expr, message: str, node: ast.Node, *, kind: str = MEMORY) -> None:
        """A violation of property `kind` if `condition` is 0 here."""
        if condition == TRUE or self.flow.is_dead:
            return
        place = self.span(node)
        self.flow.emit(Assert(condition, f"{message} (line {place.line})", property=kind), place)

    # Values

    def converted(self, value: Value | Aggregate, kind: t.CType, node: ast.Node) -> Value:
        """A value as one of another type."""
        try:
            if isinstance(value, Value):
                plain = t.unqualified(kind)
                if isinstance(plain, t.Floating) or isinstance(value.type, t.Floating):
                    return floats.converted(value, plain)
                self._typed(value, plain)
                return converted(value, kind)
        except OperandError:
            pass
        except floats.NotKnownError:
            words = f"a `{t.spelled(value.type)}` as a `{t.spelled(t.unqualified(kind))}`"
            self.refuse(node, f"{words}, where it is not known before the program runs", help=_FLOATS)
        message = f"a value of type `{t.spelled(value.type)}` is no `{t.spelled(t.unqualified(kind))}`"
        self.refuse(node, message, codes.TYPE)

    def _typed(self, value: Value, kind: t.CType) -> None:
        """Memory that was allocated without a type gets that of the first pointer to it."""
        if not isinstance(kind, t.Pointer):
            return
        if self.world.has_bytes:
            arenas.view(self, value, kind.target)
        if not self.world.untyped:
            return
        name = value.expr.name if isinstance(value.expr, Address | Register) else ""
        found = self.world.untyped.get(name)
        each = t.size_of(kind.target)
        if found is None or each is None or not 0 < each <= found.size:
            return
        count = found.size // each
        rounded = kind.target if count == 1 else t.Array(kind.target, count)
        layout = t.of_size(kind.target, found.size) or rounded
        self.world.after.layouts.setdefault(found.call, layout)
        for label in found.labels:
            item = self.world.objects.get(label)
            if item is not None:
                item.type = layout
                item.lay_out()
                if item.slot is not None and not item.slot.is_zeroed:
                    item.initial = marks.first_values(self, item, item.call)
        del self.world.untyped[name]

    def kept(self, value: Value, node: ast.Node, hint: str = "") -> Value:
        """The value in a form that may be repeated."""
        if is_small(value.expr):
            return value
        return Value(self.flow.named(value.expr, self.span(node), hint), value.type)

    # Objects

    def object_at(self, address: Expr) -> Object | None:
        """The object that a known address points into."""
        item = self.world.objects.get(address.name) if isinstance(address, Address) else None
        if item is not None:
            item.users.add(self.number)
        return item

    def is_private(self, address: Expr) -> bool:
        """Whether only this thread can see what is there."""
        item = self.object_at(address)
        return item is not None and not item.in_memory

    def point_to(self, address: Expr) -> None:
        """Remembers that there is a pointer to an object."""
        item = self.object_at(address)
        if item is not None:
            item.is_pointed_to = True

    def begin_life(self, item: Object, *, is_set: bool = True) -> None:
        """A local variable lives from here on, and is set at once or not."""
        item.is_local = True
        self.scope.locals.append(item)
        if self.frames:
            self.frames[-1].locals.append(item)
        lifetimes.begin(self, item, is_set=is_set)

    def begin_handles(self) -> None:
        """Global variables that only one thread names are in its registers: what they hold at the start."""
        for item in self.world.objects.values():
            if not item.in_memory and item.is_global:
                held = (item.initial.get(offset, 0) for offset in item.places)
                slots = [Slot(value if isinstance(value, Address) else Constant(value)) for value in held]
                self.flow.put_all(dict(zip(map(item.key, item.places), slots, strict=True)))

    def own_copy(self, item: Object) -> Object:
        """This thread's own object of a thread-local variable."""
        label = f"{self.name}/{item.label}"
        found = self.world.objects.get(label)
        if found is not None:
            return found
        is_outside = item.is_global
        found = self.world.new_object(
            Object(
                label=label,
                name=f"{self.name}.{item.name}",
                type=item.type,
                declared=item.declared,
                in_memory=not is_outside or item.declared in self.world.before.escaped,
                span=item.span,
                initial=dict(item.initial),
            )
        )
        lifetimes.begin(self, found)
        return found

    def begin_copies(self) -> None:
        """What thread-local variables hold when the thread begins."""
        for template in self.world.thread_locals:
            if template.is_global:
                item = self.own_copy(template)
                held = (item.initial.get(offset, 0) for offset in item.places)
                slots = [Slot(value if isinstance(value, Address) else Constant(value)) for value in held]
                if not item.in_memory:
                    self.flow.put_all(dict(zip(map(item.key, item.places), slots, strict=True)))

    def leave_scopes(self, span: Span, kept: Callable[[Scope], bool] = lambda _: False) -> None:
        """Ends the lives in all scopes of this call of a function, up to the first that is `kept`."""
        scope: Scope | None = self.scope
        while scope is not None and scope is not self.world.scope and not kept(scope):
            self.end_lives(scope.locals, span)
            scope = scope.outer

    def end_copies(self, span: Span) -> None:
        """The thread ends, and its own objects of thread-local variables with it."""
        labels = [f"{self.name}/{template.label}" for template in self.world.thread_locals]
        self.end_lives((self.world.objects[label] for label in labels if label in self.world.objects), span)

    def leave_calls(self, span: Span) -> None:
        """Ends the lives in all calls of functions that this thread is in."""
        inner = self.scope
        for frame in reversed(self.frames):
            self.leave_scopes(span)
            self.scope = frame.caller
        self.scope = inner

    def end_lives(self, items: Iterable[Object], span: Span) -> None:
        """Local variables end; who still points to one must not use it."""
        # What was built and undone since has left its objects behind.
        ending = [item for item in items if self.world.objects.get(item.label) is item]
        lifetimes.end(self, ending, span)
        self.bury(ending, span)

    def bury(self, items: Iterable[Object], span: Span) -> None:
        """Forgets variables that have ended, at this place if it is not known where."""
        items = list(items)
        self.flow.forget(item.key(offset) for item in items if not item.in_memory for offset in item.places)
        pointed = [item for item in items if item.is_pointed_to and self.flow.get(item.death) is None]
        for item in pointed if not self.flow.is_dead else ():
            self._deaths.setdefault(item.label, set()).add(span.line)
        self.flow.put_all({item.death: Slot(TRUE) for item in pointed})

    def _is_buried(self, address: Expr, node: ast.Node) -> bool:
        """Whether the variable that an address is computed from has ended; then that is said."""
        item = liveness.base_of(self.world, address)
        if item is None or self.flow.get(item.death) is None:
            return False
        where = liveness.lines(self._deaths[item.label])
        self.check(FALSE, f"{liveness.ENDED}: `{item.name}`, which ended at {where}, is accessed", node)
        return True

    def is_bad(self, place: Place, node: ast.Node) -> bool:
        """Whether a known address is no location; then that is said, and nothing comes after."""
        if self.flow.is_dead:
            return True
        number = known(place.address)
        if number is not None:
            what = "a null pointer" if number == 0 else f"the number {number} as a pointer"
            self.check(FALSE, f"{what} is dereferenced", node)
            return True
        if self._is_buried(place.address, node):
            return True
        item = self.object_at(place.address)
        if item is None:
            liveness.check_inside(self, place.address, t.size_of(place.type) or 1, node)
            return self.flow.is_dead
        assert isinstance(place.address, Address)
        size = t.size_of(place.type)
        found = item.places.get(place.address.offset)
        if found is None and not 0 <= place.address.offset < (t.size_of(item.type) or 0):
            self.check(FALSE, f"an access outside `{item.name}`", node)
            return True
        if found is None and _is_never_aligned(item, place):
            self.check(FALSE, f"an access inside `{item.name}` by a pointer that is not aligned", node)
            return True
        if found != size:
            arenas.needed(self, item, place)
            self.refuse(
                node, f"an access of {size} bytes inside `{item.name}`, which is not one whole scalar"
            )
        return False

    def read(self, place: Place, node: ast.Node, tags: Tags | None = None) -> Value | Aggregate:
        """What lies at a place."""
        kind = t.unqualified(place.type)
        if isinstance(kind, t.Structure):
            return self._read_structure(place, kind, node, tags)
        if isinstance(kind, t.BitField):
            return bitfields.read(self, place, kind, node)
        if not t.is_scalar(kind):
            self.refuse(node, f"a value of type `{t.spelled(kind)}`", codes.TYPE)
        part = None if tags is not None or self.is_constant_only else parts.part_of(self, place)
        if part is not None:
            return parts.read(self, part, kind, node)
        if self.is_bad(place, node):
            return Value(FALSE, kind)
        if self.is_constant_only:
            self.refuse(node, "this is not known before the program runs", codes.CONSTANT)
        if self.is_private(place.address):
            return self._read_private(place, kind, node)
        item = self.object_at(place.address)
        if item is not None and item.is_literal and isinstance(place.address, Address):
            return Value(extended(_initial(item, place.address.offset), t.CHAR), kind)
        found = self.read_raw(place, kind, node, tags)
        liveness.check_found(self, place.address, found.expr, kind, node)
        marks.check_set(self, place, found.expr, node)
        parts.check_whole(self, place, found, node)
        return contents.read(self, place, found, node) if tags is None else found

    def read_raw(self, place: Place, kind: t.CType, node: ast.Node, tags: Tags | None = None) -> Value:
        """What lies in memory at a place, whatever that says."""
        size = t.size_of(kind)
        assert size is not None
        register = self.flow.register()
        is_signed = isinstance(kind, t.Integer) and kind.signed
        self.flow.emit(
            Load(
                register=register,
                address=place.address,
                size=size,
                signed=is_signed,
                tags=self.tags_of(place) if tags is None else tags,
            ),
            self.span(node),
        )
        return Value(Register(register), kind)

    def _read_private(self, place: Place, kind: t.CType, node: ast.Node) -> Value:
        item = self.object_at(place.address)
        assert item is not None
        assert isinstance(place.address, Address)
        slot = self.flow.get(item.key(place.address.offset)) or UNSET
        self.check(parts.are_all_set(slot), f"`{item.name}` is read before it was set", node)
        if slot.defined != TRUE:
            self.flow.put(item.key(place.address.offset), Slot(slot.expr))
        return Value(_reread(slot.expr, item.kinds[place.address.offset], kind), kind)

    def _read_structure(
        self, place: Place, kind: t.Structure, node: ast.Node, tags: Tags | None
    ) -> Aggregate:
        if isinstance(place.type, t.Atomic):
            return wholes.read(self, place, node, tags)
        found: list[tuple[int, Slot]] = []
        for offset, kind_ in self.scalars(kind):
            inner = Place(self.moved(place.address, offset), kind_, parts.inside(place, offset))
            item = self.object_at(inner.address)
            if item is not None and not item.in_memory and isinstance(inner.address, Address):
                found.append((offset, self._held(item, inner)))
            else:
                found.append((offset, self.read_part(inner, node)))
        return Aggregate(kind, tuple(found))

    def _held(self, item: Object, place: Place) -> Slot:
        """What a variable in registers holds at a place, set or not."""
        assert isinstance(place.address, Address)
        part = parts.part_of(self, place)
        if part is not None:
            return parts.held(self, item, part, t.unqualified(place.type))
        return self.flow.get(item.key(place.address.offset)) or UNSET

    def read_part(self, place: Place, node: ast.Node) -> Slot:
        """A scalar that is copied: it need not have been set."""
        kind = t.unqualified(place.type)
        part = parts.part_of(self, place)
        if part is not None:
            return parts.copied(self, part, kind, node)
        if self.is_bad(place, node):
            return Slot(FALSE)
        if self.is_constant_only:
            self.refuse(node, "this is not known before the program runs", codes.CONSTANT)
        found = self.read_raw(place, kind, node).expr
        liveness.check_found(self, place.address, found, kind, node, may_be_unset=True)
        defined = liveness.is_set(self, place.address, found, kind)
        if defined == TRUE:
            defined = marks.is_set(self, place, found, node)
        return Slot(found, parts.set_bytes(place, found, defined))

    def scalars(self, kind: t.CType) -> list[tuple[int, t.CType]]:
        """The scalars of a type, each with its offset."""
        return list(t.scalars(kind))

    def moved(self, address: Expr, offset: int) -> Expr:
        """An address some bytes further."""
        return binary(B.ADD, address, Constant(offset))

    def write(self, place: Place, value: Value | Aggregate, node: ast.Node, tags: Tags | None = None) -> None:
        """Puts a value, converted, at a place."""
        kind = t.unqualified(place.type)
        if isinstance(kind, t.Structure):
            self._write_structure(place, kind, value, node, tags)
            return
        new = self.kept(self.converted(value, kind, node), node)
        if isinstance(kind, t.BitField):
            bitfields.write(self, place, kind, new, node)
            return
        part = parts.part_of(self, place) if tags is None else None
        if part is not None:
            parts.write(self, part, new, place, node)
            return
        if self.is_bad(place, node):
            return
        item = self.object_at(place.address)
        if item is not None and item.is_literal:
            self.check(FALSE, "the text of a literal is changed", node)
            return
        if item is not None and not item.in_memory and isinstance(place.address, Address):
            stored = _reread(new.expr, kind, item.kinds[place.address.offset])
            self.flow.put(item.key(place.address.offset), Slot(stored))
            return
        size = t.size_of(kind)
        assert size is not None
        liveness.check_lives(self, place.address, node)
        marks.set_mark(self, place, new.expr, node)
        self.flow.emit(
            Store(
                address=place.address,
                value=new.expr,
                size=size,
                tags=self.tags_of(place) if tags is None else tags,
            ),
            self.span(node),
        )
        contents.written(self, place, new)

    def _write_structure(
        self, place: Place, kind: t.Structure, value: Value | Aggregate, node: ast.Node, tags: Tags | None
    ) -> None:
        if not isinstance(value, Aggregate) or value.type is not kind:
            self.refuse(
                node, f"a value of type `{t.spelled(value.type)}` is no `{t.spelled(kind)}`", codes.TYPE
            )
        if isinstance(place.type, t.Atomic):
            wholes.write(self, place, value, node, tags)
            return
        kinds = dict(self.scalars(kind))
        for offset, slot in value.parts:
            inner = Place(self.moved(place.address, offset), kinds[offset], parts.inside(place, offset))
            item = self.object_at(inner.address)
            part = parts.part_of(self, inner)
            if item is None or item.in_memory or not isinstance(inner.address, Address):
                self.write(inner, Value(parts.stored(kinds[offset], slot), kinds[offset]), node)
            elif part is not None:
                parts.hold(self, item, part, slot)
            else:
                self.flow.put(item.key(inner.address.offset), slot)

    def tags_of(self, place: Place) -> Tags:
        """The ordering words of an access that the program writes without any."""
        if isinstance(place.type, t.Atomic) or (self.block is not None and not self.world.is_kernel):
            return frozenset({"SC"})
        return frozenset() if self.world.is_kernel else frozenset({"NA"})

    def place_of_value(self, value: Value | Aggregate, node: ast.Node) -> Place:
        """A place with a structure that a call returned."""
        item = self.world.new_object(
            Object(
                label=f"{self.name}/value",
                name="value",
                type=value.type,
                declared=("value", id(node)),
                in_memory=("value", id(node)) in self.world.before.escaped,
                span=self.span(node),
            )
        )
        place = Place(Address(item.label), value.type)
        self.write(place, value, node)
        return place


def _initial(item: Object, offset: int) -> Expr:
    """What a scalar of an object holds at the start."""
    content = item.initial.get(offset, 0)
    return Constant(content) if isinstance(content, int) else content


def _is_never_aligned(item: Object, place: Place) -> bool:
    """Whether a place inside an object is not aligned for its type, wherever the object lies."""
    wanted = t.alignment_of(place.type)
    is_variable = item.slot is None or bool(item.slot.thread)
    given = t.alignment_of(item.type) if is_variable else heap.ALIGNMENT
    offset = place.address.offset if isinstance(place.address, Address) else 0
    return given % wanted == 0 and offset % wanted != 0


def _reread(expr: Expr, stored: t.CType, seen: t.CType) -> Expr:
    """The bits of a value as one of another type of the same size (a union, a cast pointer)."""
    source, target = t.unqualified(stored), t.unqualified(seen)
    if isinstance(source, t.Integer) and isinstance(target, t.Integer) and source.signed != target.signed:
        return extended(expr, target)
    return expr
