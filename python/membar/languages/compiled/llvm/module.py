"""A module of LLVM IR: global variables, functions, blocks, instructions and their operands.

Names and numbers are those of the text. What membar does not need (attributes, most metadata) is left out;
what it does not know is refused by the reader.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from membar.languages.compiled.llvm.metadata import Metadata
from membar.languages.compiled.llvm.types import DataLayout, Signature, Type
from membar.records import field, record
from membar.source import Span

# --------------------------------------------------------------------------- operands


@record(frozen=True, slots=True)
class Local:
    """`%name`: a parameter, the result of an instruction, or a block."""

    name: str


@record(frozen=True, slots=True)
class Global:
    """`@name`: the address of a variable or function."""

    name: str


@record(frozen=True, slots=True)
class Number:
    """An integer constant; `true` is 1 and `false` is 0."""

    value: int


@record(frozen=True, slots=True)
class Word:
    """`null`, `undef`, `poison`, `zeroinitializer`, `none`, or a floating-point constant as written."""

    text: str


@record(frozen=True, slots=True)
class Bytes:
    """`c"…"`: an array of bytes."""

    content: bytes


@record(frozen=True, slots=True)
class Aggregate:
    """A constant array, structure or vector; `opening` is `[`, `{`, `<` or `<{`."""

    opening: str
    elements: tuple[Typed, ...]


@record(frozen=True, slots=True)
class ConstantExpression:
    """An operation on constants: `getelementptr inbounds (T, ptr @x, i64 0, i32 1)`.

    Attributes:
        operation: the name of the instruction.
        operands: what it is applied to, in order.
        type: the type it names: the source element of a `getelementptr`, the target of a cast.
        flags: `inbounds`, `nuw`, the predicate of a comparison, …
    """

    operation: str
    operands: tuple[Typed, ...]
    type: Type | None = None
    flags: tuple[str, ...] = ()


@record(frozen=True, slots=True)
class BlockAddress:
    """`blockaddress(@function, %block)`."""

    function: str
    block: str


@record(frozen=True, slots=True)
class InlineAssembly:
    """`asm sideeffect "template", "constraints"`."""

    template: str
    constraints: str
    flags: tuple[str, ...] = ()


@record(frozen=True, slots=True)
class MetadataOperand:
    """An argument of an intrinsic function that is not a value; kept as text."""

    text: str


Operand: TypeAlias = (
    Local | Global | Number | Word | Bytes | Aggregate | ConstantExpression | BlockAddress
    | InlineAssembly | MetadataOperand
)  # fmt: skip


@record(frozen=True, slots=True)
class Typed:
    """An operand with its type."""

    type: Type
    value: Operand


# --------------------------------------------------------------------------- instructions


@record(frozen=True, slots=True, kw_only=True)
class Instruction:
    """What all instructions have.

    Attributes:
        result: the name of its result without `%`; None if it has none.
        location: the number of its `!dbg` metadata.
        span: where it stands in the text.
    """

    result: str | None = None
    location: int | None = field(default=None, compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)


@record(frozen=True, slots=True, kw_only=True)
class Alloca(Instruction):
    """Memory of the frame: `count` elements of `type`."""

    type: Type
    count: Typed | None = None
    align: int | None = None


@record(frozen=True, slots=True, kw_only=True)
class Load(Instruction):
    """Reads memory. `ordering` is None for a plain access."""

    type: Type
    address: Typed
    ordering: str | None = None
    scope: str | None = None
    is_volatile: bool = False
    align: int | None = None


@record(frozen=True, slots=True, kw_only=True)
class Store(Instruction):
    """Writes memory."""

    value: Typed
    address: Typed
    ordering: str | None = None
    scope: str | None = None
    is_volatile: bool = False
    align: int | None = None


@record(frozen=True, slots=True, kw_only=True)
class Fence(Instruction):
    """A fence; `scope` is `singlethread` for a compiler barrier."""

    ordering: str
    scope: str | None = None


@record(frozen=True, slots=True, kw_only=True)
class CompareExchange(Instruction):
    """`cmpxchg`: the result is a pair of the old value and whether it succeeded."""

    address: Typed
    expected: Typed
    new: Typed
    success: str
    failure: str
    is_weak: bool = False
    is_volatile: bool = False
    scope: str | None = None
    align: int | None = None


@record(frozen=True, slots=True, kw_only=True)
class AtomicUpdate(Instruction):
    """`atomicrmw`: the result is the old value."""

    operation: str
    address: Typed
    value: Typed
    ordering: str
    is_volatile: bool = False
    scope: str | None = None
    align: int | None = None


@record(frozen=True, slots=True, kw_only=True)
class ElementAddress(Instruction):
    """`getelementptr`: an address computed from a base and indices."""

    type: Type
    base: Typed
    indices: tuple[Typed, ...]
    flags: tuple[str, ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Binary(Instruction):
    """Arithmetic on two operands of one type."""

    operation: str
    type: Type
    left: Operand
    right: Operand
    flags: tuple[str, ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Unary(Instruction):
    """`fneg` or `freeze`."""

    operation: str
    operand: Typed
    flags: tuple[str, ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Cast(Instruction):
    """A conversion to another type."""

    operation: str
    operand: Typed
    type: Type
    flags: tuple[str, ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Compare(Instruction):
    """`icmp` or `fcmp`."""

    operation: str
    predicate: str
    type: Type
    left: Operand
    right: Operand
    flags: tuple[str, ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Select(Instruction):
    """One of two values, by a condition."""

    condition: Typed
    then: Typed
    otherwise: Typed
    flags: tuple[str, ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Phi(Instruction):
    """The value that belongs to the block from which control came."""

    type: Type
    incoming: tuple[tuple[Operand, str], ...]
    flags: tuple[str, ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Call(Instruction):
    """A call. `signature` is given where the text gives it (variadic functions); `type` is the result's.

    `by_value` are the types of parameters that are copied by the callee (`byval(T)`), by position;
    `returns_through` is the type of the hidden result parameter (`sret(T)`).
    """

    type: Type
    callee: Operand
    arguments: tuple[Typed, ...]
    signature: Signature | None = None
    convention: str = "ccc"
    flags: tuple[str, ...] = ()
    by_value: tuple[tuple[int, Type], ...] = ()
    returns_through: Type | None = None
    is_noreturn: bool = False


@record(frozen=True, slots=True, kw_only=True)
class Invoke(Instruction):
    """A call that may raise an exception."""

    call: Call
    normal: str
    unwind: str


@record(frozen=True, slots=True, kw_only=True)
class LandingPad(Instruction):
    """Where an exception arrives."""

    type: Type
    is_cleanup: bool
    clauses: tuple[tuple[str, Typed], ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class ExtractValue(Instruction):
    """One member of an aggregate."""

    aggregate: Typed
    path: tuple[int, ...]


@record(frozen=True, slots=True, kw_only=True)
class InsertValue(Instruction):
    """An aggregate with one member replaced."""

    aggregate: Typed
    value: Typed
    path: tuple[int, ...]


@record(frozen=True, slots=True, kw_only=True)
class VectorOperation(Instruction):
    """`extractelement`, `insertelement`, `shufflevector`."""

    operation: str
    operands: tuple[Typed, ...]


@record(frozen=True, slots=True, kw_only=True)
class VariadicArgument(Instruction):
    """`va_arg`."""

    operand: Typed
    type: Type


@record(frozen=True, slots=True, kw_only=True)
class Return(Instruction):
    """`ret`; no value for `ret void`."""

    value: Typed | None = None


@record(frozen=True, slots=True, kw_only=True)
class Jump(Instruction):
    """`br label %target`."""

    target: str


@record(frozen=True, slots=True, kw_only=True)
class Branch(Instruction):
    """`br i1 %condition, label %then, label %otherwise`."""

    condition: Typed
    then: str
    otherwise: str


@record(frozen=True, slots=True, kw_only=True)
class Switch(Instruction):
    """A jump by the value of an integer."""

    value: Typed
    default: str
    cases: tuple[tuple[Typed, str], ...]


@record(frozen=True, slots=True, kw_only=True)
class IndirectBranch(Instruction):
    """A jump to a computed block address."""

    address: Typed
    targets: tuple[str, ...]


@record(frozen=True, slots=True, kw_only=True)
class Resume(Instruction):
    """Goes on raising an exception."""

    value: Typed


@record(frozen=True, slots=True, kw_only=True)
class Unreachable(Instruction):
    """Control must not come here."""


@record(frozen=True, slots=True, kw_only=True)
class DebugDeclare(Instruction):
    """The variable that a memory slot or value holds: `llvm.dbg.declare` or `#dbg_declare`.

    `kind` is `declare`, `value` or `assign`; `operand` is None where the text names no value.
    """

    kind: str
    operand: Typed | None
    variable: int | None


# --------------------------------------------------------------------------- module


@record(frozen=True, slots=True, kw_only=True)
class Variable:
    """A global variable; `initialiser` is None if it is defined elsewhere."""

    name: str
    type: Type
    linkage: str
    initialiser: Operand | None
    is_constant: bool = False
    is_thread_local: bool = False
    align: int | None = None
    space: int = 0
    debug: int | None = field(default=None, compare=False)
    span: Span | None = field(default=None, compare=False, repr=False)


@record(frozen=True, slots=True, kw_only=True)
class Alias:
    """Another name of a global value; `is_resolver` if a function chooses it at start-up (ifunc)."""

    name: str
    type: Type
    linkage: str
    target: Typed
    is_resolver: bool = False
    span: Span | None = field(default=None, compare=False, repr=False)


@record(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A parameter; `by_value` is T of `byval(T)`, `returns_through` that of `sret(T)`."""

    name: str
    type: Type
    by_value: Type | None = None
    returns_through: Type | None = None


@record(frozen=True, slots=True, kw_only=True)
class Block:
    """Instructions that are performed one after the other; the last one transfers control."""

    name: str
    instructions: tuple[Instruction, ...]


@record(eq=False, kw_only=True)
class Function:
    """A function. Its blocks are read on demand: most functions of a module are not reachable."""

    name: str
    linkage: str
    result: Type
    parameters: tuple[Parameter, ...]
    is_variadic: bool = False
    convention: str = "ccc"
    is_noreturn: bool = False
    personality: Typed | None = None
    debug: int | None = None
    span: Span | None = None
    read_blocks: Callable[[], tuple[Block, ...]] | None = None
    _blocks: tuple[Block, ...] | None = None

    @property
    def is_defined(self) -> bool:
        """Whether the module has its body."""
        return self.read_blocks is not None or self._blocks is not None

    @property
    def signature(self) -> Signature:
        """Its type."""
        return Signature(self.result, tuple(item.type for item in self.parameters), self.is_variadic)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Its body, entry first; empty if it is defined elsewhere.

        Raises:
            InputError: the body has something that membar does not know.
        """
        if self._blocks is None and self.read_blocks is not None:
            self._blocks = self.read_blocks()
        return self._blocks or ()


@record(eq=False, kw_only=True)
class Module:
    """Everything in one `.ll` file."""

    source_name: str
    triple: str
    layout: DataLayout
    types: Mapping[str, Type]
    variables: Mapping[str, Variable]
    functions: Mapping[str, Function]
    aliases: Mapping[str, Alias]
    metadata: Metadata
    assembly: tuple[str, ...] = ()
    is_given: bool = False  # by the user: no compiler has looked at it

    @property
    def is_rust(self) -> bool:
        """Whether rustc made it."""
        return "rust_eh_personality" in self.functions or any(
            name.startswith(("_R", "_ZN4core", "_ZN3std", "__mb_rust_")) for name in self.functions
        )
