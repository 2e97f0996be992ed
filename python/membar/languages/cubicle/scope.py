"""What names mean: types, symbols and predicates of the file, processes and lets of one block."""

from __future__ import annotations

from collections.abc import Mapping

from membar.diagnostics import Diagnostic, InputError, Label, close_matches, error
from membar.languages.cubicle.syntax import BlockKind, Name, PredicateSyntax, SystemSyntax, TermSyntax
from membar.records import field, record, replace
from membar.systems import terms as t
from membar.systems.system import Symbol, SymbolKind

_BUILT_IN: Mapping[str, t.Type] = {"bool": t.BOOL, **{basic.value: basic for basic in t.Basic}}


@record(slots=True)
class Declarations:
    """The names of the whole file, and the problems found so far."""

    size: int | None = None
    types: dict[str, t.Type] = field(default_factory=lambda: dict(_BUILT_IN))
    constructors: dict[str, t.Constructor] = field(default_factory=dict)
    symbols: dict[str, Symbol] = field(default_factory=dict)
    predicates: dict[str, PredicateSyntax] = field(default_factory=dict)
    problems: list[Diagnostic] = field(default_factory=list)

    @property
    def is_weak(self) -> bool:
        """Whether some symbol is weak."""
        return any(symbol.weak for symbol in self.symbols.values())


def declare(syntax: SystemSyntax) -> Declarations:
    """The declarations of a file; problems are collected in the result."""
    found = Declarations(size=syntax.size[0] if syntax.size else None)
    for name in t.BOOL.constructors:
        found.constructors[name] = t.Constructor(t.BOOL, name)
    places: dict[str, Name] = {}
    for kind in syntax.types:
        if kind.name.text in found.types:
            found.problems.append(_refuse_duplicates(kind.name, places, "type"))
            continue
        places[kind.name.text] = kind.name
        _declare_type(found, kind.name, kind.constructors, places)
    for item in syntax.symbols:
        if item.name.text in found.symbols or item.name.text in found.constructors:
            found.problems.append(_refuse_duplicates(item.name, places, "name"))
            continue
        places[item.name.text] = item.name
        if item.type.text not in found.types:
            found.problems.append(_unknown("type", item.type, found.types))
            continue
        found.symbols[item.name.text] = Symbol(
            name=item.name.text,
            type=found.types[item.type.text],
            dimensions=item.dimensions,
            kind=SymbolKind.CONSTANT if item.kind == "const" else SymbolKind.VARIABLE,
            weak=item.weak,
            span=item.name.span,
        )
    for predicate in syntax.predicates:
        if predicate.name.text in found.predicates:
            found.problems.append(_refuse_duplicates(predicate.name, places, "predicate"))
            continue
        places[predicate.name.text] = predicate.name
        found.predicates[predicate.name.text] = predicate
    _registers_only(found)
    return found


def _declare_type(
    found: Declarations, name: Name, constructors: tuple[Name, ...], places: dict[str, Name]
) -> None:
    if not constructors:
        found.types[name.text] = t.Abstract(name.text)
        return
    kind = t.Enumeration(name.text, tuple(constructor.text for constructor in constructors))
    found.types[name.text] = kind
    for constructor in constructors:
        if constructor.text in found.constructors:
            found.problems.append(_refuse_duplicates(constructor, places, "constructor"))
        places.setdefault(constructor.text, constructor)
        found.constructors[constructor.text] = t.Constructor(kind, constructor.text)


def _registers_only(found: Declarations) -> None:
    """Beside weak memory, processes have registers and nothing else."""
    for symbol in found.symbols.values() if found.is_weak else ():
        if not symbol.weak and not symbol.dimensions and symbol.kind is SymbolKind.VARIABLE and symbol.span:
            found.problems.append(
                Diagnostic(
                    code="W0811",
                    message=f"`{symbol.name}` is neither weak memory nor a register",
                    primary=Label(symbol.span, "expected `weak var`, or an array of registers"),
                    help="in a system with weak memory, shared variables are weak",
                )
            )


def _refuse_duplicates(name: Name, places: Mapping[str, Name], what: str) -> Diagnostic:
    first = places.get(name.text)
    return Diagnostic(
        code="W0804",
        message=f"the {what} `{name.text}` is declared twice",
        primary=Label(name.span, "expected a new name"),
        others=(Label(first.span, "first declared here"),) if first else (),
        help=None if first else f"`{name.text}` is built in",
    )


def _unknown(what: str, name: Name, known: Mapping[str, object]) -> Diagnostic:
    close = close_matches(name.text, list(known), n=1)
    return Diagnostic(
        code="W0803",
        message=f"unknown {what} `{name.text}`",
        primary=Label(name.span, "not declared"),
        help=f"did you mean `{close[0]}`?" if close else None,
    )


def unknown(what: str, name: Name, known: Mapping[str, object]) -> InputError:
    """The error for a name that was not declared."""
    return InputError(_unknown(what, name, known))


@record(frozen=True, slots=True, kw_only=True)
class Scope:
    """What can be named at one place.

    Attributes:
        declarations: the file's names.
        block: which block it is in; None in a transition.
        processes: the processes in scope, by the names users gave them.
        parameters: the declared parameters of the transition or block.
        lets: terms with a name, each with the scope it was written in.
        acting: the process that acts, in a transition.
        calls: the predicates being expanded, outermost first.
    """

    declarations: Declarations
    block: BlockKind | None = None
    processes: Mapping[str, t.Process] = field(default_factory=dict)
    parameters: tuple[t.ProcessVariable, ...] = ()
    lets: Mapping[str, tuple[TermSyntax, Scope]] = field(default_factory=dict)
    acting: t.ProcessVariable | None = None
    calls: tuple[str, ...] = ()

    def process(self, name: Name) -> t.Process:
        """The process called `name`."""
        if name.text.startswith("#"):
            return self._constant(name)
        if name.text not in self.processes:
            if name.text in self.lets:
                raise error("W0807", f"`{name.text}` is not a process", name.span, "expected a process")
            raise unknown("process", name, self.processes)
        return self.processes[name.text]

    def _constant(self, name: Name) -> t.ProcessConstant:
        size = self.declarations.size
        number = int(name.text[1:])
        if size is None:
            raise error(
                "W0807",
                f"`{name.text}` in a system of any size",
                name.span,
                "only systems of a fixed size have named processes",
                help="`number_procs N` at the beginning fixes the number of processes",
            )
        if not 1 <= number <= size:
            raise error("W0807", f"there is no process `{name.text}`", name.span, f"expected #1 to #{size}")
        return t.ProcessConstant(number)

    def binding(self, name: Name) -> tuple[t.ProcessVariable, Scope]:
        """A fresh process variable for a bound name, and the scope in which it is known."""
        taken = {
            process.name for process in self.processes.values() if isinstance(process, t.ProcessVariable)
        }
        taken |= {parameter.name for parameter in self.parameters}
        fresh = name.text
        while fresh in taken:
            fresh += "'"
        variable = t.ProcessVariable(fresh)
        lets = {text: value for text, value in self.lets.items() if text != name.text}
        return variable, replace(self, processes={**self.processes, name.text: variable}, lets=lets)


def parameters_of(names: tuple[Name, ...]) -> tuple[t.ProcessVariable, ...]:
    """The parameters of a block.

    Raises:
        InputError: two have one name.
    """
    seen: dict[str, Name] = {}
    for name in names:
        if name.text in seen:
            raise InputError(_refuse_duplicates(name, seen, "parameter"))
        seen[name.text] = name
    return tuple(t.ProcessVariable(name.text) for name in names)
