"""The command does without `typing`, and whoever needs the real module gets it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
_HEAD = "import sys, membar.__main__; stand_in = sys.modules['typing']; "


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize(
    "name", ["litmus/store-buffering.litmus", "c/peterson.c", "dve/peterson.dve", "xcfa/peterson.xcfa"]
)
def test_a_check_does_without_typing(name: str) -> None:
    check = f"membar.cli.command.main(['check', {str(EXAMPLES / name)!r}, '--no-cache']); "
    asked = "print('typing.re' in sys.modules, sys.modules['typing'] is stand_in)"
    code = f"{_HEAD}import membar.cli.command; {check}{asked}"
    if not name.endswith(".c"):
        code = code.replace(", '--no-cache'", "")
    assert _run(code).splitlines()[-1] == "False True"


def test_names_that_it_lacks_are_those_of_the_real_module() -> None:
    code = (
        f"{_HEAD}from typing import Literal, get_args; import typing; "
        "print(get_args(Literal[1]), typing is stand_in, typing.Any is stand_in.Any)"
    )
    assert _run(code) == "(1,) False True\n"


def test_a_module_that_was_imported_stays() -> None:
    code = "import typing, membar.__main__, sys; print(sys.modules['typing'] is typing, typing.get_args)"
    assert _run(code).startswith("True <function")
