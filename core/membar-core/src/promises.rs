//! What every model that has certain checks promises of coherence, found in its plan.
//!
//! Most models require that the accesses of one location are coherent, acyclic (po ∩ loc) ∪ rf ∪ co ∪ fr, and that no
//! other thread writes between the two halves of an atomic operation, empty rmw ∩ (fre ; coe). Where a plan has such
//! a check, the search need not find out by trial what it says about co (`forced`). The shapes are looked for in the
//! plan, and a slot counts if it is *at least* the relation meant: a check of more is a stronger one.

use crate::plan::{Check, CheckKind, CheckMode, Op, Plan, Primitive};

/// What the required checks of a plan say about coherence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Promises {
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

impl Promises {
    /// What `plan` promises.
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

/// For each slot the relations that it certainly contains.
fn contents(plan: &Plan) -> Vec<Contents> {
    let mut contents: Vec<Contents> = Vec::with_capacity(plan.instructions.len());
    for instruction in &plan.instructions {
        let of = |slot: crate::plan::Slot| contents[slot.index()];
        contents.push(match instruction.op {
            Op::Primitive(primitive) => of_primitive(primitive),
            Op::Union(a, b) => of(a) | of(b),
            Op::Plus(a) | Op::Star(a) | Op::Optional(a) => of(a),
            Op::Inverse(a) if of(a) & RF != 0 => RF_INVERSE,
            Op::Intersection(a, b) => met(of(a), of(b)),
            Op::Sequence(a, b) => composed(of(a), of(b)),
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

fn met(a: Contents, b: Contents) -> Contents {
    let both = |x: Contents, y: Contents| a & x != 0 && b & y != 0 || a & y != 0 && b & x != 0;
    MEETS.iter().filter(|(x, y, _)| both(*x, *y)).fold(a & b, |all, (_, _, met)| all | met)
}

fn composed(a: Contents, b: Contents) -> Contents {
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

    /// Slots 4 to 9: rf^-1, fr, po ∩ loc, and the union of all. Slots 10 to 15: the halves of atomicity, then all.
    const SLOTS: [&[u64]; 16] = [
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
    ];

    fn promises(checks: &[&[u64]]) -> Promises {
        let mut form = vec![1, 0, SLOTS.len() as u64];
        form.extend(SLOTS.concat());
        form.push(0);
        form.push(checks.len() as u64);
        form.extend(checks.concat());
        Promises::of(&Plan::decode(&form).unwrap())
    }

    #[test]
    fn the_usual_checks_are_recognised() {
        let all = promises(&[&[0, 9, 0, 0], &[2, 15, 0, 0]]);
        assert_eq!(all, Promises { coherence: true, atomic: true, exclusive: false });
        assert_eq!(promises(&[&[0, 9, 0, 0]]), Promises { coherence: true, ..Promises::default() });
    }

    #[test]
    fn weaker_checks_promise_nothing() {
        // Without po ∩ loc; irreflexive only; negated; a flag; atomicity without coherence.
        for checks in [[0, 8, 0, 0], [1, 9, 0, 0], [0, 9, 1, 0], [0, 9, 0, 1], [2, 15, 0, 0]] {
            assert_eq!(promises(&[&checks]), Promises::default(), "{checks:?}");
        }
    }
}
