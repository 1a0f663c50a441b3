//! Work that happens after a run: later calls and messages to channels. Both are stored with the run's receipt.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde_json::{Map, Value};

use crate::contract::services::service::ServiceError;
use crate::inbound::{Caller, ChannelId, CommandPath, GuildId, Place, UserId};
use crate::language::{Language, say};
use crate::reply::{Field, Reply, sanitize_module_text};
use crate::text::Zone;

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

/// The operator's rules on where a module may post on its own; by default nowhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SendPolicy {
    /// The channels: `[modules.send_to]`.
    pub channels: BTreeSet<ChannelId>,
    /// Whether guild administrators may add channels of their guild: `[chat] server_settings` has `module_channels`.
    pub servers_add: bool,
}

impl SendPolicy {
    /// Returns whether there is, or may be, a channel in which the module may post.
    pub fn is_open(&self) -> bool {
        self.servers_add || !self.channels.is_empty()
    }
}

/// The authority that allowed a channel to a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedBy {
    /// The operator.
    Operator,
    /// The administrators of this guild. The channel must belong to it when the message is sent.
    Guild(GuildId),
}

/// The channels in which a module may post on its own, at the place of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SendChannels {
    policy: Arc<SendPolicy>,
    of_guild: Option<(GuildId, BTreeSet<ChannelId>)>,
}

impl SendChannels {
    /// Creates the channels that the operator allows.
    pub fn of_operator(policy: Arc<SendPolicy>) -> Self {
        Self { policy, of_guild: None }
    }

    /// Adds the channels that the guild's administrators allow. They count only if the operator permits that.
    #[must_use]
    pub fn with_guild(self, guild: GuildId, channels: BTreeSet<ChannelId>) -> Self {
        let of_guild = self.policy.servers_add.then_some((guild, channels));
        Self { of_guild, ..self }
    }

    /// Returns who allows this channel, if anyone.
    pub fn allowed_by(&self, channel: ChannelId) -> Option<AllowedBy> {
        if self.policy.channels.contains(&channel) {
            return Some(AllowedBy::Operator);
        }
        let (guild, channels) = self.of_guild.as_ref()?;
        channels.contains(&channel).then_some(AllowedBy::Guild(*guild))
    }

    /// Returns all channels, ordered by id.
    pub fn all(&self) -> BTreeSet<ChannelId> {
        let of_guild = self.of_guild.iter().flat_map(|(_, channels)| channels);
        self.policy.channels.iter().chain(of_guild).copied().collect()
    }

    /// Returns whether no channel is allowed.
    pub fn is_empty(&self) -> bool {
        self.policy.channels.is_empty() && self.of_guild.as_ref().is_none_or(|(_, channels)| channels.is_empty())
    }

    /// Returns whether the guild's administrators may allow more.
    pub fn guild_adds(&self) -> bool {
        self.of_guild.is_some()
    }
}

impl FromIterator<ChannelId> for SendChannels {
    /// Creates channels that the operator allows.
    fn from_iter<C: IntoIterator<Item = ChannelId>>(channels: C) -> Self {
        Self::of_operator(Arc::new(SendPolicy { channels: channels.into_iter().collect(), servers_add: false }))
    }
}

/// How far ahead a call may be due: a year.
pub const DUE_AHEAD_MAX: Duration = Duration::from_hours(366 * 24);

/// The most pending calls of one person, or of one guild itself, for each module.
pub const DUE_CALLS_MAX: usize = 50;

/// In bytes, as JSON.
pub(crate) const LATER_ARGUMENTS_SIZE_MAX: usize = 16 * 1_024;

/// The number of a later call. Never reused.
pub type DueCallId = i64;

/// A call to make at a later time.
#[derive(Clone, Debug, PartialEq)]
pub struct LaterCall {
    /// The module that asked for it. It must own the command when the call is due.
    pub module: String,
    /// The person for whom it is made, with the details from when they asked.
    pub caller: Caller,
    /// Where they asked, and where the answer goes.
    pub place: Place,
    /// The command.
    pub path: CommandPath,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// When the call is due.
    pub due: SystemTime,
}

impl LaterCall {
    /// Returns whether both calls count towards the same limit: one module, and one person or one guild itself.
    pub fn counts_with(&self, other: &Self) -> bool {
        self.module == other.module
            && self.caller.id == other.caller.id
            && (!self.is_of_guild() || self.place.scope() == other.place.scope())
    }

    /// Returns whether it is made for its guild itself. See [`OwnTime::of_guild`].
    pub fn is_of_guild(&self) -> bool {
        self.caller.id == UserId::NOBODY
    }
}

/// A pending call with its number.
#[derive(Clone, Debug, PartialEq)]
pub struct DueCall {
    /// The number.
    pub id: DueCallId,
    /// How often a run of it was started.
    pub tries: u32,
    /// Whether it ran, but its answer could not be sent yet.
    pub is_made: bool,
    /// The call.
    pub call: LaterCall,
}

/// A staged change of the pending calls.
#[derive(Clone, Debug, PartialEq)]
pub enum CallChange {
    /// Adds a call under its reserved number.
    Add {
        /// The number.
        id: DueCallId,
        /// The call.
        call: LaterCall,
    },
    /// Removes a pending call.
    Cancel {
        /// The module that asked for it.
        module: String,
        /// The community in which it was asked for. See [`Place::scope`].
        scope: String,
        /// The person for whom it is made.
        user: UserId,
        /// Its number.
        id: DueCallId,
    },
}

/// A store of calls until they are due.
#[async_trait]
pub trait DueCalls: Send + Sync {
    /// Reserves the number of a new call, if fewer than `limit` pending calls [count with](LaterCall::counts_with) it.
    async fn reserve_call(&self, call: &LaterCall, limit: usize) -> Result<DueCallId, ServiceError>;
    /// Adds a call. At most [`DUE_CALLS_MAX`] may count with it.
    async fn call_later(&self, call: &LaterCall) -> Result<DueCallId, ServiceError>;
    /// Returns the pending calls of this person, module and community (see [`Place::scope`]), soonest first.
    async fn waiting(&self, module: &str, scope: &str, user: UserId) -> Result<Vec<DueCall>, ServiceError>;
    /// Removes a pending call. Returns whether it existed.
    async fn cancel(&self, module: &str, scope: &str, user: UserId, id: DueCallId) -> Result<bool, ServiceError>;
    /// Signals that staged calls were stored, so that a waiting scheduler can wake up earlier.
    fn added(&self) {}
}

/// The time zones in which people of a place write times.
pub trait TimeZones: Send + Sync {
    /// Returns the zone of this place.
    fn zone(&self, place: Place) -> Zone;
}

/// The later calls of one module for the caller, in the community of this call.
pub struct OwnTime<'a> {
    pub(in crate::contract::services) calls: &'a dyn DueCalls,
    pub(in crate::contract::services) module: &'a str,
    pub(in crate::contract::services) caller: Cow<'a, Caller>,
    pub(in crate::contract::services) place: Place,
    /// The bot is not a member of this server or group; the caller installed it for themselves.
    pub(in crate::contract::services) is_foreign: bool,
    pub(in crate::contract::services) zones: Option<&'a dyn TimeZones>,
}

impl OwnTime<'_> {
    /// Selects the calls of this guild itself instead of the caller's, for things that belong to the guild once an
    /// authorized member set them up. They run even if that member leaves, and with no individual's rights. If the
    /// answer would be for the asker alone, it is not sent.
    ///
    /// # Errors
    /// Outside of guilds.
    pub fn of_guild(self) -> Result<Self, ServiceError> {
        let Place::Guild { .. } = self.place else {
            return Err(ServiceError::NotAllowed("only a guild has calls of its own".to_owned()));
        };
        let caller = Cow::Owned(Caller::of_guild(self.caller.language));
        Ok(Self { caller, ..self })
    }

    /// Adds a later call of one of this module's commands, as if the caller called it here at that time. It passes the
    /// same access check and leaves a separate receipt. Its answer goes to this channel and mentions the caller. The
    /// handler recognizes such a call by [`Call::due`](crate::contract::Call::due). The call is stored with this
    /// command's receipt, once the command has succeeded.
    pub async fn call_later(
        &self,
        path: CommandPath,
        arguments: Map<String, Value>,
        now: SystemTime,
        due: SystemTime,
    ) -> Result<DueCallId, ServiceError> {
        if self.place == Place::Console {
            return Err(ServiceError::Full("nothing is called later in the console".to_owned()));
        }
        if self.is_foreign {
            return Err(ServiceError::NotHere);
        }
        if due.duration_since(now).is_ok_and(|ahead| DUE_AHEAD_MAX < ahead) {
            return Err(ServiceError::Full("a call is due within a year".to_owned()));
        }
        if LATER_ARGUMENTS_SIZE_MAX < serde_json::to_string(&arguments).map_or(usize::MAX, |json| json.len()) {
            return Err(ServiceError::Full(format!(
                "a later call has at most {LATER_ARGUMENTS_SIZE_MAX} bytes of arguments"
            )));
        }
        let module = self.module.to_owned();
        let caller = self.caller.clone().into_owned();
        self.calls.call_later(&LaterCall { module, caller, place: self.place, path, arguments, due }).await
    }

    /// Returns the time zone for times that people write here without one.
    pub fn zone(&self) -> Zone {
        self.zones.map_or(Zone::UTC, |zones| zones.zone(self.place))
    }

    /// Returns the pending calls, soonest first.
    pub async fn waiting(&self) -> Result<Vec<DueCall>, ServiceError> {
        self.calls.waiting(self.module, &self.place.scope(), self.caller.id).await
    }

    /// Removes a pending call once this command has succeeded. Returns whether it exists.
    pub async fn cancel(&self, id: DueCallId) -> Result<bool, ServiceError> {
        self.calls.cancel(self.module, &self.place.scope(), self.caller.id, id).await
    }
}

#[cfg(test)]
mod send_tests {
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

#[cfg(test)]
mod send_channels_tests {
    use super::*;

    #[test]
    fn a_channel_is_the_operators_or_else_the_guilds_and_a_guild_counts_where_the_operator_lets_it() {
        let here = GuildId(1);
        let ids = |ids: &[u64]| ids.iter().copied().map(ChannelId).collect::<BTreeSet<_>>();
        let policy = |servers_add| Arc::new(SendPolicy { channels: ids(&[5]), servers_add });
        let open = SendChannels::of_operator(policy(true)).with_guild(here, ids(&[5, 6]));
        let closed = SendChannels::of_operator(policy(false)).with_guild(here, ids(&[5, 6]));
        let elsewhere = SendChannels::of_operator(policy(true));
        let by = |channels: &SendChannels| [5, 6, 7].map(|id| channels.allowed_by(ChannelId(id)));
        assert_eq!(by(&open), [Some(AllowedBy::Operator), Some(AllowedBy::Guild(here)), None]);
        for only_operators in [&closed, &elsewhere] {
            assert_eq!(by(only_operators), [Some(AllowedBy::Operator), None, None]);
            assert_eq!((only_operators.all(), only_operators.guild_adds()), (ids(&[5]), false));
        }
        assert_eq!((open.all(), open.guild_adds(), open.is_empty()), (ids(&[5, 6]), true, false));
        let nothing = SendChannels::of_operator(Arc::new(SendPolicy { servers_add: true, ..SendPolicy::default() }));
        assert!(nothing.is_empty() && nothing.clone().with_guild(here, ids(&[])).is_empty());
        assert!(!nothing.with_guild(here, ids(&[6])).is_empty());
    }
}
