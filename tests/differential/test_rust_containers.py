"""The containers of membar's `std` do what the real ones do, called at random in a compiled program."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from membar.languages.compiled.rust.compiler import SHIM

ROUNDS = 20_000


@pytest.mark.full
@pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed")
def test_the_containers_do_what_those_of_rust_do(tmp_path: Path) -> None:
    shutil.copy(Path(__file__).with_name("rust_containers.rs"), tmp_path / "main.rs")
    shutil.copy(f"{SHIM}/std/collections.rs", tmp_path)
    shutil.copytree(f"{SHIM}/std/collections", tmp_path / "collections")
    program = tmp_path / "main"
    words = [
        "rustc",
        "-O",
        "--edition=2021",
        "--cap-lints=allow",
        "-o",
        str(program),
        str(tmp_path / "main.rs"),
    ]
    subprocess.run(words, check=True)
    done = subprocess.run([str(program), str(ROUNDS)], check=True, capture_output=True, text=True)
    assert int(done.stdout.split()[0]) > 3 * ROUNDS
