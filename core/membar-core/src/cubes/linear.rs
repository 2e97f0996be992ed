//! Whether linear comparisons can hold together: Gauss, then Fourier and Motzkin.
//!
//! Over reals the answer is exact. Over integers it is exact as long as one of two combined factors is 1, which is
//! always so for differences; otherwise "yes" may be wrong, "no" never is.

use crate::cubes::term::{Judged, Linear, Place, Relation, Sum};
use crate::error::CoreError;

/// Comparisons kept while variables are eliminated; beyond, the answer is "yes".
const MOST: usize = 2_000;
/// Disequalities that are split; beyond, the others are forgotten, and the answer may be a wrong "yes".
const MOST_SPLITS: usize = 10;

/// Whether some values satisfy all of them.
///
/// # Errors
/// A number is too large.
pub fn satisfiable(constraints: &[Linear]) -> Result<bool, CoreError> {
    if constraints.len() < 2 {
        return Ok(true);
    }
    split(constraints.to_vec(), 0)
}

/// Splits disequalities, one after the other, once the rest is known to be satisfiable.
fn split(mut constraints: Vec<Linear>, splits: usize) -> Result<bool, CoreError> {
    let rest: Vec<Linear> =
        constraints.iter().filter(|one| one.relation != Relation::Different).cloned().collect();
    if !feasible(rest)? {
        return Ok(false);
    }
    if splits >= MOST_SPLITS {
        return Ok(true);
    }
    let Some(at) = constraints.iter().position(|one| one.relation == Relation::Different) else {
        return Ok(true);
    };
    let different = constraints.swap_remove(at);
    for factor in [1, -1] {
        let side = Linear::new(Relation::Less, different.sum.times(factor)?, different.is_real)?;
        let mut with = constraints.clone();
        match side {
            Judged::True => {}
            Judged::False => continue,
            Judged::Open(linear) => with.push(linear),
        }
        if split(with, splits + 1)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether comparisons without `<>` can hold together.
fn feasible(mut constraints: Vec<Linear>) -> Result<bool, CoreError> {
    loop {
        let place = match next_place(&constraints) {
            None => return Ok(true),
            Some(place) => place,
        };
        match eliminated(constraints, place)? {
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
///
/// # Errors
/// A number is too large.
pub fn eliminated(constraints: Vec<Linear>, place: Place) -> Result<Option<Vec<Linear>>, CoreError> {
    let (about, mut rest): (Vec<Linear>, Vec<Linear>) =
        constraints.into_iter().partition(|one| factor_of(&one.sum, place).is_some());
    let is_equation = |one: &&Linear| one.relation == Relation::Equal;
    // An equation with factor 1 or -1 is solved exactly, over integers too.
    let unit = |one: &&Linear| one.is_real || factor_of(&one.sum, place).is_some_and(|f| f.abs() == 1);
    if let Some(solved) = about.iter().filter(is_equation).find(unit) {
        for one in about.iter().filter(|one| *one != solved) {
            if !push(&mut rest, combined(solved, one, place)?) {
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
            if !push(&mut rest, combined(one, other, place)?) {
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
fn combined(one: &Linear, other: &Linear, place: Place) -> Result<Judged<Linear>, CoreError> {
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
