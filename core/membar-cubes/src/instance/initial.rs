//! The initial states of an instance.

use super::{Check, Instance, Source, Total, UNKNOWN, arrangements, to_byte};
use crate::system::{Conjunction, Formula, Sort};
use crate::term::Relation;

/// Initial states beyond which open values stay unknown.
const MOST_INITIAL: usize = 64;

impl Instance<'_> {
    /// Initial states, with `UNKNOWN` where init leaves too many choices.
    #[must_use]
    pub fn initial(&self) -> Vec<Vec<u8>> {
        let mut domains = vec![Domain::Any; self.cells];
        for tuple in arrangements(self.system.init_parameters, self.count, true) {
            let mut union: Vec<Option<Domain>> = vec![None; self.cells];
            for conjunction in &self.system.init {
                let narrowed = self.narrow(domains.clone(), conjunction, &tuple);
                for (all, one) in union.iter_mut().zip(narrowed) {
                    *all = Some(match *all {
                        Some(other) if other != one => Domain::Any,
                        _ => one,
                    });
                }
            }
            domains = union.into_iter().map(|domain| domain.unwrap_or(Domain::Any)).collect();
        }
        let mut states = vec![domains.iter().map(|domain| domain.value(self.count)).collect::<Vec<u8>>()];
        for (number, symbol) in self.system.symbols.iter().enumerate() {
            let values: Vec<u8> = match symbol.sort {
                Sort::Finite(size) => (0..size).collect(),
                Sort::Integer | Sort::Real if symbol.dimensions == 0 => vec![to_byte(0), to_byte(1)],
                _ => continue,
            };
            let end = self.first.get(number + 1).copied().unwrap_or(self.cells);
            for cell in self.first[number]..end {
                if domains[cell] == Domain::Any && states.len() * values.len() <= MOST_INITIAL {
                    let with = |&value: &u8| {
                        let mut states = states.clone();
                        for state in &mut states {
                            state[cell] = value;
                        }
                        states
                    };
                    states = values.iter().flat_map(with).collect();
                }
            }
        }
        if self.has_buffers {
            for state in &mut states {
                state.resize(self.cells + usize::from(self.count), 0);
            }
        }
        states.retain(|state| !self.system.invariants.iter().any(|formula| self.is_excluded(state, formula)));
        states
    }

    /// Whether a state is plainly one that an invariant excludes.
    fn is_excluded(&self, state: &[u8], formula: &Formula) -> bool {
        let is_known = |source: &Source| self.value(state, *source) != UNKNOWN;
        arrangements(formula.parameters, self.count, false).iter().any(|processes| {
            self.checks(&formula.conditions, processes).iter().all(|check| {
                let plain = match check {
                    Check::Pair(_, left, right) => is_known(left) && is_known(right),
                    Check::Among(source, _) => is_known(source),
                    Check::Sum(_, total) => total.parts.iter().all(|part| is_known(&part.0)),
                };
                plain && self.holds(state, check)
            })
        })
    }

    fn narrow(&self, mut domains: Vec<Domain>, conjunction: &Conjunction, tuple: &[u8]) -> Vec<Domain> {
        for check in self.checks(conjunction, tuple) {
            match check {
                Check::Pair(relation, Source::Cell(cell, _), Source::Value(value))
                | Check::Pair(relation, Source::Value(value), Source::Cell(cell, _)) => {
                    domains[cell] = domains[cell].narrow(relation, value);
                }
                Check::Sum(Relation::Equal, Total { parts, constant }) => {
                    if let [(Source::Cell(cell, _), factor)] = parts.as_slice()
                        && constant.checked_rem(*factor) == Some(0)
                        && let Some(value) = constant.checked_div(*factor).and_then(i64::checked_neg)
                    {
                        domains[*cell] = Domain::Only(to_byte(value));
                    }
                }
                _ => {}
            }
        }
        domains
    }
}

/// What init says of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Domain {
    Any,
    Only(u8),
    /// Not one of these.
    Except(u64),
}

impl Domain {
    fn narrow(self, relation: Relation, value: u8) -> Self {
        match (relation, self) {
            (Relation::Equal, _) => Self::Only(value),
            (Relation::Different, Self::Any) => Self::Except(1 << (value % 64)),
            (Relation::Different, Self::Except(values)) => Self::Except(values | 1 << (value % 64)),
            _ => self,
        }
    }

    /// The only value there is; that of nobody where init excludes every process.
    fn value(self, count: u8) -> u8 {
        match self {
            Self::Only(value) => value,
            Self::Except(values) if values == (1 << count) - 1 => count,
            Self::Any | Self::Except(_) => UNKNOWN,
        }
    }
}
