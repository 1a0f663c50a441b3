//! Limits of files: `attachments` in a body, and `attachment://` URLs in embeds.

use serde_json::Value;

use crate::limits::{Text, list};
use crate::rest::SentFile;
use crate::rest::errors::{Path, Problems, Refusal};

const FILES_MAX: usize = 10;
/// The largest file, in bytes. Boosted guilds allow more.
const FILE_BYTES_MAX: usize = 10 * 1024 * 1024;
const DESCRIPTION_MAX: usize = 1024;
const ATTACHMENT_SCHEME: &str = "attachment://";

/// What a body is checked against: the uploaded files, and for an edit the message before it.
#[derive(Clone, Copy)]
pub(crate) struct BodyContext<'a> {
    pub(crate) files: &'a [SentFile],
    /// Null for a new message.
    pub(crate) before: &'a Value,
}

impl BodyContext<'_> {
    /// A new message without files.
    pub(crate) const NEW: BodyContext<'static> = BodyContext { files: &[], before: &Value::Null };

    fn keeps(&self, id: &str) -> bool {
        self.before["attachments"].as_array().into_iter().flatten().any(|attachment| attachment["id"] == id)
    }

    fn sends(&self, id: &str) -> bool {
        id.parse().is_ok_and(|index| self.files.iter().any(|file| file.index == Some(index)))
    }
}

/// Checks `body.attachments` and the URLs in `body.embeds`.
pub(crate) fn check_files(problems: &mut Problems, path: &Path, body: &Value, context: &BodyContext<'_>) {
    if context.files.len() > FILES_MAX {
        super::too_many(problems, &path.then("attachments"), FILES_MAX);
    }
    for (index, attachment) in list(problems, path, body, "attachments", FILES_MAX).iter().enumerate() {
        let path = path.then("attachments").then(index);
        Text::optional(DESCRIPTION_MAX).check(problems, &path, attachment, "description");
        let id = id_of(attachment);
        if !context.sends(&id) && !context.keeps(&id) {
            problems.add(&path.then("id"), "ATTACHMENT_NOT_FOUND", format!("There is no file `{id}`"));
        }
    }
    let names = names(body, context);
    for (index, embed) in body["embeds"].as_array().into_iter().flatten().enumerate() {
        let path = path.then("embeds").then(index);
        for (part, key) in
            [("image", "url"), ("thumbnail", "url"), ("footer", "icon_url"), ("author", "icon_url"), ("author", "url")]
        {
            check_address(problems, &path.then(part).then(key), &embed[part][key], &names);
        }
        check_address(problems, &path.then("url"), &embed["url"], &[]);
    }
}

/// Refuses files that are too large.
pub(crate) fn check_sizes(files: &[SentFile]) -> Result<(), Refusal> {
    if files.iter().any(|file| file.size > FILE_BYTES_MAX) {
        return Err(Refusal::file_too_large());
    }
    Ok(())
}

/// The id of an attachment, which may be a number or a string.
fn id_of(attachment: &Value) -> String {
    attachment["id"].as_str().map_or_else(|| attachment["id"].to_string(), str::to_owned)
}

/// The names of all files that the message will have after the request.
fn names<'a>(body: &'a Value, context: &BodyContext<'a>) -> Vec<&'a str> {
    let listed = body["attachments"].as_array();
    let kept = context.before["attachments"].as_array().into_iter().flatten();
    let is_listed =
        |attachment: &Value| listed.is_none_or(|listed| listed.iter().any(|entry| id_of(entry) == id_of(attachment)));
    let kept = kept.filter(|attachment| is_listed(attachment)).filter_map(|attachment| attachment["filename"].as_str());
    let renamed = listed.into_iter().flatten().filter_map(|attachment| attachment["filename"].as_str());
    let sent = context.files.iter().map(|file| file.filename.as_str());
    sent.chain(renamed).chain(kept).collect()
}

fn check_address(problems: &mut Problems, path: &Path, value: &Value, names: &[&str]) {
    let Some(address) = value.as_str().filter(|address| !address.is_empty()) else { return };
    match address.strip_prefix(ATTACHMENT_SCHEME) {
        Some(name) if names.contains(&name) => {}
        Some(name) => problems.add(path, "ATTACHMENT_NOT_FOUND", format!("There is no file `{name}`")),
        None if address.starts_with("https://") || address.starts_with("http://") => {}
        None => {
            let why = "Scheme must be one of ('http', 'https').";
            problems.add(path, "URL_TYPE_INVALID_SCHEME", why);
        }
    }
    if super::length(address) > 2048 {
        super::too_many(problems, path, 2048);
    }
}

#[cfg(test)]
mod tests;
