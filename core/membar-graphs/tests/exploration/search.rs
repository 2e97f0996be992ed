//! The general search on small programs whose executions can be counted by hand.

use std::time::Duration;

use crate::forms::*;
use membar_cat::plan::Plan;
use membar_cat::plan::Primitive;
use membar_cat::schedule::Schedule;
use membar_graphs::enumeration::search;
use membar_graphs::thread::Status;
use membar_ir::error::CoreError;
use membar_ir::limits::{Limits, Stop, Stopped};
use membar_ir::program::{CellId, Program};

fn store_buffering() -> Words {
    program(&[thread(&[store(X, &constant(1)), load(0, Y)]), thread(&[store(Y, &constant(1)), load(0, X)])])
}

#[test]
fn store_buffering_needs_a_weak_model() {
    let strong = run(&sc(), &store_buffering());
    assert_eq!(strong.executions, 3);
    assert_eq!(states(&strong), [[0, 1, 1, 1], [1, 0, 1, 1], [1, 1, 1, 1]]);
    let weak = run(&coherence(), &store_buffering());
    assert_eq!(weak.executions, 4);
    assert!(states(&weak).contains(&vec![0, 0, 1, 1]));
}

#[test]
fn without_axioms_a_read_may_see_a_later_write_of_its_thread() {
    let own = program(&[thread(&[load(0, X), store(X, &constant(1))])]);
    assert_eq!(run(&anything(), &own).executions, 2);
    assert_eq!(run(&coherence(), &own).executions, 1);
}

#[test]
fn every_coherence_order_is_found_once() {
    let writers: Vec<Words> = (1..=4).map(|value| thread(&[store(X, &constant(value))])).collect();
    let found = run(&coherence(), &program(&writers));
    assert_eq!(found.executions, 24);
    assert_eq!(found.states.len(), 4);
    assert!(found.states.values().all(|seen| seen.count == 6));
}

#[test]
fn values_travel_through_threads_and_not_out_of_thin_air() {
    let add = |register: u64| [load(register, X), store(X, &plus(register, 1))];
    let found = run(&sc(), &program(&[thread(&add(0)), thread(&add(0))]));
    assert_eq!(states(&found), [[0, 0, 1, 0], [0, 1, 2, 0], [1, 0, 2, 0]]);
    let copy = [thread(&[load(0, X), store(Y, &register(0))]), thread(&[load(0, Y), store(X, &register(0))])];
    assert_eq!(states(&run(&anything(), &program(&copy))), [[0, 0, 0, 0]]);
}

#[test]
fn atomic_increments_do_not_lose_one() {
    let threads: Vec<Words> = (0..3).map(|_| thread(&[increment(0, X)])).collect();
    let found = run(&sc(), &program(&threads));
    assert_eq!(found.executions, 6);
    assert!(found.states.keys().all(|state| state[3] == 3));
}

#[test]
fn a_store_conditional_may_fail_and_needs_its_load() {
    let pair = program(&[thread(&[load_exclusive(0, X), store_conditional(1, X, 1)])]);
    assert_eq!(states(&run(&sc(), &pair)), [[0, 0, 0], [0, 1, 0]]);
    let other = program(&[thread(&[load_exclusive(0, Y), store_conditional(1, X, 1)])]);
    assert_eq!(states(&run(&sc(), &other)), [[0, 0, 0]]);
}

#[test]
fn an_assumption_blocks_and_an_assertion_fails() {
    let writer = thread(&[store(X, &constant(1))]);
    let waiting = program(&[writer.clone(), thread(&[load(0, X), assume(&register(0))])]);
    let found = run(&sc(), &waiting);
    assert_eq!((found.executions, found.blocked), (1, 1));
    let failing = program(&[writer, thread(&[load(0, X), assertion(&register(0))])]);
    let found = run(&sc(), &failing);
    assert_eq!((found.executions, found.blocked, found.failures[&1].count), (1, 0, 1));
}

#[test]
fn a_stray_pointer_is_a_fault() {
    let found = run(&sc(), &program(&[thread(&[load_from(0, &constant(X + 1))])]));
    assert_eq!((found.executions, found.faults[&0].count), (0, 1));
}

#[test]
fn loops_are_cut_at_the_bound() {
    let wait = automaton(
        true,
        3,
        &[
            edge(0, 1, false, &constant(1), &[load(0, X)]),
            edge(1, 0, true, &[3, 1, 0, 4], &[]),
            edge(1, 2, false, &register(0), &[]),
        ],
    );
    let found = run(&sc(), &program(&[wait, thread(&[store(X, &constant(1))])]));
    assert!(found.cut);
    // 1, 01 and 001.
    assert_eq!(found.executions, 3);
    let straight = run(&sc(), &store_buffering());
    assert!(!straight.cut);
}

#[test]
fn choices_are_all_made() {
    let found =
        run(&sc(), &program(&[thread(&[choose(0, 3_u64.wrapping_neg(), 2), store(X, &constant(1))])]));
    assert_eq!(found.executions, 6);
    assert!(states(&found).contains(&vec![3_u64.wrapping_neg(), 1, 0]));
    assert_eq!(run(&sc(), &program(&[thread(&[choose(0, 1, 0)])])).blocked, 1);
}

#[test]
fn too_wide_a_choice_is_refused() {
    let plan = Plan::decode(&sc()).unwrap();
    let wide = Program::decode(&program(&[thread(&[choose(0, 0, 1 << 40)])]), 1).unwrap();
    let answer = search(&wide, &plan, &Schedule::new(&plan, true), options(), &Stop::default());
    assert!(matches!(answer, Err(CoreError::TooLarge(_))));
}

#[test]
fn a_spawned_thread_runs_only_if_started_and_a_join_waits() {
    let child = thread_with(false, &[store(X, &constant(1))]);
    let parent = thread(&[spawn(1), join(1), load(0, X)]);
    // `spawn-join` is in the model: slot 0 of communication is po; add it to the order.
    let slots =
        [vec![0, 1, 14], vec![0, 1, 15], vec![0, 1, 16], vec![9, 1, 1], vec![8, 1, 3, 2], vec![4, 1, 0, 4]];
    let ordered = model(&slots, &[vec![0, 5, 0, 0]]);
    let found = run(&ordered, &program(&[parent, child.clone()]));
    assert_eq!(states(&found), [[1, 0, 1, 0]]);
    let never = run(&ordered, &program(&[thread(&[store(Y, &constant(1))]), child]));
    assert_eq!(states(&never), [[0, 0, 0, 1]]);
}

#[test]
fn a_required_failure_waits_for_the_whole_execution() {
    // ~empty co & (tagged writes): negated, so it says nothing before co is known.
    let slots = [vec![0, 1, 16], vec![0, 0, 4], vec![13, 1, 1], vec![8, 1, 0, 2]];
    let last = model(&slots, &[vec![2, 3, 1, 0]]);
    let writers = program(&[thread(&[store(X, &constant(1))]), thread(&[store(X, &constant(2))])]);
    assert_eq!(run(&last, &writers).executions, 2);
    assert_eq!(run(&last, &program(&[thread(&[fence()])])).executions, 0);
}

#[test]
fn flags_and_undefined_behaviour_are_counted() {
    // flag ~empty F, undefined_unless empty F, of tagged fences.
    let flags = model(&[vec![1, 0, 0]], &[vec![2, 0, 1, 1], vec![2, 0, 0, 2]]);
    let found = run(&flags, &program(&[thread(&[fence()])]));
    assert_eq!((found.flags[&0].count, found.flags[&1].count), (1, 1));
    assert!(run(&flags, &store_buffering()).flags.is_empty());
}

#[test]
fn limits_stop_the_search() {
    let limited = |limits| {
        let found = run_with(
            &coherence(),
            &store_buffering(),
            membar_graphs::enumeration::Options { limits, ..options() },
            true,
        );
        found.stopped
    };
    assert_eq!(limited(Limits { executions: Some(2), ..Limits::default() }), Some(Stopped::Executions));
    assert_eq!(limited(Limits { executions: Some(4), ..Limits::default() }), None);
    assert_eq!(limited(Limits { bytes: Some(1), ..Limits::default() }), Some(Stopped::Memory));
    let none = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    assert_eq!(limited(none), Some(Stopped::Time));
}

#[test]
fn executions_are_kept_with_their_relations() {
    let form = store_buffering();
    let keep = membar_graphs::enumeration::Options { keep_all: true, ..options() };
    let found = run_with(&sc(), &form, keep, true);
    assert_eq!(found.kept.len(), 3);
    let program = Program::decode(&form, 1).unwrap();
    for execution in &found.kept {
        let events: Vec<_> = execution.threads.iter().flat_map(|run| run.skeleton.events.iter()).collect();
        let values: Vec<_> = execution.threads.iter().flat_map(|run| run.values.iter().copied()).collect();
        assert_eq!(events.len(), 4);
        let po = execution.relation(&program, Primitive::ProgramOrder);
        assert_eq!(po, [0, 0, 1 << 3, 0, 1 << 5, 0]);
        assert_eq!(execution.co, [(CellId(0), vec![0, 2]), (CellId(1), vec![1, 4])]);
        for &(write, read) in &execution.rf {
            let read = read as usize - 2;
            let written = (write as usize).checked_sub(2);
            assert_eq!(values[read], written.map_or(0, |write| values[write]));
            assert!(written.is_none_or(|write| events[write].cell == events[read].cell));
        }
        assert!(execution.threads.iter().all(|run| run.skeleton.status == Status::Complete));
    }
}

#[test]
fn more_than_64_events_are_no_problem() {
    let many: Vec<Words> = (0..70).map(|at| store(X, &constant(at))).collect();
    let found = run_with(&sc(), &program(&[thread(&many)]), options(), true);
    assert_eq!(states(&found), [[0, 69, 0]]);
    assert_eq!(found.executions, 1);
}
