//! Reads the files of a call for a program and puts their content beside Discord's metadata.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize as _;
use serde_json::{Map, Value};

use crate::contract::code::Call;
use crate::contract::entity::{Attachment, TYPE};

/// The largest file read for a program, in bytes. Its whole content becomes one line of JSON.
const FILE_MAX: u64 = 2 * 1_024 * 1_024;

/// Returns the options as a program gets them. With the service `attachment`, each file has its content: `text` if it
/// is UTF-8, else `base64`. A file that could not be read has `error`, the reason in the caller's language.
pub(super) async fn with_files(mut options: Map<String, Value>, call: &Call) -> Map<String, Value> {
    let Ok(files) = call.services.attachment() else { return options };
    for value in options.values_mut() {
        let Some(file) = attached(value) else { continue };
        let (key, content) = match files.read(&file, FILE_MAX).await {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => ("text", text),
                Err(binary) => ("base64", BASE64_STANDARD.encode(binary.as_bytes())),
            },
            Err(problem) => ("error", problem.told(call.caller.language)),
        };
        value[key] = Value::from(content);
    }
    options
}

fn attached(value: &Value) -> Option<Attachment> {
    let is_file = value.get(TYPE).and_then(Value::as_str) == Some("attachment");
    is_file.then(|| Attachment::deserialize(value).ok())?
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::UNIX_EPOCH;

    use async_trait::async_trait;
    use futures_util::FutureExt as _;
    use serde_json::json;

    use super::*;
    use crate::contract::services::{AttachmentError, Attachments, HostServices, ServiceName};
    use crate::inbound::{Caller, Place, UserId};
    use crate::testing;

    /// Discord's files, each with its content for an address.
    struct Files;

    #[async_trait]
    impl Attachments for Files {
        async fn read(&self, file: &Attachment, _: u64) -> Result<Vec<u8>, AttachmentError> {
            match file.url.as_str() {
                "text" => Ok("für dich".as_bytes().to_vec()),
                "binary" => Ok(vec![0xff, 0x00]),
                _ => Err(AttachmentError::Unreachable),
            }
        }
    }

    #[test]
    fn a_program_that_asks_for_files_gets_their_content_in_its_options() {
        let file = |url: &str, size: u64| json!({ "type": "attachment", "id": "1", "filename": "a", "size": size, "url": url });
        let options = json!({
            "text": file("text", 9),
            "binary": file("binary", 2),
            "gone": file("gone", 2),
            "large": file("text", FILE_MAX + 1),
            "words": "text",
            "person": { "type": "user", "id": "5" },
        });
        let options = options.as_object().unwrap();
        let given = |services: &[ServiceName]| {
            let host = HostServices { attachments: Some(Arc::new(Files)), ..HostServices::default() };
            let call =
                testing::call("files", &host, services, Caller::new(UserId(7), "ann"), Place::Console, UNIX_EPOCH);
            with_files(options.clone(), &call).now_or_never().unwrap()
        };
        let read = given(&[ServiceName::Attachment]);
        assert_eq!((&read["text"]["text"], &read["binary"]["base64"]), (&json!("für dich"), &json!("/wA=")));
        for (name, part) in [("gone", "Discord"), ("large", "2048 KiB")] {
            let why = read[name]["error"].as_str().unwrap_or_default();
            assert!(why.contains(part), "{name}: {why}");
        }
        assert_eq!((&read["words"], &read["person"]), (&options["words"], &options["person"]));
        assert_eq!(given(&[]), *options, "it does not ask for them");
    }
}
