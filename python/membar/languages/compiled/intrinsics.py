"""Intrinsic functions of LLVM IR (`llvm.*`), by what they become in code IR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from membar.code import ir as code
from membar.languages.compiled.constants import UnsupportedError
from membar.records import record


@record(frozen=True, slots=True)
class Intrinsic:
    """An intrinsic function; `kind` says what becomes of a call: see `_KINDS`."""

    name: str
    kind: str


_KINDS: Mapping[str, tuple[str, ...]] = {
    # Says nothing about what the program does. What a compiler may assume is not assumed.
    "nothing": (
        "dbg.declare", "dbg.value", "dbg.assign", "dbg.label", "donothing", "sideeffect",
        "prefetch",
        "experimental.noalias.scope.decl", "var.annotation", "codeview.annotation", "pseudoprobe",
        "invariant.start", "invariant.end", "x86.sse2.pause", "aarch64.hint",
        "riscv.pause",
    ),
    # Its first argument.
    "argument": ("expect", "expect.with.probability", "threadlocal.address", "ptr.annotation", "annotation",
                 "launder.invariant.group", "strip.invariant.group", "ssa.copy"),
    # What must hold, or the program is wrong.
    "promise": ("assume",),
    # A question that the optimiser answers, here with no.
    "no": ("is.constant",),
    "copy": ("memcpy", "memcpy.inline", "memmove"),
    "fill": ("memset", "memset.inline"),
    "lifetime": ("lifetime.start", "lifetime.end"),
    # An instruction of a processor: see `instruction_of`.
    "assembly": (
        "x86.sse2.mfence", "x86.sse2.lfence", "x86.sse.sfence", "aarch64.dmb", "aarch64.dsb", "aarch64.isb",
        "ppc.sync", "ppc.lwsync", "ppc.isync",
    ),
    # A function of its arguments.
    "compute": (
        "sadd.with.overflow", "uadd.with.overflow", "ssub.with.overflow", "usub.with.overflow",
        "smul.with.overflow", "umul.with.overflow", "ctpop", "ctlz", "cttz", "bswap", "bitreverse",
        "umin", "umax", "smin", "smax", "abs", "fshl", "fshr", "scmp", "ucmp",
        "fmuladd", "fma", "fabs", "sqrt", "copysign", "is.fpclass", "fptosi.sat", "fptoui.sat",
        "sadd.sat", "uadd.sat", "ssub.sat", "usub.sat", "objectsize",
    ),
    # A function of the library; that for numbers of 32 bits has an `f` behind its name. See `FUNCTIONS`.
    "function": ("floor", "ceil", "trunc", "rint", "nearbyint", "round", "minnum", "maxnum"),
    # Something that a later pass gives a meaning to, by name.
    "call": ("trap", "debugtrap", "ubsantrap", "stacksave", "stackrestore", "va_start", "va_end", "va_copy",
             "returnaddress", "frameaddress", "eh.typeid.for", "thread.pointer"),
}  # fmt: skip
# What the library calls functions of numbers.
FUNCTIONS: Mapping[str, str] = {"minnum": "fmin", "maxnum": "fmax"}
# What the argument of a barrier of AArch64 stands for.
_DOMAINS = {9: "ishld", 10: "ishst", 11: "ish", 13: "ld", 14: "st", 15: "sy"}
_KIND_OF: Mapping[str, str] = {name: kind for kind, names in _KINDS.items() for name in names}


def intrinsic_of(name: str) -> Intrinsic:
    """The intrinsic function with this name.

    Raises:
        UnsupportedError: one that membar does not know.
    """
    words = name.removeprefix("llvm.").split(".")
    for length in range(len(words), 0, -1):
        plain = ".".join(words[:length])
        if plain in _KIND_OF:
            return Intrinsic(plain, _KIND_OF[plain])
    raise UnsupportedError(f"the intrinsic function `{name}` is not supported")


def instruction_of(name: str, arguments: Sequence[code.Operand]) -> str:
    """The assembly of an intrinsic function that stands for an instruction.

    Raises:
        UnsupportedError: a barrier with an argument that membar does not know.
    """
    mnemonic = name.rpartition(".")[2]
    if mnemonic not in ("dmb", "dsb"):
        return mnemonic
    match arguments:
        case (code.Constant(value=number),) if number in _DOMAINS:
            return f"{mnemonic} {_DOMAINS[number]}"
        case _:
            raise UnsupportedError(f"the barrier `llvm.{name}` with this argument is not supported")
