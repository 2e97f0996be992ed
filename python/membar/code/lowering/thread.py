"""One thread of code IR as a control-flow automaton.

Values that are computed become expressions where they are used; what is read from memory, chosen, or depends
on the way that was taken becomes a register. Blocks with one predecessor continue its steps.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from membar.code import ir
from membar.code.analyses.uninitialised import maybe_unset
from membar.code.lowering.accesses import lower_exchange, lower_load, lower_store, lower_update
from membar.code.lowering.automaton import Automaton, State, without_empty_steps
from membar.code.lowering.computing import lower_compute, lower_index
from membar.code.lowering.context import Context, thread_name
from membar.code.lowering.expressions import is_zero
from membar.code.lowering.primitives import call_primitive
from membar.code.lowering.refusal import NotSupportedError
from membar.code.structure import operands as operands_of
from membar.code.structure import targets
from membar.code.wide import WIDEST
from membar.program.blocking import none_of
from membar.program.expr import (
    FALSE,
    TRUE,
    WORD,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Register,
    Unary,
    UnaryOp,
    children,
    negation,
    registers_of,
)
from membar.program.operations import LEAKS, Assert, Fence, Set
from membar.program.post_dominators import meeting_points
from membar.program.program import Thread
from membar.program.remove_warnings import LOOK

_LARGEST_EXPRESSION = 12
"""Registers in an expression that is repeated where it is used; one with more gets a register of its own."""
_LARGEST_USED_ONCE = 100
"""Parts of an expression that one instruction uses, which may repeat it in what it checks."""
MEMORY = "memory"
_NO_RESULT = "a calculation that is undefined, such as a division by zero or a wide shift, has no result"
_FLOATS = (32, 64)
_SIZES = (8, 16, 32, 64)


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
        self.truths: set[str] = set()  # wider values that are 0 or 1, as clang keeps a `_Bool`
        self.unset: dict[str, Expr] = {}  # the bits that were never set, of values that may have such bits
        self.codes: dict[str, Expr] = {}  # registers that hold half of a wide number, and its code there
        self._maybe_unset = maybe_unset(function)
        self.atomic: ir.Call | None = None  # the beginning of the atomic block that the code is in
        self.begins: dict[int, ir.Call] = {}  # points where atomic blocks begin
        self.ends: set[int] = set()  # and where they end
        self._inside: dict[str, ir.Call | None] = {}  # blocks of code, and the atomic block they begin in
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
            self.atomic = self._inside.get(block.name)
            for item in block.instructions:
                if self.flow.state is None:
                    break
                self._instruction(item)
            if self.flow.state is not None:
                self._end(block.end)
        if self.begins:
            from membar.code.lowering.atomic_blocks import merge_atomic_blocks  # noqa: PLC0415 - on demand

            spans = {point: self.context.span(call.place) for point, call in self.begins.items()}
            ends = frozenset(self.ends)
            self.context.may_wait |= merge_atomic_blocks(self.flow, self.begins, ends, spans)
        edges, first = without_empty_steps(self.flow.edges, 0, self.exits)
        return Thread(
            name=thread_name(self.function.name),
            entry=first,
            edges=edges,
            started=self.number == 0,
            exits=frozenset(self.exits),
            joins=meeting_points(edges) if self.context.orders.is_kernel else (),
            span=self.context.span(self.function.place),
        )

    # ----------------------------------------------------------------------------------------------- values

    def bits(self, type_: ir.Type, place: ir.Place | None) -> int:
        """The width of a type."""
        if isinstance(type_, ir.Float) and type_.bits not in _FLOATS:
            raise NotSupportedError(f"a floating-point number of {type_.bits} bits", place)
        bits = self.context.pointer_bits if isinstance(type_, ir.Ptr) else type_.bits
        if bits > WORD:
            raise NotSupportedError(f"an integer of {bits} bits", place)
        return bits

    def value(self, operand: ir.Operand, item: ir.Instruction, purpose: str = "used") -> Expr:
        """The word of an operand; using one that was never set is a violation."""
        match operand:
            case ir.Value(name=name):
                if name in self.unset:
                    self.check(is_zero(self.unset[name]), f"a value is {purpose} before it was set", item)
                return self.values[name]
            case ir.Constant(value=value):
                self.bits(operand.type, item.place)
                return Constant(value)
            case ir.ObjectAddress():
                return self.context.address(operand)
            case ir.FunctionAddress(name=name):
                return Constant(self.context.function_word(name))
            case ir.Undefined(is_poison=is_poison):
                unset = f"a value is {purpose} before it was set"
                self.check(FALSE, _NO_RESULT if is_poison else unset, item)
                return FALSE

    def word_and_unset(self, operand: ir.Operand, item: ir.Instruction) -> tuple[Expr, Expr]:
        """The word of an operand that is only passed on, and the bits of it that were never set."""
        match operand:
            case ir.Undefined(type=type_):
                return FALSE, Constant((1 << self.bits(type_, item.place)) - 1)
            case ir.Value(name=name):
                return self.values[name], self.unset.get(name, FALSE)
            case _:
                return self.value(operand, item), FALSE

    def check(self, condition: Expr, message: str, item: ir.Instruction, kind: str = MEMORY) -> None:
        """A violation of property `kind` if the condition is 0 here."""
        if condition == TRUE:
            return
        span = self.context.span(item.place)
        where = "" if span is None or kind == LEAKS else f" ({span.place})"
        self.flow.emit(Assert(condition, message + where, property=kind), span)

    def define(self, result: ir.Value, value: Expr, item: ir.Instruction) -> None:
        """Gives a value its word: an expression, or a register if it is large, or would be written often."""
        if _is_larger(value, _LARGEST_USED_ONCE) or (
            self._uses[result.name] > 1 and len(list(registers_of(value))) > _LARGEST_EXPRESSION
        ):
            register = self.flow.register()
            self.flow.emit(Set(register, value), self.context.span(item.place))
            value = Register(register)
        self.values[result.name] = value

    def is_used(self, value: ir.Value) -> bool:
        """Whether anything uses a result."""
        return self._uses[value.name] > 0

    def fresh(self, result: ir.Value) -> str:
        """A new register for a result."""
        register = self.flow.register(LOOK if result.name.startswith(LOOK) else "$")
        self.values[result.name] = Register(register)
        return register

    # ---------------------------------------------------------------------------------------- instructions

    def _instruction(self, item: ir.Instruction) -> None:
        match item:
            case ir.Compute():
                lower_compute(self, item)
            case ir.Index():
                lower_index(self, item)
            case ir.Load():
                lower_load(self, item)
            case ir.Store():
                lower_store(self, item)
            case ir.CompareExchange():
                lower_exchange(self, item)
            case ir.Update():
                lower_update(self, item)
            case ir.Fence(ordering=ordering):
                if not item.is_signal:
                    tags = self.context.orders.fence(ordering, item.place)
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

    # ---------------------------------------------------------------------------------------------- memory

    def size(self, type_: ir.Type, place: ir.Place | None) -> int:
        """The bytes of an access; those of 16 bytes have one word (`program/wide_cells.py`)."""
        if type_ == ir.Int(WIDEST):
            return WORD // 8
        bits = self.bits(type_, place)
        if bits not in _SIZES:
            raise NotSupportedError(f"an access of {bits} bits", place)
        return bits // 8

    # --------------------------------------------------------------------------------------------- control

    def _end(self, end: ir.Terminator) -> None:
        match end:
            case ir.Jump(target=target):
                self._jump_to_block(target, end)
            case ir.Branch(condition=condition, then=then, otherwise=otherwise):
                word = self.value(condition, end, "tested")
                if isinstance(word, Constant):
                    self._jump_to_block(then if word.value else otherwise, end)
                elif self.flow.state is not None:
                    self._part(end, ((word, then), (_negate(word), otherwise)))
            case ir.Switch():
                self._switch(end)
            case ir.Return():
                self._return(end)
            case ir.Unreachable():
                self.check(FALSE, "code is reached that the compiler takes to be unreachable", end)

    def _switch(self, end: ir.Switch) -> None:
        word = self.value(end.value, end, "tested")
        if self.flow.state is None:
            return
        guards = [Binary(BinaryOp.EQ, word, Constant(number)) for number, _ in end.cases]
        others = none_of(guards) if guards else TRUE
        ways = [(guard, target) for guard, (_, target) in zip(guards, end.cases, strict=True)]
        self._part(end, (*ways, (others, end.default)))

    def _part(self, end: ir.Terminator, ways: Sequence[tuple[Expr, ir.Goto]]) -> None:
        """Goes on in several ways; of the guards, one is open."""
        here = self.flow.here()
        span = self.context.span(end.place)
        for guard, target in ways:
            self.flow.state = State(here, guard, (), span)
            self._jump_to_block(target, end)

    def _jump_to_block(self, target: ir.Goto, end: ir.Terminator) -> None:
        block = self.blocks[target.block]
        words = [self.word_and_unset(argument, end) for argument in target.arguments]
        state = self.flow.state
        if state is None:
            return
        if self._inside.setdefault(block.name, self.atomic) is not self.atomic:
            raise NotSupportedError("an atomic block that begins or ends on some paths only", end.place)
        if self._arrivals[block.name] == 1 and block.name not in self._points:
            for item, (word, unset) in zip(block.parameters, words, strict=True):
                self.values[item.name] = word
                if unset != FALSE:
                    self.unset[item.name] = unset
            self._todo.append((block, state))
            self.flow.state = None
            return
        settings: list[tuple[str, Expr]] = []
        for item, (word, unset) in zip(block.parameters, words, strict=True):
            settings.append((self._parameter(item), word))
            if item.name in self._maybe_unset:
                settings.append((self.register_of_unset(item), unset))
        self.flow.set_all(settings)
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

    def register_of_unset(self, value: ir.Value) -> str:
        """The register that says which bits of a value were never set."""
        known = self.unset.get(value.name)
        if isinstance(known, Register):
            return known.name
        register = self.flow.register()
        self.unset[value.name] = Register(register)
        return register

    def _return(self, end: ir.Return) -> None:
        self.require_no_atomic_block()
        if self.number == 0:
            if end.values:  # the status of the process is decided by it
                self.value(end.values[0], end, "returned")
            if self.flow.state is not None:
                self.exits.add(self.flow.here())
        elif end.values and self.context.has_result(self.number):
            word = self.value(end.values[0], end)
            self.context.keep_result(self, word, end)
        if self.flow.state is not None and self.number != 0:
            self.context.keep_end(self, end)
            self.flow.cut()
        self.flow.state = None

    def require_no_atomic_block(self) -> None:
        """Refuses an atomic block in another one, or without an end."""
        if self.atomic is not None:
            raise NotSupportedError("an atomic block in another one, or without an end", self.atomic.place)

    def end_thread(self) -> None:
        """Nothing follows in this thread."""
        self.flow.cut()
        self.flow.state = None

    def end_process(self) -> None:
        """Nothing follows in any thread."""
        if self.flow.state is not None:
            self.exits.add(self.flow.here())
            self.flow.state = None


def _negate(condition: Expr) -> Expr:
    match condition:
        case Unary(op=UnaryOp.NOT, operand=operand):
            return operand
        case _:
            return negation(condition)


def _is_larger(value: Expr, most: int) -> bool:
    """Whether an expression has more parts than this."""
    todo, number = [value], 0
    while todo and number <= most:
        todo += children(todo.pop())
        number += 1
    return bool(todo)
