//! A file, folder or heading of this repository that a document names is there, and so is a message that it explains.

use std::path::Path;

/// The documents, and the source whose comments lead from room to room.
const DOCUMENTS: [&str; 15] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/chat.md",
    "docs/operating.md",
    "docs/proofs.md",
    "docs/retention.md",
    "docs/store.md",
    "docs/threats.md",
    "docs/traces.md",
    "docs/troubleshooting.md",
    "modules/README.md",
    "modules/status/mod.rs",
    "src/lib.rs",
];

#[test]
fn every_path_that_a_document_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut missing = Vec::new();
    let mut found = 0;
    for document in DOCUMENTS {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        let (there, gone): (Vec<_>, Vec<_>) = named(&text).into_iter().partition(|path| root.join(path).exists());
        found += there.len();
        missing.extend(gone.into_iter().map(|path| format!("{document}: {path}")));
    }
    assert_eq!(missing, [] as [&str; 0]);
    assert!(50 < found, "only {found} paths were found");
}

/// `file::test` is how a page names the test that holds a promise.
#[test]
fn every_test_that_a_document_names_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = 0;
    for document in ["SECURITY.md", "docs/threats.md"] {
        let text = std::fs::read_to_string(root.join(document)).unwrap();
        let code = text.split('`').skip(1).step_by(2);
        for (file, test) in code.filter_map(|code| code.split_once(".rs::")) {
            found += 1;
            let source = std::fs::read_to_string(root.join(format!("{file}.rs")));
            let is_there = source.is_ok_and(|source| is_test_in(test, &source));
            assert!(is_there, "{document}: {file}.rs::{test}");
        }
    }
    assert!(30 < found, "only {found} tests were found");
}

/// Whether a source has a test of this name, which the test runner runs.
fn is_test_in(name: &str, source: &str) -> bool {
    let is_named = |line: &str| line.trim_start().trim_start_matches("async ").starts_with(&format!("fn {name}("));
    let lines: Vec<_> = source.lines().collect();
    if on_every_engine(source).any(|test| test == name) {
        return true;
    }
    let Some(at) = lines.iter().position(|line| is_named(line)) else { return false };
    let attributes = lines[..at].iter().rev().take_while(|line| line.trim_start().starts_with("#["));
    attributes
        .map(|line| line.trim_start())
        .any(|line| line.starts_with("#[test]") || line.starts_with("#[tokio::test"))
}

/// The tests of a source that run on SQLite and PostgreSQL.
fn on_every_engine(source: &str) -> impl Iterator<Item = &str> {
    let list = source.split_once("on_every_engine!(").and_then(|(_, list)| list.split_once(");"));
    list.into_iter().flat_map(|(list, _)| list.split(',')).map(str::trim)
}

#[test]
fn a_function_without_the_attribute_of_a_test_is_none() {
    let source = "#[test]\nfn one() {}\n#[tokio::test]\nasync fn two() {}\nfn three() {}\n#[expect(x)]\nfn four() {}\n\
                  on_every_engine!(\n    five,\n);\n";
    for (name, expected) in
        [("one", true), ("two", true), ("three", false), ("four", false), ("five", true), ("six", false)]
    {
        assert_eq!(is_test_in(name, source), expected, "{name}");
    }
}

/// The promises that no test of ours holds, and what holds them.
const HELD_OTHERWISE: [&str; 2] = ["`.ci/container`", "`unsafe_code = \"forbid\"`"];

#[test]
fn every_promise_names_a_test_that_holds_it() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join("SECURITY.md")).unwrap();
    let (_, after) = text.split_once("\n| Promise | Kept by |\n| --- | --- |\n").unwrap();
    let rows: Vec<_> = after.lines().take_while(|line| line.starts_with('|')).collect();
    assert!(50 < rows.len(), "only {} promises were found", rows.len());
    let without: Vec<_> = rows.into_iter().filter(|row| !names_a_test(row)).collect();
    assert!(without.is_empty(), "{without:#?}");
    assert!(!names_a_test("| It holds. | `src/lib.rs`, `some_test` in `lib.rs` |"));
}

fn names_a_test(row: &str) -> bool {
    let code = row.split('`').skip(1).step_by(2);
    code.into_iter().any(|code| code.contains(".rs::")) || HELD_OTHERWISE.iter().any(|other| row.contains(other))
}

#[test]
fn a_path_is_what_stands_in_code_and_begins_with_a_folder_of_ours() {
    let cases: [(&str, &[&str]); 5] = [
        ("see `src/core/text` and src/lib.rs", &["src/core/text"]),
        ("`tests/it/{host,store}/mod.rs`", &["tests/it/host/mod.rs", "tests/it/store/mod.rs"]),
        ("[`docs/store.md`](docs/store.md)", &["docs/store.md"]),
        ("`docs/` and `modules/<name>/`, `src/*.rs`", &["docs/"]),
        ("`data/metrics.json`, `srcs/x`", &[]),
    ];
    for (text, expected) in cases {
        assert_eq!(named(text), expected, "{text}");
    }
}

#[test]
fn every_link_and_picture_of_a_page_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = 0;
    for page in [
        "README.md",
        "docs/chat.md",
        "docs/operating.md",
        "docs/proofs.md",
        "docs/troubleshooting.md",
        "docs/store.md",
        "docs/retention.md",
    ] {
        let text = std::fs::read_to_string(root.join(page)).unwrap();
        let folder = root.join(page).parent().unwrap().to_owned();
        for link in targets(&text).into_iter().filter(|link| !link.starts_with("http")) {
            found += 1;
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let file = if path.is_empty() { root.join(page) } else { folder.join(path) };
            assert!(file.exists(), "{page}: {link}");
            let there =
                heading.is_empty() || anchors(&std::fs::read_to_string(file).unwrap()).contains(&heading.to_owned());
            assert!(there, "{page}: {link}");
        }
    }
    assert!(20 < found, "only {found} links were found");
}

/// What the links and pictures of a page name.
fn targets(text: &str) -> Vec<&str> {
    let behind = |opening: &'static str, closing: char| {
        text.split(opening).skip(1).filter_map(move |rest| rest.split_once(closing)).map(|(target, _)| target)
    };
    behind("](", ')').chain(behind("src=\"", '"')).chain(behind("srcset=\"", '"')).collect()
}

/// The headings of a page, as a link names them.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').trim());
    let anchor = |heading: &str| {
        let kept = heading.to_lowercase().replace(' ', "-");
        kept.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn every_message_that_is_explained_can_be_said() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let said = sayable(&root.join("src"));
    let mut found = 0;
    for (page, before) in [("README.md", "| \""), ("docs/troubleshooting.md", "### \"")] {
        let text = std::fs::read_to_string(root.join(page)).unwrap();
        for quoted in text.lines().filter_map(|line| line.strip_prefix(before)?.split('"').next()) {
            found += 1;
            for part in quoted.split('…').map(|part| part.trim_matches([' ', '`'])) {
                assert!(said.contains(part), "{page}: nothing says `{part}` of `{quoted}`");
            }
        }
    }
    assert!(30 < found, "only {found} messages were found");
}

/// All sentences in the source of a folder, those of several lines on one.
fn sayable(folder: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            text.push_str(&sayable(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "ftl") {
            let source = std::fs::read_to_string(path).unwrap();
            text.extend(
                source.split("\\\n").enumerate().map(|(n, part)| if n == 0 { part } else { part.trim_start() }),
            );
        }
    }
    text
}

/// The paths that a document names.
fn named(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).flat_map(paths).collect()
}

/// The paths in code: `tests/it/{a,b}.rs` is two.
fn paths(code: &str) -> Vec<String> {
    let rooms = ["src/", "modules/", "tests/", "benches/", "docs/"];
    let is_path = rooms.iter().any(|room| code.starts_with(room))
        && code.chars().all(|c| c.is_ascii_alphanumeric() || "_/.{},-".contains(c));
    let parts = code.split_once('{').and_then(|(before, rest)| Some((before, rest.split_once('}')?)));
    match parts {
        _ if !is_path => Vec::new(),
        Some((before, (within, after))) => within.split(',').map(|part| format!("{before}{part}{after}")).collect(),
        None => vec![code.to_owned()],
    }
}
