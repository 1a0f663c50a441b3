//! `/receipt`: the record of a run from the ledger, and the events of a chat turn.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::builtin::builtins::Bot;
use crate::builtin::receipt::list::outcome;
use crate::builtin::receipt::message_id::message_id;
use crate::builtin::receipt::{list, turn};
use crate::storage::{MessageEnd, MessageOfReceipt};
use candor_core::contract::{Call, CommandError};
use candor_core::inbound::{CommandPath, Place, UserId};
use candor_core::language::{Language, say};
use candor_core::record::{KeptTurn, LedgerEntry, Origin, ReceiptId, argument_lines};
use candor_core::reply::{Control, ControlStyle, Field, PreparedCall, Reply, ReplyFile, age_in, clock_time, took_text};
use candor_core::text::{excerpt, in_code_span};

/// What `/receipt` takes.
#[derive(Deserialize, JsonSchema)]
pub(in crate::builtin) struct ReceiptArguments {
    /// The receipt's id, as it stands under an answer; else your last answer here
    id: Option<String>,
    /// A chat reply, by its link or id: what happened before it was written
    reply: Option<String>,
    /// A page of your receipts here, the newest first
    #[schemars(range(min = 1))]
    page: Option<u32>,
    /// A file that proves the receipt of `id` to anyone; without it, that of your last command here
    proof: Option<bool>,
    /// The public key with which anyone can verify this bot's receipts
    key: Option<bool>,
}

pub(in crate::builtin) async fn receipt(arguments: ReceiptArguments, call: Call) -> Result<Reply, CommandError> {
    let bot = Bot::of(&call)?;
    if arguments.key == Some(true) {
        return public_key(&bot).await;
    }
    let is_proof = arguments.proof == Some(true);
    match (arguments.id, arguments.reply, arguments.page) {
        (Some(id), None, None) if is_proof => proof_of(&found(&id, &bot).await?, &bot).await,
        (None, None, None) if is_proof => {
            let last = bot.receipts().await.last(&call.caller, call.place, "/receipt").await?;
            let none = || CommandError::tell(say!(call.caller.language, "receipts-none"));
            proof_of(&last.ok_or_else(none)?, &bot).await
        }
        _ if is_proof => Err(CommandError::tell(say!(call.caller.language, "receipt-proof-of"))),
        (Some(id), None, None) => of_id(&id, &bot).await,
        (None, Some(reply), None) => of_reply(&reply, &bot).await,
        (None, None, Some(page)) => list::page(page, &bot).await,
        (None, None, None) => last(&bot).await,
        _ => Err(CommandError::tell(say!(call.caller.language, "receipts-one-of"))),
    }
}

async fn of_id(typed: &str, bot: &Bot<'_>) -> Result<Reply, CommandError> {
    with_answer(&found(typed, bot).await?, bot).await
}

/// Attaches the file that proves a receipt.
async fn proof_of(entry: &LedgerEntry, bot: &Bot<'_>) -> Result<Reply, CommandError> {
    let language = bot.call.caller.language;
    let book = bot.receipts().await;
    let (Some(proof), Some(key)) = (book.proof(entry.id).await?, book.public_key()) else {
        return Err(CommandError::tell(say!(language, "receipt-not-signed")));
    };
    let id = entry.id.to_string();
    let name = format!("receipt-{id}.json");
    let text = say!(language, "receipt-proof", id = id, key = key.to_string(), file = name.as_str());
    Ok(Reply { file: Some(ReplyFile { name, content: proof.into_bytes() }), ..Reply::text(text) })
}

async fn public_key(bot: &Bot<'_>) -> Result<Reply, CommandError> {
    let language = bot.call.caller.language;
    let Some(key) = bot.receipts().await.public_key() else {
        return Err(CommandError::tell(say!(language, "receipt-not-signed")));
    };
    Ok(Reply::text(say!(language, "receipt-key", key = key.to_string(), fingerprint = key.fingerprint())))
}

/// Returns the button that gives the proof of a receipt.
fn proof_button(entry: &LedgerEntry, language: Language) -> Control {
    let arguments = [("id", Value::from(entry.id.to_string())), ("proof", Value::from(true))];
    let call = PreparedCall {
        path: CommandPath::new("receipt", None),
        arguments: arguments.map(|(name, value)| (name.to_owned(), value)).into_iter().collect(),
        in_place: false,
        once: false,
        for_everyone: false,
    };
    let label = say!(language, "receipt-proof-button");
    Control::Button { label, emoji: None, style: ControlStyle::Secondary, call: Some(call) }
}

/// Returns a receipt that the caller may see.
async fn found(typed: &str, bot: &Bot<'_>) -> Result<LedgerEntry, CommandError> {
    let unknown = || CommandError::tell(say!(bot.call.caller.language, "receipt-unknown", id = excerpt(typed)));
    let id = ReceiptId::parse(typed).ok_or_else(unknown)?;
    let entry = bot.receipts().await.find(id).await?.ok_or_else(unknown)?;
    // The existence of another person's receipt is not revealed.
    if !may_see(entry.facts.caller, bot) {
        return Err(unknown());
    }
    Ok(entry)
}

/// Shows the receipt, with the answer if it could not be shown in time. Operators see another person's receipt without
/// the answer, which was for its asker alone.
async fn with_answer(entry: &LedgerEntry, bot: &Bot<'_>) -> Result<Reply, CommandError> {
    let call = bot.call;
    let book = bot.receipts().await;
    let answer = match entry.facts.caller == call.caller.id {
        true => book.kept_answer(entry.id).await?,
        false => None,
    };
    let messages = book.messages(entry.id).await?;
    let mut shown = show(entry, bot);
    if book.public_key().is_some() {
        shown.controls.push(vec![proof_button(entry, call.caller.language)]);
    }
    if !messages.is_empty() {
        let language = call.caller.language;
        let lines: Vec<_> = messages.iter().map(|message| sent(message, call)).collect();
        shown.fields.push(Field { name: say!(language, "receipt-messages"), value: lines.join("\n") });
    }
    Ok(Reply { text: answer.unwrap_or_default(), ..shown })
}

async fn of_reply(typed: &str, bot: &Bot<'_>) -> Result<Reply, CommandError> {
    let call = bot.call;
    let Some(message) = message_id(typed) else {
        return Err(CommandError::tell(say!(call.caller.language, "receipt-no-message", typed = excerpt(typed))));
    };
    let turn = bot.turns().turn_of_message(message).await?;
    match turn.filter(|turn| may_see(turn.user, bot)) {
        Some(turn) => Ok(turn::show(&turn, call)),
        None => Err(CommandError::tell(say!(call.caller.language, "receipt-no-turn"))),
    }
}

/// Shows the later of the caller's last receipt and last chat turn in this place.
async fn last(bot: &Bot<'_>) -> Result<Reply, CommandError> {
    let call = bot.call;
    let entry = bot.receipts().await.last(&call.caller, call.place, "/receipt").await?;
    let turn = bot.turns().last_turn(call.caller.id, call.place).await?;
    match (entry, turn) {
        (Some(entry), Some(turn)) if is_of(&entry, &turn) || entry.facts.started < turn.at => {
            Ok(turn::show(&turn, call))
        }
        (Some(entry), _) => with_answer(&entry, bot).await,
        (None, Some(turn)) => Ok(turn::show(&turn, call)),
        (None, None) => Err(CommandError::tell(say!(call.caller.language, "receipt-none"))),
    }
}

fn may_see(user: UserId, bot: &Bot<'_>) -> bool {
    user == bot.call.caller.id || bot.is_operator()
}

/// Whether a turn ran the command of a receipt.
fn is_of(entry: &LedgerEntry, turn: &KeptTurn) -> bool {
    let id = entry.id.to_string();
    turn.record.calls.iter().any(|call| call.receipt.as_ref() == Some(&id))
}

fn sent(message: &MessageOfReceipt, call: &Call) -> String {
    let channel = match call.place {
        Place::Console => message.channel.to_string(),
        Place::Guild { .. } | Place::Direct { .. } => format!("<#{}>", message.channel),
    };
    match message.end {
        Some(MessageEnd::Sent) => say!(call.caller.language, "receipt-message-sent", channel = channel),
        Some(MessageEnd::SentDirectly) => {
            say!(call.caller.language, "receipt-message-sent-directly", channel = channel)
        }
        Some(MessageEnd::GivenUp) => say!(call.caller.language, "receipt-message-given-up", channel = channel),
        None => say!(call.caller.language, "receipt-message-waits", channel = channel),
    }
}

fn show(entry: &LedgerEntry, bot: &Bot<'_>) -> Reply {
    let call = bot.call;
    let facts = &entry.facts;
    let language = call.caller.language;
    let field = |name: String, value: String| Field { name, value };
    let arguments = match entry.has_arguments {
        true => shown_arguments(&facts.arguments, language),
        false => say!(language, "receipt-arguments-taken-out"),
    };
    let mut fields = vec![
        field(say!(language, "receipt-command"), in_code_span(&facts.command)),
        field(say!(language, "receipt-arguments"), arguments),
        field(say!(language, "receipt-outcome"), outcome(facts.outcome, language)),
        field(
            say!(language, "receipt-started"),
            format!("{} ({})", clock_time(facts.started), age_in(facts.started, call.now, language)),
        ),
        field(say!(language, "receipt-took"), took_text(facts.took, language)),
    ];
    let origin = match facts.origin {
        Origin::Person => None,
        Origin::Model => Some(say!(language, "receipt-by-model")),
        Origin::Recovered => Some(say!(language, "receipt-by-recovery")),
        Origin::Refresh => Some(say!(language, "receipt-by-refresh")),
        Origin::Due => Some(say!(language, "receipt-by-due")),
        Origin::Event => Some(say!(language, "receipt-by-event")),
        Origin::Schedule => Some(say!(language, "receipt-by-schedule")),
    };
    fields.extend(origin.map(|origin| field(say!(language, "receipt-called"), origin)));
    if let Some(source) = &facts.source {
        let name = if bot.is_operator() { source.name.as_str() } else { "" };
        let as_of = source.as_of.map(|at| say!(language, "footer-as-of", time = clock_time(at)));
        let value = [name, as_of.as_deref().unwrap_or_default()].join(" ").trim().to_owned();
        fields.extend((!value.is_empty()).then(|| field(say!(language, "receipt-source"), value)));
    }
    fields.push(field(say!(language, "receipt-digest"), format!("`{}`", entry.digest)));
    Reply { title: Some(say!(language, "receipt-title", id = entry.id.to_string())), fields, ..Reply::default() }
}

/// Returns a line for each option: `title: buy milk`. Truncated arguments are shown as stored.
fn shown_arguments(kept: &str, language: Language) -> String {
    match argument_lines(kept) {
        Some(lines) if lines.is_empty() => say!(language, "receipt-arguments-none"),
        Some(lines) => lines.iter().map(|line| in_code_span(line)).collect::<Vec<_>>().join("\n"),
        None => in_code_span(kept),
    }
}

#[cfg(test)]
mod tests {
    use super::shown_arguments;
    use candor_core::language::{Language, say};

    #[test]
    fn each_argument_has_a_line_and_what_was_cut_is_shown_as_it_is_kept() {
        let none = say!(Language::ENGLISH, "receipt-arguments-none");
        for (kept, expected) in [
            ("{}", none.as_str()),
            (r#"{"id":3,"title":"buy \"milk\" and `bread`"}"#, "`id: 3`\n`title: buy \"milk\" and ˋbreadˋ`"),
            (r#"{"title":"buy mi"#, "`{\"title\":\"buy mi`"),
        ] {
            assert_eq!(shown_arguments(kept, Language::ENGLISH), expected, "{kept}");
        }
    }
}
