"""The meaning of C expressions: a value over registers, and the steps that compute it.

Shared accesses become edges in the order in which C sequences them. Operands whose order C leaves open
are read in one unordered step if they are all loads, else in every order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import permutations

from membar.diagnostics import InputError, error
from membar.languages.litmus import codes
from membar.languages.litmus.dialects.c import syntax as x
from membar.languages.litmus.dialects.c import values
from membar.languages.litmus.dialects.c.analysis import (
    TRANSPARENT_CALL,
    accesses,
    address_parts,
    assigned_variables,
    changed_variables,
    is_pure,
    names_in,
)
from membar.languages.litmus.dialects.c.flow import Flow
from membar.languages.litmus.dialects.c.language import Language
from membar.languages.litmus.dialects.c.scope import Local, Names
from membar.languages.litmus.dialects.c.types import INT, LONG, CType, PointerType, type_text
from membar.languages.litmus.dialects.c.values import ONE, ZERO, Value
from membar.program.expr import Address, Constant, Register
from membar.program.operations import Load, Operation, Set, Store, Tags
from membar.source import Span

MOST_ORDERED = 3
"""So many accesses, not all of them loads, may stand unordered in one expression: 3! orders."""


class Evaluator(ABC):
    """Evaluates the expressions of one thread, emitting its steps; what calls mean is in `calls`."""

    def __init__(self, names: Names, language: Language) -> None:
        self.names = names
        self.language = language
        self.plain = language.plain
        self.flow = Flow()
        self._temporaries = 0
        self._known: dict[int, Value] = {}

    def begin_at(self, offset: int) -> None:
        """The next statement was read elsewhere; its steps are to be found `offset` further on."""
        self.flow.offset = offset
        # It may be one that was met before, whose parts then had other values.
        self._known.clear()

    def temporary(self) -> str:
        """A new register that no variable of the thread uses."""
        self._temporaries += 1
        return f"${self._temporaries}"

    def _is_known(self, node: x.Expression) -> bool:
        return id(node) in self._known

    def value(self, node: x.Expression, into: Local | None = None) -> Value:
        """The value of `node`, after its steps; an access may put it right `into` a local variable."""
        if self._is_known(node):
            return self._known[id(node)]
        match node:
            case x.Number(value=number, type=kind):
                return values.convert(Value(Constant(number), kind), kind)
            case x.Name():
                return self._name(node)
            case x.Prefix(op="*") | x.Index():
                return self.load(self.address(node), self.plain, node.span, into)
            case x.Prefix(op="&", operand=operand):
                return self._address_of(operand, node.span)
            case x.Prefix(op=op, operand=operand):
                return values.prefix(op, self.value(operand), node.span)
            case x.Cast(type=kind, operand=operand):
                return values.convert(self.value(operand), kind)
            case x.Infix(op=op, left=left, right=right):
                self.record_unsequenced(left, right, span=node.span)
                return values.infix(op, self.value(left), self.value(right), node.span)
            case x.Logical():
                return self._logical(node)
            case x.Conditional():
                return self._conditional(node)
            case x.Assign():
                return self._assign(node)
            case x.Increment():
                return self._step(node)
            case x.Comma(first=first, second=second):
                self.value(first)
                return self.value(second, into)
            case x.Call(function=function, arguments=(argument,)) if function == TRANSPARENT_CALL:
                return self.value(argument)
            case x.Call():
                return self.call(node, into)

    @abstractmethod
    def call(self, node: x.Call, into: Local | None) -> Value:
        """The value of a function call."""

    @abstractmethod
    def loads(self, node: x.Call) -> bool:
        """Whether a call does nothing but read one location."""

    @abstractmethod
    def load_parts(self, node: x.Expression) -> tuple[Value, Tags]:
        """Address and tags of an access that is a load."""

    def discard(self, node: x.Expression) -> None:
        """Evaluates `node` for what it does."""
        self.value(
            x.Increment(node.op, node.target, is_prefix=True, span=node.span)
            if isinstance(node, x.Increment)
            else node
        )

    def _name(self, node: x.Name) -> Value:
        local = self.names.local(node.name, node.span)
        if local is None:
            return self.names.parameters[node.name]
        return Value(Register(local.name), local.type)

    # Places in memory

    def address(self, node: x.Expression) -> Value:
        """The address of `*p` or `p[i]`, a pointer."""
        match node:
            case x.Prefix(operand=operand):
                return self.pointer(operand)
            case x.Index(base=base, index=index):
                self.record_unsequenced(base, index, span=node.span)
                start, count = self.value(base), self.value(index)
                return values.infix("+", self.as_pointer(start, base), count, node.span)
            case _:
                raise error(
                    codes.OPERAND, f"`{node.span.text}` cannot be assigned", node.span,
                    "expected a local variable, `*p` or `p[i]`",
                )  # fmt: skip

    def pointer(self, node: x.Expression) -> Value:
        """The value of `node`, which must be a pointer to shared memory."""
        return self.as_pointer(self.value(node), node)

    def as_pointer(self, value: Value, node: x.Expression) -> Value:
        """`value`, which `node` has, as a pointer."""
        if isinstance(value.type, PointerType):
            return value
        if self.language.pointee is None:
            raise _no_pointer(node, value.type)
        return Value(value.expr, PointerType(self.language.pointee))

    def _address_of(self, operand: x.Expression, span: Span) -> Value:
        if address_parts(operand) is not None:
            return self.address(operand)
        if isinstance(operand, x.Name) and self.names.local(operand.name, operand.span) is None:
            raise error(
                codes.OPERAND, f"`{operand.name}` is already an address", span, "a pointer to a pointer",
                help=f"write `{operand.name}`",
            )  # fmt: skip
        raise error(
            codes.UNSUPPORTED, f"`{operand.span.text}` has no address", span,
            "local variables live in registers; only compare-exchange takes `&expected`",
        )  # fmt: skip

    def place(self, address: Value, span: Span) -> CType:
        """The type of what `address` points to; a constant address is checked against its object."""
        assert isinstance(address.type, PointerType)
        target, where = address.type.target, address.expr
        item = self.names.objects.get(where.name) if isinstance(where, Address) else None
        if isinstance(where, Address) and item is not None:
            if item.size != target.size:
                raise error(
                    codes.MIXED_SIZE, f"{target.size} bytes of `{item.name}`, which has {item.size}", span,
                    "mixed sizes", help="an access must be to a whole location",
                )  # fmt: skip
            index, rest = divmod(where.offset, item.size)
            if rest or not 0 <= index < item.count:
                raise error(
                    codes.OPERAND, f"this is outside `{item.name}`", span,
                    f"`{item.name}` has {item.count} element{'s' if item.count > 1 else ''}",
                )  # fmt: skip
        return target

    def load(self, address: Value, tags: Tags, span: Span, into: Local | None = None) -> Value:
        """Reads memory, into the register of `into` if its type allows that."""
        kind = self.place(address, span)
        is_free = into is not None and values.fits(stored_type(kind), into.type)
        register = into.name if into is not None and is_free else self.temporary()
        self.flow.emit(_load(register, address, kind, tags), span=span)
        return value_read(register, kind)

    def store(self, address: Value, value: Value, tags: Tags, span: Span) -> Value:
        """Writes memory; gives the value that is now there."""
        kind = self.place(address, span)
        stored = values.convert(value, kind)
        store = Store(address=address.expr, value=stored.expr, size=kind.size, tags=tags)
        self.flow.emit(store, span=span)
        return stored

    # Order of evaluation

    def record_unsequenced(self, *parts: x.Expression, span: Span) -> None:
        """Makes the accesses of `parts` known, if C leaves their order open and there are several."""
        if len(parts) < 2 or all(isinstance(part, x.Name | x.Number) for part in parts):
            return
        self._reject_conflicts(parts, span)
        if sum(not is_pure(part, self._is_known) for part in parts) < 2:
            return
        found = [accesses(part, self._is_known) for part in parts]
        nodes = [node for part in found for node in part or ()]
        are_loads = all(not isinstance(node, x.Call) or self.loads(node) for node in nodes)
        if None in found or not (are_loads or len(nodes) <= MOST_ORDERED):
            raise error(
                codes.UNSUPPORTED, "C does not specify the order of these accesses", span,
                "there are too many orders to try", help="give each shared access its own statement",
            )  # fmt: skip
        if are_loads:
            self._load_together(nodes, span)
        else:
            self._in_every_order(nodes)

    def _reject_conflicts(self, parts: tuple[x.Expression, ...], span: Span) -> None:
        for part in parts:
            for name in changed_variables(part):
                if any(name in names_in(other) for other in parts if other is not part):
                    raise _open_order(name, span)

    def _load_together(self, nodes: list[x.Expression], span: Span) -> None:
        loads: list[Operation] = []
        for node in nodes:
            address, tags = self.load_parts(node)
            kind, register = self.place(address, node.span), self.temporary()
            loads.append(_load(register, address, kind, tags))
            self._known[id(node)] = value_read(register, kind)
        self.flow.emit(*loads, span=span, unordered=True)

    def _in_every_order(self, nodes: list[x.Expression]) -> None:
        start, end = self.flow.here, self.flow.fresh()
        registers = {id(node): self.temporary() for node in nodes}
        found: dict[int, Value] = {}
        for order in permutations(nodes):
            self.flow.here = start
            for node in order:
                value = self.value(node)
                register = registers[id(node)]
                self.flow.emit(Set(register, value.expr), span=node.span)
                found[id(node)] = Value(Register(register), value.type)
            self.flow.join(end)
        self._known |= found
        self.flow.here = end

    # Control flow inside expressions

    def condition(self, node: x.Expression) -> tuple[int, int]:
        """The control points reached if `node` is true and if it is false."""
        if not is_pure(node, self._is_known):
            match node:
                case x.Prefix(op="!", operand=operand):
                    yes, no = self.condition(operand)
                    return no, yes
                case x.Logical(op=op, left=left, right=right):
                    return self._short_circuit(op, left, right)
                case _:
                    pass
        return self.flow.branch(self.value(node), node.span)

    def _short_circuit(self, op: str, left: x.Expression, right: x.Expression) -> tuple[int, int]:
        first_yes, first_no = self.condition(left)
        decided, self.flow.here = (first_no, first_yes) if op == "&&" else (first_yes, first_no)
        yes, no = self.condition(right)
        self.flow.here = no if op == "&&" else yes
        self.flow.join(decided)
        return (yes, decided) if op == "&&" else (decided, no)

    def _logical(self, node: x.Logical) -> Value:
        if is_pure(node, self._is_known):
            left, right = self.value(node.left), values.truth(self.value(node.right))
            return values.select(left, right, ZERO) if node.op == "&&" else values.select(left, ONE, right)
        register, end = self.temporary(), self.flow.fresh()
        for point, result in zip(self.condition(node), (1, 0), strict=True):
            self.flow.here = point
            self.flow.emit(Set(register, Constant(result)), span=node.span)
            self.flow.join(end)
        self.flow.here = end
        return Value(Register(register), INT)

    def _conditional(self, node: x.Conditional) -> Value:
        if is_pure(node, self._is_known):
            parts = (self.value(part) for part in (node.condition, node.then, node.otherwise))
            return values.select(*parts)
        yes, no = self.condition(node.condition)
        self.flow.here = yes
        then, yes = self.value(node.then), self.flow.here
        self.flow.here = no
        otherwise, no = self.value(node.otherwise), self.flow.here
        kind = values.select(ONE, then, otherwise).type
        register, end = self.temporary(), self.flow.fresh()
        for point, value in ((yes, then), (no, otherwise)):
            self.flow.here = point
            self.flow.emit(Set(register, values.convert(value, kind).expr), span=node.span)
            self.flow.join(end)
        self.flow.here = end
        return Value(Register(register), kind)

    # Assignment

    def set_local(self, local: Local, node: x.Expression, span: Span) -> Value:
        """`local = node`."""
        value = self.value(node, local)
        if value.expr != Register(local.name) or not values.fits(value.type, local.type):
            self.flow.emit(Set(local.name, values.convert(value, local.type).expr), span=span)
        return Value(Register(local.name), local.type)

    def _assign(self, node: x.Assign) -> Value:
        value = x.Infix(node.op, node.target, node.value, node.span) if node.op else node.value
        if isinstance(node.target, x.Name):
            local = self.assignable(node.target)
            if local.name in assigned_variables(node.value):
                raise _open_order(local.name, node.span)
            return self.set_local(local, value, node.span)
        if node.op:
            self._require_simple(node.target)
        else:
            self.record_unsequenced(*(address_parts(node.target) or ()), node.value, span=node.span)
        stored = self.value(value)
        return self.store(self.address(node.target), stored, self.plain, node.span)

    def assignable(self, target: x.Name) -> Local:
        """The local variable that is assigned."""
        if self.language.implicit is not None and target.name not in self.names.parameters:
            return self.names.imply(target.name, self.language.implicit, target.span)
        local = self.names.local(target.name, target.span)
        if local is None:
            raise error(
                codes.OPERAND, f"parameter `{target.name}` cannot be assigned", target.span,
                "it names a shared location", help=f"write `*{target.name}` for the location's value",
            )  # fmt: skip
        return local

    def _require_simple(self, target: x.Expression) -> None:
        """`target` is evaluated twice, so its address must not be read from memory."""
        if not all(is_pure(part, self._is_known) for part in address_parts(target) or ()):
            raise error(
                codes.UNSUPPORTED, "the address of this location is itself read from memory", target.span,
                "expected a simple address", help="read the pointer into a local variable first",
            )  # fmt: skip

    def _step(self, node: x.Increment) -> Value:
        if node.is_prefix:
            return self._assign(x.Assign(node.op, node.target, x.Number(1, INT, node.span), node.span))
        if not isinstance(node.target, x.Name):
            self._require_simple(node.target)
            old = self.value(node.target)
            self.store(
                self.address(node.target), values.infix(node.op, old, ONE, node.span), self.plain, node.span
            )
            return old
        local, register = self.assignable(node.target), self.temporary()
        old = Value(Register(register), local.type)
        new = values.convert(values.infix(node.op, old, ONE, node.span), local.type)
        self.flow.emit(Set(register, Register(local.name)), Set(local.name, new.expr), span=node.span)
        return old


def stored_type(kind: CType) -> CType:
    """The type of the word that memory holds for a value of this type."""
    return kind if kind.width == 8 * kind.size else LONG


def value_read(register: str, kind: CType) -> Value:
    """What was read from memory into `register`, as a value of its type."""
    return values.convert(Value(Register(register), stored_type(kind)), kind)


def _load(register: str, address: Value, kind: CType, tags: Tags) -> Load:
    return Load(register=register, address=address.expr, size=kind.size, signed=kind.signed, tags=tags)


def _open_order(name: str, span: Span) -> InputError:
    return error(
        codes.OPERAND, f"`{name}` is modified and used without sequencing", span,
        "C does not specify the order", help="split it into two statements",
    )  # fmt: skip


def _no_pointer(node: x.Expression, kind: CType) -> InputError:
    return error(
        codes.OPERAND, f"`{node.span.text}` is not a pointer", node.span,
        f"it is a `{type_text(kind)}`; expected the address of a shared location",
    )  # fmt: skip
