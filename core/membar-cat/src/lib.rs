//! Memory models in cat: plans, schedules, relations, and the evaluation of whole executions.

pub mod evaluation;
pub mod plan;
pub mod promises;
pub mod relation;
pub mod schedule;
