"""Mutants of Python functions: one small change each, found in the syntax tree, addressed by qualified name.

A mutant is put into the running program by giving the function new code, so that everybody who imported it
gets the change. Nothing is written to a file, and no text of the program is quoted anywhere.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_FUNCTIONS = {"any": "all", "all": "any", "min": "max", "max": "min"}


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change inside a function of a module."""

    module: str
    function: str
    line: int
    before: str
    after: str
    number: int

    @property
    def name(self) -> str:
        """Where it is, and what it changes."""
        return f"{self.module}:{self.function} line {self.line}: `{self.before}` becomes `{self.after}`"


@dataclass(frozen=True, slots=True)
class _Change:
    """A place of the tree, what it says, and how to change it."""

    node: ast.AST
    before: str
    after: str
    make: Callable[[], None]


def mutants(module: str, text: str) -> Iterator[Mutant]:
    """All mutants of the functions in a module's text."""
    for number, (function, change) in enumerate(_all_changes(ast.parse(text))):
        yield Mutant(
            module,
            function,
            getattr(change.node, "lineno", 0),
            _short(change.before),
            _short(change.after),
            number,
        )


def mutated_code(text: str, filename: str, mutant: Mutant) -> CodeType:
    """The code of the mutant's function, compiled with the change in it."""
    tree = ast.parse(text)
    for number, (_, change) in enumerate(_all_changes(tree)):
        if number == mutant.number:
            change.make()
            break
    whole = compile(ast.fix_missing_locations(tree), filename, "exec")
    return next(code for code in _inner(whole) if code.co_qualname == mutant.function)


def install(module: ModuleType, mutant: Mutant) -> None:
    """Puts a mutant into a module that is already imported."""
    path = Path(str(module.__file__))
    function = function_at(module, mutant.function)
    assert function is not None, mutant.name
    function.__code__ = mutated_code(path.read_text(encoding="utf-8"), str(path), mutant)


def function_at(module: ModuleType, qualified: str) -> FunctionType | None:
    """The function of a qualified name, below its decorators; None if a decorator hides it."""
    found: object = module
    for part in qualified.split("."):
        found = vars(found).get(part) if isinstance(found, ModuleType | type) else None
    for _ in range(8):
        if isinstance(found, FunctionType) and found.__qualname__ == qualified:
            return found if not hasattr(found, "__wrapped__") else _unwrapped(found, qualified)
        found = _below(found)
    return None


def _unwrapped(function: FunctionType, qualified: str) -> FunctionType | None:
    inner = function.__wrapped__ if hasattr(function, "__wrapped__") else function
    return inner if isinstance(inner, FunctionType) and inner.__qualname__ == qualified else None


def _below(found: object) -> object:
    """What a decorator, property, class method or static method holds."""
    if isinstance(found, property):
        return found.fget
    if isinstance(found, cached_property):
        return found.func
    return getattr(found, "__wrapped__", None)


def _inner(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _inner(constant)


def _all_changes(tree: ast.Module) -> Iterator[tuple[str, _Change]]:
    for function, node in _functions(tree.body, ""):
        for statement in _without_docstring(node.body):
            for change in _changes(statement):
                yield function, change


def _functions(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions of a module and methods of its classes; what stands inside a function belongs to it."""
    for node in body:
        match node:
            case ast.FunctionDef(name=name):
                yield f"{prefix}{name}", node
            case ast.ClassDef(name=name, body=inner):
                yield from _functions(inner, f"{prefix}{name}.")
            case _:
                pass


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    match body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            return rest
        case _:
            return body


def _changes(node: ast.AST) -> Iterator[_Change]:
    """The changes of a node and of what is in it. Texts, annotations and what is raised stay as they are."""
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Assert | ast.Global | ast.Nonlocal):
        return
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        inner: list[ast.AST] = (
            [node.body] if isinstance(node, ast.Lambda) else [*_without_docstring(node.body)]
        )
        for child in inner:
            yield from _changes(child)
        return
    yield from _own(node)
    for field, value in ast.iter_fields(node):
        if field in {"annotation", "returns", "decorator_list"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _changes(child)


def _own(node: ast.AST) -> Iterator[_Change]:
    """The changes of a node itself."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in _COMPARISONS:
            yield _set(node, "ops", [_COMPARISONS[type(op)]()])
        case ast.BinOp(op=op) if type(op) in _OPERATORS:
            yield _set(node, "op", _OPERATORS[type(op)]())
        case ast.AugAssign(op=op) if type(op) in _OPERATORS:
            yield _set(node, "op", _OPERATORS[type(op)]())
        case ast.BoolOp(op=op, values=values):
            yield _set(node, "op", ast.Or() if isinstance(op, ast.And) else ast.And())
            for left_out in range(len(values)):
                yield _set(node, "values", values[:left_out] + values[left_out + 1 :])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield _set(node, "operand", ast.UnaryOp(ast.Not(), operand))
        case ast.Constant(value=bool() as value):
            yield _set(node, "value", not value)
        case ast.Constant(value=int() as value):
            yield _set(node, "value", value + 1)
        case ast.Call(func=ast.Name(id=name)) if name in _FUNCTIONS:
            yield _set(node, "func", ast.Name(_FUNCTIONS[name], ast.Load()))
        case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
            if not isinstance(test, ast.Compare | ast.UnaryOp | ast.BoolOp):
                yield _set(node, "test", ast.UnaryOp(ast.Not(), test))
        case ast.comprehension(ifs=[_, *_]):
            yield _set(node, "ifs", [])
        case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom()):
            # A generator stays one: `yield from ()` does nothing.
            is_call = isinstance(node.value, ast.Call)
            nothing: ast.expr = ast.Constant(None) if is_call else ast.YieldFrom(ast.Tuple([], ast.Load()))
            yield _set(node, "value", nothing)
        case ast.For(body=[*_]):
            yield _set(node, "iter", ast.Tuple([], ast.Load()))
        case ast.Slice(lower=None, upper=None):
            return
        case ast.Slice(lower=lower, upper=upper):
            for field, end in (("lower", lower), ("upper", upper)):
                if end is not None:
                    yield _set(node, field, None)
        case _:
            return


def _set(node: ast.AST, field: str, value: object) -> _Change:
    """The change that gives a field of a node another value."""
    changed = deepcopy(node)
    setattr(changed, field, value)
    return _Change(node, _text(node), _text(changed), lambda: setattr(node, field, value))


def _text(node: ast.AST) -> str:
    text = ast.unparse(ast.fix_missing_locations(node)).strip()
    return text if text and text != "None" else "nothing"


def _short(text: str, most: int = 60) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
