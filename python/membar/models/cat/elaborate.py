"""Statements → plan: definitions, axioms, includes and procedures of a whole model."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from membar.diagnostics import Diagnostic, InputError, Label, error
from membar.models.cat import syntax as cat
from membar.models.cat.bell import check_instructions, enum_binding
from membar.models.cat.choice import choice_from
from membar.models.cat.events import Events, FusedEvents
from membar.models.cat.expressions import Expressions, UnknownNameError, holds
from membar.models.cat.graph import Graph, Node
from membar.models.cat.lower import Requirement, lower, needed_nodes
from membar.models.cat.parser import parse, too_deep
from membar.models.cat.values import Function, Scope, Value
from membar.models.plan import Check, CheckKind, CheckMode, Op, Plan, Sort
from membar.records import record, replace
from membar.source import SourceFile, Span

LIBRARY = Path(__file__).parent.parent / "lib"
# Files of other tools that say in cat what membar does itself: membar's own are taken instead.
OWN_FILES = frozenset({"stdlib.cat", "cross.cat"})
# Languages whose models count an atomic RMW as one event.
FUSED = frozenset({"C", "RISCV"})
TOOL_ORDERS = frozenset({"generate_cos", "generate_orders"})


@record(frozen=True, slots=True)
class Compiled:
    """A compiled model.

    Attributes:
        plan: what it computes and checks.
        tags: the words of the vocabulary that it gives a meaning to.
        notes: what its users must know.
        language: the first word of its header.
    """

    plan: Plan
    tags: frozenset[str]
    notes: tuple[str, ...] = ()
    language: str = ""


def compile_model(
    source: SourceFile,
    *,
    vocabulary: Collection[str],
    include_dirs: Sequence[Path] = (),
    bell: SourceFile | None = None,
) -> Compiled:
    """The plan of a cat file.

    Args:
        source: the file; relative includes are looked for beside it first.
        bell: the file that declares tags and instructions and is read before it.
        vocabulary: the tags that programs may carry; a free name must be one of them or a primitive.
        include_dirs: where includes are looked for next; the standard library comes last.

    Raises:
        InputError: with every diagnostic of the file.
    """
    try:
        language = "".join(parse(source).header[:1])
        elaborator = _Elaborator(vocabulary, include_dirs, is_fused=language in FUSED)
        elaborator.run_library("stdlib.cat")
        if language == "C":
            elaborator.run_library("herd-c.cat")
        if bell is not None:
            elaborator.run_library("herd-bell.cat")
            elaborator.run(bell)
        elaborator.run(source)
        return elaborator.finish(language)
    except RecursionError:
        raise too_deep(source) from None


@lru_cache(maxsize=64)
def _library_file(name: str) -> tuple[SourceFile, cat.CatFile]:
    source = SourceFile.read(LIBRARY / name)
    return source, parse(source)


@record(frozen=True, slots=True)
class _Closure:
    """A procedure with the bindings in scope at its definition."""

    procedure: cat.Procedure
    scope: Scope


class _Elaborator:
    """Elaborates statements, collecting definitions and checks."""

    def __init__(self, vocabulary: Collection[str], include_dirs: Sequence[Path], *, is_fused: bool) -> None:
        self._graph = Graph()
        self._events = FusedEvents(self._graph) if is_fused else Events(self._graph)
        self._expressions = Expressions(self._graph, self._events, vocabulary)
        self._vocabulary = frozenset(vocabulary)
        self._order: Span | None = None
        self._include_dirs = tuple(include_dirs)
        self._scope: dict[str, Value] = {}
        self._procedures: dict[str, _Closure] = {}
        self._requirements: list[Requirement] = []
        self._shown: dict[str, Node] = {}
        self._names: dict[str, Node] = {}
        self._library_names: dict[str, Node] = {}
        self._user_tags: set[str] = set()
        self._library_tags: set[str] = set()
        self._diagnostics: list[Diagnostic] = []
        self._notes: list[str] = []
        self._open_files: list[Path] = []
        self._source: SourceFile | None = None
        self._in_library = False
        self._calls = 0

    # Files

    def run(self, source: SourceFile) -> None:
        """Runs a file of the user."""
        file = parse(source)
        with self._inside(source, in_library=False):
            self._statements(file.statements)

    def run_library(self, name: str) -> None:
        """Runs a file of the standard library."""
        source, file = _library_file(name)
        with self._inside(source, in_library=True):
            self._statements(file.statements)

    def finish(self, language: str) -> Compiled:
        """The plan, if there were no errors."""
        if self._diagnostics:
            raise InputError(*self._diagnostics)
        plan = lower(
            self._graph,
            self._requirements,
            shown=tuple(self._shown.items()),
            names=tuple(self._names.items()),
            library_names=tuple(self._library_names.items()),
        )
        used = needed_nodes(self._graph, [item.node for item in self._requirements])
        words = {node.name for node in used if node.op is Op.PRIMITIVE}
        tags = frozenset(self._user_tags | (self._library_tags & words))
        return Compiled(plan, tags, tuple(self._notes), language)

    @contextmanager
    def _inside(self, source: SourceFile, *, in_library: bool) -> Iterator[None]:
        outside = self._source, self._in_library
        self._source, self._in_library = source, in_library
        self._open_files.append(Path(source.path).resolve())
        outside_tags = self._expressions.tags
        self._expressions.tags = self._library_tags if in_library else self._user_tags
        try:
            yield
        finally:
            self._open_files.pop()
            self._expressions.tags = outside_tags
            self._source, self._in_library = outside

    def _include(self, statement: cat.Include) -> None:
        if self._in_library:
            self.run_library(statement.path)
            return
        is_strangers = self._source is not None and self._source.is_strangers
        here = Path(self._source.path).parent if self._source else Path()
        for folder in () if is_strangers else (here, *self._include_dirs):
            path = folder / statement.path
            if statement.path not in OWN_FILES and path.is_file():
                if path.resolve() in self._open_files:
                    raise error(
                        "W0211", f"`{statement.path}` includes itself", statement.span, "included again"
                    )
                self.run(_readable(path, statement, self._include_dirs))
                return
        if statement.path not in library_files():
            others = "not" if is_strangers else "neither beside this file, nor in -I, nor"
            raise error(
                "W0210",
                f"cannot find `{statement.path}`",
                statement.span,
                f"{others} in the library",
                help=f"the library has {', '.join(library_files())}",
            )
        self.run_library(statement.path)

    # Statements

    def _statements(self, statements: Sequence[cat.Statement]) -> None:
        for statement in statements:
            try:
                self._statement(statement)
            except InputError as problem:
                self._diagnostics.extend(problem.diagnostics)
                self._poison(statement)

    def _poison(self, statement: cat.Statement) -> None:
        """Binds the names of an invalid definition to something that causes no further errors."""
        if isinstance(statement, cat.Define):
            for binding in statement.bindings:
                for name in binding.target.names:
                    self._scope[name] = self._graph.variable(name, None)

    def _statement(self, statement: cat.Statement) -> None:
        match statement:
            case cat.Define(bindings, is_recursive):
                self._define(self._expressions.bind(bindings, self._scope, is_recursive=is_recursive))
            case cat.Axiom():
                self._axiom(statement)
            case cat.Show(items):
                for expr, name in items:
                    self._show(expr, name)
            case cat.Unshow(names):
                for name in names:
                    self._shown.pop(name, None)
            case cat.Include():
                self._include(statement)
            case cat.When(condition, yes, no):
                self._statements(yes if holds(condition) else no)
            case cat.Procedure(name):
                self._procedures[name] = _Closure(statement, dict(self._scope))
            case cat.Call():
                self._call(statement)
            case cat.From():
                self._choose(statement)
            case cat.Enum() | cat.Instructions():
                self._declare(statement)

    def _define(self, bound: dict[str, Value]) -> None:
        if self._in_library:
            bound = {name: self._with_overloads(name, value) for name, value in bound.items()}
        self._scope.update(bound)
        if self._calls == 0:
            named = self._library_names if self._in_library else self._names
            named.update({name: value for name, value in bound.items() if isinstance(value, Node)})

    def _with_overloads(self, name: str, value: Value) -> Value:
        """A library function with earlier ones of its name: herd's have changed over the years."""
        known = self._scope.get(name)
        if not isinstance(value, Function) or not isinstance(known, Function):
            return value
        return replace(value, others=(known, *known.others))

    def _axiom(self, axiom: cat.Axiom) -> None:
        try:
            self._require(axiom)
        except InputError as problem:
            # A flag decides nothing: the model can be used without it, if that is said.
            is_flag = axiom.mode is CheckMode.FLAG and not axiom.is_assertion
            if not is_flag or any(diagnostic.code != "W0205" for diagnostic in problem.diagnostics):
                raise
            name = axiom.name or _default_name(axiom)
            reason = "; ".join(diagnostic.message for diagnostic in problem.diagnostics)
            self._notes.append(f"the model's flag `{name}` is never raised: {reason}")

    def _require(self, axiom: cat.Axiom) -> None:
        sort = None if axiom.kind is CheckKind.EMPTY else Sort.RELATION
        node = self._expressions.node(axiom.body, self._scope, wanted=f"`{axiom.kind.value}` of", sort=sort)
        name = axiom.name or _default_name(axiom)
        # A failed assertion is worth a flag; a flag is raised when its test succeeds, so turn it round.
        check = Check(
            kind=axiom.kind,
            slot=-1,
            name=f"assert-{name}" if axiom.is_assertion else name,
            negated=axiom.is_negated is not axiom.is_assertion,
            mode=axiom.mode,
            span=axiom.span,
        )
        self._requirements.append(Requirement(node, check))

    def _show(self, expr: cat.Expr, name: str | None) -> None:
        try:
            value = self._expressions.value(expr, self._scope)
        except UnknownNameError:
            # Models show relations of instructions that the tool at hand may not have.
            return
        if isinstance(value, Node) and value.sort is Sort.RELATION:
            self._shown[name or expr.span.flat_text] = value

    def _call(self, statement: cat.Call) -> None:
        closure = self._procedures.get(statement.name)
        if closure is None:
            known = ", ".join(sorted(self._procedures)) or "none"
            raise error("W0213", f"unknown procedure `{statement.name}`", statement.span, f"known: {known}")
        argument = self._expressions.value(statement.argument, self._scope)
        bound = self._expressions.match_pattern(
            closure.procedure.parameter, argument, statement.argument.span
        )
        outside, self._scope = self._scope, {**closure.scope, **bound}
        self._calls += 1
        try:
            self._statements(closure.procedure.body)
        finally:
            self._calls -= 1
            self._scope = outside

    def _choose(self, statement: cat.From) -> None:
        """`with x from S`, if membar makes this choice anyway."""
        choices = self._choices(statement.choices)
        known = [node for name in ("co0", "pco") if (node := self._library_names.get(name))]
        choice = choice_from(choices, statement.choices.span, self._events, known=known)
        if choice.is_order:
            self._only_order(statement)
        self._define({statement.name: choice.relation})
        for node in choice.excluded:
            kind = "coherence" if choice.is_order else statement.name
            check = Check(kind=CheckKind.EMPTY, slot=-1, name=f"{kind}-choice", span=statement.choices.span)
            self._requirements.append(Requirement(node, check))

    def _choices(self, expr: cat.Expr) -> Value:
        try:
            return self._expressions.value(expr, self._scope)
        except InputError:
            # Some models bring their own text of these functions; under these names they are the tool's.
            match expr:
                case cat.Apply(cat.Name(name)) if name in TOOL_ORDERS:
                    outside = {key: value for key, value in self._scope.items() if key not in TOOL_ORDERS}
                    return self._expressions.value(expr, outside)
            raise

    def _only_order(self, statement: cat.From) -> None:
        if self._order is not None:
            raise InputError(
                Diagnostic(
                    code="W0205",
                    message="a second coherence order is not supported",
                    primary=Label(statement.span, "chosen here"),
                    others=(Label(self._order, "already chosen here"),),
                )
            )
        self._order = statement.span

    def _declare(self, statement: cat.Enum | cat.Instructions) -> None:
        if isinstance(statement, cat.Enum):
            self._define(enum_binding(statement, self._vocabulary))
        else:
            check_instructions(statement, self._expressions.value(statement.tags, self._scope))


def _readable(path: Path, statement: cat.Include, include_dirs: Sequence[Path]) -> SourceFile:
    try:
        return replace(statement.span.source, include_dirs=tuple(map(str, include_dirs))).including(path)
    except OSError as problem:
        reason = (problem.strerror or "unreadable").lower()
        raise error("W0210", f"cannot read `{path}`: {reason}", statement.span, "included here") from None


def _default_name(axiom: cat.Axiom) -> str:
    """`acyclic po | rf` if that is short enough, otherwise its line."""
    text = axiom.body.span.flat_text
    negation = "~" if axiom.is_negated else ""
    where = text if axiom.span.source.is_shown and len(text) <= 40 else f"at line {axiom.span.line}"
    return f"{negation}{axiom.kind.value} {where}"


def library_files() -> tuple[str, ...]:
    """The files that any model may include."""
    return tuple(sorted(path.name for path in LIBRARY.glob("*.cat")))
