"""Where an answer depends on which operand of an expression is evaluated first.

It does if both access the same memory, and one changes it, or if both access memory that other threads
change, and one of these accesses orders others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from typing import TypeAlias

from membar.code import ir
from membar.code.analyses.cells import access_of
from membar.code.analyses.instruction_order import Position
from membar.code.analyses.lifetimes import positions
from membar.code.analyses.parallel_threads import running_threads
from membar.code.analyses.points_to import PointsTo, points_to
from membar.code.analyses.targets import UNKNOWN_SITE, Target, overlaps
from membar.code.analyses.unsequenced_operands import Pair, is_access, pairs_of_program
from membar.code.primitives import PREFIX
from membar.records import record

_Test: TypeAlias = Callable[["_Effect", "_Effect"], bool]
_Key: TypeAlias = tuple[str, int, int, str]
_Group: TypeAlias = tuple[str, ir.Place | None, _Key]
_RELEASE = ir.FunctionAddress(f"{PREFIX}release")
# Primitives that order accesses, besides those that access memory themselves.
_ORDERING = frozenset(
    ir.FunctionAddress(f"{PREFIX}{name}")
    for name in ("spawn", "join", "finish", "wait", "exit", "try_lock", "atomic_begin", "atomic_end", "fence")
)
_READS = frozenset({f"{PREFIX}peek"})


@record(frozen=True, slots=True)
class _Effect:
    """What one instruction accesses: bytes from each of these places on; none if it only orders accesses."""

    targets: frozenset[Target]
    size: int
    writes: bool
    orders: bool


class EvaluationOrder:
    """The places of a program where the order matters.

    Whether one operand changes what another accesses is asked where calls have been inlined and nothing else
    has been changed: what a thread does alone may be simplified later. What other threads see is kept.
    """

    def __init__(self, module: ir.Module, *, is_of_program: Callable[[str], bool]) -> None:
        """Looks for the operands of a linked module, in functions whose files are the program's."""
        self._pairs = pairs_of_program(module, is_of_program)
        self._inlined: ir.Module | None = None
        self._error_numbers = frozenset(
            f"@{name}"
            for name, item in module.objects.items()
            if item.is_thread_local and item.place is not None and not is_of_program(item.place.file)
        )

    def watch(self, name: str, module: ir.Module) -> None:
        """Keeps the code after calls were inlined."""
        if name == "inline_calls" and self._inlined is None and self._pairs:
            self._inlined = module

    def places(self, ready: ir.Module) -> list[ir.Place]:
        """The places of the first operands where the order matters, in the module that is lowered."""
        if not self._pairs:
            return []
        found = set[Pair]()
        if self._inlined is not None:
            effects = _Effects(self._inlined, self._pairs)
            found |= {pair for pair in self._pairs if effects.any_pair(pair, self._conflict)}
        if len(ready.threads) > 1 and self._pairs - found:
            effects = _SharedEffects(ready, self._pairs - found)
            found |= {pair for pair in self._pairs - found if effects.any_pair(pair, _may_be_told_apart)}
        return sorted((first for first, _ in found), key=_key)

    def _conflict(self, one: _Effect, other: _Effect) -> bool:
        """Whether two effects of one thread conflict; that both may set `errno` does not count."""
        both_set = one.writes and other.writes
        return _conflict(one, other) and not (
            both_set and {target.site for target in one.targets | other.targets} <= self._error_numbers
        )


def _key(place: ir.Place) -> _Key:
    return place.file, place.line, place.column, place.function


class _Effects:
    """The effects below the places of some pairs, for each call of the function that has them."""

    def __init__(self, module: ir.Module, pairs: Collection[Pair]) -> None:
        self.module, self.targets = module, points_to(module)
        self._wanted = {_key(place) for pair in pairs for place in pair}
        self._groups: dict[_Group, list[_Effect]] = defaultdict(list)
        self._hits: dict[int, list[tuple[ir.Place | None, _Key]]] = {}
        for function in module.functions.values():
            for block in function.blocks:
                for index, item in enumerate(block.instructions):
                    hits = self._frames(item.place)
                    if hits:
                        effects = self._effects(Position(function.name, block.name, index), item)
                        for context, key in hits:
                            self._groups[function.name, context, key] += effects

    def any_pair(self, pair: Pair, test: _Test) -> bool:
        """Whether there are two such effects of one call that pass a test."""
        first, second = _key(pair[0]), _key(pair[1])
        return any(
            test(one, other)
            for (function, context, key), effects in self._groups.items()
            if key == first
            for index, one in enumerate(effects)
            for other in self._groups.get((function, context, second), ())[
                index + 1 if first == second else 0 :
            ]
        )

    def _frames(self, place: ir.Place | None) -> list[tuple[ir.Place | None, _Key]]:
        """The wanted places in a chain of calls, each with the calls that lead to its function."""
        if place is None:
            return []
        found = self._hits.get(id(place))
        if found is None:
            key = _key(place)
            own = [(place.caller, key)] if key in self._wanted else []
            found = self._hits[id(place)] = own + self._frames(place.caller)
        return found

    def _effects(self, position: Position, item: ir.Instruction) -> list[_Effect]:
        """What an instruction does; what a function does that is called, not inlined, is done at the call."""
        if isinstance(item, ir.Call) and isinstance(item.callee, ir.FunctionAddress):
            called = self.module.functions.get(item.callee.name)
            if called is not None and called.blocks:
                return [effect for name in self._reachable(called.name) for effect in self._of_function(name)]
        return list(_effects_of(position.thread, item, self.module, self.targets))

    def _reachable(self, name: str) -> set[str]:
        found, todo = {name}, [name]
        while todo:
            for block in self.module.functions[todo.pop()].blocks:
                for item in block.instructions:
                    if isinstance(item, ir.Call) and isinstance(item.callee, ir.FunctionAddress):
                        callee = item.callee.name
                        if callee not in found and self.module.functions[callee].blocks:
                            found.add(callee)
                            todo.append(callee)
        return found

    def _of_function(self, name: str) -> Iterator[_Effect]:
        own = {
            site for (function, _), site in self.targets.sites.items() if function == name
        }  # variables of each call are its own
        for block in self.module.functions[name].blocks:
            for item in block.instructions:
                for effect in _effects_of(name, item, self.module, self.targets):
                    if not effect.targets or not {target.site for target in effect.targets} <= own:
                        yield effect


class _SharedEffects(_Effects):
    """Only the effects that other threads may notice, or that notice what these do."""

    def __init__(self, module: ir.Module, pairs: Collection[Pair]) -> None:
        running, targets = running_threads(module), points_to(module)
        first = module.threads[0]
        self._parallel = {at for at, _ in positions(module) if at.thread != first or running.get(at)}
        self._by_site: dict[str, list[tuple[str, _Effect]]] = defaultdict(list)
        for at, item in positions(module):
            if at in self._parallel:
                for effect in _effects_of(at.thread, item, module, targets):
                    for site in {target.site for target in effect.targets}:
                        self._by_site[site].append((at.thread, effect))
        super().__init__(module, pairs)

    def _effects(self, position: Position, item: ir.Instruction) -> list[_Effect]:
        if position not in self._parallel:
            return []
        return [
            effect
            for effect in _effects_of(position.thread, item, self.module, self.targets)
            if not effect.targets or self._is_shared(position.thread, effect)
        ]

    def _is_shared(self, thread: str, effect: _Effect) -> bool:
        sites = {target.site for target in effect.targets}
        others = self._by_site if UNKNOWN_SITE in sites else sites | {UNKNOWN_SITE}
        return any(
            other != thread and _conflict(effect, found)
            for site in others
            for other, found in self._by_site.get(site, ())
        )


def _effects_of(
    function: str, item: ir.Instruction, module: ir.Module, targets: PointsTo
) -> Iterator[_Effect]:
    access = access_of(function, item, module)
    if access is not None:
        writes = not isinstance(item, ir.Load)
        if isinstance(item, ir.Call) and isinstance(item.callee, ir.FunctionAddress):
            writes = item.callee.name not in _READS
        is_volatile = isinstance(item, ir.Load | ir.Store) and item.is_volatile
        at = targets.targets(function, access.address)
        yield _Effect(at, access.size, writes, access.is_atomic or is_volatile)
    elif isinstance(item, ir.Copy | ir.Fill):
        size = item.length.value if isinstance(item.length, ir.Constant) else 0
        yield _whole_effect(targets.targets(function, item.target), size, writes=True)
        if isinstance(item, ir.Copy):
            yield _whole_effect(targets.targets(function, item.source), size, writes=False)
    elif isinstance(item, ir.Call) and item.callee == _RELEASE:
        yield _whole_effect(targets.targets(function, item.arguments[0]), 0, writes=True)
    elif _orders(item):
        yield _Effect(frozenset(), 0, writes=False, orders=True)


def _orders(item: ir.Instruction) -> bool:
    """Whether an instruction that accesses no memory may order accesses."""
    if not isinstance(item, ir.Call):
        return is_access(item)  # a fence, or assembly
    return item.callee in _ORDERING or not _is_primitive(item)


def _is_primitive(item: ir.Call) -> bool:
    return isinstance(item.callee, ir.FunctionAddress) and item.callee.name.startswith(PREFIX)


def _whole_effect(targets: frozenset[Target], size: int, *, writes: bool) -> _Effect:
    """An effect on so many bytes, or, if their number is not known, on whole objects."""
    at = targets if size else frozenset(target.anywhere() for target in targets)
    return _Effect(at, size or 1, writes, orders=False)


def _conflict(one: _Effect, other: _Effect) -> bool:
    """Whether two effects may access the same byte, and one of them changes it."""
    if not (one.writes or other.writes):
        return False
    return any(
        UNKNOWN_SITE in (mine.site, theirs.site)
        or (mine.site == theirs.site and overlaps(mine, one.size, theirs, other.size))
        for mine in one.targets
        for theirs in other.targets
    )


def _may_be_told_apart(one: _Effect, other: _Effect) -> bool:
    """Whether another thread may notice the order of two effects, each of which it takes part in."""
    return one.orders or other.orders
