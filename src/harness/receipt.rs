//! `/receipt`: what ran, as the ledger has it.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::contract::{Call, CommandError};
use crate::receipt::{Entry, ReceiptId};
use crate::reply::{Field, Reply, age, clock_time};
use crate::router::excerpt;

/// What `/receipt` takes.
#[derive(Deserialize, JsonSchema)]
pub(super) struct ReceiptArguments {
    /// The receipt's id, as it stands under an answer; else your last one here
    id: Option<String>,
}

pub(super) async fn receipt(arguments: ReceiptArguments, call: Call) -> Result<Reply, CommandError> {
    let book = call.services.receipts()?;
    let Some(typed) = arguments.id else {
        let last = book.last(&call.caller, call.place, "/receipt").await?;
        return last
            .map(|entry| show(&entry, &call))
            .ok_or_else(|| CommandError::tell("No command of yours has run here yet."));
    };
    let unknown = || CommandError::tell(format!("There is no receipt `{}` of yours.", excerpt(&typed)));
    let id = ReceiptId::parse(&typed).ok_or_else(unknown)?;
    let entry = book.find(id).await?.ok_or_else(unknown)?;
    // Somebody else's receipt is not even admitted to exist.
    if entry.facts.caller != call.caller.id && !call.catalog.is_operator() {
        return Err(unknown());
    }
    Ok(show(&entry, &call))
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
    if let Some(source) = &facts.source {
        let as_of = source.as_of.map(|at| format!(" as of {}", clock_time(at))).unwrap_or_default();
        fields.push(field("Source", format!("{}{as_of}", source.name)));
    }
    fields.push(field("Digest of the answer", format!("`{}`", entry.digest)));
    Reply { title: Some(format!("Receipt {}", entry.id)), fields, ..Reply::default() }
}
