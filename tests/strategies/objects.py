"""Random small objects: operations of a few accesses, each of which may or may not do what is specified."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Final

LOCATIONS: Final = ("x", "y")


@dataclass(frozen=True, slots=True)
class Access:
    """One step of an operation.

    `store`: location := argument (or what was last loaded, plus one, if `computed`). `load`: the operation's
    value := location. `swap`: both, atomically, the argument going in. `add`: location += 1, atomically,
    and the operation's value is what it was. `fence`: nothing, but everything stored before is in memory.
    """

    kind: str
    location: str = ""
    computed: bool = False


@dataclass(frozen=True, slots=True)
class RandomOperation:
    """An operation: with a fresh argument or without, with a result (the last value loaded) or without."""

    name: str
    takes: bool
    returns: bool
    body: tuple[Access, ...]


@dataclass(frozen=True, slots=True)
class RandomObject:
    """An object and the specification that it may or may not meet."""

    specification: str
    operations: tuple[RandomOperation, ...]

    @property
    def text(self) -> str:
        """It as a C file with notes."""
        lines = ["#include <stdatomic.h>", f"static atomic_int {', '.join(LOCATIONS)};"]
        lines.append(f"// membar: object {self.specification}")
        for operation in self.operations:
            lines.append(f"// membar: operation {operation.name}({'fresh' if operation.takes else ''})")
            kind = "int" if operation.returns else "void"
            lines.append(f"static {kind} {operation.name}({'int v' if operation.takes else 'void'}) {{")
            lines.append("  int r = 0;")
            lines += [f"  {_statement(access)}" for access in operation.body]
            lines += ["  return r;" if operation.returns else "  (void)r;", "}"]
        return "\n".join(lines) + "\n"


def _statement(access: Access) -> str:
    place, order = access.location, "memory_order_relaxed"
    match access.kind:
        case "store":
            value = "r + 1" if access.computed else "v"
            return f"atomic_store_explicit(&{place}, {value}, {order});"
        case "load":
            return f"r = atomic_load_explicit(&{place}, {order});"
        case "swap":
            return f"r = atomic_exchange_explicit(&{place}, v, {order});"
        case "add":
            return f"r = atomic_fetch_add_explicit(&{place}, 1, {order});"
        case _:
            return "atomic_thread_fence(memory_order_seq_cst);"


def random_object(random: Random) -> RandomObject:
    """A register or a counter, done well or badly."""
    return _register(random) if random.random() < 0.6 else _counter(random)


def _fences(random: Random, body: list[Access]) -> tuple[Access, ...]:
    found: list[Access] = []
    for access in body:
        found += [Access("fence")] if random.random() < 0.15 else []
        found.append(access)
    return (*found, *([Access("fence")] if random.random() < 0.35 else []))


def _register(random: Random) -> RandomObject:
    writes = [
        Access(random.choice(("store", "store", "swap")), random.choice(LOCATIONS[:1] * 2 + LOCATIONS[1:]))
    ]
    if random.random() < 0.4:
        writes.append(Access("store", random.choice(LOCATIONS)))
    reads = [Access("load", random.choice(LOCATIONS[:1] * 3 + LOCATIONS[1:]))]
    if random.random() < 0.2:
        reads.insert(0, Access("load", random.choice(LOCATIONS)))
    return RandomObject(
        "Register",
        (
            RandomOperation("write", takes=True, returns=False, body=_fences(random, writes)),
            RandomOperation("read", takes=False, returns=True, body=_fences(random, reads)),
        ),
    )


def _counter(random: Random) -> RandomObject:
    place = random.choice(LOCATIONS)
    atomic = [Access("add", "x")]
    torn = [Access("load", "x"), Access("store", place, computed=True)]
    reads = [Access("load", random.choice(("x", "x", place)))]
    return RandomObject(
        "Counter",
        (
            RandomOperation(
                "increment",
                takes=False,
                returns=True,
                body=_fences(random, atomic if random.random() < 0.7 else torn),
            ),
            RandomOperation("read", takes=False, returns=True, body=_fences(random, reads)),
        ),
    )
