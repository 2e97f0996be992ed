"""The results of campaigns for the page: a store is read, also while `membar litmus --store` writes it."""

from __future__ import annotations

import sqlite3
import threading
from bisect import bisect_right
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from membar.questions import store
from membar.questions.campaign_matrix import Matrix, names, one_test, runs
from membar.records import field_names, record

_MOST_CHANGES: Final = 20_000  # cells in one message; a page that has missed more reads all again


class NoSuchRunError(Exception):
    """The page asks about a run or test that is not there."""


@record(eq=False)
class _Read:
    """A run as far as it was read: its cells, and which were written when."""

    started: str
    matrix: Matrix
    changes: list[tuple[int, int, int, str]]


class Campaigns:
    """The runs of a store."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read: dict[int, _Read] = {}
        self._lock = threading.Lock()

    def check(self) -> None:
        """Looks whether there is a store.

        Raises:
            InputError: there is none that can be read.
        """
        with store.open_to_read(self.path):
            pass

    def overview(self, run: int | None) -> dict[str, Any]:
        """Everything that the table of a run shows; None: the last one.

        Raises:
            NoSuchRunError: there is no such run.
            InputError: the store cannot be read.
        """
        with self._lock, store.open_to_read(self.path) as connection:
            known = runs(connection)
            listed = [{name: getattr(one, name) for name in field_names(one)} for one in known]
            found: dict[str, Any] = {"store": self.path.name, "runs": listed}
            if not known and run is None:
                return found
            chosen = known[-1].id if run is None else run
            read = self._read_new_answers(connection, chosen)
            matrix = read.matrix
            tests = names(connection, chosen)
            languages = sorted({language for _, language in tests})
            return found | {
                "run": chosen,
                "started": read.started,
                "last": matrix.last,
                "models": matrix.models,
                "names": [name for name, _ in tests],
                "languages": languages,
                "language": "".join(chr(65 + languages.index(language)) for _, language in tests),
                "cells": matrix.cells(),
                "totals": matrix.totals(),
                "reasons": matrix.reasons,
            }

    def changes(self, run: int, last: int, columns: int) -> dict[str, Any]:
        """The cells that were written after the one with the number `last`.

        `again` says that the page must read all again: another store is there, or another column.
        """
        with self._lock, store.open_to_read(self.path) as connection:
            known = runs(connection)
            read = self._read_new_answers(connection, run)
            new = read.changes[bisect_right(read.changes, last, key=itemgetter(0)) :]
            is_other = last > read.matrix.last or columns != len(read.matrix.models)
            if is_other or len(new) > _MOST_CHANGES:
                return {"again": True}
            chosen = next(one for one in known if one.id == run)
            return {
                "last": read.matrix.last,
                "cells": [item[1:] for item in new],
                "reasons": read.matrix.reasons,
                "ended": chosen.ended,
                "state": chosen.state,
                "answered": chosen.answered,
                "runs": len(known),
            }

    def times(self, run: int) -> dict[str, Any]:
        """How long each answer took."""
        with self._lock, store.open_to_read(self.path) as connection:
            return {"times": self._read_new_answers(connection, run).matrix.times()}

    def test(self, run: int, test: int) -> dict[str, Any]:
        """One test with its text and all answers."""
        with store.open_to_read(self.path) as connection:
            found = one_test(connection, run, test)
        if found is None:
            raise NoSuchRunError
        return found

    def other_run(self, run: int, other: int) -> dict[str, Any]:
        """The cells of another run in the place of those of this one: of the same files and models."""
        with self._lock, store.open_to_read(self.path) as connection:
            here, there = (self._read_new_answers(connection, one).matrix for one in (run, other))
            place = {path: n for n, path in enumerate(_paths(connection, other))}
            columns = {name: n for n, (name, _) in enumerate(there.models)}
            cells, width = there.cells(), len(there.models)
            found = [
                cells[place[path] * width + columns[name]] if path in place and name in columns else "."
                for path in _paths(connection, run)
                for name, _ in here.models
            ]
            return {"cells": "".join(found)}

    def _read_new_answers(self, connection: sqlite3.Connection, run: int) -> _Read:
        """A run, with what was written since it was read."""
        row = connection.execute("SELECT started FROM run WHERE id = ?", (run,)).fetchone()
        if row is None:
            raise NoSuchRunError
        read = self._read.get(run)
        if read is None or read.started != row[0]:
            self._read[run] = read = _Read(row[0], Matrix(connection, run), [])
        read.changes += read.matrix.read_further(connection)
        return read


def _paths(connection: sqlite3.Connection, run: int) -> list[str]:
    rows = connection.execute("SELECT path FROM run_test WHERE run = ? ORDER BY place", (run,))
    return [path for (path,) in rows]
