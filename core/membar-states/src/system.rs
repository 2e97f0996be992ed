//! States of a program and their successors.

use std::sync::Arc;

use membar_ir::error::CoreError;
use membar_ir::program::{Meeting, Observable, Predicate, Term};
use membar_step::sign_extend;

use super::cache::{SuccessorCache, UNKNOWN};
use super::goals::{NOWHERE, Points};
use super::local_steps::{Part, Parts, Step, StepKind};
use super::program::Program;
use super::stepper::Stepper;
use super::successors::{Successors, TransitionId, note, note_recalled, too_many};
use super::thread_state::{Entry, ThreadState};

/// A program that can be run.
#[derive(Debug)]
pub struct System {
    /// The program.
    pub program: Arc<Program>,
    pub(super) stepper: Stepper,
    cache: SuccessorCache,
    parts: Parts,
    /// The parts of all threads in the state at hand, and their numbers.
    current: Vec<Part>,
    numbers: Vec<Option<u32>>,
    /// The same, written out as far as somebody wanted to know: which numbers these have.
    locals: Vec<ThreadState>,
    decoded: Vec<Option<u32>>,
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
        let count = program.threads.len();
        let cache = SuccessorCache::new(&program.leaf_order());
        let has_idle_edges = program.threads.iter().any(|thread| thread.edges.iter().any(|edge| edge.idle));
        Self {
            program,
            stepper,
            cache,
            parts: Parts::new(count),
            current: vec![Part::default(); count],
            numbers: vec![None; count],
            locals: vec![ThreadState::default(); count],
            decoded: vec![None; count],
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

    /// The program, and the parts of all threads in the state whose moves were asked for last.
    pub(super) fn locals(&mut self) -> (&Program, &[ThreadState]) {
        for thread in 0..self.current.len() {
            self.decode(thread);
        }
        (&self.program, &self.locals)
    }

    /// Number of words of a state.
    #[must_use]
    pub fn leaves(&self) -> usize {
        self.program.words + self.program.threads.len() + self.program.channels.len()
    }

    /// Bytes held by parts of states, and by what is remembered of their steps.
    pub(super) fn bytes(&self) -> usize {
        let parts = self.stepper.locals.iter().chain(&self.stepper.contents);
        let parts = parts.map(super::components::ComponentTable::bytes).sum::<usize>();
        parts + self.cache.bytes() + self.parts.bytes()
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
        if self.cache.begins_anew() {
            self.parts.forget_roots();
        }
        self.open(leaves);
        self.find_movers();
        for thread in 0..self.current.len() {
            let part = self.current[thread];
            if part.is_started && !self.is_inside {
                for place in part.flushes.0..part.flushes.1 {
                    self.flush(leaves, thread, place, moves)?;
                }
            }
            if self.movers[thread] {
                self.edges(leaves, thread, false, moves)?;
            }
        }
        if self.has_idle_edges && moves.is_stuck() {
            for thread in 0..self.current.len() {
                if self.movers[thread] {
                    self.edges(leaves, thread, true, moves)?;
                }
            }
        }
        Ok(())
    }

    /// The same with all values that steps read and choose: no step is recalled.
    pub(super) fn moves_in_full(&mut self, leaves: &[u32], moves: &mut Successors) -> Result<(), CoreError> {
        self.cache.recalls = false;
        let found = self.moves(leaves, moves);
        self.cache.recalls = true;
        found
    }

    /// Whether, in the state whose moves were asked for last, a thread is inside an atomic block: nobody sees such a
    /// state but this thread.
    pub(super) fn is_inside(&self) -> bool {
        self.is_inside
    }

    /// Finds the threads that may take an edge: one inside an atomic block, if there is one; else those at committed
    /// points, if there are any; else all.
    fn find_movers(&mut self) {
        let inside = self.current.iter().position(|part| part.is_started && part.is_atomic);
        self.is_inside = inside.is_some();
        let is_committed = |part: &Part| part.is_started && part.is_committed;
        let has_committed = self.current.iter().any(is_committed);
        self.movers.clear();
        self.movers.extend(self.current.iter().enumerate().map(|(thread, part)| match inside {
            Some(inside) => thread == inside,
            None if has_committed => is_committed(part),
            None => part.is_started,
        }));
    }

    /// Finds out what is known of the parts of all threads.
    fn open(&mut self, leaves: &[u32]) {
        for thread in 0..self.current.len() {
            let number = leaves[self.program.words + thread];
            if self.numbers[thread] == Some(number) {
                continue;
            }
            self.numbers[thread] = Some(number);
            self.current[thread] = if let Some(part) = self.parts.get(thread, number) {
                part
            } else {
                self.decode(thread);
                self.parts.add(&self.program, thread, number, &self.locals[thread], &mut self.stack)
            };
        }
    }

    /// Reads the part that a thread has in the state at hand.
    fn decode(&mut self, thread: usize) {
        let part = (thread, self.numbers[thread]);
        decode(&self.program, &self.stepper, part, &mut self.decoded[thread], &mut self.locals[thread]);
    }

    /// A flush of a thread's buffer.
    fn flush(
        &mut self,
        leaves: &[u32],
        thread: usize,
        place: u32,
        moves: &mut Successors,
    ) -> Result<(), CoreError> {
        let part = self.current[thread];
        let Step { kind, root } = self.parts.step(thread, &part, place);
        let StepKind::Flush(position, cell) = kind else { return Ok(()) };
        let who = TransitionId { thread, edge: None, partner: None, flushed: Some(cell) };
        if let Some(step) = self.cache.recall(root, leaves) {
            return note_recalled(leaves, &step, who, moves);
        }
        self.decode(thread);
        let local = &self.locals[thread];
        let position = position as usize;
        let value = if let Entry::Store(_, value) = local.buffer[position] { value } else { 0 };
        let done = self.stepper.take_flush(&self.program, leaves, thread, local, position);
        self.stepper.values.clear();
        self.stepper.values.extend([u64::from(cell.0), value]);
        let root = self.cache.keep(root, &self.stepper, done);
        self.parts.set_root(&part, place, root);
        note(&self.stepper, leaves, done, who, moves)
    }

    /// The edges of a thread that can be taken.
    fn edges(
        &mut self,
        leaves: &[u32],
        thread: usize,
        idle: bool,
        moves: &mut Successors,
    ) -> Result<(), CoreError> {
        let part = self.current[thread];
        let (mut rank, before) = (0, moves.enabled());
        if let Some(joint) = part.joint
            && (idle || self.recall_all(leaves, thread, joint, moves)?)
        {
            return Ok(());
        }
        for place in part.edges.0..part.edges.1 {
            let Step { kind, root } = self.parts.step(thread, &part, place);
            let StepKind::Edge(number) = kind else { continue };
            let edge = &self.program.threads[thread].edges[number.index()];
            if edge.meeting.is_some_and(|meeting| !meeting.sends) {
                moves.halted.push((thread, None)); // somebody may yet come to meet it
                continue;
            }
            if edge.rank > rank && moves.enabled() > before {
                break;
            }
            rank = edge.rank;
            if edge.idle != idle {
                continue;
            }
            let who = TransitionId { thread, edge: Some(number), partner: None, flushed: None };
            match edge.meeting {
                None => {
                    if let Some(step) = self.cache.recall(root, leaves) {
                        note_recalled(leaves, &step, who, moves)?;
                    } else {
                        self.take_edge(leaves, who, (&part, place, root), moves)?;
                    }
                }
                Some(meeting) => {
                    moves.halted.push((thread, None));
                    self.meet(leaves, who, meeting, (&part, place, root), moves)?;
                }
            }
        }
        if let Some(joint) = part.joint {
            let edges = (part.edges.0..part.edges.1).filter_map(|place| {
                let Step { kind, root } = self.parts.step(thread, &part, place);
                let StepKind::Edge(number) = kind else { return None };
                Some((number, root))
            });
            self.cache.keep_all(joint, edges, leaves);
        }
        Ok(())
    }

    /// Looks up all edges of a thread at once; whether they are known.
    fn recall_all(
        &mut self,
        leaves: &[u32],
        thread: usize,
        joint: u32,
        moves: &mut Successors,
    ) -> Result<bool, CoreError> {
        let Some(steps) = self.cache.recall_all(joint, leaves) else { return Ok(false) };
        for (number, step) in self.cache.active(&steps) {
            let who = TransitionId { thread, edge: Some(number), partner: None, flushed: None };
            note_recalled(leaves, &step, who, moves)?;
        }
        moves.halted.extend(self.cache.waiting(&steps).map(|number| (thread, Some(number))));
        Ok(true)
    }

    /// Takes an edge, with every combination of choices; what is known of its step is at `known`.
    fn take_edge(
        &mut self,
        leaves: &[u32],
        who: TransitionId,
        known: (&Part, u32, u32),
        moves: &mut Successors,
    ) -> Result<(), CoreError> {
        let (Some(number), (part, place, root)) = (who.edge, known) else { return Ok(()) };
        self.decode(who.thread);
        let edge = &self.program.threads[who.thread].edges[number.index()];
        loop {
            let local = &self.locals[who.thread];
            let done = self.stepper.take_edge(&self.program, leaves, who.thread, local, edge);
            if self.program.is_remembered[who.thread][number.index()] {
                let root = self.cache.keep(root, &self.stepper, done);
                self.parts.set_root(part, place, root);
            }
            note(&self.stepper, leaves, done, who, moves)?;
            if !self.stepper.has_more_choices() {
                return Ok(());
            }
        }
    }

    /// Every step in which somebody receives what a thread sends without room in between: of a receiver's edges, those
    /// of a larger rank only where none of a smaller one can. What is known of such steps is found, below the root of
    /// the sender's, by receiver and edge.
    fn meet(
        &mut self,
        leaves: &[u32],
        who: TransitionId,
        meeting: Meeting,
        known: (&Part, u32, u32),
        moves: &mut Successors,
    ) -> Result<(), CoreError> {
        let (Some(sending), (part, place, mut root)) = (who.edge, known) else { return Ok(()) };
        if root == UNKNOWN && part.is_kept() {
            root = self.cache.add_node(&[self.program.part_of(who.thread)]);
            self.parts.set_root(part, place, root);
        }
        self.decode(who.thread);
        for other in 0..self.current.len() {
            let partner = self.current[other];
            let may_move = self.movers[other] || (self.is_inside && partner.is_started);
            if !may_move || other == who.thread {
                continue;
            }
            let (mut rank, before) = (0, moves.enabled());
            for place in partner.edges.0..partner.edges.1 {
                let StepKind::Edge(number) = self.parts.step(other, &partner, place).kind else { continue };
                let edge = &self.program.threads[other].edges[number.index()];
                let fits = |other: Meeting| !other.sends && other.channel == meeting.channel;
                if !edge.meeting.is_some_and(fits) {
                    continue;
                }
                if edge.rank > rank && moves.enabled() > before {
                    break;
                }
                rank = edge.rank;
                let who = TransitionId { partner: Some((other, number)), ..who };
                let key = (other as u64) << 32 | u64::from(number.0);
                let known = self.cache.next(root, key);
                if let Some(step) = self.cache.recall(known, leaves) {
                    note_recalled(leaves, &step, who, moves)?;
                    continue;
                }
                let local = &self.locals[who.thread];
                let code = &self.program.threads[who.thread];
                let sender = (who.thread, local, &code.edges[sending.index()]);
                let is_remembered = root != UNKNOWN
                    && self.program.is_remembered[who.thread][sending.index()]
                    && self.program.is_remembered[other][number.index()];
                loop {
                    let receiver = (other, edge);
                    let program = &self.program;
                    let done = self.stepper.take_meeting(program, leaves, sender, receiver, meeting.position);
                    if is_remembered {
                        let below = self.cache.keep(known, &self.stepper, done);
                        self.cache.set_next(root, key, below);
                    }
                    note(&self.stepper, leaves, done, who, moves)?;
                    if !self.stepper.has_more_choices() {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether the process has ended, or all threads have ended, or may stay where they are, and all stores are in
    /// memory, in the state whose moves were asked for last.
    pub(super) fn may_stay(&self) -> bool {
        self.current.iter().any(|part| part.is_started && part.exits)
            || self
                .current
                .iter()
                .all(|part| !part.is_started || (part.is_drained && (part.has_ended || part.may_stay)))
    }

    /// Whether every thread that was started has ended and all stores are in memory, in the state whose moves were
    /// asked for last.
    pub(super) fn is_final(&self) -> bool {
        self.current.iter().all(|part| !part.is_started || (part.has_ended && part.is_drained))
    }

    /// Where the threads are in the state whose moves were asked for last.
    pub(super) fn points(&self) -> Points {
        self.current.iter().map(|part| if part.is_started { part.point } else { NOWHERE }).collect()
    }

    /// What the terms of final states are in the state whose moves were asked for last.
    pub(super) fn terms(&mut self, leaves: &[u32]) -> Vec<u64> {
        let (program, locals) = self.locals();
        let value = |term: &Term| match *term {
            Term::Register(thread, register) => locals[thread.index()].registers[register.index()],
            Term::Cell(cell) => program.layout[cell.index()].get(leaves),
        };
        program.terms.iter().map(value).collect()
    }

    /// Whether a predicate is true of the state whose moves were asked for last.
    pub(super) fn holds(&mut self, predicate: usize, leaves: &[u32]) -> bool {
        let Self { program, stepper, current, numbers, locals, decoded, seen, stack, .. } = self;
        let Predicate { reads, expression } = &program.predicates[predicate];
        seen.clear();
        for read in reads {
            let value = match read {
                Observable::Cell(cell) => {
                    let word = program.layout[cell.index()].get(leaves);
                    let known = program.cells[cell.index()];
                    sign_extend(word, if known.signed { 8 * known.size } else { 0 })
                }
                Observable::Register(thread, register) => {
                    let thread = thread.index();
                    decode(
                        program,
                        stepper,
                        (thread, numbers[thread]),
                        &mut decoded[thread],
                        &mut locals[thread],
                    );
                    locals[thread].registers[register.index()]
                }
                Observable::At(thread, points) => {
                    let part = &current[thread.index()];
                    u64::from(part.is_started && points[part.point as usize])
                }
            };
            seen.push(value);
        }
        expression.evaluate(seen, stack) != 0
    }
}

/// Reads a part of a thread into `local`, unless it is the one that was `decoded` there.
fn decode(
    program: &Program,
    stepper: &Stepper,
    (thread, part): (usize, Option<u32>),
    decoded: &mut Option<u32>,
    local: &mut ThreadState,
) {
    if *decoded != part
        && let Some(number) = part
    {
        *decoded = part;
        stepper.decode_part(program, thread, number, local);
    }
}
