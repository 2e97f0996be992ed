"""Reports: one file per output format, exporting `REPORT`. They do not depend on how a verdict was found."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from membar import plugins
from membar.records import record

if TYPE_CHECKING:
    from membar.questions.answer import Answer


def load_report(name: str) -> Report:
    """The report called `name`.

    Raises:
        InputError: there is none; the message lists those there are.
    """
    if name in plugins.names(__name__):
        found = getattr(import_module(f"{__name__}.{name}"), "REPORT", None)
        if isinstance(found, Report):
            return found
    modules = {each: import_module(f"{__name__}.{each}") for each in plugins.names(__name__)}
    raise plugins.unknown("report", name, tuple(each for each in modules if hasattr(modules[each], "REPORT")))


@record(frozen=True, slots=True, kw_only=True)
class Report:
    """An output format.

    Attributes:
        name: what the command line calls it.
        title: one line for `--help`.
        suffix: ending of files in this format.
        render: the text for one answer; "" where there is nothing to show (no witness to draw).
    """

    name: str
    title: str
    suffix: str
    render: Callable[[Answer], str]
