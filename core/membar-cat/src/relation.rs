//! Sets and relations of events as bits.
//!
//! A set of `n` events is `w = ⌈n/64⌉` words; a relation is `n` such rows, one after the other, row `a` holding the
//! events `b` with `(a, b)` in it. Functions work on slices of that layout, so that a plan can keep all its slots in
//! one piece of memory. Invariant: bits at and above `n` are 0. With up to 64 events a row is one word, and the
//! compiler gets loops over plain words.

use membar_ir::bits::{Bits, bits, contains, insert, is_empty, remove, union};
use membar_ir::limits::{Stopped, Watch};

/// The size of everything about one execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    events: usize,
    words: usize,
}

impl Shape {
    /// For `events` events.
    #[must_use]
    pub fn new(events: usize) -> Self {
        Self { events, words: events.div_ceil(64).max(1) }
    }

    /// Number of events.
    #[must_use]
    pub fn events(self) -> usize {
        self.events
    }

    /// Words of a set.
    #[must_use]
    pub fn set(self) -> usize {
        self.words
    }

    /// Words of a relation.
    #[must_use]
    pub fn relation(self) -> usize {
        self.words * self.events
    }

    /// Adds the pair `(a, b)` to a relation.
    pub fn relate(self, relation: &mut [u64], a: usize, b: usize) {
        insert(&mut relation[a * self.words..], b);
    }

    /// Whether `(a, b)` is in a relation.
    #[must_use]
    pub fn related(self, relation: &[u64], a: usize, b: usize) -> bool {
        contains(&relation[a * self.words..], b)
    }

    /// All events.
    pub fn fill_set(self, out: &mut [u64]) {
        out.fill(u64::MAX);
        let rest = self.events % 64;
        if self.events == 0 {
            out.fill(0);
        } else if rest != 0 {
            out[self.words - 1] = (1 << rest) - 1;
        }
    }

    /// All pairs.
    pub fn fill_relation(self, out: &mut [u64]) {
        for row in out.chunks_exact_mut(self.words) {
            self.fill_set(row);
        }
    }

    /// All events (or pairs) that are not in `a`; `out` tells the sort by its length.
    pub fn complement(self, a: &[u64], out: &mut [u64]) {
        for row in out.chunks_exact_mut(self.words) {
            self.fill_set(row);
        }
        for (out, a) in out.iter_mut().zip(a) {
            *out &= !a;
        }
    }

    /// `a ; b`.
    pub fn sequence(
        self,
        a: &[u64],
        b: &[u64],
        out: &mut [u64],
        watch: &mut Watch<'_>,
    ) -> Result<(), Stopped> {
        if self.words == 1 {
            for (out, &row) in out.iter_mut().zip(a) {
                let mut union = 0;
                for middle in Bits(row) {
                    union |= b[middle];
                }
                *out = union;
            }
            return Ok(());
        }
        out.fill(0);
        for (out, row) in out.chunks_exact_mut(self.words).zip(a.chunks_exact(self.words)) {
            for middle in bits(row) {
                union(out, &b[middle * self.words..(middle + 1) * self.words]);
                watch.work(self.words)?;
            }
        }
        Ok(())
    }

    /// The pairs of a relation that begin in `set`.
    pub fn restrict_domain(self, set: &[u64], relation: &[u64], out: &mut [u64]) {
        if let [set] = *set {
            for (from, (out, row)) in out.iter_mut().zip(relation).enumerate() {
                *out = row & (set >> from & 1).wrapping_neg();
            }
            return;
        }
        let rows = out.chunks_exact_mut(self.words).zip(relation.chunks_exact(self.words));
        for (from, (out, row)) in rows.enumerate() {
            if contains(set, from) {
                out.copy_from_slice(row);
            } else {
                out.fill(0);
            }
        }
    }

    /// The pairs of a relation that end in `set`.
    pub fn restrict_range(self, relation: &[u64], set: &[u64], out: &mut [u64]) {
        if let [set] = *set {
            for (out, row) in out.iter_mut().zip(relation) {
                *out = row & set;
            }
            return;
        }
        let rows = out.chunks_exact_mut(self.words).zip(relation.chunks_exact(self.words));
        for (out, row) in rows {
            for ((out, row), set) in out.iter_mut().zip(row).zip(set) {
                *out = row & set;
            }
        }
    }

    /// The converse of `a`.
    pub fn inverse(self, a: &[u64], out: &mut [u64]) {
        out.fill(0);
        if self.words == 1 {
            for (from, &row) in a.iter().enumerate() {
                for to in Bits(row) {
                    out[to] |= 1 << from;
                }
            }
            return;
        }
        for (from, row) in a.chunks_exact(self.words).enumerate() {
            for to in bits(row) {
                self.relate(out, to, from);
            }
        }
    }

    /// Makes a relation transitive.
    pub fn close(self, relation: &mut [u64], watch: &mut Watch<'_>) -> Result<(), Stopped> {
        if self.words == 1 {
            for middle in 0..self.events {
                let via = relation[middle];
                if via == 0 {
                    continue;
                }
                for row in relation.iter_mut() {
                    if *row >> middle & 1 != 0 {
                        *row |= via;
                    }
                }
            }
            return Ok(());
        }
        let mut via = vec![0; self.words];
        for middle in 0..self.events {
            via.copy_from_slice(&relation[middle * self.words..(middle + 1) * self.words]);
            for row in relation.chunks_exact_mut(self.words) {
                if contains(row, middle) {
                    union(row, &via);
                    watch.work(self.words)?;
                }
            }
            watch.work(self.events)?;
        }
        Ok(())
    }

    /// Adds every pair `(a, a)`.
    pub fn add_identity(self, relation: &mut [u64]) {
        for a in 0..self.events {
            self.relate(relation, a, a);
        }
    }

    /// The identity on `set`.
    pub fn identity(self, set: &[u64], out: &mut [u64]) {
        out.fill(0);
        for a in bits(set) {
            self.relate(out, a, a);
        }
    }

    /// All pairs from `a` to `b`.
    pub fn product(self, a: &[u64], b: &[u64], out: &mut [u64]) {
        if let ([a], [b]) = (a, b) {
            for (from, out) in out.iter_mut().enumerate() {
                *out = b & (a >> from & 1).wrapping_neg();
            }
            return;
        }
        for (from, row) in out.chunks_exact_mut(self.words).enumerate() {
            if contains(a, from) {
                row.copy_from_slice(b);
            } else {
                row.fill(0);
            }
        }
    }

    /// The events that are related to something.
    pub fn domain(self, relation: &[u64], out: &mut [u64]) {
        out.fill(0);
        for (from, row) in relation.chunks_exact(self.words).enumerate() {
            if !is_empty(row) {
                insert(out, from);
            }
        }
    }

    /// The events that something is related to.
    pub fn range(self, relation: &[u64], out: &mut [u64]) {
        out.fill(0);
        for row in relation.chunks_exact(self.words) {
            union(out, row);
        }
    }

    /// Whether no `(a, a)` is in it.
    #[must_use]
    pub fn is_irreflexive(self, relation: &[u64]) -> bool {
        (0..self.events).all(|a| !self.related(relation, a, a))
    }

    /// Whether its transitive closure is irreflexive. Depth first: each row is read once.
    #[must_use]
    pub fn is_acyclic(self, relation: &[u64]) -> bool {
        if self.words == 1 {
            return is_acyclic_small(relation, self.events);
        }
        let (mut unfinished, mut on_path) = (vec![0; self.words], vec![0; self.words]);
        self.fill_set(&mut unfinished);
        // Events, each with the first word of its row that may have unfinished successors.
        let mut path: Vec<(usize, usize)> = Vec::new();
        for start in 0..self.events {
            if contains(&unfinished, start) {
                path.push((start, 0));
                insert(&mut on_path, start);
            }
            while let Some((event, from)) = path.last_mut() {
                let row = &relation[*event * self.words..(*event + 1) * self.words];
                while *from < self.words && row[*from] & unfinished[*from] == 0 {
                    *from += 1;
                }
                if *from < self.words {
                    let successors = row[*from] & unfinished[*from];
                    let next = 64 * *from + successors.trailing_zeros() as usize;
                    if contains(&on_path, next) {
                        return false;
                    }
                    path.push((next, 0));
                    insert(&mut on_path, next);
                } else {
                    remove(&mut unfinished, *event);
                    remove(&mut on_path, *event);
                    path.pop();
                }
            }
        }
        true
    }
}

/// Events without successors are removed until none is left.
fn is_acyclic_small(rows: &[u64], events: usize) -> bool {
    let mut left = if events >= 64 { u64::MAX } else { (1 << events) - 1 };
    while left != 0 {
        let mut stuck = left;
        for a in Bits(left) {
            if rows[a] & left == 0 {
                left &= !(1 << a);
            }
        }
        stuck ^= left;
        if stuck == 0 {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use membar_ir::limits::{Limits, Stop};

    /// A plain list of pairs, to compare with.
    type Pairs = Vec<(usize, usize)>;

    fn build(shape: Shape, pairs: &Pairs) -> Vec<u64> {
        let mut relation = vec![0; shape.relation()];
        for &(a, b) in pairs {
            shape.relate(&mut relation, a, b);
        }
        relation
    }

    fn list(shape: Shape, relation: &[u64]) -> Pairs {
        let mut pairs = Vec::new();
        for a in 0..shape.events() {
            for b in 0..shape.events() {
                if shape.related(relation, a, b) {
                    pairs.push((a, b));
                }
            }
        }
        pairs
    }

    fn random(n: usize, seed: u64) -> Pairs {
        let mut state = seed.wrapping_mul(2).wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut pairs = Pairs::new();
        for _ in 0..n + 2 {
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                usize::try_from(state >> 33).unwrap() % n
            };
            pairs.push((next(), next()));
        }
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Does something that may take long, as long as it takes.
    fn unlimited<T>(job: impl FnOnce(&mut Watch<'_>) -> Result<T, Stopped>) -> T {
        job(&mut Watch::new(&Stop::default(), Limits::default())).unwrap()
    }

    #[test]
    fn operations_agree_with_lists_of_pairs_at_every_size() {
        for n in [1, 5, 63, 64, 65, 130] {
            let shape = Shape::new(n);
            for seed in 0..20 {
                let (a, b) = (random(n, seed), random(n, seed + 100));
                let (ra, rb) = (build(shape, &a), build(shape, &b));
                let mut out = vec![7; shape.relation()];
                unlimited(|watch| shape.sequence(&ra, &rb, &mut out, watch));
                let mut expected: Pairs = Pairs::new();
                for &(x, y) in &a {
                    expected.extend(b.iter().filter(|p| p.0 == y).map(|p| (x, p.1)));
                }
                expected.sort_unstable();
                expected.dedup();
                assert_eq!(list(shape, &out), expected);
                let mut set = vec![0; shape.set()];
                shape.domain(&rb, &mut set);
                let mut identity = vec![0; shape.relation()];
                shape.identity(&set, &mut identity);
                let mut restricted = out.clone();
                unlimited(|watch| shape.sequence(&identity, &ra, &mut out, watch));
                shape.restrict_domain(&set, &ra, &mut restricted);
                assert_eq!(restricted, out);
                unlimited(|watch| shape.sequence(&ra, &identity, &mut out, watch));
                shape.restrict_range(&ra, &set, &mut restricted);
                assert_eq!(restricted, out);
                shape.inverse(&ra, &mut out);
                let mut expected: Pairs = a.iter().map(|&(x, y)| (y, x)).collect();
                expected.sort_unstable();
                assert_eq!(list(shape, &out), expected);
                shape.complement(&ra, &mut out);
                assert_eq!(list(shape, &out).len(), n * n - a.len());
                let mut closed = ra.clone();
                unlimited(|watch| shape.close(&mut closed, watch));
                assert_eq!(shape.is_acyclic(&ra), shape.is_irreflexive(&closed));
                let mut again = closed.clone();
                unlimited(|watch| shape.sequence(&closed, &ra, &mut out, watch));
                union(&mut again, &out);
                assert_eq!(again, closed);
            }
        }
    }

    #[test]
    fn a_long_cycle_is_found_and_a_chain_is_not_one() {
        for n in [2, 64, 100] {
            let shape = Shape::new(n);
            let chain: Pairs = (1..n).map(|b| (b - 1, b)).collect();
            assert!(shape.is_acyclic(&build(shape, &chain)));
            let mut ring = chain;
            ring.push((n - 1, 0));
            assert!(!shape.is_acyclic(&build(shape, &ring)));
        }
    }

    #[test]
    fn a_large_operation_can_be_stopped() {
        let shape = Shape::new(2_000);
        let mut all = vec![0; shape.relation()];
        shape.fill_relation(&mut all);
        let stop = Stop::default();
        stop.set();
        let mut watch = Watch::new(&stop, Limits::default());
        assert_eq!(shape.close(&mut all.clone(), &mut watch), Err(Stopped::Request));
        assert_eq!(shape.sequence(&all, &all, &mut all.clone(), &mut watch), Err(Stopped::Request));
    }

    #[test]
    fn sets_and_relations_convert() {
        let shape = Shape::new(70);
        let mut set = vec![0; shape.set()];
        insert(&mut set, 3);
        insert(&mut set, 69);
        let mut all = vec![0; shape.set()];
        shape.fill_set(&mut all);
        let mut out = vec![0; shape.relation()];
        shape.product(&set, &all, &mut out);
        assert_eq!(list(shape, &out).len(), 140);
        let mut back = vec![0; shape.set()];
        shape.domain(&out, &mut back);
        assert_eq!(back, set);
        shape.range(&out, &mut back);
        assert_eq!(back, all);
        shape.identity(&set, &mut out);
        assert_eq!(list(shape, &out), [(3, 3), (69, 69)]);
    }
}
