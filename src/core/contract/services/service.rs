//! The names of services and their error.

use crate::text::names;

names! {
    /// A service, by the name a manifest uses.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum ServiceName {
        /// `records`: the module's own stored records.
        Records = "records",
        /// `live`: the watched metrics file.
        Live = "live",
        /// `history`: past samples of the live metrics.
        History = "history",
        /// `workspace`: a folder of files per community.
        Workspace = "workspace",
        /// `prompt`: adds entries about the person to the chat model's prompt.
        Prompt = "prompt",
        /// `time`: later calls.
        Time = "time",
        /// `send`: messages to channels that the operator allowed.
        Send = "send",
        /// `http`: reads from hosts on the public internet.
        Http = "http",
        /// `attachment`: the files of a call.
        Attachment = "attachment",
    }
}

/// The error of a service.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ServiceError {
    /// The module's manifest does not ask for this service.
    #[error("the module did not ask for the service `{0}` in its manifest")]
    NotGranted(&'static str),
    /// The store refused or failed.
    #[error("the store failed: {0}")]
    Store(String),
    /// The store's disk is full. Nothing was written.
    #[error("the store failed: the disk is full; nothing was written")]
    DiskFull,
    /// The run may not change anything.
    #[error(
        "nothing was changed: the command must say `writes = true` in its manifest, since its handler changes something"
    )]
    ReadsOnly,
    /// The bot is not a member of this server or group, so it cannot write there later. The caller gets this as an
    /// answer.
    #[error("the bot is not in this server or group, so it cannot answer there later")]
    NotHere,
    /// The operator does not allow this to the module.
    #[error("{0}")]
    NotAllowed(String),
    /// A limit of the service is reached.
    #[error("{0}")]
    Full(String),
}
