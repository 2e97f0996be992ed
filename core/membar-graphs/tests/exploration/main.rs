//! The core from its compact forms to its findings.

#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test that cannot build its input has failed")]

mod forms;
mod malformed;
mod search;
