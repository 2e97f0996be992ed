"""One transition of a process as one edge of its thread."""

from __future__ import annotations

from collections.abc import Iterator

from membar.diagnostics import error
from membar.languages.dve import syntax as x
from membar.languages.dve.arithmetic import Failure, Value
from membar.languages.dve.code import Checks, Code
from membar.languages.dve.scope import Process, Scope
from membar.program.expr import Register
from membar.program.operations import NO_TAGS, Receive, Send, Tags
from membar.records import record


@record(frozen=True, slots=True)
class Rules:
    """What holds for all transitions of a text.

    Attributes:
        scope: the names.
        widths: number of values in a message of each channel.
        watched: processes whose state others look at: memory tells it.
    """

    scope: Scope
    widths: dict[str, int]
    watched: frozenset[str]


def widths_of(scope: Scope) -> dict[str, int]:
    """The number of values in a message of each channel.

    Raises:
        InputError: transitions disagree about it.
    """
    found = {name: len(channel.types or ()) for name, channel in scope.channels.items()}
    sending = {sync.channel for sync in _syncs(scope) if sync.sends}
    for sync in _syncs(scope):
        channel = scope.channel(sync.channel, sync.span)
        if channel.types is None and sync.sends is (channel.name in sending):
            found[channel.name] = max(found[channel.name], sync.width)
    for sync in _syncs(scope):
        channel = scope.channels[sync.channel]
        width = found[channel.name]
        # A receiver that names no variable takes part all the same.
        is_ignored = channel.types is None and not sync.sends and not sync.targets
        if sync.width != width and not is_ignored:
            message = f"a message of {sync.width} values on `{channel.name}`"
            raise error("W1010", message, sync.span, f"its messages have {width}")
    return found


def _syncs(scope: Scope) -> Iterator[x.Sync]:
    for process in scope.processes:
        for transition in process.tree.transitions:
            if transition.sync is not None:
                yield transition.sync


def state_tests(*trees: x.Expr) -> Iterator[x.InState]:
    """Where expressions ask in which state a process is."""
    for tree in trees:
        match tree:
            case x.InState():
                yield tree
            case x.Unary(operand=operand):
                yield from state_tests(operand)
            case x.Binary(left=left, right=right):
                yield from state_tests(left, right)
            case x.Variable(index=index) if index is not None:
                yield from state_tests(index)
            case _:
                pass


def tags_of(rules: Rules, process: Process, transition: x.Transition, variable: str) -> Tags:
    """The words of a write: whether it goes around the store buffer."""
    module = rules.scope.module
    if any(ghost.text == variable for ghost in module.ghosts):
        return frozenset({"GHOST"})
    if is_atomic(module, process.name, transition.number, variable):
        return frozenset({"ATOMIC" if module.atomic_rule == "own" else "ATOMIC-ALL"})
    return NO_TAGS


def is_atomic(module: x.Module, process: str, transition: int, variable: str) -> bool:
    """Whether the model says that a transition's write of a variable goes around the store buffer."""
    return any(names(item, process, transition, variable) for item in module.atomics)


def names(item: x.Atomic, process: str, transition: int, variable: str) -> bool:
    """Whether an `atomic` line names a transition's write of a variable."""
    return (
        (item.variable is None or item.variable.text == variable)
        and (item.process is None or item.process.text == process)
        and (item.transition is None or item.transition == transition)
    )


def do_transition(code: Code, rules: Rules, process: Process, transition: x.Transition) -> None:
    """The whole transition, after its guard, with what it tells and is told.

    Without room between them, sender and receiver meet: the value is computed before, then the receiver takes
    it and does its effects, then the sender does its own. A channel with room comes after the effects, and
    what is sent is computed after them.
    """
    sync = transition.sync
    if sync is None:
        _effects(code, rules, process, transition)
    else:
        channel = rules.scope.channel(sync.channel, sync.span)
        width = rules.widths[channel.name]
        if not sync.sends:
            names = tuple(code.temporary() for _ in range(width))
            code.operations.append(Receive(channel.name, names))
            code.forget()
            if channel.capacity:
                _effects(code, rules, process, transition)
                _take(code, rules, process, transition, names)
            else:
                _take(code, rules, process, transition, names)
                _effects(code, rules, process, transition)
        elif channel.capacity:
            checks, code.checks = code.checks, Checks.NOTE
            _effects(code, rules, process, transition)
            _send(code, channel, sync)
            code.checks = checks
            code.conclude()
        else:
            for effect in transition.effects:  # where the receiver is now: it moves first
                for tree in state_tests(effect.value, effect.target):
                    code.in_state(tree)
            _send(code, channel, sync)
            code.forget()
            _effects(code, rules, process, transition)
    if process.name in rules.watched:
        code.store_location(process, transition.target)


def _effects(code: Code, rules: Rules, process: Process, transition: x.Transition) -> None:
    for effect in transition.effects:
        value = code.value(effect.value)
        tags = tags_of(rules, process, transition, effect.target.name)
        code.assign(effect.target, value, tags=tags)


def _send(code: Code, channel: x.Channel, sync: x.Sync) -> None:
    """Sends; what goes wrong in computing the values matters only if somebody takes them."""
    types = channel.types or (None,) * sync.width
    values = [code.value(tree) for tree in sync.values]
    message = tuple(code.message(value, kind) for value, kind in zip(values, types, strict=True))
    failures: list[Failure] = [failure for value in values for failure in value.failures]
    if code.checks is Checks.NOTE:
        code.check(failures)
        failures = []
    code.operations.append(Send(channel.name, message))
    code.check(failures)


def _take(
    code: Code, rules: Rules, process: Process, transition: x.Transition, names: tuple[str, ...]
) -> None:
    """What was received goes into the variables named; those in `names` are free of later changes."""
    sync = transition.sync
    if sync is None:
        return
    types = rules.scope.channels[sync.channel].types or (None,) * sync.width
    for target, name, kind in zip(sync.targets, names, types, strict=False):  # who names none takes none
        value = Value(Register(name)) if kind is None else Value(Register(name), kind.range)
        code.assign(target, value, tags=tags_of(rules, process, transition, target.name))
