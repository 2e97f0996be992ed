"""Reports: one file per output format, exporting `REPORT`. They do not depend on how a verdict was found."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Protocol

from membar import plugins
from membar.records import record

if TYPE_CHECKING:
    from membar.questions.answer import Answer


class Tested(Protocol):
    """One test among thousands, as plain data: what summaries and JUnit files need."""

    @property
    def path(self) -> str:
        """The file."""

    @property
    def name(self) -> str:
        """The test's name; the file's if it could not be read."""

    @property
    def verdict(self) -> str:
        """`holds`, `holds-within`, `violated`, `unknown`, `explored`; `error` for bad input."""

    @property
    def reason(self) -> str:
        """Why there is no verdict, the bound, what is violated, or the rendered diagnostics of bad input."""

    @property
    def final_states(self) -> int:
        """How many final states there are."""

    @property
    def seconds(self) -> float:
        """Time it took."""


class ReportedTest(Tested, Protocol):
    """A test with the report about it, for pages about many tests."""

    @property
    def model(self) -> str:
        """The memory model's name; empty if the test could not be read."""

    @property
    def report(self) -> str:
        """The report about a violation, for people; else ""."""


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
