"""Reads text that is printed up to its end, and makes text that is printed into memory a write of zeros.

What `snprintf` prints is not computed: an execution that decides something by it is not followed further.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from membar.code import ir
from membar.code.analyses.blocks import line_of
from membar.code.analyses.cells import MOST_READ
from membar.code.analyses.lifetimes import positions
from membar.code.analyses.points_to import PointsTo, points_to
from membar.code.analyses.targets import Target
from membar.code.checks import Checks
from membar.code.emitter import Emitter
from membar.code.passes import Pass
from membar.code.primitives import PRINT, SHOW, UNKNOWN
from membar.code.printed_arguments import ENDLESS
from membar.code.structure import matters, operands
from membar.records import replace

_TEXT = "text that is read after it was printed into memory"
_LENGTH = "the number of characters printed into memory"
_PART = "without checking that what {} into memory fits"
_RACES = "without races on the end of what {} into memory"
# How many characters of a text are read at most where it is not known in which object it lies.
_MOST_READ_ANYWHERE = 32
_WORD = ir.Int(64)


def model_printed_text(module: ir.Module) -> ir.Module:
    """The module without such calls."""
    calls = [
        (at, item)
        for at, item in positions(module)
        if isinstance(item, ir.Call) and item.callee in (PRINT, SHOW, UNKNOWN)
    ]
    if not calls:
        return module
    targets = points_to(module)
    printed = {
        target.site
        for at, item in calls
        if item.callee == PRINT
        for target in targets.targets(at.thread, item.arguments[0])
    }
    lines: dict[str, set[int]] = {"memory": set(), "races": set()}
    checks = Checks(module)
    functions = {
        name: _Printing(module, item, targets, checks, printed=printed, unchecked_lines=lines).run()
        if name in module.threads
        else item
        for name, item in module.functions.items()
    }
    parts = [
        (name, text.format(_lines_that_print(lines[name])))
        for name, text in (("memory", _PART), ("races", _RACES))
        if lines[name]
    ]
    partly_checked = (*module.partly_checked, *parts)
    return checks.added_to(replace(module, functions=functions, partly_checked=partly_checked))


def _lines_that_print(lines: set[int]) -> str:
    is_one = len(lines) == 1
    return f"line{'' if is_one else 's'} {', '.join(map(str, sorted(lines)))} print{'s' * is_one}"


class _Printing:
    """One function of a thread, in which calls of these primitives become accesses to memory."""

    def __init__(
        self,
        module: ir.Module,
        function: ir.Function,
        targets: PointsTo,
        checks: Checks,
        *,
        printed: Collection[str],
        unchecked_lines: Mapping[str, set[int]],
    ) -> None:
        self.module, self.function, self.targets, self.checks = module, function, targets, checks
        self.printed, self.unchecked_lines = printed, unchecked_lines
        self.emit = Emitter(function, "printed", module)
        self.blocks: list[ir.Block] = []

    def run(self) -> ir.Function:
        for block in self.function.blocks:
            self.open = block
            for item in block.instructions:
                self.emit.place = item.place
                if isinstance(item, ir.Call) and item.callee == SHOW:
                    self._read(item)
                elif isinstance(item, ir.Call) and item.callee == PRINT:
                    self._write(item)
                else:
                    self._leave_out(item)
                    self.emit.instructions.append(item)
            self._close(block.end)
        return replace(self.function, blocks=tuple(self.blocks))

    def _leave_out(self, item: ir.Instruction) -> None:
        """Ends executions before something that depends on printed text, or on what may be it."""
        if isinstance(item, ir.Call) and item.callee == UNKNOWN:
            if matters(self.function, item.results[0]):
                self.emit.instructions.append(self.checks.gap(_LENGTH, item.place))
        elif (
            isinstance(item, ir.Load)
            and any(
                each.site in self.printed for each in self.targets.targets(self.function.name, item.address)
            )
            and matters(self.function, item.result)
        ):
            self.emit.instructions.append(self.checks.gap(_TEXT, item.place))

    def _close(self, end: ir.Terminator, name: str = "") -> None:
        """Ends the block being written; another one begins, if it has a name."""
        self.blocks.append(replace(self.open, instructions=tuple(self.emit.take()), end=end))
        self.open = ir.Block(name=name, end=end)

    def _room_at(self, text: ir.Operand) -> int | None:
        """How many bytes there are at least up to the end of the object; None if that is not known."""
        rooms = []
        for target in self.targets.targets(self.function.name, text):
            item = self.module.objects.get(target.site[1:]) if target.site.startswith("@") else None
            if item is None or not target.is_exact:
                return None
            rooms.append(max(item.size - target.start, 0))
        return min(rooms, default=None)

    def _is_constant(self, text: ir.Operand) -> bool:
        """Whether it can only be text of the program that nothing changes."""
        found = self.targets.targets(self.function.name, text)
        return bool(found) and all(self._ends(target) for target in found)

    def _ends(self, target: Target) -> bool:
        item = self.module.objects.get(target.site[1:]) if target.site.startswith("@") else None
        if item is None or not item.is_constant or item.content is None or not target.is_exact:
            return False
        return target.start >= 0 and b"\0" in item.content[target.start :]

    def _is_shared(self, text: ir.Operand) -> bool:
        """Whether another thread has a pointer to what this one points to."""
        sites = {target.site for target in self.targets.targets(self.function.name, text)}
        return any(
            target.site in sites
            for at, item in positions(self.module)
            if at.thread != self.function.name
            for operand in operands(item)
            for target in self.targets.targets(at.thread, operand)
        )

    def _read(self, item: ir.Call) -> None:
        """Reads a text character by character; how a very long one goes on is not followed."""
        (text,) = item.arguments
        if self._is_constant(text):
            return
        room = self._room_at(text)
        after = self.emit.label()
        zero = ir.Constant(0, ir.Int(8))
        most = _MOST_READ_ANYWHERE if room is None else min(room + 1, MOST_READ)
        for at in range(most):
            character = self.emit.load(self.emit.move_address(text, at), 1)
            is_end = self.emit.compute("eq", ir.BOOL, character, zero)
            name = self.emit.label()
            self._close(
                ir.Branch(condition=is_end, then=ir.Goto(after), otherwise=ir.Goto(name), place=item.place),
                name,
            )
        self.emit.instructions.append(self.checks.cut(f"text of more than {most} characters", item.place))
        self._close(ir.Unreachable(place=item.place), after)

    def _write(self, item: ir.Call) -> None:
        """Writes as much as the text has at least; where that may be too little to see an error, says so.

        Where the object is not known, as much is written as the program says that there is room for.
        """
        text, size, least, most = item.arguments
        assert isinstance(least, ir.Constant)
        assert isinstance(most, ir.Constant)
        room = self._room_at(text)
        length: ir.Operand = size
        is_endless = isinstance(size, ir.Constant) and size.value == ENDLESS
        if isinstance(size, ir.Constant) and (room is not None or is_endless):
            bound = min(size.value, most.value)
            length = ir.Constant(min(bound, least.value), _WORD)
            if bound > least.value and (room is None or bound > room):
                self.unchecked_lines["memory"].add(line_of(item))
            if bound > least.value and self._is_shared(text):
                self.unchecked_lines["races"].add(line_of(item))
        if length != ir.Constant(0, _WORD):
            byte = ir.Constant(0, ir.Int(8))
            self.emit.instructions.append(ir.Fill(target=text, byte=byte, length=length, place=item.place))


PASS = Pass(
    name="model_printed_text",
    purpose="reads text that is printed, and writes zeros for text that is printed into memory",
    needs=("place_locals",),
    run=model_printed_text,
)
