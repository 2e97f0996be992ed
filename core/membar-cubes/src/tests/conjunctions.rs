//! Facts against brute force.

use crate::conjunctions::{Facts, Truth};
use crate::system::{Sort, Sorts, Symbol};
use crate::term::{Judged, Linear, Literal, NOBODY, Place, Relation, Sum, compare};

const NONE: [u8; 4] = [NOBODY; 4];
const RANGE: std::ops::RangeInclusive<i64> = -2..=2;

/// Values of three places of a finite type, of two numbers, and of two processes and a variable that names one.
type Model = ([u8; 3], [i64; 2], [i64; 3]);

/// A sequence of numbers that is the same for the same seed.
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`.
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

fn sorts() -> Sorts {
    let symbol = |sort| Symbol { sort, dimensions: 0, is_weak: false };
    let finite = Sort::Finite(3);
    let all = [finite, finite, finite, Sort::Integer, Sort::Integer, Sort::Process].map(symbol);
    Sorts::new(&all, false)
}

fn place(symbol: u16) -> Place {
    Place::cell(symbol, NONE)
}

fn process(number: u64) -> Place {
    match number {
        0 => Place::process(0),
        1 => Place::process(1),
        _ => place(5),
    }
}

fn models() -> Vec<Model> {
    let mut found = Vec::new();
    for finite in 0..27u8 {
        for (a, b) in RANGE.flat_map(|a| RANGE.map(move |b| (a, b))) {
            for order in 0..125i64 {
                let order = [order / 25, order / 5 % 5, order % 5];
                if order[0] != order[1] {
                    found.push(([finite / 9, finite / 3 % 3, finite % 3], [a, b], order));
                }
            }
        }
    }
    found
}

fn literal(dice: &mut Dice) -> Option<Literal> {
    let equality = if dice.chance(50) { Relation::Equal } else { Relation::Different };
    let any = [Relation::Equal, Relation::Different, Relation::Less, Relation::AtMost];
    let relation = any[usize::try_from(dice.below(4)).unwrap_or(0)];
    let symbol = |dice: &mut Dice| u16::try_from(dice.below(3)).unwrap_or(0);
    match dice.below(4) {
        0 => Some(Literal::In(place(symbol(dice)), 1 + dice.below(6))),
        1 => {
            let (a, b) = (symbol(dice), symbol(dice));
            (a != b).then(|| compare(equality, place(a), place(b)))
        }
        2 => {
            let (a, b) = (process(dice.below(3)), process(dice.below(3)));
            (a != b).then(|| compare(relation, a, b))
        }
        _ => {
            let factor = |dice: &mut Dice| i64::try_from(dice.below(3)).unwrap_or(0) - 1;
            let mut sum = Sum { parts: Vec::new(), constant: factor(dice) };
            sum.add(&Sum::of(place(3)), factor(dice)).ok()?;
            sum.add(&Sum::of(place(4)), factor(dice)).ok()?;
            match Linear::new(relation, sum, false).ok()? {
                Judged::Open(linear) => Some(Literal::Linear(linear)),
                _ => None,
            }
        }
    }
}

fn related(relation: Relation, a: i64, b: i64) -> bool {
    match relation {
        Relation::Equal => a == b,
        Relation::Different => a != b,
        Relation::Less => a < b,
        Relation::AtMost => a <= b,
    }
}

fn value(model: &Model, at: Place) -> i64 {
    match at.slot() {
        Some(slot) => model.2[usize::from(slot)],
        None if at.symbol == 5 => model.2[2],
        None if at.symbol >= 3 => model.1[usize::from(at.symbol) - 3],
        None => i64::from(model.0[usize::from(at.symbol)]),
    }
}

fn holds(model: &Model, literal: &Literal) -> bool {
    match literal {
        Literal::In(at, values) => values >> value(model, *at) & 1 == 1,
        Literal::Compare(relation, a, b) => related(*relation, value(model, *a), value(model, *b)),
        Literal::Linear(linear) => {
            let sum: i64 = linear.sum.parts.iter().map(|&(at, factor)| factor * value(model, at)).sum();
            related(linear.relation, sum + linear.sum.constant, 0)
        }
    }
}

/// That both numbers are in the range of the models.
fn bounds() -> Vec<Literal> {
    let mut found = Vec::new();
    for symbol in [3, 4] {
        for (factor, constant) in [(1, -*RANGE.end()), (-1, *RANGE.start())] {
            let mut sum = Sum { parts: Vec::new(), constant };
            sum.add(&Sum::of(place(symbol)), factor).expect("small");
            if let Ok(Judged::Open(linear)) = Linear::new(Relation::AtMost, sum, false) {
                found.push(Literal::Linear(linear));
            }
        }
    }
    found
}

#[test]
fn facts_are_decided_as_by_brute_force() {
    let sorts = sorts();
    let models = models();
    let mut dice = Dice::new(7);
    let mut inconsistent = 0;
    for _ in 0..250 {
        let mut literals = bounds();
        literals.extend((0..2 + dice.below(6)).filter_map(|_| literal(&mut dice)));
        let mut facts = Facts::default();
        let mut is_open = true;
        for literal in &literals {
            is_open = is_open && facts.add(literal, &sorts).expect("small");
        }
        let satisfying: Vec<&Model> =
            models.iter().filter(|model| literals.iter().all(|literal| holds(model, literal))).collect();
        let is_consistent = is_open && facts.is_consistent(&sorts).expect("small");
        assert_eq!(is_consistent, !satisfying.is_empty(), "{literals:?}");
        inconsistent += u32::from(!is_consistent);
        let Some(question) = literal(&mut dice).filter(|_| is_consistent) else { continue };
        let truth = facts.judge(&question, &sorts).expect("small");
        let agreeing = satisfying.iter().filter(|model| holds(model, &question)).count();
        match truth {
            Truth::True => assert_eq!(agreeing, satisfying.len(), "{literals:?} {question:?}"),
            Truth::False => assert_eq!(agreeing, 0, "{literals:?} {question:?}"),
            Truth::Open => {}
        }
    }
    assert!(inconsistent > 40, "{inconsistent}");
}
