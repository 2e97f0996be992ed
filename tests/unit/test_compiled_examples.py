"""Every example in C++ or Rust gives the verdicts in its first comment, and others with one order weakened.

The algorithms are those of the C examples, and so are the verdicts.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import membar
from strategies.compiled_code import needs_clang as needs_compiler
from strategies.weakened_examples import CPP, RUST
from unit.test_examples import EXAMPLES, expectations
from unit.test_heap_examples import ALGORITHMS

FILES = sorted([*EXAMPLES.glob("cpp/**/*.cpp"), *EXAMPLES.glob("rust/**/*.rs")])
FOLDERS = {"cpp/{}.cpp": CPP, "rust/{}.rs": RUST}
IN_SHORT = {"spin.cpp", "arc.rs", "spin.rs"}
"""What `make test` checks under the model of the language; the rest is `full`."""
# Examples of C that have another name.
OTHER_NAMES = {"tas": "spin", "ring": "spsc"}
NEEDS = {
    ".cpp": needs_compiler,
    ".rs": pytest.mark.skipif(shutil.which("rustc") is None, reason="rustc is not installed"),
}


def case(path: Path, model: str, *values: object) -> object:
    marks = [NEEDS[path.suffix]]
    if path.name not in IN_SHORT or model != "rc20":
        marks.append(pytest.mark.full)
    return pytest.param(path, model, *values, marks=marks, id=f"{path.relative_to(EXAMPLES)}-{model}")


@pytest.mark.parametrize(
    ("path", "model", "verdict"),
    [case(path, model, verdict) for path in FILES for model, verdict in expectations(path)],
)
def test_an_example_gives_the_verdict_in_its_comment(path: Path, model: str, verdict: str) -> None:
    assert membar.check(path, model=model).verdict.upper().replace("-", " ") == verdict


@pytest.mark.parametrize(
    ("path", "model", "change", "verdict"),
    [
        case(EXAMPLES / place.format(name), model, (old, new), verdict)
        for place, table in FOLDERS.items()
        for name, old, new, expected in table
        for model, verdict in expected.items()
    ],
)
def test_a_weakened_example_gives_another(
    path: Path, model: str, change: tuple[str, str], verdict: str, tmp_path: Path
) -> None:
    text, (old, new) = path.read_text(), change
    assert old in text
    weakened = tmp_path / path.name
    weakened.write_text(text.replace(old, new))
    assert membar.check(weakened, model=model).verdict.upper().replace("-", " ") == verdict


def test_every_example_of_c_is_there() -> None:
    names = {OTHER_NAMES.get(path.stem, path.stem) for path in EXAMPLES.glob("c/*.c")}
    algorithms = {name for name in names if not name.endswith(("-relaxed", "-release", "-plain"))}
    with_memory = {f"heap/{name}" for name in ALGORITHMS}
    assert not [
        name
        for place in FOLDERS
        for name in algorithms | with_memory
        if not (EXAMPLES / place.format(name)).exists()
    ]


# What is not as in C, and why.
OTHER_VERDICTS = {
    ("cpp/treiber.cpp", "rc20", "HOLDS WITHIN", "HOLDS"): "allocates its nodes, and a loop frees them",
    ("cpp/treiber.cpp", "x86-tso", "HOLDS WITHIN", "HOLDS"): "the same",
    ("cpp/treiber.cpp", "armv8", "HOLDS WITHIN", "HOLDS"): "the same",
    ("cpp/treiber-relaxed.cpp", "x86-tso", "HOLDS WITHIN", "HOLDS"): "the same",
    ("cpp/heap/mpmc.cpp", "armv8", "HOLDS WITHIN", "HOLDS"): "where each object lies at one address",
    (
        "cpp/double-checked-relaxed.cpp",
        "armv8",
        "VIOLATED",
        "HOLDS",
    ): "weakens the store; C the load, which Armv8 orders by the address",
}


def test_the_verdicts_are_those_of_c() -> None:
    found = set()
    for c in [*EXAMPLES.glob("c/*.c"), *EXAMPLES.glob("c/heap/*.c")]:
        name = str(c.relative_to(EXAMPLES / "c").with_suffix(""))
        expected = {model.replace("rc11", "rc20"): verdict for model, verdict in expectations(c)}
        for place in FOLDERS:
            path = EXAMPLES / place.format(OTHER_NAMES.get(name, name))
            if path.exists():
                found |= {
                    (place.format(name), model, verdict, expected[model])
                    for model, verdict in expectations(path)
                    if expected.get(model, verdict) != verdict
                }
    assert found == OTHER_VERDICTS.keys()
