//! Steps between numbered states, as integers: what is left of a product when runs are searched for.

use super::automaton::AcceptanceSets;
use super::successors::too_many;
use super::tables::append;
use membar_ir::error::CoreError;
use membar_ir::words::narrow;

/// A state whose arcs are not known.
const UNKNOWN: u32 = u32::MAX;

/// A step: the state that it leads to, and the number of its set of marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arc {
    pub(super) target: u32,
    pub(super) label: u32,
}

/// Numbers of sets of marks: a byte each, as long as there are no more sets than that.
#[derive(Debug)]
enum Labels {
    Narrow(Vec<u8>),
    Wide(Vec<u32>),
}

/// Arcs of states, in the order in which states were expanded.
#[derive(Debug)]
pub(super) struct Graph {
    /// Per state, where its arcs begin: the first entry there is their number.
    starts: Vec<u32>,
    targets: Vec<u32>,
    /// Per entry of `targets`.
    labels: Labels,
    /// Per label, its marks.
    pub(super) marks: Vec<AcceptanceSets>,
}

impl Graph {
    pub(super) fn new() -> Self {
        Self {
            starts: Vec::new(),
            targets: Vec::new(),
            labels: Labels::Narrow(Vec::new()),
            marks: Vec::new(),
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let labels = match &self.labels {
            Labels::Narrow(labels) => labels.capacity(),
            Labels::Wide(labels) => 4 * labels.capacity(),
        };
        4 * (self.starts.capacity() + self.targets.capacity()) + labels
    }

    /// How many states it has, with arcs or without.
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// Makes room for states below `states`.
    pub(super) fn grow(&mut self, states: u32) {
        while self.starts.len() < states as usize {
            append(&mut self.starts, UNKNOWN);
        }
    }

    /// Adds the arcs of a state, which has none yet.
    pub(super) fn add(&mut self, state: u32, arcs: &[Arc]) -> Result<(), CoreError> {
        let start =
            u32::try_from(self.targets.len()).ok().filter(|&start| start < UNKNOWN - narrow(arcs.len()));
        self.starts[state as usize] = start.ok_or_else(too_many)?;
        append(&mut self.targets, narrow(arcs.len()));
        self.add_label(0);
        for arc in arcs {
            append(&mut self.targets, arc.target);
            self.add_label(arc.label);
        }
        Ok(())
    }

    fn add_label(&mut self, label: u32) {
        if let Labels::Narrow(labels) = &mut self.labels {
            if let Ok(label) = u8::try_from(label) {
                append(labels, label);
                return;
            }
            self.labels = Labels::Wide(labels.iter().map(|&label| u32::from(label)).collect());
        }
        if let Labels::Wide(labels) = &mut self.labels {
            append(labels, label);
        }
    }

    /// The places of a state's arcs.
    pub(super) fn places(&self, state: u32) -> std::ops::Range<u32> {
        match self.starts[state as usize] {
            UNKNOWN => 0..0,
            start => start + 1..start + 1 + self.targets[start as usize],
        }
    }

    /// The arc at a place.
    pub(super) fn arc(&self, place: u32) -> Arc {
        let label = match &self.labels {
            Labels::Narrow(labels) => u32::from(labels[place as usize]),
            Labels::Wide(labels) => labels[place as usize],
        };
        Arc { target: self.targets[place as usize], label }
    }

    /// The arcs of a state.
    pub(super) fn arcs(&self, state: u32) -> impl Iterator<Item = Arc> {
        self.places(state).map(|place| self.arc(place))
    }

    /// The marks of an arc.
    pub(super) fn marks_of(&self, arc: Arc) -> AcceptanceSets {
        self.marks[arc.label as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_come_back_as_they_were_added() {
        let mut graph = Graph::new();
        graph.grow(4);
        let arcs = |state: u32| -> Vec<Arc> {
            (0..state).map(|number| Arc { target: number, label: 150 * number }).collect()
        };
        for state in [2, 0, 3] {
            graph.add(state, &arcs(state)).unwrap();
        }
        for state in [0, 2, 3] {
            assert_eq!(graph.arcs(state).collect::<Vec<_>>(), arcs(state));
        }
        assert_eq!(graph.arcs(1).count(), 0);
    }
}
