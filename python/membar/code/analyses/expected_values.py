"""Which values numbers and addresses are expected to have, in memory too: sets of constants, for all threads.

Every instruction outside of loops is performed once. So a value that a store writes does not come from that
store itself, whatever the other threads do: with each constant goes the set of instructions that it was
derived by. A load finds what stores may have written that can come before it. That ends where a capacity
doubles each time that memory grows, or a number is counted up.

What is expected may be wrong: differences between addresses of two objects are left out, for example, and
addresses outside of an object that a loop walks over.
Whoever uses it lets the program ask for what is not expected, and ends such executions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import reduce

from membar.code import ir
from membar.code.analyses.instruction_order import Order, Position
from membar.code.analyses.lifetimes import ALLOCATE, is_call_of
from membar.code.analyses.points_to import PointsTo, points_to, size_of
from membar.code.analyses.targets import UNKNOWN
from membar.code.arithmetic import compute, signed
from membar.code.loops import natural_loops
from membar.code.primitives import PREFIX, SPAWN
from membar.code.structure import operands, targets
from membar.records import field, record

Address = tuple[str, int]
"""A site, and how many bytes behind the beginning of its objects."""
Key = int | Address
_MOST_VALUES = 12
_MOST_WAYS = 3
_MOST_VISITS = 32  # of an instruction, on average
_MOST_COPIED = 64  # places that some bytes may have been copied from, one after the other
_ALIGN = 16
_SAME = frozenset({"ptrtoint", "ptrtoaddr", "inttoptr", "bitcast", "freeze", "zext", "sext", "trunc"})
_ORDERED = frozenset({"ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge"})
_LOCKS = frozenset({"lock", "try_lock", "unlock", "add_within"})
_CHOICES = frozenset({"choose", "input"})
_HEAP = "allocated at "
_BOTH = (0, 1)


class NothingExpectedError(Exception):
    """The program does something that cannot be followed."""


@record(eq=False)
class Values:
    """Constants, each with the ways by which it comes about; `is_any` if they are not known.

    A way is the set of the instructions in it, as bits. Ways that contain another one say nothing new.
    """

    found: dict[Key, list[int]] = field(default_factory=dict)
    is_any: bool = False

    def add(self, key: Key, way: int) -> bool:
        """Whether a constant that comes about in this way is new."""
        if self.is_any:
            return False
        ways = self.found.setdefault(key, [])
        if any(each & way == each for each in ways):
            return False
        ways[:] = [each for each in ways if each & way != way] + [way]
        if len(ways) > _MOST_WAYS:
            ways[:] = [_common(ways)]
        if len(self.found) > _MOST_VALUES:
            return self.add_any()
        return True

    def add_any(self) -> bool:
        """Whether it is new that the values are not known."""
        is_new, self.is_any = not self.is_any, True
        self.found.clear()
        return is_new


@record(eq=False)
class _Memory:
    """The memory of a site: what was written where, by which instruction, and who reads it.

    Attributes:
        sizes: the most bytes that each instruction is expected to allocate; None if that is not known.
        walks: who walks over it in a loop.
    """

    cells: dict[tuple[int, int], dict[int, Values]] = field(default_factory=dict)
    copies: dict[int, set[tuple[int, str, int, int | None]]] = field(default_factory=dict)
    fills: dict[int, set[tuple[int, int | None]]] = field(default_factory=dict)
    readers: set[int] = field(default_factory=set)
    is_any: bool = False
    is_zeroed: bool = False
    sizes: dict[int, int | None] = field(default_factory=dict)
    walks: set[int] = field(default_factory=set)


@record(eq=False)
class _Reading:
    """A read of so many bytes by an instruction: what it may find, and where that was looked for."""

    number: int
    size: int
    found: Values
    seen: set[Address] = field(default_factory=set)


def _common(ways: Iterable[int]) -> int:
    return reduce(int.__and__, ways)


class ExpectedValues:
    """The expected values of a module whose threads have a function each."""

    def __init__(self, module: ir.Module) -> None:
        """Finds them.

        Raises:
            NothingExpectedError: the program writes to memory that is not known, or there is too much to do.
        """
        self.module = module
        self.points: PointsTo = points_to(module)
        self.order = Order(module)
        self.items: list[tuple[Position, ir.Instruction]] = []
        self.bits: dict[int, int] = {}
        self.values: dict[tuple[str, str], Values] = {}
        self.users: dict[tuple[str, str], list[int]] = {}
        self.memories: dict[str, _Memory] = {}
        self.starts: dict[tuple[str, str], tuple[int, int]] = {}
        self.taken: set[tuple[str, str, int]] = set()
        self.reached: set[tuple[str, str]] = set()
        self.blocks = {
            (name, block.name): block for name in module.threads for block in module.functions[name].blocks
        }
        self._follows: dict[tuple[int, int], bool] = {}
        self._todo: deque[int] = deque()
        self._waiting: set[int] = set()
        self._collect()
        self._reach(module.threads[0], module.functions[module.threads[0]].blocks[0].name)
        for _ in range(_MOST_VISITS * len(self.items)):
            if not self._todo:
                return
            number = self._todo.popleft()
            self._waiting.discard(number)
            self._evaluate(number)
        raise NothingExpectedError

    # ---------------------------------------------------------------------------------------------- answers

    def is_taken(self, thread: str, block: str, target: int) -> bool:
        """Whether a jump at the end of a block is expected to be taken."""
        return (thread, block, target) in self.taken

    def is_reached(self, thread: str, block: str) -> bool:
        """Whether control is expected to come to a block."""
        return (thread, block) in self.reached

    def sizes(self, position: Position) -> tuple[int, ...] | None:
        """The sizes that an allocation is expected to have, if that is known."""
        number = self.starts[position.thread, position.block][0] + position.index
        item = self.items[number][1]
        assert isinstance(item, ir.Call)
        found = self._of(position.thread, item.arguments[0])
        own = self.bits.get(number, 0)
        sizes = {
            key
            for key, ways in found.found.items()
            if isinstance(key, int) and any(not way & own for way in ways)
        }
        return None if found.is_any or not sizes else tuple(sorted(sizes))

    # --------------------------------------------------------------------------------------------- worklist

    def _collect(self) -> None:
        for name in self.module.threads:
            function = self.module.functions[name]
            repeated = {each for loop in natural_loops(function.blocks) for each in loop.blocks}
            for block in function.blocks:
                first = len(self.items)
                for index, item in enumerate((*block.instructions, block.end)):
                    number = len(self.items)
                    self.items.append((Position(name, block.name, index), item))
                    if block.name not in repeated:
                        self.bits[number] = 1 << len(self.bits)
                    for each in operands(item):
                        if isinstance(each, ir.Value):
                            self.users.setdefault((name, each.name), []).append(number)
                self.starts[name, block.name] = first, len(self.items)

    def _again(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            position = self.items[number][0]
            if number not in self._waiting and (position.thread, position.block) in self.reached:
                self._waiting.add(number)
                self._todo.append(number)

    def _reach(self, thread: str, block: str) -> None:
        if (thread, block) not in self.reached:
            self.reached.add((thread, block))
            self._again(range(*self.starts[thread, block]))

    def _value(self, thread: str, name: str) -> Values:
        return self.values.setdefault((thread, name), Values())

    def _of(self, thread: str, operand: ir.Operand) -> Values:
        match operand:
            case ir.Value(name=name):
                return self._value(thread, name)
            case ir.Constant(value=value):
                return Values({value: [0]})
            case ir.ObjectAddress(name=name, offset=offset):
                return Values({(f"@{name}", offset): [0]})
            case ir.FunctionAddress(name=name):
                return Values({(f"&{name}", 0): [0]})
            case _:
                return Values()

    def _define(self, thread: str, result: ir.Value, values: Values) -> None:
        """A result may be any of these values."""
        known = self._value(thread, result.name)
        if values.is_any and result.type == ir.BOOL:
            values = Values({key: [0] for key in _BOTH})
        if _join(known, values):
            self._again(self.users.get((thread, result.name), ()))

    # ----------------------------------------------------------------------------------------- instructions

    def _evaluate(self, number: int) -> None:
        position, item = self.items[number]
        thread = position.thread
        match item:
            case ir.Compute():
                self._define(thread, item.result, self._compute(thread, item))
            case ir.Index(result=result, base=base, index=index, stride=stride):
                bits = index.type.bits if isinstance(index.type, ir.Int) else 64
                found = _combine(
                    (self._of(thread, base), self._of(thread, index)),
                    lambda keys: _add_index(keys[0], keys[1], bits, stride, self.module.pointer_bits),
                )
                if number not in self.bits:
                    found = self._inside(number, found)
                self._define(thread, result, found)
            case ir.Slot(result=result):
                self._define(thread, result, Values({(self.points.sites[thread, result.name], 0): [0]}))
            case ir.Load(result=result, address=address):
                self._define(thread, result, self._read(number, address, size_of(result.type, self.module)))
            case ir.Store(value=value, address=address):
                self._write(number, address, size_of(value.type, self.module), self._of(thread, value))
            case ir.CompareExchange(old=old, done=done, address=address, new=new):
                size = size_of(old.type, self.module)
                self._define(thread, old, self._read(number, address, size))
                self._define(thread, done, Values(is_any=True))
                self._write(number, address, size, self._of(thread, new))
            case ir.Update():
                self._update(number, item)
            case ir.Copy() | ir.Fill():
                self._copy(number, item)
            case ir.Call():
                self._call(number, item)
            case ir.Branch() | ir.Switch() | ir.Jump():
                self._leave(position, item)
            case ir.Assembly():
                raise NothingExpectedError
            case _:
                pass

    def _inside(self, number: int, values: Values) -> Values:
        """Without addresses outside of their objects: what walks over an array in a loop ends behind it."""
        for key in values.found:
            if isinstance(key, tuple):
                self._memory(key[0]).walks.add(number)
        found = {key: ways for key, ways in values.found.items() if isinstance(key, int) or self._fits(key)}
        return Values(found, values.is_any)

    def _fits(self, address: Address) -> bool:
        size = self._size(address[0])
        return size is None or 0 <= address[1] <= size

    def _size(self, site: str) -> int | None:
        """The most bytes that objects of a site are expected to have; None if that is not known."""
        if site.startswith("@"):
            item = self.module.objects.get(site[1:])
            return None if item is None else item.size
        sizes = self._memory(site).sizes.values()
        known = [size for size in sizes if size is not None]
        return max(known) if known and len(known) == len(sizes) else None

    def _leave(self, position: Position, item: ir.Branch | ir.Switch | ir.Jump) -> None:
        thread = position.thread
        for index in self._open(thread, item):
            target = tuple(targets(item))[index]
            self.taken.add((thread, position.block, index))
            parameters = self.blocks[thread, target.block].parameters
            for parameter, argument in zip(parameters, target.arguments, strict=True):
                self._define(thread, parameter, self._of(thread, argument))
            self._reach(thread, target.block)

    def _open(self, thread: str, item: ir.Branch | ir.Switch | ir.Jump) -> Iterable[int]:
        """The jumps of a terminator that may be taken, by their number."""
        count = len(tuple(targets(item)))
        match item:
            case ir.Branch(condition=condition):
                found = self._of(thread, condition)
                return [int(not key) for key in found.found] if not found.is_any else range(count)
            case ir.Switch(value=value, cases=cases):
                found = self._of(thread, value)
                numbers = [number for number, _ in cases]
                if found.is_any:
                    return range(count)
                return {numbers.index(key) if key in numbers else len(numbers) for key in found.found}
            case _:
                return (0,)

    def _compute(self, thread: str, item: ir.Compute) -> Values:
        given = tuple(self._of(thread, each) for each in item.operands)
        if item.operation == "select":
            condition, then, otherwise = given
            found = Values()
            if condition.is_any or 1 in condition.found:
                _join(found, then)
            if condition.is_any or 0 in condition.found:
                _join(found, otherwise)
            return found
        width, wide = (self._bits(each) for each in (item.operands[0].type, item.result.type))
        return _combine(given, lambda keys: _compute_keys(item.operation, keys, width, wide))

    def _bits(self, type_: ir.Type) -> int:
        return self.module.pointer_bits if isinstance(type_, ir.Ptr) else type_.bits

    def _update(self, number: int, item: ir.Update) -> None:
        thread, size = self.items[number][0].thread, size_of(item.old.type, self.module)
        old, value = self._read(number, item.address, size), self._of(thread, item.value)
        self._define(thread, item.old, old)
        bits = self._bits(item.old.type)
        new = value
        if item.operation != "xchg":
            new = _combine((old, value), lambda keys: _compute_keys(item.operation, keys, bits, bits))
        self._write(number, item.address, size, new)

    def _call(self, number: int, item: ir.Call) -> None:
        thread = self.items[number][0].thread
        if not isinstance(item.callee, ir.FunctionAddress) or not item.callee.name.startswith(PREFIX):
            raise NothingExpectedError
        name = item.callee.name.removeprefix(PREFIX)
        found = Values(is_any=True)
        if is_call_of(item, *ALLOCATE) or name == "argument":
            site = self.points.sites[thread, item.results[0].name]
            self._memory(site).is_zeroed |= item.arguments[1:] == (ir.Constant(1, ir.BOOL),)
            size = self._of(thread, item.arguments[0])
            self._resize(number, site, size)
            ways = [way for each in size.found.values() for way in each]
            found = Values({(site, 0): [self.bits.get(number, 0) | (_common(ways) if ways else 0)]})
        elif item.callee == SPAWN:
            start = item.arguments[0]
            if not isinstance(start, ir.FunctionAddress) or start.name not in self.module.threads:
                raise NothingExpectedError
            self._reach(start.name, self.module.functions[start.name].blocks[0].name)
        elif name in _LOCKS:
            self._write(number, item.arguments[0], 4, found)
        elif name in _CHOICES:
            low, high = item.arguments
            if isinstance(low, ir.Constant) and isinstance(high, ir.Constant):
                first, last = signed(low.value, 64), signed(high.value, 64)
                if last - first < _MOST_VALUES:
                    found = Values({each & ((1 << 64) - 1): [0] for each in range(first, last + 1)})
        elif name == "print":
            self._write_anywhere(thread, item.arguments[0])
        for result in item.results:
            self._define(thread, result, found)

    # ----------------------------------------------------------------------------------------------- memory

    def _memory(self, site: str) -> _Memory:
        return self.memories.setdefault(site, _Memory())

    def _resize(self, number: int, site: str, sizes: Values) -> None:
        """An instruction may allocate memory of these sizes."""
        memory = self._memory(site)
        most = None if sizes.is_any else max((key for key in sizes.found if isinstance(key, int)), default=0)
        if number not in memory.sizes or memory.sizes[number] != most:
            memory.sizes[number] = most
            self._again(memory.walks)

    def _may_follow(self, later: int, earlier: int) -> bool:
        key = later, earlier
        if key not in self._follows:
            self._follows[key] = self.order.may_follow(self.items[later][0], self.items[earlier][0])
        return self._follows[key]

    def _read(self, number: int, address: ir.Operand, size: int) -> Values:
        where = self._of(self.items[number][0].thread, address)
        found = Values(is_any=where.is_any)
        for key, ways in where.found.items():
            if isinstance(key, tuple):
                self._read_at(_Reading(number, size, found), key, _common(ways))
        return found

    def _read_at(self, reading: _Reading, at: Address, way: int) -> None:
        """Adds what may be in some bytes where an instruction comes to them."""
        (site, offset), size, found = at, reading.size, reading.found
        if site.startswith("&") or at in reading.seen:
            return
        reading.seen.add(at)
        memory = self._memory(site)
        memory.readers.add(reading.number)
        if memory.is_any or len(reading.seen) > _MOST_COPIED:
            found.add_any()
            return
        for (start, width), stored in memory.cells.items():
            if start >= offset + size or offset >= start + width:
                continue
            for writer, values in stored.items():
                if not self._may_follow(reading.number, writer):
                    continue
                if values.is_any or (start, width) != (offset, size):
                    found.add_any()
                for key, ways in values.found.items():
                    for each in ways:
                        found.add(key, each | way)
        for writer, copies in memory.copies.items():
            for start, source, first, length in copies if self._may_follow(reading.number, writer) else ():
                inside = offset - start
                if inside <= -size or (length is not None and inside >= length):
                    continue
                if inside < 0 or (length is not None and inside + size > length):
                    found.add_any()
                self._read_at(reading, (source, first + inside), way | self.bits.get(writer, 0))
        for writer, fills in memory.fills.items():
            for start, byte in fills if self._may_follow(reading.number, writer) else ():
                if offset + size > start:
                    if byte is None:
                        found.add_any()
                    else:
                        found.add(int.from_bytes([byte] * size), way)
        self._read_initial(site, offset, way, reading)

    def _read_initial(self, site: str, offset: int, way: int, reading: _Reading) -> None:
        size, found = reading.size, reading.found
        if self._memory(site).is_zeroed:
            found.add(0, way)
        item = self.module.objects.get(site[1:]) if site.startswith("@") else None
        if item is None or not 0 <= offset <= item.size - size:
            return
        if item.content is None:
            found.add_any()
            return
        if any(first < offset + size and offset < end for first, end in item.unset):
            return
        width = self.module.pointer_bits // 8
        for at, target in item.addresses:
            if at == offset and size == width:
                _join(found, self._of("", target))
                return
            if at < offset + size and offset < at + width:
                found.add_any()
                return
        order = "little" if self.module.is_little_endian else "big"
        found.add(int.from_bytes(item.content[offset : offset + size], order), way)  # type: ignore[arg-type]

    def _write(self, number: int, address: ir.Operand, size: int, values: Values) -> None:
        thread = self.items[number][0].thread
        where = self._of(thread, address)
        if where.is_any:
            self._write_anywhere(thread, address)
            return
        own = self.bits.get(number, 0)
        for key, ways in where.found.items():
            if not isinstance(key, tuple) or key[0].startswith("&"):
                continue
            way = _common(ways)
            if way & own:
                continue
            memory = self._memory(key[0])
            cell = memory.cells.setdefault((key[1], size), {}).setdefault(number, Values())
            changed = values.is_any and cell.add_any()
            for value, ways_of_it in tuple(values.found.items()):
                for each in ways_of_it:
                    if not each & own:
                        changed |= cell.add(value, each | way | own)
            if changed:
                self._again(memory.readers)

    def _write_anywhere(self, thread: str, address: ir.Operand) -> None:
        """Something is written where an address may point that is not known."""
        for target in self.points.targets(thread, address):
            if target == UNKNOWN:
                raise NothingExpectedError
            memory = self._memory(target.site)
            if not memory.is_any:
                memory.is_any = True
                self._again(memory.readers)

    def _copy(self, number: int, item: ir.Copy | ir.Fill) -> None:
        thread = self.items[number][0].thread
        lengths = self._of(thread, item.length)
        numbers = [key for key in lengths.found if isinstance(key, int)]
        length = None if lengths.is_any else max(numbers, default=0)
        to = self._of(thread, item.target)
        sources = self._of(thread, item.source if isinstance(item, ir.Copy) else item.byte)
        if to.is_any or (sources.is_any and isinstance(item, ir.Copy)):
            self._write_anywhere(thread, item.target)
            return
        for key in tuple(to.found):
            if not isinstance(key, tuple) or length == 0:
                continue
            memory = self._memory(key[0])
            before = len(memory.copies.get(number, ())), len(memory.fills.get(number, ()))
            if isinstance(item, ir.Copy):
                memory.copies.setdefault(number, set()).update(
                    (key[1], *source, length) for source in sources.found if isinstance(source, tuple)
                )
            elif not isinstance(item.byte, ir.Undefined):
                bytes_ = {each for each in sources.found if isinstance(each, int)}
                known = (key[1], None if sources.is_any or len(bytes_) != 1 else min(bytes_))
                memory.fills.setdefault(number, set()).add(known)
            if before != (len(memory.copies.get(number, ())), len(memory.fills.get(number, ()))):
                self._again(memory.readers)


# -------------------------------------------------------------------------------------------------- constants


def _join(to: Values, values: Values) -> bool:
    """Adds values to others; whether any is new."""
    changed = values.is_any and to.add_any()
    for key, ways in tuple(values.found.items()):
        for way in tuple(ways):
            changed |= to.add(key, way)
    return changed


def _combine(
    given: tuple[Values, ...], result_of: Callable[[tuple[Key, ...]], tuple[Key, ...] | None]
) -> Values:
    """The results of an operation for all combinations of its operands."""
    found = Values()
    if any(each.is_any for each in given):
        found.add_any()
        return found
    for keys, ways in _combinations(given):
        computed = result_of(keys)
        if computed is None:
            found.add_any()
            return found
        for key in computed:
            for way in ways:
                found.add(key, way)
    return found


def _combinations(given: tuple[Values, ...]) -> Iterator[tuple[tuple[Key, ...], list[int]]]:
    if len(given) == 1:
        for key, ways in given[0].found.items():
            yield (key,), ways
        return
    for key, ways in given[0].found.items():
        for keys, others in _combinations(given[1:]):
            yield (key, *keys), [way | other for way in ways for other in others]


def _add_index(base: Key, index: Key, bits: int, stride: int, pointer_bits: int) -> tuple[Key, ...] | None:
    if not isinstance(index, int):
        return None
    distance = signed(index, bits) * stride
    if isinstance(base, int):
        return ((base + distance) & ((1 << pointer_bits) - 1),)
    return ((base[0], base[1] + distance),)


def _compute_keys(operation: str, keys: tuple[Key, ...], bits: int, wide: int) -> tuple[Key, ...] | None:
    """What an operation gives; None if that is not known, nothing if it is not expected to happen."""
    numbers = tuple(key for key in keys if isinstance(key, int))
    if len(numbers) == len(keys):
        found = compute(operation, numbers, bits, wide)
        return None if found is None else (found,)
    if operation in _SAME and len(keys) == 1:
        return keys if wide == bits else None
    if len(keys) != 2:
        return None
    one, other = keys
    if operation in ("eq", "ne"):
        return _compare_keys(one, other, is_equal=operation == "eq")
    if isinstance(one, tuple) and isinstance(other, tuple):
        if one[0] != other[0]:
            return () if operation == "sub" else _BOTH if operation in _ORDERED else None
        if operation == "sub":
            return ((one[1] - other[1]) & ((1 << wide) - 1),)
        if operation in _ORDERED:
            shifted = tuple((key[1] + (1 << 40)) for key in (one, other))
            found = compute(operation, shifted, bits, wide)
            return None if found is None else (found,)
        return None
    return _with_number(operation, one, other, bits)


def _with_number(operation: str, one: Key, other: Key, bits: int) -> tuple[Key, ...] | None:
    """An operation on an address and a number."""
    if isinstance(one, int) and isinstance(other, tuple):
        if operation not in ("add", "or", "and"):
            return () if operation == "sub" else _BOTH if operation in _ORDERED else None
        one, other = other, one
    assert isinstance(one, tuple)
    assert isinstance(other, int)
    number = signed(other, bits)
    match operation:
        case "add":
            return ((one[0], one[1] + number),)
        case "sub":
            return ((one[0], one[1] - number),)
        case "and" if -_ALIGN <= number < 0:
            return ((one[0], one[1] & number),)
        case "and" if 0 <= number < _ALIGN:
            return (one[1] & number,)
        case "or" if 0 <= number < _ALIGN:
            return ((one[0], one[1] | number),)
        case "sdiv":
            return ()  # the distance between an address and null
        case _:
            return _BOTH if operation in _ORDERED else None


def _compare_keys(one: Key, other: Key, *, is_equal: bool) -> tuple[Key, ...]:
    """Whether two constants are equal, at least one of them an address."""
    if isinstance(one, int) or isinstance(other, int):
        return (int(not is_equal),)
    if one[0].startswith(_HEAP) and other[0].startswith(_HEAP) and one[1] == other[1]:
        return _BOTH  # memory may come again
    return (int((one == other) == is_equal),)
