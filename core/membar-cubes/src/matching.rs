//! Embeddings of one cube in another: process variables to distinct process variables, nodes to nodes.
//!
//! If the other cube implies every literal of a cube under such a renaming, the other cube's states are among its
//! own. Two unordered nodes may be mapped to one node: what must precede both must then precede that one.

use std::cell::Cell;

use crate::conjunctions::Truth;
use crate::cube::Cube;
use crate::events::{Nodes, members};
use crate::system::Sorts;
use crate::term::{Literal, NOBODY, Place};
use membar_ir::error::CoreError;

/// What a cube says, in the order in which it is looked at: of no process variable, of each one alone, of it and
/// earlier ones, and of reads.
#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    /// Values of cells that have no index.
    global: Vec<(Place, u64)>,
    /// For each process variable, values of cells that have no other index.
    alone: Vec<Vec<(Place, u64)>>,
    /// What is left: of no variable, of each one and earlier ones, and last what speaks of reads.
    stages: Vec<Vec<Literal>>,
}

impl Plan {
    /// How a cube is looked at.
    pub(crate) fn of(cube: &Cube) -> Self {
        let slots = cube.slots as usize;
        let mut plan =
            Self { alone: vec![Vec::new(); slots], stages: vec![Vec::new(); slots + 2], ..Self::default() };
        for literal in cube.facts.literals() {
            if let Literal::In(place, values) = literal
                && !place.is_read()
            {
                match place.index {
                    [NOBODY, ..] => {
                        plan.global.push((place, values));
                        continue;
                    }
                    [slot, NOBODY, ..] => {
                        plan.alone[slot as usize].push((place, values));
                        continue;
                    }
                    _ => {}
                }
            }
            let mut stage = 0;
            for place in literal.places() {
                let slots = place.slots().map(|slot| slot as usize + 1).max().unwrap_or(0);
                stage = stage.max(if place.is_read() { plan.stages.len() - 1 } else { slots });
            }
            plan.stages[stage].push(literal);
        }
        plan
    }
}

/// A search for the ways in which `large` lies around `small`.
pub(crate) struct Matching<'a> {
    pub large: &'a Cube,
    /// How `large` is looked at.
    pub plan: &'a Plan,
    pub small: &'a Cube,
    pub sorts: &'a Sorts,
    /// Literals of `large` that need not follow from `small`.
    pub most_open: usize,
    /// For each process variable of `small` the first one that is like it in everything.
    pub interchangeable: &'a [u8],
    /// Choices that may still be tried: beyond, the answer is "no way".
    pub steps: Cell<u32>,
}

/// Where process variables and nodes go, and which literals do not follow.
#[derive(Debug, Clone, Default)]
struct Partial {
    slots: Vec<u8>,
    nodes: Vec<u8>,
    open: Vec<Literal>,
}

impl Matching<'_> {
    /// Calls `found` with the literals that do not follow, for each way, until it returns true.
    pub(crate) fn each(&self, found: &mut dyn FnMut(Vec<Literal>) -> bool) -> Result<bool, CoreError> {
        if self.large.slots > self.small.slots {
            return Ok(false);
        }
        let mut partial = Partial::default();
        if !self.values_fit(&self.plan.global, None, &mut partial.open)
            || !self.judge_all(&self.plan.stages[0], &mut partial)?
        {
            return Ok(false);
        }
        self.slot(&mut partial, found)
    }

    /// Whether values of cells follow, or may hold; with `slot` in place of their only index.
    fn values_fit(&self, values: &[(Place, u64)], slot: Option<u8>, open: &mut Vec<Literal>) -> bool {
        for &(mut place, wanted) in values {
            if let Some(slot) = slot {
                place.index[0] = slot;
            }
            let here = self.small.facts.values(place, self.sorts);
            if here & !wanted == 0 {
                continue;
            }
            if here & wanted == 0 || open.len() >= self.most_open {
                return false;
            }
            open.push(Literal::In(place, wanted));
        }
        true
    }

    /// Chooses a process variable of `small` for the next one of `large`.
    fn slot(
        &self,
        partial: &mut Partial,
        found: &mut dyn FnMut(Vec<Literal>) -> bool,
    ) -> Result<bool, CoreError> {
        let at = partial.slots.len();
        let stages = &self.plan.stages;
        if at == self.large.slots as usize {
            return self.node(&stages[stages.len() - 1], partial.clone(), found);
        }
        let fixed = u8::try_from(at).unwrap_or(NOBODY);
        let range = if self.sorts.is_fixed { fixed..fixed + 1 } else { 0..self.small.slots };
        let open = partial.open.len();
        for slot in range {
            if partial.slots.contains(&slot) {
                continue;
            }
            if self.has_free_twin(slot, &partial.slots) {
                continue;
            }
            if self.steps.get() == 0 {
                return Ok(false);
            }
            self.steps.set(self.steps.get() - 1);
            partial.slots.push(slot);
            let fits = self.values_fit(&self.plan.alone[at], Some(slot), &mut partial.open)
                && self.judge_all(&stages[at + 1], partial)?;
            if fits && self.slot(partial, found)? {
                return Ok(true);
            }
            partial.slots.pop();
            partial.open.truncate(open);
        }
        Ok(false)
    }

    /// Whether an earlier process variable that is alike is not taken: one of them is enough, if all must follow.
    fn has_free_twin(&self, slot: u8, taken: &[u8]) -> bool {
        let first = self.interchangeable[slot as usize];
        let is_alike = |other: u8| self.interchangeable[other as usize] == first && !taken.contains(&other);
        self.most_open == 0 && first != slot && !self.sorts.is_fixed && (first..slot).any(is_alike)
    }

    /// Chooses a node of `small` for the next one of `large`.
    fn node(
        &self,
        last: &[Literal],
        partial: Partial,
        found: &mut dyn FnMut(Vec<Literal>) -> bool,
    ) -> Result<bool, CoreError> {
        let at = partial.nodes.len();
        if at == self.large.events.reads.len() {
            let mut partial = partial;
            if !self.marks_are_there(&partial) || !self.judge_all(last, &mut partial)? {
                return Ok(false);
            }
            return Ok(found(partial.open));
        }
        for node in 0..self.small.events.reads.len() {
            let mut next = partial.clone();
            next.nodes.push(u8::try_from(node).unwrap_or(NOBODY));
            if self.node_fits(at, node, &next) && self.node(last, next, found)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn node_fits(&self, at: usize, node: usize, partial: &Partial) -> bool {
        let there = &self.small.events.reads[node];
        let renamed = |read: &Place| read.rename(&partial.slots, &partial.nodes);
        let has_reads =
            self.large.events.reads[at].iter().all(|read| there.binary_search(&renamed(read)).is_ok());
        let ordered = (0..at).all(|other| {
            let image = partial.nodes[other] as usize;
            let implies =
                |large: Nodes, b: usize, small: Nodes, to: usize| large >> b & 1 == 0 || small >> to & 1 == 1;
            let (large, small) = (&self.large.events.after, &self.small.events.after);
            implies(large[other], at, small[image], node) && implies(large[at], other, small[node], image)
        });
        has_reads && ordered
    }

    /// Whether what must come before nodes of `large` comes before their images.
    fn marks_are_there(&self, partial: &Partial) -> bool {
        if self.large.events.reads.is_empty() {
            return true;
        }
        let image = |nodes: Nodes| members(nodes).fold(0, |set: Nodes, node| set | 1 << partial.nodes[node]);
        let (large, small) = (&self.large.events, &self.small.events);
        let slots = partial.slots.iter().enumerate();
        let mut marks = slots.map(|(slot, &to)| (slot, to as usize));
        marks.all(|(slot, to)| {
            image(large.program[slot]) & !small.program[to] == 0
                && image(large.flushed[slot]) & !small.flushed[to] == 0
        }) && large.stored.iter().all(|&(location, nodes)| {
            image(nodes) & !small.stores_to(location.rename(&partial.slots, &partial.nodes)) == 0
        })
    }

    /// Looks at literals whose places are all known; false if this way is of no use.
    fn judge_all(&self, literals: &[Literal], partial: &mut Partial) -> Result<bool, CoreError> {
        for literal in literals {
            let literal = literal.rename(&partial.slots, &partial.nodes);
            match self.small.facts.judge(&literal, self.sorts)? {
                Truth::True => {}
                Truth::Open if partial.open.len() < self.most_open => partial.open.push(literal),
                Truth::Open | Truth::False => return Ok(false),
            }
        }
        Ok(true)
    }
}

/// Choices tried to see one cube inside another.
pub(crate) const MOST_CHOICES: u32 = 2_000;

/// Whether every state of `small` is in `large`, as far as one renaming shows it.
pub(crate) fn contains(large: &Cube, small: &Cube, sorts: &Sorts) -> Result<bool, CoreError> {
    let interchangeable = small.interchangeable();
    let steps = Cell::new(MOST_CHOICES);
    let plan = Plan::of(large);
    Matching { large, plan: &plan, small, sorts, most_open: 0, interchangeable: &interchangeable, steps }
        .each(&mut |_| true)
}
