//! Is a bad state reachable with store buffers of any length?
//!
//! `forward` is Linden and Wolper's search with automata for sets of buffer contents; it may not terminate.
//! `load_buffers` goes backwards in the load-buffer semantics and always terminates, for TSO. Both step threads by
//! `system`. `bounded` explores explicit states with short buffers: it finds runs to the states that the others
//! found, and tests compare with it.

mod acceleration;
mod acceptor;
pub mod automaton;
pub mod bounded;
pub mod buffer_kinds;
mod expression;
pub mod forward;
mod interpreter;
pub mod load_buffers;
mod local_automata;
mod paths;
pub mod question;
pub mod run;
mod symbolic;
pub mod system;
