"""Whatever the text, the answer is a located error or a plan, and the plan means what the text says."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

import tiers
from membar.diagnostics import InputError
from membar.models.cat import syntax as cat
from membar.models.cat.lexer import KEYWORDS, SYMBOLS
from membar.models.cat.parser import parse
from membar.models.evaluate import relation
from membar.models.plan import Op, Plan
from unit.models import interpreter
from unit.models.compiled import plan, source
from unit.models.randomly import executions

WORDS = (
    *KEYWORDS, *SYMBOLS, "x", "y", "f", "po", "rf", "co", "W", "A", "*", "^-1", '"v"', '"cos.cat"', "domain",
    "'once", "tag2events", "fencerel", "generate_cos", "(*", "*)", "forall", "@", '"',
)  # fmt: skip
LEAVES = ("po", "rf", "co", "fr", "0", "id", "[W]", "[R]", "(R * W)", "loc")
FORMS = (
    "({} | {})", "({} | {})", "({} ; {})", "({} ; {})", "({} & {})", "({} \\ {})", "({})+", "({})*", "({})?",
    "({})^-1", "[domain({})]", "[range({})]", "noid({})", "(~({}))", "(let rec q = {} | (q ; {}) in q)",
    "(let rec q = ({} ; q) | {} in q ; q)", "(let h(z) = z ; {} in h({}))",
)  # fmt: skip


def errors(text: str) -> set[str]:
    """The codes of what is wrong with a model; every diagnostic has a place."""
    try:
        plan(text)
    except InputError as problem:
        return {item.code if item.primary is not None else "without a place" for item in problem.diagnostics}
    return set()


@settings(max_examples=tiers.size(150), deadline=None)
@given(st.lists(st.sampled_from(WORDS), max_size=12))
def test_any_words(words: list[str]) -> None:
    assert "without a place" not in errors("let x = " + " ".join(words))


@st.composite
def expressions(draw: st.DrawFn, names: tuple[str, ...], depth: int) -> str:
    """Text of a relation."""
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from([*names, *names, *LEAVES]))
    form = draw(st.sampled_from(FORMS))
    # Names of the surrounding recursion may occur inside an inner one, and the other way round.
    inner = (*names, "q") if "let rec q" in form else names
    parts = [draw(expressions(inner, depth - 1)) for _ in range(form.count("{}"))]
    return form.format(*parts)


@st.composite
def models(draw: st.DrawFn) -> str:
    """Three definitions, some of them recursive."""
    names: tuple[str, ...] = ()
    lines: list[str] = []
    for name in ("a", "b", "c"):
        recursive = draw(st.booleans())
        scope = (*names, name, name) if recursive else names
        lines.append(f"let {'rec ' if recursive else ''}{name} = {draw(expressions(scope, 3))}")
        names = (*names, name)
    return "\n".join(lines)


@settings(max_examples=tiers.size(80), deadline=None)
@given(text=models(), data=st.data())
def test_any_model_means_what_it_says(text: str, data: st.DataObject) -> None:
    codes = errors(text)
    assert codes <= {"W0212"}  # recursion through a complement
    if codes:
        return
    model = plan(text)
    assert_well_formed(model)
    execution = data.draw(executions())
    scope = interpreter.base(execution)
    for statement in parse(source(text)).statements:
        assert isinstance(statement, cat.Define)
        (binding,) = statement.bindings
        name = binding.target.names[0]
        scope[name] = interpreter.define(binding, scope, is_recursive=statement.is_recursive)
        assert relation(model, execution, name) == scope[name]


def assert_well_formed(model: Plan) -> None:
    """Arguments come before their use, and variables are where their fixpoints say."""
    for slot, item in enumerate(model.instructions):
        assert all(arg < slot for arg in item.args)
    variables = {variable for fixpoint in model.fixpoints for variable in fixpoint.variables}
    assert variables == {slot for slot, item in enumerate(model.instructions) if item.op is Op.VARIABLE}
    for fixpoint in model.fixpoints:
        assert all(fixpoint.first <= variable <= fixpoint.last for variable in fixpoint.variables)
        assert all(result <= fixpoint.last for result in fixpoint.results)
