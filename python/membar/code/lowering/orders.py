"""From the memory orderings of code IR to the ordering words of a `Program`, for C11 and for the kernel."""

from __future__ import annotations

from collections.abc import Mapping

from membar.code import ir
from membar.code.lowering.refusal import NotSupportedError
from membar.program.access import KERNEL
from membar.program.allocations import ALLOC
from membar.program.operations import NO_TAGS, Tags
from membar.records import record

C = "C"
_C11: Mapping[str, str] = {
    "monotonic": "RLX",
    "acquire": "ACQ",
    "release": "REL",
    "acq_rel": "ACQ_REL",
    "seq_cst": "SC",
}
_KERNEL = frozenset({"Once", "Acquire", "Release", "Mb", "Noreturn"})
# What the library's bodies say, in the words of the kernel.
_AS_KERNEL: Mapping[str, str] = {"monotonic": "Once", "acquire": "Acquire", "release": "Release"}


@record(frozen=True, slots=True)
class Orders:
    """The ordering words of a language (`Program.language`)."""

    language: str

    @property
    def is_kernel(self) -> bool:
        """Whether the words are those of the Linux kernel's memory model."""
        return self.language == KERNEL

    @property
    def plain(self) -> Tags:
        """The words of an access without an order."""
        return NO_TAGS if self.is_kernel else frozenset({"NA"})

    @property
    def lock_tags(self) -> tuple[Tags, Tags, Tags]:
        """The words of taking a lock: of its read, its write, and its read if somebody else has it."""
        if self.is_kernel:
            return frozenset({"LKR"}), frozenset({"LKW"}), frozenset({"LF"})
        both = frozenset({"ACQ", "RMW"})
        return both, both, frozenset({"RLX", "LF"})

    @property
    def lock_release_tags(self) -> Tags:
        """The words of giving a lock back."""
        return frozenset({"UL"}) if self.is_kernel else frozenset({"REL"})

    def word(self, ordering: str, place: ir.Place | None) -> str:
        """The word of one ordering.

        Raises:
            NotSupportedError: the language has no such word.
        """
        known = ordering if self.is_kernel and ordering in _KERNEL else None
        found = known or (_AS_KERNEL if self.is_kernel else _C11).get(ordering)
        if found is None:
            raise NotSupportedError(
                f"the memory ordering `{ordering}` in a program of {self.language}", place
            )
        return found

    def access(self, ordering: str | None, place: ir.Place | None) -> Tags:
        """The words of a load or store."""
        if ordering == ir.ALLOCATION:
            return self.plain | {ALLOC}
        return self.plain if ordering is None else frozenset({self.word(ordering, place)})

    def update(self, ordering: str, place: ir.Place | None) -> tuple[Tags, Tags]:
        """The words of the read and of the write of a read-modify-write."""
        word = self.word(ordering, place)
        tags, weak = frozenset({word, "RMW"}), frozenset({"Once", "RMW"})
        if not self.is_kernel:
            return tags, tags
        match word:
            case "Acquire" | "Noreturn":
                return tags, weak
            case "Release":
                return weak, tags
            case _:
                return tags, tags

    def failure(self, ordering: str, place: ir.Place | None) -> Tags:
        """The words of the read of a compare-exchange that fails."""
        word = self.word(ordering, place)
        return frozenset({word, "RMW"}) if self.is_kernel else frozenset({word})

    def fence(self, ordering: str, place: ir.Place | None) -> Tags:
        """The words of a fence; those of the kernel have names of their own."""
        return frozenset({self.word(ordering, place) if ordering in _C11 else ordering})


def language_of(module: ir.Module) -> str:
    """The language whose words the code uses: the kernel's, if it has any of them."""
    if module.is_kernel:
        return KERNEL
    for function in module.functions.values():
        for block in function.blocks:
            for item in block.instructions:
                match item:
                    case ir.Load(ordering=word) | ir.Store(ordering=word) | ir.Update(ordering=word):
                        is_kernel = word in _KERNEL
                    case ir.Fence(ordering=word):
                        is_kernel = word not in _C11
                    case ir.CompareExchange(success=word):
                        is_kernel = word in _KERNEL
                    case _:
                        is_kernel = False
                if is_kernel:
                    return KERNEL
    return C
