"""Prints a program with explicit store buffers as DVE: the instrumented model of Barnat, section III.

Each location that a process stores to has a temporary variable (`sb_x_P`) and an indicator (`i_x_P`; with
several slots, the number of stores, `n_x_P`). Each process has a queue of the locations that it has stored
to, oldest first, and the process `MM` flushes stores to memory. Free slots and entries are 0, and a queue is
shifted when its first entry leaves, so that equal states have equal variables.
"""

from __future__ import annotations

from collections.abc import Iterator

from membar.program.temporal import Claim, ForbiddenRuns
from membar.program.temporal import Words as FormulaWords
from membar.questions.export.model import GuardedStep, Kind, Model, Variable, untranslatable
from membar.questions.export.names import Names
from membar.questions.export.questions import over_variables
from membar.questions.export.ranges import WIDEST
from membar.questions.export.spelling import Speller, Words
from membar.questions.export.text import Text

WORDS = Words(
    land="and",
    lor="or",
    lnot="not",
    formulas=FormulaWords(not_="not ", and_="and", or_="or", finally_="F", globally="G"),
    numbers=WIDEST,
)
RESERVED = frozenset(
    {
        "accept", "and", "assert", "async", "bool", "buchi", "byte", "channel", "commit", "const", "effect",
        "error", "errors", "ends", "false", "genbuchi", "guard", "imply", "init", "int", "ltl", "muller",
        "not", "or", "process", "property", "rabin", "state", "streett", "sync", "system", "trans", "true",
        "atomic", "G", "F", "X", "U", "R", "W", "GF", "FG", "GG", "FF", "GX", "XG", "FX", "XF", "XX",
    }
)  # fmt: skip


def render(model: Model, *, title: str, fair: bool) -> str:
    """The text; with `fair`, formulas are about runs that are fair to every queue of stores.

    Raises:
        InputError: something in it cannot be said in DVE.
    """
    return _Text(model, fair=fair).whole(title)


class _Text(Text):
    def __init__(self, model: Model, *, fair: bool) -> None:
        super().__init__(model, "DVE", reserved=RESERVED, fair=fair, types=("byte", "int"), local=True)
        self.memory = self.names.fresh("MM") if model.flushes else ""
        self.failed = self.names.fresh("failed")
        self.points = [self._point_names(number) for number in range(len(self.threads))]
        self.called = self.variable_names()
        self.inside = Speller(WORDS, self.called, self._place, model.ranges)
        self.outside = Speller(WORDS, dict(self._from_outside()), self._place, model.ranges)

    def _point_names(self, number: int) -> dict[int, str]:
        thread = self.program.threads[number]
        names = Names(RESERVED)
        labels = dict(thread.labels)
        return {point: names.fresh(labels.get(point, f"s{point}")) for point in sorted(thread.outgoing)}

    def _place(self, thread: int, point: int) -> str:
        return f"{self.threads[thread]}.{self.points[thread][point]}"

    def _from_outside(self) -> Iterator[tuple[str, str]]:
        for key, name in self.called.items():
            variable = self.model.variables[key]
            own = variable.kind is Kind.REGISTER
            yield key, f"{self.threads[variable.thread]}->{name}" if own else name

    def whole(self, title: str) -> str:
        processes = [line for number in range(len(self.threads)) for line in self._process(number)]
        processes += self._flushing()
        automata = [claim for claim in self.program.claims if isinstance(claim.body, ForbiddenRuns)]
        if len(automata) > 1:
            raise untranslatable("several automata of forbidden runs", automata[1].span)
        prop = ""
        for claim in automata:
            name = self.names.fresh(claim.name)
            processes += self._property(claim, name)
            prop = f" property {name}"
        lines = [f"// {title}", *self._globals(), "", *processes, f"system async{prop};", *self._questions()]
        return "\n".join(lines) + "\n"

    def _globals(self) -> Iterator[str]:
        yield from self._declarations(
            [key for key, item in self.model.variables.items() if item.kind is not Kind.REGISTER]
        )
        for key, name in self.scratches.items():
            yield f"{self.type_of(self.model.ranges[key.removeprefix('scratch:')])} {name};"
        if any(step.failure is not None for step in self.model.steps):
            yield f"byte {self.failed} = 0; // dividing by it is the run-time error of a failed assertion"

    def _declarations(self, keys: list[str]) -> Iterator[str]:
        for kind, name, values in self.variables(keys, self.called):
            if name.endswith("["):
                start = f" = {{{', '.join(map(str, values))}}}" if any(values) else ""
                yield f"{kind} {name}{len(values)}]{start};"
            else:
                yield f"{kind} {name} = {values[0]};"

    def _process(self, number: int) -> Iterator[str]:
        thread = self.program.threads[number]
        points = self.points[number]
        own = [
            key
            for key, item in self.model.variables.items()
            if item.kind is Kind.REGISTER and item.thread == number
        ]
        yield f"process {self.threads[number]} {{"
        yield from self._declarations(own)
        unborn = [] if thread.started else [self._not_started_state(number)]
        yield f"state {', '.join([*unborn, *points.values()])};"
        yield f"init {unborn[0] if unborn else points[thread.entry]};"
        steps = []
        if unborn:
            born = self.called[Variable(kind=Kind.BORN, thread=number).key]
            steps.append(f"  {unborn[0]} -> {points[thread.entry]} {{ guard {born}; }}")
        own_steps = [step for step in self.model.steps if step.thread == number]
        steps += [self._step(step) for step in own_steps]
        # A thread that waits forever has not ended.
        stuck = sorted(thread.outgoing.keys() - {step.source for step in own_steps})
        steps += [
            f"  {points[point]} -> {points[point]} {{ guard false; }}"
            for point in stuck
            if thread.outgoing[point]
        ]
        if steps:
            yield "trans"
            yield ",\n".join(steps) + ";"
        yield "}"
        yield ""

    def _not_started_state(self, number: int) -> str:
        return Names([*RESERVED, *self.points[number].values()]).fresh("unborn")

    def _step(self, step: GuardedStep) -> str:
        points = self.points[step.thread]
        guards = list(self.guards(step, self.inside))
        guard = f" guard {' and '.join(guards)};" if guards else ""
        if step.failure is not None:
            done = [f"{self.failed} = 1 / {self.failed}"]
        else:
            done = self.assignments(step, self.called, self.inside)
        effect = f" effect {', '.join(done)};" if done else ""
        ways = "flush -> flush" if step.source < 0 else f"{points[step.source]} -> {points[step.target]}"
        return f"  {ways} {{{guard}{effect} }}"

    def _flushing(self) -> Iterator[str]:
        if self.model.flushes:
            yield f"process {self.memory} {{"
            yield "state flush;"
            yield "init flush;"
            yield "trans"
            yield ",\n".join(self._step(step) for step in self.model.flushes) + ";"
            yield "}"
            yield ""

    def _questions(self) -> Iterator[str]:
        if self.model.flushes:
            yield f"ends {self.memory}.flush;"
        for number, thread in enumerate(self.program.threads):
            yield from (
                f"ends {self._place(number, point)};"
                for point in sorted(thread.ends)
                if thread.outgoing.get(point)
            )
            if not thread.started:
                yield f"ends {self.threads[number]}.{self._not_started_state(number)};"
        for predicate in self.program.errors:
            yield f"error {self.outside.truth(over_variables(self.model, predicate))};"
        for claim in self.program.claims:
            if not isinstance(claim.body, ForbiddenRuns):
                whole = self.claim_about_fair_runs(claim, claim.body)
                text = self.outside.formula(whole, lambda atom: over_variables(self.model, atom.predicate))
                yield f"ltl {text};"

    def _property(self, claim: Claim, name: str) -> Iterator[str]:
        body = claim.body
        if not isinstance(body, ForbiddenRuns):
            raise TypeError(body)
        self.refuse_automaton(claim, body, "use --fair none")
        states = [f"q{number}" for number in range(len(body.states))]
        sets = ["(" + ", ".join(states[state] for state in sorted(one)) + ")" for one in body.accepting]
        yield f"process {name} {{"
        yield f"state {', '.join(states)};"
        yield f"init {states[body.initial]};"
        yield f"accept genbuchi {', '.join(sets)};"
        edges = []
        for edge in body.edges:
            guard = self.outside.truth(over_variables(self.model, edge.guard))
            edges.append(f"  {states[edge.source]} -> {states[edge.target]} {{ guard {guard}; }}")
        if edges:
            yield "trans"
            yield ",\n".join(edges) + ";"
        yield "}"
        yield ""
