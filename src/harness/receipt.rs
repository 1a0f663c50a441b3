//! `/receipt`: what ran, as the ledger has it, and what happened in a chat turn.

use schemars::JsonSchema;
use serde::Deserialize;

use super::message_id::message_id;
use super::turn;
use crate::agent::KeptTurn;
use crate::contract::{Call, CommandError};
use crate::inbound::UserId;
use crate::receipt::{Entry, Origin, ReceiptId};
use crate::reply::{Field, Reply, age, clock_time};
use crate::router::excerpt;

/// What `/receipt` takes.
#[derive(Deserialize, JsonSchema)]
pub(super) struct ReceiptArguments {
    /// The receipt's id, as it stands under an answer; else your last answer here
    id: Option<String>,
    /// A chat reply, by its link or id: what happened before it was written
    reply: Option<String>,
}

pub(super) async fn receipt(arguments: ReceiptArguments, call: Call) -> Result<Reply, CommandError> {
    match (arguments.id, arguments.reply) {
        (Some(_), Some(_)) => Err(CommandError::tell("Give `id` or `reply`, not both.")),
        (Some(id), None) => of_id(&id, &call).await,
        (None, Some(reply)) => of_reply(&reply, &call).await,
        (None, None) => last(&call).await,
    }
}

async fn of_id(typed: &str, call: &Call) -> Result<Reply, CommandError> {
    let unknown = || CommandError::tell(format!("There is no receipt `{}` of yours.", excerpt(typed)));
    let id = ReceiptId::parse(typed).ok_or_else(unknown)?;
    let entry = call.services.receipts()?.find(id).await?.ok_or_else(unknown)?;
    // Somebody else's receipt is not even admitted to exist.
    if !may_see(entry.facts.caller, call) {
        return Err(unknown());
    }
    Ok(show(&entry, call))
}

async fn of_reply(typed: &str, call: &Call) -> Result<Reply, CommandError> {
    let Some(message) = message_id(typed) else {
        return Err(CommandError::tell(format!(
            "`{}` is no message. Right-click the reply, choose \"Copy Message Link\", and give that.",
            excerpt(typed)
        )));
    };
    let turn = call.services.receipts()?.turn_of_message(message).await?;
    match turn.filter(|turn| may_see(turn.user, call)) {
        Some(turn) => Ok(turn::show(&turn, call)),
        None => Err(CommandError::tell(
            "That message is no chat reply to you that this bot remembers. A command's answer names its receipt: \
             give that as `id`.",
        )),
    }
}

/// The later of the caller's last receipt and last chat turn in this place.
async fn last(call: &Call) -> Result<Reply, CommandError> {
    let book = call.services.receipts()?;
    let entry = book.last(&call.caller, call.place, "/receipt").await?;
    let turn = book.last_turn(&call.caller, call.place).await?;
    match (entry, turn) {
        (Some(entry), Some(turn)) if is_of(&entry, &turn) || entry.facts.started < turn.at => {
            Ok(turn::show(&turn, call))
        }
        (Some(entry), _) => Ok(show(&entry, call)),
        (None, Some(turn)) => Ok(turn::show(&turn, call)),
        (None, None) => {
            Err(CommandError::tell("No command of yours has run here yet, and no chat model has answered you here."))
        }
    }
}

fn may_see(user: UserId, call: &Call) -> bool {
    user == call.caller.id || call.catalog.is_operator()
}

/// Whether a turn ran what the receipt is of.
fn is_of(entry: &Entry, turn: &KeptTurn) -> bool {
    let id = entry.id.to_string();
    turn.record.calls.iter().any(|call| call.receipt.as_ref() == Some(&id))
}

fn show(entry: &Entry, call: &Call) -> Reply {
    let facts = &entry.facts;
    let field = |name: &str, value: String| Field { name: name.to_owned(), value };
    let mut fields = vec![
        field("Command", format!("`{}`", facts.command)),
        field("Arguments", format!("`{}`", facts.arguments.replace('`', "'"))),
        field("Outcome", facts.outcome.name().to_owned()),
        field("Started", format!("{} ({})", clock_time(facts.started), age(facts.started, call.now))),
        field("Took", format!("{} ms", facts.took.as_millis())),
    ];
    let origin = match facts.origin {
        Origin::Person => None,
        Origin::Model => Some("by the chat model, in a chat turn"),
        Origin::Recovered => Some("by this bot, from what the chat model only pretended to have done"),
    };
    fields.extend(origin.map(|origin| field("Called", origin.to_owned())));
    if let Some(source) = &facts.source {
        let as_of = source.as_of.map(|at| format!(" as of {}", clock_time(at))).unwrap_or_default();
        fields.push(field("Source", format!("{}{as_of}", source.name)));
    }
    fields.push(field("Digest of the answer", format!("`{}`", entry.digest)));
    Reply { title: Some(format!("Receipt {}", entry.id)), fields, ..Reply::default() }
}
