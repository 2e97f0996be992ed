"""A process → its automaton."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from membar.diagnostics import Diagnostic, InputError, error
from membar.languages.promela import syntax as p
from membar.languages.promela.actions import Action, Kind, Move, Start
from membar.languages.promela.automaton import Automaton
from membar.languages.promela.channels import FULL_FENCE, Messages
from membar.languages.promela.declarations import Declarations
from membar.languages.promela.remote import RemoteReferences
from membar.languages.promela.scheduling import HIGHEST, HIGHEST_IDLE, priority_of
from membar.languages.promela.scope import Channel, Scope
from membar.languages.promela.values import PROCESSES, CellReference, Reads, Values, assignment
from membar.languages.promela.variables import Built, Instance, ProcessVariables
from membar.program.expr import FALSE, TRUE, Binary, BinaryOp, Constant, Expr, Register, Select, equals
from membar.program.folding import both, either, fold, logical_not, truth
from membar.program.operations import Assert, Choose, Fence, Operation
from membar.records import record, replace
from membar.source import Span, without_parentheses

# Of a choice between numbers; SPIN counts where there are more.
_MOST_ASSIGNMENTS = 32
_HIGHEST_PRIORITY = 255
FENCE_OF_ALL = Fence(frozenset({"FLUSH-ALL"}))


@record(frozen=True, slots=True, kw_only=True)
class _StatementContext:
    """Where a statement stands.

    Attributes:
        block: the atomic block.
        is_deterministic: that block is a `d_step`.
        after_loop: where `break` leads.
        others: where the other options begin, for the first statement of an option.
        is_head: it is the first statement of an option, or has a label.
        is_behind_first: it is not what a `d_step` begins with.
        turn: where a loop with a first assignment goes on, if it has a label.
    """

    scope: Scope
    block: int | None = None
    is_deterministic: bool = False
    after_loop: int | None = None
    others: tuple[int, ...] | None = None
    is_head: bool = False
    is_behind_first: bool = False
    turn: int | None = None

    @property
    def has_steps_of_jumps(self) -> bool:
        """Whether a jump is a step here, as in SPIN: others may act before it."""
        return self.is_head or (self.block is not None and not self.is_deterministic)


class ProcessBuilder:
    """Builds one running process."""

    def __init__(
        self,
        process: p.Process,
        instance: Instance,
        outer: Scope,
        declarations: Declarations,
        is_process: Callable[[p.Run], p.Process],
        *,
        remotes: RemoteReferences | None = None,
    ) -> None:
        self._process = process
        self._instance = instance
        self._declarations = declarations
        self._is_process = is_process
        self._outer = outer
        self._automaton = Automaton()
        self._blocks = 0
        self._gotos: list[tuple[int, p.Goto, _StatementContext]] = []
        self._hidden = 0
        self._diagnostics: list[Diagnostic] = []
        entry, end = self._automaton.point(), self._automaton.point()
        self._built = Built(self._automaton, entry, end, process.span)
        self._variables = ProcessVariables(instance, outer, declarations, self._built, remotes)

    def build(self) -> Built:
        """The automaton.

        Raises:
            InputError: with every diagnostic of the process.
        """
        self._variables.declare_parameters(self._process.parameters)
        body = self._process.body.statements
        leading = 0
        while leading < len(body) and isinstance(body[leading], p.Declare):
            leading += 1
        scope = Scope(self._variables.scope)
        for statement in body[:leading]:
            if isinstance(statement, p.Declare):
                self._variables.declare(statement, scope, is_first=True)
        around = _StatementContext(scope=scope)
        self._sequence(body[leading:], self._built.entry, self._built.end, around)
        for source, goto, around in self._gotos:
            target = self._automaton.point_of_label(goto.label, around.scope)
            if target is None:
                known = ", ".join(sorted(self._automaton.labels))
                self._diagnostics += error(
                    "W0706",
                    f"unknown label `{goto.label}`",
                    goto.span,
                    "no statement has this label",
                    help=f"labels of `{self._process.name}`: {known}" if known else None,
                ).diagnostics
                continue
            if around.is_deterministic and self._automaton.block_of(target) != around.block:
                self._diagnostics += error(
                    "W0710", "`goto` out of a `d_step`", goto.span, "it must be left at its end"
                ).diagnostics
            self._automaton.jump(source, target)
        if self._diagnostics:
            raise InputError(*dict.fromkeys(self._diagnostics))
        if self._declarations.is_dynamic and not self._instance.is_started:
            self._built.counters.update(self._built.registers)  # the step that starts it sets them
        return self._built

    # Sequences

    def _sequence(
        self, statements: Sequence[p.Statement], source: int, target: int, around: _StatementContext
    ) -> None:
        """Puts statements between two points, one after the other."""
        scope = around.scope
        at = source
        flat = list(statements)
        position = 0
        is_first = True
        while position < len(flat):
            statement = flat[position]
            position += 1
            if isinstance(statement, p.Declare):
                try:
                    flat[position:position] = self._variables.declare(statement, scope, is_first=False)
                except InputError as problem:
                    self._diagnostics += problem.diagnostics
                continue
            rest = any(not isinstance(other, p.Declare) or _acts(other) for other in flat[position:])
            following = self._automaton.point(around.block) if rest else target
            here = around
            if not is_first:
                behind = around.is_deterministic
                here = replace(around, others=None, is_head=False, is_behind_first=behind)
            try:
                self._statement(statement, at, following, here)
            except InputError as problem:
                self._diagnostics += problem.diagnostics
            at, is_first = following, False
        if at != target:
            self._automaton.jump(at, target)
        elif is_first:
            self._automaton.jump(source, target)

    def _statement(self, statement: p.Statement, source: int, target: int, around: _StatementContext) -> None:
        match statement:
            case p.Labelled(label, inner, span):
                turn = around.turn
                if turn is None and _has_turns(inner, around):
                    turn = self._automaton.point(around.block)
                self._automaton.label(label, source if turn is None else turn, span, around.scope)
                self._statement(inner, source, target, replace(around, is_head=True, turn=turn))
            case p.Block():
                self._block(statement, source, target, around)
            case p.Choice():
                self._choice(statement, source, target, around)
            case p.For():
                self._for(statement, source, target, around)
            case p.Select():
                self._select(statement, source, target, around)
            case p.ForEach():
                self._for_each(statement, source, target, around)
            case p.Unless():
                self._unless(statement, source, target, around)
            case p.Goto():
                self._goto(statement, source, around)
            case p.Break():
                if around.after_loop is None:
                    raise error("W0702", "`break` outside a loop", statement.span, "not inside `do`")
                if around.has_steps_of_jumps:
                    self._add(source, around.after_loop, Action(span=statement.span), around)
                else:
                    self._automaton.jump(source, around.after_loop)
            case p.Else(span):
                # Beside nothing else it is always enabled.
                action = Action(span=span, kind=Kind.ELSE, others=around.others or ())
                self._add(source, target, action, around)
            case p.Declare():
                self._sequence((statement,), source, target, around)
            case _:
                variables = self._variables
                variables.timeout = variables.asks_timeout = False
                for action in self._actions(statement, around):
                    if not variables.asks_timeout or action.condition != FALSE:
                        self._add(source, target, action, around)
                if variables.asks_timeout:
                    variables.timeout = True
                    for action in self._actions(statement, around):
                        self._add(source, target, replace(action, idle=True), around)

    def _add(self, source: int, target: int, action: Action, around: _StatementContext) -> None:
        if not around.is_behind_first:
            action = self._guarded(action)
        self._automaton.add(
            Move(
                source=source,
                target=target,
                action=action,
                block=around.block,
                is_deterministic=around.is_deterministic,
            )
        )

    def _guarded(self, action: Action) -> Action:
        """An action that needs the priority, and what the process is `provided`, before anything is computed.

        Of a `d_step` only the first statement does: the rest belongs to the same step.
        """
        provided = self._process.provided
        if provided is None and not self._declarations.has_priorities:
            return action
        reads = Reads(count=action.temporaries)
        allowed: Expr = TRUE
        if provided is not None:
            allowed = self._variables.values(self._outer, reads).truth(provided)
        if self._declarations.has_priorities:
            allowed = both(Register(HIGHEST_IDLE if action.idle else HIGHEST), allowed)
        own = (
            replace(item, condition=either(logical_not(allowed), item.condition))
            if isinstance(item, Assert)
            else item
            for item in action.reads
        )
        return replace(
            action,
            reads=(*reads.operations, *own),
            condition=both(allowed, action.condition),
            temporaries=reads.count,
        )

    def _goto(self, goto: p.Goto, source: int, around: _StatementContext) -> None:
        if around.has_steps_of_jumps:
            start = source
            source = self._automaton.point(around.block)
            self._add(start, source, Action(span=goto.span), around)
        self._gotos.append((source, goto, around))

    def _block(self, block: p.Block, source: int, target: int, around: _StatementContext) -> None:
        inner = replace(around, scope=Scope(around.scope))
        if block.word and around.block is None:
            self._blocks += 1
            inner = replace(inner, block=self._blocks, is_deterministic=block.word == "d_step")
            if inner.is_deterministic:
                self._automaton.d_step(self._blocks)
        elif block.word == "d_step":
            inner = replace(inner, is_deterministic=True)
        self._sequence(block.statements, source, target, inner)

    def _choice(self, choice: p.Choice, source: int, target: int, around: _StatementContext) -> None:
        automaton = self._automaton
        start, end = source, target
        inner = around
        if choice.is_loop:
            begins_step = around.is_deterministic and not around.is_behind_first
            if begins_step and (self._process.provided is not None or self._declarations.has_priorities):
                message = "a loop at the beginning of a `d_step` of a process with `provided` or priorities"
                raise error("W0711", message, choice.span, "not supported: put `skip` before it")
            start = automaton.point(around.block)
            automaton.jump(source, start)
            end = start
            inner = replace(around, after_loop=target)
        starts = [automaton.point(around.block) for _ in choice.options]
        for option, begin in zip(choice.options, starts, strict=True):
            automaton.jump(start, begin)
            # An option has no scope of its own: only braces have, as in SPIN.
            here = replace(
                inner,
                others=tuple(other for other in starts if other != begin),
                is_head=True,
            )
            self._sequence(_without_repeated_skips(option.statements), begin, end, here)

    def _for(self, loop: p.For, source: int, target: int, around: _StatementContext) -> None:
        automaton, span = self._automaton, loop.span
        inner = replace(around, scope=Scope(around.scope), others=None, is_head=False, turn=None)
        turn, body, next_turn = self._turn(around), *(automaton.point(around.block) for _ in range(2))
        goes_on = p.Infix("<=", loop.target, loop.high, span)
        one_more = p.Infix("+", loop.target, p.Number(1, span), span)
        self._statement(p.Assign(loop.target, loop.low, span), source, turn, inner)
        self._statement(p.Test(goes_on, span), turn, body, inner)
        self._statement(p.Test(p.Prefix("!", goes_on, span), span), turn, target, inner)
        self._statement(loop.body, body, next_turn, replace(inner, after_loop=target))
        self._statement(p.Assign(loop.target, one_more, span), next_turn, turn, inner)

    def _for_each(self, loop: p.ForEach, source: int, target: int, around: _StatementContext) -> None:
        """The indices of an array; or each message of a channel, which is received and sent again."""
        span, of = loop.span, loop.all_of
        values = self._variables.values(around.scope)
        if not values.is_channel(of) or values.is_array(of):
            last = p.Number(values.length(of) - 1, span)
            self._for(p.For(loop.target, p.Number(0, span), last, loop.body, span), source, target, around)
            return
        self._hidden += 1
        count = p.Use(f"#{self._hidden}", span)
        scope = Scope(around.scope)
        hidden = p.Variable(name=count.name, type=p.Type.BYTE, span=span)
        self._variables.declare(p.Declare((hidden,), span), scope, is_first=True)
        self._built.variables.pop(count.name, None)
        message = p.Receive(of, (p.Pattern(loop.target, is_matched=False, span=span),), False, False, span)
        again = p.Send(of, (loop.target,), False, span)
        one_more = p.Assign(count, p.Infix("+", count, p.Number(1, span), span), span)
        goes_on = p.Test(p.Infix("<", count, p.Ask("len", of, span), span), span)
        turn = p.Block((goes_on, message, again, one_more, loop.body), "", span)
        stop = p.Block((p.Else(span), p.Break(span)), "", span)
        first = p.Assign(count, p.Number(0, span), span)
        inner = replace(around, scope=scope, others=None, is_head=False)
        self._count(first, p.Choice((turn, stop), True, span), source, target, inner)

    def _count(
        self, first: p.Assign, loop: p.Choice, source: int, target: int, around: _StatementContext
    ) -> None:
        """A first value, and a loop that begins where a label of both is."""
        turn = self._turn(around)
        inner = replace(around, turn=None)
        self._statement(first, source, turn, inner)
        behind = around.is_deterministic
        self._statement(
            loop, turn, target, replace(inner, others=None, is_head=False, is_behind_first=behind)
        )

    def _turn(self, around: _StatementContext) -> int:
        return self._automaton.point(around.block) if around.turn is None else around.turn

    def _unless(self, unless: p.Unless, source: int, target: int, around: _StatementContext) -> None:
        automaton = self._automaton
        first = automaton.size
        self._statement(unless.statement, source, target, around)
        inside = frozenset({source, *range(first, automaton.size)})
        start = automaton.point(around.block)
        self._statement(unless.escape, start, target, replace(around, others=None, is_head=False))
        automaton.escape(inside, start)

    def _select(self, select: p.Select, source: int, target: int, around: _StatementContext) -> None:
        """A free choice of a value; it takes as many steps as in SPIN where somebody can see the difference.

        Between numbers it is a choice of assignments. Otherwise SPIN counts from the low end and stops
        anywhere, which is seen where the variable is shared and no atomic block is around. So the low end is
        chosen where the range is empty. A `d_step` takes the first possibility: the low end.
        """
        span = select.span
        low = p.Assign(select.target, select.low, span)
        if around.is_deterministic:
            self._statement(low, source, target, around)
            return
        values = self._variables.values(around.scope)
        place = values.place(select.target)
        is_seen = around.turn is not None or (place.storage.is_shared and around.block is None)
        if is_seen and not _is_one_step(select):
            one_more = p.Infix("+", select.target, p.Number(1, span), span)
            is_less = p.Test(p.Infix("<", select.target, select.high, span), span)
            count = p.Block((is_less, p.Assign(select.target, one_more, span)), "", span)
            stop = p.Block((p.Break(span),), "", span)
            self._count(low, p.Choice((count, stop), True, span), source, target, around)
            return
        first, last = values.of(select.low), values.of(select.high)
        if _is_one_step(select) and fold(Binary(BinaryOp.SLT, last, first)) == TRUE:
            raise error("W0705", "`select` from an empty range", span, "the first number is larger")
        last = fold(Select(fold(Binary(BinaryOp.SLT, last, first)), first, last))
        chosen = values.reads.fresh()
        effects = (Choose(chosen, first, last), *assignment(place, Register(chosen)))
        self._add(source, target, self._action(values, span, effects=effects), around)

    # Statements that act

    def _actions(self, statement: p.Statement, around: _StatementContext) -> Sequence[Action]:
        values = self._variables.values(around.scope)
        match statement:
            case p.Test(condition, span):
                if isinstance(condition, p.Run):
                    return [self._run(condition, None, values)]
                return [self._action(values, span, condition=values.truth(condition))]
            case p.Assign(target, value, span):
                if isinstance(value, p.Run):
                    return [self._run(value, target, values)]
                if target.name == "_":  # which forgets what it is given
                    values.of(value)
                    return [self._action(values, span)]
                place = values.place(target)
                return [self._assignment(place, values.of(value), values, span)]
            case p.Check(condition, span):
                holds = values.truth(condition)
                message = f"assert({without_parentheses(condition.span.flat_text)})"
                return [self._action(values, span, effects=(Assert(holds, message),))]
            case p.Skip(span):
                return [Action(span=span)]
            case p.Store(target, value, span):
                place = _require_shared(values.place(target), target)
                return [self._assignment(place, values.of(value), values, span)]
            case p.Load(source, value, span):
                place = _require_shared(values.place(source), source)
                visible = fold(equals(values.load(place), values.of(value)))
                return [self._action(values, span, condition=visible)]
            case p.Fence(everybody, span):
                fence = FENCE_OF_ALL if everybody else FULL_FENCE
                return [Action(span=span, effects=(fence,), kind=Kind.FENCE)]
            case p.SetPriority():
                return [self._set_priority(statement, values)]
            case p.Send() | p.Receive():
                found = Messages(values).actions(statement)
                is_fatal = around.is_deterministic and isinstance(statement, p.Send)
                return [_without_meeting(action) if is_fatal else action for action in found]
            case _:
                raise AssertionError(statement)

    def _action(
        self, values: Values, span: Span, *, condition: Expr = TRUE, effects: Sequence[Operation | Start] = ()
    ) -> Action:
        return Action(
            span=span,
            reads=tuple(values.reads.operations),
            condition=condition,
            effects=tuple(effects),
            temporaries=values.reads.count,
        )

    def _assignment(self, place: CellReference, value: Expr, values: Values, span: Span) -> Action:
        return self._action(values, span, effects=tuple(assignment(place, value)))

    def _set_priority(self, statement: p.SetPriority, values: Values) -> Action:
        """`set_priority(e, n)`; nothing happens if there is no such process."""
        wanted, priority = fold(values.of(statement.process)), fold(values.of(statement.priority))
        count = values.load(CellReference(PROCESSES, None))
        exists = both(
            fold(Binary(BinaryOp.SLE, FALSE, wanted)), truth(fold(Binary(BinaryOp.SLT, wanted, count)))
        )
        is_valid = both(
            fold(Binary(BinaryOp.SLT, FALSE, priority)),
            truth(fold(Binary(BinaryOp.SLE, priority, Constant(_HIGHEST_PRIORITY)))),
        )
        message = f"`{statement.span.flat_text}`: a priority is 1 to {_HIGHEST_PRIORITY}"
        effects: list[Operation] = [Assert(either(logical_not(exists), is_valid), message)]
        for number in range(self._variables.most_processes):
            place = CellReference(priority_of(number, statement.span), None)
            is_it = both(exists, fold(equals(wanted, Constant(number))))
            if is_it != FALSE:
                effects += assignment(place, fold(Select(is_it, priority, values.load(place))))
        return self._action(values, statement.span, effects=effects)

    def _run(self, run: p.Run, target: p.Use | None, values: Values) -> Action:
        process = self._is_process(run)
        parameters = list(self._declarations.scalars(process.parameters))
        given = [
            leaf
            for argument in run.arguments
            for leaf in (values.leaves(argument) if isinstance(argument, p.Use) else (argument,))
        ]
        if len(given) != len(parameters):
            message = f"`{process.name}` has {len(parameters)} parameters"
            raise error("W0709", message, run.span, f"{len(given)} arguments are given")
        arguments: list[Expr] = []
        channels: list[Channel | None] = []
        is_dynamic = self._declarations.is_dynamic
        for item, argument in zip(parameters, given, strict=True):
            is_channel = item.type is p.Type.CHAN and not is_dynamic
            arguments.append(FALSE if is_channel else values.of(argument))
            channels.append(self._channel_argument(argument, values) if is_channel else None)
        number: str | None = None
        stored: tuple[Operation, ...] = ()
        if target is not None:
            place = values.place(target)
            number = values.reads.fresh()
            stored = tuple(assignment(place, Register(number)))
        count = values.load(CellReference(PROCESSES, None)) if is_dynamic else None
        priority = self._declarations.priority(run.priority, values.scope)
        start = Start(process.name, tuple(arguments), tuple(channels), number, run.span, count, priority)
        return self._action(values, run.span, effects=(start, *stored))

    def _channel_argument(self, argument: p.Expr, values: Values) -> Channel | None:
        """The channel that an argument names; None if it is not known, or is one of a variable."""
        if isinstance(argument, p.Use) and argument.field is not None:
            pass  # of a record
        elif isinstance(argument, p.Use) and isinstance(
            values.scope.find(argument.name, argument.span), Channel
        ):
            channel, index = values.channel(argument)
            if index is None:
                return channel
            if isinstance(index, Constant):
                return replace(channel, count=None, element=index.value)
        elif not isinstance(argument, p.Use) or not values.is_channel(argument):
            raise error("W0709", "an argument that is not a channel", argument.span, "expected a channel")
        self._declarations.needs_dynamic = True
        return None


def _without_repeated_skips(option: Sequence[p.Statement]) -> list[p.Statement]:
    """The statements of an option without each `skip` that follows a `skip` or `printf`, as in SPIN.

    The last statement stays, and so does one with a label.
    """
    found: list[p.Statement] = []
    for place, statement in enumerate(option):
        follows = bool(found) and (isinstance(found[-1], p.Skip) or _is_skip(found[-1]))
        if not (_is_skip(statement) and follows) or place == len(option) - 1:
            found.append(statement)
    return found


def _is_skip(statement: p.Statement) -> bool:
    """Whether it is `skip`, `true` or 1."""
    match statement:
        case p.Test(p.Number(1)):
            return True
        case _:
            return False


def _without_meeting(action: Action) -> Action:
    """A statement of a `d_step`, where to send without room in between is an error, as in SPIN."""
    if action.kind is not Kind.MEETING:
        return action
    failing = Assert(FALSE, f"`{action.span.flat_text}`: a rendezvous in a `d_step`")
    return replace(action, kind=Kind.PLAIN, effects=(failing,))


def _require_shared(place: CellReference, use: p.Use) -> CellReference:
    if not place.storage.is_shared:
        raise error("W0707", f"`{use.name}` is local", use.span, "expected a global variable")
    return place


def _has_turns(statement: p.Statement, around: _StatementContext) -> bool:
    """Whether a label on it stands behind its first assignment, which `goto` leaves out, as in SPIN."""
    match statement:
        case p.Labelled(statement=inner):
            return _has_turns(inner, around)
        case p.Select():
            return not around.is_deterministic and not _is_one_step(statement)
        case _:
            return isinstance(statement, p.For | p.ForEach)


def _is_one_step(select: p.Select) -> bool:
    """Whether SPIN takes `select` for a choice of assignments.

    It does so between numbers, for a plain variable, and not in an inline.
    """
    low, high, target = select.low, select.high, select.target
    if select.is_of_inline or not isinstance(low, p.Number) or not isinstance(high, p.Number):
        return False
    is_plain = target.index is None and target.field is None
    return is_plain and high.value - low.value <= _MOST_ASSIGNMENTS


def _acts(declare: p.Declare) -> bool:
    """Whether a declaration between statements is a step."""
    return any(not isinstance(item.initial, p.ChannelShape) for item in declare.variables)
