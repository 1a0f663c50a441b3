//! What the settings name outside their file: whether it can be what they take it for.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{self, Component, Path, PathBuf};

use crate::config::{Places, Settings};
use crate::diagnostic::Diagnostics;
use crate::model;
use crate::nearest::nearest;
use crate::written::Spot;

/// A file that the bot uses: the setting that names it, where that is written, and its path.
struct Named<'a> {
    setting: &'static str,
    span: Option<Range<usize>>,
    path: &'a Path,
}

/// Reports files of two uses, of which one would destroy the other.
pub(super) fn check_distinct(settings: &Settings, places: &Places, found: &mut Diagnostics) {
    let span = |spot: &Option<Spot<PathBuf>>| spot.as_ref().map(|spot| spot.span.clone());
    let mut files = vec![
        Named { setting: "store.path", span: span(&places.store_path), path: &settings.store_path },
        Named { setting: "status.file", span: span(&places.status_file), path: &settings.status.file },
    ];
    files.extend(places.key_file.as_ref().map(|key| Named {
        setting: "model.key_file",
        span: Some(key.span.clone()),
        path: &key.value,
    }));
    let config = normalized(Path::new(places.file()));
    for (index, file) in files.iter().enumerate() {
        let path = normalized(file.path);
        let shown = file.path.display();
        let help = "let each name a file of its own".to_owned();
        if path == config {
            let message = format!("`{}` names the settings file itself, `{shown}`", file.setting);
            found.push(places.problem(file.span.clone().unwrap_or_default(), message, help.clone()));
        }
        for other in files.iter().take(index).filter(|other| occupied(other).contains(&path)) {
            let span = file.span.clone().or_else(|| other.span.clone()).unwrap_or_default();
            let message = format!("`{}` names `{shown}`, which `{}` takes for itself", file.setting, other.setting);
            found.push(places.problem(span, message, help.clone()));
        }
    }
}

/// What a file takes for itself: its own path, and those of the files that SQLite keeps beside a database.
fn occupied(file: &Named<'_>) -> Vec<PathBuf> {
    let path = normalized(file.path);
    let beside = |ending: &str| {
        let mut name = path.clone().into_os_string();
        name.push(ending);
        PathBuf::from(name)
    };
    let endings: &[&str] = if file.setting == "store.path" { &["", "-wal", "-shm", "-journal"] } else { &[""] };
    endings.iter().map(|ending| beside(ending)).collect()
}

/// Reports a key file that gives no key.
pub(super) fn check_key(places: &Places, found: &mut Diagnostics) {
    let Some(key_file) = &places.key_file else { return };
    if let Err(problem) = model::read_key(&key_file.value) {
        let help = "name a file that holds the key and nothing else, or take `key_file` out".to_owned();
        found.push(places.problem(key_file.span.clone(), problem.to_string(), help));
    }
}

/// Reports names of modules that are left out, and of which there is none. `names` are all there are.
pub(super) fn check_disabled(places: &Places, names: &BTreeSet<&str>, found: &mut Diagnostics) {
    for name in places.disabled.iter().filter(|name| !names.contains(name.value.as_str())) {
        let help = match nearest(&name.value, names.iter().copied(), 1).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "the modules are {}",
                names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            ),
        };
        let message = format!("`modules.disabled` names `{}`, and there is no such module", name.value);
        found.push(places.problem(name.span.clone(), message, help));
    }
}

/// The absolute path without `.` and `..`. Links are not followed: the file may not be there yet.
fn normalized(path: &Path) -> PathBuf {
    let absolute = path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut normalized = PathBuf::new();
    for component in absolute.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normalized.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => normalized.push(component),
        }
    }
    normalized
}
