//! Runs one thread up to its next read or choice.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::thread::run::{Iterations, Question, Resume, Run, WrittenBack};
use crate::thread::skeleton::{Kind, Skeleton, Status};
use crate::waiting::{Between, Control, Effects, Visit};
use membar_ir::bits::SmallSet;
use membar_ir::error::CoreError;
use membar_ir::expr::{Expr, Register};
use membar_ir::origins::Origins;
use membar_ir::program::{Address, CellId, EdgeId, Program, Rmw, TagSet, Thread, ThreadId, WaitOrder};
use membar_ir::words::narrow;
use membar_step::{Access, Memory, Source, perform};

/// Local iterations of one loop in one run.
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
pub struct ThreadRunner<'a> {
    program: &'a Program,
    thread: &'a Thread,
    /// How often each back edge may be taken.
    bound: u32,
    stack: Vec<u64>,
    /// The steps at which runs that wait look first.
    pub(crate) waits: BTreeSet<EdgeId>,
    /// The steps that close loops which were cut.
    pub(crate) cuts: BTreeSet<EdgeId>,
}

impl<'a> ThreadRunner<'a> {
    /// For the runs of one thread.
    #[must_use]
    pub fn new(program: &'a Program, thread: &'a Thread, bound: u32) -> Self {
        Self { program, thread, bound, stack: Vec::new(), waits: BTreeSet::new(), cuts: BTreeSet::new() }
    }

    /// The run that no spawn started.
    #[must_use]
    pub fn not_started(&self) -> Run {
        let mut run = self.begin();
        run.skeleton.status = Status::NotStarted;
        run.defined = SmallSet::default();
        run.registers.fill(0); // it has none yet
        run
    }

    /// A run at its beginning.
    #[must_use]
    pub fn begin(&self) -> Run {
        let registers = self.thread.initial_registers();
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
                spawns_and_joins: Vec::new(),
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
            may_wait_last: false,
            control: Control::default(),
            iterations: vec![Iterations::default(); self.thread.loops],
            open: Vec::new(),
            effects: Effects::default(),
            written_back: None,
            visits: vec![None; self.thread.watched.iter().flatten().count()],
            edge: EdgeId(0),
            operation: 0,
            step: 0,
            resume: Resume::Point(self.thread.entry),
        }
    }

    /// Runs to the next question.
    pub fn advance(&mut self, run: &mut Run) -> Result<Question, CoreError> {
        self.go_on(run, 0)
    }

    /// Answers the last question and runs to the next one.
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
                    let (program, stack) = (self.program, &mut self.stack);
                    perform(&mut Acting { run, program, stack, answer, last: 0 }, operation)?;
                    run.resume = Resume::Operation;
                    run.operation += 1;
                }
            }
        }
    }

    /// Ends the run if it is at a watched point and nothing has changed since it was there last.
    fn look_back(&mut self, run: &mut Run, point: u32) -> Result<(), End> {
        let Some(watched) = &self.thread.watched[point as usize] else { return Ok(()) };
        let known = |register: &Register| {
            let origins =
                if watched.dependent { run.origins[register.index()].clone() } else { Origins::default() };
            (run.registers[register.index()], origins)
        };
        let now = Arc::new(Visit {
            events: run.skeleton.events.len(),
            effects: run.effects,
            registers: watched.registers.iter().map(known).collect(),
            control: if watched.dependent { run.control.clone() } else { Control::default() },
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
        match before.between(&now, &run.skeleton.events, written_back, watched.single) {
            Between::Changes => Ok(()),
            Between::Retry => Err(End(Status::Blocked)),
            Between::Looks => {
                let mut iteration = run.skeleton.events[before.events..].iter();
                let first = iteration.find(|event| event.kind == Kind::Read);
                self.waits.insert(first.map_or(run.edge, |event| event.edge));
                run.skeleton.looks_from = Some(narrow(before.events));
                // Who reads nothing spins whatever it has read before.
                run.may_wait_last = !watched.single && first.is_some();
                if let Some(write) = written_back {
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
            let step = &self.thread.edges[edge.index()];
            if step.is_open(&run.registers, &mut self.stack) {
                open.push(edge);
            }
            if let Some(guard) = &step.guard {
                decisive.extend(&run.origins_of(guard, None));
            }
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
                run.effects.actions += 1;
                Err(Interrupt::Ask(Question::OneOf(open.iter().map(|edge| u64::from(edge.0)).collect())))
            }
        }
    }

    fn take(&mut self, run: &mut Run, id: EdgeId) -> Result<(), Interrupt> {
        let edge = &self.thread.edges[id.index()];
        run.edge = id;
        run.operation = 0;
        if let Some(iterations) = edge.closes.and_then(|closed| run.iterations.get_mut(closed as usize)) {
            let now = run.choices.len() + run.values.len();
            let (count, most) = if now == iterations.seen {
                (&mut iterations.local, LONGEST_LOOP)
            } else {
                (&mut iterations.counted, self.bound)
            };
            if *count == most {
                self.cuts.insert(id);
                return Err(Interrupt::End(Status::Cut));
            }
            *count += 1;
            iterations.seen = now;
        }
        if edge.unordered {
            run.skeleton.unordered.push(run.step);
        }
        run.resume = Resume::Operation;
        Ok(())
    }
}

/// A run at an operation, as the stepper sees it.
struct Acting<'a> {
    run: &'a mut Run,
    program: &'a Program,
    stack: &'a mut Vec<u64>,
    /// The answer to what the operation has asked.
    answer: Option<u64>,
    /// The event performed last.
    last: usize,
}

impl Acting<'_> {
    /// The answer, or the question.
    fn ask(&self, question: impl FnOnce() -> Question) -> Result<u64, Interrupt> {
        self.answer.ok_or_else(|| Interrupt::Ask(question()))
    }

    fn ask_read(&mut self, cell: CellId) -> Result<u64, Interrupt> {
        self.ask(|| Question::Read(cell))
    }

    /// The reads that decide an address.
    fn origins_of_address(&self, address: &Address) -> Origins {
        address.expression().map_or_else(Origins::default, |expr| self.run.origins_of(expr, None))
    }

    /// The value of `expr` as the cell holds it.
    fn stored_value(&mut self, cell: CellId, expr: &Expr) -> u64 {
        self.evaluate(expr) & self.program.cells[cell.index()].mask()
    }

    fn write(&mut self, access: Access<'_>, value: &Expr) {
        let stored = self.stored_value(access.cell, value);
        self.last = self.run.event(Kind::Write, Some(access.cell), stored, access.tags);
        self.run.skeleton.events[self.last].address = self.origins_of_address(access.address);
        self.run.skeleton.events[self.last].data = self.run.origins_of(value, None);
    }
}

impl Memory for Acting<'_> {
    type Stop = Interrupt;

    fn evaluate(&mut self, expr: &Expr) -> u64 {
        expr.evaluate(&self.run.registers, self.stack)
    }

    fn assign(&mut self, register: Register, value: u64, source: Source<'_>) {
        let origins = match source {
            Source::Read | Source::Write => Origins::of(self.last),
            Source::Expr(expr) => self.run.origins_of(expr, None),
            Source::Exprs(low, high) => {
                let mut origins = self.run.origins_of(low, None);
                origins.extend(&self.run.origins_of(high, None));
                origins
            }
            Source::Nothing => Origins::default(),
        };
        self.run.set(register, value, origins);
    }

    fn decide(&mut self, condition: &Expr) {
        let origins = self.run.origins_of(condition, None);
        self.run.control.decide(None, &origins);
    }

    fn cell_at(&self, address: u64, size: u32) -> Option<CellId> {
        self.program.cell_at(address, size)
    }

    fn halt(&mut self, halt: membar_step::Halt) -> Interrupt {
        match halt {
            membar_step::Halt::Assumption(waits) => Interrupt::End(suspend(self.run, waits)),
            membar_step::Halt::NoChoice => Interrupt::End(Status::Blocked),
            membar_step::Halt::TooWide => {
                Interrupt::Error(CoreError::TooLarge("a choice among more than 65536 values"))
            }
            membar_step::Halt::Failed => Interrupt::End(Status::Failed),
            membar_step::Halt::Fault => Interrupt::End(Status::Fault),
            membar_step::Halt::Unsupported(what) => Interrupt::Error(CoreError::Unsupported(what)),
        }
    }

    fn load(&mut self, access: Access<'_>) -> Result<u64, Interrupt> {
        let value = self.ask_read(access.cell)?;
        self.last = self.run.event(Kind::Read, Some(access.cell), value, access.tags);
        self.run.skeleton.events[self.last].address = self.origins_of_address(access.address);
        if access.exclusive {
            self.run.open_exclusive(access.cell, self.last);
        }
        Ok(value)
    }

    fn store(&mut self, access: Access<'_>, value: &Expr) -> Result<(), Interrupt> {
        let position = self.run.open.iter().position(|(cell, _)| *cell == access.cell);
        if access.exclusive && position.is_none() {
            return Err(Interrupt::End(Status::Blocked));
        }
        self.write(access, value);
        if let Some(position) = position.filter(|_| access.exclusive) {
            let (_, read) = self.run.open.remove(position);
            self.run.close(read, self.last);
        }
        Ok(())
    }

    fn store_conditional(&mut self, access: Access<'_>, value: &Expr) -> Result<u64, Interrupt> {
        if self.answer.is_none() {
            self.run.open.retain(|(cell, _)| *cell == access.cell);
            if self.run.open.is_empty() {
                self.run.choices.push(1);
                return Ok(1);
            }
        }
        let failed = self.ask(|| Question::OneOf(vec![0, 1]))?;
        self.run.effects.retries += u32::from(failed != 0);
        if let (0, Some((_, read))) = (failed, self.run.open.pop()) {
            self.write(access, value);
            self.run.close(read, self.last);
        }
        self.run.open.clear();
        Ok(failed)
    }

    fn update_read(&mut self, cell: CellId, rmw: &Rmw) -> Result<u64, Interrupt> {
        let old = self.ask_read(cell)?;
        // The address depends on what the registers were before.
        let address = self.origins_of_address(&rmw.address);
        self.last = self.run.event(Kind::Read, Some(cell), old, rmw.read_tags);
        self.run.skeleton.events[self.last].address = address;
        Ok(old)
    }

    fn update_fails(&mut self, rmw: &Rmw) -> Result<(), Interrupt> {
        self.run.skeleton.events[self.last].tags = rmw.failed_tags;
        Ok(())
    }

    fn update_write(&mut self, cell: CellId, rmw: &Rmw, old: u64) -> Result<(), Interrupt> {
        let read = self.last;
        let data = self.run.origins_of(&rmw.value, Some(rmw.register));
        let decided = self.run.origins_of(&rmw.condition, Some(rmw.register));
        let stored = self.stored_value(cell, &rmw.value);
        let write = self.run.event(Kind::Write, Some(cell), stored, rmw.write_tags);
        let address = self.run.skeleton.events[read].address.clone();
        let event = &mut self.run.skeleton.events[write];
        event.address = address;
        event.data = data;
        event.control.extend(&decided);
        self.run.skeleton.atomic.push((narrow(read), narrow(write)));
        if stored == old {
            self.run.written_back = Some(WrittenBack { write, choices: self.run.choices.len() });
        }
        Ok(())
    }

    fn fence(&mut self, tags: TagSet, address: Option<&Expr>) -> Result<(), Interrupt> {
        let cell = match address {
            None => None,
            Some(address) => {
                let word = self.evaluate(address);
                Some(self.program.cell_from(word).ok_or(Interrupt::End(Status::Fault))?)
            }
        };
        self.run.event(Kind::Fence, cell, 0, tags);
        Ok(())
    }

    fn choose(&mut self, low: i64, high: i64, retries: bool) -> Result<u64, Interrupt> {
        let value = self.ask(|| Question::OneOf((low..=high).map(i64::cast_unsigned).collect()))?;
        if retries {
            self.run.effects.retries += u32::from(value != low.cast_unsigned());
        } else {
            self.run.effects.actions += 1;
        }
        Ok(value)
    }

    fn spawn(&mut self, thread: ThreadId) -> Result<(), Interrupt> {
        self.run.spawn_or_join(thread, true);
        Ok(())
    }

    fn join(&mut self, thread: ThreadId) -> Result<(), Interrupt> {
        if self.ask(|| Question::OneOf(vec![1, 0]))? == 0 {
            self.run.skeleton.waits_for = Some(thread);
            return Err(Interrupt::End(Status::Blocked));
        }
        self.run.spawn_or_join(thread, false);
        Ok(())
    }
}

/// How a run ends whose assumption does not hold.
///
/// A step that waits is not taken yet: what it wrote did not happen, and what it read it will read again.
fn suspend(run: &mut Run, waits: Option<WaitOrder>) -> Status {
    let Some(order) = waits else { return Status::Blocked };
    let step = run.step;
    let events = &run.skeleton.events;
    let first = events.iter().rposition(|event| event.step != step).map_or(0, |last| last + 1);
    let write = events[first..].iter().position(|event| event.kind == Kind::Write);
    run.skeleton.looks_from = Some(narrow(first));
    run.may_wait_last = order == WaitOrder::Last;
    if let Some(write) = write {
        run.take_back(first + write);
    }
    Status::Suspended
}
