"""For which processor C is compiled: it follows the memory model, never the machine that membar runs on."""

from __future__ import annotations

from collections.abc import Mapping

from membar.records import record


@record(frozen=True, slots=True)
class Target:
    """A processor.

    Attributes:
        processor: what its models call it.
        triple: what clang calls it.
        zig: what zig calls it.
        flags: options of the compiler for it.
    """

    processor: str
    triple: str
    zig: str
    flags: tuple[str, ...] = ()


X86_64 = Target("x86_64", "x86_64-pc-linux-gnu", "x86_64-linux-gnu", ("-mcx16",))
I686 = Target("i686", "i686-pc-linux-gnu", "x86-linux-gnu")
AARCH64 = Target("aarch64", "aarch64-linux-gnu", "aarch64-linux-gnu")
RISCV64 = Target("riscv64", "riscv64-linux-gnu", "riscv64-linux-gnu", ("-march=rv64gc", "-mabi=lp64d"))
POWERPC64LE = Target("powerpc64le", "powerpc64le-linux-gnu", "powerpc64le-linux-gnu")

TARGETS: Mapping[str, Target] = {
    target.processor: target for target in (X86_64, I686, AARCH64, RISCV64, POWERPC64LE)
}
_OF_MODEL: Mapping[str, Target] = {
    "x86-tso": X86_64,
    "armv8": AARCH64,
    "riscv": RISCV64,
    "power": POWERPC64LE,
}


def target_of_model(model: str) -> Target:
    """The processor that a model describes; x86-64 for models of languages, on every machine."""
    return _OF_MODEL.get(model, X86_64)
