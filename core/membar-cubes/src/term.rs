//! Variables that hold values, and literals about them.

use std::cmp::Ordering;

use membar_ir::error::CoreError;

/// The value of a place that means "no process".
pub const NOBODY: u8 = u8::MAX;
/// The most indices of an array.
pub const DIMENSIONS: usize = 4;
const PROCESS: u16 = u16::MAX;
const CHOSEN: u8 = u8::MAX;
/// Factors and constants of a comparison stay far from where arithmetic would overflow.
const LARGEST: u64 = 1 << 60;

/// Something that has a value in a state: a cell, what a pending read will return, or a process variable itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// Which variable or array.
    pub symbol: u16,
    /// 0 for the cell itself, n + 1 for what is read in node n.
    pub node: u8,
    /// The process that reads, if it is a read.
    pub reader: u8,
    /// Process variables that are the indices; `NOBODY` after the last.
    pub index: [u8; DIMENSIONS],
}

impl Ord for Place {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Place {
    /// All of it in one number, by which places are ordered.
    fn key(self) -> u64 {
        let access = u32::from_be_bytes(self.index);
        let event = u16::from_be_bytes([self.node, self.reader]);
        u64::from(self.symbol) << 48 | u64::from(event) << 32 | u64::from(access)
    }

    /// The cell of a symbol.
    #[must_use]
    pub fn cell(symbol: u16, index: [u8; DIMENSIONS]) -> Self {
        Self { symbol, node: 0, reader: NOBODY, index }
    }

    /// A process variable.
    #[must_use]
    pub fn process(slot: u8) -> Self {
        Self { symbol: PROCESS, node: 0, reader: NOBODY, index: [slot, NOBODY, NOBODY, NOBODY] }
    }

    /// What `reader` reads from this cell in a node.
    #[must_use]
    pub fn read_in(self, node: u8, reader: u8) -> Self {
        Self { node: node + 1, reader, ..self }
    }

    /// The value that a transition chooses for this cell.
    #[must_use]
    pub fn choice_of(self) -> Self {
        Self { node: CHOSEN, ..self }
    }

    /// Whether a transition chose it.
    #[must_use]
    pub fn is_chosen(self) -> bool {
        self.node == CHOSEN
    }

    /// The cell that is read, or the cell itself.
    #[must_use]
    pub fn location(self) -> Self {
        Self { node: 0, reader: NOBODY, ..self }
    }

    /// The process variable that it is, if it is one.
    #[must_use]
    pub fn slot(self) -> Option<u8> {
        (self.symbol == PROCESS).then_some(self.index[0])
    }

    /// Whether it is what a pending read returns.
    #[must_use]
    pub fn is_read(self) -> bool {
        self.node != 0 && self.node != CHOSEN
    }

    /// Every process variable in it.
    pub fn slots(self) -> impl Iterator<Item = u8> {
        let reader = std::iter::once(self.reader).filter(|&slot| slot != NOBODY);
        self.index.into_iter().take_while(|&slot| slot != NOBODY).chain(reader)
    }

    /// The same with other process variables and nodes.
    #[must_use]
    pub fn rename(self, slots: &[u8], nodes: &[u8]) -> Self {
        let rename = |slot: u8| if slot == NOBODY { NOBODY } else { slots[slot as usize] };
        let node = if self.is_read() { nodes[self.node as usize - 1] + 1 } else { self.node };
        let [a, b, c, d] = self.index;
        Self {
            symbol: self.symbol,
            node,
            reader: rename(self.reader),
            index: [rename(a), rename(b), rename(c), rename(d)],
        }
    }
}

/// How two values compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Relation {
    Equal,
    Different,
    Less,
    AtMost,
}

/// A sum of places times whole numbers, plus a constant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Sum {
    /// Places in order, none with factor 0.
    pub parts: Vec<(Place, i64)>,
    /// What is added.
    pub constant: i64,
}

fn too_large() -> CoreError {
    CoreError::TooLarge("a number in a linear constraint")
}

impl Sum {
    /// One place.
    #[must_use]
    pub fn of(place: Place) -> Self {
        Self { parts: vec![(place, 1)], constant: 0 }
    }

    /// Adds `factor` times `other`.
    pub fn add(&mut self, other: &Self, factor: i64) -> Result<(), CoreError> {
        for &(place, number) in &other.parts {
            let number = number.checked_mul(factor).ok_or_else(too_large)?;
            match self.parts.binary_search_by_key(&place, |part| part.0) {
                Ok(at) => {
                    let sum = self.parts[at].1.checked_add(number).ok_or_else(too_large)?;
                    if sum == 0 {
                        self.parts.remove(at);
                    } else {
                        self.parts[at].1 = sum;
                    }
                }
                Err(at) if number != 0 => self.parts.insert(at, (place, number)),
                Err(_) => {}
            }
        }
        let constant = other.constant.checked_mul(factor).ok_or_else(too_large)?;
        self.constant = self.constant.checked_add(constant).ok_or_else(too_large)?;
        Ok(())
    }

    /// The same, multiplied.
    pub fn times(&self, factor: i64) -> Result<Self, CoreError> {
        let mut product = Self::default();
        product.add(self, factor)?;
        Ok(product)
    }
}

/// A sum compared with 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Linear {
    /// How.
    pub relation: Relation,
    /// What.
    pub sum: Sum,
    /// Whether values are reals.
    pub is_real: bool,
}

/// A literal, or what it is worth already.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Judged<T> {
    True,
    False,
    Open(T),
}

impl Linear {
    /// The comparison in its one form: no common factor, no `<` of integers, a positive first factor under `=`.
    pub fn new(mut relation: Relation, mut sum: Sum, is_real: bool) -> Result<Judged<Self>, CoreError> {
        if sum.parts.iter().any(|part| part.1.unsigned_abs() > LARGEST)
            || sum.constant.unsigned_abs() > LARGEST
        {
            return Err(too_large());
        }
        if relation == Relation::Less && !is_real {
            relation = Relation::AtMost;
            sum.constant = sum.constant.checked_add(1).ok_or_else(too_large)?;
        }
        if sum.parts.is_empty() {
            let holds = match relation {
                Relation::Equal => sum.constant == 0,
                Relation::Different => sum.constant != 0,
                Relation::Less => sum.constant < 0,
                Relation::AtMost => sum.constant <= 0,
            };
            return Ok(if holds { Judged::True } else { Judged::False });
        }
        let mut divisor = sum.parts.iter().fold(0u64, |divisor, part| gcd(divisor, part.1.unsigned_abs()));
        if is_real {
            divisor = gcd(divisor, sum.constant.unsigned_abs());
        }
        let symmetric = matches!(relation, Relation::Equal | Relation::Different);
        let mut divisor = i64::try_from(divisor).map_err(|_| too_large())?;
        if !is_real && symmetric && sum.constant % divisor != 0 {
            return Ok(if relation == Relation::Equal { Judged::False } else { Judged::True });
        }
        if symmetric && sum.parts[0].1 < 0 {
            divisor = -divisor;
        }
        for part in &mut sum.parts {
            part.1 = part.1.checked_div(divisor).ok_or_else(too_large)?;
        }
        // Under `<=` of integers the constant rounds up: the sum without it is whole.
        let constant = i128::from(sum.constant);
        let rounded = if symmetric || is_real {
            constant / i128::from(divisor)
        } else {
            -(-constant).div_euclid(i128::from(divisor))
        };
        sum.constant = i64::try_from(rounded).map_err(|_| too_large())?;
        Ok(Judged::Open(Self { relation, sum, is_real }))
    }

    /// What holds where it does not.
    pub fn negate(&self) -> Result<Judged<Self>, CoreError> {
        match self.relation {
            Relation::Equal => Self::new(Relation::Different, self.sum.clone(), self.is_real),
            Relation::Different => Self::new(Relation::Equal, self.sum.clone(), self.is_real),
            Relation::Less => Self::new(Relation::AtMost, self.sum.times(-1)?, self.is_real),
            Relation::AtMost => Self::new(Relation::Less, self.sum.times(-1)?, self.is_real),
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Something said about a state.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Literal {
    /// The value of a place of a finite type is one of these: bit n for constructor n.
    In(Place, u64),
    /// Two values that are not numbers compare so.
    Compare(Relation, Place, Place),
    /// A sum of numbers compares so with 0.
    Linear(Linear),
}

impl Literal {
    /// Every place in it.
    pub fn places(&self) -> impl Iterator<Item = Place> {
        let (pair, parts): (Vec<Place>, &[(Place, i64)]) = match self {
            Self::In(place, _) => (vec![*place], &[]),
            Self::Compare(_, a, b) => (vec![*a, *b], &[]),
            Self::Linear(linear) => (Vec::new(), &linear.sum.parts),
        };
        pair.into_iter().chain(parts.iter().map(|part| part.0))
    }

    /// The same with other process variables and nodes.
    #[must_use]
    pub fn rename(&self, slots: &[u8], nodes: &[u8]) -> Self {
        match self {
            Self::In(place, values) => Self::In(place.rename(slots, nodes), *values),
            Self::Compare(relation, a, b) => {
                compare(*relation, a.rename(slots, nodes), b.rename(slots, nodes))
            }
            Self::Linear(linear) => {
                let renamed = |&(place, factor): &(Place, i64)| (place.rename(slots, nodes), factor);
                let mut parts: Vec<_> = linear.sum.parts.iter().map(renamed).collect();
                parts.sort_unstable();
                let symmetric = matches!(linear.relation, Relation::Equal | Relation::Different);
                let mut constant = linear.sum.constant;
                if symmetric && parts.first().is_some_and(|part| part.1 < 0) {
                    // Numbers of a normal form are at most `LARGEST`: nothing saturates.
                    for part in &mut parts {
                        part.1 = part.1.saturating_neg();
                    }
                    constant = constant.saturating_neg();
                }
                let sum = Sum { parts, constant };
                Self::Linear(Linear { relation: linear.relation, sum, is_real: linear.is_real })
            }
        }
    }
}

/// A comparison with the smaller place first where the order means nothing.
#[must_use]
pub fn compare(relation: Relation, a: Place, b: Place) -> Literal {
    match relation {
        Relation::Equal | Relation::Different if b < a => Literal::Compare(relation, b, a),
        _ => Literal::Compare(relation, a, b),
    }
}
