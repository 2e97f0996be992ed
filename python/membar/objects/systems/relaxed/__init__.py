"""A thread that executes its lines out of order: Armv8 as Winter, Smith and Derrick derive it, and XC.

The paper has, per address, a counter for loads and one for stores, sets `before`, flags and `ready`, and
pc_ret. Together they determine when a line may execute although earlier ones have not: here the lines that
have not executed are kept, in program order, and `_blocks` says which of them a line must wait for.
Corrections to the paper:

- branches are predicted one by one, when they are reached, not once per operation: otherwise no loop could be
  left after its second iteration; and a prediction counts only if the condition agrees, which the paper's
  rule omits;
- a load from a location to which the thread itself is about to store may take that value (forwarding), or
  wait for the store and read memory: always forwarding would hide stores of other threads;
- a line that changes a variable waits for an earlier branch that reads it;
- an operation returns when its branches are decided: a prediction has no results;
- flags of control fences have the indices of those of branches.

Reads and writes of one local variable stay in order, as in the paper: registers are not renamed. Each RMW is
a full fence. Operations of one thread may overlap, each with its own variables; one is called when the
previous one has returned, and its precondition is known. Where a processor could do more than that, `beyond`
says so.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from membar.objects.syntax import Branch, ConcurrentObject, Return
from membar.objects.systems.moves import ThreadSystem
from membar.objects.systems.relaxed.control import Control, Rules, describe
from membar.objects.systems.relaxed.formulas import Formulas
from membar.objects.systems.relaxed.machine import OutOfOrderMachine
from membar.objects.systems.relaxed.unmodelled import UnmodelledBehaviour
from membar.objects.systems.relaxed.waiting import Waiting

__all__ = ["LONGEST", "Rules", "longest", "system", "waits"]

LONGEST = 14


def system(about: ConcurrentObject, *, name: str, rules: Rules) -> ThreadSystem:
    """The system of an object."""
    waiting = Waiting(about, rules)
    machine, formulas, beyond = OutOfOrderMachine(waiting), Formulas(waiting), UnmodelledBehaviour(waiting)
    bound = longest(about)
    return ThreadSystem(
        name=name,
        about=about,
        start=Control(),
        moves=lambda control: tuple(machine.moves(_control(control))),
        resolved=lambda term, control, who: formulas.resolve(term, _control(control), who),
        described=lambda control: describe(_control(control)),
        too_long=lambda control: len(_control(control).items) > bound,
        keeps=lambda control, variable: formulas.keeps(_control(control), variable),
        is_done=lambda control: not _control(control).instances,
        beyond=lambda control: beyond.at(_control(control)),
    )


def longest(about: ConcurrentObject) -> int:
    """How many lines may be left to do: enough for all that are met at once."""
    lines = {line.label: line for _, line in about.lines()}

    def lines_from(label: str | None) -> int:
        found: set[str] = set()
        while label is not None and label not in found:
            found.add(label)
            label = None if isinstance(lines[label].action, Branch | Return) else lines[label].then
        return len(found)

    return max(LONGEST, *map(lines_from, lines))


def waits(about: ConcurrentObject, rules: Rules) -> Iterator[tuple[str, str]]:
    """Pairs of lines of an operation, in the order of the text, of which the later waits for the earlier.

    Pairs that follow from others are left out.
    """
    waiting = Waiting(about, rules)
    for operation in about.operations:
        labels = [line.label for line in operation.lines]
        kept = {
            (first, second)
            for number, first in enumerate(labels)
            for second in labels[number + 1 :]
            if waiting.waits(first, second)
        }
        for first, second in sorted(kept, key=lambda pair: (labels.index(pair[0]), labels.index(pair[1]))):
            if not any((first, middle) in kept and (middle, second) in kept for middle in labels):
                yield first, second


def _control(control: Hashable) -> Control:
    if not isinstance(control, Control):
        raise TypeError(f"{control} is not a control of this system")
    return control
