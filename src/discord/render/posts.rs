//! Renders an answer to a message, as messages of its channel.

use serenity::builder::{
    CreateActionRow, CreateAllowedMentions, CreateAttachment, CreateEmbed, CreateEmbedFooter, CreateMessage,
    EditAttachments, EditMessage,
};
use serenity::model::channel::{MessageFlags, MessageReference, Nonce};
use serenity::model::id::{ChannelId, MessageId, UserId};

use crate::custom_id::Signer;
use crate::render::mentions::Mentions;
use crate::render::respond::{AnswerBody, DESCRIPTION_MAX, body, embed, files};
use crate::render::turn_text::{TurnText, TurnTexts};
use crate::render::{button, controls};
use candor_core::inbound::EventId;
use candor_core::language::Language;
use candor_core::reply::{Answer, Provenance, Reply};
use candor_core::text::shortened;

/// One message of an answer. It never pings or unfurls a link.
#[derive(Clone)]
pub(crate) struct Post {
    content: Content,
    rows: Vec<CreateActionRow>,
    /// A file for the host's own words: its name and text.
    attached: Option<(&'static str, String)>,
}

#[derive(Clone)]
enum Content {
    Text(String),
    Turn(TurnText, Option<String>),
    Embed(Box<CreateEmbed>, Vec<CreateAttachment>),
}

/// The name of the file with a reply that is longer than its messages.
const REPLY_FILE: &str = "reply.md";

/// Renders the messages of an answer, in order. Commands that a model names become mentions; components are for the
/// person of this signer.
pub(crate) fn posts(answer: &Answer, mentions: &Mentions, signer: Signer<'_>, language: Language) -> Vec<Post> {
    let post = |content| Post { content, rows: Vec::new(), attached: None };
    let mut posts: Vec<_> = match body(answer, language, |text| mentions.mention(text)) {
        AnswerBody::Embed(embed) => vec![post(Content::Embed(embed, files(answer)))],
        AnswerBody::Texts(texts) => texts.into_iter().map(Post::text).collect(),
        AnswerBody::Turn(TurnTexts { messages, mut file }) => {
            let n_messages = messages.len();
            let of_message = |(n, message)| post(Content::Turn(message, file.take_if(|_| n == n_messages)));
            (1..).zip(messages).map(of_message).collect()
        }
    };
    if let Some(last) = posts.last_mut() {
        last.rows = controls::rows(answer, signer);
        last.rows.extend(buttons(answer, signer, language));
    }
    posts
}

/// Renders an answer as one message without components, for a live message. `None` if there is nothing to show.
pub(crate) fn without_components(answer: &Answer, language: Language) -> Option<Post> {
    match body(answer, language, str::to_owned) {
        AnswerBody::Embed(embed) => {
            Some(Post { content: Content::Embed(embed, files(answer)), rows: Vec::new(), attached: None })
        }
        AnswerBody::Texts(texts) => texts.into_iter().next().map(Post::text),
        AnswerBody::Turn(texts) => texts.messages.into_iter().next().map(|message| Post::text(message.content())),
    }
}

fn buttons(answer: &Answer, signer: Signer<'_>, language: Language) -> Option<CreateActionRow> {
    match &answer.provenance {
        Provenance::Turn(facts) => button::of_turn(facts, signer, language),
        Provenance::Command(_) | Provenance::Host => None,
    }
}

impl Post {
    /// Creates a message with the host's own words.
    pub(crate) fn text(text: String) -> Self {
        Self { content: Content::Text(text), rows: Vec::new(), attached: None }
    }

    /// Creates a message from the stored text of a command's answer, with the host's footer.
    pub(crate) fn kept(text: &str, footer: String) -> Self {
        let embed = CreateEmbed::new().description(shortened(text, DESCRIPTION_MAX));
        let embed = embed.footer(CreateEmbedFooter::new(footer));
        Self { content: Content::Embed(Box::new(embed), Vec::new()), rows: Vec::new(), attached: None }
    }

    /// Creates a module's message to a channel, with the host's footer.
    pub(crate) fn of_module(shown: &Reply, footer: String, language: Language) -> Self {
        let embed = embed(shown, &[], language).footer(CreateEmbedFooter::new(footer));
        let embed = shown.colour.into_iter().fold(embed, CreateEmbed::color);
        Self { content: Content::Embed(Box::new(embed), Vec::new()), rows: Vec::new(), attached: None }
    }

    pub(crate) fn with(mut self, row: CreateActionRow) -> Self {
        self.rows.push(row);
        self
    }

    pub(crate) fn attached(self, name: &'static str, text: String) -> Self {
        Self { attached: Some((name, text)), ..self }
    }

    /// Converts it into the end of a turn's answer, after its further messages could not be sent. `None` for other
    /// answers: their text needs no line of the host.
    pub(crate) fn ended(&self, answer: &Answer, signer: Signer<'_>, language: Language) -> Option<Self> {
        let (Provenance::Turn(facts), Content::Turn(text, _)) = (&answer.provenance, &self.content) else {
            return None;
        };
        let rows = buttons(answer, signer, language).into_iter().collect();
        Some(Self { content: Content::Text(text.ended(facts, language)), rows, attached: None })
    }

    /// Renders a new message in answer to this event. `part` ends its nonce and differs for each part: sending it again
    /// then creates no second message.
    pub(crate) fn created(&self, event: EventId, part: &str) -> CreateMessage {
        // A nonce has at most 25 characters, an id 19.
        self.alone(format!("{event}-{part}"))
    }

    /// Renders a new message that is not a reply.
    pub(crate) fn alone(&self, nonce: String) -> CreateMessage {
        let message = CreateMessage::new()
            .allowed_mentions(CreateAllowedMentions::new())
            .nonce(Nonce::String(nonce))
            .enforce_nonce(true);
        let message = if self.rows.is_empty() { message } else { message.components(self.rows.clone()) };
        match &self.content {
            // Suppressing link previews would also suppress our own embed.
            Content::Embed(embed, files) => message.embed((**embed).clone()).files(files.clone()),
            Content::Text(_) | Content::Turn(..) => {
                message.flags(MessageFlags::SUPPRESS_EMBEDS).content(self.words()).files(self.files())
            }
        }
    }

    /// Renders a new message that pings only this person.
    pub(crate) fn calling(&self, nonce: String, person: UserId) -> CreateMessage {
        let mention = format!("<@{person}>");
        let content = match &self.content {
            Content::Embed(..) => mention,
            Content::Text(_) | Content::Turn(..) => format!("{mention}\n{}", self.words()),
        };
        self.alone(nonce).content(content).allowed_mentions(CreateAllowedMentions::new().users([person]))
    }

    pub(crate) fn files(&self) -> Vec<CreateAttachment> {
        match &self.content {
            Content::Text(_) => {
                self.attached.iter().map(|(name, text)| CreateAttachment::bytes(text.as_bytes(), *name)).collect()
            }
            Content::Turn(_, file) => {
                file.iter().map(|text| CreateAttachment::bytes(text.as_bytes(), REPLY_FILE)).collect()
            }
            Content::Embed(_, files) => files.clone(),
        }
    }

    /// Renders an edit of a message of ours.
    pub(crate) fn edited(&self) -> EditMessage {
        let message = EditMessage::new().allowed_mentions(CreateAllowedMentions::new()).components(self.rows.clone());
        let attachments = self.files().into_iter().fold(EditAttachments::new(), EditAttachments::add);
        match &self.content {
            Content::Text(_) => message.flags(MessageFlags::SUPPRESS_EMBEDS).content(self.words()),
            Content::Turn(..) => {
                message.flags(MessageFlags::SUPPRESS_EMBEDS).content(self.words()).attachments(attachments)
            }
            Content::Embed(embed, _) => {
                message.flags(MessageFlags::empty()).content("").embed((**embed).clone()).attachments(attachments)
            }
        }
    }

    /// Returns its text; empty for an embed.
    fn words(&self) -> String {
        match &self.content {
            Content::Text(text) => text.clone(),
            Content::Turn(text, _) => text.content(),
            Content::Embed(..) => String::new(),
        }
    }
}

/// Makes the message a reply. It is sent even if the message that it replies to was deleted.
pub(crate) fn replying(message: CreateMessage, to: (ChannelId, MessageId)) -> CreateMessage {
    message.reference_message(MessageReference::from(to).fail_if_not_exists(false))
}

#[cfg(test)]
mod tests {
    use serde_json::{json, to_value};

    use super::*;
    use crate::custom_id::CustomIds;
    use candor_core::inbound::UserId;
    use candor_core::record::TurnId;
    use candor_core::reply::Mark;
    use candor_core::reply::{Author, TurnFacts};
    use candor_engine::SigningKey;

    #[test]
    fn the_button_stands_under_the_last_message_and_nothing_pings_or_unfurls() {
        let facts = |offers: &[&str]| TurnFacts {
            turn: Some(TurnId(7)),
            author: Author::Model,
            mark: Mark::default(),
            notes: Vec::new(),
            offers: offers.iter().map(|&offer| offer.to_owned()).collect(),
            goes_on: false,
            questions: Vec::new(),
        };
        for (offers, buttons) in [(&["/memory save", "/tasks add"][..], vec![0, 1]), (&[], vec![0, 0])] {
            let answer = Answer::of_turn("word ".repeat(500), facts(offers));
            let ids = CustomIds::new(SigningKey::new([7; 32]));
            let posts = posts(
                &answer,
                &Mentions::default(),
                ids.for_person(UserId(7), std::time::SystemTime::UNIX_EPOCH),
                Language::ENGLISH,
            );
            let edits: Vec<_> = posts.iter().map(|post| to_value(post.edited()).unwrap()).collect();
            let found: Vec<_> = edits.iter().map(|edit| edit["components"].as_array().unwrap().len()).collect();
            assert_eq!(found, buttons);
            for edit in edits {
                assert_eq!((&edit["flags"], &edit["allowed_mentions"]["parse"]), (&json!(4), &json!([])));
            }
        }
    }
}
