//! Tests of the architecture, read from the source files: only what crates cannot say.
//!
//! A crate sees only the crates in its manifest, and `.clippy.toml` forbids the core files, clocks and the environment.

mod documents;
mod refused;
mod rules;
mod source;
mod tables;
mod tree;

use std::fs;
use std::path::Path;

use source::Source;
use tables::{ENTRIES_MAX, MAKERS, MORE_ENTRIES, SMALL_FOLDERS, USES};

#[test]
fn no_folder_has_a_circle_between_its_parts() {
    holds(rules::circles_in_folders(&sources()));
}

#[test]
fn no_part_uses_what_its_parent_defines() {
    holds(rules::uses_of_parents(&sources()));
}

#[test]
fn a_parent_with_children_re_exports_or_defines() {
    holds(rules::mixed_parents(&sources()));
    // The list of the modules is what their authors read first.
    holds(rules::open_parents(&sources(), &["modules/lib.rs"]));
    // The twin is a package of its own, held to this rule and to the first lines alone.
    holds(rules::mixed_parents(&sources_below(&["tests/twin/src"])));
}

#[test]
fn a_folder_has_at_most_a_dozen_entries() {
    let bot = sources_below(&["src", "modules", "tests/it"]);
    holds(rules::crowded_folders(&bot, ENTRIES_MAX, MORE_ENTRIES));
    holds(rules::crowded_folders(&sources_below(&["tests/twin/src", "tests/twin/tests"]), ENTRIES_MAX, &[]));
}

#[test]
fn each_crate_knows_the_crates_below_it() {
    for (name, uses) in USES {
        let folder = if name == "modules" { name.to_owned() } else { format!("src/{name}") };
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join("Cargo.toml");
        let manifest: toml::Table = fs::read_to_string(&manifest).unwrap().parse().unwrap();
        let ours = manifest["dependencies"].as_table().unwrap().keys().filter_map(|name| name.strip_prefix("candor-"));
        assert_eq!(ours.collect::<Vec<_>>(), uses, "{name}");
    }
}

#[test]
fn a_module_uses_the_rooms_of_the_contract() {
    const ROOMS: [&str; 6] = ["contract", "inbound", "language", "record", "reply", "text"];
    let sources = sources();
    let arrows = tree::Tree::read(&sources).arrows().into_iter();
    let to_core = arrows.filter(|(from, to)| from.starts_with("modules") && to.starts_with("core::"));
    let strange = to_core.filter(|(_, to)| !ROOMS.contains(&to.split("::").nth(1).unwrap_or_default()));
    holds(strange.map(|(from, to)| format!("`{from}` uses `{to}`")).collect());
}

/// serenity's gateway client has advisories: see deny.toml.
#[test]
fn serenity_keeps_no_connection() {
    const CLIENT: [&str; 6] = ["client", "gateway", "Client", "ClientBuilder", "Shard", "ShardManager"];
    let is_of_client = |path: &Vec<String>| match path.as_slice() {
        [library, rest @ ..] => library == "serenity" && rest.iter().any(|part| CLIENT.contains(&part.as_str())),
        [] => false,
    };
    let names_it = |source: &Source| !source.is_of_tests() && source.paths().iter().any(is_of_client);
    holds(sources().into_iter().filter(names_it).map(|source| source.file).collect());
}

#[test]
fn what_vouches_for_something_is_made_in_its_own_file() {
    holds(rules::misplaced_calls(&sources(), MAKERS));
}

#[test]
fn every_file_says_what_it_is() {
    holds(rules::silent_files(&sources()));
    holds(rules::silent_files(&sources_below(&["tests/twin/src"])));
}

/// Sentences that begin with these words, or lean on them, have to be read twice.
const READ_TWICE: [&str; 20] = [
    "what is ",
    "what are ",
    "what was ",
    "what were ",
    "what of ",
    "what it ",
    "what they ",
    "what this ",
    "what a ",
    "what the ",
    "whoever",
    "whomever",
    "whatever",
    "somebody",
    "nobody",
    " is none",
    " are none",
    " is told",
    " are told",
    "kept of ",
];

#[test]
fn comments_are_plain_english() {
    let sources = sources();
    let comments = sources.iter().filter(|source| !source.is_of_tests()).flat_map(|source| source.text.lines());
    let comments: Vec<_> = comments.filter_map(|line| line.trim().strip_prefix("//")).map(str::to_lowercase).collect();
    let is_hard = |comment: &&String| READ_TWICE.iter().any(|words| comment.contains(words));
    let hard: Vec<_> = comments.iter().filter(is_hard).collect();
    assert!(hard.len() * 1_000 <= comments.len() * 10, "{} of {} lines: {hard:#?}", hard.len(), comments.len());
}

#[test]
fn what_reads_a_models_words_stays_small() {
    for (folder, lines_max) in SMALL_FOLDERS {
        let n_lines = rules::lines_of(&sources(), &[folder]);
        assert!(n_lines <= lines_max, "{folder}: {n_lines} lines of {lines_max}");
    }
}

fn holds(broken: Vec<String>) {
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// Every source file below `src` and `modules`.
fn sources() -> Vec<Source> {
    sources_below(&["src", "modules"])
}

fn sources_below(folders: &[&str]) -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    for folder in folders {
        collect(root, &root.join(folder), &mut sources);
        assert!(sources.iter().any(|source| source.file.starts_with(folder)), "no source file lies below {folder}");
    }
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
