//! Reads the settings file.

use std::path::Path;
use std::sync::Arc;

use crate::files::text_file::{self, TextFileError};
use candor_core::diagnostic::{Code, Diagnostic, Diagnostics, Location, SourceFile};
use candor_core::settings::{self, ReadSettings, Settings};

/// Read when no other file is given, if it exists.
const DEFAULT_PATH: &str = "config.toml";

/// Reads the settings and their file, or returns every problem in them.
pub fn load(path: Option<&Path>) -> Result<(Settings, Arc<SourceFile>), Diagnostics> {
    let (ReadSettings { settings, problems, .. }, file) = load_leniently(path)?;
    if problems.has_errors() { Err(problems) } else { Ok((settings, file)) }
}

/// Reads the file, and as many settings as can be read. Without a path, reads `config.toml` in the current folder if it
/// exists; else every default holds and the file's text is empty. A given path must lead to a file.
pub fn load_leniently(path: Option<&Path>) -> Result<(ReadSettings, Arc<SourceFile>), Diagnostics> {
    let shown = path.unwrap_or(Path::new(DEFAULT_PATH));
    let text = match text_file::read(shown) {
        Ok(text) => text,
        Err(TextFileError::Missing) if path.is_none() => String::new(),
        Err(problem) => return Err(unreadable(shown, &problem)),
    };
    let file = Arc::new(SourceFile { path: shown.display().to_string(), text });
    Ok((settings::read_leniently(&file), file))
}

fn unreadable(path: &Path, problem: &TextFileError) -> Diagnostics {
    let file = Arc::new(SourceFile { path: path.display().to_string(), text: String::new() });
    let mut diagnostics = Diagnostics::default();
    diagnostics.push(Diagnostic {
        code: Code::ConfigUnreadable,
        message: format!("cannot read the settings: {problem}"),
        place: Location { file, span: 0..0, label: String::new(), also: None },
        help: match problem {
            TextFileError::NotUtf8 { .. } => "save it as UTF-8 text: TOML is nothing else".to_owned(),
            _ => format!("give the path of a settings file, or none to read `{DEFAULT_PATH}` if it is there"),
        },
    });
    diagnostics
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::load;
    use candor_core::diagnostic::Code;

    #[test]
    fn a_file_that_was_asked_for_must_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("my.toml");
        let problems = load(Some(&path)).unwrap_err();
        let codes: Vec<_> = problems.iter().map(|problem| problem.code).collect();
        assert_eq!(codes, [Code::ConfigUnreadable]);

        fs::write(&path, "chat.history = 7").unwrap();
        let (settings, file) = load(Some(&path)).unwrap();
        assert_eq!((settings.chat.history, file.text.as_str()), (7, "chat.history = 7"));
        assert_eq!(file.path, path.display().to_string());
    }

    #[test]
    fn a_file_that_is_not_utf_8_should_be() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config.toml");
        fs::write(&path, b"[chat]\nsystem = '\xff'").unwrap();
        let problems = load(Some(&path)).unwrap_err();
        assert_eq!(problems.iter().next().unwrap().help, "save it as UTF-8 text: TOML is nothing else");
    }
}
