"""The code IR: what a compiled program does, typed, byte-addressed, in static single assignment form.

It says less than LLVM IR and says it more directly. Values are scalars: aggregates are taken apart where LLVM
IR is read. A block has parameters where LLVM IR has `phi`. Every instruction knows its place in the source,
with the chain of calls that led there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from membar.code.subobjects import Shape
from membar.records import field, record

# --------------------------------------------------------------------------- types


@record(frozen=True, slots=True)
class Int:
    """An integer of so many bits."""

    bits: int

    def __str__(self) -> str:
        return f"i{self.bits}"


@record(frozen=True, slots=True)
class Ptr:
    """An address; as wide as the target's addresses."""

    def __str__(self) -> str:
        return "ptr"


@record(frozen=True, slots=True)
class Float:
    """A floating-point number of so many bits."""

    bits: int

    def __str__(self) -> str:
        return f"f{self.bits}"


Type: TypeAlias = Int | Ptr | Float

ALLOCATION = "allocation"
"""The ordering of a plain store that is there only to say where allocated memory begins."""

BOOL = Int(1)
PTR = Ptr()

# --------------------------------------------------------------------------- operands


@record(frozen=True, slots=True)
class Value:
    """`%name`: a parameter of a function or block, or the result of an instruction."""

    name: str
    type: Type


@record(frozen=True, slots=True)
class Constant:
    """A number, as an unsigned integer of the width of its type."""

    value: int
    type: Type


@record(frozen=True, slots=True)
class ObjectAddress:
    """The address of a byte of a global object: `@name + offset`."""

    name: str
    offset: int = 0
    type: Type = PTR


@record(frozen=True, slots=True)
class FunctionAddress:
    """The address of a function: `&name`."""

    name: str
    type: Type = PTR


@record(frozen=True, slots=True)
class Undefined:
    """A value that the program never set; using it to decide anything is an error of the program."""

    type: Type
    is_poison: bool = False


Operand: TypeAlias = Value | Constant | ObjectAddress | FunctionAddress | Undefined

# --------------------------------------------------------------------------- places


@record(frozen=True, slots=True)
class Place:
    """Where an instruction comes from; `caller` is where its function was called, if that was inlined."""

    file: str
    line: int
    column: int
    function: str
    caller: Place | None = None


# --------------------------------------------------------------------------- instructions


@record(frozen=True, slots=True, kw_only=True)
class Instruction:
    """What all instructions have: their place in the source."""

    place: Place | None = field(default=None, compare=False)


@record(frozen=True, slots=True, kw_only=True)
class Compute(Instruction):
    """`result = operation operands`: arithmetic, comparisons, conversions, `select`.

    `checks` name what must not happen: `signed-overflow`, `unsigned-overflow`, `inexact`, `signed-shift`.
    `other-floating-point` says that the compiler may calculate otherwise than IEEE 754 demands.
    """

    result: Value
    operation: str
    operands: tuple[Operand, ...]
    checks: tuple[str, ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Index(Instruction):
    """`result = base + index * stride`, with the index as a signed number.

    `count` is the declared number of elements, if the source has one: an index outside it is an error. One
    past the last is an address as well, unless it `is_accessed`.
    """

    result: Value
    base: Operand
    index: Operand
    stride: int
    count: int | None = None
    is_accessed: bool = False

    @property
    def highest(self) -> int | None:
        """The highest index that is no error."""
        return None if self.count is None else self.count - self.is_accessed


@record(frozen=True, slots=True, kw_only=True)
class Load(Instruction):
    """`result = memory[address]`. A plain access has no ordering.

    `may_be_unset` says that the language lets the value be one that was never set.
    """

    result: Value
    address: Operand
    ordering: str | None = None
    is_volatile: bool = False
    may_be_unset: bool = False
    align: int = 1


@record(frozen=True, slots=True, kw_only=True)
class Store(Instruction):
    """`memory[address] = value`."""

    value: Operand
    address: Operand
    ordering: str | None = None
    is_volatile: bool = False
    align: int = 1


@record(frozen=True, slots=True, kw_only=True)
class CompareExchange(Instruction):
    """`old, done = cas address expected new`; a weak one may fail although the values are equal.

    So may any that compares padding. Those of `std::atomic` do not: `ignores_padding`.
    """

    old: Value
    done: Value
    address: Operand
    expected: Operand
    new: Operand
    success: str
    failure: str
    is_weak: bool = False
    is_volatile: bool = False
    ignores_padding: bool = False


@record(frozen=True, slots=True, kw_only=True)
class Update(Instruction):
    """`old = memory[address]; memory[address] = operation(old, value)`, atomically."""

    old: Value
    operation: str
    address: Operand
    value: Operand
    ordering: str
    is_volatile: bool = False


@record(frozen=True, slots=True, kw_only=True)
class Fence(Instruction):
    """A fence between threads, or one that only the compiler sees (`is_signal`)."""

    ordering: str
    is_signal: bool = False


@record(frozen=True, slots=True, kw_only=True)
class Slot(Instruction):
    """`result` is the address of `count` times `size` bytes of the frame; no count is one."""

    result: Value
    size: int
    align: int
    count: Operand | None = None
    variable: str = ""
    shape: Shape | None = field(default=None, compare=False)


@record(frozen=True, slots=True, kw_only=True)
class Lifetime(Instruction):
    """The lifetime of a slot begins or ends."""

    slot: Operand
    begins: bool


@record(frozen=True, slots=True, kw_only=True)
class Copy(Instruction):
    """Copies `length` bytes; `may_overlap` as for `memmove`."""

    target: Operand
    source: Operand
    length: Operand
    may_overlap: bool = False
    is_volatile: bool = False


@record(frozen=True, slots=True, kw_only=True)
class Fill(Instruction):
    """Sets `length` bytes to one value."""

    target: Operand
    byte: Operand
    length: Operand
    is_volatile: bool = False


@record(frozen=True, slots=True, kw_only=True)
class Call(Instruction):
    """A call; the callee is a `FunctionAddress` or a computed address."""

    results: tuple[Value, ...]
    callee: Operand
    arguments: tuple[Operand, ...]


@record(frozen=True, slots=True, kw_only=True)
class Assembly(Instruction):
    """Inline assembly that no table has given a meaning to yet."""

    results: tuple[Value, ...]
    template: str
    constraints: str
    operands: tuple[Operand, ...]
    has_side_effects: bool = False


# --------------------------------------------------------------------------- terminators


@record(frozen=True, slots=True)
class Goto:
    """A jump target with the values of the block's parameters."""

    block: str
    arguments: tuple[Operand, ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Jump(Instruction):
    """Goes on at a block."""

    target: Goto


@record(frozen=True, slots=True, kw_only=True)
class Branch(Instruction):
    """Goes on at one of two blocks."""

    condition: Operand
    then: Goto
    otherwise: Goto


@record(frozen=True, slots=True, kw_only=True)
class Switch(Instruction):
    """Goes on at the block of the case that equals the value."""

    value: Operand
    cases: tuple[tuple[int, Goto], ...]
    default: Goto


@record(frozen=True, slots=True, kw_only=True)
class Return(Instruction):
    """Returns to the caller."""

    values: tuple[Operand, ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Unreachable(Instruction):
    """The program must not come here."""


Terminator: TypeAlias = Jump | Branch | Switch | Return | Unreachable

# --------------------------------------------------------------------------- module


@record(frozen=True, slots=True, kw_only=True)
class Block:
    """Straight-line code with one terminator at its end."""

    name: str
    parameters: tuple[Value, ...] = ()
    instructions: tuple[Instruction, ...] = ()
    end: Terminator


@record(frozen=True, slots=True, kw_only=True)
class Function:
    """A function; its first block is the entry and has no parameters. Without blocks it is defined elsewhere.

    Attributes:
        by_value: parameters whose bytes the callee owns: number of the parameter → size.
        binding: `strong`, `local` to its file, or `weak`: there may be several definitions.
    """

    name: str
    parameters: tuple[Value, ...]
    results: tuple[Type, ...]
    blocks: tuple[Block, ...] = ()
    is_variadic: bool = False
    never_returns: bool = False
    by_value: tuple[tuple[int, int], ...] = ()
    binding: str = "strong"
    place: Place | None = field(default=None, compare=False)


@record(frozen=True, slots=True, kw_only=True)
class Cells:
    """Numbers of one size in an object, one after the other, that are only accessed whole.

    `are_pieces` says that larger accesses of the code are made to several of them, one by one.
    """

    offset: int
    size: int
    count: int = 1
    are_pieces: bool = False


@record(frozen=True, slots=True, kw_only=True)
class Object:
    """A global variable: so many bytes.

    Attributes:
        content: its initial bytes; None if it is defined elsewhere. Bytes that nobody set are in `unset`.
        addresses: where the content holds the address of something: offset → what.
        unset: ranges of bytes without a value, as pairs of first and end.
        cells: how its memory is divided, once `split_cells` has found that out.
        shape: what its parts are called.
        lies_at: where it lies, counted from the beginning of another object; None: apart from all others.
        is_hidden: no variable of the program names it.
        meanings: what some of its values mean, as in `program.MemoryObject`.
        binding: as of a function.
    """

    name: str
    size: int
    align: int
    content: bytes | None
    addresses: tuple[tuple[int, ObjectAddress | FunctionAddress], ...] = ()
    unset: tuple[tuple[int, int], ...] = ()
    is_constant: bool = False
    is_thread_local: bool = False
    cells: tuple[Cells, ...] | None = None
    shape: Shape | None = field(default=None, compare=False)
    lies_at: ObjectAddress | None = None
    is_hidden: bool = False
    meanings: tuple[tuple[int, int, str], ...] = field(default=(), compare=False)
    binding: str = "strong"
    place: Place | None = field(default=None, compare=False)


@record(frozen=True, slots=True, kw_only=True)
class Module:
    """A program: functions and global objects.

    `constructors` are called before `main`, in order; `destructors` at the end of the process, the last one
    first: a function, its argument, and where it is registered; None if the linker calls it, after all that
    were registered. `handlers` are where exceptions or panics
    are caught, `gaps` as in a Program;
    `pointer_bits` is the width of an address.
    `threads` are the functions that threads run, `main` first, once `spawn_threads` has found them; `copied`
    is the one of which there are as many as `__membar_number` says.
    `processor` is that of the memory model, None for sc and models of languages.
    `ends_memory`, `partly_checked` and `mixed_sizes` are as in a Program; `mixed_atomics`, of which some are
    `possibly_mixed`, are places where a Program has text. `is_rust` says that copies may copy what was never
    set, and that loads say whether they may find it. `is_kernel` says that functions of the Linux kernel are
    called. `lacks_arguments` says that `main` uses its arguments and gets none; `notes` are those of the
    Program. `most_spawned` and `most_allocated` limit the iterations of loops that
    start a thread or allocate memory in each of them, where constants do not. `allocated` says for what
    type a call may allocate memory: file, line and column of the call → the name of the type and its shape.
    """

    functions: Mapping[str, Function]
    objects: Mapping[str, Object]
    constructors: tuple[str, ...] = ()
    destructors: tuple[tuple[Operand, Operand | None, Place | None], ...] = ()
    handlers: tuple[Place, ...] = ()
    gaps: frozenset[str] = frozenset()
    threads: tuple[str, ...] = ()
    copied: str | None = None
    ends_memory: bool = False
    partly_checked: tuple[tuple[str, str], ...] = ()
    mixed_sizes: tuple[str, ...] = ()
    mixed_atomics: tuple[Place, ...] = ()
    possibly_mixed: tuple[Place, ...] = ()
    is_kernel: bool = False
    is_rust: bool = False
    lacks_arguments: bool = False
    notes: tuple[str, ...] = ()
    most_spawned: int = 4
    most_allocated: int = 4
    allocated: Mapping[tuple[str, int, int], tuple[str, Shape]] = field(default_factory=dict)
    processor: str | None = None
    pointer_bits: int = 64
    is_little_endian: bool = True
