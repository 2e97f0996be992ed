"""A C file → a Program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import PurePath
from typing import Final

from pycparser import c_ast as ast

from membar.diagnostics import Diagnostic, InputError, Label
from membar.languages.c import codes, constraints, contents, copies, heap, invocation, marks
from membar.languages.c import types as t
from membar.languages.c.addresses import exactly, mapped
from membar.languages.c.calls import Calls, Library
from membar.languages.c.declarations import ANY
from membar.languages.c.expressions import Expressions
from membar.languages.c.flow import TooLargeError
from membar.languages.c.length import check_length
from membar.languages.c.library import (
    allocating,
    atomics,
    conditions,
    gcc,
    kernel,
    keys,
    leaks,
    mutexes,
    outside,
    strings,
    sync,
    text,
    threads,
    variadic,
    verifier,
    written,
)
from membar.languages.c.library import heap as heap_library
from membar.languages.c.machine import Machine
from membar.languages.c.outliving import outliving
from membar.languages.c.parse import Tree, parse
from membar.languages.c.statements import Statements
from membar.languages.c.values import Aggregate, Slot, Value, converted
from membar.languages.c.world import (
    RECURSION,
    Defined,
    DepthError,
    Findings,
    LearntError,
    Object,
    ThreadPlan,
    World,
)
from membar.limits.budget import stage
from membar.program.allocations import allocations_checked
from membar.program.dependencies import expressions_of
from membar.program.expr import FALSE, Address, Expr, Register, addresses_of
from membar.program.meeting import meeting_points
from membar.program.operations import Join, Load, Operation, Store
from membar.program.program import Edge, MemoryObject, Program, Thread
from membar.program.program import Value as Initial
from membar.program.template import Template
from membar.program.warnings import CHECKED_LEAKS, LOOK
from membar.source import SourceFile

LANGUAGE: Final = "C"
KERNEL_LANGUAGE: Final = "LKMM"
MAIN: Final = "main"
_LIBRARY: Final[dict[str, Library]] = {
    **atomics.FUNCTIONS,
    **gcc.FUNCTIONS,
    **threads.FUNCTIONS,
    **verifier.FUNCTIONS,
    **heap_library.FUNCTIONS,
    **allocating.FUNCTIONS,
    **sync.FUNCTIONS,
    **conditions.FUNCTIONS,
    **keys.FUNCTIONS,
    **mutexes.FUNCTIONS,
    **strings.FUNCTIONS,
    **text.FUNCTIONS,
    **outside.FUNCTIONS,
    **variadic.FUNCTIONS,
    **written.FUNCTIONS,
}
_KERNEL_LIBRARY: Final[dict[str, Library]] = {
    **threads.FUNCTIONS,
    **verifier.FUNCTIONS,
    **heap_library.FUNCTIONS,
    **allocating.FUNCTIONS,
    **strings.FUNCTIONS,
    **text.FUNCTIONS,
    **outside.FUNCTIONS,
    **variadic.FUNCTIONS,
    **written.FUNCTIONS,
    **kernel.FUNCTIONS,
}
_MOST_PASSES: Final = 64
_PAGE: Final = 0x1000
_LIFE: Final = ((0, 0, "no"), (1, 0xFFFF_FFFF, "yes"))


def parse_c(source: SourceFile) -> Program:
    """The program of a C file.

    Raises:
        InputError: the text is no C, or C that membar does not know.
    """
    return _translated(source, is_any=False)[0]


def parse_copies(source: SourceFile, macro: str) -> Template:
    """The program of a C file that creates as many threads as `macro` says, which is any number.

    Raises:
        InputError: the text is no C, C that membar does not know, or does not create them.
    """
    copies.check_directives(source, macro)
    defines = tuple(item for item in source.defines if item.split("=", 1)[0] != macro)
    text = replace(source, defines=(*defines, f"{macro}={ANY}"))
    program, world, objects = _translated(text, is_any=True)
    if world.copied is None:
        copies.nothing_copied(source, macro)
    assert world.copied is not None
    return Template(program=program, copied=world.copied.name, per_thread=objects)


def _translated(source: SourceFile, *, is_any: bool) -> tuple[Program, World, frozenset[str]]:
    tree = parse(source)
    depth = RECURSION
    try:
        constraints.check(tree, _KERNEL_LIBRARY if tree.text.is_kernel else _LIBRARY)
        while True:
            try:
                with stage("while the calls and loops of the program were written out"):
                    return _passes(tree, source, is_any=is_any, depth=depth)
            except DepthError:
                depth //= 2
    except TooLargeError as problem:
        message = str(problem) or "the program is too large after its calls and loops were written out"
        raise InputError(Diagnostic(code=codes.TOO_LARGE, message=message)) from None
    except RecursionError:
        raise InputError(
            Diagnostic(code=codes.TOO_LARGE, message="the program is nested too deeply")
        ) from None


def _passes(
    tree: Tree, source: SourceFile, *, is_any: bool, depth: int
) -> tuple[Program, World, frozenset[str]]:
    """Translates the program until nothing new is learnt; functions are inside themselves `depth` times."""
    known = Findings()
    for _ in range(_MOST_PASSES):
        world = World(tree, known, is_kernel=tree.text.is_kernel, is_any=is_any, recursion=depth)
        world.arguments = source.arguments
        building = _Pass(world, source)
        try:
            program = building.program()
        except LearntError:
            known = known.joined(world.after)
            continue
        found = known.joined(world.after)
        if found == known:
            ends = known.ends | outliving(world, building.machines)
            if ends != known.ends:
                known = replace(known, ends=ends)
                continue
            check_length(program)
            return program, world, building.per_thread
        known = found
    raise InputError(
        Diagnostic(code=codes.TOO_LARGE, message="what the program allocates could not be found out")
    )


class _Pass:
    """One translation of the whole program."""

    def __init__(self, world: World, source: SourceFile) -> None:
        self.world = world
        self.source = source
        self.per_thread: frozenset[str] = frozenset()
        self.machines: list[Machine] = []

    def program(self) -> Program:
        world = self.world
        self._globals()
        main = world.scope.symbols.get(MAIN)
        if not isinstance(main, Defined):
            raise InputError(
                Diagnostic(
                    code=codes.NAME,
                    message="there is no function `main`",
                    primary=Label(world.tree.text.span(0, 1), "expected `int main(void)`"),
                )
            )
        machines = [self._thread(ThreadPlan(name=MAIN, number=1, function=main, argument=FALSE))]
        done = 0
        while done < len(world.plans):
            if done >= 64:
                raise InputError(
                    Diagnostic(
                        code=codes.THREADS,
                        message="more than 64 threads are created",
                        primary=Label(world.plans[done].span, "here") if world.plans[done].span else None,  # type: ignore[arg-type] # guarded
                    )
                )
            before = set(world.objects)
            machines.append(self._thread(world.plans[done]))
            if world.plans[done] is world.copied:
                created = [item for label, item in world.objects.items() if label not in before]
                copies.check_private(created, world.copied)
            done += 1
        self.machines = machines
        world.after.threads = 1 + len(world.plans)
        world.after.outside.update(
            hint
            for hint in (outside.NUMBERS, outside.TEXT)
            if any(outside.matters(item, hint) for item in machines)
        )
        world.after.shown_calls.update(call for item in machines for call in heap_library.shown_calls(item))
        if world.before.follows_memory:
            world.after.exposed.update(self._exposed(machines))
        world.after.slots = world.allocated()
        world.after.keys = tuple(world.keys)
        self._escapes(machines)
        return self._assembled(machines)

    # Declarations

    def _globals(self) -> None:
        world = self.world
        machine, _ = self._machine("main", 1)
        expressions = Expressions(machine)
        for node in world.tree.root.ext:
            if isinstance(node, ast.FuncDef):
                self._function(node, expressions)
            else:
                expressions.declarations.declare(node, is_global=True)

    def _function(self, node: ast.FuncDef, expressions: Expressions) -> None:
        world = self.world
        if node.param_decls:
            expressions.m.refuse(node, "an old-style function definition")
        kind = expressions.declarations.type_of(node.decl.type)
        if not isinstance(kind, t.Function):
            expressions.m.refuse(node, f"`{node.decl.name}` has a body, but is no function", codes.TYPE)
        before = world.scope.symbols.get(node.decl.name)
        if isinstance(before, Defined | Object):
            expressions.m.refuse(node, f"`{node.decl.name}` is defined twice", codes.NAME)
        function = Defined(node.decl.name, node, kind, world.tree.bodies[node.decl.name])
        world.scope.symbols[node.decl.name] = function
        world.functions[function.address] = function

    # Threads

    def _machine(self, name: str, number: int) -> tuple[Machine, Calls]:
        calls = Calls(_KERNEL_LIBRARY if self.world.is_kernel else _LIBRARY)
        return Machine(self.world, name=name, number=number, call=calls), calls

    def _thread(self, plan: ThreadPlan) -> Machine:
        machine, calls = self._machine(plan.name, plan.number)
        calls.e = Expressions(machine)
        calls.s = Statements(machine, calls.e)
        calls.into(machine)
        node = plan.function.node
        machine.begin_handles()
        machine.begin_copies()
        for number in range(len(self.world.before.keys)):
            machine.flow.put(keys.key_of(number + 1), Slot(FALSE))
        leaks.begin(machine)
        waits = [call for number, call in self.world.before.spurious if number == plan.number]
        machine.flow.put_all({conditions.spurious_key(call): Slot(FALSE) for call in waits})
        arguments = self._arguments(machine, plan)
        value = calls.enter(machine, plan.function, arguments, node.decl, is_used=False)
        if plan.number > 1 and self.world.before.needs_results:
            self._keep_result(machine, plan, value)
        if plan.number > 1:
            keys.leave(machine, node.decl)
            leaks.leave(machine, node.decl)
            machine.end_copies(self.world.tree.closing(node.body))
        else:
            leaks.check(machine, node.decl)
        machine.flow.cut()
        if machine.block is not None:
            self.world.refuse(machine.block.span, "an atomic block that is not closed", codes.ATOMIC_BLOCK)
        return machine

    def _arguments(self, machine: Machine, plan: ThreadPlan) -> list[Value | Aggregate]:
        kinds = plan.function.type.parameters or ()
        if plan.number == 1:
            return invocation.arguments(machine, plan.function, PurePath(self.source.path).stem)
        if plan.argument is not None:
            return [Value(plan.argument, t.VOID_POINTER) for _ in kinds]
        register = machine.flow.register()
        machine.flow.emit(
            Load(register=register, address=Address(plan.inbox), size=8, tags=threads.plain(machine)),
            plan.span,
        )
        return [Value(Register(register), t.VOID_POINTER) for _ in kinds]

    def _keep_result(self, machine: Machine, plan: ThreadPlan, value: Value | Aggregate) -> None:
        label = threads.result_label(plan.number)
        self.world.new_object(
            Object(
                label=label,
                name=f"{plan.name}.result",
                type=t.ULONG,
                declared=("result", plan.number),
                in_memory=True,
                span=plan.span,
            )
        )
        if isinstance(value, Value) and t.is_scalar(value.type):
            word = converted(value, t.ULONG).expr
            machine.flow.emit(
                Store(address=Address(label), value=word, size=8, tags=threads.plain(machine)), plan.span
            )

    # Which objects are in memory

    def _exposed(self, machines: list[Machine]) -> Iterator[str]:
        """The labels of objects that pointers may lead to."""
        for machine in machines:
            yield from contents.exposed(machine)
        for item in self.world.objects.values():
            yield from (value.name for value in item.initial.values() if isinstance(value, Address))
        for plan in self.world.plans:
            if plan.argument is not None:
                yield from (part.name for part in addresses_of(plan.argument))

    def _escapes(self, machines: list[Machine]) -> None:
        world = self.world
        used = {
            address.name
            for machine in machines
            for expr in _expressions(machine)
            for address in addresses_of(expr)
        }
        for item in world.objects.values():
            if item.in_memory:
                used |= {value.name for value in item.initial.values() if isinstance(value, Address)}
        for plan in world.plans:
            if isinstance(plan.argument, Address):
                used.add(plan.argument.name)
        copied = 0 if world.copied is None else world.copied.number
        used |= {
            label
            for label, item in world.objects.items()
            if item.is_global and (len(item.users) > 1 or copied in item.users)
        }
        for label in used:
            found = world.objects.get(label)
            if found is not None and not found.in_memory:
                world.after.escaped.add(found.declared)

    # The result

    def _assembled(self, machines: list[Machine]) -> Program:
        world = self.world
        names = {1: MAIN} | {plan.number: plan.name for plan in world.plans}
        places = _Places(world)
        self.per_thread = frozenset(places.per_thread)
        built = []
        for machine in machines:
            edges = tuple(_finished(edge, names, places) for edge in machine.flow.edges)
            number = machine.number
            plan = None if number == 1 else world.plans[number - 2]
            built.append(
                Thread(
                    name=names[number],
                    entry=0,
                    edges=edges,
                    started=number == 1,
                    joins=meeting_points(edges) if world.is_kernel else (),
                    exits=_exits(machine),
                    span=plan.span if plan else None,
                )
            )
        return Program(
            name=PurePath(self.source.path).stem,
            language=KERNEL_LANGUAGE if world.is_kernel else LANGUAGE,
            objects=tuple(places.objects),
            threads=tuple(built),
            ends_memory=world.after.frees_beside,
            partly_checked=(
                *allocations_checked(world.unfollowed_allocations),
                *marks.settings_checked(world.unmarked),
                *((CHECKED_LEAKS,) if world.ends_beside_threads and world.allocated() else ()),
            ),
            notes=invocation.notes_on_usage(world),
        )


def _exits(machine: Machine) -> frozenset[int]:
    """Where the process ends: at the end of `main`, unless `pthread_exit` ended only its thread."""
    is_main = machine.number == 1
    return frozenset({machine.flow.state.source} if is_main and machine.flow.state is not None else ())


def _expressions(machine: Machine) -> Iterator[Expr]:
    for edge in machine.flow.edges:
        yield edge.guard
        for operation in edge.operations:
            yield from expressions_of(operation)


def _finished(edge: Edge, names: dict[int, str], places: _Places) -> Edge:
    operations: list[Operation] = []
    for operation in edge.operations:
        if isinstance(operation, Join):
            number = int(operation.thread.removeprefix("@"))
            if number not in names:
                message = f"thread {number} is joined, but never created"
                label = Label(edge.span, "here") if edge.span else None
                raise InputError(Diagnostic(code=codes.THREADS, message=message, primary=label))
            operations.append(Join(names[number]))
        else:
            operations.append(exactly(operation, places.address))
    return replace(edge, operations=tuple(operations), guard=places.expression(edge.guard))


def _place(start: Address | None, parts: list[tuple[int, int, str]], offset: int) -> Address | None:
    """Where a scalar lies: in the heap, or in the first part of its object."""
    if start is not None:
        return Address(start.name, start.offset + offset)
    return Address(parts[0][2], offset - parts[0][0]) if parts else None


class _Places:
    """The memory of the program: each scalar, or array of scalars, is an object with a name of its own."""

    def __init__(self, world: World) -> None:
        self.objects: list[MemoryObject] = []
        self._parts: dict[str, list[tuple[int, int, str]]] = {}
        self._names: set[str] = set()
        self.per_thread: set[str] = set()
        self._is_aligned = world.tree.aligns_variables
        for item in world.objects.values():
            if item.in_memory and item.slot is None:
                self._add(item)
        self._add_heap(world)
        self.objects = [
            replace(item, initial=tuple(map(self.initial, item.initial))) for item in self.objects
        ]

    def _add_heap(self, world: World) -> None:
        """The regions of the heap: each a state per slot, and the objects behind them."""
        items = [item for item in world.objects.values() if item.slot is not None]
        if not items:
            return
        self._state(heap.NOWHERE, heap.NOWHERE, 0)
        if any(item.slot is not None and heap.has_small(item.slot.shape) for item in items):
            for thread, size in product(range(1, len(world.plans) + 2), (1, 2)):
                name = heap.apart(thread, size)
                self.objects.append(MemoryObject(name=name, size=size, signed=False, is_hidden=True))
                self._parts[name] = [(0, size, name)]
        for number, shape in enumerate(dict.fromkeys(item.slot.shape for item in items if item.slot)):
            label, stride = heap.region(number), heap.stride_of(shape)
            for item in items:
                if item.slot is not None and item.slot.shape == shape:
                    start = item.slot.index * stride
                    shown = self._free_name(item)
                    state = f"{shown}${'ended' if heap.is_local(shape) else 'freed'}"
                    self._state(label, state, start, heap.extent_of(shape)[1])
                    self._marks(label, number, item)
                    self._add(item, Address(self._parts[label][0][2], start + heap.HEADER), shown)

    def _state(self, label: str, name: str, offset: int, alignment: int = heap.ALIGNMENT) -> None:
        parts = self._parts.setdefault(label, [])
        place = Address(parts[0][2], offset) if parts else None
        self.objects.append(
            MemoryObject(
                name=name,
                size=heap.STATE_SIZE,
                signed=False,
                place=place,
                alignment=alignment,
                is_hidden=True,
                meanings=_LIFE,
            )
        )
        parts.append((offset, heap.STATE_SIZE, name))

    def _marks(self, label: str, number: int, item: Object) -> None:
        """The cells that say whether small scalars of a slot were set."""
        slot = item.slot
        assert slot is not None
        if not heap.has_small(slot.shape):
            return
        parts = self._parts[label]
        behind = slot.index * heap.stride_of(slot.shape) + heap.HEADER + heap.mark_of(slot.shape)
        for leaf in item.leaves():
            size = t.size_of(leaf.type) or 4
            if heap.has_mark(size):
                name = f"unset${number}[{slot.index}]{leaf.path}"
                count = 1 if leaf.count is None else max(leaf.count, 1)
                self.objects.append(
                    MemoryObject(
                        name=name,
                        size=size,
                        count=count,
                        signed=False,
                        initial=(int(not slot.is_zeroed),) * count,
                        place=Address(parts[0][2], behind + leaf.offset),
                        is_hidden=True,
                    )
                )
                parts.append((behind + leaf.offset, size * count, name))

    def _free_name(self, item: Object) -> str:
        """A name for an object that no other has."""
        shown, count = item.name, 1
        while shown in self._names:
            count += 1
            shown = f"{item.name}#{count}"
        self._names.add(shown)
        return shown

    def _add(self, item: Object, start: Address | None = None, shown: str = "") -> None:
        """Adds an object, `start` being its place in the heap; `shown` is a name that is free for it."""
        parts: list[tuple[int, int, str]] = []
        shown = shown or self._free_name(item)
        if isinstance(item.type, t.Array) and item.type.is_per_thread:
            self.per_thread.add(shown)
        for leaf in item.leaves():
            if leaf.count == 0 and start is not None:
                continue
            size = t.size_of(leaf.type) or 4
            count = 1 if leaf.count is None else max(leaf.count, 1)
            name = f"{shown}{leaf.path}"
            offsets = [leaf.offset + index * size for index in range(count)]
            kind = t.unqualified(leaf.type)
            self.objects.append(
                MemoryObject(
                    name=name,
                    size=size,
                    count=count,
                    signed=isinstance(kind, t.Integer) and kind.signed,
                    initial=tuple(item.initial.get(offset, 0) for offset in offsets),
                    is_array=leaf.count is not None,
                    place=_place(start, parts, leaf.offset),
                    alignment=_PAGE if self._is_aligned else t.alignment_of(item.type),
                    is_hidden=start is not None or item.label.startswith((LOOK, *invocation.LABELS)),
                    meanings=heap.meanings(size) if start is not None or item.unset is not None else (),
                    span=item.span,
                )
            )
            parts.append((leaf.offset, size * count, name))
        if not parts and start is not None:
            parts.append((-start.offset, 0, start.name))  # no bytes at all, but an address
        self._parts[item.label] = parts

    def address(self, address: Address) -> Address:
        """An address with the name of the very scalar it points to."""
        parts = self._parts.get(address.name, [])
        for start, size, name in parts:
            if start <= address.offset < start + size:
                return Address(name, address.offset - start)
        if not parts:
            return address
        return Address(parts[0][2], address.offset - parts[0][0])

    def expression(self, expr: Expr) -> Expr:
        """The same with exact addresses."""
        return mapped(expr, self.address)

    def initial(self, value: Initial) -> Initial:
        """An initial value with its exact address."""
        return self.address(value) if isinstance(value, Address) else value
