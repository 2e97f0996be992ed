//! Is a system safe for any number of processes?
//!
//! Backward reachability of array-based systems (Ghilardi and Ranise), with the events of Conchon, Declerck and
//! Zaïdi for memory behind store buffers. A `cube` is a set of states: some distinct processes, facts about their cells
//! (`conjunctions`), and the `events` that are still pending. `preimage` goes one transition back, `fixpoint` tests
//! whether a cube is covered already, `initial` whether it intersects the initial states, and `search` combines them.

pub mod brab;
pub mod choice;
pub mod conjunctions;
pub mod cube;
pub mod events;
pub mod fixpoint;
pub mod grounding;
pub mod initial;
pub mod instance;
pub mod linear;
pub mod matching;
pub mod order;
pub mod preimage;
pub mod search;
pub mod system;
pub mod term;

#[cfg(test)]
mod tests;
