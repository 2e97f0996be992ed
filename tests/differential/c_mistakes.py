# ruff: noqa: E501 - one mistake per line
"""Deliberate mistakes in the C front end, one by one; the programs of `strategies/c_cases.py` must notice each."""

from __future__ import annotations

from dataclasses import dataclass

from differential.mutation import Rewrite

C = "membar.frontends.c"


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong, and the names of the programs that notice it."""

    name: str
    bug: Rewrite
    noticed_by: tuple[str, ...]


MISTAKES = (
    Mistake("a lost conversion to a narrower type", Rewrite(f"{C}.values", "    return Value(value.expr if _has_all(number, source) else extended(value.expr, number), target)", "    return Value(value.expr, target)"), ("narrowing of what is only known later", "wrap-around")),
    Mistake("case labels keep their own type", Rewrite(f"{C}.statements", "        return self.m.converted(given, kind, case.expr)", "        return Value(given.expr, kind)"), ("a negative case of an unsigned switch", "a long case of an int switch", "a switch over a promoted character")),
    Mistake("case labels are ints", Rewrite(f"{C}.statements", "        return self.m.converted(given, kind, case.expr)", "        return self.m.converted(given, t.INT, case.expr)"), ("a negative case of an unsigned switch", "a case of another width")),
    Mistake("a known overflow ends the thread", Rewrite(f"{C}.flow", "            if operation.condition == FALSE and operation.property != WARNING:", "            if operation.condition == FALSE:"), ("a known overflow goes on",)),
    Mistake("extern in a block finds the innermost variable", Rewrite(f"{C}.declarations", "        found = self._m.world.scope.symbols.get(node.name)\n        if found is None:", "        found = self._m.scope.find(node.name)\n        if found is None:"), ("extern in a block is the global variable",)),
    Mistake("every thread has global handles of its own", Rewrite(f"{C}.translate", "(len(item.users) > 1 or copied in item.users)", "copied in item.users"), ("a handle that another thread set",)),
    Mistake("global handles are not set at the start", Rewrite(f"{C}.translate", "        machine.begin_handles()\n", ""), ("a handle that one way sets",)),
    Mistake("lists undo nothing", Rewrite(f"{C}.initialisers", "                    yield place + inner, Value(FALSE, t.unqualified(kind_))", "                    pass"), ("a list undoes what came before",)),
    Mistake("a designator counts no further inside", Rewrite(f"{C}.initialisers", "            yield place, part, init\n", "            yield place, part, init\n            del levels[1:]\n"), ("values behind a designator",)),
    Mistake("no wrap-around", Rewrite(f"{C}.values", "    return Value(result if op in _CLOSED else extended(result, kind), kind)", "    return Value(result, kind)"), ("wrap-around",)),
    Mistake("unsigned numbers compared as signed", Rewrite(f"{C}.values", "        return Value(binary(signed_op if kind.signed else unsigned_op, x, y), t.INT)", "        return Value(binary(signed_op, x, y), t.INT)"), ("comparison of long unsigned numbers",)),
    Mistake("no promotion to int", Rewrite(f"{C}.values", "    return Value(value.expr, t.INT) if kind.rank < t.INT.rank else Value(value.expr, kind)", "    return Value(value.expr, kind)"), ("promotion", "promotion of what is only known later")),
    Mistake("the common type is the left one", Rewrite(f"{C}.values", "    if unsigned.rank >= signed.rank:\n        return unsigned", "    if unsigned.rank >= signed.rank:\n        return signed"), ("unsigned wins", "choice")),
    Mistake("a negative number shifted as unsigned", Rewrite(f"{C}.values", 'B.SAR if kind_a.signed else B.SHR', 'B.SHR'), ("shift of a long negative number",)),
    Mistake("a boolean is not normalised", Rewrite(f"{C}.values", "    if number.is_bool:\n        return Value(truth(value), target)\n", ""), ("a boolean",)),
    Mistake("pointers move by bytes", Rewrite(f"{C}.values", "    if size is None:\n        raise OperandError\n    return size\n", "    return 1\n"), ("pointer arithmetic", "array")),
    Mistake("members without alignment", Rewrite(f"{C}.layout", "            at = _rounded(start, 8 * alignment) // 8", "            at = start // 8"), ("structure layout",)),
    Mistake("the value after an increment for the one before", Rewrite(f"{C}.expressions", '        return old if node.op.startswith("p") else new', "        return new"), ("post-increment",)),
    Mistake("the right side of && is always evaluated", Rewrite(f"{C}.expressions", "        self.m.flow.state = yes if is_and else no\n        right = truth(self.scalar(node.right))", "        self.m.flow.state = yes or no\n        right = truth(self.scalar(node.right))"), ("or of loads",)),
    Mistake("structures are copied without their last part", Rewrite(f"{C}.machine", "        for offset, slot in value.parts:\n            inner", "        for offset, slot in value.parts[:-1]:\n            inner"), ("structure copied", "structure returned")),
    Mistake("one turn too few", Rewrite(f"{C}.statements", "        for _ in range(_MOST_TURNS):\n            before = flow.state", "        for turns in range(3):\n            if turns == 2:\n                return True\n            before = flow.state"), ("loop with a known end", "nested loops")),
    Mistake("a loop forgets what it changes", Rewrite(f"{C}.flow", "            and (back.slots[key] != slot if key in back.slots else key[0] == CONTENT)", "            and back.slots.get(key) is None"), ("loop with a condition that is read",)),
    Mistake("variables are set one after the other at the end of a turn", Rewrite(f"{C}.flow", "            if targets & (set(registers_of(expr)) - {name}):", "            if not targets:"), ("two variables swapped in a loop",)),
    Mistake("where ways meet, the first one wins", Rewrite(f"{C}.flow", "            if any(item.expr != value for item in slots):", "            if any(item.expr is None for item in slots):"), ("switch on what is read", "or of loads", "always set")),
    Mistake("a case does not fall through", Rewrite(f"{C}.statements", "        self.m.flow.arrive(self._frame.cases[-1][id(node)], self._visible())", "        self.m.flow.state = None\n        self.m.flow.arrive(self._frame.cases[-1][id(node)], self._visible())"), ("switch falls through",)),
    Mistake("continue leaves the loop", Rewrite(f"{C}.statements", 'self._jump(self._frame.continues, node, "continue")', 'self._jump(self._frame.breaks, node, "continue")'), ("break and continue",)),
    Mistake("what a failed exchange found is lost", Rewrite(f"{C}.library.atomics", "        # After a success both are the same.\n        e.m.write(holder, result(found), node)\n", ""), ("compare-exchange fails",)),
    Mistake("the order of success for failures", Rewrite(f"{C}.library.atomics", "        failed_tags=frozenset({failure}),\n    )\n    span", "        failed_tags=frozenset({success}),\n    )\n    span"), ("order of failure",)),
    Mistake("weak exchanges never fail by themselves", Rewrite(f"{C}.library.atomics", "    if not is_weak:\n        m.flow.emit(attempt, span)", "    if True:\n        m.flow.emit(attempt, span)"), ("spurious failure",)),
    Mistake("orders swapped", Rewrite(f"{C}.library.atomics", "    order = ORDERS[number]\n", "    order = {'ACQ': 'RLX'}.get(ORDERS[number], ORDERS[number])\n"), ("message passing", "atomic message passing", "acquire fence")),
    Mistake("relaxed stores release", Rewrite(f"{C}.library.atomics", "    e.m.write(place, value, node, frozenset({order}))", "    e.m.write(place, value, node, frozenset({'REL' if order == 'RLX' else order}))"), ("message passing, relaxed store",)),
    Mistake("fences do nothing", Rewrite(f"{C}.library.atomics", "    if order != RELAXED:\n        e.m.flow.emit(Fence", "    if order is None:\n        e.m.flow.emit(Fence"), ("acquire fence", "store buffering, relaxed and fences")),
    Mistake("atomic variables accessed plainly", Rewrite(f"{C}.machine", '            return frozenset({"SC"})\n        return frozenset() if', '            return frozenset({"NA"})\n        return frozenset() if'), ("an atomic block",)),
    Mistake("an increment of an atomic variable is no single step", Rewrite(f"{C}.expressions", "        if isinstance(place.type, t.Atomic):\n            old, new = self.modify(place, op, one, node)\n", "        if isinstance(place.type, t.Void):\n            old, new = self.modify(place, op, one, node)\n"), ("an atomic counter",)),
    Mistake("a mutex that does not exclude", Rewrite(f"{C}.library.threads", "    return is_free\n", "    return TRUE\n"), ("mutex", "never ends", "trylock")),
    Mistake("unlocking does not release", Rewrite(f"{C}.library.threads", 'tags=_tags(m, _RELEASED, "UL")', 'tags=_tags(m, _LOOKED, "UL")'), ("mutex", "trylock")),
    Mistake("anybody may unlock", Rewrite(f"{C}.library.threads", '        m.check((m.flow.get(key) or Slot(FALSE)).expr, message, node, kind="assertions")', '        m.check(TRUE, message, node, kind="assertions")'), ("not the owner",)),
    Mistake("joining does not wait", Rewrite(f"{C}.library.threads", '    m.flow.emit(Join(f"@{number}"), m.span(node))\n', ""), ("join orders", "an atomic counter", "mutex")),
    Mistake("bounds one too large", Rewrite(f"{C}.lvalues", "        limit = array.count + (1 if self.is_address_only else 0)", "        limit = array.count + 1"), ("index outside", "an index into the next member")),
    Mistake("bounds one too small", Rewrite(f"{C}.lvalues", "        limit = array.count + (1 if self.is_address_only else 0)", "        limit = array.count - 1"), ("the last index",)),
    Mistake("division is not looked at", Rewrite(f"{C}.operators", '        self._require(truth(right), "division by zero", node)', '        self._require(None, "division by zero", node)'), ("division by zero",)),
    Mistake("variables count as set from the beginning", Rewrite(f"{C}.declarations", "            m.flow.put_all({item.key(offset): UNSET for offset in item.places})", "            m.flow.put_all({item.key(offset): type(UNSET)(UNSET.expr) for offset in item.places})"), ("never set",)),
    Mistake("an x86 store without xchg", Rewrite("membar.models.mappings", "            return mapping.stores[order]", "            return mapping.stores['RLX']"), ("store buffering, seq_cst",)),
    Mistake("an acquire on Power without isync", Rewrite("membar.models.mappings", "    yield from (Fence(_tags(word)) for word in code.after)", "    yield from ()"), ("message passing", "atomic message passing", "acquire fence")),
    Mistake("shifts are not looked at", Rewrite(f"{C}.exactness", "    return binary(B.LT, right.expr, Constant(kind.width))", "    return None"), ("shift by too much", "shift by a negative number")),
    Mistake("a shift by the whole width is allowed", Rewrite(f"{C}.exactness", "    return binary(B.LT, right.expr, Constant(kind.width))", "    return binary(B.LE, right.expr, Constant(kind.width))"), ("shift by too much",)),
    Mistake("a shift by all but one bit is not allowed", Rewrite(f"{C}.exactness", "    return binary(B.LT, right.expr, Constant(kind.width))", "    return binary(B.LT, right.expr, Constant(kind.width - 1))"), ("the widest shift",)),
    Mistake("quotients always fit", Rewrite(f"{C}.operators", "            self._require(divides(left, right), f", "            self._require(None, f"), ("a quotient that does not fit", "a remainder that does not fit")),
    Mistake("no quotient by -1 fits", Rewrite(f"{C}.exactness", "    return other if higher == FALSE else binary(B.OR, higher, other)", "    return other"), ("a quotient that fits",)),
    Mistake("a missing value is 0", Rewrite(f"{C}.calls", '            m.check(slot.defined, f"`{frame.function}` returns', '            m.check(type(slot)(FALSE).defined, f"`{frame.function}` returns'), ("a missing value is used",)),
    Mistake("a missing value is wrong even if nobody uses it", Rewrite(f"{C}.calls", "        is_used = m.discarded is not node", "        is_used = True"), ("a missing value is not used",)),
    Mistake("a value that is missing on one way is missing on all", Rewrite(f"{C}.calls", '        m.flow.put_all({(*frame.key, offset, ""): UNSET for offset, _ in self._parts(m, frame.result)})\n', ""), ("a value is missing on another way",)),
    Mistake("locals live for ever", Rewrite(f"{C}.machine", "        self.flow.put_all({item.death: Slot(TRUE) for item in pointed})\n", ""), ("a local after its block", "a local that was returned")),
    Mistake("locals in memory live for ever", Rewrite(f"{C}.lifetimes", "            _tell(m, item, item.slot, joined, span)", "            pass"), ("a local after its function",)),
    Mistake("what a jump passes has no name", Rewrite(f"{C}.statements", "            return False  # a jump may pass it, and its name is known all the same\n", "            return True\n"), ("a declaration before the first case", "a declaration that is jumped over")),
    Mistake("what a jump passes is lost on the other way", Rewrite(f"{C}.flow", "        nothing = dict.fromkeys(declared, UNSET)\n", "        nothing: dict[Key, Slot] = {}\n"), ("a declaration that one way passes",)),
)  # fmt: skip
