"""From the text of a cell to an instruction: mnemonic, prefix, suffix; operands in either syntax."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from membar.diagnostics import Diagnostic, InputError, Label, error
from membar.languages.litmus import codes
from membar.languages.litmus.dialects.x86 import mnemonics
from membar.languages.litmus.dialects.x86.instruction import Instruction, Operand
from membar.languages.litmus.test import Cell
from membar.records import record
from membar.source import Span, pattern

_WORD = pattern(r"\s*([A-Za-z][A-Za-z0-9_.]*)")
_SUFFIX = {"B": 1, "W": 2, "L": 4, "Q": 8}
_EXTENDING = pattern(r"(MOV[ZS])([BWL])([WLQ])")

ReadOperand = Callable[[Cell, Collection[str]], Operand]


@record(frozen=True, slots=True)
class Syntax:
    """What a dialect's header word decides.

    Attributes:
        bits: width of the general registers.
        is_reversed: the destination comes last.
        read_operand: reads one operand; the second argument holds the names that are locations for sure.
    """

    bits: int
    is_reversed: bool
    read_operand: ReadOperand


# The same hundred instructions make up hundreds of tests.
_MOST_KEPT = 1024
_known: dict[tuple[int, str, frozenset[str]], Instruction] = {}


def read_instruction(cell: Cell, syntax: Syntax, locations: frozenset[str]) -> Instruction:
    """The instruction in `cell`, which is free of labels.

    Raises:
        InputError: with everything that is wrong with it.
    """
    key = (syntax.bits, cell.text, locations)
    known = _known.get(key)
    if known is not None:
        return known.at(cell.span)
    if len(_known) >= _MOST_KEPT:
        _known.clear()
    read = _known[key] = _new_instruction(cell, syntax, locations)
    return read


def _new_instruction(cell: Cell, syntax: Syntax, locations: Collection[str]) -> Instruction:
    word, at = _word(cell, 0)
    is_locked = word.text.upper() == "LOCK"
    if is_locked:
        word, at = _word(cell, at)
    mnemonic, size, source_size = _split(word)
    operands: list[Operand] = []
    problems: list[Diagnostic] = []
    for part in _parts(cell, at):
        try:
            operands.append(syntax.read_operand(part, locations))
        except InputError as problem:
            problems.extend(problem.diagnostics)
    if is_locked and mnemonic not in mnemonics.LOCKABLE:
        message = f"`{word.text}` cannot have a LOCK prefix"
        help_text = f"expected one of {', '.join(sorted(mnemonics.LOCKABLE))}"
        problems.append(
            Diagnostic(code=codes.INSTRUCTION, message=message, primary=Label(word.span, help_text))
        )
    if problems:
        raise InputError(*problems)
    return Instruction(
        mnemonic=mnemonic,
        operands=tuple(reversed(operands) if syntax.is_reversed else operands),
        size=size,
        source_size=source_size,
        is_locked=is_locked,
        bits=syntax.bits,
        span=cell.span,
        word=word.span,
    )


def _word(cell: Cell, at: int) -> tuple[Cell, int]:
    match = _WORD.match(cell.text, at)
    if match is None:
        raise error(
            codes.INSTRUCTION,
            f"`{cell.text[at:].strip() or cell.text}` is not an instruction",
            cell.span,
            "expected a mnemonic such as `MOV`",
        )
    return Cell(match[1], _inside(cell, match.start(1), match.end(1))), match.end()


def _split(word: Cell) -> tuple[str, int | None, int | None]:
    """Mnemonic, size suffix and, for `movzbl` and the like, size of the source."""
    text = word.text.upper()
    if (found := mnemonics.canonical(text)) is not None:
        return found, None, None
    if extending := _EXTENDING.fullmatch(text):
        return extending[1] + "X", _SUFFIX[extending[3]], _SUFFIX[extending[2]]
    size = _SUFFIX.get(text[-1])
    stem = mnemonics.canonical(text[:-1])
    if size is not None and stem is not None and (stem in mnemonics.SIZED or stem.startswith("CMOV")):
        return stem, size, None
    similar = mnemonics.similar(text)
    raise error(
        codes.INSTRUCTION,
        f"unknown instruction `{word.text}`",
        word.span,
        "not an x86 instruction that membar supports",
        help=f"did you mean `{similar}`?" if similar else None,
    )


def _parts(cell: Cell, at: int) -> Iterator[Cell]:
    """The operands: the text from `at` on, cut at commas outside brackets."""
    text = cell.text
    if not text[at:].strip():
        return
    depth, start = 0, at
    for offset in range(at, len(text)):
        sign = text[offset]
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and depth == 0:
            yield _operand_text(cell, start, offset)
            start = offset + 1
    yield _operand_text(cell, start, len(text))


def _operand_text(cell: Cell, start: int, end: int) -> Cell:
    text = cell.text[start:end]
    begin = start + len(text) - len(text.lstrip())
    if not text.strip():
        place = _inside(cell, max(start - 1, 0), max(end, start))
        raise error(codes.OPERAND, "an operand is missing", place, "expected an operand")
    return Cell(text.strip(), _inside(cell, begin, begin + len(text.strip())))


def _inside(cell: Cell, start: int, end: int) -> Span:
    return cell.span.source.span(cell.span.start + start, cell.span.start + end)
