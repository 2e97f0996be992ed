//! Values that a transition chooses: the condition under which some choice exists.

use crate::conjunctions::{Comparison, Facts};
use crate::linear;
use crate::system::Sorts;
use crate::term::{Literal, Place, Relation};
use membar_ir::error::CoreError;

impl Facts {
    /// Drops chosen values from facts that can hold: what is left holds wherever some choice makes all hold. Several
    /// disequalities about one choice are dropped too, which may leave more; false if nothing is left.
    pub fn forget_chosen(&mut self, sorts: &Sorts) -> Result<bool, CoreError> {
        let mut chosen: Vec<Place> = self.places().filter(|place| place.is_chosen()).collect();
        chosen.sort_unstable();
        chosen.dedup();
        for place in chosen {
            if !self.replace_by_equal(place, sorts)? {
                return Ok(false);
            }
            let mentions = |one: &Comparison| one.1 == place || one.2 == place;
            self.within.retain(|one| one.0 != place);
            self.pairs.retain(|one| !mentions(one));
            self.order.retain(|one| !mentions(one));
            match linear::eliminate(std::mem::take(&mut self.linear), place)? {
                None => return Ok(false),
                Some(rest) => {
                    for one in rest {
                        self.add(&Literal::Linear(one), sorts)?;
                    }
                }
            }
        }
        self.is_consistent(sorts)
    }

    /// Says of a place that equals `place` what is said of `place`.
    fn replace_by_equal(&mut self, place: Place, sorts: &Sorts) -> Result<bool, CoreError> {
        let comparisons: Vec<Comparison> = self.pairs.iter().chain(&self.order).copied().collect();
        let other = comparisons.iter().find_map(|&(relation, a, b)| match relation {
            Relation::Equal if a == place => Some(b),
            Relation::Equal if b == place => Some(a),
            _ => None,
        });
        let Some(other) = other else { return Ok(true) };
        let replaced = |one: Place| if one == place { other } else { one };
        let values = self.within.iter().find(|one| one.0 == place).map(|one| one.1);
        if let Some(values) = values
            && !self.add(&Literal::In(other, values), sorts)?
        {
            return Ok(false);
        }
        for (relation, a, b) in comparisons {
            if (a == place || b == place)
                && !self.add(&Literal::Compare(relation, replaced(a), replaced(b)), sorts)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
