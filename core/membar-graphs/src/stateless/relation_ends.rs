//! Records where relations of a model end, over all maximal graphs.

use crate::findings;
use crate::stateless::graph_events::Label;
use crate::stateless::view::View;
use membar_cat::evaluation::Evaluation;
use membar_cat::plan::{Plan, Slot};
use membar_cat::schedule::Phase;
use membar_ir::bits::{contains, union};
use membar_ir::error::Failure;
use membar_ir::limits::Watch;

/// The relations, and how to compute them.
#[derive(Debug)]
pub(super) struct RelationEnds<'a> {
    plan: &'a Plan,
    slots: [Slot; 3],
    phase: Phase,
    evaluation: Evaluation,
}

impl<'a> RelationEnds<'a> {
    pub(super) fn new(plan: &'a Plan, slots: [Slot; 3]) -> Self {
        let phase = Phase::of_slots(plan, slots.into_iter());
        Self { plan, slots, phase, evaluation: Evaluation::default() }
    }

    /// Takes in what a graph shows, unless the first relation has told enough.
    pub(super) fn look(
        &mut self,
        view: &View<'_, '_>,
        found: &mut findings::RelationEnds,
        watch: &mut Watch<'_>,
    ) -> Result<(), Failure> {
        if !found[0].is_empty() {
            return Ok(());
        }
        let graph = view.graph;
        self.evaluation.resize(self.plan, graph.events.len(), watch)?;
        self.evaluation.passes(self.plan, &self.phase, view, watch)?;
        let width = graph.events.len().div_ceil(64);
        for (slot, found) in self.slots.into_iter().zip(found) {
            let mut ends = vec![0_u64; width];
            for row in self.evaluation.slot(slot).chunks_exact(width.max(1)) {
                union(&mut ends, row);
            }
            for (event, &id) in graph.events.iter().enumerate() {
                let item = graph.item(id);
                if contains(&ends, event)
                    && let Label::Read(place, _) | Label::Write(place) = item.label
                {
                    found.insert((item.thread, graph.locations[place.index()].cell.0));
                }
            }
        }
        Ok(())
    }
}
