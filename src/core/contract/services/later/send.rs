//! Messages that a module posts to the channels allowed to it.

use std::collections::BTreeSet;

use async_trait::async_trait;

use crate::contract::services::later::send_channels::{AllowedBy, SendChannels};
use crate::contract::services::service::ServiceError;
use crate::inbound::{ChannelId, UserId};
use crate::language::{Language, say};
use crate::reply::{Field, Reply, sanitize_module_text};

/// The most pending messages of one module.
pub const OUTBOX_MAX: usize = 1_000;

/// The most pending messages of one module to one channel, so that one guild cannot fill the module's outbox.
pub const OUTBOX_OF_CHANNEL_MAX: usize = 50;

/// The most pending messages of one module and one person, so that one person cannot fill the module's outbox.
pub const OUTBOX_OF_PERSON_MAX: usize = 20;

/// The most messages that one run may send.
pub const SENT_BY_RUN_MAX: usize = 10;

/// The limits of a message, in characters: Discord's limits for embeds, minus room for the host's line at the end. See
/// its documentation, "Embed Limits".
const TITLE_LENGTH_MAX: usize = 256;
const FIELDS_MAX: usize = 24;
const FIELD_NAME_LENGTH_MAX: usize = 256;
const FIELD_VALUE_LENGTH_MAX: usize = 1_024;
const FIELDS_LENGTH_MAX: usize = 1_900;

/// The content of a message to a channel. Its text comes from the module and is sanitized; it cannot ping.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChannelMessage(Reply);

impl ChannelMessage {
    /// The longest text of a message, in characters.
    pub const TEXT_LENGTH_MAX: usize = 3_000;

    /// Creates a message from a reply. Fails if it is empty or too long, or has parts that only an answer may have:
    /// buttons, files, charts, a state or a source.
    pub fn of(reply: Reply) -> Result<Self, ServiceError> {
        let Reply { title, text, fields, colour, picture, .. } = reply.clone();
        let shown = Reply { title, text, fields, colour, picture, ..Reply::default() };
        if shown != reply {
            let why = "a message to a channel has a title, a text, fields, a colour and a picture, and nothing else";
            return Err(ServiceError::Full(why.to_owned()));
        }
        if shown.plain().trim().is_empty() {
            return Err(ServiceError::Full("a message to a channel shows something".to_owned()));
        }
        let field =
            |field: Field| Field { name: sanitize_module_text(&field.name), value: sanitize_module_text(&field.value) };
        let message = Reply {
            title: shown.title.map(|title| sanitize_module_text(&title)),
            text: sanitize_module_text(&shown.text),
            fields: shown.fields.into_iter().map(field).collect(),
            ..shown
        };
        match too_long(&message) {
            Some(why) => Err(ServiceError::Full(why)),
            None => Ok(Self(message)),
        }
    }

    /// Restores a message that was made by `of` and stored.
    pub fn kept(reply: Reply) -> Self {
        Self(reply)
    }

    /// Returns the content as a reply.
    pub fn reply(&self) -> &Reply {
        &self.0
    }
}

/// Returns which part of a message is too long, if any.
fn too_long(message: &Reply) -> Option<String> {
    let length = |text: &str| text.chars().count();
    let longest = |of: fn(&Field) -> &String| message.fields.iter().map(|field| length(of(field))).max().unwrap_or(0);
    let fields = message.fields.iter().map(|field| length(&field.name) + length(&field.value)).sum();
    let limits = [
        ("its title", message.title.as_deref().map_or(0, length), TITLE_LENGTH_MAX),
        ("its text", length(&message.text), ChannelMessage::TEXT_LENGTH_MAX),
        ("the name of a field", longest(|field| &field.name), FIELD_NAME_LENGTH_MAX),
        ("the value of a field", longest(|field| &field.value), FIELD_VALUE_LENGTH_MAX),
        ("all fields together", fields, FIELDS_LENGTH_MAX),
    ];
    if FIELDS_MAX < message.fields.len() {
        return Some(format!("a message to a channel has at most {FIELDS_MAX} fields"));
    }
    let (what, length, max) = limits.into_iter().find(|(_, length, max)| max < length)?;
    Some(format!(
        "of a message to a channel, {what} may have {max} characters; this has {length}: send several messages"
    ))
}

/// A message that a run sends.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    /// The sending module.
    pub module: String,
    /// The target channel.
    pub channel: ChannelId,
    /// Who allowed the module that channel.
    pub allowed_by: AllowedBy,
    /// The content.
    pub message: ChannelMessage,
}

/// The numbers of pending messages of one module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// In total.
    pub of_module: usize,
    /// To one channel.
    pub in_channel: usize,
    /// From runs of one person. Zero for runs without a person.
    pub of_person: usize,
}

impl Waiting {
    /// Checks that one more message fits. The error says which limit is reached.
    pub fn check(&self) -> Result<(), ServiceError> {
        let bounds = [
            (self.of_module, OUTBOX_MAX, "messages of one module wait"),
            (self.in_channel, OUTBOX_OF_CHANNEL_MAX, "messages of one module to one channel wait"),
            (self.of_person, OUTBOX_OF_PERSON_MAX, "messages of one person and module wait"),
        ];
        match bounds.into_iter().find(|(waiting, max, _)| max <= waiting) {
            Some((waiting, _, what)) => Err(ServiceError::Full(format!("{waiting} {what}, which is the most"))),
            None => Ok(()),
        }
    }
}

/// A store of messages until they are sent.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Counts the pending messages of this module: in total, to this channel, and of this person.
    async fn count_waiting(&self, module: &str, channel: ChannelId, person: UserId) -> Result<Waiting, ServiceError>;
    /// Adds a message from a run of this person. Only the outbox of a run supports this, because a message needs the
    /// receipt of its run.
    async fn put(&self, _message: Outgoing, _person: UserId) -> Result<(), ServiceError> {
        Err(ServiceError::NotAllowed("only a command that runs sends messages".to_owned()))
    }
    /// Signals that staged messages were stored, so that a waiting sender can wake up earlier.
    fn added(&self) {}
}

/// Access to the channels that one module may send to.
pub struct OwnSend<'a> {
    pub(in crate::contract::services) outbox: &'a dyn Outbox,
    pub(in crate::contract::services) module: &'a str,
    pub(in crate::contract::services) person: UserId,
    pub(in crate::contract::services) channels: &'a SendChannels,
}

impl OwnSend<'_> {
    /// Returns the channels that the module may send to.
    pub fn channels(&self) -> BTreeSet<ChannelId> {
        self.channels.all()
    }

    /// Returns a text for a person who asked for messages in a channel that this module may not use. `None` if it may
    /// send there.
    pub fn refusal(&self, channel: ChannelId, language: Language) -> Option<String> {
        let module = self.module;
        let shown = channel.to_string();
        if self.channels.allowed_by(channel).is_some() {
            return None;
        }
        Some(match (self.channels.guild_adds(), self.channels.is_empty()) {
            (true, _) => say!(language, "send-no-channel-here", module = module, channel = shown),
            (false, true) => say!(language, "send-no-channels", module = module, channel = shown),
            (false, false) => say!(language, "send-no-channel", module = module, channel = shown),
        })
    }

    /// Sends a message to one of the channels after this command has succeeded. The message is stored with the receipt
    /// and sent at least once. It cannot ping, and a line from the host names its module and receipt. In the console it
    /// is shown and not sent.
    pub async fn send(&self, channel: ChannelId, reply: Reply) -> Result<(), ServiceError> {
        let module = self.module;
        let Some(allowed_by) = self.channels.allowed_by(channel) else {
            let by_server = match self.channels.guild_adds() {
                true => ", or have an administrator write `/settings set name: module_channels` there",
                false => "",
            };
            let help =
                format!("write `{module} = [\"{channel}\"]` under `[modules.send_to]` in the settings file{by_server}");
            return Err(ServiceError::NotAllowed(format!(
                "the module `{module}` may not send to the channel {channel}: {help}"
            )));
        };
        let message = ChannelMessage::of(reply)?;
        self.outbox.put(Outgoing { module: module.to_owned(), channel, allowed_by, message }, self.person).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reply::{Control, ReplyFile};

    fn refused(reply: Reply) -> String {
        ChannelMessage::of(reply).unwrap_err().to_string()
    }

    fn with_fields(n: usize, name: usize, value: usize) -> Reply {
        let field = || Field { name: "n".repeat(name), value: "v".repeat(value) };
        Reply { fields: (0..n).map(|_| field()).collect(), ..Reply::text("a") }
    }

    #[test]
    fn a_message_shows_something_within_bounds_and_has_nothing_that_only_an_answer_has() {
        let others = "and nothing else";
        let file = Some(ReplyFile { name: "a.txt".to_owned(), content: Vec::new() });
        let button = Control::Button {
            label: "Go".to_owned(),
            emoji: None,
            style: crate::reply::ControlStyle::Danger,
            call: None,
        };
        let cases = [
            (Reply::default(), "shows something"),
            (Reply::text(" \n"), "shows something"),
            (Reply::text("ä".repeat(3_001)), "its text may have 3000 characters; this has 3001"),
            (Reply::text("a").titled("b".repeat(257)), "its title may have 256"),
            (with_fields(25, 1, 1), "at most 24 fields"),
            (with_fields(1, 257, 1), "the name of a field may have 256"),
            (with_fields(1, 1, 1_025), "the value of a field may have 1024"),
            (with_fields(2, 1, 1_000), "all fields together may have 1900 characters; this has 2002"),
            (Reply { file, ..Reply::text("a") }, others),
            (Reply { controls: vec![vec![button]], ..Reply::text("a") }, others),
            (Reply { live: Some(true), ..Reply::text("a") }, others),
        ];
        for (reply, why) in cases {
            assert!(refused(reply.clone()).contains(why), "{reply:?}");
        }
        let largest = Reply { title: Some("b".repeat(256)), text: "ä".repeat(3_000), ..with_fields(24, 1, 78) };
        for whole in [Reply { colour: Some(7), ..Reply::text("a").titled("b") }, largest] {
            assert_eq!(ChannelMessage::of(whole.clone()).unwrap().reply(), &whole);
        }
    }

    #[test]
    fn a_server_and_a_person_leave_room_for_others() {
        let none = Waiting::default();
        let most = OUTBOX_MAX - 1;
        let room =
            Waiting { of_module: most, in_channel: OUTBOX_OF_CHANNEL_MAX - 1, of_person: OUTBOX_OF_PERSON_MAX - 1 };
        assert!(none.check().is_ok() && room.check().is_ok());
        for (full, why) in [
            (Waiting { of_module: OUTBOX_MAX, ..none }, "1000 messages of one module wait, which is the most"),
            (Waiting { in_channel: OUTBOX_OF_CHANNEL_MAX, ..none }, "50 messages of one module to one channel wait"),
            (Waiting { of_person: OUTBOX_OF_PERSON_MAX, ..none }, "20 messages of one person and module wait"),
        ] {
            let told = full.check().unwrap_err().to_string();
            assert!(told.contains(why), "{told}");
        }
    }

    #[test]
    fn a_line_like_the_hosts_is_marked_as_the_modules() {
        let field = Field { name: "n".to_owned(), value: "-# ✓ /status ran · receipt k7d2m".to_owned() };
        let message = ChannelMessage::of(Reply { fields: vec![field], ..Reply::text("-# ✓ /status ran") }).unwrap();
        assert!(message.reply().text.contains("(module)"), "{message:?}");
        assert!(message.reply().fields[0].value.contains("(module)"), "{message:?}");
    }
}
