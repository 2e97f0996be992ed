"""One execution as a picture: threads as columns, program order downwards, relations as coloured arrows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from membar.models.explain import Failure
from membar.program.execution import Event, Execution, Kind
from membar.program.program import Program
from membar.questions.answer import Answer
from membar.questions.outcome import Witness
from membar.reports import Report
from membar.reports._parts.condition import state_text
from membar.reports._parts.drawing import DEPENDENCIES, MEANINGS
from membar.reports._parts.event import cell_name, line_label, source_text, value_text
from membar.reports._parts.final_states import is_complete_execution
from membar.reports._parts.labels import place_labels
from membar.reports._parts.layout import BOX_HEIGHT, Box, initial_writes, layout
from membar.reports._parts.palette import BY_NAME, Palette, dash_pattern
from membar.reports._parts.picture import Picture, cycle_picture, picture_of
from membar.reports._parts.style import line, wrap
from membar.reports._parts.style import width as columns_of
from membar.reports._parts.svg_path import decimal
from membar.reports._parts.verdict import verdict_text, witness_of
from membar.reports._parts.violation_place import racing_events

CHARACTER = 7.3  # width of a character of the code font
SMALL = 6.2  # and of the small sans-serif one
LONGEST = 30  # characters of source text on a line of a box; the whole text is in the tooltip
LINE = 15.0  # height of a further line of source text
NARROWEST = 96.0
MARGIN = 28.0

_CODE = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace"
_SANS = "system-ui,'DejaVu Sans',Helvetica,Arial,sans-serif"


def render(
    program: Program,
    witness: Witness,
    *,
    title: str = "",
    racing: Iterable[int] = (),
    theme: str = "light",
    is_full: bool = False,
    is_complete: bool = True,
) -> str:
    """The execution as a self-contained SVG document; the same input gives the same bytes."""
    picture = picture_of(program, witness, racing=racing, is_full=is_full)
    label = "final state" if is_complete else "state reached"
    foot = f"{label}  {state_text(program, witness.final)}" if witness.final else ""
    return _Drawing(program, picture, BY_NAME[theme]).document(title or program.name, witness.message, foot)


def render_cycle(
    program: Program,
    execution: Execution,
    failure: Failure,
    *,
    title: str,
    theme: str = "light",
    is_full: bool = False,
) -> str:
    """A forbidden execution with the cycle that the model excludes."""
    picture = cycle_picture(program, execution, failure, is_full=is_full)
    count = len(failure.edges)
    words = f"each of these {count} comes before the next, and the last before the first"
    said = f"forbidden by {failure.check.name}" + (f": {words}" if failure.is_cycle else "")
    return _Drawing(program, picture, BY_NAME[theme]).document(title, said, "")


class _Drawing:
    """A picture in the colours of a theme."""

    def __init__(self, program: Program, picture: Picture, palette: Palette) -> None:
        self._program, self._picture, self._palette = program, picture, palette
        execution = picture.execution
        widths = [self._column_width(thread) for thread in range(len(picture.threads))]
        initial = [self._shown_value(event) for event in initial_writes(execution)]
        lines = max([1, *(len(self._source(event)) for event in execution.events)])
        self._grid = layout(
            execution,
            widths,
            height=BOX_HEIGHT + LINE * (lines - 1),
            initial_width=max([48.0, *(len(text) * CHARACTER + 20 for text in initial)]),
            edges=picture.edges,
        )

    def document(self, title: str, message: str, final: str) -> str:
        """The whole picture."""
        grid = self._grid
        head, foot = self._head(title, message), self._footer(final)
        wide = max(grid.width, head[1], foot[1])
        shift, top = (wide - grid.width) / 2, head[2]
        high = top + grid.height + 22 + foot[2]
        body = [
            f'<g transform="translate({decimal(shift)},{decimal(top)})">',
            *self._columns(),
            *self._arrows(),
            *self._boxes(),
            *self._labels(),
            "</g>",
            f'<g transform="translate(0,{decimal(top + grid.height + 22)})">',
            *foot[0],
            "</g>",
        ]
        return "\n".join([*self._opening(wide, high, title), *head[0], *body, "</svg>"]) + "\n"

    def _opening(self, wide: float, high: float, title: str) -> list[str]:
        """The beginning: size, own background, arrow heads."""
        size = f'width="{decimal(wide)}" height="{decimal(high)}"'
        colors = dict.fromkeys(self._palette.relation(edge.relation) for edge in self._picture.edges)
        heads = [
            f'<marker id="membar-{color[1:]}" viewBox="0 0 8 8" refX="7.2" refY="4" markerWidth="8.5"'
            ' markerHeight="8.5" markerUnits="userSpaceOnUse" orient="auto">'
            f'<path d="M0,0.6 L8,4 L0,7.4 L1.8,4 z" fill="{color}"/></marker>'
            for color in colors
        ]
        return [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {decimal(wide)} {decimal(high)}"'
            ' role="img">',
            f"<title>{escape(title)}</title>",
            f"<defs>{''.join(heads)}</defs>",
            f'<rect x="0.5" y="0.5" width="{decimal(wide - 1)}" height="{decimal(high - 1)}" rx="10" '
            f'fill="{self._palette.paper}" stroke="{self._palette.frame}"/>',
        ]

    def _head(self, title: str, message: str) -> tuple[list[str], float, float]:
        """Title and message: elements, width and height."""
        lines = [text(MARGIN, 32, title, font=_SANS, size=16, color=self._palette.ink, weight="600")]
        wide, high = len(title) * 10.2 + 2 * MARGIN, 56.0
        if message:
            said = _short(message, 110)
            lines.append(text(MARGIN, 52, said, font=_SANS, size=12, color=self._palette.faint))
            wide, high = max(wide, len(said) * SMALL + 2 * MARGIN), 74.0
        return lines, wide, high

    def _footer(self, final: str) -> tuple[list[str], float, float]:
        """Final state and legend: elements, width and height."""
        palette, lines = self._palette, []
        y, wide = 0.0, 0.0
        limit = max(self._grid.width, 420.0)
        if final:
            state = _short(final, 110)
            lines.append(text(MARGIN, y + 12, state, font=_CODE, size=12, color=palette.ink))
            wide, y = len(state) * CHARACTER + 2 * MARGIN, y + 30
        x = MARGIN
        for swatch, words in self._legend():
            needed = 30 + len(words) * SMALL + 18
            if x > MARGIN and x + needed > limit - MARGIN:
                x, y = MARGIN, y + 20
            lines.append(f'<g transform="translate({decimal(x)},{decimal(y + 8)})">{swatch}</g>')
            lines.append(text(x + 30, y + 12, words, font=_SANS, size=11, color=palette.faint))
            x += needed
            wide = max(wide, x - 18 + MARGIN)
        return lines, wide, y + 36

    def _legend(self) -> Iterator[tuple[str, str]]:
        """A small drawing, and what it means."""
        picture, palette = self._picture, self._palette
        drawn = dict.fromkeys(edge.relation for edge in picture.edges)
        others = (name for name in drawn if name not in MEANINGS)
        for name in (*(name for name in MEANINGS if name in drawn), *others):
            words = f"{name}: {MEANINGS.get(name, 'defined by the model')}"
            yield f'<path d="M0,0 L24,0" {self._stroke(name)}/>', words
        for events, words in ((picture.failing, "this fails"), (picture.racing, "they race")):
            if events:
                yield self._cross(5, -7), words
        if picture.repeated:
            bar = f'<path d="M10,-7 v14" stroke="{palette.again}" stroke-width="4" fill="none"/>'
            yield bar, "again and again"

    def _columns(self) -> list[str]:
        """A faint strip and the name for each thread."""
        lines: list[str] = []
        for name, box in zip(self._picture.threads, self._grid.headers, strict=True):
            lines.append(
                f'<rect x="{decimal(box.left - 8)}" y="{decimal(box.top)}" width="{decimal(box.width + 16)}" '
                f'height="{decimal(self._grid.height - box.top + 8)}" rx="8" fill="{self._palette.strip}"'
                f' stroke="{self._palette.frame}"/>'
            )
            x, y, ink = box.middle[0], box.top + 19, self._palette.ink
            lines.append(text(x, y, name, font=_SANS, size=13, color=ink, weight="600", anchor="middle"))
        return lines

    def _boxes(self) -> list[str]:
        lines: list[str] = []
        for event in self._picture.execution.events:
            box = self._grid.boxes.get(event.id)
            if box is None:
                continue
            lines += ["<g>", self._frame(event, box)]
            if event.is_initial:
                words, place = self._shown_value(event), (box.middle[0], box.top + 17)
                lines.append(
                    text(*place, words, font=_CODE, size=12, color=self._palette.ink, anchor="middle")
                )
            else:
                lines += self._box_text(event, box)
            lines.append("</g>")
        return lines

    def _frame(self, event: Event, box: Box) -> str:
        """The border and fill of a box, and the marks on it."""
        picture, palette = self._picture, self._palette
        is_bad = event.id in picture.failing or event.id in picture.racing
        in_cycle = event.id in picture.cycle
        fill = {Kind.READ: palette.paper, Kind.WRITE: palette.write, Kind.FENCE: palette.panel}[event.kind]
        stroke = palette.bad if is_bad else palette.ink if in_cycle else palette.line
        dashes = ' stroke-dasharray="3 3"' if event.is_initial or event.id in picture.folded else ""
        frame = (
            f'<rect x="{decimal(box.left)}" y="{decimal(box.top)}" width="{decimal(box.width)}" '
            f'height="{decimal(box.height)}" rx="7" fill="{fill}" stroke="{stroke}"'
            f' stroke-width="{"2.4" if is_bad else "2" if in_cycle else "1.2"}"{dashes}/>'
        )
        if is_bad:
            frame += self._cross(box.right - 19, box.top + 5)
        if event.id in picture.repeated:
            frame += (
                f'<path d="M{decimal(box.left + 4)},{decimal(box.top + 7)} v{decimal(box.height - 14)}"'
                f' stroke="{palette.again}" stroke-width="4" stroke-linecap="round"/>'
            )
        return frame

    def _cross(self, x: float, y: float) -> str:
        """An octagon with a cross: what is wrong is not told by colour alone."""
        return (
            f'<g transform="translate({decimal(x)},{decimal(y)}) scale(.6)">'
            f'<path d="M7.5 1.5h9l6 6v9l-6 6h-9l-6-6v-9z" fill="{self._palette.bad}"/>'
            f'<path d="M8.2 8.2l7.6 7.6M15.8 8.2l-7.6 7.6" stroke="{self._palette.paper}"'
            ' stroke-width="2.8"/></g>'
        )

    def _box_text(self, event: Event, box: Box) -> list[str]:
        """The user's text above, line number and value below."""
        palette, folded = self._palette, self._picture.folded.get(event.id)
        if folded is not None:
            place = box.middle[0], box.middle[1] + 4
            return [text(*place, folded, font=_SANS, size=12, color=palette.faint, anchor="middle")]
        lines = [f"<title>{escape(source_text(self._program, event))}</title>"]
        for index, part in enumerate(self._source(event)):
            y = box.top + 18 + LINE * index
            lines.append(text(box.left + 12, y, part, font=_CODE, size=12, color=palette.ink))
        y, label = box.bottom - 9, _line(event)
        if label:
            lines.append(text(box.left + 12, y, label, font=_SANS, size=10, color=palette.faint))
        words = self._value(event)
        if words:
            color = palette.faint if event.kind is Kind.FENCE else palette.ink
            lines.append(
                text(box.right - 10, y, words, font=_CODE, size=12, color=color, weight="600", anchor="end")
            )
        return lines

    def _arrows(self) -> list[str]:
        return [
            f'<path d="{path.svg()}" {self._stroke(edge.relation, is_numbered=bool(edge.number))}/>'
            for edge, path in self._grid.paths
        ]

    def _stroke(self, name: str, *, is_numbered: bool = False) -> str:
        color, broken = self._palette.relation(name), dash_pattern(name)
        dashes = f' stroke-dasharray="{broken}"' if broken else ""
        is_thin = name in (*DEPENDENCIES, "po", "spawn")
        wide = "2.6" if is_numbered else "1.4" if is_thin else "1.9"
        head = f'marker-end="url(#membar-{color[1:]})"'
        return f'fill="none" stroke="{color}" stroke-width="{wide}"{dashes} {head}'

    def _labels(self) -> list[str]:
        """The name of each arrow but those of program order."""
        lines: list[str] = []
        for edge, box in place_labels(self._grid):
            x, y = box.middle
            color = self._palette.relation(edge.relation)
            lines.append(
                f'<rect x="{decimal(box.left)}" y="{decimal(box.top)}" width="{decimal(box.width)}" '
                f'height="{decimal(box.height)}" rx="4" fill="{self._palette.paper}" fill-opacity="0.92"/>'
            )
            lines.append(
                text(x, y + 4, edge.text, font=_SANS, size=11, color=color, weight="600", anchor="middle")
            )
        return lines

    def _column_width(self, thread: int) -> float:
        picture = self._picture
        widest = max(NARROWEST, len(picture.threads[thread]) * 8.5)
        for event in picture.execution.events:
            if event.thread != thread:
                continue
            if event.id in picture.folded:
                widest = max(widest, len(picture.folded[event.id]) * SMALL + 24)
                continue
            cross = 18 if event.id in picture.failing or event.id in picture.racing else 0
            text = max(map(columns_of, self._source(event))) * CHARACTER + cross
            below = len(_line(event)) * SMALL + columns_of(self._value(event)) * CHARACTER + 14
            widest = max(widest, text + 22, below + 22)
        return widest

    def _source(self, event: Event) -> list[str]:
        """The user's text on at most two lines."""
        first, *rest = wrap(line(source_text(self._program, event)), LONGEST, indent=2)
        lines = [part.render(color=False) for part in (first, *rest[:1])]
        return [*lines[:-1], lines[-1] + ("…" if rest[1:] else "")]

    def _value(self, event: Event) -> str:
        if event.kind is Kind.FENCE:
            said = _normalized_name(source_text(self._program, event))
            return _short(
                " ".join(tag for tag in sorted(event.tags) if _normalized_name(tag) not in said), 24
            )
        arrow = "→" if event.kind is Kind.READ else "←"
        return f"{cell_name(self._program, event)} {arrow} {value_text(self._program, event)}"

    def _shown_value(self, event: Event) -> str:
        return f"{cell_name(self._program, event)}={value_text(self._program, event)}"


def _line(event: Event) -> str:
    """`line 5`, or `ring.h:5` in another file."""
    label = line_label(event)
    return f"line {label}" if label.isdecimal() else label


def _normalized_name(text: str) -> str:
    """Letters and digits only, in one case: `DMB SY` and `dmb.sy` are the same word."""
    return "".join(c for c in text.lower() if c.isalnum())


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def text(
    x: float,
    y: float,
    words: str,
    *,
    font: str = _SANS,
    size: int,
    color: str,
    weight: str = "",
    anchor: str = "",
) -> str:
    """Words at a place."""
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
    return render(
        answer.program,
        witness,
        title=title,
        racing=racing_events(answer, witness),
        is_complete=is_complete_execution(answer, witness),
    )


REPORT = Report(name="svg", title="the witness as a picture", suffix=".svg", render=of_answer)
