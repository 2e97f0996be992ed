"""Divides integers of more than 64 bits into two: their lowest 64 bits, and the rest.

A word of a Program has 64 bits. Only an atomic access of 16 bytes needs both halves at once: it keeps its
type, and `pair`, `low` and `high` lead to and from it.
"""

from __future__ import annotations

from membar.code import ir
from membar.code.checks import Checks
from membar.code.emitter import Emitter
from membar.code.lowering.refusal import NotSupportedError
from membar.code.passes import Pass
from membar.code.primitives import READ, USE
from membar.code.rewrite import with_targets
from membar.code.structure import operands, results
from membar.code.wide import (
    COMPARISONS,
    HIGH,
    I64,
    LOW,
    OPERATIONS,
    OVERFLOWS,
    PAIR,
    WIDEST,
    WORD,
    Halves,
    WideArithmetic,
)
from membar.records import replace


def divide_wide_integers(module: ir.Module) -> ir.Module:
    """The module without wide integers other than those of atomic accesses.

    Raises:
        NotSupportedError: an operation on wide integers that has no expansion.
    """
    if not any(map(_has_wide, module.functions.values())):
        return module
    checks = Checks(module)
    functions = {
        name: _Division(module, function, checks).run() if _has_wide(function) else function
        for name, function in module.functions.items()
    }
    return checks.added_to(replace(module, functions=functions))


def _is_wide(type_: ir.Type) -> bool:
    return isinstance(type_, ir.Int) and type_.bits > WORD


def _has_wide(function: ir.Function) -> bool:
    return (
        any(map(_is_wide, function.results))
        or any(_is_wide(each.type) for each in function.parameters)
        or any(
            _is_wide(each.type)
            for block in function.blocks
            for item in (*block.instructions, block.end)
            for each in (*results(item), *operands(item))
        )
    )


class _Division:
    """Divides the wide integers of one function."""

    def __init__(self, module: ir.Module, function: ir.Function, checks: Checks) -> None:
        self.module, self.function = module, function
        self.emit = Emitter(function, "wide", module)
        self.arithmetic = WideArithmetic(self.emit, checks)

    def run(self) -> ir.Function:
        function = self.function
        self.emit.place = function.place
        numbers = [number for number, each in enumerate(function.parameters) for _ in self._types(each.type)]
        return replace(
            function,
            parameters=self._values(function.parameters),
            results=tuple(part for type_ in function.results for part in self._types(type_)),
            by_value=tuple((numbers.index(number), size) for number, size in function.by_value),
            blocks=tuple(map(self._block, function.blocks)),
        )

    def _block(self, block: ir.Block) -> ir.Block:
        parameters = self._values(block.parameters)
        for item in block.instructions:
            self.emit.place = item.place
            if any(_is_wide(each.type) for each in (*results(item), *operands(item))):
                self._instruction(item)
            else:
                self.emit.instructions.append(item)
        self.emit.place = block.end.place
        end = self._end(block.end)
        return replace(block, parameters=parameters, instructions=tuple(self.emit.take()), end=end)

    def _end(self, end: ir.Terminator) -> ir.Terminator:
        if isinstance(end, ir.Switch) and _is_wide(end.value.type):
            raise self._refusal("switch", end.value.type)
        if isinstance(end, ir.Return):
            return replace(end, values=self._operands(end.values))
        return with_targets(end, lambda goto: replace(goto, arguments=self._operands(goto.arguments)))

    def _refusal(self, operation: str, type_: ir.Type) -> NotSupportedError:
        return NotSupportedError(f"the operation `{operation}` on {type_}", self.emit.place)

    # ----------------------------------------------------------------------------------------------- values

    def _types(self, type_: ir.Type) -> tuple[ir.Type, ...]:
        """The types of the halves of a wide integer; of others, their own."""
        if not isinstance(type_, ir.Int) or type_.bits <= WORD:
            return (type_,)
        if type_.bits > WIDEST:
            raise NotSupportedError(f"an integer of {type_.bits} bits", self.emit.place)
        return I64, ir.Int(type_.bits - WORD)

    def _values(self, values: tuple[ir.Value, ...]) -> tuple[ir.Value, ...]:
        return tuple(part for each in values for part in self._parts(each))

    def _parts(self, value: ir.Value) -> tuple[ir.Value, ...]:
        """A value, or its halves; no name of LLVM IR has a slash."""
        types = self._types(value.type)
        if len(types) == 1:
            return (value,)
        return tuple(
            ir.Value(f"{value.name}/{word}", type_) for word, type_ in zip((LOW, HIGH), types, strict=True)
        )

    def _operands(self, given: tuple[ir.Operand, ...]) -> tuple[ir.Operand, ...]:
        return tuple(
            part for each in given for part in (self._halves(each) if _is_wide(each.type) else (each,))
        )

    def _halves(self, operand: ir.Operand) -> Halves:
        low, high = self._types(operand.type)
        match operand:
            case ir.Value():
                one, other = self._parts(operand)
                return one, other
            case ir.Constant(value=value):
                return ir.Constant(value & ((1 << WORD) - 1), low), ir.Constant(value >> WORD, high)
            case ir.Undefined():
                return replace(operand, type=low), replace(operand, type=high)
            case _:
                raise self._refusal("ptrtoint", operand.type)

    def _define(self, result: ir.Value, *words: ir.Operand) -> None:
        """Gives a result, or its halves, the values of words; what does not fit is left out."""
        for value, word in zip(self._parts(result), words, strict=True):
            operand = self.emit.convert(word, value.type)
            self.emit.instructions.append(
                ir.Compute(result=value, operation="bitcast", operands=(operand,), place=self.emit.place)
            )

    # ----------------------------------------------------------------------------------------- instructions

    def _instruction(self, item: ir.Instruction) -> None:
        done = self.emit.instructions
        match item:
            case ir.Load(result=result, address=address, ordering=None):
                for value, at in zip(self._parts(result), self._addresses(address), strict=True):
                    done.append(replace(item, result=value, address=at, align=min(item.align, WORD // 8)))
            case ir.Store(value=value, address=address, ordering=None | ir.ALLOCATION):
                for half, at in zip(self._halves(value), self._addresses(address), strict=True):
                    done.append(replace(item, value=half, address=at, align=min(item.align, WORD // 8)))
            case ir.Load(result=result):
                done.append(item)
                self._take_apart(result)
            case ir.Store(value=value):
                done.append(replace(item, value=self._pair(value)))
            case ir.CompareExchange(old=old, expected=expected, new=new):
                done.append(replace(item, expected=self._pair(expected), new=self._pair(new)))
                self._take_apart(old)
            case ir.Update(old=old, value=value):
                done.append(replace(item, value=self._pair(value)))
                self._take_apart(old)
            case ir.Compute():
                self._compute(item)
            case ir.Call(callee=callee) if callee in (USE, READ):
                for half in self._operands(item.arguments):
                    done.append(replace(item, arguments=(self.emit.convert(half, I64),)))
            case ir.Call():
                values, arguments = self._values(item.results), self._operands(item.arguments)
                done.append(replace(item, results=values, arguments=arguments))
            case _:
                raise self._refusal(type(item).__name__.lower(), ir.Int(WIDEST))

    def _addresses(self, address: ir.Operand) -> Halves:
        """Where the halves of a number lie."""
        behind = self.emit.move_address(address, WORD // 8)
        return (address, behind) if self.module.is_little_endian else (behind, address)

    def _pair(self, operand: ir.Operand) -> ir.Operand:
        """A whole number, for an atomic access."""
        if operand.type != ir.Int(WIDEST):
            raise self._refusal("atomic access", operand.type)
        return self.emit.compute(PAIR, operand.type, *self._halves(operand))

    def _take_apart(self, value: ir.Value) -> None:
        if value.type != ir.Int(WIDEST):
            raise self._refusal("atomic access", value.type)
        for half, word in zip(self._parts(value), (LOW, HIGH), strict=True):
            self.emit.instructions.append(
                ir.Compute(result=half, operation=word, operands=(value,), place=self.emit.place)
            )

    # ------------------------------------------------------------------------------------------- arithmetic

    def _compute(self, item: ir.Compute) -> None:
        operation, result, first = item.operation, item.result, item.operands[0]
        if operation == "select":
            condition, then, otherwise = item.operands
            ways = zip(self._halves(then), self._halves(otherwise), strict=True)
            for value, (one, other) in zip(self._parts(result), ways, strict=True):
                self.emit.instructions.append(replace(item, result=value, operands=(condition, one, other)))
        elif operation in {"freeze", "bitcast"} and first.type == result.type:
            self._define(result, *self._halves(first))
        elif operation in {"zext", "sext"}:
            self._extend(item)
        elif operation == "trunc":
            halves = self._halves(first)
            self._define(result, *(halves if _is_wide(result.type) else halves[:1]))
        elif operation in COMPARISONS:
            left, right = map(self._halves, item.operands)
            self._define(result, self.arithmetic.compare(operation, left, right))
        elif operation in OVERFLOWS and first.type == ir.Int(WIDEST):
            left, right = map(self._halves, item.operands)
            self._define(result, self.arithmetic.overflows(operation.partition(".")[0], left, right))
        elif operation in OPERATIONS and _is_wide(result.type):
            self._calculate(item)
        else:
            raise self._refusal(operation, first.type)

    def _extend(self, item: ir.Compute) -> None:
        (operand,) = item.operands
        is_signed, high = item.operation == "sext", self._types(item.result.type)[1]
        if _is_wide(operand.type):
            low, rest = self._halves(operand)
            self._define(item.result, low, self._widen(rest, high, is_signed=is_signed))
            return
        low = self._widen(operand, I64, is_signed=is_signed)
        zero = ir.Constant(0, I64)
        sign = self.emit.compute("ashr", I64, low, ir.Constant(WORD - 1, I64)) if is_signed else zero
        self._define(item.result, low, sign)

    def _widen(self, operand: ir.Operand, type_: ir.Type, *, is_signed: bool) -> ir.Operand:
        if operand.type == type_ or not is_signed:
            return self.emit.convert(operand, type_)
        return self.emit.compute("sext", type_, operand)

    def _calculate(self, item: ir.Compute) -> None:
        operation, bits = item.operation, self.emit.bits(item.result.type)
        left, right = (
            (low, self._widen(high, I64, is_signed=operation == "ashr"))
            for low, high in map(self._halves, item.operands)
        )
        found = self.arithmetic.calculate(operation, left, right, bits)
        if "signed-overflow" in item.checks and operation != "shl":
            if bits != WIDEST:
                raise self._refusal(operation, item.result.type)
            self.arithmetic.check_overflow(operation, left, right, found)
        self._define(item.result, *found)


PASS = Pass(
    name="divide_wide_integers",
    purpose="divides integers of more than 64 bits into two",
    run=divide_wide_integers,
)
