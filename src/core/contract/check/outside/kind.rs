//! The kind of a module: native, text, exec or mcp.

use crate::contract::check::findings::Findings;
use crate::contract::manifest::WrittenManifest;
use crate::contract::spec::HandlerKind;
use crate::diagnostic::Code;
use crate::diagnostic::spanned::Spanned;
use crate::text::{in_code_spans, nearest};

/// Returns the kind that a manifest names, native by default. Returns `None` for an unknown kind.
pub(crate) fn kind(written: &WrittenManifest) -> Option<HandlerKind> {
    let Some(Spanned { value: word, .. }) = &written.kind else { return Some(HandlerKind::Native) };
    HandlerKind::ALL.into_iter().find(|kind| kind.name() == word)
}

pub(super) fn check(written: &WrittenManifest, found: &mut Findings) {
    let Some(Spanned { value: word, span }) = &written.kind else { return };
    let names = HandlerKind::ALL.map(HandlerKind::name);
    if names.contains(&word.as_str()) {
        return;
    }
    let help = match nearest(word, names, 1).first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("write one of {}", in_code_spans(names)),
    };
    found.at(Code::ManifestValueInvalid, span).report(format!("there is no module of the kind `{word}`"), help);
}
