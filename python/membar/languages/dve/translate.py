"""DVE text → Program."""

from __future__ import annotations

from collections.abc import Iterator

from membar.diagnostics import error
from membar.languages.dve import syntax as x
from membar.languages.dve.formulas import formula_of, is_temporal
from membar.languages.dve.parser import parse_module
from membar.languages.dve.predicates import Predicates, ProcessPoints
from membar.languages.dve.scope import Process, Scope, Variable, unknown
from membar.languages.dve.threads import process_points_of, thread_of
from membar.languages.dve.transitions import Rules, state_tests, widths_of
from membar.program.expr import Binary, BinaryOp, negation
from membar.program.predicate import StatePredicate
from membar.program.program import Channel, MemoryObject, Program, Thread
from membar.program.temporal import Atom, AutomatonEdge, Claim, ForbiddenRuns
from membar.records import replace
from membar.source import SourceFile, Span, without_parentheses

LANGUAGE = "DVE"


def parse_dve(source: SourceFile) -> Program:
    """The program that a DVE text means.

    Raises:
        InputError: with what is wrong.
    """
    module = parse_module(source)
    scope = Scope(module, in_memory=module.legacy)
    prop = None if module.property is None else scope.process(module.property.text, module.property.span)
    processes = [process for process in scope.processes if process is not prop]
    _check_words(module, scope)
    rules = Rules(scope, widths_of(scope), _watched_processes(module, processes))
    objects = tuple(_objects(scope, processes, rules.watched))
    threads, process_points = _threads(rules, processes, objects)
    errors, claims = _error_states_and_claims(scope, process_points)
    if prop is not None:
        claims = (_claim(scope, process_points, prop), *claims)
    return Program(
        name=source.path.rpartition("/")[2].removesuffix(".dve"),
        language=LANGUAGE,
        objects=objects,
        threads=threads,
        channels=tuple(
            Channel(channel.name, channel.capacity, rules.widths[channel.name]) for channel in module.channels
        ),
        errors=(*_errors(scope, process_points, processes), *errors),
        claims=claims,
        guards_wait=True,
        is_joint=module.synchronous and len(processes) > 1,
        span=module.span,
    )


def with_error(text: str, asked: str) -> str:
    """The text, asking also that a state in which the expression `asked` holds is never reached."""
    return f"{text}\nerror {asked};\n"


def with_claim(text: str, formula: str, name: str) -> str:
    """The text, claiming also that all runs satisfy an LTL formula."""
    return f"{text}\nltl {f'{name}: ' if name else ''}{formula};\n"


def with_legacy_errors(text: str) -> str:
    """The text, with run-time errors as the legacy engine treated them."""
    return with_errors(text, "legacy")


def with_errors(text: str, kind: str) -> str:
    """The text, saying what follows run-time errors: `terminal` or `legacy`."""
    return f"{text}\nerrors {kind};\n"


def with_atomics(text: str, listed: str) -> str:
    """The text, with the writes listed, `variable, transition` per line, around store buffers."""
    lines = (line.partition("#")[0].strip() for line in listed.splitlines())
    return "".join([text, "\n", *(f"atomic {line};\n" for line in lines if line)])


def with_ghosts(text: str, names: str) -> str:
    """The text, saying which variables no processor has: writes to them do not go through store buffers."""
    return f"{text}\nghost {names};\n"


def with_atomic_rule(text: str, rule: str) -> str:
    """The text, saying what atomic writes wait for: `own` or `all`."""
    return f"{text}\natomic rule {rule};\n"


def _threads(
    rules: Rules, processes: list[Process], objects: tuple[MemoryObject, ...]
) -> tuple[tuple[Thread, ...], ProcessPoints]:
    module = rules.scope.module
    if module.synchronous:
        from membar.languages.dve.synchronous import joint_thread  # noqa: PLC0415 - few models

        thread, process_points = joint_thread(rules, processes)
        return (thread,), process_points
    if module.legacy:
        from membar.languages.dve.legacy import legacy_process_points, legacy_thread  # noqa: PLC0415 - few models

        threads = tuple(legacy_thread(rules, process, objects) for process in processes)
        return threads, legacy_process_points(processes)
    return tuple(thread_of(rules, process) for process in processes), process_points_of(processes)


def _check_words(module: x.Module, scope: Scope) -> None:
    """Membar's own words: what they name must be there and go together."""
    if module.legacy and (module.synchronous or any(channel.capacity for channel in module.channels)):
        what = "a synchronous system" if module.synchronous else "buffered channels"
        raise error("W1005", f"{what} with legacy run-time errors", module.span, "not supported")
    for name, state in module.ends:
        if module.legacy or module.synchronous:
            raise error(
                "W1005", "`ends` with legacy run-time errors or `system sync`", name.span, "not supported"
            )
        process = scope.process(name.text, name.span)
        if state.text not in process.states:
            raise unknown(f"state of `{process.name}`", state.text, process.states, state.span)
    for ghost in module.ghosts:
        if ghost.text not in scope.globals:
            raise unknown("global variable", ghost.text, scope.globals, ghost.span)
    for item in module.atomics:
        if item.variable is not None and item.variable.text not in scope.globals:
            raise unknown("global variable", item.variable.text, scope.globals, item.variable.span)
        if item.process is not None:
            process = scope.process(item.process.text, item.process.span)
            if item.transition is not None and not 1 <= item.transition <= len(process.tree.transitions):
                most = len(process.tree.transitions)
                message = f"`{process.name}` has no transition {item.transition}"
                raise error("W1008", message, item.span, f"they are 1 to {most}")


def _watched_processes(module: x.Module, processes: list[Process]) -> frozenset[str]:
    """Processes whose state others look at in guards and effects; memory must tell it."""
    if module.synchronous:
        return frozenset()
    if module.legacy:
        return frozenset(process.name for process in processes)
    return frozenset(
        tree.process
        for process in processes
        for expression in _expressions(process.tree)
        for tree in state_tests(expression)
        if tree.process != process.name
    )


def _expressions(process: x.Process) -> Iterator[x.Expr]:
    for transition in process.transitions:
        if transition.guard is not None:
            yield transition.guard
        if transition.sync is not None:
            yield from (*transition.sync.values, *transition.sync.targets)
        for effect in transition.effects:
            yield effect.target
            yield effect.value


def _objects(scope: Scope, processes: list[Process], watched: frozenset[str]) -> Iterator[MemoryObject]:
    for variable in scope.globals.values():
        if variable.object is not None:
            yield _object(variable, variable.object)
    for process in processes:
        if process.name in watched:
            entry = (process.entry,)
            yield MemoryObject(name=process.state_object, size=2, initial=entry, span=process.tree.span)
        for variable in process.variables.values():
            if variable.object is not None:
                yield _object(variable, variable.object)


def _object(variable: Variable, name: str) -> MemoryObject:
    return MemoryObject(
        name=name,
        size=variable.type.size,
        count=variable.count or 1,
        signed=variable.type.signed,
        initial=variable.initial,
        is_array=variable.count is not None,
        span=variable.span,
    )


def _errors(
    scope: Scope, process_points: ProcessPoints, processes: list[Process]
) -> Iterator[StatePredicate]:
    for process in processes:
        for state, tree in process.tree.asserts:
            reader = Predicates(scope, process_points, process)
            holds = reader.value(tree).truth
            is_there = reader.is_in(process, state.text, state)
            violated = _negated_words(tree)
            if isinstance(tree, x.Unary) and isinstance(tree.operand, x.Binary):
                violated = f"({violated})"
            text = f"{process.name}.{state.text} and {violated}"
            predicate = reader.predicate(Binary(BinaryOp.AND, is_there, negation(holds)), text)
            yield replace(predicate, property="assertions")
    for tree in scope.module.errors:
        reader = Predicates(scope, process_points)
        yield reader.predicate(reader.value(tree).truth, tree.span.flat_text)


def _error_states_and_claims(
    scope: Scope, process_points: ProcessPoints
) -> tuple[list[StatePredicate], tuple[Claim, ...]]:
    """What `ltl` says: a formula `G p` without further temporal operators forbids states, others runs."""
    errors: list[StatePredicate] = []
    claims: list[Claim] = []

    def predicate(tree: x.Expr, text: str) -> StatePredicate:
        reader = Predicates(scope, process_points)
        return reader.predicate(reader.value(tree).truth, text)

    for number, claim in enumerate(scope.module.claims, start=1):
        tree, text = claim.tree, claim.span.flat_text
        if isinstance(tree, x.Unary) and tree.op == "G" and not is_temporal(tree.operand):
            operand, assumed = tree.operand, None
            negated = (
                operand.operand
                if isinstance(operand, x.Unary) and operand.op == "not"
                else x.Unary("not", operand, operand.span)
            )
            found = predicate(negated, _negated_words(operand))
            if isinstance(operand, x.Binary) and operand.op == "imply":
                assumed = predicate(operand.left, _words(operand.left))
            errors.append(replace(found, property="claims", name=claim.name, assumed=assumed))
        else:
            body = formula_of(tree, lambda atom: Atom(predicate(atom, _words(atom))))
            claims.append(Claim(claim.name or f"ltl{number}", body, text, claim.span))
    return errors, tuple(claims)


def _words(tree: x.Expr) -> str:
    return without_parentheses(tree.span.flat_text)


def _negated_words(tree: x.Expr) -> str:
    """The negation of an expression in the user's words: of `not a`, `a`."""
    if isinstance(tree, x.Unary) and tree.op == "not":
        return _words(tree.operand)
    return f"not ({_words(tree)})"


def _claim(scope: Scope, process_points: ProcessPoints, prop: Process) -> Claim:
    """A property process: the runs that its automaton accepts must not be."""
    tree = prop.tree
    for what, span in _not_allowed_in_automaton(tree):
        raise error("W1005", f"{what} in a property", span, "only states and guards are supported")
    edges = []
    for transition in tree.transitions:
        reader = Predicates(scope, process_points, prop)
        text = "true" if transition.guard is None else transition.guard.span.flat_text
        guard = x.Number(1, transition.span) if transition.guard is None else transition.guard
        predicate = reader.predicate(reader.value(guard).truth, text)
        source, target = prop.states[transition.source], prop.states[transition.target]
        edges.append(AutomatonEdge(source, target, predicate))
    accepting = (
        # Nothing is accepted: no run is forbidden.
        (frozenset[int](),)
        if tree.acceptance is None
        else tuple(frozenset(prop.states[word.text] for word in words) for words in tree.acceptance.sets)
    )
    body = ForbiddenRuns(tuple(prop.states), prop.entry, tuple(edges), accepting)
    return Claim(prop.name, body, text=f"the property {prop.name}", span=tree.span)


def _not_allowed_in_automaton(tree: x.Process) -> Iterator[tuple[str, Span]]:
    for item in tree.variables:
        if not item.constant:
            yield "a variable", item.span
    for word in tree.committed:
        yield "`commit`", word.span
    for word, _ in tree.asserts:
        yield "`assert`", word.span
    for transition in tree.transitions:
        if transition.sync is not None:
            yield "a synchronisation", transition.sync.span
        for effect in transition.effects:
            yield "an effect", effect.span
