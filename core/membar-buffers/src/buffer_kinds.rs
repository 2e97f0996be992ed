//! Kinds of store buffers: which queues stores wait in, and the order in which they leave.

use membar_ir::program::CellId;

use super::system::System;

/// How stores wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discipline {
    /// Not at all.
    Sc,
    /// In one queue per thread.
    Tso,
    /// In one queue per thread and cell.
    Pso,
    /// As under PSO, but in one queue per thread, because fences of stores and beginnings of threads stand in it: a store
    /// leaves it before older ones of other cells, if no fence stands between; a beginning leaves it when it is oldest.
    Marked,
}

impl Discipline {
    /// Number of queues of one thread.
    #[must_use]
    pub fn queues(self, cells: usize) -> usize {
        match self {
            Self::Sc => 0,
            Self::Tso | Self::Marked => 1,
            Self::Pso => cells,
        }
    }

    /// The queue, among those of its thread, in which a store to `cell` waits.
    #[must_use]
    pub fn queue(self, cell: CellId) -> usize {
        if self == Self::Pso { cell.index() } else { 0 }
    }
}

/// What may leave a queue before older entries, where order is not that of the queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct Passing {
    real_cells: usize,
    mark: Option<CellId>,
}

impl Passing {
    pub(super) fn of(system: &System<'_>) -> Self {
        Self { real_cells: system.program.cells.len(), mark: system.mark }
    }

    /// Whether a store to `later` may reach memory before an older entry for `earlier`.
    pub(super) fn may_pass(self, later: CellId, earlier: CellId) -> bool {
        later.index() < self.real_cells && later != earlier && Some(earlier) != self.mark
    }
}

/// A store in a queue.
pub(super) type Entry = (CellId, u64);
