"""Objects with right annotations, and the same with mistakes that no proof may survive."""

from __future__ import annotations

from dataclasses import dataclass

COUNTER = """object counter;
shared n = 0, lock = 0;
operation increment() {
    local got, old;
    do { 1: got = cas(lock, 0, 1); } 2: while (!got);
    3: old = n;
    4: n = old + 1;
    5: lock = 0;
    6: return old;
}
operation get() {
    local now;
    7: now = n;
    8: return now;
}
specification {
    state count = 0;
    operation increment() { count = count + 1; return count - 1; }
    operation get() { return count; }
}
abstraction count == n;
linearize increment at 4 returning (old);
linearize get at 7;
define owner = at(2) && got == 1 || at(3, 4, 5) || pending(5);
invariant {
    owner -> lock == 1;
    at 2: got == 0 || got == 1;
    at 4: old == n;
    at 5, 6: pending(4) -> old == n;
    pending(4) -> pending(4).value == n + 1;
    (at(idle) || at(1) || at(7, 8)) && pending(4) -> pending(4).result1 == n;
    deferred(4) -> deferred(4).result1 == pending(4).value;
}
between !(owner && other.owner);
"""

LOCK = """object lock;
shared taken = 0;
private held = 0;
operation acquire() requires held == 0 {
    local old;
    do { 1: old = swap(taken, 1); } 2: while (old);
    3: held = 1;
}
operation release() requires held == 1 {
    4: held = 0;
    5: taken = 0;
}
specification {
    state locked = 0;
    operation acquire() { await (locked == 0); locked = 1; }
    operation release() { locked = 0; }
}
abstraction locked == taken;
linearize acquire at 1 when taken == 0;
linearize release at 5;
invariant {
    taken == 0 || taken == 1;
    at 2: linearized == (old == 0);
    at 4: held == 1;
    pending(5) -> held == 0 && pending(5).value == 0;
    at 1, 2, 3: held == 0;
    at 5: held == 0;
    at release_end: held == 0;
    at acquire_end: held == 1;
}
"""

STACK = """object cell;
shared full = 0, value[2] = 0;
operation put(v, i) requires 0 <= i && i < 2 {
    1: value[i] = v;
}
operation take(i) requires 0 <= i && i < 2 {
    local r;
    2: r = value[i];
    3: return r;
}
specification {
    state a = 0, b = 0;
    operation put(w, j) { if (j == 0) a = w; else b = w; }
    operation take(j) { return j == 0 ? a : b; }
}
abstraction a == value[0] && b == value[1];
linearize put at 1;
linearize take at 2;
invariant at 1, 2: (at(1) -> 0 <= put.i && put.i < 2) && (at(2) -> 0 <= take.i && take.i < 2);
"""

FLAGS = """object flags;
shared a = 0, b = 0;
private done = 0;
operation set() requires done == 0 { 1: done = 1; 2: a = 1; }
operation get() { local r; 3: r = b; 4: return r; }
specification { state x, y; operation set() { x = 1; } operation get() { return y; } }
abstraction a == x && b == y;
linearize set at 2;
linearize get at 3;
invariant { at 2: done == 1; pending(2) -> done == 1 && pending(2).value == 1; }
"""

REUSED = """object pair;
shared a = 0, b = 0;
operation both() { local r; 1: r = a; 2: r = b; 3: fence; 4: return 0; }
specification { state x; operation both() { return 0; } }
abstraction true;
linearize both at 3;
"""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A change of a right text that makes it wrong, and under which models it does."""

    name: str
    text: str
    old: str
    new: str
    models: tuple[str, ...] = ("sc",)

    def made(self) -> str:
        """The wrong text."""
        if self.text.count(self.old) != 1:
            raise AssertionError(f"{self.name}: `{self.old}` is there {self.text.count(self.old)} times")
        return self.text.replace(self.old, self.new)


TSO = ("x86-tso",)
BOTH = ("sc", "x86-tso")
MISTAKES = (
    # Wrong invariants.
    Mistake("the owner forgets the lock", COUNTER, "owner -> lock == 1;", "true;"),
    Mistake("the lock is always free", COUNTER, "owner -> lock == 1;", "lock == 0;"),
    Mistake("the result of cas is anything", COUNTER, "at 2: got == 0 || got == 1;", "true;"),
    Mistake("what was loaded may be old", COUNTER, "at 4: old == n;", "true;"),
    Mistake("what was loaded is one less", COUNTER, "at 4: old == n;", "at 4: old + 1 == n;"),
    Mistake("two owners", COUNTER, "between !(owner && other.owner);", ""),
    Mistake("nobody is an owner", COUNTER, "between !(owner && other.owner);", "between !owner;"),
    Mistake("the release is forgotten", COUNTER, " || pending(5)", "", TSO),
    Mistake("a pending value is anything", COUNTER, "pending(4).value == n + 1;", "true;", TSO),
    Mistake("a returned value is anything", COUNTER, "pending(4).result1 == n;", "true;", TSO),
    Mistake("a deferred value is anything", COUNTER, "4).result1 == pending(4).value;", "4);", TSO),
    Mistake("locked is anything", LOCK, "taken == 0 || taken == 1;", "true;"),
    Mistake("who holds it does not matter", LOCK, "at 4: held == 1;", "at 4: held == 0;"),
    Mistake("the pending release holds it", LOCK, "-> held == 0 &&", "-> held == 1 &&", TSO),
    # Wrong linearization points.
    Mistake("too early", COUNTER, "linearize increment at 4", "linearize increment at 3", BOTH),
    Mistake("too late", COUNTER, "linearize increment at 4", "linearize increment at 5", BOTH),
    Mistake("with the lock", COUNTER, "linearize increment at 4", "linearize increment at 1", BOTH),
    Mistake("only when the lock was free", COUNTER, "at 4 returning", "at 1 when lock == 0 returning", BOTH),
    Mistake("at the return", COUNTER, "linearize get at 7;", "linearize get at 8;", BOTH),
    Mistake("also when the lock is taken", LOCK, "at 1 when taken == 0", "at 1", BOTH),
    Mistake("only when the lock is taken", LOCK, "at 1 when taken == 0", "at 1 when taken == 1", BOTH),
    Mistake("released before", LOCK, "linearize release at 5;", "linearize release at 4;", BOTH),
    Mistake("another result", COUNTER, "returning (old)", "returning (old + 1)", BOTH),
    Mistake("a read never takes effect", COUNTER, "get at 7;", "get at 7 when false;", BOTH),
    Mistake("returns something else", COUNTER, "6: return old;", "6: return old + 1;", BOTH),
    # Wrong specifications.
    Mistake("counts by two", COUNTER, "count = count + 1;", "count = count + 2;"),
    Mistake("returns the new value", COUNTER, "return count - 1;", "return count;"),
    Mistake("starts at one", COUNTER, "state count = 0;", "state count = 1;"),
    Mistake("reads something else", COUNTER, "return count; }", "return 0; }"),
    Mistake("taken twice", LOCK, "await (locked == 0); locked = 1;", "await (locked == 1); locked = 1;"),
    Mistake("never released", LOCK, "{ locked = 0; }\n}", "{ locked = 1; }\n}"),
    Mistake("the other cell", STACK, "return j == 0 ? a : b;", "return j == 0 ? b : a;"),
    # Wrong abstractions.
    Mistake("nothing is known", COUNTER, "abstraction count == n;", "abstraction true;"),
    Mistake("one ahead", COUNTER, "abstraction count == n;", "abstraction count == n + 1;"),
    # Wrong code.
    Mistake("no lock", COUNTER, "got = cas(lock, 0, 1)", "got = 1"),
    Mistake("the lock is taken when it is taken", COUNTER, "cas(lock, 0, 1)", "cas(lock, 1, 1)"),
    Mistake("released too early", COUNTER, "3: old = n;\n    4: n = old + 1;\n    5: lock = 0;",
            "5: lock = 0;\n    3: old = n;\n    4: n = old + 1;"),
    Mistake("released by anybody", LOCK, "release() requires held == 1 {", "release() {", TSO),
    Mistake("beyond the array", STACK, "take(i) requires 0 <= i && i < 2 {", "take(i) {"),
)  # fmt: skip


# Each of these is right as far as one operation is over before the next one begins. An Armv8 processor does
# the second load of a thread first: `getx` after `gety`, after `waity`, and `gety` after `look`.
PAIR = """\
object pair;
shared x = 0, y = 0;
operation setx() { 1: x = 1; 11: fence; }
operation sety() { 2: y = 1; 21: fence; }
operation getx() { local t; 3: t = x; 4: return t; }
operation gety() { local t; 5: t = y; 6: return t; }
specification {
    state a = 0, b = 0;
    operation setx() { a = 1; }
    operation sety() { b = 1; }
    operation getx() { return a; }
    operation gety() { return b; }
}
abstraction a == x && b == y;
linearize setx at 1;
linearize sety at 2;
linearize getx at 3;
linearize gety at 5;
"""

AWAITED = """\
object awaited;
shared x = 0, y = 0;
operation setx() { 1: x = 1; 11: fence; }
operation sety() { 2: y = 1; 21: fence; }
operation getx() { local t; 3: t = x; 31: fence; 4: return t; }
operation waity() { local t; do { 5: t = y; } 6: while (t != 1); }
specification {
    state a = 0, b = 0;
    operation setx() { a = 1; }
    operation sety() { b = 1; }
    operation getx() { return a; }
    operation waity() { await (b == 1); }
}
abstraction a == x && b == y;
linearize setx at 1;
linearize sety at 2;
linearize getx at 3;
linearize waity at 5 when y == 1;
invariant at 6: linearized == (waity.t == 1);
"""

REQUIRED = """\
object required;
shared x = 0, y = 0;
private held = 0;
operation set() { 1: y = 1; 2: fence; 3: x = 1; 4: fence; }
operation look() requires held == 0 { local t; 5: t = x; 6: held = t; }
operation gety() requires held == 1 { local u; 7: u = y; 71: fence; 8: return u; }
specification {
    state a = 0;
    operation set() { a = 0; }
    operation look() { a = 0; }
    operation gety() { return 1; }
}
abstraction a == 0;
linearize set at 2;
linearize look at 5;
linearize gety at 7;
invariant {
    x == 0 || x == 1;
    y == 0 || y == 1;
    x == 1 -> y == 1;
    held == 1 -> y == 1;
    at 2, 3, 4: y == 1;
    pending(3) && !pending(1) -> y == 1;
    pending(6) && !pending(5) && look.t == 1 -> y == 1;
    pending(7) -> y == 1;
}
"""
