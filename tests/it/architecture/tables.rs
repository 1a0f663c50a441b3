//! The tables: which crate may use which, and which files may make a proof.

/// The crates, by folder below `src` and name behind `candor-`.
pub(super) const CRATES: [&str; 9] =
    ["core", "discord", "engine", "modules", "operate", "outside", "providers", "store", "system"];

/// The crates of this project that each crate depends on. The crates beside each other do not know one another, with one
/// exception.
pub(super) const USES: [(&str, &[&str]); 9] = [
    ("core", &[]),
    ("modules", &["core"]),
    ("engine", &["core"]),
    ("discord", &["core", "engine"]),
    ("operate", &["core", "engine"]),
    // It reads the manifest in the checked copy of a module's folder as `system` reads the one in the folder.
    ("outside", &["core", "engine", "system"]),
    ("providers", &["core", "engine"]),
    ("store", &["core", "engine"]),
    ("system", &["core", "engine"]),
];

/// Calls that only these files may make: each makes a value that vouches for something, or acts on one. The first word
/// of `handler.run` is what the method is called on.
pub(super) const MAKERS: &[(&str, &[&str])] = &[
    ("ChatText::read", &["src/core/router/classify.rs"]),
    ("Receipt::mint", &["src/core/execution/begun.rs", "src/core/execution/operator.rs"]),
    ("execution::operator_receipt", &["src/store/tables/commands/chain/operator.rs"]),
    // Tests of modules run commands, too: `testing` is compiled for tests alone.
    ("execution::open", &["src/core/testing/run.rs", "src/engine/executor/run.rs"]),
    ("handler.run", &["src/core/execution/ticket.rs"]),
    ("Handler::run", &[]),
    // Only built-in commands get the bot's own parts.
    ("services.with_internals", &["src/engine/executor/runner.rs"]),
    ("services.internals", &["src/engine/builtin/builtins.rs"]),
    // These panic for times and spans that a file, a payload or a clock can say: see `core::text::utc_text`.
    ("OffsetDateTime::from", &[]),
    ("UtcDateTime::from", &[]),
    ("Duration::from_secs_f64", &[]),
    ("Duration::from_secs_f32", &[]),
    ("Exchange::read_back", &["src/store/tables/chat/conversations.rs", "src/store/tables/chat/summaries.rs"]),
    ("PlannedCall::new", &["src/core/agent/turn/plan.rs"]),
];

/// The most entries of a folder beside the file that declares them.
pub(super) const ENTRIES_MAX: usize = 12;

/// Folders with more, how many, and why.
pub(super) const MORE_ENTRIES: &[(&str, usize, &str)] = &[
    ("src/core", 17, "one entry for each question that the bot decides; a grouping would make a circle"),
    ("src/discord", 13, "one entry for each step between Discord and the dispatcher"),
    ("tests/it/host", 13, "one entry for each thing that the engine does"),
    ("tests/it/programs", 13, "one entry for each side of outside programs"),
    ("src/core/tests/proofs/compile_fail", 16, "one program for each forgery"),
];

/// The folders that read a model's words, and the most lines of each, with comments and blank lines and without tests: the
/// reply checks, and the reader of the calls that models write as text. A check is added only in place of another; the
/// marks of calls belong into `marks.toml`.
pub(super) const SMALL_FOLDERS: [(&str, usize); 2] =
    [("src/core/agent/turn/review", 500), ("src/core/agent/tools/tool_text", 800)];
