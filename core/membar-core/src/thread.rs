//! One thread on its own: run until it must choose, then go on with each choice.
//!
//! The meaning is that of `engines/reference/threads.py`. A run carries, for each register, the reads that its value
//! comes from, and the reads that decided the path so far; from these come the address, data and control
//! dependencies. What the guards of a branch decide is forgotten where the program says that its paths meet again. A run is determined by its choices: values read, values chosen, edges where several are open, the
//! status of store-conditionals, and whether a join passes.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::error::CoreError;
use crate::expr::{Expr, Register};
use crate::origins::Origins;
use crate::plan::Primitive;
use crate::program::{CellId, EdgeId, Operation, Program, Rmw, TagSet, Thread, ThreadId};
use crate::small_set::SmallSet;
use crate::stateless::fault::Fault;
use crate::waiting::{Between, Control, Deeds, Visit};

/// More values than this are not enumerated.
const WIDEST_CHOICE: u64 = 1 << 16;

/// Local turns of one loop in one run.
const LONGEST_LOOP: u32 = 1 << 12;

/// What an event does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Kind {
    Read,
    Write,
    Fence,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// At a final control point.
    Complete,
    /// An assumption failed, no guard is open, or it waits for a thread for ever.
    Blocked,
    /// After a turn of a loop that only looked; it would look again.
    Waiting,
    /// By the loop bound.
    Cut,
    /// An assertion failed.
    Failed,
    /// It accessed what is no location.
    Fault,
    /// No spawn started it.
    Unborn,
}

/// An event without its value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Event {
    /// What it does.
    pub kind: Kind,
    /// Where; None for fences that name no location.
    pub cell: Option<CellId>,
    /// Its tags.
    pub tags: TagSet,
    /// Which edge occurrence of the run it belongs to.
    pub step: u32,
    /// The edge itself.
    pub edge: EdgeId,
    /// Reads of the thread that decide its address.
    pub address: Origins,
    /// Reads of the thread that decide its value.
    pub data: Origins,
    /// Reads of the thread that decide whether it happens.
    pub control: Origins,
}

impl Event {
    /// The reads that a kind of dependency, as a primitive of models, leads from.
    #[must_use]
    pub fn sources(&self, dependency: Primitive) -> &SmallSet {
        match dependency {
            Primitive::Address => &self.address.data,
            Primitive::Data => &self.data.data,
            Primitive::PickAddress => &self.address.pick,
            Primitive::PickData => &self.data.pick,
            Primitive::PickControl => &self.control.pick,
            _ => &self.control.data,
        }
    }
}

/// A spawn or a passed join: it stands before the event at `position`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Turn {
    /// Number of events before it.
    pub position: u32,
    /// The other thread.
    pub thread: ThreadId,
    /// Spawn or join.
    pub is_spawn: bool,
}

/// Everything about a run that models can see, and how it ended; without the values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Skeleton {
    /// How it ended.
    pub status: Status,
    /// In program order.
    pub events: Vec<Event>,
    /// Steps whose accesses are not ordered among themselves.
    pub unordered: Vec<u32>,
    /// Read and write of one instruction.
    pub atomic: Vec<(u32, u32)>,
    /// Exclusive load and the store that closes it.
    pub exclusive: Vec<(u32, u32)>,
    /// Where it started and joined threads.
    pub turns: Vec<Turn>,
    /// The thread it waits for in vain.
    pub waits_for: Option<ThreadId>,
    /// If it waits: the first event of its last turn.
    pub looks_from: Option<u32>,
    /// Where it ended, unless complete: edge and operation.
    pub end: Option<(EdgeId, u32)>,
}

impl Skeleton {
    /// Whether program order goes from event `a` to event `b`, which comes behind it in the list.
    #[must_use]
    pub fn orders(&self, a: usize, b: usize) -> bool {
        let step = self.events[b].step;
        self.events[a].step != step || !self.unordered.contains(&step)
    }
}

/// What a run must choose next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// Nothing: it ended.
    Ended,
    /// The value of a read of this cell.
    Read(CellId),
    /// One of these words.
    OneOf(Vec<u64>),
}

/// What to do with the answer, or before the next question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Resume {
    /// Choose an edge at the control point.
    Point(u32),
    /// Take the edge that is answered.
    Take,
    /// Go on with an operation of the edge.
    Operation,
    /// The operation has asked and gets its answer.
    Answered,
}

/// A run in progress. Cloned where it has several ways to go on.
#[derive(Debug, Clone)]
pub struct Run {
    /// What models can see.
    pub skeleton: Skeleton,
    /// The value of each event; 0 for fences.
    pub values: Vec<u64>,
    /// Current values.
    pub registers: Vec<u64>,
    /// Which registers have been given a value.
    pub defined: SmallSet,
    /// What determines the run.
    pub choices: Vec<u64>,
    /// Whether it waits for something that cannot race.
    pub(crate) is_patient: bool,
    origins: Vec<Origins>,
    control: Control,
    taken: Vec<Turns>,
    open: Vec<(CellId, u32)>,
    deeds: Deeds,
    visits: Vec<Option<Arc<Visit>>>,
    edge: EdgeId,
    operation: u32,
    step: u32,
    cell: CellId,
    resume: Resume,
}

impl Run {
    /// Where it stands when it has asked for a value or waits for a thread: the edge, and the operation that asks.
    #[must_use]
    pub fn place(&self) -> (EdgeId, u32) {
        (self.edge, self.operation)
    }
}

/// How often a back edge was taken. A turn is local if nothing was chosen and no event happened since the last one:
/// such loops only compute, and the bound does not count them; but they may do so for ever.
#[derive(Debug, Clone, Copy, Default)]
struct Turns {
    counted: u32,
    local: u32,
    /// Choices and events up to the last turn.
    seen: usize,
}

/// A run that ends early.
struct End(Status);

/// Why an operation did not finish.
enum Interrupt {
    Ask(Question),
    End(Status),
    Error(CoreError),
}

impl From<End> for Interrupt {
    fn from(end: End) -> Self {
        Self::End(end.0)
    }
}

/// What a run needs beside itself.
#[derive(Debug)]
pub struct Machine<'a> {
    program: &'a Program,
    thread: &'a Thread,
    /// How often each back edge may be taken.
    bound: u32,
    stack: Vec<u64>,
    /// The steps at which runs that wait look first.
    pub(crate) waits: BTreeSet<EdgeId>,
    /// The steps that close loops which were cut.
    pub(crate) cuts: BTreeSet<EdgeId>,
    /// For tests only.
    pub(crate) fault: Fault,
}

impl<'a> Machine<'a> {
    /// For the runs of one thread.
    #[must_use]
    pub fn new(program: &'a Program, thread: &'a Thread, bound: u32) -> Self {
        Self {
            program,
            thread,
            bound,
            stack: Vec::new(),
            waits: BTreeSet::new(),
            cuts: BTreeSet::new(),
            fault: Fault::None,
        }
    }

    /// The run that no spawn started.
    #[must_use]
    pub fn unborn(&self) -> Run {
        let mut run = self.begin();
        run.skeleton.status = Status::Unborn;
        run.defined = SmallSet::default();
        run.registers.fill(0); // it has none yet
        run
    }

    /// A run at its beginning.
    #[must_use]
    pub fn begin(&self) -> Run {
        let registers: Vec<u64> =
            self.thread.registers.iter().map(|value| value.unwrap_or_default()).collect();
        let mut defined = SmallSet::default();
        for (number, value) in self.thread.registers.iter().enumerate() {
            if value.is_some() {
                defined.insert(number);
            }
        }
        Run {
            skeleton: Skeleton {
                status: Status::Complete,
                events: Vec::new(),
                unordered: Vec::new(),
                atomic: Vec::new(),
                exclusive: Vec::new(),
                turns: Vec::new(),
                waits_for: None,
                looks_from: None,
                end: None,
            },
            values: Vec::new(),
            origins: vec![Origins::default(); registers.len()],
            registers,
            defined,
            choices: Vec::new(),
            is_patient: false,
            control: Control::default(),
            taken: vec![Turns::default(); self.thread.loops],
            open: Vec::new(),
            deeds: Deeds::default(),
            visits: vec![None; self.thread.watched.iter().flatten().count()],
            edge: EdgeId(0),
            operation: 0,
            step: 0,
            cell: CellId(0),
            resume: Resume::Point(self.thread.entry),
        }
    }

    /// Runs to the next question.
    ///
    /// # Errors
    /// A choice is too wide to enumerate.
    pub fn advance(&mut self, run: &mut Run) -> Result<Question, CoreError> {
        self.go_on(run, 0)
    }

    /// Answers the last question and runs to the next one.
    ///
    /// # Errors
    /// A choice is too wide to enumerate.
    pub fn answer(&mut self, run: &mut Run, answer: u64) -> Result<Question, CoreError> {
        run.choices.push(answer);
        self.go_on(run, answer)
    }

    fn go_on(&mut self, run: &mut Run, answer: u64) -> Result<Question, CoreError> {
        match self.steps(run, answer) {
            Ok(()) => {
                run.skeleton.status = Status::Complete;
                Ok(Question::Ended)
            }
            Err(Interrupt::End(status)) => {
                run.skeleton.status = status;
                run.skeleton.end = Some((run.edge, run.operation));
                Ok(Question::Ended)
            }
            Err(Interrupt::Ask(question)) => Ok(question),
            Err(Interrupt::Error(error)) => Err(error),
        }
    }

    /// Runs until the thread ends, which is `Ok`, or something interrupts it.
    fn steps(&mut self, run: &mut Run, answer: u64) -> Result<(), Interrupt> {
        loop {
            match run.resume {
                Resume::Point(point) => {
                    run.control.arrive(point);
                    self.look_back(run, point)?;
                    let Some(edge) = self.choose_edge(run, point)? else { return Ok(()) };
                    self.take(run, edge)?;
                }
                Resume::Take => {
                    let edge = EdgeId(u32::try_from(answer).unwrap_or_default());
                    self.take(run, edge)?;
                }
                Resume::Operation | Resume::Answered => {
                    let edge = &self.thread.edges[run.edge.index()];
                    let Some(operation) = edge.operations.get(run.operation as usize) else {
                        run.step += 1;
                        run.resume = Resume::Point(edge.target);
                        continue;
                    };
                    let answer = (run.resume == Resume::Answered).then_some(answer);
                    run.resume = Resume::Answered;
                    self.act(run, operation, answer)?;
                    run.resume = Resume::Operation;
                    run.operation += 1;
                }
            }
        }
    }

    /// Ends the run if it is at a watched point and nothing has changed since it was there last.
    fn look_back(&mut self, run: &mut Run, point: u32) -> Result<(), End> {
        let Some(watched) = &self.thread.watched[point as usize] else { return Ok(()) };
        let known =
            |register: &Register| (run.registers[register.index()], run.origins[register.index()].clone());
        let now = Arc::new(Visit {
            events: run.skeleton.events.len(),
            deeds: run.deeds,
            registers: watched.registers.iter().map(known).collect(),
            control: run.control.clone(),
            open: if watched.exclusive { run.open.clone() } else { Vec::new() },
        });
        let visit = &mut run.visits[watched.number as usize];
        let Some(before) = visit.replace(Arc::clone(&now)) else { return Ok(()) };
        match before.between(&now, &run.skeleton.events, watched.single, self.fault) {
            Between::Changes => Ok(()),
            Between::Retry => Err(End(Status::Blocked)),
            Between::Looks => {
                let mut turn = run.skeleton.events[before.events..].iter();
                self.waits.extend(turn.find(|event| event.kind == Kind::Read).map(|event| event.edge));
                run.skeleton.looks_from = Some(number(before.events));
                run.is_patient = !watched.single;
                Err(End(Status::Waiting))
            }
        }
    }

    /// The edge to take at a control point, None at a final one; asks if several are open.
    fn choose_edge(&mut self, run: &mut Run, point: u32) -> Result<Option<EdgeId>, Interrupt> {
        let leaving = &self.thread.leaving[point as usize];
        let Some(&first) = leaving.first() else { return Ok(None) };
        let mut open = Vec::new();
        let mut decisive = Origins::default();
        for &edge in leaving {
            let guard = &self.thread.edges[edge.index()].guard;
            if guard.evaluate(&run.registers, &mut self.stack) != 0 {
                open.push(edge);
            }
            decisive.extend(&run.origins_of(guard, None));
        }
        if !decisive.is_empty() {
            run.control.decide(self.thread.joins[point as usize], &decisive);
        }
        match open[..] {
            [] => {
                run.edge = first;
                run.operation = 0;
                Err(Interrupt::End(Status::Blocked))
            }
            [edge] => Ok(Some(edge)),
            _ => {
                run.resume = Resume::Take;
                run.deeds.effects += 1;
                Err(Interrupt::Ask(Question::OneOf(open.iter().map(|edge| u64::from(edge.0)).collect())))
            }
        }
    }

    fn take(&mut self, run: &mut Run, id: EdgeId) -> Result<(), Interrupt> {
        let edge = &self.thread.edges[id.index()];
        run.edge = id;
        run.operation = 0;
        if let Some(turns) = edge.closes.and_then(|closed| run.taken.get_mut(closed as usize)) {
            let now = run.choices.len() + run.values.len();
            let (count, most) = if now == turns.seen {
                (&mut turns.local, LONGEST_LOOP)
            } else {
                (&mut turns.counted, self.bound)
            };
            if *count == most {
                self.cuts.insert(id);
                return Err(Interrupt::End(Status::Cut));
            }
            *count += 1;
            turns.seen = now;
        }
        if edge.unordered {
            run.skeleton.unordered.push(run.step);
        }
        run.resume = Resume::Operation;
        Ok(())
    }

    fn act(&mut self, run: &mut Run, operation: &Operation, answer: Option<u64>) -> Result<(), Interrupt> {
        match operation {
            Operation::Load { register, address, size, signed, tags, exclusive } => {
                let Some(value) = answer else { return self.ask_read(run, address, *size) };
                let read = run.event(Kind::Read, Some(run.cell), value, *tags);
                run.skeleton.events[read].address = run.origins_of(address, None);
                run.set(*register, extended(value, *size, *signed), Origins::of(read));
                if *exclusive {
                    run.open_exclusive(read);
                }
            }
            Operation::Store { address, value, size, tags, exclusive } => {
                run.cell = self.cell(run, address, *size)?;
                let position = run.open.iter().position(|(cell, _)| *cell == run.cell);
                if *exclusive && position.is_none() {
                    return Err(Interrupt::End(Status::Blocked));
                }
                let write = self.write(run, address, value, *tags, None);
                if let Some(position) = position.filter(|_| *exclusive) {
                    let (_, read) = run.open.remove(position);
                    run.close(read, write);
                }
            }
            Operation::StoreConditional { status, address, value, size, tags, carries } => {
                let Some(failed) = answer else {
                    run.cell = self.cell(run, address, *size)?;
                    run.open.retain(|(cell, _)| *cell == run.cell);
                    if !run.open.is_empty() {
                        return Err(Interrupt::Ask(Question::OneOf(vec![0, 1])));
                    }
                    run.choices.push(1);
                    run.set(*status, 1, Origins::default());
                    return Ok(());
                };
                run.deeds.retries += u32::from(failed != 0);
                let mut origins = Origins::default();
                if let (0, Some((_, read))) = (failed, run.open.pop()) {
                    let write = self.write(run, address, value, *tags, None);
                    run.close(read, write);
                    if *carries {
                        origins = Origins::of(write);
                    }
                }
                run.open.clear();
                run.set(*status, failed, origins);
            }
            Operation::Rmw(rmw) => {
                let Some(old) = answer else { return self.ask_read(run, &rmw.address, rmw.size) };
                self.modify(run, rmw, old);
            }
            Operation::Fence { tags, address: None } => {
                run.event(Kind::Fence, None, 0, *tags);
            }
            Operation::Fence { tags, address: Some(address) } => {
                let word = address.evaluate(&run.registers, &mut self.stack);
                let Some(&cell) = self.program.at.get(&word) else {
                    return Err(Interrupt::End(Status::Fault));
                };
                run.event(Kind::Fence, Some(cell), 0, *tags);
            }
            Operation::Set { register, value } => {
                let origins = run.origins_of(value, None);
                let word = value.evaluate(&run.registers, &mut self.stack);
                run.set(*register, word, origins);
            }
            Operation::Assume { condition, .. } => {
                let origins = run.origins_of(condition, None);
                run.control.decide(None, &origins);
                if condition.evaluate(&run.registers, &mut self.stack) == 0 {
                    return Err(Interrupt::End(Status::Blocked));
                }
            }
            Operation::Assert { condition } => {
                if condition.evaluate(&run.registers, &mut self.stack) == 0 {
                    return Err(Interrupt::End(Status::Failed));
                }
            }
            Operation::Choose { register, low, high, retries } => {
                let Some(value) = answer else { return self.ask_choice(run, low, high) };
                if *retries {
                    let lowest = low.evaluate(&run.registers, &mut self.stack);
                    run.deeds.retries += u32::from(value != lowest);
                } else {
                    run.deeds.effects += 1;
                }
                let mut origins = run.origins_of(low, None);
                origins.extend(&run.origins_of(high, None));
                run.set(*register, value, origins);
            }
            Operation::Spawn { thread } => run.turn(*thread, true),
            Operation::Join { thread } => match answer {
                None => return Err(Interrupt::Ask(Question::OneOf(vec![1, 0]))),
                Some(0) => {
                    run.skeleton.waits_for = Some(*thread);
                    return Err(Interrupt::End(Status::Blocked));
                }
                Some(_) => run.turn(*thread, false),
            },
        }
        Ok(())
    }

    fn ask_read(&mut self, run: &mut Run, address: &Expr, size: u32) -> Result<(), Interrupt> {
        run.cell = self.cell(run, address, size)?;
        Err(Interrupt::Ask(Question::Read(run.cell)))
    }

    fn ask_choice(&mut self, run: &Run, low: &Expr, high: &Expr) -> Result<(), Interrupt> {
        let first = low.evaluate(&run.registers, &mut self.stack).cast_signed();
        let last = high.evaluate(&run.registers, &mut self.stack).cast_signed();
        if first > last {
            return Err(Interrupt::End(Status::Blocked));
        }
        if last.wrapping_sub(first).cast_unsigned() >= WIDEST_CHOICE {
            return Err(Interrupt::Error(CoreError::TooLarge("a choice among more than 65536 values")));
        }
        Err(Interrupt::Ask(Question::OneOf((first..=last).map(i64::cast_unsigned).collect())))
    }

    fn cell(&mut self, run: &Run, address: &Expr, size: u32) -> Result<CellId, End> {
        let word = address.evaluate(&run.registers, &mut self.stack);
        match self.program.at.get(&word) {
            Some(&cell) if self.program.cells[cell.index()].size == size => Ok(cell),
            _ => Err(End(Status::Fault)),
        }
    }

    /// The value of `expr` as its cell holds it.
    fn stored(&mut self, run: &Run, expr: &Expr) -> u64 {
        expr.evaluate(&run.registers, &mut self.stack) & self.program.cells[run.cell.index()].mask()
    }

    fn write(
        &mut self,
        run: &mut Run,
        address: &Expr,
        value: &Expr,
        tags: TagSet,
        without: Option<Register>,
    ) -> usize {
        let stored = self.stored(run, value);
        let write = run.event(Kind::Write, Some(run.cell), stored, tags);
        run.skeleton.events[write].address = run.origins_of(address, None);
        run.skeleton.events[write].data = run.origins_of(value, without);
        write
    }

    fn modify(&mut self, run: &mut Run, rmw: &Rmw, old: u64) {
        // The address and the dependencies belong to what was before; value and condition see the old value.
        let address = run.origins_of(&rmw.address, None);
        let read = run.event(Kind::Read, Some(run.cell), old, rmw.read_tags);
        run.skeleton.events[read].address = address.clone();
        run.set(rmw.register, extended(old, rmw.size, rmw.signed), Origins::of(read));
        if rmw.condition.evaluate(&run.registers, &mut self.stack) == 0 {
            run.skeleton.events[read].tags = rmw.failed_tags;
            return;
        }
        let data = run.origins_of(&rmw.value, Some(rmw.register));
        let decided = run.origins_of(&rmw.condition, Some(rmw.register));
        let stored = self.stored(run, &rmw.value);
        let write = run.event(Kind::Write, Some(run.cell), stored, rmw.write_tags);
        let event = &mut run.skeleton.events[write];
        event.address = address;
        event.data = data;
        event.control.extend(&decided);
        run.skeleton.atomic.push((number(read), number(write)));
    }
}

fn number(event: usize) -> u32 {
    u32::try_from(event).unwrap_or(u32::MAX)
}

/// The low `size` bytes as a word.
fn extended(value: u64, size: u32, signed: bool) -> u64 {
    let shift = 64 - 8 * size;
    if signed { ((value << shift).cast_signed() >> shift).cast_unsigned() } else { value }
}

impl Run {
    fn event(&mut self, kind: Kind, cell: Option<CellId>, value: u64, tags: TagSet) -> usize {
        self.skeleton.events.push(Event {
            kind,
            cell,
            tags,
            step: self.step,
            edge: self.edge,
            address: Origins::default(),
            data: Origins::default(),
            control: self.control.reads(),
        });
        self.values.push(value);
        self.values.len() - 1
    }

    /// The reads that `expr` depends on, `without` one register.
    fn origins_of(&self, expr: &Expr, without: Option<Register>) -> Origins {
        expr.origins(&self.origins, &self.registers, without)
    }

    fn set(&mut self, register: Register, value: u64, origins: Origins) {
        self.registers[register.index()] = value;
        self.origins[register.index()] = origins;
        self.defined.insert(register.index());
    }

    fn turn(&mut self, thread: ThreadId, is_spawn: bool) {
        self.deeds.effects += 1;
        self.skeleton.turns.push(Turn { position: number(self.values.len()), thread, is_spawn });
    }

    fn open_exclusive(&mut self, read: usize) {
        // Loads of one instruction stay open together; an earlier one is forgotten.
        let step = self.step;
        if self.open.iter().any(|&(_, other)| self.skeleton.events[other as usize].step != step) {
            self.open.clear();
        }
        self.open.retain(|(cell, _)| *cell != self.cell);
        self.open.push((self.cell, number(read)));
    }

    /// Read and write of one step are one instruction; else a load-linked and its store.
    fn close(&mut self, read: u32, write: usize) {
        let same = self.skeleton.events[read as usize].step == self.skeleton.events[write].step;
        let pair = (read, number(write));
        if same {
            self.skeleton.atomic.push(pair);
        } else {
            self.skeleton.exclusive.push(pair);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const X: u64 = 64;

    /// A program with one cell and one thread of three registers whose one edge does `operations`.
    fn program(operations: &[&[u64]]) -> Program {
        let edge = [&[0, 1, 0, 0, 2, 0, 1, operations.len() as u64], &operations.concat()[..]].concat();
        automaton(2, &[], &[&edge])
    }

    /// A program with one cell and one thread of three registers, with these control points, joins and edges.
    fn automaton(points: u64, joins: &[[u64; 2]], edges: &[&[u64]]) -> Program {
        let mut form = vec![3, 1, X, 8, 0, 1, 0, 1, 1, 3, 0, 0, 0, 0, 0, 0, 0, points, joins.len() as u64];
        form.extend(joins.iter().flatten());
        form.push(0);
        form.push(edges.len() as u64);
        form.extend(edges.iter().copied().flatten());
        form.push(0);
        Program::decode(&form, 0).unwrap()
    }

    /// Runs the thread, answering each question with the next of `answers`.
    fn run(program: &Program, answers: &[u64]) -> Run {
        let mut machine = Machine::new(program, &program.threads[0], 1);
        let mut run = machine.begin();
        let mut question = machine.advance(&mut run).unwrap();
        for &answer in answers {
            assert_ne!(question, Question::Ended);
            question = machine.answer(&mut run, answer).unwrap();
        }
        assert_eq!(question, Question::Ended);
        run
    }

    fn members(set: &SmallSet) -> Vec<usize> {
        set.iter().collect()
    }

    const LOAD_R0: &[u64] = &[0, 0, 2, 0, X, 8, 0, 0, 0];

    #[test]
    fn dependencies_follow_registers() {
        // r0 = [x]; r1 = r0 + 1; [x + (r0 - r0)] = r1; assume r0; [x] = 5
        let address = &[1, 8, 0, X, 1, 0, 1, 0, 8, 7][..];
        let set = &[5, 1, 5, 1, 0, 0, 1, 7][..];
        let store = [address, &[2, 1, 1, 8, 0, 0]].concat();
        let last = &[1, 2, 0, X, 2, 0, 5, 8, 0, 0][..];
        let found = run(&program(&[LOAD_R0, set, &store, &[6, 2, 1, 0], last]), &[7]);
        let events = &found.skeleton.events;
        assert_eq!(found.values, [7, 8, 5]);
        assert_eq!((members(&events[1].address.data), members(&events[1].data.data)), (vec![0], vec![0]));
        assert_eq!((members(&events[1].control.data), members(&events[2].control.data)), (vec![], vec![0]));
        assert!(events[2].data.is_empty());
        assert!(events.iter().all(|event| event.address.pick.is_empty() && event.data.pick.is_empty()));
        assert_eq!(found.skeleton.status, Status::Complete);
    }

    #[test]
    fn a_selection_carries_the_data_of_what_it_takes() {
        // r0 = [x]; r1 = [x]; [x] = r0 ? r1 : 5, whose address is x + (r0 ? 0 : r1 - r1); assume r0 ? 1 : r1; a fence
        let load_r1 = &[0, 1, 2, 0, X, 8, 0, 0, 0][..];
        let value = &[7, 1, 0, 1, 1, 0, 5, 6][..];
        let address = &[12, 0, X, 1, 0, 0, 0, 1, 1, 1, 1, 8, 6, 7][..];
        let store = [&[1], &[13][..], &address[1..], value, &[8, 0, 0]].concat();
        let assume = &[6, 7, 1, 0, 0, 1, 1, 1, 6][..];
        let program = program(&[LOAD_R0, load_r1, &store, assume, &[4, 0, 0]]);
        for (first, data) in [(1, vec![1]), (0, vec![])] {
            let found = run(&program, &[first, 9]);
            let events = &found.skeleton.events;
            assert_eq!(members(&events[2].data.data), data);
            assert_eq!(members(&events[2].data.pick), [0]);
            assert_eq!(members(&events[2].address.data), if first == 0 { vec![1] } else { vec![] });
            assert_eq!(members(&events[2].address.pick), [0]);
            assert_eq!(members(&events[3].control.data), if first == 0 { vec![1] } else { vec![] });
            assert_eq!(members(&events[3].control.pick), [0]);
        }
    }

    #[test]
    fn picks_pass_through_registers_and_conditions() {
        // r0 = [x]; r1 = r0 ? 3 : 4; r2 = r1 ? r1 : 0; [x] = r2 + 1
        let first = &[5, 1, 7, 1, 0, 0, 3, 0, 4, 6][..];
        let second = &[5, 2, 7, 1, 1, 1, 1, 0, 0, 6][..];
        let store = &[1, 2, 0, X, 5, 1, 2, 0, 1, 7, 8, 0, 0][..];
        let found = run(&program(&[LOAD_R0, first, second, store]), &[0]);
        let event = &found.skeleton.events[1];
        assert_eq!(found.values, [0, 5]);
        assert_eq!((members(&event.data.data), members(&event.data.pick)), (vec![], vec![0]));
    }

    #[test]
    fn a_branch_decides_up_to_where_its_paths_meet() {
        // 0: r0 = [x]; 1: if r0 { [x] = 5 }; 2: [x] = 5
        let load = [&[0, 1, 0, 0, 2, 0, 1, 1], LOAD_R0].concat();
        let store = &[1, 2, 0, X, 2, 0, 5, 8, 0, 0][..];
        let yes = [&[1, 2, 0, 0, 2, 1, 0, 1], store].concat();
        let no = &[1, 2, 0, 0, 3, 1, 0, 4, 0][..];
        let last = [&[2, 3, 0, 0, 2, 0, 1, 1], store].concat();
        for (joins, decided) in [(&[][..], vec![0]), (&[[1, 2]][..], vec![])] {
            let found = run(&automaton(4, joins, &[&load, &yes, no, &last]), &[7]);
            let events = &found.skeleton.events;
            let decisive = |event: usize| members(&events[event].control.data);
            assert_eq!((decisive(1), decisive(2)), (vec![0], decided));
        }
    }

    #[test]
    fn a_fence_may_name_a_location() {
        let found = run(&program(&[&[4, 0, 1, 2, 0, X], &[4, 0, 0], &[4, 0, 1, 2, 0, X + 1]]), &[]);
        let cells: Vec<_> = found.skeleton.events.iter().map(|event| event.cell).collect();
        assert_eq!((cells, found.skeleton.status), (vec![Some(CellId(0)), None], Status::Fault));
    }

    #[test]
    fn an_rmw_does_not_depend_on_itself() {
        // r0 = [x], then [x] = r0 + 1 if r0 is 0, atomically; then once more.
        let rmw = &[3, 0, 2, 0, X, 5, 1, 0, 0, 1, 7, 5, 1, 0, 0, 0, 20, 8, 0, 0, 0, 0][..];
        let found = run(&program(&[rmw, rmw]), &[0, 1]);
        assert_eq!(found.values, [0, 1, 1]);
        assert_eq!(found.skeleton.atomic, [(0, 1)]);
        assert!(found.skeleton.events.iter().all(|event| event.data.is_empty() && event.control.is_empty()));
    }

    #[test]
    fn an_exclusive_store_needs_an_open_load() {
        let load = &[0, 0, 2, 0, X, 8, 0, 0, 1][..];
        let store = &[1, 2, 0, X, 2, 0, 5, 8, 0, 1][..];
        let found = run(&program(&[load, store, store]), &[3]);
        assert_eq!(found.skeleton.status, Status::Blocked);
        assert_eq!(found.skeleton.atomic, [(0, 1)]);
        assert_eq!(found.skeleton.end, Some((EdgeId(0), 2)));
    }

    #[test]
    fn early_ends_say_where() {
        let fails = run(&program(&[LOAD_R0, &[7, 2, 1, 0]]), &[0]);
        assert_eq!((fails.skeleton.status, fails.skeleton.end), (Status::Failed, Some((EdgeId(0), 1))));
        let strays = run(&program(&[&[0, 0, 2, 0, X + 1, 8, 0, 0, 0]]), &[]);
        assert_eq!(strays.skeleton.status, Status::Fault);
        let small = run(&program(&[&[0, 0, 2, 0, X, 4, 0, 0, 0]]), &[]);
        assert_eq!(small.skeleton.status, Status::Fault);
    }
}
