"""The result of a search, before it is judged."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from membar.questions.outcome import FinalState, Statistics, Witness
from membar.records import field, record
from membar.source import Span

if TYPE_CHECKING:
    from membar.properties.final_state import Ending

# Ends the unit of what was enumerated where no length of store buffers was left out.
ANY_LENGTH = " (store buffers of any length)"


@record(slots=True, kw_only=True)
class Tally:
    """What an engine found: plain data that any engine can fill.

    Attributes:
        engine: its name.
        algorithm: what it did, in a few words.
        looked_for: the properties it is able to check, for this program.
        unit: what was enumerated: "executions" or "states".
        outcomes: final states of the complete executions that pass the condition's filter.
        lists_outcomes: whether these are all that were reached.
        comes_to_an_end: whether some run ends: with all threads, or where each may stay; True if the engine
            does not say.
        positive: how many of those executions satisfy the condition's formula.
        negative: how many do not.
        positive_witness: the first that does.
        negative_witness: the first that does not.
        failed_assertion: an execution in which an assertion fails.
        race: an execution with a data race.
        allocation: an execution with an access to memory whose allocation does not happen before it, or that
            may come after its end.
        misuse: an execution in which locks or critical sections are not used as the model demands.
        error: a run into a state that must not be reached.
        lasso: a run for which one of the program's claims is false.
        deadlock: a run into a deadlock.
        stuck: an execution in which a thread waits forever.
        unrolls: whether loops are unrolled: unless some were cut, or threads wait in them, all have ended.
        awaits: whether iterations that only wait ended the run of their thread.
        waiting: where threads that wait look first.
        cut: where loops end that were cut.
        blocked_when_cut: where threads are blocked in an execution of which a loop was cut, if there is one.
        unexplored: what is not followed at all, because the language did not write it out, and where.
        flags: flags the model raised.
        loops_cut: the loop bound, if it cut some run.
        buffers_held: the store-buffer bound, if it ever held a store back.
        unfit: that some step never happens because its stores fit into no buffer, as a sentence.
        limit: the limit that was hit, as a sentence.
        stopped: whether that limit is only that the search ends with the first violation.
        kept: every execution, where all were asked for; those that fail or were truncated say so.
        notes: what else the user must know.
        statistics: counters.
    """

    engine: str
    algorithm: str
    looked_for: frozenset[str]
    unit: str = "executions"
    outcomes: set[FinalState] = field(default_factory=set)
    lists_outcomes: bool = True
    comes_to_an_end: bool = True
    positive: int = 0
    negative: int = 0
    positive_witness: Witness | None = None
    negative_witness: Witness | None = None
    failed_assertion: Witness | None = None
    race: Witness | None = None
    allocation: Witness | None = None
    misuse: Witness | None = None
    error: Witness | None = None
    lasso: Witness | None = None
    deadlock: Witness | None = None
    stuck: Witness | None = None
    unrolls: bool = False
    awaits: bool = False
    waiting: set[Span] = field(default_factory=set)
    cut: set[Span] = field(default_factory=set)
    blocked_when_cut: set[Span] | None = None
    unexplored: dict[str, set[Span]] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    loops_cut: int | None = None
    buffers_held: int | None = None
    unfit: str | None = None
    limit: str | None = None
    stopped: bool = False
    kept: list[Witness] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    statistics: Statistics = field(default_factory=Statistics)

    def take_ending(self, ending: Ending, show: Callable[[], Witness], count: int = 1) -> None:
        """Counts executions that end so; the first that satisfies the condition, or does not, is kept."""
        self.outcomes.add(ending.shown)
        if ending.satisfies:
            self.positive += count
            self.positive_witness = self.positive_witness or show()
        else:
            self.negative += count
            self.negative_witness = self.negative_witness or show()


def gap_of(tally: Tally) -> str | None:
    """Why not even everything within the bounds was explored, or the bounds are too narrow.

    A bound that keeps a step from ever happening leaves out runs without any waiting store: what is left may
    be next to nothing, and every claim about fair runs is then true of it. So it is where every execution
    comes to something that is not followed at all; one that a loop bound truncates is explored up to there.
    """
    return tally.limit or tally.unfit or _no_complete_execution_reason(tally)


def _no_complete_execution_reason(tally: Tally) -> str | None:
    """The reason, if no execution was explored to its end or to a loop bound."""
    is_explored = tally.deadlock is not None or tally.stuck is not None or tally.loops_cut is not None
    is_empty = has_no_complete_execution(tally) or not tally.comes_to_an_end
    if is_explored or not tally.unexplored or not is_empty:
        return None
    causes = (at_lines(what, spans) for what, spans in sorted(tally.unexplored.items()))
    return f"every execution reaches something that is not explored: {' or '.join(causes)}"


def at_lines(what: str, spans: set[Span]) -> str:
    """The words and, where they are known, the lines: `deeper recursion (line 3)`."""
    return f"{what} ({lines_of(spans)})" if spans else what


def lines_of(spans: set[Span]) -> str:
    """Their locations: `lines 3, 5`, and `ring.h:20` in other files."""
    lines = sorted({span.line for span in spans if not span.file})
    own = [f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"] if lines else []
    elsewhere = sorted({(span.file, span.line) for span in spans if span.file})
    return ", ".join([*own, *(f"{name}:{line}" for name, line in elsewhere)])


def has_no_complete_execution(tally: Tally) -> bool:
    """Whether a search for executions found none that terminates; other searches do not say."""
    return 0 in (tally.statistics.executions, tally.statistics.classes)


def bound_of(tally: Tally) -> str | None:
    """The bounds that truncated the search, in words; None if nothing was truncated."""
    parts = []
    if tally.loops_cut is not None:
        parts.append(f"loops unrolled {_times(tally.loops_cut)}")
    parts += [f"without {what}" for what in sorted(tally.unexplored)]
    if tally.buffers_held is not None:
        entries = "entry" if tally.buffers_held == 1 else "entries"
        parts.append(f"store buffers of at most {tally.buffers_held} {entries}")
    return " and ".join(parts) or None


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
