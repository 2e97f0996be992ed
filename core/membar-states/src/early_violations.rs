//! A short depth-first search: a violation is often near, but deep, where breadth-first search comes late.
//!
//! It visits at most so many states, newest first, with one thread, so what it finds does not depend on how many there
//! are. Where partial-order reduction says that the steps of one thread are enough, others are not followed, without
//! regard to cycles: nothing follows from finding nothing.

use std::collections::BTreeMap;

use membar_ir::error::CoreError;
use membar_ir::limits::{Stopped, Watch};

use super::findings::{Findings, Options, look};
use super::reduction::Reduction;
use super::safety::{Exploration, Part, is_chosen};
use super::store::{ExpandedState, Store};
use super::successors::{Successors, too_many};
use super::system::System;

/// Visits at most `most` states; `stopped` says whether something was found that ends the search.
pub(super) fn search(
    mut system: System,
    options: Options,
    most: usize,
    watch: &mut Watch<'_>,
) -> Result<Exploration, CoreError> {
    let count = system.leaves();
    let reduction = options.reduced.then(|| Reduction::new(&system.program, &system.program.errors, false));
    let mut found = Findings { errors: vec![None; system.program.errors.len()], ..Findings::default() };
    let mut store = Store::new(&system.program.leaf_order());
    let (mut near, mut moves, mut notes) = (ExpandedState::default(), Successors::default(), Vec::new());
    let initial = store.tree.root_of(&system.initial()?).ok_or_else(too_many)?;
    store.table.root.number(initial).ok_or_else(too_many)?;
    let (mut before, mut open) = (vec![0], vec![0]);
    while let Some(number) = open.pop() {
        if store.len() >= most || watch.step().is_err() {
            break;
        }
        store.fetch(number, &mut near);
        system.moves(near.leaves(count), &mut moves)?;
        look(&mut system, near.leaves(count), &moves, &found, &mut notes);
        let is_over = notes.iter().any(|note| note.ends(options));
        for note in notes.drain(..) {
            found.take(number, note, false);
        }
        if is_over {
            found.stopped = Some(Stopped::Found);
            break;
        }
        let alone = reduction.as_ref().and_then(|reduction| {
            let (program, locals) = system.locals();
            reduction.ample_thread(program, locals, &moves)
        });
        for step in moves.list.iter().filter(|step| is_chosen(step, alone) && !step.failed) {
            found.transitions += 1;
            let pair = store.tree.root_after(moves.changes(step), &mut near).ok_or_else(too_many)?;
            let (next, is_new) = store.table.root.number(pair).ok_or_else(too_many)?;
            if is_new {
                before.push(number);
                open.push(next);
            }
        }
    }
    found.states = store.len() as u64 - found.inside;
    found.bytes = (store.bytes() + system.bytes() + 4 * before.capacity()) as u64;
    Ok(Exploration {
        system,
        parts: vec![Part { store, before }],
        disk: None,
        names: BTreeMap::new(),
        run: None,
        symmetry: None,
        found,
    })
}
