//! Splits long lists into pages: the entries of a page, the line below them, and the buttons to other pages.

use std::ops::Range;

use serde_json::{Map, Value};

use crate::inbound::CommandPath;
use crate::language::{Language, say};
use crate::reply::{Control, ControlStyle, PreparedCall};

/// The option for the page number, in every command that shows pages.
pub const PAGE_OPTION: &str = "page";

/// One page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// The page number, from 1.
    number: u64,
    /// The number of pages: at least 1.
    n_pages: u64,
    n_entries: u64,
    per_page: u64,
    /// Whether a page beyond the end was requested.
    is_beyond: bool,
}

impl Page {
    /// Returns the requested page of a list with this many entries; the first page without a request. A page beyond the
    /// end is the last.
    pub fn of(asked: Option<u32>, n_entries: u64, per_page: u64) -> Self {
        let per_page = per_page.max(1);
        let n_pages = n_entries.div_ceil(per_page).max(1);
        let asked = asked.map_or(1, u64::from);
        Self { number: asked.clamp(1, n_pages), n_pages, n_entries, per_page, is_beyond: n_pages < asked }
    }

    /// Returns the page number, from 1.
    pub fn number(self) -> u64 {
        self.number
    }

    /// Returns the entries on this page, counted from 0.
    pub fn range(self) -> Range<u64> {
        let start = (self.number - 1).saturating_mul(self.per_page);
        start..start.saturating_add(self.per_page).min(self.n_entries)
    }

    /// Returns the entries of a list that are on this page.
    pub fn shown<T>(self, list: &[T]) -> &[T] {
        let index = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(list.len());
        let Range { start, end } = self.range();
        list.get(index(start)..index(end)).unwrap_or_default()
    }

    /// Returns `Page 2 of 5`, and how to get another page without buttons; `None` if everything fits on one page. If a
    /// page beyond the end was requested, adds how many there are.
    pub fn line(self, path: &CommandPath, others: &Map<String, Value>, language: Language) -> Option<String> {
        let beyond = self.is_beyond.then(|| say!(language, "page-beyond", pages = self.n_pages));
        if self.n_pages == 1 {
            return beyond;
        }
        let another = if self.number < self.n_pages { self.number + 1 } else { self.number - 1 };
        let mut command = path.to_string();
        for (name, value) in others {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            command += &format!(" {name}: {value}");
        }
        command += &format!(" {PAGE_OPTION}: {another}");
        let page = self.number.to_string();
        let pages = self.n_pages.to_string();
        let place = say!(language, "page-of", page = page, pages = pages, command = command);
        Some(beyond.into_iter().chain([place]).collect::<Vec<_>>().join(" "))
    }

    /// Returns the buttons to the previous and next page, which replace this one. A button without a target is
    /// disabled. Without further pages there are no buttons.
    pub fn controls(self, path: &CommandPath, others: &Map<String, Value>, language: Language) -> Vec<Vec<Control>> {
        if self.n_pages == 1 {
            return Vec::new();
        }
        let button = |label: String, page: Option<u64>| Control::Button {
            label,
            emoji: None,
            style: ControlStyle::Secondary,
            call: page.map(|page| {
                let mut arguments = others.clone();
                arguments.insert(PAGE_OPTION.to_owned(), Value::from(page));
                PreparedCall { path: path.clone(), arguments, in_place: true, once: false, for_everyone: false }
            }),
        };
        let previous = Some(self.number - 1).filter(|&page| 1 <= page);
        let next = Some(self.number + 1).filter(|&page| page <= self.n_pages);
        vec![vec![button(say!(language, "page-previous"), previous), button(say!(language, "page-next"), next)]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list_path() -> CommandPath {
        CommandPath::new("tasks", Some("list"))
    }

    #[test]
    fn a_page_shows_its_entries_and_one_that_is_gone_the_last() {
        let cases = [
            // asked, number of entries, entries per page -> entries shown, the page
            (None, 0, 10, 0..0, (1, 1)),
            (None, 10, 10, 0..10, (1, 1)),
            (None, 11, 10, 0..10, (1, 2)),
            (Some(2), 11, 10, 10..11, (2, 2)),
            (Some(3), 11, 10, 10..11, (2, 2)),
            (Some(u32::MAX), 41, 8, 40..41, (6, 6)),
            (Some(0), 41, 8, 0..8, (1, 6)),
        ];
        for (asked, n_entries, per_page, range, (number, n_pages)) in cases {
            let page = Page::of(asked, n_entries, per_page);
            assert_eq!((page.range(), page.number, page.n_pages), (range, number, n_pages), "{asked:?} {n_entries}");
        }
        let list: Vec<_> = (0..11).collect();
        assert_eq!(Page::of(Some(2), 11, 10).shown(&list), [10]);
        // A list shorter than announced is shown as it is.
        assert_eq!(Page::of(Some(2), 11, 10).shown(&list[..4]), [0; 0]);
    }

    #[test]
    fn the_line_says_where_this_is_and_how_to_type_another() {
        let kind = Map::from_iter([("kind".to_owned(), Value::from("fact"))]);
        let line = |asked, n_entries, others: &Map<_, _>| {
            Page::of(asked, n_entries, 10).line(&list_path(), others, Language::ENGLISH)
        };
        assert_eq!(line(None, 10, &Map::new()), None);
        let said = |page, command| say!(Language::ENGLISH, "page-of", page = page, pages = "5", command = command);
        assert_eq!(line(Some(2), 50, &Map::new()), Some(said("2", "/tasks list page: 3")));
        assert_eq!(line(Some(5), 50, &kind), Some(said("5", "/tasks list kind: fact page: 4")));
        // A page beyond the end is not passed over in silence.
        let beyond = |pages: u64| say!(Language::ENGLISH, "page-beyond", pages = pages);
        assert_eq!(line(Some(1), 0, &kind), None);
        assert_eq!(line(Some(2), 0, &kind), Some(beyond(1)));
        assert_eq!(line(Some(99), 10, &kind), Some(beyond(1)));
        let last = said("5", "/tasks list kind: fact page: 4");
        assert_eq!(line(Some(6), 50, &kind), Some(format!("{} {last}", beyond(5))));
    }

    #[test]
    fn buttons_lead_on_and_are_dead_at_the_ends() {
        let kind = Map::from_iter([("kind".to_owned(), Value::from("fact"))]);
        let pages = |asked, n_entries| {
            let rows = Page::of(asked, n_entries, 10).controls(&list_path(), &kind, Language::ENGLISH);
            let page = |control: &Control| match control {
                Control::Button { call, .. } => call.as_ref().map(|call| {
                    assert!(call.in_place && call.arguments["kind"] == "fact");
                    call.arguments[PAGE_OPTION].as_u64().unwrap()
                }),
                Control::Ask { .. } | Control::Select { .. } | Control::Pick { .. } => panic!("no list was expected"),
            };
            rows.iter().flatten().map(page).collect::<Vec<_>>()
        };
        assert_eq!(pages(None, 10), []);
        assert_eq!(pages(None, 30), [None, Some(2)]);
        assert_eq!(pages(Some(2), 30), [Some(1), Some(3)]);
        assert_eq!(pages(Some(9), 30), [Some(2), None]);
    }
}
