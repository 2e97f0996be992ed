//! Whether linear comparisons are satisfiable together: Gauss, then Fourier and Motzkin.
//!
//! Over the reals the answer is exact. Over the integers it is exact as long as one of two combined factors is 1,
//! which is always so for differences; otherwise "yes" may be wrong, "no" never is.

use crate::term::{Judged, Linear, Place, Relation, Sum};
use membar_ir::error::CoreError;

/// Comparisons kept while variables are eliminated; beyond, the answer is "yes".
const MOST: usize = 500;
/// Disequalities of integers that are split; the others are considered one by one, and "yes" may be wrong.
const MOST_SPLITS: usize = 3;

/// Whether some values satisfy all of them.
pub fn satisfiable(constraints: &[Linear]) -> Result<bool, CoreError> {
    for group in groups(constraints) {
        let is_feasible = match single(&group) {
            Some(range) => range.has_value(),
            None => has_values(&group)?,
        };
        if !is_feasible {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Comparisons that share places, directly or through others.
fn groups(constraints: &[Linear]) -> Vec<Vec<&Linear>> {
    let mut groups: Vec<(Vec<Place>, Vec<&Linear>)> = Vec::new();
    for one in constraints {
        let mut places: Vec<Place> = one.sum.parts.iter().map(|part| part.0).collect();
        let mut joined = vec![one];
        let touches = |group: &mut (Vec<Place>, Vec<&Linear>)| {
            one.sum.parts.iter().any(|part| group.0.contains(&part.0))
        };
        for (more, members) in groups.extract_if(.., touches) {
            places.extend(more);
            joined.extend(members);
        }
        groups.push((places, joined));
    }
    groups.into_iter().map(|group| group.1).collect()
}

/// The values of one integer: bounds, and values that are excluded.
#[derive(Debug, Default, PartialEq, Eq)]
struct Range {
    least: Option<i128>,
    most: Option<i128>,
    excluded: Vec<i128>,
}

impl Range {
    fn add(&mut self, one: &Linear) {
        let constant = i128::from(one.sum.constant);
        let Some(&(_, factor)) = one.sum.parts.first() else { return };
        // In normal form the only factor of an integer is 1 or -1: value = -constant, or a bound by it.
        let at = -constant * i128::from(factor.signum());
        match one.relation {
            Relation::Equal => {
                self.least = Some(self.least.map_or(at, |least| least.max(at)));
                self.most = Some(self.most.map_or(at, |most| most.min(at)));
            }
            Relation::Different => self.excluded.push(at),
            _ if factor > 0 => self.most = Some(self.most.map_or(at, |most| most.min(at))),
            _ => self.least = Some(self.least.map_or(at, |least| least.max(at))),
        }
    }

    fn has_value(mut self) -> bool {
        let (Some(least), Some(most)) = (self.least, self.most) else { return true };
        self.excluded.sort_unstable();
        self.excluded.dedup();
        let inside = self.excluded.iter().filter(|&&value| least <= value && value <= most).count();
        most - least + 1 > inside as i128
    }
}

/// All comparisons as a range, if they are about one integer.
fn single(group: &[&Linear]) -> Option<Range> {
    let mut range = Range::default();
    for one in group {
        let [(place, _)] = one.sum.parts.as_slice() else { return None };
        if one.is_real || *place != group[0].sum.parts[0].0 {
            return None;
        }
        range.add(one);
    }
    Some(range)
}

/// Whether comparisons can hold together. Over reals a disequality matters only if the rest implies its equation: a
/// convex set lies in finitely many planes only if it lies in one of them.
fn has_values(constraints: &[&Linear]) -> Result<bool, CoreError> {
    let (different, rest): (Vec<&Linear>, Vec<&Linear>) =
        constraints.iter().partition(|one| one.relation == Relation::Different);
    let rest: Vec<Linear> = rest.into_iter().cloned().collect();
    if different.is_empty() {
        return feasible(rest);
    }
    for one in &different {
        if !split(&rest, &[one])? {
            return Ok(false);
        }
    }
    let is_real = constraints.iter().all(|one| one.is_real);
    if is_real || different.len() > MOST_SPLITS { Ok(true) } else { split(&rest, &different) }
}

/// Whether each disequality can hold on one of its sides.
fn split(rest: &[Linear], different: &[&Linear]) -> Result<bool, CoreError> {
    let Some((first, others)) = different.split_first() else { return feasible(rest.to_vec()) };
    for factor in [1, -1] {
        let mut with = rest.to_vec();
        let side = Linear::new(Relation::Less, first.sum.times(factor)?, first.is_real)?;
        if push(&mut with, side) && split(&with, others)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether comparisons without `<>` can hold together.
fn feasible(mut constraints: Vec<Linear>) -> Result<bool, CoreError> {
    loop {
        let Some(place) = next_place(&constraints) else { return Ok(true) };
        match eliminate(constraints, place)? {
            None => return Ok(false),
            Some(rest) if rest.len() > MOST => return Ok(true),
            Some(rest) => constraints = rest,
        }
    }
}

/// The place whose elimination leaves the fewest comparisons.
fn next_place(constraints: &[Linear]) -> Option<Place> {
    let mut places: Vec<Place> =
        constraints.iter().flat_map(|one| one.sum.parts.iter().map(|part| part.0)).collect();
    places.sort_unstable();
    places.dedup();
    places.into_iter().min_by_key(|&place| {
        let signs = |positive: bool| {
            let has = |one: &&Linear| factor_of(&one.sum, place).is_some_and(|f| (f > 0) == positive);
            constraints.iter().filter(has).count()
        };
        let is_solved =
            |one: &Linear| one.relation == Relation::Equal && factor_of(&one.sum, place).is_some();
        if constraints.iter().any(is_solved) { 0 } else { 1 + signs(true) * signs(false) }
    })
}

fn factor_of(sum: &Sum, place: Place) -> Option<i64> {
    sum.parts.binary_search_by_key(&place, |part| part.0).ok().map(|at| sum.parts[at].1)
}

/// The comparisons that hold for the other places iff all held for some value of `place`; None if none can hold.
/// Disequalities about `place` are forgotten.
pub fn eliminate(constraints: Vec<Linear>, place: Place) -> Result<Option<Vec<Linear>>, CoreError> {
    let (about, mut rest): (Vec<Linear>, Vec<Linear>) =
        constraints.into_iter().partition(|one| factor_of(&one.sum, place).is_some());
    let is_equation = |one: &&Linear| one.relation == Relation::Equal;
    // An equation with factor 1 or -1 is solved exactly, over integers too.
    let unit = |one: &&Linear| one.is_real || factor_of(&one.sum, place).is_some_and(|f| f.abs() == 1);
    if let Some(solved) = about.iter().filter(is_equation).find(unit) {
        for one in about.iter().filter(|one| *one != solved) {
            if !push(&mut rest, eliminate_between(solved, one, place)?) {
                return Ok(None);
            }
        }
        return Ok(Some(rest));
    }
    let sides = about.into_iter().filter(|one| one.relation != Relation::Different).map(inequalities);
    let sides: Vec<Linear> = sides.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    let (upper, lower): (Vec<&Linear>, Vec<&Linear>) =
        sides.iter().partition(|one| factor_of(&one.sum, place).is_some_and(|factor| factor > 0));
    for one in &upper {
        for other in &lower {
            if !push(&mut rest, eliminate_between(one, other, place)?) {
                return Ok(None);
            }
        }
    }
    rest.sort_unstable();
    rest.dedup();
    Ok(Some(rest))
}

/// An equation as two comparisons.
fn inequalities(one: Linear) -> Result<Vec<Linear>, CoreError> {
    if one.relation != Relation::Equal {
        return Ok(vec![one]);
    }
    let other = Linear { relation: Relation::AtMost, sum: one.sum.times(-1)?, is_real: one.is_real };
    Ok(vec![Linear { relation: Relation::AtMost, ..one }, other])
}

/// A sum of both in which `place` does not occur: of an equation and anything, or of an upper and a lower bound.
fn eliminate_between(one: &Linear, other: &Linear, place: Place) -> Result<Judged<Linear>, CoreError> {
    let (Some(a), Some(b)) = (factor_of(&one.sum, place), factor_of(&other.sum, place)) else {
        return Ok(Judged::True);
    };
    // `other` must keep its direction: its factor is positive.
    let (mut of_one, of_other) = (b.abs(), a.abs());
    if (a > 0) == (b > 0) {
        of_one = -of_one;
    }
    let mut sum = one.sum.times(of_one)?;
    sum.add(&other.sum, of_other)?;
    let relation = match (one.relation, other.relation) {
        (Relation::Equal, relation) => relation,
        (Relation::Less, _) | (_, Relation::Less) => Relation::Less,
        _ => Relation::AtMost,
    };
    Linear::new(relation, sum, one.is_real)
}

/// Whether it may hold.
fn push(constraints: &mut Vec<Linear>, judged: Judged<Linear>) -> bool {
    match judged {
        Judged::True => true,
        Judged::False => false,
        Judged::Open(linear) => {
            constraints.push(linear);
            true
        }
    }
}
