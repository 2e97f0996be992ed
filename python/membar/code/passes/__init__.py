"""Passes over code IR: one file each, in the order in which they run.

A pass takes a module and gives a module. It says in one sentence what it does, and which passes it needs. No
pass removes, merges or adds an access to memory that may be shared, nor a dependency that the code shows.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

from membar.code import ir
from membar.code.validate import validate
from membar.records import record


@record(frozen=True, slots=True, kw_only=True)
class Pass:
    """One pass.

    Attributes:
        name: what `--print-after` calls it.
        purpose: one sentence.
        needs: the passes that must have run before.
        run: the pass itself.
    """

    name: str
    purpose: str
    needs: tuple[str, ...] = ()
    run: Callable[[ir.Module], ir.Module]


ORDER = (
    "resolve_indirect_calls",
    "inline_calls",
    "expand_copies",
    "split_locals",
    "promote_locals",
    "join_pieces",
    "fold_constants",
    "unroll_counted_loops",
)


def load_pass(name: str) -> Pass:
    """The pass with this name."""
    found = import_module(f"membar.code.passes.{name}").PASS
    if not isinstance(found, Pass):
        raise TypeError(name)
    return found


def run_passes(module: ir.Module, *, until: str = ORDER[-1]) -> ir.Module:
    """The module after all passes up to one of them."""
    for name in ORDER[: ORDER.index(until) + 1]:
        module = load_pass(name).run(module)
        validate(module)
    return module
