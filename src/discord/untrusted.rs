//! Fuzzing entry points: parse frames, answers and headers without a connection. The soak test uses them too.

use std::time::{Duration, SystemTime};

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;

use crate::convert::{self, Used};
use crate::custom_id::{CustomIds, Purpose};
use crate::gateway::ignored;
use crate::payload::{Deleted, Head, Joined, Kind, Message, Outline, Reacted, Read, Ready, read, read_interaction};
use crate::render::button;
use crate::rest::{LimitHeaders, clock_off, read_as_each};
use candor_core::inbound::{Inbound, UserId};
use candor_core::language::Language;
use candor_core::reply::PreparedCall;
use candor_engine::SigningKey;

/// Parses a frame of the gateway with its event. Returns whether a session begins with it; `None` if it has no event
/// that the bot uses.
pub fn gateway_frame(frame: &[u8]) -> Option<bool> {
    let head = Head::read(std::str::from_utf8(frame).ok()?).filter(Head::is_event)?;
    let kind = head.kind?;
    match kind {
        Kind::Ready => return read::<Ready<'_>>(head.data).map(|_| true),
        Kind::Resumed => {}
        Kind::Interaction => drop(read_interaction(head.data)),
        Kind::Message | Kind::MessageEdited => drop((read::<Outline>(head.data), Message::read(head.data))),
        Kind::MessageDeleted | Kind::MessagesDeleted => drop(read::<Deleted>(head.data)),
        Kind::MemberJoined | Kind::MemberChanged => drop(read::<Joined<'_>>(head.data)),
        Kind::Reacted => drop(read::<Reacted<'_>>(head.data)),
    }
    Some(false)
}

/// Parses the headers of an answer, given as lines of `name: value`. Returns the waits in them, each an hour at most,
/// and how far the clock is off from their `date`.
pub fn limit_headers(lines: &[u8], now: SystemTime) -> ([Option<Duration>; 2], Option<Duration>) {
    let mut headers = HeaderMap::new();
    for line in lines.split(|&byte| byte == b'\n').take(100) {
        let mut parts = line.splitn(2, |&byte| byte == b':');
        let (Some(name), Some(value)) = (parts.next(), parts.next()) else { continue };
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), HeaderValue::from_bytes(value.trim_ascii())) {
            headers.append(name, value);
        }
    }
    let LimitHeaders { used_up, retry_after, .. } = LimitHeaders::of(&headers);
    let date = headers.get("date").and_then(|date| date.to_str().ok());
    ([used_up, retry_after], date.and_then(|date| clock_off(date, now)))
}

/// Parses the body of an answer to a request, in the way of each request that parses one.
pub fn rest_answer(body: &[u8]) {
    let Ok(answer) = serde_json::from_slice::<Value>(body) else { return };
    read_as_each(&answer);
    let _rows = button::standing(&answer);
    if let Some(message) = Message::of_answer(&answer) {
        let _quoted = convert::quoted(&message, UserId(1));
    }
}

pub struct UntrustedEvents {
    ids: CustomIds,
    bot: UserId,
}

impl UntrustedEvents {
    /// Creates a converter for the bot with this id. Custom ids are its own if they are signed with this key.
    pub fn new(bot: UserId, key: [u8; 32]) -> Self {
        Self { ids: CustomIds::new(SigningKey::new(key)), bot }
    }

    /// Converts the payload of an `INTERACTION_CREATE`. `None` if it cannot be decoded or calls no command.
    pub fn interaction(&self, payload: &[u8], now: SystemTime) -> Option<Inbound> {
        let interaction = match read_interaction(std::str::from_utf8(payload).ok()?)? {
            Read::Command(command) => convert::interaction(&command, Language::ENGLISH),
            Read::Typing(typing) => {
                typing.data.focused()?;
                convert::interaction(&typing, Language::ENGLISH)
            }
            Read::Component(press) => {
                let used = Used::press(&press, Language::ENGLISH);
                let _chosen = convert::chosen(&press);
                self.calling(used, &press.data.custom_id, now)?
            }
            Read::Modal(modal) => {
                let used = Used::submission(&modal, Language::ENGLISH);
                let _fields = convert::fields(&modal).count();
                self.calling(used, &modal.data.custom_id, now)?
            }
            Read::Unread(_) => return None,
        };
        Some(Inbound::Interaction(interaction))
    }

    /// Converts the payload of a `MESSAGE_CREATE`. `None` if it cannot be decoded.
    pub fn message(&self, payload: &[u8]) -> Option<Inbound> {
        let message = Message::read(std::str::from_utf8(payload).ok()?)?;
        Some(convert::message(&message, self.bot, &[], Language::ENGLISH))
    }

    /// Returns whether the payload of a `MESSAGE_CREATE` is dropped unparsed, without a listening channel.
    pub fn ignores(&self, payload: &[u8]) -> bool {
        std::str::from_utf8(payload).is_ok_and(|data| ignored(data, self.bot, |_, _| false).is_some())
    }

    /// Returns whether this bot made a custom id for this person, and it has not expired.
    pub fn is_ours(&self, custom_id: &str, by: UserId, now: SystemTime) -> bool {
        self.ids.open(custom_id, by, now).is_ok()
    }

    /// Returns a custom id that runs this command, if it fits.
    pub fn custom_id(&self, call: PreparedCall, user: UserId, now: SystemTime) -> Option<String> {
        self.ids.for_person(user, now).sign(&Purpose::Run(call), 0).ok()
    }

    fn calling(&self, used: Used, custom_id: &str, now: SystemTime) -> Option<candor_core::inbound::Interaction> {
        match self.ids.open(custom_id, used.caller.id, now).ok()? {
            Purpose::Run(call) => Some(used.calling(&call.path, call.arguments)),
            _ => None,
        }
    }
}
