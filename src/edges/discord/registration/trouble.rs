//! What goes wrong with a request about commands, by name, and what follows from it.

use std::time::{Duration, SystemTime};

use serde_json::Value;

use crate::edges::discord::rest::DiscordError;
use candor_core::registration::{CommandChange, complaints};

/// As many commands were created today as may be. Changes of existing ones are not limited.
const NO_MORE_TODAY: i64 = 30_034;
/// As many commands of a type stand as may be.
const MAXIMUM: i64 = 30_032;
/// A command of this name stands already.
const EXISTS: i64 = 40_041;
/// No command has this id.
const UNKNOWN_COMMAND: i64 = 10_063;
/// The bot may not make commands here.
const MISSING_ACCESS: i64 = 50_001;
/// No server has this id.
const UNKNOWN_GUILD: i64 = 10_004;

/// Why a request was not carried out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ApiError {
    /// Discord does not want it.
    Refused {
        /// The HTTP status.
        status: u16,
        /// Discord's own code.
        code: i64,
        /// Its sentence.
        message: String,
        /// Its tree of places in the body.
        errors: Value,
    },
    /// Discord wants to be left alone for so long.
    Limited(Duration),
    /// No answer, or none that can be used.
    Lost(String),
}

/// What a refused write of one command means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// Not this one; others may pass.
    Rejected(String),
    /// No new ones until tomorrow.
    NoMoreToday,
    /// Too many stand.
    Full,
    /// It stands already.
    Exists,
    /// It does not stand any more.
    Gone,
    /// Nothing more for now.
    Halted(Halt),
}

/// Why a registration was broken off. What stands keeps working.
#[derive(Clone, Debug, PartialEq)]
pub struct Halt {
    /// What happened, and what to do where somebody can do something.
    pub why: String,
    /// When it can go on.
    pub again: RetryWhen,
}

/// When a registration that was broken off can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryWhen {
    /// Not before this time.
    At(SystemTime),
    /// Soon, as after an outage.
    Soon,
    /// After somebody changed something.
    Never,
}

impl ApiError {
    /// From an answer that is not a success.
    pub(crate) fn of_answer(status: u16, body: &Value) -> Self {
        let code = body.get("code").and_then(Value::as_i64).unwrap_or_default();
        let message = body.get("message").and_then(Value::as_str).unwrap_or("no reason given").to_owned();
        if 500 <= status {
            return Self::Lost(format!("status {status}, code {code}: {message}"));
        }
        Self::Refused { status, code, message, errors: body.get("errors").cloned().unwrap_or_default() }
    }

    /// From no answer. The error's own text holds the address.
    pub(crate) fn of_way(problem: &reqwest::Error) -> Self {
        Self::Lost(match problem {
            problem if problem.is_timeout() => "no answer in time".to_owned(),
            problem if problem.is_connect() => "no connection".to_owned(),
            _ => "the request failed on the way".to_owned(),
        })
    }

    /// Whether this server is none of the bot's.
    pub(crate) fn is_no_access(&self) -> bool {
        matches!(self, Self::Refused { code: MISSING_ACCESS | UNKNOWN_GUILD, .. })
    }

    /// What it means where it is not about one command.
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

    /// What it means for one command.
    pub(crate) fn verdict(&self, step: &CommandChange, payload: &Value, application: u64, now: SystemTime) -> Verdict {
        match self {
            Self::Refused { code: NO_MORE_TODAY, .. } => Verdict::NoMoreToday,
            Self::Refused { code: MAXIMUM, .. } => Verdict::Full,
            Self::Refused { code: EXISTS, .. } => Verdict::Exists,
            Self::Refused { code: UNKNOWN_COMMAND, .. } => Verdict::Gone,
            Self::Refused { status: 400, errors, .. } => {
                let found = complaints(errors, payload, &step.places);
                Verdict::Rejected(if found.is_empty() { self.sentence() } else { found.join("; ") })
            }
            _ => Verdict::Halted(self.halt(application, now)),
        }
    }

    /// The refusal as it may be logged.
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
    use candor_core::registration::{Change, Key, ManifestLines};

    fn step() -> CommandChange {
        let kind = CommandKind::of_subcommands(Vec::new());
        let mut command = Command::new("tasks", "d", Owner::Module("tasks".to_owned()), kind);
        command.written_at = Some(WrittenAt { file: "modules/tasks/module.toml".into(), line: 12 });
        let payload = json!({"type": 1, "name": "tasks"});
        CommandChange {
            key: Key::of(&payload),
            change: Change::Create { payload },
            places: ManifestLines::of(&command),
        }
    }

    #[test]
    fn each_code_is_handled_by_name() {
        let too_long = json!({"description": {"_errors": [
            {"code": "BASE_TYPE_BAD_LENGTH", "message": "Must be between 1 and 100 in length."}]}});
        let body = |code: i64| json!({"code": code, "message": "M", "errors": too_long});
        let (at, now) = ("modules/tasks/module.toml:12: description: Must be between 1 and 100 in length.", UNIX_EPOCH);
        for (status, body, wanted) in [
            (400, body(50_035), Verdict::Rejected(at.to_owned())),
            (400, json!({"code": 50_240, "message": "M"}), Verdict::Rejected("status 400, code 50240: M".to_owned())),
            (400, body(30_034), Verdict::NoMoreToday),
            (400, body(30_032), Verdict::Full),
            (400, body(40_041), Verdict::Exists),
            (404, body(10_063), Verdict::Gone),
        ] {
            let verdict = ApiError::of_answer(status, &body).verdict(&step(), &json!({}), 7, now);
            assert_eq!(verdict, wanted, "{status} {body}");
        }
        for (trouble, again, part) in [
            (
                ApiError::of_answer(403, &json!({"code": 50_001})),
                RetryWhen::Never,
                "client_id=7&scope=bot+applications.commands",
            ),
            (ApiError::of_answer(401, &json!({})), RetryWhen::Never, "Discord refuses the token"),
            (ApiError::of_answer(502, &json!(null)), RetryWhen::Soon, "status 502"),
            (ApiError::Limited(Duration::from_secs(90)), RetryWhen::At(now + Duration::from_secs(90)), "90 s"),
        ] {
            let Verdict::Halted(halt) = trouble.verdict(&step(), &json!({}), 7, now) else { panic!("{trouble:?}") };
            assert!(halt.again == again && halt.why.contains(part), "{halt:?}");
        }
    }
}
