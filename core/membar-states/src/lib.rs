//! Explicit states of a program under sc, tso(k), pso(k) and cam(k).
//!
//! `step` says what one step does, in the words of the reference machine (`engines/reference/machine.py`), which is
//! its specification; `system` lists the `moves` of a state, and `cache` remembers what they did before, all edges of a thread at once if that pays; `store` keeps states as trees of shared parts; `safety`
//! visits all of them, breadth-first (`walk`; on `disk` if memory is too small), or as many as `reduction` says are enough, `parallel` with several threads, and
//! `findings` holds what they find. For claims about whole `runs`, `product` puts an automaton beside the program,
//! `fairness` adds marks, `graph` keeps the steps as integers, `emptiness` looks for a cycle with every mark, and `lasso`
//! shows it.

pub mod automaton;
pub mod fairness;
pub mod findings;
pub mod goals;
pub mod lasso;
pub mod program;
pub mod runs;
pub mod safety;
pub mod symmetry;
pub mod system;

mod bitstate;
mod blocks;
mod buffer;
mod cache;
mod commutation;
mod components;
mod crew;
mod disk;
mod early_violations;
mod emptiness;
mod graph;
mod interchange;
mod local_steps;
mod messages;
mod owner;
mod parallel;
mod product;
mod ranges;
mod reduction;
mod sorted;
mod stepper;
mod store;
mod successors;
mod tables;
mod thread_state;
mod walk;
mod worker;
