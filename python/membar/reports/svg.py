"""One execution as a picture: threads as columns, program order downwards, relations as coloured arrows."""

from __future__ import annotations

from html import escape

from membar.program.execution import Event, Execution, Kind
from membar.program.program import Program
from membar.questions.answer import Answer
from membar.questions.outcome import Witness
from membar.reports import Report
from membar.reports._parts.condition import state_text
from membar.reports._parts.drawing import DEPENDENCIES, EDGE_COLORS, MEANINGS
from membar.reports._parts.event import cell_name, line_number, source_text, value_text
from membar.reports._parts.labels import place_labels
from membar.reports._parts.layout import BOX_HEIGHT, Box, Layout, initial_writes, layout
from membar.reports._parts.path import decimal
from membar.reports._parts.style import line, wrap
from membar.reports._parts.style import width as columns_of
from membar.reports._parts.verdict import verdict_text, witness_of

CHARACTER = 7.3  # width of a character of the code font
SMALL = 6.2  # and of the small sans-serif one
LONGEST = 30  # characters of source text on a line of a box; the whole text is in the tooltip
LINE = 15.0  # height of a further line of source text
NARROWEST = 96.0
MARGIN = 28.0

_CODE = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace"
_SANS = "system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif"
_FILLS = {
    Kind.READ: ("#f0fdf4", "#86c79b"),
    Kind.WRITE: ("#eff6ff", "#93b4e8"),
    Kind.FENCE: ("#f3f4f6", "#b6bcc6"),
}
_INK, _FAINT, _PAPER, _FRAME = "#1f2430", "#6b7280", "#ffffff", "#d5d9e0"


def render(program: Program, witness: Witness, *, title: str = "") -> str:
    """The execution as a self-contained SVG document; the same input gives the same bytes."""
    execution = witness.execution
    widths = [_column_width(program, execution, index) for index in range(len(program.threads))]
    initial = [f"{_shown_value(program, event)}" for event in initial_writes(execution)]
    initial_width = max([48.0, *(len(text) * CHARACTER + 20 for text in initial)])
    lines = max([1, *(len(_source(program, event)) for event in execution.events)])
    height = BOX_HEIGHT + LINE * (lines - 1)
    grid = layout(program, execution, widths, height=height, initial_width=initial_width)
    head = _head(program, witness, title)
    foot = _foot(program, witness, grid)
    wide = max(grid.width, head[1], foot[1])
    shift = (wide - grid.width) / 2
    top = head[2]
    high = top + grid.height + 22 + foot[2]
    body = [
        f'<g transform="translate({decimal(shift)},{decimal(top)})">',
        *_columns(program, grid),
        *_arrows(grid),
        *_boxes(program, execution, grid),
        *_labels(grid),
        "</g>",
        f'<g transform="translate(0,{decimal(top + grid.height + 22)})">',
        *foot[0],
        "</g>",
    ]
    return "\n".join([*_document(wide, high, title or program.name), *head[0], *body, "</svg>"]) + "\n"


def _document(wide: float, high: float, title: str) -> list[str]:
    """The opening: size, own background, arrow heads."""
    size = f'width="{decimal(wide)}" height="{decimal(high)}" viewBox="0 0 {decimal(wide)} {decimal(high)}"'
    heads = [
        f'<marker id="membar-{name}" viewBox="0 0 8 8" refX="7.2" refY="4" markerWidth="8" markerHeight="8" '
        'markerUnits="userSpaceOnUse" orient="auto">'
        f'<path d="M0,0.6 L8,4 L0,7.4 L1.8,4 z" fill="{color}"/></marker>'
        for name, color in EDGE_COLORS.items()
    ]
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>{escape(title)}</title>",
        f"<defs>{''.join(heads)}</defs>",
        f'<rect x="0.5" y="0.5" width="{decimal(wide - 1)}" height="{decimal(high - 1)}" rx="10" '
        f'fill="{_PAPER}" stroke="{_FRAME}"/>',
    ]


def _head(program: Program, witness: Witness, title: str) -> tuple[list[str], float, float]:
    """Title and message: elements, width and height."""
    words = title or program.name
    lines = [_text(MARGIN, 32, words, font=_SANS, size=16, color=_INK, weight="600")]
    wide, high = len(words) * 9.2 + 2 * MARGIN, 56.0
    if witness.message:
        message = _short(witness.message, 90)
        lines.append(_text(MARGIN, 52, message, font=_SANS, size=12, color=_FAINT))
        wide, high = max(wide, len(message) * SMALL + 2 * MARGIN), 74.0
    return lines, wide, high


def _foot(program: Program, witness: Witness, grid: Layout) -> tuple[list[str], float, float]:
    """Final state and legend: elements, width and height."""
    lines: list[str] = []
    y, wide = 0.0, 0.0
    limit = max(grid.width, 420.0)
    if witness.final:
        state = _short(f"final state  {state_text(program, witness.final)}", 110)
        lines.append(_text(MARGIN, y + 12, state, font=_CODE, size=12, color=_INK))
        wide, y = len(state) * CHARACTER + 2 * MARGIN, y + 30
    x = MARGIN
    drawn = {edge.relation for edge, _ in grid.paths}
    for name in (name for name in EDGE_COLORS if name in drawn):
        words = f"{name}: {MEANINGS[name]}"
        needed = 30 + len(words) * SMALL + 18
        if x > MARGIN and x + needed > limit - MARGIN:
            x, y = MARGIN, y + 20
        lines.append(
            f'<path d="M{decimal(x)},{decimal(y + 8)} L{decimal(x + 24)},{decimal(y + 8)}" {_stroke(name)} '
            f'marker-end="url(#membar-{name})"/>'
        )
        lines.append(_text(x + 30, y + 12, words, font=_SANS, size=11, color=_FAINT))
        x += needed
        wide = max(wide, x - 18 + MARGIN)
    return lines, wide, y + 36


def _columns(program: Program, grid: Layout) -> list[str]:
    """A faint strip and the name for each thread."""
    lines: list[str] = []
    for thread, box in zip(program.threads, grid.headers, strict=True):
        lines.append(
            f'<rect x="{decimal(box.left - 8)}" y="{decimal(box.top)}" width="{decimal(box.width + 16)}" '
            f'height="{decimal(grid.height - box.top + 8)}" rx="8" fill="#fafbfc" stroke="#eceef2"/>'
        )
        lines.append(
            _text(
                box.middle[0],
                box.top + 19,
                thread.name,
                font=_SANS,
                size=13,
                color=_INK,
                weight="600",
                anchor="middle",
            )
        )
    return lines


def _boxes(program: Program, execution: Execution, grid: Layout) -> list[str]:
    lines: list[str] = []
    for event in execution.events:
        box = grid.boxes.get(event.id)
        if box is None:
            continue
        fill, stroke = _FILLS[event.kind]
        dashes = ' stroke-dasharray="3 3"' if event.is_initial else ""
        lines.append(
            f'<g><rect x="{decimal(box.left)}" y="{decimal(box.top)}" width="{decimal(box.width)}" '
            f'height="{decimal(box.height)}" rx="7" fill="{fill}" stroke="{stroke}"{dashes}/>'
        )
        if event.is_initial:
            lines.append(
                _text(
                    box.middle[0],
                    box.top + 17,
                    _shown_value(program, event),
                    font=_CODE,
                    size=12,
                    color=_INK,
                    anchor="middle",
                )
            )
        else:
            lines += _box_text(program, event, box)
        lines.append("</g>")
    return lines


def _box_text(program: Program, event: Event, box: Box) -> list[str]:
    """The user's text above, line number and value below."""
    number = line_number(event)
    lines = [f"<title>{escape(source_text(program, event))}</title>"]
    for index, part in enumerate(_source(program, event)):
        y = box.top + 18 + LINE * index
        lines.append(_text(box.left + 10, y, part, font=_CODE, size=12, color=_INK))
    y = box.bottom - 9
    if number is not None:
        lines.append(_text(box.left + 10, y, f"line {number}", font=_SANS, size=10, color=_FAINT))
    words = _value(program, event)
    if words:
        color = {Kind.READ: EDGE_COLORS["rf"], Kind.WRITE: EDGE_COLORS["co"], Kind.FENCE: _FAINT}[event.kind]
        value = _text(box.right - 10, y, words, font=_CODE, size=12, color=color, weight="600", anchor="end")
        lines.append(value)
    return lines


def _arrows(grid: Layout) -> list[str]:
    return [
        f'<path d="{path.svg()}" {_stroke(edge.relation)} marker-end="url(#membar-{edge.relation})"/>'
        for edge, path in grid.paths
    ]


def _stroke(name: str) -> str:
    thin = name in (*DEPENDENCIES, "po", "spawn")
    dashes = ' stroke-dasharray="4 3"' if name in DEPENDENCIES else ""
    return f'fill="none" stroke="{EDGE_COLORS[name]}" stroke-width="{"1.2" if thin else "1.7"}"{dashes}'


def _labels(grid: Layout) -> list[str]:
    """The name of each arrow but those of program order."""
    lines: list[str] = []
    for edge, box in place_labels(grid):
        x, y = box.middle
        color = EDGE_COLORS[edge.relation]
        lines.append(
            f'<rect x="{decimal(box.left)}" y="{decimal(box.top)}" width="{decimal(box.width)}" '
            f'height="{decimal(box.height)}" rx="4" fill="{_PAPER}" fill-opacity="0.92"/>'
        )
        lines.append(
            _text(x, y + 4, edge.relation, font=_SANS, size=11, color=color, weight="600", anchor="middle")
        )
    return lines


def _column_width(program: Program, execution: Execution, thread: int) -> float:
    widest = max(NARROWEST, len(program.threads[thread].name) * 8.5)
    for event in execution.events:
        if event.thread == thread:
            number = f"line {line_number(event)}" if line_number(event) else ""
            text = max(map(columns_of, _source(program, event))) * CHARACTER
            below = len(number) * SMALL + columns_of(_value(program, event)) * CHARACTER + 14
            widest = max(widest, text + 20, below + 20)
    return widest


def _source(program: Program, event: Event) -> list[str]:
    """The user's text on at most two lines."""
    first, *rest = wrap(line(source_text(program, event)), LONGEST, indent=2)
    lines = [part.render(color=False) for part in (first, *rest[:1])]
    return [*lines[:-1], lines[-1] + ("…" if rest[1:] else "")]


def _value(program: Program, event: Event) -> str:
    if event.kind is Kind.FENCE:
        said = _letters(source_text(program, event))
        return _short(" ".join(tag for tag in sorted(event.tags) if _letters(tag) not in said), 24)
    arrow = "→" if event.kind is Kind.READ else "←"
    return f"{cell_name(program, event)} {arrow} {value_text(program, event)}"


def _letters(text: str) -> str:
    """Letters and digits only, in one case: `DMB SY` and `dmb.sy` are the same word."""
    return "".join(c for c in text.lower() if c.isalnum())


def _shown_value(program: Program, event: Event) -> str:
    return f"{cell_name(program, event)}={value_text(program, event)}"


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _text(
    x: float, y: float, words: str, *, font: str, size: int, color: str, weight: str = "", anchor: str = ""
) -> str:
    extra = (f' font-weight="{weight}"' if weight else "") + (f' text-anchor="{anchor}"' if anchor else "")
    return (
        f'<text x="{decimal(x)}" y="{decimal(y)}" font-family="{font}" font-size="{size}" fill="{color}"'
        f'{extra} xml:space="preserve">{escape(words)}</text>'
    )


def of_answer(answer: Answer) -> str:
    """The picture of an answer's witness, titled with test, verdict and model; "" if there is none."""
    witness = witness_of(answer.outcome)
    if witness is None:
        return ""
    title = f"{answer.program.name}: {verdict_text(answer.outcome)} under {answer.judging.name}"
    return render(answer.program, witness, title=title)


REPORT = Report(name="svg", title="the witness as a picture", suffix=".svg", render=of_answer)
