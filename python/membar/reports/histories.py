"""Histories of concurrent objects: as a timeline, and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import PurePath

from membar.objects.history import History, result_text
from membar.objects.orders import Ordering
from membar.questions.answer import Answer, ClientRun, Refutation
from membar.records import record
from membar.reports._parts.palette import BY_NAME
from membar.reports._parts.style import Line, line, wrap


def history_lines(refutation: Refutation, ordering: Ordering, columns: int) -> list[Line]:
    """The history that nothing explains, and how far an order explains it."""
    return [
        line(("A history that no order of its calls explains", "bold")),
        Line(),
        *_timeline(refutation.history, columns),
        *_explanation(refutation, ordering, columns),
    ]


def _timeline(history: History, columns: int) -> list[Line]:
    """One line per thread, a bar per call; one line per call where that is too wide."""
    drawn = bars(history)
    widths = _widths(history, drawn)
    if 5 + sum(widths) > columns:
        return [line(f"  T{call.thread}  {call.text}") for call in history.calls if call.made]
    starts = [sum(widths[:column]) for column in range(len(widths) + 1)]
    lines = []
    for thread in sorted({call.thread for call in history.calls}):
        text = ""
        for bar in drawn:
            call = history.calls[bar.call]
            if call.thread == thread:
                room = starts[bar.last + 1] - starts[bar.first] - 3
                end = " " if bar.open else "]"
                text = f"{text:<{starts[bar.first]}}[{call.text:<{room}}{end} "
        lines.append(line((f"  T{thread}  ", "dim"), text.rstrip()))
    return lines


def _widths(history: History, drawn: Sequence[Bar]) -> list[int]:
    """How wide each column must be so that every call fits between its brackets."""
    widths = [4] * (max(bar.last for bar in drawn) + 1)
    for bar in sorted(drawn, key=lambda item: item.last - item.first):
        missing = len(history.calls[bar.call].text) + 3 - sum(widths[bar.first : bar.last + 1])
        if missing > 0:
            widths[bar.last] += missing
    return widths


_MEANS = {
    Ordering.CAUSAL: "by program order and synchronisation",
    Ordering.FLUSH: "by the time at which the stores of their threads reached memory",
    Ordering.REAL_TIME: "by the clock",
}


def _explanation(refutation: Refutation, ordering: Ordering, columns: int) -> list[Line]:
    lines: list[Line] = [Line()]
    for text in explanation(refutation, ordering):
        lines += wrap(line("  ", text), columns, indent=4)
    return lines


def explanation(refutation: Refutation, ordering: Ordering) -> list[str]:
    """Which calls are ordered, how far an order explains them, and where it ends."""
    history, verdict = refutation.history, refutation.verdict
    told: list[str] = []
    pairs = [
        f"{_call_text(history, a)} returned before {_call_text(history, b)} was made"
        for a, b in history.across
    ]
    if pairs:
        told.append(f"order: {'; '.join(pairs)} ({_MEANS[ordering]})")
    steps = "; ".join(history.calls[step.call].text for step in verdict.steps)
    told.append(f"longest prefix that can be linearized: {steps or 'nothing'}")
    for call, instead in verdict.refused:
        said = history.calls[call]
        expected, found = result_text(instead), result_text(said.result)
        told.append(f"then {_call_text(history, call)} should return {expected}, not {found}")
    if not verdict.refused:
        told.append("then the specification allows none of the other calls")
    return told


def _call_text(history: History, call: int) -> str:
    """A call by its thread and text."""
    item = history.calls[call]
    return f"T{item.thread}'s {item.operation}({', '.join(map(str, item.arguments))})"


_ROW, _COLUMN, _TOP, _LEFT = 54, 9.0, 58, 56
_FONT = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace"


def render_svg(answer: Answer, *, theme: str = "light") -> str:
    """The history as a self-contained SVG picture; "" where there is none."""
    palette = BY_NAME[theme]
    refutation = answer.evidence.refutation if isinstance(answer.evidence, ClientRun) else None
    if refutation is None or answer.order is None:
        return ""
    history = refutation.history
    drawn = bars(history)
    widths = [width * _COLUMN + 30 for width in _widths(history, drawn)]
    starts = [_LEFT + sum(widths[:column]) for column in range(len(widths) + 1)]
    threads = sorted({call.thread for call in history.calls})
    explained = {step.call for step in refutation.verdict.steps}
    title = f"{PurePath(answer.source.path).name} under {answer.model.name}, {answer.order.value} order"
    foot = (
        "with a cross: the calls that no order puts after the others" if len(explained) < len(drawn) else ""
    )
    wide = max(starts[-1] + 24, len(title) * _COLUMN + 32, len(foot) * 7.6 + 32)
    high = _TOP + _ROW * len(threads) + 34
    body = [f'<text x="16" y="28" font-weight="bold" fill="{palette.ink}">{escape(title)}</text>']
    middles: dict[int, tuple[float, float, float]] = {}
    for bar in drawn:
        call = history.calls[bar.call]
        y = _TOP + _ROW * threads.index(call.thread)
        left, right = starts[bar.first], starts[bar.last + 1] - 14
        middles[bar.call] = (left, right, y + 16)
        is_explained = bar.call in explained
        fill, ink = (palette.write, palette.line) if is_explained else (palette.paper, palette.bad)
        dash = ' stroke-dasharray="5 4"' if bar.open else ""
        body.append(
            f'<rect x="{left:g}" y="{y}" width="{right - left:g}" height="32" rx="5" fill="{fill}"'
            f' stroke="{ink}" stroke-width="1.6"{dash}/>'
        )
        body.append(f'<text x="{left + 8:g}" y="{y + 21}" fill="{palette.ink}">{escape(call.text)}</text>')
        if not is_explained:
            body.append(
                f'<path d="M{right - 15:g},{y + 12} l8,8 m0,-8 l-8,8" stroke="{ink}" stroke-width="2"/>'
            )
    for thread in threads:
        y = _TOP + _ROW * threads.index(thread) + 21
        body.append(f'<text x="16" y="{y}" fill="{palette.faint}">T{thread}</text>')
    for first, second in history.across:
        x1, y1 = middles[first][1], middles[first][2]
        x2, y2 = middles[second][0], middles[second][2]
        body.append(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{palette.faint}"'
            ' stroke-width="1.4" marker-end="url(#arrow)"/>'
        )
    body.append(f'<text x="16" y="{high - 14}" fill="{palette.faint}" font-size="12">{foot}</text>')
    marker = (
        '<defs><marker id="arrow" markerWidth="9" markerHeight="8" refX="8" refY="4" orient="auto">'
        f'<path d="M0,0 L9,4 L0,8 z" fill="{palette.faint}"/></marker></defs>'
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:g}" height="{high}" '
        f'viewBox="0 0 {wide:g} {high}" font-family="{_FONT}" font-size="14">\n'
        f'<rect width="100%" height="100%" fill="{palette.paper}"/>\n{marker}\n'
        + "\n".join(body)
        + "\n</svg>\n"
    )


# Where the calls of a history stand on a timeline: from the column of the call to that of the return.


@record(frozen=True, slots=True)
class Bar:
    """A call, from one column to another, both included; `open` if it never returned."""

    call: int
    first: int
    last: int
    open: bool


def bars(history: History) -> tuple[Bar, ...]:
    """A bar per call: it begins as soon as it may, and ends just before the first call that is after it.

    Calls that are ordered do not overlap. Calls without order overlap where that can be drawn; which calls
    are ordered is said beside the drawing, as not every order can be.
    """
    number = len(history.calls)
    first = [0] * number
    for _ in range(number):
        for before, after in history.before:
            first[after] = max(first[after], first[before] + 1)
    end = max((first[call] for call in range(number) if history.calls[call].made), default=0)
    found = []
    for call in range(number):
        if not history.calls[call].made:
            continue
        after_it = [after for before, after in history.before if before == call]
        later = [first[after] for after in after_it if history.calls[after].made]
        last = min(later) - 1 if later else end
        found.append(Bar(call, first[call], last, history.calls[call].pending))
    return tuple(found)
