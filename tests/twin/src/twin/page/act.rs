//! What a submitted form does: the same events to the bot as the steps of a scenario.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use crate::interaction::options::typed_value;
use crate::interaction::{Interaction, Sent};
use crate::message::Message;
use crate::record::Recorded;
use crate::scenario::parts::submission;
use crate::twin::page::command::{Suggested, plain, runnables, text};
use crate::twin::page::form::Form;
use crate::twin::page::show::open_modal;
use crate::twin::state::State;

/// How long the page waits for the bot's answer before it is shown. A later answer is shown when it comes.
const PATIENCE: Duration = Duration::from_secs(2);

/// Carries out a form. The answer is what the bot suggests, if that was asked for; an error is what is wrong with it.
pub(super) async fn act<'a>(state: &State, what: &str, form: &'a Form) -> Result<Option<Suggested<'a>>, String> {
    if what == "viewer" {
        return look_as(state, form).map(|()| None);
    }
    if !state.hub().is_ready() {
        return Err("No bot is connected, so nobody would see this.".to_owned());
    }
    match what {
        "say" => say(state, form).await?,
        "slash" if !form.get("suggest").is_empty() => return suggest(state, form).await.map(Some),
        "slash" => interact(state, invocation(state, form, Interaction::slash)?).await?,
        "menu" => {
            let name = form.get("name");
            let command = match form.id("message") {
                Ok(message) => Interaction::on_message(name, message),
                Err(_) => Interaction::user_menu(name).on_user(form.id("user")?),
            };
            interact(state, command).await?;
        }
        "press" => {
            let ids = form.get("ids").split([',', ' ']).filter(|id| !id.is_empty());
            let values: Vec<&str> =
                form.all("value").into_iter().filter(|value| !value.is_empty()).chain(ids).collect();
            interact(state, Interaction::choose(form.id("message")?, form.get("component"), &values)).await?;
        }
        "modal" => submit(state, form).await?,
        _ => return Err(format!("There is no form `{what}`.")),
    }
    Ok(None)
}

/// Changes who looks, and where.
fn look_as(state: &State, form: &Form) -> Result<(), String> {
    let (user, channel) = (form.id("user")?, form.id("channel")?);
    if !state.world().channels.contains_key(&channel.to_string()) {
        return Err(format!("There is no channel {channel}."));
    }
    let mut viewer = state.viewer();
    viewer.user = user;
    viewer.channel = channel;
    viewer.locale = form.get("locale").to_owned();
    viewer.is_administrator = form.get("administrator") == "yes";
    Ok(())
}

fn is_dm(state: &State, channel: u64) -> bool {
    state.world().channels.get(&channel.to_string()).copied().unwrap_or_default()
}

async fn say(state: &State, form: &Form) -> Result<(), String> {
    let viewer = state.viewer().clone();
    let is_dm = is_dm(state, viewer.channel);
    let (text, is_reply) = (form.get("text"), form.id("reply").is_ok());
    if text.trim().is_empty() && form.files.is_empty() {
        return Err("A message needs a text or a file.".to_owned());
    }
    let to_bot = form.get("to") == "bot" && !is_dm;
    let mut message = if to_bot { Message::to_bot(text) } else { Message::text(text) };
    if let Ok(replied) = form.id("reply") {
        message = message.replying_to_message(replied).mentions_bot();
    }
    for (name, content) in &form.files {
        message = message.with_file(name, content);
    }
    let n_before = state.journal().entries().len();
    state.say(viewer.posts(message, is_dm));
    if to_bot || is_reply || is_dm {
        let path = format!("/channels/{}/messages", viewer.channel);
        let is_answer = |entry: &Recorded| entry.path.starts_with(&path);
        let answer = || state.journal().entries().iter().skip(n_before).find(|entry| is_answer(entry)).cloned();
        drop(state.wait_until(PATIENCE, answer).await);
    }
    Ok(())
}

/// Sends an interaction from the channel that is looked at, and waits for its answer.
async fn interact(state: &State, interaction: Interaction) -> Result<(), String> {
    let channel = state.viewer().channel;
    let sent = start(state, interaction, channel)?;
    drop(answer(state, &sent, |reply| !reply.is_deferral()).await);
    Ok(())
}

fn start(state: &State, interaction: Interaction, channel: u64) -> Result<Sent, String> {
    let is_dm = is_dm(state, channel);
    let interaction = state.viewer().starts(interaction, channel, is_dm);
    state.interact(interaction)
}

async fn answer(state: &State, sent: &Sent, is_wanted: fn(&Recorded) -> bool) -> Option<Recorded> {
    let find = || state.journal().for_token(&sent.token).find(|reply| reply.accepted() && is_wanted(reply)).cloned();
    state.wait_until(PATIENCE, find).await
}

/// The slash command of a form with the options that are filled in. The one whose suggestions are asked for is focused.
fn invocation(state: &State, form: &Form, begin: fn(&str) -> Interaction) -> Result<Interaction, String> {
    let path = form.get("path");
    let commands = state.world().commands.clone();
    let runnable = runnables(&commands).into_iter().find(|runnable| runnable.path.join(" ") == path);
    let runnable = runnable.ok_or_else(|| format!("There is no command /{path}."))?;
    let (name, below) = runnable.path.split_first().ok_or("There is no command.")?;
    let command = below.iter().fold(begin(name), |command, word| command.subcommand(word));
    let suggest = form.get("suggest");
    runnable.options.iter().try_fold(command, |command, option| {
        let name = text(&option["name"]);
        let value = form.get(&format!("option.{name}"));
        let kind = option["type"].as_u64().unwrap_or(3);
        if !suggest.is_empty() && name == suggest {
            return Ok(command.focused_as(kind, name, value));
        }
        if value.is_empty() {
            return Ok(command);
        }
        Ok(match kind {
            9 => command.mentionable_user_option(name, form.id(&format!("option.{name}"))?),
            11 => command.attachment_option(name, value, 1),
            kind => command.option_as(kind, name, typed_value(kind, value)),
        })
    })
}

async fn suggest<'a>(state: &State, form: &'a Form) -> Result<Suggested<'a>, String> {
    let channel = state.viewer().channel;
    let sent = start(state, invocation(state, form, Interaction::autocomplete)?, channel)?;
    let answer = answer(state, &sent, Recorded::is_callback).await.ok_or("The bot suggests nothing in time.")?;
    let choices = answer.message()["choices"].as_array().into_iter().flatten();
    let choices: Vec<_> = choices.map(|choice| (text(&choice["name"]).to_owned(), plain(&choice["value"]))).collect();
    if choices.is_empty() {
        return Err("The bot has no suggestions for this.".to_owned());
    }
    Ok(Suggested { form, option: form.get("suggest").to_owned(), choices })
}

/// Submits or closes the open modal.
async fn submit(state: &State, form: &Form) -> Result<(), String> {
    let viewer = state.viewer().clone();
    let token = form.get("token");
    let modal: Value = match open_modal(state, &viewer) {
        Some((open, modal)) if open == token => modal,
        _ => return Err("This modal is no longer open.".to_owned()),
    };
    state.viewer().closed.insert(token.to_owned());
    if form.get("close") == "yes" {
        return Ok(());
    }
    let fields: BTreeMap<String, String> =
        form.below("input.").into_iter().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    let mut submission = submission(&modal, &fields)?;
    let opener = state.world().interactions.get(token).cloned().ok_or("This modal belongs to no interaction.")?;
    if let Some(message) = opener.source_message.and_then(|id| id.parse().ok()) {
        submission = submission.from_message(message);
    }
    let sent = start(state, submission, opener.channel.parse().unwrap_or(viewer.channel))?;
    drop(answer(state, &sent, |reply| !reply.is_deferral()).await);
    Ok(())
}
