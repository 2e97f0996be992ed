"""Sequential specifications: plain Python classes, one method per operation.

A method performs the operation and returns what a call must return: nothing, a number, or a tuple of
numbers. It may raise `ImpossibleError` if the operation cannot happen in this state (a lock that is taken):
then calls of it wait. State is whatever the instance holds; it is compared by value. State of a user's class
that is kept elsewhere is an error as soon as it changes; so are methods that do not terminate, read a clock
or random numbers, or behave differently when called again in the same state.
"""

from __future__ import annotations

import copy
import importlib.util
import inspect
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Final, NoReturn, TypeAlias

from membar.diagnostics import refusal
from membar.objects.fingerprints import fingerprint
from membar.objects.hidden_state import Outside
from membar.objects.history import Result
from membar.objects.sandbox import (
    NondeterministicSpecError,
    SpecDoesNotTerminateError,
    SpecExitsError,
    run_watched,
)

State: TypeAlias = Hashable
"""The state of a specification, by value."""
EMPTY: Final = -1
"""What `Stack.pop` and `Queue.dequeue` return where there is nothing."""


class ImpossibleError(Exception):
    """The operation cannot happen in this state."""


class Register:
    """A variable."""

    def __init__(self) -> None:
        self.value = 0

    def read(self) -> int:
        """Its value."""
        return self.value

    def write(self, value: int) -> None:
        """Sets it."""
        self.value = value


class Counter:
    """A number that only grows."""

    def __init__(self) -> None:
        self.value = 0

    def increment(self) -> int:
        """Adds one; returns the old value."""
        self.value += 1
        return self.value - 1

    def read(self) -> int:
        """Its value."""
        return self.value


class Stack:
    """Last in, first out."""

    def __init__(self) -> None:
        self.items: list[int] = []

    def push(self, item: int) -> None:
        """Puts one on top."""
        self.items.append(item)

    def pop(self) -> int:
        """Takes the one on top, or `EMPTY`."""
        return self.items.pop() if self.items else EMPTY


class Queue:
    """First in, first out."""

    capacity: int | None = None

    def __init__(self) -> None:
        self.items: list[int] = []

    def enqueue(self, item: int) -> int | None:
        """Puts one at the end. With a capacity: whether there was room."""
        if self.capacity is None:
            self.items.append(item)
            return None
        has_room = len(self.items) < self.capacity
        if has_room:
            self.items.append(item)
        return int(has_room)

    def dequeue(self) -> int:
        """Takes the first one, or `EMPTY`."""
        return self.items.pop(0) if self.items else EMPTY


class Queue1(Queue):
    """A queue with room for one."""

    capacity = 1


class Queue2(Queue):
    """A queue with room for two."""

    capacity = 2


class Set:
    """A set of numbers."""

    def __init__(self) -> None:
        self.items: set[int] = set()

    def add(self, item: int) -> int:
        """Adds a number; returns whether it was absent."""
        is_new = item not in self.items
        self.items.add(item)
        return int(is_new)

    def remove(self, item: int) -> int:
        """Removes a number; returns whether it was present."""
        was_there = item in self.items
        self.items.discard(item)
        return int(was_there)

    def contains(self, item: int) -> int:
        """Whether the number is present."""
        return int(item in self.items)


class Lock:
    """A lock that one thread at a time holds."""

    def __init__(self) -> None:
        self.taken = False

    def acquire(self) -> None:
        """Waits until it is free, and takes it."""
        if self.taken:
            raise ImpossibleError
        self.taken = True

    def try_acquire(self) -> int:
        """Takes the lock if it is free; returns whether it was."""
        was_free = not self.taken
        self.taken = True
        return int(was_free)

    def release(self) -> None:
        """Makes it free."""
        self.taken = False


class SnapshotPair:
    """Two variables, written and read together."""

    def __init__(self) -> None:
        self.values = (0, 0)

    def write(self, first: int, second: int) -> None:
        """Sets both."""
        self.values = (first, second)

    def read(self) -> tuple[int, int]:
        """Both values."""
        return self.values


SHIPPED: Final[Mapping[str, type]] = MappingProxyType(
    {kind.__name__: kind for kind in
     (Register, Counter, Stack, Queue, Queue1, Queue2, Set, Lock, SnapshotPair)}
)  # fmt: skip


class Specification:
    """A class as a function from state and call to result and state; each pair is computed once."""

    def __init__(self, kind: Callable[[], object], *, outside: Outside | None = None) -> None:
        self.kind = kind
        self.name = getattr(kind, "__name__", "specification")
        self._outside = outside
        self._objects: dict[State, object] = {}
        self._steps: dict[tuple[State, str, tuple[int, ...]], tuple[Result, State] | None] = {}
        self._results: dict[str, int] = {}
        self.initial = self._remember(kind() if outside is None else run_watched(kind, outside.path))
        self._seen = None if outside is None else outside.fingerprints()

    def parameters(self, operation: str) -> int | None:
        """How many arguments an operation takes; None if there is no such operation, -1 for any number."""
        method = getattr(self.kind, operation, None)
        if operation.startswith("_") or not callable(method):
            return None
        found = list(inspect.signature(method).parameters.values())[1:]
        return -1 if any(item.kind is item.VAR_POSITIONAL for item in found) else len(found)

    def expect(self, operation: str, results: int) -> None:
        """Calls of an operation return so many values: so must the specification."""
        self._results[operation] = results

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations there are."""
        found = (name for name, _ in inspect.getmembers(self.kind, callable) if not name.startswith("_"))
        return tuple(sorted(found))

    def step(self, state: State, operation: str, arguments: tuple[int, ...]) -> tuple[Result, State] | None:
        """The result of a call and the state after it; None if it cannot happen now.

        Raises:
            InputError: the specification itself fails.
        """
        key = (state, operation, arguments)
        if key not in self._steps:
            self._steps[key] = self._apply(state, operation, arguments)
        found = self._steps[key]
        if found is not None and self._results.get(operation, _count(found[0])) != _count(found[0]):
            self._wrong_results(operation, found[0])
        return found

    def _wrong_results(self, operation: str, result: Result) -> NoReturn:
        """What was returned is not of the form that calls return.

        Raises:
            InputError: always.
        """
        expected = self._results[operation]
        values = "nothing" if not expected else f"{expected} value{'' if expected == 1 else 's'}"
        message = (
            f"the specification {self.name} returns {result} from {operation}, but calls return {values}"
        )
        raise refusal("W1350", message, help="a method must return what the operation returns")

    def _apply(self, state: State, operation: str, arguments: tuple[int, ...]) -> tuple[Result, State] | None:
        try:
            if self._outside is None:
                return self._call(copy.deepcopy(self._objects[state]), operation, arguments)
            return self._call_twice(state, operation, arguments, self._outside)
        except (Exception, SpecDoesNotTerminateError) as problem:
            called = f"{operation}({', '.join(map(str, arguments))})"
            wrong = str(problem) or type(problem).__name__
            raise refusal(
                "W1350",
                f"the specification {self.name} fails in {called}: {wrong}",
                help="a method must return nothing, a number or a tuple of numbers, for every argument",
            ) from None

    def _call_twice(
        self, state: State, operation: str, arguments: tuple[int, ...], outside: Outside
    ) -> tuple[Result, State] | None:
        """Calls a method of the user's class twice: it must depend on nothing but the state."""
        kept = self._objects[state]  # two copies at once: at two addresses
        copies = [run_watched(partial(copy.deepcopy, kept), outside.path) for _ in range(2)]
        first, second = (
            run_watched(partial(self._call, each, operation, arguments), outside.path) for each in copies
        )
        if self._seen is not None:
            outside.require(self._seen)
        if first != second:
            raise NondeterministicSpecError(
                f"it {_difference(first, second)}, called twice in the same state"
            )
        return first

    def _call(
        self, instance: object, operation: str, arguments: tuple[int, ...]
    ) -> tuple[Result, State] | None:
        try:
            returned = getattr(instance, operation)(*arguments)
        except ImpossibleError:
            return None
        return _result(returned), self._remember(instance)

    def _remember(self, instance: object) -> State:
        state = fingerprint(instance)
        self._objects.setdefault(state, instance)
        return state


def _difference(first: tuple[Result, State] | None, second: tuple[Result, State] | None) -> str:
    """How two calls differ."""
    if first is None or second is None:
        return "is sometimes possible and sometimes not"
    if first[0] != second[0]:
        return f"returns {first[0]} and {second[0]}"
    return "leads to two different states"


def _count(result: Result) -> int:
    """How many values a result has."""
    return 0 if result is None else len(result) if isinstance(result, tuple) else 1


def _result(value: object) -> Result:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, tuple) and all(isinstance(item, int | str) for item in value):
        return tuple(int(item) if isinstance(item, int) else item for item in value)
    raise TypeError(f"it returned {value!r}")


def load(name: str) -> Specification:
    """A shipped specification by name, or `FILE.py:CLASS`.

    Raises:
        InputError: there is none.
    """
    if ":" not in name:
        if name not in SHIPPED:
            raise refusal(
                "W1348",
                f"unknown specification `{name}`",
                help=f"known: {', '.join(SHIPPED)}; or --spec FILE.py:CLASS",
            )
        return Specification(SHIPPED[name])
    path, _, kind = name.rpartition(":")
    found, module = _class_in(Path(path), kind)
    try:
        return Specification(found, outside=Outside(found, module))
    except (Exception, SpecDoesNotTerminateError) as problem:
        raise refusal("W1349", f"`{path}`: {problem}") from None


def _class_in(path: Path, name: str) -> tuple[Callable[[], object], ModuleType]:
    module_spec = importlib.util.spec_from_file_location("membar_user_specification", path)
    if module_spec is None or module_spec.loader is None or not path.is_file():
        raise refusal("W1349", f"no Python file `{path}` with a specification")
    module = importlib.util.module_from_spec(module_spec)
    loader = module_spec.loader
    try:
        run_watched(lambda: loader.exec_module(module), str(path))
        found = getattr(module, name, None)
        if found is not None:
            run_watched(found, str(path))
    except (SpecDoesNotTerminateError, NondeterministicSpecError, SpecExitsError) as problem:
        raise refusal("W1349", f"`{path}`: {problem}") from None
    except Exception as problem:
        raise refusal("W1349", f"`{path}`: {type(problem).__name__}: {problem}") from None
    if found is None:
        raise refusal("W1349", f"`{path}` has no class `{name}`")
    return found, module
