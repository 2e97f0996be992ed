"""Deliberate mistakes in what parameterized systems mean: the front end, the simulator, the certificates."""

from __future__ import annotations

from differential.mutation import Rewrite

FRONT = "membar.frontends.cubicle"
MACHINE = "membar.engines.instances.machine"
PREIMAGE = "membar.certificates.preimage"
COVER = "membar.certificates.cover"
CHECK = "membar.certificates.check"

BUGS: tuple[tuple[str, Rewrite], ...] = (
    # The front end.
    ("`>` is `<`", Rewrite(f"{FRONT}.terms", "if flipped else", "if False else")),
    ("`fence()` is forgotten", Rewrite(f"{FRONT}.elaborate", "fence=full.fence", "fence=False")),
    ("read-modify-writes are two steps", Rewrite(f"{FRONT}.elaborate", "reads and writes,", "False,")),
    (
        "a disjunctive guard keeps its first part",
        Rewrite(
            f"{FRONT}.logic",
            "for part in formula.parts for one in alternatives(part, span)",
            "for part in formula.parts[:1] for one in alternatives(part, span)",
        ),
    ),
    (
        "`forall` forgets the parameters",
        Rewrite(f"{FRONT}.logic", "here = () if syntax.others else", "here = () if True else"),
    ),
    (
        "what exists may be a parameter",
        Rewrite(
            f"{FRONT}.elaborate", "for witness in (*extra, fresh):", "for witness in (*parameters, fresh):"
        ),
    ),
    (
        "cases after the first are forgotten",
        Rewrite(
            f"{FRONT}.updates",
            "    return AssignAll(symbol.name, binders, tuple(found))",
            "    return AssignAll(symbol.name, binders, tuple(found[:1]))",
        ),
    ),
    (
        "sums lose a sign",
        Rewrite(f"{FRONT}.terms", "factor = Fraction(product.sign)", "factor = Fraction(1)"),
    ),
    # The simulator.
    (
        "a process does not see its own pending writes",
        Rewrite(MACHINE, "for entry in reversed(self.buffers[process - 1]):", "for entry in ():"),
    ),
    (
        "a process sees its oldest pending write",
        Rewrite(MACHINE, "in reversed(self.buffers[process - 1])", "in (self.buffers[process - 1])"),
    ),
    (
        "fences do not wait",
        Rewrite(MACHINE, "waits = self.buffered and", "waits = False and"),
    ),
    ("buffers are never flushed", Rewrite(MACHINE, "            if entries:\n", "            if False:\n")),
    (
        "the newest entry is flushed first",
        Rewrite(MACHINE, "entries[1:])\n", "entries[:-1])\n"),
    ),
    (
        "universal guards are not looked at",
        Rewrite(MACHINE, "            for other in others\n", "            for other in others[:0]\n"),
    ),
    (
        "invariants do not restrict the initial states",
        Rewrite(MACHINE, "for cube in self.system.invariants)", "for cube in self.system.invariants[:0])"),
    ),
    # The certificates: orders of events.
    (
        "a read is not before later events of its process",
        Rewrite(PREIMAGE, "return event.process == actor or (\n", "return False or (\n"),
    ),
    (
        "a read is not before later writes of its location",
        Rewrite(PREIMAGE, "any(place in reads for place in event.locations)", "False"),
    ),
    (
        "writes of a process are not in order",
        Rewrite(
            PREIMAGE, "return event.process == actor or any(place in writes", "return any(place in writes"
        ),
    ),
    (
        "every read waits for the buffer",
        Rewrite(PREIMAGE, "return event.process == actor and event.fence", "return event.process == actor"),
    ),
    (
        "no read waits for the buffer",
        Rewrite(PREIMAGE, "return event.process == actor and event.fence", "return False"),
    ),
    (
        "the erratum: a new write is after every read that it does not satisfy",
        Rewrite(
            PREIMAGE,
            "        for found in self._sources(writer, actor, sources):\n",
            "        for found in self._sources(writer, actor, sources):\n"
            "            found.before.update(() if writer is None else {\n"
            "                (n, writer) for n, e in enumerate(old) if e.kind is EventKind.READ\n"
            "                and e.process != actor and (writer, n) not in found.before})\n",
        ),
    ),
    (
        "a process may miss its own write",
        Rewrite(PREIMAGE, "(True,) if number in own else (True, False)", "(True, False)"),
    ),
    (
        "a read that misses a write is not before it",
        Rewrite(
            PREIMAGE,
            "found.before.add((writer, number) if taken else (number, writer))",
            "found.before.add((writer, number)) if taken else None",
        ),
    ),
    (
        "every waiting read takes the new value",
        Rewrite(PREIMAGE, "(True,) if number in own else (True, False)", "(True,)"),
    ),
    ("a write's value is forgotten", Rewrite(PREIMAGE, "found.values[value] = written[location]", "pass")),
    (
        "an atomic step is two",
        Rewrite(PREIMAGE, "together.add((reader, writer))", "pass"),
    ),
    (
        "views are not at one instant",
        Rewrite(PREIMAGE, "for number in range(1, len(numbers))", "for number in range(0)"),
    ),
    (
        "cycles are no contradiction",
        Rewrite("membar.certificates.graph", "        return None\n", "        pass\n"),
    ),
    # The certificates: processes, guards, cases.
    (
        "steps are only of processes of the cube",
        Rewrite(PREIMAGE, "if one not in names.values()), unused):", "if one not in names.values()),):"),
    ),
    (
        "steps are only of further processes",
        Rewrite(PREIMAGE, "(*(one for one in old if one not in names.values()), unused)", "(unused,)"),
    ),
    (
        "universal guards are forgotten",
        Rewrite(
            PREIMAGE,
            "        for choice in product(*columns):\n            yield (*guard,",
            "        for choice in product(*columns[:0]):\n            yield (*guard,",
        ),
    ),
    (
        "a later case may win",
        Rewrite(PREIMAGE, "        unmatched = [way for way in ways if way is not None]\n", ""),
    ),
    (
        "cells that stay are forgotten",
        Rewrite(
            PREIMAGE,
            "    for way in unmatched:\n        yield Option(way, None)\n",
            "    for way in ():\n        yield Option(way, None)\n",
        ),
    ),
    # The certificates: covers and initial states.
    (
        "covers forget the order",
        Rewrite(COVER, "            known.is_before(further[one], further[other])\n", "            True\n"),
    ),
    (
        "covers forget who acts",
        Rewrite(COVER, "and event.process == process_renamed(wanted.process, names)", "and True"),
    ),
    (
        "covers forget locations",
        Rewrite(
            COVER,
            "            for place in wanted.locations\n",
            "            for place in wanted.locations[:0]\n",
        ),
    ),
    (
        "`init` is only about one process",
        Rewrite(
            CHECK,
            "for chosen in product(universe, repeat=len(system.init.parameters)):",
            "for chosen in list(product(universe, repeat=len(system.init.parameters)))[:1]:",
        ),
    ),
    (
        "waiting reads may see anything initially",
        Rewrite(
            CHECK, "for place in event.locations if event.kind is EventKind.READ else ():", "for place in ():"
        ),
    ),
)
