//! `[guard]`: the checks of a chat reply before it is shown.

use super::reader::{Reader, set};
use crate::agent::{GuardSettings, RecoverMemory};

/// Reads the section over the defaults.
pub(super) fn read(section: &mut Reader<'_>, guard: &mut GuardSettings) {
    set(&mut guard.tool_text, section.boolean("tool_text"));
    set(&mut guard.made_up_results, section.boolean("made_up_results"));
    set(&mut guard.claims, section.boolean("claims"));
    set(&mut guard.command_names, section.boolean("command_names"));
    set(&mut guard.grounding, section.boolean("grounding"));
    let words = [("ask", RecoverMemory::Ask), ("auto", RecoverMemory::Auto)];
    set(&mut guard.recover_memory, section.one_of("recover_memory", &words));
}
