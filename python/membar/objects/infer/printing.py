"""Prints inferred invariants in the object language, as few and as general as possible."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator

import z3

from membar.objects import terms as t
from membar.objects.algebra import term_text
from membar.objects.infer.candidates import Candidate, Found
from membar.objects.infer.needed import Needed
from membar.objects.infer.templates import Templates
from membar.objects.proof.smt import Encoder, ask
from membar.objects.syntax import ConcurrentObject, Store
from membar.objects.systems.moves import ThreadSystem
from membar.records import record


@record(frozen=True, slots=True)
class _Feature:
    """Something about a thread: where it is, or what is pending, and perhaps how an attempt ended."""

    place: t.Term
    outcome: tuple[t.Variable, int] | None = None

    def text(self) -> str:
        """In the object language."""
        text = term_text(self.place)
        if self.outcome is not None:
            variable, value = self.outcome
            text += f" && {term_text(t.equals(variable, t.Number(value)))}"
        return text


@record(frozen=True, slots=True)
class _Claim:
    """A claim in the object language, and what it says at which controls."""

    text: str
    covered: frozenset[tuple[Hashable, t.Term]]


class Printer:
    """Prints the invariants of one system."""

    def __init__(self, system: ThreadSystem, found: Found) -> None:
        self._system = system
        self._about: ConcurrentObject = system.about
        self._found = found
        self._controls = list(found.controls)
        self._known: dict[Hashable, dict[t.Term, Candidate | None]] = {
            control: {t.TRUE: None} | {each.said: each for each in kept}
            for control, kept in found.controls.items()
        }
        self._order = [line.label for _, line in self._about.lines()]
        self._truths = Templates(system).truths
        self._said: dict[tuple[t.Term, Hashable], t.Term] = {}
        self._places: dict[t.Term, list[Hashable]] = {}
        self._stores = [line.label for _, line in self._about.lines() if isinstance(line.action, Store)]

    def _says(self, term: t.Term, control: Hashable) -> t.Term:
        said = self._said.get((term, control))
        if said is None:
            said = self._said[term, control] = self._system.resolved(term, control, t.VariableOwner.SELF)
        return said

    def _where(self, term: t.Term) -> list[Hashable]:
        found = self._places.get(term)
        if found is None:
            found = [control for control in self._controls if self._says(term, control) == t.TRUE]
            self._places[term] = found
        return found

    # About one thread

    def text(self, needed: Needed | None = None) -> str:
        """What is needed, or all. A claim may say more than is needed: then that is needed too."""
        wanted = self._found.controls if needed is None else needed.controls
        claims = self.claims(wanted)
        while needed is not None:
            said = [each for claim in claims for each in self._candidates(claim.covered)]
            more = [(control, each) for control, each in said if each not in wanted[control]]
            if not more:
                break
            needed.close(more)
            claims = self.claims(wanted)
        lines = [f"    {claim.text};" for claim in claims]
        text = "invariant {\n" + "\n".join(lines) + "\n}\n" if lines else ""
        return text + "".join(f"{line}\n" for line in self.between())

    def general(self) -> frozenset[Candidate]:
        """Candidates that a claim about several controls makes."""
        atoms = dict.fromkeys(each.term for kept in self._found.controls.values() for each in kept)
        found: set[tuple[Hashable, t.Term]] = set()
        for _, places in self._guards():
            for atom in atoms:
                found |= self._claims_covered(atom, places)
        return frozenset(each for _, each in self._candidates(found))

    def _candidates(self, covered: Iterable[tuple[Hashable, t.Term]]) -> Iterator[tuple[Hashable, Candidate]]:
        for control, said in covered:
            candidate = self._known[control][said]
            if candidate is not None:
                yield control, candidate

    def claims(self, wanted: dict[Hashable, dict[Candidate, None]]) -> list[_Claim]:
        """These candidates, each with where it is claimed; redundant ones are left out."""
        left = {
            (control, said) for control in self._controls for said in self._without_redundant(wanted[control])
        }
        atoms = dict.fromkeys(each.term for kept in wanted.values() for each in kept)
        found = []
        for guard_text, places in self._guards():
            for atom in atoms if left else ():
                covered = self._claims_covered(atom, places)
                if covered and covered & left:
                    left -= covered
                    found.append(_Claim(guard_text(atom), frozenset(covered)))
        for control in self._controls:
            for each in wanted[control]:
                if (control, each.said) in left:
                    exactly = self._exact_control(control)
                    covered = self._claims_covered(each.term, self._where(exactly))
                    left -= {(control, each.said), *covered}
                    if covered:  # else the language cannot tell this control from others
                        text = f"{term_text(exactly, around=2)} -> {term_text(each.term, around=1)}"
                        found.append(_Claim(text, frozenset(covered)))
        return found

    def _claims_covered(self, atom: t.Term, places: list[Hashable]) -> set[tuple[Hashable, t.Term]]:
        """What a claim says about these controls; nothing if it does not hold at one of them."""
        found = set()
        for control in places:
            said = self._says(atom, control)
            if said not in self._known[control]:
                return set()
            found.add((control, said))
        return found

    def _guards(self) -> Iterator[tuple[Callable[[t.Term], str], list[Hashable]]]:
        """Ways to say where, general ones first."""
        yield term_text, self._controls
        for place in (t.IDLE, *self._order):
            at = self._where(t.At(frozenset({place})))
            if at:
                yield _prefix(f"at {place}: "), at
        for label in self._stores:
            pending = self._where(t.Pending(label))
            if pending:
                yield _prefix(f"pending({label}) -> "), pending
        for term in self._conditions():
            if places := self._where(term):
                yield _prefix(f"{term_text(term)} -> "), places
        for label in self._stores:
            for other in self._stores:
                if other != label:
                    term = t.conjunction((t.Pending(label), t.negation(t.Pending(other))))
                    if places := self._where(term):
                        yield _prefix(f"{term_text(term)} -> "), places
            for place in self._order:
                term = t.conjunction((t.At(frozenset({place})), t.negation(t.Pending(label))))
                if (places := self._where(term)) and len(places) < len(self._where(t.At(frozenset({place})))):
                    yield _prefix(f"{term_text(term)} -> "), places

    def _conditions(self) -> Iterator[t.Term]:
        """Which operations have taken effect, and where."""
        yield from map(t.Deferred, self._stores)
        for place in self._order:
            at = t.At(frozenset({place}))
            yield t.conjunction((at, t.Linearized()))
            yield t.conjunction((at, t.negation(t.Linearized())))
            yield from (t.conjunction((at, t.Deferred(label))) for label in self._stores)

    def _exact_control(self, control: Hashable) -> t.Term:
        """A formula that holds in one control state, and in no other that the language can distinguish."""
        line = next(
            place
            for place in (t.IDLE, *self._order)
            if self._says(t.At(frozenset({place})), control) == t.TRUE
        )
        parts: list[t.Term] = [t.At(frozenset({line}))]
        terms: list[t.Term] = [t.Linearized()]
        terms += [t.Pending(label) for label in self._stores]
        terms += [t.Deferred(label) for label in self._stores]
        alike = [each for each in self._controls if each != control and self._says(parts[0], each) == t.TRUE]
        for term in terms:
            said = self._says(term, control)
            different = [each for each in alike if self._says(term, each) != said]
            if different:
                parts.append(term if said == t.TRUE else t.negation(term))
                alike = [each for each in alike if each not in different]
        return t.conjunction(tuple(parts))

    def _without_redundant(self, candidates: Iterable[Candidate]) -> list[t.Term]:
        """The claims without those that follow from the others."""
        encoder, solver = Encoder(), z3.Solver()
        kept = [each.said for each in candidates]
        for term in reversed(kept):
            others = [each for each in kept if each is not term]
            solver.push()
            solver.add(encoder.all(others), z3.Not(encoder.truth(term)))
            if ask(solver) == z3.unsat:
                kept = others
            solver.pop()
        return kept

    # About two threads

    def between(self) -> Iterator[str]:
        """The claims that two threads exclude each other."""
        features = [feature for feature in self._features() if self._where(feature.place)]
        left = {
            (one, two)
            for number, one in enumerate(features)
            for two in features[number:]
            if self._is_excluded(one, two)
        }
        group_number = 0
        while True:
            group = self._group(features, left)
            if len(group) < 2:
                break
            group_number += 1
            left -= {(one, two) for one in group for two in group}
            name = self._fresh(f"alone{group_number if group_number > 1 else ''}")
            yield f"define {name} = {' || '.join(each.text() for each in group)};"
            yield f"between !({name} && other.{name});"
        for one, two in sorted(left, key=lambda pair: (features.index(pair[0]), features.index(pair[1]))):
            first, second = one.text(), _of_other(two)
            yield f"between !({first} && {second});"

    def _fresh(self, name: str) -> str:
        taken = {each.name for each in self._about.shared} | {each for each, _ in self._about.private}
        taken |= {operation.name for operation in self._about.operations}
        if self._about.specification is not None:
            taken |= {each for each, _ in self._about.specification.state}
        while name in taken or name in self._about.source.text:
            name += "_"
        return name

    def _features(self) -> Iterator[_Feature]:
        for operation, line in self._about.lines():
            place = t.At(frozenset({line.label}))
            yield _Feature(place)
            for name in operation.locals:
                variable = t.Variable(t.Space.LOCAL, name, operation.name)
                for value in (0, 1) if (operation.name, name) in self._truths else ():
                    if not self._is_impossible(place, t.equals(variable, t.Number(1 - value))):
                        yield _Feature(place, (variable, value))
        for label in self._stores:
            yield _Feature(t.Pending(label))

    def _is_impossible(self, place: t.Term, opposite: t.Term) -> bool:
        """Whether the opposite is claimed wherever a thread is there."""
        return all(opposite in self._known[control] for control in self._where(place))

    def _group(self, features: list[_Feature], left: set[tuple[_Feature, _Feature]]) -> list[_Feature]:
        """Features that all exclude one another."""
        group: list[_Feature] = []
        for feature in features:
            if any(feature.place == each.place for each in group):
                continue
            if all((each, feature) in left or (feature, each) in left for each in (*group, feature)):
                group.append(feature)
        return group

    def _is_excluded(self, one: _Feature, two: _Feature) -> bool:
        """Whether it is claimed that no two threads are like this, and not more than that."""
        general = [_Feature(one.place), one][: 1 + (one.outcome is not None)]
        others = [_Feature(two.place), two][: 1 + (two.outcome is not None)]
        for first in general:
            for second in others:
                if self._is_claimed(first, second):
                    return first == one and second == two
        return False

    def _is_claimed(self, one: _Feature, two: _Feature) -> bool:
        return all(
            self._never(first, second, one, two)
            for first in self._where(one.place)
            for second in self._where(two.place)
        )

    def _never(self, first: Hashable, second: Hashable, one: _Feature, two: _Feature) -> bool:
        direct = self._found.pairs.get((first, second))
        if direct is not None:
            return any(_contradicts(term, one.outcome, two.outcome) for term in direct)
        turned = self._found.pairs.get((second, first), {})
        return any(_contradicts(term, two.outcome, one.outcome) for term in turned)


def _prefix(before: str) -> Callable[[t.Term], str]:
    return lambda term: before + term_text(term, around=int(before.endswith("-> ")))


def _of_other(feature: _Feature) -> str:
    text = f"other.{term_text(feature.place)}"
    if feature.outcome is not None:
        variable, value = feature.outcome
        text += f" && other.{term_text(t.equals(variable, t.Number(value)))}"
    return text


def _contradicts(
    term: t.Term, own: tuple[t.Variable, int] | None, other: tuple[t.Variable, int] | None
) -> bool:
    """Whether a claim about two threads excludes these outcomes."""
    match term:
        case t.Binary(op=t.BinaryOp.EQ, left=t.Variable() as variable, right=t.Number(value=value)):
            asked = own if variable.who is t.VariableOwner.SELF else other
            if asked is None:
                return False
            name, wanted = asked
            return name.name == variable.name and name.operation == variable.operation and wanted != value
        case t.Binary(op=t.BinaryOp.OR, left=left, right=right):
            return _contradicts(left, own, other) and _contradicts(right, own, other)
        case _:
            return term == t.FALSE
