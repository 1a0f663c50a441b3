//! Pages of `docs` that are made from the program. `CANDOR_DOCS=overwrite` writes them anew.

use std::path::Path;

/// Holds that a page is as it would be made now.
pub(super) fn is_in_step(page: &str, made: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    if std::env::var_os("CANDOR_DOCS").is_some_and(|value| value == "overwrite") {
        std::fs::write(&path, made).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    let differing = there.lines().zip(made.lines()).find(|(there, made)| there != made);
    assert!(
        there == made,
        "{page} is not in step with the program ({differing:?}). \
         Write it anew: CANDOR_DOCS=overwrite cargo test -p candor --test it operation::"
    );
}

/// Text for a cell of a table.
pub(super) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
