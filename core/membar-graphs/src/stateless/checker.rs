//! Checks graphs for consistency: lazily where the graph is small enough, else by evaluating the whole model.

use crate::stateless::Options;
use crate::stateless::coherence_bounds::CoherenceBounds;
use crate::stateless::view::View;
use membar_cat::evaluation::Evaluation;
use membar_cat::event_kinds::EventKinds;
use membar_cat::lazy::LazyEvaluator;
use membar_cat::lazy_plan::LazyPlan;
use membar_cat::plan::Plan;
use membar_cat::schedule::Schedule;
use membar_cat::shapes::Step;
use membar_ir::error::Failure;
use membar_ir::limits::Watch;
use membar_ir::program::Program;

/// Uses the evaluator of the least width that has room for all events, or something else if there are too many.
macro_rules! by_size {
    ($checker:ident, $plan:ident, $events:ident, $same:expr, |$evaluator:ident| $body:expr, $large:expr) => {
        match $events {
            0..=64 => by_size!(@ $checker.one, $plan, $events, $same, $evaluator, $body),
            65..=128 => by_size!(@ $checker.two, $plan, $events, $same, $evaluator, $body),
            129..=256 => by_size!(@ $checker.four, $plan, $events, $same, $evaluator, $body),
            257..=512 => by_size!(@ $checker.eight, $plan, $events, $same, $evaluator, $body),
            513..=MOST_EVENTS => by_size!(@ $checker.sixteen, $plan, $events, $same, $evaluator, $body),
            _ => $large,
        }
    };
    (@ $of:expr, $plan:ident, $events:ident, $same:expr, $evaluator:ident, $body:expr) => {{
        let $evaluator = &mut $of;
        $evaluator.reset($plan, $events, $same);
        $body
    }};
}

/// More events are left to `evaluation`.
const MOST_EVENTS: usize = 1024;

/// A model that evaluator about graphs.
#[derive(Debug)]
pub(super) struct ConsistencyChecker<'a> {
    plan: &'a Plan,
    schedule: &'a Schedule,
    lazy: Option<LazyPlan>,
    one: LazyEvaluator<1>,
    two: LazyEvaluator<2>,
    four: LazyEvaluator<4>,
    eight: LazyEvaluator<8>,
    sixteen: LazyEvaluator<16>,
    evaluation: Evaluation,
    /// Whether something is asked only of whole graphs.
    is_open: bool,
}

impl<'a> ConsistencyChecker<'a> {
    /// For graphs of one program, whose threads may have gaps if the search has an order of its own.
    pub(super) fn new(plan: &'a Plan, schedule: &'a Schedule, program: &Program, options: Options) -> Self {
        let phases = [&schedule.reads, &schedule.coherence];
        let is_new = |check: &usize| !schedule.growing_reads.required.contains(check);
        let is_open =
            !schedule.flags.is_empty() || phases.iter().any(|phase| phase.required.iter().any(is_new));
        let kinds = EventKinds::of(program);
        Self {
            plan,
            schedule,
            lazy: LazyPlan::new(plan, schedule, kinds.as_ref(), options.order.is_some()),
            one: LazyEvaluator::default(),
            two: LazyEvaluator::default(),
            four: LazyEvaluator::default(),
            eight: LazyEvaluator::default(),
            sixteen: LazyEvaluator::default(),
            evaluation: Evaluation::default(),
            is_open,
        }
    }

    /// Whether the graph may become a consistent execution. `same`: its events are those of the last question.
    pub(super) fn passes(
        &mut self,
        view: &View<'_, '_>,
        same: bool,
        watch: &mut Watch<'_>,
    ) -> Result<bool, Failure> {
        let events = view.graph.events.len();
        let Some(lazy) = &self.lazy else { return self.evaluate(view, watch) };
        watch.work(closure_words(events))?;
        by_size!(
            self,
            lazy,
            events,
            same,
            |evaluator| Ok(evaluator.passes(lazy, view)),
            self.evaluate(view, watch)
        )
    }

    /// How an event follows on earlier ones of its thread in what surely lies before it; None if nothing is sure.
    pub(super) fn step(&self) -> Option<Step> {
        self.lazy.as_ref().and_then(|lazy| lazy.before).map(|(_, step)| step)
    }

    /// Puts what lies before the events of a graph into `past`; false if that is not known.
    pub(super) fn take_bounds(
        &mut self,
        view: &View<'_, '_>,
        past: &mut CoherenceBounds,
        watch: &mut Watch<'_>,
    ) -> Result<bool, Failure> {
        let events = view.graph.events.len();
        let Some(lazy) = &self.lazy else { return Ok(false) };
        let Some((slot, _)) = lazy.before else { return Ok(false) };
        watch.work(closure_words(events))?;
        by_size!(
            self,
            lazy,
            events,
            false,
            |evaluator| past.take(evaluator.relation(lazy, slot, view)),
            return Ok(false)
        );
        past.items = view.graph.items.len();
        Ok(true)
    }

    /// The same by `evaluation`, which is the judge of the fast way.
    pub(super) fn evaluate(&mut self, view: &View<'_, '_>, watch: &mut Watch<'_>) -> Result<bool, Failure> {
        self.evaluation.resize(self.plan, view.graph.events.len(), watch)?;
        Ok(self.evaluation.passes(self.plan, &self.schedule.statics, view, watch)?
            && self.evaluation.passes(self.plan, &self.schedule.growing_reads, view, watch)?)
    }

    /// Whether a complete graph passes the checks that were not evaluated on partial ones; then its flags.
    pub(super) fn passes_at_the_end(
        &mut self,
        view: &View<'_, '_>,
        flags: &mut Vec<usize>,
        watch: &mut Watch<'_>,
    ) -> Result<bool, Failure> {
        flags.clear();
        if !self.is_open {
            return Ok(true);
        }
        let events = view.graph.events.len();
        let Some(lazy) = &self.lazy else { return self.evaluate_at_the_end(view, flags, watch) };
        if lazy.last.is_empty() && lazy.flags.is_empty() {
            return Ok(true);
        }
        watch.work(closure_words(events))?;
        by_size!(
            self,
            lazy,
            events,
            false,
            |evaluator| Ok(evaluator.passes_at_the_end(lazy, view, flags)),
            self.evaluate_at_the_end(view, flags, watch)
        )
    }

    fn evaluate_at_the_end(
        &mut self,
        view: &View<'_, '_>,
        flags: &mut Vec<usize>,
        watch: &mut Watch<'_>,
    ) -> Result<bool, Failure> {
        self.evaluation.resize(self.plan, view.graph.events.len(), watch)?;
        let schedule = self.schedule;
        for phase in [&schedule.statics, &schedule.reads, &schedule.coherence] {
            if !self.evaluation.passes(self.plan, phase, view, watch)? {
                return Ok(false);
            }
        }
        let all = schedule.flags.iter().copied();
        flags.extend(all.filter(|&check| self.evaluation.raises_flag(self.plan.checks[check])));
        Ok(true)
    }
}

/// Words that a transitive closure may touch, which is the largest part of a question about so many events.
pub(super) fn closure_words(events: usize) -> usize {
    events.saturating_mul(events).saturating_mul(events.div_ceil(64))
}
