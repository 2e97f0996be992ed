//! Runs of the store-buffer machine, as lists of moves.

use membar_ir::program::{CellId, EdgeId};
use membar_states::safety::RunStep;

use super::system::{EXIT, Partner, START};

/// What happens in a move.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Act {
    /// A thread takes an edge and reads or chooses these values.
    Edge {
        /// Which of its edges.
        edge: EdgeId,
        /// The values, in order.
        values: Vec<u64>,
        /// The receiver, if the step is a rendezvous.
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

/// A move of a thread or of its buffer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Move {
    /// The thread, or the thread whose buffer it is.
    pub thread: usize,
    /// What it does.
    pub act: Act,
}

/// A run without the steps that only these searches know: beginnings and ends of threads, and flushes of cells beyond
/// those of the program.
pub(super) fn run_steps(moves: &[Move], cells: usize) -> Vec<RunStep> {
    let shown = |step: &Move| match &step.act {
        Act::Edge { edge, .. } if matches!(*edge, START | EXIT) => None,
        Act::Edge { edge, values, partner } => {
            let partner = partner.as_ref().map(|other| (other.thread, other.edge, other.values.clone()));
            Some(RunStep { thread: step.thread, edge: Some(*edge), partner, values: values.clone() })
        }
        Act::Flush { cell, .. } if cell.index() >= cells => None,
        Act::Flush { cell, value } => {
            let values = vec![u64::from(cell.0), *value];
            Some(RunStep { thread: step.thread, edge: None, partner: None, values })
        }
    };
    moves.iter().filter_map(shown).collect()
}
