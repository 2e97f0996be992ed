"""Results of campaigns in a file: a SQLite database, written by `membar litmus --store`.

One process writes; others may read meanwhile (WAL). docs/reference/store.md describes the tables. Committed
answers survive the process, however it ends.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

from membar.diagnostics import InputError, refusal

SCHEMA_VERSION: Final = 2
# "mbar" in the header of the file.
APPLICATION: Final = 0x6D626172
_WAIT: Final = 10.0  # seconds for another connection that is just writing
_HANDOVER: Final = 2.0  # seconds in which the workers of a writer that was killed end
_SCHEMA: Final = f"""
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  plan BLOB NOT NULL UNIQUE,
  version TEXT NOT NULL,
  build TEXT NOT NULL,
  command TEXT NOT NULL,
  started TEXT NOT NULL,
  ended TEXT,
  state TEXT NOT NULL
) STRICT;
CREATE TABLE run_model (
  run INTEGER NOT NULL REFERENCES run,
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  title TEXT NOT NULL,
  digest TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE text (
  id INTEGER PRIMARY KEY,
  digest BLOB NOT NULL UNIQUE,
  content TEXT NOT NULL
) STRICT;
CREATE TABLE run_test (
  run INTEGER NOT NULL REFERENCES run,
  place INTEGER NOT NULL,
  path TEXT NOT NULL,
  name TEXT NOT NULL,
  language TEXT NOT NULL,
  text INTEGER REFERENCES text,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE answer (
  id INTEGER PRIMARY KEY,
  key BLOB UNIQUE,
  name TEXT NOT NULL,
  model TEXT NOT NULL,
  verdict TEXT NOT NULL,
  allowed INTEGER,
  holds INTEGER,
  undefined INTEGER NOT NULL,
  final_states INTEGER NOT NULL,
  states TEXT NOT NULL,
  reason TEXT NOT NULL,
  texts TEXT NOT NULL,
  seconds REAL NOT NULL,
  answered TEXT NOT NULL
) STRICT;
CREATE TABLE cell (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run INTEGER NOT NULL REFERENCES run,
  test INTEGER NOT NULL,
  model INTEGER NOT NULL,
  answer INTEGER NOT NULL REFERENCES answer,
  differs TEXT,
  UNIQUE (run, test, model)
) STRICT;
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {SCHEMA_VERSION};
"""


@contextmanager
def open_to_write(path: Path) -> Iterator[sqlite3.Connection]:
    """The store at `path`, created if there is none; it is locked against other writers.

    Raises:
        InputError: it cannot be written, or is no store of this version.
    """
    with _errors(path), _locked(path), closing(_connect(f"file:{quote(str(path))}")) as connection:
        _check(path, connection, is_new_allowed=True)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        if not connection.execute("PRAGMA user_version").fetchone()[0]:
            connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")
        yield connection


@contextmanager
def open_to_read(path: Path) -> Iterator[sqlite3.Connection]:
    """The store at `path`, which another process may be writing.

    Raises:
        InputError: it cannot be read, or is no store of this version.
    """
    with _errors(path):
        try:
            path.stat()
        except OSError as problem:
            raise refusal("W0453", f"cannot open the store `{path}`: {problem.strerror}") from None
        with closing(_connect(_read_only(path))) as connection:
            _check(path, connection)
            connection.execute("PRAGMA query_only = ON")
            yield connection


def _read_only(path: Path) -> str:
    """The address of a file to read; in a folder that is not writable nothing writes it either."""
    is_still = not os.access(path.parent, os.W_OK) and not Path(f"{path}-wal").exists()
    return f"file:{quote(str(path))}?{'immutable=1' if is_still else 'mode=ro'}"


def _connect(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True, timeout=_WAIT, isolation_level=None)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _check(path: Path, connection: sqlite3.Connection, *, is_new_allowed: bool = False) -> None:
    """Refuses a database that is not a store of this version."""
    application, version, tables = (
        connection.execute(text).fetchone()[0]
        for text in ("PRAGMA application_id", "PRAGMA user_version", "SELECT count(*) FROM sqlite_master")
    )
    if is_new_allowed and not (application or version or tables):
        return
    if application != APPLICATION:
        raise _no_store(path)
    if version != SCHEMA_VERSION:
        raise refusal(
            "W0454",
            f"the store `{path}` has schema version {version}; this membar reads version {SCHEMA_VERSION}",
            help="write a new store, or use the version of membar that wrote this one",
        )


def _no_store(path: Path) -> InputError:
    return refusal(
        "W0453",
        f"`{path}` is not a store of results",
        help="`membar litmus DIR --store FILE` writes one; it does not write over other files",
    )


@contextmanager
def _errors(path: Path) -> Iterator[None]:
    """Turns errors of SQLite into one sentence about the file."""
    try:
        yield
    except sqlite3.Error as problem:
        name = getattr(problem, "sqlite_errorname", "")
        if name.startswith(("SQLITE_NOTADB", "SQLITE_CORRUPT")):
            raise _no_store(path) from None
        help_ = "what was stored before is kept" if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")) else None
        raise refusal("W0453", f"cannot use the store `{path}`: {problem}", help=help_) from None


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Keeps other writers out; the lock ends with this process and the workers that it has started.

    It is on a file of its own: closing any descriptor of the database would release the locks of SQLite.
    """
    try:
        path.open("ab").close()
        lock = _take_lock(path)
    except OSError as problem:
        raise refusal("W0453", f"cannot write the store `{path}`: {problem.strerror}") from None
    try:
        yield
    finally:
        with suppress(OSError):
            if path.stat().st_size == 0:  # nothing was written
                path.unlink()
        with suppress(OSError):
            _lock_path(path).unlink()
        os.close(lock)


def _take_lock(path: Path) -> int:
    """The lock of the writer of a store, as an open file."""
    end = time.monotonic() + _HANDOVER
    while True:
        lock = os.open(_lock_path(path), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_still_there(lock, _lock_path(path)):
                return lock
        except BlockingIOError:
            if time.monotonic() > end:
                os.close(lock)
                raise refusal(
                    "W0455",
                    f"another `membar litmus --store` is writing `{path}`",
                    help="wait until it has finished, or name another file",
                ) from None
            time.sleep(0.05)
        except BaseException:
            os.close(lock)
            raise
        os.close(lock)


def _is_still_there(descriptor: int, path: Path) -> bool:
    """Whether an open file is the one at `path`: the previous holder of the lock may have removed it."""
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _lock_path(path: Path) -> Path:
    return Path(f"{path}-lock")


def has_writer(connection: sqlite3.Connection) -> bool:
    """Whether a process is writing the store of a connection at this moment."""
    path = connection.execute("PRAGMA database_list").fetchone()[2]
    try:
        lock = os.open(_lock_path(Path(path)), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:  # whoever has written has removed it
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False
