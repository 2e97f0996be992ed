//! What is known of parts of threads: where the thread is, and the steps that it may take from there.
//!
//! Guards read registers only, so the edges whose guards are true are listed once for each part.

use membar_ir::program::{CellId, EdgeId};

use membar_ir::words::narrow;

use super::cache::UNKNOWN;
use super::program::{BufferKind, Program};
use super::thread_state::{Entry, ThreadState};

/// Bytes after which parts are no longer kept, but looked at anew.
const ROOM: usize = 8 << 20;
/// No part, where one is looked up.
const NONE: u32 = u32::MAX;

/// A part of a thread.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "facts that have nothing to do with one another")]
pub(super) struct Part {
    pub(super) is_started: bool,
    /// Whether its buffer is empty.
    pub(super) is_drained: bool,
    /// Whether it is inside an atomic block.
    pub(super) is_atomic: bool,
    /// Whether it is at a committed point.
    pub(super) is_committed: bool,
    /// Whether it is where the whole process ends.
    pub(super) exits: bool,
    /// Whether no edge leads on.
    pub(super) has_ended: bool,
    /// Whether it may wait forever where it is.
    pub(super) may_stay: bool,
    /// Whether its steps are in the list of its thread, and not in that of all.
    is_spare: bool,
    pub(super) point: u32,
    /// Where its steps are: flushes, then edges.
    pub(super) flushes: (u32, u32),
    pub(super) edges: (u32, u32),
    /// Its number among the parts whose edges may be looked up at once.
    pub(super) joint: Option<u32>,
}

impl Part {
    /// Whether its steps keep what is known of them.
    pub(super) fn is_kept(&self) -> bool {
        !self.is_spare
    }
}

/// A step that a thread may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    pub(super) kind: StepKind,
    /// Where the cache knows what it does.
    pub(super) root: u32,
}

/// What kind of step it is.
#[derive(Debug, Clone, Copy)]
pub(super) enum StepKind {
    /// The buffer entry at this position is flushed to this cell.
    Flush(u32, CellId),
    /// An edge whose guard is true.
    Edge(EdgeId),
}

/// Parts of all threads.
#[derive(Debug)]
pub(super) struct Parts {
    /// Per thread and number of its part, its place in `known`.
    places: Vec<Vec<u32>>,
    known: Vec<Part>,
    steps: Vec<Step>,
    /// Per thread, the steps of a part that is not kept.
    spare: Vec<Vec<Step>>,
    /// How many parts have edges that may be looked up at once.
    joints: u32,
    is_full: bool,
}

impl Parts {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            places: vec![Vec::new(); threads],
            known: Vec::new(),
            steps: Vec::new(),
            spare: vec![Vec::new(); threads],
            joints: 0,
            is_full: false,
        }
    }

    pub(super) fn bytes(&self) -> usize {
        let places: usize = self.places.iter().map(Vec::capacity).sum();
        4 * places + size_of::<Part>() * self.known.capacity() + size_of::<Step>() * self.steps.capacity()
    }

    /// Forgets where the cache knows steps.
    pub(super) fn forget_roots(&mut self) {
        for step in &mut self.steps {
            step.root = UNKNOWN;
        }
    }

    /// A part that is kept.
    pub(super) fn get(&self, thread: usize, number: u32) -> Option<Part> {
        let place = self.places[thread].get(number as usize).copied()?;
        self.known.get(place as usize).copied()
    }

    /// A step of a part of `thread`.
    pub(super) fn step(&self, thread: usize, part: &Part, place: u32) -> Step {
        if part.is_spare { self.spare[thread][place as usize] } else { self.steps[place as usize] }
    }

    /// Remembers where the cache knows a step.
    pub(super) fn set_root(&mut self, part: &Part, place: u32, root: u32) {
        if !part.is_spare {
            self.steps[place as usize].root = root;
        }
    }

    /// Lists the steps of a part, and keeps it while there is room.
    pub(super) fn add(
        &mut self,
        program: &Program,
        thread: usize,
        number: u32,
        local: &ThreadState,
        stack: &mut Vec<u64>,
    ) -> Part {
        let code = &program.threads[thread];
        let point = local.point as usize;
        let steps = if self.is_full {
            self.spare[thread].clear();
            &mut self.spare[thread]
        } else {
            &mut self.steps
        };
        let kinds = |step| Step { kind: step, root: UNKNOWN };
        let start = narrow(steps.len());
        steps.extend(flushable(program, local).map(kinds));
        let middle = narrow(steps.len());
        let is_open = |number: &&EdgeId| code.edges[number.index()].is_open(&local.registers, stack);
        steps.extend(code.leaving[point].iter().filter(is_open).map(|&edge| kinds(StepKind::Edge(edge))));
        let end = narrow(steps.len());
        let is_plain = |number: &EdgeId| {
            let edge = &code.edges[number.index()];
            let is_remembered = program.is_remembered[thread][number.index()];
            is_remembered && edge.meeting.is_none() && edge.rank == 0 && !edge.idle
        };
        let is_joint = !self.is_full && end - middle > 1 && code.leaving[point].iter().all(is_plain);
        let joint = is_joint.then_some(self.joints);
        self.joints += u32::from(is_joint);
        let part = Part {
            is_started: local.started,
            is_drained: local.buffer.is_empty(),
            is_atomic: code.atomic[point],
            is_committed: code.committed[point],
            exits: code.exits[point],
            has_ended: code.leaving[point].is_empty(),
            may_stay: code.ends[point],
            is_spare: self.is_full,
            point: local.point,
            flushes: (start, middle),
            edges: (middle, end),
            joint,
        };
        if !self.is_full {
            let places = &mut self.places[thread];
            if places.len() <= number as usize {
                places.resize(number as usize + 1, NONE);
            }
            places[number as usize] = narrow(self.known.len());
            self.known.push(part);
            self.is_full = self.bytes() > ROOM;
        }
        part
    }
}

/// The entries that may reach memory next.
fn flushable(program: &Program, local: &ThreadState) -> impl Iterator<Item = StepKind> {
    let mut cells: Vec<CellId> = Vec::new();
    let mut found = Vec::new();
    for (position, entry) in (0..).zip(&local.buffer) {
        match *entry {
            Entry::Barrier => break,
            Entry::Start(_) => {}
            Entry::Store(cell, _) => {
                if !cells.contains(&cell) {
                    cells.push(cell);
                    found.push(StepKind::Flush(position, cell));
                }
                if program.discipline != BufferKind::Pso {
                    break;
                }
            }
        }
    }
    found.into_iter()
}
