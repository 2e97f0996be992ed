"""`Model`: a memory model with its claims, as engines use it."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from membar.records import field, record

if TYPE_CHECKING:
    from membar.models.plan import Plan
    from membar.source import SourceFile


# Values of `Claims.search`.
GENERAL = "general"
EXACTLY_ONCE = "exactly-once"
DEPENDENCY_AWARE = "dependency-aware"
# The same for questions that do not observe coherence.
CLASSES = "reads-from classes"
# Values of `Claims.kind` and `Claims.buffered_loads`.
PROCESSOR = "processor"
LANGUAGE = "language"
HIDDEN = "hidden"
FORESHADOWED = "foreshadowed"
ATOMICS_APART = "foreshadowed-atomics-apart"
# Tags of a program that a model does not define.
OWN_TAGS = "own"
ANY_TAGS = "any"
FENCES_ALIKE = "fences-alike"


class Operational(enum.Enum):
    """Store-buffer disciplines of the operational readings."""

    SC = "sc"
    TSO = "tso"
    PSO = "pso"
    CAM = "cam"


@record(frozen=True, slots=True, kw_only=True)
class Claims:
    """What a model says about itself beyond its axioms; without a claim, the safest.

    `models/claims.py` reads them from the file beside the model and refuses those that cannot be true;
    `membar models test` looks for programs that refute the others. docs/reference/claims.md has the keys.

    Attributes:
        kind: a model of a processor, or of a language, in which plain accesses can race; "" if not said.
        tags: `own` if a program may only have tags that it defines; `any` if others have no effect (sc);
            `fences-alike` if others have no effect on accesses, and make fences that are all alike.
        mapping: the table by which compilers bring C programs to this processor (`models/mappings.py`);
            "" if it is a language model, or unknown.
        right_mappings: tables under which it allows no more than rc11 does, cycles of po and rf aside.
        search: the search that its properties allow: `exactly-once` if executions have no cycles of po
            and rf, their prefixes are executions too, and reading the last write is always allowed;
            `dependency-aware` if the same holds of `thread_order` in the place of po, for programs that
            `program/dependency_order.py` lets through; else `general`.
        thread_order: the relation that says what is in order inside each thread, for the dependency-aware
            search.
        load_buffering: the relation of the model between a read and a later write of its thread that may
            change places whatever is read; "" if it names none. A program without such pairs has no cycles
            of po and rf, and the exactly-once search is for it too.
        settled_order: the relation that leads from each access that cannot be delayed behind a write to the
            write (`properties/delayed_uses.py`); "" if it names none.
        buffered_loads: `foreshadowed` if every execution with a cycle of po and rf shows itself in executions
            without (`models/load_buffering_signs.py`), in programs for which all that follows from a read is
            ordered behind it; `foreshadowed-atomics-apart` if coherence is no part of the order of all
            threads, so that more must be known of what atomic operations write (docs/decisions/0046);
            else `hidden`.
        ignores_write_backs: an atomic operation that writes what it read can be left out of an execution, and
            who read from it may read from what it read: the rest stays an execution.
        global_order: what follows a read in its thread, coherence, from-reads, reads-from between threads,
            and the starting and joining of threads never make a cycle.
        fair: whether who looks again and again sees the last write in the end, and looking once more at it is
            always allowed: true of processors and languages; unknown for a user's file.
        may_guess: values may justify themselves, so constants that the program stores are tried as values of
            reads.
        store_buffers: the machine with store buffers that allows the same final states.
        allows_sc: everything that sc allows is allowed.
        is_coherent: each location on its own behaves like a single variable.
        is_atomic: no other write comes between the read and the write of an RMW.
    """

    kind: str = ""
    tags: str = OWN_TAGS
    mapping: str = ""
    right_mappings: tuple[str, ...] = ()
    search: str = GENERAL
    thread_order: str = ""
    load_buffering: str = ""
    settled_order: str = ""
    buffered_loads: str = HIDDEN
    ignores_write_backs: bool = False
    global_order: bool = False
    fair: bool = False
    may_guess: bool = True
    store_buffers: Operational | None = None
    allows_sc: bool = True
    is_coherent: bool = True
    is_atomic: bool = True

    @property
    def any_tags(self) -> bool:
        """Whether programs may have tags that the model does not define."""
        return self.tags != OWN_TAGS


@record(frozen=True, slots=True, kw_only=True)
class Model:
    """A memory model, as `--model` names it.

    Attributes:
        name: `x86-tso`, or the file's stem for a user's model.
        title: one sentence, from the head comment.
        documentation: the whole head comment.
        plan: the axiomatic reading; None if it has none (`cam`).
        operational: the store-buffer reading; None if it has none (`armv8`).
        default_buffers: bound of the store buffers where the user gives none.
        tags: the tags it gives a meaning to.
        language_model: plain accesses can race (rc11, ra, …).
        notes: what everyone who uses it must know, such as parts of its file that have no effect.
        claims: what it says about itself.
        source: its text.
        claims_source: the text of its claims; None if it makes none.
    """

    name: str
    title: str
    documentation: str
    plan: Plan | None = None
    operational: Operational | None = None
    default_buffers: int = 2
    tags: frozenset[str] = frozenset()
    language_model: bool = False
    notes: tuple[str, ...] = ()
    claims: Claims = Claims()
    source: SourceFile | None = field(default=None, compare=False, repr=False)
    claims_source: SourceFile | None = field(default=None, compare=False, repr=False)

    @property
    def thread_order(self) -> int | None:
        """The slot of the relation that `claims.thread_order` names."""
        return None if self.plan is None else dict(self.plan.names).get(self.claims.thread_order)
