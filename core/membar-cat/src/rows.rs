//! Sets and relations of up to `64 * W` events, with a size known to the compiler: a relation is a slice of rows.
//!
//! `relation` does the same for any number of events.

use membar_ir::bits::{contains, is_empty, remove, union};

/// A set of events, or a row of a relation.
pub type Row<const W: usize> = [u64; W];

/// The members, lowest first.
pub fn members<const W: usize>(row: Row<W>) -> impl Iterator<Item = usize> {
    let mut rest = row;
    let mut word = 0;
    std::iter::from_fn(move || {
        while word < W {
            if rest[word] != 0 {
                let bit = rest[word].trailing_zeros() as usize;
                rest[word] &= rest[word] - 1;
                return Some(64 * word + bit);
            }
            word += 1;
        }
        None
    })
}

/// The first so many events.
#[must_use]
pub fn first<const W: usize>(count: usize) -> Row<W> {
    std::array::from_fn(|word| match count.saturating_sub(64 * word) {
        0 => 0,
        left if left >= 64 => u64::MAX,
        left => (1 << left) - 1,
    })
}

/// Combines two rows word by word.
pub fn combine<const W: usize>(a: &Row<W>, b: &Row<W>, f: impl Fn(u64, u64) -> u64) -> Row<W> {
    std::array::from_fn(|word| f(a[word], b[word]))
}

/// Puts the transitive closure in the place of a relation.
///
/// Events are numbered as they were added, so that most pairs lead from lower to higher numbers: rows are finished from
/// the newest down, those that wait for an older one in another round. What is on a cycle is never finished so.
pub fn close<const W: usize>(rows: &mut [Row<W>]) {
    let mut left = first(rows.len());
    loop {
        let before = left;
        for a in (0..rows.len()).rev() {
            if contains(&left, a) && is_empty(&combine(&rows[a], &left, |row, left| row & left)) {
                close_row(rows, a);
                remove(&mut left, a);
            }
        }
        if is_empty(&left) {
            return;
        }
        if left == before {
            close_any(rows);
            return;
        }
    }
}

/// Finishes a row of which all that it leads to is finished.
fn close_row<const W: usize>(rows: &mut [Row<W>], a: usize) {
    let mut value = rows[a];
    let mut rest = value;
    while let Some(next) = members(rest).next() {
        let more = rows[next];
        union(&mut value, &more);
        rest = combine(&rest, &more, |rest, more| rest & !more);
        remove(&mut rest, next);
    }
    rows[a] = value;
}

fn close_any<const W: usize>(rows: &mut [Row<W>]) {
    for middle in 0..rows.len() {
        let via = rows[middle];
        if is_empty(&via) {
            continue;
        }
        for row in rows.iter_mut() {
            // Without a branch: it could not be predicted whether a row has the event in the middle.
            let mask = (row[middle / 64] >> (middle % 64) & 1).wrapping_neg();
            for (own, via) in row.iter_mut().zip(&via) {
                *own |= via & mask;
            }
        }
    }
}

/// Whether the closure is irreflexive: events without successors are removed, the newest first, until none is left.
#[must_use]
pub fn is_acyclic<const W: usize>(rows: &[Row<W>], all: Row<W>) -> bool {
    let mut left = all;
    loop {
        let before = left;
        for (a, row) in rows.iter().enumerate().rev() {
            if contains(&left, a) && is_empty(&combine(row, &left, |row, left| row & left)) {
                remove(&mut left, a);
            }
        }
        if is_empty(&left) {
            return true;
        }
        if left == before {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relation::Shape;
    use membar_ir::bits::insert;
    use membar_ir::limits::{Limits, Stop, Watch};

    fn random(n: usize, seed: u64, forward: bool) -> Vec<Row<2>> {
        let mut state = seed.wrapping_mul(2).wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut rows = vec![[0; 2]; n];
        for _ in 0..n + n / 2 {
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                usize::try_from(state >> 33).unwrap() % n
            };
            let (a, b) = (next(), next());
            if !forward || a < b {
                insert(&mut rows[a], b);
            }
        }
        rows
    }

    #[test]
    fn closure_and_cycles_are_those_of_relations() {
        for n in [1, 5, 63, 64, 65, 128] {
            let shape = Shape::new(n);
            for seed in 0..40 {
                let mut rows = random(n, seed, seed % 2 == 0);
                let words = shape.set();
                let mut relation: Vec<u64> = rows.iter().flat_map(|row| row[..words].to_vec()).collect();
                let mut all = [0; 2];
                (0..n).for_each(|event| insert(&mut all, event));
                assert_eq!(is_acyclic(&rows, all), shape.is_acyclic(&relation));
                close(&mut rows);
                shape.close(&mut relation, &mut Watch::new(&Stop::default(), Limits::default())).unwrap();
                let closed: Vec<u64> = rows.iter().flat_map(|row| row[..words].to_vec()).collect();
                assert_eq!(closed, relation, "{n} events, seed {seed}");
            }
        }
    }
}
