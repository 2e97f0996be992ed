"""The relations of an execution that are shown, reduced to the edges worth drawing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise

from membar.models.relation import plus
from membar.program.execution import Execution
from membar.program.pairs import Pairs, Relation, members

Pair = tuple[int, int]


def reads_from(execution: Execution) -> Mapping[int, int]:
    """Each read's write."""
    return {read: write for write, read in execution.rf}


def immediate_po(execution: Execution) -> tuple[Pair, ...]:
    """Program order without the pairs that follow from others, sorted."""
    return reduction(execution.po)


def immediate_co(execution: Execution) -> tuple[Pair, ...]:
    """Each write with the next one of its cell in coherence order."""
    return tuple((a, b) for chain in execution.co for a, b in pairwise(chain))


def immediate_fr(execution: Execution) -> tuple[Pair, ...]:
    """Each read with the first write that overwrites what it saw (not the write of its own RMW)."""
    following = dict(immediate_co(execution))
    own = execution.amo | execution.lxsx
    pairs = ((read, following[write]) for write, read in execution.rf if write in following)
    return tuple(sorted(pair for pair in pairs if pair not in own))


def reduction(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """The pairs of a transitive, acyclic relation that do not follow from two others, sorted."""
    rows = Pairs.of(pairs).rows
    kept: list[Pair] = []
    for a, row in enumerate(rows):
        implied, rest = 0, row
        while rest:  # those behind another one that is left are implied
            b = (rest & -rest).bit_length() - 1
            implied |= rows[b] if b < len(rows) else 0
            rest &= ~(implied | 1 << b)
        kept += [(a, b) for b in members(row & ~implied)]
    return tuple(kept)


def closure(pairs: Iterable[Pair]) -> Relation:
    """The transitive closure."""
    found = Pairs.of(pairs).rows
    size = max((row.bit_length() for row in found), default=0)
    return Pairs(plus([*found, *([0] * (size - len(found)))]))
