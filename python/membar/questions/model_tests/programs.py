"""Random programs worth running: few threads that access the same few locations.

Every program has at least two threads and five shared accesses, small values, and a condition on a plausible
final state. `Features` says what may occur besides loads and stores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from types import MappingProxyType
from typing import TypeAlias

from membar.program import condition as c
from membar.program import expr as e
from membar.program import operations as ops
from membar.program.dependencies import reads_memory, registers_written, writes_memory
from membar.program.program import Edge, MemoryObject, Program, Thread
from membar.records import record, replace

LOCATIONS = ("x", "y", "z")
SIZE = 4


@record(frozen=True, slots=True, kw_only=True)
class Features:
    """What a random program may have.

    Attributes:
        fences: tags of the fences that may stand between accesses.
        loads: the tags a load may have.
        stores: the tags a store may have.
        rmws: read and write tags of atomic read-modify-writes; none: there are none.
        dependencies: values and addresses that are computed from what was read.
        branches: accesses that happen only if a certain value was read.
        exclusives: load-linked and store-conditional.
        initial: locations may start at 1.
        ring: what two neighbouring threads may do at the location between them.
    """

    fences: tuple[ops.Tags, ...] = ()
    loads: tuple[ops.Tags, ...] = (ops.NO_TAGS,)
    stores: tuple[ops.Tags, ...] = (ops.NO_TAGS,)
    rmws: tuple[tuple[ops.Tags, ops.Tags], ...] = ()
    dependencies: bool = True
    branches: bool = True
    exclusives: bool = False
    initial: bool = True
    ring: tuple[tuple[str, str], ...] = (("store", "load"), ("load", "store"), ("store", "store"))


def _tags(*words: str) -> ops.Tags:
    return frozenset(words)


def _each(*words: str) -> tuple[ops.Tags, ...]:
    return tuple(frozenset({word}) for word in words)


PLAIN = Features()
X86 = Features(
    fences=_each("MFENCE", "SFENCE", "LFENCE"),
    rmws=((_tags("X"), _tags("X")),),
)
AARCH64 = Features(
    fences=_each("DMB.SY", "DMB.LD", "DMB.ST", "ISB"),
    loads=(ops.NO_TAGS, ops.NO_TAGS, _tags("A"), _tags("Q")),
    stores=(ops.NO_TAGS, ops.NO_TAGS, _tags("L")),
    rmws=((_tags("X"), _tags("X")), (_tags("X", "A"), _tags("X", "L"))),
    exclusives=True,
)
RISCV = Features(
    fences=_each("Fence.rw.rw", "Fence.r.rw", "Fence.w.w", "Fence.tso"),
    loads=(ops.NO_TAGS, ops.NO_TAGS, _tags("Acq")),
    stores=(ops.NO_TAGS, ops.NO_TAGS, _tags("Rel")),
    rmws=((_tags("X"), _tags("X")), (_tags("X", "AcqRel"), _tags("X", "AcqRel"))),
    exclusives=True,
)
ARMV7 = Features(fences=_each("DMB.SY", "DMB.ST", "DSB.ISH", "ISB"), exclusives=True)
POWER = Features(fences=_each("SYNC", "LWSYNC", "EIEIO", "ISYNC"), exclusives=True)
C11 = Features(
    fences=_each("ACQ", "REL", "ACQ_REL", "SC"),
    loads=_each("RLX", "ACQ", "SC"),
    stores=_each("RLX", "REL", "SC"),
    rmws=tuple((_tags(word, "RMW"), _tags(word, "RMW")) for word in ("RLX", "ACQ_REL", "SC")),
)
KERNEL = Features(
    fences=_each("Mb", "Rmb", "Wmb", "Barrier", "Before-atomic", "After-atomic"),
    loads=(ops.NO_TAGS, _tags("Once"), _tags("Once"), _tags("Acquire")),
    stores=(ops.NO_TAGS, _tags("Once"), _tags("Once"), _tags("Release")),
    rmws=(
        (_tags("RMW", "Once"), _tags("RMW", "Once")),
        (_tags("RMW", "Acquire"), _tags("RMW", "Once")),
        (_tags("RMW", "Noreturn"), _tags("RMW", "Once")),
        (_tags("RMW", "Mb"), _tags("RMW", "Mb")),
    ),
)
# The features that the tags of each shipped model allow; a new model starts with plain programs.
FEATURES: Mapping[str, Features] = MappingProxyType(
    {
        "sc": X86,
        "x86-tso": X86,
        "pso": X86,
        "armv7": ARMV7,
        "armv8": AARCH64,
        "riscv": RISCV,
        "power": POWER,
        "rc11": C11,
        "rc20": C11,
        "ra": C11,
        "imm": C11,
        "lkmm": KERNEL,
    }
)


@record(frozen=True, slots=True, kw_only=True)
class Size:
    """Least and most threads and shared accesses of a random program."""

    threads: tuple[int, int] = (2, 3)
    accesses: tuple[int, int] = (5, 6)


SMALL = Size()


def program_of_seed(seed: int, features: Features = PLAIN, *, size: Size = SMALL) -> Program:
    """The random program number `seed`."""
    random = Random(seed)
    count = random.randint(*size.threads)
    total = max(2 * count, random.randint(*size.accesses))
    locations = LOCATIONS[: random.choice((count, 2, 3))]
    plans = _plans(random, features.ring, locations, count, total)
    return program_of_plans(random, f"random-{seed}", features, locations, plans)


Plan: TypeAlias = list[tuple[str, str]]  # what a thread does: "load" or "store", and where


def program_of_plans(
    random: Random, name: str, features: Features, locations: tuple[str, ...], plans: Iterable[Plan]
) -> Program:
    """A random program whose threads do what `plans` say."""
    built = tuple(_ThreadBuilder(random, features, index).build(plan) for index, plan in enumerate(plans))
    starts_at = {name: int(features.initial and random.randrange(6) == 0) for name in locations}
    objects = tuple(
        MemoryObject(name=name, size=SIZE, initial=(value,) if value else ())
        for name, value in starts_at.items()
    )
    program = Program(name=name, language="Program", objects=objects, threads=built)
    return replace(program, condition=_condition(random, program))


def _plans(
    random: Random, ring: tuple[tuple[str, str], ...], locations: tuple[str, ...], count: int, total: int
) -> list[Plan]:
    """The plan of each thread: a ring of threads that share locations, then accesses anywhere.

    Each thread ends at the location where the next one begins, and of the two accesses there one at least
    is a store: that makes a cycle of the kind by which models differ.
    """
    plans: list[Plan] = [[("", "")] * 2 for _ in range(count)]
    for index in range(count):
        here = locations[index % len(locations)]
        leaves, arrives = random.choice(ring)
        plans[index][1] = (leaves, here)
        plans[(index + 1) % count][0] = (arrives, here)
    for _ in range(total - 2 * count):
        plan = random.choice(plans)
        kind = random.choice(("load", "load", "store"))
        # Often next to an access of the same location: a thread's own stores and loads.
        at = random.randrange(len(plan))
        place = plan[at][1] if random.randrange(2) else random.choice(locations)
        plan.insert(random.choice((at, at + 1)), (kind, place))
    return plans


class _ThreadBuilder:
    """One thread, access by access, each on an edge of its own."""

    def __init__(self, random: Random, features: Features, index: int) -> None:
        self.random = random
        self.features = features
        self.index = index
        self.point = 0
        self.edges: list[Edge] = []
        self.read: list[str] = []

    def build(self, plan: Plan) -> Thread:
        for position, (kind, location) in enumerate(plan):
            if position and self._chance(self.features.fences, 1, 3):
                self._step(ops.Fence(self.random.choice(self.features.fences)))
            if self._chance(self.features.exclusives, 1, 8):
                self._exclusive_pair(location, self.random.choice(plan)[1])
            else:
                self._access("rmw" if self._chance(self.features.rmws, 1, 6) else kind, location)
        return Thread(name=f"P{self.index}", entry=0, edges=tuple(self.edges))

    def _chance(self, allowed: object, wins: int, of: int) -> bool:
        return bool(allowed) and self.random.randint(1, of) <= wins

    def _access(self, kind: str, location: str) -> None:
        guard = self._guard()
        if kind == "load":
            self._step(self._load(location), guard)
        elif kind == "store":
            tags = self.random.choice(self.features.stores)
            address, value = self._address(location), self._value()
            self._step(ops.Store(address=address, value=value, size=SIZE, tags=tags), guard)
        else:
            self._step(self._rmw(location), guard)

    def _load(self, location: str, *, exclusive: bool = False) -> ops.Load:
        address = self._address(location)
        tags = self.random.choice(self.features.loads)
        return ops.Load(register=self._register(), address=address, size=SIZE, tags=tags, exclusive=exclusive)

    def _rmw(self, location: str) -> ops.Rmw:
        address, value = self._address(location), self._value()
        read_tags, write_tags = self.random.choice(self.features.rmws)
        kind = self.random.choice(["exchange", "add", "compare"])
        register = self._register()
        old = e.Register(register)
        return ops.Rmw(
            register=register,
            address=address,
            value=e.Binary(e.BinaryOp.ADD, old, e.Constant(1)) if kind == "add" else value,
            size=SIZE,
            condition=e.equals(old, e.Constant(self.random.randint(0, 1))) if kind == "compare" else e.TRUE,
            read_tags=read_tags,
            write_tags=write_tags,
        )

    def _exclusive_pair(self, location: str, other: str) -> None:
        self._step(self._load(location, exclusive=True))
        value = self._value()
        tags = self.random.choice(self.features.stores)
        # Now and then the reservation is for another location, and the store must not succeed.
        target = location if self.random.randrange(8) else other
        status = f"s{len(self.read)}"
        self._step(
            ops.StoreConditional(status=status, address=e.Address(target), value=value, size=SIZE, tags=tags)
        )

    def _step(self, operation: ops.Operation, guard: e.Expr = e.TRUE) -> None:
        self.edges.append(
            Edge(source=self.point, target=self.point + 1, operations=(operation,), guard=guard)
        )
        if guard != e.TRUE:  # else the access is skipped
            self.edges.append(Edge(source=self.point, target=self.point + 1, guard=e.negation(guard)))
        self.point += 1

    def _register(self) -> str:
        self.read.append(f"r{len(self.read)}")
        return self.read[-1]

    def _source(self) -> e.Register:
        """A register that holds a value read before, usually the last one."""
        return e.Register(self.random.choice([self.read[-1], *self.read]))

    def _guard(self) -> e.Expr:
        if self.read and self._chance(self.features.branches, 1, 5):
            return e.equals(self._source(), e.Constant(self.random.randint(0, 1)))
        return e.TRUE

    def _address(self, location: str) -> e.Expr:
        if self.read and self._chance(self.features.dependencies, 1, 6):
            source = self._source()
            return e.Binary(e.BinaryOp.ADD, e.Address(location), e.Binary(e.BinaryOp.XOR, source, source))
        return e.Address(location)

    def _value(self) -> e.Expr:
        # Stores of different threads mostly store different values, so that reads tell them apart.
        constant = e.Constant(1 + self.index % 2 if self.random.randrange(3) else self.random.randint(1, 2))
        if self.read and self._chance(self.features.dependencies, 2, 5):
            source = self._source()
            fake = e.Binary(e.BinaryOp.ADD, e.Binary(e.BinaryOp.XOR, source, source), constant)
            values: list[e.Expr] = [source, fake, e.Binary(e.BinaryOp.ADD, source, e.Constant(1))]
            return self.random.choice(values)
        return constant


def observed_terms(program: Program) -> tuple[c.Observed, ...]:
    """Every register that gets a value, then every cell: everything that a final state can show."""
    found: list[c.Observed] = []
    for index, thread in enumerate(program.threads):
        names = dict.fromkeys(name for op in thread.operations for name in registers_written(op))
        found += [c.Observed(c.FinalRegister(index, name), f"{index}:{name}") for name in names]
    return (*found, *(c.Observed(c.FinalCell(item.name), item.name) for item in program.objects))


def _condition(random: Random, program: Program) -> c.FinalCondition:
    observed = observed_terms(program)
    registers = [item.term for item in observed if isinstance(item.term, c.FinalRegister)]
    cells: list[c.Term] = [item.term for item in observed if isinstance(item.term, c.FinalCell)]
    asked: list[c.Term] = [*registers, *random.sample(cells, random.randint(0, 1))]
    if len(asked) > 3:
        asked = asked[random.randint(0, len(asked) - 3) :]
    parts = [c.Compare(term, c.Comparison.EQ, random.choice((0, 0, 1, 1, 2))) for term in asked]
    whole: c.Formula = c.Or(tuple(parts)) if random.randrange(4) == 0 else c.And(tuple(parts))
    formula = whole if parts else c.Compare(cells[0], c.Comparison.EQ, 1)
    quantifier = random.choice((c.Quantifier.EXISTS, c.Quantifier.NOT_EXISTS, c.Quantifier.FORALL))
    return c.FinalCondition(quantifier=quantifier, formula=formula, observed=observed)


def shared_accesses(program: Program) -> int:
    """How many operations read or write shared memory."""
    return sum(reads_memory(op) or writes_memory(op) for op in program.operations)
