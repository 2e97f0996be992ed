"""How the Linux kernel's primitives are compiled, one table per processor.

They follow the kernel's `asm/barrier.h`, `asm/cmpxchg.h` and `asm/atomic.h`; where versions of these differ,
the weaker code stands here. A compare-exchange that fails skips the fences behind it. Read-side critical
sections of RCU need no instruction; waiting for them (`synchronize_rcu`) is no instruction either, and keeps
its word, which no processor's model defines.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from membar.diagnostics import refusal
from membar.models.c_orders import order_tags
from membar.models.mappings import Code, CompilerMapping
from membar.program.operations import Operation, Rmw
from membar.records import replace

_FENCES: Final = (
    *("Mb", "Rmb", "Wmb", "Before-atomic", "After-atomic", "After-spinlock", "After-unlock-lock"),
    *("Barrier", "Rcu-lock", "Rcu-unlock"),
)
_UPDATES: Final = ("Mb", "Acquire", "Release", "Noreturn", "LKR", "Once")
_ACCESSES: Final = ("Acquire", "Release", "UL", "Once")
_NOTHING: Final = Code(text="(nothing)")


def order_of(operation: Operation) -> str | None:
    """The kernel's word for an operation; None if it has none, as plain accesses."""
    found = order_tags(operation)
    if isinstance(operation, Rmw):
        found |= operation.write_tags
        return next((word for word in _UPDATES if word in found), None)
    return next((word for word in (*_ACCESSES, *_FENCES) if word in found), None)


def _table(
    name: str,
    title: str,
    *,
    accesses: tuple[Code, Code, Code, Code],
    updates: tuple[Code, Code, Code, Code],
    fences: tuple[Code, Code, Code],
    after_spinlock: Code | None = None,
    around_atomic: Code | None = None,
    after_unlock_lock: Code = _NOTHING,
) -> CompilerMapping:
    """A table: load, acquire, store, release; relaxed, acquire, release and full updates; mb, rmb, wmb."""
    load, acquire, store, release = accesses
    relaxed, acquiring, releasing, both = updates
    mb, rmb, wmb = fences
    atomic, locked = around_atomic or mb, after_spinlock or mb
    return CompilerMapping(
        name=name,
        title=title,
        order_of=order_of,
        loads={"Once": load, "Acquire": acquire},
        stores={"Once": store, "Release": release, "UL": release},
        rmws={
            "Once": relaxed,
            "Noreturn": relaxed,
            "Acquire": acquiring,
            "LKR": acquiring,
            "Release": releasing,
            "Mb": both,
        },
        fences={
            **dict.fromkeys(_FENCES, _NOTHING),
            "Mb": mb,
            "Rmb": rmb,
            "Wmb": wmb,
            "Before-atomic": atomic,
            "After-atomic": atomic,
            "After-spinlock": locked,
            "After-unlock-lock": after_unlock_lock,
        },
    )


def _instruction(word: str) -> str:
    """A fence as assembly: `fence rw,w` for `Fence.rw.w`."""
    name, *rest = word.lower().split(".")
    return " ".join((name, ",".join(rest))).rstrip()


def _fence(word: str) -> Code:
    return Code(text=_instruction(word), before=(word,))


def _access(text: str, *, before: str = "", after: str = "", read: str = "", write: str = "") -> Code:
    return Code(
        text="; ".join(filter(None, (_instruction(before), text, _instruction(after)))),
        before=(before,) if before else (),
        read=frozenset(read.split()),
        write=frozenset(write.split()),
        after=(after,) if after else (),
    )


def _pair(text: str, *, read: str = "", write: str = "", branches: bool = False, **fences: str) -> Code:
    """An exclusive pair; a compare-exchange that fails skips the fence behind it."""
    code = _access(text, read=f"EX {read}", write=f"EX {write}", **fences)
    return replace(code, branches=branches, skips_after=bool(code.after))


def _x86() -> CompilerMapping:
    locked, mov, mb = _access("lock …", read="X", write="X"), _access("mov"), _fence("MFENCE")
    return _table(
        "x86",
        "the Linux kernel on x86: locked instructions, smp_mb as a full fence, all else as written",
        accesses=(mov, mov, mov, mov),
        updates=(locked, locked, locked, locked),
        fences=(mb, _NOTHING, _NOTHING),
        after_spinlock=_NOTHING,
        around_atomic=_NOTHING,
    )


def _armv8() -> CompilerMapping:
    return _table(
        "armv8",
        "the Linux kernel on Armv8: exclusive pairs, smp_load_acquire as ldar, smp_store_release as stlr",
        accesses=(
            *(_access("ldr"), _access("ldar", read="A")),
            *(_access("str"), _access("stlr", write="L")),
        ),
        updates=(
            *(_pair("ldxr, stxr"), _pair("ldaxr, stxr", read="A")),
            *(_pair("ldxr, stlxr", write="L"), _pair("ldxr, stlxr", write="L", after="DMB.ISH")),
        ),
        fences=(_fence("DMB.ISH"), _fence("DMB.ISHLD"), _fence("DMB.ISHST")),
    )


def _armv7() -> CompilerMapping:
    dmb, pair = "DMB.ISH", "ldrex, strex"
    return _table(
        "armv7",
        "the Linux kernel on Armv7: dmb after acquire, before release and on both sides of full updates",
        accesses=(
            *(_access("ldr"), _access("ldr", after=dmb)),
            *(_access("str"), _access("str", before=dmb)),
        ),
        updates=(
            *(_pair(pair), _pair(pair, after=dmb)),
            *(_pair(pair, before=dmb), _pair(pair, before=dmb, after=dmb)),
        ),
        fences=(_fence(dmb), _fence(dmb), _fence("DMB.ISHST")),
        after_spinlock=_NOTHING,
    )


def _power() -> CompilerMapping:
    light, pair = "LWSYNC", "lwarx, stwcx."
    return _table(
        "power",
        "the Linux kernel on Power: lwsync after acquire and before release, sync around full updates",
        accesses=(
            *(_access("ld"), _access("ld", after=light)),
            *(_access("st"), _access("st", before=light)),
        ),
        updates=(
            *(_pair(pair), _pair(pair, after="ISYNC", branches=True)),
            *(_pair(pair, before=light), _pair(pair, before="SYNC", after="SYNC")),
        ),
        fences=(_fence("SYNC"), _fence(light), _fence(light)),
        after_unlock_lock=_fence("SYNC"),
    )


def _riscv() -> CompilerMapping:
    acquire, release, pair = "Fence.r.rw", "Fence.rw.w", "lr, sc"
    return _table(
        "riscv",
        "the Linux kernel on RISC-V: fences around loads, stores and reserved pairs",
        accesses=(
            *(_access("l"), _access("l", after=acquire)),
            *(_access("s"), _access("s", before=release)),
        ),
        updates=(
            *(_pair(pair), _pair(pair, after=acquire)),
            *(_pair(pair, before=release), _pair("lr, sc.rl", write="Rel", after="Fence.rw.rw")),
        ),
        fences=(_fence("Fence.rw.rw"), _fence("Fence.r.r"), _fence("Fence.w.w")),
    )


KERNEL_MAPPINGS: Final[Mapping[str, CompilerMapping]] = MappingProxyType(
    {table.name: table for table in (_x86(), _armv8(), _armv7(), _power(), _riscv())}
)
"""The tables by the name that the tables of C have for the same processor."""


def kernel_mapping_named(name: str) -> CompilerMapping:
    """The table called `name`.

    Raises:
        InputError: there is none; the message lists those there are.
    """
    found = KERNEL_MAPPINGS.get(name)
    if found is None:
        message = f"there is no table `{name}` for the primitives of the Linux kernel"
        raise refusal("W0412", message, help=f"known: {', '.join(KERNEL_MAPPINGS)}")
    return found
