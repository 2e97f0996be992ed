//! Tests of several modules: examples step by step, and facts against brute force. Random systems are compared with
//! instances of a few processes in `tests/differential/test_parameterized.py`.

mod conjunctions;
mod examples;
