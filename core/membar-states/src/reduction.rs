//! Partial-order reduction: a thread whose steps are independent of all others moves alone (ample sets).
//!
//! In a state, the steps of one thread may stand for all (they are a persistent set) if each of them commutes with
//! whatever the others, and the flushes of its own buffer, can do before it: it computes, reads cells that nobody else
//! writes any more, puts stores into its buffer (which only a fence of all buffers or a join would notice), passes a
//! fence with an empty buffer, or, under sc, writes cells that nobody else accesses any more. All steps of the thread
//! must be of this kind, those that wait for a condition included, and none that is taken may change what a predicate
//! looks at or, where runs are fair to buffers, put a store into a buffer: a run that goes on for ever without that store
//! need not make it leave. Besides, the cycle proviso, so that no thread is postponed forever. For safety, one of the steps must lead to a state that is not yet expanded (Bošnački,
//! Leue, Lluch Lafuente, "Partial-order reduction for general state exploring algorithms", STTT 2009). For runs, all of
//! them must lead to states of the program with larger numbers, and what is left out must not depend on the automaton
//! (docs/decisions/0064-reduction-for-ltl.md). The searches enforce it: `safety.rs` and `worker.rs` take all steps of a
//! state where it fails. Deadlocks, final states, failures, error states and stores held back by the bound are all kept.

use membar_ir::bits::SmallSet;
use membar_ir::program::{Address, CellId, Edge, EdgeId, Footprint, Observable, Operation};
use membar_step::store_buffers::Waits;

use super::program::{BufferKind, Program};
use super::successors::{Successors, Transition};
use super::thread_state::ThreadState;

/// What an edge needs of others to go unnoticed.
#[derive(Debug, Default)]
struct Needs {
    /// Cells that no other thread may write any more.
    unwritten: Vec<CellId>,
    /// Cells that no other thread may access any more.
    untouched: Vec<CellId>,
    /// Whether it puts stores into the buffer.
    has_stores: bool,
}

/// Cells that a thread may still access from a control point on.
#[derive(Debug, Clone, Default)]
struct Future {
    read: SmallSet,
    written: SmallSet,
}

/// What is known of a program before it runs.
#[derive(Debug)]
pub(super) struct Reduction {
    /// Per thread and edge; None if it can never go unnoticed.
    needs: Vec<Vec<Option<Needs>>>,
    /// Per thread and edge, whether it may change what a predicate looks at, or whether a queue of stores that must be
    /// treated fairly is empty.
    visible: Vec<Vec<bool>>,
    /// Per thread and control point.
    futures: Vec<Vec<Future>>,
    has_committed: bool,
}

impl Reduction {
    /// What is known of a program of which only `predicates` are asked; queues of stores may have to be treated fairly.
    pub(super) fn new(program: &Program, predicates: &[usize], are_queues_fair: bool) -> Self {
        let are_buffers_seen = program.operations().any(|operation| match operation {
            Operation::Fence { tags, .. } => program.orders.get(*tags).fence == Waits::All,
            Operation::Store { tags, .. } => program.orders.get(*tags).atomic == Waits::All,
            Operation::Join { .. } => true,
            _ => false,
        });
        let seen: Vec<&Observable> =
            predicates.iter().flat_map(|&predicate| &program.predicates[predicate].reads).collect();
        let threads = || program.threads.iter().enumerate();
        let needs: Vec<Vec<Option<Needs>>> = threads()
            .map(|(_, thread)| {
                let of_edge = |edge: &Edge| {
                    let stands_alone = !edge.idle && !thread.atomic[edge.target as usize];
                    needs_of(program, edge, are_buffers_seen).filter(|_| stands_alone)
                };
                thread.edges.iter().map(of_edge).collect()
            })
            .collect();
        let is_owed = |number: usize, edge: &EdgeId| {
            let needs = needs[number][edge.index()].as_ref();
            are_queues_fair && needs.is_some_and(|needs| needs.has_stores)
        };
        let visible = threads().map(|(number, thread)| {
            let mut visible = vec![false; thread.edges.len()];
            for (point, leaving) in thread.leaving.iter().enumerate() {
                for edge in leaving {
                    let code = &thread.edges[edge.index()];
                    visible[edge.index()] = is_owed(number, edge)
                        || seen.iter().any(|seen| may_change(program, number, point, code, seen));
                }
            }
            visible
        });
        let visible = visible.collect();
        let has_committed = program.threads.iter().any(|thread| thread.committed.contains(&true));
        Self { needs, visible, futures: futures(program), has_committed }
    }

    /// A thread whose steps are an ample set.
    pub(super) fn ample_thread(
        &self,
        program: &Program,
        locals: &[ThreadState],
        moves: &Successors,
    ) -> Option<usize> {
        if self.has_committed {
            return None;
        }
        (0..locals.len()).find(|&thread| self.may_stand_alone(program, locals, moves, thread))
    }

    fn may_stand_alone(
        &self,
        program: &Program,
        locals: &[ThreadState],
        moves: &Successors,
        thread: usize,
    ) -> bool {
        let is_thread_local = |step: &&Transition| step.thread == thread && step.edge.is_some();
        let mut steps = moves.list.iter().filter(is_thread_local).peekable();
        if steps.peek().is_none() {
            return false;
        }
        let is_unnoticed = |edge: EdgeId| {
            self.needs[thread][edge.index()].as_ref().is_some_and(|needs| {
                let is_left_alone = |cells: &[CellId], reads_matter: bool| {
                    cells.iter().all(|&cell| self.is_left_alone(program, locals, thread, cell, reads_matter))
                };
                is_left_alone(&needs.unwritten, false) && is_left_alone(&needs.untouched, true)
            })
        };
        // An edge that waits for a condition must go on waiting until the thread itself moves.
        moves.halted_by(thread).all(|edge| edge.is_some_and(is_unnoticed))
            && steps.all(|step| {
                let edge = step.edge.filter(|edge| !step.failed && !self.visible[thread][edge.index()]);
                edge.is_some_and(is_unnoticed)
            })
    }

    /// Whether no other thread will write the cell, nor read it, if that matters.
    fn is_left_alone(
        &self,
        program: &Program,
        locals: &[ThreadState],
        thread: usize,
        cell: CellId,
        reads_matter: bool,
    ) -> bool {
        let others = (0..program.threads.len()).filter(|&other| other != thread);
        others.into_iter().all(|other| {
            let local = &locals[other];
            let future = &self.futures[other][local.point as usize];
            let waits = local.buffer.iter().any(|entry| entry.cell() == Some(cell));
            let is_read = reads_matter && future.read.contains(cell.index());
            !(waits || is_read || future.written.contains(cell.index()))
        })
    }
}

/// Whether an edge that leaves a point of a thread may change what is seen.
fn may_change(program: &Program, thread: usize, point: usize, edge: &Edge, seen: &Observable) -> bool {
    match seen {
        Observable::At(who, points) => who.index() == thread && points[point] != points[edge.target as usize],
        Observable::Register(who, register) => {
            let mut is_assigned = false;
            for operation in &edge.operations {
                operation.each_assigned(|assigned| is_assigned |= assigned == *register);
            }
            who.index() == thread && is_assigned
        }
        // With store buffers, flushes change memory, and what waits until the buffer is empty.
        Observable::Cell(cell) => {
            let writes = |footprint: Footprint<'_>| {
                footprint.writes && !matches!(footprint.address, Address::Cell(other) if other != cell)
            };
            program.discipline == BufferKind::Sc
                && edge.operations.iter().filter_map(Operation::footprint).any(writes)
        }
    }
}

/// What an edge needs; None if others, or the own flushes, may always notice it.
fn needs_of(program: &Program, edge: &Edge, are_buffers_seen: bool) -> Option<Needs> {
    let mut needs = Needs::default();
    for operation in &edge.operations {
        match operation {
            Operation::Set { .. }
            | Operation::Choose { .. }
            | Operation::Assume { .. }
            | Operation::Assert { .. } => {}
            Operation::Fence { tags, .. } => match program.orders.get(*tags).fence {
                Waits::Nothing => {}
                Waits::Own if !needs.has_stores => {}
                _ => return None,
            },
            Operation::Load { address: Address::Cell(cell), exclusive: false, .. } => {
                needs.unwritten.push(*cell);
            }
            Operation::Store { exclusive, tags, .. }
                if *exclusive || program.orders.get(*tags).writes_at_once() =>
            {
                return None;
            }
            Operation::Store { address, .. } | Operation::Unlock { address } => {
                match (program.discipline, address) {
                    (BufferKind::Sc, Address::Cell(cell)) => needs.untouched.push(*cell),
                    (BufferKind::Sc, Address::Computed(..)) => return None,
                    _ if are_buffers_seen => return None,
                    _ => needs.has_stores = true,
                }
            }
            _ => return None,
        }
    }
    Some(needs)
}

/// Per thread and control point, what may still be accessed.
fn futures(program: &Program) -> Vec<Vec<Future>> {
    let mut all = Vec::new();
    for thread in &program.threads {
        let mut found = vec![Future::default(); thread.leaving.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (point, leaving) in thread.leaving.iter().enumerate() {
                for edge in leaving.iter().map(|edge| &thread.edges[edge.index()]) {
                    let mut after = found[edge.target as usize].clone();
                    for operation in &edge.operations {
                        add(operation, program.cells.len(), &mut after);
                    }
                    let here = &mut found[point];
                    changed |= !after.read.is_within(&here.read) || !after.written.is_within(&here.written);
                    here.read.extend(&after.read);
                    here.written.extend(&after.written);
                }
            }
        }
        all.push(found);
    }
    all
}

fn add(operation: &Operation, cells: usize, future: &mut Future) {
    let Some(Footprint { address, reads, writes }) = operation.footprint() else { return };
    let range = match address {
        Address::Cell(cell) => cell.index()..cell.index() + 1,
        Address::Computed(..) => 0..cells,
    };
    for cell in range {
        if reads {
            future.read.insert(cell);
        }
        if writes {
            future.written.insert(cell);
        }
    }
}
