//! The locations that a thread may still write, from its control flow.

use membar_ir::program::{Address, CellId, EdgeId, Operation, Program};

/// A set of locations, a bit each.
type Cells = Box<[u64]>;

/// Per thread, edge and operation: what may be written from there on, by the thread or by threads that it starts.
#[derive(Debug)]
pub(super) struct Futures {
    threads: Vec<Vec<Vec<Cells>>>,
}

impl Futures {
    /// For all threads.
    pub(super) fn new(program: &Program) -> Self {
        let nothing: Cells = vec![0; program.cells.len().div_ceil(64)].into();
        let none = |operations: usize| vec![nothing.clone(); operations];
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
        let cells = &of_edge[(operation as usize).min(of_edge.len() - 1)];
        cells[cell.index() / 64] >> (cell.index() % 64) & 1 != 0
    }

    /// One round: what an operation does, and what may come behind it. Whether something was new.
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

    fn put(&mut self, thread: usize, edge: usize, operation: usize, cells: &Cells) -> bool {
        let place = &mut self.threads[thread][edge][operation];
        let has_grown = *place != *cells;
        place.clone_from(cells);
        has_grown
    }

    fn at_point(&self, program: &Program, thread: usize, point: u32) -> Cells {
        let mut cells: Cells = vec![0; program.cells.len().div_ceil(64)].into();
        for edge in &program.threads[thread].leaving[point as usize] {
            extend(&mut cells, &self.threads[thread][edge.index()][0]);
        }
        cells
    }

    fn add(&self, program: &Program, operation: &Operation, cells: &mut Cells) {
        if let Operation::Spawn { thread } = operation {
            let entry = program.threads[thread.index()].entry;
            extend(cells, &self.at_point(program, thread.index(), entry));
        }
        match operation.footprint().filter(|footprint| footprint.writes).map(|footprint| footprint.address) {
            None => {}
            Some(Address::Cell(cell)) => cells[cell.index() / 64] |= 1 << (cell.index() % 64),
            Some(Address::Computed(..)) => cells.fill(u64::MAX),
        }
    }
}

fn extend(cells: &mut Cells, more: &Cells) {
    for (own, more) in cells.iter_mut().zip(more) {
        *own |= more;
    }
}
