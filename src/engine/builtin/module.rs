//! The module of the built-in commands: its manifest and its handlers.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::builtin::calculate::{Calculator, NoCalculator};
use crate::builtin::{calculate, context, help, privacy, receipt, settings, thread, usage};
use candor_core::agent::ToolMode;
use candor_core::contract::{
    Call, Cleared, ClearedConversation, CommandError, ModelChoice, NativeModule, NoArguments, ServiceName, Suggestion,
};
use candor_core::language::say;
use candor_core::reply::Reply;
use candor_core::text::in_code_spans;

/// Returns the module of the built-in commands without a calculator: `/calculate` fails.
pub fn module() -> NativeModule {
    module_with(Arc::new(NoCalculator))
}

/// Returns the module of the built-in commands. `/calculate` uses this calculator.
pub fn module_with(calculator: Arc<dyn Calculator>) -> NativeModule {
    NativeModule::new("builtin", include_str!("module.toml"))
        .needs(ServiceName::Commands)
        .needs(ServiceName::Talk)
        .needs(ServiceName::Receipts)
        .needs(ServiceName::Privacy)
        .needs(ServiceName::Usage)
        .needs(ServiceName::Records)
        .needs(ServiceName::Guild)
        .handler("help", help::help)
        .complete("help", "command", help::names)
        .handler("clear", clear)
        .handler("context", context::context)
        .handler("model", model)
        .complete("model", "name", model_names)
        .handler("receipt", receipt::receipt)
        .handler("privacy-show", privacy::show)
        .handler("privacy-erase", privacy::erase)
        .handler("thread", thread::thread)
        .handler("usage", usage::usage)
        .handler("calculate", move |arguments, call| calculate::calculate(calculator.clone(), arguments, call))
        .handler("settings-show", settings::show)
        .handler("settings-set", settings::set)
        .complete("settings-set", "name", settings::names)
        .complete("settings-set", "value", settings::values)
        .handler("settings-clear", settings::clear)
        .complete("settings-clear", "name", settings::names)
        .handler("settings-undo", settings::undo)
}

async fn clear(_: NoArguments, call: Call) -> Result<Reply, CommandError> {
    let ClearedConversation { messages, ended, what } = call.services.talk()?.clear(&call.caller, call.place).await?;
    let language = call.caller.language;
    let forgotten = match (messages, what) {
        (0, Cleared::Own | Cleared::Shared) => say!(language, "clear-nothing"),
        (0, Cleared::Part) => say!(language, "clear-part-nothing"),
        (n, Cleared::Own) => say!(language, "clear-done", n = n),
        (n, Cleared::Part) => say!(language, "clear-part-done", n = n),
        (n, Cleared::Shared) => say!(language, "clear-shared-done", n = n),
    };
    let others = (what == Cleared::Part).then(|| say!(language, "clear-part-others"));
    let ended = ended.then(|| say!(language, "clear-ended"));
    Ok(Reply::text(ended.into_iter().chain([forgotten]).chain(others).collect::<Vec<_>>().join(" ")))
}

/// What `/model` takes.
#[derive(Deserialize, JsonSchema)]
struct ModelArguments {
    /// The model to use from now on in this conversation
    name: Option<String>,
}

async fn model(arguments: ModelArguments, call: Call) -> Result<Reply, CommandError> {
    let talk = call.services.talk()?;
    let language = call.caller.language;
    let models = talk.models();
    if models.is_empty() {
        return Err(CommandError::tell(say!(language, "model-none")));
    }
    let Some(name) = arguments.name else {
        let current = talk.model_of(call.place, call.caller.id, &call.rules).await?;
        let line = |model: &ModelChoice| {
            let tools = match model.tools {
                Some(ToolMode::Native) => say!(language, "model-tools-native"),
                Some(ToolMode::Text) => say!(language, "model-tools-text"),
                Some(ToolMode::None) => say!(language, "model-tools-none"),
                None => say!(language, "model-tools-unknown"),
            };
            let images = model.images.map(|sees| match sees {
                true => format!(" · {}", say!(language, "model-images")),
                false => format!(" · {}", say!(language, "model-no-images")),
            });
            let tokens = say!(language, "model-context", n = model.context_tokens);
            let in_use =
                (Some(&model.name) == current.as_ref()).then(|| format!(" ({})", say!(language, "model-in-use")));
            format!(
                "• `{}`{} – {tools}{} · {tokens}",
                model.name,
                in_use.unwrap_or_default(),
                images.unwrap_or_default()
            )
        };
        let list = models.iter().map(line).collect::<Vec<_>>().join("\n");
        return Ok(Reply::text(list).titled(say!(language, "model-title")));
    };
    if !models.iter().any(|model| model.name == name) {
        let known = in_code_spans(models.iter().map(|model| &model.name));
        return Err(CommandError::tell(say!(language, "model-unknown", known = known)));
    }
    if !talk.set_model(&call.caller, call.place, &name).await? {
        return Err(CommandError::tell(say!(language, "model-not-theirs")));
    }
    Ok(Reply::text(say!(language, "model-chosen", name = name)))
}

async fn model_names(typed: String, call: Call) -> Vec<Suggestion> {
    let typed = typed.to_lowercase();
    let models = call.services.talk().map(|talk| talk.models()).unwrap_or_default();
    let names = models.into_iter().map(|model| model.name);
    names.filter(|name| name.to_lowercase().contains(&typed)).map(Suggestion::from).collect()
}
