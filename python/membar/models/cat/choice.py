"""`with x from S`: choices that membar makes itself when it builds executions.

A model may let the tool choose one member of a set of relations, with one execution for each choice.
membar's executions already differ in reads-from and coherence, so a choice is supported if it is one of
these:

- orders of writes (`Orders`): coherence, restricted to the writes in question;
- one write for each read of some kind (`ChoiceRelations`): reads-from;
- a set with a single member: that member.
"""

from __future__ import annotations

from collections.abc import Collection

from membar.diagnostics import InputError, error
from membar.models.cat.events import Events
from membar.models.cat.graph import Node
from membar.models.cat.values import ChoiceRelations, Listed, Orders, Value, describe
from membar.models.plan import Op, Sort
from membar.records import record
from membar.source import Span

# Tags that only writes, or only reads, carry.
_WRITES = frozenset({"IW", "FW", "LKW", "UL"})
_READS = frozenset({"LKR", "LF", "RL", "RU"})


@record(frozen=True, slots=True)
class Choice:
    """The value of the name, and what must be empty in an execution that made this choice."""

    relation: Node
    excluded: tuple[Node, ...] = ()
    is_order: bool = False


def choice_from(choices: Value, span: Span, events: Events, *, known: Collection[Node]) -> Choice:
    """The meaning of `with x from choices`.

    Args:
        choices: the value of the set.
        span: where it stands.
        events: what names stand for.
        known: relations that every coherence order contains.

    Raises:
        InputError: no choice that membar makes.
    """
    match choices:
        case Listed((Node(sort=Sort.RELATION | None) as only,)):
            return Choice(only)
        case Orders(chain) if chain.op is Op.EMPTY:
            return Choice(events.graph.empty(Sort.RELATION))
        case Orders(chain, base) if _within(chain, events.primitive("W"), _WRITES):
            return _coherence_choice(chain, base, events, known)
        case ChoiceRelations(reads, pairs) if _within(
            reads, events.primitive("R"), _READS
        ) and _same_location(pairs, events):
            return _reads_from(reads, pairs, events)
        case _:
            raise _unsupported_choice(choices, span)


def _coherence_choice(chain: Node, base: Node, events: Events, known: Collection[Node]) -> Choice:
    graph = events.graph
    square = graph.apply(Op.PRODUCT, Sort.RELATION, (chain, chain))
    co = events.primitive("co")
    order = (
        co if chain is events.primitive("W") else graph.apply(Op.INTERSECTION, Sort.RELATION, (co, square))
    )
    if base in known or base.op is Op.EMPTY:
        return Choice(order, is_order=True)
    near = graph.apply(Op.INTERSECTION, Sort.RELATION, (events.primitive("loc"), square))
    wanted = graph.apply(Op.INTERSECTION, Sort.RELATION, (base, near))
    rest = graph.apply(Op.DIFFERENCE, Sort.RELATION, (wanted, order))
    return Choice(order, () if rest.op is Op.EMPTY else (rest,), is_order=True)


def _reads_from(reads: Node, pairs: Node, events: Events) -> Choice:
    graph = events.graph
    rf = events.primitive("rf")
    relation = graph.apply(Op.INTERSECTION, Sort.RELATION, (pairs, rf))
    served = graph.apply(Op.RANGE, Sort.SET, (relation,))
    return Choice(relation, (graph.apply(Op.DIFFERENCE, Sort.SET, (reads, served)),))


def _within(node: Node, whole: Node, tags: frozenset[str]) -> bool:
    """Whether a set can only have members of `whole` or events with one of `tags`."""
    if node is whole or node.op is Op.EMPTY:
        return True
    match node.op:
        case Op.PRIMITIVE:
            return node.name in tags
        case Op.INTERSECTION:
            return any(_within(arg, whole, tags) for arg in node.args)
        case Op.UNION:
            return all(_within(arg, whole, tags) for arg in node.args)
        case Op.DIFFERENCE:
            return _within(node.args[0], whole, tags)
        case _:
            return False


def _same_location(pairs: Node, events: Events) -> bool:
    """Whether all pairs are accesses of one location."""
    match pairs.op:
        case Op.EMPTY:
            return True
        case Op.PRIMITIVE:
            return pairs is events.primitive("loc")
        case Op.INTERSECTION:
            return any(_same_location(arg, events) for arg in pairs.args)
        case Op.UNION:
            return all(_same_location(arg, events) for arg in pairs.args)
        case Op.DIFFERENCE:
            return _same_location(pairs.args[0], events)
        case _:
            return False


def _unsupported_choice(choices: Value, span: Span) -> InputError:
    match choices:
        case Orders():
            what = "a choice of an order over events that are not all writes"
        case ChoiceRelations():
            what = "a choice of pairs that are not a write and a read of its location"
        case Listed(items):
            what = f"a choice among {len(items)} relations"
        case _:
            what = f"a choice from {describe(choices)}"
    return error(
        "W0205",
        f"{what} is not supported",
        span,
        "chosen here",
        help="membar chooses coherence (`generate_cos`, `generate_orders` of writes) and reads-from; "
        "remove this line and use `co` and `rf`",
    )
