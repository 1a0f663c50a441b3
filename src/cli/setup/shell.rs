//! Shell completions and manual pages, generated from the same description as `--help`, and the text of
//! `candor --version`.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use clap::{Args, Command};
use clap_complete::Shell;

use crate::app::{Exit, Failure};

/// Which shell.
#[derive(Debug, Args)]
pub(in crate::cli) struct Completions {
    /// The shell. For bash: `candor completions bash > /etc/bash_completion.d/candor`
    #[arg(value_enum)]
    shell: Shell,
}

/// Where to.
#[derive(Debug, Args)]
pub(in crate::cli) struct Man {
    /// Write a page for each command into this folder, such as /usr/local/share/man/man1, in place of printing the page
    /// of `candor` itself
    folder: Option<PathBuf>,
}

pub(in crate::cli) fn completions(what: &Completions, mut line: Command) -> Result<Exit, Failure> {
    let mut made = Vec::new();
    clap_complete::generate(what.shell, &mut line, "candor", &mut made);
    io::stdout()
        .write_all(&made)
        .map_err(|problem| Failure::new(Exit::Failed, format!("the completions: {problem}")))?;
    Ok(Exit::Fine)
}

/// Prints the manual page, or writes one for each command.
pub(in crate::cli) fn man(what: &Man, line: Command) -> Result<Exit, Failure> {
    match &what.folder {
        Some(folder) => write_pages(folder, line),
        None => clap_mangen::Man::new(line).render(&mut io::stdout()),
    }
    .map(|()| Exit::Fine)
    .map_err(|problem| Failure::new(Exit::Failed, format!("the manual page: {problem}")))
}

fn write_pages(folder: &Path, line: Command) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    clap_mangen::generate_to(line, folder)
}

/// The commit of this build, from the variable CANDOR_COMMIT: a source archive has no history to ask.
const COMMIT: &str = match option_env!("CANDOR_COMMIT") {
    Some(commit) => commit,
    None => "unknown",
};

static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    let system = std::env::consts::OS;
    let processor = std::env::consts::ARCH;
    let libc = if cfg!(target_feature = "crt-static") { "static" } else { "dynamic" };
    let version = env!("CARGO_PKG_VERSION");
    let features = [
        ("operate", cfg!(feature = "operate")),
        ("outside", cfg!(feature = "outside")),
        ("postgres", cfg!(feature = "postgres")),
        ("otlp", cfg!(feature = "otlp")),
    ];
    let features: Vec<_> = features.into_iter().filter_map(|(name, is_there)| is_there.then_some(name)).collect();
    let features = if features.is_empty() { "none".to_owned() } else { features.join(", ") };
    let build = format!("{profile} build for {system} {processor}, {libc}");
    format!("{version}\ncommit {COMMIT}\n{build}\nfeatures {features}")
});

pub(in crate::cli) fn long_version() -> &'static str {
    LONG_VERSION.as_str()
}
