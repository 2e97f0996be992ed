//! Minimal deterministic automata, and the nondeterministic ones that they are built from.

use std::collections::VecDeque;

use membar_ir::words::narrow;

use super::automaton::Letter;
use rustc_hash::{FxHashMap, FxHashSet};

/// States with their outgoing letters in order; a letter that is missing leads nowhere.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub(super) struct Automaton {
    pub(super) accepting: Vec<bool>,
    pub(super) edges: Vec<Vec<(Letter, u32)>>,
}

/// An automaton with choices and silent steps, on its way to a minimal one.
#[derive(Debug, Default)]
pub(super) struct Nfa {
    pub(super) accepting: Vec<bool>,
    pub(super) edges: Vec<Vec<(Letter, u32)>>,
    pub(super) silent: Vec<Vec<u32>>,
}

impl Nfa {
    pub(super) fn of(automaton: &Automaton) -> Self {
        Self {
            accepting: automaton.accepting.clone(),
            edges: automaton.edges.clone(),
            silent: vec![Vec::new(); automaton.edges.len()],
        }
    }

    pub(super) fn state(&mut self, accepting: bool) -> u32 {
        self.accepting.push(accepting);
        self.edges.push(Vec::new());
        self.silent.push(Vec::new());
        narrow(self.accepting.len() - 1)
    }

    /// Adds what silent steps lead to, and puts the states in order.
    fn close(&self, states: &mut Vec<u32>) {
        let mut at = 0;
        while at < states.len() {
            for &next in &self.silent[states[at] as usize] {
                if !states.contains(&next) {
                    states.push(next);
                }
            }
            at += 1;
        }
        states.sort_unstable();
    }

    /// The subset construction from `start`.
    pub(super) fn determinize(&self, start: u32) -> Automaton {
        let mut first = vec![start];
        self.close(&mut first);
        let mut known: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        known.insert(first.clone(), 0);
        let mut todo = VecDeque::from([first]);
        let mut result = Automaton::default();
        while let Some(states) = todo.pop_front() {
            result.accepting.push(states.iter().any(|&state| self.accepting[state as usize]));
            let mut leaving: Vec<(Letter, u32)> =
                states.iter().flat_map(|&state| self.edges[state as usize].iter().copied()).collect();
            leaving.sort_unstable();
            leaving.dedup();
            let mut edges = Vec::with_capacity(leaving.len());
            for group in leaving.chunk_by(|a, b| a.0 == b.0) {
                let mut targets: Vec<u32> = group.iter().map(|&(_, target)| target).collect();
                self.close(&mut targets);
                let fresh = narrow(known.len());
                let target = *known.entry(targets.clone()).or_insert(fresh);
                if target == fresh {
                    todo.push_back(targets);
                }
                edges.push((group[0].0, target));
            }
            result.edges.push(edges);
        }
        result
    }
}

/// A class, the classes that letters lead to, and a state that looks so.
type Signature = (u32, Vec<(Letter, u32)>, usize);

impl Automaton {
    /// The unique form of its language: trimmed, minimal, numbered breadth-first.
    pub(super) fn minimal(&self) -> Self {
        let distance = self.distances();
        if distance.first().is_none_or(|&first| first == u32::MAX) {
            return Self::default();
        }
        let class = self.classes(&distance);
        self.renumber(&distance, &class)
    }

    /// How far each state is from acceptance; `MAX` where none is reached.
    fn distances(&self) -> Vec<u32> {
        let mut distance: Vec<u32> =
            self.accepting.iter().map(|&accepting| if accepting { 0 } else { u32::MAX }).collect();
        let mut changed = true;
        while changed {
            changed = false;
            // Most edges lead to a larger number, so most is known after one pass from the end.
            for (state, edges) in self.edges.iter().enumerate().rev() {
                let nearest = edges.iter().map(|&(_, target)| distance[target as usize]).min();
                let through = nearest.map_or(u32::MAX, |nearest| nearest.saturating_add(1));
                if through < distance[state] {
                    distance[state] = through;
                    changed = true;
                }
            }
        }
        distance
    }

    /// Moore's refinement: states in one class accept the same words. It begins with the distances, which tell the
    /// states of a long word apart at once.
    fn classes(&self, distance: &[u32]) -> Vec<u32> {
        let mut class = distance.to_vec();
        let mut count = 0;
        let mut signatures: Vec<Signature> = Vec::with_capacity(class.len());
        loop {
            signatures.clear();
            for (state, edges) in self.edges.iter().enumerate() {
                if distance[state] != u32::MAX {
                    let seen = edges.iter().filter(|(_, target)| distance[*target as usize] != u32::MAX);
                    let signature = seen.map(|&(letter, target)| (letter, class[target as usize])).collect();
                    signatures.push((class[state], signature, state));
                }
            }
            signatures.sort_unstable();
            let mut classes = 0;
            for group in signatures.chunk_by(|a, b| a.0 == b.0 && a.1 == b.1) {
                for &(_, _, state) in group {
                    class[state] = classes;
                }
                classes += 1;
            }
            if classes == count {
                return class;
            }
            count = classes;
        }
    }

    fn renumber(&self, distance: &[u32], class: &[u32]) -> Self {
        let is_alive = |&&(_, target): &&(Letter, u32)| distance[target as usize] != u32::MAX;
        let mut names: FxHashMap<u32, u32> = FxHashMap::default();
        names.insert(class[0], 0);
        let mut todo = VecDeque::from([0_usize]);
        let mut result = Self::default();
        while let Some(state) = todo.pop_front() {
            let mut edges = Vec::new();
            for &(letter, target) in self.edges[state].iter().filter(is_alive) {
                let fresh = narrow(names.len());
                let name = *names.entry(class[target as usize]).or_insert(fresh);
                if name == fresh {
                    todo.push_back(target as usize);
                }
                edges.push((letter, name));
            }
            result.accepting.push(self.accepting[state]);
            result.edges.push(edges);
        }
        result
    }

    pub(super) fn next(&self, state: u32, letter: Letter) -> Option<u32> {
        let edges = &self.edges[state as usize];
        edges.binary_search_by_key(&letter, |&(letter, _)| letter).ok().map(|found| edges[found].1)
    }
}

/// Both are trimmed: inclusion fails exactly at a letter or an acceptance that `right` lacks.
pub(super) fn is_included(left: &Automaton, right: &Automaton) -> bool {
    let mut seen: FxHashSet<(u32, u32)> = FxHashSet::default();
    seen.insert((0, 0));
    let mut todo = vec![(0, 0)];
    while let Some((a, b)) = todo.pop() {
        if left.accepting[a as usize] && !right.accepting[b as usize] {
            return false;
        }
        for &(letter, next) in &left.edges[a as usize] {
            let Some(other) = right.next(b, letter) else { return false };
            if seen.insert((next, other)) {
                todo.push((next, other));
            }
        }
    }
    true
}
