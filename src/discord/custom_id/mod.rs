//! Custom ids of components and modals, signed so that they cannot be forged.
//!
//! Anyone can read a custom id, and Discord accepts any id from any client. So each of ours is bound to its purpose,
//! its expiry time and the person it was made for. Some purposes let other people use it too:
//!
//! ```text
//! custom id = base64url(version, mac, body)        at most 100 characters, which are 75 bytes
//! version   = 1 byte
//! mac       = the first 12 bytes of HMAC-SHA256(key, version, body)
//! body      = kind (1), position in the message (1), user (8), end (4, seconds since 1970), payload
//! ```
//!
//! That leaves [`PAYLOAD_MAX`] bytes for the purpose: see [`Purpose`]. The key is created once and stored,
//! so components keep working after a restart.

#[cfg(test)]
mod tests;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Map, Value};
use sha2::Sha256;

use candor_core::inbound::{CommandPath, CommandType, EventId, UserId};
use candor_core::record::TurnId;
use candor_core::reply::PreparedCall;
use candor_engine::SigningKey;

/// The action of a component or modal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Purpose {
    Run(PreparedCall),
    /// Shows a command and asks whether to run it.
    Ask(PreparedCall),
    Fill {
        call: PreparedCall,
        /// The option that gets the chosen value.
        option: String,
    },
    Submit {
        path: CommandPath,
        /// The arguments besides the modal's inputs.
        arguments: Map<String, Value>,
        /// The single-use control that opened the modal, if any: repeated submissions run the command only once.
        control: Option<EventId>,
    },
    Decide(QuestionId, Decision),
    /// Runs the command that was offered under a reply. Fields: the turn and the position of the offer.
    Offer(TurnId, u8),
    Stop(EventId),
    /// Has the model continue the reply of this turn.
    GoOn(TurnId),
    /// Asks the question of this turn again.
    AskAgain(TurnId),
    /// Does nothing: the button is disabled.
    Nothing,
}

/// The purpose does not fit into a custom id. Safe to log: it holds no text of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the path and the arguments do not fit a custom id")]
pub(crate) struct DoesNotFit;

/// The numbers of the kinds. A number never changes its meaning.
const RUN: u8 = 1;
const RUN_IN_PLACE: u8 = 2;
const FILL: u8 = 3;
const FILL_IN_PLACE: u8 = 4;
const SUBMIT: u8 = 5;
const CONFIRM: u8 = 6;
const DECLINE: u8 = 7;
// 8 was the button that saved a memory.
const NOTHING: u8 = 9;
const OFFER: u8 = 10;
const STOP: u8 = 11;
const GO_ON: u8 = 12;
const RUN_ONCE: u8 = 13;
const RUN_ONCE_IN_PLACE: u8 = 14;
const FILL_ONCE: u8 = 15;
const FILL_ONCE_IN_PLACE: u8 = 16;
const ASK_AGAIN: u8 = 17;
const SUBMIT_ONCE: u8 = 18;
const ASK: u8 = 19;

/// Added to the number of a kind that runs a command, if everyone may use the control.
const FOR_EVERYONE: u8 = 0x80;

/// In this order: neither, in place, once, once and in place.
const RUNS: [u8; 4] = [RUN, RUN_IN_PLACE, RUN_ONCE, RUN_ONCE_IN_PLACE];
const FILLS: [u8; 4] = [FILL, FILL_IN_PLACE, FILL_ONCE, FILL_ONCE_IN_PLACE];

impl Purpose {
    pub(crate) fn command(&self) -> Option<&CommandPath> {
        match self {
            Self::Run(call) | Self::Ask(call) | Self::Fill { call, .. } => Some(&call.path),
            Self::Submit { path, .. } => Some(path),
            Self::Decide(..) | Self::Offer(..) | Self::Stop(_) | Self::GoOn(_) | Self::AskAgain(_) | Self::Nothing => {
                None
            }
        }
    }

    /// Returns whether people other than its owner may use it. The action then decides who may.
    pub(crate) fn is_for_others(&self) -> bool {
        matches!(self, Self::Stop(_)) || self.is_for_everyone()
    }

    pub(crate) fn is_for_everyone(&self) -> bool {
        matches!(self, Self::Run(call) | Self::Fill { call, .. } if call.for_everyone)
    }

    pub(crate) fn encode(&self) -> Result<(u8, Vec<u8>), DoesNotFit> {
        let of_call = |call: &PreparedCall, [plain, in_place, once, once_in_place]: [u8; 4]| {
            let kind = match (call.once, call.in_place) {
                (false, false) => plain,
                (false, true) => in_place,
                (true, false) => once,
                (true, true) => once_in_place,
            };
            if call.for_everyone { kind | FOR_EVERYONE } else { kind }
        };
        Ok(match self {
            Self::Run(call) => (of_call(call, RUNS), text(&call.path, &call.arguments)?.into_bytes()),
            Self::Ask(call) => (ASK, text(&call.path, &call.arguments)?.into_bytes()),
            Self::Fill { call, option } => {
                let text = format!("{option} {}", text(&call.path, &call.arguments)?);
                (of_call(call, FILLS), text.into_bytes())
            }
            Self::Submit { path, arguments, control: None } => (SUBMIT, text(path, arguments)?.into_bytes()),
            Self::Submit { path, arguments, control: Some(EventId(control)) } => {
                (SUBMIT_ONCE, [&control.to_be_bytes()[..], text(path, arguments)?.as_bytes()].concat())
            }
            Self::Decide(question, choice) => {
                let kind = match choice {
                    Decision::Confirm => CONFIRM,
                    Decision::Decline => DECLINE,
                };
                (kind, [question.message.to_be_bytes(), question.number.to_be_bytes()].concat())
            }
            Self::Offer(TurnId(number), place) => (OFFER, [&number.to_be_bytes()[..], &[*place]].concat()),
            Self::Stop(EventId(event)) => (STOP, event.to_be_bytes().to_vec()),
            Self::GoOn(TurnId(number)) => (GO_ON, number.to_be_bytes().to_vec()),
            Self::AskAgain(TurnId(number)) => (ASK_AGAIN, number.to_be_bytes().to_vec()),
            Self::Nothing => (NOTHING, Vec::new()),
        })
    }

    pub(crate) fn decode(kind: u8, payload: &[u8]) -> Option<Self> {
        let for_everyone = kind & FOR_EVERYONE != 0;
        let kind = kind & !FOR_EVERYONE;
        if for_everyone && !RUNS.contains(&kind) && !FILLS.contains(&kind) {
            return None;
        }
        let in_place = matches!(kind, RUN_IN_PLACE | RUN_ONCE_IN_PLACE | FILL_IN_PLACE | FILL_ONCE_IN_PLACE);
        let once = matches!(kind, RUN_ONCE | RUN_ONCE_IN_PLACE | FILL_ONCE | FILL_ONCE_IN_PLACE);
        Some(match kind {
            RUN | RUN_IN_PLACE | RUN_ONCE | RUN_ONCE_IN_PLACE => {
                let (path, arguments) = call(std::str::from_utf8(payload).ok()?)?;
                Self::Run(PreparedCall { path, arguments, in_place, once, for_everyone })
            }
            ASK => {
                let (path, arguments) = call(std::str::from_utf8(payload).ok()?)?;
                Self::Ask(PreparedCall { path, arguments, in_place: false, once: true, for_everyone: false })
            }
            FILL | FILL_IN_PLACE | FILL_ONCE | FILL_ONCE_IN_PLACE => {
                let (option, rest) = std::str::from_utf8(payload).ok()?.split_once(' ')?;
                let (path, arguments) = call(rest)?;
                let call = PreparedCall { path, arguments, in_place, once, for_everyone };
                Self::Fill { call, option: option.to_owned() }
            }
            SUBMIT => {
                let (path, arguments) = call(std::str::from_utf8(payload).ok()?)?;
                Self::Submit { path, arguments, control: None }
            }
            SUBMIT_ONCE => {
                let (control, rest) = payload.split_at_checked(8)?;
                let (path, arguments) = call(std::str::from_utf8(rest).ok()?)?;
                Self::Submit { path, arguments, control: Some(EventId(id(control)?)) }
            }
            CONFIRM | DECLINE => {
                let (message, number) = payload.split_at_checked(8)?;
                let question = QuestionId { message: id(message)?, number: id(number)? };
                Self::Decide(question, if kind == CONFIRM { Decision::Confirm } else { Decision::Decline })
            }
            OFFER => {
                let (place, number) = payload.split_last()?;
                Self::Offer(TurnId(id(number)?), *place)
            }
            STOP => Self::Stop(EventId(id(payload)?)),
            GO_ON => Self::GoOn(TurnId(id(payload)?)),
            ASK_AGAIN => Self::AskAgain(TurnId(id(payload)?)),
            NOTHING => Self::Nothing,
            _ => return None,
        })
    }
}

fn id(bytes: &[u8]) -> Option<u64> {
    bytes.try_into().ok().map(u64::from_be_bytes)
}

/// Encodes a call as text. Fails for a context-menu command: a custom id cannot carry its target.
fn text(path: &CommandPath, arguments: &Map<String, Value>) -> Result<String, DoesNotFit> {
    let names: Vec<_> = path.names().collect();
    let is_plain = |name: &&str| is_name(name);
    if path.command_type() != CommandType::Slash || !names.iter().all(is_plain) {
        return Err(DoesNotFit);
    }
    let names = names.join(" ");
    let short = arguments.iter().map(short).collect::<Option<String>>();
    Ok(match short {
        Some(short) => names + &short,
        None => names + &serde_json::to_string(arguments).map_err(|_| DoesNotFit)?,
    })
}

/// Returns whether this is the name of a command or an option and cannot be misread as anything else.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains([' ', '{', ':', '='])
}

/// Encodes an argument after a space, if it can be parsed back.
fn short((name, value): (&String, &Value)) -> Option<String> {
    match value {
        _ if !is_name(name) => None,
        Value::String(text) => (!text.contains([' ', '{'])).then(|| format!(" {name}={text}")),
        Value::Bool(_) | Value::Number(_) => Some(format!(" {name}:{value}")),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn call(text: &str) -> Option<(CommandPath, Map<String, Value>)> {
    if let Some((names, arguments)) = text.find('{').and_then(|at| text.split_at_checked(at)) {
        let names: Vec<_> = names.split(' ').collect();
        return Some((CommandPath::at(CommandType::Slash, &names), serde_json::from_str(arguments).ok()?));
    }
    let (names, short): (Vec<_>, Vec<_>) = text.split(' ').partition(|word| is_name(word));
    let argument = |word: &str| {
        let (name, value) = word.split_at_checked(word.find([':', '='])?)?;
        let value = match value.strip_prefix('=') {
            Some(text) => Value::from(text),
            None => serde_json::from_str(value.strip_prefix(':')?).ok()?,
        };
        Some((name.to_owned(), value))
    };
    let arguments = short.into_iter().map(argument).collect::<Option<Map<_, _>>>()?;
    Some((CommandPath::at(CommandType::Slash, &names), arguments))
}

/// Identifies a question by the message that led to it and a number. It may be guessable, because the user of a button
/// is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct QuestionId {
    pub(crate) message: u64,
    pub(crate) number: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Confirm,
    Decline,
}

/// The longest custom id that Discord accepts, in characters. See its documentation, "Custom ID".
#[cfg(test)]
const CUSTOM_ID_MAX: usize = 100;

/// The maximum payload in bytes: 100 characters of base64, less version, MAC and head.
const PAYLOAD_MAX: usize = 75 - 1 - MAC_LENGTH - HEAD_LENGTH;

/// How long a custom id is valid. The answer to an expired one says how to get a new one.
const LIFETIME: Duration = Duration::from_hours(24);

/// The same for a control for everyone, under a long-lived message. It grants no rights: its user could call the
/// command anyway.
const LIFETIME_FOR_EVERYONE: Duration = Duration::from_hours(31 * 24);

/// The version of the format that this program writes. Every change of the format needs a new version.
const VERSION: u8 = 1;

/// Bytes of the truncated MAC. 96 bits cannot be guessed through Discord's API, which allows a few tries a second.
const MAC_LENGTH: usize = 12;

const HEAD_LENGTH: usize = 14;

/// Prefixes of the unsigned custom ids that earlier versions of this bot wrote.
const UNSIGNED: [&str; 2] = ["confirm:", "fix:"];

pub(crate) struct CustomIds(SigningKey);

#[derive(Clone, Copy)]
pub(crate) struct Signer<'a> {
    ids: &'a CustomIds,
    user: UserId,
    now: SystemTime,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Refused {
    /// Not in the format of this version, or not ours.
    Unknown,
    /// In our format, but with a wrong signature: it was changed or made up.
    Forged,
    /// Ours, but expired. Holds its command, if any.
    Expired(Option<CommandPath>),
    /// Ours, but made for another person. Holds its command, if any.
    Foreign(Option<CommandPath>),
}

/// The content of an authentic custom id. It may have expired or belong to another person.
pub(crate) struct Verified {
    pub(crate) purpose: Purpose,
    /// The person it was made for.
    pub(crate) user: UserId,
    /// When it expires, in seconds since 1970.
    end: u32,
}

impl Verified {
    /// Returns why this person cannot use it now, or `None` if they can.
    pub(crate) fn refused(&self, by: UserId, now: SystemTime) -> Option<Refused> {
        let command = || self.purpose.command().cloned();
        if self.user != by && !self.purpose.is_for_others() {
            return Some(Refused::Foreign(command()));
        }
        (self.end <= seconds(now)).then(|| Refused::Expired(command()))
    }

    pub(crate) fn expires(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(self.end.into())
    }
}

impl Refused {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Forged => "forged",
            Self::Expired(_) => "expired",
            Self::Foreign(_) => "foreign",
        }
    }
}

impl CustomIds {
    pub(crate) fn new(key: SigningKey) -> Self {
        Self(key)
    }

    /// Returns a signer for this person. Custom ids are valid for [`LIFETIME`], those for everyone for
    /// [`LIFETIME_FOR_EVERYONE`].
    pub(crate) fn for_person(&self, user: UserId, now: SystemTime) -> Signer<'_> {
        Signer { ids: self, user, now }
    }

    /// Returns the purpose of a custom id if it is ours, unexpired, and usable by the sender.
    pub(crate) fn open(&self, custom_id: &str, by: UserId, now: SystemTime) -> Result<Purpose, Refused> {
        let verified = self.verify(custom_id)?;
        match verified.refused(by, now) {
            Some(refused) => Err(refused),
            None => Ok(verified.purpose),
        }
    }

    pub(crate) fn verify(&self, custom_id: &str) -> Result<Verified, Refused> {
        if UNSIGNED.iter().any(|former| custom_id.starts_with(former)) {
            return Err(Refused::Expired(None));
        }
        let bytes = URL_SAFE_NO_PAD.decode(custom_id).map_err(|_| Refused::Unknown)?;
        let (&version, signed) = bytes.split_first().ok_or(Refused::Unknown)?;
        if version != VERSION {
            return Err(Refused::Unknown);
        }
        let (mac, body) = signed.split_at_checked(MAC_LENGTH).ok_or(Refused::Forged)?;
        // Compare in constant time, so that the duration does not reveal how many bytes were right.
        self.mac(body).verify_truncated_left(mac).map_err(|_| Refused::Forged)?;
        // Authentic from here on: we wrote it ourselves.
        let head: [u8; HEAD_LENGTH] = body.first_chunk().copied().ok_or(Refused::Forged)?;
        let [kind, _position, user @ .., end_0, end_1, end_2, end_3] = head;
        let payload = body.get(HEAD_LENGTH..).unwrap_or_default();
        let purpose = Purpose::decode(kind, payload).ok_or(Refused::Unknown)?;
        let end = u32::from_be_bytes([end_0, end_1, end_2, end_3]);
        Ok(Verified { purpose, user: UserId(u64::from_be_bytes(user)), end })
    }

    fn mac(&self, body: &[u8]) -> Hmac<Sha256> {
        // HMAC itself pads a shorter key with zeros to the block size of its hash.
        let mut key = [0; 64];
        key.iter_mut().zip(self.0.bytes()).for_each(|(byte, kept)| *byte = *kept);
        Hmac::<Sha256>::new((&key).into()).chain_update([VERSION]).chain_update(body)
    }
}

impl Signer<'_> {
    /// Returns the custom id for this purpose. `position` distinguishes two components of one message with the same
    /// purpose: Discord rejects duplicate custom ids in a message.
    pub(crate) fn sign(&self, purpose: &Purpose, position: u8) -> Result<String, DoesNotFit> {
        let (kind, payload) = purpose.encode()?;
        if PAYLOAD_MAX < payload.len() {
            return Err(DoesNotFit);
        }
        let mut body = vec![kind, position];
        body.extend(self.user.0.to_be_bytes());
        let lifetime = if purpose.is_for_everyone() { LIFETIME_FOR_EVERYONE } else { LIFETIME };
        body.extend(seconds(self.now + lifetime).to_be_bytes());
        body.extend(payload);
        let mac = self.ids.mac(&body).finalize().into_bytes();
        let mut bytes = vec![VERSION];
        bytes.extend(mac.iter().take(MAC_LENGTH));
        bytes.extend(body);
        Ok(URL_SAFE_NO_PAD.encode(bytes))
    }
}

/// Returns seconds since 1970, at most the last second that fits into four bytes (in 2106).
fn seconds(at: SystemTime) -> u32 {
    let since_1970 = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    u32::try_from(since_1970.as_secs()).unwrap_or(u32::MAX)
}
