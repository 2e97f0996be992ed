//! A graph as the source of a model's primitive relations.

use crate::stateless::graph::Graph;
use crate::stateless::graph_events::{EventId, GraphEvent, Label};
use crate::stateless::thread_tree::ThreadTree;
use membar_cat::evaluation::Provider;
use membar_cat::plan::Primitive;
use membar_cat::relation::Shape;
use membar_ir::bits::{insert, remove};
use membar_ir::program::{Program, Tag};

/// A graph with what its items refer to.
#[derive(Debug, Clone, Copy)]
pub struct View<'v, 'a> {
    /// The graph.
    pub graph: &'v Graph,
    /// What its nodes are.
    pub thread_tree: &'v ThreadTree<'a>,
    /// What its tag sets are.
    pub program: &'a Program,
}

impl View<'_, '_> {
    fn events(&self) -> impl Iterator<Item = (usize, &GraphEvent)> + '_ {
        self.graph.events.iter().map(|&id| self.graph.item(id)).enumerate()
    }

    fn event(&self, item: EventId) -> usize {
        self.graph.item(item).event as usize
    }

    /// Program order of up to 64 events, none of them unordered: a word per row.
    fn program_order_small(&self, out: &mut [u64]) -> bool {
        for own in &self.graph.threads {
            let mut later = 0;
            for id in own.present().rev() {
                let item = self.graph.item(id);
                if item.is_unordered {
                    return false;
                }
                out[item.event as usize] = later;
                later |= 1 << item.event;
            }
        }
        true
    }

    fn program_order(&self, shape: Shape, out: &mut [u64]) {
        let width = shape.set();
        if width == 1 && self.program_order_small(out) {
            return;
        }
        let mut later = vec![0; width];
        for own in &self.graph.threads {
            later.fill(0);
            for id in own.present().rev() {
                let item = self.graph.item(id);
                let event = item.event as usize;
                let row = &mut out[event * width..(event + 1) * width];
                row.copy_from_slice(&later);
                let step = self.graph.step(item, self.thread_tree);
                if step.is_unordered {
                    for other in own.present().rev().take_while(|&other| other != id) {
                        let other = self.graph.item(other);
                        if self.graph.step(other, self.thread_tree).event.step == step.event.step {
                            remove(row, other.event as usize);
                        }
                    }
                }
                insert(&mut later, event);
            }
        }
    }

    fn internal(&self, shape: Shape, out: &mut [u64]) {
        let width = shape.set();
        if width == 1 {
            for own in &self.graph.threads {
                let whole = own.present().fold(0, |whole, id| whole | 1 << self.event(id));
                for id in own.present() {
                    out[self.event(id)] = whole;
                }
            }
            for (event, item) in self.events() {
                if let Label::Initial(_) = item.label {
                    out[event] = 1 << event;
                }
            }
            return;
        }
        let mut whole = vec![0; width];
        for own in &self.graph.threads {
            whole.fill(0);
            for id in own.present() {
                insert(&mut whole, self.event(id));
            }
            for id in own.present() {
                let event = self.event(id);
                out[event * width..(event + 1) * width].copy_from_slice(&whole);
            }
        }
        for location in &self.graph.locations {
            let initial = location.writes.iter().map(|&id| self.graph.item(id));
            for item in initial.filter(|item| matches!(item.label, Label::Initial(_))) {
                shape.relate(out, item.event as usize, item.event as usize);
            }
        }
    }

    fn same_location(&self, shape: Shape, out: &mut [u64]) {
        let width = shape.set();
        if width == 1 {
            // No more locations than events.
            let mut sets = [0_u64; 64];
            for (event, item) in self.events() {
                if let Label::Initial(place) | Label::Read(place, _) | Label::Write(place) = item.label {
                    sets[place.index()] |= 1 << event;
                }
            }
            for (event, item) in self.events() {
                if let Label::Initial(place) | Label::Read(place, _) | Label::Write(place) = item.label {
                    out[event] = sets[place.index()];
                }
            }
            return;
        }
        let mut sets = vec![0; width * self.graph.locations.len()];
        let place_of = |item: &GraphEvent| match item.label {
            Label::Initial(place) | Label::Read(place, _) | Label::Write(place) => Some(place.index()),
            _ => None,
        };
        for (event, item) in self.events() {
            if let Some(place) = place_of(item) {
                insert(&mut sets[place * width..(place + 1) * width], event);
            }
        }
        for (event, item) in self.events() {
            if let Some(place) = place_of(item) {
                out[event * width..(event + 1) * width]
                    .copy_from_slice(&sets[place * width..(place + 1) * width]);
            }
        }
    }

    fn dependency(&self, primitive: Primitive, shape: Shape, out: &mut [u64]) {
        for own in &self.graph.threads {
            for id in own.present() {
                let item = self.graph.item(id);
                let event = &self.graph.step(item, self.thread_tree).event;
                for source in event.sources(primitive).iter() {
                    // What an event depends on is there, unless a test makes a mistake.
                    if own.events[source] != EventId::MISSING {
                        shape.relate(out, self.event(own.events[source]), item.event as usize);
                    }
                }
            }
        }
    }

    fn pairs(&self, is_exclusive: bool, shape: Shape, out: &mut [u64]) {
        for own in &self.graph.threads {
            for id in own.present() {
                let item = self.graph.item(id);
                if item.has_pair
                    && let Some(pair) = self.graph.step(item, self.thread_tree).pair
                    && pair.is_exclusive == is_exclusive
                {
                    let read = self.event(own.events[pair.read as usize]);
                    shape.relate(out, read, item.event as usize);
                }
            }
        }
    }

    /// Pairs of two threads in the order that starting and joining threads make.
    fn spawn_join(&self, shape: Shape, out: &mut [u64]) {
        for (event, item) in self.events().filter(|(_, item)| !matches!(item.label, Label::Initial(_))) {
            let clock = self.graph.spawn_clock(self.graph.events[event]);
            for (thread, (&before, own)) in clock.iter().zip(&self.graph.threads).enumerate() {
                if thread != item.thread as usize {
                    let ordered = own.items.iter().take(before as usize).map(|&id| self.graph.item(id));
                    for earlier in ordered.filter(|earlier| earlier.is_event()) {
                        shape.relate(out, earlier.event as usize, event);
                    }
                }
            }
        }
    }

    fn coherence(&self, shape: Shape, out: &mut [u64]) {
        let width = shape.set();
        if width == 1 {
            for location in &self.graph.locations {
                let mut later = 0;
                for &id in location.writes.iter().rev() {
                    let event = self.event(id);
                    out[event] = later;
                    later |= 1 << event;
                }
            }
            return;
        }
        let mut later = vec![0; width];
        for location in &self.graph.locations {
            later.fill(0);
            for &id in location.writes.iter().rev() {
                let event = self.event(id);
                out[event * width..(event + 1) * width].copy_from_slice(&later);
                insert(&mut later, event);
            }
        }
    }
}

impl Provider for View<'_, '_> {
    fn primitive(&self, primitive: Primitive, shape: Shape, out: &mut [u64]) {
        let mut members = |is_member: fn(Label) -> bool| {
            for (event, _) in self.events().filter(|(_, item)| is_member(item.label)) {
                insert(out, event);
            }
        };
        match primitive {
            Primitive::Reads => members(|label| matches!(label, Label::Read(..))),
            Primitive::Writes => members(|label| matches!(label, Label::Write(_) | Label::Initial(_))),
            Primitive::Fences => members(|label| matches!(label, Label::Fence)),
            Primitive::InitialWrites => members(|label| matches!(label, Label::Initial(_))),
            Primitive::FinalWrites => {
                for last in self.graph.locations.iter().filter_map(|location| location.writes.last()) {
                    insert(out, self.event(*last));
                }
            }
            Primitive::SameLocation => self.same_location(shape, out),
            Primitive::Internal => self.internal(shape, out),
            Primitive::External => {
                self.internal(shape, out);
                let mut all = vec![0; shape.set()];
                shape.fill_set(&mut all);
                for row in out.chunks_exact_mut(shape.set()) {
                    for (word, all) in row.iter_mut().zip(&all) {
                        *word = all & !*word;
                    }
                }
            }
            Primitive::ProgramOrder => self.program_order(shape, out),
            Primitive::Address
            | Primitive::Data
            | Primitive::Control
            | Primitive::PickAddress
            | Primitive::PickData
            | Primitive::PickControl => {
                self.dependency(primitive, shape, out);
            }
            Primitive::Atomic => self.pairs(false, shape, out),
            Primitive::Exclusive => self.pairs(true, shape, out),
            Primitive::SpawnJoin => self.spawn_join(shape, out),
            Primitive::ReadsFrom => {
                for (event, item) in self.events() {
                    if let Label::Read(_, source) = item.label {
                        shape.relate(out, self.event(source), event);
                    }
                }
            }
            Primitive::Coherence => {
                self.coherence(shape, out);
            }
        }
    }

    fn tagged(&self, tag: Tag, out: &mut [u64]) {
        // Which tag sets have it, as far as 64 bits go.
        let mut having = 0_u64;
        for (number, tags) in self.program.tag_sets.iter().take(64).enumerate() {
            having |= u64::from(tags.contains(&tag)) << number;
        }
        if having == 0 && self.program.tag_sets.len() <= 64 {
            return;
        }
        let has = |set: usize| match having.checked_shr(u32::try_from(set).unwrap_or(u32::MAX)) {
            Some(rest) => rest & 1 != 0,
            None => self.program.tag_sets[set].contains(&tag),
        };
        for (event, item) in self.events() {
            if item.tags.is_some_and(|tags| has(tags.index())) {
                insert(out, event);
            }
        }
    }
}
