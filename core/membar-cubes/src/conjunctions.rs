//! Conjunctions of literals: satisfiability and implication.
//!
//! Places are independent of one another (indices are process variables, which are distinct), so literals about
//! finite types, processes and numbers are decided separately.

use crate::linear;
use crate::order::Order;
use crate::system::Sorts;
use crate::term::{Judged, Linear, Literal, Place, Relation, compare};
use membar_ir::error::CoreError;

/// A comparison of two values that are not numbers.
pub type Comparison = (Relation, Place, Place);

/// What is known of a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Truth {
    True,
    False,
    Open,
}

/// A conjunction of literals, each list in order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Facts {
    /// Finite types: which values a place may have, where not all.
    pub within: Vec<(Place, u64)>,
    /// Finite types: pairs that are equal or differ.
    pub pairs: Vec<Comparison>,
    /// Processes and abstract types.
    pub order: Vec<Comparison>,
    /// Numbers.
    pub linear: Vec<Linear>,
}

impl Facts {
    /// Adds a literal; false if nothing can satisfy it together with what was there, as far as one sees at once.
    pub fn add(&mut self, literal: &Literal, sorts: &Sorts) -> Result<bool, CoreError> {
        Ok(match literal {
            Literal::In(place, values) => self.restrict(*place, *values, sorts),
            Literal::Compare(relation, a, b) if sorts.size(*a).is_some() => {
                self.add_pair(*relation, *a, *b, sorts)
            }
            Literal::Compare(relation, a, b) => self.add_order(*relation, *a, *b, sorts),
            Literal::Linear(linear) => {
                if let Err(at) = self.linear.binary_search(linear) {
                    self.linear.insert(at, linear.clone());
                }
                true
            }
        })
    }

    /// Adds a comparison of numbers; as `add`.
    pub fn add_judged(&mut self, judged: Judged<Linear>, sorts: &Sorts) -> Result<bool, CoreError> {
        match judged {
            Judged::True => Ok(true),
            Judged::False => Ok(false),
            Judged::Open(linear) => self.add(&Literal::Linear(linear), sorts),
        }
    }

    /// The conjunction without one literal, counted as they are written out: a place of a finite type with one value is
    /// one literal, otherwise each value that it may not have is one. None if there are not so many.
    #[must_use]
    pub fn without(&self, literal: usize, sorts: &Sorts) -> Option<Self> {
        let mut left = literal;
        let mut weaker = self.clone();
        for (at, &(place, values)) in self.within.iter().enumerate() {
            let missing = sorts.all(place) & !values;
            let literals = if values.is_power_of_two() { 1 } else { missing.count_ones() as usize };
            if left >= literals {
                left -= literals;
                continue;
            }
            let dropped = (0..left).fold(missing, |rest, _| rest & (rest - 1));
            let added = dropped & dropped.wrapping_neg();
            let kept = if values.is_power_of_two() { sorts.all(place) } else { values | added };
            weaker.within[at].1 = kept;
            weaker.within.retain(|&(place, values)| values != sorts.all(place));
            return Some(weaker);
        }
        let (pairs, order) = (self.pairs.len(), self.order.len());
        if left < pairs {
            weaker.pairs.remove(left);
        } else if left < pairs + order {
            weaker.order.remove(left - pairs);
        } else if left < pairs + order + self.linear.len() {
            weaker.linear.remove(left - pairs - order);
        } else {
            return None;
        }
        Some(weaker)
    }

    /// The values that a place of a finite type may have.
    #[must_use]
    pub fn values(&self, place: Place, sorts: &Sorts) -> u64 {
        match self.within.binary_search_by_key(&place, |one| one.0) {
            Ok(at) => self.within[at].1,
            Err(_) => sorts.all(place),
        }
    }

    fn restrict(&mut self, place: Place, values: u64, sorts: &Sorts) -> bool {
        let all = sorts.all(place);
        match self.within.binary_search_by_key(&place, |one| one.0) {
            Ok(at) => {
                self.within[at].1 &= values;
                self.within[at].1 != 0
            }
            Err(at) => {
                if values & all != all {
                    self.within.insert(at, (place, values & all));
                }
                values & all != 0
            }
        }
    }

    fn add_pair(&mut self, relation: Relation, a: Place, b: Place, sorts: &Sorts) -> bool {
        if a == b {
            return relation == Relation::Equal;
        }
        for (one, other) in [(a, b), (b, a)] {
            let values = self.values(one, sorts);
            if values.is_power_of_two() {
                let kept = if relation == Relation::Equal { values } else { !values };
                return self.restrict(other, kept, sorts);
            }
        }
        insert(&mut self.pairs, (relation, a.min(b), a.max(b)));
        true
    }

    fn add_order(&mut self, mut relation: Relation, a: Place, b: Place, sorts: &Sorts) -> bool {
        if a == b {
            return matches!(relation, Relation::Equal | Relation::AtMost);
        }
        if let (Some(one), Some(other)) = (a.slot(), b.slot()) {
            match relation {
                Relation::Equal => return false,
                Relation::Different => return true,
                Relation::Less | Relation::AtMost if sorts.is_fixed => return one < other,
                Relation::Less | Relation::AtMost => relation = Relation::Less,
            }
        }
        let Literal::Compare(relation, a, b) = compare(relation, a, b) else { return true };
        insert(&mut self.order, (relation, a, b));
        true
    }

    /// Every literal.
    pub fn literals(&self) -> impl Iterator<Item = Literal> {
        let within = self.within.iter().map(|&(place, values)| Literal::In(place, values));
        let pairs = self.pairs.iter().chain(&self.order).map(|&(relation, a, b)| compare(relation, a, b));
        within.chain(pairs).chain(self.linear.iter().cloned().map(Literal::Linear))
    }

    /// How many literals there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.within.len() + self.pairs.len() + self.order.len() + self.linear.len()
    }

    /// Whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every place that something is said about.
    pub fn places(&self) -> impl Iterator<Item = Place> {
        let pairs = self.pairs.iter().chain(&self.order).flat_map(|&(_, a, b)| [a, b]);
        let parts = self.linear.iter().flat_map(|one| one.sum.parts.iter().map(|part| part.0));
        self.within.iter().map(|one| one.0).chain(pairs).chain(parts)
    }

    /// Whether some values satisfy everything; narrows finite types on the way.
    pub fn is_consistent(&mut self, sorts: &Sorts) -> Result<bool, CoreError> {
        Ok(self.propagate(sorts)
            && self.pairs_have_values(sorts)
            && (self.order.is_empty() || Order::of(&self.order, sorts.is_fixed).is_some())
            && linear::satisfiable(&self.linear)?)
    }

    /// Narrows finite types until pairs teach nothing more; false if some place has no value left.
    fn propagate(&mut self, sorts: &Sorts) -> bool {
        let mut changed = !self.pairs.is_empty();
        while changed {
            changed = false;
            for (relation, a, b) in std::mem::take(&mut self.pairs) {
                let before = (self.values(a, sorts), self.values(b, sorts));
                let decided = [before.0, before.1].iter().any(|values| values.is_power_of_two());
                if relation == Relation::Equal {
                    if !self.restrict(a, before.1, sorts) || !self.restrict(b, before.0, sorts) {
                        return false;
                    }
                    changed |= before.0 != before.1;
                } else if decided {
                    changed = true;
                    if !self.add_pair(relation, a, b, sorts) {
                        return false;
                    }
                    continue;
                }
                if !(decided || relation == Relation::Different && before.0 & before.1 == 0) {
                    insert(&mut self.pairs, (relation, a, b));
                }
            }
        }
        self.within.iter().all(|one| one.1 != 0)
    }

    /// Tries values of places that are in pairs, one after the other.
    fn pairs_have_values(&self, sorts: &Sorts) -> bool {
        let Some(&(_, place, _)) = self.pairs.first() else { return true };
        let values = self.values(place, sorts);
        (0..u64::BITS).map(|bit| 1u64 << bit).filter(|one| values & one != 0).any(|one| {
            let mut with = Self { within: self.within.clone(), pairs: self.pairs.clone(), ..Self::default() };
            with.restrict(place, one, sorts) && with.propagate(sorts) && with.pairs_have_values(sorts)
        })
    }

    /// What is known of a literal. `Open` may be said of one that follows only through several pairs.
    pub fn judge(&self, literal: &Literal, sorts: &Sorts) -> Result<Truth, CoreError> {
        Ok(match literal {
            Literal::In(place, values) => {
                let here = self.values(*place, sorts);
                if here & !values == 0 {
                    Truth::True
                } else if here & values == 0 {
                    Truth::False
                } else {
                    Truth::Open
                }
            }
            Literal::Compare(relation, a, b) if sorts.size(*a).is_some() => {
                self.judge_pair(*relation, *a, *b, sorts)
            }
            Literal::Compare(relation, a, b) => self.judge_order(*relation, *a, *b, sorts),
            Literal::Linear(linear) => self.judge_linear(linear)?,
        })
    }

    fn judge_pair(&self, relation: Relation, a: Place, b: Place, sorts: &Sorts) -> Truth {
        let holds = |holds: bool| if holds { Truth::True } else { Truth::False };
        let (one, other) = (self.values(a, sorts), self.values(b, sorts));
        if a == b {
            return holds(relation == Relation::Equal);
        }
        if one & other == 0 {
            return holds(relation == Relation::Different);
        }
        if one == other && one.is_power_of_two() {
            return holds(relation == Relation::Equal);
        }
        let known = |relation| self.pairs.binary_search(&(relation, a.min(b), a.max(b))).is_ok();
        if known(Relation::Equal) {
            holds(relation == Relation::Equal)
        } else if known(Relation::Different) {
            holds(relation == Relation::Different)
        } else {
            Truth::Open
        }
    }

    fn judge_order(&self, relation: Relation, a: Place, b: Place, sorts: &Sorts) -> Truth {
        let Literal::Compare(relation, a, b) = compare(relation, a, b) else { return Truth::Open };
        if self.order.binary_search(&(relation, a, b)).is_ok() {
            return Truth::True;
        }
        let both = a.slot().is_some() && b.slot().is_some();
        let mentions =
            |place: Place| place.slot().is_some() || self.order.iter().any(|o| o.1 == place || o.2 == place);
        let is_known = both || a == b || mentions(a) && mentions(b);
        if !is_known {
            return Truth::Open;
        }
        let with = |relation, a, b| {
            let mut facts = Self { order: self.order.clone(), ..Self::default() };
            facts.add_order(relation, a, b, sorts) && Order::of(&facts.order, sorts.is_fixed).is_some()
        };
        if !with(relation, a, b) {
            return Truth::False;
        }
        let negated = match relation {
            Relation::Equal => with(Relation::Different, a, b),
            Relation::Different => with(Relation::Equal, a, b),
            Relation::Less => with(Relation::AtMost, b, a),
            Relation::AtMost => with(Relation::Less, b, a),
        };
        if negated { Truth::Open } else { Truth::True }
    }

    fn judge_linear(&self, linear: &Linear) -> Result<Truth, CoreError> {
        if self.linear.binary_search(linear).is_ok() {
            return Ok(Truth::True);
        }
        let mentions =
            |place: Place| self.linear.iter().any(|one| one.sum.parts.iter().any(|p| p.0 == place));
        if !linear.sum.parts.iter().any(|part| mentions(part.0)) {
            return Ok(Truth::Open);
        }
        let with = |judged: Judged<Linear>| match judged {
            Judged::True => Ok(true),
            Judged::False => Ok(false),
            Judged::Open(one) => {
                let mut all = self.linear.clone();
                all.push(one);
                linear::satisfiable(&all)
            }
        };
        if !with(Judged::Open(linear.clone()))? {
            return Ok(Truth::False);
        }
        Ok(if with(linear.negate()?)? { Truth::Open } else { Truth::True })
    }
}

/// What holds where a literal does not.
pub fn negate(literal: &Literal) -> Result<Judged<Literal>, CoreError> {
    Ok(Judged::Open(match literal {
        Literal::In(place, values) => Literal::In(*place, !values),
        Literal::Compare(Relation::Equal, a, b) => Literal::Compare(Relation::Different, *a, *b),
        Literal::Compare(Relation::Different, a, b) => Literal::Compare(Relation::Equal, *a, *b),
        Literal::Compare(Relation::Less, a, b) => Literal::Compare(Relation::AtMost, *b, *a),
        Literal::Compare(Relation::AtMost, a, b) => Literal::Compare(Relation::Less, *b, *a),
        Literal::Linear(linear) => match linear.negate()? {
            Judged::True => return Ok(Judged::True),
            Judged::False => return Ok(Judged::False),
            Judged::Open(linear) => Literal::Linear(linear),
        },
    }))
}

fn insert<T: Ord>(list: &mut Vec<T>, item: T) {
    if let Err(at) = list.binary_search(&item) {
        list.insert(at, item);
    }
}
