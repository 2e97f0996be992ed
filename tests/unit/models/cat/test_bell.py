"""Bell files, macro files and configurations beside a model."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.diagnostics import InputError
from membar.models import load as models
from membar.models.evaluate import failures, flags
from unit.models.executions import execution

VOCABULARY = ("Once", "Acquire", "Mb", "LKR", "LKW", "UL", "LF", "RL")

BELL = """
"tags of a test"
enum Marks = 'once || 'acquire
instructions R[Marks]
instructions W[{'once}]
enum Fences = || 'mb
instructions F[Fences]
default R['once]
let Marked = Once | Acquire
"""
MODEL = """
"a model"
let lock-rmw = [LKR] ; po-loc ; [LKW]
flag ~empty M & (LKR | LKW | UL) as locks-are-accesses
let W = W | LKW
include "cross.cat"
with co from generate_cos(co0)
let co = co | ([LKW] ; po-loc ; [UL])
empty (M \\ IW) \\ Marked as all-marked
empty (UL * UL) & co as unlocks-apart
"""
MACROS = "// once more\nREAD(X) __load{once}(X)\nFENCE() { __fence{mb}; }\nLOCK(X) { __lock(X); }\n"

# 0: initial; 1, 2: the lock is taken; 3: given back.
SECTION = execution(
    1, [["R0.LKR", "W0.LKW", "W0.UL"]], rf=((0, 1),), co=((0, 2, 3),), amo=frozenset({(1, 2)})
)


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)


def test_a_bell_file_beside_the_model_is_read_first(tmp_path: Path) -> None:
    write(tmp_path, kernel_cat=MODEL, kernel_bell=BELL, kernel_def=MACROS)
    model = models.load(tmp_path / "kernel.cat", vocabulary=VOCABULARY)
    assert model.plan is not None
    assert {"Once", "Acquire"} <= model.tags
    # Locks are no accesses until the model makes them so, and their order is the order of coherence.
    assert not failures(model.plan, SECTION)
    assert not flags(model.plan, SECTION)


def test_a_lock_that_is_taken_twice_is_no_choice(tmp_path: Path) -> None:
    write(tmp_path, kernel_cat=MODEL, kernel_bell=BELL)
    model = models.load(tmp_path / "kernel.cat", vocabulary=VOCABULARY)
    assert model.plan is not None
    taken = [["R0.LKR", "W0.LKW"], ["R0.LKR", "W0.LKW"]]
    both = execution(1, taken, rf=((0, 1), (0, 3)), co=((0, 2, 4),), amo=frozenset({(1, 2), (3, 4)}))
    assert [failure.check.name for failure in failures(model.plan, both)] == ["lock-atomicity"]


def test_a_configuration_names_the_files(tmp_path: Path) -> None:
    write(tmp_path, a_cat=MODEL, b_bell=BELL, c_def=MACROS)
    (tmp_path / "all.cfg").write_text("# a comment\nmacros c.def\nbell b.bell\nmodel a.cat\ngraph columns\n")
    model = models.load(tmp_path / "all.cfg", vocabulary=VOCABULARY)
    assert (model.name, model.source is not None and Path(model.source.path).name) == ("all", "a.cat")


@pytest.mark.parametrize(
    ("files", "code", "message"),
    [
        ({"all_cfg": "bell b.bell\n"}, "W0217", "this configuration does not name a model"),
        ({"all_cfg": "model a.cat\n"}, "W0217", "cannot read model"),
        ({"all_cfg": "model a.cat\nbell b.bell\n", "a_cat": MODEL}, "W0217", "cannot read model"),
        (
            {
                "all_cfg": "model a.cat\nmacros c.def\n",
                "a_cat": "acyclic po",
                "c_def": "// {no}\nF() { __fence{twice}; }",
            },
            "W0206",
            "no input language has the tag `'twice`",
        ),
    ],
)
def test_what_is_wrong_with_a_configuration(
    tmp_path: Path, files: dict[str, str], code: str, message: str
) -> None:
    write(tmp_path, **files)
    with pytest.raises(InputError) as caught:
        models.load(tmp_path / "all.cfg", vocabulary=VOCABULARY)
    (found,) = caught.value.diagnostics
    assert found.code == code
    assert found.message.startswith(message)


def test_a_flag_that_cannot_be_computed_is_left_out_and_named(tmp_path: Path) -> None:
    (tmp_path / "a.cat").write_text("flag ~empty different-values(po) as odd\nacyclic po as order")
    model = models.load(tmp_path / "a.cat", vocabulary=VOCABULARY)
    assert model.plan is not None
    assert [check.name for check in model.plan.checks] == ["order"]
    note, *_ = model.notes
    assert note.startswith("the model's flag `odd` is never raised: `different-values`")


def test_a_header_that_says_c_makes_a_language_model(tmp_path: Path) -> None:
    (tmp_path / "a.cat").write_text("C any\nundefined_unless empty po as race")
    assert models.load(tmp_path / "a.cat", vocabulary=VOCABULARY).language_model
