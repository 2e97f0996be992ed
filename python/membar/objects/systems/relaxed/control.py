"""Control states of a thread that executes out of order: its operations, and the lines left of each."""

from __future__ import annotations

import enum

from membar.objects.terms import Space, Term, Variable, replace_subterms
from membar.records import record, replace


class Done(enum.Enum):
    """Whether an operation has taken effect."""

    NO = "has not taken effect"
    YES = "has taken effect"


@record(frozen=True, slots=True)
class Instance:
    """A run of an operation."""

    operation: str
    done: Done = Done.NO
    returned: bool = False


@record(frozen=True, slots=True)
class Item:
    """A line that has been issued and not executed; a branch may be predicted."""

    instance: int
    line: str
    guess: bool | None = None


@record(frozen=True, slots=True)
class Control:
    """The operations that have not finished, oldest first, and their remaining lines, in program order."""

    instances: tuple[Instance, ...] = ()
    items: tuple[Item, ...] = ()


@record(frozen=True, slots=True)
class Rules:
    """What distinguishes the models.

    Attributes:
        speculates: loads after a branch may be done before it.
        eliminates: a store may be dropped where a later one to its location can be done instead.
    """

    speculates: bool
    eliminates: bool = False


def describe(control: Control) -> str:
    """A control state in words."""
    if not control.instances:
        return "between operations, with nothing pending"
    texts = []
    for number, instance in enumerate(control.instances):
        left = [
            f"{item.line}{'' if item.guess is None else ' (guessed)'}"
            for item in control.items
            if item.instance == number
        ]
        text = f"{instance.operation}, labels left: {', '.join(left) or 'none'}"
        text += "; returned" if instance.returned else ""
        text += f"; {instance.done.value}" if instance.done is Done.YES else ""
        texts.append(text)
    return " | ".join(texts)


def owner(number: int, operation: str) -> str:
    """Who has the local variables of the instance with this number."""
    return f"{number}:{operation}"


def for_instance(term: Term, name: str) -> Term:
    """A term of an operation about the variables of an instance."""

    def change(part: Term) -> Term | None:
        if isinstance(part, Variable) and part.space is Space.LOCAL:
            return replace(part, operation=name)
        return None

    return replace_subterms(term, change)


def owner_of(control: Control, item: Item) -> str:
    """Who has the local variables of a line that is left."""
    return owner(item.instance, control.instances[item.instance].operation)


def own(term: Term, control: Control, item: Item) -> Term:
    """A term of a remaining line, about the variables of its instance."""
    return for_instance(term, owner_of(control, item))
