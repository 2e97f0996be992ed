"""Where the calls of a history stand on a timeline: from the column of the call to that of the return."""

from __future__ import annotations

from membar.objects.history import History
from membar.records import record


@record(frozen=True, slots=True)
class Bar:
    """A call, from one column to another, both included; `open` if it never returned."""

    call: int
    first: int
    last: int
    open: bool


def bars(history: History) -> tuple[Bar, ...]:
    """A bar per call: it begins as soon as it may, and ends just before the first call that is after it.

    Calls that are ordered do not overlap. Calls without order overlap where that can be drawn; which calls
    are ordered is said beside the drawing, as not every order can be.
    """
    number = len(history.calls)
    first = [0] * number
    for _ in range(number):
        for before, after in history.before:
            first[after] = max(first[after], first[before] + 1)
    end = max((first[call] for call in range(number) if history.calls[call].made), default=0)
    found = []
    for call in range(number):
        if not history.calls[call].made:
            continue
        after_it = [after for before, after in history.before if before == call]
        later = [first[after] for after in after_it if history.calls[after].made]
        last = min(later) - 1 if later else end
        found.append(Bar(call, first[call], last, history.calls[call].pending))
    return tuple(found)
