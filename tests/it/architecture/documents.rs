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
        for path in text.split('`').skip(1).step_by(2).flat_map(paths) {
            match root.join(&path).exists() {
                true => found += 1,
                false => missing.push(format!("{document}: {path}")),
            }
        }
    }
    assert_eq!(missing, [] as [&str; 0]);
    assert!(50 < found, "only {found} paths were found");
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
