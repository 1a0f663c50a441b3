//! A file or folder of this repository that a document names is there.

use std::path::Path;

/// The documents, and the source whose comments lead from room to room.
const DOCUMENTS: [&str; 9] = [
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/retention.md",
    "docs/store.md",
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
