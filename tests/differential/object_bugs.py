"""Deliberate mistakes in the systems, the obligations and the front end of objects, and who notices each.

`states MODEL` compares final states of known objects with `graphs`, `elements MODEL` of some with an array;
`right` asks for proofs of right texts;
`register`, `ahead` and `long` for those of others;
`wrong NAME MODEL` for a text with that mistake, which must not be proved; the others are what they say.
"""

from __future__ import annotations

from differential.mutation import Bug, Entry, Rewrite
from membar.objects.systems.relaxed import Rules
from membar.objects.terms import BinaryOp

FRONT = "membar.frontends.object"
TSO_BUFFER = "membar.objects.systems.buffered.buffer"
TSO_EFFECTS = "membar.objects.systems.buffered.effects"
TSO_MACHINE = "membar.objects.systems.buffered.machine"
WAITING = "membar.objects.systems.relaxed.waiting"
BEYOND = "membar.objects.systems.relaxed.beyond"
MACHINE = "membar.objects.systems.relaxed.machine"
ACTIONS = "membar.objects.systems.actions"
MOVES = "membar.objects.systems.moves"
OBLIGATIONS = "membar.objects.proof.obligations"
SUMMARIES = "membar.objects.systems.buffered.summaries"
FORMULAS = "membar.objects.systems.buffered.formulas"
DISCHARGE = "membar.objects.proof.discharge"
TSO, ARM = "states x86-tso", "states armv8"

BUGS: tuple[tuple[str, str, Bug], ...] = (
    # Store buffers.
    (
        "loads pass the buffer by",
        TSO,
        Rewrite(TSO_BUFFER, "if store.location.name != location.name:", "if True:"),
    ),
    (
        "loads take the oldest store",
        TSO,
        Rewrite(
            TSO_BUFFER,
            "for number in reversed(range(len(control.entries))):",
            "for number in range(len(control.entries)):",
        ),
    ),
    (
        "fences do not wait",
        TSO,
        Rewrite(TSO_MACHINE, "if kind is not FenceKind.FULL or not control.entries:", "if True:"),
    ),
    (
        "atomic accesses do not wait",
        TSO,
        Rewrite(
            TSO_MACHINE,
            "if not control.entries:\n                    yield from self._rmw",
            "if True:\n                    yield from self._rmw",
        ),
    ),
    ("sc has buffers", "states sc", Rewrite(TSO_MACHINE, "if not self._is_buffered:", "if False:")),
    (
        "pending stores do not move on",
        TSO,
        Rewrite(
            TSO_BUFFER,
            "Variable(Space.LOCAL, name, kept(number + 1))",
            "Variable(Space.LOCAL, name, kept(number))",
        ),
    ),
    (
        "a failed cas stores",
        TSO,
        Rewrite(
            ACTIONS,
            "yield negation(equals(old, expected)), None, Number(0)",
            "yield negation(equals(old, expected)), new, Number(0)",
        ),
    ),
    (
        "fetch_add gives the new value",
        TSO,
        Rewrite(
            ACTIONS,
            "yield TRUE, Binary(BinaryOp.ADD, old, rmw.operands[0]), old",
            "yield TRUE, Binary(BinaryOp.ADD, old, rmw.operands[0]), Number(1)",
        ),
    ),
    (
        "a branch goes both ways",
        TSO,
        Rewrite(TSO_MACHINE, "line.otherwise, guard=negation(condition)", "line.otherwise, guard=condition"),
    ),
    ("operations overtake one another", "flags", Rewrite(TSO_EFFECTS, "if late:", "if False:")),
    (
        "nobody waits for a pending store",
        "wrong `a deferred value is anything` x86-tso",
        Rewrite(
            TSO_EFFECTS, "if after.waiting is None:\n            followed", "if False:\n            followed"
        ),
    ),
    (
        "an operation may return anything",
        "wrong `returns something else` sc",
        Rewrite(
            TSO_MACHINE,
            'checks.append(Check(same, f"{operation.name} returns something else',
            'checks.append(Check(TRUE, f"{operation.name} returns something else',
        ),
    ),
    (
        "an operation may return before it takes effect",
        "real time",
        Rewrite(TSO_MACHINE, "if self._in_real_time and status in", "if False and status in"),
    ),
    (
        "an operation need not take effect",
        "wrong `a read never takes effect` sc",
        Rewrite(
            TSO_MACHINE,
            'Check(FALSE, f"{operation.name} returns and has not taken effect")',
            'Check(TRUE, f"{operation.name} returns and has not taken effect")',
        ),
    ),
    # Out of order.
    (
        "control fences order nothing",
        ARM,
        Rewrite(WAITING, "first.kind is FenceKind.CONTROL and isinstance(second, Load)", "False"),
    ),
    (
        "stores are done before branches",
        ARM,
        Rewrite(
            WAITING,
            "return isinstance(second, Store | Return) or (",
            "return isinstance(second, Return) or (",
        ),
    ),
    ("store fences order nothing", ARM, Rewrite(WAITING, "if stores and after and (", "if False and (")),
    ("full fences order nothing", ARM, Rewrite(ACTIONS, "action.kind is FenceKind.FULL)\n", "False)\n")),
    (
        "nothing is forwarded",
        ARM,
        Rewrite(
            MACHINE,
            "if source is not None:\n            yield from self._forwarded",
            "if False:\n            yield from self._forwarded",
        ),
    ),
    (
        "values may come later than they are used",
        ARM,
        Rewrite(
            WAITING, "shared = variables_written(first) & variables_read(second)", "shared = frozenset()"
        ),
    ),
    (
        "a guess is not looked at",
        ARM,
        Rewrite(MACHINE, "guard = condition if item.guess else negation(condition)", "guard = TRUE"),
    ),
    (
        "accesses of one variable change places",
        ARM,
        Rewrite(WAITING, "return len(places) == 1 and", "return False and"),
    ),
    (
        "stores overtake accesses to elements",
        "elements armv8",
        Rewrite(WAITING, "if is_shifted(first) and isinstance(second, Store):", "if False:"),
    ),
    (
        "a store writes all elements",
        "elements sc",
        Rewrite(
            MOVES, "(cell, Choice(equals(location.index, Number(number)), value, cell))", "(cell, value)"
        ),
    ),
    (
        "loads take a pending store to any element",
        "elements x86-tso",
        Rewrite(
            TSO_BUFFER, "if location.index is None:\n                yield", "if True:\n                yield"
        ),
    ),
    ("xc speculates", "states xc", Entry("membar.object_proofs", "_RELAXED", "xc", Rules(speculates=True))),
    (
        "renaming is forgotten",
        "reused",
        Rewrite(
            BEYOND,
            "n for n in before if self._waiting.blocks(control.items[n], later)]",
            "n for n in () if n]",
        ),
    ),
    (
        "nobody is told that calls wait for values that are returned",
        "overlap PAIR",
        Rewrite(BEYOND, "if self._calls_pass(waiting, last.instance, starts):", "if False:"),
    ),
    (
        "nobody is told that calls wait for branches",
        "overlap AWAITED",
        Rewrite(
            BEYOND, "(line.then, line.otherwise) if isinstance(line.action, Branch) else", "() if True else"
        ),
    ),
    (
        "nobody is told that calls wait for what they require",
        "overlap REQUIRED",
        Rewrite(BEYOND, "return self._hidden_by_requirements(waiting, len(control.instances))", 'return ""'),
    ),
    # Obligations.
    (
        "others may be disturbed",
        "wrong `two owners` sc",
        Rewrite(OBLIGATIONS, "(*(theirs if is_seen else ()), ", "(*(), "),
    ),
    (
        "two threads may be anywhere",
        "wrong `nobody is an owner` sc",
        Rewrite(OBLIGATIONS, "*self.between(move.after, other))", "*())"),
    ),
    (
        "the abstraction may break",
        "wrong `never released` sc",
        Rewrite(
            OBLIGATIONS,
            "for each in self._abstraction:\n            goals",
            "for each in ():\n            goals",
        ),
    ),
    (
        "invariants may break",
        "wrong `who holds it does not matter` sc",
        Rewrite(OBLIGATIONS, "for each in self.invariants(move.after):", "for each in ():"),
    ),
    (
        "a specification need not be possible",
        "wrong `taken twice` sc",
        Rewrite(OBLIGATIONS, "simplified(substituted(operation.guard, values))", "TRUE"),
    ),
    (
        "a specification may return something else",
        "wrong `reads something else` sc",
        Rewrite(OBLIGATIONS, "Goal(simplified(equals(promised, result)), text)", "Goal(TRUE, text)"),
    ),
    (
        "checks are forgotten",
        "wrong `a read never takes effect` sc",
        Rewrite(OBLIGATIONS, "for check in move.checks]", "for check in ()]"),
    ),
    (
        "the beginning does not matter",
        "wrong `starts at one` sc",
        Rewrite(
            OBLIGATIONS,
            "claimed = (*self._abstraction, *self.invariants(start), *self.between(start, start))",
            "claimed: tuple[Named, ...] = ()",
        ),
    ),
    (
        "only impossible steps are followed",
        "wrong `two owners` sc",
        Rewrite(DISCHARGE, "possible = solver.check() != z3.unsat", "possible = solver.check() == z3.unsat"),
    ),
    (
        "goals are taken for granted",
        "right",
        Rewrite(
            DISCHARGE,
            "z3.And(self._encoder.all(case.hypotheses), z3.Not(goals))",
            "z3.And(self._encoder.all(case.hypotheses), goals)",
        ),
    ),
    # The front end.
    ("`++` subtracts", "states sc", Entry(f"{FRONT}.code", "_STEPS", "++", BinaryOp.SUB)),
    (
        "`fence.st` is a full fence",
        ARM,
        Rewrite(f"{FRONT}.code", "kind = FenceKind.STORE", "kind = FenceKind.FULL"),
    ),
    # Buffers of any length.
    (
        "what joins the others is not looked at",
        "summaries",
        Rewrite(
            SUMMARIES,
            "yield from self._absorbed(replace(left, some=some, is_renewed=True))",
            "yield from self._absorbed(replace(left, some=() if slot.entry in form.kinds else some,"
            " is_renewed=slot.entry not in form.kinds))",
        ),
    ),
    (
        "the last of the others is alone",
        "summaries",
        Rewrite(SUMMARIES, "for kinds in (form.kinds, form.kinds - {gone}):", "for kinds in (form.kinds,):"),
    ),
    (
        "one of the others is all of them",
        "summaries",
        Rewrite(
            SUMMARIES,
            "for kinds in (form.kinds, form.kinds - {gone}):",
            "for kinds in (form.kinds - {gone},):",
        ),
    ),
    (
        "the next one comes at once",
        "summaries",
        Rewrite(SUMMARIES, "for place in range(same[0] + 1):", "for place in range(1):"),
    ),
    (
        "the next one comes last",
        "summaries",
        Rewrite(SUMMARIES, "for place in range(same[0] + 1):", "for place in range(same[0], same[0] + 1):"),
    ),
    (
        "others come before what is waited for",
        "summaries",
        Rewrite(SUMMARIES, "if len(same) > 1:", "if False:"),
    ),
    (
        "the youngest is one of the others",
        "summaries",
        Rewrite(SUMMARIES, "place in (same[0], same[-1])", "place == same[0]"),
    ),
    (
        "elements are summarised",
        "summaries",
        Rewrite(SUMMARIES, "or is_single or is_shifted", "or is_single"),
    ),
    (
        "the next one is any one",
        "summaries",
        Rewrite(SUMMARIES, "_Slot(gone, next_of(gone))", "_Slot(gone, some_of(gone))"),
    ),
    (
        "every store means the first",
        "claims",
        Rewrite(
            FORMULAS,
            "for store in stores if store[0].line == line",
            "for store in stores[:1] if store[0].line == line",
        ),
    ),
    (
        "the newest is the oldest",
        "claims",
        Rewrite(
            FORMULAS,
            "return found[0] if which is Which.OLDEST else found[-1]",
            "return found[0]",
        ),
    ),
    (
        "a read waits for the oldest store",
        "claims",
        Rewrite(FORMULAS, "return control.waiting.entry", "return _numbers(control, line)[0]"),
    ),
    (
        "who is ahead is behind",
        "ahead",
        Rewrite(FORMULAS, "return found[:1] == [line]", "return found[:1] == [than]"),
    ),
    (
        "what another control has is taken for all",
        "memory claims",
        Rewrite(
            OBLIGATIONS,
            "{term: None for term in known if term in formulas}",
            "{**known, **formulas}",
        ),
    ),
    (
        "steps look alike whatever they store",
        "memory claims",
        Rewrite(OBLIGATIONS, "frozenset((*self.before(control), move.guard)), frozenset(seen))", "0, 0)"),
    ),
    # What operations are called with.
    (
        "a parameter may be assigned to",
        "parameter",
        Rewrite(
            f"{FRONT}.code",
            "if token.text in self.parameters:\n            message",
            "if token.text in self.parameters and self.locals.append(token.text):\n            message",
        ),
    ),
    (
        "long operations are cut",
        "long",
        Rewrite("membar.objects.systems.relaxed", "return max(LONGEST, *map(met, lines))", "return LONGEST"),
    ),
)
