"""Deliberate mistakes in the Promela front end, each with the small text that shows it."""

from __future__ import annotations

from dataclasses import dataclass

from differential.mutation import Bug, Entry, Rewrite
from membar.program.expr import BinaryOp

P = "membar.frontends.promela"


@dataclass(frozen=True, slots=True)
class Mistake:
    """A bug, and the case of `unit.frontends.promela.cases` (or of `BUFFERED`) that catches it."""

    name: str
    caught_by: str
    bug: Bug


# Texts on store buffers: what they break under x86-tso.
BUFFERED = {
    "atomic writes are in memory at once": (
        "deadlock",
        "byte x, y;\n"
        "active proctype p0() { atomic { x = 1 }; y == 0; in: skip }\n"
        "active proctype p1() { atomic { y = 1 }; x == 0; in: skip }\n"
        "ltl never_both { [] !(p0@in && p1@in) }\n",
    ),
    "two senders lose no message": (
        None,
        "chan c = [2] of { byte };\n"
        "active [2] proctype p() { c!1 }\nactive proctype q() { byte k; c?k; c?k }\n",
    ),
    "sync waits for all": (
        "deadlock",
        "byte x, y;\n"
        "active proctype p0() { store(x, 1); sync; load(y, 0); in: skip }\n"
        "active proctype p1() { store(y, 1); load(x, 0); in: skip }\n"
        "ltl never_both { [] !(p0@in && p1@in) }\n",
    ),
}

MISTAKES = (
    Mistake(
        "a full channel takes one more message",
        "full channel waits",
        Rewrite(
            f"{P}.channels",
            "SLT, length, Constant(channel.capacity)",
            "SLE, length, Constant(channel.capacity)",
        ),
    ),
    Mistake(
        "an empty channel gives a message",
        "empty channel waits",
        Rewrite(
            f"{P}.channels",
            "BinaryOp.SLT, Constant(position), contents.length",
            "BinaryOp.SLE, Constant(position), contents.length",
        ),
    ),
    Mistake(
        "a sorted send goes before equal messages of smaller second field",
        "sorted",
        Rewrite(
            f"{P}.channels",
            "greater = folded(Binary(BinaryOp.SLT, theirs, ours))",
            "greater = folded(Binary(BinaryOp.SLT, ours, theirs))",
        ),
    ),
    Mistake(
        "a message that is kept is taken",
        "random receive",
        Rewrite(f"{P}.channels", "if not receive.keeps:", "if True:"),
    ),
    Mistake(
        "what a receive must match is ignored",
        "mtype chan",
        Rewrite(
            f"{P}.channels",
            "            if self._is_matched(pattern):\n                yield",
            "            if False:\n                yield",
        ),
    ),
    Mistake(
        "messages do not move up",
        "sorted",
        Rewrite(f"{P}.channels", "new = folded(Select(is_gone, moved, value))", "new = value"),
    ),
    Mistake(
        "`??` finds only the oldest message",
        "random receive",
        Rewrite(
            f"{P}.channels", "contents.messages if anywhere else", "contents.messages[:1] if anywhere else"
        ),
    ),
    Mistake(
        "messages are buffered",
        "two senders lose no message",
        Rewrite(f"{P}.channels", "        if isinstance(operation, op.Store):", "        if False:"),
    ),
    Mistake("`>` is `<`", "cond expr", Entry(f"{P}.values", "_COMPARISONS", ">", (BinaryOp.SLT, False))),
    Mistake("`/` is unsigned", "short wrap", Entry(f"{P}.values", "_ARITHMETIC", "/", BinaryOp.DIV)),
    Mistake(
        "`&&` computes both sides",
        "array bounds guarded",
        Rewrite(
            f"{P}.values",
            "truth(self.of(expr.right, both(needed, left)))",
            "truth(self.of(expr.right, needed))",
        ),
    ),
    Mistake(
        "`||` computes both sides",
        "div zero guard",
        Rewrite(f"{P}.values", "self.of(expr.right, both(needed, no(left)))", "self.of(expr.right, needed)"),
    ),
    Mistake(
        "arithmetic does not wrap at 32 bits",
        "arithmetic wraps",
        Rewrite(f"{P}.values", "return folded(Extend(expr, _INT, True))", "return folded(expr)"),
    ),
    Mistake(
        "an index out of bounds is nothing",
        "array bounds",
        Rewrite(
            f"{P}.values",
            "        if not isinstance(test, Constant):\n            line",
            "        if False:\n            line",
        ),
    ),
    Mistake(
        "assigned values keep all bits",
        "short wrap",
        Rewrite(f"{P}.scope", "return Extend(value, self.bits, self.signed)", "return value"),
    ),
    Mistake(
        "first values and arguments are not truncated",
        "parameters are truncated",
        Rewrite(f"{P}.scope", "low = value & ((1 << self.bits) - 1)", "low = value"),
    ),
    Mistake(
        "a block never stops where it cannot go on",
        "atomic blocks",
        Rewrite(
            f"{P}.steps",
            "            if not stop.is_dead:\n                yield",
            "            if False:\n                yield",
        ),
    ),
    Mistake(
        "a block may stop anywhere",
        "do in atomic",
        Rewrite(
            f"{P}.steps", "stop.assume(blocked([self._condition(stop, other) for other in moves]))", "pass"
        ),
    ),
    Mistake(
        "atomic blocks are not atomic",
        "do in atomic",
        Rewrite(f"{P}.steps", "ends = last.block is None or", "ends = True or"),
    ),
    Mistake(
        "a `d_step` chooses freely",
        "dstep first nondet",
        Rewrite(f"{P}.steps", "if move.is_deterministic and other.is_deterministic and", "if False and"),
    ),
    Mistake(
        "a `d_step` that cannot go on is nothing",
        "dstep blocks",
        Rewrite(f"{P}.steps", "if not stop.is_dead and last.is_deterministic and moves:", "if False:"),
    ),
    Mistake(
        "`else` can always be taken",
        "`else` only where nothing else can be done",
        Rewrite(
            f"{P}.steps",
            "            path.assume(no(self._condition(path, move, of_else=True)))",
            "            pass",
        ),
    ),
    Mistake(
        "a process that can never go on has ended",
        "never executable",
        Rewrite(f"{P}.steps", "if moves and not ways:", "if False:"),
    ),
    Mistake(
        "`goto` as an option is no step",
        "goto head commits",
        Rewrite(
            f"{P}.process",
            "        if around.is_head:\n            start = source",
            "        if False:\n            start = source",
        ),
    ),
    Mistake(
        "a loop turns once", "local decl reset", Rewrite(f"{P}.process", "            end = start\n", "")
    ),
    Mistake(
        "`for` leaves out the last value",
        "for",
        Rewrite(f"{P}.process", 'p.Infix("<=", loop.target', 'p.Infix("<", loop.target'),
    ),
    Mistake(
        "a variable keeps its value in the next turn",
        "local decl reset",
        Rewrite(
            f"{P}.process",
            "self._declare(statement, scope, is_first=False)",
            "self._declare(statement, scope, is_first=True)",
        ),
    ),
    Mistake(
        "`select` leaves out the last value",
        "select takes every value",
        Rewrite(f"{P}.process", "Choose(chosen, first, last)", "Choose(chosen, first, first)"),
    ),
    Mistake(
        "`sync` waits for the own buffer only",
        "sync waits for all",
        Rewrite(f"{P}.process", "fence = FENCE_OF_ALL if everybody else FULL_FENCE", "fence = FULL_FENCE"),
    ),
    Mistake(
        "numbers of processes begin anew",
        "run pid",
        Rewrite(f"{P}.translate", "pid=first + before if is_sure", "pid=before if is_sure"),
    ),
    Mistake(
        "`end` labels are ordinary",
        "end label at do",
        Rewrite(f"{P}.translate", 'if label.startswith("end"):', "if False:"),
    ),
    Mistake(
        "symbolic names count upwards",
        "symbolic names are numbered backwards",
        Rewrite(f"{P}.declarations", "value = below + len(names) - position", "value = below + position + 1"),
    ),
    Mistake(
        "a block reads what was there before its own store",
        "a block sees its own stores",
        Rewrite(f"{P}.path", "            self.loaded.clear()", "            pass"),
    ),
    Mistake(
        "what is known of a variable stays known",
        "do in atomic",
        Rewrite(f"{P}.path", "            self.known[done.register] = done.value.value", "            pass"),
    ),
    Mistake(
        "stores of atomic blocks are buffered",
        "atomic writes are in memory at once",
        Rewrite(f"{P}.path", "if locked and any(", "if False and any("),
    ),
    Mistake(
        "arguments of a macro are exchanged",
        "inline",
        Rewrite(
            f"{P}.preprocess",
            "zip(macro.parameters or (), given, strict=True)",
            "zip(macro.parameters or (), given[::-1], strict=True)",
        ),
    ),
    Mistake(
        "every label is a state that must not be",
        "ltl inv2",
        Rewrite(
            f"{P}.predicates", "points = item.steps.points.get(", "points = [] and item.steps.points.get("
        ),
    ),
)
