"""The thesis's figure 5.1, a process that is one automaton without procedures, was refused."""

from __future__ import annotations

import pytest

import membar
from membar.diagnostics import InputError
from membar.source import SourceFile

FIGURE = """main process simple {
  var err : bool

  init loc L0
  loc L1
  error loc Le
  final loc Lf

  L0 -> L1 {
    havoc err
  }

  L1 -> Le {
    assume err
  }

  L1 -> Lf {
    assume not err
  }
}
"""


def test_the_figure_is_read_as_printed() -> None:
    assert membar.check(SourceFile("f51.xcfa", FIGURE)).verdict == "violated"
    safe = FIGURE.replace("havoc err", "err := false")
    assert membar.check(SourceFile("f51.xcfa", safe)).verdict == "holds"


def test_it_means_the_same_as_with_a_procedure() -> None:
    body = FIGURE.partition("{")[2].rpartition("}")[0]
    written_out = f"main process simple {{ main procedure run() {{ {body} }} }}"
    one, other = (membar.parse(SourceFile("f51.xcfa", text)) for text in (FIGURE, written_out))
    assert one.threads[0].edges == other.threads[0].edges


def test_such_a_process_talks_to_others() -> None:
    text = """var x : int
process a { init loc s final loc e s -> e { 1 -> x } }
process b { var l : int init loc s error loc bad final loc e loc m
  s -> m { l <- x } m -> bad { assume l = 1 } m -> e { assume l = 0 } }
"""
    assert membar.check(SourceFile("two.xcfa", text)).verdict == "violated"


def test_a_process_has_procedures_or_locations() -> None:
    body = "init loc a final loc b a -> b { skip }"
    text = f"process p {{ {body} main procedure run() {{ {body} }} }}"
    with pytest.raises(InputError) as caught:
        membar.parse(SourceFile("both.xcfa", text))
    assert caught.value.diagnostics[0].code == "W0603"


@pytest.mark.parametrize("text", ["process p { init final }", "process p { a -> }", "process p { ( }"])
def test_wrong_text_has_a_place(text: str) -> None:
    with pytest.raises(InputError) as caught:
        membar.parse(SourceFile("wrong.xcfa", text))
    assert all(found.primary is not None for found in caught.value.diagnostics)
