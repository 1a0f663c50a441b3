//! The host's own buttons: those of a question, and the one that saves what a model only pretended to save.

use serenity::builder::{CreateActionRow, CreateButton};
use serenity::model::application::ButtonStyle;

use crate::edges::discord::custom_id::{Choice, Purpose, QuestionId, Signer};
use candor_core::language::{Language, say};
use candor_core::record::TurnId;

/// The two buttons of a question, for the person who was asked.
pub(crate) fn answers(id: QuestionId, signer: Signer<'_>, language: Language) -> Option<CreateActionRow> {
    let button = |choice, label: String, style| {
        let custom_id = signer.sign(&Purpose::Decide(id, choice), 0).ok()?;
        Some(CreateButton::new(custom_id).label(label).style(style))
    };
    Some(CreateActionRow::Buttons(vec![
        button(Choice::Confirm, say!(language, "button-confirm"), ButtonStyle::Success)?,
        button(Choice::Decline, say!(language, "button-decline"), ButtonStyle::Secondary)?,
    ]))
}

/// The button that saves the memory for real, for the person whose turn it was.
pub(crate) fn fix(turn: TurnId, signer: Signer<'_>, language: Language) -> Option<CreateActionRow> {
    let button = CreateButton::new(signer.sign(&Purpose::Fix(turn), 0).ok()?).label(say!(language, "button-fix"));
    Some(CreateActionRow::Buttons(vec![button.style(ButtonStyle::Primary)]))
}
