"""The names of one thread: parameters for shared locations, and local variables."""

from __future__ import annotations

from collections.abc import Mapping

from membar.diagnostics import Diagnostic, InputError, Label, close_matches, error
from membar.languages.litmus import codes
from membar.languages.litmus.dialects.c.syntax import Variable
from membar.languages.litmus.dialects.c.types import CType
from membar.languages.litmus.dialects.c.values import Value
from membar.program.program import MemoryObject
from membar.records import record
from membar.source import Span


@record(frozen=True, slots=True)
class Local:
    """A local variable, kept in the register of the same name."""

    name: str
    type: CType
    span: Span


class Names:
    """What each name means at the current place of a thread.

    One name is one register, so that a final condition can speak of it: variables of blocks that do not
    enclose one another may share a name and a type, but no variable may hide another.
    """

    def __init__(self, parameters: Mapping[str, Value], objects: Mapping[str, MemoryObject]) -> None:
        self.parameters = parameters
        self.objects = objects
        self.locals: dict[str, Local] = {}
        self._visible: list[set[str]] = [set()]

    def open_block(self) -> None:
        """Names declared from here on are forgotten at `close_block`."""
        self._visible.append(set())

    def close_block(self) -> None:
        """Forgets the names of the innermost block."""
        self._visible.pop()

    def declare(self, variable: Variable) -> Local:
        """The new variable."""
        name, span = variable.name, variable.span
        earlier = self.locals.get(name)
        if name in self.parameters:
            raise error(
                codes.OPERAND,
                f"`{name}` is already a parameter of this thread",
                span,
                "expected a new name",
            )
        local = Local(name, variable.type, span)
        self.locals.setdefault(name, local)
        is_visible = self._is_visible(name)
        self._visible[-1].add(name)
        if earlier is not None and is_visible:
            raise _again(f"`{name}` is declared twice", local, earlier)
        if earlier is not None and earlier.type != variable.type:
            raise _again(f"`{name}` is declared with two types", local, earlier)
        return local

    def imply(self, name: str, kind: CType, span: Span) -> Local:
        """The variable `name`, which is assigned: if nobody declared it, it is new, in the whole thread."""
        if not self._is_visible(name):
            self.locals.setdefault(name, Local(name, kind, span))
            self._visible[0].add(name)
        return self.locals[name]

    def _is_visible(self, name: str) -> bool:
        return any(name in block for block in self._visible)

    def local(self, name: str, span: Span) -> Local | None:
        """The local variable `name`; None if it is a parameter.

        Raises:
            InputError: it is neither.
        """
        if self._is_visible(name):
            return self.locals[name]
        if name in self.parameters:
            return None
        if name in self.objects:
            raise error(
                codes.UNKNOWN_LOCATION, f"`{name}` is not a parameter of this thread", span, "not declared",
                help=f"add it to the parameters: `int* {name}`",
            )  # fmt: skip
        if name in self.locals:
            help_ = "it is declared in an inner block; declare it before that block"
        else:
            known = sorted(self._names())
            close = close_matches(name, known, n=1)
            help_ = f"did you mean `{close[0]}`?" if close else f"declare it first: `int {name};`"
        raise error(codes.UNKNOWN_REGISTER, f"undeclared name `{name}`", span, "not declared", help=help_)

    def _names(self) -> set[str]:
        return {*self.parameters, *(name for block in self._visible for name in block)}


def _again(message: str, second: Local, first: Local) -> InputError:
    return InputError(
        Diagnostic(
            code=codes.OPERAND,
            message=message,
            primary=Label(second.span, "again here"),
            others=(Label(first.span, "first here"),),
            help="give one of the two another name",
        )
    )
