"""Finds the compiler that reads C: clang 14 or newer, or the one inside the `ziglang` package."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from membar.diagnostics import Diagnostic, InputError, reason_of
from membar.languages.compiled.cache import Cache, default_folder, key_of
from membar.records import record
from membar.source import pattern
from membar.text.file_paths import absolute, folder_of, stem

OLDEST = 14
_NEWEST_TRIED = 40
_VERSION = pattern(r"clang version (?P<major>\d+)(?:\.\d+)*")
_NUMBER = pattern(r"(?:clang|llvm)-(?P<number>\d+)")
# What `-###` shows of a command: words in quotation marks.
_TRIPLE = pattern(r'"-triple" "([^"]+)"')
_HEADERS_AND_MACROS = pattern(r'"(-isystem|-D)" "([^"]+)"')
_SINGLE_WORDS = pattern(r'"(-mabi=[^"]+|-fno-spell-checking)"')
_PATIENCE = 20.0  # seconds for a compiler to answer
_WAY_OUT = "install clang (for example your system's package `clang`), or `pip install membar[clang]`"


class _StartError(Exception):
    """A program does not tell its version; the message says why."""


@record(frozen=True, slots=True)
class Compiler:
    """A compiler that is at hand.

    Attributes:
        command: how it is started.
        major: the version of clang.
        title: what it calls itself, for reports.
        is_zig: whether it is started through zig, which brings the headers of every target.
    """

    command: tuple[str, ...]
    major: int
    title: str
    is_zig: bool = False


def find_compilers(chosen: str | None, environment: Mapping[str, str]) -> Iterator[Compiler]:
    """The compilers to try, best first; a chosen one is the only one.

    Raises:
        InputError: the chosen one cannot be used, or there is none at all.
    """
    named = chosen or environment.get("MEMBAR_CLANG")
    if named:
        option = "--clang" if chosen else "MEMBAR_CLANG"
        yield _named_compiler(named, option)
        return
    is_found, failures = False, list[str]()
    for command in filter(None, _commands(environment)):
        found = _identify(command)
        if isinstance(found, str):
            failures.append(f"`{' '.join(command)}` {found}")
        elif found.major >= OLDEST:
            is_found = True
            yield found
    if not is_found:
        why = "; ".join(failures) or f"membar reads C with clang {OLDEST} or newer"
        message = f"no C compiler {'can be used' if failures else 'was found'}: {why}"
        help_ = "name another with `--clang` or MEMBAR_CLANG" if failures else _WAY_OUT
        raise InputError(Diagnostic(code="W1510", message=message, help=help_))


def _commands(environment: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """How compilers may be started, best first."""
    yield from _on_path(environment.get("PATH", os.defpath))
    yield _zig()


def _named_compiler(named: str, option: str) -> Compiler:
    from shutil import which  # noqa: PLC0415 - only here

    path = which(named)
    command: tuple[str, ...] = () if path is None else (path,)
    if path is not None and stem(path) == "zig":
        command = (path, "cc")
    elif path is None and named == "zig":
        command = _zig()  # the package's
    if not command:
        message = f"{option}: `{named}` is not a program that can be run"
        raise InputError(Diagnostic(code="W1510", message=message, help=_WAY_OUT))
    found = _identify(command)
    if isinstance(found, str):
        message = f"{option}: `{named}` {found}"
        raise InputError(Diagnostic(code="W1511", message=message, help=_WAY_OUT))
    if found.major < OLDEST:
        message = f"{option}: `{named}` is clang {found.major}; membar needs {OLDEST} or newer"
        raise InputError(Diagnostic(code="W1511", message=message, help=_WAY_OUT))
    return found


def _on_path(path: str) -> list[tuple[str, ...]]:
    """`clang` and `clang-N` on the path, the newest first, as far as their names say it.

    None of them is run before it is needed.
    """
    names = ["clang", *(f"clang-{number}" for number in range(_NEWEST_TRIED, OLDEST - 1, -1))]
    folders = path.split(os.pathsep)
    places = [place for name in names if (place := _program(name, folders))]
    return [(place,) for place in sorted(places, key=lambda place: -_number_in(place))]


def _number_in(place: str) -> int:
    """The version that the name of a program, or of what it links to, tells; the highest if none does."""
    found = _NUMBER.findall(f"{place} {os.path.realpath(place)}")
    return int(found[-1]) if found else _NEWEST_TRIED + 1


def _program(name: str, folders: Sequence[str]) -> str | None:
    """The first program with this name in some folders."""
    places = (os.path.join(folder, name) for folder in folders if folder and name in _programs(folder))  # noqa: PTH118
    return next((place for place in places if os.path.isfile(place) and os.access(place, os.X_OK)), None)  # noqa: PTH113


@cache
def _programs(folder: str) -> frozenset[str]:
    """Names in a folder that begin with `clang`."""
    try:
        return frozenset(name for name in os.listdir(folder) if name.startswith("clang"))  # noqa: PTH208
    except OSError:
        return frozenset()


def _zig() -> tuple[str, ...]:
    """The program inside the package, which starts faster than `python -m ziglang`."""
    from importlib.util import find_spec  # noqa: PLC0415 - most have clang

    spec = find_spec("ziglang")
    return () if spec is None or spec.origin is None else (f"{folder_of(spec.origin)}/zig", "cc")


@cache
def _identify(command: tuple[str, ...]) -> Compiler | str:
    """What a program says of itself, or why it cannot be used."""
    try:
        text = _answer(command, "--version")
    except _StartError as problem:
        return f"does not start: {problem}"
    found = _VERSION.search(text)
    if found is None:
        return "is not clang"
    is_zig = stem(command[0]).startswith("zig")
    title = text.splitlines()[0].strip()
    return Compiler(command, int(found["major"]), f"zig's {title}" if is_zig else title, is_zig)


def _answer(command: tuple[str, ...], *words: str) -> str:
    """What a program prints if it is asked with these words, which is kept until the program changes.

    Raises:
        _StartError: it fails.
    """
    folder, state = default_folder(os.environ), _state(command)
    if folder is None or state is None:
        return _ask(*command, *words)
    kept, key = Cache(folder), key_of(command, words, state)
    found = kept.find(key)
    if not isinstance(found, str):
        found = _ask(*command, *words)
        kept.put(key, found)
    return found


def _state(command: tuple[str, ...]) -> tuple[str, ...] | None:
    """What changes if a program is replaced by another; None if that cannot be told, as of a script."""
    place = os.path.realpath(command[0])
    try:
        with open(place, "rb") as file:  # noqa: PTH123
            is_script = file.read(2) == b"#!"
        state = os.stat(place)  # noqa: PTH116
    except OSError:
        return None
    return None if is_script else (place, str(state.st_mtime_ns), str(state.st_size))


def is_script(compiler: Compiler) -> bool:
    """Whether a compiler is started by a script, which does not tell if what it starts changes."""
    return _state(compiler.command) is None


def _ask(*command: str) -> str:
    import subprocess  # noqa: PLC0415 - once for each compiler

    from membar.languages.compiled.process import scratch_folder  # noqa: PLC0415 - it needs this module

    try:
        with scratch_folder() as scratch:
            done = subprocess.run(
                [absolute(command[0]), *command[1:]],
                cwd=scratch,  # zig names files below the folder in which it runs from there
                capture_output=True,
                check=False,
                stdin=subprocess.DEVNULL,
                timeout=_PATIENCE,
                env=with_caches_of_zig(environment_of(os.environ), scratch),
            )
    except subprocess.TimeoutExpired:
        raise _StartError(f"it did not answer within {_PATIENCE:g} s") from None
    except OSError as problem:
        raise _StartError(reason_of(problem)) from None
    if done.returncode:
        words = done.stderr.decode("utf-8", errors="replace").split("\n")
        raise _StartError(words[0].strip() or f"it ended with status {done.returncode}")
    return (done.stdout + done.stderr).decode("utf-8", errors="replace")


@cache
def words_of_zig(compiler: Compiler, language: str, target: str) -> tuple[str, ...]:
    """What zig tells the clang inside it about a target: its name, headers and macros.

    That clang starts in half the time of zig, which prepares a cache of objects first.

    Args:
        compiler: zig.
        language: the command of zig for the language.
        target: what zig calls it.

    Raises:
        InputError: it does not say.
    """
    command, options = compiler.command[0], ("-target", target, "-mcpu=baseline", "-fno-sanitize=all")
    try:
        text = _answer((command, language), *options, "-c", "-###", "-x", "c", os.devnull)
    except _StartError as problem:
        raise InputError(Diagnostic(code="W1511", message=f"`{command} {language}` {problem}")) from None
    line = text.splitlines()[-1]
    if (triple := _TRIPLE.search(line)) is None:
        message = f"`{command} {language}` does not tell how it compiles for {target}"
        raise InputError(Diagnostic(code="W1511", message=message))
    said = [word for pair in _HEADERS_AND_MACROS.findall(line) for word in pair]
    return (f"--target={triple[1]}", *said, *_SINGLE_WORDS.findall(line))


def with_caches_of_zig(environment: Mapping[str, str], folder: str) -> dict[str, str]:
    """An environment that names a folder for what zig keeps: there may be no home, or a read-only one."""
    return {"ZIG_GLOBAL_CACHE_DIR": folder, "ZIG_LOCAL_CACHE_DIR": folder, **environment}


FOR_EVERY_COMPILER: Mapping[str, str] = {"LC_ALL": "C", "RUSTC_BOOTSTRAP": "1"}
"""Plain messages; a stable rustc takes the options that say which of its own passes run."""


def environment_of(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment in which compilers run: plain messages, no options by way of variables."""
    kept = (
        "PATH",
        "HOME",
        "TMPDIR",
        "TEMP",
        "TMP",
        "SYSTEMROOT",
        "ZIG_GLOBAL_CACHE_DIR",
        "ZIG_LOCAL_CACHE_DIR",
        "RUSTUP_HOME",
        "RUSTUP_TOOLCHAIN",
        "CARGO_HOME",
    )
    return {**{name: environment[name] for name in kept if name in environment}, **FOR_EVERY_COMPILER}
