"""A model as Promela text, for SPIN and for membar itself under sc.

Every step is one `d_step`, so that nobody looks inside. All variables are global, and so is where processes
are (`pc_P`), so that formulas are about plain variables. A control point at which a thread has ended, or may
stay, is an `end` label. Each queue of stores is flushed by a process of its own, so that SPIN's weak fairness
is fairness to every queue.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar.models.model import Operational
from membar.program.temporal import Claim, ForbiddenRuns, Truth, has_next, implies
from membar.questions.translation.model import (
    ENDLESS,
    INT32,
    GuardedStep,
    Interval,
    Kind,
    Model,
    Variable,
    untranslatable,
)
from membar.questions.translation.names import Names, variable_names
from membar.questions.translation.questions import fairness, over_variables
from membar.questions.translation.ranges import Ranges, fits
from membar.questions.translation.spelling import Speller, Words, sequence_writes

WORDS = Words(
    land="&&", lor="||", lnot="!", until="U", release="V", finally_="<>", globally="[]", numbers=INT32
)  # fmt: skip
RESERVED = frozenset(
    {
        "active", "always", "assert", "atomic", "bit", "bool", "break", "byte", "chan", "d_step", "do",
        "else", "empty", "enabled", "equivalent", "eval", "eventually", "false", "fi", "for", "full",
        "goto", "hidden", "if", "implies", "in", "init", "inline", "int", "len", "local", "ltl", "mtype",
        "nempty", "never", "nfull", "notrace", "np_", "od", "of", "pc_value", "pid", "printf", "printm",
        "priority", "proctype", "provided", "return", "run", "select", "short", "show", "skip",
        "stronguntil", "timeout", "trace", "true", "typedef", "unless", "unsigned", "until", "weakuntil",
        "xr", "xs", "_", "_last", "_nr_pr", "_pid", "load", "store", "sync", "fence", "c_code", "c_decl",
        "c_expr", "c_state", "c_track", "D_proctype", "release", "next", "U", "V", "W", "X", "or", "and",
        "scratch",
    }
)  # fmt: skip


def render(model: Model, *, title: str, fair: bool) -> str:
    """The text; with `fair`, formulas are about runs that are fair to every queue of stores.

    Raises:
        InputError: something in it cannot be said in Promela.
    """
    return _Text(model, fair=fair).whole(title)


class _Text:
    def __init__(self, model: Model, *, fair: bool) -> None:
        self.model = model
        self.program = model.program
        self.fair = fair
        self.names = Names(RESERVED)
        self.threads = [self.names.fresh(thread.name) for thread in self.program.threads]
        self.pcs = [self.names.fresh(f"pc_{name}") for name in self.threads]
        self.called = variable_names(model, self.names, self.threads, local=False, lists=False)
        self.speller = Speller(WORDS, self.called, self._place, model.ranges)
        self.scratches: dict[str, str] = {}

    def _place(self, thread: int, point: int) -> str:
        return f"({self.pcs[thread]} == {point})"

    def whole(self, title: str) -> str:
        processes = [line for number in range(len(self.threads)) for line in self._process(number)]
        processes += [line for number in range(len(self.threads)) for line in self._flushing(number)]
        questions = list(self._questions())
        lines = [f"/* {title} */", *self._declarations(), "", *processes, *questions]
        return "\n".join(lines) + "\n"

    def _declarations(self) -> Iterator[str]:
        arrays: dict[str, list[tuple[str, Interval, int]]] = {}
        for key, variable in self.model.variables.items():
            name, bracket, _ = self.called[key].partition("[")
            arrays.setdefault(name + bracket, []).append((key, self.model.ranges[key], variable.initial))
        for name, elements in arrays.items():
            low = min(found[0] for _, found, _ in elements)
            high = max(found[1] for _, found, _ in elements)
            kind = type_of((low, high))
            values = [value for _, _, value in elements]
            if not name.endswith("["):
                yield f"{kind} {name}" + (f" = {values[0]};" if values[0] else ";")
            else:  # all elements begin alike
                yield f"{kind} {name}{len(elements)}]" + (f" = {values[0]};" if values[0] else ";")
        for number, name in enumerate(self.pcs):
            entry = self.program.threads[number].entry
            points = self.program.threads[number].outgoing
            yield f"{type_of((min(points), max(points)))} {name}" + (f" = {entry};" if entry else ";")
        for name in self.scratches.values():
            yield f"int {name};"

    def _process(self, number: int) -> Iterator[str]:
        thread = self.program.threads[number]
        points = sorted(thread.outgoing)
        points.remove(thread.entry)
        yield f"active proctype {self.threads[number]}() {{"
        if not thread.started:
            yield f"end_unborn: {self.called[Variable(kind=Kind.BORN, thread=number).key]};"
        for point in (thread.entry, *points):
            label = self._label(number, point)
            steps = [step for step in self.model.steps if step.thread == number and step.source == point]
            if not steps:
                yield f"{label}: false;"
                continue
            yield f"{label}: if"
            for step in steps:
                target = "end_failed" if step.failure is not None else self._label(number, step.target)
                yield f"    :: {self._step(step)}; goto {target}"
            yield "    fi;"
        if any(step.thread == number and step.failure is not None for step in self.model.steps):
            yield "end_failed: false;"
        yield "}"
        yield ""

    def _label(self, number: int, point: int) -> str:
        thread = self.program.threads[number]
        return f"at_{point}" if thread.outgoing[point] and point not in thread.ends else f"end_{point}"

    def _step(self, step: GuardedStep) -> str:
        ranges = Ranges(self.model.ranges, step.guards)
        guard = " && ".join(self._guards(step)) or "true"
        if step.failure is not None:
            return f"d_step {{ {guard} -> assert(false) }}"
        done = self._assignments(step, ranges)
        if step.source >= 0 and step.target != step.source:
            done.append(f"{self.pcs[step.thread]} = {step.target}")
        return f"d_step {{ {guard} -> {'; '.join(done) or 'skip'} }}"

    def _guards(self, step: GuardedStep) -> Iterator[str]:
        for number, guard in enumerate(step.guards):
            yield self.speller.truth(guard, Ranges(self.model.ranges, step.guards[:number]))

    def _assignments(self, step: GuardedStep, ranges: Ranges) -> list[str]:
        done = [
            f"{self.called[key]} = {self.speller.value(value, ranges)}"
            for key, value in sequence_writes(step.writes, self._scratch)
        ]
        for pushed in step.pushes:
            length = self.called[Variable(kind=Kind.LENGTH, thread=step.thread).key]
            queue = self.called[Variable(kind=Kind.QUEUE, thread=step.thread, slot=0).key].partition("[")[0]
            done += [f"{queue}[{length}] = {pushed}", f"{length} = {length} + 1"]
        return done

    def _scratch(self, key: str) -> str:
        kept = f"scratch:{key}"
        if kept not in self.scratches:
            self.scratches[kept] = self.names.fresh("kept")
            self.called[kept] = self.scratches[kept]
        return kept

    def _flushing(self, number: int) -> Iterator[str]:
        steps = [step for step in self.model.flushes if step.thread == number]
        groups: dict[str, list[GuardedStep]] = {}
        for step in steps:
            cell = step.writes[0][0] if self.model.discipline is Operational.PSO else ""
            groups.setdefault(cell, []).append(step)
        for cell, group in groups.items():
            name = (
                f"flush_{self.called[cell]}_{self.threads[number]}"
                if cell
                else f"flush_{self.threads[number]}"
            )
            yield f"active proctype {self.names.fresh(name)}() {{"
            yield "end_flush: do"
            yield from (f"    :: {self._step(step)}" for step in group)
            yield "    od"
            yield "}"
            yield ""

    def _questions(self) -> Iterator[str]:
        for number, predicate in enumerate(self.program.errors, start=1):
            wrong = self.speller.truth(over_variables(self.model, predicate))
            yield f"ltl {self.names.fresh(f'error_{number}')} {{ [] (! {wrong}) }}"
        for claim in self.program.claims:
            yield from self._claim(claim)

    def _claim(self, claim: Claim) -> Iterator[str]:
        body = claim.body
        if isinstance(body, ForbiddenRuns):
            yield from self._never(body, claim)
            return
        if claim.is_endless:
            raise untranslatable(ENDLESS, claim.span)
        assumed = fairness(self.model) if self.fair else Truth(value=True)
        whole = body if assumed == Truth(value=True) else implies(assumed, body)
        if has_next(whole) and not all(thread.started for thread in self.program.threads):
            raise untranslatable(
                "`X` in a program that starts threads: which takes one step more in Promela", claim.span
            )
        text = self.speller.formula(whole, lambda atom: over_variables(self.model, atom.predicate))
        yield f"ltl {self.names.fresh(claim.name)} {{ {text} }}"

    def _never(self, body: ForbiddenRuns, claim: Claim) -> Iterator[str]:
        leaving = {edge.source for edge in body.edges}
        if self.fair and self.model.flushes:
            help_ = "use --fair none, and process fairness of the checker"
            raise untranslatable(
                "an automaton of forbidden runs, with fairness to store buffers", claim.span, help=help_
            )
        if len(body.accepting) > 1 or (body.ends_are_errors and len(leaving) < len(body.states)):
            raise untranslatable(
                "an automaton of forbidden runs with several sets, or with an end", claim.span
            )
        yield f"never {self.names.fresh(claim.name)} {{"
        others = [number for number in range(len(body.states)) if number != body.initial]
        labels = [
            ("accept_S" if number in body.accepting[0] else "S") + str(number)
            for number in range(len(body.states))
        ]
        for state in (body.initial, *others):
            edges = [edge for edge in body.edges if edge.source == state]
            if not edges:
                yield f"{labels[state]}: false;"
                continue
            yield f"{labels[state]}: if"
            for edge in edges:
                guard = self.speller.truth(over_variables(self.model, edge.guard))
                yield f"    :: {guard} -> goto {labels[edge.target]}"
            yield "    fi;"
        yield "}"


def type_of(found: Interval) -> str:
    """The narrowest type with these values.

    Raises:
        InputError: there is none.
    """
    for kind, limits in (("byte", (0, 255)), ("short", (-32768, 32767)), ("int", INT32)):
        if fits(found, limits):
            return kind
    raise untranslatable("a variable whose values have no bounds, or need more than 32 bits")
