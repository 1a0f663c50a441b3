//! Who may use whom, read from the source files: the floors of the house, kept by a test.
//!
//! What the compiler keeps is not asked here: the core and the modules are crates of their own, whose manifests name
//! neither a runtime nor an edge's library, and `.clippy.toml` forbids the core files, clocks and the environment.

mod source;
mod tree;

use std::fs;
use std::path::Path;

use source::Source;
use tree::{Tree, Uses, circles};

/// The rooms, each with those that it may use. Whatever is written here is really used.
const ROOMS: &[(&str, &[&str])] = &[
    // The core, from the ground floor up.
    ("core::text", &[]),
    ("core::language", &[]),
    ("core::diagnostic", &["core::text"]),
    ("core::inbound", &["core::language"]),
    ("core::record", &["core::inbound"]),
    ("core::reply", &["core::text", "core::language", "core::inbound", "core::record"]),
    (
        "core::contract",
        &["core::text", "core::language", "core::diagnostic", "core::inbound", "core::record", "core::reply"],
    ),
    ("core::registry", &["core::inbound", "core::contract"]),
    ("core::router", &["core::text", "core::language", "core::inbound", "core::contract", "core::registry"]),
    (
        "core::access",
        &[
            "core::language",
            "core::inbound",
            "core::record",
            "core::reply",
            "core::contract",
            "core::registry",
            "core::router",
        ],
    ),
    (
        "core::execution",
        &[
            "core::text",
            "core::language",
            "core::inbound",
            "core::record",
            "core::reply",
            "core::contract",
            "core::registry",
            "core::router",
            "core::access",
        ],
    ),
    (
        "core::agent",
        &[
            "core::text",
            "core::language",
            "core::inbound",
            "core::record",
            "core::contract",
            "core::registry",
            "core::router",
        ],
    ),
    (
        "core::settings",
        &[
            "core::text",
            "core::language",
            "core::diagnostic",
            "core::inbound",
            "core::contract",
            "core::access",
            "core::agent",
        ],
    ),
    ("core::registration", &["core::inbound", "core::contract"]),
    (
        "core::testing",
        &[
            "core::inbound",
            "core::record",
            "core::reply",
            "core::contract",
            "core::registry",
            "core::router",
            "core::access",
            "core::execution",
        ],
    ),
    // What stands on it: `core` is every room of it.
    ("modules", &["core::text", "core::inbound", "core::record", "core::reply", "core::contract"]),
    ("host::clock", &[]),
    ("host::secrets", &["core"]),
    ("host::live_message", &["core"]),
    ("host::builtin", &["core"]),
    ("host::executor", &["core", "host::clock"]),
    ("host::chat", &["core", "host::clock", "host::executor"]),
    ("host::sampler", &["core", "host::clock"]),
    ("host::dispatch", &["core", "host::clock", "host::executor", "host::chat"]),
    ("edges::admin", &["core"]),
    ("edges::chart_png", &["core"]),
    ("edges::console", &["core", "host::dispatch"]),
    ("edges::discord", &["core", "host::secrets", "host::live_message", "host::chat", "host::dispatch"]),
    ("edges::files", &["core"]),
    ("edges::host_metrics", &["core"]),
    ("edges::model", &["core"]),
    ("edges::store", &["core", "host::secrets", "host::live_message", "host::executor", "host::sampler"]),
    ("edges::telemetry", &["core"]),
    ("edges::watch", &["core"]),
    ("edges::workspace", &["core"]),
    (
        "app",
        &[
            "core",
            "modules",
            "host::clock",
            "host::secrets",
            "host::live_message",
            "host::builtin",
            "host::executor",
            "host::chat",
            "host::sampler",
            "host::dispatch",
            "edges::admin",
            "edges::chart_png",
            "edges::console",
            "edges::discord",
            "edges::files",
            "edges::host_metrics",
            "edges::model",
            "edges::store",
            "edges::watch",
            "edges::workspace",
        ],
    ),
    ("cli", &["core", "edges::admin", "edges::discord", "edges::files", "edges::store", "edges::telemetry", "app"]),
    ("main", &["cli"]),
];

/// Crates that belong to somebody, each with the rooms that may name it, and why.
const CRATES: &[(&str, &[&str], &str)] = &[
    ("annotate_snippets", &["core::diagnostic"], "draws the underlined source text"),
    ("axum", &["edges::admin"], "answers on the operator's port"),
    ("backon", &["edges::model"], "asks a server again"),
    ("base64", &["edges::discord"], "writes custom ids in characters that Discord takes"),
    ("cap_std", &["edges::workspace"], "opens folders that no path leaves"),
    ("clap", &["cli", "main"], "reads the arguments"),
    ("fluent_bundle", &["core::language"], "puts the bot's own sentences together"),
    ("getrandom", &["edges::store"], "makes the keys that are kept in it"),
    ("hmac", &["edges::discord"], "signs custom ids"),
    ("include_dir", &["core::language"], "takes every language file into the program"),
    ("jsonschema", &["core::agent"], "validates the arguments of tools"),
    ("notify", &["edges::watch"], "says that a file may have changed"),
    ("poise", &["edges::discord"], "dispatches interactions"),
    ("reqwest", &["edges::admin", "edges::discord", "edges::model"], "speaks HTTP to a server"),
    ("resvg", &["edges::chart_png"], "draws SVG as pixels"),
    ("rustyline", &["edges::console"], "edits a line of the terminal"),
    ("serenity", &["edges::discord"], "speaks to Discord"),
    ("sqlx", &["edges::store"], "speaks to the database"),
    ("sysinfo", &["edges::host_metrics"], "measures this machine"),
    ("toml", &["core::diagnostic"], "reads TOML with places"),
    ("unicode_width", &["edges::console"], "says how wide a character stands in a terminal"),
    ("unic_langid", &["core::language"], "reads the tag of a language"),
];

/// Calls that only these files may make: each makes a value that vouches for something, or acts on one.
const MAKERS: &[(&[&str], &[&str])] = &[
    (&["ChatText", "read"], &["src/core/router/classify.rs"]),
    (&["Receipt", "mint"], &["src/core/execution/ticket.rs"]),
    // Tests of modules run commands, too: `testing` is compiled for tests alone.
    (&["execution", "open"], &["src/core/testing/ran.rs", "src/host/executor/run.rs"]),
    (&["Exchange", "read_back"], &["src/edges/store/sqlite/tables/conversations.rs"]),
    (&["PlannedCall", "new"], &["src/core/agent/turn/plan.rs"]),
];

#[test]
fn each_room_uses_the_rooms_it_may_and_no_others() {
    let used = Tree::read(sources()).rooms();
    let allowed: Uses =
        ROOMS.iter().map(|(room, may_use)| (names(&[room]).remove(0), names(may_use).into_iter().collect())).collect();
    // As the table is written: run with `--nocapture` to see the graph.
    for (room, uses) in &used {
        println!("{room} -> {}", uses.iter().map(String::as_str).collect::<Vec<_>>().join(", "));
    }
    assert_eq!(allowed, used, "the table of this test says otherwise");
    assert_eq!(circles(&allowed), [] as [Vec<String>; 0], "the table has circles");
}

fn names(rooms: &[&str]) -> Vec<String> {
    rooms.iter().map(|&room| room.to_owned()).collect()
}

#[test]
fn no_folder_has_a_circle_between_its_parts() {
    let tree = Tree::read(sources());
    let found: Vec<_> = tree
        .folders()
        .into_iter()
        .flat_map(|(folder, uses)| circles(&uses).into_iter().map(move |circle| format!("{folder}: {circle:?}")))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_parent_with_children_re_exports_or_defines() {
    let both: Vec<_> = sources()
        .into_iter()
        .filter(|source| !source.reexports().is_empty() && source.defines())
        .map(|source| source.file)
        .collect();
    assert!(both.is_empty(), "these files define something and re-export their children: {both:#?}");
}

#[test]
fn each_outside_crate_is_named_in_its_own_room() {
    let mut broken = Vec::new();
    for source in sources().iter().filter(|source| !source.is_of_tests()) {
        let room = tree::room_of(&source.file);
        for path in source.paths() {
            let Some(first) = path.first() else { continue };
            let owner = CRATES.iter().find(|(name, ..)| name == first && 1 < path.len());
            if let Some((name, rooms, why)) = owner
                && !rooms.contains(&room.as_str())
            {
                broken.push(format!("{}: `{name}` ({why}) is named in {} alone", source.file, rooms.join(", ")));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn what_vouches_for_something_is_made_in_one_file() {
    for (call, allowed) in MAKERS {
        let makes = |source: &Source| {
            source.paths().iter().any(|path| path.iter().map(String::as_str).collect::<Vec<_>>().ends_with(call))
        };
        let makers: Vec<_> = sources()
            .into_iter()
            .filter(|source| !source.is_of_tests() && makes(source))
            .map(|source| source.file)
            .collect();
        assert_eq!(makers, *allowed, "{}", call.join("::"));
    }
}

#[test]
fn every_file_says_what_it_is() {
    let first_words = |text: &str| text.lines().find(|line| !line.starts_with("#![")).map(str::to_owned);
    // The documentation of the modules is their README.
    let is_included = |text: &str| text.starts_with("#![doc = include_str!(");
    let says = |text: &str| is_included(text) || first_words(text).is_some_and(|line| line.starts_with("//! "));
    let silent: Vec<_> = sources().into_iter().filter(|source| !says(&source.text)).map(|source| source.file).collect();
    assert!(silent.is_empty(), "these files do not begin with a `//!` line: {silent:?}");
}

/// What the rules catch, and what they let through.
mod the_rules {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        Tree::read(files.iter().map(|(file, text)| Source::new(file, text)).collect())
    }

    #[test]
    fn a_path_counts_wherever_it_is_named_and_leads_to_where_the_name_is_defined() {
        let facade = ("src/core/text/mod.rs", "mod cut;\npub use cut::cut;");
        let cut = ("src/core/text/cut.rs", "pub fn cut() {}");
        let uses = [
            "use crate::text::cut;",
            "fn f() { crate::text::cut(); }",
            "fn f() { assert!(crate::text::cut() == ()); }",
            "use crate::{text::cut, inbound};",
            "fn f(x: crate::text::cut) {}",
        ];
        for text in uses {
            let found = tree(&[facade, cut, ("src/core/reply/mod.rs", text)]).rooms();
            assert!(found["core::reply"].contains("core::text"), "{text}: {found:?}");
        }
        let unused = [
            "#[cfg(test)] mod tests { use crate::text::cut; }",
            "/// crate::text::cut\nconst A: &str = \"crate::text\";",
        ];
        for text in unused {
            assert!(tree(&[facade, cut, ("src/core/reply/mod.rs", text)]).rooms()["core::reply"].is_empty(), "{text}");
        }
    }

    #[test]
    fn a_circle_through_a_re_export_is_found() {
        let files = [
            ("src/core/text/mod.rs", "mod a;\nmod b;\npub use b::b;"),
            ("src/core/text/a.rs", "use crate::text::b;\npub(super) fn a() {}"),
            ("src/core/text/b.rs", "use super::a::a;\npub fn b() {}"),
        ];
        let found = tree(&files).folders();
        assert_eq!(circles(&found["core::text"]), [["a".to_owned(), "b".to_owned()]]);
    }

    #[test]
    fn one_crate_leads_to_another() {
        let found = tree(&[
            ("src/core/router/mod.rs", "pub fn classify() {}"),
            ("src/host/dispatch/mod.rs", "use candor_core::router::classify;"),
            ("modules/status/mod.rs", "fn f() { candor_core::router::classify(); }"),
        ]);
        assert!(found.rooms()["host::dispatch"].contains("core"));
        assert!(found.rooms()["modules"].contains("core::router"));
    }
}

/// Every source file below `src` and `modules`.
fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    for folder in ["src", "modules"] {
        collect(root, &root.join(folder), &mut sources);
    }
    assert!(sources.iter().any(|source| source.file == "src/lib.rs"), "the source files are not where they should be");
    sources
}

fn collect(root: &Path, folder: &Path, sources: &mut Vec<Source>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(root, &path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let file = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            sources.push(Source::new(&file, &fs::read_to_string(&path).unwrap()));
        }
    }
}
