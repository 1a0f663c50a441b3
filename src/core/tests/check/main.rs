//! The start-up check: one fixture for every rule, and what holds for any manifest, any settings and every language.
//!
//! A fixture is a file `fixtures/<code>/modules/<name>/module.toml` or `fixtures/<code>/config.toml`. The code behind
//! the manifests is [`natives`]; a folder that is not in it is a manifest without code.
#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a test without its fixture should stop there")]

mod any_manifest;
mod any_settings;
mod at_the_limit;
mod in_force;
mod language;
mod mistakes;
mod module_settings;
mod modules;
mod natives;
mod outside;
mod settings;
mod shipped_settings;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use candor_core::contract::outside::{Behind, OutsideError, Program, Started};
use candor_core::contract::{Checked, Manifest, check};
use candor_core::diagnostic::{Code, Diagnostics, SourceFile, full, json};
use natives::{builtin, natives};

fn manifest(folder: &str, text: &str) -> Manifest {
    let file = SourceFile { path: format!("modules/{folder}/module.toml"), text: text.to_owned() };
    Manifest { started: Some(started()), ..Manifest::new(folder, Some(Arc::new(file))) }
}

/// The text of a manifest of this kind, with this below its header.
fn module(folder: &str, kind: &str, rest: &str) -> String {
    format!("[module]\nname = \"{folder}\"\nsummary = \"x\"\nkind = \"{kind}\"\n{rest}")
}

/// The same of a native module whose `/x` has this handler, with this behind it.
fn with_handler(folder: &str, handler: &str, rest: &str) -> String {
    let command = format!("[commands.\"/x\"]\ndescription = \"x\"\nhandler = \"{handler}\"\n{rest}");
    module(folder, "native", &command)
}

/// What stands behind every program and server here: nothing that is ever called.
fn started() -> Started {
    Started { behind: Some(Behind::Program(Arc::new(Unused))), ..Started::default() }
}

struct Unused;

#[async_trait::async_trait]
impl Program for Unused {
    async fn run(&self, _: Vec<u8>) -> Result<Vec<u8>, OutsideError> {
        Err(OutsideError::Busy)
    }
}

/// Checks manifests with the code of their folders, if there is any.
fn check_manifests(manifests: Vec<Manifest>) -> Checked {
    let named = |folder: &str| manifests.iter().any(|manifest| manifest.folder == folder);
    let natives = natives().into_iter().filter(|native| named(native.folder())).collect();
    check(builtin(), natives, manifests)
}

fn check_one(folder: &str, text: &str) -> Checked {
    check_manifests(vec![manifest(folder, text)])
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check/fixtures")
}

/// The manifests of a fixture, by folder name.
fn manifests_of(code: Code) -> Vec<Manifest> {
    let modules = fs::read_dir(fixtures().join(code.name()).join("modules")).expect("a folder `modules`");
    let mut folders: Vec<_> = modules.map(|entry| entry.expect("an entry").path()).collect();
    folders.sort_unstable();
    let read = |folder: PathBuf| {
        let text = fs::read_to_string(folder.join("module.toml")).expect("a manifest");
        manifest(folder.file_name().and_then(|name| name.to_str()).expect("a name"), &text)
    };
    folders.into_iter().map(read).collect()
}

/// Rules about files that cannot be read. The core reads none: these are tested beside `candor-system`.
fn is_about_files(code: Code) -> bool {
    matches!(code, Code::ConfigUnreadable | Code::ModulesUnreadable | Code::ManifestUnreadable | Code::ManifestMissing)
}

/// Rules about what is started. The core starts nothing: these are tested with real programs and servers.
fn is_about_programs(code: Code) -> bool {
    use Code::{
        ArgumentLeftOut, NotStarted, ProbeFailed, ProgramUnusable, ReadsForbidden, SandboxUnavailable, ServerUnusable,
        ToolUnusable,
    };
    matches!(code, NotStarted | ProbeFailed | ProgramUnusable | ReadsForbidden | SandboxUnavailable | ServerUnusable)
        || matches!(code, ToolUnusable | ArgumentLeftOut)
}

/// Rules that a settings file breaks, before the check begins.
fn is_about_settings(code: Code) -> bool {
    use Code::{ConfigContradiction, ConfigSyntax, ConfigUnknownKey, ConfigValueInvalid, ConfigWrongType};
    matches!(code, ConfigSyntax | ConfigUnknownKey | ConfigWrongType | ConfigValueInvalid | ConfigContradiction)
}

fn codes(diagnostics: &Diagnostics) -> Vec<Code> {
    diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

fn shown(checked: &Checked) -> String {
    let n_modules = checked.accepted.len() + checked.rejected.len();
    format!("{}{}", full::render(&checked.diagnostics, false), full::summary(&checked.diagnostics, 0, n_modules))
}

#[test]
fn every_rule_has_a_fixture_and_a_snapshot() {
    let codes = || Code::ALL.iter().copied().filter(|code| !is_about_files(*code) && !is_about_programs(*code));
    let without: Vec<_> = codes().filter(|code| !fixtures().join(code.name()).is_dir()).collect();
    assert!(without.is_empty(), "no fixture for {without:?}");

    let is_shown = |code: Code| {
        let test = if is_about_settings(code) { "check__settings" } else { "check" };
        fixtures().with_file_name("snapshots").join(format!("{test}__{code}.snap")).is_file()
    };
    let without: Vec<_> = codes().filter(|code| !is_shown(*code)).collect();
    assert!(without.is_empty(), "no snapshot for {without:?}");
}

#[test]
fn every_fixture_breaks_its_rule_and_says_what_to_type() {
    let here = |code: &&Code| !is_about_files(**code) && !is_about_settings(**code) && !is_about_programs(**code);
    for &code in Code::ALL.iter().filter(here) {
        let checked = check_manifests(manifests_of(code));
        insta::assert_snapshot!(code.name(), shown(&checked));
        assert!(codes(&checked.diagnostics).contains(&code), "{code}");
        assert!(checked.diagnostics.iter().all(|diagnostic| !diagnostic.help.is_empty()), "{code}");
    }
}

/// The story this bot exists to end: the name without its slash, and a function where a command should be.
#[test]
fn both_bugs_of_the_story_are_found_at_once() {
    let checked = check_one(
        "weather",
        "[module]\nname = \"weather\"\nsummary = \"The weather, live\"\n\n[commands]\nstatus = \"status\"\n",
    );
    assert_eq!(codes(&checked.diagnostics), [Code::CommandMissingSlash, Code::CommandBareHandler]);
    assert_eq!(checked.rejected[0].commands, ["status"]);
    insta::assert_snapshot!("story", shown(&checked));
}

#[test]
fn programs_read_the_same_as_json() {
    let checked = check_manifests(manifests_of(Code::CommandMissingSlash));
    insta::assert_snapshot!("json", format!("{:#}", json::render(&checked.diagnostics)));
}
