//! Reads attached files, only from Discord's network.
//!
//! The address comes with an event, so it is not trusted: only Discord's own hosts are asked, redirects are not
//! followed, no token is sent, and the answer is read up to the announced size.

use async_trait::async_trait;
use reqwest::header::CONTENT_LENGTH;
use reqwest::{Client, Url, redirect};
use tracing::info;

use crate::rest::file_client;
use candor_core::agent::surroundings::{FILE_BYTES_MAX, Unread};
use candor_core::contract::entity::Attachment;
use candor_core::contract::{AttachmentError, Attachments};
use candor_core::inbound::AttachedFile;

/// The hosts of attachments. See Discord's documentation, "Reference", on signed attachment URLs.
const HOSTS: [&str; 2] = ["cdn.discordapp.com", "media.discordapp.net"];

/// Reads attached files: those of messages, for chat, and those of commands, for modules.
pub struct Files {
    client: Client,
    /// Replaces Discord's hosts, from the settings.
    instead: Option<Url>,
}

impl Files {
    /// `instead`: `[discord] files`.
    pub fn new(instead: Option<Url>) -> Result<Self, reqwest::Error> {
        Ok(Self { client: file_client(redirect::Policy::none())?, instead })
    }

    /// Reads the whole text of a file.
    pub async fn read(&self, file: &AttachedFile) -> Result<String, Unread> {
        let bytes = self.bytes(file, FILE_BYTES_MAX).await?;
        if bytes.contains(&0) {
            return Err(Unread::Changed);
        }
        String::from_utf8(bytes).map_err(|_| Unread::Changed)
    }

    /// Reads a whole file of at most `max` bytes.
    pub async fn bytes(&self, file: &AttachedFile, max: u64) -> Result<Vec<u8>, Unread> {
        let address = self.address(&file.url).ok_or(Unread::Unreachable)?;
        let mut answer = self.client.get(address).send().await.map_err(|_| Unread::Unreachable)?;
        if answer.status() != reqwest::StatusCode::OK {
            return Err(Unread::Unreachable);
        }
        // Only the size announced by the message is trusted.
        let most = usize::try_from(file.bytes.min(max)).unwrap_or(usize::MAX);
        let length = answer.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
        if length.is_some_and(|length| length != file.bytes) {
            return Err(Unread::Changed);
        }
        let mut bytes = Vec::with_capacity(most);
        while let Some(part) = answer.chunk().await.map_err(|_| Unread::Unreachable)? {
            if most < bytes.len() + part.len() {
                return Err(Unread::Changed);
            }
            bytes.extend_from_slice(&part);
        }
        if bytes.len() as u64 != file.bytes {
            return Err(Unread::Changed);
        }
        Ok(bytes)
    }

    /// Returns the address to ask; `None` if it is not one of Discord's.
    fn address(&self, given: &str) -> Option<Url> {
        let given = Url::parse(given).ok()?;
        let is_discords = given.scheme() == "https"
            && given.host_str().is_some_and(|host| HOSTS.contains(&host))
            && given.port().is_none()
            && given.username().is_empty();
        if !is_discords {
            return None;
        }
        let Some(instead) = &self.instead else { return Some(given) };
        let mut address = instead.clone();
        address.set_path(&format!("{}{}", instead.path().trim_end_matches('/'), given.path()));
        address.set_query(given.query());
        Some(address)
    }
}

#[async_trait]
impl Attachments for Files {
    async fn read(&self, file: &Attachment, max: u64) -> Result<Vec<u8>, AttachmentError> {
        let attached = AttachedFile {
            name: file.filename.clone(),
            media_type: file.content_type.clone(),
            bytes: file.size,
            url: file.url.clone(),
        };
        self.bytes(&attached, max).await.map_err(|why| {
            info!(bytes = file.size, why = why.name(), "a file of a command is not read");
            match why {
                Unread::Changed => AttachmentError::Changed,
                _ => AttachmentError::Unreachable,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_discords_own_hosts_are_asked() {
        let files = Files::new(None).unwrap();
        for good in [
            "https://cdn.discordapp.com/attachments/1/2/a.txt?ex=1",
            "https://media.discordapp.net/attachments/1/2/a.txt",
        ] {
            assert_eq!(files.address(good).unwrap().as_str(), good);
        }
        for bad in [
            "http://cdn.discordapp.com/attachments/1/2/a.txt",
            "https://cdn.discordapp.com.evil.example/a.txt",
            "https://evil.example/cdn.discordapp.com/a.txt",
            "https://cdn.discordapp.com@evil.example/a.txt",
            "https://user@cdn.discordapp.com/a.txt",
            "https://cdn.discordapp.com:8443/a.txt",
            "https://127.0.0.1/a.txt",
            "file:///etc/passwd",
            "a.txt",
            "",
        ] {
            assert_eq!(files.address(bad), None, "{bad}");
        }
        let stand_in = Files::new(Some(Url::parse("http://127.0.0.1:9/files/").unwrap())).unwrap();
        let asked = stand_in.address("https://cdn.discordapp.com/attachments/1/2/a.txt?ex=1").unwrap();
        assert_eq!(asked.as_str(), "http://127.0.0.1:9/files/attachments/1/2/a.txt?ex=1");
        assert_eq!(stand_in.address("https://evil.example/a.txt"), None);
    }
}
