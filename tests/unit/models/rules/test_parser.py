"""The text of rules: what is read, and what is refused where."""

from __future__ import annotations

from pathlib import Path

import pytest

from membar.models.load import load
from membar.models.rules.parser import head_comment, parse
from membar.models.rules.syntax import All, Any, Combination, Edges, Operator, Simple
from membar.source import SourceFile
from unit.models.compiled import VOCABULARY
from unit.models.rules.texts import problems


def read(text: str) -> SourceFile:
    return SourceFile("test.rules", text)


def test_arrows_tell_edges_from_paths() -> None:
    next_, succ = parse(read("a = po(W -> R) b = po(W --> R) a empty")).definitions
    assert isinstance(next_.body, Edges)
    assert isinstance(succ.body, Edges)
    assert (next_.body.is_path, succ.body.is_path) == (False, True)


def test_a_chain_of_one_operator_groups_to_the_left() -> None:
    (definition,) = parse(read("a = po \\ rf \\ mo a empty")).definitions
    assert isinstance(definition.body, Combination)
    assert definition.body.operator is Operator.DIFFERENCE
    assert isinstance(definition.body.left, Combination)


def test_a_parenthesis_after_a_definition_begins_a_constraint() -> None:
    specification = parse(read("a = po\n(a acyclic | a empty) & a irreflexive"))
    (constraint,) = specification.constraints
    assert isinstance(constraint, All)
    first, second = constraint.parts
    assert isinstance(first, Any)
    assert isinstance(second, Simple)


def test_the_head_comment_is_the_documentation() -> None:
    assert (
        head_comment(read("// One. Two.\n//\n// Tags: any\n\na = po // no\na empty"))
        == "One. Two.\n\nTags: any"
    )
    assert head_comment(read("a = po\n// later\na empty")) == ""


def test_a_file_of_rules_is_a_model(tmp_path: Path) -> None:
    path = tmp_path / "mine.rules"
    path.write_text('// Mine: nothing at all.\na = F["sync"]\na empty\n', encoding="utf-8")
    found = load(path, vocabulary=VOCABULARY)
    assert (found.name, found.title, sorted(found.tags)) == ("mine", "Mine: nothing at all.", ["sync"])


@pytest.mark.parametrize(
    ("text", "code", "message", "column"),
    [
        ("a = po ? rf", "W0651", "unexpected character `?`", 8),
        ('a = F["x', "W0651", "a string that never ends", 7),
        ("a = po union", "W0652", "unexpected end of input", 13),
        ("a = po union rf intersect mo a empty", "W0652", "`union` and `intersect` without parentheses", 17),
        ("a = po a acyclic & a empty | a empty", "W0652", "unexpected `|`", 28),
        ("a = po(W R) a empty", "W0652", "unexpected `R`", 10),
        ("a = for_each_node R po end a empty", "W0652", "unexpected `po`", 21),
        ("a = po", "W0652", "unexpected end of input", 7),
        ("a = po a cyclic", "W0652", "unexpected `cyclic`", 10),
        ("a empty b = po", "W0652", "unexpected `b`", 9),
        ("a = pox a empty", "W0653", "unknown name `pox`", 5),
        ("b empty", "W0653", "unknown name `b`", 1),
        ("a = po a = rf a empty", "W0654", "`a` is defined twice", 8),
        ("po = rf po empty", "W0654", "`po` is defined twice", 1),
        ("a = F[dmb] a empty", "W0655", "unknown tag `dmb`", 7),
        ("a = F[node] a empty", "W0655", "no current node is called `node` here", 7),
        (
            "a = for_each_node F begin F[node1] end a empty",
            "W0655",
            "no current node is called `node1` here",
            29,
        ),
        ("a = W union po a empty", "W0657", "the right side of `union` is a graph", 13),
        ("a = W(R -> W) a empty", "W0657", "`W` is a set of nodes", 5),
        ("a = po(po -> W) a empty", "W0657", "this is a graph", 8),
        ("a = source(W) a empty", "W0657", "this is a set of nodes", 12),
        ("a = W a acyclic", "W0657", "`a` is a set of nodes", 7),
        ("a = " + "(" * 100 + "po", "W0652", "more than 60 levels of nesting", 65),
    ],
)
def test_what_is_wrong_is_told_where(text: str, code: str, message: str, column: int) -> None:
    (found,) = problems(text)
    assert (found.code, found.message) == (code, message)
    assert found.primary is not None
    assert found.primary.span.column == column
    assert found.primary.text


def test_all_wrong_definitions_are_told_at_once() -> None:
    assert [found.code for found in problems("a = nix b = W union rf c = a union po c empty")] == [
        "W0653",
        "W0657",
    ]


def test_iterations_that_entangle_four_nodes_are_refused() -> None:
    text = (
        "a = for_each_node A begin for_each_node A begin for_each_node A begin "
        "((A \\ source(po(A[node0] -> (A[node1] union (A \\ A[node2]))))) * A) end end end a empty"
    )
    (found,) = problems(text)
    assert found.code == "W0656"
