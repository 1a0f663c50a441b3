//! Lays out groups as fields of a reply, within Discord's limits, and counts the omitted metrics.

use super::format::TEXTS;
use super::reading::Group;
use candor_core::language::{Language, say_from};
use candor_core::reply::Field;
use candor_core::text::utf16_length;

/// See Discord's documentation, "Embed Limits". Lengths are in UTF-16 units, which is never more lenient than Discord's
/// own count.
const FIELDS_MAX: usize = 25;
const VALUE_LENGTH_MAX: usize = 1_024;
/// An embed may have 6,000 in total. The rest is for heading, notes and footer.
const FIELDS_LENGTH_MAX: usize = 4_500;
/// Room for `and 1234567 more`, in any language.
const REMARK_LENGTH: usize = 20;

/// Returns the fields, and the number of metrics omitted because their group does not fit.
pub(super) fn fields(groups: &[Group], language: Language) -> (Vec<Field>, usize) {
    let mut fields = Vec::new();
    let mut left = FIELDS_LENGTH_MAX;
    for group in groups.iter().take(FIELDS_MAX) {
        let field = Field { name: group.label.clone(), value: value(group, language) };
        let length = utf16_length(&field.name) + utf16_length(&field.value);
        if left < length {
            break;
        }
        left -= length;
        fields.push(field);
    }
    let left_out = groups.iter().skip(fields.len()).map(|group| group.lines.len()).sum();
    (fields, left_out)
}

fn value(Group { label: heading, lines, .. }: &Group, language: Language) -> String {
    let mut value = String::new();
    for (index, line) in lines.iter().enumerate() {
        let text = match &line.label {
            // An operator may give a group and its only metric the same name.
            Some(label) if label == heading => line.text.clone(),
            Some(label) => format!("{label}: {}", line.text),
            None => line.text.clone(),
        };
        if VALUE_LENGTH_MAX < utf16_length(&value) + 1 + utf16_length(&text) + REMARK_LENGTH {
            return format!("{value}\n{}", say_from!(TEXTS, language, "more-lines", n = lines.len() - index));
        }
        if !value.is_empty() {
            value.push('\n');
        }
        value.push_str(&text);
    }
    value
}
