//! An instance with a fixed number of processes, compiled for exploring many states; BRAB tests its guesses on it.
//!
//! Every transition is instantiated for each choice of processes. A state is a row of bytes: the value of each
//! cell, then for each process the contents of its store buffer. Values of abstract types are not stored; what
//! `init` leaves open is `UNKNOWN`, and comparisons with such a value hold. If there are few, the values that
//! `init` leaves open are enumerated, for numbers 0 and 1; states with large numbers are omitted. So there may be
//! more states than are reachable, or fewer; since every guess is proved, this costs guesses, never soundness.

mod initial;

use crate::system::{
    Access, Alternatives, Condition, Conjunction, Process, Sort, System, Term, Transition, Update,
};
use crate::term::Relation;

/// A value that may be any.
pub const UNKNOWN: u8 = u8::MAX;
/// The byte of the number 0.
const ZERO: i64 = 100;

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// It is this one.
    Value(u8),
    /// What a process sees in a cell, or what is there.
    Cell(usize, Option<u8>),
}

/// Cells times whole numbers, plus a constant.
#[derive(Debug, Clone)]
pub struct Total {
    /// Cells and factors.
    pub parts: Vec<(Source, i64)>,
    /// What is added.
    pub constant: i64,
}

/// A comparison of two values, or of a sum of numbers with 0.
#[derive(Debug, Clone)]
pub enum Check {
    /// Two values that are not numbers.
    Pair(Relation, Source, Source),
    /// One of these values, bit n for n.
    Among(Source, u64),
    /// Numbers.
    Sum(Relation, Total),
}

/// Comparisons that hold together, of which one list holds.
type Checks = Vec<Vec<Check>>;

/// What a cell may get.
#[derive(Debug, Clone)]
enum Given {
    Copy(Source),
    OneOf(u8),
    Sum(Total, i64),
    Unknown,
}

/// A cell that gets the value of the first case that holds.
#[derive(Debug, Clone)]
struct Write {
    cell: usize,
    is_buffered: bool,
    cases: Vec<(Checks, Given)>,
}

/// A transition of certain processes.
#[derive(Debug, Clone)]
struct Rule {
    acting: Option<usize>,
    waits: bool,
    guard: Vec<Check>,
    universal: Vec<Checks>,
    writes: Vec<Write>,
}

/// An instance.
#[derive(Debug)]
pub struct Instance<'a> {
    system: &'a System,
    /// How many processes there are.
    pub count: u8,
    first: Vec<usize>,
    cells: usize,
    bound: usize,
    has_buffers: bool,
    rules: Vec<Rule>,
}

fn process(process: Process, processes: &[u8]) -> u8 {
    match process {
        Process::Variable(number) => processes[number as usize],
        Process::Constant(number) => number,
    }
}

impl<'a> Instance<'a> {
    /// `count` processes with store buffers of at most `bound` entries; None if there are too many cells.
    #[must_use]
    pub fn new(system: &'a System, count: u8, bound: usize) -> Option<Self> {
        let mut first = Vec::new();
        let mut cells = 0;
        for symbol in &system.symbols {
            first.push(cells);
            cells += usize::from(count).pow(u32::from(symbol.dimensions));
        }
        let has_buffers = system.symbols.iter().any(|symbol| symbol.is_weak);
        if cells >= usize::from(UNKNOWN) && has_buffers {
            return None;
        }
        let mut ground = Self { system, count, first, cells, bound, has_buffers, rules: Vec::new() };
        let mut rules = Vec::new();
        for transition in &system.transitions {
            for processes in arrangements(transition.parameters, count, false) {
                rules.extend(ground.rule(transition, &processes));
            }
        }
        ground.rules = rules;
        Some(ground)
    }

    /// The number of a cell.
    #[must_use]
    pub fn cell(&self, symbol: u16, index: impl Iterator<Item = u8>) -> usize {
        let count = usize::from(self.count);
        self.first[symbol as usize] + index.fold(0, |cell, process| cell * count + usize::from(process))
    }

    fn cell_of(&self, access: &Access, processes: &[u8]) -> usize {
        self.cell(access.symbol, access.index.iter().map(|&index| process(index, processes)))
    }

    /// Whether values of a symbol are kept.
    #[must_use]
    pub fn keeps(&self, symbol: u16) -> bool {
        self.system.symbols[symbol as usize].sort != Sort::Abstract
    }

    fn read(&self, access: &Access, processes: &[u8]) -> Source {
        let reader = access.reader.map(|reader| process(reader, processes));
        Source::Cell(self.cell_of(access, processes), reader)
    }

    fn source(&self, term: &Term, processes: &[u8]) -> Option<Source> {
        match term {
            Term::Process(one) => Some(Source::Value(process(*one, processes))),
            Term::Constructor(number) => Some(Source::Value(*number)),
            Term::Access(access) if self.keeps(access.symbol) => Some(self.read(access, processes)),
            Term::Access(_) | Term::Linear(..) | Term::Any => None,
        }
    }

    fn total(&self, parts: &[(Access, i64)], constant: i64, processes: &[u8]) -> Total {
        let part = |part: &(Access, i64)| (self.read(&part.0, processes), part.1);
        Total { parts: parts.iter().map(part).collect(), constant }
    }

    /// The comparisons of values that are kept.
    fn checks(&self, conditions: &Conjunction, processes: &[u8]) -> Vec<Check> {
        let check = |condition: &Condition| match condition {
            Condition::Compare(relation, left, right) => {
                Some(Check::Pair(*relation, self.source(left, processes)?, self.source(right, processes)?))
            }
            Condition::Linear(relation, parts, constant) => {
                Some(Check::Sum(*relation, self.total(parts, *constant, processes)))
            }
        };
        conditions.iter().filter_map(check).collect()
    }

    fn alternatives(&self, alternatives: &Alternatives, processes: &[u8]) -> Checks {
        alternatives.iter().map(|conjunction| self.checks(conjunction, processes)).collect()
    }

    /// A transition of certain processes; None if comparisons of these processes forbid it.
    fn rule(&self, transition: &Transition, processes: &[u8]) -> Option<Rule> {
        let mut guard = self.checks(&transition.guard, processes);
        let mut possible = true;
        guard.retain(|check| match check {
            Check::Pair(relation, Source::Value(left), Source::Value(right)) => {
                possible &= related(*relation, *left, *right);
                false
            }
            _ => true,
        });
        if !possible {
            return None;
        }
        let others = (0..self.count).filter(|one| !processes.contains(one));
        let mut universal = Vec::new();
        for other in others {
            let with = [processes, &[other]].concat();
            universal.extend(transition.universal.iter().map(|one| self.alternatives(one, &with)));
        }
        let is_atomic = transition.reads && transition.writes;
        let writes = transition.updates.iter().flat_map(|update| self.writes(update, processes, !is_atomic));
        Some(Rule {
            acting: transition.acting.map(|acting| usize::from(processes[acting as usize])),
            waits: transition.fence || is_atomic,
            guard,
            universal,
            writes: writes.collect(),
        })
    }

    fn writes(&self, update: &Update, processes: &[u8], may_wait: bool) -> Vec<Write> {
        let symbol = match update {
            Update::Cell(access, _) => access.symbol,
            Update::All(symbol, _) => *symbol,
        };
        if !self.keeps(symbol) {
            return Vec::new();
        }
        let shape = &self.system.symbols[symbol as usize];
        let is_buffered = may_wait && shape.is_weak;
        let given = |term: &Term, processes: &[u8]| match (term, self.source(term, processes), shape.sort) {
            (_, Some(source), _) => Given::Copy(source),
            (Term::Linear(parts, constant, divisor), ..) => {
                Given::Sum(self.total(parts, *constant, processes), *divisor)
            }
            (_, None, Sort::Finite(size)) => Given::OneOf(size),
            (_, None, Sort::Process) => Given::OneOf(self.count),
            (_, None, _) => Given::Unknown,
        };
        match update {
            Update::Cell(access, term) => {
                let cell = self.cell_of(access, processes);
                vec![Write { cell, is_buffered, cases: vec![(vec![Vec::new()], given(term, processes))] }]
            }
            Update::All(_, cases) => {
                let write = |index: Vec<u8>| {
                    let with = [processes, index.as_slice()].concat();
                    let one = |case: &(Alternatives, Term)| {
                        (self.alternatives(&case.0, &with), given(&case.1, &with))
                    };
                    let cell = self.cell(symbol, index.iter().copied());
                    Write { cell, is_buffered, cases: cases.iter().map(one).collect() }
                };
                arrangements(shape.dimensions, self.count, true).into_iter().map(write).collect()
            }
        }
    }

    /// What a process sees in a cell: its own latest pending write, or what memory holds.
    #[must_use]
    pub fn value(&self, state: &[u8], source: Source) -> u8 {
        match source {
            Source::Value(value) => value,
            Source::Cell(cell, None) => state[cell],
            Source::Cell(cell, Some(reader)) => {
                let mut seen = state[cell];
                for entry in self.buffer(state, usize::from(reader)).chunks_exact(2) {
                    if usize::from(entry[0]) == cell {
                        seen = entry[1];
                    }
                }
                seen
            }
        }
    }

    /// Where the buffer of a process begins and ends: entries are pairs of cell and value, each write of several
    /// cells is closed by a pair of `UNKNOWN`.
    fn span(&self, state: &[u8], reader: usize) -> (usize, usize) {
        let lengths = &state[self.cells..self.cells + usize::from(self.count)];
        let before: usize = lengths[..reader].iter().map(|&length| usize::from(length)).sum();
        let start = self.cells + usize::from(self.count) + before;
        (start, start + usize::from(lengths[reader]))
    }

    fn buffer<'s>(&self, state: &'s [u8], reader: usize) -> &'s [u8] {
        let (start, end) = self.span(state, reader);
        &state[start..end]
    }

    /// Whether a comparison holds, or may.
    #[must_use]
    pub fn holds(&self, state: &[u8], check: &Check) -> bool {
        match check {
            Check::Pair(relation, left, right) => {
                related(*relation, self.value(state, *left), self.value(state, *right))
            }
            Check::Among(source, values) => match self.value(state, *source) {
                UNKNOWN => true,
                value => value < 64 && values >> value & 1 == 1,
            },
            Check::Sum(relation, total) => self.sum(state, total).is_none_or(|sum| match relation {
                Relation::Equal => sum == 0,
                Relation::Different => sum != 0,
                Relation::Less => sum < 0,
                Relation::AtMost => sum <= 0,
            }),
        }
    }

    fn sum(&self, state: &[u8], total: &Total) -> Option<i64> {
        total.parts.iter().try_fold(total.constant, |sum, &(source, factor)| {
            let number = match self.value(state, source) {
                UNKNOWN => return None,
                byte => i64::from(byte) - ZERO,
            };
            sum.checked_add(factor.checked_mul(number)?)
        })
    }

    fn one_holds(&self, state: &[u8], checks: &Checks) -> bool {
        checks.iter().any(|all| all.iter().all(|check| self.holds(state, check)))
    }

    /// Calls `found` with each state one step later.
    pub fn successors(&self, state: &[u8], found: &mut impl FnMut(Vec<u8>)) {
        if self.has_buffers {
            for reader in 0..usize::from(self.count) {
                if state[self.cells + reader] != 0 {
                    found(self.flush(state, reader));
                }
            }
        }
        for rule in &self.rules {
            if let (true, Some(acting)) = (rule.waits && self.has_buffers, rule.acting)
                && state[self.cells + acting] != 0
            {
                continue;
            }
            if rule.guard.iter().all(|check| self.holds(state, check))
                && rule.universal.iter().all(|checks| self.one_holds(state, checks))
            {
                self.apply_rule(state, rule, found);
            }
        }
    }

    fn flush(&self, state: &[u8], reader: usize) -> Vec<u8> {
        let mut next = state.to_vec();
        let (start, end) = self.span(state, reader);
        let mut at = start;
        while at < end && state[at] != UNKNOWN {
            next[usize::from(state[at])] = state[at + 1];
            at += 2;
        }
        let gone = at + 2 - start;
        next.drain(start..start + gone);
        next[self.cells + reader] -= u8::try_from(gone).unwrap_or(u8::MAX);
        next
    }

    fn apply_rule(&self, state: &[u8], rule: &Rule, found: &mut impl FnMut(Vec<u8>)) {
        let mut open: Vec<(Vec<u8>, Vec<u8>)> = vec![(state.to_vec(), Vec::new())];
        for write in &rule.writes {
            let Some((_, given)) = write.cases.iter().find(|case| self.one_holds(state, &case.0)) else {
                continue;
            };
            let put = |value: u8, next: &mut (Vec<u8>, Vec<u8>)| {
                if write.is_buffered {
                    next.1.extend([u8::try_from(write.cell).unwrap_or(UNKNOWN), value]);
                } else {
                    next.0[write.cell] = value;
                }
            };
            match given {
                Given::Copy(source) => {
                    let value = self.value(state, *source);
                    for next in &mut open {
                        put(value, next);
                    }
                }
                Given::Sum(total, divisor) => {
                    let sum = self.sum(state, total).filter(|sum| sum % divisor == 0);
                    let value = sum.map_or(UNKNOWN, |sum| to_byte(sum / divisor));
                    // Numbers that grow forever leave the explored range.
                    if sum.is_some() && value == UNKNOWN {
                        return;
                    }
                    for next in &mut open {
                        put(value, next);
                    }
                }
                Given::Unknown => {
                    for next in &mut open {
                        put(UNKNOWN, next);
                    }
                }
                Given::OneOf(size) => {
                    let mut more = Vec::new();
                    for next in open {
                        for value in 0..*size {
                            let mut next = next.clone();
                            put(value, &mut next);
                            more.push(next);
                        }
                    }
                    open = more;
                }
            }
        }
        for (mut next, mut entry) in open {
            if let (false, Some(acting)) = (entry.is_empty(), rule.acting) {
                let writes =
                    self.buffer(state, acting).chunks_exact(2).filter(|one| one[0] == UNKNOWN).count();
                let (_, end) = self.span(state, acting);
                entry.extend([UNKNOWN, UNKNOWN]);
                let length = usize::from(next[self.cells + acting]) + entry.len();
                let Ok(length) = u8::try_from(length) else { continue };
                if writes >= self.bound {
                    continue;
                }
                next[self.cells + acting] = length;
                next.splice(end..end, entry);
            }
            found(next);
        }
    }
}

/// Whether two values compare so, or may.
#[must_use]
pub fn related(relation: Relation, a: u8, b: u8) -> bool {
    if a == UNKNOWN || b == UNKNOWN {
        return true;
    }
    match relation {
        Relation::Equal => a == b,
        Relation::Different => a != b,
        Relation::Less => a < b,
        Relation::AtMost => a <= b,
    }
}

/// A number as a byte.
fn to_byte(number: i64) -> u8 {
    u8::try_from(number.saturating_add(ZERO)).unwrap_or(UNKNOWN)
}

/// All lists of `count` numbers below `size`, different ones unless `repeated`.
#[must_use]
pub fn arrangements(count: u8, size: u8, repeated: bool) -> Vec<Vec<u8>> {
    let mut found = vec![Vec::new()];
    for _ in 0..count {
        let longer = |list: &Vec<u8>| {
            let fresh = (0..size).filter(|number| repeated || !list.contains(number));
            fresh.map(|number| [list.as_slice(), &[number]].concat()).collect::<Vec<_>>()
        };
        found = found.iter().flat_map(longer).collect();
    }
    found
}
