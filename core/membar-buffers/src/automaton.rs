//! Languages of buffer contents as minimal deterministic automata, each stored once: equal languages have equal
//! numbers.
//!
//! An automaton is trimmed (every state leads to acceptance), minimal, and numbered breadth-first from state 0 in
//! the order of the letters. That form is unique, so it is its own key. The empty language has no states at all.
//! Letters are pairs (cell, value), numbered in order of appearance. Results of operations are cached.

use std::collections::VecDeque;

use membar_ir::program::CellId;
use membar_ir::words::narrow;

use super::acceptor::{Automaton, Nfa, is_included};
use rustc_hash::FxHashMap;

use membar_ir::interner::Interner;

/// A store on its way to memory, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Letter(pub u32);

/// A set of words, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(u32);

impl Language {
    /// No word.
    pub const NOTHING: Self = Self(0);
    /// The empty word alone.
    pub const EMPTY_WORD: Self = Self(1);
}

/// A language split by the newest store to one cell: its value (None: there is none) and the words with it.
pub type ByNewest = Box<[(Option<u64>, Language)]>;

/// All languages found so far, and what was computed about them.
#[derive(Debug)]
pub struct Automata {
    letters: Vec<(CellId, u64)>,
    letter_of: FxHashMap<(CellId, u64), Letter>,
    all: Interner<Automaton>,
    appended: FxHashMap<(Language, Letter), Language>,
    taken: FxHashMap<(Language, Letter), Language>,
    newest: FxHashMap<(Language, CellId), ByNewest>,
    included: FxHashMap<(Language, Language), bool>,
    union: FxHashMap<(Language, Language), Language>,
    star: FxHashMap<(Language, Vec<Vec<Letter>>), Language>,
}

impl Default for Automata {
    fn default() -> Self {
        let mut automata = Self {
            letters: Vec::new(),
            letter_of: FxHashMap::default(),
            all: Interner::default(),
            appended: FxHashMap::default(),
            taken: FxHashMap::default(),
            newest: FxHashMap::default(),
            included: FxHashMap::default(),
            union: FxHashMap::default(),
            star: FxHashMap::default(),
        };
        automata.keep(Automaton::default());
        automata.keep(Automaton { accepting: vec![true], edges: vec![Vec::new()] });
        automata
    }
}

impl Automata {
    /// The letter for a store.
    pub fn letter(&mut self, cell: CellId, value: u64) -> Letter {
        let fresh = Letter(narrow(self.letters.len()));
        let letter = *self.letter_of.entry((cell, value)).or_insert(fresh);
        if letter == fresh {
            self.letters.push((cell, value));
        }
        letter
    }

    /// The cell and the value of a letter.
    #[must_use]
    pub fn store_of(&self, letter: Letter) -> (CellId, u64) {
        self.letters[letter.0 as usize]
    }

    /// Number of different languages found.
    #[must_use]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is no language; never, as two are always there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Number of states of the minimal automaton.
    #[must_use]
    pub fn states(&self, language: Language) -> usize {
        self.at(language).edges.len()
    }

    /// Whether the empty word is in it.
    #[must_use]
    pub fn has_empty_word(&self, language: Language) -> bool {
        self.at(language).accepting.first() == Some(&true)
    }

    /// Whether it has infinitely many words.
    #[must_use]
    pub fn is_infinite(&self, language: Language) -> bool {
        // Trimmed: any cycle does it. Repeatedly drop states without successors.
        let edges = &self.at(language).edges;
        let mut dropped = vec![false; edges.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (state, targets) in edges.iter().enumerate() {
                if !dropped[state] && targets.iter().all(|&(_, target)| dropped[target as usize]) {
                    dropped[state] = true;
                    changed = true;
                }
            }
        }
        dropped.iter().any(|&dropped| !dropped)
    }

    /// The letters that words of it begin with.
    #[must_use]
    pub fn first(&self, language: Language) -> Vec<Letter> {
        let edges = self.at(language).edges.first();
        edges.map_or_else(Vec::new, |edges| edges.iter().map(|&(letter, _)| letter).collect())
    }

    /// Whether `word` is in it.
    #[must_use]
    pub fn contains(&self, language: Language, word: &[Letter]) -> bool {
        let automaton = self.at(language);
        let mut state = 0;
        if automaton.edges.is_empty() {
            return false;
        }
        for &letter in word {
            match automaton.next(state, letter) {
                Some(next) => state = next,
                None => return false,
            }
        }
        automaton.accepting[state as usize]
    }

    /// A shortest word of it; None if there is none.
    #[must_use]
    pub fn shortest(&self, language: Language) -> Option<Vec<Letter>> {
        let automaton = self.at(language);
        let mut words: Vec<Option<Vec<Letter>>> = vec![None; automaton.edges.len()];
        *words.first_mut()? = Some(Vec::new());
        let mut todo = VecDeque::from([0]);
        while let Some(state) = todo.pop_front() {
            let word = words[state].clone()?;
            if automaton.accepting[state] {
                return Some(word);
            }
            for &(letter, target) in &automaton.edges[state] {
                if words[target as usize].is_none() {
                    words[target as usize] = Some(word.iter().copied().chain([letter]).collect());
                    todo.push_back(target as usize);
                }
            }
        }
        None
    }

    /// The lengths of the prefixes of `word` that are in it.
    #[must_use]
    pub fn prefixes(&self, language: Language, word: &[Letter]) -> Vec<usize> {
        let automaton = self.at(language);
        let mut found = Vec::new();
        let mut state = if automaton.edges.is_empty() { None } else { Some(0) };
        for length in 0..=word.len() {
            let Some(at) = state else { break };
            if automaton.accepting[at as usize] {
                found.push(length);
            }
            state = word.get(length).and_then(|&letter| automaton.next(at, letter));
        }
        found
    }

    /// Every word with `letter` appended.
    pub fn append(&mut self, language: Language, letter: Letter) -> Language {
        if let Some(&known) = self.appended.get(&(language, letter)) {
            return known;
        }
        let mut loose = Nfa::of(self.at(language));
        if loose.edges.is_empty() {
            return Language::NOTHING;
        }
        let end = loose.state(true);
        for state in 0..end as usize {
            if loose.accepting[state] {
                loose.accepting[state] = false;
                loose.edges[state].push((letter, end));
            }
        }
        let result = self.keep(loose.determinize(0).minimal());
        self.appended.insert((language, letter), result);
        result
    }

    /// The rests of the words that begin with `letter`.
    pub fn take(&mut self, language: Language, letter: Letter) -> Language {
        if let Some(&known) = self.taken.get(&(language, letter)) {
            return known;
        }
        let automaton = self.at(language);
        let start = if automaton.edges.is_empty() { None } else { automaton.next(0, letter) };
        let result = match start {
            None => Language::NOTHING,
            Some(start) => {
                let rest = Nfa::of(automaton).determinize(start).minimal();
                self.keep(rest)
            }
        };
        self.taken.insert((language, letter), result);
        result
    }

    /// The letters that in some word are preceded only by letters that they may pass (`may_pass(later, earlier)`).
    pub fn first_past(&self, language: Language, may_pass: impl Fn(CellId, CellId) -> bool) -> Vec<Letter> {
        let letters = (0..self.letters.len()).map(|place| Letter(narrow(place)));
        letters.filter(|&letter| !self.states_past(language, letter, &may_pass).is_empty()).collect()
    }

    /// The states of words at a `letter` that is preceded only by letters that it may pass.
    fn states_past(
        &self,
        language: Language,
        letter: Letter,
        may_pass: impl Fn(CellId, CellId) -> bool,
    ) -> Vec<(u32, u32)> {
        let automaton = self.at(language);
        let (cell, _) = self.store_of(letter);
        let mut met = if automaton.edges.is_empty() { Vec::new() } else { vec![0] };
        let mut found = Vec::new();
        let mut at = 0;
        while at < met.len() {
            let state: u32 = met[at];
            for &(other, target) in &automaton.edges[state as usize] {
                if other == letter {
                    found.push((state, target));
                }
                if may_pass(cell, self.store_of(other).0) && !met.contains(&target) {
                    met.push(target);
                }
            }
            at += 1;
        }
        found
    }

    /// Words without the first `letter` that is preceded only by letters that it may pass.
    pub fn take_past(
        &mut self,
        language: Language,
        letter: Letter,
        may_pass: impl Fn(CellId, CellId) -> bool,
    ) -> Language {
        if let Some(&known) = self.taken.get(&(language, letter)) {
            return known;
        }
        let found = self.states_past(language, letter, &may_pass);
        let automaton = self.at(language);
        let (cell, _) = self.store_of(letter);
        let mut loose = Nfa::of(automaton);
        // A second copy of the states is for what precedes the letter.
        let copy = narrow(automaton.edges.len());
        for edges in &automaton.edges {
            let state = loose.state(false);
            let passed = edges.iter().filter(|(other, _)| may_pass(cell, self.store_of(*other).0));
            loose.edges[state as usize] = passed.map(|&(other, target)| (other, target + copy)).collect();
        }
        for &(before, after) in &found {
            loose.silent[(before + copy) as usize].push(after);
        }
        let result = if found.is_empty() {
            Language::NOTHING
        } else {
            let rest = loose.determinize(copy).minimal();
            self.keep(rest)
        };
        self.taken.insert((language, letter), result);
        result
    }

    /// The words split by their newest store to `cell`, those without one first, then by value.
    pub fn by_newest(&mut self, language: Language, cell: CellId) -> ByNewest {
        if let Some(known) = self.newest.get(&(language, cell)) {
            return known.clone();
        }
        let (product, newest) =
            self.remembering(
                language,
                None,
                |newest, stored, value| {
                    if stored == cell { Some(value) } else { newest }
                },
            );
        let mut values: Vec<Option<u64>> =
            newest.iter().zip(&product.accepting).filter(|&(_, &accepts)| accepts).map(|(&n, _)| n).collect();
        values.sort_unstable();
        values.dedup();
        let mut parts = Vec::with_capacity(values.len());
        for value in values {
            let accepting =
                product.accepting.iter().zip(&newest).map(|(&accepts, &n)| accepts && n == value).collect();
            let part = Automaton { accepting, edges: product.edges.clone() };
            parts.push((value, self.keep(part.minimal())));
        }
        let parts: ByNewest = parts.into();
        self.newest.insert((language, cell), parts.clone());
        parts
    }

    /// The automaton that also remembers something about the letters read, and what each state remembers.
    fn remembering<T: Copy + Eq + std::hash::Hash>(
        &self,
        language: Language,
        start: T,
        next: impl Fn(T, CellId, u64) -> T,
    ) -> (Automaton, Vec<T>) {
        let automaton = self.at(language);
        let mut product = Automaton::default();
        let mut remembered = Vec::new();
        let mut known: FxHashMap<(u32, T), u32> = FxHashMap::default();
        known.insert((0, start), 0);
        let mut todo: VecDeque<(u32, T)> = VecDeque::from([(0, start)]);
        while let Some((state, memory)) = todo.pop_front() {
            if automaton.edges.is_empty() {
                break;
            }
            let mut edges = Vec::new();
            for &(letter, target) in &automaton.edges[state as usize] {
                let (cell, value) = self.store_of(letter);
                let after = (target, next(memory, cell, value));
                let fresh = narrow(known.len());
                let name = *known.entry(after).or_insert(fresh);
                if name == fresh {
                    todo.push_back(after);
                }
                edges.push((letter, name));
            }
            product.accepting.push(automaton.accepting[state as usize]);
            product.edges.push(edges);
            remembered.push(memory);
        }
        (product, remembered)
    }

    /// The words whose last letter is a store to `cell`.
    pub fn ending_with(&mut self, language: Language, cell: CellId) -> Language {
        let (mut product, last) = self.remembering(language, false, |_, stored, _| stored == cell);
        for (accepts, is_last) in product.accepting.iter_mut().zip(last) {
            *accepts &= is_last;
        }
        self.keep(product.minimal())
    }

    /// All words of both.
    pub fn union(&mut self, left: Language, right: Language) -> Language {
        if left == right || right == Language::NOTHING {
            return left;
        }
        if left == Language::NOTHING {
            return right;
        }
        let key = (left.min(right), left.max(right));
        if let Some(&known) = self.union.get(&key) {
            return known;
        }
        let mut loose = Nfa::of(self.at(left));
        let offset = narrow(loose.edges.len());
        let other = self.at(right);
        for (edges, &accepting) in other.edges.iter().zip(&other.accepting) {
            let state = loose.state(accepting);
            loose.edges[state as usize] =
                edges.iter().map(|&(letter, target)| (letter, target + offset)).collect();
        }
        let start = loose.state(false);
        loose.silent[start as usize] = vec![0, offset];
        let result = self.keep(loose.determinize(start).minimal());
        self.union.insert(key, result);
        result
    }

    /// Whether all words of `left` are words of `right`.
    pub fn is_included(&mut self, left: Language, right: Language) -> bool {
        if left == right || left == Language::NOTHING {
            return true;
        }
        if right == Language::NOTHING {
            return false;
        }
        if let Some(&known) = self.included.get(&(left, right)) {
            return known;
        }
        let result = is_included(self.at(left), self.at(right));
        self.included.insert((left, right), result);
        result
    }

    /// Every word followed by any number of the `words`, in any order: `language · (word | word | …)*`.
    pub fn repeat(&mut self, language: Language, words: &[Vec<Letter>]) -> Language {
        let key = (language, words.to_vec());
        if let Some(&known) = self.star.get(&key) {
            return known;
        }
        let mut loose = Nfa::of(self.at(language));
        if loose.edges.is_empty() {
            return Language::NOTHING;
        }
        let hub = loose.state(true);
        for state in 0..hub as usize {
            if loose.accepting[state] {
                loose.silent[state].push(hub);
            }
        }
        for word in words.iter().filter(|word| !word.is_empty()) {
            let mut from = hub;
            for (position, &letter) in word.iter().enumerate() {
                let to = if position + 1 == word.len() { hub } else { loose.state(false) };
                loose.edges[from as usize].push((letter, to));
                from = to;
            }
        }
        let result = self.keep(loose.determinize(0).minimal());
        self.star.insert(key, result);
        result
    }

    /// A regular expression for it, with `shown` for each letter.
    pub fn expression(&self, language: Language, shown: &dyn Fn(CellId, u64) -> String) -> String {
        super::expression::of(&self.at(language).accepting, &self.at(language).edges, &|letter| {
            let (cell, value) = self.store_of(letter);
            shown(cell, value)
        })
    }

    fn at(&self, language: Language) -> &Automaton {
        self.all.get(language.0)
    }

    fn keep(&mut self, automaton: Automaton) -> Language {
        Language(self.all.intern(automaton).0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(automata: &mut Automata, letters: &[Letter]) -> Language {
        letters.iter().fold(Language::EMPTY_WORD, |language, &letter| automata.append(language, letter))
    }

    #[test]
    fn equal_languages_are_equal_numbers() {
        let mut automata = Automata::default();
        let (a, b) = (automata.letter(CellId(0), 1), automata.letter(CellId(0), 0));
        let ab = word(&mut automata, &[a, b]);
        assert_eq!(automata.take(ab, a), word(&mut automata, &[b]));
        assert_eq!(automata.take(ab, b), Language::NOTHING);
        let star = automata.repeat(Language::EMPTY_WORD, &[vec![a, b]]);
        let again = automata.repeat(star, &[vec![a, b], vec![a, b, a, b]]);
        assert_eq!(star, again);
        let rest = automata.take(star, a);
        assert_eq!(automata.append(star, a), automata.repeat(rest, &[]).max(automata.append(star, a)));
        assert!(automata.is_included(ab, star) && !automata.is_included(star, ab));
        assert!(automata.is_infinite(star) && !automata.is_infinite(ab));
    }

    #[test]
    fn words_are_split_by_their_newest_store() {
        let mut automata = Automata::default();
        let (x1, x0) = (automata.letter(CellId(0), 1), automata.letter(CellId(0), 0));
        let y1 = automata.letter(CellId(1), 1);
        let all = automata.repeat(Language::EMPTY_WORD, &[vec![x1], vec![x0], vec![y1]]);
        let parts = automata.by_newest(all, CellId(0));
        assert_eq!(parts.iter().map(|part| part.0).collect::<Vec<_>>(), [None, Some(0), Some(1)]);
        assert!(automata.contains(parts[2].1, &[x0, y1, x1, y1]));
        assert!(!automata.contains(parts[2].1, &[x1, x0]));
        assert!(automata.contains(parts[0].1, &[y1, y1]) && !automata.contains(parts[0].1, &[x1]));
        let joined = parts.iter().fold(Language::NOTHING, |known, part| automata.union(known, part.1));
        assert_eq!(joined, all);
    }
}
