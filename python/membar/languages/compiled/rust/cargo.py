"""Compiles a Cargo package, with what it depends on, to LLVM IR.

Build scripts and procedural macros are programs that run then: the user must allow it. Nothing is fetched, no
shell is started, and nothing is linked.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from membar.diagnostics import Diagnostic, InputError
from membar.languages.compiled.cache import Cached
from membar.languages.compiled.process import CompilerFailureError, run_compiler, scratch_folder
from membar.languages.compiled.rust.compiler import FLAGS, Rustc, Shim
from membar.paths import absolute, folder_of
from membar.source import SourceFile

_DEPENDENCIES = "deps"


def compile_package(
    manifest: str,
    rustc: Rustc,
    shim: Shim,
    *,
    program: str | None,
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
        features: of the package.
        words: further options of rustc.
        seconds: for the whole build.

    Raises:
        InputError: cargo is missing, or cannot build the package.
    """
    with scratch_folder() as folder:
        flags = [*FLAGS, *words, "--cfg=membar", "--emit=llvm-ir", "-Clinker=true"]
        flags += shim.written_to(folder)
        command = [
            _find_cargo(rustc), "build", "--offline", "--quiet", "--message-format=short",
            f"--manifest-path={absolute(manifest)}", f"--target={rustc.host}",
            f"--target-dir={folder}/target",
            f"--config=build.rustc={_as_toml_string(rustc.path)}",
            f"--config=build.rustflags=[{', '.join(map(_as_toml_string, flags))}]",
            "--config=build.incremental=false",
        ]  # fmt: skip
        command += [] if program is None else [f"--bin={program}"]
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
    return texts, Cached("", (done.messages,), (manifest,))


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
