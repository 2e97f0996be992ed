"""Domains of variables: an enumeration, thread numbers, or integers; with their types and terms.

A variable with few values has an enumerated type; one that holds thread numbers has type `proc`; one that
holds both becomes two symbols, which are always read and written together. Any other is an integer.
"""

from __future__ import annotations

from fractions import Fraction

from membar.program.expr import signed
from membar.records import field, record, replace
from membar.systems.lifting.values import CannotLiftError, StateVariable
from membar.systems.system import Symbol
from membar.systems.terms import Access, Basic, Constructor, Enumeration, Linear, Type

MOST_WORDS = 8
_THREAD = "thread"
_ID = "id_"
_BITS = (7, 8, 15, 16, 31, 32, 63, 64, 65, 128)


@record(frozen=True, slots=True)
class Domain:
    """The possible values of one variable.

    Attributes:
        words: these.
        offset: numbers of threads plus this; None: no such number.
        range: any number from the first to the second of these (then the others do not count).
    """

    words: frozenset[int] = frozenset()
    offset: int | None = None
    range: tuple[int, int] | None = None

    @property
    def is_integer(self) -> bool:
        """Whether it has too many values to enumerate."""
        return self.range is not None

    def with_word(self, word: int) -> Domain:
        """This domain and a word."""
        if word in self.words:
            return self
        if self.range is None and len(self.words) < MOST_WORDS:
            return replace(self, words=self.words | {word})
        return self.with_integers(signed(word), signed(word))

    def with_threads(self, offset: int) -> Domain:
        """This domain and the numbers of threads plus `offset`."""
        if self.is_integer:
            raise CannotLiftError("a variable that holds thread numbers and many other numbers")
        if self.offset not in (None, offset):
            raise CannotLiftError("a variable that holds thread numbers counted from different starts")
        return replace(self, offset=offset)

    def with_integers(self, low: int, high: int) -> Domain:
        """This domain and any number from `low` to `high`."""
        if self.offset is not None:
            raise CannotLiftError("a variable that holds thread numbers and results of arithmetic")
        numbers = [low, high, *(self.range or ()), *map(signed, self.words)]
        return Domain(range=(_rounded_down(min(numbers)), _rounded_up(max(numbers))))

    @property
    def listed_words(self) -> tuple[int, ...]:
        """The words that are not the number of a thread, in order."""
        return tuple(sorted((word for word in self.words if not self._is_thread(word)), key=signed))

    def _is_thread(self, word: int) -> bool:
        return self.offset is not None and signed(word) >= self.offset

    @property
    def first_thread(self) -> bool:
        """Whether the number of the first thread is among the words.

        Raises:
            CannotLiftError: the number of another thread is: there need not be one.
        """
        threads = {word for word in self.words if self._is_thread(word)}
        if any(signed(word) != self.offset for word in threads):
            raise CannotLiftError("a number that is a thread number only if there are enough threads")
        return bool(threads)

    @property
    def enumeration(self) -> Enumeration | None:
        """The type of the symbol for enumerated words; None if it is not needed."""
        names = [constructor_name(word) for word in self.listed_words]
        if self.offset is not None and names:
            names.append(_THREAD)
        if not names:
            return None
        return Enumeration("_".join(("w", *names)), tuple(names))


def _rounded_up(number: int) -> int:
    """The greatest number of the smallest usual type that contains it: ranges must not grow forever."""
    return next(top for bits in _BITS if (top := (1 << bits) - 1) >= number)


def _rounded_down(number: int) -> int:
    if number >= 0:
        return 0
    return next(least for bits in _BITS if (least := -(1 << bits)) <= number)


def constructor_name(word: int) -> str:
    """A word as the name of a value."""
    number = signed(word)
    return f"v{number}" if number >= 0 else f"m{-number}"


@record(frozen=True, slots=True, kw_only=True)
class Storage:
    """A variable of the program: a register, a shared variable, or an array with a cell per thread.

    Attributes:
        name: its symbols' names begin so.
        weak: whether it is shared memory.
        dimensions: how many processes index it; registers and per-thread arrays have one.
        width: bits; numbers wrap around at it.
        signed: how it wraps.
        initial: what it holds at the start; None: nothing that matters.
    """

    name: str
    weak: bool
    dimensions: int
    width: int = 64
    signed: bool = True
    initial: int | None = None


@record()
class Memory:
    """All variables, and their possible values so far."""

    storages: dict[str, Storage] = field(default_factory=dict)
    domains: dict[str, Domain] = field(default_factory=dict)
    _names: dict[tuple[str, str], str] = field(default_factory=dict)

    def name(self, prefix: str, written: str) -> str:
        """An unused name for the symbols of a variable."""
        if (prefix, written) not in self._names:
            clean = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in written)
            found, count = f"{prefix}_{clean}", 1
            while found in self._names.values():
                count += 1
                found = f"{prefix}_{clean}_{count}"
            self._names[prefix, written] = found
        return self._names[prefix, written]

    def declare(self, storage: Storage) -> Storage:
        """A variable, with its initial value."""
        if storage.name not in self.storages:
            self.storages[storage.name] = storage
            empty = Domain()
            self.domains[storage.name] = (
                empty if storage.initial is None else empty.with_word(storage.initial)
            )
        return self.storages[storage.name]

    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols of all variables."""
        found: list[Symbol] = []
        for name, storage in self.storages.items():
            found += (
                Symbol(name=prefix + name, type=kind, dimensions=storage.dimensions, weak=storage.weak)
                for prefix, kind in _parts(self.domains[name])
            )
        return tuple(found)

    def types(self) -> tuple[Enumeration, ...]:
        """The enumerated types of all variables."""
        kinds = (domain.enumeration for domain in self.domains.values())
        return tuple(dict.fromkeys(kind for kind in kinds if kind is not None))

    def word_place(self, held: StateVariable) -> tuple[Access, Enumeration] | None:
        """The place of the enumerated word of a variable."""
        kind = self.domains[held.storage].enumeration
        return None if kind is None else (self._access(held, ""), kind)

    def thread_place(self, held: StateVariable) -> Access:
        """The place of the thread number of a variable."""
        return self._access(held, _ID if self.domains[held.storage].enumeration else "")

    def number_place(self, held: StateVariable) -> Access:
        """The place of a variable that is an integer."""
        return self._access(held, "")

    @staticmethod
    def _access(held: StateVariable, prefix: str) -> Access:
        return Access(prefix + held.storage, held.indices, held.reader)


def _parts(domain: Domain) -> list[tuple[str, Type]]:
    """The symbols of a variable: prefixes of their names, and their types."""
    if domain.is_integer:
        return [("", Basic.INT)]
    kind = domain.enumeration
    parts: list[tuple[str, Type]] = [] if kind is None else [("", kind)]
    if domain.offset is not None:
        parts.append((_ID if kind else "", Basic.PROC))
    return parts


def constructor(kind: Enumeration, word: int) -> Constructor:
    """A word as a value of a type."""
    return Constructor(kind, constructor_name(word))


def thread_constructor(kind: Enumeration) -> Constructor:
    """The value that means: the number of a thread."""
    return Constructor(kind, _THREAD)


def integer(value: int) -> Linear:
    """A number as a term."""
    return Linear(Basic.INT, Fraction(value))
