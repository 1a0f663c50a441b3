//! The start of a turn: system text, data about the person, and as much of the conversation as fits.

use serde_json::Value;

use crate::agent::prompt::budget::{BYTES_A_TOKEN, message_tokens, within_budget};
use crate::agent::prompt::system::{Scene, system_prompt};
use crate::agent::prompt::transcript::Transcript;
use crate::agent::settings::ToolMode;
use crate::agent::tools::{CANNOT_DO, CANNOT_DO_DESCRIPTION, OfferedSet, cannot_do_schema};
use crate::agent::{ChatSettings, Exchange};
use crate::registry::Catalog;
use crate::router::ChatText;

/// The tokens of a tool's definition besides its name, its description and its schema.
const WRAPPING_TOKENS: usize = 20;

/// The start of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// What the model is shown.
    pub transcript: Transcript,
    /// Estimated tokens of the context left for the turn itself: calls, results, reminders.
    pub room: usize,
}

/// Builds the start of a turn, within the model's token budget: what the system text, the tools, the words and the
/// answer leave of the context is for the latest exchanges, and the prompt says what was left out. `n_older` is the
/// number of exchanges older than `history`.
pub fn opening(
    settings: &ChatSettings,
    scene: &Scene<'_>,
    catalog: &Catalog,
    offered: &OfferedSet,
    history: &[Exchange],
    n_older: usize,
    words: &ChatText,
) -> Opening {
    let system = |n_left_out| system_prompt(&settings.system, scene, catalog, offered, settings.tools, n_left_out);
    let context =
        settings.context_tokens.saturating_sub(settings.answer_tokens + tools_tokens(settings.tools, offered));
    // The results of commands need room as well.
    let reserve = match offered.is_empty() {
        true => 0,
        false => settings.limits.result_bytes.div_ceil(BYTES_A_TOKEN).min(settings.context_tokens / 4),
    };
    let left = |system: &str| context.saturating_sub(message_tokens(system) + message_tokens(words.as_str()));
    let budget = |system: &str| left(system).saturating_sub(reserve);

    let whole = system(n_older);
    let mut shown = (within_budget(history, budget(&whole)), whole);
    if shown.0.len() < history.len() {
        // The note on what is missing needs room as well, at most as much as if everything were missing.
        let kept = within_budget(history, budget(&system(n_older + history.len())));
        shown = (kept, system(n_older + history.len() - kept.len()));
    }
    let (history, system) = shown;
    let tokens = |exchange: &Exchange| message_tokens(exchange.said()) + message_tokens(exchange.answered());
    let room = left(&system).saturating_sub(history.iter().map(tokens).sum());
    Opening { transcript: Transcript::new(system, history, words), room }
}

/// The tokens of the tools' definitions, in the API's own form. In text mode they are part of the system text.
fn tools_tokens(mode: ToolMode, offered: &OfferedSet) -> usize {
    match mode {
        ToolMode::None | ToolMode::Text => 0,
        ToolMode::Native if offered.is_empty() => 0,
        ToolMode::Native => {
            let tokens = |name: &str, description: &str, schema: &Value| {
                message_tokens(&format!("{name} {description} {schema}")) + WRAPPING_TOKENS
            };
            let tools = offered.tools().iter().map(|tool| tokens(&tool.name, &tool.description, &tool.shown_schema()));
            tools.sum::<usize>() + tokens(CANNOT_DO, CANNOT_DO_DESCRIPTION, &cannot_do_schema())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::fixture::{catalog, offered};
    use crate::agent::prompt::Message;
    use crate::testing::chat;

    const SCENE: Scene<'_> =
        Scene { person: "Ada", place: crate::inbound::Place::Console, now: std::time::UNIX_EPOCH, background: &[] };

    /// Exchanges of 108 tokens each.
    fn history(n: usize) -> Vec<Exchange> {
        let text = |letter: &str| letter.repeat(150);
        (0..n).map(|_| Exchange::read_back(text("q"), text("a"))).collect()
    }

    fn settings(tools: ToolMode, context_tokens: usize) -> ChatSettings {
        ChatSettings { tools, context_tokens, answer_tokens: 200, ..ChatSettings::default() }
    }

    fn estimate(opening: &Opening) -> usize {
        let text = |message: &Message| match message {
            Message::System(text)
            | Message::Person(text)
            | Message::Model { text, .. }
            | Message::Results(text)
            | Message::Host(text) => message_tokens(text),
            Message::Result { content, .. } => message_tokens(content),
        };
        opening.transcript.messages().iter().map(text).sum()
    }

    fn system_text(opening: &Opening) -> &str {
        match opening.transcript.messages() {
            [Message::System(text), ..] => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_history_is_cut_to_the_budget_and_the_model_is_told() {
        for tools in [ToolMode::None, ToolMode::Native, ToolMode::Text] {
            let offered = if tools == ToolMode::None { OfferedSet::none() } else { offered() };
            let settings = settings(tools, 2_000);
            let history = history(30);
            let opened = opening(&settings, &SCENE, &catalog(), &offered, &history, 0, &chat("and now?"));
            let n_kept = (opened.transcript.messages().len() - 2) / 2;
            let n_left_out = history.len() - n_kept;
            let told = format!("The {n_left_out} oldest exchanges of this conversation are not shown to you.");
            assert!(system_text(&opened).ends_with(&told), "{tools:?}: {}", system_text(&opened));
            let used = estimate(&opened) + tools_tokens(tools, &offered) + settings.answer_tokens;
            let reserve = if offered.is_empty() { 0 } else { 500 };
            assert!(
                used + reserve <= 2_000 && 2_000 < used + reserve + 2 * 108,
                "{tools:?}: {used} tokens with {n_kept} exchanges"
            );
        }
    }

    #[test]
    fn a_history_that_fits_is_shown_whole_and_nothing_is_said() {
        let opened = opening(
            &settings(ToolMode::Text, 8_192),
            &SCENE,
            &catalog(),
            &offered(),
            &history(9),
            0,
            &chat("and now?"),
        );
        assert_eq!(opened.transcript.messages().len(), 1 + 18 + 1);
        assert!(!system_text(&opened).contains("not shown to you"));
    }

    #[test]
    fn what_is_older_than_the_history_is_told_as_well_and_the_room_is_what_is_left() {
        let settings = settings(ToolMode::Text, 8_192);
        let opened = opening(&settings, &SCENE, &catalog(), &offered(), &history(9), 80, &chat("and now?"));
        let told = "The 80 oldest exchanges of this conversation are not shown to you.";
        assert!(system_text(&opened).ends_with(told), "{}", system_text(&opened));
        assert_eq!(opened.room, 8_192 - 200 - estimate(&opened));
    }

    #[test]
    fn words_that_fill_the_context_leave_no_room_and_are_still_asked() {
        let long = chat(&"x".repeat(30_000));
        let opened = opening(&settings(ToolMode::Native, 1_024), &SCENE, &catalog(), &offered(), &history(2), 0, &long);
        assert_eq!(opened.transcript.messages().len(), 2);
        assert_eq!(opened.transcript.messages().last(), Some(&Message::Person("x".repeat(30_000))));
        assert!(system_text(&opened).ends_with("The 2 oldest exchanges of this conversation are not shown to you."));
    }
}
