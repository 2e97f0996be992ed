//! An instance with a fixed number of processes, state by state: the simple version that tests compare with.
//!
//! Reals are integers here, uninitialised numbers are guessed, and buffers have a bound: it may miss states, and
//! says so.

use crate::instance::arrangements;
use crate::system::{Access, Condition, Formula, Process, Sort, System, Term, Transition, Update};
use crate::term::Relation;

/// Initial states that are explored.
const MOST_INITIAL: usize = 4_096;

/// A state: the value of each cell, and for each process its pending writes, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(crate) struct State {
    /// Values, in the order of the layout.
    pub(crate) memory: Vec<i64>,
    /// For each process its pending writes; each may be of several cells.
    pub(crate) buffers: Vec<Vec<Vec<(u32, i64)>>>,
}

/// A system with a number of processes.
#[derive(Debug)]
pub(crate) struct ReferenceInstance<'a> {
    /// The system.
    pub(crate) system: &'a System,
    /// How many processes.
    pub(crate) count: u8,
    /// The most entries of a buffer.
    pub(crate) bound: usize,
    first: Vec<usize>,
    cells: usize,
    numbers: Vec<i64>,
}

/// A transition of some processes, or None for a flush of one.
pub(crate) type Step = (Option<usize>, Vec<u8>);

impl<'a> ReferenceInstance<'a> {
    /// `count` processes with buffers of at most `bound` entries.
    pub(crate) fn new(system: &'a System, count: u8, bound: usize) -> Self {
        let mut first = Vec::new();
        let mut cells = 0;
        for symbol in &system.symbols {
            first.push(cells);
            cells += usize::from(count).pow(u32::from(symbol.dimensions));
        }
        let mut numbers = vec![0, 1];
        for condition in system.init.iter().chain(system.transitions.iter().map(|one| &one.guard)).flatten() {
            if let Condition::Linear(_, _, constant) = condition {
                numbers.push(constant.saturating_neg());
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        Self { system, count, bound, first, cells, numbers }
    }

    /// The number of a cell.
    pub(crate) fn cell(&self, symbol: u16, index: impl Iterator<Item = u8>) -> usize {
        let count = usize::from(self.count);
        self.first[symbol as usize] + index.fold(0, |cell, process| cell * count + usize::from(process))
    }

    fn process(process: Process, processes: &[u8]) -> u8 {
        match process {
            Process::Variable(number) => processes[number as usize],
            Process::Constant(number) => number,
        }
    }

    fn cell_of(&self, access: &Access, processes: &[u8]) -> usize {
        self.cell(access.symbol, access.index.iter().map(|&index| Self::process(index, processes)))
    }

    /// What a process sees in a cell.
    pub(crate) fn view(state: &State, cell: usize, reader: Option<u8>) -> i64 {
        let buffer = reader.and_then(|reader| state.buffers.get(reader as usize));
        let own = buffer.and_then(|buffer| {
            buffer.iter().rev().flatten().find(|write| write.0 as usize == cell).map(|write| write.1)
        });
        own.unwrap_or(state.memory[cell])
    }

    fn access(&self, state: &State, access: &Access, processes: &[u8]) -> i64 {
        let reader = access.reader.map(|reader| Self::process(reader, processes));
        Self::view(state, self.cell_of(access, processes), reader)
    }

    fn sum(&self, state: &State, parts: &[(Access, i64)], constant: i64, processes: &[u8]) -> Option<i64> {
        parts.iter().try_fold(constant, |sum, (access, factor)| {
            sum.checked_add(factor.checked_mul(self.access(state, access, processes))?)
        })
    }

    /// The values of a term; None for any.
    fn term(&self, state: &State, term: &Term, processes: &[u8]) -> Option<i64> {
        match term {
            Term::Process(process) => Some(i64::from(Self::process(*process, processes))),
            Term::Constructor(number) => Some(i64::from(*number)),
            Term::Access(access) => Some(self.access(state, access, processes)),
            Term::Linear(parts, constant, divisor) => {
                let sum = self.sum(state, parts, *constant, processes)?;
                (sum % divisor == 0).then(|| sum / divisor)
            }
            Term::Any => None,
        }
    }

    /// Whether a condition holds.
    pub(crate) fn holds(&self, state: &State, condition: &Condition, processes: &[u8]) -> bool {
        let (relation, difference) = match condition {
            Condition::Linear(relation, parts, constant) => {
                (*relation, self.sum(state, parts, *constant, processes))
            }
            Condition::Compare(relation, a, b) => {
                let sides = (self.term(state, a, processes), self.term(state, b, processes));
                (*relation, sides.0.zip(sides.1).and_then(|(a, b)| a.checked_sub(b)))
            }
        };
        difference.is_some_and(|difference| match relation {
            Relation::Equal => difference == 0,
            Relation::Different => difference != 0,
            Relation::Less => difference < 0,
            Relation::AtMost => difference <= 0,
        })
    }

    fn all_hold(&self, state: &State, conditions: &[Condition], processes: &[u8]) -> bool {
        conditions.iter().all(|condition| self.holds(state, condition, processes))
    }

    fn domain(&self, sort: Sort) -> Vec<i64> {
        match sort {
            Sort::Finite(size) => (0..i64::from(size)).collect(),
            Sort::Process => (0..i64::from(self.count)).collect(),
            Sort::Abstract => vec![0, 1],
            Sort::Integer | Sort::Real => self.numbers.clone(),
        }
    }

    /// Initial states; whether they are all. Where there are none, a variable may name something that is no process.
    pub(crate) fn initial(&self) -> (Vec<State>, bool) {
        let found = self.initial_with(false);
        if found.0.is_empty() { self.initial_with(true) } else { found }
    }

    fn initial_with(&self, outsider: bool) -> (Vec<State>, bool) {
        let tuples = arrangements(self.system.init_parameters, self.count, true);
        let mut domains: Vec<Vec<i64>> = Vec::new();
        let mut is_complete = true;
        for symbol in &self.system.symbols {
            let cells = usize::from(self.count).pow(u32::from(symbol.dimensions));
            let mut domain = self.domain(symbol.sort);
            if outsider && symbol.sort == Sort::Process && symbol.dimensions == 0 {
                domain = vec![i64::from(self.count), 0];
            }
            if symbol.sort == Sort::Abstract {
                domain.truncate(1);
            }
            domains.resize(domains.len() + cells, domain);
        }
        for tuple in &tuples {
            self.narrow(&mut domains, tuple);
        }
        let mut states = vec![Vec::new()];
        for (cell, domain) in domains.iter().enumerate() {
            let is_number = self
                .sort_of(cell)
                .is_some_and(|sort| matches!(sort, Sort::Integer | Sort::Real | Sort::Abstract));
            is_complete &= !is_number || domain.len() == 1 && !self.is_abstract(cell);
            let longer = |state: &Vec<i64>| {
                let state = state.clone();
                domain.iter().map(move |&value| [state.as_slice(), &[value]].concat())
            };
            states = states.iter().flat_map(longer).take(MOST_INITIAL).collect();
            is_complete &= states.len() < MOST_INITIAL;
        }
        let buffers = vec![Vec::new(); usize::from(self.count)];
        let made = states.into_iter().map(|memory| State { memory, buffers: buffers.clone() });
        let is_initial = |state: &State| {
            let one = |tuple: &Vec<u8>| self.system.init.iter().any(|all| self.all_hold(state, all, tuple));
            tuples.iter().all(one)
                && !self.system.invariants.iter().any(|one| self.reaches(state, one).is_some())
        };
        (made.filter(is_initial).collect(), is_complete)
    }

    fn is_abstract(&self, cell: usize) -> bool {
        self.sort_of(cell) == Some(Sort::Abstract)
    }

    fn sort_of(&self, cell: usize) -> Option<Sort> {
        let symbol = self.first.iter().rposition(|&first| first <= cell)?;
        Some(self.system.symbols[symbol].sort)
    }

    /// Keeps only the value of a cell that every alternative of init gives it.
    fn narrow(&self, domains: &mut [Vec<i64>], tuple: &[u8]) {
        let [conjunction] = self.system.init.as_slice() else { return };
        for condition in conjunction {
            match condition {
                Condition::Compare(Relation::Equal, Term::Access(access), Term::Constructor(value))
                | Condition::Compare(Relation::Equal, Term::Constructor(value), Term::Access(access)) => {
                    domains[self.cell_of(access, tuple)] = vec![i64::from(*value)];
                }
                Condition::Linear(Relation::Equal, parts, constant) => {
                    if let [(access, factor)] = parts.as_slice()
                        && constant % factor == 0
                    {
                        domains[self.cell_of(access, tuple)] = vec![-constant / factor];
                    }
                }
                _ => {}
            }
        }
    }

    /// Processes that show a state to be in a formula.
    pub(crate) fn reaches(&self, state: &State, formula: &Formula) -> Option<Vec<u8>> {
        let tuples = arrangements(formula.parameters, self.count, false);
        tuples.into_iter().find(|tuple| self.all_hold(state, &formula.conditions, tuple))
    }

    /// What can happen in a state; `held` is set where the bound of a buffer prevents a step.
    pub(crate) fn successors(&self, state: &State, held: &mut bool) -> Vec<(Step, State)> {
        let mut found = Vec::new();
        for process in 0..self.count {
            if !state.buffers[process as usize].is_empty() {
                let mut next = state.clone();
                for (cell, value) in next.buffers[process as usize].remove(0) {
                    next.memory[cell as usize] = value;
                }
                found.push(((None, vec![process]), next));
            }
        }
        for transition in &self.system.transitions {
            for processes in arrangements(transition.parameters, self.count, false) {
                if self.is_enabled(state, transition, &processes) {
                    for next in self.after(state, transition, &processes, held) {
                        found.push(((Some(transition.number), processes.clone()), next));
                    }
                }
            }
        }
        found
    }

    fn is_enabled(&self, state: &State, transition: &Transition, processes: &[u8]) -> bool {
        let is_atomic = transition.reads && transition.writes;
        if (transition.fence || is_atomic)
            && let Some(acting) = transition.acting
            && !state.buffers[processes[acting as usize] as usize].is_empty()
        {
            return false;
        }
        let others = (0..self.count).filter(|process| !processes.contains(process));
        self.all_hold(state, &transition.guard, processes)
            && others.into_iter().all(|other| {
                let with = [processes, &[other]].concat();
                transition.universal.iter().all(|one| one.iter().any(|all| self.all_hold(state, all, &with)))
            })
    }

    fn after(&self, state: &State, transition: &Transition, processes: &[u8], held: &mut bool) -> Vec<State> {
        // Cells with the values that they may get.
        let mut written: Vec<(usize, bool, Vec<i64>)> = Vec::new();
        for update in &transition.updates {
            let symbol = match update {
                Update::Cell(access, _) => access.symbol,
                Update::All(symbol, _) => *symbol,
            };
            let shape = &self.system.symbols[symbol as usize];
            let mut write = |cell: usize, term: &Term, processes: &[u8]| {
                let values = match term {
                    Term::Any => self.domain(shape.sort),
                    _ => self.term(state, term, processes).into_iter().collect(),
                };
                written.push((cell, shape.is_weak, values));
            };
            match update {
                Update::Cell(access, term) => write(self.cell_of(access, processes), term, processes),
                Update::All(_, cases) => {
                    for index in arrangements(shape.dimensions, self.count, true) {
                        let with = [processes, index.as_slice()].concat();
                        let holds = |alternatives: &[Vec<Condition>]| {
                            alternatives.iter().any(|all| self.all_hold(state, all, &with))
                        };
                        if let Some((_, term)) = cases.iter().find(|case| holds(&case.0)) {
                            write(self.cell(symbol, index.iter().copied()), term, &with);
                        }
                    }
                }
            }
        }
        self.write_all(state, transition, processes, &written, held)
    }

    fn write_all(
        &self,
        state: &State,
        transition: &Transition,
        processes: &[u8],
        written: &[(usize, bool, Vec<i64>)],
        held: &mut bool,
    ) -> Vec<State> {
        let mut choices: Vec<Vec<i64>> = vec![Vec::new()];
        for (_, _, values) in written {
            let longer = |choice: &Vec<i64>| {
                let choice = choice.clone();
                values.iter().map(move |&value| [choice.as_slice(), &[value]].concat())
            };
            choices = choices.iter().flat_map(longer).collect();
        }
        let mut found = Vec::new();
        for choice in choices {
            let mut next = state.clone();
            let mut entry = Vec::new();
            for ((cell, is_weak, _), value) in written.iter().zip(choice) {
                if *is_weak && !transition.reads {
                    entry.push((u32::try_from(*cell).unwrap_or(u32::MAX), value));
                } else {
                    next.memory[*cell] = value;
                }
            }
            if let Some(acting) = transition.acting
                && !entry.is_empty()
            {
                let buffer = &mut next.buffers[processes[acting as usize] as usize];
                if buffer.len() >= self.bound {
                    *held = true;
                    continue;
                }
                buffer.push(entry);
            }
            found.push(next);
        }
        found
    }

    /// How many cells there are.
    pub(crate) fn cells(&self) -> usize {
        self.cells
    }
}
