//! Renders an answer's controls as Discord's components: buttons, select menus and pickers in action rows, each with a
//! signed custom id.

#[cfg(test)]
mod tests;

use serenity::builder::{
    CreateActionRow, CreateButton, CreateSelectMenu, CreateSelectMenuKind, CreateSelectMenuOption,
};
use serenity::model::application::ButtonStyle;
use serenity::model::channel::ReactionType;
use serenity::model::id::EmojiId;
use tracing::warn;

use crate::custom_id::{DoesNotFit, Purpose, Signer};
use candor_core::reply::{Answer, Control, ControlStyle, Emoji, Picked, PreparedCall, Provenance};
use candor_core::text::shortened;

/// Discord's limits on components. See its documentation, "Component Reference".
const ROWS_MAX: usize = 5;
const BUTTONS_MAX: usize = 5;
const LABEL_MAX: usize = 80;
const PLACEHOLDER_MAX: usize = 150;
const CHOICES_MAX: usize = 25;
const PICKED_MAX: u8 = 25;
const CHOICE_MAX: usize = 100;

/// Returns the action rows below an answer. A chat reply gets none, because it has its own. Controls that Discord would
/// reject are left out and logged.
pub(crate) fn rows(answer: &Answer, signer: Signer<'_>) -> Vec<CreateActionRow> {
    let command = match &answer.provenance {
        Provenance::Command(receipt) => receipt.facts().command.as_str(),
        Provenance::Host => "none",
        Provenance::Turn(_) => return Vec::new(),
    };
    let controls = &answer.shown().controls;
    if ROWS_MAX < controls.len() {
        warn!(
            command.name = command,
            rows = controls.len(),
            "more rows of controls than Discord takes; the rest is left out"
        );
    }
    let rows = controls.iter().take(ROWS_MAX).zip(0_u8..);
    rows.filter_map(|(controls, n_row)| row(controls, n_row, command, signer)).collect()
}

/// Returns one action row: a select menu by itself, or buttons.
fn row(controls: &[Control], n_row: u8, command: &str, signer: Signer<'_>) -> Option<CreateActionRow> {
    let mut buttons = Vec::new();
    for (control, n) in controls.iter().zip(0_u8..) {
        // Five to a row at most, so that no two controls share a position.
        let position = n_row * 16 + n.min(15);
        let left_out = |why: &str| warn!(command.name = command, position, why, "a control is left out");
        match control {
            Control::Select { .. } | Control::Pick { .. } if 1 < controls.len() => {
                left_out("a list needs a row to itself")
            }
            Control::Select { placeholder, option, choices, call } => {
                let purpose = Purpose::Fill { call: call.clone(), option: option.clone() };
                match (signer.sign(&purpose, position), options(choices)) {
                    (Err(DoesNotFit), _) => left_out("path and arguments do not fit a custom id"),
                    (Ok(_), None) => left_out("Discord takes 1 to 25 choices of 1 to 100 characters, each once"),
                    (Ok(id), Some(options)) => {
                        let menu = CreateSelectMenu::new(id, CreateSelectMenuKind::String { options });
                        return Some(CreateActionRow::SelectMenu(
                            menu.placeholder(shortened(placeholder, PLACEHOLDER_MAX)),
                        ));
                    }
                }
            }
            Control::Pick { placeholder, from, option, call } => {
                let purpose = Purpose::Fill { call: call.clone(), option: option.clone() };
                match signer.sign(&purpose, position) {
                    Err(DoesNotFit) => left_out("path and arguments do not fit a custom id"),
                    Ok(id) => {
                        let menu = CreateSelectMenu::new(id, listed(*from)).min_values(1).max_values(PICKED_MAX);
                        return Some(CreateActionRow::SelectMenu(
                            menu.placeholder(shortened(placeholder, PLACEHOLDER_MAX)),
                        ));
                    }
                }
            }
            Control::Button { .. } | Control::Ask { .. } if BUTTONS_MAX <= buttons.len() => {
                left_out("Discord takes 5 buttons in a row")
            }
            Control::Button { label, .. } | Control::Ask { label, .. } if label.trim().is_empty() => {
                left_out("it has no label")
            }
            Control::Button { label, emoji, style, call } => {
                let once =
                    |call: PreparedCall| PreparedCall { once: call.once || *style == ControlStyle::Danger, ..call };
                let purpose = call.clone().map(once).map_or(Purpose::Nothing, Purpose::Run);
                match button(label, *style, &purpose, position, signer) {
                    Ok(button) => buttons.push(with_emoji(button, emoji.as_ref()).disabled(call.is_none())),
                    Err(DoesNotFit) => left_out("path and arguments do not fit a custom id"),
                }
            }
            Control::Ask { label, style, call } => {
                match button(label, *style, &Purpose::Ask(call.clone()), position, signer) {
                    Ok(button) => buttons.push(button),
                    Err(DoesNotFit) => left_out("path and arguments do not fit a custom id"),
                }
            }
        }
    }
    (!buttons.is_empty()).then_some(CreateActionRow::Buttons(buttons))
}

fn button(
    label: &str,
    style: ControlStyle,
    purpose: &Purpose,
    position: u8,
    signer: Signer<'_>,
) -> Result<CreateButton, DoesNotFit> {
    let id = signer.sign(purpose, position)?;
    Ok(CreateButton::new(id).label(shortened(label, LABEL_MAX)).style(shown(style)))
}

fn with_emoji(button: CreateButton, emoji: Option<&Emoji>) -> CreateButton {
    let Some(Emoji { id, name, is_animated }) = emoji else { return button };
    button.emoji(ReactionType::Custom { animated: *is_animated, id: EmojiId::new(*id), name: Some(name.clone()) })
}

/// Returns the options of a select menu, if Discord accepts them as they are: a shortened value would be another value.
fn options(choices: &[(String, String)]) -> Option<Vec<CreateSelectMenuOption>> {
    let fits = |text: &str| (1..=CHOICE_MAX).contains(&text.chars().count());
    let is_once = |value: &String| choices.iter().filter(|(_, other)| other == value).count() == 1;
    let all_fit = choices.iter().all(|(label, value)| fits(label) && fits(value) && is_once(value));
    let option = |(label, value): &(String, String)| CreateSelectMenuOption::new(label, value);
    (all_fit && (1..=CHOICES_MAX).contains(&choices.len())).then(|| choices.iter().map(option).collect())
}

/// Returns the kind of a picker. It has no preselection: Discord would reject the message if the preselected channel or
/// role were gone.
fn listed(from: Picked) -> CreateSelectMenuKind {
    match from {
        Picked::Channels => CreateSelectMenuKind::Channel { channel_types: None, default_channels: None },
        Picked::Roles => CreateSelectMenuKind::Role { default_roles: None },
    }
}

fn shown(style: ControlStyle) -> ButtonStyle {
    match style {
        ControlStyle::Primary => ButtonStyle::Primary,
        ControlStyle::Secondary => ButtonStyle::Secondary,
        ControlStyle::Danger => ButtonStyle::Danger,
    }
}
