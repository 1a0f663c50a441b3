//! Scenarios: files of steps and expectations, one JSON object per line.

mod call;
pub(crate) mod parts;
pub(crate) mod play;
pub(crate) mod read;

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::rest::fault::Fault;
use crate::scenario::read::BadLine;

/// A list of steps: what users and Discord do, and what the bot must answer. Played by [`Twin::play`].
///
/// A scenario is a text with one JSON object per line. Empty lines and lines that begin with `#` are skipped. Every
/// other line is one step, named by its key:
///
/// | Step | What it does |
/// | --- | --- |
/// | `{"say": "hello", "to": "bot"}` | posts a message: with a mention (`bot`, the default), in the `channel` without one, or in a `dm` |
/// | `{"slash": "tasks add", "options": {"title": "milk"}}` | invokes a slash command; the value of an option may also be `{"user": 70}`, `{"role": 71}`, `{"channel": 72}` or `{"file": "a.png", "size": 9}` |
/// | `{"complete": "tasks done", "typing": {"task": "mi"}}` | requests autocomplete choices; `expect` compares with their names |
/// | `{"menu": "Fix", "on": "answer"}` | invokes a context-menu command on the latest answer, or on `{"user": 70}` |
/// | `{"press": "Undo"}` | clicks the button with this label, in the latest answer that has one |
/// | `{"choose": "milk"}` | chooses the option with this label in a string select menu, in the latest answer that has one |
/// | `{"modal": {"Title": "milk"}}` | submits the modal that the last step opened; text inputs are named by label or custom id |
/// | `{"expect": {"contains": "milk", "lacks": ["error"], "ephemeral": true, "within": 3}}` | waits for an answer like this to the user's last step |
/// | `{"expect": {"modal": "New task"}}` | waits for a modal with this title |
/// | `{"expect": {"nothing": true, "within": 0.5}}` | fails if there is an answer within this time |
/// | `{"wait": 0.2}` | waits for this many seconds |
/// | `{"close": 4000}` | closes all gateway connections with this code |
/// | `{"resume": 5}` | waits up to this many seconds until a session is resumed after `close` |
/// | `{"fault": {"method": "POST", "path": "/channels", "status": 429, "retry_after": 0.1, "times": 1}}` | answers the next matching requests with an error |
///
/// Every step of a user also takes `"by": 70`, the id of the user. Interactions take `"in": "dm"`, `"locale": "de"`,
/// `"roles": [71]` and `"permissions": 8` too.
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
    user: User,
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

/// Where a message is posted, and whether it mentions the bot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum To {
    #[default]
    Bot,
    Channel,
    Dm,
}

/// The target of a context-menu command.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum On {
    User(u64),
    /// The latest answer.
    Answer,
}

/// The user of a step, and the circumstances.
#[derive(Clone, Debug, Default)]
struct User {
    id: Option<u64>,
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
    modal: Option<String>,
    nothing: bool,
    within: Duration,
}

impl Scenario {
    /// Parses a scenario. The error names the line.
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
            Some(false) => "a public answer",
            None => "an answer",
        };
        write!(out, "{kind} with {:?} and without {:?}", self.contains, self.lacks)?;
        match &self.modal {
            Some(title) => write!(out, " as a modal `{title}` within {:?}", self.within),
            None => write!(out, " within {:?}", self.within),
        }
    }
}
