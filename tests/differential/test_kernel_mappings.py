"""The Linux kernel's memory model allows whatever a processor does with the kernel's primitives."""

from __future__ import annotations

import pytest

import tiers
from differential.comparisons import allowed, shipped
from membar.models.kernel_mappings import kernel_mapping_named
from membar.models.mappings import apply_mapping
from membar.program.operations import Operation, Rmw
from membar.program.printer import print_program
from membar.program.program import Program
from membar.records import replace
from strategies.programs import KERNEL, program_of_seed

LKMM = shipped("lkmm")


@pytest.mark.parametrize("name", ["x86-tso", "armv8", "power", "riscv"])
def test_no_processor_allows_what_the_kernels_model_forbids(name: str) -> None:
    model = shipped(name)
    table = kernel_mapping_named(model.claims.mapping)
    for seed in range(tiers.size(400)):
        program = _with_weak_failures(program_of_seed(seed, KERNEL))
        extra = allowed(apply_mapping(program, table), model) - allowed(program, LKMM)
        assert not extra, print_program(program)


def _with_weak_failures(program: Program) -> Program:
    """The program, in which a compare-exchange that fails orders nothing, as in the kernel."""

    def weak(operation: Operation) -> Operation:
        return (
            replace(operation, failed_tags=frozenset({"Once", "RMW"}))
            if isinstance(operation, Rmw)
            else operation
        )

    return replace(
        program,
        threads=tuple(
            replace(
                thread,
                edges=tuple(
                    replace(edge, operations=tuple(map(weak, edge.operations))) for edge in thread.edges
                ),
            )
            for thread in program.threads
        ),
    )
