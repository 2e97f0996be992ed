//! The locations that a thread may still write, from its control flow.

use membar_ir::bits::SmallSet;
use membar_ir::program::{Address, CellId, EdgeId, Operation, Program};

/// Per thread, edge and operation: what may be written from there on, by the thread or by threads that it starts.
#[derive(Debug)]
pub(super) struct Futures {
    threads: Vec<Vec<Vec<SmallSet>>>,
}

impl Futures {
    /// For all threads.
    pub(super) fn new(program: &Program) -> Self {
        let none = |operations: usize| vec![SmallSet::default(); operations];
        let mut futures = Self {
            threads: program
                .threads
                .iter()
                .map(|thread| thread.edges.iter().map(|edge| none(edge.operations.len() + 1)).collect())
                .collect(),
        };
        while futures.grow(program) {}
        futures
    }

    /// Whether `cell` may be written from an operation of an edge of `thread` on.
    pub(super) fn contains(&self, thread: usize, (edge, operation): (EdgeId, u32), cell: CellId) -> bool {
        let of_edge = &self.threads[thread][edge.index()];
        of_edge[(operation as usize).min(of_edge.len() - 1)].contains(cell.index())
    }

    /// One round: what an operation does, and what may come after it. Returns whether something was new.
    fn grow(&mut self, program: &Program) -> bool {
        let mut has_grown = false;
        for (number, thread) in program.threads.iter().enumerate() {
            for (index, edge) in thread.edges.iter().enumerate() {
                let mut cells = self.at_point(program, number, edge.target);
                has_grown |= self.put(number, index, edge.operations.len(), &cells);
                for (position, operation) in edge.operations.iter().enumerate().rev() {
                    self.add(program, operation, &mut cells);
                    has_grown |= self.put(number, index, position, &cells);
                }
            }
        }
        has_grown
    }

    fn put(&mut self, thread: usize, edge: usize, operation: usize, cells: &SmallSet) -> bool {
        let place = &mut self.threads[thread][edge][operation];
        let has_grown = !cells.is_within(place);
        place.clone_from(cells);
        has_grown
    }

    fn at_point(&self, program: &Program, thread: usize, point: u32) -> SmallSet {
        let mut cells = SmallSet::default();
        for edge in &program.threads[thread].leaving[point as usize] {
            cells.extend(&self.threads[thread][edge.index()][0]);
        }
        cells
    }

    fn add(&self, program: &Program, operation: &Operation, cells: &mut SmallSet) {
        if let Operation::Spawn { thread } = operation {
            let entry = program.threads[thread.index()].entry;
            cells.extend(&self.at_point(program, thread.index(), entry));
        }
        match operation.footprint().filter(|footprint| footprint.writes).map(|footprint| footprint.address) {
            None => {}
            Some(Address::Cell(cell)) => cells.insert(cell.index()),
            Some(Address::Computed(..)) => cells.extend(&SmallSet::below(program.cells.len())),
        }
    }
}
