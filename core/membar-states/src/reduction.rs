//! Partial-order reduction: a thread whose steps are independent of all others moves alone (ample sets).
//!
//! In a state, the steps of one thread may stand for all (they are a persistent set) if each of them commutes with
//! whatever the others, and the flushes of its own buffer, can do before it: it computes, reads cells that nobody else
//! writes any more, puts stores into its buffer (which only a fence of all buffers or a join would notice), passes a
//! fence with an empty buffer. Under sc each of its steps must commute with every edge that another thread may still
//! take: both access different cells and different ends of channels, or `commutation` shows it. Edges of the thread that wait for a condition must
//! go on waiting until the thread itself moves, and none that is taken may change what a predicate looks at or, where runs are fair to buffers, put a store into a buffer: a run that goes on forever without that store
//! need not make it leave. Deadlocks, final states, failures, error states and stores held back by the bound are all kept.
//!
//! Besides, no thread may be postponed forever: on every cycle of states there must be one in which all steps are
//! followed. A cycle in which threads only move alone leads some thread round a loop of its control flow. So the edges that close loops of such edges
//! never stand alone (Kurshan, Levin, Minea, Peled, Yenigün, "Static partial order reduction", TACAS 1998). What is
//! followed is thus decided by the state of the program alone, whatever the order in which states are visited and whatever
//! automaton is beside it (docs/decisions/0077-static-reduction.md).

use std::sync::OnceLock;

use membar_ir::bits::SmallSet;
use membar_ir::program::{Address, CellId, Edge, EdgeId, Observable, Operation, Thread};
use membar_ir::words::narrow;
use membar_step::store_buffers::Waits;

use super::commutation::{commute, stays_closed};
use super::program::{BufferKind, Program};
use super::ranges::{Footprint, footprints};
use super::successors::{Successors, Transition};
use super::thread_state::ThreadState;

/// Of so many edges it is found out whether they commute with an edge although they access the same cells; each takes up to a
/// tenth of a millisecond.
const MOST_PAIRS: usize = 64;

/// What an edge needs of others to go unnoticed by store buffers.
#[derive(Debug, Default)]
struct Needs {
    /// Cells that no other thread may write any more.
    unwritten: Vec<CellId>,
    /// Whether it puts stores into the buffer.
    has_stores: bool,
}

/// Per thread, the points from which it may come to a step that does not commute with an edge.
type Noticing = Vec<SmallSet>;

/// What is known of a program before it runs.
#[derive(Debug)]
pub(super) struct Reduction {
    /// Per thread and edge; None if it can never go unnoticed.
    needs: Vec<Vec<Option<Needs>>>,
    /// Per thread and edge, whether it may change what a predicate looks at, or whether a queue of stores that must be
    /// treated fairly is empty.
    visible: Vec<Vec<bool>>,
    /// Per thread and edge, what it may access.
    footprints: Vec<Vec<Footprint>>,
    /// Per thread and edge, the cells that decide whether it goes on waiting; None if more than cells decide.
    awaited: Vec<Vec<Option<Vec<CellId>>>>,
    /// Per thread and control point, the cells that it may still write.
    written: Vec<Vec<SmallSet>>,
    /// Under sc, per thread and edge, who may notice it; None if it never stands alone. Found out when it is asked for.
    noticed: Vec<Vec<OnceLock<Option<Noticing>>>>,
    /// Under sc, per thread and edge that can be taken, and per edge beside it that cannot, who may change that.
    opened: Vec<Vec<Vec<OnceLock<Option<Noticing>>>>>,
    /// Per thread and edge, whether it closes a loop of edges that may stand alone.
    closes: Vec<Vec<bool>>,
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
        let footprints: Vec<Vec<Footprint>> =
            program.threads.iter().map(|thread| footprints(program, thread)).collect();
        let needs: Vec<Vec<Option<Needs>>> = threads()
            .map(|(_, thread)| {
                let of_edge = |edge: &Edge| {
                    needs_of(program, edge, are_buffers_seen).filter(|_| may_stand_alone(thread, edge))
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
                    let written = &footprints[number][edge.index()].writes;
                    visible[edge.index()] = is_owed(number, edge)
                        || seen.iter().any(|seen| may_change(program, number, (point, code, written), seen));
                }
            }
            visible
        });
        let visible: Vec<Vec<bool>> = visible.collect();
        let closes = threads().map(|(number, thread)| {
            let may_be_alone = |edge: EdgeId| {
                let code = &thread.edges[edge.index()];
                let is_free = if program.discipline == BufferKind::Sc {
                    may_stand_alone(thread, code) && code.operations.iter().all(is_plain)
                } else {
                    needs[number][edge.index()].is_some()
                };
                is_free && code.meeting.is_none() && !visible[number][edge.index()]
            };
            closing_edges(thread, may_be_alone)
        });
        let closes = closes.collect();
        let has_committed = program.threads.iter().any(|thread| thread.committed.contains(&true));
        let awaited = program.threads.iter().zip(&footprints).map(|(thread, footprints)| {
            let edges = thread.edges.iter().zip(footprints);
            edges.map(|(edge, footprint)| cells_awaited(program, edge, footprint)).collect()
        });
        let awaited = awaited.collect();
        let written = written(program, &footprints);
        let unasked = |thread: &Thread| thread.edges.iter().map(|_| OnceLock::new()).collect();
        let noticed = program.threads.iter().map(unasked).collect();
        let pairs = |thread: &Thread| {
            let mut opened: Vec<_> = thread.edges.iter().map(|_| Vec::new()).collect();
            for leaving in &thread.leaving {
                for edge in leaving {
                    opened[edge.index()] = leaving.iter().map(|_| OnceLock::new()).collect();
                }
            }
            opened
        };
        let opened = program.threads.iter().map(pairs).collect();
        Self { needs, visible, footprints, awaited, written, noticed, opened, closes, has_committed }
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
        let Some(open) = steps.peek().and_then(|step| step.edge) else { return false };
        let stays_closed = |edge: EdgeId| self.stays_closed(program, locals, thread, open, edge);
        // An edge that waits for a condition must go on waiting until the thread itself moves.
        moves.halted_by(thread).all(|edge| edge.is_some_and(stays_closed))
            && steps.all(|step| {
                let is_open =
                    |edge: &EdgeId| !self.visible[thread][edge.index()] && !self.closes[thread][edge.index()];
                let edge = step.edge.filter(|edge| !step.failed && is_open(edge));
                edge.is_some_and(|edge| self.is_unnoticed(program, locals, thread, edge))
            })
    }

    /// Whether nobody notices when an edge is taken.
    fn is_unnoticed(&self, program: &Program, locals: &[ThreadState], thread: usize, edge: EdgeId) -> bool {
        if program.discipline != BufferKind::Sc {
            let needs = self.needs[thread][edge.index()].as_ref();
            return needs.is_some_and(|needs| {
                self.are_left_alone(program, locals, thread, needs.unwritten.iter().copied())
            });
        }
        let noticed = self.noticed[thread][edge.index()].get_or_init(|| self.noticing(program, thread, edge));
        noticed.as_ref().is_some_and(|noticed| is_nobody_there(noticed, locals))
    }

    /// Whether an edge that waits for a condition goes on waiting, where another one can be taken, until the thread moves.
    fn stays_closed(
        &self,
        program: &Program,
        locals: &[ThreadState],
        thread: usize,
        open: EdgeId,
        edge: EdgeId,
    ) -> bool {
        let Some(cells) = &self.awaited[thread][edge.index()] else { return false };
        if self.are_left_alone(program, locals, thread, cells.iter().copied()) {
            return true;
        }
        let leaving = &program.threads[thread].leaving[locals[thread].point as usize];
        let place = leaving.iter().position(|&beside| beside == edge);
        let known = place.and_then(|place| self.opened[thread][open.index()].get(place));
        program.discipline == BufferKind::Sc
            && known.is_some_and(|known| {
                let opening = known.get_or_init(|| Some(self.opening(program, thread, open, edge)));
                opening.as_ref().is_some_and(|opening| is_nobody_there(opening, locals))
            })
    }

    /// Whether no other thread will write any of the cells.
    fn are_left_alone(
        &self,
        program: &Program,
        locals: &[ThreadState],
        thread: usize,
        mut cells: impl Iterator<Item = CellId>,
    ) -> bool {
        cells.all(|cell| {
            let mut others = (0..program.threads.len()).filter(|&other| other != thread);
            others.all(|other| {
                let local = &locals[other];
                let waits = local.buffer.iter().any(|entry| entry.cell() == Some(cell));
                !waits && !self.written[other][local.point as usize].contains(cell.index())
            })
        })
    }

    /// Who may notice that an edge is taken under sc.
    fn noticing(&self, program: &Program, thread: usize, edge: EdgeId) -> Option<Noticing> {
        let code = &program.threads[thread];
        let step = &code.edges[edge.index()];
        if !may_stand_alone(code, step) || !step.operations.iter().all(is_plain) {
            return None;
        }
        let own = &self.footprints[thread][edge.index()];
        let may_conflict = |theirs: &Footprint| {
            own.writes.meets(&theirs.reads)
                || own.writes.meets(&theirs.writes)
                || own.reads.meets(&theirs.writes)
        };
        Some(
            self.points_before(program, thread, may_conflict, |other| {
                !commute(program, (thread, step), other)
            }),
        )
    }

    /// Who may let an edge be taken that cannot be taken now, where another one can.
    fn opening(&self, program: &Program, thread: usize, open: EdgeId, edge: EdgeId) -> Noticing {
        let code = &program.threads[thread];
        let [open, closed] = [open, edge].map(|edge| (thread, &code.edges[edge.index()]));
        let reads = &self.footprints[thread][edge.index()].reads;
        let may_conflict = |theirs: &Footprint| reads.meets(&theirs.writes);
        self.points_before(program, thread, may_conflict, |other| !stays_closed(program, open, closed, other))
    }

    /// Per other thread, the points from which it may come to an edge that accesses the same cells, and that `is_meant`.
    fn points_before(
        &self,
        program: &Program,
        thread: usize,
        may_conflict: impl Fn(&Footprint) -> bool,
        is_meant: impl Fn((usize, &Edge)) -> bool,
    ) -> Noticing {
        let mut asked = 0;
        let mut of_thread = |(other, code): (usize, &Thread)| {
            if other == thread {
                return SmallSet::default();
            }
            points_before(code, |point, edge| {
                if !may_conflict(&self.footprints[other][edge.index()]) {
                    return false;
                }
                asked += 1;
                let mut beside = code.leaving[point].iter().map(|edge| &code.edges[edge.index()]);
                beside.any(|edge| edge.rank > 0 || edge.idle || edge.meeting.is_some())
                    || asked > MOST_PAIRS
                    || is_meant((other, &code.edges[edge.index()]))
            })
        };
        program.threads.iter().enumerate().map(&mut of_thread).collect()
    }
}

/// The cells that decide whether an edge goes on waiting; None if more than cells decide.
fn cells_awaited(program: &Program, edge: &Edge, footprint: &Footprint) -> Option<Vec<CellId>> {
    let is_known = |operation: &Operation| match operation {
        Operation::Send { .. }
        | Operation::Receive { .. }
        | Operation::Join { .. }
        | Operation::Spawn { .. }
        | Operation::StoreConditional { .. } => false,
        Operation::Load { exclusive, .. } | Operation::Store { exclusive, .. } => !exclusive,
        _ => true,
    };
    let cells = (0..narrow(program.cells.len())).map(CellId);
    let is_read = |cell: &CellId| footprint.reads.contains(cell.index());
    edge.operations.iter().all(is_known).then(|| cells.filter(is_read).collect())
}

/// Whether no thread is at one of its points.
fn is_nobody_there(points: &Noticing, locals: &[ThreadState]) -> bool {
    points.iter().zip(locals).all(|(points, local)| !points.contains(local.point as usize))
}

/// Whether an edge may be taken alone, as far as it is up to its thread.
fn may_stand_alone(thread: &Thread, edge: &Edge) -> bool {
    !edge.idle && !thread.atomic[edge.target as usize]
}

/// Per edge, whether it closes a loop of edges that `may_be_alone`, in the order of a depth-first search: without them no
/// loops are left.
fn closing_edges(thread: &Thread, may_be_alone: impl Fn(EdgeId) -> bool) -> Vec<bool> {
    let mut closes = vec![false; thread.edges.len()];
    // Per point, whether the search is there or has left it.
    let mut is_on_path = vec![None; thread.leaving.len()];
    for start in std::iter::once(thread.entry as usize).chain(0..thread.leaving.len()) {
        if is_on_path[start].is_some() {
            continue;
        }
        is_on_path[start] = Some(true);
        let mut path = vec![(start, 0)];
        while let Some((point, next)) = path.last_mut() {
            let Some(&edge) = thread.leaving[*point].get(*next) else {
                is_on_path[*point] = Some(false);
                path.pop();
                continue;
            };
            *next += 1;
            let target = thread.edges[edge.index()].target as usize;
            if !may_be_alone(edge) {
                continue;
            }
            match is_on_path[target] {
                None => {
                    is_on_path[target] = Some(true);
                    path.push((target, 0));
                }
                Some(is_on_path) => closes[edge.index()] = is_on_path,
            }
        }
    }
    closes
}

/// Whether an operation does under sc only what its footprint says.
fn is_plain(operation: &Operation) -> bool {
    match operation {
        Operation::Load { exclusive, .. } | Operation::Store { exclusive, .. } => !exclusive,
        Operation::Set { .. }
        | Operation::Choose { .. }
        | Operation::Assume { .. }
        | Operation::Assert { .. }
        | Operation::Fence { .. }
        | Operation::Rmw(_)
        | Operation::Lock { .. }
        | Operation::Unlock { .. }
        | Operation::Send { .. }
        | Operation::Receive { .. } => true,
        Operation::StoreConditional { .. } | Operation::Spawn { .. } | Operation::Join { .. } => false,
    }
}

/// The points of a thread from which it may come to an edge that `is_meant`, which is told its source, too.
pub(super) fn points_before(thread: &Thread, mut is_meant: impl FnMut(usize, EdgeId) -> bool) -> SmallSet {
    let mut found = SmallSet::default();
    for (point, leaving) in thread.leaving.iter().enumerate() {
        if leaving.iter().any(|&edge| is_meant(point, edge)) {
            found.insert(point);
        }
    }
    let mut has_changed = !found.is_empty();
    while has_changed {
        has_changed = false;
        for (point, leaving) in thread.leaving.iter().enumerate() {
            let leads_on = |edge: &EdgeId| found.contains(thread.edges[edge.index()].target as usize);
            if !found.contains(point) && leaving.iter().any(leads_on) {
                found.insert(point);
                has_changed = true;
            }
        }
    }
    found
}

/// Whether an edge that leaves a point of a thread may change what is seen.
fn may_change(
    program: &Program,
    thread: usize,
    (point, edge, written): (usize, &Edge, &SmallSet),
    seen: &Observable,
) -> bool {
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
        Observable::Cell(cell) => program.discipline == BufferKind::Sc && written.contains(cell.index()),
    }
}

/// What an edge needs where stores wait in buffers; None if others, or the own flushes, may always notice it.
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
            Operation::Store { .. } | Operation::Unlock { .. } => {
                if are_buffers_seen {
                    return None;
                }
                needs.has_stores = true;
            }
            _ => return None,
        }
    }
    Some(needs)
}

/// Per thread and control point, the cells that may still be written.
fn written(program: &Program, footprints: &[Vec<Footprint>]) -> Vec<Vec<SmallSet>> {
    let mut all = Vec::new();
    for (thread, footprints) in program.threads.iter().zip(footprints) {
        let mut found = vec![SmallSet::default(); thread.leaving.len()];
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (point, leaving) in thread.leaving.iter().enumerate() {
                for edge in leaving {
                    let mut after = found[thread.edges[edge.index()].target as usize].clone();
                    after.extend(&footprints[edge.index()].writes);
                    has_changed |= !after.is_within(&found[point]);
                    found[point].extend(&after);
                }
            }
        }
        all.push(found);
    }
    all
}
