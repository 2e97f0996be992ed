"""Replaces the loop that starts as many threads as `__membar_number` says by one start for all of them.

The loop counts from 0, one by one, up to the number; it starts one thread in each iteration, and does nothing
else that others can see. A loop that only joins them is left out. What the counter is for the thread that is
started is `__membar_me` for each copy.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from membar.code import ir
from membar.code.linear import NUMBER, AnyNumber
from membar.code.loops import Loop, natural_loops
from membar.code.lowering.refusal import NotSupportedError
from membar.code.primitives import ME, PREFIX, SPAWN, SPAWN_COPIES
from membar.code.rewrite import substitution, with_operands, with_targets
from membar.code.structure import operands, results, targets
from membar.records import replace

ENTRY = "main"
_JOIN = ir.FunctionAddress(f"{PREFIX}join")
_RETIRE, _CHECK = ir.FunctionAddress(f"{PREFIX}retire"), ir.FunctionAddress(f"{PREFIX}check")
# Nothing can go wrong in these that would be asked about.
_SAFE = frozenset(
    {"add", "sub", "mul", "sext", "zext", "trunc", "inttoptr", "ptrtoint", "slt", "ult", "eq", "ne"}
)
_OF_EACH = frozenset(ir.FunctionAddress(PREFIX + name) for name in ("allocate", "allocate_aligned"))
_COUNT = ir.FunctionAddress(f"{PREFIX}thread_count")
_SIZES = ("sext", "zext", "trunc")
_LEAST_BITS = 32
_BELOW = frozenset({"slt", "ult", "ne"})
HELP = "create them by `for (long i = 0; i < N; i++) pthread_create(&t[i], NULL, f, (void *)i);`"


def replicate_threads(module: ir.Module, any_number: AnyNumber) -> ir.Module:
    """The module in which `main` starts all copies at once; its calls are inlined.

    Raises:
        NotSupportedError: threads are started in other loops, or in two of them.
    """
    function = module.functions[ENTRY]
    starts = 0
    while (found := _next_loop(function)) is not None:
        loop, call = found
        starts += call.callee == SPAWN
        if starts > 1:
            raise NotSupportedError("threads of two functions, both in any number", call.place)
        function = _Copying(function, loop, call, any_number).run()
    return replace(module, functions={**module.functions, ENTRY: function})


def _next_loop(function: ir.Function) -> tuple[Loop, ir.Call] | None:
    """A loop that starts or joins threads."""
    for loop in natural_loops(function.blocks):
        for block in function.blocks:
            for item in block.instructions if block.name in loop.blocks else ():
                if isinstance(item, ir.Call) and item.callee in (SPAWN, _JOIN):
                    return loop, item
    return None


class _Copying:
    """One loop that is replaced."""

    def __init__(self, function: ir.Function, loop: Loop, call: ir.Call, any_number: AnyNumber) -> None:
        self._function, self._loop, self._call, self._any_number = function, loop, call, any_number
        self._inside = [block for block in function.blocks if block.name in loop.blocks]
        self._defined: Mapping[str, ir.Instruction] = {
            result.name: item
            for block in function.blocks
            for item in block.instructions
            for result in results(item)
        }

    def run(self) -> ir.Function:
        counter, leaving = self._counter(), self._exit_after_all_counted()
        self._check_quiet(counter)
        values = {each.name for block in self._inside for each in block.parameters}
        values |= {
            each.name for block in self._inside for item in block.instructions for each in results(item)
        }
        if any(isinstance(each, ir.Value) and each.name in values for each in leaving.arguments):
            raise self._refusal(
                "values computed in the loop that starts (or joins) the threads are used after it"
            )
        instructions: tuple[ir.Instruction, ...] = ()
        if self._call.callee == SPAWN:
            instructions = tuple(self._start(counter))
        name = f"{self._loop.header}.copies"
        start = ir.Block(name=name, instructions=instructions, end=ir.Jump(target=leaving))

        def lead_to_start(target: ir.Goto) -> ir.Goto:
            return ir.Goto(name) if target.block == self._loop.header else target

        blocks = [
            replace(block, end=with_targets(block.end, lead_to_start))
            for block in self._function.blocks
            if block.name not in self._loop.blocks
        ]
        return replace(self._function, blocks=(*blocks, start))

    def _refusal(self, message: str) -> NotSupportedError:
        return NotSupportedError(f"{message}: {HELP}", self._call.place)

    def _counter(self) -> ir.Value:
        """The parameter of the loop that is 0 first, then one more in each iteration."""
        header = next(block for block in self._inside if block.name == self._loop.header)
        if len(header.parameters) != 1:
            raise self._refusal("threads are started in a loop that does more than count")
        (counter,) = header.parameters
        if not isinstance(counter.type, ir.Int) or counter.type.bits < _LEAST_BITS:
            raise self._refusal("threads are started in a loop whose counter may wrap around")
        for block in self._function.blocks:
            for target in targets(block.end):
                if target.block != header.name:
                    continue
                (given,) = target.arguments
                if block.name not in self._loop.blocks:
                    is_fine = isinstance(given, ir.Constant) and given.value == 0
                else:
                    step = self._defined.get(given.name) if isinstance(given, ir.Value) else None
                    is_fine = (
                        isinstance(step, ir.Compute)
                        and step.operation == "add"
                        and counter in step.operands
                        and ir.Constant(1, counter.type) in step.operands
                    )
                if not is_fine:
                    raise self._refusal("threads are started in a loop that does not count from 0")
        return counter

    def _exit_after_all_counted(self) -> ir.Goto:
        """Where the loop goes on once all threads were counted; every iteration asks that first."""
        header = next(block for block in self._inside if block.name == self._loop.header)
        exits = [
            (block, target)
            for block in self._inside
            for target in targets(block.end)
            if target.block not in self._loop.blocks
        ]
        if len(exits) != 1 or exits[0][0] is not header or not isinstance(header.end, ir.Branch):
            raise self._refusal("threads are started in a loop that can end otherwise than by its counter")
        condition = header.end.condition
        test = self._defined.get(condition.name) if isinstance(condition, ir.Value) else None
        is_below = (
            isinstance(test, ir.Compute)
            and test.operation in _BELOW
            and self._without_sizes(test.operands[0]) == header.parameters[0]
            and self._is_number(test.operands[1])
            and header.end.otherwise == exits[0][1]
        )
        if not is_below:
            raise self._refusal("threads are started in a loop that does not count up to their number")
        return exits[0][1]

    def _without_sizes(self, operand: ir.Operand) -> ir.Operand:
        """A value before it was made wider or narrower."""
        while isinstance(operand, ir.Value):
            item = self._defined.get(operand.name)
            if not isinstance(item, ir.Compute) or item.operation not in _SIZES:
                break
            operand = item.operands[0]
        return operand

    def _is_number(self, operand: ir.Operand) -> bool:
        operand = self._without_sizes(operand)
        item = self._defined.get(operand.name) if isinstance(operand, ir.Value) else None
        return isinstance(item, ir.Call) and item.callee == NUMBER

    def _check_quiet(self, counter: ir.Value) -> None:
        """Refuses what others could see or what can go wrong: only handles of the threads are accessed."""
        starts = 0
        for block in self._inside:
            for item in block.instructions:
                match item:
                    case ir.Call(callee=callee) if callee == SPAWN:
                        starts += 1
                        is_fine = True
                    case ir.Call(callee=callee, results=found) if callee == _JOIN:
                        if self._is_used(found[0]):
                            raise self._refusal("the return value of a thread is used")
                        is_fine = True
                    case ir.Call(callee=callee, arguments=(condition, *_)) if callee == _CHECK:
                        is_fine = self._is_joined_once(condition)
                    case ir.Call(callee=callee):
                        is_fine = callee == _RETIRE
                    case ir.Compute(operation=operation):
                        is_fine = operation in _SAFE
                    case ir.Index():
                        is_fine = self._is_of_handles(item, counter)
                    case ir.Load(address=address, ordering=None) | ir.Store(address=address, ordering=None):
                        handle = self._defined.get(address.name) if isinstance(address, ir.Value) else None
                        is_fine = isinstance(handle, ir.Index)
                    case _:
                        is_fine = isinstance(item, ir.Lifetime)
                if not is_fine:
                    raise NotSupportedError(
                        "the loop in `main` that starts or joins the threads does something else too,"
                        " or their handles are not in a local array",
                        item.place,
                    )
        if starts > 1 or (starts and self._call.callee == _JOIN):
            raise self._refusal("threads are started in a loop that does more than start one at a time")

    def _is_joined_once(self, condition: ir.Operand) -> bool:
        """Whether a condition asks whether a thread is joined for the first time."""
        condition = self._without_sizes(condition)
        item = self._defined.get(condition.name) if isinstance(condition, ir.Value) else None
        return isinstance(item, ir.Call) and item.callee == _RETIRE

    def _is_of_handles(self, item: ir.Index, counter: ir.Value) -> bool:
        """Whether an address is that of the counter's element of an array of `main` with enough elements."""
        slot = self._defined.get(item.base.name) if isinstance(item.base, ir.Value) else None
        number, counts = self._any_number.number, self._any_number.counts
        is_large = isinstance(slot, ir.Slot) and slot.size in counts and slot.size >= number * item.stride
        is_counted = item.count is None or (item.count in counts and item.count >= number)
        return self._without_sizes(item.index) == counter and is_large and is_counted

    def _is_used(self, value: ir.Value) -> bool:
        return any(
            value in operands(item)
            for block in self._function.blocks
            for item in (*block.instructions, block.end)
        )

    def _start(self, counter: ir.Value) -> Iterator[ir.Instruction]:
        """One start for all copies, with what computes their argument."""
        me = ir.Value(f"{self._loop.header}.me", counter.type)
        rename = substitution({counter.name: me})
        yield ir.Call(results=(me,), callee=ME, arguments=(), place=self._call.place)
        function, argument = self._call.arguments
        for item in self._computing(argument, counter):
            yield with_operands(item, rename)
        yield replace(
            self._call, results=(), callee=SPAWN_COPIES, arguments=(rename(function), rename(argument))
        )

    def _computing(self, operand: ir.Operand, counter: ir.Value) -> Sequence[ir.Instruction]:
        """What computes a value in the loop from its counter, in order."""
        if not isinstance(operand, ir.Value) or operand == counter:
            return ()
        item = self._defined.get(operand.name)
        if not isinstance(item, ir.Compute):
            message = "an argument that is neither constant nor the number of the thread"
            raise NotSupportedError(f"{message}: {HELP}", self._call.place)
        before = [each for part in item.operands for each in self._computing(part, counter)]
        return (*dict.fromkeys(before), item)


def check_copies(module: ir.Module, any_number: AnyNumber) -> None:
    """Checks that each copy has its variables in registers, and that indices do not depend on their number.

    Raises:
        NotSupportedError: nothing is copied, the copies have memory of their own, or an array with as many
            elements as there are copies is used at a constant index: few copies may have no such element.
    """
    if module.copied is None:
        raise NotSupportedError(f"no loop creates any number of threads: {HELP}", None)
    for name in module.threads:
        for block in module.functions[name].blocks:
            for item in (*block.instructions, block.end):
                if _has_constant_index(item, any_number):
                    raise NotSupportedError(
                        "a constant index of an array with an element per thread", item.place
                    )
                if name == module.copied and (what := _of_each_copy(item, name)):
                    raise NotSupportedError(f"{what}: `--threads any` does not support this", item.place)


def _has_constant_index(item: ir.Instruction, any_number: AnyNumber) -> bool:
    if isinstance(item, ir.Index) and item.count in any_number.counts:
        is_first = isinstance(item.index, ir.Constant) and item.index.value == 0
        if isinstance(item.index, ir.Constant) and not is_first:
            return True
    return any(
        isinstance(each, ir.ObjectAddress) and each.name in any_number.objects and each.offset != 0
        for each in operands(item)
    )


def _of_each_copy(item: ir.Instruction, thread: str) -> str:
    """What each copy has for itself; "" if an instruction uses nothing of this kind."""
    match item:
        case ir.Slot(variable=name):
            return f"`{name}`, which each thread has in memory"
        case ir.Call(callee=callee) if callee in _OF_EACH:
            return "memory that each thread allocates"
        case ir.Call(callee=callee) if callee == _COUNT:
            return "a condition variable"
        case _:
            own = [
                each.name
                for each in operands(item)
                if isinstance(each, ir.ObjectAddress) and each.name.endswith(f"@{thread}")
            ]
            return f"`{own[0]}`, which each thread has for itself" if own else ""
