//! Merges the findings of workers; the result does not depend on which worker found what.

use crate::findings::{Findings, Seen};
use crate::stateless::record::Record;
use crate::stateless::work_queue::Order;
use membar_ir::limits::Stopped;
use membar_ir::words::narrow;

impl Record {
    /// Takes in what another worker found.
    pub(super) fn absorb(&mut self, other: Self) {
        let offset = narrow(self.orders.len());
        self.orders.extend(other.orders);
        if let (Some(own), Some(others)) = (&mut self.seen, other.seen) {
            let all = own.len() + others.len();
            own.extend(others);
            self.duplicates += (all - own.len()) as u64;
        }
        self.duplicates += other.duplicates;
        self.kept.extend(other.kept.into_iter().map(|(task, execution)| (task + offset, execution)));
        let Findings {
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
            relation_ends,
            flags,
            nodes,
            bytes,
            ..
        } = other.findings;
        let seen = |seen: Seen| Seen { task: seen.task + offset, ..seen };
        let orders = &self.orders;
        let findings = &mut self.findings;
        findings.executions = findings.executions.saturating_add(executions);
        findings.explored += explored;
        findings.blocked = findings.blocked.saturating_add(blocked);
        findings.failed = findings.failed.saturating_add(failed);
        findings.truncated = findings.truncated.saturating_add(truncated);
        findings.cut |= cut;
        findings.nodes += nodes;
        findings.bytes += bytes;
        for (state, found) in states {
            unite(findings.states.entry(state), seen(found), orders);
        }
        findings.waits.extend(waits);
        findings.cuts.extend(cuts);
        findings.relation_ends.iter_mut().zip(relation_ends).for_each(|(own, others)| own.extend(others));
        for (own, others) in [
            (&mut findings.failures, failures),
            (&mut findings.faults, faults),
            (&mut findings.stuck, stuck),
            (&mut findings.flags, flags),
        ] {
            for (key, found) in others {
                unite(own.entry(key), seen(found), orders);
            }
        }
    }

    /// Everything in the order in which one worker alone finds it. If a failure ended it, at `failed`, no other counts.
    pub(super) fn into_findings(mut self, failed: Option<&Order>, stopped: Option<Stopped>) -> Findings {
        let orders = &self.orders;
        if let Some(failed) = failed {
            self.findings.failures.retain(|_, seen| orders[seen.task as usize] == *failed);
        }
        self.kept.sort_by(|a, b| orders[a.0 as usize].cmp(&orders[b.0 as usize]));
        self.findings.kept = self.kept.into_iter().map(|(_, execution)| execution).collect();
        self.findings.stopped = stopped;
        self.findings
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
