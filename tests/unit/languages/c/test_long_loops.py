"""Loops that are too long to be written out: what was tried is undone."""

from __future__ import annotations

import pytest
from pycparser import c_ast as ast

import membar
from membar.languages.c import flow, statements
from membar.questions.task import Limits, Options, Unrolling
from membar.source import SourceFile

HEAD = "#include <assert.h>\n#include <stdatomic.h>\natomic_int x, y;\n"
IN_A_FUNCTION = f"""{HEAD}static void step(void) {{
  for (int i = 0; i < 50; i++)
    x = i;
}}
int main(void) {{
  int i;
  for (i = 0; i < 50; i++)
    step();
  assert(i == 50);
  return 0;
}}
"""
IN_A_SWITCH = f"""{HEAD}static int step(int n) {{
  int local = n;
  switch (n % 2) {{
    case 0:
      for (int i = 0; i < 50; i++)
        x = i;
      break;
    default:
      local++;
  }}
  return local;
}}
int main(void) {{
  int i = 0, sum = 0;
again:
  sum += step(i);
  i++;
  if (i < 50)
    goto again;
  assert(i == 50);
  return 0;
}}
"""


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow, "MOST_EDGES", 700)


@pytest.mark.parametrize("program", [IN_A_FUNCTION, IN_A_SWITCH], ids=["function", "switch"])
def test_an_inner_loop_in_a_function_may_be_the_one_that_is_too_long(program: str) -> None:
    found = membar.parse(SourceFile("long.c", program))
    (main,) = found.threads
    assert len(main.edges) < 60
    result = membar.check(
        SourceFile("long.c", program),
        limits=Limits(seconds=20),
        options=Options(unrolling=Unrolling(exact=3)),
    )
    assert result.verdict == "holds-within"


def test_what_a_long_loop_leaves_is_what_c_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "_MOST_TURNS", 2)
    text = IN_A_FUNCTION.replace("50", "3")
    often = Options(unrolling=Unrolling(exact=12))
    wrong = text.replace("i == 3", "i != 3")
    assert membar.check(SourceFile("right.c", text), options=often).verdict == "holds"
    assert membar.check(SourceFile("wrong.c", wrong), options=often).verdict == "violated"


def test_a_loop_of_many_turns_is_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statements, "_MOST_TURNS", 20)
    turns = 0
    original = statements.Statements._turn

    def counted(
        self: statements.Statements, node: ast.While | ast.DoWhile | ast.For
    ) -> tuple[flow.State | None, bool]:
        nonlocal turns
        turns += 1
        return original(self, node)

    monkeypatch.setattr(statements.Statements, "_turn", counted)
    (main,) = membar.parse(SourceFile("long.c", IN_A_FUNCTION)).threads
    assert len(main.edges) < 60
    assert turns < 10 * 20  # it is translated several times; tried in every turn, this would be 20 * 20 each
