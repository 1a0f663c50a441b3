//! Chat settings of single places: `[chat.places."<id>"]`.

use std::collections::BTreeSet;

use crate::agent::budget::DayLimits;
use crate::agent::conversation::Whose;
use crate::language::Language;
use crate::text::Zone;

/// Chat settings of a guild, a category, a channel or a thread. `None` inherits from the place around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceChat {
    /// Replaces `[chat] system`.
    pub system: Option<String>,
    /// The model of conversations for which none was chosen.
    pub model: Option<String>,
    /// The only commands offered to a model, by path: `/tasks list`.
    pub tools: Option<BTreeSet<String>>,
    /// Whether the model may call commands that write. A guild administrator may disable this, but cannot allow more
    /// than the operator.
    pub write_tools: Option<bool>,
    /// The number of earlier exchanges shown to the model.
    pub history: Option<usize>,
    /// Whether a model summarises exchanges that are no longer shown.
    pub summaries: Option<bool>,
    pub time_zone: Option<Zone>,
    /// The language for people whose own is unknown.
    pub language: Option<Language>,
    /// Who shares the conversations here.
    pub conversation: Option<Whose>,
    /// The daily budget of chat for all people here and for all places within this one. Not inherited: the budgets of
    /// surrounding places count in addition.
    pub day: DayLimits,
    /// Whether a mention in a channel opens a thread for the answer.
    pub thread: Option<bool>,
}

impl PlaceChat {
    /// Fills the unset fields from a surrounding place.
    #[must_use]
    pub fn or(self, above: &Self) -> Self {
        Self {
            system: self.system.or_else(|| above.system.clone()),
            model: self.model.or_else(|| above.model.clone()),
            tools: self.tools.or_else(|| above.tools.clone()),
            write_tools: self.write_tools.or(above.write_tools),
            history: self.history.or(above.history),
            summaries: self.summaries.or(above.summaries),
            time_zone: self.time_zone.or_else(|| above.time_zone.clone()),
            language: self.language.or(above.language),
            conversation: self.conversation.or(above.conversation),
            day: self.day,
            thread: self.thread.or(above.thread),
        }
    }
}
