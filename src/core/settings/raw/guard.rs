//! `[guard]`: what is taken out of a chat reply, and what the host adds.

use super::reader::{Reader, set};
use crate::agent::GuardSettings;

/// Reads the section over the defaults.
pub(super) fn read(section: &mut Reader<'_>, guard: &mut GuardSettings) {
    set(&mut guard.tool_text, section.boolean("tool_text"));
    set(&mut guard.made_up_results, section.boolean("made_up_results"));
    set(&mut guard.touched, section.boolean("touched"));
    set(&mut guard.command_names, section.boolean("command_names"));
    section.gone("claims", "take it out; `touched` says which commands did not run");
    section.gone("grounding", "take it out; what a command answered is always shown beside the model's words");
    section.gone("recover_memory", "take it out; a button under the reply runs what a model only wrote");
}
