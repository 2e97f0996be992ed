"""Expressions → values over registers, with the loads that they need first.

All arithmetic is that of a 32-bit `int`. A shared variable is read once per statement, however often it
occurs. What C leaves undefined and SPIN reports, an index out of bounds or a division by 0, violates
`memory`, unless `&&`, `||` or a choice keeps it from being computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from membar.diagnostics import InputError, error
from membar.languages.promela import syntax as p
from membar.languages.promela.scope import Channel, Meaning, Record, Scalar, Scope, Storage, Symbol
from membar.program.expr import (
    COMPARISON_SIGNS,
    FALSE,
    TRUE,
    Address,
    Binary,
    BinaryOp,
    Constant,
    Expr,
    Extend,
    Register,
    Select,
    Unary,
    UnaryOp,
    equals,
    infix,
    signed,
)
from membar.program.folding import both, either, fold, logical_not, truth
from membar.program.operations import MEMORY, NO_TAGS, Assert, Load, Operation, Set, Store
from membar.records import field, record, replace
from membar.source import SourceFile, Span

_INT = 32
# Of stores to variables that no processor has.
GHOST = frozenset({"GHOST"})
# The widest array of registers that is indexed by a value that is not known.
_MOST_REGISTERS = 256


# How many processes there are, where they are a stack.
PROCESSES = Storage(
    name="_nr_pr",
    scalar=Scalar(16, signed=False),
    dimensions=(),
    own=None,
    is_shared=True,
    span=SourceFile("", "").span(0, 0),
)


# The number of the process that made the last step; every step sets it, if the text asks for it.
LAST = replace(PROCESSES, name="_last", is_ghost=True)


@record(frozen=True, slots=True)
class CellReference:
    """A cell of a variable; `index` is None for a plain one."""

    storage: Storage
    index: Expr | None

    @property
    def known_cell(self) -> int | None:
        """Which cell it is; None: it depends on the run."""
        if self.index is None:
            return 0
        return self.index.value if isinstance(self.index, Constant) else None


@record(frozen=True, slots=True)
class ChannelNumber:
    """The number of a channel, and those that it can be; None: any."""

    value: Expr
    choices: frozenset[int] | None


@record(slots=True)
class Reads:
    """The operations that bring shared values into registers; `count` names the registers."""

    operations: list[Operation] = field(default_factory=list)
    seen: dict[tuple[str, Expr], str] = field(default_factory=dict)
    count: int = 0

    def fresh(self) -> str:
        """A register that no variable has."""
        self.count += 1
        return f"${self.count}"


class Values:
    """Computes expressions in a scope.

    Attributes:
        special: what `_pid` and the like are; raises for what is not known.
        channels: all channels, where channels are values; None where they are not.
        ask: the value of a question about a channel, where it is needed.
        remote: the value of a reference to another process, or of a question about one, where statements may
            have any.
    """

    def __init__(
        self,
        scope: Scope,
        reads: Reads,
        *,
        special: Callable[[p.Special], Expr],
        ask: Callable[[Values, p.Ask | p.Peek, Expr], Expr],
        channels: Sequence[Channel] | None = None,
        remote: Callable[[p.Remote | p.ProcessQuestion, Values], Expr] | None = None,
    ) -> None:
        self.scope = scope
        self._remote = remote
        self.channels = channels
        self.reads = reads
        self._special = special
        self._ask = ask

    def of(self, expr: p.Expr, needed: Expr = TRUE) -> Expr:
        """The value of an expression that is computed where `needed` holds."""
        match expr:
            case p.Number(value):
                return Constant(value)
            case p.Use():
                return self._use(expr, needed)
            case p.Prefix(sign) | p.Infix(sign) if sign in p.TEMPORAL:
                raise error(
                    "W0712",
                    f"`{sign}` inside an expression",
                    expr.span,
                    "expected a value: only ! && || -> <-> and temporal operators combine formulas",
                )
            case p.Prefix(sign, operand):
                return self._prefix(sign, self.of(operand, needed))
            case p.Infix():
                return self._infix(expr, needed)
            case p.Conditional(condition, then, otherwise):
                test = truth(self.of(condition, needed))
                first = self.of(then, _lazy_conjunction(needed, test))
                second = self.of(otherwise, _lazy_conjunction(needed, logical_not(test)))
                return fold(Select(test, first, second))
            case p.Ask() | p.Peek():
                return self._ask(self, expr, needed)
            case p.Special("_nr_pr") if self.channels is not None:
                return self.load(CellReference(PROCESSES, None))
            case p.Special("_last"):
                return self.load(CellReference(LAST, None))
            case p.Special():
                return self._special(expr)
            case p.Run():
                raise error(
                    "W0709", "`run` inside an expression", expr.span, "it must be a statement of its own"
                )
            case p.Remote() | p.ProcessQuestion() if self._remote is not None:
                return self._remote(expr, self)
            case p.Remote() | p.ProcessQuestion():
                raise error(
                    "W0711",
                    f"`{expr.span.flat_text}` outside an `ltl` formula or a `never` claim",
                    expr.span,
                    "a process can access only global variables and its own",
                )

    def again(self) -> Values:
        """The same, with nothing read yet."""
        return Values(
            self.scope,
            Reads(),
            special=self._special,
            ask=self._ask,
            channels=self.channels,
            remote=self._remote,
        )

    def truth(self, expr: p.Expr) -> Expr:
        """Whether an expression is not 0."""
        return fold(truth(self.of(expr)))

    def _prefix(self, sign: str, operand: Expr) -> Expr:
        match sign:
            case "!":
                return logical_not(operand)
            case "-":
                return _as_int(Unary(UnaryOp.NEGATE, operand))
            case "~":
                return _as_int(Unary(UnaryOp.INVERT, operand))
            case _:
                raise AssertionError(sign)

    def _infix(self, expr: p.Infix, needed: Expr) -> Expr:
        sign = expr.sign
        left = self.of(expr.left, needed)
        if sign == "&&":
            left = truth(left)
            return both(left, truth(self.of(expr.right, _lazy_conjunction(needed, left))))
        if sign == "||":
            left = truth(left)
            return either(left, truth(self.of(expr.right, _lazy_conjunction(needed, logical_not(left)))))
        right = self.of(expr.right, needed)
        if sign == "->":  # of formulas; between values it is part of a choice
            return either(logical_not(truth(left)), truth(right))
        if sign == "<->":
            return fold(equals(truth(left), truth(right)))
        if sign in COMPARISON_SIGNS:
            return fold(infix(sign, left, right))
        if sign in "/%":
            self.demand(truth(right), needed, "division by 0", expr.span)
        return _as_int(infix(sign, left, right))

    def demand(self, condition: Expr, needed: Expr, message: str, span: Span) -> None:
        """Asserts a condition without which nothing that follows is defined, where `needed` holds."""
        test = fold(either(logical_not(needed), condition))
        if not isinstance(test, Constant) or test == FALSE:
            line, column = span.line, span.column
            place = f"{span.path}:{line}:{column}"
            self.reads.operations.append(Assert(test, f"{message}: {place}", property=MEMORY))

    # Variables

    def _use(self, use: p.Use, needed: Expr) -> Expr:
        meaning = self.scope.find(use.name, use.span)
        if isinstance(meaning, Symbol) and use.index is None and use.field is None:
            return Constant(meaning.value)
        if isinstance(meaning, Channel) and use.field is None and self.channels is not None:
            channel, index = self.channel(use)
            number = Constant(channel.element) if index is None else index
            return fold(Binary(BinaryOp.ADD, Constant(channel.identity), number))
        return self.load(self.place(use, needed))

    def place(self, use: p.Use, needed: Expr = TRUE) -> CellReference:
        """The cell that a name with its indices and fields means."""
        meaning = self.scope.find(use.name, use.span)
        index: Expr | None = None
        while True:
            index = self._position(use, meaning, index, needed)
            if isinstance(meaning, Record) and use.field is not None:
                use_field = use.field
                if use_field.name not in meaning.fields:
                    raise error(
                        "W0706",
                        f"unknown field `{use_field.name}`",
                        use_field.span,
                        f"fields: {', '.join(meaning.fields)}",
                    )
                meaning, use = meaning.fields[use_field.name], use_field
                continue
            if use.field is not None:
                raise error("W0707", f"`{use.name}` has no fields", use.field.span, "it is not a record")
            break
        if not isinstance(meaning, Storage):
            what = {Channel: "a channel", Record: "a record", Symbol: "a constant"}[type(meaning)]
            raise error("W0707", f"`{use.name}` is {what}", use.span, "expected a variable with a value")
        return CellReference(meaning, index)

    def _position(self, use: p.Use, meaning: Meaning, before: Expr | None, needed: Expr) -> Expr | None:
        """The position among all cells, after one more array."""
        count: int | None = None
        if isinstance(meaning, Record):
            count = meaning.count
        elif isinstance(meaning, Storage):
            count = meaning.own
        if use.index is None:
            if count is not None:
                raise error("W0707", f"`{use.name}` is an array", use.span, "expected an index")
            return before
        if count is None:
            raise error("W0707", f"`{use.name}` is not an array", use.span, "expected no index")
        index = fold(self.of(use.index, needed))
        in_bounds = both(
            fold(Binary(BinaryOp.SLE, FALSE, index)), fold(Binary(BinaryOp.SLT, index, Constant(count)))
        )
        self.demand(in_bounds, needed, f"index of `{use.name}` out of bounds", use.span)
        if in_bounds != TRUE:
            index = fold(Select(in_bounds, index, FALSE))  # not computed there, but read all the same
        if before is None:
            return index
        return fold(Binary(BinaryOp.ADD, Binary(BinaryOp.MUL, before, Constant(count)), index))

    def load(self, place: CellReference) -> Expr:
        """The value of a cell."""
        storage, cell = place.storage, place.known_cell
        if not storage.is_shared:
            return _of_registers(storage, place.index)
        if storage.is_fixed and cell is not None:
            return Constant(storage.first(cell))
        key = (storage.name, FALSE if place.index is None else place.index)
        if key not in self.reads.seen:
            register = self.reads.fresh()
            self.reads.seen[key] = register
            self.reads.operations.append(
                Load(
                    register=register,
                    address=address(place),
                    size=storage.scalar.size,
                    signed=storage.scalar.signed,
                )
            )
        return Register(self.reads.seen[key])

    def is_channel(self, use: p.Use) -> bool:
        """Whether a name means a channel."""
        meaning = self.scope.find(use.name, use.span)
        return isinstance(meaning, Channel) or (isinstance(meaning, Storage) and meaning.is_channel)

    def is_array(self, use: p.Use) -> bool:
        """Whether a name without an index is that of an array."""
        meaning = self.scope.find(use.name, use.span)
        count = meaning.own if isinstance(meaning, Storage) else getattr(meaning, "count", None)
        return use.index is None and use.field is None and count is not None

    def variable_channel(self, use: p.Use) -> ChannelNumber | None:
        """The number of the channel that a variable holds; None: the name is that of a channel."""
        if self.channels is None or isinstance(self.scope.find(use.name, use.span), Channel):
            return None
        place = self.place(use)
        if not place.storage.is_channel:
            raise error("W0707", f"`{use.name}` is not a channel", use.span, "expected a channel")
        number, storage = self.load(place), place.storage
        if isinstance(number, Constant):
            return ChannelNumber(number, frozenset({number.value}))
        return ChannelNumber(number, frozenset(storage.listed) if storage.is_fixed else None)

    def length(self, use: p.Use) -> int:
        """The number of elements of an array."""
        meaning: Meaning = self.scope.find(use.name, use.span)
        inner = use.field
        while inner is not None:
            if not isinstance(meaning, Record) or inner.name not in meaning.fields:
                raise error("W0706", f"unknown field `{inner.name}`", inner.span, "not declared")
            meaning = meaning.fields[inner.name]
            inner = inner.field
        count = meaning.count if isinstance(meaning, Record | Channel) else None
        if isinstance(meaning, Storage):
            count = meaning.own
        if count is None:
            raise error("W0707", f"`{use.span.flat_text}` is not an array", use.span, "expected an array")
        return count

    def leaves(self, use: p.Use) -> list[p.Use]:
        """The scalars that a name stands for: a record in a message is all its fields, in order."""
        meaning: Meaning | None = self.scope.find(use.name, use.span) if self.scope.has(use.name) else None
        return list(_leaves(use, use, meaning))

    def channel(self, use: p.Use) -> tuple[Channel, Expr | None]:
        """A channel, and which one of its array."""
        meaning = self.scope.find(use.name, use.span)
        if not isinstance(meaning, Channel) or use.field is not None:
            raise error("W0707", f"`{use.name}` is not a channel", use.span, "expected a channel")
        if (meaning.count is None) is not (use.index is None):
            what = "not an array of channels" if meaning.count is None else "an array of channels"
            raise error("W0707", f"`{use.name}` is {what}", use.span, "expected a channel")
        if use.index is None or meaning.count is None:
            return meaning, None
        index = fold(self.of(use.index))
        in_bounds = both(
            fold(Binary(BinaryOp.SLE, FALSE, index)),
            fold(Binary(BinaryOp.SLT, index, Constant(meaning.count))),
        )
        self.demand(in_bounds, TRUE, f"index of `{use.name}` out of bounds", use.span)
        return meaning, index if in_bounds == TRUE else fold(Select(in_bounds, index, FALSE))


def _lazy_conjunction(needed: Expr, condition: Expr) -> Expr:
    """That both hold, which is simplified only where somebody asks: most expressions are always defined."""
    return condition if needed == TRUE else Binary(BinaryOp.AND, truth(needed), truth(condition))


def _leaves(whole: p.Use, last: p.Use, meaning: Meaning | None) -> Iterator[p.Use]:
    """The scalars of `whole`, whose last part is `last` and means this."""
    if last.field is not None:
        inner = meaning.fields.get(last.field.name) if isinstance(meaning, Record) else None
        yield from _leaves(whole, last.field, inner)
        return
    if not isinstance(meaning, Record):
        yield whole
        return
    for name, field_of in meaning.fields.items():
        count = field_of.count if isinstance(field_of, Record) else None
        if isinstance(field_of, Storage):
            count = field_of.own
        for number in (None,) if count is None else range(count):
            index = None if number is None else p.Number(number, whole.span)
            part = p.Use(name, whole.span, index)
            yield from _leaves(_appended(whole, part), part, field_of)


def _appended(use: p.Use, part: p.Use) -> p.Use:
    inner = part if use.field is None else _appended(use.field, part)
    return replace(use, field=inner)


def assignment(place: CellReference, value: Expr) -> Iterator[Operation]:
    """The operations that give a cell a value."""
    storage = place.storage
    cut = fold(storage.scalar.cut(value))
    if storage.is_shared:
        tags = GHOST if storage.is_ghost else NO_TAGS
        yield Store(address=address(place), value=cut, size=storage.scalar.size, tags=tags)
        return
    index = place.index
    if index is None or isinstance(index, Constant):
        yield Set(storage.register(index.value if isinstance(index, Constant) else 0), cut)
        return
    for cell in range(storage.count):
        register = storage.register(cell)
        yield Set(register, Select(equals(index, Constant(cell)), cut, Register(register)))


def address(place: CellReference) -> Expr:
    """Where a shared cell is."""
    base, size = place.storage.name, place.storage.scalar.size
    if place.index is None:
        return Address(base)
    if isinstance(place.index, Constant):
        return Address(base, place.index.value * size)
    return Binary(BinaryOp.ADD, Address(base), Binary(BinaryOp.MUL, place.index, Constant(size)))


class BeforeRuns(Values):
    """Computes expressions before anything runs: what is not defined is an error of the text."""

    def demand(self, condition: Expr, needed: Expr, message: str, span: Span) -> None:
        """Requires a condition where `needed` holds.

        Raises:
            InputError: it does not hold.
        """
        if fold(either(logical_not(needed), condition)) == FALSE:
            raise error("W0705", message, span, "always here")


def constant(expr: p.Expr, scope: Scope) -> int:
    """The value of an expression without variables.

    Raises:
        InputError: it has variables.
    """

    def unknown(part: p.Special | p.Ask | p.Peek) -> InputError:
        return error("W0708", f"`{part.span.flat_text}` is not a constant", part.span, "expected a constant")

    def special(part: p.Special) -> Expr:
        raise unknown(part)

    def ask(_: Values, part: p.Ask | p.Peek, __: Expr) -> Expr:
        raise unknown(part)

    value = fold(BeforeRuns(scope, Reads(), special=special, ask=ask).of(expr))
    if not isinstance(value, Constant):
        raise error("W0708", f"`{expr.span.flat_text}` is not a constant", expr.span, "expected a constant")
    return signed(value.value)


def _of_registers(storage: Storage, index: Expr | None) -> Expr:
    if index is None:
        return Register(storage.name)
    if isinstance(index, Constant):
        return Register(storage.register(index.value))
    if storage.count > _MOST_REGISTERS:
        raise error(
            "W0705",
            f"the local array `{storage.name}` has {storage.count} elements",
            storage.span,
            f"at most {_MOST_REGISTERS} if the index is not constant",
        )
    value: Expr = Register(storage.register(storage.count - 1))
    for cell in reversed(range(storage.count - 1)):
        value = Select(equals(index, Constant(cell)), Register(storage.register(cell)), value)
    return value


def _as_int(expr: Expr) -> Expr:
    return fold(Extend(expr, _INT, True))
