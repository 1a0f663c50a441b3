//! Checks `channel_types`: the channel types that an option accepts.

use std::collections::BTreeSet;

use crate::contract::check::findings::Findings;
use crate::contract::manifest::WrittenOption;
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::text::nearest;

/// The words that `channel_types` accepts, with Discord's numbers. See Discord's documentation, "Channel Types".
const TYPES: [(&str, &[u8]); 11] = [
    ("text", &[0]),
    ("voice", &[2]),
    ("category", &[4]),
    ("announcement", &[5]),
    ("announcement-thread", &[10]),
    ("public-thread", &[11]),
    ("private-thread", &[12]),
    ("thread", &[10, 11, 12]),
    ("stage", &[13]),
    ("forum", &[15]),
    ("media", &[16]),
];

/// Returns the manifest's channel types if it lists any, otherwise those of the signature.
pub(crate) fn narrowed(own: &[u8], written: &WrittenOption, found: &mut Findings) -> Vec<u8> {
    let Some(list) = &written.channel_types else { return own.to_vec() };
    let listed = || TYPES.map(|(word, _)| format!("\"{word}\"")).join(", ");
    if list.value.is_empty() {
        found.at(Code::ManifestValueInvalid, &list.span).label("no channel would do").report(
            format!("`channel_types` of `{}` is an empty list", written.name.value),
            format!("write some of {}, or take the key out", listed()),
        );
    }
    let mut types = BTreeSet::new();
    for Spanned { value, span } in &list.value {
        match TYPES.iter().find(|(word, _)| word == value) {
            Some((_, numbers)) => types.extend(numbers.iter().copied()),
            None => {
                let help = match nearest(value, TYPES.map(|(word, _)| word), 1).first() {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("it takes {}", listed()),
                };
                found.at(Code::ManifestValueInvalid, span).report(format!("there are no `{value}` channels"), help);
            }
        }
    }
    types.into_iter().collect()
}
