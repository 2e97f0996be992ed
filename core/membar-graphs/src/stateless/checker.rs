//! Checks graphs for consistency: lazily where the graph is small enough, else by evaluating the whole model.

use crate::stateless::Options;
use crate::stateless::coherence_bounds::{CoherenceBounds, Step};
use crate::stateless::consistency::LazyEvaluator;
use crate::stateless::fault::Fault;
use crate::stateless::kinds::Kinds;
use crate::stateless::questions::Questions;
use crate::stateless::view::View;
use membar_cat::evaluation::Evaluation;
use membar_cat::plan::Plan;
use membar_cat::schedule::Schedule;
use membar_ir::program::Program;

/// Does something with the rows of the least width that has room for all events, made ready for a graph; something else
/// if there are too many events.
macro_rules! by_size {
    ($judge:ident, $questions:ident, $events:ident, $same:expr, |$answers:ident| $body:expr, $large:expr) => {
        match $events {
            0..=64 => by_size!(@ $judge.one, $questions, $events, $same, $answers, $body),
            65..=128 => by_size!(@ $judge.two, $questions, $events, $same, $answers, $body),
            129..=256 => by_size!(@ $judge.four, $questions, $events, $same, $answers, $body),
            257..=512 => by_size!(@ $judge.eight, $questions, $events, $same, $answers, $body),
            513..=MOST_EVENTS => by_size!(@ $judge.sixteen, $questions, $events, $same, $answers, $body),
            _ => $large,
        }
    };
    (@ $of:expr, $questions:ident, $events:ident, $same:expr, $answers:ident, $body:expr) => {{
        let $answers = &mut $of;
        $answers.reset($questions, $events, $same);
        $body
    }};
}

/// More events are left to `evaluation`.
const MOST_EVENTS: usize = 1024;

/// A model that answers about graphs.
#[derive(Debug)]
pub(super) struct ConsistencyChecker<'a> {
    plan: &'a Plan,
    schedule: &'a Schedule,
    questions: Option<Questions>,
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
    /// For graphs of one program, whose threads may have holes if the search has an order of its own.
    pub(super) fn new(plan: &'a Plan, schedule: &'a Schedule, program: &Program, options: Options) -> Self {
        let phases = [&schedule.reads, &schedule.coherence];
        let is_new = |check: &usize| !schedule.growing_reads.required.contains(check);
        let is_open =
            !schedule.remarks.is_empty() || phases.iter().any(|phase| phase.required.iter().any(is_new));
        let mut kinds = Kinds::of(program);
        if options.fault == Fault::KindForgotten {
            kinds.iter_mut().for_each(Kinds::forget);
        }
        Self {
            plan,
            schedule,
            questions: Questions::new(plan, schedule, kinds.as_ref(), options.order.is_some()),
            one: LazyEvaluator::new(),
            two: LazyEvaluator::new(),
            four: LazyEvaluator::new(),
            eight: LazyEvaluator::new(),
            sixteen: LazyEvaluator::new(),
            evaluation: Evaluation::default(),
            is_open,
        }
    }

    /// Whether the graph may become a consistent execution. `same`: its events are those of the last question.
    pub(super) fn passes(&mut self, view: &View<'_, '_>, same: bool) -> bool {
        let events = view.graph.events.len();
        let Some(questions) = &self.questions else { return self.evaluate(view) };
        by_size!(
            self,
            questions,
            events,
            same,
            |answers| answers.passes(questions, view),
            self.evaluate(view)
        )
    }

    /// How an event follows on earlier ones of its thread in what surely lies before it; None if nothing is sure.
    pub(super) fn step(&self) -> Option<Step> {
        self.questions.as_ref().and_then(|questions| questions.before).map(|(_, step)| step)
    }

    /// Puts what lies before the events of a graph into `past`; false if that is not known.
    pub(super) fn take_past(&mut self, view: &View<'_, '_>, past: &mut CoherenceBounds) -> bool {
        let events = view.graph.events.len();
        let Some(questions) = &self.questions else { return false };
        let Some((slot, _)) = questions.before else { return false };
        by_size!(
            self,
            questions,
            events,
            false,
            |answers| past.take(answers.relation(questions, slot, view)),
            return false
        );
        past.items = view.graph.items.len();
        true
    }

    /// The same by `evaluation`, which is the judge of the fast way.
    pub(super) fn evaluate(&mut self, view: &View<'_, '_>) -> bool {
        self.evaluation.resize(self.plan, view.graph.events.len());
        self.evaluation.run(self.plan, &self.schedule.statics, view).is_none()
            && self.evaluation.run(self.plan, &self.schedule.growing_reads, view).is_none()
    }

    /// Whether a whole graph passes everything that was not asked of it as a partial one; then the remarks about it.
    pub(super) fn passes_at_the_end(&mut self, view: &View<'_, '_>, remarks: &mut Vec<usize>) -> bool {
        remarks.clear();
        if !self.is_open {
            return true;
        }
        let events = view.graph.events.len();
        let Some(questions) = &self.questions else { return self.evaluate_at_the_end(view, remarks) };
        if questions.last.is_empty() && questions.remarks.is_empty() {
            return true;
        }
        by_size!(
            self,
            questions,
            events,
            false,
            |answers| answers.passes_at_the_end(questions, view, remarks),
            self.evaluate_at_the_end(view, remarks)
        )
    }

    fn evaluate_at_the_end(&mut self, view: &View<'_, '_>, remarks: &mut Vec<usize>) -> bool {
        self.evaluation.resize(self.plan, view.graph.events.len());
        let schedule = self.schedule;
        let phases = [&schedule.statics, &schedule.reads, &schedule.coherence];
        if phases.iter().any(|phase| self.evaluation.run(self.plan, phase, view).is_some()) {
            return false;
        }
        let all = schedule.remarks.iter().copied();
        remarks.extend(all.filter(|&check| self.evaluation.remarks(self.plan.checks[check])));
        true
    }
}
