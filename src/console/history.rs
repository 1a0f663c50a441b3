//! The lines that Up brings back in the next session.
//!
//! The file contains no person's own words: only commands whose values the bot knows, such as `/status range: 24h`.
//! People can have their words forgotten, so no second file may keep them.

use std::fs::OpenOptions;
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;

use candor_core::contract::{Command, Leaf, OptionKind, text_form};
use candor_core::language::Language;
use candor_core::text::printable;

/// How many lines are kept. A file with twice as many is shortened.
pub(super) const LINES_MAX: usize = 1_000;

const READ_MAX: u64 = 1024 * 1024;

pub(super) struct History(pub(super) PathBuf);

impl History {
    /// Returns the lines of earlier sessions, oldest first; none if the file cannot be read.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut text = String::new();
        let read =
            OpenOptions::new().read(true).open(&self.0).and_then(|file| file.take(READ_MAX).read_to_string(&mut text));
        if read.is_err() {
            return Vec::new();
        }
        let lines: Vec<_> = text.lines().map(printable).collect();
        let n_old = lines.len().saturating_sub(LINES_MAX);
        let newest = lines.get(n_old..).unwrap_or_default();
        if LINES_MAX < n_old {
            // A session that cannot write the file will not add to it either.
            let _unwritable = self.write(&(newest.join("\n") + "\n"), true);
        }
        newest.to_vec()
    }

    /// Adds a line. Only the file's owner may read it.
    pub(super) fn add(&self, line: &str) -> io::Result<()> {
        self.write(&format!("{line}\n"), false)
    }

    fn write(&self, text: &str, anew: bool) -> io::Result<()> {
        let mut options = OpenOptions::new();
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.create(true).append(!anew).write(true).truncate(anew).open(&self.0)?;
        file.write_all(text.as_bytes())
    }
}

/// Returns whether a line may be kept: a command that can run, with no value in a person's own words.
pub(super) fn is_kept(commands: &[&Command], line: &str) -> bool {
    let mut words = line.split_whitespace();
    let Some(name) = words.next().and_then(|name| name.strip_prefix('/')) else { return false };
    let Some(command) = commands.iter().find(|command| command.name == name) else { return false };
    command.leaves().any(|leaf| {
        let path: Vec<_> = leaf.path().names().collect();
        let mut rest = line.trim();
        let is_it = path.iter().enumerate().all(|(index, name)| {
            let begun = rest.strip_prefix(if index == 0 { "/" } else { "" }).and_then(|rest| rest.strip_prefix(name));
            let ended = begun.filter(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace));
            rest = ended.unwrap_or_default().trim_start();
            ended.is_some()
        });
        is_it && holds_no_words(leaf, rest)
    })
}

fn holds_no_words(leaf: &Leaf, arguments: &str) -> bool {
    text_form::parse(leaf, arguments, Language::ENGLISH).is_ok_and(|given| {
        let options = given.keys().filter_map(|name| leaf.option(name));
        options.into_iter().all(|option| match &option.kind {
            OptionKind::String { choices, .. } => !choices.is_empty() && !option.private,
            OptionKind::Integer { .. } | OptionKind::Number { .. } | OptionKind::Boolean => !option.private,
            _ => false,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{History, LINES_MAX, is_kept};
    use candor_core::contract::Command;
    use candor_core::testing::checked;

    #[test]
    fn no_words_of_a_person_are_kept() {
        let checked = checked(candor_modules::all());
        let commands: Vec<&Command> = checked.accepted.iter().flat_map(|module| &module.commands).collect();
        let cases = [
            ("/status", true),
            ("/status range: 24h", true),
            ("/tasks list page: 2", true),
            ("/tasks done id: 1", true),
            ("/tasks add title: buy milk", false),
            ("/memory save content: my bank PIN is 4711", false),
            ("/status metric: my bank PIN", false),
            ("/tasks nothing", false),
            ("/nothing", false),
            ("remember that I like tea", false),
            ("", false),
        ];
        for (line, expected) in cases {
            assert_eq!(is_kept(&commands, line), expected, "{line:?}");
        }
    }

    #[test]
    fn the_newest_lines_come_back_and_the_file_does_not_grow_without_end() {
        let folder = tempfile::tempdir().unwrap();
        let history = History(folder.path().join("console_history"));
        assert!(history.lines().is_empty());
        for n in 0..2 * LINES_MAX + 1 {
            history.add(&format!("/tasks done id: {n}")).unwrap();
        }
        let lines = history.lines();
        assert_eq!((lines.len(), lines.last().unwrap().as_str()), (LINES_MAX, "/tasks done id: 2000"));
        assert_eq!(std::fs::read_to_string(&history.0).unwrap().lines().count(), LINES_MAX);
        assert_eq!(history.lines(), lines);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&history.0).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
}
