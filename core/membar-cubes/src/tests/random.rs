//! Random small systems, for tests.

use crate::system::{
    Access, Alternatives, Condition, Conjunction, Formula, Process, Sort, Sorts, Symbol, System, Term,
    Transition, Update,
};
use crate::term::Relation;

/// A sequence of numbers that is the same for the same seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `bound`.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }

    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn small(&mut self, bound: u8) -> u8 {
        u8::try_from(self.below(u64::from(bound))).unwrap_or(0)
    }
}

/// What random systems may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Flavour {
    pub(crate) weak: bool,
    pub(crate) universal: bool,
    pub(crate) numbers: bool,
}

const PC: u16 = 0;
const FLAG: u16 = 1;
const GLOBAL: u16 = 2;
const OTHER: u16 = 3;
pub(crate) const TURN: u16 = 4;
const NUMBER: u16 = 5;
const PLACES: u8 = 3;

/// A system with a program counter, a flag per process, globals, a process and a number.
pub(crate) fn system(dice: &mut Dice, flavour: Flavour) -> System {
    let weak = flavour.weak;
    if weak && dice.chance(70) {
        return straight(dice, flavour.universal);
    }
    let symbol = |sort, dimensions, is_weak| Symbol { sort, dimensions, is_weak };
    let number = if flavour.numbers { Sort::Integer } else { Sort::Finite(3) };
    let symbols = vec![
        symbol(Sort::Finite(PLACES), 1, false),
        symbol(Sort::Finite(2), 1, weak),
        symbol(Sort::Finite(2), 0, weak),
        symbol(Sort::Finite(3), u8::from(weak), false),
        symbol(Sort::Process, u8::from(weak), false),
        symbol(number, 0, weak),
    ];
    let maker = Maker { flavour, reader: None };
    let zero =
        |access: Access| Condition::Compare(Relation::Equal, Term::Access(access), Term::Constructor(0));
    let mut init = vec![zero(cell(PC, &[0])), zero(cell(FLAG, &[0])), zero(cell(GLOBAL, &[]))];
    init.push(zero(cell(OTHER, if weak { &[0] } else { &[] })));
    init.push(if flavour.numbers {
        Condition::Linear(Relation::Equal, vec![(cell(NUMBER, &[]), 1)], 0)
    } else {
        zero(cell(NUMBER, &[]))
    });
    let transitions = (0..3 + dice.below(3)).map(|n| maker.transition(dice, usize::try_from(n).unwrap_or(0)));
    let transitions = transitions.collect();
    let parameters = 1 + u8::from(dice.chance(80));
    let mut conditions = vec![];
    for process in 0..parameters {
        let value = Term::Constructor(1 + dice.small(PLACES - 1));
        conditions.push(Condition::Compare(Relation::Equal, Term::Access(cell(PC, &[process])), value));
    }
    if dice.chance(40) {
        let maker = Maker { reader: Some(Process::Variable(0)), ..maker };
        let literal = maker.literal(dice, parameters, 0);
        conditions.push(literal);
    }
    System {
        sorts: Sorts::new(&symbols, false),
        symbols,
        size: None,
        init_parameters: 1,
        init: vec![init],
        unsafe_states: vec![Formula { parameters, conditions }],
        invariants: Vec::new(),
        transitions,
        least: 0,
    }
}

/// Processes that go once through some steps, each a read, a write or both at once; bad if two reach the end.
fn straight(dice: &mut Dice, universal: bool) -> System {
    let symbol = |sort, dimensions, is_weak| Symbol { sort, dimensions, is_weak };
    let symbols = vec![
        symbol(Sort::Finite(4), 1, false),
        symbol(Sort::Finite(2), 1, true),
        symbol(Sort::Finite(2), 0, true),
        symbol(Sort::Finite(3), 1, false),
        symbol(Sort::Process, 1, false),
        symbol(Sort::Finite(3), 0, true),
    ];
    let zero = |symbol, index: &[u8]| {
        Condition::Compare(Relation::Equal, Term::Access(cell(symbol, index)), Term::Constructor(0))
    };
    let init =
        vec![zero(PC, &[0]), zero(FLAG, &[0]), zero(GLOBAL, &[]), zero(OTHER, &[0]), zero(NUMBER, &[])];
    let mut transitions = Vec::new();
    let steps = 2 + u8::from(dice.chance(50));
    for step in 0..steps {
        for _ in 0..=u8::from(dice.chance(25)) {
            let number = transitions.len();
            transitions.push(straight_step(dice, number, step, universal));
        }
    }
    let at = |process: u8, place: u8| {
        Condition::Compare(Relation::Equal, Term::Access(cell(PC, &[process])), Term::Constructor(place))
    };
    let mut conditions = vec![at(0, steps), at(1, steps - u8::from(dice.chance(15)))];
    if dice.chance(30) {
        let reader = Process::Variable(dice.small(2));
        conditions.push(weak_literal(dice, 2, reader));
    }
    if dice.chance(20) {
        let register = Term::Access(cell(OTHER, &[0]));
        conditions.push(Condition::Compare(Relation::Equal, register, Term::Constructor(dice.small(3))));
    }
    System {
        sorts: Sorts::new(&symbols, false),
        symbols,
        size: None,
        init_parameters: 1,
        init: vec![init],
        unsafe_states: vec![Formula { parameters: 2, conditions }],
        invariants: Vec::new(),
        transitions,
        least: 0,
    }
}

/// A weak cell and how many values it has; `process` is preferred as its index.
fn weak_cell(dice: &mut Dice, variables: u8, process: u8) -> (Access, u8) {
    match dice.below(5) {
        0 => (cell(GLOBAL, &[]), 2),
        1 => (cell(NUMBER, &[]), 3),
        _ => (cell(FLAG, &[if dice.chance(80) { process } else { dice.small(variables) }]), 2),
    }
}

fn weak_literal(dice: &mut Dice, variables: u8, reader: Process) -> Condition {
    let (access, size) = weak_cell(dice, variables, variables - 1);
    let access = Term::Access(Access { reader: Some(reader), ..access });
    let relation = if dice.chance(90) { Relation::Equal } else { Relation::Different };
    let value = if dice.chance(60) { 0 } else { dice.small(size) };
    Condition::Compare(relation, access, Term::Constructor(value))
}

fn straight_step(dice: &mut Dice, number: usize, step: u8, universal: bool) -> Transition {
    let parameters = 1 + u8::from(dice.chance(70));
    let reader = Process::Variable(0);
    let at = Condition::Compare(Relation::Equal, Term::Access(cell(PC, &[0])), Term::Constructor(step));
    let mut guard = vec![at];
    let mut updates = vec![Update::Cell(cell(PC, &[0]), Term::Constructor(step + 1))];
    let mut forall = Vec::new();
    let (reads, writes) =
        [(true, false), (false, true), (true, true), (false, true), (true, false)][dice.small(5) as usize];
    if reads {
        for _ in 0..=u8::from(dice.chance(20)) {
            guard.push(weak_literal(dice, parameters, reader));
        }
        if universal && dice.chance(40) {
            let (flag, value) = (cell(FLAG, &[parameters]), dice.small(2));
            let flag = Term::Access(Access { reader: Some(reader), ..flag });
            forall.push(vec![vec![Condition::Compare(Relation::Equal, flag, Term::Constructor(value))]]);
        }
        if dice.chance(25) {
            let (access, _) = weak_cell(dice, parameters, 0);
            let seen = Term::Access(Access { reader: Some(reader), ..access });
            updates.push(Update::Cell(cell(OTHER, &[0]), seen));
        }
    }
    if writes {
        let (access, size) = weak_cell(dice, parameters, 0);
        let value = Term::Constructor(if dice.chance(70) { 1 } else { dice.small(size) });
        let second = weak_cell(dice, parameters, 0);
        if dice.chance(20) && second.0.symbol != access.symbol {
            updates.push(Update::Cell(second.0, Term::Constructor(dice.small(second.1))));
        }
        if access.symbol == FLAG && dice.chance(25) {
            let same = Condition::Compare(
                if dice.chance(50) { Relation::Equal } else { Relation::Different },
                Term::Process(Process::Variable(parameters)),
                Term::Process(reader),
            );
            let mut cases = vec![(vec![vec![same]], value)];
            if dice.chance(50) {
                cases.push((vec![vec![]], Term::Constructor(dice.small(2))));
            }
            updates.push(Update::All(FLAG, cases));
        } else {
            updates.push(Update::Cell(access, if dice.chance(8) { Term::Any } else { value }));
        }
    }
    let fence = dice.chance(30);
    Transition {
        number,
        parameters,
        acting: Some(0),
        fence,
        guard,
        universal: forall,
        updates,
        reads,
        writes,
    }
}

pub(crate) fn cell(symbol: u16, index: &[u8]) -> Access {
    let index = index.iter().map(|&process| Process::Variable(process)).collect();
    Access { symbol, index, reader: None }
}

#[derive(Clone, Copy)]
struct Maker {
    flavour: Flavour,
    reader: Option<Process>,
}

impl Maker {
    fn read(self, access: Access) -> Access {
        let is_weak = self.flavour.weak && matches!(access.symbol, FLAG | GLOBAL | NUMBER);
        Access { reader: self.reader.filter(|_| is_weak), ..access }
    }

    /// A cell that process `own` may look at, and its number of values.
    fn finite(self, dice: &mut Dice, variables: u8, own: u8) -> (Access, u8) {
        let any = dice.small(variables);
        let weak = self.flavour.weak;
        let (access, size) = match dice.below(if self.flavour.numbers { 4 } else { 5 }) {
            0 => (cell(PC, &[if weak { own } else { any }]), PLACES),
            1 => (cell(FLAG, &[any]), 2),
            2 => (cell(GLOBAL, &[]), 2),
            3 => (cell(OTHER, if weak { std::slice::from_ref(&own) } else { &[] }), 3),
            _ => (cell(NUMBER, &[]), 3),
        };
        (self.read(access), size)
    }

    fn literal(self, dice: &mut Dice, variables: u8, own: u8) -> Condition {
        let equality = |dice: &mut Dice| if dice.chance(70) { Relation::Equal } else { Relation::Different };
        if dice.chance(15) {
            let turn = cell(TURN, if self.flavour.weak { std::slice::from_ref(&own) } else { &[] });
            let process = Term::Process(Process::Variable(dice.small(variables)));
            return Condition::Compare(equality(dice), Term::Access(turn), process);
        }
        if variables > 1 && dice.chance(8) {
            let side = |number| Term::Process(Process::Variable(number));
            return Condition::Compare(Relation::Less, side(0), side(1));
        }
        if self.flavour.numbers && dice.chance(40) {
            let relation = [Relation::Equal, Relation::Different, Relation::AtMost][dice.small(3) as usize];
            let number = i64::from(dice.small(3)) - 1;
            let sign = if dice.chance(50) { 1 } else { -1 };
            return Condition::Linear(relation, vec![(self.read(cell(NUMBER, &[])), sign)], number);
        }
        let (access, size) = self.finite(dice, variables, own);
        if size == 2 && dice.chance(15) && !self.flavour.weak {
            let other = cell(if dice.chance(50) { GLOBAL } else { FLAG }, &[]);
            let other = if other.symbol == FLAG { cell(FLAG, &[dice.small(variables)]) } else { other };
            return Condition::Compare(equality(dice), Term::Access(access), Term::Access(other));
        }
        Condition::Compare(equality(dice), Term::Access(access), Term::Constructor(dice.small(size)))
    }

    fn literals(self, dice: &mut Dice, most: u64, variables: u8, own: u8) -> Conjunction {
        (0..dice.below(most + 1)).map(|_| self.literal(dice, variables, own)).collect()
    }

    fn transition(self, dice: &mut Dice, number: usize) -> Transition {
        let weak = self.flavour.weak;
        let parameters = 1 + u8::from(dice.chance(30));
        let acting = weak.then_some(0);
        let maker = Self { reader: Some(Process::Variable(0)), ..self };
        // Weak transitions mostly read or mostly write, or they are all atomic.
        let reads = !weak || dice.chance(55);
        let writes = !weak || !reads || dice.chance(25);
        let pc = |value| {
            Condition::Compare(Relation::Equal, Term::Access(cell(PC, &[0])), Term::Constructor(value))
        };
        let step = u8::try_from(number).unwrap_or(0) % PLACES;
        let (from, to) = if dice.chance(75) {
            (step, (step + 1) % PLACES)
        } else {
            (dice.small(PLACES), dice.small(PLACES))
        };
        let mut guard = vec![pc(from)];
        if reads {
            guard.extend(maker.literals(dice, 1, parameters, 0));
            guard.extend(weak.then(|| maker.literal(dice, parameters, 0)));
        }
        let mut universal = Vec::new();
        if reads && self.flavour.universal && dice.chance(30) {
            let count = 1 + dice.below(2);
            let one = |dice: &mut Dice| -> Conjunction {
                let (access, size) = (maker.read(cell(FLAG, &[parameters])), 2);
                vec![Condition::Compare(
                    Relation::Equal,
                    Term::Access(access),
                    Term::Constructor(dice.small(size)),
                )]
            };
            let alternatives: Alternatives = (0..count).map(|_| one(dice)).collect();
            universal.push(alternatives);
        }
        let mut updates = vec![Update::Cell(cell(PC, &[0]), Term::Constructor(to))];
        updates.extend(maker.updates(dice, parameters, reads, writes));
        let fence = weak && dice.chance(25);
        let mut made = Transition {
            number,
            parameters,
            acting,
            fence,
            guard,
            universal,
            updates,
            reads: false,
            writes: false,
        };
        if weak {
            (made.reads, made.writes) = kinds(&made);
        }
        made
    }

    fn updates(self, dice: &mut Dice, parameters: u8, reads: bool, writes: bool) -> Vec<Update> {
        let mut updates = Vec::new();
        let weak = self.flavour.weak;
        if writes && dice.chance(70) {
            let index = dice.small(parameters);
            if dice.chance(20) && (!weak || reads) {
                let value = |dice: &mut Dice| Term::Constructor(dice.small(2));
                let condition = self.literal(dice, parameters + 1, 0);
                let default = if dice.chance(50) { vec![(vec![vec![]], value(dice))] } else { Vec::new() };
                let cases = [vec![(vec![vec![condition]], value(dice))], default].concat();
                updates.push(Update::All(FLAG, cases));
            } else {
                let value = if dice.chance(10) { Term::Any } else { Term::Constructor(dice.small(2)) };
                updates.push(Update::Cell(cell(FLAG, &[index]), value));
            }
        }
        if writes && dice.chance(50) {
            let value = match dice.below(8) {
                0 => Term::Any,
                1 if reads => Term::Access(self.read(cell(FLAG, &[0]))),
                _ => Term::Constructor(dice.small(2)),
            };
            updates.push(Update::Cell(cell(GLOBAL, &[]), value));
        }
        let own: &[u8] = if weak { &[0] } else { &[] };
        if dice.chance(25) {
            let value = if reads && !self.flavour.numbers && dice.chance(50) {
                Term::Access(self.read(cell(NUMBER, &[])))
            } else {
                Term::Constructor(dice.small(3))
            };
            updates.push(Update::Cell(cell(OTHER, own), value));
        }
        if dice.chance(25) {
            let process = Term::Process(Process::Variable(dice.small(parameters)));
            updates.push(Update::Cell(cell(TURN, own), if dice.chance(15) { Term::Any } else { process }));
        }
        if writes && dice.chance(30) {
            let value = if self.flavour.numbers {
                let old = if reads { vec![(self.read(cell(NUMBER, &[])), 1)] } else { Vec::new() };
                Term::Linear(old, i64::from(dice.small(3)) - 1, 1)
            } else {
                Term::Constructor(dice.small(3))
            };
            updates.push(Update::Cell(cell(NUMBER, &[]), value));
        }
        updates
    }
}

/// Whether a transition reads and writes weak memory.
fn kinds(transition: &Transition) -> (bool, bool) {
    let reads_term = |term: &Term| match term {
        Term::Access(access) => access.reader.is_some(),
        Term::Linear(parts, _, _) => parts.iter().any(|part| part.0.reader.is_some()),
        _ => false,
    };
    let reads_one = |condition: &Condition| match condition {
        Condition::Compare(_, a, b) => reads_term(a) || reads_term(b),
        Condition::Linear(_, parts, _) => parts.iter().any(|part| part.0.reader.is_some()),
    };
    let in_update = |update: &Update| match update {
        Update::Cell(_, term) => reads_term(term),
        Update::All(_, cases) => {
            cases.iter().any(|case| reads_term(&case.1) || case.0.iter().flatten().any(reads_one))
        }
    };
    let reads = transition.guard.iter().any(reads_one)
        || transition.universal.iter().flatten().flatten().any(reads_one)
        || transition.updates.iter().any(in_update);
    let is_weak = |symbol: u16| matches!(symbol, FLAG | GLOBAL | NUMBER);
    let writes = transition.updates.iter().any(|update| match update {
        Update::Cell(access, _) => is_weak(access.symbol),
        Update::All(symbol, _) => is_weak(*symbol),
    });
    (reads, writes)
}
