//! Writes a separate program around a native module, for `candor new --kind native`. It is the example in
//! `docs/native`, renamed; the tests build and run that example.

use std::fs;
use std::io;
use std::path::Path;

use crate::app::Failure;

/// The package of the example, and its module and command.
const PACKAGE: &str = "greet-bot";
const MODULE: &str = "greet";

/// The example's files beside its Cargo.toml.
const FILES: [(&str, &str); 4] = [
    ("src/main.rs", include_str!("../../../docs/native/src/main.rs")),
    ("src/greet.rs", include_str!("../../../docs/native/src/greet.rs")),
    ("src/greet.toml", include_str!("../../../docs/native/src/greet.toml")),
    ("tests/command.rs", include_str!("../../../docs/native/tests/command.rs")),
];
const CARGO_TOML: &str = include_str!("../../../docs/native/Cargo.toml");

/// The path dependencies of the example, relative to its folder, and their folders in Candor's source.
const FROM_SOURCE: [(&str, &str); 3] = [("../..", ""), ("../../src/core", "src/core"), ("../../modules", "modules")];

#[derive(Clone, Debug)]
pub(super) enum Source {
    Folder(String),
    Git(String),
}

impl Source {
    /// Reads `--source`: a folder that contains Candor's source, or the address of a repository.
    pub(super) fn read(given: Option<&str>) -> Result<Self, Failure> {
        let Some(given) = given else {
            return Err(Failure::config(
                "a native module is built with Candor's source: add `--source` with its folder, or with the address of \
                 its git repository",
            ));
        };
        if given.contains("://") || given.starts_with("git@") {
            return Ok(Self::Git(given.to_owned()));
        }
        let folder = Path::new(given);
        let absolute = fs::canonicalize(folder).ok().filter(|folder| folder.join("src/core/Cargo.toml").is_file());
        match absolute.as_deref().and_then(Path::to_str) {
            Some(absolute) => Ok(Self::Folder(absolute.to_owned())),
            None => Err(Failure::config(format!(
                "`{given}` is no folder with Candor's source: there is no `src/core/Cargo.toml` in it"
            ))),
        }
    }

    /// Returns the source of the dependency in `folder`, in Cargo's syntax.
    fn of(&self, folder: &str) -> String {
        match self {
            Self::Folder(source) => {
                let path = Path::new(source).join(folder);
                format!("path = {}", toml_string(&path.to_string_lossy()))
            }
            Self::Git(address) => format!("git = {}", toml_string(address)),
        }
    }
}

pub(super) fn write(draft: &Path, name: &str, source: &Source) -> io::Result<()> {
    fs::create_dir_all(draft.join("src"))?;
    fs::create_dir_all(draft.join("tests"))?;
    fs::write(draft.join("Cargo.toml"), cargo_toml(name, source))?;
    fs::write(draft.join(".gitignore"), "/target\n/data\n")?;
    for (file, text) in FILES {
        fs::write(draft.join(file), named(text, name))?;
    }
    Ok(())
}

/// Renames the package, the module and the command of the example. Its files and functions keep their names.
fn named(text: &str, name: &str) -> String {
    text.replace(PACKAGE, &package(name))
        .replace(&format!("\"{MODULE}\""), &format!("\"{name}\""))
        .replace(&format!("/{MODULE}"), &format!("/{name}"))
        .replace(&format!("settings.{MODULE}]"), &format!("settings.{name}]"))
}

fn cargo_toml(name: &str, source: &Source) -> String {
    let dependencies = FROM_SOURCE.into_iter().fold(CARGO_TOML.to_owned(), |text, (written, folder)| {
        text.replace(&format!("path = \"{written}\""), &source.of(folder))
    });
    dependencies.replace(PACKAGE, &package(name))
}

/// Returns the package name. Cargo accepts no package name that begins with a digit.
fn package(name: &str) -> String {
    match name.starts_with(|first: char| first.is_ascii_lowercase()) {
        true if name.ends_with("-bot") => name.to_owned(),
        true => format!("{name}-bot"),
        false => format!("bot-{name}"),
    }
}

fn toml_string(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::package;

    #[test]
    fn a_package_is_named_like_a_bot_once() {
        for (name, expected) in [("weather", "weather-bot"), ("weather-bot", "weather-bot"), ("8ball", "bot-8ball")] {
            assert_eq!(package(name), expected);
        }
    }
}
