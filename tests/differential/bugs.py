"""The deliberate bugs: where each is, and which check of the suite must notice it."""

from __future__ import annotations

from dataclasses import dataclass

from differential.mutation import Bug, Entry, File, Rewrite
from membar.engines.reference.state import FenceEffect
from membar.models.model import Operational
from membar.models.plan import Op

ENGINE = "membar.engines.reference"
LITMUS = "membar.frontends.litmus"


@dataclass(frozen=True, slots=True)
class Seeded:
    """A bug, and the check that catches it."""

    name: str
    caught_by: str
    bug: Bug


REFERENCE = (
    Seeded(
        "a read never takes the value of its own thread's write",
        "tso axioms = machine",
        Rewrite(
            f"{ENGINE}.candidates",
            "(read.id, sources.get((read.cell, read.value), ()))",
            "(read.id, tuple(w for w in sources.get((read.cell, read.value), ()) "
            "if events[w].thread != read.thread))",
        ),
    ),
    Seeded(
        "a read may take its value from a write of another value",
        "sc axioms = machine",
        Rewrite(
            f"{ENGINE}.candidates", "sources.get((read.cell, read.value), ())", "tuple(writes[read.cell])"
        ),
    ),
    Seeded(
        "only one coherence order is tried",
        "sc axioms = machine",
        Rewrite(f"{ENGINE}.candidates", "in permutations(others):", "in [tuple(others)]:"),
    ),
    Seeded(
        "initial values are dropped",
        "sc axioms = machine",
        Rewrite(f"{ENGINE}.candidates", "value=program.cells[cell].initial", "value=0"),
    ),
    Seeded(
        "the first write of a location is taken as its last",
        "sc axioms = machine",
        Rewrite("membar.program.execution", "execution.events[order[-1]]", "execution.events[order[0]]"),
    ),
    Seeded(
        "control dependencies are forgotten",
        "known AArch64 tests",
        Rewrite(f"{ENGINE}.threads", "self._depend(number, control=control)", "pass"),
    ),
    Seeded(
        "data dependencies are forgotten",
        "known AArch64 tests",
        Rewrite(f"{ENGINE}.threads", ", data=self._origins(op.value))", ")"),
    ),
    Seeded(
        "address dependencies of reads are forgotten",
        "known AArch64 tests",
        Rewrite(f"{ENGINE}.threads", "self._depend(read, address=address)", "pass"),
    ),
    Seeded(
        "dependencies end at the first computation",
        "known AArch64 tests",
        Rewrite(
            f"{ENGINE}.threads", "self._value(value), self._origins(value))", "self._value(value), NOWHERE)"
        ),
    ),
    Seeded(
        "an atomic operation is a read and a write without a bond",
        "tso axioms = machine",
        Rewrite(f"{ENGINE}.threads", "self.amo.add((read, write))", "pass"),
    ),
    Seeded(
        "a store-conditional succeeds without a reservation",
        "exclusives: sc axioms = machine",
        Rewrite(f"{ENGINE}.threads", "(1,) if read is None else (0, 1)", "(0, 1)"),
    ),
    Seeded(
        "values that depend on values are not followed",
        "sc axioms = machine",
        Rewrite(f"{ENGINE}.values", "in range(1 << 32):", "in range(1):"),
    ),
    Seeded(
        "the choices of a witness are lost",
        "executions replay",
        Rewrite(
            f"{ENGINE}.axiomatic", "choices=tuple(trace.choices for", "choices=tuple(trace.choices[:0] for"
        ),
    ),
    Seeded(
        "`forall` is answered as `~exists`",
        "verdicts follow from final states",
        Rewrite("membar.properties.judge", "condition.quantifier is Quantifier.FORALL", "False"),
    ),
    Seeded(
        "one true part makes a conjunction true",
        "verdicts follow from final states",
        Rewrite(
            "membar.program.condition",
            "if not part(words):\n                return False",
            "if part(words):\n                return True",
        ),
    ),
)

SIMULATOR = (
    Seeded(
        "a load does not see the own store buffer",
        "tso axioms = machine",
        Rewrite(f"{ENGINE}.step", "return own[-1] if own else", "return"),
    ),
    Seeded(
        "a load sees the oldest own entry",
        "longer programs: tso axioms = machine",
        Rewrite(f"{ENGINE}.step", "return own[-1] if own else", "return own[0] if own else"),
    ),
    Seeded(
        "MFENCE does not drain the buffer",
        "tso axioms = machine",
        Entry(
            f"{ENGINE}.machine",
            "FENCES",
            Operational.TSO,
            {"MFENCE": FenceEffect.NOTHING, "SFENCE": FenceEffect.NOTHING, "LFENCE": FenceEffect.NOTHING},
        ),
    ),
    Seeded(
        "SFENCE does not order the stores of pso",
        "pso axioms = machine",
        Entry(
            f"{ENGINE}.machine",
            "FENCES",
            Operational.PSO,
            {"MFENCE": FenceEffect.DRAIN, "SFENCE": FenceEffect.NOTHING, "LFENCE": FenceEffect.NOTHING},
        ),
    ),
    Seeded(
        "an atomic operation writes to the buffer",
        "tso axioms = machine",
        Rewrite(f"{ENGINE}.step", "if at_once or self.machine.", "if self.machine."),
    ),
    Seeded(
        "a failed locked comparison does not wait for the buffer",
        "tso axioms = machine",
        Rewrite(f"{ENGINE}.step", "if writes or LOCKED in failed_tags:", "if writes:"),
    ),
    Seeded(
        "tso flushes in any order",
        "tso axioms = machine",
        Rewrite(f"{ENGINE}.machine", "if self.discipline is not Operational.PSO:", "if False:"),
    ),
    Seeded(
        "pso flushes one location out of order",
        "pso axioms = machine",
        Rewrite(f"{ENGINE}.machine", "seen.add(cell)", "pass"),
    ),
    Seeded(
        "a run ends before its stores are in memory",
        "tso axioms = machine",
        Rewrite(
            f"{ENGINE}.machine",
            "(not self.leaving[n][local.point] and not local.buffer)",
            "not self.leaving[n][local.point]",
        ),
    ),
    Seeded(
        "a reservation survives another thread's store",
        "exclusives: sc axioms = machine",
        Rewrite(f"{ENGINE}.step", "if (cell, 0) in local.monitor:", "if False:"),
    ),
)

CAT = (
    Seeded(
        "the operands of a difference are swapped",
        "tso axioms = machine",
        Rewrite("membar.models.relation", "[a & ~b for a, b", "[b & ~a for a, b"),
    ),
    Seeded(
        "the transitive closure does nothing",
        "known C tests",
        Rewrite("membar.models.relation", "through = result[middle]", "through = 0"),
    ),
    Seeded(
        "composition goes the wrong way",
        "sc axioms = machine",
        Rewrite(
            "membar.models.relation",
            "for row in left:\n        reached, rest = 0, row",
            "for row in right:\n        right, reached, rest = left, 0, row",
        ),
    ),
    Seeded(
        "the sets of a product are swapped",
        "tso axioms = machine",
        Rewrite(
            "membar.models.relation",
            "return [right if left >> event & 1 else 0",
            "return [left if right >> event & 1 else 0",
        ),
    ),
    Seeded(
        "acyclic looks for loops of one event only",
        "sc axioms = machine",
        Rewrite("membar.models.evaluate", "return rel.is_acyclic(value)", "return rel.is_irreflexive(value)"),
    ),
    Seeded(
        "fr leaves out reads of initial values",
        "sc axioms = machine",
        File("stdlib.cat", "let fr = rf^-1 ; co", "let fr = ([W \\ IW] ; rf)^-1 ; co"),
    ),
    Seeded(
        "external communication is that inside a thread",
        "tso axioms = machine",
        File("stdlib.cat", "let rfe = rf & ext", "let rfe = rf & int"),
    ),
    Seeded(
        "union binds tighter than composition",
        "known AArch64 tests",
        File(
            "grammar.lark",
            "?union: add | add BAR union               -> binary\n"
            "?add: seq | seq _PLUSPLUS add              -> add\n"
            "?seq: diff | diff SEMI seq                -> binary",
            "?union: add | add SEMI union               -> binary\n"
            "?add: seq | seq _PLUSPLUS add              -> add\n"
            "?seq: diff | diff BAR seq                -> binary",
        ),
    ),
    Seeded(
        "the negation of a check is ignored",
        "negation shares out executions",
        Rewrite(
            "membar.models.cat.parser",
            "CheckKind(str(children[-1])), len(children) == 2",
            "CheckKind(str(children[-1])), False",
        ),
    ),
    Seeded(
        "a least fixpoint stops after one round",
        "least fixpoint = closure",
        Rewrite("membar.models.schedule", "if following == values:", "if True:"),
    ),
    Seeded(
        "the reflexive closure is left out",
        "known C tests",
        Entry("membar.models.cat.parser", "_POSTFIX", "QUESTION", Op.PLUS),
    ),
)

FRONT_ENDS = (
    Seeded(
        "MOV: source and target are swapped",
        "known X86 tests",
        Rewrite(
            f"{LITMUS}.dialects.x86.transfers",
            "target, source = context.operands(2)\n    if isinstance(target, Direct) and",
            "source, target = context.operands(2)\n    if isinstance(target, Direct) and",
        ),
    ),
    Seeded(
        "the LOCK prefix of CMPXCHG is ignored",
        "known X86 tests",
        Rewrite(f"{LITMUS}.dialects.x86.transfers", "if instruction.is_locked:", "if False:"),
    ),
    Seeded(
        "the minus sign of a constant is lost",
        "known X86 tests",
        Rewrite(f"{LITMUS}.dialects.x86.operands", "sign = -1 if", "sign = 1 if"),
    ),
    Seeded(
        "a hexadecimal constant is read up to its x",
        "known X86 tests",
        Rewrite(
            f"{LITMUS}.scanner",
            "return int(digits, 10 if digits.isdigit() else 0)",
            "return int(digits.split('x')[0])",
        ),
    ),
    Seeded(
        "`forall` is read as `exists`",
        "known X86 tests",
        Rewrite(
            f"{LITMUS}.question",
            "return Quantifier.FORALL, self._implication()",
            "return Quantifier.EXISTS, self._implication()",
        ),
    ),
    Seeded(
        "and is read as or",
        "known C tests",
        Rewrite(f"{LITMUS}.question", "else And(tuple(parts))", "else Or(tuple(parts))"),
    ),
    Seeded(
        "the filter of a question is dropped",
        "known X86 tests",
        Rewrite(f"{LITMUS}.question", "filter=filtered,", "filter=None,"),
    ),
    Seeded(
        "LDAR is an ordinary load",
        "known AArch64 tests",
        Rewrite(
            f"{LITMUS}.dialects.aarch64.memory",
            "tags=access.tags,\n        exclusive=access.exclusive,\n    )\n    return",
            "exclusive=access.exclusive,\n    )\n    return",
        ),
    ),
    Seeded(
        "barriers lose their option",
        "known AArch64 tests",
        Rewrite(f"{LITMUS}.dialects.aarch64.memory", "option = operand.text.upper()", "option = 'LD'"),
    ),
    Seeded(
        "a relaxed store is meant by memory_order_release",
        "known C tests",
        Entry(f"{LITMUS}.dialects.c.functions", "ORDERS", "memory_order_release", "RLX"),
    ),
    Seeded(
        "the condition of an RMW is not read back",
        "print, then read",
        Rewrite(
            "membar.frontends.program.operations",
            'condition = expression(cursor) if cursor.accept("if") else TRUE',
            'condition = TRUE if cursor.accept("if") is None or expression(cursor) else TRUE',
        ),
    ),
)

BUGS = (*REFERENCE, *SIMULATOR, *CAT, *FRONT_ENDS)
