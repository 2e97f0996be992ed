//! Tables of states: tree compression stores equal parts of states once.
//!
//! A state is a fixed number of words (`leaves`). A binary tree stands over them; each inner node has a table of the
//! pairs that its two children have taken, and a state is the number of its pair in the table of the root (Laarman,
//! van de Pol, Weber, "Parallel recursive state compression for free", SPIN 2011). Most states differ from the one
//! they were reached from in few leaves, and only the nodes above these are looked up.
//!
//! The table of the root is by far the largest. Several threads number the pairs of all other nodes alike, so a pair at
//! the root means the same state to all of them; the table of the root has a part for each (`StateTable`). With a claim,
//! states are pairs of a number of the root and a state of the automaton.

use super::tables::{CommonPairs, Pairs, SPREAD, left_of, pair, right_of};

/// The tree over the leaves, and the tables of its inner nodes but the root.
#[derive(Debug)]
pub(super) struct Tree {
    leaves: usize,
    /// The children of each inner node, by their places in a list of all leaves and, behind them, all inner nodes.
    /// Children come before their parents; the last node is the root.
    nodes: Vec<(usize, usize)>,
    /// Per leaf the inner nodes above it: bits, in words for 64 nodes each.
    above: Vec<u64>,
    /// The tables of all nodes but the root.
    lower: Vec<CommonPairs>,
    /// What is known of the children of the root.
    left: Neighbours,
    right: Neighbours,
}

/// States, by the pairs at their roots.
#[derive(Debug, Clone)]
pub(super) struct StateTable {
    pub(super) root: Pairs,
    /// With a claim, pairs of a number of the root and a state of the automaton.
    pub(super) product: Option<Pairs>,
}

/// States, and the tree over them.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) tree: Tree,
    pub(super) table: StateTable,
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
    /// With a claim, the state of the automaton.
    pub(super) rider: u32,
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
    let mut parents = vec![None; leaves + nodes.len()];
    for (node, &(left, right)) in nodes.iter().enumerate() {
        parents[left] = Some(node);
        parents[right] = Some(node);
    }
    let mut above = vec![0; leaves * width];
    for leaf in 0..leaves {
        let mut below = leaf;
        while let Some(node) = parents[below] {
            above[leaf * width + node / 64] |= 1 << (node % 64);
            below = leaves + node;
        }
    }
    above
}

impl Tree {
    /// A tree over words in this order.
    pub(super) fn new(order: &[usize]) -> Self {
        let leaves = order.len().max(2);
        let mut nodes = Vec::new();
        match order {
            [only] => add_nodes(&[*only, 1], leaves, &mut nodes),
            _ => add_nodes(order, leaves, &mut nodes),
        };
        Self {
            leaves,
            above: nodes_above(leaves, &nodes),
            lower: nodes[1..].iter().flat_map(|_| CommonPairs::several(1)).collect(),
            nodes,
            left: Neighbours::default(),
            right: Neighbours::default(),
        }
    }

    /// One for each of several threads, which number pairs alike.
    pub(super) fn several(order: &[usize], count: usize) -> Vec<Self> {
        let mut all: Vec<Self> = (0..count).map(|_| Self::new(order)).collect();
        for node in 0..all[0].lower.len() {
            for (tree, pairs) in all.iter_mut().zip(CommonPairs::several(count)) {
                tree.lower[node] = pairs;
            }
        }
        all
    }

    /// Takes over what other threads have numbered. None: there are as many pairs as numbers.
    pub(super) fn synchronize(&mut self) -> Option<()> {
        self.lower.iter_mut().try_for_each(CommonPairs::synchronize)
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let lower: usize = self.lower.iter().map(CommonPairs::bytes).sum();
        lower + self.left.bytes() + self.right.bytes()
    }

    /// Spreads out the state with this pair at its root.
    pub(super) fn fetch_root(&self, root: u64, expanded: &mut ExpandedState) {
        expanded.values.resize(self.leaves + self.nodes.len(), 0);
        let mut pair = root;
        for (node, &(left, right)) in self.nodes.iter().enumerate().rev() {
            if let Some(table) = self.lower.get(node) {
                pair = table.get(expanded.values[self.leaves + node]);
            }
            expanded.values[left] = left_of(pair);
            expanded.values[right] = right_of(pair);
        }
    }

    /// The pair at the root of a state. None: there are as many pairs as numbers.
    pub(super) fn root_of(&mut self, leaves: &[u32]) -> Option<u64> {
        let mut values = leaves.to_vec();
        values.resize(self.leaves, 0);
        for (&(left, right), table) in self.nodes.iter().zip(&mut self.lower) {
            values.push(table.number(pair(values[left], values[right]))?);
        }
        self.nodes.last().map(|&(left, right)| pair(values[left], values[right]))
    }

    /// The pair at the root of a state that was spread out.
    pub(super) fn root_at(&self, near: &ExpandedState) -> u64 {
        self.nodes.last().map_or(0, |&(left, right)| pair(near.values[left], near.values[right]))
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
                let number = self.lower[node].number(pair)?;
                near.set(count + node, number);
            }
        }
        near.restore();
        Some(self.root_at(near))
    }
}

impl StateTable {
    pub(super) fn new(has_claim: bool) -> Self {
        Self { root: Pairs::new(), product: has_claim.then(Pairs::new) }
    }

    /// The states.
    pub(super) fn states(&self) -> &Pairs {
        self.product.as_ref().unwrap_or(&self.root)
    }

    /// How many states there are.
    pub(super) fn len(&self) -> usize {
        self.states().len()
    }

    /// Per state, the state of the automaton beside it.
    pub(super) fn riders(&self) -> impl Iterator<Item = u32> {
        self.product.iter().flat_map(Pairs::entries).map(|&pair| right_of(pair))
    }

    /// The pair at the root of state `number`, and the state of the automaton beside it.
    pub(super) fn get(&self, number: u32) -> (u64, u32) {
        let product = self.product.as_ref().map_or(pair(number, 0), |product| product.get(number));
        (self.root.get(left_of(product)), right_of(product))
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.root.bytes() + self.product.as_ref().map_or(0, Pairs::bytes)
    }

    /// Numbers states by the pairs at their roots and, with a claim, the states of the automaton beside them (`riders`):
    /// `observe` is told the place of each in the list, its number, and whether it is new. `pairs` and `found` are
    /// overwritten. None: there are as many states as numbers.
    pub(super) fn number_all(
        &mut self,
        pairs: &mut Vec<u64>,
        riders: impl Iterator<Item = u32>,
        found: &mut Vec<u32>,
        observe: impl FnMut(usize, u32, bool),
    ) -> Option<()> {
        let Some(product) = &mut self.product else { return self.root.number_all(pairs, found, observe) };
        self.root.number_all(pairs, found, |_, _, _| ())?;
        pairs.clear();
        pairs.extend(found.iter().zip(riders).map(|(&program, rider)| pair(program, rider)));
        product.number_all(pairs, found, observe)
    }
}

impl Store {
    /// A tree over words in this order, and no states.
    pub(super) fn new(order: &[usize]) -> Self {
        Self { tree: Tree::new(order), table: StateTable::new(false) }
    }

    /// How many states there are.
    pub(super) fn len(&self) -> usize {
        self.table.len()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.tree.bytes() + self.table.bytes()
    }

    /// Spreads out state `number`.
    pub(super) fn fetch(&self, number: u32, expanded: &mut ExpandedState) {
        let (root, rider) = self.table.get(number);
        self.tree.fetch_root(root, expanded);
        expanded.rider = rider;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_states_have_one_number_and_can_be_fetched() {
        for (leaves, has_claim) in (1..9).flat_map(|leaves| [(leaves, false), (leaves, true)]) {
            let order: Vec<usize> = (0..leaves).collect();
            let mut store = Store { tree: Tree::new(&order), table: StateTable::new(has_claim) };
            let mut expanded = ExpandedState::default();
            let mut known = std::collections::BTreeMap::new();
            let mut word = 7_u32;
            let mut next = || {
                word = word.wrapping_mul(1_103_515_245).wrapping_add(12_345);
                (word >> 16) % 3
            };
            for _ in 0..2000 {
                let state: Vec<u32> = (0..leaves).map(|_| next()).collect();
                let rider = if has_claim { next() } else { 0 };
                let expected = known.len();
                let mut root = store.tree.root_of(&state).unwrap();
                if !known.is_empty() {
                    // From any other state, by changing all its words.
                    let changes: Vec<(u32, u32)> = (0..).zip(state.iter().copied()).collect();
                    root = store.tree.root_after(&changes, &mut expanded).unwrap();
                    assert_eq!(Some(root), store.tree.root_of(&state));
                }
                let mut met = (0, false);
                let riders = std::iter::once(rider);
                let observe = |_, number, is_new| met = (number, is_new);
                store.table.number_all(&mut vec![root], riders, &mut Vec::new(), observe).unwrap();
                let place = *known.entry((state.clone(), rider)).or_insert(expected);
                assert_eq!((met.0 as usize, met.1), (place, place == expected));
                store.fetch(met.0, &mut expanded);
                assert_eq!((expanded.leaves(leaves), expanded.rider), (state.as_slice(), rider));
            }
            assert_eq!(store.len(), known.len());
        }
    }

    #[test]
    fn threads_name_roots_alike() {
        let order: Vec<usize> = (0..5).collect();
        let mut all = Tree::several(&order, 3);
        let states: Vec<Vec<u32>> =
            (0..243).map(|n| (0..5).map(|k| n / 3_u32.pow(k) % 3).collect()).collect();
        let roots: Vec<u64> =
            states.iter().enumerate().map(|(n, state)| all[n % 3].root_of(state).unwrap()).collect();
        for tree in &mut all {
            tree.synchronize().unwrap();
            for (state, &root) in states.iter().zip(&roots) {
                assert_eq!(tree.root_of(state), Some(root));
                let mut expanded = ExpandedState::default();
                tree.fetch_root(root, &mut expanded);
                assert_eq!(expanded.leaves(5), state);
            }
        }
    }
}
