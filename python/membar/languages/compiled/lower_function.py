"""From LLVM IR to code IR: the blocks of a function, its values, arithmetic and jumps.

Aggregates are taken apart, and `phi` instructions become parameters of blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeGuard

from membar.code import ir as code
from membar.code.structure import operands as operands_of
from membar.languages.compiled.accessed_elements import accessed_addresses, addresses_in_structures
from membar.languages.compiled.constants import ARITHMETIC, UnsupportedError, flatten, path_to, scalar_type
from membar.languages.compiled.exceptions import without_exceptions
from membar.languages.compiled.llvm import module as llvm
from membar.languages.compiled.llvm.metadata import Place
from membar.languages.compiled.llvm.types import DataLayout, Integer, Pointer, Struct, Type, UnsizedTypeError
from membar.languages.compiled.lower_calls import checks_of, divide_by_call, is_wide_division, lower_call
from membar.languages.compiled.lower_memory import (
    address_of_access,
    lower_element_address,
    lower_memory,
    lower_update,
)
from membar.languages.compiled.shift_checks import without_shift_checks
from membar.languages.compiled.vectors import lower_bits, lower_vector, refuse_arithmetic
from membar.records import replace

if TYPE_CHECKING:
    from membar.languages.compiled.lower import ModuleLowering

_POINTER = Pointer()
_NO_LABEL = "membar.no-label"
_ENDS = (llvm.Jump, llvm.Branch, llvm.Switch, llvm.Return, llvm.Unreachable, llvm.IndirectBranch)


class FunctionBody:
    """The blocks of one function."""

    def __init__(self, lowering: ModuleLowering, function: llvm.Function) -> None:
        self.lowering, self.function = lowering, function
        self.body = without_exceptions(without_shift_checks(function.blocks))
        self.layout = lowering.layout
        self.metadata = lowering.module.metadata
        self.values: dict[str, tuple[code.Operand, ...]] = {}
        self.instructions: list[code.Instruction] = []
        self.here: llvm.Instruction | None = None
        self.fresh = 0
        self.variables = self._variables()
        self.accessed = accessed_addresses(self.body)
        self.in_structures = addresses_in_structures(self.body)
        self.last_members: set[str] = set()
        self.called: dict[str, code.Place] = {}  # results of calls, and where these are
        self.phis = {
            block.name: [item for item in block.instructions if isinstance(item, llvm.Phi)]
            for block in self.body
        }

    def blocks(self) -> tuple[code.Block, ...]:
        """The body."""
        for item in self.function.parameters:
            self._name(item.name, item.type)
        reachable = self._reachable()
        for block in reachable:
            for instruction in block.instructions:
                if instruction.result is not None:
                    self._guard(instruction, self._name_result)
        found = [self._block(block) for block in reachable]
        if any(isinstance(block.instructions[-1], llvm.IndirectBranch) for block in reachable):
            found.append(code.Block(name=_NO_LABEL, end=code.Unreachable()))
        return _without_unused_bits(found)

    def _reachable(self) -> list[llvm.Block]:
        """The blocks that control can reach, each after those that dominate it (reverse postorder)."""
        known = {block.name: block for block in self.body}
        entry = self.body[0].name
        done: list[llvm.Block] = []
        seen = {entry}
        stack = [(entry, iter(_successors(known[entry])))]
        while stack:
            name, rest = stack[-1]
            target = next((item for item in rest if item not in seen), None)
            if target is None:
                stack.pop()
                done.append(known[name])
            elif target not in known:
                raise self.lowering.refusal.at(f"no block is called `{target}`", None, self.function.span)
            else:
                seen.add(target)
                stack.append((target, iter(_successors(known[target]))))
        return done[::-1]

    def _guard(self, instruction: llvm.Instruction, act: Callable[[llvm.Instruction], None]) -> None:
        """Does something with an instruction, and turns a failure into an error at its place."""
        self.here = instruction
        try:
            act(instruction)
        except (UnsupportedError, UnsizedTypeError) as problem:
            place = self.metadata.place(instruction.location)
            raise self.lowering.refusal.at(str(problem), place, instruction.span) from None

    def _block(self, block: llvm.Block) -> code.Block:
        self.instructions = []
        parameters = [
            value for phi in self.phis[block.name] for value in self.values[phi.result or ""]
            if isinstance(value, code.Value)
        ]  # fmt: skip
        if any(isinstance(item, _ENDS) for item in block.instructions[:-1]):
            raise self.lowering.refusal.at(
                "an instruction behind the end of a block", None, self.function.span
            )
        for instruction in block.instructions:
            self._guard(instruction, self._instruction)
        found = self.instructions
        end = found.pop() if found else None
        if not isinstance(end, code.Jump | code.Branch | code.Switch | code.Return | code.Unreachable):
            raise self.lowering.refusal.at("a block without an end", None, self.function.span)
        return code.Block(name=block.name, parameters=tuple(parameters), instructions=tuple(found), end=end)

    # ----------------------------------------------------------------------------------------------- names

    def _name(self, name: str, type_: Type) -> None:
        self.values[name] = values_of(name, type_, self.layout)

    def _name_result(self, instruction: llvm.Instruction) -> None:
        type_ = self._result_type(instruction)
        if type_ is not None and instruction.result is not None:
            if instruction.result in self.values:
                raise UnsupportedError(f"`%{instruction.result}` is defined twice")
            self._name(instruction.result, type_)

    def _result_type(self, instruction: llvm.Instruction) -> Type | None:
        """The type of an instruction's result; None where it stands for values that exist already."""
        match instruction:
            case llvm.Alloca() | llvm.ElementAddress():
                return _POINTER
            case llvm.Load(type=type_) | llvm.Binary(type=type_) | llvm.Cast(type=type_):
                return type_
            case llvm.Phi(type=type_) | llvm.Call(type=type_):
                return type_
            case llvm.Unary(operand=operand):
                return operand.type
            case llvm.Compare():
                return Integer(1)
            case llvm.Select(then=then):
                return then.type
            case llvm.AtomicUpdate(value=value):
                return value.type
            case llvm.CompareExchange(new=new):
                return Struct((new.type, Integer(1)))
            case llvm.ExtractValue() | llvm.InsertValue() | llvm.VectorOperation():
                return None
            case _:
                raise UnsupportedError(f"{_describe(instruction)} is not supported")

    def _variables(self) -> Mapping[str, tuple[str, int | None, code.Place | None]]:
        """The source's variables, by the name of their memory: name, node that describes them, and place.

        rustc also says what functions call a variable that were inlined; the function's own name counts.
        """
        found: dict[str, tuple[str, int | None, code.Place | None]] = {}
        for block in self.body:
            for item in block.instructions:
                if (
                    isinstance(item, llvm.DebugDeclare)
                    and item.operand is not None
                    and item.variable is not None
                ):
                    name = self.metadata.node(item.variable).fields.get("name")
                    if not isinstance(item.operand.value, llvm.Local) or not isinstance(name, str):
                        continue
                    place = self.metadata.place(item.location)
                    if place is None or place.call is None or item.operand.value.name not in found:
                        found[item.operand.value.name] = (name, item.variable, place_in_code(place))
        return found

    # -------------------------------------------------------------------------------------------- operands

    def scalars(self, operand: llvm.Typed) -> tuple[code.Operand, ...]:
        """An operand, taken apart."""
        if isinstance(operand.value, llvm.Local):
            if operand.value.name not in self.values:
                raise UnsupportedError(f"`%{operand.value.name}` has no value here")
            found = self.values[operand.value.name]
            if self.lowering.module.is_given and not self._is_of_type(found, operand.type):
                raise UnsupportedError(f"`%{operand.value.name}` is of another type")
            return found
        try:
            found = tuple(self.lowering.constants.scalars(operand.type, operand.value))
        except UnsupportedError:
            if not isinstance(operand.value, llvm.ConstantExpression):
                raise
            found = (self._compute_constant(operand.type, operand.value),)
        for item in found:
            self.lowering.reach(item)
        return found

    def _is_of_type(self, found: tuple[code.Operand, ...], type_: Type) -> bool:
        expected = [scalar_type(part, self.layout) for _, part in flatten(type_, self.layout)]
        return [item.type for item in found] == expected

    def _compute_constant(self, type_: Type, expression: llvm.ConstantExpression) -> code.Operand:
        """A constant expression about addresses, computed where it is used."""
        operation = expression.operation
        if operation == "icmp":
            operation = expression.flags[-1]
        elif operation not in ARITHMETIC and operation not in {"trunc", "zext", "select"}:
            raise UnsupportedError(f"the constant expression `{operation}` is not supported here")
        result = self.temporary(scalar_type(type_, self.lowering.layout))
        operands = tuple(map(self.scalar, expression.operands))
        self.emit(code.Compute(result=result, operation=operation, operands=operands, place=self.place()))
        return result

    def scalar(self, operand: llvm.Typed) -> code.Operand:
        """An operand that is one scalar."""
        found = self.scalars(operand)
        if len(found) != 1:
            raise UnsupportedError("an aggregate where one value is needed is not supported")
        return found[0]

    def results(self, instruction: llvm.Instruction) -> tuple[code.Value, ...]:
        found = self.values.get(instruction.result or "", ())
        return tuple(item for item in found if isinstance(item, code.Value))

    def result(self, instruction: llvm.Instruction) -> code.Value:
        """The result of an instruction that has one."""
        found = self.results(instruction)
        if len(found) != 1:
            raise UnsupportedError(f"{_describe(instruction)} with an aggregate result is not supported")
        return found[0]

    def temporary(self, type_: code.Type) -> code.Value:
        """A value that LLVM IR has no name for."""
        self.fresh += 1
        return code.Value(f"membar.{self.fresh}", type_)

    def place(self) -> code.Place | None:
        """The place of the instruction that is being translated."""
        return place_in_code(None if self.here is None else self.metadata.place(self.here.location))

    def emit(self, instruction: code.Instruction) -> None:
        """Adds an instruction to the block."""
        self.instructions.append(instruction)

    # ---------------------------------------------------------------------------------------- instructions

    def _instruction(self, instruction: llvm.Instruction) -> None:
        match instruction:
            case llvm.Phi() | llvm.DebugDeclare():
                return
            case llvm.Alloca() | llvm.Load() | llvm.Store() | llvm.Fence():
                lower_memory(self, instruction)
            case llvm.CompareExchange() | llvm.AtomicUpdate():
                lower_update(self, instruction)
            case llvm.ElementAddress():
                lower_element_address(self, instruction)
            case llvm.Binary() | llvm.Unary() | llvm.Cast() | llvm.Compare() | llvm.Select():
                self._compute(instruction)
            case llvm.ExtractValue() | llvm.InsertValue():
                self._member(instruction)
            case llvm.VectorOperation():
                lower_vector(self, instruction)
            case llvm.Call():
                lower_call(self, instruction)
            case llvm.Jump() | llvm.Branch() | llvm.Switch() | llvm.Return() | llvm.Unreachable():
                self._end(instruction)
            case llvm.IndirectBranch():
                self._jump_to_label(instruction)
            case _:
                raise UnsupportedError(f"{_describe(instruction)} is not supported")

    def _compute(self, item: llvm.Binary | llvm.Unary | llvm.Cast | llvm.Compare | llvm.Select) -> None:
        place = self.place()
        if (
            isinstance(item, llvm.Cast)
            and isinstance(item.operand.value, llvm.Local)
            and item.result is not None
        ):
            called = self.called.get(item.operand.value.name)
            self.called.update({} if called is None else {item.result: called})
        match item:
            case llvm.Binary() | llvm.Compare():
                refuse_arithmetic(item.operation, (item.type,), self.layout)
                operands = tuple(self.scalar(llvm.Typed(item.type, side)) for side in (item.left, item.right))
                operation = item.operation
                if isinstance(item, llvm.Compare):
                    operation = item.predicate if operation == "icmp" else f"f{item.predicate}"
                checks = checks_of(item.flags)
                if is_wide_division(operation, self.result(item)) and not checks:
                    divide_by_call(self, operation, self.result(item), operands)
                    return
                self.emit(
                    code.Compute(
                        result=self.result(item),
                        operation=operation,
                        operands=operands,
                        checks=checks,
                        place=place,
                    )
                )
            case llvm.Unary() | llvm.Cast():
                self._convert(item, place)
            case llvm.Select():
                condition = self.scalar(item.condition)
                pairs = zip(
                    self.results(item), self.scalars(item.then), self.scalars(item.otherwise), strict=True
                )
                for result, then, otherwise in pairs:
                    operands = (condition, then, otherwise)
                    self.emit(code.Compute(result=result, operation="select", operands=operands, place=place))

    def _convert(self, item: llvm.Unary | llvm.Cast, place: code.Place | None) -> None:
        checks = checks_of(item.flags) if item.operation.startswith("f") else ()
        operands = self.scalars(item.operand)
        is_same = item.operation == "bitcast" and [each.type for each in operands] == [
            value.type for value in self.results(item)
        ]
        if is_same:  # pointers of LLVM 14 differ in what they point to, and in nothing else
            self.values[item.result or ""] = operands
            return
        types = (item.operand.type, item.type) if isinstance(item, llvm.Cast) else (item.operand.type,)
        refuse_arithmetic(item.operation, types, self.layout)
        if isinstance(item, llvm.Cast) and max(len(operands), len(self.results(item))) > 1:
            lower_bits(self, item)
            return
        for result, operand in zip(self.results(item), operands, strict=True):
            self.emit(
                code.Compute(
                    result=result, operation=item.operation, operands=(operand,), checks=checks, place=place
                )
            )

    def _member(self, item: llvm.ExtractValue | llvm.InsertValue) -> None:
        whole = self.scalars(item.aggregate)
        first, count = path_to(item.aggregate.type, item.path, self.layout)
        if isinstance(item, llvm.ExtractValue):
            self.values[item.result or ""] = whole[first : first + count]
        else:
            self.values[item.result or ""] = (
                *whole[:first],
                *self.scalars(item.value),
                *whole[first + count :],
            )

    # -------------------------------------------------------------------------------------------- control

    def _goto(self, source: str, target: str) -> code.Goto:
        """A jump from one block to another, with what the target's `phi` instructions take from there."""
        arguments: list[code.Operand] = []
        for phi in self.phis.get(target, []):
            value = next((value for value, block in phi.incoming if block == source), None)
            if value is None:
                raise UnsupportedError(f"the block `{target}` does not expect to be reached from `{source}`")
            arguments += self.scalars(llvm.Typed(phi.type, value))
        return code.Goto(target, tuple(arguments))

    def _end(self, item: llvm.Jump | llvm.Branch | llvm.Switch | llvm.Return | llvm.Unreachable) -> None:
        place = self.place()
        block = self._current_block(item)
        match item:
            case llvm.Jump():
                self.emit(code.Jump(target=self._goto(block, item.target), place=place))
            case llvm.Branch():
                condition = self.scalar(item.condition)
                then, otherwise = self._goto(block, item.then), self._goto(block, item.otherwise)
                self.emit(code.Branch(condition=condition, then=then, otherwise=otherwise, place=place))
            case llvm.Switch():
                cases: list[tuple[int, code.Goto]] = []
                for value, target in item.cases:
                    constant = self.scalar(value)
                    if isinstance(constant, code.Constant):
                        cases.append((constant.value, self._goto(block, target)))
                default = self._goto(block, item.default)
                value_ = self.scalar(item.value)
                self.emit(code.Switch(value=value_, cases=tuple(cases), default=default, place=place))
            case llvm.Return():
                values = () if item.value is None else self.scalars(item.value)
                self.emit(code.Return(values=values, place=place))
            case llvm.Unreachable():
                self.emit(code.Unreachable(place=place))

    def _jump_to_label(self, item: llvm.IndirectBranch) -> None:
        """A jump to a computed label: a switch over the numbers of all that it may be."""
        place, block = self.place(), self._current_block(item)
        word = self.temporary(code.Int(self.layout.pointer_bits()))
        address = address_of_access(self, item.address)
        self.emit(code.Compute(result=word, operation="ptrtoint", operands=(address,), place=place))
        cases = tuple(
            (self.lowering.constants.label(self.function.name, target), self._goto(block, target))
            for target in dict.fromkeys(item.targets)
        )
        self.emit(code.Switch(value=word, cases=cases, default=code.Goto(_NO_LABEL), place=place))

    def _current_block(self, item: llvm.Instruction) -> str:
        return next(block.name for block in self.body if block.instructions[-1] is item)


def _without_unused_bits(blocks: Sequence[code.Block]) -> tuple[code.Block, ...]:
    """Code that does not make a truth value of a `_Bool` that nobody uses: `(void)b` does not read `b`."""
    bits = {item.result.name for block in blocks for item in block.instructions if _is_truth_value(item)}
    if bits:
        for block in blocks:
            for item in (*block.instructions, block.end):
                bits -= {each.name for each in operands_of(item) if isinstance(each, code.Value)}
    if not bits:
        return tuple(blocks)

    def is_used(item: code.Instruction) -> bool:
        return not (_is_truth_value(item) and item.result.name in bits)

    return tuple(replace(block, instructions=tuple(filter(is_used, block.instructions))) for block in blocks)


def _is_truth_value(item: code.Instruction) -> TypeGuard[code.Compute]:
    return isinstance(item, code.Compute) and item.operation == "trunc" and item.result.type == code.BOOL


def values_of(name: str, type_: Type, layout: DataLayout) -> tuple[code.Value, ...]:
    """The values that the scalars of an operand of LLVM IR become."""
    types = [scalar_type(part, layout) for _, part in flatten(type_, layout)]
    if len(types) == 1:
        return (code.Value(name, types[0]),)
    return tuple(code.Value(f"{name}.{number}", each) for number, each in enumerate(types))


def _successors(block: llvm.Block) -> tuple[str, ...]:
    """The blocks that a block may go on at; the first ones last, so that they come first in the order."""
    match block.instructions[-1]:
        case llvm.Jump(target=target):
            return (target,)
        case llvm.Branch(then=then, otherwise=otherwise):
            return (otherwise, then)
        case llvm.Switch(default=default, cases=cases):
            return (default, *(target for _, target in reversed(cases)))
        case llvm.Invoke(normal=normal, unwind=unwind):
            return (unwind, normal)
        case llvm.IndirectBranch(targets=targets):
            return targets
        case _:
            return ()


def place_in_code(place: Place | None) -> code.Place | None:
    """A place in the source, with the calls that lead to it."""
    if place is None:
        return None
    return code.Place(place.file, place.line, place.column, place.function, place_in_code(place.call))


def _describe(instruction: llvm.Instruction) -> str:
    """What an instruction is called in messages."""
    names: Sequence[tuple[type[llvm.Instruction], str]] = (
        (llvm.Invoke, "a call that may raise an exception (`invoke`)"),
        (llvm.LandingPad, "the handler of an exception (`landingpad`)"),
        (llvm.Resume, "raising an exception again (`resume`)"),
        (llvm.VariadicArgument, "reading a variadic argument (`va_arg`)"),
    )
    return next((name for kind, name in names if isinstance(instruction, kind)), "this instruction")
