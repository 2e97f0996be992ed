"""From LLVM IR to code IR: aggregates taken apart, `phi` as block parameters, addresses as arithmetic.

Only functions that the roots can reach are translated. What code IR cannot say is refused, with its place in
the source.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TypeGuard

from membar.code import ir as code
from membar.code.shapes import Shape, has_bit_fields
from membar.code.structure import operands as operands_of
from membar.languages.compiled.accessed_elements import (
    accessed_addresses,
    addresses_in_structures,
    is_in_structure,
)
from membar.languages.compiled.atomic_calls import NAMES, accesses_of_call
from membar.languages.compiled.constants import (
    ARITHMETIC,
    Constants,
    UnsupportedError,
    flatten,
    path_to,
    scalar_type,
)
from membar.languages.compiled.exceptions import THROW, handlers, without_exceptions
from membar.languages.compiled.intrinsics import Intrinsic, intrinsic_of
from membar.languages.compiled.literals import NOT_CHECKED, may_outlive_its_block
from membar.languages.compiled.llvm import module as llvm
from membar.languages.compiled.llvm.metadata import Place
from membar.languages.compiled.llvm.shapes import Shapes
from membar.languages.compiled.llvm.types import (
    Array,
    Integer,
    Pointer,
    Struct,
    Type,
    UnsizedTypeError,
)
from membar.languages.compiled.refusal import Refusal
from membar.languages.compiled.shift_checks import SIGNED_SHIFT, without_shift_checks
from membar.records import replace
from membar.source import SourceFile

CONSTRUCTORS = "llvm.global_ctors"
# Variables that tell the linker something, and nothing else.
_FOR_THE_LINKER = frozenset({"llvm.used", "llvm.compiler.used", CONSTRUCTORS, "llvm.global_dtors"})
_POINTER = Pointer()
_NO_LABEL = "membar.no-label"
_ENDS = (llvm.Jump, llvm.Branch, llvm.Switch, llvm.Return, llvm.Unreachable, llvm.IndirectBranch)
_CHECKS = {
    "nsw": "signed-overflow",
    "nuw": "unsigned-overflow",
    "exact": "inexact",
    "disjoint": "overlap",
    SIGNED_SHIFT: SIGNED_SHIFT,
}


def lower_module(
    module: llvm.Module,
    roots: Iterable[str],
    read: Callable[[str], SourceFile | None],
    elsewhere: Collection[str] = (),
    replaced: Collection[str] = (),
) -> code.Module:
    """The code IR of what the roots can reach.

    Args:
        module: the LLVM IR.
        roots: what is used from outside: `main`, operations of an object, what other files need.
        read: the text of the files that errors may show.
        elsewhere: names that other files define, whatever weak alias this one has for them.
        replaced: functions whose bodies here do not count.

    Raises:
        InputError: something reachable cannot be said in code IR.
    """
    return _Lowering(module, Refusal(read), elsewhere, replaced).run(tuple(roots))


class _Lowering:
    """The functions and variables of one module, as far as they are reached."""

    def __init__(
        self,
        module: llvm.Module,
        refusal: Refusal,
        elsewhere: Collection[str],
        replaced: Collection[str],
    ) -> None:
        self.module = module
        self.layout = module.layout
        self.is_rust = module.is_rust
        self.constants = Constants(module, elsewhere)
        self.shapes = Shapes(module.metadata)
        self.refusal = refusal
        self.elsewhere, self.replaced = elsewhere, replaced
        self.objects: dict[str, code.Object] = {}
        self.functions: dict[str, code.Function] = {}
        self.allocated: dict[tuple[str, int, int], tuple[str, Shape]] = {}
        self.handlers: list[code.Place] = []
        self.has_unmarked_literals = False
        self.lines_of_less_alignment: set[int] = set()
        self._reached: list[str] = []

    def run(self, roots: tuple[str, ...]) -> code.Module:
        constructors = tuple(self._constructors())
        for name in (*roots, *constructors):
            is_variable = name in self.module.variables
            self.reach(code.ObjectAddress(name) if is_variable else code.FunctionAddress(name))
        while self._reached:
            name = self._reached.pop()
            if name in self.module.functions:
                self.functions[name] = self._function(self.module.functions[name])
        return code.Module(
            functions=dict(sorted(self.functions.items())),
            objects=dict(sorted(self.objects.items())),
            constructors=constructors,
            handlers=tuple(self.handlers),
            allocated=self.allocated,
            partly_checked=self._partly_checked(),
            pointer_bits=self.layout.pointer_bits(),
            is_little_endian=self.layout.is_little_endian,
        )

    def _partly_checked(self) -> tuple[tuple[str, str], ...]:
        """What the compiler's choices hide."""
        found = self.shapes.lines_of_divided_bit_fields()
        where = f"line{'s' * (len(found) > 1)} {', '.join(map(str, found))}"
        part = f"without races of the bit fields of {where} with those beside them"
        literals = (("memory", NOT_CHECKED),) if self.has_unmarked_literals else ()
        less = sorted(self.lines_of_less_alignment)
        where = f"line{'s' * (len(less) > 1)} {', '.join(map(str, less))}"
        aligned = (("memory", f"without the alignment of what {where} access{'es' * (len(less) == 1)}"),)
        return (*((("races", part),) if found else ()), *literals, *(aligned if less else ()))

    def _constructors(self) -> Iterator[str]:
        """Functions that run before `main`, by their priority."""
        variable = self.module.variables.get(CONSTRUCTORS)
        if variable is None or not isinstance(variable.initialiser, llvm.Aggregate):
            return
        found: list[tuple[int, int, str]] = []
        for number, entry in enumerate(variable.initialiser.elements):
            priority, function, *_ = self.constants.scalars(entry.type, entry.value)
            if isinstance(priority, code.Constant) and isinstance(function, code.FunctionAddress):
                found.append((priority.value, number, function.name))
        yield from (name for _, _, name in sorted(found))

    def reach(self, operand: code.Operand) -> None:
        """Notes that a function or variable is used."""
        if isinstance(operand, code.FunctionAddress):
            if operand.name not in self.functions and operand.name not in self._reached:
                self._reached.append(operand.name)
        elif isinstance(operand, code.ObjectAddress) and operand.name not in self.objects:
            variable = self.module.variables.get(operand.name)
            if variable is None or operand.name in _FOR_THE_LINKER:
                return
            try:
                found = self.constants.initial(variable)
            except UnsupportedError as problem:
                place = self._place_of_variable(variable)
                raise self.refusal.at(f"{variable.name}: {problem}", place, variable.span) from None
            shape = self.shapes.of_variable(variable.debug)
            if has_bit_fields(shape) or self.is_rust:
                # Beside bit fields the bytes of static variables are 0, and are read with them; in Rust only
                # padding has no value.
                found = replace(found, unset=())
            self.objects[operand.name] = replace(
                found,
                binding=_binding(variable.linkage),
                shape=shape,
                place=_place(self._place_of_variable(variable)),
            )
            for _, target in found.addresses:
                self.reach(target)

    def _place_of_variable(self, variable: llvm.Variable) -> Place | None:
        metadata = self.module.metadata
        if variable.debug is None:
            return None
        node = metadata.resolve(metadata.node(variable.debug).fields.get("var"))
        if node is None:
            return None
        line = node.fields.get("line")
        return Place(metadata.file(node), line if isinstance(line, int) else 0, 0, "")

    def _place_of_function(self, function: llvm.Function) -> Place | None:
        if function.debug is None:
            return None
        node = self.module.metadata.node(function.debug)
        line = node.fields.get("line")
        return Place(self.module.metadata.file(node), line if isinstance(line, int) else 0, 0, "")

    def _function(self, function: llvm.Function) -> code.Function:
        try:
            parameters = [
                code.Value(_part(item.name, number, count), scalar_type(type_, self.layout))
                for item in function.parameters
                for number, type_, count in _parts(item.type, self)
            ]
            results = [scalar_type(type_, self.layout) for _, type_ in flatten(function.result, self.layout)]
        except (UnsupportedError, UnsizedTypeError) as problem:
            raise self.refusal.at(f"{function.name}: {problem}", None, function.span) from None
        by_value = [
            (number, self.layout.size(item.by_value))
            for number, item in enumerate(function.parameters)
            if item.by_value is not None
        ]
        is_defined = function.is_defined and function.name not in self.replaced
        blocks = _Body(self, function).blocks() if is_defined else ()
        if is_defined:
            found = (self.module.metadata.place(at) for at in handlers(function.blocks))
            self.handlers += [place for at in found if (place := _place(at)) is not None]
            self.has_unmarked_literals |= may_outlive_its_block(function, self.module.metadata)
        return code.Function(
            name=function.name,
            parameters=tuple(parameters),
            results=tuple(results),
            blocks=blocks,
            is_variadic=function.is_variadic,
            never_returns=function.is_noreturn,
            by_value=tuple(by_value),
            binding=_binding(function.linkage),
            place=_place(self._place_of_function(function)),
        )


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


def _parts(type_: Type, lowering: _Lowering) -> Iterator[tuple[int, Type, int]]:
    """The scalars of a type: number, type, and how many there are."""
    found = [part for _, part in flatten(type_, lowering.layout)]
    for number, part in enumerate(found):
        yield number, part, len(found)


def _part(name: str, number: int, count: int) -> str:
    """The name of one scalar of an aggregate value."""
    return name if count == 1 else f"{name}.{number}"


class _Body:
    """The blocks of one function."""

    def __init__(self, lowering: _Lowering, function: llvm.Function) -> None:
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
        parts = list(_parts(type_, self.lowering))
        self.values[name] = tuple(
            code.Value(_part(name, number, count), scalar_type(part, self.layout))
            for number, part, count in parts
        )

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
            case llvm.ExtractValue() | llvm.InsertValue():
                return None
            case _:
                raise UnsupportedError(f"{_describe(instruction)} is not supported")

    def _variables(self) -> Mapping[str, tuple[str, int | None]]:
        """The source's variables, by the name of their memory: their names, and what describes them."""
        found: dict[str, tuple[str, int | None]] = {}
        for block in self.body:
            for item in block.instructions:
                if (
                    isinstance(item, llvm.DebugDeclare)
                    and item.operand is not None
                    and item.variable is not None
                ):
                    name = self.metadata.node(item.variable).fields.get("name")
                    if isinstance(item.operand.value, llvm.Local) and isinstance(name, str):
                        found[item.operand.value.name] = (name, item.variable)
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

    def _results(self, instruction: llvm.Instruction) -> tuple[code.Value, ...]:
        found = self.values.get(instruction.result or "", ())
        return tuple(item for item in found if isinstance(item, code.Value))

    def result(self, instruction: llvm.Instruction) -> code.Value:
        """The result of an instruction that has one."""
        found = self._results(instruction)
        if len(found) != 1:
            raise UnsupportedError(f"{_describe(instruction)} with an aggregate result is not supported")
        return found[0]

    def temporary(self, type_: code.Type) -> code.Value:
        """A value that LLVM IR has no name for."""
        self.fresh += 1
        return code.Value(f"membar.{self.fresh}", type_)

    def place(self) -> code.Place | None:
        """The place of the instruction that is being translated."""
        return _place(None if self.here is None else self.metadata.place(self.here.location))

    def emit(self, instruction: code.Instruction) -> None:
        """Adds an instruction to the block."""
        self.instructions.append(instruction)

    # ---------------------------------------------------------------------------------------- instructions

    def _instruction(self, instruction: llvm.Instruction) -> None:
        match instruction:
            case llvm.Phi() | llvm.DebugDeclare():
                return
            case llvm.Alloca() | llvm.Load() | llvm.Store() | llvm.Fence():
                self._memory(instruction)
            case llvm.CompareExchange() | llvm.AtomicUpdate():
                self._update(instruction)
            case llvm.ElementAddress():
                self._element(instruction)
            case llvm.Binary() | llvm.Unary() | llvm.Cast() | llvm.Compare() | llvm.Select():
                self._compute(instruction)
            case llvm.ExtractValue() | llvm.InsertValue():
                self._member(instruction)
            case llvm.Call():
                self._call(instruction)
            case llvm.Jump() | llvm.Branch() | llvm.Switch() | llvm.Return() | llvm.Unreachable():
                self._end(instruction)
            case llvm.IndirectBranch():
                self._jump_to_label(instruction)
            case _:
                raise UnsupportedError(f"{_describe(instruction)} is not supported")

    def _memory(self, item: llvm.Alloca | llvm.Load | llvm.Store | llvm.Fence) -> None:
        place = self.place()
        match item:
            case llvm.Alloca():
                count = None if item.count is None else self.scalar(item.count)
                align = item.align or self.layout.align(item.type)
                name, number = self.variables.get(item.result or "", ("", None))
                self.emit(
                    code.Slot(
                        result=self.result(item),
                        size=self.layout.size(item.type),
                        align=align,
                        count=None if count == code.Constant(1, code.Int(32)) else count,
                        variable=name,
                        shape=self.lowering.shapes.of_variable(number),
                        place=place,
                    )
                )
            case llvm.Load():
                self._load(item, place)
            case llvm.Store():
                self._store(item, place)
            case llvm.Fence():
                is_signal = item.scope == "singlethread"
                self.emit(code.Fence(ordering=item.ordering, is_signal=is_signal, place=place))

    def _load(self, item: llvm.Load, place: code.Place | None) -> None:
        address = self._address_of_access(item.address)
        results = self._results(item)
        parts = list(flatten(item.type, self.layout))
        if item.ordering is not None and len(parts) != 1:
            raise UnsupportedError("an atomic access to an aggregate is not supported")
        self._note_alignment(item, item.type, place)
        align = item.align or self.layout.align(item.type)
        may_be_unset = self.lowering.is_rust and not _must_be_set(item)
        for result, (offset, _) in zip(results, parts, strict=True):
            self.emit(
                code.Load(
                    result=result,
                    address=self._move_address(address, offset),
                    ordering=_ordering(item),
                    is_volatile=item.is_volatile,
                    align=_align_at(align, offset),
                    may_be_unset=may_be_unset,
                    place=place,
                )
            )

    def _note_alignment(self, item: llvm.Load | llvm.Store, type_: Type, place: code.Place | None) -> None:
        """Notes an access of less alignment than its type has.

        That of a member of a packed structure is right. Elsewhere the compiler may have seen that the pointer
        is misaligned, which is undefined, or the program may use a type that is aligned so.
        """
        if item.align is None or item.align >= self.layout.align(type_) or place is None:
            return
        if self.lowering.is_rust:  # only `read_unaligned` and its like do that
            return
        if not is_in_structure(item.address.value, self.in_structures, self.lowering.module.variables):
            self.lowering.lines_of_less_alignment.add(place.line)

    def _note_allocation(self, item: llvm.Store) -> None:
        """Notes the type of what a call may have allocated, where its result goes straight to a variable."""
        value, address = item.value.value, item.address.value
        place = self.called.get(value.name) if isinstance(value, llvm.Local) else None
        number = None
        if isinstance(address, llvm.Local):
            _, number = self.variables.get(address.name, ("", None))
        elif isinstance(address, llvm.Global) and address.name in self.lowering.module.variables:
            number = self.lowering.module.variables[address.name].debug
        found = None if place is None else self.lowering.shapes.of_target(number)
        if place is not None and found is not None:
            self.lowering.allocated[place.file, place.line, place.column] = found

    def _store(self, item: llvm.Store, place: code.Place | None) -> None:
        self._note_allocation(item)
        address = self._address_of_access(item.address)
        values = self.scalars(item.value)
        parts = list(flatten(item.value.type, self.layout))
        if item.ordering is not None and len(parts) != 1:
            raise UnsupportedError("an atomic access to an aggregate is not supported")
        self._note_alignment(item, item.value.type, place)
        align = item.align or self.layout.align(item.value.type)
        for value, (offset, _) in zip(values, parts, strict=True):
            self.emit(
                code.Store(
                    value=value,
                    address=self._move_address(address, offset),
                    ordering=_ordering(item),
                    is_volatile=item.is_volatile,
                    align=_align_at(align, offset),
                    place=place,
                )
            )

    def _move_address(self, address: code.Operand, offset: int) -> code.Operand:
        """An address so many bytes further."""
        if offset == 0:
            return address
        if isinstance(address, code.ObjectAddress):
            return code.ObjectAddress(address.name, address.offset + offset)
        result = self.temporary(code.PTR)
        index = code.Constant(offset, code.Int(64))
        self.emit(code.Index(result=result, base=address, index=index, stride=1, place=self.place()))
        return result

    def _update(self, item: llvm.CompareExchange | llvm.AtomicUpdate) -> None:
        if item.scope is not None:
            raise UnsupportedError("a read-modify-write for one thread only is not supported")
        place = self.place()
        match item:
            case llvm.CompareExchange():
                old, done = self._results(item)
                self.emit(
                    code.CompareExchange(
                        old=old,
                        done=done,
                        address=self._address_of_access(item.address),
                        expected=self.scalar(item.expected),
                        new=self.scalar(item.new),
                        success=item.success,
                        failure=item.failure,
                        is_weak=item.is_weak,
                        is_volatile=item.is_volatile,
                        place=place,
                    )
                )
            case llvm.AtomicUpdate():
                self.emit(
                    code.Update(
                        old=self.result(item),
                        operation=item.operation,
                        address=self._address_of_access(item.address),
                        value=self.scalar(item.value),
                        ordering=item.ordering,
                        is_volatile=item.is_volatile,
                        place=place,
                    )
                )

    def _address_of_access(self, operand: llvm.Typed) -> code.Operand:
        """The address of an access."""
        match operand.value:
            case llvm.ConstantExpression("getelementptr", (base, *indices), type_) if type_ is not None:
                return self._element_address(base, type_, indices, is_accessed=True)
            case _:
                return self.scalar(operand)

    def _element(self, item: llvm.ElementAddress) -> None:
        is_accessed = item.result in self.accessed
        address = self._element_address(item.base, item.type, item.indices, is_accessed=is_accessed)
        self.values[item.result or ""] = (address,)
        if self._ends_structure(item.type, item.indices):
            self.last_members.add(item.result or "")

    def _ends_structure(self, type_: Type, indices: Sequence[llvm.Typed]) -> bool:
        """Whether indices lead to the last member of a structure: bytes behind it are padding, or may be."""
        is_last = False
        for index in indices[1:]:
            found, operand = self.layout.resolve(type_), self.scalar(index)
            if isinstance(found, Array):
                type_, is_last = found.element, False
            elif isinstance(found, Struct) and isinstance(operand, code.Constant):
                behind = found.fields[operand.value + 1 :]
                is_last = all(isinstance(each, Array) and each.element == Integer(8) for each in behind)
                type_ = found.fields[operand.value]
        return is_last

    def _element_address(
        self, base: llvm.Typed, type_: Type, indices: Sequence[llvm.Typed], *, is_accessed: bool
    ) -> code.Operand:
        """An address computed member by member; constant steps are joined."""
        address, offset = self.scalar(base), 0
        may_be_longer = isinstance(base.value, llvm.Local) and base.value.name in self.last_members
        whole = type_
        for number, index in enumerate(indices):
            found = self.layout.resolve(type_)
            operand = self.scalar(index)
            count, highest = None, None
            if number > 0 and isinstance(found, Struct):
                if not isinstance(operand, code.Constant):
                    raise UnsupportedError("a member of a structure by a computed number")
                offset += self.layout.offset(found, operand.value)
                type_ = found.fields[operand.value]
                continue
            if number > 0:
                if not isinstance(found, Array):
                    raise UnsupportedError("an index into something that is not an array")
                type_ = found.element
                # A flexible member has no declared number of elements, or just one.
                is_flexible = may_be_longer if number == 1 else self._ends_structure(whole, indices[:number])
                count = None if found.count == 0 or (found.count == 1 and is_flexible) else found.count
                highest = None if count is None else count - is_accessed
            stride = self.layout.size(type_)
            if isinstance(operand, code.Constant) and (highest is None or 0 <= _signed(operand) <= highest):
                offset += _signed(operand) * stride
                continue
            address = self._move_address(address, offset)
            offset = 0
            result = self.temporary(code.PTR)
            self.emit(
                code.Index(
                    result=result,
                    base=address,
                    index=operand,
                    stride=stride,
                    count=count,
                    is_accessed=is_accessed,
                    place=self.place(),
                )
            )
            address = result
        return self._move_address(address, offset)

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
                operands = tuple(self.scalar(llvm.Typed(item.type, side)) for side in (item.left, item.right))
                operation = item.operation
                if isinstance(item, llvm.Compare):
                    operation = item.predicate if operation == "icmp" else f"f{item.predicate}"
                checks = tuple(_CHECKS[flag] for flag in item.flags if flag in _CHECKS)
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
                    self._results(item), self.scalars(item.then), self.scalars(item.otherwise), strict=True
                )
                for result, then, otherwise in pairs:
                    operands = (condition, then, otherwise)
                    self.emit(code.Compute(result=result, operation="select", operands=operands, place=place))

    def _convert(self, item: llvm.Unary | llvm.Cast, place: code.Place | None) -> None:
        operands = self.scalars(item.operand)
        is_same = item.operation == "bitcast" and [each.type for each in operands] == [
            value.type for value in self._results(item)
        ]
        if is_same:  # pointers of LLVM 14 differ in what they point to, and in nothing else
            self.values[item.result or ""] = operands
            return
        for result, operand in zip(self._results(item), operands, strict=True):
            self.emit(code.Compute(result=result, operation=item.operation, operands=(operand,), place=place))

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

    def _call(self, item: llvm.Call) -> None:
        callee = item.callee
        if callee == llvm.Global(THROW):
            self.emit(
                code.Call(results=(), callee=code.FunctionAddress(THROW), arguments=(), place=self.place())
            )
            return
        if isinstance(callee, llvm.InlineAssembly):
            operands = tuple(part for each in item.arguments for part in self.scalars(each))
            self.emit(
                code.Assembly(
                    results=self._results(item),
                    template=callee.template,
                    constraints=callee.constraints,
                    operands=operands,
                    has_side_effects="sideeffect" in callee.flags,
                    place=self.place(),
                )
            )
            return
        if isinstance(callee, llvm.Global) and callee.name.startswith("llvm."):
            self._intrinsic(item, intrinsic_of(callee.name))
            return
        if (
            isinstance(callee, llvm.Global)
            and callee.name in NAMES
            and self._access_by_call(item, callee.name)
        ):
            return
        target = self.scalar(llvm.Typed(_POINTER, callee))
        called = self.lowering.module.functions.get(callee.name) if isinstance(callee, llvm.Global) else None
        if called is not None and any(number >= len(called.parameters) for number, _ in item.by_value):
            raise UnsupportedError("a structure among the unnamed arguments of a call is not supported")
        arguments = tuple(part for each in item.arguments for part in self.scalars(each))
        results = self._results(item)
        if item.result is None:  # a result that nobody uses still is one
            kinds = [scalar_type(part, self.layout) for _, part in flatten(item.type, self.layout)]
            results = tuple(self.temporary(kind) for kind in kinds)
        place = self.place()
        if item.result is not None and place is not None:
            self.called[item.result] = place
        self.emit(code.Call(results=results, callee=target, arguments=arguments, place=place))

    def _access_by_call(self, item: llvm.Call, name: str) -> bool:
        """Whether a call of a function that the program does not define was an access, and was translated."""
        called = self.lowering.module.functions.get(name)
        if called is None or called.is_defined or name in self.lowering.elsewhere:
            return False
        arguments = [part for each in item.arguments for part in self.scalars(each)]
        results = self._results(item) or (self.temporary(code.BOOL),)
        found = accesses_of_call(name, arguments, results, self.temporary, self.place())
        for access in found:
            self.emit(access)
        return bool(found)

    def _intrinsic(self, item: llvm.Call, intrinsic: Intrinsic) -> None:
        arguments = [part for each in item.arguments for part in self.scalars(each)]
        place = self.place()
        match intrinsic.kind:
            case "nothing":
                return
            case "argument":
                self.values[item.result or ""] = (arguments[0],)
            case "no":
                self.values[item.result or ""] = (code.Constant(0, code.BOOL),)
            case "copy":
                target, source, length, is_volatile = arguments
                self.emit(
                    code.Copy(
                        target=target,
                        source=source,
                        length=length,
                        may_overlap=intrinsic.name == "memmove",
                        is_volatile=is_volatile == code.Constant(1, code.BOOL),
                        place=place,
                    )
                )
            case "fill":
                target, byte, length, is_volatile = arguments
                is_access = is_volatile == code.Constant(1, code.BOOL)
                self.emit(
                    code.Fill(target=target, byte=byte, length=length, is_volatile=is_access, place=place)
                )
            case "lifetime":
                begins = intrinsic.name == "lifetime.start"
                self.emit(code.Lifetime(slot=arguments[-1], begins=begins, place=place))
            case "compute":
                self._computed_results(item, intrinsic.name, tuple(arguments), place)
            case "call":
                callee = code.FunctionAddress(f"llvm.{intrinsic.name}")
                self.emit(
                    code.Call(
                        results=self._results(item), callee=callee, arguments=tuple(arguments), place=place
                    )
                )
            case _:
                raise AssertionError(intrinsic)

    def _computed_results(
        self, item: llvm.Call, name: str, operands: tuple[code.Operand, ...], place: code.Place | None
    ) -> None:
        """An intrinsic function of its arguments; one with overflow gives the value and whether it fits."""
        results = self._results(item)
        operations = [name]
        if name.endswith(".with.overflow"):
            operation = name.removesuffix(".with.overflow")
            operations = [operation[1:], f"{operation}.overflows"]
        for result, operation in zip(results, operations, strict=True):
            self.emit(code.Compute(result=result, operation=operation, operands=operands, place=place))

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
        address = self._address_of_access(item.address)
        self.emit(code.Compute(result=word, operation="ptrtoint", operands=(address,), place=place))
        cases = tuple(
            (self.lowering.constants.label(self.function.name, target), self._goto(block, target))
            for target in dict.fromkeys(item.targets)
        )
        self.emit(code.Switch(value=word, cases=cases, default=code.Goto(_NO_LABEL), place=place))

    def _current_block(self, item: llvm.Instruction) -> str:
        return next(block.name for block in self.body if block.instructions[-1] is item)


def _signed(constant: code.Constant) -> int:
    bits = constant.type.bits if isinstance(constant.type, code.Int) else 64
    return constant.value - (1 << bits) if constant.value >> (bits - 1) else constant.value


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


def _must_be_set(item: llvm.Load) -> bool:
    """Whether rustc says that what is loaded was set, as all but parts of unions and enums must be."""
    return item.span is not None and "!noundef" in item.span.text


def _align_at(align: int, offset: int) -> int:
    """The alignment that is left so many bytes behind an aligned address."""
    return align if offset == 0 else min(align, offset & -offset)


def _ordering(item: llvm.Load | llvm.Store) -> str | None:
    """The ordering between threads; an access that is atomic for one thread only is a plain one."""
    return None if item.scope == "singlethread" else item.ordering


def _binding(linkage: str) -> str:
    """Whether other files can see a definition, and whether they may have one too."""
    if linkage in {"internal", "private"}:
        return "local"
    return "strong" if linkage in {"external", ""} else "weak"


def _place(place: Place | None) -> code.Place | None:
    if place is None:
        return None
    return code.Place(place.file, place.line, place.column, place.function, _place(place.call))


def _describe(instruction: llvm.Instruction) -> str:
    """What an instruction is called in messages."""
    names: Sequence[tuple[type[llvm.Instruction], str]] = (
        (llvm.Invoke, "a call that may raise an exception (`invoke`)"),
        (llvm.LandingPad, "the handler of an exception (`landingpad`)"),
        (llvm.Resume, "raising an exception again (`resume`)"),
        (llvm.VariadicArgument, "reading a variadic argument (`va_arg`)"),
        (llvm.VectorOperation, "an operation on vectors"),
    )
    return next((name for kind, name in names if isinstance(instruction, kind)), "this instruction")
