"""One thread of code IR as a control-flow automaton.

Values that are computed become expressions where they are used; what is read from memory, chosen, or depends
on the way that was taken becomes a register. Blocks with one predecessor continue its steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from membar.code import ir
from membar.code.lowering.automaton import Automaton, State, without_empty_steps
from membar.code.lowering.context import Context, thread_name
from membar.code.lowering.expressions import UnknownOperationError, check_of, expression, widened
from membar.code.lowering.primitives import call_primitive
from membar.code.lowering.refusal import NotSupportedError
from membar.code.structure import operands as operands_of
from membar.code.structure import targets
from membar.program.expr import (
    FALSE,
    TRUE,
    WORD,
    Address,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Register,
    Select,
    Unary,
    UnaryOp,
    evaluate,
    negation,
    registers_of,
)
from membar.program.operations import OVERFLOW, Assert, Assume, Choose, Fence, Load, Rmw, Set, Store
from membar.program.program import Thread

_LARGEST_EXPRESSION = 12
"""Registers in an expression that is repeated where it is used; one with more gets a register of its own."""
MEMORY = "memory"
_SIZES = (8, 16, 32, 64)
_SIGNED_OVERFLOW = "signed overflow"
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "shl": "<<"}
_UPDATES = {
    "add": BinaryOp.ADD,
    "sub": BinaryOp.SUB,
    "and": BinaryOp.AND,
    "or": BinaryOp.OR,
    "xor": BinaryOp.XOR,
}
_DIVISIONS = frozenset({"sdiv", "udiv", "srem", "urem"})
_SHIFTS = frozenset({"shl", "lshr", "ashr"})


class ThreadLowering:
    """One function that a thread runs, with all its calls inlined."""

    def __init__(self, context: Context, function: ir.Function, number: int) -> None:
        self.context, self.function, self.number = context, function, number
        self.flow = Automaton()
        self.blocks = {block.name: block for block in function.blocks}
        self.values: dict[str, Expr] = {}
        self.exits: set[int] = set()
        self._points: dict[str, int] = {}
        self._arrivals = Counter(target.block for block in function.blocks for target in targets(block.end))
        self._uses = Counter(
            item.name
            for block in function.blocks
            for each in (*block.instructions, block.end)
            for item in operands_of(each)
            if isinstance(item, ir.Value)
        )
        self._truths: set[str] = set()  # wider values that are 0 or 1, as clang keeps a `_Bool`
        self._todo: list[tuple[ir.Block, State]] = []

    def run(self) -> Thread:
        """The thread."""
        entry = self.function.blocks[0]
        assert self.flow.state is not None
        self._todo.append((entry, self.flow.state))
        if self._arrivals[entry.name]:
            self._points[entry.name] = 0
        while self._todo:
            block, self.flow.state = self._todo.pop()
            for item in block.instructions:
                if self.flow.state is None:
                    break
                self._instruction(item)
            if self.flow.state is not None:
                self._end(block.end)
        edges, first = without_empty_steps(self.flow.edges, 0, self.exits)
        return Thread(
            name=thread_name(self.function.name),
            entry=first,
            edges=edges,
            started=self.number == 0,
            exits=frozenset(self.exits),
            span=self.context.span(self.function.place),
        )

    # ----------------------------------------------------------------------------------------------- values

    def bits(self, type_: ir.Type, place: ir.Place | None) -> int:
        """The width of a type."""
        if isinstance(type_, ir.Float):
            raise NotSupportedError(
                "a floating-point number that is not known before the program runs", place
            )
        bits = self.context.pointer_bits if isinstance(type_, ir.Ptr) else type_.bits
        if bits > WORD:
            raise NotSupportedError(f"an integer of {bits} bits", place)
        return bits

    def value(self, operand: ir.Operand, item: ir.Instruction, purpose: str = "used") -> Expr:
        """The word of an operand; using one that was never set is a violation."""
        match operand:
            case ir.Value(name=name):
                return self.values[name]
            case ir.Constant(value=value):
                self.bits(operand.type, item.place)
                return Constant(value)
            case ir.ObjectAddress():
                return self.context.address(operand)
            case ir.FunctionAddress(name=name):
                return Constant(self.context.function_word(name))
            case ir.Undefined():
                self.check(FALSE, f"a value that was never set is {purpose}", item)
                return FALSE

    def check(self, condition: Expr, message: str, item: ir.Instruction, kind: str = MEMORY) -> None:
        """A violation of property `kind` if the condition is 0 here."""
        if condition == TRUE:
            return
        span = self.context.span(item.place)
        where = "" if span is None else f" (line {span.line})"
        self.flow.emit(Assert(condition, message + where, property=kind), span)

    def define(self, result: ir.Value, value: Expr, item: ir.Instruction) -> None:
        """Gives a value its word: an expression, or a register if it is large and used more than once."""
        is_large = self._uses[result.name] > 1 and len(list(registers_of(value))) > _LARGEST_EXPRESSION
        if is_large:
            register = self.flow.register()
            self.flow.emit(Set(register, value), self.context.span(item.place))
            value = Register(register)
        self.values[result.name] = value

    def is_used(self, value: ir.Value) -> bool:
        """Whether anything uses a result."""
        return self._uses[value.name] > 0

    def fresh(self, result: ir.Value) -> str:
        """A new register for a result."""
        register = self.flow.register()
        self.values[result.name] = Register(register)
        return register

    # ---------------------------------------------------------------------------------------- instructions

    def _instruction(self, item: ir.Instruction) -> None:
        match item:
            case ir.Compute():
                self._compute(item)
            case ir.Index():
                self._index(item)
            case ir.Load():
                self._load(item)
            case ir.Store():
                self._store(item)
            case ir.CompareExchange():
                self._exchange(item)
            case ir.Update():
                self._update(item)
            case ir.Fence(ordering=ordering):
                if not item.is_signal:
                    tags = frozenset({self.context.order(ordering, item.place)})
                    self.flow.emit(Fence(tags), self.context.span(item.place))
            case ir.Call(callee=ir.FunctionAddress(name=name)):
                call_primitive(self, name, item)
            case ir.Call():
                raise NotSupportedError(
                    "a call of a function that is not known before the program runs", item.place
                )
            case ir.Assembly(template=template):
                raise NotSupportedError(f"the inline assembly `{template}`", item.place)
            case ir.Slot(variable=variable):
                name = f"`{variable}`" if variable else "a variable"
                raise NotSupportedError(
                    f"the address of the local variable {name} leaves its thread, or its "
                    "parts are accessed in different ways",
                    item.place,
                )
            case ir.Lifetime():
                raise NotSupportedError("a local variable in memory", item.place)
            case ir.Copy() | ir.Fill():
                raise NotSupportedError("a block of memory that is copied or set as a whole", item.place)
            case _:
                raise NotSupportedError(f"{type(item).__name__} is not supported", item.place)

    def _compute(self, item: ir.Compute) -> None:
        if item.operation == "select":
            self._select(item)
            return
        if any(isinstance(each, ir.Undefined) for each in item.operands):
            self.value(next(each for each in item.operands if isinstance(each, ir.Undefined)), item)
            return
        bits = self.bits(item.operands[0].type, item.place)
        words = [self.value(each, item) for each in item.operands]
        try:
            if item.operation in _DIVISIONS:
                self._check_division(item, words, bits)
            if item.operation in _SHIFTS and words[1] != Constant(0):
                is_fine = Binary(BinaryOp.LT, words[1], Constant(bits))
                self._check_known(is_fine, words[1], "a shift by more bits than the value has", item)
            for check in item.checks:
                if check in {"signed-overflow", "unsigned-overflow"} and item.operation == "shl":
                    continue  # clang gives no such flag to a shift
                condition = check_of(check, item.operation, words, bits)
                message = f"{_SIGNED_OVERFLOW} in `{_SIGNS.get(item.operation, item.operation)}`"
                if condition is not None:
                    self.check(condition, message, item, OVERFLOW)
            result_bits = self.bits(item.result.type, item.place)
            is_truth = any(isinstance(each, ir.Value) and each.name in self._truths for each in item.operands)
            if item.operation in {"zext", "trunc"} and (is_truth or bits == 1):
                found = words[0]
                self._truths.add(item.result.name)
            else:
                found = expression(item.operation, words, bits, result_bits)
        except UnknownOperationError:
            raise NotSupportedError(
                f"the operation `{item.operation}` on {item.result.type}", item.place
            ) from None
        self.define(item.result, found, item)

    def _check_division(self, item: ir.Compute, words: Sequence[Expr], bits: int) -> None:
        self._check_known(Binary(BinaryOp.NE, words[1], FALSE), words[1], "division by zero", item)
        if item.operation in {"sdiv", "srem"}:
            least, minus = Constant(1 << (bits - 1)), Constant((1 << bits) - 1)
            if isinstance(words[1], Constant) and words[1] != minus:
                return
            is_least = Binary(BinaryOp.EQ, words[0], least)
            is_wrong = Binary(BinaryOp.AND, is_least, Binary(BinaryOp.EQ, words[1], minus))
            self.check(negation(is_wrong), f"{_SIGNED_OVERFLOW} in `/`", item, OVERFLOW)

    def _check_known(self, condition: Expr, word: Expr, message: str, item: ir.Instruction) -> None:
        """Checks a condition on one word, unless that word is a constant that satisfies it."""
        if isinstance(word, Constant) and evaluate(condition, {}, {}):
            return
        self.check(condition, message, item)

    def _select(self, item: ir.Compute) -> None:
        """A choice by a condition is a branch: what follows depends on the condition by control alone."""
        condition = self.value(item.operands[0], item, "tested")
        if self.flow.state is None:
            return
        register = self.flow.register()
        here, after = self.flow.here(), self.flow.point()
        span = self.context.span(item.place)
        for guard, operand in ((condition, item.operands[1]), (negation(condition), item.operands[2])):
            self.flow.state = State(here, guard, (), span)
            word = self.value(operand, item)
            if self.flow.state is not None:
                self.flow.emit(Set(register, word), span)
                self.flow.lead_to(after)
        self.flow.state = State(after)
        self.values[item.result.name] = Register(register)

    def _index(self, item: ir.Index) -> None:
        base, index = self.value(item.base, item), self.value(item.index, item)
        bits = self.bits(item.index.type, item.place)
        number = widened(index, bits)
        if item.count is not None:
            # One past the end is an address, too; whether it is accessed is seen where it is.
            is_inside = Binary(BinaryOp.LE, number, Constant(item.count))
            self.check(is_inside, "an index outside of its array", item)
        step = number if item.stride == 1 else Binary(BinaryOp.MUL, number, Constant(item.stride))
        if isinstance(number, Constant):
            step = Constant(number.value * item.stride)
        moved: Expr
        if isinstance(base, Address) and isinstance(step, Constant):
            offset = step.value - (1 << WORD) if step.value >> (WORD - 1) else step.value
            moved = Address(base.name, base.offset + offset)
        else:
            moved = Binary(BinaryOp.ADD, base, step)
        self.define(item.result, moved, item)

    # ---------------------------------------------------------------------------------------------- memory

    def size(self, type_: ir.Type, place: ir.Place | None) -> int:
        """The bytes of an access."""
        bits = self.bits(type_, place)
        if bits not in _SIZES:
            raise NotSupportedError(f"an access of {bits} bits", place)
        return bits // 8

    def _tags(self, ordering: str | None, place: ir.Place | None) -> frozenset[str]:
        return self.context.plain if ordering is None else frozenset({self.context.order(ordering, place)})

    def _load(self, item: ir.Load) -> None:
        address = self.value(item.address, item, "used as an address")
        size = self.size(item.result.type, item.place)
        tags = self._tags(item.ordering, item.place)
        span = self.context.span(item.place)
        self.flow.emit(Load(register=self.fresh(item.result), address=address, size=size, tags=tags), span)

    def _store(self, item: ir.Store) -> None:
        address = self.value(item.address, item, "used as an address")
        word = self.value(item.value, item, "stored")
        size = self.size(item.value.type, item.place)
        tags = self._tags(item.ordering, item.place)
        self.flow.emit(
            Store(address=address, value=word, size=size, tags=tags), self.context.span(item.place)
        )

    def _update(self, item: ir.Update) -> None:
        address = self.value(item.address, item, "used as an address")
        word = self.value(item.value, item, "stored")
        size = self.size(item.value.type, item.place)
        old = self.fresh(item.old)
        tags = frozenset({self.context.order(item.ordering, item.place), "RMW"})
        self.flow.emit(
            Rmw(
                register=old,
                address=address,
                value=self._updated(item, Register(old), word, size * 8),
                size=size,
                read_tags=tags,
                write_tags=tags,
            ),
            self.context.span(item.place),
        )

    def _updated(self, item: ir.Update, old: Expr, word: Expr, bits: int) -> Expr:
        if item.operation == "xchg":
            return word
        if item.operation in _UPDATES:
            return expression(item.operation, (old, word), bits, bits)
        if item.operation == "nand":
            return expression("xor", (Binary(BinaryOp.AND, old, word), Constant((1 << bits) - 1)), bits, bits)
        less = {"max": "slt", "min": "slt", "umax": "ult", "umin": "ult"}.get(item.operation)
        if less is None:
            raise NotSupportedError(f"the atomic operation `{item.operation}`", item.place)
        is_less = expression(less, (old, word), bits, bits)
        return Select(is_less, word, old) if item.operation.endswith("max") else Select(is_less, old, word)

    def _exchange(self, item: ir.CompareExchange) -> None:
        address = self.value(item.address, item, "used as an address")
        expected = self.value(item.expected, item, "compared")
        new = self.value(item.new, item, "stored")
        size = self.size(item.new.type, item.place)
        span = self.context.span(item.place)
        success = frozenset({self.context.order(item.success, item.place), "RMW"})
        failure = frozenset({self.context.order(item.failure, item.place)})
        old = self.flow.register()
        is_equal = Binary(BinaryOp.EQ, Register(old), expected)
        attempt = Rmw(
            register=old,
            address=address,
            value=new,
            size=size,
            condition=is_equal,
            read_tags=success,
            write_tags=success,
            failed_tags=failure,
        )
        self.values[item.old.name], self.values[item.done.name] = Register(old), is_equal
        if not item.is_weak:
            self.flow.emit(attempt, span)
            return
        # A weak one may fail although the values are equal; then it is a load.
        done, fails = self.flow.register(), self.flow.register()
        self.flow.emit(Choose(fails, FALSE, TRUE, retries=True), span)
        if self.flow.state is None:
            return
        here, after = self.flow.here(), self.flow.point()
        self.flow.state = State(here, negation(Register(fails)), (), span)
        self.flow.emit(attempt, span)
        self.flow.emit(Set(done, is_equal), span)
        self.flow.lead_to(after)
        self.flow.state = State(here, Register(fails), (), span)
        self.flow.emit(Load(register=old, address=address, size=size, tags=failure), span)
        self.flow.emit(Assume(is_equal), span)  # otherwise it is the failure of the attempt above
        self.flow.emit(Set(done, FALSE), span)
        self.flow.lead_to(after)
        self.flow.state = State(after)
        self.values[item.done.name] = Register(done)

    # --------------------------------------------------------------------------------------------- control

    def _end(self, end: ir.Terminator) -> None:
        match end:
            case ir.Jump(target=target):
                self._go(target, end)
            case ir.Branch(condition=condition, then=then, otherwise=otherwise):
                word = self.value(condition, end, "tested")
                if self.flow.state is not None:
                    self._part(end, ((word, then), (_negated(word), otherwise)))
            case ir.Switch():
                self._switch(end)
            case ir.Return():
                self._return(end)
            case ir.Unreachable():
                self.check(FALSE, "the program comes to a place that it must not reach", end)

    def _switch(self, end: ir.Switch) -> None:
        word = self.value(end.value, end, "tested")
        if self.flow.state is None:
            return
        guards = [Binary(BinaryOp.EQ, word, Constant(number)) for number, _ in end.cases]
        others: Expr = TRUE
        if guards:
            any_case: Expr = guards[0]
            for guard in guards[1:]:
                any_case = Binary(BinaryOp.OR, any_case, guard)
            others = negation(any_case)
        ways = [(guard, target) for guard, (_, target) in zip(guards, end.cases, strict=True)]
        self._part(end, (*ways, (others, end.default)))

    def _part(self, end: ir.Terminator, ways: Sequence[tuple[Expr, ir.Goto]]) -> None:
        """Goes on in several ways; of the guards, one is open."""
        here = self.flow.here()
        span = self.context.span(end.place)
        for guard, target in ways:
            self.flow.state = State(here, guard, (), span)
            self._go(target, end)

    def _go(self, target: ir.Goto, end: ir.Terminator) -> None:
        block = self.blocks[target.block]
        for argument in target.arguments:
            if isinstance(argument, ir.Undefined):
                raise NotSupportedError(
                    "a variable that is set on some ways only, and used where they meet", end.place
                )
        words = [self.value(argument, end) for argument in target.arguments]
        state = self.flow.state
        if state is None:
            return
        if self._arrivals[block.name] == 1 and block.name not in self._points:
            self.values.update(zip((item.name for item in block.parameters), words, strict=True))
            self._todo.append((block, state))
            self.flow.state = None
            return
        registers = [self._parameter(item) for item in block.parameters]
        self.flow.set_all(zip(registers, words, strict=True))
        is_new = block.name not in self._points
        if is_new:
            self._points[block.name] = self.flow.point()
        self.flow.lead_to(self._points[block.name])
        if is_new:
            self._todo.append((block, State(self._points[block.name])))

    def _parameter(self, value: ir.Value) -> str:
        """The register of a parameter of a block that several ways lead to."""
        known = self.values.get(value.name)
        return known.name if isinstance(known, Register) else self.fresh(value)

    def _return(self, end: ir.Return) -> None:
        if self.number == 0:
            self.exits.add(self.flow.here())
        elif end.values and self.context.has_result(self.number):
            word = self.value(end.values[0], end)
            self.context.keep_result(self, word, end)
        if self.flow.state is not None and self.number != 0:
            self.flow.cut()
        self.flow.state = None

    def end_thread(self) -> None:
        """Nothing follows in this thread."""
        self.flow.cut()
        self.flow.state = None

    def end_process(self) -> None:
        """Nothing follows in any thread."""
        if self.flow.state is not None:
            self.exits.add(self.flow.here())
            self.flow.state = None


def _negated(condition: Expr) -> Expr:
    match condition:
        case Unary(op=UnaryOp.NOT, operand=operand):
            return operand
        case _:
            return negation(condition)
