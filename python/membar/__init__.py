"""membar: is this concurrent program still correct on the memory model it will run on?"""

from __future__ import annotations

# As in `typing`, which takes long to load: this module is loaded before anybody listens to Ctrl-C.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from membar.diagnostics import InputError as InputError
    from membar.questions.api import Result as Result
    from membar.questions.api import check as check
    from membar.questions.api import load_model as load_model
    from membar.questions.api import parse as parse
    from membar.questions.object_proofs import prove_object as prove_object
    from membar.questions.outcome import Explored as Explored
    from membar.questions.outcome import Holds as Holds
    from membar.questions.outcome import HoldsWithin as HoldsWithin
    from membar.questions.outcome import Outcome as Outcome
    from membar.questions.outcome import Unknown as Unknown
    from membar.questions.outcome import Violated as Violated
    from membar.questions.outcome import Witness as Witness
    from membar.questions.proving import SystemResult as SystemResult
    from membar.questions.proving import prove as prove
    from membar.questions.task import Limits as Limits
    from membar.questions.task import Options as Options
    from membar.source import SourceFile as SourceFile

__version__ = "0.1.0"

# Imported when first used, so that `membar --version` starts at once.
_PUBLIC = {
    "Result": "questions.api",
    "check": "questions.api",
    "load_model": "questions.api",
    "parse": "questions.api",
    "InputError": "diagnostics",
    "Explored": "questions.outcome",
    "Holds": "questions.outcome",
    "HoldsWithin": "questions.outcome",
    "Outcome": "questions.outcome",
    "Unknown": "questions.outcome",
    "Violated": "questions.outcome",
    "Witness": "questions.outcome",
    "SystemResult": "questions.proving",
    "prove": "questions.proving",
    "prove_object": "questions.object_proofs",
    "SourceFile": "source",
    "Limits": "questions.task",
    "Options": "questions.task",
}

__all__ = [*_PUBLIC, "__version__"]  # noqa: PLE0604 - the keys are names


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'membar' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - after the quick start

    return getattr(import_module(f"membar.{_PUBLIC[name]}"), name)
