"""Where a kernel test can be stronger or weaker: barriers between statements, acquire and release."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from membar.languages._c_edit_sites import Fences, fence_sites
from membar.languages._c_text import Call, CText
from membar.languages.litmus.dialects.c.edit_sites import accesses
from membar.languages.litmus.test import LitmusTest
from membar.program.program import Program
from membar.text.edits import Edit, EditSite, alternatives

_BARRIERS: Final = (("", ()), ("smp_rmb", ()), ("smp_wmb", ()), ("smp_mb", (1, 2)))
_STRONGER: Final = {"READ_ONCE": "smp_load_acquire", "WRITE_ONCE": "smp_store_release"}
_WEAKER: Final = {strong: weak for weak, strong in _STRONGER.items()}


def edit_sites(test: LitmusTest, program: Program) -> tuple[EditSite, ...]:
    """The places of a test."""
    text = CText(test.source, test.body.start, test.body.end, is_litmus=True)
    fences = {name: f"{name}();" for name, _ in _BARRIERS if name}
    found = fence_sites(text, accesses(program), Fences(_BARRIERS, fences))
    return (*found, *_orders(text), *_barriers(text))


def _barriers(text: CText) -> Iterator[EditSite]:
    """The barriers that are there."""
    names = [name for name, _ in _BARRIERS]
    for call in text.calls:
        if call.name.text in names:
            whole = text.span(call.name.start, call.closing + 1)
            readings = [(name, (Edit(whole, f"{name}()" if name else "barrier()"),)) for name in names]
            yield EditSite(
                title=f"the barrier in line {text.source.position(call.name.start)[0]}",
                span=whole,
                alternatives=alternatives(readings, [below for _, below in _BARRIERS]),
                current=names.index(call.name.text),
                loops=text.depth(call.name.start),
            )


def _orders(text: CText) -> Iterator[EditSite]:
    """`READ_ONCE(*x)` can be `smp_load_acquire(x)`, `WRITE_ONCE(*x, …)` `smp_store_release(x, …)`."""
    for call in text.calls:
        name = call.name.text
        if name not in _STRONGER and name not in _WEAKER:
            continue
        weak = _WEAKER.get(name, name)
        yield EditSite(
            title=f"the {'load' if weak == 'READ_ONCE' else 'store'} in line "
            f"{text.source.position(call.name.start)[0]}",
            span=text.span(call.name.start, call.closing + 1),
            alternatives=alternatives(
                [
                    ("", _edits_to_call(text, call, weak)),
                    (_STRONGER[weak], _edits_to_call(text, call, _STRONGER[weak])),
                ],
                [(), ()],
            ),
            current=int(name in _WEAKER),
            loops=text.depth(call.name.start),
        )


def _edits_to_call(text: CText, call: Call, name: str) -> tuple[Edit, ...]:
    """The edits that make a call one of `name`: its first argument is an object there, a pointer here."""
    where = call.arguments[0]
    renamed = Edit(text.span(call.name.start, call.name.end), name)
    if not where or (name in _STRONGER) == (call.name.text in _STRONGER):
        return (renamed,)
    first = where[0]
    if name in _STRONGER:  # a pointer becomes the object behind it
        taken = first.text == "&"
        return (
            renamed,
            Edit(text.span(first.start, first.end if taken else first.start), "" if taken else "*"),
        )
    taken = first.text == "*"
    return (renamed, Edit(text.span(first.start, first.end if taken else first.start), "" if taken else "&"))
