//! Backward reachability in the load-buffer semantics of TSO: complete, where `forward` may not terminate.
//!
//! Abdulla, Atig, Bouajjani, Ngo, "A load-buffer semantics for total store ordering", LMCS 2018. The buffers are
//! reversed: a write reaches memory at once and leaves an own message in the thread's queue; the contents of memory
//! may be propagated into a queue at any time; a read takes the newest own message of its location or else the
//! oldest message of all; the oldest message may be deleted at any time; a fence needs an empty queue. The
//! reachable control states are those of TSO.
//!
//! A larger queue can do everything that a smaller one can, as long as both have the same own messages (the newest
//! of each location) between the same parts: that order is a well-quasi-order. So the states from which a bad one
//! is reachable are everything above finitely many minimal ones, and the backward search terminates. A thread or a
//! cell that is not constrained yet is left open: it represents all its states.

mod preimages;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use membar_ir::error::CoreError;
use membar_ir::program::CellId;
use membar_ir::words::narrow;

use super::local_automata::{LocalAutomata, LocalAutomaton, flatten};
use super::question::{Findings, Question};
use super::system::{End, LocalId, System};
use membar_ir::limits::{Stopped, Watch};
use membar_states::goals::{Goal, NOWHERE};
use rustc_hash::FxHashMap;

/// States visited between two checks of the limits.
const LOOK_EVERY: u64 = 64;

/// A message in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Message {
    cell: CellId,
    value: u64,
    own: bool,
}

/// A thread: where it is, and its queue, oldest message first; at most one own message per cell.
type Part = (LocalId, Vec<Message>);

/// A smallest state: all states above it lead to a bad one. None is anything.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Element {
    threads: Vec<Option<Part>>,
    memory: Vec<Option<u64>>,
}

/// Which threads are where.
type Key = Vec<Option<LocalId>>;

/// An element that was found, and whether no smaller one has been found since.
#[derive(Debug)]
struct Kept {
    element: Element,
    is_smallest: bool,
}

struct Search<'s, 'p, 'b> {
    system: &'s System<'p>,
    program: &'s LocalAutomata,
    watch: &'s mut Watch<'b>,
    elements: Vec<Kept>,
    kept: FxHashMap<Key, Vec<u32>>,
    /// Small ones first: what is above them need not be explored then.
    todo: BinaryHeap<Reverse<(usize, u32)>>,
    stored: u64,
    visited: u64,
    bytes: usize,
}

/// Which of the failures and error places can be reached.
///
/// Where a step has several loads, or a load behind its stores, and where control points hold others up, more is
/// reached than the program reaches: what is not found cannot be, but what is found may be wrong (`Findings::is_exact`).
pub fn search(
    system: &mut System<'_>,
    question: &Question,
    watch: &mut Watch<'_>,
) -> Result<Findings, CoreError> {
    if !question.predicates.is_empty() {
        return Err(CoreError::Unsupported("backwards, error states are control points or assertions"));
    }
    let program = match flatten(system, watch)? {
        Ok(program) => program,
        Err(stopped) => return Ok(Findings { stopped: Some(stopped), ..Findings::default() }),
    };
    let mut found = Findings { is_exact: program.is_exact, ..Findings::default() };
    for (goal, elements) in targets(system, &program.threads, question) {
        let mut search = Search {
            system,
            program: &program,
            watch,
            elements: Vec::new(),
            kept: FxHashMap::default(),
            todo: BinaryHeap::new(),
            stored: 0,
            visited: 0,
            bytes: 0,
        };
        match search.run(elements) {
            Ok(true) => found.note(&goal),
            Ok(false) => {}
            Err(stopped) => found.stopped = Some(stopped),
        }
        found.stored += search.stored;
        found.visited += search.visited;
        if found.stopped.is_some() {
            break;
        }
    }
    Ok(found)
}

/// What to look for, each with the smallest states that are it.
fn targets(
    system: &System<'_>,
    threads: &[LocalAutomaton],
    question: &Question,
) -> Vec<(Goal, Vec<Element>)> {
    let open = Element { threads: vec![None; threads.len()], memory: vec![None; system.cells.len()] };
    let mut found: Vec<(Goal, Vec<Element>)> = Vec::new();
    for (thread, flat) in threads.iter().enumerate() {
        for &(local, edge, end) in &flat.ends {
            let goal = match end {
                End::Failed => Goal::Failure { thread, edge },
                _ => Goal::Fault { thread, edge },
            };
            // Whatever its queue holds then, it can be deleted.
            let mut element = open.clone();
            element.threads[thread] = Some((local, Vec::new()));
            found.push((goal, vec![element]));
        }
    }
    for place in &question.places {
        let mut points = vec![NOWHERE; threads.len()];
        let mut elements = vec![open.clone()];
        for &(thread, point) in place {
            points[thread as usize] = point;
            let locals = 0..system.locals(thread as usize).len();
            let there: Vec<LocalId> = locals
                .map(|number| LocalId(narrow(number)))
                .filter(|&local| system.point(thread as usize, local) == Some(point))
                .collect();
            elements = elements
                .iter()
                .flat_map(|element| {
                    there.iter().map(|&local| {
                        let mut next = element.clone();
                        next.threads[thread as usize] = Some((local, Vec::new()));
                        next
                    })
                })
                .collect();
        }
        found.push((Goal::Error(points.into()), elements));
    }
    found
}

impl Search<'_, '_, '_> {
    /// Whether an initial state is above one from which these are reachable.
    fn run(&mut self, elements: Vec<Element>) -> Result<bool, Stopped> {
        for element in elements {
            if self.add(element) {
                return Ok(true);
            }
        }
        while let Some(Reverse((_, number))) = self.todo.pop() {
            self.watch.spend(self.stored, self.bytes)?;
            let kept = &self.elements[number as usize];
            if !kept.is_smallest {
                continue;
            }
            let element = kept.element.clone();
            let mut before = Vec::new();
            for thread in 0..element.threads.len() {
                self.before(&element, thread, &mut before);
            }
            for meeting in &self.program.meetings {
                self.before_meeting(&element, meeting, &mut before);
            }
            for next in before {
                if self.visited.is_multiple_of(LOOK_EVERY) {
                    self.watch.spend(self.stored, self.bytes)?;
                }
                if self.add(next) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Keeps a state unless it is above a kept one; whether it is an initial one.
    fn add(&mut self, element: Element) -> bool {
        self.visited += 1;
        if self.is_covered(&element) {
            return false;
        }
        let is_initial = self.is_initial(&element);
        self.stored += 1;
        self.bytes += 200 + 16 * element.memory.len();
        self.drop_above(&element);
        let Ok(number) = u32::try_from(self.elements.len()) else { return is_initial };
        self.kept.entry(key_of(&element)).or_default().push(number);
        self.todo.push(Reverse((weight(&element), number)));
        self.elements.push(Kept { element, is_smallest: true });
        is_initial
    }

    /// Drops the kept states above a new one, as far as they have the same control points.
    fn drop_above(&mut self, element: &Element) {
        let Some(mut numbers) = self.kept.remove(&key_of(element)) else { return };
        numbers.retain(|&number| {
            let is_above = is_below(element, &self.elements[number as usize].element);
            self.elements[number as usize].is_smallest &= !is_above;
            !is_above
        });
        self.kept.insert(key_of(element), numbers);
    }

    fn is_initial(&self, element: &Element) -> bool {
        let mut parts = element.threads.iter().flatten();
        let mut cells = element.memory.iter().zip(&self.system.cells);
        parts.all(|(local, queue)| *local == LocalId(0) && queue.is_empty())
            && cells.all(|(value, cell)| value.is_none_or(|value| value == cell.initial))
    }

    fn is_covered(&self, element: &Element) -> bool {
        let key = key_of(element);
        // A kept state may leave any of the threads open.
        (0_u32..1 << key.len()).any(|open| {
            let mut general = key.clone();
            for (thread, local) in general.iter_mut().enumerate() {
                if open >> thread & 1 == 1 {
                    if local.is_none() {
                        return false;
                    }
                    *local = None;
                }
            }
            let kept = self.kept.get(&general);
            let is_smaller = |number: &u32| is_below(&self.elements[*number as usize].element, element);
            kept.is_some_and(|kept| kept.iter().any(is_smaller))
        })
    }
}

fn is_below(smaller: &Element, larger: &Element) -> bool {
    let mut cells = smaller.memory.iter().zip(&larger.memory);
    let mut parts = smaller.threads.iter().zip(&larger.threads);
    cells.all(|(small, large)| small.is_none() || small == large)
        && parts.all(|(small, large)| match (small, large) {
            (None, _) => true,
            (Some((a, below)), Some((b, above))) => a == b && is_part(below, above),
            (Some(_), None) => false,
        })
}

fn key_of(element: &Element) -> Key {
    element.threads.iter().map(|part| part.as_ref().map(|part| part.0)).collect()
}

/// How much is required of a state.
fn weight(element: &Element) -> usize {
    let messages: usize = element.threads.iter().flatten().map(|(_, queue)| 1 + 2 * queue.len()).sum();
    messages + element.memory.iter().flatten().count()
}

/// Subword, with the own messages in place.
fn is_part(small: &[Message], large: &[Message]) -> bool {
    let own = |queue: &[Message]| queue.iter().filter(|message| message.own).copied().collect::<Vec<_>>();
    if own(small) != own(large) {
        return false;
    }
    let mut rest = small.iter().peekable();
    for message in large {
        if message.own {
            // All of the part before it must have been found before it.
            if rest.peek() != Some(&message) {
                return false;
            }
            rest.next();
        } else if rest.peek() == Some(&message) {
            rest.next();
        }
    }
    rest.peek().is_none()
}
