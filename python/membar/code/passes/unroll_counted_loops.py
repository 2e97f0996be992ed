"""Writes out loops whose number of iterations is known.

The blocks of a loop are copied for each set of constants with which an iteration begins, and constants are
folded in each copy. A loop goes on being written out as long as constants decide, in each iteration, some
branch that could leave it, other than by a failure. All other loops (a thread that waits, a retry) stay
loops. A block that only branches on its parameter (the end of `a && b`) is copied, too, for the constants
that it gets. A variable that begins in a loop is another one in each iteration that is written out.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from membar.code import ir
from membar.code.checks import Checks
from membar.code.loops import Loop, last_first, natural_loops
from membar.code.passes import Pass
from membar.code.passes.addresses_of_locals import with_constant_addresses, without_constant_addresses
from membar.code.passes.fold_constants import fold_blocks, fold_terminator, known_value, loaded_constant
from membar.code.primitives import PREFIX
from membar.code.rewrite import with_operands, with_targets
from membar.code.structure import operands, results, targets
from membar.records import field, record, replace

_SPAWN = ir.FunctionAddress(f"{PREFIX}spawn")
_MAKES = frozenset(
    {_SPAWN, *(ir.FunctionAddress(f"{PREFIX}{name}") for name in ("allocate", "allocate_aligned"))}
)
MOST_COPIES = 20_000
"""Copies of blocks in one function; beyond that, loops stay loops."""
_MOST_STEPS = 8  # from a branch to where it leads
_COPY = "#"  # before the number of a copy, in names
_CONVERSIONS = ("trunc", "zext", "sext")


def unroll_counted_loops(module: ir.Module) -> ir.Module:
    """The module with such loops written out."""
    checks = Checks(module)
    functions = {
        name: _Unrolling(function, module, checks).run() if function.blocks else function
        for name, function in module.functions.items()
    }
    return checks.added_to(replace(module, functions=functions))


@record(frozen=True, slots=True)
class _Entry:
    """One way to enter a block.

    Attributes:
        block: which one.
        parameters: the constants that its parameters are; None where one is not constant.
        values: what the values that are live there stand for.
        decided: headers of the loops around it that constants could have left in this iteration.
        counted: values that are known because a loop began an iteration with a constant.
        iterations: of the loops around it in which every iteration makes something of its own.
        turns: the copies of the headers with which the loops around it began this iteration, if variables
            begin in them.
    """

    block: str
    parameters: tuple[ir.Operand | None, ...] = ()
    values: tuple[tuple[str, ir.Operand], ...] = ()
    decided: frozenset[str] = frozenset()
    counted: frozenset[str] = field(default=frozenset(), compare=False)
    iterations: frozenset[tuple[str, int]] = frozenset()
    turns: frozenset[tuple[str, str]] = frozenset()


@record(frozen=True, slots=True)
class _ExitFacts:
    """What is known where a copy of a block is left; see `_Entry`."""

    decided: frozenset[str]
    counted: set[str]
    iterations: frozenset[tuple[str, int]]
    turns: frozenset[tuple[str, str]]


class _Unrolling:
    """Copies the blocks of one function."""

    def __init__(self, function: ir.Function, module: ir.Module, checks: Checks) -> None:
        function, self.locals = with_constant_addresses(function, natural_loops(function.blocks))
        self.function, self.bits, self.module, self.checks = function, module.pointer_bits, module, checks
        self.blocks = {block.name: block for block in function.blocks}
        self.copied_before = {  # names that an earlier run gave, maybe in blocks that were joined since
            value.name for block in function.blocks for value in _values(block) if _COPY in value.name
        }
        self.loops: Mapping[str, Loop] = {loop.header: loop for loop in natural_loops(function.blocks)}
        self.slots = _slots(function)
        self.around = {  # the innermost loop of each block that is in one
            block: min(loops, key=lambda loop: len(loop.blocks)).header
            for block in self.blocks
            if (loops := [loop for loop in self.loops.values() if block in loop.blocks])
        }
        self.live, self.begun = self._liveness_and_loop_variables()
        self.beginning = {self.around[block] for blocks in self.begun.values() for block in blocks}
        self.making = {  # headers of loops in which every iteration makes something of its own
            header: call for header, loop in self.loops.items() if (call := self._made_in(loop)) is not None
        }
        self.making_blocks = {
            block.name
            for block in function.blocks
            if any(isinstance(item, ir.Call) and item.callee in _MAKES for item in block.instructions)
        }
        self.only_fail = {  # headers of loops that nothing but a failure ends
            loop.header for loop in self.loops.values() if all(map(self._fails, self._exits(loop)))
        }
        self.open: set[str] = set()  # headers of the loops that stay loops
        self.cut: set[str] = set()  # headers of loops that are followed no further
        self.variables: dict[tuple[str, str], ir.Slot] = {}  # of each turn of a loop
        self.names: dict[_Entry, str] = {}
        self.copies: dict[str, int] = {}
        self.todo: list[_Entry] = []

    def run(self) -> ir.Function:
        """Copies all blocks; begins again whenever a loop turns out to stay one."""
        while True:
            done = self._copy_all()
            if done is not None:
                blocks = without_constant_addresses(fold_blocks(done, self.bits), self.locals, self.bits)
                return replace(self.function, blocks=tuple(blocks))

    def _copy_all(self) -> list[ir.Block] | None:
        self.names, self.copies, self.variables, self.todo = {}, {}, {}, []
        self.cut.clear()
        self._name(_Entry(self.function.blocks[0].name))
        known, most = len(self.open), None
        done: list[ir.Block] = []
        while self.todo and (most is None or len(done) < most):
            done.append(self._copy(self.todo.pop()))
            if most is None and len(self.open) > known:
                most = 2 * len(done)  # further loops may turn out to stay ones: to begin again is as long
        if most is not None:
            return None
        return [*self._with_variables(done), *self._cuts()]

    def _liveness_and_loop_variables(self) -> tuple[dict[str, frozenset[str]], dict[str, set[str]]]:
        """What is live in each block; and the variables that begin in loops, with the blocks where they do.

        Those of an iteration are never named in the next one, other than by a pointer that was kept.
        """
        found: dict[str, set[str]] = {}
        for block in self.function.blocks:
            for item in block.instructions:
                if (name := _begins(item, self.slots)) is not None:
                    found.setdefault(name, set()).add(block.name)
        begun = {name: blocks for name, blocks in found.items() if blocks <= self.around.keys()}
        while True:
            live = _live_values(self.function, begun)
            named_later = {
                name
                for name, blocks in begun.items()
                for header, loop in self.loops.items()
                if name in live[header] and blocks & loop.blocks
            }
            if not named_later:
                return live, begun
            begun = {name: blocks for name, blocks in begun.items() if name not in named_later}

    def _variable_of(self, name: str, block: str, turns: frozenset[tuple[str, str]]) -> ir.Value:
        """The variable that begins in a copy of a block."""
        turn = dict(turns)[self.around[block]]
        if (name, turn) not in self.variables:
            slot = self.slots[name]
            is_first = turn in self.blocks and slot in self.function.blocks[0].instructions
            fresh = name if is_first else f"{name}@{turn}"
            while fresh in self.slots and not is_first:  # of an earlier run
                fresh += "'"
            self.variables[name, turn] = replace(slot, result=replace(slot.result, name=fresh))
        return self.variables[name, turn].result

    def _with_variables(self, blocks: list[ir.Block]) -> list[ir.Block]:
        """The copies, with the variables of all iterations, and without those that nothing names."""
        entry, *others = blocks
        added = [slot for slot in self.variables.values() if slot not in entry.instructions]
        blocks = [replace(entry, instructions=(*added, *entry.instructions)), *others]
        items = [item for block in blocks for item in (*block.instructions, block.end)]
        named = {operand for item in items for operand in operands(item)}
        needless = {item for item in items if isinstance(item, ir.Slot) and item.result not in named}
        if not needless:
            return blocks
        return [
            replace(block, instructions=tuple(item for item in block.instructions if item not in needless))
            for block in blocks
        ]

    def _made_in(self, loop: Loop) -> ir.Call | None:
        """A call of a loop that starts a thread or, if there is none, that allocates memory."""
        found = [
            item
            for name in sorted(loop.blocks)
            for item in self.blocks[name].instructions
            if isinstance(item, ir.Call) and item.callee in _MAKES
        ]
        return next((item for item in found if item.callee == _SPAWN), found[0] if found else None)

    def _most_iterations(self, header: str) -> int:
        """How many iterations of such a loop are followed, if constants do not end it before."""
        is_spawning = self.making[header].callee == _SPAWN
        return self.module.most_spawned if is_spawning else self.module.most_allocated

    def _cuts(self) -> list[ir.Block]:
        """The ends of loops that are followed no further."""
        return [
            ir.Block(
                name=f"{header}#cut",
                instructions=(self.checks.cut(self._what_is_cut(header), self.making[header].place),),
                end=ir.Unreachable(place=self.making[header].place),
            )
            for header in sorted(self.cut)
        ]

    def _what_is_cut(self, header: str) -> str:
        most, is_spawning = self._most_iterations(header), self.making[header].callee == _SPAWN
        what = "starts threads" if is_spawning else "allocates memory"
        return f"more than {most} iterations of a loop that {what}"

    def _name(self, entry: _Entry) -> str:
        """The name of a copy, which is to be made if it is new."""
        if entry not in self.names:
            number = self.copies.get(entry.block, 0)
            while number and self._is_taken(entry.block, f"{_COPY}{number}"):  # by an earlier run
                number += 1
            self.copies[entry.block] = number + 1
            self.names[entry] = entry.block if number == 0 else f"{entry.block}{_COPY}{number}"
            self.todo.append(entry)
        return self.names[entry]

    def _is_taken(self, block: str, suffix: str) -> bool:
        if f"{block}{suffix}" in self.blocks:
            return True
        taken = self.copied_before
        return bool(taken) and any(f"{each.name}{suffix}" in taken for each in _values(self.blocks[block]))

    def _copy(self, entry: _Entry) -> ir.Block:
        block, name = self.blocks[entry.block], self.names[entry]
        suffix = name.removeprefix(entry.block)
        values: dict[str, ir.Operand] = dict(entry.values)
        counted = set(entry.counted)
        if entry.block in self.loops:
            pairs = zip(block.parameters, entry.parameters, strict=True)
            counted |= {parameter.name for parameter, constant in pairs if constant is not None}
        parameters: list[ir.Value] = []
        for parameter, constant in zip(block.parameters, entry.parameters, strict=True):
            fresh = ir.Value(f"{parameter.name}{suffix}", parameter.type)
            values[parameter.name] = fresh if constant is None else constant
            parameters += [fresh] if constant is None else []

        def rename(operand: ir.Operand) -> ir.Operand:
            return values.get(operand.name, operand) if isinstance(operand, ir.Value) else operand

        turns = entry.turns | ({(entry.block, name)} if entry.block in self.beginning else set())
        kept: list[ir.Instruction] = []
        for instruction in block.instructions:
            if (begins := _begins(instruction, self.begun)) is not None:
                values[begins] = self._variable_of(begins, entry.block, turns)
            item = with_operands(instruction, rename)
            known = known_value(item, self.bits) or loaded_constant(item, self.module)
            if known is not None and _uses(instruction, counted):
                counted |= {value.name for value in results(instruction)}
            for value in results(instruction):
                values[value.name] = known or ir.Value(f"{value.name}{suffix}", value.type)
            if known is None:
                kept.append(with_operands(item, rename))  # now the results, too
        end = fold_terminator(with_operands(block.end, rename))
        decided = entry.decided
        if type(end) is not type(block.end) and _uses(block.end, counted):
            decided |= self._loops_left_by(block)
        left = _ExitFacts(decided, counted, entry.iterations, turns)
        return ir.Block(
            name=name,
            parameters=tuple(parameters),
            instructions=tuple(kept),
            end=with_targets(end, lambda target: self._enter(block, target, values, left)),
        )

    def _exits(self, loop: Loop) -> Iterator[str]:
        """The blocks that a loop may be left for."""
        for name in loop.blocks:
            for target in targets(self.blocks[name].end):
                if target.block not in loop.blocks:
                    yield target.block

    def _fails(self, name: str) -> bool:
        """Whether the program ends in a block, as where a counter would overflow: that is no bound."""
        return isinstance(self.blocks[name].end, ir.Unreachable)

    def _loops_left_by(self, block: ir.Block) -> frozenset[str]:
        """The loops that this block could leave, perhaps by a block that only branches (as of `a && b`)."""
        return frozenset(
            loop.header
            for loop in self.loops.values()
            if block.name in loop.blocks and any(self._leaves(loop, target) for target in targets(block.end))
        )

    def _leaves(self, loop: Loop, target: ir.Goto) -> bool:
        for _ in range(_MOST_STEPS):
            if target.block not in loop.blocks:
                return loop.header in self.only_fail or not self._fails(target.block)
            block = self.blocks[target.block]
            if not self._only_branches(block.name) and not _only_jumps(block):
                return False
            given = dict(zip((item.name for item in block.parameters), target.arguments, strict=True))

            def rename(operand: ir.Operand, given: dict[str, ir.Operand] = given) -> ir.Operand:
                return given.get(operand.name, operand) if isinstance(operand, ir.Value) else operand

            for instruction in block.instructions:
                known = known_value(with_operands(instruction, rename), self.bits)
                given.update({value.name: known for value in results(instruction) if known is not None})
            end = fold_terminator(with_operands(block.end, rename))
            if not isinstance(end, ir.Jump):
                return False
            target = end.target
        return False

    def _enter(
        self, block: ir.Block, target: ir.Goto, values: Mapping[str, ir.Operand], left: _ExitFacts
    ) -> ir.Goto:
        """The jump to the copy of a block that is entered with these values."""
        decided, counted = left.decided, left.counted
        source = block.name
        name = target.block
        is_next_iteration = name in self.loops and source in self.loops[name].blocks
        counts = {header: number for header, number in left.iterations if name in self.loops[header].blocks}
        if is_next_iteration and name not in decided:
            if name not in self.making:
                self.open.add(name)
            else:
                counts[name] = counts.get(name, 0) + 1
        for header, number in counts.items():  # beyond the last iteration a loop may only end
            most = self._most_iterations(header)
            if number > most or (number == most and name in self.making_blocks):
                self.cut.add(header)
                return ir.Goto(f"{header}#cut")
        is_counted = name in self.loops and name not in self.open
        is_general = not (is_counted or self._only_branches(name))
        is_general = is_general or len(self.names) > MOST_COPIES
        constants = tuple(
            None if is_general or isinstance(item, ir.Value) else item for item in target.arguments
        )
        entry = _Entry(
            name,
            constants,
            tuple((live, values[live]) for live in sorted(self.live[name]) if live in values),
            frozenset(header for header in decided if header != name and name in self.loops[header].blocks),
            frozenset(counted & self.live[name]) | self._counted_parameters(block, target, counted),
            frozenset(counts.items()),
            frozenset(turn for turn in left.turns if turn[0] != name and name in self.loops[turn[0]].blocks),
        )
        pairs = zip(target.arguments, constants, strict=True)
        return ir.Goto(self._name(entry), tuple(item for item, constant in pairs if constant is None))

    def _counted_parameters(self, block: ir.Block, target: ir.Goto, counted: set[str]) -> frozenset[str]:
        """The parameters of the target that get a value which is known because a loop counts."""
        given = next(each for each in targets(block.end) if each.block == target.block)
        pairs = zip(self.blocks[target.block].parameters, given.arguments, strict=True)
        return frozenset(
            parameter.name
            for parameter, argument in pairs
            if isinstance(argument, ir.Value) and argument.name in counted
        )

    def _only_branches(self, name: str) -> bool:
        """Whether a block does nothing but branch on one of its parameters, perhaps converted."""
        block = self.blocks[name]
        known: set[ir.Operand] = set(block.parameters)
        for item in block.instructions:
            if not isinstance(item, ir.Compute) or item.operation not in _CONVERSIONS or item.checks:
                return False
            if item.operands[0] not in known:
                return False
            known.add(item.result)
        match block.end:
            case ir.Branch(condition=ir.Value() as value) | ir.Switch(value=ir.Value() as value):
                return value in known
            case _:
                return False


def _only_jumps(block: ir.Block) -> bool:
    return not block.instructions and isinstance(block.end, ir.Jump)


def _uses(item: ir.Instruction, names: set[str]) -> bool:
    """Whether an instruction uses one of these values, other than to pass it on."""
    match item:
        case ir.Branch(condition=condition):
            return isinstance(condition, ir.Value) and condition.name in names
        case ir.Switch(value=value):
            return isinstance(value, ir.Value) and value.name in names
        case _:
            return any(isinstance(each, ir.Value) and each.name in names for each in operands(item))


def _slots(function: ir.Function) -> dict[str, ir.Slot]:
    """The variables of a known size."""
    return {
        item.result.name: item
        for block in function.blocks
        for item in block.instructions
        if isinstance(item, ir.Slot) and not isinstance(item.count, ir.Value)
    }


def _values(block: ir.Block) -> Iterator[ir.Value]:
    """What a block defines."""
    yield from block.parameters
    for item in block.instructions:
        yield from results(item)


def _begins(item: ir.Instruction, names: Container[str]) -> str | None:
    """Which of these variables begins."""
    match item:
        case ir.Lifetime(slot=ir.Value(name=name), begins=True) if name in names:
            return name
        case _:
            return None


def _live_values(function: ir.Function, begun: Container[str]) -> dict[str, frozenset[str]]:
    """For each block, the values that it or a later one uses and that are defined before it.

    Some variables are defined where they begin.
    """
    uses: dict[str, set[str]] = {}
    defines: dict[str, set[str]] = {}
    for block in function.blocks:
        used = set[str]()
        defined = {value.name for value in block.parameters}
        for item in (*block.instructions, block.end):
            defined |= {name for name in (_begins(item, begun),) if name is not None}
            used |= {each.name for each in operands(item) if isinstance(each, ir.Value)} - defined
            defined |= {value.name for value in results(item)}
        uses[block.name], defines[block.name] = used, defined
    live = {name: frozenset(found) for name, found in uses.items()}
    order = last_first(function.blocks)
    changed = True
    while changed:
        changed = False
        for block in order:
            after = frozenset[str]().union(*(live[target.block] for target in targets(block.end)))
            found = live[block.name] | (after - defines[block.name])
            if found != live[block.name]:
                live[block.name] = found
                changed = True
    return live


PASS = Pass(
    name="unroll_counted_loops",
    purpose="writes out loops whose number of iterations is known",
    needs=("fold_constants",),
    run=unroll_counted_loops,
)
