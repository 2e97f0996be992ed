//! Calls the containers of membar's `std` at random, beside the real ones: the results are equal.
extern crate std as real;

mod collections;

mod primitives {
    use std::cell::Cell;

    thread_local! { static STATE: Cell<u64> = const { Cell::new(88172645463325252) }; }
    pub fn random() -> u64 {
        let mut state = STATE.get();
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        STATE.set(state);
        state
    }
    pub struct Discarded;
    pub fn assume(condition: bool) {
        if !condition {
            std::panic::resume_unwind(Box::new(Discarded))
        }
    }
    pub fn cut(_: &core::ffi::CStr) -> ! {
        std::panic::resume_unwind(Box::new(Discarded))
    }
    pub fn choose(low: i64, high: i64) -> i64 {
        low + (random() % (high - low + 1) as u64) as i64
    }
    pub fn random_keys() {}
}

use primitives::{random, Discarded};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::rc::Rc;

fn sorted<T: Ord>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut items: Vec<T> = items.collect();
    items.sort();
    items
}
fn some_numbers() -> Vec<u64> {
    (0..random() % 6).map(|_| random() % 7).collect()
}

/// Keys and values of which it is noticed if they are dropped twice, or never.
type Counted = Rc<u64>;

macro_rules! containers {
    ($module:ident, $library:path) => {
        mod $module {
            use super::{sorted, Counted};
            use $library as library;
            use library::{binary_heap::PeekMut, btree_map, hash_map};

            #[derive(Default)]
            pub struct Containers {
                tree: library::BTreeMap<Counted, u64>,
                hash: library::HashMap<Counted, Counted>,
                heap: library::BinaryHeap<u64>,
            }
            impl Containers {
                /// One call, and what can be seen afterwards.
                pub fn call(&mut self, what: u64, one: u64, other: u64, value: u64) -> String {
                    let (tree, hash, heap) = (&mut self.tree, &mut self.hash, &mut self.heap);
                    let key = Counted::new(one);
                    let keeps = |key: &Counted, value: u64| (**key + value) % 2 == 0;
                    let result = match what {
                        0 | 1 => format!("{:?}", (tree.insert(key.clone(), value), hash.insert(key, value.into()))),
                        2 => format!("{:?}", (tree.remove(&one), hash.remove(&one))),
                        3 => format!("{:?}", (tree.get(&one), hash.get(&one), hash.contains_key(&key))),
                        4 => format!("{}", *tree.entry(key).and_modify(|n| *n += 1).or_insert(value)),
                        5 => format!("{}", hash.entry(key).or_insert_with_key(|key| key.clone())),
                        6 => format!("{:?}", (tree.pop_first(), tree.pop_last(), tree.first_key_value())),
                        7 => {
                            let range = one.min(other)..one.max(other);
                            format!("{:?}", tree.range(range.clone()).chain(tree.range(range).rev()).collect::<Vec<_>>())
                        }
                        8 => {
                            let mut rest = tree.split_off(&one);
                            let shown = format!("{rest:?}");
                            if value % 2 == 0 {
                                tree.append(&mut rest);
                            }
                            shown
                        }
                        9 => {
                            tree.retain(|key, value| keeps(key, *value));
                            hash.retain(|key, value| keeps(key, **value));
                            String::new()
                        }
                        10 => {
                            tree.values_mut().for_each(|value| *value += 1);
                            hash.values_mut().for_each(|value| *value = key.clone());
                            String::new()
                        }
                        11 => {
                            let mut entries = tree.clone().into_iter();
                            format!("{:?}", (entries.next(), entries.next_back(), entries.len()))
                        }
                        12 => {
                            let of_tree = match tree.entry(key.clone()) {
                                btree_map::Entry::Occupied(entry) => Some(entry.remove()),
                                btree_map::Entry::Vacant(_) => None,
                            };
                            let of_hash = match hash.entry(key) {
                                hash_map::Entry::Occupied(entry) => Some(entry.remove_entry()),
                                hash_map::Entry::Vacant(_) => None,
                            };
                            format!("{:?}", (of_tree, of_hash))
                        }
                        13 => format!("{:?}", (sorted(hash.drain()), hash.len())),
                        14 => {
                            heap.push(value);
                            String::new()
                        }
                        15 => format!("{:?}", (heap.pop(), heap.peek())),
                        16 => format!("{:?}", heap.peek_mut().map(|mut top| std::mem::replace(&mut *top, value))),
                        17 => format!("{:?}", heap.peek_mut().map(|mut top| { *top = value; PeekMut::pop(top) })),
                        18 => {
                            heap.retain(|item| item % 3 != 0);
                            format!("{:?}", heap.clone().into_sorted_vec())
                        }
                        _ => {
                            tree.clear();
                            hash.clear();
                            String::new()
                        }
                    };
                    let of_hash = sorted(hash.iter());
                    format!("{result} {tree:?} {of_hash:?} {} {:?}", hash.len(), sorted(heap.iter()))
                }
            }

            /// What operations of two sets give.
            pub fn compare(one: &[u64], other: &[u64]) -> String {
                type Tree = library::BTreeSet<u64>;
                type Hash = library::HashSet<u64>;
                let (a, b): (Tree, Tree) = (one.iter().copied().collect(), other.iter().copied().collect());
                let (c, d): (Hash, Hash) = (one.iter().copied().collect(), other.iter().copied().collect());
                let trees = (&a | &b, &a & &b, &a ^ &b, &a - &b, a.cmp(&b), a.is_subset(&b), a.is_disjoint(&b));
                let (union, common) = (sorted(c.union(&d)), sorted(c.intersection(&d)));
                let hashes = (union, common, c == d, c.is_subset(&d), c.is_superset(&d), c.is_disjoint(&d));
                format!("{trees:?} {hashes:?}")
            }
        }
    };
}
containers!(ours, crate::collections);
containers!(theirs, std::collections);

fn main() {
    let rounds: u64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let (mut calls, mut discarded) = (0u64, 0u64);
    for _ in 0..rounds {
        let (mut one, mut other) = (ours::Containers::default(), theirs::Containers::default());
        let round = catch_unwind(AssertUnwindSafe(|| {
            for _ in 0..1 + random() % 12 {
                let (what, first, second, value) = (random() % 20, random() % 6, random() % 6, random() % 100);
                let found = one.call(what, first, second, value);
                assert_eq!(found, other.call(what, first, second, value));
                calls += 1;
            }
            let (first, second) = (some_numbers(), some_numbers());
            assert_eq!(ours::compare(&first, &second), theirs::compare(&first, &second));
        }));
        match round {
            Err(reason) if reason.is::<Discarded>() => discarded += 1,
            Err(reason) => resume_unwind(reason),
            Ok(()) => {}
        }
    }
    println!("{calls} calls, {discarded} of {rounds} rounds discarded");
}
