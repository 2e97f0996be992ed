//! Formulas of a system with processes substituted: literals and values.

use crate::conjunctions::{self, Facts};
use crate::system::{Access, Alternatives, Condition, Process, Sort, System, Term};
use crate::term::{DIMENSIONS, Judged, Linear, Literal, NOBODY, Place, Relation, Sum, compare};
use membar_ir::error::CoreError;

/// Which process each variable of a formula is, and in which node its weak reads are.
#[derive(Debug, Clone, Copy)]
pub struct Bindings<'a> {
    /// The process of each variable.
    pub slots: &'a [u8],
    /// The node of reads.
    pub node: u8,
}

/// A value that a place gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A constructor of a finite type.
    Constructor(u8),
    /// The value of another place, or a process.
    Place(Place),
    /// A number: a sum divided by a positive number.
    Sum(Sum, i64),
    /// What it had.
    Unchanged,
}

impl Bindings<'_> {
    fn process(&self, process: Process) -> u8 {
        match process {
            Process::Variable(number) => self.slots[number as usize],
            Process::Constant(number) => number,
        }
    }

    /// The cell of an access, whoever reads it.
    #[must_use]
    pub fn location(&self, access: &Access) -> Place {
        let mut index = [NOBODY; DIMENSIONS];
        for (place, &process) in index.iter_mut().zip(&access.index) {
            *place = self.process(process);
        }
        Place::cell(access.symbol, index)
    }

    /// The cell of an access, or what is read from it.
    #[must_use]
    pub fn place(&self, access: &Access) -> Place {
        let location = self.location(access);
        match access.reader {
            Some(reader) => location.read_in(self.node, self.process(reader)),
            None => location,
        }
    }

    fn sum(&self, parts: &[(Access, i64)], constant: i64) -> Result<Sum, CoreError> {
        let mut sum = Sum { parts: Vec::new(), constant };
        for (access, factor) in parts {
            sum.add(&Sum::of(self.place(access)), *factor)?;
        }
        Ok(sum)
    }

    /// A term as a value; `target` is the cell that gets it.
    pub fn value(&self, term: &Term, target: Place, system: &System) -> Result<Value, CoreError> {
        let is_number = matches!(system.sorts.of(target), Sort::Integer | Sort::Real);
        let at = |place: Place| if is_number { Value::Sum(Sum::of(place), 1) } else { Value::Place(place) };
        Ok(match term {
            Term::Process(process) => Value::Place(Place::process(self.process(*process))),
            Term::Constructor(number) => Value::Constructor(*number),
            Term::Access(access) => at(self.place(access)),
            Term::Linear(parts, constant, divisor) => Value::Sum(self.sum(parts, *constant)?, *divisor),
            Term::Any => at(target.location().choice_of()),
        })
    }

    /// A condition as a literal.
    pub fn literal(&self, condition: &Condition, system: &System) -> Result<Judged<Literal>, CoreError> {
        match condition {
            Condition::Linear(relation, parts, constant) => {
                let is_real =
                    |part: &(Access, i64)| system.symbols[part.0.symbol as usize].sort == Sort::Real;
                let sum = self.sum(parts, *constant)?;
                Ok(open(Linear::new(*relation, sum, parts.iter().any(is_real))?))
            }
            Condition::Compare(relation, a, b) => {
                let side = |term: &Term| match term {
                    Term::Process(process) => Some(Value::Place(Place::process(self.process(*process)))),
                    Term::Constructor(number) => Some(Value::Constructor(*number)),
                    Term::Access(access) => Some(Value::Place(self.place(access))),
                    Term::Linear(..) | Term::Any => None,
                };
                match (side(a), side(b)) {
                    (Some(a), Some(b)) => Ok(compare_values(*relation, &a, &b)),
                    _ => Err(CoreError::Unsupported("a comparison of numbers with something else")),
                }
            }
        }
    }
}

fn open(judged: Judged<Linear>) -> Judged<Literal> {
    match judged {
        Judged::True => Judged::True,
        Judged::False => Judged::False,
        Judged::Open(linear) => Judged::Open(Literal::Linear(linear)),
    }
}

/// Two values that are not numbers, compared.
#[must_use]
pub fn compare_values(relation: Relation, a: &Value, b: &Value) -> Judged<Literal> {
    let among = |place: Place, number: u8| {
        let one = 1u64 << number;
        Judged::Open(Literal::In(place, if relation == Relation::Equal { one } else { !one }))
    };
    match (a, b) {
        (Value::Constructor(a), Value::Constructor(b)) => {
            if (a == b) == (relation == Relation::Equal) {
                Judged::True
            } else {
                Judged::False
            }
        }
        (Value::Place(place), Value::Constructor(number))
        | (Value::Constructor(number), Value::Place(place)) => among(*place, *number),
        (Value::Place(a), Value::Place(b)) => match (a.slot(), b.slot(), relation) {
            (Some(a), Some(b), Relation::Equal) => {
                if a == b {
                    Judged::True
                } else {
                    Judged::False
                }
            }
            (Some(a), Some(b), Relation::Different) => {
                if a == b {
                    Judged::False
                } else {
                    Judged::True
                }
            }
            (Some(a), Some(b), Relation::Less) if a == b => Judged::False,
            (Some(a), Some(b), Relation::AtMost) if a == b => Judged::True,
            _ => Judged::Open(compare(relation, *a, *b)),
        },
        // Numbers are compared as sums; nothing else is left.
        _ => Judged::False,
    }
}

/// Adds conditions to facts; false if they cannot hold, as far as one sees at once.
pub fn conditions_hold(
    conditions: &[Condition],
    bindings: &Bindings<'_>,
    facts: &mut Facts,
    system: &System,
) -> Result<bool, CoreError> {
    for condition in conditions {
        let holds = match bindings.literal(condition, system)? {
            Judged::True => true,
            Judged::False => false,
            Judged::Open(literal) => facts.add(&literal, &system.sorts)?,
        };
        if !holds {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Literals that hold together with a value.
pub type Branch = (Vec<Literal>, Value);

/// The ways in which a cell can get its value by cases, the first that holds; `bindings` include its indices.
pub fn branches(
    cases: &[(Alternatives, Term)],
    target: Place,
    bindings: &Bindings<'_>,
    system: &System,
) -> Result<Vec<Branch>, CoreError> {
    let mut found = Vec::new();
    let mut earlier: Vec<Vec<Literal>> = vec![Vec::new()];
    for (alternatives, term) in cases {
        let value = bindings.value(term, target, system)?;
        let mut excluded = vec![Vec::new()];
        for conjunction in alternatives {
            let Some(literals) = literals_of(conjunction, bindings, system)? else { continue };
            for before in &earlier {
                found.push(([before.as_slice(), literals.as_slice()].concat(), value.clone()));
            }
            excluded = excluding(&excluded, &literals)?;
        }
        earlier = product(&earlier, &excluded);
        if earlier.is_empty() {
            return Ok(found);
        }
    }
    found.extend(earlier.into_iter().map(|literals| (literals, Value::Unchanged)));
    Ok(found)
}

/// The literals of a conjunction that are not plainly true; None if one is plainly false.
fn literals_of(
    conjunction: &[Condition],
    bindings: &Bindings<'_>,
    system: &System,
) -> Result<Option<Vec<Literal>>, CoreError> {
    let mut literals = Vec::new();
    for condition in conjunction {
        match bindings.literal(condition, system)? {
            Judged::True => {}
            Judged::False => return Ok(None),
            Judged::Open(literal) => literals.push(literal),
        }
    }
    Ok(Some(literals))
}

/// Each of `lists` with the negation of one of `literals`.
fn excluding(lists: &[Vec<Literal>], literals: &[Literal]) -> Result<Vec<Vec<Literal>>, CoreError> {
    let mut result = Vec::new();
    for literal in literals {
        match conjunctions::negate(literal)? {
            Judged::True => result.extend(lists.iter().cloned()),
            Judged::False => {}
            Judged::Open(negation) => {
                result.extend(
                    lists.iter().map(|list| [list.as_slice(), std::slice::from_ref(&negation)].concat()),
                );
            }
        }
    }
    Ok(result)
}

fn product(one: &[Vec<Literal>], other: &[Vec<Literal>]) -> Vec<Vec<Literal>> {
    one.iter().flat_map(|a| other.iter().map(move |b| [a.as_slice(), b.as_slice()].concat())).collect()
}

/// A literal in which places have got values.
pub fn substitute(literal: &Literal, values: &[(Place, Value)]) -> Result<Judged<Literal>, CoreError> {
    let value_of = |place: Place| {
        let given = values.iter().find(|one| one.0 == place).map(|one| &one.1);
        given.filter(|value| **value != Value::Unchanged)
    };
    let at = |place: Place| value_of(place).cloned().unwrap_or(Value::Place(place));
    match literal {
        Literal::In(place, allowed) => Ok(match at(*place) {
            Value::Constructor(number) => {
                if allowed >> number & 1 == 1 {
                    Judged::True
                } else {
                    Judged::False
                }
            }
            Value::Place(other) => Judged::Open(Literal::In(other, *allowed)),
            Value::Sum(..) | Value::Unchanged => Judged::False,
        }),
        Literal::Compare(relation, a, b) => Ok(compare_values(*relation, &at(*a), &at(*b))),
        Literal::Linear(linear) => {
            let mut sum = Sum { parts: Vec::new(), constant: linear.sum.constant };
            let mut scale = 1i64;
            for &(place, factor) in &linear.sum.parts {
                match value_of(place) {
                    Some(Value::Sum(value, divisor)) if *divisor != 1 => {
                        sum = sum.times(*divisor)?;
                        let factor = factor.checked_mul(scale).ok_or(CoreError::TooLarge("a factor"))?;
                        sum.add(value, factor)?;
                        scale = scale.checked_mul(*divisor).ok_or(CoreError::TooLarge("a factor"))?;
                    }
                    given => {
                        let factor = factor.checked_mul(scale).ok_or(CoreError::TooLarge("a factor"))?;
                        match given {
                            Some(Value::Sum(value, _)) => sum.add(value, factor)?,
                            _ => sum.add(&Sum::of(place), factor)?,
                        }
                    }
                }
            }
            Ok(open(Linear::new(linear.relation, sum, linear.is_real)?))
        }
    }
}
