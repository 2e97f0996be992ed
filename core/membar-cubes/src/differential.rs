//! The backward search against explicit states of small instances, on random systems.

use crate::examples;
use crate::fault::Fault;
use crate::forward::explore;
use crate::random::{Dice, Flavour, TURN, system};
use crate::reference_instance::ReferenceInstance;
use crate::search::{Answer, Options, search};
use crate::system::{Condition, System, Term, Update};
use membar_ir::limits::{Limits, Stop, Watch};
use std::time::Duration;

const MOST_STATES: usize = 4_000;
const MOST_NODES: u64 = 600;
/// Cubes of a search that ends soon.
const SOON: u64 = 80;

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Verdict {
    Safe,
    Reached,
    Open,
    /// A bad state is reachable although the search says it is not.
    Missed,
    /// The search says that a bad state is reachable with so many processes, and it is not.
    Invented,
}

fn flavour(seed: u64) -> Flavour {
    Flavour { weak: seed % 2 == 1, universal: seed.is_multiple_of(3), numbers: seed.is_multiple_of(5) }
}

/// Whether a condition is about a variable that holds a process.
fn is_about_turn(condition: &Condition) -> bool {
    let is_turn = |term: &Term| matches!(term, Term::Access(access) if access.symbol == TURN);
    matches!(condition, Condition::Compare(_, a, b) if is_turn(a) || is_turn(b))
}

fn verdict_of(system: &System, fault: Fault) -> Verdict {
    let stop = Stop::default();
    let limits = Limits { time: Some(Duration::from_secs(20)), ..Limits::default() };
    let mut watch = Watch::new(&stop, Limits { states: Some(MOST_NODES), ..limits });
    let Ok(found) = search(system, Options { fault, ..Options::default() }, &mut watch) else {
        return Verdict::Open;
    };
    let forward = |count: u8| {
        let mut watch = Watch::new(&stop, Limits::default());
        explore(&ReferenceInstance::new(system, count, 3), MOST_STATES, true, &mut watch).expect("no limit")
    };
    match found.answer {
        Answer::Closed => {
            let wrong = (1..=3).any(|count| forward(count).bad.is_some());
            if wrong { Verdict::Missed } else { Verdict::Safe }
        }
        Answer::Reached(trace) => {
            // A variable may name a process that takes no part.
            let others = u8::from(system.transitions.iter().flat_map(|one| &one.guard).any(is_about_turn));
            let with: Vec<_> = (0..=others).map(|more| forward(trace.processes + more)).collect();
            // Universal guards, and writes to all cells of an array, are asked of the processes of a cube only; a
            // mistake is looked for only where the search without it proves the contrary.
            let has_universal = system.transitions.iter().any(|one| {
                !one.universal.is_empty()
                    || one.updates.iter().any(|update| matches!(update, Update::All(..)))
            });
            if with.iter().any(|found| found.bad.is_some()) {
                Verdict::Reached
            } else if with.iter().all(|found| found.is_complete)
                && (!has_universal || !matches!(fault, Fault::None))
            {
                Verdict::Invented
            } else {
                Verdict::Open
            }
        }
        Answer::Stopped(_) => Verdict::Open,
    }
}

#[test]
fn proofs_and_traces_agree_with_small_instances() {
    let mut counts = [0u32; 3];
    let seeds = std::env::var("MEMBAR_CUBES_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(600);
    for seed in 0..seeds {
        let system = system(&mut Dice::new(seed + 1), flavour(seed));
        match verdict_of(&system, Fault::None) {
            Verdict::Safe => counts[0] += 1,
            Verdict::Reached => counts[1] += 1,
            Verdict::Open => counts[2] += 1,
            wrong => panic!("{wrong:?} with seed {seed}"),
        }
    }
    assert!(counts[0] * 4 > u32::try_from(seeds).unwrap_or(0), "{counts:?}");
    assert!(counts[1] * 4 > u32::try_from(seeds).unwrap_or(0), "{counts:?}");
}

/// Whether a bad state is said to be reachable; None if the search does not end soon.
fn ending(system: &System, fault: Fault) -> Option<bool> {
    let stop = Stop::default();
    let mut watch = Watch::new(&stop, Limits { states: Some(SOON), ..Limits::default() });
    match search(system, Options { fault, ..Options::default() }, &mut watch).ok()?.answer {
        Answer::Closed => Some(false),
        Answer::Reached(_) => Some(true),
        Answer::Stopped(_) => None,
    }
}

/// Whether the search misses a bad state or invents one because of a mistake.
fn shows(fault: Fault, seed: u64) -> bool {
    let system = system(&mut Dice::new(seed + 1), flavour(seed));
    // Where both end alike there is nothing to compare.
    ending(&system, fault) != ending(&system, Fault::None)
        && matches!(verdict_of(&system, fault), Verdict::Missed | Verdict::Invented)
}

/// For each mistake a system on which it shows; `find_systems_for_mistakes` finds them anew.
const SEEDS: &[(Fault, u64)] = &[
    (Fault::FenceIgnored, 499),
    (Fault::AtomicWithoutFence, 1103),
    (Fault::WritesUnordered, 499),
    (Fault::CoherenceForgotten, 419),
    (Fault::ReadFromUnordered, 801),
    (Fault::OwnReadsAreOrdered, 2661),
    (Fault::ReadsUnordered, 801),
    (Fault::NewReadForgetsWrites, 499),
    (Fault::FromReadForgotten, 419),
    (Fault::PrintedFromRead, 25),
    (Fault::CyclesAllowed, 419),
    (Fault::OwnReadsMayWait, 1),
    (Fault::WriteSatisfiesAll, 59),
    (Fault::WriteSatisfiesOne, 3363),
    (Fault::NoFreshProcess, 26),
    (Fault::UniversalForgotten, 0),
    (Fault::UniversalOnParameters, 66),
    (Fault::FirstCaseOnly, 58),
    (Fault::CaseOrderForgotten, 152),
    (Fault::ProcessesMayMeet, 3),
    (Fault::MatchIgnoresReads, 21),
    (Fault::MatchReversed, 98),
    (Fault::InitOfOneProcess, 0),
    (Fault::ChosenKeepsValue, 269),
    (Fault::DeleteWithoutCover, 726),
    (Fault::PairsForgotten, 26),
    (Fault::NegationKept, 94),
];

#[test]
fn every_deliberate_mistake_is_seen() {
    for (fault, what) in Fault::ALL {
        let seed = SEEDS.iter().find(|one| one.0 == *fault).map(|one| one.1);
        let is_seen = seed.is_some_and(|seed| shows(*fault, seed)) || examples::shows(*fault);
        assert!(is_seen, "not seen: {what}");
    }
}

#[test]
#[ignore = "slow: only after a change of the random systems"]
fn find_systems_for_mistakes() {
    let mut found: Vec<(Fault, u64)> = Vec::new();
    for seed in 0..4_000 {
        for (fault, _) in Fault::ALL {
            let is_new = !found.iter().any(|one| one.0 == *fault) && !examples::shows(*fault);
            if is_new && shows(*fault, seed) {
                found.push((*fault, seed));
            }
        }
    }
    found.sort_by_key(|one| Fault::ALL.iter().position(|other| other.0 == one.0));
    assert_eq!(found, SEEDS);
}
