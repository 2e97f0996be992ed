"""A memory model: an input to the engines, never code in them."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from membar.records import field, record

if TYPE_CHECKING:
    from membar.models.plan import Plan
    from membar.source import SourceFile


# Values of `Model.exploration`.
GENERAL = "general"
EXACTLY_ONCE = "exactly-once"
DEPENDENCY_AWARE = "dependency-aware"
# The same for questions that do not observe coherence.
CLASSES = "reads-from classes"


class Operational(enum.Enum):
    """Store-buffer disciplines of the operational readings."""

    SC = "sc"
    TSO = "tso"
    PSO = "pso"
    CAM = "cam"


@record(frozen=True, slots=True, kw_only=True)
class Model:
    """What `--model` names.

    Attributes:
        name: `x86-tso`, or the file's stem for a user's model.
        title: one sentence, from the head comment.
        documentation: the whole head comment.
        plan: the axiomatic reading; None if it has none (`cam`).
        operational: the store-buffer reading; None if it has none (`armv8`).
        default_buffers: bound of the store buffers where the user gives none.
        tags: the tags it gives a meaning to.
        any_tags: ordering tags change nothing under it (sc), so unknown ones are no reason to refuse.
        language_model: plain accesses can race (rc11, ra, …).
        notes: what everyone who uses it must know, such as parts of its file that have no effect.
        exploration: the search that its properties allow: `exactly-once` if executions have no cycles of po
            and rf, their prefixes are executions too, and reading the last write is always allowed;
            `dependency-aware` if the same holds of `thread_order` in the place of po, for programs that
            `program/dependency_order.py` lets through; else `general`.
        thread_order: the slot of the relation that says what is in order inside each thread, for the
            dependency-aware search.
        load_buffering: the relation of the model between a read and a later write of its thread that may
            change places whatever is read; "" if it names none. A program without such pairs has no cycles
            of po and rf, and the exactly-once search is for it too.
        foreshadows: every execution with a cycle of po and rf shows itself in executions without
            (`models/overtaking.py`), in programs for which all that follows from a read is ordered behind it.
        keeps_atomics_apart: with `foreshadows`: coherence is no part of the order of all threads, so that
            more must be known of what atomic operations write (docs/decisions/0050).
        ignores_write_backs: an atomic operation that writes what it read can be left out of an execution, and
            who read from it may read from what it read: the rest stays an execution.
        fair: whether who looks again and again sees the last write in the end, and looking once more at it is
            always allowed: true of processors and languages; of a user's file nobody knows.
        global_order: what follows a read in its thread, coherence, from-reads, reads-from between threads,
            and the starting and joining of threads never make a cycle.
        may_guess: nobody has shown that values cannot justify themselves under it, so constants that the
            program stores are tried as values of reads.
        mapping: the table by which compilers bring C programs to this processor (`models/mappings.py`);
            "" if C means itself under it, or nobody knows.
        source: its text.
    """

    name: str
    title: str
    documentation: str
    plan: Plan | None = None
    operational: Operational | None = None
    default_buffers: int = 2
    tags: frozenset[str] = frozenset()
    any_tags: bool = False
    language_model: bool = False
    notes: tuple[str, ...] = ()
    exploration: str = GENERAL
    load_buffering: str = ""
    foreshadows: bool = False
    keeps_atomics_apart: bool = False
    ignores_write_backs: bool = False
    may_guess: bool = False
    fair: bool = False
    global_order: bool = False
    thread_order: int | None = None
    mapping: str = ""
    source: SourceFile | None = field(default=None, compare=False, repr=False)
