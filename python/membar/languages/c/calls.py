"""Calls: functions of the program are put in place, those of libraries have a meaning of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

from pycparser import c_ast as ast

from membar.diagnostics import close_matches
from membar.languages.c import atomic, codes
from membar.languages.c import types as t
from membar.languages.c.expressions import Expressions
from membar.languages.c.machine import Machine
from membar.languages.c.statements import Statements, blocks_of_labels
from membar.languages.c.values import (
    NOTHING,
    UNSET,
    Aggregate,
    B,
    OperandError,
    Slot,
    Value,
    binary,
    constant,
    known,
)
from membar.languages.c.world import Declared, Defined, Frame, Object, Place, Scope
from membar.program.expr import FALSE, Address, Constant

Arguments: TypeAlias = Sequence[ast.Node]
_MOST_CALLS: Final = 200
ASSERTIONS: Final = "assertions"
ATOMIC_PREFIX: Final = "__VERIFIER_atomic_"
"""Functions with such names are done at once."""
ERRORS: Final = frozenset({"reach_error", "__VERIFIER_error"})
"""Functions that must never be called, whatever their bodies do (the rules of SV-COMP)."""


@dataclass(frozen=True, slots=True)
class Library:
    """A function that membar knows: what it does, and how many arguments it takes."""

    meaning: Callable[[Expressions, ast.FuncCall, Arguments], Value | Aggregate]
    least: int
    most: int | None = None


class Calls:
    """The calls of one machine."""

    def __init__(self, library: Mapping[str, Library]) -> None:
        self._library = MappingProxyType(dict(library))
        self.e: Expressions
        self.s: Statements
        self._frames = 0

    def into(self, machine: Machine) -> None:
        """Lets the machine call functions of the program by itself."""
        machine.enter = lambda m, function, values, node: self.enter(m, function, values, node, is_used=False)

    def __call__(self, machine: Machine, node: ast.FuncCall) -> Value | Aggregate:
        """The value of a call, after its effects."""
        arguments = list(node.args.exprs) if node.args is not None else []
        if isinstance(node.name, ast.ID):
            symbol = machine.scope.find(node.name.name)
            if isinstance(symbol, Defined):
                return self._placed(machine, symbol, arguments, node)
            if symbol is None or isinstance(symbol, Declared):
                return self._known(machine, node, node.name.name, arguments)
        return self._through_pointer(machine, node, arguments)

    def _known(self, m: Machine, node: ast.FuncCall, name: str, arguments: Arguments) -> Value | Aggregate:
        if name == "offsetof" and len(arguments) == 2:
            return constant(
                self._offset(m, self.e.declarations.type_of(arguments[0]), arguments[1])[0], t.ULONG
            )
        found = self._library.get(name)
        if found is None:
            close = close_matches(name, [*self._library, *m.scope.names()], n=1)
            hint = f"did you mean `{close[0]}`?" if close else "give the function a body"
            m.refuse(node, f"unknown function `{name}`", codes.CALL, hint)
        most = found.least if found.most is None else found.most
        if not found.least <= len(arguments) <= most:
            wanted = f"{found.least}" if most == found.least else f"{found.least} to {most}"
            m.refuse(node, f"`{name}` takes {wanted} arguments, not {len(arguments)}", codes.CALL)
        if m.is_constant_only:
            m.refuse(node, f"a call of `{name}` is not known before the program runs", codes.CONSTANT)
        try:
            return found.meaning(self.e, node, arguments)
        except OperandError:
            m.refuse(node, f"an argument of `{name}` that is no number or pointer", codes.CALL)

    def _offset(self, m: Machine, kind: t.CType, node: ast.Node) -> tuple[int, t.CType]:
        """How far from the beginning of an object one of its parts lies, and the part's type."""
        if isinstance(node, ast.ArrayRef):
            before, array = self._offset(m, kind, node.name)
            if isinstance(array, t.Array):
                index = self.e.declarations.number(node.subscript, "an index")
                return before + index * (t.size_of(array.element) or 0), array.element
        name = node.field.name if isinstance(node, ast.StructRef) else getattr(node, "name", None)
        before, outer = self._offset(m, kind, node.name) if isinstance(node, ast.StructRef) else (0, kind)
        found = t.member_of(outer, name) if isinstance(outer, t.Structure) and isinstance(name, str) else None
        if found is None:
            m.refuse(node, f"`{t.spelled(kind)}` has no such member", codes.NAME)
        return before + found.offset, found.type

    def _through_pointer(self, m: Machine, node: ast.FuncCall, arguments: Arguments) -> Value | Aggregate:
        callee = node.name
        while isinstance(callee, ast.UnaryOp) and callee.op in {"*", "&"}:
            callee = callee.expr
        pointer = self.e.scalar(callee)
        if not isinstance(pointer.type, t.Pointer) or not isinstance(pointer.type.target, t.Function):
            m.refuse(node, f"a `{t.spelled(pointer.type)}` cannot be called", codes.CALL)
        function = m.world.function_at(pointer.expr)
        if function is not None:
            return self._placed(m, function, arguments, node)
        if known(pointer.expr) is not None:
            m.check(FALSE, "a pointer that points to no function is called", node)
            return Value(FALSE, pointer.type.target.result)
        return self._one_of(m, node, pointer, arguments)

    def _one_of(
        self, m: Machine, node: ast.FuncCall, pointer: Value, arguments: Arguments
    ) -> Value | Aggregate:
        """A call through a pointer that only the execution knows: one way per function of that type."""
        assert isinstance(pointer.type, t.Pointer)
        kind = pointer.type.target
        assert isinstance(kind, t.Function)
        flow = m.flow
        end, key = flow.exit(), ("call", id(node), "")
        pointer = Value(flow.named(pointer.expr, m.span(node)), pointer.type)
        for function in m.world.functions.values():
            if function.name not in m.world.tree.pointed_functions or not _fits(function.type, kind):
                continue
            yes, no = flow.branch(binary(B.EQ, pointer.expr, Constant(function.address)), m.span(node))
            flow.state = yes
            value = self._placed(m, function, arguments, node)
            if isinstance(value, Aggregate):
                m.refuse(node, "a structure from a call through a pointer")
            flow.put(key, Slot(value.expr))
            flow.jump(end)
            flow.state = no
        m.check(FALSE, "a pointer that points to no function is called", node)
        flow.arrive(end)
        slot = flow.get(key) or Slot(FALSE)
        flow.forget([key])
        return Value(slot.expr, kind.result) if t.is_scalar(kind.result) else NOTHING

    # Functions of the program

    def _error(
        self, m: Machine, function: Defined, arguments: Arguments, node: ast.FuncCall
    ) -> Value | Aggregate:
        """A call of a function that must not be called; what its body does is of no matter."""
        for item in arguments:
            self.e.effect(item)
        m.check(FALSE, f"{function.name} is called", node, kind=ASSERTIONS)
        return NOTHING if isinstance(function.type.result, t.Void) else Value(FALSE, function.type.result)

    def _placed(
        self, m: Machine, function: Defined, arguments: Arguments, node: ast.FuncCall
    ) -> Value | Aggregate:
        if function.name in ERRORS:
            return self._error(m, function, arguments, node)
        is_used = m.discarded is not node
        values = [self.e.value(item) for item in arguments]
        return self.enter(m, function, values, node, is_used=is_used)

    def enter(
        self,
        m: Machine,
        function: Defined,
        values: Sequence[Value | Aggregate],
        node: ast.Node,
        *,
        is_used: bool = True,
    ) -> Value | Aggregate:
        """The body of a function, put in place with these arguments; whether its value `is_used` matters."""
        kinds = function.type.parameters or ()
        has_more = len(values) > len(kinds) and not function.type.is_variadic
        if len(values) < len(kinds) or (has_more and function.type.parameters is not None):
            wanted = f"{len(kinds)} argument{'' if len(kinds) == 1 else 's'}"
            m.refuse(node, f"`{function.name}` takes {wanted}, not {len(values)}", codes.CALL)
        inside = sum(frame.function == function.name for frame in m.frames)
        if inside:
            m.world.enter_again()
        if inside >= m.world.recursion or len(m.frames) >= _MOST_CALLS:
            m.flow.endless(m.span(node))
            return Value(FALSE, function.type.result)
        if m.is_constant_only:
            m.refuse(
                node, f"a call of `{function.name}` is not known before the program runs", codes.CONSTANT
            )
        self._frames += 1
        frame = Frame(
            function.name,
            t.unqualified(function.type.result),
            m.flow.exit(),
            ("return", self._frames),
            m.scope,
            blocks_of_labels=dict(blocks_of_labels(function.node.body)),
        )
        outer = m.scope
        m.frames.append(frame)
        m.scope = Scope(m.world.scope)
        m.flow.put_all({(*frame.key, offset, ""): UNSET for offset, _ in self._parts(m, frame.result)})
        self._parameters(m, function, kinds, values)
        is_atomic = function.name.startswith(ATOMIC_PREFIX) and m.block is None
        if is_atomic:
            atomic.begin(m, m.span(node))
        self.s.run(function.node.body)
        closing = m.world.tree.closing(function.node.body)
        m.leave_scopes(closing)
        m.flow.jump(frame.returns)
        m.flow.arrive(frame.returns)
        if is_atomic:
            atomic.end(m, m.span(node))
        result = self._result(m, frame, node if is_used else None)
        m.bury(frame.locals, closing)
        m.frames.pop()
        m.scope = outer
        return result

    def _parameters(
        self, m: Machine, function: Defined, kinds: Sequence[t.CType], values: Sequence[Value | Aggregate]
    ) -> None:
        declared = function.node.decl.type.args
        nodes = [] if declared is None else [item for item in declared.params if isinstance(item, ast.Decl)]
        for item, kind, value in zip(nodes, kinds, values, strict=False):
            found = m.world.new_object(
                Object(
                    label=f"{m.name}/{function.name}.{item.name}",
                    name=item.name,
                    type=kind,
                    declared=id(item),
                    in_memory=id(item) in m.world.before.escaped,
                    span=m.span(item),
                )
            )
            if item.name:
                m.scope.symbols[item.name] = found
            m.begin_life(found)
            m.write(Place(Address(found.label), t.unqualified(kind)), value, item)

    @staticmethod
    def _parts(m: Machine, kind: t.CType) -> list[tuple[int, t.CType]]:
        """The scalars that a function of that type returns."""
        return [] if isinstance(kind, t.Void) else m.scalars(kind)

    def _result(self, m: Machine, frame: Frame, user: ast.Node | None) -> Value | Aggregate:
        """What a call returned; `user` needs it."""
        kind = frame.result
        if isinstance(kind, t.Void):
            return NOTHING
        keys = [(offset, (*frame.key, offset, "")) for offset, _ in self._parts(m, kind)]
        parts = tuple((offset, m.flow.get(key) or UNSET) for offset, key in keys)
        m.flow.forget(key for _, key in keys)
        if isinstance(kind, t.Structure):
            return Aggregate(kind, parts)
        (_, slot), *_ = parts
        if user is not None:
            m.check(slot.defined, f"`{frame.function}` returns no value, but one is used", user)
        return Value(slot.expr, kind)


def _fits(function: t.Function, kind: t.Function) -> bool:
    """Whether a function can be called as one of another type: pointers are passed alike, whatever to."""
    if not _is_passed_alike(function.result, kind.result):
        return False
    if function.parameters is None or kind.parameters is None:
        return True
    pairs = zip(function.parameters, kind.parameters, strict=False)
    return len(function.parameters) == len(kind.parameters) and all(
        _is_passed_alike(given, wanted) for given, wanted in pairs
    )


def _is_passed_alike(left: t.CType, right: t.CType) -> bool:
    a, b = t.unqualified(left), t.unqualified(right)
    return a == b or (isinstance(a, t.Pointer) and isinstance(b, t.Pointer))
