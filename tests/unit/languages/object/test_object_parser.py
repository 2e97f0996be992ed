"""The object language: what texts mean, and what is wrong with others."""

from __future__ import annotations

import random

import pytest

from membar.diagnostics import InputError
from membar.languages.objects.parser import parse_text
from membar.objects.syntax import (
    Assign,
    Branch,
    ConcurrentObject,
    Fence,
    FenceKind,
    Load,
    Location,
    Return,
    Rmw,
    RmwKind,
    Store,
)
from membar.objects.terms import (
    IDLE,
    At,
    Binary,
    BinaryOp,
    Choice,
    Loaded,
    Number,
    Pending,
    PendingValue,
    Sees,
    Space,
    Variable,
    VariableOwner,
    equals,
)
from membar.source import SourceFile
from strategies.known_objects import COUNTER, LOCK, STACK


def parsed(text: str) -> ConcurrentObject:
    return parse_text(SourceFile("test.obj", f"object test;\n{text}"))


def flow(found: ConcurrentObject) -> list[tuple[str, str, str | None, str | None]]:
    return [(line.label, type(line.action).__name__, line.then, line.otherwise) for _, line in found.lines()]


def test_an_increment_is_a_load_and_a_store() -> None:
    found = parsed("shared c = 3; operation f() { 2: c++; }")
    assert flow(found) == [
        ("2", "Load", "2b", None),
        ("2b", "Store", "f_end", None),
        ("f_end", "Return", None, None),
    ]
    load, store = found.operations[0].lines[0].action, found.operations[0].lines[1].action
    assert load == Load("t1", Location("c"), Binary(BinaryOp.ADD, Loaded(), Number(1)))
    assert store == Store(Location("c"), Variable(Space.LOCAL, "t1", "f"))


def test_loops_and_branches_go_where_they_should() -> None:
    found = parsed(
        "shared x; operation f() { local a;"
        " 1: while (a > 0) { 2: a--; 3: if (a == 5) goto 6; else 4: x = a; }"
        " 5: fence.st; 6: return a; }"
    )
    assert flow(found) == [
        ("1", "Branch", "2", "5"),
        ("2", "Assign", "3", None),
        ("3", "Branch", "6", "4"),
        ("4", "Store", "1", None),
        ("5", "Fence", "6", None),
        ("6", "Return", None, None),
    ]
    assert found.operations[0].lines[4].action == Fence(FenceKind.STORE)
    assert found.operations[0].results == 1


def test_a_condition_with_memory_is_an_access_and_a_branch() -> None:
    found = parsed("shared l; operation f() { 1: do {} while (!cas(l, 1, 0)); await (l == 2); cfence; }")
    assert flow(found) == [
        ("1", "Rmw", "1b", None),
        ("1b", "Branch", "1", "1c"),
        ("1c", "Load", "1d", None),
        ("1d", "Branch", "1c", "1e"),
        ("1e", "Fence", "f_end", None),
        ("f_end", "Return", None, None),
    ]
    assert found.operations[0].lines[0].action == Rmw(
        RmwKind.CAS, Location("l"), (Number(1), Number(0)), "t1"
    )
    assert isinstance(found.operations[0].lines[1].action, Branch)


def test_an_array_is_accessed_at_an_index() -> None:
    found = parsed("shared b[4]; operation f(i) { local r; r = b[i + 1]; b[0] = r; return b[i] + 1; }")
    actions = [line.action for line in found.operations[0].lines]
    index = Binary(BinaryOp.ADD, Variable(Space.LOCAL, "i", "f"), Number(1))
    assert actions[0] == Load("r", Location("b", index), Loaded())
    assert actions[1] == Store(Location("b", Number(0)), Variable(Space.LOCAL, "r", "f"))
    assert actions[3] == Return((Variable(Space.LOCAL, "t1", "f"),))


def test_private_variables_outlive_operations() -> None:
    found = parsed("shared l; private h = 2; operation f() requires h == 2 { h = swap(l, 1); }")
    assert found.private == (("h", 2),)
    assert found.operations[0].requires == Binary(BinaryOp.EQ, Variable(Space.PRIVATE, "h"), Number(2))
    assert found.operations[0].lines[1].action == Assign("h", Variable(Space.LOCAL, "t1", "f"), private=True)


def test_a_specification_is_one_step_with_the_old_state() -> None:
    found = parsed(
        "operation f(a) { return 0; }"
        "specification { state x = 1, y; operation f(b) { await (x > 0); y = x; x = y + b;"
        " if (b > 0) { y = 7; } return x; } }"
    )
    assert found.specification is not None
    (f,) = found.specification.operations
    x, b = Variable(Space.ABSTRACT, "x"), Variable(Space.LOCAL, "b", "f")
    total = Binary(BinaryOp.ADD, x, b)
    assert f.guard == Binary(BinaryOp.GT, x, Number(0))
    assert dict(f.updates) == {
        "x": total,
        "y": Choice(Binary(BinaryOp.GT, b, Number(0)), Number(7), x),
    }
    assert f.results == (total,)


def test_annotations_mean_lines_buffers_and_threads() -> None:
    found = parsed(
        "shared x; operation f(a) { local r; 1: x = a; 2: r = x; 3: return r; }"
        "define busy = at(1..2, idle) && pending(1).value == a;"
        "invariant { at 2, 3: sees(x) == pending(1).a; }"
        "between busy -> !other.busy && other.r != r && other.pending(1);"
        "linearize f at 2 when x == a returning (r);"
    )
    (invariant,) = found.invariants
    assert invariant.lines == frozenset({"2", "3"})
    assert invariant.formula == Binary(BinaryOp.EQ, Sees("x"), PendingValue("1", "a"))
    text = repr(found.between[0].formula)
    assert repr(At(frozenset({"1", "2", IDLE}), VariableOwner.OTHER)) in text or "Who.OTHER" in text
    assert repr(Pending("1", VariableOwner.OTHER)) in text
    assert repr(PendingValue("1", None, VariableOwner.OTHER)) in text
    assert repr(Variable(Space.LOCAL, "r", "f", VariableOwner.OTHER)) in text
    (point,) = found.points
    assert point.when == Binary(BinaryOp.EQ, Loaded(), Variable(Space.LOCAL, "a", "f"))
    assert point.results == (Variable(Space.LOCAL, "r", "f"),)


def test_statements_join_to_the_right_and_comparisons_have_no_chains() -> None:
    found = parsed("operation f(a, b, c) { return (a -> b -> c); }")
    returned = found.operations[0].lines[0].action
    assert isinstance(returned, Return)
    (value,) = returned.results
    assert isinstance(value, Binary)
    assert isinstance(value.right, Binary)
    assert value.right.op is BinaryOp.IMPLIES


STEP = """shared x, b[2]; operation f(k) { local t; 1: t = x; 2: x = 1; return t; }
    operation g() { local u; 3: u = x; }
    specification { state y; operation f(k) { return y; } operation g() {} }
    define here = at(1); define same = y == 0;"""
WRONG = [
    ("shared x; operation f() { x = $; }", "W1301", "unexpected character `$`"),
    ("/* forever", "W1301", "a comment that never ends"),
    ("shared x operation f() {}", "W1302", "unexpected `operation`"),
    ("operation f() { x = 1 < 2 < 3; }", "W1304", "unknown variable `x`"),
    ("operation f() { local a; a = 1 < 2 < 3; }", "W1302", "unexpected `<`"),
    ("operation f() { fence.ld; }", "W1302", "unexpected `ld`"),
    ("shared x, x; operation f() {}", "W1303", "`x` is declared twice"),
    ("operation f() { 1: skip; 1: fence; }", "W1303", "line `1` is declared twice"),
    ("operation f() {} operation f() {}", "W1303", "operation `f` is declared twice"),
    ("shared count; operation f() { conut = 1; }", "W1304", "unknown variable `conut`"),
    ("operation f() { goto 9; }", "W1305", "unknown line `9`"),
    ("operation f() { 1: fence; } invariant at 2: true;", "W1305", "unknown line `2`"),
    (
        "operation f() { 1: fence; 2: fence; } invariant at 2..1: true;",
        "W1305",
        "a range of lines in reverse",
    ),
    ("shared x, y; operation f() { local r; r = x + y; }", "W1306", "two accesses to shared memory"),
    ("shared b[2], x; operation f() { local r; r = b[x]; }", "W1306", "the index of an array cannot read"),
    ("shared x; operation f() { local r; r = x[1]; }", "W1307", "`x` is not an array"),
    ("operation f() { 1: fence; } invariant other.at(1);", "W1307", "`other` outside `between`"),
    ("operation f() { 1: fence; } invariant pending(idle);", "W1307", "`idle` is not a line"),
    (
        "operation f() { } specification { state y; operation f() {} } invariant y == 0;",
        "W1307",
        "`y` belongs",
    ),
    ("shared x; operation f() { cas(x, 1); }", "W1308", "`cas` takes a shared variable and 2 values"),
    ("operation f(a) { if (a) return 1; return; }", "W1308", "this returns 0 values"),
    ("operation f(a) { } specification { operation f() {} }", "W1308", "`f` has 1 parameters, not 0"),
    ("operation f() { } specification { operation f() { return 1; } }", "W1308", "`f` returns 0 values"),
    ("shared b[100]; operation f() {}", "W1309", "an array of 100 elements"),
    ("operation f() { local a; a = a % a; }", "W1310", "`%` by something that is not a positive number"),
    ("operation f() { local a; a = " + "(" * 80 + "1" + ")" * 80 + "; }", "W1311", "nested too deeply"),
    ("operation f() { local a; a = " + "a + " * 200 + "1; }", "W1311", "too many parts"),
    (
        "operation f(a) { } define d0 = f.a == 0;"
        + "".join(f"define d{n + 1} = d{n} && d{n};" for n in range(40)),
        "W1311",
        "too large after expanding its definitions",
    ),
    (
        "operation f() { } specification { state y; operation f() {" + "y = y + y;" * 40 + "} }",
        "W1311",
        "too large after expanding its definitions",
    ),
    ("operation f() { 1: goto 2; 2: goto 1; }", "W1312", "a loop without a step"),
    ("operation f(v) { 1: v = 0; }", "W1320", "an assignment to the parameter `v`"),
    ("shared x; operation f(v) { 1: v = cas(x, 0, 1); }", "W1320", "an assignment to the parameter `v`"),
    ("operation f(v) { 1: v++; }", "W1320", "an assignment to the parameter `v`"),
    ("shared x;", "W1313", "an object without operations"),
    ("operation f() {} specification { }", "W1313", "operation `f` is not specified"),
    ("shared x; operation f() { 1: x = 1; } linearize f at 1 when x == 0;", "W1307", "`when` of a line"),
    ("operation f(a) {} abstraction a == 0;", "W1307", "`abstraction` cannot mention threads"),
    ("shared x; operation f() {} between x == 0;", "W1307", "`between` cannot mention memory"),
    ("shared x; operation f() { 1: x = 1; } invariant ahead(1, idle);", "W1307", "`idle` is not a line"),
    ("shared x; operation f() { 1: x = 1; } invariant newest(1);", "W1302", "unexpected `;`"),
    ("shared x; operation f() { 1: x = 1; } invariant newest(1).v == 0;", "W1304", "unknown parameter `v`"),
    ("shared x; operation f() { 1: x = 1; } invariant deferred(1).v == 0;", "W1304", "unknown parameter `v`"),
    (
        "shared x; operation f() { 1: x = 1; } invariant forall s in pending(1): s.v == 0;",
        "W1304",
        "unknown parameter `v`",
    ),
    (
        "shared x; operation f() { 1: x = 1; return 1; } invariant deferred(1).result9 == 0;",
        "W1308",
        "no operation returns a `result9`",
    ),
    (
        "shared x; operation f() { 1: x = 1; return 1; } invariant linearized.result0 == 0;",
        "W1308",
        "no operation returns a `result0`",
    ),
    ("shared x; operation f() { 1: x = 1; } invariant forall s in pending(1): s;", "W1302", "unexpected `;`"),
    (
        "shared x; operation f() { 1: x = 1; } invariant forall f in pending(1): true;",
        "W1303",
        "`f` is already",
    ),
    (
        "shared x; operation f() { 1: x = 1; }"
        " invariant forall s in pending(1): forall t in pending(1): true;",
        "W1307",
        "`forall` inside `forall`",
    ),
    (
        "shared x; operation f() { 1: x = 1; } invariant forall s in other.pending(1): true;",
        "W1307",
        "`other` outside `between`",
    ),
    (
        "shared x; operation f() { 1: x = 1; } abstraction forall s in pending(1): true;",
        "W1307",
        "`abstraction` cannot mention threads",
    ),
    ("shared x; operation f() {} between sees(x) == 0;", "W1307", "`between` cannot mention memory"),
    ("operation f(a) {} operation g(a) {} invariant a == 0;", "W1304", "`a` is a variable of several"),
    ("shared x = " + "9" * 5000 + "; operation f() {}", "W1319", "a number of 5000 digits"),
    ("operation f() { local a; a = " + "9" * 5000 + "; }", "W1319", "a number of 5000 digits"),
    *(
        (f"{STEP} linearize f at 1 {word};", "W1307", f"`{word.partition(' ')[0]}` cannot mention `{what}`")
        for word, what in (
            ("when sees(x) == 0", "sees(x)"),
            ("when linearized", "linearized"),
            ("when at(2)", "at(2)"),
            ("when pending(2)", "pending(2)"),
            ("when pending(2).value == 0", "pending(2).value"),
            ("when deferred(2)", "deferred(2)"),
            ("when deferred(2).result1 == 1", "deferred(2).result1"),
            ("when here", "at(1)"),
            ("returning (sees(x))", "sees(x)"),
            ("returning (linearized)", "linearized"),
            ("returning (pending(2).value)", "pending(2).value"),
        )
    ),
    (f"{STEP} linearize f at 1 when b[f.k] == 0;", "W1307", "`when` cannot mention an element of `b`"),
    (f"{STEP} linearize f at 1 returning (b[0]);", "W1307", "`returning` cannot mention an element of `b`"),
    (f"{STEP} linearize f at 1 when g.u == 0;", "W1307", "`g.u` is not a variable of `f`"),
    (f"{STEP} linearize f at 1 when same;", "W1307", "`y` belongs to the specification"),
]


def test_the_name_of_what_a_line_loads_is_the_loaded_value() -> None:
    about = parsed(
        "shared x, b[2]; define zero = x == 0; operation f(j) { local t; 1: t = b[j]; 2: t = x; }"
        "linearize f at 1 when b[j] == 0; linearize f at 2 when zero;"
    )
    assert [each.when for each in about.points] == [equals(Loaded(), Number(0))] * 2


@pytest.mark.parametrize(("text", "code", "message"), WRONG)
def test_a_wrong_text_is_refused_at_its_place(text: str, code: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parsed(text)
    first = caught.value.diagnostics[0]
    assert first.code == code
    assert message in first.message
    assert first.primary is not None


def test_every_declaration_tells_its_own_problem() -> None:
    with pytest.raises(InputError) as caught:
        parsed("shared x; operation f() { y = 1; } operation g() { z = 1; } invariant w == 0;")
    assert [each.code for each in caught.value.diagnostics] == ["W1304", "W1304", "W1304"]


def test_what_follows_from_a_problem_is_not_told() -> None:
    text = """shared x; operation f() { local t; 1: x = nothing; 2: return t; }
        specification { state y; operation f() { return y; } }
        abstraction x == y; linearize f at 1; invariant at 1, 2: f.t == 0; between at(f) -> other.x == 0;"""
    with pytest.raises(InputError) as caught:
        parsed(text)
    assert [each.message for each in caught.value.diagnostics] == ["unknown variable `nothing`"]


def test_operations_of_a_wrong_specification_are_not_taken_for_code() -> None:
    with pytest.raises(InputError) as caught:
        parsed(
            "operation f() {} operation g() {} invariant z == 0;"
            "specification { operation f() { y = 1; } operation g() {} } invariant w == 0;"
        )
    assert [each.code for each in caught.value.diagnostics] == ["W1304"] * 3


def test_mutated_texts_are_read_or_refused() -> None:
    rng = random.Random(7)
    texts = (COUNTER, LOCK, STACK)
    refused = 0
    for _ in range(400):
        text = rng.choice(texts)
        for _ in range(rng.randint(1, 3)):
            start = rng.randrange(len(text))
            end = min(len(text), start + rng.randint(0, 6))
            piece = rng.choice(
                (text[end : end + 5], "", "(", ")", "}", ";", "at ", "other.", "0", "$", "->", "1: ")
            )
            text = text[:start] + piece + text[end:]
        try:
            parse_text(SourceFile("mutated.obj", text))
        except InputError:
            refused += 1
    assert refused > 200
