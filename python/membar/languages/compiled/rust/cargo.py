"""Compiles a Cargo package, with what it depends on, to LLVM IR.

Build scripts and procedural macros are programs that run then: the user must allow it. Nothing is fetched, no
shell is started, and nothing is linked.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from contextlib import suppress

from membar.diagnostics import Diagnostic, InputError
from membar.languages.compiled.cache import Cached
from membar.languages.compiled.process import CompilerFailureError, run_compiler, scratch_folder
from membar.languages.compiled.rust.compiler import Rustc, Shim
from membar.languages.compiled.rust.harness import is_program
from membar.source import SourceFile, pattern
from membar.text.file_paths import absolute, folder_of

_DEPENDENCIES = "deps"


def compile_package(
    manifest: str,
    rustc: Rustc,
    shim: Shim,
    *,
    program: str | None,
    test: str | None,
    features: Sequence[str],
    words: Sequence[str],
    seconds: float | None,
) -> tuple[tuple[str, ...], Cached]:
    """The LLVM IR of all crates of a package and of what it depends on, and what cargo said.

    Args:
        manifest: the path of its `Cargo.toml`.
        rustc: the compiler.
        shim: membar's crates.
        program: the name of the binary; None: its only one.
        test: the test that is asked about, if not a program; with `program`, one of that program.
        features: of the package.
        words: further options of rustc.
        seconds: for the whole build.

    Raises:
        InputError: cargo is missing, or cannot build the package.
    """
    with scratch_folder() as folder:
        flags = [*rustc.flags, *words, "--cfg=membar", "--emit=llvm-ir", "-Clinker=true"]
        flags += shim.written_to(folder)
        command = [
            _find_cargo(rustc), *(("build",) if test is None else ("test", "--no-run")),
            "--offline", "--quiet", "--message-format=short",
            f"--manifest-path={absolute(manifest)}", f"--target={rustc.host}",
            f"--target-dir={folder}/target",
            f"--config=build.rustc={_as_toml_string(rustc.path)}",
            f"--config=build.rustflags=[{', '.join(map(_as_toml_string, flags))}]",
            "--config=build.incremental=false",
        ]  # fmt: skip
        command += (
            [f"--bin={program}"]
            if program is not None
            else []
            if test is None
            else _target_of(manifest, test)
        )
        command += [f"--features={','.join(features)}"] if features else []
        try:
            done = run_compiler(command, seconds=seconds)
        except CompilerFailureError as problem:
            raise _failure(manifest, str(problem)) from None
        if done.status:
            return (), Cached("", (done.messages,), (manifest,))
        place = f"{folder}/target/{rustc.host}/debug/{_DEPENDENCIES}"
        names = sorted(entry.name for entry in os.scandir(place) if entry.name.endswith(".ll"))
        texts = tuple(SourceFile.read(f"{place}/{name}").text for name in names)
        if test is None:
            programs = {
                name.rpartition("-")[0] for name, text in zip(names, texts, strict=True) if is_program(text)
            }
            _refuse_several(manifest, folder_of(place), programs)
    return texts, Cached("", (done.messages,), (manifest,))


def _refuse_several(manifest: str, folder: str, crates: Collection[str]) -> None:
    """Refuses a package with several programs, one for each of `crates`; `.d` files are named after them."""
    if len(crates) > 1:
        found = (entry.name.removesuffix(".d") for entry in os.scandir(folder) if entry.name.endswith(".d"))
        names = sorted(name for name in found if name.replace("-", "_") in crates)
        message = f"{manifest}: the package has several programs: {', '.join(names)}"
        raise InputError(Diagnostic(code="W1535", message=message, help="choose one: --bin NAME"))


def source_files(manifest: str) -> list[str]:
    """The files of a package that may have tests."""
    folder = folder_of(absolute(manifest))
    return [
        f"{place}/{name}"
        for part in ("src", "tests")
        for place, _, names in os.walk(f"{folder}/{part}")
        for name in sorted(names)
        if name.endswith(".rs")
    ]


def _target_of(manifest: str, test: str) -> list[str]:
    """Options that choose the crates that may have the test: all, if the text shows it nowhere."""
    folder, (*path, name) = folder_of(absolute(manifest)), test.split("::")
    is_there = pattern(rf"\bfn\s+{re.escape(name)}\b")
    found = set()
    for file in source_files(manifest):
        part, *below = file.removeprefix(f"{folder}/").removesuffix(".rs").split("/")
        with suppress(OSError):
            if is_there.search(SourceFile.read(file).text):
                crate = f"--test={below[0]}" if part == "tests" else "--lib"
                found.add(f"--bin={below[1]}" if below[:1] == ["bin"] and part == "src" else crate)
    if not os.access(f"{folder}/src/lib.rs", os.R_OK):
        found = {"--bins" if each == "--lib" else each for each in found}
    named = {each for each in found if path and each.endswith(f"={path[0]}")}
    return sorted(named or found)


def _as_toml_string(text: str) -> str:
    """A string of TOML."""
    import json  # noqa: PLC0415 - only here

    return json.dumps(text)


def _find_cargo(rustc: Rustc) -> str:
    from shutil import which  # noqa: PLC0415 - only here

    beside = f"{folder_of(rustc.path)}/cargo"
    found = beside if os.access(beside, os.X_OK) else which("cargo")
    if found is None:
        message = "no cargo was found: membar builds packages of Rust with it"
        raise InputError(Diagnostic(code="W1530", message=message, help="install it beside rustc"))
    return found


def _failure(manifest: str, reason: str) -> InputError:
    return InputError(Diagnostic(code="W1515", message=f"{manifest}: cargo {reason}"))
