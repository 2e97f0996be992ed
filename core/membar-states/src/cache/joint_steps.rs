//! What all edges of a part do, as one look-up.
//!
//! Where a part has several edges, most of them wait. As soon as it is known of each what it does, all of them are looked
//! up at once, by all words that one of them reads. Parts for which too few states look alike are left alone.

use std::ops::Range;

use membar_ir::program::EdgeId;
use membar_ir::words::narrow;

use super::super::program::CellLayout;
use super::super::stepper::Halt;
use super::{OUTCOME, ROOM, Recalled, SuccessorCache, UNKNOWN};

/// So many sets of steps of a part are kept before it shows whether that is worth it.
const FEW_SETS: u64 = 128;
/// They are worth it if each was used so often.
const WORTH_JOINING: u64 = 3;
/// What all edges of a part do: where those are that are taken or fail, and those that wait.
#[derive(Debug, Clone)]
pub(in super::super) struct StepSet {
    active: Range<u32>,
    waiting: Range<u32>,
}

/// The edges of a part.
#[derive(Debug, Clone, Copy)]
struct JointPart {
    root: u32,
    /// How many sets of steps it has, and how often these were used.
    kept: u64,
    recalled: u64,
    /// Whether each edge is looked up alone.
    is_apart: bool,
}

impl JointPart {
    const NEW: Self = Self { root: UNKNOWN, kept: 0, recalled: 0, is_apart: false };
}

/// What is known of parts whose edges are looked up at once.
#[derive(Debug, Default)]
pub(super) struct JointSteps {
    parts: Vec<JointPart>,
    sets: Vec<StepSet>,
    /// Edges, and the numbers of what they do.
    steps: Vec<(EdgeId, u32)>,
}

impl JointSteps {
    pub(super) fn bytes(&self) -> usize {
        size_of::<JointPart>() * self.parts.capacity()
            + size_of::<StepSet>() * self.sets.capacity()
            + size_of::<(EdgeId, u32)>() * self.steps.capacity()
    }
}

/// Places in groups of at most 64 bits, neighbours as one.
fn groups_of(places: &[CellLayout]) -> Vec<Vec<CellLayout>> {
    let mut groups: Vec<Vec<CellLayout>> = Vec::new();
    let mut bits = 0;
    for &place in places {
        bits += place.bits();
        match groups.last_mut() {
            Some(group) if bits <= 64 => {
                match group.last_mut().and_then(|last| Some((last.followed_by(place)?, last))) {
                    Some((both, last)) => *last = both,
                    None => group.push(place),
                }
            }
            _ => {
                groups.push(vec![place]);
                bits = place.bits();
            }
        }
    }
    groups
}

impl SuccessorCache {
    /// What all edges of the part with this number do in a state, if it is known.
    pub(in super::super) fn recall_all(&mut self, joint: u32, leaves: &[u32]) -> Option<StepSet> {
        let known = self.joint.parts.get(joint as usize).filter(|known| self.recalls && !known.is_apart)?;
        let set = self.joint.sets[self.find(known.root, leaves, |_| ())? as usize].clone();
        self.joint.parts[joint as usize].recalled += 1;
        self.recalled += u64::from(set.waiting.end - set.active.start);
        Some(set)
    }

    /// The edges of a set that are taken or fail, and what they do.
    pub(in super::super) fn active(&self, set: &StepSet) -> impl Iterator<Item = (EdgeId, Recalled<'_>)> {
        let steps = &self.joint.steps[set.active.start as usize..set.active.end as usize];
        steps.iter().map(|&(edge, outcome)| (edge, self.outcome(outcome)))
    }

    /// The edges of a set that wait.
    pub(in super::super) fn waiting(&self, set: &StepSet) -> impl Iterator<Item = EdgeId> {
        self.joint.steps[set.waiting.start as usize..set.waiting.end as usize].iter().map(|&(edge, _)| edge)
    }

    /// Remembers what all edges of the part with this number do in a state, by the roots of their steps, if that is known
    /// of each.
    pub(in super::super) fn keep_all(
        &mut self,
        joint: u32,
        edges: impl Iterator<Item = (EdgeId, u32)>,
        leaves: &[u32],
    ) {
        if self.is_full || !self.recalls {
            return;
        }
        if self.joint.parts.len() <= joint as usize {
            self.joint.parts.resize(joint as usize + 1, JointPart::NEW);
        }
        let mut part = self.joint.parts[joint as usize];
        part.is_apart |= part.kept >= FEW_SETS && part.recalled < WORTH_JOINING * part.kept;
        let mut places = Vec::new();
        if !part.is_apart
            && let Some(steps) = self.known_steps(edges, leaves, &mut places)
        {
            if let Some(root) = self.add_set(part.root, &places, steps, leaves) {
                (part.root, part.kept) = (root, part.kept + 1);
            } else {
                part.is_apart = true;
            }
        }
        self.joint.parts[joint as usize] = part;
    }

    /// What edges do in a state, by the roots of their steps; adds to `places` what they look at. None: it is not known of
    /// each.
    fn known_steps(
        &self,
        mut edges: impl Iterator<Item = (EdgeId, u32)>,
        leaves: &[u32],
        places: &mut Vec<CellLayout>,
    ) -> Option<Vec<(EdgeId, u32)>> {
        let mut steps = Vec::new();
        edges.try_for_each(|(edge, root)| {
            let read = |node| places.extend_from_slice(self.places_of(node));
            steps.push((edge, self.find(root, leaves, read)?));
            Some(())
        })?;
        places.sort_unstable_by_key(|place| place.bit());
        places.dedup();
        Some(steps)
    }

    /// Adds what all edges of a part do in a state; the root of the part afterwards. None: which words they look at does
    /// not only depend on what these hold.
    fn add_set(
        &mut self,
        root: u32,
        places: &[CellLayout],
        steps: Vec<(EdgeId, u32)>,
        leaves: &[u32],
    ) -> Option<u32> {
        let (mut root, mut at) = (root, None);
        for places in groups_of(places) {
            let known = at.map_or(root, |(node, word)| self.next(node, word));
            let node = if known == UNKNOWN { self.add_node(&places) } else { known };
            if node & OUTCOME != 0 || self.places_of(node) != places {
                return None;
            }
            match at {
                None => root = node,
                Some((before, word)) => self.set_next(before, word, node),
            }
            at = Some((node, self.word_of(node, leaves)));
        }
        let (node, word) = at?;
        self.set_next(node, word, OUTCOME | narrow(self.joint.sets.len()));
        let waits = |step: &(EdgeId, u32)| self.outcomes[step.1 as usize].done == Err(Halt::Waits);
        let (waiting, active): (Vec<_>, Vec<_>) = steps.into_iter().partition(waits);
        let known = &mut self.joint;
        let start = narrow(known.steps.len());
        known.steps.extend(active);
        let middle = narrow(known.steps.len());
        known.steps.extend(waiting);
        known.sets.push(StepSet { active: start..middle, waiting: middle..narrow(known.steps.len()) });
        self.is_full = self.bytes() > ROOM;
        Some(root)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::step;
    use super::*;

    /// The edges of a part that are taken or fail in a state, with the words afterwards, and those that wait.
    fn all(cache: &mut SuccessorCache, leaves: &[u32]) -> Option<(Vec<(u32, Vec<u32>)>, Vec<u32>)> {
        let set = cache.recall_all(0, leaves)?;
        let active = cache.active(&set).map(|(edge, step)| {
            let mut words = leaves.to_vec();
            for change in step.changes {
                words[change.leaf as usize] = change.apply(words[change.leaf as usize]);
            }
            (edge.0, words)
        });
        Some((active.collect(), cache.waiting(&set).map(|edge| edge.0).collect()))
    }

    #[test]
    fn edges_of_a_part_are_looked_up_at_once_by_all_words_that_one_of_them_reads() {
        let mut cache = SuccessorCache::new(&[0, 1, 2]);
        let taken = cache.keep(UNKNOWN, &step(&[(0, 5), (1, 6)], &[(1, 7)]), Ok(()));
        let waits = cache.keep(UNKNOWN, &step(&[(2, 1)], &[]), Err(Halt::Waits));
        let edges = |waits| [(EdgeId(3), taken), (EdgeId(4), waits)].into_iter();
        assert_eq!(all(&mut cache, &[5, 6, 1]), None);
        cache.keep_all(0, edges(UNKNOWN), &[5, 6, 1]); // it is not known of each
        assert_eq!(all(&mut cache, &[5, 6, 1]), None);
        cache.keep_all(0, edges(waits), &[5, 6, 1]);
        assert_eq!(all(&mut cache, &[5, 6, 1]), Some((vec![(3, vec![5, 7, 1])], vec![4])));
        for other in [[4, 6, 1], [5, 5, 1], [5, 6, 0]] {
            assert_eq!(all(&mut cache, &other), None);
        }
        cache.recalls = false;
        assert_eq!(all(&mut cache, &[5, 6, 1]), None);
    }

    #[test]
    fn edges_of_a_part_are_apart_where_too_few_states_look_alike() {
        let mut cache = SuccessorCache::new(&[0, 1]);
        let mut root = UNKNOWN;
        for value in 0..2 * FEW_SETS {
            let leaves = [u32::try_from(value).unwrap(), 0];
            root = cache.keep(root, &step(&[(0, value)], &[(1, 7)]), Ok(()));
            cache.keep_all(0, std::iter::once((EdgeId(3), root)), &leaves);
            assert_eq!(all(&mut cache, &leaves).is_some(), value < FEW_SETS);
        }
    }
}
