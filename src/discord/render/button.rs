//! The host's own buttons: those of a question, and those under a reply (offered commands, *Go on*, *Ask again*).

use serde::Deserialize as _;
use serde_json::{Map, Value};
use serenity::builder::{CreateActionRow, CreateButton};
use serenity::model::application::{ActionRow, ActionRowComponent, Button, ButtonStyle};

use crate::custom_id::{Decision, Purpose, QuestionId, Signer};
use candor_core::inbound::{CommandPath, EventId};
use candor_core::language::{Language, say};
use candor_core::record::TurnId;
use candor_core::reply::{PreparedCall, TurnFacts};
use candor_core::text::shortened;

/// The maximum of buttons in a row, and of characters in a label. See Discord's documentation, components.
const ROW_MAX: usize = 5;
const LABEL_LENGTH_MAX: usize = 80;

/// The positions of the host's own buttons. Controls of an answer never use them.
const RECEIPT_POSITION: u8 = 255;
const GO_ON_POSITION: u8 = 254;
const ASK_AGAIN_POSITION: u8 = 253;

/// Returns the two buttons of a question, for the person who was asked.
pub(crate) fn answers(id: QuestionId, signer: Signer<'_>, language: Language) -> Option<CreateActionRow> {
    let button = |choice, label: String, style| {
        let custom_id = signer.sign(&Purpose::Decide(id, choice), 0).ok()?;
        Some(CreateButton::new(custom_id).label(label).style(style))
    };
    Some(CreateActionRow::Buttons(vec![
        button(Decision::Confirm, say!(language, "button-confirm"), ButtonStyle::Success)?,
        button(Decision::Decline, say!(language, "button-decline"), ButtonStyle::Secondary)?,
    ]))
}

/// Returns the button that shows the answer of a receipt, only to its person.
pub(crate) fn receipt(id: &str, label: &str, signer: Signer<'_>) -> Option<CreateActionRow> {
    let arguments = Map::from_iter([("id".to_owned(), Value::from(id))]);
    let call = PreparedCall {
        path: CommandPath::new("receipt", None),
        arguments,
        in_place: false,
        once: false,
        for_everyone: false,
    };
    let custom_id = signer.sign(&Purpose::Run(call), RECEIPT_POSITION).ok()?;
    let button = CreateButton::new(custom_id).label(label).style(ButtonStyle::Secondary);
    Some(CreateActionRow::Buttons(vec![button]))
}

/// Returns the button that ends a turn, for its person and for operators.
pub(crate) fn stop(turn: EventId, signer: Signer<'_>, language: Language) -> Option<CreateActionRow> {
    let custom_id = signer.sign(&Purpose::Stop(turn), 0).ok()?;
    let button = CreateButton::new(custom_id).label(say!(language, "button-stop")).style(ButtonStyle::Secondary);
    Some(CreateActionRow::Buttons(vec![button]))
}

/// Returns the button that repeats the question of a turn, for the person of the turn.
pub(crate) fn ask_again(turn: TurnId, signer: Signer<'_>, language: Language) -> Option<CreateActionRow> {
    let custom_id = signer.sign(&Purpose::AskAgain(turn), ASK_AGAIN_POSITION).ok()?;
    let button = CreateButton::new(custom_id).label(say!(language, "button-ask-again")).style(ButtonStyle::Secondary);
    Some(CreateActionRow::Buttons(vec![button]))
}

/// Returns the buttons under a message from a REST response.
pub(crate) fn standing(message: &Value) -> Vec<CreateActionRow> {
    let components = message.get("components").and_then(Value::as_array);
    components.map(|standing| rows(standing, |_| true)).unwrap_or_default()
}

/// Returns the remaining buttons of a message from its rows as Discord sent them. An unreadable row is left out.
pub(crate) fn rows(standing: &[Value], stays: impl Fn(&Button) -> bool) -> Vec<CreateActionRow> {
    let row = |row: ActionRow| {
        let buttons = row.components.iter().filter_map(|component| match component {
            ActionRowComponent::Button(button) if stays(button) => Some(CreateButton::from(button.clone())),
            _ => None,
        });
        let buttons: Vec<_> = buttons.collect();
        (!buttons.is_empty()).then_some(CreateActionRow::Buttons(buttons))
    };
    standing.iter().filter_map(|standing| row(ActionRow::deserialize(standing).ok()?)).collect()
}

/// Returns the buttons under a turn's reply, for the person of the turn: *Go on*, and those that run the offered
/// commands.
pub(crate) fn of_turn(facts: &TurnFacts, signer: Signer<'_>, language: Language) -> Option<CreateActionRow> {
    let turn = facts.turn?;
    let button = |(place, command): (u8, &String)| {
        let custom_id = signer.sign(&Purpose::Offer(turn, place), place).ok()?;
        let same = || (0..).zip(&facts.offers).filter(|(_, other)| *other == command);
        let number = same().filter(|(other, _)| *other <= place).count();
        let numbered = if 1 < same().count() { format!("{command} · {number}") } else { command.clone() };
        let label = shortened(&say!(language, "button-run", command = numbered), LABEL_LENGTH_MAX);
        Some(CreateButton::new(custom_id).label(label).style(ButtonStyle::Primary))
    };
    let go_on = facts.goes_on.then(|| {
        let custom_id = signer.sign(&Purpose::GoOn(turn), GO_ON_POSITION).ok()?;
        Some(CreateButton::new(custom_id).label(say!(language, "button-go-on")).style(ButtonStyle::Secondary))
    });
    let offers = (0..).zip(&facts.offers).filter_map(button);
    let buttons: Vec<_> = go_on.flatten().into_iter().chain(offers).take(ROW_MAX).collect();
    (!buttons.is_empty()).then_some(CreateActionRow::Buttons(buttons))
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use serde_json::to_value;

    use super::*;
    use crate::custom_id::CustomIds;
    use candor_core::inbound::UserId;
    use candor_core::record::TurnId;
    use candor_core::reply::Author;
    use candor_core::reply::Mark;
    use candor_engine::SigningKey;

    const ANN: UserId = UserId(7);

    fn ids() -> CustomIds {
        CustomIds::new(SigningKey::new([7; 32]))
    }

    /// What each button of a row says and does, for the person for whom it was made.
    fn read(row: Option<CreateActionRow>) -> Vec<(String, Purpose)> {
        let Some(row) = row else { return Vec::new() };
        let row = to_value(row).unwrap();
        let read = |button: &Value| {
            let purpose = ids().open(button["custom_id"].as_str().unwrap(), ANN, UNIX_EPOCH);
            (button["label"].as_str().unwrap().to_owned(), purpose.unwrap())
        };
        row["components"].as_array().unwrap().iter().map(read).collect()
    }

    fn facts(commands: &[&str]) -> TurnFacts {
        let offers = commands.iter().map(|&command| command.to_owned()).collect();
        TurnFacts {
            turn: Some(TurnId(3)),
            author: Author::Model,
            mark: Mark::default(),
            notes: Vec::new(),
            offers,
            goes_on: false,
            questions: Vec::new(),
        }
    }

    fn offered(commands: &[&str]) -> Vec<(String, Purpose)> {
        read(of_turn(&facts(commands), ids().for_person(ANN, UNIX_EPOCH), Language::ENGLISH))
    }

    #[test]
    fn each_offered_command_has_a_button_that_names_it_and_leads_to_its_place() {
        let run = |command: &str| say!(Language::ENGLISH, "button-run", command = command);
        assert_eq!(offered(&[]), []);
        assert_eq!(
            offered(&["/memory save", "/status", "/memory save"]),
            [
                (run("/memory save · 1"), Purpose::Offer(TurnId(3), 0)),
                (run("/status"), Purpose::Offer(TurnId(3), 1)),
                (run("/memory save · 2"), Purpose::Offer(TurnId(3), 2)),
            ]
        );
    }

    #[test]
    fn a_reply_that_ends_in_the_middle_has_a_button_to_go_on_before_the_others() {
        let facts = TurnFacts { goes_on: true, ..facts(&["/status"]) };
        let row = of_turn(&facts, ids().for_person(ANN, UNIX_EPOCH), Language::ENGLISH);
        let purposes: Vec<_> = read(row).into_iter().map(|(_, purpose)| purpose).collect();
        assert_eq!(purposes, [Purpose::GoOn(TurnId(3)), Purpose::Offer(TurnId(3), 0)]);
    }

    #[test]
    fn a_row_holds_five_buttons_and_a_label_what_discord_shows() {
        let long = format!("/{}", "x".repeat(200));
        let shown = offered(&[long.as_str(); 7]);
        assert_eq!(shown.len(), 5);
        for (label, _) in shown {
            assert_eq!(label.chars().count(), 80);
            assert!(label.ends_with('…'), "{label}");
        }
    }

    #[test]
    fn the_button_for_a_receipt_asks_for_that_receipt_below_the_others() {
        let ids = ids();
        let row = receipt("7F3K2", "Show it", ids.for_person(ANN, UNIX_EPOCH));
        let arguments = Map::from_iter([("id".to_owned(), Value::from("7F3K2"))]);
        let call = PreparedCall {
            path: CommandPath::new("receipt", None),
            arguments,
            in_place: false,
            once: false,
            for_everyone: false,
        };
        assert_eq!(read(row), [("Show it".to_owned(), Purpose::Run(call))]);
    }
}
