//! Errors of the core, which membar-py turns into Python exceptions.

use std::fmt;

use crate::limits::Stopped;

/// Why the core did not answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CoreError {
    /// The compact form breaks its own rules at word `at`: a bug of the lowering, never of the user.
    Malformed {
        /// Position in the list of words.
        at: usize,
        /// Which rule is broken.
        what: &'static str,
    },
    /// A fine question that is too large for the core's fixed sizes.
    TooLarge(&'static str),
    /// A fine question that the search has no meaning for.
    Unsupported(&'static str),
    /// A file cannot be written or read.
    Disk(String),
}

impl fmt::Display for CoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed { at, what } => write!(f, "malformed compact form at word {at}: {what}"),
            Self::TooLarge(what) => write!(f, "too large for the core: {what}"),
            Self::Unsupported(what) => write!(f, "{what}"),
            Self::Disk(what) => write!(f, "{what}"),
        }
    }
}

impl std::error::Error for CoreError {}

/// Why a search has no answer, or only a part of it.
#[derive(Debug)]
pub enum Failure {
    /// It is time to stop.
    Stopped(Stopped),
    /// The core cannot answer.
    Error(CoreError),
}

impl Failure {
    /// Why a search stopped early, if it did.
    pub fn reason(ended: Result<(), Self>) -> Result<Option<Stopped>, CoreError> {
        match ended {
            Ok(()) => Ok(None),
            Err(Self::Stopped(stopped)) => Ok(Some(stopped)),
            Err(Self::Error(error)) => Err(error),
        }
    }
}

impl From<Stopped> for Failure {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

impl From<CoreError> for Failure {
    fn from(error: CoreError) -> Self {
        Self::Error(error)
    }
}
