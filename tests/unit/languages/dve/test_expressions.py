"""Expressions: how they are read, and what they are worth."""

from __future__ import annotations

import pytest

from membar.languages.dve import syntax as x
from unit.languages.dve.texts import check, module, process, whole


def shown(tree: x.Expr) -> str:
    """An expression with all its parentheses."""
    match tree:
        case x.Number(value=value):
            return str(value)
        case x.Variable(name=name, index=index):
            return name if index is None else f"{name}[{shown(index)}]"
        case x.Unary(op=op, operand=operand):
            return f"({op} {shown(operand)})"
        case x.Binary(op=op, left=left, right=right):
            return f"({shown(left)} {op} {shown(right)})"
        case x.InState(process=name, state=state):
            return f"{name}.{state}"
        case x.ProcessVariableReference(process=name, variable=variable):
            return f"{name}->{shown(variable)}"


def read(text: str) -> str:
    tree = module(whole(process(f"guard {text};"))).processes[0].transitions[0].guard
    assert tree is not None
    return shown(tree)


READ = [
    ("1 - 2 - 3", "(1 - (2 + 3))"),
    ("8 / 4 / 2", "((8 / 4) / 2)"),
    ("a or b and c", "((a or b) and c)"),
    ("a and b or c", "((a and b) or c)"),
    ("a || b && c", "((a or b) and c)"),
    ("a | b & c ^ d", "(((a | b) & c) ^ d)"),
    ("a imply b imply c", "((a imply b) imply c)"),
    ("a imply b or c", "(a imply (b or c))"),
    ("a | b or c", "((a | b) or c)"),
    ("a == b | c", "((a == b) | c)"),
    ("a < b == c < d", "((a < b) == (c < d))"),
    ("a == b != c", "((a == b) != c)"),
    ("a << b < c", "((a << b) < c)"),
    ("a + b << c - d", "((a + b) << (c - d))"),
    ("a + b * c", "(a + (b * c))"),
    ("a * b % c", "((a * b) % c)"),
    ("- a * b", "((- a) * b)"),
    ("not a == b", "((not a) == b)"),
    ("not not ~ - a", "(not (not (~ (- a))))"),
    ("a - -1", "(a - (- 1))"),
    ("v[i + 1] + w[v[0]]", "(v[(i + 1)] + w[v[0]])"),
    ("P.a + Q.b == 1", "((P.a + Q.b) == 1)"),
    ("P->x > Q->v[1]", "(P->x > Q->v[1])"),
    ("true and not false", "(1 and (not 0))"),
    ("(a or b) and (c or d)", "((a or b) and (c or d))"),
    ("a /* b // */ c\n*/ + 1 // d\n", "(a + 1)"),
    ("a \\\n + 1", "(a + 1)"),
]


@pytest.mark.parametrize(("text", "expected"), READ)
def test_levels_and_associativity(text: str, expected: str) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("7 % -2", 1),
        ("~0", -1),
        ("not 5", 0),
        ("not 0", 1),
        ("5 and 2", 1),
        ("5 & 2", 0),
        ("0 or 4", 1),
        ("6 ^ 3", 5),
        ("1 << 4", 16),
        ("-16 >> 2", -4),
        ("2 imply 0", 0),
        ("0 imply 0", 1),
        ("300 * 300 - 89999", 1),
        ("-1 < 0", 1),
        ("P.a", 1),
        ("P.b", 0),
        ("K + T[1]", 1),
    ],
)
def test_values(text: str, value: int) -> None:
    constants = "const int K = 2; const int T[2] = {5, -1}; "
    body = f"effect x = ({text}) - ({value});"
    asked = whole(process(body, local="int x;"), system="system async; error P.b and P->x != 0;")
    assert check(constants + asked, "errors", "assertions").verdict == "holds"


@pytest.mark.parametrize("place", ["int", "local"])
@pytest.mark.parametrize(
    ("op", "left", "right", "value"),
    [
        ("/", -7, 2, -3),
        ("%", -7, 2, -1),
        ("-", 3, 5, -2),
        ("*", -3, 5, -15),
        (">>", -16, 2, -4),
        ("<", -1, 0, 1),
        ("<=", 2, 1, 0),
        (">", 0, -1, 1),
        (">=", -2, -1, 0),
        ("and", 2, 4, 1),
        ("or", 0, 2, 1),
        ("imply", 1, 2, 1),
        ("&", 6, 3, 2),
        ("|", 6, 3, 7),
    ],
)
def test_values_of_variables(place: str, op: str, left: int, right: int, value: int) -> None:
    declared = f"int p = {left}, q = {right}; "
    outer, local = (declared, "int x; ") if place == "int" else ("", declared + "int x; ")
    body = f"guard (p {op} q) == {value}; effect x = p {op} q;"
    text = outer + whole(process(body, local=local), system=f"system async; error P.b and P->x == {value};")
    assert check(text, "errors").verdict == "violated"
