//! The registry as poise's command table: one shared action, the command's identity in `custom_data`.

use std::ops::RangeInclusive;
use std::sync::atomic::Ordering;

use poise::{ApplicationContext, BoxFuture, FrameworkError, FrameworkOptions};
use serde_json::Value;
use serenity::builder::{AutocompleteChoice, CreateAutocompleteResponse};
use tracing::error;

use crate::edges::discord::convert;
use crate::edges::discord::interactions::deliver::Delivery;
use crate::edges::discord::interactions::framework_error::name_of;
use crate::edges::discord::registration::payload::shape::{Actions, PoiseEntry, command};
use crate::edges::discord::shared::{Never, Shared};
use candor_core::contract::Suggestion;
use candor_core::inbound::Asking;
use candor_core::language::say;
use candor_core::registry::Registry;
use candor_core::text::first_characters;

type PoiseContext<'a> = ApplicationContext<'a, Shared, Never>;

/// poise's options with every command in force.
pub(crate) fn table(registry: &Registry) -> FrameworkOptions<Shared, Never> {
    let mut commands: Vec<_> = registry.commands().map(|known| command(known, &Actions { run, complete })).collect();
    poise::set_qualified_names(&mut commands);
    // poise's cooldowns keep an entry for each user for ever; ours are in the store.
    FrameworkOptions {
        commands,
        initialize_owners: false,
        manual_cooldowns: true,
        on_error: refuse,
        ..FrameworkOptions::default()
    }
}

/// Replaces poise's own error handler, which leaves errors that it does not know unanswered and answers some in public.
/// Never reached: only poise's framework calls it, and we dispatch without one and take each error as the result of the
/// call.
fn refuse(problem: FrameworkError<'_, Shared, Never>) -> BoxFuture<'_, ()> {
    Box::pin(async move {
        error!(error = name_of(&problem), "poise called its own error handler");
        if let Some(poise::Context::Application(context)) = problem.ctx() {
            let interaction = context.interaction;
            let language = convert::of_command(interaction, context.framework.user_data.language());
            let delivery = Delivery::new(&context.framework.user_data.rest, interaction.id, &interaction.token);
            delivery.refuse(&say!(language, "command-broke")).await;
        }
    })
}

/// The action of every command.
pub(crate) fn run<'a>(context: PoiseContext<'a>) -> BoxFuture<'a, Result<(), FrameworkError<'a, Shared, Never>>> {
    Box::pin(async move {
        let inbound = convert::interaction(context.interaction, context.framework.user_data.language());
        let named: Vec<_> = inbound.path.iter().map(String::as_str).collect();
        let entry = context.command().custom_data.downcast_ref::<PoiseEntry>();
        let same = entry.is_some_and(|PoiseEntry(path)| path.names().eq(named.iter().copied()));
        if !same {
            return Err(FrameworkError::new_command_structure_mismatch(context, "the entry is not what was named"));
        }
        context.framework.user_data.serve_command(context.interaction, inbound).await;
        Ok(())
    })
}

/// The autocomplete callback of every option.
pub(crate) fn complete<'a>(context: PoiseContext<'a>, typed: &'a str) -> BoxFuture<'a, CreateAutocompleteResponse> {
    Box::pin(async move {
        // poise sends what this returns.
        context.has_sent_initial_response.store(true, Ordering::Relaxed);
        let nothing = CreateAutocompleteResponse::new();
        let Some(PoiseEntry(path)) = context.command().custom_data.downcast_ref::<PoiseEntry>() else { return nothing };
        let Some(option) = convert::focused(context.interaction) else { return nothing };
        let inbound = convert::interaction(context.interaction, context.framework.user_data.language());
        let dispatcher = &context.framework.user_data.dispatcher;
        let asking = Asking { caller: &inbound.caller, place: inbound.place, method: inbound.method };
        let suggestions = dispatcher.suggest(&asking, path, &option, typed).await;
        nothing.set_choices(suggestions.into_iter().filter_map(choice).collect())
    })
}

/// A suggestion as Discord accepts it; `None` if Discord would reject it, and with it the whole list. See its
/// documentation: labels and texts have 1 to 100 characters.
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
}
