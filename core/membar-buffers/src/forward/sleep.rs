//! Sleep sets: transitions that are skipped because another path covers their effect.
//!
//! Whether they were skipped rightly is checked at the end: every such transition must lead into a state that was
//! kept, or is explored after all. So the states kept are closed under all transitions, whatever the sleep sets
//! did.

use membar_ir::error::CoreError;
use membar_ir::limits::Stopped;
use membar_states::goals::Goal;

use super::{Search, Step};
use crate::symbolic::{Footprint, Outcome, State};

/// A transition that need not be taken.
#[derive(Debug, Clone)]
pub(crate) struct Sleeping {
    pub(super) number: u32,
    pub(super) footprint: Footprint,
}

impl Search<'_, '_, '_> {
    /// What sleeps in the top state and still does after a transition with this footprint.
    pub(super) fn asleep_after(&self, footprint: &Footprint) -> Vec<Sleeping> {
        let Some(frame) = self.stack.last() else { return Vec::new() };
        let stays = |sleeping: &&Sleeping| sleeping.footprint.is_independent(footprint);
        frame.sleep.iter().filter(stays).cloned().collect()
    }

    /// Follows every transition that still sleeps somewhere: it must lead into what was kept.
    pub(super) fn close(&mut self) -> Result<Option<Stopped>, CoreError> {
        let mut known = usize::MAX;
        while known != self.nodes.len() {
            known = self.nodes.len();
            for place in 0..self.kept.len() {
                let mut at = 0;
                while at < self.kept[place].len() {
                    if let Err(stopped) = self.watch.spend(self.found.stored, self.bytes) {
                        return Ok(Some(stopped));
                    }
                    if let Some(stopped) = self.follow_sleeping(place, at)? {
                        return Ok(Some(stopped));
                    }
                    at += 1;
                }
            }
        }
        Ok(None)
    }

    fn follow_sleeping(&mut self, place: usize, at: usize) -> Result<Option<Stopped>, CoreError> {
        let kept = &self.kept[place][at];
        let parent = kept.node;
        let sleeping: Vec<u32> = kept.sleep.iter().map(|sleeping| sleeping.number).collect();
        let queues = self.nodes[parent as usize].queues.to_vec();
        let state = State { queues, ..self.bare[place].clone() };
        for number in sleeping {
            let transition = self.transitions.at(number).clone();
            let Some(successor) = self.semantics.follow(&state, &transition)? else { continue };
            let thread = successor.footprint.thread;
            match successor.result {
                Outcome::Failed(edge, queues) => {
                    self.note_wrong(Goal::Failure { thread, edge }, parent, number, queues);
                }
                Outcome::Faulty(edge, queues) => {
                    self.note_wrong(Goal::Fault { thread, edge }, parent, number, queues);
                }
                Outcome::Reached(next) if !self.is_kept(&next) => {
                    let step = Step { parent, number, stored: successor.stored };
                    if let Some(stopped) = self.explore(next, Some(step))? {
                        return Ok(Some(stopped));
                    }
                }
                Outcome::Reached(_) => {}
            }
            if self.is_answered() {
                return Ok(Some(Stopped::Found));
            }
        }
        Ok(None)
    }

    fn is_kept(&mut self, state: &State) -> bool {
        let key = (state.locals.clone(), state.memory.clone());
        let Some(&place) = self.places.get(&key) else { return false };
        let (automata, nodes) = (&mut self.semantics.world.automata, &self.nodes);
        self.kept[place as usize].iter().any(|kept| {
            let mut pairs = state.queues.iter().zip(&nodes[kept.node as usize].queues);
            pairs.all(|(&a, &b)| automata.is_included(a, b))
        })
    }
}
