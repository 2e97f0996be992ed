"""Finds calculations whose result depends on where objects lie in memory.

Objects lie at one address each; a program that compares addresses of different objects, or takes bits of an
address that are not the same for every place an object may lie at, is followed for that one only. Addresses
of different objects are not equal, unless one is the end of its object: there, the other may begin.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from membar.code import ir
from membar.code.analyses.blocks import line_of
from membar.code.analyses.points_to import PointsTo, points_to
from membar.code.analyses.targets import Target
from membar.code.passes import Pass
from membar.code.structure import targets as targets_of
from membar.records import replace

_COMPARISONS = frozenset({"ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"})
_EQUALITIES = frozenset({"eq", "ne"})
_DIVISIONS = frozenset({"urem", "srem", "udiv", "sdiv", "mul"})
_TAKES_BITS = frozenset({"lshr", "ashr", "and"})
_SAME = frozenset({"bitcast", "inttoptr", "ptrtoint"})
_DISTANCE = "sub"
_ALL = _COMPARISONS | _EQUALITIES | _DIVISIONS | _TAKES_BITS | {_DISTANCE}
_TAG_BITS = 47  # no address of a process is higher
_MADE = frozenset({"bounded", "constant", "copied", "heap", "split", "undefined", "unnamed"})  # see `Emitter`
_LIBRARY = "/languages/compiled/library/"


def note_address_dependence(module: ir.Module) -> ir.Module:
    """The module with a remark on the lines that depend on addresses."""
    suspects = [
        (name, item)
        for name in module.threads
        for item in _possible_address_calculations(module.functions[name])
    ]
    if not suspects:
        return module
    targets = points_to(module)
    sites = {name: _Sites(module.functions[name], targets) for name, _ in suspects}
    lines = sorted({line_of(item) for name, item in suspects if _depends(module, sites[name], item)})
    if not lines:
        return module
    words = f"line{'s' * (len(lines) > 1)} {', '.join(map(str, lines))}"
    part = (
        "",
        f"only one address for each object was tried, but {words}"
        f" depend{'s' * (len(lines) == 1)} on addresses",
    )
    return replace(module, partly_checked=(*module.partly_checked, part))


def _possible_address_calculations(function: ir.Function) -> Iterator[ir.Compute]:
    """Calculations that may be about addresses: there are few functions that make numbers of pointers."""
    found = [
        item
        for block in function.blocks
        for item in block.instructions
        if isinstance(item, ir.Compute) and _is_of_program(item)
    ]
    has_numbers = any(item.operation == "ptrtoint" or any(map(_is_address, item.operands)) for item in found)
    for item in found:
        is_about_pointers = any(operand.type == ir.PTR for operand in item.operands)
        if item.operation in _ALL and (has_numbers or is_about_pointers):
            yield item


def _is_of_program(item: ir.Compute) -> bool:
    """Whether the program says so: passes move addresses in pieces, and the library may compare them."""
    is_made = item.result.name.partition("/")[0] in _MADE
    return item.place is not None and not is_made and _LIBRARY not in item.place.file


def _is_address(operand: ir.Operand) -> bool:
    return isinstance(operand, ir.ObjectAddress)


class _Sites:
    """The objects whose addresses the values of a function may be."""

    def __init__(self, function: ir.Function, targets: PointsTo) -> None:
        self.name, self.targets = function.name, targets
        self.made = {
            item.result.name: item
            for block in function.blocks
            for item in block.instructions
            if isinstance(item, ir.Compute)
        }
        self.given: dict[str, list[ir.Operand]] = {}  # what the parameters of blocks get
        parameters = {block.name: block.parameters for block in function.blocks}
        for block in function.blocks:
            for target in targets_of(block.end):
                for parameter, given in zip(parameters[target.block], target.arguments, strict=True):
                    self.given.setdefault(parameter.name, []).append(given)
        self.bases = _bases(function, self.given)

    def have_one_base(self, operands: tuple[ir.Operand, ...]) -> bool:
        """Whether all operands are computed from one address, so that they point into one object."""
        return len({_base_of(operand, self.bases) for operand in operands}) == 1

    def of(self, operand: ir.Operand) -> set[str]:
        """The sites of an operand; a distance between two addresses is none."""
        found = {target.site for target in self.addresses(operand)}
        return set() if found and self._is_distance(operand) else found

    def addresses(self, operand: ir.Operand) -> list[Target]:
        """Where in objects an operand may point."""
        found = self.targets.targets(self.name, operand)
        return [target for target in found if target.function is None]

    def _is_distance(self, operand: ir.Operand) -> bool:
        """Whether a number is made of distances between addresses only, and of what is no address."""
        todo, seen = [operand], set[ir.Operand]()
        while todo:
            each = todo.pop()
            if each in seen:
                continue
            seen.add(each)
            item = self.made.get(each.name) if isinstance(each, ir.Value) else None
            given = self.given.get(each.name, ()) if isinstance(each, ir.Value) else ()
            made_of = given if item is None else item.operands
            from_addresses = [one for one in made_of if self.targets.targets(self.name, one)]
            if item is not None and item.operation == "sub" and len(from_addresses) > 1:
                continue
            if not from_addresses:
                return False
            todo += from_addresses
        return True


def _bases(function: ir.Function, given: Mapping[str, list[ir.Operand]]) -> dict[str, ir.Operand]:
    """The value that each address is computed from, by its name; if jumps bring several, it is its own.

    Two values with one base belong to the same evaluation of it: one that a loop keeps from its last
    iteration also comes from before the loop, and so has another base.
    """
    origins = dict(given)
    for block in function.blocks:
        for item in block.instructions:
            match item:
                case ir.Index(result=result, base=origin):
                    origins[result.name] = [origin]
                case ir.Compute(result=result, operation=operation, operands=(origin,)) if operation in _SAME:
                    origins[result.name] = [origin]
                case _:
                    pass
    bases: dict[str, ir.Operand] = {}
    is_stable = False
    while not is_stable:
        is_stable = True
        for name, found in origins.items():
            known = {
                _base_of(each, bases)
                for each in found
                if not isinstance(each, ir.Value) or each.name not in origins or each.name in bases
            } - {ir.Value(name, ir.PTR)}
            base = next(iter(known)) if len(known) == 1 else ir.Value(name, ir.PTR)
            if known and bases.get(name) != base and bases.get(name) != ir.Value(name, ir.PTR):
                bases[name] = base
                is_stable = False
    return bases


def _base_of(operand: ir.Operand, bases: Mapping[str, ir.Operand]) -> ir.Operand:
    match operand:
        case ir.Value(name=name):
            return bases.get(name, ir.Value(name, ir.PTR))
        case ir.ObjectAddress():
            return replace(operand, offset=0, type=ir.PTR)
        case _:
            return operand


def _depends(module: ir.Module, sites_of: _Sites, item: ir.Compute) -> bool:
    sites = [sites_of.of(operand) for operand in item.operands]
    if not any(sites):
        return False
    if item.operation in _COMPARISONS | _EQUALITIES | {_DISTANCE} and sites_of.have_one_base(item.operands):
        return False
    if item.operation in _COMPARISONS | {_DISTANCE}:
        return all(sites) and len(set().union(*sites)) > 1
    if item.operation in _EQUALITIES:
        return all(sites) and _may_meet(module, *(sites_of.addresses(operand) for operand in item.operands))
    number = next((operand.value for operand in item.operands if isinstance(operand, ir.Constant)), None)
    aligned = min((_align(module, site) for found in sites for site in found), default=1)
    match item.operation, number:
        case "and", int():
            is_cleared = number >> _TAG_BITS != 0  # bits of a tag are taken away from an address
            return not is_cleared and number >= aligned
        case "lshr" | "ashr", int():
            return number < _TAG_BITS
        case "urem" | "srem", int():
            return number == 0 or aligned % number != 0
        case _:
            return item.operation != "and"


def _may_meet(module: ir.Module, ones: list[Target], others: list[Target]) -> bool:
    """Whether one address may be the end of an object, and the other the beginning of another object.

    Objects begin at multiples of their alignment: no other one begins at the end of 8 bytes that begin at a
    multiple of 16, if it begins at a multiple of 16 as well.
    """
    pairs = [(one, other) for one in ones for other in others if one.site != other.site]
    return any(
        item is not None
        and item.size > 0
        and item.size % min(item.align, _align(module, start.site)) == 0
        and end.may_be(item.size)
        and start.may_be(0)
        for pair in pairs
        for end, start in (pair, pair[::-1])
        for item in (_object_at(module, end.site),)
    )


def _object_at(module: ir.Module, site: str) -> ir.Object | None:
    return module.objects.get(site[1:]) if site.startswith("@") else None


def _align(module: ir.Module, site: str) -> int:
    item = _object_at(module, site)
    return 1 if item is None else item.align


PASS = Pass(
    name="note_address_dependence",
    purpose="finds calculations whose result depends on where objects lie in memory",
    needs=("place_heap",),
    run=note_address_dependence,
)
