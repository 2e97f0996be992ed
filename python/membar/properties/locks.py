"""Locks, barriers and threads are used correctly."""

from __future__ import annotations

from membar.models.model import Model
from membar.program.operations import Fence, Load, Rmw, Store
from membar.program.program import Program
from membar.properties.property import Property, has_assertion_of

NAME = "locks"
MISUSED = "locks or critical sections are misused, as the model's flags show"
"""What a witness says for which the model raises such a flag."""
SILENT = "does not check the use of kernel locks and critical sections; lkmm does"
"""Why nothing is known about them under other models."""
MISUSE_FLAGS = frozenset({
    "unmatched-unlock", "lock-accessed", "mixed-lock-accesses", "lock-nest", "unmatched-rcu-lock",
    "unmatched-rcu-unlock", "unmatched-srcu-lock", "unmatched-srcu-unlock", "unbalanced-srcu-lock",
    "unbalanced-srcu-unlock", "multiple-srcu-matches", "shared-srcu-index", "bad-srcu-value-match",
    "srcu-bad-value-match", "sleeps-in-rcu", "invalid-sleep",
})  # fmt: skip
"""What models of the kernel flag if locks or critical sections of RCU are not used correctly."""
_KERNEL_TAGS = frozenset({
    "LKR", "LKW", "UL", "RL", "Rcu-lock", "Rcu-unlock", "Srcu-lock", "Srcu-unlock", "Sync-srcu",
})  # fmt: skip


def flags_misuse(model: Model) -> bool:
    """Whether the model defines how locks and critical sections of the kernel must be used."""
    return model.plan is not None and any(check.name in MISUSE_FLAGS for check in model.plan.checks)


def relies_on_flags(program: Program) -> bool:
    """Whether a program uses the kernel's locks or critical sections, which no assertion checks."""
    return not _KERNEL_TAGS.isdisjoint(program.tags) and any(
        not _KERNEL_TAGS.isdisjoint(tags)
        for item in program.operations
        if isinstance(item, Fence | Load | Rmw | Store)
        for tags in ((item.read_tags, item.write_tags) if isinstance(item, Rmw) else (item.tags,))
    )


PROPERTY = Property(
    name=NAME,
    title="locks, barriers, semaphores and threads are used correctly",
    covers="unlocking a lock that the thread does not hold, using a lock, barrier, semaphore or condition"
    " variable after it was destroyed or before it was initialised, initialising it again, destroying it"
    " while it is held, joining or detaching a thread twice; in kernel code also critical sections of RCU"
    " and SRCU that the model flags",
    applies=lambda program, model: (
        has_assertion_of(program, NAME) or (flags_misuse(model) and relies_on_flags(program))
    ),
    is_asserted=True,
    advice="The location is the call that misuses a lock, a barrier or a thread.",
)
