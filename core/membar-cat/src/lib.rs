//! Memory models in cat: plans, and their evaluation on executions.
//!
//! `plan` is a decoded model and `schedule` the order in which its slots can be computed. `evaluation` computes a whole
//! execution; `lazy` computes only the rows that an answer depends on, for graphs that grow, from a `lazy_plan`.
//! `coherence_axioms` and `shapes` recognise what a model says about coherence order.

pub mod coherence_axioms;
pub mod evaluation;
pub mod event_kinds;
pub mod lazy;
pub mod lazy_plan;
pub mod plan;
pub mod relation;
pub mod rows;
pub mod schedule;
pub mod shapes;
