//! The meaning of the tags of operations for a memory with store buffers.

use membar_ir::program::Tag;
use membar_ir::program::{Program, TagSet};

/// Number of tags that have a meaning here; `engines/reference/state.py` names them.
pub const TAGS: usize = 9;

/// The fence that waits until the thread's own buffer is empty.
const OWN_FENCE: Tag = Tag(0);
/// The fence that waits until all buffers are empty.
const FULL_FENCE: Tag = Tag(1);
/// A read-modify-write with it waits for its empty buffer even if it writes nothing.
const LOCKED: Tag = Tag(2);
/// A store with it waits for its empty buffer and writes memory at once.
const ATOMIC: Tag = Tag(3);
/// A store with it waits until all buffers are empty and writes memory at once.
const ATOMIC_ALL: Tag = Tag(4);
/// The fence that later stores do not overtake.
const ORDER: Tag = Tag(5);
/// A fence with it is where a thread hands over to the one that receives; its address names the channel.
const SENDS: Tag = Tag(6);
/// A fence with it says that its step is taken together with one that sends; its address names the channel.
const RECEIVES: Tag = Tag(7);
/// A store with it writes memory at once and waits for nothing: to a variable that no processor has.
const GHOST: Tag = Tag(8);

/// What a fence, or an atomic store, waits for; weakest first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Waits {
    /// Nothing.
    #[default]
    Nothing,
    /// Nothing, but later stores are not flushed before earlier ones.
    OrderStores,
    /// The own buffer is empty.
    Own,
    /// All buffers are empty.
    All,
}

/// The meaning of a tag set.
#[expect(clippy::struct_excessive_bools, reason = "tags are independent of each other")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Order {
    /// What a fence waits for.
    pub fence: Waits,
    /// What a store waits for before it writes memory at once; `Nothing`: it goes into the buffer.
    pub atomic: Waits,
    /// Whether a store writes memory at once although older ones wait in the buffer.
    pub ghost: bool,
    /// Whether a read-modify-write waits for its empty buffer even if it writes nothing.
    pub locked: bool,
    /// Whether a fence marks where a thread sends.
    pub sends: bool,
    /// Whether a fence marks a step that receives.
    pub receives: bool,
}

impl Order {
    /// Whether a store goes into no buffer.
    #[must_use]
    pub fn writes_at_once(&self) -> bool {
        self.ghost || self.atomic != Waits::Nothing
    }
}

/// The meaning of every tag set of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orders(Vec<Order>);

impl Orders {
    /// Looks up every tag set once.
    #[must_use]
    pub fn of(program: &Program) -> Self {
        Self(program.tag_sets.iter().map(|tags| order_of(tags)).collect())
    }

    /// The meaning of a tag set.
    #[must_use]
    pub fn get(&self, tags: TagSet) -> Order {
        self.0[tags.index()]
    }
}

fn order_of(tags: &[Tag]) -> Order {
    let strongest = |known: &[(Tag, Waits)]| {
        let waits = known.iter().filter(|(tag, _)| tags.contains(tag)).map(|&(_, waits)| waits);
        waits.max().unwrap_or_default()
    };
    Order {
        fence: strongest(&[(ORDER, Waits::OrderStores), (OWN_FENCE, Waits::Own), (FULL_FENCE, Waits::All)]),
        atomic: strongest(&[(ATOMIC, Waits::Own), (ATOMIC_ALL, Waits::All)]),
        ghost: tags.contains(&GHOST),
        locked: tags.contains(&LOCKED),
        sends: tags.contains(&SENDS),
        receives: tags.contains(&RECEIVES),
    }
}
