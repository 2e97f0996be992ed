"""The meaning of C statements: one thread of a Program from one function."""

from __future__ import annotations

from collections.abc import Mapping

from membar.diagnostics import Diagnostic, InputError, error
from membar.languages.litmus import codes
from membar.languages.litmus.dialects.c import syntax as x
from membar.languages.litmus.dialects.c.language import Language
from membar.languages.litmus.dialects.c.scope import Names
from membar.languages.litmus.dialects.c.types import CType, PointerType
from membar.languages.litmus.dialects.c.values import Value
from membar.program.expr import Address
from membar.program.post_dominators import meeting_points
from membar.program.program import Edge, MemoryObject
from membar.records import record


@record(frozen=True, slots=True, kw_only=True)
class Code:
    """A function's automaton, the types of its local variables, and what is wrong with it."""

    entry: int
    edges: tuple[Edge, ...]
    joins: tuple[tuple[int, int], ...] = ()
    locals: Mapping[str, CType]
    diagnostics: tuple[Diagnostic, ...]


def lower(
    function: x.Function,
    addresses: Mapping[str, Address],
    objects: Mapping[str, MemoryObject],
    language: Language,
    variables: tuple[str, ...] = (),
) -> Code:
    """The automaton of `function`: its parameters are `addresses`, `variables` have initial values."""
    parameters = {
        parameter.name: Value(addresses[parameter.name], PointerType(parameter.type))
        for parameter in function.parameters
    }
    names = Names(parameters, objects)
    lowering = _Lowering(names, language)
    for variable in variables:
        if language.implicit is not None and not _declares(function.body, variable):
            names.imply(variable, language.implicit, function.span)
    lowering.block(function.body)
    lowering.evaluator.flow.join(lowering.end)
    entry, edges = lowering.evaluator.flow.edges()
    return Code(
        entry=entry,
        edges=edges,
        joins=meeting_points(edges) if language.branches_end else (),
        locals={name: local.type for name, local in names.locals.items()},
        diagnostics=tuple(lowering.diagnostics),
    )


def _declares(statement: x.Statement | None, name: str) -> bool:
    """Whether a declaration of the variable stands in the statement."""
    match statement:
        case x.Declare(variables=variables):
            return any(variable.name == name for variable in variables)
        case x.Block(statements=statements):
            return any(_declares(one, name) for one in statements)
        case x.If(then=then, otherwise=otherwise):
            return _declares(then, name) or _declares(otherwise, name)
        case x.While(body=body):
            return _declares(body, name)
        case x.For(first=first, body=body):
            return _declares(first, name) or _declares(body, name)
        case x.Placed(statement=inner):
            return _declares(inner, name)
        case x.Evaluate() | x.Jump() | None:
            return False


@record(frozen=True, slots=True)
class _Loop:
    """Where `continue` and `break` go."""

    again: int
    out: int


class _Lowering:
    """Walks over statements; every statement's error is kept and the next one goes on."""

    def __init__(self, names: Names, language: Language) -> None:
        self.names = names
        self.evaluator = language.evaluator(names, language)
        self.diagnostics: list[Diagnostic] = []
        self.end = self.evaluator.flow.fresh()
        self._loops: list[_Loop] = []

    def block(self, block: x.Block) -> None:
        """`{ … }` with its own names."""
        self.names.open_block()
        for statement in block.statements:
            self._statement(statement)
        self.names.close_block()

    def _statement(self, statement: x.Statement) -> None:
        match statement:
            case x.Declare(variables=variables):
                for variable in variables:
                    self._declare(variable)
            case x.Evaluate(expression=expression):
                self._discard(expression)
            case x.Block():
                self.block(statement)
            case x.If():
                self._if(statement)
            case x.While():
                self._while(statement)
            case x.For():
                self._for(statement)
            case x.Jump():
                self._jump(statement)
            case x.Placed(statement=inner, offset=offset):
                self.evaluator.begin_at(offset)
                self._statement(inner)

    def _lower_block(self, statement: x.Statement) -> None:
        """The body of an `if` or a loop, a block of its own even without braces."""
        self.names.open_block()
        self._statement(statement)
        self.names.close_block()

    def _declare(self, variable: x.Variable) -> None:
        try:
            local = self.names.declare(variable)
            if variable.initial is not None:
                span = variable.span.to(variable.initial.span)
                self.evaluator.set_local(local, variable.initial, span)
        except InputError as failure:
            self.diagnostics.extend(failure.diagnostics)

    def _discard(self, node: x.Expression) -> None:
        try:
            self.evaluator.discard(node)
        except InputError as failure:
            self.diagnostics.extend(failure.diagnostics)

    def _condition(self, node: x.Expression) -> tuple[int, int]:
        """The points for true and for false; after an error, which is kept, any two."""
        try:
            return self.evaluator.condition(node)
        except InputError as failure:
            self.diagnostics.extend(failure.diagnostics)
            return self.evaluator.flow.fresh(), self.evaluator.flow.fresh()

    def _if(self, statement: x.If) -> None:
        flow = self.evaluator.flow
        yes, no = self._condition(statement.condition)
        end = flow.fresh()
        for point, branch in ((yes, statement.then), (no, statement.otherwise)):
            flow.here = point
            if branch is not None:
                self._lower_block(branch)
            flow.join(end)
        flow.here = end

    def _while(self, statement: x.While) -> None:
        flow = self.evaluator.flow
        start, again, out = flow.fresh(), flow.fresh(), flow.fresh()
        flow.join(start if statement.body_first else again)
        body = start
        if not statement.body_first:
            flow.here = again
            body = self._test(statement.condition, out)
        flow.here = body
        self._body(statement.body, _Loop(again, out))
        flow.join(again)
        if statement.body_first:
            flow.here = again
            flow.here = self._test(statement.condition, out)
            flow.join(start)
        flow.here = out

    def _test(self, condition: x.Expression, out: int) -> int:
        """The point where the loop goes on; if `condition` is false it goes `out`."""
        flow = self.evaluator.flow
        yes, no = self._condition(condition)
        flow.here = no
        flow.join(out)
        return yes

    def _body(self, body: x.Statement, loop: _Loop) -> None:
        self._loops.append(loop)
        self._lower_block(body)
        self._loops.pop()

    def _for(self, statement: x.For) -> None:
        flow = self.evaluator.flow
        self.names.open_block()
        if statement.first is not None:
            self._statement(statement.first)
        head, again, out = flow.fresh(), flow.fresh(), flow.fresh()
        flow.join(head)
        flow.here = head
        flow.here = self._test(statement.condition, out)
        self._body(statement.body, _Loop(again, out))
        flow.join(again)
        flow.here = again
        if statement.step is not None:
            self._discard(statement.step)
        flow.join(head)
        flow.here = out
        self.names.close_block()

    def _jump(self, statement: x.Jump) -> None:
        flow = self.evaluator.flow
        if statement.word == "return":
            flow.join(self.end)
            return
        if not self._loops:
            found = error(
                codes.INSTRUCTION,
                f"`{statement.word}` outside a loop",
                statement.span,
                "not inside a loop",
            )
            self.diagnostics.extend(found.diagnostics)
            return
        loop = self._loops[-1]
        flow.join(loop.out if statement.word == "break" else loop.again)
