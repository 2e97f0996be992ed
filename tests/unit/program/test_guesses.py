from __future__ import annotations

import pytest

from membar.languages import registry
from membar.languages.mbp import FRONTEND
from membar.models.load import load
from membar.program.value_candidates import guesses
from membar.questions import engine_answer
from membar.questions.outcome import WORDS
from membar.questions.task import Task
from membar.source import SourceFile

CIRCLE = """program circle
memory x : i32
memory y : i32
thread P { 0 -> 1: r := load [&x]
  1 -> 2 when r == 1: store [&y] := 1
  1 -> 2 when !(r == 1) }
thread Q { 0 -> 1: r := load [&y]
  1 -> 2 when r == 1: store [&x] := 1
  1 -> 2 when !(r == 1) }
exists 0:r = 1 /\\ 1:r = 1
"""


COPIES = """program copies
memory x : i32
memory y : i32
memory z : i32
thread P { 0 -> 1: r := load [&x]
  1 -> 2: store [&y] := r }
thread Q { 0 -> 1: r := load [&y]
  1 -> 2: store [&x] := r
  2 -> 3: store [&z] := 42 }
exists 0:r = 42
"""


def test_constants_are_tried_where_they_may_be_stored() -> None:
    text = """program p
memory x : i32
memory v : i32[2]
memory z : i64
thread P { 0 -> 1: r := load [&x]
  1 -> 2: store [&v + r] := 7
  2 -> 3: store [&x] := r
  3 -> 4: store [&x] := 3 }
"""
    program = FRONTEND.parse(SourceFile("p.mbp", text))
    assert guesses(program) == ((0, 3), (0, 7), (1, 7), (2, 7))


@pytest.mark.parametrize("engine", ["graphs", "reference"])
@pytest.mark.parametrize("text", [CIRCLE, COPIES], ids=["circle", "a constant of another location"])
@pytest.mark.parametrize(
    ("axiom", "verdict"), [("acyclic rf | po", "violated"), ("acyclic po-loc | rf | co | fr", "holds")]
)
def test_a_users_model_decides_about_values_out_of_thin_air(
    text: str, engine: str, axiom: str, verdict: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("models") / "mine.cat"
    path.write_text(f"{axiom} as only\n", encoding="utf-8")
    model = load(path, vocabulary=registry.vocabulary())
    program = FRONTEND.parse(SourceFile("circle.mbp", text))
    task = Task(program=program, model=model, properties=("condition",))
    outcome = engine_answer.answer(task, engine_answer.load_engine(engine))
    assert WORDS[type(outcome)] == verdict
