"""Specifications of users that cannot be trusted: they end, and depend on nothing but their state."""

from __future__ import annotations

from pathlib import Path

import pytest

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
    assert "in read(): it does not come to an end" in first.message
    assert int(first.message.rpartition("line ")[2]) in range(line - 1, line + 2)


@pytest.mark.parametrize(
    "text", ["while True: pass\n", "class S:\n    def __init__(self):\n        while 1: pass\n"]
)
def test_a_file_without_an_end_is_stopped(text: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as problem:
        loaded(tmp_path, text)
    assert problem.value.diagnostics[0].code == "W1349"
    assert "does not come to an end" in problem.value.diagnostics[0].message


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
    assert "leaves two different states behind" in problem.value.diagnostics[0].message


def test_random_numbers_of_a_seed_in_the_instance_are_a_state(tmp_path: Path) -> None:
    text = (
        "import random\nclass S:\n    def __init__(self): self.seed = 5\n"
        "    def read(self):\n        self.seed = random.Random(self.seed).randint(0, 9)\n"
        "        return self.seed\n"
    )
    found = loaded(tmp_path, text)
    assert found.step(found.initial, "read", ()) is not None
