//! Systems of any number of processes, as Python hands them over.

use crate::term::{DIMENSIONS, Place, Relation};
use membar_ir::error::CoreError;
use membar_ir::words::Words;

/// What values a symbol has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// So many constructors, at most 64.
    Finite(u8),
    /// Processes.
    Process,
    /// Any values, compared by equality only.
    Abstract,
    /// Integers.
    Integer,
    /// Reals.
    Real,
}

/// The sorts of all symbols, and what is known of process variables.
#[derive(Debug, Clone, Default)]
pub struct Sorts {
    sorts: Vec<Sort>,
    /// Whether process variable n is always the n-th process.
    pub is_fixed: bool,
}

impl Sorts {
    /// Of these symbols.
    #[must_use]
    pub fn new(symbols: &[Symbol], is_fixed: bool) -> Self {
        Self { sorts: symbols.iter().map(|symbol| symbol.sort).collect(), is_fixed }
    }

    /// The sort of a place.
    #[must_use]
    pub fn of(&self, place: Place) -> Sort {
        self.sorts.get(place.symbol as usize).copied().unwrap_or(Sort::Process)
    }

    /// The number of constructors of a place of a finite type.
    #[must_use]
    pub fn size(&self, place: Place) -> Option<u8> {
        match self.of(place) {
            Sort::Finite(size) => Some(size),
            _ => None,
        }
    }

    /// All values of a place of a finite type.
    #[must_use]
    pub fn all(&self, place: Place) -> u64 {
        match self.size(place) {
            Some(64) | None => u64::MAX,
            Some(size) => (1 << size) - 1,
        }
    }
}

/// A variable or an array over processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symbol {
    /// Its values.
    pub sort: Sort,
    /// How many processes index it.
    pub dimensions: u8,
    /// Whether it is memory behind store buffers.
    pub is_weak: bool,
}

/// A process in a formula: parameter or bound variable n, or process constant n.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Process {
    Variable(u8),
    Constant(u8),
}

/// A cell in a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// Which symbol.
    pub symbol: u16,
    /// Its indices.
    pub index: Vec<Process>,
    /// The process that reads, if the symbol is weak.
    pub reader: Option<Process>,
}

/// A value in a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Term {
    /// A process.
    Process(Process),
    /// A constructor of a finite type.
    Constructor(u8),
    /// The content of a cell.
    Access(Access),
    /// Cells times whole numbers, plus a constant, all divided by a positive number.
    Linear(Vec<(Access, i64)>, i64, i64),
    /// Any value at all.
    Any,
}

/// A literal of a formula.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Two values that are not numbers.
    Compare(Relation, Term, Term),
    /// Cells times whole numbers plus a constant, compared with 0.
    Linear(Relation, Vec<(Access, i64)>, i64),
}

/// A conjunction.
pub type Conjunction = Vec<Condition>;
/// A disjunction of conjunctions.
pub type Alternatives = Vec<Conjunction>;

/// States described by some different processes and what holds of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Formula {
    /// How many processes.
    pub parameters: u8,
    /// What holds.
    pub conditions: Conjunction,
}

/// What a transition does to one symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Update {
    /// One cell gets a value.
    Cell(Access, Term),
    /// Every cell gets the value of the first case that holds; its indices are variables after the parameters.
    All(u16, Vec<(Alternatives, Term)>),
}

/// A transition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transition {
    /// Its number for the caller.
    pub number: usize,
    /// How many different processes take part.
    pub parameters: u8,
    /// The parameter that reads and writes weak memory.
    pub acting: Option<u8>,
    /// Whether its store buffer must be empty.
    pub fence: bool,
    /// What must hold.
    pub guard: Conjunction,
    /// What must hold of each other process, which is the variable after the parameters.
    pub universal: Vec<Alternatives>,
    /// What it does, at once.
    pub updates: Vec<Update>,
    /// Whether it reads weak memory.
    pub reads: bool,
    /// Whether it writes weak memory.
    pub writes: bool,
}

/// A system.
#[derive(Debug, Clone)]
pub struct System {
    /// Variables and arrays.
    pub symbols: Vec<Symbol>,
    /// Their sorts.
    pub sorts: Sorts,
    /// Exactly so many processes, if said.
    pub size: Option<u8>,
    /// How many processes `init` mentions.
    pub init_parameters: u8,
    /// What holds initially of any processes.
    pub init: Alternatives,
    /// What must not be reached.
    pub unsafe_states: Vec<Formula>,
    /// What is never reached, if the user is right; initially it does not hold.
    pub invariants: Vec<Formula>,
    /// Transitions.
    pub transitions: Vec<Transition>,
    /// Cubes keep so many processes, even those of which they say nothing: with fewer, no state is bad. 0 unless a
    /// formula has parameters of which it says nothing.
    pub least: u8,
}

/// Parameters of a formula.
const MOST_PARAMETERS: usize = 32;

impl System {
    /// Reads a system.
    pub fn decode(form: &[u64]) -> Result<Self, CoreError> {
        let mut words = Words::new(form);
        let size = match words.index(MOST_PARAMETERS, "too many processes")? {
            0 => None,
            size => u8::try_from(size).ok(),
        };
        let count = words.count()?;
        let symbols: Vec<Symbol> = (0..count).map(|_| symbol(&mut words)).collect::<Result<_, _>>()?;
        let mut reader = Reader { words, symbols: &symbols, has_constants: false };
        let init_parameters = reader.small(MOST_PARAMETERS)?;
        let init = reader.alternatives(init_parameters)?;
        let unsafe_states = reader.list(Reader::formula)?;
        let invariants = reader.list(Reader::formula)?;
        let transitions = reader.list(Reader::transition)?;
        reader.words.end()?;
        let has_constants = reader.has_constants;
        if has_constants && size.is_none() {
            return Err(CoreError::Malformed { at: 0, what: "process constants without a size" });
        }
        let sorts = Sorts::new(&symbols, has_constants);
        let least = least_processes(unsafe_states.iter().chain(&invariants));
        Ok(Self {
            symbols,
            sorts,
            size,
            init_parameters,
            init,
            unsafe_states,
            invariants,
            transitions,
            least,
        })
    }
}

/// The fewest processes of a bad state, if that has to be remembered.
fn least_processes<'a>(formulas: impl Iterator<Item = &'a Formula> + Clone) -> u8 {
    let has_idle = |formula: &Formula| {
        (0..formula.parameters).any(|parameter| {
            let is_named = |process: Process| process == Process::Variable(parameter);
            !formula.conditions.iter().flat_map(Condition::processes).any(is_named)
        })
    };
    if formulas.clone().any(has_idle) { formulas.map(|one| one.parameters).min().unwrap_or(0) } else { 0 }
}

impl Access {
    fn processes(&self) -> impl Iterator<Item = Process> {
        self.index.iter().copied().chain(self.reader)
    }
}

impl Term {
    fn processes(&self) -> Vec<Process> {
        match self {
            Self::Process(process) => vec![*process],
            Self::Access(access) => access.processes().collect(),
            Self::Linear(parts, ..) => parts.iter().flat_map(|part| part.0.processes()).collect(),
            Self::Constructor(_) | Self::Any => Vec::new(),
        }
    }
}

impl Condition {
    fn processes(&self) -> Vec<Process> {
        match self {
            Self::Compare(_, left, right) => [left.processes(), right.processes()].concat(),
            Self::Linear(_, parts, _) => parts.iter().flat_map(|part| part.0.processes()).collect(),
        }
    }
}

fn symbol(words: &mut Words<'_>) -> Result<Symbol, CoreError> {
    let sort = match words.index(5, "there is no such sort")? {
        0 => Sort::Process,
        1 => Sort::Abstract,
        2 => Sort::Integer,
        3 => Sort::Real,
        _ => match words.index(65, "at most 64 constructors")? {
            0 => return Err(words.malformed("a finite type has values")),
            size => Sort::Finite(u8::try_from(size).unwrap_or(64)),
        },
    };
    let dimensions = words.index(DIMENSIONS + 1, "too many dimensions")?;
    Ok(Symbol { sort, dimensions: u8::try_from(dimensions).unwrap_or(0), is_weak: words.flag()? })
}

struct Reader<'a> {
    words: Words<'a>,
    symbols: &'a [Symbol],
    has_constants: bool,
}

impl Reader<'_> {
    fn small(&mut self, bound: usize) -> Result<u8, CoreError> {
        let number = self.words.index(bound, "a small number is too large")?;
        Ok(u8::try_from(number).unwrap_or(u8::MAX))
    }

    fn list<T>(&mut self, item: impl Fn(&mut Self) -> Result<T, CoreError>) -> Result<Vec<T>, CoreError> {
        let count = self.words.count()?;
        (0..count).map(|_| item(self)).collect()
    }

    fn integer(&mut self) -> Result<i64, CoreError> {
        Ok(self.words.word()?.cast_signed())
    }

    fn process(&mut self, variables: u8) -> Result<Process, CoreError> {
        let number = self.small(2 * MOST_PARAMETERS)?;
        let constants = u8::try_from(MOST_PARAMETERS).unwrap_or(u8::MAX);
        if number >= constants {
            self.has_constants = true;
            return Ok(Process::Constant(number - constants));
        }
        if number >= variables {
            return Err(self.words.malformed("there is no such process variable"));
        }
        Ok(Process::Variable(number))
    }

    fn access(&mut self, variables: u8) -> Result<Access, CoreError> {
        let symbol = self.words.index(self.symbols.len(), "there is no such symbol")?;
        let dimensions = self.symbols[symbol].dimensions;
        let index = (0..dimensions).map(|_| self.process(variables)).collect::<Result<_, _>>()?;
        let reader = if self.words.flag()? { Some(self.process(variables)?) } else { None };
        let symbol = u16::try_from(symbol).map_err(|_| CoreError::TooLarge("symbols"))?;
        Ok(Access { symbol, index, reader })
    }

    fn parts(&mut self, variables: u8) -> Result<Vec<(Access, i64)>, CoreError> {
        self.list(|reader| Ok((reader.access(variables)?, reader.integer()?)))
    }

    fn term(&mut self, variables: u8) -> Result<Term, CoreError> {
        Ok(match self.words.index(5, "there is no such term")? {
            0 => Term::Process(self.process(variables)?),
            1 => Term::Constructor(self.small(64)?),
            2 => Term::Access(self.access(variables)?),
            3 => {
                let parts = self.parts(variables)?;
                let (constant, divisor) = (self.integer()?, self.integer()?);
                if divisor <= 0 {
                    return Err(self.words.malformed("a divisor is positive"));
                }
                Term::Linear(parts, constant, divisor)
            }
            _ => Term::Any,
        })
    }

    fn condition(&mut self, variables: u8) -> Result<Condition, CoreError> {
        let is_linear = self.words.flag()?;
        let relation = match self.words.index(4, "there is no such relation")? {
            0 => Relation::Equal,
            1 => Relation::Different,
            2 => Relation::Less,
            _ => Relation::AtMost,
        };
        if is_linear {
            return Ok(Condition::Linear(relation, self.parts(variables)?, self.integer()?));
        }
        Ok(Condition::Compare(relation, self.term(variables)?, self.term(variables)?))
    }

    fn conjunction(&mut self, variables: u8) -> Result<Conjunction, CoreError> {
        self.list(|reader| reader.condition(variables))
    }

    fn alternatives(&mut self, variables: u8) -> Result<Alternatives, CoreError> {
        self.list(|reader| reader.conjunction(variables))
    }

    fn formula(&mut self) -> Result<Formula, CoreError> {
        let parameters = self.small(MOST_PARAMETERS)?;
        Ok(Formula { parameters, conditions: self.conjunction(parameters)? })
    }

    fn update(&mut self, parameters: u8) -> Result<Update, CoreError> {
        if self.words.flag()? {
            let symbol = self.words.index(self.symbols.len(), "there is no such symbol")?;
            let variables = parameters + self.symbols[symbol].dimensions;
            let cases = self.list(|reader| Ok((reader.alternatives(variables)?, reader.term(variables)?)))?;
            let symbol = u16::try_from(symbol).map_err(|_| CoreError::TooLarge("symbols"))?;
            return Ok(Update::All(symbol, cases));
        }
        Ok(Update::Cell(self.access(parameters)?, self.term(parameters)?))
    }

    fn transition(&mut self) -> Result<Transition, CoreError> {
        let number = self.words.index(usize::MAX, "a number")?;
        let parameters = self.small(MOST_PARAMETERS)?;
        let acting = match self.small(usize::from(parameters) + 1)? {
            0 => None,
            acting => Some(acting - 1),
        };
        let fence = self.words.flag()?;
        let guard = self.conjunction(parameters)?;
        let universal = self.list(|reader| reader.alternatives(parameters + 1))?;
        let updates = self.list(|reader| reader.update(parameters))?;
        let (reads, writes) = (self.words.flag()?, self.words.flag()?);
        if (reads || writes || fence) && acting.is_none() {
            return Err(self.words.malformed("somebody reads and writes weak memory"));
        }
        Ok(Transition { number, parameters, acting, fence, guard, universal, updates, reads, writes })
    }
}
