"""`pytest --membar`: files that state the verdict they expect are tests, one for each model.

Every run of pytest imports its plug-ins: before a file is checked, this one imports nothing but the standard
library and pytest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest._code.code import TerminalRepr  # pytest has no public name for it

    from membar.diagnostics import InputError
    from membar.questions.answer import Answer
    from membar.questions.expectations import Claimed
    from membar.questions.svcomp_tasks import TaskQuestion
    from membar.questions.task import Limits

SUFFIXES = (
    *(".litmus", ".c", ".dve", ".cub", ".pml", ".prm", ".prom", ".promela", ".spin", ".mbp", ".xcfa"),
    *(".cpp", ".cc", ".cxx", ".c++", ".C", ".rs"),
)
TASKS = (".yml", ".yaml")
_LIMIT = "time=60s"
_VERDICT = re.compile(r":\s*[A-Za-z][\w.-]*\s+(?:HOLDS|VIOLATED|UNKNOWN)\b")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declares the options and the settings of the configuration."""
    group = parser.getgroup("membar", "concurrent programs on weak memory models")
    group.addoption(
        "--membar",
        action="store_true",
        help="collect files that state the verdict they expect, `Expected: sc HOLDS, x86-tso VIOLATED.` in a"
        f" comment ({', '.join(SUFFIXES)}), all litmus tests, and descriptions of SV-COMP tasks",
    )
    group.addoption("--membar-limit", metavar="KIND=N,…", help="limits of each test, instead of membar_limit")
    group.addoption("--membar-html", metavar="DIR", help="write a page about each test that fails to DIR")
    parser.addini("membar_limit", f"limits of each test, as --limit of membar (default: {_LIMIT})")
    parser.addini(
        "membar_models",
        "models under which a litmus test without a comment must hold",
        type="args",
        default=[],
    )
    parser.addini(
        "membar_accept_bounded",
        "accept HOLDS WITHIN where HOLDS is expected",
        type="bool",
        default=False,
    )


def pytest_configure(config: pytest.Config) -> None:
    """Checks the limits before anything is collected.

    Raises:
        pytest.UsageError: they make no sense.
    """
    if config.getoption("--membar"):
        _limits(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A file with tests; None for all others."""
    if not parent.config.getoption("--membar"):
        return None
    if file_path.suffix in TASKS:
        return CheckedTask.from_parent(parent, path=file_path) if _may_be_task(file_path) else None
    if file_path.suffix not in SUFFIXES:
        return None
    if file_path.suffix != ".litmus" and not _may_claim(file_path):
        return None
    collector: pytest.Collector = CheckedFile.from_parent(parent, path=file_path)
    return collector


def _may_claim(path: Path) -> bool:
    """Whether a file may state an expectation; misspelt ones are reported later."""
    try:
        text = path.read_text("utf-8", errors="replace")
    except OSError:
        return True  # whoever opens it says what is wrong
    return "xpected" in text or _VERDICT.search(text) is not None


def _may_be_task(path: Path) -> bool:
    """Whether a file may be the description of an SV-COMP task; many other files are YAML."""
    try:
        text = path.read_text("utf-8", errors="replace")
    except OSError:
        return False
    return "format_version" in text and "input_files" in text


class CheckedFile(pytest.File):
    """A program, a litmus test or a system."""

    def collect(self) -> Iterator[pytest.Item]:
        """A test for each model that the file names; a litmus test without a comment must hold."""
        from membar.diagnostics import InputError  # noqa: PLC0415 - only where asked for

        try:
            claims = self._claims()
        except InputError as problem:
            # A test that fails: an error while collecting would stop all other tests.
            yield Unreadable.from_parent(self, name="expected", problem=problem)
            return
        for claim in claims:
            yield Check.from_parent(self, name=str(claim) or "default", claim=claim)

    def _claims(self) -> Iterable[Claimed]:
        from membar.questions.expectations import Claimed, expected_in  # noqa: PLC0415 - only where asked for
        from membar.source import SourceFile  # noqa: PLC0415

        found = expected_in(SourceFile.read(self.path))
        if found or self.path.suffix != ".litmus":
            return found
        return [Claimed(model, "holds") for model in self.config.getini("membar_models") or [""]]


class CheckedTask(pytest.File):
    """The description of an SV-COMP task."""

    def collect(self) -> Iterator[pytest.Item]:
        """A test for each property whose verdict is expected."""
        from membar.diagnostics import InputError  # noqa: PLC0415 - only where asked for
        from membar.questions.expectations import Claimed  # noqa: PLC0415
        from membar.questions.svcomp_tasks import task_questions  # noqa: PLC0415

        try:
            found = task_questions(str(self.path), None)
        except InputError as problem:
            yield Unreadable.from_parent(self, name="expected", problem=problem)
            return
        for one in found:
            if expected := one.task.expected:
                name = Path(one.property_file).stem
                yield Check.from_parent(self, name=name, claim=Claimed("", expected), question=one)


class UnexpectedVerdictError(Exception):
    """A verdict other than the file states; the message is for people."""


class _LocatedFailure(pytest.Item):
    """A test whose failures are reported by membar's own messages."""

    def repr_failure(  # type: ignore[override]  # our texts have one style
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> str | TerminalRepr:
        """The report of the answer, or the error in the input."""
        return _error_text(excinfo) or super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """File and model."""
        return self.path, None, f"{self.path.name} under {self.name}"


class Unreadable(_LocatedFailure):
    """A file whose comment, or the description of a task, is malformed."""

    def __init__(self, *, name: str, parent: pytest.File, problem: InputError) -> None:
        super().__init__(name, parent)
        self.problem = problem

    def runtest(self) -> None:
        """Fails.

        Raises:
            InputError: what is wrong with the comment.
        """
        raise self.problem

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The file."""
        return self.path, None, f"{self.path.name}: what is expected"


class Check(_LocatedFailure):
    """One file under one model, or about one property of a task."""

    def __init__(
        self, *, name: str, parent: pytest.File, claim: Claimed, question: TaskQuestion | None = None
    ) -> None:
        super().__init__(name, parent)
        self.claim = claim
        self.question = question

    def runtest(self) -> None:
        """Checks the file, and compares the verdict.

        Raises:
            UnexpectedVerdictError: the answer is another one.
        """
        answer = self._answer()
        is_bounded = answer.verdict == "holds-within" and self.config.getini("membar_accept_bounded")
        found = "holds" if is_bounded and self.claim.verdict == "holds" else answer.verdict
        if found != self.claim.verdict or (self.question and self.question.task.contradicts(answer.outcome)):
            wanted, got = (word.upper().replace("-", " ") for word in (self.claim.verdict, answer.verdict))
            where = self._write_page(answer)
            raise UnexpectedVerdictError(
                f"expected {wanted}, but the answer is {got}{where}:\n\n{_report(answer)}"
            )

    def _write_page(self, answer: Answer) -> str:
        """Writes a page about the answer, if requested, and names it, as in JUnit's XML."""
        folder = self.config.getoption("--membar-html")
        if not folder:
            return ""
        page = Path(folder) / (re.sub(r"[^A-Za-z0-9._+-]+", "_", self.nodeid).strip("_") + ".html")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(answer.render("html"), encoding="utf-8")
        self.user_properties.append(("membar-html", str(page)))
        return f" ({page} shows it)"

    def _answer(self) -> Answer:
        from membar.questions.python_api import check, prove  # noqa: PLC0415
        from membar.questions.python_questions import answer  # noqa: PLC0415 - only where asked for

        if self.question is not None:
            given = {**self.question.fields({}), "limits": _limits(self.config)}
            return answer(self.question.file, given)
        ask = prove if self.claim.any_threads else check
        return ask(self.path, model=self.claim.model or None, limits=_limits(self.config))


def _limits(config: pytest.Config) -> Limits:
    from membar.cli.arguments import values  # noqa: PLC0415 - only where asked for

    text = config.getoption("--membar-limit") or config.getini("membar_limit") or _LIMIT
    try:
        return values.limits(str(text))
    except ValueError as problem:
        raise pytest.UsageError(f"membar_limit: {problem}") from None


def _report(answer: Answer) -> str:
    from membar.reports import terminal  # noqa: PLC0415 - only where something is wrong

    return terminal.render(answer)


def _error_text(excinfo: pytest.ExceptionInfo[BaseException]) -> str:
    """The message of one of our exceptions; "" for others."""
    from membar.diagnostics import InputError  # noqa: PLC0415 - only where something is wrong
    from membar.reports import diagnostic  # noqa: PLC0415

    match excinfo.value:
        case InputError() as problem:
            return diagnostic.render_error(problem)
        case UnexpectedVerdictError() as problem:
            return str(problem)
        case _:
            return ""
