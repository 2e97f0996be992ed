"""What code can do that no instruction says: calls of `__membar_…`, which the library's bodies are made of.

A primitive is a `Call` of a `FunctionAddress` with its name. The pass `lower` gives each its meaning; an
argument that is a constant string is the address of a constant object with a 0 at its end.
"""

from __future__ import annotations

from collections.abc import Mapping

from membar.code.ir import BOOL, PTR, FunctionAddress, Int, Type
from membar.records import record

PREFIX = "__membar_"
ME = FunctionAddress(f"{PREFIX}me")
USE, READ = FunctionAddress(f"{PREFIX}use"), FunctionAddress(f"{PREFIX}read")
SPAWN, SPAWN_COPIES = FunctionAddress(f"{PREFIX}spawn"), FunctionAddress(f"{PREFIX}spawn_copies")
ARGUMENT = FunctionAddress(f"{PREFIX}argument")
BLOCK_SIZE = FunctionAddress(f"{PREFIX}block_size")
PANICS, PANICKED = FunctionAddress(f"{PREFIX}panics"), FunctionAddress(f"{PREFIX}panicked")
SHOW, PRINT = FunctionAddress(f"{PREFIX}show"), FunctionAddress(f"{PREFIX}print")
UNKNOWN = FunctionAddress(f"{PREFIX}unknown")
MAIN = 1 << 30
"""What `join` and `retire` call `main`: memory that is 0 names no thread."""
_I32, _I64 = Int(32), Int(64)


@record(frozen=True, slots=True)
class Primitive:
    """One of them: its name without the prefix, its types, and what it does in one sentence."""

    name: str
    parameters: tuple[Type, ...]
    results: tuple[Type, ...]
    meaning: str


_ALL = (
    Primitive("spawn", (PTR, PTR), (_I64,), "starts a thread: calls a function with an argument"),
    Primitive("argument", (_I64,), (PTR,), "so many bytes that nothing else gets: what a thread needs"),
    Primitive("spawn_copies", (PTR, PTR), (), "as `spawn`, as many threads as `number` says"),
    Primitive("number", (), (_I64,), "how many copies there are of a thread of which there are any number"),
    Primitive("me", (), (_I64,), "the number of such a copy, from 0"),
    Primitive("join", (_I64,), (PTR,), "waits until a thread has ended and gives its result"),
    Primitive("finish", (PTR,), (), "ends the thread, with this result for whoever joins it"),
    Primitive("self", (), (_I64,), "the number of the thread, as `spawn` gave it; 0 is `main`"),
    Primitive("thread_count", (), (_I64,), "how many threads the program has, `main` included"),
    Primitive("retire", (_I64,), (BOOL,), "whether this is the first join or detach of the thread"),
    Primitive("lock", (PTR,), (), "waits until the 4 bytes are 0 and makes them 1: an acquire"),
    Primitive("try_lock", (PTR,), (BOOL,), "as `lock` if the 4 bytes are 0, which is the result"),
    Primitive("unlock", (PTR,), (), "makes the 4 bytes 0: a release"),
    Primitive(
        "add_within",
        (PTR, _I32, _I32, _I32),
        (_I32,),
        "gives the 4 bytes and, if they are between two unsigned numbers, adds a third: then an acquire",
    ),
    Primitive("peek", (PTR,), (_I32,), "a plain load of 4 bytes, which need not have been set"),
    Primitive("wait", (BOOL,), (), "blocks together with the access before it until the condition holds"),
    Primitive("wakes", (), (BOOL,), "whether a wait for a condition ends spuriously"),
    Primitive("assume", (BOOL,), (), "ends executions in which the condition does not hold, silently"),
    Primitive("choose", (_I64, _I64), (_I64,), "any value from the first to the second, as signed numbers"),
    Primitive(
        "input", (_I64, _I64), (_I64,), "a number from outside: if it matters, `choose`, others are cut"
    ),
    Primitive(
        "unknown",
        (),
        (_I64,),
        "a number that is not computed: executions that use it are not followed further",
    ),
    Primitive("show", (PTR,), (), "reads a text up to its end"),
    Primitive(
        "print",
        (PTR, _I64, _I64, _I64),
        (),
        "writes text that is not computed: no more than so many bytes, of which it has some number",
    ),
    Primitive("cut", (PTR,), (), "ends an execution that is not followed: the answer holds only within that"),
    Primitive("check", (BOOL, PTR, PTR), (), "violates the named property, with a message, if it is false"),
    Primitive("use", (_I64,), (), "a value is read and goes nowhere: it must have been set"),
    Primitive("read", (_I64,), (), "the value of a variable is read: it must have been set"),
    Primitive("panics", (), (), "a thread panics, and what follows is not explored"),
    Primitive("panicked", (BOOL,), (BOOL,), "whether another thread has panicked; the program may ignore it"),
    Primitive("exit", (_I32,), (), "ends the process with a status"),
    Primitive("allocate", (_I64, BOOL), (PTR,), "a fresh block of bytes, set to 0 if so asked, or null"),
    Primitive("allocate_aligned", (_I64, _I64), (PTR,), "a fresh block of bytes at such an alignment"),
    Primitive("block_size", (PTR,), (_I64,), "how many bytes the block has that `allocate` gave"),
    Primitive("release", (PTR,), (), "ends the lifetime of a block that `allocate` gave"),
    Primitive("atomic_begin", (), (), "what follows up to `atomic_end` is one step"),
    Primitive("atomic_end", (), (), "the end of one step"),
    Primitive("access_begin", (), (), "what follows up to `access_end` is one access, plain or atomic"),
    Primitive("access_end", (), (), "the end of one access"),
    Primitive("mark", (PTR, _I64), (), "gives the register with this name a value that final states show"),
    Primitive("fence", (PTR,), (), "a fence with the tags named, such as `MFENCE` or `Rmb`"),
)
PRIMITIVES: Mapping[str, Primitive] = {PREFIX + item.name: item for item in _ALL}
