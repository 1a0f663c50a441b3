//! `docs/settings.md`: a table of every setting, made from the comments of the shipped `config.toml`, which is held
//! against the settings themselves by a test of the core.

use std::fmt::Write as _;

use super::generated::{cell, is_in_step};

const SHIPPED: &str = include_str!("../../../config.toml");

/// A setting as the file shows it.
struct Setting<'a> {
    name: &'a str,
    value: &'a str,
    meaning: String,
}

/// A section: its header, what is said above it, and its settings.
struct Section<'a> {
    header: &'a str,
    about: String,
    settings: Vec<Setting<'a>>,
}

fn header(line: &str) -> Option<&str> {
    (line.starts_with('[') && line.ends_with(']')).then_some(line)
}

fn key_and_value(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(" = ")?;
    let is_key = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    is_key(name).then_some((name, value))
}

fn sections(file: &str) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let mut above: Vec<&str> = Vec::new();
    for line in file.lines() {
        let text = line.trim_start_matches("# ");
        if line.is_empty() {
            // What stands alone is about the file.
            above.clear();
        } else if let Some(header) = header(text) {
            sections.push(Section { header, about: above.join("\n"), settings: Vec::new() });
            above.clear();
        } else if let (Some((name, value)), Some(section)) = (key_and_value(text), sections.last_mut()) {
            // Of two settings in a row, the words above are about both.
            let meaning = match (above.is_empty(), section.settings.last()) {
                (true, Some(last)) => last.meaning.clone(),
                (true, None) => "see above".to_owned(),
                (false, _) => above.join(" "),
            };
            section.settings.push(Setting { name, value, meaning });
            above.clear();
        } else {
            above.push(line.trim_start_matches('#').strip_prefix(' ').unwrap_or_default());
        }
    }
    sections
}

fn page() -> String {
    let mut page = String::from(
        "# Settings\n\nEvery setting of `config.toml`, with its default or, where it has none, an example. All are optional. \
         This page is made\nfrom the comments of the shipped `config.toml`; `candor check` reports everything that is wrong \
         in yours.\n",
    );
    for section in sections(SHIPPED).iter().filter(|section| !section.settings.is_empty() || !section.about.is_empty())
    {
        // Writing to text cannot fail.
        let _always = write!(page, "\n## `{}`\n", section.header);
        if !section.about.is_empty() {
            let _always = write!(page, "\n```text\n{}\n```\n", section.about.trim_matches('\n'));
        }
        if !section.settings.is_empty() {
            page += "\n| setting | default or example | meaning |\n| --- | --- | --- |\n";
        }
        for Setting { name, value, meaning } in &section.settings {
            let _always = writeln!(page, "| `{name}` | `{}` | {} |", cell(value), cell(meaning));
        }
    }
    page
}

#[test]
fn the_page_of_settings_is_in_step_with_the_shipped_file() {
    let page = page();
    for setting in
        ["| `deadline_s` | `30` |", "| `fallbacks` |", "| `conversations_days` | `90` |", "## `[permissions."]
    {
        assert!(page.contains(setting), "{setting} is not in\n{page}");
    }
    let n_settings = page.lines().filter(|line| line.starts_with("| `")).count();
    assert!(60 <= n_settings, "{n_settings}");
    let bare: Vec<_> = page.lines().filter(|line| line.ends_with("|  |")).collect();
    assert!(bare.is_empty(), "settings without a meaning: {bare:#?}");
    is_in_step("docs/settings.md", &page);
}
