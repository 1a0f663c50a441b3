//! `/memory`: facts that people ask the bot to remember, per person and guild, visible only to that person.
//!
//! The caller's own memories go into the chat model's prompt in direct messages, and in guilds where that person
//! allowed it. The model may save one with its tool `save_memory`.

#[cfg(test)]
mod tests;

use std::sync::LazyLock;
use std::time::UNIX_EPOCH;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use tracing::warn;

use candor_core::contract::limits::{SUGGESTION_LENGTH_MAX, SUGGESTIONS_MAX};
use candor_core::contract::{Call, CommandError, NativeModule, RecordId, ServiceError, ServiceName, Suggestion};
use candor_core::inbound::{CommandPath, Place};
use candor_core::language::{Language, Texts, say_from};
use candor_core::reply::{Control, Page, PreparedCall, Reply};
use candor_core::text::{escaped, names, shortened, visible_line};

/// The most memories of one person in one guild or direct-message channel.
const MEMORIES_MAX: usize = 200;

/// The most memories in the chat model's prompt: the newest.
const TOLD_MAX: usize = 50;

/// Memories per page. The longest, as shown, still fit into one embed.
const PER_PAGE: u64 = 8;

/// The most characters of a memory in a list.
const SHOWN_CONTENT_LENGTH_MAX: usize = 200;

static TEXTS: LazyLock<Texts> =
    LazyLock::new(|| Texts::new(&[("en", include_str!("en.ftl")), ("de", include_str!("de.ftl"))]));

pub fn module() -> NativeModule {
    NativeModule::new("memory", include_str!("module.toml"))
        .needs(ServiceName::Records)
        .handler("save", save)
        .handler("list", list)
        .handler("forget", forget)
        .handler("share", share)
        .complete("forget", "id", suggest)
        .background(background)
}

/// What `/memory save` takes.
#[derive(Deserialize, JsonSchema)]
struct NewMemory {
    /// What to remember
    #[schemars(length(min = 1, max = 1000))]
    content: String,
    /// What kind of memory it is; a fact if not said
    kind: Option<Kind>,
}

/// What `/memory list` takes.
#[derive(Deserialize, JsonSchema)]
struct MemoryPage {
    /// Only memories of this kind
    kind: Option<Kind>,
    /// The page to show
    #[schemars(range(min = 1))]
    page: Option<u32>,
}

/// What `/memory forget` takes.
#[derive(Deserialize, JsonSchema)]
struct MemoryNumber {
    /// The memory's number
    #[schemars(range(min = 1))]
    id: RecordId,
}

/// What `/memory share` takes.
#[derive(Deserialize, JsonSchema)]
struct Sharing {
    /// Whether the chat model is told your memories in this server, where others read its answers
    on: bool,
}

names! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Journal = "journal",
        #[default]
        Fact = "fact",
        Preference = "preference",
        Task = "task",
    }
}

impl Kind {
    fn shown(self, language: Language) -> String {
        say_from!(TEXTS, language, "kind", kind = self.name())
    }
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Memory {
    /// Untrusted text on one line.
    content: String,
    kind: Kind,
    /// In seconds since 1970.
    saved_at: u64,
}

/// A record as stored. All are memories, except at most one `Shared`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
enum StoredRecord {
    /// The person allowed the chat model to use their memories in this guild.
    Shared {
        /// Always true: without permission there is no such record.
        shared: bool,
    },
    Memory(Memory),
}

/// The stored memories of the caller in this place.
struct Memories {
    /// Newest first.
    found: Vec<(RecordId, Memory)>,
    /// The record of the permission to share them in this guild, if it was given.
    shared: Option<RecordId>,
}

impl Memories {
    /// Returns whether the chat model may see the memories here. In a guild, everyone can read its replies.
    fn are_told(&self, place: Place) -> bool {
        match place {
            Place::Guild { .. } => self.shared.is_some(),
            Place::Direct { .. } | Place::Console => true,
        }
    }
}

async fn save(new: NewMemory, call: Call) -> Result<Reply, CommandError> {
    let content = visible_line(&new.content);
    let language = call.caller.language;
    if content.is_empty() {
        return Err(CommandError::tell(say_from!(TEXTS, language, "nothing-readable")));
    }
    let saved_at = call.now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let memory = Memory { content, kind: new.kind.unwrap_or_default(), saved_at };
    let n_others = usize::from(memories(&call).await?.shared.is_some());
    match call.services.caller_records()?.add(&json!(memory), MEMORIES_MAX + n_others).await {
        Ok(id) => Ok(Reply::text(say_from!(TEXTS, language, "saved", memory = line(id, &memory, language)))),
        Err(ServiceError::Full(_)) => Err(CommandError::tell(say_from!(TEXTS, language, "full", max = MEMORIES_MAX))),
        Err(problem) => Err(problem.into()),
    }
}

async fn list(wanted: MemoryPage, call: Call) -> Result<Reply, CommandError> {
    let path = CommandPath::new("memory", Some("list"));
    let language = call.caller.language;
    let kept = memories(&call).await?;
    let told = match kept.are_told(call.place) {
        true => say_from!(TEXTS, language, "told"),
        false => say_from!(TEXTS, language, "not-told"),
    };
    let mut found = kept.found;
    let kinds = Kind::ALL.into_iter().filter(|kind| found.iter().any(|(_, memory)| memory.kind == *kind)).collect();
    found.retain(|(_, memory)| wanted.kind.is_none_or(|kind| memory.kind == kind));
    let of_kind: Map<_, _> = wanted.kind.map(|kind| ("kind".to_owned(), json!(kind))).into_iter().collect();
    let page = Page::of(wanted.page, found.len() as u64, PER_PAGE);
    let line = |(id, memory): &(RecordId, Memory)| {
        let content = shortened(&memory.content, SHOWN_CONTENT_LENGTH_MAX);
        line(*id, &Memory { content, ..memory.clone() }, language)
    };
    let mut lines: Vec<_> = page.shown(&found).iter().map(line).collect();
    match wanted.kind {
        None if found.is_empty() => lines.push(say_from!(TEXTS, language, "none")),
        Some(kind) if found.is_empty() => {
            lines.push(say_from!(TEXTS, language, "none-of-kind", kind = kind.shown(language)));
        }
        None | Some(_) => {}
    }
    lines.extend(page.line(&path, &of_kind, language));
    let state = Some(format!("{} · {told}", say_from!(TEXTS, language, "count", n = found.len())));
    let mut controls = page.controls(&path, &of_kind, language);
    controls.extend(choice_of(kinds, path, language));
    Ok(Reply { state, controls, ..Reply::text(lines.join("\n")).titled(say_from!(TEXTS, language, "title")) })
}

/// Builds a select menu to filter a list by kind.
fn choice_of(kinds: Vec<Kind>, path: CommandPath, language: Language) -> Option<Vec<Control>> {
    let choices: Vec<_> = kinds.into_iter().map(|kind| (kind.shown(language), kind.name().to_owned())).collect();
    let call = PreparedCall { path, arguments: Map::new(), in_place: true, once: false, for_everyone: false };
    (1 < choices.len()).then(|| {
        let placeholder = say_from!(TEXTS, language, "choose-kind");
        vec![Control::Select { placeholder, option: "kind".to_owned(), choices, call }]
    })
}

async fn forget(memory: MemoryNumber, call: Call) -> Result<Reply, CommandError> {
    let id = memory.id;
    let language = call.caller.language;
    let found = memories(&call).await?.found;
    let Some((_, memory)) = found.into_iter().find(|(found, _)| *found == id) else {
        return Err(CommandError::tell(say_from!(TEXTS, language, "unknown", id = id)));
    };
    call.services.caller_records()?.forget(id, &memory.content).await?;
    // Without the memory's text: a late answer is stored, and the text with it.
    Ok(Reply::text(say_from!(TEXTS, language, "forgot", id = id, kind = memory.kind.shown(language))))
}

async fn share(wanted: Sharing, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    if !matches!(call.place, Place::Guild { .. }) {
        return Err(CommandError::tell(say_from!(TEXTS, language, "private-place")));
    }
    let records = call.services.caller_records()?;
    let shared = memories(&call).await?.shared;
    match (wanted.on, shared) {
        (true, None) => drop(records.add(&json!(StoredRecord::Shared { shared: true }), MEMORIES_MAX + 1).await?),
        (false, Some(id)) => drop(records.remove(id).await?),
        (true, Some(_)) | (false, None) => {}
    }
    Ok(Reply::text(match wanted.on {
        true => say_from!(TEXTS, language, "shared"),
        false => say_from!(TEXTS, language, "not-shared"),
    }))
}

/// Returns the caller's memories for the chat model's prompt, newest first.
async fn background(call: Call) -> Result<Vec<String>, CommandError> {
    let kept = memories(&call).await?;
    let told = if kept.are_told(call.place) { kept.found } else { Vec::new() };
    Ok(told
        .into_iter()
        .take(TOLD_MAX)
        .map(|(_, memory)| format!("{}: {}", memory.kind.name(), memory.content))
        .collect())
}

async fn suggest(typed: String, call: Call) -> Vec<Suggestion> {
    let found = match memories(&call).await {
        Ok(kept) => kept.found,
        Err(problem) => {
            warn!(?problem, "no memories to suggest");
            Vec::new()
        }
    };
    let typed = typed.trim().to_lowercase();
    let matches = |id: RecordId, memory: &Memory| {
        id.to_string().starts_with(&typed) || memory.content.to_lowercase().contains(&typed)
    };
    let language = call.caller.language;
    let matching = found.iter().filter(|(id, memory)| matches(*id, memory));
    let suggestion = |(id, memory): &(RecordId, Memory)| Suggestion {
        label: shortened(&format!("{id} · {}: {}", memory.kind.shown(language), memory.content), SUGGESTION_LENGTH_MAX),
        value: Value::from(*id),
    };
    matching.take(SUGGESTIONS_MAX).map(suggestion).collect()
}

async fn memories(call: &Call) -> Result<Memories, CommandError> {
    let mut kept = Memories { found: Vec::new(), shared: None };
    for (id, body) in call.services.caller_records()?.list().await?.into_iter().rev() {
        match serde_json::from_value(body)? {
            StoredRecord::Memory(memory) => kept.found.push((id, memory)),
            StoredRecord::Shared { shared } => kept.shared = shared.then_some(id),
        }
    }
    Ok(kept)
}

/// Returns a line such as `3 (preference): likes tea`.
fn line(id: RecordId, memory: &Memory, language: Language) -> String {
    format!("{id} ({}): {}", memory.kind.shown(language), escaped(&memory.content))
}
