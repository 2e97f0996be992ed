"""Most general clients: all programs with some threads, each of which makes some calls.

A client is a choice of calls for each thread. Threads that may make the same calls are interchangeable, so
only one arrangement of their calls is generated, unless an operation receives the number of the calling
thread. The threads of many clients are written into one C text, which is read once; a client's program
consists of the threads it needs. A text has at most `MOST_BODIES` threads: if all clients together have
more, they are read in batches.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement, product
from typing import Final, TypeAlias

from membar.objects.annotations import Choice, Kind, ObjectNotes, Operation
from membar.objects.history import Call
from membar.objects.orders import CALL, DONE, RESULT, CallPosition
from membar.program.operations import Spawn
from membar.program.program import Edge, Program, Thread
from membar.records import record, replace
from membar.source import ADDED_THREAD, SourceFile

THREADS_MACRO: Final = "MEMBAR_THREADS"
CALLS_MACRO: Final = "MEMBAR_CALLS"
"""Macros that tell the text how many threads there are, and how many calls they make in all."""
_MARK: Final = "__membar_mark"  # a primitive of code IR
_IS_VOID: Final = "MEMBAR_IS_VOID"
_OWN_MAIN: Final = "main=membar_own_main"
MOST_BODIES: Final = 63
"""How many threads one C text may create besides `main`."""


@record(frozen=True, slots=True)
class Size:
    """The size of clients."""

    threads: int
    calls: int  # of each thread

    @property
    def total(self) -> int:
        """How many calls a client makes."""
        return self.threads * self.calls

    @property
    def text(self) -> str:
        """`2 threads with at most 3 operations each`."""
        return f"{_plural(self.threads, 'thread')} with at most {_plural(self.calls, 'operation')} each"


@record(frozen=True, slots=True)
class PlannedCall:
    """A call that a thread makes.

    Attributes:
        operation: what is called.
        inputs: the values of its `fresh` and ranging arguments.
        number: which call of the client it is, from 0.
    """

    operation: Operation
    inputs: tuple[int, ...]
    number: int


Body: TypeAlias = tuple[PlannedCall, ...]
"""The calls of one thread, one after the other."""
Bodies: TypeAlias = tuple[tuple[Body, ...], ...]
"""For each thread of a client, what it may do."""


@record(frozen=True, slots=True)
class Client:
    """A client: the calls of each thread."""

    bodies: tuple[Body, ...]

    @property
    def calls(self) -> tuple[Call, ...]:
        """The calls, thread by thread, without results."""
        return tuple(
            Call(thread=number, operation=planned.operation.name, arguments=planned.inputs)
            for number, body in enumerate(self.bodies)
            for planned in body
        )

    @property
    def text(self) -> str:
        """`push(1); pop() || pop(); pop()`."""
        texts = [[call.text for call in self.calls if call.thread == n] for n in range(len(self.bodies))]
        return " || ".join("; ".join(mine) for mine in texts)


def number_of_clients(notes: ObjectNotes, size: Size) -> int:
    """How many clients of a size there are."""
    sequences = [len(_choices(notes, number)) ** size.calls for number in range(size.threads)]
    if _are_alike(notes, size):
        return math.comb(sequences[0] + size.threads - 1, size.threads)
    return math.prod(sequences)


def _are_alike(notes: ObjectNotes, size: Size) -> bool:
    """Whether threads are interchangeable: they may make the same calls, and do not get their own number."""
    if any(item.kind is Kind.THREAD for operation in notes.operations for item in operation.parameters):
        return False
    return len({_choices(notes, number) for number in range(size.threads)}) == 1


def clients(notes: ObjectNotes, size: Size) -> Iterator[Client]:
    """Every client of a size, up to renaming of interchangeable threads."""
    bodies = bodies_of(notes, size)
    if not _are_alike(notes, size):
        yield from map(Client, product(*bodies))
        return
    for chosen in combinations_with_replacement(range(len(bodies[0])), size.threads):
        yield Client(tuple(mine[which] for mine, which in zip(bodies, chosen, strict=True)))


def bodies_of(notes: ObjectNotes, size: Size) -> Bodies:
    """The possible bodies of each thread of a client of a size."""
    fresh = max(_count_fresh_arguments(operation) for operation in notes.operations)
    unused = [notes.first_fresh + number * fresh for number in range(size.total)]
    return tuple(
        tuple(
            tuple(
                _plan_call(operation, values, thread * size.calls + index, unused)
                for index, (operation, values) in enumerate(chosen)
            )
            for chosen in product(_choices(notes, thread), repeat=size.calls)
        )
        for thread in range(size.threads)
    )


class Batches:
    """Bodies in batches that fit into one C file; each client is within one of them."""

    def __init__(self, bodies: Bodies) -> None:
        fits = sum(map(len, bodies)) <= MOST_BODIES
        self._length = max(map(len, bodies)) if fits else max(1, MOST_BODIES // len(bodies))
        self._bodies = bodies
        self._places = [{body: index for index, body in enumerate(mine)} for mine in bodies]

    def __iter__(self) -> Iterator[Bodies]:
        starts = [range(0, len(mine), self._length) for mine in self._bodies]
        return map(self.at, product(*starts))

    def number_of(self, client: Client) -> tuple[int, ...]:
        """The number of the batch that a client is within: where the bodies of each thread begin."""
        places = [mine[body] for mine, body in zip(self._places, client.bodies, strict=True)]
        return tuple(place // self._length * self._length for place in places)

    def at(self, number: Sequence[int]) -> Bodies:
        """The batch with a number."""
        return tuple(
            mine[start : start + self._length] for mine, start in zip(self._bodies, number, strict=True)
        )


def _choices(notes: ObjectNotes, thread: int) -> tuple[tuple[Operation, Choice], ...]:
    """The calls that a thread may make, with values for the arguments that are not fresh."""
    return tuple(
        (operation, values)
        for operation in notes.operations
        if operation.threads is None or thread in operation.threads
        for values in operation.choices
    )


def _count_fresh_arguments(operation: Operation) -> int:
    return sum(item.kind is Kind.FRESH for item in operation.parameters)


def _plan_call(operation: Operation, values: Choice, number: int, unused: Sequence[int]) -> PlannedCall:
    """A call; `unused` are the first fresh numbers of each call."""
    fresh = itertools.count(unused[number])
    inputs = tuple(next(fresh) if value is None else value for value in values)
    return PlannedCall(operation, inputs, number)


@record(frozen=True, slots=True)
class Compiled:
    """Clients of an object: their threads as one program, by body and number in a client."""

    program: Program
    names: dict[tuple[int, Body], str]

    def of(self, client: Client) -> tuple[Program, tuple[CallPosition, ...]]:
        """The program of one client, and where its calls are."""
        callers = [self.names[number, body] for number, body in enumerate(client.bodies)]
        renamed = {name: f"T{number}" for number, name in enumerate(callers)}
        by_name = {thread.name: thread for thread in self.program.threads}
        threads = [replace(by_name[name], name=renamed[name]) for name in callers]
        main = _spawning(by_name["main"], renamed)
        if all(isinstance(item, Spawn) for item in main.operations):
            first, started = 0, tuple(replace(thread, started=True) for thread in threads)
        else:
            first, started = 1, (main, *threads)
        places = tuple(
            CallPosition(first + number, index)
            for number, body in enumerate(client.bodies)
            for index in range(len(body))
        )
        return replace(self.program, threads=started), places


def _spawning(main: Thread, renamed: Mapping[str, str]) -> Thread:
    """The initial thread, without spawns of threads that a client does not have."""

    def keep_spawns(edge: Edge) -> Edge:
        operations = [
            Spawn(renamed[item.thread]) if isinstance(item, Spawn) else item
            for item in edge.operations
            if not isinstance(item, Spawn) or item.thread in renamed
        ]
        return replace(edge, operations=tuple(operations))

    return replace(main, edges=tuple(keep_spawns(edge) for edge in main.edges))


def client_text(
    source: SourceFile, notes: ObjectNotes, size: Size, bodies: Bodies
) -> tuple[SourceFile, dict[tuple[int, Body], str]]:
    """The text with a thread for each of the bodies, and the names of these threads."""
    names = {
        key: f"{ADDED_THREAD}{index}"
        for index, key in enumerate((number, body) for number, mine in enumerate(bodies) for body in mine)
    }
    functions = [_function(name, number, body) for (number, body), name in names.items()]
    begin = [f"  {notes.begin}();"] if notes.begin else []
    created = [f"  pthread_create(&membar_handle, 0, {name}, 0);" for name in names.values()]
    tail = [
        "#undef main",
        "#include <pthread.h>",
        f"void {_MARK}(const char *, long long);",
        f"#define {_IS_VOID}(call) __builtin_types_compatible_p(__typeof__(call), void)",
        *functions,
        "int main(void) {",
        "  pthread_t membar_handle;",
        *begin,
        *created,
        "  pthread_exit(0);",
        "}",
    ]
    defines = (f"{THREADS_MACRO}={size.threads}", f"{CALLS_MACRO}={size.total}", _OWN_MAIN)
    text = source.text + ("" if source.text.endswith("\n") else "\n") + "\n".join(tail) + "\n"
    return replace(source, text=text, defines=(*source.defines, *defines)), names


def _function(name: str, thread: int, body: Body) -> str:
    lines = [f"static void *{name}(void *membar_unused) {{"]
    for index, planned in enumerate(body):
        outs = [f"membar_out_{index}_{at}" for at in range(_count_outputs(planned.operation))]
        lines += [f"  int {out} = 0;" for out in outs]
        called = f"{planned.operation.name}({', '.join(_call_arguments(planned, thread, outs))})"
        is_void = f"{_IS_VOID}({called})"
        lines += [
            f'  {_MARK}("{CALL}{index}", 1);',
            f"  if ({is_void}) (void)({called});",
            f'  else {_MARK}("{RESULT}{index}.0", (long long)__builtin_choose_expr({is_void}, 0, {called}));',
        ]
        # A result of the function is the first, if there is one.
        lines += [
            f'  {_MARK}({is_void} ? "{RESULT}{index}.{at}" : "{RESULT}{index}.{at + 1}", {out});'
            for at, out in enumerate(outs)
        ]
        lines.append(f'  {_MARK}("{DONE}{index}", 1);')
    return "\n".join([*lines, "  return 0;", "}"])


def _count_outputs(operation: Operation) -> int:
    return sum(item.kind is Kind.OUT for item in operation.parameters)


def _call_arguments(planned: PlannedCall, thread: int, outs: Sequence[str]) -> Iterator[str]:
    inputs, results = iter(planned.inputs), iter(outs)
    for item in planned.operation.parameters:
        match item.kind:
            case Kind.FRESH | Kind.VALUES:
                yield str(next(inputs))
            case Kind.CALL:
                yield str(planned.number)
            case Kind.THREAD:
                yield str(thread)
            case Kind.OUT:
                yield f"&{next(results)}"


def _plural(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
