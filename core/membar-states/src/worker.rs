//! A worker of a search in rounds: it looks at some of the states of a round, and finds those that follow among all that
//! are known. Those that seem to be new are written to their owners (`owner`).
//!
//! A state is written as the pair at its root, which means the same to all (`store`). States are looked up many at a time
//! (`tables::find_in_parts`).

use std::ops::Range;
use std::sync::Arc;

use membar_ir::error::CoreError;
use membar_ir::limits::{Stopped, Watch};
use membar_ir::words::narrow;

use super::automaton::AcceptanceSets;
use super::findings::{Findings, Note, Options, look};
use super::graph::GraphPart;
use super::owner::{Message, OwnStates, name, owner, part_of};
use super::product::{Claim, OpenEdges};
use super::reduction::Reduction;
use super::safety::is_chosen;
use super::store::{ExpandedState, Tree};
use super::successors::{Successors, Transition, too_many};
use super::symmetry::Symmetry;
use super::system::System;
use super::tables::{RecentPairs, UNKNOWN, find_in_parts, pair};

/// States that are looked up together, or some more.
const BATCH: usize = 128;

/// What one thread says that all know.
#[derive(Debug)]
pub(super) struct Common<'c> {
    pub(super) options: Options,
    pub(super) reduction: Option<&'c Reduction>,
    /// The automaton beside the program, if there is one.
    pub(super) claim: Option<&'c Claim<'c>>,
    /// Threads that may be exchanged, if that is made use of.
    pub(super) symmetry: Option<&'c Symmetry>,
    /// What was found in earlier rounds.
    pub(super) found: Arc<Findings>,
    /// States with these numbers are looked at in this round.
    pub(super) range: Range<u32>,
    /// All states that are known.
    pub(super) owners: Arc<Vec<OwnStates>>,
}

/// A state whose moves were followed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Followed {
    pub(super) number: u32,
    /// How many; with a claim, how many steps of the product.
    pub(super) count: u32,
    /// With a claim, where these are in the worker's part of the graph.
    pub(super) start: usize,
}

/// A state that a step of this round leads to.
#[derive(Debug, Clone, Copy)]
struct Target {
    /// The place of its root in `Batch::roots`.
    root: u32,
    /// The name of the state before or, with a claim, the state of the automaton.
    with: u32,
    /// The first step into it.
    number: u32,
    step: u32,
}

/// States that follow in a round. Most steps lead to states that other steps of the same round lead to, too: each is looked
/// up once. Steps that are followed between two calls of `Worker::close` are looked up together.
#[derive(Debug)]
struct Batch {
    /// The roots that were met, and their places.
    roots: Vec<u64>,
    recent_roots: RecentPairs,
    /// Per root, as far as they were looked up, the owner and the number.
    owners: Vec<usize>,
    known: Vec<u32>,
    /// The states that were met and, with a claim, their places by the places of their roots.
    targets: Vec<Target>,
    recent_targets: RecentPairs,
    /// Per state, as far as they were looked up, its name; `UNKNOWN` if its owner was asked.
    names: Vec<u32>,
    pairs: Vec<u64>,
    found: Vec<u32>,
}

impl Batch {
    fn new() -> Self {
        Self {
            roots: Vec::new(),
            recent_roots: RecentPairs::new(),
            owners: Vec::new(),
            known: Vec::new(),
            targets: Vec::new(),
            recent_targets: RecentPairs::new(),
            names: Vec::new(),
            pairs: Vec::new(),
            found: Vec::new(),
        }
    }

    /// Forgets all: then another round begins.
    fn clear(&mut self) {
        self.recent_roots.clear(self.roots.len());
        self.recent_targets.clear(self.targets.len());
        self.roots.clear();
        self.owners.clear();
        self.known.clear();
        self.targets.clear();
        self.names.clear();
    }

    /// Bytes held.
    fn bytes(&self) -> usize {
        let recent = self.recent_roots.bytes() + self.recent_targets.bytes();
        recent + 20 * self.roots.capacity() + (size_of::<Target>() + 4) * self.targets.capacity()
    }

    /// The place of a root, and whether it is new.
    fn add_root(&mut self, root: u64) -> (u32, bool) {
        let (place, is_new) = self.recent_roots.number(root, narrow(self.roots.len()));
        if is_new {
            self.roots.push(root);
        }
        (place, is_new)
    }

    /// With a claim, the place of a state.
    fn add_target(&mut self, target: Target) -> u32 {
        let next = narrow(self.targets.len());
        let (place, is_new) = self.recent_targets.number(pair(target.root, target.with), next);
        if is_new {
            self.targets.push(target);
        }
        place
    }

    /// How many states are still to be looked up.
    fn waiting(&self) -> usize {
        self.targets.len() - self.names.len()
    }

    /// Looks up the states that were added since the last time.
    fn find(&mut self, owners: &[OwnStates], has_claim: bool) {
        let roots = &self.roots[self.owners.len()..];
        let first = self.owners.len();
        self.owners.extend(roots.iter().map(|&root| owner(root, owners.len())));
        let of_root = &self.owners;
        find_in_parts(|root| &owners[of_root[first + root]].table.root, roots, &mut self.found);
        self.known.extend_from_slice(&self.found);
        let targets = &self.targets[self.names.len()..];
        if has_claim {
            let known = &self.known;
            self.pairs.clear();
            self.pairs.extend(targets.iter().map(|target| pair(known[target.root as usize], target.with)));
            let of_target = |place: usize| owners[of_root[targets[place].root as usize]].table.states();
            find_in_parts(of_target, &self.pairs, &mut self.found);
        }
        let names = targets.iter().zip(&self.found).map(|(target, &place)| {
            // It has a name if it is known.
            let owner = of_root[target.root as usize];
            if place == UNKNOWN { UNKNOWN } else { name(owner, place, owners.len()).unwrap_or(UNKNOWN) }
        });
        self.names.extend(names);
    }
}

/// What one thread has to say and to do in a round.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) own: usize,
    pub(super) system: System,
    pub(super) tree: Tree,
    /// What is to be said: of which number and name.
    pub(super) notes: Vec<(u32, u32, Note)>,
    /// States whose moves were followed in this round, or in the last one until it is linked.
    pub(super) followed: Vec<Followed>,
    /// What it wrote to owners.
    pub(super) outbox: Vec<Vec<Message>>,
    /// With a claim, the places of the states that it wrote about.
    pub(super) placed: Vec<Vec<u32>>,
    /// With a claim, the steps of this round: the places of the states that they lead to, and labels.
    steps: Vec<(u32, u32)>,
    /// What has no meaning, and in which number.
    pub(super) error: Option<(u32, CoreError)>,
    pub(super) stopped: Option<Stopped>,
    /// Whether the search ends with this round.
    pub(super) is_over: bool,
    /// With a claim, the steps that it has followed.
    pub(super) graph: GraphPart,
    has_claim: bool,
    names: Vec<u32>,
    near: ExpandedState,
    moves: Successors,
    open: OpenEdges,
    /// Where the moves at hand lead: the places of the roots, whether these are new, and the marks of the moves.
    roots: Vec<(u32, bool, AcceptanceSets)>,
    batch: Batch,
    words: Vec<u32>,
    said: Vec<Note>,
}

impl Worker {
    pub(super) fn new(own: usize, workers: usize, system: System, tree: Tree, has_claim: bool) -> Self {
        Self {
            own,
            system,
            tree,
            notes: Vec::new(),
            followed: Vec::new(),
            outbox: vec![Vec::new(); workers],
            placed: vec![Vec::new(); workers],
            steps: Vec::new(),
            error: None,
            stopped: None,
            is_over: false,
            graph: GraphPart::default(),
            has_claim,
            names: Vec::new(),
            near: ExpandedState::default(),
            moves: Successors::default(),
            open: OpenEdges::default(),
            roots: Vec::new(),
            batch: Batch::new(),
            words: Vec::new(),
            said: Vec::new(),
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let mail: usize = self.outbox.iter().map(Vec::capacity).sum();
        let lists = size_of::<Message>() * mail + 8 * self.steps.capacity() + self.batch.bytes();
        self.tree.bytes() + self.system.bytes() + lists + self.graph.bytes()
    }

    /// Looks at its part of the states of this round, and writes to the owners of those that follow and seem to be new.
    pub(super) fn look(&mut self, common: &Common<'_>, watch: &mut Watch<'_>) {
        self.link();
        self.system.stepper.synchronize();
        if self.tree.synchronize().is_none() {
            self.error = Some((0, too_many()));
        }
        let range = part_of(&common.range, self.own, common.owners.len());
        let mut names = std::mem::take(&mut self.names);
        names.clear();
        names.resize(range.len(), 0);
        for owner in &*common.owners {
            owner.put_names(&range, &mut names);
        }
        for (&name, number) in names.iter().zip(range) {
            if let Err(stopped) = watch.step() {
                self.stopped = Some(stopped);
                self.is_over = true;
                break;
            }
            self.is_over = self.look_at(name, number, common).unwrap_or_else(|error| {
                self.error = Some((number, error));
                true
            });
            if self.is_over {
                break;
            }
            if self.batch.waiting() >= BATCH {
                self.close(common);
            }
        }
        self.close(common);
        self.names = names;
    }

    /// Looks at one state; whether the search is over with it.
    fn look_at(&mut self, name: u32, number: u32, common: &Common<'_>) -> Result<bool, CoreError> {
        self.find_moves(name, common)?;
        let is_over = self.said.iter().any(|note| note.ends(common.options));
        self.notes.extend(self.said.drain(..).map(|note| (number, name, note)));
        if is_over {
            return Ok(true);
        }
        let alone = common.reduction.and_then(|reduction| {
            let (program, locals) = self.system.locals();
            reduction.ample_thread(program, locals, &self.moves)
        });
        self.follow(name, number, |step| is_chosen(step, alone), common)?;
        Ok(false)
    }

    /// Finds what can happen in a state, and what is to be said of it.
    fn find_moves(&mut self, name: u32, common: &Common<'_>) -> Result<(), CoreError> {
        let (count, owners) = (self.system.leaves(), narrow(common.owners.len()));
        let (root, rider) = common.owners[(name % owners) as usize].table.get(name / owners);
        self.tree.fetch_root(root, &mut self.near);
        self.near.rider = rider;
        self.system.moves(self.near.leaves(count), &mut self.moves)?;
        let (system, moves, notes) = (&mut self.system, &self.moves, &mut self.said);
        match common.claim {
            None => look(system, self.near.leaves(count), moves, &common.found, notes),
            Some(claim) => {
                let state = (self.near.leaves(count), self.near.rider);
                claim.look(system, state, moves, &common.found, &mut self.open, notes);
            }
        }
        Ok(())
    }

    /// Follows some of the moves at hand: puts the states that they lead to among those that are looked up.
    fn follow(
        &mut self,
        name: u32,
        number: u32,
        is_chosen: impl Fn(&Transition) -> bool,
        common: &Common<'_>,
    ) -> Result<(), CoreError> {
        let start = self.graph.len() + self.steps.len() + self.followed.len();
        let failed = self.find_roots(is_chosen, common)?;
        let (batch, mut step) = (&mut self.batch, 0);
        if common.claim.is_some() {
            for &(with, edge) in &self.open.list {
                for &(root, _, marks) in &self.roots {
                    let target = batch.add_target(Target { root, with, number, step });
                    self.steps.push((target, self.graph.marks.number(edge | marks)));
                    step += 1;
                }
            }
        } else {
            for &(root, is_new, _) in &self.roots {
                if is_new {
                    batch.targets.push(Target { root, with: name, number, step });
                }
                step += 1;
            }
        }
        self.followed.push(Followed { number, count: step + failed, start });
        Ok(())
    }

    /// Finds where some of the moves at hand lead; without a claim, how many lead nowhere because an assertion fails.
    fn find_roots(
        &mut self,
        is_chosen: impl Fn(&Transition) -> bool,
        common: &Common<'_>,
    ) -> Result<u32, CoreError> {
        let (tree, batch) = (&mut self.tree, &mut self.batch);
        let mut failed = 0;
        self.roots.clear();
        if let Some(claim) = common.claim.filter(|_| self.open.stays) {
            let (root, is_new) = batch.add_root(tree.root_at(&self.near));
            self.roots.push((root, is_new, claim.marks(0, None)));
        }
        for step in self.moves.list.iter().filter(|step| is_chosen(step)) {
            if step.failed {
                failed += u32::from(common.claim.is_none());
                continue;
            }
            let changes = self.moves.changes(step);
            let root = if let Some(symmetry) = common.symmetry {
                symmetry.root_after(&mut self.system, tree, (&mut self.near, changes), &mut self.words)?
            } else {
                tree.root_beside(step.sides, changes, &mut self.near)
            };
            let marks = common.claim.map_or(0, |claim| claim.marks(0, Some(step)));
            let (root, is_new) = batch.add_root(root.ok_or_else(too_many)?);
            self.roots.push((root, is_new, marks));
        }
        Ok(failed)
    }

    /// Looks up the states that follow, as far as that was not done; writes about those that are not known to their owners.
    fn close(&mut self, common: &Common<'_>) {
        let batch = &mut self.batch;
        let first = batch.names.len();
        batch.find(&common.owners, self.has_claim);
        for (&Target { root, with, number, step }, &name) in
            batch.targets.iter().zip(&batch.names).skip(first)
        {
            if name == UNKNOWN {
                let (root, owner) = (batch.roots[root as usize], batch.owners[root as usize]);
                self.outbox[owner].push(Message { root, number, step, with });
            }
        }
    }

    /// With a claim, adds the steps of the states that it has followed in the last round to the graph. Nobody needs them before
    /// components are looked for, so it does not do so at the end of the round, where others would wait for it.
    pub(super) fn link(&mut self) {
        if self.has_claim {
            let owners = self.placed.len();
            let mut places: Vec<_> = self.placed.iter().map(|places| places.iter()).collect();
            let batch = &mut self.batch;
            for (known, target) in batch.names.iter_mut().zip(&batch.targets) {
                if *known == UNKNOWN {
                    let owner = batch.owners[target.root as usize];
                    let place = places[owner].next();
                    // Where there is no such name, its owner has said so.
                    *known = place.and_then(|&place| name(owner, place, owners)).unwrap_or(0);
                }
            }
            let mut steps = self.steps.iter();
            for state in &self.followed {
                self.graph.begin(state.count);
                for &(target, label) in steps.by_ref().take(state.count as usize) {
                    self.graph.add(batch.names[target as usize], label);
                }
            }
        }
        self.followed.clear();
        self.steps.clear();
        self.batch.clear();
        for places in &mut self.placed {
            places.clear();
        }
    }
}
