"""Objects of `examples/c/objects`, right and with one order too weak, under four models, as a page.

    python benchmarks/objects/run.py              prints the page
    python benchmarks/objects/run.py treiber      only what begins like this

Every VIOLATED is an execution that the reference semantics replayed. Times are CPU seconds of this process.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from pathlib import Path

import membar
from membar.objects.client import Size
from membar.objects.orders import Ordering
from membar.questions.outcome import HoldsWithin

EXAMPLES = Path(__file__).parents[2] / "examples" / "c" / "objects"
MODELS = ("sc", "x86-tso", "rc11", "armv8")
SIZE = Size(2, 3)


@dataclass(frozen=True, slots=True)
class Case:
    """A file, and what is defined in it."""

    file: str
    title: str
    defines: tuple[str, ...] = ()


CASES = tuple(
    Case(file, title, defines)
    for file, title, *weak in (
        ("treiber", "Treiber's stack", "PUSH=relaxed"),
        ("msqueue", "Michael and Scott's queue", "LINK=relaxed"),
        ("ring", "ring buffer", "PUBLISH=release LOOK=acquire", "PUBLISH=relaxed"),
        ("ticket", "counter, ticket lock", "UNLOCK=relaxed"),
        ("mcs", "counter, MCS lock", "HAND_OVER=relaxed"),
        ("tas", "pair, test-and-set lock", "UNLOCK=relaxed"),
        ("spinlock", "counter, spinlock", "LOCK=relaxed"),
    )
    for defines in ((), *(tuple(words.split()) for words in weak))
)
FENCES = ("3", "5", "AFTER_5", "9", "AFTER_10")
SEQLOCK = (
    *(("all five", (), model, Ordering.CAUSAL) for model in ("sc", "x86-tso", "armv8", "xc")),
    ("no fences", ("NO_FENCES",), "sc", Ordering.REAL_TIME),
    ("no fences", ("NO_FENCES",), "x86-tso", Ordering.CAUSAL),
    ("no fences", ("NO_FENCES",), "x86-tso", Ordering.FLUSH),
    ("no fences", ("NO_FENCES",), "x86-tso", Ordering.REAL_TIME),
    ("no fences", ("NO_FENCES",), "armv8", Ordering.CAUSAL),
    ("no fences", ("NO_FENCES",), "xc", Ordering.CAUSAL),
    *(
        (f"without the fence {'after' if 'AFTER' in fence else 'before'} line {fence.split('_')[-1]}",
         (f"NO_FENCE_{fence}",), model, Ordering.CAUSAL)
        for fence in FENCES
        for model in ("armv8", "xc")
    ),
)  # fmt: skip
HEAD = f"""\
# Objects under weak memory

`membar check FILE --client 2,3` on the files of `examples/c/objects`: all clients of
{SIZE.text}, causal order. The weak variants change the ordering that
a macro names (`-D PUSH=memory_order_relaxed`). In brackets: CPU seconds. *without load
buffering* means that executions with load buffering were not explored
([0039](../decisions/0039-clients-without-load-buffering.md)). This page is the output of

    python benchmarks/objects/run.py

The reference replayed an execution for every history behind a VIOLATED.
"""


def main() -> None:
    """Prints the page."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    print(HEAD)
    print(f"| object | {' | '.join(MODELS)} |\n| --- |{' --- |' * len(MODELS)}")
    for case in CASES:
        if case.file.startswith(wanted):
            defines = tuple(word.replace("=", "=memory_order_") for word in case.defines)
            cells = [_cell(case.file, defines, model, Ordering.CAUSAL) for model in MODELS]
            title = ", ".join([case.title, *(f"`{word}`" for word in case.defines)])
            print(f"| {title} | {' | '.join(cells)} |", flush=True)
    if "seqlock".startswith(wanted):
        _print_seqlock()


def _print_seqlock() -> None:
    print("\n## seqlock\n\nWinter's seqlock in C; the histories of figures 4 and 9 are among these.\n")
    print("| fences | model | order | verdict | history |\n| --- | --- | --- | --- | --- |")
    for title, defines, model, ordering in SEQLOCK:
        verdict, result = _answer("seqlock", defines, model, ordering)
        print(f"| {title} | {model} | {ordering.value} | {verdict} | {_history(result)} |", flush=True)


def _history(result: membar.Answer) -> str:
    if result.refutation is None:
        return ""
    history = result.refutation.history
    threads = sorted({call.thread for call in history.calls})
    text = " ∥ ".join("; ".join(c.text for c in history.calls if c.thread == thread) for thread in threads)
    order = ", ".join(f"{history.calls[a].text} first" for a, _ in history.across)
    return f"`{text}`{f' ({order})' if order else ''}"


def _cell(file: str, defines: tuple[str, ...], model: str, ordering: Ordering) -> str:
    return _answer(file, defines, model, ordering)[0]


def _answer(file: str, defines: tuple[str, ...], model: str, ordering: Ordering) -> tuple[str, membar.Answer]:
    start = time.process_time()
    result = membar.check(EXAMPLES / f"{file}.c", client=SIZE, model=model, order=ordering, defines=defines)
    seconds = time.process_time() - start
    word = result.verdict.upper().replace("-", " ")
    bound = result.outcome.bound if isinstance(result.outcome, HoldsWithin) else ""
    extra = ", without load buffering" if "load buffering" in bound else ""
    extra += ", loops cut" if "unrolled" in bound else ""
    return f"{word}{extra} ({seconds:.1f})", result


if __name__ == "__main__":
    main()
