//! Plays a scenario: one step after another, until one fails.

use std::time::Duration;

use serde_json::Value;

use crate::interaction::{Interaction, Sent};
use crate::message::Message;
use crate::payload::{CHANNEL_ID, DM_CHANNEL_ID, EPHEMERAL};
use crate::record::Recorded;
use crate::record::show::texts;
use crate::scenario::call::invocation;
use crate::scenario::parts::{button_labelled, menu_with_option, opened_modal, submission};
use crate::scenario::{Action, Expectation, On, Scenario, Step, To, User};
use crate::twin::Twin;

/// How long a button, a select menu or a modal may take to appear.
const PATIENCE: Duration = Duration::from_secs(5);

/// The result of a scenario that was played to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The number of steps.
    pub n_steps: usize,
    /// The number of steps that were expectations. All of them were met.
    pub n_expectations: usize,
    /// The requests that the twin refused meanwhile, each with the rule that it broke.
    pub refused: Vec<String>,
}

/// A step that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The step's line, counted from 1.
    pub line: usize,
    /// What was expected and what happened.
    pub why: String,
}

impl std::fmt::Display for Failed {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "line {}: {}", self.line, self.why)
    }
}

impl std::error::Error for Failed {}

impl Twin {
    /// Plays a scenario with the connected bot, after waiting for one to connect. Stops at the first step that fails.
    pub async fn play(&self, scenario: &Scenario) -> Result<Report, Failed> {
        let mut player = Player { twin: self, acts: Vec::new(), n_resumes: self.n_resumes() };
        let (mut n_expectations, n_before) = (0, self.n_requests());
        for step in &scenario.steps {
            player.play(step).await.map_err(|why| Failed { line: step.line, why })?;
            n_expectations += usize::from(matches!(step.action, Action::Expect(_)));
        }
        let refused = self.refused().into_iter().filter(|entry| entry.n >= n_before);
        let named = |entry: Recorded| format!("{} {}: {}", entry.method, entry.path, entry.rule.unwrap_or_default());
        Ok(Report { n_steps: scenario.steps.len(), n_expectations, refused: refused.map(named).collect() })
    }
}

/// What a user did.
enum Act {
    /// An interaction. `message` is the stored message with the component that was used.
    Interaction { sent: Sent, message: Option<u64> },
    /// A message. Later messages of the bot in the channel are answers to it.
    Message { n_requests: u64, channel: u64 },
}

struct Player<'a> {
    twin: &'a Twin,
    acts: Vec<Act>,
    /// The number of resumes before the last `close`.
    n_resumes: u64,
}

impl Player<'_> {
    async fn play(&mut self, step: &Step) -> Result<(), String> {
        let user = &step.user;
        match &step.action {
            Action::Say { text, to } => self.say(text, *to, user).await?,
            Action::Slash { path, options } => {
                self.wait_for_bot().await?;
                let command = invocation(Interaction::slash, path, options)?;
                self.interact(user.starts(command), None);
            }
            Action::Complete { path, options, typing } => {
                self.wait_for_bot().await?;
                let mut request = invocation(Interaction::autocomplete, path, options)?;
                for (name, text) in typing {
                    request = request.focused(name, text);
                }
                self.interact(user.starts(request), None);
            }
            Action::Menu { name, on } => {
                self.wait_for_bot().await?;
                let command = match on {
                    On::User(id) => Interaction::user_menu(name).on_user(*id),
                    On::Answer => {
                        let (message, ()) = self.latest(|_| Some(())).ok_or("there is no answer yet")?;
                        Interaction::on_message(name, message)
                    }
                };
                self.interact(user.starts(command), None);
            }
            Action::Choose { label } => {
                let found =
                    self.twin.wait_until(PATIENCE, || self.latest(|message| menu_with_option(message, label))).await;
                let (message, (menu, value)) =
                    found.ok_or_else(|| format!("no answer has a select menu with option `{label}`"))?;
                self.interact(user.starts(Interaction::choose(message, &menu, &[&value])), Some(message));
            }
            Action::Press { label } => {
                let found = self.twin.wait_until(PATIENCE, || self.button(label)).await;
                let (message, custom_id) = found.ok_or_else(|| format!("no answer has a button `{label}`"))?;
                self.interact(user.starts(Interaction::press(message, &custom_id)), Some(message));
            }
            Action::Modal { fields } => {
                let opened = self.twin.wait_until(PATIENCE, || self.modal()).await;
                let modal = opened.ok_or("the last step opened no modal")?;
                let message = self.acts.last().and_then(Act::message);
                let mut submission = submission(&modal, fields)?;
                if let Some(message) = message {
                    submission = submission.from_message(message);
                }
                self.interact(user.starts(submission), message);
            }
            Action::Wait(time) => tokio::time::sleep(*time).await,
            Action::Expect(expected) => self.expect(expected).await?,
            Action::Close(code) => {
                self.wait_for_bot().await?;
                self.n_resumes = self.twin.n_resumes();
                self.twin.close(*code);
            }
            Action::Resume(within) => {
                let before = self.n_resumes;
                let resumed = self.twin.wait_until(*within, || (self.twin.n_resumes() > before).then_some(())).await;
                resumed.ok_or("no session was resumed")?;
            }
            Action::Fault(fault) => self.twin.fail_next(fault.clone()),
        }
        Ok(())
    }

    async fn wait_for_bot(&self) -> Result<(), String> {
        let is_there = self.twin.wait_ready(PATIENCE * 12).await;
        is_there.then_some(()).ok_or_else(|| "no bot is connected".to_owned())
    }

    async fn say(&mut self, text: &str, to: To, user: &User) -> Result<(), String> {
        self.wait_for_bot().await?;
        let message = match to {
            To::Bot => Message::to_bot(text),
            To::Channel => Message::text(text),
            To::Dm => Message::text(text).in_dm(),
        };
        let channel = if to == To::Dm { DM_CHANNEL_ID } else { CHANNEL_ID };
        self.acts.push(Act::Message { n_requests: self.twin.n_requests(), channel });
        self.twin.say(match user.id {
            Some(id) => message.by(id),
            None => message,
        });
        Ok(())
    }

    fn interact(&mut self, interaction: Interaction, message: Option<u64>) {
        let sent = self.twin.interact(interaction);
        self.acts.push(Act::Interaction { sent, message });
    }

    async fn expect(&self, expected: &Expectation) -> Result<(), String> {
        let act = self.acts.last().ok_or("there is no user's step before this")?;
        let fits = || self.answers(act).into_iter().find(|answer| expected.nothing || self.fits(expected, answer));
        let found = self.twin.wait_until(expected.within, fits).await;
        if found.is_some() != expected.nothing {
            return Ok(());
        }
        let came: Vec<String> = self.answers(act).iter().map(|answer| self.describe(answer)).collect();
        let came = if came.is_empty() { "nothing".to_owned() } else { came.join("\n") };
        Err(format!("expected {expected}; received: {came}"))
    }

    fn fits(&self, expected: &Expectation, answer: &Recorded) -> bool {
        let text = self.text(answer);
        let title = opened_modal(answer).map(|modal| modal["title"].as_str().unwrap_or_default().to_owned());
        expected.contains.iter().all(|part| text.contains(part))
            && !expected.lacks.iter().any(|part| text.contains(part))
            && expected.ephemeral.is_none_or(|wanted| wanted == self.is_ephemeral(answer))
            && expected.modal.as_ref().is_none_or(|wanted| title.as_ref() == Some(wanted))
    }

    /// The accepted answers of the bot so far, oldest first.
    fn answers(&self, act: &Act) -> Vec<Recorded> {
        let candidates = match act {
            Act::Interaction { sent, .. } => self.twin.replies_to(sent),
            Act::Message { n_requests, channel } => {
                let path = format!("/channels/{channel}/messages");
                let after = |entry: &Recorded| entry.n >= *n_requests && entry.path.starts_with(&path);
                self.twin.requests().into_iter().filter(after).collect()
            }
        };
        let shows = |entry: &Recorded| matches!(entry.method.as_str(), "POST" | "PATCH") && !entry.is_deferral();
        candidates.into_iter().filter(|entry| entry.accepted() && shows(entry)).collect()
    }

    /// The message that an answer created or edited, with all edits applied.
    fn message(&self, answer: &Recorded) -> Option<Value> {
        self.twin.message(answer.message_id()?)
    }

    fn text(&self, answer: &Recorded) -> String {
        let choices = answer.body["data"]["choices"].as_array().into_iter().flatten();
        let mut sent = answer.text();
        for name in choices.filter_map(|choice| choice["name"].as_str()) {
            sent = format!("{sent}\n{name}");
        }
        match self.message(answer) {
            Some(message) => format!("{sent}\n{}", texts(&message).join("\n")),
            None => sent,
        }
    }

    fn is_ephemeral(&self, answer: &Recorded) -> bool {
        let message = self.message(answer);
        let flags = message.as_ref().unwrap_or_else(|| answer.message())["flags"].as_u64();
        flags.is_some_and(|flags| flags & EPHEMERAL != 0)
    }

    fn describe(&self, answer: &Recorded) -> String {
        let audience = if self.is_ephemeral(answer) { "ephemeral: " } else { "" };
        format!("{audience}{}", answer.text())
    }

    /// The latest enabled button with this label: its message and custom id.
    fn button(&self, label: &str) -> Option<(u64, String)> {
        self.latest(|message| button_labelled(message, label))
    }

    /// What `find` finds in the latest message in which it finds something, with the id of that message.
    fn latest<T>(&self, find: impl Fn(&Value) -> Option<T>) -> Option<(u64, T)> {
        let mut answers = self.acts.iter().rev().flat_map(|act| self.answers(act).into_iter().rev());
        answers.find_map(|answer| Some((answer.message_id()?, find(&self.message(&answer)?)?)))
    }

    /// The modal that the last step opened.
    fn modal(&self) -> Option<Value> {
        self.answers(self.acts.last()?).iter().find_map(|answer| opened_modal(answer).cloned())
    }
}

impl Act {
    /// The stored message with the component that was used.
    fn message(&self) -> Option<u64> {
        match self {
            Act::Interaction { message, .. } => *message,
            Act::Message { .. } => None,
        }
    }
}
