//! As much of protobuf's wire format as traces need, read without the crate that writes them.

/// A field of a message: its number, and what it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Field<'a> {
    /// A number: a varint or a fixed one.
    Number(u64, u64),
    /// A text, bytes or a message.
    Bytes(u64, &'a [u8]),
}

/// The fields of a message, in order.
pub(crate) fn fields(mut message: &[u8]) -> Vec<Field<'_>> {
    let mut fields = Vec::new();
    while !message.is_empty() {
        let key = varint(&mut message);
        let number = key >> 3;
        fields.push(match key & 7 {
            0 => Field::Number(number, varint(&mut message)),
            1 => Field::Number(number, u64::from_le_bytes(taken(&mut message, 8).try_into().unwrap())),
            2 => {
                let length = usize::try_from(varint(&mut message)).unwrap();
                Field::Bytes(number, taken(&mut message, length))
            }
            5 => Field::Number(number, u32::from_le_bytes(taken(&mut message, 4).try_into().unwrap()).into()),
            other => panic!("wire type {other}"),
        });
    }
    fields
}

/// What the fields with this number hold.
pub(crate) fn bytes_of(message: &[u8], number: u64) -> Vec<&[u8]> {
    let of_number = |field| match field {
        Field::Bytes(of, bytes) if of == number => Some(bytes),
        _ => None,
    };
    fields(message).into_iter().filter_map(of_number).collect()
}

/// The text of a field; empty if it is not there.
pub(crate) fn text_of(message: &[u8], number: u64) -> String {
    let bytes = bytes_of(message, number).first().copied().unwrap_or_default();
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn taken<'a>(message: &mut &'a [u8], length: usize) -> &'a [u8] {
    let (taken, rest) = message.split_at(length);
    *message = rest;
    taken
}

fn varint(message: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = taken(message, 1)[0];
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    value
}
