"""Specifications of users that cannot be trusted: they end, and depend on nothing but their state."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from membar.cli import command as cli
from membar.diagnostics import InputError
from membar.objects import spec

HEAD = "import datetime, itertools, random, time\nclass S:\n    def read(self):\n        "
ENDLESS = {
    "a loop": ("while True:\n            pass", 5),
    "a loop in one line": ("while True: pass", 4),
    "a generator": ("return int(any(False for _ in itertools.count()))", 4),
    "a loop that catches": (
        "while True:\n            try:\n                x = 1\n"
        "            except Exception:\n                pass",
        6,
    ),
}
CHANGING = {
    "random numbers": ("return random.randint(0, 1)", "getrandbits"),
    "the clock": ("return int(time.time()) % 2", "`time`"),
    "the date": ("return datetime.datetime.now().year", "datetime.now"),
    "its own random numbers": ("return random.Random().randint(0, 10**9)", "twice in the same state"),
    "an address": ("return id(self)", "twice in the same state"),
}


def loaded(folder: Path, text: str) -> spec.Specification:
    (folder / "s.py").write_text(text)
    return spec.load(f"{folder}/s.py:S")


@pytest.mark.parametrize("name", ENDLESS)
def test_a_method_without_an_end_is_stopped(name: str, tmp_path: Path) -> None:
    body, line = ENDLESS[name]
    found = loaded(tmp_path, HEAD + body + "\n")
    with pytest.raises(InputError) as problem:
        found.step(found.initial, "read", ())
    first = problem.value.diagnostics[0]
    assert first.code == "W1350"
    assert "in read(): it does not terminate" in first.message
    assert int(first.message.rpartition("line ")[2]) in range(line - 1, line + 2)


@pytest.mark.parametrize(
    "text", ["while True: pass\n", "class S:\n    def __init__(self):\n        while 1: pass\n"]
)
def test_a_file_without_an_end_is_stopped(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as problem:
        loaded(tmp_path, text)
    assert problem.value.diagnostics[0].code == "W1349"
    assert "does not terminate" in problem.value.diagnostics[0].message


@pytest.mark.parametrize("name", CHANGING)
def test_what_differs_from_call_to_call_is_refused(name: str, tmp_path: Path) -> None:
    body, said = CHANGING[name]
    found = loaded(tmp_path, HEAD + body + "\n")
    with pytest.raises(InputError) as problem:
        found.step(found.initial, "read", ())
    first = problem.value.diagnostics[0]
    assert first.code == "W1350"
    assert said in first.message


def test_states_that_differ_are_noticed(tmp_path: Path) -> None:
    found = loaded(tmp_path, HEAD + "self.v = id(self)\n")
    with pytest.raises(InputError) as problem:
        found.step(found.initial, "read", ())
    assert "leads to two different states" in problem.value.diagnostics[0].message


def test_random_numbers_of_a_seed_in_the_instance_are_a_state(tmp_path: Path) -> None:
    text = (
        "import random\nclass S:\n    def __init__(self): self.seed = 5\n"
        "    def read(self):\n        self.seed = random.Random(self.seed).randint(0, 9)\n"
        "        return self.seed\n"
    )
    found = loaded(tmp_path, text)
    assert found.step(found.initial, "read", ()) is not None


LEAVING = {
    "exit": ("sys.exit(0)", "raises SystemExit (line 4)"),
    "quit": ("raise SystemExit(7)", "raises SystemExit (line 4)"),
    "interrupt": ("raise KeyboardInterrupt", "raises KeyboardInterrupt (line 4)"),
    "own": ("raise type('E', (BaseException,), {})", "raises E (line 4)"),
    "at once": ("os._exit(0)", "calls `os._exit` (line 4)"),
    "caught": (
        "\n        try:\n            sys.exit(0)\n        except Exception:\n            pass",
        "SystemExit",
    ),
}


@pytest.mark.parametrize("name", LEAVING)
def test_a_method_does_not_end_membar(name: str, tmp_path: Path) -> None:
    body, said = LEAVING[name]
    found = loaded(tmp_path, f"import os, sys\nclass S:\n    def read(self):\n        {body}\n")
    with pytest.raises(InputError) as problem:
        found.step(found.initial, "read", ())
    assert problem.value.diagnostics[0].code == "W1350"
    assert said in problem.value.diagnostics[0].message


@pytest.mark.parametrize(
    "text",
    ["import sys\nsys.exit(0)\n", "raise KeyboardInterrupt\n", "class S:\n    def __init__(self): exit()\n"],
)
def test_a_file_does_not_end_membar(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as problem:
        loaded(tmp_path, text)
    assert problem.value.diagnostics[0].code == "W1349"


def test_an_interrupt_from_the_keyboard_is_one(tmp_path: Path) -> None:
    text = "import signal\nclass S:\n    def read(self):\n        signal.raise_signal(signal.SIGINT)\n"
    found = loaded(tmp_path, text)
    with pytest.raises(KeyboardInterrupt):
        found.step(found.initial, "read", ())


@pytest.mark.parametrize("where", ["print('hello')\n", "import os\n"])
def test_what_a_specification_prints_is_no_part_of_the_answer(
    where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "r.c").write_text(
        "static _Atomic int x;\n// membar: operation read()\nstatic int read(void) { return x; }\n"
    )
    (tmp_path / "s.py").write_text(
        where + "class S:\n    def __init__(self): print('made')\n"
        "    def read(self):\n        print('called')\n        return 0\n"
    )
    named = f"{tmp_path}/s.py:S"
    words = ["check", f"{tmp_path}/r.c", "--spec", named, "--client", "2,1", "--model", "sc", "--json"]
    assert cli.main(words) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["verdict"] == "holds-within"
    assert {"made", "called"} <= set(shown.err.split())


def test_exits_of_a_specification_are_bad_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.c").write_text(
        "static _Atomic int x;\n// membar: operation read()\nstatic int read(void) { return x; }\n"
    )
    (tmp_path / "s.py").write_text("class S:\n    def read(self): raise SystemExit(0)\n")
    words = ["check", f"{tmp_path}/r.c", "--spec", f"{tmp_path}/s.py:S", "--client", "2,1", "--model", "sc"]
    assert cli.main(words) == 2
    assert "W1350" in capsys.readouterr().err
