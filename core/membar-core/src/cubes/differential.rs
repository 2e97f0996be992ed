//! The backward search against explicit states of small instances, on random systems.

use crate::buffers::budget::Budget;
use crate::cubes::fault::Fault;
use crate::cubes::forward::explore;
use crate::cubes::instance::Instance;
use crate::cubes::random::{Dice, Flavour, system};
use crate::cubes::search::{Answer, Options, search};
use crate::cubes::system::System;
use crate::stop::{Limits, Stop, Watch};
use std::time::Duration;

const MOST_STATES: usize = 4_000;
const MOST_NODES: u64 = 600;

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
    Flavour { weak: seed % 2 == 1, universal: seed % 3 == 0, numbers: seed % 5 == 0 }
}

fn judged(system: &System, fault: Fault) -> Verdict {
    let stop = Stop::default();
    let limits = Limits { time: Some(Duration::from_secs(2)), ..Limits::default() };
    let mut budget = Budget { watch: Watch::new(&stop, limits), states: Some(MOST_NODES) };
    let Ok(found) = search(system, Options { trust: false, fault }, &mut budget) else {
        return Verdict::Open;
    };
    let forward = |count: u8| {
        let mut budget = Budget { watch: Watch::new(&stop, Limits::default()), states: None };
        explore(&Instance::new(system, count, 3), MOST_STATES, true, &mut budget).expect("no limit")
    };
    match found.answer {
        Answer::Closed => {
            let wrong = (1..=3).any(|count| forward(count).bad.is_some());
            if wrong { Verdict::Missed } else { Verdict::Safe }
        }
        Answer::Reached(trace) => {
            // A variable may name a process that takes no part.
            let with = [forward(trace.processes), forward(trace.processes + 1)];
            let has_universal = system.transitions.iter().any(|one| !one.universal.is_empty());
            if with.iter().any(|found| found.bad.is_some()) {
                Verdict::Reached
            } else if with.iter().all(|found| found.is_complete) && !has_universal {
                Verdict::Invented
            } else {
                Verdict::Open
            }
        }
        Answer::Halted(_) => Verdict::Open,
    }
}

#[test]
fn proofs_and_traces_agree_with_small_instances() {
    let mut counts = [0u32; 3];
    let seeds = std::env::var("MEMBAR_CUBES_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(600);
    for seed in 0..seeds {
        let system = system(&mut Dice::new(seed + 1), flavour(seed));
        let before = std::time::Instant::now();
        eprint!("{seed} ");
        let _guard = Show(before, seed);
        match judged(&system, Fault::None) {
            Verdict::Safe => counts[0] += 1,
            Verdict::Reached => counts[1] += 1,
            Verdict::Open => counts[2] += 1,
            wrong => panic!("{wrong:?} with seed {seed}"),
        }
    }
    assert!(counts[0] * 4 > u32::try_from(seeds).unwrap_or(0), "{counts:?}");
    assert!(counts[1] * 4 > u32::try_from(seeds).unwrap_or(0), "{counts:?}");
}

struct Show(std::time::Instant, u64);
impl Drop for Show {
    fn drop(&mut self) {
        if self.0.elapsed().as_millis() > 300 {
            eprintln!("slow {} {:?}", self.1, self.0.elapsed());
        }
    }
}
