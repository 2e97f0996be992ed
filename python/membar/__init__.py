"""membar checks whether a concurrent program is correct under the memory model it will run on."""

from __future__ import annotations

# As in `typing`, which takes long to load: this module is loaded before anybody listens to Ctrl-C.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from membar.diagnostics import InputError as InputError
    from membar.languages.registry import load_model as load_model
    from membar.questions.answer import Answer as Answer
    from membar.questions.ask import ask as ask
    from membar.questions.outcome import Explored as Explored
    from membar.questions.outcome import Holds as Holds
    from membar.questions.outcome import HoldsWithin as HoldsWithin
    from membar.questions.outcome import Outcome as Outcome
    from membar.questions.outcome import Unknown as Unknown
    from membar.questions.outcome import Violated as Violated
    from membar.questions.outcome import Witness as Witness
    from membar.questions.programs import parse as parse
    from membar.questions.python_api import check as check
    from membar.questions.python_api import prove as prove
    from membar.questions.python_api import repair as repair
    from membar.questions.python_questions import compare as compare
    from membar.questions.python_questions import question as question
    from membar.questions.question import Question as Question
    from membar.questions.replay import replay as replay
    from membar.questions.task import Limits as Limits
    from membar.questions.task import Options as Options
    from membar.questions.translate import translate as translate
    from membar.source import SourceFile as SourceFile

__version__ = "0.2.0"

# Imported when first used, so that `membar --version` starts at once.
_PUBLIC = {
    "Answer": "questions.answer",
    "Explored": "questions.outcome",
    "Holds": "questions.outcome",
    "HoldsWithin": "questions.outcome",
    "InputError": "diagnostics",
    "Limits": "questions.task",
    "Options": "questions.task",
    "Outcome": "questions.outcome",
    "Question": "questions.question",
    "SourceFile": "source",
    "Unknown": "questions.outcome",
    "Violated": "questions.outcome",
    "Witness": "questions.outcome",
    "ask": "questions.ask",
    "check": "questions.python_api",
    "compare": "questions.python_questions",
    "load_model": "languages.registry",
    "parse": "questions.programs",
    "prove": "questions.python_api",
    "question": "questions.python_questions",
    "repair": "questions.python_api",
    "replay": "questions.replay",
    "translate": "questions.translate",
}

__all__ = [*_PUBLIC, "__version__"]  # noqa: PLE0604 - the keys are names


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'membar' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - after the quick start

    return getattr(import_module(f"membar.{_PUBLIC[name]}"), name)
