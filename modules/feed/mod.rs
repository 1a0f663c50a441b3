//! `/feed`: posts new entries of RSS and Atom feeds in a channel.

mod html;
mod look;
mod page;
mod repair;
mod subscription;
#[cfg(test)]
mod tests;

use std::time::{SystemTime, UNIX_EPOCH};

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use candor_core::contract::{
    Call, CommandError, LaterCall, NativeModule, NoArguments, RecordId, ServiceError, ServiceName, Validators, entity,
};
use candor_core::inbound::{ChannelId, Place};
use candor_core::language::{Language, say_from};
use candor_core::reply::Reply;
use candor_core::text::{escaped, shortened, visible_line};
use look::{Found, TEXTS};
use subscription::{INTERVAL, StoredFeed};

const FEEDS_MAX: usize = 15;

/// The most characters of an address in an answer.
const SHOWN_MAX: usize = 80;

pub fn module() -> NativeModule {
    NativeModule::new("feed", include_str!("module.toml"))
        .needs(ServiceName::Records)
        .needs(ServiceName::Time)
        .needs(ServiceName::Http)
        .needs(ServiceName::Send)
        .handler("add", add)
        .handler("list", list)
        .handler("remove", remove)
}

/// What `/feed add` takes.
#[derive(Deserialize, JsonSchema)]
struct NewFeed {
    /// The feed's address: https://example.org/feed.xml
    #[schemars(length(min = 1, max = 400))]
    url: String,
    /// Where new entries are told; else here
    channel: Option<entity::Channel>,
}

/// What `/feed remove` takes.
#[derive(Deserialize, JsonSchema)]
struct FeedNumber {
    /// The feed's number
    #[schemars(range(min = 1))]
    id: RecordId,
}

async fn add(new: NewFeed, call: Call) -> Result<Reply, CommandError> {
    let address = visible_line(&new.url);
    let language = call.caller.language;
    let Place::Guild { channel: here, .. } = call.place else {
        return Err(CommandError::tell(say_from!(TEXTS, language, "guild-only")));
    };
    let channel = new.channel.map_or(here, |channel| ChannelId(channel.id));
    if let Some(due) = call.due {
        return look::look(&call, (&address, channel, due)).await;
    }
    if let Some(why) = call.services.send()?.refusal(channel, language) {
        return Err(CommandError::tell(why));
    }
    let records = call.services.records()?;
    let found = look::found(&records).await?;
    let is_it = |found: &&Found| found.kept.address == address && found.kept.channel() == channel;
    if let Some(Found { id, .. }) = found.iter().find(is_it) {
        let channel = channel.0.to_string();
        return Err(CommandError::tell(say_from!(TEXTS, language, "known", channel = channel, id = id)));
    }
    let full = || CommandError::tell(say_from!(TEXTS, language, "full", max = FEEDS_MAX));
    if FEEDS_MAX <= found.len() {
        return Err(full());
    }
    let not_added = |why: String| CommandError::tell(say_from!(TEXTS, language, "not-added", why = why));
    let read = look::read(&call.services.http()?, &address, &Validators::default(), language).await;
    let (page, validators) =
        read.and_then(|read| read.ok_or_else(|| say_from!(TEXTS, language, "no-feed"))).map_err(not_added)?;
    let kept = StoredFeed::new(address, channel, &page, validators, call.now);
    let id = records.add(&json!(kept), FEEDS_MAX).await.map_err(|problem| match problem {
        ServiceError::Full(_) => full(),
        problem => problem.into(),
    })?;
    look::look_later(&call, &kept).await?;
    let title = escaped(if page.title.is_empty() { &kept.address } else { &page.title });
    let channel = channel.0.to_string();
    let minutes = INTERVAL.as_secs() / 60;
    Ok(Reply::text(say_from!(TEXTS, language, "added", id = id, title = title, channel = channel, minutes = minutes)))
}

async fn list(_: NoArguments, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let mut lines = Vec::new();
    for mut found in look::found(&call.services.records()?).await? {
        // A lost look can be replaced only in a guild.
        let is_lost = found.kept.is_lost(call.now) && matches!(call.place, Place::Guild { .. });
        let state = match is_lost {
            true => {
                let ago = shown(found.kept.read);
                look::take_up(&call, &mut found).await?;
                say_from!(TEXTS, language, "stopped", ago = ago, next = when(found.kept.next()))
            }
            false => state(&found.kept, language),
        };
        let Found { id, kept, .. } = found;
        let address = escaped(&shortened(&kept.address, SHOWN_MAX));
        lines.push(format!("{id} · {address} → <#{}>\n{state}", kept.channel().0));
    }
    let n = lines.len();
    if lines.is_empty() {
        lines.push(say_from!(TEXTS, language, "none"));
    }
    let state = Some(say_from!(TEXTS, language, "count", n = n, max = FEEDS_MAX));
    Ok(Reply { state, ..Reply::text(lines.join("\n")).titled(say_from!(TEXTS, language, "title")) })
}

fn state(kept: &StoredFeed, language: Language) -> String {
    let next = when(kept.next());
    match &kept.why {
        Some(why) => say_from!(TEXTS, language, "failing", times = kept.failed, why = why, next = next),
        None => say_from!(TEXTS, language, "fine", ago = shown(kept.read), next = next),
    }
}

async fn remove(feed: FeedNumber, call: Call) -> Result<Reply, CommandError> {
    let id = feed.id;
    let language = call.caller.language;
    let unknown = || CommandError::tell(say_from!(TEXTS, language, "unknown", id = id));
    let removed = call.services.records()?.remove(id).await?.ok_or_else(unknown)?;
    let kept: StoredFeed = serde_json::from_value(removed)?;
    let time = call.services.time()?.of_guild()?;
    let is_of_it = |call: &LaterCall| {
        call.due == kept.next() && call.arguments.get("url").is_some_and(|url| *url == kept.address.as_str())
    };
    if let Some(due) = time.waiting().await?.iter().find(|due| is_of_it(&due.call)) {
        time.cancel(due.id).await?;
    }
    let address = escaped(&shortened(&kept.address, SHOWN_MAX));
    Ok(Reply::text(say_from!(TEXTS, language, "removed", id = id, address = address)))
}

/// Formats a time relative to now.
fn shown(at_s: u64) -> String {
    format!("<t:{at_s}:R>")
}

fn when(at: SystemTime) -> String {
    shown(at.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs())
}
