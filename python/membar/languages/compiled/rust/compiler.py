"""Finds rustc, and compiles the crates that take the place of `std` with it."""

from __future__ import annotations

import os
from collections.abc import Mapping

from membar.diagnostics import Diagnostic, InputError
from membar.languages.compiled.cache import Cache, Dependencies, default_folder, key_of
from membar.languages.compiled.compiler import environment_of
from membar.languages.compiled.process import CompilerFailureError, run_compiler, scratch_folder
from membar.records import record
from membar.records.stored import state_of
from membar.source import SourceFile, pattern
from membar.text.file_paths import folder_of

OLDEST = (1, 79)
SHIM = f"{folder_of(__file__)}/shim"
MODULE = "std.ll"
_FLAGS = (
    "-Cpanic=unwind", "-Cdebuginfo=2", "-Ccodegen-units=1", "-Copt-level=2", "-Cno-prepopulate-passes",
    "-Coverflow-checks=on", "-Cdebug-assertions=off", "-Cembed-bitcode=no", "--cap-lints=allow",
    "-Zmir-opt-level=1", "-Zinline-mir=yes",
    "-Zmir-enable-passes=-CopyProp,-SimplifyLocals-before-const-prop,-SimplifyLocals-after-value-numbering,"
    "-SimplifyLocals-final",
)  # fmt: skip
"""Optimisation level 2 makes rustc write the bodies of all generic functions; no pass of LLVM is run. Of the
passes of rustc itself that this level adds only the inliner is kept: others merge two reads through one
reference. Passes that remove unused variables are switched off, as they also remove the reads of memory that
set them. Nobody follows what a panic unwinds, but rustc's test harness needs crates that do it."""
CRATES = ("std", "membar", "loom")
_VERSION = pattern(r"rustc (\d+)\.(\d+)\.(\d+)\S*")
_HOST = pattern(r"host: (\S+)")
_PATIENCE = 20.0
_WAY_OUT = "install Rust (rustup, or your system's package `rustc`), or name a compiler by --rustc"


@record(frozen=True, slots=True)
class Rustc:
    """A rustc that is at hand: how it is started, what it calls itself, and what it compiles for."""

    path: str
    title: str
    host: str

    @property
    def flags(self) -> tuple[str, ...]:
        """Options for every crate; a stable compiler still refuses unstable features of the language."""
        return _FLAGS if "nightly" in self.title else (*_FLAGS, "-Zallow-features=")


@record(frozen=True, slots=True)
class Shim:
    """The compiled crates, by the names of their files, and the LLVM IR of the one that is `std`."""

    crates: tuple[tuple[str, bytes], ...]
    module: str

    def written_to(self, folder: str) -> list[str]:
        """Options with which rustc takes these crates, which are written to a folder."""
        words = ["-L", f"dependency={folder}"]
        for name, content in self.crates:
            path = f"{folder}/lib{name}.rlib"
            with open(path, "wb") as file:  # noqa: PTH123 - without pathlib
                file.write(content)
            words += ["--extern", f"{name.removeprefix('membar_')}={path}"]
        return words


def find_rustc(chosen: str | None, environment: Mapping[str, str]) -> Rustc:
    """The compiler that reads Rust.

    Raises:
        InputError: there is none, or it cannot be used.
    """
    from shutil import which  # noqa: PLC0415 - only here

    named = chosen or environment.get("MEMBAR_RUSTC")
    path = which(named or "rustc")
    if path is None:
        option = "--rustc" if chosen else "MEMBAR_RUSTC"
        message = f"{option}: `{named}` is not a program that can be run" if named else "no rustc was found"
        raise InputError(
            Diagnostic(code="W1530", message=f"{message}: membar reads Rust with it", help=_WAY_OUT)
        )
    found = _identify(path)
    version = None if found is None else _VERSION.search(found.title)
    if found is None or version is None:
        raise InputError(Diagnostic(code="W1531", message=f"`{path}` is not rustc", help=_WAY_OUT))
    if (int(version[1]), int(version[2])) < OLDEST:
        message = (
            f"`{path}` is rustc {version[1]}.{version[2]}; membar needs {OLDEST[0]}.{OLDEST[1]} or newer"
        )
        raise InputError(Diagnostic(code="W1531", message=message, help=_WAY_OUT))
    return found


def _identify(path: str) -> Rustc | None:
    """What a program says that it is; the proxy of rustup is replaced by the compiler that it starts."""
    folder = default_folder(os.environ)
    cwd = os.getcwd()  # noqa: PTH109 - rustup chooses by folder
    key = key_of("rustc", path, cwd, os.environ.get("RUSTUP_TOOLCHAIN"))
    found = None if folder is None else Cache(folder).find(key, (__name__,))
    if isinstance(found, Rustc):
        return found
    said, root = _output(path, "-vV"), _output(path, "--print", "sysroot").strip()
    version, host = _VERSION.search(said), _HOST.search(said)
    if version is None or host is None:
        return None
    real = f"{root}/bin/rustc"
    found = Rustc(real if os.access(real, os.X_OK) else path, version[0], host[1])
    if folder is not None:
        home = os.environ.get("RUSTUP_HOME") or f"{os.environ.get('HOME', '')}/.rustup"
        Cache(folder).put(key, found, Dependencies(places=(path, found.path, f"{home}/settings.toml")))
    return found


def _output(*words: str) -> str:
    import subprocess  # noqa: PLC0415 - not if everything is in the cache

    try:
        done = subprocess.run(
            words,
            capture_output=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=_PATIENCE,
            env=environment_of(os.environ),
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return "" if done.returncode else done.stdout.decode("utf-8", errors="replace")


def compiled_shim(rustc: Rustc, *, uses_cache: bool = True) -> Shim:
    """The crates that take the place of `std`, compiled once for each version of rustc.

    Raises:
        InputError: this rustc cannot compile them.
    """
    folder = default_folder(os.environ) if uses_cache else None
    key = key_of("shim", rustc, rustc.flags, state_of(SHIM, (".rs",)))
    found = None if folder is None else Cache(folder).find(key, (__name__,))
    if not isinstance(found, Shim):
        found = _compile_shim(rustc)
        if folder is not None:
            Cache(folder).put(key, found, Dependencies(places=(rustc.path,)))
    return found


def _compile_shim(rustc: Rustc) -> Shim:
    crates: list[tuple[str, bytes]] = []
    with scratch_folder() as folder:
        for crate in CRATES:
            name = f"membar_{crate}" if crate == "std" else crate
            words = [rustc.path, *rustc.flags, "--edition=2021", "--crate-type=rlib", f"--crate-name={name}"]
            words += [f"--remap-path-prefix={SHIM}=/membar", f"--emit=link,llvm-ir={folder}/{crate}.ll"]
            # Symbols say for which types generic functions are.
            words += [f"--out-dir={folder}", "-Csymbol-mangling-version=v0"]
            if crates:
                words += ["-L", f"dependency={folder}", "--extern", f"std={folder}/lib{crates[0][0]}.rlib"]
            try:
                done = run_compiler([*words, f"{SHIM}/{crate}/lib.rs"])
            except CompilerFailureError as problem:
                raise _failure(rustc, str(problem)) from None
            if done.status:
                raise _failure(
                    rustc, done.messages.strip().splitlines()[0] if done.messages.strip() else "fails"
                )
            with open(f"{folder}/lib{name}.rlib", "rb") as file:  # noqa: PTH123
                crates.append((name, file.read()))
        return Shim(tuple(crates), SourceFile.read(f"{folder}/{MODULE}").text)


def _failure(rustc: Rustc, reason: str) -> InputError:
    message = f"{rustc.title} cannot compile membar's `std`: {reason}"
    return InputError(Diagnostic(code="W1532", message=message, help="name another compiler with --rustc"))
