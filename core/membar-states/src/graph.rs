//! Steps between states, as integers: what is left of a product when runs are searched for. Each worker keeps the steps
//! out of its own states; states are named as in `worker::name`.

use super::automaton::AcceptanceSets;
use super::product::LabelTable;
use super::successors::too_many;
use super::tables::append;
use membar_ir::error::CoreError;
use membar_ir::words::narrow;

/// A state whose arcs are not known.
const UNKNOWN: u32 = u32::MAX;

/// A step: the state that it leads to, and its marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arc {
    pub(super) target: u32,
    pub(super) marks: AcceptanceSets,
}

/// Numbers of sets of marks: a byte each, as long as there are no more sets than that.
#[derive(Debug)]
enum Labels {
    Narrow(Vec<u8>),
    Wide(Vec<u32>),
}

/// Arcs of the states of one worker, in the order in which states were expanded.
#[derive(Debug)]
pub(super) struct GraphPart {
    /// Per state, by its place, where its arcs begin: the first entry there is their number.
    starts: Vec<u32>,
    targets: Vec<u32>,
    /// Per entry of `targets`.
    labels: Labels,
    /// What labels mean.
    pub(super) marks: LabelTable,
}

impl Default for GraphPart {
    fn default() -> Self {
        Self {
            starts: Vec::new(),
            targets: Vec::new(),
            labels: Labels::Narrow(Vec::new()),
            marks: LabelTable::default(),
        }
    }
}

impl GraphPart {
    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let labels = match &self.labels {
            Labels::Narrow(labels) => labels.capacity(),
            Labels::Wide(labels) => 4 * labels.capacity(),
        };
        4 * (self.starts.capacity() + self.targets.capacity()) + labels
    }

    /// Adds the arcs of the state at a place, which has none yet: targets and labels.
    pub(super) fn add(&mut self, place: u32, arcs: &[(u32, u32)]) -> Result<(), CoreError> {
        while self.starts.len() <= place as usize {
            append(&mut self.starts, UNKNOWN);
        }
        let start =
            u32::try_from(self.targets.len()).ok().filter(|&start| start < UNKNOWN - narrow(arcs.len()));
        self.starts[place as usize] = start.ok_or_else(too_many)?;
        append(&mut self.targets, narrow(arcs.len()));
        self.add_label(0);
        for &(target, label) in arcs {
            append(&mut self.targets, target);
            self.add_label(label);
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

    /// The marks of the arc at a place of `targets`.
    pub(super) fn marks(&self, place: u32) -> AcceptanceSets {
        let label = match &self.labels {
            Labels::Narrow(labels) => usize::from(labels[place as usize]),
            Labels::Wide(labels) => labels[place as usize] as usize,
        };
        self.marks.known[label]
    }

    /// Where the arc at a place of `targets` leads to.
    pub(super) fn target(&self, place: u32) -> u32 {
        self.targets[place as usize]
    }
}

/// The arcs of all states.
#[derive(Debug)]
pub(super) struct Graph<'g> {
    parts: Vec<&'g GraphPart>,
    len: usize,
}

impl<'g> Graph<'g> {
    /// The parts of all workers; all names are below `len`.
    pub(super) fn new(parts: impl Iterator<Item = &'g GraphPart>, len: usize) -> Self {
        Self { parts: parts.collect(), len }
    }

    /// All names of states are below this.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Who has the arcs of a state, and at which places.
    pub(super) fn arcs_of(&self, state: u32) -> (&'g GraphPart, std::ops::Range<u32>) {
        let (place, part) = (state as usize / self.parts.len(), state as usize % self.parts.len());
        let part = self.parts[part];
        match part.starts.get(place).copied().unwrap_or(UNKNOWN) {
            UNKNOWN => (part, 0..0),
            start => (part, start + 1..start + 1 + part.targets[start as usize]),
        }
    }

    /// The arcs of a state.
    pub(super) fn arcs(&self, state: u32) -> impl Iterator<Item = Arc> {
        let (part, places) = self.arcs_of(state);
        places.map(|place| Arc { target: part.target(place), marks: part.marks(place) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_come_back_as_they_were_added() {
        let mut part = GraphPart::default();
        let labels: Vec<u32> = (0..600).map(|marks| part.marks.number(marks)).collect();
        let arcs = |state: u32| -> Vec<(u32, u32)> {
            (0..state).map(|number| (number, labels[150 * number as usize])).collect()
        };
        for state in [2, 0, 3] {
            part.add(state, &arcs(state)).unwrap();
        }
        let graph = Graph::new(std::iter::once(&part), 4);
        for state in [0, 2, 3] {
            let found: Vec<_> = graph.arcs(state).map(|arc| (arc.target, arc.marks)).collect();
            let expected: Vec<_> =
                (0..state).map(|number| (number, AcceptanceSets::from(150 * number))).collect();
            assert_eq!(found, expected);
        }
        assert_eq!(graph.arcs(1).count(), 0);
    }
}
