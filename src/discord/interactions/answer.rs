//! Answers interactions of every kind, in time.

use std::ops::RangeInclusive;
use std::time::SystemTime;

use serde_json::Value;
use serenity::builder::{AutocompleteChoice, CreateInteractionResponseFollowup};
use serenity::model::id::InteractionId;
use tracing::{info, warn};

use crate::convert;
use crate::gate::ANSWER_WITHIN;
use crate::interactions::deliver::Delivery;
use crate::interactions::reply_menu::ReplyMenu;
use crate::interactions::serve::{InPlace, Presented};
use crate::payload::{CommandInteraction, Interaction as DiscordInteraction, Read, Seeming, Unread};
use crate::shared::Shared;
use candor_core::contract::Suggestion;
use candor_core::inbound::{Asking, CommandPath, CommandType, Interaction, UserId};
use candor_core::language::{Language, say};
use candor_core::record::{Timing, UnknownInteraction};
use candor_core::text::{excerpt, first_characters};
use candor_engine::dispatch::Keeping;

/// Discord's number for a command that opens an app. See its documentation, application command types.
const ENTRY_POINT: u64 = 4;

/// Returns the answer to an interaction whose command no longer exists: an old button, modal or context-menu command.
pub(crate) fn unknown_interaction(language: Language) -> String {
    say!(language, "interaction-unknown")
}

impl Shared {
    /// Returns false if the interaction is left to the next process.
    pub(crate) async fn interaction(&self, interaction: Read<'_>) -> bool {
        let age = self.gate.age(interaction.id().get());
        let is_replay = self.gate.is_of_earlier_process(age);
        if ANSWER_WITHIN <= age {
            // A replay after a lost connection. The answer would not be seen, so nothing may run.
            self.counters.timings.count(Timing::DroppedLate);
            warn!(kind = %interaction.kind(), age_ms = age.as_millis(), "an interaction came too late; dropped");
        } else {
            match &interaction {
                Read::Command(command) => self.command(command).await,
                Read::Typing(command) => self.autocomplete(command).await,
                Read::Component(press) => self.pressed(press).await,
                Read::Modal(modal) => self.submitted(modal).await,
                Read::Unread(unread) => self.unread(unread).await,
            }
        }
        // If an earlier process ran it, nothing was answered here.
        !is_replay || self.ends_waiting(&interaction, age).await
    }

    /// Tells the person that the answer to an interaction broke. The receipt says whether the command ran.
    pub(crate) async fn interaction_broke(&self, id: InteractionId, token: &str) {
        let text = say!(self.language(), "command-broke");
        // After a first response, only a follow-up can be seen.
        let followup = CreateInteractionResponseFollowup::new().content(&text).ephemeral(true);
        if self.rest.follow_up(token, &followup).await.is_err() {
            Delivery::new(&self.rest, id, token).refuse(&text).await;
        }
    }

    /// Answers a command of any type. The router decides whether it is known.
    async fn command(&self, command: &CommandInteraction<'_>) {
        let language = convert::of_command(command, self.language());
        let delivery = delivery(self, command).speaking(language);
        let Some(command_type) = command.data.command_type() else {
            info!(kind = command.data.kind, "a command of an unknown type");
            self.counters.unknown.count(UnknownInteraction::EntryPoint);
            return delivery.refuse(&unknown_kind(language, command.data.kind)).await;
        };
        let asked = convert::interaction(command, self.language());
        let did_not_run = || say!(language, "closed-command", command = named(&asked));
        let Some(slot) = self.admit(&delivery, asked.caller.id, language, did_not_run).await else { return };
        match ReplyMenu::named(&command.data.name).filter(|_| command_type == CommandType::MessageMenu) {
            Some(menu) => self.reply_menu(menu, command, slot).await,
            None => self.serve_command(command, asked).await,
        }
    }

    /// Answers an autocomplete request. The list is empty if there are no suggestions.
    async fn autocomplete(&self, command: &CommandInteraction<'_>) {
        let asked = convert::interaction(command, self.language());
        let admitted = self.gate.interaction(asked.caller.id, asked.sent).await;
        let focused = command.data.focused().filter(|_| asked.command_type == CommandType::Slash && admitted.is_ok());
        let suggestions = match focused {
            Some(option) => {
                let names: Vec<_> = asked.path.iter().map(String::as_str).collect();
                let path = CommandPath::at(asked.command_type, &names);
                if self.dispatcher.option(&path, &option.name).is_none() {
                    self.counters.unknown.count(UnknownInteraction::Completion);
                    self.reconciler.request();
                }
                let asking = Asking { caller: &asked.caller, place: asked.place, method: asked.method };
                self.dispatcher.suggest(&asking, &path, &option.name, option.typed()).await
            }
            None => Vec::new(),
        };
        delivery(self, command).suggest(suggestions.into_iter().filter_map(choice).collect()).await;
    }

    async fn serve_command(&self, command: &CommandInteraction<'_>, asked: Interaction) {
        let signer = self.custom_ids.for_person(asked.caller.id, SystemTime::now());
        let delivery = delivery(self, command).speaking(asked.caller.language).signing(signer);
        let live = Some((&self.rest, &*command.token));
        let shown = Presented {
            locale: &command.locale,
            in_place: InPlace::No,
            changes: None,
            control: None,
            claimed: None,
            live,
        };
        let keeping = Keeping::later();
        let answer = self.serve(delivery, asked, shown, &keeping).await;
        // The slot of the command is freed before its receipt is stored.
        if let (Some(answer), true) = (answer, keeping.is_storing()) {
            let asked = (command.id, command.token.clone().into_owned());
            self.running.spawn(Self::mend(keeping, self.rest.clone(), asked, answer));
        }
    }

    async fn unread(&self, unread: &Unread<'_>) {
        warn!(interaction.kind = unread.kind(), "an interaction that cannot be decoded");
        // Without a free slot, send no answer: these are not the bot's own commands. They count against user id 0.
        let Ok(_room) = self.gate.interaction(UserId(0), convert::sent(unread.id.get())).await else { return };
        self.counters.unknown.count(UnknownInteraction::Undecodable);
        let delivery = Delivery::new(&self.rest, unread.id, &unread.token);
        let language = convert::language(&unread.locale, unread.guild_locale.as_deref(), self.language());
        match unread_words(&unread.seeming(), language) {
            Some(words) => delivery.refuse(&words).await,
            None => delivery.suggest(Vec::new()).await,
        }
    }
}

/// Returns the reply to an interaction that cannot be decoded. `None` for autocomplete, which takes no text.
fn unread_words(seeming: &Seeming<'_>, language: Language) -> Option<String> {
    Some(match seeming {
        Seeming::Command(CommandType::Slash, name) => {
            say!(language, "interaction-unreadable", command = format!("/{}", excerpt(name)))
        }
        Seeming::Command(CommandType::UserMenu | CommandType::MessageMenu, name) => {
            say!(language, "interaction-unreadable", command = excerpt(name))
        }
        Seeming::Typing => return None,
        Seeming::Component => say!(language, "press-unreadable"),
        Seeming::Modal => say!(language, "modal-unreadable"),
        Seeming::Other => unknown_interaction(language),
    })
}

/// Returns a command as it was named. It need not be one of ours.
fn named(asked: &Interaction) -> String {
    let names: Vec<_> = asked.path.iter().map(String::as_str).collect();
    excerpt(&CommandPath::at(asked.command_type, &names).to_string())
}

/// Returns the answer to a command that is neither a slash command nor a context-menu command.
fn unknown_kind(language: Language, kind: u64) -> String {
    match kind {
        ENTRY_POINT => say!(language, "interaction-entry-point"),
        _ => say!(language, "interaction-unknown-kind"),
    }
}

fn delivery<'a, D>(shared: &'a Shared, interaction: &'a DiscordInteraction<'_, D>) -> Delivery<'a> {
    Delivery::new(&shared.rest, interaction.id, &interaction.token)
}

/// Converts a suggestion. Returns `None` if Discord would reject it, and with it the whole list. See its documentation:
/// labels and texts have 1 to 100 characters.
fn choice(suggestion: Suggestion) -> Option<AutocompleteChoice> {
    const LENGTH: RangeInclusive<usize> = 1..=100;
    let label = first_characters(&suggestion.label, *LENGTH.end());
    let fits = match &suggestion.value {
        Value::String(text) => LENGTH.contains(&text.chars().count()),
        value => value.is_number(),
    };
    (fits && !label.trim().is_empty()).then(|| AutocompleteChoice::new(label, suggestion.value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::payload::read_interaction;

    #[test]
    fn what_discord_does_not_take_is_not_suggested() {
        let suggestion = |label: &str, value: Value| Suggestion { label: label.to_owned(), value };
        let long = "x".repeat(101);
        let cases = [
            (suggestion("one", json!(1)), Some(json!({"name": "one", "value": 1}))),
            (suggestion("half", json!(0.5)), Some(json!({"name": "half", "value": 0.5}))),
            (suggestion(&long, json!("x")), Some(json!({"name": "x".repeat(100), "value": "x"}))),
            (suggestion("long", json!(long)), None),
            (suggestion("empty", json!("")), None),
            (suggestion(" ", json!("x")), None),
            (suggestion("null", Value::Null), None),
        ];
        for (suggestion, expected) in cases {
            let shown = choice(suggestion.clone()).map(|choice| {
                let mut shown = serde_json::to_value(choice).unwrap();
                shown.as_object_mut().unwrap().retain(|_, value| !value.is_null());
                shown
            });
            assert_eq!(shown, expected, "{suggestion:?}");
        }
    }

    #[test]
    fn every_kind_gets_the_answer_that_discord_takes() {
        const EN: Language = Language::ENGLISH;
        let unread = |command: &str| Some(say!(EN, "interaction-unreadable", command = command));
        let unknown = || Some(unknown_interaction(EN));
        let cases = [
            (json!({"type": 2, "data": {"name": "status", "type": 1}}), unread("/status")),
            (json!({"type": 2, "data": {"name": "sta`tus"}}), unread("/status")),
            (json!({"type": 2, "data": {"name": "Report", "type": 3}}), unread("Report")),
            (json!({"type": 2, "data": {"name": "Report", "type": 4}}), unknown()),
            (json!({"type": 2, "data": {"name": 7}}), unknown()),
            (json!({"type": 4, "data": {"name": "status", "type": 1}}), None),
            (json!({"type": 4}), None),
            (json!({"type": 3, "data": {"name": "status"}}), Some(say!(EN, "press-unreadable"))),
            (json!({"type": 5}), Some(say!(EN, "modal-unreadable"))),
            (json!({}), unknown()),
            (json!({"type": 6}), unknown()),
        ];
        for (mut interaction, expected) in cases {
            interaction["id"] = json!("7");
            interaction["token"] = json!("t");
            let text = interaction.to_string();
            let Some(Read::Unread(unread)) = read_interaction(&text) else { panic!("{text} is read") };
            assert_eq!(unread_words(&unread.seeming(), EN), expected, "{text}");
        }
    }
}
