"""Statements: how they lead the flow.

Loops whose number of turns is known from the text are written out turn by turn. All others become loops of
the automaton; the engine decides how often they are taken. Which variables a loop changes is found by trying:
a turn is built with everything known, and built again with what it changed unknown, until nothing is new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from pycparser import c_ast as ast

from membar.languages.c import codes, invocation
from membar.languages.c import types as t
from membar.languages.c.copies import made, repeated_call
from membar.languages.c.expressions import Expressions
from membar.languages.c.flow import MADE, Key, State, TooLargeError
from membar.languages.c.machine import Machine
from membar.languages.c.values import (
    NOTHING,
    Aggregate,
    Slot,
    Value,
    infix,
    integer,
    is_constant,
    known,
    promoted,
    truth,
)
from membar.languages.c.world import Frame, Object, Scope, Target
from membar.program.expr import TRUE, Expr
from membar.program.operations import NONZERO_RETURN

_MOST_TURNS: Final = 4096
_THREADS: Final = "MEMBAR_THREADS"
"""The macro that says how many threads a loop may create whose number of turns is not known."""
_MOST_THREADS: Final = "4"
_MOST_THREADS_AT_ALL: Final = 16
# Builds one turn: the state behind it, and whether the loop's condition was decided while building.
Turn: TypeAlias = Callable[[], tuple[State | None, bool]]


class Statements:
    """The statements of one machine."""

    def __init__(self, machine: Machine, expressions: Expressions) -> None:
        self.m = machine
        self.e = expressions
        self._too_long: set[int] = set()
        machine.block_value = self._block_value

    @property
    def _frame(self) -> Frame:
        return self.m.frames[-1]

    def run(self, node: ast.Node | None) -> None:
        """Does a statement."""
        if node is None or (self.m.flow.is_dead and self._is_passed_over(node)):
            return
        match node:
            case ast.Compound():
                self._block(node)
            case ast.Decl() | ast.Typedef() | ast.StaticAssert() | ast.Pragma() | ast.AttributeDeclaration():
                self.e.declarations.declare(node)
            case ast.DeclList():
                for item in node.decls:
                    self.e.declarations.declare(item)
            case ast.If():
                self._if(node)
            case ast.While() | ast.DoWhile() | ast.For():
                self._loop(node)
            case ast.Switch():
                self._switch(node)
            case ast.Case() | ast.Default():
                self._case(node)
            case ast.Label():
                self._label(node)
            case ast.Goto():
                self._goto(node)
            case ast.Break():
                self._jump(self._frame.breaks, node, "break")
            case ast.Continue():
                self._jump(self._frame.continues, node, "continue")
            case ast.Return():
                self._return(node)
            case ast.EmptyStatement():
                pass
            case ast.AttributedStatement():
                self.run(node.stmt)
            case _:
                self.e.effect(node)

    def _is_passed_over(self, node: ast.Node) -> bool:
        """Whether nothing arrives in a statement; from then on nothing may jump into it."""
        if isinstance(node, ast.Decl | ast.DeclList | ast.Typedef):
            return False  # a jump may pass it, and its name is known all the same
        frame, names = self._frame, list(labels_of(node))
        is_target = any(
            name in frame.repeated or (name in frame.labels and self.m.flow.arrivals(frame.labels[name]))
            for name in names
        )
        if is_target or next(_cases(node), None) is not None:
            return False
        frame.done_labels.update(names)
        return True

    # Blocks

    def _block(self, node: ast.Compound) -> None:
        with_scope = self._in_scope(node)
        self._items(list(node.block_items or ()))
        with_scope()

    def _in_scope(self, node: ast.Node) -> Callable[[], None]:
        """Opens a scope; what is returned closes it and ends the life of its variables."""
        m = self.m
        outer = m.scope
        m.scope = inner = Scope(outer, id(node))

        def close() -> None:
            m.scope = outer
            m.end_lives(inner.locals, m.world.tree.closing(node))

        return close

    def _items(self, items: list[ast.Node]) -> None:
        while items:
            item = items.pop(0)
            target = item
            while isinstance(target, ast.Case | ast.Default) and target.stmts:
                target = target.stmts[0]
            if isinstance(item, ast.Label) and any(
                _jumps_to(item.name, rest) for rest in (item.stmt, *items)
            ):
                self._repeated(item, items)
                return
            self.run(item)

    def _block_value(self, node: ast.Compound) -> Value | Aggregate:
        """The value of a statement expression: that of its last expression."""
        items = list(node.block_items or ())
        close = self._in_scope(node)
        last = items.pop() if items else None
        self._items(items)
        is_expression = last is not None and not isinstance(
            last,
            ast.Decl | ast.If | ast.While | ast.For | ast.DoWhile | ast.Compound | ast.Label | ast.Switch,
        )
        value: Value | Aggregate = NOTHING
        if last is not None and is_expression:
            value = self.e.value(last)
        else:
            self.run(last)
        close()
        return value

    # Branches

    def _if(self, node: ast.If) -> None:
        flow = self.m.flow
        yes, no = self.e.branch(node.cond) if not flow.is_dead else (None, None)
        flow.state = yes
        self.run(node.iftrue)
        yes = flow.leave()
        flow.state = no
        self.run(node.iffalse)
        flow.resume(yes, flow.leave())

    def _switch(self, node: ast.Switch) -> None:
        flow, frame = self.m.flow, self._frame
        if flow.is_dead:
            self.m.refuse(node, "a jump into a `switch`")
        value = promoted(self.m.kept(self.e.scalar(node.cond), node.cond))
        if integer(value.type) is None:
            self.m.refuse(node.cond, f"a `switch` over a `{t.spelled(value.type)}`", codes.TYPE)
        value = Value(
            flow.named(value.expr, self.m.span(node.cond)) if not is_constant(value.expr) else value.expr,
            value.type,
        )
        frame.breaks.append(Target(flow.exit(), self.m.scope))
        exits: dict[int, int] = {}
        default: ast.Default | None = None
        met: set[Expr] = set()
        for case in _cases(node.stmt):
            exits[id(case)] = flow.exit()
            if isinstance(case, ast.Default):
                if default is not None:
                    self.m.refuse(case, "a second `default` in one `switch`", codes.FLOW)
                default = case
                continue
            number = self._case_label(case, value.type)
            if number.expr in met:
                self.m.refuse(case.expr, "a second `case` with the same number", codes.FLOW)
            met.add(number.expr)
            yes, no = flow.branch(truth(infix("==", value, number)), self.m.span(case.expr))
            flow.state = yes
            flow.jump(exits[id(case)])
            flow.state = no
        flow.jump(frame.breaks[-1].exit if default is None else exits[id(default)])
        frame.cases.append(exits)
        self.run(node.stmt)
        frame.cases.pop()
        flow.arrive(frame.breaks.pop().exit)

    def _case_label(self, case: ast.Case, kind: t.CType) -> Value:
        """The number of a `case`, as one of the promoted type of what the `switch` looks at (C 6.8.4.2)."""
        given = self.e.declarations.constant(case.expr)
        if not isinstance(given, Value) or known(given.expr) is None or integer(given.type) is None:
            self.m.refuse(case.expr, "a `case` that is no constant number", codes.CONSTANT)
        return self.m.converted(given, kind, case.expr)

    def _case(self, node: ast.Case | ast.Default) -> None:
        if not self._frame.cases or id(node) not in self._frame.cases[-1]:
            self.m.refuse(node, "a `case` outside a `switch`", codes.FLOW)
        self.m.flow.arrive(self._frame.cases[-1][id(node)], self._visible())
        self._items(list(node.stmts or ()))

    def _visible(self) -> Iterator[Key]:
        """The variables of the flow that a name means here: a jump may have passed their declarations."""
        scope: Scope | None = self.m.scope
        while scope is not None and scope is not self.m.world.scope:
            yield from keys_of(scope)
            scope = scope.outer

    # Jumps

    def _jump(self, targets: list[Target], node: ast.Node, word: str) -> None:
        if not targets:
            self.m.refuse(node, f"`{word}` outside a loop", codes.FLOW)
        target = targets[-1]
        self.m.leave_scopes(self.m.span(node), lambda scope: scope is target.scope)
        self.m.flow.jump(target.exit)

    def _return(self, node: ast.Return) -> None:
        frame = self._frame
        if node.expr is not None:
            value = self.e.value(node.expr)
            if isinstance(value, Aggregate):
                if value.type is not frame.result:
                    self.m.refuse(node, "a structure of another type is returned", codes.TYPE)
                self.m.flow.put_all({(*frame.key, offset, ""): slot for offset, slot in value.parts})
            elif value is not NOTHING:
                kept = self.m.kept(self.m.converted(value, frame.result, node), node)
                self.m.flow.put((*frame.key, 0, ""), Slot(kept.expr))
                if self.m.number == 1 and len(self.m.frames) == 1 and t.is_scalar(kept.type):
                    invocation.check_exit(self.m, kept, NONZERO_RETURN, node)
        self.m.leave_scopes(self.m.span(node))
        self.m.flow.jump(frame.returns)

    def _exit_of(self, name: str) -> int:
        labels = self._frame.labels
        if name not in labels:
            labels[name] = self.m.flow.exit()
        return labels[name]

    def _goto(self, node: ast.Goto) -> None:
        frame = self._frame
        blocks = frame.blocks_of_labels.get(node.name)
        if blocks is None:
            self.m.refuse(node, f"unknown label `{node.name}`", codes.NAME)
        if node.name in frame.done_labels and node.name not in frame.repeated:
            self.m.refuse(node, f"`goto {node.name}` back into a block that was left")
        self.m.leave_scopes(self.m.span(node), lambda scope: not scope.block or scope.block in blocks)
        if node.name in frame.repeated:
            self.m.flow.jump(frame.repeated[node.name])
            return
        self.m.flow.jump(self._exit_of(node.name))

    def _renew(self, *nodes: ast.Node) -> None:
        """Labels inside a turn are new in each turn; nobody may have jumped to one from outside."""
        frame = self._frame
        for node in nodes:
            for name in labels_of(node):
                if name in frame.labels and self.m.flow.arrivals(frame.labels[name]):
                    self.m.refuse(node, f"a jump to `{name}` into a loop")
                frame.labels.pop(name, None)
                frame.done_labels.discard(name)

    def _label(self, node: ast.Label) -> None:
        self.m.flow.arrive(self._exit_of(node.name), self._visible())
        self._frame.done_labels.add(node.name)
        self.run(node.stmt)

    def _repeated(self, node: ast.Label, rest: list[ast.Node]) -> None:
        """A label that something behind it jumps back to: a loop of all that follows it in the block."""
        flow, frame = self.m.flow, self._frame
        flow.arrive(self._exit_of(node.name), self._visible())

        scope, known = self.m.scope, dict(self.m.scope.symbols)

        def turn() -> tuple[State | None, bool]:
            scope.symbols = dict(known)
            again = flow.exit()
            outer = frame.repeated.get(node.name)
            frame.repeated[node.name] = again
            self._renew(*(item for item in (node.stmt, *rest) if item is not None))
            self.run(node.stmt)
            self._items(list(rest))
            if outer is None:
                del frame.repeated[node.name]
            else:
                frame.repeated[node.name] = outer
            flow.jump(end)
            flow.arrive(again)
            return flow.leave(), False

        end = flow.exit()
        if not flow.is_dead:
            self._repeat(turn, node)
        frame.done_labels.add(node.name)
        flow.state = None
        flow.arrive(end)

    # Loops

    def _loop(self, node: ast.While | ast.DoWhile | ast.For) -> None:
        flow, frame = self.m.flow, self._frame
        if flow.is_dead:
            self.m.refuse(node, "a jump into a loop")
        close = self._in_scope(node)
        if isinstance(node, ast.For):
            self.run(node.init)
            found = repeated_call(node) if self.m.world.is_any else None
            if found is not None:
                made(self.e, found, node)
                close()
                return
        frame.breaks.append(Target(flow.exit(), self.m.scope))
        self._repeat(lambda: self._turn(node), node)
        flow.arrive(frame.breaks.pop().exit)
        close()

    def _repeat(self, turn: Turn, node: ast.Node) -> None:
        """Turn after turn, written out if it is clear how many there are."""
        start = self.m.mark()
        if id(node) in self.m.world.before.counted and not self.m.loops:
            self._counted(turn, node)
            return
        try:
            is_done = id(node) not in self._too_long and self._written_out(turn)
        except TooLargeError:
            self._too_long.add(id(node))  # inside of another loop it would be tried again in every turn
            is_done = False
        if not is_done:
            self.m.back_to(start)
            self._general(turn, node)
        self.m.flow.state = None

    def _turn(self, node: ast.While | ast.DoWhile | ast.For) -> tuple[State | None, bool]:
        """One turn from its condition on: the state behind it, and whether its condition was decided."""
        flow, frame = self.m.flow, self._frame
        decided = False
        if not isinstance(node, ast.DoWhile):
            decided = self._leave_unless(node.cond)
        frame.continues.append(Target(flow.exit(), self.m.scope))
        self._renew(node.stmt)
        self.run(node.stmt)
        flow.arrive(frame.continues.pop().exit)
        if isinstance(node, ast.For) and node.next is not None and not flow.is_dead:
            self.e.effect(node.next)
        if isinstance(node, ast.DoWhile):
            decided = self._leave_unless(node.cond)
        return flow.leave(), decided

    def _leave_unless(self, condition: ast.Node | None) -> bool:
        """Leaves the loop if its condition does not hold. Whether that was decided, and not by a literal."""
        flow = self.m.flow
        if condition is None or flow.is_dead:
            return False
        yes, no = self.e.branch(condition)
        flow.state = no
        flow.jump(self._frame.breaks[-1].exit)
        flow.state = yes
        return (yes is None or no is None) and not isinstance(condition, ast.Constant)

    def _written_out(self, turn: Turn) -> bool:
        """Builds the loop turn by turn, if it is clear that this ends; else nothing useful is left.

        It is clear as long as the loop's own condition is decided, or all of a turn leads to the next one.

        Raises:
            TooLargeError: it may end, but not soon.
        """
        flow = self.m.flow
        met: set[frozenset[tuple[Key, Slot]]] = set()
        for _ in range(_MOST_TURNS):
            before = flow.state
            left = flow.arrivals()
            state, decided = turn()
            if state is None:
                return True
            is_left = flow.arrivals() > left
            if (is_left and not decided) or before is None or not _moved_on(before, state):
                return False
            met.add(_known_part(before))
            if _known_part(state) in met:
                return False  # the same turns again and again, as far as is known
            flow.state = state
        raise TooLargeError

    def _counted(self, turn: Turn, node: ast.Node) -> None:
        """As many turns as threads may be created in one loop; executions with more are cut."""
        flow = self.m.flow
        for _ in range(self._most_threads(node)):
            flow.state, _ = turn()
            if flow.is_dead:
                return
        if isinstance(node, ast.For | ast.While):
            self._leave_unless(node.cond)
        flow.endless(self.m.span(node))

    def _most_threads(self, node: ast.Node) -> int:
        text = self.m.world.tree.text.macros.get(_THREADS, _MOST_THREADS).strip("() ")
        number = int(text) if text.isdecimal() else 0
        if not 0 < number <= _MOST_THREADS_AT_ALL:
            message = f"`{_THREADS}` must be a number from 1 to {_MOST_THREADS_AT_ALL}"
            self.m.refuse(node, message, codes.THREADS)
        return number

    def _general(self, turn: Turn, node: ast.Node) -> None:
        """A loop of the automaton."""
        flow, m = self.m.flow, self.m
        varying: set[Key] = set()
        m.loops += 1
        m.loop_nodes[m.loops - 1 :] = [id(node)]
        start = m.mark()
        while True:
            head = flow.open(sorted(varying, key=repr))
            back, _ = turn()
            if back is None:
                break
            new = flow.changed(head, back) - varying
            if not new:
                flow.close(head, back, m.span(node))
                break
            varying |= new
            m.back_to(start)
        m.loops -= 1
        flow.state = None


def _known_part(state: State) -> frozenset[tuple[Key, Slot]]:
    slots = state.slots.items()
    return frozenset((key, slot) for key, slot in slots if is_constant(slot.expr) and key[0] != MADE)


def _moved_on(before: State, after: State) -> bool:
    """Whether a turn changed something that is known."""
    return any(
        is_constant(slot.expr) and slot.defined == TRUE and before.slots[key] != slot
        for key, slot in after.slots.items()
        if key in before.slots and key[0] != MADE
    )


def keys_of(scope: Scope) -> Iterator[Key]:
    """The variables of the flow that a block declares."""
    for symbol in scope.symbols.values():
        if isinstance(symbol, Object) and not symbol.in_memory:
            for offset in symbol.places:
                yield symbol.key(offset)


def _jumps_to(name: str, node: ast.Node | None) -> bool:
    if node is None:
        return False
    if isinstance(node, ast.Goto):
        return bool(node.name == name)
    return any(_jumps_to(name, child) for child in node)


def _cases(node: ast.Node | None) -> Iterator[ast.Case | ast.Default]:
    """The labels of a `switch`, those of inner ones aside."""
    if node is None or isinstance(node, ast.Switch):
        return
    if isinstance(node, ast.Case | ast.Default):
        yield node
    for child in node:
        yield from _cases(child)


def blocks_of_labels(
    node: ast.Node, around: frozenset[int] = frozenset()
) -> Iterator[tuple[str, frozenset[int]]]:
    """The labels of a function, each with what opens the scopes around it."""
    if isinstance(node, ast.Label):
        yield node.name, around
    if isinstance(node, ast.Compound | ast.While | ast.DoWhile | ast.For):
        around |= {id(node)}
    for child in node:
        yield from blocks_of_labels(child, around)


def labels_of(node: ast.Node) -> Iterator[str]:
    """The labels of a function."""
    if isinstance(node, ast.Label):
        yield node.name
    for child in node:
        yield from labels_of(child)
