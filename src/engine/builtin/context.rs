//! `/context`: the parts of a conversation that the chat model would get now, and those left out.

use candor_core::contract::{Call, CommandError, ConversationContext, NoArguments};
use candor_core::language::say;
use candor_core::reply::Reply;
use candor_core::text::in_code_span;

/// Shows the context, in estimated tokens.
pub(super) async fn context(_: NoArguments, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let Some(found) = call.services.talk()?.context(&call.caller, call.place, &call.rules).await? else {
        return Err(CommandError::tell(say!(language, "model-none")));
    };
    let ConversationContext { n_tools, n_shown, n_left_out, room, .. } = found;
    let told = found.told_by_modules.iter().map(|(title, n)| {
        let title = in_code_span(title);
        say!(language, "context-told", title = title, n = *n)
    });
    let left_out = (0 < n_left_out).then(|| say!(language, "context-left-out", n = n_left_out));
    let summary = found.summary.map(|(n, tokens)| say!(language, "context-summary", n = n, tokens = tokens));
    let model = in_code_span(&found.model);
    let shared = found.is_shared.then(|| say!(language, "context-shared"));
    let lines = [
        say!(language, "context-model", model = model, n = found.context_tokens, answer = found.answer_tokens),
        say!(language, "context-system", n = found.system_tokens),
    ];
    let tools = match found.tools_tokens {
        0 if 0 < n_tools => say!(language, "context-tools-in-text", n = n_tools),
        tokens => say!(language, "context-tools", n = n_tools, tokens = tokens),
    };
    let lines = shared
        .into_iter()
        .chain(lines)
        .chain(told)
        .chain([tools, say!(language, "context-exchanges", n = n_shown, tokens = found.shown_tokens)]);
    let lines = lines.chain(left_out).chain(summary).chain([say!(language, "context-room", n = room)]);
    let list = lines.map(|line| format!("• {line}")).collect::<Vec<_>>().join("\n");
    Ok(Reply::text(format!("{list}\n{}", say!(language, "context-more"))).titled(say!(language, "context-title")))
}
