//! Scenarios: what people and Discord do, and what the bot must answer, one JSON object per line.

mod call;
mod parts;
mod play;
mod read;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::fault::Fault;

pub use play::{Failed, Report};
pub use read::BadLine;

/// What people and Discord do, and what the bot must answer, one JSON object per line. Played by [`Twin::play`].
///
/// Empty lines and lines that begin with `#` are skipped. Every other line is one step, named by its key:
///
/// | step | what it does |
/// | --- | --- |
/// | `{"say": "hello", "to": "bot"}` | writes a message: with a mention (`bot`, the default), in the `channel`, or in a `dm` |
/// | `{"slash": "tasks add", "options": {"title": "milk"}}` | calls a command; an option may also be `{"user": 70}`, `{"role": 71}`, `{"channel": 72}` or `{"file": "a.png", "size": 9}` |
/// | `{"press": "Undo"}` | presses the button with this label in the latest answer that has one |
/// | `{"choose": "milk"}` | chooses the option with this label in the latest menu that has one |
/// | `{"complete": "tasks done", "typing": {"task": "mi"}}` | asks for completions; `expect` reads their names |
/// | `{"menu": "Fix", "on": "answer"}` | chooses an entry of a context menu, on the latest answer or on `{"user": 70}` |
/// | `{"modal": {"Title": "milk"}}` | fills in and sends the form that the last step opened; fields by label or custom id |
/// | `{"wait": 0.2}` | lets so many seconds pass |
/// | `{"expect": {"contains": "milk", "lacks": ["error"], "ephemeral": true, "within": 3}}` | waits for such an answer to the last step of a person |
/// | `{"expect": {"nothing": true, "within": 0.5}}` | there is no answer in this time |
/// | `{"expect": {"form": "New task"}}` | a form of this title was opened |
/// | `{"close": 4000}` | closes all connections with this code |
/// | `{"resume": 5}` | waits at most so many seconds until a session that was closed is resumed |
/// | `{"fault": {"method": "POST", "path": "/channels", "status": 429, "retry_after": 0.1, "times": 1}}` | lets the next such requests fail |
///
/// The steps of a person take `"by": 70` (who), `"in": "dm"` (where, for commands), `"locale": "de"`, `"roles": [71]` and
/// `"permissions": 8`.
///
/// [`Twin::play`]: crate::Twin::play
#[derive(Clone, Debug)]
pub struct Scenario {
    steps: Vec<Step>,
}

#[derive(Clone, Debug)]
struct Step {
    line: usize,
    action: Action,
    person: Person,
}

#[derive(Clone, Debug)]
enum Action {
    Say { text: String, to: To },
    Slash { path: Vec<String>, options: BTreeMap<String, Value> },
    Complete { path: Vec<String>, options: BTreeMap<String, Value>, typing: BTreeMap<String, String> },
    Menu { name: String, on: On },
    Press { label: String },
    Choose { label: String },
    Modal { fields: BTreeMap<String, String> },
    Wait(Duration),
    Expect(Expectation),
    Close(u16),
    Resume(Duration),
    Fault(Fault),
}

/// Where something is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum To {
    #[default]
    Bot,
    Channel,
    Dm,
}

/// What a menu is opened on.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum On {
    User(u64),
    /// The latest answer.
    Answer,
}

/// Who does it, and how.
#[derive(Clone, Debug, Default)]
struct Person {
    by: Option<u64>,
    in_dm: bool,
    locale: Option<String>,
    roles: Vec<u64>,
    permissions: Option<u64>,
}

#[derive(Clone, Debug)]
struct Expectation {
    contains: Vec<String>,
    lacks: Vec<String>,
    ephemeral: Option<bool>,
    form: Option<String>,
    nothing: bool,
    within: Duration,
}

impl Scenario {
    /// Reads a scenario. The error names the line.
    pub fn read(text: &str) -> Result<Scenario, BadLine> {
        read::read(text)
    }
}

impl std::fmt::Display for Expectation {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.nothing {
            return write!(out, "nothing within {:?}", self.within);
        }
        let kind = match self.ephemeral {
            Some(true) => "an ephemeral answer",
            Some(false) => "an answer for everybody",
            None => "an answer",
        };
        write!(out, "{kind} with {:?} and without {:?}", self.contains, self.lacks)?;
        match &self.form {
            Some(title) => write!(out, " as a form `{title}` within {:?}", self.within),
            None => write!(out, " within {:?}", self.within),
        }
    }
}
