"""What one line of `--json` contains. The schema, the writer and the reader of saved answers come from here.

Only `--json`, `membar replay` and the schema load this module: msgspec takes long to import.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from membar.objects.orders import Ordering
from membar.program.execution import Kind
from membar.questions.outcome import Verdict

Word: TypeAlias = Literal["holds", "holds-within", "violated", "unknown"]
Count: TypeAlias = Annotated[int, Meta(ge=0)]
Values: TypeAlias = dict[str, int | str]
Pair: TypeAlias = tuple[int, int]
Entry: TypeAlias = tuple[str, int]
Shown: TypeAlias = tuple[str, str]


class Part(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A JSON object. A key without a value is absent; a key that membar does not write is refused."""


class FindingPart(Part, kw_only=True):
    """The answer about one property, or about one claim; a warning does not count for the verdict.

    `witness` is the run that shows a violation, unless that is the `witness` of the whole answer.
    """

    property: str
    verdict: Verdict
    reason: str
    warning: bool = False
    claim: str | UnsetType = UNSET
    witness: WitnessPart | UnsetType = UNSET


class Counters(Part, kw_only=True):
    """What the engine counted, as far as it makes sense for the engine."""

    executions: int | UnsetType = UNSET
    failed: int | UnsetType = UNSET
    truncated: int | UnsetType = UNSET
    explored: int | UnsetType = UNSET
    symmetric: tuple[tuple[str, ...], ...] | UnsetType = UNSET
    classes: int | UnsetType = UNSET
    blocked: int | UnsetType = UNSET
    candidates: int | UnsetType = UNSET
    duplicates: int | UnsetType = UNSET
    states: int | UnsetType = UNSET
    transitions: int | UnsetType = UNSET
    nodes: int | UnsetType = UNSET
    seconds: float
    peak_bytes: int | UnsetType = UNSET


class ListedExecution(Part, kw_only=True):
    """One execution of `--all`: how it ended, and its final state."""

    end: str
    state: Values


class Call(Part, kw_only=True):
    """A call of a client; one that never returned is pending."""

    thread: int
    operation: str
    arguments: tuple[int | str, ...]
    pending: bool = False
    result: int | str | tuple[int | str, ...] | UnsetType | None = UNSET


class BarPart(Part, kw_only=True):
    """A call on a timeline, from one column to another, both included; `explained` by the longest prefix."""

    thread: int
    text: str
    first: int
    last: int
    pending: bool = False
    explained: bool = False


class HistoryPart(Part, kw_only=True):
    """A history that no order of its calls explains.

    `before` has pairs of calls, `prefix` the longest part that can be linearized. `bars` (one per call) and
    `explanation` are for readers.
    """

    calls: tuple[Call, ...]
    before: tuple[Pair, ...]
    prefix: tuple[int, ...]
    bars: tuple[BarPart, ...] = ()
    explanation: tuple[str, ...] = ()


class DischargedPart(Part, kw_only=True):
    """How many obligations of one kind, (1) to (4), a proof of linearizability has discharged."""

    number: int
    count: int


class ObligationPart(Part, kw_only=True):
    """The proof obligation that was not discharged, with the two states of its counterexample."""

    number: int
    step: str
    problem: str | UnsetType = UNSET
    thread: str | UnsetType = UNSET
    other: str | UnsetType = UNSET
    before: dict[str, int]
    after: dict[str, int]


class EventPart(Part, kw_only=True):
    """An access or a fence. `value` is the raw word.

    `location`, `pointer`, `meaning` and `line` are for readers.
    """

    id: int
    thread: int
    kind: Kind
    cell: int | UnsetType = UNSET
    location: str | UnsetType = UNSET
    value: int | UnsetType = UNSET
    pointer: str | UnsetType = UNSET
    meaning: str | UnsetType = UNSET
    tags: tuple[str, ...] = ()
    step: int
    line: int | UnsetType = UNSET
    span: Pair | UnsetType = UNSET


class Relations(Part, kw_only=True, omit_defaults=False):
    """The base relations of an execution, as pairs of events; `co` has one chain of writes per location."""

    po: tuple[Pair, ...]
    rf: tuple[Pair, ...]
    co: tuple[tuple[int, ...], ...]
    addr: tuple[Pair, ...]
    data: tuple[Pair, ...]
    ctrl: tuple[Pair, ...]
    # Witnesses of older versions do not have these three.
    pick_addr: tuple[Pair, ...] = ()
    pick_data: tuple[Pair, ...] = ()
    pick_ctrl: tuple[Pair, ...] = ()
    amo: tuple[Pair, ...]
    lxsx: tuple[Pair, ...]
    spawn_join: tuple[Pair, ...]


class StepPart(Part, kw_only=True):
    """One step of a run, with memory and store buffers after it."""

    thread: int
    action: str
    partner: int | UnsetType = UNSET
    event: int | UnsetType = UNSET
    memory: tuple[Entry, ...]
    buffers: tuple[tuple[Entry, ...], ...]


class CompilerPart(Part, kw_only=True):
    """How a text was compiled: all that the user said, but for the compiler itself."""

    target: str | UnsetType = UNSET
    data_model: str | UnsetType = UNSET
    undefines: tuple[str, ...] = ()
    standard: str | UnsetType = UNSET
    includes: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    commands: str | UnsetType = UNSET
    further_files: tuple[str, ...] = ()


class WitnessPart(Part, kw_only=True, tag_field="format", tag="membar-witness"):
    """An execution, a run with its steps, or a lasso, with all that `membar replay` needs to run it again."""

    version: Literal[1]
    file: str
    source: str
    defines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    replaced: dict[str, str] = {}
    arguments: tuple[str, ...] | UnsetType = UNSET
    compiler: CompilerPart | UnsetType = UNSET
    program: str
    model: str
    model_file: str | UnsetType = UNSET
    model_source: str | UnsetType = UNSET
    cycle: int | UnsetType = UNSET
    fair: tuple[str, ...] | UnsetType = UNSET
    message: str
    threads: tuple[str, ...]
    events: tuple[EventPart, ...]
    relations: Relations
    registers: tuple[dict[str, int], ...]
    choices: tuple[tuple[int, ...], ...]
    steps: tuple[StepPart, ...]
    final: tuple[tuple[str, int | str], ...]
    mapping: str | UnsetType = UNSET
    ltl: str | UnsetType = UNSET
    labels: tuple[str, ...] = ()
    weaker_dependencies: bool = False


class ProcessStepPart(Part, kw_only=True):
    """One step of a run of a system: a transition, or a flush of the oldest entry of one store buffer."""

    processes: tuple[int, ...]
    flush: bool = False
    transition: int | UnsetType = UNSET
    name: str | UnsetType = UNSET
    reads: tuple[Shown, ...] | UnsetType = UNSET
    chosen: tuple[Shown, ...] | UnsetType = UNSET
    memory: tuple[Shown, ...]
    buffers: tuple[tuple[tuple[Shown, ...], ...], ...]


class ProcessRunPart(Part, kw_only=True, tag_field="format", tag="membar-run"):
    """A run of some number of processes of a parameterized system."""

    version: Literal[1]
    file: str
    source: str
    model: str
    processes: Annotated[int, Meta(ge=1, le=64)]
    initial: tuple[Shown, ...]
    steps: tuple[ProcessStepPart, ...]
    unsafe: int
    culprits: tuple[int, ...]
    views: tuple[Shown, ...]


class DrawnEvent(Part, kw_only=True):
    """An event as people see it: names and values in words, and the user's own text.

    `line` is absent where the text is in another file, which `place` names. Events of one `unit` are one
    step. `internal` ones are there for the check of memory only.
    """

    id: int
    thread: int
    kind: Kind
    unit: int
    location: str | UnsetType = UNSET
    value: str | UnsetType = UNSET
    text: str | UnsetType = UNSET
    line: int | UnsetType = UNSET
    span: Pair | UnsetType = UNSET
    place: str | UnsetType = UNSET
    tags: tuple[str, ...] = ()
    internal: bool = False


class DrawnStep(Part, kw_only=True):
    """One step: the events of a thread, a store that reaches memory, or what fails.

    `buffers` has the stores that wait, per thread, the oldest first; `memory` the last write to each
    location. Both are absent for models that have no such thing; the order is then one of several.
    """

    thread: int
    action: Literal["issue", "flush", "fail"]
    events: tuple[int, ...]
    buffers: tuple[tuple[int, ...], ...] | UnsetType = UNSET
    memory: tuple[int, ...] | UnsetType = UNSET


class ReorderedPart(Part, kw_only=True):
    """Why a read misses a write: the model does not keep `first` and `second` of one thread in order."""

    read: int
    write: int
    first: int
    second: int


class DrawingPart(Part, kw_only=True):
    """An execution as it is drawn: events, edges by relation, and the steps of a run that performs it.

    `cycle` is the number of steps before the repeated part of a lasso. `failing` has the reads that an
    assertion fails on, `failing_line` its line, or, in another file, `failing_place`. `racing` has the
    accesses that race. `capacity` is how many stores a buffer of the machine holds, if that was bounded.
    `reorderable` has the accesses of one thread, in program order, that the model does
    not keep in order; it is absent for models that order by synchronisation.
    """

    threads: tuple[str, ...]
    events: tuple[DrawnEvent, ...]
    edges: dict[str, tuple[Pair, ...]]
    steps: tuple[DrawnStep, ...]
    machine: Literal["sc", "tso", "pso", "cam"] | UnsetType = UNSET
    capacity: int | UnsetType = UNSET
    message: str = ""
    failing: tuple[int, ...] = ()
    failing_line: int | UnsetType = UNSET
    failing_place: str | UnsetType = UNSET
    racing: tuple[int, ...] = ()
    cycle: int | UnsetType = UNSET
    model: str | UnsetType = UNSET
    reorderable: tuple[Pair, ...] | UnsetType = UNSET
    reordered: tuple[ReorderedPart, ...] = ()


class CycleEdge(Part, kw_only=True):
    """One edge of what an axiom forbids."""

    source: int
    target: int
    relation: str


class BrokenAxiom(Part, kw_only=True):
    """An axiom that an execution breaks: its cycle, or the pairs that should not be there."""

    axiom: str
    demand: str
    is_cycle: bool
    edges: tuple[CycleEdge, ...]


class ExplanationPart(Part, kw_only=True):
    """Whether a model allows an outcome, and otherwise the forbidden execution that comes nearest to it.

    `reason` says why there is no such execution, or no answer.
    """

    outcome: str
    allowed: bool | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    broken: tuple[BrokenAxiom, ...] = ()
    drawing: DrawingPart | UnsetType = UNSET


class ErrorPart(Part, kw_only=True):
    """A mistake in the input; `line`, `column` and `span` are absent where it has no place in the text."""

    code: str
    message: str
    file: str | UnsetType = UNSET
    line: int | UnsetType = UNSET
    column: int | UnsetType = UNSET
    span: Pair | UnsetType = UNSET
    expected: str | UnsetType = UNSET
    help: str | UnsetType = UNSET
    replacement: str | UnsetType = UNSET


class ErrorLine(Part, kw_only=True):
    """What `--json` prints instead of an answer if the input is wrong; `text` is what the terminal shows."""

    file: str
    errors: tuple[ErrorPart, ...]
    text: str


class TaskPart(Part, kw_only=True):
    """The property of an SV-COMP task that was asked about, and the verdict that its description expects.

    `as_expected` is absent where the answer settles nothing, or nothing is expected.
    """

    description: str
    property_file: str
    expected: Literal["holds", "violated"] | UnsetType = UNSET
    subproperty: str | UnsetType = UNSET
    as_expected: bool | UnsetType = UNSET


class AnswerLine(Part, kw_only=True):
    """One answer per file and model. Keys are absent where they make no sense; more may follow.

    There is no `verdict` where nothing was asked (`--property none`). `property` names the violated property,
    or those that were checked, separated by commas. `chosen_by_user` says whether the user gave the bound of
    `holds-within`, which decides the exit code.
    """

    file: str
    task: TaskPart | UnsetType = UNSET
    verdict: Word | UnsetType = UNSET
    guarantee: str
    model: str
    engine: str
    algorithm: str
    property: str
    findings: tuple[FindingPart, ...]
    unchecked: tuple[str, ...]
    flags: tuple[str, ...]
    notes: tuple[str, ...]
    reason: str | UnsetType = UNSET
    bound: str | UnsetType = UNSET
    chosen_by_user: bool | UnsetType = UNSET
    statistics: Counters
    order: Ordering | UnsetType = UNSET
    positive: Count | UnsetType = UNSET
    negative: Count | UnsetType = UNSET
    counted: Literal["reads-from classes"] | UnsetType = UNSET
    outcomes: tuple[Values, ...] | UnsetType = UNSET
    executions: tuple[ListedExecution, ...] | UnsetType = UNSET
    history: HistoryPart | UnsetType = UNSET
    obligation: ObligationPart | UnsetType = UNSET
    discharged: tuple[DischargedPart, ...] = ()
    invariants: str | UnsetType = UNSET
    witness: WitnessPart | ProcessRunPart | UnsetType = UNSET
    drawing: DrawingPart | UnsetType = UNSET
    explanation: ExplanationPart | UnsetType = UNSET


def schema() -> str:
    """The JSON schema of one line: the text of docs/reference/answer.schema.json."""
    import json  # noqa: PLC0415 - for the documentation

    from msgspec.json import schema_components  # noqa: PLC0415

    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "One line of `membar check --json`",
    }
    lines, parts = schema_components((AnswerLine, ErrorLine), ref_template="#/$defs/{name}")
    return json.dumps({**head, "anyOf": list(lines), "$defs": parts}, indent=1) + "\n"
