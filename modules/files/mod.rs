//! `/files`: files in a folder that all people of a guild or direct-message channel share.

mod show;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Map;

use candor_core::contract::entity::Attachment;
use candor_core::contract::{Call, CommandError, FILE_SIZE_MAX, FileEntry, NativeModule, ServiceName, Written};
use candor_core::inbound::{CommandPath, Place};
use candor_core::language::say_from;
use candor_core::reply::{PreparedCall, Reply, age_in};
use candor_core::text::utf16_length;
use show::TEXTS;

pub fn module() -> NativeModule {
    NativeModule::new("files", include_str!("module.toml"))
        .needs(ServiceName::Workspace)
        .needs(ServiceName::Attachment)
        .handler("list", list)
        .handler("read", read)
        .handler("write", write)
        .handler("edit", edit)
        .handler("put", put)
        .handler("remove", remove)
}

/// What `/files list` takes.
#[derive(Deserialize, JsonSchema)]
struct Folder {
    /// Only what is in this folder
    #[schemars(length(max = 200))]
    folder: Option<String>,
}

/// What `/files read` takes.
#[derive(Deserialize, JsonSchema)]
struct File {
    /// The file's path, such as notes/today.txt
    #[schemars(length(min = 1, max = 200))]
    path: String,
    /// The page to show
    #[schemars(range(min = 1))]
    page: Option<u32>,
}

/// What `/files write` takes.
#[derive(Deserialize, JsonSchema)]
struct NewFile {
    /// The file's path, such as notes/today.txt
    #[schemars(length(min = 1, max = 200))]
    path: String,
    /// The whole content
    #[schemars(length(max = 4000))]
    content: String,
}

/// What `/files edit` takes.
#[derive(Deserialize, JsonSchema)]
struct Edit {
    /// The file's path, such as notes/today.txt
    #[schemars(length(min = 1, max = 200))]
    path: String,
    /// What to put there
    #[schemars(length(max = 4000))]
    text: String,
    /// What to replace, exactly as it stands in the file, once; without this, the text goes to the end
    #[schemars(length(max = 4000))]
    find: Option<String>,
}

/// What `/files put` takes.
#[derive(Deserialize, JsonSchema)]
struct Upload {
    /// The file
    file: Attachment,
    /// The path to store it under; without this it keeps its name
    #[schemars(length(min = 1, max = 200))]
    path: Option<String>,
}

/// What `/files remove` takes.
#[derive(Deserialize, JsonSchema)]
struct OldFile {
    /// The file's path, such as notes/today.txt
    #[schemars(length(min = 1, max = 200))]
    path: String,
    /// Remove it; without this you are asked first
    confirm: Option<bool>,
}

async fn list(wanted: Folder, call: Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let folder = wanted.folder.as_deref().filter(|folder| !folder.is_empty());
    let listing = call.services.workspace()?.list(folder).await?;
    let line = |entry: &FileEntry| {
        let name = &entry.name;
        let Some(size) = entry.size else { return format!("`{name}/`") };
        let changed = entry.modified.map(|at| format!(" · {}", age_in(at, call.now, language))).unwrap_or_default();
        format!("`{name}` · {}{changed}", show::size(size, language))
    };
    let mut lines = Vec::new();
    let mut length = 0;
    for line in listing.entries.iter().map(line) {
        length += utf16_length(&line) + 1;
        if show::LENGTH_MAX < length {
            break;
        }
        lines.push(line);
    }
    let hidden = listing.entries.len() - lines.len();
    if 0 < hidden {
        lines.push(say_from!(TEXTS, language, "more", n = hidden));
    }
    if !listing.is_whole {
        lines.push(say_from!(TEXTS, language, "not-whole"));
    } else if listing.entries.is_empty() {
        lines.push(say_from!(TEXTS, language, "none"));
    }
    let title = match folder {
        None => say_from!(TEXTS, language, "title"),
        Some(folder) => say_from!(TEXTS, language, "title-in", folder = folder),
    };
    Ok(Reply::text(lines.join("\n")).titled(title))
}

async fn read(file: File, call: Call) -> Result<Reply, CommandError> {
    let File { path, page } = file;
    let content = call.services.workspace()?.read_bytes(&path).await?;
    let language = call.caller.language;
    let state = Some(show::size(content.len() as u64, language));
    let shown = show::File { path: &path, page, language };
    // The console has no attachments.
    let shown = match call.place {
        Place::Console => shown.alone(content)?,
        _ => shown.with_attachment(content),
    };
    Ok(Reply { state, ..shown.titled(format!("`{path}`")) })
}

async fn write(new: NewFile, call: Call) -> Result<Reply, CommandError> {
    let NewFile { path, content } = new;
    store(&path, content.as_bytes(), &call).await
}

async fn edit(edit: Edit, call: Call) -> Result<Reply, CommandError> {
    let Edit { path, text, find } = edit;
    let language = call.caller.language;
    let workspace = call.services.workspace()?;
    let old = workspace.read(&path).await?;
    let new = match changed(&old, find.as_deref().unwrap_or_default(), &text) {
        Ok(new) => new,
        Err(0) => return Err(CommandError::tell(say_from!(TEXTS, language, "not-found", path = path))),
        Err(n) => return Err(CommandError::tell(say_from!(TEXTS, language, "found-often", path = path, n = n))),
    };
    let size = show::size(new.len() as u64, language);
    workspace.rewrite(&path, old, new).await?;
    Ok(Reply::text(say_from!(TEXTS, language, "edited", path = path, size = size)))
}

async fn put(upload: Upload, call: Call) -> Result<Reply, CommandError> {
    let Upload { file, path } = upload;
    let path = path.unwrap_or_else(|| file.filename.clone());
    // Check the path before fetching anything.
    call.services.workspace()?.file(&path)?;
    let content = call.services.attachment()?.read(&file, FILE_SIZE_MAX).await;
    let content = content.map_err(|problem| CommandError::tell(problem.told(call.caller.language)))?;
    store(&path, &content, &call).await
}

async fn store(path: &str, content: &[u8], call: &Call) -> Result<Reply, CommandError> {
    let language = call.caller.language;
    let size = show::size(content.len() as u64, language);
    Ok(Reply::text(match call.services.workspace()?.write(path, content).await? {
        Written::Created => say_from!(TEXTS, language, "created", path = path, size = size),
        Written::Replaced => say_from!(TEXTS, language, "replaced", path = path, size = size),
    }))
}

async fn remove(old: OldFile, call: Call) -> Result<Reply, CommandError> {
    let OldFile { path, confirm } = old;
    let language = call.caller.language;
    let workspace = call.services.workspace()?;
    if confirm != Some(true) {
        // Check that the file exists before asking for confirmation.
        let (folder, name) = path.rsplit_once('/').map_or((None, path.as_str()), |(above, name)| (Some(above), name));
        let listing = workspace.list(folder).await?;
        let found = listing.entries.iter().find(|entry| entry.name == name).and_then(|entry| entry.size);
        let size =
            found.ok_or_else(|| CommandError::tell(say_from!(TEXTS, language, "missing", path = path.as_str())))?;
        let size = show::size(size, language);
        let removal = PreparedCall {
            path: CommandPath::new("files", Some("remove")),
            arguments: Map::from_iter([("path".to_owned(), path.as_str().into()), ("confirm".to_owned(), true.into())]),
            in_place: true,
            once: false,
            for_everyone: false,
        };
        let question = say_from!(TEXTS, language, "question", path = path, size = size);
        return Ok(Reply::ask(removal, say_from!(TEXTS, language, "button-remove"), question));
    }
    let size = show::size(workspace.remove(&path).await?, language);
    Ok(Reply::text(say_from!(TEXTS, language, "removed", path = path, size = size)))
}

/// Replaces `find` by `new`, or appends `new` if `find` is empty. The error is the number of occurrences of `find` if
/// it is not 1: the place must be unambiguous.
fn changed(text: &str, find: &str, new: &str) -> Result<String, usize> {
    // Discord's modals send only line feeds, while the file may use CRLF.
    let as_there = |words: &str| match text.contains("\r\n") {
        true => words.replace("\r\n", "\n").replace('\n', "\r\n"),
        false => words.to_owned(),
    };
    let find = as_there(find);
    let new = as_there(new);
    if find.is_empty() {
        let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let between = if text.is_empty() || text.ends_with('\n') { "" } else { line_end };
        return Ok([text, between, &new].concat());
    }
    match text.matches(&find).count() {
        1 => Ok(text.replacen(&find, &new, 1)),
        n => Err(n),
    }
}

#[cfg(test)]
mod tests {
    use super::changed;

    #[test]
    fn one_place_is_changed_or_none() {
        for (text, find, new, expected) in [
            ("tea\nmilk\n", "milk", "oat milk", Ok("tea\noat milk\n")),
            ("tea\nmilk\n", "tea\nmilk", "cake", Ok("cake\n")),
            ("tea\nmilk\n", "tea\n", "", Ok("milk\n")),
            ("tea\nmilk\n", "Milk", "x", Err(0)),
            ("aba", "a", "x", Err(2)),
            ("tea", "", "milk", Ok("tea\nmilk")),
            ("tea\n", "", "milk\n", Ok("tea\nmilk\n")),
            ("", "", "milk", Ok("milk")),
            ("tea\r\nmilk\r\n", "tea\nmilk", "a\nb", Ok("a\r\nb\r\n")),
            ("tea\r\nmilk", "", "cake", Ok("tea\r\nmilk\r\ncake")),
        ] {
            assert_eq!(changed(text, find, new).as_deref(), expected.as_ref().map(|text| *text), "{text:?} {find:?}");
        }
    }
}
