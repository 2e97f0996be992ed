//! Symmetry of identical threads: states that differ only in which of the threads is in which local state are one. Of
//! each class a state is kept in which the threads stand in a certain order.
//!
//! Threads are identical if `interchange` shows that exchanging them, their cells and their numbers is an automorphism of the
//! program, and if no predicate that is asked about tells them apart. A class may be kept as more than one state, where
//! threads cannot be ordered by what is looked at; that costs time, and changes no answer.

use std::sync::Arc;

use membar_ir::bits::SmallSet;
use membar_ir::error::CoreError;
use membar_ir::program::{CellId, Observable, Operation, Predicate, Thread};

use super::findings::Options;
pub use super::interchange::Distinction;
use super::interchange::{Exchange, exchange};
use super::program::Program;
use super::reduction::points_before;
use super::safety::RunStep;
use super::store::{ExpandedState, Tree};
use super::successors::{Successors, Transition, too_many};
use super::system::System;
use super::thread_state::{Entry, ThreadState, take};

/// Most control points of which a predicate may speak: all combinations of their truth are tried.
const MOST_POINTS: usize = 12;

/// Threads that may be exchanged.
#[derive(Debug)]
pub(super) struct Symmetry {
    groups: Vec<Group>,
}

/// Threads that may be exchanged with one another.
#[derive(Debug)]
struct Group {
    threads: Vec<usize>,
    exchange: Exchange,
    /// Threads that start some of them or wait for them, and the points from which they may still do so.
    starters: Vec<(usize, SmallSet)>,
}

/// Why some threads of a program cannot be exchanged when these predicates are asked about; None if they can.
#[must_use]
pub fn distinction(program: &Program, threads: &[usize], predicates: &[usize]) -> Option<Distinction> {
    let predicates: Vec<&Predicate> =
        predicates.iter().map(|&predicate| &program.predicates[predicate]).collect();
    let is_read = |thread: &&usize| are_read(&predicates, **thread);
    let are_alike = threads.windows(2).all(|pair| are_unchanged(&predicates, (pair[0], pair[1])));
    if !are_alike && let Some(&thread) = threads.iter().find(is_read) {
        return Some(Distinction {
            thread,
            edge: None,
            why: "the question distinguishes it from the others",
        });
    }
    let exchange = match exchange(program, threads) {
        Ok(exchange) => exchange,
        Err(distinction) => return Some(distinction),
    };
    let place = match seen_of(&predicates, &exchange)? {
        Seen::Cell(place) => place,
        Seen::Number => 0,
    };
    let why = "the question is about a cell of its own, or about numbers of threads";
    Some(Distinction { thread: threads[place], edge: None, why })
}

impl Symmetry {
    /// The identical threads of a program of which only `predicates` are asked; None if there are none.
    pub(super) fn new(program: &Program, predicates: &[usize]) -> Option<Self> {
        let predicates: Vec<&Predicate> =
            predicates.iter().map(|&predicate| &program.predicates[predicate]).collect();
        let mut groups = Vec::new();
        for mut threads in alike(program) {
            if !threads.windows(2).all(|pair| are_unchanged(&predicates, (pair[0], pair[1]))) {
                threads.retain(|&thread| !are_read(&predicates, thread));
            }
            groups.extend(Group::new(program, threads, &predicates));
        }
        (!groups.is_empty()).then_some(Self { groups })
    }

    /// Those that may be exchanged where states are asked about, if that is to be made use of.
    pub(super) fn for_safety(program: &Program, options: Options) -> Option<Self> {
        if options.symmetric { Self::new(program, &program.errors) } else { None }
    }

    /// The threads of each group.
    pub(super) fn threads(&self) -> Vec<Vec<usize>> {
        self.groups.iter().map(|group| group.threads.clone()).collect()
    }

    /// Makes a state the one that is kept of its class; the orders that do so.
    fn normalize(&self, system: &mut System, leaves: &mut [u32]) -> Result<Orders, CoreError> {
        self.groups
            .iter()
            .map(|group| {
                let order = group.order(system, leaves);
                group.exchange_all(&order, system, leaves)?;
                Ok(order)
            })
            .collect()
    }

    /// The pair at the root of the state that is kept for the one that differs from `near` in these words.
    pub(super) fn root_after(
        &self,
        system: &mut System,
        tree: &mut Tree,
        (near, changes): (&mut ExpandedState, &[(u32, u32)]),
        words: &mut Vec<u32>,
    ) -> Result<Option<u64>, CoreError> {
        let count = system.leaves();
        words.clear();
        words.extend_from_slice(near.leaves(count));
        for &(leaf, word) in changes {
            words[leaf as usize] = word;
        }
        self.normalize(system, words)?;
        let differing =
            (0..).zip(&*words).zip(near.leaves(count)).filter(|((_, after), before)| after != before);
        let changes: Vec<(u32, u32)> = differing.map(|((leaf, &after), _)| (leaf, after)).collect();
        Ok(tree.root_after(&changes, near))
    }
}

/// Per group, which thread takes which place: place `k` that of thread `order[k]`.
type Orders = Vec<Vec<usize>>;

/// A run of the program itself beside one through the states that are kept.
#[derive(Debug)]
pub(super) struct Companion<'s> {
    symmetry: Option<&'s Symmetry>,
    /// The state that the program itself is in.
    pub(super) state: Vec<u32>,
    /// How it comes from the state that is kept.
    orders: Orders,
}

impl<'s> Companion<'s> {
    /// Begins where the program does.
    pub(super) fn new(symmetry: Option<&'s Symmetry>, state: Vec<u32>) -> Self {
        let groups = symmetry.map_or(&[][..], |symmetry| &symmetry.groups);
        let orders = groups.iter().map(|group| (0..group.threads.len()).collect()).collect();
        Self { symmetry, state, orders }
    }

    /// Takes the step that corresponds to one from the state `before`, that is kept, if that leads to the state
    /// `after` which is kept, too.
    pub(super) fn take(
        &mut self,
        system: &mut System,
        (before, after): (&[u32], &[u32]),
        (step, moves): (&Transition, &Successors),
    ) -> Result<Option<RunStep>, CoreError> {
        let mut target = moves.after(step, before);
        let partner_of = |step: &Transition| step.partner.map(|partner| partner.0);
        let who = (self.thread(step.thread), partner_of(step).map(|partner| self.thread(partner)));
        if let Some(symmetry) = self.symmetry {
            let mut kept = target.clone();
            let orders = symmetry.normalize(system, &mut kept)?;
            if kept != after {
                return Ok(None);
            }
            for ((group, own), order) in symmetry.groups.iter().zip(&mut self.orders).zip(&orders) {
                group.exchange_all(own, system, &mut target)?;
                for place in own {
                    *place = order.iter().position(|from| from == place).unwrap_or(*place);
                }
            }
        } else if target != after {
            return Ok(None);
        }
        let mut own = Successors::default();
        system.moves_in_full(&self.state, &mut own)?;
        // Steps of several threads may lead there: fairness is to the one that takes this step.
        let differs = |own: &&Transition| {
            ((own.thread, partner_of(own)) != who, (own.edge, own.flushed) != (step.edge, step.flushed))
        };
        let leading = own.list.iter().filter(|step| own.leads_to(step, &self.state, &target));
        let found = leading.min_by_key(differs).map(|step| own.run_step(step));
        self.state = target;
        Ok(found)
    }

    /// The thread that corresponds to one of the state that is kept.
    pub(super) fn thread(&self, thread: usize) -> usize {
        let groups = self.symmetry.map_or(&[][..], |symmetry| &symmetry.groups);
        for (group, order) in groups.iter().zip(&self.orders) {
            if let Some(place) = group.threads.iter().position(|&member| member == thread) {
                let after = order.iter().position(|&from| from == place);
                return after.map_or(thread, |after| group.threads[after]);
            }
        }
        thread
    }
}

/// Threads with as many edges, which may be identical.
fn alike(program: &Program) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for thread in 0..program.threads.len() {
        let is_like = |group: &&mut Vec<usize>| exchange(program, &[group[0], thread]).is_ok();
        match groups.iter_mut().find(is_like) {
            Some(group) => group.push(thread),
            None => groups.push(vec![thread]),
        }
    }
    groups
}

impl Group {
    /// The group of these threads, or of those among them that no predicate tells apart, if they can be exchanged.
    fn new(program: &Program, mut threads: Vec<usize>, predicates: &[&Predicate]) -> Option<Self> {
        while threads.len() > 1 {
            let exchange = exchange(program, &threads).ok()?;
            match seen_of(predicates, &exchange) {
                None => {
                    let starters = starters(program, &threads);
                    return Some(Self { threads, exchange, starters });
                }
                Some(Seen::Cell(place)) => drop(threads.remove(place)),
                Some(Seen::Number) => return None,
            }
        }
        None
    }

    /// The order in which the threads are to stand.
    fn order(&self, system: &System, leaves: &[u32]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.threads.len()).collect();
        if !self.starters.is_empty() && !self.have_all_begun(system, leaves) {
            return order;
        }
        if self.exchange.is_plain() {
            let words = system.program.words;
            let part = |place: usize| {
                let thread = self.threads[place];
                system.stepper.locals[thread].get(leaves[words + thread])
            };
            order.sort_by_key(|&place| part(place));
        } else {
            let key =
                |(place, &thread)| self.key(&system.program, place, &local(system, thread, leaves), leaves);
            let keys: Vec<Vec<u64>> = self.threads.iter().enumerate().map(key).collect();
            order.sort_by(|&one, &other| keys[one].cmp(&keys[other]));
        }
        order
    }

    /// Whether all threads run, and nobody will start them or wait for them.
    fn have_all_begun(&self, system: &System, leaves: &[u32]) -> bool {
        // A part begins with its control point and whether it was started (`ThreadState::write`).
        let first = |thread: usize| {
            let number = leaves[system.program.words + thread];
            take(&mut system.stepper.locals[thread].get(number))
        };
        self.threads.iter().all(|&thread| first(thread) & 1 == 1)
            && self.starters.iter().all(|(thread, points)| {
                let point = usize::try_from(first(*thread) >> 2).unwrap_or(usize::MAX);
                !points.contains(point)
            })
    }

    /// Exchanges threads, with their cells and wherever their numbers are: thread `order[k]` becomes thread `k`.
    fn exchange_all(
        &self,
        order: &[usize],
        system: &mut System,
        leaves: &mut [u32],
    ) -> Result<(), CoreError> {
        if order.is_sorted() {
            return Ok(());
        }
        let program = Arc::clone(&system.program);
        let words = program.words;
        let before = leaves.to_vec();
        if self.exchange.is_plain() {
            for (&thread, &from) in self.threads.iter().zip(order) {
                let source = self.threads[from];
                let part = system.stepper.locals[source].get(before[words + source]).to_vec();
                let number = system.stepper.locals[thread].number(&part);
                leaves[words + thread] = number.ok_or_else(too_many)?;
            }
            return Ok(());
        }
        let renaming = Renaming { exchange: &self.exchange, order };
        for (&thread, &from) in self.threads.iter().zip(order) {
            let source = self.threads[from];
            let local = renaming.local(&program, source, &local(system, source, &before));
            leaves[words + thread] = system.stepper.number_of(thread, &local).ok_or_else(too_many)?;
        }
        for thread in (0..program.threads.len()).filter(|thread| !self.threads.contains(thread)) {
            let local = local(system, thread, leaves);
            let local = renaming.local(&program, thread, &local);
            leaves[words + thread] = system.stepper.number_of(thread, &local).ok_or_else(too_many)?;
        }
        for (cell, holds) in self.exchange.cells.iter().enumerate() {
            if *holds {
                let value = renaming.value(program.layout[cell].get(&before));
                program.layout[cell].set(leaves, value);
            }
        }
        for family in &self.exchange.families {
            for (&to, &from) in family.iter().zip(order) {
                let from = family[from];
                let value = program.layout[from.index()].get(&before);
                let holds = self.exchange.cells[from.index()];
                program.layout[to.index()].set(leaves, if holds { renaming.value(value) } else { value });
            }
        }
        for (channel, holds) in self.exchange.fields.iter().enumerate() {
            if holds.contains(&true) {
                let leaf = words + program.threads.len() + channel;
                let mut bytes = system.stepper.contents[channel].get(leaves[leaf]);
                let mut message = vec![take(&mut bytes)];
                while !bytes.is_empty() {
                    let value = take(&mut bytes);
                    let is_number = holds[(message.len() - 1) % holds.len()];
                    message.push(if is_number { renaming.value(value) } else { value });
                }
                leaves[leaf] = system.stepper.number_of_contents(channel, &message).ok_or_else(too_many)?;
            }
        }
        Ok(())
    }

    /// What a thread is put into order by: it does not change when others are exchanged.
    fn key(&self, program: &Program, place: usize, local: &ThreadState, leaves: &[u32]) -> Vec<u64> {
        let numbers = self.exchange.values.as_deref().unwrap_or_default();
        // Its own number, that of another thread, or what else is there.
        let relative = |value: u64| match numbers.iter().position(|&number| number == value) {
            Some(who) if who == place => 0,
            Some(_) => 1,
            None => value.wrapping_add(2),
        };
        let seen = |value: u64, holds: bool| if holds { relative(value) } else { value };
        let thread = self.threads[place];
        let mut key = vec![u64::from(local.point), u64::from(local.started)];
        let registers = local.registers.iter().enumerate();
        key.extend(registers.map(|(register, &value)| {
            seen(value, holds_number(program, &self.exchange, thread, local.point, register))
        }));
        for (cell, value) in local.buffer.iter().filter_map(|entry| match *entry {
            Entry::Store(cell, value) => Some((cell, value)),
            _ => None,
        }) {
            let family = self.exchange.families.iter().position(|family| family.contains(&cell));
            key.push(family.map_or(u64::from(cell.0) << 1, |family| (family as u64) << 1 | 1));
            key.push(seen(value, self.exchange.cells[cell.index()]));
        }
        for family in &self.exchange.families {
            let cell = family[place];
            let value = program.layout[cell.index()].get(leaves);
            key.push(seen(value, self.exchange.cells[cell.index()]));
        }
        let is_alone = |cell: &CellId| !self.exchange.families.iter().flatten().any(|known| known == cell);
        for cell in (0..).map(CellId).zip(&self.exchange.cells).filter(|(_, holds)| **holds).map(|it| it.0) {
            if is_alone(&cell) {
                key.push(relative(program.layout[cell.index()].get(leaves)));
            }
        }
        key
    }
}

fn local(system: &System, thread: usize, leaves: &[u32]) -> ThreadState {
    let mut local = ThreadState::default();
    let part = leaves[system.program.words + thread];
    system.stepper.decode_part(&system.program, thread, part, &mut local);
    local
}

/// Whether a register of a thread at a control point holds the number of a thread: not if it is dead there, and 0.
fn holds_number(program: &Program, exchange: &Exchange, thread: usize, point: u32, register: usize) -> bool {
    let is_dead = || program.cleared[thread][point as usize].iter().any(|dead| dead.index() == register);
    exchange.registers[thread][register] && !is_dead()
}

/// What becomes of a state when thread `order[k]` of a group becomes thread `k`.
struct Renaming<'e> {
    exchange: &'e Exchange,
    order: &'e [usize],
}

impl Renaming<'_> {
    /// Of something that holds the number of a thread.
    fn value(&self, value: u64) -> u64 {
        let Some(numbers) = &self.exchange.values else { return value };
        let place = numbers.iter().position(|&number| number == value);
        let after = place.and_then(|place| self.order.iter().position(|&from| from == place));
        after.map_or(value, |after| numbers[after])
    }

    fn cell(&self, cell: CellId) -> CellId {
        for family in &self.exchange.families {
            if let Some(place) = family.iter().position(|&known| known == cell) {
                let after = self.order.iter().position(|&from| from == place);
                return after.map_or(cell, |after| family[after]);
            }
        }
        cell
    }

    /// Of the local state of a thread.
    fn local(&self, program: &Program, thread: usize, local: &ThreadState) -> ThreadState {
        let mut renamed = local.clone();
        for (register, value) in renamed.registers.iter_mut().enumerate() {
            if holds_number(program, self.exchange, thread, local.point, register) {
                *value = self.value(*value);
            }
        }
        for entry in &mut renamed.buffer {
            if let Entry::Store(cell, value) = *entry {
                let value = if self.exchange.cells[cell.index()] { self.value(value) } else { value };
                *entry = Entry::Store(self.cell(cell), value);
            }
        }
        renamed
    }
}

/// The threads that start some of these or wait for them, and the points from which they may still do so.
fn starters(program: &Program, threads: &[usize]) -> Vec<(usize, SmallSet)> {
    let names_one = |operation: &Operation| match operation {
        Operation::Spawn { thread } | Operation::Join { thread } => threads.contains(&thread.index()),
        _ => false,
    };
    let points = |code: &Thread| {
        points_before(code, |_, edge| code.edges[edge.index()].operations.iter().any(names_one))
    };
    let all = program.threads.iter().map(points).enumerate();
    all.filter(|(_, points)| !points.is_empty()).collect()
}

/// Something that is exchanged together with threads, and that predicates look at.
enum Seen {
    /// A cell of the thread at a place in the group.
    Cell(usize),
    Number,
}

/// Whether predicates look at something that is exchanged together with threads.
fn seen_of(predicates: &[&Predicate], exchange: &Exchange) -> Option<Seen> {
    let reads = || predicates.iter().flat_map(|predicate| &predicate.reads);
    reads().find_map(|read| match read {
        Observable::Cell(cell) => {
            let of_family = |family: &Vec<CellId>| family.iter().position(|known| known == cell);
            match exchange.families.iter().find_map(of_family) {
                Some(place) => Some(Seen::Cell(place)),
                None => exchange.cells[cell.index()].then_some(Seen::Number),
            }
        }
        // Such registers are of threads outside the group.
        Observable::Register(who, register) => {
            exchange.registers[who.index()][register.index()].then_some(Seen::Number)
        }
        Observable::At(..) => None,
    })
}

fn are_read(predicates: &[&Predicate], thread: usize) -> bool {
    predicates.iter().any(|predicate| reads(predicate, thread))
}

fn are_unchanged(predicates: &[&Predicate], pair: (usize, usize)) -> bool {
    predicates.iter().all(|predicate| is_unchanged(predicate, pair))
}
/// Whether a predicate looks at a thread.
fn reads(predicate: &Predicate, thread: usize) -> bool {
    predicate.reads.iter().any(|read| match read {
        Observable::Cell(_) => false,
        Observable::Register(who, _) | Observable::At(who, _) => who.index() == thread,
    })
}

/// Whether exchanging two threads never changes a predicate: it does not look at them or, if it is about control points
/// alone, no combination of their truth tells the threads apart.
fn is_unchanged(predicate: &Predicate, (one, other): (usize, usize)) -> bool {
    if !reads(predicate, one) && !reads(predicate, other) {
        return true;
    }
    let exchanged = |thread: usize| match thread {
        _ if thread == one => other,
        _ if thread == other => one,
        _ => thread,
    };
    // Where what is read after the exchange stands among what is read.
    let place = |read: &Observable| {
        let Observable::At(who, points) = read else { return None };
        let is_it = |candidate: &Observable| {
            matches!(candidate, Observable::At(whose, others)
                if whose.index() == exchanged(who.index()) && others == points)
        };
        predicate.reads.iter().position(is_it)
    };
    let places: Option<Vec<usize>> = predicate.reads.iter().map(place).collect();
    let Some(places) = places.filter(|places| places.len() <= MOST_POINTS) else { return false };
    let mut stack = Vec::new();
    (0..1_u64 << places.len()).all(|bits| {
        let before: Vec<u64> = (0..places.len()).map(|place| bits >> place & 1).collect();
        let after: Vec<u64> = places.iter().map(|&place| before[place]).collect();
        let truth = |values: &[u64], stack: &mut Vec<u64>| predicate.expression.evaluate(values, stack) != 0;
        truth(&before, &mut stack) == truth(&after, &mut stack)
    })
}
