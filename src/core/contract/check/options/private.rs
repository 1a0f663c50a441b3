//! Checks `private = true`: options whose values are only kept as digests.

use crate::contract::check::findings::Findings;
use crate::contract::check::subject::type_word;
use crate::contract::manifest::WrittenOption;
use crate::contract::spec::OptionKind;
use crate::diagnostic::Code;

/// Whether the option's value is only kept as a digest. Reported where whoever has the digest could try all values:
/// then nothing would be private.
pub(crate) fn check(kind: &OptionKind, written: Option<&WrittenOption>, found: &mut Findings) -> bool {
    let Some((written, private)) = written.and_then(|written| Some((written, written.private.as_ref()?))) else {
        return false;
    };
    if !private.value {
        return false;
    }
    let why = match kind {
        OptionKind::String { choices, .. } if choices.is_empty() => return true,
        OptionKind::String { .. } => "it has choices".to_owned(),
        other => format!("it is of the type `{}`", type_word(other)),
    };
    found.at(Code::PrivateInvalid, &private.span).label(why).report(
        format!("the digest of `{}` would tell its value: there are few to try", written.name.value),
        "take `private` out; it is for free text",
    );
    false
}
