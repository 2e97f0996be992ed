"""A thread with a store buffer (x86-tso), or with memory alone (sc).

The paper has two counters per operation: pc_L runs through all lines, pc_S through those that write memory;
and per variable a sequence of values that have been stored and not flushed. Here the lines whose stores are
pending form one sequence, oldest first, each with its value: this is equivalent to pc_S with its flags,
except for steps in which pc_S only follows a branch that has been taken. A load takes the youngest pending
store to its own variable. RMWs and full fences wait until nothing is pending, as in the paper.

An operation takes effect with the access of its linearization point: a store when it reaches memory, and a
load that is forwarded from a pending store right after that store. Since a thread may finish any number of
operations before that, an arbitrary one of them is tracked (`waiting`): what is proved of it holds for each.
"""

from __future__ import annotations

from collections.abc import Hashable

from membar.objects.syntax import ConcurrentObject
from membar.objects.systems.buffered.buffer import Buffer
from membar.objects.systems.buffered.control import Control, describe
from membar.objects.systems.buffered.formulas import Formulas
from membar.objects.systems.buffered.machine import BufferedMachine
from membar.objects.systems.buffered.summaries import Summaries, Summarised, in_words
from membar.objects.systems.moves import ThreadSystem
from membar.objects.terms import IDLE

LONGEST = 8
LONGEST_SUMMARY = 16


def system(
    about: ConcurrentObject, *, name: str, is_buffered: bool, in_real_time: bool = False
) -> ThreadSystem:
    """The system of an object; `in_real_time`: operations must have taken effect when they return."""
    buffer = Buffer(about)
    machine = BufferedMachine(about, buffer, is_buffered=is_buffered, in_real_time=in_real_time)
    formulas = Formulas(about, buffer)
    return ThreadSystem(
        name=name,
        about=about,
        start=Control(),
        moves=lambda control: tuple(machine.moves(_control(control))),
        resolved=lambda term, control, who: formulas.resolve(term, _control(control), who),
        described=lambda control: describe(_control(control)),
        too_long=lambda control: len(_control(control).entries) > LONGEST,
        keeps=lambda control, variable: formulas.keeps(_control(control), variable),
        is_done=lambda control: _control(control).line == IDLE and not _control(control).entries,
    )


def summarized_system(about: ConcurrentObject, *, name: str, in_real_time: bool = False) -> ThreadSystem:
    """The system of an object with buffers of any length, in which stores are summarised."""
    buffer = Buffer(about)
    machine = BufferedMachine(about, buffer, is_buffered=True, in_real_time=in_real_time)
    summaries = Summaries(about, buffer, machine)
    return ThreadSystem(
        name=name,
        about=about,
        start=Summarised(),
        moves=lambda control: tuple(summaries.moves(_summary(control))),
        resolved=lambda term, control, who: summaries.resolve(term, _summary(control), who),
        described=lambda control: in_words(_summary(control)),
        too_long=lambda control: len(_summary(control).control.entries) > LONGEST_SUMMARY,
        keeps=lambda control, variable: summaries.keeps(_summary(control), variable),
        is_done=lambda control: _summary(control) == Summarised(),
    )


def _summary(control: Hashable) -> Summarised:
    if not isinstance(control, Summarised):
        raise TypeError(f"{control} is not a control of this system")
    return control


def _control(control: Hashable) -> Control:
    if not isinstance(control, Control):
        raise TypeError(f"{control} is not a control of this system")
    return control
