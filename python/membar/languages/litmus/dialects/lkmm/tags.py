"""The ordering annotations of the kernel's operations. An access that carries none of them is plain."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

TAGS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Once": "(no order) A marked access: READ_ONCE, WRITE_ONCE and relaxed atomic operations.",
        "Acquire": "The read of smp_load_acquire and of the _acquire operations: comes before what follows.",
        "Release": "The write of smp_store_release and of _release operations: comes after what precedes.",
        "Mb": "smp_mb, and both accesses of a fully ordered read-modify-write: orders all around it.",
        "Noreturn": "(no order) The read of an atomic operation that returns nothing; smp_rmb ignores it.",
        "RMW": "(no order) Marks the accesses of an atomic operation, the read of a failed one too.",
        "Rmb": "smp_rmb: earlier reads before later reads.",
        "Wmb": "smp_wmb: earlier writes before later writes.",
        "Barrier": "(no order) barrier(): keeps the compiler from moving accesses.",
        "Before-atomic": "smp_mb__before_atomic: makes the atomic operation that follows a full barrier.",
        "After-atomic": "smp_mb__after_atomic: makes the atomic operation before it a full barrier.",
        "After-spinlock": "smp_mb__after_spinlock: makes the lock operation before it a full barrier.",
        "After-unlock-lock": "smp_mb__after_unlock_lock: makes an unlock and the next lock a full barrier.",
        "After-srcu-read-unlock": "smp_mb__after_srcu_read_unlock: makes it a full barrier.",
        "LKR": "The read of spin_lock or of a successful spin_trylock; acquires.",
        "LKW": "(no order) The write of spin_lock or of a successful spin_trylock.",
        "UL": "spin_unlock: releases.",
        "LF": "(no order) The read of a failed spin_trylock.",
        "RL": "(no order) The read of spin_is_locked, whatever it returns.",
        "Rcu-lock": "rcu_read_lock: begins a read-side critical section.",
        "Rcu-unlock": "rcu_read_unlock: ends a read-side critical section.",
        "Sync-rcu": "synchronize_rcu: waits for all critical sections that began before it.",
        "Srcu-lock": "srcu_read_lock: reads the index of the structure.",
        "Srcu-unlock": "srcu_read_unlock: writes the index back to the structure.",
        "Sync-srcu": "synchronize_srcu: waits for all critical sections of one structure.",
    }
)
"""The words that tags of a kernel test may be, with their meaning."""
