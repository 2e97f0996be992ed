"""One execution in Graphviz's language: threads as columns, program order downwards."""

from __future__ import annotations

from membar.program.execution import Event
from membar.program.program import Program
from membar.questions.answer import Answer
from membar.questions.outcome import Witness
from membar.reports import Report
from membar.reports._parts.drawing import drawn_edges
from membar.reports._parts.event import action_text, line_label, source_text
from membar.reports._parts.palette import LIGHT
from membar.reports._parts.verdict import verdict_text, witness_of


def render(program: Program, witness: Witness, *, title: str = "") -> str:
    """The execution as one `digraph`."""
    execution = witness.execution
    lines = [
        f"digraph {_quote(program.name)} {{",
        f"  label={_quote(title or program.name)}; labelloc=t; splines=spline; nodesep=0.6; ranksep=0.5;",
        '  node [shape=box, style=rounded, fontname="monospace", fontsize=11];',
        '  edge [fontname="sans-serif", fontsize=10];',
    ]
    initial = [event for event in execution.events if event.is_initial]
    if initial:
        lines.append("  { rank=source;")
        lines += [
            f"    e{event.id} [label={_quote(action_text(program, event))}, color=gray];" for event in initial
        ]
        lines.append("  }")
    for index, thread in enumerate(program.threads):
        events = [event for event in execution.events if event.thread == index]
        if events:
            lines.append(f"  subgraph cluster_{index} {{")
            lines.append(f"    label={_quote(thread.name)}; color=lightgray;")
            lines += [f"    e{event.id} [label={_quote(_label(program, event))}];" for event in events]
            lines.append("  }")
    for edge in drawn_edges(execution):
        color = LIGHT.relation(edge.relation)
        weight = "weight=10" if edge.relation == "po" else "constraint=false"
        style = ", style=dashed" if edge.is_dependency else ""
        lines.append(
            f"  e{edge.source} -> e{edge.target} "
            f'[label={_quote(edge.relation)}, color="{color}", fontcolor="{color}", {weight}{style}];'
        )
    return "\n".join([*lines, "}"]) + "\n"


def _label(program: Program, event: Event) -> str:
    label = line_label(event)
    return f"{f'{label}: ' if label else ''}{source_text(program, event)}\n{action_text(program, event)}"


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _of_answer(answer: Answer) -> str:
    witness = witness_of(answer.outcome)
    if witness is None:
        return ""
    title = f"{answer.program.name}: {verdict_text(answer.outcome)} under {answer.judging.name}"
    return render(answer.program, witness, title=title)


REPORT = Report(name="dot", title="the witness for Graphviz", suffix=".dot", render=_of_answer)
