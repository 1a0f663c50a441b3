//! Chat settings of single places: `[chat.places."<id>"]`.

use std::collections::BTreeSet;

use crate::agent::conversation::Whose;
use crate::contract::DayLimits;
use crate::language::Language;
use crate::text::Zone;

/// What is different for chat in a guild, a category, a channel or a thread. What is `None` is as in the place that it
/// belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlaceChat {
    /// The operator's system text, in place of `[chat] system`.
    pub system: Option<String>,
    /// The model of conversations in which nobody chose one.
    pub model: Option<String>,
    /// The only commands that a model is offered, by their paths: `/tasks list`.
    pub tools: Option<BTreeSet<String>>,
    /// Whether the model may call commands that change something: an administrator of the guild may say no. What the
    /// operator forbids stays forbidden.
    pub write_tools: Option<bool>,
    /// How many earlier exchanges the model is shown.
    pub history: Option<usize>,
    /// Whether a model summarises what it is not shown any more.
    pub summaries: Option<bool>,
    /// The time zone.
    pub time_zone: Option<Zone>,
    /// The language for people whose own is not known.
    pub language: Option<Language>,
    /// Whose the conversations here are.
    pub conversation: Option<Whose>,
    /// What chat may use here in a day, everybody and every place in it together. It is this place's own: what a place
    /// farther up has counts as well.
    pub day: DayLimits,
    /// Whether a mention in a channel opens a thread, in which it is answered.
    pub thread: Option<bool>,
}

impl PlaceChat {
    /// The same, with what a place farther up says where this one says nothing.
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
