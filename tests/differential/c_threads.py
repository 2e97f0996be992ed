"""Random programs of two threads, written in C in many ways, and as program text without any of them.

    python tests/differential/c_threads.py [--programs N] [--seed N]

A program is a list of accesses, calculations, branches and loops. In C its variables are of all widths, lie
in structures, arrays and allocated memory, and are used through pointers, functions and copies; in program
text each is a name. Both must have the same verdict and the same final states, and a final state that an
assertion forbids must violate it.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import membar

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from membar.source import SourceFile

MODELS = ("rc11", "armv8", "x86-tso", "sc")
TYPES = {
    "signed char": "i8", "unsigned char": "u8", "short": "i16", "unsigned short": "u16", "int": "i32",
    "unsigned": "u32", "long": "i64",
}  # fmt: skip
STORAGES = ("global", "member", "element", "pointer", "heap", "builtin")
_WORDS = {"relaxed": "RLX", "acquire": "ACQ", "release": "REL", "acq_rel": "ACQ_REL", "seq_cst": "SC"}
_ANY_ORDER = "relaxed acquire release acq_rel seq_cst"
_UPDATES = {"add": "+", "sub": "-", "or": "|", "and": "&", "xor": "^", "exchange": ""}
_HEAD = """#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
struct data { signed char a; unsigned short b; int c; long d; };
struct data g0, g1, g2, g3;
struct bits { unsigned a : 3; int b : 5; unsigned c : 11; };
struct pair { int left; short right; };
static long low5(long v) { struct bits f = {7, 0, 2047}; f.b = (int)v; return f.b; }
static long low11(long v) { struct bits f = {7, -1, 0}; f.c = (unsigned)v; return f.c; }
static long low16(long v) { short t; memcpy(&t, &v, sizeof t); return t; }
static long byte1(long v) { return ((unsigned char *)&v)[1]; }
static long minus(struct pair p) { struct pair q = p; return (long)q.left - q.right; }
static long (*const table[])(long) = {low16, low5};
static long total(long v, int n) { long sum = 0; for (int i = 0; i < n; i++) sum += v + i; return sum; }
"""
# In C and in program text; each uses its operands as often in both, so that dependencies are the same.
_EXPRESSIONS = (
    ("{0}", "{0}"), ("({0} + {k})", "({0} + {k})"), ("({0} - {1})", "({0} - {1})"),
    ("({k} - {0})", "({k} - {0})"), ("(({0} ^ {0}) + {k})", "(({0} ^ {0}) + {k})"),
    ("(long)({0} == {k})", "({0} == {k})"), ("(long)({0} < {k})", "({0} <s {k})"),
    ("(long)((unsigned long){0} > {k}ul)", "({k} <u {0})"), ("(long)(unsigned char){0}", "u8({0})"),
    ("(long)(signed char)({0} + 127)", "i8({0} + 127)"), ("low5({0})", "i5({0})"), ("low11({0})", "u11({0})"),
    ("low16({0})", "i16({0})"), ("table[1]({0})", "i5({0})"), ("table[0]({0})", "i16({0})"),
    ("byte1({0} << 7)", "(u8(({0} << 7) >>u 8))"),
    ("minus((struct pair){{(int){0}, (short){1}}})", "(i32({0}) - i16({1}))"),
    ("({0} / 3)", "({0} /s 3)"), ("({0} % 3)", "({0} %s 3)"), ("({0} >> 1)", "({0} >>s 1)"),
    ("(long)((unsigned){0} >> 3)", "(u32({0}) >>u 3)"),
    ("total({0}, 3)", "(((0 + ({0} + 0)) + ({0} + 1)) + ({0} + 2))"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    """A shared variable: its name in program text, its type in C and how C gets at it."""

    name: str
    type: str
    storage: str

    @property
    def word(self) -> str:
        """Its type in program text."""
        return TYPES[self.type]

    @property
    def declared(self) -> str:
        """The declaration in C."""
        name, type_ = self.name, self.type
        return {
            "global": f"_Atomic {type_} {name};",
            "member": f"struct {{ char before; _Atomic {type_} m, after; }} s{name};",
            "element": f"_Atomic {type_} a{name}[3];",
            "pointer": f"_Atomic {type_} {name}; _Atomic {type_} *p{name};",
            "heap": f"_Atomic {type_} *p{name};",
            "builtin": f"struct {{ {type_} before, m, after; }} s{name};",
            "volatile": f"volatile {type_} {name};",
        }[self.storage]

    @property
    def prepared(self) -> str:
        """What `main` does first."""
        name = self.name
        return {
            "pointer": f"p{name} = &{name};",
            "heap": f"p{name} = malloc(sizeof *p{name}); if (!p{name}) abort(); atomic_init(p{name}, 0);",
        }.get(self.storage, "")

    @property
    def address(self) -> str:
        """How C names it."""
        name = self.name
        return {
            "member": f"&s{name}.m", "builtin": f"&s{name}.m", "element": f"&a{name}[1]",
            "pointer": f"p{name}", "heap": f"p{name}",
        }.get(self.storage, f"&{name}")  # fmt: skip


@dataclass(slots=True)
class Thread:
    """A thread as it is written, in C and in program text."""

    random: Random
    cells: list[Cell]
    number: int
    c: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    point: int = 0
    last: int = 0
    registers: list[str] = field(default_factory=list)

    def step(self, operation: str, guard: str = "") -> None:
        """A step of program text from here to a new point."""
        self.last += 1
        when = f" when {guard}" if guard else ""
        self.steps.append(f"  {self.point} -> {self.last}{when}{': ' * bool(operation)}{operation}")
        self.point = self.last

    def register(self) -> str:
        """A new register."""
        name = f"r{self.number}_{len(self.registers)}"
        self.registers.append(name)
        return name

    def value(self) -> tuple[str, str]:
        """A value, in C and in program text."""
        random = self.random
        if not self.registers or random.random() < 0.4:
            number = str(random.choice((1, 1, 2, 3)))
            return f"{number}l", number
        c, text = random.choice(_EXPRESSIONS)
        names = [random.choice(self.registers[-3:]) for _ in range(2)]
        number = str(random.choice((0, 1, 2)))
        return c.format(*(f"(long){each}" for each in names), k=number), text.format(*names, k=number)

    def order(self, kinds: str) -> str:
        """A memory order out of those that are allowed."""
        return self.random.choice(kinds.split())

    def call(self, name: str, result: str, cell: Cell, given: str, orders: tuple[str, ...]) -> str:
        """A call of an atomic operation: with the address, a local pointer, or in a function of its own."""
        written = ", ".join(f"memory_order_{each}" for each in orders)
        if cell.storage == "builtin":
            prefix = {"exchange": "exchange_n", "load": "load_n", "store": "store_n"}
            name = prefix.get(name, name)
            written = ", ".join(f"__ATOMIC_{each.upper()}" for each in orders)
            text = f"__atomic_{name}({{at}}, {{given}}{written})"
        else:
            text = f"atomic_{name}_explicit({{at}}, {{given}}{written})"
        form = self.random.random()
        comma = f"{given}, " if given else ""
        if form < 0.4:
            return f"{result}{text.format(at=cell.address, given=comma)};"
        kind = cell.type if cell.storage == "builtin" else f"_Atomic {cell.type}"
        if form < 0.6:
            return f"{{ {kind} *at = {cell.address}; {result}{text.format(at='at', given=comma)}; }}"
        function = f"f{self.number}_{len(self.functions)}"
        returned = "return (long)" if result else ""
        body = text.format(at="at", given="given, " if given else "")
        self.functions.append(
            f"static {'long' if result else 'void'} {function}({kind} *at, {cell.type} given) "
            f"{{ {'' if given else '(void)given; '}{returned}{body}; }}"
        )
        return f"{result}{function}({cell.address}, {given or 0});"

    def access(self, cell: Cell | None = None) -> None:
        """A random access to a shared variable."""
        random, cell = self.random, cell or self.random.choice(self.cells)
        kind, at = random.choice(("load", "load", "store", "store", "update", "compare")), f"[&{cell.name}]"
        value = self.value()
        if cell.storage == "volatile":
            if kind == "store":
                self.c.append(f"{cell.name} = ({cell.type}){value[0]};")
                self.step(f"store {cell.word} {at} := {value[1]} {{NA}}")
            else:
                name = self.register()
                self.c.append(f"{name} = {cell.name};")
                self.step(f"{name} := load {cell.word} {at} {{NA}}")
            return
        given = f"({cell.type})({value[0]})"
        if kind == "store":
            order = self.order("relaxed relaxed release seq_cst")
            self.c.append(self.call("store", "", cell, given, (order,)))
            self.step(f"store {cell.word} {at} := {value[1]} {{{_WORDS[order]}}}")
            return
        name = self.register()
        if kind == "load":
            order = self.order("relaxed relaxed acquire seq_cst")
            self.c.append(self.call("load", f"{name} = ", cell, "", (order,)))
            self.step(f"{name} := load {cell.word} {at} {{{_WORDS[order]}}}")
        elif kind == "update":
            order, operation = self.order(_ANY_ORDER), random.choice([*_UPDATES])
            called = operation if operation == "exchange" else f"fetch_{operation}"
            self.c.append(self.call(called, f"{name} = ", cell, given, (order,)))
            new = f"{name} {_UPDATES[operation]} " if operation != "exchange" else ""
            tags = f"{{{_WORDS[order]}, RMW}}"
            self.step(f"{name} := rmw {cell.word} {at} := {new}({value[1]}) read {tags} write {tags}")
        else:
            self.compare(cell, name, value)

    def compare(self, cell: Cell, name: str, value: tuple[str, str]) -> None:
        """A strong compare-exchange; what was there goes to a register, and whether it was expected."""
        success, failure = self.order(_ANY_ORDER), self.order("relaxed acquire")
        expected, done = self.random.choice((0, 0, 1)), self.register()
        given = f"({cell.type})({value[0]})"
        if cell.storage == "builtin":
            orders = f"0, __ATOMIC_{success.upper()}, __ATOMIC_{failure.upper()}"
            call = f"__atomic_compare_exchange_n({cell.address}, &e, {given}, {orders})"
        else:
            orders = f"memory_order_{success}, memory_order_{failure}"
            call = f"atomic_compare_exchange_strong_explicit({cell.address}, &e, {given}, {orders})"
        self.c.append(f"{{ {cell.type} e = {expected}; {done} = {call}; {name} = e; }}")
        tags = f"{{{_WORDS[success]}, RMW}}"
        self.step(
            f"{name} := rmw {cell.word} [&{cell.name}] := {value[1]} if {name} == {expected} "
            f"read {tags} write {tags} failed {{{_WORDS[failure]}}}"
        )
        self.step(f"{done} := ({name} == {expected})")

    def statement(self, depth: int = 0) -> None:
        """A random statement."""
        draw = self.random.random()
        if depth == 0 and self.registers and draw < 0.25:
            self.branch()
        elif depth == 0 and draw < 0.33:
            self.loop()
        elif draw < 0.42:
            self.fence()
        else:
            self.access()

    def fence(self) -> None:
        """A random fence."""
        order = self.order("acquire release acq_rel seq_cst")
        self.c.append(f"atomic_thread_fence(memory_order_{order});")
        self.step(f"fence {{{_WORDS[order]}}}")

    def calculate(self) -> None:
        """Calculates from what was read."""
        for _ in range(3 if self.registers else 0):
            c, text = self.value()
            name = self.register()
            self.c.append(f"{name} = (int)({c});")
            self.step(f"{name} := i32({text})")

    def branch(self) -> None:
        """One statement or another, as a register says."""
        name, number = self.random.choice(self.registers), self.random.choice((0, 1, 2))
        start = self.point
        self.c.append(f"if ((long){name} == {number}) {{")
        self.step("", f"{name} == {number}")
        self.statement(1)
        self.c.append("} else {")
        end, self.point = self.point, start
        self.step("", f"!({name} == {number})")
        if self.random.random() < 0.5:
            self.statement(1)
        self.c.append("}")
        self.steps.append(f"  {self.point} -> {end}")
        self.point = end

    def loop(self) -> None:
        """Stores of a number that is counted, as often as a constant or a register says."""
        cells = [each for each in self.cells if each.storage != "volatile"]
        cell, times = self.random.choice(cells), self.random.choice((2, 3))
        at, name = f"[&{cell.name}]", self.registers[-1] if self.registers else ""
        is_known = not name or self.random.random() < 0.5
        last = str(times) if is_known else f"(int)({name} & 1) + {times - 1}"
        self.c.append(
            f"for (int j = 0; j < {last}; j++) "
            f"atomic_store_explicit({cell.address}, ({cell.type})(j + 4), memory_order_relaxed);"
            if cell.storage != "builtin"
            else f"for (int j = 0; j < {last}; j++) "
            f"__atomic_store_n({cell.address}, ({cell.type})(j + 4), __ATOMIC_RELAXED);"
        )
        for index in range(times - (not is_known)):
            self.step(f"store {cell.word} {at} := {index + 4} {{RLX}}")
        if not is_known:
            start = self.point
            self.step("", f"({name} & 1) == 1")
            self.step(f"store {cell.word} {at} := {times + 3} {{RLX}}")
            self.steps.append(f"  {start} -> {self.point} when !(({name} & 1) == 1)")

    def plain(self, c: str, steps: tuple[str, ...]) -> None:
        """Plain accesses."""
        self.c.append(c)
        for each in steps:
            self.step(each)


_FIELDS = {"a": "i8", "b": "u16", "c": "i32", "d": "i64"}
_COPIES = (
    "{to} = {of};", "memcpy(&{to}, &{of}, sizeof {to});", "memmove(&{to}, &{of}, sizeof {to});",
    "{{ struct data t = {of}, *p = &t; {to} = *p; }}",
    "for (unsigned i = 0; i < sizeof {to}; i++) ((char *)&{to})[i] = ((char *)&{of})[i];",
    "{to}.d = {of}.d; memcpy(&{to}, &{of}, 8);",
)  # fmt: skip


def _fill(thread: Thread, name: str) -> None:
    for member, type_ in _FIELDS.items():
        number = thread.random.choice((1, 2, 3, -1) if type_[0] == "i" else (1, 255, 256))
        given = str(number) if number >= 0 else f"(0 - {-number})"
        thread.plain(f"{name}.{member} = {number};", (f"store {type_} [&{name}{member}] := {given} {{NA}}",))


def _copy(thread: Thread, to: str, of: str) -> None:
    steps = []
    for member, type_ in _FIELDS.items():
        steps.append(f"t := load {type_} [&{of}{member}] {{NA}}")
        steps.append(f"store {type_} [&{to}{member}] := t {{NA}}")
    thread.plain(thread.random.choice(_COPIES).format(to=to, of=of), tuple(steps))


def _read(thread: Thread, name: str) -> None:
    member, type_ = thread.random.choice([*_FIELDS.items()])
    register = thread.register()
    thread.plain(f"{register} = {name}.{member};", (f"{register} := load {type_} [&{name}{member}] {{NA}}",))


@dataclass(frozen=True, slots=True)
class Pair:
    """A program in C, without its last lines, and in program text, and the names of what it calculates."""

    c: str
    text: str
    names: tuple[str, ...]

    def asserting(self, condition: str = "1") -> str:
        """The program in C with an assertion at its end."""
        return f"{self.c}  assert({condition});\n  return 0;\n}}\n"


def pair(random: Random, model: str) -> Pair:
    """A random program: `main` fills structures, starts two threads, waits for them, and looks."""
    storages = STORAGES if model == "rc11" else (*STORAGES, "volatile")
    cells = [
        Cell(name, random.choice([*TYPES]), random.choice(storages[: None if name != "x" else 6]))
        for name in ("x", "y")[: 1 + (random.random() < 0.9)]
    ]
    threads = [Thread(random, cells, number) for number in range(2)]
    main = Thread(random, cells, 2)
    main.c += filter(None, (each.prepared for each in cells))
    _fill(main, "g0")
    _copy(main, "g1", "g0")
    is_joined = random.random() < 0.95
    is_crossing = len(cells) == 2 and random.random() < 0.6
    for number, thread in enumerate(threads):
        if is_crossing:  # each uses both variables, in different orders: that is where models differ
            thread.access(cells[number])
            if random.random() < 0.5:
                thread.fence()
            thread.access(cells[1 - number])
        for _ in range(0 if is_crossing else random.randint(2, 3)):
            thread.statement()
        if random.random() < 0.5:
            _read(thread, random.choice(("g0", "g1")))
        if random.random() < 0.4:
            _copy(thread, f"g{number + 2}", "g1")
    is_one = random.random() < 0.3  # one function for both threads
    for number in range(2):
        function = "both" if is_one else f"t{number}"
        main.plain(f"pthread_create(&id{number}, 0, {function}, (void *){number}L);", (f"spawn t{number}",))
    if random.random() < 0.4:
        main.access()
    for number in range(2):
        if number or is_joined:
            main.plain(f"pthread_join(id{number}, 0);", (f"join t{number}",))
    for name in ("g2", "g3"):
        _read(main, name)
    for cell in cells if is_joined else ():
        name = main.register()
        at = f"atomic_load({cell.address})"
        if cell.storage in ("builtin", "volatile"):
            at = f"*{cell.address}"
        main.plain(f"{name} = {at};", (f"{name} := load {cell.word} [&{cell.name}] {{SC}}",))
    every = [*threads, main]
    for thread in every:
        thread.calculate()
        for name in thread.registers:
            thread.plain(f"o{name} = (int){name};", (f"store i32 [&o{name}] := {name} {{NA}}",))
    names = tuple(f"o{name}" for thread in every for name in thread.registers)
    return Pair(_in_c(cells, every, names, is_one=is_one), _in_text(cells, every, names), names)


def _in_c(cells: list[Cell], threads: list[Thread], names: tuple[str, ...], *, is_one: bool) -> str:
    *workers, main = threads

    def body(thread: Thread) -> str:
        local = "".join(f"  long {name} = 0;\n" for name in thread.registers)
        return f"{local}" + "".join(f"  {line}\n" for line in thread.c)

    parts = [_HEAD, *(f"{each.declared}\n" for each in cells), *(f"int {name};\n" for name in names)]
    parts += [f"{function}\n" for thread in threads for function in thread.functions]
    if is_one:
        one, other = map(body, workers)
        parts.append(
            f"static void *both(void *given) {{\n  if ((long)given == 0) {{\n{one}  }} else {{\n"
            f"{other}  }}\n  return 0;\n}}\n"
        )
    else:
        parts += [
            f"static void *t{each.number}(void *given) {{\n{body(each)}  return given;\n}}\n"
            for each in workers
        ]
    return "".join([*parts, "int main(void) {\n  pthread_t id0, id1;\n", body(main)])


def _in_text(cells: list[Cell], threads: list[Thread], names: tuple[str, ...]) -> str:
    lines = ["program p : C", *(f"memory {each.name} : {each.word}" for each in cells)]
    lines += [f"memory g{n}{member} : {type_}" for n in range(4) for member, type_ in _FIELDS.items()]
    lines += [f"memory {name} : i32" for name in names]
    *workers, main = threads
    for name, thread in (("main", main), *((f"t{each.number}", each) for each in workers)):
        kind = f"  exits {thread.point}" if name == "main" else ""
        spawned = "" if name == "main" else " spawned"
        lines += [f"thread {name}{spawned} {{", *filter(None, (kind,)), *thread.steps, "}"]
    return "\n".join([*lines, "exists true", f"observe {', '.join(names)}", ""])


Results = tuple[str, frozenset[tuple[int, ...]]]


def results(source: SourceFile, names: tuple[str, ...], model: str) -> Results:
    """The verdict, and the final values of these variables if it holds."""
    properties = ("assertions", "memory") if source.path.endswith(".c") else ()
    found = membar.check(source, model=model, properties=(*properties, *("races",) * (model == "rc11")))
    verdict = "holds" if found.verdict == "explored" else found.verdict
    if verdict not in ("holds", "holds-within"):
        return verdict, frozenset()
    states = [dict(state) for state in found.outcome.run.outcomes]
    return verdict, frozenset(tuple(int(state.get(name, 0)) for name in names) for state in states)


def wrong_about(both: Pair, model: str) -> tuple[str, str]:
    """What became of a program, and what is wrong; empty if nothing is."""
    expected, states = results(SourceFile("p.mbp", both.text), both.names, model)
    verdict, found = results(SourceFile("p.c", both.asserting()), both.names, model)
    if "unknown" in (verdict, expected):
        return "unknown", ""
    if verdict == "holds-within" and expected == "holds":
        return verdict, "" if found <= states else f"{sorted(found - states)} instead of {sorted(states)}"
    if verdict != expected:
        return verdict, f"{verdict} instead of {expected}"
    if found != states:
        return verdict, f"{sorted(found ^ states)} differ: {sorted(found)} instead of {sorted(states)}"
    if not states:
        return verdict, ""
    one = min(states)
    equal = " && ".join(f"{name} == {value}" for name, value in zip(both.names, one, strict=True))
    verdict, _ = results(SourceFile("p.c", both.asserting(f"!({equal})")), both.names, model)
    several = " with several final states" if len(states) > 1 else ""
    return f"holds{several}", "" if verdict == "violated" else f"!({equal}): {verdict}"


def campaign(programs: int, seed: int) -> tuple[Counter[str], list[str]]:
    """How many programs came to what, and those that differ."""
    found: Counter[str] = Counter()
    wrong = []
    for number in range(programs):
        random, model = Random(f"{seed} {number}"), MODELS[number % len(MODELS)]
        both = pair(random, model)
        outcome, problem = wrong_about(both, model)
        found[f"{model}: {outcome}"] += 1
        if problem:
            wrong.append(f"/* {number} {model}: {problem} */\n{both.asserting()}\n{both.text}")
    return found, wrong


def main() -> int:
    """Runs a campaign."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    found, wrong = campaign(chosen.programs, chosen.seed)
    for outcome, count in found.most_common():
        sys.stdout.write(f"{count:6} {outcome}\n")
    for report in wrong[:3]:
        sys.stdout.write(f"\n{report}\n")
    sys.stdout.write(f"{chosen.programs} programs, {len(wrong)} differ\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
