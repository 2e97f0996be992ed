"""The initial state of a litmus test: `{ x=1; 0:X1=x; int64_t v[2]={1,2}; }`."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, TypeVar

from membar.diagnostics import Diagnostic, InputError, Label, error
from membar.languages.litmus import codes
from membar.languages.litmus.scanner import Scanner, Token
from membar.languages.litmus.test import InitialValue, InitLocation, InitRegister, InitSymbol, Reference
from membar.records import record
from membar.source import SourceFile, Span, pattern

Entry = InitRegister | InitLocation | InitSymbol
_Value = TypeVar("_Value", int | Reference, int | Reference | None)

# More different entries than a large corpus has.
_KEPT: Final = 1024
MOST_ELEMENTS = 4096
_THREAD = pattern(r"P[0-9]+")
_INITIALISERS = frozenset({"ATOMIC_INIT", "ATOMIC_VAR_INIT", "ATOMIC_LONG_INIT", "ATOMIC64_INIT"})


@record(frozen=True, slots=True)
class InitialState:
    """What stands between the braces."""

    registers: tuple[InitRegister, ...]
    locations: tuple[InitLocation, ...]
    symbols: tuple[InitSymbol, ...]


def initial_state(source: SourceFile, start: int, end: int) -> InitialState:
    """As `read_initial_state`, for the inside of braces that has no comments. Entries recur in many tests.

    Raises:
        InputError: an entry is malformed, or a place has two values.
    """
    entries: list[Entry] = []
    at = start
    for piece in source.text[start:end].split(";"):
        found = _parse_alone(piece)
        if found is None:  # to be read in place, where its diagnostics can point to
            return read_initial_state(Scanner(source, source.text, start, end, code=codes.INITIAL_STATE))
        entries += [_relocate(entry, source, at) for entry in found]
        at += len(piece) + 1
    return _state(entries)


def read_initial_state(scanner: Scanner) -> InitialState:
    """Reads entries up to the end of the scanner's stretch, which is the inside of the braces."""
    return _state(_entries(scanner))


@lru_cache(maxsize=_KEPT)
def _parse_alone(text: str) -> tuple[Entry, ...] | None:
    """The entries of a text, in a source of their own; None if there are errors."""
    source = SourceFile("", text)
    try:
        return tuple(_entries(Scanner(source, text, 0, len(text), code=codes.INITIAL_STATE)))
    except InputError:
        return None


def forget() -> None:
    """Forgets all entries, for measurements."""
    _parse_alone.cache_clear()


def _relocate(entry: Entry, source: SourceFile, by: int) -> Entry:
    """An entry that was read at home, where it stands in `source`."""
    span = Span(source, entry.span.start + by, entry.span.end + by)
    match entry:
        case InitRegister(thread=thread, register=register, type=kind, value=value):
            value = _moved_value(value, source, by)
            return InitRegister(thread=thread, register=register, type=kind, value=value, span=span)
        case InitLocation(name=name, type=kind, count=count, values=values):
            values = tuple([_moved_value(value, source, by) for value in values])
            return InitLocation(name=name, type=kind, count=count, values=values, span=span)
        case InitSymbol(name=name, type=kind, value=value):
            return InitSymbol(name=name, type=kind, value=_moved_value(value, source, by), span=span)


def _moved_value(value: _Value, source: SourceFile, by: int) -> _Value:
    if isinstance(value, Reference):
        return Reference(value.name, value.index, Span(source, value.span.start + by, value.span.end + by))
    return value


def _entries(scanner: Scanner) -> list[Entry]:
    entries: list[Entry] = []
    while scanner.token.kind != "end":
        if scanner.accept(";") or scanner.accept(","):
            continue
        entries.append(_entry(scanner))
        if scanner.token.kind != "end" and scanner.token.text not in {";", ","}:
            scanner.fail("`;` after an entry of the initial state")
    return entries


def _state(entries: list[Entry]) -> InitialState:
    _reject_duplicates(entries)
    return InitialState(
        tuple(entry for entry in entries if isinstance(entry, InitRegister)),
        tuple(entry for entry in entries if isinstance(entry, InitLocation)),
        tuple(entry for entry in entries if isinstance(entry, InitSymbol)),
    )


def _entry(scanner: Scanner) -> Entry:
    """One entry: an optional type, a place, an optional value."""
    first = scanner.token.span
    words = _words(scanner)
    if scanner.token.kind == "number":
        return _register(scanner, scanner.take(), _type_of(words), first)
    if scanner.token.text == ":" and words and _THREAD.fullmatch(words[-1].text):
        return _register(scanner, words[-1], _type_of(words[:-1]), first)
    if scanner.accept("%"):
        name = scanner.expect_kind("name", "the name of a symbolic register")
        value = _value(scanner) if _equals(scanner) else None
        return InitSymbol(
            name=name.text, type=_type_of(words), value=value, span=_to_here(first, value, name.span)
        )
    bracket = scanner.accept("[")
    if bracket and scanner.token.kind != "number":
        name = scanner.expect_kind("name", "the name of a location")
        end = scanner.expect("]").span
        return _location(scanner, name, _type_of(words), end, first)
    if not words or words[-1].kind != "name":
        scanner.fail("a location such as `x` or a register such as `0:EAX`")
    name, kind = words[-1], _type_of(words[:-1])
    if bracket is None:
        return _location(scanner, name, kind, name.span, first)
    size = scanner.expect_kind("number", "the number of elements")
    if not 1 <= size.value <= MOST_ELEMENTS:
        message = f"array `{name.text}` cannot have {size.value} elements"
        raise error(codes.INITIAL_STATE, message, size.span, f"expected 1 to {MOST_ELEMENTS}")
    return _location(scanner, name, kind, scanner.expect("]").span, first, count=size.value)


def _words(scanner: Scanner) -> list[Token]:
    """The names and stars with which an entry begins."""
    words: list[Token] = []
    while scanner.token.kind == "name" or (scanner.token.text == "*" and words):
        words.append(scanner.take())
    return words


def _type_of(words: list[Token]) -> str | None:
    """`int`, `volatile int`, `int**`: the type as one text; None if there is none."""
    names = " ".join(word.text for word in words if word.kind == "name")
    return names + "*" * sum(word.text == "*" for word in words) or None


def _register(scanner: Scanner, thread: Token, kind: str | None, first: Span) -> InitRegister:
    """`0:X1=x`, `P0:EBX = 1`; the thread was taken already."""
    scanner.expect(":", "`:` between thread and register")
    percent = "%" if scanner.accept("%") else ""
    name = scanner.expect_kind("name", "the name of a register")
    value = _value(scanner) if _equals(scanner) else None
    return InitRegister(
        thread=thread.value if thread.kind == "number" else int(thread.text.removeprefix("P")),
        register=percent + name.text,
        type=kind,
        value=value,
        span=_to_here(first, value, name.span),
    )


def _location(
    scanner: Scanner, name: Token, kind: str | None, end: Span, first: Span, *, count: int | None = None
) -> InitLocation:
    """`x=1`, `int v[2]={1,2}`; all up to the `=` was taken already and ends at `end`."""
    values: tuple[InitialValue, ...] = ()
    if _equals(scanner):
        start = scanner.token.span
        values, end = _values(scanner)
        if count is None and start.text == "{":
            count = len(values)
        if count is not None and len(values) > count:
            raise error(
                codes.INITIAL_STATE,
                f"{len(values)} values for the {count} elements of `{name.text}`",
                start.to(end),
                f"at most {count} values",
            )
    return InitLocation(name=name.text, type=kind, count=count, values=values, span=first.to(end))


def _equals(scanner: Scanner) -> bool:
    return scanner.accept("=") is not None


def _values(scanner: Scanner) -> tuple[tuple[InitialValue, ...], Span]:
    """One value, or `{1,2}`; with the place of the last token."""
    if scanner.accept("{") is None:
        last = scanner.token.span
        value = _value(scanner)
        return (value,), value.span if isinstance(value, Reference) else last
    values = [_value(scanner)]
    while scanner.accept(","):
        values.append(_value(scanner))
    return tuple(values), scanner.expect("}", "`,` or `}` in the values of an array").span


def _value(scanner: Scanner) -> InitialValue:
    """`1`, `-3`, `0xff`, `x`, `&x`, `x[2]`, `ATOMIC_INIT(0)`."""
    start = scanner.token
    if scanner.accept("-"):
        return _word(scanner, -scanner.expect_kind("number", "a number").value, start.span)
    if start.kind == "number":
        number = _word(scanner, scanner.take().value, start.span)
        if scanner.token.text == ":":
            raise error(
                codes.UNSUPPORTED,
                "a register or label cannot be an initial value",
                start.span.to(scanner.token.span),
                "expected a number or the name of a location",
            )
        return number
    scanner.accept("&")
    name = scanner.expect_kind("name", "a number or the name of a location")
    if name.text in _INITIALISERS and scanner.accept("("):
        inner = scanner.accept("-")
        number = scanner.expect_kind("number", "a number").value
        scanner.expect(")")
        return _word(scanner, -number if inner else number, name.span)
    if scanner.token.text == ":":
        raise error(
            codes.UNSUPPORTED,
            "code as an initial value is not supported",
            name.span,
            "expected a number or the name of a location",
        )
    if scanner.accept("["):
        index = scanner.expect_kind("number", "an index").value
        end = scanner.expect("]").span
        return Reference(name.text, index, start.span.to(end))
    return Reference(name.text, 0, start.span.to(name.span))


def _word(scanner: Scanner, number: int, start: Span) -> int:
    """`number`, if 64 bits can hold it."""
    if not -(1 << 63) <= number < 1 << 64:
        span = start.to(scanner.last)
        raise error(
            codes.INITIAL_STATE, f"{number} does not fit into 64 bits", span, "expected a smaller number"
        )
    return number


def _to_here(first: Span, value: InitialValue | None, last: Span) -> Span:
    return first.to(value.span) if isinstance(value, Reference) else first.to(last)


def _place(entry: Entry) -> str:
    match entry:
        case InitRegister(thread=thread, register=register):
            return f"{thread}:{register}"
        case InitSymbol(name=name):
            return f"%{name}"
        case InitLocation(name=name):
            return name


def _reject_duplicates(entries: list[Entry]) -> None:
    """A place with two entries, at most one of which gives a value, is fine; two values are not."""
    seen: dict[str, Entry] = {}
    diagnostics: list[Diagnostic] = []
    for entry in entries:
        place, has_value = _place(entry), _has_value(entry)
        earlier = seen.setdefault(place, entry)
        if earlier is not entry and has_value and _has_value(earlier):
            diagnostics.append(
                Diagnostic(
                    code=codes.INITIAL_STATE,
                    message=f"`{place}` has two initial values",
                    primary=Label(entry.span, "second value"),
                    others=(Label(earlier.span, "first value"),),
                )
            )
        if has_value:
            seen[place] = entry
    if diagnostics:
        raise InputError(*diagnostics)


def _has_value(entry: Entry) -> bool:
    return bool(entry.values) if isinstance(entry, InitLocation) else entry.value is not None
