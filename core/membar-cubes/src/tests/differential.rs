//! The backward search against explicit states of small instances, on random systems.

use crate::search::{Answer, Options, search};
use crate::system::{Condition, System, Term, Update};
use crate::tests::forward::explore;
use crate::tests::random::{Dice, Flavour, TURN, system};
use crate::tests::reference_instance::ReferenceInstance;
use membar_ir::limits::{Limits, Stop, Watch};
use std::time::Duration;

const MOST_STATES: usize = 4_000;
const MOST_NODES: u64 = 600;
/// Seeds of systems that once showed a mistake which the first 600 do not.
const FURTHER: [u64; 5] = [726, 801, 1103, 2661, 3363];

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

fn verdict_of(system: &System) -> Verdict {
    let stop = Stop::default();
    let limits = Limits { time: Some(Duration::from_secs(20)), ..Limits::default() };
    let mut watch = Watch::new(&stop, Limits { states: Some(MOST_NODES), ..limits });
    let Ok(found) = search(system, Options::default(), &mut watch) else {
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
            // Universal guards, and writes to all cells of an array, are evaluated on the processes of a cube only.
            let has_universal = system.transitions.iter().any(|one| {
                !one.universal.is_empty()
                    || one.updates.iter().any(|update| matches!(update, Update::All(..)))
            });
            if with.iter().any(|found| found.bad.is_some()) {
                Verdict::Reached
            } else if with.iter().all(|found| found.is_complete) && !has_universal {
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
    let seeds = std::env::var("MEMBAR_CUBES_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(200);
    for seed in (0..seeds).chain(FURTHER) {
        let system = system(&mut Dice::new(seed + 1), flavour(seed));
        match verdict_of(&system) {
            Verdict::Safe => counts[0] += 1,
            Verdict::Reached => counts[1] += 1,
            Verdict::Open => counts[2] += 1,
            wrong => panic!("{wrong:?} with seed {seed}"),
        }
    }
    assert!(counts[0] * 4 > u32::try_from(seeds).unwrap_or(0), "{counts:?}");
    assert!(counts[1] * 4 > u32::try_from(seeds).unwrap_or(0), "{counts:?}");
}
