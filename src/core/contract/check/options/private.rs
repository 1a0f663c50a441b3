//! Checks `private = true`: options whose values are stored only as digests.

use crate::contract::check::findings::Findings;
use crate::contract::check::subject::type_word;
use crate::contract::manifest::{WrittenCommandValue, WrittenManifest, WrittenOption};
use crate::contract::services::ServiceName;
use crate::contract::spec::OptionKind;
use crate::diagnostic::Code;

/// Returns whether the option's value is stored only as a digest. Reports types with few possible values: anyone with
/// the digest could try them all.
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
        format!("the digest of `{}` would give its value away: there are few to try", written.name.value),
        "take `private` out; it is for free text",
    );
    false
}

/// Reports private options in a module with the service `time`: the arguments of a later call are stored until it is
/// due.
pub(crate) fn check_none_kept(written: &WrittenManifest, services: &[ServiceName], found: &mut Findings) {
    if !services.contains(&ServiceName::Time) {
        return;
    }
    let bodies = written.commands.iter().filter_map(|command| match &command.value {
        WrittenCommandValue::Table(body) => Some(body),
        WrittenCommandValue::BareHandler(_) | WrittenCommandValue::Unreadable => None,
    });
    for option in bodies.flat_map(|body| body.leaves()).flat_map(|leaf| &leaf.options) {
        let Some(private) = option.private.as_ref().filter(|private| private.value) else { continue };
        let time = ServiceName::Time.name();
        found.at(Code::PrivateKept, &private.span).label(format!("and the module has the service `{time}`")).report(
            format!("`{}` would be kept until a later call is due", option.name.value),
            format!("take `private` out, or `{time}` out of the services; or move the command to another module"),
        );
    }
}
