//! Renders answers to interactions.
//!
//! A command's answer is an embed whose footer the host wrote from the receipt. A model's answer is plain text with the
//! host's small line below it. The bot's own words are plain text. Nothing ever pings: the REST client allows no
//! mentions, and every body here repeats that.

use serenity::builder::{
    CreateActionRow, CreateAllowedMentions, CreateAttachment, CreateEmbed, CreateEmbedFooter,
    CreateInteractionResponse, CreateInteractionResponseFollowup, CreateInteractionResponseMessage, EditAttachments,
    EditInteractionResponse,
};

use crate::render::turn_text::{self, SMALL, TurnText, TurnTexts};
use candor_core::language::{Language, say};
use candor_core::reply::chart::Png;
use candor_core::reply::{
    Answer, Audience, Author, CONTENT_LENGTH_MAX, Field, Provenance, Reply, TurnFacts, receipt_footer, split_content,
};
use candor_core::text::{first_characters, shortened_with};

/// Discord's limits on embeds, in characters. See its documentation, "Embed Limits".
const TITLE_MAX: usize = 256;
pub(super) const DESCRIPTION_MAX: usize = 3_500;
const FIELDS_MAX: usize = 25;
const FIELD_NAME_MAX: usize = 256;
const FIELD_VALUE_MAX: usize = 1_024;
/// All texts of a message's embeds together may have 6,000 characters. After title and description, this remains for
/// the fields, with room for the note on omitted fields (80) and the footer (200).
const FIELDS_TOTAL_MAX: usize = 1_900;

/// The file name of a picture, by which its embed refers to it.
const PICTURE: &str = "status.png";
/// The maximum alt text of a picture, in characters. See Discord's documentation, attachment description.
const ALT_TEXT_MAX: usize = 1_024;

const GREEN: u32 = 0x57_F2_87;
const RED: u32 = 0xED_42_45;

pub(crate) fn first(answer: &Answer, rows: Vec<CreateActionRow>, language: Language) -> CreateInteractionResponse {
    let message = CreateInteractionResponseMessage::new()
        .allowed_mentions(CreateAllowedMentions::new())
        .ephemeral(answer.audience == Audience::Asker)
        .files(files(answer));
    let message = if rows.is_empty() { message } else { message.components(rows) };
    CreateInteractionResponse::Message(match plain_body(answer, language) {
        AnswerBody::Embed(embed) => message.embed(*embed),
        body => message.content(body.first_text()),
    })
}

/// Renders the answer to a component interaction, which replaces the whole message that has the component.
pub(crate) fn update(answer: &Answer, rows: Vec<CreateActionRow>, language: Language) -> CreateInteractionResponse {
    let message =
        CreateInteractionResponseMessage::new().allowed_mentions(CreateAllowedMentions::new()).components(rows);
    CreateInteractionResponse::UpdateMessage(match plain_body(answer, language) {
        AnswerBody::Embed(embed) => message.content("").embed(*embed),
        body => message.content(body.first_text()).embeds(Vec::new()),
    })
}

/// Renders the answer to a deferred interaction, which replaces the waiting note, or the message that has the
/// component.
pub(crate) fn edit(answer: &Answer, rows: Vec<CreateActionRow>, language: Language) -> EditInteractionResponse {
    let message = EditInteractionResponse::new().allowed_mentions(CreateAllowedMentions::new()).components(rows);
    let message = files(answer).into_iter().fold(message, |message, file| message.new_attachment(file));
    match plain_body(answer, language) {
        AnswerBody::Embed(embed) => message.content("").embed(*embed),
        body => message.content(body.first_text()).embeds(Vec::new()),
    }
}

/// Renders an edit of an already shown answer: its old picture is removed, even if there is no new one.
pub(crate) fn refreshed(answer: &Answer, language: Language) -> EditInteractionResponse {
    let attachments = files(answer).into_iter().fold(EditAttachments::new(), EditAttachments::add);
    edit(answer, Vec::new(), language).attachments(attachments)
}

/// Returns the files of an answer: its picture with its alt text, and its file. The bodies here list the same files;
/// the request carries their content.
pub(crate) fn files(answer: &Answer) -> Vec<CreateAttachment> {
    let Provenance::Command(_) = &answer.provenance else { return Vec::new() };
    let picture = answer.shown().chart.as_ref().and_then(|chart| {
        let picture = |png: &Png| {
            let alt_text = first_characters(&chart.alt_text, ALT_TEXT_MAX);
            CreateAttachment::bytes(&*png.0, PICTURE).description(alt_text)
        };
        chart.png.as_ref().map(picture)
    });
    let file = answer.shown().file.as_ref();
    let file = file.map(|file| CreateAttachment::bytes(&*file.content, file.name.as_str()));
    picture.into_iter().chain(file).collect()
}

/// Renders the follow-ups to an answer, in order, for the same audience: the parts that did not fit into its first
/// message.
pub(crate) fn further(answer: &Answer, language: Language) -> Vec<CreateInteractionResponseFollowup> {
    match &answer.provenance {
        // One embed holds everything that is shown.
        Provenance::Command(_) => Vec::new(),
        Provenance::Turn(_) | Provenance::Host => whole(answer, language).into_iter().skip(1).collect(),
    }
}

/// Renders the whole answer as follow-ups, for the same audience.
pub(crate) fn whole(answer: &Answer, language: Language) -> Vec<CreateInteractionResponseFollowup> {
    let message = || {
        CreateInteractionResponseFollowup::new()
            .allowed_mentions(CreateAllowedMentions::new())
            .ephemeral(answer.audience == Audience::Asker)
    };
    match plain_body(answer, language) {
        AnswerBody::Embed(embed) => vec![message().embed(*embed)],
        AnswerBody::Texts(texts) => texts.into_iter().map(|text| message().content(text)).collect(),
        AnswerBody::Turn(texts) => texts.messages.iter().map(|text| message().content(text.content())).collect(),
    }
}

/// Returns the substitute for an answer that Discord rejects: only the names of what ran, and the host's notes.
pub(crate) fn in_its_place(answer: &Answer, language: Language) -> Answer {
    match &answer.provenance {
        Provenance::Command(receipt) => {
            let command = &receipt.facts().command;
            let record = match receipt.is_kept() {
                true => say!(language, "footer-receipt", id = receipt.id().to_string()),
                false => say!(language, "receipt-not-kept"),
            };
            Answer::host(say!(language, "answer-of-command-not-shown", command = command.as_str(), record = record))
        }
        Provenance::Turn(facts) => {
            // The text is now the host's. The button may be the cause of the rejection.
            let facts = TurnFacts { author: Author::Host, offers: Vec::new(), goes_on: false, ..(**facts).clone() };
            Answer::of_turn(say!(language, "answer-not-shown"), facts).shown_to(answer.audience)
        }
        Provenance::Host => Answer::host(say!(language, "answer-not-shown")),
    }
}

pub(crate) enum AnswerBody {
    Embed(Box<CreateEmbed>),
    Texts(Vec<String>),
    Turn(TurnTexts),
}

impl AnswerBody {
    fn first_text(self) -> String {
        match self {
            Self::Embed(_) => None,
            Self::Texts(texts) => texts.into_iter().next(),
            Self::Turn(texts) => texts.messages.first().map(TurnText::content),
        }
        .unwrap_or_default()
    }
}

/// Renders the body of this answer. A model's text goes through `shape` before it is split.
pub(crate) fn body(answer: &Answer, language: Language, shape: impl Fn(&str) -> String) -> AnswerBody {
    match &answer.provenance {
        Provenance::Command(receipt) => {
            let done = receipt.facts().outcome.is_reply();
            let shown = answer.shown();
            let colour = shown.colour.filter(|_| done).unwrap_or(if done { GREEN } else { RED });
            let embed = embed(shown, &answer.lines, language).color(colour);
            let footer = receipt_footer(receipt, shown.source.as_ref(), answer.is_for_operator(), language);
            AnswerBody::Embed(Box::new(embed.footer(CreateEmbedFooter::new(footer))))
        }
        Provenance::Turn(facts) => AnswerBody::Turn(match facts.author {
            Author::Model => turn_text::texts(&shape(&answer.reply.text), facts, language),
            Author::Host => turn_text::texts(&answer.plain(), facts, language),
        }),
        Provenance::Host => AnswerBody::Texts(split_content(&answer.plain(), CONTENT_LENGTH_MAX)),
    }
}

/// The same for an interaction.
fn plain_body(answer: &Answer, language: Language) -> AnswerBody {
    body(answer, language, str::to_owned)
}

/// Renders a reply as an embed. The host's lines are small, below the reply, and never cut.
pub(super) fn embed(reply: &Reply, lines: &[String], language: Language) -> CreateEmbed {
    let mut embed = CreateEmbed::new();
    // A title cannot show a time in the reader's time zone, and an age in it soon becomes wrong.
    let state = reply.state.as_ref().filter(|_| reply.lasting_state.is_none());
    let title = [reply.title.as_ref(), state].into_iter().flatten().cloned().collect::<Vec<_>>().join(" · ");
    if !title.is_empty() {
        embed = embed.title(fitted(&title, TITLE_MAX, language));
    }
    let lines = match *reply == Reply::default() {
        true => lines.join("\n"),
        false => lines.iter().map(|line| format!("{SMALL}{line}")).collect::<Vec<_>>().join("\n"),
    };
    let room = DESCRIPTION_MAX.saturating_sub(lines.chars().count() + 1);
    let text = reply.lasting_state.iter().chain(Some(&reply.text).filter(|text| !text.is_empty()));
    let text = text.map(String::as_str).collect::<Vec<_>>().join("\n");
    let text = Some(text).filter(|text| !text.is_empty()).map(|text| fitted(&text, room, language));
    let description: Vec<_> = text.into_iter().chain(Some(lines).filter(|lines| !lines.is_empty())).collect();
    if !description.is_empty() {
        embed = embed.description(description.join("\n"));
    }
    if reply.chart.as_ref().is_some_and(|chart| chart.png.is_some()) {
        embed = embed.attachment(PICTURE);
    } else if let Some(address) = &reply.picture {
        embed = embed.image(address);
    }
    let (shown, left_out) = fields(&reply.fields, language);
    embed = embed.fields(shown.into_iter().map(|(name, value)| (name, value, true)));
    if 0 < left_out {
        embed = embed.field("…", say!(language, "fields-left-out", n = left_out), false);
    }
    embed
}

/// Returns the fields that fit, and how many do not.
fn fields(fields: &[Field], language: Language) -> (Vec<(String, String)>, usize) {
    let mut shown = Vec::new();
    let mut total = 0;
    for field in fields {
        let entry = (fitted(&field.name, FIELD_NAME_MAX, language), fitted(&field.value, FIELD_VALUE_MAX, language));
        total += entry.0.chars().count() + entry.1.chars().count();
        // One field is reserved for the note on omitted fields.
        if FIELDS_TOTAL_MAX < total || FIELDS_MAX - 1 <= shown.len() {
            break;
        }
        shown.push(entry);
    }
    let left_out = fields.len() - shown.len();
    (shown, left_out)
}

/// Shortens a text to `max` characters and marks the cut. An empty text becomes a dash, because Discord rejects it.
fn fitted(text: &str, max: usize, language: Language) -> String {
    match text.trim() {
        "" => "–".to_owned(),
        _ if first_characters(text, max).len() == text.len() => text.to_owned(),
        _ => shortened_with(text, max, &say!(language, "cut")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::to_value;

    use super::*;
    use candor_core::record::TurnId;
    use candor_core::reply::Mark;

    fn answer(provenance: Provenance, text: &str) -> Answer {
        match provenance {
            Provenance::Turn(facts) => Answer::of_turn(text, *facts),
            Provenance::Command(_) | Provenance::Host => Answer::host(text),
        }
    }

    #[test]
    fn nothing_pings() {
        let body = to_value(first(&answer(Provenance::Host, "@everyone <@1>"), Vec::new(), Language::ENGLISH)).unwrap();
        assert_eq!(body["data"]["allowed_mentions"]["parse"], serde_json::json!([]));
    }

    #[test]
    fn an_embed_keeps_to_the_limits_and_says_what_it_leaves_out() {
        let field = |index: usize| Field { name: format!("name {index}"), value: "v".repeat(60) };
        let reply = Reply { text: "t".repeat(9_000), fields: (0..60).map(field).collect(), ..Reply::default() };
        let embed = to_value(embed(&reply, &[], Language::ENGLISH)).unwrap();
        let fields = embed["fields"].as_array().unwrap();
        assert_eq!(fields.len(), 25);
        assert_eq!(fields[24]["value"], say!(Language::ENGLISH, "fields-left-out", n = 36));
        assert!(embed["description"].as_str().unwrap().ends_with(&say!(Language::ENGLISH, "cut")));
    }

    #[test]
    fn an_age_that_is_soon_wrong_is_not_shown_where_there_are_words_that_last() {
        let state = || Some("fresh · 2 s ago".to_owned());
        let reply = Reply { state: state(), ..Reply::text("all well").titled("Status") };
        let lasting = Reply { lasting_state: Some("As of <t:1:R>.".to_owned()), ..reply.clone() };
        for (reply, title, description) in
            [(reply, "Status · fresh · 2 s ago", "all well"), (lasting, "Status", "As of <t:1:R>.\nall well")]
        {
            let embed = to_value(embed(&reply, &[], Language::ENGLISH)).unwrap();
            assert_eq!((&embed["title"], &embed["description"]), (&title.into(), &description.into()));
            assert!(reply.plain().contains("fresh · 2 s ago") && !reply.plain().contains("<t:"));
        }
    }

    #[test]
    fn the_fullest_embed_keeps_to_the_limit_of_all_its_texts() {
        let field = |index: usize| Field { name: format!("name {index}"), value: "v".repeat(200) };
        let reply = Reply {
            title: Some("t".repeat(300)),
            text: "t".repeat(9_000),
            fields: (0..100).map(field).collect(),
            ..Reply::default()
        };
        let embed = to_value(embed(&reply, &[], Language::ENGLISH)).unwrap();
        let length = |value: &serde_json::Value| value.as_str().unwrap().chars().count();
        let fields = embed["fields"].as_array().unwrap();
        let total = length(&embed["title"])
            + length(&embed["description"])
            + fields.iter().map(|field| length(&field["name"]) + length(&field["value"])).sum::<usize>();
        assert!(total + 200 < 6_000, "{total}");
    }

    #[test]
    fn what_stands_in_the_place_of_a_models_words_keeps_the_notes() {
        let facts = TurnFacts {
            turn: Some(TurnId(7)),
            author: Author::Model,
            mark: Mark::default(),
            notes: vec!["a note".to_owned()],
            offers: vec!["/status".to_owned()],
            goes_on: true,
            questions: Vec::new(),
        };
        let answer = answer(Provenance::Turn(Box::new(facts)), "the model's words");
        let shown = plain_body(&in_its_place(&answer, Language::ENGLISH), Language::ENGLISH).first_text();
        assert_eq!(shown, format!("{}\n-# a note", say!(Language::ENGLISH, "answer-not-shown")));
    }

    #[test]
    fn what_a_first_answer_cannot_hold_follows_it_for_the_same_people() {
        let long = Answer::host("word ".repeat(900));
        let first = to_value(first(&long, Vec::new(), Language::ENGLISH)).unwrap();
        let further = to_value(further(&long, Language::ENGLISH)).unwrap();
        let parts = further.as_array().unwrap();
        assert_eq!(parts.len(), 2);
        assert!(parts.iter().all(|part| part["flags"] == 64), "{parts:?}");
        let contents = [&first["data"]["content"], &parts[0]["content"], &parts[1]["content"]];
        let words: usize = contents.iter().map(|text| text.as_str().unwrap().split_whitespace().count()).sum();
        assert_eq!(words, 900);
    }
}
