//! When each slot of a plan can be computed, and which checks can prune.
//!
//! A check *prunes* while rf and co are incomplete if its slot can only grow: once violated it stays violated
//! (growing operands under union, intersection, composition, closure, inverse, restriction). A growing
//! operand under a complement or on the right of a difference makes a slot unstable: it waits until it is known.
//! Once rf is complete, everything that needs only rf is known, so more checks prune while co grows.

use crate::coherence_axioms::CoherenceAxioms;
use crate::plan::{Check, CheckMode, Op, Plan, Primitive, Slot};

/// Which parts of an execution a slot needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Events, po, dependencies.
    Static,
    /// And rf.
    Reads,
    /// And co.
    Coherence,
}

/// How a slot changes while the execution is completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Growth {
    Known,
    Growing,
    Unstable,
}

/// A step of computing slots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// Compute one slot.
    Slot(Slot),
    /// Compute the body until the variables (first of each pair) equal their results.
    Loop {
        /// Variables with their results.
        variables: Vec<(Slot, Slot)>,
        /// What depends on the variables, in order.
        body: Vec<Item>,
    },
}

/// Checks to ask, each as soon as what it needs is computed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Phase {
    /// What to compute: before the first check, between it and the second, …, after the last.
    pub tiers: Vec<Vec<Item>>,
    /// Indices of checks that must hold, in the model's order.
    pub required: Vec<usize>,
}

/// A plan in the order of growing knowledge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    /// Once per choice of traces.
    pub statics: Phase,
    /// While rf (and co) are incomplete: only what prunes.
    pub growing_reads: Phase,
    /// When rf is complete: what needs no more, and all that prunes while co is incomplete.
    pub reads: Phase,
    /// While co is incomplete, after `reads` was run: only what prunes.
    pub growing_coherence: Phase,
    /// When co is complete, after `reads` or `growing_coherence` was run for it.
    pub coherence: Phase,
    /// Checks that are no requirement, asked last.
    pub flags: Vec<usize>,
    /// For each slot whether it depends on neither rf nor co.
    pub is_static: Vec<bool>,
    /// What the plan requires of co; nothing if pruning is off.
    pub axioms: CoherenceAxioms,
}

impl Phase {
    /// All that one slot needs, whatever it is, and no check.
    #[must_use]
    pub fn of_slot(plan: &Plan, slot: Slot) -> Self {
        Self::of_slots(plan, std::iter::once(slot))
    }

    /// The same for several.
    pub fn of_slots(plan: &Plan, slots: impl Iterator<Item = Slot>) -> Self {
        let facts = Facts::new(plan);
        let needed = facts.needed_slots(plan, slots);
        facts.phase(plan, Vec::new(), &|s| needed[s])
    }
}

impl Schedule {
    /// The schedule of `plan`. With `prune` off nothing is asked before it is known.
    #[must_use]
    pub fn new(plan: &Plan, prune: bool) -> Self {
        Self::of(plan, prune, false, false)
    }

    /// The schedule of `plan`, with pruning, for graphs to whose co the search adds what it can: checks that this makes
    /// true are not asked.
    #[must_use]
    pub fn of_forced(plan: &Plan) -> Self {
        Self::of(plan, true, false, true)
    }

    /// The schedule of `plan` for graphs to which events are added, each with what it reads: whether two reads that are
    /// there read the same write is then known, so what is without such pairs can prune.
    #[must_use]
    pub fn of_graphs(plan: &Plan) -> Self {
        Self::of(plan, true, true, false)
    }

    fn of(plan: &Plan, prune: bool, whole_reads: bool, forces: bool) -> Self {
        let facts = Facts::new(plan);
        let with_reads = facts.growth(plan, false, whole_reads);
        let with_coherence = facts.growth(plan, true, whole_reads);
        let axioms = if prune { CoherenceAxioms::of(plan) } else { CoherenceAxioms::default() };
        let implied = if forces { axioms.implied_checks(plan) } else { vec![false; plan.checks.len()] };
        let is_flag = |index: usize| plan.checks[index].mode != CheckMode::Require;
        let required = |index: usize| !is_flag(index) && !implied[index];
        let can_prune = |growth: &[Growth], check: &Check| {
            prune && !check.negated && growth[check.slot.index()] <= Growth::Growing
        };
        let stage = |index: usize| facts.stages[plan.checks[index].slot.index()];
        let all = 0..plan.checks.len();
        let at = |wanted: Stage| -> Vec<usize> {
            all.clone().filter(|&i| required(i) && stage(i) == wanted).collect()
        };
        let growing_reads: Vec<usize> = all
            .clone()
            .filter(|&i| required(i) && stage(i) > Stage::Static && can_prune(&with_reads, &plan.checks[i]))
            .collect();
        let (growing_coherence, coherence): (Vec<usize>, Vec<usize>) =
            at(Stage::Coherence).into_iter().partition(|&i| can_prune(&with_coherence, &plan.checks[i]));
        let slots = |checks: &[usize]| -> Vec<bool> {
            facts.needed_slots(plan, checks.iter().map(|&check| plan.checks[check].slot))
        };
        let needed = slots(&all.clone().filter(|&i| !implied[i]).collect::<Vec<_>>());
        let early = slots(&growing_reads);
        let later = slots(&growing_coherence);
        let phase =
            |required: Vec<usize>, wanted: &dyn Fn(usize) -> bool| facts.phase(plan, required, wanted);
        let stages = &facts.stages;
        Self {
            statics: phase(at(Stage::Static), &|s| needed[s] && stages[s] == Stage::Static),
            growing_reads: phase(growing_reads, &|s| early[s] && stages[s] > Stage::Static),
            reads: phase([at(Stage::Reads), growing_coherence.clone()].concat(), &|s| match stages[s] {
                Stage::Static => false,
                Stage::Reads => needed[s],
                Stage::Coherence => later[s],
            }),
            growing_coherence: phase(growing_coherence, &|s| later[s] && stages[s] == Stage::Coherence),
            coherence: phase(coherence, &|s| needed[s] && !later[s] && stages[s] == Stage::Coherence),
            flags: all.filter(|&i| is_flag(i)).collect(),
            is_static: facts.stages.iter().map(|&stage| stage == Stage::Static).collect(),
            axioms,
        }
    }
}

/// Derived properties of the slots of a plan.
struct Facts {
    /// The least that each slot needs.
    stages: Vec<Stage>,
    /// For each slot the innermost group whose variables it depends on.
    group: Vec<Option<usize>>,
    /// For each group the group around it whose variables its slots depend on.
    parent: Vec<Option<usize>>,
}

impl Facts {
    fn new(plan: &Plan) -> Self {
        let depends = dependence(plan);
        let smallest = |groups: &dyn Fn(usize) -> bool| {
            (0..plan.fixpoints.len())
                .filter(|&f| groups(f))
                .min_by_key(|&f| plan.fixpoints[f].last.0 - plan.fixpoints[f].first.0)
        };
        let group: Vec<_> =
            (0..plan.instructions.len()).map(|slot| smallest(&|f| depends[f][slot])).collect();
        let parent: Vec<_> = (0..plan.fixpoints.len())
            .map(|f| {
                smallest(&|g| {
                    g != f
                        && plan.fixpoints[g].contains(plan.fixpoints[f].first)
                        && plan.fixpoints[g].contains(plan.fixpoints[f].last)
                        && (0..group.len()).any(|slot| depends[f][slot] && depends[g][slot])
                })
            })
            .collect();
        let mut facts = Self { stages: vec![Stage::Static; group.len()], group, parent };
        facts.find_stages(plan);
        facts
    }

    /// Stages by iteration; all slots of a group are computed together, so they share one.
    fn find_stages(&mut self, plan: &Plan) {
        loop {
            let before = self.stages.clone();
            for (slot, instruction) in plan.instructions.iter().enumerate() {
                let own = match instruction.op {
                    Op::Primitive(Primitive::ReadsFrom) => Stage::Reads,
                    Op::Primitive(Primitive::Coherence | Primitive::FinalWrites) => Stage::Coherence,
                    _ => Stage::Static,
                };
                let operands = instruction.op.operands().map(|a| self.stages[a.index()]);
                self.stages[slot] = operands.fold(self.stages[slot].max(own), Ord::max);
                let mut around = self.group[slot];
                while let Some(group) = around {
                    let stage = self.stages[slot];
                    for other in 0..self.stages.len() {
                        if self.is_inside(other, group) {
                            self.stages[other] = self.stages[other].max(stage);
                        }
                    }
                    around = self.parent[group];
                }
            }
            if self.stages == before {
                return;
            }
        }
    }

    /// Whether a slot is computed inside a group, at any depth.
    fn is_inside(&self, slot: usize, group: usize) -> bool {
        let mut around = self.group[slot];
        while let Some(g) = around {
            if g == group {
                return true;
            }
            around = self.parent[g];
        }
        false
    }

    fn growth(&self, plan: &Plan, reads_known: bool, whole_reads: bool) -> Vec<Growth> {
        let op = |slot: Slot| plan.instructions[slot.index()].op;
        let is_rf = |slot: Slot| op(slot) == Op::Primitive(Primitive::ReadsFrom);
        let is_inverse_rf = |slot: Slot| matches!(op(slot), Op::Inverse(a) if is_rf(a));
        let mut growth = vec![Growth::Known; plan.instructions.len()];
        let results: Vec<(Slot, Slot)> =
            plan.fixpoints.iter().flat_map(|f| f.variables.iter().copied()).collect();
        loop {
            let before = growth.clone();
            for (slot, instruction) in plan.instructions.iter().enumerate() {
                let of = |slot: Slot| growth[slot.index()];
                let next = match instruction.op {
                    Op::Primitive(Primitive::ReadsFrom | Primitive::Coherence) => Growth::Growing,
                    Op::Primitive(Primitive::FinalWrites) => Growth::Unstable,
                    Op::Sequence(a, b) if whole_reads && is_inverse_rf(a) && is_rf(b) => Growth::Known,
                    Op::Complement(a) => {
                        if of(a) == Growth::Known {
                            Growth::Known
                        } else {
                            Growth::Unstable
                        }
                    }
                    Op::Difference(a, b) => {
                        if of(b) == Growth::Known {
                            of(a)
                        } else {
                            Growth::Unstable
                        }
                    }
                    Op::Variable => {
                        results.iter().find(|r| r.0.index() == slot).map_or(Growth::Unstable, |r| of(r.1))
                    }
                    op => op.operands().map(of).max().unwrap_or(Growth::Known),
                };
                let known = match self.stages[slot] {
                    Stage::Static => true,
                    Stage::Reads => reads_known,
                    Stage::Coherence => false,
                };
                growth[slot] = if known { Growth::Known } else { growth[slot].max(next) };
            }
            if growth == before {
                return growth;
            }
        }
    }

    /// The slots that `of` need.
    fn needed_slots(&self, plan: &Plan, of: impl Iterator<Item = Slot>) -> Vec<bool> {
        let mut needed = vec![false; plan.instructions.len()];
        let mut todo: Vec<Slot> = of.collect();
        while let Some(slot) = todo.pop() {
            if std::mem::replace(&mut needed[slot.index()], true) {
                continue;
            }
            todo.extend(plan.instructions[slot.index()].op.operands());
            let mut around = self.group[slot.index()];
            while let Some(group) = around {
                // A group is computed as a whole or not at all.
                todo.extend((0..).zip(&self.group).filter(|(_, g)| **g == around).map(|(s, _)| Slot(s)));
                around = self.parent[group];
            }
        }
        needed
    }

    /// The checks `required` with the `wanted` slots, which are closed under groups: each as late as it can be.
    fn phase(&self, plan: &Plan, required: Vec<usize>, wanted: &dyn Fn(usize) -> bool) -> Phase {
        let mut done = vec![false; plan.instructions.len()];
        let mut tiers = Vec::with_capacity(required.len() + 1);
        for &check in &required {
            let needed = self.needed_slots(plan, std::iter::once(plan.checks[check].slot));
            tiers.push(self.items_of(plan, None, &|s| wanted(s) && needed[s] && !done[s]));
            done.iter_mut().zip(needed).for_each(|(done, needed)| *done |= needed);
        }
        tiers.push(self.items_of(plan, None, &|s| wanted(s) && !done[s]));
        Phase { tiers, required }
    }

    fn items_of(&self, plan: &Plan, group: Option<usize>, wanted: &dyn Fn(usize) -> bool) -> Vec<Item> {
        // A group comes where its last slot is: what it needs and does not contain is computed before.
        let mut placed: Vec<(u32, Item)> = Vec::new();
        for slot in
            (0..).zip(&self.group).filter(|(s, g)| **g == group && wanted(*s as usize)).map(|(s, _)| s)
        {
            if plan.instructions[slot as usize].op != Op::Variable {
                placed.push((slot, Item::Slot(Slot(slot))));
            }
        }
        for (inner, fixpoint) in plan.fixpoints.iter().enumerate() {
            if self.parent[inner] == group && fixpoint.variables.iter().any(|v| wanted(v.0.index())) {
                let body = self.items_of(plan, Some(inner), wanted);
                placed.push((fixpoint.last.0, Item::Loop { variables: fixpoint.variables.clone(), body }));
            }
        }
        placed.sort_by_key(|(at, item)| (*at, matches!(item, Item::Loop { .. })));
        placed.into_iter().map(|(_, item)| item).collect()
    }
}

/// For each group and slot: whether the slot lies in the group and depends on its variables.
#[must_use]
pub fn dependence(plan: &Plan) -> Vec<Vec<bool>> {
    let results: Vec<(Slot, Slot)> =
        plan.fixpoints.iter().flat_map(|f| f.variables.iter().copied()).collect();
    let mut all = Vec::with_capacity(plan.fixpoints.len());
    for fixpoint in &plan.fixpoints {
        let mut depends = vec![false; plan.instructions.len()];
        for &(variable, _) in &fixpoint.variables {
            depends[variable.index()] = true;
        }
        loop {
            let before = depends.clone();
            for slot in fixpoint.first.index()..=fixpoint.last.index() {
                let op = plan.instructions[slot].op;
                let through = op.operands().any(|a| depends[a.index()]);
                let inner =
                    op == Op::Variable && results.iter().any(|r| r.0.index() == slot && depends[r.1.index()]);
                depends[slot] = depends[slot] || through || inner;
            }
            if depends == before {
                break;
            }
        }
        all.push(depends);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(slots: &[&[u64]], fixpoints: &[&[u64]], checks: &[&[u64]]) -> Plan {
        let mut form = vec![1, 0];
        for list in [slots, fixpoints, checks] {
            form.push(list.len() as u64);
            form.extend(list.iter().copied().flatten());
        }
        Plan::decode(&form).unwrap()
    }

    const PO: &[u64] = &[0, 1, 8];
    const RF: &[u64] = &[0, 1, 15];
    const CO: &[u64] = &[0, 1, 16];

    #[test]
    fn checks_are_asked_as_soon_as_they_are_known() {
        let checks: &[&[u64]] = &[&[0, 0, 0, 0], &[0, 1, 0, 0], &[0, 2, 0, 0], &[2, 0, 1, 1]];
        let schedule = Schedule::new(&plan(&[PO, RF, CO], &[], checks), true);
        assert_eq!(schedule.statics.required, [0]);
        assert_eq!(schedule.growing_reads.required, [1, 2]);
        assert_eq!(schedule.reads.required, [1, 2]);
        assert_eq!(schedule.growing_coherence.required, [2]);
        assert_eq!(schedule.coherence.required, []);
        assert_eq!(schedule.flags, [3]);
        let unpruned = Schedule::new(&plan(&[PO, RF, CO], &[], checks), false);
        assert_eq!(unpruned.growing_reads.required, []);
        assert_eq!(unpruned.coherence.required, [2]);
    }

    #[test]
    fn what_may_shrink_does_not_prune() {
        // po \ rf: unstable until rf is known, then known. co \ rf: prunes once rf is known. ~co: never.
        let slots: &[&[u64]] = &[PO, RF, CO, &[6, 1, 0, 1], &[6, 1, 2, 1], &[7, 1, 2]];
        let checks: &[&[u64]] = &[&[0, 3, 0, 0], &[0, 4, 0, 0], &[2, 5, 0, 0], &[2, 2, 1, 0]];
        let schedule = Schedule::new(&plan(slots, &[], checks), true);
        assert_eq!(schedule.growing_reads.required, []);
        assert_eq!(schedule.reads.required, [0, 1]);
        assert_eq!(schedule.growing_coherence.required, [1]);
        assert_eq!(schedule.coherence.required, [2, 3]);
    }

    #[test]
    fn a_group_is_computed_together_and_what_it_does_not_change_before() {
        // let rec v = (po ; po) | (v ; rf): slot 2 = v, 3 = po ; po inside the group.
        let slots: &[&[u64]] = &[PO, RF, &[17, 1], &[8, 1, 0, 0], &[8, 1, 2, 1], &[4, 1, 3, 4]];
        let schedule = Schedule::new(&plan(slots, &[&[2, 5, 1, 2, 5]], &[&[0, 5, 0, 0]]), true);
        assert!(schedule.statics.tiers.concat().contains(&Item::Slot(Slot(3))));
        let body = vec![Item::Slot(Slot(4)), Item::Slot(Slot(5))];
        let group = Item::Loop { variables: vec![(Slot(2), Slot(5))], body };
        assert_eq!(schedule.reads.tiers.concat(), [Item::Slot(Slot(1)), group]);
        assert_eq!(schedule.growing_reads.required, [0]);
    }

    #[test]
    fn only_what_is_needed_is_computed() {
        let slots: &[&[u64]] = &[PO, RF, CO, &[10, 1, 2], &[8, 1, 0, 1]];
        let schedule = Schedule::new(&plan(slots, &[], &[&[1, 4, 0, 0]]), true);
        assert_eq!(schedule.statics.tiers.concat(), [Item::Slot(Slot(0))]);
        assert_eq!(schedule.reads.tiers.concat(), [Item::Slot(Slot(1)), Item::Slot(Slot(4))]);
        assert_eq!(schedule.growing_coherence.tiers.concat(), []);
        assert_eq!(schedule.coherence.tiers.concat(), []);
    }

    #[test]
    fn a_check_waits_only_for_what_it_needs() {
        let slots: &[&[u64]] = &[PO, RF, CO, &[4, 1, 0, 1], &[10, 1, 2]];
        let schedule = Schedule::new(&plan(slots, &[], &[&[0, 3, 0, 0], &[0, 4, 0, 0]]), true);
        let items = |slots: &[u32]| slots.iter().map(|&s| Item::Slot(Slot(s))).collect::<Vec<_>>();
        assert_eq!(schedule.growing_reads.tiers, [items(&[1, 3]), items(&[2, 4]), vec![]]);
        assert_eq!(schedule.growing_reads.required, [0, 1]);
    }
}
