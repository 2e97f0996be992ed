"""Writes `questions/python_api.py`: the parameters of its functions are the options of the table.

A test compares the file with this text; `pytest tests/unit/test_signatures.py --update-golden` writes it.
"""

from __future__ import annotations

from membar.questions.option import Option
from membar.questions.options import TABLE


def entry_text() -> str:
    """The module, as it must be."""
    options = [option for option in TABLE if not option.is_output]
    return _MODULE.replace("    PARAMETERS,\n", "".join(map(_parameter, options))).replace(
        "        OPTIONS\n", "".join(map(_describe, options))
    )


_TYPES = {
    "model": "Model | str | None",
    "properties": "Collection[str] | None",
    "client": "Size | tuple[int, int] | None",
    "order": "Ordering | str | None",
    "buffers": "int | str | None",
    "fair": "Collection[str] | None",
    "coherence": "Coherence | str | None",
    "instances": "Sequence[int]",
    "jobs": "int",
    "limits": "Limits | None",
    "arguments": "Sequence[str] | None",
}


def python_type(option: Option) -> str:
    """The type of an option as a parameter."""
    if option.key in _TYPES:
        return _TYPES[option.key]
    if option.form == "switch":
        return "bool"
    kind = {"path": "Path", "positive": "int"}.get(option.read, "str")
    return f"Sequence[{kind}]" if option.form == "list" else f"{kind} | None"


def _parameter(option: Option) -> str:
    kind = python_type(option)
    default = None if kind.endswith("None") else False if option.form == "switch" else option.default
    return f"    {option.key}: {kind} = {default!r},\n"


def _describe(option: Option) -> str:
    text = option.short or option.help.split(";", maxsplit=1)[0].split(" (default", maxsplit=1)[0]
    return f"        {option.key}: {text.split(': G F X', maxsplit=1)[0]}.\n"


_MODULE = '''"""What Python users call: each builds a question about a file or a text, and asks it.

Written by `tests/generated/entry_module.py` from the table of options; not to be edited.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from membar.questions.python_questions import answer, question, with_options_of
from membar.questions.task import Limits
from membar.source import SourceFile

if TYPE_CHECKING:
    from membar.models.model import Model
    from membar.objects.client import Size
    from membar.objects.orders import Ordering
    from membar.questions.answer import Answer
    from membar.questions.repair import Verdict
    from membar.questions.task import Coherence, Options


def check(
    source: SourceFile | str | Path,
    *,
    PARAMETERS,
    options: Options | None = None,
    words: Mapping[str, str] | None = None,
) -> Answer:
    """The answer about a file or a text: of a program under a memory model, of a system, of an object.

    Args:
        source: a file name, or a text with a name.
        OPTIONS
        options: how engines search, as a record; the single names above count more.
        words: options of single languages by name, such as `atomic-rule`.

    Raises:
        InputError: the text, the model or an option is wrong.
        OSError: a file cannot be read.
        InterruptedAnswerError: Ctrl-C; a `KeyboardInterrupt` that has the answer as far as it was found.
    """
    given = dict(locals())
    return answer(given.pop("source"), given)


@with_options_of(check)
def prove(source: SourceFile | str | Path, **given: Any) -> Answer:  # noqa: ANN401 - options of `check`
    """The answer for any number of threads or processes; the options are those of `check`.

    Raises:
        InputError: the text, the model or an option is wrong.
        OSError: a file cannot be read.
    """
    return answer(source, given, is_proof=True)


def repair(  # noqa: D417 - the other options are those of `check`
    source: SourceFile | str | Path,
    *,
    weaken: bool = False,
    greedy: bool = False,
    all_cheapest: bool = False,
    costs: Path | None = None,
    seconds: float | None = None,
    progress: Callable[[str], None] | None = None,
    PARAMETERS,
    options: Options | None = None,
    words: Mapping[str, str] | None = None,
) -> Verdict:
    """The cheapest change that makes a text right; the other options are those of `check`.

    Args:
        source: a file name, or a text with a name.
        weaken: remove or weaken unnecessary ordering instead of adding it.
        greedy: take what Barnat's procedure ends with, cheapest or not.
        all_cheapest: find all repairs of the least cost.
        costs: the user's table of costs.
        seconds: afterwards the best repair so far is given, with a lower bound.
        progress: called now and then with a short text.

    Raises:
        InputError: the text, the model or an option is wrong, or the language cannot be repaired.
        OSError: a file cannot be read.
    """
    given = dict(locals())
    own = ("weaken", "greedy", "all_cheapest", "costs", "seconds", "progress")
    asked = {name: given.pop(name) for name in own}
    from membar.questions.repair import find_repair  # noqa: PLC0415 - on demand

    return find_repair(question(given.pop("source"), **given), **asked)
'''
