//! Limits of time, memory, states and executions; requests to stop; progress.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How far a search is: the sum of what its workers say now and then.
#[derive(Debug, Default)]
pub struct Meter {
    executions: AtomicU64,
    blocked: AtomicU64,
    bytes: AtomicU64,
    /// The bits of a number from 0 to 1.
    done: AtomicU64,
}

impl Meter {
    /// Complete executions.
    #[must_use]
    pub fn executions(&self) -> u64 {
        self.executions.load(Ordering::Relaxed)
    }

    /// Executions in which some thread waits forever.
    #[must_use]
    pub fn blocked(&self) -> u64 {
        self.blocked.load(Ordering::Relaxed)
    }

    /// Bytes held, as far as the core counts them.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// What part of the whole is done, by a guess; 0 where there is none.
    #[must_use]
    pub fn done(&self) -> f64 {
        f64::from_bits(self.done.load(Ordering::Relaxed))
    }

    /// Adds to the counts.
    pub fn count(&self, executions: u64, blocked: u64, bytes: u64) {
        self.executions.fetch_add(executions, Ordering::Relaxed);
        self.blocked.fetch_add(blocked, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Begins anew.
    pub fn clear(&self) {
        for counter in [&self.executions, &self.blocked, &self.bytes, &self.done] {
            counter.store(0, Ordering::Relaxed);
        }
    }

    /// Adds to what is done.
    pub fn advance(&self, part: f64) {
        let sum = |bits: u64| Some((f64::from_bits(bits) + part).to_bits());
        // The closure never refuses.
        let _ = self.done.fetch_update(Ordering::Relaxed, Ordering::Relaxed, sum);
    }
}

/// Told how far it is: whether to go on.
pub type GoesOn<'a> = &'a (dyn Fn(&Meter) -> bool + Sync);

/// A request to stop, shared between threads.
#[derive(Default)]
pub struct Stop<'a> {
    flag: AtomicBool,
    /// Asked now and then by the thread that works: whether to go on.
    goes_on: Option<GoesOn<'a>>,
    meter: Meter,
}

impl<'a> Stop<'a> {
    /// A request that may also come from `goes_on`, which is asked every 50 milliseconds or so.
    #[must_use]
    pub fn asking(goes_on: GoesOn<'a>) -> Self {
        Self { flag: AtomicBool::new(false), goes_on: Some(goes_on), meter: Meter::default() }
    }

    /// How far it is.
    #[must_use]
    pub fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Asks all workers to stop.
    pub fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether a stop was requested.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }
}

impl fmt::Debug for Stop<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stop").field("flag", &self.flag).finish_non_exhaustive()
    }
}

/// Time between two calls of the function that decides whether to go on.
pub const ASK_EVERY: Duration = Duration::from_millis(50);

/// How much may be spent; None is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Wall time.
    pub time: Option<Duration>,
    /// Complete executions.
    pub executions: Option<u64>,
    /// States, or nodes of a proof, that are kept.
    pub states: Option<u64>,
    /// Bytes held by runs and final states, as far as the core counts them.
    pub bytes: Option<u64>,
    /// Units of work, to test whether something is quick; checked as often as the clock.
    pub steps: Option<u64>,
}

impl Limits {
    /// Whether something is counted.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.executions.is_some() || self.bytes.is_some()
    }
}

/// Why a search ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// Somebody asked for it.
    Request,
    /// The limit of time.
    Time,
    /// The limit of executions.
    Executions,
    /// The limit of states.
    States,
    /// The limit of memory.
    Memory,
    /// The limit of what may be on disk.
    Disk,
    /// There is no more room on the disk.
    FullDisk,
    /// It found what was to end it, such as the first failing assertion.
    Found,
    /// Too many of its attempts led to nothing: another search does better.
    DeadEnds,
    /// The limit of units of work.
    Steps,
}

impl Stopped {
    /// The word for it, as Python knows it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Time => "time",
            Self::Executions => "executions",
            Self::States => "states",
            Self::Memory => "memory",
            Self::Disk => "disk",
            Self::FullDisk => "full disk",
            Self::Found => "failure",
            Self::DeadEnds => "dead ends",
            Self::Steps => "steps",
        }
    }
}

/// Steps between two looks at the clock.
const LOOK_EVERY: u32 = 256;

/// Words that are read or written between two looks at the clock, by steps that are large: about a millisecond.
const WORDS_PER_LOOK: usize = 1 << 20;

/// Counts steps and looks at the limits now and then.
#[derive(Debug)]
pub struct Watch<'a> {
    stop: &'a Stop<'a>,
    limits: Limits,
    started: Instant,
    asked: Instant,
    steps: u32,
    /// Words of large steps since a look.
    words: usize,
    /// All steps until the last look.
    spent: u64,
    /// Whether it is this one that asks whether to go on.
    is_asking: bool,
}

impl<'a> Watch<'a> {
    /// Begins now.
    #[must_use]
    pub fn new(stop: &'a Stop<'a>, limits: Limits) -> Self {
        let now = Instant::now();
        Self { stop, limits, started: now, asked: now, steps: 0, words: 0, spent: 0, is_asking: true }
    }

    /// The same for another thread, which does not ask whether to go on: signals come to one thread only.
    #[must_use]
    pub fn of_helper(&self) -> Self {
        Self { steps: 0, words: 0, is_asking: false, ..*self }
    }

    /// The same for the thread that was called.
    #[must_use]
    pub fn of_caller(&self) -> Self {
        Self { steps: 0, words: 0, ..*self }
    }

    /// The progress of all workers that share the request to stop.
    #[must_use]
    pub fn meter(&self) -> &'a Meter {
        self.stop.meter()
    }

    /// To be called once per unit of work.
    pub fn step(&mut self) -> Result<(), Stopped> {
        if self.is_due() { self.look() } else { Ok(()) }
    }

    /// Counts a unit of work; whether it is time to look.
    pub fn is_due(&mut self) -> bool {
        self.steps += 1;
        if self.steps < LOOK_EVERY {
            return false;
        }
        self.spent += u64::from(self.steps);
        self.steps = 0;
        true
    }

    /// To be called where the work of one step grows with the size of what is searched, with about the number of words
    /// that it reads or writes: so many steps of this size would take too long.
    pub fn work(&mut self, words: usize) -> Result<(), Stopped> {
        self.words = self.words.saturating_add(words);
        if self.words < WORDS_PER_LOOK {
            return Ok(());
        }
        self.words = 0;
        self.look()
    }

    /// Looks at the request and the clock now.
    pub fn look(&mut self) -> Result<(), Stopped> {
        let now = Instant::now();
        if let Some(goes_on) = self.stop.goes_on.filter(|_| self.is_asking)
            && now.duration_since(self.asked) >= ASK_EVERY
        {
            self.asked = now;
            if !goes_on(self.meter()) {
                self.stop.set();
            }
        }
        if self.stop.is_set() {
            return Err(Stopped::Request);
        }
        match self.limits.time {
            Some(most) if now.duration_since(self.started) > most => return Err(Stopped::Time),
            _ => {}
        }
        match self.limits.steps {
            Some(most) if self.spent > most => Err(Stopped::Steps),
            _ => Ok(()),
        }
    }

    /// Compares a number of executions with its limit.
    pub fn executions(&self, executions: u64) -> Result<(), Stopped> {
        match self.limits.executions {
            Some(most) if executions > most => Err(Stopped::Executions),
            _ => Ok(()),
        }
    }

    /// Compares a number of states with its limit.
    pub fn states(&self, states: u64) -> Result<(), Stopped> {
        match self.limits.states {
            Some(most) if states > most => Err(Stopped::States),
            _ => Ok(()),
        }
    }

    /// To be called once per large unit of work, with the number of states kept and roughly the bytes they take.
    pub fn spend(&mut self, states: u64, bytes: usize) -> Result<(), Stopped> {
        self.look()?;
        self.bytes(bytes)?;
        self.states(states)
    }

    /// Whether there are as many executions as there may be.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.limits.executions.is_some_and(|most| self.meter().executions() >= most)
    }

    /// Compares a number of bytes with its limit.
    pub fn bytes(&self, bytes: usize) -> Result<(), Stopped> {
        match self.limits.bytes {
            Some(most) if bytes as u64 > most => Err(Stopped::Memory),
            _ => Ok(()),
        }
    }

    /// Compares what the meter says with the limits.
    pub fn counts(&self) -> Result<(), Stopped> {
        let bytes = usize::try_from(self.meter().bytes()).unwrap_or(usize::MAX);
        self.executions(self.meter().executions()).and_then(|()| self.bytes(bytes))
    }

    /// Time since the beginning.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_seen_after_some_steps() {
        let stop = Stop::default();
        let mut watch = Watch::new(&stop, Limits::default());
        for _ in 0..3 * LOOK_EVERY {
            assert_eq!(watch.step(), Ok(()));
        }
        stop.set();
        assert!((0..LOOK_EVERY).any(|_| watch.step() == Err(Stopped::Request)));
    }

    #[test]
    fn a_request_is_seen_during_a_large_step() {
        let stop = Stop::default();
        stop.set();
        let mut watch = Watch::new(&stop, Limits::default());
        assert_eq!(watch.work(WORDS_PER_LOOK / 2), Ok(()));
        assert_eq!(watch.work(WORDS_PER_LOOK / 2), Err(Stopped::Request));
        assert_eq!(watch.work(usize::MAX), Err(Stopped::Request));
    }

    #[test]
    fn who_waits_is_asked() {
        let goes_on = |_: &Meter| false;
        let stop = Stop::asking(&goes_on);
        let mut watch = Watch::new(&stop, Limits::default());
        assert_eq!(watch.look(), Ok(()));
        std::thread::sleep(ASK_EVERY);
        assert_eq!(watch.look(), Err(Stopped::Request));
    }

    #[test]
    fn steps_are_counted() {
        let stop = Stop::default();
        let most = u64::from(3 * LOOK_EVERY);
        let mut watch = Watch::new(&stop, Limits { steps: Some(most), ..Limits::default() });
        let taken = (0..10 * most).find(|_| watch.step().is_err());
        assert_eq!(taken, Some(u64::from(4 * LOOK_EVERY) - 1));
        assert_eq!(watch.look(), Err(Stopped::Steps));
    }

    #[test]
    fn limits_are_compared() {
        let stop = Stop::default();
        let limits =
            Limits { time: Some(Duration::ZERO), executions: Some(2), bytes: Some(10), ..Limits::default() };
        let mut watch = Watch::new(&stop, limits);
        std::thread::sleep(Duration::from_millis(1));
        assert_eq!(watch.look(), Err(Stopped::Time));
        assert_eq!(watch.executions(2), Ok(()));
        assert_eq!(watch.executions(3), Err(Stopped::Executions));
        assert_eq!(watch.bytes(11), Err(Stopped::Memory));
    }
}
