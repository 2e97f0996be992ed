"""Edit sites of C text, where fences and memory orders can be stronger or weaker."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, TypeAlias

from membar.languages._c_text import Call, CText, Statement, Token
from membar.records import record, replace
from membar.source import Span
from membar.text.edits import Edit, EditSite, alternatives, restrict

RELAXED: Final = "relaxed"
FAILURE: Final = "failure"
"""The kind of the read of a compare-exchange that fails."""
# A place of the text → kinds and orders of the operations that the compiler has there.
Compiled: TypeAlias = Callable[[int], Collection[tuple[str, str]]]
_PREFIXES: Final = ("memory_order_", "__ATOMIC_")
# The orders of each kind of operation, from the weakest, with those that each includes besides the first.
_LADDERS: Final[Mapping[str, tuple[tuple[str, tuple[int, ...]], ...]]] = {
    "load": ((RELAXED, ()), ("acquire", ()), ("seq_cst", (1,))),
    "store": ((RELAXED, ()), ("release", ()), ("seq_cst", (1,))),
    "rmw": ((RELAXED, ()), ("acquire", ()), ("release", ()), ("acq_rel", (1, 2)), ("seq_cst", (1, 2, 3))),
    "fence": (("", ()), ("acquire", ()), ("release", ()), ("acq_rel", (1, 2)), ("seq_cst", (1, 2, 3))),
}
ORDERS_OF_KIND: Final = {kind: frozenset(order for order, _ in ladder) for kind, ladder in _LADDERS.items()}
"""The orders that each kind of operation may have."""
_RMW: Final = ("exchange", "fetch_add", "fetch_sub", "fetch_or", "fetch_xor", "fetch_and")
_GCC_RMW: Final = ("add_fetch", "sub_fetch", "or_fetch", "xor_fetch", "and_fetch", "fetch_nand", "nand_fetch")


@record(frozen=True, slots=True)
class Form:
    """How a function takes its order: the kind of operation, the argument, and the name of the other form.

    `order` is the number of the argument; None: it has none and is seq_cst, and `explicit` is the name of the
    function that takes one in addition; two, if there is one for failure. `is_optional`: the argument may be
    left out, and the order is seq_cst then.
    """

    kind: str
    order: int | None
    explicit: str = ""
    has_failure: bool = False
    is_optional: bool = False

    def arguments(self, order: str) -> str:
        """What the explicit form takes in addition, to say `order`."""
        failure = f", memory_order_{_FAILURE[order]}" if self.has_failure else ""
        return f", memory_order_{order}{failure}"


# What a compare-exchange that fails may say at most, by what one that succeeds says.
_FAILURE: Final = {
    RELAXED: RELAXED,
    "acquire": "acquire",
    "release": RELAXED,
    "acq_rel": "acquire",
    "seq_cst": "seq_cst",
}


def _forms() -> dict[str, Form]:
    found = {
        "atomic_load_explicit": Form("load", 1),
        "atomic_store_explicit": Form("store", 2),
        "atomic_load": Form("load", None, "atomic_load_explicit"),
        "atomic_store": Form("store", None, "atomic_store_explicit"),
        "atomic_thread_fence": Form("fence", 0),
        "__atomic_thread_fence": Form("fence", 0),
        "__atomic_load_n": Form("load", 1),
        "__atomic_store_n": Form("store", 2),
        "__atomic_exchange_n": Form("rmw", 2),
        "atomic_flag_test_and_set_explicit": Form("rmw", 1),
        "atomic_flag_test_and_set": Form("rmw", None, "atomic_flag_test_and_set_explicit"),
        "atomic_flag_clear_explicit": Form("store", 1),
        "atomic_flag_clear": Form("store", None, "atomic_flag_clear_explicit"),
        "__atomic_compare_exchange_n": Form("rmw", 4),
    }
    for name in _RMW:
        found[f"atomic_{name}_explicit"] = Form("rmw", 2)
        found[f"atomic_{name}"] = Form("rmw", None, f"atomic_{name}_explicit")
    for name in (*_RMW[1:], *_GCC_RMW):
        found[f"__atomic_{name}"] = Form("rmw", 2)
    for strength in ("weak", "strong"):
        name = f"atomic_compare_exchange_{strength}"
        found[f"{name}_explicit"] = Form("rmw", 3)
        found[name] = Form("rmw", None, f"{name}_explicit", has_failure=True)
    return found


_FORMS: Final = _forms()
_FAILURES: Final = {
    "atomic_compare_exchange_weak_explicit": Form("load", 4),
    "atomic_compare_exchange_strong_explicit": Form("load", 4),
    "__atomic_compare_exchange_n": Form("load", 5),
}


Spell: TypeAlias = Callable[[str], str]
"""The words for an order."""


@record(frozen=True, slots=True)
class Spelling:
    """How a language says orders.

    Attributes:
        forms: how its functions take their orders.
        failures: how they take that of a compare-exchange that fails, which is a place of its own.
        read: an argument and the macros of the text → the order, `?` if it is none, and how to say others.
        spell: how to say an order where the text says none.
        nothing: an expression that does nothing.
        is_shown: reports say orders in the same words.
    """

    forms: Mapping[str, Form]
    failures: Mapping[str, Form]
    read: Callable[[str, Mapping[str, str]], tuple[str, Spell]]
    spell: Spell
    nothing: str = "(void)0"
    is_shown: bool = True


def edit_sites(
    text: CText,
    *,
    accesses: Sequence[tuple[int, int]],
    macros: Mapping[str, str],
    other_macros: Sequence[Mapping[str, str]] = (),
    fences: Mapping[str, str],
    compiled: Compiled | None = None,
    reached: AbstractSet[str] | None = None,
    spelling: Spelling | None = None,
) -> Iterator[EditSite]:
    """The places of a text.

    Args:
        text: its statements and calls.
        accesses: where the text accesses shared memory.
        macros: what names of orders stand for, where they are macros.
        other_macros: the same in each other configuration of the text: where such a name is replaced, it must
            become at least as strong as it is in any of them.
        fences: the statement that is a fence, by its order.
        compiled: what the compiler made of a call; only calls that it agrees with can be changed.
        reached: the functions with accesses, in this text or another; None: all of the text.
        spelling: how the language of the text says orders; C's by default.
    """
    spelling = spelling or _OF_C
    ladder = _LADDERS["fence"]
    for place in fence_sites(text, accesses, Fences(ladder, fences, title="fence "), reached):
        yield _with_own_names(place, "fence", spelling)
    yield from order_sites(
        text, macros=macros, other_macros=other_macros, compiled=compiled, spelling=spelling
    )


def order_sites(
    text: CText,
    *,
    macros: Mapping[str, str],
    other_macros: Sequence[Mapping[str, str]] = (),
    compiled: Compiled | None = None,
    spelling: Spelling | None = None,
) -> Iterator[EditSite]:
    """The places where a call says its order; arguments as of `edit_sites`."""
    spelling = spelling or _OF_C
    for call in sorted(text.calls, key=lambda call: call.name.start):
        failure = spelling.failures.get(call.name.text)
        for form in (spelling.forms.get(call.name.text), failure):
            if form is None or (compiled is not None and not compiled(call.start)):
                continue
            place = _order_place(text, call, form, spelling, macros)
            if place is None:
                continue
            order = _LADDERS[form.kind][place.current][0]
            kind = FAILURE if form is failure else form.kind
            if compiled is not None and order and (kind, order) not in compiled(call.start):
                continue
            elsewhere = _orders_in_other_configurations(call, form, macros, other_macros)
            named = _with_own_names(place, form.kind, spelling)
            yield restrict(named, _at_least(place, form, elsewhere))


def _with_own_names(place: EditSite, kind: str, spelling: Spelling) -> EditSite:
    """The place of a kind of operation, its orders named in words of the language: `Ordering::Release`."""
    if not spelling.is_shown:
        return place
    words = ["::".join(spelling.spell(order or RELAXED).split("::")[-2:]) for order, _ in _LADDERS[kind]]
    named = (
        replace(each, own_name=f"{kind} {word}" if each.name else "")
        for each, word in zip(place.alternatives, words, strict=True)
    )
    return replace(place, alternatives=tuple(named))


def renamed_call(text: CText, call: Call, kind: str, current: str, names: Mapping[str, str]) -> EditSite:
    """The place of a call of a function of which there is one for each order.

    Args:
        text: where the call is.
        call: it.
        kind: of the operation that the function does.
        current: the order that the function has now.
        names: the functions, by their orders.
    """
    there = text.span(call.name.start, call.name.end)
    ladder = _LADDERS[kind]
    orders = [order for order, _ in ladder]
    readings = [
        (f"{kind} {order}" if order not in ("", RELAXED) else "", (Edit(there, names.get(order, "")),))
        for order in orders
    ]
    place = EditSite(
        title=f"the {kind} in line {text.source.position(call.name.start)[0]}",
        span=text.span(call.name.start, call.closing + 1),
        alternatives=alternatives(readings, [below for _, below in ladder]),
        current=orders.index(current),
        loops=text.depth(call.name.start),
    )
    return restrict(place, [number for number, order in enumerate(orders) if order in names])


@record(frozen=True, slots=True)
class Fences:
    """The fences of a language.

    Attributes:
        ladder: their names from none at all to the strongest, with the numbers of those that each includes.
        words: the statement of each.
        title: stands before each name in a report.
    """

    ladder: Sequence[tuple[str, tuple[int, ...]]]
    words: Mapping[str, str]
    title: str = ""

    def at(self, title: str, span: Span, loops: int, edits: Callable[[str], tuple[Edit, ...]]) -> EditSite:
        """The place where `edits` put in the words of a fence."""
        readings = [
            (self.title + name, edits(self.words[name])) if name else ("", ()) for name, _ in self.ladder
        ]
        return EditSite(
            title=title,
            span=span,
            alternatives=alternatives(readings, [below for _, below in self.ladder]),
            loops=loops,
        )


def fence_sites(
    text: CText,
    accesses: Sequence[tuple[int, int]],
    fences: Fences,
    reached: AbstractSet[str] | None = None,
) -> Iterator[EditSite]:
    """A place before each statement with an access of its own or a call of a function that has some.

    `reached` are the functions with accesses, in this text or another; by default, all functions of the text.
    """
    reached = text.functions if reached is None else reached
    starts = sorted(start for start, _ in accesses)
    for statement in text.statements:
        first = bisect_left(starts, statement.start)
        own = first < len(starts) and starts[first] < statement.head_end
        if own or (statement.calls & reached and statement.function in reached):
            yield _before(text, statement, fences)
    for statement in text.last_in_loops:
        if statement.function in reached:
            yield _site_at_loop_end(text, statement, fences)


def _before(text: CText, statement: Statement, fences: Fences) -> EditSite:
    before, behind = text.span(statement.start, statement.start), text.span(statement.end, statement.end)
    gap = _gap(text, statement) if statement.is_braced else " "

    def edits(fence: str) -> tuple[Edit, ...]:
        if statement.is_braced:
            return (Edit(before, fence + gap),)
        return (Edit(before, f"{{ {fence} "), Edit(behind, " }"))

    title = f"before line {text.source.position(statement.start)[0]}"
    span = text.span(statement.start, statement.head_end)
    return fences.at(title, span, text.depth(statement.start), edits)


def _site_at_loop_end(text: CText, statement: Statement, fences: Fences) -> EditSite:
    """A place at the end of a loop's block: what the next round does comes behind it."""
    behind, gap = text.span(statement.end, statement.end), _gap(text, statement)
    title = f"after line {text.source.position(statement.end)[0]}"
    span = text.span(statement.start, statement.end)
    loops = text.depth(statement.start)
    return fences.at(title, span, loops, lambda fence: (Edit(behind, gap + fence),))


def _gap(text: CText, statement: Statement) -> str:
    """What separates a statement from one next to it: a line of its own where this has one."""
    line, column = text.source.position(statement.start)
    indent = text.source.line(line)[: column - 1]
    return " " if indent.strip() else f"\n{indent}"


def _order_place(
    text: CText, call: Call, form: Form, spelling: Spelling, macros: Mapping[str, str]
) -> EditSite | None:
    """The place of an operation's order; None where the text does not say it in a word of its own."""
    ladder = _LADDERS[form.kind]
    current, edits = _order_edits(text, call, form, spelling, macros)
    removed = _removal(text, call, spelling.nothing) if form.kind == "fence" else ()
    names = [order for order, _ in ladder]
    current = _order_in_ranking(current, form)
    if current not in names:
        return None
    line = text.source.position(call.name.start)[0]
    return EditSite(
        title=f"the {form.kind} in line {line}",
        span=text.span(call.start, call.closing + 1),
        alternatives=alternatives(
            [
                (
                    f"{form.kind} {order}" if order not in ("", RELAXED) else "",
                    edits(order) if order else removed,
                )
                for order in names
            ],
            [below for _, below in ladder],
        ),
        current=names.index(current),
        loops=text.depth(call.name.start),
    )


def _order_in_ranking(order: str, form: Form) -> str:
    """The name under which an order stands in the ladder of a kind of operation."""
    found = {"consume": "acquire", "": "seq_cst"}.get(order, order)
    return "" if form.kind == "fence" and found == RELAXED else found


def _orders_in_other_configurations(
    call: Call, form: Form, macros: Mapping[str, str], other_macros: Sequence[Mapping[str, str]]
) -> Iterator[str]:
    """The orders of a call in other configurations, where its word stands for something else there."""
    argument = _argument(call, form)
    if len(argument) != 1:
        return
    word = argument[0].text
    for others in other_macros:
        if word in others and _order(word, others) != _order(word, macros):
            yield _order_in_ranking(_order(word, others)[1], form)


def _argument(call: Call, form: Form) -> tuple[Token, ...]:
    """The argument that is the order; empty if there is none."""
    is_there = form.order is not None and form.order < len(call.arguments)
    return call.arguments[form.order] if is_there and form.order is not None else ()


def _at_least(place: EditSite, form: Form, orders: Iterable[str]) -> list[int]:
    """The alternatives that are at least as strong as some orders, and the present one."""
    names = [order for order, _ in _LADDERS[form.kind]]
    needed = {names.index(order) if order in names else -1 for order in orders}
    return [
        number
        for number, each in enumerate(place.alternatives)
        if number == place.current or needed <= each.includes
    ]


def _removal(text: CText, call: Call, nothing: str) -> tuple[Edit, ...]:
    """The edit that takes away the statement that a call is, and its line if nothing else is there."""
    own = next((item for item in text.statements if item.start == call.start), None)
    if own is None or text.source.text[call.closing + 1 : own.end].strip() != ";":
        return (Edit(text.span(call.start, call.closing + 1), nothing),)
    start, end = own.start, own.end
    line = text.source.position(start)[0]
    if text.source.line(line).strip() == text.source.text[start:end] and own.is_braced:
        start = text.source.line_starts[line - 1]
        end = text.source.line_starts[line] if line < len(text.source.line_starts) else end
    return (Edit(text.span(start, end), "" if own.is_braced else ";"),)


def _order_edits(
    text: CText, call: Call, form: Form, spelling: Spelling, macros: Mapping[str, str]
) -> tuple[str, Callable[[str], tuple[Edit, ...]]]:
    """The order that a call says now, and how to make it say another; `?` if it says none in one word."""
    closing = text.span(call.closing, call.closing)
    if form.order is None:
        name = text.span(call.name.start, call.name.end)
        return "", lambda order: (Edit(name, form.explicit), Edit(closing, form.arguments(order)))
    argument = _argument(call, form)
    if not argument:
        comma = ", " if form.order else ""
        is_left_out = form.is_optional and len(call.arguments) == max(form.order, 1)
        return "" if is_left_out else "?", lambda order: (Edit(closing, comma + spelling.spell(order)),)
    order, spell = spelling.read("".join(word.text for word in argument), macros)
    there = text.span(argument[0].start, argument[-1].end)
    return order, lambda wanted: (Edit(there, spell(wanted)),)


def _order(spelt: str, macros: Mapping[str, str]) -> tuple[str, str]:
    """The prefix of an order and its name behind all macros; `?` if it is none."""
    for _ in range(len(macros) + 1):
        if spelt not in macros or spelt.startswith("__ATOMIC_"):
            break
        spelt = macros[spelt]
    prefix = next((prefix for prefix in _PREFIXES if spelt.startswith(prefix)), None)
    return ("", "?") if prefix is None else (prefix, spelt.removeprefix(prefix).lower())


def _read_order(argument: str, macros: Mapping[str, str]) -> tuple[str, Spell]:
    prefix, order = _order(argument, macros)
    return order, lambda wanted: prefix + (wanted.upper() if prefix == "__ATOMIC_" else wanted)


_OF_C: Final = Spelling(_FORMS, _FAILURES, _read_order, "memory_order_{}".format, is_shown=False)
