//! `/usage`: the use of chat today. Each person sees their own, operators see all.

use crate::builtin::builtins::Bot;
use candor_core::agent::{Day, Subject, Usage};
use candor_core::contract::{Call, CommandError, NoArguments};
use candor_core::inbound::Place;
use candor_core::language::{Language, say};
use candor_core::reply::{Field, Reply, moment_ahead};

const LARGEST_MAX: usize = 10;

pub(super) async fn usage(_: NoArguments, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let bot = Bot::of(&call)?;
    let book = bot.budgets();
    let mut shown = vec![book.usage(Subject::Person(call.caller.id), call.now).await?];
    let mut largest = Vec::new();
    if bot.is_operator() {
        if let Place::Guild { guild, .. } = call.place {
            shown.push(book.usage(Subject::Guild(guild), call.now).await?);
        }
        shown.extend(book.of_places(call.place, call.now).await?);
        shown.push(book.usage(Subject::Bot, call.now).await?);
        largest = book.largest(LARGEST_MAX, call.now).await?;
    }
    let mut fields: Vec<_> = shown
        .iter()
        .map(|usage| Field { name: name(usage.subject, language), value: used(usage, language).join("\n") })
        .collect();
    if !largest.is_empty() {
        let lines = largest.iter().map(|usage| format!("{}: {}", who(usage.subject), used(usage, language).join(", ")));
        fields.push(Field {
            name: say!(language, "usage-largest", n = LARGEST_MAX),
            value: lines.collect::<Vec<_>>().join("\n"),
        });
    }
    let when = moment_ahead(Day::of(call.now).ends(), call.place);
    let text = say!(language, "usage-resets", when = when);
    Ok(Reply { fields, ..Reply::text(text).titled(say!(language, "usage-title")) })
}

fn name(subject: Subject, language: Language) -> String {
    match subject {
        Subject::Person(_) => say!(language, "usage-you"),
        Subject::Guild(_) => say!(language, "usage-server"),
        Subject::Place(id) => say!(language, "usage-place", id = id.to_string()),
        Subject::Bot => say!(language, "usage-bot"),
    }
}

/// Formats a subject for operators by its id, as in their settings and logs.
fn who(subject: Subject) -> String {
    format!("`{}`", subject.key())
}

/// Formats tokens and turns, each with its limit, and how many of the tokens are estimated.
fn used(usage: &Usage, language: Language) -> Vec<String> {
    let spent = usage.spent;
    let limits = usage.limits;
    let tokens = match limits.tokens {
        Some(limit) => say!(language, "usage-tokens-of", n = spent.tokens.total(), limit = limit),
        None => say!(language, "usage-tokens", n = spent.tokens.total()),
    };
    let estimated = (0 < spent.tokens.estimated).then(|| say!(language, "usage-estimated", n = spent.tokens.estimated));
    let turns = match limits.turns {
        Some(limit) => say!(language, "usage-turns-of", n = spent.turns, limit = limit),
        None => say!(language, "usage-turns", n = spent.turns),
    };
    [Some(tokens), estimated, Some(turns)].into_iter().flatten().collect()
}
