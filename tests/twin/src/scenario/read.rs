//! Parses scenarios: from lines to steps.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use crate::rest::fault::Fault;
use crate::scenario::{Action, Expectation, On, Scenario, Step, To, User};

/// The default of `within`.
const PATIENCE_SECONDS: f64 = 5.0;
/// The default of `within` if no answer is expected.
const SILENCE_SECONDS: f64 = 0.5;

/// Fields that only some steps take, each with the message if another step has it.
const STEP_FIELDS: [(&str, &str); 4] = [
    ("to", "`to` goes with `say`"),
    ("options", "`options` go with `slash` and `complete`"),
    ("typing", "`typing` goes with `complete`"),
    ("on", "`on` goes with `menu`"),
];

/// A line of a scenario that is not a valid step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong with the line.
    pub why: String,
}

impl std::fmt::Display for BadLine {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for BadLine {}

/// A parsed line: one step and its additional fields.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    say: Option<String>,
    slash: Option<String>,
    complete: Option<String>,
    menu: Option<String>,
    press: Option<String>,
    choose: Option<String>,
    modal: Option<BTreeMap<String, String>>,
    wait: Option<f64>,
    expect: Option<Expect>,
    close: Option<u16>,
    resume: Option<f64>,
    fault: Option<FaultFields>,
    to: Option<To>,
    options: Option<BTreeMap<String, Value>>,
    typing: Option<BTreeMap<String, String>>,
    on: Option<On>,
    by: Option<u64>,
    r#in: Option<Where>,
    locale: Option<String>,
    roles: Option<Vec<u64>>,
    permissions: Option<u64>,
}

#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Where {
    Guild,
    Dm,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Texts {
    One(String),
    Several(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expect {
    contains: Option<Texts>,
    lacks: Option<Texts>,
    ephemeral: Option<bool>,
    modal: Option<String>,
    #[serde(default)]
    nothing: bool,
    within: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FaultFields {
    method: String,
    path: String,
    status: Option<u16>,
    code: Option<i64>,
    retry_after: Option<f64>,
    times: Option<u32>,
}

pub(super) fn read(text: &str) -> Result<Scenario, BadLine> {
    let mut steps = Vec::new();
    for (index, written) in text.lines().enumerate() {
        let written = written.trim();
        if written.is_empty() || written.starts_with('#') {
            continue;
        }
        let line = index + 1;
        let step = serde_json::from_str(written).map_err(|error| error.to_string()).and_then(|raw| step(line, raw));
        steps.push(step.map_err(|why| BadLine { line, why })?);
    }
    Ok(Scenario { steps })
}

fn step(line: usize, mut raw: Line) -> Result<Step, String> {
    let user = user(&mut raw);
    let mut given: Vec<&str> = Vec::new();
    given.extend(raw.to.is_some().then_some("to"));
    given.extend(raw.options.is_some().then_some("options"));
    given.extend(raw.typing.is_some().then_some("typing"));
    given.extend(raw.on.is_some().then_some("on"));
    let options = raw.options.unwrap_or_default();
    // Each step that the line names, with the additional fields that it takes.
    let mut found: Vec<(Action, &[&str])> = Vec::new();
    found.extend(raw.say.map(|text| (Action::Say { text, to: raw.to.unwrap_or_default() }, &["to"][..])));
    if let Some(words) = raw.slash {
        found.push((Action::Slash { path: path(&words)?, options: options.clone() }, &["options"]));
    }
    if let Some(words) = raw.complete {
        let typing = raw.typing.filter(|typing| typing.len() == 1).ok_or("`complete` needs one option in `typing`")?;
        found.push((Action::Complete { path: path(&words)?, options, typing }, &["options", "typing"]));
    }
    if let Some(name) = raw.menu {
        let on = raw.on.ok_or("`menu` needs `on`")?;
        found.push((Action::Menu { name, on }, &["on"]));
    }
    found.extend(raw.press.map(|label| (Action::Press { label }, &[][..])));
    found.extend(raw.choose.map(|label| (Action::Choose { label }, &[][..])));
    found.extend(raw.modal.map(|fields| (Action::Modal { fields }, &[][..])));
    let is_by_user = !found.is_empty();
    found.extend(raw.wait.map(seconds).transpose()?.map(|time| (Action::Wait(time), &[][..])));
    found.extend(raw.expect.map(expectation).transpose()?.map(|expected| (Action::Expect(expected), &[][..])));
    found.extend(raw.close.map(|code| (Action::Close(code), &[][..])));
    found.extend(raw.resume.map(seconds).transpose()?.map(|within| (Action::Resume(within), &[][..])));
    found.extend(raw.fault.map(|fault| (Action::Fault(injected(fault)), &[][..])));
    let Some((action, allowed)) = found.pop() else {
        return Err("no step: say, slash, complete, menu, press, choose, modal, wait, expect, close, resume or fault"
            .to_owned());
    };
    if !found.is_empty() {
        return Err("a line has one step only".to_owned());
    }
    if let Some((_, what)) = STEP_FIELDS.iter().find(|(field, _)| given.contains(field) && !allowed.contains(field)) {
        return Err((*what).to_owned());
    }
    if user.is_some() && !is_by_user {
        return Err("only a user's step has `by`, `in`, `locale`, `roles` or `permissions`".to_owned());
    }
    Ok(Step { line, action, user: user.unwrap_or_default() })
}

/// The user of the step, if the line has one of the fields for that.
fn user(raw: &mut Line) -> Option<User> {
    let is_given = raw.by.is_some() || raw.locale.is_some() || raw.permissions.is_some();
    let is_given = is_given || raw.roles.is_some() || raw.r#in.is_some();
    let user = User {
        id: raw.by,
        in_dm: raw.r#in == Some(Where::Dm),
        locale: raw.locale.take(),
        roles: raw.roles.take().unwrap_or_default(),
        permissions: raw.permissions,
    };
    is_given.then_some(user)
}

/// The names of a command and of its group and subcommand.
fn path(words: &str) -> Result<Vec<String>, String> {
    let path: Vec<String> = words.trim_start_matches('/').split_whitespace().map(str::to_owned).collect();
    if path.is_empty() || path.len() > 3 {
        return Err("a command is one to three words: its name, group and subcommand".to_owned());
    }
    Ok(path)
}

fn seconds(seconds: f64) -> Result<Duration, String> {
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn expectation(raw: Expect) -> Result<Expectation, String> {
    let texts = |texts: Option<Texts>| match texts {
        None => Vec::new(),
        Some(Texts::One(text)) => vec![text],
        Some(Texts::Several(texts)) => texts,
    };
    let wants_something = raw.contains.is_some() || raw.ephemeral.is_some() || raw.modal.is_some();
    if raw.nothing && (wants_something || raw.lacks.is_some()) {
        return Err("`nothing` goes with `within` only".to_owned());
    }
    if !raw.nothing && !wants_something && raw.lacks.is_none() {
        return Err("`expect` is empty".to_owned());
    }
    let default = if raw.nothing { SILENCE_SECONDS } else { PATIENCE_SECONDS };
    Ok(Expectation {
        contains: texts(raw.contains),
        lacks: texts(raw.lacks),
        ephemeral: raw.ephemeral,
        modal: raw.modal,
        nothing: raw.nothing,
        within: seconds(raw.within.unwrap_or(default))?,
    })
}

fn injected(raw: FaultFields) -> Fault {
    let status = raw.status.unwrap_or(500);
    let mut fault = match raw.retry_after {
        Some(seconds) if status == 429 => Fault::rate_limited(&raw.method, &raw.path, seconds),
        Some(seconds) => Fault::new(&raw.method, &raw.path).status(status).retry_after(seconds),
        None => Fault::new(&raw.method, &raw.path).status(status),
    };
    if let Some(code) = raw.code {
        fault = fault.code(code, "injected by the scenario");
    }
    fault.times(raw.times.unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_line_is_named() {
        let cases = [
            ("", "ok"),
            ("# a remark\n\n{\"say\": \"hi\"}", "ok"),
            ("{\"slash\": \"tasks add\", \"options\": {\"n\": 1}, \"by\": 7, \"in\": \"dm\"}", "ok"),
            ("\n{\"sya\": \"hi\"}", "line 2: unknown field `sya`"),
            ("{\"say\": \"hi\"", "line 1: EOF while parsing"),
            ("{}", "line 1: no step"),
            ("{\"say\": \"a\", \"press\": \"b\"}", "line 1: a line has one step"),
            ("{\"say\": \"a\", \"close\": 4000}", "line 1: a line has one step"),
            ("{\"complete\": \"a\", \"typing\": {\"q\": \"m\"}}", "ok"),
            ("{\"complete\": \"a\"}", "line 1: `complete` needs one"),
            ("{\"menu\": \"Fix\", \"on\": {\"user\": 7}}", "ok"),
            ("{\"menu\": \"Fix\", \"on\": \"nothing\"}", "line 1: unknown variant"),
            ("{\"menu\": \"Fix\"}", "line 1: `menu` needs `on`"),
            ("{\"press\": \"a\", \"options\": {}}", "line 1: `options` go with `slash`"),
            ("{\"slash\": \"a\", \"to\": \"dm\"}", "line 1: `to` goes with `say`"),
            ("{\"wait\": 1, \"by\": 7}", "line 1: only a user's step"),
            ("{\"wait\": -1}", "line 1: cannot convert"),
            ("{\"slash\": \"/\"}", "line 1: a command is one to three words"),
            ("{\"expect\": {}}", "line 1: `expect` is empty"),
            ("{\"expect\": {\"nothing\": true, \"contains\": \"a\"}}", "line 1: `nothing` goes with"),
            ("{\"fault\": {\"method\": \"POST\"}}", "line 1: missing field `path`"),
        ];
        for (text, expected) in cases {
            let told = Scenario::read(text).map_or_else(|bad| bad.to_string(), |_| "ok".to_owned());
            assert!(told.starts_with(expected), "{text}: {told}");
        }
    }
}
