"""Compiles C to LLVM IR: which options the compiler gets, how it is run, and what its messages mean.

The text is compiled strictly first. If that fails only because of habits that gcc allows, it is compiled
again with these allowed, and each of them is reported. Some are never allowed, because the result would not
be the program that was written: calls of undeclared functions, and conversions between pointers and narrower
integers. A memory ordering that is invalid for its operation is an error too: clang drops such an access.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from membar.diagnostics import Diagnostic, InputError
from membar.languages.compiled.compiler import Compiler, environment_of
from membar.languages.compiled.messages import Message, diagnose, read_messages
from membar.languages.compiled.target import Target
from membar.records import record
from membar.source import SourceFile

HEADERS = Path(__file__).parent / "headers"
LARGEST_OUTPUT = 256 * 1024 * 1024
_PATIENCE = 600.0  # seconds, where no limit is given

_UNOPTIMISED = ("-S", "-emit-llvm", "-g", "-O0", "-Xclang", "-disable-llvm-passes")
# The sanitizer is not run: its flags make clang mark where the lifetime of each variable begins and ends.
_LIFETIMES = ("-Xclang", "-fsanitize=address", "-Xclang", "-fsanitize-address-use-after-scope")
_FINDINGS = ("integer-overflow", "shift-count-overflow", "shift-count-negative", "division-by-zero")
_INVALID_ORDER = "atomic-memory-ordering"
_WARNINGS = (_INVALID_ORDER, "user-defined-warnings", *_FINDINGS)
# What gcc lets pass. In a strict compilation these are errors.
_HABITS = (
    "incompatible-pointer-types", "pointer-type-mismatch", "duplicate-decl-specifier", "int-conversion",
    "implicit-int", "incompatible-function-pointer-types", "return-mismatch", "deprecated-non-prototype",
)  # fmt: skip
_NEVER = ("implicit-function-declaration", "int-to-pointer-cast", "pointer-to-int-cast", "return-type")
_INCLUDED = re.compile(r"^\.+ (.+)$", re.MULTILINE)
_WIDE = re.compile(r"\b(?:unsigned )?long\b|\bu?intptr_t\b|\bs?size_t\b|\bu?int64_t\b|\bptrdiff_t\b")


@record(frozen=True, slots=True, kw_only=True)
class CompileOptions:
    """What the user says about a compilation.

    Attributes:
        include_dirs: `-I`.
        defines: `-D`, each `NAME` or `NAME=VALUE`.
        undefines: `-U`.
        standard: `--std`, such as `gnu17`.
        includes: `-include`.
        others: further options, as they are.
    """

    include_dirs: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    standard: str | None = None
    includes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


@record(frozen=True, slots=True, kw_only=True)
class Compilation:
    """What a compiler made of a file.

    Attributes:
        module: the LLVM IR.
        compiler: which one.
        target: for which processor.
        command: a command that makes the same text again.
        warnings: what the user should know: habits that were allowed, and findings of the compiler.
        files: the files that were read, the user's first.
    """

    module: SourceFile
    compiler: Compiler
    target: Target
    command: tuple[str, ...]
    warnings: tuple[Diagnostic, ...] = ()
    files: tuple[str, ...] = ()


def compile_file(
    path: str, *, compiler: Compiler, target: Target, options: CompileOptions, seconds: float | None = None
) -> Compilation:
    """The LLVM IR of a C file.

    Raises:
        InputError: the compiler refuses the file, cannot be run, or takes too long.
    """
    with tempfile.TemporaryDirectory(prefix="membar-") as folder:
        output = Path(folder, "module.ll")
        limit = _PATIENCE if seconds is None else seconds
        job = _Job(path, compiler, target, options, output, limit)
        messages, failed = job.run(strict=True)
        allowed: tuple[Message, ...] = ()
        if failed:
            habits = tuple(item for item in messages if item.kind == "error" and _is_habit(item))
            if habits and len(habits) == sum(item.kind == "error" for item in messages):
                allowed = habits
                messages, failed = job.run(strict=False)
        job.refuse_errors(messages, failed=failed)
        text = output.read_bytes().decode("utf-8", errors="replace")
    readable = ReadableFiles(path, options.include_dirs)
    notes = [diagnose(item, "W1514", readable) for item in allowed]
    notes += [diagnose(item, "W1515", readable) for item in messages if item.flag != _INVALID_ORDER]
    return Compilation(
        module=SourceFile(str(Path(path).with_suffix(".ll").name), text),
        compiler=compiler,
        target=target,
        command=job.command(strict=not allowed, output=Path(path).stem + ".ll"),
        warnings=tuple(notes),
        files=(path, *job.included),
    )


def _is_habit(message: Message) -> bool:
    """Whether gcc lets this pass, and the program that comes out is the one that was meant."""
    if message.flag not in _HABITS:
        return False
    return message.flag != "int-conversion" or _WIDE.search(message.text) is not None


class ReadableFiles:
    """The files whose text messages may show: the program's own folder, and folders that the user named."""

    def __init__(self, path: str, folders: Iterable[str]) -> None:
        self._folders = [Path(path).resolve().parent, *(Path(folder).resolve() for folder in folders)]

    def __call__(self, file: str) -> SourceFile | None:
        """The file with this name; None if its text may not be shown, or cannot be read."""
        place = Path(file).resolve()
        if not any(place.is_relative_to(folder) for folder in self._folders):
            return None
        with suppress(OSError):
            return SourceFile.read(file)
        return None


@record(eq=False)
class _Job:
    path: str
    compiler: Compiler
    target: Target
    options: CompileOptions
    output: Path
    seconds: float
    included: tuple[str, ...] = ()

    def command(self, *, strict: bool, output: str) -> tuple[str, ...]:
        """The command line of the compiler."""
        options = self.options
        words = [*self.compiler.command]
        if self.compiler.is_zig:
            words += ["-target", self.target.zig, "-mcpu=baseline", "-fno-sanitize=all", "-x", "c"]
        else:
            words.append(f"--target={self.target.triple}")
        words += [*_UNOPTIMISED, *_LIFETIMES, *self.target.flags]
        words += [] if options.standard is None else [f"-std={options.standard}"]
        for folder in (*options.include_dirs, str(HEADERS)):  # the program's own headers win
            words += ["-I", folder]
        words += ["-include", str(HEADERS / "membar_builtins.h"), "-D_GNU_SOURCE"]
        words += [f"-D{item}" for item in options.defines] + [f"-U{item}" for item in options.undefines]
        for file in options.includes:
            words += ["-include", file]
        words += ["-Wno-everything", *(f"-W{name}" for name in _WARNINGS)]
        words += [f"-Werror={name}" for name in (*_NEVER, *(_HABITS if strict else ()))]
        words += ["-fno-color-diagnostics", "-fno-caret-diagnostics", "-ferror-limit=50"]
        path = f"./{self.path}" if self.path.startswith("-") else self.path
        return (*words, *options.others, "-o", output, path)

    def run(self, *, strict: bool) -> tuple[tuple[Message, ...], bool]:
        """The compiler's messages, and whether it failed."""
        words = self.command(strict=strict, output=str(self.output))
        try:
            done = subprocess.run(
                [*words, "-H"],  # names the included files
                capture_output=True,
                check=False,
                stdin=subprocess.DEVNULL,
                timeout=self.seconds,
                env=environment_of(os.environ),
                preexec_fn=_limit_output,
            )
        except subprocess.TimeoutExpired:
            raise self._failure(f"did not finish within {self.seconds:g} s") from None
        except OSError as problem:
            raise self._failure(f"cannot be run: {problem.strerror}") from None
        text = done.stderr.decode("utf-8", errors="replace")
        self.included = tuple(dict.fromkeys(_INCLUDED.findall(text)))
        messages = read_messages(text)
        if done.returncode and not any(item.kind == "error" for item in messages):
            raise self._failure(_last_words(text) or f"failed with exit status {done.returncode}")
        return messages, done.returncode != 0

    def refuse_errors(self, messages: Sequence[Message], *, failed: bool) -> None:
        """Raises what the compiler, or the loss of an access, makes impossible to go on with."""
        errors = [item for item in messages if item.kind == "error"]
        lost = [item for item in messages if item.flag == _INVALID_ORDER and item.kind == "warning"]
        readable = ReadableFiles(self.path, self.options.include_dirs)
        found = [diagnose(item, "W1512", readable) for item in errors]
        found += [diagnose(item, "W1513", readable) for item in lost]
        if found:
            raise InputError(*found)
        if failed:
            raise self._failure("failed without a message")

    def _failure(self, what: str) -> InputError:
        message = f"{self.path}: the compiler ({self.compiler.title}) {what}"
        return InputError(Diagnostic(code="W1516", message=message, help="--clang PATH names another one"))


def _limit_output() -> None:
    """Keeps a compiler that went wild from filling the disk."""
    import resource  # noqa: PLC0415 - in the child only

    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_OUTPUT, LARGEST_OUTPUT))


def _last_words(text: str) -> str:
    """The line in which a compiler that has no place to point at says what is wrong."""
    for line in text.splitlines():
        found = re.search(r"error: (?P<text>.+)", line)
        if found is not None:
            return f"says: {found['text']}"
    return ""
