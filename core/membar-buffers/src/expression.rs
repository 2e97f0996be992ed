//! Prints automata as regular expressions.

use std::collections::BTreeMap;

use super::automaton::Letter;

/// Letters of an expression beyond which it says nothing to people, and may grow without end.
const LONGEST: usize = 2000;

/// An expression for the words from state 0 to acceptance, by removing states one after the other.
pub(super) fn of(
    accepting: &[bool],
    edges: &[Vec<(Letter, u32)>],
    shown: &dyn Fn(Letter) -> String,
) -> String {
    let (start, end) = (edges.len(), edges.len() + 1);
    let mut steps: BTreeMap<(usize, usize), Vec<String>> =
        BTreeMap::from([((start, 0), vec![String::new()])]);
    if edges.is_empty() {
        return "nothing".to_owned();
    }
    for (state, targets) in edges.iter().enumerate() {
        for &(letter, target) in targets {
            steps.entry((state, target as usize)).or_default().push(shown(letter));
        }
        if accepting[state] {
            steps.entry((state, end)).or_default().push(String::new());
        }
    }
    for state in (0..edges.len()).rev() {
        remove_state(&mut steps, state);
        if steps.values().flatten().map(String::len).sum::<usize>() > LONGEST {
            return format!("(a language of {} states)", edges.len());
        }
    }
    steps.remove(&(start, end)).map_or_else(|| "nothing".to_owned(), |parts| concatenation(&parts))
}

/// Replaces every way through `state` by a direct one.
fn remove_state(steps: &mut BTreeMap<(usize, usize), Vec<String>>, state: usize) {
    let around = steps.remove(&(state, state)).map(|parts| concatenation(&parts)).unwrap_or_default();
    let star = if around.is_empty() { String::new() } else { format!("({around})*") };
    let into: Vec<_> = steps.keys().copied().filter(|pair| pair.1 == state).collect();
    let out: Vec<_> = steps.keys().copied().filter(|pair| pair.0 == state).collect();
    let mut through = Vec::new();
    for &(from, _) in &into {
        for &(_, to) in &out {
            let (before, after) =
                (in_parentheses(&steps[&(from, state)]), in_parentheses(&steps[&(state, to)]));
            through.push(((from, to), format!("{before}{star}{after}")));
        }
    }
    for pair in into.iter().chain(&out) {
        steps.remove(pair);
    }
    for (pair, text) in through {
        steps.entry(pair).or_default().push(text);
    }
}

/// Alternatives; an empty one makes the others optional.
fn concatenation(parts: &[String]) -> String {
    let named: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let text = named.join(" | ");
    if named.len() == parts.len() || named.is_empty() { text } else { format!("({text})?") }
}

/// Alternatives that can stand beside others.
fn in_parentheses(parts: &[String]) -> String {
    match parts {
        [one] => one.clone(),
        _ if parts.iter().any(String::is_empty) => concatenation(parts),
        _ => format!("({})", concatenation(parts)),
    }
}
