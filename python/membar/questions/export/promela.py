"""Prints a program with explicit store buffers as Promela, for SPIN and for membar itself under sc.

Every step is one `d_step`, so that no other process observes its intermediate states. All variables are
global, and so are control points (`pc_P`), so that formulas are about plain variables. A control point at
which a thread has ended, or may stay, is an `end` label. Each queue of stores is flushed by its own process,
so that SPIN's weak fairness is fairness to every queue.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar.models.model import Operational
from membar.program.temporal import Claim, ForbiddenRuns
from membar.program.temporal import Words as FormulaWords
from membar.questions.export.model import INT32, GuardedStep, Kind, Model, Variable, untranslatable
from membar.questions.export.questions import over_variables
from membar.questions.export.spelling import Speller, Words
from membar.questions.export.text import Text

WORDS = Words(
    land="&&",
    lor="||",
    lnot="!",
    formulas=FormulaWords(not_="! ", and_="&&", or_="||", release="V", finally_="<>", globally="[]"),
    numbers=INT32,
)
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


class _Text(Text):
    def __init__(self, model: Model, *, fair: bool) -> None:
        types = ("byte", "short", "int")
        super().__init__(model, "Promela", reserved=RESERVED, fair=fair, types=types, local=False)
        self.pcs = [self.names.fresh(f"pc_{name}") for name in self.threads]
        self.called = self.variable_names()
        self.speller = Speller(WORDS, self.called, self._place, model.ranges)

    def _place(self, thread: int, point: int) -> str:
        return f"({self.pcs[thread]} == {point})"

    def whole(self, title: str) -> str:
        processes = [line for number in range(len(self.threads)) for line in self._process(number)]
        processes += [line for number in range(len(self.threads)) for line in self._flushing(number)]
        questions = list(self._questions())
        lines = [f"/* {title} */", *self._declarations(), "", *processes, *questions]
        return "\n".join(lines) + "\n"

    def _declarations(self) -> Iterator[str]:
        for kind, name, values in self.variables(self.model.variables, self.called):
            # All elements of an array begin alike.
            shape = f"{len(values)}]" if name.endswith("[") else ""
            yield f"{kind} {name}{shape}" + (f" = {values[0]};" if values[0] else ";")
        for number, name in enumerate(self.pcs):
            entry = self.program.threads[number].entry
            points = self.program.threads[number].outgoing
            yield f"{self.type_of((min(points), max(points)))} {name}" + (f" = {entry};" if entry else ";")
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
        guard = " && ".join(self.guards(step, self.speller)) or "true"
        if step.failure is not None:
            return f"d_step {{ {guard} -> assert(false) }}"
        done = self.assignments(step, self.called, self.speller)
        if step.source >= 0 and step.target != step.source:
            done.append(f"{self.pcs[step.thread]} = {step.target}")
        return f"d_step {{ {guard} -> {'; '.join(done) or 'skip'} }}"

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
        whole = self.claim_about_fair_runs(claim, body)
        text = self.speller.formula(whole, lambda atom: over_variables(self.model, atom.predicate))
        yield f"ltl {self.names.fresh(claim.name)} {{ {text} }}"

    def _never(self, body: ForbiddenRuns, claim: Claim) -> Iterator[str]:
        self.refuse_automaton(claim, body, "use --fair none, and process fairness of the checker")
        if len(body.accepting) > 1:
            raise untranslatable("an automaton of forbidden runs with several sets", claim.span)
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
