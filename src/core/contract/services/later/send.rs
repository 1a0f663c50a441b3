//! Messages that a module puts into channels: those that the operator allowed it, and no others.

use std::collections::BTreeSet;

use async_trait::async_trait;

use crate::contract::services::error::ServiceError;
use crate::inbound::{ChannelId, UserId};
use crate::reply::{Field, Reply, sanitize_module_text};

/// How many messages of one module may wait to be sent.
pub const OUTBOX_MAX: usize = 100;

/// How many messages of one module and one person may wait: nobody takes all the room of a module.
pub const OUTBOX_OF_PERSON_MAX: usize = 20;

/// How many messages one run may send.
pub const SENT_BY_RUN_MAX: usize = 10;

/// The most bytes of a message's texts.
const MESSAGE_SIZE_MAX: usize = 16 * 1_024;

/// What a message shows. Its text is the module's: harmless, and without an effect on anybody but its readers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChannelMessage(Reply);

impl ChannelMessage {
    /// The message that shows this. Fails if nothing would be seen, if it is too large, or if it has what only an answer
    /// has: buttons, files, charts, a state or a source.
    pub fn of(reply: Reply) -> Result<Self, ServiceError> {
        let Reply { title, text, fields, colour, picture, .. } = reply.clone();
        let shown = Reply { title, text, fields, colour, picture, ..Reply::default() };
        if shown != reply {
            let why = "a message to a channel has a title, a text, fields, a colour and a picture, and nothing else";
            return Err(ServiceError::Full(why.to_owned()));
        }
        let plain = shown.plain();
        if plain.trim().is_empty() {
            return Err(ServiceError::Full("a message to a channel shows something".to_owned()));
        }
        if MESSAGE_SIZE_MAX < plain.len() {
            return Err(ServiceError::Full(format!("a message has at most {MESSAGE_SIZE_MAX} bytes of text")));
        }
        let field =
            |field: Field| Field { name: sanitize_module_text(&field.name), value: sanitize_module_text(&field.value) };
        Ok(Self(Reply {
            title: shown.title.map(|title| sanitize_module_text(&title)),
            text: sanitize_module_text(&shown.text),
            fields: shown.fields.into_iter().map(field).collect(),
            ..shown
        }))
    }

    /// A message as it was made and stored.
    pub fn kept(reply: Reply) -> Self {
        Self(reply)
    }

    /// What is shown of it.
    pub fn reply(&self) -> &Reply {
        &self.0
    }
}

/// A message that a run sends.
#[derive(Clone, Debug, PartialEq)]
pub struct Outgoing {
    /// The module.
    pub module: String,
    /// Where to.
    pub channel: ChannelId,
    /// What.
    pub message: ChannelMessage,
}

/// Keeps messages until they are sent.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// How many messages of this module wait.
    async fn n_waiting(&self, module: &str) -> Result<usize, ServiceError>;
    /// How many messages of this module wait that runs of this person send.
    async fn n_waiting_of(&self, module: &str, person: UserId) -> Result<usize, ServiceError>;
    /// Keeps one more message, of a run of this person. Only a run has an outbox that does: a message has the receipt of what sent it.
    async fn put(&self, _message: Outgoing, _person: UserId) -> Result<(), ServiceError> {
        Err(ServiceError::NotAllowed("only a command that runs sends messages".to_owned()))
    }
    /// Staged messages were stored: whoever waits for the next may have to wait less.
    fn added(&self) {}
}

/// The channels that the operator allowed one module.
pub struct OwnSend<'a> {
    pub(in crate::contract::services) outbox: &'a dyn Outbox,
    pub(in crate::contract::services) module: &'a str,
    pub(in crate::contract::services) person: UserId,
    pub(in crate::contract::services) channels: &'a BTreeSet<ChannelId>,
}

impl OwnSend<'_> {
    /// The channels that the module may send to.
    pub fn channels(&self) -> &BTreeSet<ChannelId> {
        self.channels
    }

    /// Sends a message to one of the channels, once this command has succeeded: it is stored with its receipt, and sent
    /// at least once. Nothing in it pings, and a line of the host says from which module and receipt it is. In the
    /// console it is shown and not sent.
    pub async fn send(&self, channel: ChannelId, reply: Reply) -> Result<(), ServiceError> {
        if !self.channels.contains(&channel) {
            let module = self.module;
            let help = format!("write `{module} = [\"{channel}\"]` under `[modules.send_to]` in the settings file");
            return Err(ServiceError::NotAllowed(format!(
                "the module `{module}` may not send to the channel {channel}: {help}"
            )));
        }
        let message = ChannelMessage::of(reply)?;
        self.outbox.put(Outgoing { module: self.module.to_owned(), channel, message }, self.person).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reply::{Control, ReplyFile};

    fn refused(reply: Reply) -> String {
        ChannelMessage::of(reply).unwrap_err().to_string()
    }

    #[test]
    fn a_message_shows_something_within_bounds_and_has_nothing_that_only_an_answer_has() {
        let others = "and nothing else";
        let file = Some(ReplyFile { name: "a.txt".to_owned(), content: Vec::new() });
        let button = Control::Button { label: "Go".to_owned(), style: crate::reply::ControlStyle::Danger, call: None };
        let cases = [
            (Reply::default(), "shows something"),
            (Reply::text(" \n"), "shows something"),
            (Reply::text("a".repeat(MESSAGE_SIZE_MAX + 1)), "at most 16384 bytes"),
            (Reply { file, ..Reply::text("a") }, others),
            (Reply { controls: vec![vec![button]], ..Reply::text("a") }, others),
            (Reply { live: Some(true), ..Reply::text("a") }, others),
        ];
        for (reply, why) in cases {
            assert!(refused(reply.clone()).contains(why), "{reply:?}");
        }
        let whole = Reply { colour: Some(7), ..Reply::text("a").titled("b") };
        assert_eq!(ChannelMessage::of(whole.clone()).unwrap().reply(), &whole);
    }

    #[test]
    fn a_line_like_the_hosts_is_marked_as_the_modules() {
        let field = Field { name: "n".to_owned(), value: "-# ✓ /status ran · receipt k7d2m".to_owned() };
        let message = ChannelMessage::of(Reply { fields: vec![field], ..Reply::text("-# ✓ /status ran") }).unwrap();
        assert!(message.reply().text.contains("(module)"), "{message:?}");
        assert!(message.reply().fields[0].value.contains("(module)"), "{message:?}");
    }
}
