//! The states of a program and all that can happen in each of them.

use crate::error::CoreError;
use crate::program::{CellId, EdgeId, Term};

use super::fault::Fault;
use super::local::{Entry, Local};
use super::program::{Discipline, Edge, Meeting, Predicate, Program, Seen, Thread};
use super::step::{Bench, Halt};

/// A possible step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// Who moves.
    pub thread: usize,
    /// The edge taken; None for a flush.
    pub edge: Option<EdgeId>,
    /// Who receives at once what is sent in it, and on which edge.
    pub partner: Option<(usize, EdgeId)>,
    /// For a flush, the cell.
    pub flushed: Option<CellId>,
    /// Whether an assertion fails in it: then it leads nowhere.
    pub failed: bool,
    /// Where, in `Moves`, the state that it leads to begins.
    after: usize,
    /// The values read and chosen, in `Moves`; behind them those of the partner.
    made: (usize, usize, usize),
}

/// All that can happen in a state, and what kept the rest from happening.
#[derive(Debug, Default)]
pub(super) struct Moves {
    pub(super) list: Vec<Move>,
    afters: Vec<u32>,
    made: Vec<u64>,
    /// Whether the bound held a store back.
    pub(super) held: bool,
    /// By whom.
    pub(super) held_by: Vec<usize>,
    /// An edge whose stores do not fit into an empty buffer.
    pub(super) unfit: Option<(usize, EdgeId)>,
    /// Threads of which some edge with an open guard was not taken, for whatever reason.
    halted: Vec<usize>,
    /// Whether an assumption failed.
    pub(super) blocked: bool,
    /// An access that hits no location.
    pub(super) fault: Option<(usize, EdgeId)>,
}

impl Moves {
    fn clear(&mut self) {
        self.list.clear();
        self.afters.clear();
        self.made.clear();
        self.held_by.clear();
        self.halted.clear();
        (self.held, self.blocked) = (false, false);
        (self.unfit, self.fault) = (None, None);
    }

    /// Whether some edge of a thread, with an open guard, was not taken.
    pub(super) fn halted_by(&self, thread: usize) -> bool {
        self.halted.contains(&thread)
    }

    /// The state that a move leads to.
    pub(super) fn after(&self, step: &Move, leaves: usize) -> &[u32] {
        &self.afters[step.after..step.after + leaves]
    }

    /// The values read and chosen in a move, or the cell and the value flushed.
    pub(super) fn made(&self, step: &Move) -> &[u64] {
        &self.made[step.made.0..step.made.1]
    }

    /// The values read and chosen by who received in a move.
    pub(super) fn theirs(&self, step: &Move) -> &[u64] {
        &self.made[step.made.1..step.made.2]
    }
}

/// A program that can be run.
#[derive(Debug)]
pub struct System {
    /// The program.
    pub program: Program,
    pub(super) bench: Bench,
    /// The parts of all threads in the state at hand.
    locals: Vec<Local>,
    /// Per thread, whether it may take an edge there.
    movers: Vec<bool>,
    seen: Vec<u64>,
    stack: Vec<u64>,
}

impl System {
    /// Makes a program ready; with a `fault`, for tests, not quite as it should be.
    #[must_use]
    pub fn new(program: Program, fault: Fault) -> Self {
        let bench = Bench::new(&program, fault);
        let locals = program.threads.iter().map(|_| Local::default()).collect();
        Self { program, bench, locals, movers: Vec::new(), seen: Vec::new(), stack: Vec::new() }
    }

    /// The same program for several threads, which name parts of states in the same way.
    pub(super) fn shared(self, count: usize) -> Vec<Self> {
        let (program, fault) = (self.program, self.bench.fault);
        let mut all: Vec<Self> = (0..count).map(|_| Self::new(program.clone(), fault)).collect();
        for (thread, strings) in self.bench.locals.into_iter().enumerate() {
            for (system, copy) in all.iter_mut().zip(strings.shared(count)) {
                system.bench.locals[thread] = copy;
            }
        }
        for (channel, strings) in self.bench.contents.into_iter().enumerate() {
            for (system, copy) in all.iter_mut().zip(strings.shared(count)) {
                system.bench.contents[channel] = copy;
            }
        }
        all
    }

    /// The parts of all threads in the state whose moves were asked for last.
    pub(super) fn locals(&self) -> &[Local] {
        &self.locals
    }

    /// Number of words of a state.
    #[must_use]
    pub fn leaves(&self) -> usize {
        self.program.words + self.program.threads.len() + self.program.channels.len()
    }

    /// Bytes held by parts of states.
    pub(super) fn bytes(&self) -> usize {
        self.bench.locals.iter().chain(&self.bench.contents).map(super::store::Strings::bytes).sum()
    }

    /// The state in which every run begins.
    pub(super) fn initial(&mut self) -> Result<Vec<u32>, CoreError> {
        let mut leaves = vec![0; self.program.words];
        for cell in &self.program.cells {
            cell.set(&mut leaves, cell.initial);
        }
        for (number, thread) in self.program.threads.iter().enumerate() {
            let mut local = Local {
                born: thread.started,
                point: thread.entry,
                registers: thread.registers.clone(),
                ..Local::default()
            };
            // A thread that is never started shows at the end what it has now.
            for register in thread.cleared[thread.entry as usize].iter().filter(|_| thread.started) {
                local.registers[register.index()] = 0;
            }
            leaves.push(self.bench.number_of(number, &local).ok_or_else(too_many)?);
        }
        for channel in 0..self.program.channels.len() {
            leaves.push(self.bench.number_of_contents(channel, &[0]).ok_or_else(too_many)?);
        }
        Ok(leaves)
    }

    /// All that can happen in the state `leaves`.
    pub(super) fn moves(&mut self, leaves: &[u32], moves: &mut Moves) -> Result<(), CoreError> {
        moves.clear();
        self.open(leaves);
        self.find_movers();
        for thread in 0..self.locals.len() {
            if self.locals[thread].born {
                self.flushes(leaves, thread, moves)?;
            }
            if self.movers[thread] {
                self.edges(leaves, thread, moves)?;
            }
        }
        Ok(())
    }

    /// Finds the threads that may take an edge: those at committed points, if there are any, else all.
    fn find_movers(&mut self) {
        let fault = self.bench.fault;
        self.movers.clear();
        self.movers.extend(self.locals.iter().map(|local| local.born || fault == Fault::UnbornThreadsMove));
        let threads = self.program.threads.iter().zip(&self.locals);
        let is_committed =
            |(thread, local): (&Thread, &Local)| local.born && thread.committed[local.point as usize];
        if threads.clone().any(is_committed) && fault != Fault::CommittedIgnored {
            self.movers.clear();
            self.movers.extend(threads.map(is_committed));
        }
    }

    /// Reads the parts of all threads.
    fn open(&mut self, leaves: &[u32]) {
        for (thread, local) in self.locals.iter_mut().enumerate() {
            self.bench.read_local(&self.program, leaves, thread, local);
        }
    }

    fn flushes(&mut self, leaves: &[u32], thread: usize, moves: &mut Moves) -> Result<(), CoreError> {
        let local = &self.locals[thread];
        if local.buffer.is_empty() {
            return Ok(());
        }
        let (positions, fault) = (flushable(&self.program, local, self.bench.fault), self.bench.fault);
        for position in positions {
            let position = if fault == Fault::FlushFromTheBack { local.buffer.len() - 1 } else { position };
            let Entry::Store(cell, value) = local.buffer[position] else { continue };
            let done = self.bench.take_flush(&self.program, leaves, thread, local, position);
            self.bench.made.clear();
            self.bench.made.extend([u64::from(cell.0), value]);
            let who = Who { thread, edge: None, partner: None, flushed: Some(cell) };
            note(&self.bench, done, who, moves)?;
        }
        Ok(())
    }

    fn edges(&mut self, leaves: &[u32], thread: usize, moves: &mut Moves) -> Result<(), CoreError> {
        let code = &self.program.threads[thread];
        let local = &self.locals[thread];
        for &number in &code.leaving[local.point as usize] {
            let edge = &code.edges[number.index()];
            if !is_open(edge, local, &mut self.stack) {
                continue;
            }
            let who = Who { thread, edge: Some(number), partner: None, flushed: None };
            match edge.meeting {
                None => loop {
                    let done = self.bench.take_edge(&self.program, leaves, thread, local, edge);
                    note(&self.bench, done, who, moves)?;
                    if !self.bench.has_more_choices() {
                        break;
                    }
                },
                Some(meeting) if meeting.sends => {
                    let meet =
                        Meet { program: &self.program, locals: &self.locals, movers: &self.movers, meeting };
                    meet.all(&mut self.bench, leaves, who, moves, &mut self.stack)?;
                }
                // It waits for somebody who sends.
                Some(_) => moves.halted.push(thread),
            }
            if self.bench.fault == Fault::OneEdgePerPoint {
                break;
            }
        }
        Ok(())
    }

    /// Whether all have ended, or may stay where they are, and all stores are in memory, in the state whose moves were
    /// asked for last.
    pub(super) fn may_stay(&self) -> bool {
        self.program.threads.iter().zip(&self.locals).all(|(thread, local)| {
            let point = local.point as usize;
            let may_stay = thread.leaving[point].is_empty() || thread.ends[point];
            !local.born || (local.buffer.is_empty() && may_stay)
        })
    }

    /// Whether every thread that was started has ended and all stores are in memory, in the state whose moves were
    /// asked for last.
    pub(super) fn is_final(&self) -> bool {
        let fault = self.bench.fault;
        self.program.threads.iter().zip(&self.locals).all(|(thread, local)| {
            let is_empty = local.buffer.is_empty() || fault == Fault::FinalWithFullBuffers;
            !local.born || (thread.leaving[local.point as usize].is_empty() && is_empty)
        })
    }

    /// Whether some thread that was started has ended.
    pub(super) fn has_ended(&self) -> bool {
        let threads = self.program.threads.iter().zip(&self.locals);
        threads
            .into_iter()
            .any(|(thread, local)| local.born && thread.leaving[local.point as usize].is_empty())
    }

    /// What the terms of final states are in the state whose moves were asked for last.
    pub(super) fn terms(&self, leaves: &[u32]) -> Vec<u64> {
        let value = |term: &Term| match *term {
            Term::Register(thread, register) => self.locals[thread.index()].registers[register.index()],
            Term::Cell(cell) => self.program.cells[cell.index()].get(leaves),
        };
        self.program.terms.iter().map(value).collect()
    }

    /// Whether a predicate is true of the state whose moves were asked for last.
    pub(super) fn holds(&mut self, predicate: usize, leaves: &[u32]) -> bool {
        let Predicate { seen, expression } = &self.program.predicates[predicate];
        self.seen.clear();
        for seen in seen {
            self.seen.push(match seen {
                Seen::Cell(cell) => {
                    let place = self.program.cells[cell.index()];
                    let word = place.get(leaves);
                    let shift = if place.signed { 64 - 8 * place.size } else { 0 };
                    ((word << shift).cast_signed() >> shift).cast_unsigned()
                }
                Seen::Register(thread, register) => self.locals[thread.index()].registers[register.index()],
                Seen::At(thread, points) => {
                    let local = &self.locals[thread.index()];
                    u64::from(local.born && points[local.point as usize])
                }
            });
        }
        expression.evaluate(&self.seen, &mut self.stack) != 0
    }
}

/// Positions of the entries that may reach memory next.
fn flushable(program: &Program, local: &Local, fault: Fault) -> Vec<usize> {
    let mut positions: Vec<usize> = Vec::new();
    for (position, entry) in local.buffer.iter().enumerate() {
        match *entry {
            Entry::Barrier if fault == Fault::FlushOverBarrier => {}
            Entry::Barrier => break,
            Entry::Birth(_) => {}
            Entry::Store(cell, _) => {
                if !positions.iter().any(|&other| local.buffer[other].cell() == Some(cell)) {
                    positions.push(position);
                }
                if program.discipline != Discipline::Pso {
                    break;
                }
            }
        }
    }
    positions
}

fn is_open(edge: &Edge, local: &Local, stack: &mut Vec<u64>) -> bool {
    edge.guard.as_ref().is_none_or(|guard| guard.evaluate(&local.registers, stack) != 0)
}

/// A sender that looks for somebody who receives at once.
struct Meet<'s> {
    program: &'s Program,
    locals: &'s [Local],
    movers: &'s [bool],
    meeting: Meeting,
}

impl Meet<'_> {
    /// Every step in which somebody receives what is sent.
    fn all(
        &self,
        bench: &mut Bench,
        leaves: &[u32],
        who: Who,
        moves: &mut Moves,
        stack: &mut Vec<u64>,
    ) -> Result<(), CoreError> {
        let Some(sending) = who.edge else { return Ok(()) };
        let code = &self.program.threads[who.thread];
        let sender = (who.thread, &self.locals[who.thread], &code.edges[sending.index()]);
        for (other, local) in self.locals.iter().enumerate() {
            let meets_itself = other == who.thread && bench.fault != Fault::MeetsItself;
            if !self.movers[other] || meets_itself {
                continue;
            }
            let code = &self.program.threads[other];
            for &number in &code.leaving[local.point as usize] {
                let edge = &code.edges[number.index()];
                let receives = |theirs: Meeting| !theirs.sends && theirs.channel == self.meeting.channel;
                if !edge.meeting.is_some_and(receives) || !is_open(edge, local, stack) {
                    continue;
                }
                let who = Who { partner: Some((other, number)), ..who };
                loop {
                    let position = self.meeting.position;
                    let done = bench.take_meeting(self.program, leaves, sender, (other, edge), position);
                    note(bench, done, who, moves)?;
                    if !bench.has_more_choices() {
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Whose step it is.
#[derive(Debug, Clone, Copy)]
struct Who {
    thread: usize,
    edge: Option<EdgeId>,
    partner: Option<(usize, EdgeId)>,
    flushed: Option<CellId>,
}

impl Who {
    /// The edge of one of the threads whose step it is.
    fn edge_of(self, thread: usize) -> Option<(usize, EdgeId)> {
        let own = self.edge.map(|edge| (self.thread, edge));
        own.into_iter().chain(self.partner).find(|&(who, _)| who == thread)
    }
}

/// Takes down what came of a step.
fn note(bench: &Bench, done: Result<(), Halt>, who: Who, moves: &mut Moves) -> Result<(), CoreError> {
    let Who { thread, edge, partner, flushed } = who;
    let failed = match done {
        Ok(()) => false,
        Err(Halt::Failed) => true,
        Err(halt) => {
            moves.halted.push(thread);
            match halt {
                Halt::Held | Halt::Unfit => {
                    moves.held = true;
                    moves.held_by.push(thread);
                    if halt == Halt::Unfit {
                        moves.unfit = moves.unfit.or(who.edge_of(bench.thread));
                    }
                }
                Halt::Blocked => moves.blocked = true,
                Halt::Fault => moves.fault = moves.fault.or(edge.map(|edge| (thread, edge))),
                Halt::Refused(what) => return Err(CoreError::Unsupported(what)),
                Halt::Full => return Err(too_many()),
                Halt::Waits | Halt::Failed => {}
            }
            return Ok(());
        }
    };
    let after = moves.afters.len();
    if !failed {
        moves.afters.extend_from_slice(&bench.leaves);
    }
    let made = moves.made.len();
    moves.made.extend_from_slice(&bench.made);
    let theirs = moves.made.len();
    moves.made.extend_from_slice(&bench.theirs);
    let made = (made, theirs, moves.made.len());
    moves.list.push(Move { thread, edge, partner, flushed, failed, after, made });
    Ok(())
}

pub(super) fn too_many() -> CoreError {
    CoreError::TooLarge("more than 4 billion states")
}
