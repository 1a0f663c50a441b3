//! `/context`: the parts of a conversation that the chat model would get now, and those left out.

use crate::builtin::builtins::Bot;
use crate::chat::ConversationContext;
use candor_core::agent::prompt::Preview;
use candor_core::contract::{Call, CommandError, NoArguments};
use candor_core::language::say;
use candor_core::reply::Reply;
use candor_core::text::in_code_span;

/// Shows the context, in estimated tokens.
pub(super) async fn context(_: NoArguments, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let Some(found) = Bot::of(&call)?.context().await? else {
        return Err(CommandError::tell(say!(language, "model-none")));
    };
    let ConversationContext { is_shared, model, preview, n_tools, background, summary } = found;
    let Preview { system_tokens, tools_tokens, n_shown, shown_tokens, n_left_out, room } = preview;
    let told = background.iter().map(|told| {
        let title = in_code_span(&told.title);
        say!(language, "context-told", title = title, n = told.entries.len())
    });
    let left_out = (0 < n_left_out).then(|| say!(language, "context-left-out", n = n_left_out));
    let summary = summary.map(|(n, tokens)| say!(language, "context-summary", n = n, tokens = tokens));
    let name = in_code_span(&model.name);
    let shared = is_shared.then(|| say!(language, "context-shared"));
    let lines = [
        say!(language, "context-model", model = name, n = model.context_tokens, answer = model.answer_tokens),
        say!(language, "context-system", n = system_tokens),
    ];
    let tools = match tools_tokens {
        0 if 0 < n_tools => say!(language, "context-tools-in-text", n = n_tools),
        tokens => say!(language, "context-tools", n = n_tools, tokens = tokens),
    };
    let lines = shared
        .into_iter()
        .chain(lines)
        .chain(told)
        .chain([tools, say!(language, "context-exchanges", n = n_shown, tokens = shown_tokens)]);
    let lines = lines.chain(left_out).chain(summary).chain([say!(language, "context-room", n = room)]);
    let list = lines.map(|line| format!("• {line}")).collect::<Vec<_>>().join("\n");
    Ok(Reply::text(format!("{list}\n{}", say!(language, "context-more"))).titled(say!(language, "context-title")))
}
