//! Maps and sets as a few slots for their entries, sorted but for hash maps: what their documentation promises is
//! what they have in them and, for some, in which order. The other containers are the real ones.
pub mod binary_heap;
pub mod btree_map;
pub mod btree_set;
mod entry;
pub mod hash_map;
pub mod hash_set;
mod slots;

pub use binary_heap::BinaryHeap;
pub use btree_map::BTreeMap;
pub use btree_set::BTreeSet;
pub use hash_map::HashMap;
pub use hash_set::HashSet;
pub use real::collections::{linked_list, vec_deque, Bound, LinkedList, TryReserveError, VecDeque};
