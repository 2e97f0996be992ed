//! Which threads of a program are interchangeable: the same code, up to the numbers of the threads and the cells that each
//! has of its own.
//!
//! Threads of a group run one code in which some constants and cells differ. A constant that differs is the number of the
//! thread (`_pid`); a tuple of cells that differ is a family, one cell for each thread. Exchanging threads then also
//! exchanges the cells of each family, and numbers of threads wherever they are kept. That is an automorphism of the program if
//! numbers of threads are only copied, compared with each other and used as indices of families ("scalarsets", Ip, Dill,
//! "Better verification through symmetry", FMSD 1996). Which registers, cells and fields of messages hold them is found out by
//! following values through all edges of all threads until nothing changes; what is done with them is computed for each
//! of their values.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use membar_ir::expr::{Binary, Code, Expr, Register};
use membar_ir::program::{Address, CellId, Edge, Operation, Thread};
use membar_ir::words::narrow;

use super::program::Program;
use super::ranges::{Footprint, footprints};

/// Numbers of threads are below this, so that extension to a width leaves them as they are.
const MOST: u64 = 128;
/// Most values that what holds numbers of threads may have.
const MOST_VALUES: usize = 1024;

/// Why threads cannot be exchanged: in which thread, by which of its edges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Distinction {
    /// The thread.
    pub thread: usize,
    /// Its edge, if it is one.
    pub edge: Option<usize>,
    /// What distinguishes threads there.
    pub why: &'static str,
}

/// What is exchanged together with threads.
#[derive(Debug, Clone, Default)]
pub(super) struct Exchange {
    /// The numbers by which the threads are known, if they are.
    pub(super) values: Option<Vec<u64>>,
    /// Cells of which each thread has one, in the order of the threads.
    pub(super) families: Vec<Vec<CellId>>,
    /// Per cell, whether it holds the number of a thread.
    pub(super) cells: Vec<bool>,
    /// Per thread of the program and register, whether it does.
    pub(super) registers: Vec<Vec<bool>>,
    /// Per channel and place in a message, whether it does.
    pub(super) fields: Vec<Vec<bool>>,
}

impl Exchange {
    /// Whether only threads are exchanged.
    pub(super) fn is_plain(&self) -> bool {
        self.values.is_none() && self.families.is_empty()
    }
}

type Why = &'static str;

const OTHER_CODE: Why = "its code differs from that of the others";
const NUMBER: Why = "a constant differs from that of the others, and is not the number of the thread";
const NAMED: Why = "the number of one thread stands beside numbers of threads";
const COMPUTED: Why = "it computes with the number of a thread, or orders such numbers";
const MIXED: Why = "what holds the number of a thread also holds other values";
const CELLS: Why = "it accesses a cell of one of the threads";
const CHANNELS: Why = "it uses another channel than the others";
const EXCLUSIVE: Why = "it has exclusive accesses beside cells or numbers of its own";

/// What is known of a value, as far as it matters for the exchange of threads.
#[derive(Debug, Clone)]
enum Value {
    /// It does not depend on how threads are numbered.
    Data,
    Plain(u64),
    /// A constant that depends on the thread: one for each.
    Own(Rc<[u64]>),
    /// It depends on the number of a thread, `symbol`: what it is for each of `Analysis::range`.
    Of(usize, Rc<[u64]>),
}

/// Where an access may go.
struct Place {
    /// One cell for each thread, by the thread or by the number of a thread.
    family: Option<Vec<CellId>>,
    others: Vec<CellId>,
}

/// Finds what is exchanged together with some threads.
///
/// Threads of which one is started by another must be treated by who asks.
pub(super) fn exchange(program: &Program, threads: &[usize]) -> Result<Exchange, Distinction> {
    let first = threads[0];
    for &thread in threads {
        let is_alike = have_one_shape(&program.threads[first], &program.threads[thread])
            && program.cleared[first] == program.cleared[thread]
            && begin_alike(program, first, thread);
        if !is_alike {
            return Err(Distinction { thread, edge: None, why: OTHER_CODE });
        }
    }
    let mut analysis = Analysis::new(program, threads);
    loop {
        let before = analysis.size();
        analysis.families.clear();
        analysis.touched.clear();
        analysis.pass()?;
        if analysis.size() == before {
            break;
        }
    }
    analysis.finish()
}

/// Whether two threads have the same code, up to constants and cells.
fn have_one_shape(one: &Thread, other: &Thread) -> bool {
    let bare = |thread: &Thread| Thread { edges: Vec::new(), registers: Vec::new(), ..thread.clone() };
    let edges = || one.edges.iter().zip(&other.edges);
    let same = |(one, other): (&Edge, &Edge)| {
        let bare = |edge: &Edge| Edge { guard: None, operations: Vec::new(), ..edge.clone() };
        let operations = || one.operations.iter().zip(&other.operations);
        bare(one) == bare(other)
            && one.operations.len() == other.operations.len()
            && one.guard.is_some() == other.guard.is_some()
            && one.guard.iter().zip(&other.guard).all(|(one, other)| is_alike(one, other))
            && operations().all(|(one, other)| blank(one) == blank(other))
    };
    one.edges.len() == other.edges.len()
        && one.registers.len() == other.registers.len()
        && bare(one) == bare(other)
        && edges().all(same)
}

/// Whether registers that matter begin alike in two threads of one shape.
fn begin_alike(program: &Program, one: usize, other: usize) -> bool {
    let (code, entry) = (&program.threads[one], program.threads[one].entry as usize);
    let registers = code.registers.iter().zip(&program.threads[other].registers).zip(0..);
    registers
        .filter(|(_, register)| !program.cleared[one][entry].contains(&Register(*register)))
        .all(|((one, other), _)| one == other)
}

/// Whether two expressions are the same but for constants.
fn is_alike(one: &Expr, other: &Expr) -> bool {
    let same = |(one, other): (&Code, &Code)| match (one, other) {
        (Code::Constant(_), Code::Constant(_)) => true,
        _ => one == other,
    };
    one.code().len() == other.code().len() && one.code().iter().zip(other.code()).all(same)
}

/// An operation without its constants, cells and channel.
fn blank(operation: &Operation) -> Operation {
    let mut blank = operation.clone();
    let expr = |expr: &mut Expr| *expr = expr.without_constants();
    let place = |address: &mut Address| match address {
        Address::Cell(cell) => *cell = CellId(0),
        Address::Computed(computed, _) => *computed = computed.without_constants(),
    };
    match &mut blank {
        Operation::Load { address, .. } | Operation::Lock { address } | Operation::Unlock { address } => {
            place(address);
        }
        Operation::Store { address, value, .. } | Operation::StoreConditional { address, value, .. } => {
            place(address);
            expr(value);
        }
        Operation::Rmw(rmw) => {
            place(&mut rmw.address);
            expr(&mut rmw.value);
            expr(&mut rmw.condition);
        }
        Operation::Fence { address, .. } => address.iter_mut().for_each(expr),
        Operation::Set { value, .. } => expr(value),
        Operation::Assume { condition, .. } | Operation::Assert { condition } => expr(condition),
        Operation::Choose { low, high, .. } => {
            expr(low);
            expr(high);
        }
        Operation::Send { channel, values } => {
            *channel = 0;
            values.iter_mut().for_each(expr);
        }
        Operation::Receive { channel, .. } => *channel = 0,
        Operation::Spawn { .. } | Operation::Join { .. } => {}
    }
    blank
}

/// The search for what holds numbers of threads.
struct Analysis<'p> {
    program: &'p Program,
    threads: &'p [usize],
    /// The threads whose code is followed: the first of the group stands for all of it.
    followed: Vec<usize>,
    footprints: BTreeMap<usize, Vec<Footprint>>,
    found: Exchange,
    /// Per cell of a family, which one and whose.
    families: BTreeMap<CellId, (usize, usize)>,
    /// Cells that are accessed in another way.
    touched: BTreeMap<CellId, (usize, usize)>,
    /// The values of what holds numbers of threads.
    range: BTreeSet<u64>,
    /// The same as a list, and per value the place of the thread with that number.
    list: Rc<[u64]>,
    symbols: usize,
    /// Per symbol, which of its values the edge at hand has not excluded.
    allowed: BTreeMap<usize, Vec<bool>>,
    has_exclusives: Option<(usize, usize)>,
}

impl<'p> Analysis<'p> {
    fn new(program: &'p Program, threads: &'p [usize]) -> Self {
        let is_followed = |thread: &usize| *thread == threads[0] || !threads.contains(thread);
        let followed: Vec<usize> = (0..program.threads.len()).filter(is_followed).collect();
        let footprints_of = |thread: usize| footprints(program, &program.threads[thread]);
        let mut footprints: BTreeMap<usize, Vec<Footprint>> =
            followed.iter().map(|&thread| (thread, footprints_of(thread))).collect();
        if let Some(all) = footprints.get_mut(&threads[0]) {
            for &other in &threads[1..] {
                for (all, other) in all.iter_mut().zip(footprints_of(other)) {
                    all.reads.extend(&other.reads);
                    all.writes.extend(&other.writes);
                }
            }
        }
        Self {
            program,
            threads,
            followed,
            footprints,
            found: Exchange {
                cells: vec![false; program.cells.len()],
                registers: program.threads.iter().map(|code| vec![false; code.registers.len()]).collect(),
                fields: program.channels.iter().map(|channel| vec![false; channel.width]).collect(),
                ..Exchange::default()
            },
            families: BTreeMap::new(),
            touched: BTreeMap::new(),
            range: (0..=255).collect(),
            list: (0..=255).collect(),
            symbols: 0,
            allowed: BTreeMap::new(),
            has_exclusives: None,
        }
    }

    /// Grows with everything that is found out.
    fn size(&self) -> (usize, usize, bool) {
        let registers = self.found.registers.iter().chain(&self.found.fields).flatten();
        let marks = registers.chain(&self.found.cells).filter(|&&mark| mark).count();
        (marks, self.range.len(), self.found.values.is_some())
    }

    fn values(&self) -> &[u64] {
        self.found.values.as_deref().unwrap_or_default()
    }

    /// Follows all edges once.
    fn pass(&mut self) -> Result<(), Distinction> {
        self.add_initial().map_err(|why| Distinction { thread: self.threads[0], edge: None, why })?;
        self.list = self.range.iter().copied().collect();
        for thread in self.followed.clone() {
            for edge in 0..self.program.threads[thread].edges.len() {
                let place = (thread, edge);
                self.edge(place).map_err(|why| Distinction { thread, edge: Some(edge), why })?;
            }
        }
        Ok(())
    }

    /// The threads that the code of a thread stands for.
    fn members(&self, thread: usize) -> &'p [usize] {
        let program_threads = self.threads;
        match program_threads.iter().position(|&member| member == thread) {
            Some(_) => program_threads,
            None => &[],
        }
    }

    fn edge(&mut self, (thread, edge): (usize, usize)) -> Result<(), Why> {
        self.allowed.clear();
        let program = self.program;
        let code = &program.threads[thread];
        let step = &code.edges[edge];
        let mut registers: Vec<Value> = Vec::new();
        for register in 0..code.registers.len() {
            let holds_number = self.found.registers[thread][register];
            let value = if holds_number { self.any_number() } else { Value::Data };
            registers.push(value);
        }
        let mut is_changed = vec![false; registers.len()];
        if let Some(guard) = &step.guard {
            let like = |member: usize| program.threads[member].edges[edge].guard.as_ref();
            let guard = self.value(thread, guard, &like, &registers)?;
            self.restrict(&guard)?;
        }
        for (number, operation) in step.operations.iter().enumerate() {
            self.operation((thread, edge, number), operation, &mut registers, &mut is_changed)?;
        }
        for (register, value) in registers.into_iter().enumerate() {
            let is_dead = program.cleared[thread][step.target as usize].contains(&Register(narrow(register)));
            if is_changed[register] && !is_dead {
                let mut holds = self.found.registers[thread][register];
                self.flow(&value, &mut holds)?;
                let members = self.members(thread);
                for &member in if members.is_empty() { std::slice::from_ref(&thread) } else { members } {
                    self.found.registers[member][register] |= holds;
                }
            }
        }
        Ok(())
    }

    #[expect(clippy::too_many_lines, reason = "one case for each operation")]
    fn operation(
        &mut self,
        (thread, edge, number): (usize, usize, usize),
        operation: &'p Operation,
        registers: &mut [Value],
        is_changed: &mut [bool],
    ) -> Result<(), Why> {
        let program = self.program;
        let like = |member: usize| &program.threads[member].edges[edge].operations[number];
        macro_rules! value {
            ($expr:expr, $pattern:pat => $same:expr) => {{
                let same = |member: usize| match like(member) {
                    $pattern => Some($same),
                    _ => None,
                };
                self.value(thread, $expr, &same, registers)?
            }};
        }
        let exclusive = match operation {
            Operation::Load { exclusive, .. } | Operation::Store { exclusive, .. } => *exclusive,
            Operation::StoreConditional { .. } => true,
            _ => false,
        };
        if exclusive {
            self.has_exclusives = Some((thread, edge));
        }
        let place = match operation.footprint() {
            Some(footprint) => {
                let same = |member: usize| like(member).footprint().map(|footprint| footprint.address);
                Some(self.place((thread, edge), footprint.address, &same, registers)?)
            }
            None => None,
        };
        let mut set = |register: Register, value: Value, registers: &mut [Value]| {
            registers[register.index()] = value;
            is_changed[register.index()] = true;
        };
        match operation {
            Operation::Load { register, extension, .. } => {
                let value = self.load(place.as_ref(), *extension);
                set(*register, value, registers);
            }
            Operation::Store { value, .. } => {
                let value = value!(value, Operation::Store { value, .. } => value);
                self.store(place.as_ref(), &value)?;
            }
            Operation::StoreConditional { status, value, .. } => {
                let value = value!(value, Operation::StoreConditional { value, .. } => value);
                self.store(place.as_ref(), &value)?;
                set(*status, Value::Data, registers);
            }
            Operation::Rmw(rmw) => {
                let value = self.load(place.as_ref(), rmw.extension);
                set(rmw.register, value, registers);
                let condition = value!(&rmw.condition, Operation::Rmw(rmw) => &rmw.condition);
                self.collapse(&condition)?;
                let value = value!(&rmw.value, Operation::Rmw(rmw) => &rmw.value);
                self.store(place.as_ref(), &value)?;
            }
            Operation::Fence { address, .. } => {
                if let Some(address) = address {
                    let value = value!(address, Operation::Fence { address: Some(address), .. } => address);
                    self.collapse(&value)?;
                }
            }
            Operation::Set { register, value } => {
                let value = value!(value, Operation::Set { value, .. } => value);
                set(*register, value, registers);
            }
            Operation::Assume { condition, .. } => {
                let value = value!(condition, Operation::Assume { condition, .. } => condition);
                self.restrict(&value)?;
            }
            Operation::Assert { condition } => {
                let value = value!(condition, Operation::Assert { condition } => condition);
                self.restrict(&value)?;
            }
            Operation::Choose { register, low, high, .. } => {
                let low = value!(low, Operation::Choose { low, .. } => low);
                let high = value!(high, Operation::Choose { high, .. } => high);
                self.collapse(&low)?;
                self.collapse(&high)?;
                set(*register, Value::Data, registers);
            }
            Operation::Spawn { .. } | Operation::Join { .. } => {
                if self.threads.contains(&thread) {
                    return Err(OTHER_CODE);
                }
            }
            Operation::Lock { .. } | Operation::Unlock { .. } => self.store(place.as_ref(), &Value::Data)?,
            Operation::Send { channel, values } => {
                for (field, value) in values.iter().enumerate() {
                    let value = value!(value, Operation::Send { values, .. } => values.get(field)?);
                    let mut holds = self.found.fields[*channel][field];
                    self.flow(&value, &mut holds)?;
                    self.found.fields[*channel][field] = holds;
                }
            }
            Operation::Receive { channel, registers: into } => {
                for (field, register) in into.iter().enumerate() {
                    let holds_number = self.found.fields[*channel][field];
                    let value = if holds_number { self.any_number() } else { Value::Data };
                    set(*register, value, registers);
                }
            }
        }
        let uses_one = |operation: &Operation| match operation {
            Operation::Send { channel, .. } | Operation::Receive { channel, .. } => Some(*channel),
            _ => None,
        };
        if self.members(thread).iter().any(|&member| uses_one(like(member)) != uses_one(operation)) {
            return Err(CHANNELS);
        }
        Ok(())
    }

    /// Any value of what holds numbers of threads.
    fn any_number(&mut self) -> Value {
        self.symbols += 1;
        self.allowed.insert(self.symbols, vec![true; self.list.len()]);
        Value::Of(self.symbols, Rc::clone(&self.list))
    }

    fn load(&mut self, place: Option<&Place>, extension: u32) -> Value {
        let Some(place) = place else { return Value::Data };
        let cells = || place.family.iter().flatten().chain(&place.others);
        if !cells().any(|cell| self.found.cells[cell.index()]) {
            return Value::Data;
        }
        for cell in cells() {
            self.found.cells[cell.index()] = true;
        }
        let Value::Of(symbol, table) = self.any_number() else { return Value::Data };
        let extended = |&value: &u64| match extension {
            0 => value,
            bits => Code::Extend { shift: 64 - bits, signed: true }.apply(&[value]),
        };
        Value::Of(symbol, table.iter().map(extended).collect())
    }

    fn store(&mut self, place: Option<&Place>, value: &Value) -> Result<(), Why> {
        let Some(place) = place else { return Ok(()) };
        let cells: Vec<CellId> = place.family.iter().flatten().chain(&place.others).copied().collect();
        let mut holds = cells.iter().any(|cell| self.found.cells[cell.index()]);
        self.flow(value, &mut holds)?;
        for cell in cells {
            self.found.cells[cell.index()] |= holds;
        }
        Ok(())
    }

    /// Puts a value where numbers of threads are, or where they may be from now on.
    fn flow(&mut self, value: &Value, holds_number: &mut bool) -> Result<(), Why> {
        match value {
            Value::Data if *holds_number => return Err(MIXED),
            Value::Plain(value) if *holds_number => {
                if self.values().iter().any(|&number| number == value & 0xff) {
                    return Err(NAMED);
                }
                self.add(*value)?;
            }
            Value::Data | Value::Plain(_) => {}
            Value::Own(_) => {
                self.name(value)?;
                *holds_number = true;
            }
            Value::Of(symbol, table) => {
                if self.is_number(*symbol, table) {
                    *holds_number = true;
                    let values: Vec<u64> = table.to_vec();
                    let allowed = self.allowed.get(symbol).cloned().unwrap_or_default();
                    for (value, allowed) in values.into_iter().zip(allowed) {
                        if allowed {
                            self.add(value)?;
                        }
                    }
                } else if *holds_number {
                    return Err(COMPUTED);
                } else {
                    self.collapse(value)?;
                }
            }
        }
        Ok(())
    }

    /// Adds a value to those that what holds numbers of threads may have, with what widths make of it.
    fn add(&mut self, value: u64) -> Result<(), Why> {
        if self.range.contains(&value) {
            return Ok(());
        }
        for shift in [0, 32, 48, 56] {
            for signed in [false, true] {
                let extended = Code::Extend { shift, signed }.apply(&[value]);
                let numbers = self.values();
                if numbers.contains(&extended) && !numbers.contains(&value) {
                    return Err(COMPUTED);
                }
                self.range.insert(extended);
            }
        }
        if self.range.len() > MOST_VALUES { Err(COMPUTED) } else { Ok(()) }
    }

    /// Takes a constant of each thread for its number.
    fn name(&mut self, value: &Value) -> Result<(), Why> {
        let Value::Own(own) = value else { return Err(NUMBER) };
        if let Some(known) = &self.found.values {
            return if known[..] == own[..] { Ok(()) } else { Err(NUMBER) };
        }
        let distinct: BTreeSet<&u64> = own.iter().collect();
        if distinct.len() < own.len() || own.iter().any(|&number| number >= MOST) {
            return Err(NUMBER);
        }
        self.found.values = Some(own.to_vec());
        Ok(())
    }

    /// Whether a value is the number of a thread exactly where the symbol is, and then the same.
    fn is_number(&self, symbol: usize, table: &[u64]) -> bool {
        let numbers = self.values();
        let allowed = self.allowed.get(&symbol);
        self.list.iter().zip(table).enumerate().all(|(place, (before, after))| {
            if numbers.contains(before) {
                return before == after;
            }
            !numbers.contains(after) || allowed.is_some_and(|allowed| !allowed[place])
        })
    }

    /// Makes sure that a value does not depend on how threads are numbered.
    fn collapse(&self, value: &Value) -> Result<(), Why> {
        match value {
            Value::Data | Value::Plain(_) => Ok(()),
            Value::Own(_) => Err(NUMBER),
            Value::Of(_, table) => {
                let numbers = self.values();
                let places =
                    self.list.iter().zip(table.iter()).filter(|(before, _)| numbers.contains(before));
                let values: BTreeSet<&u64> = places.map(|(_, after)| after).collect();
                if values.len() <= 1 { Ok(()) } else { Err(COMPUTED) }
            }
        }
    }

    /// A condition that is true from here on.
    fn restrict(&mut self, condition: &Value) -> Result<(), Why> {
        self.collapse(condition)?;
        if let Value::Of(symbol, table) = condition
            && let Some(allowed) = self.allowed.get_mut(symbol)
        {
            for (allowed, &value) in allowed.iter_mut().zip(table.iter()) {
                *allowed &= value != 0;
            }
        }
        Ok(())
    }

    /// The value of an expression; `same` is the same expression in another thread of the group.
    fn value<'e>(
        &mut self,
        thread: usize,
        expr: &Expr,
        same: &dyn Fn(usize) -> Option<&'e Expr>,
        registers: &[Value],
    ) -> Result<Value, Why> {
        let members = self.members(thread);
        let mut stack: Vec<Value> = Vec::new();
        for (place, &code) in expr.code().iter().enumerate() {
            let value = match code {
                Code::Constant(value) => {
                    let constant = |&member: &usize| match same(member)?.code().get(place)? {
                        Code::Constant(value) => Some(*value),
                        _ => None,
                    };
                    let all: Option<Vec<u64>> = members.iter().map(constant).collect();
                    match all.ok_or(OTHER_CODE)? {
                        own if own.iter().any(|&other| other != value) => Value::Own(own.into()),
                        _ => Value::Plain(value),
                    }
                }
                Code::Register(register) => registers[register.index()].clone(),
                _ => {
                    let operands = stack.split_off(stack.len() - code.operands());
                    self.apply(code, &operands)?
                }
            };
            stack.push(value);
        }
        stack.pop().ok_or(OTHER_CODE)
    }

    fn apply(&mut self, code: Code, operands: &[Value]) -> Result<Value, Why> {
        let values: Vec<Option<&[u64]>> = operands
            .iter()
            .map(|operand| match operand {
                Value::Plain(value) => Some(std::slice::from_ref(value)),
                Value::Own(own) => Some(&own[..]),
                Value::Of(_, table) => Some(&table[..]),
                Value::Data => None,
            })
            .collect();
        let is_own = operands.iter().any(|operand| matches!(operand, Value::Own(_)));
        let symbols: BTreeSet<usize> = operands
            .iter()
            .filter_map(|operand| if let Value::Of(symbol, _) = operand { Some(*symbol) } else { None })
            .collect();
        let all: Option<Vec<&[u64]>> = values.into_iter().collect();
        if let Some(all) = all.filter(|_| usize::from(is_own) + symbols.len() <= 1) {
            let count = all.iter().map(|values| values.len()).max().unwrap_or(1);
            let at = |place: usize| {
                let operands: Vec<u64> =
                    all.iter().map(|values| values[place.min(values.len() - 1)]).collect();
                code.apply(&operands)
            };
            let results: Rc<[u64]> = (0..count).map(at).collect();
            return Ok(match symbols.first() {
                _ if results.iter().all(|result| *result == results[0]) => Value::Plain(results[0]),
                None => Value::Own(results),
                Some(&symbol) => Value::Of(symbol, results),
            });
        }
        if let (Code::Binary(Binary::Eq | Binary::Ne), [one, other]) = (code, operands)
            && self.is_any_number(one)?
            && self.is_any_number(other)?
        {
            return Ok(Value::Data);
        }
        if let (Code::Select, [condition, then, otherwise]) = (code, operands)
            && self.is_any_number(then)?
            && self.is_any_number(otherwise)?
        {
            self.collapse(condition)?;
            return Ok(self.any_number());
        }
        operands.iter().try_for_each(|operand| self.collapse(operand))?;
        Ok(Value::Data)
    }

    /// Whether a value is the number of a thread.
    fn is_any_number(&mut self, value: &Value) -> Result<bool, Why> {
        Ok(match value {
            Value::Own(_) => {
                self.name(value)?;
                true
            }
            Value::Of(symbol, table) => self.is_number(*symbol, table),
            _ => false,
        })
    }

    /// Where an access goes.
    fn place<'e>(
        &mut self,
        (thread, edge): (usize, usize),
        address: &Address,
        same: &dyn Fn(usize) -> Option<&'e Address>,
        registers: &[Value],
    ) -> Result<Place, Why> {
        let members = self.members(thread);
        let program = self.program;
        let (family, others) = match address {
            Address::Cell(cell) => {
                let own = |&member: &usize| match same(member)? {
                    Address::Cell(cell) => Some(*cell),
                    Address::Computed(..) => None,
                };
                let all: Option<Vec<CellId>> = members.iter().map(own).collect();
                let all = all.ok_or(OTHER_CODE)?;
                if all.iter().any(|other| other != cell) {
                    (Some(all), Vec::new())
                } else {
                    (None, vec![*cell])
                }
            }
            Address::Computed(expr, size) => {
                let like = |member: usize| same(member).and_then(Address::expression);
                match self.value(thread, expr, &like, registers)? {
                    Value::Of(symbol, table)
                        if self.collapse(&Value::Of(symbol, Rc::clone(&table))).is_err() =>
                    {
                        self.cells_of(symbol, &table, *size)?
                    }
                    value => {
                        self.collapse(&value)?;
                        let footprint = &self.footprints[&thread][edge];
                        let cells = (0..program.cells.len()).filter(|&cell| {
                            footprint.reads.contains(cell) || footprint.writes.contains(cell)
                        });
                        (None, cells.map(|cell| CellId(narrow(cell))).collect())
                    }
                }
            }
        };
        if let Some(family) = &family {
            self.add_family(family)?;
        }
        for &cell in &others {
            self.touched.entry(cell).or_insert((thread, edge));
        }
        // What one access may go to is of one kind.
        let cells = || family.iter().flatten().chain(&others);
        if cells().any(|cell| self.found.cells[cell.index()]) {
            for cell in cells() {
                self.found.cells[cell.index()] = true;
            }
        }
        Ok(Place { family, others })
    }

    /// The cells whose addresses depend on the number of a thread: the family, and others.
    fn cells_of(
        &self,
        symbol: usize,
        table: &[u64],
        size: u32,
    ) -> Result<(Option<Vec<CellId>>, Vec<CellId>), Why> {
        let cell_of = |number: &u64| {
            let place = self.list.iter().position(|value| value == number)?;
            self.program.cell_at(table[place], size)
        };
        let family: Option<Vec<CellId>> = self.values().iter().map(cell_of).collect();
        let family = family.ok_or(COMPUTED)?;
        let mut others = BTreeSet::new();
        let allowed = self.allowed.get(&symbol);
        for (place, (value, &address)) in self.list.iter().zip(table).enumerate() {
            let is_excluded = allowed.is_some_and(|allowed| !allowed[place]);
            if !self.values().contains(value) && !is_excluded {
                others.extend(self.program.cell_from(address));
            }
        }
        Ok((Some(family), others.into_iter().collect()))
    }

    fn add_family(&mut self, family: &[CellId]) -> Result<(), Why> {
        let known = self.families.get(&family[0]).map(|known| known.0);
        let number = known.unwrap_or(self.families.values().map(|known| known.0 + 1).max().unwrap_or(0));
        let sizes: BTreeSet<u32> = family.iter().map(|cell| self.program.cells[cell.index()].size).collect();
        if sizes.len() > 1 {
            return Err(CELLS);
        }
        for (place, &cell) in family.iter().enumerate() {
            match self.families.insert(cell, (number, place)) {
                None if known.is_none() => {}
                Some(before) if before == (number, place) => {}
                _ => return Err(CELLS),
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Exchange, Distinction> {
        let seen = |cell: &CellId| self.touched.get(cell);
        if let Some(&(thread, edge)) = self.families.keys().find_map(seen) {
            return Err(Distinction { thread, edge: Some(edge), why: CELLS });
        }
        for (&cell, &(family, place)) in &self.families {
            if self.found.families.len() <= family {
                self.found.families.resize(family + 1, vec![CellId(0); self.threads.len()]);
            }
            self.found.families[family][place] = cell;
        }
        if let Some(&(thread, edge)) = self.has_exclusives.as_ref().filter(|_| !self.found.is_plain()) {
            return Err(Distinction { thread, edge: Some(edge), why: EXCLUSIVE });
        }
        Ok(self.found)
    }

    /// Adds what is there at first, and in registers that were not given a value.
    fn add_initial(&mut self) -> Result<(), Why> {
        let program = self.program;
        let cells = program.cells.iter().zip(&self.found.cells);
        let mut initial: Vec<u64> =
            cells.filter(|(_, holds)| **holds).map(|(cell, _)| cell.initial).collect();
        for (code, holds) in program.threads.iter().zip(&self.found.registers) {
            let values = code.initial_registers();
            initial
                .extend(values.into_iter().zip(holds).filter(|(_, holds)| **holds).map(|(value, _)| value));
        }
        initial.into_iter().try_for_each(|value| self.add(value))
    }
}
