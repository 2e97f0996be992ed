"""Effects of one expression that C lets a compiler perform in either order.

Code that was not optimised keeps a value in a register, or in memory without a name, only while it evaluates
an expression. What happens between the calculation of such a value and its last use belongs to another
operand than the effects that the value comes from, unless it depends on them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from membar.code import ir
from membar.code.primitives import PREFIX
from membar.code.structure import operands, results, targets
from membar.records import field, record
from membar.source import pattern

Pair: TypeAlias = tuple[ir.Place, ir.Place]
"""The places of two effects, the one that the code performs first before the other."""

_PART = pattern(r"(.+)\.\d+")  # as `lower_function` names parts of values
_NONE: frozenset[int] = frozenset()
# Primitives that neither access memory nor order anything.
_HARMLESS = frozenset(
    f"{PREFIX}{name}"
    for name in (
        "allocate", "allocate_aligned", "assume", "block_size", "check", "choose", "cut", "input", "mark",
        "me", "number", "read", "self", "thread_count", "unknown", "use", "wakes",
    )
)  # fmt: skip


def functions_without_shared_effects(module: ir.Module) -> frozenset[str]:
    """The functions that access only variables of their own, and call only such functions."""
    quiet = {
        name for name, function in module.functions.items() if name in _HARMLESS or _is_private(function)
    }
    while loud := {name for name in quiet if _calls(module.functions[name]) - quiet}:
        quiet -= loud
    return frozenset(quiet)


def unsequenced_pairs(function: ir.Function, quiet: frozenset[str]) -> set[Pair]:
    """Pairs of effects of a function, at least one of which changes or orders something."""
    return _Function(function, quiet).run() if function.blocks else set()


def is_access(item: ir.Instruction) -> bool:
    """Whether an instruction accesses memory or orders accesses, calls excepted."""
    kinds = ir.Load | ir.Store | ir.CompareExchange | ir.Update | ir.Copy | ir.Fill | ir.Assembly
    return isinstance(item, kinds) or (isinstance(item, ir.Fence) and not item.is_signal)


def private_slots(function: ir.Function) -> frozenset[str]:
    """The variables of a function whose addresses are only used to load and store them."""
    slots, escaped = set[str](), set[str]()
    for block in function.blocks:
        for item in (*block.instructions, block.end):
            if isinstance(item, ir.Slot):
                slots.add(item.result.name)
            elif isinstance(item, ir.Load | ir.Lifetime):
                continue
            else:
                used = [item.value] if isinstance(item, ir.Store) else operands(item)
                escaped.update(each.name for each in used if isinstance(each, ir.Value))
    return frozenset(slots - escaped)


def _is_private(function: ir.Function) -> bool:
    """Whether a function has a body that accesses only its own variables."""
    private = private_slots(function)
    return bool(function.blocks) and not any(
        is_access(item) and not _is_of(item, private)
        for block in function.blocks
        for item in block.instructions
    )


def _is_of(item: ir.Instruction, slots: frozenset[str]) -> bool:
    if not isinstance(item, ir.Load | ir.Store):
        return False
    return isinstance(item.address, ir.Value) and item.address.name in slots


def _calls(function: ir.Function) -> set[str]:
    """The functions that a function calls; "" stands for those behind a pointer."""
    return {
        item.callee.name if isinstance(item.callee, ir.FunctionAddress) else ""
        for block in function.blocks
        for item in block.instructions
        if isinstance(item, ir.Call)
    }


@record(eq=False)
class _Origins:
    """Which effects the values of a function come from: instructions, by number.

    Attributes:
        of: the effects that a value, or what lies in a slot, comes from.
        base: the slot that an address lies in.
        parents: the values that one was calculated from.
    """

    of: dict[str, frozenset[int]] = field(default_factory=dict)
    base: dict[str, str] = field(default_factory=dict)
    parents: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def slot(self, address: ir.Operand) -> str | None:
        """The slot that an address lies in."""
        return self.base.get(address.name) if isinstance(address, ir.Value) else None

    def get(self, name: str) -> frozenset[int]:
        """The effects that a value comes from."""
        return self.of.get(name, _NONE)

    def add(self, name: str, effects: frozenset[int]) -> None:
        """Lets a value come from further effects."""
        if effects:
            self.of[name] = self.get(name) | effects

    def ancestors(self, name: str) -> set[str]:
        """A value and those that it was calculated from."""
        found, todo = {name}, [name]
        while todo:
            for parent in self.parents.get(todo.pop(), ()):
                if parent not in found:
                    found.add(parent)
                    todo.append(parent)
        return found


class _Function:
    """One function, read from its beginning to its end as the compiler wrote it."""

    def __init__(self, function: ir.Function, quiet: frozenset[str]) -> None:
        self.blocks, self.quiet = {block.name: block for block in function.blocks}, quiet
        self.private = private_slots(function)
        self.items = [(block, item) for block in function.blocks for item in (*block.instructions, block.end)]
        slots = [item for _, item in self.items if isinstance(item, ir.Slot)]
        self.slots = {item.result.name for item in slots}
        self.unnamed = {item.result.name for item in slots if not item.variable}
        self.origins = _Origins(base={item.result.name: item.result.name for item in slots})
        self.last_use = self._last_uses()
        self.parts = self._parts()
        self.element_addresses = self._element_addresses()
        self.effects: set[int] = set()
        self.strong: set[int] = set()
        self.waiting: list[str] = []  # values that come from effects and are still used
        self.found: set[Pair] = set()
        self.loads: dict[str, set[int]] = {}  # of each variable

    def run(self) -> set[Pair]:
        for number, (block, item) in enumerate(self.items):
            used, dependent = self._used(item)
            if self._is_effect(item):
                self.effects.add(number)
                self._pair(number, block, item, dependent)
            if isinstance(item, ir.Load):
                self.loads.setdefault(self.origins.slot(item.address) or "", set()).add(number)
            is_origin = number in self.effects or isinstance(item, ir.Load)
            self._follow(number, item, used, dependent | {number} if is_origin else dependent)
        return self.found

    def _parts(self) -> dict[str, list[str]]:
        """The parts of structures and vectors that the compiler loaded or calculated as one value."""
        wholes: dict[str, list[str]] = {}
        for _, item in self.items:
            for result in results(item):
                whole = _PART.fullmatch(result.name)
                if whole is not None and not isinstance(item, ir.Index):
                    wholes.setdefault(whole[1], []).append(result.name)
        return {name: parts for parts in wholes.values() for name in parts}

    def _element_addresses(self) -> set[str]:
        """The addresses that are only stored to; those that wait for the value are of initialisers."""
        found, others = set[str](), set[str]()
        for _, item in reversed(self.items):
            is_address = isinstance(item, ir.Index) and item.result.name not in others
            used = [item.value] if isinstance(item, ir.Store) else [] if is_address else operands(item)
            others.update(each.name for each in used if isinstance(each, ir.Value))
            if isinstance(item, ir.Index) and is_address:
                found.add(item.result.name)
        return found

    def _last_uses(self) -> dict[str, int]:
        """Where a value, or what lies in memory without a name, is used last."""
        found: dict[str, int] = {}
        base = dict(self.origins.base)
        for number, (_, item) in enumerate(self.items):
            names = [each.name for each in operands(item) if isinstance(each, ir.Value)]
            for name in names:
                found[name] = number
                if name in base and not (
                    isinstance(item, ir.Store) and item.address == ir.Value(name, ir.PTR)
                ):
                    found[base[name]] = number
            if isinstance(item, ir.Index | ir.Compute):
                base.update((item.result.name, base[name]) for name in names if name in base)
        return found

    def _is_effect(self, item: ir.Instruction) -> bool:
        if isinstance(item, ir.Call):
            return not isinstance(item.callee, ir.FunctionAddress) or item.callee.name not in self.quiet
        if not is_access(item) or item.place is None or _is_of(item, self.private):
            return False
        if isinstance(item, ir.Load | ir.Store):
            return self.origins.slot(item.address) not in self.unnamed
        return not (isinstance(item, ir.Copy | ir.Fill) and self.origins.slot(item.target) in self.unnamed)

    def _used(self, item: ir.Instruction) -> tuple[list[str], frozenset[int]]:
        """The values that an instruction uses, and the effects that these come from."""
        used = [each.name for each in operands(item) if isinstance(each, ir.Value)]
        names = {part for name in used if name not in self.slots for part in self.parts.get(name, (name,))}
        dependent = _NONE.union(*(self.origins.get(name) for name in names))
        read = (
            item.address if isinstance(item, ir.Load) else item.source if isinstance(item, ir.Copy) else None
        )
        several = item.arguments if isinstance(item, ir.Call) else () if read is None else (read,)
        for address in several:
            slot = self.origins.slot(address)
            if slot in self.unnamed:
                dependent |= self.origins.get(slot or "")
        return used, dependent

    def _pair(self, number: int, block: ir.Block, item: ir.Instruction, dependent: frozenset[int]) -> None:
        """Pairs an effect with those of values that wait for their use, unless it depends on them."""
        if not isinstance(item, ir.Load) or item.ordering is not None or item.is_volatile:
            self.strong.add(number)
        self.waiting = [name for name in self.waiting if self.last_use.get(name, 0) > number]
        waiting = _NONE.union(*(self.origins.get(name) for name in self.waiting))
        for earlier in self.effects & waiting - dependent:
            other_block, other = self.items[earlier]
            if other.place is None or item.place is None or not {earlier, number} & self.strong:
                continue
            is_plain = self._is_plain(item) and self._is_plain(other)
            if is_plain and (item.place == other.place or self._are_variables(item, other)):
                continue  # steps of one access, as `va_arg` has, or what clang warns of
            if other_block is block or self._may_follow(block, other_block):
                self.found.add((other.place, item.place))

    def _is_plain(self, item: ir.Instruction) -> bool:
        return isinstance(item, ir.Load | ir.Store) and item.ordering is None and not item.is_volatile

    def _are_variables(self, *accesses: ir.Instruction) -> bool:
        """Whether these access variables of the function by their names."""
        return all(
            isinstance(item, ir.Load | ir.Store) and self.origins.slot(item.address) is not None
            for item in accesses
        )

    def _may_follow(self, later: ir.Block, earlier: ir.Block) -> bool:
        """Whether control can go from one block to another."""
        seen, todo = {earlier.name}, [earlier.name]
        for name in todo:
            for target in targets(self.blocks[name].end):
                if target.block == later.name:
                    return True
                if target.block not in seen:
                    seen.add(target.block)
                    todo.append(target.block)
        return False

    def _follow(self, number: int, item: ir.Instruction, used: list[str], effects: frozenset[int]) -> None:
        """Notes which effects the results of an instruction come from."""
        for result in results(item):
            self._set(result.name, effects)
            if isinstance(item, ir.Compute | ir.Index):
                self.origins.parents[result.name] = tuple(used)
                slots = [self.origins.base[name] for name in used if name in self.origins.base]
                if slots:
                    self.origins.base[result.name] = slots[0]
                    if result.name in self.element_addresses:
                        self.origins.add(result.name, self.origins.get(slots[0]))
                        self.waiting.append(result.name)
        match item:
            case ir.Store(address=address, value=value):
                slot = self.origins.slot(address)
                if slot is not None:
                    self._set(slot, effects)
                if slot not in self.unnamed and isinstance(value, ir.Value):
                    for name in self.origins.ancestors(value.name):
                        if self.origins.get(name):
                            self._set(name, frozenset({number}))
            case ir.Copy(target=target) | ir.Fill(target=target):
                self._set(self.origins.slot(target), effects)
            case ir.Call(arguments=arguments):
                for argument in arguments:
                    self._set(self.origins.slot(argument), effects)
            case ir.Lifetime(slot=ir.Value(name=name), begins=begins):
                if begins:
                    self.origins.of.pop(name, None)
                else:
                    self._end(name)
            case ir.Jump(target=target):
                self._pass(target)
            case ir.Branch(then=then, otherwise=otherwise):
                self._pass(then)
                self._pass(otherwise)
            case _:
                pass

    def _set(self, name: str | None, effects: frozenset[int]) -> None:
        if name is None or not effects:
            return
        self.origins.add(name, effects)
        if name not in self.waiting and (name in self.unnamed or name not in self.origins.base):
            self.waiting.append(name)

    def _end(self, slot: str) -> None:
        """A variable ends while values read from it wait: it is one of a statement within the expression."""
        loads = self.loads.get(slot, set())
        for name in self.waiting:
            if self.origins.get(name) & loads:
                self.origins.add(name, self.origins.get(slot))

    def _pass(self, target: ir.Goto) -> None:
        block = self.blocks[target.block]
        for parameter, argument in zip(block.parameters, target.arguments, strict=True):
            if isinstance(argument, ir.Value):
                self._set(parameter.name, self.origins.get(argument.name))


def pairs_of_program(module: ir.Module, is_of_program: Callable[[str], bool]) -> set[Pair]:
    """The pairs of all functions that stand in files of the program."""
    quiet = functions_without_shared_effects(module)
    return {
        pair
        for function in module.functions.values()
        if is_of_program(_file_of(function))
        for pair in unsequenced_pairs(function, quiet)
    }


def _file_of(function: ir.Function) -> str:
    """The file in which a function stands; "" if that is not known."""
    places = (item.place for block in function.blocks for item in block.instructions)
    place = function.place or next((each for each in places if each is not None), None)
    return "" if place is None else place.file
