//! Small systems with a known answer, step by step.

use crate::cube::Cube;
use crate::events::Accesses;
use crate::fixpoint::Fixpoint;
use crate::initial::may_be_initial;
use crate::matching::contains;
use crate::preimage::{Before, preimages};
use crate::search::{Answer, Options, search};
use crate::system::{
    Access, Condition, Formula, Process, Sort, Sorts, Symbol, System, Term, Transition, Update,
};
use crate::term::{Place, Relation};
use membar_ir::limits::{Limits, Stop, Watch};

const PC: u16 = 0;
const ALPHA: u16 = 1;
const BETA: u16 = 2;
const FIRST: u16 = 3;
const SECOND: u16 = 4;

fn cell(symbol: u16, index: &[u8]) -> Access {
    let index = index.iter().map(|&process| Process::Variable(process)).collect();
    Access { symbol, index, reader: None }
}

fn is(access: Access, value: u8) -> Condition {
    Condition::Compare(Relation::Equal, Term::Access(access), Term::Constructor(value))
}

fn differs(access: Access, value: u8) -> Condition {
    Condition::Compare(Relation::Different, Term::Access(access), Term::Constructor(value))
}

fn seen(symbol: u16) -> Access {
    Access { reader: Some(Process::Variable(0)), ..cell(symbol, &[]) }
}

/// From one control point to the next, with a guard and an update.
fn step(
    number: usize,
    from: u8,
    guard: Option<Condition>,
    update: Option<Update>,
    reads: bool,
) -> Transition {
    let mut updates = vec![Update::Cell(cell(PC, &[0]), Term::Constructor(from + 1))];
    let writes = matches!(&update, Some(Update::Cell(access, _)) if matches!(access.symbol, ALPHA | BETA));
    updates.extend(update);
    let guard = std::iter::once(is(cell(PC, &[0]), from)).chain(guard).collect();
    let universal = Vec::new();
    Transition {
        number,
        parameters: 1,
        acting: Some(0),
        fence: false,
        guard,
        universal,
        updates,
        reads,
        writes,
    }
}

fn system(init: Vec<Condition>, unsafe_state: Formula, transitions: Vec<Transition>) -> System {
    let symbol = |dimensions, is_weak| Symbol { sort: Sort::Finite(3), dimensions, is_weak };
    let symbols =
        vec![symbol(1, false), symbol(0, true), symbol(0, true), symbol(1, false), symbol(1, false)];
    System {
        sorts: Sorts::new(&symbols, false),
        symbols,
        size: None,
        init_parameters: 1,
        init: vec![init],
        unsafe_states: vec![unsafe_state],
        invariants: Vec::new(),
        transitions,
        least: 0,
    }
}

fn answer(system: &System) -> Answer {
    let stop = Stop::default();
    let mut watch = Watch::new(&stop, Limits { states: Some(10_000), ..Limits::default() });
    search(system, Options::default(), &mut watch).expect("a small system").answer
}

/// The example of section 3.3: each process writes one variable and then reads the other one.
fn store_buffering() -> System {
    let write = |symbol| Some(Update::Cell(cell(symbol, &[]), Term::Constructor(1)));
    let read = |register, symbol| Some(Update::Cell(cell(register, &[0]), Term::Access(seen(symbol))));
    let transitions = vec![
        step(0, 0, None, write(ALPHA), false),
        step(1, 1, None, read(FIRST, BETA), true),
        step(2, 0, None, write(BETA), false),
        step(3, 1, None, read(SECOND, ALPHA), true),
    ];
    let init = vec![
        is(cell(PC, &[0]), 0),
        is(cell(ALPHA, &[]), 0),
        is(cell(BETA, &[]), 0),
        differs(cell(FIRST, &[0]), 0),
        differs(cell(SECOND, &[0]), 0),
    ];
    let bad = vec![
        is(cell(PC, &[0]), 2),
        is(cell(PC, &[1]), 2),
        is(cell(FIRST, &[0]), 0),
        is(cell(SECOND, &[1]), 0),
    ];
    system(init, Formula { parameters: 2, conditions: bad }, transitions)
}

/// The one cube before `transition` taken by process `slot`.
fn before(system: &System, cube: &Cube, transition: usize, slot: u8) -> Cube {
    let found = preimages(system, cube, &system.transitions[transition]).expect("small numbers");
    let mut taken: Vec<Before> = found.into_iter().filter(|one| one.assigned == [slot]).collect();
    assert_eq!(taken.len(), 1, "of satisfying a read and not, one contradicts its value");
    taken.remove(0).cube
}

fn pending(cube: &Cube) -> Vec<(u16, u8)> {
    cube.events.pending().map(|read| (read.symbol, read.reader)).collect()
}

#[test]
fn the_example_of_section_3_3_step_by_step() {
    let system = store_buffering();
    let at = |cube: &Cube, slot: u8| {
        let place = Place::cell(PC, [slot, u8::MAX, u8::MAX, u8::MAX]);
        cube.facts.values(place, &system.sorts).trailing_zeros()
    };
    let is_initial =
        |cube: &Cube| may_be_initial(&system, cube, &Fixpoint::default()).expect("small numbers");
    let bad = Cube::of(&system, &system.unsafe_states[0], &[0, 1]).expect("small").expect("not empty");
    assert_eq!((at(&bad, 0), at(&bad, 1), pending(&bad)), (2, 2, vec![]));
    let one = before(&system, &bad, 3, 1);
    assert_eq!((at(&one, 0), at(&one, 1), pending(&one)), (2, 1, vec![(ALPHA, 1)]));
    let two = before(&system, &one, 1, 0);
    assert_eq!((at(&two, 0), at(&two, 1), pending(&two)), (1, 1, vec![(ALPHA, 1), (BETA, 0)]));
    assert!(two.events.after.iter().all(|&after| after == 0));
    let three = before(&system, &two, 2, 1);
    assert_eq!((at(&three, 0), at(&three, 1), pending(&three)), (1, 0, vec![(ALPHA, 1), (BETA, 0)]));
    // Writes and later reads are not ordered: nothing must come before the pending reads.
    assert!(three.events.flushed.iter().all(|&nodes| nodes == 0) && three.events.stored.is_empty());
    let four = before(&system, &three, 0, 0);
    assert_eq!((at(&four, 0), at(&four, 1), pending(&four)), (0, 0, vec![(ALPHA, 1), (BETA, 0)]));
    assert!([&bad, &one, &two, &three].iter().all(|cube| !is_initial(cube)));
    assert!(is_initial(&four));
    assert!(matches!(answer(&system), Answer::Reached(_)));
}

#[test]
fn fences_forbid_store_buffering() {
    let mut system = store_buffering();
    system.transitions[1].fence = true;
    system.transitions[3].fence = true;
    assert_eq!(answer(&system), Answer::Closed);
    system.transitions[3].fence = false;
    assert!(matches!(answer(&system), Answer::Reached(_)));
}

/// One process writes; another sees it and then reads something else that is never written.
#[test]
fn a_write_is_not_after_pending_reads_of_other_variables() {
    let transitions = vec![
        step(0, 0, None, Some(Update::Cell(cell(BETA, &[]), Term::Constructor(1))), false),
        step(1, 0, Some(is(seen(BETA), 1)), None, true),
        step(2, 1, Some(is(seen(ALPHA), 0)), None, true),
    ];
    let init = vec![is(cell(PC, &[0]), 0), is(cell(ALPHA, &[]), 0), is(cell(BETA, &[]), 0)];
    let bad = Formula { parameters: 1, conditions: vec![is(cell(PC, &[0]), 2)] };
    let mut system = system(init, bad, transitions);
    // The writer must not read for itself.
    system.transitions[0].updates[0] = Update::Cell(cell(PC, &[0]), Term::Constructor(0));
    assert!(matches!(answer(&system), Answer::Reached(_)));
    system.transitions[0].updates[0] = Update::Cell(cell(FIRST, &[0]), Term::Constructor(1));
    let marks = |number: usize, value: u8| (number, is(cell(FIRST, &[0]), value));
    for (number, condition) in [marks(0, 0), marks(1, 2), marks(2, 2)] {
        system.transitions[number].guard.push(condition);
    }
    assert!(matches!(answer(&system), Answer::Reached(_)));
}

/// Two pending reads of one process: the first comes before the second, and earlier writes before both.
fn ordered() -> Cube {
    let mut system = store_buffering();
    system.transitions[1].fence = true;
    let conditions = vec![is(cell(PC, &[0]), 2), is(cell(FIRST, &[0]), 0)];
    let bad =
        Cube::of(&system, &Formula { parameters: 1, conditions }, &[0]).expect("small").expect("not empty");
    let mut again = before(&system, &bad, 1, 0);
    again.facts.within.retain(|one| one.0.symbol != PC);
    let read = again.events.pending().next().expect("one is pending");
    let second = read.location().read_in(1, read.reader);
    again.facts.within.push((second, 1));
    let accesses = Accesses { process: 0, reads: vec![second], fence: true, ..Accesses::default() };
    assert!(again.events.before(&accesses));
    again
}

/// What no random system shows: the order of events and what was flushed before them count.
#[test]
fn a_cube_that_says_more_does_not_contain_one_that_says_less() {
    let system = store_buffering();
    let strict = ordered();
    let (mut unordered, mut unmarked) = (strict.clone(), strict.clone());
    unordered.events.after.iter_mut().for_each(|after| *after = 0);
    unmarked.events.flushed.iter_mut().for_each(|nodes| *nodes = 0);
    let inside = |large: &Cube, small: &Cube| contains(large, small, &system.sorts).expect("small numbers");
    assert!(inside(&unordered, &strict) && inside(&unmarked, &strict));
    assert!(!inside(&strict, &unordered) && !inside(&strict, &unmarked));
}
