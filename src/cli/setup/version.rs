//! The text of `candor --version`.

use std::sync::LazyLock;

/// The commit of this build, from the variable CANDOR_COMMIT: a source archive has no history to ask.
const COMMIT: &str = match option_env!("CANDOR_COMMIT") {
    Some(commit) => commit,
    None => "unknown",
};

static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    let (system, processor) = (std::env::consts::OS, std::env::consts::ARCH);
    let libc = if cfg!(target_feature = "crt-static") { "static" } else { "dynamic" };
    let version = env!("CARGO_PKG_VERSION");
    let otlp = if cfg!(feature = "otlp") { ", otlp" } else { "" };
    let build = format!("{profile} build for {system} {processor}, {libc}");
    format!("{version}\ncommit {COMMIT}\n{build}\nfeatures sqlite, postgresql{otlp}")
});

pub(in crate::cli) fn long_version() -> &'static str {
    LONG_VERSION.as_str()
}
