//! The part of coherence that the choices made so far force, in models whose axioms require coherence
//! (`coherence_axioms`).
//!
//! With rf (w, r): a write before r in its thread is w or comes before w, a write after r comes after w, and a read
//! before r of the same location reads w or an earlier write; every other order would close a cycle. With an atomic
//! pair (r, v): whatever comes after w also comes after v, and whatever comes before v is w or comes before it,
//! unless the same thread wrote it. Pairs forced in this way are in every consistent execution that has the choices
//! made so far, so none is lost. If they contradict each other, there is no such execution.

use crate::enumeration::candidate::Candidate;
use crate::thread::Kind;
use membar_cat::coherence_axioms::CoherenceAxioms;
use membar_cat::relation::Shape;
use membar_ir::bits::bits;
use membar_ir::limits::{Stopped, Watch};

/// An atomic operation or a pair of exclusive accesses of one location that no other write may separate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pair {
    read: usize,
    write: usize,
    thread: usize,
    /// Index of its cell in `Candidate::cells`.
    cell: usize,
}

/// What is known of the events of one candidate.
#[derive(Debug, Default)]
pub(super) struct ForcedCoherence {
    axioms: CoherenceAxioms,
    /// Program order between accesses of one location, in both directions; row by row.
    before: Vec<u64>,
    after: Vec<u64>,
    pairs: Vec<Pair>,
}

impl ForcedCoherence {
    /// Nothing is known yet.
    pub(super) fn new(axioms: CoherenceAxioms) -> Self {
        Self { axioms, ..Self::default() }
    }

    /// Looks at a candidate without rf; adds to its co what program order forces, false if that cannot be.
    pub(super) fn begin(
        &mut self,
        candidate: &mut Candidate<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<bool, Stopped> {
        if !self.axioms.coherence {
            return Ok(true);
        }
        self.find_program_order(candidate);
        self.find_pairs(candidate);
        let width = candidate.shape.set();
        for earlier in 0..candidate.events.len() {
            for later in bits(&self.after[earlier * width..(earlier + 1) * width]) {
                let are_writes =
                    [earlier, later].iter().all(|&event| candidate.events[event].kind == Kind::Write);
                if are_writes && !candidate.order(earlier, later, watch)? {
                    return Ok(false);
                }
            }
            watch.work(candidate.events.len())?;
        }
        Ok(true)
    }

    fn find_program_order(&mut self, candidate: &Candidate<'_>) {
        let shape = candidate.shape;
        for rows in [&mut self.before, &mut self.after] {
            rows.clear();
            rows.resize(shape.relation(), 0);
        }
        for (skeleton, &offset) in candidate.skeletons.iter().zip(&candidate.offsets) {
            for (b, later) in skeleton.events.iter().enumerate().filter(|(_, event)| event.cell.is_some()) {
                for (a, _) in
                    skeleton.events[..b].iter().enumerate().filter(|(_, event)| event.cell == later.cell)
                {
                    if skeleton.orders(a, b) {
                        shape.relate(&mut self.after, offset + a, offset + b);
                        shape.relate(&mut self.before, offset + b, offset + a);
                    }
                }
            }
        }
    }

    fn find_pairs(&mut self, candidate: &Candidate<'_>) {
        self.pairs.clear();
        for (thread, (skeleton, &offset)) in candidate.skeletons.iter().zip(&candidate.offsets).enumerate() {
            let kinds =
                [(self.axioms.atomic, &skeleton.atomic), (self.axioms.exclusive, &skeleton.exclusive)];
            for &(read, write) in kinds.iter().filter(|(kept, _)| *kept).flat_map(|(_, pairs)| pairs.iter()) {
                let (read, write) = (offset + read as usize, offset + write as usize);
                let of = |event: usize| candidate.events[event].cell;
                let cell = candidate.cells.iter().position(|(cell, _)| Some(*cell) == of(read));
                if let Some(cell) = cell.filter(|_| of(read) == of(write)) {
                    self.pairs.push(Pair { read, write, thread, cell });
                }
            }
        }
    }

    /// Whether coherence lets `read` take its value from `write` at all, as far as its own thread goes: not from a
    /// later write, and not from one that comes before an earlier write.
    pub(super) fn allows(&self, candidate: &Candidate<'_>, read: usize, write: usize) -> bool {
        if !self.axioms.coherence {
            return true;
        }
        let (shape, width) = (candidate.shape, candidate.shape.set());
        let is_write = |event: &usize| candidate.events[*event].kind == Kind::Write;
        let mut earlier = bits(&self.before[read * width..(read + 1) * width]).filter(is_write);
        !shape.related(&self.after, read, write)
            && !earlier.any(|other| shape.related(&candidate.coherence, write, other))
    }

    /// Adds what follows from the source that `read` has just got; false if that cannot be.
    pub(super) fn add_source(
        &self,
        candidate: &mut Candidate<'_>,
        read: usize,
        watch: &mut Watch<'_>,
    ) -> Result<bool, Stopped> {
        let (true, Some(write)) = (self.axioms.coherence, candidate.source[read]) else { return Ok(true) };
        let width = candidate.shape.set();
        let rows = read * width..(read + 1) * width;
        for earlier in bits(&self.before[rows.clone()]) {
            let known = if candidate.events[earlier].kind == Kind::Write {
                Some(earlier)
            } else {
                candidate.source[earlier]
            };
            if let Some(known) = known.filter(|&known| known != write)
                && !candidate.order(known, write, watch)?
            {
                return Ok(false);
            }
        }
        for later in bits(&self.after[rows]) {
            let is_write = candidate.events[later].kind == Kind::Write;
            let known = if is_write { Some(later) } else { candidate.source[later] };
            match known {
                Some(known) if known == write && is_write => return Ok(false),
                Some(known) if known != write && !candidate.order(write, known, watch)? => return Ok(false),
                _ => {}
            }
        }
        self.saturate(candidate, watch)
    }

    /// Adds what atomic pairs force until nothing changes; false if that cannot be.
    pub(super) fn saturate(
        &self,
        candidate: &mut Candidate<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<bool, Stopped> {
        loop {
            let mut changed = false;
            for &pair in &self.pairs {
                let Some(source) = candidate.source[pair.read] else { continue };
                for at in 1..candidate.cells[pair.cell].1.len() {
                    let other = candidate.cells[pair.cell].1[at];
                    if other == source || candidate.events[other].thread == Some(pair.thread) {
                        continue;
                    }
                    let before = |candidate: &Candidate<'_>, a, b| {
                        Shape::related(candidate.shape, &candidate.coherence, a, b)
                    };
                    if before(candidate, source, other) && !before(candidate, pair.write, other) {
                        changed = true;
                        if !candidate.order(pair.write, other, watch)? {
                            return Ok(false);
                        }
                    } else if before(candidate, other, pair.write) && !before(candidate, other, source) {
                        changed = true;
                        if !candidate.order(other, source, watch)? {
                            return Ok(false);
                        }
                    }
                }
                watch.work(candidate.cells[pair.cell].1.len())?;
            }
            if !changed {
                return Ok(true);
            }
        }
    }
}
