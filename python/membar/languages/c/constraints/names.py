"""What names mean, block by block, and what is wrong with the text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

from pycparser import c_ast as ast

from membar.diagnostics import Diagnostic, InputError, Label, close_matches
from membar.languages.c.constraints.kinds import Kind
from membar.languages.c.parse import Tree

MOST_FINDINGS: Final = 20


@dataclass(slots=True)
class Meaning:
    """What a name stands for.

    Attributes:
        is_defined: it has a body, or an initial value.
        number: of an enumerator, or of a constant whose value is known.
        has_fixed_address: it is there from the beginning, so that its address is a constant.
    """

    what: Literal["variable", "function", "type", "enumerator"]
    kind: Kind
    storage: tuple[str, ...] = ()
    is_defined: bool = False
    number: int | None = None
    has_fixed_address: bool = False


@dataclass(slots=True)
class Block:
    """The names and tags of one block."""

    names: dict[str, Meaning] = field(default_factory=dict)
    tags: dict[str, Kind] = field(default_factory=dict)


class Names:
    """The blocks that are open, and the findings so far."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self.blocks = [Block()]
        self.findings: list[Diagnostic] = []

    @property
    def is_outside(self) -> bool:
        """Whether no function is open."""
        return len(self.blocks) == 1

    @property
    def here(self) -> Block:
        """The innermost block."""
        return self.blocks[-1]

    def find(self, name: str) -> Meaning | None:
        """What a name means here."""
        return next((block.names[name] for block in reversed(self.blocks) if name in block.names), None)

    def find_tag(self, tag: str) -> Kind | None:
        """The type with a tag."""
        return next((block.tags[tag] for block in reversed(self.blocks) if tag in block.tags), None)

    def is_written(self, node: ast.Node, word: str) -> bool:
        """Whether a node stands for a word of the text, and is not made up by the parser."""
        return self._tree.says(node, word)

    def report(
        self,
        node: ast.Node,
        message: str,
        code: str,
        expected: str = "",
        help: str | None = None,  # noqa: A002 - the word users see
    ) -> None:
        """Remembers that something is wrong.

        Raises:
            InputError: that is enough.
        """
        label = Label(self._tree.span(node), expected)
        self.findings.append(Diagnostic(code=code, message=message, primary=label, help=help))
        if len(self.findings) >= MOST_FINDINGS:
            raise InputError(*self.findings)

    def close_to(self, name: str, others: tuple[str, ...] = ()) -> str | None:
        """A name that was perhaps meant, as a question."""
        known = sorted({name for block in self.blocks for name in block.names} | set(others))
        found = close_matches(name, known, n=1)
        return f"did you mean `{found[0]}`?" if found else None
