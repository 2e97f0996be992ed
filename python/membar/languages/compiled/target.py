"""For which processor C is compiled: it follows the memory model, never the machine that membar runs on."""

from __future__ import annotations

from collections.abc import Mapping

from membar.diagnostics import Diagnostic, InputError
from membar.records import record


@record(frozen=True, slots=True)
class Target:
    """A processor.

    Attributes:
        processor: what its models call it.
        triple: what clang calls it.
        zig: what zig calls it.
        flags: options of the compiler for it.
        pointer_bits: how wide its addresses are.
    """

    processor: str
    triple: str
    zig: str
    flags: tuple[str, ...] = ()
    pointer_bits: int = 64


X86_64 = Target("x86_64", "x86_64-pc-linux-gnu", "x86_64-linux-gnu", ("-mcx16",))
I686 = Target("i686", "i686-pc-linux-gnu", "x86-linux-gnu", pointer_bits=32)
AARCH64 = Target("aarch64", "aarch64-linux-gnu", "aarch64-linux-gnu")
RISCV64 = Target("riscv64", "riscv64-linux-gnu", "riscv64-linux-gnu", ("-march=rv64gc", "-mabi=lp64d"))
POWERPC64LE = Target("powerpc64le", "powerpc64le-linux-gnu", "powerpc64le-linux-gnu")

TARGETS: Mapping[str, Target] = {
    target.processor: target for target in (X86_64, I686, AARCH64, RISCV64, POWERPC64LE)
}
UNSIGNED_CHARACTERS = frozenset({"aarch64", "riscv64", "powerpc64le", "armv7"})
"""The processors on which `char` is unsigned."""
OTHER_SIZES = frozenset({"armv7"})
"""The processors without a target here whose types have other sizes than on x86-64."""
# By the compiler mapping that leads to the memory model (`models/mappings.py`).
_OF_MAPPING: Mapping[str, Target] = {
    "x86": X86_64,
    "armv8": AARCH64,
    "armv8-lse": AARCH64,
    "armv8-ldapr": AARCH64,
    "riscv": RISCV64,
    "riscv-amo": RISCV64,
    "power": POWERPC64LE,
}


def processor_of(mapping: str) -> str | None:
    """The processor of a memory model, by its compiler mapping; None for models of languages ("")."""
    found = _OF_MAPPING.get(mapping)
    return (mapping or None) if found is None else found.processor


_DATA_MODELS: Mapping[str, Target] = {"LP64": X86_64, "ILP32": I686}
_WORDS: Mapping[str, str] = {"x86": "i686", "i386": "i686", "arm64": "aarch64", "ppc64le": "powerpc64le"}


def choose_target(mapping: str, *, named: str | None = None, data_model: str | None = None) -> Target:
    """For which processor a program is compiled.

    Args:
        mapping: the compiler mapping of the memory model; "" for models of languages, for which it is x86-64
            on every machine.
        named: what `--target` says: a processor, or a triple that begins with one.
        data_model: what `--data-model` says: `ILP32` or `LP64`.

    Raises:
        InputError: the option names no target, or the two contradict each other.
    """
    target = _OF_MAPPING.get(mapping, X86_64)
    if named is not None:
        word = named.partition("-")[0]
        found = TARGETS.get(_WORDS.get(word, word))
        if found is None:
            raise _error(f"--target: `{named}` is not one of {', '.join(sorted(TARGETS))}")
        target = found
    if data_model is None:
        return target
    chosen = _DATA_MODELS.get(data_model)
    if chosen is None:
        raise _error(f"--data-model: `{data_model}` is neither ILP32 nor LP64")
    if chosen.pointer_bits == target.pointer_bits:
        return target
    if named is not None or target is not X86_64:
        raise _error(f"--data-model {data_model}: {target.processor} has {target.pointer_bits} bits")
    return chosen


def target_of_triple(triple: str) -> Target | None:
    """The target that LLVM IR was made for; None if membar does not know it."""
    word = triple.partition("-")[0]
    return TARGETS.get(_WORDS.get(word, word))


def is_of_processor(target: Target, processor: str | None) -> bool:
    """Whether code for this target is what runs on the processor of a model; of languages any is."""
    family = "x86_64" if target is I686 else target.processor
    return processor is None or family == processor


def _error(message: str) -> InputError:
    return InputError(Diagnostic(code="W1519", message=message))
