//! Later calls: a module has one of its commands called again later, for the person who asked.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde_json::{Map, Value};

use crate::contract::services::service::ServiceError;
use crate::inbound::{Caller, CommandPath, Place, UserId};
use crate::text::Zone;

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
