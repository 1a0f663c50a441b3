//! `[guard]`: what is taken out of a chat reply.

use super::reader::{Reader, set};
use crate::agent::GuardSettings;

/// Reads the section over the defaults.
pub(super) fn read(section: &mut Reader<'_>, guard: &mut GuardSettings) {
    set(&mut guard.tool_text, section.boolean("tool_text"));
    set(&mut guard.made_up_results, section.boolean("made_up_results"));
    for key in ["touched", "command_names", "claims", "grounding", "recover_memory"] {
        section.unused(key);
    }
}
