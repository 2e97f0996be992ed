"""Files for other tools, about all answers of a command: JUnit, SARIF, a summary."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from membar.diagnostics import InputError

if TYPE_CHECKING:
    from membar import api, campaign, linearizability, object_proofs, proving

_STANDARD_OUTPUT = Path("-")


class Filed:
    """The answers so far, and what else the files say."""

    def __init__(self, chosen: argparse.Namespace) -> None:
        self.answers: list[campaign.Answer] = []
        self.differences: Mapping[str, str] | None = None
        self.exit_code: int | None = None
        self.texts = texts(chosen)
        self._is_wanted = bool(_paths(chosen))

    def add(
        self,
        file: Path,
        answer: api.Result
        | proving.SystemResult
        | linearizability.ObjectResult
        | object_proofs.ProofResult
        | InputError,
        *,
        seconds: float,
    ) -> None:
        """Keeps an answer as plain data, where any file is to be written."""
        if not self._is_wanted:
            return
        from membar import api, campaign, proving  # noqa: PLC0415 - only where asked for

        if isinstance(answer, InputError):
            found = campaign.refusal(file, answer, texts=self.texts)
        elif isinstance(answer, proving.SystemResult):
            found = campaign.proved(answer, seconds=seconds, texts=self.texts)
        elif isinstance(answer, api.Result):
            found = campaign.as_data(answer, seconds=seconds, texts=self.texts)
        else:
            found = campaign.judged(answer, seconds=seconds, texts=self.texts)
        self.answers.append(found)

    def end(self, exit_code: int) -> int:
        """Says that nothing was broken off; returns the exit code."""
        self.exit_code = exit_code
        return exit_code


def texts(chosen: argparse.Namespace) -> tuple[str, ...]:
    """What answers must carry along for the files that were asked for."""
    wanted = (("sarif", getattr(chosen, "sarif", None)), ("told", chosen.summary))
    return tuple(name for name, path in wanted if path is not None)


@contextmanager
def written(chosen: argparse.Namespace) -> Iterator[Filed]:
    """Collects answers, and writes them at the end, however it comes: also after Ctrl-C.

    Raises:
        OSError: a file cannot be written; this is known before anything is searched.
    """
    for path in _paths(chosen):
        if path != _STANDARD_OUTPUT:
            with path.open("a", encoding="utf-8"):
                pass
    filed = Filed(chosen)
    try:
        yield filed
    finally:
        _write(chosen, filed)


def _paths(chosen: argparse.Namespace) -> list[Path]:
    named = [getattr(chosen, name, None) for name in ("junit", "sarif", "summary")]
    return [path for path in named if path is not None]


def _write(chosen: argparse.Namespace, filed: Filed) -> None:
    if getattr(chosen, "junit", None) is not None:
        from membar.reports import junit  # noqa: PLC0415 - only where asked for

        _put(chosen.junit, junit.render(filed.answers, filed.differences))
    if getattr(chosen, "sarif", None) is not None:
        from membar.reports import sarif  # noqa: PLC0415 - only where asked for

        results = (result for answer in filed.answers for result in answer.sarif)
        _put(chosen.sarif, sarif.render(results, exit_code=filed.exit_code, root=str(Path.cwd())))
    if chosen.summary is not None:
        from membar.reports import markdown  # noqa: PLC0415 - only where asked for

        _put(chosen.summary, markdown.render(filed.answers, filed.differences))


def _put(path: Path, text: str) -> None:
    if path == _STANDARD_OUTPUT:
        sys.stdout.write(text)
    else:
        path.write_text(text, encoding="utf-8")
