//! Our buttons: what their custom ids say, and how they look.

use serenity::builder::{CreateActionRow, CreateButton};
use serenity::model::application::ButtonStyle;

use crate::agent::TurnId;
use crate::discord::questions::{Choice, QuestionId};

/// A button that was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Button {
    /// Decides a question.
    Decide(QuestionId, Choice),
    /// Saves for real what the model of this turn only pretended to save.
    Fix(TurnId),
}

impl Button {
    /// Reads a custom id. `None` if no button of ours has it.
    pub(super) fn parse(custom_id: &str) -> Option<Self> {
        if let Some(question) = custom_id.strip_prefix("confirm:") {
            let (id, choice) = question.split_once(':')?;
            let choice = match choice {
                "yes" => Choice::Confirm,
                "no" => Choice::Decline,
                _ => return None,
            };
            return Some(Self::Decide(QuestionId::parse(id)?, choice));
        }
        let number = custom_id.strip_prefix("fix:")?;
        Some(Self::Fix(TurnId(number.parse().ok()?)))
    }

    fn custom_id(self) -> String {
        match self {
            Self::Decide(id, Choice::Confirm) => format!("confirm:{id}:yes"),
            Self::Decide(id, Choice::Decline) => format!("confirm:{id}:no"),
            Self::Fix(TurnId(number)) => format!("fix:{number}"),
        }
    }
}

/// The two answers to a question.
pub(super) fn answers(id: QuestionId) -> CreateActionRow {
    let button =
        |choice, label, style| CreateButton::new(Button::Decide(id, choice).custom_id()).label(label).style(style);
    CreateActionRow::Buttons(vec![
        button(Choice::Confirm, "Confirm", ButtonStyle::Success),
        button(Choice::Decline, "Cancel", ButtonStyle::Secondary),
    ])
}

/// The button that saves for real.
pub(super) fn fix(turn: TurnId) -> CreateActionRow {
    let button = CreateButton::new(Button::Fix(turn).custom_id()).label("Save it for real");
    CreateActionRow::Buttons(vec![button.style(ButtonStyle::Primary)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_custom_id_reads_back_and_nothing_else_does() {
        let id = QuestionId { message: 1 << 60, number: 2 };
        for button in
            [Button::Decide(id, Choice::Confirm), Button::Decide(id, Choice::Decline), Button::Fix(TurnId(u64::MAX))]
        {
            assert_eq!(Button::parse(&button.custom_id()), Some(button));
            assert!(button.custom_id().len() <= 100);
        }
        for custom_id in ["", "old", "fix:", "fix:x", "confirm:1-2", "confirm:1-2:maybe", "confirm::yes"] {
            assert_eq!(Button::parse(custom_id), None, "{custom_id}");
        }
    }
}
