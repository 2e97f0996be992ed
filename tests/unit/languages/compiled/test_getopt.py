"""`getopt` takes the words of a program apart as the library of C does."""

from __future__ import annotations

import shlex

import pytest

import membar
from membar.source import SourceFile

_TEXT = """#include <unistd.h>
#include <stdlib.h>
int n = 1, v;
int main(int argc, char **argv) {
  int c;
  while ((c = getopt(argc, argv, "vn:")) != -1)
    switch (c) {
    case 'v': v = 1; break;
    case 'n': n = atoi(optarg); break;
    default: exit(optopt == 'n' ? 2 : 3);
    }
  return n == 3 && v == 1 && optind < argc && argv[optind][0] == 'x' ? 0 : 1;
}
"""


@pytest.mark.parametrize(
    ("words", "verdict"),
    [
        ("-v -n 3 x", "holds"),
        pytest.param("-vn3 x", "holds", marks=pytest.mark.full),
        ("-n 3 -v -- x", "holds"),
        ("x -v -n 3", "unknown"),
        ("-n", "violated"),
    ],
)
def test_options_of_one_letter(words: str, verdict: str) -> None:
    answer = membar.check(SourceFile("case.c", _TEXT), model="sc", arguments=shlex.split(words))
    assert answer.verdict == verdict
