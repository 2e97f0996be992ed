//! Steps between states, as integers: what is left of a product when runs are searched for. Each worker keeps the steps
//! that it has followed; who owns a state knows where the steps out of it are. States are named as in `owner::name`.

use super::automaton::AcceptanceSets;
use super::product::LabelTable;
use super::tables::append;
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

/// Arcs that one worker has followed, in the order in which states were expanded. In front of those of a state is their
/// number.
#[derive(Debug)]
pub(super) struct GraphPart {
    targets: Vec<u32>,
    /// Per entry of `targets`.
    labels: Labels,
    /// What labels mean.
    pub(super) marks: LabelTable,
}

impl Default for GraphPart {
    fn default() -> Self {
        Self { targets: Vec::new(), labels: Labels::Narrow(Vec::new()), marks: LabelTable::default() }
    }
}

impl GraphPart {
    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        let labels = match &self.labels {
            Labels::Narrow(labels) => labels.capacity(),
            Labels::Wide(labels) => 4 * labels.capacity(),
        };
        4 * self.targets.capacity() + labels
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.targets.len()
    }

    /// Begins with the arcs of another state, of which there are so many.
    pub(super) fn begin(&mut self, count: u32) {
        self.add(count, 0);
    }

    /// Adds an arc to the last state: its target and its label.
    pub(super) fn add(&mut self, target: u32, label: u32) {
        append(&mut self.targets, target);
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

/// Where the arcs of states begin: per state of an owner, by its place.
#[derive(Debug, Clone, Default)]
pub(super) struct ArcStarts(Vec<u32>);

impl ArcStarts {
    /// Says that the arcs of the state at a place begin at entry `start` of part `part` of so many. None: there are too many.
    pub(super) fn set(&mut self, place: u32, (part, parts): (usize, usize), start: usize) -> Option<()> {
        while self.0.len() <= place as usize {
            append(&mut self.0, UNKNOWN);
        }
        self.0[place as usize] =
            start.checked_mul(parts)?.checked_add(part)?.try_into().ok().filter(|&start| start != UNKNOWN)?;
        Some(())
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        4 * self.0.capacity()
    }
}

/// The arcs of all states.
#[derive(Debug)]
pub(super) struct Graph<'g> {
    parts: Vec<&'g GraphPart>,
    /// As many as parts.
    starts: Vec<&'g [u32]>,
    len: usize,
}

impl<'g> Graph<'g> {
    /// The arcs that workers have followed, and where those of their own states begin; all names are below `len`.
    pub(super) fn new(parts: impl Iterator<Item = (&'g GraphPart, &'g ArcStarts)>, len: usize) -> Self {
        let (parts, starts) = parts.map(|(part, starts)| (part, starts.0.as_slice())).unzip();
        Self { parts, starts, len }
    }

    /// All names of states are below this.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Who has the arcs of a state, and at which places.
    pub(super) fn arcs_of(&self, state: u32) -> (&'g GraphPart, std::ops::Range<u32>) {
        let parts = narrow(self.parts.len());
        match self.starts[(state % parts) as usize].get((state / parts) as usize).copied().unwrap_or(UNKNOWN)
        {
            UNKNOWN => (self.parts[0], 0..0),
            start => {
                let (part, start) = (self.parts[(start % parts) as usize], start / parts);
                (part, start + 1..start + 1 + part.targets[start as usize])
            }
        }
    }

    /// The arcs of a state.
    pub(super) fn arcs(&self, state: u32) -> impl Iterator<Item = Arc> {
        let (part, places) = self.arcs_of(state);
        places.map(|place| Arc { target: part.target(place), marks: part.marks(place) })
    }
}

/// A graph of few states, by their arcs: targets and labels that `marks` has numbered.
pub(super) fn small(
    arcs: impl Iterator<Item = Vec<(u32, u32)>>,
    marks: LabelTable,
) -> (GraphPart, ArcStarts) {
    let (mut part, mut starts) = (GraphPart { marks, ..GraphPart::default() }, ArcStarts::default());
    for (state, arcs) in (0..).zip(arcs) {
        // It has room for few.
        let _ = starts.set(state, (0, 1), part.len());
        part.begin(narrow(arcs.len()));
        for (target, label) in arcs {
            part.add(target, label);
        }
    }
    (part, starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arcs_come_back_as_they_were_added() {
        let mut marks = LabelTable::default();
        let labels: Vec<u32> = (0..600).map(|set| marks.number(set)).collect();
        let arcs = |state: u32| -> Vec<(u32, u32)> {
            (0..state).map(|number| (number, labels[150 * number as usize])).collect()
        };
        let (part, starts) = small((0..4).map(arcs), marks);
        let graph = Graph::new(std::iter::once((&part, &starts)), 5);
        for state in 0..4 {
            let found: Vec<_> = graph.arcs(state).map(|arc| (arc.target, arc.marks)).collect();
            let expected: Vec<_> =
                (0..state).map(|number| (number, AcceptanceSets::from(150 * number))).collect();
            assert_eq!(found, expected);
        }
        assert_eq!(graph.arcs(4).count(), 0);
    }

    #[test]
    fn an_owner_knows_who_has_the_arcs_of_its_states() {
        let mut parts = [GraphPart::default(), GraphPart::default()];
        let mut starts = [ArcStarts::default(), ArcStarts::default()];
        // State 2 * place + own leads to its own name; the other worker has followed it.
        for state in 0..6 {
            let (place, own) = (state / 2, state as usize % 2);
            let part = 1 - own;
            starts[own].set(place, (part, 2), parts[part].len()).unwrap();
            parts[part].begin(1);
            parts[part].marks.number(0);
            parts[part].add(state, 0);
        }
        let graph = Graph::new(parts.iter().zip(&starts), 6);
        for state in 0..6 {
            assert_eq!(graph.arcs(state).map(|arc| arc.target).collect::<Vec<_>>(), [state]);
        }
        assert_eq!(starts[0].set(0, (0, 2), 1 << 31), None);
    }
}
