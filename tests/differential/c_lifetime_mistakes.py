# ruff: noqa: E501 - one mistake per line
"""Deliberate mistakes in how the ends of local variables are found, each with programs that notice it."""

from __future__ import annotations

from differential.c_mistakes import Mistake
from differential.mutation import Rewrite

C = "membar.frontends.c"

LIFETIME_MISTAKES = (
    Mistake("variables never end", Rewrite(f"{C}.lifetimes", "            _tell(m, item, item.slot, joined, span)", "            pass"), ("a pointer to a local is kept",)),
    Mistake("the state does not say that it ended", Rewrite(f"{C}.lifetimes", "    number = Constant(heap.STATE_ENDED + place.number)", "    number = FALSE"), ("a kept local is written",)),
    Mistake("scalars do not say that they ended", Rewrite(f"{C}.lifetimes", "        if value is not None:", "        if value is None:"), ("a pointer to a local is kept",)),
    Mistake("variables do not begin again", Rewrite(f"{C}.lifetimes", "    if m.loops:", "    if not m.loops:"), ("a variable that begins again, elsewhere",)),
    Mistake("other threads know that variables live", Rewrite(f"{C}.lifetimes", " and item.slot.thread == m.number", " and bool(item.slot.thread)"), ("a local of a function that returned",)),
    Mistake("variables end while nobody runs", Rewrite(f"{C}.lifetimes", "    m.world.after.frees_beside |= m.number != 1 or any", "    m.world.after.frees_beside |= m.number != 1 and any"), ("the answer is delayed",)),
    Mistake("ends are not remembered", Rewrite(f"{C}.lifetimes", "            m.endings.append(Ending(item.label, state.source, state.guard, state.operations, joined))", "            pass"), ("a pointer to a local is kept",)),
    Mistake("threads that were joined still run", Rewrite(f"{C}.outliving", " - {machine.number} - ending.joined", " - {machine.number}"), ("a thread that is joined",)),
    Mistake("threads that were not joined are over", Rewrite(f"{C}.outliving", "            if others or ", "            if "), ("a local of a function that returned",)),
    Mistake("a thread does not outlive its own variables", Rewrite(f"{C}.outliving", "            if others or _is_used_behind(ending, pointers, machine.number, ways[machine.number]):", "            if others:"), ("a pointer to a local is kept",)),
    Mistake("what comes before an end counts", Rewrite(f"{C}.outliving", "    return bool(through) and not through.isdisjoint(ways.behind(ending))", "    return bool(through)"), ("one of two, while both live",)),
    Mistake("only the next step comes behind an end", Rewrite(f"{C}.outliving", "                if target not in met:", "                if target in met:"), ("used two calls later",)),
    Mistake("what is stored is lost", Rewrite(f"{C}.outliving", "                    is_new |= self._add(label, self._targets(access.thread, access.value))", "                    pass"), ("a pointer to a local is kept",)),
    Mistake("what is loaded points nowhere", Rewrite(f"{C}.outliving", "                if access.register:", "                if not access.register:"), ("a pointer to a local is kept",)),
    Mistake("registers point nowhere", Rewrite(f"{C}.outliving", "            is_new |= self._add(holder, self._targets(thread, value))", "            pass"), ("after a block that was taken or not",)),
    Mistake("an exchange stores nothing", Rewrite(f"{C}.outliving", "                self._accesses.append(_Access(thread, step, address, register, value))", "                self._accesses.append(_Access(thread, step, address, register))"), ("queue nodes whose owner leaves early",)),
    Mistake("a comparison points somewhere", Rewrite(f"{C}.outliving", "            case Binary(op=op) if op in _TRUTHS:\n                pass\n", ""), ("only compared",)),
    Mistake("a break ends nothing", Rewrite(f"{C}.statements", "        self.m.leave_scopes(self.m.span(node), lambda scope: scope is target.scope)\n", ""), ("after a break", "after a continue")),
    Mistake("a break ends too much", Rewrite(f"{C}.statements", "lambda scope: scope is target.scope)", "lambda scope: scope is target.scope.outer)"), ("continue keeps the variable of the loop",)),
    Mistake("a goto ends nothing", Rewrite(f"{C}.statements", "lambda scope: not scope.block or scope.block in blocks)", "lambda _: True)"), ("after a goto",)),
    Mistake("a goto ends everything", Rewrite(f"{C}.statements", "lambda scope: not scope.block or scope.block in blocks)", "lambda _: False)"), ("a goto inside the block",)),
    Mistake("a return ends nothing", Rewrite(f"{C}.statements", "        self.m.leave_scopes(self.m.span(node))\n", ""), ("one of two returns comes early",)),
    Mistake("a block ends nothing", Rewrite(f"{C}.statements", "            m.end_lives(inner.locals, m.world.tree.closing(node))\n", "            pass\n"), ("after its block, through memory",)),
    Mistake("parameters do not end", Rewrite(f"{C}.calls", "        m.leave_scopes(closing)\n", ""), ("a parameter is kept",)),
    Mistake("the end of a thread ends nothing", Rewrite(f"{C}.library.threads", "    m.leave_calls(m.span(node))\n", ""), ("an inner local of a thread that ends",)),
    Mistake("the end of a thread ends its last call", Rewrite(f"{C}.machine", "        for frame in reversed(self.frames):\n            self.leave_scopes(span)", "        for frame in reversed(self.frames[:1]):\n            self.leave_scopes(span)"), ("an outer local of a thread that ends",)),
    Mistake("thread-local variables stay", Rewrite(f"{C}.machine", "        self.end_lives((self.world.objects[label] for label in labels if label in self.world.objects), span)", "        pass"), ("a thread-local variable of a thread that was joined",)),
    Mistake("variables can be freed", Rewrite(f"{C}.heap", "    return [(number, shape, count) for number, (shape, count) in numbered if not is_local(shape)]", "    return [(number, shape, count) for number, (shape, count) in numbered]"), ("a kept local is freed",)),
    Mistake("the state of large variables is not looked at", Rewrite(f"{C}.liveness", "    if any(heap.is_silent(shape) for shape in shapes):", "    if not shapes:"), ("a large array",)),
    Mistake("known variables that ended are used", Rewrite(f"{C}.machine", "        if self._is_buried(place.address, node):\n            return True\n", ""), ("after its block",)),
)  # fmt: skip
