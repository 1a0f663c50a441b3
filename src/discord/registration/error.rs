//! Errors of requests about commands, and their consequences.

use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::rest::{DiscordError, unreached};
use candor_core::registration::{SyncStep, complaints};

/// The daily limit of creates is reached. Updates are not limited.
const NO_MORE_TODAY: i64 = 30_034;
/// The limit of commands of a type is reached.
const MAXIMUM: i64 = 30_032;
const EXISTS: i64 = 40_041;
const UNKNOWN_COMMAND: i64 = 10_063;
/// The bot may not create commands here.
const MISSING_ACCESS: i64 = 50_001;
const UNKNOWN_GUILD: i64 = 10_004;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ApiError {
    Refused {
        status: u16,
        /// Discord's error code.
        code: i64,
        message: String,
        /// Discord's tree of errors by place in the body.
        errors: Value,
    },
    /// The rate limit is reached, for this long.
    Limited(Duration),
    /// No response, or an unusable one.
    Lost(String),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum WriteRefusal {
    Rejected(String),
    /// No new commands until tomorrow.
    NoMoreToday,
    Full,
    Exists,
    Gone,
    /// Nothing more for now.
    Halted(Halt),
}

/// Why a sync was stopped, and when it can continue. The registered commands keep working.
#[derive(Clone, Debug, PartialEq)]
pub struct Halt {
    /// The reason, and a remedy if there is one.
    pub why: String,
    pub again: RetryWhen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryWhen {
    At(SystemTime),
    /// Soon, as after an outage.
    Soon,
    /// Only after a person changed something.
    Never,
}

impl ApiError {
    pub(crate) fn of_answer(status: u16, body: &Value) -> Self {
        let code = body.get("code").and_then(Value::as_i64).unwrap_or_default();
        let message = body.get("message").and_then(Value::as_str).unwrap_or("no reason given").to_owned();
        if 500 <= status {
            return Self::Lost(format!("status {status}, code {code}: {message}"));
        }
        Self::Refused { status, code, message, errors: body.get("errors").cloned().unwrap_or_default() }
    }

    /// Converts a failed request. The error's own text is not used, because it holds the address.
    pub(crate) fn of_way(problem: &reqwest::Error) -> Self {
        Self::Lost(match problem {
            problem if problem.is_timeout() => "no answer in time".to_owned(),
            problem if problem.is_connect() => unreached(problem),
            _ => "the request failed on the way".to_owned(),
        })
    }

    pub(crate) fn is_no_access(&self) -> bool {
        matches!(self, Self::Refused { code: MISSING_ACCESS | UNKNOWN_GUILD, .. })
    }

    /// Returns why this error stops the whole sync, and when to try again.
    pub(crate) fn halt(&self, application: u64, now: SystemTime) -> Halt {
        match self {
            Self::Limited(wait) => {
                let why = format!("Discord limits the rate and wants to be left alone for {} s", wait.as_secs());
                Halt { why, again: RetryWhen::At(now.checked_add(*wait).unwrap_or(now)) }
            }
            Self::Lost(why) => Halt { why: why.clone(), again: RetryWhen::Soon },
            Self::Refused { status: 401, .. } => {
                Halt { why: DiscordError::TokenRefused.to_string(), again: RetryWhen::Never }
            }
            Self::Refused { code: MISSING_ACCESS, .. } => Halt {
                why: format!(
                    "the bot may not make commands here (code {MISSING_ACCESS}); add the scope applications.commands \
                     by opening https://discord.com/oauth2/authorize?client_id={application}&scope=bot+applications.commands"
                ),
                again: RetryWhen::Never,
            },
            Self::Refused { .. } => Halt { why: self.sentence(), again: RetryWhen::Never },
        }
    }

    pub(crate) fn verdict(&self, step: &SyncStep, payload: &Value, application: u64, now: SystemTime) -> WriteRefusal {
        match self {
            Self::Refused { code: NO_MORE_TODAY, .. } => WriteRefusal::NoMoreToday,
            Self::Refused { code: MAXIMUM, .. } => WriteRefusal::Full,
            Self::Refused { code: EXISTS, .. } => WriteRefusal::Exists,
            Self::Refused { code: UNKNOWN_COMMAND, .. } => WriteRefusal::Gone,
            Self::Refused { status: 400, errors, .. } => {
                let found = complaints(errors, payload, &step.places);
                WriteRefusal::Rejected(if found.is_empty() { self.sentence() } else { found.join("; ") })
            }
            _ => WriteRefusal::Halted(self.halt(application, now)),
        }
    }

    /// Returns the error in a form that is safe to log.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Self::Refused { status, code, message, .. } => format!("status {status}, code {code}: {message}"),
            Self::Limited(wait) => format!("Discord limits the rate for {} s", wait.as_secs()),
            Self::Lost(why) => why.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use serde_json::json;

    use super::*;
    use candor_core::contract::{Command, CommandKind, Owner, WrittenAt};
    use candor_core::registration::{Key, ManifestLines, SyncAction};

    fn step() -> SyncStep {
        let kind = CommandKind::of_subcommands(Vec::new());
        let mut command = Command::new("tasks", "d", Owner::Module("tasks".to_owned()), kind);
        command.written_at = Some(WrittenAt { file: "modules/tasks/module.toml".into(), line: 12 });
        let payload = json!({"type": 1, "name": "tasks"});
        SyncStep { key: Key::of(&payload), action: SyncAction::Create { payload }, places: ManifestLines::of(&command) }
    }

    #[test]
    fn each_code_is_handled_by_name() {
        let too_long = json!({"description": {"_errors": [
            {"code": "BASE_TYPE_BAD_LENGTH", "message": "Must be between 1 and 100 in length."}]}});
        let body = |code: i64| json!({"code": code, "message": "M", "errors": too_long});
        let at = "modules/tasks/module.toml:12: description: Must be between 1 and 100 in length.";
        let now = UNIX_EPOCH;
        for (status, body, wanted) in [
            (400, body(50_035), WriteRefusal::Rejected(at.to_owned())),
            (
                400,
                json!({"code": 50_240, "message": "M"}),
                WriteRefusal::Rejected("status 400, code 50240: M".to_owned()),
            ),
            (400, body(30_034), WriteRefusal::NoMoreToday),
            (400, body(30_032), WriteRefusal::Full),
            (400, body(40_041), WriteRefusal::Exists),
            (404, body(10_063), WriteRefusal::Gone),
        ] {
            let verdict = ApiError::of_answer(status, &body).verdict(&step(), &json!({}), 7, now);
            assert_eq!(verdict, wanted, "{status} {body}");
        }
        for (error, again, part) in [
            (
                ApiError::of_answer(403, &json!({"code": 50_001})),
                RetryWhen::Never,
                "client_id=7&scope=bot+applications.commands",
            ),
            (ApiError::of_answer(401, &json!({})), RetryWhen::Never, "Discord refuses the token"),
            (ApiError::of_answer(502, &json!(null)), RetryWhen::Soon, "status 502"),
            (ApiError::Limited(Duration::from_secs(90)), RetryWhen::At(now + Duration::from_secs(90)), "90 s"),
        ] {
            let WriteRefusal::Halted(halt) = error.verdict(&step(), &json!({}), 7, now) else { panic!("{error:?}") };
            assert!(halt.again == again && halt.why.contains(part), "{halt:?}");
        }
    }
}
