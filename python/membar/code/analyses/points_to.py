"""Where every address may point (inclusion-based points-to analysis, sensitive to offsets, not to flow).

The result is complete: an address that may point somewhere has that target, or the target `UNKNOWN`. What an
instruction computes from an address keeps its object, as C demands, with an offset that may be lost.
Objects of one site are one: the iterations of a loop that was written out allocate at the same site.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from membar.code import ir
from membar.code.analyses.index_bounds import IndexBounds
from membar.code.analyses.targets import UNKNOWN, Target, join_targets, overlaps, target_of
from membar.code.arithmetic import signed
from membar.code.primitives import PREFIX
from membar.code.structure import targets as jumps
from membar.code.wide import HIGH, I64, LOW, PAIR, WIDEST
from membar.records import field, record

_Change = Callable[[Target], Target]
# A value may have so many targets at one site before they become one series.
_MOST = 12
# How memory is aligned that the program allocates.
_ALLOCATED = 16
_COMPARISONS = frozenset(
    ["eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"]
    + [f"{name}.overflows" for name in ("sadd", "uadd", "ssub", "usub", "smul", "umul")]
)
_SAME = frozenset(
    {"select", "freeze", "bitcast", "ptrtoint", "ptrtoaddr", "inttoptr", "zext", "sext", "trunc"}
)


@record(frozen=True, eq=False)
class PointsTo:
    """What may point where.

    Attributes:
        values: the targets of each value, by function and name.
        sites: the site of each `Slot` and each call that allocates, by function and name of the result.
    """

    values: dict[tuple[str, str], frozenset[Target]]
    sites: dict[tuple[str, str], str]

    def targets(self, function: str, operand: ir.Operand) -> frozenset[Target]:
        """Where an operand of a function may point."""
        if isinstance(operand, ir.Value):
            return self.values.get((function, operand.name), frozenset())
        found = target_of(operand)
        return frozenset() if found is None else frozenset({found})


def points_to(module: ir.Module) -> PointsTo:
    """The points-to relation of a module whose `main` is called from outside, with unknown arguments."""
    return _Analysis(module).run(tuple({"main"} & module.functions.keys()))


def size_of(type_: ir.Type, module: ir.Module) -> int:
    """How many bytes a value has in memory."""
    return ((module.pointer_bits if isinstance(type_, ir.Ptr) else type_.bits) + 7) // 8


@record(eq=False)
class _Node:
    """A value, or some bytes of the memory of a site.

    Targets are the keys of dictionaries, as what becomes a series depends on their order, and that of a set
    is another one each time.
    """

    targets: dict[Target, None] = field(default_factory=dict)
    of_site: dict[str, dict[Target, None]] = field(default_factory=dict)  # the same, by site
    flows: list[tuple[_Node, _Change | None]] = field(default_factory=list)
    uses: list[Callable[[Target], None]] = field(default_factory=list)


@record(eq=False)
class _Memory:
    """The memory of a site: what was stored where, and who reads it."""

    nodes: dict[Target, tuple[_Node, int]] = field(default_factory=dict)
    readers: list[Callable[[Target, int, _Node], None]] = field(default_factory=list)


class _Analysis:
    def __init__(self, module: ir.Module) -> None:
        self.module = module
        self.pointer_size = module.pointer_bits // 8
        self.nodes: dict[tuple[str, str], _Node] = {}
        self.memories: dict[str, _Memory] = {}
        self.sites: dict[tuple[str, str], str] = {}
        self.todo: list[tuple[_Node, Target]] = []
        self.aligns = {f"@{item.name}": item.align for item in module.objects.values()}
        self.thread_results = _Node()
        self.results: dict[str, list[_Node]] = {}
        self.copies = 0

    def run(self, roots: tuple[str, ...]) -> PointsTo:
        for item in self.module.objects.values():
            for offset, address in item.addresses:
                found = target_of(address)
                if found is not None:
                    self.add(self.memory_at(Target(f"@{item.name}", offset), self.pointer_size), found)
        for root in roots:
            for parameter in self.module.functions[root].parameters:
                if isinstance(parameter.type, ir.Ptr):
                    self.add(self.value(root, parameter), UNKNOWN)
        for function in self.module.functions.values():
            _Constraints(self, function).collect()
        while self.todo:
            node, target = self.todo.pop()
            if target in node.targets:  # it may have become part of a series since
                for other, change in node.flows:
                    self.add(other, target if change is None else change(target))
                for use in tuple(node.uses):
                    use(target)
        return PointsTo(
            {key: frozenset(node.targets) for key, node in self.nodes.items()},
            self.sites,
        )

    def value(self, function: str, value: ir.Value) -> _Node:
        return self.nodes.setdefault((function, value.name), _Node())

    def add(self, node: _Node, target: Target) -> None:
        """A node may point to a target."""
        if target in node.targets:
            return
        same = node.of_site.setdefault(target.site, {})
        if any(each.contains(target) for each in same):
            return
        if len(same) == _MOST:
            target = join_targets({*same, target}, target.site)
            if target in node.targets:
                return
            for each in same:
                del node.targets[each]
            same.clear()
        same[target] = node.targets[target] = None
        self.todo.append((node, target))

    def flow(self, source: _Node, to: _Node, change: _Change | None = None) -> None:
        """What one node points to, another does too."""
        source.flows.append((to, change))
        for target in tuple(source.targets):
            self.add(to, target if change is None else change(target))

    def watch(self, node: _Node, use: Callable[[Target], None]) -> None:
        """Does something for each target that a node has or gets."""
        node.uses.append(use)
        for target in tuple(node.targets):
            use(target)

    # --------------------------------------------------------------------------------------------- memory

    def memory(self, site: str) -> _Memory:
        return self.memories.setdefault(site, _Memory())

    def memory_at(self, where: Target, size: int) -> _Node:
        """The node of some bytes of a site."""
        memory = self.memory(where.site)
        if where not in memory.nodes and len(memory.nodes) >= 4 * _MOST:
            where = where.anywhere()
        known = memory.nodes.get(where)
        if known is not None and known[1] >= size:
            return known[0]
        node = _Node() if known is None else known[0]
        memory.nodes[where] = (node, size)
        for reader in tuple(memory.readers):
            reader(where, size, node)
        return node

    def read(self, where: Target, size: int, to: _Node) -> None:
        """A node gets what may be in some bytes."""
        if where.function is not None:
            return
        if where == UNKNOWN:
            self.add(to, UNKNOWN)
            return
        seen: set[int] = set()

        def look(at: Target, width: int, node: _Node) -> None:
            if id(node) not in seen and overlaps(where, size, at, width):
                seen.add(id(node))
                is_whole = at.start == where.start and size == width
                self.flow(node, to, None if is_whole or size >= self.pointer_size else Target.anywhere)

        memory = self.memory(where.site)
        memory.readers.append(look)
        for at, (node, width) in tuple(memory.nodes.items()):
            look(at, width, node)

    def write(self, where: Target, size: int, source: _Node, change: _Change | None = None) -> None:
        """What a node points to is stored in some bytes; stores to unknown places are refused later."""
        if where.function is None and where != UNKNOWN:
            self.flow(source, self.memory_at(where, size), change)

    def new_copy(self) -> Target:
        """What a copy copies, as if it were memory of its own."""
        self.copies += 1
        return Target(f"copy {self.copies}")

    def copy(self, source: Target, to: Target, length: int | None) -> None:
        """Bytes of one site are copied to another."""
        if UNKNOWN in (source, to) or source.function or to.function:
            return
        seen: set[int] = set()
        whole = source if length is not None else source.anywhere()

        def look(at: Target, width: int, node: _Node) -> None:
            if id(node) in seen or not overlaps(whole, length or 1, at, width):
                return
            seen.add(id(node))
            where = to.anywhere()
            if source.is_exact and to.is_exact:
                where = Target(to.site, at.start + to.start - source.start, at.steps)
            self.flow(node, self.memory_at(where, width))

        memory = self.memory(source.site)
        memory.readers.append(look)
        for at, (node, width) in tuple(memory.nodes.items()):
            look(at, width, node)


class _Constraints:
    """The constraints of one function."""

    def __init__(self, analysis: _Analysis, function: ir.Function) -> None:
        self.analysis, self.function = analysis, function
        self.blocks = {block.name: block for block in function.blocks}
        self.bounds = IndexBounds(function)
        self.block = ""

    def collect(self) -> None:
        for block in self.function.blocks:
            self.block = block.name
            for item in block.instructions:
                self._instruction(item)
            for jump in jumps(block.end):
                for parameter, argument in zip(
                    self.blocks[jump.block].parameters, jump.arguments, strict=True
                ):
                    self._flow(argument, parameter)
            if isinstance(block.end, ir.Return):
                results = self._results(self.function)
                for value, node in zip(block.end.values, results, strict=False):
                    self._flow_to(value, node)

    def _results(self, function: ir.Function) -> list[_Node]:
        nodes = self.analysis.results
        if function.name not in nodes:
            nodes[function.name] = [_Node() for _ in function.results]
        return nodes[function.name]

    def _node(self, value: ir.Value) -> _Node:
        return self.analysis.value(self.function.name, value)

    def _operand(self, operand: ir.Operand) -> _Node:
        """The node of an operand; a fresh one for a constant."""
        if isinstance(operand, ir.Value):
            return self._node(operand)
        node, found = _Node(), target_of(operand)
        if found is not None:
            node.targets[found] = None
        return node

    def _flow(self, source: ir.Operand, to: ir.Value, change: _Change | None = None) -> None:
        self._flow_to(source, self._node(to), change)

    def _flow_to(self, source: ir.Operand, to: _Node, change: _Change | None = None) -> None:
        if not isinstance(source, ir.Constant | ir.Undefined):
            self.analysis.flow(self._operand(source), to, change)

    def _size(self, type_: ir.Type) -> int:
        return size_of(type_, self.analysis.module)

    def _instruction(self, item: ir.Instruction) -> None:
        match item:
            case ir.Compute():
                self._compute(item)
            case ir.Index(result=result, base=base, index=index, stride=stride, count=count):
                distance = 0 if item.highest == 0 else _distance(index, stride)
                if distance is not None:
                    self._flow(base, result, lambda target: target.move(distance))
                else:
                    if count is None:
                        count = self.bounds.count(self.block, index)
                    self._flow(base, result, lambda target: target.step(stride, count))
                if isinstance(base, ir.Constant):
                    self._flow(index, result, Target.anywhere)
            case ir.Slot(result=result):
                self._new(result, f"{self.function.name}%{result.name}", item.align)
            case ir.Load(result=result, address=address):
                self._read(address, result)
            case ir.Store(value=value, address=address):
                self._write(address, value)
            case ir.CompareExchange():
                self._read(item.address, item.old)
                self._write(item.address, item.new)
            case ir.Update(old=old, address=address, value=value):
                self._read(address, old)
                self._write(address, value, None if item.operation == "xchg" else Target.anywhere)
                if item.operation != "xchg":
                    self._write(address, old, Target.anywhere)
            case ir.Copy():
                self._copy(item)
            case ir.Call():
                self._call(item)
            case ir.Assembly(results=results):
                for result in results:
                    self.analysis.add(self._node(result), UNKNOWN)
            case _:
                pass

    def _new(self, result: ir.Value, site: str, align: int = _ALLOCATED) -> None:
        self.analysis.aligns[site] = align
        self.analysis.sites[self.function.name, result.name] = site
        self.analysis.add(self._node(result), Target(site))

    def _read(self, address: ir.Operand, result: ir.Value) -> None:
        for half, distance in self._parts(result):
            to, size = self._node(half), self._size(half.type)

            def read(target: Target, to: _Node = to, size: int = size, distance: int = distance) -> None:
                self.analysis.read(target.move(distance), size, to)

            self.analysis.watch(self._operand(address), read)

    def _write(self, address: ir.Operand, value: ir.Operand, change: _Change | None = None) -> None:
        if isinstance(value, ir.Constant | ir.Undefined):
            return
        for half, distance in self._parts(value) if isinstance(value, ir.Value) else ((value, 0),):
            source, size = self._operand(half), self._size(half.type)

            def write(
                target: Target, source: _Node = source, size: int = size, distance: int = distance
            ) -> None:
                self.analysis.write(target.move(distance), size, source, change)

            self.analysis.watch(self._operand(address), write)

    def _parts(self, value: ir.Value) -> tuple[tuple[ir.Value, int], ...]:
        """The halves of a wide number, each with where it lies in memory; of others, the value itself."""
        if value.type != ir.Int(WIDEST):
            return ((value, 0),)
        low, high = (self._half_value(value, word) for word in (LOW, HIGH))
        return tuple(
            zip((low, high), (0, 8) if self.analysis.module.is_little_endian else (8, 0), strict=True)
        )

    def _half_value(self, value: ir.Value, word: str) -> ir.Value:
        return ir.Value(f"{value.name}/{word} of it", I64)

    def _copy(self, item: ir.Copy) -> None:
        length = item.length.value if isinstance(item.length, ir.Constant) else None
        between = self.analysis.new_copy()  # so that not every source meets every target
        self.analysis.watch(
            self._operand(item.source), lambda source: self.analysis.copy(source, between, length)
        )
        self.analysis.watch(
            self._operand(item.target), lambda target: self.analysis.copy(between, target, length)
        )

    def _compute(self, item: ir.Compute) -> None:
        if item.operation in _COMPARISONS or item.result.type == ir.BOOL:
            return
        if item.operation == PAIR:
            for operand, word in zip(item.operands, (LOW, HIGH), strict=True):
                self._flow(operand, self._half_value(item.result, word))
            return
        if item.operation in (LOW, HIGH) and isinstance(item.operands[0], ir.Value):
            self._flow(self._half_value(item.operands[0], item.operation), item.result)
            return
        operands = item.operands[1:] if item.operation == "select" else item.operands
        if item.operation in _SAME:
            for operand in operands:
                self._flow(operand, item.result)
            return
        for number, operand in enumerate(operands):
            other = operands[1 - number] if len(operands) == 2 else None
            change = _moved_by(item.operation, other, self.analysis.aligns, is_left=number == 0)
            self._flow(operand, item.result, change)

    # ---------------------------------------------------------------------------------------------- calls

    def _call(self, item: ir.Call) -> None:
        if isinstance(item.callee, ir.FunctionAddress):
            self._call_of(item, item.callee.name)
            return
        seen: set[str] = set()

        def call(target: Target) -> None:
            name = target.function
            if name is None:
                self._unknown_results(item)
            elif name not in seen:
                seen.add(name)
                self._call_of(item, name)

        self.analysis.watch(self._operand(item.callee), call)

    def _call_of(self, item: ir.Call, name: str) -> None:
        function = self.analysis.module.functions.get(name)
        if name.startswith(PREFIX):
            self._primitive(item, name.removeprefix(PREFIX))
        elif function is None or not function.blocks:
            self._unknown_results(item)
            for argument in item.arguments:  # whoever is called there may store anything
                self.analysis.watch(
                    self._operand(argument),
                    lambda target: self.analysis.write(target.anywhere(), 1, _unknown()),
                )
        else:
            for parameter, argument in zip(function.parameters, item.arguments, strict=False):
                self._flow_to(argument, self.analysis.value(name, parameter))
            for result, node in zip(item.results, self._results(function), strict=False):
                self.analysis.flow(node, self._node(result))

    def _unknown_results(self, item: ir.Call) -> None:
        for result in item.results:
            self.analysis.add(self._node(result), UNKNOWN)

    def _primitive(self, item: ir.Call, name: str) -> None:
        match name:
            case "allocate" | "allocate_aligned" | "argument":
                (result,) = item.results
                self._new(result, _site_of(item) or f"{self.function.name}%{result.name}")
            case "spawn":
                start, *given = item.arguments  # the argument is gone once a thread has its own function

                def spawn(target: Target) -> None:
                    function = self.analysis.module.functions.get(target.function or "")
                    if function is not None:
                        for argument, parameter in zip(given, function.parameters, strict=False):
                            self._flow_to(argument, self.analysis.value(function.name, parameter))
                        for node in self._results(function)[:1]:
                            self.analysis.flow(node, self.analysis.thread_results)

                self.analysis.watch(self._operand(start), spawn)
            case "finish":
                self._flow_to(item.arguments[0], self.analysis.thread_results)
            case "join":
                self.analysis.flow(self.analysis.thread_results, self._node(item.results[0]))
            case _:
                pass


def _unknown() -> _Node:
    node = _Node()
    node.targets[UNKNOWN] = None
    return node


def _site_of(item: ir.Call) -> str | None:
    """The name of a place that allocates, with its callers: the same for all iterations of a loop."""
    return None if item.place is None else "allocated at " + " <- ".join(_chain(item.place))


def _chain(place: ir.Place | None) -> Iterator[str]:
    while place is not None:
        yield f"{place.file}:{place.line}:{place.column}"
        place = place.caller


def _distance(index: ir.Operand, stride: int) -> int | None:
    if not isinstance(index, ir.Constant):
        return None
    bits = index.type.bits if isinstance(index.type, ir.Int) else 64
    return signed(index.value, bits) * stride


def _moved_by(
    operation: str, other: ir.Operand | None, aligns: Mapping[str, int], *, is_left: bool
) -> _Change:
    """What arithmetic with a constant does to an offset; anything else may lead to any byte of the object."""
    if not isinstance(other, ir.Constant) or not isinstance(other.type, ir.Int):
        return Target.anywhere
    number = signed(other.value, other.type.bits)
    if operation == "add" or (operation == "sub" and is_left):
        distance = number if operation == "add" else -number
        return lambda target: target.move(distance)
    change = {"and": int.__and__, "or": int.__or__, "xor": int.__xor__}.get(operation)

    def add_tag(target: Target) -> Target:
        """A number in the bits that are 0 in the address of the object is part of the offset."""
        align = aligns.get(target.site, 1)
        is_tag = -align <= number < 0 if operation == "and" else 0 <= number < align
        if change is None or not target.is_exact or not is_tag:
            return target.anywhere()
        return Target(target.site, change(target.start, number))

    return add_tag
