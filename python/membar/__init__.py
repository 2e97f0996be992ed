"""membar: is this concurrent program still correct on the memory model it will run on?"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from membar.api import Result as Result
    from membar.api import check as check
    from membar.api import load_model as load_model
    from membar.api import parse as parse
    from membar.diagnostics import InputError as InputError
    from membar.object_proofs import prove_object as prove_object
    from membar.outcome import Explored as Explored
    from membar.outcome import Holds as Holds
    from membar.outcome import HoldsWithin as HoldsWithin
    from membar.outcome import Outcome as Outcome
    from membar.outcome import Unknown as Unknown
    from membar.outcome import Violated as Violated
    from membar.outcome import Witness as Witness
    from membar.proving import SystemResult as SystemResult
    from membar.proving import prove as prove
    from membar.source import SourceFile as SourceFile
    from membar.task import Limits as Limits
    from membar.task import Options as Options

__version__ = "0.1.0"

# Imported when first used, so that `membar --version` starts at once.
_PUBLIC = {
    "Result": "api",
    "check": "api",
    "load_model": "api",
    "parse": "api",
    "InputError": "diagnostics",
    "Explored": "outcome",
    "Holds": "outcome",
    "HoldsWithin": "outcome",
    "Outcome": "outcome",
    "Unknown": "outcome",
    "Violated": "outcome",
    "Witness": "outcome",
    "SystemResult": "proving",
    "prove": "proving",
    "prove_object": "object_proofs",
    "SourceFile": "source",
    "Limits": "task",
    "Options": "task",
}

__all__ = [*_PUBLIC, "__version__"]  # noqa: PLE0604 - the keys are names


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'membar' has no attribute {name!r}")
    return getattr(import_module(f"membar.{_PUBLIC[name]}"), name)
