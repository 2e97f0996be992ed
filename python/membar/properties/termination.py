"""No thread spins for ever, while memory is fair and every thread runs on."""

from __future__ import annotations

from collections.abc import Sequence

from membar.models.model import Model
from membar.program.program import Program
from membar.properties.property import Property

_FOR_EVER = " for ever: nothing that "

# Models of systems that run for ever on purpose; `progress` and claims say what they must go on doing.
_REACTIVE = frozenset({"Promela", "DVE"})


def waiting_of(names: Sequence[str]) -> str:
    """What a witness of the contrary says, in which these threads wait; replaying it tests just that."""
    waits, looks = ("waits", "it looks") if len(names) == 1 else ("wait", "they look")
    return f"{' and '.join(names)} {waits}{_FOR_EVER}{looks} at will change"


def is_about_waiting(message: str) -> bool:
    """Whether a witness says that threads wait for ever."""
    return _FOR_EVER in message


def _applies(program: Program, model: Model) -> bool:
    if not model.claims.fair or program.language in _REACTIVE:
        return False
    return any(thread.back_edges for thread in program.threads)


PROPERTY = Property(
    name="termination",
    title="no thread spins for ever",
    covers="a thread in a loop that only waits, for a value that will not come",
    applies=_applies,
)
