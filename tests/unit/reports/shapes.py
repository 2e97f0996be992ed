"""Hand-built programs and executions that the report tests draw."""

from __future__ import annotations

from membar.models.model import Model
from membar.program.condition import (
    And,
    Compare,
    Comparison,
    FinalCell,
    FinalCondition,
    FinalRegister,
    Formula,
    Observed,
    Quantifier,
)
from membar.program.execution import INIT_THREAD, Event, Execution, Kind
from membar.program.expr import Address, Constant
from membar.program.operations import Load, Store
from membar.program.program import Edge, MemoryObject, Program, Thread
from membar.questions.answer import Answer, make_answer
from membar.questions.outcome import FinalState, Finding, Outcome, Run, Statistics, Verdict, Violated, Witness
from membar.questions.safety import Safety
from membar.source import SourceFile, Span

SB = """\
X86 SB
{ x=0; y=0; }
 P0          | P1          ;
 MOV [x],$1  | MOV [y],$1  ;
 MOV EAX,[y] | MOV EAX,[x] ;
exists (0:EAX=0 /\\ 1:EAX=0)
"""

LB = """\
AArch64 LB
{ 0:X1=x; 0:X2=y; 1:X1=x; 1:X2=y; }
 P0           | P1           ;
 LDR X0,[X1]  | LDR X0,[X2]  ;
 MOV X3,#1    | MOV X3,#1    ;
 STR X3,[X2]  | STR X3,[X1]  ;
exists (0:X0=1 /\\ 1:X0=1)
"""


def answer_about(source: SourceFile, program: Program, model: Model, outcome: Outcome) -> Answer:
    """The answer to a question about a program."""
    return make_answer(Safety(source=source), program, model, outcome)


def find(source: SourceFile, text: str, nth: int = 0) -> Span:
    """The nth place of `text`."""
    start = -1
    for _ in range(nth + 1):
        start = source.text.index(text, start + 1)
    return source.span(start, start + len(text))


def model(name: str = "x86-tso") -> Model:
    return Model(name=name, title="", documentation="")


def run(
    *,
    checked: tuple[str, ...] = ("condition",),
    unchecked: tuple[str, ...] = (),
    verdict: Verdict = Verdict.HOLDS,
    **fields: object,
) -> Run:
    findings = [Finding(name, verdict) for name in checked]
    findings += [Finding(name, Verdict.NOT_CHECKED, "why not") for name in unchecked]
    values: dict[str, object] = {
        "model": "x86-tso",
        "engine": "reference",
        "algorithm": "enumeration",
        "guarantee": "all executions",
        "findings": tuple(findings),
        "statistics": Statistics(executions=4, candidates=4, seconds=0.25),
    } | fields
    return Run(**values)  # type: ignore[arg-type]  # fields are checked by the constructor's users


def equal(term: FinalRegister | FinalCell, value: int | Address) -> Compare:
    return Compare(term, Comparison.EQ, value)


def condition(
    *parts: Formula, observed: tuple[Observed, ...], quantifier: Quantifier = Quantifier.EXISTS
) -> FinalCondition:
    return FinalCondition(quantifier=quantifier, formula=And(parts), observed=observed)


def sb_program(quantifier: Quantifier = Quantifier.EXISTS) -> Program:
    """Store buffering."""
    source = SourceFile("SB.litmus", SB)
    registers = (FinalRegister(0, "EAX"), FinalRegister(1, "EAX"))
    threads = tuple(
        Thread(
            name=f"P{i}",
            entry=0,
            edges=(
                Edge(
                    source=0,
                    target=1,
                    operations=(Store(address=Address(mine), value=Constant(1), size=4),),
                    span=find(source, f"MOV [{mine}],$1"),
                ),
                Edge(
                    source=1,
                    target=2,
                    operations=(Load(register="EAX", address=Address(other), size=4),),
                    span=find(source, f"MOV EAX,[{other}]"),
                ),
            ),
        )
        for i, (mine, other) in enumerate((("x", "y"), ("y", "x")))
    )
    return Program(
        name="SB",
        language="X86",
        objects=(MemoryObject(name="x"), MemoryObject(name="y")),
        threads=threads,
        condition=condition(
            *(equal(r, 0) for r in registers),
            observed=tuple(Observed(r, f"{r.thread}:EAX") for r in registers),
            quantifier=quantifier,
        ),
        span=source.span(0, len(SB)),
    )


def sb_execution(values: tuple[int, int] = (0, 0)) -> Execution:
    """Store buffering: what the two reads see (of y, of x)."""
    source = SourceFile("SB.litmus", SB)
    events = (
        Event(id=0, thread=INIT_THREAD, kind=Kind.WRITE, cell=0),
        Event(id=1, thread=INIT_THREAD, kind=Kind.WRITE, cell=1),
        Event(id=2, thread=0, kind=Kind.WRITE, cell=0, value=1, step=0, span=find(source, "MOV [x],$1")),
        Event(
            id=3, thread=0, kind=Kind.READ, cell=1, value=values[0], step=1, span=find(source, "MOV EAX,[y]")
        ),
        Event(id=4, thread=1, kind=Kind.WRITE, cell=1, value=1, step=0, span=find(source, "MOV [y],$1")),
        Event(
            id=5, thread=1, kind=Kind.READ, cell=0, value=values[1], step=1, span=find(source, "MOV EAX,[x]")
        ),
    )
    return Execution(
        events=events,
        po=frozenset({(2, 3), (4, 5)}),
        rf=((4 if values[0] else 1, 3), (2 if values[1] else 0, 5)),
        co=((0, 2), (1, 4)),
        registers=((("EAX", values[0]),), (("EAX", values[1]),)),
    )


def sb_states() -> tuple[FinalState, ...]:
    return tuple((("0:EAX", a), ("1:EAX", b)) for a in (0, 1) for b in (0, 1))


def sb_witness() -> Witness:
    return Witness(
        execution=sb_execution(),
        final=(("0:EAX", 0), ("1:EAX", 0)),
        choices=((0,), (0,)),
        message="both read 0",
    )


def sb_answer(outcome: Outcome | None = None) -> Answer:
    facts = run(verdict=Verdict.VIOLATED, outcomes=sb_states(), positive=1, negative=3)
    found = outcome or Violated(facts, "condition", sb_witness())
    program = sb_program(Quantifier.NOT_EXISTS if outcome is None else Quantifier.EXISTS)
    return answer_about(SourceFile("SB.litmus", SB), program, model(), found)


def lb_program() -> Program:
    """Load buffering (threads without edges: only executions are drawn)."""
    registers = (FinalRegister(0, "X0", 64), FinalRegister(1, "X0", 64))
    return Program(
        name="LB",
        language="AArch64",
        objects=(MemoryObject(name="x", size=8), MemoryObject(name="y", size=8)),
        threads=(Thread(name="P0", entry=0, edges=()), Thread(name="P1", entry=0, edges=())),
        condition=condition(
            *(equal(r, 1) for r in registers),
            observed=tuple(Observed(r, f"{r.thread}:X0") for r in registers),
        ),
    )


def lb_execution() -> Execution:
    """Load buffering: both reads see 1."""
    source = SourceFile("LB.litmus", LB)
    texts = (("LDR X0,[X1]", "STR X3,[X2]"), ("LDR X0,[X2]", "STR X3,[X1]"))
    events = [
        Event(id=0, thread=INIT_THREAD, kind=Kind.WRITE, cell=0),
        Event(id=1, thread=INIT_THREAD, kind=Kind.WRITE, cell=1),
    ]
    for thread, (load, store) in enumerate(texts):
        events += [
            Event(id=2 + 2 * thread, thread=thread, kind=Kind.READ, cell=thread, value=1, step=0,
                  span=find(source, load)),
            Event(id=3 + 2 * thread, thread=thread, kind=Kind.WRITE, cell=1 - thread, value=1, step=2,
                  span=find(source, store)),
        ]  # fmt: skip
    return Execution(
        events=tuple(events),
        po=frozenset({(2, 3), (4, 5)}),
        rf=((5, 2), (3, 4)),
        co=((0, 5), (1, 3)),
        registers=((("X0", 1),), (("X0", 1),)),
    )
