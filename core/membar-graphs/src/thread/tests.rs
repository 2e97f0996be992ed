//! Small runs, step by step.

use super::*;
use membar_ir::bits::SmallSet;
use membar_ir::decoder::VERSION;
use membar_ir::program::{CellId, EdgeId, Program};

const X: u64 = 64;

/// A program with one cell and one thread of three registers whose one edge does `operations`.
fn program(operations: &[&[u64]]) -> Program {
    let edge = [&[0, 1, 0, 0, 2, 0, 1, operations.len() as u64], &operations.concat()[..]].concat();
    automaton(2, &[], &[&edge])
}

/// A program with one cell and one thread of three registers, with these control points, joins and edges,
/// which have no rank and need no idle program.
fn automaton(points: u64, joins: &[[u64; 2]], edges: &[&[u64]]) -> Program {
    let mut form =
        vec![VERSION, 1, X, 8, 0, 1, 0, 0, 1, 0, 1, 1, 3, 0, 0, 0, 0, 0, 0, 0, points, joins.len() as u64];
    form.extend(joins.iter().flatten());
    form.extend([0, 0, 0, 0, 0]); // nothing is watched, and no point is special
    form.push(edges.len() as u64);
    for edge in edges {
        form.extend([&edge[..4], &[0, 0], &edge[4..]].concat());
    }
    form.extend([0, 0, 0]);
    Program::decode(&form, 0).unwrap()
}

/// Runs the thread, answering each question with the next of `answers`.
fn run(program: &Program, answers: &[u64]) -> Run {
    let mut machine = ThreadRunner::new(program, &program.threads[0], 1);
    let mut run = machine.begin();
    let mut question = machine.advance(&mut run).unwrap();
    for &answer in answers {
        assert_ne!(question, Question::Ended);
        question = machine.answer(&mut run, answer).unwrap();
    }
    assert_eq!(question, Question::Ended);
    run
}

fn members(set: &SmallSet) -> Vec<usize> {
    set.iter().collect()
}

const LOAD_R0: &[u64] = &[0, 0, 2, 0, X, 8, 0, 0, 0];

#[test]
fn dependencies_follow_registers() {
    // r0 = [x]; r1 = r0 + 1; [x + (r0 - r0)] = r1; assume r0; [x] = 5
    let address = &[1, 8, 0, X, 1, 0, 1, 0, 17, 16][..];
    let set = &[5, 1, 5, 1, 0, 0, 1, 16][..];
    let store = [address, &[2, 1, 1, 8, 0, 0]].concat();
    let last = &[1, 2, 0, X, 2, 0, 5, 8, 0, 0][..];
    let found = run(&program(&[LOAD_R0, set, &store, &[6, 2, 1, 0, 0], last]), &[7]);
    let events = &found.skeleton.events;
    assert_eq!(found.values, [7, 8, 5]);
    assert_eq!((members(&events[1].address.data), members(&events[1].data.data)), (vec![0], vec![0]));
    assert_eq!((members(&events[1].control.data), members(&events[2].control.data)), (vec![], vec![0]));
    assert!(events[2].data.is_empty());
    assert!(events.iter().all(|event| event.address.pick.is_empty() && event.data.pick.is_empty()));
    assert_eq!(found.skeleton.status, Status::Complete);
}

#[test]
fn a_selection_carries_the_data_of_what_it_takes() {
    // r0 = [x]; r1 = [x]; [x] = r0 ? r1 : 5, whose address is x + (r0 ? 0 : r1 - r1); assume r0 ? 1 : r1; a fence
    let load_r1 = &[0, 1, 2, 0, X, 8, 0, 0, 0][..];
    let value = &[7, 1, 0, 1, 1, 0, 5, 3][..];
    let address = &[12, 0, X, 1, 0, 0, 0, 1, 1, 1, 1, 17, 3, 16][..];
    let store = [&[1], &[13][..], &address[1..], value, &[8, 0, 0]].concat();
    let assume = &[6, 7, 1, 0, 0, 1, 1, 1, 3, 0][..];
    let program = program(&[LOAD_R0, load_r1, &store, assume, &[4, 0, 0]]);
    for (first, data) in [(1, vec![1]), (0, vec![])] {
        let found = run(&program, &[first, 9]);
        let events = &found.skeleton.events;
        assert_eq!(members(&events[2].data.data), data);
        assert_eq!(members(&events[2].data.pick), [0]);
        assert_eq!(members(&events[2].address.data), if first == 0 { vec![1] } else { vec![] });
        assert_eq!(members(&events[2].address.pick), [0]);
        assert_eq!(members(&events[3].control.data), if first == 0 { vec![1] } else { vec![] });
        assert_eq!(members(&events[3].control.pick), [0]);
    }
}

#[test]
fn picks_pass_through_registers_and_conditions() {
    // r0 = [x]; r1 = r0 ? 3 : 4; r2 = r1 ? r1 : 0; [x] = r2 + 1
    let first = &[5, 1, 7, 1, 0, 0, 3, 0, 4, 3][..];
    let second = &[5, 2, 7, 1, 1, 1, 1, 0, 0, 3][..];
    let store = &[1, 2, 0, X, 5, 1, 2, 0, 1, 16, 8, 0, 0][..];
    let found = run(&program(&[LOAD_R0, first, second, store]), &[0]);
    let event = &found.skeleton.events[1];
    assert_eq!(found.values, [0, 5]);
    assert_eq!((members(&event.data.data), members(&event.data.pick)), (vec![], vec![0]));
}

#[test]
fn a_branch_decides_up_to_where_its_paths_meet() {
    // 0: r0 = [x]; 1: if r0 { [x] = 5 }; 2: [x] = 5
    let load = [&[0, 1, 0, 0, 2, 0, 1, 1], LOAD_R0].concat();
    let store = &[1, 2, 0, X, 2, 0, 5, 8, 0, 0][..];
    let yes = [&[1, 2, 0, 0, 2, 1, 0, 1], store].concat();
    let no = &[1, 2, 0, 0, 3, 1, 0, 6, 0][..];
    let last = [&[2, 3, 0, 0, 2, 0, 1, 1], store].concat();
    for (joins, decided) in [(&[][..], vec![0]), (&[[1, 2]][..], vec![])] {
        let found = run(&automaton(4, joins, &[&load, &yes, no, &last]), &[7]);
        let events = &found.skeleton.events;
        let decisive = |event: usize| members(&events[event].control.data);
        assert_eq!((decisive(1), decisive(2)), (vec![0], decided));
    }
}

#[test]
fn a_fence_may_name_a_location() {
    let found = run(&program(&[&[4, 0, 1, 2, 0, X], &[4, 0, 0], &[4, 0, 1, 2, 0, X + 1]]), &[]);
    let cells: Vec<_> = found.skeleton.events.iter().map(|event| event.cell).collect();
    assert_eq!((cells, found.skeleton.status), (vec![Some(CellId(0)), None], Status::Fault));
}

#[test]
fn an_rmw_does_not_depend_on_itself() {
    // r0 = [x], then [x] = r0 + 1 if r0 is 0, atomically; then once more.
    let rmw = &[3, 0, 2, 0, X, 5, 1, 0, 0, 1, 16, 5, 1, 0, 0, 0, 29, 8, 0, 0, 0, 0][..];
    let found = run(&program(&[rmw, rmw]), &[0, 1]);
    assert_eq!(found.values, [0, 1, 1]);
    assert_eq!(found.skeleton.atomic, [(0, 1)]);
    assert!(found.skeleton.events.iter().all(|event| event.data.is_empty() && event.control.is_empty()));
}

#[test]
fn an_exclusive_store_needs_an_open_load() {
    let load = &[0, 0, 2, 0, X, 8, 0, 0, 1][..];
    let store = &[1, 2, 0, X, 2, 0, 5, 8, 0, 1][..];
    let found = run(&program(&[load, store, store]), &[3]);
    assert_eq!(found.skeleton.status, Status::Blocked);
    assert_eq!(found.skeleton.atomic, [(0, 1)]);
    assert_eq!(found.skeleton.end, Some((EdgeId(0), 2)));
}

#[test]
fn early_ends_say_where() {
    let fails = run(&program(&[LOAD_R0, &[7, 2, 1, 0]]), &[0]);
    assert_eq!((fails.skeleton.status, fails.skeleton.end), (Status::Failed, Some((EdgeId(0), 1))));
    let strays = run(&program(&[&[0, 0, 2, 0, X + 1, 8, 0, 0, 0]]), &[]);
    assert_eq!(strays.skeleton.status, Status::Fault);
    let small = run(&program(&[&[0, 0, 2, 0, X, 4, 0, 0, 0]]), &[]);
    assert_eq!(small.skeleton.status, Status::Fault);
}
