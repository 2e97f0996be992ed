//! Executions for Python: events, relations and final registers.

use crate::graph::Graph;
use crate::tally::Witness;
use crate::thread::{Kind, Skeleton, Status};
use crate::traces::{Class, Trace};
use membar_cat::plan::Primitive;
use membar_ir::bits::{bits, insert, is_empty};
use membar_ir::program::Program;

/// Pairs of event numbers.
pub type Pairs = Vec<(usize, usize)>;

/// A relation between events, which may have as many pairs as there are pairs of events: a row of bits for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    words: Vec<u64>,
    width: usize,
}

impl Rows {
    /// A relation with `width` words for each event.
    #[must_use]
    pub fn new(words: Vec<u64>, width: usize) -> Self {
        Self { words, width }
    }

    /// Its pairs in order.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let rows = self.words.chunks_exact(self.width.max(1)).enumerate();
        rows.flat_map(|(a, row)| bits(row).map(move |b| (a, b)))
    }

    /// The same relation between events with other numbers.
    fn renumbered(&self, numbers: &[usize]) -> Self {
        let mut words = vec![0; self.words.len()];
        for (a, b) in self.pairs() {
            insert(&mut words[numbers[a] * self.width..], numbers[b]);
        }
        Self { words, width: self.width }
    }

    /// The rows one after the other, the lowest byte first; nothing for the empty relation.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        if is_empty(&self.words) {
            return Vec::new();
        }
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// An event with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Event {
    /// Index of its thread; None for initial writes.
    pub thread: Option<usize>,
    /// What it does.
    pub kind: Kind,
    /// Where; None for fences.
    pub cell: Option<u32>,
    /// What is read or written.
    pub value: u64,
    /// Its tag set; None for initial writes.
    pub tags: Option<u32>,
    /// Which edge occurrence of its thread it belongs to.
    pub step: u32,
    /// The edge itself.
    pub edge: u32,
}

/// How one thread ran.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadRun {
    /// How it ended.
    pub status: Status,
    /// Where it ended early: edge and operation.
    pub end: Option<(u32, u32)>,
    /// Last values of the registers that have been given one.
    pub registers: Vec<(usize, u64)>,
    /// What determines the run.
    pub choices: Vec<u64>,
}

/// A whole execution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    /// Initial writes, then the events of each thread in program order.
    pub events: Vec<Event>,
    /// How each thread ran.
    pub threads: Vec<ThreadRun>,
    /// Reads-from: write and read.
    pub rf: Pairs,
    /// Per location its writes in coherence order.
    pub co: Vec<Vec<usize>>,
    /// Those of `RELATIONS`.
    relations: [Rows; RELATIONS.len()],
}

/// The relations that do not depend on rf and co.
const RELATIONS: [Primitive; 10] = [
    Primitive::ProgramOrder,
    Primitive::Address,
    Primitive::Data,
    Primitive::Control,
    Primitive::Atomic,
    Primitive::Exclusive,
    Primitive::SpawnJoin,
    Primitive::PickAddress,
    Primitive::PickData,
    Primitive::PickControl,
];

impl Execution {
    /// Writes out `witness`; None if it does not speak of these classes.
    #[must_use]
    pub fn new(program: &Program, classes: &[Vec<Class>], witness: &Witness) -> Option<Self> {
        let chosen: Option<Vec<&Class>> =
            classes.iter().zip(&witness.runs).map(|(of, run)| of.get(run.0 as usize)).collect();
        let chosen = chosen?;
        let traces: Option<Vec<&Trace>> =
            chosen.iter().zip(&witness.runs).map(|(class, run)| class.traces.get(run.1 as usize)).collect();
        let traces = traces?;
        let mut graph = Graph::new(program);
        graph.assemble(&chosen);
        let events = graph.events.iter().map(|place| match (place.thread, place.cell) {
            (Some(thread), cell) => {
                let event = &chosen[thread].skeleton.events[place.position];
                Event {
                    thread: Some(thread),
                    kind: event.kind,
                    cell: cell.map(|cell| cell.0),
                    value: traces[thread].values[place.position],
                    tags: Some(event.tags.0),
                    step: event.step,
                    edge: event.edge.0,
                }
            }
            (None, cell) => Event {
                thread: None,
                kind: Kind::Write,
                cell: cell.map(|cell| cell.0),
                value: cell.map(|cell| program.cells[cell.index()].initial).unwrap_or_default(),
                tags: None,
                step: 0,
                edge: 0,
            },
        });
        let wide = |pair: &(u32, u32)| (pair.0 as usize, pair.1 as usize);
        let order = |order: &Vec<u32>| order.iter().map(|&write| write as usize).collect();
        Some(Self {
            events: events.collect(),
            threads: chosen
                .iter()
                .zip(&traces)
                .map(|(class, trace)| thread_run(&class.skeleton, trace))
                .collect(),
            rf: witness.reads_from.iter().map(wide).collect(),
            co: witness.coherence.iter().map(order).collect(),
            relations: RELATIONS.map(|relation| graph.rows_of(relation)),
        })
    }

    /// A relation that does not depend on rf and co; None for others.
    #[must_use]
    pub fn relation(&self, relation: Primitive) -> Option<&Rows> {
        RELATIONS.iter().position(|&known| known == relation).map(|place| &self.relations[place])
    }

    /// The execution in which each thread plays the part of thread `parts[thread]`, whose registers become those in
    /// `registers[thread]`: for threads that are interchangeable.
    #[must_use]
    pub fn exchanged(&self, parts: &[usize], registers: &[Vec<usize>]) -> Self {
        let mut events: Vec<Event> = Vec::new();
        let mut numbers = vec![0; self.events.len()];
        let initial = std::iter::once((None, None));
        for (thread, part) in initial.chain(parts.iter().enumerate().map(|(a, &b)| (Some(a), Some(b)))) {
            for (number, event) in self.events.iter().enumerate().filter(|(_, event)| event.thread == part) {
                numbers[number] = events.len();
                events.push(Event { thread, ..*event });
            }
        }
        let run = |(&part, registers): (&usize, &Vec<usize>)| {
            let known = &self.threads[part];
            let renamed = known.registers.iter().map(|&(number, value)| (registers[number], value));
            ThreadRun { registers: renamed.collect(), ..known.clone() }
        };
        let mut rf: Pairs = self.rf.iter().map(|&(a, b)| (numbers[a], numbers[b])).collect();
        rf.sort_unstable();
        let order = |order: &Vec<usize>| order.iter().map(|&write| numbers[write]).collect();
        Self {
            threads: parts.iter().zip(registers).map(run).collect(),
            rf,
            co: self.co.iter().map(order).collect(),
            relations: self.relations.each_ref().map(|rows| rows.renumbered(&numbers)),
            events,
        }
    }
}

fn thread_run(skeleton: &Skeleton, trace: &Trace) -> ThreadRun {
    ThreadRun {
        status: skeleton.status,
        end: skeleton.end.map(|(edge, operation)| (edge.0, operation)),
        registers: trace.defined.iter().map(|register| (register, trace.registers[register])).collect(),
        choices: trace.choices.to_vec(),
    }
}
