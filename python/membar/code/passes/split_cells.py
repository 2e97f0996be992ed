"""Divides every object into the cells that accesses are made to.

Accesses to memory that is also accessed with another size are made to its pieces, one by one. That is exact
for what one thread does. An atomic access is made to a whole cell where that is possible; otherwise the
accesses to its pieces are one step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from membar.code import ir
from membar.code.analyses.blocks import line_of
from membar.code.analyses.cells import WIDE, Access, Layouts, access_of, accesses_of
from membar.code.analyses.points_to import PointsTo, points_to
from membar.code.analyses.targets import UNKNOWN, Target, overlaps
from membar.code.analyses.uninitialised import NUMBERS
from membar.code.analyses.whole_cells import Piece, WholeCells
from membar.code.checks import Checks
from membar.code.emitter import Emitter
from membar.code.lowering.refusal import NotSupportedError
from membar.code.passes import Pass
from membar.code.passes.expand_copies import expand_copies
from membar.code.primitives import PREFIX
from membar.code.rewrite import with_values
from membar.code.structure import results
from membar.code.wide import HIGH, I64, LOW, OPERATIONS, PAIR, WIDEST, Halves, WideArithmetic
from membar.records import replace

MERGED = "merged"
"""Begins the names of values that are only read to be written back beside a part of a cell."""
_BEGIN, _END = (ir.FunctionAddress(f"{PREFIX}access_{word}") for word in ("begin", "end"))
_CHOOSE = ir.FunctionAddress(f"{PREFIX}choose")
_LARGER = {"max": "smax", "min": "smin", "umax": "umax", "umin": "umin"}
_READS = {"release": "monotonic", "acq_rel": "acquire"}
_WRITES = {"acquire": "monotonic", "acq_rel": "release"}
_UNKNOWN_COPY = "a copy or fill of memory that is not known before the program runs"
_PARTS = "without checking that parts of `{}` are set before they are read"


def split_cells(module: ir.Module) -> ir.Module:
    """The module with the cells of its objects, and accesses to whole cells only.

    Raises:
        NotSupportedError: an access whose cells are not known.
    """
    module = expand_copies(module, is_last=True)
    targets = points_to(module)
    layouts = Layouts(module, targets)
    whole = WholeCells(module, targets, layouts)
    checks = Checks(module)
    shared = _shared_objects(module, targets)
    functions: dict[str, ir.Function] = {}
    mixed: set[int] = set()
    atomic: list[ir.Place] = []
    certain: set[ir.Place] = set()
    for name, function in module.functions.items():
        splitting = _Splitting(module, function, targets, whole, checks)
        functions[name] = splitting.run()
        mixed |= {
            line_of(access.instruction) for access in splitting.split if shared & splitting.sites(access)
        }
        atomic += [
            item.place
            for access in splitting.split
            if access.is_atomic
            and (item := access.instruction).place is not None
            and _has_another_size(access, module, targets)
        ]
        certain |= {
            item.place
            for access in splitting.split
            if access.is_atomic
            and (item := access.instruction).place is not None
            and _has_another_size(access, module, targets, is_certain=True)
        }
    objects = {
        name: item if item.cells is not None else replace(item, cells=_cells(item, layouts, whole))
        for name, item in module.objects.items()
    }
    parts = tuple(dict.fromkeys(("memory", _PARTS.format(name)) for name in _set_in_parts(objects, whole)))
    done = replace(
        module,
        functions=functions,
        objects=objects,
        mixed_sizes=tuple(f"line {line}" for line in sorted(mixed)),
        mixed_atomics=tuple(atomic),
        possibly_mixed=tuple(place for place in atomic if place not in certain),
        partly_checked=(*module.partly_checked, *parts),
    )
    return checks.added_to(done)


def _has_another_size(
    access: Access, module: ir.Module, targets: PointsTo, *, is_certain: bool = False
) -> bool:
    """Whether memory of an atomic access may also be, or is, accessed atomically with another size.

    An access may also be made in pieces because others are plain, or are not known well enough.
    """
    own = targets.targets(access.function, access.address)
    return any(
        one.site == other.site and overlaps(one, access.size, other, each.size)
        for each in accesses_of(module)
        if each.is_atomic and each.size != access.size
        for other in targets.targets(each.function, each.address)
        for one in own
        if not is_certain or (one.is_exact and other.is_exact)
    )


def _shared_objects(module: ir.Module, targets: PointsTo) -> frozenset[str]:
    """The sites that more than one thread accesses."""
    threads: dict[str, set[str]] = {}
    for access in accesses_of(module):
        for target in targets.targets(access.function, access.address):
            threads.setdefault(target.site, set()).add(access.function)
    return frozenset(site for site, found in threads.items() if len(found) > 1)


def _set_in_parts(objects: dict[str, ir.Object], whole: WholeCells) -> list[str]:
    """The objects without initial values that have cells of which a part smaller than a word may be set."""
    sites = {site[1:] for site, _, size in whole.found if size <= WIDE // 2}
    return [name for name in sorted(sites) if name in objects and objects[name].unset]


def _cells(item: ir.Object, layouts: Layouts, whole: WholeCells) -> tuple[ir.Cells, ...]:
    """The cells of an object, those of one size that follow each other together."""
    site = f"@{item.name}"
    layout = layouts.found.get(site)
    kept = {(offset, size) for each, offset, size in whole.found if each == site}
    divided = {at for offset, size in kept for at in range(offset, offset + size)}
    cells = [each for each in layouts.cells(site) if each[0] not in divided]
    found: list[ir.Cells] = []
    for offset, size in sorted([*cells, *kept]):
        are_pieces = layout is not None and (offset, size) not in layout.claims
        last = found[-1] if found else None
        if (
            last is not None
            and (last.size, last.are_pieces) == (size, are_pieces)
            and last.offset + last.size * last.count == offset
            and size != WIDE
        ):
            found[-1] = replace(last, count=last.count + 1)
        else:
            found.append(ir.Cells(offset=offset, size=size, are_pieces=are_pieces))
    return tuple(found)


class _Splitting:
    """Splits the accesses of one function."""

    def __init__(
        self, module: ir.Module, function: ir.Function, targets: PointsTo, whole: WholeCells, checks: Checks
    ) -> None:
        self.module, self.function, self.checks = module, function, checks
        self.targets, self.whole = targets, whole
        self.emit = Emitter(function, "split", module)
        self.merging = Emitter(function, MERGED, module)
        self.merging.instructions = self.emit.instructions
        self.known: dict[str, ir.Operand] = {}
        self.halves: dict[str, Halves] = {}  # of wide numbers
        self.split: list[Access] = []  # those that are made in pieces

    def sites(self, access: Access) -> frozenset[str]:
        """The sites that an access may go to."""
        found = self.targets.targets(self.function.name, access.address)
        return frozenset(target.site for target in found)

    def run(self) -> ir.Function:
        blocks = []
        for block in self.function.blocks:
            for item in block.instructions:
                self.emit.place = self.merging.place = item.place
                self._instruction(item)
            blocks.append(replace(block, instructions=tuple(self._take())))
        return replace(self.function, blocks=tuple(with_values(blocks, self.known)))

    def _take(self) -> list[ir.Instruction]:
        done = self.emit.take()
        self.merging.instructions = self.emit.instructions
        return done

    def _instruction(self, item: ir.Instruction) -> None:
        if isinstance(item, ir.Copy | ir.Fill):
            self.emit.instructions.append(self.checks.gap(_UNKNOWN_COPY, item.place))
            return
        if isinstance(item, ir.Compute):
            self._compute(item)
            return
        access = access_of(self.function.name, item, self.module)
        problem = None if access is None else self._problem(access)
        if access is not None and problem is not None:
            self.emit.instructions.append(self.checks.fail(problem, item.place))
            self.known.update((each.name, ir.Constant(0, each.type)) for each in results(item))
            return
        pieces = () if access is None else self._pieces(access)
        is_whole = not pieces or (len(pieces) == 1 and pieces[0].whole == pieces[0].size)
        if access is None or is_whole:
            self.emit.instructions.append(item)
        elif access.is_atomic and len(pieces) == 1:
            self.split.append(access)
            self._access_whole_cell(access, pieces[0])
        elif access.is_atomic:
            self.split.append(access)
            self._in_one_step(access, pieces)
        else:
            if any(each.whole == each.size for each in pieces):
                self.split.append(access)
            self._one_by_one(item, pieces)

    def _compute(self, item: ir.Compute) -> None:
        """Keeps account of the halves of wide numbers."""
        if item.operation == PAIR:
            low, high = item.operands
            self.halves[item.result.name] = low, high
        elif item.operation in (LOW, HIGH) and isinstance(item.operands[0], ir.Value):
            halves = self.halves.get(item.operands[0].name)
            if halves is not None:
                self.known[item.result.name] = halves[item.operation == HIGH]
                return
        self.emit.instructions.append(item)

    def _problem(self, access: Access) -> str | None:
        """What is wrong with an access, if that is known: it goes beyond its object, or is misaligned."""
        targets = self.targets.targets(self.function.name, access.address)
        found = {self._problem_at(target, access) for target in targets}
        return next(iter(found)) if len(found) == 1 else None

    def _problem_at(self, target: Target, access: Access) -> str | None:
        item = self.module.objects.get(target.site[1:]) if target.site.startswith("@") else None
        if item is None or not target.is_exact:
            return None
        if not 0 <= target.start <= item.size - access.size:
            return f"an access outside `{item.name}`, which has {item.size} bytes"
        match access.instruction:
            case ir.Load(align=align) | ir.Store(align=align):
                pass
            case _:
                align = access.size
        return "a misaligned pointer" if target.start % align else None

    def _pieces(self, access: Access) -> tuple[Piece, ...]:
        """The parts that an access is made to."""
        place = access.instruction.place
        if UNKNOWN in self.targets.targets(self.function.name, access.address):
            raise NotSupportedError("an access to memory that the program did not make", place)
        if self.whole.ways(access) > 1:
            raise NotSupportedError("an access to memory that is divided in different ways", place)
        return self.whole.pieces(access)

    # ------------------------------------------------------------------------------------------------- plain

    def _one_by_one(self, item: ir.Instruction, pieces: Sequence[Piece]) -> None:
        """A plain access, made to one piece after the other."""
        match item:
            case ir.Load(result=result, address=address, is_volatile=is_volatile):
                values = [self._load(address, each, is_volatile=is_volatile) for each in pieces]
                self.known[result.name] = self.emit.join_pieces(values, result.type)
            case ir.Store(value=value):
                parts = self.emit.split(value, tuple(each.size for each in pieces))
                for each, part in zip(pieces, parts, strict=True):
                    self._store(item, each, part)
            case _:
                raise AssertionError(item)

    def _load(self, address: ir.Operand, piece: Piece, *, is_volatile: bool) -> ir.Operand:
        at = self.emit.move_address(address, piece.start)
        if piece.whole == piece.size:
            return self.emit.load(at, piece.size, is_volatile=is_volatile)
        whole = self.emit.load(at, piece.whole, is_volatile=is_volatile)
        first, word = self._word_of(whole, piece, self.emit)
        return self._part(word, piece, first)

    def _part(self, word: ir.Operand, piece: Piece, first: int) -> ir.Operand:
        """A piece of a word that begins so many bytes behind the beginning of the cell."""
        before = piece.offset - piece.start - first
        size = self.emit.bits(word.type) // 8
        sizes = [each for each in (before, piece.size, size - before - piece.size) if each]
        return self.emit.split(word, tuple(sizes))[1 if before else 0]

    def _word_of(self, whole: ir.Value, piece: Piece, emit: Emitter) -> tuple[int, ir.Operand]:
        """The number of a cell that a piece is in: of a wide cell, one half; and where that begins."""
        if piece.whole < WIDE:
            return 0, whole
        first = (piece.offset - piece.start) // (WIDE // 2) * (WIDE // 2)
        is_low = (first == 0) == self.module.is_little_endian
        return first, emit.compute(LOW if is_low else HIGH, I64, whole)

    def _store(self, item: ir.Store, piece: Piece, value: ir.Operand) -> None:
        at = self.emit.move_address(item.address, piece.start)
        if piece.whole == piece.size:
            self.emit.instructions.append(replace(item, value=value, address=at, align=1))
            return
        if isinstance(value, ir.Undefined):
            value = ir.Constant(NUMBERS[piece.size], value.type)
        if self.module.processor is None:  # else no other thread runs here
            self._call(_BEGIN)
        whole = self._load_whole(at, piece, None, item, self.merging)
        new = self._merge(whole, piece, value, self.merging)
        self.emit.instructions.append(replace(item, value=new, address=at, align=1))
        if self.module.processor is None:
            self._call(_END)

    def _load_whole(
        self, at: ir.Operand, piece: Piece, ordering: str | None, item: ir.Instruction, emit: Emitter
    ) -> ir.Value:
        """Reads the cell that a piece is part of."""
        result = emit.value(ir.Int(8 * piece.whole))
        is_volatile = getattr(item, "is_volatile", False)
        self.emit.instructions.append(
            ir.Load(result=result, address=at, ordering=ordering, is_volatile=is_volatile, place=item.place)
        )
        return result

    def _merge(self, whole: ir.Value, piece: Piece, value: ir.Operand, emit: Emitter) -> ir.Operand:
        """What a cell holds once a part of it was written."""
        first, word = self._word_of(whole, piece, emit)
        before = piece.offset - piece.start - first
        size = emit.bits(word.type) // 8
        sizes = [each for each in (before, piece.size, size - before - piece.size) if each]
        parts = emit.split(word, tuple(sizes))
        parts[1 if before else 0] = emit.convert(value, ir.Int(8 * piece.size))
        new = emit.join_pieces(parts, word.type)
        if piece.whole < WIDE:
            return new
        is_low = (first == 0) == self.module.is_little_endian
        other = emit.compute(HIGH if is_low else LOW, I64, whole)
        return emit.compute(PAIR, whole.type, *((new, other) if is_low else (other, new)))

    def _call(self, callee: ir.FunctionAddress) -> None:
        self.emit.instructions.append(ir.Call(results=(), callee=callee, arguments=(), place=self.emit.place))

    # ------------------------------------------------------------------------------------------------ atomic

    def _access_whole_cell(self, access: Access, piece: Piece) -> None:
        """An atomic access to a part of a cell: one to the whole, which writes the rest as it was."""
        item, emit = access.instruction, self.emit
        at = emit.move_address(access.address, piece.start)
        match item:
            case ir.Load(result=result, ordering=ordering):
                self._call(_BEGIN)
                whole = self._load_whole(at, piece, ordering, item, emit)
                self._call(_END)
                first, word = self._word_of(whole, piece, emit)
                self.known[result.name] = emit.convert(self._part(word, piece, first), result.type)
            case ir.Store(value=value, ordering=ordering):
                self._call(_BEGIN)
                whole = self._load_whole(at, piece, "monotonic", item, emit)
                new = self._merge(whole, piece, value, emit)
                emit.instructions.append(ir.Store(value=new, address=at, ordering=ordering, place=item.place))
                self._call(_END)
            case ir.Update(old=old, value=value, ordering=ordering):
                found = self._update_part(
                    item, piece, at, ordering, lambda found: self._combine_words(item, found, value)
                )
                self.known[old.name] = emit.convert(found, old.type)
            case ir.CompareExchange(old=old, expected=expected, new=new_value, success=ordering):
                done = self._may_succeed(item)
                type_ = ir.Int(8 * piece.size)
                wanted, then = emit.convert(expected, type_), emit.convert(new_value, type_)

                def choose(found: ir.Operand) -> ir.Operand:
                    nonlocal done
                    done = emit.compute("and", ir.BOOL, done, emit.compute("eq", ir.BOOL, found, wanted))
                    return self._select_without_branch(done, then, found)

                found = self._update_part(item, piece, at, ordering, choose)
                self.known[old.name], self.known[item.done.name] = emit.convert(found, old.type), done
            case _:
                raise NotSupportedError("a lock in memory that is also accessed in parts", item.place)

    def _update_part(
        self,
        item: ir.Instruction,
        piece: Piece,
        at: ir.Operand,
        ordering: str,
        change: Callable[[ir.Operand], ir.Operand],
    ) -> ir.Operand:
        """A read-modify-write of a part of a cell; gives what the part was."""
        self._call(_BEGIN)
        whole = self._load_whole(at, piece, _READS.get(ordering, ordering), item, self.emit)
        first, word = self._word_of(whole, piece, self.emit)
        old = self._part(word, piece, first)
        new = self._merge(whole, piece, change(old), self.emit)
        written = _WRITES.get(ordering, ordering)
        self.emit.instructions.append(ir.Store(value=new, address=at, ordering=written, place=item.place))
        self._call(_END)
        return old

    def _may_succeed(self, item: ir.CompareExchange) -> ir.Operand:
        """Whether a compare-exchange may succeed at all: a weak one may fail spuriously."""
        if not item.is_weak:
            return ir.Constant(1, ir.BOOL)
        number = self.emit.value(I64)
        arguments = (ir.Constant(0, I64), ir.Constant(1, I64))
        self.emit.instructions.append(
            ir.Call(results=(number,), callee=_CHOOSE, arguments=arguments, place=item.place)
        )
        return self.emit.compute("eq", ir.BOOL, number, ir.Constant(0, I64))

    def _in_one_step(self, access: Access, pieces: Sequence[Piece]) -> None:
        """An atomic access to memory that others access with another size."""
        item = access.instruction
        sizes = tuple(each.size for each in pieces)
        addresses = [self.emit.move_address(access.address, each.offset) for each in pieces]
        match item:
            case ir.Load(result=result):
                self._call(_BEGIN)
                loads = [
                    replace(item, result=self.emit.value(ir.Int(8 * size)), address=at, align=size)
                    for at, size in zip(addresses, sizes, strict=True)
                ]
                self.emit.instructions += loads
                self._call(_END)
                self._define(result, [each.result for each in loads])
            case ir.Store(value=value):
                parts = self._split(value, sizes)
                self._call(_BEGIN)
                self.emit.instructions += [
                    replace(item, value=part, address=at, align=size)
                    for part, at, size in zip(parts, addresses, sizes, strict=True)
                ]
                self._call(_END)
            case ir.Update(old=old, value=value, operation=operation):
                given = self._split(value, sizes)

                def combine(found: Sequence[ir.Operand]) -> Sequence[ir.Operand]:
                    return given if operation == "xchg" else self._combine(item, found, value, sizes)

                self._define(old, self._exchange(addresses, sizes, item.ordering, combine))
            case ir.CompareExchange():
                self._compare(item, addresses, sizes)
            case _:
                words = "a lock in memory that is also accessed in parts"
                raise NotSupportedError(words, item.place)

    def _split(self, value: ir.Operand, sizes: tuple[int, ...]) -> list[ir.Operand]:
        """The pieces of a number, in the order of their addresses."""
        if value.type != ir.Int(WIDEST):
            return self.emit.split(value, sizes)
        found: list[ir.Operand] = []
        halves = self._halves(value)
        for half in halves if self.module.is_little_endian else halves[::-1]:
            count = next(count for count in range(1, len(sizes) + 1) if sum(sizes[:count]) == WIDE // 2)
            found += self.emit.split(half, sizes[:count])
            sizes = sizes[count:]
        return found

    def _halves(self, value: ir.Operand) -> Halves:
        assert isinstance(value, ir.Value)
        return self.halves[value.name]

    def _define(self, result: ir.Value, pieces: Sequence[ir.Operand]) -> None:
        """Puts a number together that was read in pieces."""
        if result.type != ir.Int(WIDEST):
            self.known[result.name] = self.emit.join_pieces(pieces, result.type)
            return
        count = next(
            count
            for count in range(1, len(pieces))
            if sum(self.emit.bits(each.type) for each in pieces[:count]) == WIDEST // 2
        )
        first, second = (self.emit.join_pieces(half, I64) for half in (pieces[:count], pieces[count:]))
        self.halves[result.name] = (first, second) if self.module.is_little_endian else (second, first)

    def _exchange(
        self,
        addresses: Sequence[ir.Operand],
        sizes: tuple[int, ...],
        ordering: str,
        combine: Callable[[Sequence[ir.Operand]], Sequence[ir.Operand]],
    ) -> list[ir.Value]:
        """Reads all pieces and writes them; each is a read-modify-write, which no processor delays."""

        def update(operation: str, at: ir.Operand, value: ir.Operand) -> ir.Value:
            old = self.emit.value(value.type)
            self.emit.instructions.append(
                ir.Update(
                    old=old,
                    operation=operation,
                    address=at,
                    value=value,
                    ordering=ordering,
                    place=self.emit.place,
                )
            )
            return old

        self._call(_BEGIN)
        zeros = [ir.Constant(0, ir.Int(8 * size)) for size in sizes]
        found = [update("or", at, zero) for at, zero in zip(addresses, zeros, strict=True)]
        for at, value in zip(addresses, combine(found), strict=True):
            update("xchg", at, value)
        self._call(_END)
        return found

    def _combine(
        self, item: ir.Update, found: Sequence[ir.Operand], value: ir.Operand, sizes: tuple[int, ...]
    ) -> list[ir.Operand]:
        """What a read-modify-write stores."""
        operation, type_ = item.operation, item.old.type
        if type_ == ir.Int(WIDEST):
            if operation not in OPERATIONS:
                raise NotSupportedError(f"the atomic operation `{operation}` on 16 bytes", item.place)
            self._define(item.old, found)
            arithmetic = WideArithmetic(self.emit, self.checks)
            new = arithmetic.calculate(operation, self.halves[item.old.name], self._halves(value), WIDEST)
            pair = self.emit.value(type_)
            self.halves[pair.name] = new
            return self._split(pair, sizes)
        old = self.emit.join_pieces(found, type_)
        return self._split(self._combine_words(item, old, value), sizes)

    def _combine_words(self, item: ir.Update, old: ir.Operand, value: ir.Operand) -> ir.Operand:
        """What a read-modify-write of at most 8 bytes stores."""
        operation, type_ = item.operation, old.type
        value = self.emit.convert(value, type_)
        if operation == "xchg":
            return value
        if operation == "nand":
            both = self.emit.compute("and", type_, old, value)
            return self.emit.compute("xor", type_, both, ir.Constant((1 << self.emit.bits(type_)) - 1, type_))
        return self.emit.compute(_LARGER.get(operation, operation), type_, old, value)

    def _compare(
        self, item: ir.CompareExchange, addresses: Sequence[ir.Operand], sizes: tuple[int, ...]
    ) -> None:
        """A compare-exchange; where it fails, it writes what it has read."""
        expected, new = self._split(item.expected, sizes), self._split(item.new, sizes)
        done = self._may_succeed(item)

        def choose(found: Sequence[ir.Operand]) -> Sequence[ir.Operand]:
            nonlocal done
            for one, other in zip(found, expected, strict=True):
                done = self.emit.compute("and", ir.BOOL, done, self.emit.compute("eq", ir.BOOL, one, other))
            return [
                self._select_without_branch(done, then, old) for then, old in zip(new, found, strict=True)
            ]

        self._define(item.old, self._exchange(addresses, sizes, item.success, choose))
        self.known[item.done.name] = done

    def _select_without_branch(
        self, condition: ir.Operand, then: ir.Operand, otherwise: ir.Operand
    ) -> ir.Operand:
        """One of two numbers, without a branch."""
        type_ = then.type
        mask = self.emit.compute("sext", type_, condition)
        change = self.emit.compute("and", type_, self.emit.compute("xor", type_, then, otherwise), mask)
        return self.emit.compute("xor", type_, otherwise, change)


PASS = Pass(
    name="split_cells",
    purpose="divides every object into the cells that accesses are made to",
    needs=("place_locals",),
    run=split_cells,
)
