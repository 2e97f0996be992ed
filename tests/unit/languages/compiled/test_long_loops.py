"""Loops of known length inside of each other: short ones are unrolled, long ones truncated."""

from __future__ import annotations

import pytest

import membar
import tiers
from membar.questions.task import Limits, Options, Unrolling
from membar.source import SourceFile
from strategies.compiled_code import needs_clang

pytestmark = needs_clang

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


@pytest.mark.parametrize("program", tiers.first(0, [IN_A_SWITCH, IN_A_FUNCTION]), ids=["switch", "function"])
def test_long_loops_are_truncated(program: str) -> None:
    result = membar.check(
        SourceFile("long.c", program.replace("50", "1000000")),
        limits=Limits(seconds=60),
        options=Options(unrolling=Unrolling(exact=3)),
    )
    assert result.verdict == "holds-within"


@pytest.mark.parametrize("program", [IN_A_FUNCTION, IN_A_SWITCH], ids=["function", "switch"])
def test_what_a_loop_leaves_is_what_c_says(program: str) -> None:
    text = program.replace("50", "3")
    often = Options(unrolling=Unrolling(exact=12))
    wrong = text.replace("i == 3", "i != 3")
    assert membar.check(SourceFile("right.c", text), options=often).verdict == "holds"
    assert membar.check(SourceFile("wrong.c", wrong), options=often).verdict == "violated"


def test_a_sum_over_a_long_array_is_many_small_steps() -> None:
    text = f"""{HEAD}atomic_int cells[400];
int main(void) {{
  int sum = 0;
  for (int i = 0; i < 400; i++)
    cells[i] = i;
  for (int i = 0; i < 400; i++)
    sum += cells[i];
  assert(sum == 400 * 399 / 2);
  return 0;
}}
"""
    answer = membar.check(SourceFile("sum.c", text), model="sc")
    assert isinstance(answer.outcome, membar.Holds)


COMPARISON = """#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <strings.h>
static char name[4];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *write(void *given) {
  pthread_mutex_lock(&lock);
  name[0] = 'o';
  pthread_mutex_unlock(&lock);
  return given;
}
int main(void) {
  pthread_t writer;
  pthread_create(&writer, 0, write, 0);
  pthread_mutex_lock(&lock);
  assert(strcmp(COMPARED) == 0 || !name[0]);
  pthread_mutex_unlock(&lock);
  pthread_join(writer, 0);
}
"""


@pytest.mark.parametrize("compared", ['name, "o"', '"o", name'])
@pytest.mark.parametrize("function", ["strcmp", "strcasecmp"])
def test_a_comparison_with_a_constant_text_ends_where_that_does(function: str, compared: str) -> None:
    text = COMPARISON.replace("COMPARED", compared).replace("strcmp", function)
    options = Options(unrolling=Unrolling(exact=1))
    assert membar.check(SourceFile("compared.c", text), options=options).verdict == "holds"
