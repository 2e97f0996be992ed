"""A process → a thread: calls inlined, statements to operations, orderings to fences (table 6.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from membar.diagnostics import Diagnostic, InputError, Label, error
from membar.languages.xcfa import syntax as x
from membar.languages.xcfa.accesses import SIZES, check_range, data_type, load, refuse_repetitions, store
from membar.languages.xcfa.atomic import FULL_FENCE, edges
from membar.languages.xcfa.expressions import lower, of_type
from membar.languages.xcfa.scope import Local, Scope
from membar.languages.xcfa.steps import Mark, Steps
from membar.program import operations as ops
from membar.program.expr import FALSE, TRUE, Address, Constant, Expr, Register, equals
from membar.program.program import Thread, Value
from membar.records import record
from membar.source import Span

LANGUAGE: Final = "XCFA"


@record(frozen=True, slots=True)
class SharedContext:
    """What a process shares with the others: global variables, and who waits for each condition."""

    variables: Mapping[str, x.Variable]
    waiting: Mapping[str, tuple[str, ...]]


def waiting_flag(condition: str, process: str) -> str:
    """The name of the memory that says whether a process waits."""
    return f"{condition}${process}"


def _held_register(mutex: str) -> str:
    """The register that says whether the process holds a mutex."""
    return f"{mutex}$held"


def thread_of(process: x.Process, around: SharedContext) -> Thread:
    """The thread of a process.

    Raises:
        InputError: with every diagnostic of the process.
    """
    return _Lowering(process, around).thread()


class _Lowering:
    def __init__(self, process: x.Process, around: SharedContext) -> None:
        self._process = process
        self._around = around
        self._procedures = {item.name: item for item in process.procedures}
        self._steps = Steps()
        self._diagnostics: list[Diagnostic] = []
        self._labels: list[tuple[int, str]] = []
        self._calls = 0
        self._temporaries = 0

    def thread(self) -> Thread:
        process = self._process
        mains = [item for item in process.procedures if item.is_main]
        if len(mains) != 1:
            raise error(
                "W0607",
                f"process `{process.name}` has {len(mains)} main procedures",
                process.span,
                "expected exactly one",
                help="mark the procedure that runs first: `main procedure p() { … }`",
            )
        (main,) = mains
        if main.parameters:
            raise error(
                "W0607",
                f"main procedure `{main.name}` has parameters",
                main.span,
                "there is no caller to pass them",
            )
        self._check_names()
        scope = Scope(self._around.variables, process.variables, main, prefix="")
        entry = self._steps.point()
        end = self._steps.point()
        registers = self._registers(main)
        self._place(main, scope, entry, end, stack=(main.name,))
        if self._diagnostics:
            raise InputError(*self._diagnostics)
        return Thread(
            name=process.name,
            entry=entry,
            edges=edges(self._steps.steps, entry),
            registers=registers,
            labels=tuple(self._labels),
            span=process.span,
        )

    def _registers(self, main: x.Procedure) -> tuple[tuple[str, Value], ...]:
        variables = (*self._process.variables, *main.variables)
        return tuple((item.name, item.initial) for item in variables)

    def _check_names(self) -> None:
        names = [(item.name, item.span, "procedure") for item in self._process.procedures]
        refuse_repetitions(names, self._diagnostics)

    # A procedure, at a place

    def _place(
        self, procedure: x.Procedure, scope: Scope, entry: int, end: int, stack: tuple[str, ...]
    ) -> None:
        """Puts the automaton of a procedure between two points."""
        is_main = len(stack) == 1
        steps = self._steps
        refuse_repetitions(
            [(item.name, item.span, "location") for item in procedure.locations], self._diagnostics
        )
        locations = {item.name: item for item in procedure.locations}
        init = self._init(procedure)
        points = {
            name: entry if init is item else end if item.is_final else steps.point()
            for name, item in locations.items()
        }
        if init is not None and init.is_final and is_main:
            points[init.name] = entry
        elif init is not None and init.is_final:
            steps.go_to(entry)
            steps.close(end, init.span)
        if is_main:
            # Locations that share a point (several final ones) are one label.
            taken = dict[int, str]()
            for name, point in points.items():
                taken.setdefault(point, name)
            self._labels = list(taken.items())
        for item in procedure.locations:
            self._check_ends(item, procedure)
            if item.is_error:
                steps.go_to(points[item.name])
                where = f"error location {item.name} of {self._process.name}"
                steps.do(ops.Assert(FALSE, f"{where} is reached"), item.span)
                steps.close()
        for transition in procedure.transitions:
            source, target = (self._location(points, use) for use in (transition.source, transition.target))
            if source is None or target is None:
                continue
            steps.go_to(source)
            for statement in transition.statements:
                try:
                    self._statement(statement, scope, stack)
                except InputError as problem:
                    self._diagnostics += problem.diagnostics
            steps.close(target, transition.span)

    def _init(self, procedure: x.Procedure) -> x.Location | None:
        found = [item for item in procedure.locations if item.is_init]
        if len(found) != 1:
            self._diagnostics += error(
                "W0606",
                f"procedure `{procedure.name}` has {len(found)} initial locations",
                found[1].span if found else procedure.span,
                "expected exactly one",
                help="mark it: `init loc L0`",
            ).diagnostics
            return None
        return found[0]

    def _check_ends(self, location: x.Location, procedure: x.Procedure) -> None:
        leaves = any(item.source.name == location.name for item in procedure.transitions)
        ends = location.is_final or location.is_error
        if ends and leaves:
            kind = "final" if location.is_final else "error"
            self._diagnostics += error(
                "W0606",
                f"an edge leaves the {kind} location `{location.name}`",
                location.span,
                "it must not have outgoing edges",
            ).diagnostics
        elif not ends and not leaves:
            self._diagnostics += error(
                "W0606",
                f"`{location.name}` has no outgoing edge, but is neither final nor an error location",
                location.span,
                "the process would be stuck here",
                help=f"if the process may end here: `final loc {location.name}`",
            ).diagnostics

    def _location(self, points: Mapping[str, int], use: x.Use) -> int | None:
        if use.name not in points:
            self._diagnostics += error(
                "W0604",
                f"unknown location `{use.name}`",
                use.span,
                "not declared in this procedure",
                help=f"declared: {', '.join(points)}" if points else None,
            ).diagnostics
            return None
        return points[use.name]

    # Statements

    def _statement(self, statement: x.Statement, scope: Scope, stack: tuple[str, ...]) -> None:
        steps, span = self._steps, statement.span
        match statement:
            case x.Skip():
                pass
            case x.Assume(condition):
                steps.assume(self._value(condition, x.Type.BOOL, scope, span), span)
            case x.Assign(target, value):
                self._assign(target, value, scope, span)
            case x.Havoc():
                self._havoc(statement, scope)
            case x.LoadFrom():
                self._load(statement, scope)
            case x.StoreTo():
                self._store(statement, scope)
            case x.FenceOf(tags):
                steps.do(ops.Fence(frozenset(tags)) if tags else FULL_FENCE, span)
            case x.Atomic(begins):
                steps.mark(Mark.BEGIN if begins else Mark.END, span)
            case x.LockOf(mutex, takes):
                scope.global_variable(mutex, x.Type.MUTEX)
                self._take(mutex.name, span) if takes else self._unlock(mutex.name, span)
            case x.Wait():
                self._wait(statement, scope)
            case x.Notify():
                self._notify(statement, scope)
            case x.Call():
                self._call(statement, scope, stack)

    def _value(self, expr: x.Expr, wanted: x.Type, scope: Scope, span: Span) -> Expr:
        """The value of an expression; global variables in it are read first."""
        return of_type(expr, wanted, lambda use: self._use(use, scope, span))

    def _use(self, use: x.Use, scope: Scope, span: Span) -> tuple[Expr, x.Type]:
        found = scope.variable(use)
        if isinstance(found, Local):
            return Register(found.register), found.type
        if found.type not in (x.Type.INT, x.Type.BOOL):
            return TRUE, found.type  # the caller says that it has no value
        register = self._temporary()
        self._steps.do(load(register, found), span)
        return Register(register), found.type

    def _temporary(self) -> str:
        self._temporaries += 1
        return f"${self._temporaries}"

    def _assign(self, target: x.Use, value: x.Expr, scope: Scope, span: Span) -> None:
        found = scope.variable(target)
        result = self._value(value, data_type(found.type, target), scope, span)
        if isinstance(found, Local):
            self._steps.do(ops.Set(found.register, result), span)
        else:
            self._steps.do(store(found, result), span)

    def _havoc(self, statement: x.Havoc, scope: Scope) -> None:
        target, span = statement.target, statement.span
        found = scope.variable(target)
        kind = data_type(found.type, target)
        if statement.low is not None and statement.high is not None:
            low = self._value(statement.low, kind, scope, span)
            high = self._value(statement.high, kind, scope, span)
            check_range(low, high, span)
        elif kind is x.Type.BOOL:
            low, high = FALSE, TRUE
        else:
            raise error(
                "W0608",
                f"`havoc {target.name}` without a range",
                span,
                "an int has too many values to enumerate",
                help=f"give a range: `havoc {target.name} in 0 .. 3`",
            )
        register = found.register if isinstance(found, Local) else self._temporary()
        self._steps.do(ops.Choose(register, low, high), span)
        if not isinstance(found, Local):
            self._steps.do(store(found, Register(register)), span)

    def _load(self, statement: x.LoadFrom, scope: Scope) -> None:
        target = scope.local(statement.target)
        source = scope.global_variable(statement.location, target.type)
        ordering, span = statement.ordering, statement.span
        if ordering is x.Ordering.RELEASE:
            raise error("W0609", "a load cannot be `release`", span, "expected relaxed, acquire or seq_cst")
        if ordering is x.Ordering.SEQ_CST:
            self._steps.do(FULL_FENCE, span)
        self._steps.do(load(target.register, source), span)
        if ordering is not x.Ordering.RELAXED:
            self._steps.do(FULL_FENCE, span)

    def _store(self, statement: x.StoreTo, scope: Scope) -> None:
        value, kind = lower(statement.value, lambda use: self._local_value(use, scope))
        target = scope.global_variable(statement.location, kind)
        ordering, span = statement.ordering, statement.span
        if ordering is x.Ordering.ACQUIRE:
            raise error(
                "W0609", "a store cannot be `acquire`", span, "stores are relaxed, release or seq_cst"
            )
        if ordering is not x.Ordering.RELAXED:
            self._steps.do(FULL_FENCE, span)
        self._steps.do(store(target, value), span)
        if ordering is x.Ordering.SEQ_CST:
            self._steps.do(FULL_FENCE, span)

    def _local_value(self, use: x.Use, scope: Scope) -> tuple[Expr, x.Type]:
        found = scope.local(use)
        return Register(found.register), found.type

    # Mutexes and conditions. Taking one is an acquire, giving it away a release.

    def _take(self, mutex: str, span: Span) -> None:
        self._steps.do(ops.Lock(address=Address(mutex), size=SIZES[x.Type.MUTEX]), span)
        self._steps.do(ops.Set(_held_register(mutex), TRUE), span)
        self._steps.do(FULL_FENCE, span)

    def _release_mutex(self, mutex: str, span: Span) -> None:
        self._steps.do(FULL_FENCE, span)
        self._steps.do(ops.Unlock(address=Address(mutex), size=SIZES[x.Type.MUTEX]), span)
        self._steps.do(ops.Set(_held_register(mutex), FALSE), span)

    def _unlock(self, mutex: str, span: Span) -> None:
        self._require_held(mutex, "unlocks", span)
        self._release_mutex(mutex, span)

    def _require_held(self, mutex: str, does: str, span: Span) -> None:
        message = f"{self._process.name} {does} the mutex {mutex}, which it does not hold"
        self._steps.do(ops.Assert(equals(Register(_held_register(mutex)), TRUE), message, ops.LOCKS), span)

    def _wait(self, statement: x.Wait, scope: Scope) -> None:
        """Raises the own flag, gives the mutex away, and takes it again when the flag has been lowered."""
        scope.global_variable(statement.condition, x.Type.CONDITION)
        scope.global_variable(statement.mutex, x.Type.MUTEX)
        span = statement.span
        flag = Address(waiting_flag(statement.condition.name, self._process.name))
        self._require_held(statement.mutex.name, "waits with", span)
        self._steps.do(ops.Store(address=flag, value=TRUE, size=1), span)
        self._release_mutex(statement.mutex.name, span)
        seen = self._temporary()
        self._steps.close()
        self._steps.do(ops.Load(register=seen, address=flag, size=1), span)
        self._steps.do(ops.Assume(equals(Register(seen), FALSE), waits=True), span)
        self._steps.close()
        self._take(statement.mutex.name, span)

    def _notify(self, statement: x.Notify, scope: Scope) -> None:
        """Lowers the flags of all that wait, or of any one; does nothing if nobody waits.

        Which one is a choice; where it is not one that waits, there is no such execution.
        """
        scope.global_variable(statement.condition, x.Type.CONDITION)
        steps, span = self._steps, statement.span
        flags = [
            Address(waiting_flag(statement.condition.name, process))
            for process in self._around.waiting.get(statement.condition.name, ())
        ]
        if statement.everybody:
            for flag in flags:
                steps.do(ops.Store(address=flag, value=FALSE, size=1), span)
            return
        steps.close()
        start, after = steps.at, steps.point()
        for flag in flags:
            steps.go_to(start)
            old = self._temporary()
            waits = equals(Register(old), TRUE)
            steps.do(ops.Rmw(register=old, address=flag, value=FALSE, size=1, condition=waits), span)
            steps.do(ops.Assume(waits), span)
            steps.close(after, span)
        steps.go_to(start)
        for flag in flags:
            old = self._temporary()
            steps.do(ops.Load(register=old, address=flag, size=1), span)
            steps.do(ops.Assume(equals(Register(old), FALSE)), span)
        steps.close(after, span)

    # Calls

    def _call(self, statement: x.Call, scope: Scope, stack: tuple[str, ...]) -> None:
        procedure = self._procedures.get(statement.procedure)
        span = statement.span
        if procedure is None:
            known = ", ".join(sorted(self._procedures))
            raise error(
                "W0604", f"unknown procedure `{statement.procedure}`", span, f"this process has {known}"
            )
        if procedure.name in stack:
            chain = " calls ".join(
                f"`{name}`" for name in (*stack[stack.index(procedure.name) :], procedure.name)
            )
            raise InputError(
                Diagnostic(
                    code="W0607",
                    message=f"recursion: {chain}",
                    primary=Label(span, "this call cannot be inlined"),
                    others=(Label(procedure.span, "called again from here"),),
                    help="use a loop instead: `--unroll` bounds loops",
                )
            )
        if len(statement.arguments) != len(procedure.parameters):
            message = f"`{procedure.name}` has {len(procedure.parameters)} parameters"
            raise error("W0607", message, span, f"{len(statement.arguments)} arguments are given")
        self._calls += 1
        inner = Scope(
            self._around.variables,
            self._process.variables,
            procedure,
            prefix=f"{procedure.name}${self._calls}.",
        )
        back = self._pass(procedure, statement, scope, inner)
        steps = self._steps
        steps.close()
        entry, end = steps.at, steps.point()
        # The automaton may lead back to its first location, where arguments are not passed again.
        self._place(procedure, inner, entry, end, (*stack, procedure.name))
        steps.go_to(end)
        for target, formal in back:
            steps.do(ops.Set(target, Register(formal)), span)

    def _pass(
        self, procedure: x.Procedure, statement: x.Call, scope: Scope, inner: Scope
    ) -> Sequence[tuple[str, str]]:
        """Sets parameters and local variables; tells which registers take what comes back."""
        steps, span = self._steps, statement.span
        back: list[tuple[str, str]] = []
        # Values first: an argument may be a variable that is set here.
        values = [
            FALSE if item.is_out else self._value(argument, item.variable.type, scope, span)
            for item, argument in zip(procedure.parameters, statement.arguments, strict=True)
        ]
        for item, argument, value in zip(procedure.parameters, statement.arguments, values, strict=True):
            formal = f"{inner.prefix}{item.variable.name}"
            steps.do(ops.Set(formal, value), span)
            if not item.is_out:
                continue
            if not isinstance(argument, x.Use):
                raise error(
                    "W0607", "an `out` argument that is not a variable", argument.span, "expected a variable"
                )
            target = scope.local(argument)
            if target.type is not item.variable.type:
                wanted = item.variable.type.value
                raise error(
                    "W0605",
                    f"`{argument.name}` is of type {target.type.value}",
                    argument.span,
                    f"expected {wanted}",
                )
            back.append((target.register, formal))
        for variable in procedure.variables:
            steps.do(ops.Set(f"{inner.prefix}{variable.name}", Constant(variable.initial)), span)
        return back
