"""Reads an `.obj` file: memory, operations, specification, annotations."""

from __future__ import annotations

from membar.diagnostics import Diagnostic, InputError, error
from membar.languages.objects.annotations import AnnotationReader, point
from membar.languages.objects.code import OperationReader
from membar.languages.objects.expressions import number
from membar.languages.objects.scope import Scope
from membar.languages.objects.specification import specification
from membar.languages.objects.tokens import Words, words
from membar.objects import syntax as o
from membar.records import field, record
from membar.source import SourceFile

_PARTS = ("shared", "private", "operation", "specification", "define")
_ANNOTATIONS = ("abstraction", "linearize", "invariant", "between")
_LARGEST_ARRAY = 64
_UNKNOWN = ("W1304", "W1305")


@record(slots=True)
class _Annotations:
    abstraction: list[o.Claim] = field(default_factory=list)
    points: list[o.LinearizationPoint] = field(default_factory=list)
    invariants: list[o.Claim] = field(default_factory=list)
    between: list[o.Claim] = field(default_factory=list)


def parse_text(source: SourceFile) -> o.ConcurrentObject:
    """The object that a text means.

    Raises:
        InputError: with the first problem of every declaration.
    """
    text, scope, annotations = words(source), Scope(), _Annotations()
    text.expect("object", "at the beginning: `object NAME;`")
    name = text.name("the object's name").text
    text.expect(";", "after the object's name")
    problems: list[Diagnostic] = []
    missing: set[str] = set()
    while not text.at_end:
        start = text.mark
        try:
            _part(text, scope, annotations)
        except InputError as found:
            problems.extend(item for item in found.diagnostics if not _follows(item, missing))
            _skip(text, start)
            missing |= text.words_since(start)
    if problems:
        raise InputError(*problems)
    return _build_object(source, name, scope, annotations)


def _follows(item: Diagnostic, missing: set[str]) -> bool:
    """Whether a name or line may be unknown only because what declares it was not understood."""
    return item.code in _UNKNOWN and item.primary is not None and item.primary.span.text in missing


def _skip(text: Words, start: int) -> None:
    """Moves to where the next part may begin, past `start` in any case, and not into brackets of this one."""
    stopped = max(text.mark, start + 1)
    text.back_to(start)
    depth = 0
    while not text.at_end:
        is_part = text.sees(*_PARTS, *_ANNOTATIONS) and text.previous.text in (";", "}")
        if text.mark >= stopped and is_part and depth <= 0:
            return
        depth += {"{": 1, "}": -1}.get(text.take().text, 0)


def _part(text: Words, scope: Scope, annotations: _Annotations) -> None:
    word = text.next
    if not text.sees(*_PARTS, *_ANNOTATIONS):
        raise text.wrong(f"expected one of {', '.join(f'`{part}`' for part in (*_PARTS, *_ANNOTATIONS))}")
    text.take()
    match word.text:
        case "shared":
            _declare_shared(text, scope)
        case "private":
            _private(text, scope)
        case "operation":
            _operation(text, scope)
        case "specification":
            if scope.has_specification:
                raise error("W1303", "a duplicate specification", word.span, "an object has only one")
            specification(text, scope)
        case "define":
            token = text.name("a name for a formula")
            scope.fresh(token, scope.operations)
            text.expect("=", "after the name")
            scope.defines[token.text] = AnnotationReader(scope, text, abstract=True).formula()
            text.expect(";", "after the formula")
        case "abstraction":
            annotations.abstraction += AnnotationReader(scope, text, abstract=True).claims(by_line=False)
        case "linearize":
            annotations.points.append(point(text, scope))
        case "invariant":
            annotations.invariants += AnnotationReader(scope, text).claims(by_line=True)
        case _:
            annotations.between += AnnotationReader(scope, text, two=True).claims(by_line=False)


def _declare_shared(text: Words, scope: Scope) -> None:
    while True:
        token = text.name("a shared variable")
        name, size = scope.fresh(token), None
        if text.accept("["):
            size = number(text, "the size of the array")
            if not 1 <= size <= _LARGEST_ARRAY:
                raise error("W1309", f"an array of {size} elements", text.previous.span, "from 1 to 64")
            text.expect("]", "after the size")
        initial = number(text, "the initial value") if text.accept("=") else 0
        scope.shared[name] = o.SharedVariable(name, initial, size)
        if not text.accept(","):
            break
    text.expect(";", "after the shared variables")


def _private(text: Words, scope: Scope) -> None:
    while True:
        name = scope.fresh(text.name("a private variable"))
        scope.private[name] = number(text, "the initial value") if text.accept("=") else 0
        if not text.accept(","):
            break
    text.expect(";", "after the private variables")


def _operation(text: Words, scope: Scope) -> None:
    token = text.name("the operation's name")
    if token.text in scope.operations:
        raise error("W1303", f"operation `{token.text}` is declared twice", token.span, "choose another name")
    scope.fresh(token)
    found = OperationReader(scope, text, token.text).read(token.span)
    scope.operations[found.name] = found
    scope.labels |= {line.label: found.name for line in found.lines}


def _build_object(
    source: SourceFile, name: str, scope: Scope, annotations: _Annotations
) -> o.ConcurrentObject:
    problems: list[Diagnostic] = []
    end = source.span(len(source.text.rstrip()), len(source.text.rstrip()))
    if not scope.operations:
        problems.extend(error("W1313", "an object without operations", end).diagnostics)
    if scope.has_specification:
        for each in scope.operations.values():
            if each.name not in scope.abstract:
                message = f"operation `{each.name}` is not specified"
                problems.extend(error("W1313", message, each.span, "add it to the specification").diagnostics)
    if problems:
        raise InputError(*problems)
    found = None
    if scope.has_specification:
        operations = tuple(scope.abstract[each] for each in scope.operations)
        found = o.Specification(tuple(scope.state.items()), operations)
    return o.ConcurrentObject(
        name=name,
        source=source,
        shared=tuple(scope.shared.values()),
        private=tuple(scope.private.items()),
        operations=tuple(scope.operations.values()),
        specification=found,
        abstraction=tuple(annotations.abstraction),
        points=tuple(annotations.points),
        invariants=tuple(annotations.invariants),
        between=tuple(annotations.between),
    )
