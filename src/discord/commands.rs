//! The registry as poise's table: one shared action, the command's identity in `custom_data`.

use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use poise::{ApplicationContext, BoxFuture, FrameworkError, FrameworkOptions};
use serenity::builder::{CreateAutocompleteResponse, CreateCommandOption};
use serenity::model::application::CommandOptionType;
use tracing::error;

use crate::contract::{Command, CommandKind, CommandPath, Leaf, OptionKind, OptionSpec, Subcommand, Suggestion};
use crate::discord::convert;
use crate::discord::deliver::Delivery;
use crate::discord::handler::Shared;
use crate::discord::interactions::name_of;
use crate::registry::Registry;

/// Our action answers for itself, so poise never carries an error of ours.
pub(super) type Never = std::convert::Infallible;
pub(super) type PoiseCommand = poise::Command<Shared, Never>;
type Context<'a> = ApplicationContext<'a, Shared, Never>;

/// What a poise command stands for.
struct Entry(CommandPath);

/// poise's options with every command in force.
pub(super) fn table(registry: &Registry) -> FrameworkOptions<Shared, Never> {
    let mut commands: Vec<_> = registry.commands().map(command).collect();
    poise::set_qualified_names(&mut commands);
    // Cooldowns of poise keep an entry for each user for ever; ours will be in the store.
    FrameworkOptions {
        commands,
        initialize_owners: false,
        manual_cooldowns: true,
        on_error: refuse,
        ..FrameworkOptions::default()
    }
}

/// In the place of poise's own, which leaves what it does not know without an answer and answers some errors in
/// public. Never reached: only poise's framework calls it, and we dispatch without one and take each error as
/// the result of the call.
fn refuse(problem: FrameworkError<'_, Shared, Never>) -> BoxFuture<'_, ()> {
    Box::pin(async move {
        error!(error = name_of(&problem), "poise called its own error handler");
        if let Some(poise::Context::Application(context)) = problem.ctx() {
            let interaction = context.interaction;
            let delivery = Delivery::new(&context.serenity_context().http, interaction.id, &interaction.token);
            delivery.refuse("The command failed on its way to Discord. Whether it ran, `/receipt` says.").await;
        }
    })
}

/// One command of the registry as poise's.
pub(super) fn command(command: &Command) -> PoiseCommand {
    let path = CommandPath::new(&command.name, None);
    match &command.kind {
        CommandKind::Leaf(leaf) => {
            PoiseCommand { parameters: parameters(leaf), ..bare(&command.name, &command.description, path) }
        }
        CommandKind::Parent(subcommands) => PoiseCommand {
            subcommands: subcommands.iter().map(|known| subcommand(&command.name, known)).collect(),
            // For text commands only; for interactions our action refuses a parent that was named alone.
            subcommand_required: true,
            ..bare(&command.name, &command.description, path)
        },
    }
}

fn subcommand(parent: &str, known: &Subcommand) -> PoiseCommand {
    let path = CommandPath::new(parent, Some(&known.name));
    PoiseCommand { parameters: parameters(&known.leaf), ..bare(&known.name, &known.description, path) }
}

fn bare(name: &str, description: &str, path: CommandPath) -> PoiseCommand {
    PoiseCommand {
        name: name.to_owned().into(),
        identifying_name: path.to_string().into(),
        description: Some(description.to_owned().into()),
        slash_action: Some(run),
        custom_data: Box::new(Entry(path)),
        ..PoiseCommand::default()
    }
}

fn parameters(leaf: &Leaf) -> Vec<poise::CommandParameter<Shared, Never>> {
    leaf.options.iter().map(parameter).collect()
}

fn parameter(option: &OptionSpec) -> poise::CommandParameter<Shared, Never> {
    poise::CommandParameter {
        name: option.name.clone().into(),
        name_localizations: Default::default(),
        description: Some(option.description.clone().into()),
        description_localizations: Default::default(),
        required: option.required,
        channel_types: None,
        // poise has no choices with values; the payload is completed with them.
        choices: Default::default(),
        type_setter: Some(type_setter(&option.kind)),
        autocomplete_callback: option.completer.is_some().then_some(complete),
        __non_exhaustive: (),
    }
}

/// A function pointer cannot know bounds, so it says the type alone; the payload is completed with them.
fn type_setter(kind: &OptionKind) -> fn(CreateCommandOption) -> CreateCommandOption {
    match kind {
        OptionKind::String { .. } => |option| option.kind(CommandOptionType::String),
        OptionKind::Integer { .. } => |option| option.kind(CommandOptionType::Integer),
        OptionKind::Number { .. } => |option| option.kind(CommandOptionType::Number),
        OptionKind::Boolean => |option| option.kind(CommandOptionType::Boolean),
    }
}

/// The one action of every command.
fn run<'a>(context: Context<'a>) -> BoxFuture<'a, Result<(), FrameworkError<'a, Shared, Never>>> {
    Box::pin(async move {
        let inbound = convert::interaction(context.interaction);
        let named: Vec<_> = inbound.path.iter().map(String::as_str).collect();
        let entry = context.command().custom_data.downcast_ref::<Entry>();
        let same = entry.is_some_and(|Entry(path)| {
            named == [Some(path.command()), path.subcommand()].into_iter().flatten().collect::<Vec<_>>()
        });
        if !same {
            return Err(FrameworkError::new_command_structure_mismatch(context, "the entry is not what was named"));
        }
        context.framework.user_data.serve(context.framework.serenity_context, context.interaction, inbound).await;
        Ok(())
    })
}

/// The one completer of every option.
fn complete<'a>(context: Context<'a>, typed: &'a str) -> BoxFuture<'a, CreateAutocompleteResponse> {
    Box::pin(async move {
        // poise sends what this returns.
        context.has_sent_initial_response.store(true, Ordering::Relaxed);
        let nothing = CreateAutocompleteResponse::new();
        let Some(Entry(path)) = context.command().custom_data.downcast_ref::<Entry>() else { return nothing };
        let Some(option) = convert::focused(context.interaction) else { return nothing };
        let inbound = convert::interaction(context.interaction);
        let dispatcher = &context.framework.user_data.dispatcher;
        let suggestions = dispatcher.suggest(&inbound.caller, inbound.place, path, &option, typed).await;
        nothing.set_choices(suggestions.into_iter().map(choice).collect())
    })
}

/// A suggestion as Discord takes it. See its documentation: labels have 1 to 100 characters.
fn choice(suggestion: Suggestion) -> serenity::builder::AutocompleteChoice {
    let label: String = suggestion.label.chars().take(100).collect();
    serenity::builder::AutocompleteChoice::new(label, suggestion.value)
}

/// How long the handler may still run before the answer must be deferred. Counted from when Discord made
/// the interaction, for that is when its 3 s began; a clock that is off must not turn this into no time.
pub(super) fn defer_in(sent: SystemTime, now: SystemTime) -> Duration {
    const DEFER_AFTER: Duration = Duration::from_millis(1_500);
    DEFER_AFTER.saturating_sub(now.duration_since(sent).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_deferred_before_three_seconds_whatever_the_clocks_say() {
        let sent = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000);
        let cases = [(0, 1_500), (400, 1_100), (1_500, 0), (60_000, 0)];
        for (age, expected) in cases {
            assert_eq!(defer_in(sent, sent + Duration::from_millis(age)), Duration::from_millis(expected));
        }
        assert_eq!(defer_in(sent, sent - Duration::from_secs(5)), Duration::from_millis(1_500));
    }
}
