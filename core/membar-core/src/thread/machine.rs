//! Runs one thread from question to question.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::error::CoreError;
use crate::expr::{Expr, Register};
use crate::origins::Origins;
use crate::program::{CellId, EdgeId, Operation, Patience, Program, Rmw, TagSet, Thread};
use crate::small_set::SmallSet;
use crate::stateless::fault::Fault;
use crate::thread::run::{Question, Resume, Run, Turns, WrittenBack};
use crate::thread::skeleton::{Kind, Skeleton, Status};
use crate::waiting::{Between, Control, Deeds, Visit};
use crate::words::narrow;

/// More values than this are not enumerated.
const WIDEST_CHOICE: u64 = 1 << 16;

/// Local turns of one loop in one run.
const LONGEST_LOOP: u32 = 1 << 12;

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
                ends_process: false,
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
            written_back: None,
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
                    let Some(edge) = self.choose_edge(run, point)? else {
                        run.skeleton.ends_process = self.thread.exits[point as usize];
                        return Ok(());
                    };
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
        // Only if nothing was asked since the read that it belongs to: who waits has not done it then.
        let written_back = run
            .written_back
            .filter(|back| watched.write_backs && back.choices == run.choices.len())
            .map(|back| back.write)
            .filter(|&write| write >= before.events);
        match before.between(&now, &run.skeleton.events, written_back, watched.single, self.fault) {
            Between::Changes => Ok(()),
            Between::Retry => Err(End(Status::Blocked)),
            Between::Looks => {
                let mut turn = run.skeleton.events[before.events..].iter();
                self.waits.extend(turn.find(|event| event.kind == Kind::Read).map(|event| event.edge));
                run.skeleton.looks_from = Some(narrow(before.events));
                run.is_patient = !watched.single;
                if let Some(write) = written_back.filter(|_| self.fault != Fault::WriteBacksKept) {
                    run.take_back(write);
                }
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
            Operation::Assume { condition, waits } => {
                let origins = run.origins_of(condition, None);
                run.control.decide(None, &origins);
                if condition.evaluate(&run.registers, &mut self.stack) == 0 {
                    return Err(Interrupt::End(suspended(run, *waits)));
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
        run.skeleton.atomic.push((narrow(read), narrow(write)));
        if stored == old || self.fault == Fault::ExchangesWriteBack {
            run.written_back = Some(WrittenBack { write, choices: run.choices.len() });
        }
    }
}

/// How a run ends whose assumption does not hold.
///
/// A step that waits is not taken yet: what it wrote did not happen, and what it read it will read again.
fn suspended(run: &mut Run, waits: Option<Patience>) -> Status {
    let Some(patience) = waits else { return Status::Blocked };
    let step = run.step;
    let events = &run.skeleton.events;
    let first = events.iter().rposition(|event| event.step != step).map_or(0, |last| last + 1);
    let write = events[first..].iter().position(|event| event.kind == Kind::Write);
    run.skeleton.looks_from = Some(narrow(first));
    run.is_patient = patience == Patience::Patient;
    if let Some(write) = write {
        run.take_back(first + write);
    }
    Status::Suspended
}

/// The low `size` bytes as a word.
fn extended(value: u64, size: u32, signed: bool) -> u64 {
    let shift = 64 - 8 * size;
    if signed { ((value << shift).cast_signed() >> shift).cast_unsigned() } else { value }
}
