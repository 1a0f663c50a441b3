//! The head of a frame: operation, sequence and kind, parsed without the data.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

const DISPATCH: u64 = 0;

/// The head of a frame, with its data unparsed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Head<'a> {
    pub(crate) operation: u64,
    /// The number of the event.
    pub(crate) sequence: u64,
    /// The kind of the event. `None` for the kinds that the bot does not use.
    pub(crate) kind: Option<Kind>,
    pub(crate) data: &'a str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Ready,
    Resumed,
    Interaction,
    Message,
    MessageEdited,
    MessageDeleted,
    MessagesDeleted,
    MemberJoined,
    MemberChanged,
    Reacted,
}

impl Kind {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "READY" => Self::Ready,
            "RESUMED" => Self::Resumed,
            "INTERACTION_CREATE" => Self::Interaction,
            "MESSAGE_CREATE" => Self::Message,
            "MESSAGE_UPDATE" => Self::MessageEdited,
            "MESSAGE_DELETE" => Self::MessageDeleted,
            "MESSAGE_DELETE_BULK" => Self::MessagesDeleted,
            "GUILD_MEMBER_ADD" => Self::MemberJoined,
            "GUILD_MEMBER_UPDATE" => Self::MemberChanged,
            "MESSAGE_REACTION_ADD" => Self::Reacted,
            _ => return None,
        })
    }
}

impl<'a> Head<'a> {
    /// Parses the head of a frame. `None` if the text is not a frame.
    pub(crate) fn read(frame: &'a str) -> Option<Self> {
        Self::in_usual_order(frame).or_else(|| Self::slowly(frame))
    }

    pub(crate) fn is_event(&self) -> bool {
        self.operation == DISPATCH
    }

    /// Parses an event as Discord writes it: `{"t":"KIND","s":7,"op":0,"d":{…}}`. The data are not inspected.
    fn in_usual_order(frame: &'a str) -> Option<Self> {
        let (name, rest) = frame.strip_prefix(r#"{"t":""#)?.split_once('"')?;
        let (sequence, rest) = rest.strip_prefix(r#","s":"#)?.split_once(',')?;
        let data = rest.strip_prefix(r#""op":0,"d":"#)?.trim_end().strip_suffix('}')?;
        Some(Self { operation: DISPATCH, sequence: sequence.parse().ok()?, kind: Kind::named(name), data })
    }

    /// Parses the head of a frame in any order. This takes longer.
    pub(crate) fn slowly(frame: &'a str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Wire<'a> {
            op: u64,
            #[serde(default)]
            s: Option<u64>,
            #[serde(default, borrow)]
            t: Option<Cow<'a, str>>,
            #[serde(default, borrow)]
            d: Option<&'a RawValue>,
        }
        let Wire { op, s, t, d } = serde_json::from_str(frame).ok()?;
        let kind = t.as_deref().and_then(Kind::named);
        Some(Self { operation: op, sequence: s.unwrap_or_default(), kind, data: d.map_or("null", RawValue::get) })
    }
}
