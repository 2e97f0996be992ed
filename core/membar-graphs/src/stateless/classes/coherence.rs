//! Whether a graph is consistent under some order of its writes, by the size of the graph.

use crate::stateless::classes::solver::{Question, Solver};
use crate::stateless::graph::Graph;
use crate::stateless::graph_events::EventId;
use crate::stateless::view::View;
use membar_cat::lazy_plan::LazyPlan;
use membar_cat::plan::Plan;
use membar_cat::schedule::Schedule;
use membar_cat::shapes::CoherenceConstraints;
use membar_ir::error::{CoreError, Failure};
use membar_ir::limits::Watch;

/// A question about a graph, without the graph.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Request<'r> {
    /// Whether nothing can be added to it.
    pub(super) is_whole: bool,
    /// Writes that must be the last ones of their locations.
    pub(super) last: &'r [EventId],
    /// Whether the events are those of the question before.
    pub(super) same: bool,
}

/// A model that is asked for orders of writes.
#[derive(Debug)]
pub(super) struct Finder {
    plan: LazyPlan,
    constraints: CoherenceConstraints,
    one: Solver<1>,
    two: Solver<2>,
    four: Solver<4>,
    sixteen: Solver<16>,
    last: Vec<usize>,
}

impl Finder {
    pub(super) fn new(plan: &Plan, schedule: &Schedule) -> Result<Self, CoreError> {
        let plan = LazyPlan::new(plan, schedule, None, false)
            .ok_or(CoreError::TooLarge("reads-from classes under a model with recursive definitions"))?;
        Ok(Self {
            constraints: CoherenceConstraints::of(&plan),
            plan,
            one: Solver::new(),
            two: Solver::new(),
            four: Solver::new(),
            sixteen: Solver::new(),
            last: Vec::new(),
        })
    }

    /// Looks for an order of the writes, and for the flags about a whole graph.
    pub(super) fn find(
        &mut self,
        view: View<'_, '_>,
        request: Request<'_>,
        watch: &mut Watch<'_>,
    ) -> Result<bool, Failure> {
        let events = view.graph.events.len();
        self.last.clear();
        self.last.extend(request.last.iter().map(|&write| view.graph.item(write).event as usize));
        let question = Question {
            plan: &self.plan,
            constraints: &self.constraints,
            view,
            is_whole: request.is_whole,
            last: &self.last,
            same: request.same,
        };
        let found = match events {
            0..=64 => self.one.find(&question, watch)?,
            65..=128 => self.two.find(&question, watch)?,
            129..=256 => self.four.find(&question, watch)?,
            257..=1024 => self.sixteen.find(&question, watch)?,
            _ => {
                return Err(Failure::Error(CoreError::TooLarge(
                    "an execution of more than 1024 events for reads-from classes; `--coherence all` has no such limit",
                )));
            }
        };
        Ok(found)
    }

    /// Gives `graph`, of which `find` has just said yes, the order that was found; tells the flags about it.
    pub(super) fn apply_order(&self, graph: &mut Graph) -> &[usize] {
        let (lists, flags) = match graph.events.len() {
            0..=64 => (&self.one.lists, &self.one.flags),
            65..=128 => (&self.two.lists, &self.two.flags),
            129..=256 => (&self.four.lists, &self.four.flags),
            _ => (&self.sixteen.lists, &self.sixteen.flags),
        };
        for (location, list) in graph.locations.iter_mut().zip(lists) {
            for (write, &event) in location.writes.iter_mut().zip(list) {
                *write = graph.events[event];
            }
        }
        flags
    }
}
