"""Checks that passes add: calls of `__membar_check`, with their constant strings."""

from __future__ import annotations

from collections.abc import Mapping

from membar.code import ir
from membar.code.primitives import PREFIX
from membar.records import replace

CUT = ir.FunctionAddress(f"{PREFIX}cut")
CHECK = ir.FunctionAddress(f"{PREFIX}check")
MEMORY = "memory"


class Checks:
    """Builds checks of a module, and keeps their strings."""

    def __init__(self, module: ir.Module) -> None:
        self._objects = module.objects
        self._new: dict[str, ir.Object] = {}
        self._gaps: set[str] = set()

    def check(
        self, condition: ir.Operand, message: str, place: ir.Place | None, kind: str = MEMORY
    ) -> ir.Call:
        """A violation of a property if a condition is false."""
        arguments = (condition, self._string(kind), self._string(message))
        return ir.Call(results=(), callee=CHECK, arguments=arguments, place=place)

    def fail(self, message: str, place: ir.Place | None, kind: str = MEMORY) -> ir.Call:
        """A violation of a property wherever this is reached."""
        return self.check(ir.Constant(0, ir.BOOL), message, place, kind)

    def cut(self, what: str, place: ir.Place | None) -> ir.Call:
        """The end of executions that are not followed; the answer says what they do."""
        return ir.Call(results=(), callee=CUT, arguments=(self._string(what),), place=place)

    def gap(self, what: str, place: ir.Place | None) -> ir.Call:
        """The end of executions of which nothing more is known: if there are some, the answer is UNKNOWN."""
        self._gaps.add(what)
        return self.cut(what, place)

    def _string(self, text: str) -> ir.ObjectAddress:
        name, content = f".text {text}", text.encode() + b"\0"
        if name not in self._objects:
            self._new[name] = ir.Object(
                name=name,
                size=len(content),
                align=1,
                content=content,
                is_constant=True,
                binding="local",
            )
        return ir.ObjectAddress(name)

    def added_to(self, module: ir.Module) -> ir.Module:
        """A module with the strings and gaps of all checks that were built."""
        objects: Mapping[str, ir.Object] = {**module.objects, **self._new}
        return (
            replace(module, objects=objects, gaps=module.gaps | self._gaps)
            if self._new or self._gaps
            else module
        )
