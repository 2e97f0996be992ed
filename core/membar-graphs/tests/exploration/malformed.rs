//! A malformed form is an error and never a panic, whatever it holds; a form that is read can be searched.

use std::time::Duration;

use crate::forms::*;
use membar_cat::plan::Plan;
use membar_cat::schedule::Schedule;
use membar_graphs::enumeration::{Options, search};
use membar_ir::limits::{Limits, Stop};
use membar_ir::program::Program;

/// Numbers that look random and are the same every time.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }

    /// Mostly small, sometimes huge.
    fn word(&mut self) -> u64 {
        match self.below(12) {
            0 => self.next(),
            1 => u64::MAX - self.next() % 4,
            _ => self.next() % 20,
        }
    }

    fn mutated(&mut self, form: &[u64]) -> Words {
        let mut form = form.to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(form.len());
            match self.below(4) {
                0 => drop(form.remove(at)),
                1 => form.insert(at, self.word()),
                _ => form[at] = self.word(),
            }
            if form.is_empty() {
                form.push(1);
            }
        }
        form
    }
}

fn samples() -> Vec<Words> {
    vec![
        program(&[
            thread(&[store(X, &constant(1)), fence(), load(0, Y)]),
            thread(&[increment(0, Y), load_exclusive(1, X), store_conditional(2, X, 3)]),
        ]),
        program(&[
            thread(&[spawn(1), join(1), choose(1, 0, 2), assume(&register(1))]),
            thread_with(false, &[load(0, X), store(Y, &plus(0, 2)), assertion(&register(0))]),
        ]),
    ]
}

#[test]
fn random_words_are_refused() {
    let mut random = Random(1);
    for _ in 0..20_000 {
        let mut form: Words = (0..random.below(40)).map(|_| random.word()).collect();
        form.insert(0, 1);
        let _ = Plan::decode(&form);
        let _ = Program::decode(&form, 3);
    }
}

#[test]
fn mutated_forms_are_refused_or_searched() {
    let limits = Limits {
        time: Some(Duration::from_millis(20)),
        executions: Some(200),
        bytes: Some(1 << 20),
        ..Limits::default()
    };
    let options = Options { bound: 1, limits, keep_all: true };
    let models = [sc(), coherence()];
    let mut random = Random(2);
    let mut read = 0;
    for round in 0..4_000 {
        let model = if round % 2 == 0 { models[0].clone() } else { random.mutated(&models[1]) };
        let sample = &samples()[random.below(2)];
        let form = if round % 3 == 0 { sample.clone() } else { random.mutated(sample) };
        let Ok(plan) = Plan::decode(&model) else { continue };
        let Ok(program) = Program::decode(&form, plan.tags) else { continue };
        read += 1;
        let _ = search(&program, &plan, &Schedule::new(&plan, true), options, &Stop::default());
    }
    assert!(read > 400, "only {read} forms were worth something");
}

#[test]
fn every_cut_form_is_refused() {
    for sample in samples() {
        assert!(Program::decode(&sample, 1).is_ok());
        for end in 0..sample.len() {
            assert!(Program::decode(&sample[..end], 1).is_err(), "cut at {end}");
        }
    }
}
