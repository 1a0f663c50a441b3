//! `/help`: made from the registry, so it cannot list what does not exist.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::contract::{Call, Command, CommandError, Suggestion, text_form};
use crate::nearest::nearest;
use crate::reply::{Field, Reply};
use crate::router::excerpt;

/// What `/help` takes.
#[derive(Deserialize, JsonSchema)]
pub(super) struct HelpArguments {
    /// The command to explain
    command: Option<String>,
}

pub(super) async fn help(arguments: HelpArguments, call: Call) -> Result<Reply, CommandError> {
    let Some(asked) = arguments.command else {
        let line = |command: &Command| format!("`/{}` {}", command.name, command.description);
        let list = call.catalog.commands().map(line).collect::<Vec<_>>().join("\n");
        let chats = call.services.talk().is_ok_and(|talk| !talk.models().is_empty());
        let chat = match chats {
            true => "What you write to me without a slash goes to a chat model, and its answer is marked as generated.",
            false => "There is no chat: no model is set up.",
        };
        let text = format!("{list}\n\n{chat}");
        return Ok(Reply::text(text).titled("What this bot can do"));
    };
    let name = asked.trim().trim_start_matches('/');
    match call.catalog.commands().find(|command| command.name == name) {
        Some(command) => Ok(explain(command)),
        None => {
            let near = nearest(name, call.catalog.commands().map(|command| command.name.as_str()), 1);
            let hint = near.first().map(|near| format!(" Did you mean `/{near}`?")).unwrap_or_default();
            Err(CommandError::tell(format!("There is no command `/{}`.{hint}", excerpt(name))))
        }
    }
}

fn explain(command: &Command) -> Reply {
    let usages = command.leaves().into_iter().map(|(path, leaf)| {
        let options = leaf.options.iter().map(|option| format!("`{}`: {}", option.name, option.description));
        Field { name: text_form::usage(&path, leaf), value: options.collect::<Vec<_>>().join("\n") }
    });
    Reply {
        title: Some(format!("/{}", command.name)),
        text: command.description.clone(),
        fields: usages.collect(),
        ..Reply::default()
    }
}

pub(super) async fn names(typed: String, call: Call) -> Vec<Suggestion> {
    let typed = typed.trim_start_matches('/').to_lowercase();
    let matching = call.catalog.commands().filter(|command| command.name.contains(&typed));
    matching.map(|command| Suggestion::from(format!("/{}", command.name))).collect()
}
