"""One module for all values of a number: several modules that differ only in constants a·N + b.

The number itself becomes the result of `__membar_number`. Sizes of objects and counts of elements stay those
of the last module: who makes programs of the modules compares these again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from membar.code import ir
from membar.code.lowering.refusal import NotSupportedError
from membar.code.primitives import PREFIX
from membar.records import field_names, is_record, record, replace

NUMBER = ir.FunctionAddress(f"{PREFIX}number")
# Numbers that may depend on it and stay: other numbers give other checks.
_KEPT = frozenset({"count", "size"})


@record(frozen=True, slots=True)
class Linear:
    """factor · N + offset."""

    factor: int
    offset: int


def linear(numbers: Sequence[int], values: Sequence[int]) -> Linear | None:
    """The line through all values; None if there is none."""
    (first, second), (one, other) = numbers[:2], values[:2]
    factor, rest = divmod(other - one, second - first)
    found = Linear(factor, one - factor * first)
    fits = all(factor * number + found.offset == value for number, value in zip(numbers, values, strict=True))
    return found if fits and not rest else None


@record(frozen=True, slots=True)
class AnyNumber:
    """What depends on the number although the module has that of one: sizes of objects, and counts."""

    number: int
    objects: frozenset[str]
    counts: frozenset[int]


def one_module(modules: Mapping[int, ir.Module]) -> tuple[ir.Module, AnyNumber]:
    """The module for any number, given some of them by number.

    Raises:
        NotSupportedError: they differ in something else.
    """
    numbers, (*others, last) = tuple(modules), modules.values()
    for each in others:
        _same(tuple(each.functions) == tuple(last.functions), "a function", None)
        _same(tuple(each.objects) == tuple(last.objects), "a variable", None)
    for name, item in last.objects.items():
        _check_objects([module.objects[name] for module in modules.values()], item)
    counts: set[int] = set()
    functions = {
        name: _Unifying(numbers, [module.functions[name] for module in modules.values()], counts).run()
        for name in last.functions
    }
    sized = {
        name for name, item in last.objects.items() if any(each.objects[name] != item for each in others)
    }
    return replace(last, functions=functions), AnyNumber(numbers[-1], frozenset(sized), frozenset(counts))


def _same(is_same: bool, what: str, place: ir.Place | None) -> None:  # noqa: FBT001 - what is checked
    if not is_same:
        raise NotSupportedError(f"{what} that depends on the number of threads", place)


def _check_objects(objects: Sequence[ir.Object], item: ir.Object) -> None:
    """Objects differ in their size only, and then begin with zeros."""
    for each in objects:
        if each != item:
            plain = replace(each, size=item.size, content=item.content, align=item.align)
            _same(plain == item, "the initial value of a variable", item.place)
            for content in (each.content, item.content):
                _same(not any(content or b""), "the initial value of a variable", item.place)


class _Unifying:
    """Makes one function of several."""

    def __init__(self, numbers: Sequence[int], functions: Sequence[ir.Function], counts: set[int]) -> None:
        self._numbers, self._functions, self._counts = numbers, functions, counts
        self._made: dict[tuple[Linear, ir.Type], list[ir.Instruction]] = {}

    def run(self) -> ir.Function:
        *others, last = self._functions
        if all(each == last for each in others):
            return last
        for each in others:
            plain = replace(each, blocks=last.blocks)
            _same(plain == last and len(each.blocks) == len(last.blocks), "a function", last.place)
        blocks = [self._block(each) for each in zip(*(item.blocks for item in self._functions), strict=True)]
        made = [item for items in self._made.values() for item in items]
        first = replace(blocks[0], instructions=(*made, *blocks[0].instructions))
        return replace(last, blocks=(first, *blocks[1:]))

    def _block(self, blocks: Sequence[ir.Block]) -> ir.Block:
        last = blocks[-1]
        for each in blocks:
            is_same = each.name == last.name and each.parameters == last.parameters
            _same(is_same and len(each.instructions) == len(last.instructions), "code", last.end.place)
        found = [self._one(each) for each in zip(*(item.instructions for item in blocks), strict=True)]
        end = self._one([item.end for item in blocks])
        return replace(last, instructions=tuple(found), end=end)  # type: ignore[arg-type] # as they were

    def _one(self, items: Sequence[ir.Instruction]) -> ir.Instruction:
        last = items[-1]
        found = self._unify(items, last.place)
        assert isinstance(found, ir.Instruction)
        return found

    def _unify(self, values: Sequence[object], place: ir.Place | None) -> object:
        last = values[-1]
        if all(each == last for each in values):
            return last
        _same(len({type(each) for each in values}) == 1, "code", place)
        if isinstance(last, ir.Constant):
            return self._constant([each for each in values if isinstance(each, ir.Constant)], place)
        if isinstance(last, tuple):
            tuples = [each for each in values if isinstance(each, tuple)]
            _same(len({len(each) for each in tuples}) == 1, "code", place)
            return tuple(self._unify(each, place) for each in zip(*tuples, strict=True))
        _same(is_record(last), "a number", place)
        changed = {}
        for name in field_names(last):
            fields = [getattr(each, name) for each in values]
            if name == "place" or all(each == fields[-1] for each in fields):
                continue
            if name in _KEPT and all(isinstance(each, int) for each in fields):
                _same(linear(self._numbers, fields) is not None, "a size that is not a·N + b and", place)
                self._counts.add(fields[-1])
            elif name not in ("shape", "align"):  # larger arrays are aligned to more bytes
                changed[name] = self._unify(fields, place)
        return replace(last, **changed)  # type: ignore[type-var] # a record

    def _constant(self, values: Sequence[ir.Constant], place: ir.Place | None) -> ir.Operand:
        """The number, times something, plus something, computed where the function begins."""
        type_ = values[-1].type
        _same(isinstance(type_, ir.Int) and len({each.type for each in values}) == 1, "a value", place)
        assert isinstance(type_, ir.Int)
        half = 1 << (type_.bits - 1)
        found = linear(self._numbers, [(each.value + half) % (2 * half) - half for each in values])
        if found is None:
            raise NotSupportedError("a number that is not a·N + b, where N is the number of threads,", place)
        made = self._made.setdefault((found, type_), [])
        if not made:
            made += _compute(found, type_, f"number.{len(self._made)}", place)
        result = made[-1]
        return result.results[0] if isinstance(result, ir.Call) else result.result  # type: ignore[attr-defined]


def _compute(found: Linear, type_: ir.Int, name: str, place: ir.Place | None) -> list[ir.Instruction]:
    value = ir.Value(name, type_)
    done: list[ir.Instruction] = [ir.Call(results=(value,), callee=NUMBER, arguments=(), place=place)]
    parts = [("mul", found.factor)] if found.factor != 1 else []
    if found.offset:
        parts.append(("add" if found.offset > 0 else "sub", abs(found.offset)))
    for at, (operation, constant) in enumerate(parts):
        further = ir.Value(f"{name}.{at}", type_)
        operands = (value, ir.Constant(constant % (1 << type_.bits), type_))
        done.append(ir.Compute(result=further, operation=operation, operands=operands, place=place))
        value = further
    return done
