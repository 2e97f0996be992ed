"""Objects that clients can be run on: annotated C files and `.obj` files."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from membar.diagnostics import Diagnostic, InputError, Label, refusal
from membar.languages import ObjectFrontend
from membar.languages.registry import language_of
from membar.models.model import Model
from membar.objects import annotations as said
from membar.objects import spec
from membar.objects.annotations import ObjectNotes
from membar.objects.calls import has_only_copies, notes_of
from membar.objects.client import Batches, Bodies, Client, Compiled, Size, bodies_of, client_text
from membar.objects.lowering import MACHINES, CompiledObject, specification_of
from membar.objects.orders import CallPosition, Carrier, Ordering
from membar.objects.spec import Specification
from membar.objects.syntax import ConcurrentObject
from membar.program.program import Program
from membar.program.remove_warnings import without_warnings
from membar.questions.programs import parse
from membar.records import record, replace
from membar.source import SourceFile


class ClientPrograms(Protocol):
    """The programs of clients."""

    def of(self, client: Client) -> tuple[Program, tuple[CallPosition, ...]]:
        """The program of one client, and where its calls are."""


@record(frozen=True, slots=True, kw_only=True)
class AskedObject:
    """An object: its operations and its specification.

    Attributes:
        source: the text.
        notes: what clients may call; of an `.obj` text, what the smallest ones do.
        specification: what it should be.
        own: the object, where it is in the language for objects; None: it is C. Its specification is missing
            where another one was given.
    """

    source: SourceFile
    notes: ObjectNotes
    specification: Specification
    own: ConcurrentObject | None = None

    @property
    def default_model(self) -> str:
        """The model checked when the user names none."""
        return "rc11" if self.own is None else "x86-tso"

    def notes_for(self, size: Size) -> ObjectNotes:
        """The calls of clients of a size."""
        return self.notes if self.own is None else notes_of(self.own, size)

    @property
    def has_only_copies(self) -> bool:
        """Whether the object is known not to distinguish its arguments."""
        return self.own is not None and self.own.specification is not None and has_only_copies(self.own)

    def clients(self, size: Size, model: Model) -> ClientPrograms:
        """The programs of all clients of a size.

        Raises:
            InputError: an operation cannot be called as its note says, or the model has no instructions.
        """
        if self.own is None:
            return _CompiledBatches(self.source, self.notes, size)
        if model.name not in MACHINES:
            raise refusal(
                "W1355",
                f"clients of `.obj` files cannot be run under {model.name}",
                help=f"models with instructions for them: {', '.join(MACHINES)}",
            )
        return CompiledObject(self.own, MACHINES[model.name])

    def carrier(self, model: Model, ordering: Ordering) -> Carrier:
        """What carries the messages of clients, as annotations that the programs still have."""
        if self.own is not None:
            return MACHINES[model.name].carrier
        words = ("RLX", "RLX") if ordering is Ordering.FLUSH else ("REL", "ACQ")
        return Carrier(frozenset({words[0]}), frozenset({words[1]}))


def object_of(text: SourceFile, specification: str | None) -> AskedObject:
    """The object in a text, with its own specification or another.

    Raises:
        InputError: with what is wrong.
    """
    frontend = language_of(text)
    if isinstance(frontend, ObjectFrontend):
        own = frontend.parse(text)
        notes = notes_of(own, Size(1, 1))
        if specification is None and own.specification is not None:
            meant = specification_of(own.specification, own.name)
        else:
            meant = _specification_named(text, notes, specification)
            own = replace(own, specification=None)
        return AskedObject(source=text, notes=notes, specification=meant, own=own)
    if frontend.name != "C":
        raise refusal(
            "W1356",
            f"{frontend.name} files cannot contain concurrent objects",
            help="annotated C files and .obj files can",
        )
    notes = said.read(text)
    return AskedObject(
        source=text, notes=notes, specification=_specification_named(text, notes, specification)
    )


class _CompiledBatches:
    """The programs of all clients of a C object; each batch is read when its first client is needed."""

    def __init__(self, text: SourceFile, notes: ObjectNotes, size: Size) -> None:
        self._text, self._notes, self._size = text, notes, size
        self._batches = Batches(bodies_of(notes, size))
        self._compiled: dict[tuple[int, ...], Compiled] = {}

    def of(self, client: Client) -> tuple[Program, tuple[CallPosition, ...]]:
        """The program of one client, and where its calls are."""
        number = self._batches.number_of(client)
        if number not in self._compiled:
            bodies = self._batches.at(number)
            self._compiled[number] = _compile_clients(self._text, self._notes, self._size, bodies)
        return self._compiled[number].of(client)


def client_sources(text: SourceFile, size: Size, specification: str | None) -> tuple[SourceFile, ...]:
    """A C object followed by all of its clients, as one program, or several if there are too many.

    Raises:
        InputError: it is no C object, or something is wrong with its notes.
    """
    about = object_of(text, specification)
    if about.own is not None:
        raise refusal(
            "W0426",
            f"`{text.path}` has no orders or fences that could be changed",
            help="objects in C can be repaired, with --client T,N",
        )
    batches = Batches(bodies_of(about.notes, size))
    return tuple(client_text(text, about.notes, size, batch)[0] for batch in batches)


def _specification_named(text: SourceFile, notes: ObjectNotes, name: str | None) -> Specification:
    """The specification with a name; it must have all operations of the object."""
    if name is None and _is_python(notes.specification):
        raise _python_refused(text, notes)
    wanted = name or notes.specification
    if wanted is None:
        raise refusal(
            "W1347",
            f"`{text.path}` names no specification",
            help="write `// membar: object Stack`, or give --spec FILE.py:CLASS",
        )
    found = spec.load(wanted)
    wrong = [item for operation in notes.operations if (item := _mismatch(found, operation)) is not None]
    if wrong:
        raise InputError(*wrong)
    return found


def python_specification(text: SourceFile) -> str | None:
    """The Python class that the notes of a C object name, with the file's own folder before its path.

    It is run only if the user agrees: pass it on as the specification then.
    """
    if language_of(text).name != "C":
        return None
    name = said.read(text).specification
    return str(Path(text.path).parent / name) if name is not None and _is_python(name) else None


def _is_python(name: str | None) -> bool:
    return name is not None and ":" in name


def _python_refused(text: SourceFile, notes: ObjectNotes) -> InputError:
    message = f"the specification `{notes.specification}` is Python code, which needs your permission"
    label = None if notes.specified_at is None else Label(notes.specified_at, "named here")
    wanted = python_specification(text)
    help_text = f"if you trust it: --spec {wanted}, or --allow-python-spec"
    return InputError(Diagnostic(code="W1358", message=message, primary=label, help=help_text))


def _mismatch(found: Specification, operation: said.Operation) -> Diagnostic | None:
    expected = found.parameters(operation.name)
    if expected in (-1, operation.inputs):
        return None
    message = (
        f"the specification {found.name} has no operation `{operation.name}`"
        if expected is None
        else f"`{operation.name}` takes {_arguments(expected)} in the specification {found.name}"
    )
    return Diagnostic(
        code="W1346",
        message=message,
        primary=Label(operation.span, f"the specification gets {_arguments(operation.inputs)} from this"),
        help=f"operations of {found.name}: {', '.join(found.operations)}",
    )


def _arguments(number: int) -> str:
    return f"{number or 'no'} argument{'' if number == 1 else 's'}"


def _compile_clients(text: SourceFile, notes: ObjectNotes, size: Size, bodies: Bodies) -> Compiled:
    """The threads of some clients of a C object."""
    written, names = client_text(text, notes, size, bodies)
    try:
        return Compiled(without_warnings(parse(written)), names)
    except InputError as problem:
        raise InputError(*(_relocate(item, text, notes) for item in problem.diagnostics)) from None


def _relocate(item: Diagnostic, text: SourceFile, notes: ObjectNotes) -> Diagnostic:
    """An error in the calls that membar generated, located at the user's annotation."""
    if item.primary is None or item.primary.span.start < len(text.text):
        return item
    called = item.primary.span.source.line(item.primary.span.line)
    guilty = [operation for operation in notes.operations if f" {operation.name}(" in called]
    span = (guilty or notes.operations)[0].span
    return Diagnostic(
        code="W1351",
        message=f"the operation cannot be called like this: {item.message}",
        primary=Label(span, "this annotation says how"),
        help=item.help,
    )
