//! When to stop before the end: a request from outside, time, or a number of executions.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A request to stop, shared between threads.
#[derive(Default)]
pub struct Stop<'a> {
    flag: AtomicBool,
    /// Asked now and then by the thread that works: whether to go on.
    goes_on: Option<&'a (dyn Fn() -> bool + Sync)>,
}

impl<'a> Stop<'a> {
    /// A request that may also come from `goes_on`, which is asked every 50 milliseconds or so.
    #[must_use]
    pub fn asking(goes_on: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { flag: AtomicBool::new(false), goes_on: Some(goes_on) }
    }

    /// Asks everybody who looks to stop.
    pub fn set(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
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

/// Time between two questions to the one who waits.
const ASK_EVERY: Duration = Duration::from_millis(50);

/// How much may be spent; None is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Wall time.
    pub time: Option<Duration>,
    /// Complete executions.
    pub executions: Option<u64>,
    /// Bytes held by runs and final states, as far as the core counts them.
    pub bytes: Option<u64>,
}

/// Why a search ended before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Stopped {
    Request,
    Time,
    Executions,
    Memory,
}

/// Steps between two looks at the clock.
const LOOK_EVERY: u32 = 256;

/// Counts steps and looks at the limits now and then.
#[derive(Debug)]
pub struct Watch<'a> {
    stop: &'a Stop<'a>,
    limits: Limits,
    started: Instant,
    asked: Instant,
    steps: u32,
}

impl<'a> Watch<'a> {
    /// Begins now.
    #[must_use]
    pub fn new(stop: &'a Stop<'a>, limits: Limits) -> Self {
        let now = Instant::now();
        Self { stop, limits, started: now, asked: now, steps: 0 }
    }

    /// To be called once per unit of work.
    ///
    /// # Errors
    /// It is time to stop.
    pub fn step(&mut self) -> Result<(), Stopped> {
        self.steps += 1;
        if self.steps < LOOK_EVERY {
            return Ok(());
        }
        self.steps = 0;
        self.look()
    }

    /// Looks at the request and the clock now.
    ///
    /// # Errors
    /// It is time to stop.
    pub fn look(&mut self) -> Result<(), Stopped> {
        let now = Instant::now();
        if let Some(goes_on) = self.stop.goes_on
            && now.duration_since(self.asked) >= ASK_EVERY
        {
            self.asked = now;
            if !goes_on() {
                self.stop.set();
            }
        }
        if self.stop.is_set() {
            return Err(Stopped::Request);
        }
        match self.limits.time {
            Some(most) if now.duration_since(self.started) > most => Err(Stopped::Time),
            _ => Ok(()),
        }
    }

    /// Compares a number of executions with its limit.
    ///
    /// # Errors
    /// It is larger.
    pub fn executions(&self, executions: u64) -> Result<(), Stopped> {
        match self.limits.executions {
            Some(most) if executions > most => Err(Stopped::Executions),
            _ => Ok(()),
        }
    }

    /// Compares a number of bytes with its limit.
    ///
    /// # Errors
    /// It is larger.
    pub fn bytes(&self, bytes: usize) -> Result<(), Stopped> {
        match self.limits.bytes {
            Some(most) if bytes as u64 > most => Err(Stopped::Memory),
            _ => Ok(()),
        }
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
    fn who_waits_is_asked() {
        let goes_on = || false;
        let stop = Stop::asking(&goes_on);
        let mut watch = Watch::new(&stop, Limits::default());
        assert_eq!(watch.look(), Ok(()));
        std::thread::sleep(ASK_EVERY);
        assert_eq!(watch.look(), Err(Stopped::Request));
    }

    #[test]
    fn limits_are_compared() {
        let stop = Stop::default();
        let limits = Limits { time: Some(Duration::ZERO), executions: Some(2), bytes: Some(10) };
        let mut watch = Watch::new(&stop, limits);
        std::thread::sleep(Duration::from_millis(1));
        assert_eq!(watch.look(), Err(Stopped::Time));
        assert_eq!(watch.executions(2), Ok(()));
        assert_eq!(watch.executions(3), Err(Stopped::Executions));
        assert_eq!(watch.bytes(11), Err(Stopped::Memory));
    }
}
