"""Options of a file from `compile_commands.json`: only those that say how its text is to be read.

The compiler that it names is never run, and no word of it reaches ours that is not on the list below.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from membar.diagnostics import Diagnostic, InputError
from membar.languages.compiled.driver import CompileOptions
from membar.records import record

NAME = "compile_commands.json"
BAD = "W1517"
_FOLDERS = ("-I", "-isystem", "-iquote")
_WITH_VALUE = (*_FOLDERS, "-D", "-U", "-include")
_HARMLESS = frozenset(
    {
        "-fcommon", "-fno-common", "-fms-extensions", "-fshort-enums", "-fno-short-enums",
        "-funsigned-char", "-fsigned-char", "-fno-signed-char", "-fno-unsigned-char", "-fwrapv", "-fno-wrapv",
        "-fgnu89-inline", "-fno-gnu89-inline", "-fno-strict-aliasing", "-fstrict-aliasing", "-fno-builtin",
        "-ffreestanding", "-fhosted", "-mcx16", "-pthread",
    }
)  # fmt: skip
_DATA_MODELS = {"-m32": "ILP32", "-m64": "LP64"}
_LARGEST = 64 * 1024 * 1024


@record(frozen=True, slots=True, kw_only=True)
class RecordedOptions:
    """What a build recorded about a file.

    Attributes:
        options: what is taken over.
        data_model: `ILP32` or `LP64`, if it says so.
        ignored: words that are not taken over, for `-v`.
    """

    options: CompileOptions
    data_model: str | None = None
    ignored: tuple[str, ...] = ()


def recorded_options(folder: str, file: str) -> RecordedOptions:
    """The options that a build recorded for a file.

    Raises:
        InputError: there is no such record, or it cannot be read.
    """
    path = Path(folder, NAME)
    wanted = Path(file).resolve()
    for entry in _entries(path):
        directory = Path(path.parent, str(entry.get("directory", "."))).resolve()
        named = entry.get("file")
        if isinstance(named, str) and Path(directory, named).resolve() == wanted:
            return _read(_words(path, entry), directory)
    raise _error(f"{path} has no entry for {file}")


def unknown_words(words: Sequence[str]) -> tuple[str, ...]:
    """The options of a compiler that are not known to do no more than to say how a text is read."""
    return _read(list(words), Path.cwd()).ignored


def _entries(path: Path) -> Iterator[dict[str, object]]:
    try:
        if path.stat().st_size > _LARGEST:
            raise _error(f"{path} is too large")
        found = json.loads(path.read_bytes())
    except OSError as problem:
        raise _error(f"{path}: {problem.strerror}") from None
    except (ValueError, RecursionError):
        raise _error(f"{path} is not JSON") from None
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise _error(f"{path} is not a list of entries")
    yield from found


def _words(path: Path, entry: dict[str, object]) -> list[str]:
    """The words of a command behind the name of the compiler."""
    arguments, command = entry.get("arguments"), entry.get("command")
    if isinstance(arguments, list) and all(isinstance(item, str) for item in arguments):
        return [str(item) for item in arguments][1:]
    if not isinstance(command, str):
        raise _error(f"{path}: an entry has neither `arguments` nor a `command`")
    try:
        return shlex.split(command)[1:]
    except ValueError as problem:
        raise _error(f"{path}: a command cannot be read: {problem}") from None


def _read(words: Sequence[str], directory: Path) -> RecordedOptions:
    taken: dict[str, list[str]] = {name: [] for name in _WITH_VALUE}
    others: list[str] = []
    ignored: list[str] = []
    standard = data_model = None
    rest = iter(words)
    for word in rest:
        name = next(
            (item for item in sorted(_WITH_VALUE, key=len, reverse=True) if word.startswith(item)), None
        )
        if name is not None:
            value = word[len(name) :] or next(rest, "")
            taken[name].append(value)
        elif word.startswith("-std="):
            standard = word.removeprefix("-std=")
        elif word in _DATA_MODELS:
            data_model = _DATA_MODELS[word]
        elif word in _HARMLESS:
            others.append(word)
        else:
            ignored.append(word)
    folders = {
        name: tuple(str(directory / item) for item in taken[name]) for name in ("-I", "-isystem", "-iquote")
    }
    options = CompileOptions(
        include_dirs=folders["-I"],
        quote_dirs=folders["-iquote"],
        system_dirs=folders["-isystem"],
        defines=tuple(taken["-D"]),
        undefines=tuple(taken["-U"]),
        standard=standard,
        includes=tuple(_file_to_include(item, directory) for item in taken["-include"]),
        others=tuple(others),
    )
    return RecordedOptions(options=options, data_model=data_model, ignored=tuple(ignored))


def _file_to_include(name: str, directory: Path) -> str:
    """A file for `-include`: beside the build if it is there, else wherever the compiler finds it."""
    return str(directory / name) if (directory / name).is_file() else name


def _error(message: str) -> InputError:
    help_text = "write it with your build tool, such as `cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON`"
    return InputError(Diagnostic(code=BAD, message=message, help=help_text))
