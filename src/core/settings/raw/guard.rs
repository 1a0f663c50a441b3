//! `[guard]`: the parts removed from a chat reply.

use super::reader::{Reader, set};
use crate::agent::GuardSettings;

pub(super) fn read(section: &mut Reader<'_>, guard: &mut GuardSettings) {
    set(&mut guard.tool_text, section.boolean("tool_text"));
    set(&mut guard.made_up_results, section.boolean("made_up_results"));
    for key in ["touched", "command_names", "claims", "grounding", "recover_memory"] {
        section.unused(key);
    }
}
