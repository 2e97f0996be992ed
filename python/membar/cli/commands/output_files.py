"""Files besides the report: JUnit, SARIF, a summary and a page about all answers, a witness for one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from membar.diagnostics import InputError, refusal
from membar.limits.budget import AFTER_INTERRUPT, LimitError, limit_resources, stage
from membar.questions.outcome import Violated
from membar.reports import streams

if TYPE_CHECKING:
    from pathlib import Path

    from membar.cli.arguments import Chosen
    from membar.questions import campaign
    from membar.questions.answer import Answer
    from membar.reports.html import Sheet

_STANDARD_OUTPUT = "-"
# What writing files may take at least. Nobody may read from a pipe.
_SECONDS = 1.0
# Ending of a witness → the report that writes it.
_WITNESSES = {".graphml": "graphml", ".yml": "svcomp_yaml", ".yaml": "svcomp_yaml"}


class CollectedAnswers:
    """The answers so far, and other contents of the files; `sheets` replace answers in a page."""

    def __init__(self, chosen: Chosen) -> None:
        self.answers: list[campaign.TestAnswer] = []
        self.differences: Mapping[str, str] | None = None
        self.sheets: Sequence[Sheet] | None = None
        self.exit_code: int | None = None
        self.texts = texts(chosen)
        self._is_wanted = bool(_paths(chosen))

    def add(self, file: str, answer: Answer | InputError, *, seconds: float) -> None:
        """Stores an answer as plain data, if any file is to be written."""
        if not self._is_wanted:
            return
        from membar.questions import campaign  # noqa: PLC0415 - only where asked for

        self.answers.append(
            campaign.refused_test(file, answer, texts=self.texts)
            if isinstance(answer, InputError)
            else campaign.as_data(answer, seconds=seconds, texts=self.texts)
        )

    def show_instead(self, page: str) -> None:
        """Replaces the last answer in a page by JSON that contains more."""
        from membar.records import replace  # noqa: PLC0415 - only where asked for

        self.answers[-1] = replace(self.answers[-1], html=page)

    def add_problem(self, problem: InputError) -> None:
        """Says in a page that something else that was asked about the last answer was refused."""
        if not self.answers or not self.answers[-1].html:
            return
        import json  # noqa: PLC0415 - only where asked for

        from membar.reports import diagnostic  # noqa: PLC0415

        said = diagnostic.render_error(problem)
        sheet = json.loads(self.answers[-1].html)
        self.show_instead(json.dumps(sheet | {"problem": said, "text": f"{sheet['text']}\n{said}"}))

    def end(self, exit_code: int) -> int:
        """Records that nothing was interrupted; returns the exit code."""
        self.exit_code = exit_code
        return exit_code


def texts(chosen: Chosen) -> tuple[str, ...]:
    """The output formats that answers must contain for the requested files."""
    wanted = {"sarif": ("sarif",), "report": ("summary", "junit"), "html": ("html",)}
    return tuple(
        text
        for text, files in wanted.items()
        if any(getattr(chosen, name, None) is not None for name in files)
    )


@contextmanager
def collect_answers(chosen: Chosen) -> Iterator[CollectedAnswers]:
    """Collects answers, and writes them at the end, even after Ctrl-C.

    Raises:
        OSError: a file cannot be written; this is known before anything is searched.
    """
    for path in _paths(chosen):
        _try(path)
    filed = CollectedAnswers(chosen)
    try:
        yield filed
    except KeyboardInterrupt:
        with suppress(LimitError), limit_resources(seconds=AFTER_INTERRUPT, memory=None):
            _write(chosen, filed)
        raise
    except BaseException:
        _write(chosen, filed)
        raise
    seconds = chosen.limit.seconds
    with (
        limit_resources(seconds=None if seconds is None else max(seconds, _SECONDS), memory=None),
        stage("while writing files"),
    ):
        _write(chosen, filed)


def _try(path: Path) -> None:
    """Makes sure that a file can be written, without changing it."""
    if str(path) == _STANDARD_OUTPUT or path.is_fifo():  # a pipe would have a reader, and end, too early
        return
    is_new = not path.exists()
    with path.open("a", encoding="utf-8"):
        pass
    if is_new:
        path.unlink()


def prepare_witness(chosen: Chosen) -> None:
    """Makes sure, before the search, that a requested witness can be written.

    Raises:
        InputError: not about these files, or not in this format.
        OSError: not there.
    """
    if chosen.witness is None:
        return
    from membar.languages.registry import language_of  # noqa: PLC0415 - only where asked for
    from membar.source import SourceFile  # noqa: PLC0415

    others = {"any number of threads": chosen.threads, "clients of an object": chosen.client}
    others[f"{len(chosen.files)} files"] = len(chosen.files) > 1 or None
    what = next((words for words, asked in others.items() if asked is not None), None)
    if what is not None:
        message = f"--witness is about one run of one program, not {what}"
        raise refusal("W1441", message, help="check one program at a time")
    if chosen.witness.suffix not in _WITNESSES:
        known = ", ".join(_WITNESSES)
        raise refusal(
            "W1442", f"`{chosen.witness}` does not name a witness format", help=f"names end in {known}"
        )
    language = language_of(SourceFile(chosen.files[0], "")).name
    if language != "C":
        message = f"`{chosen.files[0]}` is {language}, but SV-COMP witnesses are for C programs"
        raise refusal("W1443", message, help="`--json` writes a witness that `membar replay` reads")
    _try(chosen.witness)


def prepare_confirmation(chosen: Chosen) -> None:
    """Makes sure that a witness that is to be confirmed can be read.

    Raises:
        InputError: it is not about these files, or something else is asked too.
    """
    if chosen.confirm is None:
        return
    if len(chosen.files) > 1:
        message = f"--confirm takes one program and one witness, not {len(chosen.files)} files"
        raise refusal("W1448", message, help="check one file; the witness names the property")


def write_witness(chosen: Chosen, result: Answer) -> None:
    """Writes the witness of a violation, if requested; reports if there is none.

    Raises:
        InputError: the violation has no witness in this format.
        OSError: the file cannot be written.
    """
    if chosen.witness is None:
        return
    outcome = result.outcome
    if not isinstance(outcome, Violated) or outcome.witness is None:
        streams.write_message(f"note: nothing is violated: no witness written to {chosen.witness}\n")
        return
    from datetime import UTC, datetime  # noqa: PLC0415 - only where asked for
    from hashlib import sha256  # noqa: PLC0415
    from importlib import import_module  # noqa: PLC0415
    from pathlib import Path  # noqa: PLC0415

    report = import_module(f"membar.reports.{_WITNESSES[chosen.witness.suffix]}")
    found = sha256(Path(chosen.files[0]).read_bytes()).hexdigest()
    text = report.render(result, outcome, outcome.witness, at=datetime.now(UTC), program_hash=found)
    streams.write_file(chosen.witness, text)


def _paths(chosen: Chosen) -> list[Path]:
    named = [getattr(chosen, name, None) for name in ("junit", "sarif", "summary", "html")]
    return [path for path in named if path is not None]


def _write(chosen: Chosen, filed: CollectedAnswers) -> None:
    if getattr(chosen, "junit", None) is not None:
        from membar.reports import junit  # noqa: PLC0415 - only where asked for

        _write_text(chosen.junit, junit.render(filed.answers, filed.differences))
    if getattr(chosen, "sarif", None) is not None:
        from pathlib import Path  # noqa: PLC0415 - only where asked for

        from membar.reports import sarif  # noqa: PLC0415

        results = (result for answer in filed.answers for result in answer.sarif)
        page = getattr(chosen, "html", None)
        log = sarif.render(results, exit_code=filed.exit_code, root=str(Path.cwd()), page=page and str(page))
        _write_text(chosen.sarif, log)
    if getattr(chosen, "summary", None) is not None:
        from membar.reports import markdown  # noqa: PLC0415 - only where asked for

        _write_text(chosen.summary, markdown.render(filed.answers, filed.differences))

    if getattr(chosen, "html", None) is not None and filed.answers:
        import json  # noqa: PLC0415 - only where asked for

        write_page(chosen.html, filed.sheets or [json.loads(answer.html) for answer in filed.answers])


def write_page(path: Path, sheets: Sequence[Sheet]) -> None:
    """Writes a page with answers.

    Raises:
        OSError: it cannot be written.
    """
    from membar.reports import html  # noqa: PLC0415 - only where asked for

    _write_text(path, html.page(sheets))


def _write_text(path: Path, text: str) -> None:
    if str(path) == _STANDARD_OUTPUT:
        streams.write(text)
    else:
        streams.write_file(path, text)
