//! Whether comparisons of processes are satisfiable together.
//!
//! Processes are totally ordered, and there may be any number of them between two others: so the order is dense,
//! and the only contradiction is a cycle with a strict step or with two places that must differ. Values of abstract
//! types are treated in the same way, with equality only.

use crate::term::{Place, Relation};

/// The places that occur, and what follows about each pair.
#[derive(Debug)]
pub struct Order {
    places: Vec<Place>,
    /// For each pair: 0 nothing, 1 at most, 2 less.
    least: Vec<u8>,
    different: Vec<bool>,
}

impl Order {
    /// What follows from comparisons; None if they cannot hold together. With `fixed`, process variable n is the
    /// n-th process.
    #[must_use]
    pub fn of(comparisons: &[(Relation, Place, Place)], fixed: bool) -> Option<Self> {
        let mut places: Vec<Place> = comparisons.iter().flat_map(|&(_, a, b)| [a, b]).collect();
        places.sort_unstable();
        places.dedup();
        let count = places.len();
        let mut order = Self { places, least: vec![0; count * count], different: vec![false; count * count] };
        for (a, one) in order.places.clone().into_iter().enumerate() {
            for (b, other) in order.places.clone().into_iter().enumerate() {
                if let (Some(one), Some(other)) = (one.slot(), other.slot())
                    && one != other
                {
                    order.different[a * count + b] = true;
                    if fixed && one < other {
                        order.least[a * count + b] = 2;
                    }
                }
            }
        }
        for &(relation, a, b) in comparisons {
            let (Some(a), Some(b)) = (order.at(a), order.at(b)) else { continue };
            order.state(relation, a, b);
        }
        order.close();
        order.is_consistent().then_some(order)
    }

    fn at(&self, place: Place) -> Option<usize> {
        self.places.binary_search(&place).ok()
    }

    fn state(&mut self, relation: Relation, a: usize, b: usize) {
        let count = self.places.len();
        let (there, back) = (a * count + b, b * count + a);
        match relation {
            Relation::Equal => {
                self.least[there] = self.least[there].max(1);
                self.least[back] = self.least[back].max(1);
            }
            Relation::Different => {
                self.different[there] = true;
                self.different[back] = true;
            }
            Relation::Less => self.least[there] = 2,
            Relation::AtMost => self.least[there] = self.least[there].max(1),
        }
    }

    fn close(&mut self) {
        let count = self.places.len();
        for middle in 0..count {
            for from in 0..count {
                let first = self.least[from * count + middle];
                if first == 0 {
                    continue;
                }
                for to in 0..count {
                    let second = self.least[middle * count + to];
                    if second != 0 {
                        let there = from * count + to;
                        self.least[there] = self.least[there].max(first.max(second));
                    }
                }
            }
        }
    }

    fn is_consistent(&self) -> bool {
        let count = self.places.len();
        let wrong = |a: usize, b: usize| {
            let both = self.least[a * count + b] != 0 && self.least[b * count + a] != 0;
            (a == b && self.least[a * count + b] == 2) || (both && a != b && self.different[a * count + b])
        };
        let loops = |a: usize| self.different[a * count + a];
        !(0..count).any(|a| loops(a) || (0..count).any(|b| wrong(a, b)))
    }
}
