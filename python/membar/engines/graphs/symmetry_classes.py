"""Expands an execution, explored up to symmetry, to all permutations of identical threads.

The core counts each explored execution as often as there are executions that it represents. Final states are
exact: those that differ only in a permutation of identical threads are equally frequent, so their number of
executions is divided among them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from math import factorial, prod
from typing import TYPE_CHECKING, TypeAlias

from membar.program.condition import FinalRegister, Term
from membar.program.symmetry import Group
from membar.records import record

if TYPE_CHECKING:
    from membar import _core

# Per thread the thread whose part it plays.
Exchange: TypeAlias = tuple[int, ...]
# What the registers of one thread hold in the end, as far as they are observed.
Row: TypeAlias = tuple[int, ...]

# More arrangements of one final state than this are not listed.
MOST_LISTED = factorial(8)


@record(frozen=True, slots=True)
class Unfolded:
    """A final state.

    Attributes:
        state: the word behind each term that was asked for.
        executions: how many end in it.
        explored: the number of an explored state from which it comes.
        exchange: how to rename the threads of that one's execution.
    """

    state: tuple[int, ...]
    executions: int
    explored: int
    exchange: Exchange | None


class SymmetryClasses:
    """Final states of a program with interchangeable threads.

    Attributes:
        groups: the threads.
        terms: what the core must know of a final state: what was asked for, and of each register that it
            speaks of the same register of all interchangeable threads.
        is_folded: whether some state stands for others that were not listed, for there are too many.
    """

    def __init__(self, groups: Sequence[Group], asked: Sequence[Term], *, threads: int) -> None:
        self.groups = tuple(groups)
        self.asked = len(asked)
        self.threads = threads
        self.is_folded = False
        if not groups:
            self.terms: tuple[Term, ...] = tuple(asked)
            self._places: list[list[list[int]]] = []
            return
        terms = dict.fromkeys(asked)
        rows: list[list[list[Term]]] = []
        for group in self.groups:
            wanted = _observed_registers(group, asked)
            rows.append(
                [
                    [FinalRegister(thread, names[at], width, signed) for at, width, signed in wanted]
                    for thread, names in zip(group.threads, group.registers, strict=True)
                ]
            )
            terms |= dict.fromkeys(term for row in rows[-1] for term in row)
        self.terms = tuple(terms)
        places = {term: place for place, term in enumerate(self.terms)}
        self._places = [[[places[term] for term in row] for row in group] for group in rows]

    def unfold(self, states: Iterable[tuple[tuple[int, ...], int]]) -> Iterator[Unfolded]:
        """All final states, from those that the core explored, each with the number it was given."""
        classes: dict[tuple[object, ...], list[tuple[int, tuple[int, ...], int]]] = {}
        for index, (state, count) in enumerate(states):
            rows = self._rows(state)
            fixed = list(state)
            for place in (place for group in self._places for row in group for place in row):
                fixed[place] = 0
            key = (tuple(fixed), *(tuple(sorted(group)) for group in rows))
            classes.setdefault(key, []).append((index, state, count))
        for members in classes.values():
            yield from self._arrange(members)

    def _rows(self, state: tuple[int, ...]) -> list[list[Row]]:
        return [[tuple(state[place] for place in row) for row in group] for group in self._places]

    def _arrange(self, members: list[tuple[int, tuple[int, ...], int]]) -> Iterator[Unfolded]:
        total = sum(count for _, _, count in members)
        index, state, _ = members[0]
        rows = self._rows(state)
        number = prod(_arrangements(group) for group in rows)
        if number > MOST_LISTED:
            self.is_folded = True
            for index, state, count in members:
                yield Unfolded(state[: self.asked], count, index, None)
            return
        # A search that was stopped may not have seen all that share.
        count = max(1, total // number)
        for chosen in product(*(_orders(sorted(group)) for group in rows)):
            yield Unfolded(self._state(state, chosen), count, index, self._exchange(rows, chosen))

    def _state(self, state: tuple[int, ...], chosen: Sequence[Sequence[Row]]) -> tuple[int, ...]:
        words = list(state)
        for places, rows in zip(self._places, chosen, strict=True):
            for own, row in zip(places, rows, strict=True):
                for place, word in zip(own, row, strict=True):
                    words[place] = word
        return tuple(words[: self.asked])

    def _exchange(self, rows: list[list[Row]], chosen: Sequence[Sequence[Row]]) -> Exchange | None:
        """Who plays whose part so that the rows are the chosen ones; None if everybody plays his own."""
        exchange = list(range(self.threads))
        for group, old, new in zip(self.groups, rows, chosen, strict=True):
            left = list(range(len(old)))
            kept = [at for at in left if old[at] == new[at]]
            left = [at for at in left if at not in kept]
            for at in range(len(new)):
                if at not in kept:
                    found = next(place for place in left if old[place] == new[at])
                    left.remove(found)
                    exchange[group.threads[at]] = group.threads[found]
        return None if exchange == list(range(self.threads)) else tuple(exchange)


def exchange_threads(
    found: _core.Execution, exchange: Exchange, groups: Sequence[Group], registers: Sequence[Sequence[str]]
) -> _core.Execution:
    """The execution in which each thread does what `exchange` says.

    Args:
        found: an execution.
        exchange: per thread the thread whose part it plays.
        groups: who can play whose part.
        registers: per thread the names of its registers by their numbers.
    """
    names = {
        thread: own for group in groups for thread, own in zip(group.threads, group.registers, strict=True)
    }
    renamed = []
    for thread, other in enumerate(exchange):
        own = {name: number for number, name in enumerate(registers[thread])}
        renaming = {} if thread == other else dict(zip(names[other], names[thread], strict=True))
        # A register that only the other thread mentions never gets a value.
        renamed.append([own.get(renaming.get(name, name), 0) for name in registers[other]])
    return found.exchange_threads(exchange, renamed)


def _observed_registers(group: Group, asked: Sequence[Term]) -> list[tuple[int, int, bool]]:
    """The registers that are asked about in some thread of the group, with how they are seen."""
    names = dict(zip(group.threads, group.registers, strict=True))
    found: dict[tuple[int, int, bool], None] = {}
    for term in asked:
        # Nobody writes a register that the thread does not mention.
        if isinstance(term, FinalRegister) and term.register in names.get(term.thread, ()):
            found[names[term.thread].index(term.register), term.width, term.signed] = None
    return list(found)


def _arrangements(rows: Sequence[Row]) -> int:
    return factorial(len(rows)) // prod(factorial(rows.count(row)) for row in set(rows))


def _orders(rows: Sequence[Row]) -> Iterator[tuple[Row, ...]]:
    """The different orders of sorted rows, smallest first."""
    if not rows:
        yield ()
        return
    for at, row in enumerate(rows):
        if at == 0 or rows[at - 1] != row:
            for rest in _orders([*rows[:at], *rows[at + 1 :]]):
                yield (row, *rest)
