//! What a feed says at one look: its title, and its entries as lines of text. All of it is untrusted.

use std::collections::BTreeSet;

use feed_rs::model::{Feed, Link, Text};
use feed_rs::parser::Builder;

use candor_core::text::{escaped, first_characters, shortened, visible_line};

/// The most entries that are looked at: the newest ones.
pub(super) const ENTRIES_MAX: usize = 200;

/// The most characters of a title.
const TITLE_MAX: usize = 150;

/// The longest link that is shown, in bytes.
const LINK_MAX: usize = 400;

/// The most characters of an entry's text that are read for its title.
const TEXT_READ_MAX: usize = 2_000;

/// The last second of the year 9999, which Discord shows.
const SECONDS_MAX: u64 = 253_402_300_799;

/// What a feed says.
pub(super) struct Page {
    /// Its title, on one line. May be empty.
    pub(super) title: String,
    /// At most [`ENTRIES_MAX`] entries, oldest first, no two with one mark.
    pub(super) entries: Vec<Entry>,
}

/// An entry of a feed.
pub(super) struct Entry {
    /// By what it is known again.
    pub(super) mark: String,
    /// When it was published or changed last, in seconds since 1970.
    pub(super) at: Option<u64>,
    /// On one line.
    title: String,
    link: Option<String>,
}

impl Page {
    /// Reads a feed that was found at this address. `None` if it is none, in RSS, Atom or JSON.
    pub(super) fn read(bytes: &[u8], address: &str) -> Option<Self> {
        // An entry that does not say by what it is known is known by its link and title: never by a number at random.
        let id = |links: &[Link], title: &Option<Text>, _: Option<&str>| {
            let title = title.as_ref().map(|title| title.content.as_str());
            format!("{} {}", links.first().map_or("", |link| &link.href), title.unwrap_or_default())
        };
        let parser = Builder::new().base_uri(Some(address)).id_generator(id).build();
        let feed: Feed = parser.parse(bytes).ok()?;
        let title = feed.title.as_ref().map(line).unwrap_or_default();
        // Most feeds have the newest entry first.
        let mut entries: Vec<_> = feed.entries.iter().rev().filter_map(Entry::read).collect();
        if entries.iter().all(|entry| entry.at.is_some()) {
            entries.sort_by_key(|entry| entry.at);
        }
        let mut known = BTreeSet::new();
        entries.retain(|entry| known.insert(entry.mark.clone()));
        let entries = entries.split_off(entries.len().saturating_sub(ENTRIES_MAX));
        Some(Self { title, entries })
    }
}

impl Entry {
    /// `None` if there is nothing to tell of it.
    fn read(entry: &feed_rs::model::Entry) -> Option<Self> {
        let words = [entry.title.as_ref(), entry.summary.as_ref()].into_iter().flatten().map(line);
        let title = words.into_iter().find(|words| !words.is_empty()).unwrap_or_default();
        let is_page = |link: &&Link| link.rel.as_deref().is_none_or(|rel| rel == "alternate");
        let link = entry.links.iter().find(is_page).or_else(|| entry.links.first());
        let link = link.and_then(|link| shown(&link.href));
        if title.is_empty() && link.is_none() {
            return None;
        }
        let at = entry.published.or(entry.updated).and_then(|at| u64::try_from(at.timestamp()).ok());
        Some(Self { mark: mark(&entry.id), at: at.filter(|at| *at <= SECONDS_MAX), title, link })
    }

    /// What is told of it: title, time and link.
    pub(super) fn told(&self) -> String {
        let title = (!self.title.is_empty()).then(|| format!("**{}**", escaped(&self.title)));
        let time = self.at.map(|at| format!("<t:{at}:R>"));
        let first: Vec<_> = title.into_iter().chain(time).collect();
        let lines = Some(first.join(" · ")).filter(|line| !line.is_empty());
        lines.into_iter().chain(self.link.clone()).collect::<Vec<_>>().join("\n")
    }
}

/// A text of a feed on one line, without tags.
fn line(text: &Text) -> String {
    let content = first_characters(&text.content, TEXT_READ_MAX);
    shortened(&visible_line(&without_tags(content)), TITLE_MAX)
}

/// The words of HTML. A `<` that begins no tag stays.
fn without_tags(html: &str) -> String {
    let mut words = String::with_capacity(html.len());
    let mut rest = html;
    while let Some((before, behind)) = rest.split_once('<') {
        words.push_str(before);
        let begins_tag = behind.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c));
        match behind.split_once('>') {
            Some((_, after)) if begins_tag => {
                words.push(' ');
                rest = after;
            }
            _ => {
                words.push('<');
                rest = behind;
            }
        }
    }
    words.push_str(rest);
    let signs = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")];
    signs.iter().fold(words, |words, (name, sign)| words.replace(name, sign))
}

/// A link as it may be shown: to a page of the web, whole, and with nothing in it that hides where it leads.
fn shown(link: &str) -> Option<String> {
    let link = link.trim();
    let (scheme, rest) = link.split_once("://")?;
    let is_web = scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http");
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_plain = link.chars().all(|c| c.is_ascii_graphic() && !"<>\"\\".contains(c));
    let is_shown = is_web && is_plain && link.len() <= LINK_MAX && !host.is_empty() && !host.contains('@');
    // These marks would count in Discord's text.
    is_shown.then(|| link.replace('*', "%2A").replace('|', "%7C").replace('`', "%60"))
}

/// A short mark of an id, the same in every version of the bot: FNV-1a.
fn mark(id: &str) -> String {
    let hash = id
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}
