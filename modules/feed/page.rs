//! The content of a feed at one look: its title, and its entries as lines of text. All of it is untrusted.

use std::collections::BTreeSet;

use feed_rs::model::{FeedType, Link, Text};
use feed_rs::parser::Builder;

use super::{html, repair};
use candor_core::text::{escaped, first_characters, shortened, visible_line};

/// The most entries read: the newest ones.
pub(super) const ENTRIES_MAX: usize = 200;

const TITLE_MAX: usize = 150;

/// The longest link shown, in bytes: one message has room for it.
const LINK_MAX: usize = 2_000;

/// The most characters of an entry's text that are read for its title.
const TEXT_READ_MAX: usize = 2_000;

/// The last second of the year 9999, the latest time that Discord shows.
const SECONDS_MAX: u64 = 253_402_300_799;

pub(super) struct Page {
    /// On one line. May be empty.
    pub(super) title: String,
    /// At most [`ENTRIES_MAX`] entries, oldest first, each mark once.
    pub(super) entries: Vec<Entry>,
}

pub(super) struct Entry {
    /// Identifies the entry in later reads.
    pub(super) mark: String,
    /// When it was published or last changed, in seconds since 1970.
    pub(super) at: Option<u64>,
    /// On one line.
    title: String,
    link: Option<String>,
}

impl Page {
    /// Reads a feed from this address. `None` if it is not RSS, Atom or JSON Feed.
    pub(super) fn read(bytes: &[u8], address: &str) -> Option<Self> {
        // An entry without an id gets one from its link and title. The parser's default is random.
        let id = |links: &[Link], title: &Option<Text>, _: Option<&str>| {
            let title = title.as_ref().map(|title| title.content.as_str());
            format!("{} {}", links.first().map_or("", |link| &link.href), title.unwrap_or_default())
        };
        // A parser cannot be reused after a failure.
        let parse =
            |text: &str| Builder::new().base_uri(Some(address)).id_generator(id).build().parse(text.as_bytes()).ok();
        let text = repair::decoded(bytes);
        let feed = repair::read(&text, parse)?;
        let form =
            Form { is_atom: feed.feed_type == FeedType::Atom, permalinks: Permalinks::of(&feed.feed_type, &text) };
        let title = feed.title.as_ref().map(|title| form.line(title)).unwrap_or_default();
        // Most feeds have the newest entry first.
        let mut entries: Vec<_> = feed.entries.iter().rev().filter_map(|entry| form.entry(entry)).collect();
        if entries.iter().all(|entry| entry.at.is_some()) {
            entries.sort_by_key(|entry| entry.at);
        }
        let mut known = BTreeSet::new();
        entries.retain(|entry| known.insert(entry.mark.clone()));
        let entries = entries.split_off(entries.len().saturating_sub(ENTRIES_MAX));
        Some(Self { title, entries })
    }
}

/// How the feed's format encodes texts and ids.
struct Form {
    /// Plain texts are really plain. In other formats they contain HTML.
    is_atom: bool,
    permalinks: Permalinks,
}

/// Which ids are also links.
enum Permalinks {
    No,
    /// All ids except these.
    AllBut(BTreeSet<String>),
}

impl Permalinks {
    /// In RSS a `guid` is a link unless it has `isPermaLink="false"`, which the parser does not report.
    fn of(format: &FeedType, text: &str) -> Self {
        if matches!(format, FeedType::Atom | FeedType::JSON) {
            return Self::No;
        }
        let guids = text.split("<guid").skip(1).filter_map(|rest| rest.split_once('>'));
        let others = guids.filter(|(tag, _)| {
            let tag = tag.to_ascii_lowercase();
            tag.contains("ispermalink") && tag.contains("false")
        });
        let id = |(_, rest): (&str, &str)| {
            let (rest, end) = rest.trim_start().strip_prefix("<![CDATA[").map_or((rest, "<"), |rest| (rest, "]]>"));
            html::words(rest.split(end).next().unwrap_or_default()).trim().to_owned()
        };
        Self::AllBut(others.map(id).collect())
    }

    fn has(&self, id: &str) -> bool {
        matches!(self, Self::AllBut(others) if !others.contains(id))
    }
}

impl Form {
    /// Returns the entry; `None` if it has neither title nor link.
    fn entry(&self, entry: &feed_rs::model::Entry) -> Option<Entry> {
        let words = [entry.title.as_ref(), entry.summary.as_ref()].into_iter().flatten().map(|text| self.line(text));
        let title = words.into_iter().find(|words| !words.is_empty()).unwrap_or_default();
        let is_page = |link: &&Link| link.rel.as_deref().is_none_or(|rel| rel == "alternate");
        let link = entry.links.iter().find(is_page).or_else(|| entry.links.first());
        let permalink = || self.permalinks.has(&entry.id).then(|| shown(&entry.id)).flatten();
        let link = link.and_then(|link| shown(&link.href)).or_else(permalink);
        if title.is_empty() && link.is_none() {
            return None;
        }
        let at = entry.published.or(entry.updated).and_then(|at| u64::try_from(at.timestamp()).ok());
        Some(Entry { mark: mark(&entry.id), at: at.filter(|at| *at <= SECONDS_MAX), title, link })
    }

    /// Returns a text on one line, without tags.
    fn line(&self, text: &Text) -> String {
        let content = first_characters(&text.content, TEXT_READ_MAX);
        let is_plain = self.is_atom && text.content_type.as_str() == "text/plain";
        let words = if is_plain { content.to_owned() } else { html::words(content) };
        shortened(&visible_line(&words), TITLE_MAX)
    }
}

impl Entry {
    /// Returns the entry as posted: title, time and link.
    pub(super) fn told(&self) -> String {
        let title = (!self.title.is_empty()).then(|| format!("**{}**", escaped(&self.title)));
        let time = self.at.map(|at| format!("<t:{at}:R>"));
        let first: Vec<_> = title.into_iter().chain(time).collect();
        let lines = Some(first.join(" · ")).filter(|line| !line.is_empty());
        lines.into_iter().chain(self.link.clone()).collect::<Vec<_>>().join("\n")
    }
}

/// Returns a link that is safe to show: a complete web address in which nothing hides its target.
fn shown(link: &str) -> Option<String> {
    let link = link.trim();
    let (scheme, rest) = link.split_once("://")?;
    let is_web = scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http");
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let is_plain = link.chars().all(|c| c.is_ascii_graphic() && !"<>\"\\".contains(c));
    let is_shown = is_web && is_plain && !host.is_empty() && !host.contains('@');
    // These characters are markup in Discord.
    let link = link.replace('*', "%2A").replace('|', "%7C").replace('`', "%60");
    (is_shown && link.len() <= LINK_MAX).then_some(link)
}

/// Returns a short mark of an id, the same in every version of the bot: FNV-1a.
fn mark(id: &str) -> String {
    let hash = id
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}
