"""Random objects like litmus tests, one operation per thread; and the same as program text for `graphs`.

The program is written from the object's lines, by rules of its own: it shares nothing with the systems.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from membar.objects.syntax import (
    Action,
    Assign,
    Branch,
    ConcurrentObject,
    Fence,
    FenceKind,
    Line,
    Load,
    Location,
    Operation,
    Return,
    Rmw,
    RmwKind,
    Store,
)
from membar.objects.terms import Binary, BinaryOp, Loaded, Number, Term, Unary, Variable, replace_subterms

PLACES = ("x", "y", "z")
ARRAY = "m"
ELEMENT = "Once"
"""The word of accesses to elements of arrays: the processors' models give it no meaning, our variants do."""
LOCALS = ("a", "b")


@dataclass(slots=True)
class _Writer:
    rng: random.Random
    memory: tuple[str, ...]
    rmw: bool

    def expression(self) -> str:
        value = str(self.rng.randint(1, 3))
        if self.rng.random() < 0.4:
            return f"{self.rng.choice(LOCALS)} + {value}"
        return value

    def place(self, name: str) -> str:
        """A place with this name: of an array, an element at a fixed or a shifted address."""
        if name != ARRAY:
            return name
        local = self.rng.choice(LOCALS)
        return f"{name}[{self.rng.choice(('0', '1', f'{local} % 2', f'({local} + 1) % 2'))}]"

    def statement(self, depth: int = 0) -> str:
        place, local = self.place(self.rng.choice(self.memory)), self.rng.choice(LOCALS)
        kind = self.rng.random()
        if kind < 0.36:
            return f"{place} = {self.expression()};"
        if kind < 0.70:
            return f"{local} = {place};"
        if kind < 0.76 and self.rmw:
            return self._rmw(place, local)
        if kind < 0.86:
            return self.rng.choice(("fence;", "fence.st;", "cfence;"))
        if kind < 0.90:
            return f"{local} = {self.expression()};"
        if depth:
            return f"{place} = {self.expression()};"
        condition = f"{self.rng.choice(LOCALS)} {self.rng.choice(('==', '>', '!='))} {self.rng.randint(0, 2)}"
        text = f"if ({condition}) {{ {self.statement(1)} }}"
        if self.rng.random() < 0.4:
            text += f" else {{ {self.statement(1)} }}"
        return text

    def pattern(self, number: int) -> list[str]:
        """Two accesses to different places, as weak behaviours need them, another one first per thread."""
        first, second = (self.place(self.memory[each]) for each in (number % 2, 1 - number % 2))
        if self.rng.random() < 0.5:
            return [f"{first} = {self.expression()};", f"a = {second};"]
        if self.rng.random() < 0.5:
            return [f"a = {first};", f"{second} = {self.expression()};"]
        kept = [f"a = {second};", f"b = {first};"]
        stored = [f"{first} = {self.expression()};", f"{second} = {self.expression()};"]
        return kept if number % 2 else stored

    def _rmw(self, place: str, local: str) -> str:
        match self.rng.randint(0, 2):
            case 0:
                return f"{local} = swap({place}, {self.expression()});"
            case 1:
                return f"{local} = fetch_add({place}, {self.expression()});"
            case _:
                return f"{local} = cas({place}, {self.rng.randint(0, 2)}, {self.expression()});"


def random_object(seed: int, *, rmw: bool = True, arrays: bool = False) -> str:
    """The text of an object whose operations `f0`, `f1`, … are meant for one thread each."""
    rng = random.Random(seed)
    memory = PLACES[: rng.choice((2, 2, 3))]
    if arrays:
        elements = rng.choice((1, 1, 2))  # where weak behaviours need two places, both may be in the array
        memory = (*(ARRAY,) * elements, *memory[elements:])
    writer = _Writer(rng, memory, rmw)
    threads = rng.choice((2, 2, 2, 3))
    declared = [f"{name}[2]" if name == ARRAY else name for name in dict.fromkeys(memory)]
    text = [f"object random{seed};", f"shared {', '.join(declared)};"]
    is_pattern = rng.random() < 0.6
    for number in range(threads):
        body = writer.pattern(number) if is_pattern else []
        for _ in range(rng.randint(0, 1) if is_pattern else rng.randint(2, 4 if threads == 2 else 3)):
            body.insert(rng.randint(0, len(body)), writer.statement())
        lines = "\n    ".join(body)
        text.append(f"operation f{number}() {{\n    local a, b;\n    {lines}\n    return (a, b);\n}}")
    return "\n".join(text) + "\n"


@dataclass(frozen=True, slots=True)
class Words:
    """How a processor spells fences and atomic accesses."""

    fences: dict[FenceKind, str]
    atomic: str
    around: str = ""
    element: str = ""


X86 = Words({FenceKind.FULL: "MFENCE"}, "X")
ARM = Words(
    {FenceKind.FULL: "DMB.ISH", FenceKind.STORE: "DMB.ISHST", FenceKind.CONTROL: "ISB"}, "X", "DMB.ISH"
)

XC = Words({FenceKind.FULL: "DMB.ISH", FenceKind.STORE: "DMB.ISHST"}, "X", "DMB.ISH")


def program_text(about: ConcurrentObject, words: Words) -> str:
    """The object with one thread per operation, as program text that shows every result and all of memory.

    Accesses to elements of arrays have the word `words.element`, if it is not empty.
    """
    text = [f"program {about.name}"]
    for each in about.shared:
        size = "" if each.size is None else f"[{each.size}]"
        text.append(f"memory {each.name} : i32{size}")
    for operation in about.operations:
        text.append(f"thread {operation.name} {{")
        numbers = {line.label: 10 * number for number, line in enumerate(operation.lines)}
        for line in operation.lines:
            text += [f"  {step}" for step in _steps(operation, line, numbers, words)]
        text.append("}")
    observed = [f"{number}:{name}" for number, _ in enumerate(about.operations) for name in LOCALS]
    observed += cell_names(about)
    text += ["forall true", f"observe {', '.join(observed)}"]
    return "\n".join(text) + "\n"


def cell_names(about: ConcurrentObject) -> list[str]:
    """What final states show of memory."""
    return [
        each.name if each.size is None else f"{each.name}[{number}]"
        for each in about.shared
        for number in range(each.size or 1)
    ]


def _tagged(location: Location, words: Words) -> str:
    return f" {{{words.element}}}" if location.index is not None and words.element else ""


def _address(location: Location) -> str:
    if location.index is None:
        return f"&{location.name}"
    return f"&{location.name} + 4 * {_spelled(location.index)}"


def _steps(operation: Operation, line: Line, numbers: dict[str, int], words: Words) -> list[str]:
    here = numbers[line.label]
    then = numbers.get(line.then or "", -1)
    match line.action:
        case Load(target=target, location=place, value=value):
            load = f"load [{_address(place)}]{_tagged(place, words)}"
            if value == Loaded():
                return [f"{here} -> {then}: {target} := {load}"]
            middle = f"{here} -> {here + 1}: loaded := {load}"
            return [middle, f"{here + 1} -> {then}: {target} := {_spelled(value)}"]
        case Store(location=place, value=value):
            stored = f"store [{_address(place)}] := {_spelled(value)}{_tagged(place, words)}"
            return [f"{here} -> {then}: {stored}"]
        case Assign(target=target, value=value):
            return [f"{here} -> {then}: {target} := {_spelled(value)}"]
        case Branch(condition=condition):
            other = numbers[line.otherwise or ""]
            text = _spelled(condition)
            return [f"{here} -> {then} when {text}", f"{here} -> {other} when !({text})"]
        case Fence(kind=kind):
            word = words.fences.get(kind)
            return [f"{here} -> {then}" + (f": fence {{{word}}}" if word else "")]
        case Rmw():
            return _atomic(line.action, here, then, words)
        case Return():
            return []
    raise AssertionError(operation.name)


def _atomic(rmw: Rmw, here: int, then: int, words: Words) -> list[str]:
    tags = f"read {{{words.atomic}}} write {{{words.atomic}}}"
    place, target = f"[{_address(rmw.location)}]", rmw.target or "dropped"
    done = ""
    match rmw.kind:
        case RmwKind.SWAP:
            done = f"old := rmw {place} := {_spelled(rmw.operands[0])} {tags}; {target} := old"
        case RmwKind.FETCH_ADD:
            done = f"old := rmw {place} := old + {_spelled(rmw.operands[0])} {tags}; {target} := old"
        case RmwKind.CAS:
            expected, new = (_spelled(each) for each in rmw.operands)
            tried = f"{place} := {new} if old == {expected} {tags} failed {{{words.atomic}}}"
            done = f"old := rmw {tried}; {target} := old == {expected}"
    if not words.around:
        return [f"{here} -> {then}: {done}"]
    fence = f"fence {{{words.around}}}"
    return [
        f"{here} -> {here + 1}: {fence}",
        f"{here + 1} -> {here + 2}: {done}",
        f"{here + 2} -> {then}: {fence}",
    ]


_SIGNS = {BinaryOp.REM: "%s", BinaryOp.GT: "<s", BinaryOp.LT: "<s", BinaryOp.GE: "<=s", BinaryOp.LE: "<=s"}


def _spelled(term: Term) -> str:
    match term:
        case Number(value=value):
            return str(value)
        case Variable(name=name):
            return name
        case Loaded():
            return "loaded"
        case Unary(op=op, operand=operand):
            return f"{op.value}({_spelled(operand)})"
        case Binary(op=BinaryOp.GT | BinaryOp.GE as op, left=left, right=right):
            return f"({_spelled(right)} {_SIGNS[op]} {_spelled(left)})"
        case Binary(op=op, left=left, right=right):
            return f"({_spelled(left)} {_SIGNS.get(op, op.value)} {_spelled(right)})"
        case _:
            raise AssertionError(term)


def with_fresh_locals(about: ConcurrentObject) -> ConcurrentObject:
    """The object with a fresh local variable for every write to one; what follows a branch is there twice."""
    return replace(about, operations=tuple(_Fresh(each).done() for each in about.operations))


class _Fresh:
    """Unfolds an operation without loops into a tree."""

    def __init__(self, operation: Operation) -> None:
        self._operation = operation
        self._by_label = {line.label: line for line in operation.lines}
        self._lines: list[Line] = []
        self._count = 0

    def done(self) -> Operation:
        names = (*self._operation.parameters, *self._operation.locals)
        self._unfold(self._operation.lines[0].label, {name: name for name in names})
        return replace(self._operation, lines=tuple(self._lines))

    def _unfold(self, label: str, names: dict[str, str]) -> str:
        line = self._by_label[label]
        self._count += 1
        fresh = f"{self._operation.name}_{self._count}"
        place = len(self._lines)
        self._lines.append(line)
        action, after = _renamed(line.action, names, fresh)
        then = None if line.then is None else self._unfold(line.then, after)
        otherwise = None if line.otherwise is None else self._unfold(line.otherwise, after)
        self._lines[place] = replace(line, label=fresh, action=action, then=then, otherwise=otherwise)
        return fresh


def _renamed(action: Action, names: dict[str, str], fresh: str) -> tuple[Action, dict[str, str]]:
    def term(old: Term) -> Term:
        def change(part: Term) -> Term | None:
            return replace(part, name=names[part.name]) if isinstance(part, Variable) else None

        return replace_subterms(old, change)

    def place(old: Location) -> Location:
        return old if old.index is None else Location(old.name, term(old.index))

    match action:
        case Load(target=target, location=location, value=value):
            return Load(f"{target}_{fresh}", place(location), term(value)), names | {
                target: f"{target}_{fresh}"
            }
        case Assign(target=target, value=value):
            return Assign(f"{target}_{fresh}", term(value)), names | {target: f"{target}_{fresh}"}
        case Rmw(kind=kind, location=location, operands=operands, target=str(target)):
            changed = Rmw(kind, place(location), tuple(term(each) for each in operands), f"{target}_{fresh}")
            return changed, names | {target: f"{target}_{fresh}"}
        case Store(location=location, value=value):
            return Store(place(location), term(value)), names
        case Branch(condition=condition):
            return Branch(term(condition)), names
        case Return(results=results):
            return Return(tuple(term(each) for each in results)), names
        case _:
            return action, names
