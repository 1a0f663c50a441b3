//! Later calls of a program: each request lists the pending calls, and its answer adds and removes some.

use std::time::{Duration, SystemTime};

use serde::Deserialize;
use serde_json::{Map, Value, json};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use crate::contract::code::{Call, CommandError};
use crate::contract::outside::start::{Misshapen, OutsideError};
use crate::contract::services::{
    DUE_AHEAD_MAX, DUE_CALLS_MAX, DueCall, DueCallId, LATER_ARGUMENTS_SIZE_MAX, ServiceError,
};
use crate::inbound::{CommandPath, CommandType, Place};
use crate::language::say;
use crate::text::utc_text;

/// The most later calls that one run may add and cancel.
const CHANGES_MAX: usize = 20;

/// The minimum delay of a later call that a later call asks for, so that a chain of them cannot flood a channel.
const CHAIN_PAUSE: Duration = Duration::from_secs(10);

/// The pending calls shown to a program: those of its caller here, and those of the guild itself.
#[derive(Debug, Default)]
pub(super) struct GivenLater {
    own: Vec<DueCall>,
    of_server: Vec<DueCall>,
    zone: Option<String>,
}

/// The later calls that a program adds and cancels.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LaterChanges {
    call: Vec<PrintedCall>,
    cancel: Vec<DueCallId>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct PrintedCall {
    /// A command of its module, with slash, as the manifest declares it.
    command: String,
    #[serde(default)]
    options: Map<String, Value>,
    /// The delay in seconds. Exactly one of `in_s` and `at` is given.
    in_s: Option<u64>,
    /// The time in RFC 3339 format: `2026-11-23T12:00:00Z`.
    at: Option<String>,
    /// Whether the call is made for the guild itself instead of the caller.
    #[serde(default)]
    for_server: bool,
}

impl GivenLater {
    /// Loads the module's pending calls at this call's place. Returns `None` if its manifest does not ask for the
    /// service.
    pub(super) async fn of(call: &Call) -> Result<Option<Self>, ServiceError> {
        let Ok(time) = call.services.time() else { return Ok(None) };
        let own = time.waiting().await?;
        let zone = Some(time.zone().name().to_owned());
        let of_server = match time.of_guild() {
            Ok(time) => time.waiting().await?,
            Err(_) => Vec::new(),
        };
        Ok(Some(Self { own, of_server, zone }))
    }

    pub(super) fn json(&self) -> Value {
        let list = |calls: &[DueCall]| -> Vec<_> { calls.iter().filter(|call| !call.is_made).map(shown).collect() };
        json!({ "own": list(&self.own), "server": list(&self.of_server), "zone": self.zone.as_deref().unwrap_or("UTC") })
    }
}

fn shown(DueCall { id, call, .. }: &DueCall) -> Value {
    json!({
        "id": id,
        "command": call.path.to_string(),
        "options": call.arguments,
        "due": utc_text(call.due, &Rfc3339),
    })
}

impl LaterChanges {
    /// Checks the number of changes, the time of each call and the size of its options.
    pub(super) fn check(&self) -> Result<(), Misshapen> {
        let n = self.call.len() + self.cancel.len();
        if CHANGES_MAX < n {
            return Err(Misshapen::new(format!(
                "it changes later calls {n} times, and a run does {CHANGES_MAX} times at most"
            )));
        }
        if self.call.iter().any(|call| call.in_s.is_some() == call.at.is_some()) {
            return Err(Misshapen::new("a later call needs either `in_s` or `at`".to_owned()));
        }
        let size = |call: &PrintedCall| serde_json::to_string(&call.options).map_or(usize::MAX, |json| json.len());
        if self.call.iter().any(|call| LATER_ARGUMENTS_SIZE_MAX < size(call)) {
            return Err(Misshapen::new(format!(
                "the options of a later call have more than {LATER_ARGUMENTS_SIZE_MAX} bytes"
            )));
        }
        self.call.iter().try_for_each(|call| call.due(SystemTime::UNIX_EPOCH).map(|_| ()))
    }

    /// Stages the changes. They are stored with the run's receipt if the run succeeds. `commands` are those of the
    /// module.
    pub(super) async fn make(self, changes: bool, commands: &[String], call: &Call) -> Result<(), CommandError> {
        if self == Self::default() {
            return Ok(());
        }
        call.services.time()?;
        if !changes {
            return Err(failed("it changes later calls, and its command says `writes = false`".to_owned()));
        }
        for id in self.cancel {
            if !took_back(id, call).await? {
                return Err(failed(format!("it takes back the later call {id}, and none of that number waits")));
            }
        }
        for later in self.call {
            later.ask_for(commands, call).await?;
        }
        Ok(())
    }
}

/// Cancels a call of the caller or of the guild itself. Returns false if no such call is pending.
async fn took_back(id: DueCallId, call: &Call) -> Result<bool, ServiceError> {
    Ok(call.services.time()?.cancel(id).await?
        || matches!(call.place, Place::Guild { .. }) && call.services.time()?.of_guild()?.cancel(id).await?)
}

impl PrintedCall {
    fn due(&self, now: SystemTime) -> Result<SystemTime, Misshapen> {
        let Some(at) = &self.at else {
            let ahead = Duration::from_secs(self.in_s.unwrap_or_default());
            return now
                .checked_add(ahead)
                .ok_or_else(|| Misshapen::new("`in_s` of a later call is too large".to_owned()));
        };
        let at = OffsetDateTime::parse(at, &Rfc3339);
        at.map(SystemTime::from)
            .map_err(|_| Misshapen::new("`at` of a later call is written like \"2026-11-23T12:00:00Z\"".to_owned()))
    }

    async fn ask_for(self, commands: &[String], call: &Call) -> Result<(), CommandError> {
        let language = call.caller.language;
        if !commands.contains(&self.command) {
            return Err(failed(format!("it has `{}` called later, which is no command of its module", self.command)));
        }
        if call.place == Place::Console {
            return Err(CommandError::tell(say!(language, "later-console")));
        }
        let due = self.due(call.now).map_err(|misshapen| failed(misshapen.to_string()))?;
        match due.duration_since(call.now) {
            Ok(ahead) if ahead <= DUE_AHEAD_MAX => {}
            Ok(_) => return Err(failed("it has a command called in more than a year".to_owned())),
            Err(_) => return Err(failed("it has a command called at a time that is past".to_owned())),
        }
        let due = if call.due.is_some() { due.max(call.now + CHAIN_PAUSE) } else { due };
        let names: Vec<_> = self.command.trim_start_matches('/').split(' ').collect();
        let path = CommandPath::at(CommandType::Slash, &names);
        if self.for_server && !matches!(call.place, Place::Guild { .. }) {
            return Err(CommandError::tell(say!(language, "later-server")));
        }
        let time = call.services.time()?;
        let time = if self.for_server { time.of_guild()? } else { time };
        match time.call_later(path, self.options, call.now, due).await {
            Ok(_) => Ok(()),
            Err(ServiceError::Full(_)) => Err(CommandError::tell(say!(language, "later-full", max = DUE_CALLS_MAX))),
            Err(problem) => Err(problem.into()),
        }
    }
}

fn failed(why: String) -> CommandError {
    CommandError::from(OutsideError::Failed(why))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::FutureExt as _;

    use super::*;
    use crate::contract::services::{HostServices, ServiceName};
    use crate::inbound::{Caller, ChannelId, GuildId, UserId};
    use crate::testing::{self, InMemoryCalls};

    const HERE: Place = Place::Guild { guild: GuildId(1), channel: ChannelId(5) };
    const DIRECT: Place = Place::Direct { channel: ChannelId(5) };
    const NOW: SystemTime = SystemTime::UNIX_EPOCH;

    #[test]
    fn a_later_call_has_nothing_called_within_ten_seconds() {
        let host = HostServices { time: Some(Arc::new(InMemoryCalls::default())), ..HostServices::default() };
        let call = testing::call("tea", &host, &[ServiceName::Time], Caller::new(UserId(7), "ann"), HERE, NOW);
        let call = Call { due: Some(NOW), ..call };
        let asked = json!({ "call": [
            { "command": "/tea", "in_s": 0 },
            { "command": "/tea", "at": "1970-01-01T00:00:09Z" },
            { "command": "/tea", "in_s": 11 },
        ] });
        let changes: LaterChanges = serde_json::from_value(asked).unwrap();
        changes.make(true, &["/tea".to_owned()], &call).now_or_never().unwrap().unwrap();
        let waiting = GivenLater::of(&call).now_or_never().unwrap().unwrap().unwrap().json();
        let due: Vec<_> = waiting["own"].as_array().unwrap().iter().map(|call| call["due"].clone()).collect();
        assert_eq!(due, ["1970-01-01T00:00:10Z", "1970-01-01T00:00:10Z", "1970-01-01T00:00:11Z"]);
    }

    /// Makes these changes, one call after the other. Returns what a program is given then, or why a call failed.
    fn after(changes: &[Value], place: Place, writes: bool, services: &[ServiceName]) -> Result<Value, String> {
        let host = HostServices { time: Some(Arc::new(InMemoryCalls::default())), ..HostServices::default() };
        let call = || testing::call("tea", &host, services, Caller::new(UserId(7), "ann"), place, NOW);
        let commands = ["/tea".to_owned(), "/tea now".to_owned()];
        let run = async {
            for changes in changes {
                let changes: LaterChanges =
                    serde_json::from_value(changes.clone()).map_err(|error| error.to_string())?;
                changes.check().map_err(|misshapen| misshapen.to_string())?;
                let told = |problem: CommandError| match problem {
                    CommandError::Tell(text) => format!("tells: {text}"),
                    other => format!("{other:?}"),
                };
                changes.make(writes, &commands, &call()).await.map_err(told)?;
            }
            Ok(GivenLater::of(&call()).await.unwrap().map_or(Value::Null, |given| given.json()))
        };
        run.now_or_never().unwrap()
    }

    #[test]
    fn a_program_has_its_commands_called_later_sees_what_waits_and_takes_it_back() {
        let time = [ServiceName::Time];
        let asked = json!({ "call": [
            { "command": "/tea now", "options": { "kind": "green" }, "in_s": 180 },
            { "command": "/tea", "at": "1970-01-02T00:00:00Z", "for_server": true },
        ] });
        let green =
            json!({ "id": 1, "command": "/tea now", "options": { "kind": "green" }, "due": "1970-01-01T00:03:00Z" });
        let servers = json!({ "id": 2, "command": "/tea", "options": {}, "due": "1970-01-02T00:00:00Z" });
        let given = after(std::slice::from_ref(&asked), HERE, true, &time).unwrap();
        assert_eq!(given, json!({ "own": [green], "server": [&servers], "zone": "UTC" }));
        let given = after(&[asked.clone(), json!({ "cancel": [1] })], HERE, true, &time).unwrap();
        assert_eq!(given, json!({ "own": [], "server": [servers], "zone": "UTC" }));
        let given = after(&[asked, json!({ "cancel": [2] })], HERE, true, &time).unwrap();
        assert_eq!((given["own"].as_array().map(Vec::len), &given["server"]), (Some(1), &json!([])));
        assert_eq!(after(&[], HERE, true, &[]), Ok(Value::Null), "it does not ask for the service");

        let one = |more: Value| {
            let mut call = json!({ "command": "/tea" });
            call.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            json!({ "call": [call] })
        };
        let soon = || one(json!({ "in_s": 1 }));
        let why = |changes: Value| after(&[changes], HERE, true, &time).unwrap_err();
        for (problem, part) in [
            (why(one(json!({}))), "either `in_s` or `at`"),
            (why(one(json!({ "in_s": 1, "at": "1970-01-02T00:00:00Z" }))), "either `in_s` or `at`"),
            (why(one(json!({ "at": "tomorrow" }))), "is written like"),
            (why(one(json!({ "at": "1969-01-02T00:00:00Z" }))), "a time that is past"),
            (why(one(json!({ "in_s": 32_000_000 }))), "in more than a year"),
            (why(one(json!({ "in_s": u64::MAX }))), "`in_s` of a later call is too large"),
            (why(json!({ "call": [{ "command": "/ban", "in_s": 1 }] })), "`/ban` called later, which is no command"),
            (why(one(json!({ "in_s": 1, "options": { "a": "b".repeat(16_384) } }))), "more than 16384 bytes"),
            (
                after(&[one(json!({ "in_s": 1, "for_server": true }))], DIRECT, true, &time).unwrap_err(),
                "tells: Only a server",
            ),
            (why(json!({ "cancel": [9] })), "none of that number waits"),
            (why(json!({ "cancel": vec![1; CHANGES_MAX + 1] })), "it changes later calls 21 times"),
            (after(&[soon()], HERE, false, &time).unwrap_err(), "`writes = false`"),
            (after(&[soon()], HERE, true, &[]).unwrap_err(), "NotGranted(\"time\")"),
            (after(&[soon()], Place::Console, true, &time).unwrap_err(), "tells: Nothing is called later"),
            (after(&vec![soon(); DUE_CALLS_MAX + 1], HERE, true, &time).unwrap_err(), "tells: "),
        ] {
            assert!(problem.contains(part), "{part}: {problem}");
        }
    }
}
