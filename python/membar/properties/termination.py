"""No thread spins forever, provided that memory is fair and every thread keeps running."""

from __future__ import annotations

from collections.abc import Sequence

from membar.models.model import Model
from membar.program.program import Program
from membar.properties.property import Property

_FOREVER = " forever: nothing that "

# Models of systems that run forever on purpose; `progress` and claims say what they must go on doing.
_REACTIVE = frozenset({"Promela", "DVE"})


def waiting_of(names: Sequence[str]) -> str:
    """The message of a witness in which these threads spin forever; its replay checks exactly that."""
    waits, reads = ("waits", "it reads") if len(names) == 1 else ("wait", "they read")
    return f"{' and '.join(names)} {waits}{_FOREVER}{reads} will change"


def is_about_waiting(message: str) -> bool:
    """Whether a witness says that threads wait forever."""
    return _FOREVER in message


def _applies(program: Program, model: Model) -> bool:
    if not model.claims.fair or program.language in _REACTIVE:
        return False
    return any(thread.back_edges for thread in program.threads)


PROPERTY = Property(
    name="termination",
    title="no thread spins forever",
    covers="a thread in a loop that waits for a value that is never written, or in one that does nothing,"
    " such as `while (1);`",
    applies=_applies,
    advice="The location is a loop that waits for something that never happens.",
)
