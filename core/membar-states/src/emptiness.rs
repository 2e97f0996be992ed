//! Is there a run that the automaton accepts? Depth-first search for a strongly connected component with every mark
//! (Couvreur, "On-the-fly verification of linear temporal logic", FM 1999), without recursion.
//!
//! `roots` holds one entry per component of the path that may still grow, with the marks seen inside it; a step back
//! into the path melts entries together. As soon as one has every mark, it holds an accepted run, which `lasso` finds.
//! Where a shortest run is asked for, the search goes on, and notes all components that hold one.

use membar_ir::error::CoreError;
use membar_ir::limits::{Stopped, Watch};
use membar_ir::program::EdgeId;

use super::automaton::{AcceptanceSets, Automaton};
use super::fairness::Fair;
use super::findings::FEW;
use super::lasso::{self, Goals, Lasso};
use super::product::{Product, ProductEdge};
use super::system::System;

/// A state that no accepted run goes through.
const DEAD: u32 = u32::MAX;

/// What was found.
#[derive(Debug, Default)]
pub struct Answer {
    /// An accepted run, if there is one.
    pub lasso: Option<Lasso>,
    /// States of the product that were met.
    pub states: u64,
    /// Steps of the product that were followed.
    pub transitions: u64,
    /// Whether the bound held a store back.
    pub held: bool,
    /// A thread and its edge whose stores do not fit into an empty buffer, so that it is never taken.
    pub unfit: Option<(usize, EdgeId)>,
    /// Whether an access hit no location: then nothing else was looked for.
    pub fault: bool,
    /// Whether an assertion failed, which ends a run, where the automaton might still have accepted it.
    pub failed: bool,
    /// Why it did not end, if it did not.
    pub stopped: Option<Stopped>,
    /// Bytes held at the end.
    pub bytes: u64,
}

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

/// A state on the path, and which of its steps are still to be followed.
#[derive(Debug, Clone, Copy)]
struct Frame {
    state: u32,
    next: usize,
    end: usize,
}

struct Search<'p, 's> {
    product: &'p mut Product<'s>,
    /// Per state the order in which it was met, 0 if it was not, or `DEAD`.
    order: Vec<u32>,
    /// Those of the path's components, in order.
    live: Vec<u32>,
    roots: Vec<Root>,
    frames: Vec<Frame>,
    arcs: Vec<ProductEdge>,
    found: Vec<ProductEdge>,
    met: u32,
    transitions: u64,
    /// Where a shortest run is asked for, what it may lead to.
    goals: Option<Goals>,
}

/// Looks for a run of the program that the automaton accepts, among those that are fair; a shortest one, if that is
/// asked for, which takes all states.
pub fn find(
    system: &mut System,
    automaton: &Automaton,
    fair: Fair,
    shortest: bool,
    states: Option<u64>,
    watch: &mut Watch<'_>,
) -> Result<Answer, CoreError> {
    let mut product = Product::new(system, automaton, fair)?;
    let initial = product.initial()?;
    let mut search = Search {
        product: &mut product,
        order: Vec::new(),
        live: Vec::new(),
        roots: Vec::new(),
        frames: Vec::new(),
        arcs: Vec::new(),
        found: Vec::new(),
        met: 0,
        transitions: 0,
        goals: shortest.then(Goals::default),
    };
    let mut end = End::Empty;
    for &state in &initial {
        if search.order_of(state) == 0 {
            end = search.from(state, states, watch)?;
            if end != End::Empty {
                break;
            }
        }
    }
    if let End::Stopped(_) = end {
        search.note_path();
    }
    let goals = search.goals.take().filter(|goals| end != End::Fault && !goals.is_empty());
    let (order, transitions) = (std::mem::take(&mut search.order), search.transitions);
    let mut answer = Answer { transitions, ..Answer::default() };
    if let Some(goals) = goals {
        answer.lasso = Some(lasso::shortest(&mut product, &initial, &goals)?);
    }
    match end {
        End::Empty | End::Fault => {}
        End::Stopped(stopped) => answer.stopped = Some(stopped),
        End::Component(first) => {
            let is_inside =
                |state: u32| order.get(state as usize).is_some_and(|&order| order >= first && order != DEAD);
            let is_known = |state: u32| order.get(state as usize).is_some_and(|&order| order != 0);
            answer.lasso = Some(lasso::find(&mut product, &initial, is_known, is_inside)?);
        }
        End::Wrong(state) => {
            let is_known = |state: u32| order.get(state as usize).is_some_and(|&order| order != 0);
            answer.lasso = Some(lasso::run_to(&mut product, &initial, is_known, state)?);
        }
    }
    answer.states = product.len() as u64;
    answer.held = product.held;
    answer.unfit = product.unfit;
    answer.fault = product.fault;
    answer.failed = product.failed;
    answer.bytes = (product.bytes() + 4 * order.capacity()) as u64;
    Ok(answer)
}

/// How the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    /// No accepted run.
    Empty,
    /// The component on top, from this order on, has every mark.
    Component(u32),
    /// The automaton is where it must not be.
    Wrong(u32),
    /// An access hits no location.
    Fault,
    /// It was stopped.
    Stopped(Stopped),
}

impl Search<'_, '_> {
    fn order_of(&self, state: u32) -> u32 {
        self.order.get(state as usize).copied().unwrap_or(0)
    }

    fn set_order(&mut self, state: u32, order: u32) {
        if self.order.len() <= state as usize {
            self.order.resize(self.product.len().max(state as usize + 1), 0);
        }
        self.order[state as usize] = order;
    }

    fn from(&mut self, state: u32, most: Option<u64>, watch: &mut Watch<'_>) -> Result<End, CoreError> {
        let full = self.product.all_marks();
        if let Some(end) = self.enter(state, 0)? {
            return Ok(end);
        }
        let mut reported = self.product.len() as u64;
        while let Some(frame) = self.frames.last_mut() {
            if frame.next == frame.end {
                self.leave();
                continue;
            }
            let arc = self.arcs[frame.next];
            frame.next += 1;
            let marks = self.product.marks(arc.marks);
            match self.order_of(arc.target) {
                0 => {
                    if let Some(end) = self.enter(arc.target, marks)? {
                        return Ok(end);
                    }
                    let states = self.product.len() as u64;
                    if most.is_some_and(|most| states > most) {
                        return Ok(End::Stopped(Stopped::States));
                    }
                    if watch.is_due() || states < u64::from(FEW) {
                        watch.meter().count(states - reported, 0, 0);
                        reported = states;
                        let bytes =
                            self.product.bytes() + 4 * self.order.capacity() + 12 * self.arcs.capacity();
                        if let Err(stopped) = watch.look().and_then(|()| watch.bytes(bytes)) {
                            return Ok(End::Stopped(stopped));
                        }
                    }
                }
                DEAD => {}
                order => {
                    let root = self.melt(order, marks);
                    if root.inside & full == full && self.goals.is_none() {
                        return Ok(End::Component(root.order));
                    }
                }
            }
        }
        Ok(End::Empty)
    }

    /// A state met for the first time, by a step with these marks.
    fn enter(&mut self, state: u32, into: AcceptanceSets) -> Result<Option<End>, CoreError> {
        self.met += 1;
        self.set_order(state, self.met);
        self.live.push(state);
        self.roots.push(Root { order: self.met, inside: 0, into, turns: false });
        if self.product.is_wrong(state) {
            let Some(goals) = &mut self.goals else { return Ok(Some(End::Wrong(state))) };
            goals.note(state, Goals::WRONG);
        }
        let mut found = std::mem::take(&mut self.found);
        self.product.steps(state, &mut found)?;
        if self.product.fault {
            return Ok(Some(End::Fault));
        }
        let next = self.arcs.len();
        self.arcs.extend_from_slice(&found);
        self.transitions += found.len() as u64;
        self.frames.push(Frame { state, next, end: self.arcs.len() });
        self.found = found;
        Ok(None)
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

    /// All steps of the last state of the path were followed.
    fn leave(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        let start = self.frames.last().map_or(0, |below| below.end);
        self.arcs.truncate(start);
        let order = self.order_of(frame.state);
        if let Some(root) = self.roots.pop_if(|root| root.order == order) {
            let component = self.number_of(root);
            while let Some(state) = self.live.pop() {
                self.set_order(state, DEAD);
                self.note(state, component);
                if state == frame.state {
                    break;
                }
            }
        }
    }

    /// A number for a component that holds an accepted run, where these are noted.
    fn number_of(&mut self, root: Root) -> Option<u32> {
        let full = self.product.all_marks();
        let goals = self.goals.as_mut().filter(|_| root.turns && root.inside & full == full)?;
        goals.components += 1;
        Some(goals.components)
    }

    fn note(&mut self, state: u32, component: Option<u32>) {
        if let (Some(goals), Some(component)) = (&mut self.goals, component) {
            goals.note(state, component);
        }
    }

    /// Notes the components of the path, where the search is broken off.
    fn note_path(&mut self) {
        let roots = std::mem::take(&mut self.roots);
        for (place, &root) in roots.iter().enumerate() {
            let end = roots.get(place + 1).map_or(u32::MAX, |next| next.order);
            if let Some(component) = self.number_of(root) {
                for state in self.live.clone() {
                    if (root.order..end).contains(&self.order_of(state)) {
                        self.note(state, Some(component));
                    }
                }
            }
        }
    }
}
