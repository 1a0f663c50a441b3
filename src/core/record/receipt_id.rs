//! Short receipt ids: five characters that a person can read aloud and type.

use std::fmt;

/// Crockford's base 32: without `I`, `L`, `O` and `U`, which are easily misread.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// The minimum number of characters: five hold 25 bits, each further one 5 bits more.
const SHORTEST: u32 = 5;

/// The maximum number of characters: twelve hold 60 bits, the limit of the arithmetic below.
const LONGEST: u32 = 12;

/// An odd number, so multiplying by it permutes the numbers below any power of two. It makes the ids of consecutive
/// receipts look different.
const SPREAD: u64 = 0x9E37_79B1;

/// A short receipt id: the receipt's number in the ledger, permuted and encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReceiptId(u64);

impl ReceiptId {
    pub fn from_number(number: u64) -> Self {
        Self(number)
    }

    pub fn number(self) -> u64 {
        self.0
    }

    /// Parses an id as a person types it: any case, and `O`, `I`, `L` as the digits they look like.
    pub fn parse(typed: &str) -> Option<Self> {
        let mut value: u64 = 0;
        let mut length = 0;
        for character in typed.trim().chars() {
            let digit = match character.to_ascii_uppercase() {
                'O' => 0,
                'I' | 'L' => 1,
                other => ALPHABET.iter().position(|&known| char::from(known) == other)? as u64,
            };
            value = value.checked_mul(32)?.checked_add(digit)?;
            length += 1;
        }
        if !(SHORTEST..=LONGEST).contains(&length) {
            return None;
        }
        let mask = (1_u64 << (5 * length)) - 1;
        let number = value.wrapping_mul(inverse(SPREAD)) & mask;
        (length_of(number) == length).then_some(Self(number))
    }
}

impl fmt::Display for ReceiptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = length_of(self.0);
        let mask = (1_u64 << (5 * length)) - 1;
        let value = self.0.wrapping_mul(SPREAD) & mask;
        (0..length).rev().try_for_each(|place| {
            let digit = (value >> (5 * place)) & 31;
            write!(f, "{}", char::from(ALPHABET[digit as usize]))
        })
    }
}

fn length_of(number: u64) -> u32 {
    let bits = u64::BITS - number.leading_zeros();
    bits.div_ceil(5).max(SHORTEST)
}

/// Returns the multiplicative inverse of an odd number modulo 2^64, by Newton's iteration.
fn inverse(odd: u64) -> u64 {
    (0..6).fold(odd, |guess, _| guess.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(guess))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_reads_back_as_typed() {
        for number in [1, 2, 31, 32, 33, 1_000, 33_554_431, 33_554_432, 1 << 40] {
            let id = ReceiptId::from_number(number);
            assert_eq!(ReceiptId::parse(&id.to_string()), Some(id), "{id}");
            assert_eq!(ReceiptId::parse(&format!(" {} ", id.to_string().to_lowercase())), Some(id));
        }
    }

    #[test]
    fn neighbours_do_not_look_alike() {
        let shown: Vec<_> = (1..=4).map(|number| ReceiptId::from_number(number).to_string()).collect();
        assert_eq!(shown, ["3EYDH", "6XWV2", "ACV8K", "DVSP4"]);
    }

    #[test]
    fn what_is_no_id_is_refused() {
        for typed in ["", "7F3", "7F3K!", "UUUUU", "0123456789ABCDEF"] {
            assert_eq!(ReceiptId::parse(typed), None, "{typed}");
        }
    }
}
