"""herd7's ppc.cat was refused: its `ctrlcfence` takes two values, that of older files one."""

from __future__ import annotations

from pathlib import Path

import pytest

import membar
from membar.diagnostics import InputError
from membar.source import SourceFile

# A power model in the shape of herd's: fences in a file of their own, `ctrlisync` by the library's function.
FENCES = """PPCFences
let sync = try fencerel(SYNC) with 0
let isync = try fencerel(ISYNC) with 0
let ctrlisync = try {call} with 0
show ctrlisync
"""
MODEL = """PPC
include "cos.cat"
acyclic po-loc | rf | fr | co as scperlocation
empty rmw & (fre;coe) as atomic
include "my-fences.cat"
acyclic addr | data | ctrl & (_ * W) | ctrlisync | sync | rfe | fre | coe as order
"""
MESSAGE_PASSING = """PPC MP+sync+{kind}
{{ 0:r2=x; 0:r4=y; 1:r2=y; 1:r4=x; }}
 P0           | P1           ;
 li r1,1      | lwz r1,0(r2) ;
 stw r1,0(r2) | cmpw r1,r1   ;
 sync         | beq L        ;
 li r3,1      | L:           ;
 stw r3,0(r4) | {fence}      ;
              | lwz r3,0(r4) ;
~exists (1:r1=1 /\\ 1:r3=0)
"""


def model(folder: Path, call: str) -> str:
    (folder / "my-fences.cat").write_text(FENCES.replace("{call}", call), encoding="utf-8")
    file = folder / "my-power.cat"
    file.write_text(MODEL, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize("call", ["ctrlcfence(ISYNC)", "ctrlcfence(ctrl,ISYNC)", "ctrlcfence (ctrl, ISYNC)"])
def test_both_forms_mean_the_same(call: str, tmp_path: Path) -> None:
    name = model(tmp_path, call)
    for fence, verdict in (("isync", "holds"), ("nop", "violated")):
        text = MESSAGE_PASSING.format(kind=fence, fence=fence)
        assert membar.check(SourceFile("mp.litmus", text), model=name).verdict == verdict


def test_another_number_of_values_is_a_located_error(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        membar.load_model(model(tmp_path, "ctrlcfence(ctrl,po,ISYNC)"))
    (found,) = caught.value.diagnostics
    assert found.code == "W0209"
    assert found.primary is not None
    assert found.primary.span.source.path.endswith("my-fences.cat")


def test_a_definition_in_the_model_hides_all_of_the_library(tmp_path: Path) -> None:
    file = tmp_path / "own.cat"
    file.write_text("let ctrlcfence(S) = po\nacyclic ctrlcfence(ctrl, ISYNC) as it\n", encoding="utf-8")
    assert membar.load_model(str(file)).plan is not None  # one parameter takes a group of two as it is
    file.write_text("let ctrlcfence(a, b, c) = a\nacyclic ctrlcfence(ctrl, ISYNC) as it\n", encoding="utf-8")
    with pytest.raises(InputError):
        membar.load_model(str(file))
