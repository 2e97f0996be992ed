"""Infers the invariants of an object, in the object language."""

from __future__ import annotations

from collections.abc import Callable

from membar.diagnostics import EngineLimitError
from membar.objects.infer.houdini import Houdini
from membar.objects.infer.needed import Missing, Needed
from membar.objects.infer.printing import Printer
from membar.objects.proof.claims import claims
from membar.objects.proof.obligations import Prover
from membar.objects.syntax import Specification
from membar.objects.systems.moves import ThreadSystem


def infer(
    system: ThreadSystem, specification: Specification, *, should_stop: Callable[[], bool] = lambda: False
) -> str:
    """The invariants that a proof of the object needs; all that were found, if they do not suffice.

    Raises:
        EngineLimitError: there are too many controls, or the time is over.
    """

    def poll() -> None:
        if should_stop():
            raise EngineLimitError("the time limit was reached")

    houdini = Houdini(system, poll)
    printer = Printer(system, houdini.run())
    prover = Prover(system, claims(system.about), specification)
    needed = Needed(houdini, prover, printer.general(), poll)
    try:
        needed.close()
        return printer.text(needed)
    except Missing:
        return printer.text()
