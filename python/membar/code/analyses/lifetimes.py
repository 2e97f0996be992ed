"""Which objects end while the program runs, and which accesses may come too late for them.

Allocated memory ends where it is released, a local variable where its scope ends. An access needs a check
only if an end of what it may access can come before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from membar.code import ir
from membar.code.analyses.cells import access_of
from membar.code.analyses.instruction_order import Order, Position
from membar.code.analyses.points_to import PointsTo
from membar.code.analyses.targets import UNKNOWN
from membar.code.primitives import PREFIX
from membar.records import record

ALLOCATE = (f"{PREFIX}allocate", f"{PREFIX}allocate_aligned")
RELEASE = f"{PREFIX}release"


@record(frozen=True, slots=True)
class End:
    """An instruction at which objects end: a release, or the end of a variable's lifetime."""

    position: Position
    instruction: ir.Instruction
    sites: frozenset[str]


def positions(module: ir.Module) -> Iterator[tuple[Position, ir.Instruction]]:
    """All instructions of the threads of a module."""
    for name in module.threads:
        for block in module.functions[name].blocks:
            for index, item in enumerate(block.instructions):
                yield Position(name, block.name, index), item


def is_call_of(item: ir.Instruction, *names: str) -> bool:
    """Whether an instruction calls one of these functions."""
    return (
        isinstance(item, ir.Call)
        and isinstance(item.callee, ir.FunctionAddress)
        and item.callee.name in names
    )


def addresses_of(item: ir.Instruction, module: ir.Module) -> tuple[ir.Operand, ...]:
    """The addresses at which an instruction accesses memory, copies included that are not expanded yet."""
    match item:
        case ir.Copy(source=source, target=target):
            return source, target
        case ir.Fill(byte=ir.Undefined()):
            return ()  # the beginning of memory
        case ir.Fill(target=target):
            return (target,)
        case _:
            access = access_of("", item, module)
            return () if access is None else (access.address,)


def _begun(item: ir.Instruction) -> tuple[str, ...]:
    """The site of the variable that begins."""
    match item:
        case ir.Lifetime(slot=ir.ObjectAddress(name=name), begins=True):
            return (f"@{name}",)
        case _:
            return ()


class Lifetimes:
    """The ends of objects.

    Attributes:
        ends: by site, where its objects end.
        late: the instructions that may access an object whose lifetime ended, and the sites of those objects.
        again: the sites of the variables that may begin again after that, at the same address.
        users: by site, the threads that may access its objects, if these end.
    """

    def __init__(
        self,
        module: ir.Module,
        targets: PointsTo,
        same: Callable[[str], frozenset[str]] = lambda site: frozenset({site}),
    ) -> None:
        """Finds the ends.

        Args:
            module: with a function for each thread.
            targets: where its addresses point.
            same: the sites whose memory a pointer may point to that was allocated at one of them.
        """
        self.order = Order(module)
        self.ends: dict[str, list[End]] = {}
        everything = list(positions(module))
        for position, item in everything:
            end = self._end(position, item, targets)
            if end is not None:
                for site in frozenset[str]().union(*map(same, end.sites)):
                    self.ends.setdefault(site, []).append(end)
        self.late: dict[Position, frozenset[str]] = {}
        self.users: dict[str, set[str]] = {site: set() for site in self.ends}
        for position, item in everything:
            if not self.ends:
                continue
            found = {
                target
                for address in addresses_of(item, module)
                for target in targets.targets(position.thread, address)
            }
            sites = {site for target in found for site in same(target.site)}
            for site in self.ends if UNKNOWN in found else sites & self.ends.keys():
                self.users[site].add(position.thread)
            late = frozenset(site for site in sites if self.may_have_ended(site, position))
            if late:
                self.late[position] = late

        self.again = frozenset(
            site
            for position, item in everything
            for site in _begun(item)
            if self.may_have_ended(site, position)
        )

    def _end(self, position: Position, item: ir.Instruction, targets: PointsTo) -> End | None:
        match item:
            case ir.Lifetime(slot=ir.ObjectAddress() as slot, begins=False):
                return End(position, item, frozenset({f"@{slot.name}"}))
            case ir.Call(arguments=(address, *_)) if is_call_of(item, RELEASE):
                found = targets.targets(position.thread, address)
                return End(position, item, frozenset(target.site for target in found))
            case _:
                return None

    def may_have_ended(self, site: str, position: Position) -> bool:
        """Whether an object of a site may have ended when control comes to an instruction."""
        return any(
            self.order.may_follow(position, end.position) and end.position != position
            for end in self.ends.get(site, ())
        )
