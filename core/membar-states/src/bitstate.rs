//! Bit-state search (Holzmann, 1988): depth-first, and of each state visited only a few bits are kept.
//!
//! Two states may have the same bits, so some are taken for visited that were not: the search finds violations, and never
//! shows that there are none. How many states it has left out in this way is estimated from how full the table is
//! wherever a state is new. A state that waits is the pair of numbers at the root of its tree (`store`); the tables
//! below the root are exact, and small.
//!
//! The bits of a state are in one line of the table, that is one line of the processor's cache (Putze, Sanders,
//! Singler, "Cache-, hash- and space-efficient Bloom filters", WEA 2007).

use std::collections::BTreeMap;
use std::ops::Range;

use membar_ir::error::CoreError;
use membar_ir::limits::{Stopped, Watch};

use super::findings::{Findings, Note, Options, look};
use super::safety::{Exploration, RunStep};
use super::store::{ExpandedState, Tree};
use super::successors::{Successors, Transition, too_many};
use super::system::System;
use super::tables::mix;

/// Words of a line.
const LINE: usize = 8;
const BITS_OF_LINE: f64 = 512.0;
/// Bits that are set for a state.
const BITS: i32 = 4;

/// The states that were visited, as bits.
struct Visited {
    words: Vec<u64>,
    omitted: f64,
}

impl Visited {
    fn new(bytes: usize) -> Self {
        Self { words: vec![0; (bytes / 8).max(LINE).next_multiple_of(LINE)], omitted: 0.0 }
    }

    fn bytes(&self) -> usize {
        8 * self.words.len()
    }

    /// The line of a state, and its bits there: word and mask.
    #[expect(clippy::cast_possible_truncation, reason = "places in the table")]
    fn places(&self, root: u64) -> (Range<usize>, impl Iterator<Item = (usize, u64)> + use<>) {
        let hash = mix(root);
        let lines = (self.words.len() / LINE) as u128;
        let line = ((u128::from(hash) * lines) >> 64) as usize;
        let places = mix(hash);
        let bits = (0..BITS).map(move |bit| (places >> (9 * bit)) as usize % (64 * LINE));
        (line * LINE..(line + 1) * LINE, bits.map(|place| (place / 64, 1 << (place % 64))))
    }

    /// Whether a state has been added, or another one with the same bits.
    fn has(&self, root: u64) -> bool {
        let (line, mut bits) = self.places(root);
        let line = &self.words[line];
        bits.all(|(word, mask)| line[word] & mask != 0)
    }

    /// Adds a state; whether it is new.
    fn add(&mut self, root: u64) -> bool {
        let (line, bits) = self.places(root);
        let line = &mut self.words[line];
        let full: u32 = line.iter().map(|word| word.count_ones()).sum();
        let mut is_new = false;
        for (word, mask) in bits {
            is_new |= line[word] & mask == 0;
            line[word] |= mask;
        }
        if is_new {
            let missed = (f64::from(full) / BITS_OF_LINE).powi(BITS);
            self.omitted += missed / (1.0 - missed).max(f64::EPSILON);
        }
        is_new
    }
}

/// States on the way to where the search is: each with how many states waited when it was met.
type Path = Vec<(u64, usize)>;

/// Visits states with one thread, and keeps what was visited in `bytes`. Of what can be found, it keeps that which ends
/// the search, with the run to it.
pub(super) fn explore(
    mut system: System,
    options: Options,
    bytes: usize,
    watch: &mut Watch<'_>,
) -> Result<Exploration, CoreError> {
    let count = system.leaves();
    let mut found = Findings { errors: vec![None; system.program.errors.len()], ..Findings::default() };
    let mut tree = Tree::new(&system.program.leaf_order());
    let (mut near, mut moves, mut notes) = (ExpandedState::default(), Successors::default(), Vec::new());
    let mut visited = Visited::new(bytes);
    let first = tree.root_of(&system.initial()?).ok_or_else(too_many)?;
    let (mut path, mut waiting) = (Path::new(), vec![first]);
    let (mut run, mut states, mut reported) = (None, 0, 0);
    while let Some(root) = waiting.pop() {
        while path.pop_if(|&mut (_, below)| below > waiting.len()).is_some() {}
        if !visited.add(root) {
            continue;
        }
        states += 1;
        if watch.is_due() {
            watch.meter().count(states - reported, 0, 0);
            reported = states;
            let held = visited.bytes() + bytes_of(&path, &waiting) + tree.bytes() + system.bytes();
            if let Err(stopped) = watch.look().and_then(|()| watch.bytes(held)) {
                found.stopped = Some(stopped);
                break;
            }
        }
        tree.fetch_root(root, &mut near);
        system.moves(near.leaves(count), &mut moves)?;
        look(&mut system, near.leaves(count), &moves, &found, &mut notes);
        path.push((root, waiting.len()));
        let last = notes.iter().find(|note| note.ends(options)).map(|note| match note {
            Note::Failed(place) => Some(*place),
            _ => None,
        });
        for note in notes.drain(..).filter(|note| note.ends(options) || !note.has_run()) {
            found.take(0, note, false);
        }
        if let Some(last) = last {
            found.stopped = Some(Stopped::Found);
            run = Some(run_on(&path, last, &mut system, &tree)?);
            break;
        }
        if options.states.is_some_and(|most| states >= most) {
            found.stopped = Some(Stopped::States);
            break;
        }
        for step in moves.list.iter().filter(|step| !step.failed) {
            found.transitions += 1;
            let root = tree.root_beside(step.sides, moves.changes(step), &mut near).ok_or_else(too_many)?;
            if !visited.has(root) {
                waiting.push(root);
            }
        }
        found.transitions += moves.list.iter().filter(|step| step.failed).count() as u64;
    }
    found.states = states - found.inside;
    let held = visited.bytes() + bytes_of(&path, &waiting) + tree.bytes() + system.bytes();
    found.bytes = held as u64;
    found.omitted = Some(visited.omitted);
    let (parts, names) = (Vec::new(), BTreeMap::new());
    Ok(Exploration { system, parts, disk: None, names, run, symmetry: None, found })
}

fn bytes_of(path: &Path, waiting: &Vec<u64>) -> usize {
    16 * path.capacity() + 8 * waiting.capacity()
}

/// The run through the states on the way, and then the move at `last` of those possible there.
fn run_on(
    path: &Path,
    last: Option<usize>,
    system: &mut System,
    tree: &Tree,
) -> Result<Vec<RunStep>, CoreError> {
    let count = system.leaves();
    let (mut moves, mut run) = (Successors::default(), Vec::new());
    let (mut here, mut there) = (ExpandedState::default(), ExpandedState::default());
    for (place, &(root, _)) in path.iter().enumerate() {
        tree.fetch_root(root, &mut here);
        system.moves_in_full(here.leaves(count), &mut moves)?;
        if let Some(&(next, _)) = path.get(place + 1) {
            tree.fetch_root(next, &mut there);
            let is_it = |step: &&Transition| moves.leads_to(step, here.leaves(count), there.leaves(count));
            run.extend(moves.list.iter().find(is_it).map(|step| moves.run_step(step)));
        } else {
            run.extend(last.and_then(|last| moves.list.get(last)).map(|step| moves.run_step(step)));
        }
    }
    Ok(run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn an_estimate_of_what_is_left_out_is_near_the_truth() {
        let mut visited = Visited::new(1 << 16);
        let states = 60_000_u64;
        let new = (0..states).filter(|&state| visited.add(state)).count() as f64;
        let missed = states as f64 - new;
        assert!(missed > 100.0, "{missed}");
        assert!((visited.omitted - missed).abs() < 0.2 * missed, "{} {missed}", visited.omitted);
        assert!((0..states).all(|state| !visited.add(state)));
    }
}
