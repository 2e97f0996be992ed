"""Fresh names of values."""

from __future__ import annotations

from membar.code import ir
from membar.code.emitter import Emitter


def test_names_are_fresh_although_a_pass_removed_some() -> None:
    value = ir.Value("split/8", ir.Int(8))
    item = ir.Compute(result=value, operation="or", operands=(ir.Constant(0, ir.Int(8)),) * 2)
    block = ir.Block(name="split/block.9", instructions=(item,), end=ir.Return())
    function = ir.Function(name="f", parameters=(), results=(), blocks=(block,))
    emitter = Emitter(function, "split", ir.Module(functions={}, objects={}))
    assert emitter.value(ir.Int(8)).name == "split/10"
