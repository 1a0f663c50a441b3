//! The folder of modules on disk: each folder in it is a module with a manifest.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::files::text_file::{self, TextFileError};
use candor_core::contract::Manifest;
use candor_core::diagnostic::{Code, Diagnostic, Diagnostics, Location, SourceFile};

/// Read when no other folder is configured, if it exists.
const DEFAULT_PATH: &str = "modules";

const MANIFEST: &str = "module.toml";

#[derive(Debug, Default)]
pub struct ModuleFolder {
    pub path: PathBuf,
    /// The manifest of every module, sorted by folder name. An unreadable one has no `file`.
    pub manifests: Vec<Manifest>,
    pub disabled: Vec<String>,
    /// Files that cannot be read, and why.
    pub diagnostics: Diagnostics,
}

/// Reads the manifest of every module in a folder except the `disabled` ones. Without a path, reads `modules` in the
/// current folder if it exists. Hidden folders and loose files are not modules.
pub fn load(path: Option<&Path>, disabled: &[String]) -> ModuleFolder {
    let folder = path.unwrap_or(Path::new(DEFAULT_PATH));
    let mut read = ModuleFolder { path: folder.to_owned(), ..ModuleFolder::default() };
    let modules = match module_folders(folder) {
        Ok(modules) => modules,
        Err(problem) if path.is_none() && problem.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(problem) => {
            read.diagnostics.push(modules_unreadable(folder, &problem));
            Vec::new()
        }
    };
    for module in modules {
        let folder = module.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if disabled.contains(&folder) {
            read.disabled.push(folder);
        } else {
            let file = manifest(&folder, &module, &mut read.diagnostics);
            read.manifests.push(Manifest::new(folder, file));
        }
    }
    read
}

fn module_folders(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut modules = Vec::new();
    for entry in folder.read_dir()? {
        let entry = entry?;
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        // Links are followed. An entry that cannot be examined may be a module, so it is not skipped silently: reading
        // its manifest then reports the problem.
        let is_loose_file = entry.path().metadata().is_ok_and(|metadata| !metadata.is_dir());
        if !is_hidden && !is_loose_file {
            modules.push(entry.path());
        }
    }
    modules.sort_unstable();
    Ok(modules)
}

fn manifest(folder: &str, module: &Path, found: &mut Diagnostics) -> Option<Arc<SourceFile>> {
    let path = module.join(MANIFEST);
    match manifest_text(module) {
        Ok(text) => Some(Arc::new(SourceFile { path: path.display().to_string(), text })),
        Err(TextFileError::Missing) => {
            let message = format!("the module `{folder}` has no manifest");
            let help = format!("write a `{MANIFEST}`, or move the folder out of the modules folder");
            found.push(diagnostic(Code::ManifestMissing, module, message, help));
            None
        }
        Err(problem) => {
            let message = format!("cannot read the manifest of the module `{folder}`: {problem}");
            let help = match problem {
                TextFileError::Outside => format!("put the `{MANIFEST}` itself into the folder"),
                _ => format!("a `{MANIFEST}` is a text file in UTF-8 of at most 1 MiB that this bot may read"),
            };
            found.push(diagnostic(Code::ManifestUnreadable, &path, message, help));
            None
        }
    }
}

pub fn manifest_text(module: &Path) -> Result<String, TextFileError> {
    text_file::read_within(module, MANIFEST)
}

fn modules_unreadable(folder: &Path, problem: &io::Error) -> Diagnostic {
    let message = format!("cannot read the modules folder: {problem}");
    let help = "set `path` in `[modules]` to a folder that exists and that this bot may read, or leave it out";
    diagnostic(Code::ModulesUnreadable, folder, message, help.to_owned())
}

fn diagnostic(code: Code, path: &Path, message: String, help: String) -> Diagnostic {
    let file = Arc::new(SourceFile { path: path.display().to_string(), text: String::new() });
    Diagnostic { code, message, place: Location { file, span: 0..0, label: String::new(), also: None }, help }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{ModuleFolder, load};
    use candor_core::contract::Manifest;
    use candor_core::diagnostic::{Code, Diagnostics};

    fn texts(read: &ModuleFolder) -> Vec<(&str, Option<&str>)> {
        let pairs = read.manifests.iter().map(|Manifest { folder, file, .. }| (folder, file));
        pairs.map(|(folder, file)| (folder.as_str(), file.as_ref().map(|file| file.text.as_str()))).collect()
    }

    fn codes(diagnostics: &Diagnostics) -> Vec<Code> {
        diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
    }

    #[test]
    fn every_visible_folder_is_a_module() {
        let folder = tempfile::tempdir().unwrap();
        for module in ["weather", "dice", ".git"] {
            fs::create_dir(folder.path().join(module)).unwrap();
            fs::write(folder.path().join(module).join("module.toml"), format!("# {module}")).unwrap();
        }
        fs::write(folder.path().join("README.md"), "not a module").unwrap();

        let read = load(Some(folder.path()), &[]);
        assert_eq!(texts(&read), [("dice", Some("# dice")), ("weather", Some("# weather"))]);
        assert_eq!(codes(&read.diagnostics), []);
    }

    #[test]
    fn one_bad_module_does_not_hide_the_others() {
        let folder = tempfile::tempdir().unwrap();
        for module in ["empty", "folder/module.toml", "garbled", "good"] {
            fs::create_dir_all(folder.path().join(module)).unwrap();
        }
        fs::write(folder.path().join("garbled/module.toml"), b"\xff").unwrap();
        fs::write(folder.path().join("good/module.toml"), "").unwrap();

        let read = load(Some(folder.path()), &[]);
        assert_eq!(texts(&read), [("empty", None), ("folder", None), ("garbled", None), ("good", Some(""))]);
        assert_eq!(
            codes(&read.diagnostics),
            [Code::ManifestMissing, Code::ManifestUnreadable, Code::ManifestUnreadable]
        );
    }

    #[test]
    fn a_module_that_is_left_out_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        for module in ["empty", "garbled", "good"] {
            fs::create_dir(folder.path().join(module)).unwrap();
        }
        fs::write(folder.path().join("garbled/module.toml"), b"\xff").unwrap();
        fs::write(folder.path().join("good/module.toml"), "").unwrap();

        let read = load(Some(folder.path()), &["empty", "garbled", "gone"].map(str::to_owned));
        assert_eq!(texts(&read), [("good", Some(""))]);
        assert_eq!(read.disabled, ["empty", "garbled"]);
        assert_eq!(codes(&read.diagnostics), []);
    }

    #[test]
    fn a_folder_that_was_asked_for_must_be_there() {
        let read = load(Some(Path::new("no/such/folder")), &[]);
        assert!(read.manifests.is_empty());
        let found = read.diagnostics;
        assert_eq!(codes(&found), [Code::ModulesUnreadable]);
        assert_eq!(found.iter().next().unwrap().place.file.path, "no/such/folder");
    }
}
