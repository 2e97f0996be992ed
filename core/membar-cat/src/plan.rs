//! A memory model as the core sees it: slots computed from earlier slots, then checks.
//!
//! Form (all words): `VERSION`; number of tags; number of slots, then per slot its operator, its sort (0 set, 1
//! relation) and its operands: earlier slots, or for operator 0 the number of a primitive, or for operator 1 the
//! number of a tag; number of fixpoints, then per fixpoint its first and last slot, the number of its variables,
//! and per variable its slot and its result's slot; number of checks, then per check its kind, slot, a flag for
//! negation and its mode.
//!
//! What must be known before a slot can be computed, and whether it only grows while rf and co grow, is derived
//! here and not taken from the form, because the soundness of pruning depends on it. Phases of knowledge, in order:
//! *static* (events, po, dependencies), *reads* (and rf), *coherence* (and co).

use crate::schedule::dependence;
use membar_ir::error::CoreError;
use membar_ir::program::Tag;
use membar_ir::words::Words;

/// First word of the form; to be changed with it.
pub const VERSION: u64 = 1;

/// Index of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Slot(pub u32);

impl Slot {
    /// As an index into a table of slots.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a slot holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// A set of events.
    Set,
    /// A relation between events.
    Relation,
}

/// What the execution itself provides, in the order of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Primitive {
    /// Reads.
    Reads,
    /// Writes, the initial ones included.
    Writes,
    /// Fences.
    Fences,
    /// Initial writes.
    InitialWrites,
    /// The co-last write of each location.
    FinalWrites,
    /// Accesses of one location.
    SameLocation,
    /// Events of one thread; an initial write only with itself.
    Internal,
    /// All other pairs.
    External,
    /// Program order.
    ProgramOrder,
    /// Address dependencies.
    Address,
    /// Data dependencies.
    Data,
    /// Control dependencies.
    Control,
    /// Read and write of one atomic instruction.
    Atomic,
    /// Exclusive load and the store that closes it.
    Exclusive,
    /// Thread creation and joining.
    SpawnJoin,
    /// Reads-from.
    ReadsFrom,
    /// Coherence.
    Coherence,
    /// Address dependencies through the condition of a selection.
    PickAddress,
    /// Data dependencies through the condition of a selection.
    PickData,
    /// Control dependencies through the condition of a selection.
    PickControl,
}

const PRIMITIVES: [Primitive; 20] = [
    Primitive::Reads,
    Primitive::Writes,
    Primitive::Fences,
    Primitive::InitialWrites,
    Primitive::FinalWrites,
    Primitive::SameLocation,
    Primitive::Internal,
    Primitive::External,
    Primitive::ProgramOrder,
    Primitive::Address,
    Primitive::Data,
    Primitive::Control,
    Primitive::Atomic,
    Primitive::Exclusive,
    Primitive::SpawnJoin,
    Primitive::ReadsFrom,
    Primitive::Coherence,
    Primitive::PickAddress,
    Primitive::PickData,
    Primitive::PickControl,
];

impl Primitive {
    fn sort(self) -> Sort {
        match self {
            Self::Reads | Self::Writes | Self::Fences | Self::InitialWrites | Self::FinalWrites => Sort::Set,
            _ => Sort::Relation,
        }
    }
}

/// How a slot is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of models/plan.py")]
pub enum Op {
    Primitive(Primitive),
    Tagged(Tag),
    Empty,
    Universe,
    Variable,
    Union(Slot, Slot),
    Intersection(Slot, Slot),
    Difference(Slot, Slot),
    Complement(Slot),
    Sequence(Slot, Slot),
    Inverse(Slot),
    Plus(Slot),
    Star(Slot),
    Optional(Slot),
    Identity(Slot),
    Product(Slot, Slot),
    Domain(Slot),
    Range(Slot),
}

impl Op {
    /// The slots it is computed from.
    pub fn operands(self) -> impl Iterator<Item = Slot> {
        let (a, b) = match self {
            Self::Primitive(_) | Self::Tagged(_) | Self::Empty | Self::Universe | Self::Variable => {
                (None, None)
            }
            Self::Complement(a)
            | Self::Inverse(a)
            | Self::Plus(a)
            | Self::Star(a)
            | Self::Optional(a)
            | Self::Identity(a)
            | Self::Domain(a)
            | Self::Range(a) => (Some(a), None),
            Self::Union(a, b)
            | Self::Intersection(a, b)
            | Self::Difference(a, b)
            | Self::Sequence(a, b)
            | Self::Product(a, b) => (Some(a), Some(b)),
        };
        a.into_iter().chain(b)
    }
}

/// One slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Instruction {
    /// How it is computed.
    pub op: Op,
    /// What it holds.
    pub sort: Sort,
}

/// A `let rec` group: slots `first ..= last` are computed again and again; each variable starts empty and takes the
/// value of its result until nothing changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixpoint {
    /// First slot of the group.
    pub first: Slot,
    /// Last slot of the group.
    pub last: Slot,
    /// Variables with their results.
    pub variables: Vec<(Slot, Slot)>,
}

impl Fixpoint {
    /// Whether `slot` is one of the group.
    #[must_use]
    pub fn contains(&self, slot: Slot) -> bool {
        self.first <= slot && slot <= self.last
    }
}

/// The condition that a check requires of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are those of models/plan.py")]
pub enum CheckKind {
    Acyclic,
    Irreflexive,
    Empty,
}

/// What the answer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckMode {
    /// It must hold, or the execution is not allowed.
    Require,
    /// If it holds, a flag is raised.
    Flag,
    /// If it does not hold, the whole program is undefined.
    UndefinedUnless,
}

/// A named axiom; its name stays in Python.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Check {
    /// What is asked.
    pub kind: CheckKind,
    /// Of which slot.
    pub slot: Slot,
    /// Whether the result is negated.
    pub negated: bool,
    /// What it means.
    pub mode: CheckMode,
}

/// A decoded and validated model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// The number of tags that it mentions.
    pub tags: usize,
    /// The slots.
    pub instructions: Vec<Instruction>,
    /// The recursive groups; properly nested.
    pub fixpoints: Vec<Fixpoint>,
    /// The axioms, in the model's order.
    pub checks: Vec<Check>,
}

impl Plan {
    /// Reads a plan.
    pub fn decode(form: &[u64]) -> Result<Self, CoreError> {
        let mut words = Words::new(form);
        if words.word()? != VERSION {
            return Err(words.malformed("unknown version of the plan form"));
        }
        let tags = words.index(1 << 16, "too many tags")?;
        let count = words.count()?;
        let mut instructions = Vec::with_capacity(count);
        for _ in 0..count {
            let instruction = decode_instruction(&mut words, &instructions, tags)?;
            instructions.push(instruction);
        }
        let mut fixpoints = Vec::new();
        for _ in 0..words.count()? {
            fixpoints.push(decode_fixpoint(&mut words, &instructions)?);
        }
        let mut checks = Vec::new();
        for _ in 0..words.count()? {
            checks.push(decode_check(&mut words, &instructions)?);
        }
        words.end()?;
        let plan = Self { tags, instructions, fixpoints, checks };
        plan.validate(&words)?;
        Ok(plan)
    }

    /// Groups are nested or apart, and each variable belongs to exactly one.
    fn validate(&self, words: &Words<'_>) -> Result<(), CoreError> {
        if self.fixpoints.iter().any(|fixpoint| fixpoint.first > fixpoint.last) {
            return Err(words.malformed("a recursive group that ends before it begins"));
        }
        for (i, a) in self.fixpoints.iter().enumerate() {
            for b in &self.fixpoints[i + 1..] {
                let apart = a.last < b.first || b.last < a.first;
                let nested =
                    (a.first <= b.first && b.last <= a.last) || (b.first <= a.first && a.last <= b.last);
                if !apart && !nested {
                    return Err(words.malformed("recursive groups overlap"));
                }
                if a.first == b.first && a.last == b.last {
                    return Err(words.malformed("two recursive groups at one place"));
                }
            }
        }
        for (index, instruction) in self.instructions.iter().enumerate() {
            if instruction.op == Op::Variable {
                let of_it = |fixpoint: &&Fixpoint| fixpoint.variables.iter().any(|v| v.0.index() == index);
                if self.fixpoints.iter().filter(of_it).count() != 1 {
                    return Err(words.malformed("a variable belongs to one recursive group"));
                }
            }
        }
        let negates = |op: Op, depends: &[bool]| match op {
            Op::Complement(a) | Op::Difference(_, a) => depends[a.index()],
            _ => false,
        };
        for (fixpoint, depends) in self.fixpoints.iter().zip(dependence(self)) {
            let group = &self.instructions[fixpoint.first.index()..=fixpoint.last.index()];
            // Repetition ends all the same if each variable keeps what it has.
            let grows = |&(variable, result): &(Slot, Slot)| self.is_summand(variable, result);
            if group.iter().any(|instruction| negates(instruction.op, &depends))
                && !fixpoint.variables.iter().all(grows)
            {
                return Err(words.malformed("a recursive definition under a negation"));
            }
        }
        Ok(())
    }

    /// Whether `whole` is `part`, or a union of which it is a member.
    fn is_summand(&self, part: Slot, whole: Slot) -> bool {
        match self.instructions[whole.index()].op {
            _ if part == whole => true,
            Op::Union(a, b) => self.is_summand(part, a) || self.is_summand(part, b),
            _ => false,
        }
    }
}

fn decode_slot(words: &mut Words<'_>, slots: &[Instruction], sort: Option<Sort>) -> Result<Slot, CoreError> {
    let index = words.index(slots.len(), "unknown slot")?;
    if sort.is_some_and(|sort| slots[index].sort != sort) {
        return Err(words.malformed("an operand of the wrong sort"));
    }
    Ok(Slot(u32::try_from(index).map_err(|_| CoreError::TooLarge("number of slots"))?))
}

fn decode_instruction(
    words: &mut Words<'_>,
    slots: &[Instruction],
    tags: usize,
) -> Result<Instruction, CoreError> {
    let code = words.word()?;
    let sort = if words.flag()? { Sort::Relation } else { Sort::Set };
    let (set, relation) = (Some(Sort::Set), Some(Sort::Relation));
    let mut slot = |sort| decode_slot(words, slots, sort);
    let (op, gives) = match code {
        0 => {
            let primitive = PRIMITIVES[words.index(PRIMITIVES.len(), "unknown primitive")?];
            (Op::Primitive(primitive), Some(primitive.sort()))
        }
        1 => {
            let index = words.index(tags, "unknown tag")?;
            let number = u32::try_from(index).map_err(|_| CoreError::TooLarge("number of tags"))?;
            (Op::Tagged(Tag(number)), set)
        }
        2 => (Op::Empty, None),
        3 => (Op::Universe, None),
        4 => (Op::Union(slot(Some(sort))?, slot(Some(sort))?), None),
        5 => (Op::Intersection(slot(Some(sort))?, slot(Some(sort))?), None),
        6 => (Op::Difference(slot(Some(sort))?, slot(Some(sort))?), None),
        7 => (Op::Complement(slot(Some(sort))?), None),
        8 => (Op::Sequence(slot(relation)?, slot(relation)?), relation),
        9 => (Op::Inverse(slot(relation)?), relation),
        10 => (Op::Plus(slot(relation)?), relation),
        11 => (Op::Star(slot(relation)?), relation),
        12 => (Op::Optional(slot(relation)?), relation),
        13 => (Op::Identity(slot(set)?), relation),
        14 => (Op::Product(slot(set)?, slot(set)?), relation),
        15 => (Op::Domain(slot(relation)?), set),
        16 => (Op::Range(slot(relation)?), set),
        17 => (Op::Variable, None),
        _ => return Err(words.malformed("unknown operator of a model")),
    };
    if gives.is_some_and(|gives| gives != sort) {
        return Err(words.malformed("a slot of the wrong sort"));
    }
    Ok(Instruction { op, sort })
}

fn decode_fixpoint(words: &mut Words<'_>, slots: &[Instruction]) -> Result<Fixpoint, CoreError> {
    let first = decode_slot(words, slots, None)?;
    let last = decode_slot(words, slots, None)?;
    let mut fixpoint = Fixpoint { first, last, variables: Vec::new() };
    for _ in 0..words.count()? {
        let variable = decode_slot(words, slots, None)?;
        let result = decode_slot(words, slots, Some(slots[variable.index()].sort))?;
        if slots[variable.index()].op != Op::Variable
            || !fixpoint.contains(variable)
            || !fixpoint.contains(result)
        {
            return Err(words.malformed("a variable or its result outside its recursive group"));
        }
        fixpoint.variables.push((variable, result));
    }
    Ok(fixpoint)
}

fn decode_check(words: &mut Words<'_>, slots: &[Instruction]) -> Result<Check, CoreError> {
    let kind = match words.word()? {
        0 => CheckKind::Acyclic,
        1 => CheckKind::Irreflexive,
        2 => CheckKind::Empty,
        _ => return Err(words.malformed("unknown kind of check")),
    };
    let sort = if kind == CheckKind::Empty { None } else { Some(Sort::Relation) };
    let slot = decode_slot(words, slots, sort)?;
    let negated = words.flag()?;
    let mode = match words.word()? {
        0 => CheckMode::Require,
        1 => CheckMode::Flag,
        2 => CheckMode::UndefinedUnless,
        _ => return Err(words.malformed("unknown mode of a check")),
    };
    Ok(Check { kind, slot, negated, mode })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_plan_is_read() {
        // rf (primitive 15), co (16), their union, acyclic.
        let form = [1, 0, 3, 0, 1, 15, 0, 1, 16, 4, 1, 0, 1, 0, 1, 0, 2, 0, 0];
        let plan = Plan::decode(&form).unwrap();
        assert_eq!(plan.instructions[2].op, Op::Union(Slot(0), Slot(1)));
        assert_eq!(plan.checks.len(), 1);
        for end in 0..form.len() {
            assert!(Plan::decode(&form[..end]).is_err(), "cut at {end}");
        }
    }

    #[test]
    fn a_variable_may_be_taken_away_if_it_is_kept() {
        // v = po \ v never settles; v = v | (po \ v) does.
        assert!(Plan::decode(&[1, 0, 3, 0, 1, 8, 17, 1, 6, 1, 0, 1, 1, 1, 2, 1, 1, 2, 0]).is_err());
        let kept = [1, 0, 4, 0, 1, 8, 17, 1, 6, 1, 0, 1, 4, 1, 1, 2, 1, 1, 3, 1, 1, 3, 0];
        assert!(Plan::decode(&kept).is_ok());
    }

    #[test]
    fn sorts_are_checked() {
        // acyclic of a set
        assert!(Plan::decode(&[1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0]).is_err());
        // a set where `po` is promised, and an operand that comes later
        assert!(Plan::decode(&[1, 0, 1, 0, 0, 8, 0, 0]).is_err());
        assert!(Plan::decode(&[1, 0, 1, 10, 1, 0, 0, 0]).is_err());
    }

    #[test]
    fn a_variable_needs_its_group() {
        assert!(Plan::decode(&[1, 0, 1, 17, 1, 0, 0]).is_err());
        assert!(Plan::decode(&[1, 0, 2, 17, 1, 10, 1, 0, 1, 0, 1, 1, 0, 1, 0]).is_ok());
        // The complement of the result is fine outside the group.
        assert!(Plan::decode(&[1, 0, 3, 17, 1, 10, 1, 0, 7, 1, 1, 1, 0, 1, 1, 0, 1, 0]).is_ok());
        // The complement of itself has no least solution.
        assert!(Plan::decode(&[1, 0, 2, 17, 1, 7, 1, 0, 1, 0, 1, 1, 0, 1, 0]).is_err());
    }
}
