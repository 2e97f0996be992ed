"""Deliberate mistakes in what parameterized systems mean: the front end, the simulator, the certificates."""

from __future__ import annotations

from differential.mutation import Rewrite

FRONT = "membar.frontends.cubicle"
MACHINE = "membar.engines.instances.machine"
PREIMAGE = "membar.certificates.preimage"
STAGE = "membar.certificates.stage"
COVER = "membar.certificates.cover"
CHECK = "membar.certificates.check"

# Each with the system of `known_systems` whose answer it changes.
BUGS: tuple[tuple[str, str, Rewrite], ...] = (
    # The front end.
    ("`>` is `<`", "counting too far", Rewrite(f"{FRONT}.terms", "if flipped else", "if False else")),
    (
        "`fence()` is forgotten",
        "flags with a fence",
        Rewrite(f"{FRONT}.elaborate", "fence=full.fence", "fence=False"),
    ),
    (
        "read-modify-writes are two steps",
        "test and set",
        Rewrite(f"{FRONT}.elaborate", "reads and writes,", "False,"),
    ),
    (
        "a disjunctive guard keeps its first part",
        "order",
        Rewrite(
            f"{FRONT}.logic",
            "for part in formula.parts for one in alternatives(part, span)",
            "for part in formula.parts[:1] for one in alternatives(part, span)",
        ),
    ),
    (
        "`forall` forgets the parameters",
        "everybody",
        Rewrite(f"{FRONT}.logic", "here = () if syntax.others else", "here = () if True else"),
    ),
    (
        "what exists may be a parameter",
        "others",
        Rewrite(
            f"{FRONT}.elaborate", "for witness in (*extra, fresh):", "for witness in (*parameters, fresh):"
        ),
    ),
    (
        "cases after the first are forgotten",
        "cases",
        Rewrite(
            f"{FRONT}.updates",
            "    return AssignAll(symbol.name, binders, tuple(found))",
            "    return AssignAll(symbol.name, binders, tuple(found[:1]))",
        ),
    ),
    (
        "sums lose a sign",
        "counting down",
        Rewrite(f"{FRONT}.terms", "factor = Fraction(product.sign)", "factor = Fraction(1)"),
    ),
    # The simulator.
    (
        "a process does not see its own pending writes",
        "message passing",
        Rewrite(MACHINE, "for entry in reversed(self.buffers[process - 1]):", "for entry in ():"),
    ),
    (
        "a process sees its oldest pending write",
        "the newest own write",
        Rewrite(MACHINE, "in reversed(self.buffers[process - 1])", "in (self.buffers[process - 1])"),
    ),
    (
        "fences do not wait",
        "flags with a fence",
        Rewrite(MACHINE, "waits = self.buffered and", "waits = False and"),
    ),
    (
        "buffers are never flushed",
        "message passing the other way",
        Rewrite(MACHINE, "            if entries:\n", "            if False:\n"),
    ),
    (
        "the newest entry is flushed first",
        "flags with a fence",
        Rewrite(MACHINE, "entries[1:])\n", "entries[:-1])\n"),
    ),
    (
        "universal guards are not looked at",
        "flags with a fence",
        Rewrite(MACHINE, "            for other in others\n", "            for other in others[:0]\n"),
    ),
    (
        "invariants do not restrict the initial states",
        "one boss",
        Rewrite(MACHINE, "for cube in self.system.invariants)", "for cube in self.system.invariants[:0])"),
    ),
    # The certificates: orders of events.
    (
        "a read is not before later events of its process",
        "message passing",
        Rewrite(PREIMAGE, "return event.process == actor or (\n", "return False or (\n"),
    ),
    (
        "a read is not before later writes of its location",
        "flags with a fence",
        Rewrite(PREIMAGE, "any(place in reads for place in event.locations)", "False"),
    ),
    (
        "writes of a process are not in order",
        "message passing",
        Rewrite(
            PREIMAGE, "return event.process == actor or any(place in writes", "return any(place in writes"
        ),
    ),
    (
        "every read waits for the buffer",
        "flags",
        Rewrite(PREIMAGE, "return event.process == actor and event.fence", "return event.process == actor"),
    ),
    (
        "no read waits for the buffer",
        "flags with a fence",
        Rewrite(PREIMAGE, "return event.process == actor and event.fence", "return False"),
    ),
    (
        "the erratum: a new write is after every read that it does not satisfy",
        "message passing the other way",
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
        "message passing",
        Rewrite(PREIMAGE, "(True,) if number in own else (True, False)", "(True, False)"),
    ),
    (
        "a read that misses a write is not before it",
        "flags with a fence",
        Rewrite(
            PREIMAGE,
            "found.before.add((writer, number) if taken else (number, writer))",
            "found.before.add((writer, number)) if taken else None",
        ),
    ),
    (
        "every waiting read takes the new value",
        "flags",
        Rewrite(PREIMAGE, "(True,) if number in own else (True, False)", "(True,)"),
    ),
    (
        "a write's value is forgotten",
        "flags with a fence",
        Rewrite(PREIMAGE, "found.values[value] = written[location]", "pass"),
    ),
    (
        "an atomic step is two",
        "test and set",
        Rewrite(PREIMAGE, "together.add((reader, writer))", "pass"),
    ),
    (
        "views are not at one instant",
        "views at one instant",
        Rewrite(PREIMAGE, "for number in range(1, len(numbers))", "for number in range(0)"),
    ),
    (
        "cycles are no contradiction",
        "flags with a fence",
        Rewrite("membar.certificates.graph", "        return None\n", "        pass\n"),
    ),
    # The certificates: processes, guards, cases.
    (
        "steps are only of processes of the cube",
        "others",
        Rewrite(STAGE, "if one not in names.values()), unused):", "if one not in names.values()),):"),
    ),
    (
        "steps are only of further processes",
        "lock that is not taken",
        Rewrite(STAGE, "(*(one for one in old if one not in names.values()), unused)", "(unused,)"),
    ),
    (
        "universal guards are forgotten",
        "order of all",
        Rewrite(
            PREIMAGE,
            "        for choice in product(*columns):\n            yield tuple(literal for body",
            "        for choice in product(*columns[:0]):\n            yield tuple(literal for body",
        ),
    ),
    (
        "a later case may win",
        "cases",
        Rewrite(PREIMAGE, "        unmatched = [way for way in ways if way is not None]\n", ""),
    ),
    (
        "cells that stay are forgotten",
        "a cell that stays",
        Rewrite(
            PREIMAGE,
            "    for way in unmatched:\n        yield Option(way, None)\n",
            "    for way in ():\n        yield Option(way, None)\n",
        ),
    ),
    # The certificates: covers and initial states.
    (
        "covers forget the order",
        "flags with a fence",
        Rewrite(
            COVER,
            "all(known.is_before(images[one], images[other]) for one, other in candidate.wanted_before)",
            "True",
        ),
    ),
    (
        "covers forget facts",
        "flags with a fence",
        Rewrite(COVER, "for fact, number in candidate.facts\n", "for fact, number in ()\n"),
    ),
    (
        "covers forget who acts",
        "flags with a fence",
        Rewrite(
            COVER,
            "if wanted.process is not None and event.process != wanted.process:",
            "if False:",
        ),
    ),
    (
        "covers forget locations",
        "flags with a fence",
        Rewrite(
            COVER,
            "all(place in event.locations for place in wanted.locations)",
            "True",
        ),
    ),
    (
        "`init` is only about one process",
        "a number each",
        Rewrite(
            CHECK,
            "for chosen in product(universe, repeat=len(system.init.parameters)):",
            "for chosen in list(product(universe, repeat=len(system.init.parameters)))[:1]:",
        ),
    ),
    (
        "waiting reads may see anything initially",
        "message passing",
        Rewrite(
            CHECK, "for place in event.locations if event.kind is EventKind.READ else ():", "for place in ():"
        ),
    ),
)
