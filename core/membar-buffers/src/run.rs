//! Runs of the store-buffer machine, as lists of moves.

use membar_ir::program::{CellId, EdgeId};

use super::system::Partner;

/// What somebody does.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Act {
    /// A thread takes an edge and reads or chooses these values.
    Edge {
        /// Which of its edges.
        edge: EdgeId,
        /// The values, in order.
        made: Vec<u64>,
        /// Who receives in the same step what the thread sends.
        partner: Option<Partner>,
    },
    /// The oldest entry of a buffer reaches memory.
    Flush {
        /// Its cell.
        cell: CellId,
        /// Its value.
        value: u64,
    },
}

/// Who does what.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Move {
    /// The thread, or the thread whose buffer it is.
    pub thread: usize,
    /// What it does.
    pub act: Act,
}
