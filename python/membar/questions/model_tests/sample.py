"""The programs on which a model is tested: its own annotations, in shapes that distinguish models."""

from __future__ import annotations

from random import Random
from typing import Final

from membar.models.model import Model
from membar.program.condition import Compare, Comparison, Quantifier
from membar.program.expr import Address, Constant, Register, equals, negation
from membar.program.operations import Join, Load, Operation, Spawn, Store, Tags
from membar.program.program import Edge, Program, Thread
from membar.questions.model_tests.classics import classic_programs
from membar.questions.model_tests.programs import (
    AARCH64,
    ARMV7,
    C11,
    FEATURES,
    KERNEL,
    LOCATIONS,
    PLAIN,
    POWER,
    RISCV,
    SIZE,
    X86,
    Features,
    Plan,
    observed_terms,
    program_of_plans,
    program_of_seed,
)
from membar.records import replace

_FAMILIES: Final = (X86, AARCH64, RISCV, POWER, ARMV7, C11, KERNEL)
# Of the fences of all languages.
FENCE_WORDS: Final = frozenset(word for family in _FAMILIES for tags in family.fences for word in tags)
_LOAD_BUFFERING: Final = (("store", "load"),)
_STORE_BUFFERING: Final = (("load", "store"),)
# How an access is done, not how it is ordered: no model must name it.
_MANNERS: Final = frozenset({"X", "EX", "RMW"})


def features_for(model: Model) -> Features:
    """The features of programs for a model: the annotations of the language of which it defines most."""
    if model.name in FEATURES:
        return FEATURES[model.name]
    if model.claims.any_tags and not model.tags:
        return X86
    return max((_restrict_to_known(family, model.tags) for family in _FAMILIES), key=_size, default=PLAIN)


def _restrict_to_known(family: Features, tags: frozenset[str]) -> Features:
    """A family without the annotations that a model does not define."""

    def known_words(choices: tuple[Tags, ...]) -> tuple[Tags, ...]:
        return tuple(words & tags for words in choices if words - _MANNERS <= tags)

    return replace(
        family,
        fences=known_words(family.fences),
        loads=known_words(family.loads) or PLAIN.loads,
        stores=known_words(family.stores) or PLAIN.stores,
        rmws=tuple((pair[0], pair[1]) for both in family.rmws if len(pair := known_words(both)) == len(both)),
    )


def _size(features: Features) -> int:
    words = {
        word for part in (features.fences, features.loads, features.stores) for tags in part for word in tags
    }
    return len(words)


def program_for(seed: int, features: Features) -> Program:
    """The test program number `seed`: the classic ones, then random ones.

    Of these one in two has all words, one in eight has equal threads, and one in eight creates a thread.
    """
    classics = classic_programs(features)
    if seed < len(classics):
        return replace(classics[seed], name=f"test-{seed}")
    random = Random(f"model test {seed}")
    chosen = features if random.randrange(2) else _with_few_annotations(random, features)
    if random.randrange(4) == 0:
        ring = _loads_before_stores(random, seed, replace(chosen, exclusives=False))
        return _copying(ring) if random.randrange(4) == 0 else ring
    program = program_of_seed(random.randrange(2**32), chosen)
    kind = random.randrange(8)
    program = (
        _with_identical_threads(program)
        if kind == 0
        else _creating(random, program, chosen)
        if kind == 1
        else program
    )
    return replace(program, name=f"test-{seed}")


def _with_few_annotations(random: Random, features: Features) -> Features:
    """Few annotations, and a ring that distinguishes weak models from sc."""
    return replace(
        features,
        fences=(),
        loads=features.loads[:1],
        stores=features.stores[:1],
        rmws=features.rmws if random.randrange(4) == 0 else (),
        exclusives=False,
        branches=random.randrange(2) == 0,
        dependencies=random.randrange(2) == 0,
        initial=False,
        ring=random.choice((_LOAD_BUFFERING, _STORE_BUFFERING, features.ring)),
    )


def _loads_before_stores(random: Random, seed: int, features: Features) -> Program:
    """Threads that load and then store, in a ring, with little else."""
    count = random.choice((2, 2, 3))
    locations = LOCATIONS[: random.choice((2, 3))]
    plans: list[Plan] = []
    for index in range(count):
        here, there = (locations[number % len(locations)] for number in (index, index + 1))
        plan = [("load", here), ("store", there)]
        if random.randrange(3) == 0:
            plan.insert(random.randint(0, 2), ("load", random.choice(locations)))
        plans.append(plan)
    return program_of_plans(random, f"test-{seed}", features, locations, plans)


def _copying(program: Program) -> Program:
    """The program whose threads only pass on what they read; a constant is stored if it was read."""

    def store_copy(operation: Operation) -> Operation:
        if not isinstance(operation, Store):
            return operation
        return replace(operation, value=Register("r0"))

    threads = tuple(
        replace(
            thread,
            edges=tuple(
                replace(edge, operations=tuple(map(store_copy, edge.operations))) for edge in thread.edges
            ),
        )
        for thread in program.threads
    )
    end = last_point(program, 0)
    is_one = equals(Register("r0"), Constant(1))
    store = Store(address=Address(program.objects[0].name), value=Constant(1), size=SIZE)
    behind = (
        Edge(source=end, target=end + 1, operations=(store,), guard=is_one),
        Edge(source=end, target=end + 1, guard=negation(is_one)),
    )
    first = replace(threads[0], edges=(*threads[0].edges, *behind))
    return replace(program, threads=(first, *threads[1:]))


def _with_identical_threads(program: Program) -> Program:
    """The program with its first thread also in place of the second."""
    first, second, *others = program.threads
    return observing_all(replace(program, threads=(first, replace(first, name=second.name), *others)))


def _creating(random: Random, program: Program, features: Features) -> Program:
    """The program whose first thread creates the last somewhere, and perhaps waits for it and looks again."""
    *others, last = program.threads
    program = replace(program, threads=(*others, replace(last, started=False)))
    at = random.randint(0, last_point(program, 0))
    program = with_operation(program, Spawn(last.name), thread=0, at=at)
    if random.randrange(2):
        at = random.randint(at + 1, last_point(program, 0))
        program = with_operation(program, Join(last.name), thread=0, at=at)
        place = random.choice(program.objects)
        load = Load(register="joined", address=Address(place.name), size=SIZE, tags=features.loads[0])
        program = with_operation(program, load, thread=0, at=at + 1)
    return observing_all(program)


def observing_all(program: Program) -> Program:
    """The program with all of its registers and cells in its final states."""
    condition = program.condition
    if condition is None:
        raise ValueError("test programs ask a question")
    return replace(program, condition=replace(condition, observed=observed_terms(program)))


def with_operation(program: Program, operation: Operation, *, thread: int, at: int) -> Program:
    """The program with one more operation, before whatever leaves the point `at` of a thread."""
    changed = program.threads[thread]
    edges = tuple(
        replace(edge, source=edge.source + (edge.source >= at), target=edge.target + (edge.target > at))
        for edge in changed.edges
    )
    added = Edge(source=at, target=at + 1, operations=(operation,))
    threads = list(program.threads)
    threads[thread] = replace(changed, edges=(*edges, added))
    return replace(program, threads=tuple(threads))


def last_point(program: Program, thread: int) -> int:
    """Where a thread ends."""
    return max(edge.target for edge in program.threads[thread].edges)


def smaller(program: Program) -> list[Program]:
    """Programs with one thread or one step less; test programs are straight-line code.

    Where threads are created, all stay.
    """
    creates = any(not thread.started for thread in program.threads)
    found: list[tuple[Thread, ...]] = []
    for number, thread in enumerate(program.threads):
        before, after = program.threads[:number], program.threads[number + 1 :]
        if (before or after) and not creates:
            found.append((*before, *after))
        points = {edge.source for edge in thread.edges}
        kept = {edge.source for edge in thread.edges if _creates_thread(edge)}
        if len(points) > 1:
            found += [(*before, _without_step(thread, point), *after) for point in sorted(points - kept)]
    return [_with_threads(program, threads) for threads in found]


def _creates_thread(edge: Edge) -> bool:
    return any(isinstance(operation, Spawn | Join) for operation in edge.operations)


def _without_step(thread: Thread, point: int) -> Thread:
    edges = (
        replace(edge, source=edge.source - (edge.source > point), target=edge.target - (edge.target > point))
        for edge in thread.edges
        if edge.source != point
    )
    return replace(thread, edges=tuple(edges))


def _with_threads(program: Program, threads: tuple[Thread, ...]) -> Program:
    """The program with other threads, and a condition that fits them."""
    numbered = tuple(replace(thread, name=f"P{number}") for number, thread in enumerate(threads))
    changed = observing_all(replace(program, threads=numbered))
    condition = changed.condition
    if condition is None:
        return changed
    asked = Compare(condition.observed[0].term, Comparison.EQ, 0)
    return replace(changed, condition=replace(condition, quantifier=Quantifier.EXISTS, formula=asked))
