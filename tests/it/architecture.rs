//! Who may use whom, read from the source files: the arrows of the design, kept by a test.
#![expect(clippy::unwrap_used, reason = "a test that meets a surprise stops there")]

mod source;

use std::fs;
use std::path::Path;

use source::{Named, Token};

/// The pure core: decides, and touches nothing.
const CORE: &[&str] = &[
    "agent",
    "causes",
    "chart",
    "config",
    "contract",
    "counters",
    "diagnostic",
    "guard",
    "inbound",
    "language",
    "live_message",
    "nearest",
    "permissions",
    "readiness",
    "receipt",
    "reconcile",
    "registry",
    "reply",
    "router",
    "strict_json",
    "unicode",
    "written",
];
/// Does what was decided.
const DOING: &[&str] = &["chat", "dispatch", "executor", "sampler"];
/// Each hides one outside thing, and none knows another.
const EDGES: &[&str] = &[
    "admin",
    "console",
    "discord",
    "host_metrics",
    "mcp",
    "model",
    "module_folder",
    "picture",
    "settings_file",
    "store",
    "telemetry",
    "watch",
    "workspace",
];

/// Which top-level parts may use which others. Each may use itself.
const LAYERS: &[Layer] = &[
    Layer { of: CORE, may_use: &[CORE] },
    Layer { of: &["executor"], may_use: &[CORE] },
    Layer { of: &["chat"], may_use: &[CORE, &["executor"]] },
    Layer { of: &["dispatch"], may_use: &[CORE, &["chat", "executor"]] },
    Layer { of: &["sampler"], may_use: &[CORE, &["executor"]] },
    Layer { of: &["text_file"], may_use: &[] },
    Layer { of: EDGES, may_use: &[CORE, DOING, &["text_file"]] },
    Layer { of: &["harness"], may_use: &[CORE] },
    Layer { of: &["modules"], may_use: &[&["contract", "inbound", "reply", "watch"]] },
    Layer { of: &["app"], may_use: &[CORE, DOING, EDGES, &["harness", "modules", "text_file"]] },
    Layer { of: &["cli"], may_use: &[CORE, DOING, EDGES, &["app", "harness", "modules", "text_file"]] },
    Layer { of: &["main"], may_use: &[&["cli"]] },
    Layer { of: &["lib"], may_use: &[] },
];

/// Parts that reach the world only through what they are handed.
const PURE: &[&[&str]] = &[CORE, &["harness", "modules"]];

/// The world, as pure parts may not name it.
const WORLD: &[&str] =
    &["tokio", "std::env", "std::fs", "std::net", "std::process", "std::thread", "Instant::now", "SystemTime::now"];

/// What of it is only a value.
const VALUES: &[&str] = &[
    "std::net::IpAddr",
    "std::net::Ipv4Addr",
    "std::net::Ipv6Addr",
    "std::net::SocketAddr",
    "std::net::SocketAddrV4",
    "std::net::SocketAddrV6",
];

/// Crates that belong to somebody, each with a part that may name it, and why.
const CRATES: &[(&str, &str, &str)] = &[
    ("annotate_snippets", "diagnostic", "draws the underlined source text"),
    ("backon", "model", "asks a server again"),
    ("base64", "discord", "writes custom ids in characters that Discord takes"),
    ("cap_std", "workspace", "opens folders that no path leaves"),
    ("clap", "cli", "reads the arguments"),
    ("clap", "main", "reads the arguments"),
    ("fluent_bundle", "language", "puts the bot's own sentences together"),
    ("getrandom", "store", "makes the keys that are kept in it"),
    ("hmac", "discord", "signs custom ids"),
    ("include_dir", "language", "takes every language file into the program"),
    ("jsonschema", "agent", "validates the arguments of tools"),
    ("notify", "watch", "says that a file may have changed"),
    ("poise", "discord", "dispatches interactions"),
    ("reqwest", "admin", "asks a running bot for its health"),
    ("reqwest", "discord", "serenity takes the client it is given, with its time limits"),
    ("reqwest", "model", "speaks to the model's server"),
    ("resvg", "picture", "draws SVG as pixels"),
    ("rustyline", "console", "edits a line of the terminal"),
    ("serenity", "discord", "speaks to Discord"),
    ("sqlx", "store", "speaks to the database"),
    ("sysinfo", "host_metrics", "measures this machine"),
    ("unic_langid", "language", "reads the tag of a language"),
    ("toml", "written", "reads TOML with places"),
];

/// Values that vouch for something, as they are made, each with the only file that makes them.
const MAKERS: &[(&[&str], &str)] = &[
    (&["ChatText", "("], "src/router.rs"),
    (&["Permit", "{"], "src/guard.rs"),
    (&["Receipt", "{"], "src/receipt.rs"),
    (&["Receipt", "::", "mint"], "src/executor.rs"),
    (&["Exchange", "::", "read_back"], "src/store/sqlite/conversations.rs"),
    (&["handler", ".", "run", "("], "src/executor.rs"),
    (&["PlannedCall", "::", "new"], "src/agent/turn/plan.rs"),
];

/// Exceptions: the file, what it names, and why it may.
const ALLOWED: &[(&str, &str, &str)] = &[
    (
        "modules/files/show.rs",
        "crate::unicode",
        "what cannot be seen is one table of the core; a file's content keeps its line breaks, so that no text function fits",
    ),
    (
        "modules/inspect/permission.rs",
        "crate::permissions",
        "the names of Discord's permissions are one table of the core, and the settings take exactly these",
    ),
    (
        "modules/status/mod.rs",
        "crate::nearest",
        "near names are one function of the core; a second one in the module would be the worse breach",
    ),
];

/// One row of the table.
struct Layer {
    of: &'static [&'static str],
    may_use: &'static [&'static [&'static str]],
}

/// A place where a rule is broken.
#[derive(Debug)]
struct Violation {
    file: String,
    line: usize,
    what: String,
    why: String,
}

impl Violation {
    fn is_allowed(&self) -> bool {
        ALLOWED.iter().any(|(file, what, _)| *file == self.file && *what == self.what)
    }
}

#[test]
fn every_part_uses_only_what_it_may() {
    let violations: Vec<_> = sources().iter().flat_map(|(file, text)| violations(file, text)).collect();
    let broken: Vec<_> = violations
        .iter()
        .filter(|violation| !violation.is_allowed())
        .map(|Violation { file, line, what, why }| format!("{file}:{line}: `{what}`: {why}"))
        .collect();
    assert!(broken.is_empty(), "{}", broken.join("\n"));

    for (file, what, reason) in ALLOWED {
        let is_needed = violations.iter().any(|violation| violation.file == *file && violation.what == *what);
        assert!(is_needed, "{file} no longer names `{what}` ({reason}): take the exception out");
    }
}

#[test]
fn every_file_says_what_it_is() {
    let first_words = |text: &str| text.lines().find(|line| !line.starts_with("#![")).map(str::to_owned);
    let says = |text: &str| first_words(text).is_some_and(|line| line.starts_with("//! "));
    let silent: Vec<_> = sources().into_iter().filter(|(_, text)| !says(text)).map(|(file, _)| file).collect();
    assert!(silent.is_empty(), "these files do not begin with a `//!` line: {silent:?}");
}

#[test]
fn what_breaks_a_rule_is_caught() {
    let cases = [
        // Layers.
        ("src/router.rs", "use crate::executor::Executor;", "crate::executor"),
        ("src/router/refusal.rs", "fn f() { crate::discord::send(); }", "crate::discord"),
        ("src/router/refusal.rs", "use super::super::store::Store;", "crate::store"),
        ("src/store/sqlite.rs", "use crate::{agent::Exchange, discord::Edge};", "crate::discord"),
        ("src/executor.rs", "use crate::dispatch;", "crate::dispatch"),
        ("src/text_file.rs", "use crate::diagnostic::File;", "crate::diagnostic"),
        ("src/harness.rs", "use crate::executor::Executor;", "crate::executor"),
        ("modules/status/mod.rs", "use crate::store::Store;", "crate::store"),
        ("modules/status/mod.rs", "use crate::router::ChatText;", "crate::router"),
        ("src/app.rs", "use crate::cli;", "crate::cli"),
        ("src/main.rs", "fn main() { candor::app::run() }", "crate::app"),
        ("src/model.rs", "use crate::no_such_part;", "crate::no_such_part"),
        ("src/no_such_part.rs", "", "no_such_part"),
        // The world.
        ("src/agent/turn.rs", "use std::{fmt, fs};", "std::fs"),
        ("src/agent.rs", "use tokio::sync::mpsc;", "tokio"),
        ("src/config.rs", "use std::net::{SocketAddr, TcpListener};", "std::net"),
        ("src/reply.rs", "let now = std::time::SystemTime::now();", "SystemTime::now"),
        ("src/guard.rs", "use std::time::Instant; fn f() { Instant::now(); }", "Instant::now"),
        ("modules/status/mod.rs", "std::env::var(\"HOME\")", "std::env"),
        // Crates.
        ("src/console.rs", "use serenity;", "serenity"),
        ("src/router.rs", "use poise::Command;", "poise"),
        ("src/discord.rs", "sqlx::query(\"\")", "sqlx"),
        ("src/store.rs", "use notify::Watcher;", "notify"),
        ("src/watch.rs", "reqwest::get(x)", "reqwest"),
        ("src/app.rs", "use rustyline as editor;", "rustyline"),
        ("src/watch.rs", "use sysinfo::System;", "sysinfo"),
        ("src/store.rs", "use cap_std::fs::Dir;", "cap_std"),
        // Makers.
        ("src/agent/turn.rs", "model.answer(ChatText(text))", "ChatText("),
        ("src/dispatch.rs", "let permit = Permit { invocation };", "Permit{"),
        ("src/executor.rs", "Some(receipt::Receipt { id })", "Receipt{"),
        ("src/store.rs", "let receipt = Receipt::mint(id);", "Receipt::mint"),
    ];
    for (file, text, expected) in cases {
        let caught: Vec<_> = violations(file, text).into_iter().map(|violation| violation.what).collect();
        assert_eq!(caught, [expected], "{file}: {text}");
    }
}

#[test]
fn what_keeps_the_rules_passes() {
    let cases = [
        ("src/router.rs", "use crate::registry::Catalog; Some(ChatText(words))"),
        ("src/router/normalize.rs", "use super::Route; pub(crate) fn f(notify: bool) { let tokio = notify; }"),
        ("src/config/settings.rs", "use std::net::{Ipv4Addr, SocketAddr};"),
        ("src/guard.rs", "#[cfg(test)] mod tests { use tokio::time; fn f() { crate::store::x(); } }"),
        ("src/executor.rs", "use tokio::time; fn f() -> Receipt { g() } fn h(&self) -> &a::Permit { x }"),
        ("src/store/sqlite.rs", "impl From<Row> for Receipt { } use crate::store::Store; use super::x;"),
        ("src/discord/convert.rs", "use serenity::all as discord; use crate::dispatch;"),
        ("src/main.rs", "use candor::cli;"),
        ("src/agent.rs", "/// tokio::spawn\nconst A: &str = \"std::fs::read\";"),
        ("modules/status/tests.rs", "use crate::registry::Registry; std::fs::read(x)"),
    ];
    for (file, text) in cases {
        let caught = violations(file, text);
        assert!(caught.is_empty(), "{file}: {text}: {caught:?}");
    }
}

/// Every rule that a file breaks.
fn violations(file: &str, text: &str) -> Vec<Violation> {
    // The name of a file of tests alone.
    if file.ends_with("/tests.rs") {
        return Vec::new();
    }
    let tokens = source::tokens(text);
    let named = source::paths(&tokens);
    let part = module_path(file).into_iter().next().unwrap_or_default();
    let mut found = Vec::new();
    if may_use(&part).is_none() {
        found.push((1, part.clone(), "this part is in no layer: give it a row in the table of this test".to_owned()));
    }
    for named in &named {
        found.extend(breaks_layers(file, &part, named));
        found.extend(breaks_purity(&part, named));
        found.extend(breaks_hiding(&part, named));
    }
    found.extend(
        MAKERS.iter().filter(|(_, maker)| *maker != file).flat_map(|(made, maker)| forgeries(&tokens, made, maker)),
    );
    found.into_iter().map(|(line, what, why)| Violation { file: file.to_owned(), line, what, why }).collect()
}

/// The line, what is named, and why it may not be.
type Broken = (usize, String, String);

fn breaks_layers(file: &str, part: &str, named: &Named) -> Option<Broken> {
    let used = used_part(file, named)?;
    let allowed = may_use(part)?;
    if used == part || allowed.iter().any(|parts| parts.contains(&used.as_str())) {
        return None;
    }
    let why = if may_use(&used).is_none() { "is in no layer" } else { "may not be used here" };
    Some((named.line, format!("crate::{used}"), format!("`{used}` {why} (`{part}`)")))
}

fn breaks_purity(part: &str, named: &Named) -> Option<Broken> {
    if !PURE.iter().any(|parts| parts.contains(&part)) || VALUES.iter().any(|value| begins_with(named, value)) {
        return None;
    }
    let world = WORLD.iter().find(|world| begins_with(named, world) || ends_with(named, world))?;
    Some((named.line, (*world).to_owned(), format!("`{part}` is pure: what it needs of the world is handed to it")))
}

fn breaks_hiding(part: &str, named: &Named) -> Option<Broken> {
    let owners: Vec<_> = CRATES.iter().filter(|(name, ..)| begins_with(named, name)).collect();
    let (name, ..) = owners.first()?;
    let parts: Vec<_> = owners.iter().map(|(_, part, _)| *part).collect();
    let why = format!("only {} may name this crate, not `{part}`", parts.join(", "));
    (!parts.contains(&part)).then(|| (named.line, (*name).to_owned(), why))
}

/// Places where something is made that only `maker` may make.
fn forgeries(tokens: &[Token], made: &[&str], maker: &str) -> Vec<Broken> {
    let texts: Vec<_> = tokens.iter().map(|token| token.text.as_str()).collect();
    let is_made = |at: usize| texts[at..].starts_with(made) && !is_type(&texts[..at]);
    let found = (0..tokens.len()).filter(|&at| is_made(at));
    found.map(|at| (tokens[at].line, made.concat(), format!("only {maker} makes one"))).collect()
}

/// Whether a name behind these tokens is a type, and the brace behind it a body: `fn f() -> &a::Receipt {`.
fn is_type(before: &[&str]) -> bool {
    match before {
        [further @ .., _, "::"] => is_type(further),
        [.., last] => matches!(*last, "->" | "&" | "mut" | "for" | "impl" | "struct" | ""),
        [] => false,
    }
}

/// The top-level part that a path leads to, if it leads into this crate.
fn used_part(file: &str, named: &Named) -> Option<String> {
    let first = named.path.first()?.as_str();
    match first {
        "crate" => named.path.get(1).cloned(),
        "candor" if file == "src/main.rs" => named.path.get(1).cloned(),
        "super" => {
            let up = named.path.iter().take_while(|name| *name == "super").count();
            let here = module_path(file);
            if up < here.len() { here.into_iter().next() } else { named.path.get(up).cloned() }
        }
        _ => None,
    }
}

fn may_use(part: &str) -> Option<&'static [&'static [&'static str]]> {
    LAYERS.iter().find(|layer| layer.of.contains(&part)).map(|layer| layer.may_use)
}

/// The path begins with this one. A single name counts only behind `use`: else it may be a variable.
fn begins_with(named: &Named, path: &str) -> bool {
    (named.is_used || 1 < named.path.len()) && named.path.starts_with(&names(path))
}

/// The path ends with this one, such as `Instant::now` of whatever crate.
fn ends_with(named: &Named, path: &str) -> bool {
    1 < names(path).len() && named.path.ends_with(&names(path))
}

fn names(path: &str) -> Vec<String> {
    path.split("::").map(str::to_owned).collect()
}

/// A file's place in the tree of source files: `src/store/sqlite.rs` is `store`, `sqlite`.
fn module_path(file: &str) -> Vec<String> {
    let path = file.strip_prefix("src/").unwrap_or(file).trim_end_matches(".rs");
    path.split('/').filter(|name| *name != "mod").map(str::to_owned).collect()
}

/// Every source file below `src` and `modules`, with its path from the root and its text.
fn sources() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    for folder in ["src", "modules"] {
        collect(root, &root.join(folder), &mut sources);
    }
    assert!(sources.iter().any(|(file, _)| file == "src/lib.rs"), "the source files are not where they should be");
    sources
}

fn collect(root: &Path, folder: &Path, sources: &mut Vec<(String, String)>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(root, &path, sources);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let file = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            sources.push((file, fs::read_to_string(&path).unwrap()));
        }
    }
}
