//! Looks at a feed: posts new entries in its channel and schedules the next look.
//!
//! Each look is a scheduled call of `/feed add` for the guild, so it continues even if the person who added the feed
//! leaves. The message, the new state and the next look are committed together or not at all. If a look is lost because
//! its run failed, the next look at another feed of the guild or the next `/feed list` replaces it.

use std::sync::LazyLock;
use std::time::{Duration, SystemTime};

use candor_core::contract::{
    Call, ChannelMessage, CommandError, OwnHttp, OwnRecords, RecordId, ServiceError, Validators,
};
use candor_core::inbound::{ChannelId, CommandPath};
use candor_core::language::{Language, Texts, say_from};
use candor_core::reply::Reply;
use candor_core::text::{escaped, shortened};
use serde_json::{Map, Value, json};

use super::page::{Entry, Page};
use super::subscription::StoredFeed;

pub(super) static TEXTS: LazyLock<Texts> =
    LazyLock::new(|| Texts::new(&[("en", include_str!("en.ftl")), ("de", include_str!("de.ftl"))]));

/// The most entries in one post. The others are only counted.
const TOLD_MAX: usize = 5;

/// The separator of entries, and the room for the count of omitted entries, in characters.
const BETWEEN: &str = "\n\n";
const MORE_LENGTH_MAX: usize = 200;

/// The pause before a look that replaces a lost one.
const SOON: Duration = Duration::from_secs(60);

/// Discord's number for a text channel. The channel type was checked when the feed was added.
const TEXT_CHANNEL: u8 = 0;

pub(super) struct Found {
    pub(super) id: RecordId,
    /// The record's body as stored.
    body: Value,
    pub(super) kept: StoredFeed,
}

/// Returns the feeds of a guild, oldest first.
pub(super) async fn found(records: &OwnRecords<'_>) -> Result<Vec<Found>, CommandError> {
    let all = records.list().await?.into_iter();
    all.map(|(id, body)| Ok(Found { id, kept: serde_json::from_value(body.clone())?, body })).collect()
}

/// Reads a feed. `None` if it is unchanged since these validators. The error is a reason for people.
pub(super) async fn read(
    http: &OwnHttp<'_>,
    address: &str,
    known: &Validators,
    language: Language,
) -> Result<Option<(Page, Validators)>, String> {
    let answer = http.get_if_changed(address, known).await.map_err(|problem| problem.told(language))?;
    if answer.is_unchanged() {
        return Ok(None);
    }
    if !answer.is_success() {
        return Err(say_from!(TEXTS, language, "status", status = answer.status));
    }
    let page = Page::read(&answer.body, address).ok_or_else(|| say_from!(TEXTS, language, "no-feed"))?;
    Ok(Some((page, answer.validators)))
}

pub(super) async fn look_later(call: &Call, kept: &StoredFeed) -> Result<(), ServiceError> {
    let channel = json!({ "type": "channel", "id": kept.channel().0.to_string(), "kind": TEXT_CHANNEL });
    let url = Value::String(kept.address.clone());
    let arguments = Map::from_iter([("url".to_owned(), url), ("channel".to_owned(), channel)]);
    let path = CommandPath::new("feed", Some("add"));
    call.services.time()?.of_guild()?.call_later(path, arguments, call.now, kept.next()).await.map(drop)
}

/// Runs a due look. If the feed cannot be read, it stays and is read again after a longer pause.
pub(super) async fn look(
    call: &Call,
    (address, channel, due): (&str, ChannelId, SystemTime),
) -> Result<Reply, CommandError> {
    let records = call.services.records()?;
    let language = call.caller.language;
    let is_meant = |kept: &StoredFeed| kept.address == address && kept.channel() == channel && kept.next() == due;
    let (meant, others): (Vec<_>, Vec<_>) = found(&records).await?.into_iter().partition(|found| is_meant(&found.kept));
    let Some(Found { id, body, mut kept }) = meant.into_iter().next() else {
        return Ok(Reply::text(say_from!(TEXTS, language, "gone")));
    };
    let shown = escaped(address);
    let done = match read(&call.services.http()?, address, &kept.validators, language).await {
        Ok(None) => Ok((0, None)),
        Ok(Some((page, validators))) => told(call, &kept, &page).await?.map(|n_new| (n_new, Some((page, validators)))),
        Err(why) => Err(why),
    };
    let said = match done {
        Ok((n_new, changed)) => {
            kept.was_read(changed.as_ref().map(|(page, validators)| (page, validators.clone())), call.now);
            say_from!(TEXTS, language, "looked", address = shown, n = n_new)
        }
        Err(why) => {
            let said = say_from!(TEXTS, language, "failed", address = shown, why = &why);
            kept.was_not_read(why, call.now);
            said
        }
    };
    if !records.replace(id, &body, &json!(kept)).await? {
        return Err(ServiceError::Store("the feed was changed during the look".to_owned()).into());
    }
    look_later(call, &kept).await?;
    for mut other in others.into_iter().filter(|other| other.kept.is_lost(call.now)) {
        take_up(call, &mut other).await?;
    }
    Ok(Reply::text(said))
}

pub(super) async fn take_up(call: &Call, lost: &mut Found) -> Result<(), CommandError> {
    lost.kept.look_after(SOON, call.now);
    look_later(call, &lost.kept).await?;
    // If the record changed meanwhile, the scheduled call finds another time and does nothing.
    call.services.records()?.replace(lost.id, &lost.body, &json!(lost.kept)).await?;
    Ok(())
}

/// Posts the new entries of a feed in its channel and returns their number. The inner error says why the post failed.
async fn told(call: &Call, kept: &StoredFeed, page: &Page) -> Result<Result<usize, String>, CommandError> {
    let news = kept.news(page);
    let language = call.caller.language;
    if news.is_empty() {
        return Ok(Ok(0));
    }
    match call.services.send()?.send(kept.channel(), message(page, &news, language)).await {
        Ok(()) => Ok(Ok(news.len())),
        Err(ServiceError::NotAllowed(_)) => {
            Ok(Err(say_from!(TEXTS, language, "not-sent", channel = kept.channel().0.to_string())))
        }
        Err(ServiceError::Full(_)) => Ok(Err(say_from!(TEXTS, language, "waits"))),
        Err(problem) => Err(problem.into()),
    }
}

/// Builds a message of the newest entries that fit, oldest first, and the number of omitted ones.
fn message(page: &Page, news: &[&Entry], language: Language) -> Reply {
    let mut room = ChannelMessage::TEXT_LENGTH_MAX - MORE_LENGTH_MAX;
    let newest = news.iter().rev().take(TOLD_MAX).map(|entry| entry.told());
    let mut entries: Vec<_> = newest
        .map_while(|told| {
            room = room.checked_sub(told.chars().count() + BETWEEN.len())?;
            Some(told)
        })
        .collect();
    entries.reverse();
    let left_out = news.len() - entries.len();
    if 0 < left_out {
        entries.push(say_from!(TEXTS, language, "more", n = left_out));
    }
    // Escaping may double the length, and a title has at most 256 characters.
    let title = Some(escaped(&shortened(&page.title, 128))).filter(|title| !title.is_empty());
    Reply { title, ..Reply::text(entries.join(BETWEEN)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_as_many_of_the_newest_entries_as_it_shows_whole() {
        let link = format!("https://example.org/{}", "a".repeat(380));
        let item = |n: usize, length: usize| {
            let title = format!("{n}{}", "*".repeat(length));
            format!("<item><title>{title}</title><link>{link}</link><guid>{n}</guid></item>")
        };
        for (length, n, told, left_out) in [(1, 3, 3, None), (1, 9, 5, Some(4)), (149, 5, 3, Some(2))] {
            let items: String = (0..n).rev().map(|n| item(n, length)).collect();
            let rss =
                format!("<rss version=\"2.0\"><channel><title>{}</title>{items}</channel></rss>", "*".repeat(150));
            let page = Page::read(rss.as_bytes(), "https://example.org/feed").unwrap();
            let news: Vec<_> = page.entries.iter().collect();
            let message = message(&page, &news, Language::ENGLISH);
            assert_eq!(message.text.matches("https://").count(), told, "{n} of {length}");
            assert!(
                message.text.contains(&format!("**{}", n - told)) && message.text.contains(&format!("**{}", n - 1))
            );
            let more = left_out.map(|left_out: usize| format!("\n\n… and {left_out} earlier ones"));
            assert_eq!(message.text.contains("… and"), left_out.is_some());
            assert!(more.is_none_or(|more| message.text.ends_with(&more)), "{}", message.text);
            assert!(ChannelMessage::of(message).is_ok());
        }
    }
}
