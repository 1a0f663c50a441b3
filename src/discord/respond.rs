//! Answers as Discord shows them.
//!
//! A command's answer is an embed whose footer the host wrote from the receipt. A model's answer is plain
//! text with the host's small line below it. The bot's own words are plain text. Nothing ever pings: the
//! REST client allows no mentions, and every body here says so again.

use serenity::builder::{
    CreateAllowedMentions, CreateEmbed, CreateEmbedFooter, CreateInteractionResponse,
    CreateInteractionResponseFollowup, CreateInteractionResponseMessage, CreateMessage, EditInteractionResponse,
};
use serenity::model::channel::{Message, MessageFlags, MessageReference, Nonce};

use crate::reply::{
    Answer, Audience, CONTENT_LENGTH_MAX, Field, Provenance, Reply, generated_label, receipt_footer, split_content,
};

/// Discord's limits on embeds, in characters. See its documentation, "Embed Limits".
const TITLE_MAX: usize = 256;
const DESCRIPTION_MAX: usize = 3_500;
const FIELDS_MAX: usize = 25;
const FIELD_NAME_MAX: usize = 256;
const FIELD_VALUE_MAX: usize = 1_024;
/// All texts of a message's embeds together may have 6,000. What title and description leave is for the fields,
/// the note on those left out (60) and the footer (200).
const FIELDS_TOTAL_MAX: usize = 1_900;

/// The colours of an embed's edge.
const GREEN: u32 = 0x57_F2_87;
const RED: u32 = 0xED_42_45;

/// The first answer to an interaction.
pub(super) fn first(answer: &Answer) -> CreateInteractionResponse {
    let message = CreateInteractionResponseMessage::new()
        .allowed_mentions(CreateAllowedMentions::new())
        .ephemeral(answer.audience == Audience::Asker);
    CreateInteractionResponse::Message(match body(answer) {
        Body::Embed(embed) => message.embed(*embed),
        Body::Texts(texts) => message.content(texts.into_iter().next().unwrap_or_default()),
    })
}

/// The answer to an interaction that was deferred: it takes the place of the waiting note.
pub(super) fn edit(answer: &Answer) -> EditInteractionResponse {
    let message = EditInteractionResponse::new().allowed_mentions(CreateAllowedMentions::new());
    match body(answer) {
        Body::Embed(embed) => message.embed(*embed),
        Body::Texts(texts) => message.content(texts.into_iter().next().unwrap_or_default()),
    }
}

/// What of an interaction's answer did not fit into its first message, in order, seen by the same people.
pub(super) fn further(answer: &Answer) -> Vec<CreateInteractionResponseFollowup> {
    let Body::Texts(texts) = body(answer) else { return Vec::new() };
    let message = |text| {
        CreateInteractionResponseFollowup::new()
            .allowed_mentions(CreateAllowedMentions::new())
            .ephemeral(answer.audience == Audience::Asker)
            .content(text)
    };
    texts.into_iter().skip(1).map(message).collect()
}

/// What is said where Discord does not take an answer as it is: whether a command ran, and nothing else.
pub(super) fn in_its_place(answer: &Answer) -> Answer {
    match &answer.provenance {
        Provenance::Command(receipt) => {
            let command = &receipt.facts().command;
            let record = match receipt.is_kept() {
                true => format!("receipt {}", receipt.id()),
                false => "Its receipt was not kept.".to_owned(),
            };
            Answer::host(format!("`{command}` ran, but its answer could not be shown. {record}"))
        }
        Provenance::Model | Provenance::Host => Answer::host("There is an answer, but it could not be shown."),
    }
}

/// The same below a message.
pub(super) fn message_in_its_place(answer: &Answer, asked: &Message) -> CreateMessage {
    // A nonce of its own: Discord would take it for the message that it refused. At most 25 characters.
    replying(message(asked, "r"), asked).content(in_its_place(answer).reply.plain())
}

/// The messages that answer a message, in order; the first is a reply to it. The nonce makes a second
/// sending of the same answer no second message.
pub(super) fn messages(answer: &Answer, asked: &Message) -> Vec<CreateMessage> {
    match body(answer) {
        // Suppressing link previews would suppress our own embed with them.
        Body::Embed(embed) => {
            vec![replying(message(asked, "0"), asked).flags(MessageFlags::empty()).embed(*embed)]
        }
        Body::Texts(texts) => texts
            .into_iter()
            .enumerate()
            .map(|(index, text)| {
                let message = message(asked, &index.to_string()).content(text);
                if index == 0 { replying(message, asked) } else { message }
            })
            .collect(),
    }
}

fn message(asked: &Message, part: &str) -> CreateMessage {
    CreateMessage::new()
        .allowed_mentions(CreateAllowedMentions::new())
        .flags(MessageFlags::SUPPRESS_EMBEDS)
        .nonce(Nonce::String(format!("{}-{part}", asked.id)))
        .enforce_nonce(true)
}

/// A reply where the message still stands. If its author took it back, the answer is sent all the same.
fn replying(message: CreateMessage, asked: &Message) -> CreateMessage {
    message.reference_message(MessageReference::from(asked).fail_if_not_exists(false))
}

enum Body {
    Embed(Box<CreateEmbed>),
    Texts(Vec<String>),
}

fn body(answer: &Answer) -> Body {
    match &answer.provenance {
        Provenance::Command(receipt) => {
            let done = receipt.facts().outcome == crate::receipt::Outcome::Done;
            let embed = embed(&answer.reply).color(if done { GREEN } else { RED });
            Body::Embed(Box::new(embed.footer(CreateEmbedFooter::new(receipt_footer(receipt)))))
        }
        Provenance::Model => Body::Texts(labelled(&answer.reply.text, &format!("-# {}", generated_label()))),
        Provenance::Host => Body::Texts(split_content(&answer.reply.plain(), CONTENT_LENGTH_MAX)),
    }
}

/// A model's text in pieces, the last of which carries the label: no piece with the label is ever apart
/// from text.
fn labelled(text: &str, label: &str) -> Vec<String> {
    let room = CONTENT_LENGTH_MAX - label.encode_utf16().count() - 1;
    let mut pieces = split_content(text, room);
    match pieces.last_mut() {
        Some(last) => *last = format!("{last}\n{label}"),
        None => pieces.push(label.to_owned()),
    }
    pieces
}

fn embed(reply: &Reply) -> CreateEmbed {
    let mut embed = CreateEmbed::new();
    let title = [&reply.title, &reply.state].into_iter().flatten().cloned().collect::<Vec<_>>().join(" · ");
    if !title.is_empty() {
        embed = embed.title(cut(&title, TITLE_MAX));
    }
    if !reply.text.is_empty() {
        embed = embed.description(cut(&reply.text, DESCRIPTION_MAX));
    }
    let (shown, left_out) = fields(&reply.fields);
    embed = embed.fields(shown.into_iter().map(|(name, value)| (name, value, true)));
    if 0 < left_out {
        embed = embed.field("…", format!("{left_out} more are not shown: Discord takes no larger message."), false);
    }
    embed
}

/// The fields that fit, and how many do not.
fn fields(fields: &[Field]) -> (Vec<(String, String)>, usize) {
    let mut shown = Vec::new();
    let mut total = 0;
    for field in fields {
        let entry = (cut(&field.name, FIELD_NAME_MAX), cut(&field.value, FIELD_VALUE_MAX));
        total += entry.0.chars().count() + entry.1.chars().count();
        // One place is kept for the note on what is left out.
        if FIELDS_TOTAL_MAX < total || FIELDS_MAX - 1 <= shown.len() {
            break;
        }
        shown.push(entry);
    }
    let left_out = fields.len() - shown.len();
    (shown, left_out)
}

/// Text of at most `max` characters. What is cut is marked, and nothing empty is sent: Discord refuses it.
fn cut(text: &str, max: usize) -> String {
    if text.trim().is_empty() {
        return "–".to_owned();
    }
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let note = "… (cut)";
    let kept: String = text.chars().take(max - note.chars().count()).collect();
    format!("{kept}{note}")
}

#[cfg(test)]
mod tests {
    use serde_json::to_value;

    use super::*;

    fn answer(provenance: Provenance, text: &str) -> Answer {
        Answer { reply: Reply::text(text), provenance, audience: Audience::Place }
    }

    #[test]
    fn the_label_stands_under_the_last_piece_of_a_long_answer() {
        let Body::Texts(texts) = body(&answer(Provenance::Model, &"word ".repeat(900))) else { panic!("not text") };
        assert_eq!(texts.len(), 3);
        assert!(texts.iter().all(|text| text.encode_utf16().count() <= CONTENT_LENGTH_MAX));
        let labels: Vec<_> = texts.iter().map(|text| text.ends_with("\n-# generated · no command ran")).collect();
        assert_eq!(labels, [false, false, true]);
    }

    #[test]
    fn nothing_pings() {
        let body = to_value(first(&answer(Provenance::Host, "@everyone <@1>"))).unwrap();
        assert_eq!(body["data"]["allowed_mentions"]["parse"], serde_json::json!([]));
    }

    #[test]
    fn an_embed_keeps_to_the_limits_and_says_what_it_leaves_out() {
        let field = |index: usize| Field { name: format!("name {index}"), value: "v".repeat(60) };
        let reply = Reply { text: "t".repeat(9_000), fields: (0..60).map(field).collect(), ..Reply::default() };
        let embed = to_value(embed(&reply)).unwrap();
        let fields = embed["fields"].as_array().unwrap();
        assert_eq!(fields.len(), 25);
        assert_eq!(fields[24]["value"], "36 more are not shown: Discord takes no larger message.");
        assert!(embed["description"].as_str().unwrap().ends_with("… (cut)"));
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
        let embed = to_value(embed(&reply)).unwrap();
        let length = |value: &serde_json::Value| value.as_str().unwrap().chars().count();
        let fields = embed["fields"].as_array().unwrap();
        let total = length(&embed["title"])
            + length(&embed["description"])
            + fields.iter().map(|field| length(&field["name"]) + length(&field["value"])).sum::<usize>();
        assert!(total + 200 < 6_000, "{total}");
    }

    #[test]
    fn what_a_first_answer_cannot_hold_follows_it_for_the_same_people() {
        let long = Answer::host("word ".repeat(900));
        let first = to_value(first(&long)).unwrap();
        let further = to_value(further(&long)).unwrap();
        let parts = further.as_array().unwrap();
        assert_eq!(parts.len(), 2);
        assert!(parts.iter().all(|part| part["flags"] == 64), "{parts:?}");
        let told = [&first["data"]["content"], &parts[0]["content"], &parts[1]["content"]];
        let words: usize = told.iter().map(|text| text.as_str().unwrap().split_whitespace().count()).sum();
        assert_eq!(words, 900);
    }
}
