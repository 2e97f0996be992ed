//! States of a program and their successors.

use std::sync::Arc;

use membar_ir::error::CoreError;
use membar_ir::program::{Meeting, Observable, Predicate, Term, Thread};
use membar_step::sign_extend;

use super::cache::{Effect, SuccessorCache, Trace};
use super::goals::{NOWHERE, Points};
use super::program::{BufferKind, Program};
use super::stepper::Stepper;
use super::successors::{Successors, TransitionId, keep, note, note_recalled, too_many};
use super::thread_state::{Entry, ThreadState};

/// A program that can be run.
#[derive(Debug)]
pub struct System {
    /// The program.
    pub program: Arc<Program>,
    pub(super) stepper: Stepper,
    cache: SuccessorCache,
    /// The parts of all threads in the state at hand, and their numbers.
    locals: Vec<ThreadState>,
    parts: Vec<Option<u32>>,
    /// Per thread, whether it may take an edge there.
    movers: Vec<bool>,
    /// Whether a thread is inside an atomic block there.
    is_inside: bool,
    /// Whether some edge is taken only where nothing else can happen.
    has_idle_edges: bool,
    seen: Vec<u64>,
    stack: Vec<u64>,
}

impl System {
    /// Makes a program ready.
    #[must_use]
    pub fn new(program: Arc<Program>) -> Self {
        let stepper = Stepper::new(&program);
        let locals = program.threads.iter().map(|_| ThreadState::default()).collect();
        let parts = vec![None; program.threads.len()];
        let cache = SuccessorCache::new(program.threads.len());
        let has_idle_edges = program.threads.iter().any(|thread| thread.edges.iter().any(|edge| edge.idle));
        Self {
            program,
            stepper,
            cache,
            locals,
            parts,
            movers: Vec::new(),
            is_inside: false,
            has_idle_edges,
            seen: Vec::new(),
            stack: Vec::new(),
        }
    }

    /// The same program for several threads, which name parts of states in the same way.
    pub(super) fn share(self, count: usize) -> Vec<Self> {
        let program = self.program;
        let mut all: Vec<Self> = (0..count).map(|_| Self::new(Arc::clone(&program))).collect();
        for (thread, strings) in self.stepper.locals.into_iter().enumerate() {
            for (system, copy) in all.iter_mut().zip(strings.share(count)) {
                system.stepper.locals[thread] = copy;
            }
        }
        for (channel, strings) in self.stepper.contents.into_iter().enumerate() {
            for (system, copy) in all.iter_mut().zip(strings.share(count)) {
                system.stepper.contents[channel] = copy;
            }
        }
        all
    }

    /// The parts of all threads in the state whose moves were asked for last.
    pub(super) fn locals(&self) -> &[ThreadState] {
        &self.locals
    }

    /// Number of words of a state.
    #[must_use]
    pub fn leaves(&self) -> usize {
        self.program.words + self.program.threads.len() + self.program.channels.len()
    }

    /// Bytes held by parts of states, and by what is remembered of their steps.
    pub(super) fn bytes(&self) -> usize {
        let parts = self.stepper.locals.iter().chain(&self.stepper.contents);
        parts.map(super::store::ComponentTable::bytes).sum::<usize>() + self.cache.bytes()
    }

    /// The state in which every run begins.
    pub(super) fn initial(&mut self) -> Result<Vec<u32>, CoreError> {
        let mut leaves = vec![0; self.program.words];
        for (place, cell) in self.program.layout.iter().zip(&self.program.cells) {
            place.set(&mut leaves, cell.initial);
        }
        for (number, thread) in self.program.threads.iter().enumerate() {
            let mut local = ThreadState {
                started: thread.started,
                point: thread.entry,
                registers: thread.initial_registers(),
                ..ThreadState::default()
            };
            // A thread that is never started shows at the end what it has now.
            for register in
                self.program.cleared[number][thread.entry as usize].iter().filter(|_| thread.started)
            {
                local.registers[register.index()] = 0;
            }
            leaves.push(self.stepper.number_of(number, &local).ok_or_else(too_many)?);
        }
        for channel in 0..self.program.channels.len() {
            leaves.push(self.stepper.number_of_contents(channel, &[0]).ok_or_else(too_many)?);
        }
        Ok(leaves)
    }

    /// All that can happen in the state `leaves`.
    pub(super) fn moves(&mut self, leaves: &[u32], moves: &mut Successors) -> Result<(), CoreError> {
        moves.clear();
        self.open(leaves);
        self.find_movers();
        for thread in 0..self.locals.len() {
            let local = &self.locals[thread];
            let edges = self.program.threads[thread].leaving[local.point as usize].len();
            let part = leaves[self.program.words + thread];
            let root = self.cache.steps(thread, part, edges + local.buffer.len());
            if local.started && !self.is_inside {
                self.flushes(leaves, thread, root.map(|root| root + edges), moves)?;
            }
            if self.movers[thread] {
                self.edges(leaves, thread, root, false, moves)?;
            }
        }
        if self.has_idle_edges && moves.is_stuck() {
            for thread in 0..self.locals.len() {
                if self.movers[thread] {
                    self.edges(leaves, thread, None, true, moves)?;
                }
            }
        }
        Ok(())
    }

    /// Whether, in the state whose moves were asked for last, a thread is inside an atomic block: nobody sees such a
    /// state but this thread.
    pub(super) fn is_inside(&self) -> bool {
        self.is_inside
    }

    /// Finds the threads that may take an edge: one inside an atomic block, if there is one; else those at committed
    /// points, if there are any; else all.
    fn find_movers(&mut self) {
        let mut threads = self.program.threads.iter().zip(&self.locals);
        let inside = threads.position(|(thread, local)| local.started && thread.atomic[local.point as usize]);
        self.is_inside = inside.is_some();
        if let Some(inside) = inside {
            self.movers.clear();
            self.movers.resize(self.locals.len(), false);
            self.movers[inside] = true;
            return;
        }
        self.movers.clear();
        self.movers.extend(self.locals.iter().map(|local| local.started));
        let threads = self.program.threads.iter().zip(&self.locals);
        let is_committed = |(thread, local): (&Thread, &ThreadState)| {
            local.started && thread.committed[local.point as usize]
        };
        if threads.clone().any(is_committed) {
            self.movers.clear();
            self.movers.extend(threads.map(is_committed));
        }
    }

    /// Reads the parts of all threads.
    fn open(&mut self, leaves: &[u32]) {
        for (thread, (local, known)) in self.locals.iter_mut().zip(&mut self.parts).enumerate() {
            let part = Some(leaves[self.program.words + thread]);
            if *known != part {
                *known = part;
                self.stepper.decode_thread(&self.program, leaves, thread, local);
            }
        }
    }

    /// The flushes of a thread's buffer; they are remembered from `root` on.
    fn flushes(
        &mut self,
        leaves: &[u32],
        thread: usize,
        root: Option<usize>,
        moves: &mut Successors,
    ) -> Result<(), CoreError> {
        let local = &self.locals[thread];
        if local.buffer.is_empty() {
            return Ok(());
        }
        let positions = flushable(&self.program, local);
        for position in positions {
            let Entry::Store(cell, value) = local.buffer[position] else { continue };
            let who = TransitionId { thread, edge: None, partner: None, flushed: Some(cell) };
            let root = root.map(|root| root + position);
            if let Some(step) = root.and_then(|root| self.cache.recall(&self.program, root, leaves)) {
                note_recalled(&self.program, leaves, &step, who, moves)?;
                continue;
            }
            let done = self.stepper.take_flush(&self.program, leaves, thread, local, position);
            self.stepper.values.clear();
            self.stepper.values.extend([u64::from(cell.0), value]);
            keep(&mut self.cache, &self.program, &self.stepper, root, done);
            note(&self.stepper, done, who, moves)?;
        }
        Ok(())
    }

    /// The edges of a thread that can be taken; they are remembered from `root` on.
    fn edges(
        &mut self,
        leaves: &[u32],
        thread: usize,
        root: Option<usize>,
        idle: bool,
        moves: &mut Successors,
    ) -> Result<(), CoreError> {
        let code = &self.program.threads[thread];
        let local = &self.locals[thread];
        let (mut rank, before) = (0, moves.enabled());
        for (place, &number) in code.leaving[local.point as usize].iter().enumerate() {
            let edge = &code.edges[number.index()];
            if edge.rank > rank && moves.enabled() > before {
                break;
            }
            rank = edge.rank;
            if edge.idle != idle {
                continue;
            }
            let who = TransitionId { thread, edge: Some(number), partner: None, flushed: None };
            let root = root
                .filter(|_| self.program.is_thread_local[thread][number.index()])
                .map(|root| root + place);
            if let Some(step) = root.and_then(|root| self.cache.recall(&self.program, root, leaves)) {
                note_recalled(&self.program, leaves, &step, who, moves)?;
                continue;
            }
            if !edge.is_open(&local.registers, &mut self.stack) {
                if let Some(root) = root {
                    self.cache.keep(root, &Trace::default(), Effect::Closed, &[]);
                }
                continue;
            }
            match edge.meeting {
                None => loop {
                    let done = self.stepper.take_edge(&self.program, leaves, thread, local, edge);
                    keep(&mut self.cache, &self.program, &self.stepper, root, done);
                    note(&self.stepper, done, who, moves)?;
                    if !self.stepper.has_more_choices() {
                        break;
                    }
                },
                Some(meeting) if meeting.sends => {
                    let meet = Meet {
                        program: &self.program,
                        locals: &self.locals,
                        movers: &self.movers,
                        anybody: self.is_inside,
                        meeting,
                    };
                    meet.all(&mut self.stepper, leaves, who, moves, &mut self.stack)?;
                }
                // It waits for somebody who sends.
                Some(_) => moves.halted.push((thread, None)),
            }
        }
        Ok(())
    }

    /// Whether the process has ended, or all threads have ended, or may stay where they are, and all stores are in
    /// memory, in the state whose moves were asked for last.
    pub(super) fn may_stay(&self) -> bool {
        let mut threads = self.program.threads.iter().zip(&self.locals);
        if threads.any(|(thread, local)| local.started && thread.exits[local.point as usize]) {
            return true;
        }
        self.program.threads.iter().zip(&self.locals).all(|(thread, local)| {
            let point = local.point as usize;
            let may_stay = thread.leaving[point].is_empty() || thread.ends[point];
            !local.started || (local.buffer.is_empty() && may_stay)
        })
    }

    /// Whether every thread that was started has ended and all stores are in memory, in the state whose moves were
    /// asked for last.
    pub(super) fn is_final(&self) -> bool {
        self.program.threads.iter().zip(&self.locals).all(|(thread, local)| {
            let is_empty = local.buffer.is_empty();
            !local.started || (thread.leaving[local.point as usize].is_empty() && is_empty)
        })
    }

    /// Where the threads are in the state whose moves were asked for last.
    pub(super) fn points(&self) -> Points {
        self.locals.iter().map(|local| if local.started { local.point } else { NOWHERE }).collect()
    }

    /// What the terms of final states are in the state whose moves were asked for last.
    pub(super) fn terms(&self, leaves: &[u32]) -> Vec<u64> {
        let value = |term: &Term| match *term {
            Term::Register(thread, register) => self.locals[thread.index()].registers[register.index()],
            Term::Cell(cell) => self.program.layout[cell.index()].get(leaves),
        };
        self.program.terms.iter().map(value).collect()
    }

    /// Whether a predicate is true of the state whose moves were asked for last.
    pub(super) fn holds(&mut self, predicate: usize, leaves: &[u32]) -> bool {
        let Predicate { reads, expression } = &self.program.predicates[predicate];
        self.seen.clear();
        for read in reads {
            self.seen.push(match read {
                Observable::Cell(cell) => {
                    let word = self.program.layout[cell.index()].get(leaves);
                    let known = self.program.cells[cell.index()];
                    sign_extend(word, if known.signed { 8 * known.size } else { 0 })
                }
                Observable::Register(thread, register) => {
                    self.locals[thread.index()].registers[register.index()]
                }
                Observable::At(thread, points) => {
                    let local = &self.locals[thread.index()];
                    u64::from(local.started && points[local.point as usize])
                }
            });
        }
        expression.evaluate(&self.seen, &mut self.stack) != 0
    }
}

/// Positions of the entries that may reach memory next.
fn flushable(program: &Program, local: &ThreadState) -> Vec<usize> {
    let mut positions: Vec<usize> = Vec::new();
    for (position, entry) in local.buffer.iter().enumerate() {
        match *entry {
            Entry::Barrier => break,
            Entry::Start(_) => {}
            Entry::Store(cell, _) => {
                if !positions.iter().any(|&other| local.buffer[other].cell() == Some(cell)) {
                    positions.push(position);
                }
                if program.discipline != BufferKind::Pso {
                    break;
                }
            }
        }
    }
    positions
}

/// A sender that looks for somebody who receives at once.
struct Meet<'s> {
    program: &'s Program,
    locals: &'s [ThreadState],
    movers: &'s [bool],
    /// Whether it meets any thread that was started, as from inside an atomic block.
    anybody: bool,
    meeting: Meeting,
}

impl Meet<'_> {
    /// Every step in which somebody receives what is sent.
    fn all(
        &self,
        stepper: &mut Stepper,
        leaves: &[u32],
        who: TransitionId,
        moves: &mut Successors,
        stack: &mut Vec<u64>,
    ) -> Result<(), CoreError> {
        let Some(sending) = who.edge else { return Ok(()) };
        let code = &self.program.threads[who.thread];
        let sender = (who.thread, &self.locals[who.thread], &code.edges[sending.index()]);
        for (other, local) in self.locals.iter().enumerate() {
            let meets_itself = other == who.thread;
            let may_move = self.movers[other] || (self.anybody && local.started);
            if !may_move || meets_itself {
                continue;
            }
            let code = &self.program.threads[other];
            for &number in &code.leaving[local.point as usize] {
                let edge = &code.edges[number.index()];
                let receives = |partner_values: Meeting| {
                    !partner_values.sends && partner_values.channel == self.meeting.channel
                };
                if !edge.meeting.is_some_and(receives) || !edge.is_open(&local.registers, stack) {
                    continue;
                }
                let who = TransitionId { partner: Some((other, number)), ..who };
                loop {
                    let position = self.meeting.position;
                    let done = stepper.take_meeting(self.program, leaves, sender, (other, edge), position);
                    note(stepper, done, who, moves)?;
                    if !stepper.has_more_choices() {
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}
