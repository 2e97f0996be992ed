//! What operators compute for floating-point numbers, with the semantics of `program/floats.py`.

use crate::expr::{Binary, Unary};

/// The bits of every result of 64 bits that is not a number.
const NAN: u64 = 0x7FF8 << 48;
const NAN32: u32 = 0x7FC0 << 16;

fn word(value: f64) -> u64 {
    if value.is_nan() { NAN } else { value.to_bits() }
}

fn word32(value: f32) -> u64 {
    u64::from(if value.is_nan() { NAN32 } else { value.to_bits() })
}

/// An operator with one operand.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "these conversions round and saturate"
)]
pub(crate) fn unary(op: Unary, operand: u64) -> u64 {
    let value = f64::from_bits(operand);
    match op {
        Unary::Sqrt => word(value.sqrt()),
        Unary::F64OfF32 => word(f64::from(f32::from_bits(operand as u32))),
        Unary::F32OfF64 => word32(value as f32),
        Unary::F64OfI64 => word(operand.cast_signed() as f64),
        Unary::F64OfU64 => word(operand as f64),
        Unary::F32OfI64 => word32(operand.cast_signed() as f32),
        Unary::F32OfU64 => word32(operand as f32),
        Unary::I64OfF64 => (value as i64).cast_unsigned(),
        Unary::U64OfF64 => value as u64,
        Unary::Negate | Unary::Invert | Unary::Not => operand,
    }
}

/// An operator with two operands.
#[expect(clippy::float_cmp, reason = "it is the comparison of the program")]
pub(crate) fn binary(op: Binary, left: u64, right: u64) -> u64 {
    let (one, other) = (f64::from_bits(left), f64::from_bits(right));
    match op {
        Binary::Fadd => word(one + other),
        Binary::Fsub => word(one - other),
        Binary::Fmul => word(one * other),
        Binary::Fdiv => word(one / other),
        Binary::Frem => word(one % other),
        Binary::Feq => u64::from(one == other),
        Binary::Flt => u64::from(one < other),
        Binary::Fle => u64::from(one <= other),
        Binary::Fexact => u64::from(is_product_exact(one, other)),
        _ => 0,
    }
}

/// Whether a product is not rounded; that of an infinity is not.
fn is_product_exact(left: f64, right: f64) -> bool {
    let product = left * right;
    if !product.is_finite() {
        return !(left.is_finite() && right.is_finite());
    }
    let ((one, shift), (other, shifted)) = (parts(left), parts(right));
    let (found, exponent) = parts(product);
    reduce(one * other, shift + shifted) == reduce(found, exponent)
}

/// A finite number without its sign as an integer and a power of two.
fn parts(value: f64) -> (u128, i32) {
    let bits = value.to_bits();
    let fraction = u128::from(bits & ((1 << 52) - 1));
    match i32::try_from(bits >> 52 & 0x7FF).unwrap_or_default() {
        0 => (fraction, -1074),
        exponent => (fraction | 1 << 52, exponent - 1075),
    }
}

/// The same number with an odd integer.
fn reduce(integer: u128, exponent: i32) -> (u128, i32) {
    if integer == 0 {
        return (0, 0);
    }
    let zeros = integer.trailing_zeros();
    (integer >> zeros, exponent + zeros.cast_signed())
}
