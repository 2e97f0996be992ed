//! What the axioms of a model require of coherence order, recognised in its plan.
//!
//! Most models require that the accesses of one location are coherent, acyclic (po ∩ loc) ∪ rf ∪ co ∪ fr, and that
//! no other thread writes between the two halves of an RMW, empty rmw ∩ (fre ; coe). Where a plan has such a check,
//! the search need not discover its consequences for co by trial. The shapes are matched in the plan, and a slot
//! counts if it includes *at least* the intended relation: a check of more is a stronger one. Conversely a check of
//! *at most* such a relation need not be evaluated on a graph whose co contains everything that is forced.

use crate::plan::{Check, CheckKind, CheckMode, Op, Plan, Primitive, Slot};

/// What the required checks of a plan say about coherence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CoherenceAxioms {
    /// po ∩ loc, rf, co and fr have no cycle together.
    pub coherence: bool,
    /// Nobody else writes inside an atomic operation. Needs `coherence`.
    pub atomic: bool,
    /// Nobody else writes between an exclusive load and its store. Needs `coherence`.
    pub exclusive: bool,
}

/// Relations that a slot may contain, one bit each.
type Contents = u16;

const PO: Contents = 1;
const LOC: Contents = 1 << 1;
const PO_LOC: Contents = 1 << 2;
const RF: Contents = 1 << 3;
const RF_INVERSE: Contents = 1 << 4;
const CO: Contents = 1 << 5;
const FR: Contents = 1 << 6;
const EXTERNAL: Contents = 1 << 7;
const CO_EXTERNAL: Contents = 1 << 8;
const FR_EXTERNAL: Contents = 1 << 9;
const BETWEEN: Contents = 1 << 10;
const ATOMIC: Contents = 1 << 11;
const EXCLUSIVE: Contents = 1 << 12;
const ATOMIC_BETWEEN: Contents = 1 << 13;
const EXCLUSIVE_BETWEEN: Contents = 1 << 14;

/// What the intersection of two relations contains, in either order.
const MEETS: [(Contents, Contents, Contents); 5] = [
    (PO, LOC, PO_LOC),
    (CO, EXTERNAL, CO_EXTERNAL),
    (FR, EXTERNAL, FR_EXTERNAL),
    (ATOMIC, BETWEEN, ATOMIC_BETWEEN),
    (EXCLUSIVE, BETWEEN, EXCLUSIVE_BETWEEN),
];

impl CoherenceAxioms {
    /// What `plan` requires.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let contents = contents(plan);
        let required = |kind: CheckKind, what: Contents| {
            plan.checks.iter().any(|&Check { kind: of, slot, negated, mode }| {
                mode == CheckMode::Require && !negated && of == kind && contents[slot.index()] & what == what
            })
        };
        let coherence = required(CheckKind::Acyclic, PO_LOC | RF | CO | FR);
        Self {
            coherence,
            atomic: coherence && required(CheckKind::Empty, ATOMIC_BETWEEN),
            exclusive: coherence && required(CheckKind::Empty, EXCLUSIVE_BETWEEN),
        }
    }
}

impl CoherenceAxioms {
    /// For each check of `plan` whether it is true of every graph to whose co all that is forced was added.
    ///
    /// Let each event stand for a write: a write for itself, a read for the one it reads. Then po ∩ loc leads to the
    /// same write or a co-later one, rf to the same, co and fr to co-later ones. So a cycle of them stays at one write,
    /// which some read would have to read from the future: that is refused when the read chooses. And a write between
    /// the halves of an atomic operation is put before the first or behind the second, or refused.
    #[must_use]
    pub fn implied_checks(self, plan: &Plan) -> Vec<bool> {
        let mut allowed = 0;
        for (is_kept, pairs) in [(self.atomic, ATOMIC_BETWEEN), (self.exclusive, EXCLUSIVE_BETWEEN)] {
            allowed |= if is_kept { pairs } else { 0 };
        }
        let bounds = bounds(plan);
        let is_implied = |check: &Check| {
            let within = |what: Contents| bounds[check.slot.index()].is_some_and(|of| of & !what == 0);
            self.coherence
                && check.mode == CheckMode::Require
                && !check.negated
                && match check.kind {
                    CheckKind::Acyclic | CheckKind::Irreflexive => {
                        within(PO_LOC | RF | CO | FR | CO_EXTERNAL | FR_EXTERNAL)
                    }
                    CheckKind::Empty => within(allowed),
                }
        };
        plan.checks.iter().map(is_implied).collect()
    }
}

/// For each slot relations whose union contains it; None if nothing is known.
fn bounds(plan: &Plan) -> Vec<Option<Contents>> {
    let mut bounds: Vec<Option<Contents>> = Vec::with_capacity(plan.instructions.len());
    for instruction in &plan.instructions {
        let of = |slot: Slot| bounds[slot.index()];
        bounds.push(match instruction.op {
            Op::Primitive(primitive) => Some(of_primitive(primitive)).filter(|&found| found != 0),
            Op::Empty => Some(0),
            Op::Union(a, b) => of(a).zip(of(b)).map(|(a, b)| a | b),
            Op::Difference(a, _) => of(a),
            Op::Inverse(a) => of(a).filter(|&a| a == RF).map(|_| RF_INVERSE),
            Op::Intersection(a, b) => smaller(of(a), of(b)),
            Op::Sequence(a, b) => of(a).zip(of(b)).and_then(|(a, b)| of_sequence(a, b)),
            _ => None,
        });
    }
    bounds
}

/// What bounds the intersection of two relations.
fn smaller(a: Option<Contents>, b: Option<Contents>) -> Option<Contents> {
    let (Some(left), Some(right)) = (a, b) else { return a.or(b) };
    let meeting = |x, y| match meet(x, y) {
        0 => x,
        both => both,
    };
    Some(pairs(left, right).map(|(x, y)| meeting(x, y)).fold(0, |all, one| all | one))
}

/// What bounds the composition of two relations, if that is known of all their parts.
fn of_sequence(a: Contents, b: Contents) -> Option<Contents> {
    pairs(a, b).try_fold(0, |all, pair| match pair {
        (RF_INVERSE, CO) => Some(all | FR),
        (FR_EXTERNAL, CO_EXTERNAL) => Some(all | BETWEEN),
        _ => None,
    })
}

/// Each relation of `a` with each one of `b`.
fn pairs(a: Contents, b: Contents) -> impl Iterator<Item = (Contents, Contents)> {
    let each = |all: Contents| (0..Contents::BITS).map(|bit| 1 << bit).filter(move |one| all & one != 0);
    each(a).flat_map(move |x| each(b).map(move |y| (x, y)))
}

/// For each slot the relations that it certainly contains.
fn contents(plan: &Plan) -> Vec<Contents> {
    let mut contents: Vec<Contents> = Vec::with_capacity(plan.instructions.len());
    for instruction in &plan.instructions {
        let of = |slot: Slot| contents[slot.index()];
        contents.push(match instruction.op {
            Op::Primitive(primitive) => of_primitive(primitive),
            Op::Union(a, b) => of(a) | of(b),
            Op::Plus(a) | Op::Star(a) | Op::Optional(a) => of(a),
            Op::Inverse(a) if of(a) & RF != 0 => RF_INVERSE,
            Op::Intersection(a, b) => meet(of(a), of(b)),
            Op::Sequence(a, b) => compose(of(a), of(b)),
            _ => 0,
        });
    }
    contents
}

fn of_primitive(primitive: Primitive) -> Contents {
    match primitive {
        Primitive::ProgramOrder => PO,
        Primitive::SameLocation => LOC,
        Primitive::ReadsFrom => RF,
        Primitive::Coherence => CO,
        Primitive::External => EXTERNAL,
        Primitive::Atomic => ATOMIC,
        Primitive::Exclusive => EXCLUSIVE,
        _ => 0,
    }
}

fn meet(a: Contents, b: Contents) -> Contents {
    let both = |x: Contents, y: Contents| a & x != 0 && b & y != 0 || a & y != 0 && b & x != 0;
    MEETS.iter().filter(|(x, y, _)| both(*x, *y)).fold(a & b, |all, (_, _, met)| all | met)
}

fn compose(a: Contents, b: Contents) -> Contents {
    let fr = if a & RF_INVERSE != 0 && b & CO != 0 { FR } else { 0 };
    let between = if a & (FR | FR_EXTERNAL) != 0 && b & (CO | CO_EXTERNAL) != 0 { BETWEEN } else { 0 };
    fr | between
}

#[cfg(test)]
mod tests {
    use super::*;

    const PO: &[u64] = &[0, 1, 8];
    const LOC: &[u64] = &[0, 1, 5];
    const RF: &[u64] = &[0, 1, 15];
    const CO: &[u64] = &[0, 1, 16];
    const EXT: &[u64] = &[0, 1, 7];
    const AMO: &[u64] = &[0, 1, 12];

    /// Slots 4 to 9: rf^-1, fr, po ∩ loc, and the union of all. Slots 10 to 15: the halves of atomicity, then all. Then
    /// coherence with all of po, fr ; co, and atomicity with that.
    const SLOTS: [&[u64]; 19] = [
        PO,
        LOC,
        RF,
        CO,
        &[9, 1, 2],
        &[8, 1, 4, 3],
        &[5, 1, 0, 1],
        &[4, 1, 2, 3],
        &[4, 1, 5, 7],
        &[4, 1, 6, 8],
        EXT,
        AMO,
        &[5, 1, 5, 10],
        &[5, 1, 3, 10],
        &[8, 1, 12, 13],
        &[5, 1, 11, 14],
        &[4, 1, 0, 9],
        &[8, 1, 5, 3],
        &[5, 1, 11, 17],
    ];

    fn axioms(checks: &[&[u64]]) -> CoherenceAxioms {
        CoherenceAxioms::of(&plan(checks))
    }

    fn plan(checks: &[&[u64]]) -> Plan {
        let mut form = vec![1, 0, SLOTS.len() as u64];
        form.extend(SLOTS.concat());
        form.push(0);
        form.push(checks.len() as u64);
        form.extend(checks.concat());
        Plan::decode(&form).unwrap()
    }

    #[test]
    fn the_usual_checks_are_recognised() {
        let all = axioms(&[&[0, 9, 0, 0], &[2, 15, 0, 0]]);
        assert_eq!(all, CoherenceAxioms { coherence: true, atomic: true, exclusive: false });
        assert_eq!(
            axioms(&[&[0, 9, 0, 0]]),
            CoherenceAxioms { coherence: true, ..CoherenceAxioms::default() }
        );
    }

    #[test]
    fn what_is_forced_need_not_be_asked() {
        let implied = |checks: &[&[u64]]| {
            let plan = plan(checks);
            CoherenceAxioms::of(&plan).implied_checks(&plan)
        };
        // Coherence and atomicity; a part of coherence; irreflexive only; more than coherence.
        let (coherence, atomic): (&[u64], &[u64]) = (&[0, 9, 0, 0], &[2, 15, 0, 0]);
        assert_eq!(implied(&[coherence, atomic]), [true, true]);
        assert_eq!(implied(&[coherence, &[0, 8, 0, 0], &[1, 9, 0, 0]]), [true; 3]);
        assert_eq!(implied(&[&[0, 16, 0, 0]]), [false]);
        // Without coherence; negated; a flag; a write of the own thread between the halves.
        assert_eq!(implied(&[atomic, &[0, 8, 0, 0]]), [false, false]);
        assert_eq!(implied(&[coherence, &[0, 9, 1, 0], &[0, 9, 0, 1]]), [true, false, false]);
        assert_eq!(implied(&[coherence, atomic, &[2, 18, 0, 0]]), [true, true, false]);
    }

    #[test]
    fn weaker_checks_require_nothing() {
        // Without po ∩ loc; irreflexive only; negated; a flag; atomicity without coherence.
        for checks in [[0, 8, 0, 0], [1, 9, 0, 0], [0, 9, 1, 0], [0, 9, 0, 1], [2, 15, 0, 0]] {
            assert_eq!(axioms(&[&checks]), CoherenceAxioms::default(), "{checks:?}");
        }
    }
}
