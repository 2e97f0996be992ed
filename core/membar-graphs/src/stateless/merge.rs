//! Merges the findings of workers; the result does not depend on which worker found what.

use crate::stateless::record::Record;
use crate::stateless::work_queue::Order;
use crate::tally::{Seen, Tally, Witness};
use membar_ir::words::narrow;

impl Record {
    /// Takes in what another worker found.
    pub(super) fn absorb(&mut self, other: Self) {
        let offset = narrow(self.orders.len());
        self.orders.extend(other.orders);
        let mut classes = Vec::new();
        for (thread, (known, found)) in other.known.into_iter().zip(other.classes).enumerate() {
            let mut keys: Vec<_> = known.into_iter().collect();
            keys.sort_unstable_by_key(|(_, class)| *class);
            let mut moved = Vec::new();
            for ((key, _), class) in keys.into_iter().zip(found) {
                let own = &mut self.classes[thread];
                let at = *self.known[thread].entry(key).or_insert(narrow(own.len()));
                if at as usize == own.len() {
                    own.push(class);
                }
                moved.push(at);
            }
            classes.push(moved);
        }
        let moved = |mut witness: Witness| {
            for ((class, _), moved) in witness.runs.iter_mut().zip(&classes) {
                *class = moved[*class as usize];
            }
            witness
        };
        for mut key in other.seen.into_iter().flat_map(|keys| {
            let mut keys: Vec<_> = keys.into_iter().collect();
            keys.sort_unstable();
            keys
        }) {
            for (class, moved) in key.iter_mut().zip(&classes) {
                *class =
                    moved.get(usize::try_from(*class).unwrap_or(usize::MAX)).map_or(*class, |&at| at.into());
            }
            if let Some(seen) = &mut self.seen {
                self.duplicates += u64::from(!seen.insert(key));
            }
        }
        self.duplicates += other.duplicates;
        self.kept.extend(other.kept.into_iter().map(|(task, witness)| (task + offset, moved(witness))));
        let Tally {
            executions,
            explored,
            blocked,
            failed,
            truncated,
            cut,
            states,
            failures,
            faults,
            stuck,
            waits,
            cuts,
            signs,
            remarks,
            nodes,
            bytes,
            ..
        } = other.tally;
        let seen = |seen: Seen| Seen { first: moved(seen.first), task: seen.task + offset, ..seen };
        let orders = &self.orders;
        let tally = &mut self.tally;
        tally.executions = tally.executions.saturating_add(executions);
        tally.explored += explored;
        tally.blocked = tally.blocked.saturating_add(blocked);
        tally.failed = tally.failed.saturating_add(failed);
        tally.truncated = tally.truncated.saturating_add(truncated);
        tally.cut |= cut;
        tally.nodes += nodes;
        tally.bytes += bytes;
        for (state, found) in states {
            unite(tally.states.entry(state), seen(found), orders);
        }
        tally.waits.extend(waits);
        tally.cuts.extend(cuts);
        tally.signs.iter_mut().zip(signs).for_each(|(own, others)| own.extend(others));
        for (own, others) in [
            (&mut tally.failures, failures),
            (&mut tally.faults, faults),
            (&mut tally.stuck, stuck),
            (&mut tally.remarks, remarks),
        ] {
            for (key, found) in others {
                unite(own.entry(key), seen(found), orders);
            }
        }
    }

    /// Everything in the order in which one worker alone finds it. If a failure ended it, at `failed`, no other counts.
    pub(super) fn settle(&mut self, failed: Option<&Order>) {
        let orders = &self.orders;
        if let Some(failed) = failed {
            self.tally.failures.retain(|_, seen| orders[seen.task as usize] == *failed);
        }
        self.kept.sort_by(|a, b| orders[a.0 as usize].cmp(&orders[b.0 as usize]));
        self.tally.kept.extend(self.kept.drain(..).map(|(_, witness)| witness));
    }
}

/// Both counts, and the witness that comes first.
fn unite<K: Ord>(entry: std::collections::btree_map::Entry<'_, K, Seen>, found: Seen, orders: &[Order]) {
    match entry {
        std::collections::btree_map::Entry::Vacant(place) => {
            place.insert(found);
        }
        std::collections::btree_map::Entry::Occupied(mut place) => {
            let own = place.get_mut();
            own.count += found.count;
            if orders[found.task as usize] < orders[own.task as usize] {
                (own.first, own.task) = (found.first, found.task);
            }
        }
    }
}
