//! The start of a turn: system text, data about the person, and as much of the conversation as fits.

use serde_json::Value;

use crate::agent::prompt::budget::{BYTES_A_TOKEN, exchange_tokens, message_tokens, within_budget};
use crate::agent::prompt::system::{Scene, asker, system_prompt};
use crate::agent::prompt::transcript::{ShownCall, Transcript, TranscriptEntry, told};
use crate::agent::prompt::voices::naming_bytes;
use crate::agent::settings::OfferedModel;
use crate::agent::settings::ToolMode;
use crate::agent::surroundings::Framed;
use crate::agent::tools::OfferedSet;
use crate::agent::{ChatSettings, Exchange, Spoken};
use crate::inbound::Picture;
use crate::record::GivenPiece;
use crate::registry::Catalog;
use crate::router::ChatText;

/// The tokens of a tool's definition besides its name, its description and its schema.
const WRAPPING_TOKENS: usize = 12;

/// The transcript at the start of a turn, and the free room in the model's context.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    pub transcript: Transcript,
    /// The estimated tokens of the context left for the turn itself: calls, results, reminders.
    pub room: usize,
    /// Everything given to the model besides the tools, for the record.
    pub given: Vec<GivenPiece>,
}

/// The exchanges of a conversation before this turn: the loaded ones, and the number of older ones.
#[derive(Clone, Copy, Debug, Default)]
pub struct PastExchanges<'a> {
    /// The latest, oldest first.
    pub history: &'a [Exchange],
    pub n_older: usize,
}

/// The question of this turn.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub words: &'a ChatText,
    /// The words by speaker in a shared conversation; otherwise empty.
    pub spoken: &'a [Spoken],
    /// The message context, framed as data.
    pub came_with: Option<&'a Framed>,
}

impl<'a> Asked<'a> {
    /// Creates a question without message context.
    pub fn plain(words: &'a ChatText) -> Self {
        Self { words, spoken: &[], came_with: None }
    }
}

/// The properties of a model that the prompt depends on.
#[derive(Clone, Copy, Debug)]
pub struct PromptModel {
    pub mode: ToolMode,
    /// The maximum of prompt and answer together, in tokens.
    pub context_tokens: usize,
    /// The part of that which is reserved for the answer.
    pub answer_tokens: usize,
}

impl PromptModel {
    pub fn of(model: &OfferedModel, mode: ToolMode) -> Self {
        Self { mode, context_tokens: model.context_tokens, answer_tokens: model.answer_tokens }
    }
}

/// The size of the prompt that a conversation would have now, in estimated tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preview {
    /// The system text, including modules' knowledge about the person.
    pub system_tokens: usize,
    /// The tools' definitions, unless they are part of the system text.
    pub tools_tokens: usize,
    pub n_shown: usize,
    pub shown_tokens: usize,
    pub n_left_out: usize,
    /// The tokens left for the next words, their message context, and the results of commands.
    pub room: usize,
}

/// The part of a conversation that fits beside the system text, the tools, the words and the answer.
struct Fit<'a> {
    system: String,
    shown: &'a [Exchange],
    n_left_out: usize,
    tools_tokens: usize,
    room: usize,
}

impl Fit<'_> {
    fn shown_tokens(&self) -> usize {
        self.shown.iter().map(exchange_tokens).sum()
    }
}

/// Fits the exchanges into the context. `asked`: the tokens of the words and their message context.
fn fit<'a>(
    settings: &ChatSettings,
    PromptModel { mode, context_tokens, answer_tokens }: PromptModel,
    scene: &Scene<'_>,
    catalog: &Catalog,
    offered: &OfferedSet,
    PastExchanges { history, n_older }: PastExchanges<'a>,
    asked: usize,
) -> Fit<'a> {
    let system = system_prompt(settings, scene, catalog, offered, mode);
    let tools_tokens = tools_tokens(mode, offered);
    let context = context_tokens.saturating_sub(answer_tokens + tools_tokens);
    // Reserves room for results of commands. Most are short, and a long one is cut to the remaining room.
    let reserve = match offered.is_empty() {
        true => 0,
        false => settings.limits.result_bytes.div_ceil(BYTES_A_TOKEN).min(context_tokens / 8),
    };
    // The note on left-out exchanges needs room too. It is longest if all of them are left out.
    let fixed = |n_left_out| message_tokens(&told(&system, n_left_out)) + asked;
    let left = |n_left_out| context.saturating_sub(fixed(n_left_out));
    let shown = match within_budget(history, left(n_older).saturating_sub(reserve)) {
        whole if whole.len() == history.len() => whole,
        _ => within_budget(history, left(n_older + history.len()).saturating_sub(reserve)),
    };
    let n_left_out = n_older + history.len() - shown.len();
    let left = left(n_left_out);
    let mut fit = Fit { system, shown, n_left_out, tools_tokens, room: left };
    fit.room = left.saturating_sub(fit.shown_tokens());
    fit
}

/// Builds the start of a turn within the model's context, with the latest exchanges that fit beside the system text,
/// the tools, the words and the answer. The prompt states how many were left out.
pub fn opening(
    settings: &ChatSettings,
    model: PromptModel,
    scene: &Scene<'_>,
    catalog: &Catalog,
    offered: &OfferedSet,
    past: PastExchanges<'_>,
    Asked { words, spoken, came_with }: Asked<'_>,
) -> Opening {
    let nothing = Framed::default();
    let Framed { text, pictures, pieces } = came_with.unwrap_or(&nothing);
    let notes = [text.clone(), asker(scene)];
    let came_with = notes.into_iter().filter(|note| !note.is_empty()).collect::<Vec<_>>().join("\n");
    let asked = message_tokens(words.as_str())
        + (came_with.len() + naming_bytes(spoken)).div_ceil(BYTES_A_TOKEN)
        + picture_tokens(pictures.as_slice());
    let Fit { system, shown, n_left_out, room, .. } = fit(settings, model, scene, catalog, offered, past, asked);
    let piece =
        |what: &str, bytes: usize| GivenPiece { what: what.to_owned(), bytes: bytes as u64, ..GivenPiece::default() };
    let mut given = vec![piece("system", system.len()), piece(EXCHANGES, shown.len())];
    given.extend(pieces.iter().cloned());
    given.push(piece("words", words.as_str().len()));
    let transcript =
        Transcript::without(n_left_out, system, shown, &came_with, words, spoken).showing(pictures.clone());
    Opening { transcript, room, given }
}

/// Returns the sizes for a turn without words, beside a summary of `summary` tokens.
pub fn preview(
    settings: &ChatSettings,
    model: PromptModel,
    scene: &Scene<'_>,
    catalog: &Catalog,
    offered: &OfferedSet,
    past: PastExchanges<'_>,
    summary: usize,
) -> Preview {
    let fit = fit(settings, model, scene, catalog, offered, past, summary);
    Preview {
        system_tokens: message_tokens(&fit.system),
        tools_tokens: fit.tools_tokens,
        n_shown: fit.shown.len(),
        shown_tokens: fit.shown_tokens(),
        n_left_out: fit.n_left_out,
        room: fit.room,
    }
}

/// The name of the piece that counts the earlier exchanges.
pub(crate) const EXCHANGES: &str = "exchanges";

pub fn n_exchanges_given(pieces: &[GivenPiece]) -> usize {
    let given = pieces.iter().find(|piece| piece.what == EXCHANGES);
    given.map_or(0, |piece| usize::try_from(piece.bytes).unwrap_or(usize::MAX))
}

/// Estimates the tokens of a request and its answer, for providers that do not count them. Hidden thinking is not
/// included.
pub fn request_tokens(mode: ToolMode, transcript: &Transcript, offered: &OfferedSet, written: &str) -> u64 {
    let message = |message: &TranscriptEntry| match message {
        TranscriptEntry::System(text)
        | TranscriptEntry::Host(text)
        | TranscriptEntry::Results(text)
        | TranscriptEntry::Person(text) => message_tokens(text),
        TranscriptEntry::Model { text, calls } => {
            let call =
                |call: &ShownCall| message_tokens(&format!("{} {}", call.name, Value::from(call.arguments.clone())));
            message_tokens(text) + calls.iter().map(call).sum::<usize>()
        }
        TranscriptEntry::Result { content, .. } => message_tokens(content),
    };
    let shown: usize = transcript.messages().iter().map(message).sum();
    let pictures = picture_tokens(transcript.pictures().map_or(&[], |(_, pictures)| pictures));
    (shown + pictures + tools_tokens(mode, offered) + message_tokens(written)) as u64
}

fn picture_tokens(pictures: &[Picture]) -> usize {
    pictures.iter().map(Picture::tokens).sum()
}

/// Estimates the tokens of the natively offered tools. In text mode they are part of the system text.
fn tools_tokens(mode: ToolMode, offered: &OfferedSet) -> usize {
    match mode {
        ToolMode::None | ToolMode::Text => 0,
        ToolMode::Native => {
            let tokens = |name: &str, description: &str, schema: &Value| {
                message_tokens(&format!("{name} {description} {schema}")) + WRAPPING_TOKENS
            };
            offered.tools().iter().map(|tool| tokens(&tool.name, &tool.description, &tool.shown)).sum()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::fixture::{catalog, offered};
    use crate::agent::prompt::TranscriptEntry;
    use crate::testing::chat;

    const SCENE: Scene<'_> = Scene {
        person: "Ada",
        place: crate::inbound::Place::Console,
        names: None,
        now: std::time::UNIX_EPOCH,
        background: &[],
        is_shared: false,
    };

    /// Exchanges of 108 tokens each.
    fn history(n: usize) -> Vec<Exchange> {
        let text = |letter: &str| letter.repeat(150);
        (0..n).map(|_| Exchange::read_back(text("q"), text("a"))).collect()
    }

    /// A model with this context, of which the answer has 200 tokens.
    fn model(mode: ToolMode, context_tokens: usize) -> PromptModel {
        PromptModel { mode, context_tokens, answer_tokens: 200 }
    }

    fn settings() -> ChatSettings {
        ChatSettings::default()
    }

    fn past(history: &[Exchange]) -> PastExchanges<'_> {
        PastExchanges { history, n_older: 0 }
    }

    #[test]
    fn a_preview_counts_what_an_opening_shows() {
        let catalog = catalog();
        let offered = offered();
        let history = history(40);
        for (mode, context) in [(ToolMode::Native, 4_096), (ToolMode::Text, 4_096), (ToolMode::None, 100_000)] {
            let past = PastExchanges { history: &history, n_older: 3 };
            let model = model(mode, context);
            let preview = preview(&settings(), model, &SCENE, &catalog, &offered, past, 0);
            let words = chat("x");
            let opening = opening(&settings(), model, &SCENE, &catalog, &offered, past, Asked::plain(&words));
            let shown = opening.given.iter().find(|piece| piece.what == EXCHANGES).unwrap().bytes;
            assert!(preview.n_shown as u64 - shown <= 1, "{mode:?}: {preview:?}, {shown}");
            assert_eq!((preview.n_shown + preview.n_left_out, preview.shown_tokens), (43, preview.n_shown * 108));
            assert_eq!(preview.tools_tokens == 0, mode != ToolMode::Native);
        }
    }

    fn estimate(opening: &Opening) -> usize {
        let text = |message: &TranscriptEntry| match message {
            TranscriptEntry::System(text)
            | TranscriptEntry::Person(text)
            | TranscriptEntry::Model { text, .. }
            | TranscriptEntry::Results(text)
            | TranscriptEntry::Host(text) => message_tokens(text),
            TranscriptEntry::Result { content, .. } => message_tokens(content),
        };
        opening.transcript.messages().iter().map(text).sum()
    }

    fn system_text(opening: &Opening) -> &str {
        match opening.transcript.messages() {
            [TranscriptEntry::System(text), ..] => text,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_history_is_cut_to_the_budget_and_the_model_is_told() {
        for tools in [ToolMode::None, ToolMode::Native, ToolMode::Text] {
            let offered = if tools == ToolMode::None { OfferedSet::none() } else { offered() };
            let history = history(30);
            let opened = opening(
                &settings(),
                model(tools, 2_000),
                &SCENE,
                &catalog(),
                &offered,
                past(&history),
                Asked::plain(&chat("and now?")),
            );
            let n_kept = (opened.transcript.messages().len() - 2) / 2;
            let n_left_out = history.len() - n_kept;
            let told = format!("The {n_left_out} oldest exchanges of this conversation are not shown to you.");
            assert!(system_text(&opened).ends_with(&told), "{tools:?}: {}", system_text(&opened));
            let used = estimate(&opened) + tools_tokens(tools, &offered) + 200;
            let reserve = if offered.is_empty() { 0 } else { 250 };
            assert!(
                used + reserve <= 2_000 && 2_000 < used + reserve + 2 * 108,
                "{tools:?}: {used} tokens with {n_kept} exchanges"
            );
        }
    }

    #[test]
    fn a_history_that_fits_is_shown_whole_and_nothing_is_said() {
        let model = model(ToolMode::Text, 8_192);
        let history = history(9);
        let now = chat("and now?");
        let opened = opening(&settings(), model, &SCENE, &catalog(), &offered(), past(&history), Asked::plain(&now));
        assert_eq!(opened.transcript.messages().len(), 1 + 18 + 1);
        assert!(!system_text(&opened).contains("not shown to you"));
    }

    #[test]
    fn what_is_older_than_the_history_is_told_as_well_and_the_room_is_what_is_left() {
        let model = model(ToolMode::Text, 8_192);
        let history = history(9);
        let past = PastExchanges { history: &history, n_older: 80 };
        let opened = opening(&settings(), model, &SCENE, &catalog(), &offered(), past, Asked::plain(&chat("and now?")));
        let told = "The 80 oldest exchanges of this conversation are not shown to you.";
        assert!(system_text(&opened).ends_with(told), "{}", system_text(&opened));
        assert_eq!(opened.room, 8_192 - 200 - estimate(&opened));
    }

    #[test]
    fn what_came_with_the_words_stands_before_them_takes_room_and_is_in_the_list() {
        let model = model(ToolMode::None, 2_000);
        let history = history(9);
        let now = chat("and now?");
        let opened = |asked| opening(&settings(), model, &SCENE, &catalog(), &offered(), past(&history), asked);
        let piece =
            GivenPiece { what: "message".to_owned(), name: "Bob".to_owned(), bytes: 1_500, note: String::new() };
        let framed =
            Framed { text: format!("[host] Data.\n{}", "x".repeat(1_500)), pieces: vec![piece], ..Framed::default() };
        let plain = opened(Asked::plain(&now));
        let with = opened(Asked { came_with: Some(&framed), ..Asked::plain(&now) });
        let n_shown = |opened: &Opening| opened.transcript.n_exchanges();
        assert!(n_shown(&with) < n_shown(&plain), "{} of {}", n_shown(&with), n_shown(&plain));
        let expected = TranscriptEntry::Person(format!("{}\n\nand now?", framed.text));
        assert_eq!(with.transcript.messages().last(), Some(&expected));
        let given: Vec<_> = with.given.iter().map(|piece| (piece.what.as_str(), piece.bytes)).collect();
        let shown = with.transcript.n_exchanges() as u64;
        assert_eq!(with.transcript.pictures(), None);
        // A picture of 285 tokens stands behind the same words, also of the tokens that are counted.
        let picture = Picture {
            media_type: "image/jpeg",
            data: b"pixels".as_slice().into(),
            size: (300, 500),
            made_of: String::new(),
        };
        let Framed { text, pieces, .. } = &framed;
        let seeing = Framed { text: text.clone(), pictures: vec![picture.clone()], pieces: pieces.clone() };
        let seen = opened(Asked { came_with: Some(&seeing), ..Asked::plain(&now) });
        assert!(n_shown(&seen) < n_shown(&with), "{} of {}", n_shown(&seen), n_shown(&with));
        let last = seen.transcript.messages().len() - 1;
        assert_eq!(seen.transcript.pictures(), Some((last, [picture].as_slice())));
        let tokens = |transcript: &Transcript| request_tokens(ToolMode::None, transcript, &offered(), "");
        let unseen = seen.transcript.clone().showing(Vec::new());
        assert_eq!(tokens(&seen.transcript) - tokens(&unseen), 285);
        let system = with.given[0].bytes;
        assert_eq!(given, [("system", system), ("exchanges", shown), ("message", 1_500), ("words", 8)]);
    }

    #[test]
    fn words_that_fill_the_context_leave_no_room_and_are_still_asked() {
        let long = chat(&"x".repeat(30_000));
        let history = history(2);
        let opened = opening(
            &settings(),
            model(ToolMode::Native, 1_024),
            &SCENE,
            &catalog(),
            &offered(),
            past(&history),
            Asked::plain(&long),
        );
        assert_eq!(opened.transcript.messages().len(), 2);
        assert_eq!(opened.transcript.messages().last(), Some(&TranscriptEntry::Person("x".repeat(30_000))));
        assert!(system_text(&opened).ends_with("The 2 oldest exchanges of this conversation are not shown to you."));
    }
}
