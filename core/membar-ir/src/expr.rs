//! Expressions: postfix code on 64-bit words, with the semantics of `program/expr.py`.
//!
//! Form: the number of code words, then the code. `Constant` and `Register` are followed by their operand, `Extend`
//! by its width (1 to 64) and a flag for the sign; all other codes have no operand. `Select` takes condition, then,
//! otherwise from the stack: expressions have no effects, so both branches may be computed. Invariant after
//! decoding: the code never underflows and leaves exactly one word.

use crate::error::CoreError;
use crate::floats;
use crate::origins::Origins;
use crate::words::Words;

/// A register of one thread, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Register(pub u32);

impl Register {
    /// As an index into the thread's registers.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One step of the stack machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of program/expr.py")]
pub enum Code {
    Constant(u64),
    Register(Register),
    Unary(Unary),
    Binary(Binary),
    /// The low bits, given by how far they are shifted up, and whether the top one is copied down.
    Extend {
        shift: u32,
        signed: bool,
    },
    Select,
}

impl Code {
    /// How many operands it takes from the stack.
    #[must_use]
    pub fn operands(self) -> usize {
        match self {
            Self::Constant(_) | Self::Register(_) => 0,
            Self::Unary(_) | Self::Extend { .. } => 1,
            Self::Binary(_) => 2,
            Self::Select => 3,
        }
    }

    /// What it makes of these operands.
    #[must_use]
    pub fn apply(self, operands: &[u64]) -> u64 {
        match (self, operands) {
            (Self::Binary(op), &[left, right]) => binary(op, left, right),
            (Self::Select, &[condition, then, otherwise]) => {
                if condition == 0 {
                    otherwise
                } else {
                    then
                }
            }
            (Self::Unary(op), &[operand]) => unary(op, operand),
            (Self::Extend { shift, signed }, &[operand]) => extend(shift, signed, operand),
            (Self::Constant(value), _) => value,
            _ => 0,
        }
    }
}

/// Operators with one operand, in the order of `UnaryOp` in `program/expr.py`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of program/expr.py")]
pub enum Unary {
    Negate,
    Invert,
    Not,
    Sqrt,
    F64OfF32,
    F32OfF64,
    F64OfI64,
    F64OfU64,
    F32OfI64,
    F32OfU64,
    I64OfF64,
    U64OfF64,
}

const UNARY: [Unary; 12] = [
    Unary::Negate,
    Unary::Invert,
    Unary::Not,
    Unary::Sqrt,
    Unary::F64OfF32,
    Unary::F32OfF64,
    Unary::F64OfI64,
    Unary::F64OfU64,
    Unary::F32OfI64,
    Unary::F32OfU64,
    Unary::I64OfF64,
    Unary::U64OfF64,
];

/// Operators with two operands, in the order of `BinaryOp` in `program/expr.py`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of program/expr.py")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Sdiv,
    Rem,
    Srem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Sar,
    Eq,
    Ne,
    Lt,
    Le,
    Slt,
    Sle,
    Fadd,
    Fsub,
    Fmul,
    Fdiv,
    Frem,
    Feq,
    Flt,
    Fle,
    Fexact,
}

const BINARY: [Binary; 28] = [
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Sdiv,
    Binary::Rem,
    Binary::Srem,
    Binary::And,
    Binary::Or,
    Binary::Xor,
    Binary::Shl,
    Binary::Shr,
    Binary::Sar,
    Binary::Eq,
    Binary::Ne,
    Binary::Lt,
    Binary::Le,
    Binary::Slt,
    Binary::Sle,
    Binary::Fadd,
    Binary::Fsub,
    Binary::Fmul,
    Binary::Fdiv,
    Binary::Frem,
    Binary::Feq,
    Binary::Flt,
    Binary::Fle,
    Binary::Fexact,
];

/// Number of the first operator in the form: those with one operand, then those with two.
const FIRST_OPERATOR: u64 = 4;

/// An expression over the registers of one thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expr {
    code: Box<[Code]>,
    registers: Box<[Register]>,
    has_selection: bool,
}

impl Expr {
    /// The constant `value`.
    #[must_use]
    pub fn constant(value: u64) -> Self {
        Self { code: Box::new([Code::Constant(value)]), registers: Box::new([]), has_selection: false }
    }

    /// The same with 0 for each constant.
    #[must_use]
    pub fn without_constants(&self) -> Self {
        let blank = |&code: &Code| if matches!(code, Code::Constant(_)) { Code::Constant(0) } else { code };
        Self { code: self.code.iter().map(blank).collect(), ..self.clone() }
    }

    /// Its value, if it is a constant.
    #[must_use]
    pub fn as_constant(&self) -> Option<u64> {
        match *self.code {
            [Code::Constant(value)] => Some(value),
            _ => None,
        }
    }

    /// Reads an expression over `registers` registers.
    pub fn decode(words: &mut Words<'_>, registers: usize) -> Result<Self, CoreError> {
        let count = words.count()?;
        let mut code = Vec::with_capacity(count);
        let mut used = Vec::new();
        let mut read = 0;
        let mut depth = 0_usize;
        while read < count {
            let (step, length) = decode_step(words, registers)?;
            read += length;
            let left = depth.checked_sub(step.operands());
            depth = left.ok_or_else(|| words.malformed("the expression underflows"))? + 1;
            if let Code::Register(register) = step
                && !used.contains(&register)
            {
                used.push(register);
            }
            code.push(step);
        }
        if read != count || depth != 1 {
            return Err(words.malformed("the expression does not leave one value"));
        }
        let has_selection = code.contains(&Code::Select);
        Ok(Self { code: code.into(), registers: used.into(), has_selection })
    }

    /// Its code, operands before operators.
    #[must_use]
    pub fn code(&self) -> &[Code] {
        &self.code
    }

    /// The registers that occur in it, each once.
    #[must_use]
    pub fn registers(&self) -> &[Register] {
        &self.registers
    }

    /// Its value in another domain: `leaf` says what constants and registers are there, `apply` what operators do.
    pub fn interpret<T>(
        &self,
        mut leaf: impl FnMut(Code) -> T,
        mut apply: impl FnMut(Code, Vec<T>) -> T,
    ) -> Option<T> {
        let mut stack = Vec::new();
        for &code in &self.code {
            let value = match code.operands() {
                0 => leaf(code),
                count => {
                    let operands = stack.split_off(stack.len().checked_sub(count)?);
                    apply(code, operands)
                }
            };
            stack.push(value);
        }
        stack.pop()
    }

    /// Its value.
    #[must_use]
    pub fn evaluate(&self, registers: &[u64], stack: &mut Vec<u64>) -> u64 {
        match *self.code {
            [Code::Constant(value)] => return value,
            [Code::Register(register)] => return read(registers, register),
            _ => {}
        }
        stack.clear();
        for &code in &self.code {
            match code {
                Code::Constant(value) => stack.push(value),
                Code::Register(register) => stack.push(read(registers, register)),
                Code::Binary(op) => {
                    let right = stack.pop().unwrap_or_default();
                    let left = stack.pop().unwrap_or_default();
                    stack.push(binary(op, left, right));
                }
                Code::Select => {
                    let otherwise = stack.pop().unwrap_or_default();
                    let then = stack.pop().unwrap_or_default();
                    let condition = stack.pop().unwrap_or_default();
                    stack.push(if condition == 0 { otherwise } else { then });
                }
                Code::Unary(op) => {
                    let operand = stack.pop().unwrap_or_default();
                    stack.push(unary(op, operand));
                }
                Code::Extend { shift, signed } => {
                    let operand = stack.pop().unwrap_or_default();
                    stack.push(extend(shift, signed, operand));
                }
            }
        }
        debug_assert_eq!(stack.len(), 1, "decoding checked the depth");
        stack.pop().unwrap_or_default()
    }

    /// Where its value comes from, given that of each register, `without` one of them.
    #[must_use]
    pub fn origins(&self, known: &[Origins], registers: &[u64], without: Option<Register>) -> Origins {
        let of = |register: Register| known.get(register.index()).filter(|_| Some(register) != without);
        if self.has_selection {
            return self.origins_by_value(of, registers);
        }
        let mut origins = Origins::default();
        for known in self.registers.iter().filter_map(|&register| of(register)) {
            origins.extend(known);
        }
        origins
    }

    /// A selection passes on the data of what it takes, so values must be computed alongside.
    fn origins_by_value<'a>(
        &self,
        of: impl Fn(Register) -> Option<&'a Origins>,
        registers: &[u64],
    ) -> Origins {
        let mut stack: Vec<(u64, Origins)> = Vec::new();
        for &code in &self.code {
            let top = match code {
                Code::Constant(value) => (value, Origins::default()),
                Code::Register(register) => {
                    (read(registers, register), of(register).cloned().unwrap_or_default())
                }
                Code::Binary(op) => {
                    let right = stack.pop().unwrap_or_default();
                    let mut left = stack.pop().unwrap_or_default();
                    left.1.extend(&right.1);
                    (binary(op, left.0, right.0), left.1)
                }
                Code::Select => {
                    let otherwise = stack.pop().unwrap_or_default();
                    let then = stack.pop().unwrap_or_default();
                    let condition = stack.pop().unwrap_or_default();
                    let mut taken = if condition.0 == 0 { otherwise } else { then };
                    taken.1.pick_by(&condition.1);
                    taken
                }
                Code::Unary(_) | Code::Extend { .. } => {
                    let operand = stack.pop().unwrap_or_default();
                    (code.apply(&[operand.0]), operand.1)
                }
            };
            stack.push(top);
        }
        stack.pop().unwrap_or_default().1
    }
}

fn read(registers: &[u64], register: Register) -> u64 {
    registers.get(register.index()).copied().unwrap_or_default()
}

fn decode_step(words: &mut Words<'_>, registers: usize) -> Result<(Code, usize), CoreError> {
    Ok(match words.word()? {
        0 => (Code::Constant(words.word()?), 2),
        1 => {
            let index = words.index(registers, "unknown register")?;
            let number = u32::try_from(index).map_err(|_| CoreError::TooLarge("number of registers"))?;
            (Code::Register(Register(number)), 2)
        }
        2 => {
            let width = words.word()?;
            let shift = match width {
                1..=64 => 64 - u32::try_from(width).map_err(|_| words.malformed("width"))?,
                _ => return Err(words.malformed("a width is 1 to 64")),
            };
            (Code::Extend { shift, signed: words.flag()? }, 3)
        }
        3 => (Code::Select, 1),
        code => {
            let index =
                usize::try_from(code - FIRST_OPERATOR).map_err(|_| words.malformed("unknown operator"))?;
            let unary = UNARY.get(index).map(|&op| Code::Unary(op));
            let binary = || BINARY.get(index - UNARY.len()).map(|&op| Code::Binary(op));
            (unary.or_else(binary).ok_or_else(|| words.malformed("unknown operator"))?, 1)
        }
    })
}

fn extend(shift: u32, signed: bool, operand: u64) -> u64 {
    if signed {
        ((operand << shift).cast_signed() >> shift).cast_unsigned()
    } else {
        (operand << shift) >> shift
    }
}

fn unary(op: Unary, operand: u64) -> u64 {
    match op {
        Unary::Negate => operand.wrapping_neg(),
        Unary::Invert => !operand,
        Unary::Not => u64::from(operand == 0),
        _ => floats::unary(op, operand),
    }
}

fn binary(op: Binary, left: u64, right: u64) -> u64 {
    let (signed_left, signed_right) = (left.cast_signed(), right.cast_signed());
    match op {
        Binary::Add => left.wrapping_add(right),
        Binary::Sub => left.wrapping_sub(right),
        Binary::Mul => left.wrapping_mul(right),
        Binary::Div => left.checked_div(right).unwrap_or(0),
        Binary::Sdiv if right == 0 => 0,
        Binary::Sdiv => signed_left.wrapping_div(signed_right).cast_unsigned(),
        Binary::Rem => left.checked_rem(right).unwrap_or(left),
        Binary::Srem if right == 0 => left,
        Binary::Srem => signed_left.wrapping_rem(signed_right).cast_unsigned(),
        Binary::And => left & right,
        Binary::Or => left | right,
        Binary::Xor => left ^ right,
        Binary::Shl => shift_by(right).and_then(|by| left.checked_shl(by)).unwrap_or(0),
        Binary::Shr => shift_by(right).and_then(|by| left.checked_shr(by)).unwrap_or(0),
        Binary::Sar => (signed_left >> shift_by(right).unwrap_or(63).min(63)).cast_unsigned(),
        Binary::Eq => u64::from(left == right),
        Binary::Ne => u64::from(left != right),
        Binary::Lt => u64::from(left < right),
        Binary::Le => u64::from(left <= right),
        Binary::Slt => u64::from(signed_left < signed_right),
        Binary::Sle => u64::from(signed_left <= signed_right),
        _ => floats::binary(op, left, right),
    }
}

fn shift_by(amount: u64) -> Option<u32> {
    u32::try_from(amount).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(form: &[u64], registers: &[u64]) -> u64 {
        let mut words = Words::new(form);
        let expr = Expr::decode(&mut words, registers.len()).unwrap();
        words.end().unwrap();
        expr.evaluate(registers, &mut Vec::new())
    }

    fn apply(op: Binary, left: u64, right: u64) -> u64 {
        let code = (UNARY.len() + BINARY.iter().position(|&b| b == op).unwrap()) as u64 + FIRST_OPERATOR;
        value(&[5, 0, left, 0, right, code], &[])
    }

    #[test]
    fn arithmetic_wraps() {
        assert_eq!(apply(Binary::Add, u64::MAX, 2), 1);
        assert_eq!(apply(Binary::Sub, 1, 2), u64::MAX);
        assert_eq!(apply(Binary::Mul, 1 << 63, 2), 0);
    }

    #[test]
    fn division_by_zero_is_defined() {
        assert_eq!(apply(Binary::Div, 7, 0), 0);
        assert_eq!(apply(Binary::Sdiv, 7, 0), 0);
        assert_eq!(apply(Binary::Rem, 7, 0), 7);
        assert_eq!(apply(Binary::Srem, 7, 0), 7);
        assert_eq!(apply(Binary::Sdiv, 1 << 63, u64::MAX), 1 << 63);
        assert_eq!(apply(Binary::Sdiv, 7_u64.wrapping_neg(), 2), 3_u64.wrapping_neg());
        assert_eq!(apply(Binary::Srem, 7_u64.wrapping_neg(), 2), 1_u64.wrapping_neg());
    }

    #[test]
    fn wide_shifts_give_zero_or_the_sign() {
        assert_eq!(apply(Binary::Shl, 1, 64), 0);
        assert_eq!(apply(Binary::Shl, 1, 1 << 40), 0);
        assert_eq!(apply(Binary::Shr, u64::MAX, 64), 0);
        assert_eq!(apply(Binary::Sar, 1 << 63, 1 << 40), u64::MAX);
        assert_eq!(apply(Binary::Sar, 4, 1), 2);
    }

    #[test]
    fn extension_and_selection() {
        assert_eq!(value(&[5, 0, 0x1ff, 2, 8, 1], &[]), u64::MAX);
        assert_eq!(value(&[5, 0, 0x1ff, 2, 8, 0], &[]), 0xff);
        assert_eq!(value(&[7, 1, 0, 0, 11, 0, 22, 3], &[1]), 11);
        assert_eq!(value(&[7, 1, 0, 0, 11, 0, 22, 3], &[0]), 22);
    }

    #[test]
    fn malformed_code_is_refused() {
        for form in [&[0][..], &[1, 7], &[2, 1, 3], &[4, 0, 1, 0, 2], &[5, 0, 1, 2, 65, 0], &[1, 99], &[2, 0]]
        {
            assert!(Expr::decode(&mut Words::new(form), 1).is_err(), "{form:?}");
        }
    }
}
