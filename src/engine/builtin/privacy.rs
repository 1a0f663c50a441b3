//! `/privacy`: shows and erases the caller's data.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::builtin::builtins::Bot;
use crate::personal::{KeptKind, PersonalKind};
use candor_core::contract::{Call, CommandError, NoArguments};
use candor_core::inbound::{CommandPath, Place};
use candor_core::language::{Language, say};
use candor_core::reply::{Field, PreparedCall, Reply, ReplyFile};

/// The largest file in bytes. Discord accepts this size within the time limit of an answer.
const FILE_SIZE_MAX: usize = 4 * 1024 * 1024;

/// What `/privacy erase` takes.
#[derive(Deserialize, JsonSchema)]
pub(super) struct EraseArguments {
    /// Really erase it: this cannot be undone. Without it you are asked first
    confirm: Option<bool>,
}

pub(super) async fn show(_: NoArguments, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let kept = Bot::of(&call)?.personal_data(FILE_SIZE_MAX).await?;
    let fields: Vec<_> = kept.kinds.iter().filter(|kept| 0 < kept.n).map(|kept| field(kept, language)).collect();
    let mut text = vec![match fields.is_empty() {
        true => say!(language, "privacy-nothing"),
        false => say!(language, "privacy-shown"),
    }];
    if call.place == Place::Console {
        text.push(say!(language, "privacy-export", user = call.caller.id.to_string()));
    } else if !kept.is_whole {
        text.push(say!(language, "privacy-file-cut"));
    }
    Ok(Reply {
        file: Some(ReplyFile { name: "candor-privacy.json".to_owned(), content: kept.json.into_bytes() }),
        fields,
        ..Reply::text(text.join(" ")).titled(say!(language, "privacy-title"))
    })
}

pub(super) async fn erase(arguments: EraseArguments, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    if arguments.confirm != Some(true) {
        let confirm = PreparedCall {
            path: CommandPath::new("privacy", Some("erase")),
            arguments: Map::from_iter([("confirm".to_owned(), Value::Bool(true))]),
            in_place: true,
            once: false,
            for_everyone: false,
        };
        let label = say!(language, "privacy-erase-button");
        let question = say!(language, "privacy-erase-question");
        return Ok(Reply::ask(confirm, label, question));
    }
    let erased = Bot::of(&call)?.erase_personal_data().await?;
    // This run is itself one of the runs under way.
    let shown = erased.counts.iter().filter(|(kind, _)| *kind != PersonalKind::Runs);
    let lines: Vec<_> = shown.map(|(kind, n)| format!("{}: {n}", name(*kind, language))).collect();
    let mut reply = Reply::text(match lines.is_empty() {
        true => say!(language, "privacy-erase-nothing"),
        false => format!("{}\n{}", say!(language, "privacy-erased"), lines.join("\n")),
    });
    if 0 < erased.n_with_arguments {
        reply.add_line(&say!(language, "privacy-old-receipts", n = erased.n_with_arguments));
    }
    Ok(reply)
}

fn field(kept: &KeptKind, language: Language) -> Field {
    let kept_for = match kept.kept_for {
        Some(kept_for) => say!(language, "privacy-kept-days", n = days(kept_for)),
        None => say!(language, "privacy-kept-until-removed"),
    };
    Field { name: format!("{}: {}", name(kept.kind, language), kept.n), value: kept_for }
}

fn days(kept_for: Duration) -> u64 {
    kept_for.as_secs() / (24 * 60 * 60)
}

fn name(kind: PersonalKind, language: Language) -> String {
    match kind {
        PersonalKind::Receipts => say!(language, "kept-receipts"),
        PersonalKind::Answers => say!(language, "kept-answers"),
        PersonalKind::Runs => say!(language, "kept-runs"),
        PersonalKind::Cooldowns => say!(language, "kept-cooldowns"),
        PersonalKind::Conversations => say!(language, "kept-conversations"),
        PersonalKind::Models => say!(language, "kept-models"),
        PersonalKind::Turns => say!(language, "kept-turns"),
        PersonalKind::Spending => say!(language, "kept-spending"),
        PersonalKind::LiveMessages => say!(language, "kept-live-messages"),
        PersonalKind::DueCalls => say!(language, "kept-due-calls"),
        PersonalKind::Messages => say!(language, "kept-messages"),
        PersonalKind::Records => say!(language, "kept-records"),
        PersonalKind::Files => say!(language, "kept-files"),
    }
}
