//! Tables of states: tree compression stores equal parts of states once.
//!
//! A state is a fixed number of words (`leaves`). A binary tree stands over them; each inner node has a table of the
//! pairs that its two children have taken, and a state is the number of its pair in the table of the root (Laarman,
//! van de Pol, Weber, "Parallel recursive state compression for free", SPIN 2011). Most states differ from the one
//! they were reached from in few leaves, and only the nodes above these are looked up.

use super::tables::{Pairs, SPREAD, UNKNOWN, left_of, pair, right_of};

/// The tree over the leaves, and the tables of its inner nodes.
#[derive(Debug)]
pub(super) struct Store {
    leaves: usize,
    /// The children of each inner node, by their places in a list of all leaves and, behind them, all inner nodes.
    /// Children come before their parents; the last node is the root.
    nodes: Vec<(usize, usize)>,
    /// Per leaf the inner nodes above it: bits, in words for 64 nodes each.
    above: Vec<u64>,
    tables: Vec<Pairs>,
    /// What is known of the children of the root.
    left: Neighbours,
    right: Neighbours,
}

/// How numbers of a child of the root follow each other: by which set of changes which number becomes which. An entry
/// may replace another one.
#[derive(Debug, Default)]
struct Neighbours {
    /// Before, set of changes, after; as many as a power of two.
    entries: Vec<(u32, u32, u32)>,
    used: usize,
}

impl Neighbours {
    fn slot(&self, before: u32, set: u32) -> usize {
        let hash = pair(before, set).wrapping_mul(SPREAD);
        (hash >> 40) as usize & (self.entries.len().wrapping_sub(1))
    }

    fn get(&self, before: u32, set: u32) -> Option<u32> {
        if set == 0 {
            return Some(before);
        }
        let entry = self.entries.get(self.slot(before, set))?;
        (entry.0 == before && entry.1 == set && set != NO_SET).then_some(entry.2)
    }

    fn put(&mut self, before: u32, set: u32, after: u32) {
        if set == 0 || set == NO_SET {
            return;
        }
        if 2 * self.used >= self.entries.len() && self.entries.len() < MOST_NEIGHBOURS {
            let twice = vec![(0, NO_SET, 0); 256.max(2 * self.entries.len())];
            self.used = 0;
            for (before, set, after) in std::mem::replace(&mut self.entries, twice) {
                self.set(before, set, after);
            }
        }
        self.set(before, set, after);
    }

    fn set(&mut self, before: u32, set: u32, after: u32) {
        let slot = self.slot(before, set);
        self.used += usize::from(self.entries[slot].1 == NO_SET && set != NO_SET);
        self.entries[slot] = (before, set, after);
    }

    fn bytes(&self) -> usize {
        12 * self.entries.capacity()
    }
}

/// Most entries of each of the two.
const MOST_NEIGHBOURS: usize = 1 << 17;
/// A set of changes that has no number.
const NO_SET: u32 = u32::MAX;

/// How many of so many leaves are on the left of their root.
fn middle_of(leaves: usize) -> usize {
    leaves.div_ceil(2)
}

/// Per leaf, whether it is on the left of the root if the leaves are in this order.
pub(super) fn is_left(order: &[usize]) -> Vec<bool> {
    let mut is_left = vec![false; order.len()];
    for &leaf in &order[..middle_of(order.len())] {
        is_left[leaf] = true;
    }
    is_left
}

/// A state spread out: its leaves, and the numbers of all inner nodes over them.
#[derive(Debug, Clone, Default)]
pub(super) struct ExpandedState {
    values: Vec<u32>,
    /// Values that were changed for a while: where, and as they were.
    changes: Vec<(usize, u32)>,
}

impl ExpandedState {
    /// The leaves, of which there are `count`.
    pub(super) fn leaves(&self, count: usize) -> &[u32] {
        &self.values[..count]
    }

    fn set(&mut self, place: usize, value: u32) {
        self.changes.push((place, self.values[place]));
        self.values[place] = value;
    }

    fn restore(&mut self) {
        for &(place, value) in self.changes.iter().rev() {
            self.values[place] = value;
        }
    }
}

/// Adds the nodes over these of the leaves, each over as many on its left as on its right; where their root is.
fn add_nodes(order: &[usize], leaves: usize, nodes: &mut Vec<(usize, usize)>) -> usize {
    if let [only] = *order {
        return only;
    }
    let (left, right) = order.split_at(middle_of(order.len()));
    let left = add_nodes(left, leaves, nodes);
    let right = add_nodes(right, leaves, nodes);
    nodes.push((left, right));
    leaves + nodes.len() - 1
}

/// Per leaf, which nodes are above it.
fn nodes_above(leaves: usize, nodes: &[(usize, usize)]) -> Vec<u64> {
    let width = nodes.len().div_ceil(64);
    let mut above = vec![0; leaves * width];
    for leaf in 0..leaves {
        let mut below = leaf;
        while let Some(node) = nodes.iter().position(|&(left, right)| below == left || below == right) {
            above[leaf * width + node / 64] |= 1 << (node % 64);
            below = leaves + node;
        }
    }
    above
}

impl Store {
    /// A tree over words in this order; with a `rider`, one more leaf stands beside all others, right under the root.
    pub(super) fn new(order: &[usize], rider: bool) -> Self {
        let leaves = if rider { order.len() + 1 } else { order.len().max(2) };
        let mut nodes = Vec::new();
        let top = match order {
            [only] if !rider => add_nodes(&[*only, 1], leaves, &mut nodes),
            _ => add_nodes(order, leaves, &mut nodes),
        };
        if rider {
            nodes.push((top, leaves - 1));
        }
        let tables = nodes.iter().map(|_| Pairs::new()).collect();
        let above = nodes_above(leaves, &nodes);
        Self { leaves, nodes, above, tables, left: Neighbours::default(), right: Neighbours::default() }
    }

    /// With a rider, the number of what stands beside it in a state that was spread out, in the order in which such parts
    /// were met; there must be two leaves or more.
    pub(super) fn beside_rider(&self, expanded: &ExpandedState) -> u32 {
        self.nodes.last().map_or(0, |&(left, _)| expanded.values[left])
    }

    /// The same of state `number`.
    pub(super) fn beside_rider_of(&self, number: u32) -> u32 {
        self.tables.last().map_or(0, |root| left_of(root.get(number)))
    }

    /// How many states there are.
    pub(super) fn len(&self) -> usize {
        self.tables.last().map_or(0, Pairs::len)
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.tables.iter().map(Pairs::bytes).sum::<usize>() + self.left.bytes() + self.right.bytes()
    }

    /// Spreads out state `number`.
    pub(super) fn fetch(&self, number: u32, expanded: &mut ExpandedState) {
        let root = self.tables.last().map_or(0, |root| root.get(number));
        self.fetch_root(root, expanded);
        if let Some(last) = expanded.values.last_mut() {
            *last = number;
        }
    }

    /// Spreads out the state with this pair at its root.
    pub(super) fn fetch_root(&self, root: u64, expanded: &mut ExpandedState) {
        expanded.values.resize(self.leaves + self.nodes.len(), 0);
        let mut pair = root;
        for (node, &(left, right)) in self.nodes.iter().enumerate().rev() {
            if node + 1 < self.nodes.len() {
                pair = self.tables[node].get(expanded.values[self.leaves + node]);
            }
            expanded.values[left] = left_of(pair);
            expanded.values[right] = right_of(pair);
        }
    }

    /// The pair at the root of a state. None: there are as many pairs as numbers.
    pub(super) fn root_of(&mut self, leaves: &[u32]) -> Option<u64> {
        let mut values = leaves.to_vec();
        values.resize(self.leaves, 0);
        let (inner, root) = self.nodes.split_at(self.nodes.len() - 1);
        for (&(left, right), table) in inner.iter().zip(&mut self.tables) {
            values.push(table.number(pair(values[left], values[right]))?.0);
        }
        root.first().map(|&(left, right)| pair(values[left], values[right]))
    }

    /// The number of the state with these leaves, and whether it is new; `near` is a state that it resembles.
    /// None: there are as many states as numbers.
    pub(super) fn number(
        &mut self,
        leaves: &[u32],
        near: &ExpandedState,
        scratch: &mut Vec<u32>,
    ) -> Option<(u32, bool)> {
        scratch.clear();
        scratch.extend_from_slice(leaves);
        scratch.resize(self.leaves, 0);
        let is_first = near.values.is_empty();
        let mut last = (0, false);
        for (node, &(left, right)) in self.nodes.iter().enumerate() {
            let place = self.leaves + node;
            let (first, second) = (scratch[left], scratch[right]);
            last = if !is_first && near.values[left] == first && near.values[right] == second {
                (near.values[place], false)
            } else {
                self.tables[node].number(pair(first, second))?
            };
            scratch.push(last.0);
        }
        Some(last)
    }

    /// As `root_after`, where the changes on both sides of the root have these numbers.
    pub(super) fn root_beside(
        &mut self,
        sides: (u32, u32),
        changes: &[(u32, u32)],
        near: &mut ExpandedState,
    ) -> Option<u64> {
        let (left, right) = self.nodes[self.nodes.len() - 1];
        let before = (near.values[left], near.values[right]);
        if let Some(after) = self.left.get(before.0, sides.0)
            && let Some(other) = self.right.get(before.1, sides.1)
        {
            return Some(pair(after, other));
        }
        let root = self.root_after(changes, near)?;
        self.left.put(before.0, sides.0, left_of(root));
        self.right.put(before.1, sides.1, right_of(root));
        Some(root)
    }

    /// The pair at the root of the state that differs from `near` in the leaves that are changed to these words; `near`
    /// is as before in the end. None: there are as many pairs as numbers.
    pub(super) fn root_after(&mut self, changes: &[(u32, u32)], near: &mut ExpandedState) -> Option<u64> {
        let width = self.nodes.len().div_ceil(64);
        let (count, root) = (self.leaves, self.nodes.len() - 1);
        near.changes.clear();
        for &(leaf, word) in changes {
            near.set(leaf as usize, word);
        }
        for word in 0..width {
            let above = |&(leaf, _): &(u32, u32)| self.above[leaf as usize * width + word];
            let mut nodes = changes.iter().map(above).fold(0, |all, bits| all | bits);
            while nodes != 0 {
                let node = 64 * word + nodes.trailing_zeros() as usize;
                nodes &= nodes - 1;
                let (left, right) = self.nodes[node];
                let pair = pair(near.values[left], near.values[right]);
                if node == root {
                    near.restore();
                    return Some(pair);
                }
                let (number, _) = self.tables[node].number(pair)?;
                near.set(count + node, number);
            }
        }
        near.restore();
        let (left, right) = self.nodes[root];
        Some(pair(near.values[left], near.values[right]))
    }

    /// The numbers of the states with these pairs at their roots, as far as they are found at once; `UNKNOWN` for
    /// the others.
    pub(super) fn find_roots(&self, pairs: &[u64], found: &mut Vec<u32>) {
        match self.tables.last() {
            Some(root) => root.find_all(pairs, found),
            None => found.resize(pairs.len(), UNKNOWN),
        }
    }

    /// The number of the state with this pair at its root, and whether it is new.
    /// None: there are as many states as numbers.
    pub(super) fn number_of_root(&mut self, pair: u64) -> Option<(u32, bool)> {
        self.tables.last_mut()?.number(pair)
    }

    /// As `number`, where the state resembles the `last` one whose number was asked for; it is the last one afterwards.
    pub(super) fn number_after(
        &mut self,
        leaves: &[u32],
        last: &mut ExpandedState,
        scratch: &mut Vec<u32>,
    ) -> Option<(u32, bool)> {
        let found = self.number(leaves, last, scratch)?;
        std::mem::swap(&mut last.values, scratch);
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_states_have_one_number_and_can_be_fetched() {
        for (leaves, rider) in (1..9).flat_map(|leaves| [(leaves, false), (leaves + 1, true)]) {
            let mut store = Store::new(&(0..leaves - usize::from(rider)).collect::<Vec<_>>(), rider);
            let (mut expanded, mut scratch) = (ExpandedState::default(), Vec::new());
            let mut known = std::collections::BTreeMap::new();
            let mut word = 7_u32;
            for _ in 0..2000 {
                let state: Vec<u32> = (0..leaves)
                    .map(|_| {
                        word = word.wrapping_mul(1_103_515_245).wrapping_add(12_345);
                        (word >> 16) % 3
                    })
                    .collect();
                let expected = known.len();
                let (number, is_new) = store.number(&state, &expanded, &mut scratch).unwrap();
                let place = *known.entry(state.clone()).or_insert(expected);
                assert_eq!((number as usize, is_new), (place, place == expected));
                store.fetch(number, &mut expanded);
                assert_eq!(expanded.leaves(leaves), state);
            }
            assert_eq!(store.len(), known.len());
        }
    }
}
