"""Which names statements assign to."""

from __future__ import annotations

from collections.abc import Iterator

from membar.languages.promela import syntax as p


def assigned_names(module: p.Module) -> frozenset[str]:
    """The names that statements of processes assign to, or receive into."""
    return frozenset(name for process in module.processes for name in _names(process.body))


def _names(statement: p.Statement) -> Iterator[str]:
    match statement:
        case p.Assign(target=target):
            yield target.name
        case p.Receive(patterns=patterns):
            yield from (item.value.name for item in patterns if isinstance(item.value, p.Use))
        case p.Labelled(statement=inner):
            yield from _names(inner)
        case p.Unless(statement=inner, escape=escape):
            yield from _names(inner)
            yield from _names(escape)
        case p.Block(statements=inner_ones):
            for each in inner_ones:
                yield from _names(each)
        case p.Choice(options=options):
            for option in options:
                yield from _names(option)
        case p.For(body=body, target=target) | p.ForEach(body=body, target=target):
            yield target.name
            yield from _names(body)
        case _:
            return
