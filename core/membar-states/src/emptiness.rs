//! Is there a run that the automaton accepts? A search for a strongly connected component with every mark in the graph
//! of the product (Couvreur, "On-the-fly verification of linear temporal logic", FM 1999), without recursion.
//!
//! `roots` holds one entry per component of the path that may still grow, with the marks seen inside it; a step back
//! into the path melts entries together. As soon as one has every mark, it holds an accepted run, which `lasso` finds.
//! Where a shortest run is asked for, the search goes on, and notes all components that hold one.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use membar_ir::limits::{Stopped, Watch};
use membar_ir::words::narrow;

use super::automaton::AcceptanceSets;
use super::graph::{Graph, GraphPart};
use super::lasso::Goals;

/// Per state, whether it is dead: no accepted run goes through it. Searches at the same time tell each other in this way.
#[derive(Debug)]
pub(super) struct Flags(Vec<AtomicBool>);

impl Flags {
    pub(super) fn new(states: usize, are_dead: bool) -> Self {
        Self((0..states).map(|_| AtomicBool::new(are_dead)).collect())
    }

    /// Says of every so many-th state, from one on, whether it is dead.
    pub(super) fn fill(&mut self, are_dead: impl Iterator<Item = bool>, first: usize, step: usize) {
        for (flag, is_dead) in self.0.iter_mut().skip(first).step_by(step).zip(are_dead) {
            *flag.get_mut() = is_dead;
        }
    }

    fn is_dead(&self, state: u32) -> bool {
        self.0[state as usize].load(Ordering::Relaxed)
    }

    fn set_dead(&self, state: u32) {
        self.0[state as usize].store(true, Ordering::Relaxed);
    }
}

/// The order of a state that was not met. It is not 0, so that the memory is at hand before the search begins.
const UNMET: u32 = u32::MAX;

/// A component of the path.
#[derive(Debug, Clone, Copy)]
struct Root {
    /// The order of its first state.
    order: u32,
    /// Marks of the steps inside it.
    inside: AcceptanceSets,
    /// Marks of the step that leads to it.
    into: AcceptanceSets,
    /// Whether some step leads back into it.
    turns: bool,
}

/// A state on the path, and which of its arcs are still to be followed.
#[derive(Debug, Clone, Copy)]
struct Frame<'g> {
    part: &'g GraphPart,
    state: u32,
    next: u32,
    end: u32,
}

/// A component with every mark.
#[derive(Debug)]
pub(super) struct Component {
    order: Vec<u32>,
    dead: Flags,
    first: u32,
}

impl Component {
    /// Whether a state is part of it.
    pub(super) fn has(&self, state: u32) -> bool {
        let order = self.order[state as usize];
        order >= self.first && order != UNMET && !self.dead.is_dead(state)
    }
}

struct Search<'g> {
    graph: &'g Graph<'g>,
    full: AcceptanceSets,
    /// Steps with one of these marks are not followed.
    without: AcceptanceSets,
    /// Per state the order in which it was met, or `UNMET`.
    order: Vec<u32>,
    dead: &'g Flags,
    /// Whether another search at the same time has found a component, or was stopped.
    is_over: Option<&'g AtomicBool>,
    /// Those of the path's components, in order.
    live: Vec<u32>,
    roots: Vec<Root>,
    frames: Vec<Frame<'g>>,
    met: u32,
}

/// How many states a search begins at before it asks for more.
const CHUNK: usize = 1 << 10;

/// Whether no component of states that are not `dead` has every mark of `full`.
///
/// Several threads search in the same graph, each from other states on, and tell each other which states are dead
/// (Renault, Duret-Lutz, Kordon, Poitrenaud, "Parallel explicit model checking for generalized Büchi automata", TACAS 2015). A component that
/// one of them has left is dead for all, also if it is on the path of another, which then leaves it in pieces. All begin at
/// the states that were met last: most of what follows these is dead already, or near.
pub(super) fn is_empty(
    graph: &Graph<'_>,
    dead: &Flags,
    full: AcceptanceSets,
    jobs: usize,
    watch: &mut Watch<'_>,
) -> Result<bool, Stopped> {
    if jobs < 2 {
        let found = Search::new(graph, dead, full).run((0..narrow(graph.len())).rev(), None, watch)?;
        return Ok(found.is_none());
    }
    // From how many states on nobody has begun yet.
    let (rest, is_over) = (AtomicUsize::new(graph.len()), AtomicBool::new(false));
    let part = |watch: &mut Watch<'_>| {
        let mut search = Search { is_over: Some(&is_over), ..Search::new(graph, dead, full) };
        let mut is_empty = Ok(true);
        while let Ok(end) = rest.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |end| {
            (end > 0).then(|| end.saturating_sub(CHUNK))
        }) && is_empty == Ok(true)
        {
            let chunk = narrow(end.saturating_sub(CHUNK))..narrow(end);
            is_empty = search.run(chunk.rev(), None, watch).map(|found| found.is_none());
        }
        is_over.fetch_or(is_empty != Ok(true), Ordering::Relaxed);
        is_empty
    };
    let results: Vec<_> = std::thread::scope(|scope| {
        let part = &part;
        let others: Vec<_> = (1..jobs)
            .map(|_| {
                let mut watch = watch.of_helper();
                scope.spawn(move || part(&mut watch))
            })
            .collect();
        let first = part(watch);
        let others = others
            .into_iter()
            .map(|other| other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        std::iter::once(first).chain(others).collect()
    });
    // A component that one has found counts, also if another was stopped.
    if results.contains(&Ok(false)) {
        Ok(false)
    } else {
        results.into_iter().find(Result::is_err).unwrap_or(Ok(true))
    }
}

/// Bytes that a search of so many states needs at most.
pub(super) fn bytes_for(states: usize) -> usize {
    states * (4 + 4 + size_of::<Frame<'_>>())
}

/// The first component with every mark of `full` that can be reached from the states `initial`.
pub(super) fn find(
    graph: &Graph<'_>,
    initial: &[u32],
    full: AcceptanceSets,
    watch: &mut Watch<'_>,
) -> Result<Option<Component>, Stopped> {
    let dead = Flags::new(graph.len(), false);
    let mut search = Search::new(graph, &dead, full);
    let first = search.run(initial.iter().copied(), None, watch)?;
    let order = search.order;
    Ok(first.map(|first| Component { order, dead, first }))
}

/// Adds to `goals` every component with every mark of `full` that can be reached from the states `initial`.
pub(super) fn find_all(
    graph: &Graph<'_>,
    initial: &[u32],
    full: AcceptanceSets,
    goals: &mut Goals,
    watch: &mut Watch<'_>,
) -> Result<(), Stopped> {
    let dead = Flags::new(graph.len(), false);
    Search::new(graph, &dead, full).run(initial.iter().copied(), Some(goals), watch).map(|_| ())
}

/// Whether there is a cycle of steps without any mark of `seen`.
pub(super) fn has_cycle_without(
    graph: &Graph<'_>,
    seen: AcceptanceSets,
    watch: &mut Watch<'_>,
) -> Result<bool, Stopped> {
    let dead = Flags::new(graph.len(), false);
    let mut search = Search { without: seen, ..Search::new(graph, &dead, 0) };
    Ok(search.run(0..narrow(graph.len()), None, watch)?.is_some())
}

impl<'g> Search<'g> {
    fn new(graph: &'g Graph<'g>, dead: &'g Flags, full: AcceptanceSets) -> Self {
        Self {
            graph,
            full,
            without: 0,
            order: vec![UNMET; graph.len()],
            dead,
            is_over: None,
            live: Vec::new(),
            roots: Vec::new(),
            frames: Vec::new(),
            met: 0,
        }
    }

    /// Searches from all initial states; the order from which on a component has every mark, unless `goals` are noted.
    fn run(
        &mut self,
        initial: impl Iterator<Item = u32>,
        mut goals: Option<&mut Goals>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<u32>, Stopped> {
        for state in initial {
            if self.dead.is_dead(state) || self.order[state as usize] != UNMET {
                continue;
            }
            self.enter(state, 0);
            while let Some(frame) = self.frames.last_mut() {
                if frame.next == frame.end {
                    self.leave(goals.as_deref_mut());
                    continue;
                }
                let (part, arc) = (frame.part, frame.next);
                frame.next += 1;
                if self.without != 0 && part.marks(arc) & self.without != 0 {
                    continue;
                }
                let target = part.target(arc);
                if self.dead.is_dead(target) {
                    continue;
                }
                match self.order[target as usize] {
                    UNMET => {
                        self.enter(target, part.marks(arc));
                        watch.step()?;
                        if self.is_over.is_some_and(|is_over| is_over.load(Ordering::Relaxed)) {
                            return Ok(None);
                        }
                    }
                    order => {
                        let root = self.melt(order, part.marks(arc));
                        if root.inside & self.full == self.full && goals.is_none() {
                            return Ok(Some(root.order));
                        }
                    }
                }
            }
        }
        Ok(None)
    }

    /// A state met for the first time, by a step with these marks.
    fn enter(&mut self, state: u32, into: AcceptanceSets) {
        self.met += 1;
        self.order[state as usize] = self.met;
        self.live.push(state);
        self.roots.push(Root { order: self.met, inside: 0, into, turns: false });
        let (part, arcs) = self.graph.arcs_of(state);
        // In this loop no access waits for the one before it, and afterwards all targets are in the processor's caches.
        let live = arcs.clone().filter(|&arc| !self.dead.is_dead(part.target(arc))).count();
        let next = if live > 0 { arcs.start } else { arcs.end };
        self.frames.push(Frame { part, state, next, end: arcs.end });
    }

    /// A step back to a state of the path: everything from there on is one component.
    fn melt(&mut self, order: u32, marks: AcceptanceSets) -> Root {
        let mut all = marks;
        while let Some(&top) = self.roots.last()
            && top.order > order
        {
            all |= top.inside;
            all |= top.into;
            self.roots.pop();
        }
        if let Some(top) = self.roots.last_mut() {
            top.inside |= all;
            top.turns = true;
            return *top;
        }
        Root { order, inside: all, into: 0, turns: true }
    }

    /// All arcs of the last state of the path were followed.
    fn leave(&mut self, goals: Option<&mut Goals>) {
        let Some(frame) = self.frames.pop() else { return };
        let order = self.order[frame.state as usize];
        let Some(root) = self.roots.pop_if(|root| root.order == order) else { return };
        let accepts = root.turns && root.inside & self.full == self.full;
        let start = self.live.iter().rposition(|&state| state == frame.state).unwrap_or(0);
        if let Some(goals) = goals.filter(|_| accepts) {
            goals.add_component(&self.live[start..]);
        }
        for state in self.live.drain(start..) {
            self.dead.set_dead(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use membar_ir::limits::{Limits, Stop};
    use membar_ir::words::narrow;

    use super::super::graph;
    use super::super::product::LabelTable;
    use super::*;

    /// A graph of two kinds of marks: per state, its arcs with their marks. The first component with both.
    fn component(states: &[&[(u32, u32)]]) -> Option<Vec<u32>> {
        let mut labels = LabelTable::default();
        for marks in 0..4 {
            labels.number(marks);
        }
        let (part, starts) = graph::small(states.iter().map(|arcs| arcs.to_vec()), labels);
        let graph = Graph::new(std::iter::once((&part, &starts)), states.len());
        let stop = Stop::default();
        let found = find(&graph, &[0], 3, &mut Watch::new(&stop, Limits::default())).unwrap();
        found.map(|found| (0..narrow(graph.len())).filter(|&state| found.has(state)).collect())
    }

    #[test]
    fn marks_of_one_component_add_up() {
        assert_eq!(component(&[&[(1, 0)], &[(2, 1), (1, 1)], &[(1, 2)]]), Some(vec![1, 2]));
    }

    #[test]
    fn marks_between_components_do_not_count() {
        assert_eq!(component(&[&[(1, 3)], &[(2, 3), (1, 1)], &[(2, 2)]]), None);
    }

    #[test]
    fn a_single_state_needs_an_arc_to_itself() {
        assert_eq!(component(&[&[(1, 3)], &[]]), None);
        assert_eq!(component(&[&[(1, 0)], &[(1, 3)]]), Some(vec![1]));
    }
}
