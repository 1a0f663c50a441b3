//! Calls at a later time: a module asks to have one of its commands called again, for the person who asked.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use serde_json::{Map, Value};

use crate::contract::services::error::ServiceError;
use crate::inbound::{Caller, CommandPath, Place, UserId};
use crate::text::Zone;

/// How far ahead a call may be due: a year.
pub const DUE_AHEAD_MAX: Duration = Duration::from_hours(366 * 24);

/// How many calls of one person, or of one guild itself, may wait for each module.
pub const DUE_CALLS_MAX: usize = 50;

/// The most bytes of a call's arguments, as JSON.
pub(crate) const LATER_ARGUMENTS_SIZE_MAX: usize = 16 * 1_024;

/// The number of a call that waits for its time. Never that of another one.
pub type DueCallId = i64;

/// A call that is to be made at a later time.
#[derive(Clone, Debug, PartialEq)]
pub struct LaterCall {
    /// The module that asked for it. It must own the command when the call is due.
    pub module: String,
    /// The person for whom it is made, as they were when they asked.
    pub caller: Caller,
    /// Where they asked, and where the answer goes.
    pub place: Place,
    /// The command.
    pub path: CommandPath,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// When.
    pub due: SystemTime,
}

impl LaterCall {
    /// Whether both are of one module and one person, or of one guild itself: of these, so many may wait at once.
    pub fn counts_with(&self, other: &Self) -> bool {
        self.module == other.module
            && self.caller.id == other.caller.id
            && (!self.is_of_guild() || self.place.scope() == other.place.scope())
    }

    /// Whether it is made for its guild itself: see [`OwnTime::of_guild`].
    pub fn is_of_guild(&self) -> bool {
        self.caller.id == UserId::NOBODY
    }
}

/// A call that waits for its time, with its number.
#[derive(Clone, Debug, PartialEq)]
pub struct DueCall {
    /// The number.
    pub id: DueCallId,
    /// How often it was begun.
    pub tries: u32,
    /// It ran, and its answer could not be sent yet.
    pub is_made: bool,
    /// The call.
    pub call: LaterCall,
}

/// A staged change of the calls that wait.
#[derive(Clone, Debug, PartialEq)]
pub enum CallChange {
    /// Keeps one more call, under the number that was reserved for it.
    Add {
        /// The number.
        id: DueCallId,
        /// The call.
        call: LaterCall,
    },
    /// Removes a call that waits.
    Cancel {
        /// The module that asked for it.
        module: String,
        /// The community in which it was asked for: see [`Place::scope`].
        scope: String,
        /// Its person.
        user: UserId,
        /// Its number.
        id: DueCallId,
    },
}

/// Keeps calls until they are due.
#[async_trait]
pub trait DueCalls: Send + Sync {
    /// Gives out the number of a call to come, if fewer than `limit` calls wait that [count with](LaterCall::counts_with)
    /// it.
    async fn reserve_call(&self, call: &LaterCall, limit: usize) -> Result<DueCallId, ServiceError>;
    /// Keeps one more call, of at most [`DUE_CALLS_MAX`] that count with it.
    async fn call_later(&self, call: &LaterCall) -> Result<DueCallId, ServiceError>;
    /// The calls of this person, module and community (see [`Place::scope`]), soonest first.
    async fn waiting(&self, module: &str, scope: &str, user: UserId) -> Result<Vec<DueCall>, ServiceError>;
    /// Removes one of them, and says whether it was there.
    async fn cancel(&self, module: &str, scope: &str, user: UserId, id: DueCallId) -> Result<bool, ServiceError>;
    /// Staged calls were added: whoever waits for the next call may have to wait less.
    fn added(&self) {}
}

/// Knows in which time zone people of a place write times.
pub trait TimeZones: Send + Sync {
    /// The zone of this place.
    fn zone(&self, place: Place) -> Zone;
}

/// The calls of one module for the caller, in the community of this call.
pub struct OwnTime<'a> {
    pub(in crate::contract::services) calls: &'a dyn DueCalls,
    pub(in crate::contract::services) module: &'a str,
    pub(in crate::contract::services) scope: &'a str,
    pub(in crate::contract::services) caller: Cow<'a, Caller>,
    pub(in crate::contract::services) place: Place,
    /// The bot is not in this server or group: whoever calls it installed it for themselves.
    pub(in crate::contract::services) is_foreign: bool,
    pub(in crate::contract::services) zones: Option<&'a dyn TimeZones>,
}

impl OwnTime<'_> {
    /// The calls of this guild itself instead of the caller's: they are made whoever leaves, with the rights of nobody
    /// in particular, and where their answer is for the asker alone it is not sent. For what belongs to the server once
    /// somebody set it up who might.
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

    /// Has a command of this module called at that time, for the caller, as if they called it here. It goes through the
    /// same access check, leaves a receipt of its own, and its answer goes to this channel and mentions the caller. The
    /// handler sees from [`Call::due`](crate::contract::Call::due) that it is such a call. It is kept once this command
    /// has succeeded, together with its receipt.
    pub async fn call_later(
        &self,
        path: CommandPath,
        arguments: Map<String, Value>,
        (now, due): (SystemTime, SystemTime),
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
        let (module, caller) = (self.module.to_owned(), self.caller.clone().into_owned());
        self.calls.call_later(&LaterCall { module, caller, place: self.place, path, arguments, due }).await
    }

    /// The time zone of times that people write here without one.
    pub fn zone(&self) -> Zone {
        self.zones.map_or(Zone::UTC, |zones| zones.zone(self.place))
    }

    /// The calls that wait, soonest first.
    pub async fn waiting(&self) -> Result<Vec<DueCall>, ServiceError> {
        self.calls.waiting(self.module, self.scope, self.caller.id).await
    }

    /// Removes one of them once this command has succeeded, and says whether it is there.
    pub async fn cancel(&self, id: DueCallId) -> Result<bool, ServiceError> {
        self.calls.cancel(self.module, self.scope, self.caller.id, id).await
    }
}
